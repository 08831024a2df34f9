#!/usr/bin/env python3
"""A capture that is read while its program runs: tracetool-recover(1). Every command says that the program runs and takes what is there;
nothing is called damaged or missing from the capture; the ring stays, for --remove-ring refuses. After kill -9 everything is there.
"""
import os
import signal
import struct
import subprocess
import time

import kit

LOOKS = 30 if kit.LONG else 3


def tool(*args):
    return subprocess.run([kit.TRACETOOL, *args], capture_output=True, text=True, errors="replace", timeout=300)


def said(p):
    return p.stdout + p.stderr


def one(options):
    path, out = kit.capture("running.ttc"), os.path.join(kit.FOLDER, "out.ttc")
    numbers = os.path.join(kit.FOLDER, "numbers")
    with open(numbers, "wb") as f:
        p = subprocess.Popen(["mono", "--profile=tracetool:%s,out=%s" % (options, path), kit.program("Rough"), "count"], env=kit.ENV,
                             cwd=kit.FOLDER, stdin=subprocess.DEVNULL, stdout=f, stderr=subprocess.DEVNULL)
    while os.path.getsize(numbers) < 4 and p.poll() is None:
        time.sleep(0.01)
    for i in range(LOOKS):
        t = tool("stats", "-q", "--format", "csv", "--table", "loss", path)
        kit.check(t.returncode == 0, options + ": read while it runs", said(t))
        kit.check("running," in t.stdout and "killed" not in t.stdout, options + ": it says so", said(t))
        kit.check(not any(k in t.stdout for k in ("missing,", "damaged,", "changed,", "cut,")), options + ": nothing is damaged", said(t))
        if os.path.exists(out):
            os.unlink(out)
        t = tool("recover", path, "-o", out)
        kit.check(t.returncode == 0 and "still runs" in t.stderr, options + ": recover says so, too", said(t))
    ring = kit.ring_of(path)
    open(out, "wb").write(b"before")
    t = tool("recover", "--remove-ring", path, "-o", out)
    kit.check(t.returncode == 2 and "still runs" in t.stderr, options + ": --remove-ring refuses", said(t))
    kit.check(os.path.exists(ring), options + ": the ring stays", ring)
    kit.check(open(out, "rb").read() == b"before", options + ": and the output")
    p.send_signal(signal.SIGKILL)
    p.wait()
    told = open(numbers, "rb").read()
    told = told[:len(told) // 4 * 4][-4:]
    rows = kit.stats(path, "markers,loss")
    made = kit.counts(rows["markers"], "marker", "count").get("Rough:MarkStep (int)", [0])[0]
    made += sum(r["count"] for r in rows["loss"] if r["kind"] == "dropped")
    kit.check(made >= struct.unpack("<i", told)[0], options + ": all it told of is there", made)
    kit.check("running" not in [r["kind"] for r in rows["loss"]], options + ": it runs no more", rows["loss"])
    t = tool("recover", "-q", "--remove-ring", path, "-o", out)
    kit.check(t.returncode == 0 and not os.path.exists(ring), options + ": now the ring is removed", said(t))


kit.compile("Rough")
one("calls")
one("calls,ring=2M,alloc,gc")
kit.end()
