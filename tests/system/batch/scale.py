#!/usr/bin/env python3
"""The size of batches: memory does not grow with the number of captures, and shards together read what one run reads.

Resident sizes are looked at while it runs; bytes read are those of the system calls on the inputs. Small here, at full size
(100,000 captures) in `make check-all`. Ends with "N passed, N failed".
"""
import os
import re
import subprocess
import tarfile
import io
import time

import kit
from kit import run

SIZES = [100, 100000] if kit.LONG else [100, 3000]
SHARDS = 20


def watch(args):
    """Run; largest resident sizes in MiB: of the parent, of unpackers, of other children. A process with a pipe or memory
    of a capture as its input is no unpacker; the files' own processes count as unpackers."""
    p = subprocess.Popen([kit.TRACETOOL, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most = {"parent": 0, "child": 0}

    def size(pid, who):
        try:
            with open("/proc/%d/status" % pid) as f:
                kib = [int(l.split()[1]) for l in f if l.startswith("VmHWM")]
            most[who] = max([most[who]] + [k / 1024 for k in kib])
        except (OSError, ProcessLookupError):
            pass
    while p.poll() is None:
        size(p.pid, "parent")
        try:
            with open("/proc/%d/task/%d/children" % (p.pid, p.pid)) as f:
                for c in f.read().split():
                    size(int(c), "child")
        except OSError:
            pass
        time.sleep(0.002)
    return p.returncode, most, p.stderr.read().decode()


def flat(s):
    capture = s.path("c.mlpd")
    subprocess.run([os.path.join(kit.BUILD, "kit", "mlpd_gen"), "17", "8", "1", capture], check=True)
    data = open(capture, "rb").read()
    seen = {}
    for n in SIZES:
        src, out = s.path("in%d" % n), s.path("out%d" % n)
        os.makedirs(src)
        for k in range(4):
            with tarfile.open(os.path.join(src, "%d.tar%s" % (k, [".gz", "", ".gz", ""][k])),
                              ["w:gz", "w", "w:gz", "w"][k], format=tarfile.USTAR_FORMAT) as t:
                for i in range(n // 4):
                    info = tarfile.TarInfo("night/%d/%d.mlpd" % (i % 50, i))
                    info.size = len(data)
                    t.addfile(info, io.BytesIO(data))
        code, seen[n], err = watch(["batch", "-q", "-j2", "-o", out, src])
        s.equal("%d captures: exit" % n, code, 0)
        lines = sum(1 for _ in open(os.path.join(out, "results.jsonl")))         # with those of archives, and that of the run
        s.check("%d captures: a result each" % n, None if lines == n + 4 + 1 else err)
        print("%d captures: parent %.1f MiB, children %.1f MiB" % (n, seen[n]["parent"], seen[n]["child"]))
        if n == SIZES[-1]:
            code, most, _ = watch(["merge", "-q", "-o", s.path("m.jsonl"), out])
            print("merge of %d: %.1f MiB" % (n, most["parent"]))
            s.check("merge: 64 MiB at most", most["parent"] > 64 * kit.SLOW and most)
            s.check("merge of what is in order changes nothing",
                    open(s.path("m.jsonl"), "rb").read() != open(os.path.join(out, "results.jsonl"), "rb").read())
    if os.environ.get("TT_SANITIZED"):
        return s.left_out("memory of the processes", "a sanitizer's memory is no measure")
    a, b = seen[SIZES[0]], seen[SIZES[-1]]
    s.check("the parent stays below 64 MiB", b["parent"] > 64 and b)
    s.check("children stay below 160 MiB", b["child"] > 160 and b)
    # lines are sorted in memory up to 12 MiB, which few captures do not fill
    s.check("the parent does not grow with captures", b["parent"] > a["parent"] + 24 and (a, b))
    s.check("children do not grow with captures", b["child"] > a["child"] + 8 and (a, b))


def bytes_read(s, src, *args):
    """Bytes that system calls read from files below ${src}."""
    log = s.path("strace")
    subprocess.run(["strace", "-f", "-qq", "-y", "-e", "trace=read,pread64", "-o", log, kit.TRACETOOL, "batch", "-q", *args, src],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   # who looks for leaks is a tracer, too, and there can be but one
                   env=dict(os.environ, TRACETOOL_SANDBOX="off", ASAN_OPTIONS="detect_leaks=0"))
    total, open_calls = 0, {}
    for line in open(log, errors="replace"):
        pid, rest = line.split(None, 1)
        m = re.match(r"p?read(?:64)?\(\d+<([^>]*)>", rest)
        if m:
            open_calls[pid] = m.group(1)
        if "unfinished" in rest:
            continue
        if (m or "resumed" in rest) and open_calls.get(pid, "").startswith(src):
            got = re.search(r"= (\d+)$", rest)
            total += int(got.group(1)) if got else 0
    return total


def shards(s):
    src = s.path("shards")
    os.makedirs(src)
    big = sorted((n, d) for n, d in kit.captures(9, 60).items() if len(d) > 300000)
    members = [("%d/%s" % (i, n), d) for i in range(12) for n, d in big]
    open(os.path.join(src, "a.zip"), "wb").write(kit.zipped(members, True))
    open(os.path.join(src, "b.tar.gz"), "wb").write(kit.pack("gz", kit.tar(members[:8])))
    open(os.path.join(src, "c.7z"), "wb").write(kit.seven(members[:8]))
    open(os.path.join(src, "d.mlpd"), "wb").write(big[0][1])
    one = bytes_read(s, src)
    parts = sum(bytes_read(s, src, "-o", s.path("so"), "--shard", "%d/%d" % (i, SHARDS)) for i in range(1, SHARDS + 1))
    print("one run reads %d bytes, %d shards %d: %.3f times as much" % (one, SHARDS, parts, parts / one))
    s.check("one run reads it", one < os.path.getsize(os.path.join(src, "a.zip")) and one)
    s.check("shards read at most 1.05 times that", parts > 1.05 * one and parts / one)


def main():
    s = kit.Suite()
    shards(s)
    flat(s)
    s.end()


main()
