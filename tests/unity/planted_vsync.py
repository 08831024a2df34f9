#!/usr/bin/env python3
"""Causes planted into a game that a display of 60 Hz holds, as most games are: its main thread waits for the next refresh at the end of each frame, and its
render thread hands the GPU its work meanwhile. Of the largest and the middle size the first screen names kind and place in its first row, over .raw, .data
and .ttc, and every figure of every sentence, of any size, is that of the game within 1 %; games without any have no late frame, and nothing is said of waits,
locks, collections or growth. The names are others than in planted.py. Arguments: kinds to run."""
import json
import random
import re
import sys

import planted_figures as figures
from planted_forms import FORMS, THREADS, Zone
from raw_log import MS
from ttc import Suite
import lot

RENDER, WORKER, BACKGROUND = "Render Thread", "Job.Worker 5", "Background Job.Worker 1"
THREADS.extend([RENDER, "Job.Worker 3", WORKER, BACKGROUND])
FRAMES, EVERY, FIRST, QUIET = 420, 70, 31, 30
SIZES = (22, 9, 5)
PERIOD, ZERO = 1e9 / 60, 5 * MS
SLEEP, LOCK = "mscorlib.dll!System.Threading::Thread.Sleep()", "mscorlib.dll!System.Threading::Monitor.Enter()"
SOCKET, SORT = "System.dll!System.Net.Sockets::Socket.Receive()", "System.Core.dll!System.Linq::Enumerable.OrderBy()"
WRITE, PRESENT = "mscorlib.dll!System.IO::FileStream.Write()", "Gfx.WaitForPresentOnGfxThread"
suite = Suite()


def script(name):
    return "Gameplay.dll!Acme.Core::%s()" % name


class Frame(figures.Frame):
    def __init__(self, k, rng):
        self.k, self.rng, self.others, self.start, self.end, self.ready, self.outside, self.names = k, rng, [], 0, 0, 0, 0, None
        self.squad = Zone(script("Squad.Tick"), .8 + rng.random() * .3, Zone(script("Steering.Solve"), .5 + rng.random() * .2))
        self.scripts = Zone("BehaviourUpdate", .03, self.squad, Zone(script("Inventory.Update"), .2 + rng.random() * .1))
        self.fixed = Zone("FixedUpdate.PhysicsFixedUpdate", .05, Zone("Physics.Processing", .5 + rng.random() * .2))
        self.animation = Zone("PreLateUpdate.DirectorUpdateAnimationBegin", .05, Zone("Animators.Update", .4 + rng.random() * .2))
        self.canvas = Zone("Canvas.BuildBatch", .2 + rng.random() * .1)
        self.camera = Zone("Camera.Render", .5 + rng.random() * .2, Zone("Culling", .3 + rng.random() * .1), Zone("Drawing", .6 + rng.random() * .2))
        self.loop = Zone("PlayerLoop", .05, self.fixed, Zone("Update.ScriptRunBehaviourUpdate", .02, self.scripts), self.animation,
                         Zone("PostLateUpdate.PlayerUpdateCanvases", .02, Zone("UGUI.Rendering.UpdateBatches", .1, self.canvas)),
                         Zone("PostLateUpdate.FinishFrameRendering", .05, self.camera))

    def script(self, *zones):
        self.scripts.calls.extend(zones)

    def place(self, at):
        return self.loop.place(at + 30000)

    def when(self, name):
        """The end of the last zone of that name, in ms of the frame."""
        self.place(0)
        return [z for z, _ in self.loop.walk() if z.name == name][-1].end / MS

    def other(self, thread, begins, zone):
        zone.place(0)
        self.others.append((thread, begins, zone))

    def until(self, thread, ends, zone):
        self.other(thread, ends - zone.place(0) / MS, zone)

    def lay(self, start):
        """The frame ends at the first refresh after its work and all that it is shown with: ${ready} ms after its begin."""
        self.start = start
        done = start + self.place(0)
        ready = max(done, start + round(self.ready * MS)) + 60000
        woken = int(ZERO + -(-(ready - ZERO) // PERIOD) * PERIOD)
        woken += 20000 + int(self.rng.random() * 150000)
        self.loop.calls.append(Zone(PRESENT, (woken - done - 20000) / MS))
        self.place(0)
        if not any(t == RENDER for t, *_ in self.others):
            self.other(RENDER, .5, Zone("Camera.Render", 2 + self.rng.random() * .8))
        self.end = start + self.loop.end + 20000
        return self.end


def game(plant, seed, noise=.03):
    """Frames, some of which the machine makes longer, in whatever they do: a zone as often as it takes time."""
    rng, out, at = random.Random(seed), [], int(ZERO + 50000)
    for k in range(FRAMES):
        f = Frame(k, rng)
        if rng.random() < noise:
            zones = [z for z, _ in f.loop.walk()]
            rng.choices(zones, [z.before for z in zones])[0].before += rng.choice((.5, 1, 2, 4))
        if plant:
            plant(k, f)
        at = f.lay(at)
        out.append(f)
    return out


# --- what is planted: of ${ms}, in every 70th frame, in all of them, or from one on ----------------


def rare(make):
    return lambda ms: lambda k, f: make(ms, f) if k % EVERY == FIRST else None


def in_script(name, *calls):
    """A method that calls these for the whole time, each as often as it is there."""
    return rare(lambda ms, f: f.script(Zone(script(name), .1, *[Zone(c, ms / len(calls)) for c in calls])))


def longer(zone):
    """A zone that every frame has takes ${ms} more."""
    def of(ms):
        def plant(k, f):
            z = zone(f)
            z.before += ms if k % EVERY == FIRST else 0
        return plant
    return of


def redraws(f):
    f.script(Zone(script("Minimap.Redraw"), .3))
    return f.scripts.calls[-1]


def more(parent, name, each, usual):
    return lambda ms: lambda k, f: parent(f).calls.extend(Zone(name, each) for _ in range(usual + int(ms / each) * (k % EVERY == FIRST)))


def more_and_more(parent, name, each, usual):
    return lambda ms: lambda k, f: parent(f).calls.extend(Zone(name, each) for _ in range(usual + int(ms / each * k / FRAMES)))


def locked(ms, f):
    f.script(Zone(script("Telemetry.Flush"), .1, Zone(LOCK, ms)))
    f.until(BACKGROUND, f.when(LOCK), Zone(script("Telemetry.Write"), ms + .1))


def job(ms, f):
    f.script(Zone(script("Flock.Complete"), .1, Zone("WaitForJobGroupID", ms)))
    f.until(WORKER, f.when("WaitForJobGroupID") - .02, Zone("FlockJob (Burst)", ms + .2))


def renders(ms, f):
    f.ready = ms + 8
    f.other(RENDER, .5, Zone("Camera.Render", 1, Zone("Shadows.RenderJobDir", ms + 6)))


def presents(ms, f):
    """The GPU: the render thread waits for it, and the display shows the frame some time after that."""
    f.ready = ms + 8
    f.other(RENDER, .5, Zone("Camera.Render", 1.5))
    f.other(RENDER, 2.1, Zone("Gfx.PresentFrame", ms + 5.9))


# Kind, what is planted, class of the first row, and what its sentence has.
KINDS = (
    ("path", rare(lambda ms, f: f.script(Zone(script("NavMesh.Replan"), .2, *[Zone(script("Grid.FindPath"), ms / 3) for _ in range(3)]))), "slow_call",
     ["Grid.FindPath"]),
    ("slow", longer(redraws), "slow_call", ["Minimap.Redraw"]),
    ("canvas", longer(lambda f: f.canvas), "slow_call", ["Canvas.BuildBatch"]),
    ("coroutine", rare(lambda ms, f: f.loop.calls.append(Zone("CoroutinesDelayedCalls", .02, Zone(script("Shop.Restock.MoveNext"), ms)))), "slow_call",
     ["Shop.Restock"]),
    ("writes", in_script("Save.Autosave", WRITE), "slow_call", ["Save.Autosave|FileStream.Write"]),
    ("spawns", rare(lambda ms, f: f.script(Zone(script("Spawner.Burst"), .1, Zone("Instantiate", .1, Zone("Instantiate.Copy", ms * .6),
                                                                                  Zone("Instantiate.Awake", ms * .4))))), "slow_call",
     ["Instantiate", "Spawner.Burst"]),
    ("rays", more(lambda f: f.squad, "Physics.Raycast", .02, 6), "calls", ["Physics.Raycast"]),
    ("steps", more(lambda f: f.fixed, "Physics.Simulate", .5, 1), "calls", ["Physics.Simulate"]),
    ("logs", rare(lambda ms, f: f.script(Zone(script("Quest.Trace"), .1, *[Zone("LogStringToConsole", ms / 300, Zone("ExtractStackTrace", ms * 9 / 300))
                                                                           for _ in range(30)]))), "calls", ["LogStringToConsole", "Quest.Trace"]),
    ("incremental", in_script("Dialogue.Next", "GarbageCollector.CollectIncremental"), "collection", ["Dialogue.Next"]),
    ("collects", rare(lambda ms, f: f.script(Zone(script("Loot.Roll"), .3, Zone("GC.Collect", ms), sizes=[4000] * 80))), "collection", ["Loot.Roll"]),
    ("loads", rare(lambda ms, f: f.script(Zone(script("Portrait.Show"), .1, Zone("Resources.Load", .05, Zone("Loading.ReadObject", ms))))), "loading",
     ["Resources.Load|Loading.ReadObject", "Portrait.Show"]),
    ("unloads", rare(lambda ms, f: f.script(Zone(script("Zone.Exit"), .1, Zone("Resources.UnloadUnusedAssets", .1, Zone("GarbageCollectAssetsProfile", ms))))),
     "loading", ["Zone.Exit"]),
    ("compiles", in_script("Boss.Enrage", "Mono.JIT"), "compiled", ["Boss.Enrage"]),
    ("shader", rare(lambda ms, f: f.camera.calls.append(Zone("Shader.CreateGPUProgram", ms))), "shaders", ["CreateGPUProgram"]),
    ("locked", rare(locked), "lock", ["Telemetry.Flush", "Telemetry.Write"]),
    ("sleeps", in_script("Net.Backoff", SLEEP), "wait", ["Thread.Sleep", "Net.Backoff"]),
    ("receives", in_script("Lobby.Poll", SOCKET), "wait", ["Socket.Receive", "Lobby.Poll"]),
    ("job", rare(job), "wait", ["WaitForJobGroupID", "Flock.Complete", "FlockJob"]),
    ("two_waits", rare(lambda ms, f: f.script(Zone(script("Lobby.Poll"), .1, Zone(SOCKET, ms), Zone(SLEEP, ms / 2)))), "wait",
     ["Socket.Receive", "Lobby.Poll", "of waiting"]),
    ("renders", rare(renders), "wait", [PRESENT, 'thread "Render Thread" ran Camera.Render for', "most of it in Shadows.RenderJobDir, "]),
    ("presents", rare(presents), "wait", [PRESENT, 'thread "Render Thread" was in Gfx.PresentFrame', "GPU (is )?late|compositor was late"]),
    ("drones", more_and_more(lambda f: f.scripts, script("Drone.Move"), .02, 10), "growth", ["Drone.Move"]),
    ("animators", more_and_more(lambda f: f.animation, "Animator.ProcessGraph", .02, 10), "growth", ["Animator.ProcessGraph"]),
    ("grows", lambda ms: lambda k, f: f.script(Zone(script("Replay.Append"), .2 + ms * k / FRAMES)), "growth", ["Replay.Append"]),
    ("from", lambda ms: lambda k, f: f.script(Zone(script("Weather.Simulate"), ms)) if k >= 230 else None, "growth", ["Weather.Simulate"]),
    ("steady", lambda ms: lambda k, f: f.script(Zone(script("Economy.Rebalance"), .2, *[Zone(SORT, ms / 4) for _ in range(4)])), "steady",
     ["Economy.Rebalance|OrderBy"]))


def screen(path):
    t = json.loads(suite.run(path, "--format", "json")[0])["tables"]
    return t["capture_summary"]["rows"][0], t["capture_causes"]["rows"]


def check(kind, make, cause, words, ms, form):
    what, frames = "%s of %d ms, %s" % (kind, ms, form), game(make(ms), 7)
    path = FORMS[form](suite.path("planted." + form), frames)
    seen, rows = screen(path)
    if ms > SIZES[2]:
        suite.true(what + ": kind and place in the first row",
                   rows and rows[0]["class"] == cause and all(re.search(x, rows[0]["sentence"]) for x in words), rows[:2])
    if cause != "growth" and ms == SIZES[0]:
        suite.true(what + ": late frames are seen", " late, " in seen["seen"] or cause == "steady", seen)
    figures.check(suite, what, {"lock": LOCK}, frames, path, *figures.read(suite, path, form))


only = sys.argv[1:]
tried = [(*k, size, written) for k in KINDS if not only or k[0] in only for size in SIZES for written in ("raw", "data", "ttc")]
for t in tried if only else lot.some(tried, 20, "planted_vsync"):
    check(*t)


def scattered(k, f):
    """One method does nearly all the work, so that a busy machine makes it longer, in one frame of fourteen; a loader is there each 70th frame."""
    f.squad.before += 5 + (f.rng.uniform(9, 30) if f.rng.random() < .07 else 0)
    if k % EVERY == FIRST:
        f.script(Zone(script("Portrait.Show"), .1, Zone("Resources.Load", 5)))


if not only or "scattered" in only:
    _, rows = screen(FORMS["raw"](suite.path("scattered.raw"), game(scattered, 7)))
    suite.equal("what repeats ranks before what is merely longer here and there", [r["class"] for r in rows[:2]], ["loading", "slow_call"])
for seed in lot.some(range(QUIET), 8, "quiet") if not only or "quiet" in only else ():
    seen, rows = screen(FORMS["raw"](suite.path("quiet.raw"), game(None, 100 + seed)))
    suite.equal("quiet %d: no frame is late" % seed, ("; none late" in seen["seen"], seen["fps_60"]), (True, "held by all frames"))
    suite.equal("quiet %d: nobody is accused of more than time" % seed, [r for r in rows if r["class"] not in ("unknown", "slow_call", "outside")], [])
suite.end()
