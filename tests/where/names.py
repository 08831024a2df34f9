#!/usr/bin/env python3
"""
Names on standard input, of files that are there, are not, or may not be read: every one is a capture or costs a line.
Ends with "N passed, N failed".
"""
import json
import os
import subprocess

import kit
import words

ODD = ["plain.mlpd", "with blank.mlpd", " begins", "ends ", "two\nlines.mlpd", "\n", "tab\t", "-dash", "*", "[a]", "back\\slash",
       "\u00fc\u4e2d.mlpd", b"\xff\xfe".decode("utf-8", "surrogateescape"), "quote\"'", "!bang!x"]


def put(place, path, data):
    place.file(os.path.join("work", path), data)


def batch(place, *args, text=b""):
    """Run; the results in .lines, without the record of the run."""
    r = place.run([place.suite.path("bin", "tracetool"), "batch", "-o", "../out/o", *args], text=text)
    path = place.path("out", "o", "results.jsonl")
    r.lines = [json.loads(line) for line in open(path, "rb").read().splitlines()][1:] if os.path.exists(path) else []
    subprocess.run(["rm", "-rf", place.path("out", "o")], check=True)
    return r


def outcomes(r):
    """{outcome: number of captures}"""
    found = {}
    for line in r.lines:
        if line["type"] == "capture":
            found[line["outcome"]] = found.get(line["outcome"], 0) + 1
    return found


def ends(s, what, r, status, **want):
    s.check(what + ": ends with %d" % status, r.returncode != status and (r.returncode, r.err))
    s.check(what + ": outcomes", outcomes(r) != want and (outcomes(r), want, r.err))


def names(s, place, data):
    for i, name in enumerate(ODD):
        put(place, os.path.join("n", "d%d" % (i % 3), os.fsencode(name).decode("utf-8", "surrogateescape")), data)
    found = subprocess.run(["find", "n", "-type", "f", "-print0"], cwd=place.path("work"), capture_output=True, check=True).stdout
    ends(s, "find -type f -print0", batch(place, "-", text=found), 0, ok=len(ODD))
    found = subprocess.run(["find", "n", "-print0"], cwd=place.path("work"), capture_output=True, check=True).stdout
    ends(s, "find -print0: folders and what is in them, once", batch(place, "-", text=found), 0, ok=len(ODD))
    one = b"n/d0/plain.mlpd"
    for end in (b"\0", b"\n"):
        for text in (one, one + end, end + one + end + end + one + end):
            ends(s, "%r" % text, batch(place, "-", text=text), 0, ok=1)
    r = batch(place, "-", text=one + b"\n" * 5000 + one + b"\0")
    s.check("NUL far behind lines is a mistake", (r.returncode != 2 or "NUL" not in r.err) and (r.returncode, r.err))
    for end in (b"\0", b"\n"):
        many = end.join([one] + [b"n/d0/gone-%d" % i for i in range(2000)] + [b"n/d1/with blank.mlpd"])
        r = batch(place, "-", text=many)
        ends(s, "2,000 of 2,002 names are gone, %r" % end, r, 3, ok=2, failed=2000)
        s.check("a line each, but no flood", not 10 <= r.err.count("\n") <= 14 and r.err)
        s.check("why", {(x["why"], x["detail"]) for x in r.lines if x["outcome"] == "failed"} !=
                {("io", words.say("no_such_file"))} and r.lines[0])
    r = batch(place, "-", "--root", ".", text=one + b"\nn/gone\n")
    ends(s, "below a root", r, 3, ok=1, failed=1)
    s.check("keys below a root", {x["key"] for x in r.lines} != {"n/d0/plain.mlpd", "n/gone"} and r.lines)
    r = batch(place, "-", text=b"gone\0away\0")
    s.check("no name leads anywhere: an error", (r.returncode != 4 or "standard input" not in r.err) and (r.returncode, r.err))
    r = batch(place, "n/gone")
    s.check("a name that is typed must lead somewhere", (r.returncode != 4 or "n/gone" not in r.err) and (r.returncode, r.err))
    os.mkfifo(place.path("work", "n", "fifo"))
    os.symlink("nowhere", place.path("work", "n", "link"))
    r = batch(place, "-", text=one + b"\nn/fifo\nn/link\n")
    ends(s, "a FIFO is passed over, a link to nothing fails", r, 3, ok=1, failed=1)
    ends(s, "a glob of these", batch(place, "n/*"), 3, ok=len(ODD), failed=1)


def unreadable(s, place, data):
    """What an ordinary user may not read."""
    for path in ("m/a.mlpd", "m/hidden/b.mlpd", "m/locked/c.mlpd", "m/shut/d.mlpd"):
        put(place, path, data)
    os.chmod(place.path("work", "m", "hidden", "b.mlpd"), 0o000)
    os.chmod(place.path("work", "m", "locked"), 0o000)
    os.chmod(place.path("work", "m", "shut"), 0o444)
    r = batch(place, "m")
    ends(s, "a file, a folder without a list, and one that may not be entered", r, 3, ok=1, failed=3)
    s.check("each has a line", sorted(x["key"] for x in r.lines if x["outcome"] == "failed") !=
            ["hidden/b.mlpd", "locked", "shut/d.mlpd"] and r.lines)
    s.check("that says why", {x["detail"] for x in r.lines if x["outcome"] == "failed"} != {"Permission denied"} and r.lines)
    r = batch(place, "-", text=b"m/a.mlpd\nm/locked/c.mlpd\nm/hidden/b.mlpd\n")
    ends(s, "the same by name", r, 3, ok=1, failed=2)
    for path in ("locked", "shut"):
        os.chmod(place.path("work", "m", path), 0o755)


def main():
    s = kit.Suite()
    folder = os.path.join(kit.DATA, "mlpd")
    small = min((os.path.join(folder, f) for f in os.listdir(folder) if f.startswith("good-") and f.endswith(".mlpd")),
                key=os.path.getsize)
    data = open(small, "rb").read()
    for who, uid in s.users:
        place = kit.Place(s, uid)
        names(s, place, data)
        if uid != 0:
            unreadable(s, place, data)
        s.check(who + ": nothing is left in TMPDIR and HOME", os.listdir(place.path("tmp")) + os.listdir(place.path("home")))
        place.remove()
    s.end()


main()
