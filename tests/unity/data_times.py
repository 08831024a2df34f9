#!/usr/bin/env python3
"""Times in Unity's .data of which a single one is damaged: it is told with its place, no figure grows by it, and a frame
of which the main thread lacks something is not whole."""
import argparse
import contextlib
from fractions import Fraction
import io
import json
from math import floor
import random
import struct
import subprocess

import data_gen
import generated
from ttc import TRACETOOL, Suite

suite = Suite()
S = 10 ** 9

# Of a version, as tracetool-unity-data(7) has it: bytes before a record, where in it a frame's start is, and its form; bytes of a sample, where
# its duration and its start are, and their forms; ns of their unit; what is before a record's size.
LAYOUTS = {0x20220328: (28, 8, "Q", 20, 4, "f", 8, "Q", 1, 4), 0x20200924: (12, 8, "Q", 16, 0, "f", 4, "Q", 1, 4),
           0x20191122: (12, 8, "Q", 16, 0, "f", 4, "Q", 1000, 4), 0x20160622: (16, 16, "I", 12, 0, "I", 4, "I", 1000, 8)}


class Damaged:
    def __init__(self, word, by=None):
        self.word = word
        path = suite.path("generated.data")
        generated.generate("data", path, "--frames", "12", "--version", hex(word), by=by)
        with open(path, "rb") as f:
            self.b = f.read()
        self.whole = self.told()
        suite.equal("0x%x: the whole capture" % word, (self.whole["status"], self.whole["lost"]), (0, {}))

    def get(self, at, form):
        return struct.unpack_from("<" + form, self.b, at)[0]

    def told(self, *changes):
        """What is told of the capture with other values, each (place, form, value)."""
        b = bytearray(self.b)
        for at, form, value in changes:
            struct.pack_into("<" + form, b, at, value & 2 ** (8 * struct.calcsize(form)) - 1 if form != "f" else value)
        path = suite.path("changed.data")
        with open(path, "wb") as f:
            f.write(b)
        r = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", "--table", "markers,frames,threads,loss", path],
                           capture_output=True, check=False)
        t = json.loads(r.stdout)["tables"]
        return {"status": r.returncode, "longest zones": max(x["total_ns"] for x in t["markers"]["rows"]),
                "calls": sum(x["count"] for x in t["markers"]["rows"]), "frames": t["frames"]["rows"][0]["count"],
                "longest frame": t["frames"]["rows"][0]["max_ns"], "last": max(x["last_ns"] for x in t["threads"]["rows"]),
                "lost": {x["kind"]: x["first_at"] for x in t["loss"]["rows"] if x["severity"] == "error"},
                "moved": [x["first_at"] for x in t["loss"]["rows"] if x["kind"] == "clock"]}

    def is_told(self, what, place, fewer, *changes):
        """It is told at ${place}, ${fewer} frames are left out, the rest is read, and no figure is longer than of the whole capture."""
        got = self.told(*changes)
        longer = [k for k in ("longest zones", "longest frame", "last") if got[k] > self.whole[k] + 1000]
        suite.equal("0x%x: %s" % (self.word, what),
                    (got["status"], got["lost"], longer, self.whole["frames"] - got["frames"] in fewer, got["calls"] > self.whole["calls"] * 2 // 3),
                    (3, {"damaged": place}, [], True, True))
        # Samples that are left out have no durations that are too short.
        suite.equal("0x%x: %s: times that were moved" % (self.word, what), place in got["moved"], False)


def rounded():
    """A sample lasts as many ns as the file has, the nearest whole number of them: of a sample with flows and of a plain one, in ns and in microseconds."""
    rng = random.Random(3)
    for word, (head, frame_at, _, width, dur_at, _, start_at, start_form, unit, size_at) in LAYOUTS.items():
        if word == 0x20160622:                # whole microseconds
            continue
        c = Damaged(word)
        record, wrong, tried = 0, {}, 0
        while True:                           # a frame of 16.7 ms
            first = c.b.index(b"Main Thread\0", record) + 12
            loop, wait = first + 4 + width, first + 4 + (c.get(first, "I") - 1) * width
            if c.get(loop + dur_at, "f") * unit < 14e6:
                break
            record += head + c.get(record + size_at, "I")
        # Whole numbers of ns end between 2^23 and 2^24 where a float has no bits for a half.
        for name, at, low, high, more in (("PlayerLoop", loop, 12700000, 14600000, (12960333, 13000001, 13000003, 13000004)),
                                          ("WaitForTargetFPS", wait, 0, 1450000, (0.49999997, 0.5, 1.5, 2.5, 333.5, 1000000.4375, 1048576.0625))):
            for ns in more + tuple(rng.uniform(low, high) for _ in range(12)):
                b = bytearray(c.b)
                struct.pack_into("<f", b, at + dur_at, ns / unit)
                with open(suite.path("rounded.data"), "wb") as f:
                    f.write(b)
                want = floor(Fraction(struct.unpack_from("<f", b, at + dur_at)[0]) * unit + Fraction(1, 2))
                start = (c.get(at + start_at, start_form) - c.get(head + frame_at, "Q")) * unit
                got = [int(r["dur_ns"]) for r in suite.csv(suite.path("rounded.data")) if r["name"] == name and int(r["start_ns"]) == start]
                tried += 1
                if got != [want]:
                    wrong[name, ns] = (got, want)
        suite.equal("0x%x: %d durations" % (word, tried), wrong, {})


for word, (head, frame_at, frame_form, width, dur_at, dur_form, start_at, start_form, ns, size_at) in LAYOUTS.items():
    c = Damaged(word)
    record = 0
    for _ in range(5):
        record += head + c.get(record + size_at, "I")
    place = record + head
    first = c.b.index(b"Main Thread\0", record) + 12
    count, first = c.get(first, "I"), first + 4
    for k in range(1, count):
        at = first + k * width
        dur, start = c.get(at + dur_at, dur_form), c.get(at + start_at, start_form)
        if not dur:
            continue
        for s in (1, 100, 1000):
            c.is_told("sample %d lasts %d s longer" % (k, s), place, (1,), (at + dur_at, dur_form, dur + s * S // ns))
            if k > 1:
                c.is_told("sample %d begins %d s later" % (k, s), place, (1,), (at + start_at, start_form, start + s * S // ns))
    # Of another thread, the frame is whole.
    other = c.b.index(b"Render Thread\0", record)
    other += (len(b"Render Thread\0") + 3) // 4 * 4 + 4
    for k in range(1, c.get(other - 4, "I")):
        at = other + k * width + dur_at
        if c.get(at, dur_form):
            c.is_told("sample %d of the render thread lasts 100 s longer" % k, place, (0,), (at, dur_form, c.get(at, dur_form) + 100 * S // ns))
    # The first sample and the frame begin together: if one of them is far away, nobody knows when.
    at = first + width
    for s in (20, 100, 1000, -20):
        c.is_told("the first sample begins %d s later" % s, place, (1, 2), (at + start_at, start_form, c.get(at + start_at, start_form) + s * S // ns))
    for s in (1, 2, 8, 20, 100, 1000, -1, -20):
        c.is_told("the frame begins %d s later" % s, place, (2,),
                  (place + frame_at, frame_form, c.get(place + frame_at, frame_form) + s * S // ns))


def starts():
    """The main thread's root begins with its frame, its samples only 3 ms later: a start that the root and the frame beside it contradict is damaged, in the
    first frame, in others and in the last one. A root's start alone is not."""
    by = generated.changed("data", ("root = Sample(None, t0, rng.choice((0, 1000)))",
                                    "root = Sample(None, t0, rng.choice((0, 1000))); t0, length = t0 + 3000000, length - 3000000"))
    for word, (head, frame_at, frame_form, width, _, _, start_at, start_form, ns, size_at) in LAYOUTS.items():
        c = Damaged(word, by)
        record = 0
        for k in range(12):
            place = record + head
            root = c.b.index(b"Main Thread\0", record) + 16
            # Frames before have shown that the root begins with its frame: half a millisecond is told, too.
            for us in (500, 1049, 2097, 4194, 8389, -500, -1049, -4194) if k in (1, 5, 11) else ():
                c.is_told("frame %d begins %d us later" % (k, us), place, (2 if k < 11 else 1,),
                          (place + frame_at, frame_form, c.get(place + frame_at, frame_form) + us * 1000 // ns))
            for ms in (12, 50, 200, 1000, 9000, -12, -50, -200, -1000, -4000) if k in (0, 5, 11) else ():
                c.is_told("frame %d begins %d ms later" % (k, ms), place, (2 if k == 5 else 1,),
                          (place + frame_at, frame_form, c.get(place + frame_at, frame_form) + ms * 1000000 // ns))
                suite.equal("0x%x: the root of frame %d begins %d ms later" % (word, k, ms),
                            c.told((root + start_at, start_form, c.get(root + start_at, start_form) + ms * 1000000 // ns)), c.whole)
            record += head + c.get(record + size_at, "I")


def written(form, name):
    """The records of a capture of ten frames by ${form}, and what is behind them."""
    o = argparse.Namespace(out=suite.path(name), version=0x20220328, unity=[6000, 3, 9, 2, 1], frames=10, samples=6, workers=2, markers=0,
                           scenario="clean", cut=0, audio_pad=0, big=0, seed=1)
    usual, data_gen.Capture = data_gen.Capture, form
    with contextlib.redirect_stdout(io.StringIO()):
        data_gen.write(o)
    data_gen.Capture = usual
    with open(o.out, "rb") as f:
        b = f.read()
    r, at = [], 0
    while struct.unpack_from("<I", b, at)[0] != 0xDEADFEED:
        end = at + 28 + struct.unpack_from("<I", b, at + 4)[0]
        r.append(b[at:end])
        at = end
    return r, b[at:]


def told_of(pieces, tables):
    path = suite.path("short.data")
    with open(path, "wb") as f:
        f.write(b"".join(pieces))
    r = subprocess.run([TRACETOOL, "stats", "--format", "json", "--hitches", "100", "--table", tables, path], capture_output=True, text=True, check=False)
    return r.returncode, r.stderr, {k: t["rows"] for k, t in json.loads(r.stdout)["tables"].items()}


def short():
    """One frame is missing among short ones: that is told, and none gets its time. A capture without GC.Alloc has no allocations to lose."""
    for us in (200, 500, 1100, 2000, 8000):
        class Short(data_gen.Capture):
            def length(self):
                return us * 1000

            def tree(self, name, t0, length):
                root = data_gen.Sample(None, t0, 0)
                root.children.append(data_gen.Sample(7, t0 + length // 4, length // 2))
                return root
        records, end = written(Short, "short.data")
        status, said, t = told_of(records + [end], "hitches,loss")
        suite.equal("frames of %d us: all are whole, and nothing is said" % us,
                    (status, said, sorted(r["dur_ns"] for r in t["hitches"])), (0, "", [us * 1000] * 9))
        suite.equal("frames of %d us: the ledger" % us, [r["kind"] for r in t["loss"]], [])
        for k in range(2, 8):
            status, said, t = told_of(records[:k] + records[k + 1:] + [end], "hitches,loss")
            suite.equal("frames of %d us, one is missing: it is told, and the one before is left out" % us,
                        (status, sorted(r["dur_ns"] for r in t["hitches"]), [r["kind"] for r in t["loss"]]), (3, [us * 1000] * 7, ["missing"]))


def shapes():
    """Which frames are whole does not depend on how deep or wide the main thread's samples are."""
    class Deep(data_gen.Capture):
        def tree(self, name, t0, length):
            root = super().tree(name, t0, length)
            inner = root
            for k in range(200 if name == "Main Thread" else 0):
                inner.children.append(data_gen.Sample(12, t0 + length - 2500000 + 100 * k, 100000 - 200 * k))
                inner = inner.children[-1]
            root.children.sort(key=lambda x: x.start)
            return root
    told = {}
    for shape, form, samples in (("usual", data_gen.Capture, 6), ("deep", Deep, 6), ("wide", data_gen.Capture, 5000)):
        for scenario in ("clean", "badtree"):
            o = argparse.Namespace(out=suite.path("shape.data"), version=0x20220328, unity=[6000, 3, 9, 2, 1], frames=8, samples=samples, workers=2,
                                   markers=0, scenario=scenario, cut=0, audio_pad=0, big=0, seed=1)
            usual, data_gen.Capture = data_gen.Capture, form
            with contextlib.redirect_stdout(io.StringIO()):
                data_gen.write(o)
            data_gen.Capture = usual
            r = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--table", "frames", o.out], capture_output=True, check=False)
            told[shape, scenario] = json.loads(r.stdout)["tables"]["frames"]["rows"][0]["count"]
    for shape in ("usual", "deep", "wide"):
        suite.equal("whole frames, %s" % shape, (told[shape, "clean"], told[shape, "badtree"]), (7, told["usual", "badtree"]))
    suite.equal("of a damaged one some are left out", told["usual", "badtree"] < 7, True)


def gpu():
    """The GPU works for a sample no longer than 10 s after twice its frame, nor than a second more than ten times what it worked for the whole
    frame, if that is known: such a time is left out, and told at its frame. So is a frame's own time."""
    def counted(word, sample_us, frame_us, frame_ns=0):
        """Status, losses, the GPU's times of samples and of frames, in us, without those of a few ms; place of the record."""
        sixth = "%d if self.T['frames'] == 5 else "
        by = generated.changed("data", ("c.gpu.append((4000 +", "c.gpu.append((" + sixth % sample_us + "4000 +"),
                               ("return 0 if self.rng", "return " + sixth % frame_us + "0 if self.rng"),
                               ("length = self.length()", "length = self.length() + %d * (self.T['frames'] == 5)" % frame_ns))
        path = generated.generate("data", suite.path("gpu.data"), "--version", hex(word), "--frames", "12", by=by)
        head = 16 if word in data_gen.OLD else 28 if word >= 0x20220328 else 12
        with open(path, "rb") as f:
            b = f.read()
        place = 0
        for _ in range(5):
            place += head + struct.unpack_from("<I", b, place + (8 if head == 16 else 4))[0]
        r = subprocess.run([TRACETOOL, "stats", "-q", "--format", "json", "--limit", "0", "--table", "counter_values,frame_timings,loss,threads", path],
                           capture_output=True, check=False)
        t = {k: x["rows"] for k, x in json.loads(r.stdout)["tables"].items()}
        samples = [int(x["value"]) // 1000 for x in t["counter_values"] if x["counter"].startswith("GPU ")]
        frames = [x["max_ns"] // 1000 for x in t["frame_timings"] if x["part"] == "gpu"]
        lost = [(x["kind"], x["count"], x["first_at"] - place - head) for x in t["loss"] if x["severity"] == "error"]
        return r.returncode, lost, len(samples), [x for x in samples if x > 5000], [x for x in frames if x > 10000], \
            [x["busy_ns"] // 1000 == sum(samples) for x in t["threads"] if x["thread"] == "GPU"]
    for word in [*data_gen.OLD, *data_gen.WORDS]:
        for what, told, options in (
                ("intact", False, (4000, 7000)), ("a short time of the GPU in a long frame", False, (70000, 7000)),
                ("a long time, that of the frame is unknown", False, (2000000, 0)), ("a long frame", False, (30000000, 30000000, 60 * S)),
                ("longer than the frame's", True, (2000000, 7000)), ("longer by one bit", True, (4000 | 1 << 30, 7000)),
                ("far longer than the frame", True, (20000000, 0))):
            status, lost, n, samples, frames, busy = counted(word, *options)
            suite.equal("0x%x: %s, %d us" % (word, what, options[0]), (status, lost, n, samples, busy),
                        (3, [("damaged", 1, 0)], 11, [], [True]) if told else (0, [], 12, [x for x in [options[0]] if x > 5000], [True]))
        status, lost, n, samples, frames, _ = counted(word, 4000, 7000 | 1 << 26)
        suite.equal("0x%x: a frame's own time of the GPU" % word, (status, lost, n, samples, frames), (3, [("damaged", 1, 0)], 12, [], []))


rounded()
starts()
short()
shapes()
gpu()
suite.end()
