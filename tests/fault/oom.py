#!/usr/bin/env python3
"""The Nth allocation fails, for N = 1, 2, ... until the run succeeds; then the Nth and all after it.

Each time: exit status 4 with a line that says so, nothing left behind, the old output as it was; or, where the
program could do without, the very result of a run in which nothing failed.
Every command, reader, form and emitter. In check-all every N; in check a part of the cases, the first few N and then
about every 97th. Ends with "N passed, N failed".
"""
import os

import kit

PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")


def problem(result, good, told, before, after, want):
    fired = os.path.getsize(told) > 0
    if result.returncode == good.returncode and result.out == good.out and after == want:
        return None
    if result.returncode == 0:
        return "exit 0 with another result than a run in which nothing fails"
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
        n += 1 if kit.LONG or n < 8 else 97


def main():
    s = kit.Suite()
    told = s.path("told")
    for case in kit.cases(s, kit.LONG):
        if not s.check(case.name, None if case.args else "has no case in tests/fault/kit.py"):
            continue
        # With one worker the Nth allocation is the same one every time; with three it is another, and nothing else.
        alone = case.args[0] in ("list", "help", "recover")
        jobs = [[]] if alone else [["-j", "1"], ["-j", "3"]] if kit.LONG else [["-j", "1"]]
        for on in [False, True]:
            for j in jobs:
                loop(s, case, case.args + j, on, told)
    s.end()


def loop(s, case, args, on, told):
    name = " ".join([case.name] + args[-2:] if "-j" in args else [case.name])
    with kit.Work(s, {}) as work:
        good = kit.run([PROGRAM] + args, work.dir)
        want = work.files()
    if not s.check(name, None if case.status is None or good.returncode == case.status else
                   "fails as it is: %s" % good.err):
        return
    before = {f: b"old" for f in case.outputs}
    for n in numbers():
        env = {"TT_FAIL_AT": str(n), "TT_FAIL_TOLD": told}
        if on:
            env["TT_FAIL_ON"] = "1"
        with kit.Work(s, before) as work:
            r = kit.run([PROGRAM] + args, work.dir, env)
            s.check("%s, allocation %d%s" % (name, n, " and on" if on else ""),
                    problem(r, good, told, before, work.files(), want))
        if os.path.getsize(told) == 0:
            break


main()
