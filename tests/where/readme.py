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
    "make dist": "package/compile does",
    "sudo make setup-deb": "changes the machine; package/debian does",
    "sudo make setup-static": "changes the machine",
    "sudo apt install ./build/deb/tracetool*_amd64.deb": "changes the machine; package/debian does",
    "tracetool merge": "speaks of the command; what it needs is made below",
    "tracetool ab": "speaks of the command; it follows in full",
    "tracetool record": "speaks of the command; it follows in full",
}

# Options that README adds to the command before them, with what they need beside it.
ADDED = {
    "--frames 812": "", "--budget 8.33": "", "--table calltree": "", "--bottom-up": "--table calltree", "--thread Main": "",
    "--time 10-12.5": "", "--min-duration 100us": "", "--group-by thread": "",
    "--metric 'marker.time[Update*].total'": "", "-o game.json.gz": "", "-o game.pb.gz": "", "-o game.folded": "",
    "--value bytes": "-o bytes.folded", "--split 300M": "-o game.json.gz", "--pprof diff.pb.gz": "", "--do convert --to json.gz": "",
    "--gate budget.json --baseline base.json": None, "--resume": "", "--shard 3/20": "", "--azure": "", "--teamcity": "",
    "--markdown FILE": "", "--html FILE": "", "--json FILE": "", "--format csv": "", "--format markdown": "",
}
# Options it only names, on their way to a sentence.
NAMED = {"--frame-marker", "--sort", "--limit", "-o", "-", "--align", "--meta session=NAME", "--meta session=today", "-profiler-log-file", "-f perf-test",
         "--suggest"}

# What may come of a command beside 0: verdicts are those of the machine this runs on.
VERDICT = (0, 1, 5)


def commands(text):
    """[(kind, command)] in the order of the text: "run" whole ones, "add" options for the one before."""
    found = []
    for m in re.finditer(r"```(\w*)\n(.*?)```|`([^`\n]+(?:\n[^`\n]+)?)`", text, re.S):
        language, block, span = m.groups()
        if span is not None:
            if re.match(r"tracetool \w|make \w+ |sudo ", span):
                found.append(("run", span))
            elif span.startswith("-"):
                found.append(("add", span))
        elif language in ("sh", ""):
            block = re.sub(r"\s+# .*", "", block).replace("|\n", "| ")
            found += [("run", line) for line in block.splitlines() if re.match(r"(\w+=\S+ )?(\./|\w)", line) and
                      not re.match(r"\w+/ ", line)]
        else:
            found += [("run", c) for c in re.findall(r"(?:^\$ |^- run: |^ *- (?=tracetool)|sh ')(tracetool [^'\n]*)", block, re.M)]
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
    loop = os.path.join(kit.DATA, "mlpd", "good-d01-gameloop-calls-alloc.mlpd")
    shutil.copy(loop, os.path.join(work, "server.mlpd"))
    shutil.copy(os.path.join(kit.DATA, "mlpd", "good-d02-gameloop-sample.mlpd"), os.path.join(work, "client.mlpd"))
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


def whole(command, option):
    """The command before, with an option that README adds to it."""
    more = ADDED[option]
    option = re.sub(r"--(markdown|html|json) FILE", r"--\1 v.\1", option)
    words, dashes, builds = command.partition(" -- ")     # what follows the dashes is other programs' words
    return "%s %s %s%s%s" % (words, more or "", option, dashes, builds)


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
    s.check("every option in README is known here", [c for k, c in found if k == "add" and c not in ADDED and c not in NAMED])
    s.check("every option known here is in README", [c for c in list(ADDED) + list(NAMED) if ("add", c) not in found])
    s.check("what is not run is in README", [c for c in NOT_RUN if ("run", c) not in found])
    place = game(s)
    last, later, ran = None, [], 0
    for kind, command in found:
        if kind == "add":
            if command in NAMED or command not in ADDED:      # the latter has failed above
                continue
            if ADDED[command] is None:        # needs what is made further down
                later.append((last, command))
            else:
                run(s, place, whole(last, command))
            continue
        if command in NOT_RUN:
            continue
        run(s, place, command, example.group(2) if command == example.group(1) else None)
        last, ran = command, ran + 1
    for command, option in later:
        run(s, place, whole(command, option))
    s.check("commands were found", ran < 20 and found)
    s.check("nothing is left in TMPDIR", os.listdir(place.path("tmp")))
    place.remove()
    s.end()


main()
