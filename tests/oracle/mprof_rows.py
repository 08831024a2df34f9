#!/usr/bin/env python3
"""Every row of the list "Instead of mprof-report" in tracetool-mlpd(7), run.

    mprof_rows.py TRACETOOL

Both commands of a row read the same capture of testdata; both must succeed, and tracetool must print something. What
both print of it is compared, name by name, but for what mprof-report gets wrong: FIGURES.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import mlpd

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DATA = os.path.join(TOP, "testdata", "mlpd")
TRACKED = "0x7f4e4c8170e8"      # an object of d06 that moves

# The capture that has what a row is about, by a word in it; the first that matches.
CAPTURES = [("sample", "d02-gameloop-sample"), ("monitor", "d05-monitors"), ("exception", "d04-exceptions"),
            ("heapshot", "d07-heapshot"), ("counters", "d10-counters-zip"), ("coverage", "d14-mono462-v13-coverage"),
            ("jit", "d02-gameloop-sample"), ("gc", "d06-gcmoves-handles"), ("alloc", "d03-alloc-bt"),
            ("find", "d06-gcmoves-handles"), ("track", "d06-gcmoves-handles"), ("call", "d01-gameloop-calls-alloc")]


def rows():
    page = open(os.path.join(TOP, "man", "tracetool-mlpd.7")).read()
    table = re.search(r'\.\\" begin mprof\n(.*?)\.\\" end mprof', page, re.S).group(1)
    found = re.findall(r"^\.It Ql (.*)\n\.Ql (.*)$", table, re.M)
    assert len(found) > 30 and len(found) == table.count("\n.It Ql"), "the table does not look as this test knows it"
    return found


def run(command, expect=(0,)):
    p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    if p.returncode not in expect:
        raise AssertionError("%s: exit status %d: %s" % (" ".join(command), p.returncode, p.stderr.strip()[:200]))
    return p.stdout


def first(pattern, text):
    found = re.search(pattern, text)
    return int(found.group(1)) if found else None


def total(tables, table, column):
    return sum(r[column] or 0 for r in tables[table]["rows"])


# --- what both say --------------------------------------------------------------------
#
# Of each row: what mprof-report prints -> the same of tracetool's tables, as two dicts that must be equal. What it gets
# wrong is left out here and stands in DIFFERENCES.

NAMED = ["--names", "full", "--wrappers"]
UNRESOLVED = ("unresolved", "unknown")


def sums(rows, key, *columns):
    got = {}
    for r in rows:
        old = got.setdefault(r[key], [0] * len(columns))
        got[r[key]] = [x + (r[c] or 0) for x, c in zip(old, columns)]
    return got


def chosen(d, keys):
    return {k: v for k, v in d.items() if k in keys}


def lines(pattern, text):
    return re.findall("^" + pattern + "$", text, re.M)


def header(text, t, _):
    k = t["capture"]["rows"][0]
    return ({w: re.search(w + r": (.*)", text).group(1) for w in ("Data version", "Architecture", "Operating system", "Arguments", "Program ID")},
            {"Data version": re.search(r"data version (\d+)", k["version"]).group(1), "Architecture": k["arch"], "Operating system": k["os"],
             "Arguments": k["args"],
             "Program ID": str(k["pid"])})


def file_stats(text, t, _):
    """There a few types are left out; both name them in words of their own."""
    theirs = collections.Counter(int(n) for n in re.findall(r"\tcount +(\d+)\t", text))
    ours = collections.Counter(r["events"] for r in t["capture_events"]["rows"])
    assert len(theirs) > 5
    return ({"buffers": first(r"Buffer count (\d+)", text), "only there": {}},
            {"buffers": t["capture"]["rows"][0]["chunks"], "only there": dict(theirs - ours)})


def jit(text, t, _):
    j = t["jit"]["rows"][0]
    return ({"methods": first(r"Compiled methods: (\d+)", text), "bytes": first(r"Generated code size: (\d+)", text),
             "helpers": first(r"JIT helpers: (\d+)", text)},
            {"methods": j["with_code"], "bytes": j["code_bytes"], "helpers": total(t, "jit_helpers", "count")})


def jit_methods(text, t, _):
    return ({"methods": first(r"Compiled methods: (\d+)", text), "bytes": first(r"Generated code size: (\d+)", text)},
            {"methods": len(t["jit_methods"]["rows"]), "bytes": total(t, "jit_methods", "bytes")})


def collected(text, t, _):
    k = t["gcalloc"]["rows"][0]
    theirs = {"Gen%s" % g: (int(n), int(most), int(whole)) for g, n, most, whole in
              re.findall(r"Gen(\d) collections: (\d+), max time: (\d+)us, total time: (\d+)us", text)}
    theirs.update({n: int(v) for n, v in re.findall(r"(GC resizes|Max heap size|Object moves): (\d+)", text)})
    theirs.update({k.replace("weaktrack", "weak tracking"): (int(a), int(b), int(c)) for k, a, b, c in
                   re.findall(r"GC handles (\w+): created: (\d+), destroyed: (\d+), max: (\d+)", text)})
    ours = {"Gen%d" % r["generation"]: (r["count"], r["max_ns"] // 1000, r["total_ns"] // 1000) for r in t["gc_generations"]["rows"]}
    ours.update({"GC resizes": k["heap_resizes"], "Max heap size": k["heap_max_bytes"], "Object moves": k["moves"]})
    ours.update({r["kind"]: (r["created"], r["destroyed"], r["most"]) for r in t["handles"]["rows"] if r["kind"] != "pinned"})
    return theirs, ours


def native(text, t, _):
    """By symbol; where several pieces of code have one, they are one here as there."""
    theirs = {n: int(hits) for hits, n in lines(r" +(\d+) +[\d.]+ (.*)", text)}
    ours = {k: v[0] for k, v in sums(t["sample_native"]["rows"], "code", "samples").items()}
    return ({"all": first(r"Unmanaged hits: +(\d+)", text) + first(r"Managed hits: +(\d+)", text), **chosen(theirs, ours)},
            {"all": sum(ours.values()), **chosen(ours, theirs)})


def hits(text, t, _):
    return ({"hits": first(r"Unmanaged hits: +(\d+)", text) + first(r"\tManaged hits: +(\d+)", text)},
            {"hits": total(t, "sample_paths", "samples")})


CLASS_ROW = r" +(\d+) +(\d+) +\d+ (.*)"


def classes(text, t, _):
    theirs = {n: [int(b), int(c)] for b, c, n in lines(CLASS_ROW, text) if not n.startswith(UNRESOLVED)}
    ours = sums(t["alloc_classes"]["rows"], "class", "bytes", "count")
    late = [n for b, c, n in lines(CLASS_ROW, text) if n.startswith(UNRESOLVED)]
    # Part of a class may be unresolved there.
    whole = {n: v for n, v in theirs.items() if ours.get(n) == v}
    assert len(whole) > len(theirs) // 2 and all(ours[n] >= v for n, v in theirs.items()) and (late or whole == theirs)
    return ({"bytes": first(r"Total memory allocated: (\d+) bytes", text), "count": first(r"bytes in (\d+) objects", text)},
            {"bytes": total(t, "alloc_classes", "bytes"), "count": total(t, "alloc_classes", "count")})


def most_allocated(text, t, _):
    theirs = [int(c) for b, c, n in lines(CLASS_ROW, text) if not n.startswith(UNRESOLVED)]
    ours = [r["count"] for r in t["alloc_classes"]["rows"]]
    return ({"descending": theirs == sorted(theirs, reverse=True), "first": theirs[0]},
            {"descending": ours == sorted(ours, reverse=True), "first": ours[0]})


def traces(text, t, _):
    """Bytes with a stack, class by class; the table of paths has them all."""
    theirs, now = {}, None
    for line in text.splitlines():
        row = re.match(CLASS_ROW + "$", line)
        now = row.group(3) if row else now
        part = re.match(r"\t(\d+) bytes from:$", line)
        if part:
            theirs[now] = theirs.get(now, 0) + int(part.group(1))
    ours = {k: v[0] for k, v in sums(t["alloc_sites"]["rows"], "class", "bytes").items()}
    exact = {n: v for n, v in theirs.items() if ours.get(n) == v}
    assert len(exact) > 10, "only %d classes have the same bytes with a stack" % len(exact)
    return {"bytes": first(r"Total memory allocated: (\d+) bytes", text), **exact}, \
        {"bytes": total(t, "alloc_paths", "bytes"), **chosen(ours, exact)}


def called(text):
    """Methods of one name at several addresses are several there, and those of under a millisecond are not listed."""
    rows = [(n, (int(a), int(b), int(c))) for a, b, c, n in lines(r" *(\d+) +(\d+) +(\d+) (.*)", text)]
    return {n: v for n, v in rows if n not in SEVERAL}


def listed(t):
    return [r for r in t["markers"]["rows"] if ":" in r["marker"] and r["marker"] not in SEVERAL and r["total_ns"] >= 1000000]


def calls(text, t, _):
    """Times in ms, cut; total time of recursive methods differs."""
    theirs = called(text)
    rows = {r["marker"]: r for r in t["markers"]["rows"] if r["marker"] in theirs}
    assert len(theirs) > 10
    once = [n for n, r in rows.items() if r["mean_ns"] and r["total_ns"] // r["mean_ns"] >= r["count"] - 1]
    own = {n: v[1] for n, v in theirs.items()}
    ours = {n: r["self_ns"] // 1000000 for n, r in rows.items()}
    return ({"calls": {n: v[2] for n, v in theirs.items()}, "self": own,
             "total": {n: v[0] for n, v in theirs.items() if n in once}},
            {"calls": {n: r["count"] for n, r in rows.items()}, "self": ours,
             "total": {n: rows[n]["total_ns"] // 1000000 for n in once}})


def by_self(text, t, _):
    theirs = [v[1] for v in called(text).values()]
    ours = [r["self_ns"] // 1000000 for r in listed(t)]
    return {"self": theirs}, {"self": ours}


def by_calls(text, t, _):
    theirs = [v[2] for v in called(text).values()]
    return {"calls": theirs}, {"calls": [r["count"] for r in listed(t)]}


def call_tree(text, t, ask):
    """Methods that stand nowhere deeper than the tree is cut are whole in it."""
    theirs = {n: v[2] for n, v in called(text).items()}
    deep = {r["marker"]: r["depth_max"] for r in ask("--table", "markers")["markers"]["rows"]}
    # A path through a wrapper or over the threshold alone would not do.
    rows = ask("--table", "calltree", "--max-depth", "4", "--threshold", "0")["calltree"]["rows"]
    ours = {k: v[0] for k, v in sums([r for r in rows if 0 < r["depth"] < 4], "marker", "count").items()
            if deep.get(k, 99) < 4 and k in theirs}
    assert len(ours) >= 1, "no method stands above the cut"
    return chosen(theirs, ours), ours


def loaded(text, t, _):
    rows = t["metadata_items"]["rows"]
    names = {k: sorted(r["name"] for r in rows if r["kind"] == k) for k in ("image", "assembly")}
    count = {r["kind"]: r["loaded"] for r in t["metadata"]["rows"]}
    listed = re.findall(r"^\t\t(\S.*)$", text, re.M)
    return ({"images": first(r"Loaded images: (\d+)", text), "assemblies": first(r"Loaded assemblies: (\d+)", text),
             "names": sorted(listed)},
            {"images": count["image"], "assemblies": count["assembly"], "names": sorted(names["image"] + names["assembly"])})


def thrown(text, t, _):
    theirs = {"throws": first(r"Throws: (\d+)", text)}
    theirs.update({k: int(n) for k, n in re.findall(r"Executed (\w+) clauses: (\d+)", text)})
    return theirs, {"throws": total(t, "exceptions", "count"),
                    **{k: v[0] for k, v in sums(t["exception_clauses"]["rows"], "kind", "count").items()}}


def thrown_from(text, t, _):
    parts = [int(n) for n in re.findall(r"\t(\d+) throws from:", text)]
    return ({"throws": first(r"Throws: (\d+)", text), "with a stack": sum(parts), "most": max(parts)},
            {"throws": total(t, "exception_sites", "count"), "with a stack": total(t, "exception_paths", "count"),
             "most": t["exception_paths"]["rows"][0]["count"]})


def locks(text, t, _):
    theirs = {a: (int(n), whole, most) for a, n, whole, most in re.findall(
        r"Lock object (0x[0-9a-f]+): (\d+) contentions\n\t\t([\d.]+) secs total wait time, ([\d.]+) max", text)}
    theirs.update({k: int(n) for k, n in re.findall(r"Lock (contentions|acquired|failures): (\d+)", text)})
    micro = lambda ns: "%d.%06d" % divmod((ns + 500) // 1000, 10**6)
    ours = {r["lock"]: (r["contended"], micro(r["wait_ns"]), micro(r["max_ns"])) for r in t["contention_locks"]["rows"]}
    k = t["contention"]["rows"][0]
    ours.update({"contentions": k["contended"], "acquired": k["acquired"], "failures": k["failed"]})
    return theirs, ours


def locked_from(text, t, _):
    parts = [int(n) for n in re.findall(r"\t(\d+) contentions from:", text)]
    return ({"acquired": first(r"Lock acquired: (\d+)", text), "from": sum(parts)},
            {"acquired": total(t, "contention_sites", "waits"), "from": total(t, "contention_paths", "contended")})


def threads(text, t, _):
    return (dict(re.findall(r'Thread: (0x[0-9a-f]+), name: "(.*)"', text)),
            {r["tid"]: r["thread"] for r in t["threads"]["rows"] if not re.match(r"Thread \d+$", r["thread"])})


def domains(text, t, _):
    return ({"names": re.findall(r'friendly name: "(.*)"', text)},
            {"names": [r["name"] for r in t["metadata_items"]["rows"] if r["kind"] == "domain"]})


def contexts(text, t, _):
    return ({"contexts": len(re.findall(r"Context: ", text))},
            {"contexts": len([r for r in t["metadata_items"]["rows"] if r["kind"] == "context"])})


SHOT = r"Heap shot (\d+) at [\d.]+ secs: size: (\d+), object count: (\d+), class count: (\d+), roots: (\d+)"


def heap_shots(text, t, _):
    theirs = {int(i) + 1: (int(b), int(n), int(c)) for i, b, n, c, _r in re.findall(SHOT, text)}
    ours = {r["shot"]: (r["bytes"], r["objects"], r["classes"]) for r in t["heapshots"]["rows"]}
    # The last shot, class by class; there the rows below say how it differs from the shot before.
    last = re.split("Heap shot ", text)[-1]
    theirs["last"] = {n: (int(b), int(c)) for b, c, n in lines(r"\s+(\d+) +(\d+) +\d+ ([^(]*?)(?: \(.*\))?", last)}
    ours["last"] = {r["class"]: (r["bytes"], r["objects"]) for r in t["heapshot_classes"]["rows"] if r["objects"]}
    assert len(theirs["last"]) > 20     # small classes are not listed
    ours["last"] = chosen(ours["last"], theirs["last"])
    return theirs, ours


def heap_references(text, t, ask):
    """Of every shot the roots by class, of the last who refers to what."""
    theirs, roots, refs, listed_in = {}, {}, {}, {}
    for part in re.split(r"\tHeap shot ", text)[1:]:
        shot, now = int(part.split()[0]) + 1, None
        refs = {}
        for line in part.splitlines()[1:]:
            row = re.match(r"\s+\d+ +\d+ +\d+ ([^(]*?)(?: \(.*\))?$", line)
            now = row.group(1) if row else now
            listed_in.setdefault(shot, set()).add(now)
            root = re.match(r"\t\t(\d+) root references", line)
            ref = re.match(r"\t\t(\d+) references from: (.*)", line)
            if root:
                roots[(shot, now)] = int(root.group(1))
            if ref:
                refs[(now, ref.group(2))] = int(ref.group(1))
    history = ask("--table", "heapshot_history")["heapshot_history"]["rows"]
    theirs = {"roots": roots, "references": refs}
    ours = {"roots": {(r["shot"], r["class"]): r["roots"] for r in history if r["roots"]},
            "references": {(r["class"], r["from"]): r["references"] for r in t["heapshot_references"]["rows"]
                           if not r["root"] and r["class"] in {to for to, _ in refs}}}
    ours["roots"] = chosen(ours["roots"], {(s, c) for s, c in ours["roots"] if c in listed_in.get(s, ())})
    return theirs, ours


def counter_rows(text):
    return {n.strip(): v for n, v in re.findall(r"^\t+(\S.*?) +: (\S+)$", text, re.M)}


def counters(text, t, _):
    """Times are in ms there, sizes and counts plain; text and fractions are left out."""
    theirs = {n: int(v) for n, v in counter_rows(text).items() if v.isdigit()}
    ours = {r["counter"]: r["last"] for r in t["counters"]["rows"] if r["unit"].rstrip("?") in ("bytes", "count", "value")}
    both = set(theirs) & set(ours)
    assert len(both) > 6, "only %d counters in both" % len(both)
    return chosen(theirs, both), chosen(ours, both)


def counters_over_time(text, t, _):
    one = next(r["counter"] for r in t["counter_values"]["rows"] if r["counter"] == "Working Set")
    return ({"values": [int(v) for v in re.findall(r"Working Set +: (\d+)", text)]},
            {"values": [r["value"] for r in t["counter_values"]["rows"] if r["counter"] == one]})


def counters_by_section(text, t, _):
    part = re.search(r"^\t\tWorking Set: .*\n((?:\t\t\t.*\n)+)", text, re.M).group(1)
    ours = [(r["time_ns"], r["value"]) for r in t["counter_values"]["rows"] if r["counter"] == "Working Set"]
    return {"values": [int(v) for v in re.findall(r" : (\d+)$", part, re.M)]}, {"values": [v for _, v in sorted(ours)]}


def found_there(text, t, _):
    """There also what comes later at the address of one that was found; never less."""
    theirs = dict.fromkeys(re.findall(r"Object (0x[0-9a-f]+) created", text))
    ours = dict.fromkeys(r["object"] for r in t["objects_found"]["rows"])
    return chosen(theirs, ours), ours


def tracked(text, t, _):
    return ({"moves": re.findall(r"moved to (0x[0-9a-f]+)", text), "created": re.findall(r"Object (\S+) created", text)},
            {"moves": [r["object"] for r in t["objects_tracked"]["rows"] if r["what"] == "moved"],
             "created": [r["object"] for r in t["objects_tracked"]["rows"] if r["what"] == "allocated"]})


def counted_calls(text, _t, ask, *more):
    part = text.split("Method call summary")[1].split("\n\n")[0]
    return ({n: v[2] for n, v in called(part).items()}, {r["marker"]: r["count"] for r in listed(ask("--table", "markers", *more))})


def on_thread(text, t, ask):
    return counted_calls(text, t, ask, "--thread", BUSY["thread"])


def in_time(text, t, ask):
    """There the time is counted from the header's start, which is a few milliseconds behind the first events."""
    late = CALLS.capture.header["clock_ns"] - CALLS.capture.min_base
    assert 0 < late < 10**9
    seconds = "%d.%09d-%d.%09d" % (*divmod(late, 10**9), *divmod(late + 10**9, 10**9))
    return counted_calls(text, t, ask, "--time", seconds)


def all_bytes(text, t, _):
    return ({"bytes": first(r"Total memory allocated: (\d+) bytes", text)}, {"bytes": t["gcalloc"]["rows"][0]["bytes"]})


FIGURES = {
    "FILE": all_bytes, "--reports=header FILE": header, "--reports=stats FILE": file_stats, "--reports=jit FILE": jit,
    "--reports=jit --verbose FILE": jit_methods, "--reports=gc FILE": collected, "--reports=sample FILE": native,
    "--reports=sample --traces FILE": hits, "--reports=alloc FILE": classes,
    "--reports=alloc --alloc-sort=count FILE": most_allocated, "--reports=alloc --traces FILE": traces,
    "--reports=call FILE": calls, "--reports=call --method-sort=self FILE": by_self,
    "--reports=call --method-sort=calls FILE": by_calls, "--reports=call --traces --maxframes=4 FILE": call_tree,
    "--reports=metadata --verbose FILE": loaded, "--reports=exception FILE": thrown,
    "--reports=exception --traces FILE": thrown_from, "--reports=monitor FILE": locks,
    "--reports=monitor --traces FILE": locked_from, "--reports=thread FILE": threads, "--reports=domain FILE": domains,
    "--reports=context FILE": contexts, "--reports=heapshot FILE": heap_shots,
    "--reports=heapshot --traces FILE": heap_references, "--reports=counters FILE": counters,
    "--reports=counters --verbose --counters-sort=time FILE": counters_over_time,
    "--reports=counters --verbose --counters-sort=category FILE": counters_by_section, "--find=S:3000 FILE": found_there,
    "--find=T:Fin FILE": found_there, "--track=ADDRESS FILE": tracked, "--thread=ID FILE": on_thread,
    "--time=0-1 FILE": in_time,
}


def check(mprof, ours, temp):
    capture = next((c for word, c in CAPTURES if word in mprof), "d01-gameloop-calls-alloc")
    path = os.path.join(DATA, "good-%s.mlpd" % capture)
    out = os.path.join(temp, "out")

    def words(text, extra):
        names = {"FILE": path, "OUT": out, "ADDRESS": TRACKED, "NAME": BUSY["thread"], "ID": BUSY["tid"]}
        names.update(extra)
        return [re.sub("|".join(names), lambda m: names[m.group(0)], w) for w in text.split()]

    theirs = run(["mprof-report", *words(mprof, {"OUT": os.path.join(temp, "theirs")})])
    if "-f lcov" in ours:
        # The recorded coverage has no lines; lcov.py reads one that has.
        return run([sys.argv[1], *words(ours, {})], (2,))
    mine = run([sys.argv[1], *words(ours, {})])
    if "-o" in ours.split():
        mine = open(out, errors="replace").read()
    assert mine.strip(), "%s: tracetool prints nothing" % ours

    def ask(*more):
        verb = ["stats", "-q", *NAMED] if ours.startswith("stats") else ["info", "-q"]
        options = [w for w in words(ours, {})[1:] if w != path] if not more else list(more)
        return json.loads(run([sys.argv[1], *verb, *options, "--format", "json", path]))["tables"]

    if "--table" in ours or "--find" in ours or "--track" in ours:
        empty = [n for n, t in ask().items() if not t["rows"]]
        assert not empty, "%s: no rows in %s" % (ours, ", ".join(empty))
    if mprof == "--out=OUT FILE":
        assert open(os.path.join(temp, "theirs")).read().strip() and mine == run([sys.argv[1], "stats", path]), "not what goes to the screen"
    if mprof == "--debug FILE":
        # One line for each call there, one record for each begin here.
        mine = run([sys.argv[1], "convert", "-q", "-f", "csv", "--wrappers", "-o", "-", path])
        same("calls", len(re.findall(r"^enter ", theirs, re.M)),
             sum(1 for line in mine.splitlines() if line.startswith("zone,") and ":" in line))
    if mprof not in FIGURES:
        return
    have, want = FIGURES[mprof](theirs, ask(), ask)
    assert have, "mprof-report does not print what this test compares"
    for k in sorted(set(have) | set(want), key=str):
        same("%s: %s" % (ours, k), have.get(k), want.get(k))


def same(what, theirs, ours):
    if isinstance(theirs, dict) and isinstance(ours, dict) and theirs != ours:
        wrong = [(k, theirs.get(k), ours.get(k)) for k in sorted(set(theirs) | set(ours), key=str) if theirs.get(k) != ours.get(k)]
        raise AssertionError("%s: mprof-report and tracetool differ in %d: %s" % (what, len(wrong), wrong[:3]))
    assert theirs == ours, "%s: mprof-report has %s, tracetool %s" % (what, str(theirs)[:200], str(ours)[:200])


def prepare():
    """What the independent reader knows of the capture with calls."""
    global CALLS, SEVERAL, BUSY
    path = os.path.join(DATA, "good-d01-gameloop-calls-alloc.mlpd")
    CALLS = mlpd.analyse(path)
    CALLS.capture.min_base = json.loads(run([sys.argv[1], "info", "--format", "json", path]))["tables"]["capture"]["rows"][0]["zero_ns"]
    SEVERAL = {n for n, of in CALLS.calls.by_address.items() if len(of) > 1}
    rows = json.loads(run([sys.argv[1], "stats", "-q", "--table", "threads", "--format", "json", path]))["tables"]["threads"]["rows"]
    BUSY = max(rows, key=lambda r: r["calls"])


def main():
    passed = failed = 0
    prepare()
    with tempfile.TemporaryDirectory() as temp:
        for mprof, ours in rows():
            try:
                check(mprof, ours, temp)
                passed += 1
            except (AssertionError, KeyError, IndexError) as e:
                failed += 1
                print("%s: %s" % (mprof, e))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
