/**
 * Perfetto: zones for which only the end tells whether and from when they are shown.
 *
 * With a filter by duration, or by time from its beginning on, a zone that is open at the end of its chunk may turn out not to be shown, or to begin
 * later. So zones are put aside (slice_sort.h) and written at the end, thread by thread.
 *
 * Order at equal times: ends of finished zones, inner first; then begins, outer first; then flows, which belong to the zone that is open at
 * their place in the file.
 */
#include <string.h>

#include "emit/common.h"
#include "emit/perfetto.h"

#define FLOW UINT32_MAX               /* a slice of this depth is a flow: key is its id, dur its number and phase */

struct aside {
	struct perfetto *c;
	const struct tt_thread *thread;
	struct tt_buf out, args;
	struct open { uint64_t end; uint32_t depth; } *open;  /* open zones, outermost first */
	size_t nopen, capopen;
	uint64_t last;                /* the latest time written */
};

/* --- during the run ------------------------------------------------------------------- */

int
tt_pf_aside_chunk(const struct perfetto *c, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct pf_frame f = { 0 };
	struct tt_buf scratch = { 0 };
	size_t at = out->n, first = at + sizeof f;
	struct tt_view_at next = { 0 };
	int rc = tt_buf_room(out, sizeof f + (v->nslice + v->nbegun) * sizeof(struct tt_slice), err);

	if (rc != TT_OK)
		return rc;
	out->n = first;
	for (const struct tt_slice *s; rc == TT_OK && (s = tt_view_next(v, &next, INT64_MAX));) {
		struct tt_piece piece;

		rc = tt_pieces_zone(&c->process[v->cap->process], s->key, &scratch, &piece, err);
		if (rc != TT_OK || !piece.s)
			continue;
		if (s->dur != TT_SLICE_BEGUN && !pf_lasts(c, s)) {
			atomic_fetch_add_explicit(c->unwritten, 1, memory_order_relaxed);
			continue;
		}
		memcpy(out->p + out->n, s, sizeof *s);
		out->n += sizeof *s;
		f.zones++;
	}
	tt_buf_free(&scratch);
	for (uint64_t i = 0; i < f.zones && rc == TT_OK; i++) {
		size_t before = out->n, place = first + (size_t)i * sizeof(struct tt_slice);
		struct tt_slice s;

		memcpy(&s, out->p + place, sizeof s);
		if (tt_slice_args(v, &s))
			tt_pf_args(c, tt_model_key(c->e.m, v->cap->process, s.key)->arg, tt_slice_args(v, &s), out);
		s.flags = (uint32_t)(out->n - before) | (s.flags & TT_SLICE_ENDS ? TT_SLICES_LATE : 0);
		memcpy(out->p + place, &s, sizeof s);
		rc = tt_buf_error(out, err);
	}
	f.text = out->n - first - f.zones * sizeof(struct tt_slice);
	if (f.zones)
		memcpy(out->p + at, &f, sizeof f);
	else
		out->n = at;
	return rc;
}

int
tt_pf_aside_flow(struct perfetto *c, const struct tt_flow_step *step, char phase, uint64_t id, struct tt_err *err)
{
	/* The number keeps flows of the same time in order. */
	if (pf_time(c, step->ts) == UINT64_MAX)
		return TT_OK;
	const struct tt_slice s = { .ts = step->ts, .dur = c->nflow++ * 128 + phase, .key = id, .depth = FLOW };

	return tt_slices_add_late(&c->slices, c->e.m->threads.t[step->thread], &s, err);
}

/* --- at the end ------------------------------------------------------------------------- */

static int
put_begin(struct aside *a, struct tt_piece piece, uint64_t ts, struct tt_err *err)
{
	struct pf_event e = tt_pf_begin_event(&a->out, PF_BEGIN, pf_track(PF_THREAD, a->thread->index));

	tt_buf_add(&a->out, piece.s + sizeof(uint32_t), piece.n - sizeof(uint32_t));
	tt_buf_add(&a->out, a->args.p, a->args.n);
	tt_pf_end_event(&a->out, e, ts);
	return tt_buf_error(&a->out, err);
}

static int
pop(struct aside *a, struct tt_err *err)
{
	uint64_t end = a->open[--a->nopen].end;
	struct pf_event e = tt_pf_begin_event(&a->out, PF_END, pf_track(PF_THREAD, a->thread->index));

	a->last = end > a->last ? end : a->last;
	tt_pf_end_event(&a->out, e, a->last);
	return tt_buf_error(&a->out, err);
}

/* End the open zones that cannot contain a zone at ${depth} from ${ts} to ${end}. */
static int
pop_to(struct aside *a, uint32_t depth, uint64_t ts, uint64_t end, struct tt_err *err)
{
	int rc = TT_OK;

	while (a->nopen > 0 && rc == TT_OK) {
		const struct open *o = &a->open[a->nopen - 1];

		if (o->depth < depth && o->end >= ts + (end > ts))
			break;
		rc = pop(a, err);
	}
	return rc;
}

static int
push(struct aside *a, const struct tt_slice *s, uint64_t ts, uint64_t end, struct tt_err *err)
{
	struct perfetto *c = a->c;
	struct tt_piece piece;
	int rc = tt_mem_grow(&c->e.env->mem, &a->open, &a->capopen, a->nopen + 1, sizeof *a->open, err);

	TT_THEN(rc, tt_pieces_zone(&c->process[a->thread->process], s->key, &c->more, &piece, err));
	if (rc != TT_OK || !piece.s)
		return rc;
	/* An inner zone must not outlast the zone around it. */
	if (a->nopen > 0 && end > a->open[a->nopen - 1].end)
		end = a->open[a->nopen - 1].end;
	a->open[a->nopen++] = (struct open){ .end = end, .depth = s->depth };
	if (pf_piece_name(&piece))
		rc = tt_pf_send(c, pf_use(PF_USE_NAME, pf_piece_name(&piece)), &a->out, err);
	a->args.n = 0;
	if (rc == TT_OK && s->flags)
		rc = tt_text_spool_get(&c->args, s->flags, &a->args, err);
	a->last = ts;
	return rc == TT_OK ? put_begin(a, piece, ts, err) : rc;
}

static int
put_one(void *arg, const struct tt_slice *s, struct tt_err *err)
{
	struct aside *a = arg;
	uint64_t ts = pf_time(a->c, s->ts), end = ts + (uint64_t)(s->depth == FLOW ? 0 : s->dur);
	int rc = TT_OK;

	if (tt_stopped(a->c->e.env))
		return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	if (a->out.n >= 1 << 16)
		rc = tt_pf_write(a->c, &a->out, err);
	TT_THEN(rc, pop_to(a, s->depth, ts, end, err));
	if (rc != TT_OK)
		return rc;
	/* Zones that overlap (a damaged capture) are moved apart, so that ends and begins stay in order. */
	if (ts < a->last)
		ts = a->last;
	if (s->depth != FLOW)
		return push(a, s, ts, end > ts ? end : ts, err);
	if (a->nopen)
		tt_pf_put_flow(&a->out, a->thread, ts, (char)(s->dur % 128), s->key);
	return tt_buf_error(&a->out, err);
}

static int
put_thread(struct aside *a, size_t i, struct tt_err *err)
{
	int rc;

	a->last = 0;
	a->thread = a->c->slices.thread[i].thread;
	rc = tt_pf_send(a->c, pf_use(PF_USE_THREAD, a->thread->index), &a->out, err);
	TT_THEN(rc, tt_pf_send(a->c, pf_use(PF_USE_NAME, PF_FLOW), &a->out, err));
	TT_THEN(rc, tt_slices_each(&a->c->slices, i, put_one, a, err));
	while (a->nopen > 0 && rc == TT_OK)
		rc = pop(a, err);
	return rc == TT_OK ? tt_pf_write(a->c, &a->out, err) : rc;
}

int
tt_pf_aside_finish(struct perfetto *c, struct tt_err *err)
{
	struct aside a = { .c = c };
	int rc = TT_OK;

	for (size_t i = 0; i < c->slices.nthread && rc == TT_OK; i++)
		if (c->slices.thread[i].thread)
			rc = put_thread(&a, i, err);
	tt_buf_free(&a.out);
	tt_buf_free(&a.args);
	tt_mem_free(&c->e.env->mem, a.open, a.capopen * sizeof *a.open);
	return rc;
}
