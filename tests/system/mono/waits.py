#!/usr/bin/env python3
"""Waiting: a program that mostly accepts, receives, sleeps and joins, recorded by both profilers.

Which markers wait is read from tracetool-metrics(7); how long each thread waits is counted from the slices of Chrome JSON,
outermost ones alone. What --no-wait leaves must be what all was, less that.
"""
import collections
import json
import os
import re
import subprocess

import kit

PAGE = os.path.join(kit.TOP, "man", "tracetool-metrics.7")


def wait_markers():
    text = open(PAGE, encoding="utf-8").read()
    return re.search(r"they are:\n\.Bd -literal -offset indent\n(.*?)\n\.Ed", text, re.S).group(1).split("\n")


def waits(name, patterns):
    """A pattern without a glob matches anywhere; the only other one on the list is [I]dle, a whole name."""
    return any(name == "Idle" if p == "[I]dle" else p in name for p in patterns)


def run(*args):
    return subprocess.run([kit.TRACETOOL] + list(args), check=True, capture_output=True, text=True).stdout


def tables(path, *more):
    out = json.loads(run("stats", path, "--names", "full", "--format", "json", "--table",
                         "markers,threads,categories,calltree,alloc_sites", "--threshold", "0", *more))
    return {name: (t["rows"], t.get("note")) for name, t in out["tables"].items()}


def slices(path, *more):
    """Complete slices as (tid, begin, end, name), in ns."""
    run("convert", "-q", path, "--names", "full", "-o", path + ".json", *more)
    with open(path + ".json", encoding="utf-8", errors="surrogateescape") as f:
        events = json.load(f)["traceEvents"]
    return [(e["tid"], round(e["ts"] * 1000), round((e["ts"] + e["dur"]) * 1000), e["name"]) for e in events if e["ph"] == "X"]


def waited(all_slices, patterns):
    """By thread: time in the outermost slices that wait."""
    total, until = collections.Counter(), {}
    for tid, begin, end, name in sorted(all_slices, key=lambda s: (s[0], s[1], -s[2])):
        if waits(name, patterns) and begin >= until.get(tid, -1 << 63):
            total[tid] += end - begin
            until[tid] = end
    return total


def check_capture(path, what, patterns):
    before, after = tables(path), tables(path, "--no-wait")
    cut, seen = slices(path, "--no-wait"), slices(path)
    total = waited(seen, patterns)
    busy, waiting = [[sum(r[column] for r in t["threads"][0]) for t in (before, after)] for column in ("busy_ns", "waiting_ns")]

    kit.check(sum(total.values()) > 5 * 10 ** 9, what + ": the program waits", total)
    # Chrome's times are in microseconds with three decimals, in doubles.
    kit.check(abs(waiting[0] - sum(total.values())) <= len(seen), what + ": time in zones that wait", waiting, total)
    kit.check(waiting[1] == 0 and busy[0] == busy[1], what + ": who waits is not busy, with --no-wait or without", busy, waiting)
    sleeper = [r for r in before["threads"][0] if r["thread"] == "Sleeper"]
    kit.check(len(sleeper) == 1 and sleeper[0]["busy_ns"] < sleeper[0]["waiting_ns"], what + ": a thread that sleeps is not busy", sleeper)
    kit.check(not any(waits(r["marker"], patterns) for r in after["markers"][0]), what + ": no marker that waits is left")
    kit.check(not any(waits(s[3], patterns) for s in cut), what + ": no slice that waits is left")
    kit.check(not any(waits(r["marker"], patterns) for r in after["calltree"][0]), what + ": no branch that waits is left")
    self_ns = [sum(r["self_ns"] for r in t["markers"][0]) for t in (before, after)]
    kit.check(abs(self_ns[0] - self_ns[1] - sum(total.values())) <= len(seen), what + ": self times without waits", self_ns)
    kit.check(sum(r["self_ns"] for r in after["categories"][0]) == self_ns[1], what + ": categories agree with markers")
    # More than half of their time, as tracetool-metrics(7) has it; on a busy machine Main works for longer than it waits.
    mostly = {r["thread"] for r in before["threads"][0] if r["waiting_ns"] > 1.1 * r["busy_ns"]}
    kit.check({"Client", "Sleeper"} <= mostly, what + ": they wait most of the time", before["threads"][0])
    for name in ("Main", "Client", "Sleeper"):
        kit.check(name not in mostly or name + " (" in (before["markers"][1] or ""), what + ": " + name + " is named as mostly waiting", before["markers"][1])
    kit.check(after["markers"][1] is None, what + ": without waits nobody waits", after["markers"][1])
    sites = {r["marker"] for r in before["alloc_sites"][0]}
    kit.check(not [s for s in sites if "FastAllocateString" in s or "InternalInvoke" in s], what + ": helpers allocate for their callers")
    kit.check(any(s.startswith("Idle:Text ") for s in sites), what + ": the caller is the site", sorted(sites)[:20])
    kit.check(sum(r["bytes"] for r in before["alloc_sites"][0]) == sum(r["bytes"] for r in after["alloc_sites"][0]),
              what + ": allocations stay")


def check_pause():
    """A frame in which recording paused is not whole: it is left out, with frame marks and with --frame-marker."""
    kit.compile("Pause")
    path = kit.capture("pause.ttc")
    done = kit.mono("calls,frame=Pause:Step,out=" + path, "Pause")
    kit.check(done.returncode == 0, "the program that pauses runs", done.stderr)
    for marker in ([], ["--frame-marker", "Pause:Step"]):
        frames = json.loads(run("stats", path, "--format", "json", "--table", "frames", *marker))["tables"]["frames"]["rows"][0]
        kit.check(frames["count"] == 58 and frames["partial"] == 3, "pause %s: one frame less is whole" % marker, frames)
        kit.check(frames["max_ns"] < 300 * 10 ** 6, "pause %s: the pause is no hitch" % marker, frames)


def main():
    kit.compile("Idle")
    patterns = wait_markers()
    ours, theirs = kit.capture("idle.ttc"), kit.capture("idle.mlpd")
    done = kit.mono("calls,alloc,out=" + ours, "Idle", more=["--profile=log:nodefaults,calls,alloc,calldepth=100000,output=" + theirs])
    kit.check(done.returncode == 0, "the program runs", done.stderr)
    check_capture(theirs, "log profiler", patterns)
    check_capture(ours, "module", patterns)
    check_pause()
    kit.end()


main()
