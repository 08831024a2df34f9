#!/usr/bin/env python3
"""Programs that do what recorders stumble over: names and numbers of calls are right, stacks are balanced, and the program ends as without the recorder."""
import kit

OPTIONS = "calls,alloc,gc,handles,finalizers,exceptions,monitor,jit,counters=50ms,stack=8"


def marks(path):
    """Calls of the methods called Mark..., by name without arguments."""
    found = {}
    for r in kit.stats(path, "markers")["markers"]:
        if ":Mark" in r["marker"] and not r["marker"].startswith("(wrapper xdomain") and not r["marker"].startswith("(wrapper remoting"):
            name = r["marker"].split(" (")[0] if not r["marker"].startswith("(") else r["marker"].rsplit(" (", 1)[0]
            found[name] = found.get(name, 0) + r["count"]
    return found


def losses(path, but=()):
    return [r for r in kit.stats(path, "loss")["loss"] if r["kind"] not in but]


def program(what, args, want, options=OPTIONS, same=True, but=(), name="Rough"):
    path = kit.capture(what.replace(" ", "-") + ".ttc")
    plain = kit.mono(None, name, *args)
    run = kit.mono("%s,out=%s" % (options, path), name, *args)
    kit.check(run.returncode == plain.returncode and (not same or run.stdout == plain.stdout), what + ": ends as without us",
              run.returncode, plain.returncode, run.stdout[-300:], run.stderr[-300:])
    kit.check(losses(path, but) == [], what + ": stacks are balanced, nothing is lost", losses(path, but))
    if want is not None:
        kit.check_equal(marks(path), want, what + ": calls of its methods")
    return path


kit.compile("Rough", "Names", "Ends")
long = kit.LONG
n = 10000 if long else 400
path = program("threads", ["threads", str(n)], {"Rough:MarkThread": n})
threads = [r["thread"] for r in kit.stats(path, "threads")["threads"]]
kit.check({"t%d" % i for i in range(n)} <= set(threads), "threads: each has its name", len(threads), threads[:5])
n = 20 if long else 1
path = program("domains", ["domains", str(n)], {"Remote:MarkDomain": n}, options="calls,gc,exceptions")
n = 2000 if long else 200
program("async", ["async", str(n)], {"Rough:MarkAsync": n + 1})
n = 20000 if long else 500
path = program("finalizers", ["finalizers", str(n)], None, same=False)
ran = kit.counts(kit.stats(path, "markers")["markers"], "marker", "count").get("Mortal:Finalize ()", [0])[0]
kit.check(n - 2 <= ran <= n, "finalizers: calls", ran)
n = 20000 if long else 6000
program("recursion", ["recursion", str(n)], {"Rough:MarkRecursion": n + 1})
path = program("stack overflow", ["overflow"], None, same=False, but=("depth", "open", "killed"), options="calls,exceptions")
kit.check(marks(path).get("Rough:MarkEndless", 0) > 10000, "stack overflow: calls up to it", marks(path))
n = 50000 if long else 5000
path = program("tail calls", ["tail", str(n)], {"Tails:MarkTail": n + 1})
deepest = max(r["depth_max"] for r in kit.stats(path, "markers")["markers"] if "MarkTail" in r["marker"])
kit.check(deepest < 50, "tail calls: each takes the place of its caller", deepest)
n = 10000 if long else 300
program("dynamic methods", ["dynamic", str(n)], dict({"(wrapper dynamic-method) object:MarkDynamic%d" % i: n // 10 for i in range(10)},
        **{"Rough:MarkStep": n}))
program("generics", ["generics", "50"], {
    "Box`1<int>:MarkBox<string>": 50, "Box`1<string>:MarkBox<int>": 50, "Box`1<System.Collections.Generic.List`1<Remote>>:MarkBox<double>": 50,
    "Box`1/Inner`1<int, string>:MarkInner": 50, "Box`1/Inner`1<T_REF, U_REF>:MarkInner": 50})
path = program("names", [], None, name="Names", same=False)
shown = " ".join(r["marker"] for r in kit.stats(path, "markers")["markers"])
kit.check("Клиент" in shown, "unicode names", shown[:300])
for how, args in (("unhandled exception", ["throw"]), ("FailFast", ["failfast"]), ("kill", ["kill"])):
    path = program(how, args, None, name="Ends", same=False, options="calls,exceptions", but=("open", "killed"))
    steps = kit.counts(kit.stats(path, "markers")["markers"], "marker", "count")["Ends:Step (int)"][0]
    kit.check(steps == 50000, how + ": every call is there", steps)
kit.end()
