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


def feeds_on_itself(s):
    """Night after night into one folder: what merge wrote there last night is no input."""
    src, out = s.path("nightly"), s.path("nights")
    os.mkdir(src)
    data = sorted(kit.captures(5, 6).items())
    for night in (1, 2, 3):
        for name, content in data[:7 - 2 * night]:    # some captures are deleted, and all others made again
            open(os.path.join(src, name), "wb").write(data[night][1] if night > 1 else content)
            os.utime(os.path.join(src, name), (10**9 + night, 10**9 + night))
        for name, _ in data[7 - 2 * night:]:
            if os.path.exists(os.path.join(src, name)):
                os.unlink(os.path.join(src, name))
        for i in (1, 2, 3):
            run("batch", "-q", "-o", out, "--shard", "%d/3" % i, src)
        r = run("merge", "-o", out, out)
        one = s.path("night%d" % night)
        whole = run("batch", "-q", "-o", one, src)
        s.equal("night %d: as one run" % night, (r.returncode, r.out == whole.out), (0, True))
        s.equal("night %d: the results, too" % night, open(os.path.join(out, "results.jsonl"), "rb").read(),
                open(os.path.join(one, "results.jsonl"), "rb").read())
        s.equal("night %d: a line says what is passed over" % night,
                "results.jsonl: passed over" in r.err, night > 1)


def changed_capture(s):
    """Of results of different contents of one capture that of the file that was changed last is kept, in any order."""
    data = [content for _, content in sorted(kit.captures(9, 2).items())]
    where = []
    for k, mtime in ((0, 2 * 10**9), (1, 10**9)):
        src = s.path("changed%d" % k)
        os.mkdir(src)
        open(os.path.join(src, "a.mlpd"), "wb").write(data[k])
        os.utime(os.path.join(src, "a.mlpd"), (mtime, mtime))
        run("batch", "-q", "-o", src + "-out", src)
        where.append(src + "-out")
    for files in (where, where[::-1]):
        out = s.path("changed.jsonl")
        r = run("merge", "-o", out, *files)
        s.equal("changed: the file that was changed last", [x["file_mtime"].split(".")[0] for x in kit.results(out)], ["2000000000"])
        s.equal("changed: exit 3, and a line says which", (r.returncode, "2033-05-18 03:33:20 UTC" in r.err), (3, True))


def other_options(s):
    """Results made with different options are not added up, whatever the files are: shards, plain files, a tar's."""
    src, tar = s.path("options"), s.path("options-tar")
    os.mkdir(src)
    os.mkdir(tar)
    data = sorted(kit.captures(4, 8).items())
    for name, content in data:
        open(os.path.join(src, name), "wb").write(content)
    for i in range(6):
        open(os.path.join(tar, "%d.tar" % i), "wb").write(kit.tar(data))
    for kind, where in (("files", src), ("tars", tar)):
        for n, opts in enumerate((["--frames", "1-3"], ["--time", "0-1"], ["--min-duration", "1us"], ["--nesting", "2"])):
            out = s.path("options-%s-%d" % (kind, n))
            run("batch", "-q", "-o", out, "--shard", "1/2", where)
            run("batch", "-q", "-o", out, "--shard", "2/2", *opts, where)
            r = run("merge", "-o", s.path("no.jsonl"), out)
            s.equal("%s, %s: fails" % (kind, opts), (r.returncode, r.out, os.path.exists(s.path("no.jsonl"))), (4, b"", False))
            s.check("%s, %s: says why, and how to go on" % (kind, opts), None if "options" in r.err and "--partial" in r.err else r.err)
            r = run("merge", "--partial", out)
            s.check("%s, %s: --partial says so" % (kind, opts), None if r.out and "options differ" in r.err else r.err)
    for n, where in enumerate((src, tar)):        # whole runs under other names
        run("batch", "-q", "-o", s.path("plain%d" % n), *(["--frames", "1-3"] if n else []), where)
        os.rename(s.path("plain%d" % n, "results.jsonl"), s.path("plain%d.jsonl" % n))
    s.equal("files of any name", run("merge", s.path("plain0.jsonl"), s.path("plain1.jsonl")).returncode, 4)
    for i in (1, 2):
        run("batch", "-q", "-o", s.path("options-meta"), "--shard", "%d/2" % i, "--meta", "machine=%d" % i, src)
    r = run("merge", s.path("options-meta"))
    s.check("facts of --meta may differ", None if r.out and "options" not in r.err else r.err)


def main():
    s = kit.Suite()
    open(s.path("budget.json"), "w").write(BUDGET)
    gate = ["--gate", s.path("budget.json"), "--inconclusive", "pass"]
    os.mkdir(s.path("in"))
    for i in range(40):                   # a gate takes no recording twice
        subprocess.run([os.path.join(kit.BUILD, "kit", "mlpd_gen"), "17", "8", str(i + 1), s.path("in", "%02d.mlpd" % i)], check=True)
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

    # the .part of a later run that has not ended, beside the .jsonl of an earlier one
    shutil.copytree(s.path("all"), s.path("later"))
    for i in size:
        shutil.copy(s.path("all", shard(i)), s.path("later", shard(i, end="part")))
        attempt(s, "a later run of shard %d has not ended" % i, {i}, s.path("later"))
        r = run("merge", s.path("later"))
        s.check("a later run of shard %d: says so" % i, None if "shard %d of %d has not ended" % (i, N) in r.err else r.err)
        os.unlink(s.path("later", shard(i, end="part")))
    shutil.copy(s.path("one", "results.part"), s.path("one", "results.jsonl"))
    r = run("merge", s.path("one"))
    s.equal("a later whole run has not ended", (r.returncode, "results.jsonl has not ended" in r.err, r.out), (4, True, b""))
    s.equal("a later whole run has not ended, --partial", run("merge", "--partial", s.path("one")).returncode, 0)

    feeds_on_itself(s)
    changed_capture(s)
    other_options(s)

    # 1,000 shards of which a few are there
    os.mkdir(s.path("big"))
    for i in (1, 500, 1000):
        shutil.copy(s.path("all", shard(1)), s.path("big", shard(i, 1000)))
    r = run("merge", s.path("big"))
    s.equal("most of many missing: a line", (r.returncode, r.err.count("\n"), "shard 2 of 1000" in r.err, "and 992 more" in r.err),
            (4, 1, True, True))
    s.end()


main()
