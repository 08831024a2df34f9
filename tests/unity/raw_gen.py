#!/usr/bin/env python3
"""Captures of Unity's profiler (.raw) for tests, made from tracetool-unity-raw(7) alone; marker and thread names are invented or ordinary.

Every run writes two files: OUT, and OUT.json, the totals that a reader must find: the messages that were written, replayed by the rules
of the page; a message counts only where all its bytes survived the damage that the scenario does. The same options give the same bytes.

  raw_gen.py out.raw                                       # as of 2019.4, clean
  raw_gen.py out.raw --version 0x20220328 --frames 300     # the release, categories, counters
  raw_gen.py out.raw --scenario truncated --cut 1234       # the last 1234 bytes are missing
  raw_gen.py out.raw --big 200                             # about 200 MB, for speed and memory
  raw_gen.py --list                                        # scenarios
"""
import argparse
import collections
import json
import os
import random
import struct
import sys

SIG, BLOCK, FOOT = 0x55334450, 0xB10C7EAD, 0xB10CF007
SESSION = 0xFFFFFFFFFFFFFFFF
SCENARIOS = collections.OrderedDict([
    ("clean", "messages end inside their block, definitions first"),
    ("split", "metadata samples fill blocks to the brim and continue in the stream's next block"),
    ("splitany", "every message may be cut at any byte"),
    ("truncated", "file ends early (--cut bytes removed, default: in the middle of the last thread block)"),
    ("gap", "one thread block is missing, ids show the gap"),
    ("unknown", "one block contains an unknown message type half way"),
    ("badfooter", "one block has a wrong footer"),
    ("garbage", "1000 bytes of noise between two blocks"),
    ("late", "half of the markers are defined after they are used"),
    ("noframes", "no main-thread Frame message, as in a very short recording"),
    ("unmatched", "orphan Ends at the start, open Begins at the end, an End that skips two levels"),
    ("types", "all metadata types including 12 (graphics resource) and 13 (entity)"),
    ("appended", "two complete sessions in one file, second header included"),
    ("headeronly", "header and nothing else"),
    ("every", "every kind of message there is"),
])


class Out:
    """The bytes of one message, padded where the file is aligned."""

    def __init__(self, aligned):
        self.b = bytearray()
        self.aligned = aligned
        self.cuts = []          # offsets where the `split` scenario may cut

    def w(self, fmt, *v):
        self.b += struct.pack("<" + fmt, *v)
        return self

    def pad(self):
        if self.aligned:
            self.b += bytes(-len(self.b) % 4)
        return self

    def u8(self, v):
        return self.w("B", v).pad()

    def blob(self, data):
        self.w("I", len(data))
        start = len(self.b)
        self.b += data
        self.cuts.extend(range(start + 1, start + len(data)))
        return self.pad()

    def str(self, s):
        return self.blob(s.encode("utf-8"))


class Capture:
    def __init__(self, o):
        self.o = o
        self.rng = random.Random(o.seed)
        self.file = bytearray()
        self.streams = collections.OrderedDict()
        self.blocks = []        # (file offset, length, stream)
        self.log = []           # (last byte offset, set of block numbers, stream, event)
        self.now = 69475238025
        self.num, self.den = {"10mhz": (1000000000, 10000000), "ns": (1, 1), "mac": (125, 3)}[o.clock]
        self.second = 10 ** 9 * self.den // self.num     # ticks per second
        self.base = 0                                    # bytes already written to disk (--big)

    # ---- file level -------------------------------------------------------
    def header(self, main):
        o = self.o
        self.file += struct.pack("<IBBHIQQQ", SIG, 1, o.aligned, o.platform, o.version, self.num, self.den, main)
        if o.version >= 0x20211028:
            self.file += struct.pack("<5I", *o.unity)

    def stream(self, sid):
        if sid not in self.streams:
            first = 0 if sid == SESSION else self.rng.randrange(1000, 90000)
            self.streams[sid] = dict(id=first, buf=bytearray(), pend=[])
        return self.streams[sid]

    def flush(self, sid):
        s = self.stream(sid)
        if not s["buf"]:
            return
        n, at = len(self.blocks), self.base + len(self.file)
        L = len(s["buf"])
        self.file += struct.pack("<IIQI", BLOCK, s["id"], sid, L) + s["buf"]
        s["id"] = (s["id"] + 1) & 0xFFFFFFFF
        self.file += struct.pack("<II", s["id"], FOOT)
        self.blocks.append((at, 28 + L, sid))
        keep = []
        for p in s["pend"]:                       # [remaining bytes, block set, event, end offset in buf]
            p[1].add(n)
            if p[3] is None:
                keep.append(p)
            else:
                self.log.append((at + 20 + p[3], frozenset(p[1]), sid, p[2]))
        s["buf"], s["pend"] = bytearray(), keep

    def put(self, sid, out, event, alone=False):
        s, data, limit = self.stream(sid), bytes(out.b), self.o.block
        mode = self.o.scenario
        if alone:
            self.flush(sid)
        room = limit - len(s["buf"])
        cut = None
        if len(data) > room:
            if mode == "splitany" and room > 0:
                cut = room
            elif mode == "split" and event[0] == "ev" and out.cuts:
                fit = [c for c in out.cuts if c <= room and (not self.o.aligned or (len(s["buf"]) + c) % 4 == 0)]
                cut = max(fit) if fit else None
            if cut is None:
                self.flush(sid)
        rec = [None, set(), event, None]
        s["pend"].append(rec)
        if cut:
            if self.o.aligned and (len(s["buf"]) + cut) % 4:
                cut -= (len(s["buf"]) + cut) % 4
            if cut > 0:
                s["buf"] += data[:cut]
                self.flush(sid)
                data = data[cut:]
                while len(data) > limit:
                    s["buf"] += data[:limit]
                    self.flush(sid)
                    data = data[limit:]
        s["buf"] += data
        rec[3] = len(s["buf"])
        if alone or len(s["buf"]) >= limit:
            self.flush(sid)

    def msg(self, t):
        return Out(self.o.aligned).w("H", t).pad()

    # ---- messages ---------------------------------------------------------
    def state(self, on, frame):
        self.put(SESSION, self.msg(0).w("IQI", 1 if on else 0, self.now, frame), ("state",))
        self.flush(SESSION)

    def marker(self, mid, name, flags, cat, params=()):
        m = self.msg(1).w("IHH", mid, flags, cat).str(name).u8(len(params))
        for t, n in params:
            m.w("H", t).pad().str(n)
        self.put(SESSION, m, ("marker", mid, name, flags))

    def thread(self, tid, group, name, flags):
        m = self.msg(33).w("Q", tid)
        if self.o.version not in (0x20170327, 0x20171110):
            m.w("Q", self.now - 1000)
        self.put(SESSION, m.w("I", flags).str(group).str(name), ("thread", tid, group, name, flags))

    def category(self, cid, name, colour):
        self.put(SESSION, self.msg(62).w("HHH", cid, colour, 1).str(name), ("category", cid, name))

    def jit(self, addr, size, name):
        self.put(SESSION, self.msg(8).w("QQI", addr ^ 0x5555, addr, size).str(name).str("Assets/Test.cs").w("I", 7), ("jit",))

    def frame(self, tid, idx):
        self.put(tid, self.msg(34).w("IQ", idx, self.now), ("frame", idx), alone=True)

    def ev(self, tid, kind, mid, values=None, instance=None):
        """kind 0 Begin, 1 End, 2 Single"""
        base = 36 if values is None and instance is None else 39 if values is None else 42
        m = self.msg(base + kind).u8(0).w("IQ", mid, self.now)
        if instance is not None:
            m.w("q" if self.o.wide else "i", instance)
        if values is not None:
            m.u8(len(values))
            for t, v in values:
                m.cuts.append(len(m.b))
                m.u8(t)
                if t in (8, 9, 11):
                    m.blob(v)
                elif t == 10:
                    m.w("3f", *v)
                else:
                    m.w({1: "i", 2: "i", 3: "I", 4: "q", 5: "Q", 6: "f", 7: "d", 12: "Q", 13: "Q"}[t], v)
        m.cuts = m.cuts if values is not None else []
        self.put(tid, m, ("ev", kind, mid, self.now, values))
        self.now += self.rng.randrange(3, 40)

    def flow(self, tid, kind, fid):
        self.put(tid, self.msg(57).u8(kind).w("I", fid), ("flow", kind))

    def callstack(self, tid, addrs):
        self.put(tid, self.msg(3).w("IB", sum(addrs) & 0xFFFFFFFF, len(addrs)).w("%dQ" % len(addrs), *addrs), ("callstack",))

    def anchor(self, tid, aid):
        self.put(tid, self.msg(53).w("I", aid), ("anchor", aid))

    def gpu(self, tid, aid, us, sec):
        self.put(tid, self.msg(55).w("II", aid, us).u8(sec), ("gpu", aid))

    def rank(self):
        words = [0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20200924, 0x20210412, 0x20210919,
                 0x20220328, 0x20260108]
        return words.index(self.o.version) + 1 if self.o.version in words else 6

    def ints(self, m, values):
        return m.w("i%di" % len(values), len(values), *values)

    def rest(self, tid):
        """Messages that nothing else writes: they say nothing of samples, or are rare."""
        rank = self.rank()
        m = self.msg(5)
        for values in ([1, 2], [], [3]):
            self.ints(m, values)
        self.put(tid, m.str("Master"), ("other",))
        self.put(tid, self.msg(6).blob(b"canvas").blob(b""), ("other",))
        self.put(tid, self.msg(7).blob(b"e").blob(b"vents").blob(b"12345"), ("other",))
        self.put(SESSION, self.msg(10).w("II", 7, 3).str("Texture2D"), ("other",))
        if rank == 10:
            self.put(SESSION, self.msg(11).w("i", -4).str("Rock").w("IiQ", 7, 1, 99), ("other",))
        elif rank == 11:
            self.put(SESSION, self.msg(11).w("ii", -4, 12).str("Rock").w("IiQQ", 7, 1, 99, 5), ("other",))
        elif rank == 12:
            self.put(SESSION, self.msg(11).w("QQ", 1 << 40, 12).str("Rock").w("IiQQ", 7, 1, 99, 5), ("other",))
        self.put(SESSION, self.msg(12).w("QQQ", 1, 2, 3), ("other",))
        self.put(SESSION, self.msg(63).w("HH", 3, 0), ("other",))
        self.ev(tid, 2, ID["File.Read"], instance=77)
        self.ev(tid, 0, ID["BehaviourUpdate"], instance=0)
        if rank <= 3:
            self.put(tid, self.msg(52).w("I", 4096), ("oldalloc", 4096))
        self.ev(tid, 1, ID["BehaviourUpdate"], instance=0)
        self.ev(tid, 0, ID["File.Read"], values=[(8, b"a"), (5, 1), (5, 2)])
        if not self.o.aligned:
            self.put(tid, self.msg(3).w("IB", 0, 0), ("callstack",))
        self.ev(tid, 1, ID["File.Read"], values=[(3, 1)])

    def cleanup(self, tid):
        self.put(tid, self.msg(56).w("Q", self.now), ("cleanup",))

    def stats(self, tid):
        a = [0] * 316
        a[0], a[2], a[34], a[51] = 250000, 40000, -1, 88        # used total KB, GC KB, end of class list, set-pass
        m = self.msg(4)
        if self.o.version not in (0x20170327, 0x20171110, 0x20180123):
            m.w("I", 0x1FFF)
        self.put(tid, m.w("i", len(a)).w("316i", *a), ("stats",))


NAMES = ["Main Thread", "Render Thread", "Job.Worker 0", "Job.Worker 1", "Profiler.Dispatcher",
         "PlayerLoop", "BehaviourUpdate", "Game.dll!Game::Enemy.Update()", "GC.Alloc", "Profiler.Default",
         "Camera.Render", "Gfx.WaitForPresentOnGfxThread", "Idle", "Shadows.PrepareJob", "JobScheduler.Schedule",
         "WaitForTargetFPS", "GC.Collect", "Audio.Thread", "File.Read", "Test.AllTypes", "Test.\u00dcml\u00e4ut \"quoted\" \u65e5\u672c",
         "Semaphore.WaitForSignal"]
ID = {n: i for i, n in enumerate(NAMES)}
ROOTS = {"Main Thread", "Render Thread", "Job.Worker 0", "Job.Worker 1", "Profiler.Dispatcher"}
COUNTERS = [("Total Used Memory", 2, 4), ("GC Used Memory", 2, 4), ("Draw Calls Count", 3, 2), ("SetPass Calls Count", 3, 2),
            ("Triangles Count", 3, 4), ("CPU Total Frame Time", 1, 5), ("Test Temperature", 0, 6), ("Test Load", 4, 7)]
CID = {n: 40 + i for i, (n, _, _) in enumerate(COUNTERS)}
MAIN, RENDER, W0, W1, DISP, AUDIO = 11700, 13992, 1880, 7864, 13872, 1316


def definitions(c, part):
    o, v22 = c.o, c.o.version >= 0x20210412
    if part in (0, 1):
        for t in ((MAIN, "", "Main Thread", 0), (RENDER, "", "Render Thread", 0), (W0, "Job", "Worker 0", 0),
                  (W1, "Job", "Worker 1", 0), (DISP, "Profiler", "Dispatcher", 0), (AUDIO, "Audio", "Audio Mixer Thread", 1)):
            c.thread(*t)
        if v22:
            for i, n in enumerate(["Render", "Scripts", "Managed Jobs", "Burst Jobs", "GUI", "Physics"]):
                c.category(i, n, i)
            c.category(16, "Other", 9)
            c.category(23, "Memory", 10)
            c.category(41, "My Category", 11)
    for i, n in enumerate(NAMES):
        if part == 1 and n not in ROOTS or part == 2 and n in ROOTS:
            continue
        cat = {"GC.Alloc": 23, "GC.Collect": 17, "Profiler.Default": 24, "PlayerLoop": 20, "File.Read": 25}.get(n, 1 if "::" in n else 16)
        fl = 8 if n in ("PlayerLoop", "GC.Collect") else 0x20 if "::" in n else 2 if n == "Profiler.Default" else 0
        par = {"GC.Alloc": [(4, "size")], "Profiler.Default": [(2, "Object"), (8, "Name"), (3, "Category")],
               "File.Read": [(8, "Filename"), (5, "Offset"), (5, "Size")]}.get(n, [])
        c.marker(i, n, fl, cat, par)
    if part in (0, 2):
        c.marker(ID["PlayerLoop"], "PlayerLoop", 8, 20)               # repeated definition, identical
        if o.version >= 0x20210412:
            for n, unit, typ in COUNTERS:
                c.marker(CID[n], n, 0x80, 41 if n.startswith("Test") else 16, [(typ | unit << 8, "Value")])
        for k in range(o.extra_markers):
            c.marker(100 + k, "Generated.Marker%d" % k, 0, k % 30)
    c.flush(SESSION)


def worker_frame(c, tid, root, idx, flows):
    c.frame(tid, idx)
    c.ev(tid, 0, ID[root])
    for k in range(c.rng.randrange(3, 8)):
        c.ev(tid, 0, ID["Idle"])
        c.now += c.rng.randrange(10, 200)
        c.ev(tid, 1, ID["Idle"])
        if flows and k % 2 == 0:
            c.flow(tid, 3 if c.o.version >= 0x20200924 and k % 4 == 0 else 1, flows[k % len(flows)])
        c.ev(tid, 0, ID["Shadows.PrepareJob"], instance=54438 + k)
        c.ev(tid, 1, ID["Shadows.PrepareJob"])
    c.ev(tid, 1, ID[root])


def one_frame(c, idx, last):
    o, r = c.o, c.rng
    v22, sc = o.version >= 0x20210412, o.scenario
    t0 = c.now
    if sc != "noframes":
        c.frame(MAIN, idx)
    c.ev(MAIN, 0, ID["Main Thread"])
    c.ev(MAIN, 0, ID["PlayerLoop"])
    c.ev(MAIN, 0, ID["BehaviourUpdate"])
    for k in range(o.samples):
        c.ev(MAIN, 0, ID["Game.dll!Game::Enemy.Update()"], instance=1000 + k)
        if k % 3 == 0:
            c.ev(MAIN, 0, ID["GC.Alloc"], values=[(3, 38 + 8 * r.randrange(0, 16))])
            if not o.aligned and k % 6 == 0:
                c.callstack(MAIN, [0x7F0000001010 + 0x100 * r.randrange(0, 4), 0x7F0000001110, 0x1234])
            c.ev(MAIN, 1, ID["GC.Alloc"])
        if k % 4 == 1:
            label = "Enemy \u00e9 #%d \U0001F600" % k
            c.ev(MAIN, 0, ID["Profiler.Default"], values=[(2, 0), (9, label.encode("utf-16-le")), (3, 1)])
            c.ev(MAIN, 0, ID["Test.\u00dcml\u00e4ut \"quoted\" \u65e5\u672c"])
            c.ev(MAIN, 1, ID["Test.\u00dcml\u00e4ut \"quoted\" \u65e5\u672c"])
            c.ev(MAIN, 1, ID["Profiler.Default"])
        c.ev(MAIN, 1, ID["Game.dll!Game::Enemy.Update()"])
    vals = [(1, -7), (2, -2147483648), (3, 4294967295), (4, -9), (5, 2 ** 64 - 1), (6, 1.5), (7, -2.25),
            (8, ("na\u00efve string " * (1 + 40 * (sc in ("split", "splitany")))).encode("utf-8")),
            (9, "wide".encode("utf-16-le")), (10, (1.0, 2.0, 3.0)), (11, bytes(range(256)) * (1 + 9 * (sc in ("split", "splitany"))))]
    if sc == "types":
        vals += [(12, 0x1122334455667788), (13, 0x8877665544332211)]
    c.ev(MAIN, 2, ID["Test.AllTypes"], values=vals)
    fid = idx * 8 + 1
    c.ev(MAIN, 0, ID["JobScheduler.Schedule"])
    c.flow(MAIN, 0, fid)
    c.ev(MAIN, 1, ID["JobScheduler.Schedule"])
    if idx % 20 == 5:
        c.ev(MAIN, 0, ID["GC.Collect"])
        c.now += c.second // 200
        c.ev(MAIN, 1, ID["GC.Collect"])
    c.ev(MAIN, 1, ID["BehaviourUpdate"])
    c.ev(MAIN, 2, ID["File.Read"], values=[(8, b"level0"), (5, 4096 * idx), (5, 4096)])
    if v22:
        for n, _, typ in COUNTERS:
            v = {4: 2 ** 31 + idx, 2: 300 + idx % 7, 5: 16000000 + idx, 6: 36.5, 7: 12.25}[typ]
            if n != "Draw Calls Count":
                c.ev(MAIN, 2, CID[n], values=[(typ, v)])
    c.stats(MAIN)
    if sc == "every":
        c.rest(MAIN)
    if sc == "unmatched" and last:
        c.ev(MAIN, 0, ID["BehaviourUpdate"])
    else:
        if sc == "unmatched" and idx % 3 == 0:                      # PlayerLoop's End closes two forgotten levels
            c.ev(MAIN, 0, ID["Camera.Render"])
            c.ev(MAIN, 0, ID["Idle"])
        c.ev(MAIN, 1, ID["PlayerLoop"])
        c.ev(MAIN, 0, ID["WaitForTargetFPS"])
        c.now = max(c.now, t0 + c.second // 60)
        c.ev(MAIN, 1, ID["WaitForTargetFPS"])
        c.ev(MAIN, 1, ID["Main Thread"])
    end = c.now
    c.now = t0 + 50
    c.frame(RENDER, idx)
    c.ev(RENDER, 0, ID["Render Thread"])
    c.ev(RENDER, 0, ID["Camera.Render"])
    c.anchor(RENDER, idx & 0xFFFF)
    c.ev(RENDER, 1, ID["Camera.Render"])
    if idx > o.first_frame:
        c.gpu(RENDER, (idx - 1) & 0xFFFF, 4000 + idx % 100, 1)
    c.ev(RENDER, 0, ID["Gfx.WaitForPresentOnGfxThread"])
    c.ev(RENDER, 1, ID["Gfx.WaitForPresentOnGfxThread"])
    if v22:                                                          # counters need not be on the main thread
        c.ev(RENDER, 2, CID["Draw Calls Count"], values=[(2, 300 + idx % 7)])
    if not (sc == "unmatched" and last):
        c.ev(RENDER, 1, ID["Render Thread"])
    for tid, root in ((W0, "Job.Worker 0"), (W1, "Job.Worker 1")):
        c.now = t0 + 20
        worker_frame(c, tid, root, idx, [fid])
    c.now = t0 + 30
    c.ev(AUDIO, 0, ID["Audio.Thread"])
    c.ev(AUDIO, 1, ID["Audio.Thread"])
    c.now = end + 5
    if idx % 7 == 3:                                                 # uneven flushing between threads
        c.flush(W0)
        c.flush(AUDIO)


def session(c, first):
    o = c.o
    c.header(MAIN)
    if o.scenario == "headeronly":
        return
    definitions(c, 1 if o.scenario == "late" else 0)
    for k in range(4):
        c.jit(0x7F0000001000 + 0x100 * k, 0x100, "Game.Enemy:Method%d ()" % k)
    c.state(True, first)
    if o.scenario == "unmatched":
        c.ev(W1, 1, ID["Shadows.PrepareJob"])
        c.ev(AUDIO, 1, ID["Audio.Thread"])
    target = o.big * 1000000
    i = 0
    while i < o.frames or c.base + len(c.file) < target:
        one_frame(c, first + i, i == o.frames - 1 and not target)
        i += 1
        if target and len(c.file) > 1 << 20:                         # keep memory bounded
            c.sink.write(c.file)
            c.base, c.file = c.base + len(c.file), bytearray()
            c.replay.tables(c.log)
            c.replay.events(c.log)
            c.log = []
    if o.scenario == "every":
        c.cleanup(AUDIO)
        c.flush(AUDIO)
        c.now += 5000
        c.thread(AUDIO, "Loading", "Preload", 1)                      # the id is used again
        c.now += 5000
        c.ev(AUDIO, 0, ID["File.Read"])
        c.ev(AUDIO, 1, ID["File.Read"])
    for s in list(c.streams):
        c.flush(s)
    if o.scenario == "late":
        definitions(c, 2)
    c.state(False, first + i - 1)


def damage(c):
    """Do the scenario's damage; which messages survive it, and what a reader has to say of it."""
    o, f = c.o, c.file
    facts = {"truncated_bytes": 0, "lost_blocks": 0, "lost_bytes": 0, "skipped": 0, "resyncs": 0}
    if o.big:
        return (lambda e: True), facts
    thread_blocks = [i for i, b in enumerate(c.blocks) if b[2] == MAIN and b[1] > 200]
    mid = thread_blocks[len(thread_blocks) // 2] if thread_blocks else 0
    keep = lambda e: True
    if o.scenario == "truncated":
        at, n, _ = c.blocks[thread_blocks[-1]]
        end = max(c.blocks[0][0], len(f) - o.cut) if o.cut else at + 20 + (n - 28) * 2 // 3
        blk = [b for b in c.blocks if b[0] < end]
        facts["truncated_bytes"] = end - blk[-1][0] if blk and blk[-1][0] + blk[-1][1] > end else 0
        del f[end:]
        keep = lambda e: e[0] <= end
        facts["blocks_complete"] = sum(1 for b in c.blocks if b[0] + b[1] <= end)
    elif o.scenario == "gap":
        at, n, _ = c.blocks[mid]
        del f[at:at + n]
        keep = lambda e: mid not in e[1]
        facts["lost_blocks"] = 1
    elif o.scenario == "badfooter":
        at, n, _ = c.blocks[mid]
        f[at + n - 4:at + n] = b"\0\0\0\0"
        keep = lambda e: mid not in e[1]
        facts.update(lost_blocks=1, resyncs=1, skipped=n)
    elif o.scenario == "garbage":
        at = c.blocks[mid][0]
        noise = bytes(c.rng.randrange(0, 256) for _ in range(1000)).replace(b"\xad", b"\0")
        f[at:at] = noise
        facts.update(resyncs=1, skipped=1000)
    elif o.scenario == "unknown":
        at, n, _ = c.blocks[mid]
        ends = sorted(e[0] for e in c.log if mid in e[1])
        k = ends[len(ends) // 2]
        f[k:k + 2] = b"\xf0\x7f"
        keep = lambda e: mid not in e[1] or e[0] <= k
        facts["lost_bytes"] = at + n - 8 - k
    return keep, facts


def name_of(replay, mid):
    return replay.names.get(mid)


class Replay:
    """Totals by the rules of the page, with all definitions known in advance."""

    def __init__(self):
        self.names, self.flags, self.threads, self.cats = {}, {}, {}, set()
        self.T, self.flows = collections.Counter(), collections.Counter()
        self.stacks, self.anchors, self.depth = collections.defaultdict(list), set(), 0

    def tables(self, entries):
        for _, _, _, e in entries:
            if e[0] == "marker":
                self.names[e[1]], self.flags[e[1]] = e[2], e[3]
                self.T["marker_messages"] += 1
            elif e[0] == "thread":
                self.threads[e[1]] = ((e[2] + "." if e[2] else "") + e[3], e[4])
            elif e[0] == "category":
                self.cats.add(e[1])

    def cut(self, sid):
        """Something is missing: the stream's open zones end here. An allocation is none."""
        st = self.stacks[sid]
        self.T["cut"] += sum(self.names.get(mid) != "GC.Alloc" for mid in st)
        st.clear()

    def events(self, entries, keep=lambda e: True):
        T = self.T
        for entry in entries:
            _, blocks, sid, e = entry
            if not keep(entry):
                self.cut(sid)
                continue
            k = e[0]
            T["split_messages"] += len(blocks) > 1
            T["continued_blocks"] += len(blocks) - 1
            if k == "frame":
                T["frame_messages"] += 1
                T["main_frames"] += sid == MAIN
            elif k == "flow":
                self.flows[e[1]] += 1
            elif k == "anchor":
                self.anchors.add(e[1])
            elif k == "gpu":
                T["gpu"] += 1
                T["gpu_matched"] += e[1] in self.anchors
            elif k == "oldalloc":
                T["gc_allocs"] += 1
                T["gc_bytes"] += e[1]
            elif k == "ev":
                self.sample(sid, *e[1:])
            else:
                T[k] += 1

    def is_root(self, sid, mid):
        """A root sample empties the stack, at its begin and at its end, and is no zone."""
        name, fl = self.threads.get(sid, ("", 1))
        return not fl & 1 and self.names.get(mid) == name

    def sample(self, sid, kind, mid, time, vals):
        T, st = self.T, self.stacks[sid]
        if kind == 2:
            T["single"] += 1
            T["counters"] += bool(vals and self.flags.get(mid, 0) & 0x80)
        elif kind == 0:
            T["begin"] += 1
            if self.is_root(sid, mid):
                T["auto_closed"] += len(st)
                st.clear()
                return
            st.append(mid)
            self.depth = max(self.depth, len(st))
            T["zones"] += not (vals and name_of(self, mid) == "GC.Alloc")
        else:
            T["end"] += 1
            if self.is_root(sid, mid):
                T["auto_closed"] += len(st)
                st.clear()
            elif mid not in st:
                T["orphan_ends"] += self.names.get(mid) != "GC.Alloc"
            else:
                while st[-1] != mid:
                    st.pop()
                    T["auto_closed"] += 1
                st.pop()
                T["matched"] += 1
        if kind != 1 and vals and self.names.get(mid) == "GC.Alloc":
            T["gc_allocs"] += 1
            T["gc_bytes"] += vals[0][1]

    def result(self, c, facts):
        T = self.T
        r = collections.OrderedDict(version=hex(c.o.version), scenario=c.o.scenario, aligned=c.o.aligned,
                                    size=c.base + len(c.file), num=c.num, den=c.den, main=MAIN,
                                    markers=len(self.names), threads=len(self.threads), categories=len(self.cats))
        for k in ("zones", "marker_messages", "begin", "end", "single", "matched", "orphan_ends", "auto_closed", "gc_allocs",
                  "gc_bytes", "counters", "frame_messages", "main_frames", "gpu", "gpu_matched", "jit", "stats",
                  "split_messages", "continued_blocks"):
            r[k] = T[k]
        r.update(callstacks=T["callstack"], max_depth=self.depth, open_at_end=T["cut"] + sum(map(len, self.stacks.values())),
                 flows={str(k): self.flows[k] for k in sorted(self.flows)})
        r.update(facts)
        return r


def main(args=None):
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("out", nargs="?")
    p.add_argument("--version", type=lambda s: int(s, 0), default=0x20191122, help="0x20191122 (default) or 0x20220328")
    p.add_argument("--unity", default="2022,3,10,2,1", help="five numbers, used from 0x20211028 on")
    p.add_argument("--scenario", default="clean", choices=list(SCENARIOS))
    p.add_argument("--frames", type=int, default=30)
    p.add_argument("--first-frame", type=int, default=4313)
    p.add_argument("--samples", type=int, default=24, help="script samples per frame on the main thread")
    p.add_argument("--extra-markers", type=int, default=200)
    p.add_argument("--block", type=int, default=16348, help="largest payload of a block")
    p.add_argument("--aligned", type=int, choices=(0, 1), default=0)
    p.add_argument("--platform", type=int, default=19)
    p.add_argument("--clock", choices=("10mhz", "ns", "mac"), default="10mhz")
    p.add_argument("--cut", type=int, default=0)
    p.add_argument("--big", type=int, default=0, help="keep adding frames until this many megabytes")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--wide", action="store_true", help="instance ids of 8 bytes, as version 0x20260108 may have them")
    p.add_argument("--list", action="store_true")
    o = p.parse_args(args)
    if o.list or not o.out:
        for k, v in SCENARIOS.items():
            print("%-11s %s" % (k, v))
        return 0
    o.unity = [int(x) for x in o.unity.split(",")]
    if o.scenario in ("split", "splitany"):
        o.block = min(o.block, 2048)
    if o.aligned:
        o.block &= ~3
    if o.big and o.scenario != "clean":
        p.error("--big works with the clean scenario only")
    c = Capture(o)
    c.sink = open(o.out, "wb")
    c.replay = Replay()
    session(c, o.first_frame)
    if o.scenario == "appended":
        c.streams.clear()
        session(c, o.first_frame + 10000)
    keep, facts = damage(c)
    c.replay.tables([e for e in c.log if keep(e)])
    c.replay.events(c.log, keep)
    c.sink.write(c.file)
    c.sink.close()
    with open(o.out + ".json", "w") as f:
        json.dump(c.replay.result(c, facts), f, indent=1)
        f.write("\n")
    print("%s: %d bytes, %d blocks, %s" % (os.path.basename(o.out), c.base + len(c.file), len(c.blocks), o.scenario))
    return 0


if __name__ == "__main__":
    sys.exit(main())
