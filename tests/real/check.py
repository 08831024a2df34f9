#!/usr/bin/env python3
"""Captures that strangers made: every table, every emitter and the report page, against totals that were counted by other readers.

They are read from the folder that TT_REAL names, or ../shared/corpus/real; their licence is unknown, so they are no part of the project. Where a capture is not
there, it is left out. A capture may be packed: NAME or NAME.xz.

The totals of Unity's two captures are those of two readers written by others from the same descriptions, those of Mono's are mprof-report's.
"""
import json
import lzma
import os
import subprocess
import sys

sys.path[:0] = ["tests/kit", "tests/unity"]
from suite import TRACETOOL, Suite

FOLDER = os.environ.get("TT_REAL", "../shared/corpus/real")
EMITTERS = ("chrome", "perfetto", "firefox", "csv", "pprof", "folded", "lcov", "pdata", "perf-test", "sqlite")
# What a capture must have for these; without it they refuse, and say so.
NEEDS = {"lcov": "coverage", "pdata": "frames", "perf-test": "frames"}

# By capture: exit status; what it has; what the ledger says; figures, as {table: [(column that names a row, its value, column, figure)]}.
CAPTURES = {
    "unity-2019.4.raw": {
        "status": 0, "has": ("calls",), "loss": {"unmatched": 2}, "game": ("ProfileLog", "Valve.VR", "SteamVR_Behaviour_Pose"),
        "engine": ("EarlyUpdate.XRUpdate", "Mono.JIT", "MasterDSP", "Audio.Thread", "Audio Mixer Thread", "Scripting Threads", "Thread Pool Worker",
                   "BatchDeleteObjects", "UnityEngine.XR::InputTracking", "Camera.Render", "Physics.Processing"),
        "figures": {
            "capture": [(None, None, "events", 7275), (None, None, "bytes", 274908)],
            "capture_events": [("type", t, "events", n) for t, n in (
                ("marker", 3881), ("thread", 68), ("begin", 1329), ("begin with instance id", 52), ("begin with metadata", 46), ("end", 1403),
                ("flow", 464 + 25), ("frame", 5), ("profiler state", 2))],
            "capture_threads": [("thread", "Main Thread", "allocs", 16), ("thread", "Main Thread", "alloc_bytes", 804)],
        }},
    "unity-5.5.data": {
        "status": 3, "has": ("calls", "frames"), "loss": {"cut": 1, "not_ended": 1},
        "engine": ("Gfx.ProcessCommands", "RenderForwardOpaque.Render", "Camera.Render", "CullObjectsWithoutUmbra", "Unity Job System"),
        "figures": {
            "capture": [(None, None, "bytes", 1605632)],
            "capture_events": [("type", "sample", "events", 27580), ("type", "frame", "events", 262), ("type", "thread in a frame", "events", 1572),
                               ("type", "allocation", "events", 156)],
            "capture_threads": [("thread", "Main Thread", "alloc_bytes", 3760)],
            # 9,520 bytes are declared, 5,744 of them and the head are there.
            "loss": [("kind", "cut", "bytes", 5744 + 16), ("kind", "cut", "first_at", 1599872)],
        }},
    "godot.mlpd": {
        "status": 0, "has": ("calls",), "loss": {}, "game": ("IceHockeySolitare", "somebodyxx", "GodotTools", "Ide Connection"),
        "engine": ("mscorlib", "System.Collections.Generic", "Profiler Sampler", "mono_object_unbox", "log:calls,alloc,sample,output="),
        "figures": {"capture": [(None, None, "events", 524094)], "capture_events": [("type", "method enter", "events", 244735),
                                                                                    ("type", "allocation", "events", 17107)]}},
    "foenix.mlpd": {
        "status": 0, "has": (), "loss": {"not_ended": 1}, "game": ("FoenixIDE", "Nu256"), "engine": ("mscorlib", "System.Windows.Forms", "Finalizer Queue"),
        "figures": {"capture": [(None, None, "events", 6930)]}},
    "mleco.mlpd": {
        "status": 0, "has": (), "loss": {"not_ended": 1}, "game": ("mlEco",), "engine": ("mscorlib", "System.Threading", "Profiler Sampler"),
        "figures": {"capture": [(None, None, "events", 6041)], "jit": [(None, None, "methods", 2064), (None, None, "code_bytes", 719889)]}},
}

suite = Suite()


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, check=False)


def all_tables():
    rows = json.loads(run("list", "passes", "--format", "json").stdout)["tables"]["passes"]["rows"]
    return [t for r in rows for t in r["tables"].split()]


def find(name):
    for path in (os.path.join(FOLDER, name), os.path.join(FOLDER, name + ".xz")):
        if os.path.exists(path):
            return path
    return None


def unpacked(path, name):
    to = suite.path(name)
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as f, open(to, "wb") as out:
        out.write(f.read())
    return to


def tables(path, names, *options):
    r = run("stats", "-q", "--limit", "0", "--format", "json", "--table", ",".join(names), *options, path)
    return r.returncode, {k: t["rows"] for k, t in json.loads(r.stdout or "{}").get("tables", {}).items()}


def contains(path, word):
    with open(path, "rb") as f:
        data = f.read()
    return word.encode() in data


def numbers(have):
    """Figures alone, whatever the order of names."""
    return {t: sorted(json.dumps([v for v in r.values() if not isinstance(v, str)]) for r in rows) for t, rows in have.items()}


def check_figures(name, want, path):
    r = run("info", "-q", "--format", "json", path)
    suite.equal(name + ": info: exit status", r.returncode, want["status"])
    if name.endswith((".raw", ".data")):
        suite.equal(name + ": the profiler marks frames, so no marker is proposed for them", json.loads(r.stdout)["tables"].get("capture_frame_markers"), None)
    have = {k: t["rows"] for k, t in json.loads(r.stdout)["tables"].items()}
    if "jit" in want["figures"]:
        have.update(tables(path, ["jit"])[1])
    for table, figures in want["figures"].items():
        for key, value, column, figure in figures:
            row = [x for x in have.get(table, []) if key is None or x[key] == value]
            suite.equal("%s: %s, %s %s" % (name, table, value or "", column), row[0][column] if row else None, figure)
    # Zones open at the end are no loss of the reader's.
    suite.equal(name + ": the ledger", {x["kind"]: x["count"] for x in have.get("loss", []) if x["kind"] not in ("open", "popped", "names")}, want["loss"])
    if name.startswith("unity-2019"):
        suite.equal(name + ": zones begun", sum(x["calls"] for x in have["capture_threads"]), 1427 - 10 - 16)
    return have


def check_outputs(name, want, path, names):
    status, have = tables(path, names)
    suite.equal(name + ": all tables: exit status", status, want["status"])
    suite.check(name + ": all tables", None if len(have) > 10 else have.keys())
    for emitter in EMITTERS:
        out = suite.path("out." + emitter)
        if os.path.exists(out):
            os.remove(out)
        r = run("convert", "-q", path, "-f", emitter, "-o", out)
        refused = emitter in NEEDS and NEEDS[emitter] not in want["has"]
        suite.equal("%s: %s: exit status" % (name, emitter), r.returncode, 2 if refused else want["status"])
        suite.equal("%s: %s is written" % (name, emitter), os.path.exists(out), not refused)
        if not refused and (emitter != "folded" or "calls" in want["has"]):
            suite.check("%s: %s is not empty" % (name, emitter), None if os.path.getsize(out) > 0 else r.stderr)
    page = suite.path("page.html")
    r = run("report", "-q", path, "-o", page)
    suite.equal(name + ": the page: exit status", r.returncode, want["status"])
    suite.check(name + ": the page", None if os.path.exists(page) and os.path.getsize(page) > 10000 else r.stderr)
    return have


def check_copy(name, want, path, names, have):
    """A copy without names has the same figures."""
    copy = suite.path("copy" + os.path.splitext(name)[1])
    r = run("info", "--scrub", "-o", copy, path)
    suite.equal(name + ": a copy without names: exit status", r.returncode, want["status"])
    status, figures = tables(copy, names)
    suite.equal(name + ": the copy's exit status", status, want["status"])
    # What the game calls its own is not in it; what Unity calls its own is.
    for word in want.get("game", ()):
        suite.equal("%s: the copy has no %s" % (name, word), contains(copy, word), False)
    for word in want.get("engine", ()):
        suite.equal("%s: the copy has %s" % (name, word), contains(copy, word), contains(path, word))
    suite.equal(name + ": the copy's causes", [r["class"] for r in figures["causes"]], [r["class"] for r in have["causes"]])
    # Ids of markers without any are made of names, and facts have the file's own.
    skip = ("metadata_markers", "capture", "facts")
    copied = numbers(figures)
    for table, rows in numbers(have).items():
        if table not in skip:
            suite.equal("%s: the copy's table %s" % (name, table), copied.get(table), rows)


def check_cases():
    """Small logs that others wrote by the description, beside the captures: all but the one that says so are intact."""
    folder = os.path.join(os.path.dirname(os.path.dirname(FOLDER)), "cases")
    for name in sorted(n for n in os.listdir(folder) if ".raw" in n) if os.path.isdir(folder) else ():
        r = subprocess.run([TRACETOOL, "info", "-q", os.path.join(folder, name)], capture_output=True, text=True)
        suite.equal(name + ": exit status", r.returncode, 3 if name == "state-zeroed-end.raw" else 0)
        if name == "vsync-render-120.raw":
            r = subprocess.run([TRACETOOL, "stats", "-q", "--table", "causes", "--format", "json", os.path.join(folder, name)], capture_output=True, text=True)
            first = json.loads(r.stdout)["tables"]["causes"]["rows"][0]
            suite.equal(name + ": what makes half of the frames late comes first", (first["class"], first["marker"], first["count"]),
                        ("wait", "Camera.Render", 120))


def main():
    check_cases()
    names, met = all_tables(), 0
    suite.check("tables are listed", None if len(names) > 50 else names)
    for name, want in CAPTURES.items():
        path = find(name)
        if not path:
            continue
        met += 1
        path = unpacked(path, name)
        check_figures(name, want, path)
        have = check_outputs(name, want, path, names)
        check_copy(name, want, path, names, have)
    missing = [n for n in CAPTURES if not find(n)]
    if not met:
        suite.left_out("real captures", "no real captures in " + FOLDER)
    elif missing:
        suite.left_out(", ".join(missing), "no such captures in " + FOLDER)
    suite.end()


main()
