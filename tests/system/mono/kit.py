"""What the tests of the Mono module share: compiling the programs here, running them on the installed runtime."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "kit"))
import count
from count import check
from suite import BUILD, LONG, TOP, TRACETOOL, forget_rings, ring_of

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(os.environ.get("TMPDIR", "/tmp"), "mono-%d" % os.getpid())
ENV = dict(os.environ, LD_LIBRARY_PATH=BUILD)

# What a program needs besides its own file.
more = {"Control": [os.path.join(TOP, "formats", "recorder", "mono", "package", "Tracetool.cs")]}
more["Pause"] = more["Raised"] = more["Hitches"] = more["Arcade"] = more["Control"]


def compile(*names):
    """Compile programs of this folder; all of them without a name. Into BUILD/mono, only what is new."""
    os.makedirs(os.path.join(BUILD, "mono"), exist_ok=True)
    os.makedirs(FOLDER, exist_ok=True)
    for name in names or sorted(n[:-3] for n in os.listdir(HERE) if n.endswith(".cs")):
        source, exe = os.path.join(HERE, name + ".cs"), program(name)
        if not os.path.exists(exe) or os.path.getmtime(exe) < os.path.getmtime(source):
            # The assembly is called as the file it is first written to.
            fresh = os.path.join(FOLDER, name + ".exe")
            subprocess.run(["mcs", "-debug", "-unsafe", "-nowarn:0168,0169,0219,0414,0649", "-r:System.Core.dll",
                            "-out:" + fresh, source] + more.get(name, []), check=True, stdout=subprocess.DEVNULL)
            # Suites run side by side, and what lies under its name is whole: TMPDIR may be on another disk, where to move is to copy.
            for end in (".mdb", ""):
                own = "%s.%d%s" % (exe, os.getpid(), end)
                shutil.move(fresh + end, own)
                os.replace(own, exe + end)


def program(name):
    return os.path.join(BUILD, "mono", name + ".exe")


def capture(name):
    """A path for a capture that is not there yet."""
    path = os.path.join(FOLDER, name)
    if os.path.exists(path):
        os.unlink(path)
    return path


def mono(options, name, *args, more=(), env=None, **kw):
    """Run a program under the module with ${options}; the finished process."""
    argv = ["mono"] + ["--profile=tracetool:%s" % options] * (options is not None) + list(more) + [program(name)] + list(args)
    kw.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run(argv, cwd=FOLDER, env=dict(ENV, **(env or {})), capture_output=True, text=True, errors="replace",
                          timeout=300, **kw)


def stats(path, tables, *options):
    """Tables of a capture, all rows, by name: {table: [{column: value}]}."""
    run = subprocess.run([TRACETOOL, "stats", path, "--table", tables, "--limit", "0", "--names", "full", "--wrappers",
                          "--format", "json"] + list(options), capture_output=True, text=True, errors="surrogateescape")
    if run.returncode != 0:
        raise RuntimeError("tracetool stats %s: %d, %s" % (path, run.returncode, run.stderr))
    found = json.loads(run.stdout)["tables"]
    return {name: t["rows"] for name, t in found.items()}


def counts(rows, key, *values):
    """{row[key]: the values}, added up where a name comes twice."""
    found = {}
    for row in rows:
        new = [row[v] for v in values]
        found[row[key]] = [a + b for a, b in zip(found[row[key]], new)] if row[key] in found else new
    return found


def check_equal(a, b, what):
    """Equal dictionaries, or the first differences."""
    count.same(what, a, b)


def end():
    forget_rings(FOLDER)
    subprocess.run(["rm", "-rf", FOLDER])
    count.end()
