/**
 * Reads the results of shards and finds what of them is missing.
 */
#include "batch/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/env.h"
#include "base/hash_seed.h"
#include "base/json.h"
#include "base/map.h"
#include "base/setting.h"
#include "batch/result.h"
#include "batch/results.h"
#include "batch/shards.h"

/* Say what is missing: the shards without files, and those that an earlier merge lacked. */
static int
add_lacks(struct tt_merge *m, struct tt_err *err)
{
	if (!m->lacks || !m->missing) {
		m->missing = m->lacks ? m->lacks : m->missing;
		return TT_OK;
	}
	m->missing = tt_arena_printf(m->a, err, "%s, %s", m->missing, m->lacks);
	return m->missing ? TT_OK : err->code;
}

int
tt_merge_check_shards(struct tt_merge *m, const char *const *files, const struct tt_batch_lists *said, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; !said && files && files[i]; i++)
		if (!tt_batch_results_named(files[i]))
			return TT_OK;
	if (said && m->missing && !m->lacks)      /* reported before the files were read */
		return TT_OK;
	rc = tt_batch_missing_shards(m->a, files, said, &m->missing, err);
	if (rc == TT_OK && said)
		rc = add_lacks(m, err);
	if (rc != TT_OK || !m->missing)
		return rc;
	if (!m->partial)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "missing: %s; %s merges without", m->missing, tt_setting_name[TT_SETTING_PARTIAL]);
	tt_log(m->env, TT_LOG_QUIET, "merged without %s", m->missing);
	return TT_OK;
}

/* Reads the lines of one file, and what they say of the shards that made them. */
struct shard_lines {
	struct tt_merge *m;
	struct tt_results *rs;
	struct tt_batch_lists *said;     /* the shards that lines name; for a run that has not ended only the last one, because a resumed run writes it again */
	bool is_unfinished;           /* true: by the file's name, its run has not ended */
	uint64_t *file;               /* hashes of the files that have a result, each once */
	size_t nfile, capfile;
	struct tt_map at;             /* in file */
	struct tt_buf *lacks;         /* what a partial merge lacked, and the results that this file lost, if it has shards */
	struct tt_buf *lost;          /* the results that this file lost, if it has whole runs */
};

/* Note that the file ${key} has a result; members of archives are ignored. Shards that share an archive each have a result of it. */
static int
count_file(struct shard_lines *l, const char *key, size_t nkey, const char *line, size_t n, struct tt_err *err)
{
	struct tt_mem *mem = &l->m->env->mem;
	const char *part = memmem(line, n, ",\"part\":", 8);
	const uint64_t hash = tt_seeded_text(part ? strtoull(part + 8, NULL, 10) : 0, key, nkey);

	if (memchr(key, '!', nkey) || tt_map_find(&l->at, hash, i, l->file[i] == hash))
		return TT_OK;
	if (tt_map_push(&l->at, mem, hash, &l->file, &l->capfile, l->nfile, err) != TT_OK)
		return err->code;
	l->file[l->nfile++] = hash;
	return TT_OK;
}

static int
on_shard_line(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err)
{
	struct shard_lines *l = arg;
	struct tt_result r;
	struct tt_err why;
	size_t nkey = 0;

	/* A copy made on Windows may have carriage returns before its line feeds. */
	n -= n > 0 && line[n - 1] == '\r';

	const char *key = line ? tt_result_scan(line, n, &nkey) : NULL;
	struct tt_batch_list is;
	int rc = key && nkey > 0 ? count_file(l, key, nkey, line, n, err) : TT_OK;

	(void)at;
	if (key && nkey == 0 && tt_result_load(line, n, &r, &why) == TT_OK) {
		if (tt_batch_list_read(&r, &is)) {
			l->said->n = l->is_unfinished ? 0 : l->said->n;
			rc = tt_batch_lists_add(l->m->a, l->said, &is, err);
		}
		if (strcmp(r.type, "part") == 0)
			tt_buf_printf(l->lacks, "%s%s", l->lacks->n ? ", " : "", r.detail);
		tt_result_free(&r);
	}
	return rc == TT_OK ? tt_results_add(l->rs, line, n, err) : rc;
}

/* Read a file. Fail if it has the name of one shard and the lines of another: it would hide that a shard is missing. */
static int
add_file(struct tt_merge *m, struct tt_results *rs, const char *path, struct tt_batch_lists *said, struct tt_buf *lacks, struct tt_buf *lost,
    struct tt_err *err)
{
	struct shard_lines l = { .m = m, .rs = rs, .said = said, .is_unfinished = tt_batch_results_open(path), .lacks = lacks };
	struct tt_shard named;
	struct tt_buf *b = lost;
	uint64_t files;
	int rc = tt_results_lines(m->env, path, true, on_shard_line, &l, err);

	tt_mem_free(&m->env->mem, l.file, l.capfile * sizeof *l.file);
	tt_map_free(&l.at, &m->env->mem);
	if (rc == TT_E_DAMAGED) {     /* compressed, and cut: its results up to there count, and a torn line says that there were more */
		tt_log(m->env, TT_LOG_QUIET, "%s", err->msg);
		rc = tt_results_add(rs, NULL, 0, err);
	}
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < said->n && tt_batch_shard_named(path, &named); i++) {
		const struct tt_shard is = said->v[i].shard;

		if (named.index != is.index || named.count != is.count)
			return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s holds results of another shard, %u of %u: was it renamed?", path, is.index, is.count);
	}
	files = l.is_unfinished ? 0 : tt_batch_lists_files(said);
	for (size_t i = 0; i < said->n; i++)
		b = said->v[i].shard.count > 1 ? lacks : b;
	if (l.nfile < files)
		tt_buf_printf(b, "%sresults of %llu of the %llu files in %s", b->n ? ", " : "", (unsigned long long)(files - l.nfile),
		    (unsigned long long)files, path);
	return TT_OK;
}

int
tt_merge_check_lists(struct tt_merge *m, struct tt_batch_lists *lists, struct tt_err *err)
{
	const char *what;
	int rc;

	for (size_t i = 0; i < lists->n && m->shards; i++)
		if (lists->v[i].shard.count != m->shards)
			return tt_fail(err, TT_E_IO, TT_NOWHERE, "results come from shard %u of %u, but %s says %llu",
			    lists->v[i].shard.index, lists->v[i].shard.count, tt_setting_name[TT_SETTING_SHARD_COUNT], (unsigned long long)m->shards);
	rc = tt_batch_lists_check(m->a, lists, m->missing != NULL, &what, err);
	if (rc != TT_OK || !what)
		return rc;
	if (!m->partial)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "shards do not belong together: %s; run all again with %s, or merge with %s", what,
		    tt_setting_name[TT_SETTING_RESUME], tt_setting_name[TT_SETTING_PARTIAL]);
	tt_log(m->env, TT_LOG_QUIET, "merged although shards do not belong together: %s", what);
	if (!m->missing)
		m->missing = "what shards of other lists of files have";
	return TT_OK;
}

/* *${text}: what ${b} holds, NULL if nothing. */
static int
keep_text(struct tt_merge *m, const struct tt_buf *b, const char **text, struct tt_err *err)
{
	int rc = tt_buf_error(b, err);

	*text = rc == TT_OK && b->n ? tt_arena_text(m->a, b->p, b->n, err) : NULL;
	return rc == TT_OK && b->n && !*text ? err->code : rc;
}

int
tt_merge_read(struct tt_merge *m, struct tt_results *rs, struct tt_batch_lists *lists, bool *whole, const char *const *files, struct tt_err *err)
{
	size_t n = 0;

	struct tt_batch_lists *said;
	struct tt_buf lacks = { 0 }, lost = { 0 };
	int rc;

	while (files && files[n])
		n++;
	said = tt_arena_alloc(m->a, (n + 1) * sizeof *said, err);
	rc = said ? TT_OK : err->code;
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		rc = add_file(m, rs, files[i], &said[i], &lacks, &lost, err);
		for (size_t k = 0; k < said[i].n && rc == TT_OK; k++)
			rc = tt_batch_lists_add(m->a, lists, &said[i].v[k], err);
		*whole = *whole && said[i].n > 0;
	}
	TT_THEN(rc, keep_text(m, &lacks, &m->lacks, err));
	TT_THEN(rc, keep_text(m, &lost, &m->lost, err));
	tt_buf_free(&lacks);
	tt_buf_free(&lost);
	return rc == TT_OK ? tt_merge_check_shards(m, files, said, err) : rc;
}

/* The first line of merged results, for a later merge, if they are those of one list of files: that of a whole run. */
static int
put_whole(const struct tt_batch_lists *lists, struct tt_buf *line, struct tt_err *err)
{
	const struct tt_batch_list *l = lists->v;

	for (size_t i = 1; i < lists->n; i++)
		if (lists->v[i].files != l->files || lists->v[i].bytes != l->bytes || lists->v[i].by != l->by)
			return TT_OK;
	return lists->n ? tt_batch_list_put(&(struct tt_batch_list){ { 1, 1 }, 0, l->files, l->bytes, l->files, l->by }, line, err) : TT_OK;
}

/* The first line of merged results that lack ${missing}. */
static int
put_part(const char *missing, struct tt_buf *line, struct tt_err *err)
{
	const struct tt_result_id id = { .key = "", .type = "part" };
	struct tt_buf body = { 0 };
	int rc;

	tt_buf_text(&body, "\"outcome\":\"ok\",\"detail\":");
	tt_json_quote(&body, missing, strlen(missing));
	rc = tt_buf_error(&body, err);
	TT_THEN(rc, tt_result_compose(line, &id, body.p, body.n, err));
	tt_buf_free(&body);
	return rc;
}

int
tt_merge_torn(struct tt_merge *m, uint64_t bad, struct tt_err *err)
{
	const char *lost = m->lost, *text;
	char torn[60] = "";

	if (!bad && !lost)
		return TT_OK;
	if (bad)
		snprintf(torn, sizeof torn, "%llu torn line%s of results", (unsigned long long)bad, bad == 1 ? "" : "s");
	text = tt_arena_printf(m->a, err, "%s%s%s%s%s", m->missing ? m->missing : "", m->missing ? ", " : "", torn,
	    bad && lost ? ", " : "", lost ? lost : "");
	m->missing = text;
	return text ? TT_OK : err->code;
}

int
tt_merge_head(const struct tt_merge *m, const struct tt_batch_lists *lists, bool whole, struct tt_buf *line, struct tt_err *err)
{
	return m->missing ? put_part(m->missing, line, err) : whole ? put_whole(lists, line, err) : TT_OK;
}
