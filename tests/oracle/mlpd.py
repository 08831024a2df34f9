#!/usr/bin/env python3
"""An independent, slow reader of Mono log profiler files (.mlpd), data versions 4 to 17.

    mlpd.py FILE                   one JSON document with every figure
    mlpd.py --events FILE          every slice: tid,method,start_ns,dur_ns,depth; of an exception its first piece
    mlpd.py --frames SUBSTRING FILE   frame,start_ns,wall_ns,alloc_count,alloc_bytes

Written from a description of the format alone, not from the C reader, so that it can contradict the C reader. It keeps everything in memory and works in
two passes: `Capture` decodes all events and collects definitions, `Analysis` replays the events
in file order with every definition known. No line of it is meant to be fast.

Exit status: 0 read whole, 3 damaged or not recognised (what could be read is printed), 2 usage.
"""
import bisect
import csv
import json
import math
import struct
import sys
import zlib
from collections import Counter, defaultdict

HEADER_MAGIC = 0x4D505A01
BUFFER_MAGIC = 0x4D504C01
BUFFER_MAGIC_BYTES = b"\x01LPM"
BUFFER_HEADER = struct.Struct("<IiQQQQQ")
M64 = (1 << 64) - 1
VERSIONS = range(4, 18)

METADATA_KINDS = {1: "class", 2: "image", 3: "assembly", 4: "domain", 5: "thread",
                  6: "context", 7: "vtable"}
HANDLE_KINDS = {0: "weak", 1: "weak_track", 2: "normal", 3: "pinned"}
CLAUSE_KINDS = {0: "catch", 1: "filter", 2: "finally", 4: "fault"}
SYNC_KINDS = {0: "periodic", 1: "world_stop", 2: "world_start"}
CUSTOM_SECTION = 0x8000


def signed64(v):
    return v - (1 << 64) if v >> 63 else v


def c_int(v):
    """A size that went through a C int: undo the 64-bit sign extension."""
    return v & 0xFFFFFFFF if v >> 63 else v


class Damage(Exception):
    """The bytes cannot be an event from here on; `at` is the file offset."""

    def __init__(self, at, why):
        super().__init__(why)
        self.at, self.why = at, why


class Refused(Exception):
    """Not a file this reader reads."""


# --------------------------------------------------------------------------------------
# Bytes
# --------------------------------------------------------------------------------------

class Cursor:
    def __init__(self, data, pos, end):
        self.data, self.pos, self.end = data, pos, end

    def u8(self):
        if self.pos >= self.end:
            raise Damage(self.pos, "event runs past its buffer")
        self.pos += 1
        return self.data[self.pos - 1]

    def _leb(self):
        """The raw value and its width in bits, for both signednesses."""
        value = shift = 0
        start = self.pos
        while True:
            byte = self.u8()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value, shift
            if self.pos - start >= 10:
                raise Damage(start, "number over 10 bytes")

    def uleb(self):
        return self._leb()[0] & M64

    def sleb(self):
        value, bits = self._leb()
        if value >> (bits - 1):
            value -= 1 << bits
        return value

    def take(self, n):
        if n > self.end - self.pos:
            raise Damage(self.pos, "event runs past its buffer")
        self.pos += n
        return self.data[self.pos - n:self.pos]

    def string(self):
        end = self.data.find(b"\0", self.pos, self.end)
        if end < 0:
            raise Damage(self.pos, "text without an end in its buffer")
        raw = self.data[self.pos:end]
        self.pos = end + 1
        return raw.decode("utf-8", "replace")

    def count(self):
        """A number of items, each of at least one byte."""
        at, n = self.pos, self.uleb()
        if n > self.end - self.pos:
            raise Damage(at, "count %d over the bytes left" % n)
        return n


def gunzip(data):
    """Return (bytes, members, complaint or None). Members that follow each other are one file."""
    out, members, pos = [], 0, 0
    while pos < len(data):
        if data[pos:pos + 2] != b"\x1f\x8b":
            return b"".join(out), members, "%d bytes after the gzip stream" % (len(data) - pos)
        inflater, at = zlib.decompressobj(31), pos
        while pos < len(data) and not inflater.eof:
            before = inflater.copy()
            try:
                out.append(inflater.decompress(data[pos:pos + 4096]))
            except zlib.error as e:
                # Again, byte by byte, so that what precedes the damage is kept.
                try:
                    for i in range(pos, len(data)):
                        out.append(before.decompress(data[i:i + 1]))
                except zlib.error:
                    pass
                return b"".join(out), members, "gzip damaged: %s" % e
            pos += 4096
        out.append(inflater.flush())
        if not inflater.eof:
            return b"".join(out), members, "gzip stream ends early"
        pos = min(pos, len(data)) - len(inflater.unused_data)
        members += 1
        if pos <= at:
            break
    return b"".join(out), members, None


# --------------------------------------------------------------------------------------
# Events. `decode` returns (kind, time, fields...); kind names the handler in Analysis.
# --------------------------------------------------------------------------------------

class Decoder:
    """Decodes the events of one buffer: holds the bases and the running time and method."""

    def __init__(self, data, pos, end, header, version, pointer_size):
        _, _, self.time, self.ptr_base, self.obj_base, thread, self.method = header
        self.mask = 0xFFFFFFFF if pointer_size == 4 else M64
        self.version = version
        self.thread = thread & self.mask
        self.cur = Cursor(data, pos, end)
        self.negative_deltas = 0
        self.timed = False      # has the last event a time in ns of its own?

    # Field types.
    def ptr(self):
        return (self.ptr_base + self.cur.sleb()) & self.mask

    def obj(self):
        return ((self.obj_base + self.cur.sleb()) * 8) & self.mask

    def meth(self):
        self.method = (self.method + self.cur.sleb()) & self.mask
        return self.method

    def tick(self):
        delta = self.cur.uleb()
        self.negative_deltas += delta >> 63
        self.time = (self.time + delta) & M64
        self.timed = True

    def byte_since_13(self):
        return self.cur.u8() if self.version >= 13 else self.cur.uleb()

    def byte_13_14(self):
        return self.cur.u8() if self.version in (13, 14) else self.cur.uleb()

    def stack(self, present=True):
        if not present:
            return ()
        if self.version >= 13:
            return tuple(self.meth() for _ in range(self.cur.count()))
        self.cur.uleb()
        return tuple(self.ptr() for _ in range(self.cur.count()))

    def flags_until_12(self):
        if self.version <= 12:
            self.cur.uleb()

    def decode(self):
        at = self.cur.pos
        self.timed = False
        tag = self.cur.u8()
        kind, sub = tag & 0x0F, tag & 0xF0
        reader = self.READERS[kind] if kind < len(self.READERS) else None
        fields = reader(self, sub) if reader else None
        if fields is None:
            raise Damage(at, "unknown event 0x%02x" % tag)
        return tag, (fields[0], signed64(self.time)) + fields[1:]

    def allocation(self, x):
        if x not in (0x00, 0x10):
            return None
        self.tick()
        fields = "alloc", self.ptr(), self.obj(), c_int(self.cur.uleb()), self.stack(x == 0x10)
        if fields[3] == 0:
            raise Damage(self.cur.pos, "an allocation of no bytes")
        return fields

    def gc(self, x):
        if x not in (0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x80, 0x90, 0xA0, 0xB0):
            return None
        self.tick()
        if x == 0x10:
            return "gc_event", self.byte_since_13(), self.byte_since_13()
        if x == 0x20:
            return "gc_resize", self.cur.uleb()
        if x == 0x30:
            return "gc_moves", [self.obj() for _ in range(self.cur.count())]
        if x in (0x40, 0x60):
            return ("handle", "created", self.cur.uleb(), c_int(self.cur.uleb()), self.obj(),
                    self.stack(x == 0x60))
        if x in (0x50, 0x70):
            return ("handle", "destroyed", self.cur.uleb(), c_int(self.cur.uleb()), None,
                    self.stack(x == 0x70))
        name = {0x80: "queue_begin", 0x90: "queue_end", 0xA0: "object_begin", 0xB0: "object_end"}
        return "finalizer", name[x], self.obj() if x >= 0xA0 else None

    def metadata(self, x):
        failed = x == 0xA0 and self.version <= 10
        if x not in (0x00, 0x20, 0x40) and not failed:
            return None
        self.tick()
        at = self.cur.pos
        kind, ident = self.cur.u8(), self.ptr()
        action = "name" if x == 0x00 else "unload" if x == 0x40 else "failed" if failed else "load"
        name, link = None, None
        if kind == 1:
            link = self.ptr()
            self.flags_until_12()
            name = self.cur.string()
        elif kind == 2:
            self.flags_until_12()
            name = self.cur.string()
            if self.version >= 16 and x == 0x20:
                link = self.cur.string()
        elif kind == 3:
            if self.version >= 14:
                link = self.ptr()
            self.flags_until_12()
            name = self.cur.string()
        elif kind in (4, 5):
            self.flags_until_12()
            if x == 0x00:
                name = self.cur.string()
        elif kind == 6:
            self.flags_until_12()
            link = self.ptr()
        elif kind == 7 and self.version >= 15:
            self.ptr()
            link = self.ptr()
        else:
            raise Damage(at, "unknown metadata kind %d" % kind)
        return "metadata", action, kind, ident, name, link

    def method_event(self, x):
        if x not in (0x10, 0x20, 0x30, 0x40):
            return None
        self.tick()
        if x == 0x40:
            return "method", self.meth(), self.ptr(), c_int(self.cur.uleb()), self.cur.string()
        return {0x10: "leave", 0x20: "enter", 0x30: "exc_leave"}[x], self.meth()

    def exception(self, x):
        if x not in (0x00, 0x80, 0x10):
            return None
        self.tick()
        if x == 0x10:
            kind, index, method = self.byte_since_13(), self.cur.uleb(), self.meth()
            return "clause", kind, index, method, self.obj() if self.version >= 14 else None
        return "throw", self.obj(), self.stack(x == 0x80)

    def monitor(self, x):
        if self.version >= 14:
            if x & 0x7F:
                return None
            self.tick()
            event = self.cur.u8()
        else:
            event = x >> 4 & 3
            if event == 0 or x & 0x40:
                return None
            self.tick()
        return "monitor", event, self.obj(), self.stack(x & 0x80)

    def heap(self, x):
        if x > 0x50:
            return None
        if self.version >= 13 or x not in (0x20, 0x30):
            self.tick()
        if x == 0x00:
            return ("shot_begin",)
        if x == 0x10:
            return ("shot_end",)
        if x == 0x20:
            obj, cls, size = self.obj(), self.ptr(), c_int(self.cur.uleb())
            generation = self.cur.u8() if self.version >= 16 else None
            offset, refs = 0, []
            for _ in range(self.cur.count()):
                offset += self.cur.uleb()
                refs.append((offset, self.obj()))
            return "heap_object", obj, cls, size, generation, refs
        if x == 0x30:
            n = self.cur.count()
            if self.version >= 15:
                return "roots", [(self.ptr(), self.obj()) for _ in range(n)]
            self.cur.uleb()
            roots = []
            for _ in range(n):
                obj = self.obj()
                self.cur.u8() if self.version == 13 else self.cur.uleb()
                self.cur.uleb()
                roots.append((None, obj))
            return "roots", roots
        if x == 0x40:
            return ("root_register", self.ptr(), self.cur.uleb(), self.cur.u8(), self.ptr(),
                    self.cur.string())
        return "root_unregister", self.ptr()

    def sample(self, x):
        v = self.version
        if x > 0x40 or (x == 0x20 and v >= 16):
            return None
        if v >= 13 or x == 0x20:
            self.tick()
        if x == 0x00:
            return self.hit()
        if x == 0x10:
            return "symbol", self.ptr(), c_int(self.cur.uleb()), self.cur.string()
        if x == 0x20:
            address = self.ptr() if v >= 14 else self.cur.sleb() & self.mask
            return "binary", address, self.cur.uleb(), self.cur.uleb(), self.cur.string()
        if x == 0x30:
            return "counter_desc", [self.counter_description() for _ in range(self.cur.count())]
        when = self.cur.uleb() if v <= 12 else self.time
        return "counters", self.counter_values(), when

    def hit(self):
        v, cur = self.version, self.cur
        when, thread = signed64(self.time), self.thread
        self.timed = True
        if v == 13:
            cur.u8()
        elif v <= 12:
            cur.uleb()
            when = signed64(cur.uleb())
        if v >= 11:
            thread = self.ptr()
        ips = [self.ptr() for _ in range(cur.count())]
        frames = []
        if v >= 6:
            for _ in range(cur.count()):
                frames.append(self.meth())
                if v <= 12:
                    cur.sleb()
                    cur.sleb()
        return "hit", when, thread, ips, frames

    def counter_description(self):
        cur = self.cur
        section = cur.uleb()
        section_name = cur.string() if section == CUSTOM_SECTION else None
        name = cur.string()
        kind, unit, variance = self.byte_13_14(), self.byte_13_14(), self.byte_13_14()
        return cur.uleb(), section, section_name, name, kind, unit, variance

    def counter_values(self):
        cur, values = self.cur, []
        while True:
            index = cur.uleb()
            if index == 0:
                return values
            at = cur.pos
            kind = self.byte_13_14()
            if kind in (0, 2, 3, 7):
                value = cur.sleb()
            elif kind in (1, 4):
                value = cur.uleb()
            elif kind == 5:
                value = struct.unpack("<d", cur.take(8))[0]
                if not math.isfinite(value):
                    value = str(value)  # JSON has no word for it
            elif kind == 6:
                value = cur.string() if cur.u8() else None
            else:
                raise Damage(at, "unknown counter type %d" % kind)
            values.append((index, kind, value))

    def runtime(self, x):
        if x != 0x10:
            return None
        self.tick()
        kind = self.byte_since_13() - (self.version <= 13)
        start, size = self.ptr(), c_int(self.cur.uleb())
        return "jit_helper", kind, start, size, self.cur.string() if kind == 5 else None

    def coverage(self, x):
        if self.version not in range(10, 16) or x > 0x30:
            return None
        if self.version >= 13:
            self.tick()
        strings, numbers = {0x00: (3, 3), 0x10: (5, 3), 0x20: (0, 5), 0x30: (2, 3)}[x]
        name = {0x00: "assemblies", 0x10: "methods", 0x20: "statements", 0x30: "classes"}[x]
        return ("coverage", name, [self.cur.string() for _ in range(strings)],
                [self.cur.uleb() for _ in range(numbers)])

    def meta(self, x):
        if self.version < 13 or x not in (0x00, 0x10) or (x == 0x10 and self.version < 16):
            return None
        self.tick()
        if x == 0x00:
            return "sync", self.cur.u8()
        return "aot_id", self.cur.string()

    READERS = (allocation, gc, metadata, method_event, exception, monitor, heap, sample, runtime,
               coverage, meta)


# --------------------------------------------------------------------------------------
# The file: header, buffers, recovery
# --------------------------------------------------------------------------------------

class Definitions:
    """What an address meant at a time: the newest not later, else the earliest."""

    def __init__(self):
        self.by_key, self.sorted = defaultdict(list), False

    def add(self, key, time, value):
        self.by_key[key].append((time, value))

    def get(self, key, time):
        """(time of the definition, value), or None for a key never defined."""
        if not self.sorted:
            for entries in self.by_key.values():
                entries.sort(key=lambda e: e[0])  # stable: of one time, the later in the file wins
            self.sorted = True
        entries = self.by_key.get(key)
        if not entries:
            return None
        return entries[max(0, bisect.bisect_right(entries, time, key=lambda e: e[0]) - 1)]


class Capture:
    def __init__(self, raw):
        self.damage = []            # {"offset", "lost_bytes", "why"}, in file order
        self.events = []            # (tid, event) in file order; event[0] may be "gap"
        self.tags = defaultdict(lambda: [0, 0])
        self.buffers = Counter()    # by tid
        self.first_base = None
        self.negative_deltas = 0
        self.min_time = self.max_time = None
        self.classes, self.vtables, self.methods = Definitions(), Definitions(), Definitions()
        self.last_event = None
        self.gzip = raw[:2] == b"\x1f\x8b"
        self.data, self.members, complaint = gunzip(raw) if self.gzip else (raw, 0, None)
        try:
            self.read_header()
            self.read_buffers()
        finally:
            if complaint:
                self.note(len(self.data), 0, complaint)

    def note(self, offset, lost, why):
        self.damage.append({"offset": offset, "lost_bytes": lost, "why": why})

    def read_header(self):
        data = self.data
        if not data:
            raise Refused("empty file")
        if data.startswith(b"version https://git-lfs"):
            raise Refused("a Git LFS pointer, not the capture itself")
        if data[:4] != struct.pack("<I", HEADER_MAGIC)[:len(data[:4])]:
            raise Refused("not an .mlpd file: starts with %s" % data[:4].hex(" "))
        cur = Cursor(data, 4, len(data))
        try:
            major, minor, version, pointer_size = cur.take(4)
            if version not in VERSIONS:
                raise Refused("data version %d; this reader knows 4 to 17" % version)
            if pointer_size not in (4, 8):
                raise Refused("pointer size %d" % pointer_size)
            wall_ms, = struct.unpack("<Q", cur.take(8))
            clock_ns = struct.unpack("<Q", cur.take(8))[0] if major >= 3 else None
            overhead, flags, pid, port = struct.unpack("<iiiH", cur.take(14))
            texts = [None, None, None]
            if major == 0:
                cur.take(2)
            else:
                for i in range(3):
                    at, n = cur.pos, struct.unpack("<i", cur.take(4))[0]
                    if n < 0:
                        raise Damage(at, "negative text length in the header")
                    texts[i] = cur.take(n).rstrip(b"\0").decode("utf-8", "replace")
        except Damage as e:
            raise Refused("header cut or damaged at byte %d: %s" % (e.at, e.why)) from e
        self.version, self.pointer_size, self.start = version, pointer_size, cur.pos
        self.header = {
            "major": major, "minor": minor, "data_version": version, "pointer_size": pointer_size,
            "gzip": self.gzip, "bytes_inflated": len(data), "header_bytes": cur.pos,
            "wall_ms": wall_ms, "clock_ns": clock_ns, "timer_overhead_ns": overhead,
            "flags": flags, "pid": pid, "port": port, "args": texts[0], "arch": texts[1],
            "os": texts[2]}
        if flags:
            self.note(24 if major >= 3 else 16, 0, "unknown header flags 0x%x" % (flags & 0xFFFFFFFF))

    def plausible(self, pos):
        """Is there a buffer at pos whose length leads to another one or to the end?"""
        if self.data[pos:pos + 4] != BUFFER_MAGIC_BYTES or len(self.data) - pos < 48:
            return False
        length, = struct.unpack_from("<i", self.data, pos + 4)
        end = pos + 48 + length
        return length > 0 and (end == len(self.data)
                               or self.data[end:end + 4] == BUFFER_MAGIC_BYTES)

    def resync(self, pos):
        """The first plausible buffer at or after pos, or the end of the file."""
        pos = self.data.find(BUFFER_MAGIC_BYTES, pos)
        while pos >= 0 and not self.plausible(pos):
            pos = self.data.find(BUFFER_MAGIC_BYTES, pos + 1)
        return len(self.data) if pos < 0 else pos

    def read_buffers(self):
        data, pos = self.data, self.start
        while pos < len(data):
            left = len(data) - pos
            if data[pos:pos + 4] != BUFFER_MAGIC_BYTES[:min(4, left)]:
                found = self.resync(pos)
                self.note(pos, found - pos, "no buffer where one should begin")
                pos = found
                continue
            if left < 48:
                self.note(pos, left, "file ends inside a buffer header")
                return
            header = BUFFER_HEADER.unpack_from(data, pos)
            begin, length = pos + 48, header[1]
            if 0 <= length <= left - 48:
                self.read_events(begin, begin + length, header)
                pos = begin + length
                continue
            # Cut, or the length is damaged. 0x01, the first byte of a buffer, is no event tag,
            # so decoding to the end of the file stops at the next buffer at the latest.
            stop = self.read_events(begin, len(data), header, quiet=True)
            pos = self.resync(stop)
            self.note(stop, pos - stop,
                      "buffer at byte %d has length %d, but %d bytes are left" % (begin - 48, length, left - 48))

    def read_events(self, begin, end, header, quiet=False):
        """Decode the events of one buffer; return where the last complete one ends."""
        decoder = Decoder(self.data, begin, end, header, self.version, self.pointer_size)
        tid, base = decoder.thread, signed64(header[2])
        self.buffers[tid] += 1
        if self.first_base is None:
            self.first_base = base
        at = begin
        if end > begin:
            self.events.append((tid, ("base", base)))
        try:
            while at < end:
                tag, event = decoder.decode()
                counts = self.tags[tag]
                counts[0] += 1
                counts[1] += decoder.cur.pos - at
                at = decoder.cur.pos
                self.add(tid, event, decoder.timed)
        except Damage as e:
            if not quiet:
                self.note(at, end - at, "%s (byte %d); rest of the buffer skipped" % (e.why, e.at))
            if not quiet or not self.plausible(at):
                self.events.append((tid, ("gap", 0)))
        self.negative_deltas += decoder.negative_deltas
        return at

    def add(self, tid, event, timed):
        time = event[2] if event[0] == "hit" else event[1]
        if timed:
            self.min_time = time if self.min_time is None else min(self.min_time, time)
            self.max_time = time if self.max_time is None else max(self.max_time, time)
        if event[0] == "method":
            self.methods.add(event[2], time, event[5])
        elif event[0] == "metadata" and event[2] == "load" and event[3] == 1:
            self.classes.add(event[4], time, event[5])
        elif event[0] == "metadata" and event[2] == "load" and event[3] == 7:
            self.vtables.add(event[4], time, event[6])
        self.last_event = event
        self.events.append((tid, event))

    def method_name(self, address, time):
        found = self.methods.get(address, time)
        return found[1] if found else "0x%x" % address

    def class_name(self, address, time):
        """Of what an allocation or heap object names: a vtable since V 15, else a class. The
        class of a vtable is looked up at the time of the vtable's own record."""
        if self.version >= 15:
            vtable = self.vtables.get(address, time)
            if vtable is None:
                return None
            time, address = vtable
        found = self.classes.get(address, time)
        return found[1] if found else None


# --------------------------------------------------------------------------------------
# Call stacks
# --------------------------------------------------------------------------------------

class Stats:
    """Figures of one method or zone: total over outermost activations, durations of those that the capture sees end."""

    def __init__(self):
        self.durations, self.count, self.total, self.self_ns, self.total_by_key = [], 0, 0, 0, 0

    def rank(self, percent):
        return self.durations[max((len(self.durations) * percent + 99) // 100 - 1, 0)] if self.durations else None

    def report(self):
        self.durations.sort()
        out = {"count": self.count, "total_ns": self.total, "self_ns": self.self_ns,
               "min_ns": self.rank(0), "max_ns": self.rank(100),
               "p50_ns": self.rank(50), "p95_ns": self.rank(95), "p99_ns": self.rank(99)}
        if self.total_by_key != self.total:  # several addresses of one name call each other
            out["total_by_address_ns"] = self.total_by_key
        return out


class Thread:
    def __init__(self, tid, generation):
        self.tid, self.generation = tid, generation
        self.names = []         # (time, name)
        self.starts = self.ends = 0
        self.first_time = None
        self.stack = []         # [key, name, start, children_ns], outermost first
        self.last = None        # time of the last stack event
        self.seen = -1 << 64    # and of the last event of any kind
        self.open_pairs = {}    # GC pauses and collections, contention
        self.running = {}       # finalizers: "object", "queue" -> one has begun
        self.early_roots = []   # until data version 14: recorded in the present collection, ahead of its shot

    def label(self):
        return "0x%x#%d" % (self.tid, self.generation)


class Calls:
    """The stack machine. Keys are method addresses, or the names of the pseudo-methods."""

    def __init__(self, capture):
        self.capture = capture
        self.methods, self.zones = defaultdict(Stats), defaultdict(Stats)
        self.counts = Counter()
        self.by_address = defaultdict(Counter)  # name -> address -> activations
        self.finished = []      # (thread, name, start, duration, depth, is_zone, depth of its slice or None)

    def time_of(self, thread, time):
        """Durations are never negative: a clock that goes back stands still."""
        if thread.last is not None and time < thread.last:
            self.counts["clock_back"] += 1
            time = thread.last
        thread.last = time
        return time

    def push(self, thread, key, time, piece=False):
        name = key if isinstance(key, str) else self.capture.method_name(key, time)
        thread.stack.append([key, name, time, 0, piece])

    def pop(self, thread, time, whole=True):
        key, name, start, children, piece = thread.stack.pop()
        duration = time - start
        if thread.stack:
            thread.stack[-1][3] += duration
        zone = isinstance(key, str)
        self.by_address[name][key] += 1
        stats = (self.zones if zone else self.methods)[name]
        stats.count += 1
        if whole:
            stats.durations.append(duration)
        stats.self_ns += duration - children
        if not any(f[1] == name and isinstance(f[0], str) == zone for f in thread.stack):
            stats.total += duration
        if not any(f[0] == key for f in thread.stack):
            stats.total_by_key += duration
        # An exception is one slice, its first piece; the others are no slice and no level of slices.
        slice_depth = None if piece else sum(not f[4] for f in thread.stack)
        self.finished.append((thread, name, start, duration, len(thread.stack), zone, slice_depth))
        return "zones" if zone else "calls"

    def pop_to(self, thread, key, time):
        """End key: on top, or deeper by closing what is above it, or not there at all."""
        stack = thread.stack
        if not any(f[0] == key for f in stack):
            self.counts["unmatched_zone_ends" if isinstance(key, str) else "unmatched_leaves"] += 1
            return
        while stack[-1][0] != key:
            self.counts["implicitly_closed_" + self.pop(thread, time, False)] += 1
        self.pop(thread, time)

    def enter(self, thread, key, time):
        self.push(thread, key, self.time_of(thread, time))

    def leave(self, thread, key, time):
        self.pop_to(thread, key, self.time_of(thread, time))

    def exception_leave(self, thread, key, time):
        """Unwinding time belongs to Exception: the zone steps down to the caller."""
        time = self.time_of(thread, time)
        unwinding = bool(thread.stack) and thread.stack[-1][0] == "Exception"
        if unwinding:
            self.pop(thread, time)
        self.pop_to(thread, key, time)
        if unwinding:
            self.push(thread, "Exception", time, piece=True)

    def close_all(self, thread, why):
        """None of these has an end of its own: they have no duration."""
        while thread.stack:
            self.counts[why + "_" + self.pop(thread, max(thread.last, thread.seen), False)] += 1
        thread.open_pairs.clear()


# --------------------------------------------------------------------------------------
# Figures
# --------------------------------------------------------------------------------------

def keyed(names, key):
    return names.get(key, str(key))


class Analysis:
    def __init__(self, capture):
        self.capture = capture
        self.calls = Calls(capture)
        self.threads = {}               # tid -> [Thread, ...] by generation
        self.late_names = []            # (tid, time, name)
        self.metadata = defaultdict(Counter)
        self.seen = defaultdict(set)    # distinct addresses of classes, methods, ...
        self.domains = {}
        self.allocs = []                # (time, size) of every thread
        self.alloc = {"count": 0, "bytes": 0, "unresolved": 0, "with_stack": 0}
        self.alloc_by_class = defaultdict(lambda: [0, 0])
        self.alloc_by_thread = defaultdict(lambda: [0, 0])
        self.collections = defaultdict(list)    # generation -> durations
        self.collection_starts = Counter()
        self.pauses = []
        self.resizes = self.max_heap = self.moves = 0
        self.handles = {k: {"created": 0, "destroyed": 0} for k in HANDLE_KINDS.values()}
        self.finalizers, self.finalized, self.clauses, self.sync = Counter(), Counter(), Counter(), Counter()
        self.throws = 0
        self.monitor = Counter()
        self.monitor_objects = set()
        self.objects = {}               # address -> class name, of every object whose allocation was seen
        self.thrown = Counter()         # (type or None, place)
        self.ran = Counter()            # (method, kind, clause, with an exception)
        self.locks, self.lock_of = [], {}       # {"address", "waits", "moved", ...}; address -> place in it
        self.waits_at = defaultdict(list)       # place -> waits
        self.contended_at = Counter()
        self.hits = self.managed_hits = 0
        self.hits_by_thread, self.leaves = Counter(), Counter()
        self.live_handles, self.handles_at = {}, Counter()
        self.sampled = []               # (tid, time, names leaf first, native address)
        self.symbols = self.binaries = 0
        self.symbol_at = {}             # address -> name
        self.code = {}                  # start -> (size, name), methods before helpers
        self.helper_code = {}
        self.counters = {}              # index -> {"name", "section", "samples", "last"}
        self.replaced_counters = []
        self.samplings = {False: [], True: []}  # custom or not -> times
        self.shots, self.open_shots = [], {}
        self.stray_heap_objects = 0
        self.roots = Counter()
        self.coverage = Counter()
        self.helpers, self.helper_bytes = Counter(), 0
        self.aot_ids = []
        for tid in capture.buffers:
            self.thread(tid)
        for tid, event in capture.events:
            thread = self.thread(tid)
            if event[0] != "gap":
                thread.seen = max(thread.seen, event[1])
            if event[0] != "base":
                getattr(self, "on_" + event[0])(thread, *event[1:])
        self.finish()

    def thread(self, tid):
        if tid not in self.threads:
            self.threads[tid] = [Thread(tid, 0)]
        return self.threads[tid][-1]

    def finish(self):
        for generations in self.threads.values():
            for thread in generations:
                self.calls.close_all(thread, "open_at_end")
        for tid, time, name in self.late_names:
            started = [t for t in self.threads[tid]
                       if t.first_time is not None and t.first_time <= time]
            (started or self.threads[tid])[-1 if started else 0].names.append((time, name))

    # Each on_KIND takes the buffer's thread, the time, and the fields of its event.

    def on_gap(self, thread, _):
        self.calls.close_all(thread, "open_at_gap")

    def on_alloc(self, thread, time, cls, _obj, size, stack):
        name = self.capture.class_name(cls, time)
        self.alloc["count"] += 1
        self.alloc["bytes"] += size
        self.alloc["unresolved"] += name is None
        self.alloc["with_stack"] += bool(stack)
        for totals in (self.alloc_by_class[name or "(unresolved)"],
                       self.alloc_by_thread[thread.label()]):
            totals[0] += 1
            totals[1] += size
        self.allocs.append((time, size))
        self.objects[_obj] = name

    def on_gc_event(self, thread, time, kind, generation):
        zone = "GC.Collect gen%d" % generation
        if kind in (0, 6):
            thread.early_roots = []
        if kind == 6:
            self.calls.enter(thread, "GC.Pause", time)
            self.calls.enter(thread, "GC.Stop", time)
            thread.open_pairs["pause"] = time
        elif kind == 7:
            self.calls.leave(thread, "GC.Stop", time)
        elif kind == 9:
            self.calls.leave(thread, "GC.Pause", time)
            if "pause" in thread.open_pairs:
                self.pauses.append(max(0, time - thread.open_pairs.pop("pause")))
        elif kind == 0:
            self.calls.enter(thread, zone, time)
            self.collection_starts[generation] += 1
            thread.open_pairs[zone] = time
        elif kind == 5:
            self.calls.leave(thread, zone, time)
            if zone in thread.open_pairs:
                self.collections[generation].append(max(0, time - thread.open_pairs.pop(zone)))

    def on_gc_resize(self, _thread, _time, size):
        self.resizes += 1
        self.max_heap = max(self.max_heap, size)

    def on_gc_moves(self, _thread, _time, objects):
        self.moves += len(objects) // 2
        for table in (self.objects, self.lock_of):
            gone = [(new, table.pop(old)) for old, new in zip(objects[::2], objects[1::2])
                    if old != new and old in table]
            table.update(gone)
            if table is self.lock_of:
                for _, lock in gone:
                    self.locks[lock]["moved"] += 1

    def on_handle(self, thread, time, action, kind, handle, _obj, stack):
        self.live_handles.pop((kind, handle), None)
        if action == "created":
            self.live_handles[(kind, handle)] = True
            self.handles_at[(self.place(thread, time, stack), kind)] += 1
        row = self.handles.setdefault(keyed(HANDLE_KINDS, kind), {"created": 0, "destroyed": 0})
        row[action] += 1

    def on_finalizer(self, thread, _time, what, _obj):
        self.finalizers[what] += 1
        # Mono 4.6 records ends without begins: each is one that ran.
        ran = what.split("_")[0]
        if what.endswith("_begin") or not thread.running.get(ran):
            self.finalized[ran] += 1
        thread.running[ran] = what.endswith("_begin")

    def on_metadata(self, _thread, time, action, kind, ident, name, _link):
        what = METADATA_KINDS[kind]
        self.metadata[what][action] += 1
        if action == "load":
            self.seen[what].add(ident)
        if kind == 4 and action == "name":
            self.domains["0x%x" % ident] = name
        if kind != 5:
            return
        subject = self.thread(ident)
        if action == "load":
            if subject.ends:
                subject = Thread(ident, subject.generation + 1)
                self.threads[ident].append(subject)
            subject.starts += 1
            if subject.first_time is None:
                subject.first_time = time
        elif action == "unload":
            subject.ends += 1
            self.calls.close_all(subject, "open_at_end")
        elif action == "name":
            self.late_names.append((ident, time, name))

    def on_method(self, _thread, _time, address, code, size, name):
        if code and size:
            self.code[code] = (size, name)
        self.seen["method"].add(address)
        self.metadata["method"]["record"] += 1

    def on_enter(self, thread, time, method):
        self.calls.counts["enter"] += 1
        self.calls.enter(thread, method, time)

    def on_leave(self, thread, time, method):
        self.calls.counts["leave"] += 1
        self.calls.leave(thread, method, time)

    def on_exc_leave(self, thread, time, method):
        self.calls.counts["exception_leave"] += 1
        self.calls.exception_leave(thread, method, time)

    def place(self, thread, time, stack):
        """The innermost frame, or open call, that is not the runtime's own; None outside any."""
        names = ([self.capture.method_name(m, time) for m in stack] if stack
                 else [f[1] for f in thread.stack if not isinstance(f[0], str)])
        for name in reversed(names):
            if not name.startswith(("(wrapper ", "System.Threading.Monitor:",
                                    "System.Runtime.InteropServices.GCHandle:")):
                return name
        return None

    def on_throw(self, thread, time, obj, stack):
        self.throws += 1
        self.thrown[(self.objects.get(obj), self.place(thread, time, stack))] += 1
        self.calls.enter(thread, "Exception", time)

    def on_clause(self, thread, time, kind, _index, _method, _obj):
        self.ran[(self.capture.method_name(_method, time), keyed(CLAUSE_KINDS, kind), _index, bool(_obj))] += 1
        self.clauses[keyed(CLAUSE_KINDS, kind)] += 1
        if kind == 0:
            self.calls.leave(thread, "Exception", time)

    def on_monitor(self, thread, time, event, obj, stack):
        if obj not in self.lock_of:
            self.lock_of[obj] = len(self.locks)
            self.locks.append({"address": obj, "waits": [], "moved": 0, "contended": 0, "acquired": 0, "failed": 0,
                               "threads": set()})
        lock = self.locks[self.lock_of[obj]]
        lock[keyed({1: "contended", 2: "acquired", 3: "failed"}, event)] = lock.get(
            keyed({1: "contended", 2: "acquired", 3: "failed"}, event), 0) + 1
        if event == 1:
            lock["threads"].add(thread)
            thread.waits_for = lock, self.place(thread, time, stack)
            self.contended_at[thread.waits_for[1]] += 1
        elif event in (2, 3) and "wait" in thread.open_pairs:
            wait = max(0, time - thread.open_pairs["wait"])
            thread.waits_for[0]["waits"].append(wait)
            self.waits_at[thread.waits_for[1]].append(wait)
        self.monitor[keyed({1: "contended", 2: "acquired", 3: "failed"}, event)] += 1
        self.monitor_objects.add(obj)
        if event == 1:
            self.calls.enter(thread, "Contention", time)
            thread.open_pairs["wait"] = time
        elif event in (2, 3):
            self.calls.leave(thread, "Contention", time)
            if "wait" in thread.open_pairs:
                self.monitor["wait_ns"] += max(0, time - thread.open_pairs.pop("wait"))

    def on_shot_begin(self, thread, time):
        shot = {"time_ns": time, "objects": 0, "bytes": 0, "references": 0,
                "continuation_records": 0, "complete": False, "roots": 0, "by_class": {}}
        self.graph, self.graph_roots = {}, []   # of the last shot: address -> (class, references); addresses
        if self.capture.version <= 14:
            self.graph_roots, thread.early_roots = thread.early_roots, []
            shot["roots"] = len(self.graph_roots)
        self.shots.append(shot)
        self.open_shots[thread.tid] = shot

    def on_shot_end(self, thread, _time):
        shot = self.open_shots.pop(thread.tid, None)
        if shot:
            shot["complete"] = True

    def on_heap_object(self, thread, time, _obj, cls, size, _generation, refs):
        shot = self.open_shots.get(thread.tid)
        if shot is None:
            self.stray_heap_objects += 1
            return
        shot["references"] += len(refs)
        name = self.capture.class_name(cls, time) or "(unresolved)"
        held = self.graph.setdefault(_obj, [name, []])
        if size:
            held[0] = name
        held[1] += [r for _, r in refs]
        if size == 0:
            shot["continuation_records"] += 1
            return
        shot["objects"] += 1
        shot["bytes"] += size
        name = self.capture.class_name(cls, time) or "(unresolved)"
        row = shot["by_class"].setdefault(name, {"count": 0, "bytes": 0})
        row["count"] += 1
        row["bytes"] += size
        shot.setdefault("sizes", []).append(size)

    def on_roots(self, thread, _time, roots):
        if not self.open_shots:
            thread.early_roots += [obj for _, obj in roots]
        for shot in self.open_shots.values():
            shot["roots"] += len(roots)
            self.graph_roots += [obj for _, obj in roots]
        self.roots["events"] += 1
        self.roots["entries"] += len(roots)

    def on_root_register(self, *_):
        self.roots["registered"] += 1

    def on_root_unregister(self, *_):
        self.roots["unregistered"] += 1

    def on_hit(self, _thread, _time, when, tid, ips, frames):
        self.hits += 1
        self.hits_by_thread["0x%x" % tid] += 1
        self.managed_hits += bool(frames)
        leaf = self.capture.method_name(frames[0], when) if frames else "[native only]"
        self.leaves[leaf] += 1
        self.sampled.append((tid, when, [self.capture.method_name(m, when) for m in frames], ips[0] if ips else 0))

    def on_symbol(self, _thread, _time, address, _size, name):
        self.symbols += 1
        self.symbol_at[address] = name

    def on_binary(self, *_):
        self.binaries += 1

    def on_counter_desc(self, _thread, _time, descriptions):
        for index, section, section_name, name, kind, unit, _variance in descriptions:
            old = self.counters.get(index)
            if old and (old["name"], old["section"]) == (name, section):
                continue
            if old:
                self.replaced_counters.append(old)
            self.counters[index] = {"name": name, "section": section,
                                    "section_name": section_name, "samples": 0, "last": None,
                                    "points": [], "kinds": set(), "type": kind, "unit": unit}

    def on_counters(self, _thread, _time, values, when):
        for index, kind, value in values:
            counter = self.counters.setdefault(
                index, {"name": "(unknown counter %d)" % index, "section": 0, "section_name": None,
                        "samples": 0, "last": None, "points": [], "kinds": set(), "type": 0,
                        "unit": 0})
            counter["samples"] += 1
            times = self.samplings[counter["section"] == CUSTOM_SECTION]
            if not times or times[-1] != when:
                times.append(when)
            counter["kinds"].add(kind)
            self.set_counter(counter, kind, value)
            counter["points"].append((len(times), counter["last"]))

    @staticmethod
    def set_counter(counter, kind, value):
        if kind in (5, 6) or counter["section"] == CUSTOM_SECTION:
            counter["last"] = value
            return
        total = value + (counter["last"] if isinstance(counter["last"], int) else 0)
        if kind == 1:
            total &= 0xFFFFFFFF
        elif kind == 4:
            total &= M64
        else:
            total = signed64(total & M64)
        counter["last"] = total

    def on_jit_helper(self, _thread, _time, kind, _start, size, _name):
        self.helpers[str(kind)] += 1
        self.helper_bytes += size

    def on_coverage(self, _thread, _time, what, _strings, numbers):
        self.coverage[what] += 1
        if what == "statements":
            self.coverage["statements_hit"] += numbers[2] > 0

    def on_sync(self, _thread, _time, kind):
        self.sync[keyed(SYNC_KINDS, kind)] += 1

    def on_aot_id(self, _thread, _time, text):
        self.aot_ids.append(text)

    # Reports.

    def clean_end(self):
        """Every started thread ended and the last event is a thread end (V >= 13)."""
        last = self.capture.last_event
        ended = all(t.ends >= t.starts for g in self.threads.values() for t in g)
        return bool(last and last[0] == "metadata" and last[2:4] == ("unload", 5) and ended)

    def report_threads(self):
        rows = []
        for tid in sorted(self.threads):
            for t in self.threads[tid]:
                name = max(t.names, key=lambda n: n[0])[1] if t.names else ""
                rows.append({"tid": "0x%x" % tid, "generation": t.generation, "name": name,
                             "starts": t.starts, "ends": t.ends})
        return rows

    def report_calls(self):
        counts = self.calls.counts
        zones = {}
        for name, stats in sorted(self.calls.zones.items()):
            if name == "Exception":
                zones[name] = {"count": self.throws, "self_ns": stats.self_ns}
            else:
                zones[name] = stats.report()
        out = {"enter": counts["enter"], "leave": counts["leave"],
               "exception_leave": counts["exception_leave"],
               "unmatched_leaves": counts["unmatched_leaves"],
               "implicitly_closed": counts["implicitly_closed_calls"],
               "open_at_end": counts["open_at_end_calls"] + counts["open_at_gap_calls"],
               "of_these_at_gaps": counts["open_at_gap_calls"],
               "clock_back": counts["clock_back"]}
        out["zones_unmatched"] = counts["unmatched_zone_ends"]
        out["zones_implicitly_closed"] = counts["implicitly_closed_zones"]
        out["zones_open_at_end"] = counts["open_at_end_zones"] + counts["open_at_gap_zones"]
        out["by_method"] = {name: self.calls.methods[name].report()
                            for name in sorted(self.calls.methods)}
        out["zones"] = zones
        return out

    def report_gc(self):
        gens = sorted(set(self.collections) | set(self.collection_starts) | {0, 1})
        return {"collections": {"gen%d" % g: {"count": self.collection_starts[g],
                                              "finished": len(self.collections[g]),
                                              "total_ns": sum(self.collections[g]),
                                              "max_ns": max(self.collections[g], default=0)}
                                for g in gens},
                "pauses": {"count": len(self.pauses), "total_ns": sum(self.pauses),
                           "max_ns": max(self.pauses, default=0)},
                "resizes": self.resizes, "max_heap": self.max_heap, "moves": self.moves,
                "handles": self.handles, "finalizers": dict(sorted(self.finalizers.items()))}

    def report_counters(self):
        """By name; counters that share one are told apart by a number, in order of index."""
        rows = self.replaced_counters + [self.counters[i] for i in sorted(self.counters)]
        out = {}
        for c in rows:
            name, n = c["name"], 2
            while name in out:
                name, n = "%s (%d)" % (c["name"], n), n + 1
            if c["samples"]:
                out[name] = {"samples": c["samples"], "last": c["last"]}
        return dict(sorted(out.items()))

    def counter_figures(self, counter):
        """(least, mean, largest): one that a sampling leaves out has its last value."""
        values = [v for _, v in counter["points"] if isinstance(v, (int, float))]
        if not values:
            return None
        ticks = [n for n, v in counter["points"] if isinstance(v, (int, float))]
        end = len(self.samplings[counter["section"] == CUSTOM_SECTION])
        total = 0
        for i, value in enumerate(values):
            total += value * max(1, (ticks[i + 1] if i + 1 < len(ticks) else end + 1) - ticks[i])
        weight = sum(max(1, (ticks[i + 1] if i + 1 < len(ticks) else end + 1) - ticks[i]) for i in range(len(ticks)))
        return min(values), total / weight, max(values)

    def report(self):
        c = self.capture
        pairs = {n: {"count": v[0], "bytes": v[1]} for n, v in sorted(self.alloc_by_class.items())}
        threads = {n: {"count": v[0], "bytes": v[1]} for n, v in sorted(self.alloc_by_thread.items())}
        return {
            "header": c.header,
            "complete": not c.damage,
            "truncation": c.damage[0] if c.damage else None,
            "damage": c.damage,
            "clean_end": self.clean_end() if c.version >= 13 else None,
            "buffers": sum(c.buffers.values()),
            "buffers_by_thread": {"0x%x" % t: n for t, n in sorted(c.buffers.items())},
            "events": sum(n for n, _ in c.tags.values()),
            "events_by_tag": {"%02x" % t: {"count": c.tags[t][0], "bytes": c.tags[t][1]}
                              for t in sorted(c.tags)},
            "threads": self.report_threads(),
            "domains": self.domains,
            "metadata": {k: dict(v) for k, v in sorted(self.metadata.items())},
            "methods": len(self.seen["method"]), "classes": len(self.seen["class"]),
            "vtables": len(self.seen["vtable"]), "images": len(self.seen["image"]),
            "assemblies": len(self.seen["assembly"]),
            "alloc": dict(self.alloc, by_class=pairs, by_thread=threads),
            "calls": self.report_calls(),
            "gc": self.report_gc(),
            "exceptions": {"throws": self.throws, "clauses": dict(sorted(self.clauses.items()))},
            "monitor": {"contended": self.monitor["contended"],
                        "acquired": self.monitor["acquired"], "failed": self.monitor["failed"],
                        "wait_ns": self.monitor["wait_ns"], "objects": len(self.monitor_objects)},
            "samples": {"hits": self.hits, "with_managed_stack": self.managed_hits,
                        "leaves": dict(sorted(self.leaves.items())),
                        "by_thread": dict(sorted(self.hits_by_thread.items()))},
            "symbols": self.symbols, "binaries": self.binaries,
            "counters": self.report_counters(),
            "heapshots": self.shots, "stray_heap_objects": self.stray_heap_objects,
            "roots": {k: self.roots[k] for k in ("events", "entries", "registered", "unregistered")},
            "coverage": dict(sorted(self.coverage.items())),
            "jit_helpers": {"count": sum(self.helpers.values()), "bytes": self.helper_bytes,
                            "by_kind": dict(sorted(self.helpers.items()))},
            "sync_points": dict(sorted(self.sync.items())),
            "aot_ids": self.aot_ids,
            "time": {"min_ns": c.min_time, "max_ns": c.max_time, "first_buffer_ns": c.first_base,
                     "negative_deltas": c.negative_deltas},
        }

    def print_events(self, out):
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("tid", "method", "start_ns", "dur_ns", "depth"))
        order = sorted(self.calls.finished, key=lambda c: (c[0].tid, c[0].generation, c[2], c[4]))
        for thread, name, start, duration, _depth, _zone, depth in order:
            if depth is not None:
                rows.writerow(("0x%x" % thread.tid, name, start, duration, depth))

    def print_frames(self, out, substring):
        """Begin to begin of one method, on the thread where it begins most often."""
        names = Counter(c[1] for c in self.calls.finished if substring in c[1] and not c[5])
        if not names:
            raise Refused("no call of a method with '%s' in its name" % substring)
        method = names.most_common(1)[0][0]
        if len(names) > 1:
            print("mlpd.py: %d methods match; using %s" % (len(names), method), file=sys.stderr)
        begins = defaultdict(list)
        for thread, name, start, *_ in self.calls.finished:
            if name == method:
                begins[thread].append(start)
        starts = sorted(max(begins.values(), key=len))
        allocs = sorted(self.allocs)
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(("frame", "start_ns", "wall_ns", "alloc_count", "alloc_bytes"))
        for i in range(len(starts) - 1):
            low = bisect.bisect_left(allocs, (starts[i],))
            high = bisect.bisect_left(allocs, (starts[i + 1],))
            rows.writerow((i, starts[i], starts[i + 1] - starts[i], high - low,
                           sum(size for _, size in allocs[low:high])))


def analyse(path):
    with open(path, "rb") as f:
        return Analysis(Capture(f.read()))


def main(args):
    mode, substring = "json", None
    if args[:1] == ["--events"]:
        mode, args = "events", args[1:]
    elif args[:1] == ["--frames"] and len(args) == 3:
        mode, substring, args = "frames", args[1], args[2:]
    if len(args) != 1 or args[0].startswith("--"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        analysis = analyse(args[0])
        if mode == "events":
            analysis.print_events(sys.stdout)
        elif mode == "frames":
            analysis.print_frames(sys.stdout, substring)
        else:
            json.dump(analysis.report(), sys.stdout, indent=1, ensure_ascii=False)
            print()
    except Refused as e:
        print("mlpd.py: %s: %s" % (args[0], e), file=sys.stderr)
        if mode == "json":
            print(json.dumps({"refused": str(e)}))
        return 3
    return 3 if analysis.capture.damage else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        sys.exit(141)
