#!/usr/bin/env python3
"""Coverage with the real runtime: equal to the counts the program's source names, and read by genhtml."""
import os
import re
import shutil
import subprocess

import kit

SOURCE = os.path.join(kit.HERE, "Cover.cs")


def known(**changed):
    """{line: count} as the source says."""
    lines = open(SOURCE).read().splitlines()
    return {n: [int(m.group(1))] for n, m in ((n, re.search(r"//= (\d+)", s)) for n, s in enumerate(lines, 1)) if m}


def run(options, *args, expected=0):
    out = kit.capture("cover.ttc")
    p = kit.mono(options + ",out=" + out, "Cover", *args, more=["--debug"])
    kit.check(p.returncode == expected, "exit status of " + options, p.returncode, p.stderr)
    return out


def lines(path):
    rows = kit.stats(path, "coverage_lines")["coverage_lines"]
    kit.check({r["file"] for r in rows} <= {SOURCE}, "the source file", {r["file"] for r in rows})
    return {r["line"]: [r["hits"]] for r in rows}


def every_line():
    out = run("coverage")
    kit.check_equal(lines(out), known(), "lines and how often they ran")
    tables = kit.stats(out, "coverage,coverage_classes,coverage_methods")
    total = tables["coverage"]
    kit.check([r["assembly"] for r in total] == ["Cover"], "the program alone is covered", total)
    hits = known()
    kit.check(total[0]["lines"] == len(hits) and total[0]["lines_hit"] == sum(h[0] > 0 for h in hits.values()), "sums", total)
    methods = {r["class"] + ":" + r["method"]: r["entries"] for r in tables["coverage_methods"]}
    for name, entries in {"Numbers:Sum (int)": 2, "Numbers:Never (int)": 0, "Pool`1:Put (T)": 3, "Pool`1:Unused ()": 0}.items():
        kit.check(methods.get(name) == entries, "method " + name, methods)
    return out


def filters():
    hits = known()
    def span(text):
        s = open(SOURCE).read().splitlines()
        first = next(n for n, l in enumerate(s, 1) if text in l)
        return first, next(n for n, l in enumerate(s, 1) if n > first and l.startswith("}"))
    first, last = span("static class Numbers")
    kit.check_equal(lines(run("coverage=Numbers:*")), {n: h for n, h in hits.items() if first <= n <= last}, "coverage=Numbers:*")
    kit.check_equal(lines(run("coverage=[Cover]*,coverage-exclude=Numbers:*")),
                    {n: h for n, h in hits.items() if not first <= n <= last}, "coverage-exclude=Numbers:*")
    kit.check_equal(lines(run("coverage,calls,alloc,sample=500,gc,exceptions")), hits, "with everything else on")


def ends():
    """An unhandled exception does not tell modules of a shutdown."""
    hits = lines(run("coverage", "throw", expected=1))
    kit.check(sum(h[0] > 0 for h in hits.values()) > 40, "after an unhandled exception", hits)


def genhtml(out):
    info = os.path.join(kit.FOLDER, "cover.info")
    subprocess.run([kit.TRACETOOL, "convert", "-q", out, "-o", info], check=True)
    hits = known()
    html = os.path.join(kit.FOLDER, "html")
    p = subprocess.run(["genhtml", "-o", html, info], capture_output=True, text=True)
    want = r"lines\.+: [\d.]+%% \(%d of %d lines\)" % (sum(h[0] > 0 for h in hits.values()), len(hits))
    kit.check(p.returncode == 0 and re.search(want, p.stdout), "genhtml", want, p.stdout, p.stderr)
    text = p.stdout
    methods = kit.stats(out, "coverage_methods")["coverage_methods"]
    want = r"functions\.+: [\d.]+%% \(%d of %d functions\)" % (sum(m["entries"] > 0 for m in methods), len(methods))
    kit.check(re.search(want, text), "genhtml: functions", want, text)
    p = subprocess.run(["lcov", "--list", info], capture_output=True, text=True)
    kit.check(p.returncode == 0 and "Cover.cs" in p.stdout, "lcov", p.stdout, p.stderr)


kit.compile("Cover")
out = every_line()
if shutil.which("genhtml"):
    genhtml(out)
filters()
ends()
kit.end()
