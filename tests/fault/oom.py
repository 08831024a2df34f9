#!/usr/bin/env python3
"""The Nth allocation fails, for N = 1, 2, ... until the run succeeds; then the Nth and all after it.

Each time: exit status 4 with a line that says so, nothing left behind, the old output as it was; or, where the
program could do without, the very result of a run in which nothing failed.
Every N in check-all; in check those up to 40, and then about every 37th. Ends with "N passed, N failed".
"""
import os

import kit

PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")


BUDGET = """{ "tracetool_budget": 1, "frame_marker": "World:Frame", "rows": [
  { "id": "a", "metric": "frame.time", "stat": "p95", "max": "1s", "over": "pooled" },
  { "id": "b", "metric": "marker.time", "marker": "World:*", "max": "+50%", "where": { "format": "*" } },
  { "id": "c", "metric": "category.time", "category": "*", "max": "1s", "waive": { "until": "2030-01-01", "why": "x" } },
  { "id": "d", "metric": "gc.alloc.bytes", "max": "1B", "level": "warn" } ] }
"""


def commands(capture, compressed, budget, base):
    yield "list", ["list", "metrics"], []
    yield "help", ["help", "stats"], []
    yield "info", ["info", capture], []
    yield "info gz", ["info", compressed], []
    yield "summary", [capture], []
    for form in ["text", "json", "csv", "markdown"]:
        yield "stats " + form, ["stats", "--format", form, "--table", "markers,calltree,calltree_bottom_up,alloc_paths",
                                "--thread", "*", capture], []
    gate = ["stats", "--gate", budget, "--today", "2026-01-01", "--inconclusive", "pass", capture]
    yield "gate", gate + ["--baseline", base], []
    yield "gate save", gate + ["--save", "base.json"], ["base.json"]
    yield "gate explain", gate + ["--baseline", base, "--explain", "b"], []
    yield "suggest", ["stats", "--suggest", "--frame-marker", "World:Frame", capture], []
    for name in ["out.json", "out.json.gz", "out.csv", "out.pb.gz", "out.folded"]:
        yield "convert " + name, ["convert", "-q", capture, "-o", name], [name]
    yield "convert all", ["convert", "-q", capture, capture, "-o", "a.json", "-o", "b.csv", "-o", "c.folded"], \
        ["a.json", "b.csv", "c.folded"]


def problem(result, expected, told, before, after, want):
    fired = os.path.getsize(told) > 0
    if result.returncode == 0:
        if result.out != expected or after != want:
            return "exit 0 with another result than a run in which nothing fails"
        return None
    if not fired:
        return "exit %d though nothing failed: %s" % (result.returncode, result.err)
    if result.returncode != 4:
        return "exit %d: %s" % (result.returncode, result.err[-300:])
    if "memory" not in result.err:
        return "does not speak of memory: %s" % result.err
    if after != before:
        return "left something behind: %s" % sorted(after)
    return None


def numbers():
    n = 1
    while True:
        yield n
        n += 1 if kit.LONG or n < 40 else 37


def main():
    s = kit.Suite()
    capture = s.capture()
    compressed = capture + ".gz"
    kit.run(["sh", "-c", "gzip -c %s > %s" % (capture, compressed)], s.dir)
    told, budget, base = s.path("told"), s.path("budget.json"), s.path("kept.json")
    open(budget, "w").write(BUDGET)
    kit.run([PROGRAM, "stats", "--gate", budget, "--save", base, capture], s.dir)
    for name, args, outputs in commands(capture, compressed, budget, base):
        work = s.path("work")
        for on in [False, True]:
            os.makedirs(work, exist_ok=True)
            for f in os.listdir(work):
                os.unlink(os.path.join(work, f))
            # One worker, so that the Nth allocation is the same one every time.
            args1 = args if args[0] in ("list", "help") else args + ["-j", "1"]
            good = kit.run([PROGRAM] + args1, work)
            want = kit.listing(work)
            if not s.check(name, None if good.returncode == 0 else "fails as it is: %s" % good.err):
                break
            before = {f: b"old" for f in outputs}
            for n in numbers():
                for f in os.listdir(work):
                    os.unlink(os.path.join(work, f))
                for f, text in before.items():
                    open(os.path.join(work, f), "wb").write(text)
                env = {"TT_FAIL_AT": str(n), "TT_FAIL_TOLD": told}
                if on:
                    env["TT_FAIL_ON"] = "1"
                r = kit.run([PROGRAM] + args1, work, env)
                after = kit.listing(work)
                s.check("%s, allocation %d%s" % (name, n, " and on" if on else ""),
                        problem(r, good.out, told, before, after, want))
                if os.path.getsize(told) == 0:
                    break
    s.end()


main()
