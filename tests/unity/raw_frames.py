#!/usr/bin/env python3
"""Frames of Unity's .raw beside damage and pauses: which are left out, and what the ledger says, as tracetool-metrics(7) promises."""
import struct

from raw_log import MS, SESSION, Log, sample, state
from ttc import Suite

suite = Suite()


def told(c, name, status=0):
    """Starts of the whole frames in ms, and what was lost as {kind: place of the first}."""
    path = c.write(suite.path(name))
    loss = {r["kind"]: r["first_at"] for r in suite.report("info", path, status=status)["tables"]["loss"]["rows"]
            if r["severity"] in ("loss", "error")}
    return sorted(r["start_ns"] // MS for r in suite.rows("hitches", path, "--hitches", "1000", status=status)), loss


def damaged():
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k
        bad = struct.pack("<H", 200) + bytes(8) if k == 3 else None
        c.frame(ms, bad and sample(36, 0, ms) + bad, "bad" if bad else None)
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


damaged()
times("a time hours later than those around it", 13744000)
times("a time before the one before it", 50)
paused()
suite.end()
