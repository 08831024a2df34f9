#!/usr/bin/env python3
"""What --player-only leaves of a game that runs in the Editor: every figure of markers, frames, threads, allocations, collections and time is
without the Editor's zones and all inside them. Own sums from the nesting of zones, in our recorder's captures and in Unity's own."""
import copy
import hashlib
import json
import random
import struct

from raw_log import MAIN, MS, SESSION, Log, state, thread
from ttc import Capture, Suite

US, START, WORKER = 10 ** 3, 100 * MS, 101
FRAMES, LENGTH = 60, 20 * MS
NAMES = ["Session", "Frame", "PlayerLoop", "Script", "Preview", "GC.Collect", "EditorLoop", "Inspector", "Semaphore.WaitForSignal", "GC.Alloc", "Job"]
SESSION_ZONE, FRAME, LOOP, SCRIPT, PREVIEW, COLLECT, EDITOR, INSPECTOR, WAIT, ALLOC, JOB = range(11)
FLAGS = {PREVIEW: 4}                                      # available in the Editor only
suite = Suite()


class Game:
    """Events of two threads in order: (0, ts, marker) begins, (1, ts, marker) ends, (2, ts, bytes) allocates."""

    def __init__(self, seed, crosses):
        rng = random.Random(seed)
        self.marks = [k * LENGTH for k in range(FRAMES + 1)]
        self.main, self.worker = [(0, 0, SESSION_ZONE)], []
        for at in self.marks[:-1]:
            self.frame(rng, at, crosses)
            job = at + rng.randrange(5) * MS
            body = [(2, job + 10 * US, 24)] + (self.zone(COLLECT, job + 50 * US, job + 90 * US) if rng.random() < .2 else [])
            edit = [(2, job + 3 * MS, 1000)] + self.zone(JOB, job + 3 * MS + 5 * US, job + 3 * MS + 9 * US)
            self.worker += self.zone(JOB, job, job + 2 * MS, body) + self.zone(PREVIEW, job + 3 * MS, job + 4 * MS, edit)
        self.main.append((1, self.marks[-1] + MS, SESSION_ZONE))

    @staticmethod
    def zone(marker, a, b, inside=()):
        return [(0, a, marker), *inside, (1, b, marker)]

    def frame(self, rng, at, crosses):
        a = at + 500 * US
        script, preview = rng.randrange(1, 5) * MS, rng.randrange(2) * 700 * US
        inside = [(2, a + 200 * US, 40)]
        if rng.random() < .3:
            inside += self.zone(COLLECT, a + 210 * US, a + 400 * US)
        inside += self.zone(PREVIEW, a + 500 * US, a + 500 * US + preview, self.zone(SCRIPT, a + 500 * US, a + 500 * US + preview, [
            (2, a + 500 * US + preview, 300)]))
        end = a + 200 * US + script + preview
        editor = rng.randrange(1, 6) * MS
        edit = [(2, end + 20 * US, 5000)] + (self.zone(COLLECT, end + 30 * US, end + 530 * US) if rng.random() < .3 else [])
        edit += self.zone(INSPECTOR, end + 600 * US, end + 700 * US, self.zone(SCRIPT, end + 600 * US, end + 650 * US))
        edit += self.zone(WAIT, end + 710 * US, end + 800 * US)
        last = at + LENGTH + 300 * US if crosses and rng.random() < .5 else end + editor
        self.main += self.zone(FRAME, a - 100 * US, end + (0 if crosses else editor + 100 * US), self.zone(LOOP, a, end - 50 * US, self.zone(
            SCRIPT, a + 100 * US, end - 60 * US, inside)) + ([] if crosses else self.zone(EDITOR, end, last, edit)))
        if crosses:
            self.main += self.zone(EDITOR, end, last, edit)

    def raw(self, name):
        c = Log(START // MS, NAMES, FLAGS)
        c.block(SESSION, thread(WORKER, 0, "Worker"))
        done = 0
        for k, mark in enumerate(self.marks):
            for tid, events in ((MAIN, self.main), (WORKER, self.worker)):
                body = b"".join(self.message(e) for e in events if done <= e[1] < mark)
                if body:
                    c.block(tid, body)
            c.block(MAIN, struct.pack("<HIQ", 34, k, START + mark))
            done = mark
        c.block(MAIN, b"".join(self.message(e) for e in self.main if e[1] >= done))
        c.block(SESSION, state(0, START / MS + 10 ** 4))
        return c.write(suite.path(name + ".raw"))

    @staticmethod
    def message(e):
        kind, t, x = e
        if kind == 2:
            return struct.pack("<HBIQBBI", 42, 0, ALLOC, START + t, 1, 3, x) + struct.pack("<HBIQ", 37, 0, ALLOC, START + t)
        return struct.pack("<HBIQ", 36 + kind, 0, x, START + t)

    def ttc(self, name):
        c = Capture(run=hashlib.md5(name.encode()).digest())
        keys = [c.marker(n, flags=FLAGS.get(i, 0)) for i, n in enumerate(NAMES)]
        for title, events, marks in (("Main Thread", self.main, self.marks), ("Worker", self.worker, [])):
            t = c.thread()
            c.thread_name(t.native, "", title)
            for kind, at, x in sorted([(3, m, 0) for m in marks] + events, key=lambda e: (e[1], e[0] != 3)) if marks else events:
                if kind == 0:
                    t.begin(at + MS, keys[x])
                elif kind == 1:
                    t.end(at + MS)
                elif kind == 2:
                    t.alloc(at + MS, keys[ALLOC], x)
                else:
                    t.frame(at + MS)
        return c.write(suite.path(name + ".ttc"))


class Sums:
    """What happens in frames ${first} to ${last}, or ever, on the threads named, with or without the Editor."""

    def __init__(self, game, player_only, first=0, last=None):
        self.game, self.player_only = game, player_only
        self.spans = list(zip(game.marks, game.marks[1:]))[first:last]
        self.from_, self.to = (self.spans[0][0], self.spans[-1][1]) if last else (-1, game.marks[-1] + MS)
        self.frames = [{} for _ in self.spans]            # by marker: total
        self.wall = [b - a for a, b in self.spans]
        self.calls, self.allocs, self.bytes = {}, {}, {}
        self.collections, self.collecting = [], []
        self.gc = [[0, 0, 0, 0] for _ in self.spans]      # of each frame: allocations, bytes, collections, their time
        self.busy, self.hidden = {}, {}
        for title, events in (("Main Thread", game.main), ("Worker", game.worker)):
            self.thread(title, events)

    def place(self, t):
        return next((i for i, (a, b) in enumerate(self.spans) if a <= t < b), None)

    def thread(self, title, events):
        stack, inside = [], 0
        self.calls[title] = self.allocs[title] = self.bytes[title] = self.busy[title] = self.hidden[title] = 0
        for kind, t, x in events:
            shown = not (self.player_only and inside)
            at = self.place(t)
            if kind == 2 and shown and self.from_ <= t < self.to:
                self.allocs[title] += 1
                self.bytes[title] += x
                if at is not None:
                    self.gc[at][0] += 1
                    self.gc[at][1] += x
            elif kind == 0:
                inside += x in (EDITOR, PREVIEW)
                stack.append((t, x, shown and not (self.player_only and inside)))
            elif kind == 1:
                begun, of, counts = stack.pop()
                inside -= of in (EDITOR, PREVIEW)
                self.zone(title, begun, t, of, counts, stack, inside)

    def zone(self, title, a, b, marker, counts, around, inside):
        if counts and self.from_ <= a < self.to:
            self.calls[title] += 1
            if marker == COLLECT:
                self.collecting.append(b - a)
                if self.place(a) is not None:
                    self.gc[self.place(a)][2] += 1
                    self.gc[self.place(a)][3] += b - a
        taken = self.player_only and marker in (EDITOR, PREVIEW) and not inside
        ns = max(0, min(b, self.to) - max(a, self.from_))
        if marker == WAIT and counts:
            self.busy[title] -= ns
        if not around and (counts or not self.player_only):
            self.busy[title] += ns
        if taken:
            self.hidden[title] += ns
            self.busy[title] -= ns if around else 0
        if title != "Main Thread":
            return
        for i, (from_, to) in enumerate(self.spans):
            ns = max(0, min(b, to) - max(a, from_))
            outermost = not any(m == marker for _, m, _ in around)
            if counts and outermost and ns:
                self.frames[i][NAMES[marker]] = self.frames[i].get(NAMES[marker], 0) + ns
            if taken and ns:
                self.wall[i] -= ns
                for m in {m for _, m, _ in around}:
                    self.frames[i][NAMES[m]] = self.frames[i].get(NAMES[m], 0) - ns


def tables(path, names, *args):
    return {k: v["rows"] for k, v in suite.report("stats", path, *args, "--table", names, "--limit", "0")["tables"].items()}


ALL = "markers,frames,threads,gcalloc,gc_generations,frame_gc,frame_threads,hitches"


def check(what, path, game, player_only, first=0, last=None):
    want = Sums(game, player_only, first, last)
    args = (["--player-only"] if player_only else []) + (["--frames", "%d-%d" % (first + 1, last)] if last else [])
    got = tables(path, ALL, *args)
    what = "%s %s" % (what, args)
    n = len(want.spans)
    for row in got["markers"]:
        times = [f.get(row["marker"], 0) for f in want.frames]
        suite.equal("%s in frames, %s" % (row["marker"], what), (row["frame_mean_ns"], row["frame_max_ns"]), (round(sum(times) / n), max(times)))
    wall = [r for r in got["frames"] if r["time"] == "wall"][0]
    suite.equal("wall time, %s" % what, (wall["mean_ns"], wall["max_ns"]), (round(sum(want.wall) / n), max(want.wall)))
    for row in got["threads"]:
        t = row["thread"]
        suite.equal("thread %s, %s" % (t, what), [row[k] for k in ("calls", "allocs", "alloc_bytes", "busy_ns")],
                    [want.calls[t], want.allocs[t], want.bytes[t], want.busy[t]])
        looked = (want.to - want.from_ if last else row["last_ns"] - row["first_ns"]) - want.hidden[t]
        suite.true("busy share of %s, %s" % (t, what), t == "Worker" or abs(row["busy_share"] - 100 * want.busy[t] / looked) < .01, (row, looked))
    suite.equal("calls of all threads are those of all markers, %s" % what, sum(r["calls"] for r in got["threads"]),
                sum(r["count"] for r in got["markers"] if r["marker"] != "GC.Alloc"))
    suite.equal("collections, %s" % what, [(r["collections"], r["collection_ns"], r["bytes"], r["count"]) for r in got["gcalloc"]],
                [(len(want.collecting), sum(want.collecting), sum(want.bytes.values()), sum(want.allocs.values()))])
    suite.equal("generations, %s" % what, [(r["count"], r["total_ns"]) for r in got["gc_generations"]], [(len(want.collecting), sum(want.collecting))])
    suite.equal("frames, %s" % what, [[r[k] for k in ("allocs", "alloc_bytes", "collections", "collection_ns", "dur_ns")] for r in got["frame_gc"]],
                [a + [b] for a, b in zip(want.gc, want.wall)])
    if last:
        for table in ("threads", "frame_threads"):
            for column in ("allocs", "alloc_bytes"):
                suite.equal("%s of %s, %s" % (column, table, what), sum(r[column] for r in got[table]), sum(getattr(want, column[-6:].strip("_")).values()))
    time = tables(path, "timeline", *args)["timeline"]
    suite.equal("timeline, %s" % what, [sum(r[k] or 0 for r in time) for k in ("calls", "allocs", "alloc_bytes", "collections")],
                [sum(want.calls.values()), sum(want.allocs.values()), sum(want.bytes.values()), len(want.collecting)])


def gate(path, game):
    want = Sums(game, True)
    times = [f.get("Script", 0) for f in want.frames]
    rows = [("marker.time", "Script", "per_frame.mean", sum(times) / FRAMES), ("marker.time", "Script", "per_frame.max", max(times)),
            ("gc.collections", None, "total", len(want.collecting))]
    with open(suite.path("budget.json"), "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [dict(id="r%d" % i, metric=m, stat=s, max="1 ns" if of else 0, **({"marker": of} if of else {}))
                   for i, (m, of, s, _) in enumerate(rows)]}, f)
    suite.run("stats", path, "--player-only", "--gate", suite.path("budget.json"), "--json", suite.path("verdict.json"), status=1)
    with open(suite.path("verdict.json")) as f:
        judged = {r["id"]: r["value"] for r in json.load(f)["rows"]}
    for i, (m, _, s, v) in enumerate(rows):
        suite.true("the gate's %s %s" % (m, s), abs(judged["r%d" % i] - v) < 1, (judged, v))


def other_thread(path, game):
    """Allocations in frames are those of the chosen thread, which need not be the frame thread, and without the Editor's."""
    for name, other in (("Worker", "main"), ("Main Thread", "worker")):
        alone = copy.copy(game)
        setattr(alone, other, [])
        rows = suite.rows("hitches", path, "--player-only", "--thread", name, "--hitches", "1000")
        suite.equal("allocations of frames with --thread %s" % name, {r["frame"]: r["alloc_bytes"] for r in rows},
                    {i + 1: g[1] for i, g in enumerate(Sums(alone, True).gc)})


def counter(path, game):
    """The output's count of allocated bytes only grows, and ends at what the game allocated."""
    for args, player_only in (((), False), (("--player-only",), True)):
        want = Sums(game, player_only)
        events = [e for e in suite.chrome(path, *args) if e["ph"] == "C" and e["name"] == "GC.Alloc"]
        for number, thread_ in enumerate(("Main Thread", "Worker"), 1):
            seen = [e["args"]["bytes"] for e in events if e["tid"] == number]
            suite.equal("bytes allocated on %s %s" % (thread_, args), (seen == sorted(seen), seen[-1]), (True, want.bytes[thread_]))


def outputs(path, game):
    """As tracetool-convert(1) has it: on a timeline a zone around the Editor's keeps its length, in sums it is without that time."""
    loops = [e for e in game.main if e[2] == LOOP and e[0] < 2]
    whole = sum(t if kind else -t for kind, t, _ in loops)
    slices = [e for e in suite.chrome(path, "--player-only") if e["ph"] in "BEX" and e["name"] == "PlayerLoop"]
    length = sum(e["dur"] if e["ph"] == "X" else e["ts"] * (1 if e["ph"] == "E" else -1) for e in slices)
    suite.equal("PlayerLoop on the timeline", round(length * 1000), whole)
    suite.run("convert", "-q", path, "--player-only", "-f", "folded", "-o", suite.path("out.txt"))
    with open(suite.path("out.txt")) as f:
        total = sum(int(line.rsplit(" ", 1)[1]) for line in f if ";PlayerLoop" in line)
    want = sum(r["total_ns"] for r in suite.rows("markers", path, "--player-only") if r["marker"] == "PlayerLoop")
    suite.equal("PlayerLoop in sums", total, want)
    suite.true("is less", want < whole)


for seed, crosses in ((1, False), (2, True)):
    game = Game(seed, crosses)
    for path in (game.ttc("game%d" % seed), game.raw("game%d" % seed)):
        for player_only in (False, True):
            for part in ((), (0, 10), (7, 23), (30, 31)):
                check(path[-5:], path, game, player_only, *part)
        gate(path, game)
        other_thread(path, game)
        counter(path, game)
        outputs(path, game)
suite.end()
