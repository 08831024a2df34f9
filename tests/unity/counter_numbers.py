#!/usr/bin/env python3
"""
Values of counters that are no numbers, infinite, beyond 2^53, or several in one sample: each output has them as tracetool-formats(7) says, and what is
JSON a strict parser reads. Ranges and means of random values are those that the tables' manual defines: of numbers; of infinities where no value is a
number; NaN where all are.
"""
import fractions
import gzip
import json
import math
import os
import random
import re
import sqlite3
import struct
import sys

from raw_log import MAIN, MS, SESSION, Log, marker, state
from ttc import F64, I64, Capture, Suite, arguments

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import pftrace  # noqa: E402

suite = Suite()
COUNTER, PLAIN = 5, 6
VALUES = [1.5, math.nan, math.inf, -math.inf, 2.5, -0.0, 5e-324, 1.7976931348623157e308]


def strict(text):
    def refuse(word):
        raise ValueError(word)
    return json.loads(text, parse_constant=refuse)


def undescribed():
    """A counter whose description has another number: its values are there, and the ledger says that it has no name."""
    with open("testdata/mlpd/good-d10-counters-zip.mlpd", "rb") as f:
        data = bytearray(gzip.decompress(f.read()))
    number = data.index(b"User Time\0\x03\x80\x80\x80\x10") + len("User Time\0") + 10
    suite.equal("it has the number 1", data[number], 1)
    data[number] = 127
    path = suite.path("undescribed.mlpd")
    with open(path, "wb") as f:
        f.write(data)
    tables = json.loads(suite.run("stats", "-q", "--format", "json", "--limit", "0", "--table", "counters,loss", path)[0])["tables"]
    suite.equal("a counter without a description", [r["count"] for r in tables["counters"]["rows"] if r["counter"] == "(unknown counter 1)"], [1])
    suite.equal("... is told", [(r["kind"], r["count"]) for r in tables["loss"]["rows"]], [("names", 1)])


def single(ms, number, values):
    """A sample with values of 8 bytes: floats, or integers."""
    return struct.pack("<HBIQB", 44, 0, number, int(ms * MS), len(values)) + b"".join(
        struct.pack("<Bd", 7, v) if isinstance(v, float) else struct.pack("<Bq", 4, v) for v in values)


def raw(path, samples):
    """${samples}: (marker, values) of each, one a ms."""
    log = Log(10)
    log.block(SESSION, marker(COUNTER, "Fuel", [(7, "value")], flags=0x80) + marker(PLAIN, "Hit", [(7, "x"), (7, "y")]))
    log.frame(10)
    log.block(MAIN, b"".join(single(20 + i, number, values) for i, (number, values) in enumerate(samples)))
    log.frame(100)
    log.frame(110)
    log.block(SESSION, state(0, 120))
    return log.write(suite.path(path))


def ttc(path, samples):
    c = Capture()
    fuel, hit = c.counter("Fuel"), c.marker("Hit")
    t = c.thread()
    t.frame(10 * MS)
    for i, (number, values) in enumerate(samples):
        args = [(F64 if isinstance(v, float) else I64, v) for v in values]
        if number == COUNTER:
            t.other((20 + i) * MS, 5, t.key_of((20 + i) * MS, fuel) + arguments(args))
        else:
            t.instant((20 + i) * MS, hit, args)
    t.frame(100 * MS)
    t.frame(110 * MS)
    return c.write(suite.path(path))


def several(form, path):
    rows = {r["kind"]: r["count"] for r in suite.rows("loss", path)}
    suite.equal(form + ": values beside the first are told", rows.get("counter_values"), 5)
    row, = (r for r in suite.rows("counters", path) if r["counter"] == "Fuel")
    suite.equal(form + ": the first value of each sample counts", (row["count"], row["min"], row["max"], row["last"]), (4, 1, 4, 4))


def extremes(form, path):
    """The table counters: infinities and NaN count only if there are no other values, and the largest doubles are numbers."""
    row, = (r for r in suite.rows("counters", path) if r["counter"] == "Fuel")
    suite.equal(form + ": extremes of a counter", (float(row["min"]), float(row["max"]), float(row["last"])), (0, VALUES[-1], VALUES[-1]))


def cells(form, path):
    """What tracetool-json(7) says of columns of the unit value: numbers, and strings for what JSON has no number for."""
    tables = strict(suite.run("stats", "-q", path, "--limit", "0", "--format", "json", "--table", "counters,counter_values,counter_timeline")[0])["tables"]
    have = [r[c["id"]] for t in tables.values() for c in t["columns"] if c["unit"] == "value" for r in t["rows"]]
    suite.equal(form + ": strings in JSON", {v for v in have if isinstance(v, str)}, {"NaN", "Infinity", "-Infinity"})
    suite.equal(form + ": all others are numbers, or empty", {type(v) for v in have} - {str, int, float, type(None)}, set())
    suite.equal(form + ": values in JSON", [close(float(r["value"]), v) for r, v in zip((r for r in tables["counter_values"]["rows"] if r["counter"] == "Fuel"),
                VALUES, strict=True)], [True] * len(VALUES))
    with open("man/tracetool-json.7", encoding="utf-8") as f:
        said = re.search(r"^\.It value Ta (.*)$", f.read(), flags=re.M)[1]
    suite.equal(form + ": the manual's words", set(re.findall(r"\\\(dq(-?[A-Z]\w+)\\\(dq", said)), {"NaN", "Infinity", "-Infinity"})


def close(a, b):
    return (math.isnan(a) and math.isnan(b)) or a == b


def no_text(what, db):
    """Text is only in columns of text, and in the values of the table info, which are of both kinds."""
    for table, in list(db.execute("select name from sqlite_master where type = 'table'")):
        for c in [c[1] for c in db.execute("pragma table_info(%s)" % table) if c[2] != "TEXT" and (table, c[1]) != ("info", "value")]:
            suite.equal("%s: text in %s.%s" % (what, table, c),
                        list(db.execute('select "%s" from "%s" where typeof("%s") = \'text\' limit 1' % (c, table, c))), [])


def statistics(form, write, name, values, expected):
    """The row of a counter in the database's table counters: min, max, first, last, delta; all tables of stats have the same change."""
    path, out = write("%s.%s" % (name, form), [(COUNTER, [v]) for v in values]), suite.path(name + ".sqlite")
    suite.run("convert", "-q", "--force", path, "-o", out)
    db = sqlite3.connect(out)
    row, = db.execute("select min, max, first, last, delta from counters where counter = 'Fuel'")
    suite.equal("%s, sqlite: statistics of %s" % (form, name), row, expected)
    no_text("%s, sqlite of %s" % (form, name), db)
    db.close()
    if all(map(math.isfinite, values)):
        changes = [r["delta"] for t in ("counters", "counter_values", "counter_timeline") for r in suite.rows(t, path) if r["counter"] == "Fuel"]
        suite.equal("%s: changes of %s" % (form, name), [c for c in changes if c == "Infinity"], [])


def counted(values):
    """Those of ${values} that ranges and means are of."""
    return [v for v in values if math.isfinite(v)] or [v for v in values if not math.isnan(v)] or values[:1]


def mean(values):
    """The double nearest to the mean, or to within a part in 10^15 of the largest of them."""
    if all(map(math.isfinite, values)):
        return float(sum(map(fractions.Fraction, values)) / len(values))
    return values[0] if len(set(values)) == 1 else math.nan


def is_mean(shown, values):
    want = mean(values)
    return close(float(shown), want) or (math.isfinite(want) and abs(float(shown) - want) <= max(map(abs, values)) * 1e-15)


def ranges_raw(path, series):
    log = Log(10)
    log.block(SESSION, b"".join(marker(10 + i, "Fuel %02d" % i, [(7, "value")], flags=0x80) for i in range(len(series))))
    for at in range(max(map(len, series))):
        log.frame(10 + 2 * at, b"".join(single(10.5 + 2 * at, 10 + i, [s[at]]) for i, s in enumerate(series) if at < len(s)))
    log.frame(100)
    log.block(SESSION, state(0, 120))
    return log.write(suite.path(path))


def ranges_ttc(path, series):
    c = Capture()
    keys = [c.counter("Fuel %02d" % i) for i in range(len(series))]
    t = c.thread()
    for at in range(max(map(len, series))):
        t.frame((10 + 2 * at) * MS)
        for i, s in enumerate(series):
            if at < len(s):
                t.counter(int((10.5 + 2 * at) * MS), keys[i], F64 if isinstance(s[at], float) else I64, s[at])
    t.frame(100 * MS)
    return c.write(suite.path(path))


def ranges(form, write):
    """Tables, charts and budgets of counters with random special values: a value each 2 ms, from 10.5 ms on, one in each frame."""
    rng = random.Random(40)
    special = VALUES + [-VALUES[-1], -7.25, 0.0, VALUES[-1]]
    series = [[-math.inf, math.inf], [math.inf, -math.inf], [math.nan, math.inf, -math.inf], [math.nan], [-math.inf, math.nan], [-math.inf],
              [-VALUES[-1], VALUES[-1]], [VALUES[-1]] * 3, [-VALUES[-1]] * 5]
    series += [[rng.choice(special[rng.choice((0, 1, 1)):][:rng.randint(3, len(special))]) for _ in range(rng.randint(1, 7))] for _ in range(60)]
    path = write("ranges." + form, series)

    def are(what, row, values):
        values = counted(values)
        have = [float(row[k]) for k in ("min", "max")]
        suite.true("%s, %s of %s: range %s to %s" % (form, what, row["counter"], *have), close(have[0], min(values)) and close(have[1], max(values)), values)

    start = None
    for row in suite.rows("counters", path):
        s = series[int(row["counter"].split()[1])]
        are("counters", row, s)
        suite.true("%s, counters: mean of %s: %s" % (form, row["counter"], row["mean"]), is_mean(row["mean"], counted(s)), s)
        start = row["first_ns"]
    n = 0
    for row in suite.rows("frame_counters", path):
        s, at = series[int(row["counter"].split()[1])], row["frame"] - 1
        if at < len(s):
            are("frame_counters, frame %d" % row["frame"], row, s[at:at + 1])
            n += 1
    suite.equal(form + ": values in frames", n, sum(map(len, series)))
    for row in suite.rows("counter_timeline", path, "--buckets", "4"):
        s = series[int(row["counter"].split()[1])]
        at = [start + 2 * MS * i for i in range(len(s))]
        before = [v for v, t in zip(s, at) if t < row["from_ns"]][-1:]
        are("counter_timeline", row, before + [v for v, t in zip(s, at) if row["from_ns"] <= t < row["to_ns"]])
    page = suite.path("ranges.html")
    suite.run("report", "-q", "--force", path, "-o", page)
    with open(page, encoding="utf-8") as f:
        charts = re.findall(r'<figure class="ln"><figcaption><strong>Fuel (\d+)</strong>.*?</figure>', f.read(), flags=re.S)
    vary = {"%02d" % i for i, s in enumerate(series) if len(s) > 1 and math.isfinite(counted(s)[0]) and len(set(counted(s))) > 1}
    suite.true(form + ": charts are of counters whose numbers vary", charts and set(charts) <= vary, sorted(set(charts) - vary))
    for i, said in ((0, "NaN or infinite"), (3, "NaN or infinite"), (999, "no counter of this name")):
        with open(suite.path("budget.json"), "w", encoding="utf-8") as f:
            json.dump({"tracetool_budget": 1, "rows": [{"id": "fuel", "metric": "counter", "counter": "Fuel %02d" % i, "stat": "max", "max": "5"}]}, f)
        out, err = suite.run("stats", "-q", path, "--gate", suite.path("budget.json"), status=None)
        suite.true("%s: verdict on counter %d says %s" % (form, i, said), said in out + err, out[-300:] + err)


def of_two_types(form, write):
    """A counter whose values are integers and fractions in turn is one counter; all its figures are of all values, and so are its charts."""
    rng = random.Random(7)
    series = [[[k, k + 0.5][k % 2] for k in range(30)], [3, 4, 5.5, 6, 7], [2.25, 3, 4], [float(2 ** 62), -5, 2 ** 53],
              [rng.choice((rng.randint(-99, 99), rng.randint(-99, 99) / 4)) for _ in range(25)], [math.inf, 3, math.nan, 4]]
    path = write("types." + form, series)
    for options in ((), ("-j", "2")):
        rows = suite.rows("counters", path, "--limit", "0", *options)
        suite.equal("%s: a row for each counter" % form, [r["counter"] for r in rows], ["Fuel %02d" % i for i in range(len(series))])
        for row, s in zip(rows, series):
            have = [float(row[k]) for k in ("count", "min", "max", "first", "last")]
            suite.equal("%s: %s" % (form, row["counter"]), have, [len(s), min(counted(s)), max(counted(s)), s[0], s[-1]])
            suite.true("%s: mean of %s: %s" % (form, row["counter"], row["mean"]), is_mean(row["mean"], list(map(float, counted(s)))), s)
    values = {}
    for row in suite.rows("counter_values", path, "--limit", "0"):
        values.setdefault(int(row["counter"].split()[1]), []).append(float(row["value"]))
    for row in suite.rows("frame_counters", path, "--limit", "0"):
        s, at = series[int(row["counter"].split()[1])], row["frame"] - 1
        if at < len(s):
            suite.true("%s: %s in frame %d" % (form, row["counter"], row["frame"]), close(float(row["last"]), s[at]), row)
    suite.true(form + ": all values", all(all(map(close, values[i], map(float, s))) and len(values[i]) == len(s) for i, s in enumerate(series)), values)
    page = suite.path("types.html")
    suite.run("report", "-q", "--force", path, "-o", page)
    with open(page, encoding="utf-8") as f:
        charts = re.findall(r'<figure class="ln"><figcaption><strong>Fuel (\d+)</strong>', f.read())
    suite.equal(form + ": charts, one for each", sorted(charts), sorted(set(charts)))


def whole_numbers():
    """A counter whose integers have and have not a sign in turn is exact, as far as a type of 64 bits holds all."""
    for what, values in (("no sign after one", [(5, 7), (4, -3), (5, 2 ** 53 + 1)]), ("a sign after none", [(4, -3), (5, 2 ** 53 + 1)]),
                         ("large", [(4, 3), (5, 2 ** 64 - 1), (4, 7)]), ("large, from the first", [(5, 2 ** 63 + 1), (4, 0)])):
        log = Log(10)
        log.block(SESSION, marker(COUNTER, "Fuel", [(4, "value")], flags=0x80))
        log.frame(10)
        log.frame(20, b"".join(struct.pack("<HBIQBB", 44, 0, COUNTER, (20 + i) * MS, 1, t) + (v % 2 ** 64).to_bytes(8, "little")
                               for i, (t, v) in enumerate(values)))
        log.frame(30)
        path, numbers = log.write(suite.path("whole.raw")), [v for _, v in values]
        suite.equal("integers, %s" % what, [(r["min"], r["max"], r["first"], r["last"]) for r in suite.rows("counters", path)],
                    [(min(numbers), max(numbers), numbers[0], numbers[-1])])
        suite.equal("integers, %s: in a frame" % what, [(r["min"], r["max"], r["last"]) for r in suite.rows("frame_counters", path)],
                    [(min(numbers), max(numbers), numbers[-1])])


def several_at_once(form, path):
    """Several outputs of one reading: each says how many values it lacks itself, on standard error and in its own ledger."""
    names = ["a.json", "b.csv", "c.pftrace", "d.sqlite", "e.json"]
    for order in (names, names[::-1]):
        _, err = suite.run("convert", path, *[w for n in order for w in ("-o", suite.path(n))])
        told = re.findall(r"^tracetool: \S*/(\S+): values that could not be written: (\d+)\.", err, re.M)
        lacks = sum(not math.isfinite(v) for v in VALUES)
        suite.equal("%s, %s: values that each lacks" % (form, " ".join(order)), told, [(n, str(lacks)) for n in order if n[0] in "ace"])
        for n in ("a.json", "e.json"):
            with open(suite.path(n), encoding="utf-8") as f:
                ledger = {e["id"]: e["count"] for e in strict(f.read())["otherData"]["losses"]}
            suite.equal("%s, %s: its ledger" % (form, n), ledger.get("values"), lacks)


def outputs(form, path):
    """Those of VALUES that an output can say, in order."""
    finite = [v for v in VALUES if math.isfinite(v)]
    out = {s: suite.path("out." + s) for s in ("json", "csv", "sqlite", "pftrace", "pb", "html", "pairs.json", "perf.json")}
    for s, options in (("json", ()), ("csv", ()), ("sqlite", ()), ("pftrace", ()), ("pairs.json", ("--begin-end",))):
        suite.run("convert", "-q", "--force", *options, path, "-o", out[s])
    for s in ("json", "pairs.json"):
        with open(out[s], encoding="utf-8") as f:
            events = strict(f.read())["traceEvents"]
        suite.equal("%s, %s: finite values" % (form, s), [next(iter(e["args"].values())) for e in events if e["ph"] == "C" and e["name"] == "Fuel"], finite)
        hits = [list(e["args"].values()) for e in events if e["name"] == "Hit"]
        suite.equal("%s, %s: arguments" % (form, s), hits, [["NaN", "Infinity"], ["-Infinity", 1.5]])
    several_at_once(form, path)
    with open(out["csv"], encoding="utf-8") as f:
        told = [line.split(",") for line in f if line.startswith("counter") and ",Fuel," in line]
    suite.equal(form + ", csv: all values", [close(float(t[9]), v) for t, v in zip(told, VALUES, strict=True)], [True] * len(VALUES))
    suite.equal(form + ", csv: words", [t[9] for t in told[1:4]], ["NaN", "Infinity", "-Infinity"])
    db = sqlite3.connect(out["sqlite"])
    suite.equal(form + ", sqlite: NULL and infinities", [v for v, in db.execute("select v.value from counter_value v join counter c on c.id = v.counter "
                "where c.name = 'Fuel' order by v.time_ns")], [None if math.isnan(v) else v for v in VALUES])
    no_text(form + ", sqlite", db)
    db.close()
    values = [m[1] for line in pftrace.load(out["pftrace"]).lines() if (m := re.match(r"\d+ count \(counter Fuel .*\) (\S+)$", line))]
    suite.equal(form + ", perfetto: values", [float(v) for v in values], [v for v in VALUES if math.isfinite(v)])
    for verb, more in (("stats", ("--limit", "0")), ("info", ()), ("diff", (path,))):
        text = suite.run(verb, "-q", path, *more, "--format", "json", status=5 if verb == "diff" else 0)[0]      # too few frames to compare
        try:
            strict(text)
            problem = None
        except ValueError as e:
            problem = str(e)
        suite.equal("%s: JSON of %s" % (form, verb), problem, None)
    for verb in ("stats", "diff"):
        for f in ("csv", "markdown", "text"):
            said = suite.run(verb, "-q", path, *((path,) if verb == "diff" else ()), "--format", f, status=5 if verb == "diff" else 0)[0]
            suite.equal("%s: words of C in %s as %s" % (form, verb, f), re.findall(r"(?<![\w])-?(?:nan|inf)(?![\w])", said), [])
    suite.run("report", "-q", path, "-o", out["html"])
    with open(out["html"], encoding="utf-8") as f:
        page = f.read()
    suite.equal(form + ": words of C in the page", re.findall(r"(?<![\w])-?(?:nan|inf)(?![\w])", re.sub(r"<script.*?</script>", "", page, flags=re.S)), [])
    for body in re.findall(r"<script[^>]*application/json[^>]*>(.*?)</script>", page, flags=re.S):
        strict(body)
    suite.equal(form + ": coordinates of the page", re.findall(r'(?:points|d|x|y|width|height)="[^"]*(?:nan|inf)[^"]*"', page, flags=re.I), [])
    suite.run("batch", "-q", path, "-o", suite.path("batch." + form), "--to-db", suite.path(form + ".db"), "--format", "json")
    with open(suite.path("batch." + form) + "/results.jsonl", encoding="utf-8") as f:
        for line in f:
            strict(line)
    db = sqlite3.connect(suite.path(form + ".db"))
    no_text(form + ", batch", db)
    db.close()


for form_, write_ranges in (("raw", ranges_raw), ("ttc", ranges_ttc)):
    ranges(form_, write_ranges)
    of_two_types(form_, write_ranges)
for form_, write in (("raw", raw), ("ttc", ttc)):
    several(form_, write("several." + form_, [(COUNTER, [1, 10]), (COUNTER, [2, 20, 30, 40]), (COUNTER, [3]), (COUNTER, [4, 50])]))
    cells(form_, write("cells." + form_, [(COUNTER, [v]) for v in VALUES]))
    extremes(form_, write("values." + form_, [(COUNTER, [v]) for v in VALUES]))
    statistics(form_, write, "nan", [math.nan, math.nan], (None,) * 5)
    statistics(form_, write, "infinite", [math.inf, math.inf], (math.inf,) * 4 + (None,))
    statistics(form_, write, "below", [-math.inf, 1.5], (1.5, 1.5, -math.inf, 1.5, math.inf))
    statistics(form_, write, "largest", [-VALUES[-1], VALUES[-1]], (-VALUES[-1], VALUES[-1], -VALUES[-1], VALUES[-1], None))
    outputs(form_, write("values." + form_, [(COUNTER, [v]) for v in VALUES] + [(PLAIN, [math.nan, math.inf]), (PLAIN, [-math.inf, 1.5])]))
undescribed()
whole_numbers()
suite.end()
