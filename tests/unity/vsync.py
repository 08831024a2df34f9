#!/usr/bin/env python3
"""What the player saw: frames of simulated games (vsync_game.py) against what the simulation knows of them, as tracetool-metrics(7) has it."""
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys

from ttc import TRACETOOL, Suite
import lot
from vsync_game import MS, US, Alone, Both, Chain, Game, Overslept, Stalled, Steady, as_long, as_twice, both_kinds, by_chance, chained, deadlines, driven, \
    games, loading, more_refreshes, mostly_late, odd_rates, of_few, overslept, perfect, pipelined, seldom_late, short_limits, spiky, stalled, stepped, unsteady

suite = Suite()
BUDGET = 10 ** 9 / 60 + 1001


def usual(ns):
    """The period of the usual rate within two hundredths."""
    for hz in (24, 30, 48, 50, 60, 72, 75, 85, 90, 100, 120, 144, 165, 180, 200, 240, 360):
        if abs(ns - 1e9 / hz) <= 1e9 / hz * .02:
            return 1e9 / hz
    return ns


def database(path, status=0):
    out = suite.path("out.sqlite")
    suite.run("convert", "-q", "--force", path, "-o", out, status=status)
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


def limits_and_late(name, game):
    """Late frames, the frames that a limit holds from and to, and its time, give or take what a sleep's steps leave open."""
    db = database(game.write(suite.path("game.raw")))
    late = [r["id"] for r in db.execute("SELECT id FROM frame WHERE late ORDER BY id")]
    suite.equal("late frames, %s" % name, late, [i + 1 for i, x in enumerate(game.is_late) if x])
    rows, want = db.execute("SELECT * FROM frame_shown").fetchall(), game.segments()
    suite.equal("frames of each limit, %s" % name, [(r["first"], r["last"]) for r in rows], [w[:2] for w in want])
    if game.is_tellable():
        # A timer that wakes exactly, and is late for nothing, may be a display.
        told = [w[2] == "display" or game.sleep > 0 or any(game.is_late[w[0] - 1:w[1]]) for w in want]
        suite.equal("limits, %s" % name, [(r["limit"], r["refreshes"]) for r, x in zip(rows, told) if x], [w[2:4] for w, x in zip(want, told) if x])
    if game.grain > MS:
        # No display has refreshes at the steps of a system's clock.
        suite.equal("no display's limit, %s" % name, [r["limit"] for r in rows], ["timer"] * len(want))
    near = .03 if game.grain > MS else .01 if game.grain else .005 if game.kind == "timer" else .0005
    off = [abs(r["refresh_ns"] * r["refreshes"] / (w[3] * w[4]) - 1) for r, w in zip(rows, want) if r["refresh_ns"]]
    suite.true("times of limits, %s" % name, len(off) == len(want) and all(x <= near for x in off), (off, near))
    # The main thread of a pipelined game may need more than a refresh for a frame that is in time.
    if not game.depth:
        judged_late(name, game, db.execute("SELECT * FROM frame ORDER BY id").fetchall(), want)
    db.close()


def in_chain(name, game):
    """Refreshes of each picture, once the chain is full, late ones and limits. Where few pictures are waited for, no limit may show."""
    db = database(game.write(suite.path("chain.raw")))
    frames = db.execute("SELECT refreshes, late FROM frame ORDER BY id").fetchall()
    nwaited = sum(b - a > 10 ** 9 / game.hz / 5 for a, b in game.shown_at)
    if nwaited < game.n / 4 and not any(f[0] for f in frames):
        return
    suite.equal("refreshes of each frame, %s" % name, [f[0] for f in frames][4:-3], game.taken[4:-3])
    suite.equal("late frames, %s" % name, [i + 1 for i, f in enumerate(frames) if f[1]], [i + 1 for i, x in enumerate(game.is_late) if x])
    rows, want = db.execute("SELECT * FROM frame_shown").fetchall(), game.segments()
    suite.equal("limits, %s" % name, [(r["first"], r["last"], r["limit"], r["refreshes"]) for r in rows], [w[:4] for w in want])
    off = [abs(r["refresh_ns"] - w[4]) / w[4] for r, w in zip(rows, want) if r["refresh_ns"]]
    suite.true("periods within 0.05 %%, %s" % name, all(x <= .0005 for x in off), off)
    db.close()


def seldom_held(name, game):
    """A timer's limit is one, however few frames it holds, and a fact where the engine waits for it; a driver's shows, with all late frames, or none does."""
    path = game.write(suite.path("seldom.raw"))
    rows = [(r["first"], r["last"], r["limit"], r["late"], r["reading"] is None) for r in suite.rows("frame_shown", path)]
    timer = (1, game.n, "timer", sum(game.is_late))
    want = [timer + (True,)] if game.waits_in == "target" else [timer + (False,)] if rows[0][2] == "timer" else [(1, game.n, "none", None, True)]
    suite.equal("limits, %s" % name, rows, want)
    if rows[0][2] == "timer":
        held = sum(b - a <= BUDGET or (game.hz == 60 and not late) for (a, b, _), late in zip(game.frames, game.is_late))
        said = summary_of(game)["fps_60"]
        suite.true("frames that miss 60 fps, %s" % name, said.startswith("held by all") if held == game.n else "by %d of" % (game.n - held) in said, said)


def one_limit(name, game):
    """A timer's limit that is constant is one, its period is what frames in time take, and late are those that the manual says are, give or take those that
    are near its bounds. Fixed deadlines that no frame misses are a grid, too."""
    path = game.write(suite.path("one.raw"))
    rows = suite.rows("frame_shown", path)
    told = [(r["first"], r["last"], r["limit"], r["late"]) for r in rows]
    kinds = ("timer", "display") if game.scheduled and not any(game.surely) else ("timer",)
    suite.true("one limit, " + name, len(rows) == 1 and rows[0]["limit"] in kinds, told)
    off = [abs(r["refresh_ns"] * r["refreshes"] / game.periods[0] - 1) for r in rows if r["refresh_ns"]]
    suite.true("its period, " + name, all(x <= .04 for x in off), off)
    late = sum(r["late"] or 0 for r in rows)
    suite.true("late frames, " + name, sum(game.surely) <= late <= sum(game.at_most), (sum(game.surely), late, sum(game.at_most)))
    if game.hz == 60 and sum(game.surely):
        suite.true("60 fps are missed, " + name, summary_of(game)["fps_60"].startswith("missed"), summary_of(game)["fps_60"])


def two_kinds(name, game):
    """A display's limit and a timer's in one capture: the second holds from its first frame on, give or take three, and late frames are those."""
    rows, at = suite.rows("frame_shown", game.write(suite.path("both.raw"))), game.parts[0].n
    told = [(r["first"], r["last"], r["limit"], r["late"]) for r in rows]
    suite.true("two limits, %s" % name, len(rows) == 2 and abs(rows[0]["last"] - at) <= 3 and [r["limit"] for r in rows] == [p.kind for p in game.parts], told)
    suite.equal("late frames, %s" % name, sum(r["late"] or 0 for r in rows), sum(game.is_late))


def with_loads(name, game):
    """The limits of a game with loading screens between, which change within three frames of where they do, and its late frames, give or take these.
    Where frames wait first, one beside a load may be late by what that waits."""
    rows, want = suite.rows("frame_shown", game.write(suite.path("loads.raw"))), game.segments()
    suite.true("limits, " + name, [(r["limit"], r["refreshes"]) for r in rows] == [w[2:4] for w in want] and
               all(abs(r["first"] - w[0]) <= 3 for r, w in zip(rows, want)), rows)
    late = sum(r["late"] or 0 for r in rows)
    suite.true("late frames, " + name, 0 <= late - sum(game.is_late) <= (2 if len(want) > 1 else int(game.waits == "begin")), (late, sum(game.is_late)))
    suite.true("periods within 0.05 %, " + name, all(abs(r["refresh_ns"] * game.hz / 1e9 - 1) <= .0005 for r in rows), rows)


def beside_nothing():
    """A late frame that no other follows, at the end of the capture or before frames that it lacks, is late by what it worked, and by no more."""
    for seed in range(24):
        gap = range(101, (103, 104, 131)[seed % 3]) if seed % 4 // 2 else ()
        game = Game(seed + 900, frames=200, hz=(60, 59.94, 90, 165)[seed // 4 % 4], waits=("begin", "end")[seed % 2], limits=((0, 1 + seed // 16),),
                    late_at=(100,) if gap else (199,), lost=gap, jitter=60 * US, late=(0, .05)[seed // 4 % 2])
        kept = [i for i in range(game.n) if i not in gap]
        db = database(game.write(suite.path("edge.raw")), 3 if gap else 0)
        name = "%d, %s the frame, %s" % (seed, game.waits, "before a gap of %d" % len(gap) if gap else "the last")
        rows = db.execute("SELECT refreshes, late FROM frame WHERE refreshes IS NOT NULL ORDER BY id").fetchall()
        suite.equal("refreshes beside nothing, " + name, [r[0] for r in rows], [game.taken[i] for i in kept])
        suite.equal("late beside nothing, " + name, [kept[n] + 1 for n, r in enumerate(rows) if r[1]], [i + 1 for i in kept if game.is_late[i]])
        db.close()


def over_days():
    """A frame of hundreds of days, which a suspended game has, is one late frame more, and changes nothing of the others."""
    for kind in ("timer", "display"):
        for days in (50, 110, 300):
            game, at, more = Game(5, frames=120, kind=kind, late=.05), 60, days * 86400 * 10 ** 9
            # The last zone of that frame lasts so much longer.
            game.frames = [(a + more * (i > at), b + more * (i >= at), [(z, x + more * (i > at), y + more * (i > at or (i == at and k == len(zones) - 1)))
                                                                        for k, (z, x, y) in enumerate(zones)]) for i, (a, b, zones) in enumerate(game.frames)]
            game.render = [(a + more * (i > at), b + more * (i > at)) for i, (a, b) in enumerate(game.render)]
            db, name = database(game.write(suite.path("days.raw"))), "%s, %d days" % (kind, days)
            want = [i + 1 for i, x in enumerate(game.is_late) if x or i == at]
            suite.equal("late frames, " + name, [r["id"] for r in db.execute("SELECT id FROM frame WHERE late ORDER BY id")], want)
            suite.equal("limits, " + name, [tuple(r) for r in db.execute('SELECT first, last, "limit" FROM frame_shown')], [(1, 120, kind)])
            db.close()


def slower_sleeps():
    """A timer whose sleeps take a little longer from some frame on is one limit."""
    for hz in (60, 30, 120):
        for more in (1.016, 1.02, 1.024):
            game = Game(7, frames=400, kind="timer", hz=hz, limits=((0, 1), (200, more)), late=.02)
            db = database(game.write(suite.path("sleeps.raw")))
            name = "%d Hz, sleeps of %g" % (hz, more)
            suite.equal("limits, " + name, [tuple(r) for r in db.execute('SELECT first, last, "limit" FROM frame_shown')], [(1, 400, "timer")])
            suite.equal("late frames, " + name, db.execute("SELECT count(*) FROM frame WHERE late").fetchone()[0], sum(game.is_late))
            db.close()


def made_up_for():
    """The period of a timer whose frames make up for sleeps that were too long is that of its schedule, also of few frames; the sentence says it."""
    for seed in range(24):
        hz, ms = ((80, "12.5"), (60, "16.7"), (50, "20.0"))[seed % 3]
        game = Overslept(seed, frames=(35, 63, 150)[seed // 3 % 3], hz=hz, kind="timer", scheduled=True)
        row = suite.rows("frame_shown", game.write(suite.path("schedule.raw")))[0]
        name = "%d Hz, %d frames, %d" % (hz, game.n, seed)
        suite.true("period of a schedule, " + name, abs(row["refresh_ns"] * hz / 1e9 - 1) <= (.001 if game.n == 35 else .0005), row)
        said = summary_of(game)["seen"]
        suite.true("rate and time of a schedule, " + name, "none late; frames are capped at %d fps (%s ms)" % (hz, ms) in said, said)


def changed_after_late():
    """A timer's limit that changes right after a late frame holds from the next one on, which is not late."""
    for seed in range(6):
        limits, hz = (((0, 1), (100, 2)), 60) if seed % 2 else (((0, 2), (100, 1)), 60)
        limits_and_late("after a late frame, %d" % seed, Game(seed, kind="timer", frames=200, hz=hz, limits=limits, late_at=(99,), late_by=1.4))


def changed_timers():
    """A timer's limit that changes, by little or much, anywhere: the new one holds from its first frame on, give or take two, and late frames are those."""
    for seed in range(40):
        rng = random.Random(seed)
        hz, ratio, at = rng.choice((30, 60, 72, 90, 120)), rng.choice((2, .5, 1.5, .75, 1.2, .8, 1.1, 1.333, 3)), rng.randrange(30, 210)
        game = Steady(seed, kind="timer", hz=hz, limits=((0, 1), (at, ratio)), late=rng.choice((0, 0, .02, .1)), sleep=10 ** 9 // hz // rng.choice((140, 600)))
        db = database(game.write(suite.path("changed.raw")))
        name = "%d Hz, %g periods from frame %d on" % (hz, ratio, at + 1)
        rows = [tuple(r) for r in db.execute("SELECT first, last FROM frame_shown")]
        suite.true("the first frame of a timer's new limit, " + name, len(rows) == 2 and abs(rows[1][0] - at - 1) <= 2, rows)
        suite.equal("late frames, " + name, [r["id"] for r in db.execute("SELECT id FROM frame WHERE late ORDER BY id")],
                    [i + 1 for i, x in enumerate(game.is_late) if x])
        db.close()


def timer_beside_display():
    """A timer's limit whose period is three or four refreshes of the display before or after it: frames that need less than they last are held by it, and not
    late, also where they need more than one refresh."""
    for seed in range(16):
        hz, sleep = ((120, 2), (120, 10), (90, 1), (90, 4))[seed % 4]
        timer = (Alone, Steady)[seed // 4 % 2](seed, frames=79 + 5 * seed, hz=30, kind="timer", waits_in=("present", "target")[seed // 8], sleep=sleep * US)
        display = Game(seed + 1, frames=150, hz=hz, late=(0, .05)[seed % 2])
        game = Both(*((timer, display) if seed % 2 else (display, timer)))
        rows = suite.rows("frame_shown", game.write(suite.path("beside.raw")))
        name = "30 fps beside %d Hz, %d" % (hz, seed)
        suite.true("two limits, " + name, len(rows) == 2 and abs(rows[1]["first"] - game.parts[0].n - 1) <= 3, rows)
        suite.equal("late frames, " + name, sum(r["late"] or 0 for r in rows), sum(game.is_late))


def ahead_of_the_display():
    """Without when its pictures are shown, a pipelined game whose frames end anywhere, and whose pictures are all a refresh apart, has no late frame,
    once it is ahead: it is so after a few frames."""
    for seed in range(24):
        game = Game(seed, hz=(60, 90, 120)[seed % 3], depth=2, presents=False, unsteady=.35)
        if any(game.is_late):
            continue
        db = database(game.write(suite.path("ahead.raw")))
        late = [r["id"] for r in db.execute("SELECT id FROM frame WHERE late AND id > 8 ORDER BY id")]
        suite.equal("late frames of a game that is ahead, %d" % seed, late, [])
        db.close()


def no_timer():
    """A swap chain of a display, without when its pictures are shown: no timer is a fact, and
    frames after late ones that are shorter than a timer would let them be are none's."""
    for seed in (32, 36, 40, 44, 76, 77, 100, 104, 108):
        game = Chain(seed, frames=400, images=2 + seed // 4 % 2, by=("main", "render")[seed // 8 % 2], late=.1, presents=False)
        rows = suite.rows("frame_shown", game.write(suite.path("no_timer.raw")))
        told = [(r["first"], r["last"], r["limit"], r["reading"], r["late"]) for r in rows]
        suite.true("a display's game, %d" % seed, all(r["limit"] != "timer" or (r["reading"] and r["late"] == sum(game.is_late)) for r in rows), told)


def slow_in_a_row():
    """Frames that a render thread makes late in a row, between others of a timer: it needs more than the period, so they are late, and the limit is one."""
    class Slow(Game):
        def needs(self, i, period, limit):
            return [int(.6 * period), int((1.56 if 100 <= i < 220 else .36) * period), 0]

        def on_timer(self):
            super().on_timer()
            more, at = 0, 100
            for i, (a, b, zones) in enumerate(self.frames):
                self.is_late[i] = at <= i < 220
                extra = int(1e9 / self.hz) if self.is_late[i] else 0
                work, (wait, c, d) = zones[0], zones[1]
                self.frames[i] = (a + more, b + more + extra, [(work[0], work[1] + more, work[2] + more), ("present", c + more, c + more + extra),
                                                               (wait, c + more + extra, d + more + extra)])
                self.render[i] = (a + more, a + more + self.needs(i, 1e9 / self.hz, 1)[1])
                more += extra
    for hz in (60, 30, 90):
        game = Slow(5, frames=239, hz=hz, kind="timer", sleep=4 * US)
        path = game.write(suite.path("row.raw"))
        row = json.loads(suite.run(path, "--format", "json")[0])["tables"]["capture_summary"]["rows"][0]
        suite.true("%d Hz, late in a row" % hz, "120 late, 50.2 %" in row["seen"] and " to frame " not in row["seen"], row["seen"])
        if hz == 60:
            suite.equal("late in a row, 60 and 30 fps", (row["fps_60"][:28], row["fps_30"]), ("missed by 120 of 239 frames,", "held by all frames"))


def pieces():
    """Games of a display and of a timer that were recorded for 2 to 30 frames: (name, game), half of them with a frame that is late."""
    kinds = ({}, {"waits": "begin"}, {"jitter": 25 * US}, {"waits": "bare", "jitter": 120 * US}, {"gpu_known": True}, {"kind": "timer"},
             {"kind": "timer", "sleep": 0}, {"kind": "timer", "waits_in": "present", "sleep": 30 * US})
    for n in range(2, 31):
        for k, kind in enumerate(kinds):
            for late in (False, True):
                hz = (60, 60, 30, 120)[(n + k) % 4]
                yield "%d of %s at %d Hz%s" % (n, kind, hz, ", one late" if late else ""), \
                    Game(n * 31 + k, frames=n, hz=hz, late_at=(n // 2,) if late else (), **kind)


def few_frames():
    """Of few frames there is a right verdict or none: a game that is in time is never said to miss its rate, one that is late never to hold it."""
    told = 0
    for name, game in lot.some(pieces(), 30, "pieces"):
        row = json.loads(suite.run(game.write(suite.path("piece.raw")), "--format", "json")[0])["tables"]["capture_summary"]["rows"][0]
        for fps, ns in ((60, BUDGET), (30, 2 * BUDGET)):
            shown = [b - a if game.kind == "timer" and late else k * 1e9 / game.hz for (a, b, _), k, late in zip(game.frames, game.taken, game.is_late)]
            over, said = sum(x > ns for x in shown), row["fps_%d" % fps]
            some = re.match(r"missed by (at least )?(\d+) of", said)
            right = said.startswith("held") if over == 0 else some and (int(some[2]) <= over if some[1] else int(some[2]) == over)
            suite.true("%d fps, %d over, %s" % (fps, over, name), right or said == "no verdict: too few frames to tell a limit", said)
            told += bool(right)
    suite.true("most have a verdict", told > 30, told)


def summary_of(game):
    return json.loads(suite.run(game.write(suite.path("said.raw")), "--format", "json")[0])["tables"]["capture_summary"]["rows"][0]


def facts(text):
    """The limits that a sentence names as a fact."""
    return [] if " or a GPU that " in text or " or work that " in text or ", or two of " in text else \
        re.findall(r"capped at [0-9.]+ fps|a limit of [0-9.]+ fps|one refresh of [0-9.]+ Hz", text)


def late_of_few():
    """Five to nine frames of a timer, two of which are surely late: no more are counted, and never all."""
    for n in range(5, 10):
        for parts in (1.15, 1.3, 1.42, 1.48, 1.6):
            game = Stalled(n, frames=n, late_at=(2, 4), late_parts=(parts, parts))
            said = summary_of(game)["fps_60"]
            some = re.match(r"missed by (at least )?(\d+) of", said)
            suite.true("no more than two of %d, late by %g" % (n, parts), said.startswith("no verdict") or (some and int(some[2]) <= 2), said)
            suite.true("two of %d by %g are surely late" % (n, parts), parts < 1.4 or (some and int(some[2]) == 2), said)


def no_display():
    """A timer's frames are not limited by a display, whether they are late or not."""
    for name, game in lot.some(stalled(first_seed), 8, "no_display"):
        said = summary_of(game)["fps_60"]
        suite.true("no display limits, " + name, "display" not in said, said)


def limits_of_few():
    """Fewer than twenty frames that wait in markers of the GPU, too, show no limit; those that wait for the engine's do."""
    for name, game, what in lot.some(of_few(first_seed), 12, "of_few"):
        row = summary_of(game)
        if what == "limit":
            suite.true("a limit of few frames, " + name, "capped at 30 fps" in row["seen"] and "a limit of 30 fps" in row["fps_60"], row)
            continue
        suite.equal("no limit is a fact, " + name, [facts(row[k]) for k in ("seen", "fps_60", "fps_30")], [[], [], []])
        suite.true("too few, " + name, "too few frames to tell a limit" in row["seen"], row["seen"])
        for fps in (60, 30):
            said, longest = row["fps_%d" % fps], max(b - a for a, b, _ in game.frames)
            suite.true("%d fps is a fact only if all frames are shorter, %s" % (fps, name), said != "held by all frames" or longest <= 10 ** 9 / fps + 1001,
                       (said, longest))


def limits_by_chance():
    """So few frames of a GPU are regular by chance: no limit is a fact, and none is held that a frame is longer than, but if a limit holds it."""
    for name, game in lot.some(by_chance(first_seed), 20, "by_chance"):
        row = summary_of(game)
        suite.equal("no limit is a fact, " + name, [facts(row[k]) for k in ("seen", "fps_60", "fps_30")], [[], [], []])
        for fps in (60, 30):
            said, longest = row["fps_%d" % fps], max(b - a for a, b, _ in game.frames)
            suite.true("%d fps is held only if all frames are shorter, %s" % (fps, name), said != "held by all frames" or longest <= 10 ** 9 / fps + 1001,
                       (said, longest, row["seen"]))


def one_or_two():
    """A picture at each refresh of a display, or at each second one of another: both are said, unless the capture tells."""
    for name, game, hz, what in lot.some(as_twice(first_seed), 10, "as_twice"):
        row, why = summary_of(game), {"gpu": "a GPU that is too slow", "work": "work that takes longer than a refresh"}
        both = "one refresh of %g Hz, or two of %d Hz with %s" % (hz / 2, hz, why.get(what))
        if not what:
            suite.true("one reading, " + name, "capped at %g fps" % (hz / 2) in row["seen"] and "if a limit" not in row["seen"], row["seen"])
        else:
            # Of 120 frames that a GPU makes irregular, the display itself may be in doubt.
            if what == "gpu" and game.n == 120 and "or a GPU that takes as long" in row["seen"]:
                both = "a limit of %g fps, or a GPU that takes as long" % (hz / 2)
            suite.true("both readings, " + name, both in row["seen"] and "none late, if a limit holds them" in row["seen"], row["seen"])
            rows = suite.rows("frame_shown", suite.path("said.raw"))
            suite.equal("both readings in the table, " + name, [r["reading"] for r in rows], [both])


def limit_or_gpu():
    """Frames that are as long as each other at a usual rate: the engine's own limit is a fact, another's may be a GPU that takes as long."""
    for name, game, hz, is_engine in lot.some(as_long(first_seed), 10, "as_long"):
        row, doubt = summary_of(game), "a limit of %d fps, or a GPU that takes as long" % hz
        sure = all(b - a <= 10 ** 9 / hz + 1001 for a, b, _ in game.frames)
        if is_engine:
            suite.true("a limit, " + name, ": none late; frames are capped at %d fps" % hz in row["seen"], row["seen"])
        else:
            want = ": none late, if a limit holds them; most frames in time are as long as each other: " + doubt
            suite.true("both readings, " + name, want in row["seen"], row["seen"])
        if hz in (60, 30):
            suite.equal("held, " + name, row["fps_%d" % hz], "held by all frames" + ("" if is_engine or sure else ", if a limit holds them"))
            suite.run("report", "-q", "--force", suite.path("said.raw"), "-o", suite.path("said.html"))
            with open(suite.path("said.html"), encoding="utf-8") as f:
                page = " ".join(re.sub(r"<[^>\n]*>", "", f.read().split('id="verdict"')[1][:20000]).split())
            held = "Holds 60 fps" if hz == 60 else "; holds 30 fps."
            suite.equal("held on the page, " + name, (held in page, "if a limit holds" in page), (is_engine or sure, not (is_engine or sure)))
        if hz in (50, 30):
            suite.equal("both readings at 60 fps, " + name, doubt in row["fps_60"], not is_engine)


def counted(games):
    """How many frames of them took one, two, three refreshes, and more."""
    taken = [k for g in games for k in g.taken]
    return [taken.count(1), taken.count(2), taken.count(3), sum(k > 3 for k in taken)]


def took(row):
    return [row[k] for k in ("one", "two", "three", "more")]


def on_page_and_in_verdict(path, game):
    """The tile of a page, and the sentence of a gate, say how many refreshes frames took; the sentence also where a baseline tells that there are more."""
    words = ("one", "two", "three", "more")
    want = [(w, n) for w, n in zip(words, counted([game])) if n]
    suite.run("report", "-q", "--force", path, "-o", suite.path("tile.html"))
    with open(suite.path("tile.html"), encoding="utf-8") as f:
        tile = re.search(r"<li[^>]*>(took .*?)</li>", f.read())
    said = "took %s %s" % tuple(", ".join(str(w[i]) for w in want) for i in (0, 1))
    suite.equal("tile of refreshes", re.sub(r"<[^>]*>", "", tile[1]) if tile else None, said)
    budget = suite.path("late.json")
    with open(budget, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "late", "metric": "frame.late", "max": 0 } ] }')
    out, _ = suite.run("gate", budget, path, status=1)
    said = re.search(r"player saw of .*: [0-9.]+ fps: of (\d+) frames (\d+) took one refresh, (\d+) two", out)
    suite.equal("refreshes in a verdict", said and [int(x) for x in said.groups()], [game.n] + [n for _, n in want[:2]])


def compared():
    """A build whose render thread misses half of the refreshes, against one that misses none: what the player saw decides, and not how long the main
    thread works."""
    good, bad = [[Game(seed + 50 * k, frames=150, late=late, by="render") for k in range(10)] for seed, late in ((7, 0), (8, .5))]
    for k in range(10):
        good[k].write(suite.path("a%d.raw" % k))
        bad[k].write(suite.path("b%d.raw" % k))
    late = sum(bad[0].is_late)
    suite.true("the second has late frames", late > 60, late)
    out, _ = suite.run("diff", suite.path("a0.raw"), suite.path("b0.raw"), "--format", "json", status=5)
    sides = json.loads(out)["tables"]["sides"]["rows"]
    suite.equal("what the player saw of both sides", [(round(r["fps"], 2), r["late"], took(r)) for r in sides[:2]],
                [(round(good[0].fps(), 2), 0, counted(good[:1])), (round(bad[0].fps(), 2), late, counted(bad[:1]))])
    on_page_and_in_verdict(suite.path("b0.raw"), bad[0])
    t = json.loads(out)["tables"]["frame_budgets"]["rows"]
    suite.equal("frames over the time of 60 fps", (t[0]["a_over"], t[0]["b_over"]), (0, late))
    os.mkdir(suite.path("both"))
    for n in ("b0", "b1"):
        shutil.copy(suite.path(n + ".raw"), suite.path("both"))
    out, _ = suite.run("batch", "-q", "--format", "json", suite.path("both"))
    row, shown_ns = json.loads(out)["tables"]["batch"]["rows"][0], sum(g.frames[-1][1] - g.frames[0][0] for g in bad[:2])
    suite.equal("late frames of a batch, and refreshes", (row["late"], took(row)), (late + sum(bad[1].is_late), counted(bad[:2])))
    suite.true("shown fps of a batch", abs(row["fps"] - sum(g.n for g in bad[:2]) * 1e9 / shown_ns) < .01, row["fps"])
    build = ["sh", "-c", 'n=$(cat "$0.n" 2>/dev/null || echo 0); echo $((n + 1)) > "$0.n"; cp "$0$n.raw" "$TRACETOOL_CAPTURE"']
    r = subprocess.run([TRACETOOL, "ab", "-n", "8", "--", *build, suite.path("a"), "--", *build, suite.path("b")], capture_output=True, text=True,
                       cwd=suite.dir, env=dict(os.environ, TMPDIR=suite.dir), stdin=subprocess.DEVNULL, check=False)
    row = [line for line in r.stdout.splitlines() if "long-frames" in line and "frames late" in line]
    suite.true("an A/B run fails by late frames", r.returncode == 1 and row and "FAIL" in row[0], r.stdout + r.stderr)


def few_late():
    """A budget suggested from captures without a late frame fails when 20 of 400 are late, and 8 of 400; not for 2 of 400, nor for none."""
    def session(name, seed, nlate):
        late = [sorted(random.Random(seed + k).sample(range(8, 392), nlate)) for k in range(5)]
        return [Game(seed + 10 * k, frames=400, late_at=late[k]).write(suite.path("%s%d.raw" % (name, k))) for k in range(5)]
    budget, base, perfect = suite.path("few.json"), suite.path("few-base.json"), session("perfect", 900, 0)
    suite.run("gate", "--suggest", "-q", *perfect, "-o", budget)
    suite.run("gate", budget, *perfect, "--save", base, status=None)
    for nlate, fails in ((0, False), (2, False), (8, True), (20, True)):
        out, _ = suite.run("gate", budget, *session("few", 1900 + nlate, nlate), "--baseline", base, status=None)
        row = [line for line in out.splitlines() if line.strip().startswith("hitches ")]
        suite.true("%d of 400 frames late" % nlate, row and ("FAIL" in row[0]) == fails, out)


def renewed():
    """A baseline from before frames counted as shown, which has no late frames, is told, and how to renew it; one of now is not."""
    budget, base, old = suite.path("budget.json"), suite.path("base.json"), suite.path("old.json")
    with open(budget, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "misses", "metric": "frame.over", "limit": "16.67ms", "max": "+10%" } ] }')
    suite.run("stats", suite.path("b0.raw"), suite.path("b1.raw"), "--gate", budget, "--save", base)
    with open(base) as f:
        saved = json.load(f)
    for session in saved["sessions"]:
        for capture in session["captures"]:
            capture["values"] = {k: v for k, v in capture["values"].items() if "late" not in k}
    with open(old, "w") as f:
        json.dump(saved, f)
    told = []
    for b in (base, old):
        out, _ = suite.run("stats", suite.path("b2.raw"), "--gate", budget, "--inconclusive", "pass", "--baseline", b)
        told.append("was saved when frames counted by how long they lasted" in out and "save it again from its captures (tracetool gate --save" in out)
    suite.equal("a baseline from before is told", told, [False, True])


def once_wrong():
    """Single games of other seeds that were told otherwise once: late frames that hid a driver's timer, a timer cut where a display's limit began, a period
    that late points moved, two that are a border off."""
    for kind, first, seeds, check in ((driven, 9000, (9038,), limits_and_late), (overslept, 11000, (11020,), limits_and_late),
                                      (both_kinds, 7000, (7022,), two_kinds), (both_kinds, 10060, (10070,), two_kinds)):
        for name, game in kind(first):
            if int(re.search(r"\d+", name)[0]) in seeds:
                check(name, game)


first_seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
beside_nothing()
few_frames()
late_of_few()
no_display()
limits_of_few()
limits_by_chance()
one_or_two()
limit_or_gpu()
over_days()
slower_sleeps()
made_up_for()
changed_timers()
changed_after_late()
timer_beside_display()
ahead_of_the_display()
no_timer()
slow_in_a_row()
compared()
few_late()
renewed()
once_wrong()
for name, game in lot.some(games(first_seed), 30, "vsync"):
    against_truth(name, game)
for name, game in lot.some(stalled(first_seed), 10, "stalled"):
    against_truth(name, game)
for kind in (short_limits, seldom_late, more_refreshes, overslept, stepped, pipelined, spiky, odd_rates, perfect, driven):
    for name, game in lot.some(kind(first_seed), 8, kind.__name__):
        limits_and_late(name, game)
for name, game in lot.some(both_kinds(first_seed), 8, "both_kinds"):
    two_kinds(name, game)
for kind in (deadlines, unsteady):
    for name, game in lot.some(kind(first_seed), 12, kind.__name__):
        one_limit(name, game)
for name, game in lot.some(loading(first_seed), 8, "loading"):
    with_loads(name, game)
for name, game in lot.some(mostly_late(first_seed), 12, "mostly_late"):
    seldom_held(name, game)
for name, game in lot.some(chained(first_seed), 12, "chained"):
    in_chain(name, game)
suite.end()
