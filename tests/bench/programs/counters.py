#!/usr/bin/env python3
"""counters.py SECONDS FILE: a capture of nothing but counters, 60 of them sampled once a second, as a runtime at work
has them: most change from one sampling to the next."""
import sys

from mlpd import Capture, sleb, uleb


def main():
    seconds, path = int(sys.argv[1]), sys.argv[2]
    c = Capture(path, b"log:counters")
    c.event(0x37, uleb(60) + b"".join(uleb(0x200) + b"Counter %02d\0" % i + uleb(3) + uleb(1 << 24) + uleb(1 << 30)
                                      + uleb(i + 1) for i in range(60)))
    seed = 1
    for _ in range(seconds):
        values = bytearray()
        for i in range(60):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            if seed >> 16 & 7:
                values += uleb(i + 1) + b"\x03" + sleb((seed >> 8 & 0xFFFF) - 0x7000)
        c.event(0x47, bytes(values) + b"\0", 10**9)
    c.close()


if __name__ == "__main__":
    main()
