"""Every event of captures (.ttc), value by value: the slow reader of ttc_reader.py beside `tracetool convert` to CSV.

The captures: those of testdata, and those that the Unity plug-in writes
now in the stand-in for the engine, one of them a rotation.
"""
import collections
import csv
import glob
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/kit")
import lot
import ttc_reader

TRACETOOL, HOST = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
FLOW = {0: "begin", 1: "parallel", 2: "end", 3: "sequential"}
passed = failed = 0


def equal(what, got, want):
    global passed, failed
    if got == want:
        passed += 1
        return
    failed += 1
    missing = list((collections.Counter(want) - collections.Counter(got)).items())[:3]
    extra = list((collections.Counter(got) - collections.Counter(want)).items())[:3]
    print("%s:\n  only the page's reader: %s\n  only tracetool: %s" % (what, missing, extra))


def number(kind, value):
    """An argument as JSON shows it, or None where the form is not compared."""
    return value if kind in ttc_reader.SIGNED | {3, 5, 12, 7} else None


def shown(name, mono):
    """A method without the types of its arguments, which outputs leave out where the name is clear without them."""
    return name.rsplit(" (", 1)[0] if mono and name and name.endswith(")") else name


def compare(name, *paths):
    c = ttc_reader.Capture(*paths)
    with tempfile.NamedTemporaryFile(suffix=".csv") as out:
        r = subprocess.run([TRACETOOL, "convert", "-q", *paths, "-o", out.name], stderr=subprocess.PIPE)
        if r.returncode not in (0, 3):
            equal("%s: exit status, %s" % (name, r.stderr.decode().strip()), r.returncode, 0)
            return
        with open(out.name, newline="") as f:
            rows = collections.defaultdict(list)
            for row in csv.DictReader(f):
                rows[row["kind"]].append(row)
    want = collections.defaultdict(list)
    args = {}
    mono = "Mono" in c.texts[1]
    for t in c.threads.values():
        tid = hex(t.native) if t.native is not None else ""
        events = list(c.events(t))
        for begin, took, depth, key, values in ttc_reader.zones(events):
            want["zone"].append((tid, begin, took, depth, shown(c.name(key), mono)))
            if values:
                args[tid, begin, depth] = [number(*v) for v in values]
        for e in events:
            if e[1] == "alloc":
                want["alloc"].append((tid, e[0], e[3]))
            elif e[1] == "instant":
                want["instant"].append((tid, e[0], shown(c.name(e[2]), mono)))
            elif e[1] == "counter":
                want["counter"].append((tid, e[0], number(*e[3][0])))
            elif e[1] == "flow":
                want["flow"].append((tid, e[0], FLOW.get(e[2]), e[3]))
            elif e[1] == "frame":
                want["frame"].append((tid, e[0]))
        ends = [why[1][t.number][2] for why in c.ends if t.number in why[1]]
        if ends:
            equal("%s: events of thread %d by its last account" % (name, t.number),
                  [sum(e[1] not in ("thread ends", "paused") for e in events)], [ends[-1]])
    for key, value in ((k.decode(), v.decode()) for _, k, v in c.facts):
        want["fact"].append((key, value))
    got = {
        "zone": [(r["tid"], int(r["start_ns"]), int(r["dur_ns"]), int(r["depth"]), shown(r["name"], mono)) for r in rows["zone"]],
        "alloc": [(r["tid"], int(r["start_ns"]), int(r["value"])) for r in rows["alloc"]],
        "instant": [(r["tid"], int(r["start_ns"]), shown(r["name"], mono)) for r in rows["instant"]],
        "counter": [(r["tid"], int(r["start_ns"]), float(r["value"]) if "." in r["value"] or "e" in r["value"] else int(r["value"]))
                    for r in rows["counter"]],
        "flow": [(r["tid"], int(r["start_ns"]), r["name"], int(r["detail"], 16)) for r in rows["flow"]],
        "frame": [(r["tid"], int(r["start_ns"])) for r in rows["frame"]],
        "fact": [(r["name"], r["detail"]) for r in rows["fact"]],
    }
    for kind in got:
        equal("%s: %s" % (name, kind), sorted(got[kind], key=str), sorted(want[kind], key=str))
    said, recorded = [], []
    for r in rows["zone"]:
        values = args.get((r["tid"], int(r["start_ns"]), int(r["depth"])))
        if values:
            place = r["tid"], r["start_ns"], r["name"]
            carried = json.loads(r["args"]).values()
            said.append((*place, *(s for s, v in zip(carried, values) if v is not None)))
            recorded.append((*place, *(v for v in values if v is not None)))
    equal("%s: arguments of zones" % name, said, recorded)


def play(folder, name, *settings):
    """A capture that the Unity plug-in writes now, in the stand-in for the engine."""
    path = os.path.join(folder, name + ".ttc")
    subprocess.run([HOST, "capture=" + path, *settings], check=True, stdout=subprocess.DEVNULL)
    return sorted(glob.glob(os.path.join(folder, name) + "*.ttc"), key=lambda p: (len(p), p))


def with_ratio(path, num, den):
    """A capture's file again, whose counter runs at ${num} / ${den}, into the folder it is in; its path."""
    data = bytearray(open(path, "rb").read())
    size, flags = struct.unpack_from("<I4xI", data, 12)
    struct.pack_into("<I", data, 20, flags | 32)
    struct.pack_into("<QQ", data, 48, num, den)
    struct.pack_into("<I", data, 16, 0)
    struct.pack_into("<I", data, 16, ttc_reader.crc32c(data[:size]))
    path = path.replace(".ttc", "-%d-%d.ttc" % (num, den))
    with open(path, "wb") as f:
        f.write(data)
    return path


for path in sorted(glob.glob("testdata/**/good-*.ttc*", recursive=True)):
    if "rotated" not in path:
        compare(os.path.basename(path), path)
compare("rotated", *sorted(glob.glob("testdata/capture/good-rotated*"), key=lambda p: (len(p), p)))
with tempfile.TemporaryDirectory() as folder:
    game = play(folder, "game", "seed=7", "threads=4", "frames=15", "events=8000")
    compare("a game", *game)
    # Every fifth to thousandth tick is a whole number of nanoseconds, which must not be rounded down once more.
    for ratio in lot.some(((5, 12), (1, 3), (1, 1), (1000, 2999), (125, 3)), 2, "ratios"):
        compare("a game, %d/%d ns a tick" % ratio, with_ratio(*game, *ratio))
    compare("a game, arguments cut and nested", *play(folder, "plain", "seed=8", "threads=2", "frames=10", "events=5000", "single_allocs=1", "churn=20"))
    compare("a rotation", *play(folder, "rotation", "seed=9", "threads=6", "frames=40", "events=2500", "options=rotate-size=64K"))
print("%d passed, %d failed" % (passed, failed))
sys.exit(failed > 0 or passed == 0)
