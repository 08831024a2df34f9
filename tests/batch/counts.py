#!/usr/bin/env python3
"""What a batch counts, and what it says of what it cannot count. Ends with "N passed, N failed"."""
import json
import os

import kit
from kit import run

JUNK = b"\1" * 100


def folder(s, name, files):
    """A folder of ${files} {name: bytes}."""
    path = s.path(name)
    for f, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(path, f)), exist_ok=True)
        open(os.path.join(path, f), "wb").write(data)
    return path


def tables(r):
    return json.loads(r.out)["tables"]


def outcomes(r):
    return {(row["type"], row["outcome"], row["why"] or ""): row["count"] for row in tables(r)["batch_outcomes"]["rows"]}


def gives_up(s):
    """--max-failures N gives up because of members that cannot be read, as soon as there are too many, and counts them at the end."""
    good = sorted(kit.captures(3, 3).items())
    src = folder(s, "lost", {"%d.tar" % i: kit.tar(good + [("%d.ttc" % k, JUNK) for k in range(30)]) for i in range(20)})
    for n in (0, 1, 7, 25):               # 25: more than the lines of one archive
        r = run("batch", "-j", "1", "-o", s.path("lost-out"), "--max-failures", n, src)
        have = sum(t["type"] == "archive" for t in kit.results(s.path("lost-out", "results.part")))
        s.equal("--max-failures %d: gives up in the first archive" % n, (r.returncode, have, "given up" in r.err, r.out), (1, 0, True, b""))
    s.check("--max-failures: says that --resume goes on", None if "--resume" in r.err else r.err)
    r = run("batch", "-j", "1", "-o", s.path("lost-out"), "--max-failures", 31, src)
    s.equal("--max-failures 31: gives up in the second one", r.returncode, 1)
    for limit, want in (("620", 0), ("619", 1), ("91%", 1), ("92%", 0)):           # 20 * (1 + 30) of 20 * (1 + 3 + 30): 91.2 %
        r = run("batch", "--max-failures", limit, src)
        s.equal("--max-failures %s" % limit, r.returncode, want)
    r = run("batch", "--format", "json", src)
    s.equal("lost members are outcomes", outcomes(r), {("archive", "damaged", "damaged"): 20, ("member", "failed", "damaged"): 600, ("capture", "ok", ""): 60})
    s.check("lost members are said at the end", None if "20 archives damaged or failed, 600 members not read" in r.err else r.err)
    for i in (1, 2, 3):
        run("batch", "-q", "-o", s.path("lost-shards"), "--shard", "%d/3" % i, src)
    m = run("merge", "--format", "json", "--max-failures", "619", s.path("lost-shards"))
    s.equal("merge counts them as well", (m.returncode, m.out == r.out), (1, True))


def main():
    s = kit.Suite()
    for part in [gives_up]:
        part(s)
    s.end()


main()
