"""A slow reader of Unity's .raw, written from tracetool-unity-raw(7) alone: whole streams in memory, one message after the other.

Capture(path).threads: what each logical thread did, as lists of zones, allocations, instants, counters, flows and frames, with times
in ns since the first ProfilerState or frame.
"""
import struct

import gpu_track

SIG, BLOCK, FOOT, SESSION = 0x55334450, 0xB10C7EAD, 0xB10CF007, 2 ** 64 - 1
WORDS = [0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20200924, 0x20210412, 0x20210919, 0x20220328,
         0x20260108]
GPU = ["Other", "Opaque", "Transparent", "Shadows", "Deferred Pre-Pass", "Deferred Lighting", "Motion Vectors", "Post-Process"]
# Fields of the statistics array that are read: name, place (behind the list of classes: with a +), factor.
KB = ["Total", None, "GC", "Gfx", "Audio", "Video", "Profiler"]
STATS = [(n + " Used Memory", i, 1024) for i, n in enumerate(KB) if n] + [(n + " Reserved Memory", 7 + i, 1024) for i, n in enumerate(KB) if n]
STATS += [(n + " Count", i, 1) for n, i in (("Texture", 15), ("Mesh", 17), ("Material", 19), ("AnimationClip", 21), ("AudioClip", 23), ("Asset", 25),
                                            ("Scene Object", 26), ("Game Object", 27), ("Object", 28), ("GC Allocation In Frame", 31))]
DRAWN = [("SetPass Calls Count", 0), ("Batches Count", 1), ("Draw Calls Count", 2), ("Shadow Casters Count", 18)]
BEHIND = (247, 244, 246, 258, 265)      # which of them it is, the length of the array says


class Short(Exception):
    pass


class Bad(Exception):
    pass


class Take:
    """Fields of one message, which begins at ${data}[at]."""

    def __init__(self, data, at, aligned):
        self.d, self.at, self.start, self.aligned = data, at, at, aligned

    def raw(self, n):
        if self.at + n > len(self.d):
            raise Short
        self.at += n
        return self.d[self.at - n:self.at]

    def one(self, form):
        return struct.unpack("<" + form, self.raw(struct.calcsize(form)))[0]

    def pad(self):
        if self.aligned:
            self.raw((self.start - self.at) % 4)

    def u8(self):
        v = self.one("B")
        self.pad()
        return v

    def blob(self):
        n = self.one("I")
        if n > 16 << 20:
            raise Bad
        v = bytes(self.raw(n))
        self.pad()
        return v

    def name(self):
        return self.blob().split(b"\0")[0].decode("utf-8", "replace")

    def ints(self):
        n = self.one("I")
        if n > 4 << 20:
            raise Bad
        return list(struct.unpack("<%di" % n, self.raw(4 * n)))

    def value(self):
        t = self.u8()
        form = {1: "i", 2: "i", 3: "I", 4: "q", 5: "Q", 6: "f", 7: "d", 12: "Q", 13: "Q"}.get(t)
        if form:
            return t, self.one(form)
        if t in (8, 9, 11):
            return t, self.blob()
        if t == 10:
            return t, bytes(self.raw(12))
        raise Bad


class Session:
    def __init__(self, head, n):
        self.number = n
        _, order, aligned, _, word, num, den, self.main = struct.unpack_from("<IBBHIQQQ", head)
        assert order == 1
        self.aligned, self.num, self.den = bool(aligned), num, den
        self.rank = WORDS.index(word) + 1 if word in WORDS else None
        if self.rank is None:
            self.rank = max(WORDS.index(w) + 1 for w in WORDS if w < word and w != 0x20180306)
        self.size = 56 if word >= 0x20211028 else 36
        self.names, self.flags, self.threads, self.code, self.params = {}, {}, {}, [], {}


def message(s, data, at):
    """One message as a tuple, and where the next one begins."""
    t = Take(data, at, s.aligned)
    kind = t.one("H")
    t.pad()
    one, u8, name, blob = t.one, t.u8, t.name, t.blob
    if kind == 0:
        m = one("I"), one("Q"), one("I")
        if m[0] > 1 or m[1] == 0:
            raise Bad
    elif kind == 1:
        m = [one("I"), one("H"), one("H"), name(), []]
        for _ in range(u8()):
            p = one("H")
            t.pad()
            m[4].append((p, name()))
    elif kind == 3:
        h, n = one("I"), one("B")
        if s.aligned and t.at + 3 <= len(data) and not any(data[t.at:t.at + 3]):
            t.pad()
        m = h, struct.unpack("<%dQ" % n, t.raw(8 * n))
        t.pad()
    elif kind == 4:
        m = one("I") if s.rank >= 4 else 0, t.ints()
    elif kind == 5:
        m = t.ints(), t.ints(), t.ints(), blob()
    elif kind == 6:
        m = blob(), blob()
    elif kind == 7:
        m = blob(), blob(), blob()
    elif kind == 8:
        m = one("Q"), one("Q"), one("I"), name(), name(), one("I")
    elif kind == 10:
        m = one("I"), one("I"), name()
    elif kind == 11:
        m = [one("i"), name()] if s.rank < 11 else [one("Q" if s.rank > 11 else "i"), one("Q" if s.rank > 11 else "i"), name()]
        m += [one("I"), one("i"), one("q")] + ([one("Q")] if s.rank >= 11 else [])
    elif kind == 12:
        m = one("Q"), one("Q"), one("Q")
    elif kind == 33:
        m = one("Q"), one("Q") if s.rank >= 3 else None, one("I"), name(), name()
    elif kind == 34:
        m = one("I"), one("Q")
    elif 36 <= kind <= 44:
        m = [u8(), one("I"), one("Q"), None, None]
        if 39 <= kind <= 41:
            m[3] = one("q" if s.wide else "i")
        elif kind >= 42:
            m[4] = [t.value() for _ in range(u8())]
    elif kind in (52, 53):
        m = one("I"),
    elif kind == 55:
        m = one("I"), one("I"), u8()
    elif kind == 56:
        m = one("Q"),
    elif kind == 57:
        m = u8(), one("I")
        if m[0] > 3:
            raise Bad
    elif kind == 62:
        m = [one("H"), one("H"), one("H")]
        if s.aligned and t.at + 4 <= len(data) and struct.unpack_from("<I", data, t.at)[0] > 65535:
            t.pad()
        m.append(name())
    elif kind == 63:
        m = one("H"), one("H")
    else:
        raise Bad
    return (kind, m), t.at


class Thread:
    """A logical thread: a stream's, until its id is another one's."""

    def __init__(self, tid, name):
        self.tid, self.name = tid, name
        self.zones, self.allocs, self.instants, self.counters, self.flows, self.frames = [], [], [], [], [], []
        self.lengths = []             # (name, of a zone with an end of its own its length, else None)
        self.stack, self.last, self.popped, self.orphans, self.begun = [], None, 0, 0, None
        self.endless = []             # zones without an end of their own: begin in ns, name
        self.strays = []              # ("begin", (marker, name), ns) of popped zones, ("end", ...) of ends without a zone, ("lost", None, ns)


class Capture:
    def __init__(self, path, wide=False):
        self.wide = wide
        with open(path, "rb") as f:
            self.d = f.read()
        self.sessions, self.streams, self.zero = [], {}, None
        self.split()
        for s in self.sessions:
            self.definitions(s)
        self.threads, self.latest, self.given, self.taken = [], {}, {}, []
        for (n, sid), blocks in self.streams.items():
            if sid != SESSION:
                self.thread(self.sessions[n], sid, list(self.messages(self.sessions[n], blocks)))
        for t in self.threads:
            self.close(t, len(t.stack), t.last)
        if self.taken:
            self.threads.append(Thread(gpu_track.TID, "GPU"))
            gpu_track.fill(self.threads[-1], list(self.gpu_work()))

    def gpu_work(self):
        """The times of the GPU, each with the newest zone before it that has its number, on whatever thread: (begin of the zone, its name, ns, part)."""
        for key, at, tid, place, ns, part in self.taken:
            zones = [(z[0], i, z) for i, (begun_on, position, z) in enumerate(self.given.get(key, []))
                     if z[0] <= at and (begun_on != tid or position < place)]
            if zones:
                yield (*max(zones)[2], ns, part)

    # --- the file
    def good(self, at):
        d = self.d
        if at + 28 > len(d) or struct.unpack_from("<I", d, at)[0] != BLOCK:
            return False
        n = struct.unpack_from("<I", d, at + 16)[0]
        return n <= 64 << 20 and at + 28 + n <= len(d) and \
            struct.unpack_from("<II", d, at + 20 + n) == ((struct.unpack_from("<I", d, at + 4)[0] + 1) & 0xFFFFFFFF, FOOT)

    def split(self):
        """Blocks by session and stream: (consecutive with the one before, payload, the file ends in it)."""
        d, at, ids = self.d, 0, {}
        while at < len(d):
            if d[at:at + 4] == struct.pack("<I", SIG):
                self.sessions.append(Session(d[at:at + 56], len(self.sessions)))
                self.sessions[-1].wide = self.wide
                at += self.sessions[-1].size
                continue
            cut = False
            if not self.good(at):
                more = [k for k in range(at + 1, len(d) - 27) if d[k] == 0xAD and self.good(k)]
                if more:
                    at = more[0]
                    continue
                cut = len(d) - at > 20 and struct.unpack_from("<I", d, at)[0] == BLOCK and \
                    at + 28 + struct.unpack_from("<I", d, at + 16)[0] > len(d)
                if not cut:
                    break
            _, number, sid, n = struct.unpack_from("<IIQI", d, at)
            key = len(self.sessions) - 1, sid
            self.streams.setdefault(key, []).append((ids.get(key, number) == number, d[at + 20:at + 20 + n], cut))
            ids[key] = (number + 1) & 0xFFFFFFFF
            at += 28 + n

    def messages(self, s, blocks):
        """Messages of a stream; None where something is missing."""
        carry = b""
        for follows, body, _ in blocks:
            alone = len(body) == (16 if s.aligned else 14) and struct.unpack_from("<H", body)[0] == 34
            if not follows or alone:
                if not follows or carry:
                    yield None
                carry = b""
            # A bad message costs the rest of the block in which it begins.
            data, at, old = carry + body, 0, len(carry)
            carry = b""
            while at < len(data):
                try:
                    m, end = message(s, data, at)
                except Short:
                    carry = data[at:]
                    break
                except Bad:
                    yield None
                    if at >= old:
                        break
                    at = old
                    continue
                yield m
                at = end

    # --- definitions
    def ns(self, s, ticks):
        return ticks * s.num // s.den - self.zero

    def definitions(self, s):
        for (n, sid), blocks in self.streams.items():
            for m in self.messages(s, blocks) if n == s.number else ():
                if m is None:
                    continue
                kind, f = m
                if self.zero is None and kind in (0, 34):
                    self.zero = f[1] * s.num // s.den
                if kind == 1:
                    s.names[f[0]], s.flags[f[0]] = f[3], f[1]
                elif kind == 33:
                    s.threads.setdefault(f[0], []).append((f[1], f[2], (f[3] + "." if f[3] else "") + f[4], f[4]))
                elif kind == 8:
                    s.code.append((f[1], f[1] + f[2], f[3]))

    # --- threads
    def close(self, t, n, at, whole=0):
        """End the ${n} innermost zones; the outermost ${whole} of these have an end of their own."""
        for i in range(n):
            begin, mid, name, args = t.stack.pop()
            t.lengths.append((name, at - begin if i >= n - whole else None))
            if i < n - whole:
                t.endless.append((begin, name))
            t.zones.append((begin, at - begin, len(t.stack), name, args))

    def lose(self, t):
        """Something is missing on the thread."""
        self.close(t, len(t.stack), t.last)
        t.strays.append(("lost", None, t.last))

    def pop(self, t, n):
        """The ${n} innermost zones are about to be closed without an end."""
        t.popped += n
        t.strays += [("begin", (mid, name), begin) for begin, mid, name, _ in reversed(t.stack[len(t.stack) - n:])]

    def frames_of(self, s, addresses):
        found = []
        for a in addresses:
            names = [n for lo, hi, n in s.code if lo <= a < hi]
            found.append(names[0] if names else "0x%x" % a)
        return found

    def thread(self, s, tid, messages):
        infos = s.threads.get(tid, [])
        info, later = (infos[0], infos[1:]) if infos else ((None, 1, None, None), [])
        t = self.latest.get(tid) or Thread(tid, info[3])
        if not self.latest.get(tid):
            self.threads.append(t)
        elif t.stack:
            self.close(t, len(t.stack), t.last)
        self.latest[tid] = t
        frame = None
        for place, m in enumerate(messages):
            if m is None:
                self.lose(t)
                continue
            kind, f = m
            if 36 <= kind <= 44 and later and later[0][0] and f[2] >= later[0][0]:
                self.close(t, len(t.stack), t.last)
                info, later = later[0], later[1:]
                t = self.latest[tid] = Thread(tid, info[3])
                self.threads.append(t)
            if kind == 34:
                if frame is not None and f[0] != frame + 1:
                    self.lose(t)
                frame = f[0]
                t.last = self.ns(s, f[1])
                if tid == s.main:
                    t.frames.append(t.last)
            elif kind == 56:
                t.last = self.ns(s, f[0])
            elif 36 <= kind <= 44:
                t.last = self.ns(s, f[2])
                self.sample(s, t, info, (kind - 36) % 3, *f[1:2], *f[3:])
            elif kind == 52 and s.rank <= 3:
                t.allocs.append((t.last, f[0], ()))
            elif kind == 3 and t.allocs and t.fresh and f[1]:
                at, size, _ = t.allocs.pop()
                t.allocs.append((at, size, tuple(self.frames_of(s, reversed(f[1])))))
            elif kind == 57:
                t.flows.append((t.last, f[0], f[1]))
            elif kind == 53 and t.begun:
                self.given.setdefault((s.number, f[0]), []).append((tid, place, t.begun))
            elif kind == 55:
                self.taken.append(((s.number, f[0]), t.last, tid, place, f[1] * 1000, f[2]))
                t.counters.append((t.last, "GPU %s Time" % GPU[f[2]], f[1] * 1000))
            elif kind == 4:
                self.statistics(s, t, f[1])
            t.fresh = kind == 42 and len(t.allocs) > 0 and s.names.get(f[1]) == "GC.Alloc"

    def statistics(self, s, t, a):
        if s.rank >= 8 or any(v & 0x80 for v in s.flags.values()) or len(a) < 34:
            return
        at = 34
        while at < len(a) and a[at] != -1:
            at += 2
        draw = at + 17
        if len(a) - draw not in BEHIND:
            return
        for name, i, factor in STATS:
            t.counters.append((t.last, name, a[i] * factor))
        for name, i in DRAWN:
            t.counters.append((t.last, name, a[draw + i]))

    def sample(self, s, t, info, what, mid, instance, values):
        name = s.names.get(mid)
        size = values[0] if values and values[0][0] in (2, 3, 4, 5) and values[0][1] >= 0 else None
        args = [v for v in (values or ([(1, instance)] if instance else []))]
        if name == "GC.Alloc" and what != 1 and size:
            t.begun = None
            t.allocs.append((t.last, size[1], ()))
        elif what != 2 and not info[1] & 1 and name == info[2]:          # a root: it ends what is open, and is no zone
            self.pop(t, len(t.stack))
            self.close(t, len(t.stack), t.last)
            t.begun = None if what == 0 else t.begun
        elif what == 2:
            if s.flags.get(mid, 0) & 0x80 and values and values[0][0] in (1, 2, 3, 4, 5, 6, 7, 12, 13):
                t.counters.append((t.last, name, values[0][1]))
            else:
                t.instants.append((t.last, name, args))
        elif what == 0:
            shown = name
            if name in ("Profiler.Default", "Profiler.DefaultMarker") and values and len(values) > 1 and values[1][0] in (8, 9) and values[1][1]:
                shown = values[1][1].decode("utf-8" if values[1][0] == 8 else "utf-16-le")
                args = args[:1] if args[0][1] else []
            t.stack.append((t.last, mid, shown, args))
            t.begun = t.last, shown
        else:
            levels = [i for i, z in enumerate(t.stack) if z[1] == mid]
            if levels:
                self.pop(t, len(t.stack) - levels[-1] - 1)
                self.close(t, len(t.stack) - levels[-1], t.last, 1)
            elif name != "GC.Alloc":
                t.orphans += 1
                t.strays.append(("end", (mid, name), t.last))
