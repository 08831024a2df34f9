#!/usr/bin/env python3
"""Any shard missing: told. Every set of shards that is not whole, merged, with files that are not there or not whole."""
import itertools
import json
import os
import re
import shutil
import subprocess

import kit
from kit import run

N = 4
BUDGET = '{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "gc.alloc.bytes", "max": "1000GB" } ] }'


def shard(i, n=N, end="jsonl"):
    return "results.%d-of-%d.%s" % (i, n, end)


def named(text):
    """The shards that a text says are missing."""
    return {int(i) for i in re.findall(r"shard (\d+) of %d\b" % N, text)}


def attempt(s, what, gone, *operands):
    """A merge in which the shards ${gone} are missing: an error by itself, told with --partial."""
    out, gate = s.path("out.jsonl"), ["--gate", s.path("budget.json"), "--inconclusive", "pass"]
    r = run("merge", "-o", out, *operands, *gate)
    s.equal(what + ": fails", r.returncode, 4)
    s.equal(what + ": names them", named(r.err), gone)
    s.check(what + ": says how to go on", None if "--partial" in r.err else r.err)
    s.check(what + ": makes nothing and prints no figures", os.path.exists(out) or r.out)
    r = run("merge", "-o", out, "--partial", *operands, *gate, "--format", "json")
    s.equal(what + ", --partial: as the captures are", r.returncode, 0)
    s.equal(what + ", --partial: told", named(r.err), gone)
    doc = json.loads(r.out)
    notes = {n["id"]: (n["severity"], named(n["text"])) for n in doc["notes"]}
    s.equal(what + ", --partial: a note in reports", notes.get("missing_shards"), ("loss", gone))
    os.unlink(out)
    return doc["tables"]["batch"]["rows"][0]["captures"]


def main():
    s = kit.Suite()
    open(s.path("budget.json"), "w").write(BUDGET)
    gate = ["--gate", s.path("budget.json"), "--inconclusive", "pass"]
    os.mkdir(s.path("in"))
    for i in range(40):                   # a gate takes no recording twice
        subprocess.run([os.path.join(kit.BUILD, "mlpd_gen"), "17", "8", str(i + 1), s.path("in", "%02d.mlpd" % i)], check=True)
    for i in range(1, N + 1):
        r = run("batch", "-q", "-o", s.path("all"), "--shard", "%d/%d" % (i, N), *gate, s.path("in"))
        s.equal("shard %d" % i, (r.returncode, r.err), (0, ""))
    size = {i: len(kit.results(s.path("all", shard(i)))) for i in range(1, N + 1)}
    s.equal("whole: merges", (run("merge", s.path("all")).returncode, sum(size.values())), (0, 40))

    for k in range(1, N):
        for gone in itertools.combinations(range(1, N + 1), k):
            shutil.copytree(s.path("all"), s.path("some"))
            for i in gone:
                os.unlink(s.path("some", shard(i)))
            there = sum(size[i] for i in size if i not in gone)
            counted = attempt(s, "without %s" % (gone,), set(gone), s.path("some"))
            s.equal("without %s: the rest is counted" % (gone,), counted, there)
            files = [s.path("some", f) for f in sorted(os.listdir(s.path("some")))]
            attempt(s, "without %s, as files" % (gone,), set(gone), *files)
            for i in gone:                # a run that was killed leaves its lines
                shutil.copy(s.path("all", shard(i)), s.path("some", shard(i, end="part")))
            s.equal("%s not ended: --partial takes their lines" % (gone,),
                    attempt(s, "%s not ended" % (gone,), set(gone), s.path("some")), 40)
            shutil.rmtree(s.path("some"))

    # each shard in a folder of its own, as machines leave them
    for i in size:
        os.makedirs(s.path("node%d" % i))
        shutil.copy(s.path("all", shard(i)), s.path("node%d" % i))
    nodes = [s.path("node%d" % i) for i in size]
    whole = run("merge", s.path("all")).out
    s.equal("folders of machines: merge", (run("merge", *nodes).returncode, run("merge", *reversed(nodes)).out == whole), (0, True))
    s.equal("the same folder twice is no second run", (run("merge", *nodes, nodes[0], s.path(".", "node1")).returncode), 0)
    for i in size:
        attempt(s, "without machine %d" % i, {i}, *(n for n in nodes if not n.endswith("node%d" % i)))

    # two runs of as many shards: one of them lacks a shard that the other has
    s.equal("two runs: merge", run("merge", s.path("all"), *nodes).returncode, 0)
    for i in size:
        attempt(s, "two runs, shard %d of one" % i, {i}, s.path("all"), *(n for n in nodes if not n.endswith("node%d" % i)))

    # a whole run that has not ended; and one that has, beside shards
    run("batch", "-q", "-o", s.path("one"), "--gate", s.path("budget.json"), s.path("in"))
    s.equal("a whole run beside its shards", run("merge", s.path("one"), s.path("all")).returncode, 0)
    os.rename(s.path("one", "results.jsonl"), s.path("one", "results.part"))
    r = run("merge", s.path("one"))
    s.equal("a run that has not ended", (r.returncode, "results.jsonl" in r.err, r.out), (4, True, b""))
    s.equal("a run that has not ended, --partial", run("merge", "--partial", s.path("one")).returncode, 0)

    # 1,000 shards of which a few are there
    os.mkdir(s.path("big"))
    for i in (1, 500, 1000):
        shutil.copy(s.path("all", shard(1)), s.path("big", shard(i, 1000)))
    r = run("merge", s.path("big"))
    s.equal("most of many missing: a line", (r.returncode, r.err.count("\n"), "shard 2 of 1000" in r.err, "and 992 more" in r.err),
            (4, 1, True, True))
    s.end()


main()
