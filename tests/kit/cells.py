"""Hold each numeric column of tables, as `stats --format json` prints it, against the value of the metric TABLE/COLUMN that a
baseline holds. Used by tests that have captures with something in those tables."""
import json
import os
import re
import subprocess

from count import check
from suite import TRACETOOL

FOLDER = os.environ.get("TMPDIR", "/tmp")
# Tables that no budget can hold: tracetool-budget(5) names them. Those of the summary repeat figures of other tables.
UNHELD = ("timeline_metrics", "counter_timeline", "coverage_lines", "objects_found", "objects_tracked", "capture_logs")
SUMMARY = ("capture_summary", "capture_frames", "capture_causes", "capture_overview", "capture_allocations",
           "capture_markers", "capture_samples", "capture_next")


def run(*args):
    r = subprocess.run([TRACETOOL] + list(args), capture_output=True, text=True, errors="surrogateescape")
    return r.returncode, r.stdout, r.stderr


def read(*args):
    code, out, told = run(*args)
    if code not in (0, 1, 3, 5):
        raise RuntimeError("%s: %d: %s" % (" ".join(args), code, told))
    return out


COLUMNS = {}                    # table -> [(column, unit)], in order
for c in json.loads(read("list", "metrics", "--format", "json"))["tables"]["metrics"]["rows"]:
    if c["table"] not in SUMMARY:
        COLUMNS.setdefault(c["table"], []).append((c["column"], c["unit"]))


def plain(text):
    """A glob of a name that has nothing a glob means something by."""
    return None if re.search(r"[*?\[\]\\]", text) or text.startswith("re:") or not text else text


def called(table, r):
    """What a row may be called: its first column; all its texts; a first column that is a number and all its texts."""
    first, unit = COLUMNS[table][0]
    texts = ", ".join(r[c] for c, unit in COLUMNS[table] if unit == "text" and r[c] is not None)
    if r[first] is None:
        return None, texts
    return str(r[first]), texts, texts if unit == "text" else "%s, %s" % (r[first], texts)


def names(table, rows):
    """For each row a selector that no other row matches, or None."""
    all_names = [called(table, r) for r in rows]
    for own in all_names:
        found = None
        for want in own:
            if found is None and want and plain(want) and sum(want in n for n in all_names) == 1:
                found = want
        yield found


def values(capture, rows, options):
    budget, base = os.path.join(FOLDER, "cells-budget.json"), os.path.join(FOLDER, "cells-base.json")
    if os.path.exists(base):
        os.unlink(base)
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "integrity": {"level": "off"}, "rows": rows}, f)
    read("stats", "--gate", budget, "--save", base, "--inconclusive", "pass", capture, *options)
    return json.load(open(base))["sessions"][0]["captures"][0]["values"]


NONE = {"ns": "0ns", "bytes": "0B", "%": "0%"}
LIMIT = {"ns": "1s", "bytes": "1GiB", "%": "100%"}


def compare(capture, options, met, tables=None):
    """Compare rows of tables, all that a budget can hold if None; add the metrics that had a number to met."""
    tables = ",".join(tables or (t for t in COLUMNS if t not in UNHELD))
    shown = json.loads(read("stats", "--limit", "0", "--format", "json", "--table", tables, "--hitches", "5", capture, *options))["tables"]
    rows, want = [], {}
    for table in shown:
        all_rows = shown[table]["rows"]
        chosen = list(zip(all_rows, names(table, all_rows)))
        chosen = [c for c in chosen if c[1]] if len(all_rows) > 1 else [(r, None) for r in all_rows]
        # The first, one in the middle, the last, and of each column the first with a value.
        some = {0, len(chosen) // 2, len(chosen) - 1} if chosen else set()
        for column, _ in COLUMNS[table]:
            some.update([i for i, (r, _) in enumerate(chosen) if r[column] is not None][:1])
        for r, name in [chosen[i] for i in sorted(some)]:
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
        # A clock's reading, for one: tracetool-metrics(7) says how large a number may be.
        if isinstance(w, int) and w > 9200000000000 and isinstance(v, dict) and "too large" in v.get("missing", ""):
            met.add(key.split("[")[0])
            continue
        if isinstance(v, dict) and "value" in v:        # a counter: in a unit of its own
            v = v["value"]
        if w is None or isinstance(w, str) or abs(w) > 9.2e15:
            check(isinstance(v, dict) and v.get("missing"), "%s: %s: has a value" % (capture, key), v, w)
            continue
        met.add(key.split("[")[0])
        check(not isinstance(v, dict) and v is not None and abs(float(v) - float(w)) <= 0.0005 + abs(float(w)) * 1e-12,
              "%s: %s" % (capture, key), v, "not", w)
