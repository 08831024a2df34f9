#!/usr/bin/env python3
"""The module and the runtime's own log profiler in one process: both must have seen the same.

What is compared: calls per method, allocations and bytes per class. Both are read by tracetool; that it reads the log
profiler's captures rightly is tested elsewhere, against mprof-report.
"""
import kit

# Program with arguments, by whether it is of the long set.
PROGRAMS = [
    (False, "GameLoop", "24", "4"),
    (False, "Recurse"),
    (False, "Exceptions"),
    (True, "GameLoop", "300", "8"),
    (True, "Names"),
]


def methods(rows):
    """Without zones made of collections, and without the runtime's wrappers: the finalizer thread runs some after the
    log profiler has ended."""
    return [r for r in rows if not r["marker"].startswith(("(", "GC."))]


def agree(name, *args):
    ours, theirs = kit.capture(name + ".ttc"), kit.capture(name + ".mlpd")
    run = kit.mono("calls,alloc,out=" + ours, name, *args, more=["--profile=log:nodefaults,calls,calldepth=100000,alloc,output=" + theirs])
    plain = kit.mono(None, name, *args)
    what = " ".join((name,) + args)
    kit.check(run.returncode == plain.returncode, what + ": exit status", run.returncode, plain.returncode, run.stderr)
    a, b = (kit.stats(path, "markers,alloc_classes") for path in (ours, theirs))
    kit.check_equal(kit.counts(methods(a["markers"]), "marker", "count"), kit.counts(methods(b["markers"]), "marker", "count"),
                    what + ": calls per method")
    kit.check_equal(kit.counts(a["alloc_classes"], "class", "count", "bytes"),
                    kit.counts(b["alloc_classes"], "class", "count", "bytes"), what + ": allocations per class")


kit.compile()
for long, name, *args in PROGRAMS:
    if kit.LONG or not long:
        agree(name, *args)
kit.end()
