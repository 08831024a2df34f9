"""Copies of .mlpd without names: every table of a copy has the figures of the original, and none of the program's names is in it, whatever is damaged.

Which names are the program's is found by a reader of its own (mlpd.py): what assemblies define that do not come with Mono, and all that users name.

    scrub_mlpd.py TRACETOOL
"""
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests/oracle", "tests/kit"]
os.environ.setdefault("TRACETOOL", sys.argv[1])
import lot
import mlpd
from count import check, end, same

TRACETOOL = os.path.realpath(sys.argv[1])
REAL = os.environ.get("TT_REAL", "../shared/corpus/real")
OWN_ASSEMBLY = re.compile(r"(System|Mono|Microsoft|UnityEngine|UnityEditor|Unity|mscorlib|netstandard|I18N)(\.|$)")
OWN_CLASS = re.compile(r"(System|Mono|Microsoft|UnityEngine|UnityEditor|Unity)\.")
OWN_THREADS = {"Main", "Finalizer", "Domain unloader", "Thread Pool Worker",
               *("Profiler " + x for x in ("Writer", "Helper", "Dumper", "Sampler"))}
# Words by which parts of names mean something, and names of categories that tracetool makes itself.
MEANT = re.compile(r"(?i)read|lock|wait|sleep|accept|poll|receive|recv|load|exceptions$|^gc$|contention$")
CUSTOM = 0x8000
# Words that C# has for types of the class library, and what compilers make in each assembly.
WORDS = set("object string bool char sbyte byte int16 uint16 int uint long ulong single double intptr uintptr void".split())
MADE = {"<Module>", "<PrivateImplementationDetails>"}


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, check=False)


TABLES = [t for r in json.loads(run("list", "passes", "--format", "json").stdout)["tables"]["passes"]["rows"] for t in r["tables"].split()]


def tables(path, more=False):
    """Figures of all tables, whatever the order of names. ${more}: and texts."""
    r = run("stats", "-q", "--limit", "0", "--format", "json", "--table", ",".join(TABLES), path)
    rows = {k: t["rows"] for k, t in json.loads(r.stdout or "{}").get("tables", {}).items() if k not in ("facts", "capture")}
    return r.returncode, {k: sorted(repr([v for v in x.values() if more or not isinstance(v, str)]) for x in t) for k, t in rows.items()}


def events_of(data):
    """All events with texts, also those of other kinds than Capture keeps."""
    out = []
    old = mlpd.Decoder.decode

    def decode(self):
        tag, event = old(self)
        if event[0] in ("metadata", "method", "symbol", "binary", "counter_desc", "jit_helper", "root_register", "aot_id") or event[0].startswith("cov"):
            out.append(event)
        return tag, event

    mlpd.Decoder.decode = decode
    try:
        c = mlpd.Capture(data)
    finally:
        mlpd.Decoder.decode = old
    return c, out


def base(path):
    name = re.split(r"[/\\]", path)[-1]
    return name[:-4] if name[-4:] in (".dll", ".exe") else name


def plain(name):
    """A class without arities, type arguments and arrays."""
    name = re.sub(r"`\d+", "", name.split("[")[0])
    old = None
    while old != name:
        old, name = name, re.sub(r"(?<=[^./<])<[^<>]*>", "", name)
    return name.replace("/", ".").replace("+", ".")


def names_of(data):
    """(the program's names, all names that stay) of a capture, and what the figures of its header are."""
    capture, events = events_of(data)
    images, own, private, classes, library = {}, set(WORDS), set(), set(), set()
    for e in events:
        if e[0] == "metadata" and e[2] == "load" and e[3] == 2:
            images.setdefault(e[4], set()).add(bool(OWN_ASSEMBLY.match(base(e[5]))))
    for e in events:
        if e[0] == "metadata" and e[2] == "load" and e[3] == 1:
            of = images.get(e[6], ())
            (classes if False in of else library if True in of else set()).add(plain(e[5]))
    for e in events:
        texts, program = [], True
        if e[0] == "metadata" and e[5]:
            texts = [e[5]]
            if e[3] == 1:
                program = plain(e[5]) in classes and plain(e[5]) not in MADE
            elif e[3] in (2, 4):
                program = not OWN_ASSEMBLY.match(base(e[5]))
                private.update(re.split(r"[/\\]", e[5])[1:-1])
                texts = [base(e[5])]
            elif e[3] == 3:
                texts = [e[5].split(",")[0]]
                program = not OWN_ASSEMBLY.match(e[5])
            elif e[3] == 5:
                program = e[5] not in OWN_THREADS
        elif e[0] == "method":
            name = re.sub(r"^\(wrapper [a-z-]+\) ", "", e[5])
            of = plain(name.split(":")[0])
            program = of not in MADE and (of in classes or not (of in library or OWN_CLASS.match(of) or of in WORDS))
            texts = [name, name.split(":")[0]] if ":" in name else []
        elif e[0] == "counter_desc":
            for d in e[2]:
                fields = d if isinstance(d, (list, tuple)) else list(d.values())
                (private if CUSTOM in fields else own).update(x for x in fields if isinstance(x, str))
        elif e[0] == "binary":
            texts = [e[-1]]
        (private if program else own).update(texts)
    return private, own, capture


def words(private, own):
    """What of the program's names may not be in a copy: whole names, and their longer words, unless a name that stays has them."""
    kept = "\n".join(own)
    parts = {w for x in private for w in re.split(r"[^A-Za-z0-9_\u0080-\U0010ffff]+", x)}
    return sorted(w for w in private | parts if len(w) >= 6 and w not in kept and not MEANT.search(w) and not re.fullmatch(r"[\d.]+", w) and
                  re.search(r"[A-Za-z\u0080-\U0010ffff]{4}", w) and not re.search(r"\(wrapper|__DisplayClass|^Culture|^PublicKeyToken|^Version", w))


def left(path, private):
    with open(path, "rb") as f:
        data = f.read()
    return [w for w in private if w.encode() in data][:5]


def copy(path, what, folder, status=0):
    out = os.path.join(folder, "copy.mlpd")
    if os.path.exists(out):
        os.remove(out)
    r = run("info", "--scrub", "-o", out, path)
    same(what + ": exit status of the copy", r.returncode, status)
    return out, r


def whole(path, what, folder):
    """A copy of an undamaged capture: the same figures in each table, and none of the program's names."""
    with open(path, "rb") as f:
        data = f.read()
    private, own, _ = names_of(data)
    private = words(private, own)
    out, _ = copy(path, what, folder)
    (a, want), (b, have) = tables(path), tables(out)
    same(what + ": exit status of its tables", b, a)
    for t in want:
        check(have.get(t) == want[t], "%s: table %s" % (what, t), [(x, y) for x, y in zip(want[t], have.get(t, [])) if x != y][:2])
    same(what + ": names of the program that are left", left(out, private), [])
    plain_size = len(gzip.decompress(data)) if data[:2] == b"\x1f\x8b" else len(data)
    same(what + ": size", os.path.getsize(out), plain_size)
    return private


def kept(path, what, folder, stays, goes):
    out, _ = copy(path, what, folder)
    with open(out, "rb") as f:
        have = f.read()
    same(what + ": is kept", [s for s in stays if s.encode() not in have], [])
    same(what + ": is not kept", [s for s in goes if s.encode() in have], [])


def count_events(path):
    r = run("stats", "-q", "--format", "json", "--limit", "0", "--table", "capture_events", path)
    return sum(row["events"] for row in json.loads(r.stdout)["tables"]["capture_events"]["rows"])


def damaged(path, what, folder, n):
    """Cuts, wrong bits, zeros and splices in ${n} places: no name is left, and what the copy lacks is told."""
    with open(path, "rb") as f:
        data = f.read()
    private, own, capture = names_of(data)
    private, rng = words(private, own), lot.draw("scrub", what)
    start, wrong, bad = capture.start, [], os.path.join(folder, "bad.mlpd")
    out = os.path.join(folder, "copy.mlpd")
    for i in range(n):
        b, at, kind = bytearray(data), rng.randrange(start, len(data)), i % 5
        if kind < 2:
            b[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            del b[at:]
        elif kind == 3:
            b[at:at + 300] = bytes(min(300, len(b) - at))
        else:
            other = rng.randrange(start, len(data))
            b[at:at] = data[other:other + rng.randrange(1, 400)]
        with open(bad, "wb") as f:
            f.write(b)
        if os.path.exists(out):
            os.remove(out)
        r = run("info", "--scrub", "-o", out, bad)
        if r.returncode not in (0, 3) or not os.path.exists(out):
            wrong.append("%d at %d: %s %s" % (kind, at, r.returncode, r.stderr))
            continue
        if r.returncode == 0:
            want, have = tables(bad)[1], tables(out)[1]
            other = [(t, x, y) for t in want for x, y in zip(want[t], have.get(t, [])) if x != y]
            if other or want.keys() != have.keys():
                wrong.append("%d at %d: other figures, and nothing is told: %s" % (kind, at, other[:2]))
        told = re.search("its figures lack ([0-9,]+) events before such bytes", r.stderr)
        lacks = count_events(bad) - count_events(out)
        if lacks != (int(told[1].replace(",", "")) if told else 0):
            wrong.append("%d at %d: lacks %d events: %s" % (kind, at, lacks, r.stderr))
        names = left(out, private)
        if names:
            wrong.append("%d at %d: %s" % (kind, at, names))
    check(not wrong, "%s: %d damaged copies" % (what, n), *wrong[:5])


def main():
    with tempfile.TemporaryDirectory() as folder:
        met = set()
        for path in lot.some(sorted(glob.glob("testdata/mlpd/good-*.mlpd")), 8, "scrub"):
            met.update(whole(path, os.path.basename(path), folder))
        check(len(met) > (50 if lot.LONG else 0), "the captures had names of a program", sorted(met))
        with open("testdata/mlpd/good-d04-exceptions.mlpd", "rb") as f:
            good = f.read()
        # Outputs have the category "Exceptions" of their own, by which they are read.
        kept("testdata/mlpd/good-d04-exceptions.mlpd", "an assembly named like a category", folder, ["Exceptions, Version="], ["GameError"])
        # A class of the program in a namespace of the class library; and a recorder's options with a file of the user.
        path = os.path.join(folder, "own.mlpd")
        with open(path, "wb") as f:
            f.write(good.replace(b"GameError", b"System.Zq"))
        kept(path, "a class of the program in the namespace System", folder, ["System.Object", "System.String"], ["System.Zq"])
        # Mono files methods that a program makes as it runs (System.Reflection.Emit.DynamicMethod) under a class of its own.
        lines = ["thread\t0\tMain", "method\t1\t(wrapper dynamic-method) object:ZqMade (object,string)", "enter\t100\t0\t1", "leave\t200\t0\t1", "end\t300\t0"]
        subprocess.run([os.path.join(os.environ["BUILD"], "kit", "calls_gen"), path], input="\n".join(lines) + "\n", text=True, check=True)
        kept(path, "a method that the program made", folder, ["(wrapper dynamic-method) object:", "string"], ["ZqMade"])
        args = mlpd.Capture(good).header["args"]
        at = good.index(args.encode())
        new = b"log:calls,output=/home/somebody/Secret,,Game.mlpd,calldepth=55,strange=Secret\0"
        with open(path, "wb") as f:
            f.write(good[:at - 4] + len(new).to_bytes(4, "little") + new + good[at + len(args) + 1:])
        kept(path, "the recorder's options", folder, ["log:calls,output=/", "calldepth=55,"], ["somebody", "Secret", "Game.mlpd", "strange"])
        first = copy(path, "a first copy", folder)[0]
        with open(first, "rb") as f:
            one = f.read()
        with open(copy(path, "a second copy", folder)[0], "rb") as f:
            check(f.read() != one, "a second copy has other hashes")
        for name in ("good-d04-exceptions", "good-d05-monitors", "good-d09-names-unicode-jit", "good-d14-mono462-v13-coverage", "good-d12-mono421-v11-calls"):
            damaged("testdata/mlpd/%s.mlpd" % name, name, folder, 400 if lot.LONG else 15)
        with open("testdata/mlpd/good-d10-counters-zip.mlpd", "rb") as f:
            counters = gzip.decompress(f.read())
        path = os.path.join(folder, "counters.mlpd")
        with open(path, "wb") as f:
            f.write(counters)
        damaged(path, "counters", folder, 400 if lot.LONG else 15)
    end()


main()
