"""Copies without names: what reads like the original, and what words of it are in them. Tables of a copy are compared with those of the
original cell by cell, each word of the copy's names put back to what it stands for.

    scrub.py TRACETOOL
"""
import argparse
import csv
import glob
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path[:0] = ["tests/unity", "tests/kit"]
os.environ.setdefault("TRACETOOL", sys.argv[1])
import data_gen
import lot
import one_game
import planted
import raw_log
import raw_gen
from count import check, end, same
from generated import generate

TRACETOOL = os.path.realpath(sys.argv[1])
# Words that only a game has, and not Unity, in the captures that the generators write and in testdata.
GAME = ("Enemy Method0 Method1 Method2 Method3 Assets Preload AllTypes level0 canvas quoted string "
        "Transform Temperature JobScheduler Generated ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789 "
        "Game.dll Game:: \u00dcml\u00e4ut \u65e5\u672c four.").split()
met = set()


def words(data):
    """Words of a game that are in a capture, as UTF-8 or UTF-16."""
    return {w for w in GAME if w.encode() in data or w.encode("utf-16-le") in data}


def run(*args):
    return subprocess.run([TRACETOOL, *args], capture_output=True, check=False)


def events(path):
    """Events without their names, which names are on them, and all their texts."""
    r = run("convert", "-q", "--force", path, "-f", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(r.stdout.decode())) if row["kind"] != "fact"]
    bare = [{k: v for k, v in row.items() if k not in ("name", "category", "args", "detail", "thread")} for row in rows]
    return r.returncode, bare, [(row["kind"], row["name"]) for row in rows], [v for row in rows for v in row.values()]


def tables(path):
    """All tables, whole, but for what is said of the file."""
    listed = json.loads(run("list", "passes", "--format", "json").stdout)
    names = [n for p in listed["tables"]["passes"]["rows"] for n in p["tables"].split()]
    r = run("stats", "-q", "--force", "--format", "json", "--limit", "0", "--table", ",".join(names), path)
    return {k: t["rows"] for k, t in json.loads(r.stdout)["tables"].items() if k != "facts"} if r.stdout else {}


WORD = re.compile("[A-Za-z0-9\u0080-\U0010ffff]+")


def words_back(of, texts, copies):
    """Add to ${of} what each text of the copy stands for, and each of its longer words; names that differ in more than words are told."""
    for a, b in dict.fromkeys(zip(texts, copies)):
        if WORD.sub("", a) != WORD.sub("", b):
            return "%r became %r" % (a, b)
        of[b] = a
        of.update((y, x) for x, y in zip(WORD.findall(a), WORD.findall(b)) if len(y) > 6)
    return None


# What is of the file, made of names (ids of .data), chosen in the order of names among equals, or a letter that a short name may become.
BY_NAME = {("compared_frames", "is"), ("hitch_markers", "rank"), ("capture", "path"), ("capture", "bytes"), ("metadata_markers", "id"), ("counters", "id"),
           ("hitch_markers", "marker"), ("hitch_markers", "count"), ("hitches", "top")}


def same_tables(what, path, out, of):
    have, want = tables(out), tables(path)
    same(what + ": tables", sorted(have), sorted(want))
    # Definitions of markers are in their order; code has its address.
    for name, order in (("metadata_markers", None), ("jit_methods", "address"), ("sample_native", "address"),
                        ("metadata_categories", "id")):
        texts = [[v for r in sorted(t.get(name, []), key=(lambda r: r[order]) if order else lambda r: 0) for v in r.values()
                  if isinstance(v, str)] for t in (want, have)]
        same("%s: what is no word of %s" % (what, name), words_back(of, *texts), None)

    names = re.compile("|".join(re.escape(x) for x in sorted((x for x, old in of.items() if len(x) > 3 and x != old), key=len, reverse=True)))

    def back(v):
        if not isinstance(v, str) or v in of:
            return of.get(v, v)
        return names.sub(lambda m: of[m.group()], v) if names.pattern else v

    for name in want:
        a, b = [sorted(repr([(k, f(v)) for k, v in r.items() if (name, k) not in BY_NAME]) for r in t[name]) for f, t in ((lambda v: v, want), (back, have))]
        wrong = [(x, y) for x, y in zip(a, b) if x != y]
        check(len(a) == len(b) and not wrong, "%s: table %s" % (what, name), len(a), len(b), wrong[:2])


def one_to_one(pairs):
    to, back = {}, {}
    return all(to.setdefault(a, b) == b and back.setdefault(b, a) == a for a, b in pairs)


def copy(folder, path, what, whole, known=""):
    out = os.path.join(folder, "copy" + os.path.splitext(path)[1])
    r = run("info", "--force", "--scrub", "-o", out, path)
    if not check(os.path.exists(out), what + ": is copied", r.stderr):
        return
    damaged = not whole or any(s in what for s in (" gap ", " lost ", " badtree "))
    same(what + ": exit status of the copy", r.returncode, 3 if damaged else 0)
    if " badtree " in what:
        check(b"the capture is damaged, first at byte " in r.stderr, what + ": the place", r.stderr)
    with open(path, "rb") as f:
        old = f.read()
    with open(out, "rb") as f:
        new = f.read()
    same(what + ": size", len(new), len(old))
    # A message that a log ends in.
    check((b"which are part of a message, only the length is kept" in r.stderr) == ("raw truncated " in what), what + ": the last message", r.stderr)
    met.update(words(old))
    same(what + ": words that are left", {w for w in words(new) if w not in known}, set())
    check(not whole or b"look like texts" not in r.stderr, what + ": no number looks like a text", r.stderr)
    zeros = b"zeros are in place" in r.stderr
    check(zeros == (not whole and " truncated " not in what) or "data truncated" in what or " badtree " in what, what + ": what is zeros is told", r.stderr)
    a, b, of = events(path), events(out), {}
    same(what + ": exit status", b[0], a[0])
    # Of a block with a message of an unknown type nothing else is copied.
    if " unknown " not in what:
        same(what + ": events", b[1] == a[1], True)
        same(what + ": what is no word", words_back(of, a[3], b[3]), None)
    if whole:
        same_tables(what, path, out, of)
    check(" unknown " in what or one_to_one(set(zip(a[2], b[2]))), what + ": each name is another one")
    check(not whole or not a[2] or len({n for _, n in a[2]} & {n for _, n in b[2]}) < len({n for _, n in a[2]}), what + ": names differ")
    os.remove(out)


def of_manual(section):
    """The names that the manual lists by what they mean: tracetool-unity-raw(7), Sending a capture."""
    with open("man/tracetool-unity-raw.7", encoding="utf-8") as f:
        text = f.read().split('.\\" begin names\n')[1].split('.\\" end names')[0]
    part = [p for p in text.split("\n.It ") if p.startswith(section)]
    return [re.sub(r"^\\&", "", line[4:]).removesuffix(" ,").replace("\\ ", " ") for line in part[0].splitlines() if line.startswith(".Ql ")]


def with_meanings(path):
    """A game, held to 60 frames a second by the last wait of the manual's list, in which every 20th frame does one of what long frames do."""
    o = argparse.Namespace(seed=3, version=0x20220328, aligned=0, platform=19, unity=[2022, 3, 10, 2, 1], clock="10mhz", scenario="clean", block=16348)
    c = raw_gen.Capture(o)
    limits, ms = of_manual("waits for the frame limit"), c.second // 1000
    spikes = [n + "Enemy" for what in ("collects", "compiles", "asks for a lock", "loads") for n in of_manual(what)]
    # Behind a method of the engine, only how it was called is the engine's.
    spikes += ["UnityEngine.CoreModule.dll!UnityEngine::GameObject.AddComponent()" + s for s in (" [Enemy]", " Enemy", "[Enemy]", " [Coroutine: Enemy]")]
    spikes += ["Enemy.dll!Enemy::" + "Enemy" * 60 + "." + spikes[0], "mscorlib.dll!System.IO::FileStream.Read()", "Enemy.dll!Systems::Enemy.Read()"]
    phases = [n + ".Enemy" for n in of_manual("a phase")]
    waits = [n + "Enemy" for n in of_manual("waits") if "[" not in n]
    names = ["Main Thread", "Render Thread", "Loading.Enemy 0", "PlayerLoop", limits[-1] + "Enemy", "GC.Alloc", *phases, *waits, *spikes]
    c.header(raw_gen.MAIN)
    for t in ((raw_gen.MAIN, "", "Main Thread", 0), (raw_gen.RENDER, "", "Render Thread", 0), (raw_gen.W0, "Loading", "Enemy 0", 0)):
        c.thread(*t)
    ids = {}
    for i, n in enumerate(names):
        ids.setdefault(n, i)
        c.marker(i, n, 0, 16)
    for i, n in enumerate(("Enemy Memory", "Enemy Bytes", "Enemy Count", "Enemy Time", "Enemy")):
        c.marker(1000 + i, n, 0x80, 16, [(4, "Enemy")])
    methods = ["System.String:Concat (string,string)", "Enemy.Enemy:.ctor ()", "string:CreateString (char[])",
               "(wrapper managed-to-native) object:__icall_wrapper_enemy (int)", "System.GC:Collect ()"]
    for i, n in enumerate(methods):
        c.jit(0x1000 * (i + 1), 0x100, n)
    c.state(True, 1)

    def zone(tid, name, length, inside=()):
        c.ev(tid, 0, ids[name])
        end = c.now + length
        for x in inside:
            zone(tid, *x)
        c.now = max(c.now, end)
        c.ev(tid, 1, ids[name])

    for k in range(20 * len(spikes) + 10):
        t0, spike = c.now, spikes[k // 20] if k % 20 == 15 and k // 20 < len(spikes) else None
        c.frame(raw_gen.MAIN, k)
        c.ev(raw_gen.MAIN, 0, ids["Main Thread"])
        zone(raw_gen.MAIN, "PlayerLoop", 0, [(n, ms // 2) for n in phases] + [(n, ms // 20) for n in waits])
        for m in range(len(methods) if k % 3 == 0 else 0):
            c.ev(raw_gen.MAIN, 0, ids["GC.Alloc"], values=[(4, 100 + m)])
            c.callstack(raw_gen.MAIN, [0x1010 + 0x1000 * m, 0x2010])
            c.ev(raw_gen.MAIN, 1, ids["GC.Alloc"])
        for m in range(5):
            c.ev(raw_gen.MAIN, 2, 1000 + m, values=[(4, k)])
        if spike:
            zone(raw_gen.MAIN, spike, 40 * ms)
        c.ev(raw_gen.MAIN, 0, ids[names[4]])
        c.now = max(c.now, t0 + c.second // 60)
        c.ev(raw_gen.MAIN, 1, ids[names[4]])
        c.ev(raw_gen.MAIN, 1, ids["Main Thread"])
        end, c.now = c.now, t0 + 50
        for tid, root in ((raw_gen.RENDER, "Render Thread"), (raw_gen.W0, "Loading.Enemy 0")):
            c.frame(tid, k)
            zone(tid, root, ms, [(waits[0], ms // 4)])
        c.now = end
    for s in list(c.streams):
        c.flush(s)
    c.state(False, k)
    with open(path, "wb") as f:
        f.write(c.file)
    return spikes


def meanings(folder):
    path = os.path.join(folder, "meanings.raw")
    spikes = with_meanings(path)
    copy(folder, path, "a game whose names mean something", True, " ".join(n for w in ("loads", "collects", "allocates") for n in of_manual(w)))
    have = tables(path)
    classes = {r["class"] for r in have["causes"]}
    check({"collection", "compiled", "lock", "loading"} <= classes and len(spikes) > 20, "it has such causes", classes)
    check(any(r["time"] == "uncapped" for r in have["frames"]), "it is capped", have["frames"])
    same("its phases", len(have["frame_phases"]), 8)


def causes(folder):
    """Games with planted causes: the copy has the same causes, in the same order, with the same figures; and none of the game's words."""
    for kind, forms, plant, cls, _ in lot.some(planted.KINDS, 3, "scrub", "planted"):
        frames = planted.game(planted.UNITY, plant(planted.UNITY, 12))
        for form in ("raw", "data"):
            path = planted.FORMS[form](os.path.join(folder, "planted." + form), frames)
            copy(folder, path, "planted %s as .%s" % (kind, form), True, "Preload")
            have = [r["class"] for r in tables(path)["causes"]]
            check(cls in have, "planted %s as .%s: is the game's cause" % (kind, form), have)
            out = os.path.join(folder, "causes." + form)
            run("info", "--scrub", "-o", out, path)
            same("planted %s as .%s: causes in their order" % (kind, form), [r["class"] for r in tables(out)["causes"]], have)


def damaged(folder):
    """Logs in small blocks that messages are cut between, with blocks dropped, overwritten, or bits wrong, and logs in layouts that nobody knows: no word of
    the game is in the copy."""
    path, out = os.path.join(folder, "damaged.raw"), os.path.join(folder, "damaged.copy.raw")
    rng, left, n = lot.draw("scrub", "damaged"), [], 0
    for word, aligned in (("0x20191122", "0"), ("0x20191122", "1"), ("0x20220328", "0"), ("0x20220328", "1")):
        generate("raw", path, "--version", word, "--aligned", aligned, "--frames", "3", "--scenario", "splitany", "--block", "60", "--extra-markers", "2")
        with open(path, "rb") as f:
            good = f.read()
        at, blocks = good.index(struct.pack("<I", 0xB10C7EAD)), []
        while at + 28 <= len(good):
            size = 28 + struct.unpack_from("<I", good, at + 16)[0]
            blocks.append((at, size, good[at + 8:at + 16] == b"\xff" * 8))
            at += size
        # Names are in the first of the session's blocks.
        of_session = lot.some([b[:2] for b in blocks if b[2]][:60], 24, "scrub", "blocks", word, aligned)
        for i in range(len(of_session) + 20):
            b, (at, size) = bytearray(good), of_session[i] if i < len(of_session) else rng.choice(blocks)[:2]
            if i < len(of_session) or i % 5 == 0:
                del b[at:at + size]
            elif i % 5 == 1:
                b[at + 20:at + size - 8] = bytes(size - 28)
            elif i % 5 == 2:
                b[at + size - 1] ^= 0xff
            elif i % 5 == 3:
                b[at + rng.randrange(20, size - 8)] ^= 1 << rng.randrange(8)
            else:
                b[at + 24:at + 24] = bytes(rng.randrange(1, 9))
            if i % 8 == 7:
                struct.pack_into("<I", b, 8, 0x20270101)
            with open(path, "wb") as f:
                f.write(b)
            run("info", "--scrub", "-o", out, path)
            with open(out, "rb") as f:
                found = words(f.read())
            n += 1
            if found:
                left.append((word, aligned, i, at, sorted(found)))
            os.remove(out)
    # A block in which a definition goes on whose begin is missing: it begins with the name's length, which may be the number of a type.
    for size in range(6, 64):
        log, name = raw_log.Log(100), ("Enemy" * 13)[:size]
        for ms in range(100, 130, 10):
            log.frame(ms)
        whole = b"".join(raw_log.marker(i, name) for i in range(20, 24))
        log.block(raw_log.SESSION, whole[:10])
        at = len(log.b) - 28 - 10
        log.block(raw_log.SESSION, whole[10:])
        with open(path, "wb") as f:
            f.write(log.b[:at] + log.b[at + 38:])
        run("info", "--scrub", "-o", out, path)
        with open(out, "rb") as f:
            if words(f.read()):
                left.append("a name of %d bytes" % size)
        os.remove(out)
    # Damage that changes a type makes numbers of texts: addresses of a call stack, or a list's.
    for name in ("Enemy", "EnemyEnemyEnemyEnemy"):
        for coding in ("utf-8", "utf-16-le"):
            for skip in range(8):
                text = (bytes(skip) + name.encode(coding)).ljust(64, b"\0")
                stack = struct.pack("<HIB", 3, 1, 8) + text
                stats = struct.pack("<HII", 4, 1, 16) + text
                for lost in (False, True):
                    log = raw_log.Log(100)
                    log.frame(100, raw_log.sample(36, 0, 100) + raw_log.sample(36, 1, 101) + stack + raw_log.sample(37, 1, 102) + raw_log.sample(37, 0, 103))
                    log.block(raw_log.SESSION, stats)
                    log.n[raw_log.MAIN] += lost
                    log.frame(110)
                    log.write(path)
                    run("info", "--scrub", "-o", out, path)
                    with open(path, "rb") as old, open(out, "rb") as new:
                        was, is_now = old.read(), new.read()
                    os.remove(out)
                    if not lost and name == "Enemy":
                        check(is_now.count(text) == 2, "numbers of an undamaged log", name, coding, skip)
                    elif words(is_now):
                        left.append((name, coding, skip, was.index(text)))
    same("%d damaged logs: words that are left" % n, left, [])


SECRET = "SecretBossArenaLevelSevenPrefabAssets"


def left_of(new, text, coding):
    """How many characters of ${text} are next to each other in ${new}."""
    return max((k - i for i in range(len(text)) for k in range(i + 1, len(text) + 1) if text[i:k].encode(coding) in new), default=0)


def placed(folder):
    """A text over any bytes of a capture, of all layouts, whole or cut at its end: no part of it is in the copy, but parts that may be numbers. In
    captures that show no damage these are longer: three numbers of 32 bits; addresses, which from 2019.3 to 2020.1 have 32 bits; floats."""
    left, n, told = [], 0, 0
    for form, word, aligned in [("raw", w, a) for w in ("0x20170327", "0x20181101", "0x20191122", "0x20210412", "0x20220328", "0x20260108") for a in "01"] + [
            ("data", w, "") for w in ("0x20160622", "0x20170327", "0x20180306", "0x20191122", "0x20200312", "0x20210412", "0x20220328", "0x20260108")]:
        path, out = os.path.join(folder, "placed." + form), os.path.join(folder, "placed.copy." + form)
        rng = lot.draw("scrub", "placed", form, word, aligned)
        scenario = rng.choice(("clean", "every", "splitany", "types") if form == "raw" else ("clean", "odd", "lost"))
        generate(form, path, "--version", word, "--frames", "4", "--scenario", scenario, *(("--aligned", aligned) if aligned else ()))
        with open(path, "rb") as f:
            good = f.read()
        for i in range(1500 if lot.LONG else 16):
            coding, text = ("utf-16-le" if i % 4 == 3 else "utf-8"), SECRET[:rng.choice((24, 30, 37))]
            b, at = bytearray(good), rng.randrange(4, len(good) - 80)
            b[at:at + len(text.encode(coding))] = text.encode(coding)
            del b[len(b) - (i % 2) * 40:]
            with open(path, "wb") as f:
                f.write(b)
            r = run("info", "--scrub", "-o", out, path)
            # A header of a .raw, or all layouts, may make no sense any more.
            if not os.path.exists(out):
                continue
            with open(out, "rb") as f:
                most = left_of(f.read(), text, coding)
            os.remove(out)
            n, told = n + 1, told + (b"where numbers belong look like texts" in r.stderr)
            stack = 32 if form == "data" and word in ("0x20191122", "0x20200312") else 20
            if most >= (stack if r.returncode == 0 else 12 if stack == 32 else 8):
                left.append((form, word, aligned, scenario, i, at, r.returncode, most))
    same("%d captures with a text in any place: what is left of it" % n, left, [])
    check(n > 250 and told > n // 20, "captures are copied, and such texts are told", n, told)


def placed_in_numbers(folder):
    """A path over statistics, over addresses, and over samples, which then do not add up: nothing of it is left."""
    text = b"C:\\Users\\joe\\EnemyGame\\Assets\\SecretBoss.prefab\0"
    for word in ("0x20160622", "0x20180306", "0x20191122", "0x20220328"):
        path, out = os.path.join(folder, "numbers.data"), os.path.join(folder, "numbers.copy.data")
        generate("data", path, "--version", word, "--frames", "6")
        with open(path, "rb") as f:
            good = f.read()
        head, old = {"0x20160622": 16, "0x20220328": 28}.get(word, 12), word == "0x20160622"
        size = struct.unpack_from("<I", good, 8 if old else 4)[0]
        names = good.index(b"Main Thread\0", head + size)
        for what, at in (("statistics", head + 300), ("statistics of the second frame", head + size + head + 400), ("samples", names + 60)):
            with open(path, "wb") as f:
                f.write(good[:at] + text + good[at + len(text):])
            r = run("info", "--scrub", "-o", out, path)
            with open(out, "rb") as f:
                new = f.read()
            left = [w for w in (b"Users", b"EnemyGame", b"Assets\\S", b"SecretBoss", b"prefab") if w in new]
            same("%s, a path over %s: what is left" % (word, what), left, [])
            check((b"look like texts" if "stat" in what else b"zeros are in place") in r.stderr, "%s, a path over %s: is told" % (word, what), r.stderr)
            if what == "samples":
                a, b = figures(path), figures(out)
                check(a[0] == b[0] == 3 and a == b, "%s, a path over samples: the copy's figures" % word, [k for k in a[1] if a[1][k] != b[1].get(k)])


LACKS = re.compile(rb"its figures lack ([0-9,]+) events before such bytes")


def lacking(said):
    """How many events of a capture its copy lacks, by what is said."""
    found = LACKS.search(said)
    return int(found[1].replace(b",", b"")) if found else 0


def figures(path):
    """Numbers of the tables that damage may change, without ids that are made of names, and the number of events."""
    names = "capture_layout,capture_unknown,capture_threads,capture_events,loss,markers,threads,frames,gcalloc,alloc_sites,counters,categories,jit_methods"
    r = run("stats", "-q", "--force", "--format", "json", "--limit", "0", "--table", names, path)
    have = {k: t["rows"] for k, t in json.loads(r.stdout)["tables"].items()} if r.stdout else {}
    numbers = {k: sorted(json.dumps([v for c, v in row.items() if not isinstance(v, str) and c != "id"]) for row in rows) for k, rows in have.items()}
    return r.returncode, numbers, sum(row["events"] for row in have.get("capture_events", []))


def damaged_figures(folder):
    """Wrong bits, cuts, lost pages and splices: the copy has the figures of the capture, or it is said how many events it lacks; these are few."""
    wrong, lacks, all, n, equal = [], 0, 0, 0, 0
    for form, word, options in (("raw", "0x20191122", ()), ("raw", "0x20220328", ("--aligned", "1")), ("raw", "0x20210412", ("--scenario", "splitany")),
                                ("raw", "0x20220328", ("--scenario", "every")), ("data", "0x20191122", ()), ("data", "0x20220328", ())):
        path, out = os.path.join(folder, "figures." + form), os.path.join(folder, "figures.copy." + form)
        generate(form, path, "--version", word, "--frames", "10", *options)
        with open(path, "rb") as f:
            good = f.read()
        rng = lot.draw("scrub", "figures", form, word, *options)
        for i in range(1000 if lot.LONG else 12):
            b, at = bytearray(good), rng.randrange(100, len(good) - 600)
            if i % 4 == 0:
                b[at] ^= 1 << rng.randrange(8)
            elif i % 4 == 1:
                del b[at:]
            elif i % 4 == 2:
                b[at:at + 512] = bytes(512)
            else:
                other = rng.randrange(100, len(good) - 600)
                b[at:at] = good[other:other + rng.randrange(1, 400)]
            with open(path, "wb") as f:
                f.write(b)
            r = run("info", "--scrub", "-o", out, path)
            if not os.path.exists(out):
                # A layout may not be known that early.
                if i % 4 != 1 or r.returncode != 3:
                    wrong.append((form, word, i, at, r.stderr))
                continue
            want, have, told = figures(path), figures(out), lacking(r.stderr)
            os.remove(out)
            n, lacks, all, equal = n + 1, lacks + told, all + want[2], equal + (have == want)
            # A record of .data that was copied into another may count as two that are damaged.
            for _, tables, _ in (want, have) if form == "data" and i % 4 == 3 else ():
                tables["loss"], tables["capture_layout"] = sorted((json.loads(row)[1:] for row in tables["loss"]), key=str), None
            # Zeros that begin inside a message may make an event of it that only the capture's reader gives up: one too many is said then.
            extra = told - (want[2] - have[2])
            if (told == 0 and have != want) or not 0 <= extra <= (i % 4 == 2):
                wrong.append((form, word, i, at, want[2], have[2], told, [k for k in want[1] if want[1][k] != have[1].get(k)]))
    same("%d damaged captures: figures of copies" % n, wrong[:10], [])
    check(equal * 4 > n * 3 and lacks * 10 < all, "most copies have all figures, others lack few events", n, equal, lacks, all)


def almost_named(folder):
    """One bit of a thread's name, or of its root's, is wrong, which a reader sees by the other one: so it does in the copy, which has the same figures."""
    path, out, wrong, told, n = os.path.join(folder, "almost.raw"), os.path.join(folder, "almost.copy.raw"), [], 0, 0
    for word, aligned in (("0x20191122", "0"), ("0x20220328", "1")):
        generate("raw", path, "--version", word, "--aligned", aligned, "--frames", "6")
        with open(path, "rb") as f:
            good = f.read()
        places = [(m.start() + i, bit) for m in re.finditer(rb"Main Thread|Render Thread|Job\.Worker \d|Worker \d|Loading\.Preload|Preload", good)
                  for i in range(len(m[0])) for bit in range(8)]
        check(len(places) > 8 * 60, "names of threads and roots", len(places))
        for at, bit in lot.some(places, 60, "scrub", "almost", word):
            b = bytearray(good)
            b[at] ^= 1 << bit
            with open(path, "wb") as f:
                f.write(b)
            r = run("info", "--scrub", "-o", out, path)
            want, have = figures(path), figures(out)
            with open(out, "rb") as f:
                left = words(f.read())
            os.remove(out)
            n, told = n + 1, told + (want[0] == 3)
            if want != have or left or r.returncode != want[0]:
                wrong.append((word, at, bit, bytes(b[at - 20:at + 10]), want[0], have[0], left, [k for k in want[1] if want[1][k] != have[1].get(k)]))
    same("%d threads and roots that differ in one bit: figures of copies" % n, wrong[:10], [])
    check(told * 2 > n, "most are told", told, n)


def first_record(folder):
    """Captures whose first record is damaged: the copy is recognised, and holds what is left."""
    for word in ("0x20160622", "0x20191122", "0x20220328"):
        path, out = os.path.join(folder, "first.data"), os.path.join(folder, "first.copy.data")
        generate("data", path, "--version", word, "--frames", "12")
        with open(path, "rb") as f:
            old = f.read()
        size, head = {"0x20160622": (8, 16), "0x20191122": (4, 12), "0x20220328": (4, 28)}[word]
        mark = head + struct.unpack_from("<I", old, size)[0] - 4
        for what, at, new in (("size", size, 9999), ("size that is none", size, 3), ("end mark", mark, 0)):
            with open(path, "wb") as f:
                f.write(old[:at] + struct.pack("<I", new) + old[at + 4:])
            r = run("info", "--scrub", "-o", out, path)
            a, b = events(path), events(out)
            check(r.returncode == 3 and a[0] == b[0] == 3 and len(a[1]) > 100 and a[1] == b[1], "first record's %s, %s" % (what, word), r.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for form, gen in (("raw", raw_gen), ("data", data_gen)):
            for scenario in gen.SCENARIOS:
                for word in lot.some(("0x20191122", "0x20220328") if form == "raw" else ("0x20160622", "0x20191122", "0x20210412", "0x20220328"), 1,
                                     "scrub", form, scenario):
                    path = os.path.join(folder, "x." + form)
                    options = ["--scenario", scenario, "--version", word, "--frames", "12"]
                    options += ["--aligned", "1"] if word == "0x20220328" and form == "raw" else []
                    generate(form, path, *options)
                    whole = scenario in ("clean split splitany late types every noframes unmatched gap appended odd badtree headeronly noend lost "
                                         "empty").split()
                    copy(folder, path, "%s %s %s" % (form, scenario, word), whole)
        for path in lot.some(sorted(glob.glob("testdata/raw/good-*") + glob.glob("testdata/data/good-*")), 8, "scrub", "testdata"):
            copy(folder, path, path, True)
        meanings(folder)
        # Labels are in UTF-8 and in UTF-16 there, with characters of two, three and four bytes.
        bytes_of = one_game.value_bytes
        one_game.value_bytes = lambda kind, v: bytes_of(kind, v.replace("\u00e9", "\u00e9 \u65e5x\U0001f600") if isinstance(v, str) else v)
        for form, write in (("raw", lambda p, f: one_game.raw(p, f, True)), ("data", one_game.data)):
            path = os.path.join(folder, "game." + form)
            write(path, one_game.game(instants=form == "raw"))
            copy(folder, path, "one game as ." + form, True)
        # Clocks that count from 1970, and those of a system that has run for two years.
        for start in (2 * 366 * 86400 * 1000, 1700000000000):
            c = raw_log.Log(start, ["Main Thread", "Enemy Method0"])
            for k in range(4):
                c.frame(start + 16 * k)
            copy(folder, c.write(os.path.join(folder, "late.raw")), "a clock of %d ms" % start, True)
        r = run("info", "--scrub", "-o", os.path.join(folder, "y"), "testdata/capture/good-v1.0-every-kind.ttc")
        made = os.path.exists(os.path.join(folder, "y"))
        check(r.returncode == 2 and b".raw, .data and .mlpd" in r.stderr and not made, "other formats are refused", r.stderr)
        raw = "testdata/raw/good-2019-every.raw"
        first, second = os.path.join(folder, "1.raw"), os.path.join(folder, "2.raw")
        run("info", "--scrub", "-o", first, raw)
        run("info", "--scrub", "-o", second, raw)
        with open(first, "rb") as x, open(second, "rb") as y:
            check(x.read() != y.read(), "a second copy has other hashes")
        first_record(folder)
        damaged(folder)
        damaged_figures(folder)
        almost_named(folder)
        placed(folder)
        placed_in_numbers(folder)
        # Writing a game with causes leaves its markers in one_game.
        causes(folder)
        for option in ("--format=json", "--meta=a=b", "--width=80", "--csv-safe", "--align=start", "--frame-marker=x", "--input-format=raw"):
            r = run("info", "--scrub", option, "-o", os.path.join(folder, "z"), raw)
            made = os.path.exists(os.path.join(folder, "z"))
            check(r.returncode == 2 and option.split("=")[0].encode() in r.stderr and not made, option + ": is refused", r.stderr)
        r = run("info", "--scrub", path)
        check(r.returncode == 2 and b"with -o" in r.stderr, "a copy needs a name", r.stderr)
    check(len(met) > 20, "the captures had such words", sorted(met))
    end()


main()
