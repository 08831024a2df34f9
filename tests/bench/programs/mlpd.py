"""Writing captures of Mono's log profiler, data version 17, for the benchmark: what its programs share."""
import struct


def uleb(v):
    out = bytearray()
    while True:
        out.append(v & 0x7F | (0x80 if v > 0x7F else 0))
        v >>= 7
        if not v:
            return bytes(out)


def sleb(v):
    out = bytearray()
    while True:
        byte = v & 0x7F
        v >>= 7
        if (v == 0 and not byte & 0x40) or (v == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


class Capture:
    """Buffers of one thread; pointers and objects are told from bases of their own."""
    START, TID = 10**12, 0x7F0000001000
    PTR, OBJ, METH = 0x7F0000000000, 0x7F1000000000, 0x7F2000000000

    def __init__(self, path, args):
        text = lambda s: struct.pack("<i", len(s) + 1) + s + b"\0"      # noqa: E731
        self.f = open(path, "wb")
        self.f.write(struct.pack("<IBBBBQQiiiH", 0x4D505A01, 3, 0, 17, 8, 1700000000000, self.START, 50, 0, 4242, 0)
                     + text(args) + text(b"x86-64") + text(b"linux"))
        self.now = self.START
        self.begin()

    def begin(self):
        self.events, self.base, self.last, self.method = bytearray(), self.now, self.now, self.METH

    def flush(self):
        if self.events:
            self.f.write(struct.pack("<IiQQQQQ", 0x4D504C01, len(self.events), self.base, self.PTR, self.OBJ // 8, self.TID,
                                     self.METH) + self.events)
        self.begin()

    def event(self, tag, payload, after=0):
        """An event ${after} ns behind the last one."""
        self.now += after
        self.events += bytes((tag,)) + uleb(self.now - self.last) + payload
        self.last = self.now
        if len(self.events) > 60000:
            self.flush()

    def ptr(self, address):
        return sleb(address - self.PTR)

    def obj(self, address):
        return sleb((address - self.OBJ) // 8)

    def meth(self, address):
        delta, self.method = address - self.method, address
        return sleb(delta)

    def close(self):
        self.flush()
        self.f.close()
