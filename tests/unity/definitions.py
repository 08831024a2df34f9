#!/usr/bin/env python3
"""Definitions that are missing or damaged in Unity's captures: the ledger has them, and what only they tell has no figure, which is not 0, as
tracetool-unity-raw(7) and tracetool-metrics(7) promise."""
import json
import os
import shutil
import struct

from generated import generate
from raw_log import MAIN, MS, SESSION, Log, marker, sample, state, text, zone
from ttc import Capture, Suite

suite = Suite()


def log():
    """Eight frames with an allocation of 40 bytes and a collection each; the definitions of both markers are in a block of their own."""
    c = Log(100, ("Main Thread", "Work"))
    c.block(SESSION, marker(2, "GC.Alloc", [(4, "size")]) + marker(3, "GC.Collect"), "second")
    for k in range(8):
        ms = 100 + 10 * k
        c.frame(ms, sample(36, 0, ms) + sample(36, 1, ms + 1) + sample(42, 2, ms + 2) + bytes([1, 3]) + struct.pack("<I", 40) + sample(37, 2, ms + 2) +
                sample(37, 1, ms + 3) + zone(3, ms + 4, ms + 5) + sample(37, 0, ms + 9))
    c.block(SESSION, state(0, 180), "last")
    return c


def without(c, *numbers):
    """The log without those blocks of definitions."""
    b, at, n = bytearray(c.b[:36]), 36, 0
    while at < len(c.b):
        end = at + 28 + struct.unpack_from("<I", c.b, at + 16)[0]
        if struct.unpack_from("<Q", c.b, at + 8)[0] == SESSION:
            n += 1
        if struct.unpack_from("<Q", c.b, at + 8)[0] != SESSION or n - 1 not in numbers:
            b += c.b[at:end]
        at = end
    return bytes(b)


with open(suite.path("budget.json"), "w") as f:
    json.dump({"tracetool_budget": 1, "rows": [{"id": "bytes", "metric": "gc.alloc.bytes", "stat": "per_frame.max", "max": "1MB"},
                                               {"id": "collections", "metric": "gc.collections", "stat": "total", "max": 1000}]}, f)


def batch_says_the_same(what, path):
    """A batch of the capture says its losses in the words, and with the advice, that its tables have."""
    shutil.rmtree(suite.path("batch"), ignore_errors=True)
    rows = suite.report("batch", "-q", path, "-o", suite.path("batch"), status=3)["tables"]["batch_losses"]["rows"]
    want = suite.report("stats", path, "--table", "loss", status=3)["tables"]["loss"]["rows"]
    tell = lambda rows: {r["kind"]: (r["severity"], r["what"], r["advice"]) for r in rows if r["severity"] != "info"}
    suite.equal(what + ": losses in a batch", tell(rows), tell(want))


def check(what, data, allocs, collections, lost, name="defs.raw"):
    """Figures of allocations (number, bytes) and collections, None: not known; what was lost, as {kind: place of the first}."""
    path = suite.path(name)
    with open(path, "wb") as f:
        f.write(data)
    status = 3 if lost else 0
    for args in ((), ("--table", "gcalloc,loss,threads")):
        tables = suite.report("stats", path, *args, status=status)["tables"]
        row = (tables["gcalloc"]["rows"] or [{}])[0]
        suite.equal(what + ": allocations", (row.get("count"), row.get("bytes")), allocs)
        suite.equal(what + ": collections", row.get("collections"), collections)
        suite.equal(what + ": losses", {r["kind"]: r["first_at"] for r in tables["loss"]["rows"] if r["severity"] in ("loss", "error") or
                                        r["kind"] == "not_ended"}, lost)
    suite.equal(what + ": bytes of threads", {r["alloc_bytes"] for r in tables["threads"]["rows"]} - {0, None}, {allocs[1]} - {None})
    if lost:
        batch_says_the_same(what, path)
    # Whether there were any is not known either.
    said = suite.run("stats", "-q", path, "--table", "gcalloc", status=status)[0]
    suite.equal(what + ": what is said of unknown allocations", ("allocations are not known" in said, "recorded" in said), (allocs[0] is None, False))
    out, _ = suite.run("stats", "-q", "--gate", suite.path("budget.json"), path, status=status if lost else 0 if None not in (*allocs, collections) else 5)
    rows = {line.split()[0]: line.split()[-1] for line in out.splitlines() if line.startswith("  ") and len(line.split()) > 1}
    suite.equal(what + ": rows of a gate", (rows.get("bytes"), rows.get("collections")),
                ("cannot" if allocs[0] is None else "ok", "cannot" if collections is None else "ok"))


whole, NONE = log(), (None, None)
check("a whole log", whole.b, (8, 320), 8, {})
check("a log without its first block", without(whole, 0), (8, 320), 8, {"definitions": 36})
check("a log without the block of two markers", without(whole, 1), NONE, None, {"definitions": whole.at["last"] - (len(whole.b) - len(without(whole, 1)))})
check("a log without its first two blocks", without(whole, 0, 1), NONE, None, {"definitions": whole.at["last"] - (len(whole.b) - len(without(whole, 0, 1)))})
check("a log without any definition", without(whole, 0, 1, 2), NONE, None, {"definitions": 0, "not_ended": None})
b = bytearray(whole.b)
b[b.index(b"GC.Alloc")] ^= 1
check("a log whose marker of allocations has another name", bytes(b), NONE, 8, {})
# A length that goes beyond its block costs the rest of that block, and nothing after it.
b = bytearray(whole.b)
struct.pack_into("<I", b, b.index(b"Main Thread") - 4, 0xFFFFFF)
check("a wrong length in the first block", bytes(b), (8, 320), 8, {"definitions": 36})
b = bytearray(whole.b)
struct.pack_into("<I", b, b.index(b"GC.Alloc") - 4, 0xFFFF)
check("a wrong length in the second block", bytes(b), NONE, None, {"definitions": whole.at["second"]})
_, said = suite.run("stats", "-q", suite.path("defs.raw"), status=3)
suite.true("what is said of it", "blocks of definitions missing or damaged" in said and "zones" not in said, said)
two = log()
two.b += without(log(), 1)
check("a whole log and one that lacks definitions", two.b, NONE, None,
      {"definitions": len(whole.b) + whole.at["last"] - (len(whole.b) - len(without(whole, 1)))})

# A .data defines markers where they are first used; allocations have records of their own.
generate("data", suite.path("gen.data"), "--frames", "60")
with open(suite.path("gen.data"), "rb") as f:
    data = f.read()
records, at = [], 0
while struct.unpack_from("<I", data, at)[0] != 0xDEADFEED:
    end = at + 28 + struct.unpack_from("<I", data, at + 4)[0]
    records.append(data[at:end])
    at = end
first = next(i for i, r in enumerate(records) if b"GC.Collect\0" in r)


def of_data(name, parts, status=0):
    with open(suite.path(name), "wb") as f:
        f.write(b"".join(parts) + data[at:])
    row = suite.report("stats", suite.path(name), "--table", "gcalloc", status=status)["tables"]["gcalloc"]["rows"][0]
    return row["count"], row["collections"]


allocs, collections = of_data("whole.data", records)
later, none = of_data("later.data", records[first + 1:], status=3)
batch_says_the_same("a .data without its first frames", suite.path("later.data"))
suite.equal("a .data without the frame that defines GC.Collect", (collections > 0, 0 < later < allocs, none), (True, True, None))

# The column events: definitions that belong to no thread count for the main one. A frame here has five messages.
log = Log(10)
for k in range(3):
    log.frame(10 + 10 * k)
log.block(SESSION, state(0, 50))
row, = suite.rows("threads", log.write(suite.path("events.raw")))
suite.equal("events of the main thread", row["events"], 3 * 5 + len(("thread", "marker", "marker", "state", "state")))
# What stands for the name of a marker that nothing defines is in no list of ours, and can be chosen as any name can.
capture = Capture()
capture.thread().zone(1000, 5000, 0x100000)
path = capture.write(suite.path("unnamed.ttc"))
for pattern, waiting in ((), 0), (("--wait", "unknown 0x1"), 4000):
    row, = suite.rows("threads", path, *pattern)
    suite.equal("time in a zone without a name, %s" % (pattern,), (row["waiting_ns"], row["busy_ns"]), (waiting, 4000 - waiting))
suite.equal("such a zone left out", [r["self_ns"] for r in suite.rows("markers", path, "--no-wait", "--wait", "unknown")], [])


def renamed():
    """A number has one name in a recording: tracetool-unity-raw(7). Repeated definitions are the same; another recording, in the same log or in another one,
    may give numbers anew."""
    def losses(data, want):
        path = suite.path("renamed.raw")
        with open(path, "wb") as f:
            f.write(data)
        rows = suite.report("stats", path, "--table", "loss", status=3 if want else 0)["tables"]["loss"]["rows"]
        return [(r["kind"], r["count"]) for r in rows if r["severity"] in ("error", "loss")]

    def category(number, name):
        return struct.pack("<HHHH", 62, number, 1, 1) + text(name)

    for what, before, between, after, want in (
            ("the same again", marker(5, "Draw") + category(41, "Game"), b"", marker(5, "Draw") + category(41, "Game"), 0),
            ("another name", marker(5, "Draw"), b"", marker(5, "Fraw"), 1),
            ("another number", marker(5, "Draw") + marker(6, "Cull"), b"", marker(5, "Cull"), 1),
            ("another name of a category", category(41, "Game"), b"", category(41, "Came"), 1),
            ("categories and markers have numbers of their own", category(41, "Game") + marker(42, "Draw"), b"", marker(41, "Draw") + category(42, "UI"), 0),
            ("another recording in the log", marker(5, "Draw") + category(41, "Game"), state(0, 115) + state(1, 118), marker(5, "Cull") + category(41, "UI"),
             0),
            ("a recording that ends", marker(5, "Draw"), state(0, 115), marker(5, "Cull"), 1),
            ("a whole log after it", marker(5, "Draw"), None, marker(5, "Cull"), 0)):
        c = Log(100)
        c.block(SESSION, before)
        c.frame(101)
        data = b""
        if between is None:
            c.block(SESSION, state(0, 115))
            data = bytes(c.b)
            c = Log(120)
        elif between:
            c.block(SESSION, between)
        c.block(SESSION, after, "after")
        c.frame(121)
        c.block(SESSION, state(0, 140))
        data += bytes(c.b)
        suite.equal("a marker defined twice, " + what, losses(data, want), [("definitions", 1)] if want else [])
    for word in (0x20170327, 0x20180123, 0x20191122, 0x20220328, 0x20260108):
        for aligned in ("0", "1"):
            generate("raw", suite.path("gen.raw"), "--version", hex(word), "--aligned", aligned, "--frames", "10")
            with open(suite.path("gen.raw"), "rb") as f:
                data = bytearray(f.read())
            name = "0x%x, aligned %s: " % (word, aligned)
            suite.equal(name + "whole", losses(data, 0), [])
            at, other = data.index(b"GC.Collect") - 12, data.index(b"PlayerLoop") - 12
            data[at:at + 4] = data[other:other + 4]
            suite.equal(name + "a marker with the number of another", losses(data, 1)[:1], [("definitions", 1)])


renamed()
suite.end()
