#!/usr/bin/env python3
"""Processes killed at random or stuck, and disks that are full: --resume completes, with the results of a run nobody disturbed.

kill -9 of captures' processes, of unpackers and of the parent; processes that stand still, or use up their time; a limit on
file size and, where there may be one, a small file system. At most the captures in flight are done again. Seeded; ends with "N passed, N failed".
"""
import os
import random
import resource
import shutil
import signal
import subprocess
import time

import kit
from kit import run

ROUNDS = 60 if kit.LONG else 4
ENV = dict(os.environ, TRACETOOL_JOBS_EXACT="1")
TRIES = 20          # of what may be over before the signal comes


def hit(pid, signum):
    """Signal a process that may be over."""
    try:
        os.kill(pid, signum)
    except ProcessLookupError:
        pass


def children(pid):
    """Processes whose parent is ${pid}."""
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            return [int(c) for c in f.read().split()]
    except OSError:
        return []


def lines(path):
    """Whole lines so far."""
    try:
        return open(path, "rb").read().count(b"\n")
    except OSError:
        return 0


def captures_in(path):
    """Results of captures among them."""
    try:
        return sum(b'"type":"capture"' in l for l in open(path, "rb").read().splitlines(True) if l.endswith(b"\n"))
    except OSError:
        return 0


def stuck(s, src, want, signum):
    """A process that stands still, or gets the signal of who has used up its time: a timeout, and nothing more."""
    out = s.path("stuck")
    for _ in range(TRIES):
        shutil.rmtree(out, ignore_errors=True)
        p = start(src, out, "--capture-time", "%ds" % (2 * kit.SLOW))
        while p.poll() is None and not children(p.pid):
            time.sleep(0.001)
        for c in children(p.pid)[:1]:                 # who unpacks the largest archive
            hit(c, signum)
        p.communicate()
        got = kit.results(os.path.join(out, "results.jsonl"))
        late = [r for r in got if r.get("why") == "timeout"]
        if late or open(os.path.join(out, "results.jsonl"), "rb").read() != want:
            break
    s.equal("%s: one line" % signum.name, (p.returncode, len(late)), (3, 1))
    s.equal("%s: says what to do" % signum.name, late and late[0]["detail"], "over %d s; raise --capture-time" % (2 * kit.SLOW))
    s.check("%s: the rest is done" % signum.name, [r["key"] for r in got if r not in late and r["outcome"] not in ("ok", "skipped")])
    run("batch", "-q", "-o", out, "--resume", src)
    s.check("%s: resume" % signum.name, open(os.path.join(out, "results.jsonl"), "rb").read() != want)


def start(src, out, *options):
    return subprocess.Popen([kit.TRACETOOL, "batch", "-q", "-j2", "-o", out, *options, src], env=ENV,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def temporaries(out):
    """Files under names that are not final, in the folder of results and in that of captures' files."""
    return [f for d in (out, os.path.join(out, "captures")) if os.path.isdir(d) for f in os.listdir(d) if ".tmp." in f]


def writers(s):
    """kill -9 of a process while it writes a file, of the parent, of both: no temporary stays, of both at the latest after --resume."""
    src, data = s.path("long"), open(os.path.join(kit.DATA, "good-d01-gameloop-calls-alloc.mlpd"), "rb").read()
    os.makedirs(src)
    start_of_buffers = data.find(b"\x01LPM")
    for i in range(4):
        with open(os.path.join(src, "%d.mlpd" % i), "wb") as f:
            f.write(data[:start_of_buffers] + data[start_of_buffers:] * 12)
    convert = ["--do", "convert", "--to", "json"]
    for who in ["child", "parent", "both"]:
        out = s.path("w-" + who)
        for _ in range(TRIES):
            shutil.rmtree(out, ignore_errors=True)
            p = start(src, out, *convert)
            while p.poll() is None and not temporaries(out):
                time.sleep(0.001)
            writing = [int(f.split(".tmp.")[1].split(".")[0]) for f in temporaries(out)]
            if who == "both":
                p.send_signal(signal.SIGSTOP)             # or it would clean up after them
            if who != "parent":
                for pid in writing[:1 if who == "child" else None]:
                    hit(pid, signal.SIGKILL)
            if who != "child":
                p.kill()
            p.communicate()
            while who != "child" and any(os.path.exists("/proc/%d" % pid) for pid in writing):
                time.sleep(0.01)
            left = len(temporaries(out))
            if p.returncode == 3 if who == "child" else left or who == "parent":
                break
        if who == "child":
            s.equal("child killed while it writes: status", p.returncode, 3)
            s.equal("child killed while it writes: left", left, 0)
        elif who == "parent":
            s.equal("parent killed while it writes: left", left, 0)
        else:
            s.check("both killed while they write", None if left else "nothing was left for --resume to remove")
        r = run("batch", "-q", "-o", out, "--resume", *convert, src)
        s.equal("%s killed while it writes: resume" % who, r.returncode, 0)
        s.equal("%s killed while it writes: left after resume" % who, temporaries(out), [])
        s.equal("%s killed while it writes: files" % who, len(os.listdir(os.path.join(out, "captures"))), 4)


def full_of_files(s, disk, src):
    """The disk is full of what the captures become: lines say so, and no temporary stays."""
    out = os.path.join(disk, "f")
    r = run("batch", "-q", "-j2", "-o", out, "--do", "convert", "--to", "json", src, env=ENV)
    s.check("disk full of files: told", None if r.returncode in (3, 4) and "No space" in r.err else (r.returncode, r.err))
    s.equal("disk full of files: left", temporaries(out), [])


def power_cut(s, src, want):
    """What a disk that lost its power may have of lines that were not yet on it: the first, or zeros in places."""
    rng = random.Random(20261121)
    shuffled = want.splitlines(True)
    rng.shuffle(shuffled)
    # An archive's own line stands behind those of its captures.
    shuffled.sort(key=lambda l: b'"type":"archive"' in l)
    text = b"".join(shuffled)
    for i in range(12):
        a = rng.randrange(len(text))
        b = min(len(text), a + rng.randrange(1, 8192))
        zeros = bytes(b - a if i < 9 else 3 << 20)
        kept = [text[:a], text[:a] + zeros, text[:a] + zeros + text[b:]][i % 3]
        out = s.path("cut")
        shutil.rmtree(out, ignore_errors=True)
        os.makedirs(out)
        open(os.path.join(out, "results.part"), "wb").write(kept)
        r = run("batch", "-j2", "-o", out, "--resume", src, env=ENV)
        s.equal("power cut %d: resume ends well" % i, r.returncode, 0)
        s.check("power cut %d: the same results" % i, open(os.path.join(out, "results.jsonl"), "rb").read() != want)


def main():
    s = kit.Suite()
    src = s.path("in")
    kit.mixed(src, 8)
    want_dir = s.path("want")
    began = time.monotonic()
    r = run("batch", "-q", "-j2", "-o", want_dir, src, env=ENV)
    took = time.monotonic() - began
    s.equal("undisturbed", r.returncode, 0)
    want = open(os.path.join(want_dir, "results.jsonl"), "rb").read()
    total = want.count(b"\n")
    captures = captures_in(os.path.join(want_dir, "results.jsonl"))
    rng = random.Random(20261120)
    hit = {"child": 0, "parent": 0}
    for who in ["child", "parent"]:
        for i in range(ROUNDS):
            out = s.path("k")
            shutil.rmtree(out, ignore_errors=True)
            p = start(src, out)
            # at a random share of the work, which does not depend on how fast the machine is
            after = rng.randrange(total)
            while p.poll() is None and lines(os.path.join(out, "results.part")) < after:
                time.sleep(0.001)
            if who == "parent":
                p.kill()
                hit[who] += p.poll() is None
            else:
                for pid in children(p.pid)[:rng.randrange(1, 4)]:
                    try:
                        os.kill(pid, signal.SIGKILL)
                        hit[who] += 1
                    except ProcessLookupError:
                        pass
            p.communicate()
            part = os.path.join(out, "results.part")
            had = lines(part)
            there = captures_in(part)
            if rng.random() < 0.5 and os.path.exists(part):
                with open(part, "ab") as f:
                    f.write(b'{"key":"torn')
            name = "%s killed, round %d" % (who, i)
            r = run("batch", "-j2", "-o", out, "--resume", src, env=ENV)
            s.equal(name + ": resume ends well", r.returncode, 0)
            s.check(name + ": the same results", open(os.path.join(out, "results.jsonl"), "rb").read() != want)
            if who == "parent" and had:
                # archives not at their end are opened again, their captures not
                n = int(r.err.split(" captures:")[0].split("tracetool: ")[-1].replace(",", ""))
                s.equal(name + ": what was done is not done again", n, captures - there)
            left = [c for c in children(os.getpid()) if c != p.pid]
            s.equal(name + ": no process is left", left, [])
    print("killed: %(child)d children, %(parent)d parents" % hit)
    for sig in [signal.SIGINT, signal.SIGTERM]:
        out = s.path("sig")
        shutil.rmtree(out, ignore_errors=True)
        p = start(src, out)
        while p.poll() is None and lines(os.path.join(out, "results.part")) < total // 2:
            time.sleep(0.001)
        p.send_signal(sig)
        p.communicate()
        s.check("%s: its own status" % sig.name, None if p.returncode in (-sig, 0) else p.returncode)
        run("batch", "-q", "-o", out, "--resume", src)
        s.check("%s: resume" % sig.name, open(os.path.join(out, "results.jsonl"), "rb").read() != want)
    for sig in [signal.SIGSTOP, signal.SIGXCPU]:
        stuck(s, src, want, sig)
    power_cut(s, src, want)
    writers(s)
    # full disks
    size = len(want)
    for share in [0.1, 0.5, 0.9]:
        out = s.path("full")
        shutil.rmtree(out, ignore_errors=True)
        limit = int(size * share)
        r = run("batch", "-o", out, src, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        s.check("limit of %d bytes: told" % limit, None if r.returncode in (3, 4) and "too large" in r.err else (r.returncode, r.err))
        r = run("batch", "-q", "-o", out, "--resume", src)
        s.check("limit of %d bytes: resume" % limit, open(os.path.join(out, "results.jsonl"), "rb").read() != want)
    nested = s.path("nested")
    os.makedirs(nested)
    inner = kit.zipped(sorted(kit.captures(3, 40).items()))
    open(os.path.join(nested, "a.tar.gz"), "wb").write(kit.pack("gz", kit.tar([("a.zip", inner)])))
    run("batch", "-q", "-o", s.path("nested-whole"), nested)
    limit = len(inner) // 2
    r = run("batch", "-o", s.path("nested-out"), "--spool-memory", "16k", nested,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    s.check("no room for an archive in an archive: told", None if r.returncode in (3, 4) and "too large" in r.err else (r.returncode, r.err))
    run("batch", "-q", "-o", s.path("nested-out"), "--resume", nested)
    s.equal("no room for an archive in an archive: resume", *(sorted(k for k in kit.by_key(s.path(d, "results.jsonl")))
                                                             for d in ("nested-out", "nested-whole")))
    disk = s.path("disk")
    os.makedirs(disk)
    if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "none", disk], stderr=subprocess.DEVNULL).returncode == 0:
        try:
            r = run("batch", "-o", os.path.join(disk, "o"), src)
            s.check("full file system: told", None if r.returncode == 4 and "No space" in r.err else (r.returncode, r.err))
            full_of_files(s, disk, src)
            shutil.rmtree(os.path.join(disk, "f"))
            subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
            r = run("batch", "-q", "-o", os.path.join(disk, "o"), "--resume", src)
            s.check("full file system: resume", open(os.path.join(disk, "o", "results.jsonl"), "rb").read() != want)
        finally:
            subprocess.run(["umount", disk], check=True)
    else:
        s.left_out("full file system", "it cannot be mounted without being root")
    print("one run: %.2f s, %d lines" % (took, total))
    s.end()


main()
