"""Captures as a night leaves them, for suites about databases: two builds of a game on two devices, one of which gets slower, and what goes
wrong in nights: a capture twice, a damaged one, an archive with a password, captures that know of no build.
"""
import os
import shutil
import subprocess

from suite import BUILD, TESTDATA, TRACETOOL

GEN = os.path.join(BUILD, "kit", "calls_gen")
FRAMES = ("--frame-marker", "Game:Frame")
BUILDS = ("9", "10")                  # as text the second comes first
MS = 1000000


def game(path, hours, frames, spin=0):
    """A capture made so many hours after the first, of frames of so many ms, each with work, and every third one with ${spin} ms of Game:Spin."""
    script = ["image\t1\tGame.dll", "class\t1\t1\tGame", "class\t2\t1\tSystem.String", "method\t1\tGame:Frame ()", "method\t2\tGame:Work ()",
              "method\t3\tGame:Spin ()", "thread\t1\tMain"]
    t = 0
    for i, ms in enumerate(frames):
        script += ["enter\t%d\t1\t1" % t, "enter\t%d\t1\t2" % (t + 1000), "alloc\t%d\t1\t2\t%d" % (t + 2000, 32 + 8 * (i % 5)),
                   "leave\t%d\t1\t2" % (t + ms * MS // 2)]
        if spin and i % 3 == 0:
            script += ["enter\t%d\t1\t3" % (t + ms * MS // 2 + 1000), "leave\t%d\t1\t3" % (t + ms * MS // 2 + 1000 + spin * MS)]
        script += ["leave\t%d\t1\t1" % (t + ms * MS - 1000)]
        t += ms * MS
    script += ["enter\t%d\t1\t1" % t, "leave\t%d\t1\t1" % (t + 1000)]
    subprocess.run([GEN, path, str(hours)], input="\n".join(script) + "\n", text=True, check=True)


def captures(top):
    """Below ${top}: DEVICE/BUILD/, the builds two weeks apart."""
    for device, slow in (("Fast", 1.0), ("Slow", 1.3)):
        for weeks, build in ((2, BUILDS[0]), (4, BUILDS[1])):
            folder = os.path.join(top, device, build)
            os.makedirs(folder)
            for k in range(3):
                ms = [int((10 + (i * 7 + k) % 5 + 30 * (i == 11)) * (slow if build == BUILDS[1] else 1)) for i in range(40)]
                game(os.path.join(folder, "%d.mlpd" % k), weeks * 7 * 24 + k, ms, spin=weeks // 2 if device == "Slow" else 0)
    first = os.path.join(top, "Fast", BUILDS[0])
    shutil.copy(os.path.join(first, "0.mlpd"), os.path.join(top, "Slow", BUILDS[1], "copy.mlpd"))
    shutil.copy(os.path.join(TESTDATA, "mlpd", "bad-cut-in-buffer.mlpd"), os.path.join(first, "cut.mlpd"))
    # Its members cannot be read, so no capture of it is known.
    subprocess.run(["zip", "-q", "-j", "-P", "secret", os.path.join(first, "locked.zip"), os.path.join(first, "0.mlpd")], check=True)
    os.makedirs(os.path.join(top, "Fast", "unnamed"))       # no build: before none, after none
    game(os.path.join(top, "Fast", "unnamed", "0.mlpd"), 20 * 24, [10 + i * 7 % 5 + 30 * (i == 11) for i in range(40)])


def batches(where, top, *args, to_db=False):
    """A batch of each folder, with its device and build: ${where}/out-DEVICE-BUILD; with ${to_db} a database beside each."""
    outs = []
    for device in ("Fast", "Slow"):
        for build in os.listdir(os.path.join(top, device)):
            out = os.path.join(where, "out-%s-%s" % (device, build))
            named = () if build == "unnamed" else ("--meta", "build=" + build)
            subprocess.run([TRACETOOL, "batch", "-q", "-o", out, "--root", top, "--meta", "device=" + device, *named, *args, *FRAMES,
                            *(("--to-db", out + ".sqlite") if to_db else ()), os.path.join(top, device, build)], capture_output=True, check=False)
            outs.append(out)
    return outs
