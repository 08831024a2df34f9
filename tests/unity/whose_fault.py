#!/usr/bin/env python3
"""Whose fault late pictures are: games (whose_game.py) in which it is the main thread, the render thread or the GPU, whose time the capture has or not,
and which wait for a picture at the end of a frame, at the begin of the next one, or a frame later still. tracetool-metrics(7), Causes."""
import re

from ttc import Suite
from vsync_game import Game as Pictures
from whose_game import EVERY, MS, Game
import lot
import words

suite = Suite()
FAULTS = [(by, more, waits, depth, known, often) for by in ("gpu", "render", "main") for more in (-.1, .1, .5, 1.3) for waits in ("end", "begin")
          for depth in (0, 1) for known in (True, False) for often in (1, 3)]


def span(text):
    """The largest of "18.00 to 18.33 ms", in ms."""
    number, unit = re.match(r"(?:[0-9.]+ (?:\S+ )?to )?([0-9.]+) (\S+)", text).groups()
    return float(number) * {"ms": 1, "\u00b5s": .001}[unit]


def check_gpu_time(what, game, sentence):
    """The time is that of the GPU in the frame that is named, or of one that is planted; planted frames all take as long."""
    m = re.search(r"GPU late, it t(?:ook|akes) ([0-9.]+ (?:to [0-9.]+ )?ms)(?: for the picture of frame ([0-9]+))?", sentence)
    if suite.true("the GPU's time is said, %s" % what, m is not None, sentence):
        want = game.gpu[int(m[2]) - 1] if m[2] else (1 + game.more) * game.p
        is_planted = not m[2] or game.is_planted(int(m[2]) - 1)
        suite.true("it is that of the picture, %s" % what, is_planted and abs(span(m[1]) - want / MS) <= want / MS / 100, sentence)


def check_drawing(what, game, sentence):
    """Where late pictures are alone: the outermost zone of the render thread is named with its own time, and the frame whose picture it is, if not its own."""
    m = re.search(r"ran Camera.Render for ([0-9.]+ ms), most of it in Shadows.RenderJobDir, [0-9.]+ ms(?:, for the picture of frame ([0-9]+))?", sentence)
    if suite.true("the render thread's zone is named, %s" % what, m is not None, sentence):
        suite.true("its time is its own, %s" % what, abs(span(m[1]) - (1 + game.more) * game.p / MS) < .08 * game.p / MS, sentence)
        is_own = game.depth == 0 and game.waits == "end"
        suite.true("the picture's frame is named, %s" % what, (m[2] is None) if is_own else m[2] is not None and game.is_planted(int(m[2]) - 1), sentence)


def check(seed, by, more, waits, depth, known, often):
    what = "%s by %+.1f of a refresh, waits at the %s for %d before, GPU known: %s, %d in a row" % (by, more, waits, depth, known, often)
    game = Game(seed, by, more, waits, depth, known, often=often)
    rows = [r for r in suite.rows("causes", game.write(suite.path("game.raw"))) if r["class"] != "steady"]
    if more < 0 and by == "main":
        return                                            # it takes less than a refresh
    said = " | ".join(r["sentence"] for r in rows)
    first = rows[0]["sentence"] if rows else ""
    if by == "gpu":
        suite.true("the GPU is named, %s" % what, "GPU late" in first if known else words.say("gpu_or_display") in first or "the GPU is late" in first, said)
        suite.true("it is no fact where its time is not known, %s" % what, known or "GPU late" not in said, said)
        suite.true("nobody else is, %s" % what, "Shadows" not in said and "Map" not in said, said)
        if known:
            check_gpu_time(what, game, first)
    else:
        suite.true("it is named, %s" % what, "Shadows.RenderJobDir" in first if by == "render" else "Map.Redraw" in first, said)
        suite.true("the GPU is not, %s" % what, "GPU" not in said, said)
        if by == "render" and often == 1:
            check_drawing(what, game, first)
        picture = re.search(r"picture of frame ([0-9]+)", said)
        suite.true("no other picture is named, %s" % what, picture is None or game.is_planted(int(picture[1]) - 1), said)
    suite.true("no share of the time is told, for there is one fault alone, %s" % what, "of the extra time" not in said, said)


def limited(waits, depth):
    """A GPU that needs more than a refresh from frame 26 on makes frames of two refreshes: the GPU limits them, and not the display."""
    game = Game(77, "gpu", .4, waits, depth, True, often=EVERY)
    path = game.write(suite.path("limited.raw"))
    rows = {r["limit"]: r["count"] for r in suite.rows("frame_limits", path)}
    late = sum(game.is_planted(i) for i in range(game.n))
    what = "waits at the %s for %d before" % (waits, depth)
    suite.true("frames that the GPU limits, %s" % what, abs(rows.get("GPU", 0) - late) <= 4, (rows, late))
    out, _ = suite.run(path)
    suite.true("nothing says that the display does, %s" % what, "by the display" not in out, out)
    quick = Game(78, waits=waits, depth=depth, known=True).write(suite.path("quick.raw"))
    suite.true("a GPU that is quick does not, %s" % what, "GPU" not in {r["limit"] for r in suite.rows("frame_limits", quick)})


def held(waits, depth, known):
    """Nothing is slow, but the display shows some pictures one refresh later: the GPU is not blamed as a fact, and not at all if its time is known."""
    game = Game(60, "display", 0, waits, depth, known)
    said = " | ".join(r["sentence"] for r in suite.rows("causes", game.write(suite.path("held.raw"))) if r["class"] != "steady")
    what = "waits at the %s for %d before, GPU known: %s" % (waits, depth, known)
    suite.true("pictures that the display holds are a row, %s" % what, "waiting in" in said, said)
    suite.true("the GPU is no fact, %s" % what, "GPU late" not in said and (words.say("gpu_or_display") in said) is not known, said)


def unexplained(seed, hz, waits):
    """Half of all frames are late because the main thread needs too long: no single one has a cause, but the first screen does not call them typical."""
    path = Game(seed, "half", waits=waits, hz=hz).write(suite.path("half.raw"))
    out = " ".join(suite.run(path)[0].split())
    what = "seed %d, %d Hz, waits at the %s" % (seed, hz, waits)
    suite.true("late frames are counted, %s" % what, re.search(r"[1-9][0-9]* late, ", out) is not None, out)
    suite.true("none is said to be typical, %s" % what, "no frame is clearly longer" not in out, out)
    why = out.split("Why frames are long")[1].split("Most time")[0]
    suite.true("they are explained, or said not to be, %s" % what, "World.Update" in why or "not explained" in why or "all frames take" in why, why)


def drawn_a_frame_later(seed, late):
    """The main thread is a frame ahead, and the render thread needs too long for most pictures: all but the last are told as late by it, though it draws each
    during the next frame."""
    game = Pictures(seed, depth=1, late=late, by="render", unsteady=.2)
    rows = [r for r in suite.rows("causes", game.write(suite.path("ahead.raw"))) if r["class"] == "wait"]
    what = "seed %d, %.0f %% late" % (seed, late * 100)
    suite.true("late pictures are explained, %s" % what, sum(r["count"] for r in rows) >= sum(game.is_late) - 2, (sum(game.is_late), rows))
    suite.true("by the render thread, %s" % what, rows and all("Render Thread" in r["sentence"] for r in rows), rows)


for seed, late in ((70, .55), (71, .65), (72, .75), (73, .9)):
    drawn_a_frame_later(seed, late)
for i, (hz, waits) in enumerate((hz, waits) for hz in (60, 90) for waits in ("end", "begin")):
    unexplained(500 + i, hz, waits)
for waits, depth in (("end", 0), ("end", 1), ("begin", 0), ("begin", 1)):
    limited(waits, depth)
    held(waits, depth, True)
    held(waits, depth, False)
for i in lot.some(range(len(FAULTS)), 20, "whose_fault"):
    check(i, *FAULTS[i])
for i, (waits, depth, known) in enumerate((a, b, c) for a in ("end", "begin") for b in (0, 1) for c in (True, False)):
    quiet = suite.rows("causes", Game(900 + i, waits=waits, depth=depth, known=known).write(suite.path("quiet.raw")))
    suite.equal("a game without any, waits at the %s for %d before" % (waits, depth), [r["sentence"] for r in quiet if r["class"] != "steady"], [])
suite.end()
