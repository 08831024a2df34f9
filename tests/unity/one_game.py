#!/usr/bin/env python3
"""One game, recorded three ways: by our plug-in in the stand-in engine (.ttc), by Unity's profiler (.raw), by its Editor (.data).

The game is described once, as data: frames, threads, zones, waits, allocations, collections, flows, counters, instants, labels, names. Each
recording is made of that description, with the same times to the ns, and all tables of `stats` must be the same, cell by cell. What differs
because of what a format can say is in FACTS, with the reason.
"""
import argparse
import json
import os
import random
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import data_gen
import raw_gen
from suite import BUILD, Suite, TRACETOOL

US, FRAMES, VERSION = 1000, 60, 0x20220328
I32, U32, I64, F32, F64, TEXT, TEXT16 = 2, 3, 4, 6, 7, 8, 9
FORMS = {I32: "<i", U32: "<I", I64: "<q", F32: "<f", F64: "<d"}
UNITS = {"ns": 1, "bytes": 2, "count": 3, "percent": 4, None: 0}
CATEGORIES = ["Render", "Scripts", "Managed Jobs", "Burst Jobs", "GUI", "Physics", "Animation", "AI", "Audio", "Audio Job", "Audio Update Job",
              "Video", "Particles", "Gi", "Network", "Loading", "Other", "GC", "VSync", "Overhead", "PlayerLoop", "Director", "VR", "Memory",
              "Internal", "FileIO", "UI Layout", "UI Render", "VFX", "Build Interface", "Input", "Virtual Texturing", "GPU", "Physics2D",
              "My Category"]
SCRIPT, EDITOR, RELEASE, COUNTER = 2, 4, 8, 0x80

# Group, name, and whether Unity gives it frames of its own, with a root zone of its name.
THREADS = [("", "Main Thread", True), ("", "Render Thread", True), ("Job", "Worker 0", True), ("Job", "Worker 1", True),
           ("Loading", "Pr\u00e9load \u65e5\u672c", False)]
MAIN, RENDER, WORKER, PRELOAD = 0, 1, (2, 3), 4

# Name, category, flags, values: (type, unit, name).
MARKERS = [
    ("Main Thread", "Other", 0, []), ("Render Thread", "Other", 0, []), ("Job.Worker 0", "Other", 0, []), ("Job.Worker 1", "Other", 0, []),
    ("PlayerLoop", "PlayerLoop", RELEASE, []), ("BehaviourUpdate", "Scripts", 0, []),
    ("Game.dll!Game::Enemy.Update()", "Scripts", SCRIPT, []), ("Enemy.Think \"quick\", \u00dcml\u00e4ut", "My Category", SCRIPT, []),
    ("GC.Alloc", "Memory", 0, [(I64, "bytes", "size")]), ("GC.Collect", "GC", RELEASE, []), ("EditorLoop", "Overhead", EDITOR, []),
    ("Profiler.Default", "Internal", SCRIPT, [(I32, None, "Object"), (TEXT, None, "Name"), (U32, None, "Category")]),
    ("File.Read", "FileIO", 0, [(TEXT, None, "file"), (I64, "bytes", "offset"), (I64, "bytes", "size")]),
    ("WaitForTargetFPS", "VSync", RELEASE, []), ("Gfx.WaitForPresentOnGfxThread", "VSync", RELEASE, []),
    ("Semaphore.WaitForSignal", "Other", RELEASE, []), ("Idle", "Other", 0, []), ("Camera.Render", "Render", 0, []),
    ("Shadows.PrepareJob", "Render", 0, []), ("JobScheduler.Schedule", "Managed Jobs", 0, []), ("Physics.Step", "Physics", 0, []),
    ("Loading.ReadObject", "Loading", 0, []), ("Checkpoint", "Scripts", SCRIPT, [(TEXT, None, "what")]),
    ("Total Used Memory", "Memory", COUNTER, [(I64, "bytes", "Value")]), ("Draw Calls Count", "Render", COUNTER, [(I32, "count", "Value")]),
    ("CPU Total Frame Time", "Render", COUNTER, [(I64, "ns", "Value")]), ("GPU Frame Time", "Render", COUNTER, [(I64, "ns", "Value")]),
    ("Enemies", "My Category", COUNTER, [(F32, None, "Value")]), ("Heat", "My Category", COUNTER, [(F64, None, "Value")]),
]
ID = {m[0]: 100 + i for i, m in enumerate(MARKERS)}
TID = [11700 + 4 * i for i in range(len(THREADS))]


class Node:
    """A zone; or what has no duration: an allocation, a sample of a counter, an instant. Flows are the zone's own."""

    def __init__(self, name, at, end, values=(), flows=()):
        self.name, self.at, self.end, self.values, self.flows, self.inside = name, at, end, list(values), list(flows), []

    def zone(self, name, at, end, values=(), flows=()):
        self.inside.append(Node(name, at, end, values, flows))
        return self.inside[-1]

    def at_once(self, name, at, values):
        return self.zone(name, at, at, values)


def counter(node, name, at, value):
    node.at_once(name, at, [(MARKERS[ID[name] - 100][3][0][0], value)])


def enemies(loop, rng, at, end, k):
    """Scripts with allocations, labels, files."""
    update = loop.zone("BehaviourUpdate", at, end)
    step = (end - at) // 8 // US * US
    for i in range(6):
        t = at + (i + 1) * step
        e = update.zone("Game.dll!Game::Enemy.Update()", t, t + step - 20 * US)
        if i % 2 == 0:
            for n in range(1 + rng.randrange(3)):
                e.at_once("GC.Alloc", t + (1 + n) * US, [(I64, 24 + 8 * rng.randrange(200))])
        if i % 3 == 1:
            text = (TEXT, "Boss #%d" % (k % 3)) if i == 4 else (TEXT if k % 2 else TEXT16, "Enemy \u00e9 #%d" % (k % 5))
            label = e.zone("Profiler.Default", t + 9 * US, t + 60 * US, [(I32, 7 * (i % 2)), text, (U32, CATEGORIES.index("Scripts"))])
            label.zone("Enemy.Think \"quick\", \u00dcml\u00e4ut", t + 10 * US, t + 55 * US)
        if i == 5 and k % 4 == 0:
            e.zone("File.Read", t + 3 * US, t + 50 * US, [(TEXT, "level%d.bundle" % (k % 3)), (I64, 4096 * k), (I64, 4096)])


def main_thread(root, rng, t0, end, k, instants):
    root.zone("EditorLoop", t0 + 5 * US, t0 + 900 * US)
    stop = end - (3000 + rng.randrange(1500)) * US
    loop = root.zone("PlayerLoop", t0 + 1000 * US, stop)
    enemies(loop, rng, t0 + 1100 * US, t0 + 6000 * US, k)
    loop.zone("Physics.Step", t0 + 6100 * US, t0 + (6500 + rng.randrange(500)) * US)
    loop.zone("JobScheduler.Schedule", t0 + 7100 * US, t0 + 7200 * US, flows=[(0, k + 1)])
    if k % 9 == 4:
        loop.zone("GC.Collect", t0 + 7300 * US, t0 + 9300 * US)
    loop.zone("Semaphore.WaitForSignal", t0 + 9400 * US, t0 + 9600 * US, flows=[(2, k + 1)])
    for name, value in (("Total Used Memory", 2 ** 31 + k * 1000), ("Draw Calls Count", 300 + k % 7), ("Enemies", 36.5 + k), ("Heat", -0.25 * k),
                        ("CPU Total Frame Time", 9000000 + k), ("GPU Frame Time", 7000000 + 3 * k)):
        counter(root, name, stop + 100 * US, value)
    if instants and k % 5 == 3:
        root.at_once("Checkpoint", stop + 150 * US, [(TEXT, "wave %d" % k)])
    root.zone("WaitForTargetFPS", stop + 200 * US, end - 10 * US)


def render_thread(root, rng, t0, end):
    camera = root.zone("Camera.Render", t0 + 300 * US, t0 + (4000 + rng.randrange(6000)) * US)
    camera.zone("Shadows.PrepareJob", t0 + 400 * US, t0 + 900 * US)
    root.zone("Gfx.WaitForPresentOnGfxThread", end - 4000 * US, end - 100 * US)


def worker(root, rng, t0, k, which):
    at = t0 + 7200 * US
    for _ in range(2 + rng.randrange(4)):
        root.zone("Idle", at, at + 50 * US)
        root.zone("Shadows.PrepareJob", at + 60 * US, at + (200 + rng.randrange(100)) * US, flows=[(1 + 2 * which, k + 1)])
        at += 400 * US


def preload(root, t0, end):
    read = root.zone("Loading.ReadObject", t0 + 50 * US, end - 50 * US)
    read.zone("File.Read", t0 + 60 * US, end - 60 * US, [(TEXT, "scene.bundle"), (I64, 0), (I64, 2 ** 33)])


def game(instants):
    """Frames: begin and end of each, and what each thread does in it. An instant is in .data what a zone of no length is."""
    rng, frames, t0 = random.Random(16), [], 0
    for k in range(FRAMES):
        end = t0 + (60000 if k % 17 == 11 else 16600 + rng.randrange(200)) * US
        roots = [Node(MARKERS[i][0] if own else None, t0, end - 5 * US) for i, (_, _, own) in enumerate(THREADS)]
        main_thread(roots[MAIN], rng, t0, end, k, instants)
        render_thread(roots[RENDER], rng, t0, end)
        for i, w in enumerate(WORKER):
            worker(roots[w], rng, t0, k, i)
        if k % 6 == 2:
            preload(roots[PRELOAD], t0, end)
        frames.append((t0, end, roots))
        t0 = end
    return frames


def events(frames, with_roots):
    """What happens, in the order of time: (ns, thread, what, name, values)."""
    out = []

    def visit(thread, n, is_root):
        show = n.name and (with_roots or not is_root)
        if show and n.at == n.end and n.name != "GC.Alloc":
            out.append((n.at, thread, "single", n.name, n.values))
            return
        for kind, flow in n.flows:
            if kind in (1, 3):
                out.append((n.at, thread, "flow", kind, flow))
        if show:
            out.append((n.at, thread, "begin", n.name, n.values))
        for kind, flow in n.flows:
            if kind not in (1, 3):
                out.append((n.at, thread, "flow", kind, flow))
        for c in n.inside:
            visit(thread, c, False)
        if show:
            out.append((n.end, thread, "end", n.name, []))
    for k, (t0, _, roots) in enumerate(frames):
        out.append((t0, MAIN, "frame", k, []))
        for thread, root in enumerate(roots):
            if root.inside:
                visit(thread, root, True)
    return sorted(out, key=lambda e: e[0])


def value_bytes(kind, value):
    return struct.pack(FORMS[kind], value) if kind in FORMS else value.encode("utf-16-le" if kind == TEXT16 else "utf-8")


# --- the three recordings ---------------------------------------------------------------

def ttc(path, frames):
    lines = ["category " + CATEGORIES[-1]]
    lines += ["marker %d %d %d %s" % (ID[n], CATEGORIES.index(c), flags, n) for n, c, flags, _ in MARKERS]
    lines += ["thread %s\t%s" % (group, name) for group, name, _ in THREADS]
    for at, thread, what, name, values in events(frames, False):
        args = name if what == "flow" else "" if what == "frame" else ID[name]
        more = " %d" % values if what == "flow" else "".join(" %d %s" % (t, value_bytes(t, v).hex()) for t, v in values)
        lines.append(("%d %d %s %s%s" % (at, thread, what, args, more)).rstrip())
    with open(path + ".txt", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRACETOOL_")}
    r = subprocess.run([os.path.join(BUILD, "host", "script"), path + ".txt", path], env=dict(env, BUILD=BUILD), capture_output=True, check=False)
    if r.returncode:
        sys.exit("script: %s" % r.stderr.decode())


def raw(path, frames, with_roots):
    o = argparse.Namespace(seed=1, version=VERSION, aligned=0, platform=19, unity=[2022, 3, 10, 2, 1], clock="ns", scenario="clean", block=16348,
                           wide=False, big=0)
    c = raw_gen.Capture(o)
    began = c.now
    c.header(TID[MAIN])
    for i, (group, name, own) in enumerate(THREADS):
        c.thread(TID[i], group, name, 0 if own and with_roots else 1)
    for i, name in enumerate(CATEGORIES):
        c.category(i, name, 1)                        # a colour: the one that data_gen.py gives all of them
    for name, category, flags, values in MARKERS:
        c.marker(ID[name], name, flags, CATEGORIES.index(category), [(t | UNITS[u] << 8, n) for t, u, n in values])
    c.state(True, 0)
    for at, thread, what, name, values in events(frames, with_roots):
        c.now = began + at
        if what == "frame":
            c.frame(TID[thread], name)
        elif what == "flow":
            c.flow(TID[thread], name, values)
        else:
            encoded = [(t, value_bytes(t, v) if t in (TEXT, TEXT16) else v) for t, v in values]
            c.ev(TID[thread], ("begin", "end", "single").index(what), ID[name], values=encoded or None)
    for tid in TID[1:]:               # in the stand-in engine threads end with the game
        c.now = began + at
        c.cleanup(tid)
    for s in list(c.streams):
        c.flush(s)
    c.state(False, len(frames) - 1)
    with open(path, "wb") as f:
        f.write(c.file)


class Data(data_gen.Capture):
    def __init__(self, frames):
        super().__init__(argparse.Namespace(seed=1, version=VERSION, markers=0, scenario="clean", unity=[2022, 3, 10, 2, 1], audio_pad=0))
        self.frames, self.at, self.begin = frames, 0, self.now
        self.markers = {ID[n]: (ID[n], n, CATEGORIES.index(c), flags, [(t | UNITS[u] << 8, v) for t, u, v in values])
                        for n, c, flags, values in MARKERS}
        self.categories, self.code = list(enumerate(CATEGORIES)), []

    def length(self):
        return self.frames[self.at][1] - self.frames[self.at][0]

    def gpu_us(self):
        return 0

    def threads(self, idx):
        return [(TID[i], group, name) for i, (group, name, _) in enumerate(THREADS) if self.frames[idx][2][i].inside]

    def tree(self, name, t0, length):
        def sample(n, root):
            s = data_gen.Sample(None if root else ID[n.name], self.begin + n.at, n.end - n.at)
            s.values = [(t, value_bytes(t, v)) for t, v in n.values]
            s.flows = [(flow, kind) for kind, flow in n.flows]
            s.gc = n.values[0][1] if n.name == "GC.Alloc" else None
            s.children = [sample(c, False) for c in n.inside]
            return s
        return sample(self.frames[self.at][2][[n for _, n, _ in THREADS].index(name)], True)


def data(path, frames):
    c = Data(frames)
    with open(path, "wb") as f:
        for c.at in range(len(frames)):
            head, body, _, _ = c.record(c.at, c.at)
            f.write(head + body)
        f.write(struct.pack("<I", data_gen.END))


# --- the tables ---------------------------------------------------------------------------

NEVER = ["Main Thread", "Render Thread", "Job.Worker 0", "Job.Worker 1", "Checkpoint"]      # markers without samples where .data is compared
# What a recording cannot have, or has besides: recordings, table, column (None: rows, by the test after it), the reason.
FACTS = [
    ("ttc", "threads", "tid", "the plug-in records a thread's address, Unity its own number"),
    ("ttc raw data roots", "threads", "events", "each counts its messages: .raw has ends of allocations, .data samples of each frame"),
    ("roots", "threads", "first_ns", "a root is no zone, but an event: it begins with the frame"),
    ("roots", "threads", "last_ns", "the same: it ends with the frame"),
    ("roots", "threads", "busy_share", "the share is of the time from first_ns to last_ns"),
    ("roots", "timeline", "from_ns", "the last root ends after all else, so that parts of the time are longer"),
    ("roots", "timeline", "to_ns", "the same"),
    ("roots", "counter_timeline", "from_ns", "the same"),
    ("roots", "counter_timeline", "to_ns", "the same"),
    ("data", "threads", "first_ns", ".data has whole frames: a thread begins with the frame"),
    ("data", "threads", "last_ns", ".data says nothing of a thread's end: it lasts up to its last sample"),
    ("data", "threads", "busy_share", "the share is of the time from first_ns to last_ns"),
    ("ttc", "hitches", "engine_frame", "the plug-in is not told the engine's number of a frame"),
    ("ttc", "compared_frames", "engine_frame", "the same"),
    ("ttc", "capture_threads", "tid", "as in threads"),
    ("ttc raw data roots", "capture_threads", "events", "as in threads"),
    ("roots", "capture_threads", "first_ns", "as in threads"),
    ("roots", "capture_threads", "last_ns", "as in threads"),
    ("data", "capture_threads", "first_ns", "as in threads"),
    ("data", "capture_threads", "last_ns", "as in threads"),
    ("ttc", "counters", "id", "callbacks give markers no lasting number: the plug-in numbers them itself"),
    ("ttc data", "metadata", "loaded", "the plug-in has markers of its own, and .data only those that samples have"),
    ("ttc", "metadata_categories", "color", "Unity's files have the number of a colour, whose shade is tracetool's"),
]
# Tables that are about the file, not the game.
OF_FILE = {
    "capture": "its name, format, size and clock",
    "capture_meta": "facts that the header of each form has",
    "capture_layout": "how well the layout of its own form fits",
    "capture_events": "how many messages of each type the form has",
}
ROWS = [
    ("ttc", "metadata_classes", lambda r: r["class"] == "GC.Alloc", "the plug-in says when it met it, Unity does not: no filter of time leaves it out"),
    ("ttc", "metadata_markers", lambda r: r["marker"].startswith("Tracetool."), "the plug-in's own markers"),
    ("ttc", "metadata_categories", lambda r: r["category"] == "Tracetool", "the plug-in's own category"),
    ("ttc", "facts", lambda r: r["key"].startswith("recorder."), "what the plug-in says of itself"),
    ("raw ttc", "metadata_markers", lambda r: r["marker"] in NEVER, ".data has only markers that samples have"),
]


def tables(path, *options):
    """All there are, whole."""
    listed = json.loads(subprocess.run([TRACETOOL, "list", "passes", "--format", "json"], capture_output=True, check=True).stdout)
    names = [n for p in listed["tables"]["passes"]["rows"] for n in p["tables"].split()]
    r = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", "--table", ",".join(names), *options, path],
                       capture_output=True, check=False)
    if r.returncode:
        sys.exit("stats: %s" % r.stderr.decode())
    return json.loads(r.stdout)["tables"]


def compare(suite, have, want, seen):
    """Two recordings, (form, tables). ${seen}: the facts that explained a difference."""
    both = {have[0], want[0]}
    suite.equal("tables of .%s and .%s" % (have[0], want[0]), sorted(have[1]), sorted(want[1]))
    for name, table in want[1].items():
        if name in OF_FILE:
            continue
        sides = [have[1][name]["rows"], table["rows"]]
        for k, (forms, where, drop, _) in enumerate(ROWS):
            if where == name and both & set(forms.split()) and (k < 4 or "data" in both):
                less = [[r for r in rows if not drop(r)] for rows in sides]
                seen.update(["row %d" % k] if less != sides else [])
                sides = less
        if name == "metadata_markers" and "data" in both:
            sides = [sorted(rows, key=lambda r: r["marker"]) for rows in sides]      # .data defines them as they are met
        for k, (forms, where, column, _) in enumerate(FACTS):
            if where == name and both & set(forms.split()):
                values = [[r.pop(column) for r in rows] for rows in sides]
                seen.update([k] if values[0] != values[1] else [])
        if "ttc" in both:
            # The plug-in's threads are numbered as their first chunks are written, which is a matter of time; tables are in that order.
            sides = [sorted(({c: v for c, v in r.items() if c != "number"} for r in rows), key=json.dumps) for rows in sides]
        wrong = ["row %d: %s" % (i, {c: (a.get(c), b.get(c)) for c in {**a, **b} if a.get(c) != b.get(c)})
                 for i, (a, b) in enumerate(zip(*sides)) if a != b]
        if len(sides[0]) != len(sides[1]):
            wrong.insert(0, "%d rows, and %d" % tuple(map(len, sides)))
        suite.check("%s of .%s as of .%s" % (name, have[0], want[0]), wrong[:4])


def last_frame(suite, form, path):
    """A capture whose last frame never has an end, as .data, says that the frame is not among those that it counts, and what it has of it."""
    r = subprocess.run([TRACETOOL, "-q", "--format", "json", path], capture_output=True, check=True)
    text = json.loads(r.stdout)["tables"]["capture_summary"]["rows"][0]["frames"]
    said = r"%d(?: whole, 1 partial left out)?: .*; without the last one, whose end is not in the file: it has 16\.[56][0-9]* ms" % (FRAMES - 1)
    suite.check("the last frame of ." + form, None if re.fullmatch(said, text) else text)


def main():
    suite, seen = Suite(), set()
    # Instants are zones of no length in .data: it is compared without. A root is no zone in any: .raw with roots is as .raw without.
    for instants in (False, True):
        frames = game(instants)
        path = {form: suite.path("game." + form) for form in ("ttc", "raw", "data")}
        path["roots"] = suite.path("roots.raw")
        ttc(path["ttc"], frames)
        raw(path["raw"], frames, False)
        raw(path["roots"], frames, True)
        data(path["data"], frames)
        last_frame(suite, "data", path["data"])
        for options in ([], ["--group-by", "thread"], ["--time", "0.2-0.9"]):
            t = {form: lambda form=form: tables(path[form], *options) for form in path}
            compare(suite, ("ttc", t["ttc"]()), ("raw", t["raw"]()), seen)
            compare(suite, ("roots", t["roots"]()), ("raw", t["raw"]()), seen)
            if not instants:
                compare(suite, ("data", t["data"]()), ("raw", t["raw"]()), seen)
                compare(suite, ("data", t["data"]()), ("ttc", t["ttc"]()), seen)
    suite.equal("each fact explains something", [x for x in list(range(len(FACTS))) + ["row %d" % k for k in range(len(ROWS))] if x not in seen], [])
    suite.end()


if __name__ == "__main__":
    main()
