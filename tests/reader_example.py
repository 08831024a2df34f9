#!/usr/bin/env python3
"""The reader in formats/README.md works: it compiles as printed, and a line in the registry makes it part of the program.

Its figures are counted again here from the text. Every prefix of a capture is read or its cut is told, and the number of workers
changes nothing. Ends with "N passed, N failed".
"""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "kit"))
from count import check, end
from suite import BUILD, TOP

def build(folder):
    """The program with the page's reader in its registry; None where it cannot be made."""
    page = open(os.path.join(TOP, "formats", "README.md"), encoding="utf-8").read()
    registry = open(os.path.join(TOP, "formats", "registry.c"), encoding="utf-8").read()
    open(os.path.join(folder, "reader.c"), "w").write(re.search(r"```c\n(.*?)```", page, re.S)[1])
    more = re.sub(r"(tt_formats\[\] = \{\n)", r"\1\t&tt_format_spans,\n", registry)
    open(os.path.join(folder, "registry.c"), "w").write("#include \"model/format.h\"\nextern const struct tt_format tt_format_spans;\n" + more)
    # The flags of the build at hand; its first word is the compiler, which may be two words with a compiler cache.
    flags = open(os.path.join(BUILD, "flags")).read().split()
    program = os.path.join(folder, "tracetool")
    commands = sorted(os.path.basename(c)[:-2] for c in glob.glob(os.path.join(TOP, "cmd", "*.c")))
    objects = [os.path.join(BUILD, "cmd", c + ".o") for c in commands]
    # Sources of other folders that the commands use.
    makefile = open(os.path.join(TOP, "Makefile"), encoding="utf-8").read()
    objects += [os.path.join(BUILD, c[:-2] + ".o") for c in re.search(r"^CMD_SRC\s*:=(.*)", makefile, re.M)[1].split() if c.startswith("formats/")]
    r = subprocess.run(flags[:[f[0] == "-" for f in flags].index(True)] + [f for f in flags if not f.startswith("-l") and f[0] == "-"] +
                       ["-Werror", "-o", program, os.path.join(folder, "reader.c"), os.path.join(folder, "registry.c")] +
                       objects + [os.path.join(BUILD, "libtracetool.a")] +
                       [f for f in flags if f.startswith("-l")] + open(os.path.join(BUILD, "sqlite")).read().split() + ["-lm"],
                       cwd=TOP, capture_output=True, text=True)
    check(r.returncode == 0, "the reader of the page compiles without a warning", r.stderr[:2000])
    return program if r.returncode == 0 else None


def capture(n):
    """A capture of N frames, and {span: [calls, ns]}."""
    lines, counts, t = ["spans 1"], {}, 1000
    for i in range(n):
        inner = [("Update", 300 + i % 7), ("Render", 500)] + ([("Load", 9000)] if i % 50 == 7 else [])
        lines.append("B %d Frame" % t)
        start = t
        for name, ns in inner:
            lines += ["B %d %s" % (t + 10, name), "E %d %s" % (t + 10 + ns, name)]
            t += 10 + ns
            counts.setdefault(name, [0, 0])
            counts[name] = [counts[name][0] + 1, counts[name][1] + ns]
        t += 40
        lines.append("E %d Frame" % t)
        counts.setdefault("Frame", [0, 0])
        counts["Frame"] = [counts["Frame"][0] + 1, counts["Frame"][1] + t - start]
    return "\n".join(lines) + "\n", counts


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = build(folder)
        if not program:
            return

        def run(*args, text=None):
            path = os.path.join(folder, "a.spans")
            open(path, "w").write(text)
            return subprocess.run([program, *args, path], capture_output=True, text=True)

        text, counts = capture(5000)
        r = run("stats", "--format", "json", "--table", "markers", "--frame-marker", "Frame", text=text)
        rows = {m["marker"]: [m["count"], m["total_ns"]] for m in json.loads(r.stdout)["tables"]["markers"]["rows"]} if r.stdout else {}
        check(r.returncode == 0 and rows == counts, "calls and times are those of the text", rows, counts, r.stderr)
        r = run("info", "--format", "json", text=text)
        check('"spans"' in r.stdout and r.returncode == 0, "info names the reader", r.stdout, r.stderr)
        outputs = {run("convert", "-j", jobs, "-f", "chrome", "-o", "-", text=text).stdout for jobs in ("1", "2", "5")}
        check(len(outputs) == 1 and outputs.pop().count('"ph":"X"') == sum(c for c, _ in counts.values()),
              "every span is a slice, with any number of workers")
        text, _ = capture(2)
        bad = [n for n in range(8, len(text)) if run("stats", "--format", "json", text=text[:n]).returncode not in (0, 3)]
        check(not bad, "every prefix is read, or its cut is told", bad)
        r = run("stats", text=text.replace("E", "?", 1))
        check(r.returncode == 3 and "damaged" in r.stderr + r.stdout, "a line that is none is damage", r.stdout, r.stderr)


main()
end()
