#!/usr/bin/env python3
"""Checks what a batch counts, and how it reports what it cannot count. Ends with "N passed, N failed"."""
import json
import lzma
import os
import re
import resource
import shutil
import subprocess

import kit
from kit import run

JUNK = b"\1" * 100


def folder(s, name, files):
    """A folder of ${files} {name: bytes}."""
    path = s.path(name)
    for f, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(path, f)), exist_ok=True)
        open(os.path.join(path, f), "wb").write(data)
    return path


def tables(r):
    return json.loads(r.out)["tables"]


def outcomes(r):
    return {(row["type"], row["outcome"], row["why"] or ""): row["count"] for row in tables(r)["batch_outcomes"]["rows"]}


def gives_up(s):
    """--max-failures N gives up because of members that cannot be read, as soon as there are too many, and counts them at the end."""
    good = sorted(kit.captures(3, 3).items())
    src = folder(s, "lost", {"%d.tar" % i: kit.tar(good + [("%d.ttc" % k, JUNK) for k in range(30)]) for i in range(20)})
    for n in (0, 1, 7, 25):               # 25: more than the lines of one archive
        r = run("batch", "-j", "1", "-o", s.path("lost-out"), "--max-failures", n, src)
        have = sum(t["type"] == "archive" for t in kit.results(s.path("lost-out", "results.part")))
        s.equal("--max-failures %d: gives up in the first archive" % n, (r.returncode, have, "given up" in r.err, r.out), (1, 0, True, b""))
    s.check("--max-failures: says that --resume goes on", None if "--resume" in r.err else r.err)
    r = run("batch", "-j", "1", "-o", s.path("lost-out"), "--max-failures", 31, src)
    s.equal("--max-failures 31: gives up in the second one", r.returncode, 1)
    for limit, want in (("620", 0), ("619", 1), ("91%", 1), ("92%", 0)):           # 20 * (1 + 30) of 20 * (1 + 3 + 30): 91.2 %
        r = run("batch", "--max-failures", limit, src)
        s.equal("--max-failures %s" % limit, r.returncode, want)
    r = run("batch", "--format", "json", src)
    s.equal("lost members are outcomes", outcomes(r), {("archive", "damaged", "damaged"): 20, ("member", "failed", "damaged"): 600, ("capture", "ok", ""): 60})
    s.check("lost members are said at the end", None if "20 archives damaged or failed, 600 members not read" in r.err else r.err)
    for i in (1, 2, 3):
        run("batch", "-q", "-o", s.path("lost-shards"), "--shard", "%d/3" % i, src)
    m = run("merge", "--format", "json", "--max-failures", "619", s.path("lost-shards"))
    s.equal("merge counts them as well", (m.returncode, m.out == r.out), (1, True))


def groups(s):
    """What could not be read has the facts of --meta, and where it has not the one of --group-by, a group of its own: it counts."""
    budget = s.path("budget.json")
    json.dump({"tracetool_budget": 1, "rows": [{"id": "mean", "metric": "frame.time", "stat": "mean", "max": "10s"}]}, open(budget, "w"))
    good = {}
    for f in ("good-base1.ttc.xz", "good-base2.ttc.xz", "good-base3.ttc.xz"):
        good[f] = open(os.path.join(kit.TOP, "testdata", "gate", f), "rb").read()
    bad = {"bad.ttc": JUNK, "empty.ttc": b"", "bad.tar": kit.tar([("in.ttc", JUNK)])}
    alone, both = folder(s, "group-good", good), folder(s, "group-both", dict(good, **bad))
    gate = ["--max-failures", "100%", "--gate", budget, "--json", s.path("verdict.json")]
    for group, row in ((["--meta", "build=1", "--meta", "build=5", "--group-by", "build"], "5"), (["--group-by", "os"], "(unknown)"),
                       (["--meta", "build=5", "--group-by", "os,build"], "(unknown), 5")):
        s.equal("%s: good ones pass" % group, run("batch", *gate, *group, alone).returncode, 0)
        for src, what in ((both, "files"), (folder(s, "group-tar", {"a.tar": kit.tar(sorted(dict(good, **bad).items()))}), "a tar")):
            r = run("batch", "--format", "json", "-o", s.path("group-out"), *gate, *group, src)
            rows = {x["group"]: x["outcome"] for x in json.load(open(s.path("verdict.json")))["rows"] if x["id"] == "mean"}
            s.equal("%s: bad ones in %s are no pass" % (group, what), (r.returncode, rows.get(row), len(rows)), (5, "cannot_judge", 1 + (row != "5")))
            m = run("merge", "--format", "json", *gate, *group[-2:], s.path("group-out"))
            s.equal("%s: nor when merged" % group, (m.returncode, m.out), (5, r.out))
    r = run("batch", "--format", "json", "--meta", "build=5", "--group-by", "build", both)
    s.equal("--meta: failed captures are in its group", [(x["group"], x["captures"], x["failed"]) for x in tables(r)["batch_groups"]["rows"]],
            [("build=5", 5, 2)])
    for i in (1, 2, 3):
        run("batch", "-q", "-o", s.path("group-shards"), "--shard", "%d/3" % i, "--meta", "a\u009b=\"x\"", both)
    folder(s, "group-zip", {"z.zip": kit.zipped(sorted(dict(good, **bad).items()))})
    for i in (0, 1, 2, 3):
        shard = ["--shard", "%d/3" % i] if i else []
        run("batch", "-q", "-o", s.path("group-zips" if i else "group-one"), *shard, "--meta", "a\u009b=\"x\"", s.path("group-zip"))
    run("merge", "-o", s.path("group-zips", "all"), s.path("group-zips"))
    s.equal("--meta: shards of a zip are one run, byte for byte", open(s.path("group-zips", "all"), "rb").read(),
            open(s.path("group-one", "results.jsonl"), "rb").read())
    s.equal("--meta of no form is wrong usage", run("batch", "--meta", "build", both).returncode, 2)


def resumes(s):
    """--resume says what earlier results it leaves out, and makes a file again that was changed after its result."""
    good = sorted(kit.captures(5, 6).items())
    src = folder(s, "resume", {"day1/" + n: d for n, d in good[:2]})
    folder(s, "resume", {"day2/" + n: d for n, d in good[2:4]})
    folder(s, "resume", {"day3/a.tar": kit.tar(good)})
    out = s.path("resume-out")
    day = {i: os.path.join(src, "day%d" % i) for i in (1, 2, 3)}

    def batch(*args):
        return run("batch", "-o", out, "--root", src, "--do", "convert", "--to", "folded,json.gz", *args)

    def made():
        folder = os.path.join(out, "captures")
        return {f: open(os.path.join(folder, f), "rb").read() for f in os.listdir(folder)}

    def counted(r):
        """Captures of this run, and those whose earlier results were kept."""
        return tuple(int(n.group(1)) if n else 0 for n in (re.search(p, r.err) for p in (r"(\d+) captures?: ", r"earlier results of (\d+) captures? kept")))

    for verify in ((), ("--verify",)):
        r = batch(*day.values())
        s.equal("all", (r.returncode, len(kit.results(os.path.join(out, "results.jsonl")))), (0, 11))
        have = made()
        r = batch("--resume", *verify, *day.values())
        s.equal("resume %s: nothing is left out" % (verify,), "left out" in r.err, False)
        s.equal("resume %s: captures, not files or lines, are kept" % (verify,), counted(r), (0, 10))
        r = batch("--resume", *verify, day[2], day[3])
        s.equal("resume %s: those of the operands" % (verify,), counted(r), (0, 8))
        s.check("resume %s: other operands: told" % (verify,), None if "earlier results of 2 captures" in r.err and "; 4 files made" in r.err else r.err)
        s.equal("resume %s: other operands: results" % (verify,), (r.returncode, len(kit.results(os.path.join(out, "results.jsonl")))), (0, 9))
        s.equal("resume %s: other operands: files stay" % (verify,), made(), have)
        open(os.path.join(day[3], "a.tar"), "wb").write(kit.tar(good[:5]))
        r = batch("--resume", *verify, day[2], day[3])
        s.equal("resume %s: a changed archive" % (verify,), sum(counted(r)), 7)
        s.check("resume %s: a member that is gone: told" % (verify,), None if "earlier results of 1 capture that" in r.err and "; 2 files made of it stay"
                in r.err else r.err)
        open(os.path.join(day[3], "a.tar"), "wb").write(kit.tar(good))
        r = batch("--resume", *verify, *day.values())
        s.equal("resume %s: all again" % (verify,), (len(kit.results(os.path.join(out, "results.jsonl"))), "left out" in r.err), (11, False))
        for f in sorted(have)[::3]:
            path = os.path.join(out, "captures", f)
            open(path, "wb").write(b"x" * len(have[f]))
            later = os.stat(os.path.join(out, "results.jsonl")).st_mtime_ns + 1000000
            os.utime(path, ns=(later, later))
        r = batch("--resume", *verify, *day.values())
        s.equal("resume %s: files of other contents are made again" % (verify,), (r.returncode, made()), (0, have))


def calls(path, frames, number=1):
    """A capture of frames of these ns, from begin to begin."""
    script, at = ["image\t1\tGame.dll", "class\t1\t1\tWorld", "method\t1\tWorld:Frame", "thread\t1\tMain"], 1000
    for ns in frames:
        script += ["enter\t%d\t1\t1" % at, "leave\t%d\t1\t1" % at]
        at += ns
    script += ["enter\t%d\t1\t1" % at, "leave\t%d\t1\t1" % at]          # the last one is not whole
    subprocess.run([os.path.join(kit.BUILD, "kit", "calls_gen"), path, str(number)], input="\n".join(script) + "\n", text=True, check=True)


def copies(s):
    """A capture under several names is several captures, but its figures count once; all reports say so, CSV's on standard error."""
    src = folder(s, "copies", {})
    os.makedirs(src)
    for i, name in enumerate(("one.mlpd", "two.mlpd")):
        calls(os.path.join(src, name), [10000000 + i] * 5, i)
    data = open(os.path.join(src, "one.mlpd"), "rb").read()
    alone = tables(run("batch", "--frame-marker", "World:Frame", "--format", "json", src))
    folder(s, "copies", {"a/one.mlpd": data, "b.mlpd": data, "c.zip": kit.zipped([("x.mlpd", data)]), "half.mlpd": data[:-100]})
    for args in ((), ("-o", s.path("copies-out"))):
        r = run("batch", "--frame-marker", "World:Frame", "--format", "json", *args, src)
        t = tables(r)["batch"]["rows"][0]
        s.equal("copies: captures", (t["captures"], t["ok"]), (6, 5))
        note = [n["text"] for n in json.loads(r.out)["notes"] if n["id"] == "copies"]
        s.equal("copies: which", note, ["3 of the captures have the same events as other captures, and figures count once: "
                "b.mlpd, c.zip!x.mlpd, one.mlpd"])
    m = run("merge", "--format", "json", s.path("copies-out"))
    s.equal("copies: merged", m.out, r.out)
    os.unlink(os.path.join(src, "half.mlpd"))
    t = tables(run("batch", "--frame-marker", "World:Frame", "--format", "json", src))
    s.equal("copies: figures are as without them", ({k: v for k, v in t["batch"]["rows"][0].items() if k not in ("captures", "ok", "spooled_bytes")},
            t["batch_frames"]), ({k: v for k, v in alone["batch"]["rows"][0].items() if k not in ("captures", "ok", "spooled_bytes")}, alone["batch_frames"]))
    for args in (("--format", "csv"), ("--report", s.path("x.csv"))):
        r = run("batch", *args, src)
        s.equal("copies: said beside CSV %s" % args[0], r.err.count("have the same events as other captures"), 1)
    s.equal("copies: said once in text", (r.err + run("batch", src).err).count("have the same events as other captures"), 1)
    # One recording, damaged in two ways, with the same events left: no copy byte for byte.
    r = run("batch", "--format", "json", *(os.path.join(kit.TESTDATA, "raw", "bad-%s.raw" % name) for name in ("footer", "gap")))
    note = [n["text"] for n in json.loads(r.out)["notes"] if n["id"] == "copies"]
    s.equal("copies: damaged in two ways", [n[:n.index(": ")] for n in note],
            ["1 of the captures has the same events as another capture, and figures count once"])


def touched(s):
    """tracetool-batch(1), SCALE: a capture of no size touches less than 1 MiB of memory: the pages that eight more members of an archive take."""
    whole = open(os.path.join(kit.TESTDATA, "raw", "good-2022-aligned.raw"), "rb").read()
    pages = []
    for n in (4, 12):
        src = folder(s, "touched", {"a.tar": kit.tar([("%d.raw" % i, whole[:253]) for i in range(n)])})
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
        run("batch", "-q", "-j1", src)
        pages.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - before)
    size = (pages[1] - pages[0]) / 8 * resource.getpagesize()
    s.check("memory that a small capture touches", None if 0 < size < 1 << 20 else "%d bytes" % size)


def frames(s):
    """The rows of frame times have exact borders: what frames of 240 to 4 fps may take."""
    ns = [1, 4167667, 4167668, 16667667, 16667668, 16700000, 33330000, 33334334, 33334335, 33550000, 50000000, 50000001, 250000000, 250000001]
    src = folder(s, "frames", {})
    os.makedirs(src)
    # Enough frames to tell that no limit holds them.
    calls(os.path.join(src, "a.mlpd"), ns * 4)
    calls(os.path.join(src, "b.mlpd"), ns[::-1] * 12, 2)
    r = run("batch", "--frame-marker", "World:Frame", "--format", "json", src)
    t = tables(r)
    rows = t["batch_frames"]["rows"]
    edges = [0, 4167667, 8334334, 11112112, 16667667, 20000000, 25000000, 33334334, 50000000, 100000000, 250000000]
    s.equal("frames: borders", [(x["from_ns"], x.get("to_ns")) for x in rows], list(zip(edges, edges[1:] + [None])))
    s.equal("frames: counts", [x["count"] for x in rows],
            [16 * sum(x["from_ns"] < v <= (x.get("to_ns") or v) for v in ns) for x in rows])
    # Captures that record no allocations say nothing of those in a frame.
    s.equal("frames: without allocations", t["batch"]["rows"][0]["frame_alloc_median_bytes"], None)
    mixed = folder(s, "some record allocations", {})
    shutil.copytree(src, mixed)
    shutil.copy(os.path.join(kit.TESTDATA, "mlpd", "good-d01-gameloop-calls-alloc.mlpd"), mixed)
    both = [tables(run("batch", "--frame-marker", "World:Frame", "--format", "json", x))["batch"]["rows"][0]["frame_alloc_median_bytes"]
            for x in (mixed, os.path.join(mixed, "good-d01-gameloop-calls-alloc.mlpd"))]
    s.equal("frames: allocations of those that record them", (both[0] == both[1], both[0] > 0), (True, True))
    s.equal("frames: as the column over 1/30 s", sum(x["count"] for x in rows if x["from_ns"] >= 33334334), t["batch"]["rows"][0]["over_33_33"])


def unsuited(s):
    """An output that a capture has nothing for: its figures and its other files are there, and the exit status is 3."""
    data = sorted(kit.captures(3, 1).items())[0][1]
    src = folder(s, "unsuited", {"a.mlpd": data, "b.tar": kit.tar([("c.mlpd", data)])})
    plain = {k: v.get("metrics") for k, v in by_key(s, "plain-out", src).items()}
    r = run("batch", "-o", s.path("unsuited-out"), "--do", "convert", "--to", "folded,info", src)
    got = kit.by_key(s.path("unsuited-out", "results.jsonl"))
    s.equal("unsuited: exit", r.returncode, 3)
    s.equal("unsuited: figures are there", {k: v.get("metrics") for k, v in got.items()}, plain)
    for key in ("a.mlpd", "b.tar!c.mlpd"):
        x = got[key]
        s.equal("unsuited: %s" % key, (x["outcome"], x["why"], "coverage" in x["detail"], [f.split(".")[-1] for f in x["files"]],
                [f.split(".")[-1] for f in x["files_missing"]]), ("damaged", "unsuited", True, ["folded"], ["info"]))
    s.equal("unsuited: files", sorted(f.split(".")[-1] for f in os.listdir(s.path("unsuited-out", "captures"))), ["folded", "folded"])
    s.equal("unsuited: a line each", [r.err.count(k + ": unsuited: ") for k in ("a.mlpd", "c.mlpd")], [1, 1])
    s.equal("unsuited: resumed, nothing is done again", run("batch", "-o", s.path("unsuited-out"), "--resume", "--do", "convert", "--to",
            "folded,info", src).err.count("unsuited: "), 0)


def renamed(s):
    """merge knows whose a shard's file is, whatever it is called; a shard without captures says so."""
    good = sorted(kit.captures(9, 12).items())
    for name, files in (("plain", dict(good)), ("zip", {"a.zip": kit.zipped(good)}), ("one", dict(good[:1]))):
        src, out = folder(s, "renamed-" + name, files), s.path("renamed-out-" + name)
        said = [run("batch", "-o", out, "--shard", "%d/3" % i, src) for i in (1, 2, 3)]
        s.equal("%s: shards" % name, [r.returncode for r in said], [0] * 3)
        s.equal("%s: empty shards say so" % name, sum("no capture falls to it" in r.err for r in said), 2 if name == "one" else 0)
        s.equal("%s: shards merge" % name, run("merge", out).returncode, 0)
        path = [os.path.join(out, "results.%d-of-3.jsonl" % i) for i in (1, 2, 3)]
        data = [open(p, "rb").read() for p in path]
        for i in range(3):
            if data[i - 1]:
                open(path[i], "wb").write(data[i - 1])
                r = run("merge", out)
                s.equal("%s: another's file as shard %d" % (name, i + 1), (r.returncode, "of another shard" in r.err, r.out), (4, True, b""))
                open(path[i], "wb").write(data[i])


def archives(s):
    """What is encrypted is said to be; a zip's two names for one member; messages without words of our own."""
    good = sorted(kit.captures(3, 3).items())
    bad = bytearray(kit.seven(good))
    bad[232] ^= 255
    name = good[0][0].encode()
    two = kit.zipped(good).replace(name, b"X" + name[1:], 1)
    src = folder(s, "archives", {"h.7z": kit.seven(good, "-psecret", "-mhe=on"), "bad.7z": bytes(bad), "n.zip": two,
                                 "in.tar": kit.tar([("h.7z", kit.seven(good, "-psecret", "-mhe=on")), ("c.mlpd.gz", kit.pack("gz", good[0][1])[:20])])})
    r = run("batch", "-o", s.path("archives-out"), src)
    got = kit.by_key(s.path("archives-out", "results.jsonl"))
    s.equal("encrypted headers: why", [(got[k]["outcome"], got[k]["complaints"]["encrypted"]["n"]) for k in ("h.7z", "in.tar")], [("damaged", 1)] * 2)
    s.check("encrypted headers: no damage", None if "h.7z: headers are encrypted" in r.err and "h.7z: 7z archive is damaged" not in r.err else r.err)
    s.check("no stray words", ("member:" in r.err or "archive:" in r.err) and r.err)
    line = [x for x in r.err.split("\n") if "n.zip!" in x]
    s.equal("two names: one line, and no damage", (len(line), "calls it" in line[0] if line else line, got["n.zip"]["outcome"]), (1, True, "ok"))
    r = run("batch", folder(s, "archives-text", {"a.txt": b"text\n"}))
    s.equal("one file is no files", (r.returncode, "no capture in 1 file\n" in r.err), (3, True))


def times(s):
    """What has nothing in --time is said, as stats has it; info takes no --time."""
    src = folder(s, "times", dict(sorted(kit.captures(9, 3).items())))
    for time, want in (("100000-200000", 3), ("0-1000000", 0)):
        r = run("batch", "--time", time, "--format", "json", src)
        note = [n["text"] for n in json.loads(r.out)["notes"] if n["id"] == "outside"]
        s.equal("--time %s: said" % time, note, ["3 of 3 captures have nothing in --time"] if want else [])
    r = run("info", "--time", "1-2", os.path.join(src, sorted(os.listdir(src))[0]))
    s.equal("info --time is wrong usage", (r.returncode, "--time is for" in r.err), (2, True))


def by_key(s, out, src):
    run("batch", "-q", "-o", s.path(out), src)
    return kit.by_key(s.path(out, "results.jsonl"))


def own_results(s):
    """Limits of captures are none of the run's own results, with and without --resume, and where they are sorted on disk."""
    small = folder(s, "small", kit.captures(4, 30))
    run("batch", "-q", "-o", s.path("small-out"), small)
    least = min(kit.results(s.path("small-out", "results.jsonl")), key=lambda r: r["decoded"])
    data = open(os.path.join(small, least["key"]), "rb").read()
    src = folder(s, "own", {"%03d.mlpd" % i: data for i in range(50 + least["decoded"] // 200)})
    whole = run("batch", "--format", "json", src)
    limit = least["decoded"]
    for name in ("--max-decoded", "--spool-max"):
        for more in ([], ["-o", s.path("own" + name)], ["--resume", "-o", s.path("own" + name)]):
            n = 1 if name == "--spool-max" else limit
            r = run("batch", "--format", "json", name, n, *more, src)
            s.equal("%s %d %s: holds for captures alone" % (name, n, more), (r.returncode, r.out == whole.out), (0, True))
    size = os.path.getsize(s.path("own--max-decoded", "results.jsonl"))
    s.check("the results are over the limit", None if size > limit else "%d, limit %d" % (size, limit))


def members_over_limit(s):
    """A member of an archive that exceeds --max-decoded has failed, as a compressed file has: of a part there are no figures."""
    small, large = [c for _, c in sorted(kit.captures(4, 2).items())], [c for _, c in sorted(kit.captures(5, 2, 3000).items())]
    members = [("%s%d.mlpd" % (name, i), c) for name, some in (("small", small), ("large", large)) for i, c in enumerate(some)]
    src = folder(s, "limited", {"a.tar": kit.tar(members), "a.zip": kit.zipped(members), "large.mlpd.gz": kit.pack("gz", large[0])})
    limit = min(map(len, large)) // 2
    s.check("the limit is between their sizes", None if max(map(len, small)) < limit else (limit, [len(c) for _, c in members]))
    r = run("batch", "-o", s.path("limited-out"), "--max-decoded", limit, src)
    got = {k.split("!")[-1] + k[:5]: (x["outcome"], x.get("why"), "frames" in x) for k, x in kit.by_key(s.path("limited-out", "results.jsonl")).items()
           if x["type"] == "capture"}
    s.equal("members over a limit", (r.returncode, {k: v for k, v in got.items() if k.startswith("large")}),
            (3, {k: ("failed", "limit", False) for k in ("large0.mlpda.tar", "large1.mlpda.tar", "large0.mlpda.zip", "large1.mlpda.zip",
                                                          "large.mlpd.gzlarge")}))
    run("batch", "-q", "-o", s.path("short"), "--max-memory", "100K", s.path("limited"))
    r = run("batch", "-q", "-o", s.path("short"), "--resume", s.path("limited"))
    run("batch", "-q", "-o", s.path("enough"), s.path("limited"))
    s.equal("a limit of memory: tried again", (r.returncode, [x["outcome"] for x in kit.results(s.path("short", "results.jsonl"))]),
            (0, [x["outcome"] for x in kit.results(s.path("enough", "results.jsonl"))]))
    s.equal("members below it", {v[0] for k, v in got.items() if k.startswith("small")}, {"ok"})


def gate_groups(s):
    """A gate judges apart by every KEY that the manual lists, also where a file cannot be read and there is a baseline."""
    budget, plain, base = s.path("apart.json"), s.path("plain.json"), s.path("apart.base")
    json.dump({"tracetool_budget": 1, "rows": [{"id": "mean", "metric": "frame.time", "stat": "mean", "max": "10s"}]}, open(plain, "w"))
    json.dump({"tracetool_budget": 1, "rows": [{"id": "mean", "metric": "frame.time", "stat": "mean", "max": "10s"},
                                               {"id": "more", "metric": "frame.time", "stat": "mean", "max": "+50%"}]}, open(budget, "w"))
    good = [os.path.join(kit.TOP, "testdata", "gate", "good-base%d.ttc.xz" % i) for i in (1, 2, 3)]
    src = folder(s, "apart", {os.path.basename(f): open(f, "rb").read() for f in good})
    made = run("stats", "--gate", budget, "--save", base, *good)
    s.check("a baseline is made", made.err if not os.path.exists(base) else None)
    for key in ("format", "producer", "os", "arch", "date", "recording"):
        r = run("batch", "-o", s.path("apart-" + key), "--format", "json", "--group-by", key, "--gate", plain,
                "--json", s.path("v.json"), src)
        want = {x["group"].split("=", 1)[1] for x in tables(r)["batch_groups"]["rows"]} - {"(unknown)"}
        have = {x.get("group") for x in json.load(open(s.path("v.json")))["rows"] if x["id"] == "mean"} - {None}
        s.equal("--gate --group-by %s: a group for each value" % key, (have, r.returncode), (want, 0 if key != "recording" else r.returncode))
    open(os.path.join(src, "bad-empty.mlpd"), "wb").write(b"")
    for key in ("os", "date"):
        r = run("batch", "--max-failures", "50%", "--meta", "machine=1", "--group-by", key, "--gate", budget, "--baseline", base,
                "--json", s.path("w.json"), src)
        rows = {x.get("group") for x in json.load(open(s.path("w.json")))["rows"]} if os.path.exists(s.path("w.json")) else None
        s.equal("--baseline, --group-by %s: an unreadable file is of no environment" % key,
                ("another environment" in r.err, r.returncode != 2, "(unknown)" in (rows or ())), (False, True, True))
        if os.path.exists(s.path("w.json")):
            os.unlink(s.path("w.json"))


def given_up(s):
    """Of an archive that was not read to its end nobody knows how many captures are missing: --max-failures cannot hold."""
    src = folder(s, "unended", {"many.tar": kit.tar(sorted(kit.captures(6, 12).items())), **kit.captures(7, 30)})
    for limit, want in (("50%", 1), ("100", 1), ("100%", 0)):
        r = run("batch", "-o", s.path("unended-out"), "--max-members", "5", "--max-failures", limit, src)
        s.equal("given up, --max-failures %s" % limit, (r.returncode, "unknown number of members not read" in r.err), (want, True))
        m = run("merge", "--max-failures", limit, s.path("unended-out"))
        s.equal("given up, merge --max-failures %s" % limit, m.returncode, want)


def no_output(s):
    """Results are kept in a folder: standard output is none."""
    r = run("batch", "-o", "-", kit.DATA, cwd=s.dir)
    s.equal("-o -: wrong usage, and no folder of that name", (r.returncode, r.out, os.path.exists(s.path("-"))), (2, b"", False))


def joined(s):
    """tracetool-batch(1): what recover joined counts in place of its files, wherever it lies, and a note names them."""
    names = ["game.ttc"] + ["game.%d.ttc" % i for i in (1, 2, 3)]
    parts = {n: lzma.open(os.path.join(kit.TESTDATA, "capture", "good-rotated%s.xz" % n[4:])).read() for n in names}
    src, whole, db = folder(s, "joined", parts), s.path("whole.ttc"), s.path("joined.sqlite")
    run("recover", "-q", "-o", whole, *[os.path.join(src, n) for n in names])
    data = open(whole, "rb").read()
    columns = ("frames", "frame_max_ns", "alloc_bytes", "allocs", "events", "duration_ns")
    total = lambda r: {k: tables(r)["batch"]["rows"][0][k] for k in columns}
    notes = lambda r: {n["id"]: n["text"] for n in json.loads(r.out)["notes"]}
    want = total(run("batch", "-q", "--format", "json", whole))
    for where in ("a.ttc", "game.recovered.ttc", "z.ttc", "z.ttc.gz", "z.zip"):
        path = os.path.join(src, where)
        open(path, "wb").write(kit.pack("gz", data) if where.endswith(".gz") else kit.zipped([("w.ttc", data)]) if where.endswith(".zip") else data)
        r = run("batch", "-q", "--format", "json", "--to-db", db, "-o", s.path("joined-out"), "--resume", src)
        # The rate of the clock is known less exactly in what is read in order.
        have = {k: v if "_ns" not in k or "." not in where[2:] else round(v, -4) for k, v in total(r).items()}
        s.equal("joined as %s: figures" % where, have, {k: v if "_ns" not in k or "." not in where[2:] else round(v, -4) for k, v in want.items()})
        s.equal("joined as %s: captures" % where, tables(r)["batch"]["rows"][0]["captures"], 5)
        text = notes(r)
        s.equal("joined as %s: notes" % where, (all(n in text.get("held", "") for n in names), "further_files" in text), (True, False))
        sums = run("query", db, "--format", "json", "SELECT sum(events) AS events FROM capture WHERE copy = 0")
        s.equal("joined as %s: the database" % where, json.loads(sums.out)["tables"]["query"]["rows"], [{"events": want["events"]}])
        os.unlink(path)
    r = run("batch", "-q", "--format", "json", "-o", s.path("joined-out"), "--resume", src)
    s.equal("without the joined one: its files count", (total(r)["events"], "held" in notes(r), "recover" in notes(r)["further_files"]), (
        sum(d["events"] for d in kit.results(s.path("joined-out", "results.jsonl"))), False, True))
    # Some files of a recording that another capture does not hold whole count on.
    run("recover", "-q", "-o", os.path.join(src, "game.recovered.ttc"), *[os.path.join(src, n) for n in names[:2]])
    r = run("batch", "-q", "--format", "json", "-o", s.path("joined-out"), src)
    lines = kit.by_key(s.path("joined-out", "results.jsonl"))
    s.equal("two of four joined: the others count", total(r)["events"], sum(lines[n]["events"] for n in ("game.recovered.ttc", "game.2.ttc", "game.3.ttc")))


    # Two joined captures that share files, and neither holds the other: figures count those twice, and a note names both.
    os.unlink(os.path.join(src, "game.recovered.ttc"))
    run("recover", "-q", "-o", os.path.join(src, "game.recovered.ttc"), *[os.path.join(src, n) for n in names[:3]])
    run("recover", "-q", "-o", os.path.join(src, "late.ttc"), *[os.path.join(src, n) for n in names[2:]])
    r = run("batch", "-q", "--format", "json", "-o", s.path("joined-out"), src)
    lines, text = kit.by_key(s.path("joined-out", "results.jsonl")), notes(r)
    s.equal("two that share a file", (r.returncode, "game.recovered.ttc, late.ttc" in text.get("overlaps", ""), "files_missing" in text,
                                      lines["late.ttc"]["file"], lines["late.ttc"]["file_last"]), (0, True, False, 2, 3))
    s.equal("two that share a file: figures", total(r)["events"], lines["game.recovered.ttc"]["events"] + lines["late.ttc"]["events"])
    os.unlink(os.path.join(src, "late.ttc"))
    r = run("batch", "-q", "--format", "json", "-o", s.path("joined-out"), src)
    s.equal("three of four joined: the last one counts", total(r)["events"], lines["game.recovered.ttc"]["events"] + lines["game.3.ttc"]["events"])
    s.check("... and none where files follow each other", "overlaps" in notes(run("batch", "-q", "--format", "json", *[os.path.join(src, n) for n in names])))


def gaps(s):
    """tracetool-batch(1): files of a recording that are missing between those that are there are told, with exit status 3; not of a shard alone."""
    names = ["game.ttc"] + ["game.%d.ttc" % i for i in (1, 2, 3)]
    parts = {n: lzma.open(os.path.join(kit.TESTDATA, "capture", "good-rotated%s.xz" % n[4:])).read() for n in names}
    for gone, want in (((), ()), ((0,), ()), ((3,), ()), ((1,), ("1 file ", "game.2.ttc")), ((1, 2), ("2 files ", "game.3.ttc")),
                       ((0, 2), ("1 file ", "game.3.ttc"))):
        src = folder(s, "gap-" + "".join(map(str, gone)), {n: d for i, (n, d) in enumerate(parts.items()) if i not in gone})
        r = run("batch", "-q", "--format", "json", src)
        text = [n["text"] for n in json.loads(r.out)["notes"] if n["id"] == "files_missing"]
        s.equal("files %s are gone" % (gone,), (r.returncode, len(text), all(w in t for t in text for w in want), "missing" in r.err),
                (3, 1, True, True) if want else (0, 0, True, False))
        s.equal("files %s are gone: as stats says" % (gone,), run("stats", "-q", *[os.path.join(src, n) for n in os.listdir(src)]).returncode, r.returncode)
        if gone == (1,):
            open(os.path.join(src, "a.ttc.gz"), "wb").write(kit.pack("gz", parts["game.2.ttc"]))
            s.check("... in front of a copy, too", run("batch", "-q", src).returncode != 3)
            os.unlink(os.path.join(src, "a.ttc.gz"))
    for i in (1, 2):
        r = run("batch", "-q", "-o", s.path("gap-out"), "--shard", "%d/2" % i, s.path("gap-1"))
        s.equal("a gap in shard %d alone is not known" % i, (r.returncode, "missing between" in r.err), (0, False))
    s.equal("a gap in all shards", run("merge", s.path("gap-out")).returncode, 3)


def whole_but_less(s):
    """tracetool-batch(1): what captures lost though their files are whole is a table and a note of every report, a column, and rows of the database."""
    path = os.path.join(kit.DATA, "bad-cut-at-buffer-end.mlpd")
    r = run("batch", "-q", "-o", s.path("less"), path)
    doc = kit.results(s.path("less", "results.jsonl"))[0]
    s.equal("a capture that was not ended", (r.returncode, doc["outcome"], doc.get("loss"), b"capture ends early" in r.out),
            (0, "ok", {"not_ended": [1, 0]}, True))
    with open(s.path("crafted.jsonl"), "w") as f:
        for i, loss in enumerate(({"dropped": [13830033, 0]}, {"dropped": [7, 0], "stopped": [1, 0]}, {}, {"stopped": [1, 0]})):
            doc.update(key="k%d" % i, identity="%016x" % i, loss=loss)
            f.write(kit.line_of(doc))
    r = run("merge", "--format", "json", "--to-db", s.path("less.db"), s.path("crafted.jsonl"))
    t, note = tables(r), [n for n in json.loads(r.out)["notes"] if n["id"] == "losses"]
    s.equal("lost: the table", [(x["kind"], x["severity"], x["captures"], x["count"], x["first"]) for x in t["batch_losses"]["rows"]],
            [("dropped", "loss", 2, 13830040, "k0"), ("stopped", "loss", 2, 2, "k1")])
    s.equal("lost: the note", [(n["severity"], "3 of 4 captures" in n["text"], "13,830,040 in 2" in n["text"]) for n in note], [("loss", True, True)])
    s.equal("lost: by capture", {x["key"]: x["loss"] for x in t["batch_captures"]["rows"]},
            {"k0": "dropped 13830033", "k1": "dropped 7, stopped 1", "k2": None, "k3": "stopped 1"})
    rows = run("query", s.path("less.db"), "--format", "json", "SELECT kind, sum(count) AS n FROM loss GROUP BY kind ORDER BY kind")
    s.equal("lost: the database", json.loads(rows.out)["tables"]["query"]["rows"], [{"kind": "dropped", "n": 13830040}, {"kind": "stopped", "n": 2}])
    for form in ("text", "markdown", "html", "csv"):
        r = run("merge", "--format", form, s.path("crafted.jsonl"))
        s.equal("lost: in %s" % form, (r.returncode, "events dropped by the recorder" in r.out.decode(), "3 of 4 captures lack" in r.out.decode() + r.err),
                (0, True, True))
    with open(s.path("one-whole.jsonl"), "w") as f:
        f.write(kit.line_of(dict(doc, key="k0", identity="%016x" % 0, loss={"dropped": [7, 0]})))
        f.write(kit.line_of(dict(doc, key="k1", identity="%016x" % 1, loss={"dropped": [9, 0], "not_ended": [1, 0], "cut": [1, 5]}, outcome="damaged",
                                 why="damaged", detail="ends inside a chunk")))
    note, = [n["text"] for n in json.loads(run("merge", "--format", "json", s.path("one-whole.jsonl")).out)["notes"] if n["id"] == "losses"]
    s.equal("lost: the note is of whole captures alone", ("1 of 2 captures lacks" in note, "recorder: 7 in 1 capture)" in note, "ends early" in note),
            (True, True, False))


def compressed_copies(s):
    """tracetool-batch(1): a copy is one however it is compressed, also where captures have no number of a recording."""
    path = os.path.join(kit.TESTDATA, "raw")
    data = next(d for d in (open(os.path.join(path, f), "rb").read() for f in sorted(os.listdir(path)) if f.startswith("good") and f.endswith(".raw")) if d)
    src = folder(s, "packed", {"a.raw": data, "b.raw.gz": kit.pack("gz", data), "c.xz": kit.pack("xz", data), "d.zip": kit.zipped([("x.raw", data)]),
                               "e.tgz": kit.pack("gz", kit.tar([("a.raw", data)]))})
    r = run("batch", "--format", "json", "-o", s.path("packed-out"), src)
    alone = run("batch", "--format", "json", os.path.join(src, "a.raw"))
    row, one = (tables(x)["batch"]["rows"][0] for x in (r, alone))
    note = [n["text"] for n in json.loads(r.out)["notes"] if n["id"] == "copies"]
    s.equal("packed copies", (row["captures"], row["frames"], row["events"], ["b.raw.gz, c.xz, d.zip!x.raw, e.tgz!a.raw" in t for t in note]),
            (5, one["frames"], one["events"], [True]))
    s.equal("packed copies: one identity", len({d["identity"] for d in kit.results(s.path("packed-out", "results.jsonl")) if d["type"] == "capture"}), 1)
    run("batch", "-q", "-o", s.path("no-events"), os.path.join(kit.DATA, "bad-header-only.mlpd"))
    s.check("without an event there is no identity", any("identity" in d for d in kit.results(s.path("no-events", "results.jsonl"))))


def kept_failures(s):
    """--resume with nothing to do, after a run in which a capture was damaged: standard error says why the exit status is 3."""
    src = folder(s, "kept", {})
    os.makedirs(src)
    for f in ("good-d01-gameloop-calls-alloc.mlpd", "bad-cut-at-buffer-end.mlpd"):
        shutil.copy(os.path.join(kit.DATA, f), src)
    data = open(os.path.join(src, "good-d01-gameloop-calls-alloc.mlpd"), "rb").read()
    open(os.path.join(src, "cut.mlpd"), "wb").write(data[:-100])
    for again in ((), ("--resume",)):
        r = run("batch", *again, "-o", s.path("kept-out"), src)
    s.equal("resumed with nothing to do", (r.returncode, "earlier results of 3 captures kept; of earlier runs, 1 damaged or failed" in r.err), (3, True))


def main():
    s = kit.Suite()
    for part in [gives_up, groups, resumes, copies, frames, unsuited, renamed, archives, times, joined, own_results, gate_groups, given_up, no_output, gaps,
                 whole_but_less, compressed_copies, kept_failures, touched]:
        part(s)
    s.end()


main()
