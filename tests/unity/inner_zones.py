#!/usr/bin/env python3
"""Where nothing is the Editor's, --player-only changes no figure: of no capture of testdata, and of no random game with waits, zones within zones of
their own marker, zones without length, and zones that go on beyond their frame, recorded by our recorder and by Unity's profiler. (The program adds
up the zones of a frame in rows without that option, and one by one with it.)"""
import glob
import hashlib
import json
import os
import random
import struct
import subprocess

from raw_log import MAIN, MS, Log
from ttc import Capture, Suite, TRACETOOL

US, START, LENGTH, FRAMES = 10 ** 3, 100 * MS, 10 * MS, 40
NAMES = ["Main Thread", "PlayerLoop", "Update", "Enemy.Think", "Enemy.Think", "Physics.Step", "WaitForTargetFPS", "Gfx.WaitForPresentOnGfxThread",
         "Semaphore.WaitForSignal", "Camera.Render", "GC.Collect", "Idle"]
TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata")
suite = Suite()


def nest(rng, a, b, depth, out):
    """Zones in turn between ${a} and ${b}, as (time, begins, marker) in the order of time."""
    while a < b and rng.random() < .9:
        begin = a + rng.randrange(b - a) // rng.choice((1, 8, 8))
        end = begin + rng.choice((0, rng.randrange(b - begin + 1), rng.randrange((b - begin) // 4 + 1)))
        marker = rng.randrange(1, len(NAMES))
        out.append((begin, True, marker))
        if depth < 12 and end > begin:
            nest(rng, begin, end, depth + 1, out)
        out.append((end, False, marker))
        a = end + rng.randrange(20 * US)
    return out


def game(seed):
    """Events of the main thread, and when frames begin."""
    rng = random.Random(seed)
    marks, events, at = [k * LENGTH for k in range(FRAMES + 1)], [], 100
    for mark in marks[1:]:
        end = mark + rng.choice((-200 * US, -200 * US, 3 * MS))
        nest(rng, max(at, mark - LENGTH + 100), end, 0, events)
        at = max(at, end)
    return events, marks


def ttc(name, events, marks):
    c = Capture(run=hashlib.md5(name.encode()).digest())
    keys = [c.marker(n) for n in NAMES]
    t = c.thread()
    t_at = [(at, 0, None) for at in marks] + [(at, 1, (begins, marker)) for at, begins, marker in events]
    c.thread_name(t.native, "", "Main Thread")
    for at, _, what in sorted(t_at, key=lambda e: e[:2]):
        if what is None:
            t.frame(at + MS)
        elif what[0]:
            t.begin(at + MS, keys[what[1]])
        else:
            t.end(at + MS)
    return c.write(suite.path(name + ".ttc"))


def raw(name, events, marks):
    c, done = Log(START // MS, NAMES), 0
    for k, mark in enumerate(marks + [marks[-1] + LENGTH]):
        body = b"".join(struct.pack("<HBIQ", 36 if begins else 37, 0, marker, START + at) for at, begins, marker in events if done <= at < mark)
        if body:
            c.block(MAIN, body)
        if k < len(marks):
            c.block(MAIN, struct.pack("<HIQ", 34, k, START + mark))
        done = mark
    return c.write(suite.path(name + ".raw"))


def tables(path, *args):
    out = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", path, *args], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return json.loads(out)["tables"] if out else None


def saved(path, *args):
    """What a baseline keeps of the capture: of the worst frames what was at work in them, without waits."""
    budget, base = suite.path("budget.json"), suite.path("base.json")
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [{"id": m, "metric": m, "stat": "max", "max": "1 ns"}
                                                   for m in ("frame.time", "frame.cpu", "frame.uncapped")]}, f)
    if os.path.exists(base):
        os.remove(base)
    subprocess.run([TRACETOOL, "stats", "-q", path, *args, "--gate", budget, "--save", base], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(base) as f:
        return json.load(f)["sessions"]


def check(path):
    plain, player = tables(path), tables(path, "--player-only")
    suite.equal("tables of %s with --player-only" % os.path.basename(path), player, plain)
    return plain


read = [check(path) for kind in ("raw", "data", "ttc", "mlpd") for path in sorted(glob.glob(os.path.join(TESTDATA, kind, "*." + kind)))]
suite.true("captures of testdata were read", sum(t is not None for t in read) > 40, len(read))
for seed in range(12):
    events, marks = game(seed)
    for path in (ttc("game%d" % seed, events, marks), raw("game%d" % seed, events, marks)):
        framed = check(path)
        suite.equal("what a baseline keeps of %s" % path, saved(path, "--player-only"), saved(path))
        suite.true("%s has frames and their markers" % path, framed and framed["frames"]["rows"] and
                   any(r["frame_max_ns"] for r in framed["markers"]["rows"]), framed and list(framed))
suite.end()
