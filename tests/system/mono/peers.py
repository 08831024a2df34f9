#!/usr/bin/env python3
"""
What the tests of Mono's own log profiler assert, asserted of both recordings of one run: the module's, and the log profiler's as
tracetool reads it. The numbers are those of Peers.cs, known before it runs: calls, allocations, throws and who ran their clauses,
locks waited for, objects on the heap and what refers to them, and the stacks below which it happened.
"""
import kit

OURS = "calls,alloc,exceptions,monitor,heapshot=1gc,jit"
THEIRS = "nodefaults,calls,calldepth=1000,alloc,exception,monitor,heapshot=1gc,jit"
MAIN = "Peers:Main (string[])"
LEVELS = ["Peers:Level%d (int)" % n for n in (3, 2, 1, 0)]


def one(rows, **keys):
    """The only row with these values, or an empty one."""
    found = [r for r in rows if all(r[k] == v for k, v in keys.items())]
    return found[0] if len(found) == 1 else {}


def basics(tables):
    yield "threads have their names", {"Main", "Finalizer"} <= {r["thread"] for r in tables["threads"]}, True
    yield "images loaded: the base class library and the program", one(tables["metadata"], kind="image").get("loaded"), 2
    yield "methods were compiled", tables["jit"][0]["methods"] > 50, True
    yield "calls of Main", one(tables["markers"], marker=MAIN).get("count"), 1


def allocations(tables):
    yield "objects", one(tables["alloc_classes"], **{"class": "System.Object"}).get("count", 0) >= 1000000, True
    yield "calls of what makes one", one(tables["markers"], marker="Peers:One ()").get("count"), 1000000


def threads(tables):
    yield "the thread has its name", "BusyHelper" in {r["thread"] for r in tables["threads"]}, True
    for name, calls in (("Helper", 1), ("HelperWork", 10), ("MainWork", 10)):
        yield "calls of " + name, one(tables["markers"], marker="Peers:%s ()" % name).get("count"), calls


def locks(tables):
    row = tables["contention"][0] if tables["contention"] else {}
    yield "contended, acquired, failed", [row.get(k) for k in ("contended", "acquired", "failed")], [5, 5, 0]


def exceptions(tables):
    yield "calls of what throws", one(tables["markers"], marker="Peers:Throw ()").get("count"), 1000
    row = one(tables["exceptions"], type="System.ArgumentException")
    yield "thrown, caught", [row.get("count"), row.get("caught")], [1000, 1000]
    for kind in ("catch", "finally"):
        row = one(tables["exception_clauses"], marker="Peers:Leave ()", kind=kind)
        yield "clauses that ran: " + kind, [row.get("count"), row.get("unwinding")], [1000, 1000]


def heap(tables):
    shots = sorted((r for r in tables["heapshot_history"] if r["class"] == "Node"), key=lambda r: r["shot"])
    yield "objects of the first two shots", [r["objects"] for r in shots[:2]], [5000, 5023]
    yield "references of the first two shots", [r["references"] for r in shots[:2]], [4999, 5022]
    yield "references of the last one", one(tables["heapshot_references"], **{"class": "Node", "from": "Node"}).get("references"), 5022


def paths(tables):
    depth = {}
    for level in LEVELS:
        row = one(tables["calltree"], marker=level)
        yield "calls of %s, all from one place" % level, row.get("count"), 2020
        depth[level] = row.get("depth", -99)
    yield "each level below the one that calls it", [depth[level] - depth[LEVELS[0]] for level in LEVELS], [0, 1, 2, 3]
    end = " > ".join([MAIN, "Peers:Paths ()"] + LEVELS)
    thrown = [r for r in tables["exception_paths"] if r["path"].endswith(end)]
    yield "throws below the whole stack", [(r["type"], r["count"], r["caught"]) for r in thrown], [
        ("System.InvalidOperationException", 1010, 1010)]
    yield "objects made where it was thrown", one(tables["alloc_classes"], **{"class": "Mark"}).get("count"), 1010
    made = sum(r["count"] for r in tables["alloc_paths"] if r["path"].endswith(end))
    yield "with that stack", made >= 1010, True


TABLES = {
    allocations: "markers,alloc_classes",
    threads: "markers,threads",
    locks: "contention",
    exceptions: "markers,exceptions,exception_clauses",
    heap: "heapshot_history,heapshot_references",
    paths: "calltree,alloc_classes,alloc_paths,exception_paths",
}

kit.compile("Peers")
for case, tables in TABLES.items():
    found = [kit.capture(case.__name__ + end) for end in (".ttc", ".mlpd")]
    run = kit.mono("%s,out=%s" % (OURS, found[0]), "Peers", case.__name__, more=["--profile=log:%s,output=%s" % (THEIRS, found[1])])
    kit.check(run.returncode == 0, case.__name__ + ": exit status", run.returncode, run.stderr)
    for path in found:
        have = kit.stats(path, "threads,metadata,jit,markers," + tables, "--threshold", "0")
        for promise in (basics, case):
            for what, is_, wanted in promise(have):
                kit.check(is_ == wanted, "%s: %s" % (path.rpartition("/")[2], what), is_, wanted)
kit.end()
