#!/usr/bin/env python3
"""What threads of a .raw have from before its recording began is of an earlier one: figures, frames and outputs leave it out, and reports say so, once;
info has all of it, as tracetool-unity-raw(7) says."""
import collections
import csv
import itertools
import struct

from raw_log import MAIN, MS, SESSION, Log, alloc, marker, sample, state, text, thread, zone
from ttc import Suite
import lot

ROOT, WORK, WORKER, OLD, ALLOC = range(5)
START, FRAMES = 5000, 12
suite = Suite()


def log(name, before, first=START):
    """A worker's frames, and ${before}: its messages before the recording begins, at ${first} ms."""
    c = Log(first, ("Main Thread", "Work", "Worker 0", "Old", "GC.Alloc"))
    c.block(SESSION, thread(200, 50, "Worker 0"))
    if before:
        c.block(200, before)
    for k in range(FRAMES):
        ms = first + 10 * k
        c.frame(ms)
        c.block(200, struct.pack("<HIQ", 34, k, ms * MS))
        c.block(200, sample(36, WORKER, ms + 1) + zone(WORK, ms + 2, ms + 4) + sample(37, WORKER, ms + 9))
    c.block(SESSION, state(0, first + 10 * FRAMES))
    return c.write(suite.path(name))


def figures(path, *args):
    t = suite.report("stats", path, "--table", "markers,threads,gcalloc,frames,alloc_sites", *args)["tables"]
    rows = lambda id: t.get(id, {"rows": []})["rows"]
    return ({r["marker"]: (r["count"], r["self_ns"], r["total_ns"], r["max_ns"]) for r in rows("markers")},
            {r["thread"]: (r["busy_ns"], r["allocs"], r["alloc_bytes"]) for r in rows("threads")},
            [(r["count"], r["bytes"]) for r in rows("gcalloc")], [(r["count"], r["partial"], r["max_ns"]) for r in rows("frames")])


def notes(path, *args):
    return [n["text"] for n in suite.report("stats", path, *args)["notes"] if n["id"] == "earlier"]


# A frame of an earlier recording, 2.3 s before; Idle of it is closed only by the next root, long after.
old = sample(36, WORKER, 2700) + zone(OLD, 2701, 2705) + alloc(ALLOC, 2706, 5000) + sample(36, OLD, 2707)
path, clean = log("old.raw", old), log("clean.raw", b"")
(markers, threads, gc, frames), (want, want_threads, _, want_frames) = figures(path), figures(clean)
near = lambda a, b: (a[0], a[3]) == (b[0], b[3]) and 0 <= a[2] - b[2] <= MS
suite.true("markers are those of the recording", set(markers) - {"Old"} == set(want) and all(near(markers[k], want[k]) for k in want), (markers, want))
suite.true("what was open when it began counts from there", markers.get("Old", (0, 0, 0))[0] == 0 and markers.get("Old", (0, 0, 0))[2] <= MS,
           markers.get("Old"))
suite.equal("frames", frames, want_frames)
suite.equal("no allocation of the earlier one", [g for g in gc if g[0]], [])
suite.true("busy", threads["Worker 0"][0] - want_threads["Worker 0"][0] <= MS and threads["Worker 0"][1:] == (0, 0), (threads, want_threads))
suite.equal("a note says so, once", [n.split(" before, ")[0] for n in notes(path)],
            ["events from before the recording began, up to 2.300 s"])
suite.equal("none without it", notes(clean), [])
# Threads are switched on one after the other: a little earlier is part of it.
soon = log("soon.raw", sample(36, WORKER, START - 9) + zone(OLD, START - 8, START - 6) + sample(37, WORKER, START - 5))
suite.equal("what is a little earlier counts, without a note", (figures(soon)[0]["Old"][:3], notes(soon)), ((1, 2 * MS, 2 * MS), []))
suite.equal("as with --time from 0 on", figures(path), figures(path, "--time", "0-"))


def compiled():
    """Definitions say no time: neither what is left out of before the recording nor a part of the time takes methods and classes away."""
    methods = [(0x10000 + 0x100 * k, 0x40 + k, "Game.Enemy:Method%d ()" % k) for k in range(4)]
    tables = {}
    for name, before in (("old", old), ("clean", b"")):
        c = Log(START, ("Main Thread", "Work", "Worker 0", "Old", "GC.Alloc"))
        c.block(SESSION, thread(200, 50, "Worker 0") + b"".join(
            struct.pack("<HQQI", 8, 0, at, size) + text(method) + text("") + struct.pack("<I", 0) for at, size, method in methods))
        if before:
            c.block(200, before)
        for k in range(FRAMES):
            c.frame(START + 10 * k, inside=sample(36, ROOT, START + 10 * k) + alloc(ALLOC, START + 10 * k + 1, 8) + sample(37, ROOT, START + 10 * k + 9))
        c.block(SESSION, state(0, START + 10 * FRAMES))
        path = c.write(suite.path("compiled.raw"))
        for args in ((), ("--time", "0-"), ("--time", "0.05-0.06"), ("--frames", "2-3")):
            t = suite.report("stats", path, "--table", "jit,jit_methods,metadata_classes,metadata_markers", *args)["tables"]
            tables[name, args] = {id: t[id]["rows"] for id in t}
    first = tables["clean", ()]
    suite.equal("methods", [(r["marker"], r["bytes"], r["address"]) for r in first["jit_methods"]],
                sorted([("Enemy:Method%d" % k, size, hex(at)) for k, (at, size, _) in enumerate(methods)], key=lambda r: -r[1]))
    suite.equal("their sum", [(r["methods"], r["with_code"], r["code_bytes"]) for r in first["jit"]], [(4, 4, sum(m[1] for m in methods))])
    suite.equal("classes", [r["class"] for r in first["metadata_classes"]], ["GC.Alloc"])
    for key in tables:
        suite.equal("compiled code, %s, %s" % key, tables[key], first)


compiled()

rows = {r["thread"]: r["calls"] for r in suite.report("info", path)["tables"]["capture_threads"]["rows"]}
suite.equal("info has all calls", rows, {"Main Thread": FRAMES, "Worker 0": FRAMES + 2})
suite.equal("and how long the recording was", suite.report("info", path)["tables"]["capture"]["rows"][0]["duration_ns"],
            suite.report("info", clean)["tables"]["capture"]["rows"][0]["duration_ns"])
wanted = collections.Counter(["Work", "Work"] * FRAMES)     # roots are no zones
suite.run("convert", path, "-o", suite.path("old.csv"))
with open(suite.path("old.csv"), newline="") as f:
    zones = [r for r in csv.DictReader(f) if r["kind"] == "zone"]
suite.equal("CSV is of the recording", (collections.Counter(r["name"] for r in zones), min(int(r["start_ns"]) for r in zones)), (wanted, MS))
zones = collections.Counter(e["name"] for e in suite.chrome(path) if e["ph"] in "XB" and not e["name"].startswith("Frame "))
suite.equal("Chrome JSON, too", zones, wanted)


def in_order(pieces, order):
    """The blocks of streams, ${pieces}, one after the other as ${order} names their streams."""
    left = {stream: list(blocks) for stream, blocks in pieces.items()}
    return b"".join(left[stream].pop(0) for stream in order)


def orders():
    """Between streams there is no order: a thread's blocks from before the recording may lie before the one that has its begin, marks of frames
    among them, and the figures are those of the usual order."""
    c = Log(START, ("Main Thread", "Work", "Worker 0", "Old", "GC.Alloc"))
    head = c.b[:36]
    pieces = {SESSION: [c.b[36:]], MAIN: [], 200: []}

    def put(stream, body):
        at = len(c.b)
        c.block(stream, body)
        pieces[stream].append(c.b[at:])
    # The session's first block has the definitions; the begin of the recording is in its second.
    begin = state(1, START)
    assert pieces[SESSION][0].endswith(begin + struct.pack("<II", 1, 0xB10CF007))
    body = pieces[SESSION][0][20:-8 - len(begin)] + thread(200, 50, "Worker 0")
    pieces[SESSION] = [struct.pack("<IIQI", 0xB10C7EAD, 0, SESSION, len(body)) + body + struct.pack("<II", 1, 0xB10CF007)]
    c.n[SESSION] = 1
    put(SESSION, begin)
    put(200, struct.pack("<HIQ", 34, 90, 2700 * MS))
    put(200, sample(36, WORKER, 2700) + zone(OLD, 2701, 2705) + sample(37, WORKER, 2709))
    for k in range(2):
        ms = START + 10 * k
        put(MAIN, struct.pack("<HIQ", 34, k, ms * MS))
        put(MAIN, sample(36, ROOT, ms) + zone(WORK, ms + 1, ms + 8) + sample(37, ROOT, ms + 9))
    put(200, sample(36, WORKER, START + 1) + zone(WORK, START + 2, START + 4) + sample(37, WORKER, START + 9))
    streams = [SESSION] * 2 + [MAIN] * 4 + [200] * 3
    usual = None
    # First the usual one, then the begin of the recording last, behind marks of frames of both threads.
    for order in [tuple(streams[1:]), tuple(streams[2:] + [SESSION])] + lot.some(sorted(set(itertools.permutations(streams[1:]))), 30, "orders"):
        path = suite.path("order.raw")
        with open(path, "wb") as f:
            f.write(head + in_order(pieces, (SESSION,) + order))
        have = figures(path), len(notes(path)), suite.report("info", path)["tables"]["capture"]["rows"][0]["duration_ns"]
        usual = usual or have
        suite.equal("blocks in the order %s" % "".join({SESSION: "s", MAIN: "m", 200: "w"}[s] for s in order), have, usual)
    suite.equal("the usual order leaves the old zone out, and says so", (usual[0][0].get("Old", (0,))[0], usual[1]), (0, 1))


def losses(path, status=0):
    """What was lost, as {kind: count}, of all but notices."""
    return {r["kind"]: r["count"] for r in suite.report("stats", path, "--table", "loss", status=status)["tables"]["loss"]["rows"]
            if r["severity"] not in ("notice", "info")}


# A recording registers its threads anew when it begins; each then writes what it still had, one message a block or all in one,
# even a single one, from seconds to days before.
DAY = 86400000
for what, registered in (("before it", START - 3), ("as it begins", START), ("a little after", START + 1)):
    for ago in (1100, 2300, 100000, DAY // 2, 3 * DAY):
        for n in (1, 2, 64):
            c = Log(START + 4 * DAY, ("Main Thread", "Work", "Worker 0", "Old", "GC.Alloc"))
            old = [sample(36 + k % 2, OLD, START + 4 * DAY - ago + k / 100) for k in range(n)]
            c.block(SESSION, thread(200, registered + 4 * DAY, "Worker 0"))
            for block in old if n % 4 == 0 else [b"".join(old)]:
                c.block(200, block)
            for k in range(FRAMES):
                ms = START + 4 * DAY + 10 * k
                c.frame(ms)
                c.block(200, struct.pack("<HIQ", 34, k, int(ms * MS)))
                c.block(200, sample(36, WORKER, ms + 1) + zone(WORK, ms + 2, ms + 4) + sample(37, WORKER, ms + 9))
            c.block(SESSION, state(0, START + 4 * DAY + 10 * FRAMES))
            flushed = c.write(suite.path("flushed.raw"))
            if n == 1 and ago > 3600000:      # an hour before, and alone: nothing tells it from a damaged time
                continue
            name = "%d messages from %d ms before, of a thread registered %s" % (n, ago, what)
            suite.equal(name, losses(flushed), {})
            markers = figures(flushed)[0]
            suite.equal(name + ": figures", (markers["Work"], markers.get("Old", (0,))[0]), (want["Work"], 0))

# The main thread's part of the frame in which the recording began is of the recording, with what other threads did in it.
for what, main, lead in (
        ("a root that is open", sample(36, ROOT, START - 6) + zone(OLD, START - 5, START - 4) +
         alloc(ALLOC, START - 3, 804) + sample(36, OLD, START - 2), 6),
        ("an older frame, and a root that is open", sample(36, ROOT, START - 30) + zone(OLD, START - 29, START - 28) +
         sample(37, ROOT, START - 27) + sample(36, ROOT, START - 6) + zone(OLD, START - 5, START - 4) +
         alloc(ALLOC, START - 3, 804) + sample(36, OLD, START - 2), 6),
        ("no root", zone(OLD, START - 6, START - 5) + alloc(ALLOC, START - 3, 804) + sample(36, OLD, START - 2), 6),
        ("a root that has ended", sample(36, ROOT, START - 30) + zone(OLD, START - 29, START - 28) + alloc(ALLOC, START - 28, 5) +
         sample(37, ROOT, START - 27), 0)):
    c = Log(START, ("Main Thread", "Work", "Worker 0", "Old", "GC.Alloc"))
    c.block(SESSION, thread(200, START - 3, "Worker 0"))
    c.block(MAIN, main)
    c.block(200, sample(36, WORKER, START - 2300) + zone(OLD, START - 2290, START - 2280) + zone(WORK, START - 5.5, START - 4.5))
    for k in range(FRAMES):
        c.frame(START + 1 + 10 * k)
    c.block(SESSION, state(0, START + 10 * FRAMES))
    flushed = c.write(suite.path("lead.raw"))
    markers, threads, gc, frames = figures(flushed)
    suite.equal(what + ": lost", losses(flushed), {})
    suite.equal(what + ": allocations", [g for g in gc if g[0]], [(1, 804)] if lead else [])
    suite.equal(what + ": calls", (markers.get("Old", (0,))[0], markers["Work"][0]), (2, FRAMES + 1) if lead else (0, FRAMES))
    suite.equal(what + ": frames", frames[:1], [(FRAMES - 1, 2, 10 * MS)])
    suite.equal(what + ": the note", [n.split(" before, ")[0] for n in notes(flushed)],
                ["events from before the frame in which the recording began, up to 2.294 s" if lead else
                 "events from before the recording began, up to 2.300 s"])
    suite.equal(what + ": how long it was", suite.report("info", flushed)["tables"]["capture"]["rows"][0]["duration_ns"],
                (10 * (FRAMES - 1) + 10 + lead) * MS)

# A recording that pauses for two days, and one that nobody ended.
for ends in (True, False):
    c = Log(START, ("Main Thread", "Work"))
    for day in (0, 2):
        if day:
            c.block(SESSION, state(1, START + day * DAY))
        for k in range(FRAMES):
            c.frame(START + day * DAY + 10 * k)
        if ends or day == 0:
            c.block(SESSION, state(0, START + day * DAY + 10 * FRAMES))
    flushed = c.write(suite.path("pause.raw"))
    suite.equal("a pause of two days", (losses(flushed), figures(flushed)[0]["Work"][0]), ({}, 2 * FRAMES))



def closed_before():
    """Zones that began before the recording are counted nowhere, whether they were closed without an end, or ended in another frame, there or in it."""
    frame = lambda ms, inner: sample(36, WORKER, ms) + inner + sample(37, WORKER, ms + 9)
    left_open = lambda ms: frame(ms, sample(36, OLD, ms + 1))
    late_end = lambda ms: frame(ms, sample(36, OLD, ms + 1)) + frame(ms + 10, sample(37, OLD, ms + 12))
    ends = sample(36, WORKER, START) + sample(37, OLD, START + 0.5) + sample(37, WORKER, START + 0.8)
    for what, before, lost in (("never ended", left_open(2700) + left_open(2800), {}), ("ended later", late_end(2700), {}),
                               ("both", left_open(2600) + late_end(2700), {}),
                               ("closed as the recording has begun", sample(36, WORKER, 2700) + sample(36, OLD, 2701), {}),
                               ("ended as the recording has begun", left_open(2700) + ends, {})):
        path = log("closed.raw", before)
        rows = suite.report("stats", path, "--table", "loss")["tables"].get("loss", {"rows": []})["rows"]
        suite.equal("zones from before the recording, " + what, {r["kind"]: r["count"] for r in rows if r["kind"] in ("popped", "spanning")}, lost)


# Two captures, one of them with something earlier.
both = figures(path, clean)[0]
suite.equal("calls of two captures", {k: v[0] for k, v in both.items() if k != "Old"}, {k: 2 * v[0] for k, v in want.items()})
suite.equal("the note names its capture", [n.split(": ")[0] == path for n in notes(path, clean)], [True])
orders()
closed_before()
suite.end()
