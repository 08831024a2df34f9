#!/usr/bin/env python3
"""Perfetto's native format in Perfetto's trace_processor: see perfetto.sh.

    perfetto_check.py TRACETOOL BUILD
"""
import collections
import csv
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unity"))
from common import MANY, TRACE_PROCESSOR  # noqa: E402
from count import end, fault  # noqa: E402
import lot  # noqa: E402
import pftrace  # noqa: E402
import ttc  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "testdata")
FILES = ["mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d02-gameloop-sample.mlpd", "mlpd/good-d04-exceptions.mlpd", "mlpd/good-d05-monitors.mlpd",
         "mlpd/good-d09-names-unicode-jit.mlpd", "mlpd/good-d10-counters-zip.mlpd", "capture/good-v1.0-every-kind.ttc", "demo/good-hitches.ttc.xz",
         "data/good-2021.data"]
ROTATED = ["capture/good-rotated%s.ttc.xz" % n for n in ("", ".1", ".2", ".3")]

SLICES = ("select s.name, s.category, s.ts, s.dur, s.depth, t.tid from slice s join thread_track tt on s.track_id = tt.id join thread t using (utid)")
FRAMES = "select s.name, s.ts, s.dur from slice s where s.category = 'Frame'"
FACTS = "select s.name, s.ts from slice s where s.category = 'Facts'"
COUNTERS = "select ct.name, ct.unit, c.ts, c.value from counter c join counter_track ct on c.track_id = ct.id where ct.name != 'cpu-clock'"
SAMPLES = ("select p.ts, t.tid, f.name, c.depth from perf_sample p join thread t using (utid) join stack_profile_callsite c on p.callsite_id = c.id "
           "join stack_profile_frame f on c.frame_id = f.id")
FLOWS = ("select a.name as \"from\", a.ts as \"at\", a.dur, b.name as \"to\", b.ts as \"then\", b.dur as lasts from flow join slice a on slice_out = a.id "
         "join slice b on slice_in = b.id")
CUT = SLICES + " join args a on s.arg_set_id = a.arg_set_id where a.key = 'debug.cut' and a.display_value = 'true'"
NAMELESS = "select count(*) n from slice where name is null"
LOSSES = "select name from slice where category = 'Losses'"
UNITS = {"bytes": "bytes", "count": "count", "ns": "ns"}


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=300, check=False, **more)


def ask(name, path, *queries):
    """The rows of each query; None where the trace loads with errors or lost data."""
    got = TRACE_PROCESSOR.ask(path, *queries)
    fault(name, got.get("error"))
    return got.get("rows")


def differ(have, want):
    if have == want:
        return None
    more, less = have - want, want - have
    return "%d too many, %d missing: %s, %s" % (sum(more.values()), sum(less.values()), list(more)[:2], list(less)[:2])


def number(text):
    try:
        return "%.14g" % float(text)
    except ValueError:
        return None


class Events:
    """What our CSV has, with threads as the trace calls them and times from ${origin}."""

    def __init__(self, path, origin):
        self.slices, self.zones, self.cut, self.counters, self.samples, self.facts = (collections.Counter() for _ in range(6))
        first = {}
        with open(path, newline="", encoding="utf-8") as f:
            rows = [r for r in csv.DictReader(f, strict=True) if r["start_ns"]]     # the others name threads
        for r in sorted((r for r in rows if r["thread"]), key=lambda r: int(r["thread"])):
            first.setdefault((r["process"], r["tid"]), r["thread"])
        for r in rows:
            ts, thread = int(r["start_ns"]) - origin, int(r["thread"] or 0)
            tid = int(r["tid"] or "0", 16)
            if first.get((r["process"], r["tid"])) != r["thread"] or not r["tid"] or tid >= 1 << 63:     # the format has signed ids
                tid = (1 << 62) + thread - 1
            self.add(r, ts, tid, thread)

    def add(self, r, ts, tid, thread):
        kind = r["kind"]
        if kind == "zone":
            self.slices[tid, r["name"], ts, int(r["dur_ns"])] += 1
            self.zones[tid, r["name"], ts, int(r["dur_ns"]), int(r["depth"])] += int(r["dur_ns"]) > 0
            self.cut[tid, r["name"], ts, int(r["dur_ns"])] += bool(r["args"]) and json.loads(r["args"]).get("cut") is True
        elif kind == "alloc":
            self.slices[tid, "GC.Alloc", ts, 0] += 1
        elif kind == "instant":
            self.slices[tid, r["name"], ts, 0] += 1
        elif kind == "throw":
            self.slices[tid, "Exception thrown", ts, 0] += 1
        elif kind == "monitor" and r["name"] != "acquired":
            self.slices[tid, "Lock contended" if r["name"] == "contended" else "Lock not taken", ts, 0] += 1
        elif kind == "counter" and number(r["value"]):
            self.counters[r["name"], UNITS.get(r["detail"], r["detail"]), ts, number(r["value"])] += 1
        elif kind == "gc_heap":
            self.counters["GC heap size", "bytes", ts, number(r["value"])] += 1
        elif kind == "sample":
            self.samples[ts, tid if tid < 1 << 31 else (1 << 32) - thread, r["name"] or "(native)"] += 1
        elif kind == "fact":
            self.facts["%s: %s" % (r["name"], r["detail"]), max(ts, 0)] += 1


def chrome_json(path):
    """
    Frames, and the arrows that the steps of flows mean: each step belongs to the innermost zone that is open at its time, one outside all
    zones connects nothing. The engine's own reading of that format does not tell: it takes the thread's last slice, even one that is over.
    """
    ns = lambda us: round(us * 1000)
    with open(path, encoding="utf-8") as f:
        events = json.load(f)["traceEvents"]
    zones, frames, before, found = collections.defaultdict(list), [], {}, collections.Counter()
    for e in events:
        if e["ph"] == "X":
            zones[e["pid"], e["tid"]].append((ns(e["ts"]) - 1000, ns(e["dur"]), e["name"]))
            if e.get("cat") == "Frame":
                frames.append((e["name"], ns(e["ts"]) - 1000, ns(e["dur"])))
    for e in sorted((e for e in events if e["ph"] in "stf"), key=lambda e: ns(e["ts"])):
        ts, there = ns(e["ts"]) - 1000, zones[e["pid"], e["tid"]]
        around = [z for z in there if z[0] <= ts < z[0] + z[1]] or [z for z in there if z[0] < ts == z[0] + z[1]]
        if not around:
            continue
        start, dur, name = max(around, key=lambda z: (z[0], -z[1]))
        to, come = (name, start, dur), before.get(e["id"])
        if come and e["ph"] != "s":
            found[come + to] += 1
        before[e["id"]] = to if e["ph"] != "f" else None
    return collections.Counter(frames), found


def check(name, tracetool, work, paths, *options):
    """One capture with the options: everything in it is what our CSV has."""
    trace, table, chrome = (os.path.join(work, "out." + s) for s in ("pftrace", "csv", "json"))
    r = run(tracetool, "convert", "-q", "--wrappers", *options, *paths, "-o", trace, "-o", table, "-o", chrome)
    if not fault(name + " converts", r.stderr if r.returncode else None):
        return
    try:
        lines = list(pftrace.load(trace).lines())
    except (pftrace.Bad, UnicodeDecodeError) as e:
        fault(name + " is read by our own reader", str(e))
        return
    origin = next(int(w.partition("=")[2]) for line in lines for w in line.split() if w.startswith("removed_origin_ns="))
    want = Events(table, origin)
    got = ask(name + " in trace_processor", trace, SLICES, COUNTERS, SAMPLES, FRAMES, FACTS, FLOWS, NAMELESS, CUT)
    if not got:
        return
    slices, counters, samples, frames, facts, flows, nameless, without_end = got
    of = [(int(s["tid"]), s["name"], int(s["ts"]), int(s["dur"]), int(s["depth"])) for s in slices]
    fault(name + ", slices", differ(collections.Counter(s[:4] for s in of), want.slices))
    fault(name + ", zones without an end", differ(collections.Counter((int(s["tid"]), s["name"], int(s["ts"]), int(s["dur"])) for s in without_end),
                                                  +want.cut))
    # Zones that are not shown count for the depth in CSV.
    if "--marker" not in options:
        fault(name + ", depths", differ(collections.Counter(s for s in of if s[3] > 0), +want.zones))
    fault(name + ", names", None if int(nameless[0]["n"]) == 0 else "%s without" % nameless[0]["n"])
    fault(name + ", counters", differ(collections.Counter(
        (c["name"], c["unit"], int(c["ts"]), number(c["value"])) for c in counters if c["name"] != "GC.Alloc"), want.counters))
    fault(name + ", samples", differ(collections.Counter((int(s["ts"]), int(s["tid"]), s["name"]) for s in samples), want.samples))
    fault(name + ", facts", differ(collections.Counter((f["name"], int(f["ts"])) for f in facts), want.facts))
    their_frames, their_flows = chrome_json(chrome)
    fault(name + ", frames", differ(collections.Counter((f["name"], int(f["ts"]), int(f["dur"])) for f in frames), their_frames))
    fault(name + ", flows", differ(collections.Counter(
        (f["from"], int(f["at"]), int(f["dur"]), f["to"], int(f["then"]), int(f["lasts"])) for f in flows), their_flows))


def cut(tracetool, work, path, block, *options):
    """A file that ends anywhere loads as far as it goes, but for the last ${block} slices: a block of packets that is not whole."""
    trace, part = os.path.join(work, "whole.pftrace"), os.path.join(work, "part.pftrace")
    run(tracetool, "convert", "-q", path, "-o", trace, *options)
    with open(trace, "rb") as f:
        data = f.read()
    whole = int(ask("the whole file", trace, "select count(*) n from slice")[0][0]["n"])
    fault("a file to cut, of several blocks", None if whole > 3 * block else "%d slices" % whole)
    for share in lot.some((0.1, 0.37, 0.5, 0.999), 2, "cut", path):
        n = int(len(data) * share)
        with open(part, "wb") as f:
            f.write(data[:n])
        got = ask("cut at byte %d" % n, part, "select count(*) n from slice", NAMELESS)
        if got:
            have = int(got[0][0]["n"])
            fault("cut at byte %d, slices" % n, None if (whole * share - block if block else whole * share / 2) < have <= whole else "%d of %d" % (have, whole))
            fault("cut at byte %d, names" % n, None if got[1][0]["n"] in (0, "0") else "%s slices have none" % got[1][0]["n"])
        lines = list(pftrace.Trace(data[:n]).lines(cut=True))
        fault("cut at byte %d, read by our own reader" % n, None if lines or whole * share < block else "nothing")


def packed(tracetool, work):
    path, trace, gz = os.path.join(DATA, FILES[0]), os.path.join(work, "a.pftrace"), os.path.join(work, "a.pftrace.gz")
    run(tracetool, "convert", "-q", path, "-o", trace, "-o", gz)
    fault(".gz is the same", None if list(pftrace.load(gz).lines()) == list(pftrace.load(trace).lines()) else "differs")
    ask(".gz in trace_processor", gz, NAMELESS)
    piped = subprocess.run([tracetool, "convert", "-q", "-j", "1", "-f", "perfetto", path], capture_output=True, check=False).stdout
    with open(trace, "rb") as f:
        fault("to a pipe, by one worker", None if piped == f.read() else "differs")
    small, large = os.path.getsize(trace), None
    run(tracetool, "convert", "-q", path, "-o", os.path.join(work, "a.json"))
    large = os.path.getsize(os.path.join(work, "a.json"))
    fault("size beside Chrome JSON", None if small * 8 < large else "%d, Chrome JSON has %d" % (small, large))
    plain = os.path.join(work, "plain.pftrace")
    run(tracetool, "convert", "-q", path, "--plain-packets", "-o", plain)
    with open(trace, "rb") as packs, open(plain, "rb") as f:
        fault("compressed and plain packets", None if list(pftrace.packets(packs.read())) == list(pftrace.packets(f.read())) else "differ")
    ask("plain packets in trace_processor", plain, NAMELESS)


def damaged(tracetool, work):
    """What was lost is said in the trace."""
    trace = os.path.join(work, "bad.pftrace")
    run(tracetool, "convert", "-q", os.path.join(DATA, "mlpd", "bad-cut-in-buffer.mlpd"), "-o", trace)
    got = ask("a damaged capture", trace, LOSSES)
    fault("a damaged capture, its losses", None if got and got[0] else "none are told")


def deep(tracetool, work):
    """Zones 1,500 deep, in a chunk and over its end: those that Perfetto keeps have the durations that the CSV has, and others are told."""
    c = ttc.Capture()
    key = [c.marker("Level %d" % i) for i in range(1500)]
    t = c.thread()
    for n in range(4):
        for i in range(1500):
            t.begin(10000 * n + i, key[i])
        if n == 2:
            t.split(10000 * n + 1500)
        for i in range(1500):
            t.end(10000 * n + 3000 + i)
    path, trace, plain = c.write(os.path.join(work, "deep.ttc")), os.path.join(work, "deep.pftrace"), os.path.join(work, "deep.csv")
    said = run(tracetool, "convert", path, "-o", trace, "-o", plain).stderr
    fault("zones too deep are told", None if "%d zones deeper than 512" % (4 * (1500 - 512)) in said else said)
    with open(plain, encoding="utf-8") as f:
        want = collections.Counter((r["name"], int(r["dur_ns"])) for r in csv.DictReader(f) if r["kind"] == "zone" and int(r["depth"]) < 512)
    got = ask("zones 1,500 deep", trace, "select name, dur from slice where name like 'Level %'")
    if got:
        fault("zones 1,500 deep: their durations", differ(collections.Counter((r["name"], int(r["dur"])) for r in got[0]), want))


def over_chunks(tracetool, work):
    """Steps of the next zone in a chunk that also ends zones of the chunk before it."""
    c = ttc.Capture()
    schedule, frame, job = c.marker("Schedule"), c.marker("Frame"), c.marker("Job")
    t = c.thread()
    for _ in range(8):
        t.begin(500, frame)
    t.split(600)
    for n in range(64):
        at = 1000 + 1000 * n
        t.begin(at, schedule)
        t.flow(at + 10, 0, n)
        t.end(at + 100)
        t.flow(at + 200, 3, n)
        t.zone(at + 250, at + 300, job)
        if n % 8 == 7:
            t.end(at + 400)
    check("flows over the border of a chunk", tracetool, work, [c.write(os.path.join(work, "over.ttc"))])
    got = ask("flows over the border of a chunk, their ends", os.path.join(work, "out.pftrace"), FLOWS)
    if got:
        fault("flows over the border of a chunk, their ends", differ(collections.Counter((f["from"], f["to"]) for f in got[0]),
                                                                     collections.Counter({("Schedule", "Job"): 64})))


def left_out(tracetool, work):
    """Flows of zones that filters leave out have no arrow in either form, though zones around them are shown: tracetool-formats(7), chrome."""
    c = ttc.Capture()
    frame, schedule, jobs, job, rare = (c.marker(name) for name in ("Frame", "Schedule", "Jobs", "Job", "Rare"))
    main, worker = c.thread(), c.thread()
    for n in range(60):
        at = 10000 * (n + 1)
        long = 400 if n % 3 else 40
        main.begin(at, frame)
        main.begin(at + 10, schedule if n % 5 else rare)
        main.flow(at + 20, 0, n)
        main.end(at + 500)
        main.end(at + 600)
        worker.begin(at + 1000, jobs)
        worker.flow(at + 1010, 3, n)
        worker.zone(at + 1020, at + 1020 + long, job)
        worker.end(at + 2000)
    path = c.write(os.path.join(work, "left out.ttc"))
    of = {n: ("Schedule" if n % 5 else "Rare", "Job") for n in range(60)}
    some = lot.some((([], lambda n: True), (["--min-duration", "100ns"], lambda n: n % 3), (["--depth", "1"], lambda n: False),
                     (["--marker", "Schedule", "--marker", "Job", "--marker", "Frame", "--marker", "Jobs"], lambda n: n % 5),
                     (["--marker", "Frame", "--marker", "Jobs"], lambda n: False)), 2, "left out")
    for options, shown in some:
        name, want = "flows of what is left out, %s" % options, collections.Counter(of[n] for n in of if shown(n))
        check(name, tracetool, work, [path], *options)
        got = ask(name + ", in the engine", os.path.join(work, "out.pftrace"), FLOWS)
        if got:
            fault(name + ", arrows of .pftrace", differ(collections.Counter((f["from"], f["to"]) for f in got[0]), want))
        arrows = collections.Counter()
        for (start, _, _, to, _, _), count in chrome_json(os.path.join(work, "out.json"))[1].items():
            arrows[start, to] += count
        fault(name + ", arrows of Chrome JSON", differ(arrows, want))


def without_length(tracetool, work):
    """A zone that begins and ends at one time, as coarse clocks make some, encloses no flow: its flow belongs to the zone around it, or to none."""
    c = ttc.Capture()
    schedule, jobs, job = (c.marker(name) for name in ("Schedule", "Jobs", "Job"))
    main, worker = c.thread(), c.thread()
    for n in range(20):
        at = 10000 * (n + 1)
        main.begin(at, schedule)
        main.flow(at + 20, 0, n)
        main.end(at + 500)
        if n % 2:
            worker.begin(at + 1000, jobs)
        worker.flow(at + 1010, 3, n)
        worker.zone(at + 1020, at + 1020, job)
        if n % 2:
            worker.end(at + 2000)
    name, trace = "flows of zones without length", os.path.join(work, "none.pftrace")
    run(tracetool, "convert", "-q", c.write(os.path.join(work, "none.ttc")), "-o", trace)
    got = ask(name, trace, FLOWS)
    if got:
        fault(name, differ(collections.Counter((f["from"], f["to"]) for f in got[0]), collections.Counter({("Schedule", "Jobs"): 10})))


def games(tracetool, build, work):
    """The stand-in engine: flows, arguments, counters of all kinds, labels, several threads; ten times as many zones where TT_SET is all."""
    def record(name, frames):
        path = os.path.join(work, name)
        r = run(os.path.join(build, "host", "host"), "capture=" + path, "threads=8", "frames=%d" % frames, "seed=5", "callbacks=2", *MANY,
                env=dict(os.environ, BUILD=build))
        return path if fault("a game is recorded", r.stderr if r.returncode else None) else None

    path, longer = record("game.ttc", 40), record("longer.ttc", 200)
    if not path or not longer:
        return
    check("game", tracetool, work, [path])
    cut(tracetool, work, longer, 25000)
    check("game, some frames", tracetool, work, [path], "--frames", "10-20")
    # Longer than most jobs: steps of their flows are outside of all zones.
    check("game, long zones", tracetool, work, [path], "--min-duration", "20us")


def main():
    tracetool, build = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="tracetool-validators.") as work:
        for f in lot.some(FILES, 2, "perfetto"):
            check(f, tracetool, work, [os.path.join(DATA, f)])
        check("rotated", tracetool, work, [os.path.join(DATA, f) for f in ROTATED])
        check("two processes", tracetool, work, [os.path.join(DATA, f) for f in (FILES[0], FILES[2])])
        for name, *options in lot.some((("a part of the time", "--time", "0.05-0.2"), ("long zones", "--min-duration", "10us"),
                                        ("some markers", "--marker", "World*"), ("frames of a marker", "--frame-marker", "World:Frame")), 2, "options"):
            check(name, tracetool, work, [os.path.join(DATA, FILES[0])], *options)
        cut(tracetool, work, os.path.join(DATA, FILES[0]), 0, "--plain-packets")
        packed(tracetool, work)
        damaged(tracetool, work)
        deep(tracetool, work)
        over_chunks(tracetool, work)
        left_out(tracetool, work)
        without_length(tracetool, work)
        games(tracetool, build, work)
    end()


main()
