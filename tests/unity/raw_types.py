#!/usr/bin/env python3
"""Damaged types of messages: in small logs, packed and aligned, each message's type becomes each other known one. Figures are then the undamaged log's, and the
status is 0, or the damage is told, as tracetool-unity-raw(7) promises: no figure changes without a word. What can be no message of an intact log has status 3.
Begins, ends and singles are alike but for the type, and an intact log may lack the others: the ledger tells them. So it may be told that the log has another
version's layout, in which all of it makes sense."""
import itertools
import json
import os
import struct
import subprocess

from raw_gen import SESSION, Out
from ttc import TRACETOOL, Suite
from count import fault
from lot import some

TYPES = (0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 33, 34, 36, 37, 38, 39, 40, 41, 42, 43, 44, 52, 53, 55, 56, 57, 62, 63)
SAMPLES = (36, 37, 38)
DEFINITIONS = (0, 1, 33, 62)
TABLES = "loss,threads,markers,frames,gcalloc,alloc_sites,counters,categories,jit_methods,frame_markers,frame_threads"
MS, MAIN, WORKER, LONG = 10 ** 6, 0x1d4c, 0x2f60, os.environ.get("TT_SET") == "all"
SINCE = 69475 * 1000          # ms since the system's start
suite = Suite()


class Log:
    """A log whose messages, while it is ${tried}, are known by their offsets in ${places}: (offset, type, what)."""

    def __init__(self, aligned, word, since=SINCE):
        self.since = since
        self.aligned, self.file, self.n, self.places, self.pending, self.tried = aligned, bytearray(), {}, [], [], True
        self.file += struct.pack("<IBBHIQQQ", 0x55334450, 1, aligned, 0, word, 1, 1, MAIN)
        self.word = word
        if word >= 0x20211028:
            self.file += struct.pack("<5I", 2022, 3, 1, 2, 1)

    def out(self, kind):
        return Out(self.aligned).w("H", kind).pad()

    def put(self, kind, o, what):
        self.pending.append((kind, bytes(o.pad().b), what))

    def sample(self, kind, marker, ms, what=""):
        o = self.out(kind).u8(0).w("IQ", marker, int((self.since + ms) * MS))
        self.put(kind, o, what or "sample of type %d" % kind)

    def zone(self, marker, begin, end, what=""):
        self.sample(36, marker, begin, what + " begin")
        self.sample(37, marker, end, what + " end")

    def marker(self, number, name, flags=0, category=16, params=()):
        o = self.out(1).w("IHH", number, flags, category).str(name).u8(len(params))
        for t, n in params:
            o.w("H", t).pad().str(n)
        self.put(1, o, "marker " + name)

    def thread(self, tid, name, flags=0, group="", ms=90):
        self.put(33, self.out(33).w("QQI", tid, int((self.since + ms) * MS), flags).str(group).str(name), "thread " + name)

    def state(self, on, ms):
        self.put(0, self.out(0).w("IQI", on, int((self.since + ms) * MS), 0), "state")

    def block(self, stream):
        n = self.n.get(stream, 0 if stream == SESSION else 7)
        self.n[stream] = n + 1
        at, body = len(self.file) + 20, b""
        for kind, b, what in self.pending:
            if self.tried:
                self.places.append((at + len(body), kind, what))
            body += b
        self.pending = []
        self.file += struct.pack("<IIQI", 0xB10C7EAD, n, stream, len(body)) + body + struct.pack("<II", n + 1, 0xB10CF007)


def game(aligned, word, twice=None):
    """Four frames with zones in zones, an allocation, a single, a flow and a worker's job each; and another marker called ${twice}, without a call."""
    c = Log(aligned, word)
    c.thread(MAIN, "Main Thread")
    c.thread(WORKER, "Worker 0", 0, "Job")
    c.thread(0x3000, "Loading", 1, "Background")
    for i, name in enumerate(("Main Thread", "Update", "Physics", "GC.Alloc", "Job.Worker 0", "Bake", "Spawned", "Load")):
        c.marker(i, name, params=[(4, "size")] if name == "GC.Alloc" else ())
    if twice:
        c.marker(100, twice)
    if word >= 0x20210412:
        c.put(62, c.out(62).w("HHH", 16, 1, 0).pad().str("Scripts"), "category")
    c.state(1, 100)
    c.block(SESSION)
    for f in range(4):
        ms, c.tried = 100 + 16 * f, f in (0, 2)
        c.put(34, c.out(34).w("IQ", 40 + f, (SINCE + ms) * MS), "frame mark")
        c.block(MAIN)
        c.sample(36, 0, ms, "root begin")
        c.sample(36, 1, ms + 1, "Update begin")
        if f == 2:
            c.put(57, c.out(57).u8(1).w("I", 9), "flow")
        c.zone(2, ms + 2, ms + 4, "Physics")
        o = c.out(42).u8(0).w("IQ", 3, int((SINCE + ms + 4.5) * MS)).u8(1).u8(4).w("q", 48)
        c.put(42, o, "GC.Alloc begin")
        c.sample(37, 3, ms + 4.5, "GC.Alloc end")
        if f == 2:
            c.sample(38, 6, ms + 5, "single")
        c.sample(37, 1, ms + 8 + f, "Update end")
        c.zone(2, ms + 12, ms + 13, "Physics again")
        c.sample(37, 0, ms + 15, "root end")
        c.block(MAIN)
        c.put(34, c.out(34).w("IQ", 40 + f, (SINCE + ms) * MS), "frame mark of the worker")
        c.block(WORKER)
        c.sample(36, 4, ms, "worker's root begin")
        c.zone(5, ms + 3, ms + 7.25, "Bake")
        c.sample(37, 4, ms + 15, "worker's root end")
        c.block(WORKER)
        c.zone(7, ms + 2, ms + 9, "Load")
        c.zone(7, ms + 9.5, ms + 10, "Load again")
        c.block(0x3000)
    c.tried = True
    c.put(34, c.out(34).w("IQ", 44, (SINCE + 164) * MS), "last frame mark")
    c.block(MAIN)
    c.state(0, 170)
    c.block(SESSION)
    return c


def intact():
    """Logs whose definitions have the bytes of another type's: (what, log)."""
    for word in (0x20191122, 0x20220328):
        for size in (0, 1, 40, 120, 255, 256, 70000):
            for line in (0, 57, 256, 5000):
                c = game(0, word)
                c.put(8, c.out(8).w("QQI", 0x7f0000001000, (SINCE + 90) * MS, size).str("Game:Tick ()").str("Game.cs").w("I", line), "method")
                c.block(SESSION)
                yield "0x%x, a method of %d bytes in line %d" % (word, size, line), c
    for aligned in (0, 1):
        for first in ("state", "category"):
            c = Log(aligned, 0x20220328)
            c.state(1, 100)
            if first == "category":
                c.put(62, c.out(62).w("HHH", 37, 0, 0).pad().str("Render"), "category")
            for i, name in enumerate(("Render", "Scripts")):
                c.put(62, c.out(62).w("HHH", i, 0, 0).pad().str(name), "category")
            c.thread(MAIN, "Main Thread")
            c.marker(0, "Main Thread")
            c.marker(1, "Update", 0, 0)
            c.block(SESSION)
            for f in range(3):
                c.put(34, c.out(34).w("IQ", 40 + f, (SINCE + 100 + 16 * f) * MS), "frame mark")
                c.block(MAIN)
                if f < 2:
                    c.sample(36, 0, 100 + 16 * f)
                    c.zone(1, 101 + 16 * f, 109 + 16 * f)
                    c.sample(37, 0, 115 + 16 * f)
                    c.block(MAIN)
            c.state(0, 140)
            c.block(SESSION)
            yield "%s, categories of id 0 and colour 0 after a %s" % ("aligned" if aligned else "packed", first), c


def near_the_clock():
    """Aligned logs with whole messages of threads that have the bytes of a sample with the next time. Behind that sample would come no message. A stack with
    one address is as long as a sample, but lies between an allocation's begin and its end, as tracetool-unity-raw(7) says of stacks."""
    for word in (0x20191122, 0x20220328):
        # Stacks whose hash is 0 or 1, whose number of addresses is that of a marker, and whose first address is the clock's number.
        for size in (1, 2, 5):
            c = timed(word, SINCE, lambda c, ms, size=size: c.put(3, c.out(3).w("I", size % 2).u8(size).w("%dQ" % size, int((SINCE + ms) * MS),
                                                                                                          *range(0x12345, 0x12344 + size)), "stack"))
            yield "0x%x, stacks of %d addresses near the clock" % (word, size), c
        # GPU work of the number 1, of 2 us, in section 0, and an anchor of the number 1: the upper half of that time is the next message's type, or its marker.
        for high, kind, fields in ((37, 55, (1, 2, 0)), (1, 53, (1,))):
            since = (high << 32) // MS - 104
            yield "0x%x, type %d near the clock" % (word, kind), timed(word, since, None, lambda c, kind=kind, fields=fields: c.put(
                kind, c.out(kind).w("%dI" % len(fields), *fields), "GPU"))


def timed(word, since, in_alloc, after=None):
    """Three frames with an allocation each; ${in_alloc}(log, ms) puts something between its begin and its end, ${after}(log) after it."""
    c = Log(1, word, since)
    c.thread(MAIN, "Main Thread")
    for i, name in enumerate(("Main Thread", "Update", "Physics", "GC.Alloc", "Render", "Draw")):
        c.marker(i, name)
    c.state(1, 100)
    c.block(SESSION)
    for f in range(3):
        ms = 100 + 16 * f
        c.put(34, c.out(34).w("IQ", 40 + f, int((since + ms) * MS)), "frame mark")
        c.block(MAIN)
        c.sample(36, 0, ms)
        c.sample(36, 1, ms + 1)
        c.put(42, c.out(42).u8(0).w("IQ", 3, int((since + ms + 4.5) * MS)).u8(1).u8(4).w("q", 48), "GC.Alloc begin")
        if in_alloc:
            in_alloc(c, ms + 4.5)
        c.sample(37, 3, ms + 4.5)
        if after:
            after(c)
        c.sample(37, 1, ms + 8)
        c.sample(37, 0, ms + 15)
        c.block(MAIN)
    c.state(0, 150)
    c.block(SESSION)
    return c


def contradictions():
    """Messages that contradict the log, and look whole: (what, log)."""
    for aligned in (0, 1):
        for word in (0x20181101, 0x20191122, 0x20220328):
            head = 20 if aligned else 15
            for what in ("", "a counter without its value", "an allocation without its bytes"):
                c = Log(aligned, word)
                c.thread(MAIN, "Main Thread")
                for i, (name, flags) in enumerate((("Main Thread", 0), ("Update", 0), ("GC.Alloc", 0), ("Load Count", 0x80))):
                    c.marker(i, name, flags, params=[(4, "value")] if i > 1 else ())
                c.state(1, 100)
                c.block(SESSION)
                for f in range(4):
                    ms = 100 + 16 * f
                    c.put(34, c.out(34).w("IQ", 40 + f, (SINCE + ms) * MS), "frame mark")
                    c.block(MAIN)
                    c.sample(36, 0, ms)
                    c.sample(36, 1, ms + 1)
                    # What follows the number of values has the bytes of an empty array of statistics.
                    c.put(42, c.out(42).u8(0).w("IQ", 2, int((SINCE + ms + 2) * MS)).u8(1).u8(4).w("q", 512), "an allocation without its bytes")
                    c.sample(37, 2, ms + 2)
                    c.put(44, c.out(44).u8(0).w("IQ", 3, int((SINCE + ms + 3) * MS)).u8(1).u8(4).w("q", 512 + 256 * f), "a counter without its value")
                    c.sample(37, 1, ms + 8)
                    c.sample(37, 0, ms + 15)
                    c.block(MAIN)
                c.put(34, c.out(34).w("IQ", 44, (SINCE + 164) * MS), "frame mark")
                c.block(MAIN)
                c.state(0, 170)
                c.block(SESSION)
                at = [p[0] for p in c.places if p[2] == what]
                if at:
                    c.file[at[1] + head] = 0
                yield "%s log of 0x%x, %s" % ("aligned" if aligned else "packed", word, what or "intact"), c, 3 if what else 0


def names_twice(name, aligned, word, want):
    """A game's marker, defined behind the engine's, that has the name of one of these: roots are still no zones, and allocations no calls."""
    def figures(tables):
        return {k: [{c: v for c, v in r.items() if c != "events"} for r in rows] for k, rows in tables.items()}

    for what in ("Main Thread", "GC.Alloc", "Job.Worker 0"):
        status, have, _ = read(bytes(game(aligned, word, what).file))
        suite.equal("%s: a second marker %s" % (name, what), (status, figures(have)), (0, figures(want)))


def frame_of(c, id, root, work, f):
    """Frame ${f} of thread ${id}, which runs ${work} in its root."""
    ms = 100 + 16 * f
    c.put(34, c.out(34).w("IQ", 40 + f, (SINCE + ms) * MS), "frame mark")
    c.block(id)
    for kind, marker, at in ((36, root, 0), (36, work, 1), (37, work, 8), (37, root, 15)):
        c.sample(kind, marker, ms + at)
    c.block(id)


def ids_of_threads():
    """Two workers, and a definition of one of them that has the other's id; or one that records nothing, and then a third that gets its id and has a name that
    differs in one bit: (what, log, status)."""
    for aligned in (0, 1):
        for word in (0x20181101, 0x20191122, 0x20220328):
            for wrong in (None, 1, 2, "idle", "far 0", "far 1"):
                c = Log(aligned, word)
                workers = (WORKER, "Worker 0"), (WORKER + 1, "Worker 1")
                for thread in ((MAIN, "Main Thread"), *((id, name, 0, "Job") for id, name in workers)):
                    c.thread(*thread)
                for i, name in enumerate(("Main Thread", "Update", "Job.Worker 0", "Job.Worker 1", "Bake", "Job.Worker 2", "Job.Worker 6")):
                    c.marker(i, name)
                if wrong == "idle":
                    c.thread(WORKER + 2, "Worker 2", 0, "Job")
                c.state(1, 100)
                c.block(SESSION)
                for f in range(5):
                    if wrong == "idle" and f == 2:
                        c.thread(WORKER + 2, "Worker 6", 0, "Job", 120)
                        c.block(SESSION)
                    for id, root, work in ((MAIN, 0, 1), (WORKER, 2, 4), (WORKER + 1, 3, 4), *([(WORKER + 2, 6, 4)] if wrong == "idle" and f > 1 else [])):
                        frame_of(c, id, root, work, f)
                c.state(0, 180)
                c.block(SESSION)
                if wrong in (1, 2):
                    c.file[[p[0] for p in c.places if p[1] == 33][wrong] + (4 if aligned else 2)] ^= 1
                far = str(wrong).startswith("far") and [p[0] for p in c.places if p[1] == 33][int(wrong[4:])] + (4 if aligned else 2)
                for i, bits in enumerate((0xA5, 0x3C) if far else ()):
                    c.file[far + i] ^= bits
                yield "%s log of 0x%x, %s" % ("aligned" if aligned else "packed", word, {None: "two workers", "idle": "an idle worker's id is used again"}.get(
                    wrong, "a thread's definition has another id: %s" % wrong)), c, 0 if wrong in (None, "idle") else 3


def name_of_main(name, c, want):
    """The header says which thread is the main thread, and its frames begin with a sample called so: another name of it is damage, whatever it is."""
    at = c.file.index(b"Main Thread")
    for what in (b"\0\0", b"XY", b"Main Thread"[::-1], b"\0" * 11):
        data = bytearray(c.file)
        data[at:at + len(what)] = what
        status, have, _ = read(bytes(data))
        suite.equal("%s: the main thread is called %r" % (name, bytes(data[at:at + 11])),
                    (status, have["markers"], have["frames"], [r["kind"] for r in have["loss"]]), (3, want["markers"], want["frames"], ["definitions"]))


def lengths_of_names(name, c, want):
    """In an aligned log the length of a text may be less than what is there of it: if that makes a thread's name another one than its root's, it is
    reported, and the figures are the same."""
    for text in (b"Main Thread", b"Job", b"Worker 0", b"Job.Worker 0"):
        at = c.file.find(struct.pack("<I", len(text)) + text)
        while at >= 0:
            for less in (n for n in range(1, 4) if 0 < len(text) - n and (len(text) - n + 3) // 4 == (len(text) + 3) // 4):
                data = bytearray(c.file)
                struct.pack_into("<I", data, at, len(text) - less)
                status, have, _ = read(bytes(data))
                suite.equal("%s: %s at %d, %d bytes shorter" % (name, text.decode(), at, less), (status, have["frames"], [r["count"] for r in have["loss"]]),
                            (3, want["frames"], [1]))
            at = c.file.find(struct.pack("<I", len(text)) + text, at + 1)


def registered_in(own, aligned, word):
    """A main thread and a worker that register in their own streams, or in the session's."""
    c = Log(aligned, word)
    for id, name, group in ((MAIN, "Main Thread", ""), (WORKER, "Worker 0", "Job")):
        c.thread(id, name, 0, group)
        if own:
            c.block(id)
    for i, name in enumerate(("Main Thread", "Update", "Job.Worker 0", "Bake")):
        c.marker(i, name)
    c.state(1, 100)
    c.block(SESSION)
    for f in range(5):
        for id, root, work in ((MAIN, 0, 1), (WORKER, 2, 3)):
            frame_of(c, id, root, work, f)
    c.state(0, 180)
    c.block(SESSION)
    return read(bytes(c.file))


def registrations():
    """A thread may register in its own stream: it has the roots that it has otherwise."""
    for aligned in (0, 1):
        for word in (0x20181101, 0x20191122, 0x20220328, 0x20260108):
            want, have = (registered_in(own, aligned, word) for own in (False, True))
            suite.equal("0x%x, %s: threads that register in their own streams" % (word, "aligned" if aligned else "packed"),
                        (have[0], {k: v for k, v in have[1].items() if k != "threads"}), (0, {k: v for k, v in want[1].items() if k != "threads"}))


def thread_definitions(name, c, want):
    """Where one bit of a thread's flag or name is damaged, roots are no zones: each frame begins with one. A wrong name is told, as definitions."""
    flags = 20 if c.aligned else 18
    for (at, _, what), text in (p for p in zip((p for p in c.places if p[1] == 33), ("Main Thread", "Worker 0"))):
        data = bytearray(c.file)
        data[at + flags] ^= 1
        status, have, _ = read(bytes(data))
        suite.equal("%s: %s without frames, by its flag" % (name, what), (status, {k: have[k] for k in want}), (0, want))
        for i in range(8 * len(text)):
            data = bytearray(c.file)
            place = data.index(text.encode(), at) + i // 8
            data[place] ^= 1 << i % 8
            status, have, _ = read(bytes(data))
            told = [r["count"] for r in have["loss"] if r["kind"] == "definitions"]
            suite.equal("%s: %s, bit %d of its name: figures, and it is told" % (name, what, i),
                        (status, told, have["markers"], have["frames"]), (3, [1], want["markers"], want["frames"]))


def ends(name, c, want):
    """An end whose marker's number is another one in a bit: in a frame it ends the zone that it is in, and that is told. On a thread without frames, a number
    that no marker has is told."""
    for at, kind, what in c.places:
        first = what.split()[0]
        if kind != 37 or first not in ("Update", "Physics", "Bake", "Load"):
            continue
        place = at + (8 if c.aligned else 3)
        own = struct.unpack_from("<I", c.file, place)[0]
        for other in (own ^ 1 << bit for bit in (0, 1, 2, 3, 7, 13)):
            # GC.Alloc and roots end otherwise.
            if other in (0, 3) or (first == "Bake" and other == 4) or (first == "Load" and other < 8):
                continue
            data = bytearray(c.file)
            struct.pack_into("<I", data, place, other)
            status, have, _ = read(bytes(data))
            told = [(r["kind"], r["severity"], r["count"]) for r in have["loss"] if r["severity"] != "info"]
            same = [t for t in want if t != "loss" and have[t] != want[t]]
            suite.equal("%s: %s at %d, of marker %d: told" % (name, what, at, other), told, [("names" if first == "Load" else "ends", "notice", 1)])
            if first != "Load":
                suite.equal("%s: %s at %d, of marker %d: figures" % (name, what, at, other), same, [])


def drawing(aligned, word, old=0, far=True, first=40):
    """A log with what the others lack: work for the GPU and its times, a counter and an empty array of statistics after it, a zone with a text of its own, if
    ${far} markers of the highest numbers, and ${old} frames of the main thread, from number ${first} on, from a recording 2.3 s before, flushed before
    the recording begins in the file."""
    c = Log(aligned, word)
    c.thread(MAIN, "Main Thread")
    for i, (name, flags) in enumerate((("Main Thread", 0), ("Update", 0), ("GC.Alloc", 0), ("Draw", 0), ("Heap Size", 0x80), ("Profiler.Default", 0))):
        c.marker(i, name, flags, params=[(4, "value")] if i in (2, 4) else ())
    if far:
        c.marker(2 ** 32 - 2, "Far")
        c.marker(2 ** 32 - 70000, "Far Count", 0x80, params=[(4, "value")])
    at = lambda ms: int((SINCE + ms) * MS)
    definitions, c.pending = c.pending, []
    for f in range(old):
        c.put(34, c.out(34).w("IQ", first + f, at(-2200 + 8 * f)), "old mark")
        c.block(MAIN)
        c.sample(36, 0, -2200 + 8 * f)
        c.zone(1, -2199 + 8 * f, -2195 + 8 * f)
        c.sample(37, 0, -2193 + 8 * f)
        c.block(MAIN)
    c.pending = definitions
    o = c.out(0).w("IQI", 1, at(100), 100)
    c.put(0, o, "state")
    c.block(SESSION)
    for f in range(6):
        ms = 100 + 16 * f
        c.put(34, c.out(34).w("IQ", 100 + f, at(ms)), "frame mark")
        c.block(MAIN)
        c.sample(36, 0, ms)
        c.sample(36, 1, ms + 1)
        c.put(42, c.out(42).u8(0).w("IQ", 2, at(ms + 2)).u8(1).u8(4).w("q", 64), "GC.Alloc begin")
        c.sample(37, 2, ms + 2)
        c.put(42, c.out(42).u8(0).w("IQ", 5, at(ms + 3)).u8(2).u8(1).w("i", 0).u8(8).str("Query"), "text begin")
        c.sample(37, 5, ms + 4)
        if far:
            c.zone(2 ** 32 - 2, ms + 5, ms + 6, "far")
            c.put(44, c.out(44).u8(0).w("IQ", 2 ** 32 - 70000, at(ms + 6)).u8(1).u8(4).w("q", 7), "far counter")
        c.sample(37, 1, ms + 8)
        c.sample(36, 3, ms + 9)
        c.put(53, c.out(53).w("I", 1 + f), "anchor")
        if f > 1:
            c.put(55, c.out(55).w("II", f - 1, 3000).u8(f % 8).pad(), "GPU time")
        c.sample(37, 3, ms + 10)
        c.put(44, c.out(44).u8(0).w("IQ", 4, at(ms + 11)).u8(1).u8(4).w("q", 0x80000200 + 256 * f), "counter")
        c.put(4, c.out(4).w("II", 0x80000000, 0), "statistics")
        c.sample(37, 0, ms + 15)
        c.block(MAIN)
    c.put(34, c.out(34).w("IQ", 106, at(196)), "last frame mark")
    c.block(MAIN)
    c.state(0, 200)
    c.block(SESSION)
    return c


def drawings():
    """What such a log says, and that damage of its messages is told."""
    for aligned, word in ((0, 0x20181101), (0, 0x20191122), (1, 0x20191122), (1, 0x20220328)):
        c = drawing(aligned, word)
        name = "%s log of 0x%x that draws" % ("aligned" if aligned else "packed", word)
        status, want, _ = read(bytes(c.file))
        count = lambda have, name: sum(r["count"] for r in have["markers"] if r["marker"] == name)
        suite.equal(name + ": status, calls, values", (status, [count(want, n) for n in ("Update", "Query", "Far", "Draw")],
                    {r["counter"]: r["count"] for r in want["counters"] if not r["counter"].startswith("GPU")}), (0, [6] * 4, {"Heap Size": 6, "Far Count": 6}))
        for old, first in ((1, 40), (3, 40), (1, 99), (3, 97), (3, 4000)):
            status, have, _ = read(bytes(drawing(aligned, word, old, first=first).file))
            suite.equal("%s, %d old frames from %d on: status, frames, calls" % (name, old, first),
                        (status, have["frames"], count(have, "Update")), (0, want["frames"], 6))
        c = drawing(aligned, word, far=False)
        suite.equal(name + " without far markers: status", read(bytes(c.file))[0], 0)
        told = lambda have: [(r["kind"], r["severity"]) for r in have["loss"] if r["severity"] != "info"]
        for at, kind, what in c.places:
            for other, means in ((43, "text begin"), (40, "counter")):
                if what != means or (what == "counter" and not aligned):
                    continue
                data = bytearray(c.file)
                struct.pack_into("<H", data, at, other)
                suite.true("%s: %s at %d, its type as %d: told" % (name, what, at, other), told(read(bytes(data))[1]), what)
            if what == "counter" and aligned:
                data = bytearray(c.file)
                data[at + 20] = 0
                suite.true("%s: a counter at %d without its value: told" % (name, at), told(read(bytes(data))[1]), what)
            for bit in (5, 6, 7) if what == "GPU time" else ():
                data = bytearray(c.file)
                data[at + (12 if aligned else 10)] ^= 1 << bit
                suite.true("%s: a part of drawing at %d with bit %d: told" % (name, at, bit), told(read(bytes(data))[1]), what)


def ends_of_others():
    """Ends without a begin in intact logs, by a marker of a number that is one bit away from the zone's around them: (what, log)."""
    def log(*frames):
        c = Log(0, 0x20191122)
        c.thread(MAIN, "Main Thread")
        for i, text in enumerate(("Main Thread", "Update", "Physics", "GC.Alloc", "Job.Worker 0", "Bake")):
            c.marker(i, text)
        c.state(1, 100)
        c.block(SESSION)
        for f, inside in enumerate(frames):
            c.put(34, c.out(34).w("IQ", 40 + f, (SINCE + 100 + 20 * f) * MS), "frame mark")
            c.block(MAIN)
            c.sample(36, 0, 100 + 20 * f)
            for i, (kind, number) in enumerate(inside):
                c.sample(kind, number, 101 + 20 * f + i)
            c.sample(37, 0, 119 + 20 * f)
            c.block(MAIN)
        c.state(0, 100 + 20 * len(frames))
        c.block(SESSION)
        return c
    whole, begin, end, stray = [(36, 1), (37, 1)], (36, 1), (37, 1), (37, 5)
    yield "a zone that ends after it", log(whole, [begin, stray, end], whole)
    yield "a zone that ends in the next frame", log(whole, [begin, stray], [end], whole)
    yield "a zone whose marker never ends", log([begin], [begin, stray], [begin])
    yield "another zone of the marker that does not end", log(whole, [begin, stray], [begin], whole)
    yield "another such end", log(whole, [begin, stray], [stray], whole)
    yield "a begin of the end's marker that is still to end", log(whole, [(36, 5)], [begin, stray], whole)


def read(data):
    path = suite.path("typed.raw")
    with open(path, "wb") as f:
        f.write(data)
    r = subprocess.run([TRACETOOL, "stats", "--limit", "0", "--format", "json", "--table", TABLES, path], capture_output=True, text=True, check=False)
    return r.returncode, {k: t["rows"] for k, t in json.loads(r.stdout)["tables"].items()} if r.stdout else r.stderr, "does not fit; read like" in r.stderr


def main():
    registrations()
    drawings()
    for what, c in itertools.chain(intact(), near_the_clock()):
        status, have, _ = read(bytes(c.file))
        suite.equal(what + ": an intact log", (status, {r["marker"] for r in have["markers"]} >= {"Update"}), (0, True))
    for what, c in ends_of_others():
        status, have, _ = read(bytes(c.file))
        suite.equal("an end without a begin, %s: status, and whether it is taken as another" % what,
                    (status, [r for r in have["loss"] if r["kind"] == "ends"]), (0, []))
    for what, c, want in itertools.chain(contradictions(), ids_of_threads()):
        suite.equal(what, read(bytes(c.file))[0], want)
    for aligned in (0, 1):
        for word in (0x20191122, 0x20220328):
            c = game(aligned, word)
            name = "%s log of 0x%x" % ("aligned" if aligned else "packed", word)
            status, want, _ = read(bytes(c.file))
            if not suite.equal(name + ": status", status, 0):
                continue
            thread_definitions(name, c, want)
            name_of_main(name, c, want)
            if aligned:
                lengths_of_names(name, c, want)
            names_twice(name, aligned, word, want)
            ends(name, c, want)
            # In a frame, a begin that became an end or a single is missing between others of its marker; outside of frames, its zone may be from before.
            begins = [p for p in c.places if p[1] == 36 and p[2].split()[0] in ("Update", "Physics", "Bake")]
            suite.equal(name + ": begins in frames", len(begins), 8)
            for at, kind, what in begins:
                for other in (37, 38):
                    data = bytearray(c.file)
                    struct.pack_into("<H", data, at, other)
                    _, have, _ = read(bytes(data))
                    suite.equal("%s: %s at %d as %d: it is told" % (name, what, at, other),
                                [(r["severity"], r["count"]) for r in have["loss"] if r["kind"] == "begins"], [("notice", 1)])
            # Definitions have no time, and nothing tells a compiled method from a thread.
            every = [(p, t) for p in c.places for t in TYPES if t != p[1] and p[1] not in DEFINITIONS]
            for (at, kind, what), other in every if LONG else some(every, 60, "types", name):
                data = bytearray(c.file)
                struct.pack_into("<H", data, at, other)
                status, have, layout_told = read(bytes(data))
                wrong = None
                if layout_told:
                    pass
                elif status == 0 and have["loss"] == want["loss"]:
                    wrong = [(t, [r for r in have[t] if r not in want[t]][:2]) for t in want if have[t] != want[t]]
                elif status != 3 and not (kind in SAMPLES and other in SAMPLES):
                    wrong = have["loss"] if status == 0 else have
                fault("%s: %s at %d, its type %d as %d: told, or the same figures" % (name, what, at, kind, other), str(wrong)[:600] if wrong else None)
    suite.end()


if __name__ == "__main__":
    main()
