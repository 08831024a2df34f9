#!/usr/bin/env python3
"""Mutation testing: one small change at a time in lib and formats, and whether the tests find it.

    mutants.py BUILD [-n N] [--seed SEED] [--at FILE[:LINE]] [--suites REGEX] [--again] [--list] [--report]

A mutant is the tree with one change in one function: a comparison, an arithmetic or logical operator, a number that is one more, a condition
that is turned round, another member or another variable in place of one, a statement that is left out. N of them (500) are drawn by lot from
all places, as many of each kind: SEED, which is printed, draws the same again. With --at every change of that file or line is tried instead,
or N of them. With --suites only suites that match are run, as between two edits of a unit test: what they do not find is not kept as survived.

It is made in a copy of the tree, BUILD/mutants/tree, never here. What the compiler refuses or warns of (-Werror), and what gives the same
machine code, is no mutant: another one is drawn. Then suites run, one after the other, until one fails: the unit program of the file's name,
those of its folder, and what tests/mutants.suites names for the file, of the last two what takes least time first (BUILD/mutants/seconds.json
has what each took). Only what a suite needs is linked anew. The program under test is the mutant; what makes captures for it stays as it
was, but for changes of the recorders. A suite that fails, or takes longer than ten times what it usually takes, has found the mutant; one
that fails without the change, too, is told and left out.

Outcomes are kept in BUILD/mutants/outcomes.jsonl by place, change and text of the line; a run that was ended goes on where it was, and runs
with other seeds use them again; with --again what survived is tried anew. --report prints them without a run.

A mutant that no suite finds has survived: it is printed with file, line and change. tests/mutants.reasons tells why some may.
Ends with "N of M survived, R of these with a reason"; exit status 1 if more than one in twenty survived without one.

Left out are statements that release memory or assert, which sanitizers and not results would miss, and files for other systems.
"""
import argparse
import collections
import glob
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
TOKEN = re.compile(r"""(?P<gap>\s+|/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<name>[A-Za-z_]\w*)|
    (?P<number>(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?)[uUlL]*)|
    (?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|\.\.\.|.)""", re.S | re.X)
COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "+=": "-=", "-=": "+=", "++": "--",
              "--": "++", "|=": "&=", "&=": "|="}
LOGIC = {"&&": "||", "||": "&&"}
KINDS = ("compare", "arithmetic", "logic", "number", "condition", "member", "variable", "statement")
KEYWORDS = set("if else for while do switch case default return break continue goto sizeof struct union enum const static int char unsigned long "
               "short void double float bool true false NULL signed volatile inline extern register typedef".split())
RELEASES = re.compile(r"\w*(free|_release|_done|close|assert|_drop_all)\w*$|assert$")
MEMORY = 8 << 30        # bytes that a process of a suite may write to
SLOWER = 10             # times as long as usual is too long
UNKNOWN = 900           # seconds, where it is not known yet what is usual
UNKNOWN_UNIT = 120      # of a unit program or a fuzz target

Token = collections.namedtuple("Token", "kind text at line")
Mutant = collections.namedtuple("Mutant", "kind file line at end new was text")


def tokens(source):
    """Tokens of C with their place; lines of the preprocessor are none."""
    found, at, line, skip = [], 0, 1, False
    for m in TOKEN.finditer(source):
        kind, text = m.lastgroup, m.group()
        if text == "#" and not source[source.rfind("\n", 0, m.start()) + 1:m.start()].strip():
            skip = True
        elif skip and kind == "gap" and re.search(r"(?<!\\)\n", text):
            skip = False
        if kind != "gap" and not skip:
            found.append(Token(kind, text, m.start(), line))
        line += text.count("\n")
    return found


def bodies(found, source):
    """The tokens of each function: between a "{" and a "}" that begin their lines."""
    begin = None
    for i, t in enumerate(found):
        if t.text in "{}" and (t.at == 0 or source[t.at - 1] == "\n"):
            if t.text == "{" and found[i - 1].text == ")":
                begin = i + 1
            elif t.text == "}" and begin is not None:
                yield found[begin:i]
                begin = None


def is_value(t):
    """True if an operator behind ${t} has two sides."""
    return t.kind in ("number", "text") or t.text in ")]" or (t.kind == "name" and t.text not in KEYWORDS)


def matching(body, i):
    """The place of the ")" that belongs to the "(" at ${i}."""
    depth = 0
    for k in range(i, len(body)):
        depth += (body[k].text == "(") - (body[k].text == ")")
        if depth == 0:
            return k
    return None


def sizes_array(body, i):
    """True if ${i} is within the size of an array that is declared there: a larger one is no other program."""
    depth = 0
    while i > 2 and body[i - 1].text not in ";{}":
        i -= 1
        depth += (body[i].text == "]") - (body[i].text == "[")
        if body[i].text == "[" and depth <= 0 and body[i - 1].text != "]":
            name, before, type_ = body[i - 1], body[i - 2], body[i - 3]
            if before.text == "*":      # of a pointer, unless it multiplies
                before, type_ = body[i - 3], body[i - 4] if i > 3 else body[i - 3]
                return depth < 0 and before.kind == "name" and (i == 3 or type_.kind == "name" or type_.text in ";{}")
            return name.kind == "name" and before.kind == "name" and before.text not in ("return", "else", "case", "sizeof")
    return False


def statements(body):
    """(first, last token) of statements that can be left out."""
    begin, depth = 0, 0
    for i, t in enumerate(body):
        depth += (t.text == "(") - (t.text == ")")
        if depth or t.text not in ";{}:":
            # What hangs on a condition or a loop begins behind its bracket.
            if depth == 0 and t.text == ")" and body[begin].text in ("if", "for", "while", "switch"):
                begin = i + 1
            elif t.text in ("else", "do"):
                begin = i + 1
            continue
        if t.text == ";" and i > begin:
            first, second = body[begin], body[begin + 1]
            declares = first.kind == "name" and (second.kind == "name" or first.text in ("struct", "const", "unsigned", "static", "enum")
                                                or (second.text == "*" and i > begin + 2 and body[begin + 2].kind == "name"
                                                    and body[begin + 3].text in "=;,["))
            jumps = first.text in ("break", "continue", "goto") or (first.text == "return" and i + 1 < len(body))
            releases = second.text == "(" and RELEASES.match(first.text)
            if jumps or not (declares or releases or first.text in KEYWORDS):
                yield begin, i
        begin = i + 1


def changes(file, source, every=False):
    """The mutants of a file, in order; of members and variables one that is drawn, or ${every} one, in place of each."""
    lines = source.split("\n")

    def make(kind, first, end, new):
        return Mutant(kind, file, first.line, first.at, end, new, source[first.at:end], lines[first.line - 1].strip())

    def one(kind, t, new):
        return make(kind, t, t.at + len(t.text), new)

    found = tokens(source)
    members = collections.defaultdict(set)      # by the name before them
    for a, b, c in zip(found, found[1:], found[2:]):
        if b.text in ("->", ".") and c.kind == "name":
            members[a.text].add(c.text)
    for body in bodies(found, source):
        names = sorted({t.text for p, t, n in zip([Token("", "", 0, 0)] + body, body, body[1:]) if t.kind == "name" and t.text not in KEYWORDS
                        and t.text[0].islower() and not t.text.endswith("_t") and n.text != "(" and p.text not in ("->", ".", "struct", "enum", "goto")})
        for i, t in enumerate(body):
            before, after = body[i - 1] if i else t, body[i + 1] if i + 1 < len(body) else t
            pick = random.Random("%s %d" % (file, t.at))
            if t.text in COMPARE:
                yield one("compare", t, COMPARE[t.text])
            elif t.text in ARITHMETIC and (t.text in ("++", "--") or is_value(before)):
                yield one("arithmetic", t, ARITHMETIC[t.text])
            elif t.text in LOGIC:
                yield one("logic", t, LOGIC[t.text])
            elif t.kind == "number" and "." not in t.text:
                if not sizes_array(body, i):
                    yield one("number", t, "1" if re.match(r"0[uUlL]*$", t.text) else "(%s + 1)" % t.text)
            elif t.text in ("if", "while") and after.text == "(":
                close = matching(body, i + 1)
                if close:
                    yield make("condition", body[i + 1], body[close].at + 1, "(!" + source[body[i + 1].at:body[close].at + 1] + ")")
            elif t.kind == "name" and before.text in ("->", ".") and i > 1:
                others = sorted(members[body[i - 2].text] - {t.text})
                for new in (others if every else pick.sample(others, 1)) if others and after.text != "(" else ():
                    yield one("member", t, new)
            elif t.text in names and before.text not in ("->", ".", "struct", "enum", "goto") and before.kind != "name" and after.text != "(":
                others = [n for n in names if n != t.text]
                if before.text != "*" and after.text not in ("=", "->", "["):
                    for new in others if every else pick.sample(others, min(1, len(others))):
                        yield one("variable", t, new)
        for first, last in statements(body):
            yield make("statement", body[first], body[last].at, "")


def key(m):
    return "%s:%d:%d %s -> %s | %s" % (m.file, m.line, m.at, m.was, m.new, m.text)


def shown(m):
    short = lambda s: re.sub(r"\s+", " ", s)[:90]       # noqa: E731
    return "%s:%d: %s: %s" % (m.file, m.line, m.kind, "%s -> %s" % (short(m.was), short(m.new)) if m.new else "left out: " + short(m.was)) + \
        ("" if short(m.was) == short(m.text).rstrip(";") else "    in: " + short(m.text))


def drawn(pool, seed):
    """All mutants by lot: of each kind one in turn."""
    order = {kind: [m for m in pool if m.kind == kind] for kind in KINDS}
    for kind, of in order.items():
        random.Random("%d %s" % (seed, kind)).shuffle(of)
    for i in range(max(map(len, order.values()))):
        for kind in KINDS:
            if i < len(order[kind]):
                yield order[kind][i]


def rows(name):
    with open(os.path.join(TOP, "tests", name), encoding="utf-8") as f:
        return [re.split(r"\t+", line.rstrip("\n")) for line in f if line.strip() and not line.startswith("#")]


def suites_of(file, seconds, top=TOP):
    """Suites for a file: the unit program of its name, those of its folder's name, and those of each row that fits; by ${seconds}, where known.
    ${top}: where the unit programs are."""
    folder, name = file.split("/")[-2], os.path.splitext(os.path.basename(file))[0]
    units = glob.glob(os.path.join(top, "tests", "unit", "recorder" if "/recorder/" in file else folder, "*.c"))
    units = [os.path.relpath(u, os.path.join(top, "tests"))[:-2] for u in units]
    found = sorted(units, key=lambda u: (not u.endswith("/" + name), seconds.get(u, 0), u))
    others = []
    for files, suites in rows("mutants.suites"):
        if re.fullmatch(files, file):
            others += [s for s in suites.split() if s not in found + others]
    # What is not known yet keeps its place, which is behind cheaper ones.
    at = [max([seconds.get(o, 0) for o in others[:i + 1]]) if s not in seconds else seconds[s] for i, s in enumerate(others)]
    return found + [s for _, _, s in sorted(zip(at, range(len(others)), others))]


def reason_of(m):
    return next((why for files, pattern, why in rows("mutants.reasons") if re.fullmatch(files, m.file) and re.search(pattern, shown(m))), None)


def of_session(session):
    """The processes of a session: those under timeout(1) have process groups of their own."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as f:
                if int(f.read().rpartition(")")[2].split()[3]) == session:
                    yield int(pid)
        except (FileNotFoundError, ProcessLookupError):
            pass


class Tree:
    """A copy of the tree, built."""

    def __init__(self, build):
        self.top = os.path.join(build, "mutants", "tree")
        self.build = os.path.join(self.top, "build")
        self.env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD", "TT_SANITIZED", "TT_SET")}
        self.env.update(OPT="-O2 -g0", TT_LOT=os.environ.get("TT_LOT", "0"), TT_JOBS="1", CCACHE_READONLY="1")
        self.log = os.path.join(build, "mutants", "seconds.json")
        self.seconds = json.load(open(self.log, encoding="utf-8")) if os.path.exists(self.log) else {}  # by suite that passed: the longest time
        self.good, self.bad = set(), set()      # suites that pass without a change, and that fail
        names = subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.splitlines()
        for n in names + ["tests/validators/node_modules"]:
            here, there = os.path.join(TOP, n), os.path.join(self.top, n)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            if os.path.isdir(here):
                if not os.path.lexists(there):
                    os.symlink(os.path.realpath(here), there)
            elif os.path.exists(here) and not (os.path.exists(there) and open(here, "rb").read() == open(there, "rb").read()):
                shutil.copy(here, there)
        for gone in set(subprocess.run(["find", ".", "-name", "*.[ch]", "-not", "-path", "./build/*"], cwd=self.top, capture_output=True,
                                       text=True).stdout.split()) - {"./" + n for n in names}:
            os.unlink(os.path.join(self.top, gone))
        self.kit = ["build/" + os.path.relpath(n, os.path.join(TOP, "tests"))[:-2] for pattern in ("kit/*_gen.c", "system/batch/*.c")
                    for n in glob.glob(os.path.join(TOP, "tests", pattern))]
        if self.make("all", "host", *self.kit, limit=3600).returncode:
            sys.exit("mutants: the tree does not build")

    def run(self, command, limit):
        """The exit status of a command and what it printed; None if it took too long. Ends all that it started."""
        p = subprocess.Popen(command, cwd=self.top, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             start_new_session=True, stdin=subprocess.DEVNULL,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)))
        try:
            out = p.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            out = None
        for pid in of_session(p.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        p.communicate()
        return subprocess.CompletedProcess(command, None if out is None else p.returncode, out, None)

    def make(self, *goals, limit=600):
        return self.run(["make", "-s", "-j%d" % (os.cpu_count() or 1), "CFLAGS=-Werror", *goals], limit)

    def objects(self, file):
        names = [os.path.join("build", d, os.path.splitext(file)[0] + ".o") for d in ("", "pic", "mono-pic")]
        return [n for n in map(os.path.normpath, names) if os.path.exists(os.path.join(self.top, n))]

    def programs(self, suite, file):
        """What has to be linked anew for a suite: its own program, and for a change of a recorder what records."""
        recorder = re.match("formats/(recorder|ttc)/", file)
        if suite.startswith(("unit/", "fuzz/")):
            return ["build/" + suite]
        own = ["build/" + suite] if os.path.exists(os.path.join(self.top, "tests", suite + ".c")) else []
        return ["all"] + own + (["host"] if recorder and suite.startswith("host/") else [])

    def try_suite(self, suite, file):
        """(True if it passes or None if it took too long, what it printed)."""
        made = self.make(*self.programs(suite, file))
        if made.returncode:
            return False, made.stdout
        usual, begin = self.seconds.get(suite), time.monotonic()
        limit = max(30, SLOWER * usual) if usual else UNKNOWN_UNIT if suite.startswith(("unit/", "fuzz/")) else UNKNOWN
        r = self.run(["env", "TT_ONLY=^%s$" % suite, "tests/run.sh", "check", "build"], limit)
        if r.returncode == 0:
            self.seconds[suite] = max(self.seconds.get(suite, 0), round(time.monotonic() - begin, 2))
            with open(self.log, "w", encoding="utf-8") as f:
                json.dump(self.seconds, f)
        return r.returncode == 0, r.stdout


class Change:
    """A mutant in the copy of the tree: made, undone, and made again without another run of the compiler."""

    def __init__(self, tree, m):
        self.path, self.objects = os.path.join(tree.top, m.file), [os.path.join(tree.top, o) for o in tree.objects(m.file)]
        with open(self.path, encoding="utf-8", newline="") as f:
            self.source = f.read()
        self.plain = self.read()
        self.put(self.source[:m.at] + m.new + self.source[m.at + len(m.was):], {})
        self.compiles = tree.make(*(os.path.relpath(o, tree.top) for o in self.objects)).returncode == 0
        self.changed = self.read() if self.compiles else {}
        self.text = open(self.path, encoding="utf-8", newline="").read()

    def read(self):
        return {o: open(o, "rb").read() for o in self.objects}

    def put(self, source, objects):
        with open(self.path, "w", encoding="utf-8", newline="") as f:
            f.write(source)
        for o, data in objects.items():
            with open(o, "wb") as f:
                f.write(data)

    def make(self):
        self.put(self.text, self.changed)

    def undo(self):
        self.put(self.source, self.plain)


def outcome(tree, m, which):
    """("no mutant", why), ("found", suite) or ("survived", suites); of the suites that match ${which}."""
    c = Change(tree, m)
    try:
        if not c.compiles:
            return "no mutant", "the compiler finds it"
        if c.changed == c.plain:
            return "no mutant", "the same code"
        tried = []
        for suite in suites_of(m.file, tree.seconds, tree.top):
            if suite in tree.bad or not re.search(which, suite):
                continue
            passed, out = tree.try_suite(suite, m.file)
            if not passed and suite not in tree.good:
                # It may fail without the change, too.
                c.undo()
                passed_without, out = tree.try_suite(suite, m.file)
                c.make()
                (tree.good if passed_without else tree.bad).add(suite)
                if not passed_without:
                    print("mutants: %s fails without a change, and is left out:\n%s" % (suite, (out or "it takes too long")[-1500:]), file=sys.stderr)
                    continue
            if not passed:
                return "found", suite
            tree.good.add(suite)
            tried.append(suite)
        return "survived", " ".join(tried)
    finally:
        c.undo()


def report(results):
    survived = [(m, what) for m, how, what in results if how == "survived"]
    bare = 0
    for m, what in survived:
        why = reason_of(m)
        bare += not why
        print("survived: %s\n    %s" % (shown(m), "reason: " + why if why else "after " + (what or "no suite")))
    tried = sum(how != "no mutant" for _, how, _ in results)
    by = collections.Counter(what.split("/")[0] for _, how, what in results if how == "found")
    print("found by: " + ", ".join("%s %d" % x for x in by.most_common()))
    print("%d of %d survived, %d of these with a reason" % (len(survived), tried, len(survived) - bare))
    return 1 if bare * 20 > tried else 0


def main():
    p = argparse.ArgumentParser(usage="mutants.py BUILD [-n N] [--seed SEED] [--at FILE[:LINE]] [--suites REGEX] [--again] [--list] [--report]")
    p.add_argument("build")
    p.add_argument("-n", type=int)
    p.add_argument("--seed", type=int, default=int(time.time()))
    p.add_argument("--at")
    p.add_argument("--suites", default="")
    p.add_argument("--again", action="store_true")
    p.add_argument("--list", action="store_true")
    p.add_argument("--report", action="store_true")
    a = p.parse_args()
    build = os.path.realpath(a.build)
    names = subprocess.run(["git", "ls-files", "lib/*.c", "formats/*.c"], cwd=TOP, capture_output=True, text=True, check=True).stdout.split()
    file, _, line = (a.at or "").partition(":")
    pool = [m for n in sorted([file] if a.at else names) if not n.endswith("_windows.c")
            for m in changes(n, open(os.path.join(TOP, n), encoding="utf-8").read(), bool(a.at and not a.n))]
    pool = [m for m in pool if not line or m.line == int(line)]
    if a.at and not a.n:
        chosen, a.n = pool, len(pool)
    else:
        chosen, a.n = drawn(pool, a.seed), a.n or 500
        print("seed %d: --seed %d draws the same mutants again, of %d" % (a.seed, a.seed, len(pool)), flush=True)
    if a.list:
        for m in list(chosen)[:a.n]:
            print(shown(m))
        return 0
    os.makedirs(os.path.join(build, "mutants"), exist_ok=True)
    log = os.path.join(build, "mutants", "outcomes.jsonl")
    known = {}
    if os.path.exists(log):
        for row in open(log, encoding="utf-8"):
            known.update([json.loads(row)])
    if a.again:
        known = {k: v for k, v in known.items() if v[0] != "survived"}
    tree, results, tried = None, [], 0
    for m in chosen:
        if tried == a.n:
            break
        if key(m) not in known and not a.report:
            tree = tree or Tree(build)
            known[key(m)] = outcome(tree, m, a.suites)
            if known[key(m)][0] != "survived" or not a.suites:
                with open(log, "a", encoding="utf-8") as f:
                    f.write(json.dumps([key(m), known[key(m)]]) + "\n")
        if key(m) in known:
            how, what = known[key(m)]
            results.append((m, how, what))
            tried += how != "no mutant"
            if how != "no mutant" and not a.report:
                print("%3d %-8s %s%s" % (tried, how, shown(m), "    by " + what if how == "found" else ""), flush=True)
    return report(results)


if __name__ == "__main__":
    sys.exit(main())
