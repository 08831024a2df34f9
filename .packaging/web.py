#!/usr/bin/env python3
"""web.py SOURCES BUILD EXAMPLE OUT: make the page that reads captures, one file, of SOURCES (page.html and what goes into it), BUILD (the glue and the program
that emscripten made, the hashes of what reports have in them, built.c, and a runner for Node) and a capture to show."""
import base64
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys

sources, build, example, out = sys.argv[1:]


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def packed(path):
    with open(path, "rb") as f:
        return base64.b64encode(gzip.compress(f.read(), 9, mtime=0)).decode()


def sign(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


# What can be saved: each of the program's emitters by its first suffix.
said = subprocess.run(["node", os.path.join(build, "node", "node.js"), "list", "emitters", "--format", "json"], capture_output=True, check=True).stdout
formats = [["report", ".html", "the report"]]
for row in json.loads(said)["tables"]["emitters"]["rows"]:
    if (row["suffix"] or "").startswith("."):
        formats.append([row["name"], row["suffix"].split()[0], "%s: %s" % (row["name"], row["summary"])])

style = read(sources, "page.css")
script = read(sources, "page.js").replace("@FORMATS@", json.dumps(formats))
runner = read(build, "tracetool.js") + "\n" + read(sources, "runner.js")
assert "</script" not in runner and "<!--" not in runner and "@FORMATS@" not in script

# A report is shown in a frame, which has this page's policy beside its own.
hashes = dict(re.findall(r'tt_built_(\w+)_sha256\[\] = "([^"]+)"', read(build, "built.c")))
scripts = ["'sha256-%s'" % h for name, h in sorted(hashes.items()) if name.endswith("_js")]
styles = ["'sha256-%s'" % h for name, h in sorted(hashes.items()) if name.endswith("_css")]
policy = "default-src 'none'; script-src 'wasm-unsafe-eval' %s %s; style-src %s %s; worker-src blob:; img-src data:; base-uri 'none'; form-action 'none'" % (
    sign(script), " ".join(scripts), sign(style), " ".join(styles))

page = read(sources, "page.html")
for name, text in (("POLICY", policy), ("STYLE", style), ("WASM", packed(os.path.join(build, "tracetool.wasm"))),
                   ("EXAMPLE_NAME", os.path.basename(example)), ("EXAMPLE", packed(example)), ("RUNNER", runner), ("SCRIPT", script)):
    page = page.replace("@%s@" % name, text, 1)
with open(out + ".part", "w", encoding="utf-8") as f:
    f.write(page)
os.replace(out + ".part", out)
