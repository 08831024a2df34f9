#!/usr/bin/env python3
"""Zones of length 0 beside, around and inside others at one time (Unity's clock has steps of 100 ns), as viewers nest them.

    zone_order.py TRACETOOL

A capture has every forest of up to three zones inside a zone whose begins and ends lie at each choice of three neighbouring times, each
in a frame of its own. The parents are those of the forest. Perfetto's engine must find them in Chrome JSON, in either form, and in its
own format; speedscope in pairs of begins and ends, without a warning. Zones may be moved by a few ns, and no zone loses its length. A second capture has
the same forests on a thread each, which break off after each of their changes: what is open then lasts to the end. A third one (.ttc) has them with the
edge of a chunk between each two changes, and between all: there Unity's Profile Analyzer gets the parents, too.
"""
import itertools
import os
import struct
import sys
import tempfile
from collections import Counter
from functools import partial

from common import SPEEDSCOPE, TRACE_PROCESSOR, Failure, run, same

for folder in ("unity", "oracle"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder))
from pdata_file import Pdata  # noqa: E402
from raw_log import MAIN, SESSION, Log, state, thread  # noqa: E402
from ttc import Capture  # noqa: E402

TICK, START, ROOT = 100, 10 ** 7, "PlayerLoop"
NAMES = "PABC"
SLICES = ("select s.ts ts, s.dur dur, s.name name, p.name parent from slice s join thread_track t on s.track_id = t.id "
          "left join slice p on p.id = s.parent_id where s.category != 'Frame' order by s.ts, s.id")


def forests(n):
    """All ways to nest ${n} zones, as a text of begins and ends."""
    if n == 0:
        yield ""
        return
    for inner in range(n):
        for a in forests(inner):
            for b in forests(n - 1 - inner):
                yield "(" + a + ")" + b


def orders(n):
    """Each forest inside one zone, with each choice of times that do not fall: [(time, is a begin), ...]."""
    for forest in forests(n):
        changes = "(" + forest + ")"
        for times in itertools.combinations_with_replacement(range(3), len(changes)):
            yield [(t, c == "(") for t, c in zip(times, changes)]


def zones(order):
    """(name, parent, begin, length) of each zone; names are given as they begin."""
    out, open_zones, names = [], [], iter(NAMES)
    for t, begins in order:
        if begins:
            name = next(names)
            open_zones.append([name, open_zones[-1][0] if open_zones else ROOT, t, None])
            out.append(open_zones[-1])
        else:
            zone = open_zones.pop()
            zone[3] = t - zone[2]
    return [tuple(z) for z in out]


def write(path, cases):
    """A frame of 10 us for each case; frames are blocks, as the player writes them."""
    def sample(kind, marker, ns):
        return struct.pack("<HBIQ", kind, 0, marker, ns)

    log = Log(START // 10 ** 6, ("Main Thread", ROOT) + tuple(NAMES))
    for i, order in enumerate(cases):
        at = START + i * 10000
        body, open_zones, markers = sample(36, 0, at) + sample(36, 1, at), [], itertools.count(2)
        for t, begins in order:
            marker = next(markers) if begins else open_zones.pop()
            if begins:
                open_zones.append(marker)
            body += sample(36 if begins else 37, marker, at + 1000 + t * TICK)
        log.block(MAIN, struct.pack("<HIQ", 34, i, at))
        log.block(MAIN, body + sample(37, 1, at + 9000) + sample(37, 0, at + 9000))
    end = (START + len(cases) * 10000) / 1e6
    log.block(MAIN, struct.pack("<HIQ", 34, len(cases), int(end * 1e6)))
    log.block(SESSION, state(0, end))
    log.write(path)


def cut(orders_of_zones):
    """Each order with the edge of a chunk before each of its changes, and before all: [(order, changes that follow one), ...]."""
    for order in orders_of_zones:
        inner = range(1, len(order))
        yield from ((order, (n,)) for n in inner)
        yield order, tuple(inner)


def may_differ(order, cuts):
    """True where the manual says so of complete events: zones of length 0 lie between two begins, at their time, of zones that go on in the next chunk, or
    between such a begin and the edge. Several edges among a few zones are not told apart here."""
    open_zones = []
    for i, (_, begins) in enumerate(order[:cuts[0]]):
        open_zones = open_zones + [i] if begins else open_zones[:-1]
    ends = open_zones[1:] + [cuts[0]]
    return len(cuts) > 1 or any(b > a + 1 and order[a][0] == order[min(b, cuts[0] - 1)][0] for a, b in zip(open_zones, ends))


def write_cut(path, cases):
    capture = Capture()
    keys = {n: capture.marker(n) for n in (ROOT,) + tuple(NAMES)}
    t = capture.thread()
    capture.thread_name(t.native, "", "Main Thread")
    for i, (order, cuts) in enumerate(cases):
        at, names = START + i * 10000, iter(NAMES)
        t.frame(at)
        t.begin(at, keys[ROOT])
        for k, (time, begins) in enumerate(order):
            if k in cuts:
                t.split(at + 1000 + order[k - 1][0] * TICK)
            if begins:
                t.begin(at + 1000 + time * TICK, keys[next(names)])
            else:
                t.end(at + 1000 + time * TICK)
        t.end(at + 9000)
    t.frame(START + len(cases) * 10000)
    capture.write(path)


def check_pdata(path, cases):
    with open(path, "rb") as f:
        read = Pdata(f.read())
    same("pdata: rules", read.wrong, [])
    same("pdata: frames", len(read.frames), len(cases))
    bad = []
    for (_, _, threads), order in zip(read.frames, cases):
        have, around = Counter(), []
        for name, _, depth in threads["1:Main Thread"]:
            around[depth - 1:] = [name]
            have[(name, around[-2] if depth > 1 else None)] += 1
        want = Counter({(ROOT, None): 1}) + Counter(z[:2] for z in zones(order))
        if have != want:
            bad.append((zones(order), have))
    if bad:
        raise Failure("pdata: %d of %d orders differ, such as %s, not %s" % (len(bad), len(cases), bad[0][1], bad[0][0]))


def may_differ_broken_off(order):
    """True where the manual says so of complete events: at one time an end and then the last begin, or the begin of a zone that stays open, a zone of
    length 0, and another such begin."""
    at, stays_open = order[-1][0], []
    for i, (_, begins) in enumerate(order):
        stays_open = stays_open + [i] if begins else stays_open[:-1]
    parted = any(order[i][0] == order[j][0] and j > i + 1 for i, j in zip(stays_open, stays_open[1:]))
    return parted or (order[-1][1] and any(t == at and not begins for t, begins in order[:-1]))


def write_broken_off(path, cases):
    """A thread for each case, with nothing else in it."""
    log = Log(START // 10 ** 6, ("Main Thread", ROOT) + tuple(NAMES))
    log.block(SESSION, b"".join(thread(1000 + i, START // 10 ** 6, "T%d" % i) for i in range(len(cases))))
    log.block(MAIN, struct.pack("<HIQ", 34, 0, START))
    for i, order in enumerate(cases):
        body, open_zones, markers = struct.pack("<HBIQ", 36, 0, 1, START), [], itertools.count(2)
        for t, begins in order:
            marker = next(markers) if begins else open_zones.pop()
            if begins:
                open_zones.append(marker)
            body += struct.pack("<HBIQ", 36 if begins else 37, 0, marker, START + 1000 + t * TICK)
        log.block(1000 + i, body)
    log.write(path)


def parents(order):
    """(name, parent) of each zone of a thread that breaks off."""
    out, open_zones, names = [(ROOT, None)], [ROOT], iter(NAMES)
    for _, begins in order:
        if begins:
            out.append((next(names), open_zones[-1]))
            open_zones.append(out[-1][0])
        else:
            open_zones.pop()
    return Counter(out)


def check_broken_off(what, path, cases, left_out):
    got = TRACE_PROCESSOR.ask(path, SLICES.replace("p.name parent from", "p.name parent, h.name thread from")
                              .replace("left join", "join thread h on t.utid = h.utid left join"))
    if "error" in got:
        raise Failure("%s: %s" % (what, got["error"]))
    have = {}
    for r in got["rows"][0]:
        have.setdefault(r["thread"], Counter())[(r["name"], r["parent"])] += 1
    bad = [(order, have.get("T%d" % i)) for i, order in enumerate(cases) if i not in left_out and have.get("T%d" % i) != parents(order)]
    if bad:
        raise Failure("%s: %d of %d threads that break off differ, such as %s: %s" % (what, len(bad), len(cases), bad[0][0], bad[0][1]))


def check_perfetto(what, path, cases, slack, left_out=frozenset()):
    """No slice may be dropped; parents, times and lengths are those of the cases, but for ${left_out}."""
    got = TRACE_PROCESSOR.ask(path, SLICES)
    if "error" in got:
        raise Failure("%s: %s" % (what, got["error"]))
    rows = [(int(r["ts"]), int(r["dur"]), r["name"], r["parent"]) for r in got["rows"][0]]
    roots = [i for i, r in enumerate(rows) if r[2] == ROOT]
    same(what + ": frames", len(roots), len(cases))
    bad = []
    for i, order in enumerate(cases):
        mine = rows[roots[i] + 1:roots[i + 1] if i + 1 < len(roots) else len(rows)]
        start, want = rows[roots[i]][0] + 1000, zones(order)
        near = len(mine) == len(want) and all(
            abs(ts - start - t * TICK) <= slack and abs(dur - length * TICK) <= 2 * slack and (dur > 0 or length == 0)
            for (ts, dur, name, parent), (n, p, t, length) in zip(sorted(mine, key=lambda r: r[2]), sorted(want)) if name == n)
        if i not in left_out and (Counter((n, p) for _, _, n, p in mine) != Counter(z[:2] for z in want) or not near):
            bad.append((want, [(n, p, ts - start, dur) for ts, dur, n, p in mine]))
    if bad:
        raise Failure("%s: %d of %d orders differ, such as %s, not %s" % (what, len(bad), len(cases), bad[0][1], bad[0][0]))


def check_speedscope(path, cases):
    """The tree by its own account of frames that open and close."""
    got = SPEEDSCOPE.ask(path, ROOT)
    if "error" in got:
        raise Failure("speedscope: " + got["error"])
    same("speedscope: warnings", got["warnings"], [])
    have = Counter(tuple(e) for e in got["opened"])
    want = Counter((ROOT, None) for _ in cases) + Counter(z[:2] for order in cases for z in zones(order))
    same("speedscope: zones with their parents", have, want)


def main(tracetool):
    cases = [order for n in (1, 2, 3) for order in orders(n)]
    threads, cuts = [order[:n] for order in cases for n in range(1, len(order))], list(cut(cases))
    at_edges = [order for order, _ in cuts]
    unsure = [frozenset(i for i, c in enumerate(cuts) if may_differ(*c)), frozenset(i for i, c in enumerate(threads) if may_differ_broken_off(c))]
    checks, failed = 0, 0
    with tempfile.TemporaryDirectory() as d:
        def convert(capture, name, *args):
            to = os.path.join(d, capture + "." + name)
            run(tracetool, "convert", "-q", *args, "-o", to, os.path.join(d, capture))
            return to

        write(os.path.join(d, "zones.raw"), cases)
        write_broken_off(os.path.join(d, "cut.raw"), threads)
        write_cut(os.path.join(d, "zones.ttc"), cuts)
        tests = [partial(check_pdata, convert("zones.ttc", "pdata"), at_edges)]
        for what, name, *args in (("Perfetto's format", "pftrace"), ("complete events", "x.json"), ("begins and ends", "be.json", "--begin-end")):
            slack, left_out = (4, unsure) if what == "complete events" else (1, [frozenset()] * 2)
            tests += [partial(check_perfetto, what, convert("zones.raw", name, *args), cases, slack),
                      partial(check_broken_off, what, convert("cut.raw", name, *args), threads, left_out[1]),
                      partial(check_perfetto, what + ", chunks", convert("zones.ttc", name, *args), at_edges, slack, left_out[0]),
                      partial(check_perfetto, what + ", chunks, --time", convert("zones.ttc", "late." + name, *args, "--time", "0.000000001-"), at_edges, slack,
                              left_out[0])]
        tests += [partial(check_speedscope, os.path.join(d, "zones.raw.be.json"), cases),
                  partial(check_speedscope, os.path.join(d, "zones.ttc.be.json"), at_edges)]
        for test in tests:
            checks += 1
            try:
                test()
            except Failure as e:
                failed += 1
                print(str(e)[:1200])
    print("%d passed, %d failed" % (checks - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
