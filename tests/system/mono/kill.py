#!/usr/bin/env python3
"""kill -9 of real programs at random moments: what was recorded is read back, whole.

The program reports after every 500 calls how many it has made; those, the capture and what its ring adds must have. Seeded.
"""
import os
import random
import signal
import struct
import subprocess
import time

import kit

KILLS = 200 if kit.LONG else 12
OPTIONS = ["calls", "calls,alloc,gc", "calls,alloc,alloc-stack=4,exceptions,monitor,jit", "calls,keep=60s,ring=128M", "calls,ring=4M,counters=20ms",
           "calls,rotate-size=1M", "calls,sample=2000"]
QUIET = ("open", "popped", "killed")


def one(i, options, wait):
    path = kit.capture("killed.ttc")
    for f in os.listdir(kit.FOLDER):
        if f.startswith("killed"):
            os.unlink(os.path.join(kit.FOLDER, f))
    p = subprocess.Popen(["mono", "--profile=tracetool:%s,out=%s" % (options, path), kit.program("Rough"), "count"], env=kit.ENV,
                         cwd=kit.FOLDER, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    p.stdout.read(4)
    time.sleep(wait)
    p.send_signal(signal.SIGKILL)
    told = p.stdout.read()
    p.wait()
    told = struct.unpack("<i", told[len(told) // 4 * 4 - 4:][:4])[0] if len(told) >= 4 else 500
    calls = dropped = 0
    bad = []
    for f in sorted(os.listdir(kit.FOLDER)):
        if not f.startswith("killed") or not f.endswith(".ttc"):
            continue
        t = kit.stats(os.path.join(kit.FOLDER, f), "markers,loss")
        calls += kit.counts(t["markers"], "marker", "count").get("Rough:MarkStep (int)", [0])[0]
        dropped += sum(r["count"] for r in t["loss"] if r["kind"] == "dropped")
        bad += [r for r in t["loss"] if r["kind"] not in QUIET + ("dropped",)]
    # Where the ring was full, events are dropped and counted: two for a call.
    kit.check(bad == [] and told <= calls + dropped, "%d: %s, killed after %.3f s" % (i, options, wait), told, calls, dropped, bad)
    kit.forget_rings(kit.FOLDER)
    return told


def crashes():
    """A crash inside the heap, whose lock the runtime's crash handler then waits for: the process ends by its signal, with its capture."""
    path = kit.capture("crashed.ttc")
    p = subprocess.Popen(["mono", "--profile=tracetool:calls,out=" + path, kit.program("Aborts"), "heap"], env=kit.ENV, cwd=kit.FOLDER,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        status = p.wait(120)
    except subprocess.TimeoutExpired:
        p.kill()
        status = p.wait()
    kit.check(status == -signal.SIGABRT, "a crash inside the heap ends the process by SIGABRT", status)
    names = kit.counts(kit.stats(path, "markers")["markers"], "marker", "count")
    kit.check(any(n.startswith("Aborts:Main") for n in names), "its capture has the calls before the crash", sorted(names)[:5])
    kit.forget_rings(kit.FOLDER)


kit.compile("Rough", "Aborts")
dice = random.Random(20261120)
total = sum(one(i, OPTIONS[i % len(OPTIONS)], dice.random() * (0.6 if kit.LONG else 0.3)) for i in range(KILLS))
crashes()
print("%d kills, %d calls acknowledged before them" % (KILLS, total))
kit.end()
