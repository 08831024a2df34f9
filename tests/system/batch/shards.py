#!/usr/bin/env python3
"""Every missing shard is reported. Merges every incomplete set of shards, with files that are missing or incomplete."""
import csv
import gzip
import itertools
import json
import os
import random
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
                "results.jsonl: ignored" in r.err, night > 1)


def names(s):
    """tracetool-merge(1): a DIR stands for all files in it that are named results*.jsonl or results*.part, compressed or not."""
    data = sorted(kit.captures(5, 6).items())
    there = s.path("names")
    os.mkdir(there)
    for k, name in enumerate(["results.jsonl", "results-node2.jsonl", "results_b.jsonl", "results2.part", "results.jsonl.gz", "other.jsonl"]):
        src = s.path("names%d" % k)
        os.mkdir(src)
        open(os.path.join(src, "%d.mlpd" % k), "wb").write(data[k][1])
        run("batch", "-q", "-o", src + "-out", src)
        lines = open(os.path.join(src + "-out", "results.jsonl"), "rb").read()
        open(os.path.join(there, name), "wb").write(kit.pack("gz", lines) if name.endswith("gz") else lines)
    r = run("merge", "-o", s.path("names.jsonl"), there)
    keys = {json.loads(line)["key"] for line in open(s.path("names.jsonl"))}
    s.equal("names of results in a folder", (r.returncode, keys), (0, {"%d.mlpd" % k for k in range(5)}))


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


def lists_differ(s):
    """Shards whose list of files was not the same: told, exit 4; all of them resumed are one run again."""
    src, out = s.path("lists"), s.path("lists-out")
    os.mkdir(src)
    data = sorted(kit.captures(11, 12).items())
    for name, content in data[:11]:
        open(os.path.join(src, name), "wb").write(content)

    def grow():
        with open(os.path.join(src, data[3][0]), "ab") as f:
            f.write(b"\0" * 100)
    changes = (("a capture comes", lambda: open(os.path.join(src, data[11][0]), "wb").write(data[11][1])),
               ("one goes", lambda: os.unlink(os.path.join(src, data[0][0]))), ("one grows", grow))
    for what, change in changes:
        shutil.rmtree(out, ignore_errors=True)
        run("batch", "-q", "-o", out, "--shard", "1/3", src)
        change()
        for i in (2, 3):
            run("batch", "-q", "-o", out, "--shard", "%d/3" % i, src)
        r = run("merge", "-o", s.path("lists.jsonl"), out)
        s.equal(what + ": fails", (r.returncode, r.out, os.path.exists(s.path("lists.jsonl"))), (4, b"", False))
        s.check(what + ": says which shard, and what to do", None if "shard 1 of 3" in r.err and "--resume" in r.err else r.err)
        r = run("merge", "--partial", "--format", "json", out)
        s.check(what + ", --partial: told, also in the report",
                None if "belong together" in r.err and "missing_shards" in {n["id"] for n in json.loads(r.out)["notes"]} else (r.err, r.out))
        for i in (1, 2, 3):
            run("batch", "-q", "-o", out, "--resume", "--shard", "%d/3" % i, src)
        r = run("merge", "-o", s.path("lists.jsonl"), out)
        run("batch", "-q", "-o", s.path("lists-one"), src)
        s.equal(what + ": resumed, as one run", open(s.path("lists.jsonl"), "rb").read(),
                open(s.path("lists-one", "results.jsonl"), "rb").read())
        os.unlink(s.path("lists.jsonl"))
        s.equal(what + ": and nothing is said", (r.returncode, "belong" in r.err), (3 if what == "one grows" else 0, False))
    r = run("merge", "--shard-count", "3", "-o", s.path("lists.jsonl"), out)
    run("batch", "-q", "-o", out, "--shard", "1/2", src)
    s.equal("shards of another run beside them, which is not whole", run("merge", out).returncode, 4)
    s.equal("--shard-count leaves them out", (r.returncode, run("merge", "--shard-count", "3", out).out == r.out), (3, True))
    s.equal("--shard-count of which there are none", run("merge", "--shard-count", "4", out).returncode, 4)
    s.equal("--shard-count, and a file of other ones", run("merge", "--shard-count", "2", os.path.join(out, shard(1, 3))).returncode, 4)
    # other names do not hide that a shard is missing
    for i in (1, 2, 3):
        shutil.copy(os.path.join(out, shard(i, 3)), s.path("night-%d.jsonl" % i))
    s.equal("other names, all there", run("merge", *(s.path("night-%d.jsonl" % i) for i in (1, 2, 3))).returncode, 3)
    r = run("merge", s.path("night-1.jsonl"), s.path("night-3.jsonl"))
    s.equal("other names, one missing", (r.returncode, r.out, "shard 2 of 3 (no file)" in r.err), (4, b"", True))
    # ... nor does a folder's own hide one of another name
    os.makedirs(s.path("mixed"))
    for i in (1, 3):
        shutil.copy(os.path.join(out, shard(i, 3)), s.path("mixed"))
    r = [run("merge", s.path("mixed"), *more) for more in ((), (s.path("night-2.jsonl"),), (s.path("night-1.jsonl"),))]
    s.equal("a folder, and a shard of another name", ([x.returncode for x in r], r[1].out == run("merge", "--shard-count", "3", out).out),
            ([4, 3, 4], True))
    # What is without a shard says so to whoever reads it later.
    part, again = s.path("part.jsonl"), s.path("again.jsonl")
    run("merge", "--partial", "-o", part, s.path("mixed"))
    r = run("merge", part)
    s.equal("merged results of a part", (r.returncode, r.out, "shard 2 of 3 (no file)" in r.err), (4, b"", True))
    r = run("merge", "--partial", "-o", again, "--format", "csv", part)
    rows = list(csv.DictReader(r.out.decode().split("\n\n")[0].split("\n")[1:]))
    s.equal("merged results of a part, --partial", (r.returncode, rows[0]["missing"], open(again).read() == open(part).read()),
            (3, "shard 2 of 3 (no file)", True))
    s.equal("whole results lack nothing", json.loads(run("merge", "--shard-count", "3", out, "--format", "json").out)
            ["tables"]["batch"]["rows"][0]["missing"], None)


def by_work(s):
    """Shards get the same amount of work, where files differ a hundredfold; a file more moves few others."""
    src = s.path("sizes")
    os.mkdir(src)
    rng = random.Random(5)
    size = {"%03d" % i: int(2e5 * 100 ** rng.random()) for i in range(300)}
    for name, n in size.items():      # no captures: files of zeros, which take no room
        open(os.path.join(src, name), "wb").truncate(n)

    def split(out):
        for i in range(1, N + 1):
            run("batch", "-q", "-o", s.path(out), "--shard", "%d/%d" % (i, N), src)
        return {r["key"]: i for i in range(1, N + 1) for r in kit.results(s.path(out, shard(i)))}
    first = split("sizes1")
    load = [sum(n for k, n in size.items() if first[k] == i) for i in range(1, N + 1)]
    s.equal("by work: each file is one shard's", (set(first), sum(len(kit.results(s.path("sizes1", shard(i)))) for i in range(1, N + 1))),
            (set(size), len(size)))
    s.check("by work: the most is 1.1 times the mean", max(load) > 1.1 * sum(load) / N and load)
    open(os.path.join(src, "more"), "wb").truncate(5000000)
    moved = [k for k, i in split("sizes2").items() if k in first and first[k] != i]
    s.check("by work: a file more moves at most every fifth", len(moved) > len(size) / 5 and moved)


def one_archive(s):
    """One large archive is shared where its format allows, also where it is damaged; the shards are one run, byte for byte."""
    data = [(n, c) for n, c in sorted(kit.captures(13, 60).items())]
    whole = kit.tar(data)
    members = {n: whole.index(n.encode()) for n, _ in data}
    hurt = bytearray(whole)
    hurt[members[data[20][0]] + 3] ^= 1               # a header
    cases = {"a.tar": (whole, True), "twice.tar": (whole + kit.tar(data[:30]), True), "hurt.tar": (bytes(hurt), True),
             "cut.tar": (whole[:members[data[40][0]] + 700], True), "in-header.tar": (whole[:members[data[40][0]] + 100], True),
             "a.zip": (kit.zipped(data), True), "cut.zip": (kit.zipped(data)[:-3000], True),
             "a.tar.gz": (gzip.compress(whole), False), "a.7z": (kit.seven(data), False)}
    for name, (content, shared) in cases.items():
        src, out = s.path("x-" + name), s.path("o-" + name)
        os.mkdir(src)
        open(os.path.join(src, name), "wb").write(content)
        one = run("batch", "-q", "-o", s.path("one-" + name), src)
        some = []
        for i in range(1, N + 1):
            run("batch", "-q", "-o", out, "--shard", "%d/%d" % (i, N), src)
            some.append(sum(r["type"] == "capture" for r in kit.results(os.path.join(out, shard(i)))))
        r = run("merge", "-o", s.path("m-%s.jsonl" % name), out)
        s.equal(name + ": as one run", (r.returncode, r.out, open(s.path("m-%s.jsonl" % name), "rb").read()),
                (one.returncode, one.out, open(s.path("one-" + name, "results.jsonl"), "rb").read()))
        if shared:
            s.check(name + ": every shard has some of it", min(some) < sum(some) / N / 4 and some)
        else:
            s.equal(name + ": one shard has all of it", sorted(some)[:-1], [0] * (N - 1))


def replaced_archive(s):
    """tracetool-merge(1): shards of an archive that was replaced between them by one as long are an error; copies of one are not, whatever their times."""
    def members(mark):
        rng = random.Random(11)
        return [("%02d.bin" % i, rng.randbytes(20000 + 100 * i)) if i != mark else ("%02d.bin" % i, bytes([7]) * (20000 + 100 * i)) for i in range(40)]
    some = sorted(kit.captures(12, 4).items())
    for name, pack in (("r.tar", kit.tar), ("r.zip", lambda m: kit.zipped(m, stored=True))):
        for mark, differ in ((None, False), (0, True), (39, True)):
            src, out = s.path("replaced"), s.path("replaced-out")
            os.mkdir(src)
            for i, content in ((1, pack(some + members(None))), (2, pack(some + members(mark))), (3, pack(some + members(mark)))):
                open(os.path.join(src, name), "wb").write(content)
                os.utime(os.path.join(src, name), (10**9 + i, 10**9 + i))
                run("batch", "-q", "-o", out, "--shard", "%d/3" % i, src)
            r = run("merge", "-o", s.path("replaced.jsonl"), out)
            what = "%s, member %s replaced" % (name, mark)
            s.equal(what, (r.returncode, name + ": its members are not the same for all shards" in r.err), (4, True) if differ else (0, False))
            if differ:
                r = run("merge", "--partial", "--format", "json", out)
                s.equal(what + ", --partial", (r.returncode, "members of %s are not the same" % name in r.err, any(
                    "not the same" in n["text"] for n in json.loads(r.out)["notes"])), (0, True, True))
                later = s.path("replaced-later")          # results of two nights, of which the later count
                for i in (1, 2, 3):
                    run("batch", "-q", "-o", later, "--shard", "%d/3" % i, src)
                r = run("merge", "-q", "-o", s.path("replaced.jsonl"), later)
                first = kit.by_key(s.path("replaced.jsonl"))[name]
                open(os.path.join(src, name), "wb").write(pack(some + members(None)))
                shutil.rmtree(out)
                for i in (1, 2, 3):
                    os.utime(os.path.join(src, name), (10**9, 10**9))
                    run("batch", "-q", "-o", out, "--shard", "%d/3" % i, src)
                r = run("merge", "-q", "-o", s.path("replaced.jsonl"), out, later)
                s.equal(what + ", two nights", (r.returncode, kit.by_key(s.path("replaced.jsonl"))[name]), (0, first))
                shutil.rmtree(later)
            os.unlink(s.path("replaced.jsonl")) if os.path.exists(s.path("replaced.jsonl")) else None
            shutil.rmtree(src)
            shutil.rmtree(out)


def says_which(s):
    """The ways to say which shard this is, as tracetool-batch(1) has them."""
    src = s.path("which")
    os.mkdir(src)
    for name, content in kit.captures(3, 2).items():
        open(os.path.join(src, name), "wb").write(content)
    none = dict.fromkeys(("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_COUNT",
                          "JOB_COMPLETION_INDEX", "CI_NODE_INDEX", "CI_NODE_TOTAL", "TRACETOOL_SHARDS"), "")

    def slurm(i, lo, hi, n, **more):
        return {"SLURM_ARRAY_TASK_ID": i, "SLURM_ARRAY_TASK_MIN": lo, "SLURM_ARRAY_TASK_MAX": hi, "SLURM_ARRAY_TASK_COUNT": n, **more}
    auto = ("--shard", "auto")
    good = ((("--shard", "3/20"), {}, (3, 20)), (("--shard-index", "0", "--shard-count", "20"), {}, (1, 20)),
            (("--shard-index", "19", "--shard-count", "20"), {}, (20, 20)), (auto, slurm(1, 1, 20, 20), (1, 20)),
            (auto, slurm(20, 1, 20, 20), (20, 20)), (auto, slurm(0, 0, 19, 20), (1, 20)), (auto, slurm(19, 0, 19, 20), (20, 20)),
            (auto, slurm(7, 3, 7, 2, TRACETOOL_SHARDS=20), (7, 20)), (auto, slurm(7, 7, 7, 1, TRACETOOL_SHARDS=20), (7, 20)),
            (auto, {"JOB_COMPLETION_INDEX": 0, "TRACETOOL_SHARDS": 20}, (1, 20)),
            (auto, {"JOB_COMPLETION_INDEX": 19, "TRACETOOL_SHARDS": 20}, (20, 20)),
            (auto, {"CI_NODE_INDEX": 1, "CI_NODE_TOTAL": 5}, (1, 5)), (auto, {"CI_NODE_INDEX": 5, "CI_NODE_TOTAL": 5}, (5, 5)))
    for how, env, (i, n) in good:
        out = s.path("which-out")
        r = run("batch", "-o", out, *how, src, env={**none, **{k: str(v) for k, v in env.items()}})
        s.equal("%s %s: that shard" % (how, env), (r.returncode, os.listdir(out)), (0, [shard(i, n)]))
        s.equal("%s %s: says it" % (how, env), how != auto or "shard %d of %d, as " % (i, n) in r.err, True)
        shutil.rmtree(out)
    bad = ((auto, {}, "no parallel job"), (auto, slurm(7, 3, 7, 2), "larger"), (auto, slurm(7, 7, 7, 1), "larger"), (auto, slurm(1, 1, 1, 1), "larger"),
           (auto, slurm(2, 2, 5, 4), "larger"), (auto, {"SLURM_ARRAY_TASK_ID": 2}, "SLURM_ARRAY_TASK_MIN is not set"),
           (auto, slurm(0, 0, 19, 20, TRACETOOL_SHARDS=20), "from 1 to 20"), (auto, slurm("x", 1, 20, 20), '"x"'),
           (auto, {"JOB_COMPLETION_INDEX": 3}, "TRACETOOL_SHARDS"), (auto, {"JOB_COMPLETION_INDEX": 20, "TRACETOOL_SHARDS": 20}, "from 0 to 19"),
           (auto, {"CI_NODE_INDEX": 2}, "CI_NODE_TOTAL"), (auto, {"CI_NODE_INDEX": 6, "CI_NODE_TOTAL": 5}, "from 1 to 5"),
           (auto, slurm(1, 1, 20, 20, CI_NODE_INDEX=1, CI_NODE_TOTAL=2), "both"), (("--shard", "0/3"), {}, "I/N"), (("--shard", "4/3"), {}, "I/N"),
           (("--shard-index", "1"), {}, "need each other"), (("--shard-count", "2"), {}, "need each other"),
           (("--shard-index", "2", "--shard-count", "2"), {}, "first is 0"),
           (("--shard", "1/2", "--shard-index", "1", "--shard-count", "2"), {}, "one of them"))
    for how, env, why in bad:
        r = run("batch", "-o", s.path("which-no"), *how, src, env={**none, **{k: str(v) for k, v in env.items()}})
        s.equal("%s %s: refused" % (how, env), (r.returncode, os.path.exists(s.path("which-no"))), (2, False))
        s.check("%s %s: says why" % (how, env), None if why in r.err else r.err)


def plans(s):
    """--plan counts what the batch would find, keeps nothing, and its times are in order."""
    src, out = s.path("plan captures"), s.path("plan-out")
    data = sorted(kit.captures(8, 60).items())
    os.mkdir(src)
    for name, content in data[:30]:
        open(os.path.join(src, name), "wb").write(content)
    open(os.path.join(src, "ten.zip"), "wb").write(kit.zipped(data[30:40]))
    open(os.path.join(src, "twenty.tar"), "wb").write(kit.tar(data[40:]))
    r = run("batch", "--plan", "--resume", "-o", out, "-j", "1", "--format", "json", src)
    s.equal("plan: ends well and keeps nothing", (r.returncode, os.path.exists(out)), (0, False))
    s.equal("plan: titles", [v["title"] for v in json.loads(r.out)["tables"].values()], ["Plan", "Kinds of files", "Time on so many nodes"])
    t = {k: v["rows"] for k, v in json.loads(r.out)["tables"].items()}
    size = sum(os.path.getsize(os.path.join(src, f)) for f in os.listdir(src))
    s.equal("plan: files, bytes, captures", tuple(t["plan"][0][k] for k in ("files", "bytes", "captures", "cores")), (32, size, 60, 1))
    s.equal("plan: by kind", {k["kind"]: (k["files"], k["captures"]) for k in t["plan_kinds"]}, {"plain": (30, 30), "zip": (1, 10), "tar": (1, 20)})
    s.check("plan: kinds add up", abs(sum(k["core_hours"] for k in t["plan_kinds"]) - t["plan"][0]["core_hours"]) > 0.01 and t)
    takes = [1e3 * k["bytes"] / k["mb_s"] if k["mb_s"] else 0 for k in t["plan_kinds"]]
    s.check("plan: samples took time, and all take as much in proportion", not (min(takes) > 0 and 0.98 < sum(takes) / t["plan"][0]["core_ns"] < 1.02) and t)
    s.equal("plan: nodes and their shards", [(n["nodes"], n["shards"]) for n in t["plan_nodes"]], [(1, 1), (2, 6)])
    s.check("plan: trouble takes longer", [n for n in t["plan_nodes"] if n["slow_ns"] < n["wall_ns"] or (n["nodes"] > 1 and n["lost_ns"] < n["wall_ns"])])
    r = run("batch", "--plan", "--shard-count", "5", "--format", "json", src)
    s.equal("plan: as many shards as asked for", {n["shards"] for n in json.loads(r.out)["tables"]["plan_nodes"]["rows"]}, {5})
    r = run("batch", "--plan", "--do", "convert", "--to", "json", src)
    s.equal("plan: not of conversions", (r.returncode, "--do convert" in r.err), (2, True))
    os.mkdir(s.path("nothing"))
    s.equal("plan: of nothing", run("batch", "--plan", s.path("nothing")).returncode, 3)


def cut_at_lines(s, size):
    """tracetool-merge(1): a shard that has results of fewer files than its first line says is missing them. Also where whole lines are gone."""
    shutil.copytree(s.path("all"), s.path("lines"))
    path = s.path("lines", shard(2))
    lines = open(path, "rb").read().splitlines(keepends=True)
    s.equal("a shard's line says how many files it has", json.loads(lines[0])["shard_files"], size[2])
    for lost in ({1}, {len(lines) - 1}, {2, 3}, set(range(1, len(lines)))):
        open(path, "wb").writelines(line for i, line in enumerate(lines) if i not in lost)
        say = "results of %d of the %d files in %s" % (len(lost), size[2], path)
        r = run("merge", "-o", s.path("lines.jsonl"), s.path("lines"))
        s.equal("without lines %s: fails" % lost, (r.returncode, say in r.err, os.path.exists(s.path("lines.jsonl"))), (4, True, False))
        r = run("merge", "--partial", "--format", "json", "-o", s.path("lines.jsonl"), s.path("lines"))
        row = json.loads(r.out)["tables"]["batch"]["rows"][0]
        s.equal("without lines %s, --partial" % lost, (r.returncode, row["captures"], row["missing"]), (0, 40 - len(lost), say))
        s.equal("without lines %s: a later merge" % lost, (run("merge", s.path("lines.jsonl")).returncode), 4)
        os.unlink(s.path("lines.jsonl"))
    shutil.rmtree(s.path("lines"))


def cut_compressed(s):
    """tracetool-merge(1), 3: the output holds everything that could be read, also of results that are compressed and cut."""
    src = [s.path("cut%d" % k) for k in (0, 1)]
    data = sorted(kit.captures(11, 60).items())
    for k, folder in enumerate(src):
        os.mkdir(folder)
        for name, content in data[30 * k:30 * k + 30]:
            open(os.path.join(folder, name), "wb").write(content)
        run("batch", "-q", "-o", folder + "-out", folder)
    lines = open(s.path("cut0-out", "results.jsonl"), "rb").read()
    packed = gzip.compress(lines)
    open(s.path("cut.gz"), "wb").write(packed[:len(packed) * 3 // 4])
    r = run("merge", "-o", s.path("cut.jsonl"), s.path("cut.gz"), src[1] + "-out")
    got = kit.by_key(s.path("cut.jsonl"))
    whole = [x["key"] for x in kit.results(s.path("cut1-out", "results.jsonl"))]
    s.equal("results that are cut: the others are there", (r.returncode, [k for k in whole if k not in got]), (3, []))
    s.check("results that are cut: those in front of it are, too", None if len(got) > len(whole) + 5 else len(got))
    s.equal("results that are cut: a line says where", "cut.gz: gzip data ends at byte" in r.err, True)
    s.equal("results that are cut: a line says how many", "lost: results of %d of the 30 files in %s" % (len(whole) + 30 - len(got), s.path("cut.gz"))
            in r.err, True)


def whole_loses_lines(s):
    """tracetool-merge(1): a whole run's results say how many files it had, so that those that were lost since are told; also results that were merged."""
    def told(what, r, lost):
        row = json.loads(r.out)["tables"]["batch"]["rows"][0]
        text = "results of %d of the 40 files in %s" % (lost, path) if lost else None
        s.equal(what, (r.returncode, row["captures"], row["missing"], (text or "lost") in r.err), (3 if lost else 0, 40 - lost, text, lost > 0))
    run("merge", "-q", "-o", s.path("of shards.jsonl"), s.path("all"))
    one, merged = s.path("one", "results.jsonl"), s.path("of shards.jsonl")
    lines = open(one, "rb").read().splitlines(keepends=True)
    s.equal("merged results begin as those of a whole run", open(merged, "rb").read() == b"".join(lines), True)
    path = s.path("loses.jsonl")
    for lost in ((40,), (1,), (7, 8, 9)):
        open(path, "wb").writelines(line for i, line in enumerate(lines) if i not in lost)
        for _ in range(2):                # what is merged of it says so, too
            told("a whole run without lines %s" % (lost,), run("merge", "--format", "json", "-o", path, path), len(lost))
    for what, order in (("twice", lines + lines), ("sorted", sorted(lines)), ("backwards", lines[::-1])):
        open(path, "wb").writelines(order)
        told("lines of a whole run, " + what, run("merge", "--format", "json", path), 0)
    parts = [open(s.path("all", shard(i)), "rb").read() for i in range(1, N + 1)]
    for name in ("results.jsonl", "other.jsonl"):        # shards that were put together by cat
        os.makedirs(s.path("cats"), exist_ok=True)
        path = s.path("cats", name)
        open(path, "wb").write(b"".join(parts))
        told("shards in one file %s" % name, run("merge", "--format", "json", path), 0)
        open(path, "wb").write(b"".join(parts[1:]))
        r = run("merge", path)
        s.equal("... and one is missing", (r.returncode, "missing: shard 1 of %d (no file)" % N in r.err), (4, True))
        open(path, "wb").write(b"".join(parts[:-1]) + b"".join(parts[-1].splitlines(keepends=True)[:-1]))
        r = run("merge", path)
        s.equal("... and a line", (r.returncode, "results of 1 of the 40 files in " + path in r.err), (4, True))
        os.unlink(path)


def unreadable_since(s):
    """tracetool-merge(1): of results that differ in content those of the file that was changed last count, also where it cannot be read now."""
    data = sorted(kit.captures(9, 3).items())
    for k, mtime in ((0, 10**9), (1, 2 * 10**9)):
        src = s.path("since%d" % k)
        os.mkdir(src)
        for i, (name, content) in enumerate(data):
            open(os.path.join(src, name), "wb").write([b"", b"junk", bytes(5000)][i] if k else content)
            os.utime(os.path.join(src, name), (mtime, mtime))
        run("batch", "-q", "-o", src + "-out", src)
    for order in ((0, 1), (1, 0)):
        r = run("merge", "-o", s.path("since.jsonl"), *(s.path("since%d-out" % k) for k in order))
        s.equal("unreadable since, %s first" % (order,), (r.returncode, [x["outcome"] for x in kit.results(s.path("since.jsonl"))]), (3, ["failed"] * 3))


def main():
    s = kit.Suite()
    plans(s)
    says_which(s)
    lists_differ(s)
    by_work(s)
    one_archive(s)
    replaced_archive(s)
    open(s.path("budget.json"), "w").write(BUDGET)
    gate = ["--gate", s.path("budget.json"), "--inconclusive", "pass"]
    os.mkdir(s.path("in"))
    for i in range(40):                   # a gate takes no recording twice
        subprocess.run([os.path.join(kit.BUILD, "kit", "mlpd_gen"), "17", "8", str(i + 1), s.path("in", "%02d.mlpd" % i)], check=True)
    for i in range(1, N + 1):
        r = run("batch", "-q", "-o", s.path("all"), "--shard", "%d/%d" % (i, N), *gate, s.path("in"))
        s.equal("shard %d" % i, (r.returncode, r.err), (0, ""))
    size = {i: sum(r["type"] == "capture" for r in kit.results(s.path("all", shard(i)))) for i in range(1, N + 1)}
    s.equal("whole: merges", (run("merge", s.path("all")).returncode, sum(size.values())), (0, 40))

    r = run("merge", "-o", s.path("all", shard(1)), s.path("all"))
    s.equal("merged results in the place of a shard's", (r.returncode, "results of one shard" in r.err, sum(
        r["type"] == "capture" for r in kit.results(s.path("all", shard(1))))), (2, True, size[1]))

    # A file that was cut while it was copied: its last line is a line, whole without its LF, else torn.
    for what, cut, status, results in (("LF", 1, 0, 40), ("end of a line", 50, 4, 39)):
        shutil.copytree(s.path("all"), s.path("cut"))
        last = s.path("cut", shard(N))
        os.truncate(last, os.path.getsize(last) - cut)
        r = run("merge", "-o", s.path("cut.jsonl"), s.path("cut"))
        if status:
            s.equal("without the last %s: its capture is missing" % what, (r.returncode, "results of 1 of the %d files" % size[N] in r.err,
                                                                          os.path.exists(s.path("cut.jsonl"))), (status, True, False))
            r, status = run("merge", "--partial", "-o", s.path("cut.jsonl"), s.path("cut")), 3
        s.equal("without the last %s" % what, (r.returncode, sum(r["type"] == "capture" for r in kit.results(s.path("cut.jsonl"))),
                                               "torn" in r.err), (status, results, status != 0))
        shutil.rmtree(s.path("cut"))
        os.unlink(s.path("cut.jsonl"))

    cut_at_lines(s, size)
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
    whole_loses_lines(s)
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
    names(s)
    unreadable_since(s)
    cut_compressed(s)
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
