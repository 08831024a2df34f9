#!/usr/bin/env python3
"""pprof output in the real `go tool pprof`: see pprof.sh.

    pprof_check.py TRACETOOL [CAPTURE...]
"""
import json
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict

from common import ORACLE, Failure, captures, check_all, run, same

LABEL = re.compile(r"(\w+):\[(.*?)\](?= \w+:\[|$)")


def pprof(path, *options):
    with tempfile.TemporaryDirectory() as d:
        env = dict(os.environ, PPROF_TMPDIR=d)
        return run("go", "tool", "pprof", "-symbolize=none", *options, path, env=env)


class Profile:
    """What -raw prints."""

    def __init__(self, text):
        self.types, self.samples, self.functions, self.comments, self.shown = [], [], {}, [], None
        part = None
        for line in text.splitlines():
            if line in ("Samples:", "Locations", "Mappings"):
                part = line
            elif line.startswith("Comment: "):
                self.comments.append(line[len("Comment: "):])
            elif part == "Samples:" and not self.types:
                for t in line.split():
                    self.types.append(t.replace("[dflt]", "").split("/")[0])
                    if t.endswith("[dflt]"):
                        self.shown = self.types[-1]
            elif part == "Samples:":
                self.sample(line)
            elif part == "Locations":
                m = re.match(r"\s*(\d+): 0x0 (?:M=1 )?(.*) :0(?::0)? s=0\(?.*$", line)
                if not m:
                    raise Failure("a location that reads %r" % line)
                self.functions[int(m.group(1))] = m.group(2)

    def sample(self, line):
        m = re.match(r"\s*((?:-?\d+ *)+):((?: \d+)*) *$", line)
        if m:
            self.samples.append(([int(v) for v in m.group(1).split()], [int(i) for i in m.group(2).split()], {}))
        else:
            self.samples[-1][2].update(LABEL.findall(line.strip()))

    def leaves(self, value):
        """Sums of a value by innermost function."""
        out = Counter()
        if value in self.types:
            i = self.types.index(value)
            for values, stack, _ in self.samples:
                if values[i] and stack:
                    out[self.functions[stack[0]]] += values[i]
        return +out

    def labels(self, value, label):
        out = Counter()
        if value in self.types:
            i = self.types.index(value)
            for values, _, labels in self.samples:
                if values[i]:
                    out[labels.get(label)] += values[i]
        return +out

    def total(self, value):
        return sum(v[self.types.index(value)] for v, _, _ in self.samples) if value in self.types else 0


def known(counts):
    """Without what has no name: the two readers call it differently."""
    return Counter({k: v for k, v in counts.items() if v and not str(k).startswith(("(un", "0x", "None"))})


def check_calls(p, want):
    methods = dict(want["calls"]["by_method"])
    methods.update(want["calls"]["zones"])
    same("calls", known(p.leaves("calls")), known(Counter({n: m["count"] for n, m in methods.items()})))
    same("self time", known(p.leaves("wall")), known(Counter({n: m["self_ns"] for n, m in methods.items()})))


def check_allocs(p, want):
    alloc = want["alloc"]
    same("allocated bytes", p.total("alloc_space"), alloc["bytes"])
    same("allocated objects", p.total("alloc_objects"), alloc["count"])
    same("bytes by class", known(p.labels("alloc_space", "class")),
         known(Counter({n: c["bytes"] for n, c in alloc["by_class"].items()})))
    by_thread = defaultdict(int)
    names = {"%s#%d" % (t["tid"], t["generation"]): t["name"] for t in want["threads"]}
    for tid, c in alloc["by_thread"].items():
        by_thread[names.get(tid) or None] += c["bytes"]
    have = p.labels("alloc_space", "thread")
    same("bytes by named thread", Counter({n: have.get(n, 0) for n in by_thread if n}),
         Counter({n: b for n, b in by_thread.items() if n}))


def check_samples(p, want):
    hits = want["samples"]
    same("samples with a stack", p.total("samples"), hits["with_managed_stack"])
    same("samples by leaf", known(p.leaves("samples")),
         known(Counter({n: v for n, v in hits["leaves"].items() if not n.startswith("[")})))


def check_again(path, p):
    """pprof-format reads the same out of the same bytes."""
    have = json.loads(run("node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "pprof.mjs"), path))
    same("types of values, by pprof-format", have["types"], p.types)
    same("samples, by pprof-format", have["samples"], len(p.samples))
    for value in p.types:
        leaves = Counter({k: int(v) for k, v in have["leaves"].get(value, {}).items()})
        same(value + " by leaf, by pprof-format", +leaves, p.leaves(value))
        labels = have["labels"].get(value, {})
        for label in ("thread", "class"):
            want = p.labels(value, label)
            want.pop(None, None)
            same("%s by %s, by pprof-format" % (value, label), +Counter({k: int(v) for k, v in labels.get(label, {}).items()}), want)


def check_views(path, p):
    """The views people use: they must come out, and the top one be the largest."""
    top = pprof(path, "-top", "-nodecount=5")
    pprof(path, "-traces", "-nodecount=50")
    pprof(path, "-top", "-tagroot=thread")
    flat = p.leaves(p.shown)
    if flat and flat.most_common(1)[0][1] > 0:
        rows = top.split("cum%\n", 1)[1].splitlines()
        if rows:
            first = rows[0].split("%", 3)[3].strip()
            if flat[first] != flat.most_common(1)[0][1]:
                raise Failure("-top begins with %s, not %s" % (first, flat.most_common(1)[0]))


def main(tracetool, *files):
    def check(path):
        want = json.loads(run(sys.executable, ORACLE, path))
        with tempfile.TemporaryDirectory() as d:
            for name in ("out.pb.gz", "out.pb"):
                to = os.path.join(d, name)
                run(tracetool, "convert", "-q", "--wrappers", "-o", to, path)
                p = Profile(pprof(to, "-raw"))
            check_again(to, p)
            check_calls(p, want)
            check_allocs(p, want)
            check_samples(p, want)
            check_views(to, p)
            if "gameloop" in path:
                run(tracetool, "convert", "-q", "--time", "0.1-0.35", "-o", to, path)
                if "Duration: 250ms" not in pprof(to, "-top"):
                    raise Failure("the duration of 250 ms that --time chose is another one")
            if not any(c.startswith("generator: tracetool") for c in p.comments):
                raise Failure("no generator among the comments")

    return check_all(captures(list(files)), check)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
