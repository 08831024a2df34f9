#!/usr/bin/env python3
"""Signals at random instants of a conversion.

SIGINT, SIGTERM, SIGHUP: over within 200 ms, the status is the signal's, no temporary file is left; the output is
the old one, or complete if the signal came too late. SIGKILL: the output is the old one or complete; its
temporary may stay. Seeded; ends with "N passed, N failed".
"""
import os
import random
import signal
import subprocess
import time

import kit

# Sanitizers and a loaded machine are given more time than the promise says.
WITHIN = 2.0 if os.environ.get("TT_SANITIZED") else 0.5


def main():
    s = kit.Suite()
    rounds = 200 if kit.LONG else 40
    rng = random.Random(20261120)
    capture = os.path.join(kit.DATA, "good-d01-gameloop-calls-alloc.mlpd")
    args = [kit.TRACETOOL, "convert", "-q"] + [capture] * 8 + ["-o", "out.json.gz"]
    work = s.path("work")
    os.makedirs(work)
    out = os.path.join(work, "out.json.gz")
    start = time.monotonic()
    subprocess.run(args, cwd=work, check=True)
    took = time.monotonic() - start
    complete = open(out, "rb").read()
    slowest = 0.0
    for sig in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]:
        for i in range(rounds):
            for f in os.listdir(work):
                os.unlink(os.path.join(work, f))
            open(out, "wb").write(b"old")
            p = subprocess.Popen(args, cwd=work, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
            time.sleep(rng.uniform(0, took * 1.1))
            sent = time.monotonic()
            p.send_signal(sig)
            err = p.communicate()[1].decode()
            lasted = time.monotonic() - sent
            text = open(out, "rb").read()
            left = [f for f in os.listdir(work) if f != "out.json.gz"]
            bad = None
            if p.returncode not in (0, -sig):
                bad = "status %d: %s" % (p.returncode, err)
            elif text not in (b"old", complete):
                bad = "the output is half written: %d of %d bytes" % (len(text), len(complete))
            elif p.returncode == 0 and text != complete:
                bad = "exit 0 without the output"
            elif left and sig != signal.SIGKILL:
                bad = "left %s" % left
            elif lasted > WITHIN:
                bad = "took %.3f s" % lasted
            slowest = max(slowest, lasted)
            s.check("%s, round %d" % (sig.name, i), bad)
    print("slowest end: %.3f s" % slowest)
    s.end()


main()
