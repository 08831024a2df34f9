"""How suites count: each check holds, or is told with what is wrong; the last line is `N passed, N failed`."""
import sys

passed = failed = 0


def fault(what, problem):
    """${problem}: what is wrong, if anything is."""
    global passed, failed
    if problem:
        failed += 1
        print("%s: %s" % (what, problem))
    else:
        passed += 1


def check(what, have, want):
    """They must be equal; of dictionaries the first places where they are not are told."""
    wrong = "%s, not %s" % (have, want)
    if isinstance(have, dict) and isinstance(want, dict):
        keys = [k for k in sorted(set(have) | set(want), key=str) if have.get(k) != want.get(k)]
        wrong = "; ".join("%s: %s, not %s" % (k, have.get(k), want.get(k)) for k in keys[:3]) or "a key has no value"
    fault(what, None if have == want else wrong)


def end():
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed > 0 or passed == 0)
