#!/usr/bin/env python3
"""Every number that a table shows can be held by a budget, and is the same there: each numeric column of every table, in rows
of captures of testdata, as `stats --format json` prints it against the value of the metric TABLE/COLUMN that a baseline holds.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import check, end
from suite import TESTDATA, TRACETOOL

FOLDER = os.environ.get("TMPDIR", "/tmp")
ROWS = 3                        # of each table, from the top, the middle and the end


def run(*args):
    r = subprocess.run([TRACETOOL] + list(args), capture_output=True, text=True, errors="surrogateescape")
    return r.returncode, r.stdout, r.stderr


def read(*args):
    code, out, told = run(*args)
    if code not in (0, 1, 5):
        raise RuntimeError("%s: %d: %s" % (" ".join(args), code, told))
    return out


COLUMNS = {}                    # table -> [(column, unit)], in order
for c in json.loads(read("list", "metrics", "--format", "json"))["tables"]["metrics"]["rows"]:
    if not c["table"].startswith("capture"):
        COLUMNS.setdefault(c["table"], []).append((c["column"], c["unit"]))


def plain(text):
    """A glob of a name that has nothing a glob means something by."""
    return None if re.search(r"[*?\[\]\\]", text) or text.startswith("re:") or not text else text


def names(table, rows):
    """For each row a selector that no other row matches, or None."""
    first = COLUMNS[table][0][0]
    texts = [c for c, unit in COLUMNS[table] if unit == "text"]
    def begin(r):
        return None if r[first] is None else str(r[first])
    def joined(r):
        return ", ".join(r[c] for c in texts if r[c] is not None)
    all_names = [(begin(r), joined(r)) for r in rows]
    for i, (a, b) in enumerate(all_names):
        found = None
        for want in (a, b):
            if found is None and want and plain(want) and sum(want in n for n in all_names) == 1:
                found = want
        yield found


def values(capture, rows, options):
    budget, base = os.path.join(FOLDER, "cells-budget.json"), os.path.join(FOLDER, "cells-base.json")
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "integrity": {"level": "off"}, "rows": rows}, f)
    read("stats", "--gate", budget, "--save", base, "--inconclusive", "pass", capture, *options)
    return json.load(open(base))["sessions"][0]["captures"][0]["values"]


NONE = {"ns": "0ns", "bytes": "0B", "%": "0%"}
LIMIT = {"ns": "1s", "bytes": "1GiB", "%": "100%"}


def compare(capture, options, met):
    tables = ",".join(t for t in COLUMNS if t not in ("timeline_metrics", "counter_timeline", "objects_found", "objects_tracked"))
    shown = json.loads(read("stats", "--limit", "0", "--format", "json", "--table", tables, "--hitches", "5", capture, *options))["tables"]
    rows, want = [], {}
    for table in shown:
        all_rows = shown[table]["rows"]
        chosen = list(zip(all_rows, names(table, all_rows)))
        chosen = [c for c in chosen if c[1]] if len(all_rows) > 1 else [(r, None) for r in all_rows]
        for r, name in [chosen[i] for i in sorted({0, len(chosen) // 2, len(chosen) - 1})] if chosen else []:
            for column, unit in COLUMNS[table]:
                if unit in ("text", "hex"):
                    continue
                metric = "%s/%s" % (table, column)
                if unit == "the row's":
                    limit = {"ns": "1s", "bytes": "1GiB", "percent": "100%"}.get((r.get("unit") or "").rstrip("?"), 1)
                elif unit == "number" and column.endswith("fps"):
                    limit = "60fps"
                else:
                    limit = LIMIT.get(unit, 1)
                row = {"id": str(len(rows)), "metric": metric, "min" if limit == "60fps" else "max": limit}
                if name is not None:
                    row["row"] = name
                rows.append(row)
                want[metric if name is None else "%s[%s]" % (metric, name)] = r[column]
    have = {}
    for i in range(0, len(rows), 4000):
        have.update(values(capture, rows[i:i + 4000], options))
    for key, w in want.items():
        v = have.get(key)
        if isinstance(v, dict) and "value" in v:        # a counter: in a unit of its own
            v = v["value"]
        if w is None or isinstance(w, str) or abs(w) > 9.2e15:
            check(isinstance(v, dict) and v.get("missing"), "%s: %s: has a value" % (capture, key), v, w)
            continue
        met.add(key.split("[")[0])
        check(not isinstance(v, dict) and v is not None and abs(float(v) - float(w)) <= 0.0005 + abs(float(w)) * 1e-12,
              "%s: %s" % (capture, key), v, "not", w)


def told(*args):
    code, _, text = run(*args)
    return code, text


met = set()
for capture, options in (("capture/good-v1.0-every-kind.ttc", []), ("gate/good-base1.ttc.xz", []),
                         ("mlpd/good-d01-gameloop-calls-alloc.mlpd", ["--frame-marker", "World:Frame"]),
                         ("mlpd/good-d02-gameloop-sample.mlpd", []), ("mlpd/good-d04-exceptions.mlpd", []),
                         ("mlpd/good-d05-monitors.mlpd", []), ("mlpd/good-d06-gcmoves-handles.mlpd", []),
                         ("mlpd/good-d07-heapshot.mlpd", []), ("mlpd/good-d10-counters-zip.mlpd", []),
                         ("mlpd/good-d14-mono462-v13-coverage.mlpd", [])):
    compare(os.path.join(TESTDATA, capture), options, met)

# Of every table some column was compared, but of those that are about what the command line looks for.
for table in COLUMNS:
    check(any(m.startswith(table + "/") for m in met) or table in
          ("timeline_metrics", "counter_timeline", "objects_found", "objects_tracked", "frame_timings", "frame_limits", "coverage_files", "coverage_lines"),
          "no figure of table %s was compared" % table)

# What is wrong is said in a line, with its place.
budget = os.path.join(FOLDER, "cells-wrong.json")
capture = os.path.join(TESTDATA, "mlpd/good-d01-gameloop-calls-alloc.mlpd")
for keys, says in (({"metric": "marker/self_ns"}, 'no table "marker"'), ({"metric": "markers/self"}, 'table markers has no column "self"'),
                   ({"metric": "markers/category"}, "holds text"), ({"metric": "threads/tid"}, "holds addresses or ids"),
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
