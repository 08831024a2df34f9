#!/usr/bin/env python3
"""Timelines of frames that are chosen only after all events were read, as the worst of capped frames are: the input is read once more, and what
has nothing in these frames is passed over. Each has all its zones and no other: those of its own thread, and those of a thread whose zones last
over most of the capture, some of them into later megabytes than the frame's. The zones are known from how the log is made. The page is kept so
small that it has not all frames. Times are in ns."""
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "system", "report"), os.path.join(HERE, "..", "kit")]
from page import Page, details  # noqa: E402
from raw_log import MAIN, MS, SESSION, Log, state, thread  # noqa: E402
from ttc import Suite  # noqa: E402

FRAMES, FRAME, SAVER, SMALL = 200, 16 * MS, 200, 600
ROOT, STEP, WAIT, PART, LONG, SHORT = range(6)
NAMES = ["Main Thread", "Game:Step", "WaitForTargetFPS", "Game:Part", "Saver:Save", "Saver:Flush"]
SPIKES = [103, 105, 107, 109, 111, 126, 131, 136, 141, 146]      # places from 0; the first frames are the ones that wall time chooses
# In frames. In its third megabyte, from about frame 115 to 172, the thread does nothing but end what began before, in a frame that is not shown.
SAVES = [(20.25, 61.5, LONG), (40, 60.25, LONG), (100.5, 153.75, LONG), (103, 105.5, SHORT), (105.75, 106, SHORT), (107.5, 107.75, SHORT),
         (109.25, 153.25, LONG), (190, 193, SHORT)]
ENDS = 153
suite = Suite()


def sample(kind, number, ns):
    return struct.pack("<HBIQ", kind, 0, number, ns)


def log():
    """The game's log, and by frame what its thread does: (start in it, name, duration, begun before)."""
    out, own = Log(1, NAMES), []
    out.block(SESSION, thread(SAVER, 0, "Saver"))
    events = sorted([(a, 36, m) for a, _, m in SAVES] + [(b, 37, m) for _, b, m in SAVES])
    for k in range(FRAMES):
        at, part = FRAME * (k + 1), 15000 if k in SPIKES else 3000
        zones = [(0, FRAME - 250000, ROOT), (125000, 250000 + part * SMALL, STEP)]
        zones += [(125000 + i * part, part, PART) for i in range(SMALL)]
        zones += [(500000 + part * SMALL, FRAME - part * SMALL - 900000, WAIT)]
        out.block(MAIN, struct.pack("<HIQ", 34, k, at))
        body = sample(36, ROOT, at) + sample(36, STEP, at + 125000)
        body += b"".join(sample(36, PART, at + a) + sample(37, PART, at + a + d) for a, d, m in zones if m == PART)
        out.block(MAIN, body + sample(37, STEP, at + sum(zones[1][:2])) + sample(36, WAIT, at + zones[-1][0]) +
                  sample(37, WAIT, at + sum(zones[-1][:2])) + sample(37, ROOT, at + FRAME - 250000))
        saves = b"".join(sample(kind, m, round(FRAME * (1 + t))) for t, kind, m in events if k <= t < k + 1)
        if saves:
            out.block(SAVER, saves)
        own.append([(a, NAMES[m], d, False) for a, d, m in zones if m != ROOT])          # a root is no zone
    out.block(MAIN, struct.pack("<HIQ", 34, FRAMES, FRAME * (FRAMES + 1)))
    out.block(SESSION, state(0, FRAME * (FRAMES + 1) / MS))
    return out, own


def in_frame(k):
    """What the other thread does in frame ${k}, as what log() says of the frame's own."""
    cut = sorted((max(a, k), -b, m, a < k) for a, b, m in SAVES if a < k + 1 and b > k)
    return [(round(FRAME * (a - k)), NAMES[m], round(FRAME * (min(-b, k + 1) - a)), before) for a, b, m, before in cut]


capture, mains = log()
suite.true("the log has several megabytes", len(capture.b) > 3 << 20, len(capture.b))
path = capture.write(suite.path("game.raw"))
for jobs in "1", "3":
    _, said = suite.run("report", "-v", "-j", jobs, "--max-size", "500k", path, "-o", suite.path("page.html"))
    suite.true("read a third time", "pass 3" in said, said)
    with open(suite.path("page.html"), encoding="utf-8") as f:
        shown = details(Page(f.read()))
    suite.true("the frame in which the long zones end is not", ENDS + 1 not in shown)
    suite.equal("the worst are shown", [k + 1 in shown for k in SPIKES], [True] * len(SPIKES))
    for number, threads in sorted(shown.items()):
        k = number - 1
        have = {t["thread"]: [(at, name, dur, before) for at, _, name, dur, before, _ in t["zones"]] for t in threads}
        suite.equal("frame %d, its own thread" % number, have.get("Main Thread"), mains[k])
        suite.equal("frame %d, the other thread" % number, have.get("Saver", []), in_frame(k))
suite.end()
