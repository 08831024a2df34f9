"""The GPU's thread as tracetool-unity-raw(7) has it: zones named after the samples that gave it work, one after the other."""
TID = 2 ** 64 - 3
PARTS = ["other", "opaque", "transparent", "shadows", "deferred pre-pass", "deferred lighting", "motion vectors", "post-process"]


def fill(thread, work):
    """${work}: (begin of the sample, its name, ns, part), in the file's order."""
    until = None
    for at, name, ns, part in sorted(work, key=lambda w: w[0]):
        begin = at if until is None or at > until else until
        until = begin + ns
        thread.zones.append((begin, ns, 0, name + " (GPU)", [(8, PARTS[part if part < 8 else 0].encode())]))
