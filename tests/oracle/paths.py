#!/usr/bin/env python3
"""Many call paths: games drawn at random, whose every call is known, against the tables calltree and markers.

    paths.py TRACETOOL CALLS_GEN

What is called after a call is the same each time, or never, or now this and now that, among few methods and among many, for any number of
workers: however a path is found, its count, its time and its own time are those of the calls, and so are the shortest and the longest of a method.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import lot
from count import check, end

TRACETOOL, GEN = sys.argv[1:3]
work = tempfile.TemporaryDirectory(prefix="tracetool-paths.")


class Game:
    """A script of calls_gen, and what its calls come to."""

    def __init__(self, methods, calls, order, seed):
        self.random, self.methods, self.order = random.Random(seed), methods, order
        self.lines, self.now, self.calls = [], 1000, 0
        self.paths = collections.defaultdict(lambda: [0, 0, 0])       # by path: count, total, self
        self.took = collections.defaultdict(list)                     # by method
        self.lines += ["image\t1\tgame.dll", "class\t1\t1\tGame", "thread\t1\tMain"]
        self.lines += ["method\t%d\tGame:M%d ()" % (i + 1, i) for i in range(methods)]
        part = 0
        while self.calls < calls:
            self.drawn = random.Random("%d %d" % (seed, part % 3)) if self.is_even(part) else self.random
            self.call((), 0)
            part += 1
        self.lines.append("end\t%d\t1" % (self.now + 10))
        self.path = os.path.join(work.name, "%s-%d.mlpd" % (order, methods))
        subprocess.run([GEN, self.path], input="\n".join(self.lines) + "\n", text=True, check=True)

    def is_even(self, part):
        """Does this part repeat an earlier one?"""
        return self.order == "even" or self.order == "turns" and part // 300 % 2 == 0

    def call(self, above, depth):
        method = self.drawn.randrange(self.methods)
        path, begin, inside = above + (method,), self.now, 0
        self.calls += 1
        self.lines.append("enter\t%d\t1\t%d" % (self.now, method + 1))
        self.now += int(2 ** self.random.uniform(2, 18))
        for _ in range(self.drawn.choice((0, 1, 2, 2)) if depth < 5 else 0):
            inside += self.call(path, depth + 1)
            self.now += self.random.randrange(100)
        took = self.now - begin
        self.lines.append("leave\t%d\t1\t%d" % (self.now, method + 1))
        self.now += 5
        of = self.paths[path]
        of[0] += 1
        of[1] += took
        of[2] += took - inside
        self.took[method].append(took)
        return took


def tables(game, workers):
    run = subprocess.run([TRACETOOL, "stats", "-q", "-j", str(workers), "--limit", "0", "--threshold", "0", "--format", "json", "--table", "calltree",
                          "--table", "markers", game.path], capture_output=True, text=True, check=True)
    return [json.loads(run.stdout)["tables"][t]["rows"] for t in ("calltree", "markers")]


def of_tree(rows):
    paths, stack = {}, []
    for r in rows:
        stack = stack[:r["depth"]] + [r["marker"]]
        if r["depth"]:
            paths[tuple(int(m.split(":M")[1].split()[0]) for m in stack[1:])] = [r["count"], r["total_ns"], r["self_ns"]]
    return paths


for order in lot.some(("even", "random", "turns"), 2, "paths"):
    for methods in (40, 1500):
        game = Game(methods, 60000, order, methods)
        expected = {m: [len(t), min(t), max(t)] for m, t in game.took.items()}
        for workers in (1, 2, 3):
            tree, markers = tables(game, workers)
            found = of_tree(tree)
            wrong = [p for p in set(found) | set(game.paths) if found.get(p) != game.paths.get(p)]
            name = "%s, %d methods, %d paths, -j %d: " % (order, methods, len(game.paths), workers)
            check(not wrong, name + "counts and times of paths", [(p, found.get(p), game.paths.get(p)) for p in wrong[:5]])
            by_marker = {int(r["marker"].split(":M")[1].split()[0]): [r["count"], r["min_ns"], r["max_ns"]] for r in markers}
            check(by_marker == expected, name + "calls of methods, the shortest and the longest",
                  [(m, by_marker.get(m), expected.get(m)) for m in expected if by_marker.get(m) != expected[m]][:5])
end()
