#!/usr/bin/env python3
"""
Every verb that writes, with everything apart: working folder, HOME, TMPDIR, inputs (read-only) and outputs, none below
another; as root and as an ordinary user, in the sandbox. In check one or two of the ways to name folders by lot.

A command must end as it should, make the files it names and no other, and give the bytes it gives without a sandbox.
Ends with "N passed, N failed".
"""
import gzip
import io
import os
import shutil
import struct
import subprocess
import sys
import tarfile

import kit
import lot
import words

sys.path.insert(0, os.path.join(kit.TOP, "tests", "oracle"))
from ttc_reader import crc32c

BUDGET = b"""{ "tracetool_budget": 1, "rows": [
  { "id": "long", "metric": "marker.time", "marker": "World:*", "max": "10s" },
  { "id": "more", "metric": "gc.alloc.bytes", "max": "+50%" } ] }
"""
MARKER = ["--frame-marker", "World:Frame"]
LAX = ["--inconclusive", "pass"]      # one capture is no sample

# (name, arguments, what it makes, how it ends). IN/ is the folder of inputs, OUT/ where outputs go.
FILES = [
    ("convert", ["convert", "IN/a.mlpd", "-o", "OUT/a.json"], ["a.json"], 0),
    ("convert to several", ["convert", "IN/a.mlpd.gz", "-o", "OUT/a.json.gz", "-o", "OUT/a.pb", "-o", "OUT/a.folded.zst",
                            "-o", "OUT/a.csv.xz"], ["a.json.gz", "a.pb", "a.folded.zst", "a.csv.xz"], 0),
    ("convert in parts", ["convert", "IN/a.mlpd", "--split", "300k", "-o", "OUT/p.json"], ["p-00*.json"], 0),
    ("convert two", ["convert", "IN/a.mlpd", "IN/b.ttc", "-o", "OUT/two.json.gz"], ["two.json.gz"], 0),
    ("convert a table", ["convert", "-f", "csv", "--table", "markers", "IN/b.ttc", "-o", "OUT/m.csv"], ["m.csv"], 0),
    ("info", ["info", "IN/a.mlpd", "-o", "OUT/i.json"], ["i.json"], 0),
    ("stats", ["stats", "IN/a.mlpd", *MARKER, "-o", "OUT/s.md"], ["s.md"], 0),
    ("summary", ["IN/b.ttc", "-o", "OUT/s.txt"], ["s.txt"], 0),
    ("stats of a pipe", ["stats", "-", *MARKER, "-o", "OUT/s.json"], ["s.json"], 0),
    ("gate", ["stats", "--gate", "IN/budget.json", "--baseline", "IN/base.json", *LAX, "IN/a.mlpd", "--junit", "OUT/v.xml",
              "--json", "OUT/v.json", "--markdown", "OUT/v.md", "--gitlab", "OUT/v.txt", "-o", "OUT/v"],
     ["v.xml", "v.json", "v.md", "v.txt", "v"], 0),
    ("gate saves", ["gate", "IN/budget.json", *LAX, "IN/a.mlpd", "--save", "OUT/new.json"], ["new.json"], 0),
    ("suggest", ["gate", "--suggest", "IN/a.mlpd", *MARKER, "-o", "OUT/b.json"], ["b.json"], 0),
    ("diff", ["diff", "IN/a.mlpd", *MARKER, "--pprof", "OUT/d.pb.gz", "--chrome", "OUT/d.json.gz", "-o", "OUT/d.md", "--",
              "IN/a.mlpd.gz"], ["d.pb.gz", "d.json.gz", "d.md"], 5),
    ("baseline", ["baseline", "IN/base.json", "-o", "OUT/h.svg"], ["h.svg"], 0),
    ("recover", ["recover", "IN/b.ttc", "-o", "OUT/whole.ttc"], ["whole.ttc"], 0),
    ("merge", ["batch", "--merge", "IN/shards", "-o", "OUT/all.jsonl", "--report", "OUT/r.csv"], ["all.jsonl", "r.csv"], 0),
    ("batch reports", ["batch", "IN/many", "--report", "OUT/r.md", "--report", "OUT/r.json", "--gate", "IN/budget.json", "--baseline",
                       "IN/base.json", "--force-baseline", *LAX, "--junit", "OUT/v.xml", "--json", "OUT/v.json"],
     ["r.md", "r.json", "v.xml", "v.json"], 0),
]

# The same for verbs whose output is a folder.
FOLDERS = [
    ("batch", ["batch", "IN/many", "-o", "OUT"], ["results.jsonl"], 0),
    ("batch resumed", ["batch", "IN/many", "-o", "OUT", "--resume"], ["results.jsonl"], 0),
    ("batch verified", ["batch", "IN/many", "-o", "OUT", "--resume", "--verify"], ["results.jsonl"], 0),
    ("batch of a shard", ["batch", "IN/many", "-o", "OUT", "--shard", "1/2"], ["results.1-of-2.jsonl"], 0),
    ("batch with one process", ["batch", "-j", "1", "IN/many/t.tar.gz", "-o", "OUT"], ["results.jsonl"], 0),
    ("batch of many files", ["batch", "IN/hundred", "-o", "OUT"], ["results.jsonl"], 0),
    ("batch of a glob", ["batch", "IN/hundred/*", "-o", "OUT"], ["results.jsonl"], 0),
    ("batch converts", ["batch", "IN/many", "-o", "OUT", "--do", "convert", "--to", "json.gz,pb", "--per-capture", "json"],
     ["results.jsonl", "captures/*"], 0),
    ("batch spools", ["batch", "IN/many", "-o", "OUT", "--spool-memory", "1", "--do", "convert", "--to", "csv"],
     ["results.jsonl", "captures/*"], 0),
]


def put(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), 1700000000
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def seven(s, name, data):
    """A 7z with one member: what must be sought in, and so is spooled where it lies in another archive."""
    put(s.path("pack", name), data)
    subprocess.run(["7z", "a", "-bso0", "-bsp0", "../pack.7z", name], check=True, cwd=s.path("pack"), stdin=subprocess.DEVNULL)
    with open(s.path("pack.7z"), "rb") as f:
        return f.read()


def inputs(s):
    loop = open(os.path.join(kit.DATA, "mlpd", "good-d01-gameloop-calls-alloc.mlpd"), "rb").read()
    other = open(os.path.join(kit.DATA, "capture", "good-v1.0-every-kind.ttc"), "rb").read()
    folder = os.path.join(kit.DATA, "mlpd")
    small = min((os.path.join(folder, f) for f in os.listdir(folder) if f.startswith("good-") and f.endswith(".mlpd")),
                key=os.path.getsize)
    small = open(small, "rb").read()
    put(s.path("in", "a.mlpd"), loop)
    put(s.path("in", "a.mlpd.gz"), gzip.compress(loop, mtime=0))
    put(s.path("in", "b.ttc"), other)
    put(s.path("in", "budget.json"), BUDGET)
    put(s.path("in", "many", "one.mlpd"), loop)
    put(s.path("in", "many", "t.tar.gz"), gzip.compress(tar([("x/two.ttc", other), ("n.7z", seven(s, "3.mlpd", small))]), mtime=0))
    for i in range(100):
        put(s.path("in", "hundred", "%03d.mlpd" % i), small)
    tracetool = s.path("bin", "tracetool")
    for argv in (["stats", "--gate", "in/budget.json", "--inconclusive", "pass", "in/a.mlpd", "--save", "in/base.json"],
                 ["batch", "-o", "in/shards", "--shard", "1/2", "in/many"],
                 ["batch", "-o", "in/shards", "--shard", "2/2", "in/many"]):
        r = subprocess.run([tracetool, *argv], cwd=s.base, capture_output=True, env={"TRACETOOL_SANDBOX": "off"})
        s.check("preparing: %s" % argv, r.returncode and r.stderr)
    s.protect()
    return loop


def matches(path, patterns):
    """Is it one of the files that a command makes? In a pattern an asterisk at the end, or before the suffix, is any text."""
    for p in patterns:
        start, star, end = p.partition("*")
        if path == p or star and path.startswith(start) and path.endswith(end):
            return True
    return False


def fill(args, where_in, where_out):
    return [a.replace("IN/", where_in + "/").replace("OUT/", where_out + "/") if a != "OUT" else where_out for a in args]


class Told:
    """What came of a command: its exit status, messages and files; each path relative to the place."""

    def __init__(self, place, argv, mode, text):
        r = place.run([place.suite.path("bin", "tracetool"), *argv], {"TRACETOOL_SANDBOX": mode}, text)
        self.status, self.out, self.err, self.files = r.returncode, r.out, r.err, place.files()


def attempt(s, name, uid, args, at, mode, before, text):
    """Run in a fresh place; ${at}: how inputs and outputs are named. ${before} lies in the output folder (None: there is none)."""
    place = kit.Place(s, uid)
    where_in, where_out, out = {
        "here": ("../../in", ".", "work"),
        "in a folder below": (s.path("in"), "results", "work/results"),
        "in a folder beside": ("../../in", "../out", "out"),
        "by absolute paths": (s.path("in"), place.path("out"), "out"),
        "in a folder that is not there": ("../../in", "../out/new", "out/new"),
    }[at]
    if before is not None:
        os.makedirs(place.path(out), exist_ok=True)
        place.own(place.path(out))
        for path, data in before.items():
            place.file(os.path.join(out, path), data)
    told = Told(place, fill(args, where_in, where_out), mode, text)
    told.made = {os.path.relpath(p, out): data for p, data in told.files.items()
                 if data is not None and not os.path.relpath(p, out).startswith("..")}
    told.astray = [p for p, data in told.files.items() if data is not None and os.path.relpath(p, out).startswith("..")]
    place.remove()
    return told


def judge(s, name, told, free, makes, status):
    """As without a sandbox, and nothing but what it should make."""
    s.check(name + ": ends well", told.status != status and "exit %d: %s" % (told.status, told.err))
    s.check(name + ": makes what it should", None if all(any(matches(f, [p]) for f in told.made) for p in makes)
            else "%s among %s" % (makes, sorted(told.made)))
    s.check(name + ": makes nothing else", [f for f in told.made if not matches(f, makes)])
    s.check(name + ": leaves nothing elsewhere", told.astray)
    s.check(name + ": the bytes are those without a sandbox", [f for f in told.made if told.made[f] != free.made.get(f)])
    s.check(name + ": so is what it prints", (told.out, told.err) != (free.out, free.err) and (told.err, free.err))


AT = ["here", "in a folder below", "in a folder beside", "by absolute paths"]


def files(s, text):
    for name, args, makes, status in FILES:
        for at in lot.some(AT, 1, name):
            old = {m: b"what was there before" for m in makes if "*" not in m} if at != "here" else {}
            free = attempt(s, name, s.users[0][1], args, at, "off", old, text)
            for who, uid in s.users:
                full = "%s, %s, %s" % (name, at, who)
                judge(s, full, attempt(s, full, uid, args, at, "require", old, text), free, makes, status)
        for who, uid in s.users:
            told = attempt(s, name, uid, args, "in a folder that is not there", "require", None, text)
            full = "%s, the folder is not there, %s" % (name, who)
            s.check(full + ": told", None if told.status == 4 and words.say("no_folder") in told.err and
                    "../out/new/" in told.err else (told.status, told.err))
            s.check(full + ": leaves nothing", list(told.made) + told.astray)


def folders(s):
    full = subprocess.run([s.path("bin", "tracetool"), "batch", "-q", "-o", s.path("done"), s.path("in", "many")],
                          capture_output=True, env={"TRACETOOL_SANDBOX": "off"})
    s.check("preparing results", full.returncode and full.stderr)
    old = {"results.jsonl": open(s.path("done", "results.jsonl"), "rb").read()}
    for name, args, makes, status in FOLDERS:
        for at in lot.some(AT + ["in a folder that is not there"], 2, name):
            before = None if at == "in a folder that is not there" else {} if at == "here" or makes[0] != "results.jsonl" else old
            free = attempt(s, name, s.users[0][1], args, at, "off", before, b"")
            for who, uid in s.users:
                full = "%s, %s, %s" % (name, at, who)
                judge(s, full, attempt(s, full, uid, args, at, "require", before, b""), free, makes, status)


def ring_of_root(s):
    """A capture without its end that names a ring: only who may read the ring can say that nothing is in it."""
    if len(s.users) == 1:
        return
    data = open(os.path.join(kit.DATA, "capture", "good-v1.0-every-kind.ttc"), "rb").read()
    ring = s.path("in", "tracetool-1-left.ring")
    (size,) = struct.unpack_from("<I", data, 12)
    texts = data[192:size].split(b"\0")
    head = bytearray(data[:192] + b"\0".join([ring.encode()] + texts[1:]))
    struct.pack_into("<II", head, 12, len(head), 0)
    struct.pack_into("<I", head, 16, crc32c(head))
    put(ring, b"R" * 4096)
    os.chmod(ring, 0o600)
    put(s.path("in", "left.ttc"), bytes(head) + data[size:len(data) - 200])
    for mode in ("off", "require"):
        for argv in (["info", "left.ttc"], ["stats", "left.ttc"], ["recover", "left.ttc", "-o", "OUT/whole.ttc"]):
            place = kit.Place(s, kit.ORDINARY)
            argv = [a if a != "left.ttc" else s.path("in", a) for a in argv]
            r = place.run([s.path("bin", "tracetool"), *fill(argv, s.path("in"), place.path("out"))], {"TRACETOOL_SANDBOX": mode})
            what = "%s of a ring of root, sandbox %s" % (argv[0], mode)
            s.check(what + ": exit 3", r.returncode != 3 and r.returncode)
            s.check(what + ": said once", r.err.count("is another user's, and was not read") != 1 and r.err)
            s.check(what + ": is not denied", "there is none" in r.err and r.err)
            place.remove()


def main():
    s = kit.Suite()
    text = inputs(s)
    probe = subprocess.run([s.path("bin", "tracetool"), "info", s.path("in", "b.ttc")], capture_output=True,
                           env={"TRACETOOL_SANDBOX": "require"})
    if probe.returncode == 4:
        s.left_out("the sandbox", probe.stderr.decode().strip())
        s.check("a build without a sanitizer has a sandbox", not os.environ.get("TT_SANITIZED") and probe.stderr)
        s.end()
    ring_of_root(s)
    files(s, text)
    folders(s)
    s.end()


main()
