#!/usr/bin/env python3
"""Databases of batches, and tracetool query: rows are those of results and of stats, shards and --resume change no byte, and the ten questions
are answered as Python answers them from the results.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import datetime
import json
import lzma
import os
import shutil
import sqlite3
import subprocess
import sys

import kit
import nightly
import words
from kit import run

GEN = nightly.GEN


def query(s, db, *args, form="json", ok=0):
    r = run("query", db, *args, "--format", form)
    s.equal("query %s: exit" % (args,), (r.returncode, r.err if ok == 0 else ""), (ok, ""))
    return json.loads(r.out)["tables"]["query"]["rows"] if ok == 0 else r.err


def same_rows(s, what, db, lines, options):
    """A row for each result, with its figures and facts; markers and sites as stats has them."""
    db = sqlite3.connect(db)
    db.row_factory = sqlite3.Row
    s.equal(what + ": integrity", db.execute("PRAGMA integrity_check").fetchone()[0], "ok")
    captures = [r for r in lines if r["type"] == "capture"]
    s.equal(what + ": captures in order", [r["key"] for r in db.execute("SELECT key FROM capture ORDER BY id")], [r["key"] for r in captures])
    s.equal(what + ": archives and files", [tuple(r) for r in db.execute("SELECT key, type, outcome FROM archive")],
            [(r["key"], r["type"], r["outcome"]) for r in lines if r["type"] in ("archive", "file")])
    for i, want in enumerate(captures, 1):
        row = dict(db.execute("SELECT * FROM capture WHERE id = ?", (i,)).fetchone())
        for k in ("outcome", "format", "producer", "date", "size", "hash", "decoded", "events", "threads", "duration_ns"):
            s.equal("%s: %s of %s" % (what, k, want["key"]), row[k], want.get(k))
        figures = {k.replace(".", "_", 1): v for k, v in want.get("metrics", {}).items()}
        s.equal("%s: figures of %s" % (what, want["key"]), {k: row.get(k) for k in figures}, figures)
        s.equal("%s: no other figure of %s" % (what, want["key"]), [k for k in row if k.startswith(("frames_", "gcalloc_")) and
                                                                    row[k] is not None and k not in figures], [])
        facts = dict(db.execute("SELECT key, value FROM fact WHERE capture = ?", (i,)))
        s.equal("%s: facts of %s" % (what, want["key"]), facts, want.get("meta", {}))
        for name in ("frame_ns", "frame_alloc_bytes", "pause_ns"):
            h = want.get("hist", {}).get(name, [])
            s.equal("%s: %s of %s" % (what, name, want["key"]), sum(r[0] for r in db.execute(
                "SELECT count FROM histogram WHERE capture = ? AND figure = ?", (i, name))), sum(h[3::2]))
        if want["outcome"] != "ok" or not options:
            continue
        stats = json.loads(run("stats", "-q", "--format", "json", "--table", "markers,alloc_sites", options[0] + want["key"],
                               *options[1:]).out)["tables"]
        have = [dict(r) for r in db.execute("SELECT m.name AS marker, m.category, t.* FROM capture_marker t JOIN marker m ON m.id = t.marker "
                                            "WHERE capture = ? ORDER BY t.rowid", (i,))]
        s.equal("%s: markers of %s" % (what, want["key"]), [{k: r[k] for k in stats["markers"]["rows"][0]} for r in have],
                stats["markers"]["rows"])
        have = [dict(r) for r in db.execute("SELECT * FROM allocation_site WHERE capture = ? ORDER BY rowid", (i,))]
        s.equal("%s: sites of %s" % (what, want["key"]), [{k: r[k] for k in r if k != "capture"} for r in have], stats["alloc_sites"]["rows"])
    db.close()


def results(path):
    return [r for r in map(json.loads, open(path)) if r["key"]]


def close(a, b):
    """Equal, reals to the second decimal."""
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 0.0101)


def answers(s, db, lines):
    """The ten questions, answered from the results."""
    caps, seen = [], set()
    for r in lines:
        if r["type"] == "capture":
            # tracetool-batch(1): the same recording, by its number or else by its identity, and as many events
            what = r.get("recording") or r.get("identity") or (r.get("size"), r.get("hash"))
            what = what, r.get("file"), r.get("events")
            r["copy"] = r["outcome"] != "failed" and "hash" in r and what in seen
            seen.add(what)
            caps.append(r)
    m = lambda r, k: r.get("metrics", {}).get(k)
    framed = [r for r in caps if not r["copy"] and (m(r, "frames.count") or 0) > 0]
    fact = lambda r, k: r.get("meta", {}).get(k)

    def check(n, want, cut=None):
        have = [list(r.values()) for r in query(s, db, "--example", str(n))]
        if cut:
            have, want = have[:cut], want[:cut]
        s.check("question %d" % n, None if len(have) == len(want) and all(len(a) == len(b) and all(map(close, a, b)) for a, b in zip(have, want))
                else "%r, not %r" % (have[:5], want[:5]))
        return have

    have = check(1, [[r["key"], r["outcome"], r.get("why"), r.get("detail")] for r in sorted(lines, key=lambda r: (r["outcome"], r["key"]))
                     if r["outcome"] != "ok"])
    s.check("question 1 names archives, too", None if any(r[0].endswith("locked.zip") for r in have) else have)
    check(2, [[r["key"], fact(r, "device"), fact(r, "build"), m(r, "frames.count"), round(1e9 * m(r, "frames.count") / m(r, "frames.total_ns"), 2),
               m(r, "frames.late"), m(r, "frames.p95_ns"), m(r, "frames.max_ns"),
               *[r["metrics"].get("frames." + c) for c in ("cap_ns", "cpu_p95_ns", "cpu_max_ns")]]
              for r in sorted(framed, key=lambda r: (-m(r, "frames.p95_ns"), r["key"]))][:20])

    def mean(rows):
        return sum(m(r, "frames.total_ns") for r in rows) // sum(m(r, "frames.count") for r in rows)

    last = datetime.date.fromisoformat(max(r["date"] for r in framed))
    monday = (last - datetime.timedelta(last.weekday())).isoformat()
    devices = {}
    for r in framed:
        devices.setdefault(fact(r, "device"), ([], []))[r["date"] >= monday].append(r)
    want = []
    for d, (was, now) in devices.items():
        if was and now:
            want.append([d, mean(was), mean(now), round(100.0 * (mean(now) - mean(was)) / mean(was), 2)])
    have = check(3, sorted(want, key=lambda r: (-r[3], r[0])))
    s.equal("question 3 has an answer", [r[0] for r in have if r[3] > 5], ["Slow"])
    builds = collections.OrderedDict()
    since = {b: min(r["date"] for r in caps if fact(r, "build") == b and not r["copy"] and r.get("date")) for b in {fact(r, "build") for r in caps} - {None}}
    for r in sorted((r for r in framed if fact(r, "build")), key=lambda r: (since[fact(r, "build")], fact(r, "build"))):
        builds.setdefault(fact(r, "build"), []).append(r)
    want, before = [], None
    for b, rows in builds.items():
        change = before and round(100.0 * (mean(rows) - before) / before, 2)
        want.append([b, min(r["date"] for r in rows), len(rows), mean(rows), change, max(m(r, "frames.p95_ns") for r in rows)])
        before = mean(rows)
    check(4, want)
    table = lambda r, t: [dict(zip(r["tables"][t]["columns"], row)) for row in r["tables"][t]["rows"]] if "tables" in r else []
    newest, was, now = max(since, key=lambda b: (since[b], b)), collections.defaultdict(list), collections.defaultdict(list)
    for r in caps:
        for row in table(r, "markers") if not r["copy"] and fact(r, "build") else []:
            (now if fact(r, "build") == newest else was)[row["marker"], row["category"]].append(row["p95_ns"])
    want = []
    for k, v in now.items():
        old = sum(was[k]) / len(was[k]) if was.get(k) else None
        if old is not None:
            want.append([k[0], sum(x > 1.05 * old for x in v), len(v), int(old), int(sum(v) / len(v))])
    check(5, sorted(want, key=lambda r: (-r[1], r[3] - r[4], r[0]))[:20])
    sums = collections.defaultdict(list)
    for r in caps:
        for row in table(r, "markers") if not r["copy"] else []:
            sums[row["marker"], row["category"]].append(row)
    check(6, sorted([[k[0], k[1] or None, len(v), sum(x["self_ns"] for x in v), sum(x["count"] for x in v), max(x["max_ns"] for x in v)]
                     for k, v in sums.items()], key=lambda r: (-r[3], r[0]))[:20])
    sites = collections.defaultdict(list)
    for r in caps:
        for row in table(r, "alloc_sites") if not r["copy"] else []:
            sites[row["marker"], row["class"]].append((r["key"], row))
    check(7, sorted([[k[0], k[1], len({x[0] for x in v}), sum(x[1]["bytes"] for x in v), sum(x[1]["count"] for x in v)]
                     for k, v in sites.items()], key=lambda r: (-r[3], r[0], r[1]))[:20])
    by = collections.defaultdict(list)
    for r in framed:
        by[fact(r, "device")].append(r)
    want = []
    for d, rows in by.items():
        n, over = sum(m(r, "frames.count") for r in rows), sum(m(r, "frames.over_33_33") for r in rows)
        want.append([d, len(rows), n, over, round(100.0 * over / n, 2)])
    check(8, sorted(want, key=lambda r: (-r[4], r[0])))
    stood = lambda r: m(r, "gcalloc.pause_max_ns") if m(r, "gcalloc.stopped_max_ns") is None else m(r, "gcalloc.stopped_max_ns")
    check(9, [[r["key"], m(r, "gcalloc.collections"), m(r, "gcalloc.stopped_ns"), m(r, "gcalloc.stopped_max_ns"), m(r, "gcalloc.pause_max_ns")]
              for r in sorted(caps, key=lambda r: (-(stood(r) or 0), r["key"])) if not r["copy"] and (stood(r) or 0) > 0][:20])
    n, a, b, c = (sum(m(r, "frames." + k) for r in framed) for k in ("count", "over_16_67", "over_33_33", "over_50"))
    check(10, [["1: up to 16.67 ms", n - a], ["2: up to 33.33 ms", a - b], ["3: up to 50 ms", b - c], ["4: over 50 ms", c]])


def refused(s, db, outs, one):
    """What a query may not do, and what is wrong with it: told, and nothing changes."""
    before = open(db, "rb").read()
    for sql, code, word in (("DELETE FROM capture", 2, "changes nothing"), ("ATTACH 'x.db' AS x", 2, "changes nothing"),
                            ("PRAGMA journal_mode=WAL", 2, "changes nothing"), ("SELECT load_extension('x')", 2, "changes nothing"),
                            ("SELEKT 1", 2, "syntax error"), ("SELECT 1; SELECT 2", 2, "one by one"), (" -- nothing", 2, "empty"),
                            ("SELECT nix FROM capture", 2, "list schema"), ("CREATE TABLE t (a)", 2, "changes nothing")):
        err = query(s, db, sql, ok=code)
        s.check("%s: says why" % sql, None if word in err else err)
    s.equal("the database is as it was", open(db, "rb").read() == before, True)
    # A program died while it changed a copy: refused, until SQLite has undone the change.
    hot = s.path("hot.sqlite")
    shutil.copy(db, hot)
    subprocess.run([sys.executable, "-c", "import os, sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
                    "c.execute('PRAGMA cache_size=1'); c.execute('BEGIN'); c.execute('UPDATE capture_marker SET count=0'); "
                    "c.execute('UPDATE capture SET outcome=1'); os._exit(9)", hot])
    s.equal("an unfinished change was left", os.path.exists(hot + "-journal"), True)
    err = query(s, hot, "SELECT sum(count) FROM capture_marker", ok=3)
    s.check("an unfinished change is told", None if "not finished" in err else err)
    # A new database in its place: what was beside the old one is not rolled back into it.
    new = s.path("hot2.sqlite")
    for n, args in enumerate((("merge", "-q", "--to-db", new, outs), ("convert", "-q", one, "-o", new))):
        shutil.copy(hot, new)
        shutil.copy(hot + "-journal", new + "-journal")
        open(new + "-wal", "w").write("x")
        run(*args)
        c = sqlite3.connect(new)
        s.equal("%s over a database with a journal" % args[0], (c.execute("PRAGMA integrity_check").fetchall(), sorted(os.listdir(s.dir)).count(
            "hot2.sqlite-wal"), c.execute("SELECT value FROM info WHERE key = 'kind'").fetchall()), ([("ok",)], 0, [(("batch", "capture")[n],)]))
        c.close()
    c = sqlite3.connect(hot)
    c.execute("PRAGMA integrity_check").fetchall()
    c.close()
    s.equal("it was undone", *(query(s, d, "SELECT sum(count) FROM capture_marker") for d in (hot, db)))
    other = s.path("no.sqlite")
    s.check("a missing file", None if "No such file" in query(s, other, "SELECT 1", ok=4) else "not told")
    open(other, "w").write("{}" * 100)
    s.check("no database", None if "not an SQLite database" in query(s, other, "SELECT 1", ok=3) else "not told")
    open(other, "wb").write(before[:len(before) // 2])
    r = run("query", other, "SELECT count(*) FROM capture_marker, allocation_site")
    s.check("half a database", None if r.returncode == 3 and "damaged" in r.err else "%d %s" % (r.returncode, r.err))
    for args in ((db,), (db, "--example", "11"), (db, "SELECT 1", "--example", "1"), ("--examples", db)):
        s.equal("query %s: exit" % (args,), run("query", *args).returncode, 2)
    # In text: two decimals, or all digits where these would say nothing or be wrong.
    for value, want in (("123.456", "123.46"), ("0.0004", "0.0004"), ("-0.05", "-0.05"), ("9.3e15", "9.3e+15"), ("-1e300", "-1e+300"), ("1e999", "Infinity")):
        s.equal("the real number " + value, run("query", db, "SELECT %s AS a" % value).out.decode().split()[-1], want)
    s.equal("forms", [run("query", db, "SELECT 1 AS a_ns, 'x' AS b, NULL AS c, 0.5 AS d, x'00ff' AS a_ns", "--format", f).out.decode()
                      for f in ("csv", "text")],
            ["a_ns,b,c,d,a_ns_2\n1,x,,0.5,x'00ff'\n", "Query\n  no value in 1 row: c\n  a_ns  b     d  a_ns_2\n  1 ns  x  0.50  x'00ff'\n"])


def columns(s, top):
    """The view captures has a column for each fact: keys that differ in capitals, and more keys than it has room for."""
    one = os.path.join(top, "Fast", "9", "0.mlpd")
    outs = []
    for n in (1, 2):
        outs.append(s.path("keys-%d" % n))
        more = [x for k in range(300) for x in ("--meta", "k%d-%d=%d" % (n, k, k))]
        run("batch", "-q", "-o", outs[-1], "--root", top, "--meta", "zz_all=7", "--meta", "Build=B", "--meta", "BUILD=C", "--meta", "frames_p95_ns=x",
            *(("--meta", "build=b") if n == 1 else ()), *more, one if n == 1 else os.path.join(top, "Fast", "9", "1.mlpd"))
    db = s.path("keys.sqlite")
    r = run("merge", "-q", "--to-db", db, *outs)
    c = sqlite3.connect(db)
    c.row_factory = sqlite3.Row
    rows = [dict(r) for r in c.execute("SELECT * FROM captures ORDER BY id")]
    s.equal("keys that differ in capitals", [[r.get(k) for k in ("build", "Build (2)", "BUILD (3)", "zz_all", "fact frames_p95_ns")] for r in rows],
            [["b", "B", "C", "7", "x"], [None, "B", "C", "7", "x"]])
    keys = c.execute("SELECT count(DISTINCT key) FROM fact").fetchone()[0]
    have = len(rows[0]) - len(c.execute("SELECT * FROM capture").description)
    left = c.execute("SELECT value FROM info WHERE key = 'keys_without_column'").fetchone()
    s.equal("more keys than columns", (have, left and left[0] - (keys + 1 - have), "device" in rows[0]), (500, 0, True))
    s.check("more keys than columns: told", None if "lacks %d of the facts" % (keys + 1 - 500) in r.err else r.err)
    s.equal("facts of all captures first", [sum(r[k] is not None for r in rows) for k in ("zz_all", "Build (2)")], [2, 2])
    c.close()
    # Without any fact the questions' own are there.
    run("batch", "-q", "--to-db", db, one)
    for n, why in ((3, "no device has captures"), (4, "no capture with frames has the fact build"), (5, "batch --meta build=NAME")):
        s.check("question %d without facts: why it has no answer" % n, why not in run("query", db, "--example", str(n)).out.decode() and n)
    run("convert", "-q", one, "-o", s.path("capture.sqlite"))
    err = query(s, s.path("capture.sqlite"), "--example", "2", ok=2)
    s.check("a question to a capture's database", "not a database of a batch" not in err and err)
    s.equal("no facts", query(s, db, "SELECT device, build, count(*) AS n FROM captures"), [{"device": None, "build": None, "n": 1}])


def no_room(s):
    """Markers and sites that results have no room for: questions that sum them up say how many."""
    path, db = s.path("many.mlpd"), s.path("many.sqlite")
    script = ["image\t1\tGame.dll", "class\t2\t1\tSystem.String", "thread\t1\tMain"]
    script += ["method\t%d\tGame.Some.Name.Space.Of.Many:Method%d ()" % (i, i) for i in range(1, 3001)]
    for i in range(1, 3001):
        script += ["enter\t%d\t1\t%d" % (i * 1000, i), "alloc\t%d\t1\t2\t%d" % (i * 1000 + 1, 32), "leave\t%d\t1\t%d" % (i * 1000 + 500, i)]
    subprocess.run([GEN, path, "1"], input="\n".join(script) + "\n", text=True, check=True)
    run("batch", "-q", "--to-db", db, "--meta", "build=1", path)
    c = sqlite3.connect(db)
    for n, table, of in ((5, "capture_marker", "markers"), (6, "capture_marker", "markers"), (7, "allocation_site", "places")):
        left = 3000 - c.execute("SELECT count(*) FROM " + table).fetchone()[0]
        note = json.loads(run("query", db, "--example", str(n), "--format", "json").out)["tables"]["query"].get("note")
        s.check("question %d without some" % n, None if left > 0 and note and note.startswith("without %d %s" % (left, of)) and "1 capture:" in note else note)
    note = json.loads(run("query", db, "--example", "8", "--format", "json").out)["tables"]["query"].get("note")
    s.equal("question 8 is without none", note, None)
    c.close()


def copies(s):
    """tracetool-sqlite(7): sums with `WHERE copy = 0` are the figures of the batch, however copies are compressed."""
    folder, db = s.path("twice"), s.path("twice.sqlite")
    os.makedirs(folder)
    packed = open(os.path.join(kit.TESTDATA, "gate", "good-base1.ttc.xz"), "rb").read()
    whole = lzma.decompress(packed)
    for name, data in (("a.ttc", whole), ("b.ttc.gz", kit.pack("gz", whole)), ("c.ttc.xz", packed)):
        open(os.path.join(folder, name), "wb").write(data)
    open(os.path.join(folder, "d.zip"), "wb").write(kit.zipped([("a.ttc", whole)]))
    total = json.loads(run("batch", "-q", "--format", "json", "--to-db", db, folder).out)["tables"]["batch"]["rows"][0]
    s.equal("copies, in order of keys", query(s, db, "SELECT key, copy FROM capture ORDER BY key"),
            [{"key": k, "copy": c} for k, c in (("a.ttc", 0), ("b.ttc.gz", 1), ("c.ttc.xz", 1), ("d.zip!a.ttc", 1))])
    s.equal("sums without copies", query(s, db, "SELECT sum(frames_count) AS frames, sum(events) AS events FROM capture WHERE copy = 0"),
            [{k: total[k] for k in ("frames", "events")}])


def main():
    s = kit.Suite()
    top = s.path("in/")
    nightly.captures(top)
    frames = nightly.FRAMES
    outs = nightly.batches(s.dir, top, "--meta", "a'\"b=c", "--meta", "date=x", to_db=True)
    s.equal("a database of each", [o for o in outs if not os.path.exists(o + ".sqlite")], [])
    night, lines = s.path("night.sqlite"), s.path("all.jsonl")
    run("merge", "-q", "-o", lines, "--to-db", night, *outs)
    lines = results(lines)
    same_rows(s, "merged", night, lines, (top,) + frames)
    s.equal("a fact with quotes", query(s, night, "SELECT DISTINCT \"a'\"\"b\" AS x, \"fact date\" AS y FROM captures"), [{"x": "c", "y": "x"}])
    answers(s, night, lines)
    refused(s, night, s.path("out-Fast-9"), os.path.join(top, "Fast", "9", "0.mlpd"))
    r = run("query", night, "SELECT 1", "--format", "text", "-o", night)
    s.equal("a query over its own database", (r.returncode, words.say("input_and_output") in r.err), (2, True))

    # One run, three shards and a run that was interrupted: the same bytes.
    one = s.path("one.sqlite")
    run("batch", "-q", "-o", s.path("one"), "--root", top, *frames, "--to-db", one, top)
    want = open(one, "rb").read()
    for i in (1, 2, 3):
        run("batch", "-q", "-o", s.path("shards"), "--root", top, *frames, "--to-db", s.path("shard%d.sqlite" % i), "--shard", "%d/3" % i, top)
    s.equal("a shard writes no database", [i for i in (1, 2, 3) if os.path.exists(s.path("shard%d.sqlite" % i))], [])
    run("merge", "-q", "-o", s.path("shards"), "--to-db", s.path("shards.sqlite"), s.path("shards"))
    s.equal("shards", open(s.path("shards.sqlite"), "rb").read() == want, True)
    part = s.path("part.sqlite")
    os.mkdir(s.path("some"))
    shutil.copy(s.path("shards", "results.2-of-3.jsonl"), s.path("some"))
    run("merge", "-q", "--partial", "--to-db", part, s.path("some"))
    s.equal("a part says what it lacks", [query(s, db, "SELECT value FROM info WHERE key = 'missing'") for db in (part, one)],
            [[{"value": "shard 1 of 3 (no file), shard 3 of 3 (no file)"}], []])
    whole = open(s.path("one", "results.jsonl"), "rb").read()
    os.rename(s.path("one", "results.jsonl"), s.path("one", "results.part"))
    os.truncate(s.path("one", "results.part"), len(whole) // 2)
    os.unlink(one)
    run("batch", "-q", "-o", s.path("one"), "--root", top, *frames, "--to-db", one, "--resume", top)
    s.equal("interrupted and resumed", open(one, "rb").read() == want, True)

    # Below what is read, night after night.
    below = os.path.join(top, "Fast", "night.sqlite")
    s.equal("a database below what is read", [run("batch", "-q", "--to-db", below, os.path.join(top, "Fast")).returncode for _ in "12"], [3, 3])
    os.unlink(below)

    # Results without markers: told by merge; --resume makes them.
    run("batch", "-q", "-o", s.path("bare"), "--root", top, *frames, top)
    r = run("merge", "-q", "--to-db", s.path("bare.sqlite"), s.path("bare"))
    s.check("results without markers are told", None if "were made without --to-db" in r.err else r.err)
    run("batch", "-q", "-o", s.path("bare"), "--root", top, *frames, "--to-db", s.path("bare.sqlite"), "--resume", top)
    s.equal("made again with markers", open(s.path("bare.sqlite"), "rb").read() == want, True)
    columns(s, top)
    copies(s)
    no_room(s)
    s.equal("no temporary file is left", [n for n in os.listdir(s.dir) if ".tmp." in n], [])
    s.end()


main()
