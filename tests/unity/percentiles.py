#!/usr/bin/env python3
"""--percentiles unity against the rules of Unity's Profile Analyzer, from durations that the test makes; and phases of the PlayerLoop."""
import random

from ttc import U64, Capture, Suite

US = 10 ** 3
suite = Suite()


def game(n, seed):
    """Frames with a marker in each, one in each third, and one in none but the first: durations in ns by marker, 0 where it does not run."""
    rng = random.Random(seed)
    c = Capture()
    names = ["Update.ScriptRunBehaviourUpdate", "Rare", "Once", "PostLateUpdate.FinishFrameRendering", "UpdateRegions"]
    keys = [c.marker(name) for name in names]
    timing = c.counter("CPU Total Frame Time", unit=1)
    t = c.thread()
    at, frames, spent = 1000, [], {name: [] for name in names}
    for i in range(n + 1):
        t.frame(at)
        t.counter(at, timing, U64, frames[i - 4] if i >= 4 else 0)
        now = at + 10
        if i == n:
            break
        for k, name in enumerate(names):
            runs = (True, i % 3 == 1, i == 0, i % 2 == 0, True)[k]
            dur = rng.randrange(1, 900 * US) if runs else 0
            if runs:
                t.zone(now, now + dur, keys[k])
            spent[name].append(dur)
            now += dur + 10
        frames.append(now + rng.randrange(1, 9000 * US) - at)
        at += frames[-1]
    return c.write(suite.path("game.ttc")), frames, spent


def mean(values, n):
    return (2 * sum(values) + n) // (2 * n)


def by_place(values, p):
    return sorted(values)[int((len(values) - 1) * p / 100)]


for n in (1, 2, 3, 10, 37, 100, 101, 250):
    path, frames, spent = game(n, n)
    row = [r for r in suite.rows("frames", path, "--percentiles", "unity") if r["time"] == "wall"][0]
    suite.equal("percentiles of %d frames" % n, [row["median_ns"], row["p90_ns"], row["p95_ns"], row["p99_ns"], row["max_ns"], row["mean_ns"]],
                [by_place(frames, p) for p in (50, 90, 95, 99)] + [max(frames), mean(frames, n)])
    if n > 3:
        row = [r for r in suite.rows("frame_timings", path, "--percentiles", "unity") if r["part"] == "frame"][0]
        known = frames[:n - 3]
        suite.equal("percentiles of measurements of %d frames" % n, [row["median_ns"], row["p95_ns"], row["p99_ns"]],
                    [by_place(known, p) for p in (50, 95, 99)])
    rows = {r["marker"]: r for r in suite.rows("markers", path, "--percentiles", "unity")}
    present = {m: [d for d in v if d] for m, v in spent.items()}
    suite.equal("means over the frames in which a marker runs, of %d" % n, {m: (r["frame_mean_ns"], r["frames"]) for m, r in rows.items()},
                {m: (mean(v, len(v)), len(v)) for m, v in present.items() if v})
    rows = {r["marker"]: r for r in suite.rows("markers", path, "--percentiles", "nearest")}
    suite.equal("means over all of %d frames" % n, {m: r["frame_mean_ns"] for m, r in rows.items()},
                {m: mean(v, n) for m, v in spent.items() if any(v)})
    steps = {"Update": spent["Update.ScriptRunBehaviourUpdate"], "PostLateUpdate": spent["PostLateUpdate.FinishFrameRendering"]}
    suite.equal("phases of %d frames" % n, [(r["phase"], r["mean_ns"], r["count"]) for r in suite.rows("frame_phases", path)],
                [(p, mean(v, n), sum(1 for d in v if d)) for p, v in steps.items()])
suite.end()
