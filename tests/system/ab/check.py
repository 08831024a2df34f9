#!/usr/bin/env python3
"""tracetool ab with a game of milliseconds (tests/kit/ab_gen.c): the order of runs, crashes, what is no capture, interruptions, resuming, limits,
and what a stranger's builds do. What it promises of noise is in simulate.py."""
import json
import os
import re
import signal
import subprocess
import sys
import xml.dom.minidom

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from suite import BUILD, Suite, TOP, TRACETOOL
import words

GAME = os.path.join(BUILD, "kit", "ab_gen")
suite = Suite()
TMP = suite.path("tmp dir")
os.mkdir(TMP)
# One row, so that few pairs decide; and two that are judged as everywhere.
MEDIAN = suite.path("median.json")
with open(MEDIAN, "w") as f:
    f.write('{ "tracetool_budget": 1, "rows": [ { "id": "median", "metric": "frame.time", "stat": "median", "max": "+3%" } ] }')
MORE = suite.path("more.json")
with open(MORE, "w") as f:
    f.write('{ "tracetool_budget": 1, "rows": [ { "id": "median", "metric": "frame.time", "max": "+0.5ms" },'
            '{ "id": "fps", "metric": "frame.fps", "stat": "mean", "min": "-10%" },'
            '{ "id": "p95", "metric": "frame.time", "stat": "p95", "max": "8ms" } ] }')
GAME_WORDS = [GAME, "session=7", "frames=200", "capture=0.5"]


class Run:
    def __init__(self, options, old=(), new=(), old_build=None, new_build=None, **keys):
        env = dict(os.environ, TMPDIR=TMP)
        old_build = list(old_build or GAME_WORDS) + list(old)
        new_build = list(new_build or GAME_WORDS) + list(new)
        r = subprocess.run([TRACETOOL, "ab", "-v", *options, "--", *old_build, "--", *new_build], capture_output=True, text=True, env=env,
                           stdin=keys.get("stdin", subprocess.DEVNULL), timeout=300)
        self.code, self.out, self.err = r.returncode, r.stdout, r.stderr

    def problem(self, code, *parts, missing=()):
        """What is not as it should be."""
        if self.code != code:
            return "exit %d: %s%s" % (self.code, self.out, self.err)
        absent = [p for p in parts if p not in self.out + self.err]
        if absent:
            return "without %s: %s%s" % (absent, self.out, self.err)
        there = [p for p in missing if p in self.out + self.err]
        return "with %s: %s%s" % (there, self.out, self.err) if there else None


def script(name, text):
    path = suite.path(name)
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, 0o755)
    return path


def verdicts():
    suite.check("a build 20 % slower is worse", Run(["--gate", MEDIAN], new=["slow=20"]).problem(
        1, "FAILED: 1 of 3 rows: median", "the answer is clear", "p = 0.013, 8 pairs", "new crashed 0 of 8, old crashed 0 of 8"))
    suite.check("equal builds are not", Run(["--gate", MEDIAN]).problem(0, "passed: 3 rows", "not worse"))
    suite.check("a faster one is not", Run(["--gate", MEDIAN], new=["slow=-20"]).problem(0, "passed", "-20"))
    suite.check("four pairs cannot show anything, and are not run", Run(["-n", "4", "--gate", MEDIAN]).problem(
        2, "4 pairs cannot show a change in any row: run at least 5 (-n 5), which do for 1 row", missing=["pair 1"]))
    suite.check("nor with rows of its own", Run(["--max-runs", "8", "--until", "all"]).problem(
        2, "4 pairs cannot", "run at least 8 (--max-runs 16), which do for 8 rows", missing=["pair 1"]))
    suite.check("other rows are judged by few", Run(["-n", "2", "--gate", MORE], new=["slow=30"]).problem(
        1, "2 pairs may be too few", "run at least 6 (-n 6)", "FAIL p95: ", "2 pairs are too few to show a change in 2 rows"))
    suite.check("and may be let pass", Run(["-n", "2", "--gate", MEDIAN, "--inconclusive", "pass"], new=["slow=20"]).problem(0))
    suite.check("five pairs judged once can", Run(["-n", "5", "--until", "all", "--gate", MEDIAN], new=["slow=20"]).problem(1, "p = 0.031, 5 pairs"))
    suite.check("a change between the limit's two sides is undecided", Run(["-n", "6", "--gate", MEDIAN], new=["slow=3"]).problem(
        0, "undecided median: ", "differ too much to tell", "run more pairs", "undecided, nothing fails: 1 of 3 rows: median", missing=["passed"]))
    suite.check("limits in amounts, lower limits and absolute ones", Run(["-n", "6", "--gate", MORE], new=["slow=30"]).problem(
        1, "FAIL median: ", "allowed +500", "FAIL fps: ", "allowed -10.0 %", "FAIL p95: ", "over the limit of 8"))
    suite.check("too few pairs for worse may be enough for not worse", Run(["-n", "6", "--until", "clear"], new=["slow=-20", "alloc=-20", "hitches=0"]).problem(
        0, "passed", "5 pairs of at most 6", missing=["re:^"]))
    with open(suite.path("absolute.json"), "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "median", "metric": "frame.time", "stat": "median", "max": "80ms" } ] }')
    suite.check("a budget without changes compares nothing", Run(["-n", "2", "--gate", suite.path("absolute.json")]).problem(
        0, "no row compares the builds", "pair 2 of 2\n"))
    with open(suite.path("ai.json"), "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "ai", "metric": "marker.self", "marker": "Ai", "stat": "per_frame.mean", "max": "+10%" } ] }')
    suite.check("a marker that only the new build has", Run(["-n", "6", "--gate", suite.path("ai.json")], old=["name=Bi"]).problem(
        1, "ms by pairs, allowed +10.0 %; medians 1.5", ", was 0 ns; p =", "not in the old build"))
    suite.check("and one that only the old build has", Run(["-n", "6", "--gate", suite.path("ai.json")], new=["name=Bi"]).problem(
        0, "-99.9 %", 'is in the old build and in no capture of the new one'))
    default = Run(["--seed", "3"], new=["slow=30", "alloc=50"])
    suite.check("rows of its own", default.problem(1, "frame-trimmed", "frame-p95", "long-frames", "alloc-bytes", "Render", "Update", "Physics", "Ai",
                                                   "integrity-lost", "means over all frames:\n", "beneath it: as under frame-trimmed\n",
                                                   missing=["Player.Loop  +30"]))
    short = [GAME, "session=7", "frames=40", "capture=0.5"]
    note = "note: a capture of the new build has 40 frames in the median, one of the old build 200"
    suite.check("a build that plays a fifth of the frames fails", Run(["--seed", "3", "--inconclusive", "pass"], new_build=short).problem(
        1, "FAIL frame-count: ", "below the limit of 80", note))
    suite.check("with a budget it is told", Run(["--gate", MEDIAN], new_build=short).problem(0, note, "passed"))
    suite.check("more frames pass", Run(["--seed", "3", "--inconclusive", "pass"], old_build=short).problem(
        0, "ok frame-count: ", "was the old one cut short"))
    total = suite.path("total.json")
    with open(total, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "bytes", "metric": "gc.alloc.bytes", "stat": "total", "max": "+5%" } ] }')
    suite.check("what totals are made of is over the whole capture", Run(["--gate", total], new=["alloc=50"]).problem(
        1, "what changed most beneath it, over the whole capture:\n"))
    suite.equal("a list of what changed is printed once", default.out.count("Render  +"), 1)


def counts():
    """Long frames: what every run of the new build has, and none of the old, is not chance; a change as large as the limit is allowed."""
    calm, once, twice = ["hitches=0"], ["hitches=0", "stutters=1"], ["hitches=0", "stutters=2"]
    many = ("-n", "8", "--seed", "5")
    suite.check("two long frames in each run fail", Run(many, old=calm, new=twice).problem(
        1, "FAIL long-frames: ", "+10 per 1000 by pairs (+10 per 1000 to +10 per 1000), allowed +0 per 1000"))
    suite.check("as does one", Run(["--seed", "5"], old=calm, new=once).problem(1, "FAIL long-frames: ", "+5 per 1000 by pairs", "allowed +0 per 1000"))
    # Long frames that come at random leave some runs without one, so that a run needs more than one of them for every pair to have some.
    run = Run([*many, "--inconclusive", "pass"], old=calm, new=calm)
    seen = re.search(r"ok long-frames: .*; \+([\d.]+) per 1000 would be found in 95 of 100", run.out)
    suite.check("what would be found is more than one in each run", None if seen and 10 < float(seen.group(1)) < 40 else run.out)
    for name, both in (("none", calm), ("one each", once)):
        suite.check("equal counts pass: %s" % name, Run([*many, "--inconclusive", "pass"], old=both, new=both).problem(
            0, "ok long-frames: ", "+0 per 1000 by pairs", "allowed +2.5 per 1000" if both is calm else "allowed"))
    suite.check("fewer do", Run([*many, "--inconclusive", "pass"], old=twice, new=once).problem(0, "ok long-frames: ", "-5 per 1000 by pairs"))
    budget = suite.path("over.json")
    with open(budget, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "over", "metric": "frame.over", "limit": "25ms", "max": "+10" } ] }')
    suite.check("a change as large as the limit is allowed", Run([*many, "--gate", budget], old=calm, new=twice).problem(
        0, "ok over: ", "+10 per 1000 by pairs", "allowed +10 per 1000", missing=["too much to tell", "; +10 per 1000 would be found"]))
    suite.check("one frame more is not", Run([*many, "--gate", budget], old=calm, new=["hitches=0", "stutters=3"]).problem(1, "FAIL over: ", "allowed +10"))


def powers():
    """What is told of what pairs can see: in advance, at the end, and where they differ too much."""
    noisy = [GAME, "session=3", "frames=1200", "kind=skewed"]
    suite.check("what is seen is told", Run(["--gate", MEDIAN, "-n", "7"]).problem(
        0, "tracetool: going by these, changes that 7 pairs find in 95 of 100 cases: median +", " would be found in 95 of 100 cases\n"))
    r = Run(["--gate", MEDIAN, "-n", "8"], old_build=noisy, new_build=noisy, new=["slow=3"])
    need = re.search(r"run about (\d+) pairs, or allow more", r.out)
    suite.check("of an undecided row how many pairs it takes", r.problem(0, "that differ too much to tell"))
    suite.check("which are more", None if need and 8 < int(need.group(1)) else r.out)
    # No frame takes a second: nothing says that such a row takes more pairs.
    alike = suite.path("alike.json")
    with open(alike, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "median", "metric": "frame.time", "stat": "median", "max": "+1%" },'
                '{ "id": "over", "metric": "frame.over", "limit": "1s", "max": "+1" } ] }')
    r = Run(["--gate", alike, "-n", "8"], old_build=noisy, new_build=noisy)
    suite.check("rows whose pairs do not differ take no more of them", r.problem(
        r.code, "changes that 8 pairs find", "may be too few for median", missing=["median, over"]))
    at = suite.path("noisy.json")
    r = Run(["--json", at], old_build=noisy, new_build=noisy)
    rows = {row["id"]: row for row in json.load(open(at))["rows"]}
    p95, test = rows["frame-p95"], rows["frame-p95"]["test"]
    suite.check("rows of its own are held against what pairs can show", r.problem(0, ", the least that pairs this far apart can show; medians"))
    suite.check("which is above what was asked, and the change is below it", None if test["limit_asked"] < p95["limit"] and test["high"] <= p95["limit"] and
                abs(test["limit_asked"] - 0.015 * p95["baseline"]) < 1000 and test["seen"] > test["limit_asked"] else p95)
    disturbed = [GAME, "session=3", "frames=1200", "kind=outlier"]
    suite.check("runs far from the others count less, and are told", Run(["--json", at], old_build=disturbed, new_build=disturbed).problem(
        0, "far from the others", "count"))
    told = [row["test"] for row in json.load(open(at))["rows"] if "evened" in row.get("test", {})]
    suite.check("in JSON, too", None if told and all(0 <= t["evened_worse"] <= t["evened"] <= 5 for t in told) else told)
    # Three runs of the new build that take as much longer are no accidents.
    at_times = script("slow at times", 'case $TRACETOOL_CAPTURE in *new-[358].*) slow=30 ;; *) slow=0 ;; esac\n'
                      'exec "%s" session=3 frames=1200 slow=$slow' % GAME)
    suite.check("disturbed runs that are all of one build", Run(["--until", "all", "--gate", MEDIAN], old_build=[at_times], new_build=[at_times]).problem(
        0, "undecided, nothing fails: ", "; 3 runs far from the others, all against the new build, count less",
        "look at the captures of the 3 pairs with such a run: accidents would hit the old build, too"))


def strict():
    """What an undecided or a missing answer does to a job; and a hangup that is ignored."""
    at = suite.path("strict.xml")
    page = suite.path("strict.html")
    noisy = [GAME, "session=3", "frames=1200", "kind=skewed"]
    hard = ["--inconclusive", "fail", "--gate", MEDIAN, "-n", "8"]
    r = Run([*hard, "--junit", at, "--html", page], old_build=noisy, new_build=noisy, new=["slow=3"])
    case = xml.dom.minidom.parse(at).documentElement
    suite.equal("an undecided row that ends the job is an error in JUnit", (r.code, case.getAttribute("errors"), case.getAttribute("failures")),
                (5, "1", "0"))
    many = suite.path("many.json")
    with open(many, "w") as f:
        f.write('{ "tracetool_budget": 1, "integrity": { "min_captures": 40 }, "rows": [ { "id": "median", "metric": "frame.time", "max": "+5%" } ] }')
    suite.check("the number of captures is not judged", Run(["--gate", many]).problem(0, "skipped integrity-captures: ", "as many pairs as it needs"))
    # Both stop at the same look, and both pages name what was asked.
    r = Run(["--html", page, "--junit", at], old_build=noisy, new_build=noisy)
    wide = r.out.count("the least that pairs this far apart can show")
    suite.check("the last line counts rows held against wider limits", r.problem(
        0, ", %d by a wider limit, so a change may be hidden: " % wide, " up to +") if wide else r.out)
    suite.check("and a remark names them, in text and in JUnit", r.problem(0, "note: %d limit" % wide, " widened to what these pairs can show") or
                (" widened to what these pairs can show" not in open(at).read() and open(at).read()))
    suite.equal("and so does the page", open(page).read().count(", pairs can show change at most "), wide)
    started = script("hung up", 'kill -HUP $PPID\nexec "%s" session=7 frames=50\n' % GAME)
    r = subprocess.run(["nohup", TRACETOOL, "ab", "-n", "6", "--gate", MEDIAN, "--", started, "--", started], capture_output=True, text=True,
                       stdin=subprocess.DEVNULL, env=dict(os.environ, TMPDIR=TMP), timeout=300)
    suite.check("under nohup a hangup ends nothing", None if r.returncode in (0, 5) and "stopped" not in r.stderr else (r.returncode, r.stderr))


def orders():
    log = suite.path("log of order")
    build = script("a build", 'echo "${TRACETOOL_CAPTURE##*/}" >> "%s"\nexec "%s" session=7 frames=50\n' % (log, GAME))

    def order(*options):
        if os.path.exists(log):
            os.remove(log)
        r = Run(["-n", "8", "--until", "all", "--gate", MEDIAN, "--inconclusive", "pass", *options], old_build=[build], new_build=[build, "x y"])
        suite.check("a script in a path with a blank runs", r.problem(0, "x y"))
        return open(log).read().split("\n")[:-1], re.search(r"seed (\d+)", r.err).group(1)

    first, seed = order()
    again, _ = order("--seed", seed)
    suite.equal("the seed that is printed gives the same order", again, first)
    suite.equal("the warm-up comes first", first[:2], ["old-warm-up.ttc", "new-warm-up.ttc"])
    pairs = [first[i:i + 2] for i in range(2, len(first), 2)]
    suite.equal("each pair has both", [sorted(p) for p in pairs], [["new-%d.ttc" % i, "old-%d.ttc" % i] for i in range(1, 9)])
    begin = [p[0][:3] for p in pairs]
    suite.equal("of two pairs in a row one begins with each", [sorted(begin[i:i + 2]) for i in range(0, 8, 2)], [["new", "old"]] * 4)
    several = {tuple(p[:3] for p in order("--seed", str(s), "-n", "2", "--warmup", "0")[0]) for s in range(6)}
    suite.equal("other seeds give other orders", several, {("old", "new", "new", "old"), ("new", "old", "old", "new")})


def crashes():
    pid = suite.path("pid")
    build = script("crashes.sh", 'case $TRACETOOL_CAPTURE in *new-2.ttc) echo $$ > "%s";; esac\nexec "%s" session=7 frames=200 "$@"\n' % (pid, GAME))
    r = Run(["--gate", MEDIAN, "-n", "8"], new_build=[build, "crash=11", "only=new-2*"])
    suite.check("one crash of the new build is worse", r.problem(1, "new crashed 1 of", "signal 11", "old crashed 0 of", "FAIL crashes: "))
    gone = open(pid).read().strip()
    suite.equal("what its recorder had in memory is removed", [n for n in os.listdir("/dev/shm") if n.startswith("tracetool-%s-" % gone)], [])
    suite.check("it may be let", Run(["--gate", MEDIAN, "-n", "9", "--max-crashes", "1"], new=["crash=6", "only=new-2*"]).problem(
        0, "new crashed 1 of", "passed"))
    suite.check("a crash of the old one is no fault", Run(["--gate", MEDIAN, "-n", "9"], old=["crash=6", "only=old-2*"]).problem(
        0, "old crashed 1 of"))
    suite.check("one that always crashes is not run to the end", Run(["--gate", MEDIAN], new=["crash=6", "print=3"]).problem(
        1, "new crashed 3 of 3 (signal 6", "no run of the new build ended well", "pair 1 of 10: new crashed\n",
        "pair 3 of 10: new crashed; the answer is clear", "| line 2 of a build"))
    suite.check("without rows as well", Run([], new=["exit=3", "none=1"]).problem(1, "new crashed 3 of 3 (exit status 3)"))
    suite.check("if the old one always does, nothing is decided", Run([], old=["exit=3", "none=1"]).problem(5, "no run of the old build ended well"))
    suite.check("if both do, neither", Run([], old=["exit=3"], new=["exit=3"]).problem(5, "new crashed 3 of 3"))
    suite.check("a run that hangs is ended", Run(["--gate", MEDIAN, "-n", "7", "--timeout", "2s"], new=["hang=1", "only=new-1.ttc"]).problem(
        1, "new crashed 1 of", "it ran longer than the 2 s of --timeout"))
    suite.check("no capture where there was one is a crash", Run(["--gate", MEDIAN, "-n", "7"], new=["none=1", "only=new-3*"]).problem(
        1, "exit status 0, but no capture"))


def refusals():
    suite.check("no capture at all is told", Run([], new=["none=1", "print=2"]).problem(
        2, "left no capture in $TRACETOOL_CAPTURE", "tracetool-unity(7)", "--mono", "line 1 of a build"))
    quiet = script("quiet.sh", "echo the last word\n")
    suite.check("with what it printed last", Run([], old_build=[quiet]).problem(2, "| the last word"))
    suite.check("what is no capture is told", Run([], new=["text=1"]).problem(3, "new warm-up: its capture cannot be read (--keep DIR keeps the capture)"))
    one = suite.path("one.ttc")
    subprocess.run([GAME], env=dict(os.environ, TRACETOOL_CAPTURE=one), check=True)
    copy = script("copy.sh", 'cp "%s" "$TRACETOOL_CAPTURE"\n' % one)
    suite.check("the same recording each time is told", Run([], new_build=[copy]).problem(2, "left the same recording"))
    suite.check("a program that is not there", Run([], new_build=["./not there"]).problem(4, "the new build: ./not there: No such file"))
    suite.check("nor in PATH", Run([], new_build=["not-there"]).problem(
        4, "the new build: not-there: No such file in PATH: write ./not-there for a program of this folder"))
    for what, args in (("one build", ["--", "x"]), ("no --", ["a", "b"]), ("nothing after --", ["--", "x", "--"]), ("none", [])):
        r = subprocess.run([TRACETOOL, "ab", *args], capture_output=True, text=True)
        suite.check("usage: " + what, None if r.returncode == 2 and "name both builds" in r.stderr else r.stderr)
    suite.check("--resume wants a folder", Run(["--resume"]).problem(2, "--keep names the folder"))
    suite.check("a marker that never occurs", Run(["--frame-marker", "Nothing"]).problem(2, "Nothing"))
    suite.check("a budget with a fault", Run(["--gate", one]).problem(2, "tracetool-budget(5)"))
    for name in ("new-3.ttc", "rows.json", "runs"):
        other = suite.path("of somebody's " + name)
        os.mkdir(other)
        with open(os.path.join(other, name), "w") as f:
            f.write("mine")
        suite.check("a folder with a %s of somebody else" % name, Run(["--keep", other]).problem(2, "somebody's", name, "name another folder"))
        suite.equal("is left as it was", open(os.path.join(other, name)).read(), "mine")
    twice = suite.path("twice")
    suite.check("a first attempt that fails", Run(["--keep", twice], new=["none=1"]).problem(2, "left no capture"))
    suite.check("is none", Run(["--keep", twice, "-n", "1", "--inconclusive", "pass", "--gate", MEDIAN]).problem(0, "1 pair of at most 1"))
    inner = script("inner.sh", '"%s" ab -n 5 --keep "%s" -- true -- true 2>&1\nexit 3\n' % (TRACETOOL, suite.path("both")))
    suite.check("two at once", Run(["--keep", suite.path("both"), "-n", "5"], new_build=[inner]).problem(1, "another tracetool ab runs in this folder"))
    for name in (suite.path("nodir", "a.xml"), TMP):
        suite.check("a verdict that cannot be written, before a run", Run(["--junit", name, "--html", suite.path("k.html")]).problem(
            4, "cannot write " + name, missing=["pair"]))
    full = Run(["-n", "5", "--until", "all", "--gate", MEDIAN, "--json", "/dev/full"])
    suite.check("one that cannot be written after them is printed", full.problem(4, "/dev/full", "passed: 3 rows"))
    stale, link = suite.path("stale.json"), suite.path("a link")
    os.symlink(stale, link)
    for what, name, code, options, new in (
            ("a refusal before the runs", stale, 2, ["-n", "4"], []), ("a build that is not there", stale, 4, [], None),
            ("a refusal after a run", stale, 2, [], ["none=1"]), ("a file by a symbolic link", link, 2, [], ["none=1"])):
        with open(stale, "w") as f:
            f.write("{}")
        Run(["--json", name, *options], new=new or (), new_build=None if new is not None else ["./not there"]).code == code or suite.check(what, "exit")
        suite.equal(what + " leaves no verdict of an earlier run", [os.path.exists(stale), os.path.islink(link)], [False, True])
    with open(stale, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "median", "metric": "frame.time", "max": "+3%" } ] }')
    suite.check("a budget is no output", Run(["--gate", stale, "--json", stale]).problem(2, words.say("input_and_output")))
    suite.check("and stays", None if os.path.getsize(stale) > 2 else "it is gone")
    suite.check("a file that is standard output", Run(["--json", "-"]).problem(2, "taken by the text (name a file)"))
    suite.check("options of the module", Run(["-p", "nonsense"]).problem(2, "nonsense"))
    odd = suite.path("100% kept")
    suite.check("a folder that recorders would not find", Run(["--keep", odd]).problem(2, "name a folder without"))


def resuming():
    keep, flag = suite.path("kept runs"), suite.path("flag")
    build = script("stops.sh", 'case $TRACETOOL_CAPTURE in *-3.ttc) [ -e "%s" ] || { : > "%s"; kill -INT $PPID; exec sleep 300; };; esac\n'
                   'exec "%s" session=7 frames=200 "$@"\n' % (flag, flag, GAME))
    words = ["--seed", "5", "--gate", MEDIAN, "-n", "7", "--until", "all", "--keep", keep]
    r = Run(words, old_build=[build], new_build=[build, "slow=20"])
    suite.check("SIGINT ends it, and what is known is printed", r.problem(-signal.SIGINT, "interrupted", "--resume", "median", "2 pairs of at most 7"))
    lines = open(os.path.join(keep, "runs")).read().splitlines()
    suite.equal("complete runs are noted", sorted(lines[6:]), ["new 1: good", "new 2: good", "old 1: good", "old 2: good"])
    suite.check("other builds are not taken", Run(words + ["--resume"], old_build=[build], new_build=[build]).problem(
        2, "its runs were made with \"new ", "slow=20"))
    suite.check("nor another --until", Run(words + ["--resume", "--until", "clear"], old_build=[build], new_build=[build, "slow=20"]).problem(
        2, 'its runs were made with "pairs 7, all", not with "pairs 7, stopping early" (-n, --max-runs and --until)'))
    suite.check("another seed is not taken", Run(words + ["--resume", "--seed", "6"], old_build=[build], new_build=[build, "slow=20"]).problem(
        2, "by the seed 5", "leave out --seed"))
    suite.check("nor without being asked", Run(words, old_build=[build], new_build=[build, "slow=20"]).problem(2, "continue them with --resume"))
    out = suite.path("resumed.json")
    suite.check("it goes on", Run(words + ["--resume", "--json", out], old_build=[build], new_build=[build, "slow=20"]).problem(
        1, "4 runs are taken", "7 pairs of at most 7", "new crashed 0 of 7"))
    whole = suite.path("whole.json")
    Run(["--seed", "5", "--gate", MEDIAN, "-n", "7", "--until", "all", "--json", whole], old_build=[build], new_build=[build, "slow=20"])
    a, b = (json.load(open(p))["rows"][0] for p in (out, whole))
    suite.equal("to the same verdict", [a[k] for k in ("value", "baseline", "test", "outcome")], [b[k] for k in ("value", "baseline", "test", "outcome")])
    stamp = os.stat(os.path.join(keep, "old-1.ttc")).st_mtime_ns
    suite.check("a finished one is judged again", Run(words + ["--resume"], old_build=[build], new_build=[build, "slow=20"]).problem(
        1, "14 runs are taken"))
    suite.equal("without a run", os.stat(os.path.join(keep, "old-1.ttc")).st_mtime_ns, stamp)
    suite.check("captures of it can be read", None if subprocess.run([TRACETOOL, "stats", os.path.join(keep, "new-7.ttc")], stdout=subprocess.DEVNULL)
                .returncode == 0 else "no")
    deaf = script("deaf.sh", "trap '' INT\nkill -INT $PPID\nexec sleep 300\n")
    with subprocess.Popen([TRACETOOL, "ab", "--", deaf, "--", deaf], stderr=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=TMP)) as p:
        said = next((line for line in p.stderr if "waiting" in line), "")
        p.send_signal(signal.SIGINT)
    suite.check("a build that ignores SIGINT is waited for", None if "interrupt again to kill it now" in said else said)
    suite.equal("and killed by a second one", p.returncode, -signal.SIGINT)
    # With rows of its own, too, which must stay the same.
    keep = suite.path("own rows")
    os.remove(flag)
    r = Run(["--keep", keep, "-n", "8"], old_build=[build], new_build=[build, "slow=20"])
    rows = open(os.path.join(keep, "rows.json")).read()
    suite.check("interrupted with rows of its own", r.problem(-signal.SIGINT, "frame-trimmed"))
    suite.check("resumed with them", Run(["--keep", keep, "-n", "8", "--resume"], old_build=[build], new_build=[build, "slow=20"]).problem(
        1, "4 runs are taken", "frame-trimmed"))
    suite.equal("they are the same", open(os.path.join(keep, "rows.json")).read(), rows)


def limits():
    suite.check("no time, no pair", Run(["--max-time", "1ns", "--gate", MEDIAN]).problem(5, "no time for another pair after 0 of 10"))
    suite.check("so many runs", Run(["--max-runs", "13", "--until", "all", "--gate", MEDIAN]).problem(0, "6 pairs of at most 6"))
    suite.check("until it is decided", Run(["--until", "decided", "--gate", MEDIAN]).problem(0, "of at most 20"))


def strangers():
    r = Run(["--gate", MEDIAN, "-n", "7"], new=["print=20000"])
    suite.check("what a build prints is not ours", r.problem(0, missing=["line 1"]))
    read, write = os.pipe()
    suite.check("a build has nothing to read", Run(["--gate", MEDIAN, "-n", "7"], new=["read=1"], stdin=read).problem(0))
    os.close(read)
    os.close(write)
    suite.check("what it leaves running is ended", Run(["--gate", MEDIAN, "-n", "7", "--warmup", "0"], new=["child=1", "only=new-1*"]).problem(
        0, "left processes running"))
    pid = suite.path("pid of a daemon")
    daemon = script("daemon.sh", 'case $TRACETOOL_CAPTURE in *new-1.ttc) setsid sh -c \'echo $$ > "$0"; exec sleep 300\' "%s" & while [ ! -s "%s" ]; do :; '
                    'done;; esac\nexec "%s" session=7 frames=200\n' % (pid, pid, GAME))
    suite.check("and a daemon", Run(["--gate", MEDIAN, "-n", "7", "--warmup", "0"], new_build=[daemon]).problem(0, "left processes running"))
    suite.equal("which is gone", os.path.exists("/proc/" + open(pid).read().strip()), False)
    mine = subprocess.run(["bash", "-c", 'sleep 300 > /dev/null 2>&1 & echo $! > "$0"; exec "$@"', pid, TRACETOOL, "ab", "-q", "-n", "1", "--gate", MEDIAN,
                           "--inconclusive", "pass", "--", *GAME_WORDS, "--", *GAME_WORDS], capture_output=True, text=True, env=dict(os.environ, TMPDIR=TMP))
    suite.check("but not what we had before", None if mine.returncode == 0 and os.path.exists("/proc/" + open(pid).read().strip()) else mine.stderr)
    os.kill(int(open(pid).read()), signal.SIGKILL)
    terminal()
    gone = script("gone.sh", 'rm -r "${TRACETOOL_CAPTURE%%/*}"\nexec "%s"\n' % GAME)
    suite.check("a build that removes the folder", Run([], new_build=[gone]).problem(4, "the folder of captures is gone after the run new warm-up"))
    away = script("away.sh", 'cd / && exec "%s" session=7 frames=200\n' % GAME)
    suite.check("one that goes elsewhere", Run(["--gate", MEDIAN, "-n", "7"], new_build=[away]).problem(0))
    late = script("late.sh", 'case $TRACETOOL_CAPTURE in *new-2.ttc) echo text > "$TRACETOOL_CAPTURE";; *) exec "%s" session=7 frames=200;; esac\n' % GAME)
    suite.check("a capture that cannot be read among others", Run(["--gate", MEDIAN, "-n", "7"], new_build=[late]).problem(
        1, "which counts as a crash", "new crashed 1 of", "a capture that cannot be used"))


def terminal():
    """A build that reads from its terminal: in the background it would be stopped, and never end."""
    asks = script("asks.sh", '(read x < /dev/tty) 2> "%s"\nexec "%s" session=7 frames=200\n' % (suite.path("asked"), GAME))
    pid, fd = os.forkpty()
    if pid == 0:
        os.environ["TMPDIR"] = TMP
        os.execv(TRACETOOL, [TRACETOOL, "ab", "-v", "-n", "1", "--timeout", "60s", "--inconclusive", "pass", "--gate", MEDIAN, "--", asks, "--", asks])
    said = b""
    try:
        while more := os.read(fd, 65536):
            said += more
    except OSError:
        pass
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    suite.check("a build has no terminal", None if status == 0 and b"new crashed 0 of 1" in said else "exit %d: %s" % (status, said))
    suite.check("which it is told", None if "/dev/tty" in open(suite.path("asked")).read() else "no")


def forms():
    at = {name: suite.path("out." + name) for name in ("json", "junit", "markdown", "gitlab")}
    r = Run(["--github", "--azure", "--teamcity", "--seed", "1"] + [w for name, p in at.items() for w in ("--" + name, p)], new=["slow=30"])
    suite.check("all forms", r.problem(1, "::error title=", "##vso[task.logissue type=error;]", "##teamcity[", missing=["file=", "re:^"]))
    document = json.load(open(at["json"]))
    schema = json.load(open(os.path.join(TOP, "lib", "gate", "verdict.schema.json")))
    suite.check("JSON is what the schema says", [e.message for e in jsonschema.Draft7Validator(schema).iter_errors(document)])
    ab = document["ab"]
    suite.equal("and says what was run", [ab["seed"], ab["old"]["crashes"], ab["old"]["runs"], ab["new"]["command"][-9:]],
                [1, 0, ab["pairs"], "'slow=30'"])
    tests = [row["test"] for row in document["rows"] if "test" in row]
    suite.equal("no p is smaller for more looks", [t for t in tests if t["p_not_worse_adjusted"] < t["p_not_worse"] or t["p_adjusted"] < t["p"]], [])
    suite.equal("JUnit has a case for each row", len(xml.dom.minidom.parse(at["junit"]).getElementsByTagName("testcase")), len(document["rows"]))
    changes = [[line for line in open(at[name]) if text in line] for name, text in (("junit", "change_by_pairs_"), ("gitlab", "tracetool_change{"))]
    suite.equal("JUnit and GitLab have the change of each row with pairs", [len(c) for c in changes], [sum("test" in r for r in document["rows"])] * 2)
    suite.check("Markdown has the verdict", None if "FAILED" in open(at["markdown"]).read() else "no")


for part in (verdicts, counts, powers, strict, orders, crashes, refusals, resuming, limits, strangers, forms):
    part()
    suite.equal("%s: nothing is left behind" % part.__name__, os.listdir(TMP), [])
suite.end()
