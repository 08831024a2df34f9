"""A report page, read by Python's own parser of HTML: its tables, figures, links, and whatever in it could run or load something."""
import base64
import hashlib
import html.parser
import json
import os
import re
import subprocess
import zlib

import count

UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KB": 2 ** 10, "MB": 2 ** 20, "GB": 2 ** 30, "TB": 2 ** 40, "PB": 2 ** 50, "%": 1, "": 1}
VOID = {"meta", "br", "link", "img", "input", "hr", "base"}
# All there may be; what a hostile name would have to become is not among them.
ELEMENTS = set("html head meta title style body header nav main section h1 h2 h3 p ul li a strong div table caption thead tbody tr th td data details "
               "summary dl dt dd code kbd span script figure figcaption svg path line text rect circle".split())
ATTRIBUTES = set("type data-first data-lines data-columns data-time data-step data-facts data-samples data-looked "
                 "data-uncapped data-shown data-ranges "
                 "data-trees data-gpu data-start data-given data-colors data-names data-median data-frame data-ns data-flame data-left "
                 "data-top data-hitches data-n data-over data-over60 data-over30 "
                 "data-command lang charset http-equiv content name class id href title scope role tabindex aria-label aria-labelledby aria-hidden value open "
                 "data-t data-from data-all data-c data-v data-l data-of d fill fill-opacity stroke stroke-dasharray x y x1 x2 y1 y2 width height viewbox "
                 "preserveaspectratio stroke-opacity shape-rendering text-anchor font-size vector-effect stroke-width r cx cy".split())


DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def shown(text):
    """Text of JSON as a page has it."""
    return re.sub("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", text).replace("\u00a0", " ")


def wrong(value, have, text):
    """What is wrong with a cell that shows ${text} and has ${have} beside it, where JSON has ${value}; None: nothing."""
    if value is None:
        return None if have is None and text == "-" else "not empty"
    if isinstance(value, bool):
        return None if have == ("true" if value else "false") and text == ("yes" if value else "no") else "not %s" % value
    if have is None:
        return None if text.lstrip("\u2003") == shown(value) else "text %r" % value
    if have != value:
        return "JSON has %s" % value
    if value.startswith("0x"):
        return None if text == value else "reads otherwise"
    number, _, unit = text.replace(",", "").partition(" ")
    try:
        off = abs(float(number) * UNITS[unit] - float(value))
    except (KeyError, ValueError):
        return "is no number"
    # Bytes have a tenth of their unit, times four digits, and what has a unit of its own, like a counter, whole ones.
    most = UNITS[unit] * .051 if unit.endswith("B") and unit != "B" else abs(float(value)) * 6e-4
    return None if off <= max(most, .51 if unit in ("ns", "B") and "." in value else .0051) else "reads otherwise"


class Page(html.parser.HTMLParser):
    """tables: [{id, within, from, rows: [[(attributes, text)]]}]; figures: [(of, value, text)]; faults: what should not be in a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.source, self.open, self.faults = text, [], []
        self.tables, self.figures, self.ids, self.links, self.text = [], [], [], [], []
        self.cell = self.figure = None
        self.style = self.policy = ""
        self.scripts, self.data = [], []       # (type, text); attributes
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append("not closed: %s" % self.open)
        self.faults += ["id %s stands there twice" % i for i in set(self.ids) if self.ids.count(i) > 1]
        self.faults += ["link to %s leads nowhere" % a for a in self.links if a[1:] not in self.ids or a[0] != "#"]
        # Of scripts there are the page's own, last, which its policy knows, and data.
        runs = [text for kind, text in self.scripts if kind is None]
        if len(runs) not in (1, 2, 4) or any(kind for kind, _ in self.scripts[-len(runs):]):
            self.faults.append("%d scripts that run, or are not the last" % len(runs))
        self.faults += ["a script of type %s: %.40r" % s for s in self.scripts[:-len(runs)] if s[0] != "application/x-tracetool" or s[1].strip(DIGITS)]
        digest = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in (*runs, self.style)]
        want = "default-src 'none'; script-src %s; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'" % (
            " ".join("'sha256-%s'" % d for d in digest[:-1]), digest[-1])
        if self.policy != want:
            self.faults.append("the policy is %r, not %r" % (self.policy, want))
        if re.search(r"url\(|@import", self.style):
            self.faults.append("the style loads something")

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag not in ELEMENTS:
            self.faults.append("element %s at %s" % (tag, self.getpos()))
        self.faults += ["attribute %s of %s at %s" % (k, tag, self.getpos()) for k in a if k not in ATTRIBUTES]
        if len(a) < len(attrs):
            self.faults.append("an attribute twice at %s" % (self.getpos(),))
        if "id" in a:
            self.ids.append(a["id"])
        if "href" in a:
            self.links.append(a["href"])
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy":
            self.policy = a["content"]
        if tag == "script":
            self.scripts.append((a.get("type"), ""))
            if "data-first" in a:
                self.times = a
            self.data.append(a)
        if tag not in VOID:
            self.open.append((tag, a.get("id")))
        if tag == "table":
            within = [i for t, i in self.open if i]
            self.tables.append({"id": a["data-t"], "from": int(a["data-from"]), "tree": a.get("class") == "tree",
                                "within": within[-1] if within else None, "rows": []})
        elif tag == "tr":
            self.tables[-1]["rows"].append([])
        elif tag in ("td", "th"):
            self.cell = [a, ""]
            self.tables[-1]["rows"][-1].append(self.cell)
        elif tag == "data":
            self.figure = [a["data-of"], a["value"], ""]
            self.figures.append(self.figure)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.faults.append("</%s> at %s closes nothing" % (tag, self.getpos()))
            return
        self.open.pop()
        if tag in ("td", "th"):
            self.cell = None
        elif tag == "data":
            self.figure = None

    def handle_data(self, data):
        # A number and its unit stay on one line.
        data = data.replace("\u00a0", " ")
        if self.open and self.open[-1][0] == "style":
            self.style += data
            return
        if self.open and self.open[-1][0] == "script":
            self.scripts[-1] = (self.scripts[-1][0], self.scripts[-1][1] + data)
            return
        self.text.append(data)
        # What unfolds in a cell is not of its table.
        if self.cell and "details" not in [t for t, _ in self.open][-1 - [t for t, _ in self.open[::-1]].index("tr"):]:
            self.cell[1] += data
        if self.figure:
            self.figure[2] += data

    def handle_comment(self, data):
        self.faults.append("a comment at %s" % (self.getpos(),))

    def handle_pi(self, data):
        self.faults.append("an instruction at %s" % (self.getpos(),))

    def unknown_decl(self, data):
        self.faults.append("a declaration at %s" % (self.getpos(),))


def times(page):
    """{number of a frame: its time in ns}, from what page.js reads; None: the page has none. Digits of five bits, differences, the sign lowest."""
    data = [text for a, (kind, text) in zip(page.data, page.scripts, strict=True) if "data-first" in a]
    if not data:
        return None
    out, last, v, shift = [], 0, 0, 0
    for c in data[0]:
        digit = DIGITS.index(c)
        v |= (digit & 31) << shift
        shift += 5
        if not digit & 32:
            last += -(v >> 1) - 1 if v & 1 else v >> 1
            out.append(last)
            v = shift = 0
    first = int(page.times["data-first"])
    return dict(enumerate(out, first))


def inflated(text):
    """The bytes of data: base64, without the = at its end, of zlib."""
    return zlib.decompress(base64.b64decode(text + "=" * (-len(text) % 4), validate=True))


def unpack(text):
    return json.loads(inflated(text))


def numbers(data):
    """The numbers of a block: seven bits a byte, the lowest first; the eighth says that more follow."""
    v = shift = 0
    for byte in data:
        v |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield v
            v = shift = 0


def details(page):
    """{number of a frame: [{thread, zones: [[start, depth, name, duration, begun before, without an end]], allocs: [[zone or None, class, count, bytes]]}]}."""
    data = list(zip(page.data, (text for _, text in page.scripts), strict=True))
    names = [unpack(text) for a, text in data if "data-names" in a]
    out = {}
    for a, text in data:
        if "data-frame" not in a:
            continue
        threads, rest = out.setdefault(int(a["data-frame"]), []), numbers(inflated(text))
        next_ = lambda n, rest=rest: [next(rest) for _ in range(n)]      # noqa: E731
        nthreads, = next_(1)
        heads = [next_(nthreads) for _ in range(3)]
        rows = [iter(list(zip(*[next_(sum(heads[k])) for _ in range(4)], strict=True))) for k in (1, 2)]
        if next(rest, None) is not None:
            raise ValueError("numbers after the last column of frame %s" % a["data-frame"])
        for thread, nzones, nallocs in zip(*heads, strict=True):
            at, zones = 0, []
            for _ in range(nzones):
                step, depth, name, dur = next(rows[0])
                at += step
                zones.append([at, depth >> 2, names[0][name], dur, bool(depth & 1), bool(depth & 2)])
            allocs = [[zones[z - 1] if z else None, names[0][c], n, size] for z, c, n, size in (next(rows[1]) for _ in range(nallocs))]
            threads.append({"thread": names[0][thread], "zones": zones, "allocs": allocs})
    return out


def sums(threads):
    """{marker: [self, total, count, bytes allocated]} of the zones of a frame, by what lies in what."""
    out = {}
    for t in threads:
        around = []
        for zone in t["zones"]:
            at, depth, name, dur, before, _ = zone
            while around and (around[-1][1] >= depth or sum(around[-1][:4:3]) < at + dur):
                around.pop()
            row = out.setdefault(name, [0, 0, 0, 0])
            row[0] += dur
            row[1] += 0 if any(z[2] == name for z in around) else dur
            row[2] += not before
            if around:
                out[around[-1][2]][0] -= dur
            around.append(zone)
    return out


def flame(page):
    """[[name, depth, total, self, count, bytes]] of the boxes of the flame graph, in order; and how many are left out."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if "data-flame" in a:
            names, flat = unpack(text)
            boxes = [[names[name], depth, *rest] for depth, name, *rest in zip(*[iter(flat)] * 6, strict=True)]
            return boxes, int(a["data-left"])
    return [], 0


def sampled(page):
    """[[name, depth, samples, self]] of the boxes of the flame graph of samples, in order."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if "data-samples" in a:
            names, flat = unpack(text)
            return [[names[name], depth, total, self] for depth, name, total, self, _, _ in zip(*[iter(flat)] * 6, strict=True)]
    return []


def lined(page, what):
    """Of each line: {column: [lowest, highest]}, in words; and how many columns there are."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if a.get("data-lines") == what:
            return [{sum(flat[:3 * i + 1:3]): flat[3 * i + 1:3 * i + 3] for i in range(len(flat) // 3)} for flat in unpack(text)], int(a["data-columns"])
    return [], 0


def facts(page):
    """{number of a frame: its figures}, {counter: {number of a frame: its last value, in words}}."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if "data-facts" in a:
            frames, counters = unpack(text)
            return {f[0]: f[1:] for f in frames}, {name: dict(zip(flat[::2], flat[1::2], strict=True)) for name, _, flat in counters}
    return {}, {}


def over(page):
    """{marker: {column: the most ns of a frame in it}}."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if "data-over" in a:
            names, flats = unpack(text)
            return {name: {sum(flat[:2 * i + 1:2]): ns for i, ns in enumerate(flat[1::2])} for name, flat in zip(names, flats, strict=True)}
    return {}


def ranges(page):
    """{table: [[names of a row, sums by column of each of its values], ...]}, the others last and without names; and how many columns there are."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if "data-ranges" not in a:
            continue
        out = {}
        for table, names, values, texts, flats in unpack(text) if text else []:
            sums = []
            for flat in flats:
                row = []
                for v in flat:
                    row += [0] * -v if v < 0 else [v]
                sums.append(row + [0] * (int(a["data-ranges"]) - len(row)))
            n = len(flats) // values
            out[table] = [[texts[i * names:(i + 1) * names] if i < n - 1 else None, sums[i * values:(i + 1) * values]] for i in range(n)]
        return out, int(a["data-ranges"])
    return {}, 0


def trees(page):
    """{number of a frame: [[name, depth, total, self, calls, bytes]]}, of frames whose calls are in the page, and not their zones."""
    for a, (_, text) in zip(page.data, page.scripts, strict=True):
        if "data-trees" in a:
            return {number: [[names[name], depth, *rest] for depth, name, *rest in zip(*[iter(flat)] * 6, strict=True)] for number, names, flat in unpack(text)}
    return {}


def cells(table):
    """(row in the report, column, attributes, text) of each cell of a table of Page."""
    rows = table["rows"]
    if all("data-c" in a for a, _ in rows[0]):
        names = [a["data-c"] for a, _ in rows[0]]
        for i, row in enumerate(rows[1:]):
            for name, (a, text) in zip(names, row, strict=True):
                yield table["from"] + i, name, a, text
        return
    for row in rows:
        for i, (a, text) in enumerate(row[1:]):
            yield table["from"] + i, row[0][0]["data-c"], a, text


def drive(suite, *args):
    """Run scripts by driver.cjs, in the folder of ${suite}, and count what they check."""
    driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "driver.cjs")
    r = subprocess.run(["node", driver, *args], capture_output=True, text=True, timeout=3600, cwd=suite.dir)
    print(r.stdout.rstrip().rpartition("\n")[0])
    counts = re.search(r"(\d+) passed, (\d+) failed\n$", r.stdout)
    suite.check("browsers are driven", not counts and (r.stdout + r.stderr)[-2000:])
    if counts:
        count.add(int(counts[1]), int(counts[2]))
