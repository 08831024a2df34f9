#!/usr/bin/env python3
"""tracetool-recover(1), --list: rings of programs that were really killed, of one that runs, and what is named like a ring and is none.

Rings of other programs may lie beside ours: only entries of ours are looked at.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import fcntl
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from suite import BUILD, Suite, TRACETOOL, killed, ring_of

HOST = os.path.join(BUILD, "host", "host")
NOBODY = 65534


def run(*args, **more):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, **more)


def listed(*folders, **more):
    """(what is said of each ring by its path, the last line, the exit status)"""
    r = run("recover", "--list", *folders, **more)
    parts = r.stdout.split("\n\n")
    entries = {}
    for part in parts[:-1]:
        lines = part.split("\n")
        entries[lines[0]] = {line[2:11].strip() or "more": line[11:] for line in lines[1:]}
    return entries, parts[-1].strip(), r.returncode


def lasting(s, name, around=()):
    """A game that records until it is killed, its capture, which is given relative to its folder, and its ring."""
    path = s.path(name)
    env = {k: v for k, v in os.environ.items() if k != "XDG_RUNTIME_DIR"}
    game = subprocess.Popen([*around, HOST, "capture=" + name, "frames=1000000", "threads=2", "events=60"], cwd=s.dir, env=dict(env, BUILD=BUILD),
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while game.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < 100000):
        time.sleep(0.01)
    return game, path, ring_of(path)


def end(game, capture):
    """Kill the game. The process that recorded may be a child of it, and be gone a little later: the open file ${capture} is then locked no more."""
    if game:
        os.killpg(game.pid, signal.SIGKILL)
        game.wait()
    fcntl.flock(capture, fcntl.LOCK_SH)
    capture.close()


def of_a_running_program(s):
    game, path, ring = lasting(s, "runs.ttc")
    capture = open(path, "rb")
    try:
        e = listed()[0].get(ring, {})
        s.check("a running program's ring: %r" % e, None if e.get("program", "").startswith("runs: process ") and e["to do"].startswith("nothing") else "!")
        s.equal("its capture, which it had from its own folder", e.get("capture"), path)
        s.equal("its ring is untouched", os.path.exists(ring), True)
        os.unlink(path)
        e = listed()[0].get(ring, {})
        s.check("the same without the capture: %r" % e, None if e.get("program", "").startswith("runs") and "rm" not in e["to do"] else "!")
    finally:
        end(game, capture)
    e = listed()[0].get(ring, {})
    s.equal("killed, without a capture", (e.get("program", "")[:9], e.get("more"), e.get("to do", "").split(";")[0]),
            ("has ended", "is not there, or is another recording's by now", "rm " + ring))
    subprocess.run(e["to do"].split(";")[0], shell=True)
    s.equal("the advice removes it", (os.path.exists(ring), ring in listed()[0]), (False, False))


def of_a_killed_program(s):
    path, ring = killed(s)
    end(None, open(path, "rb"))
    entries, last, status = listed()
    e = entries.get(ring, {})
    s.equal("a killed program's ring", (status, e.get("program", "")[:9], e.get("capture"), e.get("to do")),
            (0, "has ended", path, "tracetool recover --remove-ring " + path))
    s.check("its program: %r" % e, None if HOST in e.get("program", "") and "process %s," % ring.split("-")[-2] in e["program"] else "!")
    s.check("when it began: %r" % e.get("began"), None if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", e.get("began", "")) else "!")
    s.check("the sum: %r" % last, None if re.fullmatch(r"\d+ rings?, [\d.]+ .?B; of programs that have ended: \d+, [\d.]+ .?B", last) else "!")
    odd_rings(s, path, ring)
    another_user(s, ring)
    # A capture of the same name that another recording made is not the ring's.
    shutil.move(path, s.path("moved.ttc"))
    shutil.copy(s.path("kept.ttc"), path)
    e = listed()[0].get(ring, {})
    s.equal("another recording has the capture's name", (e.get("more", "")[:12], e.get("to do", "").split(";")[0]), ("is not there", "rm " + ring))
    shutil.move(s.path("moved.ttc"), path)
    r = subprocess.run(listed()[0][ring]["to do"], shell=True, env=dict(os.environ, PATH=os.path.dirname(TRACETOOL) + ":" + os.environ["PATH"]),
                       capture_output=True, text=True)
    s.equal("the advice works: " + r.stderr, (r.returncode, os.path.exists(s.path("killed.recovered.ttc")), os.path.exists(ring), ring in listed()[0]),
            (0, True, False, False))


def odd_rings(s, path, ring):
    """Rings in a folder that is given, and files that are named like rings."""
    folder, name = s.path("folder with 'odd' name\x1b[2J"), os.path.basename(ring)
    os.mkdir(folder)
    shutil.copy(ring, folder)
    e = listed(folder)[0].get(os.path.join(folder, name).replace("\x1b", "?"), {})
    s.equal("a ring in a folder", (e.get("capture"), e.get("to do")), (path, "tracetool recover --remove-ring " + path))
    rings = s.path("rings")
    os.mkdir(rings)
    head = open(ring, "rb").read(8192)
    mine = "tracetool-%d-0123456789abcdef.ring" % os.getpid()
    makes = {"tracetool-1-a.ring": lambda p: os.symlink(ring, p), "tracetool-1-b.ring": os.mkfifo, "tracetool-1-c.ring": os.mkdir,
             "other-1-d.ring": lambda p: open(p, "wb").write(head), "tracetool-4194305-e.ring": lambda p: open(p, "wb").write(b""),
             "tracetool-4194305-f.ring": lambda p: open(p, "wb").write(head[:1024] + bytes(7168)), mine: lambda p: open(p, "wb").write(bytes(8192))}
    for n, make in makes.items():
        make(os.path.join(rings, n))
    for what, where, env in (("given twice", [rings, rings + "/."], {}), ("of XDG_RUNTIME_DIR", [], {"XDG_RUNTIME_DIR": rings})):
        entries = listed(*where, env=dict(os.environ, **env))[0]
        have = {os.path.basename(p): (e["program"].split(":")[0], e["capture"][:9]) for p, e in entries.items() if p.startswith(rings)}
        s.equal("files named like rings in a folder " + what, have,
                {"tracetool-4194305-e.ring": ("has ended", "not known"), "tracetool-4194305-f.ring": ("has ended", "not known"),
                 mine: ("may run", "not known")})
    r = run("recover", "--list", s.path("nowhere"))
    s.equal("a folder that is not there", (r.returncode, r.stdout, s.path("nowhere") in r.stderr), (4, "", True))
    for more in (["--remove-ring"], ["-o", s.path("out.ttc")]):
        s.equal("--list with %s" % more[0], run("recover", "--list", *more).returncode, 2)
    s.check("without a capture, --list is told", None if "--list" in run("recover").stderr else "!")


def beside_the_capture(s):
    """No room in shared memory: the ring is in the capture's folder, found by the folder, and read with the capture."""
    small = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=1m none /dev/shm && exec "$@"', "sh"]
    if os.geteuid() != 0 or subprocess.run([*small, "true"], capture_output=True).returncode:
        s.left_out("a ring beside its capture", "no small shared memory can be made here")
        return
    game, path, ring = lasting(s, "beside.ttc", small)
    end(game, open(path, "rb"))
    e = listed(s.dir)[0].get(ring, {})
    s.equal("a ring beside its capture", (os.path.dirname(ring), e.get("program", "")[:9], e.get("capture"), e.get("to do")),
            (s.dir, "has ended", path, "tracetool recover --remove-ring " + path))
    r = run("recover", "--remove-ring", path)
    s.check("it is read with the capture: " + r.stderr, None if ring in r.stderr and not os.path.exists(ring) else "!")


def another_user(s, ring):
    """A ring of another user's: that it is there, its size, and who may read it."""
    if os.geteuid() != 0:
        s.left_out("rings of another user", "only root can become another user")
        return
    copy = os.path.join("/tmp", "tracetool-list-%d" % os.getpid())
    shutil.copy(TRACETOOL, copy)
    os.chmod(copy, 0o755)
    r = subprocess.run([copy, "recover", "--list"], capture_output=True, text=True, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")
    os.unlink(copy)
    part = r.stdout[r.stdout.find(ring):].split("\n\n")[0]
    s.check("another user's ring: %s %s" % (part, r.stderr), None if "not known: user 0 may read the ring" in part and "rm " not in part else "!")


def main():
    s = Suite()
    of_a_running_program(s)
    game, path, ring = lasting(s, "kept.ttc")
    end(game, open(path, "rb"))
    os.unlink(ring)
    of_a_killed_program(s)
    beside_the_capture(s)
    s.end()


main()
