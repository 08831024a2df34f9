#!/usr/bin/env python3
"""The module and the runtime's own log profiler in one process: both must have seen the same.

What is compared: calls per method, allocations and bytes per class, and of everything else how often there was each kind
of it. Both captures are read by tracetool; that it reads the log profiler's rightly is tested elsewhere, against mprof-report.
"""
import collections
import csv
import subprocess

import kit

# Program with arguments, by whether it is of the long set.
PROGRAMS = [
    (False, "GameLoop", "24", "4"),
    (False, "Recurse"),
    (False, "Exceptions"),
    (True, "GameLoop", "300", "8"),
    (True, "Names"),
    (True, "GcMoves"),
]
# Our options, the log profiler's, programs.
RARE = ("alloc,gc,moves,roots,handles,finalizers,exceptions,monitor",
        "nodefaults,alloc,gc,gcmove,gcroot,gchandle,finalization,exception,monitor",
        [(False, "Exceptions"), (False, "GcMoves"), (False, "Monitors"), (True, "Names"), (True, "Heap"), (True, "GameLoop", "300", "8")])
KINDS = ("gc", "gc_heap", "gc_move", "handle", "finalize", "throw", "clause", "monitor", "root")


def methods(rows):
    """Without zones made of collections, and without the runtime's wrappers: the finalizer thread runs some after the
    log profiler has ended."""
    return [r for r in rows if not r["marker"].startswith(("(", "GC."))]


def record(ours, theirs, name, args):
    """Both captures of one run, and what to call it."""
    paths = kit.capture(name + ".ttc"), kit.capture(name + ".mlpd")
    run = kit.mono("%s,out=%s" % (ours, paths[0]), name, *args, more=["--profile=log:%s,output=%s" % (theirs, paths[1])])
    plain = kit.mono(None, name, *args)
    what = " ".join((name,) + tuple(args))
    kit.check(run.returncode == plain.returncode, what + ": exit status", run.returncode, plain.returncode, run.stderr)
    return paths, what


def calls(name, *args):
    paths, what = record("calls,alloc", "nodefaults,calls,calldepth=100000,alloc", name, args)
    a, b = (kit.stats(path, "markers,alloc_classes") for path in paths)
    kit.check_equal(kit.counts(methods(a["markers"]), "marker", "count"), kit.counts(methods(b["markers"]), "marker", "count"),
                    what + ": calls per method")
    kit.check_equal(kit.counts(a["alloc_classes"], "class", "count", "bytes"),
                    kit.counts(b["alloc_classes"], "class", "count", "bytes"), what + ": allocations per class")


def rare_events(path):
    """{(kind, name, category): how many}, and of moves and heap sizes the sum of their values."""
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", path + ".csv"], check=True)
    found = collections.Counter()
    with open(path + ".csv", encoding="utf-8", errors="surrogateescape", newline="") as f:
        for row in csv.DictReader(f):
            if row["kind"] in KINDS:
                found[row["kind"], row["name"], row["category"], row["detail"] * (row["kind"] == "clause")] += 1
                if row["kind"] in ("gc_heap", "gc_move"):
                    found[row["kind"], "sum"] += int(row["value"])
    return found


def counters():
    """The same counters, in the same sections; values change from one moment to the next."""
    paths, what = record("counters=20ms", "nodefaults,counter", "GameLoop", ("60", "4", "25"))
    a, b = ({(r["counter"], r["section"]) for r in kit.stats(path, "counters")["counters"]} for path in paths)
    kit.check(b and b <= a | {c for c in b if c[1] == "perfcounters"}, what + ": counters", sorted(b - a))


def rare(name, *args):
    paths, what = record(RARE[0], RARE[1], name, args)
    kit.check_equal(*(rare_events(path) for path in paths), what + ": other events")
    a, b = (kit.stats(path, "gcalloc,gc_generations,exceptions,contention") for path in paths)
    for table, columns in (("gcalloc", ("collections", "pauses", "moves", "heap_last_bytes", "heap_max_bytes", "heap_resizes")),
                           ("gc_generations", ("generation", "count")),
                           ("contention", ("contended", "acquired", "failed"))):
        kit.check_equal(*({i: [r[c] for c in columns] for i, r in enumerate(t[table])} for t in (a, b)), what + ": " + table)


    thrown = [kit.counts(t["exceptions"], "type", "count", "caught") for t in (a, b)]
    # The log profiler does not name types: now and then tracetool loses an exception's object between two moves.
    unnamed = thrown[1].pop("(unknown)", [0, 0])
    more = [sum(t[k][i] for k in t) for i in (0, 1) for t in thrown]
    kit.check([more[0] - more[1], more[2] - more[3]] == unnamed and "(unknown)" not in thrown[0] and
              all(thrown[0].get(k, [0])[0] >= n for k, (n, _) in thrown[1].items()) and sum(unnamed) <= 4,
              what + ": throws per type", *thrown, unnamed)


kit.compile()
for long, *command in PROGRAMS:
    if kit.LONG or not long:
        calls(*command)
counters()
for long, *command in RARE[2]:
    if kit.LONG or not long:
        rare(*command)
kit.end()
