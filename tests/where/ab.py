#!/usr/bin/env python3
"""
tracetool ab with what really writes captures, by an ordinary user in an empty home folder, in the sandbox: Mono programs, a stand-in for a
Unity player with the real plug-in, and a script that hands over what another profiler has written.

The new build allocates more, or calls more, which no load on the machine changes. Ends with "N passed, N failed".
"""
import json
import os
import shutil
import subprocess

import kit

MARKER = ["--frame-marker", "Game:Tick"]
ALLOC = {"id": "garbage", "metric": "gc.alloc.bytes", "stat": "per_frame.mean", "max": "+5%"}
SCRIPT = """#!/bin/sh
# As tracetool-ab(1) has it: another profiler, whose file is handed over.
mono --profile=log:calls,alloc,output=raw.$$ "$@" || exit
mv raw.$$ "$TRACETOOL_CAPTURE"
"""


def script(place, name, text):
    place.file("work/" + name, text.encode())
    os.chmod(place.path("work", name), 0o755)


def games(s):
    """A user's folder with both builds of three kinds."""
    game = os.path.join(kit.TOP, "tests", "where", "Game.cs")
    os.makedirs(s.path("bin", "host"))
    os.makedirs(s.path("lib", "tracetool"))
    shutil.copy(os.path.join(kit.BUILD, kit.MODULE), s.path("lib", "tracetool"))
    shutil.copy(os.path.join(kit.BUILD, "host", "host"), s.path("bin", "host"))
    shutil.copy(os.path.join(kit.BUILD, "libtracetool-unity.so"), s.path("bin"))
    place = kit.Place(s, kit.ORDINARY if os.geteuid() == 0 else None)
    for name, more in (("old", []), ("new", ["-define:MORE"])):
        subprocess.run(["mcs", *more, "-out:" + s.path("in", name + ".exe"), game], check=True)
        with open(s.path("in", name + ".exe"), "rb") as f:
            place.file("work/%s.exe" % name, f.read())
        script(place, name + "/Game", '#!/bin/sh\nBUILD=%s exec %s frames=100 threads=2 events=%d capture="$TRACETOOL_CAPTURE"\n' %
               (s.path("bin"), s.path("bin", "host", "host"), 400 if more else 200))
    script(place, "other.sh", SCRIPT)
    place.file("work/garbage.json", json.dumps({"tracetool_budget": 1, "rows": [ALLOC]}).encode())
    return place


class Run:
    def __init__(self, s, place, options, old, new):
        r = place.run(["tracetool", "ab", *options, "--", *old, "--", *new], {"TRACETOOL_SANDBOX": "require"})
        self.s, self.what = s, " ".join(["ab", *options])
        self.code, self.text = r.returncode, r.out.decode() + r.err

    def has(self, code, *parts):
        missing = [p for p in parts if p not in self.text]
        self.s.check(self.what, (self.code != code or missing) and "exit %d, without %s: %s" % (self.code, missing, self.text))


def mono(s, place):
    old, new = ["mono", "old.exe"], ["mono", "new.exe"]
    Run(s, place, MARKER, old, new).has(1, "FAIL alloc-bytes: ", "+49.7 %", "old: mono old.exe\nnew: mono new.exe\n")
    one = [*MARKER, "--gate", "garbage.json"]
    Run(s, place, [*one, "-n", "6"], old, new).has(1, "FAIL garbage: ", "Game:Update: System.Byte[]")
    Run(s, place, one, old, old).has(0, "not worse")
    Run(s, place, one, new, old).has(0, "not worse")
    Run(s, place, [*one, "-n", "1", "-p", "calls,alloc,nonsense=1"], old, new).has(2, "nonsense")
    Run(s, place, [*one, "-n", "5", "--warmup", "0"], old, ["mono", "gone.exe"]).has(1, "new crashed 3 of 3", "gone.exe")
    Run(s, place, one, ["sh", "-c", "exec mono old.exe"], old).has(2, "--mono")
    Run(s, place, [*one, "-n", "6", "--mono"], ["sh", "-c", "exec mono old.exe"], new).has(1, "FAIL garbage: ")
    Run(s, place, [*one, "--mono"], ["true"], new).has(2, "although it was run by tracetool record")


def player(s, place):
    old, new = ["./old/Game", "-batchmode"], ["./new/Game", "-batchmode"]
    place.file("work/calls.json", json.dumps({"tracetool_budget": 1, "rows": [
        {"id": "calls", "metric": "marker.count", "marker": "*", "stat": "per_frame.mean", "max": "+20%"}]}).encode())
    Run(s, place, ["-n", "6", "--gate", "calls.json", "--keep", "runs of today"], old, new).has(1, "FAIL calls: ")
    kept = os.listdir(place.path("work", "runs of today"))
    s.check("captures are kept", None if "old-1.ttc" in kept and "new-6.ttc" in kept else kept)
    Run(s, place, ["--gate", "calls.json"], old, old).has(0, "not worse")
    shutil.rmtree(place.path("work", "runs of today"))


def other(s, place):
    budget = [*MARKER, "--gate", "garbage.json", "-n", "6"]
    Run(s, place, budget, ["./other.sh", "old.exe"], ["./other.sh", "new.exe"]).has(1, "FAIL garbage: ")
    subprocess.run(["mono", "--profile=log:calls,alloc,output=" + s.path("in", "one.mlpd"), s.path("in", "old.exe")], check=True,
                   stdout=subprocess.DEVNULL)
    copy = ["sh", "-c", 'cp "$0" "$TRACETOOL_CAPTURE"', s.path("in", "one.mlpd")]
    Run(s, place, budget, copy, ["./other.sh", "new.exe"]).has(2, "left the same recording", "anew")


def main():
    s = kit.Suite()
    place = games(s)
    before = place.files()
    for part in (mono, player, other):
        part(s, place)
        left = [f for f in place.files() if f not in before and f != "work/calls.json"]
        s.check("%s: nothing is left behind" % part.__name__, left)
    place.remove()
    s.end()


main()
