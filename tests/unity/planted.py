#!/usr/bin/env python3
"""Causes planted into one game, over .raw, .data, .ttc and .mlpd, in three sizes each, against the game's own truth.

The game is data: of each frame the zones of each thread, whose times the tests know. Of the largest and the middle size, the first screen names
the kind and the place. Every figure of every sentence, of any size, is that of the game within 1 %, and that of `stats --frames N` of the same frame.
In quiet games with a machine's noise nobody is accused, and noise comes after what repeats or grows. Arguments: the kinds to run.
"""
import os
import random
import re
import statistics
import sys

from planted_forms import FORMS, THREADS, Zone
from raw_log import MS
from ttc import Suite
import lot

FRAMES, EVERY, FIRST = 160, 20, 13
SIZES = (12, 6, 2.5)          # ms, of frames of about 5
RENDER, POOL = "Render Thread", ("Worker 0", "Worker 1", "Worker 2")
PRELOAD = "Loading.PreloadManager"
THREADS.extend([RENDER, *POOL, PRELOAD])
suite = Suite()


class Frame:
    """Zones of the main thread, and by thread, (ms after the frame's begin, zone)."""

    def __init__(self, k, rng, names):
        self.k, self.names, self.others, self.outside, self.start, self.end = k, names, [], 0, 0, 0
        self.scripts = Zone(names["dispatch"], .0625, Zone(names["enemy"], .6 + rng.random() / 16), Zone(names["hud"], .375), Zone(names["laser"], .25))
        self.camera = Zone(names["camera"], .75 + rng.random() / 16, Zone(names["cull"], .5))
        self.physics = Zone(names["physics"], .875 + rng.random() / 16)
        self.audio = Zone(names["audio"], .75)
        self.loop = Zone(names["loop"], .125, self.scripts, self.physics, self.audio, self.camera)

    def script(self, *zones):
        self.scripts.calls.extend(zones)

    def lay(self, start):
        self.start = start
        self.end = start + self.loop.place(round(.03125 * MS)) + round((.03125 + self.outside) * MS)
        return self.end

    def when(self, name):
        """(begin, end) of the last zone of that name on the main thread, in ms of the frame."""
        self.lay(0)
        z = [z for z, _ in self.loop.walk() if z.name == name][-1]
        return z.start / MS, z.end / MS

    def other(self, tid, ends, zone):
        """A zone of another thread that ends at ${ends} ms of the frame."""
        took = zone.place(0) / MS
        self.others.append((tid, ends - took, zone))

    def zones(self, name, by=None):
        """The outermost zones of that name on the main thread; ${by}: those right below or somewhere below zones of this name."""
        return [z for z, around in self.loop.walk() if z.name == name and all(a.name != name for a in around) and
                (by is None or any(a.name == by for a in around))]

    def total(self, name, by=None):
        return sum(z.end - z.start for z in self.zones(name, by)) / MS

    def calls(self, name):
        return sum(z.name == name for z, _ in self.loop.walk())


UNITY = {"loop": "PlayerLoop", "dispatch": "BehaviourUpdate", "enemy": "Game.dll!Game::Enemy.Update()", "hud": "Game.dll!Ui::Hud.Update()",
         "laser": "Game.dll!Game::Laser.Update()", "camera": "Camera.Render", "cull": "Culling", "physics": "Physics.Simulate",
         "audio": "AudioManager.Update", "sleep": "mscorlib.dll!System.Threading::Thread.Sleep()", "lock": "mscorlib.dll!System.Threading::Monitor.Enter()",
         "read": "File.Read", "script": "Game.dll!Game::%s()", "linq": "System.Core.dll!System.Linq::Enumerable.ToList()",
         "regex": "System.dll!System.Text.RegularExpressions::Regex..ctor()", "task": "mscorlib.dll!System.Threading.Tasks::Task.Wait()",
         "socket": "System.dll!System.Net.Sockets::Socket.Receive()"}
MONO = {"loop": "Game:Tick ()", "dispatch": "Game:Scripts ()", "enemy": "Enemy:Update ()", "hud": "Ui.Hud:Update ()", "laser": "Laser:Update ()",
        "camera": "Camera:Render ()", "cull": "Camera:Cull ()", "physics": "Physics:Simulate ()", "audio": "Audio:Mix ()",
        "sleep": "System.Threading.Thread:Sleep (int)", "lock": "System.Threading.Monitor:Enter (object)",
        "read": "System.IO.FileStream:Read (byte[],int,int)", "script": "%s ()",
        "linq": "System.Linq.Enumerable:ToList (System.Collections.Generic.IEnumerable)",
        "regex": "System.Text.RegularExpressions.Regex:.ctor (string)", "task": "System.Threading.Tasks.Task:Wait ()",
        "socket": "System.Net.Sockets.Socket:Receive (byte[])"}


def script(n, name):
    """A method of the program: "Quest.Update" or "Quest:Update"."""
    return n["script"] % (name if n is UNITY else name.replace(".", ":"))


def game(n, plant, seed=1, frames=FRAMES):
    """Frames of the game, into which ${plant}(k, frame) plants something."""
    rng, out, at = random.Random(seed), [], MS
    for k in range(frames):
        f = Frame(k, rng, n)
        if plant:
            plant(k, f)
        at = f.lay(at)
        out.append(f)
    return out


# --- what is planted -------------------------------------------------------------------------------------------------------------

def hits(k):
    return k % EVERY == FIRST


def rare(make):
    """Plant in every 20th frame."""
    def of(n, ms):
        def plant(k, f):
            if hits(k):
                make(n, ms, f)
        return plant
    return of


def job(n, ms, f):
    f.script(Zone(script(n, "Director.Update"), .125, Zone("WaitForJobGroupID", ms)))
    f.other(POOL[1], f.when("WaitForJobGroupID")[1] - .0625, Zone("NavGridJob (Burst)", ms + .5))
    f.other(POOL[0], f.when("WaitForJobGroupID")[0] + 1, Zone("Idle", .75))


def present(n, ms, f):
    f.loop.calls.append(Zone("Gfx.WaitForPresentOnGfxThread", ms))
    f.other(RENDER, f.when("Gfx.WaitForPresentOnGfxThread")[1], Zone("Gfx.PresentFrame", ms + .25))


def behind_lock(n, ms, f):
    f.script(Zone(script(n, "Shop.Open"), .125, Zone("Loading.LockPersistentManager", ms)))
    f.other(PRELOAD, f.when("Loading.LockPersistentManager")[1], Zone("Loading.AsyncRead", .03125, Zone(n["read"], ms - .0625)))


def pool_sleeps(n, ms, f):
    f.script(Zone(script(n, "Planner.Update"), .125, Zone(n["task"], ms)))
    for i, t in enumerate(POOL):
        f.other(t, f.when(n["task"])[1] - i * .125, Zone(script(n, "Pool.Work"), .03125, Zone(n["sleep"], ms - .125)))


def logs(n, ms, f):
    f.script(Zone(script(n, "QuestTracker.Update"), .125, *[Zone("LogStringToConsole", ms / 400, Zone("ExtractStackTrace", ms * 9 / 400)) for _ in range(40)]))


def faces(n, ms, f):
    f.loop.calls.append(Zone("ReflectionProbes.Update", .0625, *[Zone("ReflectionProbe.RenderFace", .0625, Zone(n["camera"], ms / 6)) for _ in range(6)]))


def steady(inner, many):
    def of(n, ms):
        def plant(k, f):
            f.script(Zone(script(n, "Census.Refresh"), .25, *[Zone(n[inner], ms / 2 / many) for _ in range(many)]))
        return plant
    return of


def in_script(marker, method, many=1):
    def make(n, ms, f):
        name = n.get(marker, marker)
        f.script(Zone(script(n, method), .125, *[Zone(name, ms / many) for _ in range(many)]))
    return rare(make)


def in_engine(marker, where):
    def make(n, ms, f):
        getattr(f, where).calls.append(Zone(marker, ms))
    return rare(make)


def slow(n, ms):
    def plant(k, f):
        f.script(Zone(script(n, "Shop.Refresh"), .25 + (ms if hits(k) else 0)))
    return plant


def two_slow(n, ms):
    def plant(k, f):
        f.script(*[Zone(script(n, m), .25 + (ms / 2 if hits(k) else 0)) for m in ("Shop.Refresh", "Map.Redraw")])
    return plant


def more_calls(n, ms):
    def plant(k, f):
        f.script(Zone(script(n, "Sensor.Sweep"), .0625, *[Zone(script(n, "Ray.Cast"), .03125) for _ in range(8 + int(ms * 32) * hits(k))]))
    return plant


def more_steps(n, ms):
    def plant(k, f):
        f.loop.calls.append(Zone("FixedUpdate", .03125, *[Zone("Rigidbodies.Step", .25) for _ in range(1 + int(ms * 4) * hits(k))]))
    return plant


def grows(n, ms):
    def plant(k, f):
        f.script(Zone(script(n, "Trail.Extend"), .25 + ms * k / FRAMES))
    return plant


def grows_by_calls(n, ms):
    def plant(k, f):
        f.script(*[Zone(script(n, "Bullet.Move"), .03125) for _ in range(8 + int(ms * 32 * k / FRAMES))])
    return plant


def from_frame_on(n, ms):
    def plant(k, f):
        if k >= 90:
            f.script(Zone(script(n, "Fog.Draw"), ms))
    return plant


def waits_grow(n, ms):
    def plant(k, f):
        f.script(Zone(script(n, "Net.Pump"), .125, Zone(n["socket"], .25 + ms * k / FRAMES)))
    return plant


def locked(n, ms, f):
    f.script(Zone(script(n, "World.Commit"), .125, Zone(n["lock"], ms)))
    f.other(POOL[0], f.when(n["lock"])[1], Zone(script(n, "Save.Write"), ms + .0625))


def bursts(n, ms, f):
    f.script(Zone(script(n, "Inbox.Parse"), ms, sizes=[10000] * int(ms * 60)))


def deep(n, ms, f):
    z = None
    for _ in range(60):
        z = Zone(script(n, "Tree.Visit"), ms / 60, *([z] if z else []))
    f.script(z)


def renders(n, ms, f):
    f.camera.calls.append(Zone("Gfx.WaitForRenderThread", ms))
    f.other(RENDER, f.when("Gfx.WaitForRenderThread")[1], Zone("Shader.CreateGPUProgram", ms - .0625))


def spawns(n, ms, f):
    f.script(Zone(script(n, "Wave.Start"), .0625, Zone("Instantiate", .0625, Zone("Instantiate.Produce", ms * .55), Zone("Instantiate.Awake", ms * .45))))


def loads(n, ms, f):
    f.script(Zone(script(n, "Level.Open"), ms * .5, *[Zone(n["read"], ms / 80) for _ in range(40)]))


def outside(n, ms, f):
    f.outside = ms


def asked(n, ms, f):
    f.script(Zone(script(n, "Save.Flush"), .125, Zone("GC.Collect", ms)))


ALL, ENGINE = ("raw", "data", "ttc", "mlpd"), ("raw", "data", "ttc")
# Kind, forms, what is planted, class of the row, what its sentence names.
KINDS = [
    ("job", ENGINE, rare(job), "wait", ["WaitForJobGroupID", "Director.Update", "NavGridJob (Burst)", "Worker 1"]),
    ("present", ENGINE, rare(present), "wait", ["Gfx.WaitForPresentOnGfxThread", "Gfx.PresentFrame", "GPU"]),
    ("behind_lock", ENGINE, rare(behind_lock), "loading", ["Loading.LockPersistentManager", "Shop.Open", "Loading.AsyncRead", "File.Read", PRELOAD]),
    ("pool_sleeps", ALL, rare(pool_sleeps), "wait", ["Task.Wait", "Planner.Update", "Pool.Work", "Thread.Sleep", "3 threads"]),
    ("logs", ENGINE, rare(logs), "calls", ["LogStringToConsole, under ", "QuestTracker.Update"]),
    ("faces", ENGINE, rare(faces), "slow_call", ["ReflectionProbe.RenderFace"]),
    ("linq", ALL, steady("linq", 1), "steady", ["Census.Refresh", "Enumerable.ToList"]),
    ("regex", ALL, steady("regex", 6), "steady", ["Census.Refresh", "Regex"]),
    ("shader", ENGINE, in_engine("Shader.CreateGPUProgram", "camera"), "shaders", ["Shader.CreateGPUProgram", "Camera.Render"]),
    ("asked", ENGINE, rare(asked), "collection", ["Save.Flush"]),
    ("read", ALL, in_script("read", "Level.Open"), "loading", ["Read", "Level.Open"]),
    ("unload", ENGINE, in_script("AssetBundle.Unload", "Level.Close"), "loading", ["unloading: AssetBundle.Unload", "Level.Close"]),
    ("loads", ALL, rare(loads), "loading", ["Level.Open", "40 calls of"]),
    ("spawns", ENGINE, rare(spawns), "slow_call", ["Instantiate", "Wave.Start"]),
    ("more_steps", ENGINE, more_steps, "calls", ["Rigidbodies.Step"]),
    ("more_calls", ALL, more_calls, "calls", ["Ray.Cast"]),
    ("slow", ALL, slow, "slow_call", ["Shop.Refresh"]),
    ("two_slow", ALL, two_slow, "slow_call", ["Shop.Refresh", "Map.Redraw"]),
    ("grows", ALL, grows, "growth", ["Trail.Extend"]),
    ("grows_by_calls", ALL, grows_by_calls, "growth", ["Bullet.Move"]),
    ("waits_grow", ALL, waits_grow, "growth", ["Net.Pump", "Socket.Receive"]),
    ("from_frame_on", ALL, from_frame_on, "growth", ["Fog.Draw"]),
    ("locked", ALL, rare(locked), "lock", ["World.Commit", "Save.Write"]),
    ("compiled", ENGINE, in_script("Mono.JIT", "Boss.Wake", 3), "compiled", ["Boss.Wake"]),
    ("bursts", ENGINE, rare(bursts), "allocation", ["Inbox.Parse"]),
    ("deep", ALL, rare(deep), "slow_call", ["Tree.Visit"]),
    ("renders", ENGINE, rare(renders), "wait", ["Gfx.WaitForRenderThread", "Shader.CreateGPUProgram", RENDER]),
    ("sleeps", ALL, in_script("sleep", "Net.Retry"), "wait", ["Thread.Sleep", "Net.Retry"]),
    ("receives", ALL, in_script("socket", "Net.Poll"), "wait", ["Socket.Receive", "Net.Poll"]),
    ("outside", ALL, rare(outside), "outside", ["outside recorded calls"]),
]

# --- figures of sentences ------------------------------------------------------------------------------------------------------

TIME = r"(?:[0-9.,]+ to )?[0-9.,]+ (?:ns|\u00b5s|ms|s)"
TIMES = r"(?P<%s>(?:[0-9.,]+ (?:(?:ns|\u00b5s|ms|s) )?to )?[0-9.,]+ (?:ns|\u00b5s|ms|s))"
NUMBER = r"(?P<%s>(?:[0-9,]+ to )?[0-9,]+)"
USUAL = r"(?: \(usually " + TIMES % "usual" + r"\))?"
OF = r"(?:, of " + TIMES % "all" + r" of [a-z ]+)?"
SCALE = {"ns": 1e-6, "\u00b5s": 1e-3, "ms": 1, "s": 1e3}
WAITS = ("WaitForJobGroupID", "Gfx.WaitForPresentOnGfxThread", "Gfx.WaitForRenderThread")


def span(text):
    """(low, high) of a time, in ms, or of a number."""
    parts = text.replace(",", "").split(" to ")
    unit = parts[-1].split(" ")[1] if " " in parts[-1] else None
    values = [(float(p.split(" ")[0]), p.split(" ")[1] if " " in p else unit) for p in parts]
    values = [v * SCALE[u] if u else v for v, u in values]
    return values[0], values[-1]


def near(have, want):
    return all(abs(h - w) <= .01 * max(abs(w), 1e-4) for h, w in zip(have, want))


class Truth:
    """What the game has of a finding: its ${frames}, and those that are not planted."""

    def __init__(self, n, frames, of):
        self.n, self.all, self.of = n, frames, [frames[k] for k in of]
        self.usual_frames = [f for f in frames if f not in self.of]

    def over(self, value):
        v = [value(f) for f in self.of] or [0]
        return min(v), max(v)

    def usual(self, value):
        m = statistics.median(value(f) for f in self.usual_frames)
        return m, m


def is_runtime(name):
    """True for what is no work of a method: the classes of the engine and of the runtime."""
    return name in WAITS or any(s in name for s in ("GC.Collect", "Shader.Create", "Mono.JIT", "File.Read", "AssetBundle.", "Loading.", "Socket", "Sleep",
                                                    "Task.Wait", "Task:Wait", "Monitor", "FileStream"))


def works(f, name):
    """What a marker takes without what the engine, the runtime and waits take in it."""
    ns = 0
    for z in f.zones(name):
        ns += z.end - z.start - sum(x.end - x.start for x, around in z.walk() if is_runtime(x.name) and not any(is_runtime(a.name) for a in around))
    return ns / MS


def spelled(name):
    """How tables spell a name: a method's without the signature, where no other has the name, and Mono's without the namespace."""
    bare = name.split(" (")[0]
    short = re.sub(r"^(?:\w+\.)+(?=\w+:)", "", bare)
    return {name, bare, short, short + name[len(bare):]}


def found(names, text):
    """The marker that a table gives; None: there is none of that name."""
    return next((x for x in sorted(names) if text in spelled(x)), None)


def any_of(names):
    """A pattern of these names, with their signatures and without."""
    all_names = sorted({x for name in names for x in spelled(name)}, key=len, reverse=True)
    return "(?P<%s>" + "|".join(re.escape(x).replace("%", "%%") for x in all_names) + ")"


def sentence_faults(t, sentence, names):
    """What is wrong with the figures of a sentence, and what has figures that this knows nothing of."""
    left, wrong, NAME = sentence, [], any_of(names)

    def take(pattern, check):
        nonlocal left
        for m in re.finditer(pattern, left):
            d = {k: v for k, v in m.groupdict().items() if v is not None}
            problem = check(d)
            if problem:
                wrong.append((m.group(0), problem))
            left = left.replace(m.group(0), "", 1)

    def same(have, want):
        return None if near(span(have), want) else (have, want)

    def engine(d):
        call, by = found(names, d["call"]), found(names, d["by"]) if d.get("by") else None
        if not call:
            return "no marker %s" % d["call"]
        out = [same(d["took"], t.over(lambda f: f.total(call, by)))]
        out += [same(d["usual"], t.usual(lambda f: f.total(call, by)))] if "usual" in d else []
        return [x for x in out if x] or None
    def marker():
        return found(names, re.split(r": |, with what", sentence)[0])

    def eighth(last, value):
        k = len(t.all) // 8
        v = sorted(value(f) for f in (t.all[-k:] if last else t.all[:k]))
        return v[(len(v) - 1) // 2]

    def growth(d, value):
        m = found(names, d["row"]) if "row" in d else marker()
        want = [eighth(last, lambda f: value(f, m)) for last in (0, 1)]
        return None if near((span(d["x"])[0], span(d["y"])[0]), want) else want

    def typical(d):
        m = found(names, sentence.split(" takes ")[0])
        return same(d["took"], t.usual(lambda f: works(f, m))) or same(d["of"], t.usual(lambda f: (f.end - f.start) / MS))

    def calls(d):
        m = found(names, d["row"])
        low, high = t.over(lambda f: works(f, m))
        u = t.usual(lambda f: works(f, m))[0]
        return same(d["n"], t.over(lambda f: f.calls(m))) or same(d["more"], (low - u, high - u))

    def slow_call(d):
        m = found(names, d["row"])
        if not m:
            return "no marker %s" % d["row"]
        out = [same(d["took"], t.over(lambda f: works(f, m)))]
        out += [same(d["n"], t.over(lambda f: f.calls(m)))] if "n" in d else []
        out += [same(d["usual"], t.usual(lambda f: works(f, m)))] if "usual" in d else []
        return [x for x in out if x] or None
    under = r"(?:, under " + NAME % "under" + ")?"
    rest = r"(?:, called by " + NAME % "by" + r")?(?=$|;| \(|, of|, under)" + under + OF
    take("^" + TIMES % "took" + USUAL + " waiting in " + NAME % "call" + rest, engine)
    take("^" + TIMES % "took" + USUAL + " (?:un)?loading: " + NAME % "call" + r"(?:, under " + NAME % "by" + r")?(?=$|;| \(|, of)" + OF, engine)
    take("^" + TIMES % "took" + USUAL + r" compiling shaders \(" + NAME % "call" + r"\), under " + NAME % "by" + r"(?=$|;| \()", engine)
    take("^" + TIMES % "took" + USUAL + r" waiting for a lock in " + NAME % "by",
         lambda d: same(d["took"], t.over(lambda f: f.total(t.n["lock"]))))
    take("^" + TIMES % "took" + r" for a collection, started in " + NAME % "by" + "(?=$|;)",
         lambda d: same(d["took"], t.over(lambda f: f.total("GC.Collect"))))
    take("^" + TIMES % "took" + " for a collection that " + NAME % "by" + " asked for",
         lambda d: same(d["took"], t.over(lambda f: f.total("GC.Collect", found(names, d["by"])))))
    take("^" + TIMES % "took" + " to compile " + NUMBER % "n" + r" methods at their first call, under " + NAME % "by" + "(?=$|;)",
         lambda d: same(d["took"], t.over(lambda f: sum(z.end - z.start for z in f.zones("Mono.JIT")) / MS)) or
         same(d["n"], t.over(lambda f: f.calls("Mono.JIT"))))
    take("^" + TIMES % "more" + " more outside recorded calls", lambda d: same(d["more"], t.over(lambda f: f.outside)))
    take("; (?:in the worst frame )?it ended with " + NAME % "other" + r"(?:, in " + NAME % "inner" + r",)? of (?:up to )?" + TIMES % "took" +
         r" on (?:[0-9]+ threads|thread \"[^\"]*\")", lambda d: other(t, names, d))
    take("; meanwhile thread \"[^\"]*\" was in [^;]*", lambda d: None)
    take("^" + NAME % "row" + under + ": " + NUMBER % "n" + " calls?, usually " + r"(?P<u>none|[0-9,]+): " + TIMES % "more" + " more",
         lambda d: calls(d))
    take("^" + NAME % "row" + under + ": " + TIMES % "took" + r"(?: \(" + TIMES % "whole" + r" with waits, collections and such in it\))?" +
         r"(?: in " + NUMBER % "n" + r" calls?)?(?:, usually " + TIMES % "usual" + "|; usually not called)", lambda d: slow_call(d))
    take("^" + NAME % "row" + " is loading: " + NUMBER % "n" + " calls? of " + NAME % "call" + r", usually (?:none|[0-9]+): " + TIMES % "more" + " more",
         lambda d: same(d["n"], t.over(lambda f: f.calls(found(names, d["call"])))) or
         same(d["more"], t.over(lambda f: f.total(found(names, d["row"])))))
    take("^" + NAME % "a" + " " + TIMES % "x" + " and " + NAME % "b" + " " + TIMES % "y" + ", usually " + TIMES % "u" + " and " + TIMES % "v",
         lambda d: same(d["x"], t.over(lambda f: f.total(found(names, d["a"])))) or same(d["y"], t.over(lambda f: f.total(found(names, d["b"])))) or
         same(d["u"], t.usual(lambda f: f.total(found(names, d["a"])))) or same(d["v"], t.usual(lambda f: f.total(found(names, d["b"])))))
    take("^" + NAME % "row" + r" allocates [0-9.]+ [KM]B(?: to [0-9.]+ [KM]B)?(?:, most of it (?!GC\.Alloc)[^,]*,)? in " + NUMBER % "n" +
         " objects, usually none: " + TIMES % "more" + " more", lambda d:
         same(d["n"], t.over(lambda f: sum(len(z.sizes) for z in f.zones(found(names, d["row"]))))) or
         same(d["more"], t.over(lambda f: f.total(found(names, d["row"])))))
    take(" takes " + TIMES % "took" + " of " + TIMES % "of" + " in a typical frame(?:, in [0-9]+ calls)?", lambda d: typical(d))
    take(TIMES % "took" + " more, not explained", lambda d: None)
    take(r": cost per call grows from " + TIMES % "x" + " to " + TIMES % "y" + ", as medians", lambda d: growth(d, lambda f, m: works(f, m)))
    take(r": waiting in " + NAME % "call" + " grows from " + TIMES % "x" + " to " + TIMES % "y" + " a frame, as medians",
         lambda d: growth(dict(d, row=d["call"]), lambda f, m: f.total(m)))
    take(r": calls a frame grow from (?P<n>[0-9,]+) to (?P<m>[0-9,]+), its time from " + TIMES % "x" + " to " + TIMES % "y" + ", as medians",
         lambda d: growth(d, lambda f, m: works(f, m)))
    take(": (?P<n>[0-9,]+) calls? a frame, before none: " + TIMES % "x" + " more, as medians",
         lambda d: None if near(span(d["x"]), (eighth(1, lambda f: works(f, marker())),) * 2) else "more")

    more = re.sub(r"\([^()]*\)|on [0-9]+ threads|Worker [0-9]|[0-9]+ % of the extra time", "", left)
    if re.search(r"[0-9]", more):
        wrong.append((left, "figures that are not known"))
    return wrong


def other(t, names, d):
    """The longest zone that a wait ended with, on other threads, of the worst frame: any of the finding's."""
    m = found(names, d["other"])
    have = {round((z.end - z.start) / MS, 4) for f in t.of for _, _, top in f.others for z, _ in top.walk() if z.name == m}
    return None if any(near(span(d["took"]), (x, x)) for x in have) else (d, have)


# --- the program ------------------------------------------------------------------------------------------------------------------

class Row(Zone):
    """A row of the call tree of `stats --frames N`: all zones of one path in frame N."""

    def __init__(self, r, names):
        super().__init__(found(names, r["marker"]) or r["marker"])
        self.end, self.n = r["b_total_ns"] or 0, r["b_count"] or 0


class Seen(Frame):
    """Frame N as `stats --frames N` has it."""

    def __init__(self, f, tables, names):
        self.k, self.names, self.others, self.start, self.end, self.outside = f.k, f.names, [], f.start, f.end, f.outside
        trees, path = [], []
        for r in tables["compared_calltree"]["rows"]:
            z = Row(r, names)
            del path[r["depth"]:]
            (path[-1].calls if path else trees).append(z)
            path.append(z)
        self.loop = next(t for t in trees if any(z.name == f.loop.name for z in t.calls))
        self.others = [(t.name, 0, z) for t in trees if t is not self.loop for z in t.calls]
        for r in tables.get("compared_allocs", {"rows": []})["rows"]:
            for z in self.zones(r["site"]):
                z.sizes = [0] * (r["b_allocs"] or 0)

    def calls(self, name):
        return sum(z.n for z, _ in self.loop.walk() if z.name == name)


def screen(path, *args):
    out, _ = suite.run("--width", "80", path, *args)
    part = re.search(r"^Why frames are long\n(.*?)(?:\n\n|\Z)", out, re.S | re.M)
    return " ".join(part.group(1).split()) if part else ""


def lengthened(text, form):
    """What a sentence names, as the form spells it."""
    return text.replace(".", ":", 1) if form == "mlpd" and re.fullmatch(r"[A-Z][A-Za-z]+\.[A-Z][A-Za-z]+", text) else text


def names_all(text, wanted, form):
    return [w for w in wanted if w not in text and lengthened(w, form) not in text]


def read(path, form):
    """Findings, and the frames of each; the frames one by one."""
    args = ["--frame-marker", "Game:Tick"] if form == "mlpd" else []
    tables = suite.report("stats", path, *args, "--table", "causes,frame_causes", "--limit", "0")["tables"]
    return args, tables["causes"]["rows"], tables["frame_causes"]["rows"]


def check_figures(what, n, frames, path, args, rows, of_frames):
    """The sentences of all findings, and of single frames, against the game; of the worst frame also against `stats --frames N`."""
    names = {z.name for f in frames for t in [f.loop] + [z for _, _, z in f.others] for z, _ in t.walk()}
    usual = {r["frame"] - 1 for r in of_frames if r["class"] != "unknown"}

    def truth(of, seen=None):
        t = Truth(n, frames, of)
        t.usual_frames = [f for f in frames if f.k not in usual] or frames
        t.of = [seen] if seen else t.of
        return t
    for r in rows:
        of = sorted(f["frame"] - 1 for f in of_frames if f["worst"] is not None and f["worst"] == r["worst"])
        wrong = sentence_faults(truth(of), r["sentence"], names) if r["class"] != "unknown" else []
        suite.equal("%s: figures of \"%s\"" % (what, r["sentence"]), wrong, [])
    for r in [r for r in of_frames if r["class"] != "unknown" and r["worst"] is not None][:3]:
        k = r["frame"] - 1
        suite.equal("%s: figures of frame %d, \"%s\"" % (what, k + 1, r["sentence"]), sentence_faults(truth([k]), r["sentence"], names), [])
    for r in [r for r in of_frames if r["class"] != "unknown" and r["worst"] is not None][:1]:
        k = r["frame"] - 1
        tables = suite.report("stats", path, *args, "--frames", str(k + 1), "--threshold", "0", "--limit", "0")["tables"]
        wrong = sentence_faults(truth([k], Seen(frames[k], tables, names)), r["sentence"], names)
        suite.equal("%s: figures of frame %d as stats --frames %d has them, \"%s\"" % (what, k + 1, k + 1, r["sentence"]), wrong, [])


def planted(only):
    """Of the largest and the middle size the first screen names kind and place; of all sizes figures are right."""
    for kind, forms, plant, cause, wanted in KINDS if only else lot.some(KINDS, 12, "planted"):
        for size in SIZES if not only or kind in only else ():
            for form in forms:
                n = MONO if form == "mlpd" else UNITY
                frames = game(n, plant(n, size))
                path = FORMS[form](suite.path("%s.%s" % (kind, form)), frames)
                what = "%s of %g ms in .%s" % (kind, size, form)
                args, rows, of_frames = read(path, form)
                if size > SIZES[2]:
                    said = [r for r in rows if r["class"] == cause and not names_all("%s %s" % (r["marker"], r["sentence"]), wanted, form)]
                    suite.equal("%s: kind and place, %s" % (what, [] if said else rows), len(said), 1)
                    shown = screen(path, *args)
                    missing = names_all(shown, [w for w in wanted if " threads" not in w] + [cause], form)
                    suite.equal("%s: on the first screen, %s" % (what, shown), missing, [])
                check_figures(what, n, frames, path, args, rows, of_frames)
                os.unlink(path)


def noisy(rng, change=None):
    """Plant the noise of a machine: a zone that takes longer in a frame in twenty, sleeps that overrun, time outside recorded calls."""
    def plant(k, f):
        f.script(Zone(script(f.names, "Net.Pump"), .0625, Zone(f.names["sleep"], .5)))
        if change:
            change(k, f)
        for z, _ in list(f.loop.walk()):
            z.before += abs(rng.gauss(0, .01)) * z.before
        if rng.random() < .05:
            zones = [z for z, _ in f.loop.walk()]
            z = rng.choices(zones, [z.before + z.after for z in zones])[0]      # a thread is stopped in what takes the time
            z.before += rng.choice((.5, 2, 6))
        if rng.random() < .03:
            [z for z, _ in f.loop.walk() if z.name == f.names["sleep"]][0].before += rng.uniform(4, 40)
        if rng.random() < .02:
            f.outside = rng.uniform(1, 30)
    return plant


def quiet():
    """In quiet games nobody is accused, and a machine's noise comes after what repeats or grows, though it takes more."""
    for seed in lot.some(range(1, 31), 8, "quiet"):
        rng, form = random.Random(seed), ("raw", "ttc", "data", "mlpd")[seed % 4]
        n = MONO if form == "mlpd" else UNITY
        path = FORMS[form](suite.path("quiet." + form), game(n, noisy(rng), seed))
        _, rows, _ = read(path, form)
        said = [r for r in rows if not (r["class"] in ("unknown", "outside") or (r["class"] == "wait" and "woken late by the system" in r["sentence"]))]
        suite.equal("quiet %d in .%s accuses nobody" % (seed, form), said, [])
        kind, change, marker = [("slow", slow(n, 5), "Shop"), ("grows", grows(n, 3), "Trail"), ("more_calls", more_calls(n, 5), "Ray")][seed % 3]
        path = FORMS[form](suite.path("noise." + form), game(n, noisy(rng, change), seed))
        _, rows, _ = read(path, form)
        suite.true("noise %d in .%s comes after %s" % (seed, form, kind), rows and marker in (rows[0]["marker"] or ""), rows)


if __name__ == "__main__":
    planted(sys.argv[1:])
    if not sys.argv[1:] or "quiet" in sys.argv[1:]:
        quiet()
    suite.end()
