"""How many instructions a program takes, which does not depend on load: by perf where the machine counts them, else in qemu, else by valgrind."""
import os
import re
import subprocess
import tempfile

BUILD = os.environ.get("BUILD", "build")


# What to put before a command so that it is counted into the file ${out}.
def perf(out):
    return ["perf", "stat", "-o", out, "-x,", "-e", "instructions:u"]


def qemu(out):
    # A processor without vectors wider than 16 bytes: emulating those takes three times as long.
    return ["qemu-x86_64", "-cpu", "qemu64", "-plugin", "%s,out=%s" % (os.path.join(BUILD, "fault", "instructions.so"), out)]


def valgrind(out):
    return ["valgrind", "--log-file=" + out, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


def count(counter, command, **env):
    """How many ${command} takes in all of its processes, how it ends, and what it says."""
    with tempfile.NamedTemporaryFile("r") as out:
        p = subprocess.run([*counter(out.name), *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                           env=dict(os.environ, **env), timeout=3000)
        found = re.findall(r"^(\d+),.*instructions:u|I +refs: +([\d,]+)|^instructions (\d+)$", out.read(), re.M)
        return sum(int("".join(f).replace(",", "")) for f in found), p.returncode, p.stderr


def works(counter, command):
    try:
        return count(counter, command, TRACETOOL_SANDBOX="off")[0] > 0
    except FileNotFoundError:
        return False


def fastest(command):
    """The fastest counter that counts ${command} here: not each does what sanitizers do."""
    return next(c for c in (perf, qemu, valgrind) if works(c, command))
