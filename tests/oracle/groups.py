#!/usr/bin/env python3
"""Rows by thread, assembly, namespace and domain (stats --group-by), against figures of the independent reader.

    groups.py TRACETOOL MLPD_GEN

Everything is added up from the events that mlpd.py decodes, with a namespace rule of this file's own; so are groups of
what --marker, --thread and --time leave. Assemblies of methods, which the file does not say, are held against the
tables by category, which come another way.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import mlpd

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, same
from suite import TESTDATA
import lot

DATA = os.path.join(TESTDATA, "mlpd")
NAMES = ["d01-gameloop-calls-alloc", "d02-gameloop-sample", "d03-alloc-bt", "d04-exceptions", "d05-monitors",
         "d06-gcmoves-handles", "d07-heapshot", "d08-recursion-calls"]
WORDS = set("object string bool char sbyte byte int16 uint16 int uint long ulong single double intptr uintptr void".split())
# tracetool-metrics(7), Allocation: methods that only allocate what their caller asked for.
HELPER = re.compile(r"(\(wrapper [^)]*\) )?((System\.)?[sS]tring:(\.ctor|Ctor|CreateString|FastAllocateString|InternalAllocateStr)"
                    r"|(object|System\.Object):MemberwiseClone|System\.Array:CreateInstanceImpl"
                    r"|System\.Reflection\.\w+:InternalInvoke|System\.(RuntimeType|Activator):CreateInstanceInternal) ")
TABLES = ["markers", "alloc_classes", "alloc_sites", "alloc_paths", "samples", "sample_paths", "exception_sites", "exception_paths",
          "contention_sites", "contention_paths", "handle_sites", "heapshot_classes", "heapshot_growth", "heapshot_references"]


def namespace(name):
    head = re.match(r".[^<\[`/+&*(]*", name).group(0) if name and name[0] not in "<[`/+&*(" else ""
    if head in WORDS:
        return "System"
    return head.rpartition(".")[0] or "(no namespace)"


def of_method(name):
    """The namespace of a method's class; zones have none."""
    name = re.sub(r"^\(wrapper [^)]*\) ", "", name)
    colon = re.match(r"((?:<[^:]*>|[^:<]|<)*):", name)
    return namespace(colon.group(1)) if colon else "(no namespace)"


class Reader(mlpd.Analysis):
    """Notes what groups are made of."""

    def __init__(self, capture):
        self.image, self.image_name, self.vtable_domain = {}, {}, {}
        self.by_class = []                # (thread, time, class key, size, site)
        self.waits, self.throws_at, self.handles_made, self.hits_of = [], [], [], []
        super().__init__(capture)

    def on_metadata(self, thread, time, action, kind, ident, name, link):
        if action == "load" and kind == 1:
            self.image[ident] = link
        if action == "load" and kind == 2:
            self.image_name[ident] = re.sub(r"\.(dll|exe)$", "", re.split(r"[/\\]", name)[-1])
        super().on_metadata(thread, time, action, kind, ident, name, link)

    def site(self, thread, time, stack):
        names = [self.capture.method_name(m, time) for m in stack] if stack else [f[1] for f in thread.stack]
        for name in reversed(names):
            if not HELPER.match(name):
                return name
        return names[-1] if names else None

    def on_alloc(self, thread, time, cls, obj, size, stack):
        self.by_class.append((thread, time, cls, size, self.site(thread, time, stack)))
        super().on_alloc(thread, time, cls, obj, size, stack)

    def on_throw(self, thread, time, obj, stack):
        self.throws_at.append((thread, self.place(thread, time, stack)))
        super().on_throw(thread, time, obj, stack)

    def on_handle(self, thread, time, action, kind, handle, obj, stack):
        if action == "created":
            self.handles_made.append((thread, kind, self.place(thread, time, stack)))
        super().on_handle(thread, time, action, kind, handle, obj, stack)

    def on_hit(self, thread, time, when, tid, ips, frames):
        self.hits_of.append(self.thread(tid))
        super().on_hit(thread, time, when, tid, ips, frames)

    def on_monitor(self, thread, time, event, obj, stack):
        if event == 1:
            self.waits.append([thread, self.place(thread, time, stack), None])
            thread.wait_row = self.waits[-1]
        elif event in (2, 3) and "wait" in thread.open_pairs:
            thread.wait_row[2] = max(0, time - thread.open_pairs["wait"])
        super().on_monitor(thread, time, event, obj, stack)

    def assembly(self, cls, time):
        address = cls
        if self.capture.version >= 15:
            vtable = self.capture.vtables.get(cls, time)
            address = vtable[1] if vtable else None
        return self.image_name.get(self.image.get(address), "(unknown)")


def zones(a):
    """(thread, name, self, duration, names around, activations) of each finished call or zone."""
    rows, stacks = [], collections.defaultdict(list)
    # Unwinding steps down from call to call: one zone there, several here.
    steps = collections.Counter(t for t, *_ in a.throws_at)
    for thread, name, _start, dur, depth, *_ in reversed(a.calls.finished):
        stack = stacks[thread]
        del stack[depth:]
        count = 1 if name != "Exception" else steps[thread] > 0
        steps[thread] -= name == "Exception"
        row = [thread, name, dur, dur, [r[1] for r in stack], count]
        if stack:
            stack[-1][2] -= dur
        stack.append(row)
        rows.append(row)
    return rows


class Program:
    def __init__(self, path):
        self.path = path

    def rows(self, table, *more):
        p = subprocess.run([sys.argv[1], "stats", "-q", "--format", "json", "--names", "full", "--wrappers", "--table", table, *more,
                            self.path], capture_output=True, text=True, timeout=300)
        if p.returncode not in (0, 3):
            raise AssertionError("%s: %s" % (more, p.stderr))
        return json.loads(p.stdout)["tables"][table]["rows"]

    def sums(self, table, columns, *more):
        """First column -> the sums of columns; threads of one name are one here."""
        got = collections.defaultdict(lambda: [0] * len(columns))
        for r in self.rows(table, *more):
            first = r[next(iter(r))]
            got[first] = [x + (r[c] or 0) for x, c in zip(got[first], columns)]
        return {k: v for k, v in got.items() if any(v)}


def sums(pairs):
    got = {}
    for key, *values in pairs:
        old = got.setdefault(key, [0] * len(values))
        got[key] = [x + y for x, y in zip(old, values)]
    return {k: v for k, v in got.items() if any(v)}


def compare(name, path):
    with open(path, "rb") as f:
        a = Reader(mlpd.Capture(f.read()))
    p = Program(path)
    tids = {(r["tid"], r["generation"]): r["thread"] for r in p.rows("threads")}

    def label(thread):
        return tids[("0x%x" % thread.tid, thread.generation)]

    def outside(place):
        return of_method(place) if place else "(outside any zone)"

    by = {"thread": lambda thread, _place: label(thread), "namespace": lambda _thread, place: outside(place)}
    calls = zones(a)
    for key, of in by.items():
        want = sums((of(t, n), own, count, dur if of(t, n) not in [of(t, up) for up in ups] else 0)
                    for t, n, own, dur, ups, count in calls)
        same("%s: markers by %s" % (name, key), p.sums("markers", ["self_ns", "count", "total_ns"], "--group-by", key), want)
        some = re.compile("[aeiou]l")
        chosen = [(t, n, own, dur, [u for u in ups if some.search(u)], c) for t, n, own, dur, ups, c in calls if some.search(n)]
        want = sums((of(t, n), own, count, dur if of(t, n) not in [of(t, up) for up in ups] else 0) for t, n, own, dur, ups, count in chosen)
        same("%s: markers by %s, some" % (name, key), p.sums("markers", ["self_ns", "count", "total_ns"], "--group-by", key,
              "--marker", "re:[aeiou]l"), want)
        want = sums((of(t, place), size, 1) for t, _, _, size, place in a.by_class)
        for table in ("alloc_sites", "alloc_paths")[:2 if key == "thread" else 1]:
            same("%s: %s by %s" % (name, table, key), p.sums(table, ["bytes", "count"], "--group-by", key), want)
        want = sums((of(t, place), 1) for t, place in a.throws_at)
        same("%s: exception_sites by %s" % (name, key), p.sums("exception_sites", ["count"], "--group-by", key), want)
        want = sums((of(t, place), 1, wait is not None, wait or 0) for t, place, wait in a.waits)
        same("%s: contention_sites by %s" % (name, key),
              p.sums("contention_sites", ["contended", "waits", "wait_ns"], "--group-by", key), want)
        want = sums((of(t, place), 1) for t, _, place in a.handles_made)
        same("%s: handle_sites by %s" % (name, key), p.sums("handle_sites", ["created"], "--group-by", key), want)
    # samples: self and, once for each stack, with callees
    want = collections.defaultdict(lambda: [0, 0])
    threads = collections.Counter()
    for thread, (_tid, _when, frames, _ip) in zip(a.hits_of, a.sampled):
        spaces = [of_method(f) for f in frames] or ["(native)"]
        want[spaces[0]][0] += 1
        for s in set(spaces):
            want[s][1] += 1
        threads[label(thread)] += 1
    same("%s: samples by namespace" % name, p.sums("samples", ["self", "total"], "--group-by", "namespace"), dict(want))
    same("%s: samples by thread" % name, p.sums("samples", ["self"], "--group-by", "thread"),
          {t: [n] for t, n in threads.items()})
    # classes
    objects = [(cls, time, size) for _, time, cls, size, _ in a.by_class]
    for key, of in (("namespace", lambda c, t: namespace(a.capture.class_name(c, t) or "")), ("assembly", a.assembly)):
        want = sums((of(c, t), size, 1) for c, t, size in objects if a.capture.class_name(c, t))
        got = p.sums("alloc_classes", ["bytes", "count"], "--group-by", key)
        if all(a.capture.class_name(c, t) for c, t, _ in objects):
            same("%s: alloc_classes by %s" % (name, key), got, want)
    if a.shots and a.shots[-1]["complete"]:
        want = sums((namespace(c), r["bytes"], r["count"]) for c, r in a.shots[-1]["by_class"].items())
        same("%s: heapshot_classes by namespace" % name,
              p.sums("heapshot_classes", ["bytes", "objects"], "--group-by", "namespace"), want)
        want = sums((namespace(c), r["bytes"], r["count"]) for c, r in a.shots[-1]["by_class"].items() if "Byte" in c)
        same("%s: heapshot_classes by namespace, some" % name,
              p.sums("heapshot_classes", ["bytes", "objects"], "--group-by", "namespace", "--marker", "Byte"), want)
        holders = collections.Counter()
        for held in a.graph.values():
            for ref in held[1]:
                if ref in a.graph:
                    holders[namespace(a.graph[ref][0])] += 1
        got = sums((r["class"], r["references"]) for r in p.rows("heapshot_references", "--group-by", "namespace") if not r["root"])
        same("%s: heapshot_references by namespace" % name, got, {k: [n] for k, n in holders.items()})
    if a.domains and len(a.domains) == 1 and a.capture.version >= 15 and objects:
        want = {next(iter(a.domains.values())): [sum(s for *_, s in objects), len(objects)]}
        same("%s: alloc_classes by domain" % name, p.sums("alloc_classes", ["bytes", "count"], "--group-by", "domain"), want)
    # the tables by category are another pass
    same("%s: markers by assembly" % name, p.sums("markers", ["self_ns", "total_ns", "count"], "--group-by", "assembly"),
          p.sums("categories", ["self_ns", "total_ns", "count"]))
    same("%s: samples by assembly" % name, p.sums("samples", ["self", "total"], "--group-by", "assembly"),
          p.sums("sample_categories", ["self", "total"]))
    same("%s: alloc_sites by assembly" % name, p.sums("alloc_sites", ["bytes", "count"], "--group-by", "assembly"),
          p.sums("alloc_categories", ["bytes", "count"]))
    # whatever the group, its rows add up to what there is
    for table, column in (("alloc_paths", "bytes"), ("sample_paths", "samples"), ("exception_paths", "count"),
                          ("contention_paths", "wait_ns"), ("heapshot_growth", "d_bytes")):
        whole = sum(r[column] or 0 for r in p.rows(table))
        for key in ("thread", "assembly", "namespace"):
            rows = p.rows(table, "--group-by", key)
            first = [r[next(iter(r))] for r in rows]
            same("%s: %s by %s" % (name, table, key), {"sum": sum(r[column] or 0 for r in rows), "twice": 0},
                  {"sum": whole, "twice": len(first) - len(set(first)) if key != "thread" else 0})


def everything(name, path):
    """What chooses everything by one name chooses what another does, in groups as well: all that has a name."""
    p = Program(path)
    for by in ("thread", "assembly", "domain"):
        for table in TABLES + ["finalizers", "metadata", "gcalloc", "gc_generations", "contention", "coverage", "coverage_files"]:
            rows = [p.rows(table, "--group-by", by, option, "*") for option in ("--marker", "--category")]
            same("%s: %s by %s of every marker and every category" % (name, table, by), rows[0], rows[1])
    for by in ("thread", "domain"):
        rows = [p.rows("metadata", "--group-by", by, *more) for more in ((), ("--time", "0-100000"))]
        same("%s: metadata by %s of all the time" % (name, by), rows[0], rows[1])


def main():
    files = [(n, os.path.join(DATA, "good-%s.mlpd" % n)) for n in NAMES]
    with tempfile.TemporaryDirectory() as temp:
        for seed in ("1", "2"):
            made = os.path.join(temp, "made%s.mlpd" % seed)
            subprocess.run([sys.argv[2], "17", "8", seed, made], check=True)
            files.append(("made " + seed, made))
        for name, path in lot.some(files, 3, "groups"):
            compare(name, path)
            everything(name, path)
        everything("coverage", os.path.join(DATA, "good-d14-mono462-v13-coverage.mlpd"))
    end()


if __name__ == "__main__":
    main()
