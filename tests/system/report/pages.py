#!/usr/bin/env python3
"""The pages of diff, of a gate's verdict, of A/B runs, of history and of batch: they say what the JSON of the same run says, and nothing in
a capture becomes part of them.

    pages.py TRACETOOL [unbroken]        only the pages of long names

- Every cell and every figure in a sentence is JSON's. Pictures have the numbers of the tables: bars add up, boxes are as wide as what they
  stand for.
- Hostile names of everything: the page has no element, attribute, comment or link but its own, and the check would find one.
- Bounded: what is left out is said, with the command that prints it.
- pages.cjs opens each in Chromium and Firefox: no message, no request; without scripts, at 400 px, dark and on paper; axe-core finds nothing serious.

Ends with "N passed, N failed".
"""
import json
import os
import random
import re
import struct
import subprocess
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "kit"), os.path.join(HERE, "..", "..", "unity")]
import raw_log  # noqa: E402
from page import Page, cells, drive, shown, wrong  # noqa: E402
from suite import BUILD, TESTDATA, Suite  # noqa: E402
from ttc import Capture  # noqa: E402

TRACETOOL = os.path.realpath(sys.argv[1])
MS = 10 ** 6
EVIL = ["<script>window.got=1</script>", "<img src=x onerror=window.got=1>", "\"><svg onload=window.got=1>", "'-alert(1)-'", "</title><script>",
        "<!--", "]]>", "&lt;b&gt;", "</table></main>", "a\u202eb", "\x01\x1b[31m", "\\\"'`"]
suite = Suite()


def run(*args, codes=(0, 1, 3, 5)):
    r = subprocess.run([TRACETOOL, *args], capture_output=True, timeout=300, cwd=suite.dir)
    if r.returncode not in codes:
        raise SystemExit("tracetool %s: exit %d: %s" % (" ".join(args), r.returncode, r.stderr.decode()))
    return r


def text_of(name):
    return open(suite.path(name), encoding="utf-8").read()


def tables(*args):
    doc = json.loads(run(*args).stdout, parse_int=str, parse_float=str)
    return doc["tables"], doc["notes"]


def game(path, seed, slow=False, names=None, frames=120):
    """A capture of frames of about 10 ms, every 40th with 22 ms more; a slow one calls Sense 7 times, 3 otherwise, and has New for Old."""
    name, r = names or (lambda what: what), random.Random(seed)
    c = Capture(producer=name("producer"), run=("%s%d" % (path, seed)).encode()[-16:].ljust(16))
    loop, sense, path_, flush, old = (c.marker(name(n), c.category(name("Scripts"))) for n in ("Loop", "Sense", "Path", "Flush", "New" if slow else "Old"))
    t, w = c.thread(native=77), c.thread(native=78)
    c.thread_name(77, name("Engine"), name("Main"))
    c.thread_name(78, name("Job"), name("Worker"))
    at = MS
    for i in range(frames):
        t.frame(at)
        t.begin(at + 1000, loop)
        p = at + 2000
        zones = [(sense, 200000 + r.randrange(100000)) for _ in range(7 if slow else 3)] + [(path_, 2 * MS + r.randrange(MS // 10)), (old, 400000)]
        for marker, ns in zones + [(flush, 22 * MS)] * (i % 40 == 39):
            t.zone(p, p + ns, marker)
            p += ns + 500
        t.end(p)
        w.zone(at + 2000, at + 3 * MS, path_)
        at = p + 5 * MS + r.randrange(MS)
    t.frame(at)
    return c.write(suite.path(path))


def problems(page, want, notes, more=()):
    """Cells and figures that are not JSON's; notes and ${more} that are not there."""
    out, said = page.faults[:], "".join(page.text)
    for t in page.tables:
        rows = want.get(t["id"], {"rows": []})["rows"]
        for row, col, a, text in cells(t):
            bad = wrong(rows[row][col] if row < len(rows) else "no such row", a.get("data-v"), text)
            if bad:
                out.append("%s, row %d, %s: %r (%s): %s" % (t["id"], row, col, text, a.get("data-v"), bad))
    for of, value, text in page.figures:
        name, row, col = of.split("/")
        have = want[name]["rows"][int(row)][col]
        bad = wrong(have, None if value == text else value, text)
        if bad or value != shown(str(have)):
            out.append("figure %s: %r (%s): %s" % (of, text, value, bad))
    for name, t in want.items():
        left = re.search(r"([\d,]+) more rows are left out of this page: tracetool diff --limit 0 [^\n]* --table %s$" % name, said, re.M)
        whole = [max(r for r, *_ in cells(k)) + 1 for k in page.tables if k["id"] == name and k["within"] == "t-" + name]
        n = (whole or [0])[0] + (int(left[1].replace(",", "")) if left else 0)
        if n != len(t["rows"]):
            out.append("%s: %d rows are shown or left out, JSON has %d" % (name, n, len(t["rows"])))
    return out + ["%s is not there" % m for m in [n["text"] for n in notes] + list(more) if shown(m) not in said]


def broken(text, what):
    """The check of a page finds what a hostile name would have to bring."""
    for why, bad in (("an element", text.replace("<main>", "<main><img src=x onerror=0>", 1)), ("a comment", text.replace("<caption>", "<caption><!-- -->", 1)),
                     ("an attribute", text.replace("<h1>", "<h1 onclick=0>", 1)), ("a script", text.replace("<main>", "<main><script>0</script>", 1))):
        suite.check("%s: %s is found" % (what, why), (text == bad or not Page(bad).faults) and "it is not")


# --- diff -------------------------------------------------------------------------------------

ALL = ("verdict,sides,frame_times,frame_budgets,parts,markers,other_threads,threads,changed,alloc_sites,captures,frame_spread,worst_frames,"
       "worst_markers,calltree")
STEP = re.compile(r'<text class="t" x="0" y="\d+" font-size="13" fill="#1b1f24">([^<]*)</text>'
                  r'<rect class="\w+" fill="[^"]*" y="\d+" height="12" x="([\d.]+)%" width="([\d.]+)%"/>')
BOX = re.compile(r'<svg x="([\d.]+)%" width="([\d.]+)%" y="(\d+)" height="17"><title>([^<]*)</title>')


def bars(text, want):
    """The bars of what the difference is made of lead from the one mean to the other."""
    found, at = [(name, float(x), float(w)) for name, x, w in STEP.findall(text)], None
    out = [] if found or not want["markers"]["rows"] else ["no bars"]
    for name, x, w in found[1:-1]:
        less = name.rpartition(": ")[2].startswith("\u2212")
        start, end = (x + w, x) if less else (x, x + w)
        if at is not None and abs(start - at) > .05:
            out.append("%s begins at %.2f, not %.2f" % (name, start, at))
        at = end
    if len(found) > 2 and abs(at - found[-1][2]) > .05:
        out.append("the bars lead to %.2f, not %.2f" % (at, found[-1][2]))
    return out


def drawn(text, want):
    """Each box of the call tree lies in its caller's, and is as wide as the side on which the path takes longer."""
    found = [(float(x), float(w), (int(y) - 24) // 18) for x, w, y, _ in BOX.findall(text)]
    rows, out, open_ = want["calltree"]["rows"], [], []
    widths = {}
    for i in range(len(rows) - 1, -1, -1):
        depth = int(rows[i]["depth"])
        widths[i] = max(int(rows[i]["a_ns"]), int(rows[i]["b_ns"])) + sum(widths[k] for k in open_ if int(rows[k]["depth"]) == depth + 1)
        open_ = [i] + [k for k in open_ if int(rows[k]["depth"]) <= depth]
    whole = sum(w for i, w in widths.items() if rows[i]["depth"] == "0")
    want_boxes = sorted((int(rows[i]["depth"]), round(100 * w / whole, 1)) for i, w in widths.items() if whole and w * 1999 >= whole)
    if sorted((d, round(w, 1)) for _, w, d in found if w * 19.99 >= 1) != want_boxes:
        out.append("boxes %s, not %s" % (sorted((d, round(w, 1)) for _, w, d in found)[:9], want_boxes[:9]))
    for i, (x, w, depth) in enumerate(found):
        up = next((b for b in reversed(found[:i]) if b[2] == depth - 1), None)
        if depth and (not up or x < up[0] - .01 or x + w > up[0] + up[1] + .01):
            out.append("box %d is not in its caller's" % i)
    return out


def reasons(page, want):
    """What is told of a marker as the reason of its difference goes the way of the difference."""
    out = []
    for of, *_ in page.figures:
        name, row, col = of.split("/")
        if name == "markers" and col in ("b_calls", "b_call_ns"):
            r = want[name]["rows"][int(row)]
            a, b = float(r["a" + col[1:]]), float(r[col])
            if (b - a) * int(r["diff_ns"]) <= 0:
                out.append("%s takes %s more: %s is %s, %s before" % (r["marker"], r["diff_ns"], col, b, a))
    return out


def compared(what, a, b, *options, more=()):
    run("diff", "-q", *a, *options, "-o", "diff.html", "--", *b)
    text = text_of("diff.html")
    want, notes = tables("diff", "-q", *a, *options, "--format", "json", "--table", ALL, "--", *b)
    page = Page(text)
    suite.check(what, problems(page, want, notes, more)[:6])
    suite.check(what + ": reasons", reasons(page, want))
    suite.check(what + ": bars add up", bars(text, want))
    suite.check(what + ": boxes of the call tree", drawn(text, want)[:3])
    return page, text, want


def diffs():
    data = [[os.path.join(TESTDATA, "diff/%s-%d.mlpd" % (s, i)) for i in range(1, 6)] for s in ("before", "after")]
    page, text, _ = compared("methods", *data, "--frame-marker", "Game:Tick", more=["B is slower", "called more often", "new in B", "gone in B"])
    compared("without frames", *data, more=["the captures have no frames"])
    compared("one on each side", data[0][:1], data[1][:1], "--frame-marker", "Game:Tick", more=["Not to be judged", "take at least 2, better 5 to 8"])
    compared("the same", data[0], data[0][::-1], "--frame-marker", "Game:Tick", "--meta", "session=today", more=["B is not slower"])
    compared("the other way round", *data[::-1], "--frame-marker", "Game:Tick", more=["B is faster", "called less often"])
    gate = [[os.path.join(TESTDATA, "gate/good-%s%d.ttc.xz" % (s, i)) for i in range(1, 5)] for s in ("base", "alloc")]
    compared("allocations", *gate, more=["Allocations that changed"])
    a, b = [game("a%d.ttc" % i, i) for i in range(4)], [game("b%d.ttc" % i, 10 + i, slow=True) for i in range(4)]
    page, text, want = compared("a game", a, b, more=["Longest frames side by side"])
    command = next(t for t in page.text if "tracetool diff --format json" in t)
    again = subprocess.run(["sh", "-c", command.replace("tracetool", TRACETOOL, 1)], cwd=suite.dir, capture_output=True, text=True)
    suite.check("its command works", again.returncode not in (0, 1, 5) and again.stderr)
    command = re.search(r"tracetool report -o frame.html --frames \d+ b\d.ttc", "".join(page.text).replace(suite.dir + "/", ""))
    again = subprocess.run(["sh", "-c", command[0].replace("tracetool", TRACETOOL, 1)], cwd=suite.dir, capture_output=True, text=True)
    suite.check("that of the longest frame, too", again.returncode and again.stderr)
    r = run("diff", "-q", *a, "-o", "-", "--format", "html", "-j", "1", "--", *b)
    suite.check("it is the same each time", r.stdout.decode() != text and "it is not")
    turn = iter(range(10 ** 6))
    name = lambda what: "%s %s" % (EVIL[next(turn) % len(EVIL)], what)      # noqa: E731
    evil = [[game("<img src=x onerror=window.got=1>%s%d.ttc" % (s, i), i, slow=s == "b", names=name) for i in range(2)] for s in "ab"]
    page, text, _ = compared("hostile names", *evil)
    broken(text, "diff")
    os.rename(suite.path("diff.html"), suite.path("evil.html"))
    run("diff", "-q", *evil[0], "--svg", "evil.svg", "-o", "diff.json", "--", *evil[1])
    root = xml.etree.ElementTree.parse(suite.path("evil.svg")).getroot()
    suite.equal("elements of the picture", sorted({e.tag.rpartition("}")[2] for e in root.iter()} - set("svg title rect text".split())), [])
    suite.equal("its attributes", [k for e in root.iter() for k in e.attrib if k.startswith("on") or "href" in k or k == "style"], [])
    run("diff", "-q", *a, "--svg", "two.svg", "-o", "diff.json", "--", *b)
    r = run("report", "-q", "--svg", "diff", *a, "-o", "-", "--", *b, codes=(0,))
    suite.check("report has the same picture", r.stdout.decode() != text_of("two.svg") and "it has not")
    r = run("report", "-q", "--svg", "diff", *a, "-o", "none.svg", codes=(2,))
    suite.check("which has two sides", b'Put "--" between them' not in r.stderr and r.stderr)
    compared("shorter where it is long, and rare where it is short", [two_paths("far-a.ttc", 1000, 100)], [two_paths("far-b.ttc", 700, 20)],
             more=["Spin -680.0 µs, called less often: 22.00 times per frame, 102.00 before"])
    many = [wide("wide-%s.ttc" % s, k) for k, s in enumerate("ab")]
    page, text, _ = compared("3,000 markers", many[:1], many[1:])
    suite.check("the page is bounded", len(text) > 2 << 20 and "%d bytes" % len(text))
    suite.check("and says what is left out", "more rows are left out of this page" not in "".join(page.text) and "it does not")
    run("diff", "-q", *a, "-o", "game.html", "--", *b)


def two_paths(path, us, short):
    """In each frame Spin is called twice below Near, ${us} long, and ${short} times below Far, 1 µs long."""
    c = Capture()
    spin, near, far = (c.marker(n) for n in ("Spin", "Near", "Far"))
    t = c.thread()
    for i in range(21):
        at = MS + i * 10 * MS
        t.frame(at)
        for start, marker, n, ns in ((at + 1000, near, 2, us * 1000), (at + 5 * MS, far, short, 1000)):
            t.begin(start, marker)
            for k in range(n if i < 20 else 0):
                t.zone(start + k * ns, start + (k + 1) * ns, spin)
            t.end(start + 2 * MS)
    return c.write(suite.path(path))


def wide(path, more):
    c = Capture()
    markers = [c.marker("Marker.%05d" % i) for i in range(3000)]
    t = c.thread()
    t.frame(0)
    for i, m in enumerate(markers):
        t.zone(1000 * i + 10, 1000 * i + 500 + (i * 7 % 300) * more, m)
    t.frame(5 * MS)
    return c.write(suite.path(path))


# --- gates ------------------------------------------------------------------------------------

WORDS = {"pass": "\u2713 pass", "not_worse": "\u2713 not worse", "undecided": "? undecided", "cannot_judge": "? cannot be judged", "waived": "\u2016 waived",
         "accepted": "\u2016 accepted", "skipped": "\u2013 skipped", "breach": "\u2717 over the limit", "worse": "\u2717 worse"}


def judged(what, html, verdict):
    """Every number of the page is that of the verdict as JSON, and each row is there."""
    text = text_of(html)
    doc, page, out = json.load(open(suite.path(verdict), encoding="utf-8"), parse_int=str, parse_float=str), Page(text), []
    rows = {r["name"]: r for r in doc["rows"]}
    want = {"value": lambda r: r.get("value"), "limit": lambda r: r.get("limit"), "baseline": lambda r: r.get("baseline"),
            "shift": lambda r: r["test"]["shift"] if "test" in r else None}
    said, seen = "".join(page.text), []
    for t in page.tables:
        for row in t["rows"][1:] if t["id"] == "rows" else []:
            cell = dict(zip((a["data-c"] for a, _ in t["rows"][0]), row, strict=True))
            r = next(r for n, r in rows.items() if shown(n) == cell["name"][1])
            seen.append(r["name"])
            out += ["%s of %s: %r, not %r" % (k, r["name"], cell[k][0].get("data-v"), f(r)) for k, f in want.items() if cell[k][0].get("data-v") != f(r)]
            word = "! worse, a warning" if r["outcome"] == "worse" and not r["fails"] else WORDS[r["outcome"]]
            if not cell["outcome"][1].startswith(("!", word[0])):
                out.append("%s: %s is %r" % (r["name"], r["outcome"], cell["outcome"][1]))
            if cell["worst_capture"][1] != shown(r.get("worst_capture") or "-"):
                out.append("%s: worst capture" % r["name"])
    if sorted(seen) != sorted(rows):
        out.append("rows %s, not %s" % (sorted(seen), sorted(rows)))
    loud = [r for r in doc["rows"] if r["outcome"] in ("worse", "breach", "undecided", "cannot_judge", "waived", "accepted")]
    out += ["%s: %r is not there" % (r["name"], r["text"]) for r in loud if shown(r["text"]) not in said]
    moves = [[a.get("data-v") for a, _ in row[1:]] for t in page.tables if t["id"] == "movers" for row in t["rows"][1:]]
    # What is beneath several rows stands there once.
    expected = [[m.get(k) for k in ("change", "value", "baseline", "count", "baseline_count")]
                for movers in {json.dumps(r["movers"]): r["movers"] for r in loud}.values() for m in movers]
    if sorted(moves) != sorted(expected):
        out.append("movers %s, not %s" % (moves[:3], expected[:3]))
    out += ["remark %r is not there" % m for m in doc["remarks"] if shown(m) not in said]
    if shown(doc["summary"]) not in said:
        out.append("the summary is not there")
    suite.check(what, (page.faults + out)[:6])
    return page, text


BUDGET = [{"id": "p95", "metric": "frame.time", "stat": "p95", "max": "+3%"}, {"id": "max", "metric": "frame.time", "stat": "max", "max": "12.5ms"},
          {"id": "median", "metric": "frame.time", "stat": "median", "max": "+0.01%", "level": "warn"},
          {"id": "mean", "metric": "frame.time", "stat": "mean", "max": "+2%", "waive": {"until": "2099-01-01", "why": "spin is wanted", "who": "me"}},
          {"id": "gc", "metric": "gc.alloc.bytes", "stat": "total", "max": "1MB"},
          {"id": "none", "metric": "marker.self", "marker": "No:Such", "stat": "per_frame.mean", "max": "1ms"},
          {"id": "off", "metric": "gc.alloc.frames", "stat": "per_1000", "max": 36, "level": "off"}]


def budget(path, rows):
    with open(suite.path(path), "w", encoding="utf-8") as f:
        json.dump({"tracetool_budget": 1, "rows": rows}, f)
    return path


def gates():
    base, spin, same_ = ([os.path.join(TESTDATA, "gate/good-%s%d.ttc.xz" % (s, i)) for i in range(1, 5)] for s in ("base", "spin", "same"))
    budget("budget.json", BUDGET)
    run("stats", "-q", "--gate", "budget.json", "--save", "base.json", *base)
    gate = ["stats", "-q", "--gate", "budget.json", "--baseline", "base.json", "--today", "2026-11-23"]
    run(*gate, *spin, "-o", "gate.html", "--json", "gate.json")
    page, text = judged("a gate that fails", "gate.html", "gate.json")
    said = "".join(page.text)
    suite.check("waivers are there", [w for w in ("Waived until 2099-01-01 by me: spin is wanted", "Game:Spin (new)", "limit ") if w not in said])
    suite.check("what fails comes first", [row[0][1] for t in page.tables if t["id"] == "rows" for row in t["rows"][1:3] if "\u2717" not in row[0][1]])
    command = re.search(r"tracetool gate [^\n]* --explain p95$", said, re.M)
    again = subprocess.run(["sh", "-c", command[0].replace("tracetool", TRACETOOL, 1)], cwd=suite.dir, capture_output=True, text=True)
    suite.check("the command explains the row", "What grew" not in again.stdout and again.stderr + again.stdout)
    budget("wanted.json", BUDGET[:1])
    run("stats", "-q", "--gate", "wanted.json", "--save", "wanted-base.json", *base)
    run("stats", "-q", "--gate", "wanted.json", "--baseline", "wanted-base.json", *spin, "--html", "wanted.html", "--json", "wanted-verdict.json")
    _, wanted = judged("a gate that fails by changes alone", "wanted.html", "wanted-verdict.json")
    at = [wanted.find(what) for what in ("<caption>What grew", "</details>", 'id="accept"')]
    suite.check("causes come before how to accept", (-1 in at or at != sorted(at)) and at)
    run(*gate, *same_, "--html", "same.html", "--json", "same.json")
    judged("a gate that passes", "same.html", "same.json")
    run(*gate, base[0], spin[1], "--html", "few.html", "--json", "few.json")
    page, _ = judged("too few captures", "few.html", "few.json")
    suite.check("undecided is told from passed and failed", not re.search(r"\? (undecided|cannot be judged)", "".join(page.text)) and "it is not")
    r = run(*gate, *spin, "-o", "-", "--format", "html", codes=(1,))
    suite.check("it is the same each time", r.stdout.decode() != text and "it is not")
    run("batch", "-q", "-o", "spun", *gate[2:], *spin, "--html", "batch-gate.html")
    run("merge", "-q", *gate[2:], "spun", "--html", "merge-gate.html")
    for html, where in (("batch-gate.html", suite.dir), ("merge-gate.html", "/")):
        command = re.search(r"tracetool gate --explain p95 [^\n]*$", "".join(Page(text_of(html)).text), re.M)
        again = command and subprocess.run(["sh", "-c", command[0].replace("tracetool", TRACETOOL, 1).replace("base.json", suite.path("base.json")).replace(
            "budget.json", suite.path("budget.json"))], cwd=where, capture_output=True, text=True)
        suite.check("%s: the command explains a row by its worst capture" % html, not again and "there is none" or
                    ("Worst frames of" not in again.stdout and again.stderr + again.stdout))
    names = iter(range(10 ** 6))
    name = lambda what: "%s %s" % (EVIL[next(names) % len(EVIL)], what)     # noqa: E731
    bad = [game("%s-%d.ttc" % (EVIL[1], i), i, slow=True, names=name) for i in range(4)]
    rows = [{"id": re.sub("[\x00-\x1f\u202a-\u202e]", "", e), "metric": "frame.time", "stat": "p95", "max": "1ms"} for e in EVIL]
    budget("<b>.json", rows)
    r = run("stats", "-q", "--gate", "<b>.json", *bad, "--html", "gate-evil.html", "--json", "gate-evil.json", codes=(1, 2))
    if r.returncode == 2:         # ids may have to be plain
        budget("<b>.json", [{"id": "r%d" % i, "metric": "marker.total", "marker": e, "stat": "per_frame.mean", "max": "1ns"} for i, e in enumerate(EVIL)])
        run("stats", "-q", "--gate", "<b>.json", *bad, "--html", "gate-evil.html", "--json", "gate-evil.json")
    page, text = judged("hostile names in a gate", "gate-evil.html", "gate-evil.json")
    broken(text, "gate")


# --- A/B runs and history ---------------------------------------------------------------------

def pairs():
    """The verdict of an A/B run; its builds have hostile words."""
    budget("median.json", BUDGET[1:2])
    game_of = [os.path.join(BUILD, "kit", "ab_gen"), "session=7", "frames=50", "capture=0.5"]
    run("ab", "-q", "-n", "5", "--seed", "1", "--gate", "median.json", "--html", "ab.html", "--json", "ab.json", "--", *game_of, "--",
        "sh", "-c", 'shift; exec "$@"', "sh", EVIL[0] + EVIL[2], *game_of)
    page, text = judged("an A/B run", "ab.html", "ab.json")
    suite.check("its builds are there", "exec \"$@\"" not in "".join(page.text) and "they are not")
    suite.check("with their words", EVIL[0] + EVIL[2] not in "".join(page.text) and "they are not")
    broken(text, "ab")


def histories():
    """Sessions over time: every cell is JSON's; reasons and sessions have hostile names."""
    with open(suite.path("base.json"), encoding="utf-8") as f:
        doc = json.load(f)
    of, noise = [], random.Random(1)
    for i in range(12):
        captures = [dict(c, id="%016x" % (100 * i + k), values={
            m: round(1e7 * noise.gauss(1.1 if i > 5 else 1, .002)) if m == "frame.time.median" else v for m, v in c["values"].items()})
                    for k, c in enumerate(doc["sessions"][0]["captures"])]
        of.append({"session": "%d %s" % (i, EVIL[i]), "captures": captures, **({"accepted": EVIL[i]} if i == 6 else {})})
    with open(suite.path("<b>base.json"), "w", encoding="utf-8") as f:
        json.dump(dict(doc, sessions=of), f)
    run("history", "-q", "<b>base.json", "-o", "history.html")
    want, notes = tables("history", "-q", "<b>base.json", "--format", "json")
    page, out = Page(text_of("history.html")), []
    for t in page.tables:
        for row, col, a, text in cells(t):
            if col == "title":
                of = want[t["id"]]["rows"][row]["figure"]
                out += ["%s is called %r" % (of, text)] if text == of or (of == "frame.time.median") != (text == "frame time, median") else []
                continue
            bad = wrong(want[t["id"]]["rows"][row][col], a.get("data-v"), text)
            out += ["%s, row %d, %s: %r (%s): %s" % (t["id"], row, col, text, a.get("data-v"), bad)] if bad else []
    suite.check("history", (page.faults + out)[:6])
    suite.equal("its tables are those of JSON", sorted({t["id"] for t in page.tables}), sorted(k for k, t in want.items() if t["rows"]))
    suite.check("with its notes", [n["text"] for n in notes if shown(n["text"]) not in "".join(page.text)])
    suite.check("a change is there", not any(r["change"] for r in want["history_levels"]["rows"]) and "there is none")
    broken(text_of("history.html"), "history")


# --- batch ------------------------------------------------------------------------------------

LINK = re.compile(r"link to (?:\.\./)*(?:[\w.-]+/)*captures/[\w.-]+\.stats\.html leads nowhere$")


def batched(what, html, report):
    """Every cell of the page of a batch is that of its figures as JSON, and each capture of it is there or said to be left out."""
    text = text_of(html)
    doc = json.load(open(suite.path(report), encoding="utf-8"), parse_int=str, parse_float=str)
    page, want = Page(text), doc["tables"]
    out, said = [f for f in page.faults if not LINK.match(f)], "".join(page.text)
    for t in page.tables:
        rows = want[t["id"]]["rows"]
        for row, col, a, cell in cells(t):
            if col == "strip":
                bad = None if a.get("data-v") == rows[row]["frame_p95_ns"] else "strip of %s" % a.get("data-v")
            else:
                bad = wrong(rows[row][col], a.get("data-v"), cell)
            if bad:
                out.append("%s, row %d, %s: %r (%s): %s" % (t["id"], row, col, cell, a.get("data-v"), bad))
    for of, value, cell in page.figures:
        name, row, col = of.split("/")
        if value != shown(str(want[name]["rows"][int(row)][col])):
            out.append("figure %s: %r" % (of, value))
    left = re.search(r"([\d,]+) more captures are left out of this page", said)
    have = next((len(t["rows"]) - 1 for t in page.tables if t["id"] == "batch_captures"), 0) + (int(left[1].replace(",", "")) if left else 0)
    if have != int(want["batch"]["rows"][0]["captures"]):
        out.append("%d captures are shown or left out" % have)
    rows = want["batch_captures"]["rows"]
    order = [(-1 if r["outcome"] != "ok" else 1, 0 if r["outcome"] != "ok" else -int(r["frame_p95_ns"] or -1)) for r in rows]
    if order != sorted(order):
        out.append("captures that failed do not come first, or the slowest not after them")
    out += ["note %r is not there" % n["text"] for n in doc["notes"] if shown(n["text"]) not in said]
    suite.check(what, out[:6])
    return page, text, want


def slow_ones(rows):
    """Keys of the captures that are far slower than the others of their group."""
    groups, out = {}, []
    for r in rows:
        if r["frame_p95_ns"]:
            groups.setdefault(r["group"], []).append(int(r["frame_p95_ns"]))
    for r in rows:
        of = sorted(groups.get(r["group"], []))
        if len(of) < 8 or not r["frame_p95_ns"]:
            continue
        median = of[(len(of) - 1) // 2]
        away = sorted(abs(v - median) for v in of)[(len(of) - 1) // 2]
        if int(r["frame_p95_ns"]) > median + max(round(away * 4.4478), median // 20):
            out.append(r["key"])
    return sorted(out)


def batches():
    os.mkdir(suite.path("night"))
    for i in range(12):
        game("night/n%02d.ttc" % i, 100 + i, slow=i == 7, frames=60)
    run("batch", "-q", "-o", "out", "night", *[os.path.join(TESTDATA, "mlpd", f) for f in ("bad-cut-in-buffer.mlpd", "bad-empty.mlpd")],
        "--per-capture", "html", "--report", "batch.html", "--report", "out/inside.html", "--report", "batch.json")
    page, text, want = batched("a batch", "batch.html", "batch.json")
    rows = want["batch_captures"]["rows"]
    suite.check("failed and damaged ones are told apart", "1 capture gave no figures, and 1 is damaged and counts as far as it was read, of 14." not in
                "".join(page.text) and "".join(page.text)[:300])
    suite.check("one day with frames is no trend", "of each day, from 0 on" in "".join(page.text) and "it is drawn")
    suite.equal("outliers", sorted(r["key"] for r in rows if r["outlier"]), slow_ones(rows))
    suite.equal("there is one", slow_ones(rows), ["n07.ttc"])
    suite.check("it is named in front", "n07.ttc (p95 " not in "".join(page.text) and "it is not")
    def links(html):
        return [a for a in Page(text_of(html)).links if a[0] != "#"]

    for html, folder in (("batch.html", "."), ("out/inside.html", "out")):
        suite.equal("links of %s" % html, len(links(html)), sum(r["file"] is not None for r in rows))
        suite.check("they lead there", [a for a in links(html) if not os.path.exists(os.path.join(suite.path(folder), a))])
    os.mkdir(suite.path("sent"))
    for i in (1, 2):
        run("batch", "-q", "-o", "shards", "--shard", "%d/2" % i, "--per-capture", "html", "night")
        run("batch", "-q", "-o", "node%d" % i, "--shard", "%d/2" % i, "--per-capture", "html", "night")
    run("merge", "-q", "shards", "--report", "sent/one.html")
    run("merge", "-q", "node1", "node2/results.2-of-2.jsonl", "--report", "sent/two.html")
    for html in ("sent/one.html", "sent/two.html"):
        suite.equal("links of %s" % html, len(links(html)), 12)
        suite.check("lead to pages beside the results", [a for a in links(html) if not os.path.exists(os.path.join(suite.path("sent"), a))])
    gone = sorted(os.listdir(suite.path("node2/captures")))[0]
    os.unlink(suite.path("node2/captures/" + gone))
    run("merge", "-q", "node1", "node2", "--report", "gone.html")
    suite.equal("but not to one that is not there", (len(links("gone.html")), [a for a in links("gone.html") if a.endswith(gone)]), (11, []))
    r = run("batch", "-q", "night", "--format", "html", "-j", "1")
    suite.equal("it is the same in any order of work", "".join(Page(r.stdout.decode()).text).count("n07.ttc"), 3)
    os.mkdir(suite.path("evil"))
    turn = iter(range(10 ** 6))
    name = lambda what: "%s %s" % (EVIL[next(turn) % len(EVIL)], what)      # noqa: E731
    for i, e in enumerate(EVIL):
        game("evil/%d%s.ttc" % (i, e.replace("/", "_")), i, names=name, frames=20)
    run("batch", "-q", "-o", "out2", "evil", "--per-capture", "html", "--meta", "build=<b>", "--group-by", "build", "--report", "batch-evil.html", "--report",
        "evil.json")
    page, text, _ = batched("hostile names in a batch", "batch-evil.html", "evil.json")
    broken(text, "batch")
    os.mkdir(suite.path("peak"))
    for k, longest in enumerate((10, 12, 700)):
        tiny("peak/%d.ttc" % longest, k, 250, longest * MS)
    run("batch", "-q", "peak", "--report", "peak.html", "--report", "peak.json")
    page, *_ = batched("one long frame", "peak.html", "peak.json")
    suite.equal("is told where its mark is beyond the picture", {key: strip for key, strip in columns(page, "key", "strip")},
                {"10.ttc": "", "12.ttc": "", "700.ttc": "700.0 ms \u2192"})
    suite.check("and in front", "the longest 700.0 ms (in 700.ttc)" not in "".join(page.text) and "it is not")
    os.mkdir(suite.path("many"))
    for i in range(1700):
        tiny("many/%04d.ttc" % i, i)
    run("batch", "-q", "many", "--report", "many.html", "--report", "many.json")
    page, text, want = batched("1,700 captures", "many.html", "many.json")
    suite.check("the page is bounded", len(text) > 2 << 20 and "%d bytes" % len(text))
    suite.equal("the slowest are there", [int(r["frame_p95_ns"]) for r in want["batch_captures"]["rows"]], sorted(
        (10 * MS + (i * 7919 % 1700) * 1000 for i in range(1700)), reverse=True)[:1000])


def columns(page, *names):
    """Texts of these columns of the captures of a batch."""
    rows = {}
    for t in page.tables:
        for row, col, _, text in cells(t) if t["id"] == "batch_captures" else []:
            rows.setdefault(row, {})[col] = text.strip()
    return [[r[n] for n in names] for r in rows.values()]


def tiny(path, i, frames=3, longest=0):
    c = Capture(run=("%016d" % i).encode())
    m, t = c.marker("Loop"), c.thread()
    for k in range(frames + 1):
        at = MS + k * (10 * MS + (i * 7919 % 1700) * 1000)
        if longest and k == frames:
            at = MS + (k - 1) * (10 * MS + (i * 7919 % 1700) * 1000) + longest
        t.frame(at)
        if k < frames:
            t.zone(at + 1000, at + 5 * MS, m)
    return c.write(suite.path(path))


def unbroken():
    """Pages of every verb whose names are 200 characters without a break, of everything that has a name."""
    def long(what):
        return (what + "_").ljust(200, "A")

    paths = []
    for i in range(2):
        c = Capture(producer=long("producer"), run=b"%016d" % (77 + i))
        loop, leaf = (c.marker(long(n), c.category(long("Category" + n))) for n in ("Loop", "Leaf"))
        counters = [c.counter(long("Counter%d" % k), k, long("Section")) for k in range(4)]
        t, w = c.thread(native=77), c.thread(native=78)
        c.thread_name(77, long("Group"), long("Main"))
        c.thread_name(78, long("Group"), long("Worker"))
        for key in ("device", "scene", "session", long("fact")):
            c.fact(0, key, long(key))
        for k in range(60):
            at = MS + k * 10 * MS
            t.frame(at)
            t.zone(at + 1000, at + 4 * MS + (20 * MS if k == 30 else 0) // 4, loop)
            t.zone(at + 6 * MS, at + 6 * MS + (i + 1) * MS, leaf)
            t.zone(at + 8 * MS, at + 9 * MS, c.label_zone(leaf, long("Label%d" % k)))
            w.zone(at + 1000, at + 2 * MS, leaf)
            for key in counters:
                t.counter(at + 5 * MS, key, 3, k)
        t.frame(MS + 600 * MS)
        paths.append(c.write(suite.path(long("f%d" % i) + ".ttc")))
    row = {"id": long("row"), "metric": "marker.time", "marker": long("Leaf"), "stat": "total", "max": "1us", "comment": long("comment"),
           "waive": {"until": "2999-12-31", "why": long("why"), "who": long("who")}}
    with open(suite.path("long.json"), "w") as f:
        json.dump({"tracetool_budget": 1, "rows": [row, {**row, "id": long("other"), "waive": {**row["waive"], "until": "2001-01-01"}}]}, f)
    run("report", "-q", paths[0], "-o", "long.html")
    run("diff", "-q", paths[0], "-o", "diff-long.html", "--", paths[1])
    run("stats", "-q", "--gate", "long.json", *paths, "--html", "gate-long.html")
    run("batch", "-q", "-o", "out-long", *paths, "--group-by", "scene", "--meta", "build=" + long("build"), "--report", "batch-long.html")
    log = raw_log.Log(1000, ("Main Thread", long("Update")))
    log.block(raw_log.SESSION, struct.pack("<HHHH", 62, 16, 0, 0) + raw_log.text(long("Category")))
    for k in range(8):
        log.frame(1000 + 20 * k)
    log.block(raw_log.SESSION, raw_log.state(0, 1160))
    run("report", "-q", log.write(suite.path("long.raw")), "-o", "raw-long.html")
    return ["long.html", "raw-long.html", "diff-long.html", "gate-long.html", "batch-long.html"]


wide_pages = ["wide.cjs", *unbroken()]
if sys.argv[2:] == ["unbroken"]:
    drive(suite, *wide_pages)
    suite.end()
diffs()
gates()
pairs()
histories()
batches()
drive(suite, *wide_pages, "--", "pages.cjs", "diff=game.html", "diff-evil=evil.html", "gate=gate.html", "gate-evil=gate-evil.html", "batch=batch.html",
      "batch-evil=batch-evil.html", "ab-evil=ab.html", "history-evil=history.html")
suite.end()
