/**
 * Chrome JSON in its B/E form: a begin and an end for each zone, thread by thread.
 *
 * Readers sort by time and keep the file's order among equals, and DevTools pairs B with E in file order on one stack for all threads. So every
 * B must come in the file before the B of each inner zone, even if it is known only later (a zone is reported when it ends): zones are put
 * aside (slice_sort.h) and written at the end. Among equal times the order is: ends of finished zones, inner first; then begins, outer first.
 *
 * speedscope takes ends before begins of the same time, unless name and arguments are equal. So wherever begins and ends alternate within one ns,
 * times grow by a fraction of it; a zone of length 0 is such a case. A reader that rounds to ns gets the time of the capture.
 *
 * A flow belongs to the zone that is open at the flow's place in the file. So it waits with the zones, as if it were a zone inside all others:
 * it comes after all begins of its time and before the ends of that time. A flow that belongs to the next zone comes after the ends, too, because
 * a zone that ends there does not enclose it.
 */
#include <string.h>

#include "emit/chrome.h"
#include "emit/micros.h"

#define FLOW UINT32_MAX               /* a slice of this depth is a flow: key is its id, dur its number * 256 + FLOW_NEXT + phase */
#define FLOW_NEXT 128                 /* the flow belongs to the next zone */

struct open {
	struct tt_slice s;
	uint64_t end;                 /* end in the output's time */
};

struct pairs {
	struct chrome *c;
	const struct tt_thread *thread;
	struct tt_buf out;
	struct tt_micros micros;
	struct open *open;            /* zones that were begun and not ended, outermost first */
	size_t nopen, capopen;
	uint64_t last;                /* the latest time written, in ns */
	uint32_t last_ps;             /* picoseconds above ${last}, below 500 */
	char last_phase;              /* phase of the record written last: B or E */
};

/* --- during the run ----------------------------------------------------- */

int
tt_chrome_pairs_write(struct chrome *c, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	int rc = TT_OK;

	for (const char *end = p + n; p < end && rc == TT_OK;) {
		struct chrome_frame f;

		memcpy(&f, p, sizeof f);
		p += sizeof f;
		if (!f.zones) {
			if (tt_chrome_full(c, (size_t)f.n))
				rc = tt_chrome_turn(c, err);
			TT_THEN(rc, tt_chrome_put(c, v->thread, p, (size_t)f.n, err));
			if (f.n && v->b->min_ts <= v->b->max_ts)
				tt_chrome_span(c, v->b->min_ts, v->b->max_ts);
			p += f.n;
			continue;
		}
		rc = tt_slices_add(&c->slices, v->thread, p, (size_t)f.n, &c->args, err);
		p += f.n * sizeof(struct tt_slice) + f.text;
	}
	return rc;
}

int
tt_chrome_pairs_flow(struct chrome *c, const struct tt_flow_step *step, char phase, uint64_t id, struct tt_err *err)
{
	/* The number keeps flows of the same time in order. */
	const struct tt_slice s = { .ts = step->ts, .dur = c->nflow++ * 256 + step->next * FLOW_NEXT + phase, .key = id,
		.depth = FLOW };

	return tt_slices_add_late(&c->slices, c->e.m->threads.t[step->thread], &s, err);
}

/* --- at the end --------------------------------------------------------- */

/* Print ${ts}, or the latest time if that is later; ${phase}: B or E for a zone, else 0. */
static char *
put_time(struct pairs *w, char *p, uint64_t ts, char phase)
{
	if (ts > w->last) {
		w->last = ts;
		w->last_ps = 0;
	} else if (phase && w->last_phase && phase != w->last_phase) {
		w->last_ps += tt_micros_step(w->last);
		if (w->last_ps >= 500) {
			w->last_ps = 0;
			w->last++;
		}
	}
	if (phase)
		w->last_phase = phase;
	p = tt_put_micros(p, &w->micros, w->last);
	if (!w->last_ps)
		return p;
	tt_store8(p, tt_digits3[w->last_ps] & 0xffffff);
	return p + 3;
}

/* Write a begin or an end of a zone, with the arguments at the place ${args}; 0: no arguments. */
static int
put(struct pairs *w, const char *phase, uint64_t ts, uint64_t key, uint32_t args, struct tt_err *err)
{
	const struct tt_thread *t = w->thread;
	struct tt_piece piece;
	char *p;
	int rc = tt_pieces_zone(&w->c->process[t->process].pieces, key, &w->c->scratch, &piece, err);

	if (rc != TT_OK || !piece.s)
		return rc;
	rc = tt_buf_room(&w->out, CHROME_RECORD + piece.n + TT_FRAG_PAD, err);
	if (rc != TT_OK)
		return rc;
	p = tt_chrome_put_head(w->out.p + w->out.n, phase, chrome_pid(t->process), chrome_tid(t));
	p = put_time(w, p, ts, *phase);
	if (args) {
		w->out.n = (size_t)(p - w->out.p);
		if ((rc = tt_text_spool_get(&w->c->args, args, &w->out, err)) != TT_OK ||
		    (rc = tt_buf_room(&w->out, piece.n + TT_FRAG_PAD, err)) != TT_OK)
			return rc;
		p = w->out.p + w->out.n;
	}
	p = tt_frag_copy(p, piece.s, piece.n);
	w->out.n = (size_t)(p - w->out.p);
	return TT_OK;
}

static int
flush(struct pairs *w, struct tt_err *err)
{
	int rc = tt_chrome_put(w->c, w->thread, w->out.p, w->out.n, err);

	w->out.n = 0;
	return rc;
}

/* End the innermost zone. */
static int
pop(struct pairs *w, struct tt_err *err)
{
	const struct open *o = &w->open[--w->nopen];

	return put(w, "E", o->end, o->s.key, 0, err);
}

/* End the open zones that cannot contain a zone at ${depth} from ${ts} to ${end}. */
static int
pop_to(struct pairs *w, uint32_t depth, uint64_t ts, uint64_t end, struct tt_err *err)
{
	int rc = TT_OK;

	while (w->nopen > 0 && rc == TT_OK) {
		const struct open *o = &w->open[w->nopen - 1];

		if (o->s.depth < depth && o->end >= ts + (end > ts))
			break;
		rc = pop(w, err);
	}
	return rc;
}

static int
push(struct pairs *w, const struct tt_slice *s, uint64_t ts, uint64_t end, struct tt_err *err)
{
	int rc = tt_mem_grow(&w->c->e.env->mem, &w->open, &w->capopen, w->nopen + 1, sizeof *w->open, err);

	if (rc != TT_OK)
		return rc;
	/* An inner zone must not outlast the zone around it. */
	if (w->nopen > 0 && end > w->open[w->nopen - 1].end)
		end = w->open[w->nopen - 1].end;
	w->open[w->nopen++] = (struct open){ .s = *s, .end = end };
	tt_chrome_span(w->c, s->ts, s->ts);
	return put(w, "B", ts, s->key, s->flags, err);
}

/* A file is full: end its open zones, and continue in the next one with zones that begin from here on. */
static int
turn(struct pairs *w, struct tt_err *err)
{
	int rc = flush(w, err);

	if (rc != TT_OK || !tt_chrome_full(w->c, 0))
		return rc;
	while (w->nopen > 0 && rc == TT_OK)
		rc = pop(w, err);
	TT_THEN(rc, flush(w, err));
	w->last = w->last_ps = 0;
	return rc == TT_OK ? tt_chrome_turn(w->c, err) : rc;
}

static int
put_flow(struct pairs *w, const struct tt_slice *s, uint64_t ts, struct tt_err *err)
{
	const char phase = (char)(s->dur % 128);
	char *p;

	if (tt_buf_room(&w->out, CHROME_RECORD, err) != TT_OK)
		return TT_E_NOMEM;
	p = tt_chrome_put_head(w->out.p + w->out.n, &phase, chrome_pid(w->thread->process), chrome_tid(w->thread));
	w->out.n = (size_t)(put_time(w, p, ts, 0) - w->out.p);
	tt_chrome_span(w->c, s->ts, s->ts);
	tt_chrome_flow(&w->out, s->key);
	return tt_buf_error(&w->out, err);
}

static int
put_pair(void *arg, const struct tt_slice *s, struct tt_err *err)
{
	struct pairs *w = arg;
	uint64_t ts = chrome_time(w->c, s->ts), end = ts + (uint64_t)(s->depth == FLOW ? 0 : s->dur);
	int rc = TT_OK;

	if (tt_stopped(w->c->e.env))
		return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	if (w->out.n >= 1 << 16 || tt_chrome_full(w->c, w->out.n))
		rc = turn(w, err);
	TT_THEN(rc, pop_to(w, s->depth, ts, end, err));
	while (rc == TT_OK && s->depth == FLOW && s->dur & FLOW_NEXT && w->nopen && w->open[w->nopen - 1].end <= ts &&
	    w->open[w->nopen - 1].s.ts < s->ts)
		rc = pop(w, err);
	if (rc != TT_OK)
		return rc;
	/* Zones that overlap (a damaged capture) are moved apart, so that ends and begins stay in order. */
	if (ts < w->last)
		ts = w->last;
	return s->depth == FLOW ? put_flow(w, s, ts, err) : push(w, s, ts, end > ts ? end : ts, err);
}

static int
put_thread(struct pairs *w, size_t i, struct tt_err *err)
{
	int rc;

	w->last = w->last_ps = 0;
	w->last_phase = 0;
	w->thread = w->c->slices.thread[i].thread;
	rc = tt_slices_each(&w->c->slices, i, put_pair, w, err);
	while (w->nopen > 0 && rc == TT_OK)
		rc = pop(w, err);
	return rc == TT_OK ? flush(w, err) : rc;
}

int
tt_chrome_pairs_finish(struct chrome *c, struct tt_err *err)
{
	struct pairs w = { .c = c };
	int rc = TT_OK;

	for (size_t i = 0; i < c->slices.nthread && rc == TT_OK; i++)
		if (c->slices.thread[i].thread)
			rc = put_thread(&w, i, err);
	tt_buf_free(&w.out);
	tt_mem_free(&c->e.env->mem, w.open, w.capopen * sizeof *w.open);
	return rc;
}
