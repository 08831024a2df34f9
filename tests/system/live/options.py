#!/usr/bin/env python3
"""A figure that was not recorded is empty, not 0: real recordings of two programs with each set of options, by Mono's log profiler and by our module.

    options.py TRACETOOL MODULE-FOLDER

Busy.exe allocates, throws, waits for a lock, collects, makes handles and has finalizers; Idle.exe does of these what a runtime
does by itself. So no figure of Busy may be 0, whatever was recorded; and of Idle none may be unknown that was asked for. The file
names hold the names of all options: a name is no option.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
from count import check, end

TRACETOOL, MODULES = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

BUSY = """
using System; using System.Threading; using System.Runtime.InteropServices;
class Final { ~Final() { } }
class Busy {
	static object door = new object();
	static volatile bool inside, before;
	// Holds the lock until the main thread waits for it.
	static void Hold(object main) {
		lock (door) {
			inside = true;
			while (!before || (((Thread)main).ThreadState & ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
		}
	}
	static void Drop() { for (int i = 0; i < 100; i++) new Final(); }
	static void Main() {
		for (int i = 0; i < 3; i++) try { throw new InvalidOperationException(); } catch (InvalidOperationException) { }
		var t = new Thread(Hold);
		t.Start(Thread.CurrentThread);
		while (!inside) Thread.Yield();
		before = true;
		lock (door) { }
		t.Join();
		Drop();
		GC.Collect();
		GC.WaitForPendingFinalizers();
		var h = GCHandle.Alloc(new byte[10]);
		h.Free();
	}
}
"""
IDLE = "class Idle { static void Main() { } }"

# Metric -> (words of the log profiler, of our module) that record it.
KINDS = {
    "gc.alloc.bytes.total": ("alloc gcalloc", "alloc alloc-sample=64"),
    "gc.collections.total": ("gc alloc heapshot legacy", "gc moves roots"),
    "gc.time.total": ("gc alloc heapshot legacy", "gc moves roots"),
    "gc.pause.total": ("gc alloc heapshot legacy", "gc moves roots"),
    "gc.pause.count.total": ("gc alloc heapshot legacy", "gc moves roots"),
    "exceptions.total": ("exception legacy", "exceptions"),
    "contention.count.total": ("monitor legacy", "monitor"),
    "contention.wait.total": ("monitor legacy", "monitor"),
    "handles.total": ("gchandle legacy", "handles"),
    "finalizers.total": ("finalization legacy", "finalizers"),
}
LOG = ["nodefaults,exception", "nodefaults,monitor", "nodefaults,gc", "nodefaults,gcalloc", "nodefaults,alloc", "nodefaults,gcmove",
       "nodefaults,heapshot", "nodefaults,calls", "nodefaults,gchandle", "nodefaults,finalization", "legacy", "zip", "noexception",
       "nogc,alloc", "alloc,noalloc", "legacy,nogc,nomonitor,nofinalization,nogchandle,noexception"]
OURS = ["calls", "alloc", "alloc-sample=64", "gc", "exceptions", "monitor", "handles", "finalizers", "moves", "roots", "alloc,gc,exceptions,monitor"]


def figures(capture, folder):
    """{metric: figure, or None where it is not known}, and the table gcalloc."""
    budget, base = os.path.join(folder, "budget.json"), os.path.join(folder, "base.json")
    most = {"bytes": "1GiB", "time": "100s", "pause": "100s", "wait": "100s"}
    rows = [{"id": m, "metric": m[:-6], "stat": "total", "max": most.get(m.split(".")[-2], 1000000)} for m in KINDS]
    with open(budget, "w") as f:
        json.dump({"tracetool_budget": 1, "integrity": {"level": "off"}, "rows": rows}, f)
    p = subprocess.run([TRACETOOL, "stats", "-q", "--gate", budget, "--save", base, "--inconclusive", "pass", capture],
                       capture_output=True, text=True)
    if p.returncode not in (0, 1):
        raise AssertionError("%s: %d %s%s" % (capture, p.returncode, p.stdout, p.stderr))
    values = json.load(open(base))["sessions"][0]["captures"][0]["values"]
    p = subprocess.run([TRACETOOL, "stats", "-q", "--table", "gcalloc,threads", "--format", "json", capture], capture_output=True, text=True)
    known = {m: None if isinstance(v, dict) and "missing" in v else v for m, v in values.items() if m in KINDS}
    return known, json.loads(p.stdout)["tables"]


def asked(metric, options, which):
    words, given = KINDS[metric][which].split(), options.split(",")
    on = any(w in given for w in words) or (metric.startswith("exceptions") and which == 0 and "nodefaults" not in given)
    off = {"no" + w for w in words} & set(given) if which == 0 else set()
    if metric.startswith("gc.alloc"):
        return on and "noalloc" not in given
    if which == 0 and {"nogc", "noalloc"} & off:
        return False
    return on and not off


def judge(program, options, which, have, tables):
    row = tables["gcalloc"]["rows"][0]
    who = "%s with %s" % (program, options)
    for m, v in have.items():
        if program == "Busy":
            check(v is None or v > 0, "%s: %s" % (who, m), "0, and the program has some")
            check((v is not None) == bool(asked(m, options, which)), "%s: %s" % (who, m), v, "asked:", asked(m, options, which))
        elif asked(m, options, which):
            check(v is not None, "%s: %s" % (who, m), "not known, and it was recorded")
    for column, m in (("bytes", "gc.alloc.bytes.total"), ("collections", "gc.collections.total")):
        check(row.get(column) == have[m], "%s: table gcalloc, %s" % (who, column), row.get(column), have[m])
    odd = [t for t in tables["threads"]["rows"] if (t["alloc_bytes"] is None) != (have["gc.alloc.bytes.total"] is None)]
    check(not odd, "%s: table threads" % who, odd)


def record(program, options, which, folder):
    """Of one run: program, options, which, figures, tables."""
    with tempfile.TemporaryDirectory() as own:
        if which == 0:
            out = own + "/alloc-gc-exception-monitor-gchandle-finalization.mlpd"
            for attempt in range(3):          # Mono 6.8 with this profiler now and then never ends
                try:
                    subprocess.run(["mono", "--profile=log:%s,output=%s" % (options, out), program + ".exe"], check=True, timeout=20)
                    break
                except subprocess.TimeoutExpired:
                    print("mono with %s does not end: once more" % options, file=sys.stderr)
        else:
            out = own + "/alloc-gc-exceptions-monitor-handles-finalizers.ttc"
            subprocess.run([TRACETOOL, "record", "-q", "--no-summary", "--module", MODULES + "/libmono-profiler-tracetool.so",
                            "-p", options + ",ring=4M", "-o", out, "--", "mono", program + ".exe"], check=True, capture_output=True)
        return (program, options, which, *figures(out, own))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in (("Busy", BUSY), ("Idle", IDLE)):
            with open(name + ".cs", "w") as f:
                f.write(text)
            subprocess.run(["mcs", name + ".cs"], check=True, capture_output=True)
        # The log profiler takes a second to end, in which it does nothing.
        jobs = [(p, o, which, folder) for p in ("Busy", "Idle") for which, all_ in ((0, LOG), (1, OURS)) for o in all_]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for said in pool.map(lambda j: record(*j), jobs):
                judge(*said)
    end()


main()
