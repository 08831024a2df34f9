#!/usr/bin/env python3
"""stored.py CALLS_GEN FOLDER: make testdata/diff/ anew.

Two builds of a little game, five captures of each. From "before" to "after" a frame gets 1.2 ms slower: enemies think
three times instead of once, sorting takes twice as long, Hud:Legend is new and Hud:Frame gone, strings are built in
every Hud:Draw, and the wait for the frame rate shrinks a little. A capture's own pace varies by about 1 %.
"""
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from truth import Script  # noqa: E402


def capture(seed, after):
    r = random.Random(seed)
    pace = 1 + r.gauss(0, .008)
    s = Script()

    def ns(us):
        return int(1000 * us * pace * (1 + r.gauss(0, .02)))

    for frame in range(12):
        s.now["Worker 1"] = s.now["Main"]
        s.enter("Game:Tick")
        s.work(ns(300))
        for enemy in range(4):
            for _ in range(3 if after else 1):
                s.call("Enemy:Think (int)", ns(110))
        s.enter("World:Draw ()")
        s.work(ns(2100))
        s.call("World:Sort (World/Cell[])", ns(800 if after else 400))
        s.leave()
        s.enter("Hud:Draw ()")
        s.work(ns(240))
        s.call("Hud:Legend ()" if after else "Hud:Frame ()", ns(160 if after else 130))
        for _ in range(6 if after else 1):
            s.alloc("System.String", 48)
        s.leave()
        s.call("System.Threading.Thread:Sleep (int)", ns(700 if after else 820))
        s.call("Jobs:Run ()", ns(1500), "Worker 1")
        s.leave()
    s.enter("Game:Tick")
    return s


def main(gen, folder):
    for k in range(1, 6):
        for name, after in (("before", False), ("after", True)):
            capture(10 * k + after, after).write(gen, os.path.join(folder, "%s-%d.mlpd" % (name, k)))


main(*sys.argv[1:])
