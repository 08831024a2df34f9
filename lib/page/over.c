/**
 * Keeps the time of the largest markers in each frame.
 */
#include "page/over.h"

#include <string.h>

#include "base/json.h"
#include "base/order.h"
#include "out/html.h"
#include "page/details.h"
#include "view/frame_sums.h"
#include "view/view.h"

struct ranked { int64_t most; uint32_t row; };

struct tt_over {
	struct tt_views *view;
	struct tt_mem *mem;
	const struct tt_paths *p;
	const struct tt_frames *f;
	struct ranked *marker;        /* all markers, sorted so that the chosen ones come first */
	uint32_t *slot;               /* by row: index among the chosen markers + 1; 0: not chosen */
	int64_t *v;                   /* time by marker and column, ns */
	int64_t *now;                 /* time by marker in the current frame */
	int64_t *filling;             /* by marker: open zones that fill whole frames, in durations of a frame */
	size_t next;                  /* the next frame to add */
	size_t nfilling;              /* number of changes to filling so far */
	size_t n, columns, nmarker;
};

static int
by_most(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->most != y->most ? TT_CMP(y->most, x->most) : TT_CMP(x->row, y->row);
}

/* Rank markers by their longest time in one frame; on threads other than the frame thread only the mean is known, and used instead. */
static int
choose(struct tt_over *o, size_t most, struct tt_err *err)
{
	const size_t size = (o->p->nrow + 1) * sizeof(struct tt_calls);
	struct tt_calls *sum = tt_mem_alloc(o->mem, size, err);

	if (!sum)
		return err->code;
	tt_calls_sum(o->p, NULL, sum);
	for (uint32_t row = 0; row < o->p->nrow; row++) {
		struct tt_frame_marker of = { 0 };
		int64_t mean = sum[row].total / (int64_t)o->f->n;

		if (!o->p->row[row].wanted || sum[row].total <= 0)
			continue;
		tt_row_frames(o->p, &o->p->row[row], &of);
		o->marker[o->nmarker++] = (struct ranked){ of.total_max > mean ? of.total_max : mean, row };
	}
	tt_mem_free(o->mem, sum, size);
	tt_sort(o->marker, o->nmarker, by_most);
	o->n = o->nmarker < most ? o->nmarker : most;
	for (size_t i = 0; i < o->n; i++)
		o->slot[o->marker[i].row] = (uint32_t)i + 1;
	return TT_OK;
}

/* The index + 1, among the chosen markers, of the zones of ${node}, if these are outermost zones of their marker; 0: none. */
static uint32_t
slot_of(const struct tt_over *o, const struct tt_frame_sums *s, uint32_t node)
{
	return tt_frame_sums_zone(s, node) && tt_paths_shown(o->p, node) && (s->flags[node] & TT_SUM_OUTER) ? o->slot[tt_paths_row(o->p, node)] : 0;
}

/* Add the times of the next frame: o->now, and those of zones that fill it. */
static void
add_next(struct tt_over *o)
{
	const size_t column = (size_t)((((tt_u128)o->next + 1) * o->columns + o->f->n - 1) / o->f->n) - 1;
	const int64_t dur = o->nfilling ? tt_frames_dur(o->f, o->next) : 0;

	for (size_t i = 0; i < o->n; i++) {
		const int64_t now = o->now[i] + o->filling[i] * dur;

		if (now > o->v[i * o->columns + column])
			o->v[i * o->columns + column] = now;
	}
	o->next++;
}

/* Add the frames before ${frame}, in which only zones that fill them are open. */
static void
add_filled(struct tt_over *o, size_t frame)
{
	memset(o->now, 0, o->n * sizeof *o->now);
	while (o->nfilling && o->next < frame)
		add_next(o);
	o->next = frame;
}

void
tt_over_frame(struct tt_over *o, const struct tt_frame_sums *s)
{
	uint32_t slot;

	if (!o)
		return;
	add_filled(o, s->frame);
	for (size_t i = 0; i < s->nchange; i++)
		if ((slot = slot_of(o, s, s->change[i].node)) != 0) {
			o->filling[slot - 1] += s->change[i].total;
			o->nfilling++;
		}
	for (size_t i = 0; i < s->n; i++)
		if ((slot = slot_of(o, s, s->rec[i].node)) != 0)
			o->now[slot - 1] += s->rec[i].total;
	add_next(o);
}

void
tt_over_end(struct tt_over *o)
{
	if (o)
		add_filled(o, o->f->n);
}

int
tt_over_put(const struct tt_over *o, const char *command, struct tt_buf *out, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	struct tt_json j = { .out = &text };
	int rc;

	if (!o)
		return TT_OK;
	tt_json_open(&j, NULL, "[[");
	for (size_t i = 0; i < o->n; i++)
		tt_json_text(&j, NULL, o->p->row[o->marker[i].row].label);
	tt_json_close(&j, "]");
	tt_json_open(&j, NULL, "[");
	for (size_t i = 0; i < o->n; i++) {
		size_t last = 0;

		tt_json_open(&j, NULL, "[");
		for (size_t c = 0; c < o->columns; c++) {
			if (o->v[i * o->columns + c] == 0)
				continue;
			tt_json_u64(&j, NULL, c - last);
			tt_json_i64(&j, NULL, o->v[i * o->columns + c]);
			last = c;
		}
		tt_json_close(&j, "]");
	}
	tt_json_close(&j, "]]");
	rc = tt_buf_error(&text, err);
	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-over=\"%zu\" data-looked=\"%lld\" data-command=\"", o->n,
	    (long long)tt_column_at(&o->f->nexamined_before, o->f->n));
	tt_html_text(out, command);
	tt_buf_text(out, "\">");
	TT_THEN(rc, tt_page_pack(&text, out, err));
	tt_buf_text(out, "</script>\n");
	tt_buf_free(&text);
	return rc;
}

static int
begin(struct tt_over *o, size_t most, struct tt_err *err)
{
	o->p = tt_view_paths(o->view, TT_GROUP_NONE, TT_PATHS_LINK, err);
	o->marker = o->p ? tt_mem_alloc(o->mem, (o->p->nrow + 1) * sizeof *o->marker, err) : NULL;
	o->slot = o->marker ? tt_mem_alloc(o->mem, (o->p->nrow + 1) * sizeof *o->slot, err) : NULL;
	if (!o->slot || choose(o, most, err) != TT_OK || o->n == 0)
		return err->code;
	o->v = tt_mem_alloc(o->mem, o->n * o->columns * sizeof *o->v, err);
	o->now = o->v ? tt_mem_alloc(o->mem, o->n * sizeof *o->now, err) : NULL;
	o->filling = o->now ? tt_mem_alloc(o->mem, o->n * sizeof *o->filling, err) : NULL;
	return err->code;
}

int
tt_over_begin(struct tt_over **to, struct tt_views *view, size_t most, size_t columns, struct tt_err *err)
{
	const struct tt_frames *f = view->m->frames;
	struct tt_mem *mem = &view->m->env->mem;
	struct tt_over *o;
	int rc;

	*to = NULL;
	if (!f || f->n == 0 || f->nrange != 1)
		return TT_OK;
	if (!(o = *to = tt_mem_alloc(mem, sizeof *o, err)))
		return err->code;
	*o = (struct tt_over){ .view = view, .mem = mem, .f = f, .columns = f->n < columns ? f->n : columns };
	rc = begin(o, most, err);
	if (rc == TT_OK && o->n == 0) {
		tt_over_free(o);
		*to = NULL;
	}
	return rc;
}

void
tt_over_free(struct tt_over *o)
{
	if (!o)
		return;
	tt_mem_free(o->mem, o->marker, o->marker ? (o->p->nrow + 1) * sizeof *o->marker : 0);
	tt_mem_free(o->mem, o->slot, o->slot ? (o->p->nrow + 1) * sizeof *o->slot : 0);
	tt_mem_free(o->mem, o->v, o->n * o->columns * sizeof *o->v);
	tt_mem_free(o->mem, o->now, o->n * sizeof *o->now);
	tt_mem_free(o->mem, o->filling, o->n * sizeof *o->filling);
	tt_mem_free(o->mem, o, sizeof *o);
}
