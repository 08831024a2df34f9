"""Rows of tables beside rows that a suite counted itself, column by column; and which columns were compared with a value."""
import collections
import json
import os
import subprocess
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path[:0] = [os.path.join(TESTS, "kit"), TESTS]
import lot
import oracles
import recount
from count import check
from suite import TRACETOOL

met = set()         # (table, column), compared with something else than 0 and nothing


def tables(path, names, *options):
    """{table: rows} of a capture, in full."""
    p = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", "--threshold", "0", "--table", ",".join(names), *options, path],
                       capture_output=True, text=True, errors="replace", timeout=300)
    if p.returncode not in (0, 3):
        raise AssertionError("%s: %s" % (path, p.stderr))
    return {name: t["rows"] for name, t in json.loads(p.stdout)["tables"].items()}


def fits(have, want):
    return want.fits(have) if isinstance(want, recount.Near) else have == want


def compare(what, table, have, want, *key):
    """Every row of a table, found by the columns ${key}: the same rows, and in them the columns that ${want} has."""
    found, wanted = collections.defaultdict(list), collections.defaultdict(list)
    for rows, to in ((have, found), (want, wanted)):
        for r in rows:
            to[tuple(r[k] for k in key)].append(r)
    missing, more = [k for k in wanted if len(found[k]) < len(wanted[k])], [k for k in found if len(wanted[k]) < len(found[k])]
    check(not missing and not more, "%s: rows of %s" % (what, table), "missing", missing[:3], "more", more[:3])
    wrong = collections.defaultdict(list)
    for k in set(wanted) - set(missing) - set(more):
        for h, w in zip(found[k], wanted[k]):
            for column, value in w.items():
                if column == "path" and column not in h:
                    continue
                if not fits(h[column], value):
                    wrong[column].append((k, h[column], value))
                elif getattr(value, "value", value):
                    met.add((table, column))
    check(not wrong, "%s: %s" % (what, table), *["%s: %s" % (c, ["%s has %s, not %s" % x for x in w[:3]]) for c, w in wrong.items()])


def end(suite, name):
    """End ${suite}: what tests/oracles.txt says that it holds must have been met, as far as all of it ran."""
    check(len(met) > 20, "columns were compared", len(met))
    missed = sorted("%s/%s" % c for c in oracles.held_by(name) - met)
    check(not missed, "tests/oracles.txt names %s for columns that it compared with no value" % name, missed)
    suite.end()
