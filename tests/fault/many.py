#!/usr/bin/env python3
"""batch, merge and record when the system fails them.

Each open, read, write, close, fsync and rename failing in turn, in whatever process makes it; one byte at a time with
every second call interrupted; memory that is not enough; signals. A run ends as one that nothing disturbed; or with
status 4 and the system's text, keeping nothing but old or complete files; or, of a batch, with the captures it
could not do told as failed, and the results of all others as they are: what a process of a batch says that makes no sense
ends it, as a crash, and may leave a temporary file. (Kills and full disks: tests/system/batch/kill.py. Allocations: fault/oom, fault/batch.)
Ends with "N passed, N failed".
"""
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import time

import kit

PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")
FAIL = [("open", errno.EMFILE), ("read", errno.EIO), ("write", errno.ENOSPC), ("close", errno.EIO), ("fsync", errno.EIO),
        ("rename", errno.EIO)]
LAST = 2000
# What is told instead: the sandbox leaves out what it cannot open, and then that is denied; a pipe that does not
# close well is a process that does not say how it went.
TOLD = {"open": ["Permission denied"], "close": ["died of signal", "crashed"], "write": ["died of signal"]}


def tree(path):
    """Files below ${path} by name."""
    found = {}
    for folder, _, names in os.walk(path):
        for n in names:
            full = os.path.join(folder, n)
            found[os.path.relpath(full, path)] = open(full, "rb").read()
    return found


class Job:
    """A command line run in an empty folder; its output folder, if it keeps results there."""

    def __init__(self, name, args, folder=None):
        self.name, self.args, self.folder = name, args, folder


def jobs(s):
    a, b = s.capture(17, 1), os.path.join(kit.DATA, "good-d08-recursion-calls.mlpd")
    packed = s.path("in.tar.gz")
    subprocess.run(["tar", "czf", packed, "-C", os.path.dirname(b), os.path.basename(b)], check=True)
    kept = s.path("kept")
    subprocess.run([kit.TRACETOOL, "batch", "-q", "-o", kept, a, b], check=True, stdout=subprocess.DEVNULL)
    budget = s.path("budget.json")
    open(budget, "w").write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "gc.alloc.bytes", "max": "1GB" } ] }')
    yield Job("batch", ["batch", "-q", "-j1", "--format", "json", a, b])
    yield Job("batch of an archive", ["batch", "-q", "-j1", "--format", "json", "-o", "out", packed], "out")
    yield Job("batch convert", ["batch", "-q", "-j1", "--do", "convert", "--to", "pb.gz", "--per-capture", "json", "-o", "out", a, b],
              "out")
    yield Job("batch gate", ["batch", "-q", "-j1", "--gate", budget, "--today", "2026-01-01", "--inconclusive", "pass", "--json", "v.json",
                             "--report", "r.csv", a, b])
    yield Job("merge", ["merge", "-q", kept, "-o", "m.jsonl", "--report", "r.csv"])
    yield Job("record", ["record", "-q", "-o", "r.ttc", "--module", s.module, "--", "true"])


def fine(job, r, good, after, want):
    return (r.returncode, r.out) == (good.returncode, good.out) and after == want


def problem(job, r, good, after, want, words):
    """None, or what is wrong."""
    if fine(job, r, good, after, want):
        return None
    told = r.err + r.out.decode("utf-8", "replace")
    if r.returncode not in (0, 1, 3, 4):
        return "status %d: %s" % (r.returncode, r.err[-300:])
    if not any(w in told for w in words) and not any(w.encode() in t for t in after.values() for w in words):
        return "nothing is told (status %d): %s" % (r.returncode, told[-300:])
    for name, text in after.items():
        if "results" in name:
            whole = {k: v for k, (ok, v) in results_of(text).items() if ok}
            right = {k: v for k, (_, v) in results_of(want.get(name.replace(".part", ".jsonl"), b"")).items()}
            if any(right.get(k) != v for k, v in whole.items()):
                return "a result is another one in %s" % name
        elif name == "spec.json":
            continue
        elif text != want.get(name) and job.folder is None and r.returncode == 4 and not any(w.encode() in text for w in words):
            # A capture's process counts its own calls: a report may be complete, and tell that it failed.
            return "%s is neither old nor complete" % name
    if any(".tmp." in n for n in after) and "died of signal" not in told:
        return "left %s" % sorted(after)
    return None


def results_of(text):
    found = {}
    for line in text.splitlines():
        try:
            r = json.loads(line)
        except ValueError:
            continue
        found[r.get("key", "")] = (r.get("status") == "ok", line)
    return found


def once(s, job, program, env=None, args=(), **more):
    with kit.Work(s, {}) as work:
        r = kit.run([program] + job.args[:1] + list(args) + job.args[1:], work.dir, env, **more)
        return r, tree(work.dir)


def transfers(s, job, good, want):
    told = s.path("told")
    r, after = once(s, job, PROGRAM, {"TT_IO": "short"})
    s.check(job.name + ", one byte at a time", None if fine(job, r, good, after, want) else
            "another result: status %d, %s" % (r.returncode, r.err[-300:]))
    for call, error in FAIL:
        for n in range(1, LAST):
            env = {"TT_IO": "fail", "TT_IO_CALL": call, "TT_IO_AT": str(n), "TT_IO_ERRNO": str(error), "TT_FAIL_TOLD": told}
            r, after = once(s, job, PROGRAM, env)
            s.check("%s, %s number %d fails with %s" % (job.name, call, n, errno.errorcode[error]),
                    problem(job, r, good, after, want, TOLD.get(call, []) + [os.strerror(error)]))
            if os.path.getsize(told) == 0:
                break


def memory(s, job, good, want):
    for size in [1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 24]:
        r, after = once(s, job, kit.TRACETOOL, args=["--max-memory", str(size)])
        s.check("%s, --max-memory %d" % (job.name, size), problem(job, r, good, after, want, ["--max-memory", "memory"]))


def signals(s, job, good, want, rng):
    began = time.monotonic()
    once(s, job, kit.TRACETOOL)
    took = time.monotonic() - began
    for sig in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        for i in range(20 if kit.LONG else 5):
            with kit.Work(s, {}) as work:
                p = subprocess.Popen([kit.TRACETOOL] + job.args, cwd=work.dir, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
                time.sleep(rng.uniform(0, took))
                p.send_signal(sig)
                err = p.communicate(timeout=60)[1].decode()
                after = tree(work.dir)
                left = [q for q in os.listdir("/proc") if q.isdigit() and session_of(q) == p.pid]
            bad = None
            if p.returncode not in (good.returncode, -sig):
                bad = "status %d: %s" % (p.returncode, err)
            elif left:
                bad = "processes %s go on" % left
            elif p.returncode == good.returncode and after != want:
                bad = "another result"
            elif any("tmp" in n for n in after):
                bad = "left %s" % sorted(after)
            s.check("%s, %s, round %d" % (job.name, sig.name, i), bad)


def session_of(pid):
    """The session of a process that runs, or None."""
    try:
        fields = open("/proc/%s/stat" % pid).read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return int(fields[3]) if fields[0] != "Z" else None


def main():
    s = kit.Suite()
    s.module = s.path("libmono-profiler-tracetool.so")
    shutil.copy(os.path.join(kit.BUILD, "libmono-profiler-tracetool.so"), s.module)
    rng = random.Random(20261120)
    for job in jobs(s):
        good, want = once(s, job, PROGRAM)
        again, same = once(s, job, PROGRAM)
        if not s.check(job.name, None if fine(job, again, good, same, want) and good.returncode in (0, 1) else
                       "status %d, not the same twice: %s" % (good.returncode, good.err)):
            continue
        transfers(s, job, good, want)
        if job.name != "record":
            memory(s, job, good, want)
        signals(s, job, good, want, rng)
    s.end()


main()
