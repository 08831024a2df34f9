"""A log of Unity's profiler (.raw) for tests, message by message, as tracetool-unity-raw(7) says."""
import struct

MS, MAIN, SESSION = 10 ** 6, 100, 2 ** 64 - 1


def text(s):
    return struct.pack("<I", len(s.encode())) + s.encode()


def sample(kind, marker, ms):
    return struct.pack("<HBIQ", kind, 0, marker, int(ms * MS))


def zone(marker, begin, end):
    return sample(36, marker, begin) + sample(37, marker, end)


def alloc(marker, ms, size):
    """An allocation of ${size} bytes; the marker is called GC.Alloc."""
    return struct.pack("<HBIQBBq", 42, 0, marker, int(ms * MS), 1, 4, size) + sample(37, marker, ms)


def thread(tid, ms, name, flags=0):
    return struct.pack("<HQQI", 33, tid, int(ms * MS), flags) + text("") + text(name)


def marker(number, name, params=(), category=16, flags=0):
    return struct.pack("<HIHH", 1, number, flags, category) + text(name) + bytes([len(params)]) + b"".join(struct.pack("<H", t) + text(n) for t, n in params)


def state(on, ms, frame=0):
    return struct.pack("<HIQI", 0, on, int(ms * MS), frame)


class Log:
    """A log of ticks of 1 ns, with a main thread and markers, its root the first; ${flags}: of some of them, by number; ${main}: the main thread's id;
    ${threads}: definitions of threads in place of the main thread's."""

    def __init__(self, start, markers=("Main Thread", "Work"), flags=None, main=MAIN, threads=None):
        self.b = bytearray(struct.pack("<IBBHIQQQ", 0x55334450, 1, 0, 19, 0x20191122, 1, 1, main))
        self.n, self.frames, self.at, self.main = {}, 0, {}, main
        self.block(SESSION, (threads or thread(main, 0, "Main Thread")) + b"".join(marker(i, n, flags=(flags or {}).get(i, 0)) for i, n in enumerate(markers)) +
                   state(1, start))

    def block(self, stream, body, where=None):
        n = self.n.get(stream, 0)
        self.n[stream] = n + 1
        self.at[where] = len(self.b)
        self.b += struct.pack("<IIQI", 0xB10C7EAD, n, stream, len(body)) + body + struct.pack("<II", n + 1, 0xB10CF007)

    def frame(self, ms, inside=None, where=None):
        """A frame of 9 ms of work; ${inside}: its messages."""
        self.block(self.main, struct.pack("<HIQ", 34, self.frames, int(ms * MS)))
        self.frames += 1
        self.block(self.main, inside or sample(36, 0, ms) + zone(1, ms + 1, ms + 8) + sample(37, 0, ms + 9), where)

    def write(self, path):
        with open(path, "wb") as f:
            f.write(self.b)
        return path
