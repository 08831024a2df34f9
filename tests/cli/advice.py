#!/usr/bin/env python3
"""Checks that everything the program advises to use exists: options, commands, tables, pages, keys, options of recorders.

All string literals of lib, cmd and formats are read from the sources, with the options that cmd/setting_options.c has for the settings which
lib names. Everything in them that looks like a name to use is looked up: an option in the command the sentence names, else in every
command that can print it (COMMANDS has those by file); a command, a topic, a table in what the program lists; a page in man; an
option of a recorder in its page. What is neither found nor listed below with its reason fails, so a new sentence cannot slip past;
and so does an entry below that nothing needs. Pages and README likewise, sentence by sentence.

Prints `N passed, N failed`; exit status 1 if any failed.
"""
import functools
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kit"))
from count import end, fault
from suite import TOP, TRACETOOL

VERBS = "convert stats gate report open diff ab batch info list record recover baseline query help".split()
READ = "convert stats gate report diff ab batch info".split()
GATE = "gate batch".split()

# Which commands print what stands in a file; the first pattern that fits counts.
COMMANDS = [
    ("cmd/(verb_)?ab(_.*)?\\.", ["ab"]),
    ("cmd/(batch_(gate|report)|verb_merge)", ["batch"]),
    ("cmd/((verb_)?batch|shard_auto)", ["batch"]),
    ("cmd/explain\\.", ["list"]),
    ("cmd/baseline_history\\.", ["baseline"]),
    ("cmd/(verb_)?(convert|diff|info|list|record|recover|baseline|help|stats)(_opts|_page)?\\.", None),
    ("lib/(verdict/history_picture|gate/(histories|sessions))", ["baseline"]),
    ("lib/summary", ["stats"]),
    ("cmd/definitions", ["list"]),
    ("cmd/verb_report", ["report"]),
    ("cmd/verb_open", ["open"]),
    ("lib/page", ["report"]),
    ("cmd/(verb_gate|gate_opts|gate_judge)\\.", ["gate"]),
    ("cmd/summary", ["stats"]),
    ("cmd/info_scrub", ["info"]),
    ("cmd/(verb_)?query", ["query"]),
    ("(cmd|lib/verdict)/verdict", GATE),
    ("lib/gate/suggest", ["gate"]),
    ("lib/gate/series", ["stats"]),
    ("lib/trial", ["ab"]),
    ("cmd/input", READ),
    ("cmd/(main|opts|report|child)", VERBS),
    ("lib/gate", GATE),
    ("lib/batch", ["batch"]),
    ("lib/diff", ["diff"]),
    ("lib/emit", ["convert", "batch"]),
    ("lib/pass", ["convert", "stats"]),
    ("lib/why", ["stats", "report"]),
    ("lib/out", ["stats", "diff", "info", "list", "batch"]),
    ("lib/(model/filter|run/(candidates|frame_mark))", [v for v in READ if v != "info"]),      # which describes the whole of a capture
    ("lib/(model|run)", READ),
    ("lib/(base|io|sql)", VERBS),
    ("formats/launch/", ["record"]),
    ("formats/(?!.*recorder/)", READ),
]

# (file, name): why it may stand there although a command that prints it has no such option.
BATCH = "a limit that only batch sets"
CONVERT = "said of the option given, or on the log, which a batch does not show"
TOPIC = "help says of another command what it has"
MERGE = "printed by merge, which shares the file"
DUMP = "of od, xxd and hexdump"
LIST = "list says what its column is for"
GIT, CURL, SBATCH = "of git", "of curl", "of sbatch"
KNOWN = {
    ("lib/io/src.c", "--max-decoded"): BATCH, ("lib/io/src.c", "--max-ratio"): BATCH,
    ("lib/archive/archive.c", "--unpack-memory"): BATCH, ("lib/io/filter_decoder.c", "--unpack-memory"): BATCH,
    ("lib/emit/chrome.c", "--split"): CONVERT, ("lib/emit/chrome_files.c", "--split"): CONVERT, ("lib/emit/folded.c", "--value"): CONVERT,
    ("cmd/verb_help.c", "--thread"): TOPIC, ("cmd/verb_help.c", "--time"): TOPIC, ("cmd/verb_help.c", "--frames"): TOPIC,
    ("cmd/verb_help.c", "--marker"): TOPIC,
    ("cmd/verb_list.c", "--input-format"): LIST, ("cmd/verb_list.c", "--table"): LIST,
    ("cmd/definitions.c", "--table"): LIST, ("cmd/definitions.c", "--sort"): LIST,
    ("lib/io/spool.c", "--spool-max"): "only what reads captures spools",
    ("lib/sql/vfs.c", "--spool-max"): "only what reads captures puts a database aside", ("tracetool-query.1", "--meta"): "of batch",
    ("lib/page/report_page.c", "--limit"): "of the command that it names, which is stats",
    ("lib/out/render_text.c", "--width"): "batch and merge say --format json in its place", ("lib/out/render_text.c", "--limit"): "the same",
    ("lib/gate/judge.c", "--meta"): "it says that reading the capture takes it: merge reads none",
    ("lib/gate/verdict_remarks.c", "--player-only"): "reading the capture takes it: merge reads none",
    ("lib/run/inputs.c", "--align"): "said of the option given",
    ("lib/gate/measure_model.c", "--player-only"): "said of captures that were read with it",
    ("lib/verdict/verdict_explain.c", "--frames"): "behind a whole command that stats or batch hands on",
    ("lib/verdict/verdict_html.c", "--frames"): "of the command in front of it, which is stats",
    ("lib/verdict/verdict_html.c", "--row"): "the same, which is baseline", ("lib/verdict/verdict_html.c", "--gate"): "the same, which is baseline",
    ("lib/pass/counters_pass.c", "--limit"): "of text, which stats prints",
    ("tracetool-gate.1", "--gate"): "an earlier name", ("tracetool-stats.1", "--gate"): "an earlier name",
    ("tracetool-list.1", "--input-format"): LIST, ("tracetool-mlpd.7", "--maxframes"): "of mprof-report",
    ("tracetool-mono.7", "--debug"): "of mono", ("tracetool-record.1", "--debug"): "of mono",
    ("tracetool-record.1", "--level"): "of the game in an example", ("tracetool-ab.1", "--level"): "of the game in an example",
    ("cmd/verb_ab.c", "--no-summary"): "given to record", ("cmd/report_opts.c", "--format"): "said by commands that print reports, which have it",
    ("tracetool-ci.7", "--allow-empty"): GIT, ("tracetool-ci.7", "--orphan"): GIT, ("tracetool-ci.7", "--all"): GIT, ("tracetool-ci.7", "--cached"): GIT,
    ("tracetool-ci.7", "--detach"): GIT,
    ("tracetool-ci.7", "--fail"): CURL, ("tracetool-ci.7", "--header"): CURL,
    ("tracetool-ci.7", "--location"): CURL, ("tracetool-ci.7", "--upload-file"): CURL, ("tracetool-ci.7", "--write-out"): CURL,
    ("tracetool-batch.1", "--recursive"): "of aws", ("tracetool.1", "--name"): "any option",
    ("lib/model/transfer_text.c", "-a"): DUMP, ("lib/model/transfer_text.c", "-c"): DUMP,
    ("lib/batch/merge.c", "--partial"): MERGE, ("lib/batch/store.c", "--partial"): "merge alone meets results of other options",
    ("tracetool-slurm.1", "--partition"): SBATCH,
}

# `mono --profile=log:help` of Mono 6.8.
LOG_PROFILER = set("""exception monitor gc gcalloc gcmove gcroot gchandle finalization counter jit counters alloc legacy nodefaults
sample sample-real heapshot heapshot-on-shutdown calls maxframes calldepth output report zip port help""".split())
OF_ALL = {"--version", "--help"}

SLURM = {"batch"}

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\s+|[A-Za-z_]\w*|.""", re.S)
needed = set()


def run(*args):
    r = subprocess.run([TRACETOOL, *args], capture_output=True, text=True)
    if r.returncode:
        raise SystemExit("tracetool %s: %s" % (" ".join(args), r.stderr))
    return r.stdout


def literals(path):
    """(line, text) of every string literal; those side by side are one, with what a macro puts between as a blank."""
    source = re.sub(r"^#include.*", "", open(path, encoding="utf-8").read(), flags=re.M)
    text, begin, line = None, 0, 1
    for m in TOKEN.finditer(source):
        t = m.group()
        if t[0] == '"':
            if text is None:
                text, begin = "", line
            text += re.sub(r"\\(.)", lambda x: {"n": "\n", "t": "\t"}.get(x[1], x[1]), t[1:-1])
        elif t.isspace() or t[:2] in ("/*", "//") or t == "\\" or re.fullmatch(r"PRI\w+|[A-Z][A-Z_]+", t):
            pass
        elif text is not None:
            yield begin, text
            text = None
        line += t.count("\n")


def settings():
    """The option of each setting that the library names."""
    return dict(re.findall(r'\[(TT_SETTING_\w+)\] = "(.*)"', open(os.path.join(TOP, "cmd", "setting_options.c"), encoding="utf-8").read()))


class Lists:
    """What there is, as the program and the pages have it."""
    def __init__(self):
        self.option, self.letter, self.arguments = {}, {}, {}
        for v in VERBS:
            words = run("help", v, "--options").split()
            self.option[v] = {w for w in words if w.startswith("--")}
            self.letter[v] = {w for w in words if re.fullmatch("-[A-Za-z]", w)}
            # "[formats] [passes]" of the usage
            self.arguments[v] = set(re.findall(r"\[([a-z]+)\]", run("help", v).split("\n\n")[0]))
        first = run("--help")
        self.verbs = set(re.findall(r"^  ([a-z]+) ", first, re.M))
        metrics = json.loads(run("list", "metrics", "passes", "--format", "json"))["tables"]
        self.table = {r[k] for t in metrics.values() for r in t["rows"] for k in ("table", "name") if k in r}
        self.table |= set(re.findall(r"^\.Ss (batch_[a-z_]+)$", open(os.path.join(TOP, "man", "tracetool-batch.1")).read(), re.M))
        self.pages = {"%s(%s)" % tuple(os.path.basename(p).rsplit(".", 1)) for p in glob.glob(os.path.join(TOP, "man", "*.[1-9]"))}
        self.recorder = {r: {w for it in re.findall(r"^\.It Cm (.*)", open(os.path.join(TOP, "man", "tracetool-%s.7" % r)).read(), re.M)
                             for w in re.findall(r"(?:^|, )(?:Cm )?([a-z-]+)", it)} for r in ("mono", "unity")}
        schema = json.load(open(os.path.join(TOP, "lib", "gate", "budget.schema.json")))
        self.budget = set(re.findall(r'"([a-z_]+)": ?\{', json.dumps(schema)))
        self.any = set().union(OF_ALL, *self.option.values())


COMMAND = re.compile(r"(?<!--do )\b(?:tracetool |(?=(?:%s) --))(%s)\b([^\n\"();|&`]*)" % ("|".join(VERBS), "|".join(VERBS)))
# Of other programs; tests/system/input/coded.py runs those that decode captures, and tests/system/mono/advice.py asks mono for its optimizations.
FOREIGN = re.compile(r"\b(gzip|xz|xargs|base64|basenc|xxd|ulimit|qprint)( -[^\s,]+)+|\bpython3 -m \w+( -\w+)*|\bmono -O=-?[a-z]+|"
                     r"\b(tr|sed|grep|cut|perl|tail|base32|python3 -c) [^|\n]*")


@functools.lru_cache(None)
def defined(word):
    """True if tracetool list knows the word."""
    return subprocess.run([TRACETOOL, "list", word], capture_output=True).returncode == 0


def problems(where, text, commands, lists):
    """What a text names that is not there. ${commands}: those that may print it."""
    known = lambda name: (where, name) in KNOWN and not needed.add((where, name))  # noqa: E731
    for m in re.finditer(r"(?:\"|`|\(see |\bsee |; )tracetool ([a-z]+)\b(?!\.)", text):
        if m[1] not in lists.verbs and not known(m[1]):
            yield 'no command "%s"' % m[1]
    text = FOREIGN.sub("", text)
    for m in COMMAND.finditer(text):
        verb, rest = m[1], m[2].split(" -- ")[0] if m[1] == "record" else m[2]
        for name in re.findall(r"(?<!\S)--[a-z][a-z-]*", rest):
            if name not in lists.option[verb] | OF_ALL and not known(name):
                yield "tracetool %s has no %s" % (verb, name)
        for name in re.findall(r"(?<!\S)-[A-Za-z]\b", rest):
            if name not in lists.letter[verb] and not known(name):
                yield "tracetool %s has no %s" % (verb, name)
        if verb == "list":
            for name in re.findall(r"^ ([a-z_/]+)", rest):
                if name not in lists.arguments[verb] and not defined(name) and not known(name):
                    yield 'tracetool list has no "%s"' % name
    for ids in re.findall(r"--table[ =]([a-z_,]+)", text) + re.findall(r"\btable ([a-z]+_[a-z_]+)\b", text):
        for name in ids.split(","):
            if name not in lists.table and not known(name):
                yield 'no table "%s"' % name
    for page in re.findall(r"\btracetool(?:-[a-z]+)?\(\d\)", text):
        if page not in lists.pages and not known(page):
            yield "no page %s" % page
    # What is outside of a command that is named goes for the command that speaks.
    bare = COMMAND.sub("", text)
    for key in re.findall(r"(?:see|give rows a) \"?(\w+)\"? in the budget", bare):
        if key not in lists.budget:
            yield 'no key "%s" of a budget' % key
    for name in re.findall(r"(?<![\w-])--[a-z][a-z-]*", bare):
        if name in OF_ALL or known(name):
            continue
        if commands is None:
            yield "%s: no one says which commands print this file (COMMANDS)" % name
            continue
        lack = [v for v in commands if name not in lists.option[v]]
        if lack:
            yield "%s: not in %s" % (name, ", ".join(lack))
    for name in re.findall(r"(?<=[ (])-[A-Za-z]\b(?![-\w])", bare):
        if known(name):
            continue
        lack = [v for v in commands or VERBS if name not in lists.letter[v]]
        if lack:
            yield "%s: not in %s" % (name, ", ".join(lack))


def recorder_options(where, text, lists):
    """Options of recorders: "ring= makes it larger", "record with ...", "threads=N"."""
    which = [r for r in ("mono", "unity") if where.startswith("formats/") and "/%s/" % r in where] or ["mono", "unity"]
    if where == "cmd/verb_record.c" or where.startswith("formats/launch/") or re.search(r"\bMono: ", text):
        which = ["mono"]
    if not where.startswith("formats/") and not re.search(r"\brecord", text):
        return
    for name in re.findall(r"(?<![\w%./=<-])([a-z][a-z-]+)=", text):
        lack = [r for r in which if name not in lists.recorder[r] and name != "session"]     # that is a fact, behind --meta
        if name == "calldepth" and where == "lib/model/loss.c":     # of the log profiler alone, whose files alone have this loss
            lack = [] if name in LOG_PROFILER else lack
        if lack:
            yield "%s=: not in %s" % (name, ", ".join("tracetool-%s(7)" % r for r in lack))


def profiler_options(text, lists):
    """What is handed to a profiler of Mono: "--profile=log:nodefaults,gc", "record -p sample=1000"."""
    for profiler, words in re.findall(r"profile=(log|tracetool):([a-z][\w,=+./-]*)", text) + \
            [("tracetool", w) for w in re.findall(r"\brecord -p ([a-z][\w,=+./-]*)", text)]:
        has = LOG_PROFILER if profiler == "log" else lists.recorder["mono"]
        for word in words.split(","):
            name = word.split("=")[0]
            if name and name not in has and not (profiler == "log" and name.startswith("no") and name[2:] in has):
                yield "%s: no option of %s" % (name, profiler)


def scan(lists):
    files = sorted(p for d in ("lib", "cmd", "formats") for p in glob.glob(os.path.join(TOP, d, "**", "*.[ch]"), recursive=True))
    seen, option = 0, settings()
    for path in files:
        where = os.path.relpath(path, TOP)
        found = []
        if where == "cmd/setting_options.c":
            fault(where, ["no option %s" % o for o in sum(map(str.split, option.values()), []) if o.startswith("--") and o not in lists.any])
            continue
        named = [] if where.startswith("lib/base/setting") else re.findall(r"TT_SETTING_[A-Z_]+", open(path, encoding="utf-8").read())
        for line, text in list(literals(path)) + [(0, option[n]) for n in named]:
            seen += 1
            if where == "cmd/completion.c":
                continue              # scripts for shells: tests/cli/completion.sh runs them
            commands = next((c or [re.match(r"cmd/(?:verb_)?([a-z]+)", where)[1]] for p, c in COMMANDS if re.match(p, where)), None)
            p = list(problems(where, text, commands, lists))
            p += profiler_options(text, lists)
            if " " in text:
                p += recorder_options(where, text, lists)
            found += ["line %d: %s, in \"%s\"" % (line, x, " ".join(text.split())[:160]) for x in p]
        fault(where, found)
    fault("literals are found (COMMANDS and KNOWN by file)", [] if seen > 3000 else ["only %d" % seen])


def recorders(lists):
    """The words by which captures' producers are known: each is an option of that producer."""
    source = "".join(open(p).read() for p in glob.glob(os.path.join(TOP, "formats", "**", "*.c"), recursive=True))
    for table, has in (("log_word", LOG_PROFILER), ("module_word", lists.recorder["mono"])):
        words = re.findall(r'\{ "([a-z-]+)"', re.search(table + r"\[\] = \{(.*?)\n\};", source, re.S)[1])
        fault("words of " + table, ["%s is no option" % w for w in words if w not in has] + ["none"] * (len(words) < 5))


def blocks(text):
    """(commands it names, options it names) of every paragraph of a page."""
    for block in re.split(r"^\.(?:Pp|It|Sh|Ss|El).*$", text, flags=re.M):
        named = set(re.findall(r"(?:\btracetool[ -]|Ic )([a-z]+)", block)) & set(VERBS)
        yield named, set("-" + n for n in re.findall(r"\bFl (-[a-z][a-z-]*)", block)) | set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", block))


def pages(lists):
    for path in sorted(glob.glob(os.path.join(TOP, "man", "*.[1-9]"))):
        page = os.path.basename(path)
        own = re.match(r"tracetool-([a-z]+)\.1", page)
        found = []
        for named, options in blocks(open(path).read()):
            # tracetool-slurm(1) hands its arguments to these.
            of = named | (SLURM if own and own[1] == "slurm" else {own[1]} if own else set())
            has = set().union(OF_ALL, *(lists.option[v] for v in of)) if of else lists.any
            needed.update((page, o) for o in options - has)
            found += ["%s: not in %s" % (o, ", ".join(sorted(of)) or "any command") for o in sorted(options - has) if (page, o) not in KNOWN]
        found += profiler_options(open(path).read(), lists)
        fault(page, found)
    found = []
    for line in open(os.path.join(TOP, "README.md")):
        found += list(problems("README.md", line, [], lists)) + list(profiler_options(line, lists))
        found += ["%s: not in any command" % o for o in re.findall(r"(?<![\w-])--[a-z][a-z-]*", line) if o not in lists.any]
    fault("README.md", found)


def left_out():
    """What a batch's text leaves out is shown as it says."""
    with tempfile.TemporaryDirectory(prefix="tracetool-advice.") as work:
        for i in range(25):
            with open(os.path.join(work, "%d.mlpd" % i), "wb") as f:
                f.write(bytes.fromhex("015a504d") + b"damaged" * i)
        for command in (["batch", "-o", os.path.join(work, "out"), work], ["merge", "-o", os.path.join(work, "all.jsonl"), os.path.join(work, "out")]):
            text = subprocess.run([TRACETOOL] + command + ["-q"], capture_output=True, text=True).stdout
            advice = re.findall(r"(\d+) more \((.*) shows all\)", text)
            fault(command[0] + " says how to see all", [] if len(advice) == 1 else [text])
            for hidden, options in advice:
                out = subprocess.run([TRACETOOL] + command + ["-q"] + options.split(), capture_output=True, text=True).stdout
                rows = json.loads(out)["tables"]["batch_failures"]["rows"]
                fault(command[0] + " shows all then", [] if len(rows) == 20 + int(hidden) == 25 else ["%d rows, %s hidden" % (len(rows), hidden)])


def main():
    lists = Lists()
    left_out()
    scan(lists)
    recorders(lists)
    pages(lists)
    fault("what is listed as known", ["%s in %s: nothing needs it" % (n, w) for w, n in sorted(set(KNOWN) - needed)])
    end()


main()
