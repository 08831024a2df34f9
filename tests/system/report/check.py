#!/usr/bin/env python3
"""tracetool report: the page says what `stats` and `info` say in JSON, and nothing that stands in a capture becomes a part of the page.

    check.py TRACETOOL

- Every cell and every figure in a sentence: the value beside it is JSON's, and what people read is that value, rounded. Every row that JSON has
  is there, or said to be left out.
- Captures of every reader, damaged ones, without frames, several at once, with one frame and with more frames than the chart has columns.
- Hostile names of everything that has a name: the page has no element, attribute, comment or link but its own. The same page with one name
  not escaped is found to have, so the check cannot pass in vain.
- The form html of other commands has the cells of their JSON.
- The chart shows every late frame, however many there are. The page keeps to --max-size, and is the same each time.

- The times of single frames, for ranges, are those of the table of worst frames. The zones of frames give the figures that stats has of that
  frame alone.
- The sums of frames, for the tables of a range, are what stats has with the filter set to these frames, whatever the range.
- Lines of counters and the heap, the figures of a frame beside its zones, and the flame graph of samples say what the tables of JSON say.
- The program of the page sets text alone, and is small. browser.cjs uses it in Chromium, frames.cjs, ranges.cjs, reader.cjs and views.cjs in Chromium and
  Firefox; access.cjs has axe-core look at it.

Ends with "N passed, N failed".
"""
import contextlib
import glob
import gzip
import html
import json
import os
import re
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "kit"), os.path.join(HERE, "..", "..", "unity")]
from page import Page, cells, details, drive, facts, flame, lined, over, ranges, sampled, shown, sums, times, trees as frame_trees, wrong  # noqa: E402
from suite import TESTDATA, TOP, Suite  # noqa: E402
from ttc import U64, Capture, varint  # noqa: E402

TRACETOOL = os.path.realpath(sys.argv[1])
MS = 10 ** 6
suite = Suite()


def run(*args, codes=(0,), stdin=None):
    r = subprocess.run([TRACETOOL, *args], capture_output=True, timeout=300, cwd=suite.dir, stdin=stdin)
    if r.returncode not in codes:
        raise SystemExit("tracetool %s: exit %d: %s" % (" ".join(args), r.returncode, r.stderr.decode()))
    return r


def tables(*args):
    """Tables of JSON with their numbers as they are written."""
    doc = json.loads(run(*args, codes=(0, 3)).stdout, parse_int=str, parse_float=str)
    return doc["tables"], doc["notes"]


def page_of(*args):
    return run("report", "-q", "-o", "-", *args, codes=(0, 3)).stdout.decode()


FIRST = ("capture_allocations", "capture_markers", "capture_overview")     # tables of the first screen whose first rows are in the verdict


def problems(page, want, notes):
    out = page.faults[:]
    whole = {}
    for t in page.tables:
        if t["id"] not in want:
            out.append("table %s is not in JSON" % t["id"])
            continue
        rows = want[t["id"]]["rows"]
        for row, col, a, text in cells(t):
            value = rows[row][col] if row < len(rows) else "no such row"
            bad = wrong(value, a.get("data-v"), text)
            if bad:
                out.append("%s, row %d, %s: %r (%s): %s" % (t["id"], row, col, text, a.get("data-v"), bad))
        if t["within"] == "t-" + t["id"]:
            whole[t["id"]] = max(r for r, *_ in cells(t)) + 1
    for of, value, text in page.figures:
        name, row, col = of.split("/")
        bad = wrong(want[name]["rows"][int(row)][col], None if value == text else value, text)
        if bad or value != shown(str(want[name]["rows"][int(row)][col])):
            out.append("figure %s: %r (%s): %s" % (of, text, value, bad))
    said = "".join(page.text)
    for name, t in want.items():
        left = re.search(r"([\d,]+) more rows are left out of this page: tracetool stats --table %s " % name, said)
        n = whole.get(name, 0) + (int(left[1].replace(",", "")) if left else 0)
        if n != len([r for r in t["rows"] if set(r.values()) != {None}]):
            out.append("%s: %d rows are shown or left out, JSON has %d" % (name, n, len(t["rows"])))
    out += ["note %s is not there" % n["text"] for n in notes if shown(n["text"]) not in said]
    return out


def first_screen(*args):
    return {k: t for k, t in tables("-q", "--format", "json", *args)[0].items() if k in FIRST}


def compare(what, *files, options=(), common=()):
    """The page of these captures with JSON; the page. Options in ${common} are those of info, too."""
    args = [*files, *common, *options]
    page = Page(page_of(*args))
    want, notes = tables("stats", "-q", "--format", "json", *args)
    want.update(tables("stats", "-q", "--format", "json", "--table", "hitch_markers,causes,frame_causes", *args)[0])
    want.update(first_screen(*(a for i, a in enumerate(args) if "--hitches" not in args[max(i - 1, 0):i + 1])))
    of_info = tables("info", "-q", "--format", "json", *files, *common)[0]
    want.update({k: of_info[k] for k in ("capture", "capture_meta", "capture_frame_markers") if k in of_info})
    suite.check(what, problems(page, want, notes)[:8])
    return page


def game(frames, names=None, path="game.ttc", late=()):
    """A capture of so many frames of 10 ms, those in ${late} of 40; its names are ${names}'s."""
    name = names or (lambda what: what)
    c = Capture(producer=name("producer"), run=path.encode().ljust(16)[:16])
    update, scripts = c.marker(name("Update"), c.category(name("Scripts"))), c.category(name("Other"))
    draw, heap = c.marker(name("Draw"), scripts), c.counter(name("Heap"), unit=2, section=name("Memory"))
    c.fact(0, name("device"), name("Deck"))
    t = c.thread(native=77)
    c.thread_name(77, name("Engine"), name("Main"))
    at = MS
    for i in range(frames + 1):
        long = (40 if i in late else 10) * MS
        t.frame(at)
        t.begin(at + 1000, update)
        t.zone(at + 2000, at + long // 2, draw)
        t.end(at + long - 2000)
        t.counter(at + long - 1000, heap, U64, i)
        at += long
    return c.write(suite.path(path))


# --- numbers ------------------------------------------------------------------------------

def captures():
    for f in ("demo/good-hitches.ttc.xz", "gate/good-alloc1.ttc.xz", "raw/good-2022-aligned.raw", "raw/good-2019-every.raw", "data/good-2021.data",
              "mlpd/good-d01-gameloop-calls-alloc.mlpd", "mlpd/good-d02-gameloop-sample.mlpd", "mlpd/good-d03-alloc-bt.mlpd",
              "mlpd/good-d04-exceptions.mlpd", "mlpd/good-d05-monitors.mlpd", "mlpd/good-d07-heapshot.mlpd", "mlpd/good-d09-names-unicode-jit.mlpd",
              "mlpd/good-d10-counters-zip.mlpd", "mlpd/good-d14-mono462-v13-coverage.mlpd", "capture/good-v1.0-every-kind.ttc",
              "raw/bad-gap.raw", "raw/bad-cut.raw", "data/bad-cut.data", "mlpd/bad-cut-in-buffer.mlpd", "mlpd/bad-garbage-tail.mlpd"):
        yield f


def numbers():
    loop, demo = (os.path.join(TESTDATA, f) for f in ("mlpd/good-d01-gameloop-calls-alloc.mlpd", "demo/good-hitches.ttc.xz"))
    for f in captures():
        compare(f, os.path.join(TESTDATA, f))
    page = compare("a named frame marker", loop, common=["--frame-marker", "World:Frame"], options=["--hitches", "25"])
    suite.equal("the verdict says what the first screen says first", [f for f, *_ in page.figures if f.startswith("capture_")],
                ["capture_markers/0/marker", "capture_markers/0/self_share", "capture_allocations/0/site", "capture_allocations/0/bytes_share",
                 "capture_allocations/0/class"])
    suite.equal("and leads to the tables that it quotes", re.findall(r'<li>[^<]*: <a href="#([^"]*)"><data data-of="(\w+)', page.source),
                [("t-" + i, i) for i in ("capture_markers", "capture_allocations")])
    page = compare("two captures", loop, demo)
    suite.check("they are named, and how to compare them", [t for t in ("2 captures, read as processes", "1 good-d01-gameloop-calls-alloc.mlpd, 2 good-hit",
                                                                        "tracetool diff") if t not in "".join(page.text)])
    for folder in "xy":
        os.mkdir(suite.path(folder))
        game(12, path=os.path.join(folder, "cap.ttc"))
    page = compare("two captures of one name", "x/cap.ttc", "y/cap.ttc")
    suite.check("their folders tell them apart", "1 x/cap.ttc, 2 y/cap.ttc. " not in "".join(page.text) and "they do not")
    text = page_of(loop)
    suite.equal("without frame marks, a command that has some", [html.unescape(c) for c in re.findall(r"<code>(tracetool report .*?)</code>", text)[:1]],
                ["tracetool report --frame-marker 'Game.World:Frame' %s -o frames.html" % loop])
    suite.equal("and what else may be one", re.findall(r'href="#frames">markers', text), ['href="#frames">markers'])
    copied = re.findall(r"<code>(.*?)</code>", page.source)
    suite.equal("no command to copy lacks its captures", [c for c in copied if "cap.ttc" not in c], [])
    suite.check("without folders of the user", "1 cap.ttc, 2 cap.ttc. " not in "".join(Page(page_of("x/cap.ttc", "y/cap.ttc", "--redact")).text) and "with")
    compare("filters", demo, options=["--frames", "20-60", "--thread", "Main", "--marker", "*e*"])
    compare("no frame in the time", demo, options=["--time", "0-0.01"])
    refused = glob.glob(os.path.join(TESTDATA, "*/bad-empty.*")) + glob.glob(os.path.join(TESTDATA, "*/unsupported-*"))
    # Some versions without a layout of their own are read by one that fits.
    refused = sorted(f for f in refused if run("info", "-q", f, codes=(0, 3, 4)).returncode)
    suite.check("captures are refused", len(refused) < 6 and refused)
    for f in refused:
        r = run("report", f, "-o", "none.html", codes=(3, 4))
        suite.check("%s makes no page" % os.path.basename(f), os.path.exists(suite.path("none.html")) and "there is one")
        suite.check("and says why", not r.stderr and "it is silent")


# --- names --------------------------------------------------------------------------------

EVIL = ["<script>window.got=1</script>", "<img src=x onerror=window.got=1>", "\"><svg onload=window.got=1>", "'-alert(1)-'", "</title><script>",
        "</style><script>", "<!--", "]]>", "&lt;b&gt;", "&#60;script>", "</table></main>", "javascript:alert(1)", "a\u202eb\u2066c", "\x01\x1b[31m",
        "{{7*7}}", "${7*7}", "\ufeff<a href=//x>", "=cmd|'/c calc'!A0", "\\\"'`", "<" * 40]


HIDDEN = ("Other", "Engine")          # no table of stats without options has these


def hostile():
    turn, given = iter(range(10 ** 6)), {}

    def name(what):
        given[what] = "%s %s" % (EVIL[next(turn) % len(EVIL)], what)
        return given[what]

    for i in range(4):
        path = game(30, name, "evil%d.ttc" % i, late=(7, 9))
        page = compare("hostile names %d" % i, path, common=["--meta", "%s=%s" % (EVIL[i], EVIL[i + 4])])
        suite.check("they are to be read", [n for k, n in given.items() if k not in HIDDEN and shown(n) not in page.text])
    strange = suite.path("<img src=x onerror=window.got=1>'\"&.ttc")
    os.rename(path, strange)
    page = compare("a hostile file name", strange)
    suite.check("it is the heading", os.path.basename(strange) not in page.text and "not there")
    # Were one name not escaped, this would be seen.
    text = page_of(strange)
    for what, broken in (("a name that is not escaped", text.replace("&lt;img src=x onerror=window.got=1&gt;", "<img src=x onerror=window.got=1>", 1)),
                         ("an attribute", text.replace('data-t="frames"', 'data-t="frames" onload="x"', 1)),
                         ("a comment", text.replace("<caption>", "<caption><!-- -->", 1)),
                         ("a script", text.replace("<main>", "<main><script>0</script>", 1)),
                         ("another style", text.replace("</style>", "b{}</style>")),
                         ("a link", text.replace('href="#frames"', 'href="javascript:0"', 1))):
        suite.check(what + " is found", (text == broken or not Page(broken).faults) and "it is not")


def redacted():
    """--redact leaves no path, host, user or command line; figures stay."""
    secret = suite.path("secret-folder")
    os.mkdir(secret)
    path = os.path.join(secret, "game.ttc")
    os.rename(game(12, path="private.ttc", late=(7,)), path)
    meta = [a for kv in ("hostname=workstation7", "build.user=mallory", "where=/home/mallory/build 7", "drive=C:\\Users\\mallory\\x", "note=a/b and 5/6")
            for a in ("--meta", kv)]
    plain, page = page_of(path, *meta[:8]), page_of(path, *meta, "--redact")
    for word in ("secret-folder", "workstation7", "mallory", "/home"):
        suite.check("%s is there" % word, word not in plain and "not at all")
    said = "".join(Page(page_of(path, *meta[8:], "--redact")).text)
    suite.check("what is no path stays", "a/b and 5/6" not in said and "it does not")
    suite.check("the name of the file stays", "game.ttc" not in said and "it does not")
    suite.equal("words that say where", [w for w in ("secret-folder", "workstation7", "mallory", "/home") if w in page], [])
    facts = [[text for _, text in row] for t in Page(page).tables if t["id"] == "capture_meta" for row in t["rows"]]
    suite.check("the last part of a path is there", not any("build 7" in " ".join(row) for row in facts) and facts)


# --- the chart ----------------------------------------------------------------------------

def charted(text):
    """{kind: columns} of the bars of the chart."""
    return {k: d.count("z") for k, d in re.findall(r'<path class="(k\d)"[^>]* d="([^"]*)"', text.split('<figure id="sorted"')[0])}


def chart():
    for frames, late in ((1, ()), (2, (0,)), (100, (3, 50, 99)), (1200, (0, 1199)), (1201, (1200,)), (5000, (2, 2500, 4999))):
        path = game(frames, path="chart%d.ttc" % frames, late=late)
        text = page_of(path)
        have = charted(text)
        suite.equal("late frames of %d" % frames, have.get("k2", 0), len(late))
        suite.equal("all columns of %d" % frames, sum(have.values()), min(frames, 1200))
        suite.equal("shortest frames of %d" % frames, 'class="lo"' in text, frames > 1200)
    compare("5,000 frames", suite.path("chart5000.ttc"))
    suite.equal("times of single frames", times(Page(page_of(suite.path("chart5000.ttc")))),
                {i + 1: (40 if i in (2, 2500, 4999) else 10) * MS for i in range(5000)})
    # Every time of a capture whose frames are all different; and of a part of it, whose frames keep their numbers.
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    for args in ([], ["--frames", "20-60"]):
        rows = tables("stats", "-q", "--format", "json", "--table", "hitches", "--hitches", "1000", demo, *args)[0]["hitches"]["rows"]
        suite.equal("times of frames %s" % args, times(Page(page_of(demo, *args))), {int(r["frame"]): int(r["dur_ns"]) for r in rows})
    suite.equal("two captures have none", times(Page(page_of(suite.path("chart1.ttc"), suite.path("chart2.ttc")))), None)
    page = Page(page_of(suite.path("chart5000.ttc"), "--max-size", "10k"))
    suite.equal("a small page has none", times(page), None)
    suite.check("and says so", "are left out: no range" not in "".join(page.text) and "it does not")
    marked = os.path.join(TESTDATA, "mlpd/good-d01-gameloop-calls-alloc.mlpd")
    page = Page(page_of(marked, "--frame-marker", "World:Frame", "--meta", "a=it's", "--max-size=900k"))
    args = page.times["data-command"].replace("tracetool report", TRACETOOL + " report", 1) + "3-5"
    r = subprocess.run(["sh", "-c", args], cwd=suite.dir, capture_output=True, text=True)
    suite.check("it works", (r.returncode or not times(Page(open(suite.path("range.html"), encoding="utf-8").read()))) and r.stderr)
    suite.equal("and gives that range", sorted(times(Page(open(suite.path("range.html"), encoding="utf-8").read()))), [3, 4, 5])


# --- ranges -----------------------------------------------------------------------------------

# The columns of tables whose sums are in the page: the rest of a marker's time is total less self.
SUMMED = {"markers": (("marker", "category"), lambda r: [r["self_ns"], r["total_ns"] - r["self_ns"], r["count"]]),
          "categories": (("category",), lambda r: [r["self_ns"]]),
          "threads": (("thread",), lambda r: [r["busy_ns"], r["waiting_ns"], r["alloc_bytes"], r["allocs"]]),
          "gcalloc": ((), lambda r: [r["bytes"], r["count"], r["collections"]]),
          "alloc_sites": (("marker", "class"), lambda r: [r["bytes"], r["count"]]),
          "alloc_classes": (("class",), lambda r: [r["bytes"], r["count"]])}


def added(rows):
    return [sum(v) for v in zip(*rows, strict=True)]


def of_range(what, path, options, data, low, high, frames):
    """Sums of the columns from ${low} to ${high}, which have these frames, beside JSON."""
    want = tables("stats", "-q", "--format", "json", "--table", ",".join(SUMMED), "--limit", "0", path, *options,
                  "--frames", "%d-%d" % frames)[0]
    for table, rows in data.items():
        names, values = SUMMED[table]
        have, others = {}, None
        for texts, sums in rows:
            v = [sum(s[low:high + 1]) for s in sums]
            if texts is None:
                others = v
            else:
                have[tuple(texts)] = added([v, have.get(tuple(texts), [0] * len(v))])
        of = {}
        for r in want[table]["rows"]:
            r = {k: v if k in names else int(v) if v and v.isdigit() else 0 for k, v in r.items()}
            key = tuple(r[n] for n in names)
            of[key] = added([values(r), of.get(key, [0] * len(others))])
        suite.check("%s, frames %d-%d: %s" % (what, *frames, table), [(k, v, of.get(k)) for k, v in have.items() if v != of.get(k, [0] * len(v))][:3])
        rest = [v for k, v in of.items() if k not in have]
        suite.equal("%s, frames %d-%d: the others of %s" % (what, *frames, table), others, added(rest) if rest else [0] * len(others))


def many_kinds(path):
    """2,500 frames, each with some of 300 markers, allocations by them, and zones of another thread over the edges of frames."""
    c, at = Capture(), MS
    t, other, scripts = c.thread(native=77), c.thread(native=78), c.category("Scripts")
    markers = [c.marker("Kind.%03d" % i, scripts if i % 3 else 0) for i in range(300)]
    for i in range(2501):
        t.frame(at)
        for k in range(6):
            t.begin(at + 1000 + k * 100000, markers[(i * 7 + k * 31) % 300])
            t.zone(at + 2000 + k * 100000, at + 3000 + k * 100000 + i * i * (k + 1) % 40009, markers[(i + k) % 300])
            t.end(at + 50000 + k * 100000 + i * 77777 % 30011)
        if i % 3 == 0:
            other.zone(at + 5000, at + 5 * MS + 7 * i, markers[i % 5])
        at += 2 * MS + i % 11
    return c.write(suite.path(path))


def ranged():
    demo, loop = (os.path.join(TESTDATA, f) for f in ("demo/good-hitches.ttc.xz", "mlpd/good-d01-gameloop-calls-alloc.mlpd"))
    for path, options in ((demo, []), (demo, ["--frames", "20-60"]), (demo, ["--thread", "Main"]), (loop, ["--frame-marker", "World:Frame"]),
                          (os.path.join(TESTDATA, "raw/good-2022-aligned.raw"), []), (os.path.join(TESTDATA, "data/good-2021.data"), []),
                          (many_kinds("kinds.ttc"), []), (suite.path("columns.ttc"), [])):
        page = Page(page_of(path, *options))
        data, columns = ranges(page)
        numbers = times(page)
        first, n, what = min(numbers), len(numbers), "%s %s" % (os.path.basename(path), options)
        suite.check(what + ": there are sums of columns", not data and "none")
        rows = tables("stats", "-q", "--format", "json", "--table", "threads", "--limit", "0", path, *options)[0]["threads"]["rows"]
        busy = {r["thread"] for r in rows if int(r["busy_ns"] or 0) or int(r["alloc_bytes"] or 0)}
        suite.check(what + ": of up to 32 threads, each has a row", len(busy) <= 32 and busy - {r[0][0] for r in data["threads"] if r[0]})
        others = [o for o in options if o != "--frames" and not re.fullmatch(r"[0-9]+-[0-9]+", o)]
        for low, high in {(0, columns - 1), (0, 0), (columns - 1, columns - 1), (columns // 3, columns // 2), (columns // 2, columns // 2)}:
            of_range(what, path, others, data, low, high, (first + n * low // columns, first + n * (high + 1) // columns - 1))
    data, _ = ranges(Page(page_of(suite.path("kinds.ttc"))))
    suite.check("rows are at most 128, and the others one", len(data["markers"]) > 129 and len(data["markers"]))
    for options in (["--min-duration", "1us"], ["--marker", "Kind.1*"], ["--depth", "1"]):
        suite.equal("no sums with %s" % options, ranges(Page(page_of(suite.path("kinds.ttc"), *options)))[0], {})
    small, _ = ranges(Page(page_of(suite.path("kinds.ttc"), "--max-size", "300k")))
    suite.check("a small page has fewer rows", not 0 < len(small["markers"]) < 129 and len(small["markers"]))


# --- single frames --------------------------------------------------------------------------

def single(what, path, most=6, options=(), codes=(0,)):
    """The zones of frames in the page give the figures that stats has with the filter set to the one frame."""
    page = Page(page_of(path, *options))
    have = details(page)
    suite.check(what + ": there are some", not have and "none")
    told = re.findall(r'data-command="([^"]*)"', page.source)
    suite.check(what + ": no command that is told has an option twice", [c for c in told if c.count(" --frames ") > 1] if told else "none")
    numbers = list(have)
    others = [o for o in options if o != "--frames" and not re.fullmatch(r"[0-9]+-[0-9]+", o)]
    for n in sorted(set(numbers[:most] + numbers[-2:])):
        want = tables("stats", "-q", "--format", "json", "--table", "markers,gcalloc", path, *others, "--frames", str(n))[0]
        rows = {r["marker"]: [int(r[c]) for c in ("self_ns", "total_ns", "count")] for r in want["markers"]["rows"]}
        suite.equal("%s, frame %d" % (what, n), {k: v[:3] for k, v in sums(have[n]).items()}, rows)
        allocs = [a for t in have[n] for a in t["allocs"]]
        rows = want["gcalloc"]["rows"] if "gcalloc" in want else []
        suite.equal("%s, frame %d, allocations" % (what, n), [sum(a[2] for a in allocs), sum(a[3] for a in allocs)],
                    [int(rows[0][c] or 0) for c in ("count", "bytes")] if rows else [0, 0])
    return have


def many_zones(path):
    """70 frames of 800 zones, the fifth longer."""
    c, at = Capture(), 0
    t, markers = c.thread(), [c.marker("Zone.%d" % i) for i in range(40)]
    for i in range(71):
        t.frame(at)
        for k in range(800):
            t.zone(at + 1000 + k * 9000 + i * k % 977, at + 7000 + k * 9000 + i * 7 * k % 997, markers[i * k % 40])
        at += (20 if i == 4 else 10) * MS
    return c.write(suite.path(path))


def hidden_zones(path):
    """Frames in which a zone that is hidden follows one of its depth: what is inside it is not inside that one."""
    c, at = Capture(), 0
    t = c.thread()
    step, short, hidden, inner = (c.marker(n) for n in ("Step", "Short", "(wrapper alloc) object:AllocSmall (intptr,intptr)", "Inner"))
    for i in range(4):
        t.frame(at)
        t.begin(at + 1000, step)
        t.zone(at + 2000, at + 2500, short)
        t.begin(at + 3000, hidden)
        t.zone(at + 3000, at + (i + 2) * MS, inner)
        t.end(at + 6 * MS)
        for k in range(1200):
            t.zone(at + 7 * MS + k * 1000, at + 7 * MS + k * 1000 + 500, short)
        t.end(at + 9 * MS)
        at += 10 * MS
    return c.write(suite.path(path))


def lines():
    """Markers over the frames: each column has the most that stats has of a frame in it."""
    demo, loop = (os.path.join(TESTDATA, f) for f in ("demo/good-hitches.ttc.xz", "mlpd/good-d01-gameloop-calls-alloc.mlpd"))
    game(3000, path="columns.ttc", late=(700, 701, 2999))
    for path, args in ((demo, []), (demo, ["--frames", "20-60"]), (loop, ["--frame-marker", "World:Frame"]), (suite.path("columns.ttc"), [])):
        page = Page(page_of(path, *args))
        have = over(page)
        rows = tables("stats", "-q", "--format", "json", "--table", "frame_markers", path, *args)[0]["frame_markers"]["rows"]
        numbers = times(page)
        first, n, want = min(numbers), len(numbers), {}
        by, columns = {}, min(n, 1200)
        for r in rows:
            key = (r["marker"], int(r["frame"]))
            by[key] = by.get(key, 0) + int(r["total_ns"])
        for (marker, frame), ns in by.items():
            c = next(c for c in range(columns * (frame - first) // n, columns) if n * (c + 1) // columns > frame - first)
            of = want.setdefault(marker, {})
            if ns > of.get(c, 0):
                of[c] = ns
        suite.check("there are markers over the frames", not have and "none")
        command = html.unescape(re.search(r'data-over=[^>]*data-command="([^"]*)"', page.source)[1]).replace("tracetool", TRACETOOL, 1)
        named = next(iter(have))
        r = subprocess.run(["sh", "-c", "%s'%s' -q --format json" % (command, named)], cwd=suite.dir, capture_output=True, text=True)
        printed = json.loads(r.stdout)["tables"]["frame_markers"]["rows"] if r.returncode == 0 else []
        suite.equal("their command prints the line of %s" % named, {r["frame"]: r[named] for r in printed if r[named]},
                    {f: ns for (m, f), ns in by.items() if m == named and ns})
        for marker in have:
            suite.equal("%s %s over the frames" % (os.path.basename(path), marker), have[marker], want.get(marker, {}))


def capped():
    """With a frame limit the worst are those with the most work, whatever time they take: they are found in a second reading."""
    c, at = Capture(), 0
    t, wait, work = c.thread(), c.marker("WaitForTargetFPS"), c.marker("Work")
    busy = {i: 12 * MS for i in range(3, 300, 31)}
    for i in range(301):
        t.frame(at)
        done = at + busy.get(i, 4 * MS) + i * 1000
        t.zone(at + 1000, done, work)
        t.zone(done, at + 33333333 - 1000, wait)
        at += 33333333
    path = c.write(suite.path("capped.ttc"))
    have = single("capped frames", path)
    suite.equal("capped frames with the most work come first", sorted(list(have)[:len(busy)]), sorted(i + 1 for i in busy))
    again = run("report", "-q", "-o", "-", "-", codes=(0,), stdin=open(path, "rb")).stdout.decode()
    suite.equal("also from a pipe", sorted(list(details(Page(again)))[:len(busy)]), sorted(i + 1 for i in busy))


def singles():
    demo, loop = (os.path.join(TESTDATA, f) for f in ("demo/good-hitches.ttc.xz", "mlpd/good-d01-gameloop-calls-alloc.mlpd"))
    have = single("demo", demo)
    worst = tables("stats", "-q", "--format", "json", "--table", "hitches", demo)[0]["hitches"]["rows"]
    suite.equal("the worst come first", list(have)[:len(worst)], [int(r["frame"]) for r in worst])
    suite.equal("all 129 frames", len(have), 129)
    game(1500, path="lots.ttc")
    suite.equal("where there is room, up to 1,024", len(details(Page(page_of(suite.path("lots.ttc"))))), 1024)
    single("a part of it", demo, options=["--frames", "20-60"])
    single("methods", loop, options=["--frame-marker", "World:Frame"])
    for f in ("raw/good-2022-aligned.raw", "data/good-2021.data", "raw/good-2019-every.raw"):
        single(f, os.path.join(TESTDATA, f))
    single("hidden zones", hidden_zones("hidden.ttc"))
    capped()
    lines()
    path = many_zones("zones.ttc")
    r = run("report", path, "--max-size", "330k", "-o", "room.html")
    page = Page(open(suite.path("room.html"), encoding="utf-8").read())
    have = details(page)
    suite.check("a small page has the worst alone", not (0 < len(have) < 64 and next(iter(have)) == 5) and sorted(have))
    suite.check("it says so", "as far as they fit" not in "".join(page.text) and "it does not")
    suite.check("and the command", b" of 64 chosen frames have no timeline: --max-size leaves no room" not in r.stderr and r.stderr)
    pair = Page(page_of(game(3, path="one.ttc"), game(3, path="two.ttc")))
    suite.equal("several captures with frames have none", details(pair), {})


def causes_elsewhere(path):
    """1,500 frames, 100 of them long in Decode and two less so in Sort, of which a small page has no zones."""
    c, at = Capture(), MS
    t, other, update, decode, sort, inner = c.thread(native=77), c.thread(native=78), *(c.marker(n) for n in ("Update", "Decode", "Sort", "Compare"))
    c.thread_name(77, "Engine", "Main")
    for i in range(1501):
        t.frame(at)
        t.begin(at + 1000, update)
        t.zone(at + 2000, at + 9 * MS, c.marker("Draw"))
        for k in range(100):
            other.zone(at + 1000 + k * 20000, at + 11000 + k * 20000, update)
        long = 10 * MS
        if i % 15 == 7:
            t.zone(at + 9 * MS, at + 59 * MS + i * 1000, decode)
            long = 60 * MS + i * 1000
        elif i in (401, 903):
            t.begin(at + 9 * MS, sort)
            for k in range(5):
                t.zone(at + 10 * MS + k * MS, at + 10 * MS + k * MS + 900000, inner)
            t.end(at + 29 * MS + i * 1000)
            other.zone(at + 10 * MS, at + 20 * MS, inner)
            long = 30 * MS + i * 1000
        t.end(at + long - 2000)
        at += long
    return c.write(suite.path(path))


def hitches():
    """Marks are over the frames that a row of causes has, and only those; where causes are not looked for, over the worst."""
    demo, quiet = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz"), game(60, path="quiet.ttc")
    for path in (demo, suite.path("elsewhere.ttc"), suite.path("growing.ttc"), quiet):
        of = tables("stats", "-q", "--format", "json", "--table", "causes,frame_causes", path)[0]
        page = page_of(path)
        have = [int(n) for n in re.findall(r"\d+", re.search(r'data-top="\d+"(?: data-hitches="([\d ]*)")?', page)[1] or "")]
        what = os.path.basename(path)
        suite.equal(what + ": hitches", have, sorted(int(r["frame"]) for r in of["frame_causes"]["rows"] if r["worst"]))
        # A row of frames that another thread holds up has none of its own.
        own = {r["worst"] for r in of["frame_causes"]["rows"]}
        suite.equal(what + ": as many as the causes count", len(have), sum(int(r["count"] or 0) for r in of["causes"]["rows"] if r["worst"] in own))
        marks = [int(n) for n in re.findall(r'data-n="(\d+)"><text', page)]
        suite.check(what + ": marks", set(marks) - set(have) or (len(have) < 20 and marks != have and marks))
        suite.equal(what + ": the legend names them", "have a cause above" in page, bool(have))
        lists = re.findall(r"<details><summary>([\d,]+) frames</summary>(.*?)</details></td>", page)
        suite.equal(what + ": the frames of each cause", [(int(n), [int(f) for f in re.findall(r'data-n="(\d+)">\1</a>', text)]) for n, text in lists],
                    [(int(r["count"]), sorted(int(f["frame"]) for f in of["frame_causes"]["rows"] if f["worst"] == r["worst"]))
                     for r in of["causes"]["rows"] if int(r["count"] or 0) > 1 and r["worst"] in own])
        drawn = run("report", "-q", path, "--svg", "frames", "-o", "-").stdout.decode()
        suite.equal(what + ": so does the picture", drawn.count("\u25bc"), len(marks))
    pair = page_of(suite.path("one.ttc"), suite.path("two.ttc"))
    suite.check("of several captures the worst are marked", ("marks the worst frames" not in pair or pair.count("<text class=\"h") != 6) and "they are not")


def elsewhere():
    """The worst frame of a cause has its call tree, if not its zones."""
    path = causes_elsewhere("elsewhere.ttc")
    page = Page(page_of(path, "--max-size", "260k"))
    have, shown_frames = frame_trees(page), details(page)
    rows = tables("stats", "-q", "--format", "json", "--table", "causes", path)[0]["causes"]["rows"]
    worst = {int(r["worst"]): r["marker"] for r in rows if r["worst"]}
    suite.equal("a cause is of a frame without zones", [worst.get(n) for n in have], ["Sort"])
    suite.equal("each worst frame of a cause is in the page", [n for n in worst if n not in have and n not in shown_frames], [])
    for number, tree in have.items():
        rows = tables("stats", "-q", "--format", "json", "--table", "calltree", "--threshold", "0", path, "--frames", str(number))[0]["calltree"]["rows"]
        want = [[r["marker"], *(int(r[c] or 0) for c in ("depth", "total_ns", "self_ns", "count", "alloc_bytes"))] for r in rows]
        want = [r[:3] + ([r[3], r[4]] if r[1] else [0, 0]) + r[5:] for r in want]
        suite.equal("its tree is that of stats", sorted(tree), sorted(want))
    run("stats", "-q", path, "--frames", str(min(have)), "--table", "calltree", "--threshold", "0", "-o", "elsewhere.json")
    run("report", path, "--max-size", "260k", "-o", "elsewhere.html")
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    suite.equal("where all have zones there are no others", frame_trees(Page(page_of(demo))), {})


def trees():
    """The boxes of the flame graph are rows of the call tree, each inside its caller's."""
    for f, args in (("demo/good-hitches.ttc.xz", []), ("mlpd/good-d01-gameloop-calls-alloc.mlpd", []), ("raw/good-2022-aligned.raw", []),
                    ("demo/good-hitches.ttc.xz", ["--marker", "Hud:*"]), ("diff/before-1.mlpd", [])):
        path = os.path.join(TESTDATA, f)
        boxes, left = flame(Page(page_of(path, *args)))
        rows = tables("stats", "-q", "--format", "json", "--table", "calltree", "--threshold", "0", path, *args)[0]["calltree"]["rows"]
        want = [[r["marker"], *(int(r[c] or 0) for c in ("depth", "total_ns", "self_ns", "count", "alloc_bytes"))] for r in rows if r["total_ns"] != "0"]
        suite.equal("%s %s: boxes" % (f, args), sorted([b[:3] + [b[3] if b[1] else 0] + b[4:] for b in boxes]), sorted(want))
        suite.equal("%s %s: left out" % (f, args), left, 0)
    boxes, left = flame(Page(page_of(suite.path("many.ttc"), "--max-size", "300k")))
    suite.check("a small page has the widest", not (700 < len(boxes) < 800 and left == 3001 - len(boxes)) and (len(boxes), left))


SVG = "{http://www.w3.org/2000/svg}"


def one_scale():
    """Charts of two captures have one scale: a frame of 10 ms is as high beside one of 40 ms as alone, at the same lines."""
    args = [game(20, path="quick.ttc"), game(20, path="slow.ttc", late=(5,))]
    for what, text in (("page", page_of(*args)), ("picture", run("report", "-q", "--svg", "frames", "-o", "-", *args).stdout.decode())):
        charts = re.findall(r'<svg y="18" .*?</svg>', text, re.S)
        bars = [sorted(set(re.findall(r"V(\d+)h1", c))) for c in charts]
        suite.check("two charts of the %s, and one height of their short frames" % what, [len(b) for b in bars] != [1, 2] or not set(bars[0]) < set(bars[1]))
        lines = [re.findall(r'<line class="b"[^>]* y1="(\d+)"', c) for c in text.split('<svg y="18" ')[1:]]
        suite.check("the same budgets in both", (lines[0] != lines[1] or len(lines[0]) != 2) and lines)
        suite.check("both have their names", [n for n in ("Input 1: quick.ttc", "Input 2: slow.ttc") if n not in text])


def pictures():
    """Pictures are whole XML with the shapes of the page, run nothing and lead nowhere."""
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    for path, what in ((demo, "frames"), (demo, "flame"), *((suite.path("evil%d.ttc" % i), w) for i in range(3) for w in ("frames", "flame"))):
        text = run("report", "-q", path, "--svg", what, "-o", "-").stdout.decode()
        root = xml.etree.ElementTree.fromstring(text)
        names = {e.tag.replace(SVG, "") for e in root.iter()}
        suite.equal("elements of %s of %s" % (what, os.path.basename(path)), sorted(names - set("svg title rect text g path line".split())), [])
        inner = [e for e in root.iter(SVG + "svg") if e is not root]
        suite.check("nothing is cut off", [e.attrib for e in inner if float(e.get("y")) + float(e.get("height")) > float(root.get("height"))])
        suite.equal("its attributes", [k for e in root.iter() for k in e.attrib if k.startswith("on") or "href" in k or k == "style"], [])
        if what == "frames":
            late = sum(int(r["dur_ns"]) * 30 > 10 ** 9 for r in tables(
                "stats", "-q", "--format", "json", "--table", "hitches", "--hitches", "1000", path)[0]["hitches"]["rows"])
            suite.equal("late frames of %s" % os.path.basename(path), charted(text).get("k2", 0), late)
            continue
        rows = tables("stats", "-q", "--format", "json", "--table", "calltree", "--threshold", "0", path)[0]["calltree"]["rows"]
        whole = sum(int(r["total_ns"]) for r in rows if r["depth"] == "0")
        want = sorted((shown(r["marker"]), round(1200 * int(r["total_ns"]) / whole)) for r in rows if int(r["total_ns"]) * 2400 >= whole)
        have = sorted((e.find(SVG + "title").text.rpartition(": ")[0], round(float(e.find(SVG + "rect").get("width")))) for e in root.iter(SVG + "g"))
        suite.check("boxes of %s" % os.path.basename(path), [p for p in zip(want, have, strict=True) if p[0][0] != p[1][0] or abs(p[0][1] - p[1][1]) > 1])
        same = run("report", "-q", path, "--svg", what, "-o", "-", "-j", "1").stdout.decode()
        suite.check("it is the same each time", text != same and "it is not")
    one_scale()
    plain = os.path.join(TESTDATA, "mlpd/good-d02-gameloop-sample.mlpd")
    r = run("report", plain, "--svg", "frames", "-o", "none.svg", codes=(2,))
    suite.check("no frames, no picture", (b"no frames to draw" not in r.stderr or os.path.exists(suite.path("none.svg"))) and r.stderr)


# --- bytes --------------------------------------------------------------------------------

def many_names(path):
    c = Capture()
    markers = [c.marker("Marker.%05d" % i) for i in range(3000)]
    t = c.thread()
    t.frame(0)
    for i, m in enumerate(markers):
        t.zone(1000 * i + 10, 1000 * i + 900, m)
    t.frame(5 * MS)
    return c.write(suite.path(path))


def sizes():
    path = many_names("many.ttc")
    page = compare("3,000 markers", path)
    suite.check("rows are left out", "2,000 more rows" not in "".join(page.text) and "none")
    for size in (300, 150, 120):
        r = run("report", path, "--max-size", "%dk" % size, "-o", "small.html")
        have = os.path.getsize(suite.path("small.html"))
        suite.check("a page of %d KiB" % size, have > size << 10 and "has %d bytes" % have)
        suite.check("a page without views says so", size < 256 and b"no timelines and no flame graph" not in r.stderr and r.stderr)
    suite.check("what is left out is said", b" of its tables ha" not in r.stderr and r.stderr)
    want, notes = tables("stats", "-q", "--format", "json", path)
    small = Page(open(suite.path("small.html"), encoding="utf-8").read())
    want.update(first_screen(path))
    lines = problems(small, want, notes)
    suite.check("and in the page", [p for p in lines if "are shown or left out" in p])
    r = run("report", path, "--max-size", "1k", "-o", "small.html")
    suite.check("a page that cannot be that small says so", b"more than --max-size" not in r.stderr and r.stderr)
    suite.check("it is the same each time and with any number of workers", page_of(path) != page_of(path, "-j", "1") and "it is not")
    game(200000, path="long.ttc", late=(5, 100000, 199999))
    text = page_of(suite.path("long.ttc"))
    suite.equal("of 200,000 frames no late one is lost", charted(text).get("k2", 0), 3)
    suite.check("and the page is small", len(text) > 640000 and "%d bytes" % len(text))


# --- tables of other commands ---------------------------------------------------------------

def forms():
    """The form html of stats, info and list: every cell equals JSON's; pages.py has the others."""
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    tree = ["stats", demo, "--table", "calltree,calltree_bottom_up,alloc_paths,hitch_markers"]
    for args in (["stats", demo], tree, ["info", demo], ["list", "emitters"], ["list", "metrics"],
                 ["stats", suite.path("evil1.ttc"), "--table", "markers,counters,counter_values,facts", "--group-by", "thread"]):
        args = args[:1] + ["-q"] + args[1:]
        json_args = [*args[:2], "--format", "json", *args[2:]]
        want = json.loads(run(*json_args, codes=(0, 1, 5)).stdout, parse_int=str, parse_float=str)
        page = Page(run(*args[:2], "--format", "html", *args[2:], codes=(0, 1, 5)).stdout.decode())
        for t in page.tables:
            t["within"] = "t-" + t["id"]
        wrong_class = [t["id"] for t in page.tables if t["tree"] != (t["id"] in ("calltree", "calltree_bottom_up"))]
        suite.check("trees are told from what is sorted: " + " ".join(args), wrong_class)
        tables_of = {k: {"rows": [{c: v for c, v in r.items()} for r in t["rows"]]} for k, t in want["tables"].items()}
        suite.check("html of " + " ".join(args), problems(page, tables_of, want["notes"])[:8])
    run("stats", "-q", demo, "-o", "by-suffix.html.gz")
    text = gzip.decompress(open(suite.path("by-suffix.html.gz"), "rb").read())
    suite.check("the suffix says the form", not text.startswith(b"<!doctype html>") and text[:80])


# --- counters, heap, samples ----------------------------------------------------------------------

def counter_lines(path, what, columns):
    page = Page(page_of(path))
    have, n = lined(page, "counters")
    suite.equal("%s: columns of lines" % what, (len(have), n), (1, columns))
    frames = len(times(page))
    want = {}
    for r in tables("stats", "-q", "--format", "json", "--table", "frame_counters", "--limit", "0", path)[0]["frame_counters"]["rows"]:
        c = ((int(r["frame"])) * n + frames - 1) // frames - 1
        low, high = want.get(c, (int(r["min"]), int(r["max"])))
        want[c] = min(low, int(r["min"])), max(high, int(r["max"]))
    suite.equal("%s: columns with values" % what, sorted(have[0]), sorted(want))
    suite.check("%s: lowest and highest values" % what, [(c, v, have[0][c]) for c, w in want.items() for i, v in enumerate(w)
                                                       if wrong(str(v), str(v), have[0][c][i])][:5])
    return page


def beside(path, page):
    """Of frames in detail and their neighbours: what the tables of single frames say."""
    frames, counters = facts(page)
    shown_frames = set(details(page))
    suite.check("of not too many frames each has figures", len(times(page)) <= 4096 and frames.keys() != times(page).keys() and len(frames))
    suite.check("frames in detail have figures, and two neighbours on each side",
                [f for f in shown_frames if not set(range(f - 2, f + 3)) & set(times(page)) <= set(frames)])
    want = tables("stats", "-q", "--format", "json", "--table", "frame_gc,frame_counters", "--limit", "0", path)[0]
    worst = {int(r["frame"]): r for r in tables("stats", "-q", "--format", "json", "--table", "hitches", "--hitches", "1000", path)[0]["hitches"]["rows"]}
    of = {int(r["frame"]): r for r in want["frame_gc"]["rows"]}
    bad = []
    for number, figures in frames.items():
        r = of[number]
        # The table of the worst has at most 1,000.
        cpu = worst[number].get("cpu_ns") if number in worst else figures[1]
        row = [r["dur_ns"], cpu, r["allocs"], r["alloc_bytes"], r["collections"], r["collection_ns"], r["gc_pause_ns"], r["heap_bytes"]]
        bad += [(number, figures, row)] if figures != [None if v is None else int(v) for v in row] else []
    suite.check("%s: their figures are those of JSON" % os.path.basename(path), bad[:3])
    last = {(r["counter"], int(r["frame"])): r["last"] for r in want["frame_counters"]["rows"]}
    said = {(name, frame): text for name, values in counters.items() for frame, text in values.items()}
    suite.check("%s: so are values of counters" % os.path.basename(path),
                [(k, v, last.get(k)) for k, v in said.items() if wrong(last.get(k), last.get(k), v)][:3])
    return said


def heap_axes():
    """The heap's chart has lines at round sizes, named, within what it shows, and round numbers below: of frames, or times."""
    c = Capture()
    t = c.thread()
    for i in range(41):
        t.frame((i + 1) * 10 * MS)
        t.other((i + 1) * 10 * MS + 1000, 17, varint((i % 10 + 1) << 21))
    shots = os.path.join(TESTDATA, "mlpd/good-d07-heapshot.mlpd")
    for path, frames in ((c.write(suite.path("heap.ttc")), True), (shots, False)):
        chart = re.search(r'<section id="heap".*?<figure class="ln">(.*?)</figure>', page_of(path), re.S).group(1)
        sizes = [int(r["bytes"]) for r in tables("stats", "-q", "--format", "json", "--table", "gc_heap", "--limit", "0", path)[0]["gc_heap"]["rows"]]
        named = [int(n) * 1024 ** ("B", "KB", "MB", "GB").index(u) for n, u in re.findall(r">(\d+) (B|KB|MB|GB)</text>", chart)]
        suite.check("%s: round sizes" % os.path.basename(path), not 1 <= len(named) <= 4 and chart or [n for n in named if not 0 < n <= max(sizes)])
        suite.equal("%s: a line each" % os.path.basename(path), chart.count('<line class="a"'), len(named))
        below = re.findall(r'text-anchor="middle"[^>]*>([^<]*)<', chart)
        suite.check("%s: below" % os.path.basename(path), not 2 <= len(below) <= 8 and chart or [b for b in below if b.isdigit() != frames])


def partial():
    """The number of frames is told with that of those left out, as the table of frames has it; it is not where there are none."""
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    row = tables("stats", "-q", "--format", "json", "--table", "frames", demo)[0]["frames"]["rows"][0]
    text = [re.sub(r"<[^>]*>", "", t) for t in re.findall(r"<li.*?</li>", page_of(demo))]
    suite.equal("times have four digits", re.findall(r">[\d,]*\d{2}\.\d{3} [mµn]?s<|>\d,\d+\.\d+ [mµn]?s<", page_of(demo)), [])
    suite.equal("frames, and those left out", [t for t in ("frames %s", "Partial frames, which lack an end, are left out: %s.")
                                               if t % row["partial" if "P" in t else "count"] not in text], [])


def words():
    """The page says what its words mean, as `tracetool explain` does: those of any, of Unity's captures, of capped frames."""
    for f, more, without in (("demo/good-hitches.ttc.xz", ("extra",), ("layout", "uncapped")),
                             ("raw/good-2022-aligned.raw", ("layout", "platform"), ("uncapped",)),
                             ("capture/good-rotated.ttc.xz", ("capped", "uncapped"), ("layout",))):
        text = page_of(os.path.join(TESTDATA, f))
        have = {w: html.unescape(d) for n, d in re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text) for w in n.split(", ")}
        want = ("self", "total", "CPU-active", "in zones", "1 % low FPS", "chunk", "began before", "typical frame", "hitch", "beyond median", *more)
        suite.equal("words of %s" % f, ([w for w in want if w not in have], [w for w in without if w in have]), ([], []))
        said = {w: " ".join(run("explain", w).stdout.decode().split()) for w in want}
        suite.equal("mean what they mean elsewhere", [w for w in want if " ".join(have[w].split()) not in said[w]], [])


def more_views():
    heap_axes()
    partial()
    words()
    beside(suite.path("chart5000.ttc"), counter_lines(suite.path("chart5000.ttc"), "5,000 frames", 300))
    path = game(40, path="lines.ttc", late=(7,))
    said = beside(path, counter_lines(path, "40 frames", 40))
    suite.equal("each frame has a value", len(said), 40)
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    beside(demo, Page(page_of(demo)))
    shots = os.path.join(TESTDATA, "mlpd/good-d07-heapshot.mlpd")
    have, n = lined(Page(page_of(shots)), "heap")
    heap = [r["bytes"] for r in tables("stats", "-q", "--format", "json", "--table", "gc_heap", shots)[0]["gc_heap"]["rows"]]
    suite.check("sizes of the heap", not have or [v for v in (have[0][min(have[0])][0], have[0][max(have[0])][1])
                                                 if not any(wrong(b, b, v) is None for b in heap)])
    suite.equal("without frames columns are times", n, 300)
    stacks = os.path.join(TESTDATA, "mlpd/good-d02-gameloop-sample.mlpd")
    rows = {r["marker"]: [int(r["total"]), int(r["self"])] for r in
            tables("stats", "-q", "--format", "json", "--table", "samples", "--limit", "0", "--names", "short", stacks)[0]["samples"]["rows"]}
    total, around = {}, []
    for name, depth, samples, self in sampled(Page(page_of(stacks))):
        del around[depth:]
        if depth:
            row = total.setdefault(name, [0, 0])
            row[0] += 0 if name in around[1:] else samples
            row[1] += self
        around.append(name)
    suite.equal("samples of each method", total, rows)


def growing():
    """A game whose one call takes longer from frame to frame: a cause that no single frame has."""
    c, at = Capture(), MS
    t, sense, draw = c.thread(), c.marker("Sense"), c.marker("Draw")
    for i in range(241):
        t.frame(at)
        t.zone(at + 1000, at + 3 * MS, draw)
        t.zone(at + 4 * MS, at + 4 * MS + 18000 + i * 25000, sense)
        at += 12 * MS
    path = c.write(suite.path("growing.ttc"))
    rows = tables("stats", "-q", "--format", "json", "--table", "causes", path)[0]["causes"]["rows"]
    suite.equal("one cause, of no single frame", [(r["class"], r["marker"], r["worst"]) for r in rows], [("growth", "Sense", None)])
    # Sense of frame i takes 25 us i more than at first; the median of the first eighth is that of frame 14 or 15.
    grown = sum(max(i - 14.5, 0) * 25000 for i in range(240))
    suite.check("its time is of all frames, by samples", [r["extra_ns"] for r in rows if not .97 * grown < int(r["extra_ns"]) < 1.03 * grown])
    run("report", path, "-o", "growing.html")


def collect(t, at, to, generation, heap):
    """A collection of thread ${t} in a pause, and the size of the heap after it: tracetool-capture(5)."""
    step = lambda ts, which: t.other(ts, 16, bytes([which]) + varint(generation))  # noqa: E731
    step(at, 6)
    step(at + 10, 7)
    step(at + 20, 0)
    step(to - 30, 5)
    t.other(to - 20, 17, varint(heap))
    step(to - 10, 8)
    step(to, 9)


def lanes():
    """40 frames of 10 ms with a zone on each of three threads, but the 20th of 40 ms: Main and Saver, the last thread, are in Decode then. The heap grows,
    also beyond a full collection in the last frame but two, which frees nothing."""
    c, at = Capture(), MS
    threads, zones = [c.thread(native=77 + i) for i in range(3)], [c.marker(n) for n in ("Step", "Idle", "Tick", "Decode")]
    for i, name in enumerate(("Main", "Idler", "Saver")):
        c.thread_name(77 + i, "Engine", name)
    for i in range(41):
        end = at + (40 if i == 19 else 10) * MS
        threads[0].frame(at)
        threads[0].other(at + 500, 17, varint((i + 1) << 21))
        for t, zone in zip(threads, zones, strict=False):
            t.zone(at + 1000, (end if zone == zones[1] else at + 5 * MS) - 1000, zone)
        if i == 19:
            threads[0].zone(at + 5 * MS, at + 39 * MS, zones[3])
            threads[2].zone(at + 5 * MS, at + 39 * MS, zones[3])
        if i == 38:
            collect(threads[0], at + 6 * MS, at + 6 * MS + 1000, 1, (i + 1) << 21)
        at = end
    run("report", c.write(suite.path("lanes.ttc")), "-o", "lanes.html")


def piles():
    """20 frames of 10 ms, but the eleventh of 300: 6,000 times Tiny, 1 us, and Big, 29 us, in 50 us each; the twelfth has each once, 4 ms."""
    c, at = Capture(), MS
    t, loop, tiny, big = c.thread(), c.marker("Loop"), c.marker("Tiny"), c.marker("Big")
    for i in range(1, 22):
        t.frame(at)
        end = at + (300 if i == 11 else 10) * MS
        t.begin(at, loop)
        if i == 12:
            t.zone(at, at + 4 * MS, tiny)
            t.zone(at + 4 * MS, at + 8 * MS, big)
        for k in range(at, end if i == 11 else at, 50000):
            t.zone(k, k + 1000, tiny)
            t.zone(k + 5000, k + 34000, big)
        t.end(end - 1)
        at = end
    run("report", c.write(suite.path("piles.ttc")), "-o", "piles.html")


# --- the program --------------------------------------------------------------------------------

BANNED = (r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc|setAttribute\(.on|fetch\(|XMLHttpRequest|import\(|"
          r"localStorage|Worker")


def program():
    files = [os.path.join(TOP, f) for f in ("lib/out/page.js", "lib/page/view.js", "lib/page/lines.js", "lib/page/ranges.js", "lib/page/compare.js",
                                          "lib/out/page.css")]
    text = "".join(open(f, encoding="utf-8").read() for f in files)
    suite.equal("what could run text, or load", re.findall(BANNED, text), [])
    suite.equal("would be found", re.findall(BANNED, "e.innerHTML = name"), ["innerHTML"])
    suite.check("the program is small", len(text) > 150 << 10 and "%d bytes" % len(text))


# --- a real browser ---------------------------------------------------------------------------

def colors():
    """Of categories, for the boxes of timelines: those that the capture gives; of Unity's older captures, which give none, those near the Profiler window's."""
    def of(*args):
        found = re.search('data-colors="([^"]*)"', page_of(*args))
        return json.loads(html.unescape(found.group(1))) if found else None

    path = os.path.join(TESTDATA, "capture/good-rotated.ttc.xz")
    run("convert", "-q", path, "-o", "colors.sqlite")
    with contextlib.closing(sqlite3.connect(suite.path("colors.sqlite"))) as db:
        given = {name: "#%06x" % (rgba >> 8) for name, rgba in db.execute("SELECT name, rgba FROM category WHERE rgba")}
    have = of(path)
    suite.equal("colours are the capture's", {name: have[name] for name in given}, given)
    old = of(os.path.join(TESTDATA, "raw/good-2019-every.raw"))
    most = {name: max("rgb", key=lambda c, name=name: old[name]["#rrggbb".index(c):][:2]) for name in ("Scripts", "Render")}
    suite.equal("scripts are blue, and rendering is green, as in Unity's Profiler window", most, {"Scripts": "b", "Render": "g"})
    suite.equal("categories of Mono, which are assemblies, have none", of(os.path.join(TESTDATA, "mlpd/good-d04-exceptions.mlpd")), None)


def browsers():
    demo = os.path.join(TESTDATA, "demo/good-hitches.ttc.xz")
    for name, args in (("demo", []), ("evil", ["--meta", "a=<script>window.got=1</script>", "--meta", "b=\"><img src=x onerror=window.got=1>"])):
        run("report", demo, *args, "-o", name + ".html")
    run("stats", "-q", demo, "--frames", "51", "--table", "calltree", "--threshold", "0", "-o", "tree.json")
    run("stats", "-q", demo, "--table", "calltree", "--threshold", "0", "-o", "whole.json")
    for name, frames in (("frame", "51"), ("frames", "2-129")):
        for form, ending in (("folded", ".folded"), ("chrome", ".json")):
            run("convert", "-q", demo, "--frames", frames, "-f", form, "-o", name + ending)
    with open(suite.path("demo.html"), encoding="utf-8") as f:
        steps = re.search('<ul class="next">(.*?)</ul>', f.read(), re.S)
    suite.equal("a next step for each class of cause", re.findall("<strong>(.*?)</strong>", steps.group(1) if steps else ""),
                ["A collection", "A lock", "A slow call"])
    run("report", "hidden.ttc", "-o", "hidden.html")
    run("stats", "-q", "hidden.ttc", "--frames", "2", "--table", "calltree", "--threshold", "0", "-o", "hidden.json")
    for name in ("gameloop-sample", "heapshot"):
        run("report", glob.glob(os.path.join(TESTDATA, "mlpd", "good-*-%s.mlpd" % name))[0], "-o", name + ".html")
    run("report", "lines.ttc", "-o", "lines.html")
    run("report", "kinds.ttc", "-o", "kinds.html")
    capped = os.path.join(TESTDATA, "capture/good-rotated.ttc.xz")
    run("report", capped, "-o", "capped.html")
    for name, path, frames in (("demo", demo, "24-60"), ("kinds", "kinds.ttc", "1001-1400"), ("capped", capped, "10-50")):
        run("stats", "-q", path, "--frames", frames, "--format", "json", "--limit", "0", "-o", name + ".json")
    run("report", "chart5000.ttc", "-o", "many.html")
    drive(suite, "browser.cjs", "demo.html", "evil.html", "many.html", "kinds.html", "--",
          "frames.cjs", "demo.html", "frame.folded,frame.json,frames.folded,frames.json", "tree.json", "whole.json", "hidden.html", "hidden.json",
          "elsewhere.html", "elsewhere.json", "--",
          "reader.cjs", "piles.html", "growing.html", "demo.html", "lanes.html", "--",
          "views.cjs", "lines.html", "gameloop-sample.html", "heapshot.html", "growing.html", "--",
          "ranges.cjs", "24-60", "demo.html", "demo.json", "1001-1400", "kinds.html", "kinds.json", "10-50", "capped.html", "capped.json", "--",
          "access.cjs", "demo.html", "evil.html", "lines.html", "gameloop-sample.html", "heapshot.html")


numbers()
hostile()
redacted()
chart()
singles()
ranged()
elsewhere()
growing()
hitches()
sizes()
trees()
pictures()
forms()
more_views()
piles()
lanes()
program()
colors()
browsers()
suite.end()
