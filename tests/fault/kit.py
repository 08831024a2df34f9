"""What the fault suites share: a capture, runs of the program, and the sum at the end."""
import os
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD = os.path.realpath(os.environ.get("BUILD", os.path.join(TOP, "build")))
TRACETOOL = os.path.join(BUILD, "tracetool")
LONG = os.environ.get("TT_SET") == "all"
DATA = os.path.join(TOP, "testdata", "mlpd")


class Suite:
    """Counts checks; makes a directory to work in; ends the program with the sum."""

    def __init__(self):
        self.passed = self.failed = 0
        self.dir = tempfile.mkdtemp(prefix="tracetool-fault.")

    def path(self, *name):
        return os.path.join(self.dir, *name)

    def capture(self, version=17, seed=1):
        """A small capture with everything the version has."""
        path = self.path("in-%d-%d.mlpd" % (version, seed))
        subprocess.run([os.path.join(BUILD, "mlpd_gen"), str(version), "8", str(seed), path], check=True)
        return path

    def check(self, name, problem):
        if problem:
            self.failed += 1
            if self.failed <= 20:
                print("%s: %s" % (name, problem))
        else:
            self.passed += 1
        return not problem

    def end(self):
        shutil.rmtree(self.dir, ignore_errors=True)
        print("%d passed, %d failed" % (self.passed, self.failed))
        sys.exit(self.failed > 0 or self.passed == 0)


def run(args, cwd, env=None, **more):
    """Run to the end; text of standard error in .err, bytes of standard output in .out."""
    e = dict(os.environ)
    e.update(env or {})
    r = subprocess.run(args, cwd=cwd, env=e, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, **more)
    r.out, r.err = r.stdout, r.stderr.decode("utf-8", "replace")
    return r


def listing(path):
    return {n: open(os.path.join(path, n), "rb").read() for n in os.listdir(path)}
