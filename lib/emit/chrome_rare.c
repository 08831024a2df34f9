/**
 * Chrome JSON: rare events in file order: counters, heap size, flows, instants.
 *
 * A stack sample is an instant on the sampled thread, named after the method that ran.
 */
#include <inttypes.h>
#include <string.h>

#include "base/brief.h"
#include "base/hash_seed.h"
#include "collect/counters.h"
#include "emit/json_args.h"
#include "emit/chrome.h"
#include "emit/common.h"
#include "model/defs.h"

enum { SAMPLE_FRAMES = 64 };          /* maximum number of frames that are written of a stack */

struct rare {
	struct chrome *c;
	const struct tt_view *v;
	struct tt_buf *out;
	struct tt_err *err;
	size_t i;                     /* index of the event in the batch */
	size_t next;                  /* state of tt_flow_next() */
	const struct tt_event *e;
	uint64_t ts;
};

/* Begin a record at the event's time; `,"name"...` or another key follows. */
static void
put_head(struct rare *r, const char *phase, uint32_t tid)
{
	char *p;

	if (tt_buf_room(r->out, CHROME_RECORD, NULL) != TT_OK)
		return;
	p = tt_chrome_put_head(r->out->p + r->out->n, phase, chrome_pid(r->v->cap->process), tid);
	p = tt_put_fixed(p, (int64_t)r->ts, 3);
	r->out->n = (size_t)(p - r->out->p);
}

static uint32_t
own_tid(const struct rare *r)
{
	return chrome_tid(r->v->thread);
}

/* --- counters ----------------------------------------------------------- */

static void
counter_piece(const struct chrome *c, const char *name, const struct tt_def *d, struct tt_buf *b)
{
	char room[TT_BRIEF_BYTES];

	name = tt_emit_brief_in(&c->e, room, name);
	tt_buf_text(b, ",\"name\":\"");
	tt_buf_json(b, name, strlen(name));
	tt_buf_text(b, "\"");
	if (*tt_counter_section(d))
		tt_buf_json_fact(b, "cat", tt_emit_brief(&c->e, tt_counter_section(d)));
	tt_buf_printf(b, ",\"args\":{\"%s\":", tt_counter_base(d).name);
}

/* Prepare the text of a process's counters. Readers merge counters of the same name, so the names are labels. */
int
tt_chrome_counters(struct chrome *c, uint32_t process, const struct tt_counter_labels *labels, struct tt_err *err)
{
	const struct tt_defs *defs = c->e.m->cap[process]->defs;
	const struct tt_def *d;
	int rc = TT_OK;

	for (size_t i = 0; defs && rc == TT_OK && (d = tt_defs_at(defs, TT_DEF_COUNTER, i)); i++) {
		char room[TT_COUNTER_NAME];

		c->scratch.n = 0;
		counter_piece(c, tt_counter_label(labels, d, d->key, room), d, &c->scratch);
		rc = tt_buf_error(&c->scratch, err);
		TT_THEN(rc, tt_frags_add(&c->process[process].counter, (uintptr_t)d, c->scratch.p, c->scratch.n, err));
	}
	return rc;
}

/* Write the name and all that precedes the value. */
static void
put_counter_name(struct rare *r)
{
	const struct tt_frags *pieces = &r->c->process[r->v->cap->process].counter;
	const struct tt_def *d = tt_counter_def(r->v->cap, r->e);
	const struct tt_frag *f = d ? tt_frags_find(pieces, (uintptr_t)d) : NULL;
	char room[TT_COUNTER_NAME];

	if (f)
		tt_buf_add(r->out, pieces->text + f->at, f->n);
	else
		counter_piece(r->c, tt_counter_called(d, r->e->dur, room), d, r->out);
}

/* Write a text counter as an instant with the text, as it has no curve. */
static void
put_text_counter(struct rare *r)
{
	const struct tt_args args = tt_args_of(r->v->b, r->i);

	if (args.n == 0 || args.ev->depth != TT_T_TEXT)
		return;
	put_head(r, "i", own_tid(r));
	tt_buf_text(r->out, ",\"s\":\"p\"");
	put_counter_name(r);
	tt_emit_arg_text(&args, args.ev, r->out);
	tt_buf_text(r->out, "}}");
}

/* Write a value; it is absolute, as the run has added up differences. */
static void
put_counter(struct rare *r)
{
	enum tt_type type = (enum tt_type)r->e->depth;
	uint64_t bits = r->e->val;
	char text[40], *p = text;

	if (type == TT_T_TEXT) {
		put_text_counter(r);
		return;
	}
	if (type <= TT_T_F64)
		tt_counter_scale(tt_counter_def(r->v->cap, r->e), &type, &bits);
	if (type > TT_T_F64 || !tt_value_finite(type, bits)) {
		atomic_fetch_add_explicit(r->c->unwritten, 1, memory_order_relaxed);
		return;
	}
	/* Some readers misread integers beyond 2^63; a real is close enough. */
	if (type == TT_T_U64 && bits > INT64_MAX)
		p = tt_put_double(p, (double)bits);
	else
		p = tt_put_value(p, type, bits);
	put_head(r, "C", own_tid(r));
	put_counter_name(r);
	tt_buf_add(r->out, text, (size_t)(p - text));
	tt_buf_text(r->out, "}}");
}

static void
put_heap_size(struct rare *r)
{
	put_head(r, "C", own_tid(r));
	tt_buf_printf(r->out, ",\"name\":\"GC heap size\",\"cat\":\"GC\",\"args\":{\"bytes\":%" PRIu64 "}}",
	    r->e->val & INT64_MAX);
}

/* --- flows and instants ------------------------------------------------- */

/* Write a flow, bound to the zone around it: a flow of the next zone is put at the begin of that zone. */
static int
put_flow(struct rare *r)
{
	const bool next = r->e->flags & TT_F_NEXT;
	const struct tt_event *zone = next ? tt_flow_next(r->v, r->i, &r->next) : NULL;

	if (r->e->depth > TT_FLOW_SEQUENTIAL || tt_flow_left_out(r->v, r->i))
		return TT_OK;
	return tt_chrome_flow_step(r->c, r->v, r->e, zone, r->err);
}

/* Write an instant of a marker, with its arguments. */
static int
put_instant(struct rare *r)
{
	const struct tt_pieces *pieces = &r->c->process[r->v->cap->process].pieces;
	const struct tt_args args = tt_args_of(r->v->b, r->i);
	struct tt_piece piece;
	int rc = tt_pieces_zone(pieces, r->e->val, &r->c->scratch, &piece, r->err);

	if (rc != TT_OK || !piece.s)
		return rc;
	put_head(r, "i", own_tid(r));
	tt_buf_text(r->out, ",\"s\":\"t\"");
	tt_chrome_args(r->c, tt_model_key(r->c->e.m, r->v->cap->process, r->e->val)->arg_instant, &args, r->out);
	tt_buf_add(r->out, piece.s, piece.n);
	return TT_OK;
}

/* Append `"stack":"Main > World:Frame"`; of a deep stack the innermost frames. */
static void
put_stack(struct rare *r, const uint64_t *key, size_t n)
{
	size_t i = n > SAMPLE_FRAMES ? n - SAMPLE_FRAMES : 0;

	tt_buf_text(r->out, i ? "\"stack\":\"… > " : "\"stack\":\"");
	for (; i < n; i++) {
		struct tt_nameless own;
		const char *name = tt_emit_brief(&r->c->e, tt_emit_frame(r->v, key[i], &own));

		tt_buf_json(r->out, name, strlen(name));
		if (i + 1 < n)
			tt_buf_text(r->out, " > ");
	}
	tt_buf_text(r->out, "\"");
}

/* Write an instant of the runtime, called ${name}, with the object that it concerns, if any. */
static void
put_note(struct rare *r, const char *name, const char *category, uint64_t object)
{
	size_t n;
	const uint64_t *key = tt_emit_stack(r->v, r->i, &n);

	put_head(r, "i", own_tid(r));
	tt_buf_printf(r->out, ",\"s\":\"t\",\"name\":\"%s\",\"cat\":\"%s\"", name, category);
	if (object) {
		tt_buf_printf(r->out, ",\"args\":{\"object\":\"0x%" PRIx64 "\"%s", object, n ? "," : "");
		if (n)
			put_stack(r, key, n);
		tt_buf_text(r->out, "}");
	}
	tt_buf_text(r->out, "}");
}

static int
mark_thread(struct chrome *c, uint32_t thread, struct tt_err *err)
{
	int rc = tt_mem_grow(&c->e.env->mem, &c->also, &c->capalso, thread / 8 + 1, 1, err);

	if (rc == TT_OK)
		c->also[thread / 8] |= (uint8_t)(1u << thread % 8);
	return rc;
}

/* Write `,"name":"World:Frame","cat":"Game","args":{"ip":"0x7f00","stack":"..."}}` on the sampled thread. */
static int
put_sample(struct rare *r)
{
	const struct tt_event *x = tt_event_ext(r->v->b, r->i);
	const struct tt_filter *f = &r->c->e.m->filter;
	const char *name = "(native)", *category = name;
	struct tt_nameless own;
	size_t n;
	const uint64_t *key = tt_emit_stack(r->v, r->i, &n);
	int rc;

	if (!x || (uint64_t)x->ts >= r->c->e.m->threads.n || (n == 0 && (f->marker || f->category)))
		return TT_OK;
	if (n) {
		const struct tt_name *leaf = tt_emit_name(r->c->e.m, r->v->cap->process, key[n - 1], &own);

		if (!leaf->wanted)
			return TT_OK;
		name = tt_emit_brief(&r->c->e, tt_emit_marker(leaf));
		category = tt_emit_brief(&r->c->e, tt_emit_category(r->c->e.m, leaf));
	}
	rc = mark_thread(r->c, (uint32_t)x->ts, r->err);
	put_head(r, "i", (uint32_t)x->ts + 1);
	tt_buf_text(r->out, ",\"s\":\"t\"");
	tt_buf_json_fact(r->out, "name", name);
	tt_buf_json_fact(r->out, "cat", category);
	tt_buf_printf(r->out, ",\"args\":{\"ip\":\"0x%" PRIx64 "\"%s", r->e->val, n ? "," : "");
	if (n)
		put_stack(r, key, n);
	tt_buf_text(r->out, "}}");
	return rc;
}

static int
put_event(struct rare *r)
{
	switch ((enum tt_kind)r->e->kind) {
	case TT_INSTANT:
		return put_instant(r);
	case TT_SAMPLE:
		return put_sample(r);
	case TT_FLOW:
		return put_flow(r);
	case TT_COUNTER:
		if (tt_emit_counter_shown(&r->c->e, r->v, r->e))
			put_counter(r);
		break;
	case TT_GC_HEAP:
		put_heap_size(r);
		break;
	case TT_THROW:
		put_note(r, "Exception thrown", "Exceptions", r->e->val);
		break;
	case TT_MONITOR:
		if (r->e->depth != TT_MONITOR_ACQUIRED)
			put_note(r, r->e->depth == TT_MONITOR_FAILED ? "Lock not taken" : "Lock contended", "Contention", r->e->val);
		break;
	case TT_HEAP_SHOT:
		put_note(r, r->e->flags & TT_F_END ? "Heap shot ends" : "Heap shot begins", "GC", 0);
		break;
	case TT_GAP:
		if (!(r->e->flags & (TT_F_POPPED | TT_F_END)))
			put_note(r, r->e->depth == TT_GAP_UNRECORDED ? "Not recorded" : "Events lost", "tracetool", 0);
		break;
	default:
		break;
	}
	return TT_OK;
}

static int
put_rare(struct rare *r)
{
	int rc = TT_OK;

	for (size_t k = 0; k < r->v->b->nrare && rc == TT_OK; k++) {
		r->i = r->v->b->rare[k];
		r->e = &r->v->b->ev[r->i];
		r->ts = tt_emit_in_time(&r->c->e.m->filter, r->e->ts) && tt_emit_by_thread(r->v, r->i) ?
		    chrome_time(r->c, r->e->ts) : UINT64_MAX;
		if (r->ts != UINT64_MAX)
			rc = put_event(r);
	}
	return rc;
}

int
tt_chrome_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct rare r = { .c = state, .v = v, .out = out, .err = err };
	struct chrome_frame head = { 0 };
	size_t at = out->n;
	int rc;

	if (r.c->own->begin_end)
		tt_buf_add(out, &head, sizeof head);
	rc = put_rare(&r);
	TT_THEN(rc, tt_buf_error(out, err));
	if (rc != TT_OK || !r.c->own->begin_end)
		return rc;
	head.n = out->n - at - sizeof head;
	memcpy(out->p + at, &head, sizeof head);
	return TT_OK;
}
