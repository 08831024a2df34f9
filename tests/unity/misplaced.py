#!/usr/bin/env python3
"""Messages and times of Unity's .raw where no thread writes them: what is lost is told, and what an earlier recording left changes no figure."""
import struct

from raw_log import MAIN, MS, SESSION, Log, alloc, sample, state, thread, zone
from ttc import Suite

suite = Suite()
WORKER, OTHER = 300, 400
FRAMES = 8


def mark(number, ms):
    return struct.pack("<HIQ", 34, number, int(ms * MS))


def eight(bad=None, begin=100, at=3):
    """Eight frames of 10 ms from 100 ms on, numbers 0 to 7, beside a worker; ${bad}: messages in frame ${at} of the main thread."""
    c = Log(begin, ("Main Thread", "Work", "GC.Alloc"))
    c.block(SESSION, thread(WORKER, 0, "Worker", 1) + thread(OTHER, 0, "Other", 1))
    for k in range(FRAMES):
        ms = 100 + 10 * k
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 1, ms + 3) + bad + zone(1, ms + 5, ms + 6) + sample(37, 0, ms + 9) if bad and k == at else None,
                "bad" if k == at else None)
        c.block(WORKER, zone(1, ms + 2, ms + 4))
        c.block(OTHER, zone(1, ms + 2, ms + 5))
    return c


def read(c, status=0, n=None):
    """Starts of the whole frames in ms, how many are partial, what was lost as {kind: place of the first}, names of threads, and the layout's verdict."""
    path = c.write(suite.path("log.raw"))
    tables = suite.report("stats", path, "--table", "frames,threads,loss,calltree", "--limit", "0", status=status)["tables"]
    loss = {r["kind"]: r["first_at"] for r in tables["loss"]["rows"] if r["severity"] in ("loss", "error")}
    starts = sorted(r["start_ns"] // MS for r in suite.rows("hitches", path, "--hitches", "1000", status=status))
    verdict = suite.report("info", path, status=status)["tables"]["capture_layout"]["rows"][0]["fit"]
    return {"starts": starts, "partial": tables["frames"]["rows"][0]["partial"] if tables["frames"]["rows"] else None, "loss": loss,
            "threads": sorted(r["thread"] for r in tables["threads"]["rows"]), "busy": sorted(r["busy_ns"] or 0 for r in tables["threads"]["rows"]),
            "verdict": verdict, "rows": [(r["marker"], r["count"], r["total_ns"]) for r in tables["calltree"]["rows"]] if "calltree" in tables else None}


NAMES = ["Main Thread", "Other", "Worker"]


def others_than(k):
    return [10 * i for i in range(FRAMES - 1) if i != k]


def amid():
    """A frame's mark among other messages, and a thread's registration that is not the first message of its own block, cost the rest of their block."""
    for what, bad in (("the next frame's mark", mark(4, 134)), ("a mark of any number", mark(5000, 134)), ("the same frame's mark", mark(3, 134)),
                      ("another name of its own thread", thread(MAIN, 0, "Evil")), ("a name of another thread", thread(WORKER, 0, "Evil"))):
        c = eight(bad)
        got = read(c, 3)
        suite.equal(what + " within a block", (got["starts"], got["loss"], got["threads"]), (others_than(3), {"damaged": c.at["bad"]}, NAMES))
    c = eight()
    c.block(OTHER, thread(WORKER, 0, "Evil") + zone(1, 190, 191), "bad")
    got = read(c, 3)
    suite.equal("a name of another thread first in a block", (got["loss"], got["threads"]), ({"damaged": c.at["bad"]}, NAMES))
    for alone in (True, False):
        c = eight()
        if alone:
            c.block(OTHER, mark(7, 180))
        c.block(OTHER, mark(8, 190) + zone(1, 190, 191), "bad")
        suite.equal("a mark with messages after it, after one alone: %s" % alone, read(c, 3 if alone else 0)["loss"], {"damaged": c.at["bad"]} if alone else {})
    c = eight()
    c.block(OTHER, thread(OTHER, 0, "Other") + zone(1, 190, 191))
    suite.equal("a thread's own registration", (read(c)["loss"], read(c)["threads"]), ({}, NAMES))


def begun_late():
    """A recording that begins after two later frames of the main thread: its begin is damaged, and all frames after the first are there."""
    for ms in (125, 148, 1100):
        got = read(eight(begin=ms), 3)
        suite.equal("a begin at %d ms: frames, and what is told" % ms, (len(got["starts"]), list(got["loss"])), (FRAMES - 2, ["damaged"]))
    suite.equal("a begin where it is", read(eight(begin=99))["loss"], {})


def begun_within():
    """The frame in which a recording begins is not whole, however short before it its mark is; what threads have from long before changes nothing."""
    plain = read(eight(begin=99))
    suite.equal("no mark before the begin", (len(plain["starts"]), plain["partial"]), (FRAMES - 1, 2))
    for before in (0.5, 3, 9, 11, 300):
        c = Log(100 + before)
        c.block(SESSION, thread(WORKER, 0, "Worker", 1))
        for k, ms in enumerate([100] + [100 + before + 5 + 10 * i for i in range(FRAMES)]):
            c.frame(ms, sample(36, 0, ms) + zone(1, ms + .1, ms + .2) + sample(37, 0, ms + min(before, 9) - .2))
        got = read(c)
        suite.equal("a mark %g ms before the begin" % before, (len(got["starts"]), got["partial"], got["loss"]), (FRAMES - 1, 2, {}))
    figures = lambda r: {k: v for k, v in r.items() if k != "starts"}
    for long_ago in (20, 2300):
        c = Log(5099, ("Main Thread", "Work", "GC.Alloc"))
        plain = Log(5099, ("Main Thread", "Work", "GC.Alloc"))
        for log in (c, plain):
            log.block(SESSION, thread(WORKER, 0, "Worker", 1) + thread(OTHER, 0, "Other", 1))
        c.block(WORKER, zone(1, 5099 - long_ago, 5099 - long_ago + 2))
        for k in range(FRAMES):
            ms = 5100 + 10 * k
            for log in (c, plain):
                log.frame(ms)
                log.block(WORKER, zone(1, ms + 2, ms + 4))
        suite.equal("zones of a worker from %d ms before" % long_ago, figures(read(c)), figures(read(plain)))


def run_on():
    """Times of a thread that are more than ten seconds after the recording's end are told, one or many; a second after it they are not."""
    for seconds, n, lost in ((1, 5, False), (9, 5, False), (11, 1, True), (11, 5, True), (3601, 5, True), (3 * 86400, 5, True)):
        c = eight()
        c.block(SESSION, state(0, 180, 7))
        for i in range(n):
            c.block(WORKER, zone(1, 180 + 1000 * seconds + i, 180 + 1000 * seconds + i + .5), "late")
        path = c.write(suite.path("late.raw"))
        kinds = {r["kind"] for r in suite.rows("loss", path, status=3 if lost else 0) if r["severity"] in ("loss", "error")}
        suite.equal("%d zones of a worker %d s after the end" % (n, seconds), kinds, {"damaged"} if lost else set())


def with_a_stack():
    """An allocation with a stack whose begin became an end is told, as one without a stack is."""
    stack = struct.pack("<HIB2Q", 3, 9, 2, 0x5010, 0x9999)
    for what, behind in (("without a stack", b""), ("with a stack", stack)):
        one = alloc(2, 134, 100)
        begin, end = one[:-15], one[-15:]
        suite.equal("an allocation " + what, read(eight(begin + behind + end))["loss"], {})
        c = eight(struct.pack("<H", 43) + begin[2:] + behind + end)
        suite.equal("its begin as an end, " + what, (read(c, 3)["loss"]), {"damaged": c.at["bad"]})


def without_begins():
    """A layout that gives ends and no begins does not fit, and one of which no block was read is not proven."""
    for frames, verdict in ((40, "misfit"), (3, "fits")):
        log = Log(100, ("Main Thread", "Work", "GC.Alloc"))
        log.block(SESSION, thread(WORKER, 0, "Worker", 1))
        for k in range(frames):
            ms = 100 + 10 * k
            log.block(MAIN, mark(k, ms))
            log.block(MAIN, sample(37, 0, ms) + sample(37, 1, ms + 1) + sample(38, 1, ms + 8) + sample(38, 0, ms + 9))
        suite.equal("ends of %d frames alone" % frames, read(log)["verdict"], verdict)
    head = bytes(Log(100).b[:36])
    with open(suite.path("noise.raw"), "wb") as f:
        f.write(head + bytes((7 * i + i // 256) % 251 for i in range(4000)))
    row = suite.report("info", suite.path("noise.raw"), status=3)["tables"]["capture_layout"]["rows"][0]
    suite.equal("a header and noise", row["fit"], "unproven")
    empty = Log(100)
    suite.equal("definitions alone", suite.report("info", empty.write(suite.path("empty.raw")))["tables"]["capture_layout"]["rows"][0]["fit"], "unproven")


amid()
begun_late()
begun_within()
run_on()
with_a_stack()
without_begins()
suite.end()
