"""Random recordings with zones that span frames, as .raw and .ttc alike, and what tracetool-metrics(7), Calls, says of them. Times are in us."""
import collections
import struct

from raw_log import MS, SESSION, Log, marker, state, text, thread
from ttc import I64, Capture

NAMES = ("Main Thread", "Frame", "A", "B", "C", "Sized", "Profiler.Default")
FRAME, A, B, C, SIZED, TEXT = range(1, 7)
TEXTS = ("Level", "Sound", "Net")
START = 10000

# A zone: its length is not known to us where it is open at the end (dur None: as long as its thread has events).
Zone = collections.namedtuple("Zone", "name thread begin dur cut size")
Row = collections.namedtuple("Row", "name thread count ended begin end total")


class Thread:
    """What a thread does, in order, and the zones that this makes."""

    def __init__(self, name, native):
        self.name, self.native = name, native
        self.did, self.stack, self.zones = [], [], []
        self.waiting, self.rows, self.losses = {}, [], collections.Counter()
        self.last = START

    def begin(self, number, at, size=None, named=None):
        """${size}: an argument; ${named}: the text of a zone of TEXT."""
        self.did.append(("begin", number, at, size, named))
        self.stack.append((number, named or NAMES[number], at, size))
        self.last = at

    def close(self, at, cut):
        number, name, since, size = self.stack.pop()
        self.zones.append(Zone(name, self.name, since, None if at is None else at - since, cut, size))
        return number, name, since

    def end(self, number, at):
        self.did.append(("end", number, at, None, None))
        self.last = at
        if any(z[0] == number for z in self.stack):
            while self.stack[-1][0] != number:
                marker_, name, since = self.close(at, True)
                self.waiting.setdefault(marker_, []).append((name, since, None))
            self.close(at, False)
            return
        group = self.waiting.get(number, [])
        if not group:
            self.losses["unmatched"] += 1
            return
        group.append((None, None, at))
        if 2 * sum(b is None for b, _, _ in group) == len(group):
            self.settle(number)

    def settle(self, number):
        """The zones of a marker that wait get no more ends."""
        group = self.waiting.pop(number)
        begins, ends = [g for g in group if g[0]], [g[2] for g in group if not g[0]]
        names, whole = {g[0] for g in begins}, len(begins) == len(ends)
        self.rows.append(Row(names.pop() if len(names) == 1 else NAMES[number], self.name, len(begins), len(ends), min(g[1] for g in begins),
                             max(ends, default=None), sum(ends) - sum(g[1] for g in begins) if whole else None))
        self.losses["spanning"] += len(ends)
        self.losses["popped"] += len(begins) - len(ends)

    def miss(self):
        """What the thread does up to here is written; something after it is not."""
        self.did.append(("missing", None, self.last, None, None))
        self.over(self.last)

    def over(self, at):
        while self.stack:
            self.close(at, True)
        for number in list(self.waiting):
            self.settle(number)

    def cut(self, name):
        """A place where another block begins."""
        self.did.append((name, None, self.last, None, None))


def noise(r, t, at, until):
    """Begins, ends that are in place, and ends that come late or never; recursion too."""
    while at + 40 < until:
        at += r.randint(1, 40)
        if r.random() < 0.5 and len(t.stack) < 30:
            number = r.choice((A, A, B, C, SIZED, TEXT))
            t.begin(number, at, r.randint(-5, 10 ** 6) if number == SIZED else None, r.choice(TEXTS) if number == TEXT else None)
        elif len(t.stack) > 1 and t.stack[-1][0] != FRAME and r.random() < 0.7:
            t.end(t.stack[-1][0], at)
        else:
            t.end(r.choice((A, B, C, SIZED, TEXT)), at)


def make(r, filler=0, missing=False):
    """
    (the main thread and others, the number of frames); frames begin every 10,000 us. ${filler}: zones of length 0 between, so that chunks end inside
    zones; ${missing}: blocks of threads other than the main one are missing.
    """
    main, workers = Thread("Main Thread", 100), [Thread("Loader", 200), Thread("Other", 201)][:r.randint(1, 2)]
    nframes = r.randint(2, 5)
    for k in range(nframes):
        at = START + 10000 * k
        main.begin(FRAME, at + 1)
        noise(r, main, at + 1, at + 1000)
        main.end(FRAME, at + 1000)
        main.cut("frame")
        for t in workers:
            t.begin(FRAME, at + 10)
            noise(r, t, at + 10, at + 500)
            t.cut("block")
            for i in range(filler):
                t.begin(C, at + 501 + i)
                t.end(C, at + 501 + i)
                if i % 1000 == 999:
                    t.cut("block")
            noise(r, t, at + 501 + filler, at + 9000)
            if r.random() < 0.7:
                t.end(FRAME, at + 9500)
            t.cut("block")
            if missing and k + 1 < nframes and r.random() < 0.5:
                t.miss()
    for t in [main, *workers]:
        last = t.last
        while t.stack:
            t.close(None, True)
        t.over(last)
    return [main, *workers], nframes


def messages(t):
    """The blocks of a thread in .raw: [what ends it, bytes]."""
    b = b""
    for what, number, at, size, named in t.did:
        if what == "begin" and size is not None:
            b += struct.pack("<HBIQBBq", 42, 0, number, at * 1000, 1, 4, size)
        elif what == "begin" and named:
            b += struct.pack("<HBIQBBiB", 42, 0, number, at * 1000, 2, 2, 0, 8) + text(named)
        elif what in ("begin", "end"):
            b += struct.pack("<HBIQ", 36 if what == "begin" else 37, 0, number, at * 1000)
        else:
            yield what, b
            b = b""
    yield "block", b


def write_raw(path, threads, nframes):
    log = Log(START / 1000, NAMES)
    log.block(SESSION, b"".join(thread(t.native, 5, t.name, 1) for t in threads[1:]) + marker(SIZED, "Sized", [(4, "size")]) +
              marker(TEXT, NAMES[TEXT], [(2, "Object"), (8, "Name")], category=24))
    main, *others = [list(messages(t)) for t in threads]
    for k in range(nframes):
        ms = START // 1000 + 10 * k
        root = [struct.pack("<HBIQ", kind, 0, 0, at) for kind, at in ((36, ms * MS), (37, ms * MS + 2 * MS))]
        log.frame(ms, root[0] + main[k][1] + root[1])
    for t, blocks in zip(threads[1:], others, strict=True):
        for what, b in blocks:
            if b:
                log.block(t.native, b)
            if what == "missing":
                log.n[t.native] += 1
    ms = START // 1000 + 10 * nframes
    log.frame(ms, struct.pack("<HBIQ", 36, 0, 0, ms * MS) + struct.pack("<HBIQ", 37, 0, 0, (ms + 1) * MS))
    log.block(SESSION, state(0, ms + 10))
    return log.write(path)


def write_ttc(path, threads, nframes):
    """The same by our own recorder: it decides which zone an end ends, and says the key of an end that ends none."""
    c = Capture()
    key = [c.marker(n) for n in NAMES]
    named = {n: c.label_zone(key[TEXT], n) for n in TEXTS}
    for of in threads:
        c.thread_name(of.native, "", of.name)
        t, opened = c.thread(of.native), []
        for what, number, at, size, text_ in of.did:
            ns = at * 1000
            if what == "begin":
                if number == FRAME and of is threads[0]:
                    t.frame(ns - 1000)
                t.begin(ns, named[text_] if text_ else key[number], [(I64, size)] if size is not None else ())
                opened.append(number)
            elif what == "end" and number in opened:
                above = opened[::-1].index(number)
                if above:
                    t.other(ns, 3, bytes([above, 0]))
                    del t.open[-above - 1:]
                else:
                    t.end(ns)
                del opened[-above - 1:]
            elif what == "end":
                t.other(ns, 4, t.key_of(ns, key[number]))
            elif what == "block" and len(of.did) < 5000:
                t.split(ns)
        if of is threads[0]:
            t.frame((START + 10000 * nframes) * 1000)
    return c.write(path)
