/**
 * firefox: puts zones aside as they come, with points among them: allocations, instants, hits of samplers.
 */
#include "emit/firefox.h"

#include <inttypes.h>
#include <string.h>

#include "collect/counters.h"
#include "emit/json_args.h"
#include "emit/common.h"
#include "model/args.h"
#include "view/counter.h"

/* The slices of a chunk, followed by the JSON text of slices that have arguments. */
struct chunk {
	const struct firefox *d;
	const struct tt_view *v;
	struct tt_buf *out, text, scratch;
	uint64_t n;
	struct tt_view_at at;       /* position of the next zone */
	struct tt_slice alloc;        /* sum of the allocations within one ms that no other point separates; dur 0: empty */
	uint64_t bytes, objects;
};

/* Append the arguments as `"arguments":"size: 12, arg1: text"`; for binary arguments the number of bytes. */
static void
put_args(struct chunk *c, const struct tt_args *args, const char *const *name)
{
	struct tt_buf *b = &c->scratch;
	size_t k = 0;

	b->n = 0;
	for (size_t i = 0; i < args->n; i++) {
		const struct tt_event *a = &args->ev[i];
		char number[TT_ARG_NAME], value[40];
		size_t n;

		tt_buf_printf(b, "%s%s: ", i ? ", " : "", tt_emit_arg_name(a, &name, &k, number));
		if (a->depth == TT_T_TEXT) {
			const char *s = tt_args_text(args, a, &n);
			tt_buf_add(b, s, n);
		} else if (a->depth == TT_T_BLOB) {
			tt_buf_printf(b, "%" PRIu32 " bytes", a->dur);
		} else if (a->depth == TT_T_PTR) {
			tt_buf_printf(b, "0x%" PRIx64, a->val);
		} else if (a->depth == TT_T_WORD) {
			tt_buf_text(b, tt_word_text(a->val));
		} else {
			tt_buf_add(b, value, (size_t)(tt_put_value(value, (enum tt_type)a->depth, a->val) - value));
		}
	}
	if (args->cut)
		tt_buf_text(b, args->n ? ", " TT_ARG_CUT : TT_ARG_CUT);
	tt_buf_text(&c->text, "\"arguments\":");
	tt_json_quote(&c->text, b->p, b->n);
}

/* Add a slice whose JSON is the text from ${from} on. */
static void
add_slice(struct chunk *c, struct tt_slice s, size_t from)
{
	s.flags = (uint32_t)(c->text.n - from) | ((s.flags & TT_SLICE_ENDS) && s.depth != POINT_DEPTH ? TT_SLICES_LATE : 0);
	tt_buf_add(c->out, &s, sizeof s);
	c->n++;
}

/* Add the zones that begin at ${ts} or earlier. */
static void
add_zones(struct chunk *c, int64_t ts)
{
	for (const struct tt_slice *s; (s = tt_view_next(c->v, &c->at, ts));) {
		const struct tt_args *args = tt_slice_args(c->v, s);
		const size_t from = c->text.n;

		if (args && (args->n || args->cut)) {
			tt_buf_text(&c->text, "{\"type\":\"Zone\",");
			put_args(c, args, tt_model_key(c->v->m, c->v->cap->process, s->key)->arg);
			tt_buf_text(&c->text, "}");
		}
		add_slice(c, *s, from);
	}
}

static void
add_allocs(struct chunk *c)
{
	if (c->alloc.dur == 0)
		return;
	add_zones(c, c->alloc.ts);
	const size_t from = c->text.n;
	tt_buf_printf(&c->text, "{\"type\":\"Allocation\",\"bytes\":%" PRIu64 ",\"objects\":%" PRIu64 "}", c->bytes, c->objects);
	add_slice(c, c->alloc, from);
	c->alloc.dur = 0;
}

static void
take_alloc(struct chunk *c, const struct tt_event *e)
{
	if (c->alloc.dur && e->ts / 1000000 != c->alloc.ts / 1000000)
		add_allocs(c);
	if (c->alloc.dur == 0) {
		c->alloc = (struct tt_slice){ .ts = e->ts, .dur = POINT_DUR(POINT_ALLOC), .depth = POINT_DEPTH };
		c->bytes = c->objects = 0;
	}
	c->bytes += tt_alloc_bytes(e);
	c->bytes = c->bytes < INT64_MAX ? c->bytes : INT64_MAX;
	c->objects += tt_alloc_count(e);
}

/* Return the kind of point for the rare event ${e}; POINTS: no point. */
static enum point
point_of(const struct tt_event *e)
{
	switch ((enum tt_kind)e->kind) {
	case TT_INSTANT: return POINT_INSTANT;
	case TT_THROW: return POINT_THROW;
	case TT_MONITOR: return e->depth == TT_MONITOR_ACQUIRED ? POINTS : e->depth == TT_MONITOR_FAILED ? POINT_NOT_TAKEN : POINT_CONTENDED;
	case TT_HEAP_SHOT: return e->flags & TT_F_END ? POINT_SHOT_ENDS : POINT_SHOT_BEGINS;
	case TT_GAP: return e->flags & (TT_F_POPPED | TT_F_END) ? POINTS : e->depth == TT_GAP_UNRECORDED ? POINT_UNRECORDED : POINT_LOST;
	case TT_COUNTER: return e->depth == TT_T_TEXT ? POINT_TEXT : POINTS;
	default: return POINTS;
	}
}

static void
put_point(struct chunk *c, size_t i, enum point point)
{
	const struct tt_view *v = c->v;
	const struct tt_event *e = &v->b->ev[i];
	const struct tt_args args = tt_args_of(v->b, i);
	struct tt_json j = { .out = &c->text };
	char room[TT_COUNTER_NAME], id[24];
	size_t n;

	if (point == POINT_INSTANT && args.n) {
		tt_buf_text(&c->text, "{\"type\":\"Instant\",");
		put_args(c, &args, tt_model_key(v->m, v->cap->process, e->val)->arg_instant);
		tt_buf_text(&c->text, "}");
	} else if (point == POINT_TEXT && args.n && args.ev->depth == TT_T_TEXT) {
		const char *s = tt_args_text(&args, args.ev, &n);
		tt_json_open(&j, NULL, "{");
		tt_json_text(&j, "type", "Text");
		tt_json_text(&j, "counter", tt_emit_brief(&c->d->e, tt_counter_called(tt_counter_def(v->cap, e), e->dur, room)));
		tt_json_text_n(&j, "value", s, n);
		tt_json_close(&j, "}");
	} else if ((point == POINT_THROW || point == POINT_CONTENDED || point == POINT_NOT_TAKEN) && e->val) {
		*tt_put_hex(id, e->val) = '\0';
		tt_buf_printf(&c->text, "{\"type\":\"Event\",\"object\":\"%s\"}", id);
	}
}

int
tt_firefox_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct chunk c = { .d = state, .v = v, .out = out };
	const size_t head = out->n;
	int rc;

	tt_buf_add(out, &c.n, sizeof c.n);
	for (size_t i = 0; (v->b->nalloc || v->b->nrare) && i < v->b->n; i++) {
		const struct tt_event *e = &v->b->ev[i];
		const enum point point = point_of(e);

		if ((e->kind != TT_ALLOC && point == POINTS) || !tt_emit_in_time(&v->m->filter, e->ts))
			continue;
		if (e->kind == TT_ALLOC) {
			take_alloc(&c, e);
			continue;
		}
		add_allocs(&c);
		add_zones(&c, e->ts);
		const size_t from = c.text.n;
		put_point(&c, i, point);
		add_slice(&c, (struct tt_slice){ .ts = e->ts, .dur = POINT_DUR(point), .key = e->val, .depth = POINT_DEPTH }, from);
	}
	add_allocs(&c);
	add_zones(&c, INT64_MAX);
	tt_buf_add(out, c.text.p, c.text.n);
	rc = tt_buf_error(&c.text, err);
	rc = rc == TT_OK ? tt_buf_error(&c.scratch, err) : rc;
	rc = rc == TT_OK ? tt_buf_error(out, err) : rc;
	if (rc == TT_OK && c.n)
		memcpy(out->p + head, &c.n, sizeof c.n);
	else
		out->n = head;
	tt_buf_free(&c.text);
	tt_buf_free(&c.scratch);
	return rc;
}

void
tt_firefox_extend_span(struct firefox *d, int64_t from, int64_t to)
{
	d->min_ts = from < d->min_ts ? from : d->min_ts;
	d->max_ts = to > d->max_ts ? to : d->max_ts;
}

int64_t
tt_firefox_end_of(const struct tt_slice *s)
{
	return s->dur > 0 && s->ts <= INT64_MAX - s->dur ? s->ts + s->dur : s->ts;
}

int
tt_firefox_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct firefox *d = state;
	uint64_t nslice;

	(void)n;
	memcpy(&nslice, p, sizeof nslice);
	p += sizeof nslice;
	for (uint64_t i = 0; i < nslice; i++) {
		struct tt_slice s;

		memcpy(&s, p + i * sizeof s, sizeof s);
		tt_firefox_extend_span(d, s.ts, tt_firefox_end_of(&s));
	}
	return tt_slices_add(&d->slices, v->thread, p, (size_t)nslice, &d->payload, err);
}

/* Add a stack sample as a point on the sampled thread, named after the innermost frame. */
static int
add_hit(struct firefox *d, const struct tt_view *v, size_t i, struct tt_err *err)
{
	const struct tt_event *e = &v->b->ev[i], *x = tt_event_ext(v->b, i);
	size_t n;
	const uint64_t *key = tt_emit_stack(v, i, &n);

	if (!x || (uint64_t)x->ts >= v->m->threads.n)
		return TT_OK;
	const struct tt_slice s = { .ts = e->ts, .dur = POINT_DUR(n ? POINT_INSTANT : POINT_SAMPLE), .depth = POINT_DEPTH, .key = n ? key[n - 1] : 0 };
	tt_firefox_extend_span(d, s.ts, s.ts);
	return tt_slices_add(&d->slices, v->m->threads.t[x->ts], &s, 1, &d->payload, err);
}

static int
add_heap_size(struct firefox *d, const struct tt_view *v, const struct tt_event *e, struct tt_err *err)
{
	int rc = tt_mem_grow(&d->e.env->mem, &d->heap, &d->capheap, d->nheap + 1, sizeof *d->heap, err);

	if (rc == TT_OK)
		d->heap[d->nheap++] = (struct heap_size){ e->ts, e->val & INT64_MAX, v->cap->process };
	return rc;
}

int
tt_firefox_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct firefox *d = state;
	int rc = TT_OK;

	(void)out;
	for (size_t k = 0; k < v->b->nrare && rc == TT_OK; k++) {
		const size_t i = v->b->rare[k];
		const struct tt_event *e = &v->b->ev[i];

		if (!tt_emit_in_time(&v->m->filter, e->ts) || !tt_emit_by_thread(v, i))
			continue;
		if (e->kind == TT_SAMPLE)
			rc = add_hit(d, v, i, err);
		else if (e->kind == TT_GC_HEAP)
			rc = add_heap_size(d, v, e, err);
	}
	return rc;
}
