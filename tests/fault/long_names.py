#!/usr/bin/env python3
"""Memory and outputs do not grow with the length of a name times the events that have it.

One name of 40 kB on thousands of events: of zones, categories, classes, counters, their sections, labels, instants and arguments, and on paths of 300
zones. Every emitter, a report, the tables and a comparison take less than 64 MB of memory for each, and outputs that repeat names have 1,000 bytes of them.
Names that are alike so far stay different, in each output by the same text. Ends with "N passed, N failed".
"""
import csv
import json
import os
import re
import resource
import struct
import subprocess
import sys

for folder in ("unity", "kit"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
import kit
import raw_log
import ttc

SANITIZED = os.environ.get("TT_SANITIZED")
EVENTS, BYTES, MEMORY = 8192, 40000, 64 << 20
MOST = 3000                     # bytes of an event in an output; twice of a begin and an end, and of folded stacks, which have the square of 300 levels
CUT = 1000                      # bytes of a name that are repeated
NAME = "x" * BYTES
KEY = 0x10000


def mono(name):
    c = ttc.Capture(producer="tracetool Mono module")
    c.record(76, ttc.varint(0) + ttc.varint(KEY) + b"\0" + ttc.varint(0) + ttc.text(name) + ttc.text(""))
    return c, c.thread()


def zones(c, key):
    t = c.thread()
    for i in range(EVENTS):
        if i % 8 == 0:
            t.frame(990 + i * 100)
        t.zone(1000 + i * 100, 1050 + i * 100, key)
    return c


def marker():
    c = ttc.Capture()
    return zones(c, c.marker(NAME))


def category():
    c = ttc.Capture()
    return zones(c, c.marker("m", c.category(NAME)))


def label():
    c = ttc.Capture()
    return zones(c, c.label_zone(c.marker("m"), NAME))


def instant():
    c = ttc.Capture()
    key, t = c.marker(NAME), c.thread()
    for i in range(EVENTS):
        t.instant(1000 + i * 100, key)
    return c


def counter(name=NAME, section="s"):
    c = ttc.Capture()
    key, t = c.counter(name, 0, section), c.thread()
    for i in range(EVENTS):
        t.counter(1000 + i * 100, key, ttc.F64, i / 3)
    return c


def section():
    return counter("k", NAME)


def allocated():
    c, t = mono(NAME)
    key = c.marker("A:Go ()")
    t.begin(1000, key)
    for i in range(EVENTS):
        t.alloc(1001 + i, KEY, 24)
    t.end(1002 + EVENTS)
    return c


def deep():
    """Paths of 300 zones of one name, each with an allocation."""
    c, t = mono("C")
    key = c.marker(NAME)
    for i in range(300):
        t.begin(1000 + i * 10, key)
        t.alloc(1001 + i * 10, KEY, 24)
    for i in range(300):
        t.end(9000 + i * 10)
    return c


def argument():
    c = raw_log.Log(100)
    c.block(raw_log.SESSION, raw_log.marker(2, "Spawn", ((8, NAME),)))
    for i in range(0, EVENTS, 64):
        c.block(c.main, b"".join(struct.pack("<HBIQBB", 44, 0, 2, 101 * raw_log.MS + k, 1, 8) + raw_log.text("t") for k in range(i, i + 64)))
    return c


KINDS = [marker, category, label, instant, counter, section, allocated, deep, argument]


def limited():
    if not SANITIZED:
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))


def commands(path, out):
    """(name, arguments, the most bytes of the output)."""
    for e in kit.listed("emitters"):
        if e["name"] not in kit.NEEDS_COVERAGE:
            most = (2 if e["name"] == "folded" else 1) * MOST * EVENTS
            yield e["name"], ["convert", "--force", "-f", e["name"], "--marker", "*", path, "-o", out], most
    yield "begins and ends", ["convert", "-f", "chrome", "--begin-end", path, "-o", out], 2 * MOST * EVENTS
    yield "report", ["report", path, "-o", out], MOST * EVENTS
    tables = sorted({row["table"] for row in kit.listed("metrics") if not row["table"].startswith("capture")})
    for form in ("json", "csv"):
        yield "tables as " + form, ["stats", "--limit", "0", "--format", form, "--table", ",".join(tables), path], None
    yield "comparison", ["diff", "--limit", "0", "--format", "json", "--table", "paths,alloc_sites,markers", path, "--", path], None


def check_memory(s):
    for make in KINDS:
        path = make().write(s.path("%s.%s" % (make.__name__, "raw" if make is argument else "ttc")))
        for what, args, most in commands(path, s.path("out")):
            r = subprocess.run([kit.TRACETOOL, args[0], "-q", "-j1", *args[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limited,
                               check=False)
            said = r.stderr.decode()
            n = os.path.getsize(s.path("out")) if os.path.exists(s.path("out")) else 0
            frameless = r.returncode == 2 and "has no whole frame" in said
            s.check("%s, %s" % (make.__name__, what), None if (r.returncode in (0, 5) or frameless) and (most is None or n <= most) else
                    "exit %d, %d bytes: %s" % (r.returncode, n, said[-300:]))
            for f in os.listdir(s.dir):
                if f.startswith("out"):
                    os.unlink(s.path(f))


WHOLE = "w" * CUT               # is not cut
ODD = "a" * (CUT - 1) + "\u00e9" + "b" * CUT       # its 1,000th byte is in a character


def capture_of(s, names):
    c = ttc.Capture()
    t = c.thread()
    for i, name in enumerate(names):
        t.zone(1000 + i * 100, 1050 + i * 100, c.marker(name))
    return c.write(s.path("names.ttc"))


def names_of(s, names, suffix, read):
    """The names of zones in an output of a capture of ${names}, and what the program says."""
    out = s.path("names" + suffix)
    r = subprocess.run([kit.TRACETOOL, "convert", capture_of(s, names), "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)
    with open(out, newline="", encoding="utf-8") as f:
        return read(f), r.stderr.decode()


def of_chrome(f):
    return {e["name"] for e in json.load(f)["traceEvents"] if e["ph"] == "X"}


def of_csv(f):
    csv.field_size_limit(1 << 20)
    return {r["name"] for r in csv.DictReader(f) if r["kind"] == "zone"}


def of_folded(f):
    return {line.rsplit(" ", 1)[0].split(";", 1)[1] for line in f}


def check_names(s):
    alike = ["x" * 2000 + str(i) for i in range(50)]
    names, seen = [*alike, WHOLE, ODD, "short"], []
    for suffix, read in ((".json", of_chrome), (".csv", of_csv), (".folded", of_folded)):
        got, said = names_of(s, names, suffix, read)
        cut = {n for n in got if "\u2026" in n}
        s.equal("different names in %s" % suffix, len(got), len(names))
        s.equal("whole names in %s" % suffix, got - cut, {WHOLE, "short"})
        s.check("cut names in %s" % suffix, None if all(re.fullmatch("(x{%d}|a{%d})\u2026#[0-9a-f]{16}" % (CUT, CUT - 1), n) for n in cut) else str(cut))
        s.equal("what is said of %s" % suffix, said.count("names of more than 1000 bytes are cut"), 1)
        some, _ = names_of(s, [*reversed(alike[20:30]), ODD], suffix, read)
        s.check("the same names in another capture, %s" % suffix, None if some < cut else "%s" % (some - cut))
        _, said = names_of(s, [WHOLE, "short"], suffix, read)
        s.equal("what is said of %s without a longer name" % suffix, said.count("are cut"), 0)
        seen.append(cut)
    s.check("the same names in all", None if seen[0] == seen[1] == seen[2] else "they differ")
    out = subprocess.run([kit.TRACETOOL, "stats", "--table", "markers", "--limit", "0", "--format", "json", capture_of(s, names)], capture_output=True,
                         check=True).stdout
    s.equal("names of tables", {r["marker"] for r in json.loads(out)["tables"]["markers"]["rows"]}, set(names))


def main():
    s = kit.Suite()
    if SANITIZED:
        s.left_out("RLIMIT_DATA", "sanitizers reserve terabytes")
    check_memory(s)
    check_names(s)
    s.end()


main()
