#!/usr/bin/env python3
"""Coverage of Mono's log profiler (data versions 10 to 15) as lcov, read by genhtml.

    lcov.py TRACETOOL MLPD_GEN

The encoder's captures have a method of two statements on two lines, of which one ran three times; what genhtml counts is
that. A tracefile without lines, which genhtml refuses, is refused: one line says what the capture lacks, and no file is made.
Prints `N passed, N failed`; exit status 1 if any failed.
"""
import os
import re
import subprocess
import sys
import tempfile


sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, fault, same
from suite import TOP

def convert(path, out):
    return subprocess.run([sys.argv[1], "convert", "-f", "lcov", path, "-o", out], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as temp:
    capture, info, source = (os.path.join(temp, n) for n in ("in.mlpd", "out.info", "World.cs"))
    with open(source, "w") as f:
        f.write("// a line\n" * 20)
    for version in range(10, 16):
        for size in (4, 8):
            subprocess.run([sys.argv[2], str(version), str(size), "1", capture], check=True)
            p = convert(capture, info)
            same("version %d: convert" % version, p.returncode, 0)
            text = open(info).read()
            same("version %d: lines" % version, re.findall(r"^DA:(.*)$", text, re.M), ["17,3", "18,0"])
            # genhtml wants the source to be there.
            with open(info, "w") as f:
                f.write(text.replace("SF:/src/World.cs", "SF:" + source))
            p = subprocess.run(["genhtml", "-o", os.path.join(temp, "html"), info], capture_output=True, text=True)
            said = r"lines\.+: 50\.0% \(1 of 2 lines\)\s+functions\.+: 100\.0% \(1 of 1 function\)"
            good = p.returncode == 0 and re.search(said, p.stdout)
            fault("version %d: genhtml" % version, None if good else p.stdout + p.stderr)
    other = os.path.join(temp, "other.json")
    for name, lacks in (("good-d14-mono462-v13-coverage", "no line numbers"), ("good-d01-gameloop-calls-alloc", "no coverage")):
        path = os.path.join(TOP, "testdata", "mlpd", name + ".mlpd")
        os.remove(info) if os.path.exists(info) else None
        p = convert(path, info)
        errors = [line for line in p.stderr.splitlines() if "lcov" in line]
        same(lacks, (p.returncode, len(errors), lacks in p.stderr, os.path.exists(info)), (2, 1, True, False))
        with open(info, "w") as f:
            f.write("old")
        p = subprocess.run([sys.argv[1], "convert", path, "-o", info, "-o", other], capture_output=True, text=True)
        same(lacks + ": the old file stays", (p.returncode, open(info).read(), os.path.exists(other)), (2, "old", False))
end()
