"""Games as data: of each frame the zones of each thread, with times that a test knows; written as .raw, .data, .ttc and .mlpd. A frame has k, start, end, a
loop on the main thread, and zones of other threads: (thread, ms after its begin, zone)."""
import os
import struct
import sys

import one_game
from raw_log import MAIN, MS, SESSION, Log, alloc, sample, state, thread
from ttc import Capture

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "programs"))
import mlpd

THREADS = ["Main Thread"]     # of the games to be written, the main thread first


class Zone:
    """A zone that works for ${before} ms, makes these calls, works for ${after} ms, and allocates objects of these ${sizes}."""

    def __init__(self, name, before=0.0, *calls, after=0.0, sizes=()):
        self.name, self.before, self.calls, self.after, self.sizes = name, before, list(calls), after, sizes
        self.start = self.end = 0

    def place(self, at):
        """Give it, and all in it, its time from ${at} on, in ns of the frame; when it ends."""
        self.start = at
        at += round(self.before * MS)
        for c in self.calls:
            at = c.place(at)
        self.end = at + round(self.after * MS)
        return self.end

    def walk(self, around=()):
        yield self, around
        for c in self.calls:
            yield from c.walk(around + (self,))


# --- the four forms ------------------------------------------------------------------------------------------------------------

def events(f):
    """Of each thread (ns, begins, zone), in order."""
    def one(z, at):
        yield at + z.start, True, z
        for c in z.calls:
            yield from one(c, at)
        yield at + z.end, False, z
    of = {"Main Thread": list(one(f.loop, f.start))}
    for tid, at, z in f.others:
        of.setdefault(tid, []).extend(one(z, f.start + round(at * MS)))
    return {tid: sorted(v, key=lambda e: e[0]) if tid != "Main Thread" else v for tid, v in of.items()}


def in_ms(ns):
    """What becomes ${ns} again when it is cut to a whole number of them."""
    return (ns + .5) / MS


def write_raw(path, frames):
    names = ["Main Thread"] + sorted({z.name for f in frames for t in [f.loop] + [z for _, _, z in f.others] for z, _ in t.walk()}) + ["GC.Alloc"]
    number = {n: i for i, n in enumerate(names)}
    tids = {t: MAIN + 10 * i for i, t in enumerate(THREADS)}
    log = Log(1, names)
    for t in THREADS[1:]:
        log.block(SESSION, thread(tids[t], 0, t))
    for f in frames:
        log.block(MAIN, struct.pack("<HIQ", 34, f.k, f.start))
        for tid, v in events(f).items():
            body = b"".join(sample(36 if begins else 37, number[z.name], in_ms(at)) + (b"".join(alloc(number["GC.Alloc"], in_ms(at), s) for s in z.sizes) if
                            begins else b"") for at, begins, z in v)
            log.block(tids[tid], sample(36, 0, in_ms(f.start)) + body + sample(37, 0, in_ms(f.end - 1000)) if tid == "Main Thread" else body)
    log.block(MAIN, struct.pack("<HIQ", 34, len(frames), frames[-1].end))
    log.block(SESSION, state(0, in_ms(frames[-1].end)))
    return log.write(path)


def write_ttc(path, frames):
    c, key, threads = Capture(), {}, {}
    for i, t in enumerate(THREADS):
        threads[t] = c.thread(1001 + i)
        c.thread_name(1001 + i, "", t)
    key["GC.Alloc"] = c.marker("GC.Alloc")
    for f in frames:
        threads["Main Thread"].frame(f.start)
        for tid, v in events(f).items():
            for at, begins, z in v:
                if z.name not in key:
                    key[z.name] = c.marker(z.name)
                if not begins:
                    threads[tid].end(at)
                    continue
                threads[tid].begin(at, key[z.name])
                for s in z.sizes:
                    threads[tid].alloc(at, key["GC.Alloc"], s)
    threads["Main Thread"].frame(frames[-1].end)
    return c.write(path)


def write_data(path, frames):
    names = sorted({z.name for f in frames for t in [f.loop] + [z for _, _, z in f.others] for z, _ in t.walk()})
    one_game.THREADS = [("", t, True) for t in THREADS]
    one_game.TID = [11700 + 4 * i for i in range(len(THREADS))]
    one_game.MARKERS = [(n, "Scripts", 0, []) for n in THREADS + names] + [("GC.Alloc", "Memory", 0, [(one_game.I64, "bytes", "size")])]
    one_game.ID = {m[0]: 100 + i for i, m in enumerate(one_game.MARKERS)}

    def node(z, at):
        n = one_game.Node(z.name, at + z.start, at + z.end)
        n.inside = [one_game.Node("GC.Alloc", at + z.start, at + z.start, [(one_game.I64, s)]) for s in z.sizes] + [node(c, at) for c in z.calls]
        return n
    zero, out = frames[0].start, []               # frames follow each other from time 0 on
    for f in frames:
        at, end = f.start - zero, f.end - zero
        roots = [one_game.Node(t, at, end - 1000) for t in THREADS]
        roots[0].inside = [node(f.loop, at)]
        for tid, after, z in f.others:
            roots[THREADS.index(tid)].inside.append(node(z, at + round(after * MS)))
        out.append((at, end, roots))
    out.append((end, end + MS, [one_game.Node(t, end, end + MS) for t in THREADS]))
    one_game.data(path, out)
    return path


class Mlpd(mlpd.Capture):
    """A capture of Mono's log profiler with several threads, whose buffers are a frame's."""

    def put(self, tid, v, number):
        self.TID = 0x7F0000001000 + 0x1000 * tid
        self.now = self.START + v[0][0]
        self.begin()
        for at, begins, z in v:
            self.now = self.START + at
            self.event(0x23 if begins else 0x13, self.meth(number(z.name)))
        self.flush()

    def names(self, all_names, number):
        self.begin()
        for n in all_names:
            self.event(0x43, self.meth(number(n)) + self.ptr(self.PTR) + mlpd.uleb(16) + n.encode() + b"\0")
        self.flush()


def write_mlpd(path, frames):
    names = sorted({z.name for f in frames for t in [f.loop] + [z for _, _, z in f.others] for z, _ in t.walk()})
    c = Mlpd(path, b"log:calls")

    def number(name):
        return c.METH + 64 * (1 + names.index(name))
    c.names(names, number)
    for f in frames:
        for tid, v in events(f).items():
            c.put(THREADS.index(tid), v, number)
    c.put(0, [(frames[-1].end, True, frames[0].loop), (frames[-1].end + MS, False, frames[0].loop)], number)
    c.close()
    return path


FORMS = {"raw": write_raw, "ttc": write_ttc, "data": write_data, "mlpd": write_mlpd}
