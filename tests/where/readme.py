#!/usr/bin/env python3
"""
The commands of README.md, as written and in order, by an ordinary user in an empty home folder: in a folder that holds the
captures it speaks of and nothing else, outside TMPDIR, in the sandbox.

Commands are taken out of README.md; each runs, or stands below with the reason why not. Ends with "N passed, N failed".
"""
import os
import re
import shutil
import subprocess
import tarfile

import kit

# What is not run here, and why.
NOT_RUN = {
    "sudo apt-get install git make": "changes the machine",
    "make setup demo": "installs packages and builds",
    "make setup check": "installs packages, and runs this",
    "sudo make install": "changes the machine",
    "sudo make setup-deb": "changes the machine; package/debian does",
    "sudo make setup-static": "changes the machine",
    "tracetool open game.raw": "shows a browser; cli does",
    "tracetool ab": "speaks of the command; it follows in full",
    "tracetool record": "speaks of the command; it follows in full",
}

# What may come of a command beside 0: verdicts are those of the machine this runs on.
VERDICT = (0, 1, 5)


def commands(text):
    """Commands in the order of the text."""
    found = []
    for m in re.finditer(r"```(\w*)\n(.*?)```|`([^`\n]+(?:\n[^`\n]+)?)`", text, re.S):
        language, block, span = m.groups()
        if span is not None:
            if re.match(r"tracetool \w|make \w+ |sudo ", span):
                found.append(span)
        elif language in ("sh", ""):
            block = re.sub(r"\s+# .*", "", block).replace("|\n", "| ")
            found += [line for line in block.splitlines() if re.match(r"(\w+=\S+ )?(\./|\w)", line) and
                      not re.match(r"\w+/ ", line)]
        else:
            found += [c for c in re.findall(r"(?:^\$ |^- run: |^ *- (?=tracetool)|sh ')(tracetool [^'\n]*)", block, re.M)]
    return found


def game(s):
    """The folder of a user who has a game, and captures of it: all real."""
    for name, more in (("game.exe", []), ("old.exe", []), ("new.exe", ["-define:MORE"])):
        subprocess.run(["mcs", *more, "-out:" + s.path("in", name), os.path.join(kit.TOP, "tests", "where", "Game.cs")], check=True)
    place = kit.Place(s, kit.ORDINARY if os.geteuid() == 0 else None)
    work = place.path("work")
    os.makedirs(s.path("lib", "tracetool"))
    shutil.copy(os.path.join(kit.BUILD, kit.MODULE), s.path("lib", "tracetool"))
    for name in os.listdir(s.path("in")):
        shutil.copy(s.path("in", name), work)
    # While this one runs, which is so long that a --time may choose of it, the others are made.
    slow = subprocess.Popen(["mono", "--profile=log:calls,alloc,output=game.mlpd", "game.exe", "900", "14"], cwd=work,
                            stdout=subprocess.DEVNULL, env=dict(os.environ, HOME=place.path("home")))
    for folder in ("runs", "nightly", "testdata/demo"):
        os.makedirs(os.path.join(work, folder))
    for path in ["before-%d.ttc" % i for i in (1, 2, 3)] + ["after-%d.ttc" % i for i in (1, 2, 3)] + \
            ["runs/%d.ttc" % i for i in range(5)]:
        r = subprocess.run([s.path("bin", "tracetool"), "record", "-q", "--no-summary", "-p", "calls,alloc,gc,monitor,frame=Game:Tick",
                            "-o", path, "--", "mono", "game.exe"], cwd=work, capture_output=True,
                           env=dict(os.environ, HOME=place.path("home")))
        s.check("recording " + path, r.returncode and r.stderr)
    shutil.copy(os.path.join(work, "runs", "0.ttc"), os.path.join(work, "nightly"))
    with tarfile.open(os.path.join(work, "nightly", "t.tar.gz"), "w:gz") as t:
        for i in (1, 2):
            t.add(os.path.join(work, "runs", "%d.ttc" % i), "%d.ttc" % i)
    shutil.copy(os.path.join(work, "runs", "1.ttc"), os.path.join(work, "game.ttc"))
    shutil.copy(os.path.join(kit.DATA, "raw", "good-2019-every.raw"), os.path.join(work, "game.raw"))
    shutil.copy(os.path.join(kit.DATA, "demo", "good-hitches.ttc.xz"), os.path.join(work, "testdata", "demo"))
    for path in ("Game.x86_64", "old/Game", "new/Game"):
        os.makedirs(os.path.dirname(os.path.join(work, path)), exist_ok=True)
        kit.player(s, os.path.join(work, path), "frames=200", "events=200")
    s.check("the log profiler's capture is made", slow.wait() and slow.returncode)
    for folder, _, names in os.walk(work):
        for path in [folder] + [os.path.join(folder, n) for n in names]:
            place.own(path)
    s.check("the home folder is empty", os.listdir(place.path("home")))
    return place


def allowed(command):
    if re.search(r"--gate|\b(diff|ab)\b|jq -n?e", command):
        return VERDICT
    return (0,)


def run(s, place, command, printed=None):
    before = set(os.listdir(place.path("work")))
    r = place.run(["bash", "-c", command], {"TRACETOOL_SANDBOX": "require", "GITHUB_STEP_SUMMARY": place.path("out", "summary.md"),
                                            "PATH": s.path("bin") + ":" + os.environ["PATH"]})
    s.check("$ " + command, r.returncode not in allowed(command) and "exit %d: %s" % (r.returncode, r.err))
    for name in re.findall(r"(?:-o|--pprof|--save|--junit|--gitlab|--markdown|--html|--json|--report) ([\w./]+)", command):
        s.check("$ %s: makes %s" % (command, name), None if os.path.exists(place.path("work", name)) else sorted(before))
    left = [f for f in os.listdir(place.path("work")) if ".tmp." in f or f.endswith(".part")]
    s.check("$ %s: leaves no temporary" % command, left)
    if printed is not None:
        s.check("$ %s: prints what README says" % command, r.out.decode() != printed and r.out.decode())


def main():
    s = kit.Suite()
    text = open(os.path.join(kit.TOP, "README.md")).read()
    example = re.search(r"```console\n\$ (.*?)\n(.*?)```", text, re.S)
    found = commands(text)
    s.check("what is not run is in README", [c for c in NOT_RUN if c not in found])
    place, ran = game(s), 0
    for command in found:
        if command not in NOT_RUN:
            run(s, place, command, example.group(2) if command == example.group(1) else None)
            ran += 1
    s.check("commands were found", ran < 20 and found)
    s.check("nothing is left in TMPDIR", os.listdir(place.path("tmp")))
    place.remove()
    s.end()


main()
