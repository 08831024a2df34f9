#!/usr/bin/env python3
"""Each call of a recorder that can fail does so once, in a game with the Unity plug-in and in a Mono program with the module;
and the module meets runtimes that lack functions it has a use for.

The program does not notice: it ends as it does without a fault, and prints the same. What there is of a capture can be read.
Ends with "N passed, N failed".
"""
import concurrent.futures
import importlib.util
import os
import re
import subprocess

import kit

# Of the same name as the one here.
spec = importlib.util.spec_from_file_location("mono_kit", os.path.join(kit.TOP, "tests", "system", "mono", "kit.py"))
mono_kit = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mono_kit)

CALLS = ["malloc", "calloc", "mmap", "open", "read", "fallocate", "thread"]
# The game's process writes by a function of its own (tests/host/play.c).
MONO_CALLS = CALLS + ["realloc", "write"]
NO_CAPTURE = 122    # of tests/host/host: the recorder could not begin
MOST = {"write": 4, "read": 3, "mmap": 12}
# With a sanitizer, its library comes second: our malloc() is in front of its.
SECOND = "verify_asan_link_order=0:detect_leaks=0"
PRELOAD = os.path.join(kit.BUILD, "fault", "recorder_calls.so")
ALL = "calls,args=Shown:*,alloc,alloc-stack=8,gc,moves,roots,handles,finalizers,exceptions,monitor,jit,counters=20ms," \
      "heapshot=end,sample,coverage"

# What the module needs for what, and says where it is not there. The rest is left out without a word.
FEATURES = {
    "coverage: this runtime does not count": "mono_profiler_enable_coverage mono_profiler_set_coverage_filter_callback "
        "mono_profiler_get_coverage_data mono_assembly_foreach mono_image_get_table_rows mono_get_method mono_method_get_token",
    "sample: this runtime does not sample": "mono_profiler_enable_sampling mono_profiler_set_sample_mode "
        "mono_profiler_set_sample_hit_callback mono_stack_walk_async_safe mono_jit_info_table_find mono_jit_info_get_method",
    "heapshot: this runtime does not show its heap": "mono_gc_walk_heap mono_gc_max_generation mono_gc_collect "
        "mono_profiler_set_gc_event_callback",
    "args: this runtime gives no arguments": "mono_profiler_enable_call_context_introspection",
}


class Program:
    """What is run again and again, in a folder of its own."""

    def __init__(self, s, name, lib, argv, capture, env):
        self.s, self.name, self.lib, self.argv, self.env = s, name, lib, argv, env
        self.dir = s.path(name)
        self.capture = os.path.join(self.dir, capture)
        os.makedirs(os.path.join(self.dir, "run"))
        self.good = self.run()

    def run(self, **more):
        for f in os.listdir(self.dir):
            if f.endswith(".ttc"):
                os.unlink(os.path.join(self.dir, f))
        return subprocess.run(self.argv, cwd=self.dir, env=dict(os.environ, **self.env, TT_REC_LIB=self.lib, **more),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    def check(self, what, r, problem=None):
        """It ran as it does alone, and what there is of its capture can be read."""
        if r.returncode == NO_CAPTURE and (b"no capture: " in r.stderr or b"no thread could be had" in r.stderr):
            pass          # the game was played; the player wants to know
        elif r.returncode != self.good.returncode or r.stdout != self.good.stdout:
            problem = "the program ended with %d: %s" % (r.returncode, (r.stdout + r.stderr)[-300:])
        elif os.path.exists(self.capture) and os.path.getsize(self.capture) > 0:
            read = kit.run([kit.TRACETOOL, "info", "-q", self.capture], self.dir)
            if read.returncode not in (0, 3):
                problem = "its capture: %d, %s" % (read.returncode, read.err[-300:])
        return self.s.check("%s, %s" % (self.name, what), problem)

    def with_faults(self, calls):
        """Each of ${calls} fails in turn."""
        told = os.path.join(self.dir, "told")
        if not self.s.check(self.name, None if self.good.returncode == 0 else "fails as it is: %s" % self.good.stderr[-300:]):
            return
        for call in calls:
            for on in (False, True):
                n = 1
                while n <= MOST.get(call, 40) and not (on and n > 3):
                    if os.path.exists(told):
                        os.unlink(told)
                    r = self.run(LD_PRELOAD=PRELOAD, ASAN_OPTIONS=SECOND, TT_REC_CALL=call, TT_REC_AT=str(n), TT_REC_TOLD=told,
                                 **({"TT_REC_ON": "1"} if on else {}))
                    failed = os.path.exists(told)
                    # One of each is there, or nothing was tried here.
                    self.check("%s number %d fails%s" % (call, n, " and all after it" if on else ""), r,
                               None if failed or n > 1 else "no call was met")
                    if not failed:
                        break
                    n += 1
        self.s.check(self.name + ": no ring is left behind", " ".join(os.listdir(os.path.join(self.dir, "run"))))

    def lacking(self, names, *said):
        """A runtime without some functions: each of ${said} is said, and nothing else."""
        r = self.run(LD_PRELOAD=PRELOAD, TT_REC_LACKS=",".join(names))
        lines = r.stderr.decode(errors="replace").splitlines()
        problem = None if sorted(lines) == sorted("tracetool: " + t for t in said) else "says %s" % lines
        if not problem and os.path.exists(self.capture) == any("not profiled" in t for t in said):
            problem = "a capture, or none"
        self.check("without " + " ".join(names), r, problem)


def lists():
    """The functions that formats/recorder/mono/api.h names: those needed, and the others."""
    text = open(os.path.join(kit.TOP, "formats", "recorder", "mono", "api.h")).read()
    needed, optional = [re.findall(r"\bX\((\w+)\)", text.split("#define API_%s(X)" % what)[1].split("\n\n")[0])
                        for what in ("NEEDED", "OPTIONAL")]
    return needed, optional


def runtimes(p):
    needed, optional = lists()
    for name in needed if kit.LONG else (needed[0], needed[len(needed) // 2], needed[-1]):
        p.lacking([name], "not profiled: this runtime has no " + name)
    told = {name: said for said, names in FEATURES.items() for name in names.split()}
    rest = [n for n in optional if n not in told]
    p.s.check("the features' functions are among the optional ones", None if set(told) <= set(optional) else "not all")
    if kit.LONG:
        for name in optional:
            p.lacking([name], *[told[name]] if name in told else [])
    # One of each feature at a time, with some of the others; all of them in the end.
    rounds = 11
    for i in range(rounds):
        gone = [names.split()[i] for names in FEATURES.values() if i < len(names.split())]
        p.lacking(gone + rest[i::rounds], *[told[n] for n in gone])
    p.lacking(optional, *FEATURES)


def main():
    s = kit.Suite()
    mono_kit.compile("Args", "Cover")

    def game(name, *more):
        argv = [os.path.join(kit.BUILD, "host", "host"), "capture=game.ttc", "frames=12", "threads=1", "events=60", "fps=0"]
        return Program(s, name, "libtracetool-unity", argv + list(more), "game.ttc", {"BUILD": kit.BUILD})

    def mono(name, program, options):
        return Program(s, name, "libmono-profiler-tracetool",
                       ["mono", "--profile=tracetool:%s,out=mono.ttc" % options, mono_kit.program(program)], "mono.ttc",
                       {"LD_LIBRARY_PATH": kit.BUILD, "XDG_RUNTIME_DIR": s.path(name, "run")})

    jobs = [lambda: game("game in parts", "options=rotate-size=64K;control=control").with_faults(CALLS),
            lambda: mono("Mono program", "Cover", ALL).with_faults(MONO_CALLS),
            lambda: runtimes(mono("Mono runtime", "Args", ALL))]
    if kit.LONG:
        jobs += [lambda: game("game").with_faults(CALLS),
                 # which never have to grow anything
                 lambda: mono("Mono arguments", "Args", "calls,args=Shown:*,exceptions,alloc,alloc-stack=8").with_faults(
                     [c for c in MONO_CALLS if c != "realloc"])]
    # They wait more than they work.
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for j in [pool.submit(j) for j in jobs]:
            j.result()
    s.end()


main()
