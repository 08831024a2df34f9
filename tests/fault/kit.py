"""What the fault suites share: a capture, runs of the program, and the sum at the end."""
import gzip
import json
import os
import re
import shutil
import string
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from suite import BUILD, LONG, Suite as Base, TOP, TRACETOOL, killed

DATA = os.path.join(TOP, "testdata", "mlpd")


class Suite(Base):
    """A suite that makes captures."""

    def capture(self, version=17, seed=1):
        """A small capture with everything the version has."""
        path = self.path("in-%d-%d.mlpd" % (version, seed))
        subprocess.run([os.path.join(BUILD, "kit", "mlpd_gen"), str(version), "8", str(seed), path], check=True)
        return path


# Commands without a case of their own in cases(), and why.
NO_CASE = {
    "open": "it runs report or convert, and a browser",
    "ab": "runs programs; tests/system/ab",
    "record": "runs a program; tests/fault/record.py, tests/system/mono/record.py",
    "batch": "has processes that fail alone; tests/fault/batch.py, tests/system/batch",
}


BUDGET = """{ "tracetool_budget": 1, "rows": [
  { "id": "a", "metric": "frame.time", "stat": "p95", "max": "1s", "over": "pooled" },
  { "id": "b", "metric": "marker.time", "marker": "World:*", "max": "+50%", "where": { "format": "*" } },
  { "id": "c", "metric": "category.time", "category": "*", "max": "1s", "waive": { "until": "2030-01-01", "why": "x" } },
  { "id": "d", "metric": "gc.alloc.bytes", "max": "1B", "level": "warn" },
  { "id": "e", "metric": "thread.time", "thread": "*", "max": "1s" } ] }
"""


def another(suite, path, k=1):
    """The same capture as another recording: one of Mono's begins ${k} ms later, for one of ours another file stands in."""
    if not path.endswith(".mlpd"):
        return os.path.join(TOP, "testdata", "gate", "good-base%d.ttc.xz" % k)
    data = bytearray(open(path, "rb").read())
    data[8:16] = (int.from_bytes(data[8:16], "little") + k).to_bytes(8, "little")
    copy = suite.path("later-%d-%s" % (k, os.path.basename(path)))
    with open(copy, "wb") as f:
        f.write(data)
    return copy


class Case:
    """
    A command line; the files it writes; the exit status when nothing fails, None for any of a command that does its work;
    whether parts of it may fail apart; what of an output is the same in every run; the files it begins with, and their bytes;
    whether it removes its outputs of an earlier run at once, so that none is there before.
    """

    def __init__(self, name, args, outputs=(), status=0, parts=False, normal=None, given=None, forgets=False):
        self.name, self.args, self.outputs, self.status, self.parts = name, list(args), list(outputs), status, parts
        self.normal = normal
        self.given = given or {}
        self.before = {**{f: b"old" for f in self.outputs if not forgets}, **self.given}

    def same(self, files):
        """${files} with what of the outputs is the same in every run."""
        return {f: self.normal(text) if self.normal and f in self.outputs else text for f, text in files.items()}

    def problem(self, good):
        """What is wrong with it where nothing fails."""
        if good.returncode == self.status or self.status is None and good.returncode in (0, 1, 3, 5):
            return None
        return "fails as it is, exit %d: %s" % (good.returncode, good.err)


class Scrubbed:
    """
    Copies without names of one capture. Each process draws other letters, so copies are compared where several good ones are the same.
    Elsewhere any letter will do, if no word is the capture's own and one word always becomes the same word.
    """

    COPIES = 8          # that the same letter is drawn so often in one place happens once in 10^12
    WORD = 4            # a shorter one may by chance be drawn again, or is one letter of a wide text
    LETTERS = frozenset(string.ascii_letters.encode() + string.digits.encode())

    def __init__(self, suite, path):
        self.old, copies = open(path, "rb").read(), []
        for _ in range(self.COPIES):
            with Work(suite, {}) as work:
                subprocess.run([TRACETOOL, "info", "-q", "--scrub", path, "-o", "copy"], cwd=work.dir, check=True)
                copies.append(work.files()["copy"])
        self.size = len(copies[0])
        assert {len(c) for c in copies} == {self.size}, "copies of %s differ in size" % path
        drawn = bytes(len(set(at)) > 1 for at in zip(*copies))
        self.words = [m.span() for m in re.finditer(b"\1+", drawn)]
        assert self.words, "nothing in %s is scrubbed" % path

    def normal(self, copy):
        """${copy} with every drawn letter the same; as it is where it is no such copy."""
        if len(copy) != self.size:
            return copy
        became, out = {}, bytearray(copy)
        for at, end in self.words:
            old, new = self.old[at:end], copy[at:end]
            # Beyond ASCII, a character becomes another of its length: in a wide text that may be any two bytes.
            if self.LETTERS.issuperset(old) and not self.LETTERS.issuperset(new):
                return copy
            if end - at >= self.WORD and (new == old or became.setdefault(old, new) != new):
                return copy
            out[at:end] = b"*" * (end - at)
        return bytes(out)


def listed(what):
    """Rows of `tracetool list WHAT`."""
    out = subprocess.run([TRACETOOL, "list", what, "--format", "json"], capture_output=True, check=True).stdout
    return json.loads(out)["tables"][what]["rows"]


# Commands that work alone and know no -j.
ALONE = ("list", "explain", "help", "recover", "merge", "baseline", "history", "query")


def commands():
    """All commands the program has."""
    text = subprocess.run([TRACETOOL, "help"], capture_output=True, check=True).stdout.decode()
    part = text[text.index("Commands:"):].split("\n\n")[0]
    return [line.split()[0] for line in part.splitlines()[1:]]


def has_frames(path):
    out = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--table", "frames", path], capture_output=True).stdout
    return bool(json.loads(out)["tables"].get("frames", {}).get("rows"))


def captures(suite):
    """(format, path) of a small capture of every reader; of those whose captures mark frames, one with whole frames."""
    for f in listed("formats"):
        if f["name"] == "mlpd":
            yield f["name"], suite.capture()
            continue
        folder = os.path.join(TOP, "testdata", f["name"])
        good = [os.path.join(folder, n) for n in os.listdir(folder)
                if n.startswith("good-") and n.endswith(f["suffix"])]
        yield f["name"], next(p for p in sorted(good, key=os.path.getsize) if f["name"] not in FRAMED or has_frames(p))


# Emitters that refuse captures without what they are for.
NEEDS_COVERAGE, NEEDS_FRAMES = ("lcov",), ("pdata", "perf-test")
FRAMED = ("raw", "data")      # readers whose captures here have whole frames
FRAME_MARKER = {"mlpd": "World:Frame", "loop": "World:Frame"}       # of captures that mark none


def cases(suite, every=True):
    """Every command x every reader, plain and compressed, x every form and emitter. Without ${every}: a few of them."""
    for what in ("formats", "metrics"):
        yield Case("list " + what, ["list", what])
    yield Case("explain", ["explain", "self_ns", "hitch", "not_ended", "frame.time"])
    seen = {"list", "help", "info", "stats", "report", "convert"}
    yield Case("help", ["help", "stats"])
    suffixes = [e["suffix"].split()[0] for e in listed("emitters") if e["name"] not in NEEDS_COVERAGE + NEEDS_FRAMES]
    for name, path in captures(suite):
        packed = suite.path(os.path.basename(path) + ".gz")
        with gzip.open(packed, "wb") as f:
            f.write(open(path, "rb").read())
        few = not every and name != "mlpd"
        yield Case(name + " info", ["info", path])
        yield Case(name + ".gz info", ["info", packed])
        yield Case(name + " summary", [path])
        yield Case(name + " report", ["report", "-q", "--max-size", "60k", path, "-o", "page.html"], ["page.html"])
        yield Case(name + " report with views", ["report", "-q", "--max-size", "300k", path, "-o", "page.html"], ["page.html"])
        yield Case(name + " picture", ["report", "-q", "--svg", "flame", path, "-o", "flame.svg"], ["flame.svg"])
        for form in ["text", "json", "csv", "markdown", "html"]:
            if not few or form == "json":
                yield Case("%s stats %s" % (name, form), ["stats", "--format", form, "--thread", "*", path])
        yield Case(name + " stats of tables", ["stats", "--format", "json", "--table",
                   "markers,calltree,calltree_bottom_up,alloc_paths", path])
        if name in FRAMED:
            yield Case(name + " stats of two frames", ["stats", "--format", "json", "--table", "compare_frames,causes", path])
        for key in ("thread", "namespace"):
            if not few:
                yield Case("%s stats by %s" % (name, key), ["stats", "--format", "json", "--group-by", key, "--category", "re:.",
                           "--table", "markers,calltree,alloc_classes,alloc_paths,samples,sample_paths,exceptions,exception_paths,"
                           "exception_clauses,contention_paths,handle_sites,jit_methods,heapshot_classes,heapshot_references,"
                           "metadata_classes,hitches", path])
        for suffix in suffixes:
            out = "out" + suffix
            yield Case("%s to %s" % (name, suffix), ["convert", "-q", path, "-o", out], [out])
            if every:
                yield Case("%s.gz to %s.xz" % (name, suffix), ["convert", "-q", packed, "-o", out + ".xz"],
                           [out + ".xz"])
        for emitter in NEEDS_FRAMES if name in FRAMED else ():
            yield Case("%s to %s" % (name, emitter), ["convert", "-q", path, "--marker", "*", "-f", emitter, "-o", "out"], ["out"])
        if name in FRAMED or name == "mlpd":
            yield Case(name + " scrubbed", ["info", "-q", "--scrub", path, "-o", "copy"], ["copy"], normal=Scrubbed(suite, path).normal)
        outs = ["a" + suffix for suffix in suffixes] + ["b.json.gz"]
        args = sum((["-o", o] for o in outs), [])
        yield Case(name + " to all", ["convert", "-q", path, another(suite, path)] + args, outs)
        if not few:
            seen.update(("gate", "baseline"))
            yield from gate_cases(suite, name, path)
        if name == "mlpd":
            seen.add("query")
            covered = suite.capture(13)       # lcov is refused without coverage
            outs = ["out" + suffix for suffix in [*suffixes, ".info", ".lcov.gz"]]
            yield Case("coverage to all", ["convert", "-q", covered, another(suite, covered)] + sum((["-o", o] for o in outs), []), outs)
            yield Case("coverage to .info", ["convert", "-q", covered, "-o", "out.info"], ["out.info"])
            results = batch_results(suite, path, packed)
            yield Case("merge", ["merge", "-q", "-o", "all.jsonl", results], ["all.jsonl"])
            yield Case("merge to a database", ["merge", "-q", "--to-db", "all.sqlite", results], ["all.sqlite"])
            db = suite.path("game.sqlite")
            subprocess.run([TRACETOOL, "convert", "-q", "--level", "markers", path, "-o", db], check=True)
            yield Case("query", ["query", db, "SELECT * FROM markers", "--format", "json"])
            yield Case("query examples", ["query", "--examples"])
            night = suite.path("night.sqlite")
            subprocess.run([TRACETOOL, "merge", "-q", "--to-db", night, results], check=True, stdout=subprocess.DEVNULL)
            yield Case("query an example", ["query", night, "--example", "7"])
            part = os.path.join(results, sorted(os.listdir(results))[0])
            yield Case("merge of a part", ["merge", "-q", "--partial", "-o", "all.jsonl", "--to-db", "all.sqlite", part], ["all.jsonl", "all.sqlite"], status=3)
            yield Case("merge reports", ["merge", "-q", "-o", "all.jsonl.gz", "--group-by", "format,os", "--report", "r.csv", "--report", "r.html", results],
                       ["all.jsonl.gz", "r.csv", "r.html"])
        if name == "capture":
            seen.add("recover")
            yield Case("recover", ["recover", "-q", path, "-o", "whole.ttc"], ["whole.ttc"])
        if "diff" in commands():
            seen.add("diff")
            yield Case(name + " diff", ["diff", path, "--", path], status=None)
            yield Case(name + " diff pprof", ["diff", path, "--table", "paths,alloc_sites", "-o", "d.csv", "--pprof", "d.pb",
                                              "--", path], ["d.csv", "d.pb"], status=None)
            yield Case(name + " diff page", ["diff", path, "-o", "d.html", "--svg", "d.svg", "--", path], ["d.html", "d.svg"], status=None)
            yield Case(name + " diff chrome", ["diff", path, "--chrome", "d.json", "--", path], ["d.json"], status=None)
    for c in commands():
        if c not in seen and c not in NO_CASE:
            yield Case(c, None)


def more_cases(suite):
    """What cases() leaves out: every table, every option that takes another way through the program, kinds of captures."""
    tables = sorted({row["table"] for row in listed("metrics") if not row["table"].startswith("capture")})
    loop = os.path.join(DATA, "good-d01-gameloop-calls-alloc.mlpd")
    odd = [suite.capture(version) for version in (4, 11, 13, 16)] + [os.path.join(DATA, f) for f in sorted(os.listdir(DATA)) if re.match(
        r"good-d(02-gameloop-sample|03|04-exceptions|05|06|07-heapshot|09|10|14|15)[a-z0-9-]*\.mlpd|bad-(cut|garbage|ff|gzip)", f)]
    # captures() has of a reader the smallest capture, which is of an old version.
    odd += [os.path.join(TOP, "testdata", *f) for f in (("data", "good-6000.5.data"), ("data", "good-2022-odd.data"), ("raw", "good-2022-aligned.raw"))]
    paths = [("mlpd", suite.capture(17, 3)), ("capture", dict(captures(suite))["capture"]), ("loop", loop)]
    paths += [(os.path.basename(p), p) for p in odd]
    paths += [("game", os.path.join(TOP, "testdata", "gate", "good-alloc1.ttc.xz"))]
    path, ring = killed(suite)
    yield Case("killed", ["stats", path, "--table", "frames,markers,threads,loss"], status=None)
    yield Case("killed recover", ["recover", "-q", path, "-o", "whole.ttc"], ["whole.ttc"], status=None)
    yield Case("killed to Chrome JSON", ["convert", "-q", path, "-o", "k.json"], ["k.json"], status=None)
    if os.path.exists(ring):
        os.unlink(ring)
    for name, path in paths:
        every = ["stats", path, "--table", ",".join(tables)]
        marker = ["--frame-marker", FRAME_MARKER[name]] if name in FRAME_MARKER else []
        yield Case(name + " every table", every, status=None)
        yield Case(name + " to all", ["convert", "-q", path] + sum((["-o", "a" + x] for x in (".json", ".csv", ".pb", ".folded")), []),
                   ["a" + x for x in (".json", ".csv", ".pb", ".folded")], status=None)
        if path in odd:
            continue
        yield Case(name + " every table of frames", every + marker + ["--budget", "1", "--hitches", "3"], status=None)
        yield Case(name + " every table as CSV", every + ["--format", "csv", "--time", "0-1", "--thread", "*", "--names", "full"],
                   status=None)
        yield Case(name + " every table as Markdown", every + ["--format", "markdown", "-o", "m.md.zst"] + marker, ["m.md.zst"],
                   status=None)
        yield Case(name + " filtered", every + ["--category", "*", "--marker", "re:.*o.*", "--min-duration", "1us", "--depth", "5",
                                                "--wrappers", "--format", "json"], status=None)
        yield Case(name + " brief zones", ["stats", path, "--min-duration", "10ms", "--table", "markers"], status=None)
        yield Case(name + " frames only", every + ["--frames", "2-4"] + marker, status=None)
        yield Case(name + " tree", ["stats", path, "--bottom-up", "--threshold", "0", "--max-depth", "4", "--max-paths", "16"],
                   status=None)
        yield Case(name + " found", ["stats", path, "--find", "T:*", "--find", "S:1", "--track", "0x1000", "--buckets", "7", "--table", "timeline"],
                   status=None)
        yield Case(name + " two", ["stats", path, another(suite, path), "--align", "start", "--meta", "a=b", "--table", "frames,markers"], status=None)
        yield Case(name + " begin and end", ["convert", "-q", path, "-o", "b.json.bz2", "--begin-end", "--split", "800K"],
                   ["b-00%d.json.bz2" % (i + 1) for i in range(5 if name == "loop" else 1)], status=None)
        yield Case(name + " tables as files", ["convert", "-q", path, "-f", "csv", "--table", "markers", "--csv-bom", "--csv-safe",
                   "-o", "t.csv.lz4", "--table", "counters", "-o", "u.csv"], ["t.csv.lz4", "u.csv"], status=None)
        kept, base = suite.path(name + "-suggested.json"), suite.path(name + "-base.json")
        open(kept, "wb").write(subprocess.run([TRACETOOL, "stats", "--suggest", path] + marker, capture_output=True).stdout)
        gate = ["stats", "--gate", kept, path, "--today", "2026-01-01"] + marker
        subprocess.run([TRACETOOL] + gate + ["--save", base], stdout=subprocess.DEVNULL)
        yield Case(name + " gate of what is suggested", gate + ["--baseline", base], status=None)
        other = path if name in ("capture", "game") else loop if path != loop else suite.capture(17, 5)
        yield Case(name + " diff of all", ["diff", path, "--limit", "0", "--format", "markdown", "-o", "d.md", "--", other],
                   ["d.md"], status=None)


def batch_cases(suite):
    """Captures in a folder, in archives and in archives in these; what is none; and the results put together."""
    folder = suite.path("many")
    os.mkdir(folder)
    packed = suite.path("packed")
    os.mkdir(packed)
    for name, path in captures(suite):
        shutil.copy(path, folder)
        shutil.copy(path, os.path.join(packed, "other-" + os.path.basename(path)))
    shutil.copy(os.path.join(DATA, "bad-cut-in-buffer.mlpd"), folder)
    open(os.path.join(folder, "notes.txt"), "w").write("no capture")
    open(os.path.join(packed, "empty"), "w").close()
    inner = shutil.make_archive(suite.path("inner"), "gztar", packed)
    shutil.copy(inner, packed)
    shutil.make_archive(os.path.join(folder, "a"), "zip", packed)
    shutil.make_archive(os.path.join(folder, "b"), "tar", packed)
    shutil.copy(inner, folder)
    budget, base = suite.path("batch-budget.json"), suite.path("batch-base.json")
    open(budget, "w").write(BUDGET)
    subprocess.run([TRACETOOL, "stats", "--gate", budget, "--save", base] + [path for _, path in captures(suite)],
                   stdout=subprocess.DEVNULL)
    yield Case("batch", ["batch", folder], status=None, parts=True)
    yield Case("batch to a folder", ["batch", folder, "-o", "out", "--do", "convert", "--to", "json.gz,pb", "--per-capture", "csv"],
               status=None, parts=True)
    yield Case("batch shard", ["batch", folder, "-o", "out", "--shard", "2/3"], status=None, parts=True)
    once = suite.path("once")     # a gate takes no recording twice
    os.mkdir(once)
    for _, path in captures(suite):
        shutil.copy(path, once)
    with zipfile.ZipFile(os.path.join(once, "c.zip"), "w") as z:
        z.write(suite.capture(17, 9), "other.mlpd")
    yield Case("batch gate", ["batch", once, "--gate", budget, "--baseline", base, "--today", "2026-01-01", "--json", "v.json",
                              "--group-by", "format", "--report", "r.md", "--report", "r.html"], status=None, parts=True)
    done = suite.path("done")
    subprocess.run([TRACETOOL, "batch", "-q", folder, "-o", done], capture_output=True)
    yield Case("merge", ["merge", done, "--group-by", "format", "--format", "json"], status=None, parts=True)
    judged = suite.path("judged")
    subprocess.run([TRACETOOL, "batch", "-q", once, "-o", judged, "--gate", budget, "--baseline", base, "--today", "2026-01-01"], capture_output=True)
    yield Case("merge gate", ["merge", judged, "--gate", budget, "--baseline", base, "--today", "2026-01-01", "-o", "all.jsonl", "--report",
                              "r.csv"], status=None, parts=True)


def batch_results(suite, *captures):
    """A folder with the results of two shards of a batch over ${captures} and a zip of them."""
    src, out = suite.path("shards-in"), suite.path("shards")
    os.makedirs(src)
    with zipfile.ZipFile(os.path.join(src, "a.zip"), "w") as z:
        for c in captures:
            shutil.copy(c, src)
            z.write(c, os.path.basename(c))
    for i in "12":
        subprocess.run([TRACETOOL, "batch", "-q", "-o", out, "--shard", i + "/2", src], check=True, stdout=subprocess.DEVNULL)
    return out


def gate_cases(suite, name, path):
    """Budgets, baselines and suggestions."""
    budget, base = suite.path("budget.json"), suite.path(name + "-kept.json")
    open(budget, "w").write(BUDGET)
    marker = ["--frame-marker", FRAME_MARKER[name]] if name in FRAME_MARKER else []
    subprocess.run([TRACETOOL, "stats", "--gate", budget, "--save", base, path] + marker, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    gate = ["stats", "--gate", budget, "--today", "2026-01-01", "--inconclusive", "pass", path] + marker
    yield Case(name + " gate", gate + ["--baseline", base], status=None)
    yield Case(name + " gate trend", gate + ["--baseline", base, "--anchor", "--force-baseline"], status=None)
    yield Case(name + " gate save", gate + ["--save", "base.json", "--meta", "session=new"], ["base.json"], status=None,
               given={"base.json": open(base, "rb").read()})
    yield Case(name + " gate reports", gate + ["--baseline", base, "--junit", "v.xml", "--gitlab", "v.txt", "--github", "--azure",
                                               "--teamcity", "--markdown", "v.md", "--html", "v.html", "--json", "v.json", "-o", "v"],
               ["v", "v.xml", "v.txt", "v.md", "v.html", "v.json"], status=None, forgets=True)
    yield Case(name + " gate explain", gate + ["--baseline", base, "--explain", "b"], status=None)
    kept = {"kept.json": open(base, "rb").read()}
    yield Case(name + " baseline list", ["baseline", "list", base, "-o", "sessions.json"], ["sessions.json"])
    yield Case(name + " baseline accept", ["baseline", "accept", "kept.json", "--reason", "new lighting"], list(kept), status=None, given=kept)
    yield Case(name + " history", ["history", base, "-o", "history.svg"], ["history.svg"])
    yield Case(name + " history page", ["history", base, "-o", "history.html"], ["history.html"])
    # Two sessions, for of one nothing would be taken out; captures with little in them, for the disk of full.py is small.
    doc = json.loads(kept["kept.json"])
    little = {"values": {}, "time": [], "alloc": [], "time_all": [], "alloc_all": [], "worst": [], "busiest": []}
    first = doc["sessions"][0]["captures"][0]
    doc["sessions"] = [{"session": i, "captures": [dict(first, id=i * 16, **little)]} for i in "12"]
    two = {"kept.json": json.dumps(doc, ensure_ascii=False).encode()}
    yield Case(name + " baseline trim", ["baseline", "trim", "kept.json", "--keep", "1"], list(two), given=two)
    yield Case(name + " suggest", ["stats", "--suggest", path] + marker, status=None)


def run(args, cwd, env=None, **more):
    """Run to the end; text of standard error in .err, bytes of standard output in .out."""
    e = dict(os.environ)
    e.update(env or {})
    r = subprocess.run(args, cwd=cwd, env=e, stdin=subprocess.DEVNULL, capture_output=True,
                       timeout=600 if os.environ.get("TT_SANITIZED") else 60, **more)
    r.out, r.err = r.stdout, r.stderr.decode("utf-8", "replace")
    return r


class Work:
    """An empty directory with ${before} in it, for one run."""

    def __init__(self, suite, before):
        self.dir = tempfile.mkdtemp(dir=suite.dir)
        for f, text in before.items():
            open(os.path.join(self.dir, f), "wb").write(text)

    def files(self):
        return listing(self.dir)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.dir, ignore_errors=True)


def listing(path):
    """Every file below ${path} and its bytes."""
    found = [os.path.join(d, n) for d, _, names in os.walk(path) for n in names]
    return {os.path.relpath(f, path): open(f, "rb").read() for f in found}


def tells_damage(err, good):
    """True if a message speaks of damage that the run ${good}, in which nothing fails, does not tell; "markers: cut" is a column, which advice names."""
    known = good.err.splitlines()
    told = "\n".join(line for line in err.splitlines() if line not in known).replace("markers: cut", "")
    return "damage" in told or "cut" in told or "truncated" in told
