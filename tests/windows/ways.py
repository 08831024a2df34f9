#!/usr/bin/env python3
"""tracetool.exe under wine takes what people at Windows type: backslashes, drives, patterns, names in UTF-8, long paths, NUL, both cases of a name.

Outputs are compared with those of the program here. Without the program for Windows nothing is tried, and that is said. Ends with "N passed, N failed".
"""
import hashlib
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from suite import BUILD, TESTDATA, TRACETOOL, Suite

EXE = os.path.join(BUILD, "windows", "tracetool.exe")
CAPTURE = os.path.join(TESTDATA, "raw", "good-2019-every.raw")


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def main():
    s = Suite()
    if not os.path.exists(EXE):
        s.left_out("tracetool.exe", "it is not built: make setup-windows windows")
        s.equal("and no other program for Windows stands in for it", os.path.exists(EXE[:-4]), False)
        s.end()
    env = dict(os.environ, WINEPREFIX=s.path("wine"), WINEDEBUG="-all")
    env.pop("TMPDIR", None)
    work = s.path("work")
    os.makedirs(os.path.join(work, "runs"))

    def run(*words, env_more={}, **more):
        return subprocess.run(["wine", EXE, *words], capture_output=True, env={**env, **env_more}, cwd=work, timeout=300, **more)

    run("--version")
    for name in ("a.raw", "b.raw", "é 日本.raw"):
        shutil.copy(CAPTURE, os.path.join(work, "runs", name))
    want = subprocess.run([TRACETOOL, "stats", "--format", "csv", CAPTURE], capture_output=True).stdout

    for what, path in (("a backslash", "runs\\a.raw"), ("a slash", "runs/a.raw"), ("a drive", "Z:" + os.path.join(work, "runs", "a.raw").replace("/", "\\")),
                       ("letters beyond ASCII", "runs\\é 日本.raw")):
        s.equal("a capture is read by %s" % what, run("stats", "--format", "csv", path).stdout, want)
    # The three are copies, so both that the pattern stands for are named in the refusal.
    said = run("info", "runs\\?.raw").stderr
    s.check("a pattern stands for its files, in order", "" if b"runs\\a.raw and runs\\b.raw are one recording" in said else repr(said))
    done = run("info", "runs\\none*.raw")
    s.check("a pattern that nothing fits is told as a missing file", "" if done.returncode == 4 and b"none*.raw" in done.stderr else repr(done))

    done = run("convert", "runs\\a.raw", "-o", "runs\\out.folded", "-q")
    shutil.copy(CAPTURE, s.path("a.raw"))
    subprocess.run([TRACETOOL, "convert", "a.raw", "-o", "out.folded", "-q"], cwd=s.dir)
    s.equal("a file is written by a path with a backslash", digest(os.path.join(work, "runs", "out.folded")), digest(s.path("out.folded")))
    s.equal("nothing else is left beside it", sorted(os.listdir(os.path.join(work, "runs"))), sorted(["a.raw", "b.raw", "é 日本.raw", "out.folded"]))
    done = run("convert", "runs\\b.raw", "-o", "runs\\out.folded", "-q")
    s.equal("a file is replaced", done.returncode, 0)
    done = run("convert", "runs\\a.raw", "-o", "x.json", "-o", "X.json")
    s.check("one file by two names is named twice", "" if done.returncode == 2 and b"twice" in done.stderr else repr(done))
    done = run("convert", "runs\\a.raw", "-f", "chrome", "-o", "RUNS\\A.RAW")
    s.check("an output is not its input in other letters", "" if done.returncode == 2 and b"both an input and an output" in done.stderr else repr(done))
    s.equal("NUL takes an output", run("convert", "runs\\a.raw", "-f", "chrome", "-o", "NUL", "-q").returncode, 0)
    s.equal("and makes no file", os.path.exists(os.path.join(work, "NUL")), False)

    deep = os.path.join(work, *["folder of thirty-two letters.....%02d" % i for i in range(9)])
    os.makedirs(deep)
    shutil.copy(CAPTURE, os.path.join(deep, "deep.raw"))
    path = "Z:" + os.path.join(deep, "deep.raw").replace("/", "\\")
    s.equal("a path of %d letters is read" % len(path), run("stats", "--format", "csv", path).stdout, want)

    with open(CAPTURE, "rb") as f:
        s.equal("a capture is read from standard input", run("stats", "--format", "csv", "-", stdin=f).stdout, want)
    done = run("stats", "runs\\missing.raw")
    s.check("a missing file is told as everywhere", "" if done.returncode == 4 and b"No such file or directory" in done.stderr else repr(done))
    done = run("stats", "runs")
    s.check("a folder is told as everywhere", "" if done.returncode == 4 and b"is a directory" in done.stderr else repr(done))
    done = run("batch", "runs")
    s.check("batch says where it runs", "" if done.returncode == 2 and b"WSL" in done.stderr else repr(done))
    # "start" has nothing under wine that shows a page: a program named in BROWSER gets its path instead.
    done = run("open", "runs\\a.raw", "-q", env_more={"BROWSER": "cmd.exe"})
    pages = [os.path.join(top, n) for top, _, names in os.walk(env["WINEPREFIX"]) for n in names if n == "a.html"]
    whole = done.returncode == 0 and len(pages) == 1 and b"</html>" in open(pages[0], "rb").read()
    s.check("open makes a page in a temporary folder", "" if whole else repr((done, pages)))
    subprocess.run(["wineserver", "-k"], env=env, capture_output=True)
    s.end()


main()
