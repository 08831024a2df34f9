#!/usr/bin/env python3
"""What a Unity capture holds is visible: every value that events carry, by name where it has one; markers without a name."""
import json

from ttc import BLOB, F32, F64, I32, I64, TEXT, U32, U64, Capture, Suite

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
    suite.true("--blobs without an output that has them", "--blobs is for chrome output" in err, err)


odd_values()
all_values()
suite.end()
