#!/usr/bin/env python3
"""The program under valgrind: no access to memory that is not its own, no decision by uninitialized values, no leak.

Every command x reader x form x emitter on three workers, with the output that it has without valgrind; the cases of
tests/cli with their expectations; the fuzz targets over their corpora. The
sandbox is off but where a case turns it on: valgrind reads files itself, and does not know its system calls. An
argument, a regular expression, picks by name. Prints how many command lines ran. Ends with "N passed, N failed".
"""
import itertools
import os
import re
import subprocess
import sys

import kit

ONLY = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
VALGRIND = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect,possible",
            "--show-leak-kinds=definite,indirect,possible", "--num-callers=25"]
REPORT = re.compile(r"^==\d+==.*\n", re.M)
# Threads that live as the process ends.
SUPPRESSED = "{\n threads\n Memcheck:Leak\n match-leak-kinds: possible\n fun:calloc\n ...\n fun:_dl_allocate_tls\n}\n"
# A batch needs a system call (pidfd_open) that valgrind 3.19 does not know; `make san` goes over it.
LEFT_OUT = "batch"
# valgrind opens files of its own under numbers that are closed.
NOT_CLI = ["closed_descriptors_are_not_reused"]


class Watched:
    """The program under valgrind; each process leaves its reports in a file of its own."""

    def __init__(self, suite):
        self.logs, self.program, self.lines = suite.path("logs"), suite.path("tracetool"), suite.path("lines")
        os.mkdir(self.logs)
        known = suite.path("suppressed")
        open(known, "w").write(SUPPRESSED)
        self.flags = VALGRIND + ["--suppressions=" + known, "--log-file=" + self.logs + "/%p"]
        with open(self.program, "w") as f:
            f.write("#!/bin/sh\nexport TRACETOOL_SANDBOX=${TRACETOOL_SANDBOX-off}\necho $$ \"$@\" >> %s\nexec %s %s \"$@\"\n" %
                    (self.lines, " ".join(self.flags), kit.TRACETOOL))
        os.chmod(self.program, 0o755)

    def count(self):
        return sum(1 for _ in open(self.lines)) if os.path.exists(self.lines) else 0

    def reports(self):
        """What there is since the last time, each with its command line."""
        lines = dict(line.split(" ", 1) for line in open(self.lines) if " " in line) if os.path.exists(self.lines) else {}
        found = ""
        for name in os.listdir(self.logs):
            path = os.path.join(self.logs, name)
            said = "".join(REPORT.findall(open(path, errors="replace").read()))
            found += said and "%s%s\n" % (lines.get(name, "\n"), said[:3000])
            os.unlink(path)
        return found[:20000]


def run(args, cwd):
    return subprocess.run(args, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=900)


def command_line(s, watched, case):
    args = case.args + ([] if case.args[0] in kit.ALONE else ["-j", "3"])
    with kit.Work(s, case.given) as work:
        r = run([kit.TRACETOOL] + args, work.dir)
        want = r.returncode, r.stdout, case.same(work.files())
    with kit.Work(s, case.given) as work:
        r = run([watched.program] + args, work.dir)
        same = (r.returncode, r.stdout, case.same(work.files())) == want
    s.check(case.name, watched.reports() or (None if same else "another result: exit %d, not %d: %s" %
                                             (r.returncode, want[0], r.stderr.decode(errors="replace")[-600:])))


def main():
    s = kit.Suite()
    watched = Watched(s)
    for case in itertools.chain(kit.cases(s), kit.more_cases(s), kit.batch_cases(s)):
        if ONLY.search(case.name) and s.check(case.name, None if case.args else "has no case in tests/fault/kit.py") and \
                case.args[0] != LEFT_OUT:
            command_line(s, watched, case)
    folder = os.path.join(kit.TOP, "tests", "cli")
    chosen = [name for name in sorted(os.listdir(folder)) if ONLY.search("cli " + name) and name not in NOT_CLI and
              os.path.exists(os.path.join(folder, name, "cmd")) and
              "tracetool " + LEFT_OUT not in open(os.path.join(folder, name, "cmd")).read()]
    r = chosen and subprocess.run([os.path.join(folder, "run.sh")] + chosen, capture_output=True, text=True,
                                  env=dict(os.environ, TRACETOOL=watched.program, TT_CLI_LIMIT="900"))
    for name in chosen:
        told = re.search(r"^--- %s\n(.*?)(?=^--- |^\d+ passed)" % name, r.stdout, re.M | re.S)
        s.check("cli " + name, told and told.group(1))
    s.check("cli", watched.reports())
    corpora = os.path.join(kit.TOP, "tests", "fuzz", "corpus")
    for name in sorted(os.listdir(corpora)):
        if ONLY.search("fuzz " + name):
            r = run(watched.flags + [os.path.join(kit.BUILD, "fuzz", name), os.path.join(corpora, name)], s.dir)
            s.check("fuzz " + name, watched.reports() or (r.stdout.decode()[-600:] if r.returncode else None))
    print("%d command lines under valgrind, none of %s" % (watched.count(), LEFT_OUT), flush=True)
    s.end()


main()
