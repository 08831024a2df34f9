"""A capture made to be slow takes a bounded number of instructions, of every table and emitter.

The captures are those of fault/mlpd_shapes, 64 KiB each, and how many instructions they take does not depend on load. Each prints what it
takes. In check a part
of them by lot.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
import count
import instructions
import lot

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(os.environ.get("BUILD", "build"), "fault", "mlpd_shapes")
BYTES, MOST = 65536, 200000           # instructions for a byte


def shapes():
    with open(os.path.join(HERE, "mlpd_shapes.c")) as f:
        return re.findall(r"^(?:SHAPE|OLD|FRAMES)\((\w+)\)$", f.read(), re.M)


if __name__ == "__main__":
    counter = instructions.fastest([PROGRAM, "none"])
    for shape in lot.some(shapes(), 6, "shapes"):
        n, rc, said = instructions.count(counter, [PROGRAM, shape + "_is_read_in_time"], TT_SET="check")
        print("%s: %.2f G instructions" % (shape, n / 1e9))
        count.check(rc == 0 and 0 < n <= BYTES * MOST, shape, "%d instructions for %d bytes, status %d %s" % (n, BYTES, rc, said[-300:]))
    count.end()
