#!/usr/bin/env python3
"""Archives made to hurt: clear lines, nothing outside the output folder, and the rest of the batch unharmed.

Beside each bad archive lies a sound one, whose results must be what they are without it. Ends with "N passed, N failed".
"""
import io
import json
import lzma
import os
import random
import shutil
import struct
import subprocess
import tarfile
import zipfile
import zlib

import kit
import words
from kit import run

BOMB = (10 << 30) if kit.LONG else (200 << 20)
MEMBERS = 1000000 if kit.LONG else 20000


class Zeros(io.RawIOBase):
    """So many bytes that are mostly zero, behind a beginning."""

    def __init__(self, begin, n):
        self.begin, self.n, self.at = begin, n, 0

    def read(self, n=-1):
        n = min(n, self.n - self.at) if n >= 0 else self.n - self.at
        out = self.begin[self.at:self.at + n]
        self.at += n
        return out + bytes(n - len(out))


def special(name, kind, link=""):
    t = tarfile.TarInfo(name)
    t.type, t.linkname = kind, link
    return t


class Case:
    def __init__(self, s):
        self.s, self.n = s, 0
        self.good = sorted(kit.captures(3, 4).items())
        self.sound = kit.pack("gz", kit.tar(self.good))
        self.want = None

    def run(self, name, files, *options, **more):
        """A batch over ${files} {name: bytes or path} and a sound archive: (run, {key: result}, folder of outputs)."""
        self.n += 1
        src, out = self.s.path("in%d" % self.n), self.s.path("out%d" % self.n)
        os.makedirs(src)
        open(os.path.join(src, "sound.tar.gz"), "wb").write(self.sound)
        os.utime(os.path.join(src, "sound.tar.gz"), (1700000000, 1700000000))
        for f, data in files.items():
            if isinstance(data, bytes):
                open(os.path.join(src, f), "wb").write(data)
            else:
                os.rename(data, os.path.join(src, f))
        r = run("batch", "-o", out, src, *options, **more)
        got = kit.by_key(os.path.join(out, "results.jsonl")) if os.path.exists(os.path.join(out, "results.jsonl")) else {}
        sound = {k: (v["outcome"], v.get("metrics")) for k, v in got.items() if k.startswith("sound.tar.gz")}
        if self.want is None:
            self.want = sound
            self.s.equal("the sound archive alone", (r.returncode, len(sound)), (0, len(self.good) + 1))
        self.s.equal(name + ": the rest is unharmed", sound, self.want)
        self.s.check(name + ": no crash", "signal" in r.err and r.err)
        self.s.equal(name + ": no part file left", os.path.exists(os.path.join(out, "results.part")), False)
        for f in os.listdir(src):
            os.unlink(os.path.join(src, f))
        return r, got, out


def names(c):
    s, m = c.s, c.good[0][1]
    tricks = ["../evil.mlpd", "/abs/evil.mlpd", "a/../../../evil.mlpd", "..", "x/..", "./a.mlpd", "A.MLPD", "a.mlpd", "a.mlpd",
              "new\nline.mlpd", "esc\x1b[31m.mlpd", "tab\t.mlpd", "-rf", "~", "con", "a b;rm.mlpd", "%2e%2e!x#2.mlpd", "é.mlpd",
              "long" * 2000 + ".mlpd", ".hidden", "\\..\\evil.mlpd", "C:\\evil.mlpd"]
    members = [(t, m) for t in tricks]
    raw = kit.tar(members)
    raw = raw.replace(b"con\0", b"c\xff\xfe\0")     # no UTF-8; the checksum is put right below
    at = raw.find(b"c\xff\xfe\0")
    head = bytearray(raw[at:at + 512])
    head[148:156] = b"        "
    head[148:156] = b"%06o\0 " % sum(head)
    raw = raw[:at] + bytes(head) + raw[at + 512:]
    before = sorted(os.listdir(s.dir))
    r, got, out = c.run("odd names", {"t.tar": raw}, "--do", "convert", "--to", "folded")
    caps = [k for k in got if k.startswith("t.tar!")]
    files = os.listdir(os.path.join(out, "captures"))
    s.equal("odd names: all are captures", len(caps), len(tricks))
    s.equal("odd names: a file each", len(files), len(tricks) + len(c.good))
    s.check("odd names: harmless file names", [f for f in files if not all(x.isascii() and (x.isalnum() or x in "._-") for x in f)])
    s.equal("odd names: equal up to case have files of their own", len({f.lower() for f in files}), len(files))
    s.check("odd names: nothing outside", [f for f in os.listdir(s.dir) if f not in before and not f.startswith(("in", "out"))])
    s.check("odd names: no control character is printed", [l for l in r.err if ord(l) < 32 and l != "\n"])
    s.check("odd names: told, and not for ever", None if 1 <= r.err.count("an odd name") <= 10 else r.err)
    s.equal("odd names: the second of a name", "t.tar!a.mlpd#2" in got, True)
    other = [("é.mlpd", m), ("日本.mlpd", m), ("ok.mlpd", m)]
    for kind, data in (("7z", kit.seven(other)), ("zip", kit.zipped(other)), ("tar", kit.tar(other))):
        r, got, _ = c.run("names of other alphabets, " + kind, {"u." + kind: data})
        s.equal("names of other alphabets, " + kind, sorted(k for k in got if k.startswith("u.") and "!" in k),
                sorted("u.%s!%s" % (kind, name) for name, _ in other))
    z = kit.zipped([("nul.mlpd", m), ("b.mlpd", m)]).replace(b"nul.mlpd", b"nu\0.mlpd")
    _, got, _ = c.run("a NUL in a name", {"n.zip": z})
    s.equal("a NUL in a name: both captures", sum(k.startswith("n.zip!") for k in got), 2)


def kinds(c):
    s, m = c.s, c.good[0][1]
    members = [(special("link", tarfile.SYMTYPE, "/etc/passwd"), None), (special("hard", tarfile.LNKTYPE, "a.mlpd"), None),
               (special("null", tarfile.CHRTYPE), None), (special("disk", tarfile.BLKTYPE), None),
               (special("fifo", tarfile.FIFOTYPE), None), (special("dir", tarfile.DIRTYPE), None), ("a.mlpd", m)]
    _, got, _ = c.run("links and devices", {"k.tar": kit.tar(members)})
    s.equal("links and devices are counted", got["k.tar"]["kinds"], {"device": 3, "directory": 1, "link": 2})
    s.equal("links and devices: the capture beside them", got["k.tar!a.mlpd"]["outcome"], "ok")
    # a link where outputs go
    out, elsewhere = s.path("linked"), s.path("elsewhere")
    os.makedirs(out)
    os.makedirs(elsewhere)
    os.symlink(elsewhere, os.path.join(out, "captures"))
    one = s.path("one.mlpd")
    open(one, "wb").write(m)
    r = run("batch", "-o", out, "--do", "convert", "--to", "folded", one)
    s.equal("no output through a link", (r.returncode, os.listdir(elsewhere)), (4, []))
    os.unlink(os.path.join(out, "captures"))
    run("batch", "-o", out, "--do", "convert", "--to", "folded", one)
    f = os.listdir(os.path.join(out, "captures"))[0]
    os.unlink(os.path.join(out, "captures", f))
    os.symlink(os.path.join(elsewhere, "x"), os.path.join(out, "captures", f))
    r = run("batch", "-o", out, "--do", "convert", "--to", "folded", one)
    s.equal("no output through a link of its name", (r.returncode, os.listdir(elsewhere)), (3, []))


def encrypted(c):
    s, m = c.s, c.good[0][1]
    folder = s.path("enc")
    os.makedirs(folder)
    for name, data in c.good:
        open(os.path.join(folder, name), "wb").write(data)
    subprocess.run(["zip", "-q", "-r", "-P", "secret", "../e.zip", "."], cwd=folder, check=True)
    subprocess.run(["7z", "a", "-bso0", "-bsp0", "-psecret", "../e.7z", "."], cwd=folder, check=True)
    subprocess.run(["7z", "a", "-bso0", "-bsp0", "-psecret", "-mhe=on", "../h.7z", "."], cwd=folder, check=True)
    r, got, _ = c.run("encrypted", {"e.zip": s.path("e.zip"), "e.7z": s.path("e.7z"), "h.7z": s.path("h.7z")})
    s.equal("encrypted zip is told", (got["e.zip"]["outcome"], got["e.zip"]["why"], got["e.zip"]["captures"]),
            ("damaged", "encrypted", 0))
    for k in ["e.7z", "h.7z"]:
        s.check("%s is told" % k, None if got[k]["outcome"] != "ok" else got[k])
    s.equal("encrypted: exit", r.returncode, 3)
    del m


def zip_ends(data):
    """Where each member of a zip ends."""
    z = zipfile.ZipFile(io.BytesIO(data))
    return [i.header_offset + 30 + len(i.filename) + i.compress_size for i in z.infolist()]


def damaged(c):
    s = c.s
    members = sorted(kit.captures(11, 30).items())
    rng = random.Random(5)
    made = {"d.tar.gz": kit.pack("gz", kit.tar(members)), "d.tar.xz": kit.pack("xz", kit.tar(members)),
            "d.tar.zst": kit.pack("zst", kit.tar(members)), "d.tar.bz2": kit.pack("bz2", kit.tar(members)),
            "d.tar.lz4": kit.pack("lz4", kit.tar(members)), "d.zip": kit.zipped(members), "d.7z": kit.seven(members),
            "d.tar": kit.tar(members)}
    for name, data in sorted(made.items()):
        for share in [0.01, 0.5, 0.999]:
            at = int(len(data) * share)
            cut = data[:at]
            flip = bytearray(data)
            for i in range(at, min(at + 16, len(data))):
                flip[i] ^= 1 << rng.randrange(8) | 1
            for how, bad in [("cut", cut), ("flipped", bytes(flip))]:
                what = "%s %s at %s %%" % (name, how, share * 100)
                r, got, _ = c.run(what, {name: bad})
                inside = [k for k in got if k.startswith(name + "!")]
                whole = [k for k in inside if got[k]["outcome"] == "ok"]
                if name == "d.tar" and (how == "flipped" or share > 0.9):
                    continue                  # nothing in a tar tells of other bytes, or misses the zeros at its end
                s.equal(what + ": told", (r.returncode, name in r.err), (3, True))
                if name.startswith("d.tar"):
                    # the end of archive may be all that is lost
                    enough = {0.01: 0, 0.5: 8, 0.999: 25}[share]
                    s.check(what + ": what came before", None if len(whole) >= enough else "%d of 30" % len(whole))
                if how == "flipped" and name == "d.zip" and share < 0.9:
                    s.check(what + ": all other members", None if len(whole) >= 28 else "%d of 30" % len(whole))
                if how == "cut" and name == "d.zip":
                    # without its directory: by the headers in front of the members that are there
                    enough = sum(end <= at for end in zip_ends(data))
                    s.equal(what + ": what came before", len(whole), enough)


def bombs(c):
    s, m = c.s, c.good[0][1]
    # a capture's head and then zeros without end, in tar.gz, in zip, as a plain .gz
    t = s.path("bomb.tar.gz")
    with tarfile.open(t, "w:gz", compresslevel=1) as tar:
        info = tarfile.TarInfo("zeros")
        info.size = BOMB
        tar.addfile(info, Zeros(b"", BOMB))
        info = tarfile.TarInfo("after.mlpd")
        info.size = len(m)
        tar.addfile(info, io.BytesIO(m))
    r, got, _ = c.run("bomb in tar.gz", {"b.tar.gz": t}, "--max-ratio", "100")
    s.equal("bomb in tar.gz", (r.returncode, got["b.tar.gz"]["why"]), (3, "limit"))
    p = s.path("bomb.mlpd.gz")
    z = zlib.compressobj(1, wbits=31)
    with open(p, "wb") as f:
        f.write(z.compress(m))
        for _ in range(BOMB >> 22):
            f.write(z.compress(bytes(1 << 22)))
        f.write(z.flush())
    r, got, _ = c.run("capture that is a bomb", {"b.mlpd.gz": p}, "--max-ratio", "100")
    s.check("capture that is a bomb: told", None if got["b.mlpd.gz"]["outcome"] != "ok" else got)
    p = s.path("bomb.zip")
    with zipfile.ZipFile(p, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zf:
        with zf.open("bomb.mlpd", "w", force_zip64=True) as f:
            f.write(m)
            for _ in range(BOMB >> 22):
                f.write(bytes(1 << 22))
        zf.writestr("after.mlpd", m)
    r, got, _ = c.run("bomb in zip", {"b.zip": p}, "--max-ratio", "100")
    s.check("bomb in zip: told", None if got["b.zip!bomb.mlpd"]["outcome"] != "ok" else got["b.zip!bomb.mlpd"])
    s.equal("bomb in zip: the member behind it", got["b.zip!after.mlpd"]["outcome"], "ok")
    # nested
    data = kit.zipped([("x.mlpd", m)])
    for _ in range(8):
        data = kit.zipped([("a.zip", data), ("b.zip", data)])
    r, got, _ = c.run("nested bombs", {"n.zip": data})
    s.check("nested bombs: told, ten times at most", None if 1 <= r.err.count("--nesting") <= 10 else r.err)
    s.check("nested bombs: told how many more", None if 'n.zip: 6 more lines of the kind "limit"' in r.err else r.err)
    s.equal("nested bombs: counted", got["n.zip"]["complaints"]["limit"]["n"], 16)
    s.equal("nested bombs: not read, so not well", (r.returncode, got["n.zip"]["outcome"], got["n.zip"]["why"]), (3, "damaged", "limit"))
    data = kit.zipped([("a.zip", kit.zipped([("x.mlpd", m)])), ("y.mlpd", m)])
    for nesting, status in ((0, 3), (1, 0)):
        r, got, _ = c.run("nested with --nesting %d" % nesting, {"n.zip": data}, "--nesting", str(nesting))
        s.equal("--nesting %d" % nesting, (r.returncode, "n.zip!a.zip!x.mlpd" in got, got["n.zip!y.mlpd"]["outcome"]), (status, nesting > 0, "ok"))


def dictionaries(c):
    """What is small, and says that it cannot be unpacked with less than a gigabyte."""
    s, m = c.s, c.good[0][1]
    if os.environ.get("TT_SANITIZED"):
        return s.left_out("dictionaries of a gigabyte", "a sanitizer's memory is no measure")

    def xz(data):
        return subprocess.run(["xz", "-c", "--format=xz", "--lzma2=preset=1,dict=1GiB"], input=data, stdout=subprocess.PIPE,
                              check=True).stdout

    def zst(data):
        return subprocess.run(["zstd", "-q", "-c", "--ultra", "--long=31"], input=data, stdout=subprocess.PIPE, check=True).stdout

    files = {"x.tar.xz": xz(kit.tar([("a.mlpd", m)])), "x.mlpd.xz": xz(m), "x.tar.zst": zst(kit.tar([("a.mlpd", m)]))}
    # (coder, its properties in a plain header, the same with a gigabyte and more)
    for coder, old, new in [("lzma", b"\x03\1\1\5\x5d\0\0\1\0", b"\x03\1\1\5\x5d\0\0\0\x60"), ("lzma2", b"\x21\x21\1\x08", b"\x21\x21\1\x27"),
                            ("PPMd", b"\3\4\1\5\6\0\0\1\0", b"\3\4\1\5\6\0\0\0\x80")]:
        small = {"lzma": ":d=64k", "lzma2": ":d=64k", "PPMd": ":mem=16"}[coder]
        files[coder + ".7z"] = kit.seven_header(kit.seven([("a.mlpd", m)], "-mhc=off", "-m0=" + coder + small), old, new)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as z:
        z.writestr("a.mlpd", m)
    data = bytearray(out.getvalue())
    data[36 + 4:36 + 9] = b"\x5d" + struct.pack("<I", 0x60000000)
    r, got, _ = c.run("large dictionary in a zip", {"l.zip": bytes(data)})
    s.equal("large dictionary in a zip is a limit", (r.returncode, got["l.zip"]["why"], "raise --unpack-memory" in r.err), (3, "limit", True))
    r, got, _ = c.run("large dictionaries", files)
    for name in sorted(files):
        s.check("large dictionary: %s is a limit" % name, None if got[name].get("why") == "limit" else got[name])
        s.equal("large dictionary: %s is told in one line" % name, sum(name in line for line in r.err.split("\n")), 1)
    # in an archive, beside what is sound
    for name, data in sorted(files.items()):
        _, got, _ = c.run("large dictionary inside: " + name, {"o.tar": kit.tar([("a.mlpd", m), (name, data), ("z.mlpd", m)])})
        s.equal("large dictionary inside: %s: those beside it" % name, [got["o.tar!" + k]["outcome"] for k in ["a.mlpd", "z.mlpd"]],
                ["ok", "ok"])
        s.equal("large dictionary inside: %s: a limit" % name, (got["o.tar"]["outcome"], got["o.tar"].get("why")), ("damaged", "limit"))


def many(c):
    s = c.s
    t = s.path("many.tar.gz")
    with tarfile.open(t, "w:gz", compresslevel=1, format=tarfile.USTAR_FORMAT) as tar:
        info = tarfile.TarInfo("x")
        for i in range(MEMBERS):
            info.name = "e/%d" % i
            tar.addfile(info)
    r, got, _ = c.run("empty members", {"m.tar.gz": t})
    s.equal("empty members are counted", (got["m.tar.gz"]["kinds"], r.returncode), ({"empty": MEMBERS}, 0))
    # zip with a directory that lies
    m = c.good[0][1]
    z = kit.zipped([("a.mlpd", m), ("b.mlpd", m)])
    end = z.rfind(b"PK\5\6")
    for name, bad in [("no directory", z[:z.find(b"PK\1\2")]), ("end cut", z[:end + 10]),
                      ("offset beyond", z[:end + 16] + struct.pack("<I", len(z) + 99) + z[end + 20:]),
                      ("count wrong", z[:end + 8] + b"\xff\xff\xff\xff" + z[end + 12:])]:
        r, got, _ = c.run("zip: " + name, {"z.zip": bad})
        if name != "count wrong":             # nothing depends on it
            s.equal("zip: %s: told" % name, (r.returncode, got["z.zip"]["outcome"], "z.zip" in r.err), (3, "damaged", True))
        s.equal("zip: %s: its members all the same" % name, [got.get("z.zip!" + k, {}).get("outcome") for k in ["a.mlpd", "b.mlpd"]],
                ["ok", "ok"])
    without_directory(c)
    r, got, _ = c.run("neither", {"zeros": bytes(100000), "text": b"hello\n", "empty": b""})
    s.equal("what is neither", {k: got[k]["kind"] for k in ["zeros", "text", "empty"]}, {"zeros": "zeros", "text": "text", "empty": "empty"})
    s.equal("what is neither is passed over", r.returncode, 0)


def without_directory(c):
    """tracetool-batch(1), DAMAGED ARCHIVES: damage of the archive, and a member only where bytes are none of a member."""
    s = c.s
    members = [("%d.ttc" % i, lzma.open(os.path.join(kit.TESTDATA, "gate", "good-base%d.ttc.xz" % (i + 1))).read()) for i in range(4)]
    budget = s.path("directory.json")
    open(budget, "w").write('{"tracetool_budget": 1, "rows": [{"id": "a", "metric": "gc.alloc.count", "stat": "total", "min": 0}]}')
    for how in ({"stored": True}, {}, {"piped": True}, {"stored": True, "piped": True}):
        z = kit.zipped(members, **how)
        start, third = z.find(b"PK\1\2"), z.find(b"PK\3\4", z.find(b"2.ttc") - 40)
        cases = [("its directory cut", z[:start + 20], 4, 0), ("its end cut", z[:-10], 4, 0),
                 ("a header overwritten", z[:third] + b"XX" + z[third + 2:start + 20], 3, 1),
                 ("bytes behind", z[:start] + b"behind the last member", 4, 1)]
        if "piped" not in how:                # there the lengths are behind the data, and libarchive asks for more bytes than they have
            cases.append(("its directory cut off", z[:start], 4, 0))
        for what, data, read, lost in cases:
            what = "zip %s: %s" % (" ".join(how), what)
            folder = s.path("directory")
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            open(os.path.join(folder, "z.zip"), "wb").write(data)
            r = run("batch", "--format", "json", "--gate", budget, "--json", s.path("verdict.json"), folder)
            outcomes = {(o["type"], o["outcome"]): o["count"] for o in json.loads(r.out)["tables"]["batch_outcomes"]["rows"]}
            s.equal(what + ": members", (outcomes.get(("capture", "ok")), outcomes.get(("member", "failed"), 0)), (read, lost))
            s.equal(what + ": told, and the archive is damaged", (r.returncode, outcomes.get(("archive", "damaged"))), (3, 1))
            captures = json.load(open(s.path("verdict.json")))["captures"]
            s.equal(what + ": captures of the gate", captures if isinstance(captures, int) else len(captures), read + lost)
            r = run("batch", "-q", "--max-failures", "1", folder)
            s.equal(what + ": one archive, and what it lost", r.returncode, 0 if lost == 0 else 1)


def unread(c):
    """What may hold captures and is not opened, each by its own program or the beginning its format's description gives."""
    s, m = c.s, c.good[0][1]
    folder = s.path("unread")
    os.makedirs(folder)
    open(os.path.join(folder, "a.mlpd"), "wb").write(m)

    def by(tool, *args, data=b"a.mlpd\n"):
        subprocess.run([tool, *args], cwd=folder, input=data, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    by("ar", "rc", "x.ar", "a.mlpd")
    for f, suffix in [("newc", "newc"), ("odc", "odc"), ("iso9660", "iso"), ("xar", "xar")]:
        by("bsdtar", "--format", f, "-cf", "x." + suffix, "a.mlpd")
    by("xz", "-k", "--format=lzma", "a.mlpd")
    made = {f: open(os.path.join(folder, f), "rb").read() for f in os.listdir(folder) if f != "a.mlpd"}
    made.update({"x.rar": b"Rar!\x1a\7\1\0" + bytes(range(100)), "x.cab": b"MSCF\0\0\0\0" + bytes(range(100)),
                 "x.mlpd.gz.xz": kit.pack("xz", kit.pack("gz", m)), "x.mlpd": b"\0" + m[1:], "x.ttc": b"", "x.zip": b"Pk" + bytes(99),
                 "x.tar.gz": kit.pack("gz", bytes(1000)), "y.tar": bytes(100)})
    r, got, _ = c.run("not read", made)
    for name in sorted(made):
        s.equal("not read: %s fails" % name, (got[name]["outcome"], got[name]["why"] in ("unsupported", "damaged")), ("failed", True))
    s.equal("not read: said, ten of a kind at most", (r.returncode, sum(name + ": " in r.err for name in made)), (3, len(made)))
    r, got, _ = c.run("not read, in a tar", {"o.tar": kit.tar([("a.mlpd", m), *sorted(made.items())])})
    n = sum(c["n"] for c in got["o.tar"]["complaints"].values())
    s.equal("not read, in a tar", (r.returncode, n, got["o.tar!a.mlpd"]["outcome"], got["o.tar"]["outcome"]), (3, len(made), "ok", "damaged"))
    # libraries of programs, and what is only compressed, hold none
    by("gcc", "-c", "-x", "c", "-o", "e.o", "-", data=b"int e;\n")
    by("ar", "rcs", "libe.a", "e.o")
    r, got, _ = c.run("passed over", {"libe.a": open(os.path.join(folder, "libe.a"), "rb").read(), "n.txt.gz": kit.pack("gz", b"note\n"),
                                      "n.txt.gz.xz": kit.pack("xz", b"note\n")})
    s.equal("passed over", (r.returncode, {k: got[k]["kind"] for k in ["libe.a", "n.txt.gz", "n.txt.gz.xz"]}),
            (0, {"libe.a": "program", "n.txt.gz": "text", "n.txt.gz.xz": "text"}))
    # bytes that begin like nothing, by name alone
    junk = random.Random(5).randbytes(3000)
    made = {n: b"\1" + junk for n in ["j.lzma", "j.tar.br", "j.ttc.1", "j.mlpd~", "j.zip.part", "j.Z", "j.rar", "j.7z.001", "j.ttc.gz.2.bak",
                                     "J.TTC.OLD", "j.iso", "j.tar.1.tmp"]}
    r, got, _ = c.run("junk", made)
    s.equal("junk: each is told", (r.returncode, {n: got[n]["outcome"] for n in made}), (3, {n: "failed" for n in made}))
    s.equal("junk: by its name", [n for n in made if n + ": " not in r.err], [])
    r, got, _ = c.run("junk, in a zip", {"o.zip": kit.zipped(sorted(made.items()))})
    s.equal("junk, in a zip", (r.returncode, sum(c["n"] for c in got["o.zip"]["complaints"].values())), (3, len(made)))
    made = {n: b"\1" + junk for n in ["game.log.1", "libx.so.1", "a.bak", "noise", "1", ".1", "x.ttc.png", "x.ttc.sha256"]}
    r, got, _ = c.run("no promise", made)
    s.equal("other names promise nothing", (r.returncode, {n: got[n]["outcome"] for n in made}), (0, {n: "skipped" for n in made}))
    # read: what begins with a frame to skip, and what is compressed twice
    tar = kit.tar(sorted(kit.captures(41, 3).items()))
    skip = struct.pack("<II", 0x184D2A50, 4) + b"size"
    long = struct.pack("<II", 0x184D2A5F, 300000) + bytes(300000)
    files = {"s.tar.zst": skip + kit.pack("zst", tar), "l.tar.zst": skip + long + kit.pack("zst", tar), "s.tar.lz4": skip + kit.pack("lz4", tar),
             "t.tar.gz.xz": kit.pack("xz", kit.pack("gz", tar)), "t.zip.gz.bz2": kit.pack("bz2", kit.pack("gz", kit.zipped([("a.mlpd", m)])))}
    r, got, _ = c.run("packed in layers", files)
    s.equal("packed in layers: all is read", (r.returncode, {f: sum(k.startswith(f + "!") for k in got) for f in files}),
            (0, {f: 1 if "zip" in f else 3 for f in files}))
    r, got, _ = c.run("packed in layers, in a tar", {"o.tar": kit.tar(sorted(files.items()))})
    s.equal("packed in layers, in a tar", (r.returncode, sum(k.startswith("o.tar!") for k in got)), (0, 13))
    one = s.path("skip.mlpd.zst")
    open(one, "wb").write(long + kit.pack("zst", m))
    s.equal("a capture behind a frame to skip", run("info", one).returncode, 0)


def empty(c):
    """An archive of no members is whole, and a line says what it is; zeros that are more are a tar's that was lost."""
    s = c.s
    folder = s.path("empty")
    os.makedirs(folder)
    for tool, args in (("tar", ["cf", "gnu.tar", "-T", "/dev/null"]), ("bsdtar", ["cf", "bsd.tar", "-T", "/dev/null"]),
                       ("tar", ["czf", "gnu.tar.gz", "-T", "/dev/null"]), ("tar", ["cf", "small.tar", "-b2", "-T", "/dev/null"])):
        subprocess.run([tool, *args], cwd=folder, check=True)
    files = {f: open(os.path.join(folder, f), "rb").read() for f in os.listdir(folder)}
    files.update({"py.tgz": kit.pack("gz", kit.tar([])), "e.zip": kit.zipped([])})
    r, got, _ = c.run("empty", files)
    s.equal("empty: whole", (r.returncode, {f: (got[f]["type"], got[f]["outcome"], got[f]["members"]) for f in files}),
            (0, {f: ("archive", "ok", 0) for f in files}))
    s.equal("empty: told", [f for f in files if f + ": an empty " not in r.err], [])
    r, got, _ = c.run("empty, in a tar", {"o.tar": kit.tar(sorted(files.items()))})
    s.equal("empty, in a tar", (r.returncode, got["o.tar"]["outcome"], got["o.tar"]["complaints"]["empty"]["n"]), (0, "ok", len(files)))
    lost = {"a.tar": bytes(1 << 20), "b.tar": bytes(512), "c.tar": bytes(1023), "d.tar": bytes(10240) + b"\1"}
    r, got, _ = c.run("zeros", lost)
    s.equal("zeros: no empty tars", (r.returncode, {f for f in lost if got[f]["outcome"] == "ok"}), (3, set()))


def failures(c):
    """A share of failures is of captures and archives, and never more than all."""
    s, m = c.s, c.good[0][1]
    files = {"a.rar": b"Rar!\x1a\7\1\0", "b.tar": kit.tar([("x.mlpd", b"\1" * 100)]), "c.tar": kit.tar([("x.mlpd", b"\1" * 100)]), "m.mlpd": m}
    files = dict(files, **{"n%d.tar" % i: kit.tar([("x.zip", b"\1" * 100)]) for i in range(20)})
    # a.rar, 22 archives and their 22 members, of those, m.mlpd and the sound archive's 5: 45 of 51, 88.2 %
    for share, want in (("100%", 0), ("88%", 1), ("89%", 0)):
        r, _, _ = c.run("failures, %s" % share, files, "--max-failures", share)
        s.equal("failures, %s" % share, r.returncode, want)
    s.check("failures: what they are counted among", None if "45 of 51 captures and archives" in c.run("failures", files, "--max-failures", "76%")[0].err
            else "no line")


def reports(c):
    """What a batch writes into a folder that it reads is no input of the next run."""
    s = c.s
    folder = s.path("reported")
    os.makedirs(folder)
    open(os.path.join(folder, "a.mlpd"), "wb").write(c.good[0][1])
    report, out = os.path.join(folder, "x.md"), []
    for _ in range(3):
        r = run("batch", "--report", report, "--format", "json", folder)
        s.equal("a report among the inputs", (r.returncode, r.err.count("input")), (0, 0))
        out.append((r.out, open(report).read()))
    s.equal("a report among the inputs: the same each time", len(set(out)), 1)
    capture = os.path.join(folder, "b.csv")
    for data in (c.good[0][1], c.sound, c.good[0][1][:1]):
        open(capture, "wb").write(data)
        r = run("batch", "--report", capture, folder)
        s.equal("a capture is not written over", (r.returncode, open(capture, "rb").read() == data), (2, True))
    r = run("batch", "--report", report, folder, report)
    s.equal("a report that is named as an input is refused", (r.returncode, words.say("input_and_output") in r.err), (2, True))


def spellings(c):
    """A file is one capture, however its path is written."""
    s = c.s
    folder = s.path("spelled", "day")
    os.makedirs(folder)
    open(os.path.join(folder, "a.mlpd"), "wb").write(c.good[0][1])
    for paths in (["day", "./day/a.mlpd"], ["./day", "day/a.mlpd"], ["day//", "day"], [".//./day/a.mlpd", "day/./a.mlpd"], [".", "./"],
                  ["./day//a.mlpd", ".", "day"]):
        r = run("batch", "--format", "json", *paths, cwd=s.path("spelled"))
        s.equal("spelled %s: one capture" % paths, (r.returncode, json.loads(r.out)["tables"]["batch"]["rows"][0]["captures"]), (0, 1))


def is_told(c, what, name, data, captures, *options):
    """The batch says something of ${name}, ends with 3, and still has as many whole captures."""
    r, got, _ = c.run(what, {name: data}, *options)
    whole = sum(k.startswith(name + "!") and v["outcome"] == "ok" for k, v in got.items())
    c.s.equal(what, (r.returncode, name in r.err, whole), (3, True, captures))
    c.s.check(what + ": the archive's own line says so", None if got[name]["outcome"] == "damaged" and got[name]["detail"] else got[name])
    return r


def tells(c, what, name, data, captures):
    """The batch says something of ${name}, ends with 3, and has at least as many whole captures."""
    r, got, _ = c.run(what, {name: data})
    whole = sum(k.startswith(name + "!") and v["outcome"] == "ok" for k, v in got.items())
    c.s.equal(what, (r.returncode, name in r.err, whole >= captures, got[name]["outcome"] in ("damaged", "failed")), (3, True, True, True))


def header_at(data, k):
    """Where the header of member number ${k} of a tar is."""
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return t.getmembers()[k].offset


def tars(c):
    """What is wrong between the members of a tar, and behind them; the rest of the members are read."""
    s = c.s
    members = sorted(kit.captures(21, 6).items())
    whole = kit.tar(members)
    end = max(i for i in range(0, len(whole), 512) if any(whole[i:i + 512])) + 512
    for k in [0, 1, 5]:
        at = header_at(whole, k)
        for bit in [0, 8 * 100 + 3, 8 * 124 + 1, 8 * 150, 8 * 257, 8 * 400 + 7]:
            flip = bytearray(whole)
            flip[at + bit // 8] ^= 1 << bit % 8
            is_told(c, "tar: bit %d of header %d" % (bit, k), "f.tar", bytes(flip), 5)
        if k > 0:
            for size in [512, 4096]:
                at = header_at(whole, k)
                lost = sum(header_at(whole, i) in range(at, at + size) for i in range(6))
                is_told(c, "tar: %d bytes from header %d on are zeros" % (size, k), "z.tar", whole[:at] + bytes(size) + whole[at + size:], 6 - lost)
    is_told(c, "tar: cut between members", "c.tar", whole[:header_at(whole, 2)], 2)
    is_told(c, "tar.gz: cut between members, then packed", "c.tar.gz", kit.pack("gz", whole[:header_at(whole, 2)]), 2)
    is_told(c, "tar: no end mark", "n.tar", whole[:end], 6)
    is_told(c, "tar: junk behind", "j.tar", whole + os.urandom(5000), 6)
    is_told(c, "tar: junk in front of another one", "j2.tar", whole + b"junk" * 200 + bytes(224) + kit.tar(members[:2]), 8)
    # one behind the other: read, and said
    for name, data in [("two.tar", whole + whole), ("two.tar.gz", kit.pack("gz", whole) + kit.pack("gz", whole))]:
        r, got, _ = c.run("tar: two in one", {name: data})
        s.equal("tar: %s is read to its end" % name, (r.returncode, sum(k.startswith(name + "!") for k in got)), (0, 12))
        s.check("tar: %s is said to be two" % name, None if "another tar begins" in r.err else r.err)
    # what is packed in a damaged way is used as far as it goes
    for name, at in [("crc", -8), ("length", -2)]:
        for n in [1, 6]:
            g = bytearray(kit.pack("gz", kit.tar(members[:n])))
            g[at] ^= 1
            is_told(c, "tar.gz of %d: wrong %s" % (n, name), "w.tar.gz", bytes(g), n)


def streams(c):
    """Two compressed streams, one after the other: damage to the first bytes of the second, and bytes after it."""
    s = c.s
    first, second = (sorted(kit.captures(seed, 3).items()) for seed in (23, 24))
    one = kit.captures(25, 1).popitem()[1]
    for tool in ["gz", "bz2", "xz", "zst", "lz4"]:
        a, b = (kit.pack(tool, kit.tar(m)) for m in (first, second))
        name = "s.tar." + tool
        for tail, how in [(b"", "nothing"), (bytes(10240), "zeros")]:
            if not tail or tool != "zst":        # zstd has no padding
                r, got, _ = c.run("%s and %s: whole" % (name, how), {name: a + b + tail})
                s.equal("%s and %s: whole" % (name, how), (r.returncode, sum(k.startswith(name + "!") for k in got)), (0, 6))
        # what libarchive decodes at once is lost with the damage
        for bit in [0, 9, 22]:
            bad = bytearray(a + b)
            bad[len(a) + bit // 8] ^= 1 << bit % 8
            tells(c, "%s: bit %d of the second stream" % (name, bit), name, bytes(bad), 3 if tool in ("gz", "bz2", "lz4") else 0)
        for tail in [b"x", b"junk" * 40000]:
            tells(c, "%s: %d bytes after the end" % (name, len(tail)), name, a + b + tail, 6 if tool in ("gz", "bz2", "lz4") else 0)
        r, got, _ = c.run("a capture and a tail, " + tool, {"m.mlpd." + tool: kit.pack(tool, one) + b"a tail"})
        s.equal("a capture and a tail, " + tool, (r.returncode, got["m.mlpd." + tool]["outcome"] in ("damaged", "failed")), (3, True))
        tells(c, "%s in a tar, and a tail" % name, "n.tar", kit.tar([("in.tar." + tool, a + b"a tail")]), 3 if tool in ("gz", "bz2", "lz4") else 0)
    tells(c, "a zip in a gzip, and a tail", "z.zip.gz", kit.pack("gz", kit.zipped(first)) + b"a tail", 3)
    tells(c, "a gzip and a tail in an xz", "t.tar.gz.xz", kit.pack("xz", kit.pack("gz", kit.tar(first)) + b"a tail"), 3)
    tells(c, "an xz of a tar.bz2 with a tail", "t.tar.xz.bz2", kit.pack("bz2", kit.pack("xz", kit.tar(first))) + b"a tail", 3)


def checksums(c):
    """A member whose CRC is wrong is damaged, whatever it is packed by; the others are not."""
    s = c.s
    members = sorted(kit.captures(22, 4).items())
    z = zipfile.ZipFile(io.BytesIO(kit.zipped(members, True)))
    for how, data in [("stored", kit.zipped(members, True)), ("deflated", kit.zipped(members)), ("piped", kit.zipped(members, False, True))]:
        at = data.find(b"PK\1\2", data.find(b"PK\1\2") + 4)        # of the second
        bad = data[:at + 16] + struct.pack("<I", struct.unpack_from("<I", data, at + 16)[0] ^ 1) + data[at + 20:]
        r, got, _ = c.run("zip, %s: a wrong CRC" % how, {"c.zip": bad})
        s.equal("zip, %s: a wrong CRC" % how, (r.returncode, [got["c.zip!" + n]["outcome"] for n, _ in members]), (3, ["ok", "damaged", "ok", "ok"]))
        s.check("zip, %s: its figures are there" % how, None if got["c.zip!" + members[1][0]].get("events") else got["c.zip!" + members[1][0]])
    data = bytearray(kit.zipped(members, True))
    info = z.infolist()[2]
    data[info.header_offset + 30 + len(info.filename) + info.file_size // 2] ^= 16
    r, got, _ = c.run("zip, stored: one bit", {"b.zip": bytes(data)})
    s.equal("zip, stored: one bit", (r.returncode, [got["b.zip!" + n]["outcome"] for n, _ in members]), (3, ["ok", "ok", "damaged", "ok"]))
    data = bytearray(kit.seven(members, "-m0=copy"))
    data[32 + len(members[0][1]) + 5000] ^= 16
    r, got, _ = c.run("7z, stored: one bit", {"b.7z": bytes(data)})
    s.equal("7z, stored: one bit", (r.returncode, sorted(got["b.7z!" + n]["outcome"] for n, _ in members)), (3, ["damaged", "ok", "ok", "ok"]))


def starts(c):
    """The CRC of the first bytes of a 7z, which hold no data."""
    members = sorted(kit.captures(26, 4).items())
    data = bytearray(kit.seven(members))
    for bit in [0, 13, 31]:
        data[8 + bit // 8] ^= 1 << bit % 8
        is_told(c, "7z: bit %d of the CRC of its start header" % bit, "h.7z", bytes(data), 4)
        data[8 + bit // 8] ^= 1 << bit % 8


def directories(c):
    """What the directory of a zip can say that is no damage, and what it cannot."""
    s, m = c.s, c.good[0][1]
    piped = subprocess.run(["zip", "-q", "-", "-"], input=m, stdout=subprocess.PIPE, check=True).stdout
    folder = s.path("piped")
    os.makedirs(folder)
    subprocess.run(["zip", "-q", "out.zip", "-"], input=m, cwd=folder, check=True)
    named = open(os.path.join(folder, "out.zip"), "rb").read()
    s.check("zip of a pipe has a 64-bit end", None if b"PK\6\6" in named else "none")
    for what, data in [("to a pipe", piped), ("to a file", named)]:
        r, got, _ = c.run("zip of a pipe " + what, {"p.zip": data})
        s.equal("zip of a pipe %s is whole" % what, (r.returncode, got["p.zip"]["outcome"], got["p.zip!-"]["outcome"]), (0, "ok", "ok"))
    r, got, _ = c.run("empty zip", {"e.zip": b"PK\5\6" + bytes(18)})
    s.equal("an empty zip is whole", (r.returncode, got["e.zip"]["outcome"], got["e.zip"]["members"]), (0, "ok", 0))
    for n in [100, 20000, 65535]:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as z:
            z.writestr("a.mlpd", m)
            z.comment = b"c" * n
        r, got, _ = c.run("zip with a comment", {"c.zip": out.getvalue()})
        s.equal("a comment of %d bytes is no damage" % n, (r.returncode, got["c.zip!a.mlpd"]["outcome"]), (0, "ok"))
    # a member that the directory does not list: the first, one in the middle, the last
    for how, piped in [("", False), (", piped", True)]:
        members = sorted(kit.captures(27, 5).items())
        data = kit.zipped(members, False, piped)
        at, end = data.find(b"PK\1\2"), data.rfind(b"PK\5\6")
        records = [b"PK\1\2" + x for x in data[at:end].split(b"PK\1\2")[1:]]
        s.equal("a record for each member", len(records), 5)
        for k in [0, 2, 4]:
            left = b"".join(records[:k] + records[k + 1:])
            bad = data[:at] + left + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 4, 4, len(left), at, 0)
            r = is_told(c, "zip%s: member %d is not in the directory" % (how, k), "l.zip", bad, 4)
            s.equal("zip%s: member %d is not in the directory: one line" % (how, k), r.err.count("is missing from the directory"), 1)
    # 200 records of one member, and 200 members each of which holds all that follow
    one = kit.zipped([("a.mlpd", m)])
    at, end = one.find(b"PK\1\2"), one.rfind(b"PK\5\6")
    twice = one[:at] + one[at:end] * 200 + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 200, 200, 200 * (end - at), at, 0)
    r, got, _ = c.run("one member, 200 records", {"o.zip": twice})
    s.equal("one member, 200 records: told", (r.returncode, got["o.zip"]["complaints"]["damaged"]["n"], got["o.zip!a.mlpd"]["outcome"]),
            (3, 199, "ok"))
    heads = [struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 5, 0) + b"%05d" % i for i in range(200)]
    body = b"".join(heads) + m
    records = b"".join(struct.pack("<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 0, 0, 0, zlib.crc32(body[35 * (i + 1):]), len(body) - 35 * (i + 1),
                                   len(body) - 35 * (i + 1), 5, 0, 0, 0, 0, 0, 35 * i) + b"%05d" % i for i in range(200))
    laid = body + records + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 200, 200, len(records), len(body), 0)
    r, got, _ = c.run("200 members in each other", {"l.zip": laid})
    # the first looks like a zip without a directory, which is told as well
    s.equal("200 members in each other: told", (r.returncode, got["l.zip"]["complaints"]["damaged"]["n"]), (3, 200))
    # a link's mode on a capture
    data = bytearray(kit.zipped([("a.mlpd", m)], True))
    at = data.find(b"PK\1\2")
    data[at + 5] = 3
    struct.pack_into("<I", data, at + 38, 0o120777 << 16)
    r, got, _ = c.run("a capture called a link", {"k.zip": bytes(data)})
    s.equal("a capture called a link is read", (r.returncode, got.get("k.zip!a.mlpd", {}).get("outcome")), (0, "ok"))


def main():
    s = kit.Suite()
    c = Case(s)
    for part in [names, kinds, encrypted, damaged, bombs, dictionaries, many, unread, empty, failures, reports,
                 spellings, tars, streams, checksums, starts, directories]:
        part(c)
    s.end()


main()
