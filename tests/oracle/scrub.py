"""Copies without names: what reads like the original, and what words of it are in them.

    scrub.py TRACETOOL
"""
import csv
import glob
import io
import os
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests/unity", "tests/kit"]
import data_gen
import raw_gen
from count import check, end, same

TRACETOOL = os.path.realpath(sys.argv[1])
# Words that only a game has, in the captures that the generators write and in testdata.
GAME = ("Enemy Method0 Method1 Method2 Method3 Assets Camera Preload Shadows PrepareJob BehaviourUpdate AllTypes Worker level0 canvas quoted Filename "
        "string Transform Temperature JobScheduler Generated Dispatcher ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 "
        "Game.dll Game:: Mixer \u00dcml\u00e4ut \u65e5\u672c four.").split()
met = set()


def words(data):
    """Words of a game that are in a capture, as UTF-8 or UTF-16."""
    return {w for w in GAME if w.encode() in data or w.encode("utf-16-le") in data}


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, check=False)


def events(path):
    """Events without their names, and which names are on them."""
    r = run("convert", "-q", "--force", path, "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(r.stdout.decode())))
    bare = [{k: v for k, v in row.items() if k not in ("name", "category", "args", "detail")} for row in rows if row["kind"] != "fact"]
    return r.returncode, bare, [(row["kind"], row["name"]) for row in rows if row["kind"] != "fact"]


def one_to_one(pairs):
    to, back = {}, {}
    return all(to.setdefault(a, b) == b and back.setdefault(b, a) == a for a, b in pairs)


def copy(folder, path, what, whole):
    out = os.path.join(folder, "copy" + os.path.splitext(path)[1])
    r = run("info", "--force", "--scrub", "-o", out, path)
    if not check(os.path.exists(out), what + ": is copied", r.stderr):
        return
    damaged = not whole or any(s in what for s in (" gap ", " lost ", " badtree "))
    same(what + ": exit status of the copy", r.returncode, 3 if damaged else 0)
    if " badtree " in what:
        check(b"the capture is damaged, first at byte " in r.stderr, what + ": the place", r.stderr)
    with open(path, "rb") as f:
        old = f.read()
    with open(out, "rb") as f:
        new = f.read()
    # A message that a log ends in is left out.
    less = b"%d bytes of the capture, a message that it ends in, are left out" % (len(old) - len(new))
    check(len(new) == len(old) or ("raw truncated " in what and len(old) - 600 < len(new) < len(old) and less in r.stderr), what + ": size",
          len(new), len(old), r.stderr)
    met.update(words(old))
    same(what + ": words that are left", words(new), set())
    zeros = b"zeros are in place" in r.stderr
    check(zeros == (not whole and " truncated " not in what) or "data truncated" in what, what + ": what is zeros is told", r.stderr)
    a, b = events(path), events(out)
    same(what + ": exit status", b[0], a[0])
    same(what + ": events", b[1] == a[1], True)
    check(one_to_one(set(zip(a[2], b[2]))), what + ": each name is another one")
    check(not whole or not a[2] or len({n for _, n in a[2]} & {n for _, n in b[2]}) < len({n for _, n in a[2]}), what + ": names differ")
    os.remove(out)


def first_record(folder):
    """Captures whose first record is damaged: the copy is recognised, and holds what is left."""
    for word in ("0x20160622", "0x20191122", "0x20220328"):
        path, out = os.path.join(folder, "first.data"), os.path.join(folder, "first.copy.data")
        subprocess.run([sys.executable, "tests/unity/data_gen.py", path, "--version", word, "--frames", "12"], check=True, stdout=subprocess.DEVNULL)
        with open(path, "rb") as f:
            old = f.read()
        size, head = {"0x20160622": (8, 16), "0x20191122": (4, 12), "0x20220328": (4, 28)}[word]
        mark = head + struct.unpack_from("<I", old, size)[0] - 4
        for what, at, new in (("size", size, 9999), ("size that is none", size, 3), ("end mark", mark, 0)):
            with open(path, "wb") as f:
                f.write(old[:at] + struct.pack("<I", new) + old[at + 4:])
            r = run("info", "--scrub", "-o", out, path)
            a, b = events(path), events(out)
            check(r.returncode == 3 and a[0] == b[0] == 3 and len(a[1]) > 100 and a[1] == b[1], "first record's %s, %s" % (what, word), r.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for form, gen in (("raw", raw_gen), ("data", data_gen)):
            for scenario in gen.SCENARIOS:
                for word in ("0x20191122", "0x20220328") if form == "raw" else ("0x20160622", "0x20191122", "0x20210412", "0x20220328"):
                    path = os.path.join(folder, "x." + form)
                    options = ["--scenario", scenario, "--version", word, "--frames", "12"]
                    options += ["--aligned", "1"] if word == "0x20220328" and form == "raw" else []
                    subprocess.run([sys.executable, "tests/unity/%s_gen.py" % form, path, *options], check=True, stdout=subprocess.DEVNULL)
                    whole = scenario in ("clean split splitany late types every noframes unmatched gap appended odd badtree headeronly noend lost "
                                         "empty").split()
                    copy(folder, path, "%s %s %s" % (form, scenario, word), whole)
        for path in sorted(glob.glob("testdata/raw/good-*") + glob.glob("testdata/data/good-*")):
            copy(folder, path, path, True)
        r = run("info", "--scrub", "-o", os.path.join(folder, "y"), "testdata/mlpd/good-d05-monitors.mlpd")
        made = os.path.exists(os.path.join(folder, "y"))
        check(r.returncode == 2 and b".raw and .data alone" in r.stderr and not made, "other formats are refused", r.stderr)
        raw = "testdata/raw/good-2019-every.raw"
        first, second = os.path.join(folder, "1.raw"), os.path.join(folder, "2.raw")
        run("info", "--scrub", "-o", first, raw)
        run("info", "--scrub", "-o", second, raw)
        with open(first, "rb") as x, open(second, "rb") as y:
            check(x.read() != y.read(), "a second copy has other hashes")
        first_record(folder)
        for option in ("--format=json", "--meta=a=b", "--width=80", "--csv-safe", "--align=start", "--frame-marker=x", "--input-format=raw"):
            r = run("info", "--scrub", option, "-o", os.path.join(folder, "z"), raw)
            made = os.path.exists(os.path.join(folder, "z"))
            check(r.returncode == 2 and option.split("=")[0].encode() in r.stderr and not made, option + ": is refused", r.stderr)
        r = run("info", "--scrub", path)
        check(r.returncode == 2 and b"with -o" in r.stderr, "a copy needs a name", r.stderr)
    check(len(met) > 20, "the captures had such words", sorted(met))
    end()


main()
