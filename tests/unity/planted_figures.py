"""Figures of sentences about planted games, whose frames are data (planted_forms.py), against the game's own: of all findings, of single frames, and of
`stats --frames N` of the same frame."""
import re
import statistics

from planted_forms import MS, Zone


class Frame:
    """A frame whose zones of the main thread are under ${loop}, and in ${others} those of other threads, each with the thread and ms from the frame's begin."""

    def zones(self, name, by=None):
        """The outermost zones of that name on the main thread; ${by}: those right below or somewhere below zones of this name."""
        return [z for z, around in self.loop.walk() if z.name == name and all(a.name != name for a in around) and
                (by is None or any(a.name == by for a in around))]

    def total(self, name, by=None):
        return sum(z.end - z.start for z in self.zones(name, by)) / MS

    def calls(self, name):
        return sum(z.name == name for z, _ in self.loop.walk())

    def longest(self, name):
        return max([z.end - z.start for z in self.zones(name)] or [0]) / MS


TIME = r"(?:[0-9.,]+ to )?[0-9.,]+ (?:ns|\u00b5s|ms|s)"
TIMES = r"(?P<%s>(?:[0-9.,]+ (?:(?:ns|\u00b5s|ms|s) )?to )?[0-9.,]+ (?:ns|\u00b5s|ms|s))"
NUMBER = r"(?P<%s>(?:[0-9,]+ to )?[0-9,]+)"
USUAL = r"(?: \(usually " + TIMES % "usual" + r"\))?"
OF = r"(?:, of " + TIMES % "all" + r" of [a-z ]+)?"
SCALE = {"ns": 1e-6, "\u00b5s": 1e-3, "ms": 1, "s": 1e3}
LIMIT = "Gfx.WaitForPresentOnGfxThread"
WAITS = ("WaitForJobGroupID", LIMIT, "Gfx.WaitForRenderThread")
CLASSES = {"waiting": (*WAITS, "Thread.Sleep", "Thread:Sleep", "Socket", "Task.Wait", "Task:Wait"), "loading": ("Read", "Loading.", "Resources.Load"),
           "unloading": ("Unload",), "shaders": ("Shader.Create",)}


def span(text):
    """(low, high) of a time, in ms, or of a number."""
    parts = text.replace(",", "").split(" to ")
    unit = parts[-1].split(" ")[1] if " " in parts[-1] else None
    values = [(float(p.split(" ")[0]), p.split(" ")[1] if " " in p else unit) for p in parts]
    values = [v * SCALE[u] if u else v for v, u in values]
    return values[0], values[-1]


def near(have, want):
    return all(abs(h - w) <= .01 * max(abs(w), 1e-4) for h, w in zip(have, want))


class Truth:
    """What the game has of a finding: its ${frames}, and those that are not planted."""

    def __init__(self, n, frames, of):
        self.n, self.all, self.of = n, frames, [frames[k] for k in of]
        self.usual_frames = [f for f in frames if f not in self.of]

    def over(self, value):
        v = [value(f) for f in self.of] or [0]
        return min(v), max(v)

    def usual(self, value):
        m = statistics.median(value(f) for f in self.usual_frames)
        return m, m

    def is_usual(self, text, value):
        """True for the median of some of the usual frames, that are chosen for nothing that they do: it is near that of all."""
        v = sorted(value(f) for f in self.usual_frames)
        return v[len(v) * 3 // 8] * .99 <= span(text)[0] <= v[len(v) * 5 // 8] * 1.01


def is_runtime(name):
    """True for what is no work of a method: the classes of the engine and of the runtime."""
    return name in WAITS or any(s in name for s in ("GC.Collect", "Shader.Create", "Mono.JIT", "File.Read", "AssetBundle.", "Loading.", "Socket", "Sleep",
                                                    "Task.Wait", "Task:Wait", "Monitor", "FileStream:Read", "Resources.", "GarbageCollector."))


def works(f, name):
    """What a marker takes without what the engine, the runtime and waits take in it."""
    ns = 0
    for z in f.zones(name):
        ns += z.end - z.start - sum(x.end - x.start for x, around in z.walk() if is_runtime(x.name) and not any(is_runtime(a.name) for a in around))
    return ns / MS


def collects(f, by=None):
    return sum(f.total(name, by) for name in ("GC.Collect", "GarbageCollector.CollectIncremental"))


def in_class(f, of, call):
    """All that zones of a class take in a frame; the wait for the limit, which fills the frame up, only where it is the one that is named."""
    def is_of(name):
        return any(x in name for x in CLASSES[of]) and (name != LIMIT or call == LIMIT)
    return sum(z.end - z.start for z, around in f.loop.walk() if is_of(z.name) and not any(is_of(a.name) for a in around)) / MS


def spelled(name):
    """How tables spell a name: a method's without the signature, where no other has the name, and Mono's without the namespace."""
    bare = name.split(" (")[0]
    short = re.sub(r"^(?:\w+\.)+(?=\w+:)", "", bare)
    return {name, bare, short, short + name[len(bare):]}


def found(names, text):
    """The marker that a table gives; None: there is none of that name."""
    return next((x for x in sorted(names) if text in spelled(x)), None)


def any_of(names):
    """A pattern of these names, with their signatures and without."""
    all_names = sorted({x for name in names for x in spelled(name)}, key=len, reverse=True)
    return "(?P<%s>" + "|".join(re.escape(x).replace("%", "%%") for x in all_names) + ")"


def sentence_faults(t, sentence, names):
    """What is wrong with the figures of a sentence, and what has figures that this knows nothing of."""
    if "; and " in sentence:      # two causes of the same frames
        return [x for part in sentence.split("; and ") for x in sentence_faults(t, part, names)]
    left, wrong, NAME = sentence, [], any_of(names)

    def take(pattern, check):
        nonlocal left
        for m in re.finditer(pattern, left):
            d = {k: v for k, v in m.groupdict().items() if v is not None}
            problem = check(d)
            if problem:
                wrong.append((m.group(0), problem))
            left = left.replace(m.group(0), "", 1)

    def same(have, want):
        return None if near(span(have), want) else (have, want)

    def usual(d, value):
        return None if "usual" not in d or t.is_usual(d["usual"], value) else ("usually", d["usual"])

    def engine(of):
        def figures(d):
            call, by = found(names, d["call"]), found(names, d["by"]) if d.get("by") else None
            if not call:
                return "no marker %s" % d["call"]
            took, all_of = [t.over(value) for value in (lambda f: f.total(call, by), lambda f: in_class(f, of, call))]
            missing = "all" not in d and any(t < a * .89 for t, a in zip(took, all_of))
            return same(d["took"], took) or usual(d, lambda f: f.total(call, by)) or (same(d["all"], all_of) if "all" in d else missing and all_of) or None
        return figures

    def marker():
        return found(names, re.split(r": |, with what", sentence)[0])

    def eighth(last, value):
        k = len(t.all) // 8
        v = sorted(value(f) for f in (t.all[-k:] if last else t.all[:k]))
        return v[(len(v) - 1) // 2]

    def growth(d, value):
        m = found(names, d["row"]) if "row" in d else marker()
        want = [eighth(last, lambda f: value(f, m)) for last in (0, 1)]
        return None if near((span(d["x"])[0], span(d["y"])[0]), want) else want

    def typical(d):
        m = found(names, sentence.split(" takes ")[0])
        return None if t.is_usual(d["took"], lambda f: works(f, m)) and t.is_usual(d["of"], lambda f: (f.end - f.start) / MS) else d

    def calls(d):
        m = found(names, d["row"])
        low, high = t.over(lambda f: works(f, m))
        u = t.usual(lambda f: works(f, m))[0]
        return same(d["n"], t.over(lambda f: f.calls(m))) or same(d["more"], (low - u, high - u))

    def allocates(d):
        size = t.over(lambda f: sum(s for z in f.zones(found(names, d["row"])) for s in z.sizes))
        have = float(d["size"]) * {"KB": 1 << 10, "MB": 1 << 20}[d["unit"]]
        return None if near((have, have), size) else (have, size)

    def slow_call(d):
        m = found(names, d["row"])
        if not m:
            return "no marker %s" % d["row"]
        out = [same(d["took"], t.over(lambda f: works(f, m)))]
        out += [same(d["n"], t.over(lambda f: f.calls(m)))] if "n" in d else []
        out += [usual(d, lambda f: works(f, m))]
        return [x for x in out if x] or None
    def one_call(d):
        m = found(names, d["row"])
        long = None if any(isinstance(f, Seen) for f in t.of) else same(d["took"], t.over(lambda f: f.longest(m)))
        return same(d["n"], t.over(lambda f: f.calls(m))) or long or usual(d, lambda f: works(f, m))
    under = r"(?:, under " + NAME % "under" + ")?"
    rest = r"(?:, called by " + NAME % "by" + r")?(?=$|;| \(|, of|, under)" + under + OF
    take("^" + TIMES % "took" + USUAL + " waiting in " + NAME % "call" + rest, engine("waiting"))
    take("^" + TIMES % "took" + USUAL + r" (?:un)?loading: " + NAME % "call" + r"(?:, under " + NAME % "by" + r")?(?=$|;| \(|, of)" + OF,
         engine("unloading" if " unloading: " in sentence else "loading"))
    take("^" + TIMES % "took" + USUAL + r" compiling shaders \(" + NAME % "call" + r"\), under " + NAME % "by" + r"(?=$|;| \()", engine("shaders"))
    take("^" + TIMES % "took" + USUAL + r" waiting for a lock in " + NAME % "by",
         lambda d: same(d["took"], t.over(lambda f: f.total(t.n["lock"]))))
    take("^" + TIMES % "took" + r" for a collection, started in " + NAME % "by" + r"(?=$|;| \()",
         lambda d: same(d["took"], t.over(lambda f: collects(f))))
    take("^" + TIMES % "took" + " for a collection that " + NAME % "by" + " asked for",
         lambda d: same(d["took"], t.over(lambda f: collects(f, found(names, d["by"])))))
    take("^" + TIMES % "took" + " to compile " + NUMBER % "n" + r" methods? at (?:its|their) first call, under " + NAME % "by" + r"(?=$|;| \()",
         lambda d: same(d["took"], t.over(lambda f: sum(z.end - z.start for z in f.zones("Mono.JIT")) / MS)) or
         same(d["n"], t.over(lambda f: f.calls("Mono.JIT"))))
    take("^" + TIMES % "more" + " more outside recorded calls", lambda d: same(d["more"], t.over(lambda f: f.outside)))
    take("; (?:in the worst frame )?it ended with " + NAME % "other" + r"(?:, in " + NAME % "inner" + r",)? of (?:up to )?" + TIMES % "took" +
         r" on (?:[0-9]+ threads|thread \"[^\"]*\")", lambda d: other(t, names, d))
    take("; " + NAME % "row" + r" allocates (?P<size>[0-9.]+) (?P<unit>[KM]B) in the frame", allocates)
    take(r"; in the (?:worst|same) frame thread \"[^\"]*\" (?:was in|ran) " + NAME % "other" + " for " + TIMES % "took" +
         "(?:, most of it in " + NAME % "inner" + ", " + TIMES % "within" + ")?(?:, for the picture of frame [0-9]+)?", lambda d: other(t, names, d) or
         ("inner" in d and other(t, names, {"other": d["inner"], "took": d["within"]}) or None))
    take("; meanwhile thread \"[^\"]*\" was in [^;]*", lambda d: None)
    take("^" + NAME % "row" + under + ": " + NUMBER % "n" + " calls?, usually " + r"(?P<u>none|[0-9,]+): " + TIMES % "more" + " more",
         lambda d: calls(d))
    take("^" + NAME % "row" + under + ": " + TIMES % "took" + r"(?: \(" + TIMES % "whole" + r" with waits, collections and such in it\))?" +
         r"(?: in " + NUMBER % "n" + r" calls?)?(?:, usually " + TIMES % "usual" + "|; usually not called)", lambda d: slow_call(d))
    take("^" + NAME % "row" + under + ": one of its " + NUMBER % "n" + " calls takes " + TIMES % "took" + "; all of them usually take " + TIMES % "usual",
         one_call)
    take("^" + NAME % "row" + " is loading: " + NUMBER % "n" + " calls? of " + NAME % "call" + r", usually (?:none|[0-9]+): " + TIMES % "more" + " more",
         lambda d: same(d["n"], t.over(lambda f: f.calls(found(names, d["call"])))) or
         same(d["more"], t.over(lambda f: f.total(found(names, d["row"])))))
    take("^" + NAME % "a" + " " + TIMES % "x" + " and " + NAME % "b" + " " + TIMES % "y" + ", usually " + TIMES % "u" + " and " + TIMES % "v",
         lambda d: same(d["x"], t.over(lambda f: f.total(found(names, d["a"])))) or same(d["y"], t.over(lambda f: f.total(found(names, d["b"])))) or
         same(d["u"], t.usual(lambda f: f.total(found(names, d["a"])))) or same(d["v"], t.usual(lambda f: f.total(found(names, d["b"])))))
    take("^" + NAME % "row" + r" allocates [0-9.]+ [KM]B(?: to [0-9.]+ [KM]B)?(?:, most of it (?!GC\.Alloc)[^,]*,)? in " + NUMBER % "n" +
         " objects, usually none: " + TIMES % "more" + " more", lambda d:
         same(d["n"], t.over(lambda f: sum(len(z.sizes) for z in f.zones(found(names, d["row"]))))) or
         same(d["more"], t.over(lambda f: f.total(found(names, d["row"])))))
    take(" takes " + TIMES % "took" + " of " + TIMES % "of" + " in a typical frame(?:, in [0-9]+ calls)?", lambda d: typical(d))
    take(TIMES % "took" + " more, not explained", lambda d: None)
    take(r": cost per call grows from " + TIMES % "x" + " to " + TIMES % "y" + ", as medians", lambda d: growth(d, lambda f, m: works(f, m)))
    take(r": waiting in " + NAME % "call" + " grows from " + TIMES % "x" + " to " + TIMES % "y" + " a frame, as medians",
         lambda d: growth(dict(d, row=d["call"]), lambda f, m: f.total(m)))
    take(r": calls a frame grow from (?P<n>[0-9,]+) to (?P<m>[0-9,]+), its time from " + TIMES % "x" + " to " + TIMES % "y" + ", as medians",
         lambda d: growth(d, lambda f, m: works(f, m)))
    take(": (?P<n>[0-9,]+) calls? a frame, before none: " + TIMES % "x" + " more, as medians",
         lambda d: None if near(span(d["x"]), (eighth(1, lambda f: works(f, marker())),) * 2) else "more")

    more = re.sub(r"\([^()]*\)|on [0-9]+ threads|Worker [0-9]|[0-9]+ % of the extra time", "", left)
    if re.search(r"[0-9]", more):
        wrong.append((left, "figures that are not known"))
    return wrong


def share_faults(t, sentence):
    """The share of a frame's extra time, where what the sentence names is usually not there and nothing is beside it."""
    m = re.match(TIMES % "took" + r" .*\(([0-9]+) % of the extra time\)$|[^:;]*: " + TIMES % "slow" + r"[^;]*; usually not called \(([0-9]+) % of", sentence)
    if not m or "usually " in sentence.replace("usually not called", ""):
        return []
    def longer(f):
        return (f.end - f.start) / MS - f.total(LIMIT)
    share = span(m["took"] or m["slow"])[0] * 100 / (longer(t.of[0]) - t.usual(longer)[0])
    return [] if abs(share - int(m[2] or m[4])) <= 2 else [(m[0], share)]


def other(t, names, d):
    """The longest zone that a wait ended with, on other threads, of the worst frame: any of the finding's."""
    m = found(names, d["other"])
    have = {round((z.end - z.start) / MS, 4) for f in t.of for _, _, top in f.others for z, _ in top.walk() if z.name == m}
    return None if any(near(span(d["took"]), (x, x)) for x in have) else (d, have)


# --- the program ------------------------------------------------------------------------------------------------------------------

class Row(Zone):
    """A row of the call tree of `stats --frames N`: all zones of one path in frame N."""

    def __init__(self, r, names):
        super().__init__(found(names, r["marker"]) or r["marker"])
        self.end, self.n = r["b_total_ns"] or 0, r["b_count"] or 0


class Seen(Frame):
    """Frame N as `stats --frames N` has it: calls of one path together."""

    def __init__(self, f, tables, names):
        self.k, self.names, self.others, self.start, self.end, self.outside = f.k, f.names, [], f.start, f.end, f.outside
        trees, path = [], []
        for r in tables["compared_calltree"]["rows"]:
            z = Row(r, names)
            del path[r["depth"]:]
            (path[-1].calls if path else trees).append(z)
            path.append(z)
        self.loop = next(t for t in trees if any(z.name == f.loop.name for z in t.calls))
        self.others = [(t.name, 0, z) for t in trees if t is not self.loop for z in t.calls]
        for r in tables.get("compared_allocs", {"rows": []})["rows"]:
            for z in self.zones(r["site"]):
                z.sizes = [(r["b_bytes"] or 0) / (r["b_allocs"] or 1)] * (r["b_allocs"] or 0)

    def calls(self, name):
        return sum(z.n for z, _ in self.loop.walk() if z.name == name)


def read(suite, path, form):
    """Findings, and the frames of each; the frames one by one."""
    args = ["--frame-marker", "Game:Tick"] if form == "mlpd" else []
    tables = suite.report("stats", path, *args, "--table", "causes,frame_causes", "--limit", "0")["tables"]
    return args, tables["causes"]["rows"], tables["frame_causes"]["rows"]


def check(suite, what, n, frames, path, args, rows, of_frames):
    """The sentences of all findings, and of single frames, against the game; of the worst frame also against `stats --frames N`."""
    names = {z.name for f in frames for t in [f.loop] + [z for _, _, z in f.others] for z, _ in t.walk()}
    usual = {r["frame"] - 1 for r in of_frames if r["class"] != "unknown"}

    def truth(of, seen=None):
        t = Truth(n, frames, of)
        t.usual_frames = [f for f in frames if f.k not in usual] or frames
        t.of = [seen] if seen else t.of
        return t
    for r in rows:
        of = sorted(f["frame"] - 1 for f in of_frames if f["worst"] is not None and f["worst"] == r["worst"])
        wrong = sentence_faults(truth(of), r["sentence"], names) if r["class"] != "unknown" else []
        suite.equal("%s: figures of \"%s\"" % (what, r["sentence"]), wrong, [])
    for r in [r for r in of_frames if r["class"] != "unknown" and r["worst"] is not None][:3]:
        k = r["frame"] - 1
        wrong = sentence_faults(truth([k]), r["sentence"], names) + share_faults(truth([k]), r["sentence"])
        suite.equal("%s: figures of frame %d, \"%s\"" % (what, k + 1, r["sentence"]), wrong, [])
    for r in [r for r in of_frames if r["class"] != "unknown" and r["worst"] is not None][:1]:
        k = r["frame"] - 1
        tables = suite.report("stats", path, *args, "--frames", str(k + 1), "--threshold", "0", "--limit", "0")["tables"]
        wrong = sentence_faults(truth([k], Seen(frames[k], tables, names)), r["sentence"], names)
        suite.equal("%s: figures of frame %d as stats --frames %d has them, \"%s\"" % (what, k + 1, k + 1, r["sentence"]), wrong, [])
