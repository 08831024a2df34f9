#!/usr/bin/env python3
"""What tracetool ab promises of noise and of real changes, with the real program: it runs a game of milliseconds (tests/kit/ab_gen.c) in worlds
whose captures, sessions and frames differ. In `make check` a few trials each of a few worlds by lot, TT_SET=all 400 of each.

Arguments: cells to run, whose names hold one of them.
"""
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
import lot
from suite import BUILD, LONG, Suite, TRACETOOL

GAME = os.path.join(BUILD, "kit", "ab_gen")
TRIALS = int(os.environ.get("TT_TRIALS", 400 if LONG else 12))
SHORT, USUAL, LONGER = "frames=300", "frames=1200", "frames=4000"

# Name, words for both builds, words for the new one. Identical builds are worse in at most 5 %, and undecided in at most 15 %; changes are
# found in at least 95 %.
SAME = [("same, sessions %s %%, %s" % (spread, frames), ["spread=%s" % spread, frames], [])
        for spread, frames in ((0, USUAL), (1, SHORT), (2, USUAL), (3, USUAL), (3, LONGER))]
SAME += [("same, %s" % kind, ["spread=2", USUAL, "kind=" + kind], []) for kind in ("outlier", "drift", "bimodal", "skewed", "gamma", "modes")]
SAME += [("same, %s long frames in %s" % (share, frames), ["spread=2", frames, "hitches=%s" % share], [])
         for share, frames in ((0, USUAL), (0.1, SHORT), (0.1, USUAL))]
CHANGED = [("%s, sessions %s %%" % (what, spread), ["spread=%s" % spread, USUAL], [what])
           for what in ("slow=5", "tail=5", "marker=20", "alloc=10") for spread in (0, 3)]
CHANGED += [("slow=5, sessions 3 %, frames=300", ["spread=3", SHORT], ["slow=5"])]
CHANGED += [("slow=5, %s" % kind, ["spread=3", frames, "kind=" + kind], ["slow=5"])
            for kind, frames in (("drift", USUAL), ("modes", USUAL), ("gamma", LONGER))]
CHANGED += [("%s, outlier" % what, ["spread=3", USUAL, "kind=outlier"], [what]) for what in ("slow=5", "tail=5", "marker=20", "alloc=10")]
CHANGED += [("tail=5, drift", ["spread=3", USUAL, "kind=drift"], ["tail=5"]), ("slow=5, sessions 3 %, frames=20000", ["spread=3", "frames=20000"], ["slow=5"])]
CHANGED += [("twice the hitches", ["spread=3", LONGER, "hitches=1"], ["hitches=2"]),
            ("hitches where there are none", ["spread=2", USUAL, "hitches=0"], ["hitches=0.4"])]
# Every so many trials of a check are a full one, so that all cells are tried there, too.
# Of equal builds a row says which change would be found: in so many runs of builds that differ by it, one fails.
POWER = [("power, %s, %s" % (row, world), [world, "spread=2"], row, word)
         for row, word, world in (("frame-trimmed", "slow", USUAL), ("frame-p95", "slow", SHORT), ("alloc-bytes", "alloc", USUAL), ("Ai", "marker", USUAL),
                                  ("frame-trimmed", "slow", "kind=skewed"), ("frame-trimmed", "slow", "kind=outlier"), ("Ai", "marker", "kind=outlier"),
                                  ("frame-trimmed", "slow", "kind=bimodal"))]
POWER += [("power, long-frames, %s" % hitches, [USUAL, "spread=2", hitches], "long-frames", "hitches") for hitches in ("hitches=0", "hitches=0.1", "hitches=1")]
ROW = {"slow=5": "frame-trimmed", "tail=5": "frame-p95", "marker=20": "Ai", "alloc=10": "alloc-bytes", "hitches=2": "long-frames", "hitches=0.4": "long-frames"}


suite = Suite()


def trial(cell, k, *options):
    """Exit status, pairs, rows that fail, rows undecided."""
    name, both, new = cell
    words = ["session=%d" % (k + 1000 * (sum(map(ord, name)) % 1000))] + both
    if "kind=drift" in both:
        words.append("count=" + suite.path("%s %d" % (name, k)))
    run = subprocess.run([TRACETOOL, "ab", "-q", "--seed", str(k), *options, "--", GAME, *words, "--", GAME, *new, *words], capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    if run.returncode not in (0, 1, 5):
        raise RuntimeError("%s, trial %d: %d, %s" % (name, k, run.returncode, run.stderr))
    pairs = int(re.search(r": (\d+) pairs? of at most", run.stdout).group(1))
    return (run.returncode, pairs, re.findall(r"^FAIL (\S+):", run.stdout, re.M), re.findall(r"^undecided (\S+):", run.stdout, re.M))


def promise(cell, k):
    """Exit status of a run of builds that differ by what another one says is found."""
    name, both, row, word = cell
    at = suite.path("%s %d" % (name, k))
    trial((name, both, []), k, "--json", at)
    with open(at) as f:
        rows = {r["id"]: r for r in json.load(f)["rows"]}
    os.remove(at)
    seen = rows[row]["test"].get("seen")
    if seen and row == "long-frames":
        # An amount: per thousand, and percent.
        hitches = float(both[-1].partition("=")[2]) + seen / 10
        return trial((name, both, ["%s=%.4f" % (word, hitches)]), k + 100000)[0], seen
    return seen and (trial((name, both, ["%s=%.3f" % (word, 100 * seen / rows[row]["baseline"])]), k + 100000)[0], 100 * seen / rows[row]["baseline"])


def powers(pool):
    for cell in lot.some(POWER, 1, "power") if not sys.argv[1:] else POWER:
        if sys.argv[1:] and not any(a in cell[0] for a in sys.argv[1:]):
            continue
        told = [r for r in pool.map(lambda k: promise(cell, k), range(TRIALS)) if r]
        found = sum(r[0] == 1 for r in told)
        print("%-34s found %d of %d (%.1f %%), %+.1f in the median" % (cell[0], found, len(told), 100 * found / max(1, len(told)),
                                                                        sorted(r[1] for r in told)[len(told) // 2]), flush=True)
        suite.check(cell[0] + ": as often as told", None if found >= (0.9 * len(told) if TRIALS >= 100 else len(told) - 4) else "in %d" % found)


def figures(results):
    n = len(results)
    worse = sum(r[0] == 1 for r in results)
    undecided = sum(r[0] == 5 for r in results)
    return n, worse, undecided, sum(r[1] for r in results) / n


def main():
    # Of few trials some more may alarm: 4 of 12 do so at 5 % once in 400 times, as do 3 that are not found of 12.
    most = TRIALS // 20 if TRIALS >= 100 else 3
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for cell in SAME + CHANGED if sys.argv[1:] else lot.some(SAME, 2, "same") + lot.some(CHANGED, 2, "changed"):
            if sys.argv[1:] and not any(a in cell[0] for a in sys.argv[1:]):
                continue
            results = list(pool.map(lambda k: trial(cell, k), range(TRIALS)))
            n, worse, undecided, pairs = figures(results)
            change = cell[2][0] if cell[2] else None
            named = sum(ROW[change] in r[2] for r in results) if change else 0
            print("%-34s worse %3d of %d (%.1f %%)%s, undecided %d (%.1f %%), %.1f pairs" % (
                cell[0], worse, n, 100 * worse / n, ", by its row %d" % named if change else "", undecided, 100 * undecided / n, pairs), flush=True)
            if os.environ.get("TT_VERBOSE"):
                print("   rows undecided:", collections.Counter(row for r in results for row in r[3]).most_common(6),
                      "worse:", collections.Counter(row for r in results for row in r[2]).most_common(6), flush=True)
            if change:
                suite.check(cell[0] + ": found", None if n - worse <= most else "in %d of %d" % (worse, n))
            else:
                suite.check(cell[0] + ": not worse", None if worse <= most else "worse in %d of %d" % (worse, n))
                suite.check(cell[0] + ": decided", None if undecided <= (15 * n // 100 if TRIALS >= 100 else 6) else "undecided in %d of %d" % (undecided, n))
        powers(pool)
    suite.end()


main()
