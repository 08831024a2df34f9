#!/usr/bin/env python3
"""Blocks of the main thread that are missing, as where the profiler's buffer overflows: frames that have all their messages keep their figures,
those around a gap are left out. Figures of frames from the nesting of zones alone, as tracetool-metrics(7) has them."""
import json
import random
import struct
import subprocess

from raw_log import MAIN, MS, SESSION, Log, alloc, sample, state, thread, zone
from ttc import TRACETOOL, Suite

US = 10 ** 3
NAMES = ["Main Thread", "PlayerLoop", "Script", "Leaf", "Semaphore.WaitForSignal"]
ROOT, LOOP, SCRIPT, LEAF, WAIT = range(5)
FRAMES, START = 90, 100 * MS
suite = Suite()


def frame(at, rng):
    """One frame's events, as three blocks. A zone goes on from one block to the next; the root ends with the begin of the next frame's root."""
    work = rng.randrange(2, 9) * MS
    second = ([(1, at, ROOT)] if at else []) + [(0, at, ROOT), (0, at + MS, LOOP), (0, at + 1100 * US, SCRIPT)]
    for k in range(rng.randrange(1, 4)):
        second += [(0, at + 1200 * US + k * 100 * US, LEAF), (1, at + 1250 * US + k * 100 * US, LEAF)]
    third = [(1, at + MS + work, SCRIPT), (0, at + 1100 * US + work, WAIT), (1, at + 1100 * US + work + MS, WAIT), (1, at + work + 3 * MS, LOOP)]
    return [[("mark", at, 0)], second, third]


def log(name, blocks, lost):
    c = Log(START // MS, NAMES)
    for n, events in enumerate(blocks):
        body = b"".join(struct.pack("<HIQ", 34, n // 3, START + t) if kind == "mark" else struct.pack("<HBIQ", 36 + kind, 0, m, START + t)
                        for kind, t, m in events)
        before = len(c.b)
        c.block(MAIN, body)
        if n in lost:
            c.b = c.b[:before]
    c.block(SESSION, state(0, START / MS + 10 ** 4))
    return c.write(suite.path(name))


def figures(blocks, lost):
    """Of each frame that is whole, by its begin: CPU-active time, and by marker total and self time."""
    marks = [(t, n) for n, events in enumerate(blocks) if n not in lost for kind, t, _ in events if kind == "mark"]
    events = [e for block in blocks for e in block if e[0] != "mark"]
    zones, stack = [], []
    for kind, t, m in events:
        if m == ROOT:                                             # is no zone
            continue
        if kind == 0:
            stack.append((t, m, len(zones)))
            zones.append(None)
        else:
            begun, of, place = stack.pop()
            zones[place] = (begun, t, of, [s[1] for s in stack])
    whole = {}
    for (at, n), (end, after) in zip(marks, marks[1:]):
        if any(k in lost for k in range(n, after)):
            continue
        cpu, rows = 0, {}
        for begun, ended, m, around in zones:
            ns = min(ended, end) - max(begun, at)
            if ns <= 0:
                continue
            row = rows.setdefault(NAMES[m], [0, 0])
            row[0] += ns
            row[1] += ns
            if around:
                rows.setdefault(NAMES[around[-1]], [0, 0])[1] -= ns
            cpu += ns * ((not around) - (m == WAIT))
        whole[START + at] = (cpu, rows)
    return whole


def check(seed, lost):
    rng = random.Random(seed)
    blocks = [b for k in range(FRAMES) for b in frame(k * 16 * MS, rng)]
    path = log("gaps.raw", blocks, lost)
    want = figures(blocks, lost)
    status = 3 if lost else 0
    rows = suite.rows("hitches", path, "--hitches", "1000", status=status)
    zero = START - min(r["start_ns"] for r in rows)         # the first frame is whole in all
    got = {r["start_ns"] + zero: r for r in rows}
    suite.equal("whole frames of %d" % seed, sorted(got), sorted(want))
    suite.equal("CPU-active time of %d" % seed, {k: got[k]["cpu_ns"] for k in got}, {k: v[0] for k, v in want.items()})
    of = {r["marker"]: r for r in suite.rows("markers", path, status=status)}
    for name in NAMES[LOOP:]:
        times = [v[1].get(name, [0, 0]) for v in want.values()]
        suite.equal("%s of %d" % (name, seed), [of[name][k] for k in ("frame_mean_ns", "frame_max_ns")],
                    [round(sum(t for t, _ in times) / len(times)), max(t for t, _ in times)])
    each = {}
    start = {r["frame"]: r["start_ns"] + zero for r in got.values()}
    for r in suite.rows("frame_markers", path, status=status):
        each.setdefault(start[r["frame"]], {})[r["marker"]] = [r["total_ns"], r["self_ns"]]
    suite.equal("markers of each frame of %d" % seed, each, {k: v[1] for k, v in want.items()})


def check_stream_ids():
    """A block of the main thread whose stream id is damaged; a thread that nothing defines and that marks a frame is none."""
    c = Log(START // MS)
    c.n[MAIN], c.at = 7, {}
    c.block(MAIN, zone(1, START // MS + 0.5, START // MS + 0.75), "samples before the first mark")
    for k in range(4):
        c.at["mark of frame %d" % k] = len(c.b)
        c.frame(START // MS + 1 + 16 * k, where="frame %d" % k)
    c.at["mark of frame 4"] = len(c.b)
    c.frame(START // MS + 65, where="the last samples")
    for ended in (False, True):
        if ended:
            c.block(SESSION, state(0, START // MS + 90, 5))
        for where, at in [*c.at.items(), (None, 0)]:
            for flip in (1, 1 << 40, 1 << 63):
                data = bytearray(c.b)
                if where is None:
                    data += struct.pack("<IIQI", 0xB10C7EAD, flip & 15, 7, 14) + struct.pack("<HIQ", 34, 3, START + 90 * MS) + struct.pack(
                        "<II", (flip & 15) + 1, 0xB10CF007)
                else:
                    data[at + 8:at + 16] = struct.pack("<Q", MAIN ^ flip)
                path = suite.path("ids.raw")
                with open(path, "wb") as f:
                    f.write(data)
                status = subprocess.run([TRACETOOL, "stats", "-q", path], capture_output=True, check=False).returncode
                suite.equal("%s in the stream of thread %#x, of a log that %s" % (where, MAIN ^ flip, "ended" if ended else "did not end"), status,
                            0 if where is None else 3)


def check_worker_ids():
    """The first or last block of a worker whose stream id is damaged. A thread without a name is none, whatever number its block has."""
    WORKER, OTHER = 300, 400
    for framed in (False, True):
        c = Log(START // MS)
        c.block(SESSION, thread(WORKER, START // MS, "Worker 0") + thread(OTHER, START // MS, "Worker 1"))
        c.n.update({MAIN: 16230, WORKER: 115506, OTHER: 7041})
        at = []
        for k in range(4):
            c.frame(START // MS + 1 + 16 * k)
            for tid in (WORKER, OTHER):
                if framed:
                    c.block(tid, struct.pack("<HIQ", 34, k, START + (1 + 16 * k) * MS))
                at += [len(c.b)] if tid == WORKER else []
                c.block(tid, zone(1, START // MS + 2 + 16 * k, START // MS + 9 + 16 * k))
        c.frame(START // MS + 65)
        c.block(SESSION, state(0, START // MS + 90, 5))
        # A thread that nothing defines, with the number that another thread's next block would have, and an id of its own.
        body = zone(1, START // MS + 80, START // MS + 81)
        number = c.n[OTHER]
        with open(suite.path("worker.raw"), "wb") as f:
            f.write(bytes(c.b) + struct.pack("<IIQI", 0xB10C7EAD, number, 0x7f12_3456_7000, len(body)) + body + struct.pack("<II", number + 1, 0xB10CF007))
        status = subprocess.run([TRACETOOL, "stats", "-q", suite.path("worker.raw")], capture_output=True, check=False).returncode
        suite.equal("a thread without a name, whose number another thread's block would have", status, 0)
        for what, place, ids in (("first", None if framed else at[0], None), ("last", at[-1], None), (None, at[-1], 115500), (None, at[-1], 3)):
            if place is None:
                continue
            for flip in (1, 1 << 40, WORKER):
                data = bytearray(c.b)
                if what:
                    data[place + 8:place + 16] = struct.pack("<Q", WORKER ^ flip)
                else:                                             # whole, and a thread without a name beside it
                    body = zone(1, START // MS + 80, START // MS + 81)
                    data += struct.pack("<IIQI", 0xB10C7EAD, ids, WORKER ^ flip, len(body)) + body + struct.pack("<II", ids + 1, 0xB10CF007)
                path = suite.path("worker.raw")
                with open(path, "wb") as f:
                    f.write(data)
                status = subprocess.run([TRACETOOL, "stats", "-q", path], capture_output=True, check=False).returncode
                suite.equal("%s block in the stream of thread %#x%s" % (what or "another's", WORKER ^ flip, ", with marks of frames" if framed else ""), status,
                            3 if what else 0)


def counts(data, status=3):
    """Calls by marker, allocations, and time 0 in the clock's own unit."""
    path = suite.path("counts.raw")
    with open(path, "wb") as f:
        f.write(data)
    tables = suite.report("stats", path, "--table", "markers,gcalloc", status=status)["tables"]
    info = suite.report("info", path, status=status)["tables"]
    return {r["marker"]: r["count"] for r in tables["markers"]["rows"]}, tables["gcalloc"]["rows"][0]["count"], info["capture"]["rows"][0]["zero_ns"]


def check_repeated():
    """A block that is there twice, its copy before or behind it: nothing counts twice."""
    c = Log(START // MS, ["Main Thread", "Work", "GC.Alloc"])
    at = []
    for k in range(6):
        at.append(len(c.b))
        c.frame(START // MS + 16 * k, sample(36, 0, START // MS + 16 * k) + zone(1, START // MS + 16 * k + 1, START // MS + 16 * k + 2) +
                alloc(2, START // MS + 16 * k + 3, 40 + k) + sample(37, 0, START // MS + 16 * k + 9))
    c.block(SESSION, state(0, START // MS + 100, 6))
    marks = at + [len(c.b)]
    calls, allocs, _ = counts(c.b, 0)
    for k in range(6):
        frame_of = bytes(c.b[at[k] + 42:marks[k + 1]])       # behind its mark
        if k == 5:
            frame_of = frame_of[:28 + struct.unpack_from("<I", frame_of, 16)[0]]
        for to in at:
            got = counts(bytes(c.b[:to]) + frame_of + bytes(c.b[to:]))
            suite.true("block %d again at byte %d: no more than there was" % (k, to),
                       got[1] <= allocs and all(n <= calls.get(m, 0) for m, n in got[0].items()), (got, calls, allocs))


def check_start():
    """Damage in blocks of the main thread that are before the block that says when the recording began: time 0 stays."""
    c = Log(START // MS)
    session = bytes(c.b[36:])
    c.b = c.b[:36]
    for k in range(4):
        c.frame(START // MS + 1 + 16 * k)
    before = len(c.b)
    data = bytes(c.b) + session
    c.b = bytearray(data)
    c.n[SESSION] = 1
    c.frame(START // MS + 65)
    c.block(SESSION, state(0, START // MS + 90, 5))
    zero = counts(c.b, 0)[2]
    for at in range(36, before, 13):
        changed = bytes(c.b[:at]) + bytes([c.b[at] ^ 0x55]) + bytes(c.b[at + 1:])
        for what, data in (("another byte", changed), ("without bytes", bytes(c.b[:at] + c.b[at + 4:]))):
            path = suite.path("start.raw")
            with open(path, "wb") as f:
                f.write(data)
            r = subprocess.run([TRACETOOL, "info", "-q", "--format", "json", path], capture_output=True, check=False)
            suite.equal("%s at byte %d: time 0" % (what, at), json.loads(r.stdout)["tables"]["capture"]["rows"][0]["zero_ns"], zero)


check(0, set())
check_repeated()
check_start()
check_stream_ids()
check_worker_ids()
for seed, every in ((1, 9), (2, 10), (3, 11), (4, 7), (5, 13)):
    for first in (4, 5, 6):
        check(seed, set(range(first, 3 * FRAMES, every)))
check(6, {31})
suite.end()
