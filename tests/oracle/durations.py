#!/usr/bin/env python3
"""Checks zones whose begin or end is not in the capture, by tracetool-metrics(7), against events as CSV.

    durations.py TRACETOOL

- --min-duration: what is allocated in a zone that is left out, the zone around it allocates, wherever the capture's buffers end.
- Durations of single activations leave out those that a loss, or the begin of --time, cuts: no mean is above the largest or below the smallest.
- That holds for any number of workers.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import csv
import io
import json
import lzma
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end
from suite import TESTDATA

TRACETOOL = sys.argv[1]
work = tempfile.TemporaryDirectory(prefix="tracetool-durations.")


def run(*args):
    r = subprocess.run([TRACETOOL, *args], capture_output=True, text=True, errors="replace")
    if r.returncode not in (0, 3):
        raise RuntimeError("%s: %s" % (" ".join(args), r.stderr))
    return r.stdout


def rows(table, *args):
    return json.loads(run("stats", "-q", "--limit", "0", "--format", "json", "--table", table, *args))["tables"][table]["rows"]


# --- allocations in zones that are left out ----------------------------------------------------------

def events(path):
    """Of each thread its zones (start, end, depth, name) in order of begin, and its allocations (time, bytes)."""
    zones, allocs = collections.defaultdict(list), collections.defaultdict(list)
    for r in csv.DictReader(io.StringIO(run("convert", "-q", "-f", "csv", "--wrappers", "--names", "full", "-o", "-", path))):
        if r["kind"] == "zone":
            zones[r["thread"]].append((int(r["start_ns"]), int(r["start_ns"]) + int(r["dur_ns"]), int(r["depth"]), r["name"]))
        elif r["kind"] == "alloc":
            allocs[r["thread"]].append((int(r["start_ns"]), int(r["value"])))
    return zones, allocs


def allocated(path, shortest):
    """Bytes allocated right in each zone that is long enough, by its path of such zones; where two zones meet, both are right."""
    zones, allocs = events(path)
    sums, unsure = collections.Counter(), 0
    for thread, list_ in allocs.items():
        mine, at, stack = sorted(zones[thread], key=lambda z: (z[0], z[2])), 0, []
        for time, size in sorted(list_):
            while at < len(mine) and mine[at][0] <= time:
                stack = [z for z in stack[:mine[at][2]]] + [mine[at]]
                at += 1
            unsure += any(time in z[:2] for z in stack)
            path_ = tuple(z[3] for z in stack if z[1] > time and z[1] - z[0] >= shortest)
            sums[path_] += size
    return sums, unsure


def tree(path, shortest):
    """The same of the table calltree, whose figures hold what is inside a path."""
    sums, stack = collections.Counter(), []
    for r in rows("calltree", "--threshold", "0", "--wrappers", "--names", "full", "--min-duration", "%dns" % shortest, path):
        stack = stack[:r["depth"]] + [r["marker"]]
        size = r["alloc_bytes"] or 0
        sums[tuple(stack[1:])] += size
        if len(stack) > 1:
            sums[tuple(stack[1:-1])] -= size
        check(r["depth"] == 0 or r["count"] > 0 or r["total_ns"] > 0, "%s: a path of zones that are left out" % os.path.basename(path), r)
    return collections.Counter({k: v for k, v in sums.items() if v})


path = os.path.join(TESTDATA, "mlpd/good-d01-gameloop-calls-alloc.mlpd")
for shortest in (1000, 10 ** 5, 2 * 10 ** 6, 10 ** 7, 10 ** 8):
    want, unsure = allocated(path, shortest)
    have = tree(path, shortest)
    check(sum(have.values()) == sum(want.values()), "--min-duration %d ns: bytes of all" % shortest, sum(have.values()), sum(want.values()))
    off = {k: (have[k], want[k]) for k in set(have) | set(want) if have[k] != want[k]}
    check(not off or unsure, "--min-duration %d ns: bytes by path" % shortest, list(off.items())[:5])

# --- durations -----------------------------------------------------------------------------------------

def ordered(what, *args):
    met = 0
    for r in rows("markers", *args):
        if r["mean_ns"] is None:
            check(r["max_ns"] is None and r["min_ns"] is None, "%s: %s" % (what, r["marker"]), r)
            continue
        met += 1
        check(r["min_ns"] <= r["mean_ns"] <= r["max_ns"], "%s: %s" % (what, r["marker"]), r["min_ns"], r["mean_ns"], r["max_ns"])
    return met


def damaged(path, share, name):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f:
        b = bytearray(f.read())
    at = int(len(b) * share)
    b[at:at + 40] = b"\xee" * 40
    to = os.path.join(work.name, name)
    with open(to, "wb") as f:
        f.write(b)
    return to


for source in ("mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d04-exceptions.mlpd", "gate/good-base1.ttc.xz",
               "capture/good-rotated.ttc.xz"):
    path = os.path.join(TESTDATA, source)
    check(ordered(source, path) > 0, "%s: markers with durations" % source)
    met = 0
    for k, share in enumerate((0.3, 0.5, 0.7)):
        met += ordered("%s damaged at %g" % (source, share), damaged(path, share, "%d%s" % (k, os.path.basename(source).replace(".xz", ""))))
    busiest = max(rows("threads", path), key=lambda r: r["calls"] or 0)
    first, whole = busiest["first_ns"], busiest["last_ns"] - busiest["first_ns"]
    for a, b in ((0.3, 0.6), (0.5, 0.51), (0.9, 1.1)):
        met += ordered("%s from %g to %g" % (source, a, b), "--time", "%.9f-%.9f" % ((first + a * whole) / 1e9, (first + b * whole) / 1e9), path)
    check(met > 0, "%s: markers with durations where it is cut" % source)

# Which worker read what changes nothing.
path = os.path.join(TESTDATA, "capture", "good-v1.0-every-kind.ttc")
part = ("--time", "24686.771681283-49373.491004157", path)
one = rows("markers", "-j", "1", *part)
for i in range(30):
    check(rows("markers", *part) == one, "as many workers as there are, the %dth time" % i)

# The second file of a rotation is missing: zones that are open in all three are cut.
parts = []
for name in ("good-rotated.ttc", "good-rotated.2.ttc"):
    parts.append(os.path.join(work.name, name))
    with lzma.open(os.path.join(TESTDATA, "capture", name + ".xz")) as f, open(parts[-1], "wb") as to:
        to.write(f.read())
ordered("a rotation with a gap", *parts)

end()
