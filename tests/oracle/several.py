#!/usr/bin/env python3
"""
Several inputs in one output: whatever an input gives to an output alone is in the output of all, or a line on standard error names the input.

    several.py TRACETOOL MLPD_GEN

The inputs have calls, samples, allocations, frames and coverage, each alone or beside others. Nothing here knows what an output leaves out: the output of one
input alone is the oracle.
"""
import collections
import csv
import itertools
import json
import os
import re
import sqlite3
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "kit"), HERE]
import lot
from pftrace import fields, varint
from suite import TESTDATA, Suite

TRACETOOL, MLPD_GEN = (os.path.abspath(p) for p in sys.argv[1:3])
suite = Suite()
COVERAGE = suite.path("coverage.mlpd")
subprocess.run([MLPD_GEN, "15", "8", "1", COVERAGE], check=True)
INPUTS = {"calls": "mlpd/good-d08-recursion-calls.mlpd", "samples": "mlpd/good-d02-gameloop-sample-v14.mlpd", "allocations": "mlpd/good-d03-alloc-bt.mlpd",
          "frames": "demo/good-hitches.ttc.xz", "saved": "data/good-2021.data", "lineless": "mlpd/good-d14-mono462-v13-coverage.mlpd"}
INPUTS = {k: os.path.join(TESTDATA, v) for k, v in INPUTS.items()}
INPUTS["coverage"] = COVERAGE


def convert(form, paths, *options):
    """(exit status, standard error, path of the output)."""
    out = suite.path("out." + form)
    if os.path.exists(out):
        os.remove(out)
    p = subprocess.run([TRACETOOL, "convert", "--align", "start", "-f", form, *options, *paths, "-o", out], capture_output=True, text=True)
    return p.returncode, p.stderr, out


def read(path):
    with open(path, encoding="utf-8", newline="") as f:
        return f.read()


def folded(path, n):
    """Counts of each input; of several, each line begins with the number and the name of its process. Names may need more words beside others."""
    lines = read(path).splitlines()
    of = collections.defaultdict(list)
    for line in lines:
        of[int(line.split(" ", 1)[0]) if n > 1 else 1].append(int(line.rsplit(" ", 1)[1]))
    return [sorted(of[i + 1]) for i in range(n)]


def packed(b):
    out, at = [], 0
    while at < len(b):
        v, at = varint(b, at)
        out.append(v)
    return out


def pprof(path, n):
    """Sums of each sample type, by the label of the process."""
    with open(path, "rb") as f:
        top = list(fields(f.read()))
    text = [v.decode() for k, v in top if k == 6]
    types = [text[dict(fields(v))[1]] for k, v in top if k == 1]
    sums = collections.defaultdict(collections.Counter)
    for k, v in top:
        if k != 2:
            continue
        sample = list(fields(v))
        values = next(packed(b) for i, b in sample if i == 2)
        labels = {text[m[1]]: text[m.get(2, 0)] for m in (dict(fields(b)) for i, b in sample if i == 3)}
        for name, value in zip(types, values):
            sums[labels.get("process")][name] += value
    return [{k: v for k, v in sums[p].items() if v} for p in ([None] if n == 1 else sorted(sums, key=lambda p: int(p.split()[0])))]


def chrome(path, n):
    """Events of each process but counters, some of which have a point a ms of the output's time."""
    of = collections.Counter(e["pid"] for e in json.loads(read(path))["traceEvents"] if e["ph"] not in "MC")
    return [of[i + 1] for i in range(n)]


def table(path, n):
    of = collections.Counter(r["process"] for r in csv.DictReader(read(path).splitlines()))
    return [of[str(i + 1)] for i in range(n)]


def sqlite(path, n):
    db = sqlite3.connect(path)
    of = dict(db.execute("select process, count(*) from slice s, thread t where s.thread = t.id group by process"))
    samples = dict(db.execute("select process, count(*) from sample s, thread t where s.thread = t.id group by process"))
    db.close()
    return [(of.get(i + 1, 0), samples.get(i + 1, 0)) for i in range(n)]


def perf_test(path, n):
    return [(r["Name"], r["SampleGroups"]) for r in json.loads(read(path))["Results"]]


def lcov(path, n):
    return [re.findall("^(?:SF|DA|FNDA):.*$", read(path), re.M)]


# By form: what it holds of each input; whether inputs have parts of their own in it.
FORMS = {"folded": (folded, True), "pprof": (pprof, False), "chrome": (chrome, True), "csv": (table, True), "sqlite": (sqlite, True),
         "perf-test": (perf_test, False), "lcov": (lcov, False)}


def has_all(whole, one):
    """Whether what the output holds of one input alone is among what it holds of all."""
    return one in whole or (isinstance(one, list) and one and all(x in whole[0] for x in one))


alone = {}
for form, (look, _) in FORMS.items():
    for name, path in INPUTS.items():
        status, _, out = convert(form, [path])
        alone[form, name] = look(out, 1)[0] if status == 0 else None
        if status == 0 and not alone[form, name]:
            alone[form, name] = None

sets = list(itertools.permutations(INPUTS, 2)) + list(itertools.combinations(INPUTS, 3))
for form, (look, own) in FORMS.items():
    for names in lot.some(sets, 12, form):
        what = "%s of %s" % (form, " and ".join(names))
        status, err, out = convert(form, [INPUTS[n] for n in names])
        said = [n for n in names if re.search(r"^tracetool: %s: .*%s" % (form, re.escape(INPUTS[n])), err, re.M)]
        if all(alone[form, n] is None for n in names):
            suite.equal(what + ": refused, or empty", status in (0, 2), True)
            continue
        suite.equal(what + ": status", status, 0)
        if status != 0:
            continue
        parts = look(out, len(names))
        for i, n in enumerate(names):
            if alone[form, n] is None:
                # What has nothing for the form is named where the form is made of such things alone.
                if form in ("perf-test", "lcov"):
                    suite.check("%s: %s is named" % (what, n), None if n in said else err)
                continue
            whole = parts[i] == alone[form, n] if own else has_all(parts, alone[form, n])
            suite.check("%s: %s is in it, or named" % (what, n), None if whole or n in said else err)

# A capture with calls and samples has two weights, and the first screen says how many captures have frames.
for first, second in (("frames", "calls"), ("calls", "frames")):
    p = subprocess.run([TRACETOOL, "stats", INPUTS[first], INPUTS[second], "--table", "frames", "--format", "json"], capture_output=True, text=True)
    notes = [n["text"] for n in json.loads(p.stdout)["notes"] if n["id"] == "no_frames"]
    suite.equal("the capture without frames is named", [INPUTS["calls"] in t and INPUTS["frames"] not in t for t in notes], [True])
    p = subprocess.run([TRACETOOL, INPUTS[first], INPUTS[second]], capture_output=True, text=True)
    suite.check("the first screen says it", None if "in 1 of 2 captures" in " ".join(p.stdout.split()) else p.stdout)

# A comparison of time in calls says that it does not compare samples.
SAMPLED, CALLS = ("good-d02-gameloop-sample-v14", "good-d16-mono421-v11-sample"), ("good-d08-recursion-calls", "good-d12-mono421-v11-calls")
for a, b in itertools.product(SAMPLED[:1] + CALLS[:1], SAMPLED[1:] + CALLS[1:]):
    paths = [os.path.join(TESTDATA, "mlpd", n + ".mlpd") for n in (a, b)]
    p = subprocess.run([TRACETOOL, "diff", *paths, "--format", "json"], capture_output=True, text=True)
    notes = [n["text"] for n in json.loads(p.stdout)["notes"] if n["id"] == "samples"]
    first = [path for path, n in zip(paths, (a, b)) if n in SAMPLED][:1]
    suite.equal("diff of %s and %s: samples that are not compared" % (a, b), [f for f in first if notes and f in notes[0]], first)
    suite.equal("diff of %s and %s: notes" % (a, b), len(notes), len(first))

# Rows of one input are those of it alone: what only another input knows is not 0 here.
TABLES = "threads,frame_threads,frame_markers,frame_gc,counters,counter_values,spanning_zones"


def tables(*paths):
    p = subprocess.run([TRACETOOL, "stats", "-q", "--align", "start", "--limit", "0", "--format", "json", "--table", TABLES, *paths],
                       capture_output=True, text=True)
    return {k: t["rows"] for k, t in json.loads(p.stdout)["tables"].items()}


def rows_of(rows, process):
    """Without what counts over all inputs: numbers of threads, also in the names of those without a name."""
    rows = [{k: v for k, v in r.items() if k not in ("process", "number")} for r in rows if r["process"] == process]
    return [dict(r, thread=re.sub(r"^Thread \d+$", "Thread", r["thread"])) if r.get("thread") else r for r in rows]


one = {n: tables(p) for n, p in INPUTS.items()}
for names in lot.some(itertools.permutations(INPUTS, 2), 8, "tables"):
    for table_, rows in tables(*[INPUTS[n] for n in names]).items():
        for i, n in enumerate(names):
            suite.equal("%s of %s, beside others in %s" % (table_, n, " and ".join(names)), rows_of(rows, i + 1), rows_of(one[n].get(table_, []), 1))

# An input without events is named, whatever the inputs before it lost; one whose loss explains it is not.
OTHERS = {"cut": "raw/bad-cut.raw", "damaged": "data/bad-tree.data", "gap": "raw/bad-gap.raw", "whole": "mlpd/good-d05-monitors.mlpd",
          "empty": "data/bad-no-frames.data"}
OTHERS = {k: os.path.join(TESTDATA, v) for k, v in OTHERS.items()}
OTHERS["headers"] = suite.path("headers.raw")
with open(os.path.join(TESTDATA, "raw", "good-2019-every.raw"), "rb") as f, open(OTHERS["headers"], "wb") as to:
    to.write(f.read(36))
for names in lot.some(itertools.permutations(OTHERS, 3), 24, "empty"):
    for verb in (("stats", "--table", "loss"), ("convert", "-o", suite.path("out.json"))):
        p = subprocess.run([TRACETOOL, *verb, "--align", "start", *[OTHERS[n] for n in names]], capture_output=True, text=True)
        said = re.findall("^tracetool: (.*) has no event: ", p.stderr, re.M)
        suite.equal("%s of %s: what has no event" % (verb[0], " and ".join(names)), said, [OTHERS[n] for n in names if n in ("empty", "headers")])
suite.end()
