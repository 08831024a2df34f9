#!/usr/bin/env python3
"""tables.py write|check TRACETOOL PAGE...: the generated lists in tracetool-tables(7), tracetool-metrics(7), tracetool-json(7),
tracetool-sqlite(7) and tracetool-unity-raw(7).

A page holds, between the lines
	.\\" begin table ID
	.\\" end table
the columns of that table as `tracetool list metrics` knows them, and between "begin X" and "end X" the list X as `tracetool list X`
has it: losses, gate, terms, zones, notes, names, schema. "write" puts them in; "check" names pages that differ, and tables that no page has; exit status 1.
"""
import json
import re
import subprocess
import sys

UNITS = {"ns": "ns", "bytes": "bytes", "percent": "percent", "%": "percent", "number": "number", "hex": "hex"}


def roff(text):
    text = text.replace("\\", "\\e")
    return "\\&" + text if text[:1] in ".'" else text


def block(rows):
    out = [".Bl -tag -width Ds -compact"]
    for r in rows:
        unit = UNITS.get(r["unit"])
        out.append(".It Va %s%s" % (r["column"], " Pq %s" % unit if unit and not r["column"].endswith(unit) else ""))
        out.append(roff(r["help"]))
    return out + [".El"]


def listed(program, what):
    report = json.loads(subprocess.run([program, "list", what, "--format", "json"], check=True, capture_output=True, text=True).stdout)
    return report["tables"][what]["rows"]


def pages_linked(text):
    """Sentences in lines of their own, and names of pages as links."""
    lines = []
    for sentence in re.split(r"(?<=[.]) (?=[A-Z])", text):
        for part in re.split(r"(?:^| )(?=tracetool\S*\(\d\))", sentence):
            m = re.match(r"(tracetool\S*)\((\d)\)(.*)$", part)
            lines.append(roff(part) if not m else ".Xr %s %s%s" % (m.group(1), m.group(2), " " + m.group(3) if m.group(3) else ""))
    return lines


def losses(program):
    out = ['.Bl -tag -width "not_ended"']
    for r in listed(program, "losses"):
        out.append(".It Va %s Pq %s%s" % (r["loss"], r["severity"], " No *" if r["damage"] else ""))
        out.append(roff(r["help"][0].upper() + r["help"][1:] + "."))
        out += [roff(sentence) for sentence in re.split(r"(?<=\.) ", r["advice"])]
    return out + [".El"]


def words(program, what, begin, item):
    out = [begin]
    for r in listed(program, what):
        out.append(".It " + item + next(iter(r.values())).replace(", ", " , "))
        out += pages_linked(r["help"])
    return out + [".El"]


def gate(program):
    out = [".Bl -tag -width Ds -compact"]
    for r in listed(program, "gate"):
        stats = r["stats"].split()
        out.append(".It Va %s%s" % (r["metric"], " Pq needs %s" % r["needs"] if r["needs"] else ""))
        out.append(roff(r["help"]))
        out.append("Statistics: " + ", ".join(stats) + ".")
    return out + [".El"]


def schema(program, database):
    out, is_open = [], False
    for r in listed(program, "schema"):
        if r["database"] != database:
            continue
        if r["column"] is None:
            out += [".El"] if is_open else []
            out += [".Ss %s%s" % (r["table"], " (view)" if r["type"] == "VIEW" else "")] + pages_linked(r["help"])
            is_open = False
            continue
        out += [] if is_open else [".Pp", ".Bl -tag -width Ds -compact"]
        out += [".It Va %s" % r["column"]] + pages_linked(r["help"])
        is_open = True
    return out + ([".El"] if is_open else [])


def names(program):
    """By what they mean: the names that mean it."""
    out, of = [".Bl -tag -width Ds -compact"], {}
    for r in listed(program, "names"):
        of.setdefault((r["means"], r["place"]), []).append(r["name"])
    where = {"begin": " Pq at the beginning", "namespace": " Pq namespace", "whole": " Pq the whole name"}
    for (means, place), known in of.items():
        out += [".It " + roff(means) + where.get(place, "")]
        out += [".Ql %s%s" % (roff(n.rstrip()).replace(" ", "\\ "), "" if n == known[-1] else " ,") for n in known]
    return out + [".El"]


# What stands between "begin X" and "end X".
LISTS = {
    "losses": losses,
    "capture schema": lambda program: schema(program, "capture"),
    "batch schema": lambda program: schema(program, "batch"),
    "gate": gate,
    "terms": lambda program: words(program, "terms", '.Bl -tag -width "whole frame" -compact', ""),
    "zones": lambda program: words(program, "zones", '.Bl -tag -width "Contention"', ""),
    "names": names,
    "notes": lambda program: words(program, "notes", ".Bl -tag -width Ds -compact", "Va "),
}


def one_page(mode, program, page, tables, seen):
    """What is wrong with ${page}; the tables it has are added to ${seen}."""
    old = open(page).read().splitlines()
    new, skip, wrong = [], False, []
    for line in old:
        if re.match(r'\.\\" end (table|%s)$' % "|".join(LISTS), line):
            skip = False
        if not skip:
            new.append(line)
        m = re.match(r'\.\\" begin (%s)$' % "|".join(LISTS), line)
        if m:
            skip = True
            new += LISTS[m.group(1)](program)
        m = re.match(r'\.\\" begin table (\S+)$', line)
        if m:
            skip = True
            if m.group(1) in seen:
                wrong.append("%s: table %s is listed twice" % (page, m.group(1)))
            seen.add(m.group(1))
            if m.group(1) not in tables:
                wrong.append("%s: there is no table %s" % (page, m.group(1)))
                continue
            new += block(tables[m.group(1)])
    if new != old and mode == "check":
        wrong.append('%s: differs from the program: run "make man"' % page)
    if new != old and mode == "write":
        open(page, "w").write("\n".join(new) + "\n")
    return wrong


def main():
    mode, program, pages = sys.argv[1], sys.argv[2], sys.argv[3:]
    tables = {}
    for r in listed(program, "metrics"):
        tables.setdefault(r["table"], []).append(r)
    seen, wrong = set(), []
    for page in pages:
        wrong += one_page(mode, program, page, tables, seen)
    wrong += ["no page has the table %s" % t for t in sorted(set(tables) - seen)]
    for w in wrong:
        print(w)
    return bool(wrong)


sys.exit(main())
