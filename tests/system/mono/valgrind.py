#!/usr/bin/env python3
"""The module's own memory under valgrind, in a real runtime: nothing of it is lost, nothing touched that is not its own.

The runtime leaks by itself; what counts is reports with a function of ours in the stack.
"""
import os
import re
import subprocess

import kit

SOURCES = [f for folder in ("formats/recorder/core", "formats/ttc", "formats/recorder/mono", "formats/recorder/unity")
           for f in os.listdir(os.path.join(kit.TOP, folder)) if f.endswith(".c")]
OURS = re.compile("libmono-profiler-tracetool|\\((" + "|".join(map(re.escape, SOURCES)) + "):\\d+\\)")
OPTIONS = "calls,alloc,alloc-stack=4,gc,moves,roots,handles,finalizers,exceptions,monitor,jit,counters=50ms,frame=Rough:Mark*,depth=50"

kit.compile("Rough")
for args, options in ((["threads", "60"], OPTIONS), (["async", "30"], OPTIONS), (["dynamic", "100"], OPTIONS),
                      (["domains", "1"], "calls,exceptions"), (["generics", "5"], "args=Box*:Mark*,alloc-sample=1K,alloc-stack=8")):
    path, log = kit.capture("valgrind.ttc"), os.path.join(kit.FOLDER, "valgrind.log")
    run = subprocess.run(["valgrind", "--smc-check=all-non-file", "--leak-check=full", "--show-leak-kinds=definite,indirect", "--num-callers=30",
                          "--log-file=" + log, "mono", "--profile=tracetool:%s,out=%s" % (options, path), kit.program("Rough")] + args,
                         cwd=kit.FOLDER, env=kit.ENV, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    what = " ".join(args)
    kit.check(run.returncode == 0 and os.path.exists(path), what + ": runs", run)
    lost = [r for r in kit.stats(path, "loss")["loss"] if r["kind"] not in ("open", "popped", "sampled")]
    kit.check(lost == [], what + ": the capture is whole", lost)
    # What stands behind code of the runtime's compiler was not unwound but guessed.
    reports = re.split(r"==\d+== \n", open(log, errors="replace").read())
    ours = [r for r in reports if OURS.search(re.split(r"0x[0-9A-F]+: \?\?\?\n", r)[0]) and re.search("Invalid|uninitialised|lost in|Mismatched", r)]
    kit.check(any("LEAK SUMMARY" in r for r in reports) and not ours, what + ": no report with a function of ours", *ours[:3])
kit.end()
