"""Captures (.ttc) written from tracetool-capture(5) alone, byte by byte, and runs of the program over them.

Times are in ns: a capture's clock ticks once a ns from tick 0. Nothing here knows the reader or the recorder.
"""
import csv
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import count
from suite import TRACETOOL, forget_rings

BEGIN, END, ALLOC, OTHER = range(4)
I32, U32, I64, U64, F32, F64, TEXT, BLOB = 2, 3, 4, 5, 6, 7, 8, 11
NO_FRAMES, KEEPS_LAST = 8, 1
CLEAN, FOLLOWS = 0, 3
FULL = 48000                     # bytes of records in a chunk, after which the next begins


def crc_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c = CRC_TABLE[(c ^ b) & 0xFF] ^ c >> 8
    return c ^ 0xFFFFFFFF


def varint(n):
    n &= 2 ** 64 - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    n = (n + 2 ** 63) % 2 ** 64 - 2 ** 63
    return varint(n << 1 ^ n >> 63)


def text(s):
    s = s.encode() if isinstance(s, str) else s
    return varint(len(s)) + s


def argument(kind, value):
    if kind in (I32, I64):
        return bytes([kind]) + zigzag(value)
    if kind in (F32, F64):
        return bytes([kind]) + struct.pack("<f" if kind == F32 else "<d", value)
    if kind in (TEXT, BLOB):
        return bytes([kind]) + text(value)
    return bytes([kind]) + varint(value)


def arguments(args):
    return varint(len(args)) + b"".join(argument(*a) for a in args)


def packed(records):
    """What stands in each chunk that these fill."""
    chunks = [bytearray()]
    for r in records:
        if len(chunks[-1]) > FULL:
            chunks.append(bytearray())
        chunks[-1] += r
    return chunks


class Thread:
    """One thread's records, in chunks."""

    def __init__(self, capture, number, native):
        self.capture, self.number, self.native = capture, number, native
        self.chunks = []
        self.now = self.key = self.alloc_key = 0
        self.events = 0
        self.frames = False
        self.open = []
        self.kept = None              # which of its chunks are in the file; all

    def split(self, at):
        """What follows stands in another chunk."""
        state = varint(self.key) + varint(self.alloc_key) + varint(len(self.open)) * 2
        last = 0
        for key in self.open:
            state += zigzag(key - last)
            last = key
        self.chunks.append({"ticks": at, "state": state, "records": bytearray(), "events": self.events})
        self.now = at

    def ready(self, at):
        if not self.chunks or len(self.chunks[-1]["records"]) > FULL:
            self.split(at)

    def put(self, at, op, payload):
        self.ready(at)
        self.chunks[-1]["records"] += varint((at - self.now) << 2 | op) + payload
        self.now = at
        self.events += 1

    def other(self, at, kind, payload):
        self.put(at, OTHER, bytes([kind]) + text(payload))

    def key_of(self, at, key):
        self.ready(at)
        d = zigzag(key - self.key)
        self.key = key
        return d

    def begin(self, at, key, args=()):
        if args:
            self.other(at, 1, self.key_of(at, key) + arguments(args))
        else:
            self.put(at, BEGIN, self.key_of(at, key))
        self.open.append(key)

    def end(self, at):
        self.put(at, END, b"")
        self.open.pop()

    def zone(self, at, to, key, args=()):
        self.begin(at, key, args)
        self.end(to)

    def instant(self, at, key, args=()):
        self.other(at, 2, self.key_of(at, key) + arguments(args))

    def counter(self, at, key, kind, value):
        self.other(at, 5, self.key_of(at, key) + arguments([(kind, value)]))

    def flow(self, at, kind, ident):
        self.other(at, 6, bytes([kind]) + varint(ident))

    def frame(self, at):
        self.frames = True
        self.other(at, 7, b"")

    def timing(self, at, back, whole=0, main=0, render=0, present=0, gpu=0, flags=0):
        self.other(at, 48, b"".join(varint(n) for n in (back, flags, whole, main, render, present, gpu)))

    def alloc(self, at, key, size):
        self.ready(at)
        d = zigzag(key - self.alloc_key)
        self.alloc_key = key
        self.put(at, ALLOC, d + varint(size))


class Capture:
    clock = 0               # the system's, whose rate is known

    def __init__(self, flags=0, wall_ns=1700000000000000000, mono_ns=10 ** 12, run=b"0123456789abcdef", part=0,
                 producer="tracetool Unity recorder", end=CLEAN, args="--args"):
        self.flags, self.wall_ns, self.mono_ns, self.run, self.part = flags, wall_ns, mono_ns, run, part
        self.producer, self.finish, self.args = producer, end, args
        self.zero = []
        self.threads = []
        self.next_key = 16

    def record(self, kind, payload):
        self.zero.append(varint(OTHER) + bytes([kind]) + text(payload))

    def new_key(self):
        self.next_key += 1
        return self.next_key

    def category(self, name, rgba=0, native=1):
        key = self.new_key()
        self.record(65, varint(0) + varint(key) + varint(native) + varint(rgba) + text(name))
        return key

    def marker(self, name, category=0, flags=0, native=None):
        key = self.new_key()
        self.record(64, varint(0) + b"".join(varint(n) for n in (key, category, key if native is None else native, flags))
                    + text(name))
        return key

    def counter(self, name, unit=0, section="", category=0, flags=0x80):
        key = self.marker(name, category, flags)
        self.record(67, varint(0) + varint(key) + varint(unit) + text(name) + text(section))
        return key

    def label_zone(self, owner, name, category=0):
        """A marker of its own text: record 68."""
        key = self.new_key()
        self.record(68, varint(0) + varint(key) + varint(owner) + varint(category) + bytes([TEXT]) + text(name))
        return key

    def thread_name(self, native, group, name):
        self.record(66, varint(0) + varint(native) + text(group) + text(name))

    def fact(self, at, key, value):
        self.record(69, varint(at) + text(key) + text(value))

    def instant(self, at, mono_ns):
        """An instant on the capture's clock and the system's, in ns since the start."""
        self.record(70, varint(at) + varint(self.mono_ns + mono_ns) + varint(self.wall_ns + mono_ns))

    def dump(self, start, end):
        """A dump of a flight recording: all threads have all between these times; end 0: to the end."""
        self.record(80, varint(start) + varint(end))

    def thread(self, native=None):
        n = len(self.threads) + 1
        t = Thread(self, n, 1000 + n if native is None else native)
        self.threads.append(t)
        return t

    def head(self):
        texts = b"".join(s.encode() + b"\0" for s in ("", self.producer, "Linux", "x86_64", self.args, "a.ttc"))
        b = bytearray(192)
        b[0:8] = b"\x89TTC\r\n\x1a\n"
        struct.pack_into("<HHI", b, 8, 1, 0, 192 + len(texts))
        struct.pack_into("<I", b, 20, self.flags | 16)
        b[24:40] = self.run
        struct.pack_into("<II", b, 40, self.part, 65536)
        struct.pack_into("<QQ", b, 48, 1, 1)
        struct.pack_into("<QQQQ", b, 64, 0, self.mono_ns, self.wall_ns, 42)
        struct.pack_into("<II", b, 96, 8, self.clock)
        struct.pack_into("<QQ", b, 104, 0, 1001)
        b += texts
        struct.pack_into("<I", b, 16, crc32c(bytes(b)))
        return bytes(b)

    def chunk(self, number, seq, ticks, state, records, before, events=0):
        body = state + bytes(records)
        h = bytearray(64)
        h[0:4] = b"TTCk"
        struct.pack_into("<II", h, 4, number, len(body))
        struct.pack_into("<QQQQ", h, 16, seq, ticks, 0, events)
        struct.pack_into("<IIII", h, 48, 0, before, len(state), struct.unpack("<I", self.run[:4])[0])
        struct.pack_into("<I", h, 12, crc32c(bytes(h[16:64]) + body))
        return bytes(h) + body

    def bytes(self):
        none = varint(0) * 4
        kept = {}
        first, last = [], []
        for t in self.threads:
            kept[t] = [n for n in range(len(t.chunks)) if t.kept is None or n in t.kept]
            at = t.chunks[kept[t][0]]["ticks"] if t.chunks else 0
            for seq in [n for n in kept[t] if n - 1 not in kept[t]] or [0]:
                first.append(varint(OTHER) + bytes([71]) + text(b"".join(varint(n) for n in
                             (t.number, t.native, 5000 + t.number, at, seq, 0))))
            if t.frames:
                first.append(varint(OTHER) + bytes([77]) + text(varint(at) + varint(t.number)))
        first = packed(first + self.zero)
        out = [self.head()]
        out += [self.chunk(0, seq, 0, none, c, len(first[seq - 1]) if seq else 0) for seq, c in enumerate(first)]
        ends = []
        for t in self.threads:
            before = 0
            for seq in kept[t]:
                c = t.chunks[seq]
                before = len(t.chunks[seq - 1]["records"]) if seq else 0
                out.append(self.chunk(t.number, seq, c["ticks"], c["state"], c["records"], before, c["events"]))
            before = len(t.chunks[-1]["records"]) if t.chunks else 0
            ends.append(b"".join(varint(n) for n in (t.number, len(t.chunks), before, t.events, 0)))
        for i in range(0, max(len(ends), 1), 1000):
            part = ends[i:i + 1000]
            last.append(varint(OTHER) + bytes([73]) + text(bytes([self.finish]) + varint(len(part)) + b"".join(part)))
        before = len(first[-1])
        for seq, c in enumerate(packed(last), len(first)):
            out.append(self.chunk(0, seq, 0, none, c, before))
            before = len(c)
        return b"".join(out)

    def write(self, path):
        with open(path, "wb") as f:
            f.write(self.bytes())
        return path


class Suite:
    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="tracetool-unity.")

    def path(self, name):
        return os.path.join(self.dir, name)

    def equal(self, what, got, want):
        return count.same(what, got, want)

    def true(self, what, ok, seen=""):
        return self.equal("%s %s" % (what, "" if ok else seen), bool(ok), True)

    def run(self, *args, status=0):
        r = subprocess.run([TRACETOOL, *args], capture_output=True, cwd=self.dir)
        out, err = r.stdout.decode(), r.stderr.decode()
        if status is not None and r.returncode != status:
            self.equal("exit status of %s: %s" % (" ".join(args), err.strip()), r.returncode, status)
        return out, err

    def report(self, verb, *args, status=0):
        """The JSON report of stats or info."""
        out, _ = self.run(verb, *args, "--format", "json", status=status)
        return json.loads(out) if out else {"tables": {}, "notes": []}

    def rows(self, table, *args, status=0):
        return self.report("stats", *args, "--table", table, "--limit", "0", status=status)["tables"][table]["rows"]

    def chrome(self, *args):
        """Events of the Chrome JSON of the capture, without metadata."""
        self.run("convert", "-q", *args, "-o", self.path("out.json"))
        with open(self.path("out.json")) as f:
            return [e for e in json.load(f)["traceEvents"] if e["ph"] != "M"]

    def csv(self, *args):
        self.run("convert", "-q", *args, "-o", self.path("out.csv"))
        with open(self.path("out.csv"), newline="") as f:
            return list(csv.DictReader(io.StringIO(f.read())))

    def end(self):
        forget_rings(self.dir)
        shutil.rmtree(self.dir, ignore_errors=True)
        count.end()
