/**
 * firefox: counters and sizes of the heap.
 */
#include "emit/firefox.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "collect/counters.h"
#include "emit/common.h"
#include "view/counter_labels.h"

/* The values of one counter over time; ${of} NULL: sizes of the heap. */
struct values { const struct tt_counter_stat *of; const uint32_t *point; size_t n; const struct heap_size *heap; uint32_t process, color; };

/* Get value ${i}. False: JSON cannot hold the value, or its difference from other values. */
static bool
value_at(const struct firefox *d, const struct values *v, size_t i, int64_t *ts, double *value)
{
	if (!v->of) {
		*ts = v->heap[i].ts;
		*value = (double)v->heap[i].bytes;
		return true;
	}
	const struct tt_counter_point *p = &tt_counters(d->e.m)->point[v->point[i]];
	enum tt_type type = (enum tt_type)v->of->type;
	uint64_t bits;

	memcpy(&bits, &p->v, sizeof bits);
	if (!tt_value_finite(type, bits))
		return false;
	tt_counter_scale(v->of->def, &type, &bits);
	*ts = p->ts;
	if (type == TT_T_F64)
		memcpy(value, &bits, sizeof bits);
	else
		*value = type == TT_T_I64 ? (double)(int64_t)bits : (double)bits;
	return fabs(*value) <= DBL_MAX / 2;
}

/*
 * Write a column of the values: times, or differences from the previous value. The first value is preceded by 0, which makes the profiler show the values as
 * they are.
 */
static int
put_values(struct firefox *d, const struct values *v, bool is_time, uint64_t *n, struct tt_err *err)
{
	double last = 0, value = 0;
	int64_t ts = 0;
	int rc = TT_OK;

	*n = 0;
	tt_json_open(&d->j, is_time ? "time" : "count", "[");
	for (size_t i = 0; i < v->n && rc == TT_OK; i++) {
		if (!value_at(d, v, i, &ts, &value)) {
			d->unwritten += is_time;
			continue;
		}
		for (unsigned k = *n ? 1 : 0; k < 2; k++, ++*n) {
			char *p = is_time ? NULL : tt_firefox_next_value(d);

			if (is_time)
				tt_firefox_put_time(d, ts);
			else if (p)
				tt_firefox_end_value(d, tt_put_double(p, k ? value - last : 0));
		}
		last = value;
		rc = tt_firefox_spill(d, err);
	}
	tt_json_close(&d->j, "]");
	return rc;
}

static int
put_counter(struct firefox *d, const struct values *v, const char *name, const char *category, const char *unit, struct tt_err *err)
{
	static const char *const colors[] = { "blue", "green", "magenta", "orange", "purple", "red", "teal", "yellow" };
	struct tt_json *j = &d->j;
	const bool is_bytes = strcmp(unit, "bytes") == 0;
	const uint32_t main = d->main_of[v->process];
	uint64_t n = 0;
	int rc;

	j->gap = "\n";
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "name", name);
	tt_json_text(j, "category", *category ? category : "Counters");
	tt_json_text(j, "description", unit);
	tt_firefox_put_pid(d, v->process);
	tt_json_u64(j, "mainThreadIndex", main ? d->row_of[main - 1] - 1 : 0);
	tt_json_open(j, "samples", "{");
	rc = put_values(d, v, true, &n, err);
	TT_THEN(rc, put_values(d, v, false, &n, err));
	tt_json_u64(j, "length", n);
	tt_json_close(j, "}");
	tt_json_open(j, "display", "{");
	tt_json_text(j, "graphType", "line-accumulated");
	tt_json_text(j, "unit", is_bytes ? "bytes" : unit);
	tt_json_text(j, "color", colors[v->color % (sizeof colors / sizeof *colors)]);
	tt_json_raw(j, "markerSchemaLocation", v->of ? "null" : "\"timeline-memory\"");
	tt_json_u64(j, "sortWeight", v->of ? 50 : 20);
	tt_json_text(j, "label", name);
	tt_json_open(j, "tooltipRows", "[");
	tt_json_open(j, NULL, "{");
	tt_json_text(j, "type", "value");
	tt_json_text(j, "source", "accumulated");
	tt_json_open(j, "format", "{");
	tt_json_text(j, "unit", is_bytes ? "bytes" : "number");
	tt_json_close(j, "}");
	tt_json_text(j, "label", is_bytes || !*unit ? name : unit);
	tt_json_close(j, "}]}}");
	return rc;
}

static int
by_process(const void *a, const void *b)
{
	const struct heap_size *x = a, *y = b;

	if (x->process != y->process)
		return TT_CMP(x->process, y->process);
	return x->ts != y->ts ? TT_CMP(x->ts, y->ts) : TT_CMP(x->bytes, y->bytes);
}

static int
put_heap_sizes(struct firefox *d, struct tt_err *err)
{
	int rc = TT_OK;

	tt_sort(d->heap, d->nheap, by_process);
	for (size_t i = 0, n; i < d->nheap && rc == TT_OK; i += n) {
		for (n = 1; i + n < d->nheap && d->heap[i + n].process == d->heap[i].process; n++)
			;
		rc = put_counter(d, &(struct values){ .heap = d->heap + i, .n = n, .process = d->heap[i].process }, "GC heap size", "GC", "bytes", err);
	}
	return rc;
}

/* Write the counters: ${order} lists their points counter by counter, and the points of counter i end before ${end}[i]. */
static int
put_ordered_counters(struct firefox *d, const uint32_t *order, const size_t *end, struct tt_err *err)
{
	const struct tt_counters *cs = tt_counters(d->e.m);
	struct tt_counter_labels labels;
	int rc = tt_counter_labels_make(d->e.m, &labels, &d->text, err);

	for (size_t i = 0; i < cs->n && rc == TT_OK; i++) {
		const struct tt_counter_stat *of = &cs->counter[i];
		const size_t from = i ? end[i - 1] : 0;
		char room[TT_COUNTER_NAME];

		const struct values v = { .of = of, .point = order + from, .n = end[i] - from, .process = of->process, .color = (uint32_t)i };

		if (v.n && of->type <= TT_T_F64)
			rc = put_counter(d, &v, tt_counter_label(&labels, of->def, of->id, room), tt_counter_section(of->def), tt_counter_base(of->def).name,
			    err);
	}
	return rc;
}

int
tt_firefox_put_counters(struct firefox *d, struct tt_err *err)
{
	const struct tt_counters *cs = tt_counters(d->e.m);
	struct tt_mem *mem = &d->e.env->mem;
	uint32_t *order = tt_mem_alloc(mem, cs->npoint * sizeof *order, err);
	size_t *end = tt_mem_alloc(mem, (cs->n + 1) * sizeof *end, err);
	int rc = order && end ? TT_OK : err->code;

	tt_json_open(&d->j, "counters", "[");
	/* Count, then place: at first end[i + 1] is the begin of the values of counter i; placing them moves it to their end. */
	for (size_t i = 0; i < cs->npoint && rc == TT_OK; i++)
		end[cs->point[i].counter]++;
	for (size_t i = 0, sum = 0; i < cs->n && rc == TT_OK; i++) {
		const size_t n = end[i];
		end[i] = sum;
		sum += n;
	}
	for (size_t i = 0; i < cs->npoint && rc == TT_OK; i++)
		order[end[cs->point[i].counter]++] = (uint32_t)i;
	d->unwritten += cs->point_dropped;
	TT_THEN(rc, put_heap_sizes(d, err));
	TT_THEN(rc, put_ordered_counters(d, order, end, err));
	tt_json_close(&d->j, "]");
	tt_mem_free(mem, order, cs->npoint * sizeof *order);
	tt_mem_free(mem, end, (cs->n + 1) * sizeof *end);
	return rc;
}
