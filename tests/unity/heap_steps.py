"""Collections as the Mono module records them (tracetool-capture(5)): their steps, the size of the heap, and heap shots."""
from ttc import varint

PAUSE, GEN = 2 ** 64 - 2, 2 ** 64 - 17      # keys of zones: the world is stopped; a collection of generation 0
START, ENDED, PRE_STOP, STOPPED, PRE_RESTART, RESTARTED = 0, 5, 6, 7, 8, 9


def collect(t, at, to, generation, heap=0, shot=0):
    """A collection of thread ${t}, its pause around it, the size of the heap after it, and a heap shot of that number, without objects."""
    def step(ts, which):
        t.other(ts, 16, bytes([which]) + varint(generation))
    step(at, PRE_STOP)
    t.begin(at, PAUSE)
    step(at + 10, STOPPED)
    step(at + 20, START)
    t.begin(at + 20, GEN + generation)
    if shot:
        t.other(at + 30, 29, bytes([0]) + varint(shot))
        t.other(to - 40, 29, bytes([1]) + varint(shot) + varint(0) * 2)
    t.end(to - 30)
    step(to - 30, ENDED)
    if heap:
        t.other(to - 20, 17, varint(heap))
    step(to - 10, PRE_RESTART)
    t.end(to)
    step(to, RESTARTED)
