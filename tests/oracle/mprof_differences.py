#!/usr/bin/env python3
"""Checks every figure that tracetool-mlpd(7) says differs from mprof-report's: that it differs, and which one is right.

    mprof_differences.py TRACETOOL

For each point of the list "Where figures differ" mprof-report's figure, ours, and that of the independent reader, which
proves ours. Points and tests are equally many, in the same order.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import mlpd

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.path.join(TOP, "testdata", "mlpd")


def path_of(name):
    return name if os.path.isabs(name) else os.path.join(DATA, name + ".mlpd")


def mprof(name, *options):
    p = subprocess.run(["mprof-report", *options, path_of(name)], capture_output=True, text=True, errors="replace", timeout=120)
    return p.stdout


def ours(name, *options, verb="stats"):
    names = ["--names", "full", "--wrappers"] if verb == "stats" else []
    p = subprocess.run([sys.argv[1], verb, "-q", "--format", "json", *names, *options, path_of(name)], capture_output=True,
                       text=True, errors="replace", timeout=120)
    return {k: t["rows"] for k, t in json.loads(p.stdout)["tables"].items()}


def reader(name):
    return mlpd.analyse(path_of(name))


def number(pattern, text):
    return int(re.search(pattern, text).group(1))


def zero(name):
    return ours(name, verb="info")["capture"][0]["zero_ns"]


# --- a capture made for the purpose --------------------------------------------------------

def uleb(v):
    out = b""
    while v >> 7:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v])


def sleb(v):
    out = b""
    while not -64 <= v < 64:
        out += bytes([v & 0x7F | 0x80])
        v >>= 7
    return out + bytes([v & 0x7F])


def made(temp, name, events):
    """The events, in one buffer behind the header of a real capture of data version 17."""
    with open(path_of("good-d01-gameloop-calls-alloc"), "rb") as f:
        data = f.read()
    capture = mlpd.Capture(data)
    body = b"".join(events)
    path = os.path.join(temp, name + ".mlpd")
    with open(path, "wb") as f:
        f.write(data[:capture.start] + struct.pack("<IiQQQQQ", mlpd.BUFFER_MAGIC, len(body), capture.first_base, 0, 0, 0x1000, 0) + body)
    return path


def allocation(obj, size):
    return b"\x00" + uleb(1000) + sleb(0x5000) + sleb(obj) + uleb(size)


# --- the points, in the order of the page ---------------------------------------------------

def unresolved(_):
    late = sum(int(b) for b in re.findall(r"^ +(\d+) +\d+ +\d+ unresolved class", mprof("good-d03-alloc-bt", "--reports=alloc"), re.M))
    a = reader("good-d03-alloc-bt")
    have = {r["class"]: [r["count"], r["bytes"]] for r in ours("good-d03-alloc-bt", "--table", "alloc_classes")["alloc_classes"]}
    assert late > 0 and a.alloc["unresolved"] == 0 and have == dict(a.alloc_by_class)


def samples(_):
    theirs = mprof("good-d02-gameloop-sample", "--reports=sample")
    a = reader("good-d02-gameloop-sample")
    rows = ours("good-d02-gameloop-sample", "--table", "samples,sample_native")
    managed = {r["marker"]: r["self"] for r in rows["samples"] if r["self"]}
    assert number(r"\tManaged hits: +(\d+)", theirs) < a.managed_hits
    assert managed == {n.replace("[native only]", "(native)"): c for n, c in a.leaves.items()}
    assert number(r"Unmanaged hits: +(\d+)", theirs) == sum(r["samples"] for r in rows["sample_native"] if r["kind"] != "method")


def recursion(_):
    theirs = {n: int(ms) for ms, n in re.findall(r"^ *(\d+) +\d+ +\d+ (\S.*)$", mprof("good-d08-recursion-calls", "--reports=call"), re.M)}
    a = reader("good-d08-recursion-calls")
    have = {r["marker"]: r["total_ns"] for r in ours("good-d08-recursion-calls", "--table", "markers")["markers"] if ":" in r["marker"]}
    assert have == {n: s.total for n, s in a.calls.methods.items()}
    for name in ("P:Boom (int)", "P:Depth (int)", "P:Fib (int)"):
        assert theirs[name] > have[name] // 1000000, name


def several_addresses(_):
    name = "good-d01-gameloop-calls-alloc"
    a = reader(name)
    have = {r["marker"]: r["count"] for r in ours(name, "--table", "markers")["markers"]}
    several = {n: of for n, of in a.calls.by_address.items() if len(of) > 1}
    there = {n: int(c) for c, n in re.findall(r"^ *\d+ +\d+ +(\d+) (\S.*)$", mprof(name, "--reports=call"), re.M) if n in several}
    assert there
    for n, count in there.items():
        assert count in several[n].values() and count < sum(several[n].values()) == have[n]


def custom_counters(temp):
    desc = b"\x37" + uleb(1000) + uleb(1) + uleb(0x8000) + b"Game\0" + b"Enemies\0" + uleb(0) + uleb(3 << 24) + uleb(1 << 30) + uleb(9)
    values = [b"\x47" + uleb(1000000000) + uleb(9) + uleb(0) + sleb(v) + uleb(0) for v in (5, 7, 4)]
    path = made(temp, "custom", [desc, *values])
    theirs = [int(v) for v in re.findall(r"Enemies +: (\d+)", mprof(path, "--reports=counters", "--verbose"))]
    counter = next(c for c in reader(path).counters.values() if c["name"] == "Enemies")
    row = ours(path, "--table", "counters")["counters"][0]
    assert theirs == [5, 12, 16] and counter["last"] == 4 == row["last"] and row["max"] == 7, (theirs, row)


def counter_mean(_):
    name = "good-d10-counters-zip"
    assert "mean" not in mprof(name, "--reports=counters", "--verbose").lower()
    a, checked = reader(name), 0
    rows = {r["id"]: r for r in ours(name, "--table", "counters")["counters"]}
    for index, c in a.counters.items():
        row, want = rows.get("0x%x" % index), a.counter_figures(c)
        if row and want and row["unit"] in ("count", "bytes") and c["samples"] < len(a.samplings[False]):
            checked += 1
            assert abs(row["mean"] - want[1]) <= 1, (c["name"], row["mean"], want[1])
    assert checked > 5, checked


def contention_13(_):
    name = "good-d13-mono462-v13-monitors"
    a, row = reader(name), ours(name, "--table", "contention")["contention"][0]
    assert number(r"Lock contentions: (\d+)", mprof(name, "--reports=monitor")) == 0
    assert a.monitor["contended"] > 0 and (row["contended"], row["acquired"], row["wait_ns"]) == (
        a.monitor["contended"], a.monitor["acquired"], a.monitor["wait_ns"])


def addresses_32(_):
    name = "good-d15-i386-ptr4-legacy-calls"
    theirs = re.findall(r"Thread: 0x([0-9a-f]+)", mprof(name, "--reports=thread"))
    a = reader(name)
    have = {int(r["tid"], 16) for r in ours(name, "--table", "threads")["threads"]}
    assert len({t[-8:] for t in theirs}) < len(theirs) and have == set(a.threads)


def cut_stacks(_):
    """Of a path of six frames the outermost two are shown there, of calls the innermost; here all, and of the tree the outermost."""
    stack = ["(wrapper runtime-invoke) <Module>:runtime_invoke_int_object (object,intptr,intptr,intptr)", "Game.Program:Main (string[])",
             "Game.World:Frame (int)", "Game.World:Simulate (single)", "Game.Entity:Update (single)", "Game.Emitter:Tick (single)"]
    theirs = mprof("good-d03-alloc-bt", "--reports=alloc", "--traces", "--maxframes=2")
    assert "\t15360 bytes from:\n\t\t%s\n\t\t%s\n" % tuple(stack[:2]) in theirs
    theirs = mprof("good-d01-gameloop-calls-alloc", "--reports=call", "--traces", "--maxframes=2")
    assert "calls from:\n\t\t%s\n\t\t%s\n" % tuple(stack[4:]) in theirs
    a = reader("good-d03-alloc-bt")
    met = [[a.capture.method_name(m, e[1]) for m in e[5]] for _, e in a.capture.events if e[0] == "alloc"]
    assert any(m[:6] == stack for m in met)
    paths = [r["path"].split(" > ") for r in ours("good-d03-alloc-bt", "--table", "alloc_paths")["alloc_paths"]]
    assert any(p[:6] == stack for p in paths)
    tree = ours("good-d01-gameloop-calls-alloc", "--table", "calltree", "--max-depth", "2", "--threshold", "0")["calltree"]
    assert max(r["depth"] for r in tree) == 2 and stack[1] in [r["marker"] for r in tree if r["depth"] == 2]


def thread_allocations(_):
    name = "good-d01-gameloop-calls-alloc"
    a = reader(name)
    rows = ours(name, "--table", "threads")["threads"]
    one = min((r for r in rows if 0 < r["alloc_bytes"]), key=lambda r: r["alloc_bytes"])
    theirs = number(r"Total memory allocated: (\d+)", mprof(name, "--reports=alloc", "--thread=" + one["tid"]))
    have = ours(name, "--thread", "re:^%s$" % one["thread"], "--table", "gcalloc")["gcalloc"][0]["bytes"]
    want = sum(v[1] for label, v in a.alloc_by_thread.items() if label.split("#")[0] == one["tid"])
    assert theirs == a.alloc["bytes"] > want == have


def pinned(_):
    name = "good-d06-gcmoves-handles"
    want = reader(name).handles["pinned"]
    row = next(r for r in ours(name, "--table", "handles")["handles"] if r["kind"] == "pinned")
    assert "handles pinned" not in mprof(name, "--reports=gc")
    assert want["created"] > 0 and (row["created"], row["destroyed"]) == (want["created"], want["destroyed"])


def found_again(temp):
    """A large object, moved away; then a small one at its old address."""
    moved = b"\x31" + uleb(1000) + uleb(2) + sleb(0x2000) + sleb(0x9000)
    path = made(temp, "again", [allocation(0x2000, 5000), moved, allocation(0x2000, 16)])
    theirs = re.findall(r"created \(.*, (\d+) bytes\)", mprof(path, "--find=S:3000"))
    want = [e[4] for _, e in mlpd.Capture(open(path, "rb").read()).events if e[0] == "alloc" and e[4] >= 3000]
    have = [r["bytes"] for r in ours(path, "--find", "S:3000")["objects_found"]]
    assert want == have == [5000] and theirs == ["5000", "16"], (theirs, have)


def helpers(_):
    name = "good-d09-names-unicode-jit"
    a, row = reader(name), ours(name, "--table", "jit")["jit"][0]
    assert number(r"JIT helpers: (\d+)", mprof(name, "--reports=jit")) == sum(a.helpers.values())
    assert a.helpers["0"] > 0 and row["helpers"] == sum(a.helpers.values()) - a.helpers["0"]


def unloaded_image(temp):
    unload = b"\x42" + uleb(1000) + bytes([2]) + sleb(0x7000) + b"Game.dll\0"
    load = b"\x22" + uleb(1000) + bytes([2]) + sleb(0x7000) + b"Game.dll\0" + b"0-0-0\0"
    path = made(temp, "unload", [load, allocation(0x2000, 40), unload, allocation(0x3000, 60)])
    assert number(r"Total memory allocated: (\d+)", mprof(path, "--reports=alloc")) != 100
    assert reader(path).alloc["bytes"] == 100 == ours(path, "--table", "gcalloc")["gcalloc"][0]["bytes"]


def cut_file(_):
    theirs = subprocess.run(["mprof-report", path_of("bad-cut-in-buffer")], capture_output=True, text=True, timeout=60)
    have = subprocess.run([sys.argv[1], "stats", path_of("bad-cut-in-buffer")], capture_output=True, text=True, timeout=60)
    assert theirs.returncode == 0 and have.returncode == 3 and "cut" in have.stderr
    assert reader("bad-cut-in-buffer").capture.damage


def start(_):
    name = "good-d07-heapshot"
    theirs = [float(s) for s in re.findall(r"Heap shot \d+ at ([\d.]+) secs", mprof(name, "--reports=heapshot"))]
    a, late = reader(name), None
    rows = [r["time_ns"] for r in ours(name, "--table", "heapshots")["heapshots"]]
    late = a.capture.header["clock_ns"] - zero(name)
    assert rows == [s["time_ns"] - zero(name) for s in a.shots] and late > 0
    assert [round((t - late) / 1e9 - 0.0005, 3) for t in rows] == theirs or all(
        abs((t - late) / 1e9 - s) < 0.0011 for t, s in zip(rows, theirs))


POINTS = [unresolved, samples, recursion, several_addresses, custom_counters, counter_mean, contention_13, addresses_32, cut_stacks,
          thread_allocations, pinned, found_again, helpers, unloaded_image, cut_file, start]


def main():
    page = open(os.path.join(TOP, "man", "tracetool-mlpd.7")).read()
    listed = re.search(r"Where figures differ, and why:\n\.Bl -bullet\n(.*?)\.El", page, re.S).group(1).count(".It\n")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temp:
        for point in POINTS:
            try:
                point(temp)
                passed += 1
            except (AssertionError, AttributeError, KeyError, IndexError, StopIteration, ValueError) as e:
                failed += 1
                print("%s: %s %s" % (point.__name__, type(e).__name__, e))
    passed += listed == len(POINTS)
    if listed != len(POINTS):
        failed += 1
        print("the page lists %d points, and %d are tested" % (listed, len(POINTS)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
