#!/usr/bin/env python3
"""Times of Unity's .raw beside damage: no zone has the time of what is missing, as tracetool-unity-raw(7) says."""
import csv
import struct

from raw_log import MAIN, MS, SESSION, Log, sample, thread, zone
from ttc import Suite

suite = Suite()
UNKNOWN = struct.pack("<H", 200) + bytes(8)
WORKER = 200


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
    """What is open where a message makes no sense, or where a block is missing, ends at the last time before; ends that follow are of nothing."""
    for what, lose, lost in (("a message that makes no sense", False, "damaged"), ("a block that is missing", True, "missing")):
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
                    {(MAIN, "Main Thread"): [(100, 9), (110, 3), (120, 9)], (MAIN, "Work"): [(101, 7), (111, 2), (121, 7)], (MAIN, "Job"): [(112, 1)],
                     (WORKER, "Job"): [(105, 3), (122, 1)], (WORKER, "Work"): [(106, 1), (108, 0)]})
        suite.equal(what + ": they are open, and ends are without a begin", losses, {lost: 2, "open": 4, "unmatched": 4})


cut()
suite.end()
