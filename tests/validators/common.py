"""What the checks of validators share: captures, commands, consumers of our outputs, the sum at the end."""
import glob
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
ORACLE = os.path.join(TOP, "tests", "oracle", "mlpd.py")
MAX_LINES = 8

# Small, and different: calls and allocations, exceptions, recursion, names, locks, old data versions.
SOME = ("d01", "d03", "d04-exceptions.", "d05", "d08", "d09", "d12")

# Options of the stand-in engine: how many events a frame has at the most.
MANY = [] if os.environ.get("TT_SET") == "all" else ["events=2000"]


def captures(args):
    """The files named, or those of testdata."""
    if args:
        return args
    good = sorted(glob.glob(os.path.join(TOP, "testdata", "mlpd", "good-*.mlpd")))
    if os.environ.get("TT_SET") == "all":
        return good
    return [f for f in good if os.path.basename(f)[len("good-"):].startswith(SOME)]


class Failure(Exception):
    """A check that did not hold."""


def run(*command, env=None):
    """The output of a command, which must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, check=False)
    if done.returncode:
        raise Failure("%s: exit status %d: %s" % (" ".join(command)[:200], done.returncode,
                                                  done.stderr.decode(errors="replace")[-600:]))
    return done.stdout.decode()


class Consumer:
    """A program beside the checks that takes a line of JSON for each question, [FILE, ...], and answers by one: it starts once."""

    def __init__(self, script):
        self.script, self.process, self.said = script, None, None

    def ask(self, *question):
        """The answer, or {"error": why}; a program that ends before it answers has not."""
        if not self.process:
            self.said = tempfile.TemporaryFile("w+")
            self.process = subprocess.Popen(["node", os.path.join(HERE, self.script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=self.said, text=True)
        try:
            print(json.dumps(question), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line:
            return json.loads(line)
        status, self.process = self.process.wait(), None
        self.said.seek(0)
        return {"error": "%s ends with exit status %d: %s" % (self.script, status, self.said.read()[-600:])}


TRACE_PROCESSOR, DEVTOOLS, SPEEDSCOPE = (Consumer(s) for s in ("tp.cjs", "devtools.mjs", "speedscope.cjs"))


def same(what, have, want):
    """Compare two numbers, sets, dicts or Counters; say where they differ."""
    if have == want:
        return
    lines = ["%s differ" % what]
    if isinstance(want, dict):
        for key in sorted(set(have) | set(want), key=str):
            if have.get(key) != want.get(key):
                lines.append("    %s: %s, not %s" % (key, have.get(key), want.get(key)))
    else:
        lines.append("    %s, not %s" % (have, want))
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = ["    and %d more" % (len(lines) - MAX_LINES)]
    raise Failure("\n".join(lines))


def check_all(files, check):
    """Run check(file) for each; print what fails and the sum; return the exit status."""
    failed = 0
    for path in files:
        try:
            check(path)
        except Failure as e:
            failed += 1
            print("%s: %s" % (os.path.basename(path), e))
    print("%d passed, %d failed" % (len(files) - failed, failed))
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit("this is a module")
