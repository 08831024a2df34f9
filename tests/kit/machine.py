"""How much of the machine others used meanwhile: where a truth needs quiet, a suite says so instead of failing."""
import os
import resource

BUSY = 0.4           # of all processors: with so much or more a recording may be disturbed


def _used():
    """Seconds of all processors that anybody used, and those of this process and the children that it waited for."""
    with open("/proc/stat", encoding="ascii") as f:
        user, nice, system, _, _, irq, soft, steal = map(int, f.readline().split()[1:9])
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return (user + nice + system + irq + soft + steal) / os.sysconf("SC_CLK_TCK"), sum(r.ru_utime + r.ru_stime for r in own)


class Others:
    """with Others() as others: ...; then others.share is their part of all processors, and others.busy() the reason to leave out what
    needs quiet, or None. Beside other threads of this process their children count as others."""

    def __enter__(self):
        self.start = os.times().elapsed, *_used()
        self.share = 0.0
        return self

    def __exit__(self, *_):
        time, used, own = (now - then for now, then in zip((os.times().elapsed, *_used()), self.start))
        self.share = max(0.0, used - own) / max(time, 1e-3) / (os.cpu_count() or 1)

    def busy(self):
        return "the machine is busy (others used %.0f %% of it)" % (100 * self.share) if self.share >= BUSY else None
