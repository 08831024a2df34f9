#!/usr/bin/env python3
"""tracetool diff against what its captures really did (truth.py).

    check.py TRACETOOL CALLS_GEN [HOST [more]]

- Sums: in every table, of every pair, the parts add up to the difference of the means, to the ns; calls and cost add
  up to each difference; every part is within 1 ns of the exact quotient, every mean is the nearest integer.
- Pairs: made up ones, whose every ns is known; captures of testdata, and captures the stand-in game HOST plays
  through the recorder, recounted from their zones one by one.
- More calls are told from slower ones; new, vanished and renamed markers, threads, categories, allocations.
- The verdict: p, shift and bounds against the enumeration of all ways to deal the captures.
- pprof: the profile in the real `go tool pprof` has the same sums.
- Memory does not grow with the number of captures.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import csv
import decimal
import io
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
import lot
from count import end, fault, same
from suite import TOP
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from truth import REST, Script, from_csv  # noqa: E402

TRACETOOL, GEN = sys.argv[1:3]
HOST = sys.argv[3] if len(sys.argv) > 3 else None
MORE = len(sys.argv) > 4
work = None


def at(name):
    return os.path.join(work, name)


def run(*args, codes=(0, 1, 5), **more):
    r = subprocess.run([TRACETOOL, *args], capture_output=True, text=True, timeout=300, **more)
    if codes is not None and r.returncode not in codes:
        raise SystemExit("tracetool %s: exit %d: %s" % (" ".join(args), r.returncode, r.stderr))
    return r


TABLES = ("verdict,sides,frame_times,frame_budgets,parts,markers,other_threads,threads,changed,alloc_sites,captures,frame_spread,worst_frames,"
          "worst_markers,paths,calltree")


def diff(a, b, *options):
    """The tables, and the exit status."""
    r = run("diff", "-q", "--names", "full", "--format", "json", "--table", TABLES, *options, *a, "--", *b)
    doc = json.loads(r.stdout, parse_float=decimal.Decimal)
    return {k: t["rows"] for k, t in doc["tables"].items()}, r.returncode, doc


def nearest(x):
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)


# --- a pair against the truth ------------------------------------------------------------------------

def total(captures, what):
    out = defaultdict(lambda: [0, 0])
    for c in captures:
        for k, v in what(c).items():
            out[k][0] += v[0]
            out[k][1] += v[1]
    return out


def label(path):
    return " > ".join(path[-64:])


def exact_paths(captures, rename):
    """By what a row shows: deep paths may look alike."""
    out = defaultdict(lambda: [0, 0])
    for (thread, path), v in total(captures, lambda c: c.paths()).items():
        key = (thread, label([rename.get(n, n) for n in path]))
        out[key][0] += v[0]
        out[key][1] += v[1]
    return {k: v for k, v in out.items() if v != [0, 0]}


def check_split(name, rows):
    bad = [r for r in rows if r["diff_ns"] != r["b_ns"] - r["a_ns"] or r["calls_ns"] + r["cost_ns"] != r["diff_ns"]]
    fault(name + ": calls and cost add up", bad and bad[0])


def check_pair(name, a, b, options=(), captures=None, frames=True, rename={}, frame_name=None):
    """a and b are files; captures are the same as truths (side A, side B)."""
    t, code, doc = diff(a, b, *options)
    sides = {r["side"]: r for r in t["sides"]}
    change = sides["B"]["mean_ns"] - sides["A"]["mean_ns"]
    same(name + ": difference of the means", sides["B-A"]["mean_ns"], change)
    parts = t["parts"][:-1]
    for table, rows in (("parts", parts), ("markers", t["markers"])):
        for col, want in (("diff_ns", change), ("a_ns", sides["A"]["mean_ns"]), ("b_ns", sides["B"]["mean_ns"])):
            same("%s: sum of %s of %s" % (name, col, table), sum(r[col] for r in rows), want)
    same(name + ": row of all", t["parts"][-1]["diff_ns"], change)
    for table in ("parts", "markers", "other_threads", "threads", "changed", "paths"):
        check_split("%s: %s" % (name, table), t.get(table, []))
    same(name + ": threads hold everything", sum(r["diff_ns"] for r in t["threads"]),
         change + sum(r["diff_ns"] for r in t.get("other_threads", []) if frames))
    same(name + ": paths hold everything", sum(r["diff_ns"] for r in t["paths"]), sum(r["diff_ns"] for r in t["threads"]))
    check_tree(name, t["calltree"], t["threads"])
    same(name + ": frames are told", sides["A"].get("frames") is not None, frames)
    same(name + ": no frames is told", any(n["id"] == "no_frames" for n in doc["notes"]), not frames)
    if "alloc_sites" in t and t["alloc_sites"]:
        for col, side in (("a_bytes", "A"), ("b_bytes", "B"), ("diff_bytes", "B-A")):
            same("%s: sum of %s" % (name, col), sum(r[col] for r in t["alloc_sites"]), sides[side]["alloc_bytes"])
    if captures:
        check_truth(name, t, sides, captures, frames, rename, frame_name)
    return t, code


def check_tree(name, rows, threads):
    """A path takes what it takes itself and what it calls; the outermost are the threads."""
    open_, bad = [], []
    for r in [*rows, {"depth": 0}]:
        while len(open_) > r["depth"]:
            up, sums = open_.pop()
            if [up["a_total_ns"], up["b_total_ns"]] != sums or up["diff_ns"] != sums[1] - sums[0]:
                bad.append(up)
            if open_:
                open_[-1][1][:] = [x + y for x, y in zip(open_[-1][1], sums)]
        open_.append((r, [r.get("a_ns"), r.get("b_ns")]))
    fault(name + ": the call tree adds up", bad and bad[0])
    have = Counter()
    for r in rows:
        have[r["marker"]] += r["diff_ns"] if r["depth"] == 0 else 0
    want = Counter({r["thread"]: r["diff_ns"] for r in threads})
    fault(name + ": its outermost rows are the threads", "%s, not %s" % (+have, +want) if +have != +want else None)


def check_frames(name, t, lengths, files):
    """The frames of both sides one by one: their times and numbers."""
    order = [sorted(f for c in side for f, _ in c) for side in lengths]
    for row, (num, den) in zip(t["frame_times"], ((1, 2), (9, 10), (95, 100), (99, 100), (1, 1)), strict=True):
        want = [f[-(-len(f) * num // den) - 1] for f in order]
        same("%s: %s" % (name, row["percentile"]), [row["a_ns"], row["b_ns"], row["diff_ns"]], [*want, want[1] - want[0]])
    for row, limit in zip(t["frame_budgets"], (16667667, 33334334), strict=True):
        same("%s: frames over %d" % (name, limit), [row["a_over"], row["b_over"]], [sum(f > limit for f in side) for side in order])
    bad = [r for r in t["frame_spread"] if [r["a_count"], r["b_count"]] != [sum(r["from_ns"] <= f < r["to_ns"] for f in side) for side in order]]
    fault(name + ": frames by their times", bad and bad[0])
    same(name + ": all of them", [sum(r[s + "_count"] for r in t["frame_spread"]) for s in "ab"], [len(f) for f in order])
    for i, s in enumerate("ab"):
        want = sorted((-f, k, n) for k, c in enumerate(lengths[i]) for f, n in c)[:len(t["worst_frames"])]
        same("%s: longest frames of %s" % (name, s), [(r[s + "_ns"], r[s + "_file"], r[s + "_frame"]) for r in t["worst_frames"]],
             [(-f, files[i][k], n) for f, k, n in want])


def without_exceptions(paths):
    """An exception's time is a zone that the calls it leaves interrupt. In an output it is a slice that ends with the first of them, so
    what it takes of the others stays theirs there: here its time is given to the calls around it in both."""
    out = defaultdict(lambda: [0, 0])
    for (thread, path), (n, own) in paths.items():
        around = path.rpartition(" > ")[0] if path.rpartition(" > ")[2] == "Exception" else None
        key = (thread, path if around is None else around)
        out[key][0] += n if around is None else 0
        out[key][1] += own
    return {k: v for k, v in out.items() if v != [0, 0]}


def check_truth(name, t, sides, captures, frames, rename, frame_name):
    units, exact = [], []
    for i, side in enumerate("AB"):
        cs = captures[i]
        lengths = [f for c in cs for f in c.frames()]
        units.append(len(lengths) if frames else len(cs))
        exact.append(exact_paths(cs, rename if i == 0 else {}))
        whole = sum(lengths) if frames else sum(v[1] for v in exact[i].values())
        same("%s: total of %s" % (name, side), sides[side]["total_ns"], whole)
        same("%s: mean of %s" % (name, side), sides[side]["mean_ns"], nearest(Fraction(whole, units[i])))
        for row, c in zip([r for r in t["captures"] if r["side"] == side], cs):
            f = sorted(c.frames())
            if frames:
                same("%s: %s" % (name, row["file"]), [row["frames"], row["total_ns"], row["mean_ns"], row["median_ns"]],
                     [len(f), sum(f), nearest(Fraction(sum(f), len(f))), f[(len(f) + 1) // 2 - 1]])
    if frames:
        check_frames(name, t, [[[(b - a, n) for n, (a, b) in enumerate(zip(c.marks, c.marks[1:]), 1) if b > a] for c in side] for side in captures],
                     [[r["file"] for r in t["captures"] if r["side"] == side] for side in "AB"])
    rows = defaultdict(list)
    for r in t["paths"]:
        thread = None if frames and r["thread"] == frame_name else r["thread"]
        rows[(thread, r["path"])].append(r)
    bad, have = [], [defaultdict(lambda: [0, 0]), defaultdict(lambda: [0, 0])]
    for key, found in rows.items():
        for i, s in enumerate("ab"):
            have[i][key] = [sum(r[s + "_count"] for r in found), sum(r[s + "_self_ns"] for r in found)]
            part, own = sum(r[s + "_ns"] for r in found), have[i][key][1]
            if abs(part - Fraction(own, units[i])) >= len(found):
                bad.append("%s: part %d of %d / %d" % (key, part, own, units[i]))
    have, exact = [without_exceptions(h) for h in have], [without_exceptions(e) for e in exact]
    for key in set(have[0]) | set(have[1]) | set(exact[0]) | set(exact[1]):
        for i, s in enumerate("ab"):
            if have[i].get(key, [0, 0]) != exact[i].get(key, [0, 0]):
                bad.append("%s of %s: %s, not %s" % (key, s, have[i].get(key), exact[i].get(key)))
    for key in rows:
        for r in rows[key]:
            bad += check_calls(r, units)
    fault(name + ": every path", bad and "%d wrong, first %s" % (len(bad), bad[0]))


def check_calls(r, units):
    """What more calls at the old cost make, from the row's own exact sums."""
    na, nb, sa, sb = r["a_count"], r["b_count"], r["a_self_ns"], r["b_self_ns"]
    if na and (nb or not sb):
        want = Fraction(sa * nb, na * units[1]) - Fraction(sa, units[0])
    elif not na and not sa:
        want = r["diff_ns"]
    else:
        want = 0 if not na else Fraction(-sa, units[0])
    bad = abs(r["calls_ns"] - want) >= 2
    if na * units[1] == nb * units[0]:
        bad = r["calls_ns"] != 0
    elif na and sa * nb == sb * na:
        bad = r["cost_ns"] != 0
    state = "new" if (nb or sb) and not (na or sa) else "gone" if (na or sa) and not (nb or sb) else None
    bad = bad or r["state"] != state
    for s, n, own, u in (("a", na, sa, units[0]), ("b", nb, sb, units[1])):
        rate, cost = r[s + "_calls"], r[s + "_call_ns"]
        bad = bad or (rate is None) != (n == 0) or (n and (abs(Fraction(rate) - Fraction(n, u)) > Fraction(1, 2000) or
                                                          cost != nearest(Fraction(own, n))))
    return ["calls and cost of %s" % r] if bad else []


# --- made up captures ------------------------------------------------------------------------------------

NAMES = ["Game.%s:%s (%s)" % (c, m, a) for c in ("Enemy", "Map", "Ui/Row", "Pool`1<Foe>") for m in ("Think", "Draw")
         for a in ("", "int")] + ["Plain Marker", "Idle", "é;\"x, y\""]


def tree(s, r, thread, depth, names):
    for _ in range(r.randrange(4)):
        s.enter(r.choice(names), thread)
        s.work(r.randrange(2000), thread)
        if r.random() < .3:
            s.alloc(r.choice(["System.String", "Game.Foe[]"]), r.randrange(1, 500), thread)
        if depth < 5:
            tree(s, r, thread, depth + 1, names)
        s.work(r.choice([0, 1, 17, 1000]), thread)
        s.leave(thread)


def random_capture(seed, names, frames=True):
    r = random.Random(seed)
    s = Script()
    others = ["Worker %d" % i for i in range(r.randrange(3))]
    s.enter("Game.Program:Main ()")
    s.work(r.randrange(500))
    for _ in range(r.randrange(2, 30)):
        if frames:
            s.enter("Game:Tick")
        tree(s, r, "Main", 0, names)
        if frames:
            s.leave()
        s.work(r.choice([0, 5]))
        if r.random() < .2:
            s.leave()             # time in no marker
            s.work(r.randrange(3000))
            s.enter("Game.Program:Main ()")
        for t in others:
            s.work(max(0, s.now["Main"] - s.now[t] - r.randrange(1000)), t)
            tree(s, r, t, 0, names)
    if frames:
        s.work(1)
        s.enter("Game:Tick")
    return s


def random_pairs():
    for seed in range(60) if MORE else lot.some(range(60), 7, "random pairs"):
        r = random.Random(seed)
        frames = seed % 4 != 3
        sides = []
        for side in "ab":
            names = r.sample(NAMES, 12)
            sides.append([random_capture(seed * 100 + ord(side) + i * 7, names, frames) for i in range(r.randrange(1, 4))])
        files = [[s.write(GEN, at("r%d%d.mlpd" % (k, i))) for i, s in enumerate(side)] for k, side in enumerate(sides)]
        options = ["--frame-marker", "Game:Tick"] if frames else []
        t, _ = check_pair("random pair %d" % seed, *files, options, sides, frames, frame_name="Main")
        check_sites("random pair %d" % seed, t, sides, frames)


def check_sites(name, t, sides, frames):
    units = [sum(len(c.frames()) for c in s) if frames else len(s) for s in sides]
    exact = [total(s, lambda c: c.sites()) for s in sides]
    rows = {(None if r["marker"].startswith("(outside") else r["marker"], r["class"]): r for r in t["alloc_sites"]}
    want = set(exact[0]) | set(exact[1])
    same(name + ": sites", set(rows), want)
    for i, s in enumerate("ab"):
        bad = [k for k in want & set(rows) if abs(rows[k][s + "_bytes"] - Fraction(exact[i][k][1], units[i])) >= 1 or
               abs(Fraction(rows[k][s + "_count"]) - Fraction(exact[i][k][0], units[i])) > Fraction(1, 2000)]
        fault("%s: sites of %s" % (name, s), bad)


def loop(frames, body, **more):
    s = Script(**more)
    for i in range(frames):
        s.enter("Game:Tick")
        s.work(1000)
        body(s, i)
        s.leave()
    s.enter("Game:Tick")
    return s


def pair(name, a, b, options=(), **more):
    files = [[s.write(GEN, at("%s%d.mlpd" % (side, i))) for i, s in enumerate(list_)] for side, list_ in (("a", a), ("b", b))]
    return check_pair(name, *files, ("--frame-marker", "Game:Tick", *options), (a, b), frame_name="Main", **more)


def by(rows, column="marker"):
    return {r[column]: r for r in rows}


def told_apart():
    """Each cause alone shows as itself, and as nothing else."""
    def some(n, ns, name="Game.Enemy:Think ()"):
        return lambda s, i: [s.call(name, ns) for _ in range(n)]

    t, _ = pair("more calls", [loop(10, some(2, 500))], [loop(15, some(6, 500))])
    row = by(t["markers"])["Game.Enemy:Think ()"]
    same("more calls, each as long", (row["diff_ns"], row["calls_ns"], row["cost_ns"]), (2000, 2000, 0))
    same("rates", (row["a_calls"], row["b_calls"], row["a_call_ns"], row["b_call_ns"]), (2, 6, 500, 500))

    t, _ = pair("slower calls", [loop(10, some(2, 500))], [loop(7, some(2, 800))])
    row = by(t["markers"])["Game.Enemy:Think ()"]
    same("as many calls, each slower", (row["diff_ns"], row["calls_ns"], row["cost_ns"]), (600, 0, 600))
    same("nothing else differs", [r["marker"] for r in t["markers"] if r["diff_ns"]], ["Game.Enemy:Think ()"])

    t, _ = pair("both", [loop(10, some(2, 500))], [loop(10, some(3, 800))])
    row = by(t["markers"])["Game.Enemy:Think ()"]
    same("more and slower", (row["calls_ns"], row["cost_ns"]), (500, 900))

    t, _ = pair("new and gone", [loop(4, some(1, 300, "Old:One ()"))], [loop(4, some(1, 700, "New:One ()"))])
    rows = by(t["changed"])
    same("new", (rows["New:One ()"]["state"], rows["New:One ()"]["diff_ns"], rows["New:One ()"]["cost_ns"]), ("new", 700, 0))
    same("gone", (rows["Old:One ()"]["state"], rows["Old:One ()"]["diff_ns"], rows["Old:One ()"]["calls_ns"]), ("gone", -300, -300))

    open(at("names"), "w").write("# what was renamed\n\nOld:One\tNew:One\r\nthread\tMain 9\tElse\nmarker\tNo:Such\tNew:Such\n")
    t, _ = pair("renamed", [loop(4, some(1, 300, "Old:One (int)"))], [loop(4, some(1, 700, "New:One (int)"))],
                ("--rename", at("names")), rename={"Old:One (int)": "New:One (int)"})
    same("renamed is the same", (t["changed"], by(t["markers"])["New:One (int)"]["cost_ns"]), ([], 400))
    r = run("diff", "--frame-marker", "Game:Tick", "--rename", at("names"), at("a0.mlpd"), "--", at("b0.mlpd"))
    fault("names that are not there are told", None if '2 of 3 names are not in the captures of A; the first is "No:Such"'
          in r.stdout else r.stdout[-300:])

    def waits(ns):
        def body(s, i):
            s.call("Idle", ns)
            s.call("Work:Do ()", 100)
        return body
    t, _ = pair("waiting", [loop(5, waits(1000))], [loop(5, waits(400))])
    rows = {(r["part"], r["category"]): r["diff_ns"] for r in t["parts"]}
    same("waiting is apart", {k[0]: v for k, v in rows.items() if v}, {"wait": -600, "all": -600})

    def idle_between(ns):
        def body(s, i):
            s.leave()
            s.work(ns)
            s.enter("Game.Late:Rest ()")
        return body
    t, _ = pair("no marker", [loop(5, idle_between(100))], [loop(5, idle_between(250))])
    rows = by(t["markers"])
    same("time in no marker", (rows[REST]["a_ns"], rows[REST]["b_ns"], rows[REST]["cost_ns"]), (100, 250, 150))

    t, _ = pair("an image of Windows", [loop(5, some(1, 100), image="C:\\game\\Game.dll")], [loop(5, some(1, 150), image="/game/Game.dll")])
    same("folders of an image are no category", {r["category"] for r in t["parts"] if r["part"] == "work"}, {"Game"})

    moved = [loop(5, some(1, 100))], [loop(5, some(1, 150), image="/game/Other.dll")]
    t, _ = pair("moved", *moved)
    rows = {r["category"]: (r["a_ns"], r["b_ns"], r["calls_ns"], r["cost_ns"]) for r in t["parts"] if r["part"] == "work"}
    same("another category", rows, {"Game": (1100, 0, -1100, 0), "Other": (0, 1150, 1150, 0)})
    open(at("names"), "w").write("category\tGame\tOther\n")
    t, _ = pair("moved and renamed", *moved, ("--rename", at("names")))
    rows = {r["category"]: (r["a_ns"], r["b_ns"], r["calls_ns"], r["cost_ns"]) for r in t["parts"] if r["part"] == "work"}
    same("a renamed category", rows, {"Other": (1100, 1150, 0, 50)})

    def threads(name, ns):
        def body(s, i):
            s.now[name] = s.now["Main"] - 500
            s.call("Job:Run ()", ns, name)
        return body
    t, _ = pair("threads", [loop(5, threads("Worker 3", 100))], [loop(5, threads("Worker (12)", 160))])
    same("threads by name without number", [(r["thread"], r["diff_ns"]) for r in t["other_threads"]], [("Worker", 60)])


# --- real captures ------------------------------------------------------------------------------------------

def real_pairs():
    data = os.path.join(TOP, "testdata", "mlpd")
    names = ["d04-exceptions", "d05-monitors", "d08-recursion-calls", "d12-mono421-v11-calls", "d15-i386-ptr4-legacy-calls",
             "d09-names-unicode-jit"]
    file = {n: os.path.join(data, "good-%s.mlpd" % n) for n in names}
    file["d01"] = os.path.join(data, "good-d01-gameloop-calls-alloc.mlpd")
    pairs = list(itertools.permutations(file, 2)) if MORE else lot.some([*zip(list(file), list(file)[1:]), ("d01", "d01")], 3, "diff")
    truth = {n: from_csv(TRACETOOL, file[n]) for n in {n for pair in pairs for n in pair}}
    for a, b in pairs:
        check_pair("%s to %s" % (a, b), [file[a]], [file[b]], (), ([truth[a]], [truth[b]]), frames=False)
    bt = os.path.join(data, "good-d03-alloc-bt.mlpd")
    check_pair("sites in recorded stacks", [bt], [file["d01"]], (), None, frames=False)
    check_pair("the same backwards", [file["d01"]], [bt], (), None, frames=False)
    framed = from_csv(TRACETOOL, file["d01"], "World:Frame")
    for cut in ("", "--max-paths=40"):
        check_pair("d01 with frames %s" % cut, [file["d01"]], [file["d01"]],
                   ("--frame-marker", "World:Frame", *([cut] if cut else [])),
                   None if cut else ([framed], [framed]), frame_name="GameThread")


def played_pairs():
    files = []
    for seed in range(8 if MORE else 4):
        files.append(at("game%d.ttc" % seed))
        subprocess.run([HOST, "capture=" + files[-1], "seed=%d" % seed, "frames=%d" % (40 if MORE else 12), "threads=%d" % (1 + seed % 4),
                        "markers=30", "single_allocs=2", *([] if MORE else ["events=2000"])], capture_output=True, check=True)
    truth = [from_csv(TRACETOOL, f) for f in files]
    half = len(files) // 2
    check_pair("played games", files[:half], files[half:], (), (truth[:half], truth[half:]), frame_name="Main Thread")
    check_pair("one game against the others", files[:1], files[1:], (), (truth[:1], truth[1:]), frame_name="Main Thread")
    t, code = check_pair("a game against itself", files[:1], files[:1], (), None)
    fault("nothing differs from itself", [r for r in t["paths"] if r["diff_ns"] or r["calls_ns"]])
    chrome(files)
    # One side has frames.
    none = script(lambda s: s.call("Work:Do ()", 100))[0].write(GEN, at("none.mlpd"))
    for a, b, has in ((none, files[0], "has frames"), (files[0], none, "has no frames")):
        r = run("diff", a, "--", b, codes=(2,))
        fault("frames on one side", None if b + ": " + has + ", unlike others" in r.stderr else r.stderr)


def chrome(files):
    """Both sides in one file, each a process; the slices are those of each alone."""
    a, b = files[0], files[1]
    run("diff", "-q", a, "--chrome", at("both.json"), "--", b)
    events = json.load(open(at("both.json")))["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "process_name"}
    same("two processes", sorted(names.values()), ["A: " + a, "B: " + b])
    for pid, path in ((1, a), (2, b)):
        run("convert", "-q", path, "-o", at("one.json"))
        want = Counter(e["name"] for e in json.load(open(at("one.json")))["traceEvents"] if e["ph"] == "X")
        same("slices of process %d" % pid, Counter(e["name"] for e in events if e["ph"] == "X" and e["pid"] == pid), want)


# --- odd captures -------------------------------------------------------------------------------------------

def script(*bodies):
    """Captures without frames."""
    out = []
    for body in bodies:
        s = Script()
        body(s)
        out.append(s)
    return out


def plain_pair(name, a, b, options=(), **more):
    files = [[s.write(GEN, at("%s%d.mlpd" % (side, i))) for i, s in enumerate(list_)] for side, list_ in (("a", a), ("b", b))]
    t, _ = check_pair(name, *files, options, (a, b), frames=False, **more)
    check_sites(name, t, (a, b), False)
    return t


def odd_pairs():
    t = plain_pair("one marker", script(lambda s: s.call("Only:One ()", 100)), script(lambda s: s.call("Only:One ()", 170)))
    same("one marker", [(r["marker"], r["diff_ns"]) for r in t["markers"]], [("Only:One ()", 70)])

    def classes(n):
        def body(s):
            s.enter("Maker:Make ()")
            for i in range(n):
                s.alloc("Made.Class%d" % i, 10 + i)
            s.work(5)
        return body
    plain_pair("more classes than paths", script(classes(30)), script(classes(40)))
    same("of none, too", plain_pair("nothing is allocated", script(classes(0)), script(classes(0)))["alloc_sites"], [])

    names = ["12", "12)", "Pool 4)", "Pool (5)", "#4", "(3)"]

    def threads(ns):
        def body(s):
            s.call("Work:Do ()", 10)
            for i, n in enumerate(names):
                s.call("Work:Do ()", ns + i, n)
        return body
    plain_pair("threads with odd names", script(threads(100)), script(threads(150)))

    # B calls what A is in all the time and never alone.
    outer = Script()
    outer.enter("Game:Loop ()")
    outer.work(50)
    for i in range(6):
        outer.enter("Game:Tick")
        outer.call("Work:Do ()", 100)
        outer.work(10)
        outer.leave()

    def calls_loop(s, i):
        s.leave()
        s.call("Game:Loop ()", 40)
        s.enter("Game:Rest ()")
    t, _ = pair("inside of it all the time", [outer], [loop(5, calls_loop)])
    row = by(t["markers"])["Game:Loop ()"]
    same("what it is inside of all the time", (row["a_ns"], row["b_ns"], row["diff_ns"], row["calls_ns"]), (0, 40, 40, 40))

    # Short names are told apart over both sides.
    a, b = script(lambda s: s.call("Alpha.Thing:Run ()", 100))[0], script(lambda s: s.call("Beta.Thing:Run ()", 100))[0]
    files = a.write(GEN, at("a0.mlpd")), b.write(GEN, at("b0.mlpd"))
    rows = json.loads(run("diff", "-q", "--format", "json", "--table", "markers", files[0], "--", files[1]).stdout)["tables"]["markers"]["rows"]
    same("short names that both sides have", sorted(r["marker"] for r in rows), ["Alpha.Thing:Run ()", "Beta.Thing:Run ()"])

    # What is waiting may be said.
    files = [loop(5, lambda s, i: s.call("Job:Rest ()", ns)).write(GEN, at("%d.mlpd" % ns)) for ns in (100, 300)]
    for options, want in (((), {"work": 200, "all": 200}), (("--wait", "Job:Rest"), {"wait": 200, "all": 200}),
                          (("--wait", "No:Such"), {"work": 200, "all": 200})):
        t, _, _ = diff(files[:1], files[1:], "--frame-marker", "Game:Tick", *options)
        same("waiting by %s" % (options,), {r["part"]: r["diff_ns"] for r in t["parts"] if r["diff_ns"]}, want)

    none = script(lambda s: s.call("Work:Do ()", 100))[0].write(GEN, at("none.mlpd"))
    for text in ("\tNew\n", "Old\t\n", "marker\t\tNew\n"):
        open(at("names"), "w").write(text)
        r = run("diff", "--rename", at("names"), none, "--", none, codes=(2,))
        fault("rename %r" % text, None if "line 1: a name is empty" in r.stderr else r.stderr)

    # A method that nothing names.
    for n, ns in (("a", 100), ("b", 130)):
        subprocess.run([GEN, at(n), n], input="thread\t0\tMain\nenter\t0\t0\t5\nleave\t%d\t0\t5\nend\t%d\t0\n" % (ns, ns), text=True, check=True)
    t, _, _ = diff([at("a")], [at("b")])
    same("a method without a name", [(r["marker"], r["diff_ns"]) for r in t["markers"]], [("(unknown)", 30)])


def deep(s):
    for i in range(2100):
        s.enter("Deep:Call%d ()" % (i % 7))
        s.work(3)


# --- the verdict -----------------------------------------------------------------------------------------------

def p_greater(a, b):
    """One-sided, by dealing the values in all ways."""
    pool = a + b
    def wins(ys, xs):
        return sum((y > x) + Fraction(y == x, 2) for y in ys for x in xs)
    have, hits, n = wins(b, a), 0, 0
    for pick in itertools.combinations(range(len(pool)), len(b)):
        chosen = set(pick)
        ys = [pool[i] for i in chosen]
        xs = [pool[i] for i in range(len(pool)) if i not in chosen]
        hits += wins(ys, xs) >= have
        n += 1
    return Fraction(hits, n)


def verdicts():
    def frames_of(ns):
        return loop(4, lambda s, i: s.call("Game.Enemy:Think ()", ns))
    def captures(list_):
        return [frames_of(ns) for ns in list_]
    a = [100000, 101000, 99500, 100400, 99900]
    one_session = ("--meta", "session=today")
    cases = [
        ("worse", [x + 6000 for x in a], (), 1),
        ("not worse", [x - 100 for x in a], (), 0),
        ("not worse", [x - 20000 for x in a], (), 0),
        ("not worse", [x + 6000 for x in a], ("--max", "10%"), 0),
        ("worse", [x + 6000 for x in a], ("--max", "0.004ms"), 1),
        ("undecided", [x + 2000 for x in a], (), 5),
        ("undecided", [x + 2100 + (i % 2) * 4000 - 2000 for i, x in enumerate(a)], (), 5),
    ]
    for word, b, options, code in cases:
        t, have = pair("verdict " + word, captures(a), captures(b), one_session + options)
        v = t["verdict"][0]
        same("%s with %s" % (word, b), (v["verdict"], have), (word, code))
        check_numbers(word, v, t)
    # Equal captures that vary by a fifth: the change is nowhere near what is allowed, and the advice does not say so.
    wide = [int(100000 * (1 + x / 100)) for x in (-12, -9, -4, -1, 1, 3, 8, 13)]
    files = [[s.write(GEN, at("wide%s%d.mlpd" % (side, i))) for i, s in enumerate(captures(wide))] for side in "ab"]
    r = run("diff", "--frame-marker", "Game:Tick", "--table", "verdict", *one_session, *files[0], "--", *files[1])
    text = " ".join(r.stdout.split())
    fault("why equal captures are undecided", None if r.returncode == 5 and "vary too much beside what is allowed" in text and
          "about as large as allowed" not in text else r.stdout)
    # Without sessions it is not these that matter, if as captures of one they would be undecided, too.
    few = [[s.write(GEN, at("few%s%d.mlpd" % (side, i))) for i, s in enumerate(captures(list_))]
           for side, list_ in (("a", wide[::2]), ("b", [x + 6000 for x in wide[1::2]]))]
    r = run("diff", "--frame-marker", "Game:Tick", "--table", "verdict", *few[0], "--", *few[1])
    text = " ".join(r.stdout.split())
    fault("why captures without sessions are undecided", None if r.returncode == 5 and "vary too much for their number" in text and
          "all in one job" in text and "2.5 %" not in text else r.stdout)
    # Twice as many frames are no matter; more than that are told.
    for n, told in ((8, False), (9, True)):
        long = [s.write(GEN, at("long%d.mlpd" % n)) for s in [loop(n, lambda s, i: s.call("Game.Enemy:Think ()", 100000))]]
        have = [x["text"] for x in diff(files[0][:1], long, "--frame-marker", "Game:Tick")[2]["notes"] if x["id"] == "fewer_frames"]
        same("%d frames against 4" % n, [x[:60] for x in have], ["a capture of A has 4 frames in the mean, one of B 9, and tim"] if told else [])
    # More than half of the work of both sides is of markers that only one has. Game:Tick has 1000 ns of its own on both.
    for ns, told in ((900, False), (1100, True)):
        alone = [[s.write(GEN, at("alone_%s%d.mlpd" % (name, ns)))] for name in "ab"
                 for s in [loop(4, lambda s, i, name=name: s.call("Game.%s:Work ()" % name.upper(), ns))]]
        same("%d of %d ns of work alone" % (ns, ns + 1000), [x["id"] for x in diff(*alone, "--frame-marker", "Game:Tick")[2]["notes"]
                                                            if x["id"] == "other_work"], ["other_work"] if told else [])
    # Of captures that tell no session those of a side are one, and sessions are taken to differ by 2.5 %.
    for word, factor, code in (("undecided", 1.04, 5), ("worse", 1.25, 1), ("not worse", 0.8, 0)):
        t, have = pair("sessions " + word, captures(a), captures([int(factor * x) for x in a]))
        same("two sessions, %g times as long" % factor, (t["verdict"][0]["verdict"], have), (word, code))
    t, have = pair("two single captures", captures(a[:1]), captures([2 * x for x in a[:1]]))
    same("single captures of two sessions cannot be judged", (t["verdict"][0]["verdict"], have), ("not to be judged", 5))
    for n in (1, 2):
        t, have = pair("%d captures" % n, captures(a[:n]), captures([2 * x for x in a[:n]]), one_session)
        same("%d captures cannot be judged" % n, (t["verdict"][0]["verdict"], have), ("not to be judged", 5))
    t, have = pair("3 captures", captures(a[:3]), captures([2 * x for x in a[:3]]), one_session)
    same("3 captures can", (t["verdict"][0]["verdict"], have), ("worse", 1))


def check_numbers(name, v, t):
    a, b = ([r["mean_ns"] for r in t["captures"] if r["side"] == s] for s in "AB")
    same(name + ": p", v["p"], "%.5f" % p_greater([x + v["allowed_ns"] for x in a], b))
    d = sorted(y - x for x in a for y in b)
    same(name + ": shift", v["shift_ns"], d[len(d) // 2])       # 25 differences
    # The bounds are where the test of a shift begins to reject.
    same(name + ": lower bound", (p_greater([x + v["low_ns"] - 1 for x in a], b) <= .05,
                                  p_greater([x + v["low_ns"] + 1 for x in a], b) <= .05), (True, False))
    same(name + ": upper bound", (p_greater(b, [x + v["high_ns"] + 1 for x in a]) <= .05,
                                  p_greater(b, [x + v["high_ns"] - 1 for x in a]) <= .05), (True, False))


# --- other forms -------------------------------------------------------------------------------------------------

def profile(name, a, b, options=()):
    path = at("diff.pb.gz")
    t, _, _ = diff(a, b, *options, "--pprof", path)
    env = dict(os.environ, PPROF_TMPDIR=work)
    raw = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-raw", path], capture_output=True, text=True, env=env)
    if raw.returncode:
        return fault(name + " in pprof", raw.stderr)
    lines = raw.stdout.splitlines()
    start, where = lines.index("Samples:"), lines.index("Locations")
    same(name + ": sample types", lines[start + 1].split(), ["time/nanoseconds[dflt]", "calls/count", "alloc_space/bytes"])
    leaf = {}
    for line in lines[where + 1:lines.index("Mappings")]:
        m = re.match(r"\s*(\d+): 0x0 (?:M=1 )?(.*) :0(?::0)? s=0", line)
        leaf[m.group(1)] = m.group(2)
    samples = []
    for line in lines[start + 2:where]:
        m = re.match(r"\s*((?:-?\d+ *)+):((?: \d+)*) *$", line)
        if m:
            samples.append(([int(v) for v in m.group(1).split()], m.group(2).split(), {}))
        else:
            samples[-1][2].update(re.findall(r"([\w:]+):\[(.*?)\](?= [\w:]+:\[|$)", line.strip()))
    same(name + ": A is negative, and only that", {s[2].get("pprof::base", "") for s in samples if any(v < 0 for v in s[0])} -
         {"true"} | {"x" for s in samples if "pprof::base" in s[2] and any(v > 0 for v in s[0])}, set())
    have, want = Counter(), Counter()
    for values, stack, labels in samples:
        if values[0]:
            have[(labels.get("thread", "(more paths)"), leaf[stack[0]])] += values[0]
    for r in t["paths"]:
        want[(r["thread"], r["path"].split(" > ")[-1])] += r["diff_ns"]
    same(name + ": times by thread and function", {k: v for k, v in have.items() if v}, {k: v for k, v in want.items() if v})
    same(name + ": bytes", sum(s[0][2] for s in samples), sum(r["diff_bytes"] for r in t.get("alloc_sites", [])))
    calls = sum(s[0][1] for s in samples)
    same(name + ": calls", calls, int(sum(1000 * ((r["b_calls"] or 0) - (r["a_calls"] or 0)) for r in t["paths"])))
    for view in ("-top", "-traces"):
        r = subprocess.run(["go", "tool", "pprof", "-symbolize=none", view, path], capture_output=True, text=True, env=env)
        fault("%s: %s" % (name, view), r.stderr if r.returncode else None)


def forms(a, b):
    """Each form says the same; limits keep the sums."""
    options = ["diff", "-q", "--frame-marker", "Game:Tick", a, "--table", "markers"]
    whole = json.loads(run(*options, "--format", "json", "--", b).stdout)["tables"]["markers"]["rows"]
    rows = list(csv.DictReader(io.StringIO(run(*options, "--format", "csv", "--", b).stdout), strict=True))
    same("CSV and JSON", [(r["marker"], int(r["diff_ns"])) for r in rows], [(r["marker"], r["diff_ns"]) for r in whole])
    for n in ("1", "3"):
        cut = list(csv.DictReader(io.StringIO(run(*options, "--format", "csv", "--limit", n, "--", b).stdout), strict=True))
        same("--limit %s: rows" % n, len(cut), int(n) + 1)
        for col in ("a_ns", "b_ns", "diff_ns", "calls_ns", "cost_ns"):
            same("--limit %s: sum of %s" % (n, col), sum(int(r[col]) for r in cut), sum(r[col] for r in whole))
    text = run(*options, "--format", "markdown", "--", b).stdout
    fault("Markdown", None if text.startswith("### ") and "|" in text else text[:100])
    for form in ("text", "json", "csv", "markdown"):
        once = [run("diff", "-q", "--frame-marker", "Game:Tick", a, "-j", j, "--format", form, "--", b,
                    env=dict(os.environ, TRACETOOL_JOBS_EXACT="1")).stdout for j in "15"]
        fault(form + " does not depend on -j", None if once[0] == once[1] else "it does")


def columns():
    """Every table and column is in the manual page."""
    page = open(os.path.join(TOP, "man", "tracetool-diff.1")).read()
    t, _, _ = diff([at("a0.mlpd")], [at("b0.mlpd")], "--frame-marker", "Game:Tick")
    for table, rows in t.items():
        head = re.findall(r"^\.Ss (.*)$", page, re.M)
        fault("table %s in the manual" % table, None if any(table in h.split(", ") for h in head) else head)
        for col in rows[0] if rows else []:
            fault("column %s.%s in the manual" % (table, col), None if re.search(r"\.It .*\bVa %s\b" % col, page) else "is not")


def memory():
    """The peak of twelve captures is that of two."""
    s = loop(300, lambda s, k: tree(s, random.Random(k), "Main", 0, NAMES))
    files = [s.write(GEN, at("m%d.mlpd" % i), killed=True) for i in range(12)]

    def peak(a, b):
        err = run("diff", "-v", "-j", "1", "--frame-marker", "Game:Tick", *a, "--", *b).stderr
        m = re.search(r"peak memory .*\(([\d.,]+) (\w+) counted", err)
        return float(m.group(1).replace(",", "")) * {"B": 1, "KB": 1 << 10, "MB": 1 << 20}[m.group(2)]
    few, many = peak(files[:1], files[1:2]), peak(files[:6], files[6:])
    fault("memory", None if many < 1.5 * few else "%d B of 12 captures, %d of 2" % (many, few))


def main():
    global work
    with tempfile.TemporaryDirectory(prefix="tracetool-diff.") as work:
        random_pairs()
        told_apart()
        real_pairs()
        odd_pairs()
        if HOST:
            played_pairs()
        verdicts()
        r = random.Random(7)
        a, b = [loop(20, lambda s, k: tree(s, r, "Main", 0, NAMES)).write(GEN, at(n)) for n in ("a0.mlpd", "b0.mlpd")]
        profile("made up", [a], [b], ("--frame-marker", "Game:Tick"))
        profile("made up, several", [a, b], [b], ("--frame-marker", "Game:Tick"))
        data = os.path.join(TOP, "testdata", "mlpd", "good-%s.mlpd")
        profile("unlike programs", [data % "d01-gameloop-calls-alloc"], [data % "d09-names-unicode-jit"])
        profile("paths that are not kept", [a], [b], ("--frame-marker", "Game:Tick", "--max-paths", "40"))
        deep_calls = script(deep)[0].write(GEN, at("deep.mlpd"))
        profile("deep calls", [deep_calls], [deep_calls])
        forms(a, b)
        columns()
        memory()
    end()


main()
