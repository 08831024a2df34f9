#!/usr/bin/env python3
"""Tables, their groups and filters against lists of events that the independent reader makes.

    tables.py TRACETOOL MLPD_GEN

- Filters in all pairs: what --time, --thread and --marker (glob and re:), and of classes --category, leave of a table, alone and two
  together, is what the same filters leave of the list of its events, added up here. The same with --find.
- Groups of tables that groups.py does not have: summaries, collections, locks, objects, metadata.
- Bytes allocated by thread in the call tree; roots by class in every heap shot; classes of finalized objects; metrics of the
  gate over time.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import itertools
import json
import os
import re
import subprocess
import sys

import groups
import mlpd

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, same

DATA = groups.DATA
NAMES = ["d01-gameloop-calls-alloc", "d02-gameloop-sample", "d03-alloc-bt", "d04-exceptions", "d05-monitors",
         "d06-gcmoves-handles", "d07-heapshot", "d07-heapshot-v14"]


class Lists(groups.Reader):
    """Every event of interest as (table, time, thread, name, values)."""

    def __init__(self, capture):
        self.list, self.finals, self.shot_roots, self.gc = [], [], [], []
        self.tokens, self.named = collections.defaultdict(dict), collections.Counter()
        self.locks_by, self.begun = collections.defaultdict(set), {}
        self.now, self.trail = {}, []     # address -> place in trail; [address, class, size, moves, thread, time]
        super().__init__(capture)

    def on_alloc(self, thread, time, cls, obj, size, stack):
        name = self.capture.class_name(cls, time)
        self.list.append(("alloc_classes", time, thread, name, (size, 1)))
        self.list.append(("alloc_sites", time, thread, self.site(thread, time, stack), (size, 1)))
        self.now[obj] = len(self.trail)
        self.trail.append([obj, name, size, 0, thread, time, cls])
        super().on_alloc(thread, time, cls, obj, size, stack)

    def on_gc_moves(self, thread, time, objects):
        pairs = [(a, b) for a, b in zip(objects[::2], objects[1::2]) if a != b]
        gone = [(self.now.pop(a), b) for a, b in pairs if a in self.now]
        for place, to in gone:
            self.trail[place][3] += 1
            self.now[to] = place
        super().on_gc_moves(thread, time, objects)

    def on_throw(self, thread, time, obj, stack):
        self.list.append(("exception_sites", time, thread, self.place(thread, time, stack), (1,)))
        super().on_throw(thread, time, obj, stack)

    def on_handle(self, thread, time, action, kind, handle, obj, stack):
        if action == "created":
            self.list.append(("handle_sites", time, thread, self.place(thread, time, stack), (1,)))
        super().on_handle(thread, time, action, kind, handle, obj, stack)

    def on_monitor(self, thread, time, event, obj, stack):
        if event == 1:
            self.list.append(("contention_sites", time, thread, self.place(thread, time, stack), (1,)))
        super().on_monitor(thread, time, event, obj, stack)
        if event == 1:
            self.locks_by[thread].add(self.lock_of[obj])

    def on_hit(self, thread, time, when, tid, ips, frames):
        name = self.capture.method_name(frames[0], when) if frames else None
        self.list.append(("samples", when, self.thread(tid), name, (1,)))
        super().on_hit(thread, time, when, tid, ips, frames)

    def on_enter(self, thread, time, method):
        self.list.append(("markers", time, thread, self.capture.method_name(method, time), (1,)))
        super().on_enter(thread, time, method)

    def on_gc_event(self, thread, time, kind, generation):
        key = (thread, generation)
        if kind == 0:
            self.begun[key] = time
        elif kind == 5 and key in self.begun:
            start = self.begun.pop(key)
            self.gc.append((start, thread, generation, max(0, time - start)))
        super().on_gc_event(thread, time, kind, generation)

    def on_finalizer(self, thread, time, what, obj):
        if what == "object_begin":
            self.finals.append([self.objects.get(obj) or "(unknown)", thread, time, None])
            thread.finalizing = self.finals[-1]
        elif what == "object_end" and getattr(thread, "finalizing", None):
            thread.finalizing[3] = max(0, time - thread.finalizing[2])
            thread.finalizing = None
        elif what == "object_end":
            self.finals.append([self.objects.get(obj) or "(unknown)", thread, time, None])
        super().on_finalizer(thread, time, what, obj)

    def on_shot_end(self, thread, time):
        if thread.tid in self.open_shots:
            self.shot_roots.append(collections.Counter(self.graph[o][0] for o in self.graph_roots if o in self.graph))
        super().on_shot_end(thread, time)


class Program(groups.Program):
    def report(self, *more):
        p = subprocess.run([sys.argv[1], "stats", "-q", "--format", "json", "--names", "full", "--wrappers", *more, self.path],
                           capture_output=True, text=True, timeout=300)
        if p.returncode not in (0, 3):
            raise AssertionError("%s: %s" % (more, p.stderr))
        return json.loads(p.stdout)["tables"]

    def zero(self):
        p = subprocess.run([sys.argv[1], "info", "--format", "json", self.path], capture_output=True, text=True, timeout=300)
        return json.loads(p.stdout)["tables"]["capture"]["rows"][0]["zero_ns"]


COLUMNS = {"alloc_classes": ["bytes", "count"], "alloc_sites": ["bytes", "count"], "exception_sites": ["count"],
           "handle_sites": ["created"], "contention_sites": ["contended"], "samples": ["self"], "markers": ["count"]}
OUTSIDE = {"samples": "(native)"}
OWN = {"GC", "GC.Pause", "GC.Stop", "Contention", "Exception"}


def filters(a, zero, label):
    """(options, what of an event they leave) for this capture: something is left, and something is not."""
    times = sorted(e[1] - zero for e in a.list)
    low, high = times[len(times) // 4], times[3 * len(times) // 4] + 1
    busiest = collections.Counter(label(e[2]) for e in a.list).most_common(2)[-1][0]
    names = collections.Counter(e[3] for e in a.list if e[3])
    most = re.sub(r" \(.*", "", names.most_common(3)[-1][0], flags=re.S)
    word = re.findall(r"[A-Za-z]{4,}", most)[-1]
    found = [(["--time", "%d.%09d-%d.%09d" % (low // 10**9, low % 10**9, high // 10**9, high % 10**9)],
              lambda e: low <= e[1] - zero < high),
             (["--thread", "re:^%s$" % re.escape(busiest)], lambda e: label(e[2]) == busiest),
             (["--marker", word], lambda e: e[3] is not None and word in e[3]),
             (["--marker", "re:[aeiou]%s" % word[1:3]], lambda e: e[3] is not None and
              re.search("[aeiou]%s" % word[1:3], e[3]) is not None)]
    return found


def pairs(name, a, p, zero, label):
    tables = [t for t in COLUMNS if any(e[0] == t for e in a.list)]
    some = filters(a, zero, label)
    for k in (0, 1, 2):
        for chosen in itertools.combinations(some, k):
            # Two of one kind are any of them.
            if len({o[0] for o, _ in chosen}) < len(chosen):
                left = [e for e in a.list if any(f(e) for _, f in chosen)]
            else:
                left = [e for e in a.list if all(f(e) for _, f in chosen)]
            options = [w for o, _ in chosen for w in o]
            have = p.report("--table", ",".join(tables), *options)
            for t in tables:
                want = groups.sums((e[3] or OUTSIDE.get(t, "(outside any zone)"), *e[4]) for e in left if e[0] == t)
                got = groups.sums((next(iter(r.values())), *(r[c] or 0 for c in COLUMNS[t])) for r in have[t]["rows"])
                got = {n: v for n, v in got.items() if n not in OWN and not n.startswith("GC.Collect")}
                same("%s: %s %s" % (name, t, " ".join(options)), got, want)
            if any(e[0] == "alloc_classes" for e in a.list):
                found(name, a, p, zero, chosen, options)
            collections_left(name, a, p, zero, label, chosen, options)


def found(name, a, p, zero, chosen, options):
    kinds = {o[0] for o, _ in chosen}
    test = any if len(kinds) < len(chosen) else all
    want = collections.Counter((o[1], o[2], o[3]) for o in a.trail if o[2] >= 64 and
                               (not chosen or test(f((None, o[5], o[4], o[1])) for _, f in chosen)))
    # Moves behind the time that is looked at still happen to what was allocated in it.
    have = collections.Counter((r["class"], r["bytes"], r["moves"])
                               for r in p.report("--table", "objects_found", "--find", "S:64", *options)["objects_found"]["rows"])
    same("%s: --find S:64 %s" % (name, " ".join(options)), dict(have), dict(want))


def categories(name, a, p, zero, label):
    """Classes have an assembly in the file; methods have not: groups.py holds theirs against another pass."""
    def of(o):
        return a.assembly(o[6], o[5])

    least = collections.Counter(of(o) for o in a.trail if of(o) != "(unknown)").most_common()
    if not least:
        return
    one = ["--category", "re:^%s$" % re.escape(least[-1][0])]
    for options, f in [([], None), *filters(a, zero, label)]:
        left = [o for o in a.trail if of(o) == least[-1][0] and (not f or f((None, o[5], o[4], o[1])))]
        have = p.report("--table", "alloc_classes,objects_found", "--find", "S:1", *one, *options)
        what = "%s: %s %s" % (name, " ".join(one), " ".join(options))
        same(what, groups.sums((r["class"], r["bytes"], r["count"]) for r in have["alloc_classes"]["rows"]),
              groups.sums((o[1], o[2], 1) for o in left))
        same(what + " --find S:1", dict(collections.Counter((r["class"], r["bytes"], r["moves"]) for r in have["objects_found"]["rows"])),
              dict(collections.Counter((o[1], o[2], o[3]) for o in left)))


def collections_left(name, a, p, zero, label, chosen, options):
    """Collections have no marker: of these --marker changes nothing."""
    asked = [(o, f) for o, f in chosen if o[0] != "--marker"]
    left = [g for g in a.gc if all(f((None, g[0], g[1], None)) for _, f in asked)]
    want = groups.sums((g, 1, dur) for _, _, g, dur in left)
    rows = p.report("--table", "gc_generations", *options)["gc_generations"]["rows"]
    same("%s: gc_generations %s" % (name, " ".join(options)), {r["generation"]: [r["count"], r["total_ns"]] for r in rows}, want)


def grouped(name, a, p, label):
    calls = {"thread": lambda e: label(e[2]), "namespace": lambda e: groups.of_method(e[3]) if e[3] else "(outside any zone)"}
    for key, of in calls.items():
        want = groups.sums((of(e), *e[4]) for e in a.list if e[0] == "alloc_sites")
        same("%s: gcalloc by %s" % (name, key), p.sums("gcalloc", ["bytes", "count"], "--group-by", key), want)
        want = groups.sums((of(e), *e[4]) for e in a.list if e[0] == "contention_sites")
        same("%s: contention by %s" % (name, key), p.sums("contention", ["contended"], "--group-by", key), want)
    want = groups.sums((label(t), 1, dur) for _, t, _, dur in a.gc)
    same("%s: gc_generations by thread" % name, p.sums("gc_generations", ["count", "total_ns"], "--group-by", "thread"), want)
    same("%s: gcalloc by thread, collections" % name, p.sums("gcalloc", ["collections", "collection_ns"], "--group-by", "thread"),
          want)
    want = groups.sums((label(t), len(locks)) for t, locks in a.locks_by.items())
    same("%s: contention_locks by thread" % name, p.sums("contention_locks", ["count"], "--group-by", "thread"), want)
    if a.trail:
        for key, of in (("thread", lambda o: label(o[4])), ("namespace", lambda o: groups.namespace(o[1] or "")),
                        ("assembly", lambda o: a.assembly(o[6], o[5]))):
            want = groups.sums((of(o), o[2], o[3], 1) for o in a.trail if o[2] >= 64)
            same("%s: objects_found by %s" % (name, key),
                  groups.sums((r["class"], r["bytes"], r["moves"], r["count"])
                              for r in p.rows("objects_found", "--find", "S:64", "--group-by", key)), want)
    if a.shots and a.shots[-1]["complete"]:
        biggest = sorted(a.big, key=lambda o: (-o[1], o[0]))[:32]
        want = groups.sums((groups.namespace(o[2]), o[1], 1) for o in biggest)
        same("%s: heapshot_objects by namespace" % name,
              groups.sums((r["class"], r["bytes"], r["count"]) for r in p.rows("heapshot_objects", "--group-by", "namespace")), want)
        # Paths in groups add up to what they were, class by class.
        whole = groups.sums((groups.namespace(r["class"]), r["objects"]) for r in p.rows("heapshot_paths"))
        some = p.sums("heapshot_paths", ["objects"], "--group-by", "namespace")
        same("%s: heapshot_paths by namespace" % name, {k: v for k, v in some.items() if k in whole and v < whole[k]}, {})
    want = groups.sums((groups.namespace(n), 1) for n in a.class_names)
    same("%s: metadata_classes by namespace" % name, p.sums("metadata_classes", ["count"], "--group-by", "namespace"), want)
    have = groups.sums((r["namespace"], r["loaded"]) for r in p.rows("metadata", "--group-by", "namespace") if r["kind"] == "class")
    same("%s: metadata by namespace" % name, have, want)
    items = p.rows("metadata_items", "--group-by", "assembly")
    have = groups.sums((r["assembly"], r["count"]) for r in items if r["kind"] == "image")
    same("%s: metadata_items by assembly" % name, have, groups.sums((n, 1) for n in a.image_name.values()))


def shots(name, a, p):
    have = collections.defaultdict(dict)
    for r in p.rows("heapshot_history"):
        if r["roots"]:
            have[r["shot"]][r["class"]] = r["roots"]
    same("%s: roots by class" % name, dict(have), {i + 1: dict(c) for i, c in enumerate(a.shot_roots) if c})


def finalizers(name, a, p, label):
    want = groups.sums((c, 1, dur or 0) for c, _, _, dur in a.finals)
    same("%s: finalizer_classes" % name, p.sums("finalizer_classes", ["count", "total_ns"]), want)
    for key, of in (("namespace", lambda f: groups.namespace(f[0])), ("thread", lambda f: label(f[1]))):
        want = groups.sums((of(f), 1, f[3] or 0) for f in a.finals)
        same("%s: finalizer_classes by %s" % (name, key), p.sums("finalizer_classes", ["count", "total_ns"], "--group-by", key), want)
    want = groups.sums((label(t), 1, dur or 0) for _, t, _, dur in a.finals)
    have = groups.sums((r["thread"], r["count"], r["total_ns"] or 0) for r in p.rows("finalizers", "--group-by", "thread")
                       if r["what"] == "object")
    same("%s: finalizers by thread" % name, have, want)


METRICS = {"marker.count[re::].total": "markers", "exceptions.total": "exception_sites", "contention.count.total": "contention_sites",
           "samples.total": "samples", "gc.alloc.bytes.total": "alloc_sites", "handles.total": "handle_sites"}


def series(name, a, p, zero):
    options = [w for m in METRICS for w in ("--metric", m)]
    rows = p.rows("timeline_metrics", "--buckets", "7", *options)
    for metric, table in METRICS.items():
        events = [(e[1] - zero, e[4][0]) for e in a.list if e[0] == table]
        if not events:
            continue
        have = [r["value"] for r in rows if r["metric"] == metric]
        want = [sum(v for t, v in events if r["from_ns"] <= t < r["to_ns"]) for r in rows if r["metric"] == metric]
        same("%s: --metric %s" % (name, metric), {i: round(v or 0, 3) for i, v in enumerate(have)},
              {i: v for i, v in enumerate(want)})
    rows = p.rows("timeline_metrics", "--buckets", "7", "--metric", "gc.time.total")
    want = [sum(g[3] for g in a.gc if r["from_ns"] <= g[0] - zero < r["to_ns"]) for r in rows]
    same("%s: --metric gc.time.total" % name, {i: r["value"] or 0 for i, r in enumerate(rows)}, dict(enumerate(want)))


class Biggest(Lists):
    def on_shot_begin(self, thread, time):
        self.big = []
        super().on_shot_begin(thread, time)

    def on_heap_object(self, thread, time, obj, cls, size, generation, refs):
        if thread.tid in self.open_shots and size:
            self.big.append((obj, size, self.capture.class_name(cls, time) or ""))
        super().on_heap_object(thread, time, obj, cls, size, generation, refs)

    def on_metadata(self, thread, time, action, kind, ident, name, link):
        if not hasattr(self, "class_names"):
            self.class_names, self.class_keys = [], set()
        if action == "load" and kind == 1 and (ident, name, link) not in self.class_keys:
            self.class_keys.add((ident, name, link))
            self.class_names.append(name)
        super().on_metadata(thread, time, action, kind, ident, name, link)


def tree(name, a, p):
    """The call tree has all that its threads allocated, with a recorded stack or in calls."""
    tids = {"%s#%d" % (r["tid"], r["generation"]): r["thread"] for r in p.rows("threads")}
    theirs = collections.Counter()
    for r in p.rows("calltree", "--threshold", "0"):
        theirs.update({r["marker"]: r["alloc_bytes"] or 0} if r["depth"] == 0 else {})
    ours = collections.Counter()
    for thread, (_, size) in a.alloc_by_thread.items():
        ours[tids[thread]] += size
    same(name + ": calltree: bytes by thread", dict(+theirs), {k: v for k, v in (+ours).items() if k in theirs})


def compare(name, path):
    with open(path, "rb") as f:
        a = Biggest(mlpd.Capture(f.read()))
    p = Program(path)
    tids = {(r["tid"], r["generation"]): r["thread"] for r in p.rows("threads")}
    zero = p.zero()

    def label(thread):
        return tids[("0x%x" % thread.tid, thread.generation)]

    if a.trail:
        categories(name, a, p, zero, label)
    if a.list:
        pairs(name, a, p, zero, label)
        series(name, a, p, zero)
    grouped(name, a, p, label)
    finalizers(name, a, p, label)
    shots(name, a, p)
    tree(name, a, p)


def main():
    for name in NAMES:
        compare(name, os.path.join(DATA, "good-%s.mlpd" % name))
    end()


if __name__ == "__main__":
    main()
