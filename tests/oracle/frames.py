#!/usr/bin/env python3
"""Checks the figures of frames as tracetool-metrics(7) defines them, on small programs whose every call the test knows.

    frames.py TRACETOOL CALLS_GEN

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end

TRACETOOL, CALLS_GEN = sys.argv[1:3]
work = tempfile.TemporaryDirectory(prefix="tracetool-frames.")


def capture(name, lines):
    path = os.path.join(work.name, name + ".mlpd")
    text = "\n".join("\t".join(str(w) for w in line) for line in lines) + "\n"
    subprocess.run([CALLS_GEN, path], input=text, text=True, check=True)
    return path


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, timeout=120)


def stats(path, *args):
    p = run("stats", "-q", "--format", "json", path, *args)
    return json.loads(p.stdout)["tables"] if p.returncode == 0 else p.stderr


def row_of(rows, **what):
    return next((r for r in rows if all(r[k] == v for k, v in what.items())), None)


# --- which markers begin a frame ------------------------------------------------------------------

METHODS = {1: "Game.World:Frame (int)", 2: "Game.World:FrameEnd ()", 3: "(wrapper runtime-invoke) Game.World:Frame (int)",
           4: "Game.World:Frame (string)", 5: "Game.World:Work ()", 6: "Game.Idle:Frame ()"}


def world(overload):
    """Ten frames, each by a wrapper that calls the method of its name, which works eight times."""
    lines = [("thread", 0, "Main")] + [("method", k, v) for k, v in METHODS.items()]
    for i in range(10):
        t = i * 1000
        lines += [("enter", t, 0, 3), ("enter", t + 10, 0, 1)]
        for k in range(8):
            lines += [("enter", t + 20 + k * 10, 0, 5), ("leave", t + 25 + k * 10, 0, 5)]
        lines += [("leave", t + 900, 0, 1), ("enter", t + 901, 0, 2), ("leave", t + 902, 0, 2), ("leave", t + 950, 0, 3)]
        if overload and i > 5:
            lines += [("enter", t + 960, 0, 4), ("leave", t + 980, 0, 4)]
    return lines + [("end", 10000, 0)]


def frame_count(path, marker):
    t = stats(path, "--table", "frames", "--frame-marker", marker)
    return t if isinstance(t, str) else t["frames"]["rows"][0]["count"]


def note(path, marker):
    return run("stats", path, "--table", "frames", "--frame-marker", marker).stdout


def markers_of_frames():
    one, two = capture("one", world(False)), capture("two", world(True))
    wrapped = capture("wrapped", [x for x in world(False) if x[-1] != 1])     # the method itself was not recorded
    for name in ("World:Frame", "Game.World:Frame", "Game.World:Frame (int)", "FrameEnd", METHODS[3]):
        check(frame_count(one, name) == 9, "one marker: " + name, frame_count(one, name))
    check(frame_count(wrapped, "World:Frame") == 9, "only the wrapper was recorded", frame_count(wrapped, "World:Frame"))
    check(frame_count(one, "*World:Frame *") == 9, "a wrapper by pattern, too, is left out", frame_count(one, "*World:Frame *"))
    for path, name, want in ((one, "Frame", ("Game.World:Frame (int)\" begins 10", "Game.World:FrameEnd ()\" begins 10")),
                             (two, "World:Frame", ("Game.World:Frame (int)\" begins 10", "Game.World:Frame (string)\" begins 4"))):
        p = run("stats", path, "--frame-marker", name)
        check(p.returncode == 2 and all(w in p.stderr for w in want) and
              METHODS[3] not in p.stderr, "several markers are an error: " + name, p.stderr)
    check(frame_count(two, "re:Frame") == 23, "a pattern may fit several", frame_count(two, "re:Frame"))
    text = note(two, "re:Frame")
    check("frames begin at 3 markers that fit \"re:Frame\"" in text and METHODS[4] in text, "which the note says", text)
    check("frames begin at \"World:FrameEnd\"" in note(one, "FrameEnd"), "and of one its name", note(one, "FrameEnd"))
    check("never begins" in note(one, "Idle:Frame"), "what never begins is not taken for another", note(one, "Idle:Frame"))


# --- which may begin one ----------------------------------------------------------------------------

TICK = "Game:Tick (int)"


def game(load, ticks):
    """So many calls of a loader, then ticks: (what it takes, ns from its end to the next one). Each makes a few calls."""
    lines = [("thread", 0, "Main"), ("method", 1, TICK), ("method", 2, "Game:Leaf ()"), ("method", 3, "Game:Main ()"),
             ("method", 4, "Game:Load ()"), ("enter", 0, 0, 3), ("enter", 10, 0, 4), ("calls", 20, 0, 2, load, 40)]
    t = 20 + load * 40
    lines += [("leave", t, 0, 4)]
    for i, (takes, gap) in enumerate(ticks):
        lines += [("enter", t + gap, 0, 1), ("calls", t + gap, 0, 2, 5 + i % 7, 20), ("leave", t + gap + takes, 0, 1)]
        t += gap + takes
    return lines + [("leave", t + 50, 0, 3), ("end", t + 100, 0)]


def candidates():
    plain = [(10000000 + i % 5 * 700000, 1000) for i in range(40)]
    for what, load, ticks in (
            ("alike", 10, plain),
            ("one of 2 s among those of 10 ms", 10, plain[:17] + [(2000000000, 1000)] + plain[17:]),
            ("the first loads for 1.5 s", 10, [(1500000000, 1000)] + plain),
            ("a pause of 3 s between two", 10, plain[:30] + [(10000000, 3000000000)] + plain[30:]),
            ("of 1 to 3 ms, and each sixth of 60", 10, [(60000000 if i % 6 == 5 else 1000000 + i % 3 * 1000000, 900) for i in range(48)]),
            ("after 2.2 million calls", 2200000, plain)):
        p = run("info", "--format", "json", capture("likely", game(load, ticks)))
        rows = json.loads(p.stdout)["tables"].get("capture_frame_markers", {"rows": []})["rows"]
        tick = row_of(rows, option="--frame-marker 'Game:Tick'")
        check(tick and tick["begins"] == len(ticks), "a likely frame: " + what, rows)


def service(step, waits, of_wait, rng):
    """A program without frames: a step each 5 to 60 ms, of which a share is one wait; and what its steps call."""
    lines = [("thread", 0, "Main"), ("method", 1, step), ("method", 2, waits), ("method", 3, "Shop:Parse ()"), ("method", 4, "Shop:Main ()"),
             ("enter", 0, 0, 4)]
    t = 100
    for _ in range(60):
        takes = int(5e6 * 12 ** rng.random() ** 4)
        lines += [("enter", t, 0, 1), ("enter", t + 10, 0, 2), ("leave", t + 10 + int(takes * of_wait), 0, 2), ("enter", t + 20 + int(takes * of_wait), 0, 3),
                  ("leave", t + takes - 5, 0, 3), ("leave", t + takes, 0, 1)]
        t += takes + 1000
    return lines + [("leave", t + 50, 0, 4), ("end", t + 100, 0)]


def no_frames():
    """What waits for others is no frame: steps of a server, by their names, and by what they wait; a tool's steps, which are as irregular, may be."""
    steps = [(name, "Shop:Think ()", .5, want) for name, want in (
        ("Shop:AcceptLoop ()", False), ("Shop:ReadAll ()", False), ("Shop:Receive (int)", False), ("Shop:DoPoll ()", False), ("Shop:lock_all ()", False),
        ("Shop:WaitForNext ()", False), ("Shop:Sleep ()", False), ("Shop/<ReadLoop>d__4:MoveNext ()", False), ("Shop:recvBytes ()", False),
        ("Shop:Reader ()", True), ("Shop:Ready ()", True), ("Shop:Unlocked ()", True), ("WaitingRoom:Tick ()", True), ("Poll.Lock:Step ()", True))]
    steps += [("Shop:Serve ()", waits, share, share < .5) for share in (.9, .7, .3) for waits in (
        "System.Net.Sockets.Socket:Receive (byte[])", "System.Threading.Monitor:Wait (object)", "System.Threading.Thread:Sleep (int)")]
    for name, waits, share, want in steps:
        p = run("info", "--format", "json", capture("service", service(name, waits, share, random.Random(4))))
        rows = json.loads(p.stdout)["tables"].get("capture_frame_markers", {"rows": []})["rows"]
        named = [r for r in rows if r["option"].split("'")[1] == name.split(" (")[0]]
        check(bool(named) == want, "%s, %g of it in %s: %s frame" % (name, share, waits, "may begin a" if want else "no"), rows)
        p = run("stats", "--frame-marker", "Nothing:Here", os.path.join(work.name, "service.mlpd"))
        check(('"%s"' % name.split(" (")[0] in p.stderr) == want, name + ": an error for another marker names the same", p.stderr)


# --- time outside all calls -------------------------------------------------------------------------

def outside_calls():
    """Frames of 1 ms: 100 us of work, 200 us of which 150 are a wait, and then nothing; the fourth is 50 ms long."""
    lines = [("thread", 0, "Main"), ("method", 1, "Game:Tick ()"), ("method", 2, "System.Threading.Thread:Sleep (int)"),
             ("method", 3, "Game:Rest ()")]
    t = 0
    for i in range(8):
        lines += [("enter", t, 0, 1), ("leave", t + 100000, 0, 1), ("enter", t + 300000, 0, 3), ("enter", t + 310000, 0, 2),
                  ("leave", t + 460000, 0, 2), ("leave", t + 500000, 0, 3)]
        t += 50000000 if i == 3 else 1000000
    path = capture("outside", lines + [("end", t, 0)])
    t = stats(path, "--frame-marker", "Game:Tick", "--table", "hitches,hitch_markers,frames", "--limit", "0")
    worst = t["hitches"]["rows"][0]
    check(worst["frame"] == 4 and worst["cpu_ns"] == 150000, "time outside calls is no work", worst)
    check(worst["top"].startswith("(outside recorded calls) 49.7"), "and is told first", worst)
    rows = [r for r in t["hitch_markers"]["rows"] if r["frame"] == 4]
    check(sum(r["self_ns"] for r in rows) == worst["dur_ns"] == 50000000, "markers and the rest are the frame", rows)
    out = row_of(rows, marker="(outside recorded calls)")
    check(out and out["count"] == 0 and out["self_ns"] == 49700000, "which is no call", out)
    cpu = row_of(t["frames"]["rows"], time="cpu")
    check(cpu and cpu["mean_ns"] == cpu["max_ns"] == 150000, "CPU-active time is exact", cpu)


# --- parts of the time ----------------------------------------------------------------------------------

def parts_of_the_time():
    """A frame and a call belong to the part in which they begin, whole."""
    lines = [("thread", 0, "Main"), ("thread", 1, "Work"), ("method", 1, "Game:Tick ()"), ("method", 2, "Game:Step ()"),
             ("method", 3, "Game:Load ()"), ("enter", 0, 0, 3)]
    t, longest = 1000, 0
    for i in range(40):
        dur = 107000 if i in (7, 21) else 3000 + 130 * i
        lines += [("enter", t, 0, 1)]
        for k in range(8):
            lines += [("enter", t + 10 + k * dur // 10, 0, 2), ("leave", t + 10 + (k + 1) * dur // 10, 0, 2)]
        lines += [("leave", t + dur - 5, 0, 1)]
        t += dur
    lines += [("leave", t, 0, 3)]
    path = capture("parts", lines + [("end", t, 0)])
    whole = {"marker.count[Game:Step].total": 320, "marker.count[Game:Tick].total": 40, "marker.time[Game:Load].total": t,
             "marker.self[Game:Load].total": 1000 + 40 * 5, "frame.over[50us].count": 2}
    each = {"marker.count[Game:Step].per_frame.mean": 8, "marker.time[Game:Step].max": 10700, "frame.time.max": 107000}
    for n in (3, 7, 30, 60):
        args = [x for m in list(whole) + list(each) for x in ("--metric", m)]
        t = stats(path, "--frame-marker", "Game:Tick", "--buckets", str(n), "--limit", "0", *args)
        if isinstance(t, str):
            check(False, "%d parts" % n, t)
            continue
        rows = t["timeline_metrics"]["rows"]
        for m, want in whole.items():
            got = [r["value"] for r in rows if r["metric"] == m or m.startswith("frame.over") and r["metric"].startswith("frame.over")]
            check(len(got) == n and abs(sum(v or 0 for v in got) - want) < 1, "%d parts add up: %s" % (n, m), (got, want))
        for m, want in each.items():
            got = [r["value"] for r in rows if r["metric"] == m and r["value"] is not None]
            good = got and (all(v == want for v in got) if "mean" in m else max(got) == want)
            check(good, "%d parts: %s" % (n, m), (got, want))


markers_of_frames()
candidates()
no_frames()
parts_of_the_time()
outside_calls()
work.cleanup()
end()
