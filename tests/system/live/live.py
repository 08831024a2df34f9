#!/usr/bin/env python3
"""Captures recorded on the spot by the installed Mono, read by tracetool and by two others.

    live.py TRACETOOL BUILD

The programs of tests/system/mono are compiled into BUILD/live and recorded with the options of testdata's
table and some more; one is killed in the middle. Each capture is compared

* with the installed mprof-report, where that is right: events by type,
  calls by method, allocations by class as far as it can name them, collections, throws and clauses;
* with mlpd.py, in everything (tests/oracle/compare.py).

Prints one line per difference and `N passed, N failed`; exit status 1 if any failed.
"""
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import end, fault

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "oracle"))
import check_encoder  # noqa: E402
import compare  # noqa: E402

# Name, program with arguments, options of the profiler. Those marked "all" are of the long set.
RECORDINGS = [
    ("calls-alloc", "GameLoop 60 4", "nodefaults,calls,alloc"),
    ("defaults", "GameLoop 8 2", "calls,alloc,monitor,exception,gc,gcmove"),
    ("sample", "GameLoop 40 40 2", "nodefaults,sample-real=1000,gc,counter,jit"),
    ("alloc-stacks", "GameLoop 10 4", "nodefaults,gc,gcalloc,maxframes=8"),
    ("exceptions", "Exceptions", "nodefaults,exception,calls,calldepth=60,callspec=Exceptions"),
    ("recursion", "Recurse", "nodefaults,calls,callspec=Recurse"),
    ("monitors", "Monitors", "nodefaults,monitor,maxframes=6"),
    ("moves-handles", "GcMoves", "nodefaults,gc,gcalloc,gcmove,gchandle,finalization,maxframes=4"),
    ("heapshot", "Heap", "nodefaults,heapshot,gcmove,counter"),
    ("zip", "Exceptions", "nodefaults,calls,exception,zip"),
    ("all names", "Names", "nodefaults,calls,alloc,jit,exception"),
    ("all counters", "CountersDemo", "counter,zip"),
    ("all calls-alloc-long", "GameLoop 300 8", "nodefaults,calls,alloc,gcmove"),
]
KILLED = ("killed", "GameLoop 100000 8", "nodefaults,calls,alloc")


class Live:
    def __init__(self, tracetool, build):
        self.program = compare.Program(tracetool)
        self.folder = os.path.join(build, "live")
        os.makedirs(self.folder, exist_ok=True)
        self.long = os.environ.get("TT_SET") == "all"

    def compile(self):
        source = os.path.join(HERE, "..", "mono")
        # These are about tracetool's own module and need its C# source.
        own = ("Arcade.cs", "Control.cs", "Hitches.cs", "Pause.cs", "Raised.cs")
        for name in sorted(n for n in os.listdir(source) if n.endswith(".cs") and n not in own):
            path, exe = os.path.join(source, name), os.path.join(self.folder, name[:-3] + ".exe")
            if os.path.exists(exe) and os.path.getmtime(exe) >= os.path.getmtime(path):
                continue
            subprocess.run(["mcs", "-debug", "-unsafe", "-nowarn:0168,0219,0414,0649", "-r:System.Core.dll",
                            "-out:" + exe, path], check=True, capture_output=True)

    def start(self, recording):
        """Begin one; several run side by side, for the profiler takes a second to end."""
        name, command, options = recording
        path = os.path.join(self.folder, name.replace("all ", "") + ".mlpd")
        if os.path.exists(path):
            os.unlink(path)
        argv = command.split()
        run = subprocess.Popen(["mono", "--profile=log:%s,output=%s" % (options, path), argv[0] + ".exe"] + argv[1:],
                               cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
        return name.replace("all ", ""), path, run

    def check(self, name, path, killed=False):
        if not os.path.exists(path) or os.path.getsize(path) == 0:
            fault(name, ["Mono recorded nothing"])
            return
        fault(name + " with mlpd.py", compare.compare(self.program, path))
        if killed:
            fault(name, self.not_ended(path))
        else:
            fault(name + " with mprof-report", compare_mprof(self.program, path))

    def not_ended(self, path):
        _, stats = self.program.json("stats", "-q", "--format", "json", "--table", "loss", path)
        return [] if any(r["kind"] == "not_ended" for r in stats["loss"]) else ["the ledger does not say that it was killed"]

    def killed(self):
        """Killed once something has been written; a buffer is written once a second or when it is full."""
        name, path, run = self.start(KILLED)
        until = time.monotonic() + 20
        while time.monotonic() < until and not (os.path.exists(path) and os.path.getsize(path) > 300000):
            time.sleep(0.05)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.check(name, path, killed=True)

    def all(self):
        self.compile()
        wanted = [r for r in RECORDINGS if self.long or not r[0].startswith("all ")]
        under_way = []
        while wanted or under_way:
            while wanted and len(under_way) < 4:
                under_way.append(self.start(wanted.pop(0)))
            name, path, run = under_way.pop(0)
            try:
                run.wait(timeout=120)
            except subprocess.TimeoutExpired:
                run.kill()
                fault(name, ["Mono does not end"])
                continue
            self.check(name, path)
        self.killed()


# --------------------------------------------------------------------------------------
# mprof-report
# --------------------------------------------------------------------------------------

def report(path, *args):
    p = subprocess.run(["mprof-report", *args, path], capture_output=True, timeout=120)
    if p.returncode != 0:
        raise RuntimeError("mprof-report: exit status %d" % p.returncode)
    return p.stdout.decode("utf-8", "replace")


def section(text, title):
    """The lines of one summary, up to the empty line behind it."""
    at = text.find("\n" + title)
    return [] if at < 0 else text[at + 1:].split("\n\n")[0].splitlines()[1:]


def events_by_type(c, text, info):
    theirs = Counter()
    for r in info["capture_events"]:
        theirs[r["type"]] += r["events"]
    rows = re.findall(r"TYPE_\w+\s+TYPE_(\w+)\s+count\s+(\d+)", text)
    if not rows:
        c.note("mprof-report prints no table of events")
    for name, count in rows:
        tag = check_encoder.ROWS.get(name)
        if tag is not None and theirs[compare.tag_name(tag)] != int(count):
            c.note("%s: %d, mprof-report has %s" % (name, theirs[compare.tag_name(tag)], count))


def calls(c, text, stats):
    """Enters by method; zones of tracetool's own are not methods."""
    mine = Counter()
    own = ("GC.", "Contention", "Exception")
    for r in stats.get("markers", []):
        if not r["marker"].startswith(own):
            mine[r["marker"]] += r["count"]
    theirs = Counter()
    for line in section(text, "Method call summary"):
        row = re.match(r"\s*\d+\s+\d+\s+(\d+) (.*)", line)
        if row:
            theirs[row.group(2)] += int(row.group(1))
    for name in set(mine) | set(theirs):
        if mine[name] != theirs[name]:
            c.note("calls of %r: %d, mprof-report has %d" % (name, mine[name], theirs[name]))


def allocations(c, text, stats):
    """It cannot name the class of an allocation that comes before its vtable: all of ours or fewer."""
    mine = {r["class"]: (r["count"], r["bytes"]) for r in stats.get("alloc_classes", [])}
    theirs, unresolved = Counter(), Counter()
    total = None
    for line in section(text, "Allocation summary"):
        row = re.match(r"\s*(\d+)\s+(\d+)\s+\d+ (.*)", line)
        if row:
            to = unresolved if row.group(3).startswith("unresolved") else theirs
            to[(row.group(3), "n")] += int(row.group(2))
            to[(row.group(3), "b")] += int(row.group(1))
        row = re.match(r"Total memory allocated: (\d+) bytes in (\d+) objects", line)
        total = (int(row.group(2)), int(row.group(1))) if row else total
    if not theirs:
        c.same("allocations", sum(n for n, _ in mine.values()), 0)
        return
    have = (sum(n for n, _ in mine.values()), sum(b for _, b in mine.values()))
    if have != total:
        c.note("allocations: %r, mprof-report has %r" % (have, total))
    missing = [0, 0]
    for name, (n, b) in mine.items():
        missing[0] += n - theirs[(name, "n")]
        missing[1] += b - theirs[(name, "b")]
        if n < theirs[(name, "n")] or b < theirs[(name, "b")]:
            c.note("allocations of %r: %d, %d bytes; mprof-report has more" % (name, n, b))
    left = [sum(v for (_, k), v in unresolved.items() if k == what) for what in "nb"]
    if missing != left:
        c.note("allocations beyond mprof-report's: %r, it leaves %r without a class" % (missing, left))
    for name in {k[0] for k in theirs} - set(mine):
        c.note("class %r is missing" % name)


def collections(c, text, stats):
    lines = "\n".join(section(text, "GC summary"))
    number = lambda pattern: int((re.search(pattern, lines) or [0, 0])[1])  # noqa: E731
    g = stats["gcalloc"][0]
    for what, mine, theirs in (
            ("heap resizes", g["heap_resizes"] or 0, number(r"GC resizes: (\d+)")),
            ("largest heap", g["heap_max_bytes"] or 0, number(r"Max heap size: (\d+)")),
            ("moves", g["moves"] or 0, number(r"Object moves: (\d+)"))):
        if mine != theirs:
            c.note("%s: %d, mprof-report has %d" % (what, mine, theirs))
    mine = {r["generation"]: (r["count"], r["max_ns"] // 1000, r["total_ns"] // 1000) for r in stats["gc_generations"]}
    theirs = {int(m[1]): (int(m[2]), int(m[3]), int(m[4])) for m in
              re.finditer(r"Gen(\d+) collections: (\d+), max time: (\d+)us, total time: (\d+)us", lines)}
    if mine != theirs:
        c.note("collections: %r, mprof-report has %r" % (mine, theirs))


def exceptions(c, text, rows):
    lines = "\n".join(section(text, "Exception summary"))
    throws = re.search(r"Throws: (\d+)", lines)
    mine = Counter(r[10] for r in rows[1:] if r[0] == "clause")
    mine["throw"] = sum(r[0] == "throw" for r in rows[1:])
    theirs = Counter({m[1]: int(m[2]) for m in re.finditer(r"Executed (\w+) clauses: (\d+)", lines)})
    theirs["throw"] = int(throws[1]) if throws else 0
    if +mine != +theirs:
        c.note("throws and clauses: %r, mprof-report has %r" % (dict(mine), dict(theirs)))


def compare_mprof(program, path):
    c = compare.Comparison()
    try:
        _, stats = program.json("stats", "-q", "--format", "json", "--names", "full", "--wrappers", path)
        _, info = program.json("info", "-q", "--format", "json", path)
        text = report(path, "--reports=alloc,call,gc,exception", "--verbose")
        events_by_type(c, report(path, "--reports=stats"), info)
        calls(c, text, stats)
        allocations(c, text, stats)
        collections(c, text, stats)
        exceptions(c, text, program.csv(path))
    except RuntimeError as e:
        c.note(str(e))
    return c.differences


def main(args):
    if len(args) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    live = Live(*args)
    live.all()
    end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
