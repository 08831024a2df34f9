#!/usr/bin/env python3
"""batch.py BUILD FOLDER: measures the speed and memory of batches.

Makes COUNT (1000) captures of 1 to 20 MB in four archives of similar size (tar.gz, tar.xz, tar.zst, zip), once, in FOLDER;
they are beginnings, cut between buffers, of eight recordings of a real Mono program. Then measures in turns:
 - `tracetool batch -j2` against `xargs -P2` of `bsdtar -xOf` per archive, then `xargs -P2 -n1 tracetool stats -j1` on the
   plain files; and against one core;
 - memory of the parent, the unpackers and the captures' processes.
RUNS (3): how often. One line per row: JOB<TAB>VALUE<TAB>MUST. Ends with status 1 if a row misses what it must reach.
"""
import glob
import os
import random
import shutil
import struct
import subprocess
import sys
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
BUILD, FOLDER = os.path.realpath(sys.argv[1]), os.path.realpath(sys.argv[2])
TT = os.path.join(BUILD, "tracetool")
COUNT = int(os.environ.get("COUNT", "1000"))
RUNS = int(os.environ.get("RUNS", "3"))
BUFFER = struct.pack("<I", 0x4D504C01)


def sh(command, **more):
    return subprocess.run(["bash", "-c", command], check=True, **more)


def recordings():
    """Eight real captures of 20 MB and more, recorded once."""
    exe = os.path.join(FOLDER, "Big.exe")
    if not os.path.exists(exe):
        sh("mcs -optimize -nowarn:0649 %s/tests/bench/programs/Big.cs -out:%s -r:System.Core.dll" % (TOP, exe))
    found = []
    for i in range(8):
        path = os.path.join(FOLDER, "rec%d.mlpd" % i)
        secs = 1
        while not os.path.exists(path) or os.path.getsize(path) < 21 << 20:
            sh("MONO_LOG_LEVEL=error mono --profile=log:nodefaults,calls,alloc,output=%s %s %d %d 2>/dev/null" % (path, exe, secs, 1 + i % 4))
            secs *= 2
        found.append(open(path, "rb").read(24 << 20))
    return found


def edges(data):
    """Where the buffers of a capture end."""
    at, found = data.index(BUFFER), []
    while at + 48 <= len(data) and data[at:at + 4] == BUFFER:
        at += 48 + struct.unpack_from("<I", data, at + 4)[0]
        if at <= len(data):
            found.append(at)
    return found


def make():
    """The plain captures and the archives; a file says that they are whole."""
    mark = os.path.join(FOLDER, "made-%d" % COUNT)
    plain, packed = os.path.join(FOLDER, "plain"), os.path.join(FOLDER, "packed")
    if os.path.exists(mark):
        return plain, packed
    for d in [plain, packed]:
        shutil.rmtree(d, ignore_errors=True)
        os.makedirs(d)
    data = recordings()
    ends = [edges(d) for d in data]
    rng = random.Random(1)
    kinds = ["tar.gz", "tar.xz", "tar.zst", "zip"]
    for i in range(COUNT):
        k = i % 8
        want = int(1e6 * 20 ** rng.random())      # as many of each size, in logarithms
        end = min(ends[k], key=lambda e: abs(e - want))
        folder = os.path.join(plain, kinds[i // 2 % 4].replace(".", "-"), "device-%d" % (i % 5))
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "%04d.mlpd" % i), "wb").write(data[k][:end])
    for kind, command in [("tar.gz", "tar cf - . | gzip -6 > %s"), ("tar.xz", "tar cf - . | xz -1 > %s"),
                          ("tar.zst", "tar cf - . | zstd -q -3 > %s"), ("zip", "zip -qr %s .")]:
        sh("cd %s && %s" % (os.path.join(plain, kind.replace(".", "-")), command % os.path.join(packed, "captures." + kind)))
    open(mark, "w").close()
    return plain, packed


def timed(command):
    before, start = os.times(), time.monotonic()
    sh(command)
    wall, after = time.monotonic() - start, os.times()
    return wall, after.children_user + after.children_system - before.children_user - before.children_system


def median(v):
    return sorted(v)[len(v) // 2]


def memory(command):
    """The largest resident sizes, KiB, of the parent and of its children by what they do."""
    p = subprocess.Popen(["bash", "-c", "exec " + command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    most = {"parent": 0, "children": 0}

    def rss(pid):
        try:
            with open("/proc/%d/statm" % pid) as f:
                return int(f.read().split()[1]) * 4
        except (OSError, IndexError):
            return 0
    while p.poll() is None:
        most["parent"] = max(most["parent"], rss(p.pid))
        try:
            with open("/proc/%d/task/%d/children" % (p.pid, p.pid)) as f:
                for c in f.read().split():
                    most["children"] = max(most["children"], rss(int(c)))
        except OSError:
            pass
        time.sleep(0.005)
    return most


def main():
    os.makedirs(FOLDER, exist_ok=True)
    plain, packed = make()
    size = int(subprocess.run(["du", "-sb", plain], capture_output=True, text=True, check=True).stdout.split()[0])
    for f in sorted(glob.glob(packed + "/*")):
        print("# %s: %.0f MB" % (os.path.basename(f), os.path.getsize(f) / 1e6))
    print("# %d captures, %.2f GB; load %s" % (COUNT, size / 1e9, " ".join(open("/proc/loadavg").read().split()[:3])), flush=True)
    ours = "%s batch -q -j2 %s > /dev/null" % (TT, packed)
    one = "taskset -c 0 %s batch -q -j1 %s > /dev/null" % (TT, packed)
    first = "ls %s/* | xargs -P2 -I{} bsdtar -xOf {} > /dev/null" % packed
    second = "find %s -type f | sort | xargs -P2 -n1 %s stats -j1 > /dev/null" % (plain, TT)
    a, b, c = [], [], []
    for _ in range(RUNS):
        a.append(timed(ours))
        x, y = timed(first), timed(second)
        b.append((x[0] + y[0], x[1] + y[1]))
        c.append(timed(one))
        print("# batch -j2 %.2f s (%.2f s of CPU), bsdtar and stats %.2f + %.2f s (%.2f), one core %.2f s (%.2f)" %
              (*a[-1], x[0], y[0], b[-1][1], *c[-1]), flush=True)
    missed = 0
    rows = [("wall time, by bsdtar then stats", median([p[0] / q[0] for p, q in zip(a, b)]), 1.1, True),
            ("two cores by one", median([q[0] / p[0] for p, q in zip(a, c)]), 1.5, False)]
    m = memory("%s batch -q -j2 %s" % (TT, packed))
    alone = memory("%s stats -j1 %s" % (TT, max(glob.glob(plain + "/**/*.mlpd", recursive=True), key=os.path.getsize)))
    rows += [("resident, parent, MiB", m["parent"] / 1024, 64, True), ("resident, largest child, MiB", m["children"] / 1024, 160, True),
             ("resident, stats alone, MiB", alone["parent"] / 1024, None, True)]
    print("# %.1f s of CPU and %.1f s of two cores per GB" % (median([p[1] for p in a]) / (size / 1e9), median([p[0] for p in a]) / (size / 1e9)))
    for job, value, must, most in rows:
        ok = must is None or (value <= must if most else value >= must)
        missed += not ok
        print("%s\t%.2f\t%s" % (job, value, "-" if must is None else "%s %s%s" % ("<=" if most else ">=", must, "" if ok else "  MISSED")))
    sys.exit(missed > 0)


main()
