#!/usr/bin/env python3
"""The Nth allocation fails; then the Nth and all after it.

    oom.py [REGEX]     only of command lines whose name it finds (tests/fault/kit.py)

Each time: exit status 4 with a line that says so, nothing left behind, the old output as it was; or, where the
program could do without, the very result of a run in which nothing failed.
Every command, reader, form and emitter. In check half of these by lot; of each the first N that is reached through calls that no earlier
one had, one in ONE_IN of them by lot, and every fourth of these fails with all after it, too. In check-all every N of command lines with at
most EVERY allocations; of each other one all the N that are reached through calls it had not before. (Every N of all of them,
TT_OOM_EVERY=1, are 13 million runs: days.)
Ends with "N passed, N failed".
"""
import itertools
import os
import re
import sys

import kit
import lot

EVERY = float("inf") if os.environ.get("TT_OOM_EVERY") else 2000
ONE_IN = 60
PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")


def problem(case, result, good, told, before, after, want):
    fired = os.path.getsize(told) > 0
    if result.returncode == good.returncode and result.out == good.out and after == want:
        return None
    # Of a batch, a capture's process may have failed: that is a result.
    if case.parts and result.returncode in (1, 3, 4, 5):
        return None
    if result.returncode == 0:
        return "exit 0 with another result than a run in which nothing fails"
    if not fired:
        return "exit %d though nothing failed: %s" % (result.returncode, result.err)
    if result.returncode != 4:
        return "exit %d: %s" % (result.returncode, result.err[-300:])
    if "memory" not in result.err:
        return "does not speak of memory: %s" % result.err
    # Of several outputs each is the old one or complete: they take their places one after the other.
    if set(after) != set(before) or any(after[f] not in (before[f], want[f]) for f in after):
        return "left something behind: %s" % sorted(after)
    return None


def numbers(s, case, args, seen):
    """Which allocations of this run are to fail: (number, and all after it)."""
    calls = s.path("calls")
    with kit.Work(s, case.given) as work:
        kit.run([PROGRAM] + args, work.dir, {"TT_FAIL_FROM": calls})
    made = sorted((int(n), call) for n, call in (line.split() for line in open(calls)))
    if kit.LONG and len(made) <= EVERY:
        # and one more, which is not reached
        for n in range(1, len(made) + 2):
            yield n, False
            yield n, True
        return
    seen = set() if kit.LONG else seen
    for n, call in made:
        if call not in seen:
            seen.add(call)
            if not lot.takes(ONE_IN, "oom", case.name, call):
                continue
            yield n, False
            if lot.takes(4, "oom, on", case.name, call):
                yield n, True


def main():
    s = kit.Suite()
    told, seen = s.path("told"), set()
    for case in itertools.chain(kit.cases(s), kit.more_cases(s), kit.batch_cases(s)):
        if not re.search("".join(sys.argv[1:]), case.name):
            continue
        if not s.check(case.name, None if case.args else "has no case in tests/fault/kit.py"):
            continue
        if not sys.argv[1:] and not lot.takes(4, "oom", case.name):
            continue
        # With one worker the Nth allocation is the same one every time; with three it is another, and nothing else.
        alone = case.args[0] in kit.ALONE
        for j in [[]] if alone else [["-j", "1"], ["-j", "3"]] if kit.LONG else [["-j", "1"]]:
            loop(s, case, case.args + j, seen, told)
    s.end()


def loop(s, case, args, seen, told):
    name = " ".join([case.name] + args[-2:] if "-j" in args else [case.name])
    before = case.before
    with kit.Work(s, before) as work:
        good = kit.run([PROGRAM] + args, work.dir)
        want = case.same(work.files())
    if not s.check(name, case.problem(good)):
        return
    over = set()
    for n, on in numbers(s, case, args, seen):
        if on in over:
            continue
        env = {"TT_FAIL_AT": str(n), "TT_FAIL_TOLD": told}
        if on:
            env["TT_FAIL_ON"] = "1"
        with kit.Work(s, before) as work:
            r = kit.run([PROGRAM] + args, work.dir, env)
            s.check("%s, allocation %d%s" % (name, n, " and on" if on else ""),
                    problem(case, r, good, told, before, case.same(work.files()), want))
        if os.path.getsize(told) == 0:
            over.add(on)
            if len(over) == 2:
                break


main()
