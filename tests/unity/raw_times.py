#!/usr/bin/env python3
"""Times of Unity's .raw beside damage: no zone has the time of what is missing, as tracetool-unity-raw(7) says."""
import csv
import struct

from raw_log import MAIN, MS, SESSION, Log, sample, state, thread, zone
from ttc import Suite
import lot

suite = Suite()
UNKNOWN = struct.pack("<H", 200) + bytes(8)
WORKER, FOOT = 200, 8            # bytes of a block's end


def zones(log, status=3):
    """Zones as {(thread id, marker): [(begin, ms)]}, of whole numbers, and losses as {kind: count}, of all but notices."""
    path, out = log.write(suite.path("zones.raw")), suite.path("zones.csv")
    suite.run("convert", "-q", path, "-o", out, status=status)
    found = {}
    with open(out, newline="") as f:
        for r in csv.DictReader(f):
            if r["kind"] == "zone":
                found.setdefault((int(r["tid"], 16), r["name"]), []).append((int(r["start_ns"]) / MS + 100, int(r["dur_ns"]) / MS))
    rows = suite.report("stats", path, "--table", "loss", status=status)["tables"]["loss"]["rows"]
    return found, {r["kind"]: r["count"] for r in rows if r["severity"] != "notice"}


def cut():
    """What is open where a message is of an unknown type, or where a block is missing, ends at the last time before; ends that follow are of nothing."""
    for what, lose, lost in (("a message of an unknown type", False, "unknown"), ("a block that is missing", True, "missing")):
        c = Log(100, ("Main Thread", "Work", "Job"))
        c.block(SESSION, thread(WORKER, 90, "Loader", 1))
        c.frame(100)
        c.frame(110, sample(36, 0, 110) + sample(36, 1, 111) + zone(2, 112, 113) + (b"" if lose else UNKNOWN))
        c.block(WORKER, sample(36, 2, 105) + sample(36, 1, 106) + sample(37, 1, 107) + sample(36, 1, 108) + (b"" if lose else UNKNOWN))
        for stream in (MAIN, WORKER) if lose else ():
            at = len(c.b)
            c.block(stream, zone(1, 114, 115))
            c.b = c.b[:at]
        c.block(WORKER, sample(37, 1, 120) + sample(37, 2, 121) + zone(2, 122, 123))
        c.block(MAIN, sample(37, 1, 118) + sample(37, 0, 119))
        c.frame(120)
        got, losses = zones(c)
        suite.equal(what + ": zones end before it", got,
                    {(MAIN, "Work"): [(101, 7), (111, 2), (121, 7)], (MAIN, "Job"): [(112, 1)],
                     (WORKER, "Job"): [(105, 3), (122, 1)], (WORKER, "Work"): [(106, 1), (108, 0)]})
        suite.equal(what + ": they are open, and ends are without a begin", losses, {lost: 2, "open": 3, "unmatched": 3})


def log(frames=8, each=3):
    """A main thread and a worker without frames, both with ${each} zones in a zone, every 10 ms; where times are in the file, by thread."""
    c = Log(100, ("Main Thread", "Work", "Job"))
    c.block(SESSION, thread(WORKER, 90, "Loader", 1))
    for k in range(frames):
        ms = 100 + 10 * k
        inner = lambda m, ms=ms: b"".join(zone(m, ms + 1 + 7 * i / each, ms + 1 + (7 * i + 5) / each) for i in range(each))
        c.frame(ms, sample(36, 0, ms) + sample(36, 1, ms + 1) + inner(2) + sample(37, 1, ms + 8) + sample(37, 0, ms + 9), (MAIN, k))
        c.block(WORKER, sample(36, 1, ms + 1) + inner(2) + sample(37, 1, ms + 8), (WORKER, k))
    c.block(SESSION, state(0, 100 + 10 * frames))
    return c


def longer(found, clean):
    """Zones of ${found} that take longer than the longest of their marker, or of which there are more or fewer."""
    return [k for k in clean if len(found.get(k, ())) != len(clean[k]) or max(z[1] for z in found[k]) > max(z[1] for z in clean[k]) + 0.001] + \
        [k for k in found if k not in clean]


def change(c, at, ms):
    """The log with the time at ${at} moved by ${ms}."""
    b = bytearray(c.b)
    struct.pack_into("<Q", b, at, struct.unpack_from("<Q", b, at)[0] + int(ms * MS) & 2 ** 64 - 1)
    other = Log(100)
    other.b = bytes(b)
    return other


def single():
    """A single time that is wrong, of any message of a block, costs nothing but itself: it is told with its place, and no zone is longer."""
    c = log()
    clean, losses = zones(c, 0)
    suite.equal("the log as it was", losses, {})
    for who, n in ((MAIN, 10), (WORKER, 8)):
        place = c.at[who, 4]
        for k in range(n):
            at = place + 20 + 15 * k + 7
            for ms in (15, 300, 3000, 7200000, 10 * 86400000, -15, -3000, -7200000):
                got, losses = zones(change(c, at, ms))
                suite.equal("%s: message %d, %d ms off" % ("a worker" if who == WORKER else "the main thread", k, ms),
                            (longer(got, clean), losses), ([], {"damaged": 1}))
    # The mark of a frame.
    at = c.b.rindex(struct.pack("<HI", 34, 4), 0, c.at[MAIN, 4]) + 6
    for ms in (15, 300, 7200000, -15, -3000):
        got, losses = zones(change(c, at, ms))
        suite.equal("a frame's mark, %d ms off" % ms, (longer(got, clean), losses), ([], {"damaged": 1}))
        starts = [r["dur_ns"] for r in suite.rows("hitches", suite.path("zones.raw"), "--hitches", "100", status=3)]
        suite.true("frames beside it", len(starts) >= 5 and all(abs(d - 10 * MS) < 100 for d in starts), starts)
    # The first and the last times of a thread have a neighbour on one side alone; so far from all others they are wrong nevertheless.
    for who, n in ((MAIN, 10), (WORKER, 8)):
        for at, ms in ((c.at[who, 0] + 27, -7200000), (c.at[who, 0] + 27, 500), (c.at[who, 7] + 20 + 15 * (n - 1) + 7, 7200000)):
            got, losses = zones(change(c, at, ms))
            suite.equal("the %s time of thread %d, %d ms off" % ("last" if ms > 500 else "first", who, ms), (longer(got, clean), losses),
                        ([], {"damaged": 1}))


def counted():
    """A block with several wrong times, or with a wrong time before bytes that make no sense, is one block; wrong bytes are those of all."""
    c = log(each=8)
    for who in (MAIN, WORKER):
        other = change(change(c, c.at[who, 4] + 20 + 15 * 3 + 7, 300), c.at[who, 4] + 20 + 15 * 7 + 7, -300)
        _, losses = zones(other)
        suite.equal("thread %d: two wrong times in a block" % who, losses, {"damaged": 1})
        rows = suite.report("stats", other.write(suite.path("two.raw")), "--table", "loss", status=3)["tables"]["loss"]["rows"]
        suite.equal("thread %d: its bytes and place" % who, [(r["bytes"], r["first_at"]) for r in rows if r["kind"] == "damaged"], [(30, c.at[who, 4])])
        at = c.at[who, 4] + 20 + 15 * 10
        other.b = other.b[:at] + UNKNOWN[:2] + other.b[at + 2:]
        suite.equal("thread %d: and bytes that make no sense" % who, zones(other)[1]["damaged"], 1)
        other = change(other, c.at[who, 5] + 20 + 15 * 3 + 7, 300)
        suite.equal("thread %d: and another block" % who, zones(other)[1]["damaged"], 2)


def strangers():
    """Definitions and states are of the session's stream alone, samples and frames of threads' streams: elsewhere they are damage, to the end of the block."""
    text = lambda s: struct.pack("<I", len(s)) + s.encode()
    of_session = {
        "state": state(1, 114), "state of zeros": struct.pack("<HIQI", 0, 0, 0, 5), "marker": struct.pack("<HIHH", 1, 1, 0, 16) + text("Other") + b"\0",
        "category": struct.pack("<HHHH", 62, 7, 0, 0) + text("Other"), "category's state": struct.pack("<HHH", 63, 7, 0),
        "method": struct.pack("<HQQI", 8, 1, 2, 3) + text("M") + text("") + struct.pack("<I", 0),
        "resource": struct.pack("<HQQQ", 12, 1, 2, 3), "native type": struct.pack("<HII", 10, 1, 2) + text("T")}
    of_thread = {"begin": sample(36, 1, 114), "end": sample(37, 1, 114), "single": sample(38, 1, 114), "frame": struct.pack("<HIQ", 34, 7, 114 * MS),
                 "flow": struct.pack("<HBI", 57, 0, 3), "allocation": struct.pack("<HI", 52, 100), "anchor": struct.pack("<HI", 53, 1),
                 "GPU": struct.pack("<HIIB", 55, 1, 100, 0), "end of a thread": struct.pack("<HQ", 56, 115 * MS)}
    for where in (MAIN, WORKER, SESSION):
        for what, message in (of_thread if where == SESSION else of_session).items():
            c = Log(100, ("Main Thread", "Work", "Job"))
            c.block(SESSION, thread(WORKER, 90, "Loader", 1))
            c.frame(100)
            c.block(WORKER, zone(1, 103, 104) + (message + zone(1, 115, 119) if where == WORKER else b""))
            c.frame(110, sample(36, 0, 110) + zone(1, 111, 113) + (message + zone(1, 115, 119) if where == MAIN else b"") + sample(37, 0, 119))
            if where == SESSION:
                c.block(SESSION, thread(300, 90, "Other", 1) + message)
            c.frame(120)
            c.block(SESSION, state(0, 130))
            got, losses = zones(c)
            kind = "definitions" if where == SESSION else "damaged"
            suite.equal("%s in the stream of %s" % (what, {MAIN: "the main thread", WORKER: "a worker", SESSION: "the session"}[where]),
                        (losses.get(kind), got[MAIN, "Work"], got[WORKER, "Work"]), (1, [(101, 7), (111, 2), (121, 7)], [(103, 1)]))


def late():
    """A thread that began after the recording has nothing from before it: a first time that is two seconds before is wrong."""
    c = Log(100, ("Main Thread", "Work", "Job"))
    for k in range(600):
        c.frame(100 + 10 * k)
    c.block(SESSION, thread(WORKER, 4000, "Loader", 1))
    c.block(WORKER, sample(36, 1, 4001) + zone(2, 4002, 4003) + sample(37, 1, 4004), WORKER)
    c.block(SESSION, state(0, 6100))
    clean, losses = zones(c, 0)
    suite.equal("a thread that began later", losses, {})
    got, losses = zones(change(c, c.at[WORKER] + 27, -2000))
    suite.equal("its first time, two seconds before it", (longer(got, clean), losses), ([], {"damaged": 1}))


def at_chunks():
    """The same anywhere in a log of several segments, which are 1 MiB long."""
    c = log(16, 1500)
    clean, _ = zones(c, 0)
    blocks = [k for k in c.at if k and c.at[k] < 1 << 20]
    last = {who: max(k[1] for k in blocks if k[0] == who) for who in (MAIN, WORKER)}
    for who, n in ((MAIN, 3004), (WORKER, 3002)):
        for k, frame in ((n - 1, last[who]), (n - 2, last[who]), (0, last[who] + 1), (n // 2, last[who] + 1)):
            for ms in lot.some((300, 7200000, -300), 1, "at chunks", who, k):
                got, losses = zones(change(c, c.at[who, frame] + 20 + 15 * k + 7, ms))
                suite.true("thread %d, %d ms off, message %d of block %d" % (who, ms, k, frame),
                           losses.get("damaged", 0) >= 1 and sum(map(len, got.values())) > 0.99 * sum(map(len, clean.values())) and
                           max(z[1] for v in got.values() for z in v) < 9.001 + max(0, min(ms, 1000)), losses)


def before_loss():
    """A wrong time directly before bytes that make no sense, or before a block that is missing: the zone does not last until what follows."""
    c = log()
    clean, _ = zones(c, 0)
    for who, n in ((MAIN, 10), (WORKER, 8)):
        for k in range(n - 1):
            at = c.at[who, 4] + 20 + 15 * k
            for ms in (15, 300, -15, -3000):
                other = change(c, at + 7, ms)
                other.b = other.b[:at + 15] + UNKNOWN[:2] + other.b[at + 17:]
                got, losses = zones(other)
                wrong = {w: z for w, z in got.items() if max(x[1] for x in z) > max(x[1] for x in clean[w]) + 0.001}
                suite.equal("thread %d: message %d, %d ms off, before bytes that make no sense" % (who, k, ms), wrong, {})
                suite.true("it is told", losses["damaged"] >= 1, losses)
    for ms in (-15, 300):
        c = Log(100, ("Main Thread", "Work", "Job"))
        c.block(SESSION, thread(WORKER, 90, "Loader", 1))
        c.frame(100, sample(36, 0, 100) + zone(1, 101, 108) + sample(37, 0, 109))
        c.block(WORKER, sample(36, 1, 105) + sample(36, 2, 106), (WORKER, 0))
        at = len(c.b)
        c.block(WORKER, zone(1, 107, 108))
        c.b = c.b[:at]
        c.frame(150, sample(36, 0, 150) + sample(37, 0, 159))
        c.block(WORKER, sample(36, 1, 155) + sample(37, 1, 156))
        got, losses = zones(change(c, c.at[WORKER, 0] + 20 + 15 + 7, ms))
        suite.equal("%d ms off, before a block that is missing" % ms, (got[WORKER, "Work"][-1], got[WORKER, "Job"]), ((155, 1), [(105, 0)]))
        suite.true("and both are told", losses["missing"] and losses["damaged"], losses)


def empty_log():
    """Logs without a block before one that has: time 0 is the start of the recording, and all is as without them."""
    c, empty = log(), Log(100)
    head = bytes(empty.b[:empty.b.index(struct.pack("<I", 0xB10C7EAD))])
    want = suite.report("stats", c.write(suite.path("alone.raw")), "--table", "hitches,markers,capture", "--hitches", "100")["tables"]
    for n in (1, 3):
        other = Log(100)
        other.b = bytearray(head * n + bytes(c.b))
        got = suite.report("stats", other.write(suite.path("empty.raw")), "--table", "hitches,markers,capture", "--hitches", "100")["tables"]
        of_file = ("path", "bytes")
        for t in want:
            suite.equal("%d empty logs before it: %s" % (n, t), *[[{k: v for k, v in r.items() if k not in of_file} for r in x[t]["rows"]]
                                                                   for x in (got, want)])


def frames_of(log, status=3):
    """Whole frames of at most 100 as {engine's number: (ms after time 0, ms)}."""
    rows = suite.report("stats", log.write(suite.path("frames.raw")), "--table", "hitches", "--hitches", "100", status=status)["tables"]["hitches"]["rows"]
    return {r["engine_frame"]: (r["start_ns"] / MS, r["dur_ns"] / MS) for r in rows}


def marks():
    """A frame whose mark has a wrong time is left out, as is the one before, which ends there; also the last frame, of which only its root was written."""
    for power in (33, 36, 42):
        c = Log(100)
        for ms in range(100, 150, 10):
            if ms == 120:
                at = len(c.b) + 20 + 6
            c.frame(ms)
        c.block(SESSION, state(0, 150))
        whole = frames_of(c, 0)
        suite.equal("a mark 2^%d ns late: frames" % power, frames_of(change(c, at, 2 ** power / MS)), {k: v for k, v in whole.items() if k not in (1, 2)})
        c = Log(100)
        for ms in range(100, 140, 10):
            c.frame(ms)
        c.block(MAIN, struct.pack("<HIQ", 34, 4, 140 * MS + 2 ** power))
        c.block(MAIN, sample(36, 0, 140))
        c.block(SESSION, state(0, 140.5))
        got = frames_of(c)
        suite.equal("the last mark 2^%d ns late: frames" % power, {k: v for k, v in got.items() if k < 3}, {k: v for k, v in whole.items() if k < 3})
        suite.true("none is long", max(v[1] for v in got.values()) <= 10, got)


def early_marks():
    """A mark of a frame of the recording, as its number says, that is from before the recording began: it is told, and nothing is of an earlier recording."""
    def frames(first, before=b"", start=100):
        c = Log(start, ("Main Thread", "Work", "Worker 0"))
        struct.pack_into("<I", c.b, len(c.b) - FOOT - 4, first - 1)          # the frame in which the recording began
        c.block(SESSION, thread(WORKER, 50, "Worker 0"))
        if before:
            c.block(WORKER, before)
        c.frames, marks = first, {}
        for k in range(5):
            ms = start + 1 + 10 * k
            marks.setdefault(MAIN, len(c.b) + 26)
            c.frame(ms)
            marks.setdefault(WORKER, len(c.b) + 26)
            c.block(WORKER, struct.pack("<HIQ", 34, first + k, ms * MS))
            c.block(WORKER, sample(36, 2, ms + 1) + zone(1, ms + 2, ms + 4) + sample(37, 2, ms + 9))
        c.block(SESSION, state(0, start + 55))
        return c, marks

    def read(c, status):
        path = c.write(suite.path("early.raw"))
        notes = [n for n in suite.report("stats", path, status=status)["notes"] if n["id"] == "earlier"]
        return frames_of(c, status), zones(c, status)[1], notes

    for first, before in ((1, 0), (501, 0), (501, 200)):
        c, at = frames(first)
        if before:
            log, at = Log(20), {}
            log.frame(30)
            log.block(SESSION, state(0, 40))
            n = len(log.b)
            log.b += c.b
            c, at = log, {k: v + n for k, v in frames(first)[1].items()}
        whole = read(c, 0)[0]
        for who in at:
            for ms in (-3, -30, -1300, -26840):
                want = {k: v for k, v in whole.items() if who == WORKER or k not in (first, 0)}
                got, losses, notes = read(change(c, at[who], ms), 3)
                suite.equal("%s, frame %d, the first mark of %d %d ms off" % ("appended" if before else "alone", first, who, ms),
                            ({k: v for k, v in got.items() if k != 0}, losses, notes), ({k: v for k, v in want.items() if k != 0}, {"damaged": 1}, []))
    # A worker's last mark in an earlier recording, whose frames had higher numbers, or lower ones.
    for number in (90, 3):
        c, _ = frames(5, struct.pack("<HIQ", 34, number, 2000 * MS), 5000)
        got, losses, notes = read(c, 0)
        suite.equal("frame %d of an earlier recording" % number, (len(got), losses, len(notes)), (4, {}, 1))


def early_starts():
    """A recording that begins a second before two threads registered that are defined ahead of its begin: that is told, and it begins when they did, as one
    thread's time alone may be damaged. Threads that are defined after it may register at any time, and those ahead of it a little after it."""
    old = sample(36, 1, 2700) + zone(1, 2701, 2705)

    def recording(registered, start=5000):
        names = ("Main Thread", "Loader", "Other")
        c = Log(start, ("Main Thread", "Work"), threads=b"".join(thread(MAIN + 100 * k, ms, names[k]) for k, ms in enumerate(registered)))
        c.where = len(c.b) - FOOT - 12
        c.block(WORKER, old)
        for ms in range(5000, 5100, 10):
            c.frame(ms)
        c.block(SESSION, thread(400, 8000, "Late") + thread(500, 8000, "Later") + state(0, 5100))
        return c

    def read(c, status):
        t = suite.report("stats", c.write(suite.path("early.raw")), "--table", "markers,frames,threads,loss", status=status)
        lost = [(r["kind"], r["first_at"]) for r in t["tables"]["loss"]["rows"] if r["severity"] == "error"]
        return {k: v["rows"] for k, v in t["tables"].items() if k != "loss"}, lost, [n["id"] for n in t["notes"] if n["id"] == "earlier"]

    want = read(recording((5000, 5000, 5000)), 0)
    suite.equal("a recording: what is told of it", want[1:], ([], ["earlier"]))
    for ms in (1500, 2301, 4000):
        c = recording((5000, 5000, 5000))
        suite.equal("a recording that begins %d ms early" % ms, read(change(c, c.where, -ms), 3), (want[0], [("damaged", 36)], want[2]))
        before = log()
        c.b = before.b + c.b
        c.where += len(before.b)
        whole, lost, told = read(c, 0)
        suite.equal("an appended recording that begins %d ms early" % ms, read(change(c, c.where, -ms), 3),
                    (whole, [("damaged", 36 + len(before.b))], told))
    for registered, start in (((0, 0, 0), 5000), ((5000, 0, 0), 5000), ((0, 0, 9000), 5000), ((5900, 5900, 5900), 5000), ((5000, 0, 0), 3500)):
        suite.equal("threads that registered at %s, a recording that begins at %d ms" % (registered, start), read(recording(registered, start), 0)[1], [])


def contradicts():
    """A recording that ends before it begins: one of the two times is damaged, and that is told."""
    for begins, ends in ((100 + 10 ** 6, 150), (100, 50)):
        c = Log(begins)
        for ms in range(100, 150, 10):
            c.frame(ms)
        c.block(SESSION, state(0, ends))
        rows = suite.report("stats", c.write(suite.path("contradicts.raw")), "--table", "loss", status=3)["tables"]["loss"]["rows"]
        suite.true("a recording from %d to %d ms is told" % (begins, ends), [r for r in rows if r["kind"] == "damaged"], rows)


marks()
early_marks()
early_starts()
contradicts()
cut()
before_loss()
empty_log()
counted()
strangers()
late()
single()
at_chunks()
suite.end()
