#!/usr/bin/env python3
"""The Nth allocation fails in a batch and in each of its processes, and each system call of reading and writing.

A capture whose process has no memory, or cannot read or write, costs a line that says so; without memory for the batch itself
it ends with status 4. Either way --resume completes, and the results are those of a run in which nothing fails. In
check-all every N; in check the first few and then about every 31st. Ends with "N passed, N failed".
"""
import errno
import io
import json
import os
import tarfile

import kit

PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")
STEP = 1 if kit.LONG else 31
CALLS = [("open", errno.EMFILE), ("read", errno.EIO), ("write", errno.ENOSPC), ("close", errno.EIO), ("fsync", errno.EIO),
         ("rename", errno.EIO)]


def numbers():
    n = 1
    while n < 100000:
        yield n
        n += 1 if n < 8 else STEP


def inputs(s):
    """A capture, and an archive with one of each kind of member."""
    src = s.path("in")
    os.makedirs(os.path.join(src, "sub"))
    data = open(s.capture(), "rb").read()
    open(os.path.join(src, "sub", "a.mlpd"), "wb").write(data)
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as t:
        add(t, "d.mlpd", data)
    with tarfile.open(os.path.join(src, "b.tar.xz"), "w:xz") as t:
        add(t, "c.mlpd", data)
        add(t, "nest.tar.gz", inner.getvalue())
        add(t, "text", b"hello")
        add(t, "../odd", b"")
    return src


def add(t, name, data):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    t.addfile(info, io.BytesIO(data))


def results(work):
    with open(os.path.join(work, "out", "results.jsonl"), "rb") as f:
        return f.read()


def files_made(work):
    folder = os.path.join(work, "out", "captures")
    return {f: open(os.path.join(folder, f), "rb").read() for f in os.listdir(folder)}


def problem(r, work, args, want, words):
    """What is wrong with a run in which something failed, and with the one that goes on from there."""
    if r.returncode == 0:
        if results(work) != want[0]:
            return "exit 0 with other results: %s" % r.err
    elif r.returncode not in (3, 4):
        return "exit %d: %s" % (r.returncode, r.err[-300:])
    elif not any(w in r.err for w in words):
        return "does not say why: %s" % r.err[-300:]
    if "signal" in r.err:
        return "a process crashed: %s" % r.err
    again = kit.run([kit.TRACETOOL] + args + ["--resume"], work)
    if again.returncode != 0:
        return "resume: exit %d: %s" % (again.returncode, again.err)
    if results(work) != want[0]:
        return "resume: other results"
    if files_made(work) != want[1]:
        return "resume: other files: %s" % sorted(files_made(work))
    if sorted(os.listdir(os.path.join(work, "out"))) != ["captures", "results.jsonl"]:
        return "left behind: %s" % os.listdir(os.path.join(work, "out"))
    return None


def loop(s, name, args, want, env, words):
    told = s.path("told")
    for n in numbers():
        with kit.Work(s, {}) as work:
            r = kit.run([PROGRAM] + args, work.dir, dict(env(n), TT_FAIL_TOLD=told))
            s.check("%s %d" % (name, n), problem(r, work.dir, args, want, words))
        if os.path.getsize(told) == 0:
            return
    s.check(name, "does not end")


def main():
    s = kit.Suite()
    src = inputs(s)
    args = ["batch", "-q", "-j", "1", "-o", "out", "--do", "convert", "--to", "folded", src]
    with kit.Work(s, {}) as work:
        r = kit.run([kit.TRACETOOL] + args, work.dir)
        want = (results(work.dir), files_made(work.dir))
    s.check("as it is", None if r.returncode == 0 and len(want[1]) == 3 else r.err)
    s.check("results", None if sorted(json.loads(l)["key"] for l in want[0].splitlines()) ==
            ["", "b.tar.xz", "b.tar.xz!c.mlpd", "b.tar.xz!nest.tar.gz!d.mlpd", "sub/a.mlpd"] else want[0])
    for on in [{}, {"TT_FAIL_ON": "1"}]:
        loop(s, "allocation%s" % (" from" if on else ""), args, want, lambda n: dict(on, TT_FAIL_AT=str(n)), ["memory"])
    for call, error in CALLS:
        loop(s, "%s, %s" % (call, errno.errorcode[error]), args, want, lambda n: {"TT_IO": "fail", "TT_IO_CALL": call,
             "TT_IO_AT": str(n), "TT_IO_ERRNO": str(error)}, [os.strerror(error)])
    s.end()


main()
