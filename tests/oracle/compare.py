#!/usr/bin/env python3
"""Compare tracetool with mlpd.py, the independent reader, figure by figure.

    compare.py [--gen MLPD_GEN [SEEDS]] TRACETOOL [FILE...]

Without FILE: all files of testdata/mlpd. With --gen also what the test encoder makes of every
data version and pointer size, for that many seeds (default 2). Of each file, `stats` and `info` as
JSON and all events as CSV are compared:

* events by type; threads with their generations; whether the recording ended cleanly
* calls by method: count, total, self, least, largest exactly, percentiles within 1.6 %
* unmatched, implicitly closed and open calls, from the ledger
* allocations in total, by class, by thread; collections, pauses, heap
* every zone, allocation, sample hit, counter value, throw, clause, contention and GC event, one by one
* frames, where the capture has World:Frame

A damaged FILE is compared as far as both read it: events and calls, not the texts about damage.

Prints one line per difference and `N passed, N failed` (a file each); exit status 1 if any failed.
"""
import bisect
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mlpd  # noqa: E402

FRAME = "World:Frame"
FOUND = [(13, 4)]       # versions and seeds whose captures showed something once
MAX_LINES = 6           # differences printed per file

# What `info` calls the types of events, by tag.
TAGS = {
    0x00: "allocation", 0x10: "allocation with stack", 0x11: "GC event", 0x21: "GC heap resize",
    0x31: "GC moves", 0x41: "handle created", 0x61: "handle created with stack",
    0x51: "handle destroyed", 0x71: "handle destroyed with stack", 0x81: "finalizer queue begin",
    0x91: "finalizer queue end", 0xA1: "finalizer begin", 0xB1: "finalizer end", 0x02: "name",
    0x22: "load", 0x42: "unload", 0xA2: "load failed", 0x23: "method enter", 0x13: "method leave",
    0x33: "method leave by exception", 0x43: "method record", 0x04: "throw",
    0x84: "throw with stack", 0x14: "exception clause", 0x06: "heap shot begin",
    0x16: "heap shot end", 0x26: "heap object", 0x36: "heap roots", 0x46: "root registered",
    0x56: "root unregistered", 0x07: "sample", 0x17: "native symbol", 0x27: "native binary",
    0x37: "counter descriptions", 0x47: "counter values", 0x18: "JIT helper",
    0x09: "coverage assembly", 0x19: "coverage method", 0x29: "coverage statement",
    0x39: "coverage class", 0x0A: "sync point", 0x1A: "AOT id"}

PHASES = {0: "start", 5: "end", 6: "stopping", 7: "stopped", 8: "restarting", 9: "restarted",
          10: "locks taken", 11: "locks released"}
CLAUSES = {0: "catch", 1: "filter", 2: "finally", 4: "fault"}
MONITORS = {1: "contended", 2: "acquired", 3: "failed"}
SYNCS = {0: "periodic", 1: "world stop", 2: "world start"}
COVERAGE = {"assemblies": "assembly", "methods": "method", "statements": "statement",
            "classes": "class"}


def tag_name(tag):
    """Monitor events have their kind in the tag until data version 13."""
    if tag & 0x0F != 5:
        return TAGS[tag]
    kind = ("", " contended", " acquired", " gave up")[tag >> 4 & 3]
    return "monitor" + kind + ((", with stack" if kind else " with stack") if tag & 0x80 else "")


def unknown(name):
    """Methods without a record: "0x12" here, "(unknown 0x12)" there."""
    return "(unknown %s)" % name if name.startswith("0x") else name


class Capture(mlpd.Capture):
    """Keeps the time of each buffer: the smallest is time zero in reports."""

    def read_events(self, begin, end, header, quiet=False):
        self.bases = getattr(self, "bases", [])
        self.bases.append(mlpd.signed64(header[2]))
        return super().read_events(begin, end, header, quiet)

    def add(self, tid, event, timed):
        """Mono 4.6 stamps its first counter sample with 0, which is no time: its buffer's stands for it."""
        if event[:2] == ("counters", 0):
            event = ("counters", self.bases[-1]) + event[2:]
        super().add(tid, event, timed)


class CountingCalls(mlpd.Calls):
    """Also counts what tracetool counts apart."""

    def __init__(self, capture):
        super().__init__(capture)
        self.begun = Counter()          # thread -> calls
        self.unmatched_zones = 0        # ends; a catch whose throw was not recorded is usual and not told

    def enter(self, thread, key, time):
        super().enter(thread, key, time)
        self.begun[thread] += not isinstance(key, str)

    def pop_to(self, thread, key, time):
        if isinstance(key, str) and key != "Exception" and not any(f[0] == key for f in thread.stack):
            self.unmatched_zones += 1
        super().pop_to(thread, key, time)


mlpd.Calls = CountingCalls


class Recorder(mlpd.Analysis):
    """The analysis, and each event as the CSV emitter should write it:
    (kind, tid, generation, start, duration, depth, name, category, value, detail)."""

    def __init__(self, capture):
        self.rows = []
        self.busy = Counter()           # thread -> time in its outermost calls
        self.hit_threads = set()
        self.move_records = False
        self.allocated = []
        bases = getattr(capture, "bases", [])
        self.origin = min(bases + [capture.min_time]) if capture.min_time is not None else min(bases, default=0)
        super().__init__(capture)
        for thread, name, start, duration, depth, zone, slice_depth in self.calls.finished:
            if slice_depth is not None:
                self.row("zone", thread, start, name if zone else unknown(name), duration=duration, depth=depth)
            if depth == 0:
                self.busy[thread] += duration

    def row(self, kind, thread, start, name="", category="", value="", detail="", duration="", depth=""):
        if isinstance(detail, int):
            detail = "0x%x" % detail
        self.rows.append((kind, "0x%x" % thread.tid, thread.generation, start, str(duration), str(depth), name,
                          category, str(value), detail))

    def on_alloc(self, thread, time, cls, obj, size, stack):
        super().on_alloc(thread, time, cls, obj, size, stack)
        name = self.capture.class_name(cls, time) or "(unknown class 0x%x)" % cls
        self.row("alloc", thread, time, name, "GC", size)
        self.allocated.append((obj, size))

    def on_gc_event(self, thread, time, kind, generation):
        super().on_gc_event(thread, time, kind, generation)
        self.row("gc", thread, time, PHASES.get(kind, ""), "", generation)

    def on_gc_resize(self, thread, time, size):
        super().on_gc_resize(thread, time, size)
        self.row("gc_heap", thread, time, value=size)

    def on_gc_moves(self, thread, time, objects):
        super().on_gc_moves(thread, time, objects)
        self.move_records = True
        self.row("gc_move", thread, time, value=len(objects) // 2)

    def on_handle(self, thread, time, action, kind, handle, obj, stack):
        super().on_handle(thread, time, action, kind, handle, obj, stack)
        words = {0: "weak", 1: "weak tracking", 2: "normal", 3: "pinned"}
        self.row("handle", thread, time, action, words.get(kind, ""), detail=handle)

    def on_finalizer(self, thread, time, what, obj):
        super().on_finalizer(thread, time, what, obj)
        self.row("finalize", thread, time, "end" if what.endswith("end") else "start", detail=obj or 0)

    def on_metadata(self, thread, time, action, kind, ident, name, link):
        super().on_metadata(thread, time, action, kind, ident, name, link)
        if kind == 5 and action in ("load", "failed", "unload"):
            # A start of the buffer's own thread is told by the new thread.
            own = self.thread(thread.tid)
            self.row("thread", own, time, "end" if action == "unload" else "start", detail=ident)
        elif action == "unload":
            self.row("meta", thread, time, detail=ident)

    def on_throw(self, thread, time, obj, stack):
        super().on_throw(thread, time, obj, stack)
        self.row("throw", thread, time, detail=obj)

    def on_clause(self, thread, time, kind, index, method, obj):
        super().on_clause(thread, time, kind, index, method, obj)
        self.row("clause", thread, time, self.method(method, time), None, index, CLAUSES.get(kind, ""))

    def on_monitor(self, thread, time, event, obj, stack):
        super().on_monitor(thread, time, event, obj, stack)
        self.row("monitor", thread, time, MONITORS.get(event, ""), detail=obj)

    def on_shot_begin(self, thread, time):
        super().on_shot_begin(thread, time)
        self.row("heap_shot", thread, time, "start", detail=0)

    def on_shot_end(self, thread, time):
        super().on_shot_end(thread, time)
        self.row("heap_shot", thread, time, "end", detail=0)

    def on_heap_object(self, thread, time, obj, cls, size, generation, refs):
        super().on_heap_object(thread, time, obj, cls, size, generation, refs)
        name = self.capture.class_name(cls, time) or "(unknown class 0x%x)" % cls
        self.row("heap_object", thread, time, name, "", size, obj)

    def on_roots(self, thread, time, roots):
        super().on_roots(thread, time, roots)
        for _, obj in roots:
            self.row("heap_root", thread, time, detail=obj)

    def on_hit(self, thread, time, when, tid, ips, frames):
        super().on_hit(thread, time, when, tid, ips, frames)
        self.hit_threads.add(tid)
        leaf = self.method(frames[0], when) if frames else ""
        self.row("sample", self.thread(tid), when, leaf, None if frames else "", len(frames),
                 ips[0] if ips else 0)

    def on_counters(self, thread, time, values, when):
        for index, kind, value in values:
            super().on_counters(thread, time, [(index, kind, value)], when)
            c = self.counters[index]
            if kind == 6:
                shown, detail = "", value or ""
            else:
                unit, factor = unit_of(c)
                shown, detail = scaled(c["last"], factor), unit
            self.row("counter", thread, self.counter_time(time), c["name"], c["section_name"] or SECTIONS.get(c["section"], ""), shown, detail)

    def counter_time(self, time):
        """Until data version 12 they have a time of their own, in ms, which mlpd.py does not keep."""
        return time if self.capture.version >= 13 else self.origin

    def on_jit_helper(self, thread, time, kind, start, size, name):
        super().on_jit_helper(thread, time, kind, start, size, name)
        self.row("jit_code", thread, time, value=size, detail=name or "")

    def on_coverage(self, thread, time, what, strings, numbers):
        super().on_coverage(thread, time, what, strings, numbers)
        self.row("coverage", thread, time, COVERAGE[what], "", numbers[0], strings[0] if strings else "")

    def on_sync(self, thread, time, kind):
        super().on_sync(thread, time, kind)
        self.row("sync", thread, time, SYNCS.get(kind, ""))

    def method(self, address, time):
        return unknown(self.capture.method_name(address, time))


class Comparison:
    def __init__(self):
        self.differences = []

    def note(self, text):
        self.differences.append(text)

    def same(self, what, theirs, ours):
        """${theirs} is tracetool's."""
        if theirs != ours:
            self.note("%s: %r, mlpd.py has %r" % (what, theirs, ours))

    def near(self, what, theirs, ours):
        if theirs is None or ours is None:
            self.same(what, theirs, ours)
        elif abs(theirs - ours) * 1000 > 16 * abs(ours) + 1000:
            self.note("%s: %d, mlpd.py has %d: more than 1.6 %% off" % (what, theirs, ours))

    def same_table(self, what, theirs, ours, limit=2):
        """Dictionaries: name the first few keys that differ."""
        keys = [k for k in sorted(set(theirs) | set(ours), key=str) if theirs.get(k) != ours.get(k)]
        for k in keys[:limit]:
            self.note("%s %r: %r, mlpd.py has %r" % (what, k, theirs.get(k), ours.get(k)))
        if len(keys) > limit:
            self.note("%s: %d more rows differ" % (what, len(keys) - limit))


# --------------------------------------------------------------------------------------
# tracetool's side
# --------------------------------------------------------------------------------------

class Program:
    def __init__(self, path):
        self.path = path

    def run(self, *args):
        p = subprocess.run([self.path, *args], capture_output=True, timeout=120)
        if p.returncode not in (0, 3):
            raise RuntimeError("tracetool %s: exit status %d: %s" % (
                " ".join(args), p.returncode, p.stderr.decode("utf-8", "replace").strip()))
        return p.returncode, p.stdout

    def json(self, *args):
        status, out = self.run(*args)
        return status, {k: t["rows"] for k, t in json.loads(out)["tables"].items()}

    def csv(self, path):
        _, out = self.run("convert", "-q", "-f", "csv", "--names", "full", "--wrappers", "-o", "-", path)
        return list(csv.reader(io.StringIO(out.decode("utf-8", "replace"), newline="")))


# --------------------------------------------------------------------------------------
# The comparisons
# --------------------------------------------------------------------------------------

def compare_info(c, capture, a, info):
    row = info["capture"][0]
    mine = Counter()
    for tag, (count, _) in capture.tags.items():
        mine[tag_name(tag)] += count
    theirs = Counter()
    for r in info.get("capture_events", []):
        theirs[r["type"]] += r["events"]
    c.same_table("events of type", theirs, mine)
    c.same("events", row["events"], sum(mine.values()))
    if not capture.damage and capture.buffers:
        c.same("buffers", row["chunks"], sum(capture.buffers.values()))
        c.same("bytes", row["bytes"], len(capture.data))
    c.same("pointer size", row["pointer_size"], capture.pointer_size)
    c.same("pid", row["pid"], str(capture.header["pid"]) if capture.header["pid"] > 0 else None)
    for key in ("arch", "os", "args"):
        c.same(key, row[key] or "", capture.header[key] or "")
    if capture.version >= 13:
        c.same("clean end", row["clean_end"], a.clean_end())


def compare_ledger(c, a, loss):
    counts = a.calls.counts
    found = {r["kind"]: r["count"] for r in loss}
    # The zones tracetool makes of GC, locks and exceptions are counted with the calls.
    c.same("implicitly closed", found.get("popped", 0),
           counts["implicitly_closed_calls"] + counts["implicitly_closed_zones"])
    c.same("open at end", found.get("open", 0),
           sum(counts["open_at_%s_%s" % (w, k)] for w in ("end", "gap") for k in ("calls", "zones")))
    c.same("clock back", found.get("clock", 0) > 0, counts["clock_back"] > 0)
    # A catch whose throw was not recorded is usual and not told; other zones are.
    c.same("unmatched ends", found.get("unmatched", 0), counts["unmatched_leaves"] + a.calls.unmatched_zones)


def compare_threads(c, a, stats):
    theirs, ours = {}, {}
    for r in stats["threads"]:
        theirs[(r["tid"], r["generation"])] = (r["allocs"] or 0, r["alloc_bytes"] or 0, r["calls"], r["busy_ns"] + r["waiting_ns"])
    for generations in a.threads.values():
        for t in generations:
            if t.tid not in a.capture.buffers and not t.starts + t.ends and t.tid not in a.hit_threads:
                continue                # only named
            n, size = a.alloc_by_thread.get(t.label(), (0, 0))
            ours[("0x%x" % t.tid, t.generation)] = (n, size, a.calls.begun[t], a.busy[t])
    c.same_table("thread (allocations, bytes, calls, in zones)", theirs, ours)
    names = {("0x%x" % t.tid, t.generation): max(t.names, key=lambda n: n[0])[1]
             for g in a.threads.values() for t in g if t.names and ("0x%x" % t.tid, t.generation) in ours}
    shown = {(r["tid"], r["generation"]): r["thread"] for r in stats["threads"]}
    c.same_table("name of thread", {k: shown.get(k) for k in names}, names)


def compare_methods(c, a, stats):
    rows = {}
    for r in stats.get("markers", []):
        if r["marker"] in rows:
            c.note("marker %r has two rows" % r["marker"])
        rows[r["marker"]] = r
    mine = {}
    for table, is_zone in ((a.calls.methods, False), (a.calls.zones, True)):
        for name, s in table.items():
            mine[name if is_zone else unknown(name)] = (s.report(), is_zone)
    for name in sorted(set(rows) - set(mine)):
        c.note("marker %r: mlpd.py does not have it" % name)
    for name, (r, is_zone) in mine.items():
        have = rows.get(name)
        if have is None:
            c.note("marker %r is missing" % name)
            continue
        if is_zone and name == "Exception":     # its pieces between unwound frames are not activations
            c.same("count of Exception", have["count"], a.throws)
            c.same("self of Exception", have["self_ns"], r["self_ns"])
            continue
        for key in ("count", "self_ns", "min_ns", "max_ns", "total_ns"):
            c.same("%s of %r" % (key, name), have[key], r[key])
        for key, ours in (("median_ns", "p50_ns"), ("p95_ns", "p95_ns"), ("p99_ns", "p99_ns")):
            c.near("%s of %r" % (key, name), have[key], r[ours])


def gcalloc(stats):
    """The summary; 0 for what is not known, as it was not recorded (live/options says when that is)."""
    return defaultdict(int, {k: v for k, v in stats["gcalloc"][0].items() if v is not None})


def compare_allocations(c, a, stats):
    g = gcalloc(stats)
    c.same("allocations", g["count"], a.alloc["count"])
    c.same("bytes allocated", g["bytes"], a.alloc["bytes"])
    theirs = defaultdict(lambda: [0, 0])
    for r in stats.get("alloc_classes", []):
        name = "(unresolved)" if r["class"].startswith("(unknown class") else r["class"]
        theirs[name][0] += r["count"]
        theirs[name][1] += r["bytes"]
    c.same_table("allocations of", theirs, a.alloc_by_class)
    for table in ("alloc_sites", "alloc_paths", "alloc_categories", "alloc_threads"):
        if table in stats or a.alloc["count"]:
            c.same("bytes in " + table, sum(r["bytes"] for r in stats.get(table, [])), a.alloc["bytes"])


def compare_gc(c, a, stats):
    g = gcalloc(stats)
    theirs = {r["generation"]: (r["count"], r["total_ns"], r["max_ns"]) for r in stats["gc_generations"]}
    ours = {n: (len(d), sum(d), max(d)) for n, d in a.collections.items() if d}
    c.same_table("collections of generation", theirs, ours)
    c.same("pauses", [g["pauses"], g["pause_ns"], g["pause_max_ns"]],
           [len(a.pauses), sum(a.pauses), max(a.pauses, default=0)])
    c.same("objects moved", g["moves"] or 0, a.moves)
    c.same("heap resizes", [g["heap_resizes"] or 0, g["heap_max_bytes"] or 0], [a.resizes, a.max_heap])


def figures(waits):
    """As in the tables: number, sum, least, mean, largest."""
    n = len(waits)
    return (n, *((sum(waits), min(waits), (2 * sum(waits) + n) // (2 * n), max(waits)) if n else (None,) * 4))


def compare_contention(c, a, stats):
    columns = ("waits", "wait_ns", "min_ns", "mean_ns", "max_ns")
    theirs = Counter(tuple(r[k] for k in ("lock", "contended", "acquired", "failed", "threads", "moved") + columns)
                     for r in stats.get("contention_locks", []))
    ours = Counter(("0x%x" % k["address"] if k["address"] else "0x0", k["contended"], k["acquired"], k["failed"],
                    len(k["threads"]), k["moved"] if a.move_records else None, *figures(k["waits"])) for k in a.locks)
    for what, x in (("only in tracetool's locks", theirs - ours), ("missing in tracetool's locks", ours - theirs)):
        for row in sorted(x, key=str)[:2]:
            c.note("%s: %r" % (what, row))
    sites = {r["marker"]: tuple(r[k] for k in ("contended",) + columns) for r in stats.get("contention_sites", [])}
    mine = {place_name(p): (n, *figures(a.waits_at[p])) for p, n in a.contended_at.items()}
    c.same_table("waits at", sites, mine)
    for r in stats.get("contention_sites", []):
        waits = sorted(next((w for p, w in a.waits_at.items() if place_name(p) == r["marker"]), []))
        if waits:
            c.near("p95 at %r" % r["marker"], r["p95_ns"], waits[(len(waits) * 95 + 99) // 100 - 1])


def compare_samples(c, a, stats):
    own, total = Counter(), Counter()
    for _, _, names, _ in a.sampled:
        own[unknown(names[0]) if names else "(native)"] += 1
        total.update({unknown(n) for n in names} or {"(native)"})
    theirs = {r["marker"]: (r["self"], r["total"]) for r in stats.get("samples", [])}
    c.same_table("samples in", theirs, {k: (own[k], total[k]) for k in total})
    c.same("samples of threads", sum(r["samples"] for r in stats.get("sample_threads", [])), len(a.sampled))
    c.same("managed samples", sum(r["managed"] for r in stats.get("sample_threads", [])),
           sum(bool(n) for _, _, n, _ in a.sampled))
    c.same("samples of categories", sum(r["self"] for r in stats.get("sample_categories", [])), len(a.sampled))
    c.same("samples of native code", sum(r["samples"] for r in stats.get("sample_native", [])), len(a.sampled))
    theirs = Counter()
    for r in stats.get("sample_native", []):
        theirs[r["code"] if r["kind"] in ("symbol", "method") else "(other)"] += r["samples"]
    symbols = sorted(a.symbol_at)
    starts = sorted(a.code)
    ours = Counter()
    for _, _, _, ip in a.sampled:
        i = bisect.bisect_right(starts, ip) - 1
        k = bisect.bisect_right(symbols, ip) - 1
        if i >= 0 and ip < starts[i] + a.code[starts[i]][0]:
            ours[a.code[starts[i]][1]] += 1
        elif k >= 0 and ip - symbols[k] <= 4096 and not a.helpers:
            ours[a.symbol_at[symbols[k]] or "(other)"] += 1
        else:
            ours["(other)"] += 1
    if not a.helpers:
        c.same_table("samples in native", theirs, ours)
    jit = stats.get("jit", [])
    if jit:
        c.same("methods, helpers", [jit[0]["methods"] >= len(a.seen["method"]), jit[0]["helpers"]],
               [True, sum(n for k, n in a.helpers.items() if k != "0")])
        c.same("helper code", sum(r["bytes"] for r in stats.get("jit_helpers", [])), a.helper_bytes)


def compare_shots(c, a, stats):
    rows = stats.get("heapshots", [])
    columns = ("objects", "bytes", "references", "continued", "roots", "complete")
    theirs = [tuple(r[k] for k in columns) for r in rows]
    ours = [tuple(s[k] for k in ("objects", "bytes", "references", "continuation_records", "roots", "complete"))
            for s in a.shots]
    c.same("heap shots", theirs, ours)
    whole, more = [], []
    for s in a.shots:                      # differences are between a whole shot and the whole shot before it
        of = ("objects", "bytes")
        more.append(tuple(s[k] - whole[-1][k] for k in of) if s["complete"] and whole else (None, None))
        whole += [s] if s["complete"] else []
    c.same("differences of heap shots", [(r["d_objects"], r["d_bytes"]) for r in rows], more)
    if not whole:
        return

    def by_class(shot):
        return Counter({n: (r["count"], r["bytes"]) for n, r in shot["by_class"].items()}) if shot else {}

    def class_name(name):
        return "(unresolved)" if name.startswith("(unknown class") else name

    now, before = by_class(whole[-1]), by_class(whole[-2] if len(whole) > 1 else None)
    theirs = {class_name(r["class"]): (r["objects"], r["bytes"]) for r in stats.get("heapshot_classes", []) if r["objects"]}
    c.same_table("last shot's", theirs, dict(now))
    if before:
        theirs = {class_name(r["class"]): (r["d_objects"], r["d_bytes"]) for r in stats.get("heapshot_classes", [])
                  if r["d_objects"] or r["d_bytes"]}
        mine = {n: tuple(x - y for x, y in zip(now.get(n, (0, 0)), before.get(n, (0, 0)))) for n in set(now) | set(before)}
        c.same_table("difference of shots in", theirs, {n: d for n, d in mine.items() if any(d)})
    first = by_class(whole[0])
    theirs = {class_name(r["class"]): (r["first_bytes"], r["last_bytes"], r["d_objects"])
              for r in stats.get("heapshot_growth", [])}
    mine = {n: (first.get(n, (0, 0))[1], now.get(n, (0, 0))[1], now.get(n, (0, 0))[0] - first.get(n, (0, 0))[0])
            for s in whole for n in s["by_class"]}
    c.same_table("growth of", theirs, mine)
    c.same("largest objects", [r["bytes"] for r in stats.get("heapshot_objects", [])],
           sorted(whole[-1].get("sizes", []), reverse=True)[:32])


def compare_handles(c, a, stats):
    names = {"weak": "weak", "weak_track": "weak tracking", "normal": "normal", "pinned": "pinned"}
    live = Counter(kind for kind, _ in a.live_handles)
    mine, other = {}, [0, 0, 0]
    numbers = {v: k for k, v in mlpd.HANDLE_KINDS.items()}
    for name, row in a.handles.items():
        if name in names and row["created"] + row["destroyed"]:
            mine[names[name]] = (row["created"], row["destroyed"], live[numbers[name]])
        elif name not in names:
            other = [other[0] + row["created"], other[1] + row["destroyed"], other[2] + live[int(name)]]
    if any(other):
        mine["(other)"] = tuple(other)
    c.same_table("handles", {r["kind"]: (r["created"], r["destroyed"], r["live"]) for r in stats.get("handles", [])}, mine)
    kinds = ("weak", "weak tracking", "normal", "pinned")
    ours = Counter()
    for (place, kind), n in a.handles_at.items():
        ours[(place_name(place), kinds[kind] if kind < 4 else "(other)")] += n
    theirs = {(r["marker"], r["kind"]): r["created"] for r in stats.get("handle_sites", [])}
    c.same_table("handles made at", theirs, dict(ours))
    theirs = {r["what"]: r["count"] for r in stats.get("finalizers", [])}
    c.same("finalizers", (theirs.get("object", 0), theirs.get("run", 0)),
           (a.finalized["object"], a.finalized["queue"]))
    items = Counter(r["kind"] for r in stats.get("metadata_items", []))
    for kind in ("image", "assembly"):
        if a.metadata[kind]["load"] == len(a.seen[kind]):
            c.same(kind, items[kind], len(a.seen[kind]))


def compare_graph(c, a, stats):
    if not a.shots or not a.shots[-1]["complete"]:
        return
    mine = Counter()
    for name, refs in a.graph.values():
        for to in refs:
            if to in a.graph:
                mine[(a.graph[to][0], name)] += 1
    theirs = Counter()
    short = lambda n: "(unresolved)" if n.startswith("(unknown class") else n     # noqa: E731
    for r in stats.get("heapshot_references", []):
        if not r["root"]:
            theirs[(short(r["class"]), short(r["from"]))] += r["references"]
    c.same_table("references to, from", theirs, mine)
    roots = Counter(a.graph[o][0] for o in a.graph_roots if o in a.graph)
    theirs = Counter()
    for r in stats.get("heapshot_references", []):
        if r["root"]:
            theirs[short(r["class"])] += r["references"]
    c.same_table("roots of", theirs, roots)
    reached, todo = set(), [o for o in a.graph_roots if o in a.graph]
    while todo:
        o = todo.pop()
        if o not in reached:
            reached.add(o)
            todo += [to for to in a.graph[o][1] if to in a.graph]
    c.same("objects reached", sum(r["reached"] for r in stats.get("heapshot_roots", [])), len(reached))
    missed = Counter(name for o, (name, _) in a.graph.items() if o not in reached)
    theirs = Counter()
    for r in stats.get("heapshot_paths", []):
        theirs[short(r["class"])] += r["objects"] if r["path"] == "(not reached)" else 0
    c.same_table("objects not reached of", +theirs, Counter({n: missed[n] for n in missed if n in theirs}))


def compare_found(c, program, a, path):
    """Allocations of 64 bytes and more, and where each was at the end."""
    _, stats = program.json("stats", "-q", "--format", "json", "--find", "S:64", path)
    theirs = Counter((r["object"], r["bytes"]) for r in stats.get("objects_found", []))
    ours = Counter(("0x%x" % o if o else "0x0", size) for o, size in a.allocated if size >= 64)
    c.same("objects found", theirs, ours)


def compare_timeline(c, program, a, path):
    _, stats = program.json("stats", "-q", "--format", "json", "--buckets", "7", "--wrappers", path)
    rows = stats.get("timeline", [])
    if not rows or a.capture.damage:
        return
    times = [t - a.origin for t, _ in a.allocs]
    for r in rows:
        c.same("allocations from %d" % r["from_ns"], r["allocs"] or 0, sum(r["from_ns"] <= t < r["to_ns"] for t in times))
    for key, total in (("allocs", len(times)), ("alloc_bytes", a.alloc["bytes"]), ("throws", a.throws),
                       ("contended", a.monitor["contended"]), ("moves", a.moves), ("samples", a.hits),
                       ("handles", sum(h["created"] for h in a.handles.values())),
                       ("calls", a.calls.counts["enter"]), ("wait_ns", a.monitor["wait_ns"]),
                       ("pause_ns", sum(a.pauses))):
        c.same("timeline's " + key, sum(r[key] or 0 for r in rows), total)


def place_name(place):
    return "(outside any zone)" if place is None else unknown(place)


def compare_exceptions(c, a, stats):
    mine, theirs = Counter(), Counter()
    for (_, place), n in a.thrown.items():
        mine[place_name(place)] += n
    for r in stats.get("exception_sites", []):
        theirs[r["marker"]] += r["count"]
    c.same_table("throws at", theirs, mine)
    types = Counter()
    for (name, _), n in a.thrown.items():
        types[name or "(unknown)"] += n
    have = Counter()
    for r in stats.get("exceptions", []):
        have["(unknown)" if r["type"].startswith("(unknown class") else r["type"]] += r["count"]
    c.same_table("throws of", have, types)
    mine = {}
    for (name, kind, index, unwinding), n in a.ran.items():
        row = mine.setdefault((unknown(name), kind if kind in CLAUSES.values() else None, index), [0, 0])
        row[0] += n
        row[1] += n * unwinding
    theirs = {}
    for r in stats.get("exception_clauses", []):
        row = theirs.setdefault((r["marker"], r["kind"], r["clause"]), [0, 0])
        row[0] += r["count"]
        row[1] += r["unwinding"] or 0
    c.same_table("runs of clause", theirs, mine)


SECTIONS = {1 << 8: "JIT", 1 << 9: "GC", 1 << 10: "metadata", 1 << 11: "generics", 1 << 12: "security", 1 << 13: "runtime", 1 << 14: "system",
            1 << 16: "profiler", 1 << 17: "interpreter"}       # MONO_COUNTER_JIT and on
UNITS = {1: ("bytes", 1), 2: ("ns", 100), 3: ("count", 1), 4: ("percent", 100)}


def compare_counters(c, a, rows):
    theirs, ours = Counter(), Counter()
    for r in rows:
        theirs[(r["counter"], r["unit"] or "", r["last"], r["min"], r["max"], r["text"] or "", r["count"])] += 1
    means = {(r["counter"], r["count"], r["last"]): (r["mean"], r["unit"]) for r in rows}
    for k in a.replaced_counters + list(a.counters.values()):
        if not k["samples"]:
            continue
        text = any(kind == 6 for kind in k["kinds"])
        unit, factor = unit_of(k)
        numbers = [v for _, v in k["points"] if isinstance(v, (int, float))]
        figures = a.counter_figures(k)
        shown = [None] * 3
        if figures and not text:
            shown = [in_report(v, unit, factor) for v in (numbers[-1], figures[0], figures[2])]
        ours[(k["name"], "" if text else unit, *shown, k["last"] or "" if text else "", len(k["points"]) if text
              else len(numbers))] += 1
        mean, _ = means.get((k["name"], len(numbers), shown[0]), (None, None))
        if mean is not None and not text:
            want = figures[1] * factor
            if abs(mean - want) > 1 + abs(want) * 1e-9:
                c.note("mean of counter %r: %r, mlpd.py has %r" % (k["name"], mean, want))
    for what, x in (("only in tracetool's counters", theirs - ours), ("missing in tracetool's counters", ours - theirs)):
        for row in sorted(x, key=str)[:2]:
            c.note("%s: %r" % (what, row))


def unit_of(k):
    """Unit and factor of what Mono writes of a counter; type 7 is a time interval, in us."""
    unit, factor = UNITS.get(k["unit"] >> 24 & 255, ("value", 1))
    return unit, 1000 if unit == "ns" and k["type"] == 7 else factor


def in_report(v, unit, factor):
    v = scaled(v, factor)
    return None if isinstance(v, int) and not -2**63 <= v * (100 if unit == "percent" else 1) < 2**63 else v


def scaled(v, factor):
    """A value times ${factor}; whole numbers beyond 64 bits are rounded."""
    if isinstance(v, int):
        v *= factor
        return v if -2**63 <= v < 2**64 else float(v)
    short = float("%.15g" % (v * factor))
    return short if short / factor == v else v * factor


def value_of(kind, value):
    """Doubles are compared as what they are, not as they are spelt."""
    if kind != "counter" or not value or value.lstrip("-").isdigit():
        return value
    number = float(value)
    return str(int(number)) if number.is_integer() else repr(number)


def compare_events(c, a, rows, generation, first):
    """Every record of the CSV, with times from the first one's, which is `first` in tables; both sides as multisets."""
    head = ["kind", "process", "thread", "tid", "start_ns", "dur_ns", "depth", "name", "category", "value", "detail", "args"]
    if not rows or rows[0] != head:
        c.note("CSV begins with %r" % rows[:1])
        return
    theirs = Counter()
    unwanted = {"root", "gap"}
    for r in rows[1:]:
        if len(r) != len(head):
            c.note("CSV record of %d columns: %r" % (len(r), r))
            return
        kind, _, number, tid, start, dur, depth, name, category, value, detail, _ = r
        if kind in unwanted or start == "":     # the latter name threads
            continue
        if kind in ("zone", "clause", "sample"):
            category = ""               # the assembly is a guess of tracetool's, tested elsewhere
        if kind == "counter":
            value = value_of(kind, value)
            if a.capture.version <= 12:
                start = first
        theirs[(kind, generation.get(number, (tid, 0)), int(start) - first, dur, depth, name, category, value, detail)] += 1
    ours, origin = Counter(), a.origin
    for kind, tid, gen, start, dur, depth, name, category, value, detail in a.rows:
        ours[(kind, (tid, gen), start - origin, dur, depth, name, category or "", value_of(kind, value), detail or "")] += 1
    for what, x, y in (("only in tracetool's CSV", theirs, ours), ("missing in tracetool's CSV", ours, theirs)):
        extra = x - y
        for row in sorted(extra, key=str)[:2]:
            c.note("%s: %r" % (what, row))
        if len(extra) > 2:
            c.note("%s: %d more records" % (what, len(extra) - 2))


def compare_frames(c, program, capture, a, path):
    """Begin to begin of World:Frame."""
    if not any(FRAME in name for name in a.calls.methods):
        return
    out = io.StringIO()
    a.print_frames(out, FRAME)
    ours = list(csv.DictReader(io.StringIO(out.getvalue())))
    _, stats = program.json("stats", "-q", "--format", "json", "--frame-marker", FRAME, "--hitches", "1000",
                            path)
    times = sorted(int(f["wall_ns"]) for f in ours)
    wall = [r for r in stats["frames"] if r["time"] == "wall"]
    if not wall:
        c.note("no frames")
        return
    wall = wall[0]
    rank = lambda per_mille: times[(len(times) * per_mille + 999) // 1000 - 1]  # noqa: E731
    for key, value in (("count", len(times)), ("max_ns", times[-1]), ("median_ns", rank(500)),
                       ("p90_ns", rank(900)), ("p95_ns", rank(950)), ("p99_ns", rank(990)),
                       ("p999_ns", rank(999)), ("over_16_67", sum(t > 16667667 for t in times)),
                       ("over_33_33", sum(t > 33334334 for t in times)),
                       ("over_50", sum(t > 50 * 10**6 for t in times)), ("partial", 1)):
        if key == "partial" and a.origin < int(ours[0]["start_ns"]):
            continue                    # whether time before the first frame is one is not this test's matter
        c.same("frames: " + key, wall[key], value)
    if len(times) <= 1000:
        theirs = {r["frame"]: (r["dur_ns"], r["allocs"], r["alloc_bytes"]) for r in stats["hitches"]}
        mine = {int(f["frame"]) + 1: (int(f["wall_ns"]), int(f["alloc_count"]), int(f["alloc_bytes"])) for f in ours}
        c.same_table("frame (time, allocations, bytes)", theirs, mine)


def analyse(path):
    with open(path, "rb") as f:
        capture = Capture(f.read())
    a = Recorder(capture)
    return capture, a


def compare(program, path):
    """Differences of one file, as text."""
    c = Comparison()
    try:
        capture, a = analyse(path)
    except mlpd.Refused as e:
        try:
            status, _ = program.run("stats", "-q", "--format", "json", path)
        except RuntimeError:
            return ["refused by neither rule"]
        c.same("exit status (mlpd.py refuses: %s)" % e, status, 3)
        return c.differences
    status, stats = program.json("stats", "-q", "--format", "json", "--names", "full", "--wrappers", path)
    stats.update(program.json("stats", "-q", "--format", "json", "--names", "full",
                              "--table", "alloc_paths,exceptions,jit,jit_helpers,metadata_items,heapgraph", path)[1])
    c.same("exit status", status, 3 if capture.damage else 0)
    _, info = program.json("info", "-q", "--format", "json", path)
    compare_info(c, capture, a, info)
    compare_ledger(c, a, stats["loss"])
    compare_threads(c, a, stats)
    compare_methods(c, a, stats)
    compare_allocations(c, a, stats)
    compare_gc(c, a, stats)
    compare_counters(c, a, stats.get("counters", []))
    compare_contention(c, a, stats)
    compare_exceptions(c, a, stats)
    compare_samples(c, a, stats)
    compare_shots(c, a, stats)
    compare_handles(c, a, stats)
    compare_graph(c, a, stats)
    generation = {str(r["number"]): (r["tid"], r["generation"]) for r in stats["threads"]}
    first = min((r["first_ns"] for r in stats["threads"] if r["first_ns"] is not None), default=0)
    compare_events(c, a, program.csv(path), generation, first)
    compare_frames(c, program, capture, a, path)
    compare_found(c, program, a, path)
    compare_timeline(c, program, a, path)
    return c.differences


def main(args):
    gen, seeds = None, 2
    if args[:1] == ["--gen"]:
        gen, args = args[1], args[2:]
        if args and args[0].isdigit():
            seeds, args = int(args[0]), args[1:]
    if not args:
        print(__doc__, file=sys.stderr)
        return 2
    program, files = Program(args[0]), args[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    folder = os.path.normpath(os.path.join(here, "../../testdata/mlpd"))
    if not files:
        files = [os.path.join(folder, n) for n in sorted(os.listdir(folder))
                 if n.endswith(".mlpd")]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temp:
        if gen:
            for version in mlpd.VERSIONS:
                for pointer_size in (8, 4):
                    for seed in list(range(seeds)) + [n for v, n in FOUND if v == version and n >= seeds]:
                        path = os.path.join(temp, "v%02d-p%d-s%d.mlpd" % (version, pointer_size, seed))
                        subprocess.run([gen, str(version), str(pointer_size), str(seed), path], check=True)
                        files.append(path)
        for path in files:
            try:
                differences = compare(program, path)
            except RuntimeError as e:
                differences = [str(e)]
            passed, failed = passed + (not differences), failed + bool(differences)
            for d in differences[:MAX_LINES]:
                print("%s: %s" % (os.path.basename(path), d))
            if len(differences) > MAX_LINES:
                print("%s: %d more differences" % (os.path.basename(path), len(differences) - MAX_LINES))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
