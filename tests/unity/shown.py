#!/usr/bin/env python3
"""What a Unity capture holds is visible: values that are no numbers, markers without a name."""
from ttc import BLOB, F32, F64, I32, TEXT, Capture, Suite

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


odd_values()
suite.end()
