#!/usr/bin/env python3
"""Coverage with the real runtime: equal to the counts the program's source names, and read by genhtml."""
import os
import re
import signal
import subprocess
import time

import kit
import cells

SOURCE = os.path.join(kit.HERE, "Cover.cs")
APART = os.path.join(kit.HERE, "Apart.cs")


def known(how="none", source=SOURCE):
    """{line: [count]} as the source says, of a run with this argument."""
    found = {}
    for n, line in enumerate(open(source).read().splitlines(), 1):
        m = re.search(r"//= (\d+)((?: \w+=\d+)*)$", line)
        if m:
            found[n] = [int(dict(w.split("=") for w in m.group(2).split()).get(how, m.group(1)))]
    return found


def run(options, *args, expected=0):
    out = kit.capture("cover.ttc")
    p = kit.mono(options + ",out=" + out, "Cover", *args, more=["--debug"])
    kit.check(p.returncode == expected, "exit status of " + options, p.returncode, p.stderr)
    return out


def lines(path):
    rows = kit.stats(path, "coverage_lines")["coverage_lines"]
    kit.check({r["file"] for r in rows} <= {SOURCE}, "the source file", {r["file"] for r in rows})
    return {r["line"]: [r["hits"]] for r in rows}


def every_line():
    out = run("coverage")
    kit.check_equal(lines(out), known(), "lines and how often they ran")
    tables = kit.stats(out, "coverage,coverage_classes,coverage_methods")
    total = tables["coverage"]
    kit.check([r["assembly"] for r in total] == ["Cover"], "the program alone is covered", total)
    hits = known()
    kit.check(total[0]["lines"] == len(hits) and total[0]["lines_hit"] == sum(h[0] > 0 for h in hits.values()), "sums", total)
    methods = {r["class"] + ":" + r["method"]: r["entries"] for r in tables["coverage_methods"]}
    for name, entries in {"Numbers:Sum (int)": 2, "Numbers:Never (int)": 0, "Pool`1:Put (T)": 3, "Pool`1:Unused ()": 0}.items():
        kit.check(methods.get(name) == entries, "method " + name, methods)
    return out


def unloaded():
    """In domains that go before the end: what ran in them counts, as often as it ran."""
    for options in ("coverage=[Cover]*", "coverage=[Cover]*,paused"):
        out = kit.capture("unloaded.ttc")
        p = kit.mono(options + ",out=" + out, "Unload", kit.program("Cover"), "3", more=["--debug"])
        kit.check(p.returncode == 0 and p.stderr == "", "domains that are unloaded, %s: exit status" % options, p.returncode, p.stderr)
        kit.check_equal(lines(out), {n: [3 * c[0]] for n, c in known().items()}, "domains that are unloaded, %s: each run counts" % options)


def shared(path, *more):
    """How many methods lack counts, as the ledger has it."""
    return [r["count"] for r in kit.stats(path, "loss", *more)["loss"] if r["kind"] == "shared"]


def apart():
    """Domains that run the same methods: all counts, and where the runtime has not all of them, the ledger says so."""
    for how, args, lacks in (("none", [], []), ("other", ["other", kit.program("Cover")], []), ("return", ["return", "0"], [1])):
        out = kit.capture("apart.ttc")
        p = kit.mono("coverage,out=" + out, "Apart", *args, more=["--debug"])
        kit.check(p.returncode == 0, "domains, %s: exit status" % how, p.returncode, p.stderr)
        rows = kit.stats(out, "coverage_lines")["coverage_lines"]
        kit.check_equal({r["line"]: [r["hits"]] for r in rows if r["file"] == APART}, known(how, APART), "domains, %s: lines" % how)
        kit.check_equal(shared(out), lacks, "domains, %s: methods that lack counts" % how)
    info = os.path.join(kit.FOLDER, "apart.info")
    p = subprocess.run([kit.TRACETOOL, "convert", out, "-o", info], capture_output=True, text=True)
    kit.check(p.returncode == 0 and "lower bounds" in p.stderr, "domains: convert says that counts are missing", p.returncode, p.stderr)


def apart_rotated():
    """Of files of a rotation the last one says it, too, and together they say it once."""
    out = kit.capture("apart_part.ttc")
    p = kit.mono("coverage,counters=20ms,rotate-time=1s,out=" + out, "Apart", "return", "4", more=["--debug"])
    kit.check(p.returncode == 0, "domains, rotation: exit status", p.stderr)
    parts = sorted((f for f in os.listdir(kit.FOLDER) if re.fullmatch(r"apart_part(\.\d+)?\.ttc", f)), key=lambda f: (len(f), f))
    parts = [os.path.join(kit.FOLDER, f) for f in parts]
    kit.check(len(parts) > 2, "domains, rotation: several files", parts)
    kit.check_equal(shared(parts[0], *parts[1:]), [1], "domains, rotation: all files read together")
    kit.check_equal(shared(parts[-1]), [1], "domains, rotation: the last file")


def filters():
    hits = known()
    def span(text):
        s = open(SOURCE).read().splitlines()
        first = next(n for n, l in enumerate(s, 1) if text in l)
        return first, next(n for n, l in enumerate(s, 1) if n > first and l.startswith("}"))
    first, last = span("static class Numbers")
    kit.check_equal(lines(run("coverage=Numbers:*")), {n: h for n, h in hits.items() if first <= n <= last}, "coverage=Numbers:*")
    kit.check_equal(lines(run("coverage=[Cover]*,coverage-exclude=Numbers:*")),
                    {n: h for n, h in hits.items() if not first <= n <= last}, "coverage-exclude=Numbers:*")
    kit.check_equal(lines(run("coverage,calls,alloc,sample=500,gc,exceptions")), hits, "with everything else on")


def ends():
    """An unhandled exception does not tell modules of a shutdown."""
    hits = lines(run("coverage", "throw", expected=1))
    kit.check(sum(h[0] > 0 for h in hits.values()) > 40, "after an unhandled exception", hits)


def so_far(path):
    """Of a capture that is being written; None where it changed meanwhile."""
    try:
        return lines(path)
    except RuntimeError:
        return None


def killed():
    """What was counted before a kill is there as the last pass read it: all of it, where nothing runs any more."""
    out, hits = kit.capture("killed.ttc"), known("wait")
    p = subprocess.Popen(["mono", "--debug", "--profile=tracetool:coverage,out=" + out, kit.program("Cover"), "wait"], env=kit.ENV,
                         cwd=kit.FOLDER, stdout=subprocess.PIPE, text=True)
    while p.stdout.readline() not in ("ending\n", ""):
        pass
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and so_far(out) != hits:
        time.sleep(0.2)
    p.kill()
    p.wait()
    p.stdout.close()
    kit.check_equal(lines(out), hits, "after a kill, from the ring")
    subprocess.run([kit.TRACETOOL, "recover", "-q", "--remove-ring", out], check=True)
    kit.check_equal(lines(out.replace(".ttc", ".recovered.ttc")), hits, "... and recovered")


def failed():
    """FailFast: all but what the last seconds counted."""
    out, hits = kit.capture("failed.ttc"), known("failfast")
    p = kit.mono("coverage,out=" + out, "Cover", "failfast", more=["--debug"])
    kit.check(p.returncode == -signal.SIGABRT, "FailFast ends the program", p.returncode)
    found = lines(out)
    late = {n for n, h in hits.items() if found.get(n) != h}
    loop = {n: h for n, h in hits.items() if h[0] in (45, 46)}
    kit.check(len(hits) == len(found) and all(n in loop or n > max(loop) for n in late), "FailFast: what is not told is late", late)
    kit.check(all(found[n][0] >= 5 for n in loop), "FailFast: counts go on being written", {n: found[n] for n in loop})


def rotation():
    """Files of a rotation begin with all of it, for those before may be gone; together they count nothing twice."""
    out, hits = kit.capture("part.ttc"), known("slow")
    p = kit.mono("coverage,counters=20ms,rotate-time=1s,out=" + out, "Cover", "slow", more=["--debug"])
    kit.check(p.returncode == 0, "rotation: exit status", p.stderr)
    parts = sorted(os.path.join(kit.FOLDER, f) for f in os.listdir(kit.FOLDER) if f.startswith("part"))
    kit.check(len(parts) > 2, "rotation: several files", parts)
    rows = kit.stats(parts[0], "coverage_lines", *parts[1:])["coverage_lines"]
    kit.check_equal({r["line"]: [r["hits"]] for r in rows}, hits, "rotation: all files read together")
    first = out if out in parts else parts[0]
    later = [p for p in parts if p != first]
    rows = kit.stats(later[0], "coverage_lines", *later[1:])["coverage_lines"]
    kit.check_equal({r["line"]: [r["hits"]] for r in rows}, hits, "rotation: without the first file")


def paused():
    """Counts are of the whole run."""
    hits = known()
    kit.check_equal(lines(run("coverage,paused")), hits, "with a pause that does not end")


def genhtml(out):
    info = os.path.join(kit.FOLDER, "cover.info")
    subprocess.run([kit.TRACETOOL, "convert", "-q", out, "-o", info], check=True)
    hits = known()
    html = os.path.join(kit.FOLDER, "html")
    p = subprocess.run(["genhtml", "-o", html, info], capture_output=True, text=True)
    want = r"lines\.+: [\d.]+%% \(%d of %d lines\)" % (sum(h[0] > 0 for h in hits.values()), len(hits))
    kit.check(p.returncode == 0 and re.search(want, p.stdout), "genhtml", want, p.stdout, p.stderr)
    text = p.stdout
    methods = kit.stats(out, "coverage_methods")["coverage_methods"]
    want = r"functions\.+: [\d.]+%% \(%d of %d functions\)" % (sum(m["entries"] > 0 for m in methods), len(methods))
    kit.check(re.search(want, text), "genhtml: functions", want, text)
    p = subprocess.run(["lcov", "--list", info], capture_output=True, text=True)
    kit.check(p.returncode == 0 and "Cover.cs" in p.stdout, "lcov", p.stdout, p.stderr)


kit.compile("Cover", "Unload", "Apart")
out = every_line()
held = set()
cells.compare(out, [], held, ["coverage_files"])
kit.check(held, "figures of files are what a budget holds")
genhtml(out)
unloaded()
apart()
apart_rotated()
filters()
ends()
paused()
killed()
failed()
rotation()
kit.end()
