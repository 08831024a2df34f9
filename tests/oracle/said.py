#!/usr/bin/env python3
"""A figure printed in several places is the same in all; a figure that cannot be printed is reported.

    said.py TRACETOOL CALLS_GEN MLPD_GEN

- Doubles of counters are in tables what they are in the events.
- A counter has one name, section, unit and value, in tables, CSV, Chrome JSON and databases.
- "calls" of threads are what the markers of the program count; what tracetool makes of collections, locks and exceptions is none.
- Zones cut off by damage are as many in the table of threads as in the ledger.
- Depths are those of zones that are shown.
- Chrome JSON has as many names as there are markers, and as many exceptions as were thrown.
- Time in which nothing lies is told.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import csv
import io
import json
import math
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end
from suite import TOP

TRACETOOL, CALLS_GEN, MLPD_GEN = sys.argv[1:4]
DATA = os.path.join(TOP, "testdata", "mlpd")
OWN = ("GC.Pause", "GC.Stop", "GC.Collect gen", "Contention", "Exception", "JIT", "(more paths)")
work = tempfile.TemporaryDirectory(prefix="tracetool-said.")


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, errors="replace", timeout=120)


def tables(path, ids, *args):
    p = run("stats", "-q", "--format", "json", "--limit", "0", "--table", ids, path, *args)
    return {k: t["rows"] for k, t in json.loads(p.stdout)["tables"].items()} if p.returncode in (0, 3) else {}


def good(name):
    return os.path.join(DATA, "good-%s.mlpd" % name)


def captures():
    made = os.path.join(work.name, "made.mlpd")
    subprocess.run([MLPD_GEN, "17", "8", "3", made], check=True)
    return [made, os.path.join(TOP, "testdata", "capture", "good-v1.0-every-kind.ttc"), good("d04-exceptions"), good("d05-monitors"),
            good("d01-gameloop-calls-alloc"), good("d10-counters-zip"), good("d06-gcmoves-handles")]


def doubles():
    """Every value of counters that are doubles: in the events as recorded, in tables of all forms, in the unit of the table."""
    sys.path.insert(0, os.path.join(TOP, "tests", "unity"))
    import ttc
    values = [0.000252, 1e-7, 1 / 3, 123456.789012, 0.58, 2.5, -0.0004, 7.0, 1e15 + 0.125]
    c = ttc.Capture()
    keys = [(c.counter(name, unit), name) for unit, name in ((0, "plain"), (2, "bytes"), (4, "percent"), (1, "ns"))]
    t = c.thread()
    for i, v in enumerate(values):
        for key, _ in keys:
            t.counter(1000 * (i + 1), key, ttc.F64, v)
    path = os.path.join(work.name, "doubles.ttc")
    c.write(path)
    for _, name in keys:
        got = [r["value"] for r in tables(path, "counter_values")["counter_values"] if r["counter"] == name]
        check(got == values, "doubles of %s in JSON" % name, got)
        row = next(r for r in tables(path, "counters")["counters"] if r["counter"] == name)
        check((row["min"], row["max"], row["last"]) == (min(values), max(values), values[-1]), "and their extremes", row)
        check(abs(row["mean"] - sum(values) / len(values)) < 1e-6, "and their mean", row)
    out = run("stats", "-q", "--format", "csv", "--limit", "0", "--table", "counter_values", path).stdout
    got = [float(r["value"]) for r in csv.DictReader(io.StringIO(out)) if r["counter"] == "plain"]
    check(got == values, "doubles in CSV", got)
    text = run("stats", "-q", "--table", "counter_values", "--limit", "0", path).stdout
    check("0.000252" not in text and "0.0002" not in text and "123,456.7" in text, "people see them rounded", text)
    share = [r for r in tables(good("d10-counters-zip"), "counter_values")["counter_values"] if r["counter"].startswith("CPU Load")]
    check(sorted({r["value"] for r in share}) == [31, 45, 58], "a fraction is a round number of percent", share)


def counters(path, *more):
    """Name, section, unit and value of every value of a counter, in any order: tables have that of time, files that of threads."""
    what = os.path.basename(path)
    want = [(r["counter"], r["section"] or "", r["unit"], float(r["value"])) for r in tables(path, "counter_values", *more).get("counter_values", [])]
    out = run("convert", "-q", "-f", "csv", "-o", "-", path, *more).stdout
    got = [(r["name"], r["category"], r["detail"], float(r["value"]))
           for r in csv.DictReader(io.StringIO(out)) if r["kind"] == "counter" and r["value"]]
    check(sorted(got) == sorted(want), "counters of %s in CSV" % what, set(got) ^ set(want))
    finite = [w for w in want if math.isfinite(w[3])]
    made_json, database = os.path.join(work.name, "c.json"), os.path.join(work.name, "c.sqlite")
    run("convert", "-q", path, "-o", made_json, *more)
    with open(made_json, encoding="utf-8") as f:
        rows = [e for e in json.load(f)["traceEvents"] if e["ph"] == "C" and e["name"] not in ("GC heap size", "GC.Alloc")]
    # Tracks of one name in several sections or units have these behind it.
    got = [(re.sub(r"( \[[^][]*\])?( \([^()]*\))?$", "", e["name"]), e.get("cat", ""), unit, float(v)) for e in rows for unit, v in e["args"].items()]
    check(sorted(got) == sorted(finite), "counters of %s in Chrome JSON" % what, set(got) ^ set(finite))
    if run("convert", "-q", path, "-o", database, *more).returncode in (0, 3):
        db = sqlite3.connect(database)
        got = [(*r[:3], float(r[3])) for r in db.execute("SELECT name, ifnull(section, ''), unit, value FROM counter_value v "
                                                         "JOIN counter c ON c.id = v.counter WHERE unit IS NOT NULL ORDER BY v.rowid")]
        db.close()
        check(sorted(got) == sorted(want), "counters of %s in the database" % what, set(got) ^ set(want))
    check(len(want) > 0, "counters of " + what)


def odd_counters():
    """Two of a name, sections and descriptions that are missing, and values that are beyond 64 bits in percent."""
    import ttc
    c = ttc.Capture(5)
    keys = [c.counter("Load", 4, "CPU"), c.counter("Load", 2, "GPU"), c.counter("bare", 0)]
    t = c.thread()
    for i, v in enumerate((0, 5, 2 ** 63 - 1)):
        for key in (*keys, 4321):
            t.counter(1000 * (i + 1), key, ttc.I64, v)
    path = os.path.join(work.name, "odd.ttc")
    c.write(path)
    counters(path)
    rows = tables(path, "counters")["counters"]
    check([r["counter"] for r in rows] == ["Load", "Load", "bare", "(unknown counter 4321)"], "no name begins like a comment", rows)


def calls(path):
    t = tables(path, "threads,markers,loss", "--wrappers", "--names", "full")
    threads = sum(r["calls"] for r in t["threads"])
    markers = sum(r["count"] for r in t["markers"] if not r["marker"].startswith(OWN))
    check(threads == markers, "calls of %s" % os.path.basename(path), (threads, markers))
    lost = sum(r["count"] for r in t["loss"] if r["kind"] == "open")
    check(sum(r["open_at_end"] for r in t["threads"]) == lost, "open in %s" % os.path.basename(path), t["loss"])


def damage(path, seeds):
    data = open(path, "rb").read()
    for seed in range(seeds):
        rnd = random.Random(seed)
        b = bytearray(data)
        at = rnd.randrange(200, len(b))
        for i in range(at, min(len(b), at + rnd.choice((1, 16, 300)))):
            b[i] = rnd.randrange(256)
        bad = os.path.join(work.name, "bad")
        with open(bad, "wb") as f:
            f.write(b)
        t = tables(bad, "threads,loss")
        if not t:
            continue
        lost = sum(r["count"] for r in t["loss"] if r["kind"] == "open")
        check(sum(r["open_at_end"] for r in t["threads"]) == lost, "open after damage %d of %s" % (seed, os.path.basename(path)), t["loss"])


def made(name, lines):
    path = os.path.join(work.name, name + ".mlpd")
    text = "\n".join("\t".join(str(w) for w in line) for line in lines) + "\n"
    subprocess.run([CALLS_GEN, path], input=text, text=True, check=True)
    return path


def depths():
    alloc = "(wrapper alloc) object:ProfilerAllocSmall (intptr,intptr)"
    path = made("depths", [("method", 1, "A:Go ()"), ("method", 2, alloc), ("method", 3, "B:Inside ()"), ("enter", 0, 0, 1),
                           ("enter", 10, 0, 2), ("enter", 20, 0, 3), ("leave", 30, 0, 3), ("leave", 40, 0, 2), ("enter", 50, 0, 3),
                           ("leave", 60, 0, 3), ("leave", 100, 0, 1)])
    row = next(r for r in tables(path, "markers")["markers"] if r["marker"] == "B:Inside")
    check((row["depth_min"], row["depth_max"]) == (2, 2), "depth without wrappers", row)
    row = next(r for r in tables(path, "markers", "--wrappers")["markers"] if r["marker"] == "B:Inside")
    check((row["depth_min"], row["depth_max"]) == (2, 3), "depth with them", row)


def overloads():
    names = ["Game.A:Go (int)", "Game.A:Go (string)", "Other.A:Go (int)", "Game.A:Once (int)", "Game.A:Go (string)"]
    lines = [("method", i, n) for i, n in enumerate(names, 1)]
    for i in range(len(names)):
        lines += [("enter", i * 10, 0, i + 1), ("leave", i * 10 + 5, 0, i + 1)]
    out = os.path.join(work.name, "o.json")
    for form, want in (("short", {"A:Go (string)", "Game.A:Go (int)", "Other.A:Go (int)", "A:Once"}), ("full", set(names))):
        run("convert", "-q", "--names", form, made("overloads", lines), "-o", out)
        got = {e["name"] for e in json.load(open(out))["traceEvents"] if e.get("ph") == "X"}
        check(got == want, "names of overloads, " + form, got)


def exceptions():
    """One exception is one slice and counts once, however many methods it leaves; ends and begins nest."""
    out = os.path.join(work.name, "x.json")
    for name in ("d04-exceptions", "d04-exceptions-v15", "d04-exceptions-v04"):
        path = good(name)
        run("convert", "-q", path, "-o", out)
        slices = sum(e.get("ph") == "X" and e["name"] == "Exception" for e in json.load(open(out))["traceEvents"])
        row = next(r for r in tables(path, "markers")["markers"] if r["marker"] == "Exception")
        throws = sum(r["count"] for r in tables(path, "exceptions")["exceptions"])
        check(slices == row["count"] == throws > 0, "%s: one exception, one slice" % name, (slices, row["count"], throws))
        check(row["min_ns"] <= row["mean_ns"] <= row["max_ns"], "%s: mean within the extremes" % name, row)
        run("convert", "-q", "--begin-end", path, "-o", out)
        stack, last, wrong, began = {}, {}, 0, 0
        for e in json.load(open(out))["traceEvents"]:
            if e.get("ph") not in ("B", "E"):
                continue
            st = stack.setdefault(e["tid"], [])
            wrong += e["ts"] < last.get(e["tid"], 0)
            last[e["tid"]] = e["ts"]
            if e["ph"] == "B":
                st.append(e["name"])
                began += e["name"] == "Exception"
            elif not st or st.pop() != e.get("name", e.get("name")) and "name" in e:
                wrong += 1
        check(wrong == 0 and began == throws, "%s: begins and ends nest" % name, (wrong, began, throws))


def nothing():
    path, out = good("d01-gameloop-calls-alloc"), os.path.join(work.name, "x.")
    p = run("stats", path, "--time", "1000-")
    check(p.returncode == 0 and "nothing lies in --time: the capture lasts from" in p.stdout, "--time past the end is told", p.stdout)
    p = run("stats", path, "--time", "0-")
    check("nothing lies in" not in p.stdout, "and only then", p.stdout)
    p = run("convert", path, "--time", "1000-", "-o", out + "json")
    check(p.returncode == 0 and "nothing lies in --time" in p.stderr, "in convert, too", p.stderr)
    both = [path, good("d08-recursion-calls")]
    p = run("diff", "--time", "1.025-", both[0], "--", both[1])
    check(both[1] + ": nothing lies in --time: the capture lasts from" in p.stdout and
          both[0] + ": nothing" not in p.stdout, "diff names the captures", p.stdout)
    p = run("diff", both[0], "--", both[1])
    check("nothing lies in" not in p.stdout, "and only such captures", p.stdout)


doubles()
counters(good("d10-counters-zip"))
counters(os.path.join(TOP, "testdata", "capture", "good-v1.0-every-kind.ttc"))
counters(os.path.join(TOP, "testdata", "raw", "good-2019-every.raw"))
odd_counters()
for c in captures():
    calls(c)
for c in captures():
    damage(c, 25)
depths()
overloads()
exceptions()
nothing()
work.cleanup()
end()
