#!/usr/bin/env python3
"""What stat/levels.h says of random series is the best partition there is: all of them are tried up to 12 values, and beyond it is found by
another recurrence with exact fractions; and quiet series are hardly ever cut.

    levels.py LEVELS_GEN

Ends with "N passed, N failed".
"""
import os
import subprocess
import sys
from fractions import Fraction
from functools import lru_cache

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import check, end

GEN = os.path.abspath(sys.argv[1])
LEAST, PRICE, GRAIN = 6, 15, Fraction(1, 10000)


def series(*args):
    for line in subprocess.run([GEN, *map(str, args)], capture_output=True, text=True, check=True).stdout.splitlines():
        values, starts = line.split(",")
        yield [Fraction(v) for v in values.split()], [int(s) for s in starts.split()]


def square(y):
    mean = sum(y) / len(y)
    return sum((v - mean) ** 2 for v in y)


def price(y):
    steps = sum((b - a) ** 2 for a, b in zip(y, y[1:], strict=False)) / (2 * (len(y) - 1))
    return PRICE * max(steps, (GRAIN * sum(y) / len(y)) ** 2)


def cost(y, starts):
    ends = starts[1:] + [len(y)]
    return sum(square(y[a:b]) for a, b in zip(starts, ends, strict=True)) + (len(starts) - 1) * price(y)


def every(n):
    """All partitions into levels of two or more."""
    def grow(starts):
        yield starts
        for s in range(starts[-1] + 2, n - 1):
            yield from grow(starts + [s])
    return grow([0])


def best(y):
    """The least cost, from the end."""
    cut = price(y)

    @lru_cache(None)
    def rest(a):
        whole = square(y[a:])
        return min([whole] + [square(y[a:b]) + cut + rest(b) for b in range(a + 2, len(y) - 1)])
    return rest(0)


several = 0
for y, starts in series(160, 5):
    n = len(y)
    if n < LEAST:
        check(starts == [0], "a short series", y, starts)
        continue
    fits = starts[0] == 0 and all(b - a >= 2 for a, b in zip(starts, starts[1:] + [n], strict=True))
    least = min(cost(y, s) for s in every(n)) if n <= 12 else best(y)
    check(fits and cost(y, starts) <= least * (1 + Fraction(1, 10**9)) + Fraction(1, 10**6), "the best partition", [float(v) for v in y], starts)
    several += len(starts) > 1
check(several > 20, "there are changes to find", several)
for n, seed in ((6, 1), (12, 2), (25, 3), (60, 4)):
    cut = sum(len(starts) > 1 for _, starts in series(2000, seed, n))
    check(cut <= 40, "quiet series of %d are cut in 2 %% at most" % n, cut)
end()
