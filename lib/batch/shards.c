/**
 * Finds the missing shards of a batch.
 */
#include "batch/shards.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/order.h"
#include "batch/result.h"
#include "sys/sys.h"

/* A results file by its name: shard ${i} of ${n}; 1 of 1 is a whole run. */
struct shard_file {
	unsigned n, i;
	bool ended;                   /* true: .jsonl; a .part belongs to a run that has not ended */
	uint64_t volume, id;
};

static bool
of_name(const char *path, struct shard_file *s)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int used = 0;

	*s = (struct shard_file){ 1, 1, false, 0, 0 };
	if (sscanf(name, "results.%7u-of-%7u%n", &s->i, &s->n, &used) == 2 && used > 0)
		name += used;
	else if (strncmp(name, "results.", 8) == 0)
		name += 7;
	else
		return false;
	s->ended = strncmp(name, ".jsonl", 6) == 0;
	return (s->ended || strcmp(name, ".part") == 0) && s->i >= 1 && s->i <= s->n;
}

bool
tt_batch_shard_named(const char *path, struct tt_shard *s)
{
	struct shard_file f;

	if (!of_name(path, &f) || f.n < 2)
		return false;
	*s = (struct tt_shard){ f.i, f.n };
	return true;
}

/* By shard; ended runs first; entries of the same file are neighbours. */
static int
by_shard(const void *a, const void *b)
{
	const struct shard_file *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	if (x->i != y->i)
		return x->i < y->i ? -1 : 1;
	if (x->ended != y->ended)
		return x->ended ? -1 : 1;
	if (x->volume != y->volume)
		return TT_CMP(x->volume, y->volume);
	return TT_CMP(x->id, y->id);
}

/* Count the ended runs of shard ${i} from s[*at] on; *${open}: one has not ended. *${at} moves past the shard. */
static unsigned
runs_of(const struct shard_file *s, size_t n, size_t *at, unsigned i, bool *open)
{
	size_t first = *at;
	unsigned ended = 0;

	*open = false;
	for (; *at < n && s[*at].n == s[first].n && s[*at].i == i; ++*at) {
		const struct shard_file *f = &s[*at];

		if (*at > first && f->volume == f[-1].volume && f->id == f[-1].id)
			continue;
		ended += f->ended;
		*open = *open || !f->ended;
	}
	return ended;
}

/* The largest number of runs of a shard, in the set that begins at ${begin}; *${end} is the end of the set. */
static unsigned
most_runs(const struct shard_file *s, size_t n, size_t begin, size_t *end)
{
	unsigned most = 1;
	bool open;

	for (*end = begin; *end < n && s[*end].n == s[begin].n;) {
		unsigned runs = runs_of(s, n, end, s[*end].i, &open);

		most = runs > most ? runs : most;
	}
	return most;
}

struct missing {
	struct tt_buf text;
	unsigned named, more;
};

static void
put_missing(struct missing *m, unsigned i, unsigned n, const char *how)
{
	const char *sep = m->text.n ? ", " : "";

	if (m->named == 5) {
		m->more++;
		return;
	}
	m->named++;
	if (n == 1)
		tt_buf_printf(&m->text, "%sresults.jsonl %s", sep, how);
	else
		tt_buf_printf(&m->text, "%sshard %u of %u %s", sep, i, n, how);
}

/* Note the runs missing from ${begin} to ${end}. A complete set has ${runs} runs of each shard, all ended. */
static void
check_set(const struct shard_file *s, size_t begin, size_t end, unsigned runs, struct missing *m)
{
	size_t at = begin;

	for (unsigned i = 1; i <= s[begin].n; i++) {
		bool open = false;
		unsigned have = at < end && s[at].i == i ? runs_of(s, end, &at, i, &open) : 0;
		char how[80];

		if (have == runs && !open)
			continue;
		if (have > 0 && !open)
			snprintf(how, sizeof how, "(%u file%s, of others %u)", have, have == 1 ? "" : "s", runs);
		put_missing(m, i, s[begin].n, open ? "has not ended" : have > 0 ? how : "(no file)");
	}
}

bool
tt_batch_results_named(const char *path)
{
	struct shard_file f;

	return of_name(path, &f);
}

bool
tt_batch_results_open(const char *path)
{
	struct shard_file f;

	return of_name(path, &f) && !f.ended;
}

/* Add the runs whose results ${path} has to ${s}, from *${n} on. ${said}: what its lines say; NULL: not known. A file name of a shard counts before them. */
static void
put_runs(struct shard_file *s, size_t *n, const char *path, const struct tt_batch_lists *said)
{
	const size_t has = said ? said->n : 0;
	struct shard_file f;
	struct tt_sys_stat st;
	bool named = of_name(path, &f);

	if (tt_sys_stat(path, &st) != 0)
		return;
	if (named && (f.n > 1 || !f.ended || has == 0)) {
		f.volume = st.volume;
		f.id = st.id;
		s[(*n)++] = f;
		return;
	}
	for (size_t i = 0; i < has; i++)
		s[(*n)++] = (struct shard_file){ said->v[i].shard.count, said->v[i].shard.index, true, st.volume, st.id };
}

int
tt_batch_missing_shards(struct tt_arena *a, const char *const *files, const struct tt_batch_lists *said, const char **what, struct tt_err *err)
{
	struct shard_file *s;
	struct missing m = { .named = 0 };
	size_t n = 0, end, nfiles = 0, most;
	int rc;

	*what = NULL;
	while (files && files[nfiles])
		nfiles++;
	most = nfiles + 1;
	for (size_t i = 0; said && i < nfiles; i++)
		most += said[i].n;
	s = tt_arena_alloc(a, most * sizeof *s, err);
	if (!s)
		return err->code;
	for (size_t i = 0; i < nfiles; i++)
		put_runs(s, &n, files[i], said ? &said[i] : NULL);
	tt_sort(s, n, by_shard);
	for (size_t at = 0; at < n; at = end) {
		unsigned runs = most_runs(s, n, at, &end);

		check_set(s, at, end, runs, &m);
	}
	if (m.more)
		tt_buf_printf(&m.text, ", and %u more", m.more);
	rc = tt_buf_error(&m.text, err);
	if (rc == TT_OK && m.text.n > 0) {
		*what = tt_arena_text(a, m.text.p, m.text.n, err);
		rc = *what ? TT_OK : err->code;
	}
	tt_buf_free(&m.text);
	return rc;
}

/* --- lists of files ------------------------------------------------------------------- */

static uint64_t
number_of(const struct tt_result *r, const char *name)
{
	const json_int_t v = json_integer_value(json_object_get(r->doc, name));

	return v > 0 ? (uint64_t)v : 0;
}

int
tt_batch_list_put(const struct tt_batch_list *l, struct tt_buf *line, struct tt_err *err)
{
	const struct tt_result_id id = { .key = "", .type = "shard", .by = l->by };
	/* Shards with the same hash have split the list alike; a whole run has split nothing. */
	const uint64_t list = l->shard.count > 1 ? l->list : 0;
	char body[240];
	int n = snprintf(body, sizeof body, "\"outcome\":\"ok\",\"shard\":%u,\"shards\":%u,\"list\":\"%016" PRIx64 "\",\"list_files\":%" PRIu64
	    ",\"list_bytes\":%" PRIu64 ",\"shard_files\":%" PRIu64, l->shard.index, l->shard.count, list, l->files, l->bytes, l->mine);

	return tt_result_compose(line, &id, body, (size_t)n, err);
}

bool
tt_batch_list_read(const struct tt_result *r, struct tt_batch_list *l)
{
	const char *list = json_string_value(json_object_get(r->doc, "list"));
	const uint64_t i = number_of(r, "shard"), n = number_of(r, "shards");

	if (strcmp(r->type, "shard") != 0 || !list || i < 1 || i > n || n > TT_BATCH_SHARDS_MAX)
		return false;
	*l = (struct tt_batch_list){ { (unsigned)i, (unsigned)n }, strtoull(list, NULL, 16), number_of(r, "list_files"), number_of(r, "list_bytes"),
		number_of(r, "shard_files"), r->by };
	return true;
}

int
tt_batch_lists_add(struct tt_arena *a, struct tt_batch_lists *all, const struct tt_batch_list *l, struct tt_err *err)
{
	if (tt_arena_grow(a, &all->v, &all->cap, all->n, sizeof *all->v, err) != TT_OK)
		return err->code;
	all->v[all->n++] = *l;
	return TT_OK;
}

/* By count and list, then by shard. Lists of whole runs have no hash. */
static int
by_list(const void *a, const void *b)
{
	const struct tt_batch_list *x = a, *y = b;

	if (x->shard.count != y->shard.count)
		return x->shard.count < y->shard.count ? -1 : 1;
	if (x->list != y->list)
		return x->list < y->list ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	return x->shard.index < y->shard.index ? -1 : x->shard.index > y->shard.index;
}

uint64_t
tt_batch_lists_files(const struct tt_batch_lists *said)
{
	uint64_t most = 0, sum = 0;

	tt_sort(said->v, said->n, by_list);
	for (size_t i = 0; i < said->n; i++) {
		const struct tt_batch_list *l = &said->v[i], *before = i ? l - 1 : NULL;

		if (before && by_list(before, l) == 0)
			continue;
		if (!before || before->shard.count != l->shard.count || before->list != l->list || before->bytes != l->bytes)
			sum = 0;
		sum += l->mine;
		most = sum > most ? sum : most;
	}
	return most;
}

/* Describe a list of which shards are missing. */
static void
put_list(struct tt_buf *b, const struct tt_batch_list *l, size_t shards)
{
	if (b->n > 300)
		return;
	if (shards == 1)
		tt_buf_printf(b, "%sshard %u", b->n ? ", " : "", l->shard.index);
	else
		tt_buf_printf(b, "%s%zu shards", b->n ? ", " : "", shards);
	tt_buf_printf(b, " of %u made of %llu file%s (%llu B)", l->shard.count, (unsigned long long)l->files, l->files == 1 ? "" : "s",
	    (unsigned long long)l->bytes);
}

int
tt_batch_lists_check(struct tt_arena *a, struct tt_batch_lists *all, bool told, const char **what, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	size_t end, lists = 0;
	int rc = TT_OK;

	*what = NULL;
	tt_sort(all->v, all->n, by_list);
	for (size_t at = 0; at < all->n; at = end) {
		size_t shards = 0;

		for (end = at; end < all->n && all->v[end].shard.count == all->v[at].shard.count && all->v[end].list == all->v[at].list; end++)
			shards += end == at || all->v[end].shard.index != all->v[end - 1].shard.index;
		if (shards == all->v[at].shard.count)
			continue;
		lists++;
		put_list(&text, &all->v[at], shards);
	}
	if (lists > 1 || (lists == 1 && !told)) {
		tt_buf_text(&text, lists == 1 ? ", and no other ones" : "");
		rc = tt_buf_error(&text, err);
		*what = rc == TT_OK ? tt_arena_text(a, text.p, text.n, err) : NULL;
		rc = *what ? TT_OK : err->code;
	}
	tt_buf_free(&text);
	return rc;
}
