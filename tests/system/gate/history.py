#!/usr/bin/env python3
"""tracetool baseline by its page: the figures of a baseline's sessions over time, where they change, in all forms.

    history.py TRACETOOL

A baseline of real captures is made into one of twenty sessions whose figures are known. Ends with "N passed, N failed".
"""
import csv
import html
import io
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import check, end
from suite import TESTDATA, TOP
import words

TRACETOOL = os.path.abspath(sys.argv[1])
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<b>\u202e&\"'"
BUDGET = os.path.join(TOP, "tests", "system", "mono", "gate_budget.json")
work = None


def run(*args, code=0):
    r = subprocess.run([TRACETOOL, *args], cwd=work, capture_output=True, text=True, timeout=120)
    check(r.returncode == code, "exit status of %s" % (args,), r.returncode, r.stdout, r.stderr)
    return r.stdout if code == 0 else r.stderr


def trimmed(values):
    v, cut = sorted(values), len(values) // 5
    kept = v[cut:len(v) - cut]
    return sum(kept) / len(kept)


def baseline(name, factors, accepted=None, names=None):
    """Sessions of five captures whose times are those of the real ones times a factor; returns their figures of frame.time.median."""
    rng = random.Random(name)
    doc = json.load(open(os.path.join(work, "real.json")))
    real, sessions, figures = doc["sessions"][0]["captures"], [], []
    for i, factor in enumerate(factors):
        captures = []
        for k in range(5):
            one = factor * (1 + rng.gauss(0, 0.002))
            c = real[k % len(real)]
            values = {m: round(10000000 * one) if m == "frame.time.median" else v for m, v in c["values"].items()}
            captures.append(dict(c, name="c%d" % k, id="%016x" % rng.getrandbits(64), values=values,
                                 facts=dict(c["facts"], build=str(100 + i), date="2026-11-%02d" % (i + 1), scene="Town" if k < 3 else "Sea")))
        figures.append(trimmed([c["values"]["frame.time.median"] for c in captures]))
        sessions.append({"session": names[i] if names else "night-%d" % i, "captures": captures})
        if accepted and i in accepted:
            sessions[-1]["accepted"] = accepted[i]
    json.dump(dict(doc, sessions=sessions), open(os.path.join(work, name), "w"))
    return figures


def levels_in_all_forms():
    factors = [1] * 8 + [1.06] * 6 + [1.166] * 6
    want = baseline("base.json", factors, {14: HOSTILE})
    doc = json.loads(run("history", "base.json", "--row", "frame.time.median", "--format", "json"))
    t = {k: v["rows"] for k, v in doc["tables"].items()}
    head = t["history"][0]
    check(len(t["history"]) == 1 and (head["figure"], head["sessions"], head["levels"], head["unit"]) == ("frame.time.median", 20, 3, "ns"), "a line", head)
    have = [r["value"] for r in t["history_sessions"]]
    check(all(abs(a - b) <= 1 for a, b in zip(have, want, strict=True)), "sessions are trimmed means", have, want)
    means = [sum(want[a:b]) / (b - a) for a, b in ((0, 8), (8, 14), (14, 20))]
    got = [(r["since"], r["sessions"], r["level"], r["change"]) for r in t["history_levels"]]
    expected = [("night-0", 8, means[0], None), ("night-8", 6, means[1], means[1] / means[0] - 1), ("night-14", 6, means[2], means[2] / means[1] - 1)]
    check(all(g[:2] == e[:2] and abs(g[2] - e[2]) <= 1 and (e[3] is None and g[3] is None or abs(g[3] - 100 * e[3]) < 0.006)
              for g, e in zip(got, expected, strict=True)), "levels", got, expected)
    check((head["first"], head["last"]) == (got[0][2], got[2][2]) and abs(head["change"] - 100 * (means[2] / means[0] - 1)) < 0.006, "from first to last", head)
    check([r["session"] for r in t["history_sessions"] if r["changed"]] == ["night-8", "night-14"], "where levels begin")
    check([r["compared"] for r in t["history_sessions"]] == [False] * 14 + [True] * 6, "what is compared")
    check([r["build"] for r in t["history_levels"]] == ["100", "108", "114"] and t["history_sessions"][3]["date"] == "2026-11-04", "facts")
    check(t["history_levels"][2]["accepted"] == HOSTILE and t["history_levels"][1]["accepted"] is None, "why it was accepted", t["history_levels"])
    low, high = min(want), max(want)
    heights = [ord(c) - 0x2581 for c in head["chart"]]
    check(len(heights) == 20 and all(abs(k - 7 * (v - low) / (high - low)) <= 0.51 for k, v in zip(heights, want, strict=True)), "the chart", head["chart"])
    blocks = run("history", "base.json", "--row", "frame.time.median", "--format", "csv").split("\n\n")
    rows = list(csv.DictReader(io.StringIO(blocks[2].split("\n", 1)[1])))
    check([int(r["value"]) for r in rows] == have, "CSV has the same")
    text = run("history", "base.json", "--row", "frame.time.median")
    check("night-13" in text and " ns" not in text and "10.58" in text, "text of one figure has its sessions", text)
    text = run("history", "base.json")
    check("night-13" not in text and "frame.time.median" in text and "exceptions" not in text, "of several it has changes alone", text)
    check("| frame.time.median" in run("history", "base.json", "--format", "markdown"), "Markdown")


def pictures():
    run("history", "base.json", "-o", "h.svg")
    root = xml.parse(os.path.join(work, "h.svg")).getroot()
    charts = root.findall(SVG + "g")
    median = next(g for g in charts if g.find(SVG + "text").text == "frame time, median (frame.time.median)")
    dots = median.findall(SVG + "circle")
    titles = [d.find(SVG + "title").text for d in dots]
    check(len(dots) == 20 and titles[3].startswith("night-3: 9.9") or titles[3].startswith("night-3: 10.0"), "a dot for each session", titles)
    check("accepted: <b>" in titles[14] and "\u202e" not in titles[14] and "<b>" not in open(os.path.join(work, "h.svg")).read(), "names are text", titles[14])
    xs = [float(d.get("cx")) for d in dots]
    check(xs == sorted(xs) and len(set(xs)) == 20, "in their order", xs)
    marks = [x for x in median.findall(SVG + "line") if x.get("stroke-dasharray")]
    check(len(marks) == 1 and marks[0].get("x1") == dots[14].get("cx"), "where one was accepted")
    lines = [x for x in median.findall(SVG + "line") if not x.get("stroke-dasharray")]
    check(len(lines) == 3, "a line for each level")
    said = [x.text for x in median.findall(SVG + "text")]
    check("+6.0 %" in said or "+5.9 %" in said or "+6.1 %" in said, "what changed", said)
    run("history", "base.json", "-o", "h.html")
    page = open(os.path.join(work, "h.html"), encoding="utf-8").read()
    check(page.count("<figure ") == len(charts) and "<b>" not in page and 'data-t="history_levels"' in page and page.count("night-13") > 1, "a page")
    check(run("history", "base.json", "--format", "html") == page, "also on standard output")
    ids, links = re.findall(r' id="([^"]+)"', page), re.findall(r'<a href="#([^"]+)">', page)
    check(len(ids) == len(set(ids)) and set(links) <= set(ids), "links lead somewhere", links)
    check(sum(a.startswith("chart-") for a in links) > len(charts), "each line leads to its chart", links)
    median = re.search(r'(?s)<div id="([^"]+)">\s*<figure [^>]*><svg [^>]*aria-label="frame.time.median .*?</div>', page)
    check(median and re.search('<a href="#%s">frame time, median</a>' % median.group(1), page), "that of its figure")
    said = re.findall("What changed with session (.*?), with captures .*?<code>(.*?)</code>", median.group(0))
    check([s for s, _ in said] == ["night-14", "night-8"] and all(c == "tracetool diff OLD -- NEW -o change.html" for _, c in said), "what to compare", said)


def what_is_shown():
    figures = baseline("other.json", [1, 1, 1])
    doc = json.loads(run("history", "base.json", "other.json", "--row", "frame.time.median", "--format", "json"))["tables"]
    have = [(r["baseline"], r["sessions"], r["levels"]) for r in doc["history"]["rows"]]
    check(have == [("base.json", 20, 3), ("other.json", 3, 1)], "two baselines", have)
    check(len(doc["history_levels"]["rows"]) == 3, "three sessions are no change")
    with open(os.path.join(work, "budget.json"), "w") as f:
        json.dump({"tracetool_budget": 1, "frame_marker": "Game:Frame", "rows": [
            {"id": "sea", "metric": "frame.time", "stat": "median", "max": "5s", "where": {"scene": "Sea"}},
            {"id": "off", "metric": "frame.time", "max": "5s", "level": "off"},
            {"id": "draw", "metric": "marker.time", "marker": "Game:Draw", "stat": "per_frame.mean", "max": "5s"}]}, f)
    doc = json.loads(run("history", "other.json", "--gate", "budget.json", "--format", "json"))["tables"]
    check([r["figure"] for r in doc["history"]["rows"]] == ["sea", "draw"], "rows of the budget", doc["history"])
    sea = [r for r in doc["history_sessions"]["rows"] if r["figure"] == "sea"]
    check([r["captures"] for r in sea] == [2, 2, 2] and sea[0]["value"] != round(figures[0]), "where chooses captures", sea)
    check(json.loads(run("history", "other.json", "--row", "re:^frame\\.time\\.p9[05]$", "--format", "json"))["tables"]["history"]["rows"][1]["figure"] ==
          "frame.time.p95", "a regular expression")
    names = ["n%d" % i for i in range(60)]
    baseline("long.json", [1 + 0.01 * (i % 2) for i in range(60)], names=names)
    check(re.search(r"frame\.time\.median +[\u2581-\u2588]{40} ", run("history", "long.json")), "the last 40 are drawn")


def page_of_a_verdict():
    gate = os.path.join(TESTDATA, "gate")
    for sessions in (3, 2):
        baseline("slower.json", [0.5] * sessions)
        run("stats", "-q", "--gate", BUDGET, "--force-baseline", "--baseline", "slower.json", "--html", "v.html",
            *[os.path.join(gate, "good-base%d.ttc.xz" % i) for i in range(1, 5)], code=1)
        page = open(os.path.join(work, "v.html"), encoding="utf-8").read()
        charts = re.findall(r'(?s)<svg [^>]*aria-label="frame-median over the sessions">.*?</svg>', page)
        check([len(re.findall("<title>night-", c)) for c in charts] == ([3] if sessions == 3 else []), "a row that fails has its history", charts)
        commands = [html.unescape(c) for c in re.findall("<code>(tracetool .*?)</code>", page)]
        shown = [c for c in commands if c.startswith("tracetool baseline ")]
        check(len(shown) == (1 if sessions == 3 else 0) and all("--row frame-median" in c for c in shown), "and the command for it", commands)
        for c in shown:
            run(*shlex.split(c)[1:])
        number, took = re.search(r"The worst frame of the worst capture is ([0-9]+), with ([0-9.]+) ms", page).groups()
        one = [shlex.split(c)[1:] for c in commands if re.match("tracetool stats .*--frames " + number, c)]
        capture = one[0][-1]
        rows = json.loads(run("stats", "-q", capture, "--hitches", "20", "--table", "hitches", "--format", "json"))["tables"]["hitches"]["rows"]
        worst = max([r for r in rows if r["frame"] > json.load(open(BUDGET))["skip"]["frames"]], key=lambda r: r["dur_ns"])
        check((worst["frame"], "%.2f" % (worst["dur_ns"] / 1e6)) == (int(number), took), "the worst frame is the longest", worst, number, took)
        check("frame %s" % number in run(*one[0]).lower(), "and its command shows it")
        pages = [shlex.split(c)[1:] for c in commands if c.startswith("tracetool report ") and capture in c]
        run(*pages[0])
        text = open(os.path.join(work, "worst.html"), encoding="utf-8").read()
        check("worst.html#frame=%s" % number in page and '<th scope="row" class="n" data-v="%s">' % number in text, "its page has that frame")
    linked(gate)


def linked(gate):
    """Of a batch with pages of captures, the verdict's page leads to them, and to what the row is about; elsewhere it leads nowhere."""
    os.makedirs(os.path.join(work, "sub"), exist_ok=True)
    for i in range(1, 5):
        shutil.copy(os.path.join(gate, "good-base%d.ttc.xz" % i), os.path.join(work, "sub"))
    for per, verdict in ((["--per-capture", "html"], "sub/verdict.html"), ([], "bare.html")):
        shutil.rmtree(os.path.join(work, "results"), ignore_errors=True)
        run("batch", "-q", "sub", "--output", "results", "--gate", BUDGET, "--force-baseline", "--baseline", "slower.json", "--html", verdict, *per, code=1)
        page = open(os.path.join(work, verdict), encoding="utf-8").read()
        links = [html.unescape(a) for a in re.findall('<a href="([^#"][^"]*)"', page)]
        check(bool(links) == bool(per), "links to pages of captures", links)
        for to in links:
            path, section = urllib.parse.unquote(to).split("#")
            there = os.path.join(work, os.path.dirname(verdict), path)
            check(os.path.exists(there) and 'id="%s"' % section in open(there, encoding="utf-8").read(), "the link leads to it", to)


def slips():
    check("name a baseline" in run("history", code=2), "no baseline")
    check("no figure of the baseline is called \"frame.tome\"" in run("history", "base.json", "--row", "frame.tome", code=2), "no such figure")
    check(words.say("no_baseline") in run("history", "budget.json", code=2), "no baseline in it")
    check(words.say("input_and_output") in run("history", "base.json", "-o", "base.json", code=2), "over its input")
    run("history", "nothing.json", code=4)


def main():
    global work
    with tempfile.TemporaryDirectory(prefix="tracetool-history.") as work:
        gate = os.path.join(TESTDATA, "gate")
        run("stats", "-q", "--gate", BUDGET, "--save", "real.json", *[os.path.join(gate, "good-base%d.ttc.xz" % i) for i in range(1, 5)])
        levels_in_all_forms()
        pictures()
        what_is_shown()
        page_of_a_verdict()
        slips()
    end()


main()
