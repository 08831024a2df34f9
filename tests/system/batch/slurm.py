#!/usr/bin/env python3
"""Batches on a real Slurm: two nodes on this machine's loopback, an array of 20 shards, and the failures that arrays meet.

A node is killed with all that runs on it while tracetool is in the middle of a shard, a task is requeued in the middle of another, the
controller is stopped and started again: the merged results are those of one run, byte for byte, and nobody has to do anything. Then: a
damaged capture fails no task, a shard that is lost is told by the merge, which ends with 4, and one that runs again mends that.

Controller, nodes and munged are started here as the user who runs this, in a folder of its own, listen on loopback alone, and are
stopped by their process ids. Nothing waits for a time: states are looked at until they are there, or a deadline is over.
"""
import glob
import os
import shutil
import signal
import socket
import subprocess
import time

import kit
from kit import run

SHARE = os.path.join(kit.TOP, "cmd", "share", "slurm")
SHARDS = 20
DEADLINE = 600
CONF = """ClusterName=tracetool
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CredType=cred/munge
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool.%n
SlurmctldPidFile={dir}/slurmctld.pid
SlurmdPidFile={dir}/slurmd.%n.pid
SlurmctldPort={port[0]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/builtin
SchedulerParameters=sched_min_interval=20000,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=10
SlurmdTimeout=10
KillWait=5
NodeName=n1 NodeAddr=127.0.0.1 NodeHostname={host} Port={port[1]} CPUs=1 RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeAddr=127.0.0.1 NodeHostname={host} Port={port[2]} CPUs=1 RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
"""


def until(what, done):
    """Wait for done() to be true; what it gives."""
    end = time.monotonic() + DEADLINE
    while True:
        got = done()
        if got:
            return got
        if time.monotonic() > end:
            raise SystemExit("%s: not within %d s\n0 passed, 1 failed" % (what, DEADLINE))
        time.sleep(0.01)


class Cluster:
    """munged, slurmctld and two slurmd, in the foreground."""

    def __init__(self, s):
        self.s, self.dir, self.child = s, s.path("slurm"), {}
        for name in ("", "state", "spool.n1", "spool.n2"):
            os.makedirs(os.path.join(self.dir, name), exist_ok=True)
        sockets = [socket.socket() for _ in range(3)]
        for x in sockets:
            x.bind(("127.0.0.1", 0))
        port = [x.getsockname()[1] for x in sockets]
        for x in sockets:
            x.close()
        self.conf = os.path.join(self.dir, "slurm.conf")
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        with open(self.conf, "w") as f:
            f.write(CONF.format(host=socket.gethostname().split(".")[0], user=user, dir=self.dir, port=port))
        key = os.path.join(self.dir, "munge.key")
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as f:
            f.write(os.urandom(1024))
        self.env = {**{k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "TRACETOOL_SHARDS"))},
                    "SLURM_CONF": self.conf, "PATH": os.path.dirname(kit.TRACETOOL) + ":" + os.environ["PATH"] + ":/usr/sbin:/sbin"}
        self.start("munged", "munged", "--foreground", "--force", "--key-file=" + key, "--socket=%s/munge.socket" % self.dir,
                   "--pid-file=%s/munge.pid" % self.dir, "--log-file=%s/munge.log" % self.dir, "--seed-file=%s/munge.seed" % self.dir)
        until("munged", lambda: os.path.exists(os.path.join(self.dir, "munge.socket")))
        self.controller()
        self.node("n1")
        self.node("n2")
        until("two nodes", lambda: self.ask("sinfo", "-hN", "-o", "%T").split() == ["idle", "idle"])

    def start(self, name, *command):
        log = open(os.path.join(self.dir, name + ".log"), "ab")
        self.child[name] = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.dir)
        log.close()

    def controller(self):
        self.start("slurmctld", "slurmctld", "-D", "-f", self.conf)
        until("the controller", lambda: "UP" in self.ask("scontrol", "ping"))

    def node(self, name):
        self.start(name, "slurmd", "-D", "-f", self.conf, "-N", name)

    def ask(self, *command):
        return subprocess.run(command, env=self.env, capture_output=True, text=True).stdout

    def stop(self, name, sig=signal.SIGTERM):
        p = self.child.pop(name)
        p.send_signal(sig)
        p.wait()

    def end(self):
        for p in self.processes():
            self.kill(p)
        for name in list(self.child):
            self.stop(name, signal.SIGKILL if name != "munged" else signal.SIGTERM)

    def processes(self, node=None):
        """Ids of processes of jobs (those on ${node}), and of what started them there."""
        found = set()
        for path in glob.glob("/proc/[0-9]*"):
            try:
                env = open(path + "/environ", "rb").read().split(b"\0")
                if b"SLURM_CONF=" + self.conf.encode() not in env or not any(e.startswith(b"SLURM_JOB_ID=") for e in env):
                    continue
                if node and b"SLURMD_NODENAME=" + node.encode() not in env:
                    continue
                parent = int(open(path + "/stat").read().rsplit(")", 1)[1].split()[1])
                if "slurmstepd" in open("/proc/%d/comm" % parent).read():
                    found.add(parent)
                found.add(int(path[6:]))
            except (OSError, ValueError):
                pass
        return found

    @staticmethod
    def kill(pid, sig=signal.SIGKILL):
        try:
            os.kill(pid, sig)
        except OSError:
            pass

    def tasks(self, job):
        """{shard: (state, node, restarts)} of the tasks that are not over."""
        found = {}
        for line in self.ask("squeue", "-hr", "-j", str(job), "-o", "%K %T %B").splitlines():
            word = line.split()
            if word[0].isdigit():
                found[int(word[0])] = (word[1], word[2] if len(word) > 2 else "")
        return found

    def over(self, job):
        return not self.ask("squeue", "-h", "-j", str(job)).strip()

    def show(self, job):
        return dict(w.split("=", 1) for w in self.ask("scontrol", "-o", "show", "job", str(job)).split() if "=" in w)


def submit(c, *args, names=""):
    """By tracetool-slurm: its exit status, what it said, and the job of the array and of the merge."""
    r = subprocess.run([os.path.join(SHARE, "tracetool-slurm"), *args], env=c.env, capture_output=True, text=True, input=names)
    words = r.stdout.split()
    array = int(words[words.index("job") + 1].rstrip(":")) if "job" in words else 0
    return r, array, array + 1


def lines(path):
    try:
        return open(path, "rb").read().count(b"\n")
    except OSError:
        return 0


def middle(c, job, out, node):
    """A shard at work on ${node}, stopped in its middle: some of its captures have results, and some have not."""
    while True:
        shard = until("a shard on " + node, lambda: next((i for i, t in c.tasks(job).items() if t[:2] == ("RUNNING", node)), 0))
        part = os.path.join(out, "results.%d-of-%d.part" % (shard, SHARDS))
        until("shard %d is at work, or over" % shard, lambda: lines(part) > 4 or c.tasks(job).get(shard, ("", ""))[0] != "RUNNING")
        held = c.processes(node)
        for p in held:
            try:
                if "tracetool" in open("/proc/%d/comm" % p).read():
                    c.kill(p, signal.SIGSTOP)
            except OSError:
                pass
        if lines(part) > 4 and c.tasks(job).get(shard, ("", ""))[:2] == ("RUNNING", node):
            return shard
        for p in held:
            c.kill(p, signal.SIGCONT)


def hurried(c, job):
    """Slurm lets what was requeued wait for two minutes; at full length it is left to."""
    if not kit.LONG:
        for i, t in c.tasks(job).items():
            if t[0] == "PENDING" and "BeginTime" in c.ask("scontrol", "show", "job", "%d_%d" % (job, i)):
                c.ask("scontrol", "update", "JobId=%d_%d" % (job, i), "StartTime=now")
    return c.over(job)


def same(s, what, out, one):
    s.check(what + ": as one run, byte for byte", open(os.path.join(out, "results.jsonl"), "rb").read() !=
            open(os.path.join(one, "results.jsonl"), "rb").read())


def disasters(s, c, src, one):
    out = s.path("out of the array")
    r, job, merge = submit(c, "-n", str(SHARDS), "-o", out, src)
    s.equal("tracetool-slurm", (r.returncode, r.stderr), (0, ""))

    shard = middle(c, job, out, "n1")
    # All at once: what is left would report that the task failed.
    node = [c.child["n1"].pid, *c.processes("n1")]
    for sig in (signal.SIGSTOP, signal.SIGKILL):
        for p in node:
            c.kill(p, sig)
    c.child.pop("n1").wait()
    s.check("the shard was not over", os.path.exists(os.path.join(out, "results.%d-of-%d.jsonl" % (shard, SHARDS))))

    again = middle(c, job, out, "n2")
    c.ask("scontrol", "requeue", "%d_%d" % (job, again))
    for p in c.processes("n2"):
        c.kill(p, signal.SIGCONT)
    until("the task is requeued", lambda: c.tasks(job).get(again, ("",))[0] in ("PENDING", "RUNNING") and
          int(c.show("%d_%d" % (job, again)).get("Restarts", 0)) > 0)

    middle(c, job, out, "n2")
    c.stop("slurmctld")
    for p in c.processes("n2"):
        c.kill(p, signal.SIGCONT)
    c.controller()

    until("the node is missed", lambda: int(c.show("%d_%d" % (job, shard)).get("Restarts", 0)) > 0)
    c.node("n1")                  # as after a reboot
    until("the array is over", lambda: hurried(c, job))
    until("the merge is over", lambda: c.over(merge))
    s.equal("the merge ended well", c.show(merge)["ExitCode"], "0:0")
    same(s, "node killed, task requeued, controller restarted", out, one)
    log = open(os.path.join(out, "merge.log")).read()
    s.equal("figures are in merge.log", run("merge", "-q", os.path.join(one, "results.jsonl")).out.decode() in log, True)
    logs = [open(f).read() for f in glob.glob(os.path.join(glob.escape(out), "shard-%d_*.log" % job))]
    s.equal("a log of each shard, which says which it is", (len(logs), sum("as Slurm says" in t for t in logs)), (SHARDS, SHARDS))
    s.check("a shard that was killed goes on", None if any("earlier result" in t and "kept" in t for t in logs) else logs)
    s.equal("no scratch is left of tasks that ended", [f for f in os.listdir(c.scratch) if glob.glob(os.path.join(c.scratch, f, "*"))], [])


def lost(s, c, src):
    """A damaged capture fails no task unless asked; a shard whose results are lost is told, and runs again by itself."""
    bad, out = s.path("with damage"), s.path("lost")
    shutil.copytree(src, bad)
    name = sorted(os.listdir(bad))[0]
    os.truncate(os.path.join(bad, name), os.path.getsize(os.path.join(bad, name)) // 2)
    one = s.path("one with damage")
    db = [s.path("of all shards.sqlite"), s.path("of one run.sqlite")]
    whole = run("batch", "-q", "-o", one, "--to-db", db[1], bad)
    r, job, merge = submit(c, "-n", "4", "-o", out, "-w", "--to-db", db[0], bad)
    s.check("the database is of all shards", open(db[0], "rb").read() != open(db[1], "rb").read())
    s.equal("damage fails no task; -w gives the merge's exit status", (r.returncode, whole.returncode), (3, 3))
    s.equal("damage: the tasks ended well", {c.show("%d_%d" % (job, i))["ExitCode"] for i in range(1, 5)}, {"0:0"})
    same(s, "damage", out, one)
    hit = next(i for i in range(1, 5) if any(r["outcome"] == "damaged" for r in kit.results(os.path.join(out, "results.%d-of-4.jsonl" % i))))
    r, job, merge = submit(c, "-n", "4", "-o", s.path("strict"), "-w", "--max-failures", "0", bad)
    s.equal("--max-failures: asked for, a task fails", {c.show("%d_%d" % (job, i))["ExitCode"] for i in range(1, 5) if i == hit}, {"1:0"})
    s.equal("--max-failures: the merge misses the shard that gave up", r.returncode, 4)

    os.unlink(os.path.join(out, "results.2-of-4.jsonl"))
    os.unlink(os.path.join(out, "results.jsonl"))
    env = {**c.env, "TRACETOOL_SHARDS": "4", "TRACETOOL": kit.TRACETOOL}

    def sbatch(*args):
        return subprocess.run(["sbatch", "--wait", "--parsable", "--output=" + s.path("sbatch.log").replace("%", "%%"), *args],
                              env=env, capture_output=True, text=True)
    r = sbatch(os.path.join(SHARE, "merge.sbatch"), out)
    s.equal("a shard is lost: told, exit 4", (r.returncode, "shard 2 of 4" in open(s.path("sbatch.log")).read(),
                                              os.path.exists(os.path.join(out, "results.jsonl"))), (4, True, False))
    r = sbatch("--array=2", os.path.join(SHARE, "shard.sbatch"), out, "--to-db", db[0], bad)
    s.equal("that one runs again, by its number", (r.returncode, os.path.exists(os.path.join(out, "results.2-of-4.jsonl"))), (0, True))
    r = sbatch(os.path.join(SHARE, "merge.sbatch"), out)
    same(s, "a lost shard, made again", out, one)


def named(s, c, src):
    """Names on standard input are those of one run; where no shard has results, the messages say where to look."""
    names = "".join(os.path.join(src, n) + "\n" for n in sorted(os.listdir(src))[::20])
    out, one = s.path("named"), s.path("one named")
    run("batch", "-q", "-o", one, "-", text=names)
    r = submit(c, "-n", "3", "-o", out, "-w", "-", names=names)[0]
    s.equal("names on standard input", (r.returncode, r.stderr), (0, ""))
    same(s, "names on standard input", out, one)
    r, job, merge = submit(c, "-n", "2", "-o", s.path("wrong"), "-w", "--frobnicate", src)
    s.equal("a wrong option: the log says which", (r.returncode, "shard-%d_*.log" % job in r.stderr, "--frobnicate" in open(
        s.path("wrong", "shard-%d_1.log" % job)).read()), (4, True, True))


def usage(s, c):
    for args, why in (([], "-n"), (["-n", "4"], "-o"), (["-n", "4", "-o", s.path("u")], "nothing to do"), (["-n", "x", "-o", "u", "in"], "-n"),
                      (["-n"], "needs a value"), (["-n", "4", "-o", "u", "--shard", "1/2", "in"], "--shard"),
                      (["-n", "4", "-o", "u", "--report", "a.html", "in"], "-M")):
        r = submit(c, *args)[0]
        s.equal("tracetool-slurm %s: says what is wrong" % args, (r.returncode, r.stdout, why in r.stderr), (2, "", True))
    s.equal("tracetool-slurm -h", submit(c, "-h")[0].returncode, 0)


def main():
    s = kit.Suite()
    missing = [p for p in ("slurmctld", "slurmd", "munged", "sbatch") if not shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing and kit.LONG:
        s.check("Slurm is installed (make setup-check)", missing)
        return s.end()
    if missing:
        s.left_out("batches on Slurm", "not installed: " + " ".join(missing))
        s.check("the files for Slurm are there", None if os.path.exists(os.path.join(SHARE, "shard.sbatch")) else SHARE)
        return s.end()
    src, one = s.path("captures of a night"), s.path("one")
    os.mkdir(src)
    for i in range(60 * SHARDS if kit.LONG else 30 * SHARDS):
        subprocess.run([os.path.join(kit.BUILD, "kit", "mlpd_gen"), "17", "8", str(i + 1),
                        os.path.join(src, "capture %d.mlpd" % i)], check=True)
    run("batch", "-q", "-o", one, src)
    os.environ["TMPDIR"] = s.path("scratch")
    os.mkdir(s.path("scratch"))
    c = Cluster(s)
    c.scratch = s.path("scratch")
    try:
        usage(s, c)
        disasters(s, c, src, one)
        lost(s, c, src)
        named(s, c, src)
    finally:
        c.end()
    s.end()


main()
