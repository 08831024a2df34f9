#!/usr/bin/env python3
"""The first screen, `tracetool FILE`: 80 columns and 50 lines, of which a command above it and a prompt below it take two, whatever is in the
captures. Games with everything at once: frames that a limit holds, the Editor's markers, long frames of many causes, allocations of many methods,
names from short to monstrous, losses, one file and many. What gives way is the list in tracetool(1), and what it says is left out is there
where it says so."""
import re
import struct

from raw_log import MAIN, MS, SESSION, Log, marker, sample, state, thread
from ttc import Capture, Suite

SCREEN, WIDTH, FRAME, FRAMES = 48, 80, 16.625, 240
ALLOC, WAIT, EDITOR, SIGNAL, COLLECT, LOOP, GAME = 1, 2, 3, 4, 5, 6, 7
KINDS = 12                                                # methods of the game, each with a cause of its own
suite = Suite()


def names(length):
    """Of the root, of what Unity calls its own, and of the game's methods, of ${length} characters and more."""
    own = ["Game.dll!Game::Part%d.Update()" % k for k in range(KINDS)]
    return ["Main Thread", "GC.Alloc", "WaitForTargetFPS", "EditorLoop", "Semaphore.WaitForSignal", "GC.Collect", "PlayerLoop"] + \
        [n.replace("Part", "x" * max(0, length - len(n)) + "Part") for n in own]


# Times are in ms, in binary fractions, so that sums of them are exact.


def work(at, method, ms, calls=1, size=0):
    """Calls of a method one after the other, in each of which it allocates."""
    out = b""
    for a in (at + ms * i / calls for i in range(calls)):
        out += sample(36, GAME + method, a)
        if size:
            out += struct.pack("<HBIQBBI", 42, 0, ALLOC, int(a * MS), 1, 3, size) + sample(37, ALLOC, a)
        out += sample(37, GAME + method, a + ms / calls)
    return out


def game(name, length, capped, start):
    """Every 12th frame is long, and each of them by another method: more calls, a longer one, a wait, garbage, a collection."""
    log = Log(start, names(length))
    for k in range(FRAMES):
        at, inside = start + k * FRAME, b""
        log.block(MAIN, struct.pack("<HIQ", 34, k, int(at * MS)))
        now = at + .125
        kind = k // 12 % KINDS if k % 12 == 5 else None
        for method in range(0, KINDS, 2):
            more = kind == method
            ms, calls = (9, 64) if more and method % 4 else (9, 1) if more else (.5, 1)
            inside += work(now, method, ms, calls, 2000 if more else 40 + method)
            now += ms
        if kind is not None and kind % 2:
            a = now
            inside += sample(36, GAME + kind, a)
            if kind % 4 == 1:
                inside += sample(36, SIGNAL, a + .125) + sample(37, SIGNAL, a + 8)
            else:
                inside += b"".join(struct.pack("<HBIQBBI", 42, 0, ALLOC, int(a * MS), 1, 3, 600000) + sample(37, ALLOC, a) for _ in range(3))
                inside += sample(36, COLLECT, a + .125) + sample(37, COLLECT, a + 8)
            inside += sample(37, GAME + kind, a + 8.125)
            now = a + 8.125
        body = sample(36, 0, at) + sample(36, LOOP, at + .0625) + inside + sample(37, LOOP, now)
        body += sample(36, EDITOR, now) + sample(37, EDITOR, now + 1.5)
        now += 1.5
        if capped:
            body += sample(36, WAIT, now) + sample(37, WAIT, max(now, at + FRAME - .125))
        log.block(MAIN, body + sample(37, 0, max(now, at + FRAME - .0625)))
    log.block(MAIN, struct.pack("<HIQ", 34, FRAMES, int((start + FRAMES * FRAME) * MS)))
    log.block(SESSION, state(0, start + FRAMES * FRAME))
    return log.write(suite.path(name))


def damaged(path, name):
    """The same with a hole, a wrong mark, bytes that are none of its messages, and without its end."""
    with open(path, "rb") as f:
        b = bytearray(f.read())
    n = len(b)
    del b[n // 2:n // 2 + 5000]
    b[n // 4:n // 4 + 64] = bytes(range(64))
    b[n // 3:n // 3 + 4] = b"\xff" * 4
    with open(suite.path(name), "wb") as f:
        f.write(b[:-n // 5])
    return suite.path(name)


def check(what, *args, status=0):
    """The screen of ${args} fits, its commands are whole, and what it leaves out is where it says."""
    screen, _ = suite.run("-q", "--width", str(WIDTH), *args, status=status)
    lines = screen.splitlines()
    suite.true(what + ": at most %d lines" % SCREEN, 0 < len(lines) <= SCREEN, "%d lines\n%s" % (len(lines), screen))
    commands = [line for line in lines if re.search(r" tracetool .*-|  tracetool ", line)]
    wide = [line for line in lines if len(line) > WIDTH and line not in commands and not any(a in line for a in args)]
    suite.true(what + ": no line of more than %d columns" % WIDTH, not wide, wide)
    last = [line for line in commands if line.startswith("  a page to share")]
    suite.true(what + ": commands are whole", len(last) == 1 and last[0].endswith(" -o report.html") and all(a in last[0] for a in args), commands)
    whole = suite.report("-q", *args, status=status)
    tables = whole["tables"]
    for title, table, rows in (("Worst frames", "capture_frames", 3), ("Why frames are long", "capture_causes", 4),
                               ("Most allocated", "capture_allocations", 3), ("Most time, without waits", "capture_markers", 3)):
        suite.true(what + ": " + title, table not in tables or (title in lines and len(tables[table]["rows"]) <= rows), tables.get(table))
    found = suite.rows("causes", "-q", *args, "--limit", "0", status=status) if "capture_causes" in tables else []
    text = screen.split("Why frames are long")[-1].split("\n\n")[0]
    shown = len(re.findall(r"(?m)^  (?:frames? \d|\d+ frames|all frames)", text))
    suite.equal(what + ": \"all causes\" where some are left out", any(line.startswith("  all causes") for line in lines), len(found) > shown)
    notes = [line for line in lines if re.match("notice: |loss: |error: ", line)]
    more = [int(m.group(1)) for m in (re.match('notice: ([0-9]+) more notices? .* not shown', n) for n in notes) if m]
    suite.equal(what + ": notices and losses, shown or counted", len(notes) - len(more) + sum(more), len(whole["notes"]))
    return screen


small = check("a small game", game("small.raw", 0, False, 1000))
suite.true("nothing gives way without need", len(re.findall("(?m)^  +[0-9]+  .* ms  ", small)) == 3, small)
for length in (0, 60, 300, 4000):
    for capped in (False, True):
        what = "names of %d%s" % (length, ", capped" if capped else "")
        path = game("game%d%d.raw" % (length, capped), length, capped, 2000 + length + capped)
        check(what, path)
        check(what + ", without the Editor", path, "--player-only")
        check(what + ", damaged", damaged(path, "cut%d%d.raw" % (length, capped)), status=3)
for count in (2, 7, 40):
    paths = [game("of%d.%d.raw" % (count, k), 20, k % 2, 10000 + 100 * count + k) for k in range(count)]
    check("%d files" % count, *paths)
    check("%d files, damaged" % count, *[damaged(p, p.split("/")[-1].replace("of", "hurt")) for p in paths], status=3)
# A log that the program opened and wrote nothing to, and one that has names alone.
for what, more in (("a header alone", b""), ("names alone", thread(100, 1000, "Main Thread") + marker(0, "Main Thread"))):
    log = Log(100)
    log.b = log.b[:36]
    log.n = {}
    if more:
        log.block(SESSION, more)
    recorded = [line for line in check(what, log.write(suite.path("nothing.raw"))).splitlines() if line.startswith("  recorded  ")]
    suite.true(what + ": nothing is recorded", len(recorded) == 1 and "  nothing that has a time, " in recorded[0], recorded)


def waiting(name, frames):
    """Frames of 10 ms: in each, a method of 8 ms waits for 5 of them."""
    c = Capture(run=name.encode().ljust(16)[:16])
    t, method, wait = c.thread(), c.marker("Assets.Lookup"), c.marker("Semaphore.WaitForSignal")
    for i in range(frames):
        at = i * 10 * MS
        t.frame(at)
        t.begin(at + MS, method)
        t.zone(at + 2 * MS, at + 7 * MS, wait)
        t.end(at + 9 * MS)
    return c.write(suite.path(name))


def only(table, *args):
    return suite.report("-q", *args)["tables"][table]["rows"][0]


path = waiting("waiting.ttc", 12)
row = only("capture_markers", path, "--frames", "3")
suite.equal("time per frame is without waits, too", [row[c] for c in ("marker", "self_ns", "frame_self_mean_ns")], ["Assets.Lookup", 3 * MS, 3 * MS])
suite.equal("it is not known without waits", only("capture_markers", path, "--no-wait")["frame_self_mean_ns"], None)
suite.equal("the part that is chosen is named", only("capture_summary", path, "--frames", "3", "--no-wait", "--names", "full")["shown"],
            "only --frames 3 --no-wait")
suite.equal("the whole is not", only("capture_summary", path, "--names", "full")["shown"], None)
suite.equal("frames up to one that is not there", [n["text"] for n in suite.report("-q", path, "--frames", "3-90")["notes"]],
            ["--frames: the last whole frame up to 90 is 11"])
suite.equal("frames up to the last", suite.report("-q", path, "--frames", "3-11")["notes"] + suite.report("-q", path, "--frames", "3-")["notes"], [])
two = only("capture_summary", path, waiting("again.ttc", 7), "--align", "start")
suite.true("time between captures is not recorded", two["extent"].startswith("188.0 ms in 2 captures, within 119.0 ms"), two["extent"])
suite.equal("captures of their own have no frames together", only("capture_markers", path, suite.path("again.ttc"))["frame_self_mean_ns"], None)
suite.run("diff", waiting("one.ttc", 1), "--", path, status=2)            # As any other command that needs frames.
suite.equal("one mark is no frame, and is a mark", only("capture_summary", suite.path("one.ttc"))["frames"], "no whole frame in this capture")
suite.end()
