"""A reader of files for Unity's Profile Analyzer (.pdata), written from the layout of version 7 in tracetool-formats(7) alone."""
import struct


class Pdata:
    """One file, with every rule of its layout: frames as (start, ms, {thread name: [(marker name, ms, depth)]})."""

    def __init__(self, data):
        self.d, self.at, self.wrong = data, 0, []
        self.version, self.offset, n = self.take("3i")
        self.frames = [self.frame() for _ in range(n)]
        self.markers = [self.text() for _ in range(*self.take("i"))]
        self.threads = [self.text() for _ in range(*self.take("i"))]
        self.rule(self.at == len(data), "%d bytes follow the names" % (len(data) - self.at))
        self.rule(self.version == 7, "version %d" % self.version)
        for names in (self.markers, self.threads):
            self.rule(len(set(names)) == len(names), "a name is there twice")
        used = {t for f in self.frames for t, _ in f[2]}, {m[0] for f in self.frames for _, t in f[2] for m in t}
        for numbers, names, what in zip(used, (self.threads, self.markers), ("thread", "marker")):
            self.rule(all(0 <= i < len(names) for i in numbers), "a %s has no name" % what)
        for name in self.threads:
            number, colon, _ = name.partition(":")
            self.rule(colon and number.isdigit() and int(number) > 0, "a thread is called %r" % name)
        if not self.wrong:
            self.frames = [(start, ms, {self.threads[t]: [(self.markers[m], v, depth) for m, v, depth in marks] for t, marks in threads})
                           for start, ms, threads in self.frames]

    def rule(self, holds, what):
        if not holds:
            self.wrong.append(what)

    def take(self, form):
        v = struct.unpack_from("<" + form, self.d, self.at)
        self.at += struct.calcsize("<" + form)
        return v

    def text(self):
        n = shift = 0
        while True:
            b, = self.take("B")
            n, shift = n | (b & 0x7F) << shift, shift + 7
            if b < 0x80:
                break
        self.rule(b or not shift > 7, "a length is longer than it need be")
        self.at += n
        return self.d[self.at - n:self.at].decode("utf-8")

    def frame(self):
        start, ms, n = self.take("dfi")
        threads = [self.thread() for _ in range(n)]
        self.rule(ms > 0 and start >= 0, "a frame at %g of %g ms" % (start, ms))
        self.rule(len({t for t, _ in threads}) == n, "a thread is twice in a frame")
        for _, marks in threads:
            level = 0
            for _, v, depth in marks:
                self.rule(1 <= depth <= level + 1, "depth %d after %d" % (depth, level))
                self.rule(0 <= v <= ms, "%g ms in a frame of %g" % (v, ms))
                level = depth
        return start, ms, threads

    def thread(self):
        name, n = self.take("ii")
        self.rule(n > 0, "a thread without markers")
        return name, [self.take("ifi") for _ in range(n)]
