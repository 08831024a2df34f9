#!/usr/bin/env python3
"""A game that the frame limit holds at 30 frames per second, in the Editor, whose markers are 40 times the game's own: which frames are the
worst, what the summary says, and what --player-only leaves, in our recorder's captures and in Unity's own. As tracetool-metrics(7) has it."""
import hashlib
import json
import os
import random
import re
import struct
import zlib

from raw_log import MAIN, SESSION, Log, state, thread
from ttc import Capture, Suite
import words

MS, US = 10 ** 6, 10 ** 3
FRAME, FRAMES, SPIKE, JOB = 33333333, 120, 8 * MS, 18 * MS
SPIKES = [9, 17, 33, 41, 58, 64, 77, 85, 101, 113]        # frames, from 1
NAMES = ["Main Thread", "PlayerLoop", "Update.ScriptRunBehaviourUpdate", "Game.dll!Game::Enemy.Update()", "WaitForTargetFPS", "EditorLoop",
         "Semaphore.WaitForSignal", "GC.Alloc", "Preview", "Gfx.WaitForPresentOnGfxThread"] + ["Editor%d" % k for k in range(10)]
ROOT, LOOP, SCRIPTS, ENEMY, WAIT, EDITOR, SIGNAL, ALLOC, PREVIEW, PRESENT, NOISE = range(11)
WAITS = (WAIT, SIGNAL, PRESENT)
FLAGS = {PREVIEW: 4}                                      # available in the Editor only
suite = Suite()


def game(wait=WAIT, frame=FRAME, regular=True, seed=7, more=0, editor_ms=9, noise=20, spikes=SPIKES, jobs=(), job=JOB, jitter=0):
    """Frames as (begin, zones), zones as (begin, end, marker) in order of begin. Without a marker to wait in, the game works on."""
    rng = random.Random(seed)
    at, frames = 0, []
    for k in range(FRAMES):
        end = at + (frame if regular else rng.randrange(frame // 2, frame)) + (int(rng.gauss(0, jitter)) if jitter else 0)
        work = 2 * MS + (SPIKE if k + 1 in spikes else 0) + rng.randrange(300 * US) + more
        z = [(at, end, ROOT), None, (at + 100 * US, at + 100 * US + work, SCRIPTS)]
        for i in range(5):
            z.append((at + 100 * US + i * (work // 5), at + 100 * US + (i + 1) * (work // 5), ENEMY))
        if k + 1 in jobs:
            z.append((at + 100 * US + work, at + 100 * US + work + job, SIGNAL))
        spent = at + work + (job if k + 1 in jobs else 0)
        z[1] = (at, spent + 1200 * US, LOOP)
        z.append((spent + 200 * US, spent + 400 * US, PREVIEW))
        editor, busy = spent + 1200 * US, MS + rng.randrange(editor_ms * MS if regular else MS)
        z.append((editor, editor + busy + MS, EDITOR))
        for i in range(noise):
            z.append((editor + i * (busy // noise), editor + (i + 1) * (busy // noise), NOISE + i % 10))
        z.append((editor + busy, editor + busy + MS, SIGNAL))
        if wait is not None and editor + busy + MS < end - 50 * US:
            z.append((editor + busy + MS, end - 50 * US, wait))
        frames.append((at, end, z))
        at = end
    return frames


def figures(frames, player_only):
    """By marker: calls, total and self time; by frame: CPU-active time and the Editor's. From nesting alone."""
    markers, cpu, editor = {}, [], []
    for at, end, zones in frames:
        idle = inside = busy = 0
        stack = []
        for a, b, m in zones:
            if m == ROOT:                                 # is no zone
                continue
            while stack and stack[-1][1] <= a:
                stack.pop()
            kinds = [s[2] for s in stack]
            hid = any(k in (EDITOR, PREVIEW) for k in kinds)
            busy += 0 if stack else b - a
            if m in (EDITOR, PREVIEW) and not hid:
                inside += b - a
            if (m in (EDITOR, PREVIEW) or m in WAITS) and not hid:
                idle += b - a
            if not (player_only and (hid or m in (EDITOR, PREVIEW))):
                row = markers.setdefault(NAMES[m], [0, 0, 0])
                row[0] += 1
                row[1] += b - a
                row[2] += b - a
                if stack:
                    markers[NAMES[kinds[-1]]][2] -= b - a
            elif not hid:
                for k in kinds:
                    markers[NAMES[k]][1] -= b - a
                if kinds:
                    markers[NAMES[kinds[-1]]][2] -= b - a
            stack.append((a, b, m))
        cpu.append(busy - idle)
        editor.append(inside)
    return markers, cpu, editor


def ended(zones):
    """Begins and ends of nested zones, in order."""
    now, out = [], []
    for z in zones:
        while now and now[-1][1] <= z[0]:
            out.append((1, now.pop()))
        out.append((0, z))
        now.append(z)
    return out + [(1, z) for z in reversed(now)]


def as_ttc(name, frames):
    c = Capture(run=hashlib.md5(name.encode()).digest(), wall_ns=zlib.crc32(name.encode()) * 10 ** 9)
    scripts = c.category("Scripts")
    keys = [c.marker(n, scripts if i == ENEMY else 0, FLAGS.get(i, 0)) for i, n in enumerate(NAMES)]
    t = c.thread()
    c.thread_name(t.native, "", "Main Thread")
    for at, _, zones in frames:
        t.frame(at + MS)
        for end, (a, b, m) in ended([z for z in zones if z[2] != ROOT]):
            if end:
                t.end(b + MS)
                continue
            t.begin(a + MS, keys[m])
            if m in (ENEMY, NOISE):
                t.alloc(a + MS, keys[ALLOC], 64)
    t.frame(frames[-1][1] + MS)
    return c.write(suite.path(name))


def as_raw(name, frames):
    start = 100 + zlib.crc32(name.encode()) % 1000                    # of one recording, and no other
    c, zero = Log(start, NAMES, FLAGS), start * MS
    for k, (at, _, zones) in enumerate(frames):
        c.block(MAIN, struct.pack("<HIQ", 34, k, zero + at))
        body = b""
        for end, (a, b, m) in ended([(zero + a, zero + b, m) for a, b, m in zones]):
            body += struct.pack("<HBIQ", 37 if end else 36, 0, m, b if end else a)
            if not end and m in (ENEMY, NOISE):
                body += struct.pack("<HBIQBBI", 42, 0, ALLOC, a, 1, 3, 64) + struct.pack("<HBIQ", 37, 0, ALLOC, a)
        c.block(MAIN, body)
    c.block(MAIN, struct.pack("<HIQ", 34, len(frames), zero + frames[-1][1]))
    c.block(SESSION, state(0, start + frames[-1][1] / MS))
    return c.write(suite.path(name))


def markers(path, *args):
    return {r["marker"]: [r["count"], r["total_ns"], r["self_ns"]] for r in suite.rows("markers", path, *args) if r["marker"] != "GC.Alloc"}


def note(path, *args):
    return suite.report("stats", path, *args, "--table", "frames")["tables"]["frames"]["note"]


def planted(path):
    frames = game()
    all_, cpu, editor = figures(frames, False)
    suite.equal("the ten worst frames", sorted(r["frame"] for r in suite.rows("hitches", path)), SPIKES)
    suite.equal("CPU-active time of each frame", {r["frame"]: r["cpu_ns"] for r in suite.rows("hitches", path, "--hitches", "1000")},
                dict(enumerate(cpu, 1)))
    suite.true("the summary says that frames are capped", "frames are capped at 30 fps (33.3 ms)" in note(path), note(path))
    share = "the Editor: %d %% of frame time (--player-only leaves it out)" % round(100 * sum(editor) / sum(b - a for a, b, _ in frames))
    suite.true("the summary says " + share, share in note(path), note(path))
    rows = {r["time"]: r for r in suite.rows("frames", path)}
    suite.equal("rows of frame times", sorted(rows), ["cpu", "editor", "uncapped", "wall"])
    suite.equal("the Editor's longest", rows["editor"]["max_ns"], max(editor))
    suite.equal("markers with the Editor's", markers(path), all_)
    suite.true("the Editor's markers are 4 times the game's", sum(n for k, (n, _, _) in all_.items() if k[:6] == "Editor") >= 4 * 5 * FRAMES)


def player_only(path):
    frames = game()
    own, cpu, editor = figures(frames, True)
    suite.equal("the ten worst frames, without the Editor", sorted(r["frame"] for r in suite.rows("hitches", path, "--player-only")), SPIKES)
    suite.equal("markers without the Editor's", markers(path, "--player-only"), own)
    top = suite.rows("markers", path, "--player-only", "--sort", "self_ns")
    suite.equal("the game's marker leads", [r["marker"] for r in top if r["marker"] != "WaitForTargetFPS"][0], NAMES[ENEMY])
    suite.equal("the Editor's time is in no frame", [r["mean_ns"] for r in suite.rows("frames", path, "--player-only") if r["time"] == "wall"],
                [round(sum(b - a - e for (a, b, _), e in zip(frames, editor)) / FRAMES)])
    suite.equal("allocations without the Editor's", [r["bytes"] for r in suite.rows("alloc_classes", path, "--player-only")], [64 * 5 * FRAMES])
    worst = suite.rows("hitches", path, "--player-only", "--hitches", "1000")
    suite.equal("allocations of a frame", {r["alloc_bytes"] for r in worst}, {64 * 5})
    tops = {r["marker"] for r in suite.rows("hitch_markers", path, "--player-only", "--hitches", "1000")}
    suite.true("the worst frames name no marker of the Editor's", not any(m[:6] == "Editor" or m == "Preview" for m in tops), tops)
    each = suite.report("stats", path, "--player-only", "--limit", "0", "--table", "frame_markers,frame_threads,frame_gc")["tables"]
    number = sorted(r["frame"] for r in each["frame_gc"]["rows"])[len(frames) // 2]
    alone = suite.report("stats", path, "--player-only", "--limit", "0", "--frames", str(number), "--table", "markers,threads,hitches")["tables"]
    suite.equal("markers of a frame without the Editor's", sorted((r["marker"], r["self_ns"], r["total_ns"], r["count"])
                for r in each["frame_markers"]["rows"] if r["frame"] == number),
                sorted((r["marker"], r["self_ns"], r["total_ns"], r["count"]) for r in alone["markers"]["rows"] if r["total_ns"] or r["count"]))
    suite.equal("threads of a frame without the Editor", sorted(r["busy_ns"] for r in each["frame_threads"]["rows"] if r["frame"] == number),
                sorted(r["busy_ns"] for r in alone["threads"]["rows"] if r["busy_ns"] or r["waiting_ns"]))
    suite.equal("the time of a frame without the Editor", [r["dur_ns"] for r in each["frame_gc"]["rows"] if r["frame"] == number],
                [r["dur_ns"] for r in alone["hitches"]["rows"]])
    shown = {e["name"] for e in suite.chrome(path, "--player-only") if e["ph"] in "BX"}
    suite.true("nor does an output", not any(m[:6] == "Editor" or m == "Preview" for m in shown) and NAMES[3].split("!")[1] in str(shown), shown)


def causes(write):
    """Frames whose work is long but within what the limit leaves are explained like others, however many frames there are."""
    for count in (FRAMES, 3 * FRAMES):
        frames = []
        for k in range(count // FRAMES):
            at = k * FRAMES * FRAME
            frames += [(at + a, at + b, [(at + x, at + y, m) for x, y, m in z]) for a, b, z in game(seed=k, noise=3)]
        path = write("causes%d" % count, frames)
        report = suite.report("stats", path, "--table", "causes", "--limit", "0")
        found = report["tables"]["causes"]
        suite.equal("long frames of %d" % count, sum(r["count"] or 0 for r in found["rows"]), len(SPIKES) * count // FRAMES)
        suite.true("of %d all were looked at" % count, "not looked at" not in str(found.get("note")), found.get("note"))


def waits(path, jobs):
    """Frames that wait for a job are late, as long ones are: the wait for the limit alone is taken out of a frame, and the Editor."""
    frames = game(jobs=jobs, spikes=(), more=3 * MS, editor_ms=1)
    times = []
    for at, end, zones in frames:
        out = [(a, b) for a, b, m in zones if m in (WAIT, EDITOR, PREVIEW)]
        times.append(end - at - sum(b - a for a, b in out))
    late = [sum(t > limit for t in times) for limit in (10 ** 9 // 60 + 1, 33334334)]
    suite.equal("frames that the jobs make late", late, [len(jobs), 0])
    rows = {r["time"]: r for r in suite.rows("frames", path)}
    suite.equal("uncapped time", (rows["uncapped"]["mean_ns"], rows["uncapped"]["max_ns"]), (round(sum(times) / FRAMES), max(times)))
    suite.equal("CPU-active time has no wait in it", rows["cpu"]["max_ns"] < JOB // 2, True)
    worst = suite.rows("hitches", path, "--hitches", str(len(jobs)))
    suite.equal("the worst frames", sorted(r["frame"] for r in worst), sorted(jobs))
    suite.true("name the wait", all("Semaphore.WaitForSignal 18" in r["top"].split(",")[0] for r in worst), worst)
    tops = {(r["marker"], r["self_ns"]) for r in suite.rows("hitch_markers", path, "--hitches", str(len(jobs)))}
    suite.true("and not the one in the Editor, nor the limit", (NAMES[SIGNAL], JOB) in tops and
               not {m for m, _ in tops} & {"WaitForTargetFPS", "EditorLoop"}, tops)
    out, _ = suite.run(path)
    suite.equal("the summary's verdict", re.findall(r"(?m)^  60 fps +(.*)", out), ["missed by %d of %d frames, 100.0 %%: a limit of 30 fps" % (FRAMES, FRAMES)])
    suite.equal("why", {r["class"] for r in suite.rows("causes", path)}, {"wait"})


RENDERER, DRAW = 200, 20                                  # a thread, a marker: the render thread's


def as_raw_rendered(name, frames, work):
    """The same as as_raw(), with a render thread that draws for ${work}[k] in frame k, less a wait of 1 ms for the main thread inside."""
    as_raw(name, frames)
    with open(suite.path(name), "rb") as f:
        c, start = f.read(), 100 + zlib.crc32(name.encode()) % 1000
    log = Log(start, NAMES + ["Draw"], FLAGS)
    log.b += c[len(Log(start, NAMES, FLAGS).b):]
    log.n[SESSION] = 2                                    # the state at its end is the second block of its stream
    log.block(SESSION, thread(RENDERER, 0, "Render Thread", 1))
    for (at, _, _), ns in zip(frames, work):
        a = start * MS + at + 100 * US
        log.block(RENDERER, b"".join(struct.pack("<HBIQ", kind, 0, m, t) for kind, m, t in (
            (36, DRAW, a), (36, SIGNAL, a + US), (37, SIGNAL, a + US + MS), (37, DRAW, a + MS + ns))))
    return log.write(suite.path(name))


def rendered():
    """The render thread works for 20 ms in three frames in which the main thread does nothing else: they are the worst, also without a spike."""
    slow, usual = {20: 21 * MS, 50: 22 * MS, 90: 20 * MS}, 3 * MS
    frames = game()
    work = [slow.get(k + 1, usual) for k in range(FRAMES)]
    path = as_raw_rendered("rendered.raw", frames, work)
    rows = {r["time"]: r for r in suite.rows("frames", path)}
    suite.equal("the render thread's time", [rows["render"][k] for k in ("count", "mean_ns", "median_ns", "max_ns", "over_16_67")],
                [FRAMES, round(sum(work) / FRAMES), usual, 22 * MS, 3])
    suite.equal("frames over budget by it", [r["over"] for r in suite.rows("frame_budgets", path, "--budget", "20") if r["time"] == "render"], [3, 0, 0, 2])
    worst = suite.rows("hitches", path, "--hitches", "5")
    suite.equal("the worst frames, and the render thread in them", [(r["frame"], r["render_ns"]) for r in worst[:3]], sorted(slow.items(), key=lambda x: -x[1]))
    suite.true("named as what makes them so", [r["top"].startswith("(render thread) 2") for r in worst] == [True] * 3 + [False] * 2, worst)
    suite.equal("then the main thread's", {r["frame"] for r in worst[3:]} <= set(SPIKES), True)
    out, _ = suite.run(path)
    suite.equal("in the summary", len(re.findall(r"\(render thread\) 2\d", out)), 3)
    for limit, status in ((22, 0), (21, 1)):
        row = [{"id": "render", "metric": "frame.render", "stat": "max", "max": "%d ms" % limit}]
        suite.run("stats", path, "--gate", budget(row), status=status)


def late_in_a_call(write):
    """A wait for presentation that is late is named as what makes its frame long, also where a system call inside it waits."""
    def frames(inside):
        at, out = 0, []
        for k in range(FRAMES):
            end, work = at + FRAME + (FRAME // 2 if k + 1 in (40, 80) else 0), 4 * MS + k % 7 * 50 * US
            waits = [(at + work, end - 50 * US, PRESENT)] + [(at + work, end - 50 * US, SIGNAL)] * inside
            out.append((at, end, [(at, end, ROOT), (at, at + work, LOOP), (at + 100 * US, at + work, ENEMY), *waits]))
            at = end
        return out
    named = []
    for inside in (0, 1):
        path = write("late_call_%d" % inside, frames(inside))
        rows = suite.rows("hitch_markers", path, "--hitches", "2")
        named.append(sorted((r["frame"], r["self_ns"]) for r in rows if r["marker"] == NAMES[SIGNAL if inside else PRESENT]))
    suite.equal("the late part of the wait", named[1], named[0])
    suite.true("in both frames, and longer than their work", [f for f, _ in named[0]] == [40, 80] and all(ns > 10 * MS for _, ns in named[0]), named)


def unexplained(path):
    """Of two frames in which a method takes longer, and nothing else is more, the capture does not tell why: nor does the sentence."""
    row = suite.rows("causes", path)[0]
    suite.equal("two frames", (row["frames"], row["class"]), ("frames 33 and 85", "unknown"))
    suite.true("what is said of them", "the capture does not tell whether it worked or its thread did not run" in row["sentence"] and
               "Enemy.Update" in row["sentence"], row["sentence"])


def first_screen(path):
    """The limit makes each frame longer than a sixtieth of a second: the summary and the page say so, and that it is the limit, with or without the Editor."""
    for args in ((), ("--player-only",)):
        out, _ = suite.run(path, *args)
        suite.equal("the summary's verdict %s" % (args,), re.findall(r"(?m)^  .0 fps +(.*)", out),
                    ["missed by %d of %d frames, 100.0 %%: a limit of 30 fps" % (FRAMES, FRAMES), "held by all frames"])
        suite.true("then what was needed %s" % (args,), re.search(r"(?m)^  needed +main thread: median 1[0-9]\.", out), out)
        suite.run("report", path, *args, "-o", suite.path("page.html"))
        with open(suite.path("page.html")) as f:
            said = re.sub(r"<[^>]*>", "", re.search(r'<p class="v[^"]*">(.*?)</p>', f.read()).group(1))
        suite.equal("the page's verdict %s" % (args,), said,
                    "Misses 60 fps in %d of %d frames (100.00 %%): a limit of 30 fps; holds 30 fps." % (FRAMES, FRAMES))


def sixtieth(write):
    """Frames that the limit holds at 60 fps, by a clock that counts in steps of 100 ns as Unity's does, hold 60 fps."""
    out, _ = suite.run(write("sixty", game(None, 16666700, editor_ms=3)))
    suite.equal("frames of a sixtieth of a second hold it", re.findall(r"(?m)^  .0 fps +(.*)", out), ["held by all frames"] * 2)
    out, _ = suite.run(write("late", game(None, 16667700, editor_ms=3)))
    suite.equal("those of a microsecond more do not", re.findall(r"(?m)^  .0 fps +(.*)", out),
                ["missed by %d of %d frames, 100.0 %%" % (FRAMES, FRAMES), "held by all frames"])


def editors_share(path, frames):
    """The Editor's part of frames is told wherever their wall time is judged, and nowhere else."""
    _, _, editor = figures(frames, False)
    share = "%d %%" % round(100 * sum(editor) / sum(b - a for a, b, _ in frames))
    wall = budget([{"id": "mean", "metric": "frame.time", "stat": "mean", "max": "40 ms"}])
    told = {"summary": [path], "gate": ["stats", path, "--gate", wall], "budget": ["stats", path, "--suggest"]}
    for what, args in told.items():
        out, _ = suite.run(*args)
        suite.true("the %s tells %s, and what leaves it out" % (what, share), re.search(share + r".*Editor's.*--player-only", re.sub(r"\n +", " ", out)), out)
        out, _ = suite.run(*args, "--player-only")
        suite.true("without the Editor the %s tells none" % what, "Editor" not in out, out)
    work = budget([{"id": "busy", "metric": "frame.cpu", "stat": "mean", "max": "40 ms"}])
    out, _ = suite.run("stats", path, "--gate", work)
    suite.true("nor does a gate of CPU-active time", "Editor" not in out, out)
    for args, want in (((), ["the Unity Editor takes %s of the frame time of A and %s of B: --player-only leaves it out" % (share, share)]),
                       (("--player-only",), [])):
        report = suite.report("diff", *args, path, "--", path, status=5)
        suite.equal("a comparison %s" % (args,), [n["text"] for n in report["notes"] if n["id"] == "editor"], want)


TABLES = "verdict,sides,parts,markers,threads,changed,captures,paths"


def compared(path, *args):
    """The whole of capped frames is their uncapped time, and its parts are the game's own."""
    frames = game()
    own, _, _ = figures(frames, True)
    times = without(frames, WAIT, EDITOR, PREVIEW)
    report = suite.report("diff", *args, path, "--", path, "--table", TABLES, status=5)
    t = {k: v["rows"] for k, v in report["tables"].items()}
    mean = round(sum(times) / FRAMES)
    suite.equal("the Editor's share is no part of it", [n["text"] for n in report["notes"] if n["id"] == "editor"], [])
    suite.equal("a comparison's uncapped time", [r["mean_ns"] for r in t["sides"]], [mean, mean, 0])
    suite.equal("its median", [r["median_ns"] for r in t["captures"]], [sorted(times)[(FRAMES - 1) // 2]] * 2)
    for table in ("parts", "markers", "threads", "paths"):
        suite.equal("parts of %s" % table, sum(r["a_ns"] for r in t[table] if r.get("part") != "all"), mean)
    suite.equal("its markers", {r["marker"]: True for r in t["markers"] if r["marker"] != "(in no marker)"},
                {k: True for k in own if k not in [NAMES[w] for w in WAITS] and k != "GC.Alloc"})
    suite.equal("time of the game's marker", [r["a_ns"] for r in t["markers"] if r["marker"] == NAMES[ENEMY]], [round(own[NAMES[ENEMY]][2] / FRAMES)])
    outside = sum(end - at - sum(b - a for a, b, m in z if m in (LOOP, EDITOR, WAIT)) for at, end, z in frames)
    suite.equal("time outside of them", [r["a_ns"] for r in t["markers"] if r["marker"] == "(in no marker)"], [round(outside / FRAMES)])
    shared = [n["text"] for n in report["notes"] if n["id"] == "shared"]
    suite.true("and that both sides are one recording", len(shared) == 1 and shared[0].startswith("1 of 1 capture of B is ") and path in shared[0],
               report["notes"])
    said = [n["text"] for n in report["notes"] if n["id"] == "capped_frames"]
    suite.equal("the comparison says so", said, ["frames are capped at 30 fps (33.3 ms): their uncapped time is compared, without the wait for the limit "
                                               "and the Editor"])


def verdict(a, b, *args, status=0):
    t = suite.report("diff", "--meta", "session=one", *args, *a, "--", *b, "--table", "verdict,sides", status=status)["tables"]
    return t["verdict"]["rows"][0], t["sides"]["rows"]


def builds(write, what, **other):
    """Four captures of the game, and of one that is the same but for ${other}."""
    return [[write("%s-%s%d" % (what, side, k), game(seed=2 * k + (side == "b"), noise=5, **more)) for k in range(4)]
            for side, more in (("a", {}), ("b", other))]


def judged(write):
    """Not the Editor, nor what it leaves of the limit, makes a build worse: its own work does."""
    _, faster = builds(write, "editor", editor_ms=3)
    a, slower = builds(write, "work", more=MS)
    for args in ((), ("--player-only",)):
        row, sides = verdict(a, faster, *args)
        suite.equal("with a faster Editor B is %s" % (args,), row["verdict"], "not worse")
        suite.true("the shift is none", abs(row["shift_ns"]) < 20 * US, row)
        row, sides = verdict(a, slower, *args, status=1)
        suite.equal("with more work B is %s" % (args,), row["verdict"], "worse")
        suite.true("the shift is the work", abs(row["shift_ns"] - MS) < 20 * US, row)
        suite.equal("wall time is there %s" % (args,), [("wall_mean_ns" in r) for r in sides], [True] * 3)
    suite.equal("captures of two builds are not one recording", [n for n in suite.report("diff", *a, "--", *slower, "--meta", "session=one", status=1)["notes"]
                                                                if n["id"] == "shared"], [])
    _, locked = builds(write, "lock", jobs=range(1, FRAMES + 1), job=3 * MS, editor_ms=1)
    t = suite.report("diff", "--meta", "session=one", *a, "--", *locked, "--table", TABLES, status=1)["tables"]
    suite.true("a lock of 3 ms that the limit hides is worse", abs(t["verdict"]["rows"][0]["shift_ns"] - 3 * MS) < 20 * US, t["verdict"])
    lock = [(r["marker"], r["state"], r["a_ns"], r["b_ns"]) for r in t["markers"]["rows"]]
    suite.equal("and new in B, outside the Editor", lock[0], (NAMES[SIGNAL], "new", 0, 3 * MS))
    suite.equal("it is a wait", [r["diff_ns"] for r in t["parts"]["rows"] if r["part"] == "wait"], [3 * MS])
    for row, path in zip(t["captures"]["rows"], a + locked):
        means = budget([{"id": "mean", "metric": "frame.uncapped", "stat": "mean", "max": "1s"}, {"id": "median", "metric": "frame.uncapped", "max": "1s"}])
        suite.run("stats", path, "--gate", means, "--json", suite.path("verdict.json"))
        with open(suite.path("verdict.json")) as f:
            got = {r["id"]: r["value"] for r in json.load(f)["rows"]}
        suite.equal("what is compared is what the gate judges", (row["mean_ns"], row["median_ns"]), (round(got["mean"]), got["median"]))
    wall = [write("free%d" % k, game(None, 29 * MS, False, seed=k, noise=5)) for k in range(4)]
    report = suite.report("diff", *a, "--", *wall, "--table", "sides")
    suite.equal("of one side that is capped wall time is compared", [r["mean_ns"] for r in report["tables"]["sides"]["rows"]][0], FRAME)
    said = [n["text"] for n in report["notes"] if n["id"] == "capped_frames"]
    suite.equal("and that is said", said, ["frames of A are capped at 30 fps (33.3 ms), those of B are not: wall time is compared, and that of A is "
                                           "the limit's"])


def budget(rows):
    with open(suite.path("budget.json"), "w") as f:
        json.dump({"tracetool_budget": 1, "rows": rows}, f)
    return suite.path("budget.json")


def no_wall_rows(path):
    """Without the Editor, wall time of capped frames is what it leaves of the limit: such rows are not judged, and say which to take."""
    rows = [{"id": "mean", "metric": "frame.time", "stat": "mean", "max": "40 ms"}, {"id": "hitches", "metric": "frame.over", "limit": "40 ms", "max": 0},
            {"id": "rate", "metric": "frame.fps", "min": "1 fps"}, {"id": "cell", "metric": "frames/max_ns", "row": "wall", "max": "40 ms"},
            {"id": "over", "metric": "frame_budgets/over", "row": "wall, 50", "max": 0}]
    work = [{"id": "cpu", "metric": "frame.cpu", "stat": "mean", "max": "40 ms"}, {"id": "of", "metric": "frames/max_ns", "row": "cpu", "max": "40 ms"}]
    suite.run("stats", path, "--gate", budget(rows + work))
    suite.run("stats", path, "--player-only", "--gate", budget(work))
    suite.run("stats", path, "--player-only", "--gate", budget(rows + work), "--json", suite.path("verdict.json"), status=5)
    with open(suite.path("verdict.json")) as f:
        judged = {r["id"]: (r["outcome"], r["text"]) for r in json.load(f)["rows"]}
    why = "frames are capped at 30 fps (33.3 ms), and with --player-only their wall time is what the Editor leaves of that: judge uncapped time " \
        "(frame.uncapped, frame.uncapped.over)"
    for row in rows:
        suite.equal("row %s of wall time" % row["id"], judged[row["id"]], ("cannot_judge", why))
    suite.equal("rows of CPU-active time", [judged[r["id"]][0] for r in work], ["pass"] * 2)


def blind_rows(write):
    """Work that grows below the cap is in no figure of wall time: each verdict with such a row says so, and what to take instead."""
    a, b = builds(write, "blind", more=2 * MS)
    free = [write("unlimited%d" % i, game(None, 20 * MS, seed=90 + i, editor_ms=1)) for i in range(4)]
    wall = [{"id": "median", "metric": "frame.time", "max": "+3%"}, {"id": "rate", "metric": "frame.fps", "min": "20fps"},
            {"id": "over", "metric": "frame.over", "limit": "33.3ms", "max": "+900"}]

    def told(rows, *args, status=0):
        out, _ = suite.run("stats", *args, "--gate", budget(rows), "--inconclusive", "pass", "--json", suite.path("verdict.json"), status=status)
        with open(suite.path("verdict.json")) as f:
            said = [r for r in json.load(f)["remarks"] if "capped" in r]
        suite.true("the text has the remark, too", all(r in out for r in said), out)
        return said

    def base(name, rows, files):
        suite.run("stats", *files, "--gate", budget(rows), "--save", suite.path(name))
        return "--baseline", suite.path(name)

    said = told(wall, *a, "--save", suite.path("blind.json"))
    suite.true("when a baseline is saved", len(said) == 1 and "30 fps (33.3 ms)" in said[0], said)
    said = told(wall, *b, "--baseline", suite.path("blind.json"))
    suite.equal("in a verdict that passes", said, ["median and 1 more row: frames are capped at 30 fps (33.3 ms), so wall time does not show work that "
                                                   "grows below that: take frame.uncapped for frame.time, "
                                                   "frame.uncapped with a max for frame.fps"])
    suite.equal("limits clearly above the cap are no matter", told([dict(wall[2], limit="50ms", max=5)], *b), [])
    suite.equal("nor are rows of work", told([{"id": "cpu", "metric": "frame.cpu", "max": "+3%"}], *b,
                                             *base("work.json", [{"id": "cpu", "metric": "frame.cpu", "max": "+3%"}], a), status=1), [])
    said = told(wall[:1], *free, "--save", suite.path("free.json"))
    suite.equal("nor frames without a limit", said, [])
    said = told(wall[:1], *a, "--baseline", suite.path("free.json"), status=1)
    suite.true("of one side alone", len(said) == 1 and "in these captures, and not in the baseline" in said[0], said)
    said = told(wall[:1], *free, "--baseline", suite.path("blind.json"))
    suite.true("of the other alone", len(said) == 1 and "in the baseline, and not in these captures" in said[0], said)


def suggested(path):
    for args in ((), ("--player-only",)):
        out, _ = suite.run("stats", path, *args, "--suggest")
        found = json.loads(out)
        suite.equal("rows suggested %s" % (args,), [(r["id"], r["metric"]) for r in found["rows"] if r["metric"].startswith("frame")],
                    [("hitches", "frame.uncapped.over")] if args else [("frame-median", "frame.time"), ("hitches", "frame.over")])
        suite.true("and why", found["comment"].startswith("Frames are capped at 30 fps (33.3 ms): "), found["comment"])
        suite.run("stats", path, *args, "--gate", budget([r for r in found["rows"] if "%" not in str(r["max"])]))
    # A budget made of one capture needs no baseline, and the capture passes it.
    made = suite.path("of_one.json")
    suite.run("stats", path, "--suggest", "-o", made)
    out, _ = suite.run("gate", made, path)
    suite.true("one capture passes what is suggested of it", "frame-median" in out and "cannot" not in out, out)
    out, _ = suite.run("stats", path, "--table", "frames")
    suite.true("frames over a time are said to be those shown for longer", "over a time are the frames shown for longer" in out.replace("\n  ", " "), out)


def uncapped_figure(path, what, want):
    """The metric has the uncapped time of capped frames, and of others wall time without the Editor, with and without --player-only."""
    rows = [{"id": "mean", "metric": "frame.uncapped", "stat": "mean", "max": "1s"}, {"id": "most", "metric": "frame.uncapped", "stat": "max", "max": "1s"},
            {"id": "late", "metric": "frame.uncapped.over", "limit": "16.67ms", "stat": "count", "max": 1000}]
    for args in ((), ("--player-only",)):
        suite.run("stats", path, *args, "--gate", budget(rows), "--json", suite.path("verdict.json"))
        with open(suite.path("verdict.json")) as f:
            got = {r["id"]: r["value"] for r in json.load(f)["rows"]}
        suite.true("mean uncapped time %s %s" % (what, args), abs(got["mean"] - sum(want) / FRAMES) < 0.01, (got, sum(want) / FRAMES))
        suite.equal("the most, and how many frames are late %s %s" % (what, args), (got["most"], got["late"]), (max(want), sum(t > 16667667 for t in want)))


def without(frames, *out):
    return [end - at - sum(b - a for a, b, m in z if m in out) for at, end, z in frames]


SHORT, LATE = 16666667, (31, 77)


def waiting_longer(more, wait=PRESENT, frame=SHORT, spikes=()):
    """Frames of 16.7 ms that end with a wait to present, which in those of LATE takes ${more} longer."""
    frames, out, at = game(wait=wait, frame=frame, editor_ms=1, noise=3, spikes=spikes), [], 0
    for k, (a, b, zones) in enumerate(frames):
        longer = more if k + 1 in LATE else 0
        out.append((a + at, b + at + longer, [(x + at, y + at + (longer if m in (ROOT, wait) else 0), m) for x, y, m in zones]))
        at += longer
    return out


def present_time(frame):
    """Uncapped time by the manual: of a wait to present that is late, all but a quarter of a period counts."""
    at, end, zones = frame
    wait = sum(b - a for a, b, m in zones if m == PRESENT)
    rest = end - at - wait
    room = SHORT - rest % SHORT
    room += SHORT if room < SHORT / 10 else 0
    late = wait - min(room, SHORT // 4) if wait - room > SHORT // 4 else 0
    return without([frame], PRESENT, EDITOR, PREVIEW)[0] + late


def signalled(frames):
    """The same, with the wait for a signal inside that to present, as Unity has it."""
    return [(at, end, zones + [(a + 10 * US, b - 10 * US, SIGNAL) for a, b, m in zones if m == PRESENT]) for at, end, zones in frames]


def late(write):
    """A wait to present ends with the period, or it is for a late GPU or render thread: then the frame is late, the worst, and the wait its cause."""
    frames = waiting_longer(4 * SHORT)
    path = write("late", frames)
    want = [present_time(f) for f in frames]
    uncapped_figure(path, "of frames that present late", want)
    others = [w for k, w in enumerate(want, 1) if k not in LATE]
    suite.true("they last nearly as long as by the clock", all(60 * MS < want[k - 1] for k in LATE) and max(others) < SHORT)
    suite.equal("the worst frames", sorted(r["frame"] for r in suite.rows("hitches", path, "--hitches", "2")), list(LATE))
    out, _ = suite.run(path)
    suite.true("the summary's verdict", "missed by 2 of %d frames" % FRAMES in out, out)
    cause = suite.rows("causes", path)
    suite.equal("one cause", [(r["count"], r["class"], NAMES[PRESENT] in str(r)) for r in cause], [(2, "wait", True)])
    usual = waiting_longer(0)
    for what, inside in (("", False), (", in a zone inside", True)):
        a, b = (write("present_" + s, signalled(f) if inside else f) for s, f in (("a", usual), ("b", frames)))
        t = {k: v["rows"] for k, v in suite.report("diff", a, "--", b, "--table", "sides,markers,worst_frames", status=5)["tables"].items()}
        means = [round(sum(present_time(f) for f in side) / FRAMES) for side in (usual, frames)]
        suite.equal("a comparison of them" + what, [r["mean_ns"] for r in t["sides"]], means + [means[1] - means[0]])
        suite.equal("its worst frames" + what, [(r["b_frame"], r["b_ns"]) for r in t["worst_frames"]][:2],
                    sorted(((k, want[k - 1]) for k in LATE), key=lambda x: -x[1]))
        waits = [sum(present_time(f) - without([f], PRESENT, EDITOR, PREVIEW)[0] for f in side) / FRAMES for side in (usual, frames)]
        suite.true("what is late of the wait is part of it" + what, waits[0] == 0 and waits[1] > MS, waits)
        suite.true("under its name" + what, [r["marker"] for r in t["markers"]][0] == NAMES[PRESENT] and
                   abs(t["markers"][0]["b_ns"] - waits[1]) < 2 and t["markers"][0]["a_ns"] == 0, t["markers"])
    brief = waiting_longer(SHORT // 5)
    uncapped_figure(write("brief", brief), "of frames that present a fifth of a period later", [present_time(f) for f in brief])
    suite.true("which is not late", max(present_time(f) for f in brief) < SHORT)


def worst_told(write):
    """Beneath a row of uncapped time is the frame that is worst by it: no frame that waits longer for the limit, and is the longest."""
    longer = waiting_longer(2 * FRAME, WAIT, FRAME, spikes=SPIKES[:2])
    path = write("told", longer)
    suite.true("frames that wait twice the period are told", "118 took two refreshes, %d more; %d late, 1.7 %%; frames are capped at 30 fps (33.3 ms)" % (
        len(LATE), len(LATE)) in
               " ".join(suite.run(path)[0].split()), suite.run(path)[0])
    own, wall = without(longer, WAIT, EDITOR, PREVIEW), [b - a for a, b, _ in longer]
    worst, longest = own.index(max(own)) + 1, wall.index(max(wall)) + 1
    suite.true("the worst frame is not the longest", worst in SPIKES[:2] and longest in LATE, (worst, longest))
    for rows in ([{"id": "u", "metric": "frame.uncapped", "stat": "max", "max": "5 ms"}],
                 [{"id": "u", "metric": "frame.uncapped.over", "limit": "5 ms", "stat": "count", "max": 0}]):
        out, _ = suite.run("stats", path, "--gate", budget(rows), status=1)
        said = re.findall(r"worst frame (\d+) of [^,]*, ([0-9.]+) ms of uncapped time: ([^ ,]*)", re.sub(r"\n +", " ", out))
        suite.equal("the frame beneath %s" % rows[0]["metric"], said, [(str(worst), "%.3f" % (own[worst - 1] / MS), NAMES[ENEMY])])
        out, _ = suite.run("stats", path, "--gate", budget(rows), "--explain", "u", status=1)
        suite.true("the first of its details", "frame %d: %.3f ms, %.3f ms of uncapped time;" % (worst, wall[worst - 1] / MS, own[worst - 1] / MS) in out, out)
        suite.run("stats", path, "--gate", budget(rows), "--html", suite.path("told.html"), status=1)
        with open(suite.path("told.html"), encoding="utf-8") as f:
            suite.true("the page leads to it", "The worst frame of the worst capture is %d, with" % worst in f.read())


def paired(write):
    """ab of capped frames: a build that does the same work at half the rate fails by wall time alone; equal builds pass."""
    for side, frame in (("old", FRAME), ("same", FRAME), ("half", 2 * FRAME)):
        for k in range(10):
            write("pair-%s-%d" % (side, k), game(seed=3 * k + len(side), editor_ms=1, noise=2, frame=frame, spikes=()))
    play = suite.path("play.sh")
    with open(play, "w") as f:
        f.write('#!/bin/sh\nset -e\nn=$(cat "$1.n" 2>/dev/null || echo 0)\necho $((n + 1)) > "$1.n"\ncp "$1-$n.ttc" "$TRACETOOL_CAPTURE"\n')
    os.chmod(play, 0o755)
    for new, status, failed in (("same", 0, []), ("half", 1, ["frame-trimmed"])):
        for side in ("old", new):
            if os.path.exists(suite.path("pair-%s.n" % side)):
                os.remove(suite.path("pair-%s.n" % side))
        suite.run("ab", "-n", "8", "--seed", "1", "--json", suite.path("pairs.json"), "--", play, suite.path("pair-old"), "--", play, suite.path("pair-" + new),
                  status=status)
        with open(suite.path("pairs.json")) as f:
            rows = {r["id"]: r for r in json.load(f)["rows"]}
        suite.equal("rows of frames, %s" % new, {"uncapped-trimmed", "frame-trimmed", "uncapped-p95", "long-frames", "frame-p95"} & set(rows),
                    {"uncapped-trimmed", "frame-trimmed", "uncapped-p95", "long-frames"})
        suite.equal("what fails, %s" % new, [i for i, r in rows.items() if r["fails"]], failed)


def half_held(write):
    """Half of the frames wait for their target rate, too few for capped frames: the figure of gates is without these waits all the same."""
    held, free = game(editor_ms=1, spikes=()), game(wait=None, editor_ms=1, spikes=())
    uncapped_figure(write("half", [h if k % 2 else f for k, (h, f) in enumerate(zip(held, free))]), "of half held frames",
                    [t for k in range(FRAMES) for t in without([(held if k % 2 else free)[k]], WAIT, EDITOR, PREVIEW)])


def waits_fail(write):
    """Waits for a job make capped frames late, though no marker works longer: the suggested budget fails, and says when a limit is not as it was."""
    jobs = {"jobs": range(1, FRAMES + 1), "editor_ms": 1}
    none, free = game(editor_ms=1), game(None, 29 * MS, False)
    uncapped_figure(write("uncapped", none), "of capped frames", without(none, WAIT, EDITOR, PREVIEW))
    uncapped_figure(write("waiting", game(**jobs)), "of frames that wait", without(game(**jobs), WAIT, EDITOR, PREVIEW))
    uncapped_figure(write("nolimit", free), "of frames without a limit", without(free, EDITOR, PREVIEW))
    nights = [[write("night%d-%d" % (n, k), game(seed=10 * n + k, editor_ms=1, spikes=SPIKES[:1])) for k in range(4)] for n in range(5)]
    base, made = suite.path("waits.json"), suite.path("suggested.json")
    suite.run("stats", *nights[0], "--suggest", "-o", made)
    for n, night in enumerate(nights):
        suite.run("stats", *night, "--gate", made, "--inconclusive", "pass", "--save", base, "--append", "--meta", "session=%d" % n)
    suite.run("stats", *nights[0], "--suggest", "--baseline", base, "-o", made)
    with open(made) as f:
        rows = json.load(f)["rows"]
    suite.equal("rows of frames that fail", [(r["id"], r["metric"]) for r in rows if r["metric"].startswith("frame") and r.get("level") != "warn"],
                [("frame-median", "frame.time"), ("uncapped-median", "frame.uncapped"), ("hitches", "frame.over")])
    suite.equal("hitches are frames that miss the limit", [r["limit"] for r in rows if r["id"] == "hitches"], ["33.33ms"])

    def judged_by(what, files, status, failed, said):
        out, _ = suite.run("stats", *files, "--gate", made, "--baseline", base, "--meta", "session=new", "--json", suite.path("verdict.json"), status=status)
        with open(suite.path("verdict.json")) as f:
            v = json.load(f)
        got = [r["id"] for r in v["rows"] if r["outcome"] in ("worse", "breach") and r["level"] == "error"]
        suite.equal("what fails of %s" % what, got, failed)
        suite.equal("notes of limits of %s" % what, [r for r in v["remarks"] if "capped" in r], said)

    def four(what, **other):
        return [write("%s-%d" % (what, k), game(seed=90 + k, **{"editor_ms": 1, "spikes": SPIKES[:1], **other})) for k in range(4)]

    judged_by("an equal build", four("equal"), 0, [], [])
    judged_by("waits in every frame", four("every", **jobs), 1, ["uncapped-median"], [])
    judged_by("another limit", four("limit", frame=16666700), 0, [],
              ["frames are capped at 60 fps (16.7 ms), those of the baseline at 30 fps (33.3 ms): was the frame limit changed, or is it missed?"])
    half = four("half_rate", frame=2 * FRAME)
    out, _ = suite.run("diff", *nights[0], "--", *half, "--meta", "session=one", "--table", "sides", status=1)
    suite.true("a diff compares wall time where it differs", "frames are capped, of A at 30 fps (33.3 ms) and of B at 15 fps (66.7 ms): wall time is compared, "
               "because it differs by more than a tenth" in re.sub(r"\n +", " ", out), out)
    judged_by("half the rate", half, 1, ["frame-median", "hitches"],
              ["frames are capped at 15 fps (66.7 ms), those of the baseline at 30 fps (33.3 ms): was the frame limit changed, or is it missed?"])
    judged_by("no limit", four("gone", wait=None, frame=29 * MS), 1, ["uncapped-median"],
              ["frames are not capped, those of the baseline are at 30 fps (33.3 ms): was the frame limit changed, or is it missed?"])


def suggested_of_a_mix(path, free):
    out, _ = suite.run("stats", path, free, "--suggest")
    says = json.loads(out)["comment"]
    suite.true("a mix", "frames are capped in 1 of 2 captures" in says and "make a budget for each kind" in says, says)


def suggested_of_two_limits(path, other):
    out, _ = suite.run("stats", path, other, "--suggest")
    says = json.loads(out)["comment"]
    suite.true("two limits", "capped at 30 fps (33.3 ms)" in says and "some captures are capped at 60 fps (16.7 ms): make a budget for each" in says, says)


def gated(path):
    _, cpu, _ = figures(game(), False)
    with open(suite.path("budget.json"), "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [{"id": "busy", "metric": "frame.cpu", "stat": "max", "max": "5 ms"}]}, f)
    out, _ = suite.run("stats", path, "--gate", suite.path("budget.json"), status=1)
    suite.true("a row of CPU-active time names the worst frame by it", "worst frame %d of" % (cpu.index(max(cpu)) + 1) in out, out)
    only_work("the worst frame's markers", out)
    out, _ = suite.run("stats", path, "--gate", suite.path("budget.json"), "--explain", "busy", status=1)
    only_work("the row's details", "\n".join(line for line in out.splitlines() if re.search(r"\d (ns|us|µs|ms)", line)))
    suite.true("name the game's marker", NAMES[ENEMY].split("::")[-1].split("(")[0] in out, out)
    for args in ((), ("--player-only",)):
        only_work("markers of the worst frames", "\n".join(r["marker"] for r in suite.rows("hitch_markers", path, *args)))


def only_work(what, said):
    idle = [n for n in NAMES if n[:6] == "Editor" or n in ("Preview", "(outside recorded calls)") or n in [NAMES[w] for w in WAITS]]
    suite.equal("%s that are no work of the game's" % what, [n for n in idle if n in said], [])


def grew(write):
    """Beneath a row of CPU-active time is what grew of the game's work: not the Editor, nor waits."""
    a, b = builds(write, "grew", more=MS, editor_ms=15)
    rows = budget([{"id": "busy", "metric": "frame.cpu", "stat": "mean", "max": "+2%"}])
    suite.run("stats", *a, "--gate", rows, "--save", suite.path("base.json"))
    suite.run("stats", *b, "--gate", rows, "--baseline", suite.path("base.json"), "--json", suite.path("verdict.json"), status=1)
    with open(suite.path("verdict.json")) as f:
        row = [r for r in json.load(f)["rows"] if r["id"] == "busy"][0]
    moved = [m["name"] for m in row["movers"]]
    only_work("what grew", "\n".join(moved))
    suite.equal("what grew", [NAMES[ENEMY].split("!")[-1].replace("::", ".").split(".")[-1] in m or NAMES[ENEMY] == m for m in moved], [True])


def merely_regular():
    """Frames are as regular, but nothing holds them back, or what does is not known to be a limit; or they are held and not regular."""
    for what, frames, capped in (
            ("busy", game(None), False), ("waiting for a worker", game(SIGNAL), False), ("waiting for the GPU", game(PRESENT, 29 * MS), False),
            ("waiting for the display", game(PRESENT, FRAME), True), ("waiting, irregular", game(WAIT, 40 * MS, False), True),
            ("waiting for the display, irregular", game(PRESENT, 40 * MS, False), False), ("at a rate of its own", game(WAIT, 29 * MS), True),
            ("that have next to no time left", game(WAIT, 16666667, editor_ms=2, noise=3, more=8900 * US, spikes=()), True)):
        text = note(as_ttc("regular.ttc", frames))
        suite.equal("frames %s are said to be capped" % what, "capped" in text or words.say("limit_or_gpu") in text, capped)
    for rate in (50, 75, 100, 165 / 2):
        text = note(as_ttc("rate.ttc", game(PRESENT, round(10 ** 9 / rate), editor_ms=1, noise=3, spikes=())))
        faster = {50: 100, 100: 200, 165 / 2: 165}.get(rate)
        # Or a GPU that is not known takes two refreshes of a faster one.
        want = "take one refresh of %g Hz, or two of %d Hz with a GPU that is too slow" % (rate, faster) if faster else "capped at"
        suite.true("frames that a display of %g Hz holds are capped" % rate, want in text, text)


def uneven(path):
    """A target rate is kept by a sleep, which is never exact: the frames are capped all the same, and the ten are the ten worst."""
    text = note(path)
    suite.true("frames about 33.3 ms long are capped", "capped at " in text, text)
    suite.equal("the ten worst of them", sorted(r["frame"] for r in suite.rows("hitches", path)), SPIKES)


def two_rates(write):
    """The limit of the second half is half of the first one's rate: both are told, and work that is long by either is found."""
    frames = game(frame=16666667, editor_ms=1, noise=3)
    last = frames[-1][1]
    frames += [(a + last, b + last, [(x + last, y + last, m) for x, y, m in z]) for a, b, z in game(seed=8, editor_ms=1, noise=3)]
    path = write("rates", frames)
    text = note(path)
    suite.true("two rates are told", "60 fps to frame %d, 30 fps from %d on" % (FRAMES, FRAMES + 1) in text, text)
    suite.equal("the worst of both", sorted(r["frame"] for r in suite.rows("hitches", path, "--hitches", "20")),
                SPIKES + [k + FRAMES for k in SPIKES])
    out, _ = suite.run(path)
    suite.true("the summary tells them, too", "60 fps to frame %d, 30 fps from %d on" % (FRAMES, FRAMES + 1) in re.sub(r"\n +", " ", out), out)


def busy_renderer(path):
    """A render thread that works longer than the main thread, in all frames about as long, makes none of them one of the worst."""
    suite.equal("the worst beside a busy render thread", sorted(r["frame"] for r in suite.rows("hitches", path)), SPIKES)


def uncapped(text):
    """Times in a page: differences, five bits a digit, the lowest first; the sixth says that more follow, the lowest bit is the sign."""
    last = v = shift = 0
    for c in text:
        digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".index(c)
        v |= (digit & 31) << shift
        shift += 5
        if digit < 32:
            last += -(v + 1) // 2 if v % 2 else v // 2
            yield last
            v = shift = 0


def coloured(write):
    """The chart of frames follows the verdict: of capped frames colours are by whole refreshes, and as many columns are of each as miss the budgets by them."""
    for what, frames in (("capped", game(more=8 * MS, spikes=(33, 85))), ("free", game(None, 29 * MS, False))):
        path, out = write("coloured", frames), suite.path("coloured.html")
        suite.run("report", "-q", "--force", path, "-o", out)
        with open(out, encoding="utf-8") as f:
            page = f.read()
        rows = suite.rows("frame_budgets", path)
        over = [r["over"] for r in rows if r["time"] == "wall"][:2]
        suite.true("frames over both budgets of those that are " + what, len(over) == 2 and over[0] >= over[1] and over[0] > 0, rows)
        drawn = [sum(d.count("M") for d in re.findall('<path class="k%d"[^>]* d="([^"]*)"' % k, page)) for k in (1, 2)]
        suite.equal("columns of frames that are " + what, drawn, [over[0] - over[1], over[1]])
        given = re.search('data-over60="([0-9]+)" data-over30="([0-9]+)".* data-shown="([^"]*)"', page)
        times = list(uncapped(given[3])) if given else []
        suite.equal("times for the page's program: " + what, [sum(t > int(given[k]) for t in times) for k in (1, 2)] if given else None,
                    over if what == "capped" else None)
        suite.equal("the legend says it: " + what, "Colours, by whole refreshes: " in page, what == "capped")


def batch(write):
    """Of many captures whose frames are capped, outliers work more or wait for a lock, though all frames take as long; all forms say so."""
    light = [write("a%d" % k, game(seed=k + 1, editor_ms=1, spikes=())) for k in range(9)]
    heavy = write("heavy", game(seed=99, editor_ms=1, spikes=(), more=8 * MS))
    locked = write("locked", game(seed=98, editor_ms=1, spikes=(), jobs=range(1, FRAMES + 1), job=3 * MS))
    all_ = light + [heavy, locked]
    db = suite.path("capped.sqlite")
    if os.path.exists(db):
        os.remove(db)
    out, _ = suite.run("batch", "-q", *all_, "--format", "json", "--to-db", db)
    doc = json.loads(out)
    rows = doc["tables"]["batch_captures"]["rows"]
    suite.equal("the outliers, first of all", [(os.path.basename(r["key"]).split(".")[0], r["outlier"]) for r in rows][:3],
                [("heavy", "slow"), ("locked", "slow"), (os.path.basename(rows[2]["key"]).split(".")[0], None)])
    suite.equal("all are there", len(rows), len(all_))
    suite.true("although wall times do not differ", max(r["frame_p95_ns"] for r in rows) < 1.01 * min(r["frame_p95_ns"] for r in rows), rows)
    for row in rows:
        path = next(p for p in all_ if os.path.basename(p) == os.path.basename(row["key"]))
        out, _ = suite.run("stats", "-q", path, "--table", "frames", "--format", "json")
        own = next(r for r in json.loads(out)["tables"]["frames"]["rows"] if r["time"] == "uncapped")
        suite.equal("uncapped time as in stats, %s" % row["key"], [row["frame_uncapped_median_ns"], row["frame_uncapped_p95_ns"]],
                    [own["median_ns"], own["p95_ns"]])
    said = [n["text"] for n in doc["notes"] if n["id"] == "capped_frames"]
    suite.true("a notice names the cap", len(said) == 1 and said[0].startswith("frames of 11 of 11 captures are capped at 30 fps (33.3 ms), so wall time "
                                                                              "does not show work that grows below that"), doc["notes"])
    total = doc["tables"]["batch"]["rows"][0]
    suite.true("the whole has uncapped time", total["frame_uncapped_median_ns"] < total["frame_uncapped_p95_ns"] < total["frame_median_ns"] / 1.5, total)
    out, _ = suite.run("batch", "-q", *all_)
    suite.true("text has it and the notice", "uncapped p95" in out and "capped at 30 fps (33.3 ms)" in out, out)
    out, _ = suite.run("batch", "-q", *all_, "--format", "html")
    suite.true("so has the page", "capped at 30 fps (33.3 ms)" in out and "2 captures are outliers" in re.sub("<[^>]*>", "", out), out[:2000])
    out, _ = suite.run("query", db, "--example", "2", "--format", "json")
    found = json.loads(out)["tables"]["query"]["rows"]
    suite.equal("the question for the slowest", [os.path.basename(found[0]["key"]).split(".")[0], found[0]["frames_uncapped_p95_ns"]],
                ["heavy", rows[0]["frame_uncapped_p95_ns"]])


for capture in (as_ttc("game.ttc", game()), as_raw("game.raw", game())):
    planted(capture)
    player_only(capture)
    compared(capture)
    compared(capture, "--player-only")
    gated(capture)
    no_wall_rows(capture)
    suggested(capture)
    suggested_of_two_limits(capture, as_ttc("fast.ttc", game(frame=16666700, editor_ms=3)))
    suggested_of_a_mix(capture, as_ttc("mix.ttc", game(None, 29 * MS, False)))
for capture in (as_ttc("busy.ttc", game(more=8 * MS)), as_raw("busy.raw", game(more=8 * MS))):
    first_screen(capture)
for capture in (as_ttc("free.ttc", game(None, 29 * MS, False)), as_raw("free.raw", game(None, 29 * MS, False))):
    editors_share(capture, game(None, 29 * MS, False))
for write in (lambda name, frames: as_ttc(name + ".ttc", frames), lambda name, frames: as_raw(name + ".raw", frames)):
    sixtieth(write)
    causes(write)
    waits(write("jobs", game(jobs=(20, 60, 100), spikes=(), more=3 * MS, editor_ms=1)), (20, 60, 100))
    unexplained(write("two", game(noise=3, spikes=(33, 85))))
    judged(write)
    grew(write)
    blind_rows(write)
    coloured(write)
    batch(write)
    late(write)
    worst_told(write)
    half_held(write)
    late_in_a_call(write)
    uneven(write("uneven", game(jitter=1500 * US)))
    two_rates(write)
waits_fail(lambda name, frames: as_ttc(name + ".ttc", frames))
paired(lambda name, frames: as_ttc(name + ".ttc", frames))
rendered()
busy_renderer(as_raw_rendered("busy_renderer.raw", game(editor_ms=1), [14 * MS + k % 7 * 10 * US for k in range(FRAMES)]))
merely_regular()
suite.end()
