"""Captures of Unity's profiler, made here: totals beside those of the generator, and every event beside a slow reader.

unity_compare.py TRACETOOL raw|data totals|values [SEEDS]
"""
import collections
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests/unity", "tests/kit"]
import data_gen
import data_reader
import gpu_track
import lot
import raw_gen
import raw_reader
from count import end, fault, same
from generated import generate

TRACETOOL = os.path.realpath(sys.argv[1])
FORM, WHICH = sys.argv[2:4]
SEEDS = int(sys.argv[4]) if len(sys.argv) > 4 else 1
FLOW = ["begin", "parallel", "end", "sequential"]
RAW_WORDS = ["0x%08x" % w for w in raw_reader.WORDS] + ["0x20190514", "0x20211028"]
DATA_WORDS = ["0x%08x" % w for w in data_reader.WORDS + sorted(data_reader.OLD)]


def make(folder, *options):
    return generate(FORM, os.path.join(folder, "x." + FORM), *options)


def tables(path):
    r = subprocess.run([TRACETOOL, "info", "-q", "--force", "--format", "json", path], capture_output=True, check=False)
    return r.returncode in (0, 3), json.loads(r.stdout)["tables"] if r.stdout else r.stderr


def told(path):
    """What tracetool says of it, by the generator's words."""
    read, t = tables(path)
    if not read or isinstance(t, bytes):
        return {"refused": t}
    t = collections.defaultdict(lambda: {"rows": []}, t)
    n = collections.Counter({x["type"]: x["events"] for x in t["capture_events"]["rows"]})
    lost = collections.defaultdict(lambda: {"count": 0, "bytes": 0}, {x["kind"]: x for x in t["loss"]["rows"]})
    every = t["capture_threads"]["rows"]
    threads, gpu = [x for x in every if x["thread"] != "GPU"], sum(x["calls"] for x in every if x["thread"] == "GPU")
    if FORM == "data":
        return {"frames": n["frame"], "threads": n["thread in a frame"], "samples": n["sample"], "gc": n["allocation"], "gpu": n["GPU sample"],
                "flows": n["flow"], "values": n["metadata"], "stacks": n["call stack"],
                "gc_bytes": sum(x["alloc_bytes"] for x in threads), "cut_bytes": lost["cut"]["bytes"], "sync_bytes": lost["sync"]["bytes"],
                "tail_bytes": lost["garbage"]["bytes"], "damaged_bytes": lost["damaged"]["bytes"]}
    sums = lambda begin: sum(v for k, v in n.items() if k and k.split(" ")[0] == begin)
    return {"begin": sums("begin"), "end": sums("end"), "single": sums("single"), "marker_messages": n["marker"], "frame_messages": n["frame"],
            "gpu": n["GPU sample"], "gpu_matched": gpu, "jit": n["compiled method"], "stats": n["statistics"], "callstacks": n["call stack"],
            "zones": sum(x["calls"] for x in threads), "gc_allocs": sum(x["allocs"] for x in threads),
            "gc_bytes": sum(x["alloc_bytes"] for x in threads), "open_at_end": sum(x["open"] or 0 for x in threads),
            "orphan_ends": lost["unmatched"]["count"] + lost["spanning"]["count"], "auto_closed": lost["popped"]["count"] + lost["spanning"]["count"],
            "truncated_bytes": lost["cut"]["bytes"],
            "lost_blocks": lost["missing"]["count"], "lost_bytes": lost["damaged"]["bytes"], "skipped": lost["sync"]["bytes"],
            "resyncs": lost["sync"]["count"]}


def totals(folder, *options):
    path = make(folder, *options)
    with open(path + ".json") as f:
        want = json.load(f)
    have = told(path)
    same("totals: " + " ".join(map(str, options)), have, {k: want.get(k, 0) for k in have})
    if have.get("auto_closed"):
        first = subprocess.run([TRACETOOL, "-q", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout.decode()
        same("told first: " + " ".join(map(str, options)), "not seen to end in the zone or frame around them" in " ".join(first.split()) or
             " in frame " in " ".join(first.split()), True)


def number(text):
    return float(text) if "." in text or "e" in text or "n" in text else int(text)


def shown(kind, value):
    """A value as JSON shows it; None where the form is not compared."""
    if kind == 8:
        return value.decode("utf-8").rstrip("\0")
    if kind == 9:
        return value.decode("utf-16-le")
    return value if kind in (1, 2, 3, 6, 7) else None


def equal(what, got, want):
    got, want = collections.Counter(got), collections.Counter(want)
    missing, extra = list((want - got).items())[:3], list((got - want).items())[:3]
    fault(what, "only the slow reader: %s; only tracetool: %s" % (missing, extra) if missing or extra else None)


def values(folder, *options):
    compare(folder, make(folder, *options), "values: " + " ".join(map(str, options)), "--wide" in options)


def lengths_told(path):
    """By marker: activations, those without an end of their own, the shortest and the longest of the others."""
    r = subprocess.run([TRACETOOL, "stats", "-q", "--force", "--table", "markers", "--format", "json", path],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [(x["marker"], x["count"], x.get("cut") or 0, x["min_ns"], x["max_ns"]) for x in json.loads(r.stdout)["tables"]["markers"]["rows"]
            if not x["marker"].endswith(" (GPU)")]


def lengths(c):
    """The same by tracetool-metrics(7), Calls."""
    of = collections.defaultdict(list)
    for name, length in (x for t in c.threads for x in t.lengths):
        of[name].append(length)
    whole = {name: [x for x in all_of if x is not None] for name, all_of in of.items()}
    return [(name, len(v), len(v) - len(whole[name]), min(whole[name], default=None), max(whole[name], default=None)) for name, v in of.items()]


def spanning_told(path):
    """Zones that end outside the zone or frame in which they begin: marker, begins, ends, the first begin and, where all ended, last end and length."""
    r = subprocess.run([TRACETOOL, "stats", "-q", "--force", "--table", "spanning_zones", "--limit", "0", "--format", "json", path],
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return [(x["marker"], x["count"], x["ended"], x["begin_ns"], x["end_ns"] if x["count"] == x["ended"] else None, x["total_ns"])
            for x in json.loads(r.stdout)["tables"]["spanning_zones"]["rows"]]


def spanning(c):
    """The same by tracetool-metrics(7), Calls: by thread and marker, until as many ended as began, or something is lost."""
    found = []
    for t in c.threads:
        groups = {}

        def done(begins, ends, names):
            whole = len(begins) == len(ends)
            name = names.pop() if len(names) == 1 else "Profiler.Default"      # of zones that are named by texts
            found.append((name, len(begins), len(ends), min(begins), max(ends) if whole else None, sum(ends) - sum(begins) if whole else None))

        for what, key, ts in t.strays:
            if what == "lost":
                for group in groups.values():
                    done(*group)
                groups = {}
                continue
            marker, name = key
            if what == "begin":
                groups.setdefault(marker, ([], [], set()))[0].append(ts)
                groups[marker][2].add(name)
            elif marker in groups:
                groups[marker][1].append(ts)
                if len(groups[marker][0]) == len(groups[marker][1]):
                    done(*groups.pop(marker))
        for group in groups.values():
            done(*group)
    return found


def compare(folder, path, what, wide=False):
    c = raw_reader.Capture(path, wide) if FORM == "raw" else data_reader.Capture(path)
    out = os.path.join(folder, "x.csv")
    r = subprocess.run([TRACETOOL, "convert", "-q", "--force", path, "-o", out], stderr=subprocess.PIPE, check=False)
    if r.returncode not in (0, 3):
        fault(what, "exit status %d, %s" % (r.returncode, r.stderr))
        return
    rows = collections.defaultdict(list)
    with open(out, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            rows[row["kind"]].append(row)
    named = [(x["group"] + "." if x["group"] else "") + x["thread"] for x in tables(path)[1]["capture_threads"]["rows"]] if FORM == "data" else []
    place = lambda r: (r["tid"] if FORM == "raw" else named[int(r["thread"]) - 1], int(r["start_ns"]))
    # Where there are no ids of the system's, threads are known by their names.
    who = lambda t: ("" if t.tid == gpu_track.TID else hex(t.tid)) if FORM == "raw" else t.name      # the GPU has no id
    each = lambda kind: [(who(t), *e) for t in c.threads for e in getattr(t, kind, ())]
    equal(what + ": zones", [(*place(r), int(r["dur_ns"]), int(r["depth"]), r["name"]) for r in rows["zone"]],
          [e[:5] for e in each("zones")])
    if FORM == "raw":
        equal(what + ": lengths", lengths_told(path), lengths(c))
        equal(what + ": zones that span frames", spanning_told(path), spanning(c))
        equal(what + ": zones without an end", [(*place(r), r["name"]) for r in rows["zone"] if '"cut":true' in r["args"]], each("endless"))
    equal(what + ": allocations", [(*place(r), int(r["value"])) for r in rows["alloc"]], [e[:3] for e in each("allocs")])
    equal(what + ": instants", [(*place(r), r["name"]) for r in rows["instant"]], [e[:3] for e in each("instants")])
    equal(what + ": counters", [(*place(r), r["name"], number(r["value"])) for r in rows["counter"]], each("counters"))
    equal(what + ": flows", [(*place(r), r["name"], int(r["detail"], 16)) for r in rows["flow"]],
          [(tid, ts, FLOW[kind], fid) for tid, ts, kind, fid in each("flows")])
    equal(what + ": frames", [place(r) for r in rows["frame"]], [(who(t), ts) for t in c.threads for ts in t.frames])
    for kind in ("zone", "instant"):
        said = [(*place(r), r["name"], v) for r in rows[kind] if r["args"] for k, v in json.loads(r["args"]).items() if k != "cut"]
        want = [(e[0], e[1], e[-2], shown(*v)) for e in each(kind + "s") for v in e[-1]]
        forms = {w[:3] for w in want if w[3] is None}
        equal(what + ": arguments of %ss" % kind, [s for s in said if s[:3] not in forms], [w for w in want if w[:3] not in forms])


def raw(folder):
    if WHICH == "totals":
        for scenario in raw_gen.SCENARIOS:
            for word, aligned in lot.some([(w, a) for w in ("0x20191122", "0x20220328") for a in (0, 1)], 1, "totals", scenario):
                totals(folder, "--scenario", scenario, "--version", word, "--aligned", aligned, "--frames", 12)
        for i, word in enumerate(RAW_WORDS):
            for aligned in lot.some((0, 1), 1, "totals", word):
                totals(folder, "--scenario", "every", "--version", word, "--aligned", aligned, "--frames", 4, "--clock", ["10mhz", "ns", "mac"][i % 3])
        # Longer than a segment of the reader's, so that messages and zones go on in the next one.
        for scenario in ("split", "splitany", "gap", "unmatched", "unknown"):
            totals(folder, "--scenario", scenario, "--frames", 240, "--seed", 3)
        for cut in (1, 2, 7, 8, 9, 27, 28, 29, 600, 5000, 20000):
            totals(folder, "--scenario", "truncated", "--frames", 12, "--cut", cut)
    for seed in range(1, SEEDS + 1) if WHICH == "values" else ():
        for scenario in raw_gen.SCENARIOS:
            word, aligned = RAW_WORDS[(seed * 5 + len(scenario)) % len(RAW_WORDS)], (seed + len(scenario)) % 2
            values(folder, "--scenario", scenario, "--version", word, "--aligned", aligned, "--frames", 8, "--seed", seed)
        values(folder, "--scenario", "every", "--frames", 8, "--seed", seed, "--version", "0x20260108", "--wide")
        values(folder, "--scenario", "every", "--frames", 240, "--seed", seed)
        values(folder, "--frames", 4, "--extra-markers", 9000, "--seed", seed)         # the first time is a long way in
        values(folder, "--scenario", "splitany", "--frames", 240, "--seed", seed, "--clock", "mac")
        values(folder, "--scenario", "unmatched", "--frames", 160, "--seed", seed, "--version", "0x20220328")


def data(folder):
    if WHICH == "totals":
        for word in DATA_WORDS:
            for scenario in lot.some(data_gen.SCENARIOS, 4, "totals", word):
                totals(folder, "--scenario", scenario, "--version", word, "--frames", 12)
        # Longer than a segment of the reader's.
        for scenario in ("clean", "garbage", "badsize"):
            totals(folder, "--scenario", scenario, "--frames", 400, "--seed", 3)
        for cut in (1, 2, 3, 4, 5, 8, 9, 600, 4000):
            totals(folder, "--scenario", "cut", "--frames", 12, "--cut", cut)
    for seed in range(1, SEEDS + 1) if WHICH == "values" else ():
        for i, scenario in enumerate(data_gen.SCENARIOS):
            for k in lot.some(range(0, len(DATA_WORDS), 4), 2, "values", seed, scenario):
                word = DATA_WORDS[(seed + i + k) % len(DATA_WORDS)]
                values(folder, "--scenario", scenario, "--version", word, "--frames", 12, "--seed", seed, "--audio-pad", (seed + i) % 2)
        values(folder, "--scenario", "odd", "--frames", 200, "--seed", seed)
        values(folder, "--scenario", "odd", "--frames", 100, "--seed", seed, "--version", "0x20191122", "--markers", 500)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob("testdata/%s/good-*" % FORM)) if WHICH == "values" else ():
            compare(folder, path, "values: " + path)
        (raw if FORM == "raw" else data)(folder)
    end()


main()
