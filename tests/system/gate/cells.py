#!/usr/bin/env python3
"""Every number that a table shows can be held by a budget, and is the same there: each numeric column of every table, in rows
of captures of testdata, as `stats --format json` prints it against the value of the metric TABLE/COLUMN that a baseline holds.
"""
import json
import os
import re
import struct
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(TESTS, "kit"), os.path.join(TESTS, "unity")]
from cells import COLUMNS, FOLDER, LIMIT, NONE, UNHELD, compare, read, run
from count import check, end
from raw_log import Log, zone
from suite import TESTDATA
from ttc import KEEPS_LAST, OTHER, U32, Capture, text, varint, zigzag
from vsync_game import Game


def told(*args):
    code, _, text = run(*args)
    return code, text


met = set()
for capture, options in (("capture/good-v1.0-every-kind.ttc", []), ("gate/good-base1.ttc.xz", []),
                         ("mlpd/good-d01-gameloop-calls-alloc.mlpd", ["--frame-marker", "World:Frame"]),
                         ("mlpd/good-d02-gameloop-sample.mlpd", []), ("mlpd/good-d04-exceptions.mlpd", []),
                         ("mlpd/good-d05-monitors.mlpd", []), ("mlpd/good-d06-gcmoves-handles.mlpd", []),
                         ("mlpd/good-d07-heapshot.mlpd", []), ("mlpd/good-d10-counters-zip.mlpd", []),
                         ("mlpd/good-d13-mono462-v13-monitors.mlpd", []), ("mlpd/good-d14-mono462-v13-coverage.mlpd", []),
                         ("data/good-5.5.data", []), ("raw/good-2019-every.raw", []), ("demo/good-hitches.ttc.xz", []),
                         ("capture/good-rotated.2.ttc.xz", [])):
    compare(os.path.join(TESTDATA, capture), options, met)
phases = Log(100, ("Main Thread", "Update.ScriptRunBehaviourUpdate"))
for ms in range(100, 150, 10):
    phases.frame(ms)
compare(phases.write(os.path.join(FOLDER, "phases.raw")), [], met)
# A marker that begins regularly, where no frame is marked.
ticks = Log(100, ("Main Thread", "Tick"))
for ms in range(100, 2000, 16):
    ticks.block(ticks.main, zone(1, ms, ms + 9 + ms % 3))
compare(ticks.write(os.path.join(FOLDER, "ticks.raw")), [], met)


def game(name):
    """What no capture of testdata has: the engine's timings of frames, sampled allocations, coverage with lines."""
    c = Capture()
    marker, sampled = c.marker("Draw"), c.marker("Sampled")
    t = c.thread()
    for i in range(8):
        at = (1 + 16 * i) * 10 ** 6
        t.frame(at)
        t.zone(at + 1000, at + 9 * 10 ** 6, marker)
        t.timing(at + 10 ** 7, 1, *(ms * 10 ** 6 for ms in (16, 9, 4, 3, 5)))
        t.ready(at + 11 * 10 ** 6)
        key, t.alloc_key = zigzag(sampled - t.alloc_key), sampled
        t.other(at + 11 * 10 ** 6, 9, key + varint(100 + i) + varint(1) + bytes([U32]) + varint(50))
    at = 140 * 10 ** 6
    t.other(at, 31, varint(1) + varint(0x6000001) + varint(3) + b"".join(map(text, ("Game", "Game.Hud", "Draw", "()", "Hud.cs"))))
    t.other(at, 32, varint(1) + b"".join(zigzag(4) + varint(n) + varint(line) + varint(5) for n, line in ((7, 10), (0, 11), (7, 12))))
    return c.write(os.path.join(FOLDER, name))


compare(game("one.ttc"), [], met)
compare(Game(1, frames=60, late=.1).write(os.path.join(FOLDER, "vsync.raw")), [], met)
flight = Capture(flags=KEEPS_LAST)
for ms in range(0, 100, 10):
    (flight.threads or [flight.thread()])[0].frame(ms * 10 ** 6)
flight.dump(20 * 10 ** 6, 99 * 10 ** 6)
compare(flight.write(os.path.join(FOLDER, "flight.ttc")), [], met, ["capture", "capture_dumps"])
compare(os.path.join(TESTDATA, "mlpd/good-d01-gameloop-calls-alloc.mlpd"), [], met, ["capture_frame_markers"])

# What is wrong is said in a line, with its place.
budget = os.path.join(FOLDER, "cells-wrong.json")
capture = os.path.join(TESTDATA, "mlpd/good-d01-gameloop-calls-alloc.mlpd")
for keys, says in (({"metric": "marker/self_ns"}, 'no table "marker"'), ({"metric": "markers/self"}, 'table markers has no column "self"'),
                   ({"metric": "markers/category"}, "holds text"), ({"metric": "threads/tid"}, "holds addresses or ids"),
                   *(({"metric": "%s/%s" % (t, [c for c, unit in COLUMNS[t] if unit not in ("text", "hex")][0])}, "no metric is made of table " + t)
                     for t in UNHELD),
                   ({"metric": "markers/self_ns", "stat": "p95"}, '"stat" has no meaning'),
                   ({"metric": "frame.time", "row": "x"}, '"row" has no meaning for metric frame.time'),
                   ({"metric": "markers/self_ns", "row": ""}, "is empty")):
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [dict({"id": "a", "max": "1s"}, **keys)]}, f)
    code, text = told("stats", "--gate", budget, capture)
    check(code == 2 and says in text and "cells-wrong.json:1:" in text, "wrong row %s" % keys, code, text)
for keys, says in (({"metric": "markers/self_ns", "max": "1s"}, "rows of the table are there: \""),
                   ({"metric": "markers/self_ns", "row": "Entity:*", "max": "1s"}, 'rows of the table fit: "Entity:'),
                   ({"metric": "markers/self_ns", "row": "Nobody:Calls", "max": "1s"}, "no row of the table has this name"),
                   ({"metric": "frame_timings/mean_ns", "row": "gpu", "max": "1s"}, "no frame marks"),
                   ({"metric": "markers/frames", "row": "Entity:Update", "max": 3}, "the column is empty in this row")):
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [dict({"id": "a"}, **keys)]}, f)
    code, out, text = run("stats", "--gate", budget, capture, "--width", "0")
    check(code == 5 and says in out, "row that cannot be judged %s" % keys, code, out, text)

# A row that is not there: 0 of what adds up, where the table could be measured; nothing is said of the others.
throws = os.path.join(TESTDATA, "mlpd/good-d04-exceptions.mlpd")


def outcome(capture, **keys):
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [dict({"id": "a"}, **keys)]}, f)
    code, out, text = run("stats", "--gate", budget, capture, "--width", "0", "--json", budget + ".v")
    r = json.load(open(budget + ".v"))["rows"][0]
    return code, r["outcome"], r["value"]


# Only damage has bytes in the table of losses, and no baseline takes a damaged capture.
bad = os.path.join(TESTDATA, "mlpd/bad-cut-in-buffer.mlpd")
cut = [r["bytes"] for r in json.loads(read("stats", "--table", "loss", "--format", "json", bad))["tables"]["loss"]["rows"] if r["kind"] == "cut"]
got = outcome(bad, metric="loss/bytes", row="cut", max="1GiB")
check(cut and [got[2]] == cut and cut[0] > 0, "bytes of a loss", got, cut)
met.add("loss/bytes")
# Nor one of a layout that does not fit, or with messages of unknown types: these are in a log of its own.
misfit = os.path.join(TESTDATA, "raw/bad-unknown-message.raw")
got = outcome(misfit, metric="capture_layout/first_misfit", max=10 ** 6)
check(got[2] == 5234, "where a layout first fails to fit", got)
unknown = Log(100, ("Main Thread", "Work"))
for ms in range(100, 400, 10):
    unknown.frame(ms)
# Their length is that of a text, four bytes before it, and eight after it.
for i in range(3):
    unknown.block(unknown.main, struct.pack("<HII", 77, 1, 5 * i) + 5 * i * b"x" + bytes(8) + zone(1, 401 + i, 401.5 + i))
unknown = unknown.write(os.path.join(FOLDER, "unknown.raw"))
for column, want in (("type", 77), ("messages", 3), ("bytes", 18), ("text_at", 6), ("parts", 3)):
    got = outcome(unknown, metric="capture_unknown/" + column, max=1000)
    check(got[2] == want, "messages of unknown types: " + column, got)
met.update(("capture_layout/first_misfit", *("capture_unknown/" + c for c in ("type", "messages", "bytes", "text_at", "parts"))))

# Every numeric column of every table was compared with a value in it, but for the tables that no budget can hold, and what is there only
# where inputs share a timeline, for a gate judges each alone: the number of a worst frame's input, and its shift.
ALONE = ("frame_shown/process", "hitches/process", "hitch_markers/process", "spanning_zones/process", "capture_unknown/process", "capture/offset_ns")
for table in COLUMNS:
    for column, unit in COLUMNS[table]:
        check(table in UNHELD or unit in ("text", "hex") or "%s/%s" % (table, column) in met or "%s/%s" % (table, column) in ALONE,
              "no value of %s/%s was compared" % (table, column))

for table, column, row, ask in (("markers", "count", "Nobody:Calls", capture),
                                ("markers", "self_ns", "Nobody:Calls", capture),
                                ("alloc_sites", "bytes", "Nobody:Calls, No.Class", capture),
                                ("alloc_classes", "count", "No.Class", capture),
                                ("loss", "count", "dropped", capture), ("markers", "self_share", "Nobody:Calls", capture)):
    check(outcome(ask, metric="%s/%s" % (table, column), row=row, max=NONE.get(dict(COLUMNS[table])[column], 0)) == (0, "pass", 0),
          "%s/%s: there must be none, and there is none" % (table, column))
    check(outcome(ask, metric="%s/%s" % (table, column), row=row, max=LIMIT.get(dict(COLUMNS[table])[column], 5))[:2] ==
          (5, "cannot_judge"), "%s/%s: a limit on what no capture has is a misspelling" % (table, column))
check(outcome(throws, metric="exceptions/count", row="(unknown)", max=0)[:2] == (1, "breach"), "what is there is not none")
for table, column, row, ask in (("exceptions", "count", "My.Exception", capture), ("handles", "live", "weak", capture),
                                ("markers", "mean_ns", "Nobody:Calls", capture),
                                ("calltree", "total_ns", "Nobody:Calls", capture), ("hitch_markers", "self_ns", "1", throws),
                                # Any of those without a name may be it.
                                ("exceptions", "count", "My.Exception", throws)):
    got = outcome(ask, metric="%s/%s" % (table, column), row=row, max=NONE.get(dict(COLUMNS[table])[column], 0))
    check(got[:2] == (5, "cannot_judge"), "%s/%s: not recorded, or no sum" % (table, column), got)

# Rows of single frames: by the frame's number and all texts; a number is no part of a text; of frames nothing is complete.
hitches = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
base = os.path.join(TESTDATA, "gate/good-base1.ttc.xz")
for row, want in (("51, Main, Enemies:FindPath", (0, "pass")), ("Main, Enemies:FindPath", (5, "cannot_judge")),
                  ("9999, Main, Enemies:FindPath", (5, "cannot_judge"))):
    check(outcome(hitches, metric="frame_markers/self_ns", row=row, max="1s")[:2] == want, "a marker in a frame: " + row)
check(outcome(hitches, metric="frame_causes/extra_ns", row="6", max="1s")[:2] == (5, "cannot_judge"), "frame 6 is not a sentence with a 6")
code, out, text = run("stats", "--gate", budget, hitches, "--width", "0")
check("no row of the table has this name" in out, "and the reason says so", out, text)
# Causes: there is no long frame, or it is long for something else.
for capture_of, cause, want in ((hitches, "collection", (1, "breach")), (hitches, "exceptions", (0, "pass")), (base, "collection", (0, "pass"))):
    for column, least in (("extra_ns", "0ns"), ("count", 0)):
        check(outcome(capture_of, metric="causes/" + column, row="*, %s, *" % cause, max=least)[:2] == want, "causes: %s, %s" % (cause, column))
check(outcome(os.path.join(TESTDATA, "raw/good-2019-every.raw"), metric="causes/count", row="*, lock, *", max=0)[:2] == (5, "cannot_judge"),
      "causes of fewer than ten frames are not known")
code, text = told("stats", "--metric", "frame_gc/dur_ns[3]", hitches)
check(code == 2 and "single frames" in text, "--metric of single frames", text)

# The other places that take metrics.
code, out, text = run("stats", "--metric", "markers/self_ns[Entity:*]", "--buckets", "2", capture)
check(code == 0 and "rows of the table fit: \"Entity:" in out and "; name one" in out, "--metric that fits several rows says which", out, text)
name = "Entity:Update"
rows = json.loads(read("stats", "--metric", "markers/count[%s]" % name, "--metric", "gcalloc/bytes", "--buckets", "4", "--format", "json",
                       capture))["tables"]["timeline_metrics"]["rows"]
table = json.loads(read("stats", "--table", "markers,gcalloc", "--limit", "0", "--format", "json", capture))["tables"]
count = [r["count"] for r in table["markers"]["rows"] if r["marker"] == name]
got = [r["value"] for r in rows if r["metric"] == "markers/count[%s]" % name]
check(len(got) == 4 and count and sum(v or 0 for v in got) == count[0], "--metric counts calls of a column", got, count)
got = [r["value"] for r in rows if r["metric"] == "gcalloc/bytes"]
check(len(got) == 4 and sum(v or 0 for v in got) == table["gcalloc"]["rows"][0]["bytes"], "--metric adds up bytes of a column", got)
code, text = told("stats", "--metric", "markers/self_ns.p95", capture)
check(code == 2 and "has no column" in text, "--metric with a statistic of a column", text)
code, text = told("stats", "--metric", "markers/self_ns[x].p95", capture)
check(code == 2 and 'is the figure: leave out ".p95"' in text, "--metric with a statistic of a row", text)
with open(budget, "w") as f:
    json.dump({"tracetool_budget": 1, "rows": [{"id": "draws", "metric": "markers/count", "row": name, "max": count[0] if count else 0}]}, f)
code, out, text = run("batch", "--gate", budget, capture)
check(code == 0, "batch --gate holds a column", code, out, text)
with open(budget, "w") as f:
    json.dump({"tracetool_budget": 1, "rows": [{"id": "draws", "metric": "markers/count", "row": name, "max": (count[0] if count else 0) - 1}]}, f)
code, out, text = run("batch", "--gate", budget, capture)
check(code == 1, "batch --gate fails where a column is over", code, out, text)

end()
