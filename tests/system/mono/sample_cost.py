#!/usr/bin/env python3
"""sample_cost.py BUILD: measures what samples cost a Mono program: one thread at work, others waiting, 1000 samples a second.

Runs with and without the module take turns. What is compared is the processor time of the process, which other programs
on the machine disturb less than the time of the day; of a thread that works all the time it is the same. Each figure is
the mean of the pairs' ratios with its 95 % interval. Exit status 1 if one busy thread in mode cpu costs 3 % or more at
the upper end of that.

PAIRS=N, ROUNDS=N: pairs of each row (20), and rounds of work (3000: a second or two, beside which the module's start, some
10 ms, is small). ONLY=RE: rows, such as "cpu 1$".
"""
import math
import os
import re
import statistics
import subprocess
import sys

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
PAIRS, ROUNDS = int(os.environ.get("PAIRS", "20")), int(os.environ.get("ROUNDS", "3000"))
FOLDER = os.path.join(BUILD, "bench")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Spin.cs")
HZ, MUST = 1000, 3.0
# Student's t at 97.5 %, by pairs.
T = {2: 12.706, 3: 4.303, 5: 2.776, 10: 2.262, 20: 2.093, 40: 2.023}


def processor_time(options, threads):
    argv = ["mono"] + ["--profile=tracetool:%s,out=%s" % (options, os.path.join(FOLDER, "spin.ttc"))] * bool(options)
    p = subprocess.Popen(argv + [os.path.join(FOLDER, "Spin.exe"), "%dr" % ROUNDS, "1", str(threads - 1)],
                         env=dict(os.environ, LD_LIBRARY_PATH=BUILD))
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = status
    if status:
        raise SystemExit("sample_cost.py: %s: status %d" % (argv, status))
    return used.ru_utime + used.ru_stime


def measure(options, threads, pairs):
    ratios = []
    for i in range(pairs):
        order = [options, ""] if i % 2 else ["", options]
        t = {o: processor_time(o, threads) for o in order}
        ratios.append(t[options] / t[""] - 1)
    half = T[min(k for k in T if k >= pairs)] * statistics.stdev(ratios) / math.sqrt(pairs)
    return 100 * statistics.mean(ratios), 100 * half


def main():
    os.makedirs(FOLDER, exist_ok=True)
    subprocess.run(["mcs", "-optimize", "-nowarn:0414", "-out:" + os.path.join(FOLDER, "Spin.exe"), SOURCE], check=True,
                   stdout=subprocess.DEVNULL)
    print("samples at %d Hz, one thread at work; %d pairs; load %.1f on %d processors" %
          (HZ, PAIRS, os.getloadavg()[0], os.cpu_count()))
    print("%-6s %8s   %s" % ("mode", "threads", "added processor time"))
    missed = False
    for mode in ("cpu", "real"):
        for threads in (1, 8, 32):
            if not re.search(os.environ.get("ONLY", ""), "%s %d" % (mode, threads)):
                continue
            mean, half = measure("sample=%d,%s" % (HZ, mode), threads, PAIRS)
            must = mode == "cpu" and threads == 1
            missed = missed or (must and mean + half >= MUST)
            print("%-6s %8d   %+.2f %% +- %.2f %%%s" % (mode, threads, mean, half,
                  "" if not must else ", must be below %.0f %%: %s" % (MUST, "missed" if mean + half >= MUST else "kept")),
                  flush=True)
    return missed


sys.exit(main())
