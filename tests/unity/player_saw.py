#!/usr/bin/env python3
"""What the player saw, said alike in all places: on the first screen, the page, by a gate, a batch and its database. Five games whose truth the simulation
(vsync_game.py) knows: a render thread that misses half of the refreshes, a quiet game, a GPU that always takes two refreshes, a perfect one, and a limit
that changes."""
import json
import os
import re
import shutil

from raw_log import Log, sample, zone
from ttc import Suite
from vsync_game import MS, US, Bound, Game
import words

suite = Suite()


class SlowGpu(Game):
    """A GPU that takes 24 ms for each frame, which the capture does not say."""

    def needs(self, i, period, limit):
        main, render, _ = super().needs(i, period, limit)
        return [main // 2, render // 3, 24 * MS + self.rng.randrange(-MS, MS)]


# A game; whether a limit of 30 fps and a GPU cannot be told apart; and what is said of the limits.
GAMES = (
    ("render", Game(1, frames=239, late=.5, by="render"), False, "frames are capped at 60 fps (16.7 ms)"),
    ("quiet", Game(16, frames=600), False, "frames are capped at 60 fps (16.7 ms)"),
    ("gpu", SlowGpu(3, frames=400), True, "frames take 2 refreshes: " + words.say("limit_or_gpu")),
    ("perfect", Game(4, frames=599, jitter=25 * US), False, "frames are capped at 60 fps (16.7 ms)"),
    ("changed", Game(5, frames=301, limits=((0, 1), (120, 2))), False, "60 fps to frame 120, 30 fps from 121 on"))
DOUBT = words.say("limit_or_gpu")


def gate(path, metric, limit, want=None):
    """The count that an absolute row of this metric fails by; 0: it passes. Under doubt its outcome is no pass."""
    with open(suite.path("budget.json"), "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [{"id": "r", "metric": metric, "stat": "count", "max": 0, **limit}]}, f)
    json_at = suite.path("verdict.json")
    suite.run("stats", path, "--gate", suite.path("budget.json"), "--json", json_at, status=None)
    with open(json_at) as f:
        row = [r for r in json.load(f)["rows"] if r["id"] == "r"][0]
    if want:
        suite.true("%s, gate of %s: %s" % (os.path.basename(path), metric, want), row["outcome"] in want, row)
    return row["value"]


def said(name, game, doubt, limits):
    path = game.write(suite.path(name + ".raw"))
    over = {60: sum(k > 1 for k in game.taken), 30: sum(k > 2 for k in game.taken)}
    late, n = sum(game.is_late), game.n
    if doubt:         # the target is two refreshes, as far as the capture tells
        late = over[30]
    row = json.loads(suite.run(path, "--format", "json")[0])["tables"]["capture_summary"]["rows"][0]
    for fps in (60, 30):
        text = row["fps_%d" % fps]
        want = "held by all frames" if over[fps] == 0 else "missed by %d of %d frames" % (over[fps], n)
        suite.true("%s, first screen, %d fps: %s" % (name, fps, want), text.startswith(want), text)
        suite.equal("%s, %d fps: both readings" % (name, fps), DOUBT in text, doubt and fps == 60)
    suite.true(name + ", shown", row["shown"] is None and row["seen"].startswith("%.1f fps" % game.fps()) and limits in row["seen"], row)
    suite.true(name + ", late", ("; %d late," % late if late else "; none late") in row["seen"], row["seen"])
    suite.equal(name + ", none is late only if it is a limit", "; none late, if a limit holds them" in row["seen"], doubt)
    suite.true(name + ", needed", row["needed"].startswith("main thread: median "), row)

    suite.run("report", "-q", path, "-o", suite.path("page.html"))
    with open(suite.path("page.html"), encoding="utf-8") as f:
        page = " ".join(re.sub(r"<[^>\n]*>", "", f.read().split('id="verdict"')[1][:20000]).split())
    want = "Holds 60 fps" if over[60] == 0 else "Misses 60 fps in %d of %d frames" % (over[60], n)
    suite.true("%s, page: %s" % (name, want), want in page and ("Holds 60 fps" in page) == (over[60] == 0) and (DOUBT in page) == doubt, page[:500])

    suite.equal(name + ", gate, frames over 16.67 ms", gate(path, "frame.over", {"limit": "16.67ms"}), over[60])
    suite.equal(name + ", gate, late frames", gate(path, "frame.late", {}, ("breach" if late else "cannot_judge" if doubt else "pass",)), late)
    return n, over, late


def together(truth):
    """All five as a batch: its total, its histogram, and question 10 of its database."""
    os.mkdir(suite.path("all"))
    for name, *_ in GAMES:
        shutil.copy(suite.path(name + ".raw"), suite.path("all"))
    out, _ = suite.run("batch", "-q", "--format", "json", "--to-db", suite.path("all.db"), suite.path("all"))
    tables = json.loads(out)["tables"]
    frames, over = sum(t[0] for t in truth), {fps: sum(t[1][fps] for t in truth) for fps in (60, 30)}
    suite.equal("batch: late frames", tables["batch"]["rows"][0]["late"], sum(t[2] for t in truth))
    bins = [(r["from_ns"], r["count"]) for r in tables["frame_histogram"]["rows"]] if "frame_histogram" in tables else \
        [(r["from_ns"], r["count"]) for r in tables["batch_frames"]["rows"]]
    suite.equal("batch: frames over 16.67 ms in the histogram", sum(c for at, c in bins if at > 16600000), over[60])
    out, _ = suite.run("query", suite.path("all.db"), "--example", "10", "--format", "csv")
    counts = [int(line.split(",")[1]) for line in out.splitlines() if re.match('"?[1-4]: ', line)]
    suite.equal("query: up to 16.67, 33.33, 50 ms, and over", counts[:2] + [sum(counts[2:])], [frames - over[60], over[60] - over[30], over[30]])
    for name, (n, of, late) in zip([g[0] for g in GAMES], truth):
        out, _ = suite.run("query", suite.path("all.db"), "SELECT frames_over_16_67, frames_late FROM capture WHERE key = '%s.raw'" % name, "--format", "csv")
        suite.equal("query: %s" % name, out.split()[-1], "%d,%d" % (of[60], late))


def as_long_by_itself():
    """A GPU that takes a little longer than 16.67 ms for each of 150 frames: a gate is not passed by what a limit would make of them."""
    for seed in range(6):
        game = Bound(seed, 1000 / 60 * 1.001, 1000 / 60 / 400, frames=150)
        path = game.write(suite.path("long.raw"))
        value = gate(path, "frame.over", {"limit": "16.67ms"}, ("cannot_judge", "breach"))
        suite.true("%d, frames as long by themselves, gate" % seed, value == 0 or value > 50, value)


def suggested():
    """A budget suggested from games without a late frame fails one with late frames, and passes another one without."""
    good = [Game(60 + k, frames=240).write(suite.path("good%d.raw" % k)) for k in range(4)]
    budget, base = suite.path("suggested.json"), suite.path("base.json")
    out, _ = suite.run("stats", *good[:3], "--suggest")
    row = [r for r in json.loads(out)["rows"] if r["id"] == "hitches"][0]
    suite.true("its row counts late frames, says so, and no figure of another time", row["metric"] == "frame.over" and row["limit"] == "16.67ms" and
               row["comment"].startswith("late frames of a thousand") and "p99" not in row["comment"], row)
    with open(budget, "w") as f:
        f.write(out)
    suite.run("stats", *good[:3], "--gate", budget, "--save", base, status=None)
    suite.run("stats", good[3], "--gate", budget, "--baseline", base)
    out, _ = suite.run("stats", suite.path("render.raw"), "--gate", budget, "--baseline", base, status=1)
    suite.true("it fails by late frames", re.search(r"FAIL +\S+ +frames over 16\.6\d+ ms", out), out)


def every_late_frame():
    """The row counts each late frame, whatever the limit: also one of 40 fps on a display of 120 Hz, whose late frames last 33.33 ms."""
    budget, verdict = suite.path("late.json"), suite.path("late_verdict.json")
    for hz, k in ((120, 3), (144, 4), (144, 3), (60, 3), (90, 2), (144, 2), (75, 1), (165, 1), (50, 1), (120, 5)):
        good = [Game(90 + i, frames=120, hz=hz, limits=((0, k),)).write(suite.path("kept%d.raw" % i)) for i in range(2)]
        out, _ = suite.run("stats", *good, "--suggest")
        with open(budget, "w") as f:
            json.dump(dict(json.loads(out), rows=[dict(r, max=0) for r in json.loads(out)["rows"] if r["id"] == "hitches"]), f)
        for bad in (False, True):
            game = Game(95, frames=200, hz=hz, limits=((0, k),), late=.4 if bad else 0, by="render")
            suite.run("stats", game.write(suite.path("bad.raw")), "--gate", budget, "--json", verdict, status=None)
            with open(verdict) as f:
                row = [r for r in json.load(f)["rows"] if r["id"] == "hitches"][0]
            suite.equal("%d refreshes of %d Hz, late frames of a thousand: %s" % (k, hz, row["sentence"] if "sentence" in row else ""),
                        row["value"], sum(game.is_late) * 5)


def few():
    """Seven frames of a perfect game, and of one with two frames of 33 ms, tell no limit: no verdict anywhere, and surely missed frames are counted."""
    os.mkdir(suite.path("few"))
    for name, late_at in (("some", ()), ("missed", (2, 4))):
        game = Game(8, frames=7, late_at=late_at)
        path, nlate = game.write(suite.path("few/%s.raw" % name)), sum(game.is_late)
        row = json.loads(suite.run(path, "--format", "json")[0])["tables"]["capture_summary"]["rows"][0]
        want = "missed by at least %d of 7 frames: too few frames to tell a limit" % nlate if nlate else "no verdict: too few frames to tell a limit"
        suite.equal(name + ", few frames, first screen", (row["fps_60"], "too few frames to tell a limit" in row["seen"]), (want, True))
        suite.run("report", "-q", path, "-o", suite.path("page.html"))
        with open(suite.path("page.html"), encoding="utf-8") as f:
            page = " ".join(re.sub(r"<[^>\n]*>", "", f.read().split('id="verdict"')[1][:20000]).split())
        suite.true(name + ", few frames, page", "60 fps: " + want in page and "Holds 60 fps" not in page and "Misses 60 fps" not in page, page[:500])
        suite.equal(name + ", few frames, gate", gate(path, "frame.over", {"limit": "16.67ms"}), None)
        out, _ = suite.run("stats", path, "--suggest")
        suite.true(name + ", few frames, no row that counts frames over 16.67 ms", "16.67" not in out, out)
    Game(9, frames=200, late=.2, by="render").write(suite.path("few/whole.raw"))
    out, _ = suite.run("batch", "-q", "--format", "json", "--to-db", suite.path("few.db"), suite.path("few"))
    t = json.loads(out)["tables"]
    for fps, ns in ((60, 16667667), (30, 33334334), (20, 50000000)):
        db, _ = suite.run("query", suite.path("few.db"), "SELECT sum(frames_over_%s) FROM capture WHERE frames_over_16_67 IS NOT NULL" %
                          {60: "16_67", 30: "33_33", 20: "50"}[fps], "--format", "csv")
        suite.equal("few frames, batch: frames over the time of %d fps" % fps, sum(r["count"] for r in t["batch_frames"]["rows"] if r["from_ns"] >= ns),
                    int(db.split()[-1]))
    suite.equal("few frames, batch: those that tell no limit", sum(r["untold"] for r in t["batch_frames"]["rows"]), 14)
    suite.equal("few frames, batch: all", sum(r["untold"] + r["count"] for r in t["batch_frames"]["rows"]), t["batch"]["rows"][0]["frames"])
    out, _ = suite.run("query", suite.path("few.db"), "--example", "10", "--format", "csv")
    suite.true("few frames, query: no count but that of all", "5: too few frames of a capture tell" in out and out.split(",")[-1].strip(' "\n') == "14", out)


def slower_than_a_display():
    """A GPU that takes 16.9 ms for every frame, which the capture does not say: no frame is shown at 60 fps, and no display is so far from it."""
    log, at = Log(100, ("PlayerLoop", "Update", "Gfx.WaitForPresentOnGfxThread")), 100.0
    for i in range(400):
        took = 16.9 + (i * 7919 % 101 - 50) / 1000
        log.frame(at, sample(36, 0, at) + zone(1, at, at + 4) + zone(2, at + 4, at + took - .01) + sample(37, 0, at + took - .005))
        at += took
    row = json.loads(suite.run(log.write(suite.path("slower.raw")), "--format", "json")[0])["tables"]["capture_summary"]["rows"][0]
    suite.true("frames of 16.9 ms of a GPU, first screen", row["fps_60"].startswith("missed by 3"), row)
    suite.equal("frames of 16.9 ms of a GPU, gate", gate(suite.path("slower.raw"), "frame.over", {"limit": "16.67ms"}) > 390, True)


together([said(*g) for g in GAMES])
slower_than_a_display()
as_long_by_itself()
suggested()
every_late_frame()
few()
suite.end()
