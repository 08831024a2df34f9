#!/usr/bin/env python3
"""Checks options, ends of programs, and whatever starts and stops recording, with real programs whose calls are counted."""
import ctypes
import json
import os
import re
import select
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
    ("alloc-sample=", "alloc-sample"), ("alloc-sample=some", "alloc-sample"),
    ("signal=USR3", "signal"), ("depth=deep", "depth"), ("alloc-stack=x", "alloc-stack"), ("alloc-stack=4x", "alloc-stack"),
    ("sample=fast", "sample"), ("sample=5x", "sample"), ("sample=0", "sample"), ("sample=20000", "sample"),
    ("heapshot=x", "heapshot"), ("heapshot=0s", "heapshot"), ("heapshot=0gc", "heapshot"), ("heapshot=3days", "heapshot"),
    ("rotate-keep=x", "rotate-keep"), ("rotate-keep=2x", "rotate-keep"), ("rotate-keep=4294967296", "rotate-keep"),
    ("include=", "include"), (",".join("exclude=" + "x" * 900 for i in range(40)), "exclude"),
    ("out=" + "x" * 1019 + "%t", "too long"), ("threads=100000", "threads"), ("max-size=64K", "max-size"), ("ring=2048G", "ring"), ("y" * 200, "y" * 100),
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
    run = kit.mono(None, "Ends", "exit", "0", more=["--profile=tracetool"])
    found = [f for f in os.listdir(kit.FOLDER) if re.fullmatch(r"tracetool-[0-9]+\.ttc", f)]
    says = re.fullmatch("tracetool: no option records an event: .*\n", run.stderr)
    kit.check(says and len(found) == 1, "no option at all: a line, and a capture called after the process", run.stderr, found)
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
    # With all that has callbacks of its own, and calls that are too deep.
    run = kit.mono("calls,depth=1,exceptions,monitor,jit,handles,finalizers,moves,gc,paused,overwrite,out=" + path, "Control", "api", "5")
    kit.check(run.returncode == 0 and unmatched(path) == [] and during(path) == (0, 0), "C#: paused, all of it: nothing is out of place",
              run.stderr, unmatched(path), during(path))
    run = kit.mono(None, "Control", "api", "1")
    kit.check(run.stdout.split() == "False Off False False False".split(), "C#: not profiled, it does nothing", run.stdout, run.stderr)
    path = kit.capture("threads.ttc")
    # Each pause takes a chunk of each thread: with room for all of them it does not matter when they are written.
    run = kit.mono("calls,alloc,paused,ring=160M,out=" + path, "Control", "threads", "500" if kit.LONG else "200")
    kit.check(run.returncode == 0 and unmatched(path) == [], "on and off while others call: nothing lost", run, unmatched(path))
    kit.check(during(path)[0] == (3500 if kit.LONG else 1400), "on and off while others call: every call", during(path))


def labels():
    """Labels of C# are what --from-label and --to-label look for; marks are instants of their thread."""
    path = kit.capture("labels.ttc")
    run = kit.mono("calls,out=" + path, "Control", "labels")
    kit.check(run.returncode == 0 and not run.stderr, "labels: runs", run)
    facts = [r["value"] for r in kit.stats(path, "facts")["facts"] if r["key"] == "label"]
    kit.check(facts == ["menu", "boss fight", "level=2"], "labels: the table has them", facts)
    for options, want in (((), [3, 10, 4]), (("--to-label", "boss*"), [3, 0, 0]), (("--from-label", "boss fight"), [0, 10, 4]),
                          (("--from-label", "boss*", "--to-label", "*"), [0, 10, 0]), (("--from-label", "level=2"), [0, 0, 4])):
        rows = kit.counts(kit.stats(path, "markers", *options)["markers"], "marker", "count")
        got = [rows.get("Control:%s (int)" % m, [0])[0] for m in ("Before", "During", "After")]
        kit.check(got == want, "labels: %s" % " ".join(options), got, want)
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", path + ".json"], check=True)
    events = [e for e in json.load(open(path + ".json", encoding="utf-8"))["traceEvents"] if e["ph"] == "i"]
    kit.check([e["args"] for e in events if e["name"] == "Tracetool.Mark" and "rec" not in e["args"]["text"]] == [{"text": "half way"}],
              "labels: a mark is an instant", events)
    kit.check([e["args"]["value"] for e in events if e.get("cat") == "Facts" and e["args"]["key"] == "label"] == facts,
              "labels: each is an instant of the capture in Chrome JSON", events)


def by_more_functions():
    path = kit.capture("more.ttc")
    run = kit.mono("calls,keep=60s,heapshot,out=" + path, "Control", "more")
    kit.check(run.stdout.split() == "True True True True False".split(), "C#: what they say with keep and heapshot", run.stdout, run.stderr)
    t = kit.stats(path, "heapshots")
    kit.check(len(t["heapshots"]) == 1, "C#: a heap shot where one is asked for", t)
    info = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, text=True).stdout
    kit.check("no key" not in info and "a key" in info, "C#: a fact needs a key", info)
    run = kit.mono("calls,out=" + path, "Control", "more")
    kit.check(run.stdout.split() == "False False True True False".split(), "C#: what they say without", run.stdout, run.stderr)


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


def command(control, text):
    """Have the control file hold ${text}, and wait until it was read: the module closes it."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(control + ".new", "w") as f:
        f.write(text)
    fd = libc.inotify_init1(os.O_CLOEXEC)
    libc.inotify_add_watch(fd, (control + ".new").encode(), 0x10)      # IN_CLOSE_NOWRITE; it stays with the file
    os.rename(control + ".new", control)
    kit.check(select.select([fd], [], [], 30)[0] == [fd], "the control file is read: " + text)
    os.close(fd)


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

    # What is written to the file is read, whatever it is; the end waits for no one.
    path = kit.capture("commands.ttc")
    p = Lines("calls,keep=60s,heapshot,control=%s,out=%s" % (control, path))
    p.call(20)
    before = os.path.getsize(path)
    command(control, "dump\n")
    end = time.monotonic() + 30
    while os.path.getsize(path) == before and time.monotonic() < end:
        p.call(1)
    kit.check(os.path.getsize(path) > before, "the control file dumps")
    for text in ("label by night", "label", "\n", "heapshot", "start", "sing a song"):
        command(control, text)
    p.call(0)
    said = p.p.communicate(timeout=60)[1]
    kit.check(said.count("\n") == 3 and '"start" does nothing: recording is on' in said and
              '"label" does nothing: it needs a text' in said, "the control file: what does nothing is told", said)
    kit.check('no command is called "sing"; there are start, stop, ' in said, "the control file: an unknown command is told", said)
    kit.check(len(kit.stats(path, "heapshots")["heapshots"]) == 1, "the control file takes a heap shot")
    csv = path + ".csv"
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", csv], check=True)
    kit.check("by night" in open(csv, encoding="utf-8").read(), "the control file labels")

    path = kit.capture("delay.ttc")
    p = Lines("calls,delay=1s,out=" + path)
    early = p.call(5)             # on a busy machine a second may be over
    p.until("Recording", "delay")
    p.call(6)
    kit.check(p.end() == 0 and during(path) in ((6, 0), (11, 0)) and (early == "Recording" or during(path) == (6, 0)),
              "delay: recording begins by itself", during(path))


def not_a_file():
    # A folder, a path through a file, a device that is full, another that takes all. By links: a device that goes is missed by all.
    full, null = os.path.join(kit.FOLDER, "full"), os.path.join(kit.FOLDER, "null")
    os.symlink("/dev/full", full)
    os.symlink("/dev/null", null)
    for out, said in ((kit.FOLDER, "Is a directory"), (kit.program("Ends") + "/a.ttc", "Not a directory"), (full, "No space"), (null, None)):
        run = kit.mono("calls,out=" + out, "Ends", "exit", "7")
        kit.check(run.returncode == 7, "out=%s: the program runs on" % out, run)
        kit.check((said in run.stderr and run.stderr.count("\n") == 1) if said else run.stderr == "", "out=%s: one line" % out, run.stderr)
    kit.check(os.path.islink(full) and os.path.islink(null), "what is no file is left where it is", os.listdir(kit.FOLDER))


def kept():
    path = kit.capture("older.ttc")
    second = kit.capture("older.2.ttc")
    kit.mono("calls,out=" + path, "Ends", "exit", "0")
    old = open(path, "rb").read()
    run = kit.mono("calls,out=" + path, "Ends", "exit", "0")
    kit.check(run.stderr == "tracetool: older.ttc is kept; this capture goes to older.2.ttc\n", "a file of that name: told", run.stderr)
    kit.check(open(path, "rb").read() == old and during(second) == during(path), "a file of that name: both are there", during(second))
    for how in ("overwrite", "overwrite=yes"):
        old = open(path, "rb").read()
        run = kit.mono("calls," + how + ",out=" + path, "Ends", "exit", "0")
        kit.check(run.stderr == "" and open(path, "rb").read() != old and not os.path.exists(path.replace(".ttc", ".3.ttc")),
                  how + ": replaced", run.stderr)
    run = kit.mono("calls,overwrite,overwrite=no,out=" + path, "Ends", "exit", "0")
    kit.check("older.ttc is kept" in run.stderr, "overwrite=no: kept", run.stderr)
    run = kit.mono("calls,overwrite=never,out=" + path, "Ends", "exit", "0")
    kit.check('option "overwrite=never": want yes or no' in run.stderr, "overwrite=never: refused", run.stderr)


def output():
    path = kit.capture("keep.ttc")
    run = kit.mono("calls,keep=10s,out=" + path, "GameLoop", "24", "4")
    kit.check(found(path, "Game.World:Frame (int)") == 24 and not run.stderr, "flight recorder: what is held is written at the end",
              run.stderr)
    path = kit.capture("short.ttc")
    run = kit.mono("calls,keep=600s,ring=1536K,out=" + path, "GameLoop", "300", "100")
    lost = [r for r in kit.stats(path, "loss")["loss"] if r["kind"] == "short"]
    says = re.search(r"tracetool: capture .*: the ring had room for (\d+) ms of the 600000 ms that keep= asks for; "
                     r"about ring=(\d+)M has it for all\n", run.stderr)
    kit.check(says and lost and "It had room for %s ms of 600000 ms; about %s MB have it for all." % says.groups() in lost[0]["advice"],
              "flight recorder: a ring with less room than asked for is told, with the size of one for all", run.stderr, lost)
    path = kit.capture("kept.ttc")
    kit.mono("calls,alloc,threads=2000,rotate-size=100K,rotate-keep=2,out=" + path, "GameLoop", "300", "8")
    parts = [f for f in os.listdir(kit.FOLDER) if f.startswith("kept")]
    kit.check(len(parts) == 2, "rotate-keep: as many files", parts)
    path = kit.capture("turn.ttc")
    run = kit.mono("calls,alloc,rotate-size=100K,out=" + path, "GameLoop", "300", "8")
    parts = [f for f in os.listdir(kit.FOLDER) if f.startswith("turn")]
    kit.check(len(parts) > 2 and sum(found(os.path.join(kit.FOLDER, f), "Game.World:Input ()") for f in parts) == 300,
              "rotation: several files, and each call in one", parts, run.stderr)
    whole, some = path.replace("turn", "whole"), path.replace("turn", "some")
    files = [path] + [path.replace(".ttc", ".%d.ttc" % i) for i in range(1, len(parts))]
    run = subprocess.run([kit.TRACETOOL, "recover", "-q", "-o", whole, *files], capture_output=True, text=True)
    kit.check((run.returncode, run.stderr) == (0, ""), "recover: all files of a rotation", run.stderr)
    run = subprocess.run([kit.TRACETOOL, "recover", "-q", "-o", some, files[0], *files[2:]], capture_output=True, text=True)
    kit.check(run.returncode == 3 and "%s and %s: 1 file of the rotation" % (files[0], files[2]) in run.stderr and
              os.path.exists(some), "recover: a missing file of a rotation is told", run.returncode, run.stderr)
    path = kit.capture("few.ttc")
    run = kit.mono("calls,threads=4,out=" + path, "Monitors")
    lost = {r["kind"]: r["count"] for r in kit.stats(path, "loss")["loss"]}
    kit.check(lost.get("no_place", 0) > 0 and "dropped" not in lost, "threads: events without a place are counted apart", lost)
    kit.check("%d events dropped, there was no place for their threads" % lost.get("no_place", 0) in run.stderr and
              "ring was full" not in run.stderr, "threads: the message blames them alone", run.stderr)
    path = kit.capture("most.ttc")
    run = kit.mono("calls,alloc,max-size=300K,out=" + path, "GameLoop", "300", "8")
    size = os.path.getsize(path)
    kit.check(200 << 10 < size <= 300 << 10 and run.returncode == 0, "max-size: the capture ends there", size, run.stderr)
    kit.check(run.stderr == "tracetool: capture %s: max-size= ended it after %d bytes; what the program did later is missing\n" % (path, size),
              "max-size: the recorder says so", run.stderr)
    path = os.path.join(kit.FOLDER, "of-%p.ttc")
    run = kit.mono("meta=level:3: the end,out=" + path, "GameLoop", "1", "1")
    name = [f for f in os.listdir(kit.FOLDER) if f.startswith("of-")]
    kit.check(len(name) == 1 and name[0][3:-4].isdigit(), "%p is the process", name)
    info = subprocess.run([kit.TRACETOOL, "info", os.path.join(kit.FOLDER, name[0])], capture_output=True, text=True).stdout
    kit.check("3: the end" in info and "6.8" in info, "facts are in the capture, the runtime's version, too", info)


kit.compile()
options()
by_program()
labels()
by_more_functions()
from_outside()
not_a_file()
kept()
output()
kit.end()
