#!/usr/bin/env python3
"""The options that choose what is recorded: filters of methods, depth, arguments, frames, stacks, sampled allocations."""
import csv
import json
import math
import subprocess

import kit


def calls(path):
    return {k: v[0] for k, v in kit.counts(kit.stats(path, "markers")["markers"], "marker", "count").items()}


def record(name, options, *command):
    path = kit.capture(name + ".ttc")
    run = kit.mono("%s,out=%s" % (options, path), *command)
    said = [line for line in run.stderr.splitlines() if not line.endswith("no method that was compiled matches")]
    kit.check(run.returncode == 0 and not said, name + ": runs", run)
    return path


def filters():
    every = calls(record("every", "calls", "GameLoop", "12", "3"))
    for what, options, wanted in [
        ("by class", "calls,include=Game.World", lambda n: n.startswith("Game.World:")),
        ("by class without namespace", "calls,include=World", lambda n: n.startswith("Game.World:")),
        ("by namespace", "calls,include=Game.*", lambda n: n.startswith("Game.")),
        ("by method", "calls,include=*:Tick", lambda n: ":Tick (" in n),
        ("by class and method", "calls,include=World:Fr?me", lambda n: n.startswith("Game.World:Frame (")),
        ("by assembly", "calls,include=[GameLoop]*", lambda n: n.startswith("Game.") or n.startswith("Game/")),
        ("several", "calls,include=World:Frame,include=*:Tick", lambda n: n.startswith("Game.World:Frame (") or ":Tick (" in n),
        ("but", "calls,include=Game.*,exclude=*:.ctor,exclude=Game.Vec3", lambda n: n.startswith("Game.") and ":.ctor" not in n
         and not n.startswith("Game.Vec3:")),
        ("none", "calls,exclude=*", lambda n: False),
        ("by assembly alone", "calls,include=[GameLoop]", lambda n: n.startswith("Game.") or n.startswith("Game/")),
        ("by method alone", "calls,include=:Tick", lambda n: ":Tick (" in n),
        ("longer than any name", "calls,include=%s" % ("*" * 1024 + "Frame"), lambda n: False),
    ]:
        have = calls(record(what, options, "GameLoop", "12", "3"))
        # Generic instances are of their own assembly, wrappers of the class they are for.
        have = {k: v for k, v in have.items() if not k.startswith("(") and "<" not in k.split(":")[0]}
        want = {k: v for k, v in every.items() if wanted(k) and not k.startswith("(") and "<" not in k.split(":")[0]}
        kit.check_equal(have, want, "filter " + what)


def distortion():
    """Times of all calls are relative, which a note says; those of a few methods are not."""
    for options, want in (("calls", True), ("calls,exclude=*:.ctor", True), ("calls,include=World:Frame", False)):
        path = record("note", options + ",overwrite", "GameLoop", "12", "3")
        said = subprocess.run([kit.TRACETOOL, "stats", path], capture_output=True, text=True).stdout
        kit.check(("times are relative" in " ".join(said.split())) == want and "every call" not in said, "note: " + options, said)


def depth():
    full = kit.stats(record("deep", "calls,include=[Recurse]*", "Recurse"), "markers")["markers"]
    for limit in (1, 3, 20):
        path = record("depth %d" % limit, "calls,include=[Recurse]*,depth=%d" % limit, "Recurse")
        cut = kit.stats(path, "markers")["markers"]
        kit.check(max(r["depth_max"] for r in cut) == limit, "depth=%d: none deeper" % limit, cut)
        kit.check({r["marker"] for r in cut} == {r["marker"] for r in full if r["depth_min"] <= limit}, "depth=%d: all above" % limit)
        lost = [r for r in kit.stats(path, "loss")["loss"] if r["kind"] != "open"]
        kit.check(lost == [], "depth=%d: every end is matched" % limit, lost)


def arguments():
    path = record("args", "args=Shown:*", "Args")
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", path + ".json"], check=True)
    text = open(path + ".json", encoding="utf-8").read()
    for value in ("-5", "200", "-70000", "4000000000", "-9000000000", "0.25", "1.5", "grün 終", "null", "Shown/Thing 0x",
                  "7", "result of 42", "Point"):
        kit.check(value in text, "args: %s is shown" % value)
    found = [list(e["args"].values()) for e in json.loads(text)["traceEvents"] if e["name"] == "Shown:Locals" and "args" in e]
    on = [list(e["args"].values()) for e in json.loads(text)["traceEvents"] if e["name"] == "Shown:Locals" and e["ph"] == "X" and "args" in e]
    # As the compiler declares them: the second structure is its own.
    want = [-9, 9000000063, 9000000091.25, "local 9", "Shown/Thing", "Shown/Point", "Shown/Point", True, None, "System.UInt16[]", 5]
    kit.check(on == [[9]], "args: on the call itself", on)
    kit.check(len(found) == 3 and found[0] == [9] and found[1] == [9000000091.25] and found[2][0] == "locals", "args: locals", found)
    kit.check([str(v).split(" 0x")[0] for v in found[-1][1:12]] == [str(v) for v in want], "args: their values", found)
    kit.check_equal(calls(path), {"Shown:Locals (int)": 1, "Shown:Numbers (sbyte,byte,int,uint,long,single,double)": 1, "Shown:Texts (string,string,char)": 1,
                                  "Shown:Objects (Shown/Thing,Shown/Point,Shown/Kind,bool)": 1, "Shown:Result (int)": 2,
                                  "Shown:.ctor ()": 1, "Shown:Alike (string,string,bool,int,string,bool,object)": 1,
                                  "Shown:Maybe (System.Nullable`1<int>,System.Nullable`1<int>,System.Nullable`1<bool>,"
                                  "System.Nullable`1<System.Decimal>,System.Nullable`1<Shown/Point>,System.Nullable`1<Shown/Kind>,"
                                  "System.Nullable`1<long>&)": 1,
                                  "Shown:Money (System.Decimal,System.Decimal,System.Decimal,System.Decimal,System.Decimal)": 1},
                    "args: without calls, the methods asked for")
    kit.check([r["value"] for r in kit.stats(path, "facts")["facts"] if r["key"] == "mono.records"] == ["args"], "args: the fact")
    # What is no text does not look like one, and what may be null is shown as what it is.
    found = shown(path)
    kit.check(repr(found["Shown:Alike"][0]) == repr([None, "null", True, 1, "true", False, None]), "args: null, texts, true and numbers",
              found["Shown:Alike"])
    kit.check(repr(found["Shown:Maybe"][0]) == repr([79, None, False, "1.50", "Shown/Point", 7, 1 << 40]), "args: values that may be null",
              found["Shown:Maybe"])
    kit.check(found["Shown:Money"][:2] == [["1.50", "-0.000001", "79228162514264337593543950335", "12345678901234567890", "0"],
              ["12345678901234567891.50"]], "args: decimal numbers, by their digits", found["Shown:Money"])


def shown(path):
    """The values of events, by method: {method: [[value]]}."""
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", path + ".json"], check=True)
    found = {}
    for e in json.load(open(path + ".json", encoding="utf-8"))["traceEvents"]:
        if e["ph"] in ("X", "i") and "args" in e:
            found.setdefault(e["name"], []).append(list(e["args"].values()))
    return found


def more_arguments():
    found = shown(record("more args", "args=More:*,args=More/Spot:*", "Args"))
    kinds = found["More:Kinds"][0]
    kit.check(kinds[:2] == [4711, "0x1230"], "args: by reference, pointers", kinds)
    kit.check(kinds[2:5] == [-77, 78, 79] and kinds[5].startswith("More/Kept`1 0x"), "args: native numbers, generic types", kinds)
    kit.check(kinds[6:9] == ["an object's text", None, 1 << 40], "args: texts as objects, an enumeration of 64 bits", kinds)
    kit.check(kinds[9] == "L" * 400 and kinds[10:] == [-300, 65000, "18000000000000000000"], "args: the beginning of a long text, numbers", kinds)
    kit.check(found["More:Many"][0] == list(range(1, 25)) and found["More:Many"][1] == [26], "args: 24 of many, and the result", found["More:Many"])
    kit.check("More:Nothing" not in found and found["More:Made"][:2] == [[81], ["More/Spot"]], "args: none; a structure as a result", found)
    kit.check(found["More:Refer"][0] == ["a text", 12, "out", "More/Spot", "out"], "args: by reference, of each kind", found["More:Refer"])
    kit.check(found["More:Boxed"][1] == ["boxed 83"], "args: a text that is returned as an object", found["More:Boxed"])
    # Of a structure's method the structure is an address.
    own = found["More/Spot:Own"]
    kit.check(str(own[0][0]).startswith("0x") and own[0][1] == 82 and own[1] == [163], "args: a structure's own method", own)
    path = kit.capture("bare.ttc")
    subprocess.run(["mono", kit.program("MakeBare")], check=True, cwd=kit.os.path.dirname(kit.program("Bare")))
    run = kit.mono("args=Bare:*,out=" + path, "Bare")
    kit.check(run.returncode == 0 and run.stderr == "", "args: locals that do not begin as zero: runs", run)
    found = shown(path)["Bare:Sum"]
    kit.check(found == [[7], [1013], ["locals", 1007, "?", 7, 3.5, 1, "?"]], "args: numbers of those, and no objects", found)


def names():
    """Arguments are called as the parameters are in the source, "this" first; results and locals have numbers."""
    path = record("names of args", "args=More:*,args=More/Spot:*,args=Shown:*", "Args")
    want = {
        "Shown:Numbers": list("abcdefg"), "Shown:Texts": ["this", "a", "b", "c"], "Shown:Result": ["n"], "Shown:Locals": ["n"],
        "More:Kinds": list("abcdefghijklm"), "More:Many": list("abcdefghijklmnopqrstuvwx"), "More:Refer": list("abcde"),
        "More/Spot:Own": ["this", "a"], "More:Made": ["n"], "Shown:Objects": list("abcd"),
    }
    for options in ([], ["--begin-end"]):
        subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", path + ".json"] + options, check=True)
        events = json.load(open(path + ".json", encoding="utf-8"))["traceEvents"]
        got = {e["name"]: list(e["args"]) for e in events if e["ph"] in "XB" and "args" in e}
        kit.check_equal({k: got.get(k) for k in want}, want, "args: names in Chrome JSON %s" % options)
        got = [list(e["args"]) for e in events if e["ph"] == "i" and e["name"] == "More:Made"]
        kit.check(got == [["arg0"]] or got[0] == ["arg0"], "args: a result has no parameter's name", got)
    subprocess.run([kit.TRACETOOL, "convert", "-q", path, "-o", path + ".csv"], check=True)
    with open(path + ".csv", encoding="utf-8", newline="") as f:
        rows = [r for r in csv.DictReader(f) if r["args"]]
    got = {r["name"].split(" (")[0]: list(json.loads(r["args"])) for r in rows if r["kind"] == "zone"}
    kit.check_equal({k: got.get(k) for k in want}, want, "args: names in CSV")


def frames():
    path = record("frames", "calls,frame=World:Frame", "GameLoop", "30", "3")
    kit.check(kit.stats(path, "frames")["frames"][0]["count"] == 29, "frame: each entry begins one", kit.stats(path, "frames"))
    path = record("only frames", "frame=World:Frame,gc,alloc", "GameLoop", "30", "3")
    t = kit.stats(path, "frames,markers,gcalloc")
    kit.check(t["frames"][0]["count"] == 29, "frame: without calls", t["frames"])
    kit.check(t["gcalloc"][0]["frame_median_count"] > 10, "frame: allocations per frame", t["gcalloc"])
    kit.check(not [r for r in t["markers"] if "World:Frame" in r["marker"]], "frame: the method itself is not recorded")
    path = record("no frames", "calls", "GameLoop", "30", "3")
    info = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, text=True).stdout
    kit.check("frame marks    no" in info, "without frame= the capture says that it has none", info)


def stacks():
    path = record("sites", "alloc,alloc-stack=1", "GameLoop", "24", "4")
    sites = {(r["marker"], r["class"]): r["count"] for r in kit.stats(path, "alloc_sites")["alloc_sites"]}
    by_calls = kit.stats(record("by calls", "calls,alloc", "GameLoop", "24", "4"), "alloc_sites")["alloc_sites"]
    want = {(r["marker"], r["class"]): r["count"] for r in by_calls if r["marker"].startswith("Game.") and r["class"].startswith("Game.")}
    kit.check_equal({k: sites.get(k) for k in want}, want, "alloc-stack=1: the caller is the innermost zone")
    path = record("paths", "alloc,alloc-stack=32", "GameLoop", "24", "4")
    paths = [r for r in kit.stats(path, "alloc_paths")["alloc_paths"] if "Emitter:Tick" in r["path"]]
    kit.check(paths and all("Program:Main" in r["path"] and r["path"].index("Main") < r["path"].index("Tick") for r in paths),
              "alloc-stack: whole paths, outermost first", paths[:3])


def fact(info, key):
    return float([line.split()[1] for line in info.splitlines() if line.split()[:1] == [key]][0])


def sampled():
    exact = kit.stats(record("exact", "alloc", "GameLoop", "300", "8"), "gcalloc,alloc_classes")
    total, blob = exact["gcalloc"][0], kit.counts(exact["alloc_classes"], "class", "bytes", "count")["System.Byte[]"]
    n, seen = (60 if kit.LONG else 15), []
    for i in range(n):
        path = record("sampled", "alloc-sample=16K", "GameLoop", "300", "8")
        t = kit.stats(path, "gcalloc,alloc_classes,loss")
        info = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, text=True).stdout
        have = kit.counts(t["alloc_classes"], "class", "bytes", "count").get("System.Byte[]", [0, 0])
        seen.append((t["gcalloc"][0]["bytes"], t["gcalloc"][0]["count"], have[0], have[1], fact(info, "alloc.standard_error_bytes")))
        kit.check(fact(info, "alloc.estimated_bytes") == t["gcalloc"][0]["bytes"], "sampled: the fact is what the table says")
        error = fact(info, "alloc.standard_error_bytes")
        kit.check(abs(t["gcalloc"][0]["error_bytes"] - error) <= 0.001 * error, "sampled: so is its error", t["gcalloc"], error)
        classes = sum(r["error_bytes"] ** 2 for r in t["alloc_classes"]) ** 0.5
        kit.check(abs(classes - error) <= 0.01 * error + 2, "sampled: the errors of the classes add up to it", classes, error)
        kit.check([r["kind"] for r in t["loss"]].count("sampled") == 1, "sampled: it is told", t["loss"])
    path = record("as often as is usual", "alloc-sample", "GameLoop", "1500", "8")
    kit.check([r["kind"] for r in kit.stats(path, "loss")["loss"]].count("sampled") == 1, "sampled: it needs no size")
    path = record("seldom", "alloc-sample=2M", "Garbage")
    info = subprocess.run([kit.TRACETOOL, "info", path], capture_output=True, text=True).stdout
    error, row = fact(info, "alloc.standard_error_bytes"), kit.stats(path, "gcalloc")["gcalloc"]
    kit.check(not row and not error or abs(row[0]["error_bytes"] - error) <= 0.001 * error,
              "sampled: so is the error where an object stands for more than 65,535", row, error)
    # Unbiased: means within 5 of their own standard errors, and the error told is the error seen, within a factor of two.
    for k, want in enumerate((total["bytes"], total["count"], blob[0], blob[1])):
        values = [s[k] for s in seen]
        mean = sum(values) / n
        spread = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
        kit.check(abs(mean - want) < 5 * spread / math.sqrt(n), "sampled: estimate %d is unbiased" % k, mean, want, spread)
        if k == 0:
            told = sum(s[4] for s in seen) / n
            kit.check(0.5 * spread < told < 2 * spread, "sampled: its error is told", told, spread)


kit.compile()
filters()
depth()
distortion()
arguments()
more_arguments()
names()
frames()
stacks()
sampled()
kit.end()
