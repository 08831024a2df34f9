#!/usr/bin/env python3
"""Load what tracetool writes into the programs it is for, and recount it there.

    check.py TRACETOOL [more]      "more": every good capture, all forms

- Chrome JSON in Perfetto's trace_processor: no import error, no lost data, and every slice with the same
  name, begin and length to the ns as in our JSON, and every value of a counter at its ns.
- Chrome JSON in the trace engine of Chrome's developer tools: the same threads, and no slice lost
  from the tree.
- Our JSON, read here, has exactly the zones of our CSV, and the samples, allocations, throws, waits, heap sizes and
  counters that the independent reader (tests/oracle) finds, each at its nanosecond.
- pprof: `go tool pprof` reads it (-raw, -top, -traces); its sums are those of stats, and of folded by every --value.
- CSV, read by Python's csv in strict mode: as many fields in every record, integers where integers are due.
- diff --chrome: the same for both sides in one file.
- Arguments of zones and instants, asked for by SQL: as many as a stand-in Unity engine sent, and the values of our CSV.
- Everything compressed is what it is plain.

Prints `N passed, N failed`; exit status 1 if any failed. Packages: install.sh.
"""
import collections
import csv
import decimal
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from common import DEVTOOLS, MANY, TRACE_PROCESSOR  # noqa: E402
from count import end, fault  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))
import mlpd  # noqa: E402

DATA = os.path.join(HERE, "..", "..", "testdata", "mlpd")
SOME = ["good-d01-gameloop-calls-alloc", "good-d02-gameloop-sample", "good-d04-exceptions", "good-d05-monitors",
        "good-d09-names-unicode-jit"]
EVENTS = [*SOME, "good-d03-alloc-bt", "good-d10-counters-zip"]        # for what the independent reader finds


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=300, **more)


def same(have, want, what):
    """None, or the first few differences of two multisets."""
    if have == want:
        return None
    extra, missing = have - want, want - have
    return "%d %s too many, %d missing; for example %s" % (
        sum(extra.values()), what, sum(missing.values()), (list(extra)[:2], list(missing)[:2]))


def ns(us):
    """Microseconds in decimal to the nearest nanosecond."""
    return int((decimal.Decimal(us) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


# --- what we wrote, read by Python ---------------------------------------------------------------

class Chrome:
    def __init__(self, path):
        with open(path, "rb") as f:
            doc = json.load(f, parse_float=decimal.Decimal)
        self.shift = int(doc["otherData"]["first_event_us"]) * 1000
        self.origin = int(doc["otherData"]["removed_origin_ns"])
        self.slices = collections.Counter()       # (tid, name, ts, dur) of X, and of B with its E
        self.instants = collections.Counter()     # (name, ts)
        self.per_thread = collections.Counter()   # (pid, tid): slices
        self.counters = collections.Counter()     # (ts, value)
        self.problem = None
        stacks = collections.defaultdict(list)
        for e in doc["traceEvents"]:
            self.event(e, stacks)
        if any(stacks.values()):
            self.problem = "begins without an end"

    def event(self, e, stacks):
        key = (e["pid"], e.get("tid"))
        if e["ph"] == "X":
            self.add(key, e["name"], ns(e["ts"]), ns(e["dur"]))
        elif e["ph"] == "B":
            stacks[key].append((e["name"], ns(e["ts"])))
        elif e["ph"] == "E":
            name, ts = stacks[key].pop() if stacks[key] else (None, 0)
            if name != e["name"]:
                self.problem = "an end of %r closes %r" % (e["name"], name)
            self.add(key, e["name"], ts, ns(e["ts"]) - ts)
        elif e["ph"] == "i":
            self.instants[(e["name"], ns(e["ts"]))] += 1
        elif e["ph"] == "C":
            for value in e["args"].values():
                self.counters[(ns(e["ts"]), float(value))] += 1

    def add(self, key, name, ts, dur):
        self.slices[(key[1], name, ts, dur)] += 1
        self.per_thread[key] += 1


def zones_of_csv(path, shift):
    """The zones, and what is wrong with the file."""
    zones, problem = collections.Counter(), None
    with open(path, newline="", encoding="utf-8") as f:
        rows = csv.reader(f, strict=True)
        head = next(rows)
        for row in rows:
            if len(row) != len(head):
                problem = "%d fields under %d columns: %r" % (len(row), len(head), row)
                break
            r = dict(zip(head, row))
            if r["kind"] == "zone":
                zones[(int(r["thread"]), r["name"], int(r["start_ns"]) + shift, int(r["dur_ns"]))] += 1
    return zones, problem


# --- what others read ------------------------------------------------------------------------------

SLICES = "select name, ts, dur from slice"
COUNTERS = "select ts, value from counter"


def ask(name, path, *queries):
    """The rows of each query in trace_processor; of a trace that does not load whole, none."""
    got = TRACE_PROCESSOR.ask(path, *queries)
    fault(name + " in trace_processor", got.get("error"))
    return got.get("rows", [[]] * len(queries))


def perfetto(name, path, chrome):
    rows, counters = ask(name, path, SLICES, COUNTERS)
    have = collections.Counter((x["name"], int(x["ts"]), int(x["dur"])) for x in rows)
    want = collections.Counter({(n, t, 0): k for (n, t), k in chrome.instants.items()})
    for (_, n, t, d), k in chrome.slices.items():
        want[(n, t, d)] += k
    fault(name + " in trace_processor, slices", same(have, want, "slices"))
    # It may miss a real's last bit or two.
    near = lambda points: collections.Counter((ts, "%.14g" % value) for ts, value in points)
    fault(name + " in trace_processor, counters",
          same(near((int(x["ts"]), float(x["value"])) for x in counters), near(chrome.counters.elements()), "values"))


def devtools(name, path, chrome):
    got = DEVTOOLS.ask(path)
    if not fault(name + " in the trace engine", got.get("error")):
        return
    threads = {(t["pid"], t["tid"]): t for t in got["threads"]}
    bad = []
    for key, n in chrome.per_thread.items():
        t = threads.get(key, {"entries": 0, "inTree": 0})
        if (t["entries"], t["inTree"]) != (n, n):
            bad.append("thread %s: %d slices, of which it has %d, and %d in the tree" % (key, n, t["entries"], t["inTree"]))
    fault(name + " in the trace engine, tree", "; ".join(bad))


class Bases(mlpd.Capture):
    """Remembers the time bases of all buffers: the smallest is zero."""

    def read_events(self, begin, end, header, quiet=False):
        self.bases = getattr(self, "bases", []) + [mlpd.signed64(header[2])]
        return super().read_events(begin, end, header, quiet)


def events_of(path):
    """What the independent reader has of events that are no zones: (kind, ns, ...), times from the capture's zero."""
    with open(path, "rb") as f:
        capture = Bases(f.read())
    zero, found = min(capture.bases + [capture.min_time]), collections.Counter()

    def names(stack, time):
        return " > ".join([capture.method_name(m, time) for m in stack][-64:])

    for _tid, e in capture.events:
        kind, t = e[0], e[1] if len(e) > 1 else None
        if kind == "hit":
            _, _when, tid, ips, frames = e[1:]
            stack = list(reversed(frames))
            found[("sample", e[2] - zero, names(stack, e[2]), ips[0] if ips else 0)] += 1
        elif kind == "alloc":
            _, _, cls, _obj, size, stack = e
            found[("alloc", t - zero, capture.class_name(cls, t), size, names(stack[-1:], t) if stack else "")] += 1
        elif kind == "throw":
            found[("throw", t - zero, e[2], names(e[3], t) if e[3] else "")] += 1
        elif kind == "monitor" and e[2] in (1, 3):
            found[("wait" if e[2] == 1 else "given up", t - zero, e[3], names(e[4], t) if e[4] else "")] += 1
        elif kind == "gc_resize":
            found[("heap", t - zero, e[2])] += 1
    return found, capture


def events_of_json(path, shift):
    """The same of our JSON."""
    found = collections.Counter()
    with open(path, "rb") as f:
        doc = json.load(f, parse_float=decimal.Decimal)
    for e in doc["traceEvents"]:
        a = e.get("args", {})
        t = ns(e["ts"]) - shift if "ts" in e else 0
        if e["ph"] == "C" and e["name"] == "GC heap size":
            found[("heap", t, a["bytes"])] += 1
        if e["ph"] != "i":
            continue
        if "ip" in a:
            stack = a.get("stack", "")
            assert e["name"] == (stack.rpartition(" > ")[2] if stack else "(native)"), e
            found[("sample", t, stack, int(a["ip"], 16))] += 1
        elif e["name"] == "GC.Alloc":
            found[("alloc", t, a["class"], a["bytes"], a.get("site", ""))] += 1
        elif e["name"] in ("Exception thrown", "Lock contended", "Lock not taken"):
            kind = {"thrown": "throw", "contended": "wait", "taken": "given up"}[e["name"].split()[-1]]
            found[(kind, t, int(a["object"], 16), a.get("stack", ""))] += 1
    return found


def independent(tracetool, name, work):
    path, out = os.path.join(DATA, name + ".mlpd"), os.path.join(work, "events.json")
    r = run(tracetool, "convert", "-q", "--names", "full", "--wrappers", path, "-o", out)
    if not fault(name + " converts with full names", r.stderr if r.returncode else None):
        return
    want, _ = events_of(path)
    have = events_of_json(out, Chrome(out).shift)
    for kind in sorted({k[0] for k in want | have}):
        fault("%s.json, events: %s" % (name, kind),
              same(collections.Counter({k: n for k, n in have.items() if k[0] == kind}),
                   collections.Counter({k: n for k, n in want.items() if k[0] == kind}), kind))


FOLDED = {"time": "wall", "calls": "calls", "samples": "samples", "bytes": "alloc_space", "objects": "alloc_objects"}


def folded_sum(path):
    with open(path, encoding="utf-8") as f:
        return sum(int(line.rsplit(" ", 1)[1]) for line in f)


def pprof(name, path, stats, folded):
    raw = run("go", "tool", "pprof", "-symbolize=none", "-raw", path)
    if not fault(name + " in pprof", raw.stderr if raw.returncode else None):
        return
    for view in ["-top", "-traces"]:
        r = run("go", "tool", "pprof", "-symbolize=none", view, path)
        fault("%s in pprof %s" % (name, view), r.stderr if r.returncode else None)
    lines = raw.stdout.splitlines()
    start = lines.index("Samples:")
    types = [t.split("/")[0] for t in lines[start + 1].replace("[dflt]", "").split()]
    sums = [0] * len(types)
    for line in lines[start + 2:]:
        if line.startswith("Locations"):
            break
        m = re.match(r"\s+((?:-?\d+\s+)*-?\d+):", line)
        if m:
            sums = [a + int(b) for a, b in zip(sums, m.group(1).split())]
    have = dict(zip(types, sums))
    alloc = stats["gcalloc"]["rows"][0] if stats["gcalloc"]["rows"] else {"bytes": 0, "count": 0}
    want = {"wall": sum(r["self_ns"] for r in stats["markers"]["rows"]),
            "calls": sum(r["count"] for r in stats["markers"]["rows"]),
            "alloc_space": alloc["bytes"] or 0, "alloc_objects": alloc["count"] or 0,
            "samples": sum(r["self"] for r in stats["samples"]["rows"]) if "samples" in stats else 0}
    fault(name + " in pprof, sums", None if all(have.get(k, 0) == v for k, v in want.items()) else "%s, not %s" % (have, want))
    total = folded_sum(folded[None])
    of = next((t.split("/")[0] for t in lines[start + 1].split() if "[dflt]" in t), None)
    fault(name + " folded, sum", None if total == have.get(of, 0) else "%d, pprof has %s %s" % (total, have.get(of), of))
    for value, of in FOLDED.items():
        total = folded_sum(folded[value])
        fault("%s folded, %s" % (name, value), None if total == have.get(of, 0) else "%d, pprof has %s %s" % (total, have.get(of), of))


def capture(tracetool, path, work, forms):
    name = os.path.basename(path)[5:-5]
    out = {k: os.path.join(work, "out." + k) for k in ["json", "json.gz", "csv", "pb.gz", "folded"]}
    args = [tracetool, "convert", "-q", path]
    for p in out.values():
        args += ["-o", p]
    r = run(*args)
    if not fault(name + " converts", r.stderr if r.returncode else None):
        return
    chrome = Chrome(out["json"])
    fault(name + ".json", chrome.problem)
    zones, problem = zones_of_csv(out["csv"], chrome.shift - chrome.origin)
    fault(name + ".csv", problem)
    fault(name + ".json and .csv", same(chrome.slices, zones, "zones"))
    fault(name + ".json.gz", None if gzip.open(out["json.gz"]).read() == open(out["json"], "rb").read() else "differs")
    perfetto(name + ".json.gz", out["json.gz"], chrome)
    devtools(name + ".json", out["json"], chrome)
    stats = json.loads(run(tracetool, "stats", "--format", "json", path).stdout)["tables"]
    folded = {None: out["folded"], **{v: os.path.join(work, v + ".folded") for v in FOLDED}}
    for value in FOLDED:
        run(tracetool, "convert", "-q", "--value", value, path, "-o", folded[value])
    pprof(name + ".pb.gz", out["pb.gz"], stats, folded)
    if "frames" in forms:
        framed = os.path.join(work, "framed.json")
        run(tracetool, "convert", "-q", "--frame-marker", "World:Frame", path, "-o", framed)
        c = Chrome(framed)
        frames = sum(n for (_, slice_name, _, _), n in c.slices.items() if re.match(r"Frame \d+$", slice_name))
        fault(name + " with frames", c.problem or (None if frames == 23 else "%d frames, not 23" % frames))
        perfetto(name + " with frames", framed, c)
        devtools(name + " with frames", framed, c)
    if "begin-end" in forms:
        pairs = os.path.join(work, "pairs.json")
        run(tracetool, "convert", "-q", "--begin-end", path, "-o", pairs)
        c = Chrome(pairs)
        fault(name + " in pairs", c.problem or same(c.slices, chrome.slices, "zones"))
        perfetto(name + " in pairs", pairs, c)
        devtools(name + " in pairs", pairs, c)
    if "split" in forms:
        split(tracetool, name, path, work, chrome)


def split(tracetool, name, path, work, whole):
    """Parts load alone, and are the whole together."""
    folder = os.path.join(work, "parts")
    os.makedirs(folder, exist_ok=True)
    size = max(os.path.getsize(os.path.join(work, "out.json")) // 3, 4096)
    run(tracetool, "convert", "-q", "--split", str(size), path, "-o", os.path.join(folder, "part.json"))
    parts = sorted(glob.glob(os.path.join(folder, "*.json")))
    total = collections.Counter()
    for p in parts:
        c = Chrome(p)
        total += c.slices
        perfetto("%s, %s" % (name, os.path.basename(p)), p, c)
        devtools("%s, %s" % (name, os.path.basename(p)), p, c)
    fault(name + " in parts", "one part" if len(parts) < 2 else same(total, whole.slices, "zones"))


def two_sides(tracetool, work):
    """diff --chrome: one capture of each side, each a process that begins at zero."""
    path = os.path.join(work, "sides.json")
    a, b = [os.path.join(DATA, n + ".mlpd") for n in ("good-d01-gameloop-calls-alloc", "good-d05-monitors")]
    r = run(tracetool, "diff", "-q", a, "--chrome", path, "--", b)
    if fault("diff --chrome", r.stderr if r.returncode not in (0, 1, 5) else None):
        c = Chrome(path)
        fault("diff --chrome", c.problem or (None if {pid for pid, _ in c.per_thread} == {1, 2} else "not two processes"))
        perfetto("diff --chrome", path, c)
        devtools("diff --chrome", path, c)


# Arguments have the names that the engine gave them. What allocations and facts say of themselves is not an argument.
ARGS = """select s.id, s.name, s.ts, s.dur, a.flat_key as key, coalesce(a.string_value, a.int_value, a.real_value) as value
from slice s join args a using (arg_set_id) where a.flat_key glob 'args.*' and not (s.dur = 0 and s.category in ('GC', 'Facts'))
order by s.id, a.id"""
WITH_ARGS = """select count(*) as n from slice s where s.dur > 0 and exists
(select 1 from args a where a.arg_set_id = s.arg_set_id and a.flat_key glob 'args.*')"""


def value_of(text):
    for form in (int, float):
        try:
            return form(text)
        except ValueError:
            pass
    return text


def args_of_perfetto(name, path):
    """How many arguments the slices have, and of each zone what CSV shows of them: the first number, the first text."""
    rows, = ask(name, path, ARGS)
    slices, shown = collections.defaultdict(list), collections.Counter()
    for x in rows:
        slices[(x["id"], x["name"], int(x["ts"]), int(x["dur"]))].append(value_of(str(x["value"])))
    for (_, *zone), values in slices.items():
        values.sort(key=lambda v: bool(re.fullmatch(r"\d+ bytes", str(v))))          # a blob only where there is no text
        first = [next((v for v in values if isinstance(v, kind)), "") for kind in ((int, float), str)]
        shown[(*zone, *first)] += 1
    return len(rows), shown


def args_of_csv(path, shift):
    shown = collections.Counter()
    with open(path, newline="", encoding="utf-8") as f:
        for r in csv.DictReader(f, strict=True):
            if r["kind"] in ("zone", "instant") and (r["value"] or r["detail"]):
                key = (r["name"], int(r["start_ns"]) + shift, int(r["dur_ns"] or 0), value_of(r["value"]), value_of(r["detail"]))
                shown[key] += 1
    return shown


def arguments(tracetool, work):
    """A game is played by the stand-in engine, which counts the values that it sends."""
    build = os.path.dirname(os.path.realpath(tracetool))
    path, account = os.path.join(work, "game.ttc"), os.path.join(work, "account.json")
    r = run(os.path.join(build, "host", "host"), "capture=" + path, "account=" + account, "threads=8", "frames=8", "seed=5", "callbacks=1", "rate=2000000",
            env=dict(os.environ, BUILD=build))
    if not fault("a stand-in game is recorded", r.stderr if r.returncode else None):
        return
    total = json.load(open(account, encoding="utf-8"))["total"]
    # A label's text and category are its zone's, an allocation's value its bytes, a counter's value a point of it.
    sent = total["values"] - 2 * total["labels"] - total["allocs"] - total["counters"]
    csv_path, plain, pairs = (os.path.join(work, "game." + s) for s in ("csv", "json", "pairs.json"))
    for args in (["-o", csv_path, "-o", plain], ["--begin-end", "-o", pairs]):
        r = run(tracetool, "convert", "-q", path, *args)
        fault("the game converts", r.stderr if r.returncode else None)
    chrome = Chrome(plain)
    want = args_of_csv(csv_path, chrome.shift - chrome.origin)
    fault("arguments of the game", None if sent > 1000 and total["zones"] > 1000 else "%d values" % sent)
    for name, file in (("arguments", plain), ("arguments in pairs", pairs)):
        n, have = args_of_perfetto(name, file)
        fault(name + ", how many", None if n == sent else "%d in trace_processor, the engine sent %d" % (n, sent))
        fault(name + ", values", same(have, want, "arguments"))
    begun = json.loads(run(tracetool, "info", "--format", "json", path).stdout)["tables"]["capture_events"]["rows"]
    want = sum(r["events"] for r in begun if r["type"] == "begin with arguments")
    have = sum(int(row["n"]) for row in ask("zones with arguments", plain, WITH_ARGS)[0])
    fault("zones with arguments", None if have == want > 500 else "%d of %d" % (have, want))


FLOWS = """select a.name as "from", a.ts as "at", a.dur, b.name as "to", b.ts as "then", b.dur as lasts from flow
join slice a on slice_out = a.id join slice b on slice_in = b.id order by 1, 2, 3, 4, 5, 6"""


def flows(tracetool, work):
    """The stand-in engine's flows: every one but the first of its number is an arrow, and in both forms the same one."""
    build = os.path.dirname(os.path.realpath(tracetool))
    path, account = os.path.join(work, "flows.ttc"), os.path.join(work, "flows.account")
    r = run(os.path.join(build, "host", "host"), "capture=" + path, "account=" + account, "threads=8", "frames=60", "seed=5", "callbacks=2", *MANY,
            env=dict(os.environ, BUILD=build))
    if not fault("a game with flows is recorded", r.stderr if r.returncode else None):
        return
    sent = json.load(open(account, encoding="utf-8"))["total"]["flows"]
    fault("flows of the game", None if min(sent[0], sum(sent[1:])) > 10 else "%s" % sent)
    rows = []
    for form in ([], ["--begin-end"]):
        name, to = " ".join(["flows", *form]), os.path.join(work, "flows.json")
        r = run(tracetool, "convert", "-q", path, *form, "-o", to)
        fault(name + " convert", r.stderr if r.returncode else None)
        rows += ask(name, to, FLOWS)
        fault(name + ", how many", None if len(rows[-1]) == sum(sent[1:]) else "%d of %s" % (len(rows[-1]), sent))
    fault("flows, both forms", None if rows[0] == rows[1] else "differ")


def main():
    tracetool, more = sys.argv[1], len(sys.argv) > 2
    if not os.path.exists(os.path.join(HERE, "node_modules", "@swmansion")):
        print('the consumers are not installed: "make setup-check" fetches them')
        print("0 passed, 1 failed")
        return 1
    names = SOME
    if more:
        names = sorted(os.path.basename(p)[:-5] for p in glob.glob(os.path.join(DATA, "good-*.mlpd")))
    with tempfile.TemporaryDirectory(prefix="tracetool-validators.") as work:
        os.environ["PPROF_TMPDIR"] = work
        for n in names:
            forms = ["frames", "begin-end", "split"] if n == SOME[0] else ["begin-end"] if more else []
            capture(tracetool, os.path.join(DATA, n + ".mlpd"), work, forms)
        for n in EVENTS:
            independent(tracetool, n, work)
        two_sides(tracetool, work)
        arguments(tracetool, work)
        flows(tracetool, work)
    end()


main()
