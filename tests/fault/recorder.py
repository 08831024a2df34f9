#!/usr/bin/env python3
"""Each call of a recorder that can fail does so once, in a game with the Unity plug-in and in a Mono program with the module.

The program does not notice: it ends as it does without a fault, and prints the same. What there is of a capture can be read.
Ends with "N passed, N failed".
"""
import importlib.util
import os
import subprocess

import kit

# Of the same name as the one here.
spec = importlib.util.spec_from_file_location("mono_kit", os.path.join(kit.TOP, "tests", "mono", "kit.py"))
mono_kit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mono_kit)

CALLS = ["malloc", "calloc", "realloc", "mmap", "open", "write", "pwrite", "read", "ftruncate", "fallocate", "thread", "dlsym"]
NO_CAPTURE = 122    # of tests/host/host: the recorder could not begin
MOST = {"write": 4, "pwrite": 4, "read": 3, "mmap": 12, "dlsym": 200}


def play(s, name, lib, argv, capture, env):
    """One program, with every call failing in turn."""
    preload, told = os.path.join(kit.BUILD, "fault", "recorder_calls.so"), s.path("told")

    def run(**more):
        for f in os.listdir(s.dir):
            if f.endswith(".ttc"):
                os.unlink(s.path(f))
        return subprocess.run(argv, cwd=s.dir, env=dict(os.environ, **env, **more), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    good = run()
    if not s.check(name, None if good.returncode == 0 else "fails as it is: %s" % good.stderr[-300:]):
        return
    for call in CALLS:
        for on in (False, True):
            n, step = 1, 1 if kit.LONG or call != "dlsym" else 4
            while n <= MOST.get(call, 40) and not (on and n > 3):
                if os.path.exists(told):
                    os.unlink(told)
                r = run(LD_PRELOAD=preload, TT_REC_LIB=lib, TT_REC_CALL=call, TT_REC_AT=str(n), TT_REC_TOLD=told,
                        **({"TT_REC_ON": "1"} if on else {}))
                problem = None
                if r.returncode == NO_CAPTURE and (b"no capture: " in r.stderr or b"no thread could be had" in r.stderr):
                    pass          # the game was played; the player wants to know
                elif r.returncode != good.returncode or r.stdout != good.stdout:
                    problem = "the program ended with %d: %s" % (r.returncode, (r.stdout + r.stderr)[-300:])
                elif os.path.exists(capture) and os.path.getsize(capture) > 0:
                    read = kit.run([kit.TRACETOOL, "info", "-q", capture], s.dir)
                    if read.returncode not in (0, 3):
                        problem = "its capture: %d, %s" % (read.returncode, read.err[-300:])
                s.check("%s, %s number %d fails%s" % (name, call, n, " and all after it" if on else ""), problem)
                if not os.path.exists(told):
                    break
                n += step


def main():
    s = kit.Suite()
    game = s.path("game.ttc")
    host = [os.path.join(kit.BUILD, "host", "host"), "capture=" + game, "frames=12", "threads=1", "events=60", "fps=0"]
    play(s, "game", "libtracetool-unity", host, game, {"BUILD": kit.BUILD})
    play(s, "game in parts", "libtracetool-unity", host + ["options=rotate-size=40K;control=" + s.path("control")], game,
         {"BUILD": kit.BUILD})
    mono_kit.compile("Args", "Cover")
    out = s.path("mono.ttc")
    for program, options in (
            ("Cover", "calls,alloc,gc,moves,roots,handles,exceptions,monitor,jit,counters=100ms,heapshot=end,sample"),
            ("Cover", "coverage,finalizers"), ("Args", "calls,args=Shown:*,exceptions,alloc,alloc-stack=8")):
        play(s, "%s %s" % (program, options), "libmono-profiler-tracetool",
             ["mono", "--profile=tracetool:%s,out=%s" % (options, out), mono_kit.program(program)], out,
             {"LD_LIBRARY_PATH": kit.BUILD})
    s.end()


main()
