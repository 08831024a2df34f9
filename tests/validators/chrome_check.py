#!/usr/bin/env python3
"""Chrome JSON in Perfetto's trace_processor, Chrome's trace engine and speedscope: see chrome.sh.

    chrome_check.py TRACETOOL [CAPTURE...]
"""
import csv
import io
import json
import os
import sys
import tempfile
from collections import Counter

from common import DEVTOOLS, ORACLE, SPEEDSCOPE, TRACE_PROCESSOR, Failure, captures, check_all, run, same

SLICES = ("select t.tid tid, p.pid pid, s.name name, s.category cat, s.ts ts, s.dur dur, s.depth depth from slice s "
          "join thread_track tt on s.track_id = tt.id join thread t using (utid) left join process p using (upid)")
THREADS = "select tid, name from thread where name is not null"


def name_of(name):
    """Both readers print an address for what has no name, each in its own words."""
    return "(unknown)" if name.startswith(("(unknown", "(unresolved", "0x")) else name


def from_start(rows):
    """Rows (thread, name, start, duration, depth) with starts counted from the first."""
    first = min((r[2] for r in rows), default=0)
    return Counter((t, name_of(n), start - first, dur, depth) for t, n, start, dur, depth in rows)


def oracle_zones(path):
    text = run(sys.executable, ORACLE, "--events", path)
    return from_start([(r["tid"], r["method"], int(r["start_ns"]), int(r["dur_ns"]), int(r["depth"]))
                       for r in csv.DictReader(io.StringIO(text))])


class Output:
    """The file as JSON: who the threads are, and what is no zone."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.json = json.load(f)
        events = self.json["traceEvents"]
        self.native = {e["tid"]: e["args"]["native_id"] for e in events
                       if e["ph"] == "M" and e["name"] == "thread_name" and "native_id" in e["args"]}
        self.names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.instants = {(e["name"], e.get("cat")) for e in events if e["ph"] == "i"}
        self.zones = Counter(e["tid"] for e in events if e["ph"] in ("X", "B") and e.get("cat") != "Frame")
        self.ends = Counter(e["tid"] for e in events if e["ph"] in ("X", "E") and e.get("cat") != "Frame")
        self.counters = {e["name"] for e in events if e["ph"] == "C"}
        zone_names = {(e["name"], e.get("cat")) for e in events if e["ph"] in ("X", "B")}
        same("names of zones and of instants have in common, and that", zone_names & self.instants, set())


def ask(consumer, *question):
    got = consumer.ask(*question)
    if "error" in got:
        raise Failure("%s: %s" % (consumer.script, got["error"]))
    return got


def check_perfetto(path, out, want):
    slices, threads, counters = ask(TRACE_PROCESSOR, path, SLICES, THREADS, "select distinct name from counter_track")["rows"]
    for s in slices:
        s.update((k, int(s[k])) for k in ("tid", "ts", "dur", "depth"))
    rows = [(out.native[s["tid"]], s["name"], s["ts"], s["dur"], s["depth"]) for s in slices
            if (s["name"], s["cat"]) not in out.instants and s["cat"] != "Frame"]
    have = from_start(rows)
    for what, f in (("numbers of zones", lambda z, n: n), ("sums of durations", lambda z, n: n * z[3]),
                    ("sums of depths", lambda z, n: n * z[4])):
        same("trace_processor: " + what, sum(f(z, n) for z, n in have.items()), sum(f(z, n) for z, n in want.items()))
    same("trace_processor: zones", have, want)
    same("trace_processor: names of threads", {int(t["tid"]): t["name"] for t in threads},
         {tid: name for tid, name in out.names.items()})
    same("trace_processor: number of counters", len({c["name"].split(" id: ")[0].rsplit(" ", 1)[0]
                                                     if " id: " not in c["name"] else c["name"].split(" id: ")[0]
                                                     for c in counters}), len(out.counters))


def check_devtools(path, out):
    got = ask(DEVTOOLS, path)
    threads = {t["tid"]: t for t in got["threads"] if t["entries"]}
    frames = {tid for tid, name in out.names.items() if tid not in out.native}
    zones = {tid: n for tid, n in out.zones.items() if n}
    same("DevTools: zones in the tree", {t: v["inTree"] for t, v in threads.items() if t not in frames}, zones)
    same("DevTools: zones of threads", {t: v["entries"] for t, v in threads.items() if t not in frames}, zones)
    same("DevTools: names of threads", {t: v["name"] for t, v in threads.items()},
         {t: out.names[t] for t in threads})


def check_speedscope(path):
    """It takes begins and ends one by one, and warns of each that does not close what is open."""
    got = ask(SPEEDSCOPE, path)
    same("speedscope: profiles", got["profiles"] > 0, True)
    same("speedscope: warnings", got["warnings"], [])


def main(tracetool, *files):

    def check(path):
        want = oracle_zones(path)
        with tempfile.TemporaryDirectory() as d:
            for form in ([], ["--begin-end"]):
                to = os.path.join(d, "out.json")
                run(tracetool, "convert", "-q", "--wrappers", "--names", "full", *form, "-o", to, path)
                out = Output(to)
                same("begins and ends", out.zones, out.ends)
                check_perfetto(to, out, want)
                check_devtools(to, out)
                if form:
                    check_speedscope(to)

    return check_all(captures(list(files)), check)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
