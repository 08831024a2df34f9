#!/usr/bin/env python3
"""What recording costs a Mono program: make cost-mono. No test; best with nothing else running (the load is printed).

    cost.py [ROUNDS]

Programs print the wall time of their loop alone. Variants take turns; medians are compared, and pairs where a small
difference matters, with a 95 % interval of the mean of the pairs' differences.
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
    """Microseconds of one run; what it wrote is kept as cost.ttc or cost.mlpd."""
    argv = ["mono"] + ["--profile=" + p for p in profile] + [kit.program("Dense")] + list(args)
    out = subprocess.run(argv, cwd=kit.FOLDER, env=kit.ENV, capture_output=True, text=True, check=True)
    if out.stderr:
        print("    (" + out.stderr.strip() + ")")
    return int(out.stdout)


def ours(options):
    return ["tracetool:%s,out=%s" % (options, os.path.join(kit.FOLDER, "cost.ttc"))]


LOG = ["log:nodefaults,calls,alloc,calldepth=100000,output=" + os.path.join(kit.FOLDER, "cost.mlpd")]


def turns(variants, args, rounds):
    """Median microseconds of each variant."""
    times = [[] for _ in variants]
    for _ in range(rounds):
        for k, v in enumerate(variants):
            times[k].append(run(v, args))
    return [statistics.median(t) for t in times]


def pairs(a, b, args, rounds=20):
    """Mean difference of b to a in per cent, and its 95 % interval."""
    d = []
    for i in range(rounds):
        x, y = (run(a, args), run(b, args)) if i % 2 == 0 else tuple(reversed((run(b, args), run(a, args))))
        d.append((y - x) / x * 100)
    mean, half = statistics.mean(d), 2.093 * statistics.stdev(d) / math.sqrt(len(d))
    return "%+.1f %% (95 %%: %+.1f to %+.1f), median %+.1f %%" % (mean, mean - half, mean + half, statistics.median(d))


def size(name):
    return os.path.getsize(os.path.join(kit.FOLDER, name))


def events(args, what, most):
    plain, mine, log = turns([[], ours("calls,alloc"), LOG], args, max(3, ROUNDS // 2))
    print("%s: %.0f ms alone, %.0f ms with calls,alloc, %.0f ms under the log profiler" % (what, plain / 1e3, mine / 1e3, log / 1e3))
    print("    %.1f times as long%s; adds 1/%.1f of what the log profiler adds (want 1/10)" %
          (mine / plain, " (want 9)" if most else "", (log - plain) / max(1, mine - plain)))
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
print("paused, calls: %.2f times as long (want 2.2)" % (paused / plain))
empty, sampled, every = turns([["empty"], ours("alloc-sample"), ours("alloc")], ALLOC, ROUNDS)
print("alloc loop: alloc-sample %.2f, alloc %.2f times an empty callback (want 1.3 for the first)" % (sampled / empty, every / empty))
print("nothing enabled, game: " + pairs([], ours("meta=a:b"), GAME))
print("alloc-sample, game: " + pairs([], ours("alloc-sample"), GAME) + " (want < 3 %)")
print("load %s" % (os.getloadavg(),))
subprocess.run(["rm", "-rf", kit.FOLDER])
