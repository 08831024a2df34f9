#!/usr/bin/env python3
"""Flows as arrows: parallel steps fan out from the step before them and in to the step behind them; others are a chain."""
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
    t.begin(at, marker)
    t.flow(at + 10 if kind in (BEGIN, FINISH) else at, kind, 1)
    t.end(at + 500)
path = c.write(suite.path("mixed.ttc"))
suite.equal("steps one after the other, then parallel", len(arrows(path)), 1 + 2 + 2 + 1)


def steps(path, *form):
    """Steps of flows by thread and time in ns, each with the zone it is in, the innermost one that is written, or None."""
    events = suite.chrome(path, *form)
    zones, stack = [], {}
    for e in events:
        at = round(float(e["ts"]) * 1000)
        if e["ph"] == "X":
            zones.append((e["tid"], at, at + round(float(e["dur"]) * 1000), e["name"]))
        elif e["ph"] == "B":
            stack.setdefault(e["tid"], []).append((at, e["name"]))
        elif e["ph"] == "E":
            zones.append((e["tid"], stack[e["tid"]][-1][0], at, stack[e["tid"]].pop()[1]))
    def zone(tid, at):
        around = [z for z in zones if z[0] == tid and z[1] <= at <= z[2]]
        return max(around, key=lambda z: (z[1], -z[2]))[3] if around else None
    return [(e["tid"], zone(e["tid"], round(float(e["ts"]) * 1000))) for e in events if e["ph"] in "stf"]


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
main.flow(20000, BEGIN, 3)                     # flow 3: from nowhere
worker.flow(22000, SEQUENTIAL, 3)
worker.zone(22001, 28000, job)
path = c.write(suite.path("outside.ttc"))
for form in ([], ["--begin-end"]):
    suite.equal("steps are in zones %s" % form, sorted(steps(path, *form)), [(1, "Short"), (1, "Short"), (2, "Job"), (2, "Job"), (2, "Job")])
    suite.equal("and in those that are written %s" % form, sorted(steps(path, "--min-duration", "500ns", *form)),
                [(1, "Update"), (2, "Job"), (2, "Job"), (2, "Job")])

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
