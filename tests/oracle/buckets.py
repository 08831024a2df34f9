#!/usr/bin/env python3
"""Metrics over time against tables: what --metric shows of a bucket is what the tables show of its time, or adds up to the whole.

    buckets.py TRACETOOL

- Of every column of every table that --metric does not refuse, in rows of captures of testdata: each bucket is the same figure as
  `--time A-B --table X` of the bucket, or all of them together are the table's figure of the capture. Columns that describe a whole
  capture are refused.
- The time that threads are busy is never negative, and adds up.
- The time of a marker without the zones in it is in the buckets in which its zones begin, summed here from the events as CSV.
- With --time the buckets are of that time: what begins before it counts as far as it lies in it, and frames are whole in it.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from cells import COLUMNS, UNHELD, called, names
import lot
from count import check, end
from suite import LONG, TESTDATA

TRACETOOL = sys.argv[1]
TABLES = [t for t in COLUMNS if t not in UNHELD]
# What --time does not change, by tracetool-tables(7).
WHOLE = ["threads/events", "threads/first_ns", "threads/last_ns", "threads/open_at_end", "threads/generation", "frames/partial",
         "metadata/loaded", "loss/count", "capture/events", "timeline/calls"]


def run(*args):
    return subprocess.run([TRACETOOL, "stats", "-q", "--limit", "0", "--format", "json", *args], capture_output=True, text=True, errors="replace")


def tables(*args):
    r = run(*args)
    if r.returncode not in (0, 3):
        raise RuntimeError("%s: %s" % (" ".join(args), r.stderr))
    return json.loads(r.stdout)["tables"]


def exactly(name):
    return "re:^%s$" % re.sub(r"([.(){}+^$|])", r"\\\1", name)


def seconds(row):
    return "%.9f-%.9f" % (row["from_ns"] / 1e9, row["to_ns"] / 1e9)


def series(buckets, metrics, *args):
    """The rows of each metric that is not refused, in order."""
    left = list(metrics)
    while True:
        r = run("--buckets", str(buckets), *[w for m in left for w in ("--metric", m)], *args)
        if r.returncode in (0, 3):
            break
        bad = re.search(r"(\w+/\w+) describes a whole capture", r.stderr)
        if not bad:
            raise RuntimeError(r.stderr)
        left = [m for m in left if m.split("[")[0] != bad.group(1)]
    by = {m: [] for m in left}
    for row in json.loads(r.stdout)["tables"]["timeline_metrics"]["rows"]:
        by.setdefault(row["metric"], []).append(row)
    return by


def own_times(path):
    """(marker, begin, own time) of each zone, from the events as CSV: what zones in it take is theirs."""
    r = subprocess.run([TRACETOOL, "convert", "-q", "-f", "csv", path], capture_output=True, text=True, errors="replace")
    rows, stacks = [], {}
    zones = [z for z in csv.DictReader(io.StringIO(r.stdout)) if z["kind"] == "zone"]
    for z in sorted(zones, key=lambda z: (z["process"], z["thread"], int(z["start_ns"]), int(z["depth"]))):
        ts, dur, stack = int(z["start_ns"]), int(z["dur_ns"]), stacks.setdefault((z["process"], z["thread"]), [])
        del stack[int(z["depth"]):]
        if stack:
            stack[-1][2] -= dur
        stack.append([z["name"], ts, dur])
        rows.append(stack[-1])
    return rows


def is_near(a, b):
    """As integers and two decimals show it; nothing is as good as 0."""
    return abs((a or 0) - (b or 0)) <= 0.011 + abs(b or 0) * 1e-9


def is_large(v):
    """No number, or one that no amount of a metric holds."""
    return isinstance(v, str) or (v is not None and abs(v) > 9e15)


def columns(capture, options, buckets, met):
    """One metric for each column of some rows of each table."""
    whole = tables("--table", ",".join(TABLES), capture, *options)
    ask = {}
    for table, t in whole.items():
        rows = t["rows"]
        chosen = [(r, n) for r, n in zip(rows, names(table, rows)) if n] if len(rows) > 1 else [(r, None) for r in rows]
        for r, name in chosen[:3]:
            for column, unit in COLUMNS[table]:
                if unit not in ("text", "hex") and not is_large(r[column]):
                    ask["%s/%s%s" % (table, column, "[%s]" % exactly(name) if name else "")] = (table, column, name, r[column])
    by = series(buckets, ask, capture, *options)
    parts = None
    for key, rows in by.items():
        if parts is None:
            parts = [tables("--time", seconds(r), "--table", ",".join(TABLES), capture, *options) for r in rows]
        table, column, name, total = ask[key]
        met.add("%s/%s" % (table, column))
        have, want = [r["value"] for r in rows], []
        for p in parts:
            found = p.get(table, {"rows": []})["rows"]
            found = [r for r in found if name is None or name in called(table, r)]
            want.append(found[0][column] if len(found) == 1 else None)
        if any(is_large(w) for w in want):
            continue
        check(all(is_near(h, w) for h, w in zip(have, want)) or is_near(sum(h or 0 for h in have), total),
              "%s: %s" % (os.path.basename(capture), key), "buckets", have, "tables", want, "whole", total)


def path_of(name):
    return os.path.join(TESTDATA, name)


met = set()
CAPTURES = [("mlpd/good-d01-gameloop-calls-alloc.mlpd", 3, ["--frame-marker", "World:Frame"]), ("mlpd/good-d02-gameloop-sample.mlpd", 3, []),
            ("mlpd/good-d04-exceptions.mlpd", 3, []), ("mlpd/good-d05-monitors.mlpd", 3, []), ("mlpd/good-d06-gcmoves-handles.mlpd", 3, []),
            ("mlpd/good-d07-heapshot.mlpd", 3, []), ("capture/good-v1.0-every-kind.ttc", 3, []), ("gate/good-base1.ttc.xz", 3, []),
            ("raw/good-2019-every.raw", 3, []), ("data/good-5.5.data", 3, []),
            ("mlpd/good-d01-gameloop-calls-alloc.mlpd", 7, ["--frame-marker", "World:Frame", "--no-wait"])]
for name, buckets, options in lot.some(CAPTURES, 2, "buckets"):
    columns(path_of(name), options, buckets, met)
loop = path_of("mlpd/good-d01-gameloop-calls-alloc.mlpd")
check(len(met) > (200 if LONG else 10), "columns that were compared", len(met))
check(not met & set(WHOLE), "columns of a whole capture have values in buckets", met & set(WHOLE))
for metric in WHOLE:
    r = run("--metric", metric, loop)
    check(r.returncode == 2 and "describes a whole capture" in r.stderr, metric, r.returncode, r.stderr)

# Threads: an outermost zone begins in one bucket, and the waits in it in others.
for name in ("mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d05-monitors.mlpd", "mlpd/good-d04-exceptions.mlpd"):
    rows = [(r, n) for r, n in zip(*(lambda t: (t, names("threads", t)))(tables("--table", "threads", path_of(name))["threads"]["rows"])) if n]
    metrics = {"thread.time[%s].total" % exactly(n): r["busy_ns"] for r, n in rows}
    for metric, got in series(17, metrics, path_of(name)).items():
        values = [r["value"] or 0 for r in got]
        check(sum(values) == metrics[metric] and all(0 <= r["value"] <= r["to_ns"] - r["from_ns"] for r in got),
              "%s: %s" % (name, metric), values, metrics[metric])

# A zone's own time is in the bucket in which it begins, whatever lies in it, and wrappers that are not shown are a part of it.
for name in ("mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d12-mono421-v11-calls.mlpd", "capture/good-v1.0-every-kind.ttc"):
    rows = own_times(path_of(name))
    # CSV has no pieces of exceptions in the frames that they leave: markers with such are left out.
    known = {r["marker"]: r["self_ns"] for r in tables("--table", "markers", path_of(name))["markers"]["rows"]}
    owned = collections.Counter()
    for m, _, own in rows:
        owned[m] += own
    some = sorted(m for m in owned if m.isprintable() and "(" not in m and known[m] == owned[m])[:60]
    check(len(some) > 30, name + ": markers whose own time is known", len(some))
    asked = {"marker.self[%s].total" % exactly(m): [(ts, own) for n, ts, own in rows if n == m] for m in some}
    for metric, got in series(9, asked, path_of(name)).items():
        want = [sum(own for ts, own in asked[metric] if r["from_ns"] <= ts < r["to_ns"]) for r in got]
        check([r["value"] or 0 for r in got] == want, "%s: %s" % (name, metric), [r["value"] for r in got], want)

# A part of the capture, in one bucket: the tables of that part.
frame = ["--frame-marker", "World:Frame", loop]
span = tables("--table", "frames,threads", *frame)
last = max(r["last_ns"] or 0 for r in span["threads"]["rows"])
for a, b in ((0.2, 0.5), (0.33, 0.34), (0.1, 0.9)):
    part = ["--time", "%.9f-%.9f" % (a * last / 1e9, b * last / 1e9), *frame]
    want = tables("--table", "frames,threads,markers", *part)
    wall = [r for r in want["frames"]["rows"] if r["what"] == "wall"]
    marker = max(want["markers"]["rows"], key=lambda r: r["total_ns"])
    metrics = {"frame.count.total": wall[0]["count"] if wall else 0, "frame.time.max": wall[0]["max_ns"] if wall else None,
               "marker.time[%s].total" % exactly(marker["marker"]): marker["total_ns"],
               "marker.self[%s].total" % exactly(marker["marker"]): marker["self_ns"],
               "marker.count[%s].total" % exactly(marker["marker"]): marker["count"]}
    for metric, got in series(1, metrics, *part).items():
        check([r["value"] for r in got] == [metrics[metric]], "%s of %g to %g of the capture" % (metric, a, b), got, metrics[metric])
    for metric, got in series(5, [m for m in metrics if m.startswith("marker")], *part).items():
        check(is_near(sum(r["value"] or 0 for r in got), metrics[metric]), "%s of %g to %g in five buckets" % (metric, a, b), got, metrics[metric])

# Of call paths that are joined nobody knows the thread: an unknown figure is empty, never 0.
for r in tables("--max-paths", "16", "--table", "threads", loop)["threads"]["rows"]:
    check([r[c] for c in ("busy_ns", "busy_share", "waiting_ns", "calls", "allocs", "alloc_bytes")] == [None] * 6, "threads with --max-paths", r)

end()
