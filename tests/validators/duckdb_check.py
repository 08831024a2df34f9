#!/usr/bin/env python3
"""The check of duckdb.sh. Prints `N passed, N failed`; exit status 1 if any failed."""
import json
import os
import sqlite3
import subprocess
import sys
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import nightly  # noqa: E402
from common import Consumer  # noqa: E402
from suite import LONG, Suite, TESTDATA, TRACETOOL  # noqa: E402

DUCKDB = Consumer("duck.cjs")
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UBIGINT", "UINTEGER")
# As captures are, with texts of all kinds: quotes, line ends, other scripts.
CAPTURES = ["demo/good-hitches.ttc.xz", "capture/good-v1.0-every-kind.ttc", "mlpd/good-d07-heapshot.mlpd", "mlpd/good-d09-names-unicode-jit.mlpd",
            "raw/good-2019-every.raw", "data/good-2022-odd.data"]
MORE = ["mlpd/good-d02-gameloop-sample.mlpd", "mlpd/good-d03-alloc-bt.mlpd", "mlpd/good-d04-exceptions.mlpd", "mlpd/good-d10-counters-zip.mlpd",
        "mlpd/bad-cut-in-buffer.mlpd", "raw/bad-cut.raw"]


def tracetool(*args, ok=(0, 3)):
    r = subprocess.run([TRACETOOL, *args], capture_output=True, text=True, timeout=300, check=False)
    if r.returncode not in ok:
        raise SystemExit("%s: exit status %d: %s\n0 passed, 1 failed" % (" ".join(args)[:200], r.returncode, r.stderr))
    return r.stdout


def quoted(text, mark="'"):
    return mark + text.replace(mark, 2 * mark) + mark


def typed(kind, value):
    if value is None or isinstance(value, (bool, list, dict)):
        return value
    if kind in WHOLE:
        return int(value)
    return float(value) if kind.startswith(("DOUBLE", "FLOAT", "DECIMAL")) else value


def duck(sql):
    """The rows of DuckDB's answer."""
    answer = DUCKDB.ask(sql)
    if "error" in answer:
        raise ValueError("%s: %s" % (sql[:300], answer["error"]))
    return [[typed(k, v) for k, v in zip(answer["types"], row)] for row in answer["rows"]]


def close(a, b):
    """Equal; reals as sums in another order are."""
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
    return a == b


def clean(value):
    """A text as CSV has it: an empty one is none, and control characters other than those of lines and tabs are replaced."""
    if not isinstance(value, str):
        return str(value)
    return "".join("\ufffd" if unicodedata.category(c) == "Cc" and c not in "\t\r\n" else c for c in value) or None


class Column:
    """A column as SQLite has it: what its values are, and their sums."""

    def __init__(self, name, values):
        self.name = name
        there = [v for v in values if v is not None]
        kinds = {type(v) for v in there}
        self.kind = "text" if str in kinds or bytes in kinds else "real" if float in kinds else "whole" if kinds else "none"
        if self.kind == "text":
            there = [v for v in map(clean, there) if v is not None] if not kinds & {float, bytes} else there
            self.sums = [len(there), *((sum(map(len, there)), min(there), max(there), len(set(there))) if there and not kinds & {float, bytes} else ())]
        else:
            self.sums = [len(there), *((sum(there), min(there), max(there)) if there else ())]

    def ask(self):
        """The same in DuckDB's words."""
        name = quoted(self.name, '"')
        if len(self.sums) == 1:
            return ["count(%s)" % name]
        if self.kind == "text":
            return [f % name for f in ("count(%s)", "sum(length(%s))", "min(%s)", "max(%s)", "count(DISTINCT %s)")]
        return [f % name for f in ("count(%s)", "sum(%s)", "min(%s)", "max(%s)")]


def recount(s, what, source, columns, rows):
    """Rows and sums of a table in DuckDB."""
    asked = ["count(*)"] + [a for c in columns for a in c.ask()]
    want = [rows] + [x for c in columns for x in c.sums]
    try:
        have = duck("SELECT %s FROM %s" % (", ".join(asked), source))[0]
    except ValueError as e:
        return s.check(what, str(e))
    return s.check(what, ["%s is %r, not %r" % (a, h, w) for a, h, w in zip(asked, have, want) if not close(h, w)])


def read_csv(s, what, name, path, columns):
    """A table of DuckDB's of that name, by its reader of CSV, which finds out what whole numbers and reals are."""
    known = ", ".join("%s: '%s'" % (quoted(c.name), "BIGINT" if c.kind == "none" and c.name.endswith("_ns") else "VARCHAR")
                      for c in columns if c.kind in ("text", "none"))
    options = "header=true, delim=',', quote='\"', escape='\"', strict_mode=true, sample_size=-1" + (", types={%s}" % known if known else "")
    duck("DROP TABLE IF EXISTS %s" % quoted(name, '"'))
    try:
        duck("CREATE TABLE %s AS SELECT * FROM read_csv(%s, %s)" % (quoted(name, '"'), quoted(path), options))
        described = duck("DESCRIBE %s" % quoted(name, '"'))
    except ValueError as e:
        return s.check(what + ": read by the strict reader", str(e))
    s.equal(what + ": columns", [d[0] for d in described], [c.name for c in columns])
    fits = {"whole": WHOLE, "real": ("DOUBLE",) + WHOLE, "text": ("VARCHAR",), "none": ("VARCHAR", "BIGINT")}
    return s.equal(what + ": kinds of columns", [(c.name, d[1]) for c, d in zip(columns, described) if d[1] not in fits[c.kind]], [])


def tables(s, what, path, direct):
    """Each table and view of a database, in DuckDB; {name: columns}."""
    db = sqlite3.connect(path)
    found = {}
    if direct:
        duck("ATTACH %s AS file (TYPE sqlite, READ_ONLY)" % quoted(path))
    for name, in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' ORDER BY name").fetchall():
        of = "%s: %s" % (what, name)
        cursor = db.execute("SELECT * FROM %s" % quoted(name, '"'))
        rows = cursor.fetchall()
        columns = [Column(d[0], [r[i] for r in rows]) for i, d in enumerate(cursor.description)]
        for form in ("csv", "json"):
            tracetool("query", "-q", path, "SELECT * FROM %s" % quoted(name, '"'), "-o", s.path("t." + form))
        read_csv(s, of, name, s.path("t.csv"), columns)
        recount(s, of + ": rows and sums", quoted(name, '"'), columns, len(rows))
        if rows:                          # JSON says what texts are by itself
            recount(s, of + ": rows and numbers of JSON", "(SELECT unnest(tables.query.rows, max_depth := 2) FROM read_json(%s))" % quoted(s.path("t.json")),
                    [c for c in columns if c.kind in ("whole", "real")], len(rows))
        if direct:
            recount(s, of + ": the file itself", "file.%s" % quoted(name, '"'), [c for c in columns if c.kind in ("whole", "real")], len(rows))
        found[name] = columns
    db.close()
    if direct:
        duck("DETACH file")
    return found


def of_stats(s, what, capture):
    """The tables that DuckDB has read are those of stats."""
    for name, t in json.loads(tracetool("stats", "-q", "--format", "json", capture))["tables"].items():
        rows = [list(r.values()) for r in t["rows"]]
        columns = [Column(c, [int(r[i]) if isinstance(r[i], bool) else r[i] for r in rows]) for i, c in enumerate(t["rows"][0])] if rows else []
        recount(s, "%s: %s as stats has it" % (what, name), quoted(name, '"'), columns, len(rows))


# The ten questions: what the manual says of them, in DuckDB's SQL. Some facts are of captures with whole frames.
FRAMED = """c AS (SELECT capture.*, device.value AS device, build.value AS build FROM capture
 LEFT JOIN fact device ON device.capture = capture.id AND device.key = 'device'
 LEFT JOIN fact build ON build.capture = capture.id AND build.key = 'build' WHERE copy = 0 AND frames_count > 0)"""
BUILDS = "b AS (SELECT capture, value AS build, date FROM fact SEMI JOIN (FROM capture WHERE copy = 0) ON id = capture JOIN capture ON id = capture " \
    "WHERE fact.key = 'build')"
QUESTIONS = [
    "SELECT key, outcome, why, detail FROM (FROM capture SELECT key, outcome, why, detail UNION ALL FROM archive SELECT key, outcome, why, detail) "
    "WHERE outcome != 'ok' ORDER BY outcome, key",
    "WITH " + FRAMED + " SELECT key, device, build, frames_count, round(frames_count * 1e9 / frames_total_ns, 2), frames_late, frames_p95_ns, "
    "frames_max_ns, frames_cap_ns, frames_uncapped_p95_ns, frames_uncapped_max_ns FROM c "
    "ORDER BY if(CAST(frames_late AS DOUBLE) / frames_count >= 0.05, frames_p95_ns, coalesce(frames_uncapped_p95_ns, frames_p95_ns)) DESC, key LIMIT 20",
    "WITH " + FRAMED + """, d AS (SELECT *, date::DATE >= date_trunc('week', max(date::DATE) OVER ()) AS since FROM c),
 m AS (SELECT device, since, sum(frames_total_ns) // sum(frames_count) AS mean FROM d GROUP BY ALL)
 SELECT was.device, was.mean, now.mean, round(100 * (now.mean - was.mean) / was.mean, 2) AS change FROM m was
 JOIN m now ON now.device IS NOT DISTINCT FROM was.device WHERE now.since AND NOT was.since ORDER BY change DESC, was.device""",
    "WITH " + FRAMED + """, m AS (SELECT build, min(date) AS since, count(*) AS n, sum(frames_total_ns) // sum(frames_count) AS mean,
 max(frames_p95_ns) AS worst FROM c WHERE build IS NOT NULL GROUP BY build)
 SELECT build, since, n, mean, round(100 * (mean - lag(mean) OVER (ORDER BY since, build)) / lag(mean) OVER (ORDER BY since, build), 2), worst
 FROM m ORDER BY since, build""",
    "WITH " + BUILDS + """, newest AS (SELECT build FROM b GROUP BY build ORDER BY min(date) DESC, build DESC LIMIT 1),
 p AS (SELECT marker, p95_ns, build = (FROM newest) AS new FROM capture_marker JOIN b USING (capture)),
 w AS (SELECT marker, avg(p95_ns) AS was FROM p WHERE NOT new GROUP BY marker)
 SELECT marker.name, count_if(p95_ns > 1.05 * was) AS grew, count(*), trunc(any_value(was))::BIGINT AS before, trunc(avg(p95_ns))::BIGINT AS after
 FROM p JOIN w USING (marker) JOIN marker ON marker.id = p.marker WHERE new GROUP BY p.marker, marker.name
 ORDER BY grew DESC, after - before DESC, marker.name LIMIT 20""",
    """SELECT name, category, count(*), sum(self_ns) AS self, sum(count)::BIGINT, max(max_ns) FROM capture_marker
 JOIN marker ON marker.id = marker JOIN (FROM capture SELECT id AS of, copy) ON of = capture WHERE copy = 0 GROUP BY marker.id, name, category
 ORDER BY self DESC, name LIMIT 20""",
    """SELECT marker, class, count(DISTINCT capture), sum(bytes) AS bytes, sum(count) FROM allocation_site
 SEMI JOIN (FROM capture WHERE copy = 0) ON id = capture GROUP BY ALL ORDER BY 4 DESC, 1, 2 LIMIT 20""",
    "WITH " + FRAMED + """ SELECT device, count(*), sum(frames_count), sum(frames_over_33_33),
 round(100 * sum(frames_over_33_33) / sum(if(frames_over_33_33 IS NULL, 0, frames_count)), 2) AS share FROM c GROUP BY device ORDER BY share DESC, device""",
    """SELECT key, gcalloc_collections, gcalloc_stopped_ns, gcalloc_stopped_max_ns, gcalloc_pause_max_ns FROM capture
 WHERE copy = 0 AND ifnull(gcalloc_stopped_max_ns, gcalloc_pause_max_ns) > 0 ORDER BY ifnull(gcalloc_stopped_max_ns, gcalloc_pause_max_ns) DESC, key
 LIMIT 20""",
    """WITH f AS (SELECT frames_count AS n, frames_over_16_67 AS a, frames_over_33_33 AS b, frames_over_50 AS c, a + b + c IS NOT NULL AS told FROM capture
 WHERE copy = 0 AND frames_count > 0), g AS (SELECT sum(n) AS n, sum(a) AS a, sum(b) AS b, sum(c) AS c FROM f WHERE told)
 SELECT unnest(['1: up to 16.67 ms', '2: up to 33.33 ms', '3: up to 50 ms', '4: over 50 ms']), unnest([n - a, a - b, b - c, c]) FROM g
 UNION ALL SELECT '5: too few frames of a capture tell', sum(n) FROM f WHERE NOT told HAVING count(*) > 0 ORDER BY 1""",
]


def questions(s, what, db):
    for n, sql in enumerate(QUESTIONS, 1):
        want = [list(r.values()) for r in json.loads(tracetool("query", "-q", db, "--example", str(n), "--format", "json"))["tables"]["query"]["rows"]]
        try:
            have = duck(sql)
        except ValueError as e:
            s.check("%s: question %d" % (what, n), str(e))
            continue
        same = len(have) == len(want) and all(len(a) == len(b) and all(map(close, a, b)) for a, b in zip(have, want))
        s.check("%s: question %d" % (what, n), None if same else "%r, not %r" % (have[:5], want[:5]))
        if what == "night":
            s.check("%s: question %d has an answer" % (what, n), None if want or n == 9 else "none")


def main():
    s = Suite()
    duck("SET autoinstall_known_extensions=false")
    answer = DUCKDB.ask("LOAD sqlite")
    direct = "error" not in answer
    if direct:
        print("DuckDB reads the files themselves, too")
    else:
        s.left_out("DuckDB reads the files themselves", "its extension for SQLite is not installed; it reads CSV and JSON of every table")
    for name in CAPTURES + (MORE if LONG else []):
        capture, db = os.path.join(TESTDATA, name), s.path("x.sqlite")
        tracetool("convert", "-q", capture, "-o", db)
        tables(s, name, db, direct)
        of_stats(s, name, capture)
    top, night = s.path("in"), s.path("night.sqlite")
    nightly.captures(top)
    tracetool("merge", "-q", "--to-db", night, *nightly.batches(s.dir, top, to_db=True))
    tables(s, "night", night, direct)
    questions(s, "night", night)
    # All kinds of captures, some damaged, without any fact.
    db = s.path("mixed.sqlite")
    tracetool("batch", "-q", "-o", s.path("mixed"), "--to-db", db, *(os.path.join(TESTDATA, f) for f in ("mlpd", "raw", "data", "demo")))
    tables(s, "testdata", db, direct)
    questions(s, "testdata", db)
    s.end()


main()
