#!/usr/bin/env python3
"""Objects that are found and tracked, against the independent reader; counters in buckets against their values.

    objects.py TRACETOOL

- stats --find lists every allocation that fits, with the moves the reader follows it through and where it ends up.
- stats --track lists, in order, where an object went.
- counter_timeline is what the values of counter_values, which oracle/compare holds against the reader, come to.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import subprocess
import sys

import mlpd

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, fault
from suite import TESTDATA

DATA = os.path.join(TESTDATA, "mlpd")


def differ(have, want):
    if have == want:
        return None
    return "tracetool has %d, the reader %d; for example %s and %s" % (
        len(have), len(want), [x for x in have if x not in want][:2], [x for x in want if x not in have][:2])


def rows(path, table, *more):
    p = subprocess.run([sys.argv[1], "stats", "-q", "--format", "json", "--table", table, *more, path], capture_output=True,
                       text=True, timeout=300)
    if p.returncode not in (0, 3):
        raise AssertionError("%s: %s" % (more, p.stderr))
    return json.loads(p.stdout)["tables"][table]["rows"]


class Follower:
    """Objects by address, through moves; an address that is allocated again is another object."""

    def __init__(self, capture):
        self.all, self.at, self.trace = [], {}, collections.defaultdict(list)
        for _tid, e in capture.events:
            if e[0] == "alloc":
                o = [e[3], capture.class_name(e[2], e[1]), e[4], 0, e[3]]
                self.all.append(o)
                self.at[e[3]] = o
            elif e[0] == "gc_moves":
                pairs = [(a, b) for a, b in zip(e[2][::2], e[2][1::2]) if a != b]
                gone = [(self.at.pop(a), b) for a, b in pairs if a in self.at]
                for o, b in gone:
                    o[3:] = [o[3] + 1, b]
                    self.trace[o[0]].append(b)
                    self.at[b] = o


def objects(name, path):
    with open(path, "rb") as f:
        capture = mlpd.Capture(f.read())
    f = Follower(capture)
    fits = {"S:100": lambda o: o[2] >= 100, "S:1": lambda o: True, "T:*String*": lambda o: "String" in (o[1] or ""),
            "T:re:^System\\.": lambda o: (o[1] or "").startswith("System.")}
    for spec, of in fits.items():
        have = sorted([int(r["object"], 16), r["class"], r["bytes"], r["moves"], int(r["now"], 16)]
                      for r in rows(path, "objects_found", "--find", spec))
        fault("%s: --find %s" % (name, spec), differ(have, sorted(o for o in f.all if of(o))))
    moved = [o for o in f.all if o[3]]
    once = collections.Counter(o[0] for o in f.all)
    for o in moved[::max(1, len(moved) // 12)]:
        if once[o[0]] > 1:
            continue
        got = rows(path, "objects_tracked", "--track", "0x%x" % o[0])
        to = [int(r["object"], 16) for r in got if r["what"] == "moved"]
        fault("%s: --track 0x%x" % (name, o[0]), differ(to[:o[3]], f.trace[o[0]]) or
              ("not allocated there" if "allocated" not in [r["what"] for r in got] else None))
    return len(moved)


def counters(name, path):
    for buckets in ("1", "7", "60"):
        values, want = collections.defaultdict(list), {}
        for r in rows(path, "counter_values"):
            values[(r["counter"], r["section"])].append((r["time_ns"], r["value"]))
        have = collections.defaultdict(list)
        spans = set()
        for r in rows(path, "counter_timeline", "--buckets", buckets):
            have[(r["counter"], r["section"])].append((r["from_ns"], r["last"], r["min"], r["max"], r["values"], r["delta"]))
            spans.add((r["from_ns"], r["to_ns"]))
        for key, points in values.items():
            out, last = [], None
            for a, b in sorted(spans):
                new = [v for t, v in points if a <= t < b]
                seen = ([last] if last is not None else []) + new
                if not seen or None in seen:
                    continue
                out.append((a, seen[-1], min(seen), max(seen), len(new), seen[-1] - last if last is not None else None))
                last = seen[-1]
            want[key] = out
        same_name = collections.Counter(r["counter"] + "/" + r["section"] if r["section"] else r["counter"] for r in rows(path, "counters"))
        for key in want:
            if same_name["/".join(k for k in key if k)] == 1 and have[key]:
                near = [(h, w) for h, w in zip(have[key], want[key]) if h[:5] != w[:5] or (h[5] or 0) - (w[5] or 0) > 1e-2]
                fault("%s: %s in %s" % (name, key[0], buckets), near[:2] or (len(have[key]) != len(want[key]) and "other rows"))


def main():
    moved = 0
    for name in ("d01-gameloop-calls-alloc", "d03-alloc-bt", "d06-gcmoves-handles"):
        moved += objects(name, os.path.join(DATA, "good-%s.mlpd" % name))
    fault("objects that move", None if moved > 100 else "only %d" % moved)
    counters("d10", os.path.join(DATA, "good-d10-counters-zip.mlpd"))
    end()


if __name__ == "__main__":
    main()
