#!/usr/bin/env python3
"""State that several threads change together: handles, locks, moved objects, names of threads.

Each thread's events lie together in the file, so what they do to one thing has to be put in the order of time. Handles are counted again
from the events of the CSV, in the order of their times; where objects were and went to the program says itself.
"""
import collections
import csv
import subprocess

import kit
from kit import check, check_equal


def events(path):
    run = subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-f", "csv", "-o", "-"], capture_output=True, text=True, check=True)
    return list(csv.DictReader(run.stdout.splitlines()))


def handles_again(rows):
    """{kind: [created, destroyed, live, most, from before]}, by tracetool-tables(7): in the order of time."""
    found, live = {}, collections.defaultdict(set)
    for _, _, r in sorted((int(r["start_ns"]), i, r) for i, r in enumerate(rows) if r["kind"] == "handle"):
        kind, handle = r["category"], r["detail"]
        f = found.setdefault(kind, [0, 0, 0, 0, 0])
        if r["name"] == "created":
            f[0] += 1
            live[kind].add(handle)
        else:
            f[1] += 1
            f[4] += handle not in live[kind]
            live[kind].discard(handle)
        f[2] = len(live[kind])
        f[3] = max(f[3], f[2])
    return found


def check_handles(path, what):
    rows = {r["kind"]: [r[c] or 0 for c in ("created", "destroyed", "live", "most", "unknown")] for r in kit.stats(path, "handles")["handles"]}
    again = handles_again(events(path))
    check_equal({k: v for k, v in rows.items() if any(v)}, again, what + ": handles, counted in the order of time")
    check(again["weak"][:2] == [300, 293] or again["weak"][0] > 300, what + ": the program's handles are in it", again)


def said(output):
    """[(where it was, where it is)] of the kept objects, and of the lock."""
    lines = [line.split() for line in output.split("\n") if line]
    pairs = [(kind, "0x" + a, "0x" + b) for kind, a, b in lines]
    return [p[1:] for p in pairs if p[0] == "kept"], [p[1:] for p in pairs if p[0] == "lock"][0]


def check_objects(path, what, output):
    kept, lock = said(output)
    check(any(a != b for a, b in kept), what + ": the collection moved some of the objects", kept)
    found = kit.stats(path, "objects_found", "--find", "T:Kept")["objects_found"]
    check_equal({r["object"]: r["now"] for r in found if r["class"] == "Kept"}, dict(kept), what + ": where found objects went")
    for a, b in kept[:2] + [lock]:
        rows = kit.stats(path, "objects_tracked", "--track", a)["objects_tracked"]
        did = [r["what"] for r in rows]
        check(did[:1] == ["allocated"] and ("moved" in did) == (a != b), what + ": %s is allocated, and moved where it moved" % a, did)
        check(rows and rows[-1]["object"] == b, what + ": the last that is known of %s is of %s" % (a, b), rows[-1:])
        check([r["time_ns"] for r in rows] == sorted(r["time_ns"] for r in rows), what + ": in the order of time")
    check(did.count("lock contended") == 3 and did.count("lock acquired") >= 3, what + ": waits for the lock, before and after it moved", did)
    rows = [r for r in kit.stats(path, "contention_locks")["contention_locks"] if r["lock"] in lock]
    check_equal([(r["lock"], r["contended"], r["threads"]) for r in rows], [(lock[0], 3, 2)], what + ": one lock is one row")


def check_names(path):
    """Who allocated, by the events; who that was, by the program: what idles allocates no numbers."""
    rows = events(path)
    name = {r["thread"]: r["detail"] for r in rows if r["kind"] == "thread" and r["name"] == "name"}
    made = collections.Counter(r["thread"] for r in rows if r["kind"] == "alloc" and r["name"] == "System.Int32[]")
    check_equal(sorted(name[t] for t, n in made.items() if n >= 100), sorted("Maker%d" % i for i in range(20)), "names: each maker has its own")


kit.compile("Threads")
path = kit.capture("threads.ttc")
run = kit.mono("alloc,moves,gc,monitor,handles,out=" + path, "Threads")
check(run.returncode == 0, "the program ends well", run.stderr)
check_handles(path, "ttc")
check_objects(path, "ttc", run.stdout)

path = kit.capture("threads.mlpd")
run = subprocess.run(["mono", "--profile=log:nodefaults,alloc,gc,gcmove,monitor,gchandle,output=" + path, kit.program("Threads")],
                     capture_output=True, text=True, cwd=kit.FOLDER)
check(run.returncode == 0, "the program ends well under the log profiler", run.stderr)
check_handles(path, "mlpd")

path = kit.capture("names.ttc")
check(kit.mono("alloc,out=" + path, "Threads", "names").returncode == 0, "the program of names ends well")
check_names(path)
kit.end()
