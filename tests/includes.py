#!/usr/bin/env python3
"""Every #include of lib, formats and cmd follows an arrow of ARCHITECTURE.md, and every arrow there is used.

The page lists the folders from the ground up, one line each: "folder: the folders whose headers it may include", all of them above it, so
there is no circle. A header includes what it needs to compile alone, so that few lie below each other. At most three files call each
other in a circle, and none of the readers and of the code that both recorders share. Files that the pages on structure name exist, and
every file of formats begins with what it is for. Ends with "N passed, N failed".
"""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "kit"))
import count
from count import check, end
from suite import TOP

ROOTS = ("lib", "formats", "cmd")
DEPTH = 8               # headers below each other under a file of lib and cmd


def page():
    """{folder: the folders it may include}, in the page's order."""
    text = open(os.path.join(TOP, "ARCHITECTURE.md"), encoding="utf-8").read()
    block = re.search(r"<!-- includes -->\n```\n(.*?)```", text, re.S)
    rows = [re.fullmatch(r"(\S+):((?: +\S+)*)", line) for line in block[1].splitlines()]
    return {r[1]: r[2].split() for r in rows}


def sources():
    """The C files of the folders, by folder."""
    found = {}
    for root in ROOTS:
        for folder, _, files in os.walk(os.path.join(TOP, root)):
            names = [f for f in files if f.endswith((".c", ".h"))]
            if names:
                found[os.path.relpath(folder, TOP)] = sorted(names)
    return found


def target(folder, name):
    """The folder of the header that a file in FOLDER means by NAME."""
    for d in ROOTS + (folder,):
        path = os.path.normpath(os.path.join(d, name))
        if os.path.exists(os.path.join(TOP, path)):
            return os.path.dirname(path)
    return None


def depth(path, seen):
    """How many headers of the project lie below PATH at the most, each including the next."""
    if path not in seen:
        seen[path] = 0
        text = open(os.path.join(TOP, path), encoding="utf-8").read()
        names = re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.M)
        below = [os.path.join(to, os.path.basename(name)) for name in names for to in [target(os.path.dirname(path), name)] if to]
        seen[path] = max((1 + depth(b, seen) for b in below), default=0)
    return seen[path]


def circles(folder):
    """The files of FOLDER that call each other in circles: a list of names for each."""
    made, words = {}, {}
    for f in sorted(f for f in os.listdir(os.path.join(TOP, folder)) if f.endswith(".c")):
        text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", open(os.path.join(TOP, folder, f), encoding="utf-8").read(), flags=re.S)
        words[f] = set(re.findall(r"(?<![.>\w])(?<!struct )[a-z]\w*", text))
        for m in re.finditer(r"^(static)?.*\n(\w+)\((?!.*;)", text, re.M):
            if m[1]:
                words[f].discard(m[2])
            else:
                made.setdefault(m[2], f)
    calls = {f: sorted({made[w] for w in words[f] if made.get(w, f) != f}) for f in words}

    def reached(f):
        found, left = set(), [f]
        while left:
            new = set(calls[left.pop()]) - found
            found |= new
            left += new
        return found
    below = {f: reached(f) for f in calls}
    return sorted({tuple(sorted(g for g in below[f] if f in below[g])) for f in below if f in below[f]})


def main():
    allowed, files, used = page(), sources(), set()
    check(set(allowed) == set(files), "folders and the page: %s" % " ".join(sorted(set(allowed) ^ set(files))))
    order = list(allowed)
    for folder, may in allowed.items():
        for to in may:
            check(to in order and order.index(to) < order.index(folder), "%s may include %s, which is not above it in the page" % (folder, to))
    for folder, names in files.items():
        for file in names:
            text = open(os.path.join(TOP, folder, file), encoding="utf-8").read()
            wrong = []
            for name in re.findall(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', text, re.M):
                to = target(folder, name)
                if to == folder:
                    continue
                used.add((folder, to))
                if to not in allowed.get(folder, ()):
                    wrong.append('"%s" (%s may include: %s)' % (name, folder, " ".join(allowed.get(folder, ["nothing"]))))
            check(text.startswith("/*") or not folder.startswith("formats"), "%s/%s does not begin with what it is for" % (folder, file))
            check(not wrong, "%s/%s includes %s" % (folder, file, ", ".join(wrong)))
    deep, seen = {}, {}
    for folder, names in files.items():
        deep.update({"%s/%s" % (folder, f): depth("%s/%s" % (folder, f), seen) for f in names if f.endswith(".c") and not folder.startswith("formats")})
    check(max(deep.values()) <= DEPTH, "headers lie deeper than %d below %s" % (DEPTH, " ".join(f for f in deep if deep[f] > DEPTH)))
    check(sorted(deep.values())[len(deep) // 2] <= 6, "half of the files have more than 6 headers below each other")
    unused = sorted("%s to %s" % (a, b) for a in allowed for b in allowed[a] if (a, b) not in used)
    check(not unused, "arrows of the page that no file needs: " + ", ".join(unused))
    for folder in files:
        most = 0 if folder in ("formats/mlpd", "formats/ttc", "formats/recorder/core") else 3
        for found in circles(folder):
            check(len(found) <= most, "%s: files call each other in a circle: %s" % (folder, " ".join(found)))
    # What ships inside games knows the capture file and the producer's names, nothing of the program.
    for folder in (f for f in files if f.startswith("formats/recorder/")):
        check(not [to for to in allowed.get(folder, ()) if to.startswith(("lib", "cmd"))], folder + " includes nothing of lib and cmd")
    for doc in ("ARCHITECTURE.md", "formats/README.md"):
        text = open(os.path.join(TOP, doc), encoding="utf-8").read()
        for path in re.findall(r"`((?:lib|formats|cmd|tests|testdata|man)/[^`]*)`", text):
            if "NAME" not in path:
                check(os.path.exists(os.path.join(TOP, path)), "%s names %s, which is not there" % (doc, path))
    if count.failed:
        print("Change the includes, or the list in ARCHITECTURE.md where the new arrow is wanted.")
    end()


main()
