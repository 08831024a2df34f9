"""
Which part of a long list a run tries. At full length (TT_SET=all) all of it; otherwise a part drawn by lot, another one for each
commit. tests/run.sh sets TT_LOT to a number made of the commit and prints it; a run with the same TT_LOT tries the same part.
"""
import os
import random
import sys

LONG = os.environ.get("TT_SET") == "all"
LOT = os.environ.get("TT_LOT", "0")


def draw(*name):
    """Random numbers of this lot that belong to ${name}: equal wherever and whenever they are asked for."""
    return random.Random(" ".join([LOT, *map(str, name)]))


def takes(one_in, *name):
    """Whether the thing of that ${name} is tried: one of so many, or every one at full length."""
    return LONG or draw(*name).random() < 1 / one_in


def some(items, n, *name):
    """${n} of ${items} in their order, or all of them at full length."""
    items = list(items)
    if LONG or len(items) <= n:
        return items
    return [items[i] for i in sorted(draw(*name).sample(range(len(items)), n))]


if __name__ == "__main__":
    # lot.py N NAME ITEM...: for scripts, ${some} of the items, one a line.
    print("\n".join(some(sys.argv[3:], int(sys.argv[1]), sys.argv[2])))
