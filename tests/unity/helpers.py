#!/usr/bin/env python3
"""Causes where many methods call one helper: of a method that is slow for once the helper's time says nothing, so the method is named, and what it
usually takes is with all that it calls. Of another thread that holds a lock, the method that took it is named, not the last that it called.
Times are in ms, in binary fractions, so that sums of them are exact."""
import struct

from raw_log import MAIN, MS, SESSION, Log, sample, state, thread
from ttc import Suite

FRAMES, PARTS, SAVER = 240, 8, 200
ROOT, HELPER, STEP, LOCK, SAVE, FLUSH, PART = 0, 1, 2, 3, 4, 5, 6
NAMES = ["Main Thread", "Tools:Wait", "Game:Step", "System.Threading.Monitor:Enter", "Saver:Save", "Saver:Flush"]
suite = Suite()


def game(name, slow=None, new=None, locked=None):
    """Each part calls the helper for 0.5 ms a frame, the last for 0.0625 ms. ${slow}: {frame: (part, ms more)}; ${new}: a frame in which the step
    calls four methods that it never calls otherwise, for 2 ms each. ${locked}: a frame in which the first part waits 8 ms for a lock of another thread's."""
    log = Log(1, NAMES + ["Part%d:Update" % k for k in range(PARTS)] + ["New%d:Load" % k for k in range(4)])
    log.block(SESSION, thread(SAVER, 0, "Saver"))
    at = 1
    for k in range(FRAMES):
        log.block(MAIN, struct.pack("<HIQ", 34, k, int(at * MS)))
        now, body = at + .25, sample(36, ROOT, at) + sample(36, STEP, at + .125)
        for part in range(PARTS):
            late, more = (slow or {}).get(k, (None, 0))
            end = now + (.5 if part < PARTS - 1 else .0625) + (more if part == late else 0)
            body += sample(36, PART + part, now) + sample(36, HELPER, now) + sample(37, HELPER, end) + sample(37, PART + part, end)
            now = end
        if k == locked:
            body += sample(36, PART, now) + sample(36, LOCK, now) + sample(37, LOCK, now + 8) + sample(37, PART, now + 8)
            log.block(SAVER, sample(36, SAVE, now - .03125) + sample(36, FLUSH, now - .015625) + sample(36, HELPER, now) + sample(37, HELPER, now + 8) +
                      sample(37, FLUSH, now + 8) + sample(37, SAVE, now + 8.015625))
            now += 8
        for i in range(4 if k == new else 0):
            body += sample(36, PART + PARTS + i, now) + sample(37, PART + PARTS + i, now + 2)
            now += 2
        log.block(MAIN, body + sample(37, STEP, now) + sample(37, ROOT, now + .0625))
        at = now + .125
    log.block(MAIN, struct.pack("<HIQ", 34, FRAMES, int(at * MS)))
    log.block(SESSION, state(0, at))
    return suite.rows("causes", log.write(suite.path(name)))


def said(rows):
    return [(r["frames"], r["class"], r["marker"], r["sentence"]) for r in rows]


# Frames 31, 71, ... are 8 ms longer, by the part that takes the least: 1.6 % of a frame.
suite.equal("a helper that is slow for one of its callers", said(game("one.raw", {k: (PARTS - 1, 8) for k in range(30, FRAMES, 40)})),
            [("6 frames, every 40th from 31 on", "slow_call", "Part7:Update", "Part7:Update: 8.063 ms, usually 62.50 µs; most of it in Tools:Wait")])
# By each part in turn: that may be chance.
rows = game("all.raw", {k: (k // 20 % PARTS, 8) for k in range(30, FRAMES, 20)})
suite.equal("for one after the other", [r["class"] for r in rows], ["unknown"])
# What they call for the first time is known, and their caller's own time is not what it usually takes.
rows = game("new.raw", new=100)
suite.equal("four new methods", said(rows), [("frame 101", "slow_call", "Game:Step", "Game:Step: 11.69 ms, usually 3.688 ms")])
# The three zones of the other thread last as long as the wait.
rows = game("lock.raw", locked=100)
suite.equal("a lock", said(rows), [("frame 101", "lock", "Part0:Update",
                                    "8.000 ms waiting for a lock in Part0:Update; meanwhile thread \"Saver\" was in Saver:Save; "
                                    "who held the lock is not recorded")])
suite.end()
