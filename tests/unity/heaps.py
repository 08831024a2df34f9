#!/usr/bin/env python3
"""What causes say of heaps: growth that no full collection followed proves no leak, the option for heap shots fits the capture, and a collection that the
recorder caused for a heap shot is the heap shot's. Captures of the Mono module, written from tracetool-capture(5); findings: tracetool-metrics(7)."""
from heap_steps import collect
from ttc import Capture, Suite

MS, MB, FRAMES = 1000000, 1 << 20, 120
suite = Suite()


def game(name, size, full=(), shots=(), length=2 * MS, late=9 * MS, slow=(), method="Game:Slow%d"):
    """
    ${FRAMES} frames of ${length}, each of which keeps 100 KB of class Kept. After each tenth frame k, a collection of generation 0, of 1 where k is in
    ${full}, leaves a heap of ${size}(k) bytes. In frames ${shots} another thread collects for a heap shot, for which they last ${late} more. Frames
    ${slow} call a method of their own for so long.
    """
    c = Capture(producer="tracetool Mono module")
    tick, add = c.marker("Game:Tick"), c.marker("Game:Add")
    kept = c.new_key()
    t, other = c.thread(), c.thread()
    c.thread_name(other.native, "", "Finalizer")
    at = 1000
    for k in range(1, FRAMES + 1):
        t.frame(at)
        t.begin(at, tick)
        t.begin(at + 100, add)
        for i in range(100):
            t.alloc(at + 200 + i, kept, 1000)
        t.end(at + 1000)
        end = at + length
        if k in slow:
            t.zone(at + 60000, at + 60000 + late, c.marker(method % k))
            end += late
        if k % 10 == 0:
            collect(t, at + 2000, at + 50000, 1 if k in full else 0, size(k))
        if k in shots:
            collect(other, at + 100000, at + 100000 + late, 1, 0, k)
            end += late
        t.end(end - 100)
        at = end
    t.frame(at)
    return c.write(suite.path(name + ".ttc"))


def rows(path, kind):
    return [r for r in suite.rows("causes", path) if r["class"] == kind]


def grows(k):
    return (2 + k // 10) * MB


for what, size, full, leaks in (
        ("no full collection", grows, (), False),
        ("only ahead of the growth", grows, (10,), False),
        ("the last one is early", grows, (30,), False),
        ("the heap has its size before half of the frames", lambda k: grows(k if k < 60 else 50), (120,), False),
        ("a full collection after it has grown", grows, (50,), True),
        ("two of them", grows, (60, 110), True)):
    said = rows(game("grows", size, full), "leak")
    suite.equal("a heap that grows, %s: a leak" % what, len(said), int(leaks))
    if leaks and said:
        suite.true("grows to the size at the last full collection", "the heap grows from 3.0 MB to %d.0 MB, and never becomes smaller" %
                   (2 + max(full) // 10) in said[0]["sentence"], said)

# A sixth of the frames' time, rounded down to 1, 2 or 5 with zeros.
for length, option in ((2 * MS, "20ms"), (10 * MS, "200ms"), (16 * MS, "200ms"), (30 * MS, "500ms"), (100 * MS, "2000ms"), (250 * MS, "5000ms")):
    said = rows(game("long", grows, (110,), length=length), "leak")
    suite.true("the interval of heap shots for %d frames of %d ms" % (FRAMES, length // MS),
               said and said[0]["sentence"].endswith("; heap shots tell what stays: record with gc,heapshot=" + option), said)

path = game("shots", lambda k: 3 * MB, shots=(25, 55, 85))
said = rows(path, "collection")
suite.equal("collections for heap shots: one finding", len(said), 1)
suite.true("is the heap shot's", said and "for a gen-1 collection, the heap shot's" in said[0]["sentence"] and "asked for" not in said[0]["sentence"], said)
screen = " ".join(suite.run(path)[0].split())
suite.true("on the first screen, too", "the heap shot's" in screen and "asked for" not in screen, screen)

path = game("ranked", grows, full=(60, 110), slow=(13, 33, 53, 73, 93))
suite.true("the leak is behind frames that are long by five methods", [r["class"] for r in suite.rows("causes", path)].index("leak") >= 5)
tables = suite.report(path)["tables"]
suite.equal("on the first screen it is second", [r["class"] for r in tables["capture_causes"]["rows"]][1], "leak")
# Sentences of so many lines that the screen has room for one cause, but for a leak.
path = game("crowded", grows, full=(60, 110), slow=(13, 33, 53, 73, 93), method="Game:%s%%d" % ("Slow" * 80))
screen = suite.run("--width", "80", path)[0]
why = screen.split("Why frames are long")[1].split("\n\n")[0]
suite.true("it is also on a screen that has room for little else", "the heap grows from" in " ".join(why.split()), screen)
suite.true("which fits", len(screen.splitlines()) <= 48, len(screen.splitlines()))
suite.end()
