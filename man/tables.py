#!/usr/bin/env python3
"""tables.py write|check TRACETOOL PAGE...: the generated lists in tracetool-tables(7) and tracetool-metrics(7).

A page holds, between the lines
	.\\" begin table ID
	.\\" end table
the columns of that table as `tracetool list metrics` knows them, between "begin losses" and "end losses" the kinds of loss
in lib/model/loss.c, and between "begin gate" and "end gate" the metrics of budgets. "write" puts them in; "check" names
pages that differ, and tables that no page has; exit status 1.
"""
import json
import os
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


def losses():
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
    source = open(os.path.join(top, "lib", "model", "loss.c")).read()
    option = dict(re.findall(r'\[(TT_SETTING_\w+)\] = "(.*)"', open(os.path.join(top, "cmd", "setting.c")).read()))
    text = r'"((?:[^"\\]|\\.)*)"'
    rows = re.findall(r"\[TT_LOST_\w+\] = \{ %s, %s,\s*%s,\s*TT_(\w+),\s*(true|false), (\w+)" % (text, text, text), source)
    if len(rows) != len(re.findall(r"\[TT_LOST_\w+\] = \{ \"", source)):
        raise SystemExit("lib/model/loss.c: a kind of loss does not look as this program knows them")
    out = ['.Bl -tag -width "not_ended"']
    for kind, what, advice, severity, damage, limit in rows:
        out.append(".It Va %s Pq %s%s" % (kind, severity.lower(), " No *" if damage == "true" else ""))
        what, advice = what.replace('\\"', '"'), advice.replace('\\"', '"')
        out.append(roff(what[0].upper() + what[1:] + "."))
        advice = advice if limit == "TT_SETTING_NONE" else "Raise %s%s" % (option[limit], advice)
        out += [roff(sentence) for sentence in re.split(r"(?<=\.) ", advice)]
    return out + [".El"]


def gate(program):
    report = json.loads(subprocess.run([program, "list", "gate", "--format", "json"], check=True,
                                       capture_output=True, text=True).stdout)
    out = [".Bl -tag -width Ds -compact"]
    for r in report["tables"]["gate"]["rows"]:
        stats = r["stats"].split()
        out.append(".It Va %s%s" % (r["metric"], " Pq needs %s" % r["needs"] if r["needs"] else ""))
        out.append(roff(r["help"]))
        out.append("Statistics: " + ", ".join(stats) + ".")
    return out + [".El"]


def one_page(mode, program, page, tables, seen):
    """What is wrong with ${page}; the tables it has are added to ${seen}."""
    old = open(page).read().splitlines()
    new, skip, wrong = [], False, []
    for line in old:
        if line in ('.\\" end table', '.\\" end losses', '.\\" end gate'):
            skip = False
        if not skip:
            new.append(line)
        if line == '.\\" begin losses':
            skip = True
            new += losses()
        if line == '.\\" begin gate':
            skip = True
            new += gate(program)
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
    report = json.loads(subprocess.run([program, "list", "metrics", "--format", "json"], check=True,
                                       capture_output=True, text=True).stdout)
    tables = {}
    for r in report["tables"]["metrics"]["rows"]:
        tables.setdefault(r["table"], []).append(r)
    seen, wrong = set(), []
    for page in pages:
        wrong += one_page(mode, program, page, tables, seen)
    wrong += ["no page has the table %s" % t for t in sorted(set(tables) - seen)]
    for w in wrong:
        print(w)
    return bool(wrong)


sys.exit(main())
