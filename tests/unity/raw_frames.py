#!/usr/bin/env python3
"""Frames of Unity's .raw beside damage and pauses: which are left out, and what the ledger says, as tracetool-metrics(7) promises."""
import json
import random
import struct

from raw_log import MAIN, MS, SESSION, Log, sample, state, thread, zone
from ttc import Suite

suite = Suite()


def told(c, name, status=0):
    """Starts of the whole frames in ms, and what was lost as {kind: place of the first}."""
    path = c.write(suite.path(name))
    loss = {r["kind"]: r["first_at"] for r in suite.report("info", path, status=status)["tables"]["loss"]["rows"]
            if r["severity"] in ("loss", "error")}
    return sorted(r["start_ns"] // MS for r in suite.rows("hitches", path, "--hitches", "1000", status=status)), loss


def eight(bad):
    """Eight frames; in the fourth one's messages, ${bad} after its root and 2 ms of work."""
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 1, ms + 3) + bad if k == 3 and bad else None, "bad" if k == 3 else None)
    return c


UNKNOWN = struct.pack("<H", 200) + bytes(8)


def damaged():
    c = eight(UNKNOWN)
    suite.equal("a frame with a message of an unknown type", told(c, "damaged.raw", 3), ([0, 10, 20, 40, 50, 60], {"unknown": c.at["bad"]}))


def paused():
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k + (200 if k > 3 else 0)
        if k == 4:
            c.block(SESSION, state(0, 139) + state(1, ms))
        c.frame(ms)
    suite.equal("a pause whose frames have no number", told(c, "paused.raw"), ([0, 10, 20, 240, 250, 260], {}))


def times(what, wrong):
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k
        bad = sample(36, 0, ms) + sample(36, 1, wrong) + sample(37, 1, ms + 8) + sample(37, 0, ms + 9) if k == 3 else None
        c.frame(ms, bad, "bad" if bad else None)
    suite.equal(what, told(c, "times.raw", 3), ([0, 10, 20, 40, 50, 60], {"damaged": c.at["bad"]}))


def compared():
    """What a comparison says of a frame's time is about whole frames alone: of the damaged one, not even what was read of it."""
    for name, bad in (("whole.raw", b""), ("bad.raw", UNKNOWN)):
        eight(bad).write(suite.path(name))
    def rows(table):
        return suite.report("diff", suite.path("whole.raw"), "--", suite.path("bad.raw"), "--table", table, status=3)["tables"][table]["rows"]
    suite.equal("parts of the frame time beside a damaged frame", sorted((r["part"], r["category"] or "", r["a_ns"], r["b_ns"]) for r in rows("parts")),
                sorted([("work", "Other", 7 * MS, 7 * MS), ("unaccounted", "", 3 * MS, 3 * MS), ("all", "", 10 * MS, 10 * MS)]))
    suite.equal("calls per frame beside a damaged frame",
                {r["marker"]: (r["a_calls"], r["b_calls"]) for r in rows("markers") if r["a_calls"] is not None}, {"Work": (1, 1)})


def numbers():
    """Frames 4 and 5 are not in the file, and nothing says that the recording paused."""
    c = Log(100)
    for k in (0, 1, 2, 3, 6, 7, 8):
        c.frames = k
        if k == 6:
            c.at["jump"] = len(c.b)
        c.frame(100 + 10 * k)
    suite.equal("numbers of frames that jump", told(c, "numbers.raw", 3), ([0, 10, 20, 60, 70], {"missing": c.at["jump"]}))


def back():
    """From the sixth frame on the clock is 30 ms behind."""
    c = Log(100)
    for k in range(8):
        if k == 5:
            c.at["back"] = len(c.b)
        c.frame(100 + 10 * k - (30 if k >= 5 else 0))
    suite.equal("times that ran back for good", told(c, "back.raw", 3), ([0, 10, 20, 30], {"damaged": c.at["back"]}))


def appended(what, start, cut, ends, lost, status):
    """A log of 5 frames, of which the last ${cut} bytes are missing, and one of 5 frames that begins at ${start} ms."""
    first, second = Log(100), Log(start)
    for k in range(5):
        first.frame(100 + 10 * k)
        second.frame(start + 10 * k)
    if ends:
        first.block(SESSION, state(0, 150))
    first.b = first.b[:len(first.b) - cut]
    first.at = {"cut": len(first.b), "last": first.at.get("last", 0)}
    first.b += second.b
    path = first.write(suite.path("appended.raw"))
    report = suite.report("stats", path, "--table", "markers,loss", status=status)["tables"]
    work = [r for r in report["markers"]["rows"] if r["marker"] == "Work"][0]
    suite.equal(what + ": zones", (work["count"], work["total_ns"]), ((10 if cut < 50 else 9), (70 if cut < 50 else 63) * MS))
    suite.equal(what + ": losses", sorted(r["kind"] for r in report["loss"]["rows"] if r["severity"] != "info"), lost)


def later_runs():
    """Each run of a program gives its main thread another id; its frames are frames all the same, and another thread may have the id of an earlier run's."""
    def run(main, start, other, ends=False):
        c = Log(start, ("Main Thread", "Work", "Worker", "Job"), main=main)
        c.block(SESSION, thread(other, start, "Worker"))
        for k in range(5):
            ms = start + 10 * k
            c.frame(ms + (5 if start == 300 and k > 2 else 0))
            c.block(other, sample(36, 2, ms) + zone(3, ms + 1, ms + 3) + sample(37, 2, ms + 4))
        if ends:
            c.block(main, struct.pack("<HQ", 56, (start + 60) * MS))
        c.block(SESSION, state(0, start + 60))
        return c
    for ends in (False, True):
        for ids in ((100, 100, 100), (100, 200, 300), (300, 200, 100)):
            c = Log(50)
            c.b = b"".join(run(main, start, {100: 200, 200: 300, 300: 100}[main], ends).b for main, start in zip(ids, (100, 300, 500)))
            what = "main threads %s%s" % (ids, ", which end" if ends else "")
            suite.equal(what + ": frames", told(c, "runs.raw"), ([0, 10, 20, 30, 200, 210, 220, 235, 400, 410, 420, 430], {}))
            tables = suite.report("stats", suite.path("runs.raw"), "--table", "frames,markers,threads,causes,frame_markers")["tables"]
            wall = tables["frames"]["rows"][0]
            suite.equal(what + ": all and the longest", (wall["count"], wall["max_ns"], wall["partial"]), (12, 15 * MS, 3))
            suite.equal(what + ": threads", sorted((r["thread"], r["calls"]) for r in tables["threads"]["rows"] if r["thread"] == "Main Thread"),
                        [("Main Thread", 15)])
            suite.equal(what + ": calls per frame", {r["marker"]: r["frames"] for r in tables["markers"]["rows"]}["Work"], 12)
            suite.equal(what + ": calls", {r["marker"]: r["count"] for r in tables["markers"]["rows"]},
                        {"Work": 15, "Job": 15})


def wrong_header():
    """The header's id of the main thread is that of no thread, or of another one: the thread called Main Thread has the frames."""
    def log(main, named="Main Thread"):
        c = Log(100, ("Main Thread", "Work", "Render Thread"))
        c.block(SESSION, thread(300, 100, "Render Thread"))
        for k in range(5):
            c.block(300, struct.pack("<HIQ", 34, k, (101 + 10 * k) * MS))
            c.frame(100 + 10 * k)
        c.block(SESSION, state(0, 150))
        c.b = c.b.replace(b"Main Thread", named.encode())
        c.b = c.b[:28] + struct.pack("<Q", main) + c.b[36:]
        return c
    suite.equal("a header with the right main thread", told(log(MAIN), "header.raw"), ([0, 10, 20, 30], {}))
    for what, main in (("no thread", 7), ("another thread", 300)):
        suite.equal("a header with the id of " + what, told(log(main), "header.raw", 3), ([0, 10, 20, 30], {"header": 28}))
    c = log(7, "Said Thread")
    suite.equal("a header with the id of no thread, and no thread with that name", suite.rows("frames", c.write(suite.path("header.raw")), status=3), [])
    _, said = suite.run("stats", "-q", suite.path("header.raw"), status=3)
    suite.true("what is said of it", "main thread is not in the capture" in said, said)
    first = log(MAIN)
    first.b += log(7).b
    suite.equal("the header of an appended log", told(first, "header.raw", 3), ([0, 10, 20, 30, 49, 59, 69, 79], {"header": len(log(7).b) + 28}))


def overlapping():
    """A frame begins before the last samples of the one before end: by a little it is read, by much it is damage. The frame begins when these end."""
    for what, late, zones, frames in (("3 us", 0.003, 1, 40), ("1 ms", 1, 1, 40), ("3 us, and long frames", 0.003, 2400, 60)):
        c, rng = Log(100), random.Random(5)
        for k in range(frames):
            ms = 100 + 10 * k
            work = b"".join(zone(1, ms + 2 + 7 * i / zones, ms + 2 + 7 * (i + 0.5) / zones) for i in range(zones))
            body = sample(36, 0, ms) + sample(36, 1, ms + 0.001) + sample(37, 1, ms + 0.002 if late < 1 else ms + 1.5) + work
            ends = sample(36, 1, ms + 9.5) + sample(37, 1, ms + 10 + late / 2) + sample(37, 0, ms + 10 + late)
            # Blocks end anywhere.
            cut = 15 * rng.randrange(1, len(body) // 15) if zones > 1 else len(body)
            c.block(MAIN, struct.pack("<HIQ", 34, k, ms * MS))
            for part in (body[:cut], body[cut:], ends):
                if part:
                    c.block(MAIN, part)
        c.block(SESSION, state(0, 100 + 10 * frames + 2))
        path = c.write(suite.path("overlapping.raw"))
        tables = suite.report("stats", path, "--table", "frames,markers,loss")["tables"]
        wall = tables["frames"]["rows"][0]
        suite.equal("frames that begin %s early" % what, (wall["count"], wall["partial"], round(wall["mean_ns"] / MS, 1)), (frames - 1, 1, 10))
        suite.equal("frames that begin %s early: calls" % what, {r["marker"]: r["count"] for r in tables["markers"]["rows"]},
                    {"Work": frames * (2 + zones)})
        suite.equal("frames that begin %s early: losses" % what, [r["kind"] for r in tables["loss"]["rows"] if r["severity"] != "info"], ["clock"])
        suite.equal("frames that begin %s early, elsewhere" % what, suite.report("stats", path, "-j3")["tables"], suite.report("stats", path, "-j1")["tables"])
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 1, ms + 8) + sample(37, 0, ms + (12 if k == 3 else 9)), None)
    suite.equal("a frame that begins 2 ms early", told(c, "overlapping.raw", 3)[0], [0, 10, 20, 40, 50, 60])


def unmatched():
    """An end without a begin, inside a sample or outside of all: the ledger has the place of its block."""
    for what, inside in (("inside a sample", True), ("outside of all", False)):
        c = Log(100, ("Main Thread", "Work", "Other"))
        for k in range(8):
            c.frame(100 + 10 * k)
            c.block(200, (sample(36, 1, 102 + 10 * k) if inside else b"") + (sample(37, 2, 103 + 10 * k) if k > 4 else b"") +
                    (sample(37, 1, 104 + 10 * k) if inside else zone(1, 104 + 10 * k, 105 + 10 * k)), "bad" if k == 5 else None)
        rows = suite.report("info", c.write(suite.path("unmatched.raw")))["tables"]["loss"]["rows"]
        suite.equal("ends without a begin " + what, [(r["count"], r["first_at"]) for r in rows if r["kind"] == "unmatched"], [(3, c.at["bad"])])


FOOT, SAMPLE, FRAME, SAMPLES = 8, 15, 42, 88          # bytes: of a block's end, of a sample, and of the blocks of a frame's mark and samples


def worker_numbers():
    """The number of a worker's frame that is damaged: the next one is lower, or itself; it is told. Numbers that only rise are of frames it had no part in."""
    def log(numbers):
        c = Log(100, ("Main Thread", "Work", "Worker 0"))
        c.block(SESSION, thread(200, 50, "Worker 0"))
        at = []
        for k, number in enumerate(numbers):
            ms = 100 + 10 * k
            c.frame(ms)
            at.append(len(c.b))
            c.block(200, struct.pack("<HIQ", 34, number, ms * MS))
            c.block(200, sample(36, 2, ms + 1) + zone(1, ms + 2, ms + 4) + sample(37, 2, ms + 9))
        return c, at

    def lost(c, status):
        rows = suite.report("stats", c.write(suite.path("numbers.raw")), "--table", "loss", status=status)["tables"]["loss"]["rows"]
        return [(r["kind"], r["count"], r["first_at"]) for r in rows if r["severity"] == "error"]

    for numbers in (range(8), (0, 1, 2, 5, 6, 9, 10, 100)):
        suite.equal("numbers of a worker's frames %s" % list(numbers), lost(log(numbers)[0], 0), [])
    for bit in range(32):
        numbers = [5, 6, 7, 8, 9, 10, 11, 12]
        numbers[3] ^= 1 << bit
        c, at = log(numbers)
        back = 3 if numbers[3] < 8 else 4
        # A number with the highest bit is neither lower nor higher: it and the next one are told.
        suite.equal("bit %d of the number 8" % bit, lost(c, 3), [("missing", 1 + (bit == 31), at[3 if bit == 31 else back])])


def cut_before_another():
    """A log of 5 frames that ends anywhere in its last frame, and a whole one: what is there is read, and the cut is all that is lost."""
    first, second = Log(100), Log(20)
    for k in range(5):
        first.frame(100 + 10 * k)
        second.frame(20 + 10 * k)
    path = suite.path("cut.raw")
    for cut in range(1, FRAME + SAMPLES):
        with open(path, "wb") as f:
            f.write(first.b[:-cut] + second.b)
        report = suite.report("stats", path, "--table", "frames,markers,loss", status=0 if cut == SAMPLES else 3)["tables"]
        frames = report["frames"]["rows"][0]
        work = [r for r in report["markers"]["rows"] if r["marker"] == "Work"][0]
        suite.equal("a log before another one without its last %d bytes: frames, zones, losses" % cut,
                    (frames["count"] + frames["partial"], work["count"], sorted(r["kind"] for r in report["loss"]["rows"] if r["severity"] != "info")),
                    (10 if cut <= SAMPLES + FOOT else 9, 10 if cut <= FOOT + 2 * SAMPLE else 9, ["cut", "not_ended"][cut == SAMPLES:]))


def open_before_another():
    """Two threads have a sample open where a log ends, with a value, so that its stack might have followed; both go on in an appended log."""
    def log(start):
        c = Log(start)
        c.block(SESSION, thread(200, start, "Worker A") + thread(300, start, "Worker B"))
        for k in range(3):
            c.frame(start + 10 * k)
        return c
    first, second = log(100), log(20)
    for tid in (200, 300):
        first.block(tid, zone(1, 101, 102) + sample(42, 1, 121) + bytes([1, 3]) + struct.pack("<I", 7))
        second.block(tid, zone(1, 21, 22))
    first.block(SESSION, state(0, 130))
    first.b += second.b
    report = suite.report("stats", first.write(suite.path("open.raw")), "--table", "threads,loss")["tables"]
    threads = {r["thread"]: (r["calls"], r["open_at_end"], r["first_ns"] // MS, r["last_ns"] // MS) for r in report["threads"]["rows"]}
    suite.equal("samples that are open before an appended log", [threads["Worker A"], threads["Worker B"]], [(3, 1, 1, 31)] * 2)
    suite.equal("samples that are open before an appended log: losses", sorted(r["kind"] for r in report["loss"]["rows"] if r["severity"] != "info"),
                ["not_ended"])


def names_of_each_log():
    """Ids and names of threads in logs that follow each other in a file: the same thread has both the same, and has not ended."""
    def log(start, threads, ended=()):
        c = Log(start)
        c.block(SESSION, b"".join(thread(tid, 0, name) for tid, name in threads))
        for k in range(3):
            c.frame(start + 10 * k)
        for tid in (200, 300, 400):
            c.block(tid, sample(36, 1, start + 1) + zone(1, start + 2, start + 3))
        for tid in ended:
            c.block(tid, struct.pack("<HQ", 56, int((start + 25) * MS)))
        c.block(SESSION, state(0, start + 30))
        return c
    for what, starts in (("one after the other", (100, 200, 300)), ("that begin at one time", (100, 100, 100)), ("whose clocks are behind", (300, 200, 100))):
        logs = [log(starts[0], [(200, "Alpha"), (300, "Shared")], [300]), log(starts[1], [(200, "Beta"), (300, "Shared"), (400, "Late")]),
                log(starts[2], [(200, "Alpha"), (300, "Shared"), (400, "Late")])]
        path = suite.path("names.raw")
        with open(path, "wb") as f:
            f.write(b"".join(c.b for c in logs))
        for options in ([], ["-j", "2"]):
            rows = suite.rows("threads", path, *options)
            threads = sorted((r["thread"], r["generation"], r["calls"], r["open_at_end"]) for r in rows if r["thread"] != "Main Thread")
            number = [r["number"] for r in rows if r["thread"].startswith("Thread ")]
            suite.equal("logs %s: threads %s" % (what, " ".join(options)), threads,
                        [("Alpha", 0, 2, 1), ("Alpha", 2, 2, 1), ("Beta", 1, 2, 1), ("Late", 1, 4, 2), ("Shared", 0, 2, 1), ("Shared", 1, 4, 2)] +
                        [("Thread %d" % n, 0, 2, 1) for n in number])
            suite.equal("logs %s: one thread without a name" % what, len(number), 1)


def at_the_end():
    """What follows a whole log: losses and what is said of them."""
    log = Log(100)
    for k in range(5):
        log.frame(100 + 10 * k)
    log.block(SESSION, state(0, 150))
    with open("testdata/data/good-2021.data", "rb") as f:
        other = f.read()
    for what, more, lost, said in (("a header", Log(20).b[:36], [], ""), ("a part of a header", Log(20).b[:30], ["cut"], "inside a block or its header"),
                                   ("a header and a part of a block", Log(20).b[:40], ["cut"], "ends inside"),
                                   ("a .data", other, ["garbage"], "like an appended .data")):
        path = suite.path("end.raw")
        with open(path, "wb") as f:
            f.write(log.b + more)
        out, said_all = suite.run("info", "-q", path, "--format", "json", status=3 if lost else 0)
        rows = json.loads(out)["tables"]["loss"]["rows"]
        suite.equal(what + " at the end: losses", [x["kind"] for x in rows if x["severity"] in ("loss", "error")], lost)
        suite.true(what + " at the end: what is said", said in said_all and (lost or not said_all), said_all)


def guessed():
    """A version that is known of .data alone is read by the layout that fits, and nothing is lost."""
    log = Log(100)
    for k in range(5):
        log.frame(100 + 10 * k)
    log.b = log.b[:8] + struct.pack("<I", 0x20160622) + log.b[12:]
    _, said = suite.run("info", log.write(suite.path("old.raw")))
    suite.true("a layout that is chosen", "version 0x20160622 is unknown; read like Unity " in said and "which fits" in said, said)


def from_tick_zero():
    """A clock that begins with the recording."""
    log = Log(0)
    for k in range(3):
        log.frame(10 + 10 * k)
    suite.equal("a recording that begins at tick 0", told(log, "zero.raw"), ([10, 20], {}))


def blocks(log):
    """Where the blocks of ${log} begin and end."""
    at = 36
    while at < len(log):
        begin, at = at, at + 28 + struct.unpack_from("<I", log, at + 16)[0]
        yield begin, at


def twice():
    """A block is in the file a second time, at once or later; or several are. One has no times, so that nothing but its number tells."""
    log = Log(100)
    for k in range(8):
        log.frame(100 + 10 * k)
        log.block(MAIN, struct.pack("<HIIB", 55, 1, 500, 0))
    log.block(SESSION, state(0, 180))
    where = list(blocks(log.b))
    def read(data):
        with open(suite.path("twice.raw"), "wb") as f:
            f.write(data)
        report = suite.report("stats", suite.path("twice.raw"), "--table", "frames,markers,counter_values,loss", status=0 if data == log.b else 3)["tables"]
        return ([report[t]["rows"] for t in ("frames", "markers", "counter_values")],
                [(r["kind"], r["count"]) for r in report["loss"]["rows"] if r["severity"] in ("loss", "error")])
    clean = read(log.b)[0]
    suite.equal("samples of the GPU", len(clean[2]) > 0, True)
    for i, (begin, end) in enumerate(where):
        for later in (0, 5):
            at = where[min(i + later, len(where) - 1)][1]
            suite.equal("block %d twice, %d blocks on" % (i, later), read(log.b[:at] + log.b[begin:end] + log.b[at:]), (clean, [("missing", 1)]))
    begin, end = where[4][0], where[11][1]
    suite.equal("eight blocks twice", read(log.b[:end] + log.b[begin:end] + log.b[end:]), (clean, [("missing", 8)]))


def lost_tail():
    """The message that recording stops gives the number of the frame in progress: a later one than was read is of a tail that is missing."""
    for stop, lost in ((7, None), (8, None), (9, 1), (0, None)):
        c = eight(None)
        c.block(SESSION, state(0, 180, stop))
        suite.equal("recording stops in frame %d, after frame 7" % stop, told(c, "tail.raw", 3 if lost else 0)[1], {"missing": len(c.b)} if lost else {})
    c = eight(None)
    c.block(SESSION, state(0, 180, 9))
    end, other = len(c.b), eight(None)
    c.b += other.b
    suite.equal("... and another log follows", told(c, "tail.raw", 3)[1].get("missing"), end)
    c = eight(None)
    c.block(SESSION, state(0, 180, 9) + state(1, 185, 9))
    for ms in (190, 200):
        c.frame(ms)
    suite.equal("... and recording goes on", told(c, "tail.raw")[1], {})


damaged()
lost_tail()
compared()
twice()
numbers()
back()
appended("a log appended", 500, 0, True, ["not_ended"], 0)
appended("a log appended whose clock is behind", 20, 0, True, ["not_ended"], 0)
appended("one appended to a log that was not ended", 20, 0, False, ["not_ended"], 0)
appended("one appended to a log that is cut in a block", 20, 60, False, ["cut", "not_ended"], 3)
times("a time hours later than those around it", 13744000)
times("a time before the one before it", 50)
paused()
overlapping()
unmatched()
worker_numbers()
later_runs()
wrong_header()
cut_before_another()
open_before_another()
names_of_each_log()
at_the_end()
guessed()
from_tick_zero()
suite.end()
