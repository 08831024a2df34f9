#!/usr/bin/env python3
"""Flight recordings: threads are kept for different spans; figures are of the span that all have, and it is told."""
import subprocess

from ttc import KEEPS_LAST, TRACETOOL, Capture, Suite

MS = 10 ** 6
suite = Suite()


def recording(keep):
    """
    Main marks frames of 10 ms and writes a chunk each 100 ms; a busy worker and a slow one write calls of 1 ms. ${keep}: by
    thread how many of its chunks were let go.
    """
    c = Capture(flags=KEEPS_LAST)
    update, job, slow = c.marker("Update"), c.marker("Job"), c.marker("Slow")
    main, worker, lazy = c.thread(), c.thread(), c.thread()
    for ms in range(0, 1000, 10):
        if ms % 100 == 0:
            main.split(ms * MS)
        main.frame(ms * MS)
        main.zone(ms * MS + 1000, ms * MS + MS, update)
    for ms in range(0, 1000, 2):
        if ms % 50 == 0:
            worker.split(ms * MS)
        worker.zone(ms * MS + 1000, (ms + 1) * MS, job)
    lazy.begin(MS, slow)
    lazy.split(990 * MS)
    lazy.end(991 * MS)
    for t, n in zip(c.threads, keep):
        t.kept_from = n
    return c


# Main is kept from 200 ms on, the worker from 650 ms on, the slow thread from its beginning: its call counts where it began.
path = recording((2, 13, 0)).write(suite.path("flight.ttc"))
whole = recording((0, 0, 0)).write(suite.path("whole.ttc"))
FROM = 650 * MS


def counts(*args):
    return {r["marker"]: r["count"] for r in suite.rows("markers", *args)}


info = suite.report("info", path)
row = info["tables"]["capture"]["rows"][0]
suite.equal("info: a flight recording and its span", (row["flight"], row["kept_from_ns"], row["kept_ns"]), (True, FROM, 999 * MS - FROM))
suite.true("and says so", any(n["id"] == "flight" and "650" in n["text"] for n in info["notes"]), info["notes"])
suite.equal("calls of the span", counts(path), {"Update": 35, "Job": 175, "Slow": 0})
suite.equal("the same as --time says", counts(whole, "--time", "0.65-"), {"Update": 35, "Job": 175, "Slow": 0})
r = suite.report("stats", path, "--table", "frames,markers")
suite.equal("its frames", r["tables"]["frames"]["rows"][0]["count"], 34)
suite.equal("no filter is blamed", [n for n in r["notes"] if n["id"] == "filter"], [])
slices = [e for e in suite.chrome(path) if e["ph"] == "X" and e["cat"] != "Frame"]
suite.true("JSON has nothing earlier", min(e["ts"] for e in slices) >= (FROM - 200 * MS) / 1000, min(e["ts"] for e in slices))
suite.equal("JSON: its calls", len([e for e in slices if e["name"] == "Job"]), 175)
suite.equal("a time of the user's within it", counts(path, "--time", "0.9-"), {"Update": 10, "Job": 50, "Slow": 0})
suite.equal("a time before it", counts(path, "--time", "0.1-0.7"), {"Update": 5, "Job": 25, "Slow": 0})
with open(path, "rb") as f:
    piped = subprocess.run([TRACETOOL, "stats", "-", "--table", "markers", "--format", "csv"], stdin=f, capture_output=True)
plain = subprocess.run([TRACETOOL, "stats", path, "--table", "markers", "--format", "csv"], capture_output=True)
suite.equal("from a pipe the same", piped.stdout, plain.stdout)

info = suite.report("info", whole)
row = info["tables"]["capture"]["rows"][0]
suite.equal("all was kept: no thread begins late", (row["flight"], row["kept_from_ns"], row["kept_ns"]), (True, 0, 999 * MS))
suite.equal("and nothing is cut", counts(whole), {"Update": 100, "Job": 500, "Slow": 1})
suite.end()
