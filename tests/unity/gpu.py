#!/usr/bin/env python3
"""Times of the GPU in Unity's .raw: zones of a thread of their own, named after the samples that gave it the work; frames and what limits them."""
import json
import os
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from pftrace import fields, varint
from raw_log import MAIN, MS, SESSION, Log, sample, thread, zone
from ttc import TRACETOOL, Suite

suite = Suite()
RENDER = 200


def anchor(number):
    return struct.pack("<HI", 53, number)


def gpu(number, us, part):
    return struct.pack("<HIIB", 55, number, us, part)


def pprof_stacks(path):
    """The stacks of a profile, names of functions with the innermost first."""
    with open(path, "rb") as f:
        parts = list(fields(f.read()))
    texts = [v.decode() for n, v in parts if n == 6]
    functions = [dict(fields(v)) for n, v in parts if n == 5]
    name = {f[1]: texts[f[2]] for f in functions}
    stacks = []
    for n, v in parts:
        ids, p = dict(fields(v)).get(1, b"") if n == 2 else b"", 0
        stacks.append([])
        while p < len(ids):
            number, p = varint(ids, p)
            stacks[-1].append(name[number])        # a location and its function have one number
    return stacks


def capture(name, times, wait=15):
    """Frames of 16.7 ms, whose main thread waits ${wait} ms; ${times}[i]: of frame i, (number, us, part) of work that it gave the GPU."""
    c = Log(100, ("Main Thread", "WaitForTargetFPS", "Render Thread", "Camera.Render", "Shadows.Draw"))
    c.block(SESSION, thread(RENDER, 99, "Render Thread"))
    for k in range(len(times) + 2):
        ms = 100 + 16.7 * k
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 0.1, ms + 0.1 + wait) + sample(37, 0, ms + 16.6))
        body = struct.pack("<HIQ", 34, k, int((ms + 0.01) * MS))
        c.block(RENDER, body)
        work = times[k] if k < len(times) else ()
        body = sample(36, 2, ms + 0.1)
        for i, (number, _, _) in enumerate(work):
            at = ms + 1 + i
            body += sample(36, 3 + i % 2, at) + anchor(number) + sample(37, 3 + i % 2, at + 0.5)
        # What the GPU took is known a frame later.
        for number, us, part in times[k - 1] if 0 < k <= len(times) else ():
            body += gpu(number, us, part)
        c.block(RENDER, body + gpu(77777, 5, 0) * (k == 1) + sample(37, 2, ms + 8))
    return c.write(suite.path(name))


ns = lambda ms: round(ms * MS)
path = capture("gpu.raw", [[(1, 4000, 1), (2, 2500, 3)], [(3, 15000, 1)], [(4, 9000, 1), (5, 9000, 9)], [(1, 1000, 7)]])
out = suite.path("gpu.json")
suite.run("convert", path, "-o", out)
with open(out, encoding="utf-8") as f:
    events = json.load(f)["traceEvents"]
tid = [e["tid"] for e in events if e["ph"] == "M" and e["name"] == "thread_name" and e["args"]["name"] == "GPU"]
zones = [(round(e["ts"] * 1000) - 1000, round(e["dur"] * 1000), e["name"], e["cat"], e["args"]) for e in events
         if e["ph"] == "X" and [e["tid"]] == tid and e.get("cat") == "GPU"]
# Each begins with its sample, or where the one before it ends.
suite.equal("zones of the GPU in Chrome JSON", zones, [
    (ns(1), ns(4), "Camera.Render (GPU)", "GPU", {"part": "opaque"}), (ns(5), ns(2.5), "Shadows.Draw (GPU)", "GPU", {"part": "shadows"}),
    (ns(17.7), ns(15), "Camera.Render (GPU)", "GPU", {"part": "opaque"}),
    (ns(34.4), ns(9), "Camera.Render (GPU)", "GPU", {"part": "opaque"}), (ns(43.4), ns(9), "Shadows.Draw (GPU)", "GPU", {"part": "other"}),
    (ns(52.4), ns(1), "Camera.Render (GPU)", "GPU", {"part": "post-process"})])
t = suite.report("stats", path, "--table", "markers,threads,hitches,frame_timings,frame_limits")["tables"]
suite.equal("markers", {r["marker"]: (r["count"], r["total_ns"], r["category"]) for r in t["markers"]["rows"]
                        if r["marker"] == "Shadows.Draw" or "GPU" in r["marker"]},
            {"Camera.Render (GPU)": (4, ns(29), "GPU"), "Shadows.Draw (GPU)": (2, ns(11.5), "GPU"), "Shadows.Draw": (2, ns(1), "Other")})
suite.equal("the GPU is the last thread, and has no id", [(r["thread"], r["busy_ns"], r["calls"], r["tid"]) for r in t["threads"]["rows"]
                                                          if r["number"] == 3], [("GPU", ns(40.5), 6, None)])
suite.equal("others have one", sorted(r["tid"] for r in t["threads"]["rows"] if r["number"] < 3), ["0x64", "0xc8"])
suite.equal("in info as well", [r["tid"] for r in suite.report("info", path)["tables"]["capture_threads"]["rows"]][-1], None)
suite.equal("and in Chrome JSON", [sorted(e["args"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name" and [e["tid"]] == tid],
            [["name"]])
suite.equal("and in CSV", {r["tid"] for r in suite.csv(path) if r["thread"] == "3"}, {""})

# Its time is added to no time of threads.
share = {kind: sum(r["self_share"] for r in t["markers"]["rows"] if (r["category"] == "GPU") == kind) for kind in (False, True)}
suite.true("shares are of threads, or of the GPU", all(abs(s - 100) < 0.2 for s in share.values()), share)
suite.true("of categories as well", abs(sum(r["self_share"] for r in suite.rows("categories", path) if r["category"] != "GPU") - 100) < 0.2)
# The main thread is in zones for 15 ms of each frame; its root is none.
per_frame = {"Other": (5, ns(15)), "GPU": (0, 0)}
suite.equal("per frame", {r["category"]: (r["frames"], r["frame_self_mean_ns"]) for r in suite.rows("categories", path)}, per_frame)
with open(path, "rb") as f:
    piped = subprocess.run([TRACETOOL, "stats", "-", "--format", "json", "--table", "categories"], input=f.read(), capture_output=True, check=True)
suite.equal("and from a pipe", {r["category"]: (r["frames"], r["frame_self_mean_ns"])
                                for r in json.loads(piped.stdout)["tables"]["categories"]["rows"]}, per_frame)
suite.equal("by namespace", [(r["marker"], r["self_ns"]) for r in suite.rows("markers", path, "--group-by", "namespace") if "GPU" in r["marker"]],
            [("(GPU)", ns(40.5))])
first = suite.run(path, "--format", "json")[0]
suite.equal("the first screen has markers of threads", [r["marker"] for r in json.loads(first)["tables"]["capture_markers"]["rows"]],
            ["Camera.Render", "Shadows.Draw"])
out = suite.path("gpu.folded")
suite.run("convert", path, "-o", out)
with open(out, encoding="utf-8") as f:
    suite.equal("in folded stacks", [line for line in f if "(GPU)" in line],
                ["GPU;Camera.Render (GPU) %d\n" % ns(29), "GPU;Shadows.Draw (GPU) %d\n" % ns(11.5)])
out = suite.path("gpu.pb")
suite.run("convert", path, "-o", out)
suite.equal("in pprof", [stack for stack in pprof_stacks(out) if any("(GPU)" in name for name in stack)],
            [["Camera.Render (GPU)", "GPU"], ["Shadows.Draw (GPU)", "GPU"]])
# A frame has what its own samples took, though the GPU did it later.
suite.equal("frames", {r["frame"]: (r["gpu_ns"], r["limit"]) for r in t["hitches"]["rows"]},
            {1: (ns(6.5), "present"), 2: (ns(15), "GPU"), 3: (ns(18), "GPU"), 4: (ns(1), "present"), 5: (None, "unknown")})
suite.equal("timings", [(r["part"], r["count"], r["max_ns"]) for r in t["frame_timings"]["rows"]], [("render", 5, ns(1)), ("gpu", 4, ns(18))])
suite.equal("of the thread alone",
            sorted(r["marker"] for r in suite.rows("markers", path, "--thread", "GPU")), ["Camera.Render (GPU)", "Shadows.Draw (GPU)"])
suite.equal("by frame", [(r["frame"], r["marker"], r["total_ns"]) for r in suite.rows("frame_markers", path, "--thread", "GPU") if r["frame"] < 3],
            [(1, "Camera.Render (GPU)", ns(4)), (1, "Shadows.Draw (GPU)", ns(2.5)), (2, "Camera.Render (GPU)", ns(15))])


def render_bound():
    """Frames of 16.7 ms in which the render thread is at work for different times, and waits; its zones cross blocks, chunks and frames."""
    c = Log(100, ("Main Thread", "WaitForTargetFPS", "Render Thread", "Camera.Render", "Gfx.WaitForPresentOnGfxThread", "Draw"))
    c.block(SESSION, thread(RENDER, 99, "Render Thread"))
    work = [(15, 0), (15, 6), (3, 0), (15, 0), (15.5, 1), (4, 0)]     # ms in zones, and of them in waits
    for k, (busy, idle) in enumerate(work):
        ms = 100 + 16.7 * k
        main = 15.5 if k == 3 else 2
        c.frame(ms, sample(36, 0, ms) + zone(5, ms, ms + main) + zone(1, ms + main, ms + 16.6) + sample(37, 0, ms + 16.7))
        c.block(RENDER, sample(36, 3, ms) + anchor(k) + zone(5, ms + 0.2, ms + 0.3) + (zone(4, ms + 1, ms + 1 + idle) if idle else b""))
        c.block(RENDER, gpu(k, 16000 if k == 4 else 3000, 1) + sample(37, 3, ms + busy))
    ms = 100 + 16.7 * len(work)                    # a zone that lasts three frames, and a wait that lasts one and a half
    for k in range(4):
        c.frame(ms + 16.7 * k, sample(36, 0, ms + 16.7 * k) + zone(1, ms + 16.7 * k + 1, ms + 16.7 * k + 16.6) + sample(37, 0, ms + 16.7 * k + 16.7))
    c.block(RENDER, sample(36, 3, ms) + anchor(99) + sample(36, 4, ms + 1))
    c.block(RENDER, sample(37, 4, ms + 1 + 25) + gpu(99, 1, 1) + sample(37, 3, ms + 3 * 16.7))
    path = c.write(suite.path("render.raw"))
    rows = sorted(suite.rows("hitches", path, "--hitches", "20"), key=lambda r: r["frame"])
    want = [ns(b - i) for b, i in work] + [ns(1), ns(16.7 - 9.3), ns(16.7)]
    got = [r["render_ns"] for r in rows][:len(want)]
    suite.true("work of the render thread", all(abs(a - b) < 3 for a, b in zip(got, want)), (got, want))      # ends of zones are rounded
    suite.equal("what limits a frame", [r["limit"] for r in rows][:6], ["render thread", "present", "present", "CPU", "balanced", "present"])
    with open(path, "rb") as f:
        again = subprocess.run([TRACETOOL, "stats", "--table", "hitches", "--hitches", "20", "--format", "json", "-"], stdin=f, capture_output=True,
                               check=False).stdout
    suite.equal("from a pipe", sorted((r["frame"], r["render_ns"]) for r in json.loads(again)["tables"]["hitches"]["rows"]),
                [(r["frame"], r["render_ns"]) for r in rows])
    for jobs in ("1", "4"):
        part = suite.rows("hitches", path, "--frames", "2", "-j", jobs)
        suite.equal("of one frame alone", [r["render_ns"] for r in part], [got[1]])


def on_demand():
    """A render thread that works in every second frame, and waits in the others: metrics(7) gives these 0."""
    c = Log(100, ("Main Thread", "WaitForTargetFPS", "Render Thread", "Camera.Render", "Gfx.WaitForPresentOnGfxThread", "Draw"))
    c.block(SESSION, thread(RENDER, 99, "Render Thread"))
    for k in range(20):
        ms = 100 + 8 * k
        c.frame(ms, sample(36, 0, ms) + zone(5, ms, ms + 7) + sample(37, 0, ms + 8))
        c.block(RENDER, zone(4, ms, ms + 8) if k % 2 else zone(5, ms, ms + 6))
    path = c.write(suite.path("demand.raw"))
    row = {r["time"]: r for r in suite.rows("frames", path)}["render"]
    n = row["count"]
    suite.equal("frames without work of the render thread", (n in (19, 20), row["median_ns"] in (0, ns(6)), row["max_ns"]), (True, True, ns(6)))
    suite.true("their mean", abs(row["mean_ns"] - ns(6) * ((n + 1) // 2) / n) < 3, row)
    over = [r for r in suite.rows("frame_budgets", path, "--budget", "5") if r["time"] == "render"]
    suite.equal("and their share over a budget", [(r["over"], round(r["over_share"], 1)) for r in over if r["budget"] == "5"],
                [((n + 1) // 2, round(100 * ((n + 1) // 2) / n, 1))])


def streams(frames, ring):
    """Blocks of streams, (number, body), and the work in them, ns by marker: the main thread and the render thread give work, whose numbers are used again
    every ${ring} frames; the render thread, a thread without frames, and the main thread itself have its times two frames later."""
    rng, work, parts = random.Random(frames), {}, {MAIN: [], RENDER: [], 300: []}
    given = []
    for k in range(frames):
        ms, due = 100 + 8 * k, given[k - 2] if k > 1 else []
        mine = [(4 * (k % ring) + i, rng.randrange(1, 900), 3 + i % 2) for i in range(4)]
        given.append(mine)
        send = [b"".join(gpu(n, us, n % 8) for n, us, _ in due if n % 3 == i) for i in range(3)]
        for number, us, m in (x for x in mine if k < frames - 2):
            work[m] = work.get(m, 0) + us * 1000
        give = [sample(36, m, ms + 1 + i) + anchor(n) + sample(37, m, ms + 1.5 + i) for i, (n, _, m) in enumerate(mine)]
        parts[MAIN] += [struct.pack("<HIQ", 34, k, int(ms * MS)), sample(36, 0, ms) + give[0] + give[1], send[0] + sample(37, 0, ms + 7.9)]
        parts[RENDER] += [struct.pack("<HIQ", 34, k, int((ms + 0.1) * MS)), sample(36, 2, ms + 0.1) + give[2] + give[3], send[1], sample(37, 2, ms + 7.9)]
        parts[300] += [send[2], b"".join(zone(5, ms + i / 100, ms + (i + 0.5) / 100) for i in range(700))]
    return {tid: [b for b in bodies if b] for tid, bodies in parts.items()}, work


def figures(out):
    """The rows of each table. Threads are numbered, and counters listed, as they come in the file."""
    return {name: sorted(({k: v for k, v in r.items() if k != "number"} for r in t["rows"]), key=str) for name, t in json.loads(out)["tables"].items()}


def any_order():
    """tracetool-unity-raw(7): blocks of different streams are in any order. All figures are the same."""
    parts, work = streams(240, 16)
    names = ("Main Thread", "WaitForTargetFPS", "Render Thread", "Camera.Render", "Shadows.Draw", "Job")
    rng, tables = random.Random(1), "markers,threads,frames,hitches,frame_timings,frame_limits,counters,frame_counters,categories,loss"
    orders = {"render thread last": [MAIN] * len(parts[MAIN]) + [300] * len(parts[300]) + [RENDER] * len(parts[RENDER]),
              "render thread first": [RENDER] * len(parts[RENDER]) + [300] * len(parts[300]) + [MAIN] * len(parts[MAIN])}
    for i in range(4):
        orders["at random, %d" % i] = rng.sample(orders["render thread last"], len(orders["render thread last"]))
    first = None
    for name, order in orders.items():
        c = Log(100, names)
        c.block(SESSION, thread(RENDER, 99, "Render Thread") + thread(300, 99, "Pool", 1))
        at = dict.fromkeys(parts, 0)
        for tid in order:
            c.block(tid, parts[tid][at[tid]])
            at[tid] += 1
        path = c.write(suite.path("order.raw"))
        suite.true(name + ": the log has several segments", len(c.b) > 3 << 20)
        out, err = suite.run("stats", path, "-v", "--table", tables, "--format", "json")[:2]
        suite.equal(name + ": no time is without a zone", "name no zone" in err, False)
        t = figures(out)
        suite.equal(name + ": work", {r["marker"]: r["total_ns"] for r in t["markers"] if "(GPU)" in r["marker"]},
                    {names[m] + " (GPU)": ns for m, ns in work.items()})
        first = first or t
        suite.equal(name + ": figures of the first order", [k for k in t if t[k] != first[k]], [])
        one = suite.run("stats", path, "-j", "1", "--table", tables, "--format", "json")[0]
        suite.equal(name + ": by one worker", figures(one) == t, True)


def early():
    """A time has no time of its own: it is after the message before it. So the zone may seem to begin after it; not so on the zone's own thread."""
    for name, where, want in (("another thread", RENDER, 3), ("the same thread", MAIN, 0)):
        for swapped in (False, True):
            c = Log(100, ("Main Thread", "Work", "Render Thread", "Camera.Render"))
            c.block(SESSION, thread(RENDER, 99, "Render Thread"))
            for k in range(3):
                ms = 100 + 8 * k
                body = sample(36, 0, ms) + (gpu(k, 1000, 1) if where == MAIN else b"")
                main = body + sample(36, 3, ms + 1) + anchor(k) + sample(37, 3, ms + 2) + sample(37, 0, ms + 7)
                render = sample(36, 2, ms) + (gpu(k, 1000, 1) if where == RENDER else b"") + sample(37, 2, ms + 7)
                for tid, body in ((RENDER, render), (MAIN, main)) if swapped else ((MAIN, main), (RENDER, render)):
                    c.block(tid, struct.pack("<HIQ", 34, k, int(ms * MS)))
                    c.block(tid, body)
            rows = suite.rows("markers", c.write(suite.path("early.raw")))
            suite.equal("%s has the times first, %s" % (name, "and its blocks" if swapped else "not its blocks"),
                        sum(r["count"] for r in rows if "(GPU)" in r["marker"]), want)


def far_anchor():
    """Between the zone and the number of its work may be messages of other kinds: it is the last zone that began."""
    c = Log(100, ("Main Thread", "Work", "Render Thread", "Camera.Render"))
    c.frame(100, sample(36, 0, 100) + sample(36, 1, 101) + zone(3, 102, 103) + struct.pack("<HBI", 57, 0, 7) * 500 + anchor(1) + sample(37, 1, 104) +
            sample(37, 0, 105))
    c.frame(110, sample(36, 0, 110) + gpu(1, 1000, 1) + sample(37, 0, 115))
    rows = suite.rows("markers", c.write(suite.path("far.raw")))
    suite.equal("500 flows between", [(r["marker"], r["total_ns"]) for r in rows if "(GPU)" in r["marker"]], [("Camera.Render (GPU)", ns(1))])


def too_long():
    """A time of the GPU that is longer than what passed from the sample that gave the work until it was told: it is no zone, and that is said."""
    for us in (1200000, 3000000, 67110367, 2 ** 32 - 1):
        path = capture("long.raw", [[(1, 4000, 1)], [(2, us, 1)], [(3, 9000, 1)]])
        t = suite.report("stats", path, "--table", "markers,loss")["tables"]
        suite.equal("%d us: work" % us, [(r["marker"], r["count"], r["total_ns"]) for r in t["markers"]["rows"] if "(GPU)" in r["marker"]],
                    [("Camera.Render (GPU)", 2, ns(13))])
        told = [(r["kind"], r["severity"], r["count"]) for r in t["loss"]["rows"] if r["kind"] != "not_ended"]
        suite.equal("%d us: it is told" % us, told, [("gpu_times", "notice", 1)])
    # Half a second is no longer than an idle thread may need to tell it.
    path = capture("short.raw", [[(1, 500000, 1)]])
    suite.equal("half a second", [r["total_ns"] for r in suite.rows("markers", path) if "(GPU)" in r["marker"]], [ns(500)])


render_bound()
too_long()
on_demand()
any_order()
early()
far_anchor()
got = suite.run("stats", "-v", path)[1]
suite.equal("times of no sample are counted", "1 of 7 times of the GPU name no zone" in got, True)
with open(path, "rb") as f:
    piped = subprocess.run([TRACETOOL, "stats", "--table", "markers,threads,hitches", "--format", "csv", "-"], stdin=f, capture_output=True,
                           check=False).stdout.decode()
suite.equal("from a pipe", piped, suite.run("stats", "--table", "markers,threads,hitches", "--format", "csv", path)[0])
suite.end()
