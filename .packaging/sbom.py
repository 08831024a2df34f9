#!/usr/bin/env python3
"""
sbom.py VERSION LIBRARY...: print the bill of materials of a release, as CycloneDX 1.5 has it: tracetool, the code of others that is in its sources,
and the libraries that it is linked with.

Code of others is listed in vendored.json beside this file, one object each: name, version, licenses (names of SPDX's), purl, and files,
by their paths. Digests are those of the files as they are now. A file in a folder called "vendor" that nobody lists is an error, and so is
a listed one that is missing. The same sources make the same bytes.
"""
import hashlib
import json
import os
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# Licences of what the Makefile links. Which version that is, the system says.
LICENSES = {"libarchive": "BSD-2-Clause", "jansson": "MIT", "zlib": "Zlib", "sqlite3": "blessing"}


def vendored():
    listed = json.load(open(os.path.join(TOP, ".packaging", "vendored.json")))
    known = {f for c in listed for f in c["files"]}
    for folder, folders, names in os.walk(TOP):
        folders[:] = sorted(d for d in folders if d not in ("build", "node_modules", ".git"))
        if "vendor" in os.path.relpath(folder, TOP).split(os.sep):
            for name in names:
                path = os.path.relpath(os.path.join(folder, name), TOP)
                if path not in known:
                    raise SystemExit("sbom.py: %s is in no entry of .packaging/vendored.json" % path)
    return listed


def component(c):
    def digest(path):
        return hashlib.sha256(open(os.path.join(TOP, path), "rb").read()).hexdigest()
    return {
        "type": "library", "bom-ref": c["purl"], "name": c["name"], "version": c["version"], "purl": c["purl"],
        "licenses": [{"license": {"id": i}} for i in c["licenses"]],
        "components": [{"type": "file", "name": f, "hashes": [{"alg": "SHA-256", "content": digest(f)}]} for f in sorted(c["files"])],
    }


def main():
    version = sys.argv[1]
    inside = [component(c) for c in vendored()]
    linked = [{"type": "library", "bom-ref": n, "name": n, "licenses": [{"license": {"id": LICENSES[n]}}], "scope": "required",
               "description": "linked, not contained: the system's own"} for n in sys.argv[2:]]
    own = "tracetool-" + version
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": own, "name": "tracetool", "version": version,
                                   "licenses": [{"license": {"id": "MIT"}}]}},
        "components": inside + linked,
        "dependencies": [{"ref": own, "dependsOn": [c["bom-ref"] for c in inside + linked]}],
    }
    json.dump(bom, sys.stdout, indent=1)
    print()


main()
