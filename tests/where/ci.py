#!/usr/bin/env python3
"""
The files and commands of tracetool-ci(7), as people copy them: valid for what reads them, and run job after job by an ordinary user with an
empty home folder. Captures are made by the real recorder, and only the baseline's place is carried from job to job. A first job makes the
baseline, later ones are held against it; a slower build fails and is not appended. Ends with "N passed, N failed".

Not the services themselves: what they do between the shell's steps (fetch a branch, keep an artifact, serve a package) is done here, as
their manuals have it. Jenkins's file has no reader here but this; its shell steps run.
"""
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

import yaml

import kit
import jobfiles

PAGE = os.path.join(kit.TOP, "man", "tracetool-ci.7")
WORKFLOW, GITLAB, JENKINS = ".github/workflows/performance.yml", ".gitlab-ci.yml", "Jenkinsfile"
AB = ".github/workflows/performance-ab.yml"
USUAL, SLOWER = "200", "1600"       # events of a frame
GIT = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_TERMINAL_PROMPT": "0", "TRACETOOL_SANDBOX": "require"}
PERSON = {"GIT_%s_%s" % (who, what): text for who in ("AUTHOR", "COMMITTER") for what, text in (("NAME", "a"), ("EMAIL", "a@example.org"))}


def page():
    """The page as a terminal shows it."""
    r = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=160", PAGE], capture_output=True, text=True, check=True)
    return re.sub(r".\x08", "", r.stdout)


def block(text, first):
    """The literal text that begins with the line that ${first} matches."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if re.match(r" +(%s)" % first, line))
    pad = len(lines[at]) - len(lines[at].lstrip())
    end = next(i for i in range(at, len(lines)) if lines[i].strip() and len(lines[i]) - len(lines[i].lstrip()) < pad)
    return "\n".join(line[pad:] for line in lines[at:end]).rstrip() + "\n"


def commands(text, heading):
    """Commands after a "$" in a section."""
    section = re.search(r"(?ms)^%s$(.*?)(?=^\w|\Z)" % heading, text).group(1)
    return re.findall(r"(?m)^ +\$ (.*)$", section)


class Job:
    """What became of a job: .status of its first step that failed, or 0; .out, all that was printed."""

    def __init__(self):
        self.status, self.out = 0, ""


class Service:
    """Where jobs run: a repository that others push to, and a runner's workspace."""

    def __init__(self, s, name, text, uid):
        self.s, self.name, self.place = s, name, kit.Place(s, uid)
        self.n = 0
        self.sh("git init -q --bare -b main origin.git && git clone -q origin.git dev 2>&1 && cd dev && git switch -q -c main", env=PERSON)
        self.file("build.sh", '#!/bin/sh\nsed "s/@EVENTS@/$(cat events)/" player > Game.x86_64\nchmod +x Game.x86_64\n')
        kit.player(s, self.place.path("work", "dev", "player"), "frames=120", "events=@EVENTS@")
        budget = json.loads(block(text, r'\{ "tracetool_budget"'))
        for row in budget["rows"]:
            if row["metric"].startswith("frame."):
                row["level"] = "warn"         # nobody says that this machine does nothing else
            else:
                row["max"] = "+5%"            # what it allocates is the same each time
        self.file("budget.json", json.dumps(budget))
        self.file("events", USUAL)
        self.file(".gitignore", "Game.x86_64\nruns/\n")
        self.file(name, block(text, r"(#|//) " + re.escape(name)))

    def file(self, name, data):
        self.place.file(os.path.join("work", "dev", name), data.encode())
        os.chmod(self.place.path("work", "dev", name), 0o755)

    def sh(self, command, at=".", env=None, shell=("bash", "-c")):
        r = self.place.run(["bash", "-c", 'cd "$0" && exec "$@"', at, *shell, command], dict(GIT, **(env or {})))
        self.s.check("%s: %s" % (self.name, command.split("\n")[0]), shell == ("bash", "-c") and r.returncode and r.err)
        return r

    def commit(self, events, game="build"):
        """What a developer pushes."""
        self.n += 1
        self.file("events", events)
        if game == "crash":
            self.file("player", "#!/bin/sh\nexit 139\n")
        else:
            kit.player(self.s, self.place.path("work", "dev", "player"), "frames=120", "events=@EVENTS@")
        self.sh("git add -A && git commit -q --allow-empty -m %d && git push -q origin HEAD:main HEAD:refs/pull/1/merge" % self.n, "dev", PERSON)

    def step(self, job, command, at, env, shell):
        """A step of the file: ${shell} runs it as the service does."""
        script = self.place.path("tmp", "step")
        with open(script, "w") as f:
            f.write(command)
        os.chmod(script, 0o644)
        r = self.sh(script, at, env, shell)
        job.status, job.out = r.returncode, job.out + r.out.decode() + r.err
        os.unlink(script)

    def workspace(self, again=False):
        """An empty workspace with the last commit."""
        if not again or not os.path.isdir(self.place.path("work", "ws")):
            self.sh("rm -rf ws && git clone -q origin.git ws")
        else:
            self.sh("git fetch -q && git reset -q --hard origin/main", "ws")

    def reports(self, names):
        for name in names:
            path = self.place.path("work", "ws", name)
            self.s.check("%s: there is %s" % (self.name, name), not (os.path.exists(path) and os.path.getsize(path)) and "no")

    def sessions(self):
        """How many sessions the stored baseline has."""
        data = self.stored()
        if data is None:
            return 0
        self.place.file("out/base.json", data)
        r = self.place.run([self.s.path("bin", "tracetool"), "baseline", "list", "--format", "json", self.place.path("out", "base.json")])
        return len(json.loads(r.out)["tables"]["baseline_sessions"]["rows"])


class GitHub(Service):
    CONDITIONS = {"github.event_name == 'pull_request'": "pull_request", "github.event_name != 'pull_request'": "push"}

    def __init__(self, s, text, uid):
        super().__init__(s, WORKFLOW, text, uid)
        self.commit(USUAL)
        self.jobs = yaml.safe_load(block(text, "# " + re.escape(WORKFLOW)))["jobs"]
        for command in commands(text, "GITHUB ACTIONS"):
            self.sh(command, "dev", PERSON)

    def stored(self):
        r = self.sh("git show performance-baseline:base.json", "origin.git", shell=("bash", "-ec", 'exec $0'))
        return r.out if r.returncode == 0 else None

    def run(self, event, accept="", before_last=None):
        job = Job()
        env = {"GITHUB_RUN_ID": str(100 + self.n), "GITHUB_RUN_ATTEMPT": "1", "GITHUB_SHA": "c0ffee", "GITHUB_STEP_SUMMARY":
               self.place.path("out", "summary.md")}
        [steps] = [j["steps"] for j in self.jobs.values() if self.CONDITIONS[j["if"]] == event]
        shell = [x for x in steps if "run" in x]
        for x in steps:
            if job.status and x.get("if") != "always()":
                continue
            if "run" in x:
                if x is shell[-1] and before_last:
                    before_last()
                own = {k: re.sub(r"\$\{\{ inputs.accept \}\}", accept, v) for k, v in x.get("env", {}).items()}
                self.step(job, x["run"], os.path.join("ws", x.get("working-directory", ".")), dict(env, **own), ("bash", "-e"))
            elif x["uses"] == "actions/checkout@v4" and "path" not in x.get("with", {}):
                self.workspace()
            elif x["uses"] == "actions/checkout@v4":
                self.sh("git clone -q -b %s ../origin.git %s" % (x["with"]["ref"], x["with"]["path"]), "ws")
            else:
                self.s.equal("a step is known", x["uses"], "actions/upload-artifact@v4")
                if job.status in (0, 1):
                    self.reports([x["with"]["path"]])
        return job


class GitHubAB(Service):
    """The file for both builds in turn; the runner keeps its workspace, as machines of one's own do."""

    def __init__(self, s, text, uid):
        super().__init__(s, AB, text, uid)
        self.jobs = yaml.safe_load(block(text, "# " + re.escape(AB)))["jobs"]
        self.sh("mkdir ws")

    def run(self):
        job, env = Job(), {"GITHUB_STEP_SUMMARY": self.place.path("out", "ab.md")}
        [steps] = [j["steps"] for j in self.jobs.values()]
        for x in steps:
            if job.status and x.get("if") != "always()":
                continue
            if "run" in x:
                self.step(job, x["run"], os.path.join("ws", x.get("working-directory", ".")), env, ("bash", "-e"))
            elif x["uses"] == "actions/checkout@v4":
                # It removes what is in its own folder, and nothing else.
                self.sh("rm -rf %(path)s && git init -q %(path)s && cd %(path)s && git fetch -q --depth=%(fetch-depth)d file://$(realpath ../../origin.git) "
                        "refs/pull/1/merge && git checkout -q FETCH_HEAD" % x["with"], "ws")
            else:
                self.s.equal("a step is known", x["uses"], "actions/upload-artifact@v4")
                self.reports([x["with"]["path"]])
        return job


class Registry(http.server.BaseHTTPRequestHandler):
    """A package registry of GitLab's: keeps what is put, gives the last, asks for the job's token."""
    packages, down = {}, False

    def answer(self, status, data=b""):
        self.send_response(500 if self.down else 401 if self.headers["JOB-TOKEN"] != "secret" else status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        data = self.packages.get(self.path)
        self.answer(404 if data is None else 200, data or b'{"message":"404 Package Not Found"}')

    def do_PUT(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.down:
            self.packages[self.path] = data
        self.answer(201)

    def log_message(self, *_):
        pass


class GitLab(Service):
    CONDITIONS = {'$CI_PIPELINE_SOURCE == "merge_request_event"': "pull_request", "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH": "push"}

    def __init__(self, s, text, uid):
        super().__init__(s, GITLAB, text, uid)
        self.file_ = yaml.safe_load(block(text, "# " + re.escape(GITLAB)))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stored(self):
        return next(iter(Registry.packages.values()), None)

    def run(self, event, accept=""):
        job = Job()
        [x] = [dict(self.file_[j["extends"]], **j) for j in self.file_.values() if "extends" in j and self.CONDITIONS[j["rules"][0]["if"]] == event]
        env = {"CI_API_V4_URL": "http://127.0.0.1:%d/api/v4" % self.server.server_address[1], "CI_PROJECT_ID": "7", "CI_JOB_TOKEN": "secret",
               "CI_JOB_ID": str(1000 + self.n), "ACCEPT": accept}
        env.update({k: re.sub(r"\$(\w+)", lambda m: env[m.group(1)], v) for k, v in x["variables"].items()})
        self.workspace()
        self.step(job, "\n".join(x["before_script"] + x["script"]), "ws", env, ("bash", "-eo", "pipefail"))
        if job.status in (0, 1) and "FAILED" in job.out:
            self.reports(x["artifacts"]["paths"] + list(x["artifacts"]["reports"].values()))
        return job


class Jenkins(Service):
    CONDITIONS = {"changeRequest()": "pull_request", "branch 'main'": "push"}

    def __init__(self, s, text, uid):
        super().__init__(s, JENKINS, text, uid)
        self.stages = [inside for head, inside in blocks(block(text, "// Jenkinsfile")) if head.startswith("stage(")]
        self.last = {}

    def stored(self):
        return self.last.get("base.json")

    def run(self, event, accept=""):
        job, kept = Job(), {}
        self.workspace(again=True)
        for stage in self.stages:
            parts = dict(blocks(stage))
            if "when" in parts and self.CONDITIONS[parts["when"].strip()] != event:
                continue
            for m in re.finditer(r"sh '''(.*?)'''|copyArtifacts ([^\n]*)|archiveArtifacts '([^']*)'", parts["steps"], re.S):
                if job.status:
                    break
                if m.group(1):
                    self.step(job, m.group(1).replace("\\\n", ""), "ws", {"BUILD_TAG": "jenkins-main-%d" % self.n, "ACCEPT": accept}, ("sh", "-xe"))
                elif m.group(2):
                    name = re.search(r"filter: '([^']*)'", m.group(2)).group(1)
                    if name in self.last:
                        self.place.file(os.path.join("work", "ws", name), self.last[name])
                    elif "optional: true" not in m.group(2):
                        job.status = 1
                else:
                    with open(self.place.path("work", "ws", m.group(3)), "rb") as f:
                        kept[m.group(3)] = f.read()
        if job.status == 0 and event == "push":
            self.last = kept
        if job.status in (0, 1) and "FAILED" in job.out:
            self.reports(["junit.xml", "performance.html"])
        return job


def blocks(text):
    """(head, inside) of each outermost block in braces, and of each stage."""
    found, depth, start = [], 0, 0
    plain = re.sub(r"'''.*?'''|'[^'\n]*'", lambda m: "." * len(m.group()), text, flags=re.S)
    for i, c in enumerate(plain):
        if c == "{":
            depth += 1
            if depth == 1:
                head, start = re.split(r"[\n}]", text[:i])[-1].strip(), i + 1
        elif c == "}":
            depth -= 1
            if depth == 0:
                found.append((head, text[start:i]))
    for head, inside in list(found):
        if head in ("pipeline", "stages"):
            found += blocks(inside)
    return found


def story(s, ci):
    """Days of a project: what each job ends with, and how many sessions the baseline has afterwards."""
    days = [("the first job makes the baseline", "push", USUAL, 0, 1), ("the second is held against it and appended", "push", USUAL, 0, 2),
            ("a pull request passes, and writes nothing", "pull_request", USUAL, 0, 2),
            ("a slower one fails", "pull_request", SLOWER, 1, 2), ("a slower build on main fails, and is not appended", "push", SLOWER, 1, 2),
            ("so it fails again", "push", SLOWER, 1, 2), ("a game that crashes stops the job", "push", "crash", 139, 2),
            ("the build as it was is appended", "push", USUAL, 0, 3), ("the slower one is accepted, for a reason", "accept", SLOWER, 0, 4),
            ("and is what it is held against now", "push", SLOWER, 0, 5)]
    for what, event, events, status, sessions in days:
        before = ci.stored()
        ci.commit(*((USUAL, "crash") if events == "crash" else (events,)))
        job = ci.run("push", "new lighting, and it's worth it") if event == "accept" else ci.run(event)
        what = "%s: %s" % (ci.name, what)
        s.check(what, job.status != status and "exit %d: %s" % (job.status, job.out))
        s.equal(what + ": sessions", ci.sessions(), sessions)
        if status or event == "pull_request":
            s.check(what + ": the baseline keeps its bytes", ci.stored() != before and "they changed")
        if status == 1:
            s.check(what + ": and says which row", not re.search(r"FAIL alloc-bytes", job.out) and job.out)


def pull_requests(s, text, uid):
    """Both builds in turn, one pull request after the other."""
    ci = GitHubAB(s, text, uid)
    ci.commit(USUAL)
    for what, events, status, said in (
            ("one that changes nothing passes", USUAL, 0, "passed: "), ("a slower one fails", SLOWER, 1, "FAIL alloc-bytes: "),
            ("what is merged is what the next is held against", SLOWER, 0, "passed: "),
            ("a game that crashes fails", "crash", 1, "new crashed 3 of 3")):
        ci.commit(*((SLOWER, "crash") if events == "crash" else (events,)))
        job = ci.run()
        s.check("A/B: " + what, (job.status != status or said not in job.out) and "exit %d: %s" % (job.status, job.out))
    ci.place.remove()


def race(s, ci):
    """Two jobs append at once, in spite of all: the second is refused, and the first one's session stays."""
    ci.commit(SLOWER)
    first = []
    second = ci.run("push", before_last=lambda: aside(ci, first))
    s.equal("race: the first passes", [job.status for job in first], [0])
    s.check("race: the second is refused", second.status == 0 or "rejected" not in second.out and second.out)
    s.equal("race: sessions", ci.sessions(), 6)


def aside(ci, done):
    """Another job, on another runner."""
    ws = ci.place.path("work", "ws")
    os.rename(ws, ws + ".first")
    ci.n += 1
    done.append(ci.run("push"))
    shutil.rmtree(ws)
    os.rename(ws + ".first", ws)


def no_registry(s, ci):
    """A registry that does not answer is no reason to begin a new baseline."""
    before, Registry.down = ci.stored(), True
    ci.commit(USUAL)
    job = ci.run("push")
    Registry.down = False
    s.check("registry down: the job fails, and says why", (job.status == 0 or "cannot be fetched" not in job.out) and job.out)
    s.check("registry down: the baseline is as it was", ci.stored() != before and "it changed")


def valid(s, text):
    """The files as their services read them; only the job of the main branch writes, one at a time."""
    path = s.path("workflow.yml")
    with open(path, "w") as f:
        f.write(block(text, "# " + re.escape(WORKFLOW)))
    both = s.path("ab.yml")
    with open(both, "w") as f:
        f.write(block(text, "# " + re.escape(AB)))
    own = os.path.join(kit.TOP, ".github", "workflows")
    for p in [path, both] + [os.path.join(own, n) for n in sorted(os.listdir(own))]:
        s.check("GitHub's parser takes " + os.path.basename(p), jobfiles.github(p))
    gitlab = yaml.safe_load(block(text, "# " + re.escape(GITLAB)))
    s.check("GitLab's schema takes the file", jobfiles.gitlab(gitlab))
    jobs = yaml.safe_load(block(text, "# " + re.escape(WORKFLOW)))["jobs"]
    for name, job in jobs.items():
        writes = "--append" in str(job["steps"])
        s.equal("GitHub: %s may write, one at a time" % name, (job.get("permissions"), "concurrency" in job),
                ({"contents": "write"}, True) if writes else (None, False))
    for name in ("compare", "baseline"):
        writes = any("--append" in x for x in gitlab[name]["script"])
        s.equal("GitLab: %s writes, one at a time" % name, ("resource_group" in gitlab[name], writes), (name == "baseline",) * 2)
    jenkins = block(text, "// Jenkinsfile")
    s.check("Jenkins: braces", len(blocks(jenkins)) < 5 and blocks(jenkins))
    s.check("Jenkins: one at a time", "disableConcurrentBuilds()" not in jenkins and jenkins)


def examples(s, text, uid):
    """Commands of the page outside of files, with what it says they print."""
    place = kit.Place(s, uid)
    for old, new in (("base", "old"), ("spin", "runs")):
        for i in range(1, 5):
            with open(os.path.join(kit.DATA, "gate", "good-%s%d.ttc.xz" % (old, i)), "rb") as f:
                place.file("work/%s/%d.ttc" % (new, i), f.read())
    place.file("work/budget.json", block(text, r'\{ "tracetool_budget"').replace('"min_captures": 5', '"min_captures": 4').encode())
    tool = s.path("bin", "tracetool")
    r = place.run([tool, "stats", "--gate", "budget.json", "--save", "base.json", "--append"] + ["old/%d.ttc" % i for i in range(1, 5)])
    s.check("the example's baseline", r.returncode and r.err)
    slower, *others = commands(text, "WHEN A JOB FAILS")
    r = place.run(["bash", "-c", slower], {"SOURCE_DATE_EPOCH": "1795392000"})
    s.equal("$ %s: exit status" % slower, r.returncode, 1)
    want = block(text, re.escape("$ " + slower)).split("\n", 1)[1]
    s.equal("$ %s: prints what the page says" % slower, r.out.decode().strip(), want.strip())
    place.run(["bash", "-c", "mv runs slower && cp -r old runs"])
    for command in others:
        r = place.run(["bash", "-c", command])
        s.check("$ " + command, r.returncode and r.out.decode() + r.err)
    s.check("the page of the baseline is there", not os.path.exists(place.path("work", "history.html")))
    for command in commands(text, "DESCRIPTION"):
        r = place.run(["bash", "-c", command])
        s.check("$ " + command, r.returncode and r.err)
    place.remove()


def main():
    s = kit.Suite()
    text = page()
    uid = kit.ORDINARY if os.geteuid() == 0 else None
    valid(s, text)
    examples(s, text, uid)
    pull_requests(s, text, uid)
    for kind, more in ((GitHub, race), (GitLab, no_registry), (Jenkins, None)):
        ci = kind(s, text, uid)
        story(s, ci)
        if more:
            more(s, ci)
        s.check("%s: the home folder is empty" % ci.name, os.listdir(ci.place.path("home")))
        ci.place.remove()
    s.end()


main()
