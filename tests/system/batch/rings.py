#!/usr/bin/env python3
"""Captures of killed programs in a batch: the ring is read as by every command, and what it holds is part of what --resume compares."""
import io
import json
import os
import shutil
import subprocess
import tarfile

import kit
from kit import run
from suite import killed


def events(path):
    """As `tracetool info` has them."""
    return json.loads(run("info", "--format", "json", path).out)["tables"]["capture"]["rows"][0]["events"]


def frames(path):
    return json.loads(run("stats", "--table", "frames", "--format", "json", path).out)["tables"]["frames"]["rows"][0]["count"]


def read_together(s, path, ring):
    """tracetool-recover(1): every command reads both together as long as the ring exists. tracetool-batch(1): also in archives, compressed too."""
    whole = events(path), frames(path)
    data = open(path, "rb").read()
    shutil.copy(ring, s.path("kept"))
    os.unlink(ring)
    # The program may have been killed while its recorder wrote: without the ring, that is damage.
    alone = events(path), frames(path), run("stats", "-q", path).returncode
    shutil.move(s.path("kept"), ring)
    s.check("the ring has events that the file lacks", whole[0] <= alone[0] and (whole, alone))
    folder = s.path("in")
    os.makedirs(folder)
    open(os.path.join(folder, "k.ttc"), "wb").write(data)
    open(os.path.join(folder, "k.ttc.gz"), "wb").write(kit.pack("gz", data))
    open(os.path.join(folder, "k.tar.xz"), "wb").write(kit.pack("xz", kit.tar([("k.ttc", data)])))
    open(os.path.join(folder, "k.zip"), "wb").write(kit.zipped([("k.ttc", data)]))
    out = s.path("out")
    r = run("batch", "-q", "-o", out, "--do", "convert", "--to", "json,sqlite", "--to-db", s.path("db.sqlite"), folder)
    s.equal("batch of a killed program", (r.returncode, r.err), (0, ""))
    for form in ("text", "json", "html", "markdown"):
        said = run("batch", "-q", "--format", form, folder).out.decode()
        s.check("%s tells that the program was killed" % form, "1 of 4 captures did not end cleanly, and its ring was read" not in said and said)
    have = kit.by_key(os.path.join(out, "results.jsonl"))
    captures = ["k.tar.xz!k.ttc", "k.ttc", "k.ttc.gz", "k.zip!k.ttc"]
    s.equal("captures", sorted(k for k in have if have[k]["type"] == "capture"), captures)
    for key in captures:
        doc = have.get(key, {})
        s.equal("%s: events, frames" % key, (doc.get("events"), doc.get("metrics", {}).get("frames.count")), whole)
        s.equal("%s: its ring, and that it was read" % key, (doc.get("ring"), doc.get("joined")), (ring, True))
    rows = json.loads(run("query", "--format", "json", s.path("db.sqlite"), "SELECT DISTINCT frames_count AS n FROM capture").out)
    s.equal("the database has the frames of both", [row["n"] for row in list(rows["tables"].values())[0]["rows"]], [whole[1]])
    run("convert", "-q", "k.ttc", "-o", s.path("k.json"), cwd=folder)
    made = os.path.join(out, "captures", have["k.ttc"]["files"][0])
    s.check("its file is that of convert", open(made, "rb").read() != open(s.path("k.json"), "rb").read() and made)
    budget = s.path("budget.json")
    json.dump({"tracetool_budget": 1, "integrity": {"ended": "off"}, "rows": [{"id": "n", "metric": "frame.count", "min": whole[1]}]}, open(budget, "w"))
    r = run("batch", "-q", "--gate", budget, os.path.join(folder, "k.ttc"))
    s.equal("the gate counts the frames of both", r.returncode, 0)
    return folder, whole, alone


def resumed(s, folder, ring, whole, alone):
    """tracetool-batch(1): done again while the ring exists, and once more when it is gone."""
    out, key = s.path("again"), "k.ttc"
    args = ["batch", "-q", "-o", out, "--resume"]

    def again(*more):
        r = run(*args, *more, folder)
        line = kit.by_key(os.path.join(out, "results.jsonl"))[key]
        return r.returncode, line["events"], line.get("joined", False)

    for more in ((), ("--verify",)):
        s.equal("the first run", again(*more), (0, whole[0], True))
        shutil.move(ring, s.path("kept"))
        s.equal("resumed without the ring %s" % " ".join(more), again(*more), (alone[2], alone[0], False))
        s.equal("resumed once more %s" % " ".join(more), again(*more), (alone[2], alone[0], False))
        shutil.move(s.path("kept"), ring)
        s.equal("resumed with the ring again %s" % " ".join(more), again(*more), (0, whole[0], True))
        shutil.rmtree(out)


def others(s, folder, ring, status):
    """A name of a ring that leads to anything else is not read: a link, a folder, a pipe, another recording's."""
    shutil.move(ring, s.path("kept"))
    makes = {"a link": lambda: os.symlink(s.path("kept"), ring), "a folder": lambda: os.mkdir(ring), "a pipe": lambda: os.mkfifo(ring),
             "other bytes": lambda: open(ring, "wb").write(bytes(100000))}
    for what, make in makes.items():
        make()
        r = run("batch", "-q", "-o", s.path("odd"), folder)
        docs = [d for d in kit.results(s.path("odd", "results.jsonl")) if d["type"] == "capture"]
        s.equal("%s in place of a ring" % what, (r.returncode, [d.get("joined", False) for d in docs]), (status, [False] * 4))
        os.rmdir(ring) if os.path.isdir(ring) and not os.path.islink(ring) else os.unlink(ring)
    shutil.move(s.path("kept"), ring)


def main():
    s = kit.Suite()
    path, ring = killed(s, 1 << 21)
    try:
        folder, whole, alone = read_together(s, path, ring)
        resumed(s, folder, ring, whole, alone)
        others(s, folder, ring, alone[2])
    finally:
        if os.path.exists(ring):
            os.unlink(ring)
    s.end()


main()
