#!/usr/bin/env python3
"""Captures as Unity's Editor saves them (.data) for tests, made from tracetool-unity-data(7) alone; names are invented or ordinary.

Every run writes two files: OUT, and OUT.json, the totals that a reader must find in the records that the scenario leaves whole. The same
options give the same bytes.

  data_gen.py out.data                                     # as of 6000.3, clean
  data_gen.py out.data --version 0x20191122 --frames 300   # markers by name, times in us
  data_gen.py out.data --scenario cut --cut 1234           # the last 1234 bytes are missing
  data_gen.py out.data --big 200                           # about 200 MB: many threads and markers, for speed and memory
  data_gen.py --list                                       # scenarios
"""
import argparse
import collections
import json
import random
import struct
import sys

WORDS = [0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20200924, 0x20210412, 0x20210919, 0x20220328,
         0x20260108]
# Before 2017.3: numbers of the statistics before the list of classes, and after it.
OLD = {0x20160622: (27, 213), 0x20161226: (33, 227), 0x20170130: (33, 231), 0x20170929: (33, 247)}
AFTER = {1: 247, 2: 244, 3: 246, 4: 258, 5: 258}
END, MARK = 0xDEADFEED, 0xAFAFAFAF
SCENARIOS = collections.OrderedDict([
    ("clean", "threads come and go, lists are in order"),
    ("odd", "what is allowed and rare: long samples, lists in disorder, a frame without data, ids used again, values of unknown types, names without padding"),
    ("cut", "the file ends early (--cut bytes are removed, default: in the middle of the last record)"),
    ("noend", "the word for the end is missing"),
    ("badmark", "one record has no end mark"),
    ("badsize", "one record says a wrong size"),
    ("badtree", "the samples of one thread do not add up"),
    ("garbage", "1000 bytes of noise between two records"),
    ("tail", "100 bytes after the end"),
    ("lost", "five frames are missing"),
    ("empty", "no frame"),
])
BASE = [(7, "PlayerLoop", 16, 8, []), (9, "BehaviourUpdate", 16, 0, []), (12, "Game.dll!Game::Enemy.Update()", 1, 0x20, []),
        (15, "GC.Alloc", 23, 0, [(4, "size")]), (16, "GC.Collect", 17, 0, []), (21, "Idle", 16, 0, []), (22, "Shadows.PrepareJob", 0, 0, []),
        (30, "Draw Calls Count", 0, 0x80, [(2 | 3 << 8, "Value")]), (31, "Total Used Memory", 23, 0x80, [(4 | 2 << 8, "Value")]),
        (32, "Test Temperature", 41, 0x80, [(6, "Value")]), (40, "Test.\u00dcml\u00e4ut \u65e5\u672c", 1, 2, []), (41, "four", 1, 2, []),
        (50, "Profiler.Default", 24, 2, [(2, "Object"), (8, "Name"), (3, "Category")]),
        (51, "File.Read", 25, 0, [(8, "Filename"), (5, "Offset"), (5, "Size")]), (60, "WaitForTargetFPS", 18, 0, []),
        (61, "Camera.Render", 0, 0, []), (62, "Test.AllTypes", 16, 0, [])]
TYPES = [(1, struct.pack("<i", -7)), (2, struct.pack("<i", -2 ** 31)), (3, struct.pack("<I", 2 ** 32 - 1)), (4, struct.pack("<q", -9)),
         (5, struct.pack("<Q", 2 ** 64 - 1)), (6, struct.pack("<f", 1.5)), (7, struct.pack("<d", -2.25)), (8, "na\u00efve".encode()),
         (9, "wide".encode("utf-16-le")), (10, bytes(12)), (11, bytes(range(200))), (12, bytes(range(8))), (13, bytes(range(8)))]


class Bytes(bytearray):
    def p(self, form, *v):
        self.extend(struct.pack("<" + form, *v))
        return self

    def cstr(self, s):
        b = s.encode("utf-8") + b"\0"
        self.extend(b + bytes(-len(b) % 4))
        return self

    def padded(self, b):
        self.p("I", len(b)).extend(b + bytes(-len(b) % 4))
        return self


class Sample:
    def __init__(self, marker, start, dur):
        self.marker, self.start, self.dur, self.children = marker, start, dur, []
        self.gc, self.values, self.instance, self.gpu, self.flows, self.stack = None, [], None, [], [], None


class Capture:
    def __init__(self, o):
        self.o, self.rng = o, random.Random(o.seed)
        self.bare = getattr(o, "bare", 0)
        self.rank = WORDS.index(o.version) + 1 if o.version in WORDS else 0
        self.markers = {m[0]: m for m in BASE}
        for k in range(o.markers):
            self.markers[100 + k] = (100 + k, "Generated.dll!Space::Class%d.Method%d()" % (k // 9, k), k % 24, 0, [])
        self.generated = [k for k in self.markers if k >= 100]
        self.T = collections.Counter(dict.fromkeys(("frames", "threads", "samples", "gc", "gc_bytes", "gpu", "flows", "values", "stacks"), 0))
        self.main = None
        self.known, self.now = set(), 5000000000 + (2 ** 32 - 3000000) * 1000 * (self.rank == 0 and o.seed % 2)
        self.categories = [(0, "Render"), (1, "Scripts"), (41, "My Category")]
        self.code = [("Game.Enemy:Method%d ()" % k, 0x7F00 + 0x100 * k) for k in range(3)]

    # --- what is in a frame; others may say it
    def length(self):
        return 16666667 if self.rng.randrange(8) else 20000000 + self.rng.randrange(30000000)

    def gpu_us(self):
        return 0 if self.rng.randrange(3) else 7000

    # --- samples
    def tree(self, name, t0, length):
        """The root of a thread in a frame; times in ns."""
        o, rng, odd = self.o, self.rng, self.o.scenario == "odd"
        root = Sample(None, t0, rng.choice((0, 1000)))
        new = self.rank >= 8

        def add(parent, marker, at, dur, values=()):
            s = Sample(marker, at, dur)
            s.values = list(values)
            parent.children.append(s)
            return s
        if name == "Main Thread":
            loop = add(root, 7, t0 + 2000, length - 3000000)
            update = add(loop, 9, t0 + 5000, length - 4000000)
            step = (length - 5000000) // (o.samples + 1)
            for k in range(o.samples):
                at = t0 + 10000 + k * step
                e = add(update, rng.choice(self.generated) if self.generated else 12, at, step - 2000)
                if k % 3 == 0:
                    n = 40 + 8 * rng.randrange(9)
                    a = add(e, 15, at + 1000, 300, [(3, struct.pack("<I", n))])
                    if self.rank >= 4:
                        a.gc = n
                    else:
                        e.gc = n
                        a.values = []
                    if k % 6 == 0:
                        a.stack = [0x7F00 + 0x100 * rng.randrange(5), 0x7F10, 0x1234]
                elif k % 3 == 1:
                    e.instance = 1000 + k
                    x = add(e, 50, at + 3000, step // 3, [(2, struct.pack("<i", k)), (9, ("Enemy \u00e9 #%d" % (k % 7)).encode("utf-16-le")), (3, bytes(4))])
                    add(x, rng.choice((40, 41)), at + 4000, step // 4)
                else:
                    add(e, 51, at + 2000, 5000, [(8, b"level0"), (5, struct.pack("<Q", k)), (5, struct.pack("<Q", 4096))])
            if rng.randrange(9) == 0:
                add(loop, 16, t0 + length - 3500000, 400000)
            if new:
                add(root, 31, t0 + length - 2000000, 0, [(4, struct.pack("<q", 2 ** 31 + self.T["frames"]))])
                add(root, 32, t0 + length - 2000000, 0, [(6, struct.pack("<f", 36.5))])
            add(root, 60, t0 + length - 1500000, 1400000)
            loop.flows.append((self.T["frames"] + 1, 0))
            if odd:
                add(root, 62, t0 + length - 20000, 50, TYPES + [(77, b"what"), (4, b"abc")])
        else:
            for k in range(rng.randrange(2, 3 + o.samples)):
                at = t0 + 100000 + k * 200000
                add(root, 21, at, 50000)
                j = add(root, rng.choice(self.generated) if self.generated else 22, at + 50000, 120000)
                if k % 2:
                    j.flows.append((self.T["frames"] + 1, 1 + 2 * (k % 4 == 3)))
            if name == "Render Thread":
                c = add(root, 61, t0 + length - 4000000, 2000000)
                c.gpu.append((4000 + rng.randrange(100), rng.randrange(8)))
                if new:
                    add(root, 30, t0 + length - 1500000, 0, [(2, struct.pack("<i", 300))])
            if odd and name == "Worker 1":
                add(root, 22, t0 + length - 3000000, 3000000 + 5 * 10 ** 9 if rng.randrange(2) else 2000000)
        return root

    def flat(self, root):
        out = []

        def visit(s):
            out.append(s)
            for c in s.children:
                visit(c)
        visit(root)
        return out

    # --- a thread's bytes
    def thread(self, tid, group, name, samples):
        o, rng, rank = self.o, self.rng, self.rank
        r = lambda n: rank >= n
        odd = o.scenario == "odd"
        b = Bytes()
        order = (lambda rows: rng.sample(rows, len(rows))) if odd else (lambda rows: rows)
        if r(8):
            b.p("Q", tid)
        b.cstr(group).cstr(name).p("I", len(samples))
        for s in samples:
            n = len(s.children)
            if r(11):
                b.p("IfQi", 0xFFFFFFFF if s.marker is None else s.marker, s.dur, s.start, n)
            elif r(8):
                b.p("fQi", s.dur, s.start, n)
            elif r(6):
                b.p("fQi", s.dur / 1000, s.start // 1000, n)
            else:
                b.p("IIi", s.dur // 1000, s.start // 1000 & 0xFFFFFFFF, n)
        rows = lambda what: order([(i, x) for i, s in enumerate(samples) for x in what(s)])
        gpu = rows(lambda s: s.gpu)
        b.p("I", len(gpu))
        for i, (us, section) in gpu:
            b.p("iIi", us, i, section)
        if r(10):
            ids = rows(lambda s: [s.instance] if s.instance else [])
            b.p("I", len(ids))
            for i, x in ids:
                b.p("IQ" if r(12) else "Ii", i, x)
        gc = rows(lambda s: [s.gc] if s.gc else [])
        b.p("I", len(gc))
        for row in gc:
            b.p("II", *row)
        for s in samples if not r(11) else ():
            b.p("I", s.marker is not None)
            if s.marker is not None:
                _, text, category, flags, params = self.markers[s.marker]
                b.cstr(text).p("I", category << 16 | flags)
                if r(6):
                    b.p("I", len(params))
                    for t, n in params:
                        b.p("I", t).cstr(n)
        b.p("II", 1, min(1, len(samples) - 1))
        values = [(i, s.values) for i, s in enumerate(samples) if s.values]
        if r(1):
            some = order([(0, [])] + values)
            b.p("I", len(some))
            for i, v in some:
                b.p("II", i, len(v))
                for t, data in v:
                    b.p("I", t).padded(data)
        elif o.version != 0x20160622:
            b.p("III", 1, 1, 0).padded(b"abcde")
        if r(5):
            b.p("II", 1, min(1, len(samples) - 1))
        if r(4):
            b.p("I", 4)
        stacks = rows(lambda s: [s.stack] if s.stack else []) if r(6) else []
        if r(6):
            b.p("I", len(stacks))
            for i, a in stacks:
                b.p("I", i).p("32Q" if r(8) else "32I", *a, *[0] * (32 - len(a)))
        flows = rows(lambda s: s.flows) if r(7) else []
        if r(7):
            flows = order(flows + [(-1, (77, 3))])
            b.p("I", len(flows))
            for i, (fid, kind) in flows:
                b.p("iII", i, fid, kind)
        new = {"threads": 1, "samples": len(samples), "gc": len(gc), "gc_bytes": sum(x for _, x in gc), "gpu": len(gpu), "flows": len(flows),
               "values": len(values) + 1 if r(1) else 0, "stacks": len(stacks)}
        return b, new

    # --- a record
    def threads(self, idx):
        o, odd = self.o, self.o.scenario == "odd"
        if idx < self.bare:
            return []
        out = [(0x100B, "", "Main Thread"), (0x100D, "", "Render Thread")]
        out += [(0x2000 + k, "Job", "Worker %d" % k) for k in range(o.workers)]
        if idx >= 3:
            out.append((0x3000, "Loading", "Preload"))
        if odd:
            out.insert(idx % 2, out.pop(0))
            out.append((0x4000, "", "Twin"))
            out.append((0x4000, "", "Twin"))
            out.append((0x5000, "", "Early" if idx < 6 else "Late"))
        return out

    def record(self, idx, number):
        o, rng, rank = self.o, self.rng, self.rank
        r = lambda n: rank >= n
        length = self.length()
        start, new = self.now, collections.Counter({"frames": 1})
        empty = o.scenario == "odd" and idx == 9 and r(6)
        self.now += length
        b = Bytes()
        if not rank:
            b.p("II", 1, o.version)
        b.p("ii", number, 306 + number)
        b.p("Q", start if r(8) else start // 1000) if r(6) else b.p("I", start // 1000 & 0xFFFFFFFF)
        b.p("ii", length // 1000, self.gpu_us())
        if r(6):
            b.p("I", 0 if empty else 15613)
        mem, after = OLD.get(o.version) or (33, AFTER.get(rank, 265))
        b.p("%di" % mem, *([250000, 0, 40000] + [0] * (mem - 3))).p("5i", 1052, 28, 5, 43, 6).p("i", -1).extend(bytes(64))
        b.p("%di" % after, *([88, 90, 300] + [0] * (after - 3)))
        bare = idx < self.bare
        listed = lambda n, size: b.p("I", 0 if bare else n).extend(bytes(0 if bare else n * size))
        listed(1, 72 if r(12) else 64)
        listed(1, 44)
        names = b"bus\0name" if o.scenario != "odd" else b"bus\0n" if o.audio_pad else b"bus\0name12345678"
        b.p("I", len(names)).extend(names + bytes(-len(names) % 4 if o.audio_pad else 0))
        if r(1) or o.version >= 0x20170130:
            listed(1, 60 if r(12) else 52)
            b.padded(b"Canvas\0")
            listed(1, 16 if r(12) else 12)
            b.padded(b"evt\0")
            listed(2, 8 if r(12) else 4)
        parts, used = [], set()
        for tid, group, name in self.threads(idx):
            root = self.tree(name, start, length)
            root.children = [] if empty else root.children
            samples = self.flat(root)
            used |= {s.marker for s in samples if s.marker is not None}
            data, n = self.thread(tid, group, name, samples)
            parts.append(data)
            new.update(n)
            self.main = n if name == "Main Thread" else self.main
        if r(11):
            fresh = sorted(used - self.known)
            self.known |= used
            b.p("I", len(fresh))
            for m in fresh:
                _, text, category, flags, params = self.markers[m]
                b.p("I", m).cstr(text).p("II", category << 16 | flags, len(params))
                for t, n in params:
                    b.p("I", t).cstr(n)
        at_threads = len(b)
        b.p("I", len(parts))
        for part in parts:
            b.extend(part)
        if r(6):
            b.p("I", len(self.code))
            for text, start in self.code:
                b.cstr(text).cstr("Assets/Enemy.cs").p("Q" if r(8) else "I", start).p("II", 0x100, 12)
        if r(9):
            b.p("I", len(self.categories))
            for c, n in self.categories:
                b.p("III", c, 1, 1).cstr(n)
                if r(11):
                    b.p("I", 1)
        if r(10) and bare:
            b.p("II", 0, 0)
        elif r(10):
            wide = "Q" if r(12) else "i"
            b.p("I", 1).p("I", 5).cstr("Transform").p("I", 1).p(wide, 54438)
            if r(11):
                b.p(wide, 54440)
            b.p("I", 4).cstr("Enemy")
            if r(11):
                b.p("Q", 77)
        if r(11):
            b.p("IQQ", 1, 1, 2)
        b.p("I", MARK)
        head = Bytes()
        if not rank:
            head.p("4I", 1, o.version, len(b), len(parts))
        elif r(11):
            head.p("7I", o.version, len(b), *o.unity)
        else:
            head.p("3I", o.version, len(b), len(parts))
        return head, b, at_threads, new


def write(o):
    c = Capture(o)
    facts = collections.Counter()
    frames = 0 if o.scenario == "empty" else o.frames
    size = i = number = 0
    half = frames // 2
    with open(o.out, "wb") as f:
        while i < frames or size < o.big * 1000000:
            if o.scenario == "lost" and i == half:
                number += 5
                c.now += 5 * 16666667
            head, body, at_threads, new = c.record(i, number)
            data, keep = bytes(head + body), True
            if i == half and not o.big:
                if o.scenario == "badmark":
                    data, keep = data[:-4] + bytes(4), False
                    facts["damaged_bytes"] = len(body)
                elif o.scenario == "badsize":
                    at = 4 if c.rank else 8
                    data, keep = data[:at] + struct.pack("<I", len(body) + 12) + data[at + 4:], False
                    facts["sync_bytes"] = len(data)
                elif o.scenario == "badtree":
                    k = len(head) + at_threads + 4 + (8 if c.rank >= 8 else 0)
                    first = k
                    while data[first:first + 4] not in (b"Main",):
                        first += 4
                    first += 12 + 4                               # "Main Thread" and its NUL, the number of samples
                    width = 20 if c.rank >= 11 else 16 if c.rank >= 6 else 12
                    data = data[:first + width - 4] + struct.pack("<i", 1000000) + data[first + width:]
                    facts["damaged_bytes"] = width * c.main["samples"]
                    new["gc_bytes"] -= c.main["gc_bytes"]
                elif o.scenario == "garbage":
                    f.write(bytes(c.rng.randrange(0, 0xAF) for _ in range(1000)))
                    facts["sync_bytes"] = 1000
                    size += 1000
            f.write(data)
            size += len(data)
            last = len(data), new
            if keep:
                c.T.update(new)
            i, number = i + 1, number + 1
        if o.scenario != "noend":
            f.write(struct.pack("<I", END))
            size += 4
        if o.scenario == "tail":
            f.write(bytes(100))
            facts["tail_bytes"] = 100
        if o.scenario == "cut":
            cut = o.cut or 4 + last[0] // 2
            f.truncate(size - cut)
            if cut >= 4 + last[0]:
                sys.exit("data_gen.py: --cut is for the last record alone, %d bytes" % (last[0] + 4))
            if cut > 4:
                c.T.subtract(last[1])
            facts["cut_bytes"] = 4 + last[0] - cut if cut > 4 else 4 - cut
    T = dict(c.T)
    T.update(facts, version=hex(o.version), scenario=o.scenario)
    with open(o.out + ".json", "w", encoding="utf-8") as f:
        json.dump(T, f, indent=1)
        f.write("\n")
    print("%s: %d bytes, %d frames" % (o.out, size, c.T["frames"]))


def main(args=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    p.add_argument("out", nargs="?")
    p.add_argument("--version", type=lambda s: int(s, 0), default=0x20220328)
    p.add_argument("--unity", default="6000,3,9,2,1")
    p.add_argument("--frames", type=int, default=20)
    p.add_argument("--samples", type=int, default=6)
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--markers", type=int, default=0)
    p.add_argument("--scenario", choices=list(SCENARIOS), default="clean")
    p.add_argument("--cut", type=int, default=0)
    p.add_argument("--bare", type=int, default=0, help="so many first frames have statistics alone: they are alike in 2022.2 and 6000.5")
    p.add_argument("--audio-pad", type=int, default=0)
    p.add_argument("--big", type=int, default=0)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--list", action="store_true")
    o = p.parse_args(args)
    if o.list:
        for name, text in SCENARIOS.items():
            print("%-10s %s" % (name, text))
        return
    o.unity = [int(x) for x in o.unity.split(",")]
    if not o.out or (o.version not in WORDS and o.version not in OLD):
        p.error("an output and a known version are needed")
    if o.big:
        o.markers, o.workers, o.samples = o.markers or 3000, max(o.workers, 36), max(o.samples, 12)
    write(o)


if __name__ == "__main__":
    main()
