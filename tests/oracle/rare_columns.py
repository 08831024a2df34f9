#!/usr/bin/env python3
"""Columns about collections, heaps, handles, finalizers, locks, exceptions, samples, code and metadata, against a recount of the events that
mlpd.py, the independent reader, finds in captures of testdata and in captures that the test encoder makes.

    rare_columns.py MLPD_GEN

What happens on several threads is put in the order of time first. Every column that tests/oracles.txt says this suite holds was compared with
a value other than 0.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import bisect
import collections
import json
import os
import re
import subprocess
import sys

import compare as slow
from groups import HELPER
from rows import compare, end, tables
from recount import from_histogram, mean, share

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import lot
from suite import TESTDATA, TRACETOOL, Suite

KINDS = ("weak", "weak tracking", "normal", "pinned")
OUTSIDE = "(outside any zone)"
NAMES = ["d01-gameloop-calls-alloc", "d02-gameloop-sample", "d04-exceptions", "d05-monitors", "d06-gcmoves-handles", "d07-heapshot",
         "d09-names-unicode-jit"]
BUCKETS = 7
# Some wait markers of tracetool-metrics(7), which these programs call.
WAITERS = ["System.Threading.Thread:Sleep", "System.Threading.Thread:Join", "System.Threading.WaitHandle:Wait", "System.Threading.Monitor:Wait",
           "System.Threading.Monitor:Enter", "System.Threading.Monitor:ObjWait", "System.Threading.Monitor:Monitor_wait"]
# Purposes of code and variances of counters, by their numbers in Mono.
HELPERS = ["method", "method trampoline", "unbox trampoline", "interface trampoline", "generics trampoline", "specific trampoline", "helper", "monitor",
           "delegate invoke", "exception handling"]
VARIANCES = {1: "monotonic", 2: "constant", 4: "variable"}


class Rare(slow.Recorder):
    """Notes each rare event, with its thread, time and place."""

    def __init__(self, capture):
        self.handle_events, self.final_events, self.throws_of, self.waits = [], [], [], []
        self.gcs, self.worlds, self.heap, self.begun = [], [], [], {}
        self.open_throws, self.graph_of, self.hits_of, self.moved, self.code_of = collections.defaultdict(list), [], [], [], []
        self.loads, self.helper_list, self.variances, self.found = [], [], {}, []
        super().__init__(capture)

    def at(self, time):
        return time - self.origin

    def on_alloc(self, thread, time, cls, obj, size, stack):
        name = self.capture.class_name(cls, time) or "(unknown class 0x%x)" % cls
        site = next((n for n in reversed([slow.unknown(self.capture.method_name(m, time)) for m in stack] if stack else
                                         [slow.unknown(f[1]) for f in thread.stack]) if not HELPER.match(n)), None)
        self.found.append({"site": site or OUTSIDE, "marker": slow.place_name(self.place(thread, time, stack)), "object": "0x%x" % obj, "class": name,
                           "bytes": size, "time_ns": self.at(time), "thread": thread, "process": 1})
        super().on_alloc(thread, time, cls, obj, size, stack)

    def on_counter_desc(self, thread, time, descriptions):
        for index, _, _, name, _, _, variance in descriptions:
            self.variances[name, index] = variance
        super().on_counter_desc(thread, time, descriptions)

    def on_handle(self, thread, time, action, kind, handle, obj, stack):
        self.handle_events.append((time, len(self.handle_events), action, kind, handle, slow.place_name(self.place(thread, time, stack))))
        super().on_handle(thread, time, action, kind, handle, obj, stack)

    def on_finalizer(self, thread, time, what, obj):
        ran = what.split("_")[0]
        name = (self.objects.get(obj) or "(unknown)") if ran == "object" else None
        if what.endswith("begin"):
            self.final_events.append([ran, name, thread, time, None])
            thread.__dict__.setdefault("finals", {})[ran] = self.final_events[-1]
        else:
            begun = thread.__dict__.setdefault("finals", {}).pop(ran, None)
            if begun:
                begun[4] = max(0, time - begun[3])
            else:
                self.final_events.append([ran, name, thread, time, None])
        super().on_finalizer(thread, time, what, obj)

    def on_gc_event(self, thread, time, kind, generation):
        if kind == 0:
            self.begun[thread, generation] = time
        elif kind == 5 and (thread, generation) in self.begun:
            begin = self.begun.pop((thread, generation))
            self.gcs.append((self.at(begin), self.at(time), generation))
        elif kind == 6:
            self.begun[thread, "pause"] = [thread, time, None, None]
        elif kind == 7 and (thread, "pause") in self.begun:
            self.begun[thread, "pause"][2] = time
        elif kind == 9 and (thread, "pause") in self.begun:
            pause = self.begun.pop((thread, "pause"))
            self.worlds.append((thread, self.at(pause[1]), self.at(pause[2] if pause[2] is not None else pause[1]), self.at(time)))
        super().on_gc_event(thread, time, kind, generation)

    def on_gc_resize(self, thread, time, size):
        self.heap.append((self.at(time), size))
        super().on_gc_resize(thread, time, size)

    def on_gc_moves(self, thread, time, objects):
        self.moved.append((self.at(time), len(objects) // 2))
        super().on_gc_moves(thread, time, objects)

    def path_of(self, thread, time, stack):
        names = [slow.unknown(self.capture.method_name(m, time)) for m in stack] if stack else [slow.unknown(f[1]) for f in thread.stack]
        return " > ".join(names[-64:]) or OUTSIDE

    def on_throw(self, thread, time, obj, stack):
        row = {"thread": thread, "time": time, "type": self.objects.get(obj) or "(unknown)", "object": obj, "took": None,
               "place": slow.place_name(self.place(thread, time, stack)), "path": self.path_of(thread, time, stack)}
        self.throws_of.append(row)
        self.open_throws[thread].append(row)
        super().on_throw(thread, time, obj, stack)

    def on_clause(self, thread, time, kind, index, method, obj):
        open_throws = self.open_throws[thread]
        if kind == 0 and open_throws:
            same = [t for t in open_throws if t["object"] == obj] or open_throws
            if not self.capture.method_name(method, time).startswith("(wrapper runtime-invoke)"):
                same[-1]["took"] = max(0, time - same[-1]["time"])
            del open_throws[open_throws.index(same[-1]):]
        super().on_clause(thread, time, kind, index, method, obj)

    def on_monitor(self, thread, time, event, obj, stack):
        if event == 1:
            thread.waiting = {"thread": thread, "time": time, "place": slow.place_name(self.place(thread, time, stack)),
                              "path": self.path_of(thread, time, stack), "took": None, "failed": False, "object": obj}
            self.waits.append(thread.waiting)
        elif event in (2, 3) and getattr(thread, "waiting", None):
            thread.waiting["took"], thread.waiting["failed"] = max(0, time - thread.waiting["time"]), event == 3
            thread.waiting = None
        super().on_monitor(thread, time, event, obj, stack)
        if event == 1:
            self.waits[-1]["lock"] = self.lock_of[obj]

    def on_shot_begin(self, thread, time):
        super().on_shot_begin(thread, time)
        self.graph_of.append({"time": self.at(time), "classes": set(), "by_class": {}, "objects": []})
        self.shots[-1]["of"] = self.graph_of[-1]

    def on_heap_object(self, thread, time, obj, cls, size, generation, refs):
        shot = self.open_shots.get(thread.tid)
        if shot is not None:
            name = self.capture.class_name(cls, time) or "(unknown class 0x%x)" % cls
            row = shot["of"]["by_class"].setdefault(name, {"objects": 0, "bytes": 0, "references": 0})
            row["references"] += len(refs)
            if size:
                row["objects"] += 1
                row["bytes"] += size
                shot["of"]["classes"].add(cls)
                shot["of"]["objects"].append(("0x%x" % obj, name, size))
        super().on_heap_object(thread, time, obj, cls, size, generation, refs)

    def on_hit(self, thread, time, when, tid, ips, frames):
        names = [slow.unknown(self.capture.method_name(m, when)) for m in frames]
        self.hits_of.append((self.thread(tid), self.at(when), names))
        super().on_hit(thread, time, when, tid, ips, frames)

    def on_method(self, thread, time, address, code, size, name):
        self.code_of.append((address, code, size, name, self.at(time)))
        super().on_method(thread, time, address, code, size, name)

    def on_jit_helper(self, thread, time, kind, start, size, name):
        self.helper_list.append((kind, start, size))
        super().on_jit_helper(thread, time, kind, start, size, name)

    def on_metadata(self, thread, time, action, kind, ident, name, link):
        self.loads.append((action, kind, ident, name, link, self.at(time)))
        super().on_metadata(thread, time, action, kind, ident, name, link)


def times(durations):
    """Figures of durations, as tables of waits and finalizers have them."""
    return {"min_ns": min(durations, default=None), "mean_ns": mean(sum(durations), len(durations)), "max_ns": max(durations, default=None)}


class Check:
    def __init__(self, name, path):
        self.name, self.path = name, path
        with open(path, "rb") as f:
            self.capture = slow.Capture(f.read())
        self.a = Rare(self.capture)
        ids = "threads gcalloc gc_generations gc_heap alloc_classes heapshots heapshot_classes heapshot_growth heapshot_objects heapshot_history " \
              "heapshot_paths heapshot_roots heapshot_references handles handle_sites finalizers finalizer_classes contention contention_locks " \
              "contention_sites contention_paths exceptions exception_sites exception_paths exception_clauses samples sample_threads " \
              "sample_categories sample_native sample_paths jit jit_helpers jit_methods metadata metadata_items metadata_classes timeline counters"
        self.have = tables(path, ids.split(), "--names", "full", "--wrappers", "--buckets", str(BUCKETS))
        self.numbers = {(r["tid"], r["generation"]): r for r in self.have["threads"]}

    def row_of(self, thread):
        return self.numbers[("0x%x" % thread.tid, thread.generation)]

    def same(self, table, want, *key):
        compare(self.name, table, self.have.get(table, []), want, *key)

    # --- memory

    def collections(self):
        a, by = self.a, collections.defaultdict(list)
        for begin, to, generation in a.gcs:
            by[generation].append(max(0, to - begin))
        self.same("gc_generations", [{"generation": g, "count": len(d), "total_ns": sum(d), "mean_ns": mean(sum(d), len(d)), "max_ns": max(d)}
                                     for g, d in by.items()], "generation")
        heap = sorted(a.heap, key=lambda h: h[0])
        self.same("gc_heap", [{"time_ns": t, "bytes": n} for t, n in heap], "time_ns", "bytes")
        stopped, pauses = [max(0, to - at) for _, _, at, to in a.worlds], [max(0, to - begin) for _, begin, _, to in a.worlds]
        want = {}
        if a.gcs:
            want.update(collections=len(a.gcs), collection_ns=sum(sum(d) for d in by.values()))
        if pauses:
            want.update(pauses=len(pauses), pause_ns=sum(pauses), pause_max_ns=max(pauses), stopped_ns=sum(stopped), stopped_max_ns=max(stopped))
        if heap:
            want.update(heap_last_bytes=heap[-1][1], heap_max_bytes=max(n for _, n in heap), heap_resizes=len(heap))
        if a.moved:
            want.update(moves=sum(n for _, n in a.moved))
        if a.alloc["count"]:
            want.update(bytes=a.alloc["bytes"], count=a.alloc["count"], mean_bytes=mean(a.alloc["bytes"], a.alloc["count"]))
            if not a.alloc["unresolved"]:
                want.update(classes=len(a.alloc_by_class))
                self.same("alloc_classes", [{"class": c, "bytes": size, "count": n, "share": share(size, a.alloc["bytes"]), "mean_bytes": mean(size, n)}
                                            for c, (n, size) in a.alloc_by_class.items()], "class")
        self.same("gcalloc", [want])
        # Of a thread the time in which another one had stopped the world.
        rows = []
        for r in self.have["threads"] if a.worlds else ():
            spans = [max(0, min(to, r["last_ns"]) - max(at, r["first_ns"])) for t, _, at, to in a.worlds if self.row_of(t) is not r]
            rows.append({"number": r["number"], "stopped_ns": sum(spans)} if r["first_ns"] is not None else {"number": r["number"]})
        self.same("threads", rows, "number") if rows else None

    def heap_shots(self):
        shots = [s for s in self.a.shots if s["complete"]]
        if not shots:
            return
        rows, last = [], None
        for i, s in enumerate(self.a.shots, 1):
            whole = s["complete"]
            rows.append({"shot": i, "time_ns": s["of"]["time"], "classes": len(s["of"]["classes"]), "process": 1, "objects": s["objects"],
                         "bytes": s["bytes"], "d_objects": s["objects"] - last["objects"] if whole and last else None,
                         "d_bytes": s["bytes"] - last["bytes"] if whole and last else None})
            last = s if whole else last
        self.same("heapshots", rows, "shot")
        of = [s["of"]["by_class"] for s in shots]
        none = {"objects": 0, "bytes": 0, "references": 0}
        now, before = of[-1], of[-2] if len(of) > 1 else {}
        total = sum(r["bytes"] for r in now.values())
        rows = []
        for name in set(now) | set(before):
            r, o = now.get(name, none), before.get(name, none)
            rows.append({"class": name, "bytes": r["bytes"], "share": share(r["bytes"], total), "objects": r["objects"], "references": r["references"],
                         "mean_bytes": mean(r["bytes"], r["objects"]), "d_bytes": r["bytes"] - o["bytes"] if before else None,
                         "d_objects": r["objects"] - o["objects"] if before else None})
        self.same("heapshot_classes", rows, "class")
        rows = []
        for name in set().union(*of):
            sizes = [s.get(name, none)["bytes"] for s in of]
            steps = [b - a for a, b in zip(sizes, sizes[1:])]
            rows.append({"class": name, "first_bytes": sizes[0], "last_bytes": sizes[-1], "d_bytes": sizes[-1] - sizes[0], "max_bytes": max(sizes),
                         "d_objects": of[-1].get(name, none)["objects"] - of[0].get(name, none)["objects"],
                         "grew": sum(s > 0 for s in steps), "shrank": sum(s < 0 for s in steps)})
        self.same("heapshot_growth", rows, "class")
        biggest = sorted(shots[-1]["of"]["objects"], key=lambda o: -o[2])
        least = biggest[:32][-1][2]
        rows = [{"object": o, "class": c, "bytes": n} for o, c, n in biggest if n > least]
        have = [r for r in self.have["heapshot_objects"] if r["bytes"] > least]
        compare(self.name, "heapshot_objects", have, rows, "object")
        rows, last = [], None
        for i, s in enumerate(self.a.shots, 1):
            for name in set(s["of"]["by_class"]) | set(last or ()):
                r, o = s["of"]["by_class"].get(name, none), (last or {}).get(name, none)
                if any(r.values()) or any(o.values()):
                    rows.append({"shot": i, "class": name, "bytes": r["bytes"], "objects": r["objects"], "references": r["references"],
                                 "d_bytes": r["bytes"] - o["bytes"] if last is not None and s["complete"] else None,
                                 "d_objects": r["objects"] - o["objects"] if last is not None and s["complete"] else None})
            last = s["of"]["by_class"] if s["complete"] else last
        self.same("heapshot_history", rows, "shot", "class")
        self.reached()

    def reached(self):
        """From which class of root and with which path nothing else can tell; what the paths add up to, the graph does."""
        a = self.a
        if not a.shots[-1]["complete"]:
            return
        by_class, todo, seen = collections.Counter(n for n, _ in a.graph.values()), [o for o in a.graph_roots if o in a.graph], set()
        while todo:
            o = todo.pop()
            if o not in seen:
                seen.add(o)
                todo += [to for to in a.graph[o][1] if to in a.graph]
        sums = collections.Counter()
        for r in self.have["heapshot_paths"]:
            sums[r["class"]] += r["objects"]
        rows = [{"class": r["class"], "path": r["path"], "objects": r["objects"], "class_bytes": a.shots[-1]["of"]["by_class"][r["class"]]["bytes"],
                 "share": share(r["objects"], by_class[r["class"]])} for r in self.have["heapshot_paths"] if sums[r["class"]] == by_class[r["class"]]]
        have = [r for r in self.have["heapshot_paths"] if sums[r["class"]] == by_class[r["class"]]]
        compare(self.name, "heapshot_paths", have, rows, "class", "path")
        rows = [dict(r, share=share(r["reached"], len(a.graph))) for r in self.have["heapshot_roots"]]
        compare(self.name + ": all of them", "heapshot_roots", [{"references": sum(r["references"] for r in self.have["heapshot_roots"]),
                                                                 "reached": sum(r["reached"] for r in self.have["heapshot_roots"])}],
                [{"references": sum(o in a.graph for o in a.graph_roots), "reached": len(seen)}])
        compare(self.name + ": share", "heapshot_roots", self.have["heapshot_roots"], [{"root": r["root"], "share": r["share"]} for r in rows], "root")

    # --- handles, finalizers

    def handles(self):
        kinds, sites = {}, {}
        live = {}
        for time, _, action, kind, number, place in sorted(self.a.handle_events):
            name = KINDS[kind] if kind < 4 else "(other)"
            of = kinds.setdefault(name, {"kind": name, "created": 0, "destroyed": 0, "live": 0, "most": 0, "unknown": 0})
            of[action] += 1
            old = live.pop((kind, number), None)
            if action == "created":
                site = sites.setdefault((place, name), {"marker": place, "kind": name, "created": 0, "destroyed": 0, "live": 0, "took": []})
                site["created"] += 1
                site["live"] += 1
                if old:
                    old[0]["live"] -= 1
                live[kind, number] = site, time
                of["live"] += old is None
                of["most"] = max(of["most"], of["live"])
            elif old:
                of["live"] -= 1
                old[0]["live"] -= 1
                old[0]["destroyed"] += 1
                old[0]["took"].append(max(0, time - old[1]))
            else:
                of["unknown"] += 1
        self.same("handles", list(kinds.values()), "kind")
        for s in sites.values():
            took = s.pop("took")
            s.update(mean_ns=mean(sum(took), len(took)), max_ns=max(took, default=None))
        self.same("handle_sites", list(sites.values()), "marker", "kind")

    def finalizers(self):
        def row(events):
            took = [e[4] for e in events if e[4] is not None]
            return dict(times(took), count=len(events), total_ns=sum(took) if took else None, p95_ns=from_histogram(took, 950))
        by, classes = collections.defaultdict(list), collections.defaultdict(list)
        for e in self.a.final_events:
            by["object" if e[0] == "object" else "run"].append(e)
            if e[0] == "object":
                classes[e[1]].append(e)
        self.same("finalizers", [dict(row(v), what=k) for k, v in by.items()], "what")
        self.same("finalizer_classes", [dict(row(v), **{"class": k}) for k, v in classes.items()], "class")

    # --- waits and throws

    def contention(self):
        a = self.a
        if not a.waits:
            return
        ended = [w for w in a.waits if w["took"] is not None]
        whole = sum(w["took"] for w in ended)

        def row(waits, with_share=True):
            took = [w["took"] for w in waits if w["took"] is not None]
            return dict(times(took), waits=len(took), wait_ns=sum(took) if took else None, p95_ns=from_histogram(took, 950), contended=len(waits),
                        failed=sum(w["failed"] for w in waits), **({"share": share(sum(took), whole)} if with_share and took else {}))
        one = dict(row(a.waits, False), unfinished=len(a.waits) - len(ended), locks=len({w["lock"] for w in a.waits}))
        one.update((c, sum(k[c] for k in a.locks)) for c in ("acquired", "failed"))
        self.same("contention", [one])
        by = collections.defaultdict(list)
        for w in a.waits:
            by[w["lock"]].append(w)
        rows = [dict(row(v), lock="0x%x" % a.locks[k]["address"], first_ns=a.at(min(w["time"] for w in v)), process=1,
                     acquired=a.locks[k]["acquired"], failed=a.locks[k]["failed"], threads=len({w["thread"] for w in v})) for k, v in by.items()]
        self.same("contention_locks", rows, "lock", "first_ns")
        for table, keys in (("contention_sites", lambda w: {"marker": w["place"]}),
                            ("contention_paths", lambda w: {"path": w["path"], "thread": self.row_of(w["thread"])["thread"]})):
            by = collections.defaultdict(list)
            for w in a.waits:
                by[w["thread"] if "thread" in keys(w) else None, *keys(w).values()].append(w)
            rows = [dict(row(v), **keys(v[0])) for v in by.values()]
            for of in (rows, self.have[table]):         # threads may share a name
                of.sort(key=lambda r: (r["waits"], r["wait_ns"] or 0))
            self.same(table, rows, *keys(a.waits[0]))

    def exceptions(self):
        throws = self.a.throws_of

        def row(of):
            took = [t["took"] for t in of if t["took"] is not None]
            return {"count": len(of), "share": share(len(of), len(throws)), "caught": len(took), "mean_ns": mean(sum(took), len(took)),
                    "max_ns": max(took, default=None)}
        for table, keys in (("exceptions", lambda t: {"type": t["type"]}), ("exception_sites", lambda t: {"marker": t["place"], "type": t["type"]}),
                            ("exception_paths", lambda t: {"path": t["path"], "thread": self.row_of(t["thread"])["thread"], "type": t["type"]})):
            by = collections.defaultdict(list)
            for t in throws:
                by[tuple(keys(t).values())].append(t)
            more = (lambda v: {"sites": len({t["place"] for t in v})}) if table == "exceptions" else lambda v: {}
            if throws:
                self.same(table, [dict(row(v), **keys(v[0]), **more(v)) for v in by.values()], *keys(throws[0]))

    # --- samples and code

    def samples(self):
        hits = self.a.hits_of
        if not hits:
            return
        own, total = collections.Counter(), collections.Counter()
        for _, _, names in hits:
            own[names[0] if names else "(native)"] += 1
            total.update(set(names) or {"(native)"})
        self.same("samples", [{"marker": n, "self": own[n], "total": t, "self_share": share(own[n], len(hits)), "total_share": share(t, len(hits))}
                              for n, t in total.items()], "marker")
        by = collections.defaultdict(list)
        for h in hits:
            by[h[0]].append(h)
        rows = []
        for t, of in by.items():
            r = self.row_of(t)
            rows.append({"thread": r["thread"], "number": r["number"], "samples": len(of), "share": share(len(of), len(hits)),
                         "managed": sum(bool(n) for _, _, n in of), "waiting": sum(any(w in name for name in n for w in WAITERS) for _, _, n in of)})
        self.same("sample_threads", rows, "number")
        paths = collections.Counter((" > ".join(n[::-1][-64:]) or "(native)", self.row_of(t)["thread"]) for t, _, n in hits)
        self.same("sample_paths", [{"path": p, "thread": t, "samples": n, "share": share(n, len(hits))} for (p, t), n in paths.items()], "path", "thread")
        category = {r["marker"]: r["category"] for r in self.have["samples"]}
        category["(native)"] = "(native)"
        own, total = collections.Counter(), collections.Counter()
        for _, _, names in hits:
            own[category[names[0] if names else "(native)"]] += 1
            total.update({category[n] for n in names or ["(native)"]})
        self.same("sample_categories", [{"category": c, "self": own[c], "total": t, "self_share": share(own[c], len(hits)),
                                         "total_share": share(t, len(hits))} for c, t in total.items()], "category")

    def native(self):
        """Addresses by the code that contains them, or by the nearest symbol at most 4096 bytes below."""
        a = self.a
        if not a.sampled:
            return
        helpers = {start: (size, kind) for kind, start, size in a.helper_list}
        symbols, starts, pieces = sorted(a.symbol_at), sorted(a.code), sorted(helpers)
        rows = collections.defaultdict(lambda: [0, 0])
        for _, _, names, ip in a.sampled:
            i, k, h = (bisect.bisect_right(of, ip) - 1 for of in (starts, symbols, pieces))
            if i >= 0 and ip < starts[i] + a.code[starts[i]][0]:
                key = "method"
            elif h >= 0 and ip < pieces[h] + helpers[pieces[h]][0]:
                key = "helper"
            else:
                key = "symbol" if k >= 0 and ip - symbols[k] <= 4096 else "unknown"
            rows[key][0] += 1
            rows[key][1] += not names
        have = collections.defaultdict(lambda: [0, 0])
        for r in self.have["sample_native"]:
            have[r["kind"]][0] += r["samples"]
            have[r["kind"]][1] += r["native"]
        as_rows = lambda of: [{"kind": k, "samples": n, "native": none} for k, (n, none) in of.items()]      # noqa: E731
        compare(self.name, "sample_native", as_rows(have), as_rows(rows), "kind")
        compare(self.name + ": share", "sample_native", self.have["sample_native"],
                [{"code": r["code"], "kind": r["kind"], "share": share(r["samples"], len(a.sampled)), "process": 1} for r in self.have["sample_native"]],
                "code", "kind")

    def code(self):
        a = self.a
        last = {}
        for address, code, size, name, at in a.code_of:
            last[address] = (code, size, name, at)
        coded = {k: v for k, v in last.items() if v[0] and v[1]}
        sizes = [v[1] for v in coded.values()]
        helpers = collections.defaultdict(list)
        for kind, _, size in a.helper_list:
            helpers[HELPERS[kind] if kind < len(HELPERS) else "(other)"].append(size)
        self.same("jit_helpers", [{"kind": k, "count": len(v), "bytes": sum(v)} for k, v in helpers.items()], "kind")
        of = collections.defaultdict(lambda: None, {k["name"]: k["last"] * slow.unit_of(k)[1] for k in a.counters.values() if k["samples"] and
                                                    isinstance(k["last"], int)})
        if self.have["jit"] and of["Compiled methods"] is not None:
            more = [(k, s) for k, _, s in a.helper_list if k]
            self.same("jit", [{"jit_ns": of["Total time spent JITting"], "compiled": of["Compiled methods"], "aot": of["Methods from AOT"],
                               "helpers": len(more), "helper_bytes": sum(s for _, s in more), "methods": len(a.seen["method"])}])
        if self.have["jit"] and len(a.code_of) == len(last):
            row = {"with_code": len(coded), "code_bytes": sum(sizes), "mean_bytes": mean(sum(sizes), len(sizes)), "max_bytes": max(sizes, default=None),
                   "process": 1}
            if not a.helper_list:
                row.update(helpers=0, helper_bytes=0)
            if sizes:
                self.same("jit", [row])
                self.same("jit_methods", [{"marker": n, "bytes": size, "address": "0x%x" % c, "time_ns": at, "process": 1}
                                          for c, size, n, at in coded.values()], "marker", "address")

    def counters(self):
        """What the descriptions say, by the names of the sections, units and variances of Mono's counters."""
        a, rows = self.a, []
        for index, k in a.counters.items():
            if not k["samples"] or k["kinds"] == {6}:
                continue
            variance = a.variances.get((k["name"], index), 0)
            rows.append({"counter": k["name"], "section": k["section_name"] or slow.SECTIONS.get(k["section"]), "unit": slow.unit_of(k)[0],
                         "kind": VARIANCES.get(variance >> 28), "id": "0x%x" % index, "count": len([v for _, v in k["points"] if isinstance(v, (int, float))])})
        ours = {r["id"] for r in rows}
        if not a.replaced_counters:
            compare(self.name, "counters", [r for r in self.have["counters"] if r["id"] in ours], rows, "id")

    def sites(self):
        """Allocations by site and class, where each has a site that is not the class library's own helper."""
        a, by = self.a, collections.defaultdict(list)
        for o in a.found:
            by[o["site"], o["class"]].append(o["bytes"])
        whole = sum(map(sum, by.values()))
        if by:
            have = tables(self.path, ["alloc_sites"], "--names", "full", "--wrappers")["alloc_sites"]
            compare(self.name, "alloc_sites", have, [{"marker": m, "class": c, "bytes": sum(v), "count": len(v), "share": share(sum(v), whole),
                                                      "mean_bytes": mean(sum(v), len(v))} for (m, c), v in by.items()], "marker", "class")

    def track(self):
        """The record of an allocation whose address is used once."""
        uses = collections.Counter(o["object"] for o in self.a.found)
        once = [o for o in self.a.found if uses[o["object"]] == 1 and o["object"] != "0x0"]
        for o in lot.draw("track", self.name).sample(once, min(2, len(once))):
            have = tables(self.path, ["objects_tracked"], "--names", "full", "--wrappers", "--track", o["object"])["objects_tracked"]
            want = dict({k: v for k, v in o.items() if k != "site"}, asked=o["object"], what="allocated", thread=self.row_of(o["thread"])["thread"])
            compare(self.name, "objects_tracked", [r for r in have if r["what"] == "allocated"], [want], "object")

    def objects(self):
        """Allocations of 64 bytes and more, by address, time and thread."""
        a, want = self.a, []
        for o in a.found:
            if o["bytes"] >= 64:
                want.append(dict({k: v for k, v in o.items() if k != "site"}, thread=self.row_of(o["thread"])["thread"]))
        if want:
            have = tables(self.path, ["objects_found"], "--names", "full", "--wrappers", "--find", "S:64")["objects_found"]
            compare(self.name, "objects_found", have, want, "object", "time_ns", "bytes")

    def screen(self):
        """The methods with most samples, without those that wait."""
        a = self.a
        if not a.hits_of:
            return
        p = subprocess.run([TRACETOOL, "--format", "json", "--names", "full", self.path], capture_output=True, text=True, errors="replace")
        have = json.loads(p.stdout)["tables"].get("capture_samples", {"rows": []})["rows"]
        leaf = lambda names: next((n for n in names if "(wrapper alloc)" not in n and "__icall_wrapper_" not in n), "(native)")       # noqa: E731
        own = collections.Counter(leaf(n) for _, _, n in a.hits_of if not any(w in name for name in n for w in WAITERS))
        shown = {r["method"] for r in have}
        compare(self.name, "capture_samples", have, [{"method": n, "samples": k, "share": share(k, sum(own.values()))} for n, k in own.items() if n in shown],
                "method")

    def assemblies(self):
        """The category of a method whose class is in one image alone is that image's name; other rules are for other methods."""
        a, images = self.a, {ident: name for action, kind, ident, name, _, _ in self.a.loads if action == "load" and kind == 2}
        of = collections.defaultdict(set)
        for action, kind, _, name, link, _ in a.loads:
            if action == "load" and kind == 1 and link in images:
                of[name].add(re.sub(r"\.(dll|exe)$", "", re.split(r"[/\\]", images[link])[-1]))
        for table, key in (("samples", "marker"), ("exception_clauses", "marker"), ("jit_methods", "marker")):
            rows = []
            for r in self.have.get(table, []):
                found = re.match(r"([\w.]+):[\w.]+ \(", r[key])
                if found and len(of.get(found.group(1), ())) == 1:
                    rows.append({key: r[key], "category": list(of[found.group(1)])[0]})
            names = {r[key] for r in rows}
            compare(self.name, table, [r for r in self.have.get(table, []) if r[key] in names], rows, key)

    # --- over time

    def timeline(self):
        a, rows = self.a, self.have["timeline"]
        if self.capture.damage or self.capture.version < 13:
            return
        inside = lambda times_, r: sum(r["from_ns"] <= t < r["to_ns"] for t in times_)        # noqa: E731
        events = {"throws": [a.at(t["time"]) for t in a.throws_of], "contended": [a.at(w["time"]) for w in a.waits],
                  "samples": [h[1] for h in a.hits_of], "handles": [a.at(h[0]) for h in a.handle_events if h[2] == "created"],
                  "collections": [g[0] for g in a.gcs]}
        want = []
        for r in rows:
            row = {"from_ns": r["from_ns"]}
            row.update((c, inside(of, r)) for c, of in events.items() if of)
            if a.moved:
                row["moves"] = sum(n for t, n in a.moved if r["from_ns"] <= t < r["to_ns"])
            if a.waits:
                row["wait_ns"] = sum(w["took"] or 0 for w in a.waits if r["from_ns"] <= a.at(w["time"]) < r["to_ns"])
            if a.worlds:
                row["pause_ns"] = sum(max(0, min(to, r["to_ns"]) - max(begin, r["from_ns"])) for _, begin, _, to in a.worlds)
            sizes = [n for t, n in sorted(a.heap, key=lambda h: h[0]) if t < r["to_ns"]]
            row["heap_bytes"] = sizes[-1] if sizes else None
            want.append(row)
        self.same("timeline", want, "from_ns")

    def every(self):
        for part in (self.collections, self.heap_shots, self.handles, self.finalizers, self.contention, self.exceptions, self.samples, self.native,
                     self.code, self.counters, self.objects, self.sites, self.assemblies, self.track, self.screen, self.timeline):
            part()


suite = Suite()
for name in NAMES:
    Check(name, os.path.join(TESTDATA, "mlpd", "good-%s.mlpd" % name)).every()
# Versions and seeds: two that have every figure, and some drawn by lot.
for version, seed in [(17, 1), (14, 2)] + [(v, lot.draw("rare", v).randrange(1000)) for v in lot.some(range(13, 18), 1, "rare")]:
    path = suite.path("made.mlpd")
    subprocess.run([sys.argv[1], str(version), "8", str(seed), path], check=True)
    Check("made, version %d, seed %d" % (version, seed), path).every()
end(suite, "oracle/rare_columns")
