#!/usr/bin/env python3
"""What a report advises to record with is an option of the capture's producer, and recording with it fills what was empty.

Every table, every metric of a gate and every output is asked of captures that lack nearly all: of the log profiler, of its older
data versions, of our module, of Unity. Producers' options come from `mono --profile=log:help`, from mono(1) of Mono 4 for
versions before 14, and from tracetool-mono(7). With an option that is advised recorded alone, its advice is gone.
Options of the program itself in these sentences are those of the command that prints them.
"""
import json
import os
import re
import subprocess
import sys

import kit

sys.path.insert(0, os.path.join(kit.TOP, "tests", "unity"))
import ttc  # noqa: E402

LOG = {"alloc", "gc", "gchandle", "finalization", "jit", "exception", "monitor", "sample"}
MODULE = {"alloc", "gc", "handles", "finalizers", "jit", "exceptions", "monitor", "sample"}
# mono(1) of Mono 4.2, "log": what turns recording on.
LOG_OLD = {"alloc", "calls", "heapshot", "counters", "sample", "coverage", "time"}
LIMIT = {"ns": "1s", "bytes": "1MiB", "fps": "1fps"}


def run(*args):
    return subprocess.run([kit.TRACETOOL] + list(args), capture_output=True, text=True, errors="replace", timeout=120)


def lists():
    """(ids of all tables, rows of a budget for all metrics, {command: its options})"""
    found = json.loads(run("list", "metrics", "gate", "--format", "json").stdout)["tables"]
    ids = sorted(x for x in {r["table"] for r in found["metrics"]["rows"]} - {"objects_found", "objects_tracked", "timeline_metrics"}
                 if not x.startswith("capture"))
    rows = [{"id": "on", "metric": "lost.events", "max": 1000000}]
    for m in found["gate"]["rows"]:
        keys = {m["needs"]: "1ms" if m["needs"] == "limit" else "*"} if m["needs"] else {}
        for stat in m["stats"].split():
            limit = 1 if stat == "count" else LIMIT.get(m["unit"], 1)
            rows.append(dict({"id": str(len(rows)), "metric": m["metric"], "stat": stat, "min" if m["unit"] == "fps" else "max": limit}, **keys))
    options = {v: set(re.findall(r"--[a-z-]+", run("help", v, "--options").stdout)) for v in ("stats", "convert", "info", "batch", "diff")}
    return ids, rows, options


def sentences(path, ids, rows, outputs=True):
    """{(command, sentence)} that reports, verdicts and outputs of a capture have."""
    said = set()
    report = json.loads(run("stats", path, "--table", ",".join(ids), "--limit", "1", "--format", "json").stdout)
    said |= {("stats", t[k]) for t in report["tables"].values() for k in ("note", "empty") if t.get(k)}
    said |= {("stats", n["text"]) for n in report["notes"]}
    budget, verdict = kit.capture("budget.json"), kit.capture("verdict.json")
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "rows": rows}, f)
    ran = run("stats", path, "--gate", budget, "--json", verdict)
    kit.check(os.path.exists(verdict), "a verdict of %s" % path, ran.stderr)
    said |= {("stats", r["text"]) for r in json.load(open(verdict))["rows"]}
    if not outputs:
        return said
    for to in ("json", "csv", "pb", "folded", "info"):
        made = run("convert", path, "-o", kit.capture("out." + to))
        said |= {("convert", x) for x in made.stderr.splitlines()}
    said |= {("info", n["text"]) for n in json.loads(run("info", path, "--format", "json").stdout)["notes"]}
    ran = run("diff", path, "--", path)
    said |= {("diff", x) for x in ran.stderr.splitlines()}
    return said


def advised(said):
    return set(re.findall(r"\(record with ([a-z-]+)\)", " ".join(s for _, s in said)))


def judge(who, said, has, options):
    """Whatever the sentences name is there."""
    kit.check(len(said) > 20, "%s: sentences are found" % who, said)
    kit.check(advised(said) <= has, "%s: what is advised are its options" % who, advised(said) - has)
    named = {w for _, s in said for w in re.findall(r"(?<![\w.\"=-])([a-z][a-z-]+)=[A-Z.]", s)}
    kit.check(named <= has, "%s: options with a value" % who, named - has)
    listed = subprocess.run(["mono", "--list-opt"], capture_output=True, text=True).stdout.split()
    optimized = {w for _, s in said for w in re.findall(r"mono -O=-?([a-z]+)", s)}
    kit.check(optimized <= set(listed), "%s: optimizations of mono" % who, optimized)
    wrong = {(v, o, s) for v, s in said for o in re.findall(r"(?<![\w-])--[a-z][a-z-]+", s)
             if o not in options[(re.findall(r"\b(stats|convert|info|batch|diff) " + o, s) or [v])[0]]}
    kit.check(not wrong, "%s: options of commands" % who, *sorted(wrong))


def log(name, options):
    path = kit.capture(name)
    subprocess.run(["mono", "--profile=log:nodefaults,%s,output=%s" % (options, path), kit.program("Tables")], check=True,
                   cwd=kit.FOLDER, capture_output=True, timeout=120)
    return path


def module(name, options):
    path = kit.capture(name)
    ran = kit.mono("%s,out=%s" % (options, path), "Tables")
    kit.check(ran.returncode == 0, "the module takes %s" % options, ran.stderr)
    return path


def older(version):
    """A capture of an older data version with one call and nothing else."""
    path = kit.capture("old-%d.mlpd" % version)
    script = "image\t1\ta.exe\nclass\t1\t1\tA\nmethod\t1\tA:B ()\nthread\t1\tMain\nenter\t1000\t1\t1\nleave\t2000\t1\t1\n"
    subprocess.run([os.path.join(kit.BUILD, "kit", "calls_gen"), path, "0", str(version)], input=script, text=True, check=True)
    return path


def unity():
    """A capture of Unity's with one zone and nothing else."""
    path, c = kit.capture("unity.ttc"), ttc.Capture()
    c.thread().zone(1000, 2000, c.marker("Update"))
    c.write(path)
    return path


def main():
    kit.compile("Tables")
    ids, rows, options = lists()
    help_text = subprocess.run(["mono", "--profile=log:help", "x.exe"], capture_output=True, text=True).stdout
    # "	[no]'EVENT'  ..." has its words one a line below; "[no]alloc", "sample[-real][=FREQ]", "heapshot-on-shutdown" are options.
    has_log = set(re.findall(r"^\s+(?:\[no\])?([a-z][a-z-]*)", help_text, re.M))
    with open(os.path.join(kit.TOP, "man", "tracetool-mono.7")) as f:
        has_module = {w for it in re.findall(r"^\.It Cm (.*)", f.read(), re.M) for w in re.findall(r"(?:^|, )(?:Cm )?([a-z-]+)", it)}

    for who, record, end, nothing, has, want in (("log", log, "mlpd", "counter", has_log, LOG),
                                                 ("module", module, "ttc", "counters=1s", has_module, MODULE)):
        said = sentences(record("%s-none.%s" % (who, end), nothing), ids, rows)
        judge(who, said, has, options)
        kit.check(advised(said) == want, "%s: advice of a capture with nothing in it" % who, advised(said), want)
        for option in sorted(want):
            then = advised(sentences(record("%s-%s.%s" % (who, option, end), option), ids, rows, outputs=False))
            kit.check(then < want and option not in then, "%s: %s is not advised where it was recorded" % (who, option), then)
        path = record("%s-all.%s" % (who, end), ",".join(sorted(want)))
        then = sentences(path, ids, rows)
        judge(who + ", all recorded", then, has, options)
        kit.check(not advised(then), "%s: nothing is advised where all of it is recorded" % who, advised(then))
        full = "alloc_sites,gc_generations,handles,finalizers,jit_helpers,exceptions,contention"
        for table, r in kit.stats(path, full).items():
            kit.check(r, "%s: %s has rows then" % (who, table))
    # Without their options said, versions before 13 record all but these, 13 allocations besides, later ones exceptions alone.
    for version, want in ((4, {"alloc", "sample"}), (8, {"alloc", "sample"}), (12, {"alloc", "sample"}), (13, {"sample"}),
                          (14, LOG - {"exception"}), (17, LOG - {"exception"})):
        said = sentences(older(version), ids, rows)
        judge("data version %d" % version, said, LOG_OLD if version < 14 else has_log, options)
        kit.check(advised(said) == want, "data version %d: advice" % version, advised(said))
    said = sentences(unity(), ids, rows)
    judge("Unity", said, set(), options)
    kit.end()


if __name__ == "__main__":
    main()
