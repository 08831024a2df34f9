#!/usr/bin/env python3
"""Records of Unity's .data that are missing, repeated or cut off; what its lists hold that belongs to no sample; what it never holds."""
import json
import struct
import subprocess

import data_gen
from generated import changed, generate
from ttc import TRACETOOL, Suite
import lot

suite = Suite()


def generated(*options, by=None):
    path = suite.path("generated.data")
    generate("data", path, *options, by=by)
    with open(path, "rb") as f:
        return f.read()


def records(b, head=28):
    """The records of ${b}, with their heads; what is after them."""
    r, at = [], 0
    while struct.unpack_from("<I", b, at)[0] != 0xDEADFEED:
        end = at + head + struct.unpack_from("<I", b, at + (8 if head == 16 else 4))[0]
        r.append(b[at:end])
        at = end
    return r, b[at:]


def told(name, pieces, status=0):
    """Allocations and whole frames of the records, and losses."""
    path = suite.path(name)
    with open(path, "wb") as f:
        f.write(b"".join(pieces))
    t = suite.report("stats", path, "--table", "gcalloc,frames,loss", status=status)["tables"]
    lost = {r["kind"]: r["first_at"] for r in t["loss"]["rows"] if r["severity"] in ("loss", "error")}
    return t["gcalloc"]["rows"][0]["count"], t["frames"]["rows"][0]["count"], lost


all_of_it, end = records(generated("--frames", "30"))
allocations, frames, lost = told("whole.data", all_of_it + [end])
suite.equal("nothing is lost of the whole", lost, {})
place = len(b"".join(all_of_it[:11]))
suite.equal("a record that is there twice counts once", told("twice.data", all_of_it[:11] + all_of_it[10:] + [end], 3),
            (allocations, frames, {"missing": place + 28}))
for name, between in (("all_twice.data", []), ("appended.data", [end])):
    again = len(b"".join(all_of_it + between))
    seen = told(name, all_of_it + between + all_of_it + [end], 3)
    suite.equal("frames that are there twice count once: " + name, (seen[:2], seen[2]["missing"]), ((allocations, frames), again + 28))
got = told("missing.data", all_of_it[:11] + all_of_it[13:] + [end], 3)
suite.equal("records that are missing", got[1:], (frames - 3, {"missing": place + 28}))
# Since 2022.2 a marker is defined once, by the first record with a sample of it. Of earlier versions nothing shows what was before.
for n in (1, 2, 20):
    suite.equal("the first %d records are missing" % n, told("first.data", all_of_it[n:] + [end], 3)[2], {"definitions": 28})
    out, err = suite.run("stats", "-q", suite.path("first.data"), status=3)
    suite.true("standard error says that frames are missing", "frames missing before the first one" in err, err)
    with open(suite.path("first.data"), "rb") as f:
        r = subprocess.run([TRACETOOL, "stats", "-q", "-", "--table", "loss"], stdin=f, capture_output=True)
    suite.equal("the same from a pipe", (r.returncode, b"frames missing before the first one" in r.stderr), (3, True))
damaged = bytearray(all_of_it[0])
damaged[-1] ^= 1
suite.equal("of a first record that is damaged, only that is said", list(told("first.data", [damaged] + all_of_it[1:] + [end], 3)[2]), ["damaged"])
suite.equal("a capture of two records", told("two.data", all_of_it[:2] + [end])[2], {})
suite.equal("the last record is missing", told("last.data", all_of_it[:-1] + [end])[2], {})


def set_u64(at, change):
    """The whole capture, with another number of 8 bytes at ${at}."""
    b = bytearray(b"".join(all_of_it) + end)
    struct.pack_into("<Q", b, at, change(struct.unpack_from("<Q", b, at)[0]))
    return [bytes(b)]


# A frame's start follows its id and number.
start = place + 28 + 8
for bit in (35, 40, 44, 55, 63):
    got = told("start.data", set_u64(start, lambda was, bit=bit: was ^ 1 << bit), 3)
    suite.equal("a frame whose start is elsewhere, bit %d: it and the one before are left out" % bit, got[1:], (frames - 2, {"damaged": place + 28}))
    suite.run("info", "--scrub", suite.path("start.data"), "-o", suite.path("copy.data"), status=3)
for name in ("twice.data", "all_twice.data", "appended.data", "missing.data"):
    suite.run("info", "--scrub", suite.path(name), "-o", suite.path("copy.data"), status=3)
for name, b in (("whole.data", b"".join(all_of_it) + end), ("end.data", end)):
    with open(suite.path(name), "wb") as f:
        f.write(b)
    suite.equal("the size of %s" % name, suite.report("info", suite.path(name))["tables"]["capture"]["rows"][0]["bytes"], len(b))


def main_thread(name, records_of):
    """Frames, allocations, markers and the main thread's calls, with other bytes: ${records_of} has the records."""
    path = suite.path(name)
    with open(path, "wb") as f:
        f.write(b"".join(records_of) + end)
    t = suite.report("stats", path, "--table", "frames,frame_gc,markers,threads")["tables"]
    calls = [r["calls"] for r in t["threads"]["rows"] if r["calls"] and r["thread"] in ("Main Thread", "Main Thbead")]
    return calls, {r["thread"] for r in t["threads"]["rows"]}, t["frames"]["rows"], [(r["frame"], r["dur_ns"], r["allocs"]) for r in t["frame_gc"]["rows"]], \
        sorted((r["marker"], r["count"], r["self_ns"]) for r in t["markers"]["rows"])


# The main thread's id is before its group, which is empty, and its name.
def other_id(record, change=lambda was: was ^ 1 << 26):
    at = record.index(b"Main Thread\0") - 12
    return record[:at] + struct.pack("<Q", change(struct.unpack_from("<Q", record, at)[0])) + record[at + 8:]


whole = main_thread("whole.data", all_of_it)
suite.equal("one main thread", len(whole[0]), 1)
for name, some in (("one bit of its id", [other_id(r) if i == 12 else r for i, r in enumerate(all_of_it)]),
                   ("frames of another program", [other_id(r, lambda was: was + 77) if i >= 15 else r for i, r in enumerate(all_of_it)]),
                   ("a letter of its name", [r.replace(b"Main Thread", b"Main Thbead", 1) if i == 12 else r for i, r in enumerate(all_of_it)]),
                   ("a letter of its first name", [all_of_it[0].replace(b"Main Thread", b"Main Thbead", 1), *all_of_it[1:]])):
    suite.equal("the main thread is one: " + name, main_thread("main.data", some), whole)


def pauses(options):
    """Collections of the frames that are wanted, and what reports and metrics know of pauses."""
    t = suite.report("stats", suite.path("whole.data"), "--table", "gcalloc,frame_gc,hitches,threads", "--metric", "gc.pause.max", "--metric",
                     "gc.pause.count", *options)["tables"]
    known = [row[c] for name, columns in (("gcalloc", ("pauses", "pause_ns", "pause_max_ns", "stopped_ns", "stopped_max_ns")),
             ("frame_gc", ("gc_pause_ns",)), ("hitches", ("gc_pause_ns",)), ("threads", ("stopped_ns",)), ("timeline_metrics", ("value",)))
             for row in t[name]["rows"] for c in columns]
    return t["gcalloc"]["rows"][0]["collections"], [x for x in known if x is not None]


found = [pauses(["--frames", str(i)]) for i in range(1, 29)]
suite.true("frames with and without a collection", len({n for n, _ in found}) > 1, found)
suite.equal("pauses are never known, with and without a collection", [known for _, known in found], [[]] * len(found))
# Before 2017.3 the place of the frame's number has something else; the column is then empty.
for version, numbered in (("0x20160622", False), ("0x20191122", True), ("0x20220328", True)):
    generated("--version", version, "--frames", "20")
    rows = suite.rows("hitches", suite.path("generated.data"))
    suite.true("engine's numbers of frames, %s" % version, rows and all((r["engine_frame"] is not None) == numbered for r in rows), rows[:2])



def numbered(record, head, more):
    """The record with a number that is ${more} higher."""
    at = head + (8 if head == 16 else 0)
    return record[:at] + struct.pack("<i", struct.unpack_from("<i", record, at)[0] + more) + record[at + 4:]


def figures(pieces, *more):
    """Status, whole frames, the longest one, calls, and losses of the records, and notices of the kinds ${more}."""
    path = suite.path("placed.data")
    with open(path, "wb") as f:
        f.write(b"".join(pieces))
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "frames,markers,loss", "--format", "json"], capture_output=True)
    t = {k: x["rows"] for k, x in json.loads(r.stdout)["tables"].items()}
    lost = {x["kind"]: (x["count"], x["first_at"]) for x in t["loss"] if x["severity"] in ("loss", "error") or x["kind"] in more}
    return r.returncode, t["frames"][0]["count"], t["frames"][0]["max_ns"], sum(x["count"] for x in t["markers"]), lost


# A record of another file, or of elsewhere in the file, is told by the one behind it, which continues the one before. All versions: up to 2019.2 a start has 32
# bits, and another file's is anywhere in the 71 minutes after the frame before; from 2019.3 on it is earlier or later.
for word in [*data_gen.OLD, *data_gen.WORDS]:
    head = 16 if word in data_gen.OLD else 28 if word >= 0x20220328 else 12
    own, end = records(generated("--version", hex(word), "--frames", "12"), head)
    intact = figures(own + [end])
    suite.equal("0x%x: the whole capture" % word, (intact[0], intact[1], intact[4]), (0, 11, {}))
    for later in (-3, 4, 1500, 3000):
        other, _ = records(generated("--version", hex(word), "--frames", "12", by=changed("data", ("set(), 5000000000", "set(), %d" % (
            5 * 10 ** 9 + later * 10 ** 9)))), head)
        for at, k in lot.some([(6, 6), (6, 5), (6, 2), (6, 9), (5, 5), (9, 11), (10, 0)], 4, "foreign", word, later):
            suite.equal("0x%x: record %d of another file, %d s later, before record %d" % (word, k, later, at),
                        figures(own[:at] + [other[k]] + own[at:] + [end]),
                        (3, *intact[1:4], {"missing": (1, len(b"".join(own[:at])) + head)}))
        # Behind the last one the number alone shows it, which versions before 2017.3 lack. The frame before it has no end.
        if later > 0 and word in data_gen.WORDS:
            got = figures(own + [other[3], end])
            suite.equal("0x%x: a record of another file, %d s later, behind the last" % (word, later), (got[0], got[1], got[2], list(got[4])),
                        (3, *intact[1:3], ["missing"]))
    # Where a frame begins later than the one before it says that it ends, with the next number, recording paused: the time between is no frame's.
    paused, _ = records(generated("--version", hex(word), "--frames", "12", by=changed("data", (
        "self.now += length", "self.now += length + (idx == 5) * 40 * 10 ** 9"))), head)
    told_in_old = {"paused": (1, len(b"".join(paused[:6])) + head)} if word in data_gen.OLD else {}
    suite.equal("0x%x: a pause of 40 s is no damage" % word, figures(paused + [end], "paused"), (0, 10, *intact[2:4], told_in_old))
    # Frames that are missing look so, too, if the numbers of the others follow each other.
    for k, n in ((1, 1), (4, 2), (9, 2)):
        rest = own[:k] + [numbered(r, head, -n) for r in own[k + n:]]
        told_in_old = {"paused": (1, len(b"".join(own[:k])) + head)} if word in data_gen.OLD else {}
        got = figures(rest + [end], "paused")
        suite.equal("0x%x: %d records behind %d are missing, the others have their numbers" % (word, n, k), (*got[:2], got[2] <= intact[2], got[4]),
                    (0, 10 - n, True, told_in_old))
    # A frame's own time that says less than its samples, or that does so in all frames, is none.
    cpu = head + (20 if word in data_gen.OLD else 16 if word >= 0x20191122 else 12)
    half = lambda r: r[:cpu] + struct.pack("<I", struct.unpack_from("<I", r, cpu)[0] // 2) + r[cpu + 4:]
    for name, some in (("one frame", own[:6] + [half(own[6])] + own[7:]), ("all frames", [half(r) for r in own])):
        suite.equal("0x%x: the own time of %s is half of it" % (word, name), figures(some + [end], "paused"), intact)


def values(word, old, new):
    """Notices of values, the counter's calls, and its values, of a capture one of whose values has another type or size."""
    by = changed("data", ("TYPES + [(77, b\"what\"), (4, b\"abc\")]", "TYPES"),
                 ("[(6, struct.pack(\"<f\", 36.5))]", "[(6, struct.pack(\"<f\", 36.5 + self.T[\"frames\"] / 2))]"))
    b = generated("--version", hex(word), "--frames", "12", "--scenario", "odd", by=by)
    at = b.index(old)
    return figures_of_values(b), figures_of_values(b[:at] + new + b[at + len(old):])


def figures_of_values(b):
    path = suite.path("values.data")
    with open(path, "wb") as f:
        f.write(b)
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "markers,counters,loss", "--format", "json", "--limit", "0"], capture_output=True)
    t = {k: x["rows"] for k, x in json.loads(r.stdout)["tables"].items()}
    return r.returncode, [(x["kind"], x["severity"], x["count"]) for x in t["loss"] if x["kind"] in ("value_types", "damaged")], \
        sum(x["count"] for x in t["markers"] if x["marker"] == "Test Temperature"), \
        sum(x["count"] for x in t["counters"] if x["counter"] == "Test Temperature")


# Of a value the file says type and size: one that is not known is kept as bytes, and that is told. A counter has numbers.
one, name = struct.pack("<IIf", 6, 4, 38.5), struct.pack("<II", 8, 6) + b"level0"
for word in data_gen.WORDS:
    counts = [("a name's type %d" % x, name, struct.pack("<I", x) + name[4:], 0) for x in (0, 14, 72, 0x108)]
    if word >= 0x20200924:
        counts += [("a counter's type %d" % x, one, struct.pack("<I", x) + one[4:], 1) for x in (14, 38, 0x106, 8, 11, 4)]
    for what, old, new, is_counter in counts:
        before, after = values(word, old, new)
        suite.equal("0x%x: values of all types" % word, before[:3], (0, [], 0))
        suite.equal("0x%x: %s" % (word, what), after, (0, [("value_types", "notice", 1)], is_counter, before[3] - is_counter))

# Since 2019.3 a frame says by a mask that it is without data. One that has samples is read all the same, and is told, unless no frame has a mask.
for word in data_gen.WORDS[5:]:
    head = 28 if word >= 0x20220328 else 12
    own, end = records(generated("--version", hex(word), "--frames", "12"), head)
    intact = figures(own + [end])
    without = [r[:head + 24] + bytes(4) + r[head + 28:] for r in own]
    for at in (0, 6):
        suite.equal("0x%x: samples of frame %d, whose mask is none" % (word, at), figures(own[:at] + [without[at]] + own[at + 1:] + [end]),
                    (3, *intact[1:4], {"damaged": (1, len(b"".join(own[:at])) + head)}))
    suite.equal("0x%x: three frames have no mask" % word, figures(without[:3] + own[3:] + [end]), (3, *intact[1:4], {"damaged": (3, head)}))
    suite.equal("0x%x: no frame has a mask" % word, figures(without + [end]), (0, *intact[1:4], {}))
    bare, _ = records(generated("--version", hex(word), "--frames", "12", by=changed("data", ('o.scenario == "odd" and idx == 9', "idx == 9"))), head)
    got = figures(bare + [end])
    suite.equal("0x%x: a frame without data is left out" % word, (got[0], got[1], got[4]), (0, intact[1] - 1, {}))


def counted(b):
    """Status, kinds of losses, and the number of zones that a text names, of the capture ${b}."""
    path = suite.path("counted.data")
    with open(path, "wb") as f:
        f.write(b)
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "markers,loss", "--format", "json", "--limit", "0"], capture_output=True)
    t = {k: x["rows"] for k, x in json.loads(r.stdout)["tables"].items()}
    return r.returncode, [x["kind"] for x in t["loss"] if x["severity"] == "error"], sum(x["count"] for x in t["markers"] if "Enemy \u00e9" in x["marker"])


# A value says the number of its sample. Where that is another one, a counter, or a sample with a text, has no value, and the list is not as it should be.
for word in data_gen.WORDS[7:]:
    own, end = records(generated("--version", hex(word), "--frames", "6"), 28 if word >= 0x20220328 else 12)
    intact = counted(b"".join(own) + end)
    suite.equal("0x%x: values of the whole capture" % word, (*intact[:2], intact[2] > 0), (0, [], True))
    for what, form in (("a counter of 8 bytes", (1, 4, 8)), ("one of 4 bytes", (1, 6, 4)), ("a sample's text", (3, 2, 4))):
        at = own[3].index(struct.pack("<III", *form)) - 4
        was = struct.unpack_from("<I", own[3], at)[0]
        others = [was ^ 1 << bit for bit in range(8)]
        # A later sample, if it is the last with values, or an earlier one before which all are, keeps the order.
        for number in [0] + [x for x in others if what == "a counter of 8 bytes" or x > 64 or (x < was and what == "one of 4 bytes")]:
            other = own[3][:at] + struct.pack("<I", number) + own[3][at + 4:]
            suite.equal("0x%x: %s is of sample %d, not %d" % (word, what, number, was), counted(b"".join([*own[:3], other, *own[4:]]) + end)[:2],
                        (3, ["damaged"]))


def allocated(b):
    """Status, allocations with their bytes, and losses of the capture ${b}."""
    path = suite.path("allocated.data")
    with open(path, "wb") as f:
        f.write(b)
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "gcalloc,loss", "--format", "json"], capture_output=True)
    t = json.loads(r.stdout)["tables"] if r.returncode in (0, 3) else None
    return r.returncode, t and [(x["count"], x["bytes"]) for x in t["gcalloc"]["rows"]], t and {x["kind"] for x in t["loss"]["rows"]}


# Since 2018.3 records of bytes are of samples called GC.Alloc, whose value has the bytes, too, if there is one.
for version in ("0x20181101", "0x20191122", "0x20200924", "0x20210919", "0x20220328", "0x20260108"):
    whole = generated("--version", version, "--frames", "6")
    want = allocated(whole)
    suite.equal("allocations of %s: nothing is damaged" % version, (want[0], want[2]), (0, set()))
    for place in (0, 3, 7):
        damaged = bytearray(whole)
        damaged[whole.index(b"GC.Alloc") + place] ^= 2
        suite.equal("a letter of GC.Alloc, %d, is damaged in %s" % (place, version), allocated(damaged), (3, want[1], {"damaged"}))
    for what, form, place in (("value", struct.pack("<III", 1, 3, 4), 12), ("record", struct.pack("<I", 2), 8)):
        # Values are behind the records; the first allocation is of sample 4.
        at = whole.index(struct.pack("<I", 4) + form if what == "value" else form + struct.pack("<I", 4)) + place
        at += 4 * (what == "value")
        for bit in (0, 3, 6, 13, 24, 30):
            damaged = bytearray(whole)
            damaged[at + bit // 8] ^= 1 << bit % 8
            got = allocated(damaged)
            suite.equal("the bytes of an allocation in its %s, bit %d, are damaged in %s" % (what, bit, version), (got[0], "damaged" in got[2]), (3, True))
    without = generated("--version", version, "--frames", "6", by=changed("data", ("a = add(e, 15, at + 1000, 300, [(3, struct.pack(\"<I\", n))])",
                                                                                 "a = add(e, 15, at + 1000, 300)")))
    suite.equal("allocations without a value in %s" % version, allocated(without), want)
for name in ("good-2018", "good-6000.5"):
    with open("testdata/data/%s.data" % name, "rb") as f:
        whole = f.read()
    at = whole.index(struct.pack("<III", 1, 4, 72)) + 4
    suite.equal("a record of zeros is no allocation: " + name, allocated(whole[:at] + bytes(8) + whole[at + 8:])[1], [(1, 72)])
    for number in (1, 2, 5):
        got = allocated(whole[:at] + struct.pack("<I", number) + whole[at + 4:])
        suite.equal("%s: its only record is of sample %d, not 4" % (name, number), (got[0], "damaged" in got[2]), (3, True))
    for i in lot.some([i for i in range(8 * len(whole)) if name != "good-2018"], 200, "bits"):
        damaged = bytearray(whole)
        damaged[i // 8] ^= 1 << i % 8
        got = allocated(damaged)
        suite.true("%s: bit %d of byte %d" % (name, i % 8, i // 8), got[0] != 0 or got[1] == [(1, 72)], got)



def threads_of(b):
    """Status, losses and threads of the capture ${b}."""
    path = suite.path("threads.data")
    with open(path, "wb") as f:
        f.write(b)
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "threads,loss", "--format", "json", "--limit", "0"], capture_output=True)
    t = {k: x["rows"] for k, x in json.loads(r.stdout)["tables"].items()}
    return r.returncode, {x["kind"]: (x["count"], x["first_at"]) for x in t["loss"] if x["severity"] == "error"}, \
        sorted((x["group"] or "", x["thread"]) for x in t["threads"] if x["thread"] != "GPU")


# Two lists have numbers of the thread's samples and nothing else: one whose length is damaged takes what is behind it.
LISTS = {"with a warning": ('b.p("II", 1, min(1, len(samples) - 1))\n        values', 'wrong(1, min(1, len(samples) - 1))\n        values'),
         "that are statistics": ('b.p("II", 1, min(1, len(samples) - 1))\n        if r(4)', 'wrong(1, min(1, len(samples) - 1))\n        if r(4)')}
for word in [*data_gen.OLD, *data_gen.WORDS]:
    head = 16 if word in data_gen.OLD else 28 if word >= 0x20220328 else 12
    own, end = records(generated("--version", hex(word), "--frames", "6"), head)
    intact = threads_of(b"".join(own) + end)
    for what, (old, new) in LISTS.items():
        if what == "that are statistics" and word not in data_gen.WORDS[4:]:
            continue
        # The list of the frame's second last thread, empty in others.
        for name, there in (("its length is %d, not 0" % n, 'b.p("I", %d)' % n) for n in (1, 4, 8, 64)):
            by = changed("data", (old, new.replace("wrong(1, min(1, len(samples) - 1))", '%s if self.T["frames"] == 3 and name == "Worker 0" else b.p("I", 0)'
                                                   % there)))
            some, end = records(generated("--version", hex(word), "--frames", "6", by=by), head)
            got = threads_of(b"".join(some) + end)
            suite.equal("0x%x: a list of samples %s: %s" % (word, what, name), got[:2], (3, {"damaged": (1, len(b"".join(some[:3])) + head)}))
            # Behind the other list only the sections after the threads may make no sense.
            suite.true("0x%x: no thread comes of it" % word, what != "with a warning" or got[2] == intact[2], got[2])
        by = changed("data", (old, new.replace("wrong(1, min(1, len(samples) - 1))", 'b.p("II", 1, len(samples) - (self.T["frames"] != 3))')))
        some, end = records(generated("--version", hex(word), "--frames", "6", by=by), head)
        suite.equal("0x%x: a sample %s that does not exist" % (word, what), threads_of(b"".join(some) + end),
                    (3, {"damaged": (1, len(b"".join(some[:3])) + head)}, intact[2]))


def undefined(name, pieces):
    """Status, losses with their places, and the zones without a name of the capture."""
    path = suite.path(name)
    with open(path, "wb") as f:
        f.write(b"".join(pieces))
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "markers,loss", "--format", "json", "--limit", "0"], capture_output=True)
    t = {k: x["rows"] for k, x in json.loads(r.stdout)["tables"].items()}
    return r.returncode, {x["kind"]: x["first_at"] for x in t["loss"] if x["severity"] in ("error", "loss") or x["kind"] == "names"}, \
        sum(x["count"] for x in t["markers"] if "(unknown" in x["marker"])


# Since 2022.2 each marker of a sample is defined there or before. If no frame is missing and one is not, its number is damaged.
for word in data_gen.WORDS[10:]:
    own, end = records(generated("--version", hex(word), "--frames", "12"), 28)

    def other_marker(record, which, bit, thread=b"Main Thread\0"):
        """The record with one bit of the number of the marker of a sample changed."""
        at = record.index(thread) + (len(thread) + 3) // 4 * 4 + 4 + 20 * which
        return record[:at] + struct.pack("<I", struct.unpack_from("<I", record, at)[0] ^ 1 << bit) + record[at + 4:]
    suite.equal("0x%x: all markers are defined" % word, undefined("undefined.data", own + [end]), (0, {}, 0))
    place = len(b"".join(own[:6])) + 28
    for thread in (b"Main Thread\0", b"Render Thread\0", b"Worker 0\0"):
        for which in (1, 2, 3):
            for bit in (6, 7, 10, 13, 14, 15, 16, 20, 31):
                one = own[:6] + [other_marker(own[6], which, bit, thread)] + own[7:]
                suite.equal("0x%x: sample %d of %s, bit %d of its marker" % (word, which, thread[:-1].decode(), bit),
                            undefined("undefined.data", one + [end]), (3, {"damaged": place, "names": None}, 1))
    damaged = other_marker(own[6], 2, 20)
    # If frames may be missing, their definitions may be.
    first = undefined("undefined.data", [other_marker(own[0], 2, 20)] + own[1:] + [end])
    suite.equal("0x%x: a marker of the first frame" % word, first, (0, {"names": None}, 1))
    got = undefined("undefined.data", own[1:6] + [damaged] + own[7:] + [end])
    suite.equal("0x%x: frames are missing before the first one" % word, got[:2], (3, {"definitions": 28, "names": None}))
    got = undefined("undefined.data", own[:3] + own[4:6] + [damaged] + own[7:] + [end])
    suite.equal("0x%x: a frame is missing" % word, got, (3, {"missing": len(b"".join(own[:3])) + 28, "names": None}, 1))
    paused = own[:2] + [numbered(r, 28, -2) for r in own[4:6] + [damaged] + own[7:]]
    suite.equal("0x%x: recording paused before" % word, undefined("undefined.data", paused + [end]), (0, {"names": None}, 1))
    got = undefined("undefined.data", own[:6] + [damaged] + own[7:9] + own[10:] + [end])
    suite.equal("0x%x: a frame is missing behind it, in the same part of the file" % word, got[0], 3)
    out, err = suite.run("stats", "-q", suite.path("undefined.data"), "--table", "loss", status=3)
    suite.true("the notice has both causes", "missing, or their number is damaged" in out, out)
    # Numbers may be of any size.
    for n in (900, 33000, 120000):
        many, end = records(generated("--version", hex(word), "--frames", "40", "--markers", str(n)), 28)
        suite.equal("0x%x: %d markers are defined" % (word, n), undefined("many.data", many + [end]), (0, {}, 0))


def calls_by_thread(pieces, thread):
    """Status; calls of the threads called ${thread}, one of another name and all others; threads without events or a name."""
    path = suite.path("named.data")
    with open(path, "wb") as f:
        f.write(b"".join(pieces))
    r = subprocess.run([TRACETOOL, "stats", "-q", path, "--table", "threads", "--format", "json", "--limit", "0"], capture_output=True)
    calls, ghosts = {thread: 0, "Loader 1": 0, "others": 0}, []
    for x in json.loads(r.stdout)["tables"]["threads"]["rows"]:
        calls[x["thread"] if x["thread"] in calls else "others"] += x["calls"]
        ghosts += [x["thread"]] if x["thread"] != "GPU" and not x["events"] or x["thread"].startswith("Thread ") else []
    return r.returncode, calls, ghosts


def samples_of(record, thread):
    """The number of samples of the thread in the record, but for the root."""
    at = record.index(thread + b"\0")
    return struct.unpack_from("<I", record, at + len(thread) // 4 * 4 + 4)[0] - 1


# Of GPU work, the part of drawing is below 32.
for word in (0x20160622, 0x20170327, 0x20191122, 0x20220328):
    own, end = records(generated("--version", hex(word), "--frames", "6"), 16 if word in data_gen.OLD else 28 if word >= 0x20220328 else 12)
    at = next(i for i in range(0, len(own[2]) - 12, 4)
              if (lambda n, us, sample, part: n == 1 and 4000 <= us < 4100 and sample < 1000 and part < 8)(*struct.unpack_from("<4I", own[2], i))) + 12
    for bit in (5, 11, 28, 31):
        of = bytearray(own[2])
        of[at + bit // 8] ^= 1 << bit % 8
        suite.equal("0x%x: bit %d of a part of drawing" % (word, bit), list(told("part.data", own[:2] + [of] + own[3:] + [end], 3)[2]), ["damaged"])

# Frames without threads have their own time, and none of the frame before.
bare = changed("data", ("for tid, group, name in self.threads(idx):", "for tid, group, name in [] if idx in (5, 6, 9) else self.threads(idx):"))
for word in (0x20160622, 0x20170327, 0x20191122, 0x20220328):
    longest = []
    for by in (None, bare):
        path = suite.path("bare.data")
        generate("data", path, "--version", hex(word), "--frames", "14", by=by)
        t = suite.report("stats", path, "--table", "frames,frame_gc,loss")["tables"]
        longest.append({r["frame"]: r["dur_ns"] for r in t["frame_gc"]["rows"]})
        suite.equal("0x%x: nothing is lost" % word, [r["kind"] for r in t["loss"]["rows"] if r["severity"] in ("loss", "error")], [])
    whole, some = longest
    # What threads do takes other random numbers, which changes lengths by a microsecond.
    suite.equal("0x%x: frames around those without threads" % word, [sorted(some), all(abs(some[k] - whole[k]) <= 1000 for k in some)],
                [sorted(set(whole) - {6, 7, 10}), True])

# The system uses ids of threads again: names take turns at one id, within a segment of the file or not.
for word, n in [(w, 12) for w in (0x20160622, 0x20191122, *data_gen.WORDS[7:])] + [(0x20220328, 600)]:
    head = 16 if word in data_gen.OLD else 28 if word >= 0x20220328 else 12
    own, end = records(generated("--version", hex(word), "--frames", str(n)), head)
    intact = calls_by_thread(own + [end], "Worker 1")
    suite.equal("0x%x: threads of %d frames" % (word, n), (intact[0], intact[2]), (0, []))
    for name, others in (("A, B", {*range(7, n)}), ("B, A", {0}), ("A, B, A", {7}), ("A, B, B, A", {3, 4}), ("A, B, A, B, A", {3, 7}),
                         ("in turn", {*range(1, n, 2)}), ("A, B, A, all far apart", {*range(n // 3, n * 2 // 3)})):
        some = [r.replace(b"Worker 1\0", b"Loader 1\0") if i in others else r for i, r in enumerate(own)]
        moved = sum(samples_of(own[i], b"Worker 1") for i in others)
        suite.equal("0x%x: %d frames, names of one id: %s" % (word, n, name), calls_by_thread(some + [end], "Worker 1"),
                    (0, {**intact[1], "Worker 1": intact[1]["Worker 1"] - moved, "Loader 1": moved}, []))
    for thread in (b"Job\0Worker 0\0", b"\0\0\0\0Render Thread\0", b"\0\0\0\0Main Thread\0") if word >= 0x20200924 else ():
        some = []
        for r in own:
            to, of = r.index(b"Job\0Worker 1\0") - 8, r.index(thread) - 8
            some.append(r[:to] + r[of:of + 8] + r[to + 8:])
        suite.equal("0x%x: %d frames, Worker 1 has the id of %s in each" % (word, n, thread[4:-1].decode()), calls_by_thread(some + [end], "Worker 1"), intact)

suite.end()
