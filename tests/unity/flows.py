#!/usr/bin/env python3
"""Flows as arrows: parallel steps fan out from the step before them and in to the step behind them; others are a chain."""
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import pftrace
from ttc import Capture, Suite

BEGIN, PARALLEL, FINISH, SEQUENTIAL = 0, 1, 2, 3
suite = Suite()


def game(n, workers=3, reuse=True):
    """${n} times: the main thread schedules jobs of all workers and waits for them; the file has the workers first."""
    c = Capture()
    schedule, job, done = c.marker("Schedule"), c.marker("Job"), c.marker("Complete")
    threads = [c.thread() for _ in range(workers)]
    main = c.thread()
    for i in range(n):
        at, flow = 1000 + 10000 * i, 7 if reuse else 7 + i
        main.begin(at, schedule)
        main.flow(at + 10, BEGIN, flow)
        main.end(at + 100)
        for k, t in enumerate(threads):
            t.flow(at + 1000 + k, PARALLEL, flow)
            t.zone(at + 1100 + k, at + 2000, job)
        main.begin(at + 5000, done)
        main.flow(at + 5010, FINISH, flow)
        main.end(at + 5100)
    return c


def arrows(path, *form):
    """What is linked: pairs of (thread, time) in the order in which readers meet steps of one number."""
    found, last = [], {}
    events = [e for e in suite.chrome(path, *form) if e["ph"] in "stf" and e.get("cat") == "flow"]
    for e in sorted(events, key=lambda e: float(e["ts"])):
        at = (e["tid"], round(float(e["ts"]) * 1000))
        if e["ph"] != "s":
            found.append((last[e["id"]], at))
        last[e["id"]] = at
        if e["ph"] == "f":
            del last[e["id"]]
    return found


for reuse in (False, True):
    path = game(60, reuse=reuse).write(suite.path("jobs.ttc"))
    for form in ([], ["--begin-end"]):
        found = arrows(path, *form)
        out = [a for a in found if a[0][0] == 4 and a[1][0] != 4]
        back = [a for a in found if a[0][0] != 4 and a[1][0] == 4]
        suite.equal("60 flows of 3 jobs %s %s" % (reuse, form), (len(out), len(back), len(found)), (180, 180, 360))
        suite.true("each job is started by its own schedule", all(0 < b[1] - a[1] < 5000 for a, b in found), found[:3])
        suite.equal("each job once", len(set(b for _, b in out)), 180)

c = Capture()
marker = c.marker("Step")
a, b = c.thread(), c.thread()
for t, at, kind in ((a, 1000, BEGIN), (b, 2000, SEQUENTIAL), (a, 3000, PARALLEL), (b, 3001, PARALLEL), (a, 4000, SEQUENTIAL),
                    (b, 5000, FINISH)):
    if kind in (PARALLEL, SEQUENTIAL):         # of the zone that begins next
        t.flow(at, kind, 1)
    t.begin(at, marker)
    if kind in (BEGIN, FINISH):
        t.flow(at + 10, kind, 1)
    t.end(at + 500)
path = c.write(suite.path("mixed.ttc"))
suite.equal("steps one after the other, then parallel", len(arrows(path)), 1 + 2 + 2 + 1)


def steps(path, *form):
    """Steps of flows: thread, and the zone they are in, the innermost one, or None. Of begins and ends the file's order tells."""
    zones, stack, found = [], {}, []
    for e in suite.chrome(path, *form):
        at = round(float(e["ts"]) * 1000)
        inside = stack.setdefault(e["tid"], [])
        if e["ph"] == "X":
            zones.append((e["tid"], at, at + round(float(e["dur"]) * 1000), e["name"]))
        elif e["ph"] == "B":
            inside.append(e["name"])
        elif e["ph"] == "E":
            inside.pop()
        elif e["ph"] in "stf":
            found.append((e["tid"], at, inside[-1] if inside else None))

    def zone(tid, at):
        around = [z for z in zones if z[0] == tid and z[1] <= at < max(z[2], z[1] + 1)]
        return max(around, key=lambda z: (z[1], -z[2]))[3] if around else None
    return [(tid, name if "--begin-end" in form else zone(tid, at)) for tid, at, name in found]


c = Capture()
short, update, job = c.marker("Short"), c.marker("Update"), c.marker("Job")
main, worker = c.thread(), c.thread()
main.begin(1000, update)                       # flow 1: from a zone inside another one to a job
main.begin(2000, short)
main.flow(2010, BEGIN, 1)
main.end(2100)
main.end(9000)
worker.flow(3000, SEQUENTIAL, 1)
worker.zone(3001, 8000, job)
main.begin(10000, short)                       # flow 2: from a zone that is alone
main.flow(10050, BEGIN, 2)
main.end(10100)
worker.flow(12000, SEQUENTIAL, 2)
worker.zone(12001, 18000, job)
main.flow(20000, BEGIN, 3)                     # flow 3: from nowhere, so that no other step is linked with the next
worker.flow(22000, SEQUENTIAL, 3)
worker.zone(22001, 28000, job)
path = c.write(suite.path("outside.ttc"))
for form in ([], ["--begin-end"]):
    suite.equal("steps are in zones %s" % form, sorted(steps(path, *form)), [(1, "Short"), (1, "Short"), (2, "Job"), (2, "Job")])
    suite.equal("those of short zones are left out, and what is linked with them alone %s" % form,
                sorted(steps(path, "--min-duration", "500ns", *form)), [])

def steps_pf(path, *form):
    """The same in Perfetto's format: thread and zone, the innermost one that is open."""
    suite.run("convert", "-q", path, *form, "-o", suite.path("out.pftrace"))
    at, found = {}, []
    lines = [re.match(r"(\d+) (\w+) \(thread \d+/(\d+) [^)]*\)(?: '([^']*)')?", line) for line in pftrace.load(suite.path("out.pftrace")).lines()]
    lines = [(int(m[1]), i, m[2], int(m[3]), m[4]) for i, m in enumerate(lines) if m]
    order = {"end": 0, "begin": 1, "legacy": 2}
    tids = sorted({line[3] for line in lines})
    for _, _, what, tid, name in sorted(lines, key=lambda line: (line[0], order.get(line[2], 3), line[1])):
        stack = at.setdefault(tid, [])
        if what == "begin":
            stack.append(name)
        elif what == "end":
            stack.pop()
        elif what == "legacy":
            found.append((tids.index(tid) + 1, stack[-1] if stack else None))
    return found


def check(what, path, want, *form):
    for more in ([], ["--begin-end"]):
        suite.equal("%s, %s" % (what, more), sorted(steps(path, *form, *more)), want)
    suite.equal(what + ", in .pftrace", sorted(steps_pf(path, *form)), want)


# A step of the next zone belongs to that one alone: if it is not shown, to none, not the zone around it, a later one, or one that is over.
def next_zones():
    c = Capture()
    outer, first, job, later, schedule = c.marker("Outer"), c.marker("First"), c.marker("Job"), c.marker("Later"), c.marker("Schedule")
    main, worker = c.thread(), c.thread()
    for at, flow in ((1000, 1), (101000, 2), (201000, 3)):
        main.begin(at, schedule)
        main.flow(at + 10, BEGIN, flow)
        main.end(at + 5000)
    worker.flow(11000, SEQUENTIAL, 1)              # before a job that is alone, and a later zone
    worker.zone(11001, 11100, job)
    worker.zone(15000, 25000, later)
    worker.begin(110000, outer)                    # after a zone, in one
    worker.zone(110100, 115000, first)
    worker.flow(115000, SEQUENTIAL, 2)
    worker.zone(115000, 115100, job)
    worker.zone(116000, 125000, later)
    worker.end(130000)
    worker.zone(210000, 215000, first)             # after a zone, in none
    worker.flow(215000, SEQUENTIAL, 3)
    worker.zone(215000, 215100, job)
    return c.write(suite.path("next.ttc"))


path = next_zones()
check("all are shown", path, [(1, "Schedule")] * 3 + [(2, "Job")] * 3)
for form in (["--min-duration", "1us"], ["--marker", "Outer", "--marker", "First", "--marker", "Later", "--marker", "Schedule"]):
    check("jobs are not shown, %s" % form[0], path, [], *form)
check("one level is", path, [(1, "Schedule")] * 2 + [(2, "Job")] * 2, "--depth", "1")

# The zone begins in the thread's next chunk.
c = Capture()
schedule, first, job, later = c.marker("Schedule"), c.marker("First"), c.marker("Job"), c.marker("Later")
main, worker = c.thread(), c.thread()
main.begin(1000, schedule)
main.flow(1010, BEGIN, 1)
main.end(2000)
worker.begin(3000, first)
worker.flow(4000, SEQUENTIAL, 1)
worker.split(4500)
worker.zone(5000, 6000, job)
worker.end(7000)
worker.zone(8000, 9000, later)
check("in the next chunk", c.write(suite.path("split.ttc")), [(1, "Schedule"), (2, "Job")])



# Filters leave out a step with the zone it is in, or that begins next, and no other: by an oracle that knows the zones. Chunks end anywhere.
def random_game(seed):
    """A capture of three threads, and its steps: thread, kind, flow, and the zone of each: name, duration, zones around it."""
    rng = random.Random(seed)
    c, made, events = Capture(), [], []
    names = ["Alpha", "Beta", "Gamma", "Delta"]
    marker = {n: c.marker(n) for n in names}

    def zone(tid, at, depth):
        """A zone from ${at} on, with zones and steps in it. Returns its end."""
        own, begin = [rng.choice(names), None, depth], at
        if rng.random() < .5:                  # of the next zone
            events.append((at - 2, tid, "flow", rng.choice((PARALLEL, SEQUENTIAL)), (own, at)))
        events.append((at, tid, "begin", own[0], None))
        at += 10
        for _ in range(rng.randint(0, 3)):
            if rng.random() < .4:
                events.append((at, tid, "flow", rng.choice((BEGIN, BEGIN, FINISH)), (own, at)))
                at += 10
            if depth < 3 and rng.random() < .6:
                at = zone(tid, at + 5, depth + 1) + 10
            if rng.random() < .1:
                events.append((at, tid, "split", None, None))
            at += rng.choice((7, 70, 700))
        events.append((at, tid, "end", None, None))
        own[1] = 4 * (at - begin)
        return at
    threads = [c.thread() for _ in range(3)]
    for tid in range(3):
        at = 1000 + tid
        for _ in range(60):
            at = zone(tid, at + 30, 0) + rng.choice((11, 311))
    number = 0
    for at, tid, what, kind, step in sorted(events, key=lambda e: (e[0], e[1])):
        t, at = threads[tid], 4 * at + tid     # no two threads do something at one time
        if what == "begin":
            t.begin(at, marker[kind])
        elif what == "flow":
            number += kind == BEGIN
            t.flow(at, kind, number)
            own, since = step
            made.append((4 * since + tid, tid + 1, kind, number, own))
        else:
            t.split(at) if what == "split" else t.end(at)
    return c.write(suite.path("random.ttc")), sorted(made, key=lambda step: step[0])


def linked(made, keep):
    """The steps that are linked with another: of a flow without parallel ones all of them, if there are two."""
    flows, found = {}, []
    for _, tid, kind, number, own in made:
        if keep(own):
            flows.setdefault(number, [[]])
            if flows[number][-1] and flows[number][-1][-1][1] == FINISH:       # a number is used again after an end
                flows[number].append([])
            flows[number][-1].append((tid, kind, own[0]))
    for chain in (chain for chains in flows.values() for chain in chains):
        before, together = None, []            # parallel steps follow the step before them, and the step after them follows all of them
        ends = []
        if PARALLEL not in [kind for _, kind, _ in chain]:
            found += [(tid, name) for tid, _, name in chain] if len(chain) > 1 else []
            continue
        for step in chain:
            if step[1] == PARALLEL:
                ends += [before, step] if before else []
                together.append(step)
                continue
            for other in together or ([before] if before else []):
                ends += [other, step]
            before, together = step, []
        found += [(tid, name) for tid, _, name in ends]
    return sorted(found)


for seed in range(6):
    path, made = random_game(seed)
    for form, keep in (([], lambda own: True), (["--min-duration", "400ns"], lambda own: own[1] >= 400), (["--depth", "2"], lambda own: own[2] < 2),
                       (["--marker", "Alpha", "--marker", "Gamma"], lambda own: own[0] in ("Alpha", "Gamma")),
                       (["--min-duration", "900ns", "--marker", "?eta", "--marker", "Delta"], lambda own: own[1] >= 900 and own[0] in ("Beta", "Delta"))):
        want = linked(made, keep)
        suite.true("random game %d, %s: some are linked" % (seed, form), len(want) > 20, len(want))
        check("random game %d, %s" % (seed, form), path, want, *form)

# In the next chunk, too, where the zones around end that the first chunk began: their ends stand between zones that began later than they.
def ends_between():
    c = Capture()
    schedule, frame, job = c.marker("Schedule"), c.marker("Frame"), c.marker("Job")
    main, worker = c.thread(), c.thread()
    for at, flow in enumerate(range(8)):
        main.begin(1000 + 10000 * at, schedule)
        main.flow(1010 + 10000 * at, BEGIN, flow)
        main.end(2000 + 10000 * at)
    for _ in range(4):
        worker.begin(500, frame)
    worker.split(600)
    for at in range(8):
        worker.flow(3000 + 10000 * at, SEQUENTIAL, at)
        worker.zone(3050 + 10000 * at, 4000 + 10000 * at, job)
        if at % 2:
            worker.end(5000 + 10000 * at)
    return c


check("after the end of a zone from an earlier chunk", ends_between().write(suite.path("ends.ttc")), [(1, "Schedule")] * 8 + [(2, "Job")] * 8)

# A zone whose caller is not shown, and begins where another one ends, is not inside that.
c = Capture()
first, caller, inner = c.marker("First"), c.marker("Caller"), c.marker("Inner")
main = c.thread()
main.zone(1000, 2000, first)
main.begin(2000, caller)
main.zone(2000, 5000, inner)
main.end(6000)
path = c.write(suite.path("equal.ttc"))
suite.equal("a begin at another one's end", [(e["ph"], round(float(e["ts"]) * 1000)) for e in
                                             suite.chrome(path, "--begin-end", "--marker", "First", "--marker", "Inner")],
            [("B", 1000), ("E", 2000), ("B", 2000), ("E", 5000)])
suite.end()
