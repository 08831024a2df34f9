#!/usr/bin/env python3
"""The class that a cause names is one of which the method itself allocates: what its constructors allocate is theirs. Unity's
captures know no classes: their marker is not named as one."""
from raw_log import Log, alloc, zone
from ttc import Capture, Suite

MS, FRAMES = 1000000, 120
suite = Suite()


def game(burst):
    """In each frame Label makes two of Nut, whose constructor makes a larger text; in frames 21, 51, 81 and 111 it makes ${burst}."""
    c = Capture(producer="tracetool Mono module")
    tick, label, make = (c.marker(n) for n in ("Plant:Tick", "Plant:Label", "Nut:.ctor"))
    nut, string = c.new_key(), c.new_key()
    t, at = c.thread(), 1000
    for k in range(FRAMES):
        t.frame(at)
        t.begin(at, tick)
        t.begin(at + 100, label)
        now = at + 200
        for _ in range(burst if k % 30 == 20 else 2):
            t.alloc(now, nut, 24)
            t.begin(now + 50, make)
            t.alloc(now + 100, string, 40)
            t.end(now + 150)
            now += 400
        t.end(now)
        at = max(now + 1000, at + 2 * MS)
        t.end(at)
    t.frame(at)
    return c.write(suite.path("burst.ttc")), nut


def without_classes():
    log = Log(0, ("Main Thread", "Game.dll!::Plant.Label()", "GC.Alloc"))
    at = 1
    for k in range(FRAMES):
        n = 9000 if k % 30 == 20 else 2
        end = at + 2 + n * .0005
        log.frame(at, zone(0, at, end + 5)[:15] + zone(1, at + 1, end)[:15] + b"".join(alloc(2, at + 1 + (i + 1) * .0005, 64) for i in range(n)) +
                  zone(1, at + 1, end)[15:] + zone(0, at, end + 5)[15:])
        at = end + 6
    log.frame(at)
    return log.write(suite.path("unity.raw"))


path, nut = game(15000)
rows = [r for r in suite.rows("causes", path) if r["class"] != "steady"]
suite.equal("one cause", [(r["frames"], r["marker"]) for r in rows], [("4 frames, every 30th from 21 on", "Plant:Label")])
says = "Plant:Label allocates 351.6 KB, most of it (unknown class %#x), in 15,000 objects" % nut
suite.true("of the method's own class", rows and says in rows[0]["sentence"], rows)
rows = [r for r in suite.rows("causes", without_classes()) if r["class"] != "steady"]
suite.true("no class of Unity's", rows and "Plant.Label() allocates 562.5 KB in 9,000 objects" in rows[0]["sentence"], rows)
suite.end()
