"""Every emitter tells as many markers apart as the table of markers has: a program of overloads, recorded by Mono's log profiler and by our
module; a log of Unity with one name in several categories, and with a marker called as zones are that tracetool makes; markers that are really
called as others are where names are told apart.

A reader of each format says which names its zones have. Table and emitters are of the main thread alone, and of whole frames, for two formats
have nothing else.
"""
import ast
import csv
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys

import kit
from count import check, same

sys.path[:0] = [os.path.join(kit.TOP, "tests", "oracle"), os.path.join(kit.TOP, "tests", "unity")]
import pdata_file
import pftrace
import raw_log
import ttc


def of_chrome(path):
    events = json.load(open(path, encoding="utf-8"))["traceEvents"]
    return {e["name"] for e in events if e["ph"] in "XB" and e.get("cat") != "Frame"}


def of_perfetto(path):
    """The reader has a line for each begin: its time, track, name as Python prints texts, categories."""
    begins = (re.match(r"\d+ begin .*? ('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\") <(.*)>", line) for line in pftrace.load(path).lines())
    return {ast.literal_eval(m.group(1)) for m in begins if m and m.group(2) != "Frame"}


def of_csv(path):
    return {r["name"] for r in csv.DictReader(open(path, newline="", encoding="utf-8")) if r["kind"] == "zone"}


def of_folded(path):
    """Every frame but the outermost, the thread."""
    return {f for line in open(path, encoding="utf-8") for f in line.rpartition(" ")[0].split(";")[1:]}


def of_pprof(path):
    """Functions, with the strings they are called by: fields 5 and 6 of a profile; a function's name is its field 2."""
    data = open(path, "rb").read()
    fields = list(pftrace.fields(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
    texts = [v.decode() for n, v in fields if n == 6]
    return {texts[dict(pftrace.fields(v))[2]] for n, v in fields if n == 5}


def of_pdata(path):
    frames = pdata_file.Pdata(open(path, "rb").read()).frames
    return {name for _, _, threads in frames for marks in threads.values() for name, _, _ in marks}


def of_firefox(path):
    """Functions, which must be those of zones that are markers."""
    doc = json.load(open(path, encoding="utf-8"))
    strings, functions = doc["shared"]["stringArray"], {doc["shared"]["stringArray"][n] for n in doc["shared"]["funcTable"]["name"]}
    zones = {strings[n] for t in doc["threads"] for n, phase in zip(t["markers"]["name"], t["markers"]["phase"]) if phase == 1} - {"Frame"}
    check(functions == zones, "firefox: functions and zones have the same names", functions ^ zones)
    return functions


def of_perf_test(path):
    """Groups but those that the manual lists; a marker called like one of these has "(marker)" behind it."""
    names = [g["Name"] for r in json.load(open(path, encoding="utf-8"))["Results"] for g in r["SampleGroups"]]
    check(len(set(names)) == len(names), "perf-test: groups have names of their own", names)
    own = ("FrameTime", "GC.Alloc", "GC.Alloc.Count", "GC.Pause")
    return {n.removesuffix(" (marker)") for n in names if n not in own and not n.startswith("FrameTime.")}


def of_sqlite(path):
    return {r[0] for r in sqlite3.connect(path).execute("SELECT DISTINCT marker FROM slices")}


READERS = {"chrome": of_chrome, "csv": of_csv, "folded": of_folded, "pprof": of_pprof, "firefox": of_firefox, "pdata": of_pdata, "perf-test": of_perf_test,
           "sqlite": of_sqlite, "perfetto": of_perfetto}


def convert(path, emitter, *args):
    out = kit.capture("out." + emitter)
    p = subprocess.run([kit.TRACETOOL, "convert", "-q", "--force", "-f", emitter, "-o", out, path, *args], capture_output=True, text=True)
    check(p.returncode == 0, "%s of %s" % (emitter, path), p.stderr)
    return out


def one(what, path, some, many, *options, alike=True):
    """Hold the ${many} names that match ${some}: those of the table, and of each emitter. ${alike}: they are the same texts."""
    for form in ("short", "full"):
        args = ["--thread", "Main*", "--names", form, *options]
        p = subprocess.run([kit.TRACETOOL, "stats", "-q", path, "--table", "markers", "--limit", "0", "--format", "json", *args],
                           capture_output=True, text=True)
        rows = [r["marker"] for r in json.loads(p.stdout)["tables"]["markers"]["rows"]]
        labels = {n for n in rows if re.match(some, n)}
        check(len(labels) == many and len(set(rows)) == len(rows), "%s: markers" % what, p.stdout, p.stderr)
        for emitter, read in READERS.items():
            have = {n for n in read(convert(path, emitter, *args, *(["--marker", "*"] * (emitter == "perf-test")))) if re.match(some, n)}
            # pprof has full names in both forms. Formats written as events come tell names apart from GC.Pause, which the capture has none of; folded stacks
            # have no ";" in a name and no number at its end.
            if emitter == "pprof" or not alike:
                same("%s: %s names of %s: how many" % (what, form, emitter), len(have), len(labels))
            else:
                same("%s: %s names of %s" % (what, form, emitter), sorted(have), sorted(labels))


def unity(name):
    """Frames in which one name is in three categories, and a marker is called GC.Pause, as zones are that tracetool makes."""
    log = raw_log.Log(1000)
    names = ["Load", "Load", "Load", "GC.Pause"]
    log.block(raw_log.SESSION, b"".join(raw_log.marker(10 + i, n, category=c) for i, (n, c) in enumerate(zip(names, (1, 5, 16, 6)))))
    for k in range(12):
        at = 1000 + 10 * k
        log.frame(at, raw_log.sample(36, 0, at) + b"".join(raw_log.zone(10 + i, at + 1 + i, at + 1.5 + i) for i in range(4)) +
                  raw_log.zone(1, at + 7, at + 8) + raw_log.sample(37, 0, at + 9))
    log.block(raw_log.SESSION, raw_log.state(0, 1120))
    return log.write(kit.capture(name))


# Names with their categories. Of each group all are called as another of them is where names are told apart, or shown short.
HOSTILE = [("Foo", "Scripts"), ("Foo", "Render"), ("Foo [Scripts]", "Scripts"), ("Foo [Scripts]", "Other"), ("Foo [Scripts] [Scripts]", "Scripts"),
           ("Foo [Scripts] (2)", "Scripts"), ("Foo [Render]", "Other"),
           ("Game.A:Go (int)", "Scripts"), ("Game.A:Go (string)", "Scripts"), ("Game.A:Go (int)", "Render"), ("More.A:Go (int)", "Scripts"),
           ("A:Go (int)", "Scripts"), ("A:Go", "Scripts"), ("A:Go (int) [Scripts]", "Scripts"), ("Game.A:Go (int) [Scripts]", "Scripts"),
           ("GC.Pause", "Scripts"), ("GC.Pause (marker)", "Scripts"), ("GC.Pause (marker) (marker)", "Scripts"), ("FrameTime", "Scripts"),
           ("Load level 3", "Scripts"), ("Load level 3_", "Scripts"), ("a;b", "Scripts"), ("a:b", "Scripts"), ("a:b #2", "Scripts"), ("", "Scripts"),
           ("(unnamed)", "Scripts"), ("(unknown)", "Scripts"), ("(unknown marker 3)", "Scripts")]


# Names that print alike, for no output has their control characters, and one that is really called like a number of these.
PRINTED_ALIKE = [("x\1", "Scripts"), ("x\2", "Scripts"), ("x\3", "Scripts"), ("x\4", "Scripts"), ("x\5", "Render"), ("x? (3)", "Scripts")]


def named(name, names):
    """Frames with a zone of each of the names."""
    c = ttc.Capture()
    of = {category: c.category(category, 0xff) for _, category in names}
    keys = [c.marker(n, of[category]) for n, category in names]
    t = c.thread()
    c.thread_name(t.native, "", "Main Thread")
    for k in range(4):
        t.frame(1000000 + 1000000 * k)
        for i, key in enumerate(keys):
            t.zone(1000100 + 1000000 * k + 1000 * i, 1000600 + 1000000 * k + 1000 * i, key)
    t.frame(5000000)
    return c.write(kit.capture(name))


def without_time(name):
    """Frames with zones that have no time of their own: of length 0, alone and in each other, and such as are filled by what is in them."""
    log = raw_log.Log(1000, ("Main Thread", "Work", "Mark", "Outer", "Inner", "Full", "Filler"))
    for k in range(12):
        at = 1000 + 10 * k
        log.frame(at, raw_log.sample(36, 0, at) + raw_log.zone(2, at + 1, at + 1) + raw_log.sample(36, 3, at + 2) + raw_log.zone(4, at + 2, at + 2) +
                  raw_log.sample(37, 3, at + 2) + raw_log.sample(36, 5, at + 3) + raw_log.zone(6, at + 3, at + 5) + raw_log.sample(37, 5, at + 5) +
                  raw_log.zone(1, at + 7, at + 8) + raw_log.sample(37, 0, at + 9))
    log.block(raw_log.SESSION, raw_log.state(0, 1120))
    return log.write(kit.capture(name))


kit.compile("Overloads")
stock = kit.capture("stock.mlpd")
p = subprocess.run(["mono", "--profile=log:calls,output=" + stock, kit.program("Overloads")], capture_output=True, text=True)
check(os.path.exists(stock), "Mono's log profiler records", p.stderr)
own = kit.capture("own.ttc")
p = kit.mono("calls,out=" + own, "Overloads")
check(os.path.exists(own), "our module records", p.stderr)
for what, path in (("log profiler", stock), ("module", own)):
    one(what, path, r"(Far\.)?Game:Work", 5, "--frame-marker", "Game:Tick")
one("Unity", unity("u.raw"), "Load|GC|Work", 5)
path = without_time("w.raw")
one("zones without time of their own", path, "", 6)
folded = open(convert(path, "folded"), encoding="utf-8").read().splitlines()
same("zones without time of their own: lines", folded, ["Main Thread;Full;Filler 24000000", "Main Thread;Mark 0", "Main Thread;Outer;Inner 0",
                                                      "Main Thread;Work 12000000"])
path = named("a.ttc", PRINTED_ALIKE)
one("names that print alike", path, "x", len(PRINTED_ALIKE), alike=False)
same("names that print alike have numbers in order", sorted(of_csv(convert(path, "csv"))),
     ["x? (3)"] + ["x\ufffd" + n for n in ("", " (2)", " (4)", " (5)", " (6)")])
path = named("h.ttc", HOSTILE)
one("names like labels", path, "", len(HOSTILE), alike=False)


def marked(pattern):
    """What is said of markers by ${pattern}."""
    return subprocess.run([kit.TRACETOOL, "stats", "-q", "--table", "markers", "--marker", pattern, path], capture_output=True, text=True).stdout


near = re.search(r'did you mean "(.*)"', marked("Foo [Scripts]"))
check(near and near.group(1) == "Foo \\[Scripts]" and "did you mean" not in marked(near.group(1)), "a near name is a pattern that matches it", near)
kit.end()
