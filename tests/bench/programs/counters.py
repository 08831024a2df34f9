#!/usr/bin/env python3
"""counters.py SECONDS FILE: a capture of nothing but counters, 60 of them sampled once a second, as a runtime at work
has them: most change from one sampling to the next."""
import struct
import sys


def uleb(v):
    out = bytearray()
    while True:
        out.append(v & 0x7F | (0x80 if v > 0x7F else 0))
        v >>= 7
        if not v:
            return bytes(out)


def sleb(v):
    out = bytearray()
    while True:
        byte = v & 0x7F
        v >>= 7
        if (v == 0 and not byte & 0x40) or (v == -1 and byte & 0x40):
            out.append(byte)
            return bytes(out)
        out.append(byte | 0x80)


def main():
    seconds, path = int(sys.argv[1]), sys.argv[2]
    start, tid = 10**12, 0x7F0000001000
    text = lambda s: struct.pack("<i", len(s) + 1) + s + b"\0"      # noqa: E731
    with open(path, "wb") as f:
        f.write(struct.pack("<IBBBBQQiiiH", 0x4D505A01, 3, 0, 17, 8, 1700000000000, start, 50, 0, 4242, 0)
                + text(b"log:counters") + text(b"x86-64") + text(b"linux"))

        def buffer(time, events):
            f.write(struct.pack("<IiQQQQQ", 0x4D504C01, len(events), time, 0, 0, tid, 0) + events)

        described = b"".join(uleb(0x200) + b"Counter %02d\0" % i + uleb(3) + uleb(1 << 24) + uleb(1 << 30) + uleb(i + 1)
                             for i in range(60))
        buffer(start, b"\x37\x00" + uleb(60) + described)
        seed, events, base, last = 1, bytearray(), start, start
        for second in range(seconds):
            now = start + (second + 1) * 10**9
            events += b"\x47" + uleb(now - last)
            last = now
            for i in range(60):
                seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
                if seed >> 16 & 7:
                    events += uleb(i + 1) + b"\x03" + sleb((seed >> 8 & 0xFFFF) - 0x7000)
            events += b"\0"
            if len(events) > 60000:
                buffer(base, bytes(events))
                events, base = bytearray(), last
        buffer(base, bytes(events))


if __name__ == "__main__":
    main()
