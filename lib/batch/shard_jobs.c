/**
 * Finds which shard of a batch this process runs by the environment that a cluster or CI system sets.
 *
 * Slurm: SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _MAX, sbatch(1), "OUTPUT ENVIRONMENT VARIABLES". Kubernetes: JOB_COMPLETION_INDEX of an Indexed Job, from 0; no
 * variable has the number of pods. GitLab: CI_NODE_INDEX, from 1, and CI_NODE_TOTAL of "parallel:".
 */
#include <stdlib.h>

#include "base/env.h"
#include "base/parse_value.h"
#include "base/setting.h"
#include "batch/shards.h"

/* The number of shards, for Kubernetes, and for Slurm when only some tasks of an array (from 1) run again. */
#define COUNT "TRACETOOL_SHARDS"
#define SHARD tt_setting_name[TT_SETTING_SHARD]

/* The number in the variable ${name}. */
static int
number_in(const char *name, uint64_t lo, uint64_t hi, uint64_t *v, struct tt_err *err)
{
	const char *s = getenv(name);

	if (!s || !*s)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is not set; give %s I/N", name, SHARD);
	if (tt_parse_count(s, lo, hi, v, err) != TT_OK)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is \"%s\", and not a number from %llu to %llu; give %s I/N",
		    name, s, (unsigned long long)lo, (unsigned long long)hi, SHARD);
	return TT_OK;
}

static bool
is_set(const char *name)
{
	const char *s = getenv(name);

	return s && *s;
}

/* The shard of a Slurm task: of all tasks of the array, from 0 or 1 on, or of ${COUNT} tasks, from 1. */
static int
of_slurm(struct tt_shard *s, struct tt_err *err)
{
	uint64_t id, first = 1, last, count;
	int rc;

	if (is_set(COUNT)) {
		rc = number_in(COUNT, 1, TT_BATCH_SHARDS_MAX, &count, err);
		TT_THEN(rc, number_in("SLURM_ARRAY_TASK_ID", 1, count, &id, err));
	} else {
		rc = number_in("SLURM_ARRAY_TASK_MIN", 0, UINT32_MAX, &first, err);
		TT_THEN(rc, number_in("SLURM_ARRAY_TASK_MAX", first, UINT32_MAX, &last, err));
		TT_THEN(rc, number_in("SLURM_ARRAY_TASK_COUNT", 1, TT_BATCH_SHARDS_MAX, &count, err));
		TT_THEN(rc, number_in("SLURM_ARRAY_TASK_ID", first, last, &id, err));
		/* Some tasks of an array that run again look like a whole array. */
		if (rc == TT_OK && (first > 1 || count < 2 || last - first + 1 != count))
			rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "Slurm tasks %llu to %llu (%llu) may be part of a larger array: "
			    "set " COUNT " to how many shards there are", (unsigned long long)first,
			    (unsigned long long)last, (unsigned long long)count);
	}
	if (rc == TT_OK)
		*s = (struct tt_shard){ (unsigned)(id - first) + 1, (unsigned)count };
	return rc;
}

static int
of_kubernetes(struct tt_shard *s, struct tt_err *err)
{
	uint64_t index, count;
	int rc;

	if (!is_set(COUNT))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "Kubernetes does not say how many pods there are: set " COUNT
		    " to the job's completions");
	rc = number_in(COUNT, 1, TT_BATCH_SHARDS_MAX, &count, err);
	TT_THEN(rc, number_in("JOB_COMPLETION_INDEX", 0, count - 1, &index, err));
	if (rc == TT_OK)
		*s = (struct tt_shard){ (unsigned)index + 1, (unsigned)count };
	return rc;
}

static int
of_gitlab(struct tt_shard *s, struct tt_err *err)
{
	uint64_t index, count;
	int rc = number_in("CI_NODE_TOTAL", 1, TT_BATCH_SHARDS_MAX, &count, err);

	TT_THEN(rc, number_in("CI_NODE_INDEX", 1, count, &index, err));
	if (rc == TT_OK)
		*s = (struct tt_shard){ (unsigned)index, (unsigned)count };
	return rc;
}

int
tt_batch_shard_of_job(struct tt_env *env, struct tt_shard *s, struct tt_err *err)
{
	static const struct {
		const char *name, *variable;
		int (*get)(struct tt_shard *s, struct tt_err *err);
	} engine[] = {
		{ "Slurm", "SLURM_ARRAY_TASK_ID", of_slurm },
		{ "Kubernetes", "JOB_COMPLETION_INDEX", of_kubernetes },
		{ "GitLab", "CI_NODE_INDEX", of_gitlab },
	};
	size_t found = 0, n = 0;
	int rc;

	for (size_t i = 0; i < sizeof engine / sizeof *engine; i++) {
		if (!is_set(engine[i].variable))
			continue;
		if (n++ > 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "both %s (%s) and %s (%s) say which shard this is: give %s I/N",
			    engine[found].name, engine[found].variable, engine[i].name, engine[i].variable, SHARD);
		found = i;
	}
	if (n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no parallel job of Slurm, Kubernetes or GitLab: give %s I/N", SHARD);
	rc = engine[found].get(s, err);
	if (rc == TT_OK)
		tt_log(env, TT_LOG_NORMAL, "shard %u of %u, as %s says (%s=%s)", s->index, s->count, engine[found].name, engine[found].variable,
		    getenv(engine[found].variable));
	return rc;
}
