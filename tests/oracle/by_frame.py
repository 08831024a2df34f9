#!/usr/bin/env python3
"""by_frame.py TRACETOOL HOST: the tables of single frames against all others, and against the slow readers of captures.

What frame_markers, frame_threads, frame_counters and frame_gc have of frame N is what markers, alloc_sites, threads, counters and
gcalloc have with --frames N: for frames of captures of testdata of every format, with filters, one worker and more. Frames that follow
each other come to the sums of their time. HOST is the stand-in for the engine: of a .ttc that it records, a .raw and a .data, markers and
allocations of each frame are those that the slow readers find.
"""
import collections
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import data_reader
import raw_reader
import ttc_reader

sys.path[:0] = ["tests/unity", "tests/kit"]
import lot
from count import check, end, same
from generated import generate
from suite import TESTDATA

TRACETOOL, HOST = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
FRAMES = 3                      # of each capture, by chance, beside the first and the last


def run(*args):
    r = subprocess.run([TRACETOOL] + list(args), capture_output=True, text=True, errors="surrogateescape")
    return r.returncode, r.stdout, r.stderr


def tables(capture, names, *options):
    code, out, told = run("stats", capture, "--table", names, "--format", "json", "--limit", "0", *options)
    if code not in (0, 3):
        raise RuntimeError("%s %s: %d: %s" % (capture, " ".join(options), code, told))
    return {name: t["rows"] for name, t in json.loads(out)["tables"].items()}


def by(rows, *key):
    """Rows by these columns; their numbers are added up."""
    found = {}
    for r in rows:
        k = tuple(r[c] for c in key)
        to = found.setdefault(k, {})
        for c, v in r.items():
            if c not in key and isinstance(v, (int, float)):
                to[c] = to.get(c, 0) + v
    return found


def some(rows, columns):
    """Of rows by key these columns, where they are not all 0."""
    return {k: tuple(r.get(c, 0) for c in columns) for k, r in rows.items() if any(r.get(c, 0) for c in columns)}


def one_frame(what, number, rows, alone):
    """What the tables of single frames have of ${number}, and what the others have with --frames."""
    marker = ("self_ns", "total_ns", "count")
    same("%s: markers" % what, some(by(rows["frame_markers"], "marker"), marker), some(by(alone["markers"], "marker"), marker))
    sites = by(alone["alloc_sites"], "marker")
    same("%s: allocations of markers" % what, some(by(rows["frame_markers"], "marker"), ("allocs", "alloc_bytes")),
         some(sites, ("count", "bytes")))
    thread = ("busy_ns", "waiting_ns")
    same("%s: threads" % what, some(by(rows["frame_threads"], "number"), thread), some(by(alone["threads"], "number"), thread))
    have = {(r["counter"], r["section"]): (r["unit"], r["last"], r["min"], r["max"], r["count"]) for r in rows["frame_counters"]}
    want = {(r["counter"], r["section"]): (r["unit"], r["last"], r["min"], r["max"], r["count"]) for r in alone["counters"] if r["unit"]}
    same("%s: counters" % what, have, want)
    gc, all_gc = rows["frame_gc"][0], alone["gcalloc"][0] if alone["gcalloc"] else {}
    for column, of in (("allocs", "count"), ("alloc_bytes", "bytes"), ("collections", "collections"), ("collection_ns", "collection_ns")):
        check((gc[column] or 0) == (all_gc.get(of) or 0), "%s: %s" % (what, column), gc[column], all_gc.get(of))
    check(gc["allocs"] is None or gc["allocs"] == sum(r["allocs"] for r in rows["frame_threads"]), "%s: allocations of threads" % what)


NAMES = ("frame_markers", "frame_threads", "frame_counters", "frame_gc")


def per_frame(what, rows, frames, t):
    """Time per frame of markers and categories is that of the frame thread's rows, or empty where a filter leaves zones out."""
    main = {r["thread"] for r in t["hitches"]}
    rows = [r for r in rows if r["thread"] in main]
    category = {r["marker"]: r["category"] for r in t["markers"]}
    total, self = collections.Counter(), collections.Counter()
    for r in rows:
        total[r["marker"]] += r["total_ns"]
        self[category.get(r["marker"])] += r["self_ns"]
    for name, column, sums in (("marker", "frame_mean_ns", total), ("category", "frame_self_mean_ns", self)):
        got = {r[name]: r.get(column) for r in t["markers" if name == "marker" else "categories"]}
        told = any(v is not None for v in got.values())
        check(told == ("--no-wait" not in what and "--min-duration" not in what and "--depth" not in what) or not got, "%s: %s is told" % (what, column), got)
        # The category of a row that --marker hides is not known here.
        hides = name == "category" and "--marker" in what
        wrong = {k: (v, sums[k] / frames) for k, v in got.items() if told and not hides and abs((v or 0) - sums[k] / frames) > 1}
        check(not wrong, "%s: %s is a mean of frame_markers" % (what, column), wrong)


def allocations(what, rows, t):
    """What is allocated in frames is the same everywhere, and part of what is allocated at all."""
    of = {r["frame"]: (r["allocs"], r["alloc_bytes"]) for r in rows}
    hitches = {r["frame"]: (r["allocs"], r["alloc_bytes"]) for r in t["hitches"]}
    same("%s: allocations of the worst frames" % what, hitches, {k: of[k] for k in hitches})
    for r in t["gcalloc"]:
        if r["frame_max_bytes"] is not None and None not in [v[1] for v in of.values()]:
            check(r["frame_max_bytes"] == max(v[1] for v in of.values()) <= r["bytes"], "%s: allocations of frames" % what, r)


def one_capture(capture, options, filters):
    what = " ".join([os.path.basename(capture)] + options + filters)
    # No row is held back, and -j changes nothing.
    all_rows = tables(capture, ",".join(NAMES), *options, *filters)
    if not all_rows["frame_gc"]:
        return 0
    check(all_rows == tables(capture, ",".join(NAMES), *options, *filters, "-j", "3"), "%s: as many workers as there are" % what)
    of = {name: {} for name in NAMES}
    for name in NAMES:
        for r in all_rows[name]:
            of[name].setdefault(r["frame"], []).append(r)
    numbers = [r["frame"] for r in all_rows["frame_gc"]]
    check(numbers == sorted(set(numbers)), "%s: frames in order" % what, numbers)
    for name in NAMES:
        got = [r["frame"] for r in all_rows[name]]
        check(got == sorted(got) and set(got) <= set(numbers), "%s: %s in order of frames" % (what, name), got[:50])
    for number, rows in of["frame_markers"].items():
        order = [(r["number"] or 1 << 40, -r["self_ns"]) for r in rows]
        check(order == sorted(order), "%s: frame %d: by thread, then by self time" % (what, number), order)
        keys = [(r["number"], r["marker"]) for r in rows]
        check(len(keys) == len(set(keys)), "%s: frame %d: a row for each" % (what, number))
    pick = {numbers[0], numbers[-1]} | set(random.Random(what).sample(numbers, min(FRAMES, len(numbers))))
    for number in sorted(pick):
        alone = tables(capture, "markers,alloc_sites,threads,counters,gcalloc", *options, *filters, "--frames", "%d" % number)
        one_frame("%s, frame %d" % (what, number), number, {name: of[name].get(number, []) for name in NAMES}, alone)
    alone = tables(capture, "frames,hitches,markers,categories,gcalloc", *options, *filters)
    allocations(what, all_rows["frame_gc"], alone)
    per_frame(what, all_rows["frame_markers"], len(numbers), alone)
    if not filters:
        same("%s: no figure depends on what else is read" % what, alone,
             tables(capture, "frames,hitches,markers,categories,gcalloc", *options, "--thread", "*"))
    # Frames that follow each other: their sums are those of the whole of that time.
    first = last = numbers[0]
    for n in numbers[1:]:
        if n != last + 1:
            break
        last = n
    alone = tables(capture, "markers,threads", *options, *filters, "--frames", "%d-%d" % (first, last))
    inside = [r for r in all_rows["frame_markers"] if first <= r["frame"] <= last]
    marker = ("self_ns", "total_ns", "count")
    same("%s: all frames: markers" % what, some(by(inside, "marker"), marker), some(by(alone["markers"], "marker"), marker))
    inside = [r for r in all_rows["frame_threads"] if first <= r["frame"] <= last]
    thread = ("busy_ns", "waiting_ns")
    same("%s: all frames: threads" % what, some(by(inside, "number"), thread), some(by(alone["threads"], "number"), thread))
    return len(numbers)


def captures():
    yield from ((c, []) for c in sorted(glob.glob(os.path.join(TESTDATA, "raw", "good-*.raw"))))
    yield from ((c, []) for c in sorted(glob.glob(os.path.join(TESTDATA, "data", "good-*.data"))))
    for c in ("raw/bad-cut.raw", "raw/bad-gap.raw", "raw/bad-unknown-message.raw", "data/bad-cut.data", "capture/good-v1.0-every-kind.ttc",
              "capture/good-rotated.ttc.xz", "demo/good-hitches.ttc.xz", "gate/good-base1.ttc.xz", "gate/good-alloc1.ttc.xz"):
        yield os.path.join(TESTDATA, c), []
    for c, marker in (("d01-gameloop-calls-alloc", "World:Frame"), ("d08-recursion-calls", "*"), ("d04-exceptions", "P:Wrap"),
                      ("d12-mono421-v11-calls", "P:Boom")):
        yield os.path.join(TESTDATA, "mlpd", "good-%s.mlpd" % c), ["--frame-marker", marker]


FILTERS = (["--min-duration", "10us"], ["--depth", "3"], ["--no-wait"], ["--wrappers"], ["--thread", "1"], ["--marker", "*a*"])
FILTERED = ("good-2019-every.raw", "good-2022-odd.data", "good-v1.0-every-kind.ttc", "good-hitches.ttc.xz", "good-d01-gameloop-calls-alloc.mlpd",
            "good-d04-exceptions.mlpd", "good-d08-recursion-calls.mlpd")


# --- the slow readers ---------------------------------------------------------------------------


def spans(frames, begin, to):
    """(place of the frame, how much of [begin, to) lies in it) of those that it touches; frames are the times of their begins."""
    for i in range(len(frames) - 1):
        if frames[i] < max(to, begin + 1) and frames[i + 1] > begin:
            yield i, max(0, min(to, frames[i + 1]) - max(begin, frames[i]))


def sums_of(frames, threads):
    """(frame, marker): self time, time of the outermost, activations. A thread is its zones: (begin, duration, depth, name)."""
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for zones in threads:
        around = []
        for begin, took, depth, name in sorted(zones, key=lambda z: (z[0], z[2])):
            del around[depth:]
            for i, ns in spans(frames, begin, begin + took):
                sums[i + 1, name][0] += ns
                if name not in around:
                    sums[i + 1, name][1] += ns
                if around:
                    sums[i + 1, around[-1]][0] -= ns
                sums[i + 1, name][2] += begin >= frames[i]
            around.append(name)
    return {k: tuple(v) for k, v in sums.items() if any(v)}


def slow(what, path, frames, threads, allocs):
    """Compare what tracetool has of ${path} with zones of threads and with allocations: (time, bytes)."""
    rows = tables(path, "frame_markers,frame_gc", "--force", "--wrappers")
    frames = sorted(set(frames))
    names = {r["marker"] for r in rows["frame_markers"]}
    same("%s: frames" % what, [r["start_ns"] for r in rows["frame_gc"]], frames[:-1])
    want = sums_of(frames, [[(*z[:3], z[3]) for z in t] for t in threads])
    same("%s: markers by frame" % what, some(by(rows["frame_markers"], "frame", "marker"), ("self_ns", "total_ns", "count")), want)
    check(len(names) > 5, "%s: markers were met" % what, names)
    found = collections.defaultdict(lambda: [0, 0])
    for ts, size in allocs:
        for i, _ in spans(frames, ts, ts):
            found[i + 1][0] += 1
            found[i + 1][1] += size
    same("%s: allocations by frame" % what, {r["frame"]: [r["allocs"], r["alloc_bytes"]] for r in rows["frame_gc"] if r["allocs"]}, dict(found))


def unity(folder, form, *options):
    path = generate(form, os.path.join(folder, "x." + form), *options)
    c = (raw_reader if form == "raw" else data_reader).Capture(path)
    slow("a .%s" % form, path, [ts for t in c.threads for ts in t.frames], [[z[:4] for z in t.zones] for t in c.threads],
         [e[:2] for t in c.threads for e in getattr(t, "allocs", ())])


def recorded(folder):
    path = play(os.path.join(folder, "game.ttc"), "seed=7", "threads=4", "frames=15", "events=8000")
    c = ttc_reader.Capture(path)
    threads, frames, allocs = [], [], []
    for t in c.threads.values():
        stack, zones, last = [], [], None
        for e in c.events(t):
            last = e[0]
            if e[1] == "begin":
                stack.append((last, len(stack), c.name(e[2])))
            elif e[1] in ("end", "end below"):
                for _ in range(min(e[2] + 1 if len(e) > 2 else 1, len(stack))):
                    begin, depth, name = stack.pop()
                    zones.append((begin, last - begin, depth, name))
            elif e[1] == "frame":
                frames.append(last)
            elif e[1] == "alloc":
                allocs.append((last, e[3]))
        zones += [(begin, last - begin, depth, name) for begin, depth, name in stack]
        threads.append(zones)
    slow("a .ttc", path, frames, threads, allocs)


def play(path, *settings):
    subprocess.run([HOST, "capture=" + path, *settings], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def peak(folder, frames):
    """Bytes that all four tables of so many frames take at once, and how long they are."""
    path, out = play(os.path.join(folder, "long.ttc"), "seed=7", "threads=8", "events=4000", "frames=%d" % frames), os.path.join(folder, "o.csv")
    code, _, told = run("stats", "-v", "-j", "1", path, "--table", ",".join(NAMES), "-o", out)
    found = re.search(r"\(([0-9.]+) MB counted against", told)
    check(code == 0 and found, "%d frames" % frames, told)
    return float(found.group(1)), os.path.getsize(out) / 1048576


met = 0
for capture, options in lot.some(captures(), 16, "by_frame"):
    for filters in ([], *lot.some(FILTERS, 2, capture)) if os.path.basename(capture) in FILTERED else ([],):
        met += one_capture(capture, options, list(filters))
check(met > (10000 if lot.LONG else 100), "frames were met", met)
with tempfile.TemporaryDirectory() as work:
    unity(work, "raw", "--frames", "40", "--seed", "5")
    unity(work, "data", "--frames", "40", "--seed", "5")
    recorded(work)
    (few, short), (many, long) = peak(work, 600), peak(work, 2400)
    check(long > 3 * short and long > 2 * many and many < few + 12, "memory does not grow with the number of frames", few, many, short, long)
end()
