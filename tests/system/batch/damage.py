#!/usr/bin/env python3
"""Every bit of small archives of each kind flipped, and every byte cut: the damage is reported, or no capture changes.

The archives are made by tar, zip, 7z and the compressors' own programs, and by Python; tests/system/batch/sweep.c does the rest in one
process. Ends with "N passed, N failed".
"""
import io
import os
import random
import subprocess
import zipfile

import kit
import count

# Of the bits of an archive, each so manieth; where data is packed by chance, an odd number misses no kind of bit.
EVERY = 1 if kit.LONG else 37


def contents():
    """Captures of the sweep's own format: a few bytes that pack a little, and not too well."""
    rng = random.Random(20)
    out = []
    # a name that ends in "o" is a folder's with one bit flipped; a size of 256 is 0 with one
    for name, n in [("a.cap", 180), ("d/twoo", 256), ("three.cap", 97)]:
        out.append((name, b"CAPT" + bytes(rng.choice(b"abcdefgh\0\1") for _ in range(n - 4))))
    return out


def real(folder, members):
    """The members as files below a folder of their own."""
    for name, data in members:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "wb").write(data)
    return [name for name, _ in members]


def tar(folder, names, *options):
    """By GNU tar, padded as little as it can."""
    return subprocess.run(["tar", "-c", "-b2", "--mtime=@1700000000", "--owner=0", "--group=0", *options, "-C", folder, *names],
                          stdout=subprocess.PIPE, check=True).stdout


def tars(folder, names):
    gnu = tar(folder, names, "--format=gnu")
    return {"gnu.tar": gnu, "v7.tar": tar(folder, names, "--format=v7"), "pax.tar": tar(folder, names[:2], "--format=pax"),
            "two.tar": tar(folder, names[:1]) + tar(folder, names[1:])}


def zips(folder, names, members):
    subprocess.run(["zip", "-q", "-X", os.path.join(folder, "info.zip"), *names], cwd=folder, check=True)
    info = open(os.path.join(folder, "info.zip"), "rb").read()
    big = io.BytesIO()
    with zipfile.ZipFile(big, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in members:
            with z.open(zipfile.ZipInfo(name, (2023, 11, 14, 22, 13, 20)), "w", force_zip64=True) as f:
                f.write(data)
        z.comment = b"nightly"
    packed = {m: io.BytesIO() for m in [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]}
    for method, out in packed.items():
        with zipfile.ZipFile(out, "w", method) as z:
            for name, data in members:
                z.writestr(zipfile.ZipInfo(name, (2023, 11, 14, 22, 13, 20)), data, method)
    return {"info.zip": info, "stored.zip": kit.zipped(members, True), "piped.zip": kit.zipped(members, False, True),
            "big.zip": big.getvalue(), "bzip2.zip": packed[zipfile.ZIP_BZIP2].getvalue(), "lzma.zip": packed[zipfile.ZIP_LZMA].getvalue()}


def make(folder):
    """{name: bytes}: a small archive of every kind that is read."""
    members = contents()
    names = real(folder, members)
    made = dict(tars(folder, names))
    made.update(zips(folder, names, members))
    gnu = made["gnu.tar"]
    for tool in ["gz", "xz", "bz2", "zst", "lz4", "lz"]:
        made["p.tar." + tool] = kit.pack(tool, gnu)
    # two streams, as pigz, pbzip2, pixz and pzstd make them
    for tool in ["gz", "xz", "bz2", "zst", "lz4", "lz"]:
        made["twice.tar." + tool] = kit.pack(tool, gnu[:1700]) + kit.pack(tool, gnu[1700:])
    made["t.tar.gz.xz"] = kit.pack("xz", made["p.tar.gz"])
    made["skip.tar.zst"] = b"\x50\x2a\x4d\x18\4\0\0\0size" + made["p.tar.zst"]
    made["lzma.7z"] = kit.seven(members, "-m0=lzma")
    made["copy.7z"] = kit.seven(members, "-m0=copy")
    made["plain.7z"] = kit.seven(members, "-m0=lzma2", "-mhc=off")
    made["each.7z"] = kit.seven(members, "-m0=deflate", "-ms=off")
    made["in.zip.gz"] = kit.pack("gz", made["info.zip"])
    made["in.7z.xz"] = kit.pack("xz", made["lzma.7z"])
    made["nest.zip"] = kit.zipped([("in.tar", gnu), ("in.zip", made["info.zip"]), ("in.tar.gz", made["p.tar.gz"])])
    inside = real(folder, [("in.zip", made["stored.zip"]), ("in.7z", made["lzma.7z"])])
    made["nest.tar"] = tar(folder, inside, "--format=ustar")
    return members, made


def main():
    s = kit.Suite()
    plain, work = s.path("captures"), s.path("archives")
    os.makedirs(plain)
    os.makedirs(work)
    os.makedirs(s.path("files"))
    members, made = make(s.path("files"))
    for i, (_, data) in enumerate(members):
        open(os.path.join(plain, "%d" % i), "wb").write(data)
    for name, data in made.items():
        open(os.path.join(work, name), "wb").write(data)
    r = subprocess.run([os.path.join(kit.BUILD, "system", "batch", "sweep"), str(EVERY), plain, *[os.path.join(work, n) for n in sorted(made)]],
                       stdout=subprocess.PIPE)
    out = r.stdout.decode()
    print(out[:out.rfind("\n", 0, -1) + 1], end="")
    n = out.split("\n")[-2].split() if out else []
    if len(n) == 4 and r.returncode in (0, 1):
        count.add(int(n[0]), int(n[2]))
    else:
        s.check("the sweep ends", "status %d" % r.returncode)
    s.end()


main()
