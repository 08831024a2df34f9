#!/usr/bin/env python3
"""Flight recordings: threads are kept for different spans; figures are of the spans that all threads have, dump by dump, and info lists them."""
import os
import signal
import subprocess
import sys

from ttc import KEEPS_LAST, NO_FRAMES, TRACETOOL, Capture, Suite

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
import ttc_reader

MS = 10 ** 6
HOST = os.path.join(os.path.realpath(os.environ.get("BUILD", "build")), "host", "host")
suite = Suite()


def recording(keep, dumps):
    """
    Main marks frames of 10 ms and writes a chunk each 100 ms; a busy worker and a slow one write calls of 1 ms. ${keep}: by
    thread which of its chunks are there. ${dumps}: the spans that all threads have.
    """
    c = Capture(flags=KEEPS_LAST)
    update, job, slow, long, lost = (c.marker(n) for n in ("Update", "Job", "Slow", "Long", "Lost"))
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
    lazy.begin(300 * MS, long)
    lazy.zone(500 * MS, 600 * MS, lost)
    lazy.end(800 * MS)
    lazy.split(990 * MS)
    lazy.end(991 * MS)
    for t, which in zip(c.threads, keep):
        t.kept = which
    for span in dumps:
        c.dump(*span)
    return c


def rows(*args):
    return {r["marker"]: r for r in suite.rows("markers", *args)}


def counts(*args):
    return {r["marker"]: r["count"] for r in suite.rows("markers", *args)}


def refused(path, *args):
    return suite.run("stats", path, *args, status=2)[1].splitlines()[0].partition("--frames: ")[2]


def dumps(path):
    return [(r["from_ns"], r["to_ns"]) for r in suite.report("info", path)["tables"].get("capture_dumps", {"rows": []})["rows"]]


# Main is kept from 200 ms on, the worker from 650 ms on, the slow thread from its beginning: its call counts where it began.
FROM = 650 * MS
path = recording((range(2, 10), range(13, 20), None), [(FROM, 999 * MS)]).write(suite.path("flight.ttc"))
whole = recording((None, None, None), [(0, 999 * MS)]).write(suite.path("whole.ttc"))

info = suite.report("info", path)
row = info["tables"]["capture"]["rows"][0]
suite.equal("info: a flight recording and its span", (row["flight"], row["dumps"], row["kept_from_ns"], row["kept_ns"]),
            (True, 1, FROM, 999 * MS - FROM))
suite.equal("and its dump", dumps(path), [(FROM, 999 * MS)])
suite.true("and says so", any(n["id"] == "flight" and "650" in n["text"] for n in info["notes"]), info["notes"])
suite.equal("calls of the span", counts(path), {"Update": 35, "Job": 175, "Slow": 0, "Long": 0})
suite.equal("the same as --time says", counts(whole, "--time", "0.65-"), {"Update": 35, "Job": 175, "Slow": 0, "Long": 0})
r = suite.report("stats", path, "--table", "frames,markers")
suite.equal("its frames", r["tables"]["frames"]["rows"][0]["count"], 34)
suite.equal("no filter is blamed", [n for n in r["notes"] if n["id"] == "filter"], [])
suite.equal("a frame before it: the frames that are whole", refused(path, "--frames", "1-2", "--table", "frames"),
            "frames 1 to 2 are not whole frames: these are 46 to 79")
suite.equal("and a time before them", refused(path, "--frames", "1-2", "--time", "-0.7", "--table", "frames"),
            "frames 1 to 2 are not whole frames: these are 46 to 50")
slices = [e for e in suite.chrome(path) if e["ph"] == "X" and e["cat"] != "Frame"]
suite.true("JSON has nothing earlier", min(e["ts"] for e in slices) >= (FROM - 200 * MS) / 1000, min(e["ts"] for e in slices))
suite.equal("JSON: its calls", len([e for e in slices if e["name"] == "Job"]), 175)
suite.equal("a time of the user's within it", counts(path, "--time", "0.9-"), {"Update": 10, "Job": 50, "Slow": 0})
suite.equal("a time before it", counts(path, "--time", "0.1-0.7"), {"Update": 5, "Job": 25, "Slow": 0, "Long": 0})
suite.equal("a time that ends before it", counts(path, "--time", "0.1-0.6"), {})


def same_from_a_pipe(path):
    with open(path, "rb") as f:
        piped = subprocess.run([TRACETOOL, "stats", "-", "--table", "markers", "--format", "csv"], stdin=f, capture_output=True)
    plain = subprocess.run([TRACETOOL, "stats", path, "--table", "markers", "--format", "csv"], capture_output=True)
    suite.equal("from a pipe the same", piped.stdout, plain.stdout)


same_from_a_pipe(path)
info = suite.report("info", whole)
row = info["tables"]["capture"]["rows"][0]
suite.equal("all was kept: no thread begins late", (row["flight"], row["kept_from_ns"], row["kept_ns"]), (True, 0, 999 * MS))
suite.equal("and nothing is cut", counts(whole), {"Update": 100, "Job": 500, "Slow": 1, "Long": 1, "Lost": 1})

# Two dumps, at 400 ms and at the end. The first has Main from 200 ms on and the worker from 250 ms on; the second Main from 700 ms
# on and the worker from 750 ms on. Nothing of the slow thread is forgotten.
SPANS = [(250 * MS, 400 * MS - 1), (750 * MS, 999 * MS)]
two = recording(((2, 3, 7, 8, 9), (5, 6, 7, 15, 16, 17, 18, 19), None), SPANS).write(suite.path("two.ttc"))
info = suite.report("info", two)
row = info["tables"]["capture"]["rows"][0]
suite.equal("two dumps", (row["dumps"], row["kept_from_ns"], row["kept_ns"]), (2, 250 * MS, 399 * MS - 1))
suite.equal("the span of each", dumps(two), SPANS)
suite.true("the note says how many", any(n["id"] == "flight" and "2 dumps" in n["text"] for n in info["notes"]), info["notes"])
suite.equal("nothing is missing", [n for n in info["notes"] if n["id"] not in ("flight", "caveat")], [])
r = rows(two)
suite.equal("calls of both spans", {k: v["count"] for k, v in r.items()}, {"Update": 40, "Job": 200, "Slow": 0, "Long": 1})
suite.equal("a call through the time between counts what lies in the spans",
            [r[k]["total_ns"] for k in ("Job", "Long", "Slow")], [200 * (MS - 1000), 100 * MS + 50 * MS, 150 * MS + 241 * MS])
r = suite.report("stats", two, "--table", "frames")["tables"]["frames"]["rows"][0]
suite.equal("frames that a span has whole, and the longest", (r["count"], r["max_ns"]), (14 + 24, 10 * MS))
suite.equal("no filter is blamed", [n for n in suite.report("stats", two)["notes"] if n["id"] == "filter"], [])
suite.equal("a time of the user's across both", counts(two, "--time", "0.39-0.76"), {"Update": 2, "Job": 10, "Slow": 0, "Long": 0})
suite.equal("a frame between the spans", refused(two, "--frames", "22-22", "--table", "frames"),
            "frame 22 is not whole, but empty, paused, dropped or damaged; choose others from 6 to 49")
begins = sorted(e["ts"] for e in suite.chrome(two) if e["ph"] == "X" and e["name"] in ("Job", "Update", "Lost"))
suite.equal("JSON: calls of both spans", len(begins), 240)
events = [e for e in suite.csv(two) if e.get("name") in ("Job", "Update", "Lost")]
suite.equal("CSV: calls of both spans", len(events), 240)
r = suite.report("stats", two, "--table", "timeline", "--buckets", "10")["tables"]["timeline"]["rows"]
suite.equal("parts of the time count them once", sum(b["calls"] for b in r), 241)
same_from_a_pipe(two)

# Two dumps so close that nothing was forgotten between them are one span.
close = recording((None, None, None), [(0, 400 * MS), (0, 999 * MS)]).write(suite.path("close.ttc"))
suite.equal("the second goes on from the first", [(a, round(b, -3)) for a, b in dumps(close)], [(0, 400 * MS), (400 * MS + 1, 999 * MS)])
suite.equal("nothing is cut", counts(close), counts(whole))
suite.equal("frames neither", suite.report("stats", close, "--table", "frames")["tables"]["frames"]["rows"][0]["count"], 99)

# Without frame marks one reading is enough for most tables: their figures are of the same span.
plain = Capture(flags=KEEPS_LAST | NO_FRAMES)
work, garbage = plain.marker("Work"), plain.marker("Garbage")
long, short = plain.thread(), plain.thread()
for ms in range(0, 1000, 10):
    long.zone(ms * MS, ms * MS + MS, work)
    long.alloc(ms * MS + 2 * MS, garbage, 16)
for ms in range(650, 1000, 10):
    short.zone(ms * MS, ms * MS + MS, work)
plain.dump(FROM, 999 * MS)
plain = plain.write(suite.path("plain.ttc"))
for also in ("", ",timeline", ",objects_found", ",markers"):
    r = suite.report("stats", plain, "--table", "gcalloc" + also)["tables"]["gcalloc"]["rows"][0]
    suite.equal("allocations of the span, with gcalloc%s" % also, (r["count"], r["bytes"]), (35, 35 * 16))
suite.equal("calls of the span", counts(plain), {"Work": 70})
suite.equal("times of the span", rows(plain)["Work"]["total_ns"], 70 * MS)
same_from_a_pipe(plain)


# --- the real plug-in: what each frame of the stand-in game holds depends on its seed alone ---

GAME = ["threads=6", "markers=200", "frames=200", "events=3000", "counters=0", "churn=0", "fps=100"]


def frames(path):
    """Of each frame that lies in one span: how many calls all threads made in it. CSV counts from the first event."""
    info = suite.report("info", path)["tables"]
    zero = min(r["first_ns"] for r in info["capture_threads"]["rows"])
    spans = [(r["from_ns"], r["to_ns"]) for r in info.get("capture_dumps", {"rows": []})["rows"]] or [(0, 1 << 62)]
    marks, begins, out, at = [], [], [], 0
    for e in suite.csv(path):
        if e["kind"] == "frame" or (e["kind"] == "zone" and e["name"] != "WaitForTargetFPS"):      # which depends on the machine
            (marks if e["kind"] == "frame" else begins).append(int(e["start_ns"]) + zero)
    marks.sort()
    begins.sort()
    for start, end in zip(marks, marks[1:]):
        while at < len(begins) and begins[at] < start:
            at += 1
        first = at
        while at < len(begins) and begins[at] < end:
            at += 1
        if any(a <= start and end <= b for a, b in spans):
            out.append(at - first)
    return out


def runs(of, all_frames):
    """Are these frames of the game, in order, none with an event less?"""
    it = iter(all_frames)
    return all(n in it for n in of)


full, kept = suite.path("full.ttc"), suite.path("kept.ttc")
subprocess.run([HOST, "capture=" + full, *GAME[:-1]], capture_output=True, check=True)
subprocess.run([HOST, "capture=" + kept, "options=keep=150ms", "dump=70", *GAME], capture_output=True, check=True)
game = frames(full)
suite.true("the game has its frames", len(game) > 190 and len(set(game)) > 100, game[:10])


def short(path):
    """What the ledger says of a ring that had less room than keep asks for: how often, and what to do."""
    return [(r["count"], r["advice"]) for r in suite.rows("loss", path) if r["kind"] == "short"]


def told(path):
    """The same in the file, by the slow reader: (ms asked for, ms held, bytes of a ring with room for all) of each dump that has less."""
    return [d[2:] for d in ttc_reader.Capture(path).dumps if len(d) > 2]


suite.equal("the ring had room for all that was asked for", (short(kept), told(kept)), ([], []))
small = suite.path("small.ttc")
player = subprocess.run([HOST, "capture=" + small, "options=keep=600s;ring=1536K", *GAME[:-1]], capture_output=True, text=True, check=True)
(asked, held, room), = told(small)
begin, end = dumps(small)[-1]
suite.true("it had not: the file says for how long",
           asked == 600000 and 0 < held < 10000 and abs((end - begin) / MS - held) < held / 4 + 20, (held, begin, end))
suite.true("and how large it must be", 1 <= room * held / (1536 * 1024 * asked) < 1.25, room)
needs = "It had room for %d ms of 600000 ms; about %d MB have it for all. Record with a larger ring, or less." % (held, (room >> 20) + 1)
suite.equal("the ledger says so", short(small), [(1, needs)])
suite.true("and the recorder", "the ring had room for %d ms of what keep= asks for; about ring=%dM has it for all" % (held, (room >> 20) + 1) in
           player.stdout + player.stderr, player)
out, err = (" ".join(said.split()) for said in suite.run(small))
suite.true("the first screen does not call it whole", "yes, nothing was lost" not in out and "shorter than asked for" in out and needs in err, (out, err))
spans = dumps(kept)
suite.equal("dumps at frames 70 and 140, and at the end", len(spans), 3)
suite.true("time is missing between them", all(a[1] < b[0] for a, b in zip(spans, spans[1:])), spans)
got = frames(kept)
suite.true("some frames of each", 20 < len(got) < 190, len(got))
suite.true("each frame has the calls of all threads", runs(got, game), got)

# Killed: what the ring has is the last span, and recover writes it down.
killed = suite.path("killed.ttc")
player = subprocess.run([HOST, "capture=" + killed, "options=keep=150ms", "dump=70", "die=195", *GAME], capture_output=True)
suite.equal("the player is killed", player.returncode, 128 + signal.SIGKILL)
spans = dumps(killed)
suite.true("the last span has no dump of its own", len(spans) == 3 and spans[-1][1] > spans[-2][1], spans)
got = frames(killed)
suite.true("each frame has the calls of all threads", len(got) > 20 and runs(got, game), got)
suite.run("recover", "-q", killed, "-o", suite.path("mended.ttc"))
suite.equal("recover keeps the spans", dumps(suite.path("mended.ttc")), spans)
suite.equal("and the frames", frames(suite.path("mended.ttc")), got)
suite.equal("its ring had room", short(killed), [])
killed = suite.path("killed-small.ttc")
subprocess.run([HOST, "capture=" + killed, "options=keep=600s;ring=1536K", "die=195", *GAME[:-1]], capture_output=True)
(count, needs), = short(killed)
suite.true("killed, with a ring that had not: it is told", count == 1 and " ms of 600000 ms; about " in needs, needs)
suite.run("recover", "-q", killed, "-o", suite.path("mended-small.ttc"))
suite.equal("recover keeps that", short(suite.path("mended-small.ttc")), [(count, needs)])
suite.end()
