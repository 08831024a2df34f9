#!/usr/bin/env python3
"""Advice to record more names options of the capture's producer: the log profiler's from its help, ours from what the module takes."""
import json
import re
import subprocess

import kit

TABLES = "gcalloc,handles,finalizers,jit_helpers"
LOG = {"alloc", "gc", "gchandle", "finalization", "jit"}
MODULE = {"alloc", "gc", "handles", "finalizers", "jit"}


def advised(path):
    run = subprocess.run([kit.TRACETOOL, "stats", path, "--table", TABLES, "--format", "json"], capture_output=True, text=True, check=True)
    said = set()
    for t in json.loads(run.stdout)["tables"].values():
        said |= set(re.findall(r"\(record with ([a-z-]+)\)", "%s %s" % (t.get("note"), t.get("empty"))))
    return said


def log(name, options):
    path = kit.capture(name)
    subprocess.run(["mono", "--profile=log:nodefaults,%s,output=%s" % (options, path), kit.program("Tables")], check=True,
                   cwd=kit.FOLDER, capture_output=True, timeout=120)
    return path


def module(name, options):
    path = kit.capture(name)
    run = kit.mono("%s,out=%s" % (options, path), "Tables")
    kit.check(run.returncode == 0, "the module takes %s" % options, run.stderr)
    return path


def main():
    kit.compile("Tables")
    help_text = subprocess.run(["mono", "--profile=log:help", "x.exe"], capture_output=True, text=True).stdout
    has = set(re.findall(r"^\s+(?:\[no\])?([a-z]+)", help_text, re.M))
    for who, record, want in (("log", log, LOG), ("module", module, MODULE)):
        first = advised(record(who + "-none." + ("mlpd" if who == "log" else "ttc"), "counter" if who == "log" else "counters=1s"))
        kit.check(first == want, "%s: advice of a capture with nothing in it" % who, first, want)
        if who == "log":
            kit.check(first <= has, "the log profiler's help lists what is advised", first - has)
        then = advised(record(who + "-all." + ("mlpd" if who == "log" else "ttc"), ",".join(sorted(first))))
        kit.check(not then, "%s: nothing is advised where all of it is recorded" % who, then)
    kit.end()


if __name__ == "__main__":
    main()
