#!/usr/bin/env python3
"""gate.py: a game that gets worse, recorded on the spot by the Mono module, against the gate.

Gate.cs plays 10 ms frames. Recordings with 16 KiB of garbage more, and with 2 ms more, in every frame must fail and
name the row and the marker; 20 repeats of four recordings of the same game must not. (`make check` has recordings of
the same kind: tests/cli/gate_*.)
"""
import os
import shutil
import subprocess

import kit
from kit import check

BUDGET = os.path.join(kit.HERE, "gate_budget.json")
FRAMES, REPEATS, PER_SIDE = "35", 20, 4


def urgent():
    """Run before everybody else where that is allowed, so that frames take what they take."""
    return ["chrt", "-f", "10"] if shutil.which("chrt") and subprocess.run(
        ["chrt", "-f", "10", "true"], capture_output=True).returncode == 0 else []


def record(name, *args):
    path = kit.capture(name + ".ttc")
    run = subprocess.run(FIRST + ["mono", "--profile=tracetool:calls,include=[Gate]*,alloc,gc,frame=Game:Frame,out=" + path,
                                  kit.program("Gate"), FRAMES] + list(args),
                         cwd=kit.FOLDER, env=kit.ENV, capture_output=True, text=True, timeout=120)
    if run.returncode != 0 or not os.path.exists(path):
        raise RuntimeError("recording failed: %d, %s" % (run.returncode, run.stderr))
    return path


def gate(captures, *options):
    return subprocess.run([kit.TRACETOOL, "stats", "--gate", BUDGET] + list(options) + captures, capture_output=True,
                          text=True, timeout=120)


kit.compile("Gate")
FIRST = urgent()
base = os.path.join(kit.FOLDER, "base.json")
saved = gate([record("base%d" % i) for i in range(2 * PER_SIDE)], "--save", base)
check(saved.returncode == 0, "a baseline is saved", saved.stdout + saved.stderr)

worse = gate([record("alloc%d" % i, "alloc") for i in range(PER_SIDE)], "--baseline", base)
check(worse.returncode == 1, "an added allocation fails", worse.returncode, worse.stdout + worse.stderr)
lines = worse.stdout.splitlines()
fails = [l.split()[0] for l in lines if l.endswith("  FAIL")]
check(fails == ["garbage"], "the row of allocations and no other fails", fails)
check("Game:Garbage: System.Byte[]" in worse.stdout, "the site is named", worse.stdout)

worse = gate([record("spin%d" % i, "spin") for i in range(PER_SIDE)], "--baseline", base)
check(worse.returncode == 1, "an added spin fails", worse.returncode, worse.stdout + worse.stderr)
lines = worse.stdout.splitlines()
fails = [l.split()[0] for l in lines if l.endswith("  FAIL")]
check(fails == ["frame-median"], "the row of frame time and no other fails", fails)
after = lines[[i for i, l in enumerate(lines) if l.startswith("  FAIL")][0] + 1] if fails else ""
check(after.split()[:1] == ["Game:Spin"], "the marker is named first", worse.stdout)

for k in range(REPEATS):
    same = gate([record("same%d" % i) for i in range(PER_SIDE)], "--baseline", base)
    check(same.returncode == 0, "unchanged repeat %d passes" % k, same.returncode, same.stdout + same.stderr)

kit.end()
