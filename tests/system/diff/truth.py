"""Computes what a capture did without tracetool's own sums.

A Capture is made in one of two ways: Script builds one call by call and writes it with calls_gen, so every ns is known
beforehand; from_csv() takes the zones, one by one, of `tracetool convert -f csv`.
"""
import csv
import functools
import io
import json
import re
import subprocess
from collections import Counter, defaultdict

REST = "(in no marker)"


def fold_thread(name):
    """A thread's name without its number."""
    m = re.fullmatch(r"(.*?)[ #\-_.:]*(?:\d+|\(\d+\))", name, re.S)
    return m.group(1) if m and m.group(1) else name


class Capture:
    def __init__(self):
        self.zones = defaultdict(list)    # thread name: (start, end, path)
        self.allocs = []                  # (time, site, class, bytes)
        self.marks = []                   # where frames begin
        self.frame_thread = None

    def span(self):
        return (self.marks[0], self.marks[-1]) if len(self.marks) > 1 else None

    def frames(self):
        """Lengths of the whole frames."""
        return [b - a for a, b in zip(self.marks, self.marks[1:]) if b > a]

    @functools.cache
    def paths(self):
        """{(thread, path): [calls, self ns]}, in the frames where there are any; the frame thread is called None."""
        out = defaultdict(lambda: [0, 0])
        lo, hi = self.span() or (-2**63, 2**63)

        def inside(start, end):
            return max(0, min(end, hi) - max(start, lo))

        for thread, zones in self.zones.items():
            name = None if self.marks and thread == self.frame_thread else fold_thread(thread)
            for start, end, path in zones:
                own = out[(name, path)]
                own[0] += lo <= start < hi
                own[1] += inside(start, end)
                if len(path) > 1:
                    out[(name, path[:-1])][1] -= inside(start, end)
        if self.marks:
            busy = sum(v[1] for (thread, _), v in out.items() if thread is None)
            out[(None, (REST,))] = [0, hi - lo - busy]
        return out

    def sites(self):
        """{(site, class): [allocations, bytes]}"""
        out = defaultdict(lambda: [0, 0])
        lo, hi = self.span() or (-2**63, 2**63)
        for time, site, cls, size in self.allocs:
            if lo <= time < hi:
                out[(site, cls)][0] += 1
                out[(site, cls)][1] += size
        return out


class Script(Capture):
    """Calls on threads that each have a clock of their own."""
    made = 0

    def __init__(self, frame_thread="Main", image="/game/Game.dll"):
        super().__init__()
        self.image = image
        self.lines = []
        self.id = {}
        self.now = Counter()
        self.stack = defaultdict(list)
        self.frame_thread = frame_thread
        self.frame_marker = "Game:Tick"
        self.number("image", image)
        self.number("thread", frame_thread)

    def number(self, kind, name):
        if (kind, name) not in self.id:
            n = len(self.id) + 1 if kind != "thread" else sum(k == "thread" for k, _ in self.id)
            self.id[(kind, name)] = n
            if kind == "class":
                self.lines.append("class\t%d\t%d\t%s" % (n, self.id[("image", self.image)], name))
            else:
                self.lines.append("%s\t%d\t%s" % (kind, n, name))
            if kind == "method" and ":" in name:
                self.number("class", name.split(":")[0])      # its category is the class's image
        return self.id[(kind, name)]

    def enter(self, name, thread="Main"):
        m, t = self.number("method", name), self.number("thread", thread)
        self.lines.append("enter\t%d\t%d\t%d" % (self.now[thread], t, m))
        self.stack[thread].append((name, self.now[thread]))
        if name == self.frame_marker and thread == self.frame_thread:
            self.marks.append(self.now[thread])

    def leave(self, thread="Main"):
        path = tuple(n for n, _ in self.stack[thread])
        name, start = self.stack[thread].pop()
        self.lines.append("leave\t%d\t%d\t%d" % (self.now[thread], self.number("thread", thread), self.number("method", name)))
        self.zones[thread].append((start, self.now[thread], path))

    def work(self, ns, thread="Main"):
        self.now[thread] += ns

    def call(self, name, ns, thread="Main"):
        self.enter(name, thread)
        self.work(ns, thread)
        self.leave(thread)

    def alloc(self, cls, size, thread="Main"):
        self.lines.append("alloc\t%d\t%d\t%d\t%d" % (self.now[thread], self.number("thread", thread), self.number("class", cls), size))
        self.allocs.append((self.now[thread], self.stack[thread][-1][0] if self.stack[thread] else None, cls, size))

    def write(self, gen, path, killed=False, version=14):
        """${killed}: no thread ends, and what is open stays so."""
        for thread in [n for k, n in self.id if k == "thread" and not killed]:
            while self.stack[thread]:
                self.leave(thread)
            self.lines.append("end\t%d\t%d" % (self.now[thread], self.number("thread", thread)))
        Script.made += 1
        subprocess.run([gen, path, str(Script.made), str(version)], input=("\n".join(self.lines) + "\n").encode("utf-8", "surrogateescape"), check=True)
        return path


def from_csv(tracetool, path, frame_marker=None):
    def run(*args):
        return subprocess.run([tracetool, *args, "-q", path], capture_output=True, text=True, check=True).stdout

    c = Capture()
    rows = json.loads(run("stats", "--table", "threads", "--format", "json"))["tables"]["threads"]["rows"]
    # With the engine's group, which the name has where two groups have it.
    names = {str(r["number"]): r["thread"] if not r["group"] or r["thread"].startswith(r["group"] + ".") else "%s.%s" % (r["group"], r["thread"])
             for r in rows}
    # Threads of one name are told apart while their stacks are built.
    events = list(csv.DictReader(io.StringIO(run("convert", "--names", "full", "-f", "csv", "-o", "-")), strict=True))
    zones, newest, marks = defaultdict(list), Counter(), defaultdict(list)
    for i, e in enumerate(events):
        if e["kind"] == "zone":
            # The file is in order of begin, but for zones that end in a later piece of it: those stand there.
            start = int(e["start_ns"])
            late = start < newest[e["thread"]]
            newest[e["thread"]] = max(newest[e["thread"]], start)
            zones[e["thread"]].append(((start, not late, int(e["depth"]) if late else i), start, int(e["depth"]),
                                       int(e["dur_ns"]), e["name"]))
            if frame_marker and e["name"].split(" (")[0].split(".")[-1] == frame_marker:
                marks[e["thread"]].append(int(e["start_ns"]))
        elif e["kind"] == "frame" and not frame_marker:
            marks[e["thread"]].append(int(e["start_ns"]))
    frame = max(marks, key=lambda t: (len(marks[t]), -int(t)), default=None)
    for thread, list_ in zones.items():
        stack = []
        name = names[thread]
        if thread == frame:
            # Only one thread is the frame thread, whoever else has its name.
            c.marks, c.frame_thread = sorted(marks[frame]), "\0frame"
            name = "\0frame"
        for _, start, depth, dur, marker in sorted(list_):
            # What a hidden wrapper calls stands as deep as in the wrapper's sibling before.
            while stack and (stack[-1][0] >= depth or stack[-1][1] < start):
                stack.pop()
            stack.append((depth, start + dur, marker))
            c.zones[name].append((start, start + dur, tuple(m for _, _, m in stack)))
    return c
