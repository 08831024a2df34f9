/**
 * Writes what frames have beside their zones: counters, allocations, collections.
 */
#include "page/frame_facts.h"

#include "base/json.h"
#include "base/order.h"
#include "collect/by_frame.h"
#include "collect/collections.h"
#include "collect/counters.h"
#include "model/frames.h"
#include "model/model.h"
#include "out/html.h"
#include "page/details.h"
#include "pass/passes.h"
#include "view/counter_labels.h"
#include "view/view.h"

enum { BESIDE = 2, COUNTERS = 24, WITH_COUNTERS = 256 };        /* WITH_COUNTERS: maximum number of frames with values of counters, the most important ones */

static int
by_place(const void *a, const void *b)
{
	return TT_CMP(*(const size_t *)a, *(const size_t *)b);
}

static size_t
choose_every(const struct tt_frames *f, size_t *frame)
{
	for (size_t i = 0; i < f->n; i++)
		frame[i] = i;
	return f->n;
}

/* Choose the first ${most} frames in detail with ${beside} neighbours on each side, sorted. Return their number. */
static size_t
choose(const struct tt_details *d, const struct tt_frames *f, size_t most, size_t beside, size_t *frame)
{
	size_t n = 0, to = 0;

	for (size_t i = 0; i < d->n && i < most; i++) {
		size_t at = d->detail[i].frame, from = at > beside ? at - beside : 0;

		for (size_t k = from; d->detail[i].text.n && k < f->n && k <= at + beside; k++)
			frame[n++] = k;
	}
	tt_sort(frame, n, by_place);
	for (size_t i = 0; i < n; i++)
		if (to == 0 || frame[to - 1] != frame[i])
			frame[to++] = frame[i];
	return to;
}

static void
put_if(struct tt_json *j, bool known, int64_t v)
{
	if (known)
		tt_json_i64(j, NULL, v);
	else
		tt_json_raw(j, NULL, "null");
}

/* Write the facts of frame ${i}. ${pause}: pauses by frame; NULL: not known. */
static void
put_frame(const struct tt_model *m, size_t i, const int64_t *pause, struct tt_json *j)
{
	const struct tt_frames *f = m->frames;
	const struct tt_by_frame *by = tt_by_frame(m);
	const struct tt_frame_gc *gc = by && i < by->n ? &by->gc[i] : NULL;
	bool allocs = tt_model_knows_allocs(m), collections = gc && tt_knows_collections(m);

	tt_json_open(j, NULL, "[");
	tt_json_u64(j, NULL, tt_frames_number(f, i));
	tt_json_i64(j, NULL, tt_frames_wall(f, i));
	put_if(j, f->has_wait, tt_frames_cpu(f, i));
	put_if(j, allocs, tt_column_at(&f->alloc_n, i));
	put_if(j, allocs, tt_column_at(&f->alloc_b, i));
	put_if(j, collections, gc ? (int64_t)gc->n : 0);
	put_if(j, collections, gc ? gc->ns : 0);
	put_if(j, collections && pause, pause ? pause[i] : 0);
	put_if(j, gc && gc->has_heap, gc ? (int64_t)gc->heap : 0);
	tt_json_close(j, "]");
}

/* --- counters ---------------------------------------------------------------------------- */

struct kept { uint32_t counter, frame; union tt_counter_value last; };

static int
by_counter(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return x->counter != y->counter ? TT_CMP(x->counter, y->counter) : TT_CMP(x->frame, y->frame);
}

/*
 * The label of a counter. The engine reports its measurements of frames late, so that the value recorded in a frame is that of an earlier one; the label says
 * of which.
 */
static const char *
name_of(const struct tt_model *m, struct tt_report *r, const struct tt_counter_labels *labels, const struct tt_counter_stat *of)
{
	const struct tt_capture *cap = m->cap[of->process];
	char room[TT_COUNTER_NAME];
	const char *label = tt_counter_label(labels, of->def, of->id, room);
	unsigned late;

	if (!of->def || !cap->timing || cap->timing(of->def->text, &late) < 0)
		return tt_text(r, "%s", label);
	return tt_text(r, "%s (of %u frames before)", label, late);
}

static void
put_counter(const struct tt_model *m, struct tt_report *r, const struct tt_counter_labels *labels, const struct kept *v, size_t n, struct tt_json *j)
{
	const struct tt_counter_stat *of = &tt_counters(m)->counter[v->counter];
	struct tt_buf text = { 0 };

	tt_json_open(j, NULL, "[");
	tt_json_text(j, NULL, name_of(m, r, labels, of));
	tt_json_text(j, NULL, tt_counter_unit_name(of));
	tt_json_open(j, NULL, "[");
	for (size_t i = 0; i < n; i++) {
		struct tt_cell cell = { .empty = true };

		text.n = 0;
		tt_cell_counter(r, &cell, of, v[i].last);
		tt_html_number(&text, TT_UNIT_VALUE, &cell);
		tt_json_u64(j, NULL, tt_frames_number(m->frames, v[i].frame));
		tt_json_text(j, NULL, tt_buf_string(&text));
	}
	tt_json_close(j, "]");
	tt_json_close(j, "]");
	if (text.failed)
		tt_buf_fail(j->out);
	tt_buf_free(&text);
}

/* Write the values of counters in the ${n} frames at ${frame}. */
static int
put_counters(const struct tt_model *m, struct tt_report *r, const size_t *frame, size_t n, struct tt_json *j, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	struct tt_sorted *values;
	struct kept *v = NULL;
	size_t nv = 0, cap = 0, at = 0, shown = 0;
	const void *rec = NULL;
	struct tt_counter_labels labels;
	int rc = tt_counter_labels_make(m, &labels, &r->arena, err);

	if (rc != TT_OK)
		return rc;
	rc = tt_by_frame_open(m, TT_BY_FRAME_VALUES, &values, err);
	while (rc == TT_OK && (rc = tt_by_frame_next(values, &rec, err)) == TT_OK && rec) {
		const struct tt_frame_values next = tt_frame_values_of(tt_counters(m), rec);

		while (at < n && frame[at] < next.frame)
			at++;
		if (at == n)
			break;
		if (frame[at] != next.frame)
			continue;
		if ((rc = tt_mem_grow(mem, &v, &cap, nv + 1, sizeof *v, err)) == TT_OK)
			v[nv++] = (struct kept){ next.counter, next.frame, next.last };
	}
	tt_by_frame_close(values);
	tt_sort(v, nv, by_counter);
	for (size_t i = 0, next; i < nv && rc == TT_OK && shown < COUNTERS; i = next) {
		const struct tt_counter_stat *of = &tt_counters(m)->counter[v[i].counter];

		for (next = i + 1; next < nv && v[next].counter == v[i].counter;)
			next++;
		if (of->type == TT_T_TEXT || !tt_counter_less(of->type, of->min, of->max) || !tt_counter_wanted(m, of))
			continue;
		put_counter(m, r, &labels, &v[i], next - i, j);
		shown++;
	}
	tt_mem_free(mem, v, cap * sizeof *v);
	return rc;
}

int
tt_facts_put(const struct tt_details *d, struct tt_views *view, struct tt_report *r, size_t most, struct tt_buf *out, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	bool every;
	size_t *frame, n, room;
	struct tt_buf text = { 0 };
	struct tt_json j = { .out = &text };
	int64_t *pause = NULL;
	int rc;

	if (tt_details_nshown(d) == 0)
		return TT_OK;
	every = m->frames->n <= most;
	room = every && m->frames->n > d->n * (2 * BESIDE + 1) ? m->frames->n : d->n * (2 * BESIDE + 1);
	frame = tt_mem_alloc(&m->env->mem, room * sizeof *frame, err);
	if (!frame)
		return err->code;
	if (tt_knows_pauses(m)) {
		pause = tt_mem_alloc(&m->env->mem, m->frames->n * sizeof *pause, err);
		if (!pause) {
			tt_mem_free(&m->env->mem, frame, room * sizeof *frame);
			return err->code;
		}
		tt_gc_pause_of_frames(m, pause);
	}
	tt_json_open(&j, NULL, "[[");
	n = every ? choose_every(m->frames, frame) : choose(d, m->frames, d->n, BESIDE, frame);
	for (size_t i = 0; i < n; i++)
		put_frame(m, frame[i], pause, &j);
	tt_mem_free(&m->env->mem, pause, m->frames->n * sizeof *pause);
	tt_json_close(&j, "]");
	tt_json_open(&j, NULL, "[");
	n = choose(d, m->frames, WITH_COUNTERS, 0, frame);
	rc = put_counters(m, r, frame, n, &j, err);
	tt_json_close(&j, "]]");
	tt_mem_free(&m->env->mem, frame, room * sizeof *frame);
	TT_THEN(rc, tt_buf_error(&text, err));
	tt_buf_text(out, "<script type=\"application/x-tracetool\" data-facts=\"");
	tt_buf_printf(out, "%zu\">", n);
	TT_THEN(rc, tt_page_pack(&text, out, err));
	tt_buf_text(out, "</script>\n");
	tt_buf_free(&text);
	return rc;
}
