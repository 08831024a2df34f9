#!/usr/bin/env python3
"""What captures and results lack is told in every form of a report and of a verdict, and the exit status in a verdict is that of the command.

The promises are those of tracetool-merge(1), tracetool-batch(1), tracetool-stats(1) and tracetool-json(7). Ends with "N passed, N failed".
"""
import json
import lzma
import os
import shutil

import kit
from kit import run

ROWS = [{"id": "time", "metric": "capture.time", "stat": "total", "max": "100000s"}]
NAMES = ["good-%s.mlpd" % n for n in ("d01-gameloop-calls-alloc", "d03-alloc-bt", "d05-monitors", "d08-recursion-calls")]     # of a recording each
FILES = {"json": "v.json", "junit": "v.xml", "html": "v.html", "markdown": "v.md", "gitlab": "v.txt"}
NOTICE = ("--github", "--azure", "--teamcity")


def budget(s, **more):
    path = s.path("budget.json")
    json.dump(dict({"tracetool_budget": 1, "rows": ROWS}, **more), open(path, "w"))
    return path


def verdict(s, *args, more=()):
    """(the run, the verdict's JSON, {form: its text}) of ${args} with a gate."""
    out = [x for form, name in FILES.items() for x in ("--" + form, s.path(name))]
    r = run(*args, "--gate", budget(s), *out, *more)
    forms = {form: open(s.path(name), encoding="utf-8").read() for form, name in FILES.items()}
    forms["text"] = r.out.decode()
    for system in NOTICE:
        lines = run(*args, "--gate", budget(s), system, *more).out.decode().splitlines()
        forms[system] = "\n".join(line for line in lines if line.startswith(("::", "##")))
    return r, json.loads(forms["json"]), forms


def told(s, what, forms, *words):
    """Each form has all ${words}; escapes of Markdown are left out."""
    for form, text in forms.items():
        text = text.replace("\\", "")
        s.check("%s: told in %s" % (what, form), [w for w in words if w not in text])


def true_status(s, what, r, doc, forms, want):
    """The exit status on the page and in JSON is that of the process."""
    s.equal("%s: exit status of the process, in JSON, and on the page" % what,
            (r.returncode, doc["exit_code"], "Exit status %d." % want in forms["html"]), (want, want, True))
    s.equal("%s: passed is said of no other status than 0" % what, doc["summary"].startswith("passed"), want == 0)


def reports(s, *args):
    """(exit status, {form: text}) of the report."""
    names = ["r." + x for x in ("txt", "json", "csv", "html", "md")]
    r = run(*args, *[x for n in names for x in ("--report", s.path(n))])
    return r, {n: open(s.path(n), encoding="utf-8").read() for n in names}


def folder(s, name, files):
    path = s.path(name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    for f, data in files.items():
        open(os.path.join(path, f), "wb").write(data)
    return path


def shard_missing(s, src):
    out = s.path("shards")
    for i in (1, 2, 3):
        run("batch", "-q", "-o", out, "--shard", "%d/3" % i, "--gate", budget(s), src)
    for name in os.listdir(out):
        if "3-of-3" in name:
            os.unlink(os.path.join(out, name))
    r, doc, forms = verdict(s, "merge", "--partial", out)
    told(s, "a missing shard", forms, "shard 3 of 3")
    true_status(s, "a missing shard", r, doc, forms, 0)


def torn_and_differing(s, src):
    out = s.path("whole")
    run("batch", "-q", "-o", out, "--gate", budget(s), src)
    lines = open(os.path.join(out, "results.jsonl"), "rb").read().splitlines(True)
    torn, other = s.path("torn.jsonl"), s.path("other.jsonl")
    open(torn, "wb").write(b"".join(lines[:-1]) + lines[-1][:-50])
    r, forms = reports(s, "merge", "--partial", torn)
    s.equal("a torn line: exit status", r.returncode, 3)
    told(s, "a torn line", forms, "1 torn line of results")
    r, doc, forms = verdict(s, "merge", "--partial", torn)
    told(s, "a torn line, gate", forms, "1 torn line of results")
    true_status(s, "a torn line", r, doc, forms, 3)
    doc = json.loads(lines[-1])
    doc.update(hash="0" * len(doc["hash"]), events=doc["events"] + 1)
    open(other, "w").write(kit.line_of(doc))
    both = (s.path("whole", "results.jsonl"), other)
    r, forms = reports(s, "merge", *both)
    s.equal("results that differ: exit status", r.returncode, 3)
    del forms["r.csv"]                # a note is in every report but CSV
    told(s, "results that differ", forms, "1 key has results that differ")
    r, doc, forms = verdict(s, "merge", *both)
    told(s, "results that differ", forms, "1 key has results that differ")
    true_status(s, "results that differ", r, doc, forms, 3)


def rotated(s):
    """The third file of a rotation alone: stats, batch and both gates say that what came before is not here."""
    parts = {n: lzma.open(os.path.join(kit.TESTDATA, "capture", "good-rotated%s.xz" % n[4:])).read() for n in ("game.ttc", "game.1.ttc", "game.2.ttc")}
    src = folder(s, "later", {"game.2.ttc": parts["game.2.ttc"]})
    one = os.path.join(src, "game.2.ttc")
    r, doc, forms = verdict(s, "stats", one)
    told(s, "a later file, stats", forms, "file 2 of a rotation: what came before", "is not here")
    true_status(s, "a later file, stats", r, doc, forms, 0)
    r = run("diff", "--format", "json", one, "--", one)
    said = [n["text"] for n in json.loads(r.out)["notes"] if n["id"] == "rotation"]
    s.check("a later file, diff", said[:1] != said[1:] or "game.2.ttc: file 2 of a rotation: what came before" not in said[0] and said)
    r, doc, forms = verdict(s, "batch", src)
    told(s, "a later file, batch", forms, "what came before game.2.ttc is missing")
    true_status(s, "a later file, batch", r, doc, forms, 0)
    r, forms = reports(s, "batch", src)
    del forms["r.csv"]
    told(s, "a later file, report", forms, "what came before game.2.ttc is missing")
    src = folder(s, "all", parts)
    r, forms = reports(s, "batch", src)
    s.check("all files: nothing is missing", [f for f, t in forms.items() if "what came before" in t])
    for i in (1, 2):
        r = run("batch", "-q", "--shard", "%d/2" % i, src)
        s.check("a shard alone does not know", "what came before" in r.out.decode() and i)


def not_read(s, src):
    """What cannot be read decides the exit status, whatever rows say."""
    files = [os.path.join(src, n) for n in sorted(os.listdir(src))]
    r, doc, forms = verdict(s, "stats", *files, s.path("nowhere.mlpd"))
    true_status(s, "a file that is not there", r, doc, forms, 4)
    empty = folder(s, "empty", {"empty.mlpd": b"", "good.mlpd": open(files[0], "rb").read()})
    r, doc, forms = verdict(s, "batch", empty)
    true_status(s, "an empty file", r, doc, forms, 3)
    cut = folder(s, "cut", {"cut.tar.gz": kit.pack("gz", os.urandom(3000))[:2000], "good.mlpd": open(files[0], "rb").read()})
    r, doc, forms = verdict(s, "batch", cut)
    true_status(s, "an archive that is cut", r, doc, forms, 3)
    s.check("... whose name is said once", [f for f, t in forms.items() if "cut.tar.gz: cut.tar.gz" in t])
    for limit, want in (("20%", 1), ("50%", 5)):
        r, doc, forms = verdict(s, "batch", empty, more=("--max-failures", limit))
        true_status(s, "an empty file, --max-failures %s" % limit, r, doc, forms, want)


def cut_files(s):
    """Files that are cut are damaged: they are not among captures that lack something though their files are whole."""
    good = lzma.open(os.path.join(kit.TESTDATA, "capture", "good-rotated.ttc.xz")).read()
    src = folder(s, "cutfile", {"cut.ttc": good[:len(good) * 2 // 3]})
    r, forms = reports(s, "batch", src)
    s.check("a cut file is not whole", [f for f, t in forms.items() if "files are whole" in t or "file is whole" in t])
    s.equal("a cut file is damaged", r.returncode, 3)


def no_folder(s, src):
    """tracetool(1): an output whose folder is not there is told before the work begins: no input is looked for, and a batch makes no results."""
    gone, out = s.path("gone", "x"), s.path("no-folder")
    for args in (["convert", "no.mlpd", "-o", gone + ".json"], ["report", "no.mlpd", "-o", gone + ".html"], ["stats", "no.mlpd", "-o", gone + ".txt"],
                 ["stats", "--gate", budget(s), "--junit", gone + ".xml", "no.mlpd"], ["diff", "no.mlpd", "no2.mlpd", "-o", gone + ".html"],
                 ["diff", "no.mlpd", "no2.mlpd", "--pprof", gone + ".pb.gz"], ["history", "no", "-o", gone + ".html"],
                 ["merge", "no.jsonl", "--report", gone + ".md"], ["merge", "no.jsonl", "-o", gone + ".jsonl"], ["info", "--scrub", "-o", gone, "no.raw"],
                 ["recover", "no.ttc", "-o", gone + ".ttc"], ["batch", "-o", out, "--report", gone + ".md", src],
                 ["batch", "-o", out, "--to-db", gone + ".db", src], ["batch", "-o", out, "--gate", budget(s), "--html", gone + ".html", src]):
        r = run(*args)
        s.equal("%s: no folder" % args, (r.returncode, "cannot write %s" % gone in r.err, "folder does not exist" in r.err), (4, True, True))
        s.equal("%s: no results" % args, os.path.exists(out) and os.listdir(out), args[0] == "batch" and [])
    r = run("batch", "-q", "-o", out, "--report", os.path.join(out, "x.md"), src)
    s.equal("a report beside the results", (r.returncode, sorted(os.listdir(out))), (0, ["results.jsonl", "x.md"]))


def main():
    s = kit.Suite()
    src = folder(s, "in", {n: open(os.path.join(kit.DATA, n), "rb").read() for n in NAMES})
    no_folder(s, src)
    shard_missing(s, src)
    torn_and_differing(s, src)
    rotated(s)
    not_read(s, src)
    cut_files(s)
    s.end()


main()
