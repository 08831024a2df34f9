#!/usr/bin/env python3
"""The same bytes have the same figures, from a file, from a pipe, and compressed in a pipe: tracetool-mlpd(7), tracetool-options(7).

    piped.py TRACETOOL

All tables of the captures of testdata, alone and with --time, which shows where time 0 is.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import gzip
import json
import os
import re
import subprocess
import sys

for folder in ("kit", "unity"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
import count
import ttc
from count import same
from suite import TESTDATA, Suite

TRACETOOL = os.path.abspath(sys.argv[1])
SOME = "threads,markers,gcalloc,samples,exceptions,contention,heapshots,counters,jit,timeline,loss"


def read(path, table, options, data=None):
    p = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", "--table", table, *options, path], input=data,
                       capture_output=True, timeout=300)
    return {name: t["rows"] for name, t in json.loads(p.stdout)["tables"].items()} if p.stdout else p.stderr.decode("utf-8", "replace")


def tables(path, data=None):
    """What tables have that need one reading, tables that need the names first, and a part of the time."""
    return {"%s %s" % (table, options): read(path, table, options, data) for table, options in
            (("threads", []), ("gcalloc", []), (SOME, []), ("threads,markers", ["--time", "0-0.1"]), ("gcalloc", ["--time", "0.05-"]))}


def drifting(path, clock, flags):
    """A capture (.ttc) of a counter that is 0.3 in a million faster than its head says, as instants in it tell."""
    c = ttc.Capture(flags)
    c.clock = clock
    t, key = c.thread(), c.marker("m")
    for i in range(10):
        t.zone(i * 10 ** 9, i * 10 ** 9 + 5 * 10 ** 8, key)
        c.instant((i + 1) * 10 ** 9, (i + 1) * (10 ** 9 - 300))
    return c.write(path)


def said(args, data=None):
    """What is said of a rate, and the longest zone."""
    p = subprocess.run([TRACETOOL, "stats", "--format", "json", "--table", "markers", *args], input=data, capture_output=True)
    return (re.findall(rb"its times are (\S+) in a million (\w+) ", p.stderr), json.loads(p.stdout)["tables"]["markers"]["rows"][0]["max_ns"])


# Of a capture (.ttc) of a counter that was killed, a pipe has another rate: tracetool-capture(5). It is said where it is so.
s = Suite()
COUNTER, SYSTEM, RATE, TOLD = 1, 0, 32, ([(b"0.300", b"longer")], 5 * 10 ** 8)
for what, clock, flags, longest, piped in (
        ("killed", COUNTER, 0, 5 * 10 ** 8 - 150, TOLD), ("of the system's clock", SYSTEM, 0, 5 * 10 ** 8, ([], 5 * 10 ** 8)),
        ("ended in order", COUNTER, RATE, 5 * 10 ** 8, ([], 5 * 10 ** 8))):
    path = drifting(s.path("drifting.ttc"), clock, flags)
    with open(path, "rb") as f:
        data = f.read()
    same("capture %s: a file" % what, said([path]), ([], longest))
    same("capture %s: a pipe" % what, said(["-"], data), piped)
    with open(path + ".gz", "wb") as f:
        f.write(gzip.compress(data, 1))
    same("capture %s: compressed" % what, said([f.name]), ([], piped[1]))
for kind in ("mlpd", "raw", "data"):
    for name in sorted(os.listdir(os.path.join(TESTDATA, kind))):
        if not name.startswith("good-") or name.endswith((".json", "-zip.mlpd")):
            continue
        path = os.path.join(TESTDATA, kind, name)
        with open(path, "rb") as f:
            data = f.read()
        whole = tables(path)
        same(name + ": from a pipe", tables("-", data), whole)
        packed = data if data[:2] == b"\x1f\x8b" else gzip.compress(data, 1)
        same(name + ": compressed, from a pipe", tables("-", packed), whole)
s.end()
