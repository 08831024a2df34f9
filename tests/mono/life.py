#!/usr/bin/env python3
"""Options, ends, and what starts and stops recording: with real programs, whose calls are counted."""
import os
import signal
import subprocess
import time

import kit

BAD = [
    ("calls,foo", "foo"), ("calls,foo=1", "foo"), ("calls=1", "calls"), ("ring", "ring"), ("ring=", "ring"), ("ring=lots", "ring"),
    ("depth=-1", "depth"), ("depth=1.x", "depth"), ("depth=5000", "depth"), ("frame=Tick", "frame"), ("args=", "args"), ("meta=key", "meta"),
    ("alloc-stack=1000", "alloc-stack"), ("out=", "out"), ("out=" + "x" * 1100, "out"), ("signal=KILLED", "signal"),
    ("delay=soon", "delay"), ("x" * 5000, "xxx"), ("ring=1K", "ring"), ("out=/nonexistent/a.ttc", "/nonexistent/a.ttc"),
    ("signal=9", "signal"), ("alloc-sample=0", "alloc-sample"), ("alloc-sample=65M", "alloc-sample"),
]


def options():
    plain = kit.mono(None, "Ends", "exit", "7")
    for text, name in BAD:
        run = kit.mono(text, "Ends", "exit", "7")
        lines = run.stderr.splitlines()
        kit.check(run.returncode == plain.returncode and run.stdout == plain.stdout, text[:40] + ": the program runs on", run)
        kit.check(len(lines) == 1 and lines[0].startswith("tracetool: ") and name in lines[0], text[:40] + ": one line", lines)
    kit.check("calls, " in kit.mono("foo", "Ends", "exit", "0").stderr, "the valid options are named")
    kit.check(not [f for f in os.listdir(kit.FOLDER) if f.endswith(".ttc")], "nothing is left behind", os.listdir(kit.FOLDER))
    path = kit.capture("a,b.ttc")
    run = kit.mono("calls,out=%s," % path.replace(",", ",,"), "Ends", "exit", "0")
    kit.check(os.path.exists(path) and not run.stderr, "two commas are one inside a value", run.stderr)


def found(path, marker):
    return kit.counts(kit.stats(path, "markers")["markers"], "marker", "count").get(marker, [0])[0]


def during(path):
    return found(path, "Control:During (int)"), found(path, "Control:Before (int)") + found(path, "Control:After (int)")


def unmatched(path):
    return [r for r in kit.stats(path, "loss")["loss"] if r["kind"] not in ("open", "popped")]


def by_program():
    path = kit.capture("api.ttc")
    run = kit.mono("calls,gc,paused,out=" + path, "Control", "api", "50")
    kit.check(run.stdout.split() == "True Paused False False True".split(), "C#: what the functions say", run.stdout, run.stderr)
    kit.check(during(path) == (350, 0), "C#: calls between start and stop, no others", during(path))
    kit.check(unmatched(path) == [], "C#: nothing lost", unmatched(path))
    csv = path + ".csv"
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", csv], check=True)
    kit.check("fin — 終" in open(csv, encoding="utf-8").read(), "C#: a label is in the capture")
    info = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, text=True).stdout
    kit.check("forêt" in info, "C#: a fact is in the capture", info)
    run = kit.mono(None, "Control", "api", "1")
    kit.check(run.stdout.split() == "False Off False False False".split(), "C#: not profiled, it does nothing", run.stdout, run.stderr)
    path = kit.capture("threads.ttc")
    # Each pause takes a chunk of each thread: with room for all of them it does not matter when they are written.
    run = kit.mono("calls,alloc,paused,ring=160M,out=" + path, "Control", "threads", "500" if kit.LONG else "200")
    kit.check(run.returncode == 0 and unmatched(path) == [], "on and off while others call: nothing lost", run, unmatched(path))
    kit.check(during(path)[0] == (3500 if kit.LONG else 1400), "on and off while others call: every call", during(path))


class Lines:
    """A program that calls During as often as told."""
    def __init__(self, options):
        self.p = subprocess.Popen(["mono", "--profile=tracetool:" + options, kit.program("Control"), "lines"], env=kit.ENV,
                                  cwd=kit.FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.p.stdout.readline()

    def call(self, n):
        self.p.stdin.write("%d\n" % n)
        self.p.stdin.flush()
        return self.p.stdout.readline().strip()

    def until(self, state, what):
        """Wait for the state; calls meanwhile do not count."""
        end = time.monotonic() + 30
        while self.call(0) != state:
            if time.monotonic() > end:
                kit.check(False, what + ": becomes " + state)
                return
            time.sleep(0.005)

    def end(self):
        self.p.communicate(timeout=60)
        return self.p.returncode


def from_outside():
    path = kit.capture("signal.ttc")
    p = Lines("calls,paused,signal=USR2,out=" + path)
    p.call(5)
    for n in (3, 4):
        p.p.send_signal(signal.SIGUSR2)
        p.until("Recording", "signal")
        p.call(n)
        p.p.send_signal(signal.SIGUSR2)
        p.until("Paused", "signal")
        p.call(50)
    kit.check(p.end() == 0 and during(path) == (7, 0), "a signal starts and stops", during(path))

    control, path = os.path.join(kit.FOLDER, "control"), kit.capture("control.ttc")
    p = Lines("calls,paused,control=%s,out=%s" % (control, path))
    for text, state, n in (("start", "Recording", 3), ("label x", "Recording", 2), ("stop", "Paused", 50), ("start\r\n", "Recording", 4)):
        with open(control + ".new", "w") as f:
            f.write(text)
        os.rename(control + ".new", control)
        p.until(state, "control file")
        p.call(n)
    kit.check(p.end() == 0 and during(path) == (9, 0), "the control file starts and stops", during(path))

    path = kit.capture("delay.ttc")
    p = Lines("calls,delay=1s,out=" + path)
    early = p.call(5)             # on a busy machine a second may be over
    p.until("Recording", "delay")
    p.call(6)
    kit.check(p.end() == 0 and during(path) in ((6, 0), (11, 0)) and (early == "Recording" or during(path) == (6, 0)),
              "delay: recording begins by itself", during(path))


def output():
    path = kit.capture("keep.ttc")
    run = kit.mono("calls,keep=10s,out=" + path, "GameLoop", "24", "4")
    kit.check(found(path, "Game.World:Frame (int)") == 24 and not run.stderr, "flight recorder: what is held is written at the end",
              run.stderr)
    path = kit.capture("turn.ttc")
    run = kit.mono("calls,alloc,rotate-size=100K,out=" + path, "GameLoop", "300", "8")
    parts = [f for f in os.listdir(kit.FOLDER) if f.startswith("turn")]
    kit.check(len(parts) > 2 and sum(found(os.path.join(kit.FOLDER, f), "Game.World:Input ()") for f in parts) == 300,
              "rotation: several files, and each call in one", parts, run.stderr)
    path = kit.capture("most.ttc")
    run = kit.mono("calls,alloc,max-size=300K,out=" + path, "GameLoop", "300", "8")
    size = os.path.getsize(path)
    kit.check(200 << 10 < size <= 300 << 10 and run.returncode == 0, "max-size: the capture ends there", size, run.stderr)
    path = os.path.join(kit.FOLDER, "of-%p.ttc")
    run = kit.mono("meta=level:3: the end,out=" + path, "GameLoop", "1", "1")
    name = [f for f in os.listdir(kit.FOLDER) if f.startswith("of-")]
    kit.check(len(name) == 1 and name[0][3:-4].isdigit(), "%p is the process", name)
    info = subprocess.run([kit.TRACETOOL, "info", os.path.join(kit.FOLDER, name[0])], capture_output=True, text=True).stdout
    kit.check("3: the end" in info and "6.8" in info, "facts are in the capture, the runtime's version, too", info)


kit.compile()
options()
by_program()
from_outside()
output()
kit.end()
