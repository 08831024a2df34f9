#!/usr/bin/env python3
"""Transfers of one byte, interrupted ones, and each system call of reading and writing failing in turn.

Every command, reader, form and emitter. One byte at a time with every second call interrupted: the same bytes come
out. A call that fails: exit status 4 with the system's text, never told as damage, no new output and the old one untouched; or, where
nothing depends on it, the very same result. In check half of these by lot, the first FIRST calls of a kind, and one in ONE_IN of the others.
Ends with "N passed, N failed".
"""
import errno
import os

import kit
import lot

PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")
FAIL = [("open", errno.EMFILE), ("read", errno.EIO), ("write", errno.ENOSPC), ("write", errno.EDQUOT),
        ("write", errno.EFBIG), ("close", errno.EIO), ("fsync", errno.EIO), ("rename", errno.EIO)]

FIRST, ONE_IN = 1, 40


def problem(r, good, before, after, want, error):
    if r.returncode == good.returncode and r.out == good.out and after == want:
        return None
    if r.returncode != 4:
        return "exit %d: %s" % (r.returncode, r.err[-300:])
    if os.strerror(error) not in r.err:
        return "the system's text is missing: %s" % r.err
    if kit.tells_damage(r.err, good):
        return "told as damage: %s" % r.err
    # Of several outputs each is the old one, or none where there was none, or complete: they take their places one after the other.
    if set(before) - set(after) or any(after[f] not in (before.get(f), want.get(f)) for f in after):
        return "left something behind: %s" % {k: len(v) for k, v in after.items()}
    return None


def failing(s, case, args, good, want):
    told = s.path("told")
    before = case.before
    for call, error in FAIL if kit.LONG else FAIL[:3] + FAIL[5:]:
        for n in range(1, 2000):
            if n > FIRST and not lot.takes(ONE_IN, "transfer", case.name, call, error, n):
                continue
            env = {"TT_IO": "fail", "TT_IO_CALL": call, "TT_IO_AT": str(n), "TT_IO_ERRNO": str(error),
                   "TT_FAIL_TOLD": told}
            with kit.Work(s, before) as work:
                r = kit.run([PROGRAM] + args, work.dir, env)
                s.check("%s, %s number %d fails with %s" % (case.name, call, n, errno.errorcode[error]),
                        problem(r, good, before, case.same(work.files()), want, error))
            if os.path.getsize(told) == 0:
                break


def main():
    s = kit.Suite()
    for case in kit.cases(s, kit.LONG):
        if not s.check(case.name, None if case.args else "has no case in tests/fault/kit.py"):
            continue
        if not lot.takes(4, "transfer", case.name):
            continue
        args = case.args + ([] if case.args[0] in kit.ALONE else ["-j", "1"])
        with kit.Work(s, case.given) as work:
            good = kit.run([PROGRAM] + args, work.dir)
            want = case.same(work.files())
        if not s.check(case.name, case.problem(good)):
            continue
        with kit.Work(s, case.given) as work:
            r = kit.run([PROGRAM] + args, work.dir, {"TT_IO": "short"})
            same = (r.returncode, r.out, r.err, case.same(work.files())) == (good.returncode, good.out, good.err, want)
            s.check(case.name + ", one byte at a time",
                    None if same else "another result: exit %d, %s" % (r.returncode, r.err[-200:]))
        failing(s, case, args, good, want)
    s.end()


main()
