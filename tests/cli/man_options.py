#!/usr/bin/env python3
"""Compare the options of every command with its manual page, both ways; and the pages with mandoc.

The program's list is `tracetool help COMMAND --options`: "-o --output FILE" per line. In a page an
option is an ".It Fl ..." line, with one or two spellings. Also: shared text is the same in every
page that holds it, tracetool-tables(7) has every column, tracetool-metrics(7) every kind of loss, wait marker and zone of our own, every .Xr
leads to a page of ours, no word of a heading is a macro, quotes and words are printed as they are written, and `mandoc -T lint` has no warning.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import glob
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, fault
from suite import TOP, TRACETOOL

VERBS = ["convert", "stats", "gate", "report", "open", "diff", "ab", "info", "list", "record", "recover", "batch", "baseline", "query", "help"]
# Earlier names, which have no page, and those of today.
ALIASES = {"merge": "batch", "history": "baseline", "explain": "list"}
# Of mdoc(7), those that are words as well.
MACROS = set("Ad An Ap Ar At Do Em Er Es Fa Fl In Li Lb Ms No Op Os Pa So St Tn Ud Va".split())
# Words that no page of ours means as a macro among arguments, and macros that set a font, which "No" ends.
NEVER_MACROS = MACROS - set("Ap Ar Em Fl Li No Op Pa Va".split())
FONTS = set("Ar Cm Em Ev Fl Ic Li Nm Pa Ql Sx Sy Va Xr".split())
# Lines whose arguments are not printed.
SILENT = (".Bl ", ".Bd ", ".Dd ", ".Dt ", ".Os ", ".El ", ".Ed ", ".Nm ")
# That quote the rest of their line.
QUOTES = ("Ql", "Qq", "Dq", "Sq")


def run(*args):
    r = subprocess.run(args, capture_output=True, text=True, cwd=TOP)
    return r.returncode, r.stdout + r.stderr


def options_of_program(verb):
    """{'--output': ('-o', True)}: spelling -> (letter or None, takes a value)."""
    code, out = run(TRACETOOL, "help", *verb, "--options")
    if code:
        raise SystemExit("tracetool help --options: " + out)
    found = {}
    for line in out.splitlines():
        words = line.split()
        letter = words.pop(0) if not words[0].startswith("--") else None
        found[words[0]] = (letter, len(words) > 1)
    return found


def options_of_page(page):
    found = {}
    for line in open(page):
        if not line.startswith(".It Fl "):
            continue
        letter, name, value = None, None, False
        for part in re.split(r" , (?=Fl )", line[4:]):
            words = part.split()
            if words[1].startswith("-"):
                name = "-" + words[1]
            else:
                letter = "-" + words[1]
            value = value or "Ar" in words
        if name in found:
            raise SystemExit("%s: %s stands there twice" % (page, name))
        found[name] = (letter, value)
    return found


def first_examples(page):
    """The commands that a page shows before anything that takes long to read."""
    top = re.search(r"^\.Sh DESCRIPTION\n((?:(?!\.(?:Sh|Ss|Bl|Bd)).*\n)*)", open(page).read(), re.M)[1]
    return [re.sub(r"\\e", r"\\", x.replace("\\(dq", '"')) for x in re.findall(r"^\.Dl \$ (.*)", top, re.M)]


def examples(verb, page):
    """A page shows three commands, those that --help shows first."""
    first = re.search(r"\nExamples:\n((?:  .*\n){3})", run(TRACETOOL, "help", verb)[1])
    shown = first_examples(page)
    if not first:
        return ["--help has fewer than three"]
    want = [x.strip() for x in first[1].strip().split("\n")]
    return [] if shown[:3] == want else ["--help has %s, the page %s" % (want, shown[:3])]


def in_source(path, pattern):
    """What the pattern finds in a file of ours; finding nothing is a mistake of this test."""
    found = re.findall(pattern, open(os.path.join(TOP, path)).read(), re.S)
    if not found:
        raise SystemExit("%s: nothing looks like %s" % (path, pattern))
    return found


def differences(program, page):
    out = []
    for name in sorted(set(program) | set(page), key=str):
        if program.get(name) != page.get(name):
            out.append("%s: the program has %s, the page %s"
                       % (name, program.get(name, "nothing"), page.get(name, "nothing")))
    return out


def lost_quotes(text):
    """Lines whose quotes are not printed as they look: mdoc quotes to the end of a line, and takes a bare " for its own."""
    out = []
    for line in re.findall(r"^\.[A-Z].*$", text, re.M):
        words = line[1:].split()
        if sum(w in QUOTES for w in words) > 1:
            out.append('"%s" has quotes in quotes: a line for each' % line)
        if words[0] in ("Dl", "D1", "Ql") and '"' in line:
            out.append('"%s" has a " that is not printed: write \\(dq' % line)
    return out


def eaten_words(page):
    """
    Words on lines of macros that the printed page lacks. mandoc takes a word such as "No" or "In" for a macro wherever macros may stand; "No" is meant as one
    only where it ends the font of a macro before it, and none of the others is in use.
    """
    printed = re.sub(r".\x08", "", run("mandoc", "-T", "utf8", "-O", "width=500", page)[1])
    printed = re.sub(r"[\s‐­]+", "", printed)
    out = []
    for line in open(page):
        if not re.match(r"\.[A-Z][a-z0-9]? ", line) or line.startswith(SILENT):
            continue
        words, font = line[1:].split(), False
        for i, word in enumerate(words):
            plain = re.sub(r"\\[&ec]|\\\(..|\\f.", "\0", word).strip("\0")
            font = font or word in FONTS
            if i > 0 and (word in NEVER_MACROS or (word == "No" and not font)):
                out.append('"%s" loses "%s", a macro: write \\&%s' % (line.rstrip(), word, word))
            elif re.fullmatch(r"[A-Za-z]{3,}", plain) and plain not in printed and i > 0:
                out.append('"%s": "%s" is not on the printed page' % (line.rstrip(), plain))
    return out


def bad_json(page):
    """What stands in braces and has quotes, and is no JSON."""
    text = re.sub(r".\x08", "", run("mandoc", "-T", "utf8", page)[1])
    found = [x for x in re.findall(r"\{[^{}]*\}", text) if '"' in x]
    out = [] if found else ["nothing in it looks like JSON"]
    for x in found:
        try:
            json.loads(x)
        except ValueError as e:
            out.append("%s: %s" % (" ".join(x.split()), e))
    return out


def main():
    pages = sorted(glob.glob(os.path.join(TOP, "man", "*.[1-9]")))
    for verb in VERBS:
        page = os.path.join(TOP, "man", "tracetool-%s.1" % verb)
        fault("options of " + verb, differences(options_of_program([verb]), options_of_page(page)))
        fault("examples of " + verb, examples(verb, page))
        # Alone it does its work or says what it needs; the statuses are those of tracetool(1).
        code, out = run(TRACETOOL, verb)
        fault("alone: " + verb, [] if code in range(6) else ["status %d: %s" % (code, out)])
    for page in ("tracetool.1", "tracetool-slurm.1"):
        shown = first_examples(os.path.join(TOP, "man", page))
        fault("examples of " + page, [] if len(shown) == 3 else ["not three: %s" % shown])
    overview = re.findall(r"^  (\w+) ", run(TRACETOOL, "--help")[1].split("Commands:")[1], re.M)
    fault("the overview has each command, and no earlier name", set(overview) ^ set(VERBS))
    for old, new in ALIASES.items():
        fault("earlier name " + old, [] if "tracetool %s" % new in run(TRACETOOL, "help", old)[1].split("\n")[0] else run(TRACETOOL, "help", old))
    # The page of the program itself has what all commands have in common.
    common = options_of_program(["list"])
    for verb in VERBS:
        of_verb = options_of_program([verb])
        common = {k: v for k, v in common.items() if of_verb.get(k) == v}
    fault("options of all", differences(common, options_of_page(os.path.join(TOP, "man", "tracetool.1"))))
    code, out = run("man/common.sh", "check", *pages)
    fault("shared text", out.splitlines() if code else [])
    metrics = os.path.join(TOP, "man", "tracetool-metrics.7")
    tables = os.path.join(TOP, "man", "tracetool-tables.7")
    code, out = run("man/tables.py", "check", TRACETOOL, metrics, tables,
                    os.path.join(TOP, "man", "tracetool-json.7"), os.path.join(TOP, "man", "tracetool-sqlite.7"),
                    os.path.join(TOP, "man", "tracetool-unity-raw.7"))
    fault("columns of tables, kinds of loss", out.splitlines() if code else [])
    text = open(metrics).read()
    # Definitions are in one page, columns in the other, and one leads to the other.
    listed = re.findall(r'begin table (\S+)', open(tables).read())
    named = sum((re.findall(r"^\.Cm (\S+) [,.]$", part, re.M)
                 for part in re.findall(r"\.Xr tracetool-tables 7 :\n((?:\.Cm .*\n)+)", text)), [])
    fault("metrics(7) names the tables of tables(7)", ["%s: only in %s(7)" % (t, "tables" if t in listed else "metrics")
                                                      for t in sorted(set(listed) ^ set(named))])
    fault("columns are in tables(7) alone", re.findall(r"begin table .*", text))
    fault("wait markers", ["%s is not listed" % name for name in re.findall(r'"([^"]+)"', in_source(
        "formats/producers/wait_names.c", r"tt_wait_markers\[\] = \{(.*?)NULL")[0]) if "\n%s\n" % name not in text])
    zones = set(re.sub(r"\d+$", "", z) for z in in_source("lib/model/resolve.c", r'\{ TT_KEY_\S+, "([^"(]+)", '))
    listed = re.findall(r'begin zones(.*?)end zones', text, re.S)[0]
    listed = set(re.sub(r"\d+$", "", z) for line in re.findall(r"^\.It (.*)", listed, re.M) for z in line.split(" , "))
    fault("zones of our own", ["%s: only in %s" % (z, "the page" if z in listed else "the program") for z in zones ^ listed])
    fault("JSON in tracetool-budget(5)", bad_json(os.path.join(TOP, "man", "tracetool-budget.5")))
    for page in pages:
        name = os.path.basename(page)
        heads = re.findall(r"^\.S[hs] (.*)$", open(page).read(), re.M)
        fault("headings of " + name, ['"%s" has a word that man takes for a macro' % h for h in heads if MACROS & set(h.split())])
        fault("quotes of " + name, lost_quotes(open(page).read()))
        fault("words of " + name, eaten_words(page))
        code, out = run("mandoc", "-T", "lint", "-W", "warning", page)
        fault("mandoc " + name, out.splitlines())
        links = re.findall(r"^\.Xr (tracetool\S*) (\d)", open(page).read(), re.M)
        fault("links of " + name, ["%s(%s) is no page" % x for x in links
                                   if not os.path.exists(os.path.join(TOP, "man", "%s.%s" % x))])
    end()


main()
