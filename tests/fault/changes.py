#!/usr/bin/env python3
"""An input that changes while it is read is reported each time, and never causes a crash.

The program opens its inputs in order: with a FIFO as the second one, the first is open when the FIFO's writer is
let through, and nothing has been read to its end. Ends with "N passed, N failed".
"""
import json
import os
import shutil
import subprocess

import kit


def append(path):
    with open(path, "ab") as f:
        f.write(b"more")


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2)


def empty(path):
    os.truncate(path, 0)


def touch(path):
    os.utime(path, ns=(1, 1))


def replace(path):
    shutil.copy(path, path + ".new")
    os.rename(path + ".new", path)


def remove(path):
    os.unlink(path)


def changed(s, name, capture, verb, change):
    with kit.Work(s, {}) as work:
        first = os.path.join(work.dir, "first")
        fifo = os.path.join(work.dir, "fifo")
        shutil.copy(capture, first)
        os.mkfifo(fifo)
        p = subprocess.Popen([kit.TRACETOOL] + verb + [first, fifo], cwd=work.dir, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with open(fifo, "wb") as f:
            if change:
                change(first)
            f.write(open(kit.another(s, capture), "rb").read())
        out, err = p.communicate(timeout=60)
        err = err.decode("utf-8", "replace")
    # What is removed is read to its end all the same: its bytes are those that were there.
    if change in (None, remove):
        return None if p.returncode == 0 and "changed" not in err else "exit %d: %s" % (p.returncode, err)
    if p.returncode not in (0, 3):
        return "exit %d: %s" % (p.returncode, err)
    if "changed while" not in err:
        return "not told: %s" % err
    return None


def main():
    s = kit.Suite()
    for name, capture in kit.captures(s):
        for verb in (["info"], ["stats"], ["convert", "-f", "chrome"], ["convert", "-f", "folded"]):
            for change in (None, append, cut, empty, touch, replace, remove):
                s.check("%s, %s, %s" % (name, " ".join(verb), change.__name__ if change else "unchanged"),
                        changed(s, name, capture, verb, change))
    s.end()


main()
