#!/usr/bin/env python3
"""Counters of one name in appended logs (.raw) and in captures (.ttc): each output has as many counters as there are names, names of categories and units, with
the right values, and tells them apart as tracetool-formats(7) says: by the category, then by the unit. Numbers of counters and categories differ from log to
log, and mean other things there."""
import collections
import csv
import os
import random
import re
import sqlite3
import struct
import sys

from raw_log import MS, SESSION, Log, marker, sample, state, text, zone
from ttc import I64, Capture, Suite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import lot  # noqa: E402
import pftrace  # noqa: E402

VERSION = 0x20220328             # logs of it have categories of their own
UNITS = {1: "ns", 2: "bytes", 3: "count"}
FRAMES = 4
suite = Suite()


def category(number, name):
    return struct.pack("<HHHH", 62, number, 0, 0) + text(name)


def value(number, ms, v):
    return struct.pack("<HBIQBBq", 44, 0, number, int(ms * MS), 1, 4, v)


def log(start, categories, counters, late):
    """${categories}: name -> number; ${counters}: number -> (name, category, unit, first value); ${late}: categories come after the counters."""
    c = Log(start)
    c.b = c.b.replace(struct.pack("<I", 0x20191122), struct.pack("<I", VERSION), 1)
    define = [b"".join(category(n, name) for name, n in categories.items()),
              b"".join(marker(n, name, [(4 | unit << 8, "Value")], category=categories[where], flags=0x80)
                       for n, (name, where, unit, _) in counters.items())]
    c.block(SESSION, b"".join(reversed(define) if late else define))
    for k in range(FRAMES):
        ms = start + 1 + 10 * k
        values = b"".join(value(n, ms + 8, first + k) for n, (_, _, _, first) in counters.items())
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 1, ms + 8) + values + sample(37, 0, ms + 9))
    c.frame(start + 1 + 10 * FRAMES)          # what a frame's mark ends is a whole frame
    c.block(SESSION, state(0, start + 11 + 10 * FRAMES))
    return c.b


def labels(identities):
    """What tracetool-formats(7) says that these (name, category, unit, which of a capture) are called."""
    of_name, of_both = collections.defaultdict(set), collections.defaultdict(set)
    for name, where, unit, _ in identities:
        of_name[name].add(where)
        of_both[name, where].add(unit)
    called = {}
    for x in identities:
        name, where, unit, which = x
        called[x] = (name + (" [%s]" % where if len(of_name[name]) > 1 and where else "") + (" (%s)" % unit if len(of_both[name, where]) > 1 else "") +
                     (" (%d)" % which if which > 1 else ""))
    return called


def check(what, path, want):
    """${want}: (name, category, unit, which) -> values in order of time."""
    called = labels(want)
    by_label = {called[x]: v for x, v in want.items()}
    by_columns = collections.defaultdict(list)
    for (name, where, unit, _), v in want.items():
        by_columns[name, where, unit] += v
    by_columns = {x: sorted(v) for x, v in by_columns.items()}

    got = collections.defaultdict(list)
    for e in suite.chrome(path):
        if e["ph"] == "C" and e.get("cat") != "GC":
            got[e["name"]] += e["args"].values()
    suite.equal(what + ", Chrome JSON", dict(got), by_label)

    suite.run("convert", "-q", path, "-o", suite.path("out.pftrace"), "-o", suite.path("out.sqlite"))
    got = collections.defaultdict(list)
    for line in pftrace.load(suite.path("out.pftrace")).lines():
        m = re.match(r"\d+ count \(counter (.*?) in \S+(?: <.*>)? of process .*\) (\S+)$", line)
        if m:
            got[m[1]].append(int(m[2]))
    suite.equal(what + ", Perfetto", dict(got), by_label)

    got = collections.defaultdict(list)
    for r in suite.csv(path):
        if r["kind"] == "counter":
            got[r["name"], r["category"], r["detail"]].append(int(r["value"]))
    suite.equal(what + ", CSV", {x: sorted(v) for x, v in got.items()}, by_columns)

    db = sqlite3.connect(suite.path("out.sqlite"))
    got = collections.defaultdict(list)
    for name, where, unit, v in db.execute("select name, ifnull(section, ''), unit, value from counter c, counter_value v where v.counter = c.id"):
        got[name, where, unit].append(v)
    suite.equal(what + ", SQLite", {x: sorted(v) for x, v in got.items()}, by_columns)
    suite.equal(what + ", SQLite: counters", db.execute("select count(*) from counter").fetchone()[0], len(want))
    db.close()

    key = lambda r: (r["counter"], r.get("section") or "", r["unit"])
    got = collections.defaultdict(list)
    for r in suite.rows("counter_values", path):
        got[key(r)].append(int(r["value"]))
    suite.equal(what + ", counter_values", {x: sorted(v) for x, v in got.items()}, by_columns)
    rows = suite.rows("counters", path)
    suite.equal(what + ", counters", sorted((key(r), r["count"], int(r["min"]), int(r["max"])) for r in rows),
                sorted((x[:3], len(v), min(v), max(v)) for x, v in want.items()))
    got = collections.Counter(key(r) for r in suite.rows("frame_counters", path))
    suite.equal(what + ", frame_counters", got, {x: len(v) for x, v in by_columns.items()})

    wide, _ = suite.run("stats", path, "--table", "frame_counters", "--wide", "last", "--columns", "0", "--limit", "0", "--format", "csv")
    got = collections.defaultdict(list)
    for r in csv.DictReader(wide.splitlines()):
        for name, v in list(r.items())[4:]:
            if v:
                got[name].append(int(v))
    suite.equal(what + ", a column each", dict(got), by_label)


def chosen(path):
    """--marker and --category choose the same counters in each output as in the table of counters."""
    all_ = {(r["counter"], r.get("section") or "", r["unit"]) for r in suite.rows("counters", path)}
    for want, *args in (({x for x in all_ if x[0] == "Used"}, "--marker", "Used"), ({x for x in all_ if x[1] == "Memory"}, "--category", "Memory"),
                        ({x for x in all_ if x[0][0] in "UF" and x[1] == "Render"}, "--marker", "F*", "--marker", "U*", "--category", "Rend*"),
                        (set(), "--marker", "Work"), (all_, "--marker", "*")):
        what = "chosen by " + " ".join(args)
        values = sorted(float(r["value"]) for r in suite.rows("counter_values", path, *args))
        suite.equal(what, {(r["counter"], r.get("section") or "", r["unit"]) for r in suite.rows("counters", path, *args)}, want)
        suite.equal(what + ", CSV", {(r["name"], r["category"], r["detail"]) for r in suite.csv(path, *args) if r["kind"] == "counter"}, want)
        points = [e for e in suite.chrome(path, *args) if e["ph"] == "C" and e.get("cat") != "GC"]
        suite.equal(what + ", Chrome JSON", {(e["name"].split(" [")[0].split(" (")[0], e.get("cat", ""), u) for e in points for u in e["args"]}, want)
        suite.equal(what + ", Chrome JSON: values", sorted(v for e in points for v in e["args"].values()), values)
        suite.run("convert", "-q", path, "-o", suite.path("out.pftrace"), "-o", suite.path("out.sqlite"), *args)
        counts = [re.match(r"\d+ count \(counter .*\) (\S+)$", line) for line in pftrace.load(suite.path("out.pftrace")).lines()]
        suite.equal(what + ", Perfetto: values", sorted(float(m[1]) for m in counts if m), values)
        db = sqlite3.connect(suite.path("out.sqlite"))
        suite.equal(what + ", SQLite", set(db.execute("select name, ifnull(section, ''), unit from counter")), want)
        suite.equal(what + ", SQLite: values", sorted(v for v, in db.execute("select value from counter_value")), values)
        db.close()


def appended(rng):
    """Logs with some of the counters each; the identities are few, so that they meet again."""
    wheres = ["Memory", "Render", "Game"][:rng.randint(1, 3)]
    pool = [(name, where, unit) for name in ("Used", "Free", "Peak") for where in wheres for unit in (1, 2, 3)[:rng.randint(1, 3)]]
    want, logs = collections.defaultdict(list), []
    for i in range(rng.randint(1, 4)):
        categories = dict(zip(wheres, rng.sample(range(100, 110), len(wheres))))
        counters, seen = {}, collections.Counter()
        for n in sorted(rng.sample(range(40, 60), rng.randint(1, 6))):
            name, where, unit = rng.choice(pool)
            first = 1000 * i + 50 * n
            counters[n] = name, where, unit, first
            seen[name, where, unit] += 1
            want[name, where, UNITS[unit], seen[name, where, unit]] += range(first, first + FRAMES)
        logs.append(log(5000 + 100000 * i, categories, counters, rng.random() < 0.3))
    with open(suite.path("appended.raw"), "wb") as f:
        f.write(b"".join(logs))
    return suite.path("appended.raw"), dict(want)


def recorded(counters):
    """A capture (.ttc) with these (name, section, unit)."""
    c = Capture()
    keys = [c.counter(name, unit, section) for name, section, unit in counters]
    t = c.thread()
    want, seen = collections.defaultdict(list), collections.Counter()
    for at in range(FRAMES):
        t.frame((10 + 10 * at) * MS)
        for i, key in enumerate(keys):
            t.counter((11 + 10 * at) * MS, key, I64, 100 * i + at)
    t.frame((10 + 10 * FRAMES) * MS)
    for i, (name, section, unit) in enumerate(counters):
        seen[name, section, unit] += 1
        want[name, section, UNITS[unit], seen[name, section, unit]] += range(100 * i, 100 * i + FRAMES)
    return c.write(suite.path("recorded.ttc")), dict(want)


for seed in lot.some(range(60), 12, "logs"):
    check("seed %d" % seed, *appended(random.Random(seed)))
for counters in ([("Used", "Memory", 2), ("Used", "Memory", 2)], [("Used", "", 2), ("Used", "Memory", 2)], [("Used", "Memory", 2), ("Used", "Memory", 1)],
                 [("Used", "Memory", 2), ("Used", "Render", 2), ("Used", "Render", 1), ("Free", "Render", 1)]):
    check("recorded %s" % counters, *recorded(counters))
chosen(recorded([("Used", "Memory", 2), ("Used", "Render", 2), ("Used", "Render", 1), ("Free", "Render", 1), ("Peak", "Memory", 3)])[0])
# A name that looks like another counter's label: no two are called the same.
path, _ = recorded([("Used", "Memory", 2), ("Used", "Render", 2), ("Used [Memory]", "", 2), ("Used [Memory] (2)", "", 2)])
suite.equal("names that look like labels", {e["name"] for e in suite.chrome(path) if e["ph"] == "C"},
            {"Used [Render]"} | {"Used [Memory]" + n for n in ("", " (2)", " (3)")})
suite.run("convert", "-q", path, "-o", suite.path("out.pftrace"))
tracks = {m[1] for line in pftrace.load(suite.path("out.pftrace")).lines() for m in [re.match(r"\d+ count \(counter (.*?) in ", line)] if m}
suite.equal("... in Perfetto", len(tracks), 4)
wide, _ = suite.run("stats", path, "--table", "frame_counters", "--wide", "last", "--columns", "0", "--limit", "0", "--format", "csv")
suite.equal("... in columns", len(set(next(csv.reader(wide.splitlines()))[4:])), 4)


def statistics_log(start, kilobytes):
    """A log of 2019, whose statistics array has the memory in use: the first of its numbers."""
    c = Log(start)
    for k in range(FRAMES):
        ms = start + 1 + 10 * k
        numbers = [kilobytes + k] + [0] * 33 + [-1] + [0] * 281
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 1, ms + 8) + struct.pack("<HIi316i", 4, 0x1FFF, 316, *numbers) + sample(37, 0, ms + 9))
    c.block(SESSION, state(0, start + 1 + 10 * FRAMES))
    return c.b


# What the statistics array of one log has is the counter of another.
later = {40: ("Total Used Memory", "Memory", 2, 7000)}
logs = {"old": statistics_log, "new": lambda start, _: log(start, {"Memory": 105}, later, False)}
for order in (("old", "new"), ("new", "old"), ("old", "old"), ("old", "new", "old", "new")):
    path = suite.path("versions.raw")
    with open(path, "wb") as f:
        f.write(b"".join(logs[n](5000 + 100000 * i, 3) for i, n in enumerate(order)))
    rows = [(r["section"], r["unit"], r["count"], r["min"], r["max"]) for r in suite.rows("counters", path) if r["counter"].startswith("Total Used")]
    least, most = (3072 if "old" in order else 7000), (7000 + FRAMES - 1 if "new" in order else 1024 * (2 + FRAMES))
    suite.equal(" and ".join(order) + " log: memory", rows, [("Memory", "bytes", FRAMES * len(order), least, most)])
    suite.equal("... in Chrome JSON", collections.Counter(e["name"] for e in suite.chrome(path) if e["name"].startswith("Total Used")),
                {"Total Used Memory": FRAMES * len(order)})

# No figure of counters of several units.
path, _ = recorded([("Used", "Memory", 2), ("Used", "Memory", 1)])
out, err = suite.run("stats", path, "--metric", "counter[Used].max", "--buckets", "1")
suite.true("counters of several units have no common figure", "counters of several units match" in out + err, out + err)

suite.end()
