#!/usr/bin/env python3
"""Frames of Unity's .raw beside damage and pauses: which are left out, and what the ledger says, as tracetool-metrics(7) promises."""
import struct

from raw_log import MS, SESSION, Log, sample, state, zone
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
    suite.equal("a frame with a message that makes no sense", told(c, "damaged.raw", 3), ([0, 10, 20, 40, 50, 60], {"damaged": c.at["bad"]}))


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
                sorted([("work", "Other", 9 * MS, 9 * MS), ("unaccounted", "", MS, MS), ("all", "", 10 * MS, 10 * MS)]))
    suite.equal("calls per frame beside a damaged frame",
                {r["marker"]: (r["a_calls"], r["b_calls"]) for r in rows("markers") if r["a_calls"] is not None}, {"Main Thread": (1, 1), "Work": (1, 1)})


damaged()
compared()
times("a time hours later than those around it", 13744000)
times("a time before the one before it", 50)
paused()
suite.end()
