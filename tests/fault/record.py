#!/usr/bin/env python3
"""The Nth allocation of `tracetool record` fails, and all after it, too: either the program is not started, which is told with
exit status 4, or it runs as ever, ends with its own status, and its capture is whole.

With the real runtime. In check-all every N; in check the first few and then about every fifth. Ends with "N passed, N failed".
"""
import csv
import io
import os
import subprocess

import kit

PROGRAM = os.path.join(kit.BUILD, "tracetool-oom")
SOURCE = """class H {
	[System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
	static int Step(int i) { return i + 1; }
	static int Main() { int n = 0; while (n < 1000) n = Step(n); System.Console.WriteLine(n); return 7; }
}"""


def problem(r, work):
    out = os.path.join(work, "out.ttc")
    if r.out == b"":
        if r.returncode != 4 or "memory" not in r.err:
            return "not started, exit %d: %s" % (r.returncode, r.err)
        return "a capture of nothing" if os.path.exists(out) else None
    if (r.returncode, r.out) != (7, b"1000\n"):
        return "exit %d, %r: %s" % (r.returncode, r.out, r.err)
    s = kit.run([kit.TRACETOOL, "stats", "--format", "csv", "--table", "markers", out], work)
    calls = [row["count"] for row in csv.DictReader(io.StringIO(s.out.decode())) if row["marker"] == "H:Step"]
    if s.returncode != 0 or calls != ["1000"]:
        return "its capture: exit %d: %s %s" % (s.returncode, s.err, calls)
    return None


def main():
    s = kit.Suite()
    open(s.path("H.cs"), "w").write(SOURCE)
    subprocess.run(["mcs", "-out:" + s.path("H.exe"), s.path("H.cs")], check=True)
    told = s.path("told")
    for on in [{}, {"TT_FAIL_ON": "1"}]:
        n = 0
        while True:
            n += 1 if kit.LONG or n < 4 else 5
            with kit.Work(s, {}) as work:
                r = kit.run([PROGRAM, "record", "--no-summary", "-o", "out.ttc", "--", "mono", s.path("H.exe")], work.dir,
                            dict(on, TT_FAIL_AT=str(n), TT_FAIL_TOLD=told, LD_LIBRARY_PATH=kit.BUILD))
                s.check("allocation %d%s" % (n, " and on" if on else ""), problem(r, work.dir))
            if os.path.getsize(told) == 0:
                break
    s.end()


main()
