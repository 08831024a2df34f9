"""Files for Unity's Profile Analyzer (.pdata), read by pdata_file.py: what must be in them by the slow readers of captures.

    pdata.py TRACETOOL CALLS_GEN HOST
"""
import bisect
import collections
import gzip
import os
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests/unity", "tests/kit"]
import data_gen
import data_reader
import gpu_track
import raw_gen
import raw_log
import raw_reader
import ttc_reader
from count import check, end, fault, same
from generated import generate
from pdata_file import Pdata

TRACETOOL, CALLS_GEN, HOST = (os.path.realpath(p) for p in sys.argv[1:4])


def convert(path, *options, out=None):
    with tempfile.TemporaryDirectory() as folder:
        to = out or os.path.join(folder, "x.pdata")
        paths = path if isinstance(path, list) else [path]
        r = subprocess.run([TRACETOOL, "convert", "-q", "--force", *paths, "-o", to, *options], capture_output=True, text=True, check=False)
        if r.returncode not in (0, 3):
            return r.stderr
        with open(to, "rb") as f:
            return Pdata(f.read())


# --- what must be there --------------------------------------------------------------------------------------

def f32(v):
    return struct.unpack("<f", struct.pack("<f", v))[0]


class Wanted:
    """A thread: zones as (begin, duration, depth, name), points (allocations, instants) as (time, name)."""

    def __init__(self, name, zones, points):
        self.name, self.points = name, points
        roots = [(b, b + d) for b, d, depth, n in zones if depth == 0 and n == name]
        starts = sorted(b for b, _ in roots)
        ends = dict(roots)
        self.zones = []
        for b, d, depth, n in zones:
            if depth == 0 and n == name:
                continue
            i = bisect.bisect_right(starts, b) - 1
            inside = depth > 0 and i >= 0 and b <= ends[starts[i]]
            self.zones.append((b, d, depth + (not inside), n))
        self.zones.sort(key=lambda z: (z[0], z[2]))

    def frames(self, marks):
        """Per frame: zones in order as (name, ms, depth), and how many points of each name."""
        out = collections.defaultdict(lambda: ([], collections.Counter()))
        names = {n for _, n in self.points}
        for b, d, depth, n in self.zones:
            i = max(bisect.bisect_right(marks, b) - 1, 0)
            while i < len(marks) - 1 and marks[i] < max(b + d, b + 1):
                lo, hi = max(b, marks[i]), min(b + d, marks[i + 1])
                if d == 0 and n in names:
                    out[i][1][n] += marks[i] <= b < marks[i + 1]
                elif lo < hi or (d == 0 and marks[i] <= b < marks[i + 1]):
                    out[i][0].append(((lo, depth), n, f32((hi - lo) / 1e6), depth))
                i += 1
        for at, n in self.points:
            i = bisect.bisect_right(marks, at) - 1
            if 0 <= i < len(marks) - 1:
                out[i][1][n] += 1
        return {i: ([z[1:] for z in sorted(zones, key=lambda z: z[0])], points) for i, (zones, points) in out.items()}


def base(name):
    return name.partition(":")[2]


def compare(what, got, threads, marks):
    """${got} against Wanted threads, in frames that begin at ${marks}."""
    if not isinstance(got, Pdata):
        check(False, what, got)
        return
    fault(what + ": rules of the layout", got.wrong[:5])
    if got.wrong:
        return
    same(what + ": frames", len(got.frames), len(marks) - 1)
    same(what + ": first number", got.offset, 0)
    same(what + ": ms of frames", [f[1] for f in got.frames], [f32((b - a) / 1e6) for a, b in zip(marks, marks[1:])])
    same(what + ": begins of frames", [round((f[0] - got.frames[0][0]) * 1e6) for f in got.frames], [m - marks[0] for m in marks[:-1]])
    have = collections.defaultdict(dict)
    for i, f in enumerate(got.frames):
        for name, rows in f[2].items():
            have[name][i] = rows
    points = {n for t in threads for _, n in t.points}
    text = lambda of: sorted((base(name), sorted(frames.items())) for name, frames in of)
    split = {name: {i: ([r for r in rows if not (r[0] in points and r[1] == 0)], collections.Counter(r[0] for r in rows if r[0] in points and r[1] == 0))
                    for i, rows in frames.items()} for name, frames in have.items()}
    want = [("x:" + t.name, t.frames(marks)) for t in threads]
    a, b = text(split.items()), text((n, f) for n, f in want if f)
    same(what + ": threads", [n for n, _ in a], [n for n, _ in b])
    for (name, x), (_, y) in zip(a, b):
        if x != y:
            bad = next((p for p in zip(x, y) if p[0] != p[1]), (len(x), len(y)))
            check(False, "%s: %s" % (what, name), *bad)
            break
    else:
        check(True, what)
    same(what + ": markers", sum(len(r) for f in have.values() for r in f.values()),
         sum(len(z) + sum(p.values()) for _, f in want for z, p in f.values()))


def raw(folder, path, what):
    c = raw_reader.Capture(path)
    shown = {(tid, i[3]): i[2] for s in c.sessions for tid, infos in s.threads.items() for i in infos}
    threads = [Wanted("GPU" if t.tid == gpu_track.TID else shown.get((t.tid, t.name)) or "Thread 0x%x" % t.tid, [z[:4] for z in t.zones],
                      [(a[0], "GC.Alloc") for a in t.allocs] + [i[:2] for i in t.instants]) for t in c.threads]
    compare(what, convert(path), threads, next((t.frames for t in c.threads if len(t.frames) > 1), []))


def data(folder, path, what):
    c = data_reader.Capture(path)
    threads = [Wanted(t.name, [z[:4] for z in t.zones], [(a[0], "GC.Alloc") for a in t.allocs]) for t in c.threads]
    compare(what, convert(path), threads, next((t.frames for t in c.threads if len(t.frames) > 1), []))


def ttc(what, *paths):
    c = ttc_reader.Capture(*paths)
    threads, marks = [], []
    for t in c.threads.values():
        events = list(c.events(t))
        group, name = (x.decode() for x in c.names.get(t.native, (b"", b"")))
        zones = [(b, d, depth, c.name(key)) for b, d, depth, key, _ in ttc_reader.zones(events)]
        points = [(e[0], "GC.Alloc") for e in events if e[1] == "alloc"] + [(e[0], c.name(e[2])) for e in events if e[1] == "instant"]
        threads.append(Wanted((group + "." if group else "") + name, zones, points))
        frames = [e[0] for e in events if e[1] == "frame"]
        marks = frames if len(frames) > len(marks) else marks
    compare(what, convert(list(paths)), threads, marks)


# --- the cases ----------------------------------------------------------------------------------------------

def make(folder, form, *options):
    return generate(form, os.path.join(folder, "x." + form), *options)


def calls(folder, name, lines):
    path = os.path.join(folder, name + ".mlpd")
    text = "\n".join("\t".join(str(w) for w in line) for line in lines) + "\n"
    subprocess.run([CALLS_GEN, path], input=text, text=True, check=True)
    return path


def mlpd(folder):
    """Frames by a marker; a call that lasts two and a half of them, and a thread that was there before."""
    lines = [("thread", 0, "Main"), ("thread", 1, "Work"), ("method", 1, "G:Frame ()"), ("method", 2, "G:Draw ()"), ("method", 3, "G:Load ()")]
    lines += [("enter", 100, 1, 3), ("enter", 200, 1, 2)]
    for i in range(4):
        t = 1000 + 1000 * i
        lines += [("enter", t, 0, 1), ("enter", t + 100, 0, 2), ("leave", t + 300 + i, 0, 2), ("leave", t + 900, 0, 1)]
    lines += [("leave", 3500, 1, 2), ("leave", 3600, 1, 3), ("end", 6000, 0)]
    path = calls(folder, "calls", sorted(lines, key=lambda l: l[1] if l[0] in ("enter", "leave", "end") else -1))
    got = convert(path, "--frame-marker", "G:Frame*")
    if not check(isinstance(got, Pdata), "mlpd", got):
        return None
    fault("mlpd: rules", got.wrong)
    ms = lambda ns: f32(ns / 1e6)
    same("mlpd: frames", [(f[1], f[2].get("1:Main")) for f in got.frames],
         [(ms(1000), [("G:Frame", ms(900), 1), ("G:Draw", ms(200 + i), 2)]) for i in range(3)])
    same("mlpd: calls go on in the next frame", [f[2].get("1:Work") for f in got.frames],
         [[("G:Load", ms(1000), 1), ("G:Draw", ms(1000), 2)]] * 2 + [[("G:Load", ms(600), 1), ("G:Draw", ms(500), 2)]])
    got = convert(path, "--frame-marker", "G:Frame*", "--marker", "G:Draw*")
    same("mlpd: markers left out leave no hole", [f[2].get("1:Main") for f in got.frames], [[("G:Draw", ms(200 + i), 1)] for i in range(3)])
    got = convert(path, "--frame-marker", "G:Frame*", "--frames", "2-3")
    same("mlpd: numbers of frames", (got.offset, len(got.frames)), (1, 2))
    return path


def numbers(folder):
    """The file's number is that of its first frame as stats counts them, not the engine's, whatever chooses the frames."""
    for form, options in (("raw", ("--first-frame", 4313)), ("data", ())):
        path = make(folder, form, "--frames", 12, *options)
        whole = convert(path)
        same(form + ": number of the first frame", whole.offset, 0)
        begin, end = whole.frames[3][0], whole.frames[6][0]
        span = lambda more: "%.9f-%.9f" % (begin / 1e3 - more, end / 1e3 + more)
        for choice in (("--frames", "4-6"), ("--time", span(0)), ("--time", span(0.001))):
            part = convert(path, *choice)
            if check(isinstance(part, Pdata), "%s %s" % (form, " ".join(choice)), part):
                same("%s %s" % (form, " ".join(choice)), (part.offset, part.wrong, part.frames), (3, [], whole.frames[3:6]))


def sides(folder, path):
    """Two captures: a file for each, named by their place."""
    out = os.path.join(folder, "side.pdata.gz")
    r = subprocess.run([TRACETOOL, "convert", path, make(folder, "raw", "--frames", 6), "--force", "--frame-marker", "G:Frame*", "-o", out],
                       capture_output=True, text=True, check=False)
    check(r.returncode == 2 and "no whole frame" in r.stderr, "a capture without frames is refused by its name", r.returncode, r.stderr)
    a, b = make(folder, "raw", "--frames", 6), os.path.join(folder, "y.data")
    generate("data", b, "--frames", "9")
    r = subprocess.run([TRACETOOL, "convert", a, b, "-o", out], capture_output=True, text=True, check=False)
    same("a file for each capture", (r.returncode, "side.pdata.gz: " in r.stderr, " in 2 files, pdata" in r.stderr), (0, True, True))
    for i, one in ((1, a), (2, b)):
        with gzip.open(os.path.join(folder, "side-%03d.pdata.gz" % i)) as f:
            got = Pdata(f.read())
        alone = convert(one)
        same("side %d is what the capture gives alone" % i, [(f[1], f[2]) for f in got.frames], [(f[1], f[2]) for f in alone.frames])
    r = subprocess.run([TRACETOOL, "convert", a, b, "-f", "pdata"], capture_output=True, check=False)
    check(r.returncode == 2 and b"standard output is one" in r.stderr, "two captures do not go to standard output", r.returncode, r.stderr)
    r = subprocess.run([TRACETOOL, "convert", a, "-f", "pdata"], capture_output=True, check=False)
    same("one does", Pdata(r.stdout).frames, convert(a).frames)


def game(folder):
    subprocess.run([HOST, "capture=" + os.path.join(folder, "game.ttc"), "seed=7", "threads=4", "frames=15", "events=3000"], check=True,
                   stdout=subprocess.DEVNULL)
    ttc("ttc: a game", os.path.join(folder, "game.ttc"))


def at_borders(folder):
    """Zones without length where the zone around them, and the frame, end: the next frame has them, in what goes on there."""
    log = raw_log.Log(1000, ("Main Thread", "Loop", "Outer", "Inner", "Point"))
    begin, end_ = (lambda m, ms, kind=kind: raw_log.sample(kind, m, ms) for kind in (36, 37))
    log.frame(1000, begin(1, 1001) + begin(3, 1002) + begin(4, 1010) + end_(4, 1010) + end_(3, 1010) + end_(1, 1010))
    log.frame(1010, begin(2, 1011) + begin(1, 1012) + begin(3, 1013) + begin(4, 1020) + begin(4, 1020) + end_(4, 1020) + end_(4, 1020) +
              end_(3, 1020) + end_(1, 1020))
    log.frame(1020, end_(2, 1025))
    log.frame(1030)
    log.block(raw_log.SESSION, raw_log.state(0, 1040))
    got = convert(log.write(os.path.join(folder, "borders.raw")))
    fault("zones at borders: rules", got.wrong)
    points = [[(k, depth) for k, (n, _, depth) in enumerate(t.get("1:Main Thread", [])) if n == "Point"] for _, _, t in got.frames[:3]]
    same("zones at borders: depths", [[d for _, d in p] for p in points], [[], [1], [2, 3]])


def room(folder):
    """What is put aside for one file makes room for the next: two files need hardly more than the larger one."""
    def least(*paths):
        low, high = 0, 1 << 24
        while high - low > 4096:
            m = (low + high) // 2
            r = subprocess.run([TRACETOOL, "convert", "-q", *paths, "-f", "pdata", "-o", os.path.join(folder, "room.pdata"), "--spool-max", str(m)],
                               capture_output=True)
            low, high = (m, high) if r.returncode == 4 else (low, m)
        return high

    paths = []
    for i, frames in enumerate((200, 201)):
        paths.append(os.path.join(folder, "room%d.raw" % i))
        os.rename(make(folder, "raw", "--frames", frames), paths[i])
    one, other, both = least(paths[0]), least(paths[1]), least(*paths)
    check(one <= both < max(one, other) + one // 4, "room for temporary files is given back", one, other, both)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for scenario in ("clean", "split", "splitany", "late", "types", "every"):
            for word, aligned in (("0x20191122", 0), ("0x20220328", 1)):
                path = make(folder, "raw", "--scenario", scenario, "--version", word, "--aligned", aligned, "--frames", 12)
                raw(folder, path, "raw %s %s" % (scenario, word))
        raw(folder, make(folder, "raw", "--scenario", "splitany", "--frames", 240, "--seed", 2), "raw, longer than a segment")
        for word in ("0x20160622", "0x20191122", "0x20210412", "0x20220328"):
            data(folder, make(folder, "data", "--version", word, "--frames", 12), "data " + word)
        data(folder, make(folder, "data", "--frames", 150), "data, longer than a segment")
        for scenario in raw_gen.SCENARIOS:
            got = convert(make(folder, "raw", "--scenario", scenario, "--frames", 12))
            if isinstance(got, Pdata):
                fault("raw %s: rules" % scenario, got.wrong[:5])
            else:
                check("no whole frame" in got, "raw %s: it has no frames" % scenario, got)
        for scenario in data_gen.SCENARIOS:
            got = convert(make(folder, "data", "--scenario", scenario, "--frames", 12))
            if isinstance(got, Pdata):
                fault("data %s: rules" % scenario, got.wrong[:5])
            else:
                check("no whole frame" in got, "data %s: it has no frames" % scenario, got)
        path = make(folder, "raw", "--scenario", "splitany", "--frames", 240)
        one, four = (subprocess.run([TRACETOOL, "convert", "-q", path, "-f", "pdata", "-j", n, "--spool-max", "64M"], capture_output=True, check=True).stdout
                     for n in ("1", "4"))
        check(one == four, "as many workers as there are change no byte")
        room(folder)
        numbers(folder)
        at_borders(folder)
        sides(folder, mlpd(folder))
        game(folder)
    end()


main()
