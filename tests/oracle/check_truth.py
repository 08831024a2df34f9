#!/usr/bin/env python3
"""Compare mlpd.py with the truth files of testdata/mlpd.

    check_truth.py [FOLDER]       default: testdata/mlpd beside this script

Every NAME.mlpd with a NAME.truth.json is compared figure by figure. The truth files come from
another parser of our own that was itself checked against mprof-report. Files without a truth
file only have to behave as their name says: good-* read whole, bad-* and unsupported-* not.
A file made from another (good-NAME-vNN.mlpd is NAME in data version NN) is compared with the
truth of that one, leaving out what depends on the encoding or is missing in that version.

Prints one line per difference and `N passed, N failed`; exit status 1 if any failed.
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mlpd  # noqa: E402

CLAUSE_NUMBERS = {"catch": "0", "filter": "1", "finally": "2", "fault": "4"}
SYNC_NUMBERS = {"periodic": "0", "world_stop": "1", "world_start": "2"}
FINALIZER_TAGS = {"queue_begin": "0x80", "queue_end": "0x90", "object_begin": "0xa0",
                  "object_end": "0xb0"}


class Comparison:
    def __init__(self):
        self.differences = []

    def same(self, what, mine, truth):
        if mine != truth:
            self.differences.append("%s: %r, truth has %r" % (what, mine, truth))

    def same_top(self, what, mine, truth, size=40):
        """The truth lists only the largest entries: each must be ours, and none of ours that
        is missing there may be larger than the smallest listed."""
        for name, value in truth.items():
            self.same("%s %r" % (what, name), mine.get(name), value)
        if len(truth) < size:
            self.same(what + ", names", sorted(mine), sorted(truth))


def threads_of(r):
    out = {}
    for t in r["threads"]:  # by tid, generations added up, the last name kept
        row = out.setdefault(t["tid"], {"name": "", "starts": 0, "ends": 0})
        row["name"] = t["name"] or row["name"]
        row["starts"] += t["starts"]
        row["ends"] += t["ends"]
    for tid, row in out.items():
        row["buffers"] = r["buffers_by_thread"].get(tid, 0)
    return out


def renamed(counts, names):
    return {names.get(k, k): n for k, n in counts.items()}


def compare_gc(c, r, t):
    gc, want = r["gc"], t["gc"]
    gens = [gc["collections"].get("gen%d" % g, {"count": 0, "total_ns": 0, "max_ns": 0})
            for g in range(3)]
    c.same("collections", [g["count"] for g in gens], want["collections"])
    c.same("collection time", [g["total_ns"] for g in gens], want["total_ns"])
    c.same("longest collection", [g["max_ns"] for g in gens], want["max_ns"])
    for key in ("resizes", "max_heap", "moves"):
        c.same(key, gc[key], want[key])
    c.same("handles", [[h["created"], h["destroyed"]] for h in gc["handles"].values()],
           want["handles_created_destroyed"])
    c.same("finalizers", renamed(gc["finalizers"], FINALIZER_TAGS), want["finalize"])


def compare_calls(c, r, t, addresses):
    calls, want = r["calls"], t["calls"]
    for key in ("enter", "leave", "exception_leave", "unmatched_leaves", "open_at_end"):
        c.same("calls " + key, calls[key], want[key])
    # The truth's rows are the 40 busiest addresses under their names: of several addresses with
    # one name only one count is left there.
    for name, count in want["by_method"].items():
        if count not in addresses[name].values():
            c.same("calls of %r" % name, calls["by_method"].get(name, {}).get("count"), count)
    c.same("calls of all methods", sum(m["count"] for m in calls["by_method"].values()),
           want["enter"])


def compare_file(c, r, t):
    """What depends on the encoding itself."""
    for key, value in t["format"].items():
        c.same(key, r["header"][key], value)
    c.same("buffers", r["buffers"], t["buffers"])
    c.same("events", r["events"], t["events"])
    c.same("events by tag", r["events_by_tag"], t["events_by_tag"])
    c.same("threads", threads_of(r), t["threads"])
    c.same("vtables", r["vtables"], t["vtables"])
    c.same("sync points", renamed(r["sync_points"], SYNC_NUMBERS), t["sync_points"])
    c.same("header clock", r["header"]["clock_ns"], t["time"]["header_ns"])
    for key in ("first_buffer_ns", "min_ns", "max_ns", "negative_deltas"):
        c.same("time " + key, r["time"][key], t["time"][key])


def compare_content(c, r, t, addresses):
    """What every version keeps of one recording, where it has the event at all."""
    version = r["header"]["data_version"]
    c.same("complete", r["complete"], t["complete"])
    if version >= 11:
        c.same("domains", {str(int(k, 16)): n for k, n in r["domains"].items()}, t["domains"])
        c.same("assemblies", r["assemblies"], t["assemblies"])
    for key in ("images", "classes", "methods"):
        c.same(key, r[key], t[key])
    for key in ("count", "bytes", "unresolved"):
        c.same("alloc " + key, r["alloc"][key], t["alloc"][key])
    c.same_top("alloc of", r["alloc"]["by_class"], t["alloc"]["by_class"])
    compare_calls(c, r, t, addresses)
    compare_gc(c, r, t)
    c.same("throws", r["exceptions"]["throws"], t["exceptions"]["throws"])
    c.same("clauses", renamed(r["exceptions"]["clauses"], CLAUSE_NUMBERS),
           t["exceptions"]["clauses"])
    m, want = r["monitor"], t["monitor"]
    c.same("monitor", [m["contended"], m["acquired"], m["failed"]],
           want["contended_acquired_failed"])
    c.same("monitor objects", m["objects"], want["objects"])
    c.same("monitor wait", m["wait_ns"], want["wait_ns"])
    shots = [dict(s, classes=len(s["by_class"])) for s in r["heapshots"]]
    c.same("heap shots", [{k: s[k] for k in w} for s, w in zip(shots, t["heapshots"])],
           t["heapshots"])
    c.same("number of heap shots", len(shots), len(t["heapshots"]))
    c.same("roots", r["roots"]["entries"], t["roots"])
    s, want = r["samples"], t["samples"]
    c.same("hits", s["hits"], want["hits"])
    c.same("symbols", r["symbols"], want["symbols"])
    if version >= 6:
        c.same("managed hits", s["with_managed_stack"], want["with_managed_stack"])
        c.same_top("leaf", s["leaves"], dict(want["top_leaf"]), 10)
    if version >= 5:
        c.same("counters", r["counters"], t["counters"])
    if version >= 8:
        c.same("JIT helpers", [r["jit_helpers"]["count"], r["jit_helpers"]["bytes"]],
               t["jit_helpers"])


def find_truth(folder, stem):
    """The truth file of NAME-anything is that of NAME."""
    while stem:
        path = os.path.join(folder, stem + ".truth.json")
        if os.path.exists(path):
            return path, stem
        stem = stem.rpartition("-")[0]
    return None, None


def check(folder, name):
    """Differences of one file, as text."""
    c = Comparison()
    stem, good = name[:-len(".mlpd")], name.startswith("good-")
    try:
        analysis = mlpd.analyse(os.path.join(folder, name))
    except mlpd.Refused as e:
        return ["refused: %s" % e] if good else []
    r = analysis.report()
    if not good:
        c.same("noticed", r["complete"] and r["clean_end"], False)
        return c.differences
    c.same("damage", r["damage"], [])
    if r["header"]["data_version"] >= 13:
        c.same("clean end", r["clean_end"], True)
    path, base = find_truth(folder, stem)
    if path is None:
        return c.differences + ["no truth file"]
    with open(path, encoding="utf-8") as f:
        t = json.load(f)
    if base == stem:
        compare_file(c, r, t)
    elif re.search(r"-v\d\d$", stem):
        c.same("data version", r["header"]["data_version"], int(stem[-2:]))
    compare_content(c, r, t, analysis.calls.by_address)
    return c.differences


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../../testdata/mlpd")
    passed = failed = 0
    for name in sorted(n for n in os.listdir(folder) if n.endswith(".mlpd")):
        differences = check(folder, name)
        passed, failed = passed + (not differences), failed + bool(differences)
        for d in differences:
            print("%s: %s" % (name, d))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
