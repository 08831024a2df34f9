#!/usr/bin/env python3
"""Zones of Unity's .raw that begin in one frame and end in a later one: named, with frames and lengths, as tracetool-metrics(7) says."""
import os
import struct
import sys

from raw_log import MAIN, MS, SESSION, Log, marker, sample, state, text, thread, zone
from ttc import Suite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system", "report"))
from page import Page, details  # noqa: E402

suite = Suite()
WORKER, WORK, LOAD, OTHER, TEXT = 200, 1, 2, 3, 4
MARKERS = ("Main Thread", "Work", "Load", "Other")


def begin(marker, ms):
    return sample(36, marker, ms)


def over(marker, ms):
    return sample(37, marker, ms)


def make(*inside, after=None):
    """A log of frames of 10 ms from 100 ms on: in each the main thread's messages in its zone Work, and then, when Work is over, others."""
    log = Log(100, MARKERS)
    log.block(SESSION, thread(WORKER, 90, "Loader", 1) + marker(TEXT, "Profiler.Default", [(2, "Object"), (8, "Name")], category=24))
    for k, body in enumerate(inside):
        ms = 100 + 10 * k
        log.frame(ms, begin(0, ms) + begin(WORK, ms + 1) + body + over(WORK, ms + 8) + (after or {}).get(k, b"") + over(0, ms + 9))
    log.frame(100 + 10 * len(inside))
    log.block(SESSION, state(0, 110 + 10 * len(inside)))
    return log


def look(what, log, rows, losses, first=None, status=0):
    """Beside the table as (marker, thread, zones, ended, frames, begin and end in ms, total in ms), the ledger, and words of the first screen."""
    path = log.write(suite.path("spanning.raw"))
    t = suite.report("stats", path, "--table", "spanning_zones,loss", status=status)["tables"]
    ms = lambda v: v if v is None else v / MS
    suite.equal(what + ": zones", [(r["marker"], r["thread"], r["count"], r["ended"], r["from_frame"], r["to_frame"], ms(r["begin_ns"]), ms(r["end_ns"]),
                                    ms(r["total_ns"])) for r in t["spanning_zones"]["rows"]], rows)
    have = {r["kind"]: r["count"] for r in t["loss"]["rows"]}
    kinds = ("spanning", "popped", "unmatched", "begins")
    suite.equal(what + ": ledger", {k: have.get(k, 0) for k in kinds}, dict(zip(kinds, losses + (0,) * (4 - len(losses)))))
    if first:
        suite.equal(what + ": first screen", first in " ".join(suite.run("-q", path, status=status)[0].split()), True)


look("one", make(begin(LOAD, 103), b"", over(LOAD, 125)),
     [("Load", "Main Thread", 1, 1, 1, 3, 3, 25, 22)], (1, 0, 0), "yes; Load begins in frame 1, ends in frame 3: 22.00 ms")
look("two, interleaved", make(begin(LOAD, 103) + begin(OTHER, 104), b"", over(LOAD, 121) + over(OTHER, 124)),
     [("Other", "Main Thread", 1, 1, 1, 3, 4, 24, 20), ("Load", "Main Thread", 1, 1, 1, 3, 3, 21, 18)], (2, 0, 0), "Other begins in frame 1, ends in frame 3")
look("two, nested", make(begin(LOAD, 103) + begin(OTHER, 104), b"", over(OTHER, 121) + over(LOAD, 124)),
     [("Load", "Main Thread", 1, 1, 1, 3, 3, 24, 21), ("Other", "Main Thread", 1, 1, 1, 3, 4, 21, 17)], (2, 0, 0))
look("two of one marker at a time", make(begin(LOAD, 103), begin(LOAD, 113), over(LOAD, 125) + over(LOAD, 126)),
     [("Load", "Main Thread", 2, 2, 1, 3, 3, 26, 35)], (2, 0, 0), "2 zones of Load begin in frame 1, end in frame 3: 35.00 ms together")
look("two of one marker, one after the other", make(begin(LOAD, 103), over(LOAD, 112), begin(LOAD, 123), over(LOAD, 137)),
     [("Load", "Main Thread", 1, 1, 3, 4, 23, 37, 14), ("Load", "Main Thread", 1, 1, 1, 2, 3, 12, 9)], (2, 0, 0))
look("with whole ones between", make(begin(LOAD, 103), zone(LOAD, 112, 114), over(LOAD, 125)),
     [("Load", "Main Thread", 1, 1, 1, 3, 3, 25, 22)], (1, 0, 0))
look("within a frame", make(begin(LOAD, 103), after={0: over(LOAD, 108.5)}),
     [("Load", "Main Thread", 1, 1, 1, 1, 3, 8.5, 5.5)], (1, 0, 0))
look("a begin without an end", make(begin(LOAD, 103), b""),
     [("Load", "Main Thread", 1, 0, 1, None, 3, None, None)], (0, 1, 0), "yes; Load on Main Thread begins in frame 1, and its end was not recorded")
look("two begins without an end", make(begin(LOAD, 103), begin(OTHER, 113), b""),
     [("Load", "Main Thread", 1, 0, 1, None, 3, None, None), ("Other", "Main Thread", 1, 0, 2, None, 13, None, None)], (0, 2, 0),
     "yes; Load on Main Thread begins in frame 1, and its end was not recorded; 1 more without an end")
look("two begins, one end", make(begin(LOAD, 103), begin(LOAD, 113), over(LOAD, 125)),
     [("Load", "Main Thread", 2, 1, 1, 3, 3, 25, None)], (1, 1, 0),
     "of 2 zones of Load on Main Thread, the first of which begins in frame 1, the end of 1 was not recorded")
look("an end without a begin", make(b"", over(LOAD, 112)), [], (0, 0, 1))
# Their zones may be from before the recording, also beside whole ones; but not two in a frame where no zone of the marker spans frames,
# nor one beside a single.
whole, single = zone(LOAD, 102, 103), sample(38, LOAD, 112)
look("an end without a begin, whole zones beside it", make(whole, over(LOAD, 112) + zone(LOAD, 113, 114)), [], (0, 0, 1))
look("one in each of two frames", make(whole, over(LOAD, 112), over(LOAD, 122)), [], (0, 0, 2))
look("two in a frame, of which nothing else is there", make(b"", over(LOAD, 112) + over(LOAD, 114)), [], (0, 0, 2))
look("two in a frame, of two markers", make(whole + zone(OTHER, 104, 105), over(LOAD, 112) + over(OTHER, 114)), [], (0, 0, 2))
look("two in a frame of zones that span frames", make(whole + begin(LOAD, 105), over(LOAD, 111) + over(LOAD, 112) + over(LOAD, 114)),
     [("Load", "Main Thread", 1, 1, 1, 2, 5, 11, 6)], (1, 0, 2))
look("two in a frame of zones that span later", make(whole, over(LOAD, 112) + over(LOAD, 114), begin(LOAD, 123), over(LOAD, 132)),
     [("Load", "Main Thread", 1, 1, 3, 4, 23, 32, 9)], (1, 0, 2))
look("a single, and an end in another frame", make(whole, single, over(LOAD, 122)), [], (0, 0, 1))
look("two in a frame, of a marker with whole zones", make(whole, over(LOAD, 112) + over(LOAD, 114)), [], (0, 0, 2, 1), "yes")
look("one beside a single", make(whole, single + over(LOAD, 114)), [], (0, 0, 1, 1), "yes")
look("two in the first frame of the recording", make(over(LOAD, 102) + over(LOAD, 104), zone(LOAD, 112, 113)), [], (0, 0, 2, 1))


def texts():
    """BeginSample(text): the end says only the marker that all such zones have, and closes the innermost of them that is open."""
    def named(ms, name):
        return struct.pack("<HBIQBBiB", 42, 0, TEXT, int(ms * MS), 2, 2, 0, 8) + text(name)

    end = lambda ms: over(TEXT, ms)
    look("a text", make(named(103, "Level"), b"", end(125)),
         [("Level", "Main Thread", 1, 1, 1, 3, 3, 25, 22)], (1, 0, 0), "yes; Level begins in frame 1, ends in frame 3: 22.00 ms")
    look("a text, others within frames",
         make(named(102, "Net") + end(103) + named(104, "Level"), named(112, "Net") + end(113), named(121, "Net") + end(122) + end(125)),
         [("Level", "Main Thread", 1, 1, 1, 3, 4, 25, 21)], (1, 0, 0))
    look("a text twice", make(named(103, "Level"), named(112, "Level"), end(124) + end(125)),
         [("Level", "Main Thread", 2, 2, 1, 3, 3, 25, 34)], (2, 0, 0))
    look("two texts", make(named(103, "Level") + named(104, "Sound"), b"", end(124) + end(125)),
         [("Profiler.Default", "Main Thread", 2, 2, 1, 3, 3, 25, 42)], (2, 0, 0))
    look("two texts, one after the other", make(named(103, "Level"), end(112) + named(113, "Sound"), b"", end(134)),
         [("Sound", "Main Thread", 1, 1, 2, 4, 13, 34, 21), ("Level", "Main Thread", 1, 1, 1, 2, 3, 12, 9)], (2, 0, 0))
    look("a text without an end", make(named(103, "Level"), b""), [("Level", "Main Thread", 1, 0, 1, None, 3, None, None)], (0, 1, 0))
    look("no text", make(named(103, ""), b"", end(125)), [("Profiler.Default", "Main Thread", 1, 1, 1, 3, 3, 25, 22)], (1, 0, 0))
    look("no text inside a text", make(named(103, "Level") + named(104, "") + end(105) + end(106), b""), [], (0, 0, 0))


def threads():
    """An end belongs to a begin of its own thread."""
    log = make(begin(OTHER, 103), over(LOAD, 115), over(OTHER, 125))
    log.block(WORKER, begin(WORK, 101) + begin(LOAD, 102) + over(WORK, 108))
    log.block(WORKER, over(OTHER, 112) + over(LOAD, 128))
    look("two threads", log, [("Load", "Loader", 1, 1, 1, 3, 2, 28, 26), ("Other", "Main Thread", 1, 1, 1, 3, 3, 25, 22)], (2, 0, 2))


def loss():
    """After a loss on the thread nobody knows whether the zone ended in it."""
    log = make(b"")
    log.block(WORKER, begin(WORK, 101) + begin(LOAD, 102) + over(WORK, 103))
    at = len(log.b)
    log.block(WORKER, zone(WORK, 104, 105))
    log.b = log.b[:at]
    log.block(WORKER, over(LOAD, 107))
    look("a loss between", log, [("Load", "Loader", 1, 0, 1, None, 2, None, None)], (0, 1, 1), status=3)


def pause():
    """The program may have ended a zone while nothing was recorded, and an end after it may be that of another: what is open is cut at the last event."""
    def recorded(before=b"", after=b""):
        log = make(begin(LOAD, 103))
        log.block(MAIN, before)
        log.block(SESSION, state(1, 1000))
        log.block(MAIN, after)
        log.frame(1010, begin(0, 1010) + over(LOAD, 1015) + over(0, 1019))
        log.frame(1020)
        log.block(SESSION, state(0, 1030))
        return log

    look("a pause between", recorded(), [("Load", "Main Thread", 1, 0, 1, None, 3, None, None)], (0, 1, 1), "or only after a pause or a loss")
    for what, after in (("an end", over(OTHER, 1005)), ("a frame mark", b""), ("another event", zone(WORK, 1001, 1003))):
        path = recorded(begin(OTHER, 119.5), after).write(suite.path("pause.raw"))
        row, = (r for r in suite.rows("markers", path) if r["marker"] == "Other")
        suite.equal("a pause in a zone, and then " + what, (row["count"], row["cut"], row["total_ns"]), (1, 1, 0))


def many():
    """Cost and memory are bounded: the longest are kept, and the others are counted."""
    log = Log(0, MARKERS)
    n, body = 5000, []
    for k in range(n):
        ms = 1 + k
        body.append(begin(WORK, ms) + begin(LOAD, ms + 0.1) + over(WORK, ms + 0.2) + over(LOAD, ms + 0.3 + k / 10000))
    log.frame(0, begin(0, 0) + over(0, 0.5))
    log.block(MAIN, b"".join(body))
    log.frame(n + 10)
    path = log.write(suite.path("many.raw"))
    t = suite.report("stats", path, "--table", "spanning_zones,loss", status=0)
    rows = t["tables"]["spanning_zones"]["rows"]
    suite.equal("many: kept", (len(rows), min(r["total_ns"] for r in rows), max(r["total_ns"] for r in rows)),
                (4096, round((0.2 + (n - 4096) / 10000) * MS), round((0.2 + (n - 1) / 10000) * MS)))
    suite.equal("many: counted", {r["kind"]: r["count"] for r in t["tables"]["loss"]["rows"]}.get("spanning"), n)
    suite.equal("many: left out", "904 more zones were left out" in t["tables"]["spanning_zones"].get("note", ""), True)


def on_page():
    """A report has the rows, and says of a zone in its frame that it has no end of its own."""
    path = make(begin(LOAD, 103) + zone(OTHER, 104, 105), b"", over(LOAD, 125)).write(suite.path("page.raw"))
    suite.run("report", path, "-o", suite.path("page.html"))
    with open(suite.path("page.html"), encoding="utf-8") as f:
        source = f.read()
    zones = {frame: [(z[2], z[5]) for t in on if t["thread"] == "Main Thread" for z in t["zones"]] for frame, on in details(Page(source)).items()}
    suite.equal("page: the zones of frames", zones, {1: [("Work", False), ("Load", True), ("Other", False)], 2: [("Work", False)], 3: [("Work", False)]})
    suite.equal("page: the table", 'data-t="spanning_zones"' in source, True)


texts()
on_page()
threads()
loss()
pause()
many()
suite.end()
