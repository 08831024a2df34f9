"""Copies without names: what reads like the original, and what words of it are in them.

    scrub.py TRACETOOL
"""
import csv
import glob
import io
import os
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
    if not check(r.returncode == 0 and os.path.exists(out), what + ": is copied", r.stderr):
        return
    with open(path, "rb") as f:
        old = f.read()
    with open(out, "rb") as f:
        new = f.read()
    # A message that the file ends in is left out.
    check(len(new) == len(old) or (" truncated " in what and len(old) - 600 < len(new) < len(old)), what + ": size", len(new), len(old))
    met.update(words(old))
    same(what + ": words that are left", words(new), set())
    check(whole != (b"zeros are in place" in r.stderr), what + ": what is zeros is told", r.stderr)
    a, b = events(path), events(out)
    same(what + ": exit status", b[0], a[0])
    same(what + ": events", b[1] == a[1], True)
    check(one_to_one(set(zip(a[2], b[2]))), what + ": each name is another one")
    check(not whole or not a[2] or len({n for _, n in a[2]} & {n for _, n in b[2]}) < len({n for _, n in a[2]}), what + ": names differ")
    os.remove(out)


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
        r = run("info", "--scrub", path)
        check(r.returncode == 2 and b"with -o" in r.stderr, "a copy needs a name", r.stderr)
    check(len(met) > 20, "the captures had such words", sorted(met))
    end()


main()
