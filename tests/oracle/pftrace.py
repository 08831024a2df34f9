#!/usr/bin/env python3
"""A Perfetto trace as text, one line for each packet, in the file's order.

Written from the format's public description alone; shares nothing with the emitter. What refers to interned data is shown resolved.
A packet that uses what was not sent before it, or a field that is not known, is an error.

    pftrace.py FILE
"""
import gzip
import struct
import sys
import zlib


class Bad(Exception):
    """The file is no trace, or not one that this reader knows."""


def varint(b, p):
    v = shift = 0
    while True:
        if p >= len(b) or shift > 63:
            raise Bad("a number is cut at byte %d" % p)
        v |= (b[p] & 127) << shift
        shift += 7
        p += 1
        if b[p - 1] < 128:
            return v, p


def fields(b):
    """(number, value) of each field of a message: an int, or bytes."""
    p = 0
    while p < len(b):
        tag, p = varint(b, p)
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            v, p = varint(b, p)
        elif wire == 1:
            v, p = b[p:p + 8], p + 8
        elif wire == 2:
            n, p = varint(b, p)
            v, p = b[p:p + n], p + n
        else:
            raise Bad("wire type %d" % wire)
        if p > len(b):
            raise Bad("field %d is longer than its message" % number)
        yield number, v


def message(b, **names):
    """The fields of a message by name: f1 is field 1, and the last of it counts; r1 is a repeated field 1, and gives a list."""
    known = {int(k[1:]): v for k, v in names.items()}
    lists = {v for k, v in names.items() if k[0] == "r"}
    out = {v: [] for v in lists}
    for number, v in fields(b):
        if number not in known:
            raise Bad("field %d, of %s" % (number, ", ".join(known.values())))
        name = known[number]
        if name in lists:
            out[name].append(v)
        else:
            out[name] = v
    return out


def text(b):
    s = b.decode("utf-8")             # strict: what is not valid is an error
    if "\0" in s:
        raise Bad("a NUL in a text")
    return s


def signed(v):
    return v - (1 << 64) if v >> 63 else v


BOOT = 6                              # the clock of packets that name none
KINDS = {1: "begin", 2: "end", 3: "instant", 4: "count"}
UNITS = {1: "ns", 2: "count", 3: "bytes"}


class Sequence:
    """What was sent on one sequence since it was cleared."""

    def __init__(self):
        self.of, self.clock, self.steps = {}, BOOT, {}

    def snapshot(self, clocks):
        """Clocks of this sequence alone may count steps: each time is so much after the one before, and the first after a snapshot after that."""
        at = {c["id"]: c["ns"] for c in clocks}
        for c in clocks:
            if c.get("incremental"):
                if c["id"] < 64 or at.get(BOOT) != c["ns"]:
                    raise Bad("clock %d counts steps, and is not that of boot time" % c["id"])
                self.steps[c["id"]] = c["ns"]

    def time(self, ts, clock):
        if clock == BOOT:
            return ts
        if clock not in self.steps:
            raise Bad("no snapshot of clock %d" % clock)
        self.steps[clock] += ts
        return self.steps[clock]

    def add(self, table, iid, value):
        if self.of.setdefault((table, iid), value) != value or iid == 0:
            raise Bad("%s %d is sent twice, and differs" % (table, iid))

    def get(self, table, iid):
        if (table, iid) not in self.of:
            raise Bad("%s %d was not sent" % (table, iid))
        return self.of[table, iid]

    def interned(self, b):
        m = message(b, r1="categorys", r2="names", r3="notes", r5="functions", r6="frames", r7="stacks", r17="paths", r19="mappings", r29="texts")
        for table in ("categorys", "names", "notes", "functions", "paths", "texts"):
            for one in m[table]:
                e = message(one, f1="iid", f2="text")
                self.add(table, e["iid"], text(e["text"]))
        for one in m["mappings"]:
            e = message(one, f1="iid", r7="paths")
            self.add("mappings", e["iid"], "/".join(self.get("paths", i) for i in e["paths"]))
        for one in m["frames"]:
            e = message(one, f1="iid", f2="function", f3="mapping", f4="pc")
            self.get("mappings", e["mapping"])
            pc = "+0x%x" % e["pc"] if "pc" in e else ""
            self.add("frames", e["iid"], self.get("functions", e["function"]) + pc)
        for one in m["stacks"]:
            e = message(one, f1="iid", r2="frames")
            self.add("stacks", e["iid"], [self.get("frames", i) for i in e["frames"]])

    def note(self, b):
        """An annotation: its name and its value as text."""
        m = message(b, f1="iid", f10="name", f2="bool", f3="uint", f4="int", f5="double", f6="text", f7="pointer", f17="text_iid", r11="dicts", r12="arrays")
        name = self.get("notes", m["iid"]) if "iid" in m else text(m.get("name", b""))
        if m["dicts"]:
            return name, "{%s}" % ", ".join("%s=%s" % self.note(d) for d in m["dicts"])
        if m["arrays"]:
            return name, "[%s]" % ", ".join(self.note(d)[1] for d in m["arrays"])
        if "text_iid" in m:
            return name, repr(self.get("texts", m["text_iid"]))
        show = {"bool": lambda v: str(bool(v)).lower(), "uint": str, "int": lambda v: str(signed(v)), "text": lambda v: repr(text(v)),
                "double": lambda v: repr(struct.unpack("<d", v)[0]), "pointer": hex}
        return name, next((f(m[k]) for k, f in show.items() if k in m), "")


def packets(data, cut=False):
    """The content of each packet, also of those that are packed in others. ${cut}: the last may be missing its end."""
    p = 0
    while p < len(data):
        try:
            tag, at = varint(data, p)
            n, at = varint(data, at)
            if tag != 10:
                raise Bad("byte %d: no packet" % p)
            if at + n > len(data):
                raise Bad("byte %d: the packet is cut" % p)
        except Bad:
            if cut:
                return
            raise
        p = at + n
        if data[at:at + 2] != b"\x92\x03":           # field 50: compressed packets, and nothing beside them
            yield data[at:p]
            continue
        (_, inner), = fields(data[at:p])
        yield from packets(zlib.decompress(inner))


class Trace:
    """The tracks of the file, and its packets as lines."""

    def __init__(self, data):
        self.sequence, self.track, self.open = {}, {}, {}
        self.data = data

    def lines(self, cut=False):
        """One line a packet. ${cut}: the last packet may be missing its end."""
        for packet in packets(self.data, cut):
            yield from self.packet(packet)

    def packet(self, b):
        m = message(b, f6="clock", f8="ts", f10="sequence", f11="event", f12="interned", f13="flags", f58="clock_id", f59="defaults", f60="track", f66="sample")
        flags = m.get("flags", 0)
        if flags & 1:
            self.sequence[m["sequence"]] = Sequence()
        if flags & 2 and m["sequence"] not in self.sequence:
            raise Bad("sequence %d was not begun" % m["sequence"])
        seq = self.sequence.get(m["sequence"])
        if "interned" in m:
            seq.interned(m["interned"])
        if "defaults" in m:
            seq.clock = message(m["defaults"], f58="clock_id")["clock_id"]
        if "clock" in m:
            clocks = [message(x, f1="id", f2="ns", f3="incremental") for x in message(m["clock"], r1="clocks")["clocks"]]
            if any("incremental" in c for c in clocks):
                seq.snapshot(clocks)
            else:
                yield "clock " + " ".join("%d=%d" % (c["id"], c["ns"]) for c in clocks)
        ts = seq.time(m["ts"], m.get("clock_id", seq.clock)) if "ts" in m and seq else m.get("ts")
        if "track" in m:
            yield self.describe(m["track"])
        if "event" in m:
            yield "%d %s" % (ts, self.event(seq, m["event"]))
        if "sample" in m:
            s = message(m["sample"], f2="pid", f3="tid", f4="stack")
            yield "%d sample %d/%d %s" % (ts, s["pid"], s["tid"], " > ".join(seq.get("stacks", s["stack"])))

    def describe(self, b):
        m = message(b, f1="uuid", f2="name", f3="process", f4="thread", f5="parent", f8="counter", f15="sibling")
        name = text(m.get("name", b""))
        if "process" in m:
            p = message(m["process"], f1="pid", f6="name")
            name = "process %d %s" % (p["pid"], text(p["name"]))
        if "thread" in m:
            t = message(m["thread"], f1="pid", f2="tid", f5="name")
            name = "thread %d/%d %s" % (t["pid"], t["tid"], text(t["name"]))
        if "counter" in m:
            c = message(m["counter"], f2="section", f3="unit", f6="unit_name")
            name = "counter %s in %s" % (name, UNITS[c["unit"]] if "unit" in c else text(c["unit_name"]))
            name += " <%s>" % text(c["section"]) if "section" in c else ""
        if "parent" in m:
            name += " of " + self.track[m["parent"]]
        self.track[m["uuid"]] = name
        return "track " + name

    def event(self, seq, b):
        m = message(b, r3="category_iids", r4="notes", f6="legacy", f9="type", f10="name_iid", f11="track", r22="categorys", f23="name", f30="value",
                    f44="double")
        track = self.track[m["track"]]
        words = [KINDS.get(m.get("type"), "legacy"), "(%s)" % track]
        if "name_iid" in m or "name" in m:
            words.append(repr(seq.get("names", m["name_iid"]) if "name_iid" in m else text(m["name"])))
        words += ["<%s>" % seq.get("categorys", i) for i in m["category_iids"]] + ["<%s>" % text(c) for c in m["categorys"]]
        if "value" in m:
            words.append(str(signed(m["value"])))
        if "double" in m:
            words.append(repr(struct.unpack("<d", m["double"])[0]))
        if "legacy" in m:
            f = message(m["legacy"], f2="phase", f6="id", f12="enclosing")
            words.append("flow %s %#x" % (chr(f["phase"]), f["id"]))
        words += ["%s=%s" % seq.note(n) for n in m["notes"]]
        return " ".join(words)


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    return Trace(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


if __name__ == "__main__":
    for line in load(sys.argv[1]).lines():
        print(line)
