#!/usr/bin/env python3
"""Columns of tables against a recount of games whose every event is known here, for captures of every format.

    columns.py

Games are drawn at random and written from the pages of the formats by tests/unity; what tables must have of them, recount.py counts. One game
is written as .ttc with zones that go on beyond frames, categories, counters and zones that are open at the end; others as .raw, .data,
.ttc and .mlpd each. Every column that tests/oracles.txt says this suite holds was compared with a value.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import re
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "kit"), os.path.join(TESTS, "unity")]
import lot
import planted_forms as forms
import recount
from count import check
from rows import compare, end, met, tables
from suite import TRACETOOL, Suite
from ttc import F64, I64, Capture

suite = Suite()
MS = 10 ** 6


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


def described(table, game, rows):
    """Rows of counters with what the capture says of each: section, unit and number in the file."""
    return [dict(r, **{k: v for k, v in game.described[r["counter"]].items() if k != "id" or table == "counters"}) for r in rows]


def every_table(what, path, game, *options):
    """Tables of a capture beside the game's."""
    have = tables(path, [*KEYS, *COUNTERS], "--names", "full", "--hitches", "5", "--budget", "7.5", "--buckets", str(BUCKETS),
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
        compare(what, name, have[name], described(name, game, values[name]), *COUNTERS[name])
    ranks = {k: [(r["rank"], -r["self_ns"]) for r in have["hitch_markers"] if r["frame"] == k] for k in {r["frame"] for r in have["hitch_markers"]}}
    check(all([n for n, _ in sorted(of)] == list(range(1, len(of) + 1)) and sorted(of, key=lambda x: x[1]) == sorted(of, key=lambda x: (x[1], x[0]))
              and [s for _, s in sorted(of)] == sorted(s for _, s in of) for of in ranks.values()), what + ": ranks of markers in the worst frames", ranks)
    met.add(("hitch_markers", "rank"))
    for r in have["hitches"]:
        first = [m["marker"] for m in sorted((m for m in have["hitch_markers"] if m["frame"] == r["frame"]), key=lambda m: m["rank"])][:3]
        if not re.fullmatch(", ".join(re.escape(n) + r" [\d.]+ (ns|µs|ms)" for n in first), r["top"]):
            check(False, what + ": the top of frame %d" % r["frame"], r["top"], first)
    met.add(("hitches", "top"))


def compared(what, path, game, *options):
    """Two frames side by side."""
    with_values = {r["frame"] for r in game.frame_counter_rows()}
    a, b = lot.draw("compared", what).sample(sorted(with_values) or range(1, len(game.frames) + 1), 2)
    names = ("compared_frames", "compared_calltree", "compared_threads", "compared_allocs", "compared_counters")
    have = tables(path, names, "--names", "full", "--compare-frames", "%d,%d" % (a, b), *options)
    have["compared_calltree"] = [r for r in with_paths(have["compared_calltree"]) if r["depth"] and
                                 any(r[c] for c in ("a_total_ns", "b_total_ns", "a_count", "b_count", "a_alloc_bytes", "b_alloc_bytes"))]
    what += ": frames %d, %d" % (a, b)
    compare(what, names[0], have[names[0]], game.compared_frame_rows(a, b), "frame")
    compare(what, names[1], have[names[1]], game.compared_tree_rows(a, b), "path")
    compare(what, names[2], [r for r in have[names[2]] if any(r[c] for c in ("a_busy_ns", "b_busy_ns", "a_waiting_ns", "b_waiting_ns"))],
            game.compared_thread_rows(a, b), "number")
    if game.records_allocs:
        compare(what, names[3], have[names[3]], game.compared_alloc_rows(a, b), "site")
    if any(t.values for t in game.threads):
        compare(what, names[4], have[names[4]], described(names[4], game, game.compared_counter_rows(a, b)), "counter")


# --- a game of our recorder's -----------------------------------------------------------------------------------------------------

CATEGORIES = [("Scripts", 0x22AA44FF), ("Render", 0x0102F0FF), ("Physics", 0)]
# Name, category, flags as Unity's interface for plug-ins numbers them, those in words, and the verbosity.
MARKERS = [("Update", 0, 2, "script", "user"), ("Enemy.Think", 0, 2 + 8 + 0x400, "script, release", "debug"), ("Path.Find", 0, 0x800, None, "internal"),
           ("Camera.Render", 1, 8, "release", "user"), ("Shadows", 1, 0x1000, None, "advanced"), ("Solve", 2, 0, None, "user"),
           ("Semaphore.WaitForSignal", 2, 0, None, "user")]
VALUES = [("Enemies", I64, 3), ("Heat", F64, 0), ("Memory", I64, 2)]        # name, type, unit: count, value, bytes


FACTS = [(0, "device", "Steam Deck"), (2 * MS, "scene", "Menu"), (90 * MS, "scene", "Level 1"), (200 * MS, "label", "boss")]


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
        at += int(rng.uniform(2, 22) * MS) + (55 * MS if len(marks) in (7, 30) else 0)
    lists = [thread_events(rng, at, ("Update", "Solve")), thread_events(rng, at * .7, ()), thread_events(rng, at, ("Shadows",))]
    taken = {e[1] for e in lists[0]}
    while any(m in taken for m in marks):
        marks = [m + (m in taken) for m in marks]
    lists[0] = sorted(lists[0] + [("other", m) for m in marks], key=lambda e: e[1])
    threads = [recount.Thread(*x) for x in zip(("Main", "Worker 0", "Loader"), lists, (None, "Job", None))]
    category = {m[0]: CATEGORIES[m[1]][0] for m in MARKERS}
    return recount.Game(threads, marks, lambda name: category[name])


def write_recorded(path, game):
    c = Capture()
    categories = [c.category(n, rgba, 10 + i) for i, (n, rgba) in enumerate(CATEGORIES)]
    key = {name: c.marker(name, categories[k], flags, 50 + i) for i, (name, k, flags, _, _) in enumerate(MARKERS)}
    for at, name, value in FACTS:
        c.fact(at, name, value)
    key["GC.Alloc"] = c.marker("GC.Alloc", categories[0])
    kinds = {name: kind for name, kind, _ in VALUES}
    counter = {name: c.counter(name, unit, "Game") for name, _, unit in VALUES}
    game.described = {name: {"section": "Game", "unit": {0: "value", 2: "bytes", 3: "count"}[unit], "id": hex(counter[name])} for name, _, unit in VALUES}
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


def information(what, path, game):
    """What the capture says of itself, by its bytes and by what was written."""
    p = subprocess.run([TRACETOOL, "info", "-q", "--format", "json", path], capture_output=True, text=True, check=True)
    have = {name: t["rows"] for name, t in json.loads(p.stdout)["tables"].items()}
    have.update(tables(path, ("metadata_markers", "metadata_categories", "facts", "loss")))
    kinds = collections.Counter({"value": "counter", "other": "frame"}.get(e[0], e[0]) for t in game.threads for e in t.events)
    compare(what, "capture", have["capture"], [{
        "path": path, "format": "capture", "bytes": os.path.getsize(path), "version": "version 1.0",
        "producer": "tracetool Unity recorder", "started": "2023-11-14 22:13:20 UTC",
        "duration_ns": game.end - game.begin, "events": sum(kinds.values()), "threads": 3, "pid": "42",
        "arch": "x86_64", "pointer_size": 8, "os": "Linux", "args": "--args", "clock": "system", "zero_ns": 10 ** 12, "offset_ns": None,
        "frame_marks": True, "clean_end": True, "recording": b"0123456789abcdef".hex()}])
    compare(what, "capture_events", have["capture_events"], [{"type": k, "events": n, "process": 1} for k, n in kinds.items()], "type")
    rows = [{"thread": t.name, "group": t.group, "tid": hex(1001 + i), "first_ns": t.first, "last_ns": t.last, "events": len(t.events),
             "calls": len(t.zones), "allocs": len(t.allocs), "alloc_bytes": sum(a[1] for a in t.allocs), "open": t.open, "process": 1}
            for i, t in enumerate(game.threads)]
    compare(what, "capture_threads", have["capture_threads"], rows, "thread")
    compare(what, "threads", tables(path, ["threads"])["threads"], [{"thread": r["thread"], "tid": r["tid"], "events": r["events"]} for r in rows], "thread")
    compare(what, "metadata_categories", have["metadata_categories"], [{"category": n, "color": "#%08x" % rgba if rgba else None, "id": 10 + i, "process": 1}
                                                                       for i, (n, rgba) in enumerate(CATEGORIES)], "category")
    rows = [{"marker": name, "category": CATEGORIES[k][0], "id": 50 + i, "flags": words, "verbosity": level, "process": 1}
            for i, (name, k, _, words, level) in enumerate(MARKERS)]
    begun = {z.name for z in game.zones}
    of_game = lambda rows: [r for r in rows if r["marker"] in begun]         # noqa: E731
    compare(what, "metadata_markers", of_game(have["metadata_markers"]), of_game(rows), "marker")
    until = {i: next((at for at, k, _ in FACTS[i + 1:] if k == FACTS[i][1]), None) for i in range(len(FACTS))}
    compare(what, "facts", have["facts"], [{"time_ns": at, "to_ns": until[i], "key": k, "value": v, "process": 1} for i, (at, k, v) in enumerate(FACTS)],
            "key", "value")
    compare(what, "capture_meta", [r for r in have.get("capture_meta", []) if r["key"] == "device"], [{"key": "device", "value": "Steam Deck"}], "key")
    compare(what, "loss", have["loss"], [{"kind": "open", "severity": "info", "count": sum(t.open for t in game.threads)}], "kind")


for seed in range(3 if lot.LONG else 1):
    game = recorded_game(seed)
    path = write_recorded(suite.path("recorded.ttc"), game)
    every_table("recorded game %d" % seed, path, game)
    information("recorded game %d" % seed, suite.path("recorded.ttc"), game)
    compared("recorded game %d" % seed, suite.path("recorded.ttc"), game)

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
    else:
        main.append(("other", marks[-1]))
    threads = [recount.Thread("Thread %d" % i if form == "mlpd" else name, of) for i, (name, of) in enumerate(events.items(), 1)]
    game = recount.Game(threads, marks, None, form != "mlpd", 0 if form == "mlpd" else None, form in ("raw", "data"))
    game.recorded_from = 0 if form == "raw" else game.begin        # a message of the log says when
    return frames, game


forms.THREADS = ["Main Thread", "Worker", "Loader"]
for form, (_, options) in FORMS.items():
    for seed in range(3 if lot.LONG else 1):
        frames, game = planted_game(form, seed)
        every_table(".%s %d" % (form, seed), forms.FORMS[form](suite.path("game." + form), frames), game, *options)
        compared(".%s %d" % (form, seed), suite.path("game." + form), game, *options)

end(suite, "oracle/columns")
