"""Results of Unity's Performance Testing package: those that are written, by slow readers of captures; those that a gate reads, by their definition.

    test_results.py TRACETOOL
"""
import bisect
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
sys.path[:0] = [os.path.join(TOP, "tests", d) for d in ("kit", "oracle", "unity")]
import raw_reader
from count import check, end, same
from generated import generate

TRACETOOL = os.path.realpath(sys.argv[1])
STATS = "mean trimmed median stddev p90 p95 p99 p99.9 max min total count".split()
UNIT = [1, 1e3, 1e6, 1e9, 1, 1024, 1024 ** 2, 1024 ** 3, 1]           # to ns, bytes, 1
FOLDER = tempfile.mkdtemp(prefix="tracetool-results.")


def path(name):
    return os.path.join(FOLDER, name)


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, check=False)


def put(name, text):
    with open(path(name), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return path(name)


# --- written ------------------------------------------------------------------------------------------------

def near(what, have, want):
    check(math.isclose(have, want, rel_tol=1e-9, abs_tol=1e-9), what, have, want)


def described(what, g):
    """The statistics of a group are those of its samples."""
    s = g["Samples"]
    for key, want in (("Min", min(s)), ("Max", max(s)), ("Median", statistics.median(s)), ("Average", statistics.fmean(s)),
                      ("StandardDeviation", statistics.pstdev(s)), ("Sum", math.fsum(s))):
        near("%s: %s of %s" % (what, key, g["Name"]), g[key], want)


def written():
    for scenario, frames in (("splitany", 200), ("clean", 12)):
        capture = path("x.raw")
        generate("raw", capture, "--scenario", scenario, "--frames", frames)
        out = path("x.json")
        r = run("stats", "-q", capture, "--perf-test-json", out, "--marker", "PlayerLoop", "--marker", "*Update*", "--table", "hitches")
        same("exit status", (r.returncode, r.stderr), (0, ""))
        doc = json.load(open(out))
        same("run, of which nobody knows when it was", sorted(doc), sorted(["TestSuite", "Player", "Hardware", "Editor", "Dependencies", "Results"]))
        same("results", [(r["Name"], sorted(r)) for r in doc["Results"]],
             [("x.raw", sorted(["Name", "ClassName", "MethodName", "Version", "Categories", "SampleGroups"]))])
        groups = {g["Name"]: g for g in doc["Results"][0]["SampleGroups"]}
        same("as convert writes it", json.loads(run("convert", "-q", capture, "-f", "perf-test", "--marker", "PlayerLoop", "--marker", "*Update*").stdout), doc)
        for g in groups.values():
            described(scenario, g)
        c = raw_reader.Capture(capture)
        main = next(t for t in c.threads if len(t.frames) > 1)
        marks = main.frames
        spans = list(zip(marks, marks[1:]))
        same("frames", [round(v * 1e6) for v in groups["FrameTime"]["Samples"]], [b - a for a, b in spans])
        allocs = [[] for _ in spans]
        for t in c.threads:
            for at, size, *_ in t.allocs:
                i = bisect.bisect_right(marks, at) - 1
                if 0 <= i < len(spans):
                    allocs[i].append(size)
        same("bytes allocated", (groups["GC.Alloc"]["Unit"], groups["GC.Alloc"]["Samples"]), (4, [sum(a) for a in allocs]))
        same("allocations", (groups["GC.Alloc.Count"]["Unit"], groups["GC.Alloc.Count"]["Samples"]), (8, [len(a) for a in allocs]))
        chosen = {n for *_, n, _ in main.zones if n == "PlayerLoop" or "Update" in n}
        same("markers", {n for n in groups if n[0] not in "FG" or n.startswith("Game.dll")} - {"FrameTime"}, chosen)
        for name in chosen & set(groups):
            until, ns = -1 << 62, [0] * len(spans)
            for b, d, *_ in sorted(z for z in main.zones if z[3] == name):
                lo, hi = max(b, until), b + d
                until = max(until, hi)
                for i in range(max(bisect.bisect_right(marks, lo) - 1, 0), len(spans)):
                    if marks[i] >= hi:
                        break
                    ns[i] += max(min(hi, marks[i + 1]) - max(lo, marks[i]), 0)
            same("time of " + name, [round(v * 1e6) for v in groups[name]["Samples"]], ns)
    r = run("convert", os.path.join(TOP, "testdata/mlpd/good-d01-gameloop-calls-alloc.mlpd"), "-f", "perf-test")
    check(r.returncode == 2 and "no whole frame" in r.stderr and not r.stdout, "without frames nothing is written", r)
    r = run("convert", "-q", os.path.join(TOP, "testdata/capture/good-v1.0-every-kind.ttc"), "-f", "perf-test")
    check(json.loads(r.stdout)["Date"] > 1.7e12, "where a capture says when it was recorded, the run does, too", r)
    again = run("stats", "-q", path("x.raw"), "--perf-test-json", path("x.raw"))
    check(again.returncode == 2 and os.path.getsize(path("x.raw")) > 1000, "an input is no output", again.stderr)


# --- read ---------------------------------------------------------------------------------------------------

def nearest(s, num, den):
    return s[max((len(s) * num + den - 1) // den, 1) - 1]


def want(samples, stat, unit):
    s = sorted(v * UNIT[unit] for v in samples)
    cut = len(s) // 20
    return {"mean": statistics.fmean(s), "trimmed": statistics.fmean(s[cut:len(s) - cut]), "median": nearest(s, 1, 2), "stddev": statistics.pstdev(s),
            "p90": nearest(s, 90, 100), "p95": nearest(s, 95, 100), "p99": nearest(s, 99, 100), "p99.9": nearest(s, 999, 1000), "max": s[-1], "min": s[0],
            "total": math.fsum(s), "count": len(s)}[stat]


def budget(rows):
    rows = [dict({"id": "r%d" % i, "metric": "test", "max": "9000s" if r.get("metric") else 9e12, "level": "off"}, **r) for i, r in enumerate(rows)]
    rows.append({"id": "on", "metric": "lost.events", "max": 0})
    return put("budget.json", json.dumps({"tracetool_budget": 1, "rows": rows}))


def figures(rows, *files):
    r = run("stats", "--gate", budget(rows), "--save", path("base.json"), *files)
    if not check(r.returncode in (0, 1), "gate", r.returncode, r.stderr):
        return []
    return [s for x in json.load(open(path("base.json")))["sessions"] for s in x["captures"]]


def read():
    rng = random.Random(5)
    groups = [{"Name": "G%d" % unit, "Unit": unit, "IncreaseIsBetter": False,
               "Samples": [round(rng.lognormvariate(1, 2), 6) for _ in range(rng.choice([1, 2, 3, 10, 101, 1000]))]} for unit in range(9)]
    tests = [{"Name": "Suite.A(1)", "ClassName": "Suite", "MethodName": "A", "Version": "1", "Categories": [], "SampleGroups": groups[:5]},
             {"Name": "Suite.B", "SampleGroups": groups[5:] + [dict(groups[2], Samples=[-3, 4.5, 1e3])]}]
    whole = {"TestSuite": "Playmode", "Date": 1, "Player": {"Platform": "LinuxPlayer", "Development": True},
             "Hardware": {"DeviceModel": "PC \u00fc", "Cores": 8},
             "Editor": {"Version": "6000.0.1f1"}, "Dependencies": ["x"], "Results": tests}
    lines = "log\n" + "".join("##performancetestresult2:" + json.dumps(t) + "\r\n" for t in tests) + "end\n"
    escaped = lambda s: s.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    xml = '<?xml version="1.0"?>\n<test-run><test-case><output><![CDATA[%s]]></output></test-case></test-run>\n' % lines.replace("end\n", "")
    plain = '<test-run><output>%s</output></test-run>' % escaped(lines.rstrip("\nend"))
    forms = [put("run.json", json.dumps(whole)), put("bom.json", b"\xef\xbb\xbf" + json.dumps(whole, indent=1).encode()), put("out.txt", "##perf\n" + lines),
             put("TestResults.xml", xml), put("escaped.xml", plain),
             put("numbered.xml", '<test-run><output>%s</output></test-run>' % lines.rstrip("\nend").replace("&", "&#38;").replace('"', "&#x22;")
                 .replace("G", "&#71;").replace("S", "&#x00053;").replace("\u00fc", "&#252;")),
             put("little.txt", lines.encode("utf-16")), put("big.json", b"\xfe\xff" + json.dumps(whole, ensure_ascii=False).encode("utf-16-be")),
             put("wide.xml", ("<x>" + "\U0001f600" * 5000 + xml).encode("utf-16"))]
    rows = [{"group": "G%d" % u, "stat": s} for u in range(9) for s in STATS] + [{"group": "Suite.B/G2"}, {"group": "*/G2"}, {"group": "*"}, {"group": "none"}]
    for form in forms:
        name = os.path.basename(form)
        got = figures(rows, form)
        if not got:
            continue
        v = got[0]["values"]
        for u in range(9):
            samples = [x for t in tests for g in t["SampleGroups"] if g["Name"] == "G%d" % u for x in g["Samples"]]
            for s in STATS:
                have = v["test[G%d].%s" % (u, s)]
                unit = "number" if s == "count" or u == 8 else "bytes" if u > 3 else "ns"
                same("%s: unit of G%d %s" % (name, u, s), have.get("unit", "number") if isinstance(have, dict) else "number", unit)
                have, expect = have["value"] if isinstance(have, dict) else have, want(samples, s, u)
                room = 0.0011 * (len(samples) if s == "total" else 1)
                check(math.isclose(have, expect, rel_tol=1e-12, abs_tol=room), "%s: %s of G%d" % (name, s, u), have, expect)
        same(name + ": by test and group", v["test[Suite.B/G2].median"]["value"], 4.5e6)
        check(re.search(r'units match: "[^"]+/G\d" \((ns|bytes|number)\) and "[^"]+/G\d" \((ns|bytes|number)\)', v["test[*].median"]["missing"]),
              name + ": different units", v["test[*].median"])
        check("no sample group" in v["test[none].median"].get("missing", ""), name + ": no such group", v["test[none].median"])
    facts = figures(rows[:1], forms[0])[0]["facts"]
    same("facts", {k: facts.get(k) for k in ("Player.Platform", "Player.Development", "Hardware.DeviceModel", "Hardware.Cores", "Editor.Version", "format")},
         {"Player.Platform": "LinuxPlayer", "Player.Development": "true", "Hardware.DeviceModel": "PC \u00fc", "Hardware.Cores": "8",
          "Editor.Version": "6000.0.1f1", "format": "test results"})
    # A fact that is given replaces that of the file, at its place.
    given = figures(rows[:1], "--meta", "Hardware.Cores=9", "--meta", "Editor.Zone=x", "--meta", "Aa=1", forms[0])[0]["facts"]
    same("facts that are given", given, {**facts, "Hardware.Cores": "9", "Editor.Zone": "x", "Aa": "1"})
    with open(path("base.json"), encoding="utf-8") as f:
        same("... once each", f.read().count('"Hardware.Cores"'), 1)
    copy = run("stats", "--gate", budget(rows), forms[0], put("copy.json", json.dumps(whole)))
    check(copy.returncode == 2 and "one recording" in copy.stderr, "a copy does not count twice", copy.stderr)


def one(samples, name="Time", unit=2):
    return json.dumps({"Results": [{"Name": "T", "SampleGroups": [{"Name": name, "Unit": unit, "Samples": samples}]}]})


def judged():
    """A team's results, gated: a limit, and a change against the baseline of earlier runs."""
    rng = random.Random(7)
    runs = lambda name, by: [put("%s%d.json" % (name, i), one([by * rng.gauss(10, .2) for _ in range(200)])) for i in range(6)]
    base, same_, slow = runs("base", 1), runs("same", 1), runs("slow", 1.2)
    plan = put("plan.json", json.dumps({"tracetool_budget": 1, "rows": [
        {"id": "limit", "metric": "test", "group": "Time", "stat": "p95", "max": "12ms", "over": "worst"},
        {"id": "change", "metric": "test", "group": "T/Time", "max": "+5%"}]}))
    r = run("stats", "--gate", plan, "--save", path("team.json"), *base)
    for files, status, words in ((same_, 0, []), (slow, 1, ["FAIL", "limit", "change", "ms"])):
        r = run("stats", "--gate", plan, "--baseline", path("team.json"), *files)
        check(r.returncode == status and all(w in r.stdout for w in words), "a team's results are gated", r.returncode, r.stdout, r.stderr)
    raw = path("x.raw")
    r = run("stats", "--gate", put("mixed.json", json.dumps({"tracetool_budget": 1, "rows": [
        {"id": "t", "metric": "test", "group": "Time", "max": "1s", "where": {"format": "test results"}},
        {"id": "f", "metric": "frame.time", "max": "1s", "where": {"format": "raw"}}]})), base[0], raw)
    same("results and captures together", (r.returncode, r.stdout.count("  ok\n")), (0, 4))
    out = path("own.json")
    run("stats", "-q", raw, "--perf-test-json", out, "--table", "hitches")
    got = figures([{"group": "FrameTime", "stat": s} for s in ("median", "p95", "max", "mean")] + [{"group": "GC.Alloc", "stat": "total"}], out)[0]["values"]
    own = figures([{"metric": "frame.time", "stat": s} for s in ("median", "p95", "max", "mean")], raw)[0]["values"]
    for s in ("median", "p95", "max"):
        same("what is written reads back: " + s, got["test[FrameTime].%s" % s]["value"], own["frame.time." + s])


def told():
    """What is wrong, where, and what to do."""
    rows = budget([{"group": "Time", "max": "1s", "level": "error"}])
    good, bytes_ = put("good.json", one([1])), put("bytes.json", one([1], unit=4))
    raw = path("x.raw")
    out = path("own.json")
    for what, args, words in (
            ("a limit of another kind names the file", ["stats", "--gate", rows, bytes_],
             "of another kind than the sample group in %s, whose unit is bytes" % bytes_),
            ("stats of results", ["stats", good], "results of Unity's performance tests, which gates judge: see tracetool-budget(5)"),
            ("diff of results", ["diff", good, "--", good], "results of Unity's performance tests, which gates judge: see tracetool-budget(5)"),
            ("a NUL character", ["stats", "--gate", rows, put("nul.json", one([1], name="a\0b"))],
             "nul.json:1:63: a text has the character \\u0000"),
            ("standard output twice", ["stats", raw, "--perf-test-json", "-"], "option --perf-test-json: standard output is taken by the tables (-o FILE)")):
        r = run(*args)
        check(r.returncode in (1, 2, 3) and words in r.stderr, what, r.returncode, r.stderr)
    r = run("stats", "-q", raw, "--perf-test-json", "-", "-o", path("tables.txt"), "--table", "hitches")
    check(r.returncode == 0 and json.loads(r.stdout)["Results"], "results on standard output", r.stderr)
    os.makedirs(path("b"), exist_ok=True)
    generate("raw", path("b/x.raw"), "--scenario", "clean", "--frames", "5", "--seed", "9")
    r = run("stats", "-q", raw, path("b/x.raw"), "--perf-test-json", out, "--table", "hitches")
    same("two captures of one file name", (r.returncode, [t["Name"] for t in json.load(open(out))["Results"]]), (0, [raw, path("b/x.raw")]))


HUGE = "[" + ",".join(["1e308", "-1e308"] * 100000) + "]"
BAD = [("a sample of 10^300", one([1e300]), 3), ("a cut document", one([1, 2])[:-9], 3), ("a cut number", one([1, 2]).replace("2]", "2"), 3),
       ("NaN", one([1]).replace("[1]", "[NaN]"), 3),
       ("a text for a sample", one(["1"]), 3), ("an object for samples", one({"a": 1}), 3), ("no name", one([1]).replace('"Name": "Time", ', ""), 3),
       ("a number for a name", one([1], name=5), 3), ("a unit there is not", one([1], unit=9), 3), ("a negative unit", one([1], unit=-1), 3),
       ("results that are none", '{"TestSuite": "x", "Results": 5, "SampleGroups": 1}', 3),
       ("a list of numbers", '{"TestSuite": "x", "Results": [1]}', 3),
       ("infinity", one([1]).replace("[1]", "[1e999]"), 3), ("deep", '{"SampleGroups": ' + "[" * 100000, 3),
       ("a NUL byte", one([1]).replace("[1]", "[1\0]"), 3),
       ("a key twice", '{"SampleGroups": [], "SampleGroups": []}', 3), ("a cut line", "##performancetestresult2:" + one([1])[:-9] + "\n", 3),
       ("a line of nothing", "##performancetestresult2:\n", 3), ("no samples", one([]), 2), ("huge samples", one([1]).replace("[1]", HUGE), 3),
       ("control characters", one([1], name="a\x01\x1b[31mb"), 2), ("JSON of another kind", '{"a": 1}', 3),
       ("not UTF-8", one([1]).replace("Time", "T\xff").encode("latin-1"), 3)]


def hostile():
    rows = budget([{"group": "Time", "max": "1s", "level": "error"}])
    late = put("late.log", "Loading a scene\n" * 20000 + "##performancetestresult2:" + json.dumps(json.loads(one([1, 2]))["Results"][0]) + "\n")
    r = run("stats", "--gate", rows, late)
    check(r.returncode == 0, "a player's log whose first result is late", r.returncode, r.stdout, r.stderr)
    for what, text, status in BAD:
        r = run("stats", "--gate", rows, put("bad.json", text))
        # Without a figure the row cannot be judged: 5; a file that cannot be read: 3.
        status = {2: 5}.get(status, status)
        check(r.returncode == status, "%s: exit status" % what, r.returncode, r.stdout, r.stderr)
        check(len(r.stderr.splitlines()) <= 1 and (status != 3 or "bad.json" in r.stderr), "%s: one line says so" % what, r.stderr[:500])
        check(not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", r.stdout + r.stderr), "%s: no control characters" % what, r.stdout + r.stderr)


written()
read()
judged()
told()
hostile()
subprocess.run(["rm", "-r", FOLDER], check=True)
end()
