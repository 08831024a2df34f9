#!/usr/bin/env python3
"""Checks what counts as a capture, a session and a baseline for a gate, by tracetool-budget(5): captures without a figure, what may be
appended, six appends at once, the same recording twice.

    sessions.py TRACETOOL CALLS_GEN

Captures are scripts of calls, so that every figure is known. Ends with "N passed, N failed".
"""
import html
import json
import lzma
import os
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import check, end
from suite import TESTDATA
import words
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "diff"))
from truth import Script  # noqa: E402

TRACETOOL, GEN = [os.path.abspath(p) for p in sys.argv[1:3]]
work = None


def at(name):
    return os.path.join(work, name)


def capture(name, ns, frames=10, markers=("Game:Draw",), cls="Game.Shot", long=None, job=0, **how):
    """A game whose frames take ${ns}, and of which no two recordings are alike. ${job}: what a worker thread does meanwhile takes."""
    s = Script()
    s.now["Main"] = capture.made = capture.made + 1
    for i in range(frames):
        s.enter("Game:Tick")
        s.work(100 * ns if i == long else ns)
        for m in markers:
            s.call(m, 1000)
        if job:
            s.now["Worker 1"] = s.now["Main"]
            s.call("Jobs:Path", job, "Worker 1")
        s.alloc(cls, 64)
        s.leave()
    if frames:
        s.enter("Game:Tick")
    else:
        s.call("Game:Boot", ns)
    s.write(GEN, at(name), **how)
    return name


capture.made = 0


def captures(name, ns, n=5, **more):
    return [capture("%s%d.mlpd" % (name, i), ns + i, **more) for i in range(n)]


def row(id, **keys):
    return dict({"id": id, "metric": "frame.time", "stat": "median"}, **keys)


def budget(*rows, name="budget.json", **keys):
    with open(at(name), "w") as f:
        json.dump({k: v for k, v in dict({"tracetool_budget": 1, "frame_marker": "Game:Tick", "rows": list(rows)}, **keys).items() if v is not None}, f)
    return name


def gate(*args, code=None, verb=("stats",), env=None):
    """The run, its verdict by row, and whether it ended as it should."""
    r = subprocess.run([TRACETOOL, *verb, "--gate", "budget.json", "--today", "2026-11-20", "--json", "verdict.json", *args],
                       cwd=work, capture_output=True, text=True, errors="surrogateescape", timeout=120, env=dict(os.environ, **(env or {})))
    r.rows = {}
    if r.returncode in (0, 1, 3, 5) and os.path.exists(at("verdict.json")):
        r.json = json.load(open(at("verdict.json")))
        r.rows = {x["id"]: x for x in r.json["rows"]}
    if code is not None:
        check(r.returncode == code, "exit status of %s" % (args,), r.returncode, "not", code, r.stdout, r.stderr)
    return r


def sessions(base="base.json"):
    return [(s["session"], len(s["captures"])) for s in json.load(open(at(base)))["sessions"]]


# --- figures --------------------------------------------------------------------------------------------

def rare(name, n, frames=5000):
    """A game in which ${n} of the frames allocate once, throw nothing and are all alike."""
    s = Script()
    s.now["Main"] = rare.made = rare.made + 1
    for i in range(frames):
        s.enter("Game:Tick")
        s.work(1000)
        if 100 <= i < 100 + n:
            s.alloc("Game.Shot", 8)
            s.call("Game:Bad", 10)
        s.leave()
    s.enter("Game:Tick")
    s.write(GEN, at(name))
    return name


rare.made = 0


def what_happens_once_is_not_never():
    """A mean by frame of one in thousands is above 0, its limit is what was asked, and another number is another figure."""
    count = dict(metric="gc.alloc.count", stat="per_frame.mean")
    none = [row("allocs", max=0, **count), row("bytes", metric="gc.alloc.bytes", stat="per_frame.mean", max="0B"),
            row("calls", metric="marker.count", marker="Game:Bad", stat="per_frame.mean", max=0)]
    budget(*none)
    r = gate(rare("once.mlpd", 1), code=1)
    check([r.rows[k["id"]]["outcome"] for k in none] == ["breach"] * 3, "one in 5,000 frames", r.stdout)
    check(abs(r.rows["allocs"]["value"] - 1 / 5000) < 1e-9, "its mean is 0.0002", r.rows["allocs"]["value"])
    check(re.search(r"0\.0002\b", r.stdout), "and is printed", r.stdout)
    r = gate("once.mlpd", "--max-failures", "9", "--frame-marker", "Game:Tick", verb=("batch",), code=1)
    check([r.rows[k["id"]]["outcome"] for k in none] == ["breach"] * 3, "the same in a batch", r.stdout)

    r = gate(rare("long.mlpd", 1, frames=20000), code=1)
    check([r.rows[k["id"]]["outcome"] for k in none] == ["breach"] * 3, "8 bytes in 20,000 frames are no 0 bytes", r.stdout)
    check(re.search(r"bytes +0\.001 B +≤ 0 B +FAIL", r.stdout), "nor do they print like it", r.stdout)
    check("hint" in r.rows["bytes"] and " 0.001 B per frame" in r.rows["bytes"]["hint"], "nor does their site", r.rows["bytes"].get("hint"))

    old = [rare("old%d.mlpd" % i, 10) for i in range(4)]
    budget(row("fifth", max="+20%", **count), row("few", max="+5%", **count), row("exact", exact=True, **count), row("more", max="+0.0015", **count))
    gate(*old, "--save", "rare.json", "--meta", "session=A", code=0)
    r = gate(*[rare("new%d.mlpd" % i, 11) for i in range(4)], "--baseline", "rare.json", "--meta", "session=A", code=1)
    check({k: r.rows[k]["outcome"] for k in ("fifth", "exact")} == {"fifth": "not_worse", "exact": "breach"}, "11 of 5,000 where 10 were", r.stdout)
    check(abs(r.rows["fifth"]["limit"] - 0.0004) < 1e-9, "+20 % of 0.002 is 0.0004", r.rows["fifth"])
    r = gate(*[rare("far%d.mlpd" % i, 17) for i in range(4)], "--baseline", "rare.json", "--meta", "session=A", code=1)
    check({k: r.rows[k]["outcome"] for k in ("fifth", "few", "exact", "more")} == {"fifth": "worse", "few": "worse", "exact": "breach", "more": "not_worse"},
          "17 where 10 were", r.stdout)


# --- captures without a figure ------------------------------------------------------------------------

def crashed_captures_are_no_pass():
    good, bad = captures("good", 1000000, 3), captures("bad", 1000000, 5, frames=0)
    budget(row("median", max="5ms"), row("mean", stat="mean", max="5ms", max_missing=5), row("slow", max="1us"))
    r = gate(*good, *bad, code=1)
    want = {"median": "cannot_judge", "mean": "pass", "slow": "breach", "integrity-lost": "pass", "integrity-ended": "pass"}
    check({k: v["outcome"] for k, v in r.rows.items()} == want, "outcomes with 5 of 8 crashed", r.rows)
    check(all(r.rows[k]["missing"] == 5 and r.rows[k]["captures"] == 3 for k in ("median", "mean")), "counts of what is missing", r.rows)
    check("5 of 8 captures have no figure" in r.rows["median"]["text"] and "bad0.mlpd" in r.rows["median"]["text"], "says how many", r.stdout)
    check("5 have no figure" in r.rows["mean"]["text"], "says how many also where it passes", r.stdout)
    budget(row("median", max="5ms"))
    gate(*good, *bad, code=5)
    gate(*good, bad[0], code=5)
    gate(*good, code=0)
    budget(row("median", max="+50%"), row("exact", metric="frame.count", stat="total", exact=True), row("few", max="5ms", max_missing=4))
    gate(*good, "--save", "first.json", code=0)
    r = gate(*good, *bad, "--baseline", "first.json", code=1)
    check(r.rows["median"]["outcome"] == "cannot_judge" and r.rows["few"]["outcome"] == "cannot_judge", "with a baseline", r.stdout)
    check(r.rows["exact"]["outcome"] == "breach", "no frame at all is a number of frames", r.rows["exact"]["text"])
    budget(row("median", max="5ms"))
    options = ("--frame-marker", "Game:Tick", "--max-failures", "9")
    r = gate(*good, *bad, *options, verb=("batch",), code=5)
    check(r.rows["median"]["missing"] == 5, "captures that fail in a batch have no figure", r.stdout)
    open(at("torn.mlpd"), "wb").write(open(at(bad[0]), "rb").read()[:10])
    r = gate(*good, *bad, "torn.mlpd", *options, "--group-by", "format", verb=("batch",))
    names = {x["name"]: x["outcome"] for x in r.json["rows"]}
    check(names.get("median [mlpd]") == "cannot_judge", "captures without frames are of their group", names)
    check(names.get("median [(unknown)]") == "cannot_judge", "captures in no group are judged as one", names)
    gate(*bad, code=2)


def no_figure_is_no_frame_either():
    """A file that cannot be read, or of which all is skipped, has no number of frames: 0 would keep a max."""
    good = captures("whole", 1000000, 1)
    few = row("few", metric="frame.count", stat="total", max=1000)
    warn = {"level": "warn", "ended": "warn", "min_frames": 1}
    open(at("garbage.mlpd"), "wb").write(bytes(range(7, 250)) * 9)
    for bad in ("garbage.mlpd", "missing.mlpd"):
        budget(few, integrity=warn)
        r = gate(*good, bad, code=5)
        check([r.rows[k]["outcome"] for k in ("few", "integrity-frames")] == ["cannot_judge"] * 2, bad + " has no number of frames", r.stdout)
    r = gate(*good, "garbage.mlpd", "--max-failures", "9", "--frame-marker", "Game:Tick", verb=("batch",))
    check([r.rows[k]["outcome"] for k in ("few", "integrity-frames")] == ["cannot_judge"] * 2, "nor in a batch", r.stdout)
    loaded = captures("loaded", 1000000, 1, markers=("Game:Loaded", "Game:Draw"))
    for skip in ({"until_marker": "Game:Loaded"}, {"time": "9ms"}, {"frames": 8}):
        budget(few, integrity=warn, skip=skip)
        whole = loaded + ([capture("long.mlpd", 2000000, 20, markers=("Game:Loaded",))])
        for args, verb in (((), ("stats",)), (("--frame-marker", "Game:Tick", "--max-failures", "9"), ("batch",))):
            r = gate(*whole, capture("short.mlpd", 100000, 3), *args, verb=verb)
            check(r.rows["few"]["outcome"] == "cannot_judge" and r.rows["few"]["missing"] == 1, "all is skipped by %s: %s" % (skip, verb), r.stdout, r.stderr)


def integrity_is_of_the_whole_capture():
    """A capture of which skip or a frame marker leaves nothing has lost and broken off all the same."""
    data = os.path.join(TESTDATA, "mlpd", "bad-cut-in-buffer.mlpd")
    good = captures("whole", 1000000, 3, markers=("Game:Loaded", "Game:Draw"))
    slack = row("a", max="50ms", max_missing=1)
    for what in ({}, {"skip": {"frames": 4}}, {"skip": {"until_marker": "Game:Loaded"}}, {"frame_marker": None, "skip": {"time": "9ms"}}):
        for rows in ((slack,), (dict(slack, level="warn"),)):
            budget(*rows, **what)
            for verb in (("stats",), ("batch", "--max-failures", "9")):
                r = gate(*good, data, verb=verb, code=3)
                have = {x: r.rows[x]["outcome"] for x in ("integrity-lost", "integrity-ended") if x in r.rows}
                check(have == {"integrity-lost": "breach", "integrity-ended": "breach"}, "a cut capture with %s" % what, verb, have, r.stdout, r.stderr)
                check("--frames" not in r.stdout + r.stderr, "no option is blamed that nobody gave", verb, r.stdout)
    budget(slack)
    gate(*good, data, "--save", "kept.json", "--append", code=3)
    check(not os.path.exists(at("kept.json")), "a damaged capture makes no baseline")


def captures_without_an_event_are_no_pass():
    """A recorder that dies at once leaves the header alone, and the file ends well: 0 collections and 0 losses are no figures."""
    data = os.path.join(TESTDATA, "gate")
    good, header = [], []
    for i in range(1, 5):
        text = lzma.open(os.path.join(data, "good-base%d.ttc.xz" % i)).read()
        good.append("whole%d.ttc" % i)
        header.append("header%d.ttc" % i)
        open(at(good[-1]), "wb").write(text)
        open(at(header[-1]), "wb").write(text[:399])
    budget(dict(row("pause", metric="gc.pause", max="1s"), stat="max"), row("count", metric="frame.count", stat="total", max="9000"),
           row("length", metric="capture.time", stat="total", max="9000s"), frame_marker=None)
    gate(*good, code=0)
    for verb in ("stats",), ("batch",):
        for files, missing in ((header, 4), (good[:3] + header[3:], 1)):
            r = gate(*files, verb=verb, code=1)
            have = {(x["outcome"], x["missing"]) for k, x in r.rows.items() if k != "integrity-ended"}
            check(have == {("cannot_judge", missing)}, "no figure in any row of figures", r.stdout)
            check(r.rows["integrity-ended"]["outcome"] == "breach", "it broke off, though", r.stdout)
    gate(*header, "--save", "empty.json", "--append", code=1)
    check(not os.path.exists(at("empty.json")), "captures without an event are no baseline")
    gate(*header, "--save", "empty.json", "--inconclusive", "pass", code=3)
    check(not os.path.exists(at("empty.json")), "nor without --append")
    budget(row("pause", metric="gc.pause", stat="max", max="1s", max_missing=9), integrity={"level": "warn"}, frame_marker=None)
    gate(*good[:3], header[3], "--save", "empty.json", "--append", code=0)
    check(not os.path.exists(at("empty.json")), "a capture that broke off is not appended, where it is told of")
    budget(row("pause", metric="gc.pause", stat="max", max="1s", max_missing=9), integrity={"level": "warn", "ended": "off"}, frame_marker=None)
    r = gate(*good[:3], header[3], "--save", "empty.json", "--append", code=0)
    check(recordings("empty.json") == good[:3] and "1 of the captures holds no event, and is not saved: header4.ttc" in r.stdout,
          "nor where a row allows for them", r.stdout)


def captures_that_break_off_are_told():
    """A game that crashes after whole frames: what is left of it looks better than it was."""
    whole, killed = captures("whole", 1000000, 4), captures("killed", 1000000, 2, killed=True)
    old = captures("old", 1000000, 2, killed=True, version=12)      # of a recorder that marks no end
    files = ("--junit", "v.xml", "--markdown", "v.md", "--github")
    budget(row("median", max="5ms"))
    gate(*whole, code=0)
    gate(*old, code=0)
    for verb in ("stats",), ("batch",):
        more = ("--frame-marker", "Game:Tick") if verb == ("batch",) else ()
        r = gate(*whole, *killed, *files, *more, verb=verb, code=1)
        ended = r.rows["integrity-ended"]
        says = "killed0.mlpd did not end (2 of 6 captures)"
        check(ended["outcome"] == "breach" and ended["fails"] and says in ended["text"], "%s: a kill fails" % verb, ended)
        check(r.rows["median"]["outcome"] == "pass", "the other rows are judged", r.rows["median"])
        for form in r.stdout, open(at("v.xml")).read(), open(at("v.md")).read().replace("\\", ""):
            check("killed0.mlpd did not end" in form, "%s: every form tells it" % verb, form)
        check("::error title=integrity-ended::" in r.stdout, "an annotation", r.stdout)
    for form in ("azure", "teamcity"):
        check("did not end" in gate(*whole, *killed, "--" + form, code=1).stdout, "--" + form)
    r = gate(killed[0], "--save", "torn.json", "--append", code=1)
    check(not os.path.exists(at("torn.json")) and "not appended to torn.json: integrity-ended finds a capture that did not end" in r.stdout,
          "it makes no baseline", r.stdout)
    budget(row("median", max="5ms"), integrity={"ended": "warn"})
    r = gate(*killed, "--save", "torn.json", "--append", code=0)
    check(r.rows["integrity-ended"]["outcome"] == "breach" and not os.path.exists(at("torn.json")), "warn: told, and kept out of baselines", r.stdout)
    budget(row("median", max="5ms"), integrity={"ended": "off"})
    r = gate(*killed, "--save", "torn.json", "--append", code=0)
    check("did not end" not in r.stdout and len(recordings("torn.json")) == 2, "off: killed captures are as good as others", r.stdout)
    budget(row("median", max="5ms"), integrity={"level": "warn"})
    check(gate(*killed, code=0).rows["integrity-ended"]["level"] == "warn", "ended is as level says where it says nothing")
    budget(row("crashes", metric="capture.unended", stat="total", max=0, level="warn"), integrity={"ended": "off"})
    check("did not end" in gate(*killed, code=0).stdout, "a row of one's own")
    budget(row("median", max="5ms"), integrity={"ended": "ignore"})
    check("\"ended\"" in gate(*killed, code=2).stderr, "a level that there is not")


# --- causes -------------------------------------------------------------------------------------------

def with_start(name, boot, shots, frames=8):
    """Allocates before the first frame, ${shots} times in each frame, and in the frame that is open at the end."""
    s = Script()
    s.now["Main"] = capture.made = capture.made + 1
    s.enter("Game:Boot")
    for i in range(boot):
        s.alloc("Game.Table", 1000)
    s.work(50000000)
    s.leave()
    for i in range(frames + 1):
        s.enter("Game:Tick")
        s.work(1000000)
        for k in range(shots):
            s.enter("Game:Fire")
            s.alloc("Game.Shot", 64)
            s.leave()
        s.alloc("Game.Big", 600)
        s.work(1000)
        s.leave()
    s.write(GEN, at(name))
    return name


def causes_are_measured_where_the_row_is():
    """What a row of frames is explained by happens in these frames; what a row of the whole capture is, anywhere."""
    before = [with_start("b%d.mlpd" % i, 40, 2) for i in range(5)]
    after = [with_start("a%d.mlpd" % i, 400, 5) for i in range(5)]
    budget(row("frame", metric="gc.alloc.bytes", stat="per_frame.mean", max="0B"), row("all", metric="gc.alloc.bytes", stat="total", max="0B"),
           row("count", metric="gc.alloc.count", stat="per_frame.max", max=0), row("time", max="1us"))
    r = gate(after[0], code=1)
    check(r.rows["frame"]["hint"] == "most is allocated by Game:Tick: Game.Big 600 B, Game:Fire: Game.Shot 320 B per frame", "sites", r.rows["frame"])
    check(r.rows["all"]["hint"].startswith("most is allocated by Game:Boot: Game.Table 390.6 KB, Game:Tick: Game.Big 5,400 B"), "sites in all",
          r.rows["all"])
    check(r.rows["count"]["hint"] == "most allocations are by Game:Fire: Game.Shot 5, Game:Tick: Game.Big 1 per frame",
          "a count is explained by counts", r.rows["count"])
    out = gate(after[0], "--explain", "frame", code=1).stdout
    check("Game:Boot" not in out.split("Allocation sites")[1] and re.search(r"320 B +5 x  Game:Fire: Game.Shot", out), "--explain of a row of frames", out)
    check(re.search(r"390.6 KB +400 x  Game:Boot: Game.Table", gate(after[0], "--explain", "all", code=1).stdout), "--explain of a row of all")
    budget(row("frame", metric="gc.alloc.bytes", stat="per_frame.mean", max="+5%"), row("all", metric="gc.alloc.bytes", stat="total", max="+5%"),
           row("count", metric="gc.alloc.count", stat="per_frame.mean", max="+5%"), row("mean", stat="mean", max="+1us"))
    gate(*before, "--save", "start.json", code=0)
    r = gate(*after, "--baseline", "start.json", code=1)
    def movers(id):
        return [(m["name"], m["change"], m["count"], m["baseline_count"], m["per_frame"]) for m in r.rows[id]["movers"]]
    check(movers("frame") == [("Game:Fire: Game.Shot", 192, 5, 2, True)] == movers("count"), "movers of a frame", movers("frame"), movers("count"))
    check([m[:4] for m in movers("all")] == [("Game:Boot: Game.Table", 360000, 400, 40)] and not movers("all")[0][4], "movers in all", movers("all"))
    budget(row("calls", metric="marker.count", marker="Game:Fire", stat="total", max=1))
    r = gate(after[0], code=1)
    check("hint" not in r.rows["calls"], "time explains no number of calls", r.rows["calls"])


# --- digits -----------------------------------------------------------------------------------------------

def figures_that_differ_print_apart():
    """No line says that 1 ms is over the limit of 1 ms, and a limit is shown as finely as it was written."""
    shots = [capture("fine%d.mlpd" % i, 1000000) for i in range(3)]     # 1 ms, and 1 us in Game:Draw
    budget(row("same", max="1.0009999ms"), row("near", max="1.001ms"), row("bytes", metric="gc.alloc.bytes", stat="total", max="0.6251KiB"),
           row("share", metric="gc.alloc.count", stat="per_frame.mean", max=0.001))
    text = {k: x["text"] for k, x in gate(*shots, code=1).rows.items()}
    check(text["same"].startswith("1.001 ms, over the limit of 1.0009999 ms"), "a fine limit", text["same"])
    check(text["near"].startswith("1.001 ms, limit 1.001 ms"), "an equal one", text["near"])
    budget(row("ns", max="1.0009995ms"), row("big", metric="gc.alloc.bytes", stat="total", max="639B"), row("max", stat="max", max="1001us", min="1us"))
    text = {k: x["text"] for k, x in gate(*shots, code=1).rows.items()}
    check("640 B, over the limit of 639 B" in text["big"], "bytes", text["big"])
    budget(row("odd", metric="gc.alloc.bytes", stat="total", max="256233B"), row("even", metric="gc.alloc.bytes", stat="total", max="250.5KiB"))
    text = {k: x["text"] for k, x in gate(*shots, code=0).rows.items()}
    check("640 B, limit 256,233 B" in text["odd"], "a limit that KiB would round is in bytes, as is the figure", text["odd"])
    check("640 B, limit 250.5 KB" in text["even"], "one that they do not", text["even"])
    for keys, says in ((dict(max="0.0004ns"), "more than three decimals"), (dict(metric="exceptions", stat="total", max=0.0000004), "more than six decimals"),
                       (dict(metric="gc.alloc.bytes", stat="total", max="1.0001B"), "more than three decimals"),
                       (dict(metric="exceptions", stat="total", max="2.7182818"), "more than six decimals")):
        budget(dict(row("fine"), **keys))
        check(says in gate(*shots, code=2).stderr, "an amount that cannot be kept: %s" % keys)
    budget(row("fine", max="1.25%"), row("kib", metric="gc.alloc.bytes", stat="total", max="0.33333KiB"))
    check("write \"+1.25%\"" in gate(*shots, code=2).stderr, "a share")
    # A bound below nothing: the baseline varies by more than its median.
    budget(row("time", metric="marker.time", marker="Game:Draw", stat="total", max="+1%"))
    base = [capture("wide%d.mlpd" % i, 1000000, frames=10 if i < 3 else 60) for i in range(5)]
    gate(*base, "--save", "wide.json", code=0)
    r = gate(*[capture("none%d.mlpd" % i, 1000000, frames=1) for i in range(5)], "--baseline", "wide.json", code=0)
    low = r.rows["time"]["test"]["low"] / r.rows["time"]["baseline"]
    check(low < -1 and "(-100.0 % to" in r.rows["time"]["text"], "no time is less than none", low, r.rows["time"]["text"])
    # Worse by a hair: the two medians, and shift and limit, print apart.
    budget(row("hair", max="+1ns"), session_spread="0%")
    gate(*captures("hair", 1000000, 5), "--save", "hair.json", code=0)
    r = gate(*captures("hairs", 1000020, 5), "--baseline", "hair.json", code=1)
    check(re.match(r"1\.001022 ms, was 1\.001002 ms: \+20 ns .*allowed \+1 ns", r.rows["hair"]["text"]), "a hair", r.rows["hair"]["text"])


def a_change_that_is_not_between_the_medians_says_so():
    """The amounts are medians of captures, the change is one between sessions: where these are plainly apart, the row
    names what the change is of."""
    budget(row("median", max="+5%"))
    for i in range(3):
        gate(*captures("even%d-" % i, 1000000), "--save", "even.json", *["--append"][:i], code=0)
    r = gate(*[capture("uneven%d.mlpd" % i, ns) for i, ns in enumerate((1000000, 1000000, 1000000, 900000, 900000))], "--baseline", "even.json")
    text, test = r.rows["median"]["text"], r.rows["median"]["test"]["shift"] / r.rows["median"]["baseline"]
    check(-.04 < test < -.03 and re.match(r"(1\.00\d+ ms), was \1 in the median; by means of sessions: -3\.\d % \(", text), "means of sessions", text, test)
    r = gate(*captures("longer", 1020000), "--baseline", "even.json")
    check(re.match(r"1\.02\d+ ms, was 1\.00\d+ ms: \+2\.0 % \(", r.rows["median"]["text"]), "a change as it is between the medians", r.rows["median"]["text"])


# --- activations that the end cuts -------------------------------------------------------------------------

def a_killed_call_is_no_short_one():
    """A game that is killed in a call: that call counts, but nobody knows how long it would have been."""
    s = Script()
    s.now["Main"] = capture.made = capture.made + 1
    for ns in (3000, 5000, 7000):
        s.call("Game:Load", ns)
    s.enter("Game:Main")
    s.enter("Game:Load")
    s.work(10)
    s.write(GEN, at("cut.mlpd"), killed=True)
    stats = {"total": 15010, "mean": 5000, "median": 5000, "min": 3000, "max": 7000}
    budget(*[row(x, metric="marker.time", marker="Game:Load", stat=x, max="1s") for x in stats],
           *[dict({"id": "cell " + x, "metric": "markers/%s_ns" % x, "row": "Game:Load", "max": "1s"}) for x in stats],
           row("calls", metric="marker.count", marker="Game:Load", stat="total", max=9),
           row("main", metric="marker.time", marker="Game:Main", stat="mean", max="1s"),
           integrity={"ended": "warn"}, frame_marker=None)
    r = gate("cut.mlpd", code=5)
    for x, want in stats.items():
        check(abs(r.rows[x]["value"] - want) <= want * 0.016 and r.rows["cell " + x]["value"] == r.rows[x]["value"], x, r.rows[x]["value"], want)
    check(r.rows["calls"]["value"] == 4, "it counts", r.rows["calls"])
    check(r.rows["main"]["outcome"] == "cannot_judge" and r.rows["main"]["text"] == "no whole activation", "nothing whole", r.rows["main"])


# --- what may be appended ---------------------------------------------------------------------------------

def recordings(base="base.json"):
    return [c["name"] for s in json.load(open(at(base)))["sessions"] for c in s["captures"]]


def slower_captures_are_not_appended():
    budget(row("median", max="+5%"), row("limit", max="50ms"))
    gate(*captures("first", 1000000), "--save", "base.json", "--append", code=0)
    before = open(at("base.json")).read()
    slow = captures("slow", 1500000)
    r = gate(*slow, "--save", "base.json", "--append", code=1)
    check(r.rows["median"]["outcome"] == "worse", "held against the baseline that it is for", r.stdout)
    check("not appended to base.json: median is worse" in r.stdout, "says why it is not appended", r.stdout)
    gate(*slow, "--baseline", "base.json", "--save", "base.json", "--append", code=1)
    gate(*slow, "--save", "base.json", "--append", code=1)
    check(open(at("base.json")).read() == before, "a failing run changes no baseline")
    budget(row("median", max="+5%", waive={"until": "2027-01-01", "why": "new engine"}))
    r = gate(*slow, "--save", "base.json", "--append", code=0)
    check(open(at("base.json")).read() == before and "not appended" in r.stdout, "a waiver accepts no figure", r.stdout)
    budget(row("median", max="+5%"))
    gate(*captures("dead", 1000000, 2), *captures("crashed", 1000000, 3, frames=0), "--save", "base.json", "--append", code=5)
    check(open(at("base.json")).read() == before, "nor do captures without figures")
    r = gate(*slow, "--save", "base.json", code=0)
    check(sessions() == [("#1", 5)] and recordings()[0] == "slow0.mlpd", "without --append it is made anew", sessions())
    check('base.json: session "#1" is replaced (--append adds to it)' in r.stderr, "which is told", r.stderr)
    r = gate(*captures("few", 1500000, 1), "--save", "base.json", "--append", "--meta", "session=#1", code=5)
    check(sessions() == [("#1", 6)], "too few captures are no fault", sessions())


def what_fails_replaces_no_baseline():
    """With --baseline and --save alone: captures that fail are not saved, neither over the baseline they fail beside nor anywhere else."""
    budget(row("median", max="+5%"))
    gate(*captures("good", 1000000), "--save", "single.json", code=0)
    before = open(at("single.json")).read()
    slow = captures("bad", 1500000)
    for to in ("single.json", "elsewhere.json"):
        r = gate(*slow, "--baseline", "single.json", "--save", to, code=1)
        check("not saved: median is worse" in r.stdout and "replaced" not in r.stdout + r.stderr, to + ": says that nothing is saved", r.stdout, r.stderr)
    check(open(at("single.json")).read() == before and not os.path.exists(at("elsewhere.json")), "and nothing is")
    gate(*captures("equal", 1000000), "--baseline", "single.json", "--save", "single.json", code=0)
    check(open(at("single.json")).read() != before, "what passes is saved")


def one_capture_a_night_becomes_a_baseline():
    """Too few captures keep nothing from being appended: from the third night on, nights show how much they differ."""
    budget(row("median", max="+5%"))
    codes = [gate(capture("alone%d.mlpd" % i, 1000000 + i), "--save", "alone.json", "--append", "--meta", "session=n%d" % i).returncode for i in range(5)]
    check(sessions("alone.json") == [("n%d" % i, 1) for i in range(5)], "five nights of one capture", sessions("alone.json"))
    check(codes == [0, 5, 5, 0, 0], "judged from the fourth night on", codes)


def facts_of_paths_are_those_of_the_files():
    """Folders have names that keys of a batch write otherwise: facts do not."""
    budget(row("where", max="1ns", where={"build": "game#12"}), row("odd", max="1ns", where={"build": "50%!x"}))
    for build in ("game#12", "50%!x"):
        os.makedirs(at("paths/" + build), exist_ok=True)
        os.replace(at(capture("one.mlpd", 1000000)), at("paths/%s/run.mlpd" % build))
    how = ("--meta-from-path", "{build}/*")
    r = gate("paths/game#12/run.mlpd", "paths/50%!x/run.mlpd", *how, code=1)
    check([r.rows[k]["outcome"] for k in ("where", "odd")] == ["breach"] * 2, "a gate", r.stdout)
    r = gate("paths", *how, "--frame-marker", "Game:Tick", verb=("batch",), code=1)
    check([r.rows[k]["outcome"] for k in ("where", "odd")] == ["breach"] * 2, "a batch", r.stdout)
    with zipfile.ZipFile(at("all.zip"), "w") as z:
        for build in ("game#12", "50%!x"):
            z.write(at("paths/%s/run.mlpd" % build), build + "/run.mlpd")
    r = gate("all.zip", *how, "--frame-marker", "Game:Tick", verb=("batch",), code=1)
    check([r.rows[k]["outcome"] for k in ("where", "odd")] == ["breach"] * 2, "members of an archive", r.stdout)


def nights_are_not_replaced():
    """--append left out: what took nights to collect, or was accepted, stays, whatever the verdict."""
    def refused(base, says):
        before = open(at(base)).read()
        for names in (first, captures("other", 1500000)):
            r = gate(*names, "--save", base, code=2)
            check(says in r.stderr and "remove it to begin anew" in r.stderr and not r.stdout, "what would be lost", r.stdout, r.stderr)
        check(open(at(base)).read() == before, "nothing is lost of " + base)

    budget(row("median", max="+5%"))
    first = captures("night", 1000000)
    gate(*first, "--save", "nights.json", code=0)
    gate(*captures("next", 1000000), "--save", "nights.json", "--append", code=0)
    refused("nights.json", "nights.json holds 2 sessions: --append adds to them")
    gate(*first, "--save", "reason.json", "--append", "--accept", "new lighting", code=0)
    refused("reason.json", 'reason.json holds session "#1", which was accepted: --append adds to it')
    open(at("torn.json"), "w").write(open(at("nights.json")).read()[:99])
    r = gate(*first, "--save", "torn.json", code=0)
    check(sessions("torn.json") == [("#1", 5)] and "replaced" not in r.stderr, "what is no baseline is no loss", r.stderr)
    os.unlink(at("nights.json"))
    gate(*first, "--save", "nights.json", code=0)


def flaky_nights_are_not_appended():
    """One capture of four that is far off decides nothing, but in the baseline it would hide what comes later."""
    budget(row("median", max="+5%"))
    flaky = captures("even", 1000000, 3) + captures("far", 4000000, 1)
    for start in 1, 3:
        for i in range(start):
            gate(*captures("calm%d-" % i, 1000000 + 1000 * i, 4), "--save", "calm%d.json" % start, "--append", code=0)
        before = open(at("calm%d.json" % start)).read()
        r = gate(*flaky, "--save", "calm%d.json" % start, "--append", code=0)
        check(r.rows["median"]["outcome"] == "undecided" and "not appended to calm%d.json: median is above its limit" % start in r.stdout and
              "record again, or accept the captures with a reason" in r.stdout, "says why, and what to do", r.stdout)
        check("added" not in r.stderr and open(at("calm%d.json" % start)).read() == before, "it is not appended", r.stderr)
        r = gate(*captures("slow", 1400000, 4), "--baseline", "calm%d.json" % start, code=1)
        budget(row("median", max="+5%", level="warn"), row("limit", max="1s"))
        open(at("warned.json"), "w").write(before)
        gate(*flaky, "--save", "warned.json", "--append", code=0)
        check(len(sessions("warned.json")) == start + 1, "a row that warns keeps none out")
        budget(row("median", max="+5%"))
    gate(*flaky, "--save", "calm3.json", "--append", "--accept", "the disk was busy", code=0)
    check(accepted("calm3.json")[-1] == ("#4", 4, "the disk was busy"), "with a reason it is", accepted("calm3.json"))


def accepted(base="base.json"):
    """The sessions of the file: name, number of captures, why it was accepted."""
    return [(s["session"], len(s["captures"]), s.get("accepted")) for s in json.load(open(at(base)))["sessions"]]


def a_wanted_slowdown_is_accepted_in_one_command():
    """The failing verdict prints the command; with a reason in it, that is all there is to do."""
    os.makedirs(at("two words"), exist_ok=True)
    base = "two words/it's.json"
    median, limit = row("median", max="+5%"), row("limit", max="50ms")
    exact = {"id": "frames", "metric": "frame.count", "stat": "total", "exact": True}
    budget(median, row("warned", stat="mean", max="+5%", level="warn"), limit, exact)
    gate(*captures("quick", 1000000), "--save", base, code=0)
    slow = captures("slow now", 1500000, frames=12)
    want = "--append --accept 'REASON'"
    for given in (("--baseline", base), ("--save", base, "--append"), ("--baseline", base, "--save", base, "--append")):
        r = gate(*slow, *given, "--junit", "v.xml", "--markdown", "v.md", "--html", "v.html", "--meta", "build=Old Town", code=1)
        command = r.json.get("accept", "")
        lines = [x.strip() for x in r.stdout.splitlines()]
        check(command in lines and words.say("accept") in lines[lines.index(command) - 1], "the text prints the command", r.stdout)
        check(all(command in html.unescape(open(at(f)).read()) for f in ("v.xml", "v.md", "v.html")), "and every form that explains", command)
        check(want in command and "junit" not in command and "Old Town" in command, "what decides the verdict is in it", command)
    before = open(at(base)).read()
    run = lambda how: subprocess.run(["sh", "-c", how + " --json verdict.json"], cwd=work, capture_output=True, text=True, timeout=120,  # noqa: E731
                                     env=dict(os.environ, PATH=os.path.dirname(TRACETOOL) + ":" + os.environ["PATH"]))
    narrow = gate(*slow, "--baseline", base, "--width", "60", code=1)
    check(narrow.json["accept"] in narrow.stdout, "a width does not break it", narrow.stdout)
    r = run(command.replace("REASON", "new lighting, see #812"))
    v = json.load(open(at("verdict.json")))
    rows = {x["id"]: x for x in v["rows"]}
    have = {k: (x["outcome"], x.get("would"), x["fails"]) for k, x in rows.items()}
    check(r.returncode == 0 and v["exit_code"] == 0, "the command that was printed passes", r.returncode, r.stdout, r.stderr)
    check(have["median"] == ("accepted", "worse", False) and have["frames"] == ("accepted", "breach", False) and have["limit"][0] == "pass", "outcomes", have)
    check(have["warned"] == ("accepted", "worse", False) and v["warned"] == 0, "a row that warns", have, v["warned"])
    check("accepted: new lighting, see #812" in v["summary"] and rows["median"]["text"].endswith("; accepted: new lighting, see #812"), "says why", v)
    check("accepted: new lighting, see #812" in r.stdout.splitlines()[-1] and "accept" not in v, "and asks for nothing more", r.stdout)
    check(accepted(base) == [("#1", 5, None), ("#2", 5, "new lighting, see #812")], "the file keeps the reason", accepted(base))
    check(json.loads(before)["sessions"] == json.load(open(at(base)))["sessions"][:1], "and what was before")
    check(gate(*captures("next", 1500000, frames=12), "--baseline", base, code=0).rows["median"]["baseline"] > 1400000, "it is what is compared with")
    again = run(command.replace("REASON", "once more"))
    check(again.returncode == 0 and accepted(base)[-1][2] == "new lighting, see #812", "the same command again changes nothing", again.stderr)
    listed = subprocess.run([TRACETOOL, "baseline", "list", base], cwd=work, capture_output=True, text=True).stdout
    check("new lighting, see #812" in listed, "baseline list has it", listed)


def what_is_no_change_is_not_accepted():
    """Limits that are amounts, captures that break off, are damaged or have no figures, and sessions that are there already."""
    median = row("median", max="+5%")
    budget(median)
    gate(*captures("quick", 1000000), "--save", "kept.json", code=0)
    before = open(at("kept.json")).read()
    accept = ("--save", "kept.json", "--append", "--accept", "it is meant")
    slow = captures("slower", 1500000)

    def refused(what, code, says, *args, rows=(median,), **more):
        budget(*rows, **more)
        r = gate(*args, *accept, code=code)
        check(open(at("kept.json")).read() == before, what + ": the file stays as it is")
        check(says in r.stdout + r.stderr, what + ": says so", r.stdout, r.stderr)
        check("accept" not in getattr(r, "json", {}), what + ": no command is printed", r.stdout)
        plain = gate(*args, "--baseline", "kept.json", code=code)
        check("accept" not in plain.json, what + ": nor without --accept", plain.stdout)
        return r

    limit = row("limit", max="1200us")
    r = refused("a limit", 1, "not appended to kept.json, and nothing is accepted: limit breaks its limit", *slow, rows=(median, limit))
    check(r.rows["median"]["outcome"] == "accepted" and r.rows["limit"]["fails"], "only the limit fails", r.stdout)
    refused("a crash", 1, "integrity-ended finds a capture that did not end", *slow, *captures("died", 1500000, 1, killed=True))
    open(at("cut.mlpd"), "wb").write(open(at(slow[0]), "rb").read()[:-30] + bytes(30))
    refused("damage", 3, "cut.mlpd is damaged", *slow, "cut.mlpd")
    refused("no figures", 1, "nothing is accepted: median is worse, and captures have no figure", *slow, *captures("none", 1500000, 3, frames=0))
    budget(median)
    gate(*slow, "--save", "begun.json", "--append", "--accept", "the first", code=0)
    check(accepted("begun.json") == [("#1", 5, "the first")], "a baseline may begin so", accepted("begun.json"))
    waived = dict(limit, waive={"until": "2027-01-01", "why": "new engine"})
    budget(median, waived)
    gate(*slow, *accept, code=0)
    check(accepted("kept.json")[-1] == ("#2", 5, "it is meant"), "a limit that is waived is no hindrance", accepted("kept.json"))
    budget(median)
    gate(*captures("later", 1500000), "--save", "kept.json", "--append", "--meta", "session=#2", code=0)
    r = gate(*captures("later", 1500000), *accept, "--meta", "session=#2", code=0)
    check(any("nothing fails that could be accepted" in x for x in r.json["remarks"]) and "accepted:" not in r.json["summary"],
          "a reason without a fault accepts nothing, and a note says so", r.stdout)
    r = gate(*captures("even later", 1500000), *accept, "--meta", "session=#3", code=0)
    check(accepted("kept.json")[1:] == [("#2", 15, "it is meant"), ("#3", 5, None)] and "from now on" not in r.stderr,
          "the captures are appended as others are", accepted("kept.json"), r.stderr)
    r = gate(*captures("latest", 2500000), *accept, "--meta", "session=#2", code=2)
    check(not r.stdout and "only a new session can be accepted" in r.stderr, "no verdict says that it is accepted", r.stdout, r.stderr)
    for args, says in (((), "--accept belongs to another command: tracetool gate"), (("--gate", "budget.json"), "add --save BASE --append"),
                       (("--gate", "budget.json", "--save", "kept.json"), "add --save BASE --append")):
        r = subprocess.run([TRACETOOL, "stats", *args, "--accept", "x", slow[0]], cwd=work, capture_output=True, text=True)
        check(r.returncode == 2 and says in r.stderr, "options that make no sense: %s" % (args,), r.stderr)
    check(gate(*slow, "--save", "kept.json", "--append", "--accept", "", code=2).stderr.count("say why") == 1, "a reason says something")
    gate(*slow, "--save", "both.json", code=0)
    r = gate(*slow, "--save", "both.json", "--append", "--accept", "late", code=2)
    check("tracetool baseline accept both.json" in r.stderr, "captures that are there already", r.stderr)


def creep_is_found_where_no_night_fails():
    """1 % more every night, of which each is within the limit: --anchor looks at all nights together."""
    rows = [row("median", max="+5%"), row("rate", metric="frame.fps", stat="mean", min="-5%"), row("quiet", metric="gc.alloc.bytes", stat="total", max="+5%"),
            row("warned", stat="mean", max="+5%", level="warn"), row("coarse", stat="mean", max="+50%"),
            row("waived", stat="p95", max="+5%", waive={"until": "2027-01-01", "why": "x"})]
    budget(*rows)

    def night(i, *how, code=0, base="creep.json"):
        ns = 1000000 + 10000 * i + 3000 * (i % 3)
        return gate(*captures("n%d-" % i, ns, 3), "--save", base, "--append", "--meta", "session=night-%d" % i, *how, code=code)

    night(0)
    r = night(1, "--anchor")
    check(sum("creep is not judged: it takes 4 sessions, and with these captures there are 2 since night-0" in x for x in r.json["remarks"]) == 1,
          "too few nights are told", r.json["remarks"])
    for i in range(2, 9):
        before = open(at("creep.json")).read()
        plain = night(i)
        check({x["outcome"] for x in plain.rows.values()} <= {"pass", "not_worse", "undecided"}, "night %d alone is within its limit" % i, plain.stdout)
        check("trend" not in plain.rows["median"]["test"], "nobody asked for a trend")
        open(at("last.json"), "w").write(before)
    r = night(8, "--anchor", code=1, base="last.json")
    have = {k: (x["outcome"], x["fails"]) for k, x in r.rows.items()}
    want = {"median": ("worse", True), "rate": ("worse", True), "warned": ("worse", False), "waived": ("waived", False)}
    check({k: have[k] for k in want} == want and have["quiet"][0] != "worse" and have["coarse"][0] != "worse", "which rows crept", have)
    trend = r.rows["median"]["test"]["trend"]
    # Quarters of 9 sessions are 2 on each side: nights 0 and 1, 7 and 8.
    ns = [10000 * i + 3000 * (i % 3) for i in range(9)]
    rise = ((ns[7] + ns[8]) - (ns[0] + ns[1])) / 2
    check(abs(trend["change"] - rise) < 2 and trend["since"] == "night-0" and trend["sessions"] == 9 and trend["crept"], "the trend", trend, rise)
    share = 100 * rise / (1001001 + (ns[0] + ns[1]) / 2)
    says = "has crept %+.1f %% since session night-0 (9 sessions), allowed +5.0 %%; now " % share
    check(r.rows["median"]["text"].startswith(says), "says so", r.rows["median"]["text"], says)
    check(re.match(r"has crept -[67]\.\d % since session night-0 \(9 sessions\), allowed -5.0 %", r.rows["rate"]["text"]), "where less is worse",
          r.rows["rate"]["text"])
    check(re.search(r"; \+0.00 % since session night-0$|; \+0 B since session night-0$", r.rows["quiet"]["text"]), "what stays says so", r.rows["quiet"])
    check("not appended to last.json: median is worse" in r.stdout and len(sessions("last.json")) == 8, "it is not appended", sessions("last.json"))
    check("--anchor" in r.json["accept"], "it can be accepted", r.json)
    r = night(8, "--anchor", "--accept", "new shadows", base="last.json")
    check(r.rows["median"]["outcome"] == "accepted" and accepted("last.json")[-1] == ("night-8", 3, "new shadows"), "and is", r.stdout)
    r = night(9, "--anchor", base="last.json")
    check("there are 2 since night-8" in r.stdout, "from there on a line begins anew", r.stdout)
    subprocess.run([TRACETOOL, "baseline", "trim", "creep.json", "--keep", "4"], cwd=work, capture_output=True, check=True)
    r = night(9, "--anchor", base="creep.json")
    check(r.rows["median"]["test"]["trend"]["since"] == "night-5", "the oldest that there is", r.rows["median"]["test"])
    r = gate(*captures("same", 1000000, 4), "--baseline", "creep.json", "--anchor", "--meta", "session=night-5", "--inconclusive", "pass")
    check("trend" not in r.rows["median"]["test"], "captures of a session that is there", r.rows["median"])
    r = subprocess.run([TRACETOOL, "stats", "--anchor", "n0-0.mlpd"], cwd=work, capture_output=True, text=True)
    check("tracetool gate" in r.stderr, "it is of a gate", r.stderr)


def crashed_captures_make_no_first_baseline():
    budget(row("median", max="+5%"), row("exact", metric="frame.time", stat="max", exact=True, level="warn"))
    good, bad = captures("alive", 1000000, 4), captures("fell", 1000000, 3, frames=0)
    r = gate(*good, *bad, "--save", "new.json", "--append", code=5)
    check(not os.path.exists(at("new.json")) and "not appended to new.json: median cannot be judged" in r.stdout, "is told", r.stdout)
    check("3 of 7 captures have no figure" in r.rows["median"]["text"], "and why", r.rows["median"]["text"])
    gate(*good, "--save", "new.json", "--append", code=0)
    base = json.load(open(at("new.json")))
    for c in base["sessions"][0]["captures"]:
        c["values"]["frame.time.median"] = {"missing": "no whole frame"}
    json.dump(base, open(at("new.json"), "w"))
    r = gate(*captures("today", 1000000, 4), "--baseline", "new.json", code=5)
    check("no capture of the baseline has this figure" in r.rows["median"]["text"] and "alive0.mlpd: no whole frame" in r.rows["median"]["text"],
          "the baseline is at fault", r.rows["median"]["text"])


def a_failed_analysis_has_no_environment():
    budget(row("median", max="+5%"))
    good = captures("env", 1000000, 4)
    gate(*good, "--save", "env.json", code=0)
    open(at("gone.mlpd"), "w").close()
    options = ("--frame-marker", "Game:Tick", "--max-failures", "9", "--baseline", "env.json")
    r = gate(*good, "gone.mlpd", *options, verb=("batch",), code=5)
    check("1 of 5 captures has no figure" in r.rows.get("median", {}).get("text", ""), "a capture that cannot be read", r.stdout, r.stderr)


def six_at_once():
    budget(row("median", max="+50%"))
    for round in range(3):
        sets = [captures("job%d-%d-" % (round, k), 1000000, 3) for k in range(6)]
        if os.path.exists(at("many.json")):
            os.remove(at("many.json"))
        runs = [subprocess.Popen([TRACETOOL, "stats", "--gate", "budget.json", "--save", "many.json", "--append", *s], cwd=work,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for s in sets]
        told = [r.communicate(timeout=120)[0] for r in runs]
        check([r.returncode for r in runs] == [0] * 6, "six appends at once end well", told)
        check(sorted(recordings("many.json")) == sorted(sum(sets, [])), "and all six are kept", sessions("many.json"))
    check([f for f in os.listdir(work) if "lock" in f] == [], "no lock is left", os.listdir(work))
    # What a killed run has left is in nobody's way.
    open(at("many.json.lock"), "w").close()
    gate(*captures("later", 1000000), "--save", "many.json", "--append", code=0)
    check([f for f in os.listdir(work) if "lock" in f] == [], "the lock of a killed run is taken over", os.listdir(work))


def the_same_recording_counts_once():
    budget(row("median", max="+5%"))
    first = captures("once", 1000000)
    gate(*first, "--save", "base.json", code=0)
    before = open(at("base.json")).read()
    r = gate(*first, "--save", "base.json", "--append", code=0)
    check(open(at("base.json")).read() == before, "the same captures again are no session", sessions())
    check("5 of the captures are in base.json already, and not appended again: once0.mlpd, ..." in r.stdout, "which is told", r.stdout)
    copies = []
    for i, f in enumerate(first):
        copies.append("copy%d.gz" % i)
        with open(at(copies[-1]), "wb") as out:
            subprocess.run(["gzip", "-c", at(f)], stdout=out, check=True)
    gate(*copies, "--save", "base.json", "--append", code=0)
    check(open(at("base.json")).read() == before, "nor under other names, packed", sessions())
    budget(row("median", max="+5%"), row("draw", metric="marker.time", stat="mean", marker="Game:Draw", max="+5%"),
           row("bytes", metric="gc.alloc.bytes", stat="total", max="1MiB"))
    gate(*first, "--time", "0-0.005", "--force-baseline", "--save", "base.json", "--append", code=0)
    check(open(at("base.json")).read() == before, "nor with another budget and another part of the time", sessions())
    budget(row("median", max="+5%"))
    gate(*first[:2], *captures("more", 1000000, 3), "--save", "base.json", "--append", code=0)
    check(sessions() == [("#1", 5), ("#2", 3)], "only what is new is appended", sessions())
    r = gate(*first, "--baseline", "base.json", code=0)
    check(any("compared with itself" in x for x in r.json["remarks"]), "captures of the baseline itself are told", r.json["remarks"])


def sessions_are_split_by_their_fact():
    budget(row("median", max="+50%"))

    def session(names, name, *options):
        gate(*names, *(("--meta", "session=" + name) if name else ()), "--save", "base.json", *options, code=0)

    session(captures("mon", 1000000), "monday")
    session(captures("mon-later", 1000000, 2), "monday", "--append")
    session(captures("none", 1000000, 2), None, "--append")
    session(captures("tue", 1000000, 2), "2", "--append")
    session(captures("none-later", 1000000, 2), None, "--append")
    check(sessions() == [("monday", 7), ("#2", 2), ("2", 2), ("#4", 2)], "sessions by fact and by number", sessions())


# --- what rows compare ------------------------------------------------------------------------------------

def builds_are_what_is_compared():
    budget(row("median", max="+5%"))
    gate(*captures("old", 1000000), "--meta", "build=100", "--save", "base.json", code=0)
    gate(*captures("new", 1000000), "--meta", "build=101", "--baseline", "base.json", code=0)
    gate(*captures("new", 1000000), "--meta", "device=other", "--baseline", "base.json", code=2)


def one_limit_in_table_and_gate():
    """What a frame of 60, 30 and 120 fps may take, to the ns on both sides, and 16.67 and 33.33 ms as they are written. Each five times: fewer than 48
    frames might not tell whether a limit holds them."""
    s = Script()
    for ns in (16667667, 16667668, 16669999, 16670001, 33329999, 33330001, 33334334, 33334335, 8334334, 8334335) * 5:
        s.enter("Game:Tick")
        s.work(ns)
        s.leave()
    s.enter("Game:Tick")
    s.write(GEN, at("limits.mlpd"))
    out = subprocess.run([TRACETOOL, "stats", "--frame-marker", "Game:Tick", "--budget", "16.67", "--budget", "8.33", "--format", "json", "limits.mlpd"],
                         cwd=work, capture_output=True, text=True, check=True).stdout
    tables = json.loads(out)["tables"]
    over = {b["budget"]: b["over"] for b in tables["frame_budgets"]["rows"] if b["time"] == "wall"}
    want = {"16.67": 35, "33.33": 5, "8.33": 45}
    check({k: over[k] for k in want} == want, "frames over in the table", over)
    check(tables["frames"]["rows"][0]["over_16_67"] == 35, "in the summary")
    budget(*(dict(row(k, metric="frame.over", limit=k + "ms", max=99), stat="count") for k in want))
    r = gate("limits.mlpd", code=0)
    check({k: r.rows[k]["value"] for k in want} == want, "frames over in the gate", r.stdout)
    budget(dict(row("x", metric="frame.over", limit="16.670001ms", max=99), stat="count"))
    check(gate("limits.mlpd").rows["x"]["value"] == 20, "other limits are what they say")


def rows_that_cannot_fail_weaken_no_other():
    budget(row("median", max="+5%"))
    gate(*captures("fast", 1000000, 4), "--save", "base.json", code=0)
    slow = captures("slow", 1500000, 4)
    # 4 against 4 serve 3 rows, by the page.
    extra = [row("warn%d" % i, metric="frame.time", stat="mean", max="+5%", level="warn") for i in range(6)]
    waived = row("waived", stat="p95", max="+5%", waive={"until": "2027-01-01", "why": "x"})
    budget(row("median", max="+5%"), row("mean", stat="mean", max="+5%"), row("fps", metric="frame.fps", stat="mean", min="-5%"), waived, *extra)
    r = gate(*slow, "--baseline", "base.json", "--force-baseline", code=1)
    check([r.rows[k]["outcome"] for k in ("median", "mean", "fps")] == ["worse"] * 3, "rows that fail beside rows that warn", r.stdout)
    check(r.rows["median"]["test"]["rows_tested"] == 3 and r.rows["warn0"]["test"]["rows_tested"] == 7, "families", r.rows["median"]["test"])


def what_is_gone_is_no_misspelling():
    stats = ("per_frame.mean", "total", "mean", "p95")
    rows = [row("draw " + x, metric="marker.time", marker="Game:Draw", stat=x, max="+5%") for x in stats]
    budget(row("typo", metric="marker.time", marker="Game:Drow", stat="mean", max="+5%"), row("draw limit", metric="marker.time", marker="Game:Draw",
           stat="p95", max="1s"), *rows, row("least", metric="marker.count", marker="Game:Draw", stat="total", min="-5%"))
    cells = [row("cell " + x, metric="markers/" + x, row="Game:Draw", max="+5%") for x in ("count", "self_ns", "mean_ns")]
    for c in cells:
        del c["stat"]
    budget(*json.load(open(at("budget.json")))["rows"], *cells)
    gate(*captures("with", 1000000), "--save", "base.json", "--inconclusive", "pass", code=0)
    r = gate(*captures("without", 1000000, markers=()), "--baseline", "base.json", code=1)
    have = {k: v["outcome"] for k, v in r.rows.items()}
    want = {"typo": "cannot_judge", "draw limit": "gone", "least": "worse", "integrity-lost": "pass",
            "integrity-ended": "pass", **{c["id"]: "gone" for c in cells}, **{"draw " + x: "gone" for x in stats}}
    check(have == want, "outcomes of a removed marker", have)
    check(sum("is in the baseline and in no capture" in x["text"] for x in r.rows.values()) == 8, "which is told", r.rows)
    r = gate(*captures("crashed", 1000000, 5, frames=0), capture("alive.mlpd", 1000000, markers=()), "--baseline", "base.json", code=1)
    check(not any(r.rows["draw " + x]["outcome"] == "not_worse" for x in stats), "captures that crashed removed nothing", r.stdout)


def work_of_other_threads_is_no_zero():
    """Per frame, times are of the frame thread: a row on what only a worker runs would be 0 for ever, and pass."""
    other = [row("mean", metric="marker.time", stat="per_frame.mean", marker="Jobs:Path", max="+5%"),
             row("self", metric="marker.self", stat="per_frame.max", marker="Jobs:*", max="2ms"),
             row("calls", metric="marker.count", stat="per_frame.max", marker="Jobs:Path", max=5)]
    # What the advice says, and what runs on the frame thread.
    right = [row("in all", metric="marker.time", stat="total", marker="Jobs:Path", max="+5%"),
             row("a call", metric="marker.time", stat="mean", marker="Jobs:Path", max="+5%"),
             row("calls of all", metric="marker.count", stat="per_frame.mean", marker="Jobs:Path", max=5),
             row("draw", metric="marker.time", stat="per_frame.mean", marker="Game:Draw", max="+50%")]
    budget(*other, *right)
    before, after = captures("before", 1000000, job=100000), captures("after", 1000000, job=700000)
    r = gate(*before, "--save", "workers.json", code=5)
    for r, passes in ((r, "skipped"), (gate(*after, "--baseline", "workers.json", code=1), "worse"),
                      (gate(*after, "--baseline", "workers.json", "--frame-marker", "Game:Tick", "--force-baseline", verb=("batch",), code=1), "worse")):
        have = {k: v["outcome"] for k, v in r.rows.items() if not k.startswith("integrity")}
        check(have == {"mean": "cannot_judge", "self": "cannot_judge", "calls": "cannot_judge", "in all": passes, "a call": passes,
                       "calls of all": "pass", "draw": "skipped" if passes == "skipped" else "not_worse"}, "outcomes", have, r.stdout)
        check(all('"Worker 1"' in r.rows[k]["text"] and "use the statistic" in r.rows[k]["text"] for k in ("mean", "self", "calls")),
              "which thread, and what to use", r.stdout)
        check("total" in r.rows["mean"]["text"] and "mean" in r.rows["mean"]["text"].split("use the")[1] and "per_frame.mean" in r.rows["calls"]["text"],
              "what to use", r.stdout)
        check("on the frame thread" in r.rows["draw"]["title"] and "on the frame thread" not in r.rows["in all"]["title"] +
              r.rows["calls of all"]["title"], "titles say whose time it is", [x["title"] for x in r.rows.values()])
    budget(*other[:1])
    gate(*captures("main", 1000000, markers=("Jobs:Path",)), "--save", "main.json", code=0)
    r = gate(*after, "--baseline", "main.json", code=0)
    check(any("not any more" in x["text"] and "Worker 1" in x["text"] for x in r.rows.values()), "what has left the frame thread is told", r.rows)
    budget(row("none", metric="marker.time", stat="per_frame.max", marker="Jobs:Path", max="0ns"))
    r = gate(*after, code=0)
    check(any("Worker 1" in x for x in r.json["remarks"]), "that there is none in frames holds, and is told", r.json["remarks"])
    shown = subprocess.run([TRACETOOL, "stats", "--frame-marker", "Game:Tick", "--metric", "marker.time[Jobs:Path]", after[0]], cwd=work,
                           capture_output=True, text=True).stdout
    check('"Worker 1"' in shown and "use the statistic total" in shown, "metrics over time say the same", shown)


def a_new_row_freezes_no_baseline():
    old, new = row("median", max="+50%"), row("draw", metric="marker.time", stat="per_frame.mean", marker="Game:Draw", max="+50%")
    exact = row("calls", metric="marker.count", stat="total", marker="Game:Draw", exact=True)
    add = "--save", "grown.json", "--append", "--meta"
    budget(old)
    for i in range(3):
        gate(*captures("old%d-" % i, 1000000), *add, "session=old%d" % i, code=0)
    for rows in ((old, new), (old, new, exact)):
        budget(*rows)
        r = gate(*captures("pull", 1000000), "--baseline", "grown.json", "--meta", "session=pull", code=0)
        newer = [x["id"] for x in rows if x is not old]
        check([k for k, x in r.rows.items() if x["outcome"] == "skipped"] == newer, "new rows are skipped", r.stdout)
        check(all("no baseline yet: 0 of 3 sessions" in r.rows[k]["text"] for k in newer), "and say why", r.stdout)
        told = [x for x in r.json["remarks"] if x.startswith("draw")]
        check(len(told) == 1 and "not judged" in told[0] and "--save --append" in told[0] and told[0] in r.stdout, "a note says so, too", r.json["remarks"])
        check("%d skipped" % len(newer) in r.json["summary"], "and the summary", r.json["summary"])
        gate(*captures("pull2", 1000000), "--baseline", "grown.json", "--inconclusive", "fail", code=0)
    r = gate(*captures("new0-", 1000000), *add, "session=new0", code=0)
    check([x[0] for x in sessions("grown.json")] == ["old0", "old1", "old2", "new0"], "what has the new figure is appended", sessions("grown.json"), r.stdout)
    r = gate(*captures("new1-", 1000000), *add, "session=new1", code=0)
    check({k: r.rows[k]["outcome"] for k in ("median", "draw", "calls")} == {"median": "not_worse", "draw": "not_worse", "calls": "pass"},
          "new rows are judged by the sessions that have them", r.stdout)
    check(not any("not judged" in x for x in r.json["remarks"]), "nothing is new any more", r.json["remarks"])
    r = gate(*captures("slow", 1000000, markers=("Game:Draw",) * 4), "--baseline", "grown.json", code=1)
    check(r.rows["draw"]["outcome"] == "worse", "and fail", r.stdout)
    budget(old, row("typo", metric="marker.time", stat="per_frame.mean", marker="Game:Drow", max="+50%"))
    gate(*captures("new2-", 1000000), *add, "session=new2", code=5)
    check(len(sessions("grown.json")) == 5, "a misspelt name is none that is new", sessions("grown.json"))


def a_name_that_nights_share_is_told():
    budget(row("median", max="+50%"), row("worst", stat="max", max="+50%"), row("longest", metric="marker.time", stat="max", marker="Game:Tick", max="+50%"))
    add = "--save", "shared.json", "--append", "--meta"
    told = lambda r, what: [x for x in r.json["remarks"] if what in x]
    check(not told(gate(*captures("one", 1000000), *add, "session=nightly", code=0), "nightly"), "the first night has no other")
    r = gate(*captures("two", 1000000), *add, "session=nightly", code=0)
    says = told(r, 'session "nightly" is in shared.json already, with 5 captures')
    check(len(says) == 1 and says[0] in r.stdout, "the second has", r.json["remarks"])
    check(not told(gate(*captures("three", 1000000), *add, "session=third", code=0), "already"), "and none with a name of its own")
    # A note about a statistic names one that the metric has.
    check(len(told(r, "worst: max of a capture")) == 1 and "(frame.over)" in told(r, "worst: max")[0], "a count of frames over a limit", r.json["remarks"])
    check([x.endswith("compare its per_frame.mean instead") for x in told(r, "longest: max of a capture")] == [True], "a mean", r.json["remarks"])


def pages_explain_rows_by_the_baseline_that_was_appended_to():
    budget(row("median", max="+5%"))
    for i in range(3):
        gate(*captures("night%d-" % i, 1000000), "--save", "nights.json", "--append", "--meta", "session=%d" % i, code=0)
    gate(*captures("late", 2000000), "--save", "nights.json", "--append", "--meta", "session=late", "--html", "late.html", code=1)
    page = html.unescape(open(at("late.html"), encoding="utf-8").read())
    command = re.search(r"tracetool (gate [^<\n]*--explain )", page)
    check(command and "--baseline nights.json" in command[1] and "--save" not in command[1], "the page's command has the baseline", command and command[0])
    r = subprocess.run([TRACETOOL, *shlex.split(command[1]), "median"], cwd=work, capture_output=True, text=True, timeout=120)
    check(r.returncode == 1 and "median" in r.stdout and not r.stderr, "and runs", r.returncode, r.stderr)


def no_earlier_verdict_is_left():
    """A CI system publishes the files that it finds: those of the run before are none of a run that is refused."""
    good = captures("good", 1000000, 3)
    files = {"--junit": "v.xml", "--json": "v.json", "--html": "v.html", "--markdown": "v.md", "--gitlab": "v.txt", "-o": "v"}
    to = [x for pair in files.items() for x in pair]

    def run(*args, code):
        r = subprocess.run([TRACETOOL, "stats", "--gate", *args], cwd=work, capture_output=True, text=True, timeout=120)
        check(r.returncode == code, "exit status of %s" % (args,), r.returncode, "not", code, r.stdout, r.stderr)
        return [f for f in files.values() if os.path.exists(at(f))]

    def before():
        budget(row("limit", max="5ms"))
        check(run("budget.json", *good, *to, code=0) == list(files.values()), "all files are written")

    before()
    budget(row("limit", max="5ms", lvel="warn"))
    check(run("budget.json", *good, *to, code=2) == [], "a wrong budget")
    before()
    check(run("none.json", *good, *to, code=4) == [], "no budget")
    before()
    check(run("budget.json", "--baseline", "none.json", *good, *to, code=4) == [], "no baseline")
    before()
    check(run("budget.json", "--meta", "a", *good, *to, code=2) == list(files.values()), "a command line that is wrong removes nothing")
    for args in (("budget.json", *good, "--json", "budget.json"), ("budget.json", *good, "--html", good[0]),
                 ("budget.json", "--baseline", "budget.json", *good, "--junit", "budget.json")):
        check(len(run(*args, code=2)) == len(files) and all(os.path.exists(at(f)) for f in (*good, "budget.json")), "what is read is not removed")
    gate(*good, "--save", "told.json", code=0)
    budget(row("limit", max="+5%"))
    run("budget.json", "--meta", "device=other", "--baseline", "told.json", "--time", "0-1", *good, *to, code=2)
    check(not os.path.exists(at("v.xml")), "another environment")


def no_earlier_verdict_of_a_batch_is_left():
    """The same for many captures at once, and for results that are merged."""
    good = captures("good", 1000000, 3)
    files = {"--junit": "v.xml", "--json": "v.json", "--markdown": "v.md", "--gitlab": "v.txt"}
    to = [x for pair in files.items() for x in pair]

    def run(*args, code):
        for f in files.values():
            with open(at(f), "w", encoding="utf-8") as out:
                out.write("an earlier one")
        r = subprocess.run([TRACETOOL, *args, *to], cwd=work, capture_output=True, text=True, timeout=120)
        check(r.returncode == code, "exit status of %s" % (args,), r.returncode, "not", code, r.stdout, r.stderr)
        return [f for f in files.values() if os.path.exists(at(f))]

    budget(row("limit", max="5ms"))
    check(run("batch", "--gate", "budget.json", "-o", "kept", *good, code=0) == list(files.values()), "all files are written")
    for args, code in ((("--gate", "none.json", *good), 4), (("--gate", "budget.json", "--baseline", "none.json", *good), 4),
                       (("--gate", "budget.json", "--group-by", "nothing", *good), 2), (("--gate", "budget.json", "nowhere"), 4),
                       (("--gate", "budget.json", "--max-time", "1ns", *good), 4)):
        check(run("batch", *args, code=code) == [], "batch %s" % (args,))
    check(run("merge", "--gate", "none.json", "kept", code=4) == [], "merge, no budget")
    check(run("merge", "--gate", "budget.json", "nowhere", code=4) == [], "merge, no results")
    check(run("merge", "--gate", "budget.json", "kept", code=0) == list(files.values()), "merge")
    check(len(run("batch", "--gate", "budget.json", "--html", good[0], *good, code=2)) == len(files) and os.path.exists(at(good[0])),
          "what is read is not removed")
    check(len(run("merge", "--gate", "budget.json", "--html", "kept/results.jsonl", "kept", code=2)) == len(files) and
          os.path.exists(at("kept/results.jsonl")), "results are not removed")


def names_that_are_no_utf8():
    name, cls = "Caf\udce9:Run", "Menu\udce9"
    budget(row("run", metric="marker.time", stat="per_frame.mean", marker="Caf\ufffd:Run", max="+5%"), row("median", max="+5%"))
    before, after = captures("b", 1000000, markers=(name,), cls=cls), captures("a", 2000000, markers=(name,), cls=cls)
    today = "--meta", "session=today", "--meta", "device=caf\udce9"
    gate(*before, "--save", "base.json", *today, "--inconclusive", "pass", code=0)
    r = gate(*before, "--baseline", "base.json", *today, code=0)
    check(r.rows["run"]["outcome"] == "not_worse" and r.rows["run"]["baseline"] == 1000, "its figure is found", r.stdout)
    budget(row("all", metric="marker.time", stat="total", marker="*", max="+5%"))
    r = gate(*after, "--baseline", "base.json", "--meta", "device=caf\udce9", "--force-baseline")
    budget(row("bytes", metric="gc.alloc.bytes", stat="total", max="+5%"))
    gate(*before, "--save", "base.json", code=0)
    more = captures("m", 1000000, frames=20, markers=(name,), cls=cls)
    r = gate(*more, "--baseline", "base.json", code=1)
    movers = r.rows["bytes"]["movers"]
    check(len(movers) == 0 or not any(m["new"] or m["gone"] for m in movers), "no site of such a name is new", movers)


def what_was_recorded_must_agree():
    """A baseline of instrumented calls is slow by the recorder: captures without calls look faster than any build is."""
    data = os.path.join(TESTDATA, "mlpd", "good-d01-gameloop-calls-alloc.mlpd")
    whole = open(data, "rb").read()
    asked = b"log:nodefaults,calls,alloc,output=../d01-gameloop-calls-alloc.mlpd"
    check(whole.count(asked) == 1, "the capture says what was asked for")
    for name, args in (("as1.mlpd", asked), ("moved.mlpd", asked.replace(b"../d01", b"../e77")), ("other.mlpd", asked.replace(b"calls,", b"calls0"))):
        open(at(name), "wb").write(whole.replace(asked, args).replace(b"World", b"Worlx" if name != "as1.mlpd" else b"World"))
    budget(row("count", metric="gc.alloc.bytes", stat="total", max="+90%"), frame_marker=None)
    gate("as1.mlpd", "--save", "asked.json", "--inconclusive", "pass", code=0)
    gate("moved.mlpd", "--baseline", "asked.json", "--inconclusive", "pass", code=0)
    r = gate("other.mlpd", "--baseline", "asked.json", "--inconclusive", "pass", code=2)
    check("recorded_with is log:nodefaults,calls,alloc in its" in r.stderr, "says what differs", r.stderr)


def captures_are_counted():
    for n, code, want in ((3, 0, "pass"), (2, 1, "breach")):
        budget(row("median", max="5ms"), integrity={"min_captures": 3})
        r = gate(*captures("n", 1000000, n), code=code)
        check(r.rows["integrity-captures"]["outcome"] == want and r.rows["integrity-captures"]["value"] == n, "%d captures of 3" % n, r.stdout)


def misspelt_facts_are_told():
    budget(row("median", max="5ms"), fingerprint=["devise", "format"])
    r = gate(*captures("n", 1000000, 1), code=0)
    told = [x for x in r.json["remarks"] if "fingerprint" in x]
    check(len(told) == 1 and '"devise"' in told[0], "a fact that nothing has", r.json["remarks"])
    budget(row("over", metric="frame.over", stat="per_1000", limit="5ms", max=1001))
    check("at most 1000" in gate("n0.mlpd", code=2).stderr, "more than all frames of a thousand is no limit")


def a_steady_count_of_long_frames_fails():
    """Five sessions of five captures show that no frame is long: from then on long frames in most captures of a session fail; in few of them they do not."""
    budget(row("median", max="+50%"))
    for k in range(5):
        night = captures("night%d-" % k, 1000000 + 2000 * k, 5, frames=100)
        gate(*night, "--save", "nights.json", "--append", "--meta", "session=%d" % k, code=0)
    for nights in ("nights.json", None):
        base = ["--baseline", nights] if nights else []
        r = subprocess.run([TRACETOOL, "stats", "--suggest", "--frame-marker", "Game:Tick", *base, *night, "-o", "budget.json"], cwd=work,
                           capture_output=True, text=True)
        found = [x for x in json.load(open(at("budget.json")))["rows"] if x["id"] == "hitches"]
        check(len(found) == 1 and found[0].get("level", "error") == ("error" if nights else "warn"), "level of hitches, baseline", nights, found, r.stderr)
        check(("fails nothing" in found[0]["comment"]) == (not nights), "the comment says whether it fails", found)
        if not nights:
            break
        r = gate(*captures("equal", 1005000, 5, frames=100), "--baseline", nights, code=0)
        check(r.rows["hitches"]["outcome"] == "pass", "an equal build", r.stdout)
        r = gate(*captures("few", 1005000, 3, frames=100), *captures("some", 1005000, 2, frames=100, long=40), "--baseline", nights)
        check(r.rows["hitches"]["outcome"] == "pass", "long frames in two of five captures", r.stdout)
        r = gate(*captures("most", 1005000, 5, frames=100, long=40), "--baseline", nights, code=1)
        check(r.rows["hitches"]["outcome"] == "breach" and r.rows["hitches"]["level"] == "error", "long frames in every capture", r.stdout)
    # Three captures of a session are too few: chance makes two of three long more easily.
    budget(row("median", max="+50%"))
    for k in range(5):
        night = captures("short%d-" % k, 1000000 + 2000 * k, 3, frames=100)
        gate(*night, "--save", "three.json", "--append", "--meta", "session=%d" % k, code=0)
    subprocess.run([TRACETOOL, "stats", "--suggest", "--frame-marker", "Game:Tick", "--baseline", "three.json", *night, "-o", "budget.json"], cwd=work)
    check([x["level"] for x in json.load(open(at("budget.json")))["rows"] if x["id"] == "hitches"] == ["warn"], "five sessions of three do not show it")


def suggestions_and_sessions_say_what_they_take():
    whole, killed = captures("whole", 1000000, 4), captures("killed", 9000000, 1, killed=True)
    r = subprocess.run([TRACETOOL, "stats", "--suggest", "--frame-marker", "Game:Tick", *whole, *killed], cwd=work, capture_output=True, text=True)
    check(r.returncode == 0 and "1 of 5 captures did not end" in r.stderr and "killed0.mlpd" in r.stderr, "what did not end is left out", r.stderr)
    r = subprocess.run([TRACETOOL, "stats", "--suggest", "--frame-marker", "Game:Tick", *killed], cwd=work, capture_output=True, text=True)
    check(r.returncode == 2 and not r.stdout, "nothing to suggest from", r.stdout, r.stderr)
    r = subprocess.run([TRACETOOL, "stats", "--suggest", "--frame-marker", "Game:Tick", *captures("long", 1000000, 4, frames=300), "-o", "budget.json"],
                       cwd=work, capture_output=True, text=True)
    check(json.load(open(at("budget.json")))["integrity"]["min_frames"] == 150, "half of the frames of the shortest capture", r.stderr)
    r = gate(*captures("short", 1000000, 4, frames=12), "--save", "frames.json", code=1)
    check(r.rows["integrity-frames"]["outcome"] == "breach", "a game that plays 25 times fewer frames", r.stdout)
    # Of the captures suggested from no frame is long, so one of 300 is worth a warning.
    r = gate(*captures("hitch", 1000000, 4, frames=300, long=7), "--save", "hitch.json")
    check(r.rows["hitches"]["outcome"] == "breach" and r.rows["hitches"]["level"] == "warn", "long frames where there were none", r.stdout)
    budget(row("median", max="+5%"))
    today = "--meta", "session=today"
    check("grown.json: 4 captures added" in gate(*whole, "--save", "grown.json", "--append", *today, code=0).stderr, "how many were added")
    r = gate(*captures("one", 1000000, 1), "--baseline", "grown.json", *today, code=5)
    wanted = int(re.search(r"record at least (\d+)", r.rows["median"]["text"]).group(1))
    gate(*captures("enough", 1000000, wanted), "--baseline", "grown.json", *today, code=0)
    gate(*captures("few", 1000000, wanted - 1), "--baseline", "grown.json", *today, code=5)
    r = gate(*captures("new", 1000000, 4), "--baseline", "grown.json", "--force-baseline", "--meta", "device=new", "--group-by", "device", code=5)
    check("is new: add some with" in r.stdout, "a group that the baseline does not have", r.stdout)
    budget(row("median", max="1ns"), row("none", metric="marker.time", marker="No:Such", max="5ms", waive={"until": "2026-12-01", "why": "new"}),
           integrity={"ended": "warn"})
    r = gate(*whole, code=1)
    check(r.rows["none"]["outcome"] == "waived", "a waived row that cannot be judged", r.stdout)
    r = gate(*whole, *killed, "--save", "with.json", "--gitlab", "metrics.txt", code=1)
    check(r.json["warned"] == 1 and "tracetool_rows_warned 1\n" in open(at("metrics.txt")).read(), "warnings are counted apart", r.json)
    check(any("did not end" in x for x in r.json["remarks"]), "what is saved did not end", r.json["remarks"])
    for text, says in (("1e3ms", "exponent"), ("5Ms", "capitals")):
        budget(row("median", max=text))
        check(says in gate(*whole, code=2).stderr, "what is wrong with " + text)


def a_budget_judges_something():
    for rows in ([], [row("a", max="1s", level="off")]):
        budget(*rows)
        r = gate(*captures("x", 1000000, 1), code=2)
        check("judges nothing" in r.stderr, "a budget that judges nothing", r.stderr)


def main():
    global work
    with tempfile.TemporaryDirectory(prefix="tracetool-sessions.") as work:
        for step in (what_happens_once_is_not_never, one_capture_a_night_becomes_a_baseline, facts_of_paths_are_those_of_the_files,
                     crashed_captures_are_no_pass, no_figure_is_no_frame_either, integrity_is_of_the_whole_capture, captures_without_an_event_are_no_pass,
                     captures_that_break_off_are_told, causes_are_measured_where_the_row_is, figures_that_differ_print_apart,
                     a_change_that_is_not_between_the_medians_says_so,
                     a_killed_call_is_no_short_one, crashed_captures_make_no_first_baseline, a_failed_analysis_has_no_environment,
                     slower_captures_are_not_appended, what_fails_replaces_no_baseline,
                     nights_are_not_replaced, flaky_nights_are_not_appended, a_wanted_slowdown_is_accepted_in_one_command,
                     what_is_no_change_is_not_accepted, creep_is_found_where_no_night_fails, six_at_once, the_same_recording_counts_once,
                     sessions_are_split_by_their_fact, builds_are_what_is_compared, one_limit_in_table_and_gate, rows_that_cannot_fail_weaken_no_other,
                     what_is_gone_is_no_misspelling, work_of_other_threads_is_no_zero, a_new_row_freezes_no_baseline, a_name_that_nights_share_is_told,
                     pages_explain_rows_by_the_baseline_that_was_appended_to, no_earlier_verdict_is_left,
                     no_earlier_verdict_of_a_batch_is_left,
                     names_that_are_no_utf8, what_was_recorded_must_agree, captures_are_counted,
                     misspelt_facts_are_told, a_steady_count_of_long_frames_fails, suggestions_and_sessions_say_what_they_take, a_budget_judges_something):
            if os.path.exists(at("base.json")):
                os.remove(at("base.json"))
            step()
    end()


main()
