#!/usr/bin/env python3
"""Columns of tables against a recount of games whose every event is known here, for captures of every format.

    columns.py

Games are drawn at random and written from the pages of the formats by tests/unity; what tables must have of them, recount.py counts. One game
is written as .ttc with zones that go on beyond frames, categories, counters and zones that are open at the end; others as .raw, .data,
.ttc and .mlpd each.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import re
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "kit"), os.path.join(TESTS, "unity"), os.path.join(TESTS, "project")]
import lot
import planted_forms as forms
import recount
from count import check
from suite import TRACETOOL, Suite
from ttc import F64, I64, Capture

suite = Suite()
met = set()         # (table, column)
MS = 10 ** 6


def tables(path, names, *options):
    p = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", "--threshold", "0", "--names", "full", "--table", ",".join(names),
                        *options, path], capture_output=True, text=True, timeout=300)
    if p.returncode not in (0, 3):
        raise AssertionError("%s: %s" % (path, p.stderr))
    return {name: t["rows"] for name, t in json.loads(p.stdout)["tables"].items()}


def fits(have, want):
    return want.fits(have) if isinstance(want, recount.Near) else have == want


def compare(what, table, have, want, *key):
    """Every row of a table, found by the columns ${key}: the same rows, and in them the columns that ${want} has."""
    found, wanted = collections.defaultdict(list), collections.defaultdict(list)
    for rows, to in ((have, found), (want, wanted)):
        for r in rows:
            to[tuple(r[k] for k in key)].append(r)
    missing, more = [k for k in wanted if len(found[k]) < len(wanted[k])], [k for k in found if len(wanted[k]) < len(found[k])]
    check(not missing and not more, "%s: rows of %s" % (what, table), "missing", missing[:3], "more", more[:3])
    wrong = collections.defaultdict(list)
    for k in set(wanted) - set(missing) - set(more):
        for h, w in zip(found[k], wanted[k]):
            for column, value in w.items():
                if column == "path" and column not in h:
                    continue
                if not fits(h[column], value):
                    wrong[column].append((k, h[column], value))
                elif value is not None:
                    met.add((table, column))
    check(not wrong, "%s: %s" % (what, table), *["%s: %s" % (c, ["%s has %s, not %s" % x for x in w[:3]]) for c, w in wrong.items()])


def with_paths(rows):
    """Rows of a tree with the rows above each; paths of one name are one."""
    above, found = [], []
    for r in rows:
        above[r["depth"]:] = [r["marker"]]
        found.append(dict(r, path=tuple(above)))
    return found


KEYS = {"frames": ("time",), "frame_budgets": ("time", "budget"), "frame_histogram": ("from_ns",), "hitches": ("frame",),
        "hitch_markers": ("frame", "marker"), "frame_markers": ("frame", "number", "marker"), "frame_threads": ("frame", "number"),
        "frame_gc": ("frame",), "markers": ("marker",), "categories": ("category",), "category_threads": ("category", "number"),
        "calltree": ("path",), "calltree_bottom_up": ("path",), "threads": ("number",), "gcalloc": (), "alloc_threads": ("number",),
        "alloc_categories": ("category",), "alloc_sites": ("marker",), "alloc_paths": ("path", "thread"), "timeline": ("from_ns",)}
COUNTERS = {"counters": ("counter",), "counter_values": ("counter", "time_ns"), "frame_counters": ("frame", "counter"),
            "counter_timeline": ("counter", "from_ns")}
BUDGETS = [("16.67", 16667667), ("33.33", 33334334), ("7.5", 7500000)]
BUCKETS = 7


def every_table(what, path, game, *options):
    """Tables of a capture beside the game's."""
    have = tables(path, [*KEYS, *COUNTERS], "--hitches", "5", "--budget", "7.5", "--buckets", str(BUCKETS),
                  *options)
    bounds = [(r["from_ns"], r["to_ns"]) for r in have["frame_histogram"]]
    check(all(a[1] == b[0] for a, b in zip(bounds, bounds[1:])) and have["frame_histogram"][-1]["cumulative"] == 100, what + ": all frames are in it", bounds)
    name_of = lambda t, n, z: z.name if z else recount.OUTSIDE_ZONES         # noqa: E731
    want = {"frames": game.frame_rows(), "frame_budgets": game.budget_rows(BUDGETS), "frame_histogram": game.histogram_rows(bounds),
            "hitches": game.hitch_rows(5), "hitch_markers": game.hitch_marker_rows(5), "frame_markers": game.frame_marker_rows(),
            "frame_threads": game.frame_thread_rows(), "frame_gc": game.frame_gc_rows(), "markers": game.marker_rows(),
            "categories": game.category_rows(), "category_threads": game.category_thread_rows(), "calltree": game.tree_rows(),
            "calltree_bottom_up": game.bottom_up_rows(), "threads": game.thread_rows(), "timeline": game.timeline_rows(BUCKETS)}
    if game.records_allocs:
        want.update({
            "gcalloc": [game.gcalloc_row()], "alloc_threads": game.alloc_rows(thread=lambda t, n, z: t.name, number=lambda t, n, z: n),
            "alloc_categories": game.alloc_rows(category=lambda t, n, z: game.category(z.name) if z else recount.OUTSIDE_ZONES),
            "alloc_sites": game.alloc_rows(marker=name_of),
            "alloc_paths": game.alloc_rows(path=lambda t, n, z: " > ".join(z.path()) if z else recount.OUTSIDE_ZONES, thread=lambda t, n, z: t.name)})
    have["frames"] = [r for r in have["frames"] if r["count"] is not None]
    have["frame_budgets"] = [r for r in have["frame_budgets"] if r["over"] is not None and r["budget"] in dict(BUDGETS)]
    have["hitch_markers"] = [r for r in have["hitch_markers"] if r["self_ns"]]
    for name in ("calltree", "calltree_bottom_up"):
        have[name] = with_paths(have[name])
    for name in want:
        if not game.tells_categories and name.replace("category_threads", "categories").endswith("categories"):
            continue
        # A form may have records of its own around the game's, and no categories.
        for r in want[name] if not game.tells_categories else ():
            for column in ("category", "first_ns", "last_ns", "busy_share") if name != "frame_threads" else ():
                r.pop(column, None)
        compare(what, name, have[name], want[name], *KEYS[name])
    values = {"counters": game.counter_rows(), "counter_values": game.counter_value_rows(), "frame_counters": game.frame_counter_rows(),
              "counter_timeline": game.counter_timeline_rows(game.buckets(BUCKETS))}
    for name in values if any(t.values for t in game.threads) else ():
        compare(what, name, have[name], values[name], *COUNTERS[name])
    ranks = {k: [(r["rank"], -r["self_ns"]) for r in have["hitch_markers"] if r["frame"] == k] for k in {r["frame"] for r in have["hitch_markers"]}}
    check(all([n for n, _ in sorted(of)] == list(range(1, len(of) + 1)) and sorted(of, key=lambda x: x[1]) == sorted(of, key=lambda x: (x[1], x[0]))
              and [s for _, s in sorted(of)] == sorted(s for _, s in of) for of in ranks.values()), what + ": ranks of markers in the worst frames", ranks)
    met.add(("hitch_markers", "rank"))


# --- a game of our recorder's -----------------------------------------------------------------------------------------------------

CATEGORIES = ("Scripts", "Render", "Physics")
MARKERS = [("Update", 0), ("Enemy.Think", 0), ("Path.Find", 0), ("Camera.Render", 1), ("Shadows", 1), ("Solve", 2), ("Semaphore.WaitForSignal", 2)]
VALUES = [("Enemies", I64, 3), ("Heat", F64, 0), ("Memory", I64, 2)]        # name, type, unit: count, value, bytes


def thread_events(rng, until, open_ends):
    """Events of a thread: calls of calls, allocations, values, and zones that are still open at the end."""
    now, events = rng.randrange(1000, 2000), []

    def step(most):
        nonlocal now
        now += rng.randrange(1, most)

    def call(depth):
        name = rng.choice(MARKERS)[0]
        events.append(("begin", now, name))
        step(900000)
        for _ in range(rng.choice((0, 0, 1, 2, 3)) if depth < 6 and name != "Semaphore.WaitForSignal" else 0):
            what = rng.random()
            if what < .2:
                events.append(("alloc", now, rng.randrange(16, 4000)))
            elif what < .3:
                name, kind, _ = rng.choice(VALUES)
                value = rng.randrange(-1000, 100000)
                events.append(("value", now, name, value if kind == I64 else value / 4))
            else:
                call(depth + 1)
            step(300000)
        events.append(("end", now))
        step(200000)

    while now < until:
        call(1)
        if rng.random() < .1:
            events.append(("alloc", now, 32))
            step(1000)
    for name in open_ends:
        events.append(("begin", now, name))
        step(500000)
    events.append(("alloc", now, 64))
    return events


def recorded_game(seed):
    rng = lot.draw("columns", seed)
    marks, at = [], 3 * MS
    while len(marks) < 41:
        marks.append(at)
        at += int(rng.uniform(2, 22) * MS) + (40 * MS if len(marks) in (7, 30) else 0)
    lists = [thread_events(rng, at, ("Update", "Solve")), thread_events(rng, at * .7, ()), thread_events(rng, at, ("Shadows",))]
    taken = {e[1] for e in lists[0]}
    while any(m in taken for m in marks):
        marks = [m + (m in taken) for m in marks]
    lists[0] = sorted(lists[0] + [("other", m) for m in marks], key=lambda e: e[1])
    threads = [recount.Thread(*x) for x in zip(("Main", "Worker 0", "Loader"), lists, (None, "Job", None))]
    category = dict((n, CATEGORIES[c]) for n, c in MARKERS)
    return recount.Game(threads, marks, lambda name: category[name])


def write_recorded(path, game):
    c = Capture()
    categories = [c.category(n, 0, 10 + i) for i, n in enumerate(CATEGORIES)]
    key = {name: c.marker(name, categories[k]) for name, k in MARKERS}
    key["GC.Alloc"] = c.marker("GC.Alloc", categories[0])
    kinds = {name: kind for name, kind, _ in VALUES}
    counter = {name: c.counter(name, unit, "Game") for name, _, unit in VALUES}
    for i, t in enumerate(game.threads):
        c.thread_name(1001 + i, t.group or "", t.name)
        to = c.thread(1001 + i)
        for e in t.events:
            if e[0] == "begin":
                to.begin(e[1], key[e[2]])
            elif e[0] == "end":
                to.end(e[1])
            elif e[0] == "alloc":
                to.alloc(e[1], key["GC.Alloc"], e[2])
            elif e[0] == "value":
                to.counter(e[1], counter[e[2]], kinds[e[2]], e[3])
            else:
                to.frame(e[1])
    return c.write(path)


for seed in range(3 if lot.LONG else 1):
    game = recorded_game(seed)
    every_table("recorded game %d" % seed, write_recorded(suite.path("recorded.ttc"), game), game)
# --- a game in four formats -------------------------------------------------------------------------------------------------------

NAMES = ("Update", "Think", "Path", "Draw", "Solve")
FORMS = {       # by form: ns of the game's time 0, the option that finds its frames
    "raw": (MS, ()), "ttc": (0, ()), "data": (0, ()), "mlpd": (0, ("--frame-marker", "PlayerLoop"))}


class Frame:
    def __init__(self, rng, k, start, wait):
        def zone(depth, most):
            calls = [zone(depth + 1, most / 3) for _ in range(rng.choice((0, 1, 1, 2)))] if depth < 5 else []
            return forms.Zone(rng.choice(NAMES), rng.uniform(.01, most), *calls, after=rng.uniform(.01, most),
                              sizes=[rng.randrange(16, 3000) for _ in range(rng.choice((0, 0, 0, 1, 3)))] if k % 5 else ())
        self.k, self.start = k, start
        self.loop = forms.Zone("PlayerLoop", .05, *[zone(1, 1.5) for _ in range(rng.randrange(1, 5))], forms.Zone(wait, rng.uniform(.1, 2)), after=.02)
        self.others = [("Worker", 0.03125, zone(1, 1.0)), ("Loader", 0.0625, zone(2, .5))]
        longest = max([self.loop.place(0)] + [z.place(0) + round(at * MS) for _, at, z in self.others])
        self.end = start + longest + int(rng.uniform(.1, 6) * MS)


def planted_game(form, seed):
    """(frames for planted_forms, the same as a Game of the times that the form has)."""
    rng, frames, start = lot.draw("forms", seed), [], 5 * MS
    for k in range(30):
        frames.append(Frame(rng, k, start, "System.Threading.Thread:Sleep (int)" if form == "mlpd" else "Semaphore.WaitForSignal"))
        start = frames[-1].end
    shift = FORMS[form][0] + (frames[0].start if form == "data" else 0)
    events = {name: [] for name in forms.THREADS}
    for f in frames:
        for name, of in forms.events(f).items():
            for at, begins, z in of:
                events[name].append(("begin", at - shift, z.name) if begins else ("end", at - shift))
                events[name] += [("alloc", at - shift, size) for size in z.sizes] if begins and form != "mlpd" else []
    marks = [f.start - shift for f in frames] + [frames[-1].end - shift]
    main = events[forms.THREADS[0]]
    if form == "mlpd":      # its frames begin with the marker, and one more follows the last; names stand before the game
        main += [("begin", marks[-1], "PlayerLoop"), ("end", marks[-1] + MS)]
    elif form == "data":    # no frame follows the last, nor does it say when a thread ends
        marks.pop()
    else:
        main.append(("other", marks[-1]))
    threads = [recount.Thread("Thread %d" % i if form == "mlpd" else name, of) for i, (name, of) in enumerate(events.items(), 1)]
    return frames, recount.Game(threads, marks, None, form != "mlpd", 0 if form == "mlpd" else None, form in ("raw", "data"))


forms.THREADS = ["Main Thread", "Worker", "Loader"]
for form, (_, options) in FORMS.items():
    for seed in range(3 if lot.LONG else 1):
        frames, game = planted_game(form, seed)
        every_table(".%s %d" % (form, seed), forms.FORMS[form](suite.path("game." + form), frames), game, *options)

suite.end()
