#!/usr/bin/env python3
"""Columns that few captures have, against the truth of captures that are written here byte by byte, or simulated.

    made_columns.py

What an engine measured of frames and what limits them, phases of the player loop, frames on a display's refreshes, collections in frames,
items of a runtime, coverage, handles, code, markers that may begin frames, files of a rotation, and what the first screen lists. Every column
that tests/oracles.txt says this suite holds was compared with a value other than 0.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import struct
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "kit"), os.path.join(TESTS, "unity")]
import lot
import words
from count import check
from heap_steps import collect
from raw_log import MAIN, SESSION, Log, sample, state, zone
from recount import Near, mean, rank, share
from rows import compare, end, tables
from suite import TRACETOOL, Suite
from ttc import FOLLOWS, I64, KEEPS_LAST, U32, Capture, text, varint, zigzag
from vsync_game import Game

MS, US = 10 ** 6, 10 ** 3
suite = Suite()


def info(*paths):
    p = subprocess.run([TRACETOOL, "info", "-q", "--format", "json", *paths], capture_output=True, text=True)
    return {name: t["rows"] for name, t in json.loads(p.stdout)["tables"].items()}


def first_screen(*args):
    p = subprocess.run([TRACETOOL, "--format", "json", *args], capture_output=True, text=True)
    return {name: t["rows"] for name, t in json.loads(p.stdout)["tables"].items()}


# --- what the engine measured -----------------------------------------------------------------------------------------------------

def measured():
    """Frames of 16 to 20 ms, of which the engine measured all but the last three; what limits each is by tracetool-metrics(7)."""
    kinds = [((15, 4, 0, 5), "main thread"), ((3, 15, 0, 5), "render thread"), ((15, 15, 0, 5), "CPU"), ((3, 4, 0, 15), "GPU"),
             ((15, 4, 0, 15), "balanced"), ((3, 4, 9, 5), "present")]
    rng, c = lot.draw("measured"), Capture()
    t, at, frames = c.thread(), MS, []
    for i in range(30):
        (main, render, present, gpu), limit = kinds[i if i < len(kinds) else rng.randrange(len(kinds))]
        length = 16 * MS + rng.randrange(4 * MS)
        frames.append({"at": at, "length": length, "whole": 16 * MS + i, "main": main * MS + i, "render": render * MS + i,
                       "present": present * MS + i if present else 0, "gpu": gpu * MS + i, "limit": limit})
        at += length
    for i, f in enumerate(frames):
        t.frame(f["at"])
        if i >= 3:
            of = frames[i - 3]
            t.timing(f["at"] + 1000, 3, of["whole"], of["main"], of["render"], of["present"], of["gpu"])
    t.frame(at)
    path, n = c.write(suite.path("measured.ttc")), len(frames)
    have = tables(path, ("frame_timings", "frame_limits", "hitches", "frames"), "--hitches", "100")
    told = frames[:n - 3]
    rows = []
    for part, key in (("frame", "whole"), ("main", "main"), ("render", "render"), ("present", "present"), ("gpu", "gpu")):
        values = [f[key] for f in told if f[key]]
        if values:
            rows.append({"part": part, "count": len(values), "missing": n - len(values), "mean_ns": mean(sum(values), len(values)),
                         "median_ns": rank(values, 500), "p95_ns": rank(values, 950), "p99_ns": rank(values, 990), "max_ns": max(values)})
    compare("measured", "frame_timings", have["frame_timings"], rows, "part")
    by = collections.defaultdict(list)
    for i, f in enumerate(frames):
        by[f["limit"] if i < n - 3 else "unknown"].append(f["length"])
    known = sum(len(v) for k, v in by.items() if k != "unknown")
    compare("measured", "frame_limits", have["frame_limits"], [
        {"limit": k, "count": len(v), "mean_ns": mean(sum(v), len(v)), "share": share(len(v), known) if k != "unknown" else None} for k, v in by.items()],
        "limit")
    compare("measured", "hitches", have["hitches"], [
        {"frame": i + 1, "main_ns": f["main"] if i < n - 3 else None, "render_ns": f["render"] if i < n - 3 else None,
         "gpu_ns": f["gpu"] if i < n - 3 else None, "present_wait_ns": (f["present"] or None) if i < n - 3 else None,
         "limit": f["limit"] if i < n - 3 else "unknown"} for i, f in enumerate(frames)], "frame")


def phases():
    """Two phases of the player loop, the second in two of three frames."""
    c = Capture()
    update, late = c.marker("Update.ScriptRunBehaviourUpdate"), c.marker("PostLateUpdate.FinishFrameRendering")
    t, rng, at, sums, counts, whole = c.thread(), lot.draw("phases"), MS, [0, 0], [0, 0], 0
    for i in range(31):
        t.frame(at)
        length = rng.randrange(8 * MS, 12 * MS)
        if i == 30:
            break
        a, b = rng.randrange(MS, 3 * MS), rng.randrange(MS, 3 * MS)
        t.zone(at + 1000, at + 1000 + a, update)
        sums[0], counts[0] = sums[0] + a, counts[0] + 1
        if i % 3:
            t.zone(at + 4 * MS, at + 4 * MS + b, late)
            sums[1], counts[1] = sums[1] + b, counts[1] + 1
        at, whole = at + length, whole + length
    compare("phases", "frame_phases", tables(c.write(suite.path("phases.ttc")), ["frame_phases"])["frame_phases"], [
        {"phase": p, "mean_ns": mean(sums[i], 30), "share": share(sums[i], whole), "count": counts[i]} for i, p in enumerate(("Update", "PostLateUpdate"))],
        "phase")


def on_refreshes():
    """A game of a display of 60 Hz whose limit changes: what each frame took is the simulation's."""
    for seed in range(3 if lot.LONG else 1):
        game = Game(lot.draw("refreshes", seed).randrange(1000), frames=240, limits=((0, 1), (80, 2), (160, 4)), late=.1, gpu_known=True)
        path, rows = game.write(suite.path("game.raw")), []
        for first, last, limit, target, period in game.segments():
            taken, late = game.taken[first - 1:last], sum(game.is_late[first - 1:last])
            spent = sum(b - a for a, b, *_ in game.frames[first - 1:last])
            rows.append({"first": first, "last": last, "limit": limit, "refreshes": target, "refresh_ns": Near(period, period * .0005), "count": len(taken),
                         "one": taken.count(1), "two": taken.count(2), "three": taken.count(3), "more": sum(k > 3 for k in taken), "late": late,
                         "late_share": share(late, len(taken)), "shown_ns": Near(target * 1e9 / 60, target), "fps": Near(1e9 * len(taken) / spent, .02),
                         "process": None})
        have = tables(path, ("frame_shown", "frames"))
        compare("refreshes %d" % seed, "frame_shown", have["frame_shown"], rows, "first")
        compare("refreshes %d" % seed, "frames", [r for r in have["frames"] if r["time"] == "wall"], [
            {"time": "wall", "late": sum(game.is_late), **{k: sum(r[k] for r in rows) for k in ("one", "two", "three", "more")}}], "time")


# --- a managed runtime --------------------------------------------------------------------------------------------------------------

def collections_in_frames():
    """Ten frames of 10 ms; collections in some, one of them over the border of two."""
    c = Capture(producer="tracetool Mono module", args="calls,gc")
    t, marks = c.thread(), [MS + 10 * MS * i for i in range(11)]
    spans = [(23 * MS, 25 * MS, 0, 4000000), (48 * MS, 54 * MS, 1, 5000000), (75 * MS, 76 * MS, 0, 4500000), (77 * MS, 78 * MS, 0, 0)]
    work = c.marker("Game:Work ()")
    todo = sorted([(m, None) for m in marks] + [(s[0], s) for s in spans], key=lambda x: x[0])
    for at, span in todo:
        if span is None:
            t.frame(at)
            if not any(a - 2 * MS < at + 100 < b for a, b, *_ in spans):
                t.zone(at + 100, at + 5000, work)
            continue
        a, b, generation, heap = span
        inside = [m for m in marks if a < m < b]
        if not inside:
            collect(t, a, b, generation, heap)
            continue
        marks_in = dict.fromkeys(inside)
        old = t.frame
        collect_over(t, a, b, generation, heap, inside)
        todo[:] = [x for x in todo if x[0] not in marks_in or x[1] is not None]
        t.frame = old
    path = c.write(suite.path("collected.ttc"))
    have = tables(path, ("frame_gc", "hitches"), "--hitches", "20")
    compared = tables(path, ["compared_frames"], "--compare-frames", "3,5")["compared_frames"]
    rows, hitches, both = [], [], []
    for k, (a, b) in enumerate(zip(marks, marks[1:]), 1):
        part = lambda x, y: max(0, min(y, b) - max(x, a))       # noqa: E731
        began = [s for s in spans if a <= s[0] + 20 < b]
        sizes = [s[3] for s in spans if s[3] and a <= s[1] - 20 < b]
        pause = sum(part(s[0], s[1]) for s in spans)
        row = {"frame": k, "collections": len(began), "collection_ns": sum(part(s[0] + 20, s[1] - 30) for s in spans), "gc_pause_ns": pause,
               "heap_bytes": sizes[-1] if sizes else None}
        rows.append(row)
        hitches.append({"frame": k, "gc_pause_ns": pause})
        if k in (3, 5):
            both.append({"frame": k, "collections": len(began), "gc_pause_ns": pause})
    compare("collected", "frame_gc", have["frame_gc"], rows, "frame")
    compare("collected", "hitches", have["hitches"], hitches, "frame")
    compare("collected", "compared_frames", [r for r in compared if r["is"] in ("A", "B")], both, "frame")


def collect_over(t, a, b, generation, heap, marks):
    """collect(), with frames that begin while the world is stopped."""
    from heap_steps import ENDED, GEN, PAUSE, PRE_RESTART, PRE_STOP, RESTARTED, START, STOPPED
    step = lambda ts, which: t.other(ts, 16, bytes([which]) + varint(generation))       # noqa: E731
    step(a, PRE_STOP)
    t.begin(a, PAUSE)
    step(a + 10, STOPPED)
    step(a + 20, START)
    t.begin(a + 20, GEN + generation)
    for m in marks:
        t.frame(m)
    t.end(b - 30)
    step(b - 30, ENDED)
    if heap:
        t.other(b - 20, 17, varint(heap))
    step(b - 10, PRE_RESTART)
    t.end(b)
    step(b, RESTARTED)


def runtime():
    """Images, assemblies, domains, contexts and classes; handles; code; coverage; all as a Mono module writes them."""
    c = Capture(producer="tracetool Mono module", args="coverage,handles")
    items = {}

    def item(at, what, owner, name, mvid=""):
        key = c.new_key()
        c.record(76, varint(at) + varint(key) + bytes([what]) + varint(owner) + text(name) + text(mvid))
        items[name] = (key, at)
        return key
    domain = item(100, 3, 0, "Game.exe")
    image = item(200, 1, 0, "/opt/game/Game.dll", "01234567-89ab-cdef-0123-456789abcdef")
    item(300, 2, image, "Game, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null")
    item(350, 4, domain, "")
    item(400, 0, image, "Game.Hud")
    item(450, 0, image, "Game.Enemy")
    method = c.marker("Game.Hud:Draw ()", native=0x7000)
    t = c.thread()
    handle = lambda at, kind, gone, number: t.other(at, 20, bytes([kind, gone]) + varint(number) + varint(0x5000))       # noqa: E731
    for at, kind, gone, number in ((1000, 2, 0, 8), (2000, 2, 0, 9), (3000, 2, 1, 8), (4000, 2, 1, 77), (5000, 3, 0, 8), (6000, 3, 1, 8), (7000, 2, 1, 78)):
        handle(at, kind, gone, number)
    t.zone(8000, 9000, method)
    hits = {1: [(7, 10), (0, 11), (7, 12), (7, 12)], 2: [(0, 20), (0, 21)], 3: [(3, 11), (1, 30)]}
    of = {1: ("Game", "Game.Hud", "Draw", "", "Hud.cs"), 2: ("Game", "Game.Hud", "Hide", "int", "Hud.cs"), 3: ("Plug", "Plug.Tool", "Run", "", "Hud.cs")}
    for number, names in of.items():
        t.other(10000, 31, varint(number) + varint(0x6000000 + number) + varint(len(hits[number])) + b"".join(map(text, names)))
        t.other(11000, 32, varint(number) + b"".join(zigzag(4) + varint(n) + varint(line) + varint(5) for n, line in hits[number]))
    t.other(12000, 27, bytes([3]) + varint(domain))
    path = c.write(suite.path("runtime.ttc"))
    have = tables(path, ("metadata", "metadata_items", "metadata_classes", "handles", "coverage", "coverage_files", "coverage_classes", "coverage_methods",
                         "coverage_lines"), "--names", "full")
    key = lambda name: hex(items[name][0])          # noqa: E731
    compare("runtime", "metadata_items", have["metadata_items"], [
        {"kind": "domain", "name": "Game.exe", "id": key("Game.exe"), "of": None, "mvid": None, "time_ns": 100, "process": 1},
        {"kind": "image", "name": "/opt/game/Game.dll", "id": key("/opt/game/Game.dll"), "mvid": "01234567-89ab-cdef-0123-456789abcdef", "time_ns": 200},
        {"kind": "assembly", "of": "/opt/game/Game.dll", "time_ns": 300}, {"kind": "context", "of": "Game.exe", "time_ns": 350}], "kind")
    compare("runtime", "metadata_classes", have["metadata_classes"], [
        {"class": n, "image": "/opt/game/Game.dll", "id": key(n), "time_ns": items[n][1], "process": 1} for n in ("Game.Hud", "Game.Enemy")], "class")
    kinds = {r["kind"]: r for r in have["metadata"]}
    compare("runtime", "metadata", [r for k, r in kinds.items() if k in ("image", "assembly", "domain", "context", "class")], [
        {"kind": k, "loaded": n, "unloaded": int(k == "domain") if k != "class" else None, "process": 1}
        for k, n in (("image", 1), ("assembly", 1), ("domain", 1), ("context", 1), ("class", 2))], "kind")
    compare("runtime", "handles", have["handles"], [
        {"kind": "normal", "created": 2, "destroyed": 3, "live": 1, "most": 2, "unknown": 2},
        {"kind": "pinned", "created": 1, "destroyed": 1, "live": 0, "most": 1, "unknown": 0}], "kind")
    covered(have, hits, of)


def covered(have, hits, of):
    """Statements by method, lines by file: a line has run as often as its most frequent statement, summed over methods."""
    lines = collections.Counter()
    methods = []
    for number, (assembly, cls, name, signature, file) in of.items():
        mine = collections.defaultdict(int)
        for n, line in hits[number]:
            mine[line] = max(mine[line], n)
        lines.update({(file, line): n for line, n in mine.items()})
        methods.append({"method": "%s (%s)" % (name, signature), "entries": hits[number][0][0], "lines": len(mine),
                        "lines_hit": sum(n > 0 for n in mine.values()),
                        "statements": len(hits[number]), "statements_hit": sum(n > 0 for n, _ in hits[number]), "line": min(mine), "file": file,
                        "class": cls, "assembly": assembly, "own": mine})
    for r in methods:
        r["line_share"] = share(r["lines_hit"], r["lines"])
    compare("coverage", "coverage_methods", have["coverage_methods"], [{k: v for k, v in r.items() if k != "own"} for r in methods], "method")

    def group(*key):
        by = collections.defaultdict(list)
        for r in methods:
            by[tuple(r[k] for k in key)].append(r)
        rows = []
        for k, of_key in by.items():
            mine = collections.Counter()
            for r in of_key:
                mine.update({(r["file"], line): n for line, n in r["own"].items()})
            row = {c: sum(r[c] for r in of_key) for c in ("statements", "statements_hit")}
            row.update(dict(zip(key, k)), lines=len(mine), lines_hit=sum(n > 0 for n in mine.values()), methods=len(of_key),
                       methods_hit=sum(r["statements_hit"] > 0 for r in of_key))
            row.update(line_share=share(row["lines_hit"], row["lines"]), method_share=share(row["methods_hit"], row["methods"]))
            rows.append(row)
        return rows
    compare("coverage", "coverage", have["coverage"], group("assembly"), "assembly")
    compare("coverage", "coverage_classes", have["coverage_classes"], group("class", "assembly"), "class")
    files = group("file")
    compare("coverage", "coverage_files", have["coverage_files"], [{k: r[k] for k in ("file", "lines", "lines_hit", "line_share")} for r in files], "file")
    compare("coverage", "coverage_lines", have["coverage_lines"], [{"file": f, "line": line, "hits": n} for (f, line), n in lines.items()], "line")


# --- markers that may begin frames, files of a rotation -----------------------------------------------------------------------------

def candidates():
    """A marker that begins each 10 ms or a little later, and a note of how regular that is, without the longest tenth of the times, at most four."""
    c = Capture(flags=0)
    tick = c.marker("Game:Tick ()")
    c.thread_name(1001, "", "Main")
    t, rng, at, begins, spent = c.thread(), lot.draw("candidates"), MS, [], 0
    for _ in range(50):
        begins.append(at)
        length = rng.randrange(7 * MS, 8 * MS)
        t.zone(at, at + length, tick)
        spent += length
        at += rng.randrange(10 * MS, 11 * MS)
    path = c.write(suite.path("candidates.ttc"))
    rows = info(path).get("capture_frame_markers", [])
    times = sorted(b - a for a, b in zip(begins, begins[1:]))
    times = times[:len(times) - min(4, (len(times) + 9) // 10)]
    average = sum(times) / len(times)
    spread = (sum((x - average) ** 2 for x in times) / len(times)) ** .5
    compare("candidates", "capture_frame_markers", rows, [{
        "option": "--frame-marker 'Game:Tick'", "thread": "Main", "begins": 50, "every_ns": Near(average, 1), "spread": Near(100 * spread / average, .006),
        "share": Near(100 * spent / (begins[-1] + length - begins[0]), .006)}], "option")


def rotation():
    """The second file of a recording whose third one is not there, beside a capture that began 5 s later."""
    c = Capture(part=1, end=FOLLOWS)
    c.thread().zone(MS, 2 * MS, c.marker("Work"))
    path = c.write(suite.path("rotated.1.ttc"))
    row = info(path)["capture"][0]
    compare("rotation", "capture", [row], [{"rotated": 1, "recording": b"0123456789abcdef".hex(), "part": "file 1 of a rotation; more follow"}])
    other = Capture(run=b"fedcba9876543210", mono_ns=10 ** 12 + 5 * 10 ** 9, wall_ns=1700000005000000000)
    other.thread().zone(MS, 2 * MS, other.marker("Work"))
    first = Capture()
    first.thread().zone(MS, 2 * MS, first.marker("Work"))
    paths = first.write(suite.path("one.ttc")), other.write(suite.path("two.ttc"))
    rows = info("--align", "clock", *paths)["capture"]
    compare("two captures", "capture", rows, [{"path": paths[0], "offset_ns": 0}, {"path": paths[1], "offset_ns": 5 * 10 ** 9}], "path")


def flight():
    """A flight recording with two dumps, of all that its thread has between their times."""
    c = Capture(flags=KEEPS_LAST)
    t, key = c.thread(), c.marker("Work")
    for ms in range(0, 100, 10):
        t.zone(ms * MS, ms * MS + 5 * MS, key)
    c.dump(20 * MS, 45 * MS)
    c.dump(60 * MS, 85 * MS)
    have = info(c.write(suite.path("flight.ttc")))
    compare("flight", "capture", have["capture"], [{"flight": True, "dumps": 2, "kept_from_ns": 20 * MS, "kept_ns": 50 * MS}])
    compare("flight", "capture_dumps", have["capture_dumps"], [
        {"dump": 1, "from_ns": 20 * MS, "to_ns": 45 * MS, "kept_ns": 25 * MS, "process": 1},
        {"dump": 2, "from_ns": 60 * MS, "to_ns": 85 * MS, "kept_ns": 25 * MS, "process": 1}], "dump")


def layout():
    """A log whose messages are counted: four in the first block, of each frame one and four samples in two blocks, and one at the end.
    A frame's mark alone in its block says nothing of the layout."""
    n = 7
    log = Log(100)
    for k in range(n):
        log.frame(100 + 10 * k)
    log.block(SESSION, state(0, 100 + 10 * n))
    compare("layout", "capture_layout", info(log.write(suite.path("layout.raw")))["capture_layout"], [{
        "layout": "Unity 2019.3 to 2021.1", "fit": "fits", "parts": n + 2, "fitting_parts": n + 2, "messages": 5 * n + 5, "ends": n,
        "matched_ends": n, "markers": 1, "named_markers": 1, "threads": 1, "named_threads": 1, "earlier": 0, "names": 4, "text_names": 4, "lost": 0,
        "first_misfit": None, "process": 1,
        "evidence": "%d blocks, each of which ends where it must; %d messages; %d of %d ends match; 1 of 1 marker defined; 1 of 1 thread defined; %s"
                    % (n + 2, 5 * n + 5, n, n, words.say("times_within"))}])
    # A worker that nothing names begins with three zones from before the recording, and has two in it.
    log = Log(100)
    log.block(77, b"".join(zone(1, at, at + 2) for at in (40, 60, 80)) + zone(1, 101, 102) + zone(1, 103, 104))
    for k in range(n):
        log.frame(100 + 10 * k)
    log.block(SESSION, state(0, 100 + 10 * n))
    row = info(log.write(suite.path("earlier.raw")))["capture_layout"][0]
    compare("earlier", "capture_layout", [row], [{"fit": "partly", "messages": 5 * n + 15, "threads": 2, "named_threads": 1, "earlier": 6, "lost": 0}])
    suite.equal("messages from before the recording", "all times but those of 6 messages from before it are within the recording" in row["evidence"], True)
    # A block of an unknown message is no part that fits, and a loss; the marker of number 9 is not defined.
    log = Log(100)
    for k in range(n):
        log.frame(100 + 10 * k, sample(36, 0, 100 + 10 * k) + zone(9 if k == 3 else 1, 101 + 10 * k, 108 + 10 * k) + sample(37, 0, 109 + 10 * k))
    place = len(log.b)
    log.block(SESSION, struct.pack("<H", 200) + bytes(30))
    log.block(SESSION, state(0, 100 + 10 * n))
    row = info("--force", log.write(suite.path("misfit.raw")))["capture_layout"][0]
    compare("misfit", "capture_layout", [row], [{"fit": "partly", "parts": n + 3, "fitting_parts": n + 2, "ends": n, "markers": 2,
                                                 "named_markers": 1, "lost": Near(1.5, 0.6), "first_misfit": Near(place + 20, 20)}])


def sampled():
    """Allocations that stand for others: bytes of n objects. Of what is drawn by 1 in n the variance is estimated as (1 - 1 / n) * bytes^2."""
    c = Capture(producer="tracetool Mono module", args="alloc-sample")
    zones = [c.marker("Game:%s ()" % n) for n in ("Load", "Draw")]
    cls = c.marker("Item")
    t, rng, rows = c.thread(), lot.draw("sampled"), []
    for i in range(40):
        at, name = MS * (i + 1), i % 3 == 0
        t.begin(at, zones[name])
        size, stands = rng.randrange(16, 4000), rng.randrange(1, 90)
        key, t.alloc_key = zigzag(cls - t.alloc_key), cls
        t.other(at + 10, 9, key + varint(size) + varint(1) + bytes([U32]) + varint(stands))
        t.end(at + 100)
        rows.append((("Game:Load", "Game:Draw")[name], size, stands))
    path = c.write(suite.path("sampled.ttc"))
    ids = ("gcalloc", "alloc_threads", "alloc_categories", "alloc_classes", "alloc_sites", "alloc_paths")
    have = tables(path, ids)

    def row(of):
        return {"bytes": sum(size for _, size, _ in of), "count": sum(n for _, _, n in of),
                "error_bytes": Near(sum((1 - 1 / n) * size * size for _, size, n in of) ** .5, 1.5)}
    for name in ids:
        if name in ("alloc_sites", "alloc_paths"):
            key = "marker" if name == "alloc_sites" else "path"
            compare("sampled", name, have[name], [dict(row([r for r in rows if r[0] == site]), **{key: site}) for site in ("Game:Load", "Game:Draw")], key)
        else:
            compare("sampled", name, have[name], [row(rows)])


def classes():
    """Two methods, each of which allocates of two classes: the first screen names the class of most bytes."""
    c = Capture(producer="tracetool Mono module", args="alloc")
    t, now = c.thread(), MS
    classes_of = {n: c.new_key() for n in ("Item", "Nut")}
    for name, key in classes_of.items():
        c.record(76, varint(0) + varint(key) + bytes([0]) + varint(0) + text(name) + text(""))
    for method, sizes in (("Game:Load ()", {"Item": 400, "Nut": 80}), ("Game:Draw ()", {"Item": 30, "Nut": 90})):
        t.begin(now, c.marker(method))
        for name, size in sizes.items():
            now += 100
            t.alloc(now, classes_of[name], size)
        t.end(now + 100)
        now += MS
    compare("classes", "capture_allocations", first_screen(c.write(suite.path("classes.ttc")))["capture_allocations"], [
        {"site": "Game:Load", "class": "Item", "bytes": 480, "count": 2}, {"site": "Game:Draw", "class": "Nut", "bytes": 120, "count": 2}], "site")


def together():
    """Two captures on one timeline: every table that has the column process has the rows of each as it has them alone."""
    games = []
    for k in (1, 2):
        c = Capture(run=b"0123456789abcde%d" % k)
        key, hits, note, t, at = c.marker("Work %d" % k), c.counter("Hits", 3, "Game"), c.marker("GC.Alloc"), c.thread(), MS
        c.fact(0, "device", "Deck %d" % k)
        for i in range(6):
            t.frame(at)
            t.counter(at + 500, hits, I64, i + k)
            t.alloc(at + 700, note, 100 * k)
            t.zone(at + 1000, at + k * MS + i * 1000, key)
            at += (k + 4) * MS
        games.append(c.write(suite.path("game%d.ttc" % k)))
    names = ("frame_gc", "frame_markers", "frame_threads", "frame_counters", "hitches", "hitch_markers", "threads", "counters", "counter_values",
             "counter_timeline", "facts", "metadata_markers", "compared_frames")
    options = ("--hitches", "20", "--align", "start", "--buckets", "1")
    both, alone = tables(games[1], names, *options, games[0]), [tables(g, names, *options) for g in games]
    keys = {"frame_gc": "dur_ns", "hitches": "dur_ns", "hitch_markers": "self_ns", "threads": "allocs", "counters": "count", "facts": "value",
            "counter_values": "value", "counter_timeline": "max", "frame_counters": "last", "frame_markers": "self_ns", "frame_threads": "busy_ns",
            "metadata_markers": "marker", "compared_frames": "dur_ns"}
    for name in names[:-1]:
        want = [{"process": k, column: r[column]} for k, rows in ((1, alone[0][name]), (2, alone[1][name])) for column in [keys[name]] for r in rows]
        have = sorted(both[name], key=lambda r: (r["process"], str(r[keys[name]])))
        compare("together", name, have, sorted(want, key=lambda r: (r["process"], str(r[keys[name]]))), "process", keys[name])
    check(sorted({r["process"] for r in both["hitches"]}) == [1, 2], "rows of both", both["hitches"])
    compare("together", "capture_meta", [r for r in info(*games)["capture_meta"] if r["key"] == "device"], [{"value": "Deck 1", "process": 1},
                                                                                                        {"value": "Deck 2", "process": 2}], "value")
    shown = first_screen("--align", "start", *games)["capture_frames"]
    compare("together", "capture_frames", shown, [{"frame": r["frame"], "process": 2} for r in shown], "frame")     # the longer frames are its
    logs = []
    for k in (1, 2):
        log = Log(100 * k)
        for i in range(6):
            at = 100 * k + 10 * i
            inside = {1: sample(36, 1, at + 2), 3: sample(37, 1, at + 2)}.get(i, zone(1, at + 1, at + 8))
            log.frame(at, sample(36, 0, at) + inside + sample(37, 0, at + 9))
        log.block(MAIN, struct.pack("<H", 200 + k) + bytes(30))
        log.block(SESSION, state(0, 100 * k + 60))
        logs.append(log.write(suite.path("log%d.raw" % k)))
    compare("two logs", "spanning_zones", tables(logs[1], ["spanning_zones"], "--align", "start", logs[0])["spanning_zones"],
            [{"marker": "Work", "process": 1, "count": 1}, {"marker": "Work", "process": 2, "count": 1}], "process")
    compare("two logs", "capture_unknown", info("--align", "start", *logs)["capture_unknown"], [{"type": 201, "messages": 1, "process": 1},
                                                                                               {"type": 202, "messages": 1, "process": 2}], "type")
    held = [Game(k, frames=120).write(suite.path("held%d.raw" % k)) for k in (1, 2)]
    compare("two held", "frame_shown", tables(held[1], ["frame_shown"], "--align", "start", held[0])["frame_shown"],
            [{"process": 1, "limit": "display"}, {"process": 2, "limit": "display"}], "process")


def capped():
    """Sixty frames that a timer holds: each is worst by what it works, the rest of its period is a wait for the limit."""
    c = Capture()
    loop, wait, t, at = c.marker("PlayerLoop"), c.marker("WaitForTargetFPS"), c.thread(), MS
    period, work = 1000 * MS // 60, {}
    for k in range(1, 61):
        t.frame(at)
        work[k] = (4 + k * 7 % 11) * MS + k * 1000
        t.begin(at, loop)
        t.zone(at + work[k], at + period, wait)
        t.end(at + period)
        at += period
    t.frame(at)
    have = tables(c.write(suite.path("capped.ttc")), ["hitches"], "--hitches", "60")["hitches"]
    compare("capped", "hitches", have, [{"frame": k, "worst_by_ns": work[k]} for k in work], "frame")
    check([r["frame"] for r in have] == sorted(work, key=lambda k: -work[k]), "capped frames are sorted by the column", [r["frame"] for r in have])


# --- the first screen ---------------------------------------------------------------------------------------------------------------

def long_frames():
    """Frames of 10 ms; three are longer by a call that usually takes 1 ms. What they have beyond the typical frame is known."""
    c = Capture()
    loop, load, t, at, frames = c.marker("PlayerLoop"), c.marker("Level.Load"), c.thread(), MS, []
    more = {7: 20 * MS, 17: 30 * MS, 25: 25 * MS}
    for k in range(1, 61):
        t.frame(at)
        length = 10 * MS + more.get(k, 0)
        t.begin(at + 1000, loop)
        t.zone(at + 2 * MS, at + 3 * MS + more.get(k, 0), load)
        t.end(at + length - 1000)
        frames.append((k, at, length))
        at += length
    t.frame(at)
    path = c.write(suite.path("long.ttc"))
    have = tables(path, ("causes", "frame_causes"))
    long_ones = [f for f in frames if f[0] in more]
    compare("long frames", "causes", [r for r in have["causes"] if r["class"] != "steady"], [
        {"frames": "frames 7, 17 and 25", "count": 3, "worst": 17, "class": "slow_call", "marker": "Level.Load", "extra_ns": sum(more.values())}], "marker")
    compare("long frames", "frame_causes", have["frame_causes"], [
        {"frame": k, "dur_ns": length, "extra_ns": more[k], "class": "slow_call", "worst": 17} for k, _, length in long_ones], "frame")
    shown = first_screen(path)
    compare("long frames", "capture_frames", shown["capture_frames"], [
        {"frame": k, "dur_ns": length, "process": None, "uncapped_ns": None} for k, _, length in sorted(long_ones, key=lambda f: -f[2])], "frame")
    compare("long frames", "capture_causes", [r for r in shown["capture_causes"] if r["class"] != "steady"], [
        {"frames": "frames 7, 17 and 25", "class": "slow_call"}], "class")
    said = {k: "Level.Load: %.2f ms, usually 1.000 ms" % ((MS + ns) / MS) for k, ns in more.items()}
    compare("long frames", "frame_causes", have["frame_causes"], [{"frame": k, "sentence": said[k]} for k in more], "frame")
    compare("long frames", "capture_frames", shown["capture_frames"], [{"frame": k, "sentence": said[k]} for k in more], "frame")
    whole = {"class": "slow_call", "sentence": "Level.Load: 21.00 to 31.00 ms, usually 1.000 ms"}
    for table, rows in (("causes", have["causes"]), ("capture_causes", shown["capture_causes"])):
        compare("long frames", table, [r for r in rows if r["class"] != "steady"], [whole], "class")
    compare("long frames", "capture_summary", shown["capture_summary"], [{
        "path": path, "producer": "tracetool Unity recorder, Linux, x86_64", "extent": "675.0 ms, 1 thread, 301 events, on 2023-11-14 at 22:13 UTC",
        "whole": "yes, nothing was lost", "frames": "60 whole, 1 partial left out: median 10.00 ms, p99 40.00 ms, longest 40.00 ms", "seen": "88.9 fps",
        "fps_60": "missed by 3 of 60 frames, 5.0 %", "fps_30": "missed by 2 of 60 frames, 3.3 %"}])
    one = first_screen("--frames", "17", path)["capture_summary"]
    compare("one frame", "capture_summary", one, [{"shown": "only --frames 17"}])
    compare("long frames", "capture_next", shown["capture_next"], [
        {"what": "the worst frame", "command": "tracetool stats --frames 17 " + path}, {"what": "more tables", "command": "tracetool stats " + path},
        {"what": "a page to share", "command": "tracetool report %s -o report.html" % path}], "what")
    for r in shown["capture_next"]:
        p = subprocess.run([TRACETOOL, *r["command"].split()[1:]], cwd=suite.dir, capture_output=True, text=True)
        check(p.returncode == 0 and (p.stdout or os.path.exists(suite.path("report.html"))), "the first screen's command: " + r["what"], p.stderr)


def listed():
    """What the first screen lists of a game without causes: markers without waits by their own time, sites by bytes."""
    c = Capture()
    names = ["Update", "Draw", "Think", "Semaphore.WaitForSignal"]
    keys, alloc = [c.marker(n) for n in names], c.marker("GC.Alloc")
    t, rng = c.thread(), lot.draw("listed")
    own, count, bytes_of, n_of, at = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter(), MS
    for _ in range(41):
        t.frame(at)
        now = at + 1000
        for name, key in zip(names, keys):
            length = rng.randrange(10, 30) * 100 * US
            t.begin(now, key)
            if name in ("Update", "Think"):
                size = rng.randrange(100, 900)
                t.alloc(now + 10, alloc, size)
                bytes_of[name] += size
                n_of[name] += 1
            t.end(now + length)
            own[name] += length
            count[name] += 1
            now += length + 1000
        at = now + 5 * MS
    t.frame(at)
    have = first_screen(c.write(suite.path("listed.ttc")))
    whole, every = sum(own[n] for n in names[:3]), sum(bytes_of.values())
    compare("listed", "capture_markers", have["capture_markers"], [
        {"marker": n, "self_ns": own[n], "self_share": share(own[n], whole), "count": count[n], "frame_self_mean_ns": mean(own[n], 41)} for n in names[:3]],
        "marker")
    compare("listed", "capture_allocations", have["capture_allocations"], [
        {"site": n, "bytes": bytes_of[n], "bytes_share": share(bytes_of[n], every), "count": n_of[n]} for n in bytes_of], "site")


for part in (measured, phases, on_refreshes, capped, collections_in_frames, runtime, candidates, rotation, flight, layout, sampled, classes, together,
             long_frames, listed):
    part()
end(suite, "oracle/made_columns")
