/**
 * Answers questions of rules about a measure, and names it.
 */
#include "gate/measure.h"

#include <stdio.h>
#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "model/event.h"
#include "view/figures.h"

const char *const tt_stat_name[TT_STATS] = {
	[TT_STAT_MEAN] = "mean", [TT_STAT_TRIMMED] = "trimmed", [TT_STAT_MEDIAN] = "median", [TT_STAT_STDDEV] = "stddev", [TT_STAT_P90] = "p90",
	[TT_STAT_P95] = "p95", [TT_STAT_P99] = "p99", [TT_STAT_P999] = "p99.9", [TT_STAT_MAX] = "max",
	[TT_STAT_MIN] = "min", [TT_STAT_LAST] = "last", [TT_STAT_TOTAL] = "total", [TT_STAT_COUNT] = "count",
	[TT_STAT_PER_1000] = "per_1000", [TT_STAT_LOW_1] = "low_1", [TT_STAT_LOW_01] = "low_0.1",
	[TT_STAT_FRAME_MEAN] = "per_frame.mean", [TT_STAT_FRAME_MEDIAN] = "per_frame.median",
	[TT_STAT_FRAME_P95] = "per_frame.p95", [TT_STAT_FRAME_P99] = "per_frame.p99",
	[TT_STAT_FRAME_MAX] = "per_frame.max",
};

const struct tt_stat_rank tt_stat_rank[TT_STATS] = {
	[TT_STAT_MEDIAN] = { 1, 2 }, [TT_STAT_P90] = { 90, 100 }, [TT_STAT_P95] = { 95, 100 }, [TT_STAT_P99] = { 99, 100 },
	[TT_STAT_P999] = { 999, 1000 }, [TT_STAT_MAX] = { 1, 1 }, [TT_STAT_FRAME_MEDIAN] = { 1, 2 }, [TT_STAT_FRAME_P95] = { 95, 100 },
	[TT_STAT_FRAME_P99] = { 99, 100 }, [TT_STAT_FRAME_MAX] = { 1, 1 },
};

bool
tt_measure_set_stat(struct tt_measure *x, const char *name, char all[TT_STATS_TEXT])
{
	size_t n = 0;

	for (unsigned i = 0; i < TT_STATS; i++) {
		if (!(x->metric->stats & 1u << i))
			continue;
		if (strcmp(name, tt_stat_name[i]) == 0) {
			x->stat = (enum tt_stat_kind)i;
			return true;
		}
		n += (size_t)snprintf(all + n, TT_STATS_TEXT - n, "%s%s", n ? ", " : "", tt_stat_name[i]);
	}
	return false;
}

bool
tt_metric_up(const struct tt_metric *m)
{
	return m->dim == TT_DIM_FPS;
}

bool
tt_measure_any_dim(const struct tt_measure *x)
{
	const enum tt_select by = x->metric->select;

	return by == TT_SELECT_COUNTER || by == TT_SELECT_GROUP || (by == TT_SELECT_ROW && x->metric->of);
}

enum tt_dim
tt_measure_dim(const struct tt_measure *x)
{
	return x->stat == TT_STAT_COUNT ? TT_DIM_NUMBER : x->metric->dim;
}

bool
tt_stat_is_noisy(enum tt_stat_kind stat)
{
	return stat == TT_STAT_P99 || stat == TT_STAT_P999 || stat == TT_STAT_MAX || stat == TT_STAT_FRAME_P99 ||
	    stat == TT_STAT_FRAME_MAX || stat == TT_STAT_LOW_01;
}

enum tt_stat_kind
tt_metric_steady_stat(const struct tt_metric *m)
{
	static const enum tt_stat_kind next[] = { TT_STAT_MEAN, TT_STAT_FRAME_MEAN, TT_STAT_LAST };

	for (size_t i = 0; tt_stat_is_noisy(m->usual) && i < sizeof next / sizeof *next; i++)
		if (m->stats & 1u << next[i])
			return next[i];
	return m->usual;
}

bool
tt_measure_framed(const struct tt_measure *x)
{
	const struct tt_metric *m = x->metric;

	if (m->traits & (TT_METRIC_FRAMED | TT_METRIC_FRAMED_PARTS))
		return m->traits & TT_METRIC_FRAMED || x->stat != TT_STAT_TOTAL;
	return m->select == TT_SELECT_MARKER && (x->stat == TT_STAT_FRAME_MAX || (x->stat == TT_STAT_FRAME_MEAN && m->dim == TT_DIM_TIME));
}

bool
tt_measure_by_frame(const struct tt_measure *x)
{
	const struct tt_metric *m = x->metric;

	return x->stat == TT_STAT_FRAME_MEAN && (m->select == TT_SELECT_THREAD || (m->select == TT_SELECT_MARKER && m->dim == TT_DIM_NUMBER));
}

unsigned
tt_measure_needs(const struct tt_measure *x)
{
	return x->metric->needs | (tt_measure_by_frame(x) ? TT_NEEDS_BY_FRAME : 0);
}

bool
tt_measure_counts(const struct tt_measure *x)
{
	return x->metric->frame_value == TT_FRAME_ALLOC_N;
}

/* --- names ---------------------------------------------------------------------- */

int
tt_measure_key(struct tt_measure *x, struct tt_arena *a, struct tt_err *err)
{
	const char *stat = tt_stat_name[x->stat], *name = x->metric->name;

	if (x->metric->select == TT_SELECT_ROW)
		x->key = x->select ? tt_arena_printf(a, err, "%s[%s]", name, x->select) : name;
	else if (x->metric->select == TT_SELECT_LIMIT)
		x->key = tt_arena_printf(a, err, "%s[%lldns].%s", name, (long long)x->limit_ns, stat);
	else if (x->select)
		x->key = tt_arena_printf(a, err, "%s[%s].%s", name, x->select, stat);
	else
		x->key = tt_arena_printf(a, err, "%s.%s", name, stat);
	return x->key ? TT_OK : err->code;
}

/* The statistic in words, appended to the metric's title. */
static const char *const words[TT_STATS] = {
	[TT_STAT_MEAN] = ", mean", [TT_STAT_TRIMMED] = ", trimmed mean", [TT_STAT_MEDIAN] = ", median", [TT_STAT_STDDEV] = ", standard deviation",
	[TT_STAT_P90] = ", p90", [TT_STAT_P95] = ", p95", [TT_STAT_P99] = ", p99", [TT_STAT_P999] = ", p99.9",
	[TT_STAT_MAX] = ", largest", [TT_STAT_MIN] = ", smallest", [TT_STAT_LAST] = " at the end",
	[TT_STAT_TOTAL] = " in all", [TT_STAT_COUNT] = "", [TT_STAT_PER_1000] = "",
	[TT_STAT_LOW_1] = ", 1 % low", [TT_STAT_LOW_01] = ", 0.1 % low", [TT_STAT_FRAME_MEAN] = " per frame, mean",
	[TT_STAT_FRAME_MEDIAN] = " per frame, median", [TT_STAT_FRAME_P95] = " per frame, p95",
	[TT_STAT_FRAME_P99] = " per frame, p99", [TT_STAT_FRAME_MAX] = " per frame, largest",
};

/* The text of a glob: if an expression matches exactly one name, that name. */
static const char *
shown(const char *glob, struct tt_arena *a, struct tt_err *err)
{
	static const char special[] = ".[]{}()*+?^$|\\";
	const char *from = glob + 4;
	char *name, *to;

	if (strncmp(glob, "re:^", 4) != 0 || !(name = to = tt_arena_alloc(a, strlen(glob) + 1, err)))
		return glob;
	for (; *from && strcmp(from, "$") != 0; *to++ = *from++) {
		if (*from == '\\' && from[1] && strchr(special, from[1]))
			from++;
		else if (strchr(special, *from))
			return glob;
	}
	*to = '\0';
	return *from ? name : glob;
}

const char *
tt_measure_title(const struct tt_measure *x, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_metric *m = x->metric;
	const char *stat = words[x->stat];
	char limit[48];

	/* Statistics other than those per frame count all threads. */
	if ((m->select == TT_SELECT_MARKER || m->select == TT_SELECT_CATEGORY) && tt_measure_framed(x))
		stat = tt_arena_printf(a, err, " per frame on the frame thread%s", stat + strlen(" per frame"));
	if (!stat)
		return NULL;
	switch (m->select) {
	case TT_SELECT_LIMIT:
		*tt_put_amount(limit, tt_scale(x->limit_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
		return tt_arena_printf(a, err, "%s %s%s", m->title, limit, stat);
	case TT_SELECT_MARKER:
		return tt_arena_printf(a, err, "%s in %s%s", m->title, shown(x->select, a, err), stat);
	case TT_SELECT_CATEGORY:
		return tt_arena_printf(a, err, "%s in category %s%s", m->title, x->select, stat);
	case TT_SELECT_THREAD:
		return tt_arena_printf(a, err, "%s of thread %s%s", m->title, x->select, stat);
	case TT_SELECT_COUNTER:
		return tt_arena_printf(a, err, "counter %s%s", x->select, stat);
	case TT_SELECT_GROUP:
		return tt_arena_printf(a, err, "test group %s%s", x->select, x->stat == TT_STAT_COUNT ? ", number of samples" : stat);
	case TT_SELECT_ROW:
		return x->select ? tt_arena_printf(a, err, "%s of %s", m->title, x->select) : m->title;
	default:
		break;
	}
	if (x->stat == TT_STAT_PER_1000)
		return tt_arena_printf(a, err, "%s%s", m->title, m->dim == TT_DIM_NUMBER ? " in 1000 frames" : "");
	if (m->traits & TT_METRIC_ONE)
		stat = "";
	return tt_arena_printf(a, err, "%s%s", m->title, stat);
}
