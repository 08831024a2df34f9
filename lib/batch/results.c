/**
 * Sorts lines of results with bounded memory, and gives the best one of each capture.
 */
#include "batch/results.h"

#include <errno.h>
#include <string.h>

#include "base/order.h"
#include "batch/copies.h"
#include "batch/record.h"
#include "io/spool.h"
#include "io/src.h"
#include "sys/sys.h"

#define RUN_BYTES ((size_t)12 << 20)    /* lines sorted in memory at a time */
#define READ_BYTES ((size_t)64 << 10)   /* buffer of each run while merging */

struct line {
	const char *p;
	const char *key;
	uint32_t n, nkey;
};

/* A sorted run in the temporary file. */
struct run {
	uint64_t at, end;             /* the part of the run that is not in buf yet */
	char *buf;
	size_t n, used, cap;
	struct line head;             /* the first line that was not given out yet */
	bool over;
};

struct tt_results {
	struct tt_env *env;
	char *text;                   /* RUN_BYTES */
	size_t ntext;
	struct line *line;
	size_t nline, capline;
	struct run *run;
	size_t nrun, caprun;
	int fd;
	uint64_t size;                /* of the temporary file */
	struct tt_results_sum sum;
	struct tt_copies copies;
	/* the lines of one key, while it is settled */
	struct tt_buf group;
	struct { size_t at, n; } *member;
	size_t nmember, capmember;
};

int
tt_results_new(struct tt_env *env, struct tt_results **out, struct tt_err *err)
{
	struct tt_results *rs = tt_mem_alloc(&env->mem, sizeof *rs, err);

	*out = rs;
	if (!rs)
		return err->code;
	rs->env = env;
	rs->fd = -1;
	rs->text = tt_mem_alloc(&env->mem, RUN_BYTES, err);
	if (rs->text)
		return TT_OK;
	tt_results_free(rs);
	*out = NULL;
	return err->code;
}

void
tt_results_free(struct tt_results *rs)
{
	struct tt_mem *mem;

	if (!rs)
		return;
	mem = &rs->env->mem;
	for (size_t i = 0; i < rs->nrun; i++)
		tt_mem_free(mem, rs->run[i].buf, rs->run[i].cap);
	tt_mem_free(mem, rs->run, rs->caprun * sizeof *rs->run);
	tt_mem_free(mem, rs->text, RUN_BYTES);
	tt_mem_free(mem, rs->line, rs->capline * sizeof *rs->line);
	tt_mem_free(mem, rs->member, rs->capmember * sizeof *rs->member);
	tt_buf_free(&rs->group);
	tt_copies_free(&rs->copies, mem);
	if (rs->fd >= 0)
		tt_sys_close(rs->fd);
	tt_mem_free(mem, rs, sizeof *rs);
}

/* --- runs -------------------------------------------------------------------------- */

static int
compare_keys(const char *a, size_t na, const char *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : na < nb ? -1 : na > nb;
}

static int
compare(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int c = compare_keys(x->key, x->nkey, y->key, y->nkey);

	return c ? c : compare_keys(x->p, x->n, y->p, y->n);
}

static bool
same_line(const struct line *a, const struct line *b)
{
	return a->n == b->n && memcmp(a->p, b->p, a->n) == 0;
}

/* Sort the lines in memory and write them, each once, after the other runs. */
static int
spill(struct tt_results *rs, struct tt_err *err)
{
	const uint64_t spool_max = rs->env->spool_max;
	struct run *r;
	int rc = TT_OK;

	if (rs->nline == 0)
		return TT_OK;
	if (tt_mem_grow(&rs->env->mem, &rs->run, &rs->caprun, rs->nrun + 1, sizeof *rs->run, err) != TT_OK)
		return err->code;
	if (rs->fd < 0)
		rc = tt_spool_open(rs->env, &rs->fd, err);
	if (rc != TT_OK)
		return rc;
	tt_sort(rs->line, rs->nline, compare);
	r = &rs->run[rs->nrun++];
	*r = (struct run){ .at = rs->size, .end = rs->size };
	rs->env->spool_max = UINT64_MAX;      /* it is a limit of captures */
	for (size_t i = 0; i < rs->nline && rc == TT_OK; i++) {
		if (i > 0 && same_line(&rs->line[i - 1], &rs->line[i]))
			continue;
		/* Its LF is after it in memory. */
		rc = tt_spool_add(rs->env, &rs->fd, r->end, rs->line[i].p, rs->line[i].n + 1, err);
		r->end += rs->line[i].n + 1;
	}
	rs->env->spool_max = spool_max;
	rs->size = r->end;
	rs->nline = rs->ntext = 0;
	return rc;
}

int
tt_results_add(struct tt_results *rs, const char *line, size_t n, struct tt_err *err)
{
	size_t nkey;
	int rc = TT_OK;

	if (n == 0 && line)
		return TT_OK;
	rs->sum.lines++;
	if (!line || !tt_result_scan(line, n, &nkey)) {
		rs->sum.bad++;
		return TT_OK;
	}
	if (nkey == 0) {              /* the record of a run, or what merged ones lack */
		rs->sum.lines--;
		return TT_OK;
	}
	rc = tt_copies_expect(&rs->copies, &rs->env->mem, line, n, err);
	if (rc == TT_OK && rs->ntext + n + 1 > RUN_BYTES)
		rc = spill(rs, err);
	TT_THEN(rc, tt_mem_grow(&rs->env->mem, &rs->line, &rs->capline, rs->nline + 1, sizeof *rs->line, err));
	if (rc != TT_OK)
		return rc;
	char *to = rs->text + rs->ntext;
	memcpy(to, line, n);
	to[n] = '\n';
	rs->ntext += n + 1;
	rs->line[rs->nline++] = (struct line){ .p = to, .n = (uint32_t)n, .nkey = (uint32_t)nkey,
		.key = to + (tt_result_scan(line, n, &nkey) - line) };
	return TT_OK;
}

/* --- files --------------------------------------------------------------------------- */

/* Cut ${src} into lines. */
static int
cut_lines(struct tt_env *env, struct tt_src *src, bool last,
    int (*line)(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err), void *arg, struct tt_err *err)
{
	const size_t cap = 2 * TT_RESULT_LINE_MAX;
	char *buf = tt_mem_alloc(&env->mem, cap, err), *lf;
	size_t n = 0, got = 0, used;
	uint64_t at = 0;
	bool skip = false;            /* true: inside a line that is too long to be a result */
	int rc = buf ? TT_OK : err->code;

	while (rc == TT_OK) {
		rc = tt_src_read(src, buf + n, cap - n, &got, err);
		if (rc != TT_OK)
			break;
		n += got;
		for (used = 0; rc == TT_OK && (lf = memchr(buf + used, '\n', n - used)) != NULL; used = (size_t)(lf - buf) + 1) {
			rc = line(arg, at + used, skip ? NULL : buf + used, skip ? 0 : (size_t)(lf - buf) - used, err);
			skip = false;
		}
		if (used == 0 && n == cap) {
			skip = true;
			used = n;
		}
		memmove(buf, buf + used, n - used);
		n -= used;
		at += used;
	}
	if (rc == TT_END)
		rc = last && (n > 0 || skip) ? line(arg, at, skip ? NULL : buf, skip ? 0 : n, err) : TT_OK;
	tt_mem_free(&env->mem, buf, cap);
	return rc;
}

int
tt_results_lines(struct tt_env *env, const char *path, bool last,
    int (*line)(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err), void *arg, struct tt_err *err)
{
	const uint64_t decoded = env->decoded_max, ratio = env->ratio_max;
	struct tt_src *src;
	int rc;

	/* Files of results have no such limits, which are meant for captures. */
	env->decoded_max = env->ratio_max = 0;
	rc = last ? tt_src_open_text(env, path, &src, err) : tt_src_open(env, path, &src, err);
	if (rc == TT_OK) {
		rc = cut_lines(env, src, last, line, arg, err);
		tt_src_close(src);
		if (rc < 0 && rc != TT_E_STOPPED)
			rc = tt_err_in(err, "%s", path);
	}
	env->decoded_max = decoded;
	env->ratio_max = ratio;
	return rc;
}

/* --- merging --------------------------------------------------------------------------- */

/* Make the run's next line its head. */
static int
advance(struct tt_results *rs, struct run *r, struct tt_err *err)
{
	for (;;) {
		char *lf = r->n > r->used ? memchr(r->buf + r->used, '\n', r->n - r->used) : NULL;
		size_t some, nkey;
		int64_t got;

		if (lf) {
			char *p = r->buf + r->used;
			size_t n = (size_t)(lf - p);
			const char *key = tt_result_scan(p, n, &nkey);

			if (!key)
				return tt_fail_sys(err, EIO, "a temporary file changed while it was read");
			r->head = (struct line){ .p = p, .n = (uint32_t)n, .key = key, .nkey = (uint32_t)nkey };
			r->used += n + 1;
			return TT_OK;
		}
		if (r->at == r->end) {
			r->over = true;
			return TT_OK;
		}
		if (r->n > r->used)
			memmove(r->buf, r->buf + r->used, r->n - r->used);
		r->n -= r->used;
		r->used = 0;
		if (r->cap - r->n < READ_BYTES &&
		    tt_mem_grow(&rs->env->mem, &r->buf, &r->cap, r->n + READ_BYTES, 1, err) != TT_OK)
			return err->code;
		some = r->end - r->at < r->cap - r->n ? (size_t)(r->end - r->at) : r->cap - r->n;
		got = tt_sys_pread(rs->fd, r->buf + r->n, some, r->at);
		if (got <= 0 && errno != EINTR)
			return tt_fail_sys(err, got ? errno : EIO, "cannot read a temporary file");
		r->n += got > 0 ? (size_t)got : 0;
		r->at += got > 0 ? (uint64_t)got : 0;
	}
}

/* Restore the order of a heap of runs by their head lines, below ${i}. */
static void
sink_down(struct run **heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < n; k++) {
			if (compare(&heap[k]->head, &heap[least]->head) < 0)
				least = k;
		}
		if (least == i)
			return;
		struct run *t = heap[i];
		heap[i] = heap[least];
		heap[least] = t;
		i = least;
	}
}

/* --- one key ------------------------------------------------------------------------------ */

static const char *
member_text(const struct tt_results *rs, size_t i)
{
	return rs->group.p + rs->member[i].at;
}

static int
give(struct tt_results *rs, const struct tt_results_out *out, const char *line, size_t n, struct tt_result *r,
    struct tt_err *err)
{
	if (tt_copies_note(&rs->copies, &rs->env->mem, r, err) != TT_OK)
		return err->code;
	if (out->some)
		r->missing = r->before = 0;
	rs->sum.kept++;
	rs->sum.captures += strcmp(r->type, "capture") == 0;
	return out->line(out->arg, line, n, r, err);
}

static int compare_times(const struct tt_result *a, const struct tt_result *b);

static const char *
listing_of(const struct tt_result *r)
{
	const char *s = json_string_value(json_object_get(r->doc, "listing"));

	return s ? s : "";
}

/* True if ${r} is a part of the same archive as ${of}; with ${alike}, also with the same members, if known. A result to be tried again is no part. */
static bool
is_part(const struct tt_result *r, const struct tt_result *of, bool alike)
{
	const char *a = listing_of(r), *b = listing_of(of);

	return r->parts == of->parts && !tt_result_again(r) && (!alike || !*a || !*b || strcmp(a, b) == 0);
}

/* True if all parts of the archive of ${of} are there. ${r}: sorted by number of parts, then part. */
static bool
all_came(const struct tt_result *r, size_t n, const struct tt_result *of, bool alike)
{
	unsigned have = 0, last = 0;

	for (size_t k = 0; k < n; k++) {
		if (is_part(&r[k], of, alike) && r[k].part > last) {
			last = r[k].part;
			have++;
		}
	}
	return have == of->parts;
}

/* A part of an archive all parts of which are there; of several such archives, the newest. NULL: there is none. *${mixed}: the parts list different members. */
static const struct tt_result *
complete(const struct tt_result *r, size_t n, bool *mixed)
{
	const struct tt_result *found = NULL, *seen = NULL;

	*mixed = false;
	for (size_t i = 0; i < n; i++) {
		if (!r[i].parts || (seen && seen->parts == r[i].parts && strcmp(listing_of(seen), listing_of(&r[i])) == 0))
			continue;
		seen = &r[i];
		if (all_came(r, n, seen, true) && (!found || compare_times(seen, found) > 0))
			found = seen;
	}
	for (size_t i = 0; i < n && !found; i++) {
		if (r[i].parts && all_came(r, n, &r[i], false)) {
			*mixed = true;
			return &r[i];
		}
	}
	return found;
}

static int
join_parts(struct tt_results *rs, const struct tt_results_out *out, const struct tt_result *r, size_t n, const struct tt_result *of, bool alike,
    struct tt_err *err)
{
	struct tt_result_id id = { .key = of->key, .nkey = strlen(of->key), .type = "archive", .by = of->by,
		.file_size = of->file_size };
	struct tt_buf body = { 0 }, line = { 0 };
	struct tt_result whole = { 0 };
	struct tt_record rec;
	unsigned last = 0;
	long long s = 0, ns = 0;
	int rc = TT_OK;

	tt_record_begin(&rec, "");
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		if (r[i].part <= last || !is_part(&r[i], of, alike))
			continue;
		last = r[i].part;
		rc = tt_record_join(&rec, r[i].doc, err);
	}
	if (sscanf(of->mtime, "%lld.%lld", &s, &ns) == 2)
		id.file_mtime_ns = s * 1000000000 + ns;
	TT_THEN(rc, tt_record_put(&rec, &body, err));
	TT_THEN(rc, tt_result_facts(&body, json_object_get(of->doc, "meta"), err));
	TT_THEN(rc, tt_result_compose(&line, &id, body.p, body.n, err));
	TT_THEN(rc, tt_result_load(line.p, line.n - 1, &whole, err));
	TT_THEN(rc, give(rs, out, line.p, line.n - 1, &whole, err));
	tt_result_free(&whole);
	tt_record_free(&rec);
	tt_buf_free(&body);
	tt_buf_free(&line);
	return rc;
}

static int
by_parts(const void *a, const void *b)
{
	const struct tt_result *x = a, *y = b;

	if (x->parts != y->parts)
		return x->parts < y->parts ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

/*
 * True if two results differ in options or contents. If a hash is missing, because a file could not be read, compare lengths and times of files; archives have
 * no hash, and their copies may differ in time.
 */
static bool
differ(const struct tt_result *a, const struct tt_result *b)
{
	const bool hashes = a->hash[0] && b->hash[0];

	return strcmp(a->type, b->type) != 0 || a->by != b->by || (hashes ? strcmp(a->hash, b->hash) != 0 :
	    !tt_result_again(a) && !tt_result_again(b) && (a->file_size != b->file_size ||
	    (strcmp(a->type, "capture") == 0 && strcmp(a->mtime, b->mtime) != 0)));
}

/* 1 if the file of ${a} is newer than that of ${b}, -1 if it is older, 0 if neither. */
static int
compare_times(const struct tt_result *a, const struct tt_result *b)
{
	long long s[2] = { 0, 0 }, ns[2] = { 0, 0 };

	sscanf(a->mtime, "%lld.%lld", &s[0], &ns[0]);
	sscanf(b->mtime, "%lld.%lld", &s[1], &ns[1]);
	return s[0] != s[1] ? (s[0] > s[1] ? 1 : -1) : ns[0] != ns[1] ? (ns[0] > ns[1] ? 1 : -1) : 0;
}

/*
 * The best of the results that are whole. If contents differ (${changed}), the one of the newest file, which replaced the others; then the first of its rank,
 * since they are sorted by their bytes.
 */
static size_t
best_of(const struct tt_result *r, size_t n, bool changed)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < n; i++) {
		int c;

		if (r[i].parts != 0)
			continue;
		c = best == SIZE_MAX ? 1 : changed ? compare_times(&r[i], &r[best]) : 0;
		if (c > 0 || (c == 0 && tt_result_rank(&r[i]) > tt_result_rank(&r[best])))
			best = i;
	}
	return best;
}

/* Settle the loaded results of one key. */
static int
settle_loaded(struct tt_results *rs, const struct tt_results_out *out, struct tt_result *r, const size_t *at, size_t n,
    struct tt_err *err)
{
	bool conflict = false, mixed;
	const struct tt_result *of;
	size_t best;
	int rc = TT_OK;

	for (size_t i = 1; i < n; i++)
		conflict = conflict || differ(&r[0], &r[i]);
	best = best_of(r, n, conflict);
	if (conflict) {
		rs->sum.conflicts++;
		if (out->conflict)
			out->conflict(out->arg, best == SIZE_MAX ? &r[0] : &r[best]);
	}
	if (best != SIZE_MAX && !tt_result_again(&r[best]))
		return give(rs, out, member_text(rs, at[best]), rs->member[at[best]].n, &r[best], err);
	/* Join the records of parts, from sorted copies, because the texts belong to the unsorted places. */
	struct tt_result *sorted = tt_mem_alloc(&rs->env->mem, n * sizeof *sorted, err);
	if (!sorted)
		return err->code;
	memcpy(sorted, r, n * sizeof *sorted);
	tt_sort(sorted, n, by_parts);
	of = complete(sorted, n, &mixed);
	if (of) {
		if (mixed && !rs->sum.mixed[0])
			snprintf(rs->sum.mixed, sizeof rs->sum.mixed, "%s", of->key);
		rc = join_parts(rs, out, sorted, n, of, !mixed, err);
	} else {
		if (best != SIZE_MAX)
			rc = give(rs, out, member_text(rs, at[best]), rs->member[at[best]].n, &r[best], err);
		else
			rs->sum.missing++;
		for (size_t i = 0; i < n && rc == TT_OK; i++) {
			if (r[i].parts)
				rc = give(rs, out, member_text(rs, at[i]), rs->member[at[i]].n, &r[i], err);
		}
	}
	tt_mem_free(&rs->env->mem, sorted, n * sizeof *sorted);
	return rc;
}

/* Note the first result that was made with other options than the first one, and so cannot be added to it. */
static void
note_options(struct tt_results_sum *sum, const struct tt_result *r)
{
	if (sum->by == 0)
		sum->by = r->by;
	else if (!sum->other[0] && ((sum->by ^ r->by) & TT_RESULT_OPTIONS))
		snprintf(sum->other, sizeof sum->other, "%s", r->key);
}

/* Settle the lines of one key. */
static int
settle(struct tt_results *rs, const struct tt_results_out *out, struct tt_err *err)
{
	struct tt_result *r;
	size_t *at, n = 0, max = rs->nmember;
	struct tt_err why;
	int rc;

	if (max == 0)
		return TT_OK;
	r = tt_mem_alloc(&rs->env->mem, max * sizeof *r, err);
	at = tt_mem_alloc(&rs->env->mem, max * sizeof *at, err);
	rc = r && at ? TT_OK : err->code;
	for (size_t i = 0; i < max && rc == TT_OK; i++) {
		if (tt_result_load(member_text(rs, i), rs->member[i].n, &r[n], &why) != TT_OK) {
			rs->sum.bad++;
		} else if (out->keep && !out->keep(out->arg, &r[n])) {
			tt_result_free(&r[n]);
		} else {
			note_options(&rs->sum, &r[n]);
			at[n++] = i;
		}
	}
	if (rc == TT_OK && n > 0)
		rc = settle_loaded(rs, out, r, at, n, err);
	for (size_t i = 0; i < n; i++)
		tt_result_free(&r[i]);
	tt_mem_free(&rs->env->mem, r, max * sizeof *r);
	tt_mem_free(&rs->env->mem, at, max * sizeof *at);
	rs->nmember = 0;
	rs->group.n = 0;
	return rc;
}

/* Add a line to the group, or begin the next one with it. */
static int
take(struct tt_results *rs, const struct tt_results_out *out, const struct line *l, struct tt_err *err)
{
	int rc = TT_OK;

	if (rs->nmember > 0) {
		const char *first = member_text(rs, 0), *last = member_text(rs, rs->nmember - 1);
		size_t nkey, nlast = rs->member[rs->nmember - 1].n;
		const char *key = tt_result_scan(first, rs->member[0].n, &nkey);

		if (nlast == l->n && memcmp(last, l->p, l->n) == 0)
			return TT_OK;
		if (compare_keys(key, nkey, l->key, l->nkey) != 0)
			rc = settle(rs, out, err);
	}
	TT_THEN(rc, tt_mem_grow(&rs->env->mem, &rs->member, &rs->capmember, rs->nmember + 1, sizeof *rs->member, err));
	if (rc != TT_OK)
		return rc;
	rs->member[rs->nmember].at = rs->group.n;
	rs->member[rs->nmember++].n = l->n;
	tt_buf_add(&rs->group, l->p, l->n);
	return tt_buf_error(&rs->group, err);
}

int
tt_results_finish(struct tt_results *rs, const struct tt_results_out *out, struct tt_results_sum *sum, struct tt_err *err)
{
	struct run **heap;
	size_t n = 0;
	int rc = spill(rs, err);

	/* The memory that held lines is not needed while runs are merged. */
	tt_mem_free(&rs->env->mem, rs->text, RUN_BYTES);
	rs->text = NULL;
	tt_mem_free(&rs->env->mem, rs->line, rs->capline * sizeof *rs->line);
	rs->line = NULL;
	rs->capline = 0;
	heap = tt_mem_alloc(&rs->env->mem, (rs->nrun + 1) * sizeof *heap, err);
	if (!heap)
		return err->code;
	for (size_t i = 0; i < rs->nrun && rc == TT_OK; i++) {
		rc = advance(rs, &rs->run[i], err);
		if (!rs->run[i].over)
			heap[n++] = &rs->run[i];
	}
	for (size_t i = n; i-- > 0;)
		sink_down(heap, n, i);
	while (rc == TT_OK && n > 0) {
		rc = take(rs, out, &heap[0]->head, err);
		TT_THEN(rc, advance(rs, heap[0], err));
		if (heap[0]->over)
			heap[0] = heap[--n];
		sink_down(heap, n, 0);
		if (tt_stopped(rs->env))
			rc = tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	}
	TT_THEN(rc, settle(rs, out, err));
	tt_mem_free(&rs->env->mem, heap, (rs->nrun + 1) * sizeof *heap);
	*sum = rs->sum;
	return rc;
}
