#!/usr/bin/env python3
"""Every system call that reads or writes fails once; or is interrupted, or does less than asked.

Writes: exit status 4, a line with the errno's text, no new file, the old one untouched, nothing left behind.
Reads: the same, and never told as damage. EINTR changes nothing. No output costs a system call per event.
Ends with "N passed, N failed".
"""
import os
import sys

import kit

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unity"))
import ttc

ERRORS = {"ENOSPC": "No space left", "EIO": "Input/output error", "EDQUOT": "quota"}


def strace(inject, path=None):
    """strace that injects into calls on ${path} alone, or into all of them."""
    return ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=" + inject] + (["-P", path] if path else [])


def clean(work, before):
    for f in os.listdir(work):
        os.unlink(os.path.join(work, f))
    for f, text in before.items():
        open(os.path.join(work, f), "wb").write(text)


def main():
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"         # who looks for leaks is a tracer, too, and there can be but one
    s = kit.Suite()
    work = s.path("work")
    os.makedirs(work)
    capture = os.path.join(kit.DATA, "good-d08-recursion-calls.mlpd")
    before = {"out.json": b"old"}

    # Output. The calls the program makes on the way out, counted by what strace sees.
    args = [kit.TRACETOOL, "convert", "-q", "-j", "1", capture, "-o", "out.json"]
    clean(work, before)
    kit.run(args, work)
    want = kit.listing(work)
    s.check("convert", None if want["out.json"] != b"old" else "wrote nothing")
    for call, errors in [("write", ["ENOSPC", "EDQUOT", "EIO"]), ("fsync", ["EIO", "ENOSPC"]), ("rename", ["EIO"]),
                         ("fchmod", []), ("ftruncate", [])]:
        for error in errors:
            for n in range(1, 1000):
                clean(work, before)
                r = kit.run(strace("%s:error=%s:when=%d" % (call, error, n)) + args, work)
                after = kit.listing(work)
                if r.returncode == 0 and after == want:
                    s.check("%s is called" % call, "never" if n == 1 else None)
                    break
                name = "%s of %s number %d" % (error, call, n)
                if r.returncode != 4 or ERRORS[error] not in r.err:
                    s.check(name, "exit %d: %s" % (r.returncode, r.err))
                else:
                    s.check(name, "left %s" % {k: len(v) for k, v in after.items()} if after != before else None)

    # A report on standard output.
    for error in ["ENOSPC", "EIO"]:
        r = kit.run(strace("write:error=%s:when=1" % error) + [kit.TRACETOOL, "info", capture], work)
        s.check("%s of a report" % error,
                None if r.returncode == 4 and ERRORS[error] in r.err else "exit %d: %s" % (r.returncode, r.err))

    # Input: only the capture's reads fail, else it is the loader that does not start.
    compressed = s.path("in.mlpd.gz")
    kit.run(["sh", "-c", "gzip -c %s > %s" % (capture, compressed)], s.dir)
    for path in [capture, compressed]:
        for verb in [["info"], ["stats"], ["convert", "-q", "-f", "chrome"]]:
            args = [kit.TRACETOOL] + verb + ["-j", "1", path]
            want = kit.run(args, work)
            for call in ["read", "pread64"]:
                for n in range(1, 1000):
                    r = kit.run(strace("%s:error=EIO:when=%d" % (call, n), path) + args, work)
                    if r.returncode == 0 and r.out == want.out:
                        break
                    bad = None
                    if r.returncode != 4 or "Input/output error" not in r.err:
                        bad = "exit %d: %s" % (r.returncode, r.err)
                    elif kit.tells_damage(r.err, want):
                        bad = "told as damage: %s" % r.err
                    s.check("%s, EIO of %s number %d on %s" % (verb[0], call, n, os.path.basename(path)), bad)
            # A call that is interrupted is made again: every second one is, so that the program gets on.
            for call in ["read", "pread64", "write"]:
                r = kit.run(strace("%s:error=EINTR:when=1+2" % call, None if call == "write" else path) + args, work)
                s.check("%s, EINTR of %s on %s" % (verb[0], call, os.path.basename(path)),
                        None if (r.returncode, r.out) == (0, want.out) else "exit %d: %s" % (r.returncode, r.err))
    sandbox(s, work, capture)
    calls(s, work)
    s.end()


def throws(s, n):
    """A capture with ${n} exceptions, each on a path below a zone of its own."""
    c = ttc.Capture(producer="tracetool Mono module")
    t, own = c.thread(), c.marker("Game:Go ()")
    c.record(76, ttc.varint(0) + ttc.varint(0x10000) + b"\0" + ttc.varint(0) + ttc.text("Space.Failed") + ttc.text(""))
    for i in range(n):
        t.begin(1000 + i * 100, own)
        t.other(1000 + i * 100 + 20, 22, ttc.varint(0x20000000 + i * 32) + ttc.varint(0x10000) + ttc.varint(0))
        t.end(1000 + i * 100 + 90)
    path = s.path("throws-%d.ttc" % n)
    c.write(path)
    return path


def calls(s, work):
    """Twice as many events: at most a system call more for every ten of them, in every output."""
    few, many = 20000, 40000
    paths = [throws(s, n) for n in (few, many)]
    suffixes = [r["suffix"].split()[0] for r in kit.listed("emitters") if r["suffix"]]
    lines = [(x, ["convert", "-q", "-o", "out" + x]) for x in suffixes] + [("pairs", ["convert", "-q", "--begin-end", "-o", "out.json"])]
    lines += [("a report", ["report", "-q", "-o", "out.html"]), ("a summary", []), ("tables", ["stats", "--format", "json", "--limit", "0"])]
    for name, args in lines:
        n = []
        for path in paths:
            clean(work, {})
            log = s.path("calls")
            r = kit.run(["strace", "-f", "-qq", "-o", log, kit.TRACETOOL, *args, path], work)
            with open(log) as f:
                n.append(sum(1 for _ in f))
        # An output that such a capture cannot have says so before it is read.
        bad = "exit %d: %s" % (r.returncode, r.err) if r.returncode not in (0, 2) else None
        s.check("%s, system calls" % name, bad or (None if n[1] - n[0] < (many - few) / 10 else "%d calls, then %d for twice the events" % tuple(n)))


def sandbox(s, work, capture):
    """Something is short while the sandbox is set up: told as that, not later as a file that must not be opened."""
    args = [kit.TRACETOOL, "convert", "-q", "-j", "1", capture, "-o", "out.json"]
    for call, error, text in [("openat", "ENFILE", "Too many open files"), ("landlock_add_rule", "ENOMEM", "Cannot allocate memory")]:
        told = 0
        for n in range(1, 200):
            clean(work, {})
            r = kit.run(strace("%s:error=%s:when=%d" % (call, error, n)) + args, work)
            told += "sandbox" in r.err
            bad = "Permission" in r.err or (b"tracetool" in r.out + r.err.encode() and (r.returncode != 4 or text not in r.err))
            s.check("%s of %s number %d" % (error, call, n), "exit %d: %s" % (r.returncode, r.err) if bad else None)
            if r.returncode == 0 and n > 60 or (call != "openat" and r.returncode == 0):
                break
        s.check("%s of %s" % (error, call), None if told or os.environ.get("TT_SANITIZED") else "never met the sandbox")
    for call, half in [("landlock_create_ruleset", "Landlock"), ("seccomp", "seccomp")]:
        clean(work, {})
        r = kit.run(strace(call + ":error=ENOSYS") + args, work)
        bad = r.returncode != 0 or r.err.count("\n") != 1 or "half a sandbox: no %s here" % half not in r.err
        s.check("no %s, and -q" % half, "exit %d: %s" % (r.returncode, r.err) if bad and not os.environ.get("TT_SANITIZED") else None)


main()
