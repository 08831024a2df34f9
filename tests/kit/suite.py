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
        shutil.rmtree(self.dir, ignore_errors=True)
        count.end()


def killed(suite, size=100000):
    """(capture, ring) of a game that was killed when its capture had ${size} bytes: what it had published lies in the ring."""
    path, env = suite.path("killed.ttc"), dict(os.environ, BUILD=BUILD)
    play = subprocess.Popen([os.path.join(BUILD, "host", "host"), "capture=" + path, "frames=1000000", "threads=2", "events=60"],
                            env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    while play.poll() is None and (not os.path.exists(path) or os.path.getsize(path) < size):
        time.sleep(0.01)
    os.killpg(play.pid, signal.SIGKILL)
    play.wait()
    ring = re.search(rb"/[^\0]*/tracetool-\d+-[0-9a-f]+\.ring", open(path, "rb").read(4096))
    return path, ring.group().decode()
