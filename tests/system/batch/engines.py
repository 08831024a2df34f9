#!/usr/bin/env python3
"""The files for Kubernetes, GitHub, GitLab and GNU parallel do what they say: their commands are run as each engine would, with the
variables that it sets, and the merged results are those of one run, byte for byte; and the services' own schemas and parsers take them.
Slurm has a suite of its own.

Ends with "N passed, N failed".
"""
import os
import re
import shlex
import shutil
import subprocess

import yaml

import kit
import jobfiles
from kit import run

SHARE = os.path.join(kit.TOP, "cmd", "share")


def text(*name):
    return open(os.path.join(SHARE, *name)).read()


def clean():
    """Where no engine says which shard this is."""
    names = ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "CI_NODE_INDEX", "CI_NODE_TOTAL", "TRACETOOL_SHARDS")
    env = {k: v for k, v in os.environ.items() if k not in names}
    env["PATH"] = os.path.dirname(kit.TRACETOOL) + ":" + env["PATH"]
    return env


def sh(command, cwd, **more):
    return subprocess.run(["bash", "-c", command], cwd=cwd, env={**clean(), **{k: str(v) for k, v in more.items()}}, capture_output=True, text=True)


def whole(s, what, r, results, one):
    s.equal(what + ": the merge ends well", (r.returncode, "" if r.returncode == 0 else r.stderr), (0, ""))
    s.check(what + ": as one run, byte for byte",
            not os.path.exists(results) or open(results, "rb").read() != open(os.path.join(one, "results.jsonl"), "rb").read())


def kubernetes(s, src, one):
    """Pods of the Indexed Job, in any order, beside a merge that is tried again as long as it ends with 4."""
    jobs = {d["metadata"]["name"]: d["spec"] for d in yaml.safe_load_all(text("kubernetes", "tracetool.yaml"))}
    shards, merge = jobs["tracetool-shards"], jobs["tracetool-merge"]
    where = {"/captures": src, "/results": s.path("k8s results"), "/scratch": s.path("k8s scratch")}
    for d in ("/results", "/scratch"):
        os.mkdir(where[d])

    def command(spec):
        box = spec["template"]["spec"]["containers"][0]
        s.check("kubernetes: mounts are where they are used", {m["mountPath"] for m in box["volumeMounts"]} - set(where))
        volumes = {v["name"] for v in spec["template"]["spec"]["volumes"]}
        s.equal("kubernetes: mounts have volumes", {m["name"] for m in box["volumeMounts"]} - volumes, set())
        words = []
        for w in box["command"] + box["args"]:
            top = re.match(r"/\w+", w)
            words.append(where[top[0]] + w[len(top[0]):] if top and top[0] in where else w)
        return [kit.TRACETOOL, *words[1:]], {e["name"]: e["value"] for e in box.get("env", [])}
    run_shard, env = command(shards)
    run_merge, _ = command(merge)
    s.equal("kubernetes: as many shards as completions", (env["TRACETOOL_SHARDS"], shards["completionMode"]), (str(shards["completions"]), "Indexed"))
    final = merge["podFailurePolicy"]["rules"][1]["onExitCodes"]["values"]
    for i in reversed(range(shards["completions"])):
        r = subprocess.run(run_merge, env=clean(), capture_output=True, text=True)
        s.equal("kubernetes: a merge before pod %d is tried again" % i, (r.returncode, r.returncode in final), (4, False))
        r = subprocess.run(run_shard, env={**clean(), **env, "JOB_COMPLETION_INDEX": str(i)}, capture_output=True, text=True)
        s.equal("kubernetes: pod %d" % i, r.returncode, 0)
    r = subprocess.run(run_merge, env=clean(), capture_output=True, text=True)
    whole(s, "kubernetes", r, os.path.join(where["/results"], "results.jsonl"), one)


def github(s, src, one):
    jobs = yaml.safe_load(text("github", "tracetool.yml"))["jobs"]
    total = len(jobs["shards"]["strategy"]["matrix"]["shard"])
    step = next(x["run"] for x in jobs["shards"]["steps"] if "run" in x)
    for i in range(total):
        here = s.path("github %d" % i)
        os.mkdir(here)
        os.symlink(src, os.path.join(here, "captures"))
        line = step.replace("${{ strategy.job-index }}", str(i)).replace("${{ strategy.job-total }}", str(total))
        s.equal("github: shard %d" % i, (sh(line, here).returncode, "${{" in line), (0, False))
        shutil.copytree(os.path.join(here, "results"), s.path("github", "results"), dirs_exist_ok=True)     # as merge-multiple does
    r = sh(next(x["run"] for x in jobs["merge"]["steps"] if "run" in x), s.path("github"))
    whole(s, "github", r, s.path("github", "results", "results.jsonl"), one)
    s.check("github: has the page that it uploads", not os.path.exists(s.path("github", "night.html")))


def gitlab(s, src, one):
    jobs = yaml.safe_load(text("gitlab", "tracetool.yml"))
    total, here = jobs["captures"]["parallel"], s.path("gitlab")
    os.mkdir(here)
    for i in range(1, total + 1):
        r = sh(jobs["captures"]["script"][0], here, CAPTURES=src, CI_NODE_INDEX=i, CI_NODE_TOTAL=total)
        s.equal("gitlab: job %d" % i, r.returncode, 0)
    whole(s, "gitlab", sh(jobs["merge captures"]["script"][0], here), os.path.join(here, "results", "results.jsonl"), one)


def parallel(s, src, one):
    command = os.path.join(SHARE, "parallel", "tracetool-parallel")
    s.equal("parallel: says how it is used", (sh(shlex.quote(command), s.dir).returncode), 2)
    r = sh(shlex.join([command, "2", s.path("none"), "-"]), s.dir)
    s.equal("parallel: no names on standard input", (r.returncode, "standard input" in r.stderr), (2, True))
    if not shutil.which("parallel"):
        return s.left_out("GNU parallel", "not installed")
    out = s.path("of {} parallel's")
    db = [s.path("of all shards.sqlite"), s.path("of one run.sqlite")]
    r = sh(shlex.join([command, "7", out, "--meta", "place=a b", "--to-db", db[0], src]), s.dir)
    run("batch", "-q", "-o", s.path("one-meta"), "--meta", "place=a b", "--to-db", db[1], src)
    whole(s, "parallel", r, os.path.join(out, "results.jsonl"), s.path("one-meta"))
    # The next night no shard runs: what the night before left is not taken for its results, and the run after goes on from there.
    again = shlex.join([command, "7", out, "--meta", "place=a b", "--to-db", db[0], src])
    r = sh(again, s.dir, PARALLEL="--dry-run")
    s.equal("parallel: results of the night before are not this night's", (r.returncode, "shard 1 of 7 has not ended" in r.stderr), (4, True))
    whole(s, "parallel, again", sh(again, s.dir), os.path.join(out, "results.jsonl"), s.path("one-meta"))
    s.check("parallel: the database is of all shards", open(db[0], "rb").read() != open(db[1], "rb").read())


def accepted(s):
    """The files as their services read them; a field that is misspelled is found."""
    where = [os.path.join(SHARE, *name) for name in (("kubernetes", "tracetool.yaml"), ("github", "tracetool.yml"))]
    s.check("Kubernetes' schemas take the file", jobfiles.kubernetes(where[0]))
    s.check("GitHub's parser takes the file", jobfiles.github(where[1]))
    s.check("GitLab's schema takes the file", jobfiles.gitlab(yaml.safe_load(text("gitlab", "tracetool.yml"))))
    bad = s.path("bad.yaml")
    for old, new in (("backoffLimit: 60", "backofLimit: 60"), ("runAsNonRoot", "runAsNotRoot"), ("memory: 3Gi", "memory: 3Gib"),
                     ("completions: 20", 'completions: "20"')):
        content = text("kubernetes", "tracetool.yaml")
        open(bad, "w").write(content.replace(old, new))
        s.check("Kubernetes' schemas refuse " + new, old not in content or not jobfiles.kubernetes(bad))


def main():
    s = kit.Suite()
    src, one = s.path("captures of a night"), s.path("one")
    os.mkdir(src)
    for name, content in kit.captures(21, 30).items():
        open(os.path.join(src, name), "wb").write(content)
    run("batch", "-q", "-o", one, src)
    for engine in (kubernetes, github, gitlab, parallel):
        engine(s, src, one)
    accepted(s)
    s.end()


main()
