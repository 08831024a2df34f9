#!/usr/bin/env python3
"""What events of Unity's .raw become: allocations in their zones, values by name, threads of one id."""
import collections
import itertools
import csv
import json
import os
import re
import struct
import sys

from raw_log import MAIN, MS, SESSION, Log, marker, sample, state, text, thread, zone
from ttc import Suite
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from pdata_file import Pdata

suite = Suite()


def alloc(number, ms, size, stack=()):
    """An allocation, with the stack of addresses that follows it."""
    b = struct.pack("<HBIQBBq", 42, 0, number, int(ms * 10 ** 6), 1, 4, size) + sample(37, number, ms)
    return b + struct.pack("<HIB", 3, 7, len(stack)) + b"".join(struct.pack("<Q", a) for a in stack) if stack else b


def method(start, name):
    return struct.pack("<HQQI", 8, 1, start, 256) + text(name) + text("") + struct.pack("<I", 0)


def allocations():
    """The same stacks in two zones, and one allocation without a stack; the thread's root is no zone."""
    c = Log(100, ("Main Thread", "Work", "Draw", "GC.Alloc"))
    c.block(SESSION, marker(2, "Draw", category=0) + method(0x5000, "Enemy:Spawn ()") + method(0x6000, "Enemy:Update ()"))
    stack = (0x5010, 0x6020)
    for k in range(3):
        ms = 100 + 10 * k
        work = sample(36, 1, ms + 1) + alloc(3, ms + 2, 1000, stack) + alloc(3, ms + 3, 50) + sample(37, 1, ms + 4)
        draw = sample(36, 2, ms + 5) + alloc(3, ms + 6, 7, stack) + sample(37, 2, ms + 7)
        c.frame(ms, sample(36, 0, ms) + work + draw + sample(37, 0, ms + 9))
    path = c.write(suite.path("allocations.raw"))
    t = suite.report("stats", path, "--table", "calltree,alloc_categories,alloc_sites,alloc_paths", "--threshold", "0")["tables"]
    suite.equal("zones have the bytes allocated in them, with or without a stack",
                {(r["marker"], r["depth"]): r["alloc_bytes"] for r in t["calltree"]["rows"]},
                {("Main Thread", 0): 3171, ("Work", 1): 3150, ("Draw", 1): 21})
    suite.equal("categories are the zones'", {r["category"]: r["bytes"] for r in t["alloc_categories"]["rows"]}, {"Other": 3150, "Render": 21})
    suite.equal("sites are the innermost methods", {r["marker"]: r["bytes"] for r in t["alloc_sites"]["rows"]}, {"Enemy:Spawn": 3021, "Work": 150})
    suite.equal("paths have both", {r["path"]: r["bytes"] for r in t["alloc_paths"]["rows"]},
                {"Work > Enemy:Update > Enemy:Spawn": 3000, "Work": 150, "Draw > Enemy:Update > Enemy:Spawn": 21})
    suite.equal("a category chosen has the sites in its zones", [(r["marker"], r["bytes"]) for r in suite.rows("alloc_sites", path, "--category", "Render")],
                [("Enemy:Spawn", 21)])
    suite.equal("no method becomes a zone", sorted(r["marker"] for r in suite.rows("markers", path)), ["Draw", "Work"])


def times_of_zero():
    """A thread whose zones take no time is in the call trees, for 0 is not less than 0 percent; 1 percent leaves it out."""
    c = Log(100, ("Main Thread", "Work", "Outer", "Inner"))
    c.block(SESSION, thread(200, 90, "Mixer"))
    for k in range(3):
        ms = 100 + 10 * k
        c.frame(ms)
        c.block(200, sample(36, 2, ms + 2) + zone(3, ms + 2, ms + 2) + sample(37, 2, ms + 2))
    path = c.write(suite.path("zero.raw"))
    want = [("Main Thread", 0, None), ("Work", 1, 3), ("Mixer", 0, None), ("Outer", 1, 3), ("Inner", 2, 3)]
    tree = lambda rows, count: [(r["marker"], r["depth"], r[count]) for r in rows]
    suite.equal("calls of no time in the call tree", tree(suite.rows("calltree", path, "--threshold", "0"), "count"), want)
    suite.equal("with one thread", tree(suite.rows("calltree", path, "--threshold", "0", "--thread", "Mixer"), "count"), want[2:])
    suite.equal("with one marker", tree(suite.rows("calltree", path, "--threshold", "0", "--marker", "Inner"), "count"), want[2:])
    suite.equal("with a threshold", tree(suite.rows("calltree", path, "--threshold", "1"), "count"), want[:2])
    suite.equal("in two frames", tree(suite.rows("compared_calltree", path, "--threshold", "0", "--compare-frames", "1,2"), "b_count"),
                [(name, depth, count and 1) for name, depth, count in want])


def names_with_a_nul():
    """A name ends at its first NUL; its block is read. What is behind the NUL is not in a scrubbed copy."""
    c = Log(100, ("Main Thread", "Work\0secret", "Draw\0"))
    c.block(SESSION, thread(200, 100, "Loader\0secret") + marker(3, "Late", params=((2, "size\0secret"),)))
    for k in range(3):
        ms = 100 + 10 * k
        c.frame(ms, sample(36, 0, ms) + zone(1, ms + 1, ms + 4) + zone(2, ms + 5, ms + 6) + zone(3, ms + 7, ms + 8) + sample(37, 0, ms + 9))
        c.block(200, zone(3, ms + 1, ms + 2))
    path, copy = c.write(suite.path("nul.raw")), suite.path("copy.raw")
    t = suite.report("stats", path, "--table", "markers,threads,loss")["tables"]
    suite.equal("names end at a NUL", {r["marker"]: r["count"] for r in t["markers"]["rows"]}, {"Work": 3, "Draw": 3, "Late": 6})
    suite.equal("those of threads, too", sorted(r["thread"] for r in t["threads"]["rows"]), ["Loader", "Main Thread"])
    suite.equal("nothing is lost", [r for r in t["loss"]["rows"] if r["kind"] not in ("open", "not_ended")], [])
    suite.run("info", "--scrub", "-o", copy, path)
    suite.equal("scrubbed", (b"secret" in open(path, "rb").read(), b"secret" in open(copy, "rb").read()), (True, False))
    rows = suite.report("stats", copy, "--table", "markers")["tables"]["markers"]["rows"]
    suite.equal("the copy has as many names", sorted(r["count"] for r in rows), [3, 3, 6])


def reused(registered):
    """The system uses the id of a thread with frames again, for a thread with frames that registers at ${registered} ms."""
    c = Log(100, ("Main Thread", "Work", "Worker 0", "Loader"))
    c.block(SESSION, thread(200, 90, "Worker 0"))
    for k in range(8):
        ms = 100 + 10 * k
        c.frame(ms)
        if k == 4:
            c.block(SESSION, thread(200, registered, "Loader"))
        c.block(200, struct.pack("<HIQ", 34, k, ms * MS))
        root = 2 + (k >= 4)
        c.block(200, sample(36, root, ms + 0.5) + zone(1, ms + 1, ms + 2) + sample(37, root, ms + 9))
    path = c.write(suite.path("reused.raw"))
    got = [(r["thread"], r["first_ns"], r["calls"]) for r in suite.report("info", path)["tables"]["capture_threads"]["rows"] if r["tid"] == "0xc8"]
    suite.equal("threads of one id, the second registered at %g ms" % registered, got,
                [("Worker 0", 0, 4), ("Loader", (40 if registered <= 140 else 40.5) * MS, 4)])


def of_one_id(words, names, ends, apart):
    """
    Threads of one id, called ${names}, one after the other, in versions ${words}: each ends if ${ends}. There are ${apart} MB of another thread between two.
    Before 2018.2, a registration does not say when it was. A thread that registers again, and has not ended, stays the same.
    """
    for word in words:
        said = word not in (0x20170327, 0x20171110)
        since = lambda ms: struct.pack("<Q", int(ms * MS)) if said else b""
        register = lambda ms, name: struct.pack("<HQ", 33, 200) + since(ms) + struct.pack("<I", 1) + text("") + text(name)
        c = Log(100)
        c.b = c.b[:8] + struct.pack("<I", word) + c.b[12:]
        if not said:
            main = thread(100, 0, "Main Thread")
            c.b = c.b.replace(main, main[:10] + main[18:]).replace(struct.pack("<I", len(first_body(c))), struct.pack("<I", len(first_body(c)) - 8), 1)
        c.block(SESSION, register(95, names[0]))
        for k in range(4):
            ms = 100 + 10 * k
            c.frame(ms)
            for i in range(3):
                c.block(200, zone(1, ms + i, ms + i + 0.5))
            if k + 1 < len(names):
                if ends:
                    c.block(200, struct.pack("<HQ", 56, int((ms + 5) * MS)))
                for _ in range(apart):
                    c.block(300, zone(1, ms + 5, ms + 5) * 35000)
                c.block(SESSION, register(ms + 6, names[k + 1]))
        path = c.write(suite.path("one_id.raw"))
        want = []
        for k, name in enumerate(names):
            if k > 0 and not ends and (not said or name == want[-1][0]):
                want[-1] = (name, want[-1][1])
            else:
                want.append((name, []))
            want[-1][1].extend(range(k, k + 1 if k + 1 < len(names) else 4))
        for options in ([], ["-j", "2"]):
            got = [(r["generation"], r["thread"], r["calls"], r["first_ns"]) for r in suite.rows("threads", path, *options) if r["tid"] == "0xc8"]
            suite.equal("threads %s of one id, %d MB apart, %s, of 0x%x" % (" ".join(names), apart, "which end" if ends else "of which no end is told", word),
                        sorted(got), [(i, name, 3 * len(ks), 10 * MS * ks[0]) for i, (name, ks) in enumerate(want)])


def damaged_thread():
    """A bit of a thread's id: its stream shows it, and standard error says so."""
    body = thread(200, 95, "Worker 0")
    c = Log(100, ("Main Thread", "Work", "Worker 0"))
    c.block(SESSION, body)
    for k in range(4):
        ms = 100 + 10 * k
        c.frame(ms)
        c.block(200, struct.pack("<HIQ", 34, k, ms * MS))
        c.block(200, sample(36, 2, ms + 0.5) + zone(1, ms + 1, ms + 2) + sample(37, 2, ms + 9))
    path, whole = suite.path("damaged_thread.raw"), bytes(c.b)
    for bit in (None, *range(64)):
        b = bytearray(whole)
        if bit is not None:
            b[whole.index(body) + 2 + bit // 8] ^= 1 << bit % 8
        with open(path, "wb") as f:
            f.write(b)
        _, err = suite.run("stats", "-q", path, status=0 if bit is None else 3)
        suite.true("bit %s of a thread's definition is told" % bit, ("definitions missing or damaged" in err) == (bit is not None), err)


def first_body(c):
    return c.b[56:56 + struct.unpack_from("<I", c.b, 52)[0]]


def values():
    """A marker that declares the names of its values, as a zone and as a single sample, also of an object."""
    c = Log(100, ("Main Thread", "Work"))
    c.block(SESSION, marker(2, "Spawn", ((3, "enemies"), (8, "wave"))))
    two = b"\2" + struct.pack("<BI", 3, 42) + struct.pack("<BI", 8, 4) + b"last"
    of = struct.pack("<i", -17544)
    with_values = lambda kind, ms: struct.pack("<HBIQ", kind, 0, 2, int(ms * MS)) + two
    with_id = lambda kind, ms: struct.pack("<HBIQ", kind, 0, 2, int(ms * MS)) + of
    c.frame(100, sample(36, 0, 100) + with_values(42, 101) + sample(37, 2, 102) + with_values(44, 103) + with_id(39, 104) + with_id(40, 105) +
            with_id(41, 106) + sample(37, 0, 109))
    c.frame(110)
    path = c.write(suite.path("values.raw"))
    got = [(e["ph"], e["args"]) for e in suite.chrome(path) if e["name"] == "Spawn"]
    suite.equal("values have their names", sorted(got, key=str), [(ph, v) for ph in "Xi" for v in ({"enemies": 42, "wave": "last"}, {"instance_id": -17544})])


def groups():
    """Jobs and background jobs both have a Worker 0, as in any game since 2020: everything says which one."""
    c = Log(100, ("Main Thread", "Work", "Job.Worker 0", "Background Job.Worker 0"))
    named = lambda tid, group, name: struct.pack("<HQQI", 33, tid, 0, 0) + text(group) + text(name)
    c.block(SESSION, named(200, "Job", "Worker 0") + named(201, "Background Job", "Worker 0"))
    for k in range(12):
        ms = 100 + 10 * k
        c.frame(ms)
        for tid, root, long in ((200, 2, 2), (201, 3, 5)):
            c.block(tid, struct.pack("<HIQ", 34, k, ms * MS))
            c.block(tid, sample(36, root, ms + 0.5) + zone(1, ms + 1, ms + 1 + long) + sample(37, root, ms + 9))
    path = c.write(suite.path("groups.raw"))
    both = ["Background Job.Worker 0", "Job.Worker 0"]
    for table in ("threads", "category_threads", "frame_threads"):
        suite.equal("names in " + table, sorted({r["thread"] for r in suite.rows(table, path)} - {"Main Thread"}), both)
    suite.equal("markers by thread", sorted(r["marker"] for r in suite.rows("markers", path, "--group-by", "thread")), [*both, "Main Thread"])
    suite.true("columns", set(both) <= set(suite.rows("frame_threads", path, "--wide", "busy_ns")[0]), None)
    for name in both:
        suite.equal("--thread " + name, [r["thread"] for r in suite.rows("threads", path, "--thread", "\\" + name)], [name])
    diff = {r["thread"] for r in suite.report("diff", "-q", path, path, status=5)["tables"]["threads"]["rows"]}
    suite.equal("compared apart, without their numbers", sorted(diff), ["Background Job.Worker", "Job.Worker", "Main Thread"])
    suite.run("convert", "-q", path, "-o", suite.path("groups.json"))
    with open(suite.path("groups.json")) as f:
        events = json.load(f)
    names = {e["args"]["name"] for e in (events["traceEvents"] if isinstance(events, dict) else events) if e["name"] == "thread_name"}
    suite.true("traces", set(both) <= names, names)


def printed_alike():
    """Names that differ only in what no output can print, which are shown alike, are as many names in every output as the table has markers."""
    names = [b"\xffz", b"\xfez", "\ufffdz".encode(), b"c\x01d", b"c\x02d", "\u202ex".encode(), "\u2066x".encode(), b"plain", "caf\u00e9".encode()]
    c = Log(100)
    c.block(SESSION, b"".join(struct.pack("<HIHHI", 1, 10 + i, 0, 16, len(n)) + n + bytes([0]) for i, n in enumerate(names)))
    c.frame(100, sample(36, 0, 100) + b"".join(zone(10 + i, 101 + i, 101.5 + i) for i in range(len(names))) + sample(37, 0, 115))
    c.frame(120)
    path = c.write(suite.path("alike.raw"))
    own = {"Work", "Main Thread", "(frames)"}
    count = lambda found: len([n for n in found if n not in own])
    suite.equal("rows", count({r["marker"] for r in suite.rows("markers", path)}), len(names))
    out, _ = suite.run("stats", "-q", "--table", "markers", "--format", "csv", path)
    suite.equal("rows of CSV", count({r["marker"] for r in csv.DictReader(out.splitlines())}), len(names))
    suite.equal("Chrome JSON", count({e["name"] for e in suite.chrome(path) if e["ph"] == "X" and not e["name"].startswith("Frame")}), len(names))
    suite.equal("CSV", count({r["name"] for r in suite.csv(path) if r["kind"] == "zone"}), len(names))
    suite.run("convert", "-q", "--force", path, "-o", suite.path("alike.folded"))
    with open(suite.path("alike.folded"), encoding="utf-8") as f:
        suite.equal("folded stacks", count({line.rsplit(" ", 1)[0].split(";")[-1] for line in f}), len(names))


def namespaces():
    """A method as deep profiling names it is in the namespace of its class."""
    c = Log(100, ("Main Thread", "Game.dll!Game.Ai::Enemy.Update(System.Int32)"))
    c.frame(100)
    c.frame(110)
    c.block(SESSION, marker(2, "Game.dll!::Player.Update()"))
    got = {r["marker"]: r["count"] for r in suite.rows("markers", c.write(suite.path("names.raw")), "--group-by", "namespace")}
    suite.equal("namespaces", got, {"Game.Ai": 2})


def padded_stacks():
    """Of three bytes of padding behind the number of a stack's addresses, any may be damaged: the addresses are the same."""
    want = None
    for bit in [None] + list(range(24)):
        c = Log(100, ("Main Thread", "Work", "GC.Alloc"))
        b = bytearray(struct.pack("<IBBHIQQQ", 0x55334450, 1, 1, 19, 0x20191122, 1, 1, MAIN))
        text4 = lambda s: struct.pack("<I", len(s)) + s.encode() + bytes(-len(s) % 4)
        event = lambda kind, marker, ms: struct.pack("<IIIQ", kind, 0, marker, int(ms * MS))
        body = struct.pack("<IQQI", 33, MAIN, 0, 0) + text4("") + text4("Main Thread")
        for i, name in enumerate(("Main Thread", "Work", "GC.Alloc")):
            body += struct.pack("<IIHH", 1, i, 0, 16) + text4(name) + struct.pack("<I", 0)
        body += struct.pack("<IIQI", 0, 1, 100 * MS, 0)
        c.b, c.n = b, {}
        c.block(SESSION, body)
        inside = event(36, 0, 100) + event(36, 1, 101) + event(42, 2, 102) + struct.pack("<IIq", 1, 4, 64)
        at = len(c.b) + 20 + len(inside) + 8
        stack = bytearray(struct.pack("<III2Q", 3, 7, 2, 0x7f0012345678, 0x400000))
        if bit is not None:
            stack[9 + bit // 8] ^= 1 << bit % 8
        inside += bytes(stack) + event(37, 2, 102) + event(37, 1, 108) + event(37, 0, 109)
        c.block(MAIN, inside)
        c.block(SESSION, struct.pack("<IIQI", 0, 0, 110 * MS, 0))
        t = suite.report("stats", c.write(suite.path("padded.raw")), "--table", "alloc_paths,gcalloc,markers")["tables"]
        have = [t[k]["rows"] for k in ("alloc_paths", "gcalloc", "markers")]
        want = want or have
        suite.equal("bit %s of the padding of a stack" % bit, have, want)
    suite.true("its addresses", "0x7f0012345678" in str(want), want)


def zone_stacks():
    """Call stacks of samples that are no allocations are left out, and counted once."""
    c = Log(100, ("Main Thread", "Work", "Draw", "GC.Alloc"))
    c.block(SESSION, method(0x5000, "Enemy:Spawn ()"))
    stack = struct.pack("<HIB2Q", 3, 9, 2, 0x5010, 0x9999)
    for k in range(3):
        ms = 100 + 10 * k
        work = sample(36, 1, ms + 1) + stack + alloc(3, ms + 2, 1000, (0x5010,)) + sample(36, 2, ms + 3) + stack + sample(37, 2, ms + 4) + sample(37, 1, ms + 5)
        c.frame(ms, sample(36, 0, ms) + work + sample(37, 0, ms + 9))
    path = c.write(suite.path("stacks.raw"))
    loss = {r["kind"]: r for r in suite.rows("loss", path)}
    suite.equal("stacks of zones are counted", (loss["zone_stacks"]["count"], loss["zone_stacks"]["bytes"], loss["zone_stacks"]["severity"]), (6, 96, "notice"))
    suite.equal("those of allocations are read", [(r["marker"], r["bytes"]) for r in suite.rows("alloc_sites", path)], [("Enemy:Spawn", 3000)])
    suite.equal("it is said once", [n["id"] for n in suite.report("stats", path)["notes"]].count("zone_stacks"), 1)


NOW = ("Render,Scripts,Managed Jobs,Burst Jobs,GUI,Physics,Animation,AI,Audio,Audio Job,Audio Update Job,Video,Particles,Gi,Network,Loading,Other,GC,"
       "VSync,Overhead,PlayerLoop,Director,VR,Memory,Internal,FileIO,UI Layout,UI Render,VFX,Build Interface,Input").split(",")
OF_2017 = ("Render,Scripts,GUI,Physics,Animation,AI,Audio,Video,Particles,Gi,Network,Loading,Other,GC,VSync,Overhead,PlayerLoop,Director,VR,NativeMem,"
           "Internal,FileIO,UI Layout,UI Render").split(",")
OF_2018 = NOW[:9] + NOW[11:28]


def categories():
    """Where a capture does not define its categories, their names are those of its version."""
    for word, names in ((0x20170327, OF_2017), (0x20171110, OF_2018), (0x20180123, OF_2018 + ["Build Interface"]),
                        (0x20181101, OF_2018 + ["VFX", "Build Interface", "Input"]), (0x20180306, NOW), (0x20191122, NOW), (0x20200924, NOW)):
        c = Log(100, ())
        c.b, c.n = c.b[:8] + struct.pack("<I", word) + c.b[12:36], {}
        body = b"".join(marker(i, "Marker %d" % i, category=i) for i in range(len(names))) + struct.pack("<HIQI", 0, 1, 100 * MS, 0)
        c.block(SESSION, body)
        c.frame(101, b"".join(zone(i, 102 + 0.1 * i, 102 + 0.1 * i + 0.05) for i in range(len(names))))
        rows = suite.rows("markers", c.write(suite.path("categories.raw")))
        suite.equal("categories of version 0x%x" % word, [{r["marker"]: r["category"] for r in rows}.get("Marker %d" % i) for i in range(len(names))], names)


# Markers of the engine, and what tracetool-unity-raw(7) says of their categories.
PLACED = (("PlayerLoop", ("PlayerLoop",)), ("GC.Collect", ("GC",)), ("GC.Alloc", ("Memory", "NativeMem")), ("File.Read", ("FileIO",)),
          ("File.Close", ("FileIO",)), ("Profiler.Default", ("Internal",)), ("LoadAssembly", ("Loading",)))


def proven_categories():
    """Markers of the engine show of which release the categories are, whatever the version says, known or not; most of them decide."""
    words = 0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20191022, 0x20190514, 0x20180601, 0x20150101
    ids, ends = range(9, 24), struct.pack("<HIQI", 0, 1, 100 * MS, 0)
    for what, names in (("2017", OF_2017), ("2018", OF_2018), ("2019", NOW)):
        for word, (some, wrong) in itertools.product(words, ((PLACED, 0), (PLACED[:1], 0), (PLACED[2:3], 0), (PLACED, 2))):
            c = Log(100, ())
            c.b, c.n = c.b[:8] + struct.pack("<I", word) + c.b[12:36], {}
            where = [next(i for i, n in enumerate(names) if n in of) + (k < wrong) for k, (_, of) in enumerate(some)]
            c.block(SESSION, b"".join(marker(i, "Marker %d" % i, category=i) for i in ids) +
                    b"".join(marker(100 + k, n, category=where[k]) for k, (n, _) in enumerate(some)) + ends)
            c.frame(101, b"".join(zone(i, 102 + 0.1 * i, 102 + 0.1 * i + 0.05) for i in ids))
            rows = {r["marker"]: r["category"] for r in suite.rows("markers", c.write(suite.path("categories.raw")))}
            suite.equal("categories of %s, version 0x%x, %d markers, %d wrong" % (what, word, len(some), wrong), [rows.get("Marker %d" % i) for i in ids],
                        names[ids.start:ids.stop])


def colors():
    """Categories that have one of the engine's colours look alike, others differ; a number that the engine does not have is none."""
    c = Log(100, ("Main Thread", "Work", "Fall", "Bounce", "Odd"))
    ids = {"Steps": (41, 4), "Bodies": (42, 4), "Shapes": (43, 14), "Odd ones": (44, 99)}
    c.block(SESSION, b"".join(struct.pack("<HHHH", 62, number, color, 1) + text(n) for n, (number, color) in ids.items()) +
            b"".join(marker(i + 1, n, category=41 + i) for i, n in enumerate(("Work", "Fall", "Bounce", "Odd"))))
    c.frame(100, sample(36, 0, 100) + b"".join(zone(i, 100 + i, 100.5 + i) for i in (1, 2, 3, 4)) + sample(37, 0, 109))
    path = c.write(suite.path("colors.raw"))
    rgba = {r["category"]: r["color"] for r in suite.rows("metadata_categories", path)}
    suite.equal("categories of one colour", (rgba["Steps"], rgba["Odd ones"]), (rgba["Bodies"], None))
    suite.true("of two", re.fullmatch("#[0-9a-f]{8}", rgba["Shapes"]) and rgba["Shapes"] != rgba["Steps"], rgba)
    suite.run("convert", path, "-o", suite.path("colors.json"))
    with open(suite.path("colors.json")) as f:
        events = json.load(f)
    names = {e["name"]: e.get("cname") for e in (events["traceEvents"] if isinstance(events, dict) else events) if e["ph"] == "X"}
    suite.equal("their zones in Chrome JSON", (names["Work"] == names["Fall"] is not None, names["Bounce"] not in (names["Work"], None), names["Odd"]),
                (True, True, None))


allocations()
def zones_without_length():
    """Thousands of zones without length at one time, first in the capture, in a row or in each other: Chrome JSON has them all, and the zone around them."""
    for name, inside in (("in a row", [36, 37] * 3000), ("in each other", [36] * 3000 + [37] * 3000)):
        c = Log(100, ("Main Thread", "Work", "Tick"))
        body = sample(36, 1, 100) + b"".join(sample(kind, 2, 100) for kind in inside) + sample(37, 1, 105)
        c.frame(100, inside=sample(36, 0, 100) + body + sample(37, 0, 109))
        c.frame(110)
        path = c.write(suite.path("ticks.raw"))
        suite.equal(name + ": zones", collections.Counter(e["name"] for e in suite.chrome(path) if e["ph"] == "X" and not e["name"].startswith("Frame ")),
                    {"Work": 2, "Tick": 3000})
        suite.equal(name + ": the longest of each", [max(e["dur"] for e in suite.chrome(path) if e["ph"] == "X" and e["name"] == n) >= d
                                                     for n, d in (("Work", 5000), ("Tick", 0))], [True, True])


def zones_named_as_their_thread():
    """In .pdata a zone with the name of its thread is left out if it is the frame's root, and not if it is a part of the frame."""
    for ms, n in ((2, 3), (9, 0)):
        c = Log(100, ("Main Thread", "Work", "Loading"))
        c.block(SESSION, thread(200, 5, "Loading", 1))
        for k in range(3):
            c.frame(100 + 10 * k)
            c.block(200, zone(2, 100.5 + 10 * k, 100.5 + 10 * k + ms))
        c.frame(130)
        path = suite.path("named.pdata")
        suite.run("convert", c.write(suite.path("named.raw")), "-o", path)
        with open(path, "rb") as f:
            zones = [m for _, _, threads in Pdata(f.read()).frames for name, marks in threads.items() if name == "1:Loading" for m in marks]
        suite.equal("zones of %d ms of 10 that are called as their thread" % ms, [m[0] for m in zones], ["Loading"] * n)


def headers_and_states():
    """A clock whose ratio is written with large numbers, and a state with a flag beside the known one, are read like others."""
    c = Log(100)
    for k in range(4):
        c.frame(100 + 10 * k)
    c.block(SESSION, state(0, 140))
    plain = c.write(suite.path("plain.raw"))
    want = suite.report("stats", plain, "--table", "frames,markers,loss")["tables"]
    for what, at, form, value in (("clock", 12, "<QQ", (10 ** 14, 10 ** 14)), ("state", None, "<I", (3,))):
        data = bytearray(c.b)
        struct.pack_into(form, data, at or data.index(state(1, 100)) + 2, *value)
        path = suite.path("other.raw")
        with open(path, "wb") as f:
            f.write(data)
        suite.equal(what, suite.report("stats", path, "--table", "frames,markers,loss")["tables"], want)


zones_without_length()
zones_named_as_their_thread()
headers_and_states()
times_of_zero()
padded_stacks()
zone_stacks()
groups()
colors()
categories()
printed_alike()
proven_categories()
namespaces()
values()
names_with_a_nul()
for registered in (139.5, 140, 140.2):
    reused(registered)
damaged_thread()
for names in (("A", "B"), ("A", "A"), ("A", "B", "C"), ("A", "B", "A"), ("A", "A", "B")):
    for ends in (False, True):
        of_one_id((0x20170327, 0x20171110, 0x20180123, 0x20191122), names, ends, 0)
        if len(names) == 3:
            of_one_id((0x20170327, 0x20191122), names, ends, 1)
suite.end()
