/**
 * The pass "counters": the runtime's, the program's and the engine's counters.
 *
 * Values are shown in the counter's own unit, times always in ns, so one column holds bytes in one row and
 * nanoseconds in the next. Definitions: tracetool-metrics(7), Counters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/setting.h"
#include "pass/passes.h"
#include "collect/counters.h"
#include "collect/timeline.h"
#include "stat/num.h"
#include "view/counter.h"
#include "view/figures.h"

enum { K_COUNTER, K_SECTION, K_UNIT, K_LAST, K_MIN, K_MEAN, K_MAX, K_FIRST, K_DELTA, K_TEXT, K_COUNT, K_KIND, K_FIRST_NS,
	K_LAST_NS, K_ID, K_PROCESS, K_N };

static const struct tt_col counters_col[K_N] = {
	[K_COUNTER] = { "counter", "counter", TT_UNIT_TEXT, "Name of the counter, or \"(unknown counter 7)\" by its number if it has no description." },
	[K_SECTION] = { "section", "section", TT_UNIT_TEXT, "Section of the counter: the part of the runtime, or the producer's category." },
	[K_UNIT] = { "unit", "unit", TT_UNIT_TEXT,
	    "Unit of the values here: bytes, ns (all times), count, percent, hz or value; a question mark after it means a guess from the name." },
	[K_LAST] = { "last", "last", TT_UNIT_VALUE, "Last value." },
	[K_MIN] = { "min", "min", TT_UNIT_VALUE,
	    "Smallest value; here, in the mean and in the largest value, infinities count only if no value is a number, NaN only if all are." },
	[K_MEAN] = { "mean", "mean", TT_UNIT_VALUE, "Mean over all samplings from the first value on, unchanged ones included." },
	[K_MAX] = { "max", "max", TT_UNIT_VALUE, "Largest value." },
	[K_FIRST] = { "first", "first", TT_UNIT_VALUE, "First value." },
	[K_DELTA] = { "delta", "change", TT_UNIT_VALUE, "Last value minus first value; empty beyond the largest double." },
	[K_TEXT] = { "text", "text", TT_UNIT_TEXT, "Last value of a counter whose values are text." },
	[K_COUNT] = { "count", "values", TT_UNIT_COUNT, "Number of values in the file; Mono leaves out unchanged values." },
	[K_KIND] = { "kind", "kind", TT_UNIT_TEXT, "monotonic, constant or variable, if the recorder says so." },
	[K_FIRST_NS] = { "first_ns", "from", TT_UNIT_NS, "Time of the first value." },
	[K_LAST_NS] = { "last_ns", "to", TT_UNIT_NS, "Time of the last value." },
	[K_ID] = { "id", "id", TT_UNIT_HEX, "Number of the counter in the file; 0x400000 and more: one that only a later log of an appended .raw has." },
	[K_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

enum { V_TIME, V_COUNTER, V_SECTION, V_UNIT, V_VALUE, V_DELTA, V_PROCESS, V_N };

static const struct tt_col values_col[V_N] = {
	[V_TIME] = { "time_ns", "time", TT_UNIT_NS, "Time of the value." },
	[V_COUNTER] = { "counter", "counter", TT_UNIT_TEXT, "Name of the counter." },
	[V_SECTION] = { "section", "section", TT_UNIT_TEXT, "Section of the counter." },
	[V_UNIT] = { "unit", "unit", TT_UNIT_TEXT, "Unit of the values here, as in the table counters." },
	[V_VALUE] = { "value", "value", TT_UNIT_VALUE, "Value." },
	[V_DELTA] = { "delta", "change", TT_UNIT_VALUE, "Value minus the previous value; empty for the first, and beyond the largest double." },
	[V_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

enum { B_COUNTER, B_FROM, B_TO, B_SECTION, B_UNIT, B_LAST, B_DELTA, B_MIN, B_MAX, B_VALUES, B_PROCESS, B_N };

static const struct tt_col timeline_col[B_N] = {
	[B_COUNTER] = { "counter", "counter", TT_UNIT_TEXT, "Name of the counter." },
	[B_FROM] = { "from_ns", "from", TT_UNIT_NS, "Start of the bucket, as in the table timeline." },
	[B_TO] = { "to_ns", "to", TT_UNIT_NS, "Start of the next bucket." },
	[B_SECTION] = { "section", "section", TT_UNIT_TEXT, "Section of the counter." },
	[B_UNIT] = { "unit", "unit", TT_UNIT_TEXT, "Unit of the values here, as in the table counters." },
	[B_LAST] = { "last", "last", TT_UNIT_VALUE, "Value at the end of the bucket." },
	[B_DELTA] = { "delta", "change", TT_UNIT_VALUE, "Last value minus the value at the end of the previous bucket; empty beyond the largest double." },
	[B_MIN] = { "min", "min", TT_UNIT_VALUE, "Smallest value in the bucket, including the value at its start." },
	[B_MAX] = { "max", "max", TT_UNIT_VALUE, "Largest value in the bucket, including the value at its start." },
	[B_VALUES] = { "values", "values", TT_UNIT_COUNT, "Number of values in the file for this bucket." },
	[B_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

#define MAX_NAMED_ZEROS 5
#define NO_COUNTERS "no counter in this capture, or the filters leave none"

/* --- units ------------------------------------------------------------------------- */

/* How the values of a counter are shown: multiplied by num, in a unit. */
struct scale { enum tt_unit unit; int64_t num; const char *name; };

static struct scale
scale_of(const struct tt_counter_stat *c)
{
	static const struct { enum tt_unit unit; int64_t step; } shown[] = {
		[TT_OF_NUMBER] = { TT_UNIT_COUNT, 1 }, [TT_OF_TIME] = { TT_UNIT_NS, 1 }, [TT_OF_BYTES] = { TT_UNIT_BYTES, 1 },
		[TT_OF_PERCENT] = { TT_UNIT_PERCENT, 100 }, [TT_OF_HZ] = { TT_UNIT_MILLI, 1000 },
	};
	struct tt_counter_base base = tt_counter_base(c->def);
	struct scale s = { shown[base.of].unit, shown[base.of].step * base.num, base.name };

	/* Show a count with a fraction in thousandths. */
	if (s.unit == TT_UNIT_COUNT && c->type == TT_T_F64)
		s = (struct scale){ TT_UNIT_MILLI, 1000, s.name };
	return s;
}

/* Put a value that is too large for a cell as the number ${text}, in the unit of ${s}. */
static void
put_beyond(struct tt_report *r, struct tt_cell *c, struct scale s, const char *text, double v)
{
	tt_cell_beyond(c, s.unit, tt_text(r, "%s", text), v > 0 ? INT64_MAX : INT64_MIN);
}

/* Put a number. Leave the cell empty if a finite number exceeds the largest double once it is in the unit shown. */
static void
put_double(struct tt_report *r, struct tt_cell *c, struct scale s, double v)
{
	double scaled = round(v * (double)s.num), step = s.unit == TT_UNIT_PERCENT ? 100 : s.unit == TT_UNIT_MILLI ? 1000 : 1;
	char text[40];

	if (scaled >= -9.2e18 && scaled <= 9.2e18) {
		double exact = tt_counter_times(v, (double)s.num / step);

		*tt_put_double(text, exact) = '\0';
		if (exact * step == scaled)
			tt_cell_value(c, s.unit, (int64_t)scaled);
		else
			tt_cell_exact(c, s.unit, tt_text(r, "%s", text), (int64_t)scaled);
		return;
	}
	const double shown = v * ((double)s.num / step);      /* divide first: the largest doubles would overflow if they were multiplied */
	if (isfinite(v) && !isfinite(shown))
		return;
	if (isfinite(shown))
		*tt_put_double(text, shown) = '\0';
	else
		strcpy(text, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
	put_beyond(r, c, s, text, v);
}

void
tt_cell_counter(struct tt_report *r, struct tt_cell *c, const struct tt_counter_stat *of, union tt_counter_value v)
{
	struct scale s = scale_of(of);
	char text[40];
	int64_t scaled;

	if (of->type == TT_T_F64) {
		put_double(r, c, s, v.d);
	} else if (of->type == TT_T_U64 && v.i < 0 && s.num == 1) {
		*tt_put_u64(text, v.u) = '\0';
		put_beyond(r, c, s, text, 1);
	} else if ((of->type == TT_T_U64 && v.i < 0) || __builtin_mul_overflow(v.i, s.num, &scaled)) {
		put_double(r, c, s, tt_counter_number(of, v));
	} else {
		tt_cell_value(c, s.unit, scaled);
	}
}

const char *
tt_counter_unit_name(const struct tt_counter_stat *c)
{
	return scale_of(c).name;
}

/* Put ${a} - ${b}; empty as in put_double(). */
static void
put_delta(struct tt_report *r, struct tt_cell *c, const struct tt_counter_stat *of, union tt_counter_value a, union tt_counter_value b)
{
	union tt_counter_value d;

	if (of->type == TT_T_F64) {
		d.d = a.d - b.d;
		if (isfinite(a.d) && isfinite(b.d) && !isfinite(d.d))
			return;
	} else if (of->type == TT_T_U64 && a.u < b.u) {
		put_double(r, c, scale_of(of), -(double)(b.u - a.u));
		return;
	} else if (of->type == TT_T_U64) {
		d.u = a.u - b.u;
	} else if (__builtin_sub_overflow(a.i, b.i, &d.i)) {
		put_double(r, c, scale_of(of), (double)a.i - (double)b.i);
		return;
	}
	tt_cell_counter(r, c, of, d);
}

static void
put_mean(struct tt_report *r, struct tt_cell *c, const struct tt_counter_stat *of)
{
	struct scale s = scale_of(of);

	if (s.unit == TT_UNIT_COUNT)
		s = (struct scale){ TT_UNIT_MILLI, 1000, s.name };
	put_double(r, c, s, tt_counter_mean(of));
}

/* --- names ------------------------------------------------------------------------- */

const char *
tt_counter_name(struct tt_report *r, const struct tt_counter_stat *c)
{
	char room[TT_COUNTER_NAME];
	const char *name = tt_counter_called(c->def, c->id, room);

	return name == room ? tt_text(r, "%s", name) : name;
}

static const char *
kind_of(const struct tt_counter_stat *c)
{
	static const char *const kind[] = { "", "monotonic", "constant", "variable" };
	unsigned v = tt_counter_kind_of(c->def);

	return kind[v < TT_NCOL(kind) ? v : 0];
}

bool
tt_counter_wanted(const struct tt_model *m, const struct tt_counter_stat *c)
{
	return tt_counter_chosen(&m->filter, c->def, c->id);
}

/* --- tables ------------------------------------------------------------------------ */

static void
put_counter(const struct tt_model *m, const struct tt_counter_stat *s, struct tt_table *t)
{
	const char *name = tt_counter_name(t->r, s);
	struct tt_report *r = t->r;
	struct tt_cell *c;

	if (!tt_counter_wanted(m, s))
		return;
	c = tt_row(t);
	tt_cell_text(&c[K_COUNTER], name);
	tt_cell_name(&c[K_SECTION], tt_counter_section(s->def));
	tt_cell_name(&c[K_TEXT], s->text);
	tt_cell_name(&c[K_KIND], kind_of(s));
	tt_cell_u64(&c[K_COUNT], s->n);
	tt_cell_int(&c[K_LAST_NS], s->last_ts);
	tt_cell_u64(&c[K_ID], s->id);
	tt_cell_int(&c[K_PROCESS], (int64_t)s->process + 1);
	if (s->type == TT_T_TEXT)
		return;
	tt_cell_text(&c[K_UNIT], scale_of(s).name);
	tt_cell_counter(r, &c[K_LAST], s, s->last);
	tt_cell_counter(r, &c[K_MIN], s, s->min);
	tt_cell_counter(r, &c[K_MAX], s, s->max);
	tt_cell_counter(r, &c[K_FIRST], s, s->first);
	put_delta(r, &c[K_DELTA], s, s->last, s->first);
	put_mean(r, &c[K_MEAN], s);
	tt_cell_int(&c[K_FIRST_NS], s->first_ts);
}

/* Find the last value of the integer counter ${name}. False: there is no value. */
static bool
last_of(const struct tt_model *m, uint32_t process, const char *name, int64_t *v)
{
	const struct tt_counters *cs = tt_counters(m);

	for (size_t i = 0; i < cs->n; i++) {
		const struct tt_counter_stat *s = &cs->counter[i];
		if (s->process != process || !s->def || !s->n || s->type == TT_T_F64 || strcmp(s->def->text, name) != 0)
			continue;
		*v = s->last.i;
		return *v >= 0 && *v <= INT64_MAX / 4;
	}
	return false;
}

/* True if the total CPU time is wrong: Mono (6.8) counts user time twice in it. The three counters are read in turn, so they may differ by a tick. */
static bool
total_is_wrong(const struct tt_model *m, uint32_t process)
{
	int64_t user, system, total;

	return last_of(m, process, "User Time", &user) && last_of(m, process, "System Time", &system) &&
	    last_of(m, process, "Total Time", &total) && llabs(total - 2 * user) < llabs(total - user - system);
}

/* True if all values of the counter are 0. */
static bool
is_zero(const struct tt_counter_stat *s)
{
	return s->n && s->type != TT_T_TEXT && tt_counter_number(s, s->min) == 0 && tt_counter_number(s, s->max) == 0;
}

/* Append the name of ${s}, the ${n}th, to ${list}, unless enough names are listed. */
static const char *
add_zero(struct tt_table *t, const char *list, size_t n, const struct tt_counter_stat *s)
{
	return n > MAX_NAMED_ZEROS ? list : tt_text(t->r, "%s%s%s", list, n > 1 ? ", " : "", tt_counter_name(t->r, s));
}

static void
summary(struct tt_making *k, struct tt_table *t)
{
	const struct tt_model *m = k->m;
	const struct tt_counters *cs = tt_counters(m);
	const char *zeros = "";
	size_t nzeros = 0;

	for (uint32_t p = 0; p < m->ncap && !t->note; p++)
		if (total_is_wrong(m, p))
			t->note = "\"Total Time\" is twice \"User Time\", an error of this Mono: add \"User Time\" and \"System Time\"";
	for (size_t i = 0; i < cs->n; i++) {
		if (k->o->folds_zeros && is_zero(&cs->counter[i]) && tt_counter_wanted(m, &cs->counter[i]))
			zeros = add_zero(t, zeros, ++nzeros, &cs->counter[i]);
		else if (cs->counter[i].n)
			put_counter(m, &cs->counter[i], t);
	}
	if (nzeros)
		t->empty_reason = tt_text(k->r, "%zu counter%s 0 all along: %s%s (%s shows them)", nzeros, nzeros == 1 ? " is" : "s are", zeros,
		    nzeros > MAX_NAMED_ZEROS ? ", ..." : "", tt_setting_name[TT_SETTING_ALL_ROWS]);
	if (nzeros && t->nrow)
		t->note = t->note ? tt_text(k->r, "%s; %s", t->note, t->empty_reason) : t->empty_reason;
	if (cs->dropped)
		t->note = tt_text(k->r, "%llu values of further counters were not looked at", (unsigned long long)cs->dropped);
}

static void
put_point(const struct tt_counter_stat *s, const struct tt_counter_point *p, const union tt_counter_value *before, struct tt_table *t)
{
	const char *name = tt_counter_name(t->r, s);
	struct tt_cell *c = tt_row(t);

	tt_cell_int(&c[V_TIME], p->ts);
	tt_cell_text(&c[V_COUNTER], name);
	tt_cell_name(&c[V_SECTION], tt_counter_section(s->def));
	tt_cell_text(&c[V_UNIT], scale_of(s).name);
	tt_cell_counter(t->r, &c[V_VALUE], s, p->v);
	if (before)
		put_delta(t->r, &c[V_DELTA], s, p->v, *before);
	tt_cell_int(&c[V_PROCESS], (int64_t)s->process + 1);
}

/* List the values of each counter in order of time. */
static void
values(struct tt_making *k, struct tt_table *t)
{
	const struct tt_model *m = k->m;
	const struct tt_counters *cs = tt_counters(m);
	struct seen { union tt_counter_value v; bool is, wanted; } *seen =
	    tt_pass_alloc(k, cs->n * sizeof *seen);

	if (!seen)
		return;
	for (size_t i = 0; i < cs->n; i++)
		seen[i].wanted = tt_counter_wanted(m, &cs->counter[i]);
	for (size_t i = 0; i < cs->npoint; i++) {
		const struct tt_counter_point *p = &cs->point[i];
		struct seen *s = &seen[p->counter];

		if (!s->wanted)
			continue;
		if (k->o->max_rows && t->nrow >= k->o->max_rows)
			t->hidden++;
		else
			put_point(&cs->counter[p->counter], p, s->is ? &s->v : NULL, t);
		s->v = p->v;
		s->is = true;
	}
	if (cs->point_dropped)
		t->note = tt_text(k->r, "only the first %zu values: %llu more are in the file; %s chooses",
		    cs->npoint, (unsigned long long)cs->point_dropped, tt_setting_name[TT_SETTING_TIME]);
}

/* --- in buckets of time -------------------------------------------------------------- */

struct in_bucket { uint64_t n; union tt_counter_value last, min, max; };

static void
add_value(struct in_bucket *b, const struct tt_counter_stat *of, union tt_counter_value v)
{
	if (b->n == 0)
		b->min = b->max = v;
	else
		tt_counter_extend(of->type, &b->min, &b->max, v, v);
	b->last = v;
	b->n++;
}

static void
put_bucket(const struct tt_timeline *l, const struct tt_counter_stat *s, const struct in_bucket *b, size_t i, uint64_t values,
    const union tt_counter_value *before, struct tt_table *t)
{
	const char *name = tt_counter_name(t->r, s);
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[B_COUNTER], name);
	tt_cell_int(&c[B_FROM], tt_timeline_start(l, i));
	tt_cell_int(&c[B_TO], tt_timeline_start(l, i + 1));
	tt_cell_name(&c[B_SECTION], tt_counter_section(s->def));
	tt_cell_text(&c[B_UNIT], scale_of(s).name);
	tt_cell_counter(t->r, &c[B_LAST], s, b->last);
	if (before)
		put_delta(t->r, &c[B_DELTA], s, b->last, *before);
	tt_cell_counter(t->r, &c[B_MIN], s, b->min);
	tt_cell_counter(t->r, &c[B_MAX], s, b->max);
	tt_cell_u64(&c[B_VALUES], values);
	tt_cell_int(&c[B_PROCESS], (int64_t)s->process + 1);
}

/* Put the buckets of one counter, from its first value on: a bucket without a value repeats the last one. */
static void
put_buckets(const struct tt_timeline *l, const struct tt_counter_stat *s, const struct in_bucket *b, struct tt_table *t)
{
	union tt_counter_value before = { 0 };
	bool known = false;

	for (size_t i = 0; i < l->n; i++) {
		struct in_bucket now = { 0 };

		if (b[i].n == 0 && !known)
			continue;
		if (known)
			add_value(&now, s, before);
		if (b[i].n) {
			add_value(&now, s, b[i].min);
			add_value(&now, s, b[i].max);
			add_value(&now, s, b[i].last);
		}
		put_bucket(l, s, &now, i, b[i].n, known ? &before : NULL, t);
		before = now.last;
		known = true;
	}
}

/* Maximum number of rows: a damaged file can have a counter in every 8 bytes. */
#define TIMELINE_ROWS ((size_t)1 << 17)

static void
timeline(struct tt_making *k, struct tt_table *t)
{
	const struct tt_model *m = k->m;
	const struct tt_counters *cs = tt_counters(m);
	const struct tt_timeline *l = tt_timeline(m);
	size_t n = l->n;
	struct in_bucket *b = n ? tt_pass_alloc(k, cs->n * n * sizeof *b) : NULL;
	uint64_t left_out = 0;

	for (size_t i = 0; i < cs->npoint && b; i++) {
		const struct tt_counter_point *p = &cs->point[i];
		if (p->ts >= l->from && p->ts < l->to)
			add_value(&b[p->counter * n + tt_timeline_at(l, p->ts)], &cs->counter[p->counter], p->v);
	}
	for (size_t i = 0; i < cs->n && b; i++) {
		const struct tt_counter_stat *s = &cs->counter[i];

		if (!tt_counter_wanted(m, s) || s->type == TT_T_TEXT)
			continue;
		if (t->nrow + n > TIMELINE_ROWS)
			left_out++;
		else
			put_buckets(l, s, b + i * n, t);
	}
	if (left_out > 0)
		t->note = tt_text(k->r, "%llu more counters are left out; %s chooses", (unsigned long long)left_out,
		    tt_setting_name[TT_SETTING_MARKER]);
	else if (cs->point_dropped)
		t->note = tt_text(k->r, "of the first %zu values: %llu more are in the file; %s chooses", cs->npoint,
		    (unsigned long long)cs->point_dropped, tt_setting_name[TT_SETTING_TIME]);
}

static bool
any(const struct tt_model *m)
{
	return tt_counters(m)->n > 0;
}

static const struct tt_pass_table tables[] = {
	{ "counters", "Counters", counters_col, K_N, false, TT_ON_TIME | TT_ON_NAMES, .make_rows = summary, .why_empty = NO_COUNTERS },
	{ "counter_values", "Counters over time", values_col, V_N, true, TT_ON_TIME | TT_ON_NAMES, .needs = TT_NEEDS_POINTS,
	    .make_rows = values, .why_empty = NO_COUNTERS },
	{ "counter_timeline", "Counters in buckets of time", timeline_col, B_N, true, TT_ON_TIME | TT_ON_NAMES,
	    .is_by_time = true, .needs = TT_NEEDS_POINTS | TT_NEEDS_TIMELINE | TT_NEEDS_TEXT, .make_rows = timeline, .why_empty = NO_COUNTERS,
	    .why_no_budget = "a row is a part of the time; use counters" },
};

const struct tt_pass tt_pass_counters = {
	.name = "counters",
	.summary = "counters: last, least, mean and largest value, change, values over time",
	.is_standard = true,
	.has_tables = any,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
