#!/usr/bin/env python3
"""3.5 kB of input cost a second at most, however they are packed.

Each kind of bytes is repeated until it fills 3.5 kB of gzip, xz or zstd (at most 40 MB), and goes through every verb that takes it: captures of
every format, and the texts that people write. Most take a tenth of a second of processor; what takes MOST seconds, which a slow machine is
allowed, grows faster than its input. In check a part by lot.
"""
import gzip
import lzma
import os
import resource
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
PACK = {".gz": lambda b: gzip.compress(b, 9), ".xz": lambda b: lzma.compress(b, preset=6),
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
    """Processor time; MOST where it was ended for more."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    p = subprocess.run([kit.TRACETOOL, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return MOST if p.returncode < 0 else after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, p.returncode


if __name__ == "__main__":
    suite = kit.Suite()
    small, out = suite.path("small.ttc"), suite.path("out")
    with open(small, "wb") as f:
        f.write(capture())
    with open(out + "budget.json", "w") as f:
        f.write('{ "tracetool_budget": 1, "rows": [ { "id": "a", "metric": "frame.time", "max": "+5%" } ] }')
    slowest = (0, "")
    for name, unit, before, after in [*captures(), *texts()]:
        kinds = lot.some(PACK, 1, "packed", name)
        for suffix in kinds:
            path, packed = suite.path(name + suffix), filled(unit, before, after, suffix)
            if packed is None:
                suite.check("%s is packed" % name, "one of it is more than %d bytes" % PACKED)
                continue
            with open(path, "wb") as f:
                f.write(packed)
            verbs = list(of_captures(path, out) if name.split(".")[1] in ("raw", "ttc", "data", "mlpd", "bin") else of_texts(path, out, small))
            for verb, args in lot.some(verbs, 4, "verbs", name):
                took, rc = seconds(args)
                slowest = max(slowest, (took, "%s%s, %s" % (name, suffix, verb)))
                suite.check("%s%s, %s" % (name, suffix, verb), None if took < MOST and rc >= 0 else "%.1f s of processor, status %d" % (took, rc))
    print("slowest: %.2f s, %s" % slowest)
    suite.end()
