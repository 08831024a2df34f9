#!/usr/bin/env python3
"""
Outputs with single zones flag those that have no end of their own, as tracetool-formats(7) says: ``cut`` among the arguments, last. Random logs
of Unity's; which zones these are is computed here from the rule of tracetool-metrics(7), Calls.
"""
import collections
import csv
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys

from raw_log import MAIN, MS, SESSION, Log, marker, sample, state, thread
from ttc import Suite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import count  # noqa: E402
import pftrace  # noqa: E402

suite = Suite()
NAMES = ("Main Thread", "Frame", "A", "B", "C", "Sized")
FRAME, SIZED, WORKER, OTHER = 1, 5, 200, 201


class Thread:
    """Messages of a thread, and the zones that they make: [name, thread, begin in us, duration in us, cut, size]."""

    def __init__(self, name):
        self.name, self.stack, self.zones, self.b = name, [], [], b""

    def begin(self, number, us, size=None):
        if size is None:
            self.b += struct.pack("<HBIQ", 36, 0, number, us * 1000)
        else:
            self.b += struct.pack("<HBIQBBq", 42, 0, number, us * 1000, 1, 4, size)
        self.stack.append((number, us, size))

    def close(self, us, cut):
        number, since, size = self.stack.pop()
        self.zones.append((NAMES[number], self.name, since, us - since, cut, size))

    def end(self, number, us):
        self.b += struct.pack("<HBIQ", 37, 0, number, us * 1000)
        if any(z[0] == number for z in self.stack):
            while self.stack[-1][0] != number:
                self.close(us, True)
            self.close(us, False)

    def take(self):
        b, self.b = self.b, b""
        return b


def noise(r, t, us, until):
    """Begins, ends that are in place, and ends that come late or never; returns when it was over."""
    while us + 40 < until:
        us += r.randint(1, 40)
        if r.random() < 0.5 and len(t.stack) < 30:
            number = r.choice((2, 2, 3, 4, SIZED))
            t.begin(number, us, r.randint(-5, 10 ** 6) if number == SIZED else None)
        elif len(t.stack) > 1 and t.stack[-1][0] != FRAME and r.random() < 0.7:
            t.end(t.stack[-1][0], us)
        else:
            t.end(r.choice((2, 3, 4, SIZED)), us)
    return us


def random_log(r, path, filler):
    """A log of some frames and two workers; ${filler}: how many zones the workers have between, so that chunks end inside open zones."""
    log = Log(10, NAMES)
    log.block(SESSION, thread(WORKER, 5, "Loader", 1) + thread(OTHER, 5, "Other", 1) + marker(SIZED, "Sized", [(4, "size")]))
    main, workers = Thread("Main Thread"), [(WORKER, Thread("Loader")), (OTHER, Thread("Other"))]
    nframes = r.randint(2, 5)
    for k in range(nframes):
        us = 10000 + 10000 * k
        main.begin(FRAME, us + 1)
        noise(r, main, us + 1, us + 1000)
        main.end(FRAME, us + 1000)
        log.frame(us / 1000, sample(36, 0, us / 1000) + main.take() + sample(37, 0, us / 1000 + 2))
        for number, t in workers:
            t.begin(FRAME, us + 10)
            noise(r, t, us + 10, us + 500)
            log.block(number, t.take())
            for i in range(filler):
                t.begin(4, us + 501 + i)
                t.end(4, us + 501 + i)
                if i % 1000 == 999:
                    log.block(number, t.take())
            noise(r, t, us + 501 + filler, us + 9000)
            if r.random() < 0.7:
                t.end(FRAME, us + 9500)
            log.block(number, t.take())
    log.frame(10 + 10 * nframes, sample(36, 0, 10 + 10 * nframes) + sample(37, 0, 11 + 10 * nframes))
    over = 10000 + 10000 * nframes + 9000
    log.block(SESSION, state(0, over / 1000 + 1))
    for _, t in workers + [(MAIN, main)]:
        last = max([z[2] + z[3] for z in t.zones] + [z[1] for z in t.stack])
        while t.stack:
            t.close(last, None)       # it is open at the end: where it is closed says the thread's last event
    log.write(path)
    return [z for t in [main] + [t for _, t in workers] for z in t.zones]


def in_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f, strict=True))
    names = {r["thread"]: r["detail"] for r in rows if r["kind"] == "thread" and r["name"] == "name"}
    for r in rows:
        if r["kind"] == "zone" and r["name"] in NAMES[1:]:
            yield r["name"], names[r["thread"]], int(r["start_ns"]), int(r["dur_ns"]), json.loads(r["args"] or "{}")


def in_chrome(path):
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    names = {e["tid"]: e["args"]["name"].partition(" (")[0] for e in events if e["name"] == "thread_name"}
    opened, ns = collections.defaultdict(list), lambda us: round(us * 1000)
    for e in events:
        if e.get("name") not in NAMES[1:]:
            continue
        if e["ph"] == "X":
            yield e["name"], names[e["tid"]], ns(e["ts"]), ns(e["dur"]), e.get("args", {})
        elif e["ph"] == "B":
            opened[e["tid"]].append(e)
        elif e["ph"] == "E":
            b = opened[e["tid"]].pop()
            yield e["name"], names[e["tid"]], ns(b["ts"]), ns(e["ts"]) - ns(b["ts"]), b.get("args", {})


def in_sqlite(path):
    db = sqlite3.connect(path)
    for name, on, ts, dur, args in db.execute("select m.name, t.name, s.start_ns, s.dur_ns, a.args from slice s join marker m on m.id = s.marker "
                                              "join thread t on t.id = s.thread left join slice_arg a on a.slice = s.id"):
        if name in NAMES[1:]:
            yield name, on, ts, dur, json.loads(args or "{}")
    db.close()


def in_perfetto(path):
    """Begins and ends of a track in the file's order nest; annotations of either are the slice's."""
    opened = collections.defaultdict(list)
    for line in pftrace.load(path).lines():
        at, kind, rest = (line.split(" ", 2) + ["", ""])[:3]
        if kind not in ("begin", "end"):
            continue
        track, _, rest = rest[1:].partition(")")
        on = track.partition(" of ")[0].split(" ", 2)[2].partition(" (")[0] if track.startswith("thread ") else track
        args = {w.partition("=")[0]: json.loads(w.partition("=")[2]) for w in rest.split() if w.startswith(("cut=", "size="))}
        if kind == "begin":
            opened[track].append((rest.split("'")[1], on, int(at), args))
        elif opened[track]:
            name, on, ts, have = opened[track].pop()
            if name in NAMES[1:]:
                yield name, on, ts, int(at) - ts, {**have, **args}


def look(what, path, zones):
    want = collections.Counter((name, on, us * 1000 - 10 * MS, size, cut is not False, dur * 1000 if cut is not None else None)
                               for name, on, us, dur, cut, size in zones)
    for suffix, read, options in (("csv", in_csv, ()), ("json", in_chrome, ()), ("pairs.json", in_chrome, ("--begin-end",)),
                                  ("sqlite", in_sqlite, ()), ("pftrace", in_perfetto, ())):
        out = suite.path("out." + suffix)
        suite.run("convert", "-q", "--force", *options, path, "-o", out)
        have = list(read(out))
        zero = min(z[2] for z in have) - min(z[2] for z in want)
        # Zones open at the end last as long as anything of their thread does.
        open_at = {z[:4] for z in want if z[5] is None}
        rows = []
        for name, on, ts, dur, args in have:
            if suffix == "json":      # it moves zones of length 0 by some ns, so that they nest; the log has whole us
                ts, dur = round(ts, -3), round(dur, -3)
            row = name, on, ts - zero, args.get("size")
            rows.append(row + (args.get("cut", False), None if row in open_at else dur))
            if "cut" in args and (list(args)[-1] != "cut" or set(args) > {"size", "cut"}):
                rows.append(args)
        rows = collections.Counter(rows)
        suite.equal("%s, %s" % (what, suffix), (sorted((rows - want).items(), key=str)[:3], sorted((want - rows).items(), key=str)[:3]), ([], []))


for seed in range(6):
    rng = random.Random(seed)
    file = suite.path("log.raw")
    look("log %d" % seed, file, random_log(rng, file, 6000 if seed == 0 else 0))
suite.end()
