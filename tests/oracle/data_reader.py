"""A slow reader of Unity's .data, written from tracetool-unity-data(7) alone: the whole file in memory, one record after the other.

Capture(path).threads: what each thread did, as lists of zones, allocations, counters, flows and frames, with times in ns since the first
record's.
"""
from fractions import Fraction
import math
import struct

import gpu_track

WORDS = [0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20200924, 0x20210412, 0x20210919, 0x20220328,
         0x20260108]
OLD = {0x20160622: (27, 213), 0x20161226: (33, 227), 0x20170130: (33, 231), 0x20170929: (33, 247)}
AFTER = {1: 247, 2: 244, 3: 246, 4: 258, 5: 258}
GPU = ["Other", "Opaque", "Transparent", "Shadows", "Deferred Pre-Pass", "Deferred Lighting", "Motion Vectors", "Post-Process"]
KB = ["Total", None, "GC", "Gfx", "Audio", "Video", "Profiler"]
STATS = [(n + " Used Memory", i, 1024) for i, n in enumerate(KB) if n] + [(n + " Reserved Memory", 7 + i, 1024) for i, n in enumerate(KB) if n]
STATS += [(n + " Count", i, 1) for n, i in (("Texture", 15), ("Mesh", 17), ("Material", 19), ("AnimationClip", 21), ("AudioClip", 23), ("Asset", 25),
                                            ("Scene Object", 26), ("Game Object", 27), ("Object", 28), ("GC Allocation In Frame", 31))]
DRAWN = [("SetPass Calls Count", 0), ("Batches Count", 1), ("Draw Calls Count", 2), ("Shadow Casters Count", 18)]
FORMS = {1: "i", 2: "i", 3: "I", 4: "q", 5: "Q", 6: "f", 7: "d", 12: "Q", 13: "Q"}


class Bad(Exception):
    pass


class Take:
    def __init__(self, data):
        self.d, self.at = data, 0

    def raw(self, n):
        if n < 0 or self.at + n > len(self.d):
            raise Bad
        self.at += n
        return self.d[self.at - n:self.at]

    def one(self, form):
        return struct.unpack("<" + form, self.raw(struct.calcsize("<" + form)))[0]

    def u32(self):
        return self.one("I")

    def cstr(self):
        nul = self.d.find(b"\0", self.at)
        if nul < 0:
            raise Bad
        text = self.d[self.at:nul]
        self.raw((nul - self.at + 4) // 4 * 4)
        return text.decode("utf-8", "replace")

    def rows(self, form):
        return [struct.unpack("<" + form, self.raw(struct.calcsize("<" + form))) for _ in range(self.u32())]


class Layout:
    def __init__(self, word, audio_pad, ui_place):
        self.word, self.rank = word, WORDS.index(word) + 1 if word in WORDS else 0
        self.audio_pad, self.ui_place = audio_pad, ui_place


class Record:
    """All of a record's body; Bad where it does not end at its end mark."""

    def __init__(self, lay, body):
        t, rank = Take(body[:-4]), lay.rank
        if struct.unpack("<I", body[-4:])[0] != 0xAFAFAFAF:
            raise Bad
        self.t, self.lay = t, lay
        if not rank:
            t.raw(8)
        self.id, _ = t.u32(), t.u32()
        self.start = t.one("Q") * (1 if rank >= 8 else 1000) if rank >= 6 else t.u32()
        self.cpu, self.gpu = t.u32(), t.u32()
        self.empty = rank >= 6 and t.u32() == 0 and self.cpu != 0
        mem, after = OLD.get(lay.word) or (33, AFTER.get(rank, 265))
        self.memory = struct.unpack("<%di" % mem, t.raw(4 * mem))
        t.u32()
        while t.one("i") != -1:
            t.u32()
        t.raw(64)
        self.after = struct.unpack("<%di" % after, t.raw(4 * after))
        t.rows("72s" if rank >= 12 else "64s")
        t.rows("44s")
        n = t.u32()
        t.raw(n + (-n % 4 if lay.audio_pad else 0))
        if rank or lay.word >= 0x20170130:
            t.rows("60s" if rank >= 12 else "52s")
            self.names()
            t.rows("16s" if rank >= 12 else "12s")
            self.names()
            t.rows("8s" if rank >= 12 else "4s")
        self.markers = [self.marker(t.u32()) for _ in range(t.u32())] if rank >= 11 else []
        self.threads = [self.thread() for _ in range(t.u32())]
        self.empty = self.empty and all(len(th["samples"]) < 2 for th in self.threads)
        self.code, self.categories = [], []
        for _ in range(t.u32() if rank >= 6 else 0):
            name, _ = t.cstr(), t.cstr()
            start = t.one("Q" if rank >= 8 else "I")
            self.code.append((start, start + t.u32(), name))
            t.u32()
        for _ in range(t.u32() if rank >= 9 else 0):
            cid, _, _ = t.u32(), t.u32(), t.u32()
            self.categories.append((cid, t.cstr()))
            t.raw(4 if rank >= 11 else 0)
        if rank >= 10:
            for _ in range(t.u32()):
                t.u32(), t.cstr()
            for _ in range(t.u32()):
                t.raw((16 if rank >= 12 else 8 if rank >= 11 else 4) + 4)
                t.cstr()
                t.raw(8 if rank >= 11 else 0)
        if rank >= 11:
            t.rows("QQ")
        if t.at != len(t.d):
            raise Bad

    def names(self):
        n = self.t.u32()
        self.t.raw(n)
        self.t.raw(-(self.t.at if self.lay.ui_place else n) % 4)

    def marker(self, mid=None):
        t = self.t
        name, word = t.cstr(), t.u32()
        params = [(t.u32(), t.cstr()) for _ in range(t.u32())] if self.lay.rank >= 6 else []
        return mid, name, word & 0xffff if self.lay.rank else 0, word >> 16, params

    def thread(self):
        t, rank = self.t, self.lay.rank
        th = {"id": t.one("Q") if rank >= 8 else None, "group": t.cstr(), "name": t.cstr()}
        th["samples"] = t.rows("IfQi" if rank >= 11 else "fQi" if rank >= 6 else "IIi")
        th["gpu"] = t.rows("iIi")
        th["ids"] = t.rows("Iq" if rank >= 12 else "Ii") if rank >= 10 else []
        th["gc"] = t.rows("II")
        th["markers"] = []
        for _ in th["samples"] if rank < 11 else ():
            present = t.u32()
            if present > 1:
                raise Bad
            th["markers"].append(self.marker() if present else None)
        t.rows("I")
        th["values"] = []
        if rank:
            for _ in range(t.u32()):
                i, n = t.u32(), t.u32()
                values = []
                for _ in range(n):
                    kind, size = t.u32(), t.u32()
                    values.append((kind & 0xff, t.raw(size)))
                    t.raw(-size % 4)
                th["values"].append((i, values))
        elif self.lay.word != 0x20160622:
            t.rows("II")
            n = t.u32()
            t.raw(n + -n % 4)
        if rank >= 5:
            t.rows("I")
        if rank >= 4:
            t.u32()
        th["stacks"] = t.rows("I32Q" if rank >= 8 else "I32I") if rank >= 6 else []
        th["flows"] = t.rows("iII") if rank >= 7 else []
        return th


class Thread:
    def __init__(self, name):
        self.name = name
        self.zones, self.allocs, self.counters, self.flows, self.frames = [], [], [], [], []
        self.last, self.clock, self.bad = None, 0, 0


def value(kind, data):
    """A value as a number or bytes: a type of another size is bytes."""
    form = FORMS.get(kind)
    if form and struct.calcsize(form) == len(data):
        return kind, struct.unpack("<" + form, data)[0]
    return (kind if kind in (8, 9) or (kind == 10 and len(data) == 12) else 11), data


class Capture:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.d = f.read()
        self.threads, self.keys, self.zero, self.bad = [], {}, None, 0
        self.names, self.code, self.counters, self.work = {}, [], set(), []
        if self.d[:4] != struct.pack("<I", 0xDEADFEED):
            self.read()
        if any(row for r in getattr(self, "records", ()) for th in r.threads for row in th["gpu"]):
            self.threads.append(Thread("GPU"))
            gpu_track.fill(self.threads[-1], self.work)

    def read(self):
        d = self.d
        old = d[:4] == b"\1\0\0\0"
        word = struct.unpack_from("<I", d, 4 if old else 0)[0]
        self.head = 16 if old else 28 if word >= 0x20220328 else 12
        at, self.records, self.places = 0, [], []
        while at + self.head <= len(d):
            size = self.sized(at, word, old)
            r = self.record(word, d[at + self.head:at + self.head + size]) if size is not None and at + self.head + size <= len(d) else None
            if size is not None and at + self.head + size > len(d) and self.search(at, word, old) is None:
                break
            follows = size is not None and (d[at + self.head + size:at + self.head + size + 4] in (struct.pack("<I", 0xDEADFEED), b"") or
                                            self.sized(at + self.head + size, word, old) is not None)
            if r:
                self.records.append(r)
                self.places.append(at)
                at += self.head + size
            elif follows:
                at += self.head + size
            elif d[at:at + 4] == struct.pack("<I", 0xDEADFEED):
                break
            else:
                at = self.search(at, word, old)
                if at is None:
                    break
        for r in self.records:
            for m in r.markers:
                self.names[m[0]] = m
        for r in self.records:
            self.code += [c for c in r.code if c not in self.code]
        self.counting = any(m[2] & 0x80 for m in self.names.values())
        before = 0
        for n, r in enumerate(self.records):
            if r.lay.rank < 6:
                us = r.start
                r.start = before + ((us - before // 1000) % 2 ** 32) * 1000 if n else us * 1000
                before = r.start
            if self.zero is None:
                self.zero = r.start
            self.frame(r, n)

    def sized(self, at, word, old):
        d = self.d
        if at + (12 if old else 8) > len(d) or (old and d[at:at + 4] != b"\1\0\0\0"):
            return None
        w, size = struct.unpack_from("<II", d, at + (4 if old else 0))
        return size if w == word and 64 <= size <= 256 << 20 else None

    def search(self, at, word, old):
        mark = struct.pack("<I", 0xAFAFAFAF)
        for k in range(at + 1, len(self.d)):
            size = self.sized(k, word, old)
            if size is not None and (self.d[k - 4:k] == mark or self.d[k + self.head + size - 4:k + self.head + size] == mark):
                return k
        return None

    def record(self, word, body):
        for audio, place in ((0, 0), (1, 0), (0, 1), (1, 1)):
            try:
                return Record(Layout(word, audio, place), body)
            except Bad:
                continue
        return None

    def frame(self, r, n):
        main = [i for i, t in enumerate(r.threads) if (t["group"], t["name"]) == ("", "Main Thread")]
        main = main[0] if main else 0
        used = set()
        for i, th in enumerate(r.threads):
            name, nth = (th["group"], th["name"]), 0
            while (th["id"], name, nth) in used:
                nth += 1
            used.add((th["id"], name, nth))
            key = th["id"], name, nth
            if key not in self.keys:
                self.keys[key] = Thread((th["group"] + "." if th["group"] else "") + th["name"])
                self.threads.append(self.keys[key])
            t = self.keys[key]
            if i == main:
                t.frames.append(r.start - self.zero)
                if r.lay.rank in (6, 7):
                    self.statistics(r, t)
            self.thread(r, th, t)

    def statistics(self, r, t):
        at = r.start - self.zero
        for name, i, factor in STATS:
            t.counters.append((at, name, r.memory[i] * factor))
        for name, i in DRAWN:
            t.counters.append((at, name, r.after[i]))

    def resolve(self, addresses):
        out = []
        for a in addresses:
            if a == 0:
                break
            found = [n for lo, hi, n in self.code if lo <= a < hi]
            out.append(found[0] if found else "0x%x" % a)
        return tuple(reversed(out))

    def thread(self, r, th, t):
        rank, samples = r.lay.rank, th["samples"]
        start0 = r.start
        tree, stack = [], []
        for i, s in enumerate(samples):
            mid = s[0] if rank >= 11 else None
            dur, start, children = s[-3:]
            if rank >= 6:
                if not (math.isfinite(dur) and dur >= 0):
                    t.bad += 1
                    break
                ts = start * (1 if rank >= 8 else 1000) - self.zero
                end = ts + math.floor(Fraction(dur) * (1 if rank >= 8 else 1000) + Fraction(1, 2))
            else:
                ts = (start - start0 // 1000 + 2 ** 31) % 2 ** 32 - 2 ** 31
                ts = (start0 - self.zero) + ts * 1000
                end = ts + dur * 1000
            if not 0 <= children < len(samples) - i or (i and not stack):
                t.bad += 1
                break
            m = self.names.get(mid, (mid, None, 0, 0, [])) if rank >= 11 else th["markers"][i]
            root = i == 0 or m is None or mid == 0xFFFFFFFF
            if i:
                up = stack[-1]
                slack = (2 if rank >= 8 else 2000) + ((end - ts) >> 22) + (((up["end"] - up["at"]) >> 22) if len(stack) > 1 else 0)
                t.clock += ts < up["at"] - slack or end > up["end"] + slack
                ts = min(max(ts, up["at"]), up["end"])
                end = min(max(end, ts), up["end"])
            self.sample(r, th, t, i, m, root, ts, end, len([x for x in stack if x["zone"]]))
            stack.append({"at": ts if i else -10 ** 18 if t.last is None else t.last, "end": end if i else 10 ** 18, "left": children,
                          "zone": self.is_zone})
            while stack and stack[-1]["left"] == 0:
                x = stack.pop()
                done = x["end"] if stack else x["at"]
                if not stack:
                    t.last = done
                else:
                    stack[-1]["at"] = done
                    stack[-1]["left"] -= 1
        t.bad += bool(stack)
        while stack:
            x = stack.pop()
            if stack:
                stack[-1]["at"] = x["end"]
            else:
                t.last = x["at"]

    def sample(self, r, th, t, i, m, root, ts, end, depth):
        self.is_zone = False
        values = [v for j, v in th["values"] if j == i and v]
        values = [value(*v) for v in values[0]] if values else []
        gc = [b for j, b in th["gc"] if j == i]
        stacks = [row[1:] for row in th["stacks"] if row[0] == i]
        name = None if root else m[1]
        alloc = counter = False
        if not root and name == "GC.Alloc":
            if gc:
                alloc = True
                t.allocs.append((ts, gc.pop(0), self.resolve(stacks.pop(0)) if stacks else ()))
            elif values and values[0][0] in (2, 3, 4, 5) and 0 <= values[0][1] < 2 ** 63:
                alloc = True
                t.allocs.append((ts, values[0][1], self.resolve(stacks.pop(0)) if stacks else ()))
        if not root and not alloc and m[2] & 0x80 and values and values[0][0] in FORMS:
            counter = True
            t.counters.append((ts, name, values[0][1]))
        flows = [(fid, kind) for j, fid, kind in th["flows"] if j == i and kind <= 3]
        t.flows += [(ts, kind, fid) for fid, kind in flows]
        if not root and not alloc and not counter:
            self.is_zone = True
            args = [(1, x) for j, x in th["ids"] if j == i and x] + values
            shown = name
            if name in ("Profiler.Default", "Profiler.DefaultMarker") and len(values) > 1 and values[1][0] in (8, 9) and values[1][1]:
                shown = values[1][1].decode("utf-8" if values[1][0] == 8 else "utf-16-le")
                args = args[:len(args) - len(values)] + ([values[0]] if values[0][1] else [])
            t.zones.append((ts, end - ts, depth, shown, args))
        for b in gc:
            t.allocs.append((ts, b, self.resolve(stacks.pop(0)) if stacks else ()))
        for us, j, section in th["gpu"]:
            if j == i:
                t.counters.append((ts, "GPU %s Time" % GPU[section if section < 8 else 0], us * 1000))
                if self.is_zone:
                    self.work.append((ts, shown, us * 1000, section))
