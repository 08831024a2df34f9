"""How suites in Python count: a check holds, or is printed with what was seen; the last line is "N passed, N failed"."""
import sys

passed = failed = 0
SHOWN = 30            # failures printed whole; the others are counted


def check(ok, what, *seen):
    """Count ${what}, which holds if ${ok}; otherwise print it with what was ${seen} instead. Returns whether it holds."""
    global passed, failed
    passed, failed = passed + bool(ok), failed + (not ok)
    if not ok and failed <= SHOWN:
        print("FAILED: " + what)
        for s in seen:
            print("    " + str(s)[:2000])
    return bool(ok)


def fault(what, problems):
    """Count ${what}, which holds if ${problems} (a text, a list of texts, or None) are none."""
    return check(not problems, what, *(problems if isinstance(problems, list) else [problems]))


def same(what, have, want):
    """Count ${what}, which holds if ${have} equals ${want}; of dictionaries the first keys that differ are printed."""
    if have == want:
        return check(True, what)
    seen = ["%r, not %r" % (have, want)]
    if isinstance(have, dict) and isinstance(want, dict):
        keys = [k for k in sorted(set(have) | set(want), key=str) if have.get(k) != want.get(k)]
        seen = ["%s: %r, not %r" % (k, have.get(k), want.get(k)) for k in keys[:6]] or ["a key has no value"]
    return check(False, what, *seen)


def add(held, broken):
    """Count the checks of a program that this suite ran, and that printed its own."""
    global passed, failed
    passed, failed = passed + held, failed + broken


def left_out(what, why):
    print("left out: %s: %s" % (what, why))       # tests/run.sh shows it


def end():
    """Print the sum and end the program; a suite that checked nothing has failed."""
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)
