#!/usr/bin/env python3
"""Frames of Unity's .raw beside damage and pauses: which are left out, and what the ledger says, as tracetool-metrics(7) promises."""
import struct

from ttc import Suite

MS, MAIN, SESSION = 10 ** 6, 100, 2 ** 64 - 1
suite = Suite()


def text(s):
    return struct.pack("<I", len(s)) + s.encode()


def sample(kind, marker, ms):
    return struct.pack("<HBIQ", kind, 0, marker, int(ms * MS))


def zone(marker, begin, end):
    return sample(36, marker, begin) + sample(37, marker, end)


def state(on, ms):
    return struct.pack("<HIQI", 0, on, int(ms * MS), 0)


class Log:
    """A log of ticks of 1 ns, with a main thread and two markers, its root and one more."""

    def __init__(self, start):
        self.b = struct.pack("<IBBHIQQQ", 0x55334450, 1, 0, 19, 0x20191122, 1, 1, MAIN)
        self.n, self.frames, self.at = {}, 0, {}
        self.block(SESSION, struct.pack("<HQQI", 33, MAIN, 0, 0) + text("") + text("Main Thread") +
                   b"".join(struct.pack("<HIHH", 1, i, 0, 16) + text(n) + b"\0" for i, n in enumerate(("Main Thread", "Work"))) + state(1, start))

    def block(self, stream, body, where=None):
        n = self.n.get(stream, 0)
        self.n[stream] = n + 1
        self.at[where] = len(self.b)
        self.b += struct.pack("<IIQI", 0xB10C7EAD, n, stream, len(body)) + body + struct.pack("<II", n + 1, 0xB10CF007)

    def frame(self, ms, inside=None, where=None):
        """A frame of 9 ms of work; ${inside}: its messages."""
        self.block(MAIN, struct.pack("<HIQ", 34, self.frames, int(ms * MS)))
        self.frames += 1
        self.block(MAIN, inside or sample(36, 0, ms) + zone(1, ms + 1, ms + 8) + sample(37, 0, ms + 9), where)

    def told(self, name, status=0):
        """Starts of the whole frames in ms, and what was lost as {kind: place of the first}."""
        path = suite.path(name)
        with open(path, "wb") as f:
            f.write(self.b)
        loss = {r["kind"]: r["first_at"] for r in suite.report("info", path, status=status)["tables"]["loss"]["rows"]
                if r["severity"] in ("loss", "error")}
        return sorted(r["start_ns"] // MS for r in suite.rows("hitches", path, "--hitches", "1000", status=status)), loss


def damaged():
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k
        bad = struct.pack("<H", 200) + bytes(8) if k == 3 else None
        c.frame(ms, bad and sample(36, 0, ms) + bad, "bad" if bad else None)
    suite.equal("a frame with a message that makes no sense", c.told("damaged.raw", 3), ([0, 10, 20, 40, 50, 60], {"damaged": c.at["bad"]}))


def paused():
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k + (200 if k > 3 else 0)
        if k == 4:
            c.block(SESSION, state(0, 139) + state(1, ms))
        c.frame(ms)
    suite.equal("a pause whose frames have no number", c.told("paused.raw"), ([0, 10, 20, 240, 250, 260], {}))


def times(what, wrong):
    c = Log(100)
    for k in range(8):
        ms = 100 + 10 * k
        bad = sample(36, 0, ms) + sample(36, 1, wrong) + sample(37, 1, ms + 8) + sample(37, 0, ms + 9) if k == 3 else None
        c.frame(ms, bad, "bad" if bad else None)
    suite.equal(what, c.told("times.raw", 3), ([0, 10, 20, 40, 50, 60], {"damaged": c.at["bad"]}))


damaged()
times("a time hours later than those around it", 13744000)
times("a time before the one before it", 50)
paused()
suite.end()
