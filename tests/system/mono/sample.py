#!/usr/bin/env python3
"""Samples with the real runtime: they hit the right methods and threads, and harm nothing that they interrupt."""
import os
import signal
import subprocess
import time

import kit

HZ = 1000
# Of samples that fall as a coin does: so many standard deviations are allowed. Once in some millions of runs.
SIGMAS = 5


def stacks(path, whole=True):
    """[(thread, [frames, outermost first], samples)]; not ${whole}: of a capture that is being written."""
    text = subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-f", "folded", "--names", "full"], capture_output=True, text=True,
                          check=whole).stdout
    found = []
    for line in text.splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = stack.split(";")
        found.append((frames[0], frames[1:], int(count)))
    return found


def in_leaf(found, method):
    return sum(n for _, frames, n in found if frames and frames[-1].startswith(method))


def spin(name, options, *args):
    out = kit.capture(name + ".ttc")
    before = os.times()
    run = kit.mono(options + ",out=" + out, "Spin", *args)
    after = os.times()
    kit.check(run.returncode == 0, name + ": exit status", run.returncode, run.stderr)
    return stacks(out), after.children_user + after.children_system - before.children_user - before.children_system


def share(name, found):
    """Three quarters of the work, and so of the samples, are in Heavy; a twentieth more or less, for a round is not always as fast."""
    heavy, light = in_leaf(found, "Spin:Heavy"), in_leaf(found, "Spin:Light")
    n = heavy + light
    bound = SIGMAS * (0.75 * 0.25 / max(n, 1)) ** 0.5 + 0.05
    kit.check(n > 100 and abs(heavy / n - 0.75) <= bound, name + ": three of four samples are in Heavy",
              "%d and %d: %.4f, not within %.4f of 0.75" % (heavy, light, heavy / max(n, 1), bound))
    return n


def cpu():
    found, seconds = spin("cpu", "sample=%d" % HZ, "1500r", "1", "4")
    n = share("cpu", found)
    total = sum(c for _, _, c in found)
    kit.check(n > 0.9 * total, "cpu: samples are where time goes", n, total)
    # Each sample stands for a period of processor time; what runs before the first thread is sampled is not.
    kit.check(0.6 * seconds * HZ < total < 1.1 * seconds * HZ, "cpu: as many as periods of processor time", total, seconds)
    idle = sum(c for thread, _, c in found if thread.startswith("Idle"))
    kit.check(idle < total * 0.05, "cpu: threads that wait have hardly any", idle, total)
    for _, frames, _ in found:
        if frames and frames[-1].startswith(("Spin:Heavy", "Spin:Light")):
            kit.check([f.split(" ")[0] for f in frames[-3:-1]] == ["Spin:Main", "Spin:Work"], "the stack of " + frames[-1], frames)
    names = {f for _, frames, _ in found for f in frames}
    kit.check(not any("unknown" in f for f in names), "every frame has a name", names)
    kit.check(any(f.startswith("System.") for f in names), "code compiled ahead of time, too", names)


def real():
    """Now and then the runtime never hits a thread that waits from its beginning; with the log profiler, too."""
    for _ in range(5):
        found, _ = spin("real", "sample=%d,real" % HZ, "800r", "1", "6")
        by_thread = {}
        for thread, _, n in found:
            by_thread[thread] = by_thread.get(thread, 0) + n
        idle = [n for thread, n in by_thread.items() if thread.startswith("Idle")]
        if idle:
            break
    share("real", found)
    kit.check(idle and min(idle) > by_thread.get("Main", 0) / 2, "real: threads that wait are sampled like others", by_thread)
    waits = [frames for thread, frames, _ in found if thread.startswith("Idle")]
    kit.check(waits and all(any("Wait" in f for f in frames) for frames in waits if len(frames) > 8), "real: where they wait",
              waits[:1])


def processor_s(p):
    fields = open("/proc/%d/stat" % p.pid).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def until(what, is_so):
    deadline = time.monotonic() + 60
    while not is_so():
        if time.monotonic() > deadline:
            kit.check(False, what)
            return
        time.sleep(0.02)


def paused():
    """What passes in a pause is in no sample. The runtime's sampler, which wakes all threads at each tick, rests in mode cpu."""
    out = kit.capture("paused.ttc")
    p = subprocess.Popen(["mono", "--profile=tracetool:sample=%d,signal=USR1,out=%s" % (HZ, out), kit.program("Spin"), "60000", "1", "8"],
                         env=kit.ENV, cwd=kit.FOLDER)
    seen = lambda: sum(n for _, _, n in stacks(out, False)) if os.path.exists(out) else 0
    until("paused: samples", lambda: seen() > 300)
    began = processor_s(p)
    p.send_signal(signal.SIGUSR1)
    until("paused: time passes", lambda: processor_s(p) > began + 1)
    before, pause = seen(), processor_s(p) - began
    p.send_signal(signal.SIGUSR1)
    until("paused: samples again", lambda: seen() > before + 100)
    for task in os.listdir("/proc/%d/task" % p.pid):
        status = open("/proc/%d/task/%s/status" % (p.pid, task)).read()
        if "Profiler Sample" in status:
            switches = int(status.split("\nvoluntary_ctxt_switches:")[1].split()[0])
            kit.check(switches < 50, "cpu: the runtime's sampler rests", switches)
    used = processor_s(p)
    p.send_signal(signal.SIGKILL)
    p.wait()
    # A tenth of a second is what may pass between a signal and its being obeyed.
    kit.check(seen() < (used - pause + 0.2) * HZ, "paused: no samples of the pause", seen(), used, pause)
    subprocess.run([kit.TRACETOOL, "recover", "-q", "--remove-ring", out], check=True)


def threads():
    found, _ = spin("threads", "sample=%d" % HZ, "800r", "3")
    share("threads", found)
    # A folded line writes no blank before a number that ends a name.
    for name in ("Main", "Busy_0", "Busy_1"):
        kit.check(in_leaf([f for f in found if f[0] == name], "Spin:") > 100, "threads: samples of " + name)


def interrupted():
    """Calls and allocations that samples interrupt at a high rate are whole."""
    out, plain = kit.capture("both.ttc"), kit.capture("plain.ttc")
    run = kit.mono("calls,alloc,sample=5000,real,out=" + out, "GameLoop", "200", "8")
    kit.mono("calls,alloc,out=" + plain, "GameLoop", "200", "8")
    kit.check(run.returncode == 0, "calls, allocations and samples: exit status", run.returncode, run.stderr)
    a, b = (kit.stats(path, "markers,alloc_classes,loss") for path in (out, plain))
    def calls(t):
        return kit.counts([r for r in t["markers"] if r["category"] == "GameLoop"], "marker", "count")
    kit.check(len(calls(b)) > 10, "there are calls")
    kit.check_equal(calls(a), calls(b), "calls beside samples")
    ours = lambda t: {k: v for k, v in kit.counts(t["alloc_classes"], "class", "count", "bytes").items() if k.startswith("Game.")}
    kit.check_equal(ours(a), ours(b), "allocations beside samples")
    kit.check(not [r for r in a["loss"] if r["severity"] in ("loss", "error")], "nothing is lost", a["loss"])


def churn():
    """Threads that come and go while they are sampled."""
    out, n = kit.capture("churn.ttc"), 5000 if kit.LONG else 500
    for mode in ("real", "cpu"):
        run = kit.mono("sample=5000,%s,out=%s" % (mode, out), "Churn", str(n))
        kit.check(run.returncode == 0 and run.stdout == "%d\n" % n, mode + ": threads that come and go", run.returncode, run.stderr)
        kit.check(sum(c for _, _, c in stacks(out)) > 0, "... are sampled")
        rows = kit.stats(out, "threads,loss")
        kit.check(not [r for r in rows["loss"] if r["severity"] in ("loss", "error")], "... and nothing is lost", rows["loss"])


def killed():
    """What was sampled before a kill is there, with names."""
    out = kit.capture("killed.ttc")
    p = subprocess.Popen(["mono", "--profile=tracetool:sample=1000,out=" + out, kit.program("Spin"), "60000"], env=kit.ENV,
                         cwd=kit.FOLDER)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (os.path.exists(out) and in_leaf(stacks(out, False), "Spin:") > 50):
        time.sleep(0.05)
    p.send_signal(signal.SIGKILL)
    p.wait()
    n = in_leaf(stacks(out), "Spin:")
    kit.check(n > 50, "samples before a kill", n)
    subprocess.run([kit.TRACETOOL, "recover", "-q", "--remove-ring", out], check=True)


def another_sampler():
    out = kit.capture("second.ttc")
    log = os.path.join(kit.FOLDER, "log.mlpd")
    p = subprocess.run(["mono", "--profile=log:nodefaults,sample,output=" + log, "--profile=tracetool:sample,out=" + out,
                        kit.program("Spin"), "100"], env=kit.ENV, cwd=kit.FOLDER, capture_output=True, text=True)
    kit.check(p.returncode == 0 and "another profiler" in p.stderr, "the first profiler to sample sets the rate", p.stderr)


kit.compile("Spin", "Churn", "GameLoop")
cpu()
paused()
real()
threads()
interrupted()
churn()
killed()
another_sampler()
kit.end()
