#!/usr/bin/env python3
"""What the engine measured of frames: which frame a value is about, and what limits the frame, as tracetool-metrics(7) has it."""
import base64
import json
import re
import zlib

from ttc import F64, U64, Capture, Suite

MS = 10 ** 6
suite = Suite()
COUNTERS = {"total": "CPU Total Frame Time", "main": "CPU Main Thread Frame Time", "render": "CPU Render Thread Frame Time",
            "gpu": "GPU Frame Time"}


def game(frames, late=4, record=True, every=16):
    """Frames of ${every} ms, measured as `frames` says; values come `late` frames after the frame they are about."""
    c = Capture()
    keys = {} if record else {k: c.counter(n, unit=1) for k, n in COUNTERS.items()}
    t = c.thread()
    n = len(frames) + late + 1
    for i in range(n):
        at = (1 + every * i) * MS
        t.frame(at)
        if not late <= i < late + len(frames):
            continue
        ms = frames[i - late]
        if record:
            t.timing(at + 1000, late, *(int(ms.get(k, 0) * MS) for k in ("total", "main", "render", "present", "gpu")))
            continue
        for k, key in keys.items():
            t.counter(at + 1000, key, U64, int(ms.get(k, 0) * MS))
    return c


def limits(c, n):
    path = c.write(suite.path("game.ttc"))
    rows = suite.rows("hitches", path, "--hitches", "100")
    return [r["limit"] for r in sorted(rows, key=lambda r: r["frame"])][:n], suite.rows("frame_limits", path)


CASES = [
    ({"total": 16, "main": 15, "render": 4, "gpu": 5}, "main thread"),
    ({"total": 16, "main": 3, "render": 15, "gpu": 5}, "render thread"),
    ({"total": 16, "main": 15, "render": 15, "gpu": 5}, "CPU"),
    ({"total": 16, "main": 3, "render": 4, "gpu": 15}, "GPU"),
    ({"total": 16, "main": 15, "render": 4, "gpu": 15}, "balanced"),
    ({"total": 16, "main": 3, "render": 4, "present": 9, "gpu": 5}, "present"),
    ({"total": 16, "main": 9, "render": 4, "present": 0.4, "gpu": 5}, "balanced"),
    ({"total": 16, "main": 9, "render": 4, "present": 0, "gpu": 5}, "balanced"),
    ({"total": 16, "main": 3, "render": 4, "present": 9}, "unknown"),
    ({"total": 16, "main": 9, "render": 4, "present": 0.1}, "unknown"),
    ({"total": 16, "main": 15, "render": 4}, "unknown"),
    ({"total": 16, "gpu": 15}, "unknown"),
    ({}, "unknown"),
]
BY_COUNTERS = [
    ({"total": 16, "main": 3, "render": 4, "gpu": 5}, "present"),
    ({"total": 16, "main": 15, "render": 4, "gpu": 5}, "main thread"),
    ({"total": 16, "main": 3, "render": 4, "gpu": 15}, "GPU"),
    ({"total": 16, "main": 3, "render": 4}, "unknown"),
    ({"total": 10, "main": 7.6, "render": 2, "gpu": 2}, "present"),
]

for record, cases in ((True, CASES), (False, BY_COUNTERS)):
    got, table = limits(game([ms for ms, _ in cases], record=record), len(cases))
    for (ms, want), by in zip(cases, got):
        suite.equal("%s, %r" % ("a record" if record else "counters", ms), by, want)
    known = [w for _, w in cases if w != "unknown"]
    want = {w: (known.count(w), round(100 * known.count(w) / len(known), 2)) for w in known}
    want["unknown"] = (len(cases) - len(known) + 4, None)       # what the last four frames took never came
    suite.equal("the table", {r["limit"]: (r["count"], r["share"]) for r in table}, want)

# What limits most frames is on the first screen and in the page's verdict, where they miss 60 fps.
for part, name in (("gpu", "GPU"), ("render", "render thread")):
    for every in (16, 22):
        path = game([{"total": every, "main": 5, "render": 4, "gpu": 5, part: every - .5}] * 40, every=every).write(suite.path("limited.ttc"))
        said = " ".join(suite.run(path)[0].split())
        page = suite.path("limited.html")
        suite.run("report", path, "-o", page)
        with open(page, encoding="utf-8") as f:
            verdict = " ".join(re.sub(r"<[^>]*>", "", f.read().split("Verdict</h2>")[1].split("</section>")[0]).split())
        suite.equal("the first screen, %s, %d ms" % (name, every), "limited by the %s in 40 of 44 frames, mean 22.00 ms" % name in said, every == 22)
        suite.equal("the page, %s, %d ms" % (name, every), bool(re.search("Limited by the %s in 40 of 44 frames, mean 22.00.ms" % name, verdict)), every == 22)

# Of the GPU's time alone, as Unity's .data has it: the main thread's own zones tell what it did.
c = Capture()
work, wait, other = c.marker("Update"), c.marker("WaitForTargetFPS"), c.marker("Semaphore.WaitForSignal")
t = c.thread()
OWN = [((15.5, wait, 15), "balanced"), ((15.5, wait, 5), "main thread"), ((3, wait, 15), "GPU"), ((3, wait, 5), "present"), ((3, other, 5), "unknown"),
       ((3, wait, 0), "unknown")]
for i, ((ms, marker, gpu), _) in enumerate(OWN + [((3, wait, 0), "")]):
    at = (1 + 16 * i) * MS
    t.frame(at)
    t.timing(at + 100, 0, gpu=gpu * MS)
    t.zone(at + 1000, at + int(ms * MS), work)
    t.zone(at + int(ms * MS), at + 16 * MS - 1000, marker)
suite.equal("the GPU's time alone", limits(c, len(OWN))[0], [by for _, by in OWN])
suite.equal("parts that no frame has are no rows", [r["part"] for r in suite.rows("frame_timings", c.write(suite.path("gpu.ttc")))], ["gpu"])

# A record may be about a frame however far back: it is no damage, and one of 70,000 frames ago has its frame.
c = Capture()
t = c.thread()
for i in range(70010):
    t.frame(1000 + 100 * i)
    if i in (70003, 70006):
        t.timing(1000 + 100 * i + 10, 70000 if i == 70003 else 2 ** 40, 7 * MS, 1 * MS, 1 * MS, 0, 6 * MS)
    if i % 5000 == 4999:
        t.split(1000 + 100 * i + 50)
path = c.write(suite.path("long.ttc"))
rows = suite.rows("frame_timings", path)
suite.equal("a record of 70,000 frames ago", {r["part"]: (r["count"], r["max_ns"]) for r in rows},
            {"frame": (1, 7 * MS), "main": (1, MS), "render": (1, MS), "gpu": (1, 6 * MS)})
report = suite.report("stats", path, "--frames", "4-4", "--table", "hitches")
suite.equal("is about the fourth frame", [r["gpu_ns"] for r in report["tables"]["hitches"]["rows"]], [6 * MS])
suite.equal("nothing is damaged", [n["id"] for n in report["notes"] if n["severity"] == "error"], [])


def drawn(name, measured):
    """20 frames of 16 ms in which the render thread is in zones for 10; ${measured}: counters of what the engine measured of frames 1 to 17."""
    c = Capture()
    keys = {k: c.counter(COUNTERS[k], unit=1) for k in measured}
    draw, t = c.marker("Camera.Render"), c.thread()
    r = c.thread()
    c.thread_name(r.native, "", "Render Thread")
    for i in range(21):
        at = (1 + 16 * i) * MS
        t.frame(at)
        for k, key in keys.items() if i >= 4 else ():
            t.counter(at + 1000, key, U64, (2 + (i - 4) % 5) * MS + (20 * MS if k == "gpu" and i == 10 else 0))
        r.zone(at + MS, at + 11 * MS, draw)
    return c.write(suite.path(name))


path = drawn("measured.ttc", ("render", "gpu"))
row = [r for r in suite.rows("frames", path) if r["time"] == "render"][0]
suite.equal("what the engine measured of some frames goes for all: the others have no value", [row[k] for k in ("count", "max_ns")], [17, 6 * MS])
suite.equal("the same of its timings", [(r["count"], r["missing"]) for r in suite.rows("frame_timings", path) if r["part"] == "render"], [(17, 3)])
row = [r for r in suite.rows("frames", drawn("zones.ttc", ("gpu",))) if r["time"] == "render"][0]
suite.equal("if it measured none, zones do", [row[k] for k in ("count", "max_ns")], [20, 10 * MS])

# The seventh frame took the GPU longest. Its value comes with the eleventh, where it is a value of four frames before.
suite.equal("the frame that took the GPU longest", [r["frame"] for r in suite.rows("hitches", path) if r["gpu_ns"] == 23 * MS], [7])
suite.run("report", "-q", path, "-o", suite.path("page.html"))
with open(suite.path("page.html"), encoding="utf-8") as f:
    text = re.search('data-facts="[0-9]*">([^<]*)<', f.read()).group(1)
counters = json.loads(zlib.decompress(base64.b64decode(text + "=" * (-len(text) % 4))))[1]
suite.equal("a page says of which frame a late value is", sorted(c[0] for c in counters),
            sorted(COUNTERS[k] + " (of 4 frames before)" for k in ("render", "gpu")))

# Two captures are put on one timeline by their wall clocks, to the ns.
paths = []
for n, wall in enumerate((1700000000123456789, 1700000000123987654)):
    c = Capture(wall_ns=wall, mono_ns=10 ** 12 + n * 10 ** 15, run=b"run %012d" % n)
    t = c.thread()
    t.zone(1000, 2000, c.marker("Start"))
    paths.append(c.write(suite.path("%d.ttc" % n)))
starts = [float(e["ts"]) for e in suite.chrome(*paths, "--align", "wall") if e["name"] == "Start"]
suite.equal("aligned by wall clocks", round(starts[1] - starts[0], 3), 530.865)
suite.end()
