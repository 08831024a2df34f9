/**
 * Chrome JSON: zones and allocations, chunk by chunk on any worker.
 *
 * A record is a head (the same for the whole chunk), the times, and a piece that depends on the
 * marker alone, made ready in `begin`. So the cost of a zone is that of printing two numbers.
 */
#include <limits.h>
#include <string.h>

#include "emit/chrome.h"
#include "emit/common.h"
#include "emit/micros.h"
#include "emit/zone_times.h"

#define likely(x) __builtin_expect(!!(x), 1)

#define ALLOC_NAME ",\"name\":\"GC.Alloc\",\"cat\":\"GC\""

/* --- ready-made pieces -------------------------------------------------- */

/*
 * Return a colour for zones that are not the program's own work, or NULL: the viewer colours by name. The names are from catapult's list; other viewers
 * ignore them.
 */
static const char *
color_of(uint64_t key)
{
	if (key < TT_KEY_SPECIAL)
		return NULL;
	if (key == TT_KEY_EXCEPTION)
		return "terrible";
	if (key == TT_KEY_CONTENTION)
		return "thread_state_iowait";
	return key == TT_KEY_MORE ? "grey" : "bad";
}

/* Return the viewer's named colour nearest to ${rgba}, a category's colour; NULL if the category has no colour. The values are catapult's. */
static const char *
color_near(uint32_t rgba)
{
	static const struct { uint32_t rgb; const char *name; } have[] = { { 0xb67d8f, "thread_state_uninterruptible" },
		{ 0xff8c00, "thread_state_iowait" }, { 0x7ec894, "thread_state_running" }, { 0x85a0d2, "thread_state_runnable" },
		{ 0xc79b7d, "thread_state_unknown" }, { 0x00b4b4, "background_memory_dump" }, { 0x0000b4, "light_memory_dump" },
		{ 0xb400b4, "detailed_memory_dump" }, { 0x7d7d7d, "generic_work" }, { 0x007d00, "good" }, { 0xb47d00, "bad" },
		{ 0xb40000, "terrible" }, { 0x000000, "black" }, { 0xdddddd, "grey" }, { 0xffffff, "white" }, { 0xffff00, "yellow" },
		{ 0x646400, "olive" }, { 0x4387fd, "rail_response" }, { 0xf44a3f, "rail_animation" }, { 0xee8e00, "rail_idle" },
		{ 0x0da861, "rail_load" }, { 0x99ee66, "cq_build_passed" }, { 0xee8888, "cq_build_failed" } };
	const char *best = NULL;
	unsigned least = UINT_MAX;

	for (size_t i = 0; rgba && i < sizeof have / sizeof *have; i++) {
		unsigned sum = 0;
		for (unsigned up = 0; up < 24; up += 8) {
			int d = (int)(rgba >> (up + 8) & 255) - (int)(have[i].rgb >> up & 255);
			sum += (unsigned)(d * d);
		}
		if (sum < least) {
			least = sum;
			best = have[i].name;
		}
	}
	return best;
}

static void
zone_piece(const void *arg, const struct tt_name *name, uint64_t key, struct tt_buf *b)
{
	const struct chrome *c = arg;
	const char *text = tt_emit_brief(&c->e, tt_emit_marker(name)), *color = color_of(key);
	const char *category = tt_emit_brief(&c->e, tt_emit_category(c->e.m, name));

	if (!color && name->category < c->e.m->ncategory)
		color = color_near(c->e.m->category[name->category].rgba);
	tt_buf_text(b, ",\"name\":\"");
	tt_buf_json(b, text, strlen(text));
	tt_buf_text(b, "\"");
	tt_buf_json_fact(b, "cat", category);
	tt_buf_json_fact(b, "cname", color);
	tt_buf_text(b, "}");
}

static void
alloc_piece(const void *arg, const char *class, struct tt_buf *b)
{
	const struct chrome *c = arg;

	class = tt_emit_brief(&c->e, class);
	tt_buf_text(b, ALLOC_NAME ",\"args\":{\"class\":\"");
	tt_buf_json(b, class, strlen(class));
	tt_buf_text(b, "\",\"bytes\":");
}

int
tt_chrome_names(struct chrome *c, struct tt_err *err)
{
	const struct tt_pieces_form form = { zone_piece, alloc_piece, c };
	struct tt_counter_labels labels;
	struct tt_arena text;
	int rc;

	tt_arena_init(&text, &c->e.env->mem);
	rc = tt_counter_labels_make(c->e.m, &labels, &text, err);
	for (uint32_t i = 0; i < c->nprocess && rc == TT_OK; i++) {
		rc = tt_pieces_make(&c->process[i].pieces, &form, c->e.m, c->e.m->cap[i], err);
		TT_THEN(rc, tt_chrome_counters(c, i, &labels, err));
	}
	tt_arena_free(&text);
	return rc;
}

/* --- zones -------------------------------------------------------------- */

/* The state that the records of one chunk share. */
struct writer {
	const struct chrome *c;
	const struct tt_view *v;
	const struct tt_pieces *pieces;
	struct tt_buf *out;
	struct tt_buf scratch;
	struct tt_micros micros;
	char head[128];               /* made by tt_chrome_put_head(); always copied as 64 bytes */
	size_t nhead;
	uint64_t unwritten;
	bool moved;                   /* true: the zones have the times of zone_times.h */
};

/* Make room at *${p} for one record with a piece of ${n} bytes. */
static inline int
room(struct tt_buf *out, char **p, size_t n, struct tt_err *err)
{
	size_t need = CHROME_RECORD + n + TT_FRAG_PAD;
	int rc;

	if (likely(*p && (size_t)(out->p + out->cap - *p) >= need))
		return TT_OK;
	if (*p)
		out->n = (size_t)(*p - out->p);
	rc = tt_buf_room(out, need, err);
	*p = out->p + out->n;
	return rc;
}

/* Return the output's time. A moved zone may begin before the first event of the capture, and so before 1 us. */
static inline uint64_t
zone_time(const struct writer *w, int64_t ts)
{
	const uint64_t ns = chrome_time(w->c, ts), before = (uint64_t)w->c->origin - (uint64_t)ts;

	if (likely(ns != UINT64_MAX) || !w->moved || before >= CHROME_FIRST_NS)
		return ns;
	return CHROME_FIRST_NS - before;
}

/* Append the record of one zone at *${at}. */
static inline int
put_zone(struct writer *w, const struct tt_slice *s, char **at, struct tt_err *err)
{
	uint64_t ts = zone_time(w, s->ts);
	struct tt_piece piece;
	char *p;
	int rc = tt_pieces_zone(w->pieces, s->key, &w->scratch, &piece, err);

	if (rc != TT_OK || !piece.s)
		return rc;
	if (!likely(s->dur >= 0 && ts <= (uint64_t)INT64_MAX - (uint64_t)s->dur)) {
		w->unwritten++;
		return TT_OK;
	}
	rc = room(w->out, at, piece.n, err);
	if (rc != TT_OK)
		return rc;
	p = *at;
	memcpy(p, w->head, 64);
	p = tt_put_micros(p + w->nhead, &w->micros, ts);
	p = CHROME_PUT(p, ",\"dur\":");
	p = tt_put_dur(p, ts, (uint64_t)s->dur);
	*at = tt_frag_copy(p, piece.s, piece.n);
	return TT_OK;
}

/* Write the zones from ${s} to ${end} without arguments. */
static __attribute__((noinline)) int
put_bare(struct writer *w, const struct tt_slice *s, const struct tt_slice *end, struct tt_err *err)
{
	char *p = w->out->p ? w->out->p + w->out->n : NULL;
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++)
		rc = put_zone(w, s, &p, err);
	if (p)
		w->out->n = (size_t)(p - w->out->p);
	return rc;
}

/* Write one zone with its arguments, if any. */
static int
put_whole(struct writer *w, const struct tt_slice *s, struct tt_err *err)
{
	const struct tt_args *args = tt_slice_args(w->v, s);
	size_t before = w->out->n;
	int rc = put_bare(w, s, s + 1, err);

	if (rc != TT_OK || !args || w->out->n == before)
		return rc;
	w->out->n--;          /* remove the closing brace of the record */
	tt_chrome_args(w->c, tt_model_key(w->c->e.m, w->v->cap->process, s->key)->arg, args, w->out);
	tt_buf_text(w->out, "}");
	return TT_OK;
}

/* Write the ${n} zones at ${from}; arguments are looked for only if a zone of the chunk has some. */
static int
put_run(struct writer *w, const struct tt_slice *from, size_t n, struct tt_err *err)
{
	const struct tt_slice *end = from + n, *s = w->v->nargs ? from : end;
	int rc = TT_OK;

	for (; s < end && rc == TT_OK; s++) {
		if (!tt_slice_args(w->v, s))
			continue;
		rc = put_bare(w, from, s, err);
		TT_THEN(rc, put_whole(w, s, err));
		from = s + 1;
	}
	return rc == TT_OK ? put_bare(w, from, end, err) : rc;
}

/*
 * Write the ${n} zones at ${s}. If two zones begin together, readers take the longer one for the outer; if they are also equally long, readers use the file's
 * order. So zones that are listed at their ends (TT_SLICE_ENDS), inner first, are written in reverse before the others, which are outer first.
 */
static int
put_in_order(struct writer *w, const struct tt_slice *s, size_t n, struct tt_err *err)
{
	const struct tt_slice *from = s;
	int rc = TT_OK;

	for (size_t i = n; i > 0 && rc == TT_OK; i--)
		if (s[i - 1].flags & TT_SLICE_ENDS)
			rc = put_whole(w, &s[i - 1], err);
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		if (s[i].flags & TT_SLICE_ENDS) {
			rc = put_run(w, from, (size_t)(&s[i] - from), err);
			from = &s[i] + 1;
		}
	return rc == TT_OK ? put_run(w, from, (size_t)(s + n - from), err) : rc;
}

/* Write the zones of the chunk, at times by which they nest. */
static int
put_zones(struct writer *w, struct tt_err *err)
{
	const struct tt_view *v = w->v;
	const struct tt_zone_edges edges = { v->seen_ts, v->b->max_ts, v->b->n == 0 };
	const size_t n = v->nslice;
	struct tt_buf copy = { 0 };
	struct tt_slice *s;
	int rc;

	if (!tt_zone_times_meet(v->slice, n, &edges))
		return put_in_order(w, v->slice, n, err);
	rc = tt_buf_room(&copy, n * sizeof *s + (n + v->nbegun) * TT_ZONE_TIMES_MAX * sizeof(uint32_t), err);
	if (rc == TT_OK) {
		s = memcpy(copy.p, v->slice, n * sizeof *s);
		w->moved = true;
		tt_zone_times_part(s, n, v->begun, v->nbegun, &edges, (uint32_t *)(void *)(s + n));
		rc = put_in_order(w, s, n, err);
	}
	tt_buf_free(&copy);
	return rc;
}

/* --- allocations -------------------------------------------------------- */

/* Write the place of an event outside all zones: the innermost frame of its recorded stack. */
static void
put_site(struct writer *w, const struct tt_event *e)
{
	struct tt_nameless own;
	size_t n;
	const uint64_t *key = tt_emit_stack(w->v, (size_t)(e - w->v->b->ev), &n);

	if (n)
		tt_buf_json_fact(w->out, "site", tt_emit_brief(&w->c->e, tt_emit_frame(w->v, key[n - 1], &own)));
}

static int
put_instant(struct writer *w, const struct tt_event *e, uint64_t ts, uint64_t bytes, struct tt_err *err)
{
	struct tt_piece piece;
	char *p = w->out->p ? w->out->p + w->out->n : NULL;
	int rc = tt_pieces_alloc(w->pieces, e, &w->scratch, &piece, err);

	TT_THEN(rc, room(w->out, &p, piece.n, err));
	if (rc != TT_OK)
		return rc;
	memcpy(p, w->head, 64);
	p = tt_put_micros(p + w->nhead, &w->micros, ts);
	p = CHROME_PUT(p, ",\"s\":\"t\"");
	p = tt_frag_copy(p, piece.s, piece.n);
	p = tt_put_u64(p, bytes);
	w->out->n = (size_t)(p - w->out->p);
	if (e->flags & TT_F_STACK)
		put_site(w, e);
	tt_buf_text(w->out, "}}");
	return TT_OK;
}

/* Write the thread's sum so far as a point of its counter. */
static int
put_sum(struct writer *w, uint64_t ts, uint64_t sum, struct tt_err *err)
{
	uint32_t tid = chrome_tid(w->v->thread);
	char *p = w->out->p ? w->out->p + w->out->n : NULL;
	int rc = room(w->out, &p, 64, err);

	if (rc != TT_OK)
		return rc;
	p = tt_chrome_put_head(p, "C", chrome_pid(w->v->cap->process), tid);
	p = tt_put_micros(p, &w->micros, ts);
	p = CHROME_PUT(p, ALLOC_NAME ",\"id\":\"");
	p = tt_put_hex(p, tid);
	p = CHROME_PUT(p, "\",\"args\":{\"bytes\":");
	p = tt_put_u64(p, sum);
	p = CHROME_PUT(p, "}}");
	w->out->n = (size_t)(p - w->out->p);
	return TT_OK;
}

/* Write each allocation as an instant; the sum by thread is a counter, too. */
static int
put_allocs(struct writer *w, struct tt_err *err)
{
	struct tt_alloc_points sum = tt_alloc_points(w->v);
	const struct tt_batch *b = w->v->b;
	int rc = TT_OK;

	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		uint64_t bytes, ts;

		if (e->kind != TT_ALLOC)
			continue;
		bytes = tt_alloc_points_add(&sum, e);
		if (!tt_emit_in_time(&w->c->e.m->filter, e->ts))
			continue;
		ts = chrome_time(w->c, e->ts);
		if (ts == UINT64_MAX) {
			w->unwritten++;
			continue;
		}
		rc = put_instant(w, e, ts, bytes, err);
		if (rc == TT_OK && tt_alloc_points_show(&sum, ts - CHROME_FIRST_NS))
			rc = put_sum(w, ts, sum.bytes, err);
	}
	return sum.owed && rc == TT_OK ? put_sum(w, sum.last_ts + CHROME_FIRST_NS, sum.last, err) : rc;
}

/* --- chunk -------------------------------------------------------------- */

static void
set_head(struct writer *w, const char *phase)
{
	w->nhead = (size_t)(tt_chrome_put_head(w->head, phase, chrome_pid(w->v->cap->process), chrome_tid(w->v->thread)) -
	    w->head);
}

/* Append the arguments of the ${n} zones at ${at}, as they will be written, and set the flags of each zone to their length. */
static void
hand_on_args(struct writer *w, size_t at, uint64_t n)
{
	for (; n > 0; n--, at += sizeof(struct tt_slice)) {
		size_t before = w->out->n;
		struct tt_slice s;

		memcpy(&s, w->out->p + at, sizeof s);
		if (s.flags >> TT_SLICE_ARGS)
			tt_chrome_args(w->c, tt_model_key(w->c->e.m, w->v->cap->process, s.key)->arg, tt_slice_args(w->v, &s), w->out);
		s.flags = (uint32_t)(w->out->n - before) | (s.flags & TT_SLICE_ENDS ? TT_SLICES_LATE : 0);
		memcpy(w->out->p + at, &s, sizeof s);
	}
}

/* Append the shown zones as struct tt_slice, for chrome_pairs.c, which puts them aside. */
static int
hand_on_zones(struct writer *w, struct tt_err *err)
{
	struct tt_view_at next = { 0 };
	struct chrome_frame head = { .zones = 1 };
	size_t at = w->out->n, first = at + sizeof head;
	int rc = tt_buf_room(w->out, sizeof head + (w->v->nslice + w->v->nbegun) * sizeof(struct tt_slice), err);

	if (rc != TT_OK)
		return rc;
	w->out->n = first;
	for (const struct tt_slice *s; (s = tt_view_next(w->v, &next, INT64_MAX));) {
		struct tt_piece piece;

		rc = tt_pieces_zone(w->pieces, s->key, &w->scratch, &piece, err);
		if (rc != TT_OK)
			return rc;
		if (!piece.s)
			continue;
		if (s->dur != TT_SLICE_BEGUN && (s->dur < 0 || chrome_time(w->c, s->ts) > (uint64_t)INT64_MAX - (uint64_t)s->dur)) {
			w->unwritten++;
			continue;
		}
		memcpy(w->out->p + w->out->n, s, sizeof *s);
		w->out->n += sizeof *s;
		head.n++;
	}
	hand_on_args(w, first, head.n);
	head.text = w->out->n - first - head.n * sizeof(struct tt_slice);
	memcpy(w->out->p + at, &head, sizeof head);
	return rc;
}

static int
allocs_in_frame(struct writer *w, struct tt_err *err)
{
	struct chrome_frame head = { 0 };
	size_t at = w->out->n;
	int rc;

	tt_buf_add(w->out, &head, sizeof head);
	rc = put_allocs(w, err);
	if (rc != TT_OK || w->out->failed)
		return rc;
	head.n = w->out->n - at - sizeof head;
	memcpy(w->out->p + at, &head, sizeof head);
	return TT_OK;
}

int
tt_chrome_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	const struct chrome *c = state;
	struct writer w = { .c = c, .v = v, .out = out, .pieces = &c->process[v->cap->process].pieces };
	int rc = TT_OK;

	set_head(&w, "X");
	if (c->own->begin_end ? v->nslice || v->nbegun : v->nslice)
		rc = c->own->begin_end ? hand_on_zones(&w, err) : put_zones(&w, err);
	set_head(&w, "i");
	if (rc == TT_OK && v->b->nalloc)
		rc = c->own->begin_end ? allocs_in_frame(&w, err) : put_allocs(&w, err);
	if (w.unwritten)
		atomic_fetch_add_explicit(c->unwritten, w.unwritten, memory_order_relaxed);
	tt_buf_free(&w.scratch);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}
