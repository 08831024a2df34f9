"""A slow reader of captures (.ttc), written from tracetool-capture(5) alone.

It must not know the program's own reader, recorder or headers: what the page does not say, it cannot read.
"""
import lzma
import struct

HEAD = bytes.fromhex("895454430d0a1a0a")
SIGNED, UNSIGNED, TEXTS, BLOBS = {1, 2, 4}, {3, 5, 12, 13, 32, 33, 35}, {8, 9}, {10, 11, 34}
M64 = 2 ** 64 - 1
# Zones of the Mono module that are no methods, by the names of tracetool-metrics(7), Calls.
RUNTIME = {2 ** 64 - 2: "GC.Pause", 2 ** 64 - 6: "GC.Stop", 2 ** 64 - 3: "Contention", 2 ** 64 - 4: "Exception", 2 ** 64 - 18: "JIT"}
RUNTIME.update({2 ** 64 - 17 + g: "GC.Collect gen%d" % g for g in range(8)})


class Damaged(Exception):
    pass


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC = crc_table()


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c = CRC[(c ^ b) & 255] ^ c >> 8
    return c ^ 0xFFFFFFFF


class Bytes:
    """Bytes read from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def take(self, n):
        if n > len(self.data) - self.at:
            raise Damaged("%d bytes wanted at %d of %d" % (n, self.at, len(self.data)))
        self.at += n
        return self.data[self.at - n:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for i in range(10):
            b = self.byte()
            value |= (b & 127) << 7 * i
            if b < 128:
                return value & M64
        raise Damaged("a varint of more than ten bytes at %d" % self.at)

    def zigzag(self):
        n = self.varint()
        return n >> 1 ^ -(n & 1)

    def text(self):
        return self.take(self.varint())

    def args(self):
        return [self.arg() for _ in range(self.varint())]

    def arg(self):
        kind = self.byte()
        if kind & 128:
            return kind, self.text()
        if kind in SIGNED:
            return kind, self.zigzag()
        if kind in UNSIGNED:
            return kind, self.varint()
        if kind in (6, 7):
            return kind, struct.unpack("<f" if kind == 6 else "<d", self.take(4 if kind == 6 else 8))[0]
        if kind in TEXTS | BLOBS:
            return kind, self.text()
        raise Damaged("type %d" % kind)


class Chunk:
    def __init__(self, raw):
        (self.mark, self.number, self.length, self.crc, self.seq, self.ticks, self.dropped, self.events, self.first, self.before,
         self.state, self.run) = struct.unpack("<4sIIIQQQQIII4s", raw[:64])
        if self.mark != b"TTCk":
            raise Damaged("no chunk")
        self.body = raw[64:64 + self.length]
        if len(self.body) < self.length or crc32c(raw[16:64] + self.body) != self.crc:
            raise Damaged("a chunk's checksum is wrong")


class Thread:
    def __init__(self, number):
        self.number, self.chunks, self.records = number, [], 0
        self.native, self.kernel = None, None


class Capture:
    """Files of one recording, in the order of their parts: definitions, and the events of each thread."""

    def __init__(self, *paths):
        self.markers, self.categories, self.counters, self.zones = {}, {}, {}, {}
        self.names, self.facts, self.ends, self.entities = {}, [], [], {}
        self.threads, self.instants, self.dumps = {}, [], []
        for path in paths:
            self.file(lzma.open(path).read() if path.endswith(".xz") else open(path, "rb").read())
        for c in self.threads.pop(0, Thread(0)).chunks:
            self.definitions(c)
        if not self.flags & 32 and self.clock and not paths[0].endswith(".xz"):
            self.measure()
        self.facts = list(dict.fromkeys(self.facts))      # each file of a rotation repeats them
        for t in self.threads.values():
            t.chunks.sort(key=lambda c: (c.seq, c.first))

    def file(self, data):
        if data[:8] != HEAD:
            raise Damaged("no capture")
        self.major, self.minor, size, crc, self.flags = struct.unpack("<HHIII", data[8:24])
        head = data[:16] + bytes(4) + data[20:size]
        if crc32c(head) != crc:
            raise Damaged("the head's checksum is wrong")
        self.run = data[24:40]
        self.num, self.den, self.zero, self.mono, self.wall, self.pid = struct.unpack("<QQQQQQ", data[48:96])
        self.clock = struct.unpack("<I", data[100:104])[0]
        self.texts = [t.decode() for t in data[192:size].split(b"\0")[:6]]
        at = size
        while at < len(data):
            c = Chunk(data[at:at + 64 + struct.unpack("<I", data[at + 8:at + 12])[0]])
            if c.run != self.run[:4]:
                raise Damaged("a chunk of another recording")
            at += 64 + c.length
            self.threads.setdefault(c.number, Thread(c.number)).chunks.append(c)

    def measure(self):
        """The rate of the counter between the instants in the file, where the program was killed before it could write it."""
        instants = [(self.zero, self.mono)] + [i[:2] for i in self.instants]
        spans = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(instants, instants[1:])]
        spans = [(t, n) for t, n in spans if abs(n * self.den - t * self.num) * 1000 <= t * self.num]
        ticks, ns = sum(t for t, _ in spans), sum(n for _, n in spans)
        if ns >= 50000000:
            self.num, self.den = ns, ticks

    def ns(self, ticks):
        return (ticks - self.zero) * self.num // self.den

    def definitions(self, chunk):
        b = Bytes(chunk.body[chunk.state:])
        while b.more():
            if b.varint() & 3 != 3:
                raise Damaged("thread 0 has a record that is no other one")
            kind = b.byte()
            self.define(kind, Bytes(b.text()))

    def define(self, kind, b):
        if kind == 74:
            return
        when = b.varint() if kind in (64, 65, 66, 67, 68, 69, 70, 76, 77, 78) else None
        if kind == 64:
            key, category, native, flags = (b.varint() for _ in range(4))
            self.markers[key] = (b.text(), category, native, flags)
        elif kind == 65:
            key, native, colour = (b.varint() for _ in range(3))
            self.categories[key] = (b.text(), native, colour)
        elif kind == 66:
            native, group = b.varint(), b.text()
            self.names[native] = (group, b.text())
        elif kind == 67:
            key, unit = b.varint(), b.varint()
            name = b.text()
            self.counters[key] = (name, unit, b.text())
        elif kind == 68:
            key, owner, category, coding = b.varint(), b.varint(), b.varint(), b.byte()
            self.zones[key] = (owner, category, b.text().decode("utf-16-le" if coding == 9 else "utf-8", "replace"))
        elif kind == 69:
            key = b.text()
            self.facts.append((self.ns(self.zero + when), key, b.text()))
        elif kind == 70:
            self.instants.append((self.zero + when, b.varint(), b.varint()))
        elif kind == 71:
            number, native, kernel = (b.varint() for _ in range(3))
            t = self.threads.setdefault(number, Thread(number))
            t.native, t.kernel = native, kernel
        elif kind == 73:
            why = b.byte()
            self.ends.append((why, {b.varint(): tuple(b.varint() for _ in range(4)) for _ in range(b.varint())}))
        elif kind == 75:
            self.ends.append((None, {b.varint(): tuple(b.varint() for _ in range(4))}))
        elif kind == 80:
            self.dumps.append((b.varint(), b.varint()) + (tuple(b.varint() for _ in range(3)) if b.more() else ()))
        elif kind == 76:
            key, what, owner = b.varint(), b.byte(), b.varint()
            self.entities[key] = (what, owner, b.text(), b.text())

    def name(self, key):
        """What a zone, an instant or an allocation of this key is called."""
        if key in RUNTIME:
            return RUNTIME[key]
        if key in self.zones:
            return self.zones[key][2]
        if key in self.markers:
            return self.markers[key][0].decode("utf-8", "replace")
        return None

    def events(self, thread):
        """All events of a thread: (ns, what, values ...), as they stand."""
        now = key = alloc = 0
        seq = None
        for c in thread.chunks:
            state, b = Bytes(c.body[:c.state]), Bytes(c.body[c.state:])
            if c.seq != seq or c.first:
                key, alloc = state.varint(), state.varint()
            if c.seq != seq and not c.first:
                key = alloc = 0
            seq, now = c.seq, c.ticks
            count = 0
            while b.more():
                head = b.varint()
                now += head >> 2
                op = head & 3
                if op == 0:
                    key = key + b.zigzag() & M64
                    yield self.ns(now), "begin", key, []
                elif op == 1:
                    yield self.ns(now), "end"
                elif op == 2:
                    alloc = alloc + b.zigzag() & M64
                    yield self.ns(now), "alloc", alloc, b.varint(), []
                else:
                    kind, p = b.byte(), None
                    p = Bytes(b.text())
                    if kind in (1, 2, 4, 5, 8, 12):
                        key = key + p.zigzag() & M64
                    if kind == 9:
                        alloc = alloc + p.zigzag() & M64
                    yield self.other(kind, self.ns(now), key, alloc, p)
                count += 1

    @staticmethod
    def other(kind, ns, key, alloc, p):
        if kind == 1:
            return ns, "begin", key, p.args()
        if kind == 2:
            return ns, "instant", key, p.args()
        if kind == 3:
            return ns, "end below", p.varint(), p.varint()
        if kind == 4:
            return ns, "end without begin", key
        if kind == 5:
            return ns, "counter", key, p.args()
        if kind == 6:
            return ns, "flow", p.byte(), p.varint()
        if kind == 7:
            return ns, "frame"
        if kind == 8:
            return ns, "end deeper", key
        if kind == 9:
            size = p.varint()
            return ns, "alloc", alloc, size, p.args()
        if kind == 10:
            return ns, "thread ends"
        if kind == 11:
            return ns, "end"
        if kind == 12:
            return ns, "begin", key, []
        if kind == 13:
            return ns, "paused"
        return ns, "kind %d" % kind, p.data


def zones(events):
    """(begin, duration, depth, key, arguments) of each zone, by tracetool-metrics(7), Calls."""
    stack, last, done = [], None, []

    def close(n, at):
        for _ in range(n):
            begin, key, args = stack.pop()
            done.append((begin, at - begin, len(stack), key, args))

    for e in events:
        last = e[0]
        if e[1] == "begin":
            stack.append((e[0], e[2], e[3]))
        elif e[1] == "end" and stack:
            close(1, e[0])
        elif e[1] == "end below":
            close(min(e[2] + 1, len(stack)), e[0])
        elif e[1] == "end deeper":
            depth = [i for i, z in enumerate(stack) if z[1] == e[2]]
            close(len(stack) - depth[-1] if depth else 0, e[0])
    close(len(stack), last)
    return done
