#!/usr/bin/env python3
"""The program for another system writes what the program writes here: tables, the first screen, emitters, pages, messages and exit statuses.

    same_elsewhere.py windows|web

windows is tracetool.exe under wine, web the WebAssembly under Node. Of all files of testdata, and of the real captures where they are, a few drawn by lot each
with its own commands; at full length every file with every command. Where that program is not built nothing is tried, and that is said. Ends with
"N passed, N failed".
"""
import hashlib
import os
import shutil
import subprocess
import sys

import lot
from suite import BUILD, TESTDATA, TOP, TRACETOOL, Suite

WHERE = sys.argv[1]
PROGRAM = os.path.join(BUILD, *{"windows": ("windows", "tracetool.exe"), "web": ("web", "node", "node.js")}[WHERE])
RUN = ["wine" if WHERE == "windows" else "node", PROGRAM]
REAL = os.environ.get("TT_REAL", os.path.join(TOP, "..", "shared", "corpus", "real"))
EMITTERS = [".json", ".csv", ".pb.gz", ".pftrace", ".sqlite", ".folded", ".pdata", ".speedscope.json", ".firefox.json"]
COMMANDS = [[], ["info", "--format", "json"], ["stats", "--format", "json"], ["stats", "--format", "csv"], ["stats", "--table", "all", "--format", "markdown"],
            ["report", "-o", "OUT.html"]] + [["convert", "-o", "OUT" + e] for e in EMITTERS]


PARTS = "exit status", "standard output", "standard error", "file"


def tail(value):
    return repr(value[-200:] if isinstance(value, (bytes, str)) else value)


def captures():
    found = []
    for top, _, names in os.walk(TESTDATA):
        if os.path.basename(top) not in ("diff", "gate"):
            found += [os.path.join(top, n) for n in names if not n.endswith((".md", ".json"))]
    if os.path.isdir(REAL):
        found += [os.path.join(REAL, n) for n in os.listdir(REAL) if n.endswith((".xz", ".gz", ".raw", ".data", ".mlpd"))]
    return sorted(found)


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest() if os.path.exists(path) else "no file"


def run(program, command, capture, folder, env):
    """(status, standard output, standard error, digest of the file) of the program in a folder of its own."""
    os.makedirs(folder, exist_ok=True)
    words = [os.path.join(folder, w) if w.startswith("OUT") else w for w in command]
    out = next((w for w in words if w.startswith(folder)), "")
    done = subprocess.run(program + words + [capture], capture_output=True, cwd=TOP, env=env, timeout=600)
    said = done.stderr.replace(folder.encode(), b"FOLDER").replace(b"\\", b"/")
    made = digest(out) if out else ""
    shutil.rmtree(folder)
    return done.returncode, done.stdout, said, made


def main():
    s = Suite()
    if not os.path.exists(PROGRAM):
        s.left_out(os.path.basename(PROGRAM), "it is not built: make setup-%s %s" % (WHERE, WHERE))
        s.equal("and nothing else stands in for it", os.path.exists(PROGRAM + ".exe"), False)
        s.end()
    env = dict(os.environ, WINEPREFIX=s.path("wine"), WINEDEBUG="-all", TRACETOOL_JOBS_EXACT="1")
    if WHERE == "windows":
        env.pop("TMPDIR", None)
        # The first program in a new prefix sets it up, and says so.
        subprocess.run([*RUN, "--version"], env=env, capture_output=True)
    pairs = [(c, k) for c in captures() for k in range(len(COMMANDS))]
    for capture, k in lot.some(pairs, 40, WHERE):
        name = os.path.relpath(capture, TOP)
        here = run([TRACETOOL], COMMANDS[k], name, s.path("here"), env)
        there = run(RUN, COMMANDS[k], name, s.path("there"), env)
        differ = [(what, a, b) for what, a, b in zip(PARTS, here, there) if a != b]
        what, a, b = differ[0] if differ else ("", b"", b"")
        s.check("%s of %s" % (" ".join(COMMANDS[k]) or "first screen", name), "%s: here %s, there %s" % (what, tail(a), tail(b)) if differ else "")
    if WHERE == "windows":
        subprocess.run(["wineserver", "-k"], env=env, capture_output=True)
    s.end()


main()
