#!/usr/bin/env python3
"""tracetool record, with the real runtime: whatever way the program ends, its end is passed on and the capture is whole."""
import os
import re
import shutil
import signal
import struct
import subprocess

import kit
import words

CALLS = 50000


def record(*args, options=(), path=None, **kw):
    out = path or kit.capture("out.ttc")
    argv = [kit.TRACETOOL, "record", "-o", out] + list(options) + ["--"] + list(args)
    kw.setdefault("cwd", kit.FOLDER)
    return out, subprocess.run(argv, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                               timeout=120, **kw)


def ends(*args):
    return ["mono", kit.program("Ends")] + list(args)


def calls(path):
    return kit.counts(kit.stats(path, "markers")["markers"], "marker", "count").get("Ends:Step (int)", [0])[0]


def same_end(what, *args, killed=False):
    """Exit status as without us; all calls made before; no ring left."""
    alone = subprocess.run(ends(*args), capture_output=True, cwd=kit.FOLDER, stdin=subprocess.DEVNULL)
    out, run = record(*ends(*args), options=["--no-summary"])
    kit.check(run.returncode == alone.returncode, what + ": its end is passed on", run.returncode, alone.returncode)
    # (The runtime's own report of a crash is full of addresses.)
    kit.check(run.stdout.split("\nCLR")[0] == alone.stdout.decode().split("\nCLR")[0], what + ": its output is its own",
              run.stdout)
    kit.check("recorded to " + out in run.stderr, what + ": says where the capture is", run.stderr)
    kit.check(calls(out) == CALLS, what + ": no call is lost", calls(out))
    lost = {r["kind"] for r in kit.stats(out, "loss").get("loss", [])}
    kit.check("not_ended" not in lost and ("killed" in lost) == killed, what + ": nothing is said to be missing", lost)
    kit.check(not os.path.exists(kit.ring_of(out)), what + ": no ring is left", kit.ring_of(out))


def signalled(sig):
    """A signal to tracetool alone reaches the program."""
    out = kit.capture("signal.ttc")
    p = subprocess.Popen([kit.TRACETOOL, "record", "--no-summary", "-o", out, "--"] + ends("wait"), stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, cwd=kit.FOLDER)
    p.stdout.readline()
    p.send_signal(sig)
    _, said = p.communicate(timeout=60)
    kit.check(p.returncode == -sig, "%s is passed on" % sig.name, p.returncode, said)
    kit.check(calls(out) == CALLS, "%s: no call is lost" % sig.name, calls(out))


def summary():
    out, run = record(*ends("exit", "0"))
    kit.check(run.stdout == "ready\n", "the summary is not on standard output", run.stdout)
    plain = subprocess.run([kit.TRACETOOL, out], capture_output=True, text=True)
    kit.check(plain.stdout in run.stderr, "the summary is that of the file", run.stderr)


def wrong_options():
    """Told before the program runs, as an error."""
    for options, name in (("foo", "foo"), ("calls,sample=fast", "sample"), ("args=NoColon", "args"), ("calls=1", "calls"), ("calls,ring=1K", "ring"),
                          ("max-size=64K", "max-size"), ("ring=2048G", "ring")):
        out, run = record(*ends("exit", "0"), options=["-p", options])
        kit.check(run.returncode == 2 and run.stdout == "" and '"%s' % name in run.stderr, "-p %s: not run" % options, run)
        kit.check(not os.path.exists(out) and len(run.stderr.splitlines()) <= 2, "-p %s: nothing recorded" % options, run.stderr)
    out, run = record(*ends("exit", "0"), options=["-p", "alloc,include=a,,b", "-p", "calls", "--no-summary"])
    kit.check(run.returncode == 0 and os.path.exists(out), "right options, twice", run)


def defaults():
    """Named like the program; the runtime's own options are kept; names that need quoting."""
    folder = os.path.join(kit.FOLDER, "a 'b', \"c\" %p \\d\ne")
    os.makedirs(folder, exist_ok=True)
    env = dict(os.environ, MONO_ENV_OPTIONS="--debug")
    run = subprocess.run([kit.TRACETOOL, "record", "-q", "--no-summary", "--"] + ends("exit", "0"), cwd=folder, env=env,
                         capture_output=True, text=True)
    kit.check(os.listdir(folder) == ["Ends.ttc"] and run.stderr == "", "a folder with blanks, line ends, quotes, commas and percent signs",
              os.listdir(folder), run.stderr)
    out, run = record("sh", "-c", 'mono "$0" exit 0 && echo "$MONO_ENV_OPTIONS"', kit.program("Ends"), options=["--no-summary"],
                      env=env)
    kit.check("--debug --profile=tracetool:" in run.stdout, "MONO_ENV_OPTIONS is added to", run.stdout)
    kit.check(calls(out) == CALLS, "a runtime started by a script is recorded", run.stderr)


def rotation_beside_older():
    """The files of a rotation are listed in their order, and the last line names the first of them."""
    folder = os.path.join(kit.FOLDER, "rotated")
    os.makedirs(folder, exist_ok=True)
    dense = os.path.join(folder, "Dense.exe")
    subprocess.run(["mcs", "-out:" + dense, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Dense.cs")], check=True)
    beside = ""
    for _ in range(2):
        run = subprocess.run([kit.TRACETOOL, "record", "--no-summary", "-p", "calls,rotate-size=300K", "-o", "r.ttc", "--", "mono", dense,
                              "calls", "100000"], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        said = run.stderr.splitlines()
        have = [os.path.basename(line) for line in said if line.startswith("tracetool: recorded to ")]
        want = ["r%s.ttc" % beside] + ["r%s.%d.ttc" % (beside, i) for i in range(1, len(have))]
        kit.check(len(have) > 10 and have == want, "files of a rotation, in order", have, said[-3:])
        beside = ".%d" % len(have)
    last = "tracetool: wrote %s; r.ttc is older (--overwrite replaces it)" % have[0]
    kit.check(said[-1] == last, "beside an older rotation: the last line", said[-1:])


def rotation_beside_others():
    """Files of other recordings that have names of this rotation are told, and this one's are listed by their numbers; also with -q."""
    folder = os.path.join(kit.FOLDER, "beside-others")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    shutil.copy(os.path.join(kit.FOLDER, "rotated", "r.ttc"), os.path.join(folder, "r.1.ttc"))
    with open(os.path.join(folder, "r.2.ttc"), "w") as f:
        f.write("no capture at all, and longer than the head of one, which has some hundred bytes" * 9)
    dense = os.path.join(kit.FOLDER, "rotated", "Dense.exe")
    for options in ([], ["-q", "--overwrite"]):
        run = subprocess.run([kit.TRACETOOL, "record", "--no-summary", *options, "-p", "calls,rotate-size=300K", "-o", "r.ttc", "--",
                              "mono", dense, "calls", "30000"], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        said = run.stderr.splitlines()
        if options:
            told = r"tracetool: r\.1\.2\.ttc and [0-9]+ more files? are of another recording: .*"
            kit.check(len(said) == 1 and re.fullmatch(told, said[0]), "-q: told", said)
            continue
        have = [os.path.basename(line) for line in said if line.startswith("tracetool: recorded to ")]
        want = ["r.ttc", "r.1.2.ttc", "r.2.2.ttc"] + ["r.%d.ttc" % i for i in range(3, len(have))]
        kit.check(len(have) > 3 and have == want, "beside files of others, in order", have)
        kit.check(said[-1] == "tracetool: r.1.ttc and 1 more file are of another recording: do not read them together with these files", "told", said[-1])


def refused_names():
    """Names that promise another file than a capture are refused before the program runs."""
    for name, says in (("-", "standard output is the program's"), ("x.ttc.gz", "record to x.ttc, then compress"),
                       ("x.ttc.zst", "record to x.ttc, then compress"), ("game.json", "tracetool convert"), ("game.pftrace", "tracetool convert")):
        folder = os.path.join(kit.FOLDER, "refused")
        os.makedirs(folder, exist_ok=True)
        run = subprocess.run([kit.TRACETOOL, "record", "-o", name, "--"] + ends("exit", "0"), cwd=folder, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL)
        kit.check(run.returncode == 2 and says in run.stderr and run.stdout == "" and not os.listdir(folder), "-o %s is refused" % name, run)


def beside_older():
    """An older capture of the name is kept, and the last line has the new name; --overwrite replaces it."""
    folder = os.path.join(kit.FOLDER, "beside")
    os.makedirs(folder, exist_ok=True)
    def record(*options):
        run = subprocess.run([kit.TRACETOOL, "record", *options, "-o", "x.ttc", "--"] + ends("exit", "0"), cwd=folder,
                             capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return run.returncode, run.stderr.splitlines()
    code, first = record()
    kit.check(code == 0 and not any("wrote" in line for line in first), "nothing older: nothing is said of it", code, first[-3:])
    with open(os.path.join(folder, "x.ttc"), "rb") as f:
        older = f.read()
    last = "tracetool: wrote x.2.ttc; x.ttc is older (--overwrite replaces it)"
    for options in ([], ["--no-summary"], ["-q"]):
        if os.path.exists(os.path.join(folder, "x.2.ttc")):
            os.unlink(os.path.join(folder, "x.2.ttc"))
        code, said = record(*options)
        kit.check(code == 0 and said[-1] == last, "beside an older capture, %s: the last line" % options, code, said[-3:])
    with open(os.path.join(folder, "x.ttc"), "rb") as f:
        kit.check(f.read() == older, "the older capture is as it was")
    link = os.path.join(folder, "x.ttc")
    os.rename(link, link + ".kept")
    os.symlink("not-there.ttc", link)
    os.unlink(os.path.join(folder, "x.2.ttc"))
    code, said = record("-q")
    kit.check(said[-1] == "tracetool: wrote x.2.ttc; x.ttc is a link to a file that is not there (--overwrite replaces it)", "beside a link to nothing", said)
    os.rename(link + ".kept", link)
    code, said = record("--overwrite")
    with open(os.path.join(folder, "x.ttc"), "rb") as f:
        kit.check(code == 0 and f.read() != older and not any("older" in line for line in said), "--overwrite replaces it", said[-3:])
    kit.check(sorted(os.listdir(folder)) == ["x.2.ttc", "x.ttc"], "--overwrite makes no third file", os.listdir(folder))
    kit.check(kit.counts(kit.stats(os.path.join(folder, "x.ttc"), "markers")["markers"], "marker", "count") != {}, "--overwrite records calls, too")


def kept_defaults():
    """Calls and allocations are recorded unless an option names what is."""
    for options, count, allocs in ((["overwrite"], CALLS, True), (["calls=no", "overwrite"], 0, True), (["ring=8M", "alloc,overwrite"], 0, True),
                                   (["overwrite,gc"], 0, False), (["overwrite", "include=Ends:Step"], CALLS, True)):
        out, run = record(*ends("exit", "0"), options=["--no-summary"] + [x for o in options for x in ("-p", o)])
        t = kit.stats(out, "markers,alloc_classes")
        kit.check(calls(out) == count and bool(t["alloc_classes"]) == allocs, "-p %s: what is recorded" % " -p ".join(options), calls(out), run.stderr)


def several():
    """%p: each process has a capture."""
    pattern = kit.capture("many-%p.ttc")
    _, run = record("sh", "-c", 'mono "$0" exit 0; mono "$0" exit 5', kit.program("Ends"), path=pattern, options=["--no-summary"])
    found = [f for f in os.listdir(kit.FOLDER) if f.startswith("many-")]
    kit.check(run.returncode == 5 and len(found) == 2 and run.stderr.count("recorded to") == 2, "several processes", found,
              run.stderr)


def not_recorded():
    out, run = record("true")
    kit.check(run.returncode == 0 and words.say("nothing_recorded") in run.stderr and not os.path.exists(out),
              "a program without a runtime is told so", run.stderr)
    # The runtime is silent about a module it cannot load.
    folder = os.path.join(kit.FOLDER, "bad")
    os.makedirs(folder, exist_ok=True)
    bad = os.path.join(folder, "libmono-profiler-tracetool.so")
    open(bad, "w").write("no library")
    out, run = record(*ends("exit", "0"), options=["--module", bad])
    kit.check(run.returncode == 0 and words.say("nothing_recorded") in run.stderr and bad in run.stderr,
              "a module that does not load is told", run.stderr)
    out, run = record("./no-such-program")
    kit.check(run.returncode == 4 and "no-such-program" in run.stderr, "a program that is not there", run.stderr)
    other = os.path.join(folder, "other.so")
    shutil.copy(bad, other)
    _, run = record("true", options=["--module", other])
    kit.check(run.returncode == 2, "a module of another name is refused", run.stderr)


def libdir():
    """TRACETOOL_LIBDIR names the module's folder, before all others; what is not there is told, and the program does not run."""
    folder = os.path.join(kit.FOLDER, "libdir")
    os.makedirs(folder, exist_ok=True)
    env = dict(os.environ, TRACETOOL_LIBDIR=folder)
    _, run = record(*ends("exit", "0"), env=env)
    kit.check(run.returncode == 4 and run.stdout == "" and folder in run.stderr and "TRACETOOL_LIBDIR" in run.stderr,
              "a folder without the module", run.returncode, run.stderr)
    shutil.copy(os.path.join(kit.BUILD, "libmono-profiler-tracetool.so"), folder)
    out, run = record("sh", "-c", 'echo "$LD_LIBRARY_PATH"; exec "$@"', "sh", *ends("exit", "0"), env=env)
    kit.check(calls(out) == CALLS and re.split("[:\n]", run.stdout)[0] == os.path.realpath(folder), "the module of this folder records", run.stdout, run.stderr)


def quiet():
    """With -q nothing is printed but the program's own; a name given to the module itself is refused before the program runs."""
    out, run = record(*ends("exit", "0"), options=["-q"], path=kit.capture("quiet.ttc"))
    kit.check(run.stdout == "ready\n" and run.stderr == "" and calls(out) == CALLS, "-q prints nothing", run.stdout, run.stderr)
    for text in ("calls,out=x.ttc", "out=x,,y.ttc,calls", "meta=a:b,,out,out=x"):
        _, run = record(*ends("exit", "0"), options=["-p", text], path=kit.capture("named.ttc"))
        kit.check(run.returncode == 2 and run.stdout == "" and "-o FILE" in run.stderr, "-p %s is refused" % text, run.returncode,
                  run.stdout, run.stderr)
    _, run = record(*ends("exit", "0"), options=["-q", "-p", "calls,meta=a:b,,out=x"], path=kit.capture("comma.ttc"))
    kit.check(run.returncode == 0, "out= in a value is none", run.stderr)


def patterns():
    """A pattern that matches no method is told, one that does is not; frames are marked where a method marked one."""
    out, run = record(*ends("exit", "0"), options=["--no-summary", "-p", "calls,include=Ends:Step,include=Ends:St*,include=Nix:*,"
                      "exclude=Gone,args=Ends:Step,frame=Nope:Tick"], path=kit.capture("patterns.ttc"))
    said = [line for line in run.stderr.splitlines() if "matches" in line]
    kit.check([line.split(": ")[1] for line in said] == ["include=Nix:*", "exclude=Gone", "frame=Nope:Tick"],
              "patterns that match nothing", run.stderr)
    marked, _ = record(*ends("exit", "0"), options=["--no-summary", "-p", "frame=Ends:Step"], path=kit.capture("marked.ttc"))
    for path, yes in ((out, "no"), (marked, "yes")):
        text = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, text=True).stdout
        kit.check(re.search(r"frame marks +%s" % yes, text), "frame marks: " + yes, text[:800])


def without_end(path):
    """The capture without its last chunk, as tracetool-capture(5) has chunks: where a copy ended between two of them."""
    data = open(path, "rb").read()
    at, last = struct.unpack_from("<I", data, 12)[0], 0
    while at < len(data):
        last, at = at, at + 64 + struct.unpack_from("<I", data, at + 8)[0]
    with open(path, "wb") as f:
        f.write(data[:last])


def cut_between_chunks():
    """A program that ended in order is not said to have been killed because its capture was cut."""
    out, _ = record(*ends("exit", "0"), path=kit.capture("cut.ttc"), options=["--no-summary"])
    without_end(out)
    lost = {r["kind"]: r["advice"] for r in kit.stats(out, "loss")["loss"]}
    kit.check("killed" not in lost and "the file is cut" in lost.get("not_ended", ""), "a capture without its end: why is not known", lost)


def two_at_once():
    """Two runs that record to one name while both are there: each lists its own capture."""
    out, second = kit.capture("both.ttc"), kit.capture("both.2.ttc")
    p = subprocess.Popen([kit.TRACETOOL, "record", "--no-summary", "-o", out, "--", "sh", "-c", 'echo; read x; exec mono "$0" exit 0',
                          kit.program("Ends")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         cwd=kit.FOLDER)
    p.stdout.readline()
    _, first = record(*ends("exit", "0"), options=["--no-summary"], path=out)
    _, said = p.communicate("go\n", timeout=60)
    kit.check("recorded to %s\n" % out in first.stderr and second not in first.stderr, "two at once: the first lists its own", first.stderr)
    kit.check("recorded to %s\n" % second in said and "recorded to %s\n" % out not in said, "two at once: the second lists its own", said)


def into_a_pipe():
    """Whoever reads the pipe has the capture: nothing is said to be missing."""
    path, out = os.path.join(kit.FOLDER, "a pipe"), kit.capture("piped.ttc")
    os.mkfifo(path)
    with open(out, "wb") as f:
        reader = subprocess.Popen(["cat", path], stdout=f)
        _, run = record(*ends("exit", "0"), path=path)
        reader.wait(timeout=60)
    kit.check(calls(out) == CALLS, "into a pipe: no call is lost", calls(out))
    kit.check(words.say("nothing_recorded") not in run.stderr, "into a pipe: nothing false is said", run.stderr)
    kit.check(len([line for line in run.stderr.splitlines() if path in line]) == 1, "into a pipe: where it went is said", run.stderr)


def no_place():
    """Where no capture can be made, that is said before the program runs."""
    folder = os.path.join(kit.FOLDER, "100%% folder")
    os.makedirs(folder.replace("%%", "%"), exist_ok=True)
    for path, why in ((folder, "it is a folder"), (folder + "/", "it is a folder"), (folder + "/no/x.ttc", words.say("no_folder") + "; make it first"),
                      (kit.program("Ends") + "/x.ttc", "its folder: Not a directory")):
        _, run = record(*ends("exit", "0"), path=path)
        kit.check(run.returncode == 4 and run.stdout == "" and "cannot write %s: %s" % (path.replace("%%", "%"), why) in run.stderr, path + ": not run",
                  run.returncode, run.stdout, run.stderr)
        kit.check(len(run.stderr.splitlines()) == 1, path + ": one line", run.stderr)
    _, run = record(*ends("exit", "0"), path="no-%p/x.ttc")
    kit.check(run.returncode == 0 and "not profiled" in run.stderr, "a path that is not known before: the program runs", run.returncode, run.stderr)


def old_capture_is_no_new_one():
    """A capture from before is not taken for one of this run, nor touched by it."""
    out = kit.capture("old.ttc")
    record(*ends("exit", "0"), path=out, options=["--no-summary"])
    size = os.path.getsize(out)
    os.utime(out, (1, 1))
    _, run = record("true", path=out)
    kit.check(words.say("nothing_recorded") in run.stderr and os.path.getsize(out) == size, "an old capture stays", run.stderr)


kit.compile("Ends")
same_end("exit 0", "exit", "0")
same_end("exit 7", "exit", "7")
same_end("an unhandled exception", "throw")
same_end("Process.Kill", "kill", killed=True)
same_end("FailFast", "failfast", killed=True)
for sig in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signalled(sig)
wrong_options()
summary()
defaults()
beside_older()
rotation_beside_older()
rotation_beside_others()
refused_names()
kept_defaults()
several()
not_recorded()
libdir()
quiet()
patterns()
cut_between_chunks()
two_at_once()
into_a_pipe()
no_place()
old_capture_is_no_new_one()
kit.end()
