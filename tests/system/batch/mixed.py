#!/usr/bin/env python3
"""Batches over archives of all kinds: every capture is found, and its figures are those of `tracetool stats` on the plain file.

Also: the same bytes whatever -j, the shards, their order, and how often they come; results read back by jq and Python's csv.
Ends with "N passed, N failed".
"""
import csv
import io
import json
import os
import pty
import random
import re
import shutil
import subprocess
import tarfile

import kit
from kit import run


def figures(s, keys):
    """What stats says of each capture: {key: (allocations, bytes, pauses, the longest, its part without threads that run)}."""
    told, seen = {}, {}
    for key, data in keys.items():
        if data not in seen:
            path = s.path("one.mlpd")
            open(path, "wb").write(data)
            r = json.loads(run("stats", "--table", "gcalloc", "--format", "json", path).out)
            row = r["tables"]["gcalloc"]["rows"][0]
            seen[data] = (row["count"], row["bytes"], row["pauses"], row["pause_max_ns"], row["stopped_max_ns"])
        told[key] = seen[data]
    return told


def on_terminal(*args, stream="stderr"):
    """What a run says to a terminal of 80 columns, which one of its streams is."""
    ours, theirs = pty.openpty()
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: theirs}
    p = subprocess.Popen([kit.TRACETOOL, *args], stdin=subprocess.DEVNULL, env=dict(os.environ, COLUMNS="80"), **streams)
    os.close(theirs)
    said = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:                       # how Linux says that nobody has the other end any more
            some = b""
        if not some:
            break
        said += some
    p.wait()
    os.close(ours)
    return said.decode("utf-8", "replace")


def main():
    s = kit.Suite()
    src = s.path("in")
    keys = kit.mixed(src, 12 if kit.LONG else 4)
    one = s.path("one")
    r = run("batch", "-o", one, src)
    s.equal("a batch over sound captures ends well", (r.returncode, r.err.count("\n")), (0, 1))
    whole = open(os.path.join(one, "results.jsonl"), "rb").read()
    got = kit.by_key(os.path.join(one, "results.jsonl"))
    found = {k for k, v in got.items() if v["type"] == "capture"}
    s.equal("every capture is found, and nothing else is one", found ^ set(keys), set())
    want = figures(s, keys)
    for key in sorted(found & set(keys)):
        m = got[key].get("metrics", {})
        have = tuple(m.get("gcalloc." + c) for c in ("count", "bytes", "pauses", "pause_max_ns", "stopped_max_ns"))
        s.equal("figures of " + key, (got[key]["outcome"],) + have, ("ok",) + want[key])
    nested = tarfile.open(fileobj=io.BytesIO(subprocess.run(["zstd", "-dc", s.path("in", "nest.tar.zst")], check=True,
                                                            stdout=subprocess.PIPE).stdout))
    s.equal("of archives in archives those are spooled that must be sought", got["nest.tar.zst"]["spooled"],
            sum(nested.getmember(n).size for n in ["b.zip", "c.7z", "d.zip"]))
    s.equal("what is no capture is counted", got["nest.tar.zst"]["kinds"], {"archive": 4, "text": 1})
    s.equal("no part file is left", sorted(os.listdir(one)), ["results.jsonl"])

    # other readers
    n = subprocess.run(["jq", "-s", 'map(select(.type=="capture") | .metrics["gcalloc.bytes"]) | add',
                        os.path.join(one, "results.jsonl")], stdout=subprocess.PIPE, check=True).stdout
    s.equal("jq adds up the bytes", int(n), sum(w[1] or 0 for w in want.values()))
    r = run("merge", one, "--format", "csv", "--group-by", "format")
    tables = {t.split("\n", 1)[0]: list(csv.DictReader(io.StringIO(t.split("\n", 1)[1])))
              for t in r.out.decode()[2:].split("\n\n# ")}
    # The same capture is there under several names, also compressed by itself.
    once = {data: want[key] for key, data in keys.items()}
    s.equal("csv: allocated", int(tables["batch"][0]["alloc_bytes"]), sum(w[1] or 0 for w in once.values()))
    s.equal("csv: captures of the group", [(g["group"], g["captures"]) for g in tables["batch_groups"]],
            [("format=mlpd", str(len(keys)))])
    n = sum(v.get("handed", 0) + v.get("spooled", 0) for v in got.values())
    s.equal("csv: bytes handed over or spooled", int(tables["batch"][0]["spooled_bytes"]), n)
    r = run("merge", one, "--format", "json", "--report", s.path("r.md"), "--report", s.path("r.csv"))
    row = json.loads(r.out)["tables"]["batch"]["rows"][0]
    s.equal("json: pauses", row["pauses"], sum(w[2] or 0 for w in once.values()))
    longest = max(w[3] or 0 for w in once.values())
    s.equal("json: the longest pause and stop", (row["pause_max_ns"], row["stopped_max_ns"]), (longest, max(w[4] or 0 for w in once.values())))
    s.check("json: of fewer than a hundred pauses the 99th percentile is the longest, within 1.6 %",
            None if row["pauses"] < 100 and abs(row["pause_p99_ns"] - longest) <= longest * .016 else row)
    s.check("markdown is written", None if b"|" in open(s.path("r.md"), "rb").read() else "no table")

    # -j, shards, order, repeats
    aggregate = run("merge", one).out
    for j in ([1, 2, 8] if kit.LONG else [1, 8]):
        out = s.path("j%d" % j)
        run("batch", "-q", "-j", j, "-o", out, src, env={"TRACETOOL_JOBS_EXACT": "1"})
        s.check("-j %d gives the same bytes" % j, open(os.path.join(out, "results.jsonl"), "rb").read() != whole)
    rng = random.Random(20261120)
    for n in ([7, 20] if kit.LONG else [3, 7]):
        out = s.path("n%d" % n)
        order = list(range(1, n + 1)) + [rng.randint(1, n)]
        rng.shuffle(order)
        for i in order:
            run("batch", "-q", "-o", out, "--shard", "%d/%d" % (i, n), src)
        s.equal("%d shards leave %d files" % (n, n), len(os.listdir(out)), n)
        open(os.path.join(out, "results.jsonl.tmp.99.1"), "wb").write(b"stale\n" * 100)
        r = run("merge", "-o", s.path("m%d.jsonl" % n), out)
        s.equal("%d shards merge well" % n, (r.returncode, r.out == aggregate), (0, True))
        s.check("%d shards merge to the same bytes" % n, open(s.path("m%d.jsonl" % n), "rb").read() != whole)
        inputs = [os.path.join(out, f) for f in os.listdir(out) if ".tmp." not in f] * 2 + [one]
        rng.shuffle(inputs)
        run("merge", "-q", "-o", s.path("again.jsonl"), *inputs)
        s.check("%d shards, twice, shuffled, with the whole" % n, open(s.path("again.jsonl"), "rb").read() != whole)
        os.unlink(os.path.join(out, "results.2-of-%d.jsonl" % n))
        r = run("merge", "-o", s.path("part.jsonl"), "--partial", out)
        s.equal("archives that lack a shard are told", (r.returncode, "are missing" in r.err), (3, True))
    shutil.rmtree(s.path("n7"))

    # resume
    r = run("batch", "-o", one, "--resume", src)
    s.check("resume with nothing to do changes nothing", open(os.path.join(one, "results.jsonl"), "rb").read() != whole)
    s.check("resume with nothing to do does nothing", None if "0 captures:" in r.err else r.err)
    r = run("batch", "-o", one, "--resume", "--verify", src)
    s.check("verify keeps what is the same", open(os.path.join(one, "results.jsonl"), "rb").read() != whole)
    s.check("verify analyses nothing again", None if "0 captures:" in r.err else r.err)
    os.utime(os.path.join(src, "z.zip"), (1, 1))
    r = run("batch", "-o", one, "--resume", "--verify", src)
    s.check("verify does not believe a time", None if "0 captures:" in r.err else r.err)
    s.equal("and notes the new one", kit.by_key(os.path.join(one, "results.jsonl"))["z.zip"]["file_mtime"], "1.000000000")
    os.utime(os.path.join(src, "z.zip"), (2, 2))
    r = run("batch", "-o", one, "--resume", src)
    n = sum(k.startswith("z.zip!") for k in keys)
    s.check("resume does again what has a new time", None if "%d captures:" % n in r.err else r.err)
    os.unlink(os.path.join(src, "s.7z"))
    run("batch", "-q", "-o", one, "--resume", src)
    left = {k for k in kit.by_key(os.path.join(one, "results.jsonl")) if k.startswith("s.7z")}
    s.equal("what is gone has no results", left, set())

    # files of captures
    out = s.path("conv")
    r = run("batch", "-q", "-o", out, "--do", "convert", "--to", "json.gz,folded", "--per-capture", "json", src)
    files = sorted(os.listdir(os.path.join(out, "captures")))
    told = sorted(f for v in kit.results(os.path.join(out, "results.jsonl")) for f in v.get("files", []))
    s.equal("files are those that the results name", files, told)
    s.equal("three of each capture", len(files), 3 * sum(not k.startswith("s.7z") for k in keys))
    key = "t.tar.xz!" + sorted(k.split("!")[1] for k in keys if k.startswith("t.tar.xz!"))[0]
    name = [f for f in kit.by_key(os.path.join(out, "results.jsonl"))[key]["files"] if f.endswith(".folded")][0]
    open(s.path("x.mlpd"), "wb").write(keys[key])
    s.equal("a file made is what convert makes", open(os.path.join(out, "captures", name), "rb").read(),
            run("convert", s.path("x.mlpd"), "-f", "folded").out)
    # captures that come down a pipe, and spools beyond memory
    def plain(path):
        return {k: {n: v for n, v in r.items() if n not in ("by", "crc", "handed", "spooled")} for k, r in kit.by_key(path).items()}
    run("batch", "-q", "-o", s.path("whole"), src)
    for sandbox in ["on", "off"]:
        r = run("batch", "-q", "-o", s.path("piped"), "--spool-memory", "20k", src, env={"TRACETOOL_SANDBOX": sandbox})
        s.equal("captures down a pipe give the same results, sandbox " + sandbox, (r.returncode, plain(s.path("piped", "results.jsonl"))),
                (0, plain(s.path("whole", "results.jsonl"))))
    # failures
    bad = s.path("bad")
    os.makedirs(bad)
    for i, (name, data) in enumerate(sorted(kit.captures(1, 20).items())):
        open(os.path.join(bad, name), "wb").write(data[:len(data) // 2] if i < 3 else data)
    for options, code in [([], 3), (["--max-failures", "3"], 0), (["--max-failures", "2"], 1), (["--max-failures", "15%"], 0),
                          (["--max-failures", "10%"], 1)]:
        s.equal("three of twenty are damaged, %s" % options, run("batch", "-q", *options, bad).returncode, code)
    r = run("batch", "-q", "-o", s.path("gave"), "--max-failures", "0", bad)
    s.equal("given up: what is there is kept", (r.returncode, os.listdir(s.path("gave"))), (1, ["results.part"]))
    r = run("batch", "-q", "-o", s.path("gave"), "--resume", bad)
    s.equal("given up, and gone on", (r.returncode, len(kit.results(s.path("gave", "results.jsonl")))), (3, 20))
    r = run("batch", "-o", s.path("small"), "--max-memory", "200k", bad)
    s.equal("a cap on memory is a capture's", {v["why"] for v in kit.results(s.path("small", "results.jsonl"))}, {"limit"})
    r = run("batch", "-o", s.path("unsuited"), "--frame-marker", "No:Such", *[os.path.join(bad, f) for f in sorted(os.listdir(bad))[3:5]])
    s.equal("a marker that a capture lacks is no fault of the file", {v["why"] for v in kit.results(s.path("unsuited", "results.jsonl"))},
            {"unsuited"})
    # ten lines of a kind, and a count
    for name, members in [("ten", 10), ("more", 13)]:
        folder = s.path("bad-" + name)
        os.makedirs(folder)
        open(os.path.join(folder, "b.tar"), "wb").write(kit.tar([("%d.mlpd" % i, data[:len(data) // 2]) for i in range(members)]))
        r = run("batch", folder)
        s.equal("%d damaged captures of an archive: lines" % members, (sum("b.tar!" in l for l in r.err.split("\n")), "3 more lines" in r.err),
                (10, members == 13))
    # progress: a line now and then, and on a terminal one that changes
    r = run("batch", "--log-every", "1ms", src)
    s.check("progress in a log", None if re.search(r"\d+ captures, [\d.]+ \w+ of [\d.]+ MB, \d+ MB/s.*, \d+ failed\n", r.err) else r.err)
    s.equal("no progress in a log", run("batch", "--log-every", "0s", src).err.count(" failed\n"), 0)
    said = on_terminal("batch", "-q", "-o", s.path("gate"), os.path.join(kit.TESTDATA, "gate"), stream="stdout")
    s.check("at 80 columns days have their 99th percentile", None if re.search(r"  date .* p99\b.*\r\n  2026-11-20 .* 11\.93 ms\b", said) else said)
    s.check("progress on a terminal", None if re.search(r"\r\x1b\[K\d+ captures, .* of .* MB/s", on_terminal("batch", "--progress", "always", src))
            else "none")
    # equal keys, different content
    for name, data in sorted(kit.captures(3, 2).items()):
        folder = s.path("same", name)
        os.makedirs(folder)
        open(os.path.join(folder, "c.mlpd"), "wb").write(data)
        run("batch", "-q", "-o", s.path("same-" + name), folder)
    r = run("merge", "-o", s.path("same.jsonl"), *[s.path(d) for d in os.listdir(s.dir) if d.startswith("same-")])
    s.equal("equal keys with different content", (r.returncode, r.err.count("c.mlpd: results of different content"),
            len(kit.results(s.path("same.jsonl")))), (3, 1, 1))
    # names on standard input
    names = "\n".join(os.path.join(src, f) for f in ["plain.tar", "stored.zip"]) + "\n"
    r = run("batch", "-o", s.path("list"), "--root", src, "-", text=names)
    s.equal("a list of names", {k.split("!")[0] for k in kit.by_key(s.path("list", "results.jsonl"))}, {"plain.tar", "stored.zip"})
    r = run("batch", os.path.join(src, "*.zip"), "-o", s.path("glob"), "--root", src)
    s.equal("a glob the shell left", {k.split("!")[0] for k in kit.by_key(s.path("glob", "results.jsonl"))}, {"z.zip", "stored.zip"})
    s.end()


main()
