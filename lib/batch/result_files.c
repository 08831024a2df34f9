/**
 * Finds files of results by their names: results.jsonl.gz and results.3-of-20.part.
 */
#include "batch/result_files.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/shards.h"
#include "codec/block.h"
#include "io/pack.h"

static bool
ends_with(const char *s, size_t n, const char *end)
{
	size_t k = strlen(end);

	return n >= k && memcmp(s + n - k, end, k) == 0;
}

/* How long ${name} is without the suffix that says how the file is compressed. */
static size_t
plain_length(const char *name)
{
	const struct tt_coding *coding = tt_pack_coding(name);

	return strlen(name) - (coding ? strlen(coding->suffix) : 0);
}

/* True for results.jsonl.gz and results.3-of-20.part, false for temporaries such as results.jsonl.tmp.123.0. */
static bool
is_results(const char *name)
{
	size_t n = plain_length(name);

	if (strncmp(name, "results", 7) != 0 || strstr(name, ".tmp."))
		return false;
	return ends_with(name, n, ".jsonl") || ends_with(name, n, ".part");
}

/* Ignore results.jsonl beside files of shards: an earlier merge made it, and it may be outdated. */
static void
drop_merged(struct tt_env *env, struct tt_list *l, size_t from)
{
	bool shards = false;
	struct tt_shard s;

	for (size_t i = from; i < l->n; i++)
		shards = shards || tt_batch_shard_named(l->v[i], &s);
	for (size_t i = l->n; shards && i-- > from;) {
		const char *slash = strrchr(l->v[i], '/'), *name = slash ? slash + 1 : l->v[i];

		if (plain_length(name) != strlen("results.jsonl") || strncmp(name, "results.jsonl", plain_length(name)) != 0)
			continue;
		tt_log(env, TT_LOG_QUIET, "%s: ignored, because results of shards are beside it; to merge it, name it", l->v[i]);
		l->v[i] = l->v[--l->n];
		l->v[l->n] = NULL;
	}
}

/* True if the file has results of a run in ${shards} shards; 0: any. */
static bool
is_wanted(const char *path, uint64_t shards)
{
	struct tt_shard s = { 1, 1 };

	tt_batch_shard_named(path, &s);
	return shards == 0 || s.count == shards;
}

int
tt_result_files_in(struct tt_env *env, struct tt_arena *a, const char *path, uint64_t shards, struct tt_list *l, struct tt_err *err)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	size_t before = l->n;
	int rc = TT_OK;

	if (!dir)
		return tt_fail_sys(err, errno, "%s", path);
	while (rc == TT_OK && (e = readdir(dir)) != NULL) {
		char full[PATH_MAX];
		int n = snprintf(full, sizeof full, "%s/%s", path, e->d_name);
		const char *copy;

		if (!is_results(e->d_name) || !is_wanted(e->d_name, shards) || n < 0 || (size_t)n >= sizeof full)
			continue;
		copy = tt_arena_text(a, full, (size_t)n, err);
		rc = copy ? tt_list_add(l, copy, a, err) : err->code;
	}
	closedir(dir);
	if (rc == TT_OK)
		drop_merged(env, l, before);
	if (rc == TT_OK && l->n == before && shards > 1)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: no results of any of %llu shards here (results.*-of-%llu.jsonl)", path,
		    (unsigned long long)shards, (unsigned long long)shards);
	else if (rc == TT_OK && l->n == before)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: no results here (results*.jsonl, results*.part)", path);
	return rc;
}

int
tt_result_folders(struct tt_arena *a, const struct tt_list *files, struct tt_list *dir, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < files->n && rc == TT_OK; i++) {
		const char *slash = strrchr(files->v[i], '/'), *of = ".";
		size_t k = 0;

		if (slash)
			of = tt_arena_text(a, files->v[i], (size_t)(slash - files->v[i]) + (slash == files->v[i]), err);
		while (of && k < dir->n && strcmp(dir->v[k], of) != 0)
			k++;
		rc = !of ? err->code : k == dir->n ? tt_list_add(dir, of, a, err) : TT_OK;
	}
	return rc;
}

int
tt_result_target(struct tt_arena *a, const char *output, const char **path, struct tt_err *err)
{
	struct stat st;
	char full[PATH_MAX];
	int n;

	*path = output;
	if (!output || stat(output, &st) != 0 || !S_ISDIR(st.st_mode))
		return TT_OK;
	n = snprintf(full, sizeof full, "%s/results.jsonl", output);
	if (n < 0 || (size_t)n >= sizeof full)
		return tt_fail_sys(err, ENAMETOOLONG, "%s", output);
	*path = tt_arena_text(a, full, (size_t)n, err);
	return *path ? TT_OK : err->code;
}
