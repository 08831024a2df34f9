#!/usr/bin/env python3
"""Causes planted into one game, over .raw, .data, .ttc and .mlpd, in three sizes each, against the game's own truth.

The game is data: of each frame the zones of each thread, whose times the tests know. Of the largest and the middle size, the first screen names
the kind and the place. Every figure of every sentence, of any size, is that of the game within 1 %, and that of `stats --frames N` of the same frame.
In quiet games with a machine's noise nobody is accused, and noise comes after what repeats or grows. Arguments: the kinds to run.
"""
import os
import random
import re
import sys

import planted_figures as figures
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


class Frame(figures.Frame):

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


def catches_up(n, ms):
    """Physics makes two steps in a frame now and then, and a method that is called in each is slow in one of them."""
    def plant(k, f):
        for step in range(1 + hits(k)):
            f.loop.calls.append(Zone("FixedBehaviourUpdate", .0625, Zone(script(n, "Trap.FixedUpdate"), .125 + ms * (hits(k) and step == 0)),
                                     Zone(script(n, "Door.FixedUpdate"), .125)))
    return plant


def explodes(n, ms):
    """As that, but a method that is called in no other frame."""
    def plant(k, f):
        for step in range(1 + hits(k)):
            mine = [Zone(script(n, "Mine.Explode"), .125, Zone(script(n, "Area.Query"), ms))] if hits(k) and step == 0 else []
            f.loop.calls.append(Zone("FixedBehaviourUpdate", .0625, Zone(script(n, "Door.FixedUpdate"), .125), *mine))
    return plant


def triggers(n, ms, f):
    f.physics.calls.append(Zone("Physics.ProcessReports", .0625, *[Zone(script(n, "Trap.OnTriggerEnter"), ms / 30) for _ in range(30)]))


def in_turns(n, ms, f):
    """Two methods that call each other."""
    z = None
    for i in range(20):
        z = Zone(script(n, ("Rule.Eval", "Node.Walk")[i % 2]), ms / 20, *([z] if z else []))
    f.script(z)


def decompresses(n, ms, f):
    """A job that another thread waits for, which reads itself."""
    f.script(Zone(script(n, "Tile.Need"), .125, Zone("WaitForJobGroupID", ms)))
    f.other(POOL[2], f.when("WaitForJobGroupID")[1] - .0625, Zone("DecompressJob", .5, Zone(n["read"], ms - 1)))


def storm(n, ms):
    """A third of the frames, in a row."""
    def plant(k, f):
        if 60 <= k < 110:
            f.script(Zone(script(n, "Storm.Simulate"), ms))
    return plant


def saves_and_opens(n, ms, f):
    f.script(Zone(script(n, "Save.Flush"), .125, Zone("GC.Collect", ms)), Zone(script(n, "Level.Open"), .125, Zone(n["read"], ms * .9)))


def stores(n, ms, f):
    """Who holds the lock reads."""
    f.script(Zone(script(n, "Chat.Send"), .125, Zone(n["lock"], ms)))
    f.other(POOL[0], f.when(n["lock"])[1], Zone(script(n, "Chat.Store"), .0625, Zone(n["read"], ms)))


def thinks(n, ms):
    """Of each frame, a method's many calls of another."""
    def plant(k, f):
        f.script(Zone(script(n, "Crowd.Update"), .0625, *[Zone(script(n, "Agent.Think"), .015625, Zone(script(n, "Vector.Normalize"), ms / 80))
                                                         for _ in range(40)]))
    return plant


def badges(n, ms):
    def plant(k, f):
        rebuilt = [Zone(script(n, "Badge.Rebuild"), .03125) for _ in range(4 + int(ms * 32 * k / FRAMES))]
        f.camera.calls.append(Zone("Canvas.SendWillRenderCanvases", .0625, *rebuilt))
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
    ("catches_up", ALL, catches_up, "slow_call", ["Trap.FixedUpdate"]),
    ("explodes", ALL, explodes, "slow_call", ["Area.Query"]),
    ("triggers", ALL, rare(triggers), "calls", ["Trap.OnTriggerEnter"]),
    ("in_turns", ALL, rare(in_turns), "slow_call", ["Node.Walk"]),
    ("decompresses", ENGINE, rare(decompresses), "wait", ["WaitForJobGroupID", "Tile.Need", "DecompressJob", "Worker 2"]),
    ("storm", ALL, storm, "slow_call", ["Storm.Simulate"]),
    ("saves_and_opens", ENGINE, rare(saves_and_opens), "collection", ["Save.Flush", "Read", "Level.Open"]),
    ("stores", ALL, rare(stores), "lock", ["Chat.Send", "Chat.Store"]),
    ("thinks", ALL, thinks, "steady", ["Vector.Normalize"]),
    ("badges", ALL, badges, "growth", ["Badge.Rebuild"]),
]


# --- the program ---------------------------------------------------------------------------------------------------------------

def screen(path, *args):
    out, _ = suite.run("--width", "80", path, *args)
    part = re.search(r"^Why frames are long\n(.*?)(?:\n\n|\Z)", out, re.S | re.M)
    # A name that is longer than a line goes on in the next one, behind one of its parts.
    return " ".join(re.sub(r"(?<=[.:!])\n +", "", part.group(1)).split()) if part else ""


def lengthened(text, form):
    """What a sentence names, as the form spells it."""
    return text.replace(".", ":", 1) if form == "mlpd" and re.fullmatch(r"[A-Z][A-Za-z]+\.[A-Z][A-Za-z]+", text) else text


def names_all(text, wanted, form):
    return [w for w in wanted if w not in text and lengthened(w, form) not in text]


def planted(only):
    """Of the largest and the middle size the first screen names kind and place; of all sizes figures are right."""
    for kind, forms, plant, cause, wanted in KINDS if only else lot.some(KINDS, 12, "planted"):
        for size in SIZES if not only or kind in only else ():
            for form in forms:
                n = MONO if form == "mlpd" else UNITY
                frames = game(n, plant(n, size))
                path = FORMS[form](suite.path("%s.%s" % (kind, form)), frames)
                what = "%s of %g ms in .%s" % (kind, size, form)
                args, rows, of_frames = figures.read(suite, path, form)
                if size > SIZES[2]:
                    said = [r for r in rows if r["class"] == cause and not names_all("%s %s" % (r["marker"], r["sentence"]), wanted, form)]
                    suite.equal("%s: kind and place, %s" % (what, [] if said else rows), len(said), 1)
                    shown = screen(path, *args)
                    missing = names_all(shown, [w for w in wanted if " threads" not in w] + [cause], form)
                    suite.equal("%s: on the first screen, %s" % (what, shown), missing, [])
                figures.check(suite, what, n, frames, path, args, rows, of_frames)
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
        _, rows, _ = figures.read(suite, path, form)
        said = [r for r in rows if not (r["class"] in ("unknown", "outside") or (r["class"] == "wait" and "woken late by the system" in r["sentence"]))]
        suite.equal("quiet %d in .%s accuses nobody" % (seed, form), said, [])
        kind, change, marker = [("slow", slow(n, 5), "Shop"), ("grows", grows(n, 3), "Trail"), ("more_calls", more_calls(n, 5), "Ray")][seed % 3]
        path = FORMS[form](suite.path("noise." + form), game(n, noisy(rng, change), seed))
        _, rows, _ = figures.read(suite, path, form)
        suite.true("noise %d in .%s comes after %s" % (seed, form, kind), rows and marker in (rows[0]["marker"] or ""), rows)


def overslept(rng, more):
    """In one frame of six a sleep, which all frames have, takes ${more}() ms longer."""
    def plant(k, f):
        f.script(Zone(script(f.names, "Net.Pump"), .0625, Zone(f.names["sleep"], .5 + (more() if rng.random() < 1 / 6 else 0))))
    return plant


def busy():
    """A machine that is so busy that it wakes a thread late in a sixth of all frames is noise; sleeps that are longer by the same time are chosen."""
    for form in FORMS:
        n = MONO if form == "mlpd" else UNITY
        for what, more in (("late", lambda rng: rng.uniform(4, 30)), ("chosen", lambda rng: 12)):
            rng = random.Random(what)
            path = FORMS[form](suite.path("busy." + form), game(n, overslept(rng, lambda: more(rng))))
            said = [r["sentence"] for r in figures.read(suite, path, form)[1] if r["class"] == "wait"]
            suite.equal("a sleep in .%s, %s: woken late" % (form, what), ["woken late by the system" in s for s in said], [what == "late"])


if __name__ == "__main__":
    planted(sys.argv[1:])
    if not sys.argv[1:] or "quiet" in sys.argv[1:]:
        quiet()
        busy()
    suite.end()
