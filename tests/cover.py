#!/usr/bin/env python3
"""cover.py BUILD: lists which code of lib and formats the tests ran, and the reasons for the rest.

BUILD is a clang build with -fprofile-instr-generate -fcoverage-mapping; BUILD/prof holds the counters, which its programs
share with their files while they run: so what was killed, or left by _exit(), counts as well.

A line counts once, a branch twice: a condition (each part of && and ||, each case) that was true and that was false. Code
of a header or of a file that several programs take in counts once. tests/ and cmd/ do not count.

Whatever was not run has the first reason of tests/cover.reasons that fits; one that fits nothing is told.
Ends with the figures of both directories; exit status 1 where one of them is below its limit.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

LINES, BRANCHES = 95.0, 90.0
TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
PARTS = ("lib", "formats")


def tool(*args):
    return subprocess.run(args, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def load(build):
    """{file: ({line: count}, {(line, column, end, way): count})}"""
    profile = os.path.join(build, "all.profdata")
    tool("llvm-profdata", "merge", "-sparse", "-o", profile, *glob.glob(os.path.join(build, "prof", "*.profraw")))
    # unity_config takes in a source file of the recorder.
    objects = [os.path.join(build, n) for n in ("libtracetool-unity.so", "libmono-profiler-tracetool.so", "unit/recorder/unity_config")]
    common = ["-instr-profile", profile, os.path.join(build, "tracetool")]
    for o in objects:
        common += ["-object", o] if os.path.exists(o) else []
    found = {}
    lines = None
    for row in tool("llvm-cov", "export", "-format=lcov", *common).splitlines():
        if row.startswith("SF:"):
            lines = found.setdefault(os.path.relpath(row[3:], TOP), ({}, {}))[0]
        elif row.startswith("DA:"):
            n, count = map(int, row[3:].split(",")[:2])
            lines[n] = lines.get(n, 0) + count
    for f in json.loads(tool("llvm-cov", "export", *common))["data"][0]["files"]:
        ways = found.setdefault(os.path.relpath(f["filename"], TOP), ({}, {}))[1]
        for b in f["branches"]:
            for way in (0, 1):
                key = (b[0], b[1], b[3], way)
                ways[key] = ways.get(key, 0) + b[4 + way]
    return {f: v for f, v in found.items() if f.split("/")[0] in PARTS}


class Reasons:
    """Rows "FILES <tab> PATTERN <tab> REASON": a glob, what the line must hold (a regular expression), why it is not run."""

    def __init__(self, path):
        self.rows = []
        for row in open(path):
            if row.strip() and not row.startswith("#"):
                files, pattern, reason = re.split(r"\t+", row.rstrip("\n"), maxsplit=2)
                self.rows.append((re.compile(files + r"\Z"), re.compile(pattern), reason))
        self.used = [0] * len(self.rows)

    def of(self, file, text):
        for i, (files, pattern, reason) in enumerate(self.rows):
            if files.match(file) and pattern.search(text):
                self.used[i] += 1
                return reason
        return None


def show(name, of, files):
    run = [(sum(len(of[f][k]) for f in files), sum(sum(1 for c in of[f][k].values() if c) for f in files)) for k in (0, 1)]
    share = [100.0 * have / max(want, 1) for want, have in run]
    print("%-28s %6d lines %6.2f %%   %6d branches %6.2f %%" % (name, run[0][0], share[0], run[1][0], share[1]))
    return share


def main():
    build = sys.argv[1]
    found = load(build)
    reasons = Reasons(os.path.join(TOP, "tests", "cover.reasons"))
    rest = collections.defaultdict(lambda: [0, 0])
    missed = open(os.path.join(build, "missed.txt"), "w")
    for file, (lines, ways) in sorted(found.items()):
        text = [""] + open(os.path.join(TOP, file), encoding="utf-8").read().split("\n")
        rows = [(n, "line", 0) for n, count in lines.items() if not count]
        rows += [(n, "%s: %s" % (("true", "false")[way], text[n][at - 1:end - 1] or "..."), 1)
                 for (n, at, end, way), count in ways.items() if not count]
        for n, what, kind in sorted(rows):
            # What a failed call leads to is told by the condition before it.
            around = " ".join(t.strip() for t in text[max(n - 2, 1):n + 1])
            reason = reasons.of(file, text[n].strip() if kind else around)
            rest[re.sub("^(could be tried|unreachable).*", r"\1", reason or "not yet tried")][kind] += 1
            missed.write("%s:%d: %s: %s\n" % (file, n, what, reason or "not yet tried"))
    missed.close()
    for d in sorted({os.path.dirname(f) for f in found}):
        show(d, found, [f for f in found if os.path.dirname(f) == d])
    print("\nNot run, by reason (each one: %s):" % os.path.relpath(missed.name, TOP))
    for reason, (lines, ways) in sorted(rest.items(), key=lambda r: -r[1][1]):
        print("%6d lines %6d branches  %s" % (lines, ways, reason))
    bad = False
    for row, used in zip(reasons.rows, reasons.used):
        if not used:
            print("tests/cover.reasons: nothing to excuse: %s, %s" % (row[0].pattern, row[1].pattern))
    print()
    for part in PARTS:
        lines, branches = show(part, found, [f for f in found if f.startswith(part + "/")])
        if lines < LINES or branches < BRANCHES:
            print("%s: less than %g %% of lines or %g %% of branches" % (part, LINES, BRANCHES))
            bad = True
    sys.exit(bad)


main()
