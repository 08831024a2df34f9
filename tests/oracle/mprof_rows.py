#!/usr/bin/env python3
"""Every row of the table "In place of mprof-report" in tracetool-mlpd(7), run.

    mprof_rows.py TRACETOOL

Both commands of a row read the same capture of testdata; both must succeed, and tracetool must print
something. Where mprof-report's figure is right it is compared.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.path.join(TOP, "testdata", "mlpd")
TRACKED = "0x7f4e4c8170e8"      # an object of d06 that moves

# The capture that has what a row is about, by a word in it; the first that matches.
CAPTURES = [("sample", "d02-gameloop-sample"), ("monitor", "d05-monitors"), ("exception", "d04-exceptions"),
            ("heapshot", "d07-heapshot"), ("counters", "d10-counters-zip"), ("coverage", "d14-mono462-v13-coverage"),
            ("jit", "d02-gameloop-sample"), ("gc", "d06-gcmoves-handles"), ("alloc", "d03-alloc-bt"),
            ("find", "d06-gcmoves-handles"), ("track", "d06-gcmoves-handles"), ("call", "d01-gameloop-calls-alloc")]


def rows():
    page = open(os.path.join(TOP, "man", "tracetool-mlpd.7")).read()
    table = re.search(r'\.\\" begin mprof\n(.*?)\.\\" end mprof', page, re.S).group(1)
    found = re.findall(r"^\.It Ql (.*) Ta Ql (.*)$", table, re.M)
    assert len(found) > 30 and len(found) == table.count("\n.It Ql"), "the table does not look as this test knows it"
    return found


def run(command, expect=(0,)):
    p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    if p.returncode not in expect:
        raise AssertionError("%s: exit status %d: %s" % (" ".join(command), p.returncode, p.stderr.strip()[:200]))
    return p.stdout


def first(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else None


def total(tables, table, column):
    return sum(r[column] or 0 for r in tables[table]["rows"])


# What to compare: a word of the row -> what mprof-report prints, what tracetool has.
FIGURES = {
    "--reports=exception FILE": (r"Throws: (\d+)", lambda t: total(t, "exceptions", "count")),
    "--reports=exception --traces FILE": (r"Throws: (\d+)", lambda t: total(t, "exception_sites", "count")),
    "--reports=monitor FILE": (r"Lock contentions: (\d+)", lambda t: total(t, "contention", "contended")),
    "--reports=monitor --traces FILE": (r"Lock acquired: (\d+)", lambda t: total(t, "contention_sites", "waits")),
    "--reports=gc FILE": (r"Object moves: (\d+)", lambda t: total(t, "gcalloc", "moves")),
    "--reports=sample FILE": (r"(\d+)\s+[\d.]+ __nptl_death_event", lambda t: t["sample_native"]["rows"][0]["samples"]),
    "--reports=jit FILE": (r"JIT helpers: (\d+)", lambda t: total(t, "jit_helpers", "count")),
    "--reports=heapshot FILE": (r"Heap shot 4 .*object count: (\d+)", lambda t: t["heapshots"]["rows"][4]["objects"]),
    "--reports=counters FILE": (r"Page Faults\s*: (\d+)", lambda t: next(
        r["last"] for r in t["counters"]["rows"] if r["counter"] == "Page Faults")),
    "--reports=alloc FILE": (r"Total memory allocated: (\d+) bytes", lambda t: total(t, "alloc_classes", "bytes")),
}


def check(mprof, ours, temp):
    capture = next((c for word, c in CAPTURES if word in mprof), "d01-gameloop-calls-alloc")
    path = os.path.join(DATA, "good-%s.mlpd" % capture)
    out = os.path.join(temp, "out")

    def words(text, extra):
        names = {"FILE": path, "OUT": out, "ADDRESS": TRACKED, "NAME": "Main", "ID": "0x7ff7e34efbc0"}
        names.update(extra)
        return [re.sub("|".join(names), lambda m: names[m.group(0)], w) for w in text.split()]

    theirs = run(["mprof-report", *words(mprof, {"OUT": os.path.join(temp, "theirs")})])
    mine = run([sys.argv[1], *words(ours, {})])
    if "-o" in ours.split():
        mine = open(out, errors="replace").read()
    assert mine.strip(), "%s: tracetool prints nothing" % ours
    if "--table" in ours or "--find" in ours or "--track" in ours:
        tables = json.loads(run([sys.argv[1], *words(ours, {}), "-q", "--format", "json"]))["tables"]
        empty = [n for n, t in tables.items() if not t["rows"]]
        assert not empty, "%s: no rows in %s" % (ours, ", ".join(empty))
        pattern, of = FIGURES.get(mprof, (None, None))
        if of and first(pattern, theirs) is not None:
            assert first(pattern, theirs) == of(tables), "%s: %d, mprof-report has %d" % (
                ours, of(tables), first(pattern, theirs))
        elif of:
            raise AssertionError("%s: mprof-report does not print what this test compares" % mprof)
        if "--track" in mprof:
            to = re.search(r"moved to (0x[0-9a-f]+)", theirs).group(1)
            assert to in [r["object"] for r in tables["objects_tracked"]["rows"]], "the object does not move to " + to
        if "--find" in mprof:
            listed = set(re.findall(r"Object (0x[0-9a-f]+) created", theirs))
            assert {r["object"] for r in tables["objects_found"]["rows"]} <= listed, "found, but not by mprof-report"


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temp:
        for mprof, ours in rows():
            try:
                check(mprof, ours, temp)
                passed += 1
            except (AssertionError, KeyError, IndexError) as e:
                failed += 1
                print("%s: %s" % (mprof, e))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
