#!/usr/bin/env python3
"""
Random recordings with zones that span frames, nest in each other, recur, never end, or end without a begin, over the ends of chunks and missing
blocks: the table spanning_zones, the ledger, and outputs with single zones, which flag those without an end of their own as tracetool-formats(7)
says. What is expected is computed by the rule of tracetool-metrics(7), Calls: see spanning_gen.py.
"""
import collections
import csv
import json
import os
import random
import sqlite3
import sys

from spanning_gen import FRAME, NAMES, START, TEXTS, make, write_raw, write_ttc
from ttc import Suite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import lot  # noqa: E402
import pftrace  # noqa: E402

suite = Suite()
SHOWN = NAMES[FRAME:] + TEXTS


def in_csv(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f, strict=True))
    names = {r["thread"]: r["detail"] for r in rows if r["kind"] == "thread" and r["name"] == "name"}
    for r in rows:
        if r["kind"] == "zone" and r["name"] in SHOWN:
            yield r["name"], names[r["thread"]], int(r["start_ns"]), int(r["dur_ns"]), json.loads(r["args"] or "{}")


def in_chrome(path):
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    names = {e["tid"]: e["args"]["name"].partition(" (")[0] for e in events if e["name"] == "thread_name"}
    opened, ns = collections.defaultdict(list), lambda us: round(us * 1000)
    for e in events:
        if e.get("name") not in SHOWN:
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
        if name in SHOWN:
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
        args = {w.partition("=")[0]: json.loads(w.partition("=")[2]) for w in rest.split() if w.startswith(("cut=", "size=", "arg0="))}
        if kind == "begin":
            opened[track].append((rest.split("'")[1], on, int(at), args))
        elif opened[track]:
            name, on, ts, have = opened[track].pop()
            if name in SHOWN:
                yield name, on, ts, int(at) - ts, {**have, **args}


def outputs(what, path, zones, status):
    want = collections.Counter((z.name, z.thread, z.begin * 1000, z.size, z.cut, None if z.dur is None else z.dur * 1000) for z in zones)
    open_at = {z[:4] for z in want if z[5] is None}
    for suffix, read, options in (("csv", in_csv, ()), ("json", in_chrome, ()), ("pairs.json", in_chrome, ("--begin-end",)),
                                  ("sqlite", in_sqlite, ()), ("pftrace", in_perfetto, ())):
        out = suite.path("out." + suffix)
        suite.run("convert", "-q", "--force", *options, path, "-o", out, status=status)
        have = list(read(out))
        zero, rows = min(z[2] for z in have) - min(z[2] for z in want), collections.Counter()
        for name, on, ts, dur, args in have:
            if suffix == "json":      # it moves zones of length 0 by some ns, so that they nest; the recording has whole us
                ts, dur = round(ts, -3), round(dur, -3)
            if "cut" in args and list(args)[-1] != "cut":
                rows["cut is not the last argument", str(args)] += 1
            row = name, on, ts - zero, next((v for k, v in args.items() if k != "cut"), None)
            rows[row + (args.get("cut", False), None if row in open_at else dur)] += 1
        suite.equal("%s, %s" % (what, suffix), (sorted((rows - want).items(), key=str)[:3], sorted((want - rows).items(), key=str)[:3]), ([], []))


def tables(what, path, threads, status):
    """Beside the table, the ledger; also with several workers."""
    ns = lambda us: None if us is None else us * 1000
    want = collections.Counter((*r[:4], ns(r.begin - START), r.end and ns(r.end - START), ns(r.total)) for t in threads for r in t.rows)
    for jobs in ("1", "3"):
        got = suite.report("stats", path, "-j", jobs, "--force", "--table", "spanning_zones,loss", "--limit", "0", status=status)["tables"]
        rows = got["spanning_zones"]["rows"]
        zero = min((r["begin_ns"] for r in rows), default=0) - min((w[4] for w in want), default=0)
        have = collections.Counter((r["marker"], r["thread"], r["count"], r["ended"], r["begin_ns"] - zero, r["end_ns"] and r["end_ns"] - zero, r["total_ns"])
                                   for r in rows)
        suite.equal("%s, -j %s: the table" % (what, jobs), (sorted((have - want).items(), key=str)[:3], sorted((want - have).items(), key=str)[:3]), ([], []))
        have = {r["kind"]: r["count"] for r in got["loss"]["rows"] if r["kind"] in ("spanning", "popped", "unmatched")}
        suite.equal("%s, -j %s: the ledger" % (what, jobs), have, +sum((t.losses for t in threads), collections.Counter()))


written = [0, *lot.some(range(1, 6), 1, "spanning")]
for seed in range(40):
    rng = random.Random(seed)
    missing = seed % 5 == 4
    threads, nframes = make(rng, 6000 if seed == 0 else 0, missing)
    zones, status = [z for t in threads for z in t.zones], 3 if any(d[0] == "missing" for t in threads for d in t.did) else 0
    paths = [("raw", write_raw(suite.path("log.raw"), threads, nframes))] + ([] if status else [("ttc", write_ttc(suite.path("log.ttc"), threads, nframes))])
    for form, file in paths:
        tables("recording %d, .%s" % (seed, form), file, threads, status)
        if seed in written:
            outputs("recording %d, .%s" % (seed, form), file, zones, status)
suite.end()
