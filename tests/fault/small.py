#!/usr/bin/env python3
"""3.5 kB of input cost a second at most, however they are packed.

Each kind of bytes is repeated until it fills 3.5 kB of gzip, xz or zstd (at most 40 MB), and goes through every verb that takes it: captures of
every format, and the texts that people write. Most take a tenth of a second of processor; what takes MOST seconds, which a slow machine is
allowed, grows faster than its input. In check a part by lot; all of it (TT_SET=all) takes two cores about ten minutes.
"""
import concurrent.futures
import gzip
import lzma
import os
import struct
import subprocess
import sys

for folder in ("unity", "kit"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
import kit
import lot
import raw_log
import ttc

MOST, PACKED, WHOLE = 8, 3500, 40 << 20
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata")
PACK = {".gz": lambda b: gzip.compress(b, 9), ".xz": lambda b: lzma.compress(b, preset=1),
        ".zst": lambda b: subprocess.run(["zstd", "-q", "-19", "-c"], input=b, capture_output=True, check=True).stdout}


def block(body):
    return struct.pack("<IIQI", 0xB10C7EAD, 0, raw_log.MAIN, len(body)) + body + struct.pack("<II", 1, 0xB10CF007)


def capture():
    c = ttc.Capture()
    c.thread().zone(100, 200, c.marker("m"))
    return c.bytes()


def read(*path):
    with open(os.path.join(DATA, *path), "rb") as f:
        return f.read()


def captures():
    """(name, what is repeated, what is before it, and after it)"""
    log, own = bytes(raw_log.Log(100).b), capture()
    mlpd = read("mlpd", "good-d01-gameloop-calls-alloc.mlpd")
    yield "headers.raw", log[:36], b"", log
    yield "logs.raw", log, b"", b""
    yield "blocks.raw", block(b""), log, b""
    yield "zones.raw", block(raw_log.zone(1, 101, 102)), log, b""
    yield "states.raw", block(raw_log.state(0, 101) + raw_log.state(1, 102)), log, b""
    yield "threads.raw", block(raw_log.thread(5, 101, "t")), log, b""
    yield "zeros.raw", bytes(64), log, b""
    yield "ends.ttc", own[-100:], own, b""
    yield "zeros.ttc", bytes(64), own, b""
    yield "captures.ttc", own, b"", b""
    yield "old.data", read("data", "good-2018.data"), b"", b""
    yield "new.data", read("data", "good-6000.5.data"), b"", b""
    yield "events.mlpd", mlpd[2000:2200], mlpd[:2000], b""
    yield "zeros.mlpd", bytes(64), mlpd[:2000], b""
    yield "ones.bin", b"\xff" * 64, b"", b""


def texts():
    rows = b'{ "id": "r", "metric": "frame.time", "max": "1s" },\n'
    one = b'{ "session": "s", "captures": [ { "name": "n", "values": {} } ] },\n'
    yield "rows.json", rows, b'{ "tracetool_budget": 1, "rows": [', b"] }"
    yield "sessions.json", one, b'{ "tracetool_baseline": 1, "sessions": [', b"] }"
    yield "deep.json", b"[", b'{ "tracetool_baseline": 1, "sessions": ', b""
    yield "quotes.json", b'""', b'{ "tracetool_baseline": 1, "sessions": [', b""
    yield "names.txt", b"a\tb\n", b"", b""
    yield "long.txt", b"aaaaaaaa", b"a\t", b""
    yield "lines.jsonl", b'{"key":"a"}\n', b"", b""
    yield "suites.xml", b'<testcase name="a" time="1"/>', b'<testsuite name="s">', b"</testsuite>"
    yield "open.xml", b"<a>", b"<testsuite>", b""


def filled(unit, before, after, suffix):
    """As much of it as PACKED bytes hold."""
    n, best = 1, None
    while len(before) + len(unit) * n + len(after) <= WHOLE:
        packed = PACK[suffix](before + unit * n + after)
        if len(packed) > PACKED:
            break
        best, n = packed, 2 * n
    return best


def of_captures(path, out):
    yield "info", ["info", path]
    yield "summary", [path]
    yield "stats", ["stats", path, "--format", "json"]
    yield "report", ["report", path, "-o", out + ".html"]
    yield "diff", ["diff", path, "--", path]
    yield "suggest", ["stats", "--suggest", path]
    for suffix in [e["suffix"].split()[0] for e in kit.listed("emitters") if e["suffix"] and e["name"] not in kit.NEEDS_COVERAGE]:
        yield "convert to " + suffix, ["convert", "--force", path, "-o", out + suffix]
    if ".ttc" in path:
        yield "recover", ["recover", path, "-o", out + ".ttc"]


def of_texts(path, out, small):
    yield "budget", ["stats", "--gate", path, small]
    yield "baseline", ["stats", "--gate", out + "budget.json", "--baseline", path, small]
    yield "list", ["baseline", "list", path]
    yield "history", ["history", path]
    yield "rename", ["diff", "--rename", path, small, "--", small]
    yield "merge", ["merge", path, "-o", out + ".all"]
    yield "results of tests", ["stats", "--gate", out + "budget.json", path]
    yield "as a capture", ["info", path]


def seconds(args):
    """Processor time, of which it gets no more than MOST, and how it ended."""
    limited = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(MOST), kit.TRACETOOL]
    p = subprocess.Popen(limited + args, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, p.returncode


def one(suite, small, name, suffix, parts):
    """Let every verb, or a part by lot, take what fills PACKED bytes; (time, what) of the slowest."""
    path, out, packed = suite.path(name + suffix), suite.path("out-" + name + suffix), filled(*parts, suffix)
    if packed is None:
        suite.check("%s is packed" % name, "one of it is more than %d bytes" % PACKED)
        return 0, ""
    with open(path, "wb") as f:
        f.write(packed)
    with open(out + "budget.json", "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "frame.time", "max": "+5%" } ] }')
    verbs = list(of_captures(path, out) if name.split(".")[1] in ("raw", "ttc", "data", "mlpd", "bin") else of_texts(path, out, small))
    slowest = 0, ""
    for verb, args in lot.some(verbs, 2, "verbs", name):
        took, rc = seconds(args)
        what = "%s%s, %s" % (name, suffix, verb)
        slowest = max(slowest, (took, what))
        suite.check(what, None if took < MOST and rc >= 0 else "%.1f s of processor, status %d" % (took, rc))
    return slowest


def nested(suite, n=12000):
    """A profile writes out each stack: of ${n} zones in each other on two threads it keeps what lies innermost, as much as 36 MB hold, and says so."""
    c = ttc.Capture()
    keys = [c.marker("m%d" % i) for i in range(100)]
    for t in (c.thread(), c.thread()):
        for i in range(n):
            t.begin(100 + i, keys[i % 100])
        for i in range(n):
            t.end(100 + n + i)
    path, out = suite.path("nested.ttc"), suite.path("nested.pb")
    with open(path, "wb") as f:
        f.write(c.bytes())
    took, rc = seconds(["convert", path, "-o", out])
    size = os.path.getsize(out) if rc == 0 else 0
    suite.check("nested.ttc, convert to .pb", None if 0 < size <= 36 << 20 and took < MOST else "%d bytes, %.1f s, status %d" % (size, took, rc))
    with open(out, "rb") as f:
        suite.check("nested.ttc: stacks are cut, and it is said", None if b"frames lost their outermost ones" in f.read() else "it is not said")


if __name__ == "__main__":
    suite = kit.Suite()
    nested(suite)
    small = suite.path("small.ttc")
    with open(small, "wb") as f:
        f.write(capture())
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(one, suite, small, name, suffix, parts) for name, *parts in [*captures(), *texts()] for suffix in lot.some(PACK, 1, "packed", name)]
        print("slowest: %.2f s, %s" % max(j.result() for j in jobs))
    suite.end()
