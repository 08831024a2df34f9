"""What suites in Python share beside their counts: where the tree, the build and the program are, and a folder to work in."""
import os
import shutil
import tempfile

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
