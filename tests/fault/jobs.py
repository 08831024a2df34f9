#!/usr/bin/env python3
"""The number of workers changes no byte: every output and table of every capture with -j 1, 2, 3 and 8.

Good captures and bad ones, those of the encoder and of a stand-in game, and two made longer by repeating their
buffers, so that many chunks are under way at once; in check some of them by lot. Standard error, where damage is told, counts as output.
"""
import json
import os
import struct
import subprocess

import kit
import lot

os.environ["TRACETOOL_JOBS_EXACT"] = "1"
JOBS = [1] + lot.some((2, 3, 8), 2, "jobs")
OUTPUTS = ("json", "csv", "pb", "folded", "pftrace", "firefox.json")


def longer(path, times, to):
    """The header once, all buffers several times."""
    data = open(path, "rb").read()
    start = data.find(b"\x01LPM")
    with open(to, "wb") as f:
        f.write(data[:start])
        for _ in range(times):
            f.write(data[start:])


def shuffled(path, to):
    """The buffers in another order: threads interleave as no recorder writes them."""
    data = open(path, "rb").read()
    pos, parts = data.find(b"\x01LPM"), []
    head = data[:pos]
    while pos < len(data):
        end = pos + 48 + struct.unpack_from("<i", data, pos + 4)[0]
        parts.append(data[pos:end])
        pos = end
    parts.sort(key=lambda b: hash_of(b))
    with open(to, "wb") as f:
        f.write(head + b"".join(parts))


TABLES = ",".join(sorted({r["table"] for r in kit.listed("metrics") if not r["table"].startswith("capture")}))


def hash_of(data):
    h = 0
    for byte in data[:200]:
        h = (h * 131 + byte) & 0xFFFFFFFF
    return h


def middle(path):
    """The second and third quarter of a capture, as --time takes them: zones are open where it begins and where it ends."""
    r = subprocess.run([kit.TRACETOOL, "stats", "-q", "--limit", "0", "--table", "threads", "--format", "json", path], capture_output=True, timeout=120)
    times = [t[at] for t in json.loads(r.stdout)["tables"]["threads"]["rows"] for at in ("first_ns", "last_ns")] if r.stdout else []
    times = [t for t in times if isinstance(t, int)]
    if not times:
        return "0-1"
    a, b = min(times), max(times)
    return "%.9f-%.9f" % ((a + (b - a) / 4) / 1e9, (a + (b - a) * 3 / 4) / 1e9)


def outputs(s, path, jobs, part):
    """All that comes out with so many workers, by name."""
    out = {}
    base = s.path("j%d" % jobs)
    args = [kit.TRACETOOL, "convert", "-j", str(jobs), path]
    for suffix in OUTPUTS:
        args += ["-o", "%s.%s" % (base, suffix)]
    args += ["-f", "chrome", "--begin-end", "-o", base + ".be.json"]
    r = subprocess.run(args, capture_output=True, timeout=120)
    out["convert"] = (r.returncode, r.stderr.replace(base.encode(), b"OUT"))
    # Alone: without coverage it is refused, and nothing is written.
    r = subprocess.run([kit.TRACETOOL, "convert", "-j", str(jobs), path, "-o", base + ".lcov"], capture_output=True, timeout=120)
    out["convert to lcov"] = (r.returncode, r.stderr.replace(base.encode(), b"OUT"))
    for suffix in OUTPUTS + ("be.json", "lcov"):
        name = "%s.%s" % (base, suffix)
        if os.path.exists(name):
            out[suffix] = open(name, "rb").read()
            os.unlink(name)
    frames = ["--frame-marker", "World:Frame"] if "gameloop-calls" in path else []
    for what, args in (("info", ["info"]), ("every table", ["stats", "--table", TABLES] + frames),
                       ("a part", ["stats", "--table", TABLES, "--time", part] + frames),
                       ("the zones above one", ["stats", "--table", TABLES, "--no-wait", "--min-duration", "20us", "--depth", "5"] + frames),
                       ("groups", ["stats", "--table", TABLES, "--group-by", "namespace"]),
                       ("objects", ["stats", "--find", "S:64", "--table", "objects_found"])):
        r = subprocess.run([kit.TRACETOOL, *args, "--format", "json", "-j", str(jobs), path], capture_output=True, timeout=120)
        out[what] = (r.returncode, r.stdout, r.stderr)
    return out


def game(to):
    """Of the stand-in Unity engine: zones with arguments, also such that end chunks later."""
    subprocess.run([os.path.join(kit.BUILD, "host", "host"), "capture=" + to, "threads=6", "frames=20", "seed=9", "rate=2000000"],
                   check=True, env=dict(os.environ, BUILD=kit.BUILD), capture_output=True)


def compare(s, path):
    part = middle(path)
    first = outputs(s, path, JOBS[0], part)
    for jobs in JOBS[1:]:
        for again in range(3 if kit.LONG else 1):
            now = outputs(s, path, jobs, part)
            if now != first:
                return "-j %d changes %s" % (jobs, ", ".join(k for k in first if first[k] != now.get(k)))
    return None


def edges(data):
    """Where the buffers begin, and the end."""
    pos, found = data.find(b"\x01LPM"), []
    while pos < len(data):
        found.append(pos)
        pos += 48 + struct.unpack_from("<i", data, pos + 4)[0]
    return found + [pos]


def index_ahead(s):
    """
    Where a file is long, another thread looks for the buffers of its second half: whole, damaged there and on both
    sides, cut, and where that thread meets what only looks like a buffer, as it reaches from within one into another.
    """
    stem, path = "good-d01-gameloop-calls-alloc", s.path("index.mlpd")
    longer(os.path.join(kit.DATA, stem + ".mlpd"), 210, path)
    data = open(path, "rb").read()
    half = len(data) // 2
    assert len(data) > 65 << 20, len(data)
    beyond = [e for e in edges(data) if e > half + 60][1]
    fake = b"\x01LPM" + struct.pack("<i", beyond - (half + 10) - 48) + bytes(40)
    for name, at, what in lot.some((
            ("whole", 0, b""), ("damaged where the look ahead begins", half - 500, bytes(5000)),
            ("damaged behind it", half + (9 << 20), b"\xff" * 300), ("damaged before it", half - (9 << 20), b"\xff" * 300),
            ("what looks like a buffer", half + 10, fake),
            ("cut", len(data) - (7 << 20), None)), 3, "index ahead"):
        with open(path, "wb") as f:
            f.write(data[:at] + (what + data[at + len(what):] if what is not None else b""))
        said = [subprocess.run([kit.TRACETOOL, "info", "--format", "json", "-j", j, path], capture_output=True, timeout=120)
                for j in ("1", "2")]
        one, two = ((r.returncode, r.stdout, r.stderr) for r in said)
        s.check("index ahead: " + name, None if one == two else "-j 2 changes what info says")
    os.unlink(path)


def main():
    s = kit.Suite()
    names = sorted(n for n in os.listdir(kit.DATA) if n.endswith(".mlpd"))
    if not kit.LONG:
        names = [n for n in names if not n[-8:-6] == "-v"]      # one encoding of each
    paths = [os.path.join(kit.DATA, n) for n in names]
    for version in range(4, 18) if kit.LONG else (5, 13, 17):
        paths.append(s.capture(version, version))
    for stem, times in (("good-d01-gameloop-calls-alloc", 12), ("good-d04-exceptions", 40)):
        paths.append(s.path("long-%s.mlpd" % stem))
        longer(os.path.join(kit.DATA, stem + ".mlpd"), times, paths[-1])
        paths.append(s.path("shuffled-%s.mlpd" % stem))
        shuffled(os.path.join(kit.DATA, stem + ".mlpd"), paths[-1])
    for folder in (f["name"] for f in kit.listed("formats") if f["name"] != "mlpd"):
        captures = os.path.join(kit.TOP, "testdata", folder)
        paths += sorted(os.path.join(captures, n) for n in os.listdir(captures))
    paths.append(s.path("game.ttc"))
    game(paths[-1])
    for path in lot.some(paths, 20, "jobs"):
        s.check(os.path.basename(path), compare(s, path))
    index_ahead(s)
    s.end()


if __name__ == "__main__":
    main()
