"""What the suites of batches share: captures, archives of all kinds made by other programs, runs, and the sum at the end."""
import bz2
import gzip
import io
import json
import lzma
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from suite import BUILD, LONG, Suite, TESTDATA, TOP, TRACETOOL

SLOW = 5 if os.environ.get("TT_SANITIZED") else 1
DATA = os.path.join(TESTDATA, "mlpd")


def run(*args, cwd=None, env=None, text=None, timeout=300, **more):
    """tracetool ARGS to its end; .out bytes, .err text."""
    e = dict(os.environ)
    e.update(env or {})
    r = subprocess.run([TRACETOOL, *map(str, args)], cwd=cwd, env=e, capture_output=True, timeout=timeout,
                       input=text.encode() if text is not None else b"", **more)
    r.out, r.err = r.stdout, r.stderr.decode("utf-8", "replace")
    return r


def results(path):
    """The lines of a results file, read by Python's json, but for the first one: the record of the run."""
    with open(path, "rb") as f:
        return [doc for doc in map(json.loads, f.read().splitlines()) if doc["key"]]


def line_of(doc):
    """A line of results with its checksum, as tracetool-batch(1) has it."""
    text = json.dumps({k: v for k, v in doc.items() if k != "crc"}, separators=(",", ":"))[:-1]
    return '%s,"crc":"%08x"}\n' % (text, zlib.crc32(text.encode()))


def by_key(path):
    return {r["key"]: r for r in results(path)}


def captures(seed=1, n=12, folder=None):
    """{name: bytes}: whole captures of several versions, small ones."""
    names = sorted(f for f in os.listdir(DATA) if f.startswith("good-") and f.endswith(".mlpd"))
    rng = random.Random(seed)
    rng.shuffle(names)
    found = {}
    for i in range(n):
        f = names[i % len(names)]
        name = "%03d-%s" % (i, f)
        found[os.path.join(folder, name) if folder else name] = open(os.path.join(DATA, f), "rb").read()
    return found


# --- archives, made by Python, 7z, zip and the compressors' own programs ---------------------

def tar(members):
    """Bytes of a tar of [(name, bytes)] or of tarfile.TarInfo with bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name, data in members:
            info = name
            if not isinstance(name, tarfile.TarInfo):
                info = tarfile.TarInfo(name)
                info.mtime = 1700000000
            if data is not None:
                info.size = len(data)
            t.addfile(info, io.BytesIO(data) if data is not None else None)
    return out.getvalue()


class Pipe(io.RawIOBase):
    """Bytes that are written one after the other."""

    def __init__(self):
        self.parts = []

    def writable(self):
        return True

    def write(self, b):
        self.parts.append(bytes(b))
        return len(b)


def zipped(members, stored=False, piped=False):
    """A zip; ${piped}: with the lengths of its members behind them."""
    pipe = Pipe()
    out = io.BytesIO()
    with zipfile.ZipFile(pipe if piped else out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name, (2023, 11, 14, 22, 13, 20)), data,
                       zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)
    return b"".join(pipe.parts) if piped else out.getvalue()


def seven(members, *options):
    folder = tempfile.mkdtemp()
    try:
        for name, data in members:
            path = os.path.join(folder, "in", name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            open(path, "wb").write(data)
        subprocess.run(["7z", "a", "-bso0", "-bsp0", "-mtm=off", *options, "../out.7z", "."], check=True,
                       cwd=os.path.join(folder, "in"), stdin=subprocess.DEVNULL)
        return open(os.path.join(folder, "out.7z"), "rb").read()
    finally:
        shutil.rmtree(folder)


def seven_header(data, old, new):
    """The same 7z, made with -mhc=off, with ${new} for ${old} in its header, and the sums put right."""
    at, size = struct.unpack_from("<QQ", data, 12)
    head = data[32 + at:32 + at + size]
    assert head.count(old) == 1, head.hex()
    head = head.replace(old, new)
    start = struct.pack("<QQI", at, size, zlib.crc32(head))
    return data[:8] + struct.pack("<I", zlib.crc32(start)) + start + data[32:32 + at] + head


def pack(tool, data):
    if tool == "gz":
        return gzip.compress(data, 6, mtime=0)
    if tool == "xz":
        return lzma.compress(data, preset=1)
    if tool == "bz2":
        return bz2.compress(data)
    if tool == "lz":                      # RFC draft-diaz-lzip-09: a header of 6 bytes, LZMA with an end mark, and sums
        body = lzma.compress(data, lzma.FORMAT_ALONE, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}])[13:]
        return b"LZIP\1\x10" + body + struct.pack("<IQQ", zlib.crc32(data), len(data), 6 + len(body) + 20)
    # lz4 in small blocks: a block that is cut is lost
    return subprocess.run({"zst": ["zstd", "-q", "-c"], "lz4": ["lz4", "-q", "-c", "-B5"]}[tool], input=data, check=True,
                          stdout=subprocess.PIPE).stdout


def mixed(folder, per=6, seed=7):
    """One archive of each kind in ${folder}; {key: bytes} of all captures in them."""
    os.makedirs(folder, exist_ok=True)
    keys = {}

    def put(name, data, members):
        open(os.path.join(folder, name), "wb").write(data)
        for member, content in members:
            keys["%s!%s" % (name, member)] = content

    for i, tool in enumerate(["gz", "xz", "zst", "bz2", "lz4"]):
        members = sorted(captures(seed + i, per, "d").items())
        put("t.tar." + tool, pack(tool, tar(members)), members)
    members = sorted(captures(seed + 5, per).items())
    put("plain.tar", tar(members), members)
    put("z.zip", zipped(members), members)
    put("stored.zip", zipped(members, True), members)
    put("s.7z", seven(members), members)
    inner = sorted(captures(seed + 6, 2).items())
    nest = [("a.tar.gz", pack("gz", tar(inner))), ("b.zip", zipped(inner)), ("c.7z", seven(inner)), ("d.zip", zipped(inner, True, True)),
            ("readme.txt", b"hello\n"),
            ("one.mlpd.xz", pack("xz", inner[0][1]))]
    open(os.path.join(folder, "nest.tar.zst"), "wb").write(pack("zst", tar(nest)))
    for name, _ in nest[:4]:
        for member, content in inner:
            keys["nest.tar.zst!%s!%s" % (name, member)] = content
    keys["nest.tar.zst!one.mlpd.xz"] = inner[0][1]
    for name, content in sorted(captures(seed + 8, per, "plain").items()):
        os.makedirs(os.path.join(folder, "plain"), exist_ok=True)
        open(os.path.join(folder, name), "wb").write(content)
        keys[name] = content
    return keys
