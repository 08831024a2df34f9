"""Cost is linear in whatever a capture can define many of.

For each such thing, captures with N and 2N of it, and every command over them: how many instructions it takes, which does not depend
on load. They are counted by perf where the machine counts them, else in qemu, else by valgrind. Twice as much may cost 2.3 times the
instructions at full length (TT_SET=all, N = 4,000, some minutes of two cores). In check N is small (200) and there is a capture of 4N,
so that what a start costs is left out: the step from 2N to 4N may cost three times that from N to 2N. There a part of the kinds is tried
by lot: `stats` with every table goes over each of the captures, and some other commands over all of them together; at full length every
verb of the table kinds x verbs, table(), goes over each.

    growth.py [KIND]...        these kinds alone, or "all", each with its figures; another N by TT_N

batch is counted at full length alone, where it is far more than how often its processes look for each other, which depends on load;
not by valgrind (it lacks a system call of its processes). What it does with all captures, merge does, too.
"""
import concurrent.futures
import json
import os
import re
import struct
import subprocess
import sys
import zlib

for folder in ("unity", "kit"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
import instructions as counting
import kit
import lot
import raw_log
import ttc

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
N = int(os.environ.get("TT_N", 4000 if kit.LONG else 200))
# Below a few thousand of each, buffers that double and steps that are worth it only for many weigh as much; what grows with the square takes four times.
MOST = 2.3 if kit.LONG else 3
THROW, LOCK, ROOT, HANDLE, COVERED, STATEMENTS = 22, 24, 25, 20, 31, 32


def zones(t, keys, dur=10):
    for i, key in enumerate(keys):
        t.zone(1000 + i * 100, 1000 + i * 100 + dur, key)


def categories(n):
    c = ttc.Capture()
    zones(c.thread(), [c.marker("m%d" % i, c.category("c%d" % i, 0xff)) for i in range(n)])
    return c


def markers(n):
    c = ttc.Capture()
    zones(c.thread(), [c.marker("m%d" % i) for i in range(n)])
    return c


def overloads(n):
    c = ttc.Capture()
    zones(c.thread(), [c.marker("Game.A:Go (int%d)" % i) for i in range(n)])
    return c


def markers_printed_alike(n):
    """Names of control characters, which tables print as one and number."""
    c = ttc.Capture()
    zones(c.thread(), [c.marker("m" + "".join("\1\2"[i >> bit & 1] for bit in range(16))) for i in range(n)])
    return c


def threads(n):
    c = ttc.Capture()
    key = c.marker("m")
    for i in range(n):
        t = c.thread()
        t.zone(1000 + i, 1100 + i, key)
        c.thread_name(t.native, "g", "t%d" % i)
    return c


def threads_apart(n):
    """Threads, each with a category and a marker that no other has."""
    c = ttc.Capture()
    for i in range(n):
        c.thread().zone(1000 + i, 1100 + i, c.marker("m%d" % i, c.category("c%d" % i, 0xff)))
    return c


def names(n):
    c = ttc.Capture()
    t = c.thread()
    t.zone(1000, 1100, c.marker("m"))
    for i in range(n):
        c.thread_name(t.native, "g", "t%d" % i)
    return c


def counters(n):
    c = ttc.Capture()
    keys = [c.counter("k%d" % i, 0, "s%d" % i) for i in range(n)]
    t = c.thread()
    for i, key in enumerate(keys):
        t.counter(1000 + i, key, ttc.F64, i / 3)
    return c


def labels(n):
    c = ttc.Capture()
    own = c.marker("m")
    zones(c.thread(), [c.label_zone(own, "label %d" % i) for i in range(n)])
    return c


def facts(n):
    c = ttc.Capture()
    c.thread().zone(1000, 2000, c.marker("m"))
    for i in range(n):
        c.fact(i, "k%d" % i, "v%d" % i)
    return c


def scopes(n):
    """Zones inside each other, at most as many as a stack holds, again and again by other names."""
    c = ttc.Capture()
    keys = [c.marker("m%d" % i) for i in range(n)]
    t = c.thread()
    for at in range(0, n, 100):
        part = keys[at:at + 100]
        for i, key in enumerate(part):
            t.begin(1000 + at * 1000 + i, key)
        for i in range(len(part)):
            t.end(1000 + at * 1000 + 500 + i)
    return c


def frames(n):
    c = ttc.Capture()
    key = c.marker("m")
    t = c.thread()
    for i in range(n):
        t.frame(1000 + i * 100)
        t.zone(1010 + i * 100, 1050 + i * 100, key)
    return c


def frames_apart(n):
    """Frames, in each of which a category, a marker and a label are met that are in no other."""
    c = ttc.Capture()
    own = c.marker("m")
    t = c.thread()
    for i in range(n):
        at = 1000 + i * 100
        t.frame(at)
        t.zone(at + 10, at + 50, c.marker("m%d" % i, c.category("c%d" % i, 0xff)))
        t.zone(at + 60, at + 90, c.label_zone(own, "label %d" % i))
    return c


def mono(n, kind=None, payload=None):
    c = ttc.Capture(producer="tracetool Mono module")
    own = c.marker("A:Go ()")
    t = c.thread()
    t.zone(1000, 1000 + n * 100, own)
    for i in range(n):
        key = 0x10000 + i * 16
        c.record(76, ttc.varint(0) + ttc.varint(key) + b"\0" + ttc.varint(0) + ttc.text("Space%d.Class%d" % (i, i)) + ttc.text(""))
        if kind is None:
            t.alloc(1000 + n * 100 + i * 10, key, 24)
        else:
            t.other(1000 + n * 100 + i * 10, kind, payload(i, key))
    return c


def classes(n):
    return mono(n)


def exceptions(n):
    return mono(n, THROW, lambda i, key: ttc.varint(0x20000000 + i * 32) + ttc.varint(key) + ttc.varint(0))


def locks(n):
    return mono(n, LOCK, lambda i, key: bytes([1]) + ttc.varint(0x20000000 + i * 32) + ttc.varint(0))


def roots(n):
    return mono(n, ROOT, lambda i, key: b"\0" + ttc.varint(0x30000000 + i * 64) + b"".join(ttc.varint(x) for x in (8, 1, key)) + ttc.text("r%d" % i))


def handles(n):
    return mono(n, HANDLE, lambda i, key: bytes([0, 0]) + ttc.varint(i) + ttc.varint(0x20000000 + i * 32))


def coverage(n):
    """Methods, each with a statement and in a file of its own."""
    c = ttc.Capture(producer="tracetool Mono module")
    t = c.thread()
    t.zone(1000, 1100, c.marker("A:Go ()"))
    for i in range(n):
        at = 2000 + i * 10
        names = ("Game", "Space%d.Class%d" % (i, i), "Go", "()", "s%d.cs" % i)
        t.other(at, COVERED, b"".join(ttc.varint(x) for x in (i, 0x6000000 + i, 1)) + b"".join(ttc.text(x) for x in names))
        t.other(at + 1, STATEMENTS, ttc.varint(i) + ttc.zigzag(0) + b"".join(ttc.varint(x) for x in (1, 7, 3)))
    return c


def methods(n):
    """In a capture of Mono's log profiler."""
    lines = ["thread\t0\tMain"] + ["method\t%d\tSpace%d.Class%d:Go (int)" % (i, i, i) for i in range(1, n + 1)]
    for i in range(1, n + 1):
        lines += ["enter\t%d\t0\t%d" % (i * 100, i), "leave\t%d\t0\t%d" % (i * 100 + 50, i)]
    return "\n".join(lines + ["end\t%d\t0" % ((n + 2) * 100)]) + "\n"


def logs(n):
    """Logs of Unity's profiler appended to each other, all but the last of them empty."""
    c = raw_log.Log(100)
    c.block(c.main, raw_log.zone(1, 100, 101))
    c.b = c.b[:36] * n + c.b
    return c


def logs_with_carries(n):
    """Such logs, each with a thread whose last message no block completes."""
    c = raw_log.Log(100)
    c.block(c.main, raw_log.zone(1, 100, 101) + raw_log.sample(36, 1, 102) + raw_log.sample(37, 1, 103)[:9])
    c.b = c.b * n
    return c


def carries(n):
    """Threads of such a log, each with a message that the end of the file cuts."""
    c = raw_log.Log(100)
    for i in range(n):
        c.block(1000 + i, raw_log.zone(1, 100, 101) + raw_log.sample(36, 1, 102) + raw_log.sample(37, 1, 103)[:9])
    return c


def frames_paused(n):
    """Threads with two frames each, in a recording with as many pauses between these."""
    c = raw_log.Log(100)
    for i in range(n):
        c.block(1000 + i, struct.pack("<HIQ", 34, 0, 100 * raw_log.MS))
    for i in range(n):
        c.block(raw_log.SESSION, raw_log.state(0, 101 + i / 1000) + raw_log.state(1, 101.0005 + i / 1000))
    for i in range(n):
        c.block(1000 + i, struct.pack("<HIQ", 34, 1, 900 * raw_log.MS))
    return c


def markers_logged(n):
    c = raw_log.Log(100, ["Main Thread"] + ["m%d" % i for i in range(n)])
    for i in range(1, n + 1):
        c.block(c.main, raw_log.zone(i, 100 + i / 100, 100.005 + i / 100))
    return c


def threads_logged(n):
    c = raw_log.Log(100)
    for i in range(n):
        c.block(raw_log.SESSION, raw_log.thread(1000 + i, 100, "t%d" % i))
        c.block(1000 + i, raw_log.zone(1, 101 + i / 1000, 102 + i / 1000))
    return c


def frames_logged(n):
    c = raw_log.Log(100)
    for i in range(n):
        c.frame(100 + 16 * i)
    return c


def blocks_unknown(n):
    """Blocks that begin with a message of an unknown type, with a text of another length each."""
    c = raw_log.Log(100)
    for i in range(n):
        c.block(c.main, struct.pack("<HI", 77, i % 40) + i % 40 * b"x" + raw_log.zone(1, 101 + i, 101.5 + i))
    return c


def paths_throwing(n):
    """Four frames, in each of which an exception is thrown on as many paths."""
    c = ttc.Capture(producer="tracetool Mono module")
    own, t = c.marker("A:Go ()"), c.thread()
    keys = [c.marker("A:M%d ()" % i) for i in range(n)]
    c.record(76, ttc.varint(0) + ttc.varint(0x10000) + b"\0" + ttc.varint(0) + ttc.text("Space.Failed") + ttc.text(""))
    for f in range(4):
        at = 1000 + f * (n + 2) * 100
        t.frame(at)
        t.begin(at + 1, own)
        for i, key in enumerate(keys):
            t.begin(at + 10 + i * 100, key)
            t.other(at + 20 + i * 100, THROW, ttc.varint(0x20000000 + i * 32) + ttc.varint(0x10000) + ttc.varint(0))
            t.end(at + 60 + i * 100)
        t.end(at + 20 + n * 100)
    return c


def instants(n):
    """Instants of a frame, each with a text of its own."""
    c = ttc.Capture()
    t = c.thread()
    t.frame(500)
    for i in range(n):
        t.instant(1000 + i * 10, c.marker("i%d" % i), [(ttc.TEXT, "text %d" % i)])
    t.frame(1000 + n * 10)
    return c


def flows(n):
    """Flows between two zones each."""
    c = ttc.Capture()
    key, t = c.marker("m"), c.thread()
    for kind in (0, 2):
        for i in range(n):
            at = 1000 + (i + kind * n) * 100
            t.begin(at, key)
            t.flow(at + 10, kind, i + 1)
            t.end(at + 20)
    return c


def flows_of_next(n):
    """Flows that belong to the next zone, which is the last one in the log."""
    c = raw_log.Log(100)
    for i in range(0, n, 50):
        c.block(c.main, b"".join(struct.pack("<HBI", 57, 1, k + 1) + struct.pack("<HBIQ", 38, 0, 1, 101 * raw_log.MS + k) for k in range(i, min(i + 50, n))))
    c.block(c.main, raw_log.zone(1, 102, 103))
    return c


def arguments(n):
    c = ttc.Capture()
    key, t = c.marker("m"), c.thread()
    for i in range(n):
        t.zone(1000 + i * 100, 1050 + i * 100, key, [(ttc.TEXT, "text %d" % i), (ttc.I64, i)])
    return c


def allocs_framed(n):
    """Twenty frames, in which as many classes are allocated."""
    c = ttc.Capture(producer="tracetool Mono module")
    own, t = c.marker("A:Go ()"), c.thread()
    for i in range(n):
        key = 0x10000 + i * 16
        c.record(76, ttc.varint(0) + ttc.varint(key) + b"\0" + ttc.varint(0) + ttc.text("Space%d.Class%d" % (i, i)) + ttc.text(""))
    for f in range(20):
        at = 1000 + f * n * 10
        t.frame(at)
        t.begin(at + 1, own)
        for i in range(n * f // 20, n * (f + 1) // 20):
            t.alloc(at + 2 + i - n * f // 20, 0x10000 + i * 16, 24)
        t.end(at + n * 9)
    t.frame(1000 + 20 * n * 10)
    return c


def deep(n):
    """One frame of forty with calls nested so deep, in check deeper: below ten thousand what is done for each is not all done yet."""
    n = (12 if kit.LONG else 48) * n
    lines, t = ["thread\t0\tMain", "method\t99\tWorld:Frame ()", "method\t1\tGame.World:Draw (int)"], 1000
    for f in range(40):
        lines.append("enter\t%d\t0\t99" % t)
        for way in ("enter", "leave") if f == 5 else ():
            for i in range(n):
                t += 100
                lines.append("%s\t%d\t0\t1" % (way, t))
        t += 1000000
        lines.append("leave\t%d\t0\t99" % t)
    return "\n".join(lines + ["end\t%d\t0" % (t + 10)]) + "\n"


def zones_spanning(n):
    """Zones of another thread, each from one frame to the third after it."""
    c = raw_log.Log(100, ["Main Thread", "Work"] + ["m%d" % i for i in range(n)])
    for i in range(n):
        c.block(7000 + i % 4, (raw_log.sample(37, i - 2, 101 + 16 * i) if i >= 4 else b"") + raw_log.sample(36, 2 + i, 102 + 16 * i))
        c.frame(100 + 16 * i)
    return c


def pauses(n):
    """Pauses of one recording."""
    c = raw_log.Log(100)
    c.frame(100)
    for i in range(n):
        c.block(raw_log.SESSION, raw_log.state(0, 120 + i * 2) + raw_log.state(1, 121 + i * 2))
    c.frame(130 + 2 * n)
    return c


def names_of_one_thread(n):
    """Threads of one id after each other."""
    c = raw_log.Log(100)
    for i in range(n):
        c.block(raw_log.SESSION, raw_log.thread(1000, 100 + i, "t%d" % i))
        c.block(1000, raw_log.zone(1, 100.1 + i, 100.2 + i))
    return c


def texts_logged(n, distinct=True):
    """Values of samples that are texts, of twenty letters."""
    c = raw_log.Log(100)
    c.block(raw_log.SESSION, raw_log.marker(2, "Spawn", ((8, "wave"),)))
    for i in range(0, n, 50):
        c.block(c.main, b"".join(struct.pack("<HBIQBB", 44, 0, 2, 101 * raw_log.MS + k, 1, 8) + raw_log.text("Wave of Enemy %06d" % (k if distinct else 0))
                                 for k in range(i, min(i + 50, n))))
    return c


KINDS = [categories, markers, overloads, markers_printed_alike, threads, threads_apart, names, counters, labels, facts, scopes, frames,
         frames_apart, classes, exceptions, locks, roots, handles, coverage, methods, logs, logs_with_carries, carries, frames_paused,
         markers_logged, threads_logged, frames_logged, blocks_unknown, paths_throwing, instants, flows, flows_of_next, arguments, allocs_framed, deep,
         zones_spanning, pauses, names_of_one_thread, texts_logged]


def game(path, run):
    """A capture of twenty frames in a session of its own."""
    c = ttc.Capture(run=run)
    key = c.marker("m")
    t = c.thread()
    for i in range(20):
        t.frame(1000 + i * 1000)
        t.zone(1010 + i * 1000, 1500 + i * 1000, key)
    c.fact(0, "session", run.decode())
    return c.write(path)


def sessions(s, n):
    """A baseline of ${n} sessions, and what reads it."""
    budget, base, path = s.path("budget.json"), s.path("base-%d.json" % n), game(s.path("new.ttc"), b"the newest one--")
    with open(budget, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "frame.time", "stat": "p95", "max": "+5%" } ] }')
    gate = ["stats", "-q", "-j1", "--gate", budget, "--inconclusive", "pass"]
    subprocess.run([kit.TRACETOOL, *gate, "--save", base, game(s.path("old.ttc"), b"the first of all")], check=True, stdout=subprocess.DEVNULL)
    with open(base) as f:
        doc = json.load(f)
    first = doc["sessions"][0]["captures"][0]
    ident = first["id"]
    first["values"] = {k: v for k, v in first["values"].items() if k in ("frame.time.p95", "lost.events.total")}
    for k in list(first):
        if k not in ("name", "id", "facts", "frames", "values"):
            del first[k]
    one = json.dumps(doc["sessions"][0])
    doc["sessions"] = [json.loads(one.replace(ident, "%016x" % i).replace("the first of all", "session %d" % i)) for i in range(n)]
    with open(base, "w") as f:
        json.dump(doc, f)
    yield "gate", [*gate, "--baseline", base, path]
    yield "gate, explained", [*gate, "--baseline", base, path, "--explain", "a"]
    yield "gate with --append", [*gate, "--save", base, "--append", path]


def captures(s, n):
    """Results of ${n} captures, and what reads them."""
    n = n if kit.LONG else n // 20
    out, path = s.path("results-%d" % n), game(s.path("one.ttc"), b"the one capture-")
    budget = s.path("limit.json")
    with open(budget, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "frame.time", "stat": "p95", "max": "1s" } ] }')
    gate = ["--gate", budget, "--today", "2026-01-01", "--inconclusive", "pass"]
    subprocess.run([kit.TRACETOOL, "batch", "-q", path, "-o", out, *gate], check=True, stdout=subprocess.DEVNULL)
    path = os.path.join(out, "results.jsonl")
    with open(path) as f:
        line = f.readlines()[1]           # the first is the record of the run
    line = line[:line.index(',"crc"')]
    one = json.loads(line + "}")
    ident = re.search(r'"id":"([0-9a-f]{16})"', line).group(1)
    with open(path, "w") as f:
        for i in range(n):
            text = line.replace(one["key"], "c%d.ttc" % i).replace(one["hash"], "%016x" % i).replace(one["recording"], "%032x" % i)
            text = text.replace(one["meta"]["session"], "session %d" % i).replace(ident, "%016x" % i)
            f.write('%s,"crc":"%08x"}\n' % (text, zlib.crc32(text.encode())))
    yield "merge", ["merge", "-q", "-o", path + ".all", path]
    yield "merge by session", ["merge", "-q", "-o", path + ".all", "--group-by", "session", "--report", path + ".csv", path]
    yield "merge with a gate", ["merge", "-q", "-o", path + ".all", *gate, path]


def threads_alike(s, n):
    """Frames of a capture with ${n} threads of one name, in every format."""
    c = ttc.Capture()
    key, path = c.marker("m"), s.path("alike-%d.ttc" % n)
    main = c.thread()
    main.frame(1000)
    main.frame(10 ** 9)
    for i in range(n):
        t = c.thread()
        t.zone(2000 + i, 2100 + i, key)
        c.thread_name(t.native, "g", "same")
    c.write(path)
    for emitter in [r["name"] for r in kit.listed("emitters") if r["name"] != "lcov"]:
        yield "threads of one name as " + emitter, convert([path], "--force", "-f", emitter, "--marker", "m", "-o", s.path("alike"))


def budget_rows(s, n):
    """A budget of ${n} rows, or 4,096, the most, each about another marker, of which a capture has the first hundred. Each row looks at each marker."""
    n = min(n, 4096)
    budget, path = s.path("rows-%d.json" % n), make(s, markers, 100)
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [{"id": "r%d" % i, "metric": "marker.time", "marker": "m%d" % i, "stat": "total", "max": "1s"}
                                                   for i in range(n)]}, f)
    gate = ["stats", "-q", "-j1", "--gate", budget, "--inconclusive", "pass", path]
    yield "budget of many rows", gate
    yield "budget of many rows, as JSON", [*gate, "--json", s.path("rows.v")]
    yield "budget of many rows, saved", [*gate, "--save", s.path("rows.base")]


def renames(s, n):
    """${n} names that changed, and what compares captures by them."""
    path, names = make(s, markers, n), s.path("renames-%d.txt" % n)
    with open(names, "w") as f:
        f.write("".join("m%d\tm%d\n" % (i, n - 1 - i) for i in range(n)))
    yield "names that changed", ["diff", "-q", "-j1", "--rename", names, path, "--", path]


def saved(s, n):
    """What Unity's Editor saves: many frames, samples of a frame, and threads."""
    # A buffer more or less weighs as much as a few hundred samples do; more than about five thousand have no room in a frame.
    for what in ("frames", "samples", "workers") if kit.LONG else ("frames", "workers"):
        path = s.path("%s-%d.data" % (what, n))
        sizes = {"frames": 3, "samples": 6, "workers": 2, what: n // 2 if what == "samples" else n}
        subprocess.run([sys.executable, os.path.join(FOLDER, "unity", "data_gen.py"), path, *sum((["--" + k, str(v)] for k, v in sizes.items()), [])],
                       check=True, stdout=subprocess.DEVNULL)
        yield "%s of .data, stats" % what, stats([path])
        yield "%s of .data, report" % what, ["report", "-q", "-j1", path, "-o", s.path("saved.html")]
        yield "%s of .data, converted" % what, convert([path], "-o", s.path("saved.json"))
        yield "%s of .data, compared" % what, ["diff", "-q", "-j1", path, "--", path]


def zones_open(s, n):
    """Zones that stay open over all later frames: inside each other on one thread, and each on a thread of its own. Outputs are left out that have a row or
    a zone for each of them in each frame: the tables by frame and marker, and .pdata."""
    n = n if kit.LONG else 4 * n  # what a page does for each of a few hundred frames is not all done for more
    for where in ("inside", "beside"):
        c = raw_log.Log(100, ["Main Thread", "Work"] + ["m%d" % i for i in range(n)])
        for i in range(n):
            c.block(7000 + i * (where == "beside"), raw_log.sample(36, 2 + i, 102 + 16 * i))
            c.frame(100 + 16 * i)
        for i in reversed(range(n)):
            c.block(7000 + i * (where == "beside"), raw_log.sample(37, 2 + i, 102 + 16 * n))
        path = s.path("open-%s-%d.raw" % (where, n))
        c.write(path)
        for what, line in table(zones_open, path, path):
            if what in ("report", "summary", "gate", "causes", "suggest", "diff page", "convert to .json", "convert to .pftrace", "convert to .sqlite"):
                yield "%s, %s" % (where, what), line
        with open(s.path("frames.json"), "w") as f:
            f.write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "thread.time", "thread": "*", "stat": "per_frame.mean", "max": "1 s" } ] }')
        yield where + ", time in frames", ["stats", "-q", "-j1", "--gate", s.path("frames.json"), "--inconclusive", "pass", path]


def zones_open_alike(s, n):
    """Many zones of one marker that stay open over few frames: the product of both is more than the rest of the work, and has no rows."""
    n = n // (20 if kit.LONG else 1)
    for where, threads in (("inside", 1), ("beside", 25)):
        c, zones, frames = raw_log.Log(100), n * 30 // threads, n // 7
        for t in range(threads):
            for at in range(0, zones, 1000):
                c.block(7000 + t, raw_log.sample(36, 1, 102) * min(1000, zones - at))
        for i in range(frames):
            c.frame(103 + 16 * i)
        for t in range(threads):
            for at in range(0, zones, 1000):
                c.block(7000 + t, raw_log.sample(37, 1, 104 + 16 * frames) * min(1000, zones - at))
        path = s.path("alike-%s-%d.raw" % (where, n))
        c.write(path)
        for what, line in table(zones_open_alike, path, path):
            if what in ("report", "summary", "causes"):
                yield "%s, %s" % (where, what), line
        yield where + ", markers by frame", ["stats", "-q", "-j1", "--table", "frame_markers", path]
    c = ttc.Capture()
    key, t, at = c.marker("m"), c.thread(), 2000
    for i in range(20 * n):
        t.begin(1000, key)
    for i in range(4 * n):            # each frame is among the worst of those before
        t.frame(at)
        at += 1000000 + i * 100
    for i in range(20 * n):
        t.end(at)
    yield "around frames, table of frames", ["stats", "-q", "-j1", "--table", "frames", c.write(s.path("around-%d.ttc" % n))]


def name_long(s, n):
    """A name of ${n} times 200 characters, without a place to break it, in what people read."""
    c = raw_log.Log(100, ["Main Thread", "<" * (200 * n)])
    for i in range(5):
        c.frame(100 + 16 * i)
    path = c.write(s.path("name_long-%d.raw" % n))
    yield "summary", ["-q", "-j1", path]
    yield "tables", ["stats", "-q", "-j1", path]
    yield "report", ["report", "-q", "-j1", path, "-o", s.path("name_long.html")]
    yield "compared", ["diff", "-q", "-j1", path, "--", path]
    yield "scrub", ["info", "-q", "--scrub", path, "-o", s.path("name_long.copy")]


def check_memory(s):
    """Of each session of a baseline no more is kept than rows ask for: names, facts and a figure for each row. Documents are counted, too."""
    used = []
    for n in (500, 2500):
        line = dict(sessions(s, n))["gate"]
        r = subprocess.run([kit.TRACETOOL, *("-v" if x == "-q" else x for x in line)], capture_output=True, text=True, check=False)
        counted = re.search(r"\(([\d.]+) (KB|MB) counted", r.stderr)
        used.append(float(counted.group(1)) * (1 if counted.group(2) == "KB" else 1000) if counted else 0)
    each = (used[1] - used[0]) / 2000
    s.check("memory of a session of a baseline", None if 0.2 < each < 1 else "%.1f kB: %s" % (each, used))


def check_scrub(s):
    """Small inputs may have millions of texts: what each costs in a copy without names, in instructions; 77,000 once. Most are repeated."""
    for what, distinct, most in (("a text of its own", True, 30000), ("a text like others", False, 3000)):
        used = []
        for n in (1000, 3000):
            path = texts_logged(n, distinct).write(s.path("texts.raw"))
            got, rc, said = instructions(["info", "-q", "--scrub", path, "-o", s.path("texts-%d-%d.copy" % (n, distinct))])
            used.append(got if rc == 0 else 0)
        each = (used[1] - used[0]) / 2000
        s.check("scrubbing " + what, None if all(used) and 100 < each < most else "%.0f instructions: %s %s" % (each, used, said[-200:]))


def shots_of_one(n):
    """A log of Mono's with ${n} heap shots of one object, which refers to itself; layout: tracetool-mlpd(7)."""
    def number(x):
        return bytes([x & 127 | 128]) + number(x >> 7) if x > 127 else bytes([x])
    args = b"".join(struct.pack("<i", len(x)) + x for x in (b"log:x\0", b"x86-64\0", b"linux\0"))
    head = struct.pack("<IBBBBQQiiiH", 0x4D505A01, 3, 0, 17, 8, 1700000000000, 0, 10, 0, 1, 0) + args
    named = b"\x22\x00\x01" + number(32) + number(16) + b"C\0" + b"\x22\x00\x07" + number(48) + number(0) + number(32)
    shot = b"\x06\x00" + b"\x26\x00\x05" + number(48) + number(16) + b"\0\x01\x00\x05" + b"\x16\x00"
    return head + b"".join(struct.pack("<IiQQQQQ", 0x4D504C01, len(x), 0, 0, 0, 1, 0) + x for x in (named, shot * n))


def check_shots(s):
    """A heap shot of one object costs little more than that, in instructions of the tables of heap shots; 125,000 once, by arrays for a large heap."""
    used = []
    for n in (1000, 3000):
        path = s.path("shots.mlpd")
        with open(path, "wb") as f:
            f.write(shots_of_one(n))
        out = subprocess.run([kit.TRACETOOL, "info", "-q", path], capture_output=True, text=True, check=False).stdout
        got, rc, said = instructions(["stats", "-q", "-j1", "--table", "heapshot_history,heapshot_paths", path])
        used.append(got if rc == 0 and re.search(r"heap object +{:,}".format(n), out) else 0)
    each = (used[1] - used[0]) / 2000
    s.check("a heap shot of one object", None if all(used) and 100 < each < 30000 else "%.0f instructions: %s %s" % (each, used, said[-200:]))


def check_callers(s):
    """A zone inside many alike costs little in the call tree from callees up, in instructions; 107,000 once, by sorting callers at each level."""
    used = []
    for n in (1000, 3000):
        c = ttc.Capture()
        keys, t = [c.marker("m%d" % i) for i in range(2)], c.thread()
        for i in range(n):
            t.begin(1000 + i, keys[i % 400 == 0])
        for i in range(n):
            t.end(9000 + i)
        got, rc, said = instructions(["stats", "-q", "-j1", "--table", "calltree_bottom_up", c.write(s.path("callers.ttc"))])
        used.append(got if rc == 0 else 0)
    each = (used[1] - used[0]) / 2000
    s.check("a zone inside many alike", None if all(used) and 100 < each < 40000 else "%.0f instructions: %s %s" % (each, used, said[-200:]))


def methods_unnamed(n):
    """Zones of as many markers that nothing defines: some kilobytes, compressed, may have 500,000."""
    c = ttc.Capture()
    zones(c.thread(), range(0x100000, 0x100000 + n), 50)
    return c


def check_paths(s):
    """A path of a marker of its own, without a name, costs little, in instructions. Once 14,900 in stats, by a histogram of all buckets, by all figures of
    rows that are not shown, and by comparing what stands for the name with each known name; 35,800 in a page; 41,600 in a database, by reading back numbers
    that were printed."""
    for what, args, most in (("stats", ["stats", "-q", "-j1"], 7500), ("a page", ["report", "-q", "-j1", "-o", s.path("paths.html")], 18000),
                             ("a database", ["convert", "-q", "-j1", "--force", "-o", s.path("paths.sqlite")], 34000)):
        used = []
        for n in (1000, 3000):
            got, rc, said = instructions([*args, methods_unnamed(n).write(s.path("paths.ttc"))])
            used.append(got if rc == 0 else 0)
        each = (used[1] - used[0]) / 2000
        if SHOW:
            print("%s: %.0f instructions a path" % (what, each))
        s.check("a path of its own in " + what, None if all(used) and 100 < each < most else "%.0f instructions: %s %s" % (each, used, said[-200:]))


OTHERS = [sessions, captures, threads_alike, budget_rows, renames, saved, zones_open, zones_open_alike, name_long]


def tables():
    rows = [r for r in kit.listed("metrics") if "table" in r]
    return ",".join(dict.fromkeys(r["table"] for r in rows if not r["table"].startswith("capture")))


NO_CAP = ["--max-memory", "0"]          # what is many may need more than 1 GiB


def instructions(args):
    """How many ${args} takes in all of its processes, how it ends, and what it says."""
    # Valgrind and qemu lack system calls of the sandbox.
    return counting.count(COUNTER, [kit.TRACETOOL, *args, *NO_CAP], TRACETOOL_SANDBOX="off")


def stats(paths):
    return ["stats", "-q", "-j1", "--limit", "0", "--buckets", "2", "--format", "json", "--table", TABLES, *paths]


def convert(paths, *rest):
    return ["convert", "-q", "-j1", *paths, *rest]


SUFFIXES = tuple(r["suffix"].split()[0] for r in kit.listed("emitters") if r["suffix"])


def table(kind, path, out):
    """Every verb that takes a capture of ${kind}, by its name: noun by noun, this is the table that the lot draws from."""
    frame = ["--frame-marker", "World:Frame"] if kind == deep else []
    yield "report", ["report", "-q", "-j1", path, "-o", out + ".html", *frame]
    yield "summary", ["-q", "-j1", path, *frame]
    yield "info", ["info", "-q", path]
    yield "diff", ["diff", "-q", "-j1", path, "--", path]
    yield "diff page", ["diff", "-q", "-j1", path, "-o", out + ".diff.html", "--", path]
    yield "gate", ["stats", "-q", "-j1", "--gate", BUDGET, "--inconclusive", "pass", path, "--save", out + ".base"]
    yield "suggest", ["stats", "-q", "-j1", "--suggest", path, *frame]
    yield "by thread", ["stats", "-q", "-j1", "--group-by", "thread", path]
    yield "causes", ["stats", "-q", "-j1", "--table", "causes,frame_causes", path, *frame]
    for suffix in SUFFIXES:
        yield "convert to " + suffix, convert([path], "--force", "-o", out + suffix, *frame)
    yield "convert to pairs", convert([path], "--begin-end", "-o", out + ".json")
    if path.endswith(".ttc"):
        yield "recover", ["recover", "-q", path, "-o", out + ".whole"]
    if path.endswith((".raw", ".mlpd")):
        yield "scrub", ["info", "-q", "--scrub", path, "-o", out + ".copy"]
    if not kit.LONG:
        yield "query", ["query", "-q", path, "SELECT count(*) FROM slice"]


def commands(kind, paths, out):
    """What reads captures with many of ${kind}, or of several kinds, with a name for each; at full length what is not in table()."""
    for key in ("thread", "namespace", "assembly", "domain") if kit.LONG else ("thread",):
        yield "stats by " + key, ["stats", "-q", "-j1", "--group-by", key, *paths]
    yield "a metric in time", ["stats", "-q", "-j1", "--buckets", "2", "--metric", "marker.time[*].total", *paths]
    if not kit.LONG:
        framed = "frames|paths_throwing|instants|allocs_framed|zones_spanning|pauses"        # none may have frames that the others lack
        alike = [p for p in paths if not re.match(framed, os.path.basename(p))]
        yield "convert", convert(paths, *sum((["-o", out + suffix] for suffix in (".json", ".csv", ".pb", ".folded")), []))
        yield "info", ["info", "-q", *paths]
        yield "diff", ["diff", "-q", "-j1", *alike, "--", *alike]
        return
    if COUNTER != counting.valgrind:
        yield "batch", ["batch", "-q", "-j1", *paths]
    yield "stats", stats(paths)
    if kind in (markers, categories, scopes, frames_apart, threads_apart):
        yield "stats from a marker on", ["stats", "-q", "-j1", "--frame-marker", "m1", *paths]
        yield "stats from any marker on", ["stats", "-q", "-j1", "--frame-marker", "re:m", "--table", "frames,hitches", *paths]
    if kind == coverage:
        yield "convert to lcov", convert(paths, "-o", out + ".info")
    if kind == classes:
        yield "allocations found", ["stats", "-q", "-j1", "--find", "S:1", *paths]
        yield "classes found", ["stats", "-q", "-j1", "--find", "T:Space*", *paths]
    yield "stats of names", ["stats", "-q", "-j1", "--marker", "re:[mGAS]", "--category", "*", *paths]


def make(s, kind, n):
    """The path of a capture with ${n} of ${kind}."""
    made = kind(n)
    path = s.path("%s-%d.%s" % (kind.__name__, n, "mlpd" if isinstance(made, str) else "raw" if isinstance(made, raw_log.Log) else "ttc"))
    if isinstance(made, str):
        subprocess.run([os.path.join(kit.BUILD, "kit", "calls_gen"), path], input=made, text=True, check=True)
    elif path.endswith(".raw"):
        made.write(path)
    else:
        made.run = kind.__name__.encode()[:16].ljust(16, b"-")      # a recording of its own
        made.write(path)
    return path


def compare(s, what, lines):
    """${lines}: the same command for each size."""
    got = [instructions(line) for line in lines]
    i = [x for x, _, _ in got]
    # An emitter, or a suggestion, that takes no such capture says so before it has read it.
    if all(rc == 2 and re.search("no (whole )?frame|no coverage|no frames|no capture ended", said) for _, rc, said in got):
        return
    if any(rc not in (0, 1, 3, 5) for _, rc, _ in got) or not all(i):
        s.check(what, str([(rc, said[-200:]) for _, rc, said in got]))
        return
    ratio = i[1] / i[0] if kit.LONG else (i[2] - i[1]) / max(i[1] - i[0], 1)
    if not kit.LONG and i[2] - i[0] < 300 * N:
        ratio = 0                 # next to nothing is done for each
    if SHOW:
        print("%s: %.2f %s" % (what, ratio, i), flush=True)
    s.check(what, None if ratio <= MOST else "%.2f times for twice as many: %s" % (ratio, i))


def one(s, kind):
    """Compare what reads captures with many of ${kind}; the captures."""
    if kind in OTHERS:
        lines = [list(kind(s, n)) for n in SIZES]
        paths = []
    else:
        paths = [[make(s, kind, n)] for n in SIZES]
        lines = [list(commands(kind, p, p[0])) if kit.LONG else [("stats", stats(p))] for p in paths]
    for same in zip(*lines):
        compare(s, "%s, %s" % (kind.__name__, same[0][0]), [line for _, line in same])
    # Few of a kind are no measure for every verb: a report of 800 frames does what one of 400 does not need.
    if kind not in OTHERS and kit.LONG:
        for same in zip(*(table(kind, p[0], p[0]) for p in paths)):
            compare(s, "%s, %s" % (kind.__name__, same[0][0]), [line for _, line in same])
    return paths


if __name__ == "__main__":
    suite = kit.Suite()
    TABLES, BUDGET = tables(), suite.path("all.json")
    with open(BUDGET, "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "marker.time", "marker": "*", "stat": "total", "max": "+5%" } ] }')
    SIZES = (N, 2 * N) if kit.LONG else (N, 2 * N, 4 * N)
    only = sys.argv[1:]
    SHOW = bool(only)             # all: every kind, with its figures
    kinds = [k for k in KINDS + OTHERS if not set(only) - {"all"} or k.__name__ in only]
    kinds = kinds if only else lot.some(kinds, 12, "growth")
    COUNTER = counting.fastest([kit.TRACETOOL, "list"])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = [f.result() for f in [pool.submit(one, suite, k) for k in kinds]]
        together = [sum(p, []) for p in zip(*(m for m in made if m))]
        every = [] if kit.LONG else zip(*(commands(None, p, suite.path("out-%d" % i)) for i, p in enumerate(together)))
        for f in [pool.submit(compare, suite, same[0][0], [line for _, line in same]) for same in every]:
            f.result()
    if not only:
        check_memory(suite)
        check_scrub(suite)
        check_shots(suite)
        check_callers(suite)
        check_paths(suite)
    suite.end()
