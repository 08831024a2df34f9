#!/usr/bin/env python3
"""
turns.py SECONDS: the suites of tests/suites which take turns and whose turn it is, one a line.

First come those that tests/mutants.suites names for the files which the last commit, or a change that is not committed, touches; then the
others; both in an order drawn by lot (lot.py). In this order each is taken whose processor seconds, which stand in tests/suites, still fit
into SECONDS ("all": every one). So a run takes about as long for every commit; tests/run.sh prints what each suite took.
"""
import pathlib
import re
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "kit"))
import lot


def rows(name):
    return [line for line in open(TESTS / name) if line.strip() and not line.startswith("#")]


def touched_files():
    """Files that the last commit or the work tree changes; none in a clone without history or a tree without git."""
    git = subprocess.run(["git", "diff", "--name-only", "HEAD~1"], cwd=TESTS.parent, capture_output=True, text=True)
    return git.stdout.split("\n") if git.returncode == 0 else []


def touched_suites():
    changed = touched_files()
    return {suite for row in rows("mutants.suites") for files, suites in [row.rstrip("\n").split("\t")]
            if any(re.fullmatch(files, name) for name in changed) for suite in suites.split()}


def main():
    left_s = float("inf") if sys.argv[1] == "all" else int(sys.argv[1])
    costs_s = {name: int(way[5:]) for way, name in (row.split()[:2] for row in rows("suites")) if way.startswith("turn=")}
    first = touched_suites()
    for name in sorted(costs_s, key=lambda name: (name not in first, lot.draw("turn", name).random())):
        if costs_s[name] <= left_s:
            left_s -= costs_s[name]
            print(name)


main()
