#!/usr/bin/env python3
"""Causes of long frames in Unity's terms, as tracetool-metrics(7) defines them: engine work has a class of its own; threads are counted where they
work; what a third of all frames do in a healthy game is no hitch; what begins halfway is told once. Times are in ms, in binary fractions."""
import re
import struct

from raw_log import MAIN, MS, SESSION, Log, alloc, sample, state, thread
from ttc import Suite

RENDER, WORKERS = 200, (300, 301)
LOOP, UPDATE, CAMERA, EDITOR, JOBS, LIMIT, GFX, PATH, ANIMATION, PHYSICS, READ = ("PlayerLoop", "Game.dll!Game::Enemy.Update()", "Camera.Render",
    "EditorLoop", "WaitForJobGroupID", "WaitForTargetFPS", "Gfx.ProcessCommands", "Game.dll!Game::PathJob.Execute()", "AnimationJob",
    "Physics.Simulate", "File.Read")
LEVEL, ALLOC = "Game.dll!Game::Level.Open()", "GC.Alloc"
ROOT = "Main Thread"
suite = Suite()


class Zone:
    """A zone of ${ms} that allocates objects of these ${sizes}, and what it calls, one after the other."""

    def __init__(self, name, ms=0, *calls, sizes=()):
        self.name, self.ms, self.calls, self.sizes = name, ms, list(calls), sizes

    def took(self):
        return self.ms + sum(z.took() for z in self.calls)


def usual(k):
    """A frame: 6 ms of the main thread, 2.5 ms of the render thread, 1 ms of each worker; a little more or less from frame to frame."""
    more = k * 7 % 16 / 128
    return {MAIN: [Zone(LOOP, .5, Zone(UPDATE, 3 + more), Zone(CAMERA, 2))], RENDER: [Zone(GFX, 2.5)],
            WORKERS[0]: [Zone(PATH, 1)], WORKERS[1]: [Zone(PATH, 1)]}


def game(name, change, frames=240, period=0):
    """Write a game whose usual frames ${change}(k, frame) changes, each as long as its main thread or ${period}."""
    all_frames = []
    for k in range(frames):
        f = usual(k)
        change(k, f)
        all_frames.append(f)
    names = [ROOT]

    def number(n):
        if n not in names:
            names.append(n)
        return names.index(n)

    def put(z, at):
        out, now = sample(36, number(z.name), at) + b"".join(alloc(number(ALLOC), at, size) for size in z.sizes), at
        for c in z.calls:
            more, now = put(c, now)
            out += more
        return out + sample(37, number(z.name), now + z.ms), now + z.ms

    blocks, at = [], 1
    for k, f in enumerate(all_frames):
        took = sum(z.took() for z in f[MAIN])
        if period and took < period - .5:
            f[MAIN].append(Zone(LIMIT, period - .25 - took))
        end = at + max(period, sum(z.took() for z in f[MAIN]) + .25)
        blocks.append((MAIN, struct.pack("<HIQ", 34, k, int(at * MS))))
        for tid, zones in f.items():
            body, now = b"", at + .125
            for z in zones:
                more, now = put(z, now)
                body += more
            blocks.append((tid, sample(36, 0, at) + body + sample(37, 0, end - .0625) if tid == MAIN else body))
        at = end
    log = Log(1, names)
    for tid, n in ((RENDER, "Render Thread"), (WORKERS[0], "Worker 0"), (WORKERS[1], "Worker 1")):
        log.block(SESSION, thread(tid, 0, n))
    for tid, body in blocks:
        log.block(tid, body)
    log.block(MAIN, struct.pack("<HIQ", 34, frames, int(at * MS)))
    log.block(SESSION, state(0, at))
    return log.write(suite.path(name))


def update(f):
    """What scripts do in the frame."""
    return f[MAIN][0].calls[0]


def said(path, *args, steady=False):
    """The findings; what takes much of each frame, as the update does in all of these games, only where it is asked for."""
    return [(r["frames"], r["class"], r["marker"], r["sentence"]) for r in suite.rows("causes", path, *args) if (r["class"] == "steady") == steady]


def screen(path, *args):
    out, _ = suite.run(path, *args)
    return re.sub(r"\n +", " ", out)


def threads_that_work():
    """Of short processors: as many threads as run the marker are in it, those with other work are told apart, the render thread's usual work is neither."""
    for name, second, text in (("one", ANIMATION, "CPU contention: 1 other thread in %s and 1 busier than usual with other work, " % PATH),
                               ("two", PATH, "CPU contention: 2 other threads in %s, " % PATH)):
        def change(k, f):
            if k % 30 == 11:
                f[WORKERS[0]] = [Zone(PATH, 14)]
                f[WORKERS[1]] = [Zone(second, 13)]
                update(f).ms *= 4
        path = game(name + ".raw", change)
        rows = said(path)
        suite.equal("threads in %s, one row" % name, [(r[1], r[2]) for r in rows], [("processors", PATH)])
        suite.true("threads in %s" % name, rows[0][3].startswith(text + "while this thread did no extra work; up to "), rows)
        suite.true("on the first screen, too", text in screen(path), text)


# Markers of the engine, and what they are: Unity's manual (profiler markers, asset loading, shader loading, warming up of pipeline states).
ENGINE = [("Shader.CreateGPUProgram", "shaders", "compiling shaders"), ("Shader.CompileGPUProgram", "shaders", "compiling shaders"),
          ("CreateGraphicsGraphicsPipelineImpl", "shaders", "compiling shaders"), ("Mono.JIT", "compiled", "to compile "),
          ("File.Read", "loading", "loading: "), ("File.Open", "loading", "loading: "), ("Shader.ParseMainThread", "loading", "loading: "),
          ("Loading.ReadObject", "loading", "loading: "), ("LoadAssembly", "loading", "loading: "), ("AssetBundle.LoadAsset", "loading", "loading: "),
          ("AssetBundle.PerformAssetLoad", "loading", "loading: "), ("LoadSceneOperation", "loading", "loading: "),
          ("LoadFileThreaded_LoadObjects", "loading", "loading: "), ("ReadObjectFromSerializedFile", "loading", "loading: "),
          ("AsyncReadManager.SyncRequest", "loading", "loading: "), ("GarbageCollectAssetsProfile", "loading", "unloading: "),
          ("AssetBundle.Unload", "loading", "unloading: "), ("GC.Collect", "collection", "collection"),
          ("GarbageCollector.CollectIncremental", "collection", "collection")]


def engine_work():
    """Work of the engine has its class, and is told by the method that called it; a method of the game with a like name is the game's."""
    markers = ENGINE + [("Game.dll!Game::SaveFile.Reader()", "slow_call", "usually not called")]

    def change(k, f):
        if k % 10 == 5 and k // 10 < len(markers):
            update(f).calls = [Zone(markers[k // 10][0], 22)]
    path = game("engine.raw", change)
    rows = {r["frame"]: r for r in suite.rows("frame_causes", path)}
    for i, (marker, cause, words) in enumerate(markers):
        r = rows.get(10 * i + 6, {"class": None, "sentence": ""})
        suite.equal("class of %s" % marker, r["class"], cause)
        suite.true("words of %s" % marker, words in r["sentence"], r["sentence"])
        if cause in ("shaders", "loading"):
            suite.true("%s and its caller are named" % marker, marker in r["sentence"] and ", under " + UPDATE in r["sentence"], r["sentence"])
        if cause == "shaders":
            suite.true("shaders are no methods", "method" not in r["sentence"], r["sentence"])
    listed, _ = suite.run("list", "names")
    suite.true("the list of names has what reads files", "[F]ile.Read" in listed, listed)
    two = game("two_reads.raw", lambda k, f: update(f).calls.extend([Zone(READ, 9), Zone(READ, 13)]) if k % 30 == 20 else None)
    suite.equal("two reads of one method", said(two),
                [("8 frames, every 30th from 21 on", "loading", UPDATE, "22.00 ms loading: File.Read, under %s" % UPDATE)])
    shader = game("shader.raw", lambda k, f: f[MAIN][0].calls[1].calls.append(Zone("Shader.CreateGPUProgram", 70)) if k in (40, 41, 90) else None)
    suite.equal("a shader under the camera", said(shader),
                [("frames 41, 42 and 91", "shaders", CAMERA, "70.00 ms compiling shaders (Shader.CreateGPUProgram), under Camera.Render")])


def editor():
    """The Editor's time is the Editor's, and the option that leaves it out is named; with that option nothing is long."""
    path = game("editor.raw", lambda k, f: f[MAIN].append(Zone(EDITOR, 40 if k % 20 == 3 else 5)))
    suite.equal("the Editor", said(path), [("12 frames, every 20th from 4 on", "editor", EDITOR,
                                            "40.00 ms (usually 5.000 ms) of the Unity Editor's own, in EditorLoop: --player-only leaves that out")])
    suite.equal("without it", said(path, "--player-only"), [])


def physics(k, f, every, ms, first=0, last=10 ** 6):
    """Physics in a part of the frames."""
    if k % every == 0 and first <= k < last:
        f[MAIN][0].calls.append(Zone(PHYSICS, ms + k % 4 / 32))


def all_the_time():
    """What a tenth of the frames do, all over the capture, and within the budget, is no hitch; what is rarer, later, or over the budget is told."""
    path = game("third.raw", lambda k, f: physics(k, f, 3, 2))
    table = suite.report("stats", path, "--table", "causes")["tables"]["causes"]
    suite.equal("physics in every third frame", said(path), [])
    suite.true("why nothing is told", "80 of 240 frames are longer because of Physics.Simulate" in table["note"] and
               "60 fps (16.7 ms)" in table["note"], table)
    out = screen(path)
    suite.true("the first screen accuses nobody", "usually not called" not in out and "slow_call" not in out and "80 of 240 frames" in out, out)
    for what, change, many in (
            ("every 12th frame", lambda k, f: physics(k, f, 12, 2), 20),
            ("half of the capture", lambda k, f: physics(k, f, 3, 2, 0, 120), 40),
            ("frames over the budget", lambda k, f: (physics(k, f, 3, 4), setattr(update(f), "ms", update(f).ms + 8)), 80)):
        rows = suite.rows("causes", game("told.raw", change))
        suite.equal("%s" % what, [(r["count"], r["class"], r["marker"]) for r in rows if r["class"] != "steady"], [(many, "slow_call", PHYSICS)])
    # Far longer for once than all the time.
    path = game("once.raw", lambda k, f: physics(k, f, 3, 8 if k == 99 else 2))
    suite.equal("a frame with far more of it", said(path), [("frame 100", "slow_call", PHYSICS, "Physics.Simulate: 8.094 ms, usually 2.031 ms")])


def from_some_frame_on():
    """What begins halfway is one row, with its first frame, also of frames that a limit holds, and another time that is far longer is a row of its own."""
    path = game("half.raw", lambda k, f: f[MAIN][0].calls.append(Zone("Shadows.Render", 3)) if k >= 300 else None, 600)
    suite.equal("a marker of the second half", said(path), [("from frame 301 on", "growth", "Shadows.Render",
        "Shadows.Render: 1 call a frame, before none: 3.000 ms more, as medians of the first and the last eighth of the capture")])
    path = game("half_and_once.raw", lambda k, f: f[MAIN][0].calls.append(Zone("Shadows.Render", 30 if k == 450 else 3)) if k >= 300 else None, 600)
    suite.equal("and far longer once", [(r[0], r[1]) for r in said(path)], [("from frame 301 on", "growth"), ("frame 451", "slow_call")])

    # Each call takes a little longer than the one before, in the end not by half: that alone is no growth, and twice as many calls are told as such.
    for by in (65536, 200):
        path = game("twice.raw", lambda k, f: f[MAIN][0].calls.extend([Zone("Shadows.Render", 3 + k / by)] * (2 if k >= 170 else 1)), 300)
        suite.equal("twice as many calls", [r[:3] for r in said(path)], [("from frame 171 on", "growth", "Shadows.Render")])
    path = game("both.raw", lambda k, f: f[MAIN][0].calls.extend([Zone("Shadows.Render", 3 + k / 64)] * (2 if k >= 170 else 1)), 300)
    suite.equal("calls that take far longer", [(r[2], "cost per call grows" in r[3]) for r in said(path) if r[1] == "growth"], [("Shadows.Render", True)])

    def more(k, f):
        if k >= 100:
            f[MAIN][0].calls.extend(Zone(UPDATE, .25) for _ in range(18))
    path = game("capped.raw", more, 200, 16.625)
    suite.equal("more calls from the middle on", [r[:3] for r in said(path)], [("from frame 101 on", "growth", UPDATE)])
    return path


def longer_from_some_frame_on():
    """What takes far longer from some frame on, in as many calls, is told so, by the method that all of it is in; not where all do, or little, or by chance."""
    def stepped(*parts, begins=100, noise=0):
        def change(k, f):
            scripts(f, *(Zone(name, (after if k >= begins else before) + k * 11 % 16 / 16 * noise, *([Zone(inner, 0)] if inner else []))
                         for name, inner, before, after in parts))
            if parts[0][1]:
                z = f[MAIN][0].calls[-1].calls[0]
                z.ms, z.calls[0].ms = .125, z.ms
        return change
    path = game("step.raw", stepped((DIRECTOR, None, .5, 4)))
    suite.equal("takes eight times as long", said(path), [("from about frame 102 on", "growth", DIRECTOR, DIRECTOR + ", with what it calls: 4.000 ms a "
        "frame, before 500.0 \u00b5s, as medians of the last and the first eighth of the capture; it is called as often as before")])
    suite.equal("in what it calls", [r[1:3] for r in said(game("step.raw", stepped((DIRECTOR, MAP, .5, 4))))], [("growth", MAP)])
    suite.equal("in noise", [r[:3] for r in said(game("step.raw", stepped((DIRECTOR, None, .5, 4), noise=1)))],
                [("from about frame 102 on", "growth", DIRECTOR)])
    suite.equal("half as long again is too little", said(game("step.raw", stepped((DIRECTOR, None, 2, 3)))), [])
    suite.equal("another takes less instead", said(game("step.raw", stepped((DIRECTOR, None, .5, 4), (MAP, None, 4, .5)))), [])

    def slower(z, by):
        z.ms *= by
        for c in z.calls:
            slower(c, by)
    suite.equal("all take longer", [r for r in said(game("step.raw", lambda k, f: slower(f[MAIN][0], 3 if k >= 130 else 1))) if r[1] == "growth"], [])


def capped(path):
    """The first screen of capped frames has their uncapped time, by which they are ranked, and a note says so."""
    report = suite.report(path)
    worst = report["tables"]["capture_frames"]
    uncapped = [r["uncapped_ns"] for r in worst["rows"]]
    own = {r["time"]: r for r in suite.rows("frames", path)}["uncapped"]
    suite.equal("the worst is the one with the most uncapped time", uncapped[0], own["max_ns"])
    suite.equal("they are in its order", uncapped, sorted(uncapped, reverse=True))
    suite.true("a note says so", "most uncapped time" in worst["note"], worst)
    out = screen(path)
    suite.true("so does the text", "the worst are those with the most uncapped time" in out and re.search(r"frame +duration +uncapped +of which", out), out)
    said = r"player saw +.*capped at 60 fps .* needed +main thread: median [0-9.]+ ms, p99 [0-9.]+ ms, longest %.4g" % (own["max_ns"] / MS)
    suite.true("the frames' own time is there", re.search(said, out), out)
    free = suite.report(game("free.raw", lambda k, f: None))["tables"]["capture_frames"]
    suite.equal("frames without a limit have none", [r["uncapped_ns"] for r in free["rows"]], [None] * 3)


def meanwhile():
    """While the main thread waits, what another thread runs beyond the usual is named, with its time, if it takes half as long."""
    def waits(k, f, tid, zone, ms=16):
        if k % 30 == 11:
            f[tid] = [zone]
            update(f).calls = [Zone(JOBS if tid != RENDER else "Gfx.WaitForRenderThread", ms)]
    for what, tid, marker, thread_name in (("a job", WORKERS[0], PATH, "Worker 0"), ("shaders on the render thread", RENDER, "Shader.CreateGPUProgram",
                                                                                    "Render Thread")):
        rows = said(game("wait.raw", lambda k, f: waits(k, f, tid, Zone(marker, 18))))
        suite.equal("waiting for %s" % what, [r[1] for r in rows], ["wait"])
        suite.true("what runs meanwhile: %s" % what, rows[0][3].endswith('; in the worst frame thread "%s" ran %s for 18.00 ms' %
                                                                       (thread_name, marker)), rows)
    rows = said(game("idle.raw", lambda k, f: waits(k, f, WORKERS[0], Zone(PATH, 2))))
    suite.true("a thread that does next to nothing more is not named", rows and rows[0][1] == "wait" and "thread" not in rows[0][3], rows)


MOVE, CURRENT, BOSS = ("Game.dll!Game::Items.MoveNext()", "Game.dll!Game::Items.get_Current()", "Game.dll!Game::Boss.Update()")


def long_calls():
    """One long call is no more calls, though there are some more; who makes it for once is named. As many calls as each takes as long as ever are calls."""
    def once(k, f):
        update(f).calls.append(Zone(PHYSICS, .25))
        if k % 50 == 20:
            update(f).calls += [Zone(PHYSICS, .25), Zone(BOSS, 0, Zone(PHYSICS, 40 + k / 128))]
    suite.equal("one long call", said(game("long_call.raw", once)), [("5 frames, every 50th from 21 on", "slow_call", PHYSICS,
        "Physics.Simulate: one of its 3 calls, by %s, takes 40.16 to 41.72 ms; all of them usually take 250.0 \u00b5s" % BOSS)])

    def by_others(k, f):
        update(f).calls.append(Zone(PHYSICS, .25))
        if k % 50 == 20:
            update(f).calls += [Zone(PHYSICS, .25), Zone(PHYSICS, 40) if k == 120 else Zone(BOSS, 0, Zone(PHYSICS, 40 + k / 128))]
    suite.equal("one long call, in one frame by its usual caller", [r[3] for r in said(game("long_call_by.raw", by_others))],
        ["Physics.Simulate: one of its 3 calls, in the worst frame by %s, takes 40.00 to 41.72 ms; all of them usually take 250.0 \u00b5s" % BOSS])

    def twice(k, f):
        update(f).calls.extend([Zone(PHYSICS, 4)] * (2 if k % 50 == 20 else 1))
    suite.equal("a call as long as ever", said(game("two_calls.raw", twice)), [("5 frames, every 50th from 21 on", "calls", PHYSICS,
        "Physics.Simulate, under %s: 2 calls, usually 1: 4.000 ms more" % UPDATE)])


def one_loop():
    """A loop that runs longer is one cause, however its time is parted between itself and what it calls."""
    parted = [(4, .875, 10), (3.5, .875, 7), (4, 3, 5), (6, 5, 6), (.875, 6, 5), (.875, 5, 7)]

    def change(k, f):
        n, (move, current, own) = (1000, parted[k // 40]) if k % 40 == 20 else (5, (.0625, .0625, .0625))
        loop = Zone("Game.dll!Game::Items.Sum()", own)
        for _ in range(n):
            loop.calls += [Zone(MOVE, move / 1024), Zone(CURRENT, current / 1024)]
        update(f).calls.append(loop)
    rows = said(game("loop.raw", change))
    suite.equal("a loop is one cause", [r[:3] for r in rows], [("6 frames, every 40th from 21 on", "slow_call", "Game.dll!Game::Items.Sum()")])
    suite.true("the sentence says what it calls", rows and rows[0][3].endswith("; it calls %s 1,000 times, usually 5" % MOVE) and
               "of the extra time" not in rows[0][3], rows)


REC, EVEN, ODD = ("Game.dll!Game::Tree.%s()" % name for name in ("Visit", "Even", "Odd"))


def nested(names, depth, ms, *last):
    """Calls within calls, by the ${names} in turn, ${depth} of them; the innermost makes the ${last}."""
    z = None
    for i in reversed(range(depth)):
        z = Zone(names[i % len(names)], ms, *([z] if z else last))
    return z


def recursion_for_once():
    """Calls that call themselves, in turns, too, are one cause, told by the outermost; what takes the time at their end is told itself."""
    for depth in (5, 20, 100, 200):
        for names in ((REC,), (EVEN, ODD)):
            def change(k, f, depth=depth, names=names):
                if k % 40 == 20:
                    scripts(f, nested(names, depth, 12.5 / depth))
            rows = said(game("nested.raw", change))
            suite.equal("%d calls of %d methods within each other" % (depth, len(names)), [r[:3] for r in rows],
                        [("6 frames, every 40th from 21 on", "slow_call", names[0])])
            suite.true("what they take is all that the outermost takes", rows and rows[0][3].startswith("%s: 12.50 ms" % names[0]) and
                       rows[0][3].endswith("; usually not called"), rows)

    def deep(k, f):
        scripts(f, nested((REC,), 5, .0625, Zone(PATH, 9 if k % 40 == 20 else .125)))
    suite.equal("the innermost calls what is slow", [r[:3] for r in said(game("innermost.raw", deep))],
                [("6 frames, every 40th from 21 on", "slow_call", PATH)])


def what_comes_first():
    """What all frames take comes after what is known to make some of them long; but first where most frames miss 60 fps by it."""
    def rows(ms, change):
        def both(k, f):
            update(f).ms += ms
            change(k, f)
        return [(r["class"], r["frames"]) for r in suite.rows("causes", game("order.raw", both))]
    shader = lambda k, f: f[MAIN][0].calls.append(Zone("Shader.CreateGPUProgram", 70)) if k in (40, 41, 90) else None
    some, every = ("shaders", "frames 41, 42 and 91"), ("steady", "all frames")
    suite.equal("a shader, and 6 of 9 ms in all frames", rows(3, shader), [some, every])
    suite.equal("a shader, and 18 of 21 ms in all frames", rows(15, shader), [every, some])
    suite.equal("a shader, and 18 of 36 ms in all frames", rows(15, lambda k, f: (setattr(f[MAIN][0].calls[1], "ms", 17), shader(k, f))), [every, every, some])
    once = lambda k, f: setattr(update(f), "ms", update(f).ms + 9) if k == 100 else None
    suite.equal("one frame that nothing explains, and 6 of 9 ms in all frames", rows(3, once), [every, ("unknown", "frame 101")])


def more_done_here():
    """Where the frame thread itself has far more zones, processors are not what is short."""
    def change(k, f, many):
        if k % 30 == 11:
            f[WORKERS[0]] = [Zone(PATH, 14)]
            f[WORKERS[1]] = [Zone(PATH, 13)]
            update(f).ms *= 4
            f[MAIN][0].calls.extend([Zone("Culling", .0078125)] * many)
    suite.equal("as many zones as ever, and three", [r[1] for r in said(game("few.raw", lambda k, f: change(k, f, 3)))], ["processors"])
    rows = said(game("many.raw", lambda k, f: change(k, f, 40)))
    suite.true("forty more", rows and not [r for r in rows if r[1] == "processors" or "no extra work" in r[3]], rows)


def no_contention():
    """A method that is slow each time is the cause, whatever other threads do; one busy thread takes no processor from this one, several do."""
    def stream(k, f):
        scripts(f, Zone(DIRECTOR, 9 if k % 20 == 10 else .125))
        if k % 20 == 10:
            f[WORKERS[0]] = [Zone(PATH, 13)]
            f[WORKERS[1]] = [Zone(ANIMATION, 13)]
    suite.equal("slow where others are busy", said(game("stream.raw", stream)), [("12 frames, every 20th from 11 on", "slow_call", DIRECTOR,
        "%s: 9.000 ms, usually 125.0 \u00b5s" % DIRECTOR)])

    def in_turns(k, f, threads):
        f[MAIN][0].calls.append(Zone(PHYSICS, 2))
        if k % 40 == 20:
            f[MAIN][0].calls[(k // 40) % 3].ms += 12
            for tid in WORKERS[:threads]:
                f[tid] = [Zone(PATH, 16)]
    for threads, cause in ((1, "unknown"), (2, "processors")):
        rows = said(game("turns.raw", lambda k, f: in_turns(k, f, threads)))
        suite.equal("each in turn, %d busy" % threads, {r[1] for r in rows}, {cause})


def two_causes():
    """What takes the most time is the cause, though other work is known, which is told beside it from a quarter on. A method may be slow by chance."""
    beside = (("GC.Collect", "; and %s for a collection"), ("Shader.CreateGPUProgram", "; and %s compiling shaders ("), (JOBS, "; and %s waiting in "))
    for marker, words in beside:
        for ms, text in ((4, words % "4.000 ms"), (1, " (87 % of the extra time)")):
            def change(k, f, marker=marker, ms=ms):
                scripts(f, Zone(DIRECTOR, 7 if k % 40 == 20 else .125))
                if k % 40 == 20:
                    f[MAIN][0].calls.append(Zone(marker, ms))
            rows = said(game("beside.raw", change))
            want = "%s: 7.000 ms, usually 125.0 \u00b5s%s" % (DIRECTOR, text)
            suite.true("%s of %d ms beside a slow method" % (marker, ms), len(rows) == 1 and rows[0][:3] == ("6 frames, every 40th from 21 on", "slow_call",
                       DIRECTOR) and rows[0][3].startswith(want), rows)
    rows = said(game("both.raw", lambda k, f: f[MAIN][0].calls.extend([Zone("GC.Collect", 9), Zone(READ, 5)]) if k % 40 == 20 else None))
    suite.true("two that are known", len(rows) == 1 and rows[0][1] == "collection" and rows[0][3].startswith("9.000 ms for a collection") and
               "; and 5.000 ms loading: File.Read" in rows[0][3], rows)

    def uneven(k, f, ms):
        update(f).ms += .5 if k % 40 == 20 else k % 5
        f[MAIN][0].calls.extend([Zone("GC.Collect", 6.5), Zone(READ, ms)] if k % 40 == 20 else [])
    for ms, text in ((5, "; and 5.000 ms loading: File.Read, under %s" % LOOP), (2, "")):
        rows = said(game("both_uneven.raw", lambda k, f: uneven(k, f, ms)))
        suite.equal("two that are known, where the rest of the frame is shorter than usual, %d ms" % ms, [r[1:] for r in rows],
                    [("collection", LOOP, "6.500 ms for a collection, started in " + LOOP + text)])

    def once(k, f):
        f[MAIN][0].calls.append(Zone(PHYSICS, 1))
        if k in (31, 90, 201):
            f[MAIN][0].calls[k % 3].ms += 6
            f[MAIN][0].calls.append(Zone("GC.Collect", 4))
    suite.equal("slow by chance", {r[1] for r in said(game("by_chance.raw", once))}, {"collection"})


DIRECTOR, MAP, HUD, LASER = ("Game.dll!AI::Director.Update()", "Game.dll!UI::Map.Update()", "Game.dll!UI::Hud.Update()", "Game.dll!Game::Laser.Update()")
DISPATCHER = "BehaviourUpdate"


def scripts(f, *zones):
    """Scripts that the engine's dispatcher calls."""
    f[MAIN][0].calls.append(Zone(DISPATCHER, .0625, *zones))


def beside():
    """What the program does beside a cause in the same frames is told, too, in three sizes and by its kind: also what is merely slower, if not by chance."""
    def change(k, f, first, second, every=40):
        hitch = k % every == 20
        scripts(f, Zone(DIRECTOR, first[1] if hitch and first[0] == DIRECTOR else .125),
                Zone(MAP, second[1] if hitch and second[0] == MAP else .125),
                Zone(LASER, .125, *[Zone("Physics.Raycast", .03125)] * (10 + int(second[1] * 32) if hitch and second[0] == "Physics.Raycast" else 10)))
        if hitch:
            f[MAIN][0].calls += [Zone(name, ms) for name, ms in (first, second) if name in ("GC.Collect", LEVEL, READ)]
    for size in (1, .5, .1875):
        for first, second, one, two in (
                (("GC.Collect", 10), (LEVEL, 6), "collection", LEVEL + ": {}; usually not called"),
                (("GC.Collect", 10), (MAP, 6), "collection", MAP + ": {}, usually 125.0 \u00b5s"),
                (("GC.Collect", 10), ("Physics.Raycast", 6), "collection", "Physics.Raycast, under %s: [0-9]+ calls, usually 10: {} more" % LASER),
                ((DIRECTOR, 10), (MAP, 6), "slow_call", MAP + ": {}, usually 125.0 \u00b5s"),
                ((DIRECTOR, 10), (READ, 6), "slow_call", "{} loading: File.Read, under PlayerLoop"),
                ((LEVEL, 10), ("Physics.Raycast", 6), "slow_call", "Physics.Raycast, under %s: [0-9]+ calls, usually 10: {} more" % LASER)):
            first, second = ((name, ms * size) for name, ms in (first, second))
            path = game("beside.raw", lambda k, f: change(k, f, first, second))
            rows = said(path)
            want = re.escape(two).replace(r"\{\}", re.escape("%#.4g ms" % second[1])).replace(r"\[0\-9\]\+", "[0-9]+")
            text = "%s of %g ms beside %s" % (second[0], second[1], first[0])
            suite.equal(text + ": one row", [r[:2] for r in rows], [("6 frames, every 40th from 21 on", one)])
            suite.true(text, rows and re.search("; and " + want + "$", rows[0][3]), rows)
            suite.true(text + ", on the first screen", re.search("; and " + want, screen(path)), screen(path))
            suite.equal(text + ", frame by frame", sorted(r["frame"] for r in suite.rows("frame_causes", path) if
                        re.search("; and " + want + "$", r["sentence"])), [21, 61, 101, 141, 181, 221])

    def both(k, f):
        f[MAIN][0].calls += [Zone("Physics.Raycast", .25) for _ in range(28 if k % 40 == 20 else 16)] + [Zone(LEVEL, 2.5)] * (k % 40 == 20)
    suite.equal("neither has most of the time", said(game("neither.raw", both)), [("6 frames, every 40th from 21 on", "calls", "Physics.Raycast",
        "Physics.Raycast: 28 calls, usually 16: 3.000 ms more; and %s: 2.500 ms; usually not called" % LEVEL)])

    def collects(k, f, slow):
        if k % 40 == 20:
            f[MAIN][0].calls.append(Zone("GC.Collect", 6))
            slow(k // 40, f)
    alone = [("6 frames, every 40th from 21 on", "collection", "PlayerLoop", "6.000 ms for a collection, started in PlayerLoop (60 % of the extra time)")]

    def in_turns(k, f):
        f[MAIN][0].calls.append(Zone(PHYSICS, 1))
        collects(k, f, lambda i, f: setattr(f[MAIN][0].calls[i % 3], "ms", f[MAIN][0].calls[i % 3].ms + 4))
    suite.equal("another method is slow each time", said(game("second_by_chance.raw", in_turns)), alone)
    for often, words in ((3, "6.000 ms for a collection, started in PlayerLoop (60 % of the extra time)"),
                         (4, "6.000 ms for a collection, started in PlayerLoop; and in 4 of these frames %s: 4.000 ms; usually not called "
                          "(86 %% of the extra time)" % LEVEL)):
        path = game("some.raw", lambda k, f: collects(k, f, lambda i, f: f[MAIN][0].calls.append(Zone(LEVEL if i < often else "Zone %d" % i, 4))))
        suite.equal("beside %d of 6" % often, [r[3] for r in said(path)], [words])


def several_scripts():
    """Scripts that are slow in the same frames are all named, and not what calls them; one that has most of it alone is named alone."""
    def change(k, f, *ms):
        hitch = k % 40 == 20
        scripts(f, *(Zone(n, t if hitch else .125) for n, t in zip((DIRECTOR, MAP, HUD), ms)))
    for what, ms, text in (("two", (12, 11, .125), "%s 12.00 ms and %s 11.00 ms, usually 125.0 \u00b5s and 125.0 \u00b5s" % (DIRECTOR, MAP)),
                           ("three", (8, 8, 8), "%s 8.000 ms, %s 8.000 ms and %s 8.000 ms, usually 125.0 \u00b5s, 125.0 \u00b5s and 125.0 \u00b5s" %
                            (DIRECTOR, MAP, HUD)),
                           ("one", (1, 11, .125), "%s: 11.00 ms, usually 125.0 \u00b5s" % MAP)):
        rows = said(game(what + "_slow.raw", lambda k, f: change(k, f, *ms)))
        suite.equal("%s slow together" % what, [(r[0], r[1], r[3]) for r in rows], [("6 frames, every 40th from 21 on", "slow_call", text)])

    def rare(k, f):
        scripts(f, *([Zone(DIRECTOR, 12), Zone(MAP, 11)] if k % 40 == 20 else []))
    rows = said(game("two_rare.raw", rare))
    suite.equal("two that usually do not run", [r[3] for r in rows], ["%s 12.00 ms and %s 11.00 ms; usually not called" % (DIRECTOR, MAP)])


def collections_of_the_engine():
    """The engine's loop never asks for a collection."""
    for marker in (LOOP, DISPATCHER, "PostLateUpdate.FinishFrameRendering"):
        def change(k, f, marker=marker):
            if marker != LOOP:
                f[MAIN][0].calls.append(Zone(marker, .25))
            if k % 40 == 20:
                (f[MAIN][0] if marker == LOOP else f[MAIN][0].calls[-1]).calls.append(Zone("GC.Collect", 15))
        rows = said(game("collect.raw", change))
        suite.true("a collection in %s" % marker, len(rows) == 1 and rows[0][1] == "collection" and "asked for" not in rows[0][3] and
                   "started in " + marker in rows[0][3], rows)

    def elsewhere(k, f):
        if k % 40 == 20:
            f[WORKERS[0]].append(Zone("GC.Collect", 9))
            f[MAIN][0].calls[k // 40 % 2].ms += 9
    suite.equal("a collection of another thread", [(r[1], r[3]) for r in said(game("elsewhere.raw", elsewhere))],
                [("collection", '9.000 ms for a collection, on thread "Worker 0"')])


def much_of_a_frame():
    """A marker that is a third of a usual frame is named where it alone takes longer, all the time; not where all takes longer, or other markers do."""
    def change(k, f, ms):
        f[MAIN][0].calls.append(Zone(PHYSICS, ms if k % 20 == 10 else 3))
    rows = said(game("third_of_all.raw", lambda k, f: change(k, f, 25)))
    suite.equal("a third of a frame", rows, [("12 frames, every 20th from 11 on", "slow_call", PHYSICS, "Physics.Simulate: 25.00 ms, usually 3.000 ms")])

    def alike(k, f):
        change(k, f, 3)
        if k % 20 == 10:
            for z in [f[MAIN][0]] + f[MAIN][0].calls:
                z.ms *= 3
    rows = said(game("all_thrice.raw", alike))
    suite.equal("all markers take three times as long", [(r[0], r[1], r[2]) for r in rows], [("12 frames, every 20th from 11 on", "unknown", None)])

    def others(k, f):
        change(k, f, 3)
        if k % 20 == 10:
            f[MAIN][0].calls[(k // 20) % 3].ms += 20
    rows = said(game("in_turns.raw", others))
    suite.equal("each in turn", [(r[1], r[2]) for r in rows], [("unknown", None)])


def slower_clock():
    """Where everything takes longer as the capture goes on, no marker is accused; where one does, it is."""
    def change(k, f):
        factor = 1 + 1.25 * min(1, max(0, (k - 24) / 180))
        for z in [f[MAIN][0]] + f[MAIN][0].calls:
            z.ms *= factor
    rows = said(game("slower.raw", change))
    suite.equal("everything slows down", [r[:3] for r in rows], [("all frames", "growth", None)])
    suite.true("by how much", rows and re.match(r"everything takes 2\.[23] times as long: a slower processor clock", rows[0][3]), rows)
    rows = said(game("grows.raw", lambda k, f: f[MAIN][0].calls.append(Zone(PHYSICS, .25 + k / 32))))
    suite.equal("one that grows", [r[1:3] for r in rows], [("growth", PHYSICS)])


def growth_through_a_helper():
    """Where one of several that call a marker makes it grow, that one is told, not the marker, and not that everything is slower."""
    helper, ai = "Game.dll!Game::Mesh.Build()", "Game.dll!Game::Ai.Sense()"

    def shared(grows, own=0, noise=0):
        def change(k, f):
            more = k * 5 % 8 / 64
            scripts(f, Zone(MAP, .125, Zone(helper, 3 + k * 11 % 16 / 16 * noise)), Zone(CAMERA, .125, Zone(helper, 1)),
                    Zone(ai, .125, Zone(DIRECTOR, own, Zone(helper, .25 + grows * k / 240 + more))))
            for z in [f[MAIN][0]] + f[MAIN][0].calls[:2]:
                z.ms = .0625
        return change
    for what, change in ("a helper grows by one caller", shared(8)), ("in noise", shared(3, noise=2)), ("and its caller itself", shared(8, .5)):
        rows = said(game("helper.raw", change))
        suite.equal(what, [r[:3] for r in rows], [("all frames", "growth", DIRECTOR)])
        suite.true("with what it calls: " + what, rows and rows[0][3].startswith(DIRECTOR + ", with what it calls, grows from "), rows)
    suite.equal("nothing grows in it", said(game("helper.raw", shared(0))), [])

    def slower(z, by):
        z.ms *= by
        for c in z.calls:
            slower(c, by)

    def all_callers(k, f):
        shared(0)(k, f)
        slower(f[MAIN][0], 1 + k / 100)
    suite.equal("all callers grow", [r[1:3] for r in said(game("helper_all.raw", all_callers))], [("growth", None)])


def growths():
    """Each method that grows is told, and a wait that makes frames longer; figures are medians of all frames of the first and the last eighth."""
    def median(first, ms):
        """The median, by the nearest rank, of the 30 frames from ${first} on."""
        return sorted(map(ms, range(first, first + 30)))[14]

    def text(ms):
        return "%#.4g ms" % ms if ms >= 1 else "%#.4g µs" % (ms * 1000)

    def grows(k, by):
        return .25 + k / by + k * 5 % 16 / 32

    def sentence(words, by):
        low, high = (text(median(first, lambda k: grows(k, by))) for first in (0, 210))
        return "%s grows from %s to %s, as medians of the first and the last eighth of the capture" % (words, low, high)

    def two(k, f):
        scripts(f, Zone(DIRECTOR, grows(k, 32)), Zone(MAP, grows(k, 64)))
    suite.equal("two methods that grow", said(game("two_grow.raw", two)), [("all frames", "growth", m, sentence(m + ": cost per call", by))
                                                                          for m, by in ((DIRECTOR, 32), (MAP, 64))])

    def waits(k, f, shrinks=0):
        scripts(f, Zone(LASER, .125 + shrinks * (8 - k / 32), Zone(JOBS, grows(k, 32))))
    suite.equal("a wait that grows", said(game("wait_grows.raw", waits)),
                [("all frames", "growth", LASER, sentence(LASER + ": waiting in WaitForJobGroupID", 32).replace(", as", " a frame, as"))])
    suite.equal("a wait for what is left of a frame", said(game("wait_left.raw", lambda k, f: waits(k, f, 1))), [])


def callers():
    """The method around a marker of the engine is named, where it is called more often, is slow, or waits: not an innocent one that calls it, too."""
    def rays(k, f):
        scripts(f, Zone(DIRECTOR, .125, *[Zone("Physics.Raycast", .03125)] * 10),
                Zone(LASER, .125, *[Zone("Physics.Raycast", .03125)] * (400 if k % 40 == 20 else 8)))
    rows = said(game("rays.raw", rays))
    suite.equal("many calls", [r[1:] for r in rows], [("calls", "Physics.Raycast", "Physics.Raycast, under %s: 410 calls, usually 18: 12.25 ms more" % LASER)])

    def spawns(k, f):
        scripts(f, Zone(LASER, .125, *([Zone("Instantiate", 1, Zone("Instantiate.Produce", 9), Zone("Instantiate.Awake", 8))] if k % 40 == 20 else [])))
    rows = said(game("spawns.raw", spawns))
    suite.equal("a slow call", [r[3] for r in rows], ["Instantiate, under %s: 18.00 ms; usually not called" % LASER])

    def waits(k, f):
        scripts(f, Zone(LASER, .125, Zone("JobHandle.Complete", .0625, Zone(JOBS, 20 if k % 40 == 20 else .5))))
    rows = said(game("waits.raw", waits))
    suite.true("a wait", rows and rows[0][3].endswith("waiting in WaitForJobGroupID, called by JobHandle.Complete, under " + LASER), rows)
    shader = game("parse.raw", lambda k, f: f[MAIN][0].calls[1].calls.append(Zone("Shader.Parse", .25, Zone("Shader.CreateGPUProgram", 22)))
                  if k in (40, 41, 90) else None)
    suite.true("of shaders the marker that takes the time", "compiling shaders (Shader.CreateGPUProgram)" in said(shader)[0][3], said(shader))


def loader():
    """A method that reads many files loads, also if most of the time is between the reads; one that reads some, or in no time, does not."""
    def change(k, f, many, ms):
        if k % 40 == 20:
            update(f).calls.append(Zone(LEVEL, 8, *[Zone(READ, ms / many) for _ in range(many)]))
    suite.equal("forty reads", said(game("loader.raw", lambda k, f: change(k, f, 40, 2.5))), [("6 frames, every 40th from 21 on", "loading", LEVEL,
        "%s is loading: 40 calls of File.Read, usually none: 10.50 ms more" % LEVEL)])

    def slower(k, f):
        often = k % 40 == 20
        update(f).calls.append(Zone(LEVEL, 8 if often else .0625, *[Zone(READ, .0625) for _ in range(33 if often else 1)]))
    suite.equal("thirty-three reads of a method that always reads", said(game("slower.raw", slower)), [("6 frames, every 40th from 21 on", "loading", LEVEL,
        "%s is loading: 33 calls of File.Read, usually 1: 9.938 ms more" % LEVEL)])
    for name, many, ms in (("nine reads", 9, 2.25), ("forty short ones", 40, .3125)):
        suite.equal(name, [r[1:3] for r in said(game("no_loader.raw", lambda k, f: change(k, f, many, ms)))], [("slow_call", LEVEL)])


def work_while_waiting():
    """What a thread does while it waits is told by what it is, and is no wait; what it really waits is one."""
    cases = (("a job", Zone("Nav.BuildJob", 20), 0, "slow_call", "Nav.BuildJob, under %s: 20.00 ms; usually not called" % LASER),
             ("a job that collects", Zone(PATH, 1, Zone("GC.Collect", 20)), 0, "collection", "20.00 ms for a collection, started in " + PATH),
             ("a load", Zone("Loading.ReadObject", 20), 0, "loading", "20.00 ms loading: Loading.ReadObject, under " + LASER),
             ("a job and a longer wait", Zone("Nav.BuildJob", .5), 20, "wait", "20.00 ms waiting in WaitForJobGroupID, called by " + LASER),
             ("a job that waits", Zone("Nav.BuildJob", .125, Zone("Semaphore.WaitForSignal", 20)), 0, "wait",
              "20.00 ms waiting in Semaphore.WaitForSignal, called by Nav.BuildJob, under " + LASER))
    for what, job, waits, cause, text in cases:
        def change(k, f):
            long = k % 40 == 20
            scripts(f, Zone(LASER, .125, Zone(JOBS, waits if long else 0, *([job] if long else []))))
        rows = said(game("stolen.raw", change))
        suite.equal("%s while the main thread waits" % what, [(r[0], r[1], r[3]) for r in rows], [("6 frames, every 40th from 21 on", cause, text)])


def works_more():
    """Where frames are as long as the others and only work more, in a third of them, it is not said that they are longer."""
    def change(k, f):
        f[MAIN] = [Zone(LOOP, .5, Zone(PHYSICS if k % 3 == 1 else JOBS, 8))]
    empty = suite.report("stats", game("busy.raw", change), "--table", "causes")["tables"]["causes"]["empty"]
    suite.true("frames that only work more", "80 of 240 frames have more CPU-active time because of Physics.Simulate" in empty, empty)


def recursion():
    """A method that calls itself far more often is called more; the outermost call, which holds the others, is not one that is slow."""
    def change(k, f):
        inner = []
        for _ in range(300 if k % 40 == 20 else 6):
            inner = [Zone(DIRECTOR, .03125, *inner)]
        scripts(f, *inner)
    suite.equal("recursion", [r[:3] + (r[3][:r[3].rindex(":")],) for r in said(game("recursion.raw", change))],
                [("6 frames, every 40th from 21 on", "calls", DIRECTOR, DIRECTOR + ": 300 calls, usually 6")])


def until():
    """Evenly spaced frames: where there could be one more before the end, the last is named."""
    for last, frames in ((180, "3 frames, every 60th from 61 to 181"), (239, "3 frames, every 60th from 61 on")):
        rows = said(game("until.raw", lambda k, f: f[MAIN][0].calls.append(Zone(DIRECTOR, 20)) if k in (60, 120, 180) else None, last + 1 + (last == 180) * 60))
        suite.equal("the last of evenly spaced frames, %d" % last, [r[0] for r in rows], [frames])


def blocking_calls():
    """Methods that block have the same class and are no CPU-active time in the names of deep profiling, and in a copy without names, too."""
    for name, cause in (("mscorlib.dll!System.Threading::Thread.Sleep()", "wait"), ("mscorlib.dll!System.Threading::Monitor.Enter()", "lock"),
                        ("System.dll!System.Net.Sockets::Socket.Receive()", "wait"),
                        ("mscorlib.dll!System.Threading::Thread.YieldInternal()", "wait"), ("mscorlib.dll!System.Threading::Thread.SpinWait_nop()", "wait"),
                        ("mscorlib.dll!System::GC.WaitForPendingFinalizers()", "wait"),
                        ("mscorlib.dll!System.IO::FileStream..ctor()", "loading"), ("Game.dll!Game::Thread.Sleep()", "slow_call")):
        path = game("blocks.raw", lambda k, f: f[MAIN][0].calls.append(Zone(LEVEL, .0625, Zone(name, 20 if k % 40 == 20 else .0625))))
        copy = suite.path("copy.raw")
        suite.run("info", "--scrub", "-o", copy, path)
        for what, of in (("", path), (", without names", copy)):
            suite.equal("%s%s" % (name, what), [r[:2] for r in said(of)], [("6 frames, every 40th from 21 on", cause)])
        rows = {r["time"]: r["max_ns"] for r in suite.rows("frames", path)}
        if cause in ("wait", "lock"):
            suite.true("CPU-active time without %s" % name, rows["cpu"] < 10 * MS < rows["wall"], rows)


def large_objects():
    """Large objects take the time that they take, however many small ones are allocated beside them; small ones alone do not."""
    for large, small, cause in ((500, 0, "allocation"), (500, 1000, "allocation"), (0, 1500, "slow_call")):
        def change(k, f, large=large, small=small):
            f[MAIN][0].calls.append(Zone(LEVEL, 12 if k % 40 == 20 else .0625, sizes=[10000] * large + [24] * small if k % 40 == 20 else [24]))
        rows = said(game("large.raw", change))
        suite.equal("%d large objects and %d small ones" % (large, small), [r[:3] for r in rows], [("6 frames, every 40th from 21 on", cause, LEVEL)])


def burst_and_collection():
    """What a method allocates is told once, also where the collection that it starts takes more time than that."""
    def change(k, f):
        f[MAIN][0].calls.append(Zone(LEVEL, 12, Zone("GC.Collect", 20), sizes=[10000] * 500) if k % 40 == 20 else Zone(LEVEL, .0625, sizes=[24]))
    rows = said(game("burst.raw", change))
    suite.equal("a burst and its collection", [r[:3] for r in rows], [("6 frames, every 40th from 21 on", "collection", LEVEL)])
    suite.true("what is allocated is told once", rows and rows[0][3].count("4.8 MB") == 1 and "; and %s allocates 4.8 MB" % LEVEL in rows[0][3], rows)


def not_explained():
    """What nothing explains is one row by size, and one of its own where half of the frames of a size are about one marker."""
    more = {60: (UPDATE, 41), 120: (UPDATE, 40), 21: (UPDATE, 4), 47: (CAMERA, 3.5), 90: (UPDATE, 3), 200: (UPDATE, 3), 170: (PHYSICS, 3.25)}

    def change(k, f):
        f[MAIN][0].calls.append(Zone(PHYSICS, 1))
        for z in f[MAIN][0].calls:
            z.ms += more[k][1] if k in more and z.name == more[k][0] else 0
    path = game("unknown.raw", change)
    extra = {r["frame"]: r["extra_ns"] for r in suite.rows("frame_causes", path)}

    def row(text, in_, *frames):
        ms = ["%.3f" % (extra[n] / MS) if extra[n] < 10 * MS else "%.2f" % (extra[n] / MS) for n in (min(frames, key=extra.get), max(frames, key=extra.get))]
        return text, "unknown", None, "%s to %s ms more, not explained: most of it in %s" % (*ms, in_)
    rows = [(*r[:3], re.split(", which | that were ", r[3])[0]) for r in said(path)]
    suite.equal("by size and marker", rows, [row("frames 61 and 121", UPDATE, 61, 121), row("frames 22, 91 and 201", UPDATE, 22, 91, 201),
                                             row("frames 48 and 171", "methods", 48, 171)])


def late_and_not_explained():
    """How many frames that miss the budget have no cause is told below the others' causes; nothing, if all have one, or none misses it."""
    for slow, collected, note in (((50, 91), 14, "2 of 8 frames that miss 60 fps (16.7 ms) are not explained; the longest is frame 92, of 20.56 ms"),
                                  ((91,), 14, "1 of 7 frames that miss 60 fps (16.7 ms) is not explained: frame 92, of 20.56 ms"),
                                  ((), 14, None), ((), 8, None)):
        def change(k, f, slow=slow, collected=collected):
            update(f).ms += 14 + k / 128 if k in slow else 0
            f[MAIN][0].calls.extend([Zone("GC.Collect", collected)] if k % 40 == 20 else [])
        path = game("late.raw", change)
        table = suite.report("stats", path, "--table", "causes")["tables"]["causes"]
        suite.equal("%d late frames are not explained" % len(slow), table.get("note"), note)
        suite.true("the first screen says so, too", (note or "60 fps") in screen(path), screen(path))


def for_the_display():
    """Frames that all miss 60 fps and wait for the display say so, and what the render thread runs meanwhile; frames within 60 fps do not."""
    for tid, work, draws, row in ((RENDER, 3, 20, '; thread "Render Thread" runs Render.Mesh for 20.00 ms a frame$'),
                                  (WORKERS[0], 3, 20, '; the GPU is late, or vertical sync holds the frame, or another thread is waited for; '
                                   'thread "Worker 0" runs Render.Mesh for 20.00 ms a frame$'),
                                  (RENDER, 3, 1, "; no other thread runs half as long: "), (RENDER, -12, 4, None)):
        def change(k, f, tid=tid, work=work, draws=draws):
            f[MAIN][0].calls.append(Zone("Gfx.WaitForPresentOnGfxThread", 14 + work + k % 8 / 2))
            f[tid] = [Zone("Render.Mesh", draws)]
        rows = said(game("display.raw", change))
        want = "a typical frame waits 1[89].* of 2.* ms in Gfx.WaitForPresentOnGfxThread" + (row or "")
        suite.true("waiting for the display, %d" % work, [r[:2] for r in rows] == [("all frames", "wait")] and re.match(want, rows[0][3]) if row else not rows,
                   rows)


def figures_of_what_is_named():
    """A figure is that of the marker and the call that the sentence names, not of all that is of its class in the frame: that is told beside it."""
    monitor = "mscorlib.dll!System.Threading::Monitor.Enter()"
    for marker, cause, words, of in (
            (JOBS, "wait", "12.00 ms waiting in WaitForJobGroupID, called by " + LASER, "of waiting"),
            (READ, "loading", "12.00 ms loading: File.Read, under " + LASER, "of loading"),
            ("AssetBundle.Unload", "loading", "12.00 ms unloading: AssetBundle.Unload, under " + LASER, "of loading and unloading"),
            ("Shader.CreateGPUProgram", "shaders", "12.00 ms compiling shaders (Shader.CreateGPUProgram), under " + LASER, "of compiling shaders"),
            (monitor, "lock", "12.00 ms waiting for a lock in " + LASER, "of waiting for locks"),
            ("GC.Collect", "collection", "12.00 ms for a collection, started in " + LASER, "of collections")):
        def change(k, f, marker=marker):
            more = k % 40 == 20
            scripts(f, Zone(LASER, .125, *[Zone(marker, 12)] * more), Zone(MAP, .125, *[Zone(marker, 8)] * more))
        suite.equal("%s in two methods" % marker, [r[1:] for r in said(game("parted.raw", change))], [(cause, LASER, words + ", of 20.00 ms " + of +
                    " (60 % of the extra time)")])

    def compiles(k, f):
        more = k % 40 == 20
        scripts(f, Zone(LASER, .125, *[Zone("Mono.JIT", 6)] * (2 * more)), Zone(MAP, .125, *[Zone("Mono.JIT", 4)] * (2 * more)))
    suite.equal("methods compiled in two methods", [r[1:] for r in said(game("parted.raw", compiles))],
                [("compiled", LASER, "20.00 ms to compile 4 methods at their first call, 12.00 ms of it under " + LASER)])

    # Two calls of one method; a wait that is usual, but elsewhere; a method's own time beside what waits in it.
    def two(k, f):
        more = k % 40 == 20
        scripts(f, Zone(LASER, .125, *[Zone(JOBS, 12), Zone("Semaphore.WaitForSignal", 8)] * more))
    suite.equal("two calls that wait", [r[3] for r in said(game("parted.raw", two))],
                ["12.00 ms waiting in WaitForJobGroupID, called by %s, of 20.00 ms of waiting (60 %% of the extra time)" % LASER])

    def usual_elsewhere(k, f):
        scripts(f, Zone(LASER, .125, *[Zone(JOBS, 12)] * (k % 40 == 20)), Zone(MAP, .125, Zone(JOBS, 4)))
    suite.equal("a wait that is usual elsewhere", [r[3] for r in said(game("parted.raw", usual_elsewhere))],
                ["12.00 ms waiting in WaitForJobGroupID, called by %s, of 16.00 ms of waiting" % LASER])

    def works_and_waits(k, f):
        scripts(f, Zone(DIRECTOR, 14 if k % 40 == 20 else .125, Zone(JOBS, 4)))
    suite.equal("what a method works, and what it takes with its waits", [r[3] for r in said(game("parted.raw", works_and_waits))],
                ["%s: 14.00 ms (18.00 ms with waits, collections and such in it), usually 125.0 \u00b5s" % DIRECTOR])

    def more_calls(k, f):
        scripts(f, Zone(LASER, .125, *[Zone("Physics.Raycast", .0625 + k % 3 / 256)] * (410 if k % 40 == 20 else 18)))
    rows = said(game("parted.raw", more_calls))
    want = {r["frame"]: r["total_ns"] for r in suite.rows("frame_markers", suite.path("parted.raw")) if r["marker"] == "Physics.Raycast"}
    usual_ns = sorted(v for k, v in want.items() if k % 40 != 21)[len(want) // 2 - 3]
    more = sorted((want[k] - usual_ns) / MS for k in (21, 61, 101, 141, 181, 221))
    suite.true("more calls take what they take beyond the usual", rows and rows[0][3].endswith(": 410 calls, usually 18: %#.4g to %#.4g ms more" %
               (more[0], more[-1])), (rows, more))


def ended_with():
    """A wait is told with the zone of another thread that it ended with, and what that was in, working or waiting; not with what ends at another time."""
    preload, pool, sleep = "Loading.AsyncRead", "Game.dll!Game::Pool.Run()", "mscorlib.dll!System.Threading::Thread.Sleep()"
    wait = "mscorlib.dll!System.Threading.Tasks::Task.Wait()"

    def change(k, f, marker, *zones, ms=16, other=0):
        # The main thread waits after 2 ms.
        if k % 30 == 11:
            f[MAIN] = [Zone(LOOP, .5, Zone(CAMERA, 2), Zone(UPDATE, 3, Zone(marker, ms)))]
            for tid, z in zip(WORKERS, zones):
                f[tid] = [Zone("Idle", 2 + ms - z.took() + other), z]
    for what, marker, zones, words in (
            ("a job", JOBS, [Zone(PATH, 16.5), Zone(ANIMATION, 8)], "%s of 16.50 ms on thread \"Worker 0\"" % PATH),
            ("a read behind a lock", "Loading.LockPersistentManager", [Zone(preload, .125, Zone(READ, 15))],
             "%s, in File.Read, of 15.13 ms on thread \"Worker 0\"" % preload),
            ("threads that sleep", wait, [Zone(pool, .0625, Zone(sleep, 14)), Zone(pool, .0625, Zone(sleep, 15))],
             "%s, in %s, of up to 15.06 ms on 2 threads" % (pool, sleep)),
            ("a shader", JOBS, [Zone("Shader.CreateGPUProgram", 15)], "Shader.CreateGPUProgram of 15.00 ms on thread \"Worker 0\"")):
        rows = said(game("ended.raw", lambda k, f: change(k, f, marker, *zones)))
        suite.true("a wait that ended with %s" % what, len(rows) == 1 and rows[0][3].startswith("16.00 ms ") and marker in rows[0][3] and
                   rows[0][3].endswith("; in the worst frame it ended with " + words), rows)
    for what, zone, other in (("ends 2 ms later", Zone(PATH, 16), 2), ("ends 3 ms before", Zone(PATH, 12), -3), ("is short", Zone(PATH, 5), 0)):
        rows = said(game("ended.raw", lambda k, f: change(k, f, JOBS, zone, other=other)))
        suite.true("a zone that %s" % what, len(rows) == 1 and "ended with" not in rows[0][3], rows)

    def present(k, f, gpu, ms):
        f[MAIN].append(Zone("Gfx.WaitForPresentOnGfxThread", .25))
        f[RENDER] = [Zone("Camera.Draw", 2.5), Zone("Gfx.PresentFrame", .5)]
        if k % 30 == 11:
            f[MAIN][1].ms = ms
            f[RENDER][1] = Zone(gpu, sum(z.took() for z in f[MAIN]) - 2.5)
    for zone, words in (("Gfx.PresentFrame", ": the GPU is late, or vertical sync holds the frame"), ("Camera.RenderShadows", "")):
        rows = said(game("present.raw", lambda k, f: present(k, f, zone, 20)))
        suite.true("the last frame is presented late by %s" % zone, len(rows) == 1 and rows[0][3].startswith("20.00 ms waiting in Gfx.WaitForPresent") and
                   re.search('; in the worst frame it ended with %s of 2[0-9.]* ms on thread "Render Thread"%s$' % (zone, words), rows[0][3]), rows)


def caller_for_once():
    """A method that is called for once and works itself, too, is named, and not the helper that it calls many times and that takes most of its time."""
    parse, read = "Json.dll!Json::Convert.Parse()", "Json.dll!Json::Reader.Read()"
    rows = said(game("once.raw", lambda k, f: f[MAIN][0].calls.append(Zone(parse, 6, *[Zone(read, .25)] * 56)) if k % 40 == 20 else None))
    suite.true("the method called for once", len(rows) == 1 and rows[0][2] == parse and "20.00 ms; usually not called" in rows[0][3], rows)
    rows = said(game("once.raw", lambda k, f: f[MAIN][0].calls.append(Zone(parse, .5, *[Zone(read, .25)] * 56)) if k % 40 == 20 else None))
    suite.true("the helper, where that has nearly all", len(rows) == 1 and rows[0][2] == read and "56 calls" in rows[0][3], rows)


def bystanders():
    """What ends by chance when a wait does is not named: another thread's zone beside what the system ends, or after the wait, or as long as ever beside what
    loads; nor does the thread hold a lock whose method is over before the wait is."""
    socket, save, flush = "System.dll!System.Net.Sockets::Socket.Receive()", "Game.dll!Game::Saver.Write()", "Game.dll!Game::Report.Send()"
    enter = "mscorlib.dll!System.Threading::Monitor.Enter()"

    def change(k, f, marker, zone, after=0.0, always=False):
        late = k % 30 == 11
        f[MAIN] = [Zone(LOOP, .5, Zone(CAMERA, 2), Zone(UPDATE, 3, Zone(marker, 16 if late else .0625)))]
        if late or always:
            f[RENDER if zone.name.startswith("Gfx") else WORKERS[0]] = [Zone("Idle", (18 - zone.took() if late else .0625) + after), zone]
    for what, marker, zone, after, always in (
            ("a socket, beside a job", socket, Zone(PATH, 16.5), 0, False),
            ("a file, beside a job", READ, Zone(PATH, 16.5), 0, False),
            ("a file, beside the display", READ, Zone("Gfx.PresentFrame", 16), 0, True),
            ("loading, beside a thread that works as ever", "Loading.LockPersistentManager", Zone(PATH, 16), 0, True),
            ("a task, beside a job that ends later", "mscorlib.dll!System.Threading.Tasks::Task.Wait()", Zone(PATH, 16), .75, False)):
        rows = said(game("bystander.raw", lambda k, f: change(k, f, marker, zone, after, always), period=17 if always else 0))
        suite.true("a wait for %s" % what, rows and rows[0][3].startswith("16.00 ms ") and "ended with" not in rows[0][3], rows)

    def locked(k, f):
        f[MAIN] = [Zone(LOOP, .5, Zone(CAMERA, 2), Zone(UPDATE, 3, Zone(enter, 16 if k % 30 == 11 else 0)))]
        if k % 30 == 11:
            f[WORKERS[0]] = [Zone(flush, 14)]             # over 4 ms before the wait is
            f[WORKERS[1]] = [Zone(save, 18.125)]
    rows = said(game("locked.raw", locked))
    suite.true("who is still in the lock is named", len(rows) == 1 and 'meanwhile thread "Worker 1" was in ' + save in rows[0][3], rows)


def who_calls_more():
    """Calls that are made one each by a caller are that caller's, told with the script around it; not the innermost's, nor those of one with other callers."""
    console, trace, quest, probe = "LogStringToConsole", "ExtractStackTrace", "Game.dll!Game::QuestTracker.Update()", "ReflectionProbe.RenderFace"
    log = "UnityEngine.CoreModule.dll!UnityEngine::Debug.Log()"

    def logs(k, f, deep):
        one = Zone(console, .03125, Zone(trace, .25))
        scripts(f, Zone(quest, .125, *[Zone(log, .0078125, one) if deep else one] * (40 if k % 40 == 20 else 0)))
    for deep, marker in ((False, console), (True, log)):
        rows = said(game("logs.raw", lambda k, f: logs(k, f, deep)))
        suite.equal("lines logged, %s" % marker, [r[1:] for r in rows], [("calls", marker, "%s, under %s: 40 calls, usually none: %s ms more" %
                                                                         (marker, quest, "11.56" if deep else "11.25"))])

    def faces(k, f):
        if k % 40 == 20:
            f[MAIN][0].calls.append(Zone("ReflectionProbes.Update", .0625, *[Zone(probe, .125, Zone(CAMERA, 1.75))] * 6))
    suite.equal("six more cameras", [r[1:] for r in said(game("faces.raw", faces))],
                [("slow_call", probe, probe + ": 11.25 ms in 6 calls; usually not called")])


def steady_cost():
    """What takes 30 % of a typical frame, and none of its calls does, is told as such, with where most of it is; not what merely calls others."""
    refresh, keep, linq = "Game.dll!Game::Census.Refresh()", "Game.dll!Game::Census.Keep()", "System.Core.dll!System.Linq::Enumerable.ToList()"
    regex = "System.dll!System.Text.RegularExpressions::Regex..ctor()"

    def usual_frame(k, f, *zones):
        scripts(f, *zones)
        f[MAIN][0].calls[0].ms = f[MAIN][0].calls[1].ms = .75
    for what, zone, words in (
            ("itself", Zone(refresh, 4), "4.000 ms of 6.313 ms in a typical frame"),
            ("in the library", Zone(refresh, .5, Zone(linq, 3.5)), "4.000 ms of 6.313 ms in a typical frame; most of it in " + linq),
            ("in an object made in each call", Zone(refresh, .5, *[Zone(regex, .5)] * 7), "4.000 ms of 6.313 ms in a typical frame; most of it in " + regex),
            ("in a method with a part of it", Zone(refresh, 2.25, *[Zone(keep, .25)] * 7), "4.000 ms of 6.313 ms in a typical frame")):
        path = game("steady.raw", lambda k, f: usual_frame(k, f, zone))
        suite.equal("much of each frame, %s" % what, said(path, steady=True), [("all frames", "steady", refresh, "%s takes %s" % (refresh, words))])
        suite.true("on the first screen, %s" % what, " takes %s" % words in screen(path) and "no frame is clearly longer" in screen(path), screen(path))
    path = game("steady.raw", lambda k, f: usual_frame(k, f, *[Zone(refresh, .5)] * 4 + [Zone(DIRECTOR, 1.5)]))
    suite.equal("in several calls", said(path, steady=True), [("all frames", "steady", refresh, refresh + " takes 2.000 ms of 5.813 ms in a typical frame, "
                                                                 "in 4 calls")])
    many = [Zone("Game.dll!Game::System%d.Run()" % i, .5) for i in range(8)]
    for what, zones in (("several methods of a dispatcher", many), ("a method that merely calls them", [Zone(refresh, .0625, *many)])):
        suite.equal("not " + what, said(game("steady.raw", lambda k, f: usual_frame(k, f, *zones)), steady=True), [])


def woken_late():
    """A sleep that overran here and there is the machine's, and ranks after what repeats, or grows, though it takes more; evenly spaced, it does not."""
    sleep = "mscorlib.dll!System.Threading::Thread.Sleep()"
    late = {33: 30, 94: 41, 150: 28, 217: 52}
    words = "28.00 to 52.00 ms (usually 2.000 ms) waiting in %s, called by %s; it sleeps as often as usual: woken late by the system" % (sleep, LASER)

    def sleeps(k, f, at=late):
        scripts(f, Zone(LASER, .125, Zone(sleep, at.get(k, 2))))
    suite.equal("sleeps that overran", said(game("woken.raw", sleeps)), [("frames 34, 95, 151 and 218", "wait", LASER, words)])

    def and_repeats(k, f):
        sleeps(k, f)
        f[MAIN][0].calls.extend([Zone(LEVEL, 8)] * (k % 40 == 20))
    suite.equal("they rank after what repeats", [r[1:3] for r in said(game("woken.raw", and_repeats))], [("slow_call", LEVEL), ("wait", LASER)])

    def and_grows(k, f):
        sleeps(k, f)
        scripts(f, Zone(MAP, .0625 + k / 128))
    suite.equal("and what grows", [r[1:3] for r in said(game("woken.raw", and_grows))], [("growth", MAP), ("wait", LASER)])
    rows = said(game("woken.raw", lambda k, f: sleeps(k, f, {20: 20, 60: 20, 100: 20, 140: 20})))
    suite.true("evenly spaced", rows and "woken" not in rows[0][3], rows)

    def more_sleeps(k, f):
        scripts(f, Zone(LASER, .125, *[Zone(sleep, 1)] * (30 if k in late else 1)))
    rows = said(game("woken.raw", more_sleeps))
    suite.true("more sleeps", rows and "woken" not in rows[0][3], rows)



def late_elsewhere():
    """Capped frames that the render thread holds up are its, with what it runs; they are not where it keeps the period."""
    def change(k, f, draws):
        f[RENDER] = [Zone("Render.Mesh", draws if k >= 120 else 5)]
        if k >= 120:
            f[MAIN] += [Zone("Gfx.WaitForPresentOnGfxThread", 16), Zone(LIMIT, 33.25 - .25 - 16 - f[MAIN][0].took())]
    rows = said(game("render.raw", lambda k, f: change(k, f, 26), 240, 16.625))
    suite.equal("the render thread is late", [r for r in rows if "Render Thread" in r[3]], [("frames 121-240", "wait", "Gfx.WaitForPresentOnGfxThread",
        '16.00 ms waiting in Gfx.WaitForPresentOnGfxThread; in the worst frame thread "Render Thread" ran Render.Mesh for 26.00 ms')])
    each = suite.report("stats", suite.path("render.raw"), "--table", "frame_causes")["tables"]["frame_causes"]
    suite.true("no word that all frames are alike", each["rows"] or "the table causes says" in each["empty"], each.get("empty"))
    rows = said(game("render.raw", lambda k, f: change(k, f, 14), 240, 16.625))
    suite.equal("it keeps the period", [r for r in rows if "Render Thread" in r[3]], [])

    def presents(k, f, wait):
        """A picture that takes so long to be handed over that it is shown at a later refresh: the frame waits for that, and then for the limit."""
        if k in (40, 90, 95, 150, 201):
            before = f[MAIN][0].took() + .25
            f[RENDER] = [Zone("Render.Mesh", 5), Zone("Gfx.PresentFrame", before + wait - 5)]
            f[MAIN] += [Zone("Gfx.WaitForPresentOnGfxThread", wait), Zone(LIMIT, (3 if wait > 20 else 2) * 16.625 - wait - before)]
        else:
            f[RENDER] = [Zone("Render.Mesh", 5)]
    for wait in (28, 11):
        rows = said(game("presents.raw", lambda k, f, wait=wait: presents(k, f, wait), 240, 16.625))
        suite.true("a picture that is late, waited for for %d ms" % wait, rows and rows[0][0].startswith("5 frames") and "Gfx.PresentFrame" in rows[0][3], rows)


def what_loads():
    """What is loaded, or unloaded, is named, and not the step of loading that it is in."""
    for name, what in (("Texture.AwakeFromLoad", "loading"), ("GarbageCollectAssetsProfile", "unloading")):
        def loads(k, f, inside=name):
            step = Zone("Preload Single Step", .03125, *([Zone(inside, 12)] if k in (40, 90, 95, 150, 201) else []))
            f[MAIN].insert(0, Zone("EarlyUpdate.UpdatePreloading", .03125, step))
        rows = said(game("loads.raw", loads))
        suite.true("what is %s" % what, rows and "%s: %s" % (what, name) in rows[0][3], rows)


threads_that_work()
late_elsewhere()
what_loads()
steady_cost()
woken_late()
ended_with()
caller_for_once()
bystanders()
who_calls_more()
figures_of_what_is_named()
no_contention()
two_causes()
beside()
for_the_display()
several_scripts()
collections_of_the_engine()
much_of_a_frame()
slower_clock()
callers()
engine_work()
loader()
large_objects()
burst_and_collection()
growths()
growth_through_a_helper()
work_while_waiting()
recursion()
recursion_for_once()
until()
works_more()
blocking_calls()
not_explained()
late_and_not_explained()
long_calls()
one_loop()
more_done_here()
what_comes_first()
editor()
all_the_time()
capped(from_some_frame_on())
longer_from_some_frame_on()
meanwhile()
suite.end()
