#!/usr/bin/env python3
"""samples.py SAMPLES METHODS FILE: a capture of nothing but samples, on four threads, with
stacks that share their outer frames as those of a program do."""
import random
import sys

from mlpd import Capture, uleb


def main():
    samples, methods, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    rng = random.Random(1)
    c = Capture(path, b"log:sample-real=1000")
    address = [c.METH + 512 * i for i in range(methods)]
    for i, a in enumerate(address):
        c.event(0x43, c.meth(a) + c.ptr(a) + uleb(300) + b"Game.Part%d.Class%d:Method%d (int,string)\0" % (i % 20, i // 9, i))
    stacks = [[address[0]]]             # leaf first
    while len(stacks) < 20000:
        caller = rng.choice(stacks)
        if len(caller) < 20:
            stacks.append([rng.choice(address)] + caller)
    rng.shuffle(stacks)
    for i in range(samples):
        stack = stacks[min(int(rng.expovariate(1 / 2500)), 19999)]
        ip = stack[0] + rng.randrange(300)
        c.event(0x07, c.ptr(c.TID + 4096 * (i & 3)) + b"\x01" + c.ptr(ip) + uleb(len(stack))
                + b"".join(c.meth(m) for m in stack), 250000)
    c.close()


if __name__ == "__main__":
    main()
