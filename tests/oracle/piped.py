#!/usr/bin/env python3
"""The same bytes have the same figures, from a file, from a pipe, and compressed in a pipe: tracetool-mlpd(7), tracetool-options(7).

    piped.py TRACETOOL

All tables of the captures of testdata, alone and with --time, which shows where time 0 is.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import count
from count import same
from suite import TESTDATA

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


# Of a capture (.ttc) that was killed, a pipe has another rate of the clock: tracetool-capture(5).
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
count.end()
