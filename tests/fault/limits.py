#!/usr/bin/env python3
"""Limits of the program and of the system: memory, stack, open files, file sizes, pipes that close.

Every command, reader, form and emitter, with more and more of what is limited until it is enough. Too little: exit
status 4, a line that says what was too small, no new output. Ends with "N passed, N failed".
"""
import json
import os
import resource
import signal
import subprocess

import kit

SANITIZED = os.environ.get("TT_SANITIZED")


def limited(what, n):
    return lambda: resource.setrlimit(what, (n, n))


def refused(r, words, before, after):
    if r.returncode != 4:
        return "exit %d: %s" % (r.returncode, r.err[-300:])
    if not any(w in r.err for w in words):
        return "none of %s in: %s" % (words, r.err[-300:])
    if after != before:
        return "left something behind: %s" % sorted(after)
    return None


def sweep(s, case, name, sizes, words, good, want, how):
    """Run with each size; how(args, size) gives arguments and what else run() takes."""
    before = case.before
    enough = False
    for size in sizes:
        args, more = how(case.args, size)
        with kit.Work(s, before) as work:
            r = kit.run([kit.TRACETOOL] + args, work.dir, **more)
            after = case.same(work.files())
        if r.returncode == good.returncode:
            differs = ["stdout"] * (r.out != good.out) + sorted(f for f in {**after, **want} if after.get(f) != want.get(f))
            enough |= not differs
            s.check("%s, %s %d" % (case.name, name, size), "other bytes than without the limit: %s" % differs if differs else None)
        else:
            s.check("%s, %s %d" % (case.name, name, size), refused(r, words, before, after))
    s.check("%s, %s" % (case.name, name), None if enough else "is never enough")


def closed_pipe(case):
    """Whoever reads has seen enough: the end of SIGPIPE, without a word."""
    reader, writer = os.pipe()
    os.close(reader)
    p = subprocess.run([kit.TRACETOOL] + case.args, stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    err = p.stderr.decode("utf-8", "replace")
    if p.returncode != -signal.SIGPIPE:
        return "status %d, not that of SIGPIPE" % p.returncode
    return "said %r" % err if err else None


def graph_gives_way(s):
    """With less and less memory a heap shot first loses its graph, and only then its classes."""
    capture = os.path.join(kit.DATA, "good-d07-heapshot.mlpd")
    args = [kit.TRACETOOL, "stats", "--table", "heapshot_classes,heapshot_paths,heapshot_roots", "--format", "json", capture]
    want = json.loads(kit.run(args, s.dir).out)["tables"]
    for jobs in ["1", "3"]:
        size, ways = 16 << 20, []
        while size > 1 << 20 and ways.count("refused") < (3 if jobs == "1" else 9):
            r = kit.run(args + ["-j", jobs, "--max-memory", str(size)], s.dir, {"TRACETOOL_JOBS_EXACT": "1"})
            got = json.loads(r.out)["tables"] if r.returncode == 0 else None
            if r.returncode == 4 and "--max-memory" in r.err:
                way = "refused"
            elif got == want:
                way = "whole"
            elif got and got["heapshot_classes"] == want["heapshot_classes"] and r.out.count(b"no room: the graph of") == 2:
                way = "no graph"
            else:
                way = "exit %d: %s" % (r.returncode, r.err)
            if ways[-1:] != [way] or way == "refused":
                ways.append(way)
            size = size * 31 // 32
        # Where three work at once, what the least is depends on the moment, and a small graph may never be what is refused.
        order = ways[:3] == ["whole", "no graph", "refused"] and set(ways[3:]) <= {"refused"} if jobs == "1" else \
            ways[0] == "whole" and ways[-1] == "refused" and set(ways) <= {"whole", "no graph", "refused"}
        s.check("a heap shot with less and less memory, -j %s" % jobs, None if order else "goes %s" % ways)


def small_stack(s, case, good, want):
    """A stack of 64 kB, as in containers and on build machines: every byte as with the usual one."""
    with kit.Work(s, case.before) as work:
        r = kit.run([kit.TRACETOOL] + case.args, work.dir, preexec_fn=limited(resource.RLIMIT_STACK, 64 << 10))
        same = (r.returncode, r.out, case.same(work.files())) == (good.returncode, good.out, want)
    s.check(case.name + ", a stack of 64 kB", None if same else "status %d, not %d, or other bytes: %s" % (r.returncode, good.returncode, r.err[-300:]))


def few_files(s):
    """Fewer and fewer open files: all captures, or status 4 and the limit. A capture is never called failed for it: it is as good as before."""
    folder = s.path("few")
    os.mkdir(folder)
    capture = os.path.join(kit.DATA, "good-d08-recursion-calls.mlpd")
    for name in ("a.mlpd", "b.mlpd"):
        os.symlink(capture, os.path.join(folder, name))
    subprocess.run(["tar", "czhf", os.path.join(folder, "c.tar.gz"), "-C", folder, "a.mlpd"], check=True)
    for what, args in (("stats", ["stats", capture]), ("report", ["report", "-o", s.path("r.html"), capture]),
                       ("batch", ["batch", "-j1", "--format", "json", folder]), ("batch of two jobs", ["batch", "-j2", "--format", "json", folder]),
                       ("batch of eight jobs", ["batch", "-j8", "--format", "json", folder])):
        good, enough = kit.run([kit.TRACETOOL] + args, s.dir, {"TRACETOOL_JOBS_EXACT": "1"}), False
        for n in range(4, 40):
            r = kit.run([kit.TRACETOOL] + args, s.dir, {"TRACETOOL_JOBS_EXACT": "1"}, preexec_fn=limited(resource.RLIMIT_NOFILE, n))
            whole = r.returncode == good.returncode == 0
            told = r.returncode == 4 and "the limit is %d (ulimit -n)" % n in r.err and "crashed" not in r.err
            s.check("%s, %d open files" % (what, n), None if whole or told else "status %d: %s" % (r.returncode, r.err[-300:]))
            enough = enough or whole
            if whole and n > 8:
                break
        s.check(what + ", open files", None if enough else "are never enough")


def main():
    s = kit.Suite()
    if SANITIZED:
        s.left_out("RLIMIT_DATA, RLIMIT_STACK", "sanitizers reserve terabytes, and more of the stack")
    graph_gives_way(s)
    few_files(s)
    step = 4 if kit.LONG else 16
    memory = [1 << 14]
    while memory[-1] < 1 << 26:
        memory.append(memory[-1] * step)
    emitters = kit.listed("emitters")
    for case in kit.cases(s, kit.LONG):
        if not s.check(case.name, None if case.args else "has no case in tests/fault/kit.py"):
            continue
        with kit.Work(s, case.given) as work:
            good = kit.run([kit.TRACETOOL] + case.args, work.dir)
            want = case.same(work.files())
        sweep(s, case, "--max-memory", memory, ["--max-memory"], good, want,
              lambda a, n: (a[:1] + ["--max-memory", str(n)] + a[1:], {}))
        if not SANITIZED:
            small_stack(s, case, good, want)
        # What the libraries need is beside our own; the loader has run by then.
        if not SANITIZED:
            sizes = [1, 2, 3, 4, 6, 8, 12, 16, 256] if kit.LONG else [2, 6, 256]
            sweep(s, case, "RLIMIT_DATA", [n << 20 for n in sizes], ["memory"], good, want,
                  lambda a, n: (a, {"preexec_fn": limited(resource.RLIMIT_DATA, n)}))
        if case.outputs:
            sweep(s, case, "RLIMIT_FSIZE", [1, 100, 4096, 1 << 26], ["File too large"], good, want,
                  lambda a, n: (a, {"preexec_fn": limited(resource.RLIMIT_FSIZE, n)}))
        elif case.status == 0:
            s.check(case.name + ", closed pipe", closed_pipe(case))
    for name, path in kit.captures(s):
        for e in emitters:
            if e["name"] in kit.NEEDS_FRAMES and name not in kit.FRAMED:
                continue
            covered = s.capture(13) if e["name"] == "lcov" else path       # lcov is refused without coverage
            s.check("%s %s, closed pipe" % (name, e["name"]),
                    closed_pipe(kit.Case(name, ["convert", "-q", "-f", e["name"], covered])))
    s.end()


main()
