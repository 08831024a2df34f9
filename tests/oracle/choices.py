#!/usr/bin/env python3
"""Options that choose how captures are read, against counts of the independent reader and of the files' own bytes.

    choices.py TRACETOOL

--thread with a number, --wait, --frame-thread, --align, --input-format, --time that cuts a pause, and the sentences where --frame-marker
finds no frame.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import csv
import io
import json
import os
import struct
import subprocess
import sys

import mlpd

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, same
from suite import TESTDATA

TRACETOOL = sys.argv[1]
DATA = os.path.join(TESTDATA, "mlpd")


def path_of(name):
    return os.path.join(DATA, "good-%s.mlpd" % name)


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, errors="replace", timeout=300)


def stats(table, *args):
    return json.loads(run("stats", "-q", "--format", "json", "--table", table, *args).stdout)["tables"][table]["rows"]


def zones(path):
    """Calls as (thread, name, start, end), from the events as CSV, which other tests hold against the reader."""
    rows = csv.DictReader(io.StringIO(run("convert", "-q", "-f", "csv", "-o", "-", path).stdout))
    return [(r["thread"], r["name"], int(r["start_ns"]), int(r["start_ns"]) + int(r["dur_ns"])) for r in rows if r["dur_ns"]]


def by_number(name):
    a = mlpd.analyse(path_of(name))
    tids = {"0x%x" % t.tid: t for generations in a.threads.values() for t in generations}
    numbers = [r for r in stats("threads", path_of(name))]
    for r in numbers:
        n, size = a.alloc_by_thread.get(tids[r["tid"]].label(), (0, 0))
        have = stats("gcalloc", path_of(name), "--thread", str(r["number"]))[0]
        same("%s --thread %d" % (name, r["number"]), (have["count"], have["bytes"]), (n, size))
        same("%s --thread %d: rows" % (name, r["number"]),
              [t["tid"] for t in stats("threads", path_of(name), "--thread", str(r["number"]))], [r["tid"]])


def waiting(name, frame, wait):
    """CPU-active time is wall time without the calls of the marker that --wait names, which do not call each other."""
    path = path_of(name)
    all_ = zones(path)
    begins = sorted((z[2], z[0]) for z in all_ if z[1] == frame)
    spans = [(a, b) for (a, _), (b, _) in zip(begins, begins[1:])]
    waits = [(z[2], z[3]) for z in all_ if z[1] == wait and z[0] == begins[0][1]]
    cpu = [b - a - sum(max(min(b, e) - max(a, s), 0) for s, e in waits) for a, b in spans]
    rows = {r["time"]: r for r in stats("frames", path, "--frame-marker", frame, "--wait", wait)}
    same("--wait: frames", rows["cpu"]["count"], len(cpu))
    same("--wait: the longest", rows["cpu"]["max_ns"], max(cpu))
    same("--wait: the median", rows["cpu"]["median_ns"], sorted(cpu)[(len(cpu) - 1) // 2])
    same("--wait takes time away", sum(cpu) < sum(b - a for a, b in spans), True)
    same("--wait of what is not there: nothing is known", stats("frames", path, "--frame-marker", frame, "--wait", "No:Such")[1:],
          [r for r in stats("frames", path, "--frame-marker", frame)[1:]])


def on_thread(name, frame):
    """--frame-thread: frames are between this thread's begins of the marker, whichever thread has most."""
    path = path_of(name)
    begins = {}
    for thread, zone, start, _ in zones(path):
        if zone == frame:
            begins.setdefault(thread, []).append(start)
    same("--frame-thread: several threads begin the marker", len(begins) > 1, True)
    for thread, at in begins.items():
        at.sort()
        rows = stats("frames", "--frame-marker", frame, "--frame-thread", thread, path)
        same("--frame-thread %s" % thread, (rows[0]["count"], rows[0]["max_ns"]) if rows else (0, None),
              (len(at) - 1, max((b - a for a, b in zip(at, at[1:])), default=None)))


    p = run("stats", "-q", "--table", "frames", "--frame-marker", frame, "--frame-thread", "Nobody", path)
    same("--frame-thread that there is none of", (p.returncode, "no frame begins on a thread that --frame-thread names" in p.stdout), (0, True))


def cut_pause(name):
    """Where --time begins with a collection, its pause has begun before: no pause begins, which is not that none is known; the rest is time."""
    path = path_of(name)
    at = max(start for _, zone, start, _ in zones(path) if zone.startswith("GC.Collect"))
    rest = max(end for _, zone, _, end in zones(path) if zone == "GC.Pause") - at
    row = stats("gcalloc", path, "--time", "%d.%09d-" % divmod(at, 10**9))[0]
    same(name + ": --time from a collection on", [row[c] for c in ("collections", "pauses", "pause_ns", "pause_max_ns")], [1, 0, rest, 0])


def header(path):
    """Wall clock (ms) and event clock (ns) at the start, and the smallest time base of all buffers: of data version 17."""
    b = open(path, "rb").read()
    wall, clock = struct.unpack_from("<QQ", b, 8)
    bases, at = [], 0
    while (at := b.find(b"\x01\x4c\x50\x4d", at)) >= 0:
        bases.append(struct.unpack_from("<Q", b, at + 8)[0])
        at += 48
    return wall, clock, min(bases)


def aligned():
    one, two = path_of("d01-gameloop-calls-alloc"), path_of("d05-monitors")
    (w1, c1, z1), (w2, c2, z2) = header(one), header(two)
    first = {}
    for how in ("start", "clock", "wall", "auto"):
        rows = stats("threads", "--align", how, one, two)
        first[how] = [min(r["first_ns"] for r in rows if r["process"] == p and r["first_ns"] is not None) for p in (1, 2)]
    same("--align start", first["start"], [0, 0])
    same("--align clock", first["clock"], [0, z2 - z1])
    same("--align wall", first["wall"], [0, (w2 * 10**6 - (c2 - z2)) - (w1 * 10**6 - (c1 - z1))])
    same("--align auto: clocks that agree", first["auto"], first["clock"])


def formats():
    path = path_of("d05-monitors")
    plain, named = run("stats", path), run("stats", "--input-format", "mlpd", path)
    same("--input-format mlpd", (named.returncode, named.stdout), (0, plain.stdout))
    same("--input-format capture", run("stats", "--input-format", "capture", path).returncode, 3)


def no_frames():
    path = path_of("d14-mono462-v13-coverage")             # its methods are known; their calls were not recorded
    p = run("stats", "-q", "--table", "frames", "--frame-marker", "Frame", path)
    same("--frame-marker that never begins", (p.returncode, "never begins" in p.stdout, "name the marker" in p.stdout), (0, True, False))
    p = run("stats", "-q", "--frames", "2-3", "--frame-marker", "Frame", path)
    same("--frames of it", (p.returncode, "\"Frame\" never begins" in p.stderr), (2, True))
    p = run("stats", "-q", "--frames", "2-3", path)
    same("--frames without frame marks", (p.returncode, "name a marker with --frame-marker" in p.stderr), (2, True))


def main():
    by_number("d01-gameloop-calls-alloc")
    by_number("d06-gcmoves-handles")
    waiting("d01-gameloop-calls-alloc", "World:Frame", "Emitter:Tick")
    on_thread("d01-gameloop-calls-alloc", "(wrapper stelemref) object:virt_stelemref_class_small_idepth")
    aligned()
    formats()
    no_frames()
    cut_pause("d06-gcmoves-handles")
    end()


main()
