#!/usr/bin/env python3
"""
Random recordings that pause, as .raw: zones that are open at a pause are cut at their thread's last event before it, whether or not the thread marks
frames; what is not recorded is never called lost. What is expected is computed by the rules of tracetool-metrics(7), Calls and Frames, and
tracetool-formats(7).
"""
import collections
import random
import struct

from raw_log import MAIN, SESSION, Log, marker, state, thread
from spanning_gen import FRAME, NAMES, SIZED, TEXT, Thread, noise
from ttc import Suite

WORKER, LOADER = 200, 201
suite = Suite()


class Paused(Thread):
    """A thread whose first event after a pause cuts what the pause left open."""

    def __init__(self, name, native, marks):
        super().__init__(name, native)
        self.marks, self.frame, self.has_paused, self.in_new_part, self.notes = marks, 0, False, False, 0

    def go_on(self, jumps=False):
        """An event; ${jumps}: a frame's number is missing before it."""
        if any(d[0] != "block" for d in self.did) and (self.has_paused or jumps):
            self.over(self.last)
            self.notes += 1
        self.has_paused = False

    def begin(self, *args, **named):
        self.go_on()
        super().begin(*args, **named)

    def end(self, *args):
        self.go_on()
        super().end(*args)

    def mark(self, at, jumps):
        """A frame mark; ${jumps}: a number is missing before it."""
        self.frame += jumps
        # Numbers of frames jump where recording paused.
        self.go_on(jumps and self.frame > 1 and not self.in_new_part)
        self.in_new_part = False
        self.did.append(("mark", self.frame, at, None, None))
        self.frame += 1
        self.last = at


def make(r, filler):
    """(threads, [the time at which each part of the recording begins and ends])"""
    threads = [Paused("Main Thread", MAIN, True), Paused("Worker", WORKER, True), Paused("Loader", LOADER, False)]
    at, parts = 10000, []
    for _ in range(r.randint(2, 4)):
        begin, nframes = at, r.randint(0, 3)
        for t in threads:
            # What a thread does before its first mark is the rest of the frame in which the recording went on.
            if r.random() < 0.6:
                noise(r, t, begin, begin + 3000)
            for k in range(nframes):
                if t.marks and (t.native == MAIN or r.random() < 0.8):
                    t.cut("block")
                    t.mark(begin + 5000 + 10000 * k + t.native % 100, t.native != MAIN and r.random() < 0.1)
                    t.cut("block")
                noise(r, t, begin + 5100 + 10000 * k, begin + 14000 + 10000 * k)
            for i in range(filler):
                t.begin(FRAME, t.last + 1)
                t.end(FRAME, t.last)
                if i % 1000 == 999:
                    t.cut("block")
            t.cut("block")
        at = max(at + 5000 + 10000 * nframes, *(t.last for t in threads)) + 500
        parts.append((begin, at, [len(t.did) for t in threads]))
        at += r.choice((3000, 20000, 10 ** 6, 10 ** 9))
        for t in threads:
            t.has_paused = t.in_new_part = True
    for t in threads:
        last = t.last
        while t.stack:
            t.close(None, True)
        t.over(last)
    return threads, parts


def messages(did):
    b = b""
    for what, number, at, size, named in did:
        if what == "begin" and size is not None:
            b += struct.pack("<HBIQBBq", 42, 0, number, at * 1000, 1, 4, size)
        elif what == "begin" and named:
            b += struct.pack("<HBIQBBiBI", 42, 0, number, at * 1000, 2, 2, 0, 8, len(named)) + named.encode()
        elif what in ("begin", "end"):
            b += struct.pack("<HBIQ", 36 if what == "begin" else 37, 0, number, at * 1000)
        elif what == "mark":
            b += struct.pack("<HIQ", 34, number, at * 1000)
        else:
            if b:
                yield b
            b = b""
    if b:
        yield b


def is_mark(block):
    return struct.unpack_from("<H", block)[0] == 34


def write(path, threads, parts, writes_late):
    """${writes_late}: threads keep the end of each part until they go on, and write it in one block with what follows, where no frame's mark is between."""
    log = Log(parts[0][0] / 1000, NAMES)
    log.block(SESSION, thread(WORKER, 5, "Worker") + thread(LOADER, 5, "Loader", 1) + marker(SIZED, "Sized", [(4, "size")]) +
              marker(TEXT, NAMES[TEXT], [(2, "Object"), (8, "Name")], category=24))
    done, kept = [0] * len(threads), [[] for _ in threads]
    for i, (begin, end, until) in enumerate(parts):
        if i:
            log.block(SESSION, state(1, begin / 1000))
        for k, t in enumerate(threads):
            blocks = list(messages(t.did[done[k]:until[k]]))
            if kept[k] and blocks and not is_mark(blocks[0]):
                blocks[0] = kept[k].pop() + blocks[0]
            blocks = kept[k] + blocks
            is_late = writes_late and i < len(parts) - 1 and blocks and not is_mark(blocks[-1])
            kept[k] = [blocks.pop()] if is_late else []
            for b in blocks:
                log.block(t.native, b)
        done = until
        log.block(SESSION, state(0, end / 1000))
    return log.write(path)


for seed in range(24):
    rng = random.Random(seed)
    threads_, parts_ = make(rng, 30000 if seed == 0 else 0)
    path_ = write(suite.path("log.raw"), threads_, parts_, seed % 2 == 1)
    tables = suite.report("stats", path_, "--table", "markers,loss,spanning_zones", "--limit", "0")["tables"]
    want = {}
    for z in (z for t in threads_ for z in t.zones if z.name in NAMES):
        w = want.setdefault(z.name, [0, 0, 0])
        w[0] += 1
        w[1] += z.cut
        w[2] += z.dur * 1000 if z.dur is not None else next(t.last for t in threads_ if t.name == z.thread) * 1000 - z.begin * 1000
    have = {r["marker"]: [r["count"], r["cut"] or 0, 0] for r in tables["markers"]["rows"] if r["marker"] in NAMES}
    for row_ in suite.csv("--force", path_):
        if row_["kind"] == "zone" and row_["name"] in NAMES:
            have[row_["name"]][2] += int(row_["dur_ns"])
    suite.equal("recording %d: zones, those without an end, their time" % seed, have, want)
    losses = {r["kind"]: r["count"] for r in tables["loss"]["rows"]}
    suite.equal("recording %d: the ledger" % seed, {k: losses.get(k, 0) for k in ("spanning", "popped", "unmatched")},
                {k: sum(t.losses[k] for t in threads_) for k in ("spanning", "popped", "unmatched")})
    suite.equal("recording %d: nothing is lost" % seed, [r["kind"] for r in tables["loss"]["rows"] if r["severity"] not in ("notice", "info")], [])
    events = collections.Counter((e["name"], e["tid"]) for e in suite.chrome("--force", path_) if e["name"] in ("Events lost", "Not recorded"))
    suite.equal("recording %d: notes in Chrome JSON" % seed, sorted(events.values()), sorted(t.notes for t in threads_ if t.notes))
    suite.equal("recording %d: nothing is called lost" % seed, [k for k in events if k[0] == "Events lost"], [])
suite.end()
