#!/usr/bin/env python3
"""A stream's blocks together are its messages, which may be cut between two blocks anywhere, says tracetool-unity-raw(7): in small logs, each block but a
frame's mark becomes two, at each place where it can be cut. The status and all figures are those of the log as it was."""
import struct

from generated import generate
from raw_log import MAIN, SESSION, Log, marker, sample, state, thread, zone
from raw_types import fault, game, read, some, suite

FRAME, PLACES = 34, 40


def parts(data):
    """The header of a log, and its blocks: (number, stream, contents)."""
    at = 56 if struct.unpack_from("<I", data, 8)[0] >= 0x20211028 else 36
    head, out = data[:at], []
    while at < len(data):
        _, n, stream, size = struct.unpack_from("<IIQI", data, at)
        out.append((n, stream, data[at + 20:at + 20 + size]))
        at += 28 + size
    return head, out


def whole(head, blocks):
    """A log of these blocks, whose streams are numbered from their first block's number on."""
    n, out = {}, bytearray(head)
    for first, stream, body in blocks:
        k = n.get(stream, first)
        n[stream] = k + 1
        out += struct.pack("<IIQI", 0xB10C7EAD, k, stream, len(body)) + body + struct.pack("<II", k + 1, 0xB10CF007)
    return bytes(out)


def bare():
    log = Log(0)
    log.b, log.n = log.b[:36], {}
    return log


def frames(log, used, first):
    for i in range(3):
        log.frame(first + 16 * i)
        log.block(300, zone(used, first + 2 + 16 * i, first + 4 + 16 * i))
    log.block(SESSION, state(0, first + 47, 3))


def definitions():
    return thread(MAIN, 0, "Main Thread") + b"".join(marker(i, "Main Thread" if i == 0 else "Marker %d" % i) for i in range(46))


def written_before(used):
    """Threads wrote blocks before the one that has the state message."""
    log = bare()
    for tid in MAIN, 300:
        log.block(tid, zone(used, 995, 996) + zone(used, 997, 998))
    log.block(SESSION, thread(300, 900, "Pool", 1) + definitions() + state(1, 1000))
    frames(log, used, 1001)
    return log.b


def without_state(used):
    log = bare()
    log.block(SESSION, thread(300, 900, "Pool", 1) + definitions())
    log.block(300, struct.pack("<HBI", 57, 1, 5) + zone(used, 995, 996) + sample(36, used, 997) + sample(37, used, 998))
    frames(log, used, 1001)
    return log.b


def reused(used):
    """A second thread has the id of the first."""
    log = bare()
    log.block(SESSION, thread(300, 900, "Pool A", 1) + definitions() + state(1, 1000))
    log.frame(1001)
    log.block(300, zone(used, 1002, 1003) + zone(used, 1004, 1005))
    log.block(300, zone(used, 1006, 1007))
    log.block(SESSION, thread(300, 1015, "Pool B", 1))
    frames(log, used, 1017)
    return log.b


def logs():
    for aligned in (0, 1):
        for word in (0x20191122, 0x20220328):
            yield "%s log of 0x%x" % ("aligned" if aligned else "packed", word), game(aligned, word).file
    # The number of a marker may look like the type of a message that begins at it.
    for used in (1, 34, 36, 37, 44):
        for make in (written_before, without_state, reused):
            yield "%s, marker %d" % (make.__name__, used), make(used)


def like_marks():
    """The rest of a message that is as long as a frame's mark and begins with the same number is none."""
    for frames_before in (1, 3):
        log, at = Log(1000), 1000 + 16 * frames_before
        for k in range(frames_before):
            log.frame(1000 + 16 * k)
        log.block(MAIN, struct.pack("<HIQ", FRAME, frames_before, at * 10 ** 6))
        body = sample(36, 0, at) + sample(36, 1, at + 1) + struct.pack("<HBI", 57, 0, FRAME) + zone(1, at + 2, at + 3) + sample(37, 1, at + 4)
        body, cut = body + sample(37, 0, at + 5), 30 + 3
        before = len(log.b)
        log.block(MAIN, body)
        log.block(SESSION, state(0, at + 6, frames_before))
        want = read(bytes(log.b))
        fault("a log with a flow of number %d: is whole" % FRAME, None if want[0] == 0 else str(want[0]))
        number = log.n[MAIN] - 1
        log.b, log.n[MAIN], log.n[SESSION] = log.b[:before], number, log.n[SESSION] - 1
        for piece in (body[:cut], body[cut:cut + 14], body[cut + 14:]):
            log.block(MAIN, piece)
        log.block(SESSION, state(0, at + 6, frames_before))
        have = read(bytes(log.b))
        fault("cut so that 14 bytes begin with %d: the same figures" % FRAME, None if have == want else str((have[0], want[0])))


def widths():
    """Instance ids have 4 or 8 bytes in the latest version: which shows in blocks that are shorter than a few messages, too."""
    for aligned, wide, size, seed in some([(a, w, n, seed) for a in (0, 1) for w in (0, 1) for n in (60, 85, 100) for seed in range(12)], 24, "widths"):
        options = ["--version", "0x20260108", "--aligned", aligned, "--frames", 8, "--seed", seed, "--extra-markers", 20, *["--wide"] * wide]
        got = []
        for block in 60000, size:
            path = generate("raw", suite.path("ids.raw"), *options, "--scenario", "splitany", "--block", block)
            with open(path, "rb") as f:
                got.append(read(f.read()))
        want, have = got
        wrong = [t for t in want[1] if have[1].get(t) != want[1][t]]
        fault("ids of %d bytes, %s, blocks of %d, seed %d: the same figures" % (8 if wide else 4, "aligned" if aligned else "packed", size, seed),
              None if (have[0], wrong) == (want[0], []) and want[0] == 0 else str((have[0], want[0], wrong)))


def main():
    for name, data in logs():
        data = bytes(data)
        head, blocks = parts(data)
        suite.equal(name + ": cut nowhere, it is the log", whole(head, blocks) == data, True)
        want = read(data)
        suite.equal(name + ": status", want[0], 0)
        step = 4 if data[5] else 1
        for kind in ("session", "threads"):
            every = [(i, at) for i, (_, stream, body) in enumerate(blocks) for at in range(step, len(body), step)
                     if (stream == SESSION) == (kind == "session") and (stream == SESSION or struct.unpack_from("<H", body)[0] != FRAME)]
            for i, at in some(every, PLACES // 2, "cuts", name, kind):
                n, stream, body = blocks[i]
                have = read(whole(head, blocks[:i] + [(n, stream, body[:at]), (n, stream, body[at:])] + blocks[i + 1:]))
                wrong = None if have == want else (have[0], [(t, have[1][t][:2]) for t in want[1] if have[1][t] != want[1][t]])
                fault("%s: block %d cut at %d: the same figures" % (name, i, at), str(wrong)[:600] if wrong else None)
    like_marks()
    widths()
    suite.end()


main()
