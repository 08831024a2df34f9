#!/usr/bin/env python3
"""Measures what recording costs a Mono program: make cost-mono. No test; best with nothing else running (the load is printed).

    cost.py [ROUNDS]

Programs print the wall time of their loop alone, and the processor time of its thread, which depends less on what else
runs: of both, medians over turns are compared; where a small difference matters, pairs of processor times, with a 95 %
interval of the mean.
"""
import math
import os
import statistics
import subprocess
import sys

import kit

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 7
CALLS, GAME, ALLOC = ("calls", "3000000"), ("game", "3000"), ("alloc", "10000000")


def run(profile, args):
    """Microseconds of one run: wall, processor. What it wrote is kept as cost.ttc or cost.mlpd."""
    argv = ["mono"] + ["--profile=" + p for p in profile] + [kit.program("Dense")] + list(args)
    out = subprocess.run(argv, cwd=kit.FOLDER, env=kit.ENV, capture_output=True, text=True, check=True)
    if out.stderr:
        print("    (" + out.stderr.strip() + ")")
    return tuple(map(int, out.stdout.split()))


def ours(options):
    return ["tracetool:%s,overwrite,out=%s" % (options, os.path.join(kit.FOLDER, "cost.ttc"))]


LOG = ["log:nodefaults,calls,alloc,calldepth=100000,output=" + os.path.join(kit.FOLDER, "cost.mlpd")]


def turns(variants, args, rounds):
    """Median microseconds of each variant: wall, processor."""
    times = [[] for _ in variants]
    for _ in range(rounds):
        for k, v in enumerate(variants):
            times[k].append(run(v, args))
    return [tuple(statistics.median(x[i] for x in t) for i in (0, 1)) for t in times]


def pairs(a, b, args, rounds=20):
    """Mean difference of b to a in per cent, and its 95 % interval."""
    d = []
    for i in range(rounds):
        x, y = (run(a, args), run(b, args)) if i % 2 == 0 else tuple(reversed((run(b, args), run(a, args))))
        d.append((y[1] - x[1]) / x[1] * 100)
    mean, half = statistics.mean(d), 2.093 * statistics.stdev(d) / math.sqrt(len(d))
    return "%+.1f %% (95 %%: %+.1f to %+.1f), median %+.1f %%" % (mean, mean - half, mean + half, statistics.median(d))


def size(name):
    return os.path.getsize(os.path.join(kit.FOLDER, name))


def events(args, what, most):
    plain, mine, log = turns([[], ours("calls,alloc"), LOG], args, max(3, ROUNDS // 2))
    for i, time in enumerate(("wall", "processor")):
        print("%s, %s time: %.0f ms alone, %.0f ms with calls,alloc, %.0f ms under the log profiler: %.1f times as long%s; "
              "adds 1/%.1f of what the log profiler adds (want 1/10)" %
              (what, time, plain[i] / 1e3, mine[i] / 1e3, log[i] / 1e3, mine[i] / plain[i], " (want 9)" if most else "",
               (log[i] - plain[i]) / max(1, mine[i] - plain[i])))
    print("    capture %.1f MB, %.2f of the .mlpd (want 0.7)" % (size("cost.ttc") / 1e6, size("cost.ttc") / size("cost.mlpd")))


def empty_module():
    """A module whose allocation callback does nothing."""
    source = os.path.join(kit.HERE, "empty.c")
    flags = subprocess.run(["pkg-config", "--cflags", "mono-2"], capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["cc", "-O2", "-fPIC", "-shared", "-o", os.path.join(kit.FOLDER, "libmono-profiler-empty.so"), source] + flags, check=True)
    kit.ENV["LD_LIBRARY_PATH"] += ":" + kit.FOLDER


kit.compile("Dense")
empty_module()
print("load %s, %d processors" % (os.getloadavg(), os.cpu_count()))
events(CALLS, "calls", True)
events(GAME, "game", False)
plain, paused = turns([[], ours("calls,paused")], CALLS, ROUNDS)
print("paused, calls: %.2f times as long, %.2f in processor time (want 2.2)" % tuple(b / a for a, b in zip(plain, paused)))
empty, sampled, every = turns([["empty"], ours("alloc-sample"), ours("alloc")], ALLOC, ROUNDS)
for i, time in enumerate(("wall", "processor")):
    print("alloc loop, %s time: alloc-sample %.2f, alloc %.2f times an empty callback (want 1.3 for the first)" %
          (time, sampled[i] / empty[i], every[i] / empty[i]))
print("nothing enabled, game: " + pairs([], ours("meta=a:b"), GAME))
print("alloc-sample, game: " + pairs([], ours("alloc-sample"), GAME) + " (want < 3 %)")
print("load %s" % (os.getloadavg(),))
subprocess.run(["rm", "-rf", kit.FOLDER])
