#!/usr/bin/env python3
"""compare_frames.py TRACETOOL: two frames side by side against each of them alone.

What --compare-frames A,B has of a frame is what call tree, threads, allocation sites, counters and gcalloc have with --frames set to it, and
its differences are theirs: for frames of captures of every format, with filters. The median frame is the one that sorting finds.
"""
import json
import os
import random
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end, same
from suite import TESTDATA

TRACETOOL = os.path.realpath(sys.argv[1])
NAMES = "compared_frames,compared_calltree,compared_threads,compared_allocs,compared_counters"


def tables(capture, names, *options):
    r = subprocess.run([TRACETOOL, "stats", capture, "--table", names, "--threshold", "0", "--format", "json", "--limit", "0"] + list(options),
                       capture_output=True, text=True, errors="surrogateescape")
    if r.returncode not in (0, 3):
        raise RuntimeError("%s %s: %d: %s" % (capture, " ".join(options), r.returncode, r.stderr))
    return {name: t["rows"] for name, t in json.loads(r.stdout)["tables"].items()}


def tree(rows, columns):
    """{path: figures}; paths of equal names are added up, and those that do nothing are left out."""
    found, path = {}, []
    for r in rows:
        path[r["depth"]:] = [r["marker"]]
        values = [r[c] or 0 for c in columns]
        old = found.get(tuple(path), [0] * len(values))
        found[tuple(path)] = [a + b for a, b in zip(old, values)]
    return {k: v for k, v in found.items() if any(v)}


def sums(rows, key, columns):
    found = {}
    for r in rows:
        old = found.get(r[key], [0] * len(columns))
        found[r[key]] = [a + (r[c] or 0) for a, c in zip(old, columns)]
    return {k: v for k, v in found.items() if any(v)}


def one_side(what, side, both, alone):
    def of(*columns):
        return ["%s_%s" % (side, c) for c in columns]
    same(what + ": call tree", tree(both["compared_calltree"], of("total_ns", "self_ns", "count", "alloc_bytes")),
         tree(alone["calltree"], ("total_ns", "self_ns", "count", "alloc_bytes")))
    same(what + ": threads", sums(both["compared_threads"], "number", of("busy_ns", "waiting_ns")),
         sums(alone["threads"], "number", ("busy_ns", "waiting_ns")))
    same(what + ": allocations", sums(both["compared_allocs"], "site", of("bytes", "allocs")),
         sums(alone["alloc_sites"], "marker", ("bytes", "count")))
    last = side + "_last"
    same(what + ": counters", sorted((r["counter"], r["section"] or "", r["unit"], str(r[last])) for r in both["compared_counters"] if r[last] is not None),
         sorted((r["counter"], r["section"] or "", r["unit"], str(r["last"])) for r in alone["counters"] if r["unit"]))


def differences(what, both):
    for name, columns in (("calltree", ("total_ns", "self_ns", "count")), ("threads", ("busy_ns", "waiting_ns")), ("allocs", ("bytes", "allocs"))):
        wrong = [r for r in both["compared_" + name] for c in columns
                 if r["a_" + c] is not None and r["b_" + c] - r["a_" + c] != r["more_" + c]]
        check(not wrong, "%s: differences of %s" % (what, name), wrong[:3])


def one_capture(capture, options, filters):
    what = " ".join([os.path.basename(capture)] + filters)
    frames = {r["frame"]: r for r in tables(capture, "frame_gc", *options, *filters)["frame_gc"]}
    a, b = random.Random(what).choices(sorted(frames), k=2)
    both = tables(capture, NAMES, "--compare-frames", "%d,%d" % (a, b), *options, *filters)
    differences(what, both)
    for side, number in (("a", a), ("b", b)):
        alone = tables(capture, "calltree,threads,alloc_sites,counters", "--frames", "%d-%d" % (number, number), *options, *filters)
        one_side("%s, frame %d" % (what, number), side, both, alone)
    shown = {r["frame"]: r for r in both["compared_frames"]}
    near = {n for n in frames if abs(n - b) <= 2} | {a}
    same(what + ": frames A, B and those beside B", sorted(shown), sorted(near))
    for column in ("start_ns", "dur_ns", "allocs", "alloc_bytes", "collections", "gc_pause_ns"):
        if "--thread" not in filters and "--marker" not in filters:
            same("%s: %s" % (what, column), {n: shown[n][column] for n in near}, {n: frames[n][column] for n in near})
    # The median of a list is in its middle, or before it.
    times = sorted(r["dur_ns"] for r in frames.values())
    median = min(n for n, r in frames.items() if r["dur_ns"] == times[(len(times) - 1) // 2])
    if os.path.basename(capture) in PLAIN:
        got = tables(capture, "compared_frames", "--compare-frames", "median,%d" % b, *options, *filters)["compared_frames"]
        check([r["frame"] for r in got if "median" in (r["is"] or "") or (r["is"] == "A, B" and r["frame"] == median)] == [median],
              what + ": the median frame", median, got)
        got = tables(capture, "compared_frames", *options, *filters)["compared_frames"]
        longest = min(n for n, r in frames.items() if r["dur_ns"] == times[-1])
        check([r["frame"] for r in got if "B" in (r["is"] or "")] == [longest], what + ": B is the longest", longest, got)


CAPTURES = [("raw/good-2019-every.raw", []), ("raw/good-2022-aligned.raw", []), ("data/good-2022-odd.data", []),
            ("capture/good-v1.0-every-kind.ttc", []), ("demo/good-hitches.ttc.xz", []), ("gate/good-alloc1.ttc.xz", []),
            ("mlpd/good-d01-gameloop-calls-alloc.mlpd", ["--frame-marker", "World:Frame"]),
            ("mlpd/good-d04-exceptions.mlpd", ["--frame-marker", "P:Wrap"])]
# Whose frames are not capped: their typical frame is the median of wall time.
PLAIN = ("good-alloc1.ttc.xz", "good-d01-gameloop-calls-alloc.mlpd", "good-d04-exceptions.mlpd")
FILTERS = ([], ["--thread", "1"], ["--marker", "*a*"], ["--min-duration", "10us"], ["--no-wait"], ["--wrappers"])
for name, options in CAPTURES:
    for filters in FILTERS:
        one_capture(os.path.join(TESTDATA, name), options, list(filters))
end()
