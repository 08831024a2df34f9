#!/usr/bin/env python3
"""The schema of budgets that editors use says what the program says: of the budgets here, by a validator of its own
(python3-jsonschema), and it knows every metric and statistic there is."""
import json
import os
import re
import subprocess
import sys

import jsonschema

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import check, end
from suite import TOP, TRACETOOL

FOLDER = os.environ.get("TMPDIR", "/tmp")
CAPTURE = os.path.join(TOP, "testdata", "gate", "good-base1.ttc.xz")

# What a schema cannot see, or what is right but for other rows: only the program refuses these.
BEYOND = ["not JSON", "there is a row", "there by default", "leave some room", "is too large", "has one limit",
          "better: limit", "stands alone", "nothing could keep both", "not a regular expression", "json: is empty",
          "for rows whose limit", "for rows without a baseline", "needs figures of single"]


def program_says(text):
    path = os.path.join(FOLDER, "schema-budget.json")
    with open(path, "w") as f:
        f.write(text)
    run = subprocess.run([TRACETOOL, "stats", "--gate", path, "--save", os.path.join(FOLDER, "schema-base.json"), "--frame-marker", "Game:Frame", CAPTURE],
                         capture_output=True, text=True)
    return run.returncode != 2, run.stderr


def row(**keys):
    return json.dumps({"tracetool_budget": 1, "rows": [dict({"id": "a"}, **keys)]})


def good_budgets():
    page = open(os.path.join(TOP, "man", "tracetool-budget.5")).read()
    yield re.search(r"\.Bd -literal -offset indent\n(.*?)\.Ed", page, re.S).group(1)
    yield open(os.path.join(TOP, "tests", "system", "mono", "gate_budget.json")).read()
    yield subprocess.run([TRACETOOL, "stats", "--suggest", CAPTURE], capture_output=True, text=True).stdout
    for spread in ("100%", "100.0 %", "7%", ".5%", "99.99%", "007%"):
        yield row(metric="frame.time", max="1s")[:-1] + ', "session_spread": "%s" }' % spread
    yield row(metric="marker.count", marker="*", max=9.2e12)
    metrics = json.loads(subprocess.run([TRACETOOL, "list", "gate", "--format", "json"], capture_output=True,
                                        text=True).stdout)["tables"]["gate"]["rows"]
    limit = {"ns": "1 ms", "bytes": "10KiB", "number": 3, "per_1000": 2.5, "fps": "60fps"}
    for m in metrics:
        for stat in m["stats"].split():
            need = {m["needs"]: "1ms" if m["needs"] == "limit" else "x*"} if m["needs"] else {}
            value = 1 if stat in ("count", "per_1000") else limit[m["unit"]]
            yield row(metric=m["metric"], stat=stat, **need, **{"min" if m["unit"] == "fps" else "max": value})
            yield row(metric=m["metric"], stat=stat, **need, **{"min": "-5%"})
    yield row(metric="counter", counter="x", max="5MiB", level="warn", over="worst", comment="x")
    yield row(metric="counter", counter="x", max="80%", min_captures=3, where={"scene": "A*"})
    yield row(metric="frame.time", max="+0.3ms", effect="0.1ms", waive={"until": "2027-01-31", "why": "x", "who": "y"})
    yield row(metric="gc.alloc.count", exact=True)
    yield row(metric="markers/self_ns", row="Update*", max="1ms")
    yield row(metric="gcalloc/bytes", max="+5%")
    yield row(metric="frames/fps", row="wall", min="60fps", level="warn")
    yield row(metric="gc.alloc.count", max=3, min=1)


def bad_budgets():
    """Those of the command-line case."""
    case = open(os.path.join(TOP, "tests", "cli", "gate_budget_faults_have_a_place_and_advice", "cmd")).read()
    for m in re.finditer(r"^(try|row) '(.*)'$", case, re.M):
        yield m.group(2) if m.group(1) == "try" else '{ "tracetool_budget": 1, "rows": [ { %s } ] }' % m.group(2)


schema = json.load(open(os.path.join(TOP, "lib", "gate", "budget.schema.json")))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
for text in good_budgets():
    right, told = program_says(text)
    check(right, "a good budget is refused", text, told)
    errors = [e.message for e in validator.iter_errors(json.loads(text))]
    check(not errors, "the schema refuses a good budget", text, errors)
for text in bad_budgets():
    right, told = program_says(text)
    check(not right, "a bad budget is taken", text)
    if any(b in told for b in BEYOND):
        continue
    check(list(validator.iter_errors(json.loads(text))), "the schema takes a bad budget", text, told)
end()
