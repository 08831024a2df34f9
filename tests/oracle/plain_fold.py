#!/usr/bin/env python3
"""The fold's fast loops (lib/fold/fast.c) give the figures of its plain rule (plain.c), and the program works without them.

Of every capture of testdata, of those that strangers made, where they are (TT_REAL), and of made ones of each format, every table as JSON is the same
with TT_PLAIN in the environment, which turns fast.c off: with no option, and with each way to leave something out. So are all events as CSV and as
Chrome's JSON, where zones are written. Of the options each capture has some, drawn by lot; at full length all.

Made captures have what makes the fast loops turn: paths so many that they are predicted and fetched ahead, an order of calls that no prediction hits,
stacks so deep that their levels are kept for the next chunk, zones open over many chunks, so many frames that some alone are looked at.

Then lib/fold is compiled without fast.c, and linked with all the rest: the program has none of it, and gives the same.
Ends with "N passed, N failed".
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import lot
from suite import BUILD, TESTDATA, TOP, TRACETOOL, Suite

REAL = os.environ.get("TT_REAL", os.path.join(TOP, "..", "shared", "corpus", "real"))
SUFFIXES = (".mlpd", ".ttc", ".raw", ".data")
SOME = 3              # options of each capture
OPTIONS = [["-j", "3"], ["--time", "0.05-0.3"], ["--time", "0.001-0.002"], ["--frames", "2-4"], ["--min-duration", "20us"], ["--depth", "3"],
           ["--wrappers"], ["--no-wait"], ["--player-only"], ["--max-paths", "20"], ["--frame-marker", "re:Frame|Update"], ["--thread", "re:[0-9a]"],
           ["--buckets", "7", "--metric", "marker.time[re:.].total", "--metric", "alloc.bytes"], ["--find", "S:1", "--marker", "re:a"],
           ["--group-by", "thread"]]
# What is asked for decides which loop folds: counts alone, with durations, with the frames of allocations.
ASKED = ["calltree,alloc_sites", "markers,alloc_paths", "gcalloc,threads"]
WRITTEN = [[], ["--min-duration", "20us"], ["--depth", "3", "--player-only"], ["--time", "0.05-0.3", "--wrappers"]]


def run(args, plain=False, program=TRACETOOL):
    """(exit status, output, messages) of the program; with the plain rule alone."""
    env = {k: v for k, v in os.environ.items() if k != "TT_PLAIN"}
    r = subprocess.run([program, *args], env=dict(env, TT_PLAIN="1") if plain else env, capture_output=True)
    return r.returncode, r.stdout, r.stderr.replace(program.encode(), b"")


def make(*args, **more):
    subprocess.run(args, check=True, stdout=subprocess.DEVNULL, **more)


def gen(path, lines):
    make(os.path.join(BUILD, "kit", "calls_gen"), path, input="\n".join(lines).encode() + b"\n")


def calls(path, nmethods, ncalls, seed):
    """A capture of calls of so many methods that their durations fill more than a cache: in an order that repeats, then in one that does not."""
    r = random.Random(seed)
    lines = ["image\t1\tGame.dll"] + ["class\t%d\t1\tGame.C%d" % (10 + i, i) for i in range(40)]
    lines += ["method\t%d\tGame.C%d:M%d ()" % (100 + i, i % 40, i) for i in range(nmethods)] + ["thread\t1\tMain", "thread\t2\tWorker"]
    order = [[r.randrange(nmethods) for _ in range(r.randrange(1, 6))] for _ in range(nmethods)]
    time = {"1": 1000, "2": 1500}
    deep = []             # what is open on thread 2: more levels than are kept for one, and the upper ones change

    def happen(what, thread, *words):
        time[thread] += r.choice((40, 90, 400, 3000, 20000, 130000))
        lines.append("\t".join([what, str(time[thread]), thread, *map(str, words)]))

    def nest(thread, stack):
        for m in stack:
            happen("enter", thread, 100 + m)
        recorded = [",".join(str(100 + m) for m in stack[::-1])] if r.random() < 0.2 else []
        happen("alloc", thread, 10 + stack[-1] % 40, 16 + stack[0] % 100 * 100, *recorded)
        for m in reversed(stack):
            happen("leave", thread, 100 + m)

    def deepen(level):
        while len(deep) > level:
            happen("leave", "2", 100 + deep.pop())
        while len(deep) < 300:
            deep.append(r.randrange(nmethods))
            happen("enter", "2", 100 + deep[-1])
    for i in range(ncalls):
        if i % 200 == 0:
            deepen(r.randrange(250, 300) if i else 0)
        repeats = i < ncalls // 2
        nest("12"[i // 50 % 2], order[i % nmethods] if repeats else [r.randrange(nmethods) for _ in range(r.randrange(1, 4))])
    gen(path, lines)


def frames(path, nframes, ncalls):
    """A capture of so many frames and calls that causes look at some frames alone; calls of a worker cross their edges."""
    lines = ["image\t1\tGame.dll", "class\t10\t1\tGame.C"] + ["method\t%d\tGame.C:%s ()" % (i, n) for i, n in enumerate(("Frame", "Work", "Slow", "Job"), 20)]
    lines += ["thread\t1\tMain", "thread\t2\tWorker"]
    length, r = 4000000, random.Random(3)
    for i in range(nframes):
        t, long = 1000 + i * length, r.random() < 0.05
        lines += ["enter\t%d\t1\t20" % t, "calls\t%d\t1\t21\t%d\t%d" % (t + 10, ncalls // nframes, length // 2 // (ncalls // nframes)),
                  "alloc\t%d\t1\t10\t%d" % (t + length // 2 + 20, 100 + i)]
        if long:
            lines.append("calls\t%d\t1\t22\t2\t%d" % (t + length // 2 + 30, length // 8))
        lines += ["leave\t%d\t1\t20" % (t + (length - 5 if long else length * 7 // 8)),
                  "enter\t%d\t2\t23" % (t + length // 2), "leave\t%d\t2\t23" % (t + length + length // 3)]
    gen(path, lines)


def made(suite):
    """Paths of captures that are made here."""
    raw, data = [os.path.join(TOP, "tests", "unity", g) for g in ("raw_gen.py", "data_gen.py")]
    captures = []
    for version in (4, 8, 12, 14, 17):
        captures.append(suite.path("made-v%d.mlpd" % version))
        make(os.path.join(BUILD, "kit", "mlpd_gen"), str(version), "8", "7", captures[-1])
    for suffix, program, more in ((".raw", raw, ["--scenario", "every"]), (".raw", raw, ["--version", "0x20220328", "--frames", "60"]),
                                  (".raw", raw, ["--scenario", "unmatched"]), (".data", data, ["--scenario", "odd"]),
                                  (".data", data, ["--version", "0x20220328", "--frames", "60"])):
        captures.append(suite.path("made-%d%s" % (len(captures), suffix)))
        make(sys.executable, program, captures[-1], *more)
    captures.append(suite.path("made.ttc"))
    make(os.path.join(BUILD, "host", "host"), "capture=" + captures[-1], "seed=5", "threads=3", "markers=30", "frames=60", "events=300", "fps=2000",
         stderr=subprocess.DEVNULL, env=dict(os.environ, BUILD=BUILD))
    captures += [suite.path("made-few.mlpd"), suite.path("made-many.mlpd"), suite.path("made-frames.mlpd")]
    calls(captures[-3], 60, 2000, 1)
    calls(captures[-2], 1500, 40000, 2)
    frames(captures[-1], 400, 2200000)
    return captures


def captures_there_are():
    found = [os.path.join(d, f) for d, _, names in os.walk(TESTDATA) for f in names]
    real = sorted(glob.glob(os.path.join(REAL, "*")))
    return sorted(p for p in found + real if any(s + end in p + "$" for s in SUFFIXES for end in ("$", ".xz$")))


def tables():
    rows = json.loads(run(["list", "metrics", "--format", "json"])[1])["tables"]["metrics"]["rows"]
    return ",".join(dict.fromkeys(r["table"] for r in rows))


def without_fast(suite):
    """The program, linked with a lib/fold that has no fast.c; None where it cannot be made."""
    lib = suite.path("lib")
    os.mkdir(lib)
    for name in os.listdir(os.path.join(TOP, "lib")):
        if name != "fold":
            os.symlink(os.path.join(TOP, "lib", name), os.path.join(lib, name))
    shutil.copytree(os.path.join(TOP, "lib", "fold"), os.path.join(lib, "fold"), ignore=shutil.ignore_patterns("fast.c"))
    flags = open(os.path.join(BUILD, "flags")).read().split()
    makefile = open(os.path.join(TOP, "Makefile"), encoding="utf-8").read()
    sources = sorted(os.path.relpath(c, TOP) for c in glob.glob(os.path.join(TOP, "cmd", "*.c")))
    for line in makefile.split("\n"):
        if line.startswith("CMD_SRC"):
            sources += [w for w in line.split() if w.startswith("formats/")]
    program = suite.path("tracetool")
    # The flags of the build at hand; its first word is the compiler, which may be two words with a compiler cache.
    compiler = flags[:[f[0] == "-" for f in flags].index(True)]
    options = ["-I" + lib] + [f for f in flags if not f.startswith("-l") and f[0] == "-" and f != "-Ilib"] + ["-Werror", "-o", program]
    inputs = sorted(glob.glob(os.path.join(lib, "fold", "*.c"))) + [os.path.join(BUILD, c[:-2] + ".o") for c in sources]
    libraries = [os.path.join(BUILD, "libtracetool.a")] + [f for f in flags if f.startswith("-l")] + open(os.path.join(BUILD, "sqlite")).read().split()
    r = subprocess.run(compiler + options + inputs + libraries + ["-lm"], cwd=TOP, capture_output=True, text=True)
    suite.check("the program is built without fast.c", r.returncode != 0 and r.stderr)
    return program if r.returncode == 0 else None


def main():
    suite = Suite()
    every = tables()
    captures = lot.some(captures_there_are(), 40, "captures") + made(suite)
    if not os.path.isdir(REAL):
        suite.left_out("captures that strangers made", "there is no folder " + REAL)
    tries = []
    for path in captures:
        name = os.path.basename(path)
        if "made-frames" in name:         # large
            tries += [(path, ["stats", "-q", "--format", "json", "--frame-marker", "Frame", "--table", t]) for t in ("causes,frames", "by_frame,causes")]
            continue
        more = [] if "bad" in name else lot.some(OPTIONS, SOME, name)
        tries += [(path, ["stats", "-q", "--format", "json", "--table", every, *o]) for o in [[]] + more]
        tries += [(path, ["stats", "-q", "--format", "json", "--table", t]) for t in lot.some(ASKED, 1, "asked", name) if "bad" not in name]
        tries += [(path, ["convert", "-q", "-f", f, "-o", "-", *o]) for f in ("csv", "chrome") for o in lot.some(WRITTEN, 1, name, f)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(path, args, pool.submit(run, args + [path]), pool.submit(run, args + [path], True)) for path, args in tries]
        for path, args, fast, plain in jobs:
            what = " ".join(a for a in args if a != every) + " " + os.path.basename(path)
            fast, plain = fast.result(), plain.result()
            suite.check(what, fast != plain and difference(fast, plain))
    program = without_fast(suite)
    if program:
        for path in [p for p in captures if "good-d0" in p or "every" in p or "made-many" in p]:
            args = ["stats", "-q", "--format", "json", "--table", every, path]
            suite.check("without fast.c: " + os.path.basename(path), difference(run(args), run(args, program=program)))
        has = [b" tt_fast_calls\n" in subprocess.run(["nm", p], capture_output=True).stdout for p in (TRACETOOL, program)]
        suite.equal("fast.c is in the program, and not in that one", has, [True, False])
    suite.end()


def difference(have, want):
    """What differs first, or None."""
    if have == want:
        return None
    if have[0] != want[0] or have[2] != want[2]:
        return "exit status and messages: %s, not %s" % ((have[0], have[2]), (want[0], want[2]))
    lines = zip(have[1].split(b"\n"), want[1].split(b"\n"))
    return next(("%s, not %s" % (a[:400], b[:400]) for a, b in lines if a != b), "one is longer")


main()
