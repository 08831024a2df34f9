#!/usr/bin/env python3
"""
columns NAME...: of tables in CSV on standard input, print the columns of these names, so that a new column changes no expected output. A
line of at least three names with commas between begins a table, and rows with as many fields are its own; all other lines stay as they are.
"""
import csv
import io
import re
import signal
import sys

signal.signal(signal.SIGPIPE, signal.SIG_DFL)      # who reads may have seen enough
wanted = sys.argv[1:]
keep = width = None
for line in sys.stdin:
    fields = next(csv.reader([line.rstrip("\n")]), [])
    if re.fullmatch(r"[a-z_0-9]+(,[a-z_0-9]+){2,}\n", line) and set(fields) & set(wanted):
        keep, width = [i for i, name in enumerate(fields) if name in wanted], len(fields)
    elif len(fields) != width:
        keep = width = None
    if keep is not None:
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerow([fields[i] for i in keep])
        line = out.getvalue()
    sys.stdout.write(line)
