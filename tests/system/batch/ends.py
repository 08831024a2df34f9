#!/usr/bin/env python3
"""How batches end: the files that a killed batch leaves, the messages of a stopped one, names of captures, totals too large to show."""
import ctypes
import fcntl
import json
import os
import shutil
import signal
import subprocess
import time

import kit
from kit import run

PR_SET_CHILD_SUBREAPER = 36


def captures(s, n):
    data = open(os.path.join(kit.DATA, "good-d01-gameloop-calls-alloc.mlpd"), "rb").read()
    os.makedirs(s.path("in"))
    for i in range(n):
        open(s.path("in", "%02d.mlpd" % i), "wb").write(data)


def at_work(out):
    """A batch with its processes in the middle of files that take long to make."""
    p = subprocess.Popen([kit.TRACETOOL, "batch", "-q", "-j", "4", "-o", out, "--do", "convert", "--to", "json.xz", os.path.join(
        os.path.dirname(out), "in")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
        env=dict(os.environ, TRACETOOL_JOBS_EXACT="1"))
    folder = os.path.join(out, "captures")
    while p.poll() is None and not any(".tmp." in f for f in (os.listdir(folder) if os.path.isdir(folder) else [])):
        time.sleep(0.001)
    return p


def stopped(s, sig):
    out = s.path("stopped")
    p = at_work(out)
    os.killpg(p.pid, sig)
    said = p.communicate()[1].decode()
    s.equal("%s to the group: ends by it" % sig.name, p.returncode, -sig)
    whys = {r.get("why", "ok") for r in kit.results(os.path.join(out, "results.part"))} if os.path.exists(
        os.path.join(out, "results.part")) else set()
    s.check("%s to the group: nothing crashed" % sig.name, whys - {"ok", "interrupted"})
    s.check("%s to the group: no line says so" % sig.name, "crashed" in said and said)
    r = run("batch", "-q", "-o", out, "--resume", "--do", "convert", "--to", "json.xz", s.path("in"))
    have = len(kit.results(os.path.join(out, "results.jsonl")))
    s.equal("%s to the group: resume does the rest" % sig.name, (r.returncode, have), (0, len(os.listdir(s.path("in")))))
    shutil.rmtree(out)


def one_process_stopped(s):
    """A signal to one of its processes, by hand: as little a crash."""
    out = s.path("one-stopped")
    p = at_work(out)
    pids = subprocess.run(["ps", "-o", "pid=", "--ppid", str(p.pid)], capture_output=True).stdout.split()
    for pid in pids[:1]:
        try:
            os.kill(int(pid), signal.SIGTERM)
        except ProcessLookupError:
            pass
    p.communicate()
    whys = {r.get("why", "ok") for r in kit.results(os.path.join(out, "results.jsonl"))}
    s.check("SIGTERM to a process of it: no crash", whys - {"ok", "interrupted"})
    shutil.rmtree(out)


def killed(s):
    """Its processes die with it, and here nobody waits for them: they stay as zombies with their numbers."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    out = s.path("killed")
    p = at_work(out)
    p.kill()
    p.wait()
    r = run("batch", "-q", "-o", out, "--resume", "--do", "convert", "--to", "json.xz", s.path("in"))
    s.equal("resumed straight after a kill", r.returncode, 0)
    left = [f for _, _, names in os.walk(out) for f in names if ".tmp." in f or f.endswith(".part")]
    s.check("resumed straight after a kill: no temporary is left", left)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
    shutil.rmtree(out)


def process_names(path):
    return [e["args"]["name"] for e in json.load(open(path))["traceEvents"] if e.get("name") == "process_name"]


def names(s):
    """What a viewer calls the process: as tracetool convert has it, and never the same for all."""
    folder = s.path("named")
    os.makedirs(folder)
    ttc = open(os.path.join(kit.TOP, "testdata", "capture", "good-v1.0-every-kind.ttc"), "rb").read()
    for f in sorted(os.listdir(kit.DATA)):
        if f.startswith("good-") and f.endswith(".mlpd") and os.path.getsize(os.path.join(kit.DATA, f)) < 100000:
            shutil.copy(os.path.join(kit.DATA, f), folder)
    open(os.path.join(folder, "one.ttc"), "wb").write(ttc)
    bare = subprocess.run([os.path.join(kit.BUILD, "kit", "mlpd_gen"), "17", "8", "1", os.path.join(folder, "bare.mlpd")])
    s.equal("a capture is made", bare.returncode, 0)
    out = s.path("named-out")
    run("batch", "-q", "-o", out, "--do", "convert", "--to", "json", folder)
    for r in kit.results(os.path.join(out, "results.jsonl")):
        run("convert", "-q", r["key"], "-o", s.path("plain.json"), cwd=folder)
        s.equal("process of " + r["key"], process_names(os.path.join(out, "captures", r["files"][0])),
                process_names(s.path("plain.json")))


def totals(s):
    out = s.path("totals")
    run("batch", "-q", "-o", out, s.path("in", "00.mlpd"))
    doc = kit.results(os.path.join(out, "results.jsonl"))[0]
    most = 2 ** 63 - 1
    for values, want in (([2 ** 62, 2 ** 62 - 1], most), ([2 ** 62] * 2, most), ([2 ** 62] * 5, most), ([most, most, 2], most),
                         ([most], most), ([1, 2], 3)):
        with open(s.path("crafted.jsonl"), "w") as f:
            for i, v in enumerate(values):
                doc["key"], doc["identity"] = "k%d" % i, "%016x" % i         # no copies of each other
                doc["metrics"]["gcalloc.bytes"] = doc["metrics"]["gcalloc.count"] = doc["events"] = v
                f.write(kit.line_of(doc))
        r = run("merge", "--format", "json", s.path("crafted.jsonl"))
        report = json.loads(r.out)
        row = report["tables"]["batch"]["rows"][0]
        s.equal("sum of %s" % values, (row["captures"], row["alloc_bytes"], row["allocs"], row["events"]),
                (len(values), want, want, want))
        s.equal("sum of %s: told where it is not exact" % values, any(n["id"] == "capped" for n in report["notes"]),
                sum(values) > most)


    doc["hist"] = {k: [5, 7, 5, most, 7, most] for k in ("frame_ns", "frame_alloc_bytes", "pause_ns")}
    records = []
    for part in (1, 2, 3):
        records.append(kit.line_of({"key": "z.zip", "type": "archive", "by": doc["by"], "file_size": 1, "file_mtime": "1.0", "outcome": "ok",
                                "format": "zip", "members": most, "captures": 0, "spooled": most, "kinds": {"text": most}, "part": part, "parts": 3}))
    open(s.path("crafted.jsonl"), "w").write(kit.line_of(doc) + "".join(records))
    r = run("merge", "-o", s.path("sum.jsonl"), "--format", "json", s.path("crafted.jsonl"))
    tables = json.loads(r.out)["tables"]
    s.equal("frames of a full histogram", (tables["batch_frames"]["rows"][0]["count"], tables["batch_frames"]["rows"][0]["share"]), (most, 100))
    s.equal("members of shards", [r["count"] for r in tables["batch_members"]["rows"]], [most])
    record = kit.by_key(s.path("sum.jsonl"))["z.zip"]
    s.equal("members of shards, joined", (record["members"], record["spooled"], record["kinds"]), (most, most, {"text": most}))


# --- resume, where results are not what they were ---------------------------------------------

def spoil(path, at):
    """Damage that the file's size and time do not show."""
    t = os.stat(path)
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(b"XXXX" * 16)
    os.utime(path, ns=(t.st_atime_ns, t.st_mtime_ns))


def resumed(s, name, folder, out, *more):
    """--resume: its results are those of a new run, byte for byte, and so is the exit status."""
    want = run("batch", "-q", "-o", s.path("afresh"), folder)
    r = run("batch", "-o", out, "--resume", *more, folder)
    s.equal(name + ": exit", r.returncode, want.returncode)
    s.equal(name + ": figures", r.out, want.out)
    s.equal(name + ": results", open(os.path.join(out, "results.jsonl"), "rb").read(),
            open(s.path("afresh", "results.jsonl"), "rb").read())
    s.check(name + ": speaks of no conflict", "different content" in r.err and r.err)
    shutil.rmtree(s.path("afresh"))
    return want


def verified(s):
    """Results of what --verify finds damaged are replaced, and so are those of captures that damage has cut off."""
    folder, out = s.path("verified"), s.path("verified-out")
    os.makedirs(folder)
    whole = open(os.path.join(kit.DATA, "good-d01-gameloop-calls-alloc.mlpd"), "rb").read()
    members = sorted(kit.captures(3, 6).items())
    files = {"one.mlpd": whole, "day.tar": kit.tar(members), "day.tar.gz": kit.pack("gz", kit.tar(members))}
    for damaged, at in (("one.mlpd", len(whole) // 2), ("day.tar", 512 + (len(members[0][1]) + 511) // 512 * 512),
                        ("day.tar.gz", len(files["day.tar.gz"]) // 2)):
        for name, data in files.items():
            open(os.path.join(folder, name), "wb").write(data)
        s.equal("results before", run("batch", "-q", "-o", out, folder).returncode, 0)
        before = open(os.path.join(out, "results.jsonl"), "rb").read()
        spoil(os.path.join(folder, damaged), at)
        want = resumed(s, "%s damaged, --verify" % damaged, folder, out, "--verify")
        s.equal("%s damaged: seen" % damaged, want.returncode, 3)
        # A run that verifies and is killed at its end leaves all in .part: the next one takes what is newer.
        os.rename(os.path.join(out, "results.jsonl"), os.path.join(out, "results.part"))
        if damaged == "one.mlpd":
            open(os.path.join(out, "results.jsonl"), "wb").write(before)
            resumed(s, "%s damaged, and killed then" % damaged, folder, out)
        shutil.rmtree(out)


def lines_lost(s):
    """Lines of an archive's captures are gone or torn, and its own is there: it is read again."""
    folder, out = s.path("lost"), s.path("lost-out")
    os.makedirs(folder)
    for i, name in enumerate(("day.tar", "day.tar.gz", "day.zip")):
        members = sorted(kit.captures(20 + i, 4).items())
        data = kit.zipped(members) if name.endswith("zip") else kit.tar(members)
        open(os.path.join(folder, name), "wb").write(kit.pack("gz", data) if name.endswith("gz") else data)
    run("batch", "-q", "-o", out, folder)
    path = os.path.join(out, "results.jsonl")
    lines = open(path, "rb").read().splitlines(True)
    for i, line in enumerate(lines):
        for how, left in (("lost", b""), ("torn", line[:len(line) // 2] + b"\n"), ("zeros", bytes(len(line)))):
            open(path, "wb").write(b"".join(lines[:i]) + left + b"".join(lines[i + 1:]))
            r = run("batch", "-q", "-o", out, "--resume", folder)
            s.equal("line %d %s: resume ends well" % (i + 1, how), r.returncode, 0)
            s.check("line %d %s: resume brings it back" % (i + 1, how), open(path, "rb").read() != b"".join(lines))


def files_lost(s):
    """Files made of captures that are gone, or not as long as they were, are made again."""
    folder, out = s.path("files"), s.path("files-out")
    os.makedirs(folder)
    data = open(os.path.join(kit.DATA, "good-d01-gameloop-calls-alloc.mlpd"), "rb").read()
    open(os.path.join(folder, "one.mlpd"), "wb").write(data)
    for name, pack in (("day.tar", None), ("day.zip", kit.zipped), ("day.tar.gz", "gz")):
        members = sorted(kit.captures(5, 3).items())
        made = pack(members) if callable(pack) else kit.tar(members)
        open(os.path.join(folder, name), "wb").write(kit.pack(pack, made) if isinstance(pack, str) else made)
    command = ("batch", "-q", "-o", out, "--do", "convert", "--to", "json.gz,folded", "--per-capture", "text", folder)
    s.equal("files: made", run(*command).returncode, 0)
    made = os.path.join(out, "captures")
    want = {f: open(os.path.join(made, f), "rb").read() for f in os.listdir(made)}
    lines = open(os.path.join(out, "results.jsonl")).read()
    sizes = {f: n for r in kit.results(os.path.join(out, "results.jsonl")) for f, n in zip(r.get("files", []), r.get("files_bytes", []))}
    s.equal("files: their sizes are in the results", sizes, {f: len(data) for f, data in want.items()})
    for more in ((), ("--verify",)):
        for how in ("emptied", "cut", "gone"):
            some = sorted(want)[::3]
            for f in some:
                path = os.path.join(made, f)
                if how in ("emptied", "cut"):
                    os.truncate(path, 0 if how == "emptied" else max(0, len(want[f]) - 1))
                else:
                    os.unlink(path)
            r = run(*command[:-1], "--resume", *more, folder)
            s.equal("files %s %s: resumed" % (how, more), r.returncode, 0)
            s.equal("files %s %s: all are there again" % (how, more), {f: open(os.path.join(made, f), "rb").read() for f in os.listdir(made)}, want)
            s.equal("files %s %s: results" % (how, more), open(os.path.join(out, "results.jsonl")).read(), lines)
    before = {f: os.stat(os.path.join(made, f)).st_ino for f in want}
    s.equal("files: all there", run(*command[:-1], "--resume", folder).returncode, 0)
    s.equal("files: what is there is not made again", {f: os.stat(os.path.join(made, f)).st_ino for f in os.listdir(made)}, before)
    # A folder whose share is not mounted is empty, and that is no news of its captures.
    os.mkdir(s.path("not mounted"))
    r = run(*command[:-1], "--resume", s.path("not mounted"))
    s.equal("nothing to read: results stay", (r.returncode, "mounted" in r.err, open(os.path.join(out, "results.jsonl")).read()), (3, True, lines))


def lock_outlives(s):
    """A killed batch's lock is held until the processes it had begun have died: the next batch waits for that."""
    out = s.path("held")
    os.makedirs(out)
    part = os.path.join(out, "results.part")
    with open(part, "w") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        p = subprocess.Popen([kit.TRACETOOL, "batch", "-q", "-o", out, s.path("in", "00.mlpd")], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE)

        def waits():
            try:
                links = [os.readlink("/proc/%d/fd/%s" % (p.pid, n)) for n in os.listdir("/proc/%d/fd" % p.pid)]
                return part in links and open("/proc/%d/stat" % p.pid).read().rsplit(")", 1)[1].split()[0] == "S"
            except OSError:
                return False

        while p.poll() is None and not waits():
            pass
        os.unlink(part)               # as a batch does when it ends
    s.equal("a lock that is held for a moment is waited for", (p.wait(), p.stderr.read()), (0, b""))
    p.stderr.close()
    s.equal("... and the file that it was of is not used any more", os.listdir(out), ["results.jsonl"])


def merge_tells_losses(s):
    """A line of an archive's capture that is torn or gone: merge says so, and its exit status is 3."""
    folder, out = s.path("merged"), s.path("merged-out")
    os.makedirs(folder)
    for name in ("day.tar", "day.tar 2"):         # its key comes between those of the other and its captures
        open(os.path.join(folder, name), "wb").write(kit.tar(sorted(kit.captures(31, 4).items())))
    run("batch", "-q", "-o", out, folder)
    lines = open(os.path.join(out, "results.jsonl"), "rb").read().splitlines(True)
    path = s.path("merged.jsonl")
    for i, line in enumerate(lines):
        key = json.loads(line)["key"]
        for how, left in (("lost", b""), ("torn", line[:len(line) // 2] + b"\n")):
            open(path, "wb").write(b"".join(lines[:i]) + left + b"".join(lines[i + 1:]))
            r = run("merge", path)
            if how == "torn" or key:
                s.equal("merge, %s %s: exit" % (key, how), r.returncode, 3)
            if "!" in key:
                s.check("merge, %s %s: told" % (key, how), None if key.split("!")[0] + ": results of 1 of its 4 captures are lost"
                        in r.err else r.err)
            elif key:
                s.check("merge, %s %s: told" % (key, how), None if "results of 1 of the 2 files in " + path in r.err else r.err)
    open(path, "wb").write(b"".join(lines))
    s.equal("merge, all lines: exit", run("merge", path).returncode, 0)


def main():
    s = kit.Suite()
    captures(s, 12)
    for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        for _ in range(5 if kit.LONG else 1):
            stopped(s, sig)
    one_process_stopped(s)
    for _ in range(5 if kit.LONG else 2):
        killed(s)
    names(s)
    totals(s)
    verified(s)
    lines_lost(s)
    files_lost(s)
    lock_outlives(s)
    merge_tells_losses(s)
    s.end()


main()
