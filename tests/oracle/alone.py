#!/usr/bin/env python3
"""A table does not depend on which other tables are asked for, nor on how: tracetool-tables(7).

    alone.py TRACETOOL HOST

Every table alone, and all tables together: of captures of each format, of which a table needs more reading than another one does, and of
flight recordings of both recorders, whose figures are of the spans that all threads have (tracetool-unity(7)). Of those, the same figures
also from the bytes in a pipe, of `batch`, and by `stats --metric`.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", d) for d in ("kit", "unity")]
import lot
from count import check, same
from suite import BUILD, LONG, TESTDATA, TOP, Suite
from ttc import Capture, text as ttc_text, varint, zigzag

TRACETOOL, HOST = map(os.path.abspath, sys.argv[1:3])
suite = Suite()
met = set()         # tables that had rows
COMES_WITH = {"--find": "objects_found", "--track": "objects_tracked", "--metric": "timeline_metrics"}       # tables that options ask for


def run(*args, stdin=None):
    return subprocess.run([TRACETOOL, *args], input=stdin, capture_output=True, timeout=300)


def text(*args):
    return run(*args).stdout.decode("utf-8", "replace")


TABLES = sorted({t for p in json.loads(text("list", "passes", "--format", "json"))["tables"]["passes"]["rows"] for t in p["tables"].split()})


def tables(names, path, stdin=None, options=()):
    """{table: its rows}, of all tables of a report without names; a table that has none is left out."""
    named = ["--table", ",".join(names)] if names else []
    p = run("stats", "-q", "--format", "json", "--limit", "0", *options, *named, path, stdin=stdin)
    if p.returncode not in (0, 3):
        return {"": p.stderr.decode("utf-8", "replace")}
    # Rows that are equal by what they are sorted by come in any order.
    return {name: sorted(t["rows"], key=json.dumps) for name, t in json.loads(p.stdout)["tables"].items() if t["rows"]}


def without_types(rows):
    """What a report of all tables has of these throws: tracetool-metrics(7), Exceptions."""
    return sorted((r["marker"], r["count"]) for r in rows if r["type"] is None) or None


def one_by_one(what, path, options=(), least=4, most=40):
    """Every table alone, or ${most} by lot, is the table that comes with all others, and the one that a report without names has."""
    every, report = tables(TABLES, path, options=options), tables((), path, options=options)
    check("" not in every and len(every) >= least, what + ": has tables", every.get("", every.keys()))
    met.update(every)
    asked = [table for option, table in COMES_WITH.items() if option in options]
    for name in lot.some(TABLES if least > 1 else every, most, what):
        same("%s: %s alone" % (what, name), tables([name], path, options=options), {n: every[n] for n in {name, *asked} if n in every})
    for name, rows in report.items():
        untyped = without_types(rows) if name == "exception_sites" and rows[0].get("type", "") is None else None
        if not untyped:
            same("%s: %s in a report" % (what, name), rows, every.get(name))
            continue
        sums = {}
        for r in every[name]:
            sums[r["marker"]] = sums.get(r["marker"], 0) + r["count"]
        same("%s: %s in a report" % (what, name), untyped, sorted(sums.items()))


def figures(path, stdin=None):
    """What a flight recording has by the tables that need least."""
    return {name: tables([name], path, stdin).get(name) for name in ("gcalloc", "markers", "threads", "categories")}


def in_spans(what, path):
    """A flight recording: one number of allocations, however it is asked for, of the spans that all threads have, and no more."""
    one_by_one(what, path, most=30)
    n = tables(["gcalloc"], path)["gcalloc"][0]["count"]
    metric = json.loads(text("stats", "-q", "--format", "json", "--metric", "gc.alloc.count.total", "--buckets", "1", path))
    same(what + ": --metric", metric["tables"]["timeline_metrics"]["rows"][0]["value"], n)
    out = suite.path("batch")
    run("batch", "-q", "-o", out, path)
    results = [json.loads(line) for line in open(os.path.join(out, "results.jsonl"))]      # the first is the record of the run
    same(what + ": batch", results[1]["metrics"]["gcalloc.count"], n)
    shutil.rmtree(out)
    data = open(path, "rb").read()
    whole = figures(path)
    same(what + ": compressed", figures(packed(path, data)), whole)
    same(what + ": from a pipe", figures("-", data), whole)


def packed(path, data):
    with gzip.open(path + ".gz", "wb", 1) as f:
        f.write(data)
    return path + ".gz"


def by_host(name, *options):
    path = suite.path(name + ".ttc")
    subprocess.run([HOST, "capture=" + path, "options=keep=150ms", "threads=6", "markers=200", "frames=200", "events=3000", "counters=0", "churn=0",
                    "fps=100", *options], capture_output=True)
    return path


def by_mono(program, *args):
    """A flight recording of a program whose threads fill the ring at different rates."""
    exe, path = suite.path(program + ".exe"), suite.path(program + ".ttc")
    subprocess.run(["mcs", "-out:" + exe, os.path.join(TOP, "tests", "system", "mono", program + ".cs")], check=True, capture_output=True)
    subprocess.run(["mono", "--profile=tracetool:calls,alloc,gc,keep=60ms,ring=1536K,out=" + path, exe, *args], check=True,
                   capture_output=True, stdin=subprocess.DEVNULL, env=dict(os.environ, LD_LIBRARY_PATH=BUILD))
    return path


def rare_tables():
    """A capture with what those of testdata lack: phases of the player loop, and lines that ran."""
    c = Capture()
    t, update = c.thread(), c.marker("Update.ScriptRunBehaviourUpdate")
    for i in range(6):
        t.frame((1 + 10 * i) * 10 ** 6)
        t.zone((2 + 10 * i) * 10 ** 6, (5 + i + 10 * i) * 10 ** 6, update)
    t.other(70 * 10 ** 6, 31, varint(1) + varint(0x6000001) + varint(2) + b"".join(map(ttc_text, ("Game", "Game.Hud", "Draw", "", "Hud.cs"))))
    t.other(70 * 10 ** 6, 32, varint(1) + b"".join(zigzag(4) + varint(n) + varint(line) + varint(5) for n, line in ((7, 10), (0, 11))))
    return c.write(suite.path("rare.ttc"))


# Of each format one by lot, with what has to be asked for: frames, objects, values over time.
ASKED = ("--find", "S:64", "--metric", "gc.alloc.bytes.total", "--buckets", "5")
FRAMES = {"d01": ("--frame-marker", "World:Frame", "--track", "0x7f088a00c1a8"), "d04": ("--frame-marker", "P:Wrap"), "d12": ("--frame-marker", "P:Boom")}
FORMATS = (["mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d06-gcmoves-handles.mlpd", "mlpd/good-d04-exceptions.mlpd",
            "mlpd/good-d05-monitors.mlpd", "mlpd/good-d07-heapshot.mlpd", "mlpd/good-d02-gameloop-sample.mlpd", "mlpd/good-d12-mono421-v11-calls.mlpd"],
           ["raw/bad-gap.raw", "raw/bad-unknown-message.raw", "raw/good-2019-every.raw", "raw/good-2022-aligned.raw"],
           ["data/good-2021.data", "data/good-5.5.data", "data/good-2022-odd.data"],
           ["capture/good-v1.0-every-kind.ttc", "demo/good-hitches.ttc.xz"])
some = [name for of in FORMATS for name in lot.some(of, 1, "alone", of[0])]
if LONG:
    some += sorted(os.path.join(d, n) for d in ("mlpd", "raw", "data", "capture") for n in os.listdir(os.path.join(TESTDATA, d))
                   if n.startswith("good-") and not n.endswith(".json"))
for name in some:
    path = os.path.join(TESTDATA, name)
    one_by_one(os.path.basename(name), path, ASKED + next((v for k, v in FRAMES.items() if "-%s-" % k in name), ()))
one_by_one("phases and lines", rare_tables(), (), 1)
CHOICES = [("--thread", "*a*"), ("--marker", "*e*"), ("--no-wait",), ("--min-duration", "10us"), ("--depth", "3"), ("--group-by", "thread"),
           ("--group-by", "namespace")]
for name in ("mlpd/good-d12-mono421-v11-calls.mlpd", "raw/good-2019-every.raw") if not LONG else some:
    for options in lot.some(CHOICES, 1, name):
        one_by_one("%s %s" % (os.path.basename(name), " ".join(options)), os.path.join(TESTDATA, name), options, 1)
in_spans("Unity, three dumps", by_host("dumps", "dump=70"))
one_by_one("Unity, killed: with its ring", by_host("killed", "die=150"), most=30)
in_spans("Mono, one thread after the other", by_mono("Churn", "300"))
in_spans("Mono, a game", by_mono("GameLoop", "300", "100"))
# Markers that may begin frames are looked for by info alone.
never = sorted(set(TABLES) - met - {"capture_frame_markers"})
check(not LONG or not never, "every table has rows in a capture that is tried", never)
suite.end()
