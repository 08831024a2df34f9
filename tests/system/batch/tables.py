#!/usr/bin/env python3
"""tracetool-batch(1): --per-capture writes the tables of each capture as `tracetool stats` prints them, and --do convert the files of `tracetool convert`.

Byte by byte, over the captures of testdata: JSON of all, every form and every emitter of some of each format. Ends with "N passed, N failed".
"""
import json
import os
import shutil

import kit
from kit import run

FORMS = {"text": "stats.txt", "json": "stats.json", "csv": "stats.csv", "markdown": "stats.md", "html": "stats.html"}
FOLDERS = ["capture", "data", "gate", "mlpd", "raw"]
# Of Mono's log: samples of native code, locks, a heap shot, exceptions, what is cut.
SOME = ["d02", "d04", "d07-heapshot", "d13", "cut-in-buffer"]


def first_difference(a, b):
    if a == b:
        return None
    a, b = a.split(b"\n"), b.split(b"\n")
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return "line %d:\n    %r\n    %r" % (i + 1, x[:300], y[:300])
    return "%d lines, %d lines" % (len(a), len(b))


def of(results, key, suffix):
    """The file of that suffix that was made of a capture, or None."""
    made = [f for f in results[key].get("files", []) if f.endswith("." + suffix)]
    return made[0] if made else None


def tables(s, top, what, forms):
    for form in forms:
        out = s.path("out-" + form)
        run("batch", "-q", "-o", out, "--per-capture", form, ".", cwd=top)
        results = {k: r for k, r in kit.by_key(os.path.join(out, "results.jsonl")).items() if r["type"] == "capture"}
        s.check("%s: there are captures" % what, None if results else "none")
        for key in results:
            made, plain = of(results, key, FORMS[form]), s.path("plain")
            if os.path.exists(plain):
                os.unlink(plain)
            r = run("stats", "-q", "--format", form, "-o", plain, key, cwd=top)
            if not made or not os.path.exists(plain):
                s.equal("%s: %s as %s: none from either" % (what, key, form), (made, os.path.exists(plain), r.err), (None, False, r.err))
                continue
            s.check("%s: %s as %s" % (what, key, form),
                    first_difference(open(os.path.join(out, "captures", made), "rb").read(), open(plain, "rb").read()))
        shutil.rmtree(out)


def emitters(s, top):
    rows = json.loads(run("list", "emitters", "--format", "json").out)["tables"]["emitters"]["rows"]
    out = s.path("made")
    for suffix in [r["suffix"].split()[0][1:] for r in rows if r["suffix"]]:
        run("batch", "-q", "-o", out, "--do", "convert", "--to", suffix, ".", cwd=top)
        results = {k: r for k, r in kit.by_key(os.path.join(out, "results.jsonl")).items() if r["type"] == "capture"}
        for key in results:
            made, plain = of(results, key, suffix), s.path("plain." + suffix)
            if os.path.exists(plain):
                os.unlink(plain)
            run("convert", "-q", key, "-o", plain, cwd=top)
            if not made or not os.path.exists(plain):
                s.equal("%s to %s: none from either" % (key, suffix), (made, os.path.exists(plain)), (None, False))
                continue
            s.check("%s to %s" % (key, suffix),
                    first_difference(open(os.path.join(out, "captures", made), "rb").read(), open(plain, "rb").read()))


def main():
    s = kit.Suite()
    every, some = s.path("every"), s.path("some")
    os.makedirs(some)
    for folder in FOLDERS:
        shutil.copytree(os.path.join(kit.TESTDATA, folder), os.path.join(every, folder))
        names = sorted(os.listdir(os.path.join(every, folder)))
        chosen = [n for n in names if any(part in n for part in SOME)] if folder == "mlpd" else names[:2]
        for name in chosen if not kit.LONG else names:
            shutil.copy(os.path.join(every, folder, name), os.path.join(some, folder + "-" + name))
    tables(s, every, "all", ["json"])
    tables(s, some, "some", [f for f in FORMS if f != "json"])
    emitters(s, some)
    s.end()


main()
