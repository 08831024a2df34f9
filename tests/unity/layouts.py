#!/usr/bin/env python3
"""Layouts that captures of Unity prove themselves: each version's captures with the version word of each other one, with words that nobody
knows, and with parts that are damaged or of unknown types. Captures are written by the generators, which know the manual pages alone.

Whatever the word says, the figures are those of the capture, or it is refused: there is no third case.
"""
import copy
import functools
import itertools
import json
import os
import random
import struct
import subprocess

import generated
import raw_log
from ttc import TRACETOOL, Suite
from count import fault
import lot

RAW = (0x20170327, 0x20171110, 0x20180123, 0x20181101, 0x20180306, 0x20191122, 0x20200312, 0x20200924, 0x20210412, 0x20210919, 0x20220328, 0x20260108)
OLD = (0x20160622, 0x20161226, 0x20170130, 0x20170929)
# Newer than all, between two, and before all.
UNKNOWN = (0x20260701, 0x20991231, 0x20230514, 0x20190514, 0x20150101)
TABLES = ("capture_layout,capture_unknown,capture_threads,capture_events,loss,markers,threads,frames,gcalloc,alloc_sites,counters,categories,"
          "metadata_categories,jit_methods")
LONG = os.environ.get("TT_SET") == "all"
suite = Suite()


def generate(form, word, *options):
    with open(generated.generate(form, suite.path("generated." + form), "--version", hex(word), *options), "rb") as f:
        return f.read()


def read(form, data, *options):
    """Exit status, figures without those of the file, the row of the layout, messages."""
    path = suite.path("read." + form)
    with open(path, "wb") as f:
        f.write(data)
    r = subprocess.run([TRACETOOL, "stats", "--limit", "0", "--format", "json", "--table", TABLES, *options, path], capture_output=True, text=True, check=False)
    tables = {k: t["rows"] for k, t in json.loads(r.stdout)["tables"].items()} if r.stdout else {}
    layout = tables.pop("capture_layout", [{}])
    for rows in tables.values():
        rows.sort(key=json.dumps)
    return r.returncode, tables, layout[0] if layout else {}, [x for x in r.stderr.splitlines() if "layout" in x or "read like" in x]


def records(data, word):
    """Where the words of a .data are: of each record, and, before 2017.3, in it."""
    old = word in OLD
    at, places = 0, []
    while at + 8 <= len(data) and struct.unpack_from("<I", data, at)[0] != 0xDEADFEED:
        head = 16 if old else 28 if word >= 0x20220328 else 12
        size = struct.unpack_from("<I", data, at + (8 if old else 4))[0]
        places += [at + 4, at + head + 4] if old else [at]
        at += head + size
    return places


def with_word(form, data, own, word):
    data = bytearray(data)
    for at in [8] if form == "raw" else records(data, own):
        struct.pack_into("<I", data, at, word)
    return bytes(data)


def pairs(form, words, others, files):
    """All files of all versions with all words."""
    for own in words:
        for what, options in lot.some(files, 2, form, own):
            data = generate(form, own, *options)
            status, want, layout, said = read(form, data)
            name = "%s of 0x%x, %s" % (form, own, what)
            suite.equal(name + ": fits", (status, layout.get("fit"), said), (0, "fits", []))
            for word in lot.some([w for w in others if w != own], 5, form, own, what):
                status, have, layout, said = read(form, with_word(form, data, own, word))
                if status not in (0, 3):
                    fault("%s, as 0x%x: is refused for its layout" % (name, word), None if any("no known layout fits" in x for x in said) else said)
                    continue
                wrong = [t for t in want if have.get(t) != want[t]]
                if layout.get("fit") == "misfit":
                    continue
                fault("%s, as 0x%x: figures" % (name, word), [str((t, have.get(t), want[t]))[:1500] for t in wrong[:1]])
                suite.equal("%s, as 0x%x: the verdict" % (name, word), layout.get("fit"), "fits")
                if word in UNKNOWN:
                    suite.equal("%s, as 0x%x: is told once" % (name, word), len(said) == 1 and "0x%08x" % word in said[0], True)


def odd_words():
    """Versions that are no dates, and releases that are none: the blocks and frames say how they are read, as soon as it is known what the file is. A log has
    its magic; of a .data with a longer first frame the option says it."""
    for form, words in (("raw", RAW), ("data", RAW), ("data", OLD)):
        for own in lot.some(words, 4, "odd words", form, words[0]):
            for aligned in ("0", "1") if form == "raw" else ("0",):
                data = generate(form, own, "--frames", "6", *(["--aligned", aligned] if form == "raw" else []))
                _, want, _, _ = read(form, data)
                for word in (0, 1, 0xffffffff, 0x20269999):
                    _, have, layout, said = read(form, with_word(form, data, own, word), "--input-format", form)
                    name = "%s of 0x%x%s, as 0x%08x: " % (form, own, ", aligned" if aligned == "1" else "", word)
                    fault(name + "figures", [t for t in want if have.get(t) != want[t]])
                    suite.equal(name + "is told once, and fits", (len(said), "version 0x%08x is unknown; read like" % word in " ".join(said),
                                                                        layout.get("fit")), (1, True, "fits"))
                for release in (bytes(20), b"\xff" * 20, b"Unity 2022.3f1 (abc)") if own >= 0x20220328 else ():
                    other = bytearray(data)
                    for at in [36] if form == "raw" else [at + 8 for at in records(data, own)]:
                        other[at:at + 20] = release
                    status, have, layout, said = read(form, bytes(other))
                    suite.equal("%s of 0x%x: a release that is none" % (form, own), (status, layout.get("fit"), said, have), (0, "fits", [], want))
    # Without blocks behind it, such a version is damage.
    data = bytearray(generate("raw", 0x20220328, "--frames", "2"))
    data[8:12], data[56:60] = bytes(4), bytes(4)
    status, _, _, _ = read("raw", bytes(data))
    suite.equal("a log with a version of 0, and no block behind its header", status, 3)
    # The first bytes of a .data are known by what ends its first frame, if that is short.
    data = with_word("data", generate("data", 0x20160622, "--frames", "6"), 0x20160622, 7)
    status, _, layout, _ = read("data", data)
    suite.equal("a .data of version 7", (status, layout.get("fit")), (0, "fits"))


def lies():
    """Headers that are wrong about how messages lie, or about the version in one of several logs: the figures are those of true ones."""
    def aligned(data, value):
        return data[:5] + bytes([value]) + data[6:]

    logs = {(w, a): generate("raw", w, "--aligned", str(a), "--frames", "8", "--scenario", "every") for w, a in ((0x20170327, 0), (0x20191122, 0),
                                                                                                              (0x20220328, 1), (0x20260108, 0))}
    for (word, a), data in logs.items():
        _, want, _, _ = read("raw", data)
        for value in (1 - a, 2, 255):
            status, have, layout, said = read("raw", aligned(data, value))
            name = "a log of 0x%x that says %d for its messages: " % (word, value)
            suite.equal(name + "status, verdict", (status, layout.get("fit")), (0, "fits"))
            fault(name + "figures", [t for t in want if have.get(t) != want[t]])
            suite.equal(name + "is told once", len(said) == 1 and ("aligned" if a else "packed") + " messages, which fits" in said[0], True)
    # Definitions that are alike fill more than a first look, which sees no sample of the other layout.
    for own, word in ((0x20220328, 0x20260108), (0x20260108, 0x20220328)):
        data = generate("raw", own, "--frames", "8", "--scenario", "every", "--extra-markers", "4000")
        _, want, _, _ = read("raw", data)
        status, have, layout, said = read("raw", with_word("raw", data, own, word))
        name = "long definitions of 0x%x that say 0x%x: " % (own, word)
        suite.equal(name + "status, verdict", (status, layout.get("fit"), len(said)), (0, "fits", 1))
        fault(name + "figures", [t for t in want if have.get(t) != want[t]])
    # So do frames of a .data with statistics alone.
    for own, word in ((0x20220328, 0x20260108), (0x20260108, 0x20220328)):
        data = generate("data", own, "--frames", "258", "--bare", "250")
        status, want, layout, _ = read("data", data)
        name = "frames without samples of 0x%x" % own
        suite.equal(name + ": first records are long enough", (status, layout["fit"], data.index(b"PlayerLoop") > 1 << 18), (0, "fits", True))
        status, have, layout, said = read("data", with_word("data", data, own, word))
        suite.equal(name + " that say 0x%x: status, verdict" % word, (status, layout.get("fit"), len(said)), (0, "fits", 1))
        fault(name + ": figures", [t for t in want if have.get(t) != want[t]])
    for i, order in enumerate(lot.some(itertools.permutations(logs), 6, "lies")):
        _, want, _, _ = read("raw", b"".join(logs[k] for k in order))
        # The version of the next log in each.
        for liar in order:
            word = order[(order.index(liar) + 1) % len(order)][0]
            parts = [with_word("raw", logs[k], k[0], word) if k == liar else logs[k] for k in order]
            status, have, layout, _ = read("raw", b"".join(parts))
            name = "appended logs %d, 0x%x says 0x%x: " % (i, liar[0], word)
            suite.equal(name + "status, verdict", (status, layout.get("fit")), (0, "fits"))
            # Several logs' markers are summed up by categories, whose names hang on the release.
            fault(name + "figures", [str((t, have.get(t), want[t]))[:600] for t in ("capture_threads", "capture_events", "loss", "threads", "frames", "gcalloc")
                                     if have.get(t) != want[t]][:1])


def known_types():
    """Types of messages that tracetool-unity-raw(7) describes."""
    return {0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 33, 34, 36, 37, 38, 39, 40, 41, 42, 43, 44, 52, 53, 55, 56, 57, 62, 63}


def raw_blocks(data):
    at, blocks = data.index(struct.pack("<I", 0xB10C7EAD)), []
    while at + 20 <= len(data):
        stream, size = struct.unpack_from("<QI", data, at + 8)
        blocks.append((at, stream, size))
        at += 28 + size
    return blocks


def insert(data, aligned, stream, make, most, last_in_block=False):
    """${data} with a message before, or after, those of each of the first ${most} blocks of a thread: make(i) gives its type, and its bytes after it."""
    out, last, counts = bytearray(), 0, {}
    mine = [b for b in raw_blocks(data) if b[1] == stream and b[2] > 40][:most]
    for i, (place, _, size) in enumerate(mine):
        kind, body = make(i)
        counts[kind] = counts.get(kind, 0) + 1
        body = struct.pack("<HH" if aligned else "<H", *([kind, 0] if aligned else [kind])) + body
        out += data[last:place + 16] + struct.pack("<I", size + len(body))
        out += data[place + 20:place + 20 + size] + body if last_in_block else body
        last = place + 20 + (size if last_in_block else 0)
    return bytes(out + data[last:]), counts


def padded(data, aligned):
    return data + (bytes(-len(data) % 4) if aligned else b"")


# Types that nobody knows, each with what its messages consist of: bytes before a text, whether there is one, bytes after it.
NEW_TYPES = ((2, 8, False, 0), (9, 4, False, 0), (13, 0, True, 0), (31, 12, True, 8), (35, 20, False, 0), (45, 0, True, 4), (51, 100, False, 0),
             (58, 4, True, 16), (61, 8, True, 0), (64, 40, False, 0))


def unknown_types():
    """Messages of ten unknown types, with and without texts, in blocks of one thread: other threads are whole but the GPU, whose work that thread gives, and
    the lengths are found."""
    rng = random.Random(7)
    fault("none is known", sorted(known_types() & {t[0] for t in NEW_TYPES}))
    for word, aligned in ((0x20191122, False), (0x20220328, False), (0x20220328, True), (0x20260108, True)):
        data = generate("raw", word, "--aligned", str(int(aligned)), "--frames", "160")
        _, want, _, _ = read("raw", data)
        main = struct.unpack_from("<Q", data, 28)[0]
        at = [b for b in raw_blocks(data) if b[1] not in (main, 2 ** 64 - 1) and b[2] > 40]
        stream = max({b[1] for b in at}, key=lambda s: sum(b[1] == s for b in at))

        def make(i):
            kind, before, has_text, after = NEW_TYPES[i % 10]
            text = bytes(rng.randrange(32, 127) for _ in range(rng.randrange(40)))
            some = lambda n: bytes(rng.randrange(256) for _ in range(n))
            return kind, some(before) + (padded(struct.pack("<I", len(text)) + text, aligned) if has_text else b"") + some(after)

        name = "unknown types in 0x%x%s: " % (word, ", aligned" if aligned else "")
        mutated, counts = insert(data, aligned, stream, make, 100)
        status, have, layout, _ = read("raw", mutated)
        suite.equal(name + "status, verdict", (status, layout.get("fit")), (3, "partly"))
        suite.equal(name + "are counted", {r["type"]: r["messages"] for r in have["capture_unknown"]}, counts)
        rows = lambda t: [{k: v for k, v in r.items() if k != "process"} for r in t["capture_threads"] if r["tid"] not in (None, hex(stream))]
        suite.equal(name + "other threads are whole", rows(have), rows(want))
        suite.equal(name + "what is lost is told", [r["count"] for r in have["loss"] if r["kind"] == "unknown"], [sum(counts.values())])
        copy = suite.path("copy.raw")
        subprocess.run([TRACETOOL, "info", "-q", "--scrub", "-o", copy, suite.path("read.raw")], check=False, stderr=subprocess.DEVNULL)
        with open(copy, "rb") as f:
            have_copy = read("raw", f.read())[1]
        suite.equal(name + "a copy without names has the types", {r["type"]: r["messages"] for r in have_copy.get("capture_unknown", [])}, counts)
        head = 4 if aligned else 2
        known = {t: (head + before + 4 * text + after, head + before if text else None) for t, before, text, after in NEW_TYPES if counts.get(t, 0) >= 6}
        fault(name + "no type is seen often", None if len(known) == 10 else counts)
        suite.equal(name + "lengths", {r["type"]: (r["bytes"], r["text_at"]) for r in have["capture_unknown"] if r["type"] in known}, known)


def widths_of_ids():
    """The latest version's instance ids, of 4 or of 8 bytes, where no block ends with a known message: all before the unknown one is read."""
    for options in itertools.product(((), ("--wide",)), ("0", "1")):
        name = "ids%s, aligned %s: " % ("".join(" " + o for o in options[0]), options[1])
        data = generate("raw", 0x20260108, "--frames", "20", "--aligned", options[1], *options[0])
        _, want, _, _ = read("raw", data)
        total = 0
        for stream in {b[1] for b in raw_blocks(data)} - {2 ** 64 - 1}:
            data, counts = insert(data, options[1] == "1", stream, lambda i: (64, bytes(8)), 10 ** 6, last_in_block=True)
            total += sum(counts.values())
        status, have, _, _ = read("raw", data)
        suite.equal(name + "status, losses", (status, {r["kind"]: r["count"] for r in have["loss"] if r["severity"] == "error"}), (3, {"unknown": total}))
        suite.equal(name + "messages", {r["type"]: r["events"] for r in have["capture_events"]}, {r["type"]: r["events"] for r in want["capture_events"]})


def lengths_that_differ():
    """Messages whose lengths nothing in them gives, and types of which two blocks have one: no length is told."""
    rng = random.Random(8)
    data = generate("raw", 0x20220328, "--frames", "160")
    main = struct.unpack_from("<Q", data, 28)[0]
    at = [b for b in raw_blocks(data) if b[1] not in (main, 2 ** 64 - 1) and b[2] > 40]
    stream = max({b[1] for b in at}, key=lambda s: sum(b[1] == s for b in at))
    for name, make, most in (("lengths by chance", lambda i: (9, bytes(rng.randrange(256) for _ in range(rng.randrange(4, 60)))), 60),
                             ("two blocks", lambda i: (9, bytes(8)), 2)):
        have = read("raw", insert(data, False, stream, make, most)[0])[1]
        suite.equal(name + ": no length", [(r["type"], r["bytes"], r["parts"]) for r in have["capture_unknown"]], [(9, None, None)])
    # Two texts: the length is that of neither.
    def words(i, aligned):
        """The first text is often empty: the second one's length is then where others have letters."""
        return b"".join(padded(struct.pack("<I", n) + bytes(rng.randrange(32, 127) for _ in range(n)), aligned) for n in ((0, 9, 30)[i % 3], 8 + i))

    for word, aligned in ((0x20220328, True), (0x20191122, False)):
        two = generate("raw", word, "--frames", "160", "--aligned", str(int(aligned)))
        have = read("raw", insert(two, aligned, stream, lambda i: (64, bytes(12) + words(i, aligned)), 12)[0])[1]
        suite.equal("two texts, 0x%x" % word, [(r["type"], r["bytes"], r["parts"]) for r in have["capture_unknown"]], [(64, None, None)])
    # A message without a field; a text whose last value, 77, could be another unknown type; and two texts at the end of blocks, whose bytes could be anything.
    for word, aligned in itertools.product((0x20180123, 0x20191122, 0x20220328, 0x20260108), (False, True)):
        other = generate("raw", word, "--frames", "60", "--aligned", str(int(aligned)))
        head = 4 if aligned else 2
        for name, make, last_in_block, want in (
                ("no field", lambda i: (64, b""), False, (head, None)),
                ("a number, a text, a number", lambda i: (54, struct.pack("<I", 9) + padded(struct.pack("<I", 10 + i % 7) + b"t" * (10 + i % 7), aligned) +
                                                          struct.pack("<I", 77)), False, (head + 12, head + 4)),
                ("texts at the end", lambda i: (64, b"".join(padded(struct.pack("<I", n) + b"abab" * (n // 4) + b"q" * (n % 4), aligned) for n in
                                                             (2 * (i % 5), i % 3))), True, (None, None))):
            have = read("raw", insert(other, aligned, stream, make, 60, last_in_block)[0])[1]
            suite.equal("%s, 0x%x, aligned %d: length" % (name, word, aligned), [(r["bytes"], r["text_at"]) for r in have["capture_unknown"]], [want])
    # Two in a row: the length is that of one.
    have = read("raw", insert(data, False, stream, lambda i: (9, bytes(12) + struct.pack("<H", 9) + bytes(12)), 30)[0])[1]
    suite.equal("two in a row", [(r["type"], r["bytes"]) for r in have["capture_unknown"]], [(9, 14)])


def mutants(form, word, options, n):
    """Damage in ${n} places: where anything is lost, the verdict is not that all fits, unless the end was cut off."""
    data, rng = generate(form, word, *options), random.Random(word)
    whole = read(form, data)[1]
    wrong = []
    for i in range(n):
        b, at, kind = bytearray(data), rng.randrange(60, len(data)), i % 4
        if kind == 0:
            b[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            b = b[:at]
        elif kind == 2:
            b[at:at + 512] = bytes(min(512, len(b) - at))
        else:
            other = rng.randrange(60, len(data) - 64)
            b[at:at] = data[other:other + rng.randrange(1, 400)]
        status, have, layout, said = read(form, bytes(b))
        lost = [r for r in have.get("loss", []) if r["severity"] == "error" and r["kind"] not in ("cut",)]
        if status not in (0, 2, 3, 4) or (lost and layout.get("fit") == "fits") or (layout.get("fit") == "fits" and status == 3 and not
                                                                                  any(r["kind"] == "cut" for r in have["loss"])):
            wrong.append("%d at %d: %s %s %s" % (kind, at, status, layout.get("evidence"), lost))
        events = [sum(r["events"] for r in t.get("capture_events") or []) for t in (have, whole)]
        if status == 0 and events[0] < events[1] and layout.get("fit") == "fits" and not have.get("loss"):
            wrong.append("%d at %d: lost silently" % (kind, at))
    fault("%s of 0x%x: %d mutants" % (form, word, n), wrong[:10])


def alien(word, own, types, more, *options):
    """A capture whose messages of ${types} have ${more} bytes after their type that no layout knows, in the layout of ${own}, with the version ${word}."""
    other = generated.changed("raw")
    old = other.Capture.msg
    other.Capture.msg = lambda c, t: old(c, t).w("%dB" % more, *range(7, 7 + more)) if t in types else old(c, t)
    with open(generated.generate("raw", suite.path("alien.raw"), "--version", hex(own), *options, by=other), "rb") as f:
        return with_word("raw", f.read(), own, word)


def aliens():
    """Layouts of which nobody knows samples, or definitions: an unknown version is refused, a known one a misfit. Blocks with nothing but a frame's mark, which
    are alike in all layouts, and long definitions prove no samples."""
    for own in (0x20191122, 0x20220328):
        for what, types in (("samples", tuple(range(36, 45))), ("begins", (36,)), ("markers", (1,))):
            for options in (["--frames", "8"], ["--frames", "60", "--extra-markers", "4000"]):
                name = "0x%x with other %s, %s: " % (own, what, " ".join(options))
                status, _, _, said = read("raw", alien(0x20270101, own, types, 4, *options))
                suite.equal(name + "is refused", (status, any("no known layout fits" in x for x in said)), (3, True))
                _, _, layout, _ = read("raw", alien(own, own, types, 4, *options))
                if types != (1,) and options[1] == "8":
                    suite.equal(name + "is a misfit by its own version", layout.get("fit"), "misfit")


def entries_of_no_sample():
    """Entries beside the samples of a .data that name a sample which does not exist: they are told, and not dropped in silence."""
    for word in (0x20191122, 0x20210412, 0x20220328):
        for what, old, new in (("GPU work", "b.p('iIi', us, i, section)", "b.p('iIi', us, i + 100000, section)"),
                               ("allocations", "b.p('II', *row)", "b.p('II', row[0] + 100000, row[1])"),
                               ("values", "b.p('II', i, len(v))", "b.p('II', i + 100000, len(v))"),
                               ("instance ids", "else 'Ii', i, x)", "else 'Ii', i + 100000, x)")):
            if what == "instance ids" and word < 0x20210919:
                continue
            other = generated.changed("data", (old.replace("'", '"'), new))
            with open(generated.generate("data", suite.path("strays.data"), "--version", hex(word), "--frames", "8", by=other), "rb") as f:
                status, have, layout, _ = read("data", f.read())
            suite.equal("0x%x: %s of no sample" % (word, what), (status, layout["fit"], [r["kind"] for r in have["loss"] if r["severity"] == "error"]),
                        (3, "partly", ["damaged"]))


def made_otherwise(word, *changes):
    """What a .data of the generator gives whose source has ${changes}, pairs of texts: status, tables, layout."""
    path = generated.generate("data", suite.path("otherwise.data"), "--version", hex(word), "--frames", "8", by=generated.changed("data", *changes))
    with open(path, "rb") as f:
        data = f.read()
    with open(path + ".json", encoding="utf-8") as f:
        return (*read("data", data)[:3], json.load(f))


def entries_that_contradict():
    """What the samples of a .data have too much of, or not, is in the ledger, with how often."""
    told = lambda tables: {r["kind"]: r["count"] for r in tables["loss"]}
    bytes_of = '[(3, struct.pack("<I", n))]'
    for word in (0x20191122, 0x20210919, 0x20220328, 0x20260108):
        name = "0x%x: " % word
        status, want, layout, facts = made_otherwise(word)
        status, have, layout, _ = made_otherwise(word, ("some = order([(0, [])] + values)", "some = order([(0, [])] + sorted(values * 2, key=lambda v: v[0]))"))
        suite.equal(name + "values twice", (status, layout["fit"], told(have).get("sample_metadata")), (0, "fits", facts["values"] - facts["threads"]))
        if word >= 0x20210919:
            ids = 'rows(lambda s: [s.instance] if s.instance else [])'
            status, have, layout, _ = made_otherwise(word, (ids, "rows(lambda s: [s.instance] * 2 if s.instance else [])"))
            suite.equal(name + "two instance ids", (status, layout["fit"], told(have).get("sample_metadata")), (0, "fits", 8 * 2))
        status, have, layout, _ = made_otherwise(word, ("b.p(\"II\", *row)", "b.p('II', row[0], row[1] | 1 << 31)"))
        lost = {"alloc_bytes": facts["gc"]}
        suite.equal(name + "negative bytes", (status, layout["fit"], {k: told(have).get(k) for k in lost}, have.get("alloc_sites")), (0, "fits", lost, []))
        status, have, layout, _ = made_otherwise(word, ("rows(lambda s: [s.gc] if s.gc else [])", "rows(lambda s: [])"), (bytes_of, "[]"))
        suite.equal(name + "no bytes", (status, layout["fit"], {k: told(have).get(k) for k in lost}, have.get("alloc_sites")), (0, "fits", lost, []))
        suite.equal(name + "as written: nothing is told", [k for k in told(want) if k in ("sample_metadata", "alloc_bytes")], [])


def logs(data):
    """Rows of the table of logs, without the input's number."""
    path = suite.path("logs.raw")
    with open(path, "wb") as f:
        f.write(data)
    r = subprocess.run([TRACETOOL, "stats", "--format", "json", "--limit", "0", "--table", "capture_logs", path], capture_output=True, text=True, check=False)
    return [{k: v for k, v in row.items() if k != "process"} for row in json.loads(r.stdout)["tables"].get("capture_logs", {"rows": []})["rows"]]


def each_log(good, other):
    """Each log has a row, with what is its own alone: figures are those of the log as a file."""
    known = ("0x20191122", "Unity 2019.3 to 2021.1"), ("0x20220328", "Unity 2022.2 to 6000.4")
    suite.equal("one log has no row", logs(good), [])
    alone = []
    for data in (good, other):
        layout = read("raw", data)[2]
        alone.append([layout[k] for k in ("fit", "parts", "fitting_parts", "messages", "ends", "matched_ends", "names", "text_names", "lost",
                                          "first_misfit")])
    have = logs(good + other + good)
    # Zones that texts name have markers of no log.
    suite.equal("markers of three logs", [(r.pop("markers"), r.pop("named_markers")) for r in have], [(11, 11)] * 3)
    marked = raw_log.Log(100)
    for ms in range(100, 200, 10):
        marked.frame(ms, raw_log.sample(36, 0, ms) + raw_log.zone(1, ms + 1, ms + 2) + raw_log.zone(50, ms + 3, ms + 4) + raw_log.sample(37, 0, ms + 9))
    suite.equal("markers without a definition are their log's", [(r["markers"], r["named_markers"]) for r in logs(bytes(marked.b) + good)], [(2, 1), (11, 11)])
    places = (0, len(good), len(good + other))
    want = [[i + 1, places[i], *known[which], *alone[which]] for i, which in enumerate((0, 1, 0))]
    suite.equal("three logs, each by itself", [list(row.values()) for row in have], want)
    # Damage in one of them: a message in the second's last block with samples, a block that is not there, an end that is cut.
    bad = bytearray(other)
    at = [place + 20 for place, stream, size in raw_blocks(other) if stream != raw_log.SESSION and size > 60][-1]
    bad[at:at + 2] = b"\xff\x7f"
    place, _, size = [b for b in raw_blocks(other) if b[1] != raw_log.SESSION and b[2] > 60][3]
    for what, second in (("damaged", bytes(bad)), ("with a gap", other[:place] + other[place + 28 + size:])):
        have = logs(good + second + good)
        suite.equal("the second is %s: verdicts" % what, [r["fit"] for r in have], ["fits", "partly", "fits"])
        suite.equal("... losses are its own", [r["lost"] > 0 for r in have], [False, True, False])
    suite.equal("... the last is", [r["fit"] for r in logs(good + good + bytes(bad))], ["fits", "fits", "partly"])
    suite.equal("an end that is cut is no misfit", [(r["fit"], r["lost"]) for r in logs(good[:-30] + other)], [("fits", 0), ("fits", 0)])
    suite.equal("a log of another's layout", [(r["version"], r["layout"], r["fit"]) for r in logs(good + with_word("raw", other, 0x20220328, 0x20270101))],
                [(*known[0], "fits"), ("0x20270101", "Unity 6000.5", "fits")])


def damaged_logs(good, other):
    """Whatever is damaged, the logs together have the figures of their file, and not all of them fit if it does not."""
    rng, wrong = random.Random(7), []
    for _ in range(200 if LONG else 20):
        data = bytearray(good + other + good)
        for _ in range(rng.randint(1, 3)):
            at, how = rng.randrange(60, len(data)), rng.randrange(3)
            data[at:at + (1, 50, rng.randrange(200))[how]] = (bytes([data[at] ^ 1 << rng.randrange(8)]), bytes(50), b"")[how]
        _, _, layout, _ = read("raw", bytes(data))
        have = logs(bytes(data))
        for column in ("parts", "messages", "lost", "ends", "matched_ends", "names", "text_names") if have else ():
            if sum(row[column] for row in have) != layout[column]:
                wrong.append((column, layout[column], [row[column] for row in have]))
        if have and layout["fit"] != "fits" and all(row["fit"] == "fits" for row in have):
            wrong.append((layout["fit"], have))
    fault("figures of damaged logs add up to those of their file", wrong[:5])


def appended():
    """Each of several logs is told by itself, and refused by itself."""
    good, other = generate("raw", 0x20191122, "--frames", "8"), generate("raw", 0x20220328, "--frames", "8")
    _, want, _, _ = read("raw", good + other)
    status, have, layout, said = read("raw", good + with_word("raw", other, 0x20220328, 0x20270101))
    suite.equal("appended, the second of an unknown version", (status, layout["fit"], len(said), have), (0, "fits", 1, want))
    suite.equal("... is told, and its place", "log at byte %d: version 0x20270101 is newer" % len(good) in " ".join(said), True)
    suite.equal("... and both layouts", layout["layout"], "Unity 2019.3 to 2021.1; 6000.5")
    each_log(good, other)
    damaged_logs(good, other)
    strange = alien(0x20270101, 0x20220328, tuple(range(36, 45)), 4, "--frames", "8")
    for name, data in (("first", strange + good), ("second", good + strange), ("second of three", good + strange + other)):
        status, _, _, said = read("raw", data)
        suite.equal("the %s log fits no layout" % name, (status, any("no known layout fits" in x for x in said)), (3, True))
    _, _, layout, said = read("raw", alien(0x20220328, 0x20220328, tuple(range(36, 45)), 4, "--frames", "8"), "--force")
    suite.equal("--force overrides no refusal of a known version", (layout["fit"], [x for x in said if "read " in x]), ("misfit", []))


def said_well():
    """What is said of a capture whose layout is not known, and of headers that are wrong."""
    strange = alien(0x20220328, 0x20220328, (1, 36), 4, "--frames", "8")
    suite.equal("losses of a misfit are no damage to copy again", [r["advice"] for r in read("raw", strange)[1]["loss"] if "opy it again" in r["advice"]], [])
    good = generate("raw", 0x20191122, "--frames", "8")
    status, _, layout, said = read("raw", good[:5] + b"\x01" + good[6:])
    suite.equal("a header that says aligned", (status, layout["fit"], len(said), "does not fit" in said[0]), (0, "fits", 1, False))
    for name, data, bytes_of in (("longer", good[:36] + bytes(20) + good[36:], 56),
                                 ("shorter", (lambda d: d[:36] + d[56:])(generate("raw", 0x20220328, "--frames", "8")), 36)):
        path = suite.path("head.raw")
        with open(path, "wb") as f:
            f.write(data)
        r = subprocess.run([TRACETOOL, "info", path], capture_output=True, text=True, check=False)
        suite.equal("a header that is %s than its version's" % name, (r.returncode, "its header has %d bytes" % bytes_of in r.stderr), (0, True))
        # A line that says that the version is unknown is enough; 0x20170929 is one of what the Editor saves alone.
        for word in (0x20270101, 0x20170929):
            with open(path, "wb") as f:
                f.write(with_word("raw", data, 0, word))
            r = subprocess.run([TRACETOOL, "info", path], capture_output=True, text=True, check=False)
            suite.equal("... of the unknown version 0x%x" % word, (r.returncode, len([x for x in r.stderr.splitlines() if ".raw: " in x])), (0, 1))


def late_messages():
    """Layouts that differ only in messages that come late: of an unknown version the one that fits these is found, as far as the manual says; if none comes so
    far, the line does not say that the layout fits."""
    @functools.lru_cache(maxsize=4)
    def begin(mb):
        made, ms = raw_log.Log(100, ("Main Thread", "Work")), 100
        while len(made.b) < mb * (1 << 20):
            work = b"".join(raw_log.zone(1, ms + 1 + k / 100, ms + 1 + k / 100) for k in range(500))
            made.frame(ms, raw_log.sample(36, 0, ms) + work + raw_log.sample(37, 0, ms + 9))
            ms += 10
        return made, ms

    def log(word, mb, tell, session=b""):
        made, first = copy.deepcopy(begin(mb))
        for ms in range(first, first + 200, 10):
            made.frame(ms, raw_log.sample(36, 0, ms) + tell(ms) + raw_log.sample(37, 0, ms + 9))
        if session:
            made.block(raw_log.SESSION, session)
        made.block(raw_log.SESSION, raw_log.state(0, first + 200, made.frames - 1))
        return made.b[:8] + struct.pack("<I", word) + made.b[12:]

    def ids(code):
        return lambda ms: b"".join(raw_log.sample(kind, 1, at) + struct.pack(code, 77) for kind, at in ((39, ms + 1), (40, ms + 2)))

    def stats(*more):
        return lambda ms: struct.pack("<H", 4) + struct.pack("<%dI" % (len(more) + 11), *more, 10, *range(100, 110)) + raw_log.zone(1, ms + 1, ms + 2)

    def nothing(ms):
        return raw_log.zone(1, ms + 1, ms + 2)

    entity = struct.pack("<Hqq", 11, 1, 2) + raw_log.text("Thing") + struct.pack("<IIqq", 4, 2, 77, 99)
    thing = struct.pack("<Hii", 11, 1, 2) + raw_log.text("Thing") + struct.pack("<IIqq", 4, 2, 77, 99)
    old_thing = struct.pack("<Hi", 11, 1) + raw_log.text("Thing") + struct.pack("<IIq", 4, 2, 77)
    for name, own, word, tell, session in (("ids of 8 bytes", 0x20260108, 0x20230615, ids("<q"), b""),
                                           ("an object of 6000.5", 0x20260108, 0x20230615, nothing, entity),
                                           ("an object of 2022.2", 0x20220328, 0x20270101, nothing, thing),
                                           ("an object of 2022.1", 0x20210919, 0x20220401, nothing, old_thing),
                                           ("an object of 2022.2, after 2021.1", 0x20220328, 0x20211001, nothing, thing),
                                           ("statistics of 2018.2", 0x20180123, 0x20181201, stats(), b""),
                                           ("statistics of 2018.3", 0x20181101, 0x20180124, stats(0x1fff), b"")):
        for mb in (0.1, 1, 5) if LONG else lot.some([0.1, 1, 5], 2, "late"):
            status, have, layout, said = read("raw", log(word, mb, tell, session))
            told = len(said) == 1 and said[0].endswith(", which fits")
            suite.equal("%s after %s MB, as 0x%x" % (name, mb, word), (status, layout["fit"], told), (0, "fits", True))
            # Names of categories are those of the releases.
            want = read("raw", log(own, mb, tell, session))[1]
            figures = [(t["threads"], t["frames"], [[r[c] for c in ("marker", "count", "total_ns", "max_ns")] for r in t["markers"]]) for t in (have, want)]
            suite.true("... with the figures of 0x%x" % own, figures[0] == figures[1])
    status, _, _, said = read("raw", log(0x20230615, 16.5, ids("<q")))
    suite.equal("none within 16 MB", (status, [x.partition("like ")[2] for x in said if "read like" in x]),
                (3, ["Unity 2022.2 to 6000.4, which fits its first 16 MB, as others do"]))
    # The blocks of definitions come first of what is read at once, and the last one in the file is that which does not fit.
    status, have, layout, _ = read("raw", log(0x20220328, 0.1, ids("<q"), entity))
    suite.equal("the first misfit is the first loss", layout["first_misfit"], min(r["first_at"] for r in have["loss"] if r["severity"] == "error"))


def other_evidence():
    """Every block ends where it must, and all else is wrong; and captures that say nothing of their layout."""
    def log(end=1, more=()):
        made = raw_log.Log(100, ("Main Thread", "Work", "Load", "Wait", "Draw"))
        for ms in range(100, 400, 10):
            made.frame(ms, b"".join(raw_log.sample(*s) for s in ((36, 0, ms), (36, 1, ms + 1), (37, end, ms + 8), (37, 0, ms + 9))))
        for stream, body in more:
            made.block(stream, body)
        return made.b

    good = log()
    suite.equal("a good log", read("raw", good)[2]["fit"], "fits")
    suite.equal("ends that match nothing", read("raw", log(end=2))[2]["fit"], "misfit")
    # A few zones across the edges of the recording contradict nothing: one whose begin is not there, another whose end is not.
    edges = raw_log.Log(100)
    for k, ms in enumerate((100, 110, 120)):
        edges.frame(ms, raw_log.sample(36, 0, ms) + (raw_log.sample(37, 1, ms + 1) if k == 0 else b"") + (raw_log.sample(36, 1, ms + 8) if k == 2 else b"") +
                    raw_log.sample(37, 0, ms + 9))
    suite.equal("zones across the edges of a short recording", read("raw", edges.b)[2]["fit"], "fits")
    many = raw_log.Log(100, ("Main Thread", "Work", "Load", "Wait", "Draw"))
    for ms in range(100, 400, 10):
        many.frame(ms, b"".join(raw_log.zone(50 + i, ms + 1 + i, ms + 1.5 + i) for i in range(5)))
    suite.equal("markers of which none is defined, and others that are", read("raw", many.b)[2]["fit"], "misfit")
    # A worker that begins inside of 40 zones, and ends them.
    inside = log(more=[(raw_log.SESSION, raw_log.thread(77, 100, "Worker")),
                       (77, b"".join(raw_log.sample(37, 2, 101 + i) for i in range(40)) + raw_log.zone(1, 200, 201))])
    suite.equal("a recording that begins inside of zones", read("raw", inside)[2]["fit"], "fits")
    # A single sample of a marker that nothing defines, and another whose marker has zones, too, is told once for each marker.
    single = lambda marker, ms: raw_log.sample(38, marker, ms)
    for what, body, count in (("alone", single(50, 200) + single(50, 201) + single(51, 202), 2),
                              ("with zones", single(50, 200) + raw_log.zone(50, 201, 202), 1), ("that is defined", single(1, 200), None)):
        have = read("raw", log(more=[(77, body)]))[1]
        suite.equal("single samples of a marker, " + what, {r["kind"]: r["count"] for r in have["loss"]}.get("names"), count)
    allocs = log(more=[(raw_log.SESSION, raw_log.marker(60, "GC.Alloc")),
                       (77, raw_log.alloc(60, 200, -8) + raw_log.zone(60, 201, 202) + raw_log.alloc(60, 203, 8))])
    suite.equal("bytes that are negative, or missing", {r["kind"]: r["count"] for r in read("raw", allocs)[1]["loss"]}.get("alloc_bytes"), 2)
    marks = raw_log.Log(100)
    for ms in range(100, 400, 10):
        marks.block(marks.main, struct.pack("<HIQ", 34, ms // 10, ms * raw_log.MS))
    for word in (0x20191122, 0x20270101):
        data = with_word("raw", marks.b, 0x20191122, word)
        suite.equal("frames' marks alone, 0x%x" % word, read("raw", data)[2].get("fit"), "unproven")
        # Cut in the first block: it has no end.
        for at in (70, 120, 180):
            layout = read("raw", with_word("raw", good[:at], 0x20191122, word))[2]
            suite.equal("0x%x, cut at %d" % (word, at), (layout.get("fit"), layout.get("parts")), ("unproven", 0))


def small_captures():
    """A bit of a capture of two frames is wrong: it is read by the layout of its own version all the same, or another one has no fault at all."""
    log = raw_log.Log(10, ("Main Thread", "Work", "GC.Alloc"))
    for ms in (11, 21):
        log.frame(ms, raw_log.sample(36, 0, ms) + raw_log.zone(1, ms + 1, ms + 8) + raw_log.alloc(2, ms + 8.5, 100) + raw_log.sample(37, 0, ms + 9))
    own, wrong = read("raw", log.b)[2]["layout"], []
    # Lengths of the session's names, and by lot any byte.
    lengths = [i for i in range(60, log.b.index(struct.pack("<I", 0xB10CF007))) if 0 < log.b[i] < 20 and log.b[i + 1:i + 4] == bytes(3)]
    others = lot.some([(at, bit) for at in range(60, len(log.b)) for bit in range(8)], 60, "bits")
    for at, bit in [(at, bit) for at in lengths for bit in range(8)] + others:
        b = bytearray(log.b)
        b[at] ^= 1 << bit
        status, _, layout, said = read("raw", bytes(b))
        if layout and layout["layout"] != own and layout["fit"] != "fits":
            wrong.append("bit %d of byte %d: %s, %s, status %d, %s" % (bit, at, layout["layout"], layout["fit"], status, said))
    fault("one wrong bit in a small capture changes no layout: %d lengths" % len(lengths), wrong[:10])


def main():
    some = [("clean", ["--frames", "8"]), ("every", ["--frames", "6", "--scenario", "every"])]
    if LONG:
        some += [("split", ["--frames", "8", "--scenario", "split"]), ("types", ["--frames", "8", "--scenario", "types"])]
    raw = some + [(n + ", aligned", o + ["--aligned", "1"]) for n, o in some] + [("ns", ["--frames", "6", "--scenario", "every", "--clock", "ns"])]
    pairs("raw", RAW, RAW + UNKNOWN, raw)
    pairs("data", RAW, RAW + OLD + UNKNOWN, [("clean", ["--frames", "6"]), ("odd", ["--frames", "6", "--scenario", "odd"])])
    pairs("data", OLD, OLD + UNKNOWN, [("clean", ["--frames", "6"])])
    odd_words()
    lies()
    unknown_types()
    widths_of_ids()
    lengths_that_differ()
    small_captures()
    aliens()
    late_messages()
    other_evidence()
    appended()
    entries_of_no_sample()
    entries_that_contradict()
    said_well()
    n = 1000 if LONG else 40
    for form, word, options in (("raw", 0x20191122, ["--frames", "10"]), ("raw", 0x20220328, ["--frames", "10", "--aligned", "1"]),
                                ("data", 0x20160622, ["--frames", "10"]), ("data", 0x20210412, ["--frames", "10"]), ("data", 0x20220328, ["--frames", "10"])):
        mutants(form, word, options, n)
    suite.end()


main()
