#!/usr/bin/env python3
"""Filters and groups mean the same for every table, or a note says that they mean nothing.

    filters.py TRACETOOL MLPD_GEN

For every table that "tracetool list metrics" names, on captures of testdata, and a made one, that have rows for it:

- A filter that nothing can fit leaves other rows than no filter; or the rows are the same, and a note names option
  and table. Never both.
- A regular expression that fits all names leaves the rows that no filter leaves.
- --group-by KEY has rows by KEY; or the rows are the same as without it, and a note says so. Filters go with it.
- With --thread rows of threads are of that one. What is counted adds up: over all threads, and over parts of the time.
- Parts of the time that cut pauses for collections add up to all of them, and no thread is stopped for longer than a part is.
- A depth is the same everywhere, and wrappers that are not shown do not count in it: each zone of the events as CSV is in one of the depth
  before, markers have these depths, and --depth leaves the zones above its own.
- A depth that no zone has leaves all bytes of all events as CSV, of every capture of testdata and made ones: there each zone is looked at alone,
  and without it in rows.
- Stacks of allocations by category add up to what the table of categories has, also where their stacks were recorded. A time in which no
  call begins leaves in folded stacks the time of those that began before it.
- A wrong regular expression is a usage error, whatever the option.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import collections
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end
from suite import TOP

TRACETOOL = sys.argv[1]
NAMES = ["d01-gameloop-calls-alloc", "d02-gameloop-sample", "d04-exceptions", "d05-monitors", "d06-gcmoves-handles",
         "d07-heapshot", "d09-names-unicode-jit", "d10-counters-zip", "d14-mono462-v13-coverage"]
CAPTURES = [os.path.join(TOP, "testdata", "mlpd", "good-%s.mlpd" % n) for n in NAMES] + \
    [os.path.join(TOP, "testdata", "capture", "good-v1.0-every-kind.ttc")]
NOTHING = {"--marker": "re:^#", "--category": "re:^#", "--thread": "re:^#", "--time": "900000-",
           "--min-duration": "1000s", "--depth": "1"}
ALL = {"--marker": "re:", "--category": "re:.?", "--thread": "re:^"}
ASKED = ["--find", "S:1", "--track", "0x7f4e4c8170e8", "--threshold", "0", "--metric", "marker.count[re:.].total",
         "--buckets", "5"]
FRAMES = {"d01-gameloop-calls-alloc": ["--frame-marker", "World:Frame"]}
BYTES = ("bytes", "count")
ADD_UP = {"gcalloc": (*BYTES, "collections", "pauses", "moves"), "alloc_classes": BYTES, "alloc_sites": BYTES, "alloc_paths": BYTES,
          "alloc_threads": BYTES, "alloc_categories": BYTES, "gc_generations": ("count", "total_ns"), "markers": ("self_ns", "count"),
          "categories": ("self_ns",), "category_threads": ("self_ns",), "threads": ("busy_ns", "waiting_ns"), "samples": ("self",),
          "sample_threads": ("samples",), "sample_categories": ("self",), "sample_native": ("samples",), "sample_paths": ("samples",),
          "exceptions": ("count",), "exception_sites": ("count",), "exception_paths": ("count",), "exception_clauses": ("count",),
          "contention": ("waits", "wait_ns", "contended"), "contention_locks": ("waits", "wait_ns"),
          "contention_sites": ("waits", "wait_ns"), "contention_paths": ("waits", "wait_ns"), "handles": ("created", "destroyed"),
          "handle_sites": ("created",), "finalizers": ("count",),
          "timeline": ("calls", "allocs", "alloc_bytes", "collections", "moves", "throws", "contended", "wait_ns", "samples", "handles")}
# Said of the whole capture, whatever is looked at.
WHOLE = {"loss"}


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, text=True, errors="replace", timeout=300)


def tables_there_are():
    out = run("list", "metrics", "--format", "json").stdout
    rows = [r for t in json.loads(out)["tables"].values() for r in t["rows"]]
    ids = list(dict.fromkeys(r["table"] for r in rows if "table" in r))
    return [i for i in ids if not i.startswith("capture")]


class Report:
    def __init__(self, path, ids, *more):
        frames = next((v for k, v in FRAMES.items() if k in path), [])
        p = run("stats", "-q", "--format", "json", "--table", ",".join(ids), *ASKED, *frames, *more, path)
        if p.returncode not in (0, 3):
            raise AssertionError("%s %s: %s" % (path, more, p.stderr))
        doc = json.loads(p.stdout)
        self.tables = {k: t["rows"] for k, t in doc["tables"].items()}
        self.notes = [n["text"] for n in doc.get("notes", [])]

    def says(self, option, table):
        for n in self.notes:
            m = re.match(r"(--\S+(?: \S+)?) changes nothing in (.*)$", n)
            if m and m.group(1) == option and table in m.group(2).split(", "):
                return True
        return False


def check_filters(path, ids, plain, met):
    name = os.path.basename(path)
    for option, value in NOTHING.items():
        r = Report(path, ids, option, value)
        for t in ids:
            if t in WHOLE or not any(any(row.values()) for row in plain.tables.get(t, [])):
                continue
            same = r.tables.get(t) == plain.tables[t]
            said = r.says(option, t)
            what = "%s: %s %s: %s" % (name, t, option, value)
            # Where the table is about no zone or thread of this capture, they change nothing by chance.
            if option in ("--min-duration", "--depth", "--thread") and same and not said:
                met.setdefault((t, option), False)
                continue
            met[(t, option)] = True
            if option in ("--marker", "--category", "--time") and not said:
                check(not same, what, "it changes nothing, and no note says so")
            else:
                check(same == said, what, "changed: %s; a note says it changes nothing: %s" % (not same, said))
    for option, value in ALL.items():
        r = Report(path, ids, option, value)
        bad = [t for t in ids if t in plain.tables and r.tables.get(t) != plain.tables[t]
               and not chosen(r.tables[t], plain.tables[t])]
        check(not bad, "%s: %s %s" % (name, option, value), "it fits all names, and still changes " + ", ".join(bad))


def check_thread(path, ids, plain):
    """Rows that name a thread name the one that --thread asks for; and all threads together have what there is."""
    name = os.path.basename(path)
    together = collections.Counter()
    for thread in sorted({r["thread"] for r in plain.tables["threads"]}):
        r = Report(path, ids, "--thread", "re:^%s$" % re.escape(thread))
        together.update(sums(r))
        for t, rows in r.tables.items():
            # Frames are still those of the frame thread.
            if rows and "thread" in rows[0] and t != "hitches":
                others = {row["thread"] for row in rows} - {thread}
                check(not others, "%s: %s --thread %s" % (name, t, thread), "rows of %s" % sorted(others))
    add_up(name + ": threads", together, plain)


def check_time(path, ids, plain):
    """What is before a moment and what is after it is all there is."""
    together = collections.Counter()
    for part in ("-0.01", "0.01-0.0301", "0.0301-"):
        together.update(sums(Report(path, ids, "--time", part)))
    add_up(os.path.basename(path) + ": parts of the time", together, plain)


def check_pauses(path):
    """The time is cut twice within each pause."""
    zones = csv.DictReader(io.StringIO(run("convert", "-q", "-f", "csv", "-o", "-", path).stdout))
    pauses = [(int(z["start_ns"]), int(z["dur_ns"])) for z in zones if z["name"] == "GC.Pause"]
    borders = [start + k * dur // 3 for start, dur in pauses for k in (1, 2)]
    table = {"gcalloc": ("collections", "collection_ns", "pauses", "pause_ns", "stopped_ns"), "threads": ("stopped_ns",)}
    name = os.path.basename(path) + ": parts that cut pauses"

    def of(*options):
        r = json.loads(run("stats", "-q", "--format", "json", "--table", "gcalloc,threads", *options, path).stdout)["tables"]
        return r, collections.Counter({(t, c): sum(row[c] or 0 for row in r[t]["rows"]) for t in table for c in table[t]})

    all_of_it, together = of()[1], collections.Counter()
    check(len(pauses) > 1 and all_of_it["gcalloc", "pauses"] == len(pauses), name, "%d pauses" % len(pauses))
    for a, b in zip([0] + borders, borders + [None]):
        r, part = of("--time", "%d.%09d-" % divmod(a, 10**9) + ("%d.%09d" % divmod(b, 10**9) if b else ""))
        together.update(part)
        want = sum(max(0, min(start + dur, b or start + dur) - max(start, a)) for start, dur in pauses)
        check(part["gcalloc", "pause_ns"] == want, "%s: %d" % (name, a), "%d ns, not %d" % (part["gcalloc", "pause_ns"], want))
        longest = max(row["stopped_ns"] or 0 for row in r["threads"]["rows"])
        check(longest <= want, "%s: %d" % (name, a), "a thread is stopped for %d ns, pauses take %d" % (longest, want))
    for what, n in all_of_it.items():
        check(together[what] == n, "%s: %s" % (name, what), "%d in all, %d together" % (n, together[what]))


def sums(report):
    return {(t, c): sum(r[c] or 0 for r in report.tables[t]) for t, columns in ADD_UP.items() for c in columns
            if t in report.tables}


def add_up(what, together, plain):
    for at, n in sums(plain).items():
        check(together[at] == n, "%s: %s" % (what, at), "%d in all, %d together" % (n, together[at]))


def chosen(rows, plain):
    """The same but for rows of what has no name, which no pattern fits."""
    nameless = ("(outside any zone)", "(native)")
    if plain and "depth" in plain[0]:
        return [r for r in rows if r["depth"]] == [r for r in plain if r["depth"]]
    return rows == [r for r in plain if not set(map(str, r.values())) & set(nameless)]


def check_groups(path, ids, plain):
    name = os.path.basename(path)
    for key in ("thread", "assembly", "namespace", "domain"):
        r = Report(path, ids, "--group-by", key)
        none = Report(path, ids, "--group-by", key, "--marker", NOTHING["--marker"])
        for t in ids:
            if t in WHOLE or not plain.tables.get(t):
                continue
            same = r.tables.get(t) == plain.tables[t]
            said = r.says("--group-by " + key, t)
            check(not (said and not same), "%s: %s --group-by %s" % (name, t, key), "it changed, and a note says it did not")
            check(said or not none.tables[t], "%s: %s --group-by %s --marker" % (name, t, key), "a marker that does not exist has rows")


def check_depths(path):
    zones, depths = collections.defaultdict(list), collections.defaultdict(set)
    for r in csv.DictReader(io.StringIO(run("convert", "-q", "-f", "csv", "--names", "full", "-o", "-", path).stdout)):
        if r["kind"] == "zone":
            zones[r["thread"]].append((int(r["start_ns"]), int(r["depth"]), r["name"]))
    for thread in zones.values():
        around = []
        for _, depth, name in sorted(thread):
            check(depth <= len(around), "%s: depths have no gap" % path, depth, around, name)
            around[depth:] = [name]
            depths[name].add(depth + 1)
    for deepest in (None, 1, 3, 5):
        args = ("--depth", str(deepest)) if deepest else ()
        p = run("stats", "-q", path, "--table", "markers", "--limit", "0", "--names", "full", "--format", "json", *args)
        rows = [r for r in json.loads(p.stdout)["tables"]["markers"]["rows"] if r["marker"] != "Exception"]      # which is in pieces
        have = {r["marker"]: (r["depth_min"], r["depth_max"]) for r in rows}
        left = {k: {d for d in v if not deepest or d <= deepest} for k, v in depths.items() if k != "Exception"}
        want = {k: (min(v), max(v)) for k, v in left.items() if v}
        check(have == want, "%s: depths of markers %s" % (path, args), {k: (have.get(k), want.get(k)) for k in {*have, *want} if have.get(k) != want.get(k)})
        count = collections.Counter(n for t in zones.values() for _, d, n in t if not deepest or d < deepest)
        check(all(r["count"] == count[r["marker"]] for r in rows), "%s: zones %s" % (path, args))


def check_depth_of_none(made):
    every = [os.path.join(d, f) for d, _, names in os.walk(os.path.join(TOP, "testdata")) for f in names if re.search(r"\.(mlpd|ttc|raw|data)(\.xz)?$", f)]
    for seed in range(20, 40):
        subprocess.run([sys.argv[2], "17", "8", str(seed), made], check=True)
        every.append(made + str(seed))
        os.rename(made, every[-1])
    for path in sorted(every):
        plain, deep = (subprocess.run([TRACETOOL, "convert", "-q", "-f", "csv", *args, "-o", "-", path], capture_output=True, timeout=300)
                       for args in ((), ("--depth", "65000")))
        check((plain.returncode, plain.stdout) == (deep.returncode, deep.stdout), "%s: --depth 65000" % path, plain.stderr, deep.stderr)


def folded(path, *args):
    p = run("convert", "-q", "-f", "folded", "-o", "-", *args, path)
    return sum(int(line.rsplit(" ", 1)[1]) for line in p.stdout.splitlines())


def check_stacks():
    some = False
    for path in sorted(os.path.join(TOP, "testdata", "raw", f) for f in os.listdir(os.path.join(TOP, "testdata", "raw")) if f.startswith("good")):
        rows = json.loads(run("stats", "-q", "--table", "alloc_categories", "--format", "json", path).stdout)["tables"]["alloc_categories"]["rows"]
        for r in rows:
            for value, column in (("objects", "count"), ("bytes", "bytes")):
                some = True
                have = folded(path, "--value", value, "--category", r["category"])
                check(have == r[column], "%s: %s of stacks of category %s" % (os.path.basename(path), value, r["category"]), have, r[column])
    check(some, "categories of allocations")
    path = CAPTURES[0]
    check(folded(path, "--time", "0.2-0.5") == folded(path, "--time", "0.2-0.5", "--value", "time") > 0, "folded stacks of a stop that began before")


def main():
    ids = tables_there_are()
    check(len(ids) > 50, "list metrics", "only %d tables" % len(ids))
    met, rows = {}, set()
    made = os.path.join(tempfile.mkdtemp(), "made.mlpd")      # of random events of every kind, in calls
    subprocess.run([sys.argv[2], "17", "8", "1", made], check=True)
    for path in [*CAPTURES, made]:
        plain = Report(path, ids)
        rows |= {t for t in ids if plain.tables.get(t)}
        check_filters(path, ids, plain, met)
        check_groups(path, ids, plain)
        check_thread(path, ids, plain)
        check_time(path, ids, plain)
    for path in CAPTURES[:3]:
        check_depths(path)
    check_depth_of_none(made)
    check_stacks()
    check_pauses(os.path.join(TOP, "testdata", "demo", "good-hitches.ttc.xz"))
    # These need a game engine's capture, or debug information.
    check(set(ids) - rows <= {"frame_timings", "frame_limits", "frame_phases", "coverage_files", "coverage_lines"}, "tables without rows",
          str(set(ids) - rows))
    for (t, option), seen in met.items():
        # A thread's outermost zones stay, and here objects tracked and handles are in no call that could be left out.
        if (t, option) == ("threads", "--depth") or (t in ("objects_tracked", "handle_sites") and option != "--thread"):
            continue
        check(seen, "%s %s" % (t, option), "it changes nothing in any capture, and no note says so")
    for option in ("--marker", "--category", "--thread", "--wait", "--frame-marker", "--frame-thread", "--find"):
        p = run("stats", option, "T:re:a(" if option == "--find" else "re:a(", CAPTURES[0])
        check(p.returncode == 2 and "regular expression" in p.stderr, "%s re:a(" % option, p.stderr)
    end()


if __name__ == "__main__":
    main()
