"""What suites in Python share beside their counts: where the tree, the build and the program are, and a folder to work in."""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import count

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TESTDATA = os.path.join(TOP, "testdata")
BUILD = os.path.realpath(os.environ.get("BUILD", os.path.join(TOP, "build")))
TRACETOOL = os.path.realpath(os.environ.get("TRACETOOL", os.path.join(BUILD, "tracetool")))
LONG = os.environ.get("TT_SET") == "all"     # at full length


class Suite:
    """Counts checks; has a folder to work in; ends the program with the sum."""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="tracetool-test.")

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def check(self, what, problem):
        return count.fault(what, problem)

    def equal(self, what, have, want):
        return count.same(what, have, want)

    def left_out(self, what, why):
        count.left_out(what, why)

    def end(self):
        forget_rings(self.dir)
        shutil.rmtree(self.dir, ignore_errors=True)
        count.end()


def ring_of(path):
    """The ring that a capture names; "" if none."""
    with open(path, "rb") as f:
        found = re.search(rb"/[^\0]*/tracetool-\d+-[0-9a-f]+\.ring", f.read(4096))
    return found.group().decode() if found else ""


def forget_rings(folder):
    """Remove the rings of captures in a folder whose programs were killed."""
    for top, _, files in os.walk(folder):
        for path in (os.path.join(top, f) for f in files if f.endswith(".ttc")):
            ring = ring_of(path) if os.path.isfile(path) and os.access(path, os.R_OK) else ""
            if os.path.isfile(ring):
                os.unlink(ring)


def killed(suite, size=100000):
    """(capture, ring) of a game that was killed when its capture had ${size} bytes: what it had published lies in the ring."""
    path, env = suite.path("killed.ttc"), dict(os.environ, BUILD=BUILD)
    play = subprocess.Popen([os.path.join(BUILD, "host", "host"), "capture=" + path, "frames=1000000", "threads=2", "events=60"],
                            env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while play.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < size):
        time.sleep(0.01)
    os.killpg(play.pid, signal.SIGKILL)
    play.wait()
    return path, ring_of(path)
