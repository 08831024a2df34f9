#!/usr/bin/env python3
"""Two domains of a real program: what each allocates (stats --group-by domain).

    domains.py TRACETOOL

The program makes 300 arrays in a second domain and 500 in its own; there are few others of that size.
Prints `N passed, N failed`; exit status 1 if any failed.
"""
import json
import os
import subprocess
import sys
import tempfile

SOURCE = """
using System;
public class Work : MarshalByRefObject {
	public byte[] Keep;
	public void Go(int n) { for (int i = 0; i < n; i++) Keep = new byte[4321]; }
}
public class Program {
	public static void Main() {
		var second = AppDomain.CreateDomain("second");
		var work = (Work)second.CreateInstanceAndUnwrap(typeof(Work).Assembly.FullName, "Work");
		work.Go(300);
		new Work().Go(500);
	}
}
"""


def rows(path, table, *more):
    out = subprocess.run([sys.argv[1], "stats", "-q", "--format", "json", "--table", table, *more, path], capture_output=True,
                         check=True, timeout=60).stdout
    return json.loads(out)["tables"][table]["rows"]


def main():
    bad = []
    with tempfile.TemporaryDirectory() as temp:
        source, program, path = (os.path.join(temp, n) for n in ("domains.cs", "domains.exe", "domains.mlpd"))
        with open(source, "w") as f:
            f.write(SOURCE)
        subprocess.run(["mcs", "-out:" + program, source], check=True, timeout=120)
        subprocess.run(["mono", "--profile=log:nodefaults,alloc,output=" + path, program], check=True, timeout=120)
        large = [r for r in rows(path, "objects_found", "--find", "S:4300") if r["class"] == "System.Byte[]" and 4340 <= r["bytes"] <= 4368]
        if len(large) != 800:
            bad.append("%d arrays of the program's size, not 800" % len(large))
        every = {r["class"]: r for r in rows(path, "alloc_classes", "--group-by", "domain")}
        arrays = {r["class"]: r for r in rows(path, "alloc_classes", "--group-by", "domain", "--marker", "System.Byte[[]]")}
        if set(every) != {"domains.exe", "second"}:
            bad.append("the domains are %s" % sorted(every))
        elif not (300 * 4321 <= arrays["second"]["bytes"] < 500 * 4321 <= arrays["domains.exe"]["bytes"] < 700 * 4321):
            bad.append("arrays: %s" % arrays)
        if sum(r["bytes"] for r in every.values()) != sum(r["bytes"] for r in rows(path, "alloc_classes")):
            bad.append("the domains do not add up to all allocations")
        if sum(r["bytes"] for r in rows(path, "alloc_sites", "--group-by", "domain")) != sum(r["bytes"] for r in every.values()):
            bad.append("sites by domain differ from classes by domain")
    for b in bad:
        print(b)
    print("%d passed, %d failed" % (4 - len(bad), len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
