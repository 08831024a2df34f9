#!/usr/bin/env python3
"""A disk of 64 KiB that is full, or nearly: outputs and temporary files.

Every command, reader and emitter that writes a file, with more and more room on the disk until it is enough. Too little:
exit status 4, the system's text, the old output as it was and nothing beside it. Then the same for temporary files.
A game recorded onto a disk of 1 MiB.
(Results of a batch on a full disk: tests/system/batch/kill.py.) Ends with "N passed, N failed".
"""
import os
import subprocess
import sys
import time

import kit

SIZE = 64 << 10
WORDS = "No space left on device"


def fill(disk, room):
    """Leave ${room} bytes."""
    v = os.statvfs(disk)
    n = v.f_bavail * v.f_frsize - room
    with open(os.path.join(disk, "filler"), "wb") as f:
        f.write(b"x" * max(n, 0))


def empty(disk):
    """Remove what is on the disk, and wait for its room: the system gives that of removed files back a little later."""
    for f in os.listdir(disk):
        os.unlink(os.path.join(disk, f))
    late = time.monotonic() + 60
    while True:
        v = os.statvfs(disk)
        if v.f_bavail * v.f_frsize == SIZE:
            return
        assert time.monotonic() < late, "the disk is not empty"
        time.sleep(0.001)


def files(disk):
    found = kit.listing(disk)
    found.pop("filler", None)
    return found


def problem(r, good, before, after, want):
    """None; or what is wrong with how it went where there was too little room."""
    if r.returncode == good.returncode and r.out == good.out and after == want:
        return None
    if r.returncode != 4 or WORDS not in r.err:
        return "exit %d: %s" % (r.returncode, r.err[-300:])
    if set(after) != set(before) or any(after[f] not in (before[f], want[f]) for f in after):
        return "left %s" % {k: len(v) for k, v in after.items()}
    return None


def outputs(s, disk, case):
    with kit.Work(s, case.given) as work:
        good = kit.run([kit.TRACETOOL] + case.args, work.dir)
        want = case.same(work.files())
    refused = enough = False
    for room in [0, 4096, 8192, 16384, SIZE]:
        empty(disk)
        for f, text in case.before.items():
            open(os.path.join(disk, f), "wb").write(text)
        before = files(disk)
        fill(disk, room)
        r = kit.run([kit.TRACETOOL] + case.args, disk)
        after = case.same(files(disk))
        refused |= r.returncode == 4
        enough |= after == want
        s.check("%s, %d bytes free" % (case.name, room), problem(r, good, before, after, want))
    s.check(case.name, None if refused else "was never refused")
    if sum(len(v) + 4096 for v in want.values()) < SIZE // 2:
        s.check(case.name, None if enough else "there was never room")


def temporaries(s, disk):
    """Input that must be read twice and comes through a pipe; a form that is written in another order."""
    capture = os.path.join(kit.DATA, "good-d01-gameloop-calls-alloc.mlpd")
    for name, args, stdin in [
            ("input from a pipe", ["convert", "-q", "-f", "chrome", "-"], True),
            ("frames of a pipe", ["stats", "--frame-marker", "World:Frame", "-"], True),
            ("begin and end", ["convert", "-q", "-f", "chrome", "--begin-end", capture] + [kit.another(s, capture, k) for k in range(1, 12)], False)]:
        refused = False
        text = open(capture, "rb").read() if stdin else b""
        good = subprocess.run([kit.TRACETOOL] + args, input=text, capture_output=True)
        s.check(name, None if good.returncode == 0 else good.stderr.decode())
        for room in [0, 8192, SIZE]:
            empty(disk)
            fill(disk, room)
            r = subprocess.run([kit.TRACETOOL] + args, input=text, capture_output=True, env=dict(os.environ, TMPDIR=disk))
            r.err = r.stderr.decode()
            refused |= r.returncode == 4
            bad = None
            if (r.returncode, r.stdout) != (0, good.stdout) and (r.returncode != 4 or WORDS not in r.err or disk not in r.err):
                bad = "exit %d: %s" % (r.returncode, r.err)
            s.check("%s, %d bytes free for temporary files" % (name, room), bad or ("left %s" % files(disk) if files(disk) else None))
        s.check(name, None if refused else "was never refused")


def recorder(s):
    """A game whose capture, ring, or both find but 1 MiB: it plays on to its end, and what is missing is told. A ring of 32 MiB that
    would leave others next to nothing of the shared memory finds no room there, either; with 64 MiB, or no limit at all, it does."""
    small = s.path("small")
    os.mkdir(small)
    mount = "mount -t tmpfs -o size=%s none %s && "
    for name, shm, where in [("capture", None, small), ("ring", "1m", s.dir), ("ring, nearly", "33m", s.dir),
                             ("capture and ring", "1m", small), ("ring, not quite", "64m", s.dir), ("ring, never", "0", s.dir)]:
        capture = os.path.join(where, "game.ttc")
        env = {k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"}
        r = subprocess.run(["unshare", "-m", "sh", "-c", mount % ("1m", small) + (mount % (shm, "/dev/shm") if shm else "") +
                            'BUILD="$1" "$1/host/host" capture="$2" frames=300 threads=3 events=3000 account="$3"; echo status $?; '
                            '"$4" info "$2"', "sh", kit.BUILD, capture, s.path("account"), kit.TRACETOOL],
                           capture_output=True, env=dict(env, TRACETOOL_SANDBOX="off"))
        out, err = r.stdout.decode(), r.stderr.decode()
        if "status " not in out:
            s.check("full disk for the %s" % name, "no such disk can be made here: " + err)
            continue
        status = int(out.split("status ")[1].split()[0])
        made = os.path.exists(s.path("account")) and os.path.getsize(s.path("account"))
        # 122: the game played, and there was no capture of it
        s.check("full disk for the %s: the game" % name, None if status == (122 if shm and where == small else 0) and
                (made or status == 122) else "status %d: %s" % (status, err))
        want = {"capture": ["No space left", "recorder stopped before the program did"], "ring": ["the ring is beside the capture"],
                "ring, nearly": ["the ring is beside the capture"],
                "capture and ring": ["no capture: no place for a ring", "No space left"]}.get(name)
        right = all(w in err for w in want) if want else "no capture" not in err and "beside" not in err
        s.check("full disk for the %s: told" % name, None if right else err)
        s.check("full disk for the %s: read" % name, None if name == "capture and ring" or r.returncode in (0, 3) and
                "ended cleanly  %s" % ("yes" if where == s.dir else "no") in out else out + err)


def main():
    if os.geteuid() != 0:
        os.execvp("unshare", ["unshare", "-Urm", sys.executable] + sys.argv)
    s = kit.Suite()
    disk = s.path("disk")
    os.mkdir(disk)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % SIZE, "none", disk], check=True)
    try:
        for case in kit.cases(s, kit.LONG):
            if case.outputs:
                outputs(s, disk, case)
        temporaries(s, disk)
        recorder(s)
    finally:
        subprocess.run(["umount", disk], check=True)
    s.end()


main()
