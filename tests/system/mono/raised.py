#!/usr/bin/env python3
"""Exceptions, however they are raised: what is thrown and caught as the program's source says, and as the runtime's log profiler has it.

Where the runtime reports nothing, neither recorder has anything, and the report says that exceptions may be missing.
"""
import json
import subprocess

import kit

JUMPS = ("own index", "own cast", "own overflow")
# (thrown, caught by the program or its libraries), each loop ten times: from the source, Raised.cs.
WANT = dict({k: (10, 10) for k in ("index", "cast", "overflow", "divide", "null", "store", "throw", "own divide", "own null", "own store",
                                  "own throw")}, **{k: (0, 0) for k in JUMPS})
# A type initializer runs once; what it throws goes to native code, which throws another exception for it, ten times.
WANT["type initializer"] = (11, 10)
# What Invoke's target throws goes to native code, which throws it again; the library catches that and throws its own.
WANT["invoke"] = (30, 20)


def report(path):
    run = subprocess.run([kit.TRACETOOL, "stats", path, "--table", "exceptions,loss", "--wrappers", "--limit", "0", "--format", "json"],
                         capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError("%s: %s" % (path, run.stderr))
    return json.loads(run.stdout)


def figures(path):
    rows = report(path)["tables"]["exceptions"]["rows"]
    return sum(r["count"] for r in rows), sum(r["caught"] for r in rows)


def record(kind, *more):
    """(ours, the log profiler's) of one run."""
    paths = kit.capture("raised.ttc"), kit.capture("raised.mlpd")
    run = kit.mono("exceptions,out=%s" % paths[0], "Raised", kind,
                   more=list(more) + ["--profile=log:nodefaults,exception,output=%s" % paths[1]])
    kit.check(run.returncode == 0 and run.stdout == "10\n", kind + ": runs", run)
    return paths


def beyond(a, b):
    return a[0] - b[0], a[1] - b[1]


kit.compile("Raised")
for more, want in (((), WANT), (("-O=-exception",), {k: (10, 10) for k in JUMPS})):
    # The runtime throws one or two of its own when it starts.
    start = [figures(p) for p in record("none", *more)]
    for kind in want:
        paths = record(kind, *more)
        got = [beyond(figures(p), s) for p, s in zip(paths, start)]
        kit.check(got == [want[kind]] * 2, "%s %s: thrown and caught, by the module and by the log profiler" % (kind, more), got, want[kind])
        for path in paths:
            notes = [n["text"] for n in report(path)["notes"] if n["id"] == "exceptions"]
            kit.check(len(notes) == 1 and "-O=-exception" in notes[0], kind + ": one note that some may be missing", notes)
# An exception's class is what its address meant when it was thrown: each is thrown ten times in each of six domains.
kit.compile("Reuse")
path = kit.capture("reuse.ttc")
kit.mono("exceptions,out=" + path, "Reuse")
seen = {r["type"]: r["count"] for r in report(path)["tables"]["exceptions"]["rows"]}
kit.check([seen.get("E%d" % i) for i in range(4)] == [60] * 4, "domains that are gone: classes of exceptions", seen)
path = kit.capture("loss.ttc")
kit.mono("exceptions,out=" + path, "Raised", "none")
loss = report(path)["tables"]["loss"]
kit.check(loss["rows"] or "does not report all" in loss["empty"], "the loss table does not call it complete", loss)
kit.mono("calls,overwrite,out=" + path, "Raised", "none")
got = report(path)
kit.check(not got["notes"] or not [n for n in got["notes"] if n["id"] == "exceptions"], "no note where no exceptions are recorded", got["notes"])
for kind in ("unhandled", "unhandled in a thread"):
    path = kit.capture("unhandled.ttc")
    run = kit.mono("exceptions,out=" + path, "Raised", kind)
    rows = kit.counts(report(path)["tables"]["exceptions"]["rows"], "type", "count", "caught")
    kit.check(run.returncode != 0 and rows.get("System.ArgumentException") == [1, 0], kind + " is not counted as caught", run.returncode, rows)
path = kit.capture("between.ttc")
kit.mono("exceptions,paused,out=" + path, "Raised", "start between")
got = report(path)
rows = kit.counts(got["tables"]["exceptions"]["rows"], "type", "count", "caught")
notes = [n["text"] for n in got["notes"] if "throw is not in the capture" in n["text"]]
kit.check(rows.get("System.ArgumentException") == [9, 9] and len(notes) == 1 and notes[0].startswith("1 catch clause"),
          "a catch whose throw came before the recording is told", rows, got["notes"])
kit.end()
