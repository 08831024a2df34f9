/**
 * Sorts zones by begin.
 */
#include "emit/slice_sort.h"

#include <string.h>

#include "base/order.h"
#include "emit/emit.h"
#include "emit/text_spool.h"
#include "io/spool.h"
#include "sys/sys.h"

#define PENDING ((size_t)32768)       /* slices buffered in memory: 1 MiB */
#define READ_AHEAD ((size_t)1024)

/*
 * A begun zone, which comes after ${before} slices of its thread's runs. Until it ends, dur is TT_SLICE_BEGUN, and key the index + 1 of the begun zone around
 * it.
 */
struct tt_slices_begun {
	struct tt_slice s;
	uint64_t before;
};

void
tt_slices_init(struct tt_slices *s, struct tt_env *env, uint64_t *used)
{
	*s = (struct tt_slices){ .env = env, .used = used, .fd = -1 };
}

void
tt_slices_free(struct tt_slices *s)
{
	struct tt_mem *mem;

	if (!s->env)
		return;
	mem = &s->env->mem;
	for (size_t i = 0; i < s->capthread; i++) {
		tt_mem_free(mem, s->thread[i].run, s->thread[i].caprun * sizeof *s->thread[i].run);
		tt_mem_free(mem, s->thread[i].begun, s->thread[i].capbegun * sizeof *s->thread[i].begun);
		tt_mem_free(mem, s->thread[i].late, s->thread[i].caplate * sizeof *s->thread[i].late);
	}
	tt_mem_free(mem, s->thread, s->capthread * sizeof *s->thread);
	tt_mem_free(mem, s->pending, PENDING * sizeof *s->pending);
	if (s->fd >= 0)
		tt_sys_close(s->fd);
	tt_slices_init(s, s->env, s->used);
}

/* --- the file ----------------------------------------------------------- */

static int
flush(struct tt_slices *s, struct tt_err *err)
{
	int rc = tt_text_spool_write(s->env, s->used, &s->fd, s->written * sizeof *s->pending, s->pending,
	    s->npending * sizeof *s->pending, err);

	if (rc == TT_OK) {
		s->written += s->npending;
		s->npending = 0;
	}
	return rc;
}

/* --- in ----------------------------------------------------------------- */

static int
find_thread(struct tt_slices *s, const struct tt_thread *thread, struct tt_slices_thread **t, struct tt_err *err)
{
	struct tt_mem *mem = &s->env->mem;
	int rc = tt_mem_grow(mem, &s->thread, &s->capthread, (size_t)thread->index + 1, sizeof *s->thread, err);

	if (rc != TT_OK)
		return rc;
	if (s->nthread <= thread->index)
		s->nthread = (size_t)thread->index + 1;
	if (!s->pending) {
		s->pending = tt_mem_alloc(mem, PENDING * sizeof *s->pending, err);
		if (!s->pending)
			return err ? err->code : TT_E_NOMEM;
	}
	*t = &s->thread[thread->index];
	(*t)->thread = thread;
	return TT_OK;
}

static int
add_late(struct tt_slices *s, struct tt_slices_thread *t, const struct tt_slice *slice, struct tt_err *err)
{
	int rc = tt_mem_grow(&s->env->mem, &t->late, &t->caplate, t->nlate + 1, sizeof *t->late, err);

	if (rc == TT_OK)
		t->late[t->nlate++] = *slice;
	return rc;
}

/* Begin a run at the place of the next slice, unless the thread's last run ends there. */
static int
open_run(struct tt_slices *s, struct tt_slices_thread *t, struct tt_err *err)
{
	uint64_t at = s->written + s->npending;
	int rc;

	if (t->nrun && t->run[t->nrun - 1].at + t->run[t->nrun - 1].n == at)
		return TT_OK;
	rc = tt_mem_grow(&s->env->mem, &t->run, &t->caprun, t->nrun + 1, sizeof *t->run, err);
	if (rc == TT_OK)
		t->run[t->nrun++] = (struct tt_slices_run){ .at = at };
	return rc;
}

/* True if the slice begins before the last one, or encloses it. A zone that begins at the same time may follow if the last one has length 0. */
static bool
is_late(const struct tt_slices_thread *t, const struct tt_slice *s)
{
	return (t->nrun || t->nbegun) && (s->ts < t->last_ts || (s->ts == t->last_ts && s->depth < t->last_depth && !t->last_empty));
}

static int
add(struct tt_slices *s, struct tt_slices_thread *t, const struct tt_slice *slice, struct tt_err *err)
{
	int rc = TT_OK;

	if (is_late(t, slice))
		return add_late(s, t, slice, err);
	if (s->npending == PENDING)
		rc = flush(s, err);
	TT_THEN(rc, open_run(s, t, err));
	if (rc != TT_OK)
		return rc;
	s->pending[s->npending++] = *slice;
	t->run[t->nrun - 1].n++;
	t->n++;
	t->last_ts = slice->ts;
	t->last_depth = slice->depth;
	t->last_empty = slice->dur == 0;
	return TT_OK;
}

/* Leave the begun zones at ${depth} and deeper. */
static void
close_begun(struct tt_slices_thread *t, uint32_t depth)
{
	while (t->open && t->begun[t->open - 1].s.depth >= depth)
		t->open = t->begun[t->open - 1].s.key;
}

/* Add the begin of a zone. If time went back (a damaged capture), add nothing: the zone is sorted by time when it ends. */
static int
add_begun(struct tt_slices *s, struct tt_slices_thread *t, const struct tt_slice *slice, struct tt_err *err)
{
	close_begun(t, slice->depth);
	if ((t->nrun || t->nbegun) && slice->ts < t->last_ts)
		return TT_OK;
	int rc = tt_mem_grow(&s->env->mem, &t->begun, &t->capbegun, t->nbegun + 1, sizeof *t->begun, err);
	if (rc != TT_OK)
		return rc;
	t->begun[t->nbegun] = (struct tt_slices_begun){ *slice, t->n };
	t->begun[t->nbegun].s.key = t->open;
	t->open = ++t->nbegun;
	t->last_ts = slice->ts;
	t->last_depth = 0;
	return TT_OK;
}

/* Add the end of a zone whose begin may have been added. */
static int
end_begun(struct tt_slices *s, struct tt_slices_thread *t, const struct tt_slice *slice, struct tt_err *err)
{
	close_begun(t, slice->depth + 1);
	struct tt_slice *begun = t->open ? &t->begun[t->open - 1].s : NULL;
	if (!begun || begun->depth != slice->depth || begun->ts != slice->ts)
		return add_late(s, t, slice, err);
	t->open = begun->key;
	*begun = *slice;
	return TT_OK;
}

int
tt_slices_add(struct tt_slices *s, const struct tt_thread *thread, const void *p, size_t n, struct tt_text_spool *aside,
    struct tt_err *err)
{
	const char *at = p, *text = at + n * sizeof(struct tt_slice);
	struct tt_slices_thread *t = NULL;
	int rc = find_thread(s, thread, &t, err);

	for (; n > 0 && rc == TT_OK; n--, at += sizeof(struct tt_slice)) {
		struct tt_slice z;

		memcpy(&z, at, sizeof z);
		const bool late = aside ? z.flags & TT_SLICES_LATE : z.flags & TT_SLICE_ENDS;
		if (aside)
			z.flags &= ~TT_SLICES_LATE;
		if (aside && z.flags) {
			size_t own = z.flags;

			rc = tt_text_spool_put(aside, text, own, &z.flags, err);
			text += own;
		}
		TT_THEN(rc, z.dur == TT_SLICE_BEGUN ? add_begun(s, t, &z, err) : late ? end_begun(s, t, &z, err) : add(s, t, &z, err));
	}
	return rc;
}

int
tt_slices_add_late(struct tt_slices *s, const struct tt_thread *thread, const struct tt_slice *slice,
    struct tt_err *err)
{
	struct tt_slices_thread *t = NULL;
	int rc = find_thread(s, thread, &t, err);

	return rc == TT_OK ? add_late(s, t, slice, err) : rc;
}

/* --- out ---------------------------------------------------------------- */

/* Reads the runs of a thread in pieces, merged with its begun zones. */
struct reader {
	const struct tt_slices *s;
	const struct tt_slices_thread *t;
	size_t run, in_run;           /* run and index in the run of the next slice to fetch */
	struct tt_slice buf[READ_AHEAD];
	size_t at, n;
	uint64_t read;                /* number of slices of the runs that were taken */
	size_t begun;                 /* index of the next begun zone that has ended */
	uint64_t before;              /* number of slices before that zone; UINT64_MAX: no more begun zones */
};

static int
fetch(struct reader *r, struct tt_err *err)
{
	const struct tt_slices_run *run = &r->t->run[r->run];
	uint64_t at = run->at + r->in_run;
	size_t n = run->n - r->in_run;
	int rc = TT_OK;

	if (n > READ_AHEAD)
		n = READ_AHEAD;
	if (at >= r->s->written) {
		memcpy(r->buf, r->s->pending + (at - r->s->written), n * sizeof *r->buf);
	} else {
		/* A run may extend from the file into memory; the part in memory comes with the next piece. */
		if (n > r->s->written - at)
			n = (size_t)(r->s->written - at);
		rc = tt_spool_read(r->s->env, r->s->fd, "zones", at * sizeof *r->buf, r->buf, n * sizeof *r->buf, err);
	}
	r->at = 0;
	r->n = n;
	r->in_run += n;
	if (r->in_run == run->n) {
		r->run++;
		r->in_run = 0;
	}
	return rc;
}

/* Find the next slice in order; *${slice} is NULL after the last. */
static int
peek(struct reader *r, const struct tt_slice **slice, struct tt_err *err)
{
	int rc = TT_OK;

	if (r->read == r->before) {
		*slice = &r->t->begun[r->begun].s;
		return TT_OK;
	}
	*slice = NULL;
	while (r->at == r->n && r->run < r->t->nrun && rc == TT_OK)
		rc = fetch(r, err);
	if (rc == TT_OK && r->at < r->n)
		*slice = &r->buf[r->at];
	return rc;
}

/* Make ${i}, or the first begun zone after it that has ended, the next one. */
static void
find_begun(struct reader *r, size_t i)
{
	const struct tt_slices_thread *t = r->t;

	while (i < t->nbegun && t->begun[i].s.dur == TT_SLICE_BEGUN)
		i++;
	r->begun = i;
	r->before = i < t->nbegun ? t->begun[i].before : UINT64_MAX;
}

/* Advance past the slice that peek() found. */
static void
take(struct reader *r)
{
	if (r->read == r->before) {
		find_begun(r, r->begun + 1);
	} else {
		r->at++;
		r->read++;
	}
}

static int
by_begin(const void *a, const void *b)
{
	const struct tt_slice *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->dur != y->dur)
		return x->dur < y->dur ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/* True if the late zone ${l} comes before ${s}; of zones that begin together the outer one comes first. */
static bool
is_before(const struct tt_slice *l, const struct tt_slice *s)
{
	return l->ts < s->ts || (l->ts == s->ts && l->depth < s->depth);
}

int
tt_slices_each(struct tt_slices *s, size_t i,
    int (*f)(void *arg, const struct tt_slice *slice, struct tt_err *err), void *arg, struct tt_err *err)
{
	struct tt_slices_thread *t = &s->thread[i];
	struct reader *r;
	const struct tt_slice *next;
	size_t late = 0;
	int rc;

	r = tt_mem_alloc(&s->env->mem, sizeof *r, err);
	if (!r)
		return err ? err->code : TT_E_NOMEM;
	r->s = s;
	r->t = t;
	find_begun(r, 0);
	tt_sort(t->late, t->nlate, by_begin);
	for (;;) {
		rc = peek(r, &next, err);
		if (rc != TT_OK || (!next && late == t->nlate))
			break;
		if (late < t->nlate && (!next || is_before(&t->late[late], next)))
			next = &t->late[late++];
		else
			take(r);
		rc = f(arg, next, err);
		if (rc != TT_OK)
			break;
	}
	tt_mem_free(&s->env->mem, r, sizeof *r);
	return rc;
}
