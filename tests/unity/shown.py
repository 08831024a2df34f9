#!/usr/bin/env python3
"""What a Unity capture holds is visible: every value that events carry, by name where it has one; markers without a name."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import pftrace
from ttc import BLOB, F32, F64, I32, I64, TEXT, U32, U64, Capture, Suite, text, varint

INF = float("inf")
suite = Suite()


def odd_values():
    c = Capture()
    scripts = c.category("Scripts")
    update, empty = c.marker("Update", scripts), c.marker("", scripts)
    t = c.thread()
    t.begin(1000, update, [(F64, float("nan")), (I32, 7), (F32, -INF), (BLOB, b"\0\1\xff")])
    t.instant(1100, update, [(F64, INF), (TEXT, "hi")])
    t.zone(1200, 1300, empty)
    t.end(2000)
    path = c.write(suite.path("odd.ttc"))

    args = {e["ph"]: e["args"] for e in suite.chrome(path) if "args" in e}
    suite.equal("a zone's values in JSON", args["X"], {"arg0": "NaN", "arg1": 7, "arg2": "-Infinity", "arg3": "3 bytes"})
    suite.equal("an instant's", args["i"], {"arg0": "Infinity", "arg1": "hi"})
    rows = {(r["kind"], r["name"]): r for r in suite.csv(path)}
    suite.equal("the first value in CSV is the first", rows["zone", "Update"]["value"], "NaN")
    suite.equal("an instant's", (rows["instant", "Update"]["value"], rows["instant", "Update"]["detail"]), ("Infinity", "hi"))

    name = "(unnamed 0x%x)" % empty
    r = suite.report("stats", path)
    suite.equal("a marker without a name keeps its category", {m["marker"]: m["category"] for m in r["tables"]["markers"]["rows"]},
                {"Update": "Scripts", name: "Scripts"})
    suite.equal("and nothing is said to be missing", [n for n in r["notes"] if n["id"] != "caveat"], [])
    suite.true("its zones are written", ("zone", name) in rows)


def all_values():
    """Names by Unity's manual (File.Read) and FrameTiming's fields; more values than names; blobs on request."""
    c = Capture()
    read, default, own = c.marker("File.Read"), c.marker("Profiler.Default"), c.marker("Mine")
    timing = c.marker("Tracetool.FrameTiming")
    label = c.label_zone(default, "LoadLevel")
    t = c.thread()
    t.zone(1000, 1100, read, [(TEXT, "a.bundle"), (U64, 4096), (U64, 2 ** 60), (I32, -1)])
    t.zone(1200, 1300, label, [(I32, -17544)])
    t.instant(1400, own, [(BLOB, bytes(range(256))), (I64, 5), (TEXT, 'x,"y"')])
    values = [(F64, 16.5), (F64, 4.0), (F64, 1.5), (F64, 2.5), (F64, 8.25), (U64, 1), (U64, 2), (U64, 3), (U64, 4), (U64, 10 ** 7),
              (U32, 1), (U32, 4), (F32, 0.5), (F32, 0.75), (U32, 2)]
    t.instant(1500, timing, values)
    path = c.write(suite.path("values.ttc"))
    want = {
        "File.Read": {"file": "a.bundle", "offset": 4096, "size": str(2 ** 60), "arg3": -1},
        "LoadLevel": {"instance_id": -17544},
        "Mine": {"arg0": "256 bytes", "arg1": 5, "arg2": 'x,"y"'},
        "Tracetool.FrameTiming": {
            "cpu_total_ms": 16.5, "cpu_main_ms": 4, "cpu_present_wait_ms": 1.5, "cpu_render_ms": 2.5, "gpu_ms": 8.25,
            "frame_start_ticks": 1, "first_submit_ticks": 2, "present_called_ticks": 3, "frame_complete_ticks": 4,
            "ticks_per_second": 10 ** 7, "flags": 1, "age_frames": 4, "height_scale": 0.5, "width_scale": 0.75,
            "sync_interval": 2},
    }
    for form in ([], ["--blobs"]):
        if form:
            want["Mine"]["arg0"] = "0x" + bytes(range(256)).hex()
        suite.equal("values in JSON %s" % form, {e["name"]: e["args"] for e in suite.chrome(path, *form) if "args" in e}, want)
        suite.equal("with begins and ends %s" % form,
                    {e["name"]: e["args"] for e in suite.chrome(path, "--begin-end", *form) if "args" in e}, want)
        suite.equal("in CSV %s" % form, {r["name"]: json.loads(r["args"]) for r in suite.csv(path, *form) if r["args"]}, want)
    _, err = suite.run("convert", path, "--blobs", "-o", suite.path("a.folded"), status=2)
    suite.true("--blobs without an output that has them", "--blobs needs chrome, perfetto, csv or sqlite output" in err, err)


def counters():
    """Values of counters that no 64-bit signed number holds, in every table and output."""
    c = Capture()
    memory = c.counter("Total Used Memory", unit=2, section="Memory")
    big, odd, none = c.counter("Big", unit=3), c.counter("Odd"), c.counter("Only NaN")
    percent = c.counter("Share", unit=4)
    t = c.thread()
    for at, v in ((1000, 2 ** 63), (2000, 2 ** 64 - 1), (3000, 5)):
        t.counter(at, memory, U64, v)
        t.counter(at, big, U64, v)
    for at, v in ((3100, float("nan")), (3200, 2.5), (3300, INF), (3400, -1.5)):
        t.counter(at, odd, F64, v)
    t.counter(3500, none, F64, float("nan"))
    t.counter(3600, percent, F64, 1e300)
    t.zone(4000, 4100, c.marker("Update"))
    path = c.write(suite.path("counters.ttc"))
    rows = {r["counter"]: r for r in suite.rows("counters", path)}
    for name, unit in (("Total Used Memory", "bytes"), ("Big", "count")):
        r = rows[name]
        suite.equal(name, (r["unit"], r["first"], r["max"], r["min"], r["last"], r["count"], r["kind"]),
                    (unit, 2 ** 63, 2 ** 64 - 1, 5, 5, 3, "variable"))
        suite.equal("its change", r["delta"], 5.0 - 2 ** 63)
    r = rows["Odd"]
    suite.equal("numbers among others", (r["first"], r["min"], r["max"], r["mean"], r["last"], r["count"]),
                ("NaN", -1.5, 2.5, 0.5, -1.5, 4))
    r = rows["Only NaN"]
    suite.equal("no numbers", (r["first"], r["min"], r["max"], r["mean"], r["last"], r["count"]), ("NaN",) * 5 + (1,))
    suite.equal("a large double", rows["Share"]["last"], 1e300)
    points = {}
    for r in suite.rows("counter_values", path):
        points.setdefault(r["counter"], []).append(r["value"])
    suite.equal("all values", points, {"Total Used Memory": [2 ** 63, 2 ** 64 - 1, 5], "Big": [2 ** 63, 2 ** 64 - 1, 5],
                                       "Odd": ["NaN", 2.5, "Infinity", -1.5], "Only NaN": ["NaN"], "Share": [1e300]})
    parts = [r for r in suite.rows("counter_timeline", path, "--buckets", "1") if r["counter"] == "Odd"]
    suite.equal("in buckets", [(r["min"], r["max"], r["last"]) for r in parts], [(-1.5, 2.5, -1.5)])
    out, _ = suite.run("stats", path, "--table", "counters")
    suite.true("people see them", "18446744073709551615 B" in out and "NaN" in out, out)
    by_csv = [(r["name"], r["value"]) for r in suite.csv(path) if r["kind"] == "counter"]
    suite.true("CSV has them", ("Big", str(2 ** 64 - 1)) in by_csv and ("Only NaN", "NaN") in by_csv, by_csv)


def descriptions():
    """Colours of categories, flags and verbosity of markers, groups of threads."""
    c = Capture()
    render, own = c.category("Render", 0xB40000FF, native=0), c.category("Mine", 0, native=1234)
    update = c.marker("Update", render, 0x0002 | 0x0008 | 0x0800, native=77)
    c.marker("Deep", own, 0x0040 | 0x0C00, native=78)
    t = c.thread()
    c.thread_name(t.native, "Job", "Worker 0")
    t.zone(1000, 2000, update)
    path = c.write(suite.path("described.ttc"))
    suite.equal("categories", [(r["category"], r["color"], r["id"]) for r in suite.rows("metadata_categories", path)],
                [("Render", "#b40000ff", 0), ("Mine", None, 1234)])
    suite.equal("markers", [(r["marker"], r["category"], r["id"], r["flags"], r["verbosity"]) for r in suite.rows("metadata_markers", path)],
                [("Update", "Render", 77, "script, release", "internal"), ("Deep", "Mine", 78, "deep", "external")])
    rows = suite.report("info", path)["tables"]["capture_threads"]["rows"]
    suite.equal("info: the thread's group", [(r["thread"], r["group"]) for r in rows], [("Worker 0", "Job")])
    suite.equal("JSON: the category's colour", [e["cname"] for e in suite.chrome(path) if e["name"] == "Update"], ["terrible"])
    with open(suite.path("out.json")) as f:
        names = [e["args"].get("group") for e in json.load(f)["traceEvents"] if e["name"] == "thread_name"]
    suite.equal("JSON: the thread's group", names, ["Job"])


def names_of_arguments():
    """Record 79 names the arguments of a marker's zones: a name that is empty, not there or there twice is a number, and all are escaped."""
    c = Capture()
    named, wide = c.marker("Named"), c.marker("Wide")
    c.record(79, varint(0) + varint(named) + text('this\0\0gr\u00fc"n\\\0this\0last'))
    c.record(79, varint(0) + varint(wide) + text("".join("p%d\0" % i for i in range(1000))))
    c.record(79, varint(0) + varint(4711) + text("of no marker\0"))
    t = c.thread()
    six = [(U32, i) for i in range(6)]
    t.zone(1000, 2000, named, six)
    t.instant(3000, named, six[:2])
    t.zone(4000, 5000, wide, [(U32, i) for i in range(99)])
    path = c.write(suite.path("named.ttc"))
    want = [("this", 0), ("arg1", 1), ('gr\u00fc"n\\', 2), ("arg3", 3), ("last", 4), ("arg5", 5)]
    for form in ([], ["--begin-end"]):
        got = {(e["name"], e["ph"]): list(e["args"].items()) for e in suite.chrome(path, *form) if "args" in e}
        suite.equal("JSON: names %s" % form, got.get(("Named", "B" if form else "X")), want)
        suite.equal("JSON: not of instants %s" % form, got.get(("Named", "i")), [("arg0", 0), ("arg1", 1)])
        suite.equal("JSON: as many as are looked at %s" % form, [k for k, _ in got[("Wide", "B" if form else "X")]],
                    ["p%d" % i for i in range(64)] + ["arg%d" % i for i in range(64, 99)])
    got = [list(json.loads(r["args"]).items()) for r in suite.csv(path) if r["name"] == "Named"]
    suite.equal("CSV: names", got, [want, [("arg0", 0), ("arg1", 1)]])
    suite.equal("nothing is unknown", suite.rows("loss", path), [])


def one_label():
    """A label in UTF-8, and again in UTF-16 under a key of its own, is one marker."""
    c = Capture()
    default, other = c.marker("Profiler.Default"), c.marker("Other")
    first, second = c.label_zone(default, "LoadLevel"), c.new_key()
    c.record(68, b"".join(varint(n) for n in (0, second, default, 0)) + bytes([9]) + text("LoadLevel".encode("utf-16-le")))
    t = c.thread()
    for at in range(0, 40000, 10000):
        t.frame(at)
        t.zone(at + 1000, at + 2000, first)
        t.zone(at + 2000, at + 3500, other)
        t.zone(at + 4000, at + 5000, second)
    path = c.write(suite.path("label.ttc"))
    suite.equal("one label: markers", sorted((r["marker"], r["count"]) for r in suite.rows("markers", path)), [("LoadLevel", 8), ("Other", 4)])
    suite.equal("one label: by frame", [(r["marker"], r["count"]) for r in suite.rows("frame_markers", path) if r["frame"] == 1],
                [("LoadLevel", 2), ("Other", 1)])
    suite.equal("one label: worst frames", {r["top"].split(", ", 1)[1] for r in suite.rows("hitches", path)}, {"LoadLevel 2.000 \u00b5s, Other 1.500 \u00b5s"})


def allocated():
    """The sum of allocations has the same points in both formats, though the times of one begin at 1 us and those of the other at 0."""
    c = Capture()
    update = c.marker("Update")
    t = c.thread()
    for k in range(40):
        t.begin(k * 999700, update)
        t.alloc(k * 999700 + 10, update, 16)
        t.alloc(k * 999700 + 700, update, 32)
        t.end(k * 999700 + 900)
    path = c.write(suite.path("allocated.ttc"))
    want = [(round(float(e["ts"]) * 1000) - 1000, e["args"]["bytes"]) for e in suite.chrome(path) if e["ph"] == "C" and e["name"] == "GC.Alloc"]
    suite.run("convert", "-q", path, "-o", suite.path("out.pftrace"))
    lines = [line.split() for line in pftrace.load(suite.path("out.pftrace")).lines()]
    suite.equal("sums of allocations", [(int(x[0]), int(x[-1])) for x in lines if len(x) > 2 and x[1] == "count" and "GC.Alloc" in " ".join(x)], want)
    suite.true("one each millisecond", 39 <= len(want) <= 42, len(want))


def frames_of_a_chosen_thread():
    """Frames are those of the frame thread, whichever threads are chosen."""
    c = Capture()
    main, render = c.thread(), c.thread()
    work = c.marker("Work")
    for t, name in ((main, "Main Thread"), (render, "Render Thread")):
        c.thread_name(t.native, "", name)
    for n in range(6):
        main.frame(1000 + 10000 * n)
        for t in (main, render):
            t.zone(2000 + 10000 * n, 5000 + 10000 * n, work)
    path = c.write(suite.path("frames.ttc"))

    def lines(kind, *options):
        return [(x["thread"], x["start_ns"]) for x in suite.csv(path, *options) if x["kind"] == kind]
    want = lines("frame")
    suite.equal("frames in CSV", len(want), 6)
    suite.equal("frames in CSV of another thread", lines("frame", "--thread", "Render*"), want)
    suite.equal("and its zones alone", lines("zone", "--thread", "Render*"), [x for x in lines("zone") if x[0] == "2"])
    suite.equal("frames in CSV of a part of the time", lines("frame", "--thread", "Render*", "--frames", "2-3"), lines("frame", "--frames", "2-3"))


def losses_are_told():
    """What was lost is said in the file, or else in a message."""
    c = Capture()
    c.thread().zone(1000, 2000, c.marker("Work"))
    whole = c.bytes()
    path = suite.path("early.ttc")
    with open(path, "wb") as f:
        f.write(whole[:whole.rindex(b"TTCk")])
    for form in ("csv", "folded"):
        _, err = suite.run("convert", "-q", path, "-f", form)
        suite.true("%s has no place for a loss: a message says it" % form, "early.ttc: capture ends early, without an end record" in err, err)
    _, err = suite.run("convert", "-q", path, "-o", suite.path("early.json"))
    with open(suite.path("early.json")) as f:
        suite.true("Chrome JSON says a loss itself", "without an end record" in f.read() and not err, err)
    _, err = suite.run("convert", "-q", path, "-o", suite.path("early.json"), "-o", suite.path("early.csv"))
    suite.true("beside a CSV file a message says it", "without an end record" in err, err)


odd_values()
allocated()
frames_of_a_chosen_thread()
losses_are_told()
all_values()
one_label()
names_of_arguments()
descriptions()
counters()
suite.end()
