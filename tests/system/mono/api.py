#!/usr/bin/env python3
"""One binary for versions 2 and 3 of the profiler interface.

Version 2 lacks mono_profiler_enable_clauses, and nothing else that the module uses. The stand-in for it is a copy of the installed runtime
in which that function has another name: it runs real programs.
"""
import os
import shutil
import subprocess

import kit

HAS, LACKS = b"mono_profiler_enable_clauses", b"mono_profiler_enable_clausex"
OPTIONS = "calls,alloc,alloc-stack=4,gc,exceptions,monitor,jit,handles,finalizers,sample=200,heapshot=end,counters=100ms"


def runtime_of_version_2():
    with open(os.path.realpath(shutil.which("mono")), "rb") as f:
        binary = f.read()
    kit.check(binary.count(HAS) == 1, "the name stands once in the runtime", binary.count(HAS))
    path = os.path.join(kit.FOLDER, "mono-2")
    with open(path, "wb") as f:
        f.write(binary.replace(HAS, LACKS))
    os.chmod(path, 0o755)
    return path


def record(runtime, version, name, *args):
    out = kit.capture("%s-%d.ttc" % (name, version))
    run = subprocess.run([runtime, "--profile=tracetool:%s,out=%s" % (OPTIONS, out), kit.program(name)] + list(args), env=kit.ENV,
                         cwd=kit.FOLDER, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=300)
    what = "%s, version %d" % (name, version)
    kit.check(run.returncode == 0 and run.stderr == "", what + ": runs", run)
    info = subprocess.run([kit.TRACETOOL, "info", out], capture_output=True, text=True).stdout
    said = [line.split()[1] for line in info.splitlines() if line.split()[:1] == ["mono.profiler_api"]]
    kit.check(said == [str(version)], what + ": the capture tells it", said)
    t = kit.stats(out, "markers,alloc_classes,exceptions,loss")
    kit.check(not [r for r in t["loss"] if r["severity"] in ("loss", "error")], what + ": nothing is lost", t["loss"])
    own = [r for r in t["markers"] if r["category"] == name]
    return run.stdout, kit.counts(own, "marker", "count"), kit.counts(t["exceptions"], "type", "count"), \
        {k: v for k, v in kit.counts(t["alloc_classes"], "class", "count", "bytes").items() if k.startswith(("Game", name))}


kit.compile("Exceptions", "GameLoop", "Rough")
old = runtime_of_version_2()
for name, *args in (("Exceptions",), ("GameLoop", "20", "4")):
    a, b = record("mono", 3, name, *args), record(old, 2, name, *args)
    kit.check(a[0] == b[0] and len(a[1]) > 4, name + ": the program does the same")
    for i, of in enumerate(("calls", "throws", "allocations"), 1):
        kit.check_equal(b[i], a[i], "%s: %s are those of version 3" % (name, of))
kit.end()
