#!/usr/bin/env python3
"""The gate's figures are those of the tables: every metric and statistic of captures of testdata, as a baseline holds
them, against what `tracetool stats` prints (whose tables the oracle tests hold against other readers), and against
sums made here from the events as CSV.
"""
import csv
import io
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "unity"))
import ttc
from count import check, end
from suite import TESTDATA, TRACETOOL

FOLDER = os.environ.get("TMPDIR", "/tmp")


def near(name, have, want, by=0.0006):
    check(have is want is None or have is not None and want is not None and abs(have - want) <= by + abs(want) * 1e-9, name, have, "not", want)


def run(*args):
    r = subprocess.run([TRACETOOL] + list(args), capture_output=True, text=True, errors="surrogateescape")
    if r.returncode not in (0, 1, 5):
        raise RuntimeError("%s: %d: %s" % (" ".join(args), r.returncode, r.stderr))
    return r.stdout


def gate_values(capture, rows, options, **more):
    """All figures of one capture, by key; ${more} is for the budget."""
    budget, base = os.path.join(FOLDER, "metrics-budget.json"), os.path.join(FOLDER, "metrics-base.json")
    with open(budget, "w") as f:
        json.dump(dict({"tracetool_budget": 1, "integrity": {"level": "off"}, "rows": [
            dict({"id": str(i), "max": r.pop("max", "1s")}, **r) for i, r in enumerate(rows)] +
            [{"id": "on", "metric": "lost.events", "max": 1000000}]}, **more), f)
    run("stats", "--gate", budget, "--save", base, "--inconclusive", "pass", capture, *options)
    return json.load(open(base))["sessions"][0]["captures"][0]["values"]


def rows_of(metric, stats, **keys):
    return [dict({"metric": metric, "stat": s}, **keys) for s in stats.split()]


def events(capture, options):
    return list(csv.DictReader(io.StringIO(run("convert", "-q", "-f", "csv", "-o", "-", capture, *options))))


def nearest(values, p):
    return sorted(values)[max(math.ceil(len(values) * p) - 1, 0)] if values else None


def over_time(capture, v, options):
    """With one bucket of all time, --metric has the gate's figures per frame."""
    keys = [k for k in v if k.endswith(".per_frame.mean") and not isinstance(v[k], dict)]
    rows = json.loads(run("stats", "-q", capture, "--limit", "0", "--format", "json", "--buckets", "1",
                          *[w for k in keys for w in ("--metric", k)], *options))["tables"]["timeline_metrics"]["rows"]
    check(len(rows) == len(keys) > 5, "figures per frame", len(rows), keys)
    for r in rows:
        near("%s: --metric %s" % (os.path.basename(capture), r["metric"]), r["value"], v[r["metric"]], 0.51 if r["unit"] in ("ns", "bytes") else 0.0051)


def compare(capture, marker, category, thread, counter, options):
    rows = rows_of("marker.time", "per_frame.mean per_frame.max total mean median p95 p99 max min", marker=marker)
    rows += rows_of("marker.self", "per_frame.mean total", marker=marker)
    rows += [dict(r, max=1) for r in rows_of("marker.count", "total per_frame.mean", marker=marker)]
    rows += rows_of("category.time", "per_frame.mean per_frame.median per_frame.p95 per_frame.max total", category=category)
    rows += rows_of("thread.time", "total per_frame.mean", thread=thread)
    rows += [dict(r, max=0) for r in rows_of("counter", "max min mean last", counter=counter)] if counter else []
    rows += [dict(r, max=1) for r in rows_of("frame.over", "count per_1000", limit="0.4ms")]
    v = gate_values(capture, rows, options)
    tables = json.loads(run("stats", capture, "--limit", "0", "--format", "json", "--budget", "0.4", *options))["tables"]
    f = tables["frames"]["rows"][0]
    n = f["count"]
    for stat, column in (("mean", "mean_ns"), ("median", "median_ns"), ("stddev", "stddev_ns"), ("p90", "p90_ns"),
                         ("p95", "p95_ns"), ("p99", "p99_ns"), ("p99.9", "p999_ns"), ("max", "max_ns")):
        near("frame.time." + stat, v["frame.time." + stat], f[column], 0.5)
    near("frame.fps.mean", v["frame.fps.mean"], f["fps"])
    near("frame.fps.low_1", v["frame.fps.low_1"], f["low_1_fps"])
    near("frame.count", v["frame.count.total"], n)
    over = [b for b in tables["frame_budgets"]["rows"] if b["time"] == "wall" and b["budget"] == "0.4"][0]["over"]
    near("frame.over", v["frame.over[400000ns].count"], over)
    near("frame.over per 1000", v["frame.over[400000ns].per_1000"], over * 1000 / n)
    g = tables["gcalloc"]["rows"][0]
    for key, column in (("gc.alloc.bytes.total", "bytes"), ("gc.alloc.count.total", "count"),
                        ("gc.alloc.bytes.per_frame.median", "frame_median_bytes"),
                        ("gc.alloc.bytes.per_frame.p95", "frame_p95_bytes"),
                        ("gc.alloc.bytes.per_frame.max", "frame_max_bytes"),
                        ("gc.alloc.count.per_frame.median", "frame_median_count"),
                        ("gc.collections.total", "collections"), ("gc.pause.total", "pause_ns"),
                        ("gc.time.total", "collection_ns"), ("gc.pause.count.total", "pauses"),
                        ("gc.pause.max", "pause_max_ns"), ("gc.stopped.total", "stopped_ns"),
                        ("gc.stopped.max", "stopped_max_ns"), ("heap.size.max", "heap_max_bytes"),
                        ("heap.size.last", "heap_last_bytes")):
        near(key, v[key] if not isinstance(v[key], dict) else v[key].get("value"), g[column])
    near("pause mean", v["gc.pause.mean"], g["pause_ns"] / max(g["pauses"], 1))
    near("pause per frame", v["gc.pause.per_frame.mean"], g["pause_ns"] / n)
    near("frames that allocate", v["gc.alloc.frames.per_1000"], 1000 - 10 * g["zero_frames_share"], 0.06)
    m = [r for r in tables["markers"]["rows"] if r["marker"] == marker][0]
    for stat, column in (("total", "total_ns"), ("mean", "mean_ns"), ("median", "median_ns"), ("p95", "p95_ns"),
                         ("p99", "p99_ns"), ("max", "max_ns"), ("min", "min_ns"), ("per_frame.mean", "frame_mean_ns"),
                         ("per_frame.max", "frame_max_ns")):
        near("marker.time." + stat, v["marker.time[%s].%s" % (marker, stat)], m[column], 0.5)
    near("marker.self", v["marker.self[%s].total" % marker], m["self_ns"])
    near("marker.count", v["marker.count[%s].total" % marker], m["count"])
    frames = json.loads(run("stats", "-q", capture, "--limit", "0", "--format", "json", "--table", "frame_markers,frame_threads", *options))["tables"]
    near("marker.count per frame", v["marker.count[%s].per_frame.mean" % marker],
         sum(r["count"] for r in frames["frame_markers"]["rows"] if r["marker"] == marker) / n)
    c = [r for r in tables["categories"]["rows"] if r["category"] == category][0]
    for stat, column in (("total", "self_ns"), ("per_frame.mean", "frame_self_mean_ns"), ("per_frame.max", "frame_self_max_ns"),
                         ("per_frame.median", "frame_self_median_ns"), ("per_frame.p95", "frame_self_p95_ns")):
        near("category.time." + stat, v["category.time[%s].%s" % (category, stat)], c[column], 0.5)
    busy = sum(r["busy_ns"] for r in tables["threads"]["rows"] if r["thread"] == thread)
    near("thread.time", v["thread.time[%s].total" % thread], busy)
    near("thread.time per frame", v["thread.time[%s].per_frame.mean" % thread],
         sum(r["busy_ns"] for r in frames["frame_threads"]["rows"] if r["thread"] == thread) / n)
    over_time(capture, v, options)
    lost = sum(r["count"] or 1 for r in tables["loss"]["rows"] if r["severity"] in ("loss", "error")) if "loss" in tables else 0
    near("lost.events", v["lost.events.total"], lost)
    if counter:
        k = [r for r in tables["counters"]["rows"] if r["counter"] == counter][0]
        for stat, column in (("max", "max"), ("min", "min"), ("mean", "mean"), ("last", "last")):
            have = v["counter[%s].%s" % (counter, stat)]
            near("counter." + stat, have["value"] if isinstance(have, dict) else have, k[column], 0.51)
    return v


def against_events(capture, options, marker):
    """Sums and quantiles made here."""
    v = compare(capture, marker, "GameLoop", "GameThread", None, options)
    rows = events(capture, options)
    kinds = {r["kind"] for r in rows}
    check(kinds, "there are events", kinds)
    begins = sorted(int(r["start_ns"]) for r in rows if r["kind"] == "zone" and r["name"] == "World:Frame")
    frames = [b - a for a, b in zip(begins, begins[1:])]
    near("frames from events", v["frame.count.total"], len(frames))
    near("mean from events", v["frame.time.mean"], sum(frames) / len(frames))
    for stat, p in (("median", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("max", 1)):
        near(stat + " from events", v["frame.time." + stat], nearest(frames, p))
    inner = sorted(frames)[len(frames) // 20:len(frames) - len(frames) // 20]
    near("trimmed from events", v["frame.time.trimmed"], sum(inner) / len(inner))


def counters(capture, names):
    rows = []
    for name in names:
        rows += [dict(r, max="100%") for r in rows_of("counter", "max min mean last", counter=name)]
    for r in rows:
        r["level"] = "off"
    v = gate_values(capture, rows, [])
    table = json.loads(run("stats", capture, "--table", "counters", "--limit", "0", "--format", "json"))["tables"]["counters"]
    for name in names:
        k = [r for r in table["rows"] if r["counter"] == name][0]
        for stat in ("max", "min", "mean", "last"):
            have = v["counter[%s].%s" % (name, stat)]
            near("counter %s.%s" % (name, stat), have["value"] if isinstance(have, dict) else have, k[stat], 0.51)


def now_and_then():
    """What is neither call nor frame, in captures that have it, and in one that does not record it."""
    limits = {"ns": "1s", "bytes": "1KiB", "number": 1}
    ask = [dict(r, max=limits[unit]) for metric, unit, stats in (
        ("gc.collections.gen0", "number", "total"), ("gc.collections.gen1", "number", "total"),
        ("gc.time.gen0", "ns", "total mean max"), ("gc.time.gen1", "ns", "total mean max"),
        ("exceptions", "number", "total"), ("contention.count", "number", "total"), ("contention.wait", "ns", "total mean p95 max"),
        ("samples", "number", "total"), ("handles", "number", "last total"), ("finalizers", "number", "total"),
        ("finalizers.time", "ns", "total mean max"), ("heapshot.bytes", "bytes", "last max"), ("heapshot.objects", "number", "last max"),
        ("jit.methods", "number", "total"), ("jit.code", "bytes", "total")) for r in rows_of(metric, stats)]
    names = ["gc_generations", "exceptions", "contention", "sample_threads", "handles", "finalizers", "heapshots", "jit"]
    seen = set()
    for capture in ("d01-gameloop-calls-alloc", "d02-gameloop-sample", "d04-exceptions", "d05-monitors", "d06-gcmoves-handles", "d07-heapshot",
                    "d09-names-unicode-jit"):
        capture = os.path.join(TESTDATA, "mlpd", "good-%s.mlpd" % capture)
        v = gate_values(capture, [dict(r) for r in ask], [])
        t = {k: w["rows"] for k, w in json.loads(run("stats", capture, "--limit", "0", "--format", "json", "--table", ",".join(names)))["tables"].items()}
        want = {}
        for r in t.get("gc_generations", []):
            key = ".gen%d." % r["generation"]
            want.update({"gc.collections" + key + "total": r["count"], "gc.time" + key + "total": r["total_ns"],
                         "gc.time" + key + "mean": r["mean_ns"], "gc.time" + key + "max": r["max_ns"]})
        if t.get("exceptions"):
            want["exceptions.total"] = sum(r["count"] for r in t["exceptions"])
        for r in t.get("contention", []):
            want.update({"contention.count.total": r["contended"], "contention.wait.total": r["wait_ns"], "contention.wait.mean": r["mean_ns"],
                         "contention.wait.p95": r["p95_ns"], "contention.wait.max": r["max_ns"]})
        if t.get("sample_threads"):
            want["samples.total"] = sum(r["samples"] for r in t["sample_threads"])
        if t.get("handles"):
            want.update({"handles.last": sum(r["live"] for r in t["handles"]), "handles.total": sum(r["created"] for r in t["handles"])})
        for r in t.get("finalizers", []):
            if r["what"] == "object":
                want.update({"finalizers.total": r["count"], "finalizers.time.total": r["total_ns"], "finalizers.time.mean": r["mean_ns"],
                             "finalizers.time.max": r["max_ns"]})
        whole = [r for r in t.get("heapshots", []) if r["complete"]]
        if whole:
            want.update({"heapshot.bytes.last": whole[-1]["bytes"], "heapshot.bytes.max": max(r["bytes"] for r in whole),
                         "heapshot.objects.last": whole[-1]["objects"], "heapshot.objects.max": max(r["objects"] for r in whole)})
        for r in t.get("jit", []):
            if r["with_code"]:
                want.update({"jit.methods.total": r["with_code"], "jit.code.total": r["code_bytes"]})
        for key, w in want.items():
            near(os.path.basename(capture) + ": " + key, v[key], w, 0.51)
        seen |= {k for k, w in want.items() if w}
        # What is in no table is 0 or not known, and then there is the reason.
        for key in {"%s.%s" % (r["metric"], r["stat"]) for r in ask} - set(want):
            check(v[key] == 0 or v[key].get("missing"), "%s: %s without a table" % (capture, key), v[key])
        if "d01" in capture:
            check(all("record" in v[k]["missing"] for k in ("exceptions.total", "contention.wait.total", "handles.last", "finalizers.total")),
                  "what was not recorded is not 0", v)
    check(len(seen) == len(ask), "every metric was seen", {"%s.%s" % (r["metric"], r["stat"]) for r in ask} - seen)


def shots():
    """Two heap shots, of which the first is the largest: last and max tell them apart."""
    c = ttc.Capture(producer="tracetool Mono module", args="heapshot")
    cls, t = c.new_key(), c.thread()
    c.record(76, ttc.varint(0) + ttc.varint(cls) + bytes([0]) + ttc.varint(0) + ttc.text("Node") + ttc.text(""))
    for number, (at, sizes) in enumerate(((1000, (100, 200, 300)), (9000, (50, 70))), 1):
        last_class, objects = 0, b""
        for size in sizes:
            objects += ttc.zigzag(8) + ttc.zigzag(cls - last_class) + ttc.varint(size) + ttc.varint(0) * 2
            last_class = cls
        t.other(at, 29, bytes([0]) + ttc.varint(number))
        t.other(at + 10, 30, objects)
        t.other(at + 20, 29, bytes([1]) + ttc.varint(number) + ttc.varint(len(sizes)) + ttc.varint(sum(sizes)))
    path = c.write(os.path.join(FOLDER, "shots.ttc"))
    rows = [dict(r, max="1KiB") for r in rows_of("heapshot.bytes", "last max")] + [dict(r, max=1) for r in rows_of("heapshot.objects", "last max")]
    v = gate_values(path, rows, [])
    for key, want in (("bytes.last", 120), ("bytes.max", 600), ("objects.last", 2), ("objects.max", 3)):
        near("shots: heapshot." + key, v["heapshot." + key], want)


def skipped(capture, marker, options):
    """A budget that skips until a marker begins has the figures of the time from there on."""
    first = min(int(r["start_ns"]) for r in events(capture, options) if r["name"] == marker)
    rows = rows_of("marker.self", "total", marker="World:*") + rows_of("category.time", "per_frame.mean", category="GameLoop")
    v = gate_values(capture, [dict(r) for r in rows], options, skip={"until_marker": marker})
    w = gate_values(capture, [dict(r) for r in rows], options + ["--time", "%d.%09d-" % divmod(first, 10**9)])
    check(v == w and v["gc.alloc.bytes.total"] > 0, "until_marker", v, w)
    n = gate_values(capture, [], options)["gc.alloc.bytes.total"]
    check(v["gc.alloc.bytes.total"] < n, "until_marker leaves something out", v["gc.alloc.bytes.total"], n)


def skipped_frames(capture, marker, options):
    """A budget that skips frames leaves out what is before the first other one, and nothing at the end."""
    begins = sorted(int(r["start_ns"]) for r in events(capture, options) if r["name"] == marker)
    rows = rows_of("marker.self", "total", marker="*") + rows_of("thread.time", "total per_frame.mean", thread="*")
    v = gate_values(capture, [dict(r) for r in rows], options, skip={"frames": 10})
    w = gate_values(capture, [dict(r) for r in rows], options + ["--time", "%d.%09d-" % divmod(begins[10], 10**9)])
    check(v == w, "frames", {k: (v[k], w[k]) for k in v if v[k] != w[k]})
    x = gate_values(capture, rows, options + ["--frames", "11-"])
    check(v["frame.count.total"] == x["frame.count.total"] == len(begins) - 11, "frames that are left", v["frame.count.total"], len(begins))
    check(v["marker.self[*].total"] > x["marker.self[*].total"], "what follows the last frame", v["marker.self[*].total"], x["marker.self[*].total"])


def skipped_to_instant(capture):
    """The marker may be an instant: calls that begin then or later are counted."""
    rows = events(capture, [])
    first = {}
    for r in rows:
        if r["kind"] in ("zone", "instant"):
            first[r["name"]] = min(first.get(r["name"], (1 << 62, "")), (int(r["start_ns"]), r["kind"]))
    name = max((at, n) for n, (at, kind) in first.items() if kind == "instant")[1]
    v = gate_values(capture, rows_of("marker.count", "total", marker="*", max=1), [], skip={"until_marker": name})
    near("until an instant", v["marker.count[*].total"], sum(r["kind"] == "zone" and int(r["start_ns"]) >= first[name][0] for r in rows))


def all_metrics():
    """Rows of every metric and statistic there is, about whatever there is."""
    limits = {"ns": "1s", "bytes": "1KiB", "fps": "1fps", "percent": "1%"}
    rows = []
    for m in json.loads(run("list", "gate", "--format", "json"))["tables"]["gate"]["rows"]:
        keys = {m["needs"]: "1ms" if m["needs"] == "limit" else "*"} if m["needs"] else {}
        for r in rows_of(m["metric"], m["stats"], **keys):
            r["id"] = str(len(rows))
            r["min" if m["unit"] == "fps" else "max"] = 1 if r["stat"] == "count" else limits.get(m["unit"], 1)
            rows.append(r)
    return rows


def without_frames(capture):
    """No frames: all that is about frames says why there is no figure, and the rest is there."""
    budget, base = os.path.join(FOLDER, "metrics-budget.json"), os.path.join(FOLDER, "metrics-base.json")
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": all_metrics()}, f)
    run("stats", "--gate", budget, "--save", base, "--inconclusive", "pass", capture)
    v = json.load(open(base))["sessions"][0]["captures"][0]["values"]
    of_frames = [k for k in v if k.startswith("frame.") and k != "frame.count.total" or ".per_frame." in k or k.endswith("per_1000") or
                 k.endswith("alloc.frames.count")]
    check(len(of_frames) > 60, "there are figures of frames", len(of_frames))
    for k in of_frames:
        why = v[k].get("missing", "") if isinstance(v[k], dict) else ""
        check(re.match("no whole frame|no allocation was|no collection|.* not recorded|no sample", why), "%s: %s without frames" % (capture, k), v[k])
    near("frames there are none", v["frame.count.total"], 0)
    waited = v["contention.wait.total"]
    waited = 0 if isinstance(waited, dict) else waited
    check(v["marker.count[*].total"] > 0, "calls are there", v)
    near(capture + ": a thread is busy or waits for a lock", v["thread.time[*].total"] > 0, waited == 0)


def several(capture, options):
    """A pattern that several markers and categories match: sums of what adds up, the largest of any, and nothing else."""
    rows = rows_of("category.time", "per_frame.mean per_frame.median per_frame.p95 per_frame.max total", category="*")
    rows += rows_of("category.time", "per_frame.mean per_frame.median per_frame.p95 per_frame.max total", category="GC")
    rows += rows_of("category.time", "per_frame.mean per_frame.median per_frame.max total", category="no such")
    for metric in ("marker.time", "marker.self"):
        rows += rows_of(metric, "per_frame.mean per_frame.max", marker="Emitter:*")
    rows += [dict(r, max=1) for r in rows_of("marker.count", "total per_frame.mean per_frame.max", marker="Emitter:*")]
    rows += rows_of("marker.time", "max min", marker="Emitter:*")
    rows += rows_of("marker.time", "total median max", marker="no such")
    rows += rows_of("thread.time", "total per_frame.mean", thread="*")
    v = gate_values(capture, rows, options)
    t = {k: x["rows"] for k, x in json.loads(run("stats", capture, "--limit", "0", "--format", "json", *options))["tables"].items()}
    c = t["categories"]
    near("category means add up", v["category.time[*].per_frame.mean"], sum(r["frame_self_mean_ns"] for r in c), len(c))
    near("category totals add up", v["category.time[*].total"], sum(r["self_ns"] for r in c))
    for stat in ("median", "p95", "max"):
        check("several categories" in v["category.time[*].per_frame." + stat]["missing"], "quantiles of several", v)
        near("a category outside frames", v["category.time[GC].per_frame." + stat], 0)
    for stat in ("mean", "median", "max"):
        check("no category" in v["category.time[no such].per_frame.%s" % stat]["absent"], "no category", v)
    e = [r for r in t["markers"] if r["marker"].startswith("Emitter:")]
    check(len(e) > 1, "several markers", e)
    near("largest of any", v["marker.time[Emitter:*].per_frame.max"], max(r["frame_max_ns"] for r in e))
    check(0 < v["marker.self[Emitter:*].per_frame.max"] <= v["marker.time[Emitter:*].per_frame.max"], "self time is part of the whole", v)
    near("calls add up", v["marker.count[Emitter:*].total"], sum(r["count"] for r in e))
    near("longest of any", v["marker.time[Emitter:*].max"], max(r["max_ns"] for r in e))
    near("shortest of any", v["marker.time[Emitter:*].min"], min(r["min_ns"] for r in e))
    for stat in ("total", "median", "max"):
        check("no marker" in v["marker.time[no such].%s" % stat].get("missing", v["marker.time[no such].%s" % stat].get("absent")), "no marker", v)
    near("busy threads add up", v["thread.time[*].total"], sum(r["busy_ns"] for r in t["threads"]))


def without_waits(capture, options):
    """Busy time per frame does not depend on whether waits are left out."""
    rows, key = rows_of("thread.time", "per_frame.mean", thread="*"), "thread.time[*].per_frame.mean"
    v, w = (gate_values(capture, [dict(r) for r in rows], options + more)[key] for more in ([], ["--no-wait"]))
    check(v == w > 0, "busy time without waits", v, w)


def several_counters(capture):
    rows = [dict(r, max=0, level="off") for p in ("MonoMethod*", "*", "no such") for r in rows_of("counter", "max min mean last", counter=p)]
    v = gate_values(capture, rows, [])
    t = json.loads(run("stats", capture, "--table", "counters", "--limit", "0", "--format", "json"))["tables"]["counters"]["rows"]
    k = [r for r in t if r["counter"].startswith("MonoMethod")]
    check(len(k) > 1, "several counters", k)
    near("max of counters", v["counter[MonoMethod*].max"], max(r["max"] for r in k))
    near("min of counters", v["counter[MonoMethod*].min"], min(r["min"] for r in k))
    for p in ("MonoMethod*", "*"):
        for stat in ("mean", "last"):
            several = "several units" if p == "*" else "several counters"
            check(several in v["counter[%s].%s" % (p, stat)]["missing"], "means of several counters", v)
    check("no counter" in v["counter[no such].max"]["missing"], "no counter", v["counter[no such].max"])


if __name__ == "__main__":
    d01 = os.path.join(TESTDATA, "mlpd", "good-d01-gameloop-calls-alloc.mlpd")
    against_events(d01, ["--frame-marker", "World:Frame"], "World:Physics")
    compare(d01, "Emitter:Tick", "GameLoop", "Finalizer", None, ["--frame-marker", "World:Frame", "--frames", "5-"])
    compare(os.path.join(TESTDATA, "gate", "good-spin1.ttc.xz"), "Game:Spin", "Gate", "Main", None, [])
    counters(os.path.join(TESTDATA, "mlpd", "good-d10-counters-zip.mlpd"), ["System Time", "MonoMethod size", "Inflated methods size", "Collection max time"])
    marks = ["--frame-marker", "World:Frame"]
    rows = rows_of("frame.time", "mean max") + rows_of("marker.time", "per_frame.mean", marker="World:Frame")
    plain = gate_values(d01, [dict(r) for r in rows], marks)
    for thread in ("GameThread", "Game*"):
        check(gate_values(d01, [dict(r) for r in rows], marks + ["--frame-thread", thread]) == plain, "frames of " + thread)
    without_frames(d01)
    without_frames(os.path.join(TESTDATA, "mlpd", "good-d05-monitors.mlpd"))
    several(d01, ["--frame-marker", "World:Frame"])
    without_waits(d01, ["--frame-marker", "World:Frame"])
    without_waits(os.path.join(TESTDATA, "capture", "good-rotated.2.ttc.xz"), ["--frame-marker", "Gfx.PresentFrame"])
    several_counters(os.path.join(TESTDATA, "mlpd", "good-d10-counters-zip.mlpd"))
    now_and_then()
    shots()
    skipped(d01, "World:Physics", ["--frame-marker", "World:Frame"])
    skipped_frames(d01, "World:Frame", ["--frame-marker", "World:Frame"])
    skipped_to_instant(os.path.join(TESTDATA, "capture", "good-v1.0-every-kind.ttc"))
    end()
