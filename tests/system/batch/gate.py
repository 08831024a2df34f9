#!/usr/bin/env python3
"""A gate over a batch gives the verdict of `tracetool stats --gate` over the same captures, each group apart, also from shards.

Captures are played by the stand-in host through the real recorder. Ends with "N passed, N failed".
"""
import json
import os
import shutil
import subprocess

import kit
from kit import run

BUDGET = {"tracetool_budget": 1, "rows": [
    {"id": "p95", "metric": "frame.time", "stat": "p95", "max": "1000ms"},
    {"id": "alloc", "metric": "gc.alloc.bytes", "stat": "per_frame.p95", "max": "16B"},
    {"id": "pooled", "metric": "frame.time", "stat": "p99", "max": "1000ms", "over": "pooled"}]}


def rows(verdict):
    return sorted((r["id"], r.get("group") or "", r["outcome"], json.dumps(r.get("value"))) for r in verdict["rows"])



def damaged_members(s, files):
    """What cannot be read is to a gate in an archive what it is as a file: a capture without figures."""
    lenient = s.path("lenient.json")
    json.dump(dict(BUDGET, rows=[dict(r, max="1000ms" if "frame" in r["metric"] else "1000000B") for r in BUDGET["rows"]]), open(lenient, "w"))
    good = open(files[0], "rb").read()
    for name, bad in (("a.ttc", b"\0" * 64 + good[64:]), ("a.rar", b"Rar!\x1a\7\1\0" + bytes(99)),
                            ("a.ttc", b""), ("a.ttc.gz", kit.pack("gz", good)[:30])):
        folder, packed = s.path("alone"), s.path("packed")
        for f in (folder, packed):
            shutil.rmtree(f, ignore_errors=True)
            os.makedirs(f)
        members = [("%d.ttc" % i, open(f, "rb").read()) for i, f in enumerate(files)] + [(name, bad)]
        for member, data in members:
            open(os.path.join(folder, member), "wb").write(data)
        open(os.path.join(packed, "all.tar"), "wb").write(kit.tar(members))
        x = run("batch", "--gate", lenient, "--json", s.path("x.json"), folder)
        y = run("batch", "--gate", lenient, "--json", s.path("y.json"), packed)
        s.equal("unread: %s: alone it is no pass" % name, x.returncode in (1, 3, 5), True)
        s.equal("unread: %s: as alone, in a tar" % name, (y.returncode, rows(json.load(open(s.path("y.json"))))),
                (x.returncode, rows(json.load(open(s.path("x.json"))))))
        z = run("batch", "-q", "--max-failures", "100%", "--gate", lenient, folder)
        w = run("batch", "-q", "--max-failures", "100%", "--gate", lenient, packed)
        s.equal("unread: %s: the gate alone judges" % name, (w.returncode, z.returncode), (5, 5))


def copies(s, files, budget):
    """tracetool-batch(1): a copy is left out of the verdict, and a note names it."""
    folder, want, have = s.path("copied"), s.path("want.json"), s.path("have.json")
    os.makedirs(folder)
    for f in files:
        shutil.copy(f, folder)
    run("batch", "--gate", budget, "--json", want, folder)
    data = open(files[0], "rb").read()
    open(os.path.join(folder, "z.ttc"), "wb").write(data)
    open(os.path.join(folder, "z.ttc.gz"), "wb").write(kit.pack("gz", data))
    r = run("batch", "--gate", budget, "--json", have, folder)
    want, have = json.load(open(want)), json.load(open(have))
    s.equal("copies: the verdict is that without them", (r.returncode, rows(have)), (1, rows(want)))
    notes = [n for n in have["remarks"] if n not in want["remarks"]]
    s.equal("copies: a note names them", [all(k in n for k in ("same recordings as others", "z.ttc, z.ttc.gz")) for n in notes], [True])
    out = s.path("copied-out")
    for i in (1, 2):
        run("batch", "-q", "-o", out, "--shard", "%d/2" % i, "--gate", budget, folder)
    r = run("merge", out, "--gate", budget, "--json", s.path("merged.json"))
    s.equal("copies: of shards that are merged", (r.returncode, rows(json.load(open(s.path("merged.json"))))), (1, rows(want)))


def nothing_to_tell_by(s, files):
    """tracetool-batch(1): a copy is what has the same process, start and events; captures that broke off before any are none of each other."""
    folder, budget = s.path("heads"), s.path("heads.json")
    os.makedirs(folder)
    for f in files[:3]:
        shutil.copy(f, folder)
    whole = open(os.path.join(kit.TOP, "testdata", "raw", "good-2022-aligned.raw"), "rb").read()
    for n in (100, 101, 102):
        open(os.path.join(folder, "head%d.raw" % n), "wb").write(whole[:n])
    shutil.copy(os.path.join(folder, "head100.raw"), os.path.join(folder, "head100-again.raw"))
    json.dump(dict(BUDGET, rows=[{"id": "m", "metric": "frame.time", "max": "1000ms", "max_missing": 1}]), open(budget, "w"))
    run("batch", "-q", "--gate", budget, "--json", s.path("heads-verdict.json"), folder)
    v = json.load(open(s.path("heads-verdict.json")))
    s.equal("captures without events", ([r["outcome"] for r in v["rows"] if r["id"] == "m"], [n for n in v["remarks"] if "another" in n]),
            (["cannot_judge"], ["1 of the captures is of the same recording as another, or a part of it, and not judged: head100.raw"]))
    r = run("stats", "-q", "--gate", budget, *(os.path.join(folder, "head%d.raw" % n) for n in (100, 101)))
    s.equal("captures without events: alone", (r.returncode == 2, "one recording" in r.err), (False, False))


def other_rows(s, src):
    """tracetool-merge(1): results without figures for a row are refused; all others are judged as by a batch with that row."""
    budget = s.path("row.json")
    more = {"frame.over": {"limit": "5ms", "max": 1000}, "frame.fps": {"min": "0fps"}, "gc.alloc.bytes": {"stat": "per_frame.max", "max": "1B"}}

    def write(metric, stat, over):
        row = dict({"id": "r", "metric": metric, "max": "1ns"}, **more.get(metric, {}), **({"over": "pooled"} if over else {}))
        row.update({"stat": stat} if stat else {})
        row.pop("max" if metric == "frame.fps" else "none", None)
        json.dump({"tracetool_budget": 1, "rows": [row]}, open(budget, "w"))
    known = [(m, t, over) for over in (False, True) for m, t in [("frame.time", "median"), ("frame.time", "p95"), ("frame.time", "max"),
             ("frame.cpu", "p95"), ("frame.over", None), ("frame.fps", None), ("gc.alloc.bytes", None)]]
    for have in [("frame.time", "median", False), ("frame.time", "p95", True)]:
        out = s.path("rows-%s" % have[1])
        write(*have)
        run("batch", "-q", "-o", out, "--gate", budget, src)
        for want in known:
            write(*want)
            x, y = s.path("x.json"), s.path("y.json")
            a, b = run("batch", "-q", "--gate", budget, "--json", x, src), run("merge", "-q", "--gate", budget, "--json", y, out)
            same = b.returncode == a.returncode and rows(json.load(open(x))) == rows(json.load(open(y)))
            refused = b.returncode == 2 and "had no row of" in b.err and want != have
            s.check("results of %s, judged by %s" % (have, want), None if same or refused else (a.returncode, b.returncode, b.err))


def without_gate(s, files):
    """tracetool-budget(5), max_missing: captures whose batch had no gate have no figure, and a row that would pass cannot be judged."""
    src = [s.path("gated"), s.path("free")]
    for folder, some in zip(src, (files[:3], files[3:])):
        os.makedirs(folder)
        for f in some:
            shutil.copy(f, folder)
    lenient = s.path("wide.json")
    json.dump(dict(BUDGET, rows=[dict(r, max="1000ms" if "frame" in r["metric"] else "1000000B") for r in BUDGET["rows"]]), open(lenient, "w"))
    run("batch", "-q", "-o", s.path("a"), "--gate", lenient, "--root", s.dir, src[0])
    run("batch", "-q", "-o", s.path("b"), "--root", s.dir, src[1])
    r = run("merge", "--partial", "--gate", lenient, "--json", s.path("v.json"), s.path("a"), s.path("b"))
    got = json.load(open(s.path("v.json")))
    s.equal("captures of a batch without a gate", (r.returncode, {x["outcome"] for x in got["rows"]}, "its batch was run without a gate" in
            json.dumps(got)), (5, {"cannot_judge"}, True))


def main():
    s = kit.Suite()
    src = s.path("in")
    os.makedirs(src)
    for i, frames in enumerate([40, 40, 60, 60, 60]):
        subprocess.run([os.path.join(kit.BUILD, "host", "host"), "frames=%d" % frames, "threads=3", "events=300",
                        "capture=" + os.path.join(src, "c%d.ttc" % i)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = sorted(os.path.join(src, f) for f in os.listdir(src))
    budget = s.path("budget.json")
    json.dump(BUDGET, open(budget, "w"))
    for group in [[], ["--group-by", "recorder.frames"]]:
        a, b = s.path("a.json"), s.path("b.json")
        x = run("stats", "--gate", budget, *group, "--json", a, *files)
        y = run("batch", "--gate", budget, *group, "--json", b, "--junit", s.path("j.xml"), src)
        s.equal("exit status %s" % group, (x.returncode, y.returncode), (1, 1))
        s.equal("rows %s" % group, rows(json.load(open(b))), rows(json.load(open(a))))
        s.check("the verdict is printed", None if b"FAILED" in y.out else y.out)
    archive = s.path("all.tar.zst")
    open(archive, "wb").write(kit.pack("zst", kit.tar([(os.path.basename(f), open(f, "rb").read()) for f in files])))
    r = run("batch", "--gate", budget, "--json", s.path("c.json"), archive)
    run("batch", "--gate", budget, "--json", s.path("whole.json"), src)
    s.equal("out of an archive", rows(json.load(open(s.path("c.json")))), rows(json.load(open(s.path("whole.json")))))
    damaged_members(s, files)
    copies(s, files, budget)
    two = ["--group-by", "recorder.frames,recorder.interface"]
    run("batch", "--gate", budget, *two, "--json", s.path("d.json"), src)
    groups = {r.get("group") for r in json.load(open(s.path("d.json")))["rows"]}
    s.equal("groups by two facts", len(groups), 2)
    out = s.path("out")
    for i in [3, 1, 2]:
        run("batch", "-q", "-o", out, "--shard", "%d/3" % i, "--gate", budget, src)
    r = run("merge", out, "--gate", budget, *two, "--json", s.path("m.json"))
    s.equal("merged shards give the verdict", (r.returncode, rows(json.load(open(s.path("m.json"))))),
            (1, rows(json.load(open(s.path("d.json"))))))
    other = s.path("other.json")
    for name, change in (("skip", {"skip": {"frames": 20}}), ("frame marker", {"frame_marker": "Player*"}),
                         ("rows", {"rows": [{"id": "m", "metric": "marker.time", "marker": "Nobody*", "stat": "total", "max": "1s"}]})):
        json.dump(dict(BUDGET, **change), open(other, "w"))
        r = run("merge", out, "--gate", other)
        s.equal("results of another budget: %s" % name, (r.returncode, "budget" in r.err, "run the batch again" in r.err), (2, True, True))
    json.dump(dict(BUDGET, rows=[dict(x, max="1B" if x["id"] == "alloc" else "1ms") for x in BUDGET["rows"]]), open(other, "w"))
    s.equal("other limits are no other figures", run("merge", out, "--gate", other).returncode, 1)
    plain = s.path("plain")
    run("batch", "-q", "-o", plain, src)
    r = run("merge", plain, "--gate", budget)
    s.equal("results without figures for a gate", (r.returncode, "--gate" in r.err), (2, True))
    nothing_to_tell_by(s, files)
    other_rows(s, src)
    without_gate(s, files)
    r = run("batch", "--do", "gate", src)
    s.equal("--do gate wants a budget", r.returncode, 2)
    s.end()


main()
