#!/usr/bin/env python3
"""Every bad file of testdata: its exit status, what the user is told, and that the rest was read.

One line of the table for each file in testdata/NAME, of each reader NAME, that is not good-*; one without a line fails.
"""
import json
import os
import subprocess

import kit

# reader: {name: (status, parts of the one or more lines on standard error, events that are read or None)}
EXPECTED = {
    "mlpd": {
        "bad-buffer-magic": (3, ["bytes skipped to find the next chunk", "212 B", "byte 366"], 3000),
        "bad-cut-at-buffer-end": (0, [], 1),
        "bad-cut-in-buffer": (3, ["ends inside a chunk", "byte 60000"], 2000),
        "bad-cut-in-buffer-header": (3, ["ends inside a chunk", "20 B", "byte 157"], 0),
        "bad-cut-in-header": (3, ["header"], None),
        "bad-empty": (3, ["empty"], None),
        "bad-ff-run-in-buffer": (3, ["not fully decoded", "byte 39991"], 804),
        "bad-garbage-tail": (3, ["bytes after the end", "12 B", "byte 88563"], 4000),
        "bad-gzip-bad-crc": (3, ["compressed stream cut or damaged"], 4000),
        "bad-gzip-cut": (3, ["compressed stream cut or damaged", "byte 12618"], 789),
        "bad-header-only": (0, [], 0),
        "bad-huge-length": (3, ["byte 157"], 4000),
        "bad-lfs-pointer": (3, ["Git LFS pointer", "git lfs pull"], None),
        "bad-negative-length": (3, ["byte 157"], 4000),
        "bad-one-byte-short": (3, ["ends inside a chunk", "1 B"], 4000),
        "bad-zero-tail": (3, ["bytes after the end", "100 B", "byte 88563"], 4000),
        "unsupported-future-version": (3, ["99", "17"], None),
    },
    # Nothing says that a log of Unity ended but its last message.
    "raw": {
        "bad-cut": (3, ["ends inside a block", "byte"], 200),
        "bad-cut-in-header": (3, ["30 bytes", "header"], None),
        "bad-empty": (3, ["empty"], None),
        "bad-footer": (3, ["bytes skipped to find the next block", "missing"], 200),
        "bad-gap": (3, ["blocks or frames missing"], 200),
        "bad-garbage": (3, ["bytes skipped to find the next block", "1,000 B"], 200),
        "bad-lfs-pointer": (3, ["Git LFS pointer", "git lfs pull"], None),
        "bad-unknown-message": (3, ["not fully decoded"], 200),
        "newer-version": (0, ["0x20270201", "6000.5", "which fits"], 200),
        "unsupported-big-endian": (3, ["big-endian"], None),
    },
    # The same of what its Editor saves.
    "data": {
        "bad-cut": (3, ["ends inside a frame", "byte 21524"], 350),
        "bad-cut-in-header": (3, ["ends inside a frame", "10 B"], 0),
        "bad-empty": (3, ["empty"], None),
        "bad-garbage": (3, ["bytes skipped to find the next frame", "1,000 B"], 410),
        "bad-lfs-pointer": (3, ["Git LFS pointer", "git lfs pull"], None),
        "bad-mark": (3, ["not fully decoded", "2,920 B"], 350),
        "bad-no-frames": (0, ["has no event"], 0),
        "bad-size": (3, ["bytes skipped to find the next frame", "2,936 B"], 350),
        "bad-tree": (3, ["not fully decoded"], 400),
        "unsupported-big-endian": (3, ["big-endian", "5.5"], None),
        "unsupported-future-version": (3, ["no known layout fits", "0x20270201", "6000.3.9f1"], None),
    },
}


def problem_of(path, expected):
    status, parts, events = expected
    r = subprocess.run([kit.TRACETOOL, "info", "--format", "json", path], capture_output=True, timeout=60)
    err = r.stderr.decode("utf-8", "replace")
    if r.returncode != status:
        return "exit status %d, not %d" % (r.returncode, status)
    for part in parts:
        if part not in err:
            return "standard error has no %r: %r" % (part, err)
    for line in err.splitlines():
        if not line.startswith("tracetool: ") or os.path.basename(path) not in line:
            return "a line that names neither program nor file: %r" % line
    if events is None:
        if r.stdout:
            return "refused, and printed something: %r" % r.stdout[:80]
        if err.count("\n") != 1:
            return "refused in more or less than one line: %r" % err
        return None
    have = json.loads(r.stdout)["tables"]["capture"]["rows"][0]["events"]
    if have < events:
        return "%d events read, %d are whole at least" % (have, events)
    return None


def kept_output(s, path, status):
    """What can be read is written, in every format; what is refused writes nothing."""
    for suffix in ("json", "csv", "pb.gz", "folded"):
        out = s.path("out." + suffix)
        r = subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", out], capture_output=True, timeout=60)
        there = os.path.exists(out)
        if r.returncode != status[0]:
            return "convert to %s: exit status %d, not %d" % (suffix, r.returncode, status[0])
        if there != (status[2] is not None):
            return "convert to %s: output %s" % (suffix, "is there" if there else "is missing")
        if there:
            os.unlink(out)
    return None


def begun(s, data):
    """The first bytes of a gzip file, cut or with one byte wrong: what is said of it has "gzip" or the coding's own line in it."""
    path = s.path("begun.mlpd")
    with open(path, "wb") as f:
        f.write(data)
    r = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, timeout=60)
    err = r.stderr.decode("utf-8", "replace")
    if r.returncode != 3:
        return "exit status %d, not 3: %r" % (r.returncode, err)
    if err.count("\n") == 1 and "gzip" not in err:
        return "gzip is not named: %r" % err
    if "gzip" not in err and "compressed stream cut or damaged" not in err:
        return "nothing of the compression is said: %r" % err
    return None


def gzip_begins(s):
    """Damage close to the start of a gzip file, where the capture's header is: that is the damage that is told."""
    with open(os.path.join(kit.DATA, "good-d04-exceptions-gzip.mlpd"), "rb") as f:
        whole = f.read()
    for n in range(12, 300):
        s.check("gzip cut at %d" % n, begun(s, whole[:n]))
    # Byte 2 is the method, 3 the flags; 4 to 9 are the time, the level and the system, of which nothing depends. A wrong bit in what
    # follows may decode, to text that no capture begins with.
    for n in [2, *range(10, 130)]:
        for wrong in [1 << bit for bit in range(8)] if n in (2, 10) or n > 110 else [0x5a]:
            s.check("gzip byte %d wrong by %#x" % (n, wrong), begun(s, whole[:n] + bytes([whole[n] ^ wrong]) + whole[n + 1:]))
    for n in range(130, 250, 2):
        s.check("gzip byte %d wrong" % n, begun(s, whole[:n] + bytes([whole[n] ^ 0x5a]) + whole[n + 1:]))


def main():
    s = kit.Suite()
    gzip_begins(s)
    for reader in kit.listed("formats"):
        folder, suffix, expected = os.path.join(kit.TOP, "testdata", reader["name"]), reader["suffix"], EXPECTED.get(reader["name"], {})
        names = sorted(n[:-len(suffix)] for n in os.listdir(folder) if n.endswith(suffix) and not n.startswith("good-"))
        for name in names:
            path = os.path.join(folder, name + suffix)
            if s.check(name, None if name in expected else "no expectation for it in bad_files.py"):
                s.check(name, problem_of(path, expected[name]))
                s.check(name, kept_output(s, path, expected[name]))
        for name in expected:
            s.check(name, None if name in names else "expected, but not in testdata")
    s.end()


if __name__ == "__main__":
    main()
