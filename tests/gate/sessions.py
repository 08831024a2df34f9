#!/usr/bin/env python3
"""What a gate takes for a capture, a session and a baseline, by tracetool-budget(5): captures without a figure, what may be
appended, six appends at once, the same recording twice.

    sessions.py TRACETOOL CALLS_GEN

Captures are scripts of calls, so that every figure is known. Ends with "N passed, N failed".
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "diff"))
from truth import Script  # noqa: E402

TRACETOOL, GEN = [os.path.abspath(p) for p in sys.argv[1:3]]
passed = failed = 0
work = None


def check(ok, what, *told):
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok:
        print("FAILED: " + what, *told)


def at(name):
    return os.path.join(work, name)


def capture(name, ns, frames=10, markers=("Game:Draw",), cls="Game.Shot"):
    """A game whose frames take ${ns}, and of which no two recordings are alike."""
    s = Script()
    s.now["Main"] = capture.made = capture.made + 1
    for i in range(frames):
        s.enter("Game:Tick")
        s.work(ns)
        for m in markers:
            s.call(m, 1000)
        s.alloc(cls, 64)
        s.leave()
    if frames:
        s.enter("Game:Tick")
    else:
        s.call("Game:Boot", ns)
    s.write(GEN, at(name))
    return name


capture.made = 0


def captures(name, ns, n=5, **more):
    return [capture("%s%d.mlpd" % (name, i), ns + i, **more) for i in range(n)]


def row(id, **keys):
    return dict({"id": id, "metric": "frame.time", "stat": "median"}, **keys)


def budget(*rows, name="budget.json", **keys):
    with open(at(name), "w") as f:
        json.dump(dict({"tracetool_budget": 1, "frame_marker": "Game:Tick", "rows": list(rows)}, **keys), f)
    return name


def gate(*args, code=None, verb=("stats",), env=None):
    """The run, its verdict by row, and whether it ended as it should."""
    r = subprocess.run([TRACETOOL, *verb, "--gate", "budget.json", "--today", "2026-11-20", "--json", "verdict.json", *args],
                       cwd=work, capture_output=True, text=True, errors="surrogateescape", timeout=120, env=dict(os.environ, **(env or {})))
    r.rows = {}
    if r.returncode in (0, 1, 5) and os.path.exists(at("verdict.json")):
        r.json = json.load(open(at("verdict.json")))
        r.rows = {x["id"]: x for x in r.json["rows"]}
    if code is not None:
        check(r.returncode == code, "exit status of %s" % (args,), r.returncode, "not", code, r.stdout, r.stderr)
    return r


def sessions(base="base.json"):
    return [(s["session"], len(s["captures"])) for s in json.load(open(at(base)))["sessions"]]


# --- captures without a figure ------------------------------------------------------------------------

def crashed_captures_are_no_pass():
    good, bad = captures("good", 1000000, 3), captures("bad", 1000000, 5, frames=0)
    budget(row("median", max="5ms"), row("mean", stat="mean", max="5ms", max_missing=5), row("slow", max="1us"))
    r = gate(*good, *bad, code=1)
    want = {"median": "cannot_judge", "mean": "pass", "slow": "breach", "integrity-lost": "pass"}
    check({k: v["outcome"] for k, v in r.rows.items()} == want, "outcomes with 5 of 8 crashed", r.rows)
    check(all(r.rows[k]["missing"] == 5 and r.rows[k]["captures"] == 3 for k in ("median", "mean")), "counts of what is missing", r.rows)
    check("5 of 8 captures have no figure" in r.rows["median"]["text"] and "bad0.mlpd" in r.rows["median"]["text"], "says how many", r.stdout)
    check("5 have no figure" in r.rows["mean"]["text"], "says how many also where it passes", r.stdout)
    budget(row("median", max="5ms"))
    gate(*good, *bad, code=5)
    gate(*good, bad[0], code=5)
    gate(*good, code=0)
    budget(row("median", max="+50%"), row("exact", metric="frame.count", stat="total", exact=True), row("few", max="5ms", max_missing=4))
    gate(*good, "--save", "first.json", code=0)
    r = gate(*good, *bad, "--baseline", "first.json", code=1)
    check(r.rows["median"]["outcome"] == "cannot_judge" and r.rows["few"]["outcome"] == "cannot_judge", "with a baseline", r.stdout)
    check(r.rows["exact"]["outcome"] == "breach", "no frame at all is a number of frames", r.rows["exact"]["text"])
    budget(row("median", max="5ms"))
    options = ("--frame-marker", "Game:Tick", "--max-failures", "9")
    r = gate(*good, *bad, *options, verb=("batch",), code=5)
    check(r.rows["median"]["missing"] == 5, "captures that fail in a batch have no figure", r.stdout)
    r = gate(*good, *bad, *options, "--group-by", "format", verb=("batch",))
    check(any("5 captures without the fact" in x for x in r.json["remarks"]), "captures in no group are told", r.json["remarks"])
    gate(*bad, code=2)


def main():
    global work
    with tempfile.TemporaryDirectory(prefix="tracetool-sessions.") as work:
        crashed_captures_are_no_pass()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)


main()
