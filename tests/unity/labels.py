#!/usr/bin/env python3
"""Labels and facts with their time: all of them in the table, in JSON and in CSV; frames cut by them."""
from ttc import Capture, Suite

MS = 10 ** 6
suite = Suite()


def other():
    """A second program, with frames of 7 ms from 4 ms on."""
    c = Capture(run=b"fedcba9876543210")
    update = c.marker("Update")
    t = c.thread()
    for i in range(61):
        t.frame((4 + 7 * i) * MS)
        t.zone((4 + 7 * i) * MS + 1000, (5 + 7 * i) * MS, update)
    return c


def game(run=b"0123456789abcdef", mono_ns=10 ** 12):
    """40 frames of 10 ms from 1 ms on; a boss fight from frame 11 to 20, and again from frame 31 on."""
    c = Capture(run=run, mono_ns=mono_ns)
    c.fact(0, "device", "Steam Deck")
    c.fact(0, "label", "menu")
    c.fact(101 * MS - 500, "label", "boss fight")
    c.fact(201 * MS - 500, "label", "level=2")
    c.fact(201 * MS - 400, "scene", "Forest")
    c.fact(301 * MS - 500, "label", "boss fight")
    c.fact(301 * MS - 400, "scene", "Cave")
    update = c.marker("Update")
    t = c.thread()
    for i in range(41):
        at = (1 + 10 * i) * MS
        t.frame(at)
        t.zone(at + 1000, at + MS, update)
    return c


c = game()
path = c.write(suite.path("game.ttc"))
ALL = [(0, "device", "Steam Deck"), (0, "label", "menu"), (101 * MS - 500, "label", "boss fight"), (201 * MS - 500, "label", "level=2"),
       (201 * MS - 400, "scene", "Forest"), (301 * MS - 500, "label", "boss fight"), (301 * MS - 400, "scene", "Cave")]
rows = suite.rows("facts", path)
suite.equal("the table has all", [(r["time_ns"], r["key"], r["value"]) for r in rows], ALL)
suite.equal("and until when each holds", [r["to_ns"] for r in rows],
            [None, 101 * MS - 500, 201 * MS - 500, 301 * MS - 500, 301 * MS - 400, None, None])
suite.equal("CSV has all", [(int(r["start_ns"]), r["name"], r["detail"]) for r in suite.csv(path) if r["kind"] == "fact"], ALL)
for form in ([], ["--begin-end"]):
    got = [e for e in suite.chrome(path, *form) if e.get("cat") == "Facts"]
    suite.equal("JSON has all %s" % form, [(e["ph"], e["name"], e["args"]) for e in got],
                [("i", "%s: %s" % f[1:], {"key": f[1], "value": f[2]}) for f in ALL])
    # Times in JSON count from 1 us at the first event; what was set before it stands there.
    suite.equal("with their times %s" % form, [float(e["ts"]) for e in got], [(max(f[0], MS) - MS + 1000) / 1000 for f in ALL])


def frames(*args, status=0):
    rows = suite.rows("hitches", path, "--hitches", "100", *args)
    return sorted(r["frame"] for r in rows)


CASES = [
    (["--from-label", "boss*"], range(11, 41)),
    (["--from-label", "boss fight", "--to-label", "*"], range(11, 21)),
    (["--from-label", "boss", "--to-label", "level=2"], range(11, 21)),
    (["--to-label", "boss fight"], range(1, 11)),
    (["--from-label", "level=2"], range(21, 41)),
    (["--from-label", "label=level=2", "--to-label", "label=boss*"], range(21, 31)),
    (["--from-label", "scene=Cave"], range(31, 41)),
    (["--from-label", "scene=*", "--to-label", "scene=*"], range(21, 31)),
    (["--from-label", "re:^level=[0-9]$"], range(21, 41)),
    (["--from-label", "scene=re:^C"], range(31, 41)),
    (["--from-label", "boss*", "--time", "-0.351"], range(11, 36)),
    (["--from-label", "boss*", "--frames", "15-25"], range(15, 26)),
    (["--from-label", "boss*", "--frames", "5-12"], range(11, 13)),
]
for args, want in CASES:
    suite.equal("frames of %s" % " ".join(args), frames(*args), list(want))
n = len([e for e in suite.chrome(path, "--from-label", "boss*", "--to-label", "*") if e["name"] == "Update"])
suite.equal("convert: calls of the boss fight", n, 10)
_, err = suite.run("info", path, "--from-label", "scene=Cave", status=2)
suite.true("info describes the whole", "--from-label is for stats and convert" in err, err)
with open(path, "rb") as f:
    piped = f.read()
with open(suite.path("batch.ttc"), "wb") as f:
    f.write(piped)
_, err = suite.run("stats", path, "--from-label", "no such", status=2)
suite.true("a label that is never set", '--from-label "no such": no such label' in err, err)
_, err = suite.run("stats", path, "--from-label", "scene=Cave", "--to-label", "menu", status=2)
suite.true("a label that is not set later", '--to-label "menu": no such label after' in err, err)
_, err = suite.run("stats", path, "--from-label", "re:(", status=2)
suite.true("a wrong expression", "--from-label" in err, err)

# Of two captures, frames that begin in the time are whole, whichever comes first; by number, frames of one alone can be chosen.
two = [path, other().write(suite.path("other.ttc"))]
for files in (two, two[::-1]):
    rows = [r["total_ns"] for r in suite.rows("frame_markers", *files, "--from-label", "boss fight", "--to-label", "*") if r["marker"] == "Update"]
    suite.equal("their frames are whole", rows, [MS - 1000] * (10 + 15))
    for output in (["stats"], ["convert", "-f", "pdata", "-o", suite.path("two.pdata")]):
        _, err = suite.run(*output, *files, "--frames", "2-3", status=2)
        suite.true("two captures have no frames by number", "--frames needs frames of one capture: %s and %s both have some" % tuple(files) in err,
                   err)

# The files of a rotation tell again what was set before: it is one fact.
first, second = game(), game()
second.part = 1
first.finish = 3
second.threads = []
first.write(suite.path("a.ttc"))
second.write(suite.path("a.1.ttc"))
suite.equal("two files of one recording", [(r["time_ns"], r["key"], r["value"]) for r in
                                           suite.rows("facts", suite.path("a.ttc"), suite.path("a.1.ttc"))], ALL)
suite.end()
