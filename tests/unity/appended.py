#!/usr/bin/env python3
"""Logs of Unity's profiler (.raw) appended to each other: figures are those of the logs one by one, a whole log loses nothing where the next begins, a counter
of the program is one counter, and what threads have from before a recording is left out of each log, as tracetool-unity-raw(7) says."""
import collections
import csv
import struct

from raw_log import MAIN, MS, SESSION, Log, alloc, marker, sample, state, thread, zone
from ttc import Suite

ROOT, WORK, WORKER, OLD, ALLOC, MEMORY, OTHER = range(7)
FRAMES = 12
suite = Suite()


def counter(number, ms, value):
    return struct.pack("<HBIQBBq", 44, 0, number, int(ms * MS), 1, 4, value)


def log(start, before=b"", main=b"", ids=(MEMORY, OTHER), unit=2, split=0):
    """A log with a worker; ${before}: its messages before the recording, in two blocks if ${split}; ${main}: the main thread's; ${ids}: of counters."""
    c = Log(start, ("Main Thread", "Work", "Worker 0", "Old", "GC.Alloc"))
    c.block(SESSION, marker(ids[0], "Used Memory", [(4 | unit << 8, "Value")], flags=0x80) + marker(ids[1], "Draws", [(4, "Value")], flags=0x80))
    c.block(SESSION, thread(200, start - 3, "Worker 0"))
    if main:
        c.block(MAIN, main)
    for part in (before[:split], before[split:]):
        if part:
            c.block(200, part)
    for k in range(FRAMES):
        ms = start + 1 + 10 * k
        counters = counter(ids[0], ms + 8, 1000 + k) + counter(ids[1], ms + 8, k)
        c.frame(ms, sample(36, ROOT, ms) + zone(WORK, ms + 1, ms + 8) + counters + sample(37, ROOT, ms + 9))
        c.block(200, struct.pack("<HIQ", 34, k, ms * MS))
        c.block(200, sample(36, WORKER, ms + 1) + zone(WORK, ms + 2, ms + 4) + sample(37, WORKER, ms + 9))
    c.block(SESSION, state(0, start + 1 + 10 * FRAMES))
    return c.b


def write(name, *logs):
    with open(suite.path(name), "wb") as f:
        f.write(b"".join(logs))
    return suite.path(name)


def figures(path, status=0):
    t = suite.report("stats", path, "--table", "markers,threads,gcalloc,loss", status=status)["tables"]
    rows = lambda id: t.get(id, {"rows": []})["rows"]
    return ({r["marker"]: (r["count"], r["total_ns"], r["max_ns"], r["min_ns"]) for r in rows("markers") if r["count"]},
            {r["thread"]: (r["busy_ns"], r["allocs"]) for r in rows("threads")}, [(r["count"], r["bytes"]) for r in rows("gcalloc") if r["count"]],
            {r["kind"]: r["count"] for r in rows("loss") if r["severity"] not in ("notice", "info")})


def notes(path):
    return [n["text"].split(" before, ")[0] for n in suite.report("stats", path)["notes"] if n["id"] == "earlier"]


def names(path):
    """How often "Events lost" is told in Chrome JSON, and names of counters with their number of values."""
    events = suite.chrome(path)
    return (sum(e["name"] == "Events lost" for e in events), collections.Counter(e["name"] for e in events if e["ph"] == "C"))


def old(start, ago):
    """A frame of an earlier recording; Old of it is closed only by the next root."""
    at = start - ago
    return sample(36, WORKER, at) + zone(OLD, at + 1, at + 5) + alloc(ALLOC, at + 6, 5000) + sample(36, OLD, at + 7)


two = collections.Counter({"Used Memory": 2 * FRAMES, "Draws": 2 * FRAMES})
# A program's second log has ids of its own.
for what, ids in (("equal ids", (MEMORY, OTHER)), ("other ids", (OTHER, MEMORY)), ("new ids", (700, 800))):
    both = write("two.raw", log(5000), log(105000, ids=ids))
    suite.equal(what + ": nothing was lost, and a counter is one", names(both), (0, two))
    rows = suite.report("stats", both, "--table", "counters")["tables"]["counters"]["rows"]
    suite.equal(what + ": counters", sorted((r["counter"], r["count"], r["min"], r["max"]) for r in rows),
                [("Draws", 2 * FRAMES, 0, FRAMES - 1), ("Used Memory", 2 * FRAMES, 1000, 999 + FRAMES)])
three = write("three.raw", log(5000), log(105000), log(205000))
suite.equal("three logs", names(three), (0, collections.Counter({"Used Memory": 3 * FRAMES, "Draws": 3 * FRAMES})))
for form in ("csv", "pftrace"):
    suite.run("convert", both, "-o", suite.path("two." + form))
with open(suite.path("two.csv"), newline="") as f:
    suite.equal("CSV has no gap", [r["kind"] for r in csv.DictReader(f) if r["kind"] == "gap"], [])
with open(suite.path("two.pftrace"), "rb") as f:
    trace = f.read()
    suite.true("Perfetto has no counter with a number", b"(4194" not in trace)
# A log without its end was killed: what its threads did last may be missing where they go on, also if a log without anything, or without them, is between.
killed, header = log(5000)[:-46], Log(0).b[:36]
alone = Log(105000)
alone.frame(105001)
alone.frame(105011)
alone.block(SESSION, state(0, 105030))
for what, logs, lost in (("a log", (), 2), ("a header", (header,), 2), ("two headers", (header, header), 2), ("a log of the main thread alone", (alone.b,), 2)):
    suite.equal("killed, %s, then another" % what, names(write("killed.raw", killed, *logs, log(205000)))[0], lost)
suite.equal("whole, a header, then another", names(write("whole.raw", log(5000), header, log(205000)))[0], 0)
suite.equal("whole, killed without the worker, then another", names(write("main.raw", log(5000), alone.b[:-46], log(205000)))[0], 2)
# Another unit makes it another counter; two of one log are two.
rows = suite.report("stats", write("units.raw", log(5000), log(105000, unit=1)), "--table", "counters")["tables"]["counters"]["rows"]
suite.equal("of another unit", sorted((r["counter"], r["count"]) for r in rows), [("Draws", 2 * FRAMES), ("Used Memory", FRAMES), ("Used Memory", FRAMES)])

# Each log's threads have something from before it; the clock of the second goes on, or begins anew.
want = figures(write("clean.raw", log(5000), log(105000)))
suite.equal("clean logs", (want[2], want[3], notes(suite.path("clean.raw"))), ([], {}, []))
for what, start in (("later", 105000), ("soon after", 5500), ("the clock began anew", 3000)):
    for ago in (20, 450, 2300, 90000):
        if ago > start:
            continue
        pre = old(start, ago)
        for split in (0, len(sample(36, WORKER, 0)), len(pre) // 2 // 17 * 17):
            path = write("before.raw", log(5000), log(start, pre, split=split))
            suite.equal("%s, from %d ms before, split at %d" % (what, ago, split), figures(path), want)
            said = notes(path)
            suite.true("... a note says so", len(said) == 1 and said[0].startswith("events from before an appended recording began, up to "), said)
# The main thread's part of the frame in which the recording began is of it.
# A log whose clock is behind, or a little after the end of the one before, is moved as a whole: that part is not before that end.
for what, start in (("later", 105000), ("soon after", 5000 + 10 * FRAMES), ("the clock began anew", 3000)):
    lead = sample(36, ROOT, start - 6) + zone(OLD, start - 5, start - 4) + alloc(ALLOC, start - 3, 804)
    for before in (lead, lead[:15], b""):
        markers, _, gc, lost = figures(write("lead.raw", log(5000), log(start, old(start, 2300), before)))
        suite.equal("%s: the frame in which it began" % what, (markers.get("Old", (0, 0, 0, 0)), gc, lost),
                    ((1, MS, MS, MS), [(1, 804)], {}) if before == lead else ((0, 0, 0, 0), [], {}))
        suite.equal("%s: no time is before another" % what, [r for r in suite.rows("loss", suite.path("lead.raw")) if r["kind"] == "clock"], [])

# Three logs, each of which ends with the mark of a frame alone: the clock of the third began anew, however long after the first the second began.
def marked(start):
    ms = start + 1 + 10 * FRAMES
    end = Log(start, ())
    end.b, end.n = log(start), {MAIN: 2 * FRAMES, SESSION: 9}
    end.block(MAIN, struct.pack("<HIQ", 34, FRAMES, ms * MS))
    return end.b


three = figures(write("near.raw", marked(1000), marked(105000), marked(1000)))
suite.equal("three logs", (three[0]["Work"][0], three[3]), (3 * 2 * FRAMES, {}))
for minutes in (55, 62, 120, 1800):
    path = write("far.raw", marked(1000), marked(1000 + 60000 * minutes), marked(1000))
    suite.equal("the second of three logs %d minutes after the first" % minutes, figures(path), three)

suite.end()
