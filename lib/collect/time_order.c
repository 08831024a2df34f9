/**
 * Brings events of several threads into the order of their time.
 */
#include "collect/time_order.h"

#include <string.h>

#include "base/order.h"
#include "io/spool.h"
#include "sys/sys.h"

static const char what[] = "events in the order of their time";

static int
by_time(const void *a, const void *b)
{
	const struct tt_timed *x = a, *y = b;

	if (x->process != y->process)
		return TT_CMP(x->process, y->process);
	return x->at != y->at ? TT_CMP(x->at, y->at) : TT_CMP(x->order, y->order);
}

static bool
join(void *into, const void *next)
{
	(void)into, (void)next;
	return false;
}

static const struct tt_sorter_form form = { sizeof(struct tt_timed), what, by_time, join, NULL };

void
tt_time_order_init(struct tt_time_order *o, struct tt_env *env)
{
	*o = (struct tt_time_order){ .fd = -1 };
	tt_sorter_init(&o->events, env, &form);
}

void
tt_time_order_free(struct tt_time_order *o)
{
	struct tt_env *env = o->events.env;

	if (!env)
		return;
	tt_sorter_free(&o->events);
	tt_mem_free(&env->mem, o->now, o->nnow * sizeof *o->now);
	tt_mem_free(&env->mem, o->word, o->capword * sizeof *o->word);
	if (o->fd >= 0)
		tt_sys_close(o->fd);
	tt_time_order_init(o, env);
}

/* --- in --------------------------------------------------------------------------------- */

/* *${at}: the time ${ts} of an event, or the latest time of its thread so far if that is later. */
static int
place(struct tt_time_order *o, uint32_t thread, int64_t ts, int64_t *at, struct tt_err *err)
{
	size_t had = o->nnow;
	int rc = tt_mem_grow(&o->events.env->mem, &o->now, &o->nnow, (size_t)thread + 1, sizeof *o->now, err);

	if (rc != TT_OK)
		return rc;
	for (; had < o->nnow; had++)
		o->now[had] = INT64_MIN;
	if (ts > o->now[thread])
		o->now[thread] = ts;
	*at = o->now[thread];
	return TT_OK;
}

/* Move the words that are in memory to the spool. */
static int
spool_words(struct tt_time_order *o, struct tt_err *err)
{
	const struct tt_env *env = o->events.env;
	int rc = o->fd < 0 ? tt_spool_open(env, &o->fd, err) : TT_OK;

	TT_THEN(rc, tt_spool_add(env, &o->fd, o->spooled * sizeof *o->word, o->word, o->nword * sizeof *o->word, err));
	if (rc != TT_OK)
		return rc;
	o->spooled += o->nword;
	o->nword = 0;
	return TT_OK;
}

static int
add_words(struct tt_time_order *o, struct tt_timed *t, const uint64_t *word, uint32_t n, struct tt_err *err)
{
	int rc = o->nword > 0 && o->nword + n > TT_TIME_WORDS ? spool_words(o, err) : TT_OK;

	TT_THEN(rc, tt_mem_grow(&o->events.env->mem, &o->word, &o->capword, o->nword + n, sizeof *o->word, err));
	if (rc != TT_OK)
		return rc;
	t->word = o->spooled + o->nword;
	t->nword = n;
	memcpy(o->word + o->nword, word, n * sizeof *word);
	o->nword += n;
	return TT_OK;
}

/* Copy the second slot of ${e} to ${t}, and the words that collectors use. */
static int
add_second(struct tt_time_order *o, struct tt_timed *t, const struct tt_batch *b, const struct tt_event *e, struct tt_err *err)
{
	const uint64_t *word = b->word;
	uint64_t at = e[1].val;

	t->e[1] = e[1];
	switch (e->kind) {
	case TT_GC_MOVE:
		if (e[1].dur > 1)
			return add_words(o, t, word + at, e[1].dur, err);
		return TT_OK;
	case TT_ALLOC:
		t->e[0].flags &= (uint8_t)~TT_F_STACK;
		t->nword = (e->flags & TT_F_OBJECT) != 0;
		t->word = tt_alloc_object(b, e);
		return TT_OK;
	case TT_HEAP_OBJECT:
		t->nword = 1;
		t->word = word[at];
		return TT_OK;
	default:
		return TT_OK;
	}
}

static bool
has_second(const struct tt_event *e)
{
	return e->kind == TT_ALLOC ? (e->flags & (TT_F_WIDE | TT_F_STACK | TT_F_OBJECT | TT_F_WEIGHTED)) != 0 : (e->flags & TT_F_MORE) != 0;
}

int
tt_time_order_add(struct tt_time_order *o, const struct tt_batch *b, const struct tt_event *e, uint32_t node, bool skipped,
    struct tt_err *err)
{
	struct tt_timed t = { .e = { *e }, .order = o->n, .process = b->process, .thread = b->thread, .node = node, .skipped = skipped };
	int rc = place(o, b->thread, e->ts, &t.at, err);

	if (rc == TT_OK && has_second(e))
		rc = add_second(o, &t, b, e, err);
	if (rc != TT_OK)
		return rc;
	o->n++;
	return tt_sorter_add(&o->events, &t, err);
}

int
tt_time_order_done(struct tt_time_order *o, struct tt_err *err)
{
	return tt_sorter_done(&o->events, err);
}

/* --- out -------------------------------------------------------------------------------- */

/* Read the words of ${t} into ${b}, as its only ones. */
static int
get_words(const struct tt_time_order *o, struct tt_timed *t, struct tt_batch *b, struct tt_err *err)
{
	struct tt_env *env = o->events.env;
	int rc = tt_mem_grow(&env->mem, &b->word, &b->capword, t->nword, sizeof *b->word, err);

	b->nword = t->nword;
	t->e[1].val = 0;
	if (rc != TT_OK)
		return rc;
	if (t->nword == 1)
		b->word[0] = t->word;
	else if (t->word >= o->spooled)
		memcpy(b->word, o->word + (t->word - o->spooled), t->nword * sizeof *b->word);
	else
		rc = tt_spool_read(env, o->fd, what, t->word * sizeof *b->word, b->word, t->nword * sizeof *b->word, err);
	return rc;
}

static int
hand_out(const struct tt_time_order *o, struct tt_sorted *events, struct tt_batch *b,
    int (*take)(void *arg, struct tt_timed *of, const struct tt_batch *b, struct tt_err *err), void *arg, struct tt_err *err)
{
	const void *rec;
	int rc;

	while ((rc = tt_sorted_next(events, &rec, err)) == TT_OK && rec) {
		struct tt_timed t = *(const struct tt_timed *)rec;

		if (tt_stopped(o->events.env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		b->process = t.process;
		b->thread = t.thread;
		if (t.nword > 0)
			rc = get_words(o, &t, b, err);
		TT_THEN(rc, take(arg, &t, b, err));
		if (rc != TT_OK)
			return rc;
	}
	return rc;
}

int
tt_time_order_each(const struct tt_time_order *o, int (*take)(void *arg, struct tt_timed *of, const struct tt_batch *b, struct tt_err *err),
    void *arg, struct tt_err *err)
{
	struct tt_mem *mem = &o->events.env->mem;
	struct tt_batch b = { .mem = mem };
	struct tt_sorted *events;
	int rc = o->n > 0 ? tt_sorted_open(&o->events, &events, err) : TT_OK;

	if (rc != TT_OK || o->n == 0)
		return rc;
	rc = hand_out(o, events, &b, take, arg, err);
	tt_sorted_close(events);
	tt_mem_free(mem, b.word, b.capword * sizeof *b.word);
	return rc;
}
