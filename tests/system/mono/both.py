#!/usr/bin/env python3
"""Both recorders in one process, a stand-in Unity host that embeds Mono: one timeline.

Every call of the managed method lies in the zone that the engine has around it, within ten microseconds, and merged captures
know that it is one thread of one process.
"""
import csv
import os
import subprocess

import kit

SLACK_NS = 10000

# Mono leaves memory of its own when it ends.
kit.compile("Rough")
unity, mono = kit.capture("unity.ttc"), kit.capture("mono.ttc")
run = subprocess.run([os.path.join(kit.BUILD, "host", "mono"), os.path.join(kit.BUILD, "libtracetool-unity.so"), unity, mono, kit.program("Rough")],
                     capture_output=True, text=True, env=dict(kit.ENV, ASAN_OPTIONS="detect_leaks=0"), cwd=kit.FOLDER)
if not kit.check(run.returncode == 0, "the host plays", run):
    kit.end()
frames = int(run.stdout.split()[-1])
merged = os.path.join(kit.FOLDER, "merged.csv")
run = subprocess.run([kit.TRACETOOL, "convert", unity, mono, "-o", merged], capture_output=True, text=True)
kit.check(run.returncode == 0, "they are merged", run.stderr)
steps, marks, tids = [], [], set()
with open(merged, encoding="utf-8", newline="") as f:
    for row in csv.DictReader(f):
        if row["kind"] == "zone" and row["name"] in ("Step", "Rough:MarkStep"):
            begin = int(row["start_ns"])
            (steps if row["name"] == "Step" else marks).append((begin, begin + int(row["dur_ns"])))
            tids.add(row["tid"])
kit.check(len(steps) == frames and len(marks) == frames, "each recorder has its part", len(steps), len(marks))
kit.check(len(tids) == 1, "on one thread", tids)
out = [(s, m) for s, m in zip(sorted(steps), sorted(marks)) if m[0] < s[0] - SLACK_NS or m[1] > s[1] + SLACK_NS]
kit.check(not out, "every call lies in its zone, within 10 us", len(out), out[:3])
worst = max((max(s[0] - m[0], m[1] - s[1]) for s, m in zip(sorted(steps), sorted(marks))), default=0)
print("how far a call stands out of its zone at most: %d ns" % worst)
for path, what in ((unity, "Unity's"), (mono, "Mono's")):
    lost = [r for r in kit.stats(path, "loss")["loss"] if r["kind"] not in ("open", "popped")]
    kit.check(lost == [], what + ": nothing is lost", lost)
kit.end()
