#!/usr/bin/env python3
"""Heap shots with the real runtime: the objects of the log profiler's shots of the same collections."""
import csv
import io
import json
import os
import subprocess
import time

import kit


def shots(path):
    """[{class: [objects, bytes]}] of each shot, in order of time. One is written by one thread."""
    p = subprocess.Popen([kit.TRACETOOL, "convert", "-q", path, "-f", "csv"], stdout=subprocess.PIPE, text=True)
    found, open_ = [], {}
    for row in csv.DictReader(p.stdout):
        if row["kind"] == "heap_shot":
            if row["name"] == "start":
                open_[row["tid"]] = {}
                found.append((int(row["start_ns"]), open_[row["tid"]]))
        elif row["kind"] == "heap_object" and int(row["value"]):
            one = open_[row["tid"]].setdefault(row["name"], [0, 0])
            one[0] += 1
            one[1] += int(row["value"])
    kit.check(p.wait() == 0, "reading " + os.path.basename(path))
    return [rows for _, rows in sorted(found, key=lambda f: f[0])]


def agree(program, *args):
    """Both profilers see each major collection, and take a shot at each."""
    ours, theirs = kit.capture("heap.ttc"), kit.capture("heap.mlpd")
    run = kit.mono("heapshot=1gc,out=" + ours, program, *args,
                   more=["--profile=log:nodefaults,heapshot=1gc,output=" + theirs])
    kit.check(run.returncode == 0, program + ": exit status", run.returncode, run.stderr)
    a, b = shots(ours), shots(theirs)
    kit.check(len(a) == len(b) >= 2, "%s: number of shots" % program, len(a), len(b))
    for i, (x, y) in enumerate(zip(a, b)):
        kit.check_equal(x, y, "%s: objects and bytes per class in shot %d" % (program, i))
        kit.check(not any("unknown" in name for name in x), "%s: every class has a name" % program)
    a, b = (kit.stats(path, TABLES) for path in (ours, theirs))
    for table in TABLES.split(","):
        x, y = rows(a[table]), rows(b[table])
        kit.check(x and x == y, "%s: table %s" % (program, table), *[(i, j) for i, j in zip(x, y) if i != j][:5])


# Shots, differences between them, what refers to what, and paths from roots: as of the log profiler's capture.
TABLES = "heapshots,heapshot_classes,heapshot_growth,heapshot_objects,heapshot_references,heapshot_roots,heapshot_paths"


def rows(table):
    """Without times, and in how many records references came."""
    return [{k: v for k, v in row.items() if k not in ("time_ns", "continued")} for row in table]


def every_other():
    out = kit.capture("other.ttc")
    kit.mono("heapshot=1gc,out=" + out, "Heap")
    all = len(shots(out))
    out = kit.capture("other.ttc")
    kit.mono("heapshot=2gc,out=" + out, "Heap")
    kit.check(len(shots(out)) == all // 2, "heapshot=2gc takes every other", len(shots(out)), all)


def at_the_end():
    """A program that collects nothing of its own: one shot, and the game's objects are in it."""
    out = kit.capture("end.ttc")
    run = kit.mono("heapshot=end,out=" + out, "GameLoop", "20", "4")
    found = shots(out)
    kit.check(run.returncode == 0 and len(found) == 1, "heapshot=end takes one", len(found), run.stderr)
    kit.check(found and any(name.startswith("Game.") for name in found[0]), "... with the program's objects")


def at_an_interval():
    """Collections are caused where none come by themselves; also beside threads that come and go, samples and calls."""
    out = kit.capture("interval.ttc")
    p = subprocess.Popen(["mono", "--profile=tracetool:heapshot=100ms,out=" + out, kit.program("Spin"), "60000", "1", "2"],
                         env=kit.ENV, cwd=kit.FOLDER)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and written(out) < 2:
        time.sleep(0.05)
    p.kill()
    p.wait()
    kit.check(len(shots(out)) >= 2, "heapshot=100ms takes one after the other", len(shots(out)))
    subprocess.run([kit.TRACETOOL, "recover", "-q", "--remove-ring", out], check=True)
    run = kit.mono("heapshot=20ms,sample=1000,calls,alloc,gc,out=" + out, "Churn", "200")
    kit.check(run.returncode == 0 and run.stdout == "200\n", "... beside everything else", run.returncode, run.stderr)
    loss = [r for r in kit.stats(out, "loss")["loss"] if r["severity"] in ("loss", "error")]
    kit.check(not loss, "... and nothing is lost", loss)


def on_demand():
    """By the control file; beside that, none comes by itself."""
    out, control = kit.capture("demand.ttc"), os.path.join(kit.FOLDER, "control")
    p = subprocess.Popen(["mono", "--profile=tracetool:heapshot,control=%s,out=%s" % (control, out), kit.program("Ends"), "wait"],
                         stdout=subprocess.PIPE, env=kit.ENV, cwd=kit.FOLDER)
    p.stdout.readline()
    with open(control + ".new", "w") as f:
        f.write("heapshot\n")
    os.rename(control + ".new", control)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not written(out):
        time.sleep(0.05)
    p.kill()
    p.wait()
    p.stdout.close()
    kit.check(len(shots(out)) == 1, "a shot on demand, and no other", len(shots(out)))
    subprocess.run([kit.TRACETOOL, "recover", "-q", "--remove-ring", out], check=True)


def written(path):
    """How many shots are in a capture that is being written?"""
    p = subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-f", "csv"], capture_output=True, text=True, errors="replace")
    return sum(row["kind"] == "heap_shot" and row["name"] == "end" for row in csv.DictReader(io.StringIO(p.stdout)))


def slots():
    """Bytes are those of the collector's slots, in the log profiler's shots, too; the tables say so. Allocations have the objects' size."""
    ours, theirs = kit.capture("slots.ttc"), kit.capture("slots.mlpd")
    kit.mono("alloc,heapshot=1gc,out=" + ours, "Slots", more=["--profile=log:nodefaults,heapshot=1gc,output=" + theirs])
    for path in (ours, theirs):
        run = subprocess.run([kit.TRACETOOL, "stats", path, "--table", "alloc_classes,heapshot_classes", "--limit", "0", "--format", "json"],
                             capture_output=True, text=True, check=True)
        t = json.loads(run.stdout)["tables"]
        sizes = [{r["class"]: (r["count" if "count" in r else "objects"], r["bytes"]) for r in t[name]["rows"]}
                 for name in ("alloc_classes", "heapshot_classes")]
        if path == ours:
            kit.check([sizes[0].get(c) for c in ("Fits48", "Wants104", "Wants112")] == [(1000, 48000), (1000, 104000), (1000, 112000)],
                      "slots: allocations have the size of the objects", sizes[0])
        kit.check([sizes[1].get(c) for c in ("Fits48", "Wants104", "Wants112")] == [(1000, 48000), (1000, 128000), (1000, 128000)],
                  "slots: heap shots have that of the slots: " + path, sizes[1])
        kit.check("collector's slots" in (t["heapshot_classes"].get("note") or ""), "slots: the table says so", t["heapshot_classes"].get("note"))


def on_a_small_ring():
    """The collection waits for the writer: no object is dropped."""
    ours, small = kit.capture("large.ttc"), kit.capture("small.ttc")
    kit.mono("heapshot=end,out=" + ours, "Garbage")
    run = kit.mono("heapshot=end,ring=2M,out=" + small, "Garbage")
    a, b = shots(ours), shots(small)
    kit.check(len(a) == len(b) == 1, "shots of a large heap", len(a), len(b), run.stderr)
    for name in ("Garbage/Node", "Garbage.Node"):
        if name in a[0]:
            kit.check(a[0][name][0] == 200000 and a[0][name] == b[0].get(name), "200,000 objects through a ring of 2 MB",
                      a[0][name], b[0].get(name))
            return
    kit.check(False, "the nodes are in the shot", sorted(a[0])[:20])


kit.compile("Ends", "Heap", "GcMoves", "GameLoop", "Spin", "Churn", "Garbage", "Slots")
agree("Heap")
agree("GcMoves")
every_other()
at_the_end()
at_an_interval()
on_demand()
slots()
on_a_small_ring()
kit.end()
