#!/usr/bin/env python3
"""Folded stacks as flamegraph.pl and inferno read them: one count a line, each name a frame of its own, whatever names hold.

    folded.py TRACETOOL

Perl itself matches the pattern by which flamegraph.pl finds counts; inferno's rules (flamegraph/merge.rs) are written out here. Each name has a
time that no other has, so that a line's count says whose it is.
"""
import os
import struct
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "unity"), os.path.join(HERE, "..", "kit")]
import raw_log
from count import same
from raw_log import MS, sample
from suite import Suite

TRACETOOL = os.path.abspath(sys.argv[1])
suite = Suite()
COUNT = r"^(.*)\s+?(\d+(?:\.\d*)?)$"          # flamegraph.pl: the samples of a line, and once more those of a differential
PERL = r'chomp; my ($s, $n) = /%s/; print defined $s ? "$n\t" . ($s =~ /%s/ ? "differential" : $s) : "ignored", "\n"' % (COUNT, COUNT)
NUMBERS = ["3", "12.5", "7.", "0", "00", "\u0663", "\uff13", "\u0967\u0968", "1 2", "5 .5", "+3", "18446744073709551616"]
SPACES = [" ", "  ", "\t", "\u00a0", "\u3000", "\u2003", "\n", "\r", "\x85", "\u2028", "\u2029", "\x1f"]
NAMES = (["Load" + s + n for s in SPACES for n in NUMBERS] + [s + "lead" for s in SPACES] + ["trail" + s for s in SPACES] + SPACES + NUMBERS +
         ["Load_3", "Load 3;", ";", ";;", "a;b", "a:b", "a:b #2", "a;b 7", "nl\nx", "nl x", "\n", "", "(unnamed)", "#", "# 5", "-1", "+1", "1e5", "x .5",
          "x 1,000", "x 0x10", "Größe 東京", "x\u0300 1"])


def whole(names):
    """Each name once, without those that a text cannot hold."""
    return list(dict.fromkeys(n for n in names if "\0" not in n))


def inferno(line):
    """(count, stack) of a line; a stack of None: a differential, or ignored."""
    def number(text):
        at = text.rfind(" ") + 1
        if at == 0:
            return None
        whole_part, dot, rest = text[at:].partition(".")
        # Without a point it is read as Rust reads integers, which may have a sign.
        whole_part = whole_part if dot else whole_part.removeprefix("+")
        digits = all(c in "0123456789" for c in whole_part + rest)
        return (int(whole_part), text[:at].rstrip()) if digits and whole_part and int(whole_part) < 2 ** 64 else None
    first = number(line.strip())
    return (first[0], None if number(first[1]) else first[1]) if first else (0, None)


def zone(marker, begin, end):
    """A zone; times in ns."""
    return b"".join(struct.pack("<HBIQ", kind, 0, marker, ns) for kind, ns in ((36, begin), (37, end)))


def capture(path, markers, threads):
    """Frames in which each marker has a zone, the i-th of 1,000 + i ns, in all ten frames; so has each thread, the root of whose is called like it."""
    log = raw_log.Log(1000, ["Main Thread", "Work", *markers])
    for t, n in enumerate(threads):
        log.block(raw_log.SESSION, raw_log.thread(200 + t, 0, n))
    for k in range(10):
        at = 1000 + 10 * k
        inside = b"".join(zone(2 + i, (at + 1) * MS + 2000 * i, (at + 1) * MS + 2000 * i + 1000 + i) for i in range(len(markers)))
        log.frame(at, sample(36, 0, at) + inside + sample(37, 0, at + 9))
        for t in range(len(threads)):
            log.block(200 + t, struct.pack("<HIQ", 34, k, at * MS) + zone(1, (at + 1) * MS, (at + 1) * MS + 5000 + t))
    log.block(raw_log.SESSION, raw_log.state(0, 1100))
    return log.write(path)


def lines_of(*args):
    p = subprocess.run([TRACETOOL, "convert", "-q", "-f", "folded", "-o", "-", *args], capture_output=True)
    same("convert %s" % " ".join(args), (p.returncode, p.stderr), (0, b""))
    return p.stdout


def perl(text):
    out = subprocess.run(["perl", "-CSD", "-ne", PERL], input=text, capture_output=True, check=True).stdout.decode("utf-8")
    return [tuple(r.split("\t", 1)[::-1]) for r in out.split("\n")[:-1]]


def check(what, text, counts, depth):
    """Lines have these counts, of stacks of so many frames, and no two the same."""
    read = text.decode("utf-8").split("\n")[:-1]
    readers = {"flamegraph.pl": [(s[0], s[1]) if len(s) == 2 else (s[0], 0) for s in perl(text)],
               "inferno": [(s, str(n)) for n, s in map(inferno, read)]}
    for reader, got in readers.items():
        ours = [(s, n) for s, n in got if n in counts]
        same("%s: %s: one line for each name" % (what, reader), sorted(n for _, n in ours), sorted(counts))
        same("%s: %s: no differential, nothing ignored" % (what, reader), [s for s, _ in got if s in (None, "differential", "ignored")], [])
        same("%s: %s: frames" % (what, reader), {len(s.split(";")) for s, _ in ours if s}, {depth})
        same("%s: %s: each name its own" % (what, reader), len({s for s, _ in ours}), len(counts))
        same("%s: %s: nothing was cut" % (what, reader), [s for (s, n), line in zip(got, read) if s and s + " " + n != line], [])


names = whole(NAMES)
path = capture(suite.path("names.raw"), names, [])
leaves = {str(10 * (1000 + i)) for i in range(len(names))}
check("names", lines_of(path), leaves, 2)
# What each becomes that need not change.
kept = ["a:b", "Größe 東京", "x 1,000", "-1", "x .5", "5 .5", "#", "3", "Load_3", "nl x"]
text = lines_of(path).decode("utf-8")
same("names that need not change", [n for n in kept if "Main Thread;%s " % n not in text], [])

threads = whole(n for n in NAMES if n.strip() == n and n)
path = capture(suite.path("a;b 5\n.raw"), [], threads)
check("threads", lines_of(path), {str(10 * (5000 + i)) for i in range(len(threads))}, 2)
other = capture(suite.path(" 7"), [], threads[:1])
text = lines_of(path, other)
same("of two captures", {len(line.rpartition(" ")[0].split(";")) for line in text.decode().split("\n")[:-1]} - {2, 3}, set())
suite.end()
