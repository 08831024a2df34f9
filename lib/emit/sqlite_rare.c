/**
 * SQLite: counters, samples, flows, objects and roots of heap shots, and events of all other kinds.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_seed.h"
#include "collect/counters.h"
#include "emit/json_args.h"
#include "emit/common.h"
#include "emit/rare_record.h"
#include "emit/sqlite.h"

enum { FLOW_COLUMNS = 4, OBJECT_COLUMNS = 5, OBJECT_ROWS = 4096 };

void
tt_sqlite_number(struct tt_db_insert *to, size_t col, const char *text)
{
	char *end;

	if (!*text)
		return;
	errno = 0;
	long long whole = strtoll(text, &end, 10);
	if (!*end && !errno) {
		tt_db_int(to, col, whole);
		return;
	}
	double real = strtod(text, &end);
	if (*end)
		tt_db_text(to, col, text, strlen(text));
	else if (!isnan(real))
		tt_db_real(to, col, real);
}

/* Return the row of a counter, after making it at the counter's first value. */
static int64_t
counter_of(struct sqlite_db *s, const struct tt_view *v, const struct tt_event *e, const struct tt_rare_record *r)
{
	const struct tt_def *def = tt_counter_def(v->cap, e);
	const uint32_t process = v->cap->process;
	const uint64_t key = e->dur;
	const uint64_t hash = tt_seeded_pair(process, key);
	uint32_t i = tt_map_find(&s->counters, hash, k, s->counter[k].key == key && s->counter[k].def == def && s->counter[k].process == process);
	struct tt_err err = { 0 };

	if (i)
		return i;
	if (tt_map_push(&s->counters, &s->e.env->mem, hash, &s->counter, &s->capcounter, s->ncounter, &err) != TT_OK) {
		tt_db_fail(s->db, &err);
		return 0;
	}
	s->counter[s->ncounter++] = (struct sqlite_counter){ key, def, process };
	struct tt_db_insert *to = s->counter_rows;
	tt_db_int(to, 0, (int64_t)s->ncounter);
	tt_db_int(to, 1, (int64_t)process + 1);
	tt_db_text(to, 2, r->name, r->nname);
	if (r->ncategory)
		tt_db_text(to, 3, r->category, r->ncategory);
	if (r->value[0])
		tt_db_text(to, 4, r->detail, r->ndetail);
	tt_db_row(to);
	return (int64_t)s->ncounter;
}

static void
put_counter(struct sqlite_db *s, const struct tt_view *v, const struct tt_event *e, const struct tt_rare_record *r)
{
	tt_db_int(s->points, 0, counter_of(s, v, e, r));
	tt_db_int(s->points, 1, e->ts);
	if (e->depth == TT_T_TEXT && r->ndetail)
		tt_db_text(s->points, 2, r->detail, r->ndetail);
	else if (e->depth != TT_T_TEXT)
		tt_sqlite_number(s->points, 2, r->value);
	tt_db_row(s->points);
}

static void
put_sample(struct sqlite_db *s, const struct tt_view *v, size_t i, const struct tt_rare_record *r)
{
	const struct tt_event *e = &v->b->ev[i];
	uint32_t stack = tt_sqlite_stack(s, v, i);

	tt_db_int(s->samples, 1, (int64_t)r->thread + 1);
	tt_db_int(s->samples, 2, e->ts);
	tt_db_int(s->samples, 3, (int64_t)e->val);
	if (stack)
		tt_db_int(s->samples, 4, stack);
	tt_db_row(s->samples);
}

/* Buffer a flow: flows are many and are passed to SQLite together. */
static int
put_flow(struct sqlite_db *s, const struct tt_event *e, const struct tt_rare_record *r, struct tt_err *err)
{
	const int64_t row[FLOW_COLUMNS] = { (int64_t)e->val, e->ts, (int64_t)r->thread + 1, e->depth };
	int rc = tt_mem_grow(&s->e.env->mem, &s->row, &s->caprow, (s->nrow + 1) * FLOW_COLUMNS, sizeof *s->row, err);

	if (rc == TT_OK)
		memcpy(s->row + s->nrow++ * FLOW_COLUMNS, row, sizeof row);
	return rc;
}

static void
flush_objects(struct sqlite_db *s, const struct tt_view *v)
{
	tt_db_rows(s->objects, (int64_t)v->thread->index + 1, s->object, s->nobject, OBJECT_COLUMNS);
	s->nobject = 0;
}

/* Buffer an object; size 0 continues the references of an earlier object. */
static int
put_object(struct sqlite_db *s, const struct tt_view *v, size_t i, struct tt_err *err)
{
	const struct tt_event *e = &v->b->ev[i], *x = tt_event_ext(v->b, i);
	uint32_t class = 0;
	int rc;

	if (!x || x->ts == 0 || x->val >= v->b->nword)
		return TT_OK;
	rc = tt_mem_grow(&s->e.env->mem, &s->object, &s->capobject, OBJECT_ROWS * OBJECT_COLUMNS, sizeof *s->object, err);
	TT_THEN(rc, tt_sqlite_class(s, v, v->b->word[x->val], e->ts, &class, err));
	if (rc != TT_OK)
		return rc;
	const int64_t row[OBJECT_COLUMNS] = { tt_sqlite_or_null(s->shot), e->ts, (int64_t)e->val, tt_sqlite_or_null(class), x->ts };
	memcpy(s->object + s->nobject++ * OBJECT_COLUMNS, row, sizeof row);
	if (s->nobject == OBJECT_ROWS)
		flush_objects(s, v);
	return TT_OK;
}

static void
put_root(struct sqlite_db *s, const struct tt_view *v, size_t i)
{
	const struct tt_event *e = &v->b->ev[i], *x = tt_event_ext(v->b, i);
	struct tt_db_insert *to = s->roots;

	tt_db_int(to, 1, (int64_t)v->thread->index + 1);
	tt_db_int(to, 2, e->ts);
	tt_db_int(to, 3, (int64_t)e->val);
	if (x && x->ts)
		tt_db_int(to, 4, x->ts);
	tt_db_row(to);
}

/* Handle an object or root of a heap shot, of which there are many. False: the event is something else. */
static bool
put_shot(struct sqlite_db *s, const struct tt_view *v, size_t i, int *rc, struct tt_err *err)
{
	const struct tt_event *e = &v->b->ev[i];
	const bool wanted = tt_emit_in_time(&s->e.m->filter, e->ts);

	if (e->kind == TT_HEAP_SHOT && wanted)
		s->shot = e->flags & TT_F_END ? 0 : ++s->nshot;
	if (e->kind != TT_HEAP_OBJECT && e->kind != TT_HEAP_ROOT)
		return false;
	if (!wanted || !tt_emit_by_thread(v, i))
		return true;
	if (e->kind == TT_HEAP_OBJECT)
		*rc = put_object(s, v, i, err);
	else
		put_root(s, v, i);
	return true;
}

static void
put_event(struct sqlite_db *s, const struct tt_event *e, const struct tt_rare_record *r)
{
	struct tt_db_insert *to = s->events;

	tt_db_int(to, 1, e->ts);
	tt_db_int(to, 2, (int64_t)r->thread + 1);
	tt_db_text(to, 3, r->kind, strlen(r->kind));
	if (r->marker)
		tt_db_text_or_null(to, 4, tt_emit_brief(&s->e, tt_emit_marker(r->marker)));
	else if (r->nname)
		tt_db_text(to, 4, r->name, r->nname);
	tt_sqlite_number(to, 5, r->value);
	if (r->ndetail)
		tt_db_text(to, 6, r->detail, r->ndetail);
	if (r->args.n) {
		s->scratch.n = 0;
		tt_emit_args(&r->args, r->marker ? r->marker->arg_instant : NULL, s->own->blobs, &s->scratch);
		tt_db_text(to, 7, s->scratch.failed ? "" : s->scratch.p, s->scratch.failed ? 0 : s->scratch.n);
	}
	tt_db_row(to);
}

int
tt_sqlite_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct sqlite_db *s = state;

	int rc = TT_OK;

	(void)out;
	for (size_t k = 0; s->level >= TT_SQLITE_SLICES && k < v->b->nrare && rc == TT_OK; k++) {
		size_t i = v->b->rare[k];
		const struct tt_event *e = &v->b->ev[i];
		struct tt_rare_record r;

		if (put_shot(s, v, i, &rc, err) || !tt_rare_record(&s->e, v, i, &s->unwritten, &r))
			continue;
		if (e->kind == TT_COUNTER)
			put_counter(s, v, e, &r);
		else if (e->kind == TT_SAMPLE)
			put_sample(s, v, i, &r);
		else if (e->kind == TT_FLOW)
			rc = put_flow(s, e, &r, err);
		else
			put_event(s, e, &r);
	}
	tt_db_rows(s->flows, 0, s->row, s->nrow, FLOW_COLUMNS);
	s->nrow = 0;
	if (s->nobject)
		flush_objects(s, v);
	if (rc != TT_OK)
		return rc;
	return tt_buf_error(&s->scratch, err) != TT_OK ? err->code : tt_db_error(s->db, err);
}
