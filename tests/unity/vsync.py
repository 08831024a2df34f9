#!/usr/bin/env python3
"""What the player saw: frames of simulated games (vsync_game.py) against what the simulation knows of them, as tracetool-metrics(7) has it."""
import sqlite3
import sys

from ttc import Suite
from vsync_game import Game, games

suite = Suite()
BUDGET = 10 ** 9 / 60 + 1001


def usual(ns):
    """The period of the usual rate within two hundredths."""
    for hz in (24, 30, 48, 50, 60, 72, 75, 90, 100, 120, 144, 165, 180, 200, 240, 360):
        if abs(ns - 1e9 / hz) <= 1e9 / hz * .02:
            return 1e9 / hz
    return ns


def database(path):
    out = suite.path("out.sqlite")
    suite.run("convert", "-q", "--force", path, "-o", out)
    db = sqlite3.connect(out)
    db.row_factory = sqlite3.Row
    return db


def judged_late(name, game, frames, segments):
    """After a late frame the next one often seems longer than it is shown: a frame that is in time has waited for nothing but its limit, and its uncapped
    time is no more than this."""
    most = [0] * len(frames)
    for first, last, kind, target, period in segments:
        most[first - 1:last] = [0 if kind == "none" else target * period] * (last - first + 1)
    suite.equal("frames in time with more uncapped time than their limit gives, %s" % name,
                [i + 1 for i, f in enumerate(frames) if most[i] and not game.is_late[i] and (f["uncapped_ns"] or 0) > most[i]], [])


def against_truth(name, game):
    db = database(game.write(suite.path("game.raw")))
    frames = db.execute("SELECT * FROM frame ORDER BY id").fetchall()
    tellable = game.is_tellable()
    suite.equal("refreshes of each frame, %s" % name, [f["refreshes"] for f in frames] if tellable else game.taken, game.taken)
    suite.equal("late frames, %s" % name, [i + 1 for i, f in enumerate(frames) if f["late"]], [i + 1 for i, x in enumerate(game.is_late) if x])
    rows = db.execute("SELECT * FROM frame_shown").fetchall()
    want = game.segments()
    have = [(r["first"], r["last"], r["limit"] if tellable else "timer", r["refreshes"] if tellable else 1) for r in rows]
    suite.equal("limits, %s" % name, have, [w[:4] for w in want])
    off = [abs(r["refresh_ns"] * (1 if tellable else r["refreshes"]) - w[4]) / w[4] for r, w in zip(rows, want) if w[4] and r["refresh_ns"]]
    suite.true("periods within 0.05 %%, %s" % name, all(x <= .0005 for x in off), off)
    wall = db.execute("SELECT * FROM frames WHERE time = 'wall'").fetchone()
    suite.true("shown fps, %s" % name, abs(wall["fps"] - game.fps()) < .02, (wall["fps"], game.fps()))
    over = 0
    for first, last, kind, _, period in want:
        for i in range(first - 1, last):
            ns = game.frames[i][1] - game.frames[i][0] if kind == "none" or (kind == "timer" and game.is_late[i]) else game.taken[i] * usual(period)
            over += ns > BUDGET
    suite.equal("frames over 16.67 ms, %s" % name, wall["over_16_67"], over)
    judged_late(name, game, frames, want)
    db.close()


for name, game in games(int(sys.argv[1]) if len(sys.argv) > 1 else 0):
    against_truth(name, game)
suite.end()
