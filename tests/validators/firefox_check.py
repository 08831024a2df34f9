#!/usr/bin/env python3
"""Profiles for the Firefox Profiler, read here by the published format, and opened by that program's own code.

    firefox_check.py TRACETOOL [CAPTURE...]

- Columns of a table have one length, indexes lie in their tables, stacks come after those they are in, times do not run backwards.
- The weights of samples, summed by function, are the self times of the table markers, whatever filters are set; in a capture of samples alone, the
  numbers of samples by innermost frame.
- Functions are called as the rows of that table, and there are as many.
- Zones are those of our CSV, to the nanosecond; frames, allocations by class, and last values of counters those of the tables.
- The program finds the same self time of each function, the same markers and the same counters.
- Compressed, a profile is what it is plain.
"""
import collections
import csv
import decimal
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end, fault, same  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "..", "testdata")
FILES = ["mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d02-gameloop-sample.mlpd", "mlpd/good-d03-alloc-bt.mlpd", "mlpd/good-d04-exceptions.mlpd",
         "mlpd/good-d05-monitors.mlpd", "mlpd/good-d09-names-unicode-jit.mlpd", "mlpd/good-d10-counters-zip.mlpd", "capture/good-v1.0-every-kind.ttc",
         "demo/good-hitches.ttc.xz", "raw/good-2018-split.raw", "raw/good-2022-aligned.raw", "data/good-2021.data", "data/good-2022-odd.data"]
FILTERS = {"mlpd/good-d01-gameloop-calls-alloc.mlpd": (["--depth", "3"], ["--min-duration", "20us"], ["--marker", "World:*"], ["--names", "full"],
                                                       ["--time", "0.1-0.2"], ["--wrappers"]),
           "mlpd/good-d04-exceptions.mlpd": (["--time", "0.01-0.05"], ["--thread", "Main"]),
           "demo/good-hitches.ttc.xz": (["--frames", "20-40"], ["--no-wait"]),
           "data/good-2021.data": (["--player-only"], ["--no-wait"], ["--category", "Scripts"])}
TABLES = "markers,alloc_classes,frames,samples,counter_values"


def run(*args):
    r = subprocess.run(args, capture_output=True, text=True, timeout=300, check=False)
    if r.returncode not in (0, 3):
        raise SystemExit("%s: exit status %d: %s" % (" ".join(args), r.returncode, r.stderr))
    return r.stdout


def tables(path, options):
    got = json.loads(run(TRACETOOL, "stats", "-q", path, "--table", TABLES, "--limit", "0", "--format", "json", *options))["tables"]
    return {name: t["rows"] for name, t in got.items()}


def ns(ms):
    return int(ms * 1000000)


class Profile:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.doc = json.loads(f.read(), parse_float=decimal.Decimal)
        shared = self.doc["shared"]
        self.strings, self.stacks, self.frames = shared["stringArray"], shared["stackTable"], shared["frameTable"]
        self.functions = [self.strings[n] for n in shared["funcTable"]["name"]]
        self.threads, self.counters = self.doc["threads"], self.doc["counters"]

    def faults(self):
        """What is not as the format has it."""
        shared, bad = self.doc["shared"], []
        n = {name: shared[name]["length"] for name in ("stackTable", "frameTable", "funcTable")}

        def table(what, t):
            bad.extend("%s: %s has %d rows, not %d" % (what, k, len(v), t["length"]) for k, v in t.items()
                       if isinstance(v, list) and len(v) != t["length"])

        def indexes(what, column, rows, none=False):
            bad.extend("%s: %r" % (what, i) for i in column if not (none if i is None else 0 <= i < rows))

        def times(what, column):
            real = [t for t in column if t is not None]
            if any(a > b for a, b in zip(real, real[1:])) or any(t < 0 for t in real):
                bad.append(what + " run backwards")

        for name, t in shared.items():
            if isinstance(t, dict):
                table(name, t)
        indexes("frames of stacks", self.stacks["frame"], n["frameTable"])
        bad.extend("stack %d is in %r" % (i, up) for i, up in enumerate(self.stacks["prefix"]) if up is not None and not 0 <= up < i)
        indexes("functions of frames", self.frames["func"], n["funcTable"])
        categories = self.doc["meta"]["categories"]
        indexes("categories", self.frames["category"], len(categories))
        indexes("names", shared["funcTable"]["name"], len(self.strings))
        if categories[0]["color"] != "grey" or any(c["color"] == "grey" for c in categories[1:]):
            bad.append("the first category, and no other, is grey: %r" % categories)
        for t in self.threads:
            table(t["name"] + ", samples", t["samples"])
            table(t["name"] + ", markers", t["markers"])
            indexes("stacks of samples", t["samples"]["stack"], n["stackTable"], True)
            times("samples", t["samples"]["time"])
            indexes("names of markers", t["markers"]["name"], len(self.strings))
            indexes("categories of markers", t["markers"]["category"], len(categories))
            times("markers", t["markers"]["startTime"])
            bad.extend("a marker ends before it begins" for a, b in zip(t["markers"]["startTime"], t["markers"]["endTime"]) if b is not None and b < a)
            table(t["name"] + ", allocations", t.get("jsAllocations", {"length": 0}))
            indexes("stacks of allocations", t.get("jsAllocations", {"stack": []})["stack"], n["stackTable"], True)
        types = {s["name"] for s in self.doc["meta"]["markerSchema"]}
        bad.extend("no schema for %r" % d for t in self.threads for d in t["markers"]["data"] if d and d["type"] not in types)
        for c in self.counters:
            table(c["name"], c["samples"])
            times(c["name"], c["samples"]["time"])
            indexes("threads of counters", [c["mainThreadIndex"]], len(self.threads))
        if len({t["tid"] for t in self.threads}) != len(self.threads):
            bad.append("threads share ids")
        return bad

    def self_times(self, kind):
        total = collections.Counter()
        for t in self.threads:
            s = t["samples"]
            for stack, weight in zip(s["stack"], s["weight"]):
                if stack is not None and s["weightType"] == kind:
                    total[self.functions[self.frames["func"][self.stacks["frame"][stack]]]] += ns(weight) if kind == "tracing-ms" else weight
        return +total

    def markers(self, want):
        """(thread, name, start, duration) of each marker that ${want} is true of."""
        for t in self.threads:
            m = t["markers"]
            for name, start, stop, phase, data in zip(m["name"], m["startTime"], m["endTime"], m["phase"], m["data"]):
                if want(phase, data):
                    yield t["tid"], self.strings[name], ns(start), ns(stop - start) if phase else 0


def from_first(zones):
    """With times from that of the first."""
    first = min((z[2] for z in zones), default=0)
    return collections.Counter((t, n, at - first, dur) for t, n, at, dur in zones)


def zones_of_csv(path, options, work):
    out = os.path.join(work, "events.csv")
    run(TRACETOOL, "convert", "-q", "--force", path, "-f", "csv", "-o", out, *options)
    with open(out, newline="", encoding="utf-8") as f:
        return [(int(r["thread"]), r["name"], int(r["start_ns"]), int(r["dur_ns"])) for r in csv.DictReader(f, strict=True) if r["kind"] == "zone"]


def sums(rows, key, value):
    total = collections.Counter()
    for r in rows:
        total[r[key]] += r[value] or 0
    return +total


def opened_by_the_program(what, out, profile):
    r = subprocess.run(["node", os.path.join(HERE, "firefox.cjs"), out], capture_output=True, text=True, timeout=300, check=False)
    try:
        got = json.loads(r.stdout)
    except ValueError:
        got = {"error": r.stderr[-1000:]}
    if not fault(what + " in the Firefox Profiler", got.get("error")):
        return
    is_time = any(t["samples"]["weightType"] == "tracing-ms" for t in profile.threads)
    have, names = collections.Counter(), collections.Counter()
    for t in got["threads"]:
        for name, weight in t["functions"].items():
            have[name] += weight
        names.update(t["names"])
    want = profile.self_times("tracing-ms" if is_time else "samples")
    far = {k: (have[k], want[k]) for k in set(have) | set(want) if abs(have[k] * (1e6 if is_time else 1) - want[k]) > 1 + 1e-9 * want[k]}
    check(not far, what + " in the Firefox Profiler: self time", list(far.items())[:4])
    same(what + " in the Firefox Profiler: markers", dict(names), dict(collections.Counter(n for _, n, _, _ in profile.markers(lambda phase, data: True))))
    same(what + " in the Firefox Profiler: threads", sorted(t["name"] for t in got["threads"]), sorted(t["name"] for t in profile.threads))
    same(what + " in the Firefox Profiler: counters", sorted((c["name"], c["samples"]) for c in got["counters"]),
         sorted((c["name"], c["samples"]["length"]) for c in profile.counters))


def frames_of_chrome(path, options, work):
    out = os.path.join(work, "frames.json")
    run(TRACETOOL, "convert", "-q", "--force", path, "-o", out, *options)
    with open(out, "rb") as f:
        events = json.loads(f.read(), parse_float=decimal.Decimal)["traceEvents"]
    return sorted(int((e["dur"] * 1000).to_integral_value()) for e in events if e["ph"] == "X" and e.get("cat") == "Frame")


def last_values(rows):
    last = {}
    for r in rows:
        if isinstance(r["value"], (int, float)):
            last[r["process"], r["section"], r["counter"], r["unit"]] = r["value"]
    return sorted("%.9g" % v for v in last.values())


def last_values_of(profile):
    """Counts are differences, from a 0 on; the size of the heap is no counter of the table."""
    return sorted("%.9g" % sum(c["samples"]["count"]) for c in profile.counters if c["name"] != "GC heap size")


def one(path, options, work):
    what = " ".join([os.path.basename(path), *options])
    out = os.path.join(work, "a.firefox.json")
    run(TRACETOOL, "convert", "-q", "--force", path, "-o", out, "-o", out + ".gz", *options)
    with gzip.open(out + ".gz") as f, open(out, "rb") as plain:
        check(f.read() == plain.read(), what + ": compressed")
    profile, table = Profile(out), tables(path, options)
    fault(what + ": as the format has it", profile.faults())
    if any(t["samples"]["weightType"] == "samples" for t in profile.threads):
        leaves = sums([r for r in table["samples"] if r.get("marker") != "(native)"], "marker", "self")
        same(what + ": samples", dict(profile.self_times("samples")), dict(leaves))
    else:
        same(what + ": self time", dict(profile.self_times("tracing-ms")), dict(sums(table["markers"], "marker", "self_ns")))
        shown = {r["marker"] for r in table["markers"]}
        check(len(profile.functions) == len(set(profile.functions)), what + ": functions have names of their own")
        if "--marker" not in options and "--category" not in options:
            same(what + ": names", sorted(shown - set(profile.functions)), [])
    is_zone = lambda phase, data: phase == 1 and (data or {}).get("type") != "Frame"
    same(what + ": zones", from_first(list(profile.markers(is_zone))), from_first(zones_of_csv(path, options, work)))
    frames = list(profile.markers(lambda phase, data: (data or {}).get("type") == "Frame"))
    same(what + ": frames", sorted(f[3] for f in frames), frames_of_chrome(path, options, work))
    if "--marker" not in options and "--category" not in options:
        same(what + ": last values of counters", last_values_of(profile), last_values(table.get("counter_values", [])))
    classes = collections.Counter()
    for t in profile.threads:
        a = t.get("jsAllocations", {"className": [], "weight": []})
        for name, weight in zip(a["className"], a["weight"]):
            classes[name] += weight
    if "--marker" not in options and "--category" not in options:
        same(what + ": allocated", dict(+classes), dict(sums(table.get("alloc_classes", []), "class", "bytes")))
    return out, profile, table


def main():
    given = sys.argv[2:]
    with tempfile.TemporaryDirectory() as work:
        for f in given or FILES:
            path = os.path.abspath(f) if given else os.path.join(DATA, f)
            out, profile, _ = one(path, [], work)
            opened_by_the_program(os.path.basename(path), out, profile)
            for options in FILTERS.get(f, ()):
                one(path, options, work)
    end()


TRACETOOL = os.path.abspath(sys.argv[1])
main()
