#!/usr/bin/env python3
"""Every column of every table names its oracle: tests/oracles.txt against `tracetool list metrics` and the suites there are.

Fails for a column without a row, a row without a column, a suite that does not exist or that does not run in `make check`, a suite whose
sources do not name the column and its table, and for more reasons than MAX_REASONS. Suites that ask held_by() fail themselves for a
column that they compared with no value.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MAX_REASONS = 20


def rows():
    """(line, table, columns, suite or None, reason or None) of each row of oracles.txt."""
    with open(os.path.join(HERE, "oracles.txt"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.strip() and not line.startswith("#"):
                table, columns, held = re.split(r"\t+", line.rstrip("\n"))
                suite, _, reason = held.partition(": ")
                yield number, table, columns.split(), None if suite == "none" else suite, reason or None


def held_by(suite):
    """(table, column) of all that ${suite} is said to hold."""
    return {(table, c) for _, table, columns, of, _ in rows() if of == suite for c in columns}


def commands():
    """Suites of `make check` and their commands."""
    found = {}
    with open(os.path.join(HERE, "suites"), encoding="utf-8") as f:
        for line in f:
            fields = line.split(None, 3)
            if fields and fields[0] == "check":
                found[fields[1]] = fields[3]
    return found


def sources(command):
    """The text of what a suite runs: the scripts that its command names, and the modules of ours that they import."""
    todo, text = [os.path.join(HERE, "..", p) for p in re.findall(r"tests/[\w/.-]+", command)], {}
    places = {n[:-3]: os.path.join(top, n) for top, _, names in os.walk(HERE) if "node_modules" not in top for n in names if n.endswith(".py")}
    beside = lambda path, name: os.path.join(os.path.dirname(path), name + ".py")       # noqa: E731
    while todo:
        path = os.path.normpath(todo.pop())
        if path in text or not os.path.isfile(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as f:
            text[path] = f.read()
        for names in re.findall(r"^(?:import|from) ([\w, ]+)", text[path], re.M):
            for name in re.findall(r"\w+", names):
                todo.append(beside(path, name) if os.path.exists(beside(path, name)) else places.get(name, ""))
        todo += [os.path.join(os.path.dirname(path), n) for n in re.findall(r"[\w./-]+\.(?:py|R)\b", text[path]) if path.endswith(".sh")]
    return "\n".join(text.values())


def main():
    sys.path.insert(0, os.path.join(HERE, "kit"))
    from count import check, end
    from suite import TRACETOOL
    out = subprocess.run([TRACETOOL, "list", "metrics", "--format", "json"], capture_output=True, text=True, check=True).stdout
    columns = {(r["table"], r["column"]) for r in json.loads(out)["tables"]["metrics"]["rows"]}
    held, reasons, suites, text = set(), 0, commands(), {}
    for number, table, names, suite, reason in rows():
        where = "tests/oracles.txt:%d: %s" % (number, table)
        gone = [c for c in names if (table, c) not in columns]
        check(not gone, where + " has these columns", gone)
        held |= {(table, c) for c in names}
        reasons += suite is None
        if suite is None:
            check(reason and len(reason) > 20, where + ": a reason", reason)
        elif check(suite in suites, where + ": the suite is one of make check", suite):
            if suite not in text:
                text[suite] = set(re.findall(r"\w+", sources(suites[suite])))
            # The sides of a comparison are spelt alike: a_COLUMN, b_COLUMN, more_COLUMN.
            silent = [n for n in [table, *names] if n not in text[suite] and re.sub("^(a|b|more)_", "", n) not in text[suite]]
            check(not silent, where + ": the sources of %s name it" % suite, silent)
    bare = sorted("%s/%s" % c for c in columns - held)
    check(not bare, "every column has a row in tests/oracles.txt", "%d: %s" % (len(bare), " ".join(bare)))
    check(reasons <= MAX_REASONS, "at most %d columns or groups have a reason instead" % MAX_REASONS, reasons)
    end()


if __name__ == "__main__":
    main()
