#!/usr/bin/env python3
"""The first screen of captures without frames, servers and tools: what happened in them, in sentences (table capture_overview), with the figures that the
generator knows. Captures of the Mono module, written from tracetool-capture(5), and a log of Unity's whose main thread has no frames; no marker of the
runtime's or the class library's is proposed to begin frames."""
import json
import re

from heap_steps import collect
from raw_log import MS, SESSION, Log, sample, state, thread
from ttc import NO_FRAMES, Capture, Suite, varint, zigzag

LOCK, EXCEPTION, SECOND, MB = 2 ** 64 - 3, 2 ** 64 - 4, 10 ** 9, 1 << 20
suite = Suite()


def overview(path, *args):
    out, _ = suite.run(path, *args, "--format", "json")
    tables = json.loads(out)["tables"]
    return {r["what"]: r["sentence"] for r in tables.get("capture_overview", {"rows": []})["rows"]}, tables


def stack(*methods):
    out, last = varint(len(methods)), 0
    for m in methods:
        out += zigzag(m - last)
        last = m
    return out


def wait_for_lock(t, at, to, obj):
    t.other(at, 24, bytes([1]) + varint(obj) + stack())
    t.begin(at, LOCK)
    t.end(to)
    t.other(to, 24, bytes([2]) + varint(obj) + stack())


def server(name, requests=40, waits=(), throws=(), heaps=(), full=()):
    """
    A thread that accepts connections, and one that answers a request each 25 ms for 8 ms, and checks the last for 1 ms. Request k asks for a lock for
    ${waits}[k] ns, throws where it is in ${throws}, and collects to ${heaps}[k] bytes, in generation 1 where it is in ${full}.
    """
    c = Capture(flags=NO_FRAMES, producer="tracetool Mono module")
    accept, answer, check = c.marker("System.Net.Sockets.Socket:Accept ()"), c.marker("Shop.Server:Answer (int)"), c.marker("Shop.Audit:Check ()")
    fault = c.new_key()
    listener, worker = c.thread(), c.thread()
    c.thread_name(listener.native, "", "Listener")
    c.thread_name(worker.native, "", "Worker")
    listener.zone(1000, requests * 25 * MS, accept)
    for k in range(requests):
        at = 1000 + k * 25 * MS
        worker.begin(at, answer)
        now = at + 4 * MS
        if k in throws:
            worker.other(now, 22, varint(0x1000) + varint(fault) + stack())
        if k in waits:
            wait_for_lock(worker, now + 1000, now + 1000 + waits[k], 0x2000 + 16 * (k % 2))
        worker.end(at + 8 * MS + waits.get(k, 0) if waits else at + 8 * MS)
        worker.zone(at + 20 * MS, at + 21 * MS, check)
        if k in heaps:
            collect(worker, at + 22 * MS, at + 22 * MS + 500000, 1 if k in full else 0, heaps[k])
    return c.write(suite.path(name + ".ttc"))


# --- what happened, in figures ---------------------------------------------------------------------

waits = {3: 2 * MS, 11: 4 * MS, 30: MS // 2}
heaps = {k: 8 * MB for k in range(4, 40, 5)}
said, tables = overview(server("server", waits=waits, throws=(2, 9, 17, 33), heaps=heaps, full=(9, 34)))
suite.equal("locks", said.get("locks"), "3 waits for 2 locks take 6.500 ms, the longest 4.000 ms; all in Server:Answer")
suite.equal("exceptions", said.get("exceptions"), "4 exceptions thrown, in Server:Answer")
suite.equal("collections", said.get("collections"),
            "8 collections (2 full) stop all threads for 4.000 ms, the longest 500.0 µs; the heap has 8.0 MB in the end")
busy = 40 * 9 * MS
suite.true("threads", said.get("threads", "").startswith('"Worker" works most: %.1f ms, ' % (busy / MS)), said)
suite.true("who waits", said["threads"].endswith("1 of 2 threads waits for nine tenths of the time and more, most in Socket:Accept"), said)
suite.equal("what was not recorded, and the options for it", said.get("unrecorded"), "allocations; the recorder's option alloc would have told")
suite.equal("a heap of one size is no leak", "leak" in said, False)
suite.equal("it is proposed to take a request for a frame", "Shop.Server:Answer" in json.dumps(tables["capture_next"]["rows"]), True)
screen = suite.run(suite.path("server.ttc"))[0]
suite.true("on the first screen", "What happened" in screen and screen.count("\n") <= 48, screen)

said, _ = overview(server("one", waits={5: 3 * MS}, throws=(1,)))
suite.equal("one wait", said.get("locks"), "1 wait for 1 lock takes 3.000 ms; all in Server:Answer")
suite.equal("one exception", said.get("exceptions"), "1 exception thrown, in Server:Answer")
suite.equal("no collections", "collections" in said, False)

said, _ = overview(server("leak", heaps={k: (4 + k) * MB for k in range(0, 40, 4)}, full=(12, 24, 36)))
suite.true("a heap that grows", said.get("leak", "").startswith("the heap grows from 4.0 MB to 40.0 MB, and never becomes smaller"), said)
said, _ = overview(server("growing", heaps={k: (4 + k) * MB for k in range(0, 40, 4)}))
suite.equal("a heap that grows without a full collection", "leak" in said, False)

# The report page says the same.
suite.run("report", "-q", suite.path("server.ttc"), "-o", suite.path("page.html"))
with open(suite.path("page.html"), encoding="utf-8") as f:
    page = re.sub(r"<[^>\n]*>", "", f.read())
suite.true("the page says it", "3 waits for 2 locks take 6.500 ms" in " ".join(page.split()))

# --- what may begin frames -------------------------------------------------------------------------


def log(name, names):
    """No frames: each 16 ms a zone of each of these, one after the other, 3 ms each, on a thread of the runtime's own."""
    out = Log(1, ("Main Thread", *names))
    out.block(SESSION, thread(300, 0, "Domain Worker"))
    for k in range(60):
        body = b""
        for i in range(len(names)):
            at = 2 + 16 * k + 3.5 * i
            body += sample(36, 1 + i, at) + sample(37, 1 + i, at + 3)
        out.block(300, body)
    out.block(SESSION, state(0, 1000))
    return out.write(suite.path(name + ".raw"))


def capture(name, names):
    """The same as the Mono module records it."""
    c = Capture()
    keys, t = [c.marker(n) for n in names], c.thread()
    for k in range(60):
        for i, key in enumerate(keys):
            t.zone((16000 * k + 3500 * i + 2000) * 1000, (16000 * k + 3500 * i + 5000) * 1000, key)
    return c.write(suite.path(name + ".ttc"))


def proposed(path):
    return [r["command"].split("'")[1] for r in overview(path)[1]["capture_next"]["rows"] if "--frame-marker" in r["command"]]


RUNTIME, STEP = ("Mono.JIT", "GC.Collect", "Loading.ReadObject", "Semaphore.WaitForSignal"), ("Mono.JIT", "Server.Step", "GC.Collect")
suite.equal("no work of the runtime's begins frames", proposed(capture("runtime", RUNTIME)), [])
suite.equal("a step of the program does", proposed(capture("step", STEP)), ["Server.Step"])
suite.equal("but not in a log of Unity's profiler, which marks all frames", [proposed(log("unity", names)) for names in (RUNTIME, STEP)], [[], []])


def calls(name, method, inside=False, every=16 * MS):
    c = Capture(flags=NO_FRAMES, producer="tracetool Mono module")
    key = c.marker(method)
    t = c.thread()
    for k in range(60):
        t.begin(1000 + k * every, key)
        if inside:
            t.zone(1000 + k * every + every // 8, 1000 + k * every + every // 4, key)
        t.end(1000 + k * every + every // 2)
    _, tables = overview(c.write(suite.path(name + ".ttc")))
    return any("--frame-marker" in r["command"] for r in tables["capture_next"]["rows"])


suite.equal("a method that calls itself begins no frame", (calls("walk", "Shop.Tree:Walk ()"), calls("walk", "Shop.Tree:Walk ()", True)), (True, False))
suite.equal("nor one that is called each 20 us", calls("often", "Shop.Tree:Walk ()", every=20000), False)
suite.equal("nor a method of the class library", calls("library", "System.Collections.Generic.List`1<int>:Sort ()"), False)
suite.equal("nor a constructor", calls("made", "Shop.Order:.ctor (int)"), False)

# --- what was not recorded of frames that are not explained -----------------------------------------


def unexplained(name, options):
    """Frames of 2 ms, four of which take 9 to 12 ms in the same call as ever."""
    c = Capture(producer="tracetool Mono module", args="mono --profile=tracetool:%s game.exe" % options)
    tick, draw = c.marker("Game:Tick ()"), c.marker("Game:Draw ()")
    t = c.thread()
    at = 1000
    for k in range(120):
        length = 2 * MS + (k * 7919 % 1000) * 20 + (20 * MS + k * 10000 if k in (31, 47, 48, 90) else 0)
        t.frame(at)
        t.begin(at, tick)
        t.zone(at + 1000, at + length - 5000, draw)
        t.end(at + length - 1000)
        at += length
    t.frame(at)
    return c.write(suite.path(name + ".ttc"))


for options, told in (
        ("calls,frame=Game:Tick", "not recorded: waits for locks, collections, samples; the recorder's options monitor,gc,sample would have told more"),
        ("calls,gc,monitor,frame=Game:Tick", "not recorded: samples; the recorder's option sample would have told more"),
        ("calls,gc,monitor,sample,frame=Game:Tick", None)):
    screen = " ".join(suite.run(unexplained("game", options))[0].split())
    suite.true("frames are not explained", "not explained: most of it in Game:Draw" in screen, screen)
    suite.true("what would have told more, with %s" % options, told in screen if told else "would have told" not in screen, screen)
suite.end()
