"""What services say of files with jobs: the faults that each finds, by its own parser or schema (tests/validators)."""
import json
import os
import subprocess

import jsonschema

from suite import TOP

VALIDATORS = os.path.join(TOP, "tests", "validators")


def faults(script, path):
    r = subprocess.run(["node", os.path.join(VALIDATORS, script), path], capture_output=True, text=True)
    return r.stdout + r.stderr if r.returncode else None


def github(path):
    return faults("workflow.mjs", path)


def kubernetes(path):
    return faults("kubernetes.mjs", path)


def gitlab(jobs):
    schema = subprocess.run(["node", "--input-type=module", "-e", "import { schema } from '%s/node_modules/gitlab-ci-local/src/schema/schema.js';"
                             "console.log(JSON.stringify(schema));" % VALIDATORS], capture_output=True, text=True, check=True).stdout
    return [e.message[:300] for e in jsonschema.Draft7Validator(json.loads(schema)).iter_errors(jobs)]
