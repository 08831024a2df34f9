"""What suites of users and places share: working folder, HOME and TMPDIR apart from each other, and who runs it."""
import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import count
from suite import BUILD, Suite as Base, TESTDATA as DATA, TOP, TRACETOOL

MODULE = "libmono-profiler-tracetool.so"

# A number without an account: whoever needs a name, a shell or a home folder in /etc/passwd finds none.
ORDINARY = 54321


class Suite(Base):
    """
    Counts checks. ${base} holds the program in bin/ and inputs in in/, read-only; it is in no folder that only its owner may
    enter, as run.sh's is, so that an ordinary user can come here.
    """

    def __init__(self):
        public = next(d for d in ("/var/tmp", "/tmp") if os.path.isdir(d) and os.stat(d).st_mode & 0o1777 == 0o1777)
        self.base = tempfile.mkdtemp(prefix="tracetool-where.", dir=public)
        atexit.register(self.remove)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        os.chmod(self.base, 0o755)
        os.mkdir(self.path("in"))
        os.makedirs(self.path("bin"))
        shutil.copy(TRACETOOL, self.path("bin", "tracetool"))
        self.users = [("root", 0), ("an ordinary user", ORDINARY)]
        if os.geteuid() != 0:
            self.users = [("this user", None)]
            self.left_out("as root, and as another user", "not run as root")

    def path(self, *names):
        return os.path.join(self.base, *names)

    def remove(self):
        for folder, _, _ in os.walk(self.base):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.base, ignore_errors=True)

    def protect(self):
        """Nobody may write the inputs from here on; root would not be stopped by that."""
        for folder, _, names in os.walk(self.path("in")):
            for name in names:
                os.chmod(os.path.join(folder, name), 0o444)
            os.chmod(folder, 0o555)

    def end(self):
        count.end()


def player(s, path, *options):
    """A stand-in for a player that has the Unity recorder's package, with the real recorder."""
    if not os.path.isdir(s.path("bin", "host")):
        os.makedirs(s.path("bin", "host"))
        shutil.copy(os.path.join(BUILD, "host", "host"), s.path("bin", "host"))
        for name in os.listdir(BUILD):
            if name.startswith("libtracetool-unity"):
                shutil.copy(os.path.join(BUILD, name), s.path("bin"))
    with open(path, "w") as f:
        f.write('#!/bin/sh\nBUILD=%s exec %s threads=2 %s capture="$TRACETOOL_CAPTURE"\n' %
                (s.path("bin"), s.path("bin", "host", "host"), " ".join(options)))
    os.chmod(path, 0o755)


class Place:
    """The folders of user ${uid} (None: who runs this): work/, home/, tmp/ and out/, none below another, all empty; one at a time."""

    def __init__(self, suite, uid):
        self.suite, self.uid, self.dir = suite, uid, suite.path("place")
        for name in ("", "work", "home", "tmp", "out"):
            os.mkdir(self.path(name))
            self.own(self.path(name))

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def own(self, path):
        if self.uid is not None:
            os.chown(path, self.uid, self.uid)

    def file(self, name, text):
        """A file that lies here already, the user's own."""
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as f:
            f.write(text)
        self.own(os.path.dirname(self.path(name)))
        self.own(self.path(name))

    def run(self, argv, env=None, text=b"", **more):
        """${argv} to its end in work/; .out bytes, .err text."""
        e = {"PATH": self.suite.path("bin") + ":" + os.environ["PATH"], "HOME": self.path("home"), "TMPDIR": self.path("tmp"),
             "TZ": "UTC", "TERM": "dumb"}
        e.update(env or {})
        if self.uid:
            more.update(user=self.uid, group=self.uid, extra_groups=[])
        r = subprocess.run(argv, cwd=self.path("work"), env=e, input=text, capture_output=True, timeout=300, **more)
        r.out, r.err = r.stdout, r.stderr.decode("utf-8", "replace")
        return r

    def files(self):
        """Every file and every empty folder in the four folders: {path from here: bytes, None for a folder}."""
        found = {}
        for folder, dirs, names in os.walk(self.dir):
            at = os.path.relpath(folder, self.dir)
            if not dirs and not names:
                found[at] = None
            for name in names:
                with open(os.path.join(folder, name), "rb") as f:
                    found[os.path.normpath(os.path.join(at, name))] = f.read()
        return found

    def remove(self):
        shutil.rmtree(self.dir)
