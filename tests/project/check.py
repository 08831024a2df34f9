#!/usr/bin/env python3
"""Checks of the project as a whole: one place for the version, one limit for columns, a place for each test, public CI that runs goals there are,
releases that are always the same bytes and can be built from. "release" tries the last alone. Ends with "N passed, N failed".
"""
import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", d) for d in ("kit", "")]
import mutants
from count import end, fault
from suite import TOP, TRACETOOL
import words

# Tabs are 8 columns. Texts and data have no limit; nor have small C# programs that are recorded.
COLUMNS = 160
SOURCES = (".c", ".h", ".py", ".sh", ".mjs", ".cjs", ".yml")
PATHS = 20
FIELDS = 45
# The version may stand in these: its place, and what tells history.
VERSION_IN = {"cmd/version.h", "CHANGELOG.md"}


def files():
    """Names of our files: what git knows, or, in an unpacked release, all but what was built."""
    r = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, capture_output=True, text=True)
    if r.returncode == 0 and os.path.exists(os.path.join(TOP, ".git")):
        return [f for f in r.stdout.splitlines() if os.path.exists(os.path.join(TOP, f))]
    found = []
    for folder, folders, names in os.walk(TOP):
        folders[:] = [d for d in folders if d not in ("build", "node_modules")]
        found += [os.path.relpath(os.path.join(folder, n), TOP) for n in names]
    return found


def text(name):
    data = open(os.path.join(TOP, name), "rb").read()
    return None if b"\0" in data else data.decode(errors="replace")


def environment():
    """As a user has it who calls make by hand."""
    return {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "BUILD", "OPT", "TT_SANITIZED")}


def version_is_in_one_place(names):
    version = re.search(r'#define TT_VERSION "(\d+\.\d+\.\d+)"', text("cmd/version.h")).group(1)
    said = subprocess.run([TRACETOOL, "--version"], capture_output=True, text=True).stdout
    fault("the program says its version", said != "tracetool %s\n" % version and said)
    word = re.compile(r"(?<![\d.])%s(?![\d.])" % re.escape(version))
    fault("no other file holds the version", [
        n for n in names if n not in VERSION_IN and not n.startswith(("testdata/", "tests/validators/")) and
        not n.endswith("/CHANGELOG.md") and word.search(text(n) or "")])
    with tempfile.TemporaryDirectory() as root:
        build = os.path.relpath(os.path.dirname(TRACETOOL), TOP)
        # As it was built, with the settings of a distribution.
        make = ["make", "-s", "-o", os.path.relpath(TRACETOOL, TOP), "-o", build + "/libtracetool-unity.so", "-o", "mono", "PREFIX=/usr",
                "LIBDIR=/usr/lib/any-linux-gnu", "ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions", "DESTDIR=" + root, "BUILD=" + build]
        r = subprocess.run(make + ["install"], cwd=TOP, capture_output=True, text=True, env=environment())
        fault("make install", r.returncode and r.stderr)
        places = {os.path.relpath(os.path.join(d, f), root) for d, _, found in os.walk(root) for f in found}
        fault("what people look for is where distributions have it", {
            "usr/bin/tracetool", "usr/lib/any-linux-gnu/tracetool/libtracetool-unity.so", "usr/share/doc/tracetool/README.md",
            "usr/share/doc/tracetool/CHANGELOG.md", "usr/share/doc/tracetool/LICENSE", "usr/share/zsh/vendor-completions/_tracetool",
            "usr/share/bash-completion/completions/tracetool", "usr/share/fish/vendor_completions.d/tracetool.fish",
            "usr/share/tracetool/Tracetool.cs", "usr/share/tracetool/budget.schema.json"} - places)
        fault("Debian's package is built with what make setup installs", debian_needs())
        fault("Debian's packages hold what is installed, and nothing else", debian_lists(places))
        pages = [os.path.join(d, f) for d, _, found in os.walk(os.path.join(root, "usr/share/man")) for f in found]
        fault("every page is installed", len(pages) != len([n for n in names if re.match(r"man/.*\.[1-9]$", n)]) and sorted(pages))
        fault("installed pages have the version", [p for p in pages if "\n.Os tracetool %s\n" % version not in open(p).read()])
        r = subprocess.run(make + ["uninstall"], cwd=TOP, capture_output=True, text=True, env=environment())
        left = [os.path.join(d, f) for d, _, found in os.walk(root) for f in found]
        fault("make uninstall removes each file", (r.returncode or left) and (r.stderr, left))
    return version


def debian_lists(places):
    """Installed files that no *.install of .packaging/debian names (nor not-installed), and lines there that name no file."""
    folder = os.path.join(TOP, ".packaging", "debian")
    lines = [line.strip() for n in os.listdir(folder) if n == "not-installed" or n.endswith(".install")
             for line in open(os.path.join(folder, n)) if line.strip() and not line.startswith("#")]
    parts = {line: [p for p in places if any(fnmatch.fnmatch(part, line) for part in parents(p))] for line in lines}
    return [line + " is not installed" for line in lines if not parts[line]] + \
        [p + " is in no package" for p in sorted(places - set(sum(parts.values(), [])))]


def debian_needs():
    """Libraries that the Makefile's setup installs and that debian/control does not build with."""
    wanted = re.search(r"^DEB_BUILD := (.*)", text("Makefile"), re.M).group(1).split()
    control = text(".packaging/debian/control")
    named = re.findall(r"^ ([\w.+-]+)", re.search(r"^Build-Depends:\n((?: .*\n)+)", control, re.M).group(1), re.M)
    return [p for p in wanted if p.endswith("-dev") and p not in named + ["libc6-dev"]]


def bill_of_materials(version):
    """make sbom lists what is linked, and each file of others with its digest."""
    depends = re.search(r"^DEPENDS  := (.*)", text("Makefile"), re.M).group(1).split()
    r = subprocess.run([os.path.join(TOP, ".packaging", "sbom.py"), version] + depends, capture_output=True, text=True)
    bom = json.loads(r.stdout or "null")
    fault("the bill of materials is made", (r.returncode or not bom) and r.stderr)
    fault("it is of this version", bom["metadata"]["component"]["version"] != version and bom)
    have = {c["name"] for c in bom["components"]}
    listed = json.loads(text(".packaging/vendored.json"))
    fault("it has what is linked and what is vendored", (have ^ set(depends) ^ {c["name"] for c in listed}) and sorted(have))
    files = {f["name"]: f["hashes"][0]["content"] for c in bom["components"] for f in c.get("components", [])}
    fault("its digests are those of the files", [n for n, d in files.items() if d != digest(os.path.join(TOP, n))])


def parents(path):
    """A path and the folders above it."""
    while path:
        yield path
        path = os.path.dirname(path)


def columns(names):
    long = []
    for n in names:
        if n.endswith(SOURCES) or n == "Makefile":
            for i, line in enumerate((text(n) or "").split("\n"), 1):
                width = len(line.expandtabs(8))
                if width > COLUMNS:
                    long.append("%s:%d: %d columns" % (n, i, width))
    fault("lines have at most %d columns" % COLUMNS, long)
    editor = text(".editorconfig")
    fault(".editorconfig has the same limit", re.findall(r"^max_line_length = (\d+)$", editor, re.M) != [str(COLUMNS)] and editor)


def paths(source):
    """(name, line, paths through it) of each function of a C file: 1, and 1 for each if, loop, switch, &&, || and ?."""
    token = re.compile(r"""\"(?:\\.|[^"\\\n])*\"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|//[^\n]*|^[ \t]*#(?:\\\n|[^\n])*""", re.S | re.M)
    source = token.sub(lambda m: "\n" * m[0].count("\n"), source)
    for m in re.finditer(r"^(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", source, re.S | re.M):
        yield m[1], source.count("\n", 0, m.start()) + 1, 1 + len(re.findall(r"\b(?:if|for|while|switch)\b|&&|\|\||\?", m[2]))


def functions_are_simple(names):
    """McCabe's number, with a switch as one path: a flat list of cases is easy to read, however long it is."""
    fault("functions have at most %d paths" % PATHS, [
        "%s:%d: %s has %d" % (n, line, name, many) for n in names if re.match(r"(lib|cmd|formats|tests/kit)/.*\.c$", n)
        for name, line, many in paths(text(n)) if many > PATHS])


def fields(source):
    """(name, number of fields) of each struct, with those of the structs in it."""
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    for m in re.finditer(r"struct (\w*)\s*\{", source):
        depth, end = 1, m.end()
        while depth and end < len(source):
            depth += {"{": 1, "}": -1}.get(source[end], 0)
            end += 1
        body = re.sub(r"\([^)]*\)", "", source[m.end():end - 1])
        yield m.group(1), sum(len(x.split(",")) for x in body.split(";") if x.strip() and not x.strip().startswith("}"))


def structs_are_small(names):
    """A larger one has a reason, and each reason a struct that is larger."""
    reasons = {row.split("\t")[0] for row in text("tests/structs.reasons").splitlines() if row and not row.startswith("#")}
    large = {"%s %s" % (n, name) for n in names if re.match(r"(lib|cmd|formats)/.*\.[ch]$", n) for name, many in fields(text(n)) if many > FIELDS}
    fault("structs have at most %d fields, or a reason in tests/structs.reasons" % FIELDS, sorted(large ^ reasons))


def the_library_names_no_option(names):
    """It says which setting (lib/base/setting.h); cmd/setting_options.c knows its option."""
    word = re.compile(r'"[^"]*--[a-z]')
    fault("lib names no option of the command line", [
        "%s:%d" % (n, i) for n in names if n.startswith("lib/") and n.endswith((".c", ".h"))
        for i, line in enumerate(text(n).split("\n"), 1) if word.search(line)])


def comments_are_plain(names):
    """A comment states: it asks nothing, its sentences begin with what they are about, and an opening says what the file does, not where its
    contract is."""
    start = re.compile(r"(?:^|[.:;] )(?:Of|What|Where|None|Such|Those) ")
    found = []
    for n in names:
        if not (n.startswith(("lib/", "cmd/", "formats/")) and n.endswith((".c", ".h"))):
            continue
        source = text(n)
        for m in re.finditer(r"/\*.*?\*/", source, re.S):
            sentences = re.sub(r"\s*\n\s*\*?\s*", " ", m.group().strip("/* \t\n"))
            asks = re.search(r"\w\)?\?(?=\s)", re.sub(r'"[^"]*"', "", m.group()))
            if asks or "contract is in" in sentences or start.search(sentences):
                found.append("%s:%d" % (n, source.count("\n", 0, m.start()) + 1))
    fault("comments state, and openings say what a file does", found)


# The names of others.
FOREIGN_NAMES = {"LONG", "MONO_COUNTER_LONG", "ERROR_NOT_ENOUGH_MEMORY", "ERROR_TOO_MANY_OPEN_FILES"}


def names_are_plain(names):
    """A constant says what it decides: MIN_BURST_BYTES, max_frames; not LEAST, MOST, FEW."""
    word = re.compile(r"\b(?:[A-Z0-9_]+_)?(?:LEAST|MOST|FEW|FAR|ENOUGH|LONG|MANY|ROOM|LOOK|SOME)(?:_[A-Z0-9_]+)?\b")
    found = set()
    for n in names:
        if n.startswith(("lib/", "cmd/", "formats/")) and n.endswith((".c", ".h")):
            code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', " ", text(n), flags=re.S)
            found.update("%s: %s" % (n, w) for w in set(word.findall(code)) - FOREIGN_NAMES)
    fault("constants have plain names", sorted(found))


def reasons_are_true(names):
    """Each row of tests/cover.reasons fits lines of files there are; else what it explained is gone."""
    lines = {n: [t.strip() for t in (text(n) or "").split("\n")] for n in names if re.match(r"(lib|formats)/.*\.[ch]$", n)}
    idle = []
    for i, row in enumerate(text("tests/cover.reasons").split("\n"), 1):
        if row and not row.startswith("#"):
            files, pattern = [re.compile(x) for x in re.split(r"\t+", row)[:2]]
            of = [n for n in lines if files.fullmatch(n)]
            # A line is looked at with the two before it, as tests/cover.py does.
            if not any(pattern.search(t) or pattern.search(" ".join(lines[n][max(k - 2, 0):k + 1])) for n in of for k, t in enumerate(lines[n])):
                idle.append("tests/cover.reasons:%d: fits nothing: %s" % (i, row[:100]))
    fault("every reason in tests/cover.reasons fits a line", idle)


def unit_tests_are_where_their_module_is(names):
    """tests/unit/FOLDER/NAME.c: FOLDER is one of lib or formats, or cmd; a program elsewhere would not be built. Each folder of lib has some."""
    folders = {n.split("/")[1] for n in names if re.match(r"(lib|formats)/[^/]+/", n)} | {"cmd"}
    fault("unit tests lie in folders named as the one they test", [
        n for n in names if n.startswith("tests/unit/") and not (re.fullmatch(r"tests/unit/[^/]+/\w+\.c", n) and n.split("/")[2] in folders)])
    fault("each folder of lib has unit tests", sorted({n.split("/")[1] for n in names if re.match(r"lib/[^/]+/\w+\.c", n)} -
                                                      {n.split("/")[2] for n in names if n.startswith("tests/unit/")}))


# Letters of a sentence worth a place of its own, and tests whose lines are folded to a width.
SENTENCE = 30
FOLDED = ("tests/cli/reports_fit_the_width/", "tests/cli/help_", "tests/cli/no_arguments_is_a_usage_error/")


def plain(line):
    """${line} without what differs from one use of a sentence to the next: names, numbers, files."""
    line = re.sub(r"@\{[^}]*\}", "{}", line)
    line = re.sub(r'"[^"]*"|\S*[/.:=<|]\S+|\S*\d\S*', "{}", line)
    return re.sub(r"[ {},;:()]*(\{\}|  )[ {},;:()]*", "{}", line.strip())


def sentences_stand_once(names):
    """What two tests expect is in tests/words.txt, and referred to."""
    used, stands = set(), {}
    for n in names:
        if n.startswith("tests/cli/") and os.path.basename(n).split(".")[0] in ("stdout", "stderr"):
            used |= set(re.findall(r"@\{(\w+)", text(n)))
            for line in [] if n.startswith(FOLDED) else text(n).splitlines():
                for part in plain(line).split("{}"):
                    if len(part) >= SENTENCE and re.search("[a-z] [a-z]+ [a-z]", part):
                        stands.setdefault(part, set()).add(n)
        elif n.startswith("tests/") and n.endswith(".py"):
            used |= set(re.findall(r'words\.say\("(\w+)"', text(n)))
    fault("sentences of tests/words.txt are used", sorted(set(words.SENTENCES) - used))
    fault("sentences that are used are in tests/words.txt", sorted(used - set(words.SENTENCES)))
    fault("a sentence that several tests expect is in tests/words.txt", [
        "%s: %s" % (part, ", ".join(sorted(at))) for part, at in sorted(stands.items()) if len(at) > 1])
    fault("sentences of tests/words.txt are referred to", [
        n for n in names if n.startswith("tests/cli/") and os.path.basename(n).split(".")[0] in ("stdout", "stderr") and words.refer(text(n)) != text(n)])


def mutants_are_told(names):
    """tests/mutants.suites names suites there are; each row of tests/mutants.reasons fits a change of a file there is."""
    suites = {line.split()[1] for line in text("tests/suites").split("\n") if line and not line.startswith("#")}
    suites |= {n[len("tests/"):-2] for n in names if re.match(r"tests/(unit/\w+|fault|fuzz)/\w+\.c$", n)}
    sources = [n for n in names if re.match(r"(lib|formats)/.*\.c$", n)]
    gone = []
    for files, of in mutants.rows("mutants.suites"):
        gone += ["%s: %s" % (files, s) for s in of.split() if s not in suites] + ([] if any(re.fullmatch(files, n) for n in sources) else [files])
    fault("tests/mutants.suites has files and suites there are", gone)
    idle = []
    for files, pattern, _ in mutants.rows("mutants.reasons"):
        of = [n for n in sources if re.fullmatch(files, n)]
        if not any(re.search(pattern, mutants.shown(m)) for n in of for m in mutants.changes(n, text(n), True)):
            idle.append("%s: %s" % (files, pattern))
    fault("every reason in tests/mutants.reasons fits a change", idle)


def public_ci(names):
    makefile = text("Makefile")
    for n in names:
        if n.startswith(".github/workflows/"):
            goals = sum((line.split() for line in re.findall(r"run: make ((?:[a-z0-9-]+ ?)+)", text(n))), [])
            fault(n + " runs make", not goals and "it does not")
            fault(n + " runs goals there are", [g for g in goals if not re.search(r"^(\.PHONY:.* )?%s\b" % g, makefile, re.M)])
            fault(n + " has few rights", "\npermissions:\n  contents: read\n" not in text(n) and "no permissions: contents: read")


def links(names):
    """What texts at the top and below .github link to is there, headings included."""
    for n in names:
        if not n.endswith(".md") or not (os.path.dirname(n) in ("", ".github", "formats")):
            continue
        dead = []
        for target in re.findall(r"\]\(([^)\s]+)\)|(?:src|href)=\"([^\"]+)\"", text(n)):
            target = target[0] or target[1]
            if re.match(r"[a-z]+:", target):
                continue
            path, _, heading = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(n), path)) if path else n
            if not os.path.exists(os.path.join(TOP, path)):
                dead.append("%s is not there" % target)
            elif heading:
                heads = [re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.*)$", text(path), re.M)]
                if heading not in heads:
                    dead.append("%s has no such heading" % target)
        fault("links of " + n, dead)


def formats_written_are_told():
    """README, ARCHITECTURE.md and the manual name what the registry has: all suffixes of all formats, and none besides."""
    r = subprocess.run([TRACETOOL, "list", "emitters", "--format", "json"], capture_output=True, text=True)
    suffixes = {row["name"]: (row["suffix"] or "").split() for row in json.loads(r.stdout)["tables"]["emitters"]["rows"]}
    said = re.search(r"^Written are (.*?)\n(?=Inputs)", text("README.md"), re.M | re.S).group(1)
    fault("README names the first suffix of each format that is written, and no other",
          {s[0] for s in suffixes.values() if s} ^ set(re.findall(r"`(\.[\w.-]+)`", said)))
    page = text("man/tracetool-formats.7")
    sections = {m.group(1): m.group(2) for m in re.finditer(r"^\.Ss ([\w-]+): .*\n((?:(?!^\.S[sh] ).*\n)*)", page, re.M)}
    fault("tracetool-formats(7) has a section for each", set(suffixes) - set(sections))
    for name, have in suffixes.items():
        first = re.match(r"\.Pa (\..*)", sections.get(name, ""))
        fault("tracetool-formats(7) has the suffixes of " + name,
              have != [s for s in (first.group(1).replace(",", " ").split() if first else []) if not s.endswith(".gz")] and (have, first and first.group(0)))


def pictures():
    """The frame chart of README is what the program says today; pictures are small."""
    folder = os.path.join(TOP, ".github", "pictures")
    fault("pictures have at most 100 KB", [n for n in os.listdir(folder) if os.path.getsize(os.path.join(folder, n)) > 100 << 10])
    r = subprocess.run([os.path.join(folder, "frames.py"), TRACETOOL, os.path.join(TOP, "testdata", "demo", "good-hitches.ttc.xz")],
                       capture_output=True, text=True)
    fault("frames.svg is up to date", r.stderr or (r.stdout != text(".github/pictures/frames.svg") and "run .github/pictures/frames.py"))


def digest(path):
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def release(names, version):
    """Made in two folders, one with blanks in its name, from a copy of the tree as it is now, and built from."""
    with tempfile.TemporaryDirectory() as work:
        copies = [os.path.join(work, *names) for names in (("copy",), ("elsewhere", "of another", "length, with blanks"))]
        tar = subprocess.run(["tar", "-c", "-C", TOP, "-T", "-"], input="\n".join(names).encode(), capture_output=True, check=True)
        env = environment()
        env.update({"GIT_%s_%s" % (w, k): v for w in ("AUTHOR", "COMMITTER")
                    for k, v in (("NAME", "test"), ("EMAIL", "test@example.org"), ("DATE", "2026-01-02T03:04:05Z"))})
        env.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null")
        sums, built = [], []
        for copy in copies:
            os.makedirs(copy)
            subprocess.run(["tar", "-x", "-C", copy], input=tar.stdout, check=True)
            for command in (["git", "init", "-q"], ["git", "add", "-A"], ["git", "commit", "-q", "-m", "all"]):
                subprocess.run(command, cwd=copy, env=env, check=True)
            r = subprocess.run(["make", "-s", "OPT=-O1 -g", "release"], cwd=copy, env=env, capture_output=True, text=True)
            if r.returncode:
                fault("make release", r.stderr[-2000:])
                return
            made = os.path.join(copy, "build", "release")
            sums.append({n: digest(os.path.join(made, n)) for n in sorted(os.listdir(made))})
            # Before strip: with what debuggers are told of folders.
            build = os.path.join(copy, "build")
            built.append({n: digest(os.path.join(build, n)) for n in os.listdir(build) if n == "tracetool" or n.endswith(".so")})
        fault("releases of two folders are the same bytes", sums[0] != sums[1] and sums)
        fault("so is what they were made of, debug information and all", (built[0] != built[1] or len(built[0]) < 2) and built)
        listed = dict(reversed(line.split()) for line in open(os.path.join(made, "SHA256SUMS")))
        fault("SHA256SUMS has every archive", listed != {n: s for n, s in sums[1].items() if n != "SHA256SUMS"} and listed)
        name = "tracetool-%s" % version
        fault("archives have the version", [n for n in listed if not n.startswith(name)] or (len(listed) != 2 and listed))
        for n in listed:
            with tarfile.open(os.path.join(made, n)) as t:
                members = t.getmembers()
                fault(n + ": nobody owns it", [m.name for m in members if m.uid or m.gid])
                fault(n + ": below one folder", [m.name for m in members if m.name.split("/")[0] != n[:-len(".tar.gz")]])
                fault(n + ": has manual pages", not [m for m in members if m.name.endswith("tracetool-stats.1")] and "none")
                t.extractall(work, filter="tar") if hasattr(tarfile, "tar_filter") else t.extractall(work)
        prebuilt = [n[:-len(".tar.gz")] for n in listed if n != name + ".tar.gz"]
        r = subprocess.run([os.path.join(work, prebuilt[0], "bin", "tracetool"), "--version"], capture_output=True, text=True)
        fault("what is in the archive runs", r.stdout != "tracetool %s\n" % version and (r.stdout, r.stderr))
        r = subprocess.run(["make", "-s", "-j2", "OPT=-O0", "build/tracetool"], cwd=os.path.join(work, name), env=env,
                           capture_output=True, text=True)
        fault("the sources build", r.returncode and r.stderr[-2000:])
        r = subprocess.run(["build/tracetool", "stats", "testdata/demo/good-hitches.ttc.xz", "--table", "hitches"],
                           cwd=os.path.join(work, name), capture_output=True, text=True)
        fault("what they build runs", (r.returncode or "Worst frames" not in r.stdout) and (r.stdout, r.stderr))


def main():
    names = files()
    if sys.argv[1:] == ["release"]:
        release(names, re.search(r'TT_VERSION "(.*)"', text("cmd/version.h")).group(1))
    else:
        bill_of_materials(version_is_in_one_place(names))
        columns(names)
        comments_are_plain(names)
        names_are_plain(names)
        reasons_are_true(names)
        mutants_are_told(names)
        the_library_names_no_option(names)
        functions_are_simple(names)
        structs_are_small(names)
        unit_tests_are_where_their_module_is(names)
        sentences_stand_once(names)
        public_ci(names)
        links(names)
        formats_written_are_told()
        pictures()
    end()


main()
