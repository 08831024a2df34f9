#!/usr/bin/env python3
"""Databases that `convert` writes, against what `stats` and CSV say of the same captures, read by SQLite and by a reader of our own.

    sqlite.py TRACETOOL

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import sqlite_file

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "unity"))
import ttc
from count import check, end, same
from suite import TESTDATA

TRACETOOL = sys.argv[1]
DIR = tempfile.mkdtemp(prefix="tracetool-sqlite.")
# Kinds of events in CSV that have tables of their own, and those that are left out.
OWN = {"zone": "slice", "alloc": "allocation", "sample": "sample", "counter": "counter_value", "flow": "flow",
       "heap_object": "heap_object", "heap_root": "heap_root"}


def run(*args, ok=(0, 3)):
    p = subprocess.run([TRACETOOL, *args], capture_output=True, timeout=600)
    check(p.returncode in ok, "%s: exit %d" % (" ".join(args), p.returncode), p.stderr)
    return p


def make(capture, *args, name="x.sqlite", ok=(0, 3)):
    path = os.path.join(DIR, name)
    run("convert", "-q", capture, "-o", path, *args, ok=ok)
    return path


def tables_of_stats(what, db, capture, *args):
    """Each table of stats as JSON has it, cell by cell."""
    report = json.loads(run("stats", "-q", "--format", "json", capture, *args).stdout)["tables"]
    for name, t in report.items():
        have = [dict(r) for r in db.execute('SELECT * FROM "%s"' % name)]
        want = [{k: int(v) if isinstance(v, bool) else v for k, v in row.items()} for row in t["rows"]]
        same("%s: table %s" % (what, name), have, want)


def names(what, db):
    """Markers with zones are called as the table of markers calls them, so that one is found by the name that the other has."""
    zones = {r[0]: r[1] for r in db.execute("SELECT marker, count(*) FROM slices GROUP BY marker")}
    same(what + ": names of slices", sorted(set(zones) - {r[0] for r in db.execute("SELECT marker FROM markers")}), [])
    same(what + ": names of the table markers", [r[0] for r in db.execute("SELECT marker FROM markers WHERE marker NOT IN (SELECT name FROM marker)")], [])
    same(what + ": markers of one name", [r[0] for r in db.execute("SELECT name FROM marker GROUP BY name HAVING count(*) > 1")], [])


def events(what, db, capture, *args):
    """Every event as CSV has it: zones with their names and times, all others by their number."""
    text = run("convert", "-q", "-f", "csv", "-o", "-", capture, *args).stdout.decode()
    count, zones, args_ = collections.Counter(), collections.Counter(), collections.Counter()
    allocs, objects, roots = collections.Counter(), collections.Counter(), collections.Counter()
    threads, called = {}, {}
    # CSV has arguments where anything defined would be called the same.
    for name, full, category in db.execute("SELECT m.name, full_name, ifnull(c.name, '') FROM marker m LEFT JOIN category c ON c.id = m.category"):
        at = full.rfind(" (")
        called.update({(full, category): name, (name + full[at:] if at > 0 else name, category): name, (name, category): name})
    for r in csv.DictReader(io.StringIO(text)):
        count[r["kind"]] += r["kind"] != "thread" or r["name"] != "name"
        if r["kind"] == "zone":
            name = called.get((r["name"], r["category"]), r["name"])
            zones[int(r["thread"]), int(r["start_ns"]), int(r["dur_ns"]), int(r["depth"]), name, r["category"]] += 1
            args_[r["args"]] += r["args"] != ""
        elif r["kind"] == "alloc":
            allocs[int(r["thread"]), int(r["start_ns"]), r["name"], int(r["value"])] += 1
        elif r["kind"] == "heap_object" and r["value"] == "0":
            count["heap_object"] -= 1           # more references of an object
        elif r["kind"] == "heap_object":
            objects[int(r["thread"]), int(r["start_ns"]), int(r["detail"], 16), r["name"], int(r["value"])] += 1
        elif r["kind"] == "heap_root":
            roots[int(r["thread"]), int(r["start_ns"]), int(r["detail"], 16)] += 1
        elif r["kind"] == "thread" and r["name"] == "name":
            threads[int(r["thread"])] = r["detail"]
    same(what + ": threads", dict(db.execute("SELECT id, name FROM thread")), threads)
    same(what + ": zones", collections.Counter(tuple(r) for r in db.execute(
        "SELECT s.thread, start_ns, dur_ns, depth, m.name, ifnull(c.name, '') FROM slice s JOIN marker m ON m.id = s.marker "
        "LEFT JOIN category c ON c.id = m.category")), zones)
    same(what + ": arguments", collections.Counter(r[0] for r in db.execute("SELECT args FROM slice_arg")), +args_)
    same(what + ": allocations", collections.Counter(tuple(r) for r in db.execute(
        "SELECT thread, time_ns, c.name, bytes FROM allocation a JOIN class c ON c.id = a.class")), allocs)
    same(what + ": objects", collections.Counter(tuple(r) for r in db.execute(
        "SELECT thread, time_ns, address, c.name, bytes FROM heap_object o JOIN class c ON c.id = o.class")), objects)
    same(what + ": roots", collections.Counter(tuple(r) for r in db.execute("SELECT thread, time_ns, object FROM heap_root")), roots)
    same(what + ": objects by shot", [tuple(r) for r in db.execute("SELECT shot, count(*), sum(bytes) FROM heap_object WHERE shot IS NOT NULL GROUP BY shot")],
         [tuple(r) for r in db.execute("SELECT shot, objects, bytes FROM heapshots WHERE objects > 0")])
    for kind, table in OWN.items():
        same("%s: %s" % (what, table), db.execute("SELECT count(*) FROM " + table).fetchone()[0], count[kind])
    same(what + ": events", dict(db.execute("SELECT kind, count(*) FROM event GROUP BY kind")),
         {k: n for k, n in count.items() if k not in OWN and k != "fact" and n})


def whole(what, path, db):
    """SQLite finds no fault, and the other reader finds the same rows."""
    same(what + ": integrity", db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    f, tables = sqlite_file.rows(path)
    same(what + ": numbers", (f.user_version, hex(f.application)), (1, "0x74740001"))
    for name, have in tables.items():
        want = [tuple(r) for r in db.execute('SELECT * FROM "%s"' % name)]
        # Whole numbers in a column of reals are stored as such.
        same("%s: rows of %s" % (what, name), [tuple(float(a) if isinstance(b, float) and a is not None else a for a, b in zip(x, y))
                                               for x, y in zip(have, want)] if len(have) == len(want) else len(have), want)
    for table, col in (("slice", "marker"), ("allocation", "class"), ("sample", "stack"), ("heap_object", "class")):
        lost = db.execute("SELECT count(*) FROM %s t LEFT JOIN %s k ON k.id = t.%s WHERE t.%s IS NOT NULL AND k.id IS NULL"
                          % (table, col, col, col)).fetchone()[0]
        same("%s: %s of %s" % (what, col, table), lost, 0)
    for (view,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view'").fetchall():
        check(db.execute("SELECT count(*) FROM " + view).fetchone()[0] >= 0, "%s: view %s" % (what, view))
    described = {r[0] for r in db.execute("SELECT DISTINCT table_name FROM about")}
    named = {r[0] for r in db.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}
    same(what + ": tables that about has", described, named)
    for name in sorted(named):
        same("%s: columns of %s that about has" % (what, name), [r[0] for r in db.execute(
            "SELECT column_name FROM about WHERE table_name = ? AND column_name <> ''", (name,))], [r[1] for r in db.execute('PRAGMA table_info("%s")' % name)])


def one(capture, *args):
    what = " ".join((os.path.basename(capture),) + args)
    path = make(capture, *args)
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    whole(what, path, db)
    tables_of_stats(what, db, capture, *args)
    names(what, db)
    events(what, db, capture, *args)
    db.close()


def levels(capture):
    """Fewer rows, the same tables and figures."""
    some, names = {}, {}
    for level in ("frames", "markers", "slices"):
        path = make(capture, "--level", level)
        db = sqlite3.connect(path)
        some[level] = {t: db.execute('SELECT count(*) FROM "%s"' % t).fetchone()[0]
                       for (t,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()}
        names[level] = db.execute("SELECT name, full_name FROM marker ORDER BY full_name").fetchall()
        same(level + ": level", db.execute("SELECT value FROM info WHERE key = 'level'").fetchone()[0], level)
        db.close()
    same("markers: the markers that slices has", names["markers"], names["slices"])
    same("frames: no names", (some["frames"]["marker"], some["frames"]["slice"], "markers" in some["frames"]), (0, 0, False))
    same("frames: frames", (some["frames"]["frame"], some["frames"]["frames"]), (some["slices"]["frame"], some["slices"]["frames"]))
    check(some["markers"]["marker"] > 0 and some["markers"]["slice"] == 0, "markers: markers alone")
    same("markers: tables of stats", [some["markers"][t] for t in ("markers", "alloc_sites", "threads", "frames")],
         [some["slices"][t] for t in ("markers", "alloc_sites", "threads", "frames")])


def stacks():
    """Recorded stacks: the frames of each allocation, as the truth that was recorded with it has them, lead to the outermost."""
    db = sqlite3.connect(make(os.path.join(TESTDATA, "mlpd", "good-d03-alloc-bt.mlpd")))
    with_stack, = db.execute("SELECT count(*) FROM allocation WHERE stack IS NOT NULL").fetchone()
    check(with_stack > 0, "allocations have stacks")
    same("each stack has an outermost frame", db.execute("SELECT count(*) FROM stack WHERE parent >= id").fetchone()[0], 0)
    deep = db.execute("SELECT count(*), max(depth) FROM stack_frames").fetchone()
    check(deep[0] >= with_stack and deep[1] > 0, "frames of stacks", deep)
    db.close()


def several(a, b):
    """Two inputs: processes 1 and 2, and what each has alone."""
    path = os.path.join(DIR, "two.sqlite")
    run("convert", "-q", a, b, "-o", path, "--align", "start")
    db = sqlite3.connect(path)
    same("two inputs", [r[0] for r in db.execute("SELECT path FROM process ORDER BY id")], [a, b])
    each = []
    for capture in (a, b):
        alone = sqlite3.connect(make(capture))
        each.append(alone.execute("SELECT count(*), sum(dur_ns) FROM slice").fetchone())
        alone.close()
    same("zones of both", [tuple(r) for r in db.execute(
        "SELECT count(*), sum(dur_ns) FROM slice s JOIN thread t ON t.id = s.thread GROUP BY process ORDER BY process")], each)
    db.close()


def beside_the_graph(capture):
    """A second output that wants the graph of the heap takes no object from the first."""
    alone = os.path.join(DIR, "alone.csv")
    run("convert", "-q", capture, "-o", alone, "--table", "events")
    both = [os.path.join(DIR, n) for n in ("references.csv", "events.csv")]
    run("convert", "-q", capture, "--table", "heapshot_references", "-o", both[0], "--table", "events", "-o", both[1])
    same("events beside the graph", open(both[1]).read() == open(alone).read(), True)
    run("convert", "-q", capture, "--table", "heapshot_references", "-o", alone)
    same("the graph beside events", open(both[0]).read() == open(alone).read(), True)


def outputs(capture):
    """A pipe, a compressed file, several workers and an old file in its place: the same bytes."""
    path = make(capture)
    want = open(path, "rb").read()
    same("standard output", run("convert", "-q", "-f", "sqlite", capture).stdout == want, True)
    run("convert", "-q", capture, "-o", os.path.join(DIR, "x.db.gz"))
    same("gzip", subprocess.run(["gzip", "-dc", os.path.join(DIR, "x.db.gz")], capture_output=True).stdout == want, True)
    for jobs in "123":
        same("-j " + jobs, open(make(capture, "-j", jobs), "rb").read() == want, True)
    # Not enough room for temporary files: an error that says what to do, and the old file is still there.
    p = run("convert", "-q", capture, "-o", path, "--spool-max", "64k", ok=(4,))
    check(b"--spool-max" in p.stderr, "the limit is named", p.stderr)
    same("the old output", open(path, "rb").read() == want, True)
    same("nothing else is left", [n for n in os.listdir(DIR) if ".tmp." in n], [])


def hostile():
    """Names with quotes, control characters and broken UTF-8 are data."""
    db = sqlite3.connect(make(os.path.join(TESTDATA, "mlpd", "good-d09-names-unicode-jit.mlpd"),
                              "--meta", "a';DROP TABLE slice;--=\"x\"", "--meta", "n=\x01\x1b[31m"))
    same("a fact with quotes", db.execute("SELECT value FROM fact WHERE key = ?", ("a';DROP TABLE slice;--",)).fetchone(), ('"x"',))
    check(db.execute("SELECT count(*) FROM slice").fetchone()[0] > 0, "slice is there")
    db.close()


def not_finite():
    """Counters that are no number, or infinite: what SQL computes of a column is of its numbers."""
    c = ttc.Capture()
    t = c.thread()
    t.zone(1000, 9000, c.marker("m"))
    key, values = c.counter("k", 0, "s"), [1.5, float("nan"), 2.0, float("inf"), -4.25, float("-inf"), float("nan")]
    for i, v in enumerate(values):
        t.counter(2000 + i, key, ttc.F64, v)
    db = sqlite3.connect(make(c.write(os.path.join(DIR, "nan.ttc")), name="nan.sqlite"))
    ask = lambda sql: db.execute(sql).fetchall()
    want = [None if v != v else v for v in values]
    same("NaN is NULL, infinities are reals", [r[0] for r in ask("SELECT value FROM counter_value ORDER BY rowid")], want)
    same("no number is a text", ask("SELECT count(*) FROM counter_value WHERE typeof(value) = 'text'"), [(0,)])
    same("what SQL computes", ask("SELECT max(value), min(value), count(value) FROM counter_value WHERE abs(value) < 9e999"), [(2.0, -4.25, 3)])


def unended():
    """Databases of SQLite's other journal: complete when SQLite has closed them and its -wal is gone, also where nothing can be written."""
    folder = os.path.join(DIR, "wal")
    os.makedirs(folder)
    path, link = os.path.join(folder, "w.sqlite"), os.path.join(DIR, "link.sqlite")
    os.symlink(path, link)
    db = sqlite3.connect(path)
    db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (41), (42)")
    for name in (path, link):
        p = run("query", name, "SELECT a FROM t", ok=(4, 3))
        check(b"-wal" in p.stderr and p.stdout == b"", "changes are in a -wal: " + os.path.basename(name), p.stderr)
    db.close()
    same("SQLite has removed its -wal, and the head still says WAL", (os.listdir(folder), open(path, "rb").read()[18:20]), (["w.sqlite"], b"\2\2"))
    open(path + "-wal", "w").close()
    same("an empty -wal has no changes", run("query", path, "--format", "csv", "SELECT a FROM t", ok=(0,)).stdout.split(), [b"a", b"41", b"42"])
    os.unlink(path + "-wal")
    os.chmod(path, 0o444)
    os.chmod(folder, 0o555)
    for name in (path, link):
        same("a complete database: " + os.path.basename(name), run("query", name, "--format", "csv", "SELECT a FROM t", ok=(0,)).stdout.split(),
             [b"a", b"41", b"42"])
    same("nothing was made beside it", os.listdir(folder), ["w.sqlite"])
    os.chmod(folder, 0o755)
    os.chmod(path, 0o644)
    # Killed in a change, through a link as well: the journal that SQLite left is beside what the link leads to.
    code = "import os,sqlite3,sys; d = sqlite3.connect(sys.argv[1]); d.executescript('PRAGMA journal_mode=DELETE; PRAGMA cache_size=1; BEGIN;" \
           "CREATE TABLE u(b); INSERT INTO u SELECT randomblob(3000) FROM (WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM k" \
           " WHERE i<99) SELECT i FROM k)'); os._exit(0)"
    subprocess.run([sys.executable, "-c", code, path], check=True)
    check(os.path.exists(path + "-journal"), "SQLite left a journal")
    for name in (path, link):
        p = run("query", name, "SELECT a FROM t", ok=(4, 3))
        check(b"-journal" in p.stderr and p.stdout == b"", "a change is not finished: " + os.path.basename(name), p.stderr)


def main():
    not_finite()
    unended()
    data = [("mlpd", "good-d01-gameloop-calls-alloc.mlpd"), ("mlpd", "good-d02-gameloop-sample.mlpd"), ("mlpd", "good-d03-alloc-bt.mlpd"),
            ("mlpd", "good-d04-exceptions.mlpd"), ("mlpd", "good-d05-monitors.mlpd"), ("mlpd", "good-d06-gcmoves-handles.mlpd"),
            ("mlpd", "good-d07-heapshot.mlpd"), ("mlpd", "good-d07-heapshot-v14.mlpd"),
            ("mlpd", "good-d09-names-unicode-jit.mlpd"), ("mlpd", "good-d10-counters-zip.mlpd"),
            ("mlpd", "good-d12-mono421-v11-calls.mlpd"),
            ("mlpd", "bad-cut-in-buffer.mlpd"), ("raw", "good-2019-every.raw"), ("raw", "bad-cut.raw"), ("data", "good-2021.data"),
            ("data", "good-2022-odd.data"), ("capture", "good-v1.0-every-kind.ttc"), ("demo", "good-hitches.ttc.xz")]
    for folder, name in data:
        one(os.path.join(TESTDATA, folder, name))
    game, demo = os.path.join(TESTDATA, "mlpd", data[0][1]), os.path.join(TESTDATA, "demo", "good-hitches.ttc.xz")
    for args in (("--frames", "10-20"), ("--marker", "Enemies*"), ("--thread", "Main", "--time", "0.5-1"), ("--min-duration", "1ms")):
        one(demo, *args)
    one(game, "--names", "full")
    for name in ("good-d07-heapshot.mlpd", "good-d07-heapshot-v14.mlpd"):
        beside_the_graph(os.path.join(TESTDATA, "mlpd", name))
    beside_the_graph(os.path.join(TESTDATA, "capture", "good-v1.0-every-kind.ttc"))
    levels(demo)
    stacks()
    several(game, demo)
    outputs(demo)
    hostile()
    shutil.rmtree(DIR)
    end()


main()
