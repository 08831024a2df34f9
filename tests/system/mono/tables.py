#!/usr/bin/env python3
"""Compares every table of a program that the module and the runtime's own log profiler record in one process.

Each table that has rows for the log profiler's capture has rows for ours, and their countable figures are equal. agree.py does the
same for the events of many programs; here it is one program with a little of everything, and all the tables.
"""
import json
import os
import subprocess

import kit

OURS = ("calls,alloc,gc,moves,roots,handles,finalizers,exceptions,monitor,jit,counters=20ms,heapshot=end",
        "sample=1000,real")
THEIRS = ("nodefaults,calls,calldepth=100000,alloc,gc,gcmove,gcroot,gchandle,finalization,exception,monitor,jit,counter,heapshot,"
          "heapshot-on-shutdown", "nodefaults,sample=real/1000")
# The module's helper thread is in our capture alone, the log profiler's own threads record little of themselves there.
OWN_THREADS = ("Tracetool", "Profiler ")
# Tables with rows of Unity's captures, of coverage (6.8's log profiler has none), or of options that are not given here.
OTHERS = ("frame_timings", "frame_limits", "frame_phases", "coverage", "objects_tracked", "timeline_metrics", "loss", "hitches", "hitch_markers")
# Frames are marked by a method that is called 23 times.
FRAMES = ["--frame-marker", "P:Raise", "--find", "S:50000"]

# Per table: the columns by which rows are told apart, and those that must be equal. A row that is there twice is added up.
EQUAL = {
    "frames": (("time",), ("count", "partial")),
    "gcalloc": ((), ("bytes", "count", "classes", "collections", "pauses", "moves", "heap_last_bytes", "heap_max_bytes",
                     "heap_resizes")),
    "gc_generations": (("generation",), ("count",)),
    "gc_heap": (("bytes",), ()),
    "alloc_threads": (("thread",), ("bytes", "count")),
    "alloc_classes": (("class",), ("bytes", "count")),
    "markers": (("marker",), ("count",)),
    "exceptions": (("type",), ("count", "caught")),
    "exception_clauses": (("marker", "kind", "clause"), ("count",)),
    "contention": ((), ("contended", "acquired", "failed")),
    "handles": (("kind",), ("created", "destroyed")),
    "finalizers": (("what",), ("count",)),
    "finalizer_classes": (("class",), ("count",)),
    "jit": ((), ("methods", "helpers", "helper_bytes")),
    "jit_helpers": (("kind",), ("count", "bytes")),
    "metadata": (("kind",), ("loaded", "unloaded")),
    "metadata_items": (("kind", "name", "mvid"), ()),
    "metadata_classes": (("class", "image"), ()),
    "objects_found": (("object", "class", "bytes", "thread", "marker", "moves", "now"), ()),
    "threads": (("thread",), ("allocs", "alloc_bytes")),
}


def all_tables():
    text = subprocess.run([kit.TRACETOOL, "list", "passes", "--format", "json"], capture_output=True, text=True, check=True).stdout
    return [t for r in json.loads(text)["tables"]["passes"]["rows"] for t in r["tables"].split()]


def rows_of(rows, keys, values):
    """{keys of a row: [how many, its values]}, without what only one of the recorders has."""
    found = {}
    for r in rows:
        if str(r.get("thread", "")).startswith(OWN_THREADS) or str(r.get("marker", "")).startswith(("(", "GC.", "JIT")):
            continue
        if r.get("kind") in ("thread", "vtable", "context"):     # by the domain's number, which is used again, or by its address
            continue
        name = r.get("thread")
        if name and name.startswith("Thread ") and name[7:].isdigit():
            r = dict(r, thread="(unnamed)")       # threads are numbered in the order in which they are met
        key = tuple(r[k] for k in keys)
        new = [1] + [r[v] or 0 for v in values]
        found[key] = [a + b for a, b in zip(found[key], new)] if key in found else new
    return found


def record(ours, theirs, *names):
    paths = kit.capture(names[0]), kit.capture(names[1])
    run = kit.mono("%s,out=%s" % (ours, paths[0]), "Tables", more=["--debug"] +
                   (["--profile=log:%s,output=%s" % (theirs, paths[1])] if theirs else []))
    kit.check(run.returncode == 0, "Tables", run.stdout, run.stderr)
    return paths


def compare(ours, theirs, tables):
    a, b = (kit.stats(path, ",".join(tables), *FRAMES) for path in (ours, theirs))
    for table in tables:
        kit.check(a.get(table) or not b.get(table), "%s has rows" % table, len(b.get(table, [])))
        if table in EQUAL:
            kit.check_equal(*(rows_of(t.get(table, []), *EQUAL[table]) for t in (a, b)), "%s is the same" % table)
    return a, b


def names(a, b):
    """Each thread has its own name or none: the program gives these, and 10 threads have none."""
    for t in (a, b):
        shown = [r["thread"] for r in t["threads"] if not r["thread"].startswith(OWN_THREADS)]
        kit.check([shown.count(n) for n in ("NAMED", "LAST", "sleeper", "waits")] == [1] * 4 and
                  sum(n.startswith("Thread ") for n in shown) == 10, "threads have names of their own", sorted(shown))


def methods(a, b):
    """Code of every method that the log profiler names; ours is of every domain, and of methods that nothing refers to, too."""
    ours = kit.counts(a["jit_methods"], "marker", "bytes")
    missing = [r["marker"] for r in b["jit_methods"] if r["marker"] not in ours or r["bytes"] > ours[r["marker"]][0]]
    kit.check(not missing, "jit_methods: all methods", missing[:5])


def domains(path):
    """Allocations by domain: of the two that were unloaded, too. An address that had two meanings has none here."""
    rows = kit.counts(kit.stats(path, "alloc_classes", "--group-by", "domain")["alloc_classes"], "class", "count")
    total = sum(n[0] for n in rows.values())
    kit.check({"Tables.exe", "plug0", "plug1"} <= set(rows) and rows.get("(unknown)", [0])[0] < total / 20, "domains", rows)


def contexts(a, b):
    """A context is of the domain that it was made in. The log profiler's have the domain's number, which a later domain may have, too."""
    of = [sorted(str(r["of"]) for r in t["metadata_items"] if r["kind"] == "context") for t in (a, b)]
    kit.check(of[0] == ["Tables.exe", "plug0", "plug1"] and set(of[1]) <= set(of[0]), "contexts: their domains", *of)


def raised():
    """What compiled code raises and catches in one method is there when the compiler does not make jumps of it (tracetool-mono(7))."""
    path = kit.capture("raised.ttc")
    kit.mono("exceptions,out=%s" % path, "Exceptions", more=["-O=-exception"])
    seen = kit.counts(kit.stats(path, "exceptions")["exceptions"], "type", "count", "caught")
    for name in ("DivideByZero", "Overflow", "NullReference"):
        kit.check(seen.get("System.%sException" % name) == [40, 40], name + " is thrown and caught", seen)


def processor_time(a):
    """Mono's own total has the user's time twice; ours is the sum. The three are read one after the other."""
    last = {r["counter"]: r["last"] for r in a["counters"]}
    kit.check(abs(last["Total Time"] - last["User Time"] - last["System Time"]) <= 0 < last["User Time"], "Total Time",
              *[(n, last[n]) for n in ("User Time", "System Time", "Total Time")])


def twins():
    """Two programs of one source, an assembly each: together, each category has what it has alone."""
    alone, paths = [], []
    for name in "TwinA", "TwinB":
        subprocess.run(["mcs", "-out:" + kit.program(name), os.path.join(kit.HERE, "Recurse.cs")], check=True, stdout=subprocess.DEVNULL)
        paths.append(kit.capture(name + ".ttc"))
        run = kit.mono("calls,alloc,out=" + paths[-1], name)
        kit.check(run.returncode == 0, name + " runs", run.stderr)
        alone.append({r["category"]: [r["self_ns"], r["count"]] for r in kit.stats(paths[-1], "categories")["categories"]}.get(name))
    for order in paths, paths[::-1]:
        run = subprocess.run([kit.TRACETOOL, "stats", *order, "--table", "categories,markers", "--wrappers", "--limit", "0", "--format", "json"],
                             capture_output=True, text=True)
        both = json.loads(run.stdout)["tables"]
        got = {r["category"]: [r["self_ns"], r["count"]] for r in both["categories"]["rows"]}
        kit.check([got.get("TwinA"), got.get("TwinB")] == alone and None not in alone, "together each has its own calls", got, alone)
        rows = [r["marker"] for r in both["markers"]["rows"]]
        kit.check(len(set(rows)) == len(rows), "no two markers are called alike", sorted(rows))
    run = subprocess.run([kit.TRACETOOL, "stats", *paths, "--category", "TwinB", "--table", "markers", "--wrappers", "--limit", "0", "--format", "json"],
                         capture_output=True, text=True)
    rows = json.loads(run.stdout)["tables"]["markers"]["rows"]
    kit.check([sum(r["self_ns"] for r in rows), sum(r["count"] for r in rows)] == alone[1], "--category finds the second one's", rows, alone)


kit.compile("Tables", "Exceptions")
found = all_tables()
kit.check(len(found) > 60, "tables are listed", found)
tables = [t for t in found if not t.startswith(OTHERS) and not t.startswith("sample")]
ours, theirs = record(OURS[0], THEIRS[0], "tables.ttc", "tables.mlpd")
a, b = compare(ours, theirs, tables)
names(a, b)
methods(a, b)
processor_time(a)
contexts(a, b)
raised()
domains(ours)
twins()
# One sampler to a process: the tables of samples are there in either.
samples = [t for t in found if t.startswith("sample")]
a = kit.stats(record(OURS[1], None, "samples.ttc", "none")[0], ",".join(samples))
for table in samples:
    kit.check(a[table], "%s has rows" % table)
kit.end()
