/**
 * Descends the call tree of one frame to the path that takes more time than usual.
 */
#include "why/blame.h"

#include <string.h>

#include "base/order.h"
#include "model/names.h"
#include "view/frame_sums.h"
#include "why/causes_parts.h"

/* True if the marker ${row} runs in this frame and in almost no typical frame, or is called clearly more often than usual. */
static bool
is_more(const struct tt_why *w, uint32_t row)
{
	const struct tt_fact *f = tt_why_fact(w, TT_OF_ROW, row);
	const struct tt_usual *u = f ? tt_why_usual_of(w, f) : NULL;

	if (!f)
		return false;
	if (!u || tt_why_is_rare(w, u))
		return true;
	return u->n_high > 0 && f->n > u->n_high && f->n >= u->n_high + (u->n_high + 1) / 2;
}

/* The number of calls of the path at ${at} beyond the usual number; 0 if these are fewer than TT_WHY_MIN_MORE_CALLS. */
static uint64_t
calls_beyond(const struct tt_why *w, size_t at)
{
	const struct tt_fact *f = &w->now.v[at];
	const struct tt_usual *u = tt_why_usual_of(w, f);
	const uint64_t high = u ? u->n_high : 0;

	return f->n >= high + TT_WHY_MIN_MORE_CALLS && is_more(w, tt_paths_row(w->p, f->id)) ? f->n - high : 0;
}

/*
 * True if the time of the method ${row} is blamed by ${c}, also if it throws the exceptions of ${c}: a method that throws takes about the time of its
 * exceptions.
 */
static bool
is_blamed(const struct tt_cause *c, uint32_t row)
{
	for (unsigned i = 0; i < c->nparts; i++)
		if (c->part[i].row == row)
			return true;
	if (c->nparts || c->row != row || row == TT_NO_ROW)
		return false;
	return c->class >= TT_CAUSE_ALLOCATION || c->class == TT_CAUSE_EXCEPTIONS || (c->class == TT_CAUSE_LOADING && c->callee_n);
}

/*
 * add_up() stores three more arrays behind w->extra_ns: the time between calls, whether the path is called more often than usual, and the time below it that is
 * left out.
 */
static int64_t *
between_of(const struct tt_why *w, size_t end)
{
	return w->extra_ns + end + 1;
}

static int64_t *
apart_of(const struct tt_why *w, size_t end)
{
	return w->extra_ns + 3 * (end + 1);
}

/*
 * Subtract from w->extra_ns the time of each method blamed by ${but}, with all that it calls, and sum that time for each path in apart_of(). Callers come
 * before what they call. ${out} is scratch space: -1 marks a path that is left out; all zeros on return.
 */
static void
leave_out(struct tt_why *w, const struct tt_cause *but, size_t end, int64_t *out)
{
	int64_t *apart = apart_of(w, end);

	for (size_t i = 0; i < end; i++) {
		const size_t up = tt_why_caller_at(w, i);

		out[i] = is_blamed(but, tt_paths_row(w->p, w->now.v[i].id)) || (up != SIZE_MAX && out[up] < 0) ? -1 : 0;
		apart[i] = out[i] ? w->extra_ns[i] : 0;
		w->extra_ns[i] -= apart[i];
	}
	for (size_t i = end, up; i-- > 0;) {
		if ((up = tt_why_caller_at(w, i)) != SIZE_MAX)
			apart[up] += apart[i];
		out[i] = 0;
	}
}

/*
 * Compute for each path before ${end} its extra time with all that it calls, into w->extra_ns: if ${by_calls}, only of calls that are made more often than
 * usual. A caller of such calls also works more between them: with ${by_calls} this time counts, up to the time of these calls, and is stored from w->extra_ns
 * + end + 1 on. Leave out methods blamed by ${but}, if that is not NULL.
 */
static int
add_up(struct tt_why *w, bool by_calls, const struct tt_cause *but, size_t end, int64_t *sum)
{
	*sum = 0;
	if (tt_mem_grow(w->mem, &w->extra_ns, &w->capextra_ns, 4 * (end + 1), sizeof *w->extra_ns, w->err) != TT_OK)
		return w->err->code;
	int64_t *inside = w->extra_ns, *between = between_of(w, end), *is_new = w->extra_ns + 2 * (end + 1);
	for (size_t i = 0; i < end; i++) {
		size_t up = tt_why_caller_at(w, i);

		is_new[i] = is_more(w, tt_paths_row(w->p, w->now.v[i].id)) || (up != SIZE_MAX && is_new[up]);
		inside[i] = !by_calls || is_new[i] ? tt_why_beyond_usual(w, &w->now.v[i]) : 0;
		between[i] = 0;
	}
	if (but)
		leave_out(w, but, end, between);
	for (size_t i = end; i-- > 0;) {
		size_t up = tt_why_caller_at(w, i);
		const int64_t own = by_calls && !is_new[i] ? tt_why_beyond_usual(w, &w->now.v[i]) : 0;

		between[i] = own < between[i] ? own : between[i];
		inside[i] += between[i];
		if (up == SIZE_MAX) {
			*sum += inside[i];
			continue;
		}
		inside[up] += inside[i];
		between[up] += calls_beyond(w, i) ? inside[i] : 0;
	}
	return TT_OK;
}

/* The first child of path ${at}, or of the thread if ${at} is SIZE_MAX; TT_NO_FACT: it has no children. */
static uint32_t
first_below(const struct tt_why *w, size_t end, size_t at)
{
	return w->first_child[at == SIZE_MAX ? end : at];
}

/* The child of path ${at}, or of the thread if that is SIZE_MAX, with the most extra time in w->extra_ns; SIZE_MAX: no child has any. */
static size_t
heaviest(const struct tt_why *w, size_t end, size_t at)
{
	size_t best = SIZE_MAX;

	for (uint32_t i = first_below(w, end, at); i != TT_NO_FACT; i = w->next_sibling[i])
		if (w->extra_ns[i] > 0 && (best == SIZE_MAX || w->extra_ns[i] > w->extra_ns[best]))
			best = i;
	return best;
}

/* True if the marker of path ${at}, which typical frames call too, is called more often than usual: that explains the extra time of the paths below it. */
static bool
is_called_more(const struct tt_why *w, size_t at)
{
	const struct tt_fact *row = tt_why_fact(w, TT_OF_ROW, tt_paths_row(w->p, w->now.v[at].id));
	struct tt_usual u = tt_why_usual(w, TT_OF_ROW, row->id);

	return !tt_why_is_rare(w, &u) && is_more(w, row->id) && !tt_name_match(tt_constructors, tt_why_full_name(w, row->id));
}

/*
 * True if the descent ends at ${at}, although its child ${best} has most of the extra time: the marker of ${at} is called more than usual, or only in this
 * frame, while that of ${best} is called as often as ever. A helper that every frame calls explains nothing; its unusual caller does.
 */
static bool
is_reason(const struct tt_why *w, size_t at, size_t best)
{
	return at != SIZE_MAX && is_more(w, tt_paths_row(w->p, w->now.v[at].id)) && !is_more(w, tt_paths_row(w->p, w->now.v[best].id));
}

/*
 * True if the path ${at} calls, beside ${best}, another path with at least half as many extra calls and a twentieth of the extra time: a loop, whose extra
 * calls are not those of one method.
 */
static bool
is_loop(const struct tt_why *w, size_t end, size_t at, size_t best)
{
	const uint64_t n = calls_beyond(w, best);

	if (at == SIZE_MAX || n == 0)
		return false;
	for (uint32_t i = first_below(w, end, at); i != TT_NO_FACT; i = w->next_sibling[i])
		if (i != best && w->extra_ns[i] >= w->extra_ns[best] / 20 && calls_beyond(w, i) >= (n + 1) / 2)
			return true;
	return false;
}

/* The number of paths among the facts of the frame; paths come first. */
static size_t
count_paths(const struct tt_why *w)
{
	size_t end = 0;

	while (end < w->now.n && w->now.v[end].what == TT_OF_NODE)
		end++;
	return end;
}

/* True if the path ${at} is called, directly or not, by a call of the same marker. */
static bool
is_inner(const struct tt_why *w, size_t at)
{
	return !(w->s->flags[w->now.v[at].id] & TT_SUM_OUTER);
}

/* The index in w->on_descent for the marker of path ${at}. */
static size_t
on_way_row(const struct tt_why *w, size_t at)
{
	const uint32_t row = tt_paths_row(w->p, w->now.v[at].id);

	return row != TT_NO_ROW ? row : w->p->nrow;
}

/* Append the path ${at} to the current descent. */
static void
step_onto(struct tt_why *w, size_t at)
{
	uint32_t *top = &w->on_descent[on_way_row(w, at)];

	w->topmost[at] = *top != TT_NO_FACT && is_inner(w, at) ? *top : (uint32_t)at;
	*top = *top != TT_NO_FACT ? *top : (uint32_t)at;
	w->descent_end = at;
}

/*
 * Start a descent at path ${at} and its callers; SIZE_MAX: at the thread. If ${at} is a child of the path where the last descent ended, continue that descent.
 */
static int
begin_way(struct tt_why *w, size_t end, size_t at)
{
	const size_t nrows = (size_t)w->p->nrow + 1;

	if (tt_mem_grow(w->mem, &w->topmost, &w->captopmost, end, sizeof *w->topmost, w->err) != TT_OK)
		return w->err->code;
	if (!w->on_descent) {
		w->on_descent = tt_mem_alloc(w->mem, nrows * sizeof *w->on_descent, w->err);
		w->descent_end = SIZE_MAX;
		if (!w->on_descent)
			return w->err->code;
	}
	if (at == SIZE_MAX || tt_why_caller_at(w, at) != w->descent_end || w->descent_end == SIZE_MAX) {
		memset(w->on_descent, 0xff, nrows * sizeof *w->on_descent);
		w->descent_end = SIZE_MAX;
		/* From the inside out: the last write for a marker is its outermost path. */
		for (size_t up = at; up != SIZE_MAX; up = tt_why_caller_at(w, up))
			w->on_descent[on_way_row(w, up)] = (uint32_t)up;
	}
	if (at != SIZE_MAX)
		step_onto(w, at);
	return TT_OK;
}

/*
 * If the descent from ${first} to ${at} ends within recursion, direct or mutual, return the path where the recursion begins: each recursive call has only a
 * part of the time. Else return ${at}.
 */
static size_t
before_recursion(const struct tt_why *w, size_t first, size_t at)
{
	size_t to = at;

	for (size_t up = at; up != SIZE_MAX && up >= first; up = tt_why_caller_at(w, up)) {
		const size_t outer = is_inner(w, up) ? w->topmost[up] : SIZE_MAX;

		if (outer != SIZE_MAX && outer >= first && outer < to && up >= to)
			to = outer;
	}
	return to;
}

/*
 * The share, in tenths, of the extra time of path ${at} that its child ${best} needs for the descent to continue: 6; 8 if ${at} is itself called more than
 * usual and ${best} is not recursive.
 */
static int64_t
least_tenths(const struct tt_why *w, bool by_calls, size_t at, size_t best)
{
	return by_calls && at != SIZE_MAX && is_more(w, tt_paths_row(w->p, w->now.v[at].id)) && !is_inner(w, best) ? 8 : 6;
}

/*
 * Descend from path ${at}, or from the thread with ${sum} of extra time if that is SIZE_MAX, to the path that has most of the extra time. Within recursion
 * compare with the outermost call, so that the descent continues only to a path that takes the time of all recursive calls.
 */
static size_t
go_down(struct tt_why *w, bool by_calls, size_t end, size_t at, int64_t sum)
{
	const int64_t *between = between_of(w, end);
	const size_t first = at == SIZE_MAX ? 0 : at;
	size_t best;

	if (begin_way(w, end, at) != TT_OK)
		return at;
	while ((best = heaviest(w, end, at)) != SIZE_MAX) {
		const size_t of = at == SIZE_MAX ? at : w->topmost[at];

		if (w->extra_ns[best] * 10 < (of == SIZE_MAX ? sum : w->extra_ns[of] - between[of]) * least_tenths(w, by_calls, at, best))
			break;
		if (by_calls && (is_reason(w, at, best) || is_loop(w, end, at, best)))
			break;
		at = best;
		step_onto(w, at);
		if (by_calls && is_called_more(w, at))
			break;
	}
	return at == SIZE_MAX ? at : before_recursion(w, first, at);
}

struct tt_why_end
tt_why_descend(struct tt_why *w, bool by_calls)
{
	const size_t end = count_paths(w);
	struct tt_why_end to = { .by_calls = by_calls, .path = SIZE_MAX };
	int64_t sum;

	if (add_up(w, by_calls, NULL, end, &sum) == TT_OK)
		to.path = go_down(w, by_calls, end, SIZE_MAX, sum);
	to.ns = to.path == SIZE_MAX ? sum : w->extra_ns[to.path];
	return to;
}

size_t
tt_why_caller_to_blame(const struct tt_why *w, size_t at)
{
	const int64_t usual = tt_why_usual(w, TT_OF_TOTAL, tt_paths_row(w->p, w->now.v[at].id)).self;

	for (size_t up = tt_why_caller_at(w, at); up != SIZE_MAX; up = tt_why_caller_at(w, up))
		if (tt_why_usual(w, TT_OF_TOTAL, tt_paths_row(w->p, w->now.v[up].id)).self < usual / 4)
			return up;
	return at;
}

/* The number of calls of the path at ${at} beyond the 90th percentile of typical frames. */
static uint64_t
more_calls(const struct tt_why *w, size_t at)
{
	const struct tt_fact *f = &w->now.v[at];
	const struct tt_usual *u = tt_why_usual_of(w, f);
	const uint64_t high = u ? u->n_high : 0;

	return f->n > high ? f->n - high : 0;
}

size_t
tt_why_caller_of_more(const struct tt_why *w, size_t at)
{
	enum { MIN_MORE_CALLS = 3 };
	const uint64_t n = more_calls(w, at);

	if (n < MIN_MORE_CALLS)
		return at;
	for (size_t up = tt_why_caller_at(w, at); up != SIZE_MAX; up = tt_why_caller_at(w, up)) {
		const uint64_t m = more_calls(w, up);

		if (m * 5 < n * 4 || m * 4 > n * 5 || tt_name_is_loop(tt_why_full_name(w, tt_paths_row(w->p, w->now.v[up].id))))
			break;
		at = up;
	}
	return at;
}

/* True if the path where the descent ended is merely a caller of what takes the time: it hardly takes longer itself, and is not called more often. */
static bool
is_around(const struct tt_why *w, const struct tt_why_end *end)
{
	const struct tt_fact *f = end->path != SIZE_MAX ? &w->now.v[end->path] : NULL;

	return !f || (tt_why_beyond_usual(w, f) * 10 <= end->ns && !(end->by_calls && is_more(w, tt_paths_row(w->p, f->id))));
}

void
tt_why_widen(const struct tt_why *w, struct tt_why_end *end, int64_t least)
{
	const size_t up = end->path == SIZE_MAX || end->ns >= least ? SIZE_MAX : tt_why_caller_at(w, end->path);

	if (up == SIZE_MAX || w->extra_ns[up] < least || between_of(w, count_paths(w))[up] <= 0)
		return;
	end->path = up;
	end->ns = w->extra_ns[up];
}

void
tt_why_single_out(struct tt_why *w, struct tt_why_end *end, int64_t least)
{
	const size_t paths = count_paths(w), best = heaviest(w, paths, end->path);

	if (best == SIZE_MAX || w->extra_ns[best] < least || !is_around(w, end))
		return;
	end->path = go_down(w, end->by_calls, paths, best, 0);
	end->ns = w->extra_ns[end->path];
}

/* The time that one call of the marker of ${u} usually takes, with all that it calls. */
static int64_t
usual_call(const struct tt_why *w, const struct tt_usual *u)
{
	const struct tt_usual total = tt_why_usual(w, TT_OF_TOTAL, u->id);

	return u->n ? total.self / (int64_t)u->n : u->n_high ? total.self_high / (int64_t)u->n_high : 0;
}

/* The caller of the path at ${at}, if it rarely calls this marker and its call is the longest of the frame; else TT_NO_ROW. */
static uint32_t
rare_caller(const struct tt_why *w, size_t at, const struct tt_fact *row)
{
	const size_t up = tt_why_caller_at(w, at);
	const uint32_t by = up == SIZE_MAX ? TT_NO_ROW : tt_paths_row(w->p, w->now.v[up].id);
	const struct tt_usual u = tt_why_usual(w, TT_OF_ROW, by);

	return by != TT_NO_ROW && tt_why_is_rare(w, &u) && w->now.v[at].longest == row->longest ? by : TT_NO_ROW;
}

/* True if ${row} is a method, whose name has a list of arguments, and not a marker of the engine. */
static bool
is_method(const struct tt_why *w, uint32_t row)
{
	return strchr(tt_why_full_name(w, row), '(') != NULL;
}

uint32_t
tt_why_method_around(const struct tt_why *w, uint32_t row, uint32_t node)
{
	uint32_t of_engine = TT_NO_ROW;

	if (tt_why_is_script(tt_why_full_name(w, row)))
		return TT_NO_ROW;
	for (uint32_t at = node; at > TT_NODE_MORE && tt_paths_node(w->p, at)->kind == TT_NODE_ZONE;) {
		at = w->own[tt_paths_node(w->p, at)->parent];
		const uint32_t around = tt_paths_row(w->p, at);
		if (tt_why_is_script(tt_why_full_name(w, around)))
			return around;
		of_engine = of_engine == TT_NO_ROW && is_method(w, around) ? around : of_engine;
	}
	return is_method(w, row) ? TT_NO_ROW : of_engine;
}

/* Store in ${c}->callee the path that ${at} calls most often beyond the usual, with its number of calls. */
static void
look_at_loop(const struct tt_why *w, size_t at, struct tt_cause *c)
{
	uint64_t most = 0, n;

	for (uint32_t i = w->first_child[at]; i != TT_NO_FACT; i = w->next_sibling[i]) {
		if ((n = calls_beyond(w, i)) <= most)
			continue;
		most = n;
		c->callee = tt_paths_row(w->p, w->now.v[i].id);
		c->callee_n = w->now.v[i].n;
		c->callee_usual_n = tt_why_usual(w, TT_OF_NODE, w->now.v[i].id).n;
	}
}

/* True if most calls of the marker ${row} are recursive: then its longest call contains others. */
static bool
is_recursive(const struct tt_why *w, const struct tt_fact *row)
{
	uint64_t outer = 0;

	for (size_t i = 0, end = count_paths(w); i < end; i++)
		if (tt_paths_row(w->p, w->now.v[i].id) == row->id && w->s->flags[w->now.v[i].id] & TT_SUM_OUTER)
			outer += w->now.v[i].n;
	return row->n > 2 * outer;
}

/*
 * True if the extra calls of the marker ${row} explain the frame: enough extra time is left without what the longest call takes beyond a usual one. For a
 * recursive marker: a call takes at most half as long again as usual.
 */
static bool
is_by_calls(const struct tt_why *w, const struct tt_fact *row, const struct tt_cause *c)
{
	const struct tt_usual u = tt_why_usual(w, TT_OF_ROW, row->id);

	if (tt_why_is_rare(w, &u))
		return row->n >= TT_WHY_MIN_MORE_CALLS && row->longest < c->ns / 2;
	if (is_more(w, row->id) && is_recursive(w, row))
		return c->took_ns <= (int64_t)row->n * (usual_call(w, &u) + usual_call(w, &u) / 2);
	return is_more(w, row->id) && c->ns - (row->longest - usual_call(w, &u)) >= c->extra / TT_WHY_MIN_SHARE;
}

const char *
tt_why_most_class(const struct tt_why *w, uint32_t row)
{
	const char *name = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];
		const struct tt_node *n = tt_paths_node(w->p, r->node);

		if (n->kind != TT_NODE_ALLOC || r->total <= most || tt_paths_row(w->p, w->own[r->node]) != row)
			continue;
		most = r->total;
		name = tt_model_class(w->m, n->process, n->key);
	}
	return name && strcmp(name, TT_NO_CLASS) != 0 ? name : NULL;
}

/*
 * Estimate the time to make and record ${n} unusual allocations of ${bytes} bytes together at ${site}: 300 ns each, 1 ns a byte, 2 ns a byte of large objects.
 * Their share of ${bytes} is assumed to be that of all bytes of the site.
 */
static int64_t
alloc_time(const struct tt_fact *site, uint64_t n, int64_t bytes)
{
	enum { EACH_NS = 300 };
	const int64_t large = site->self > 0 ? (int64_t)((double)bytes * (double)site->large / (double)site->self) : 0;

	return (int64_t)n * EACH_NS + bytes + large;
}

/* The time of the outermost calls of the marker ${row} on the frame thread, including waits, collections and everything else. */
static int64_t
whole_of(const struct tt_why *w, uint32_t row)
{
	const uint32_t thread = tt_frames_thread(w->m->frames, w->s->frame);
	int64_t all = 0;

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_frame_path *r = &w->s->rec[i];

		if (tt_frame_sums_zone(w->s, r->node) && w->s->flags[r->node] & TT_SUM_OUTER && tt_paths_row(w->p, r->node) == row &&
		    tt_paths_thread(w->p, r->node)->index == thread)
			all += r->total;
	}
	return all;
}

void
tt_why_blame_path(const struct tt_why *w, size_t at, struct tt_cause *c)
{
	const struct tt_fact *f = &w->now.v[at];
	const struct tt_fact *row = tt_why_fact(w, TT_OF_ROW, tt_paths_row(w->p, f->id)), *total = tt_why_fact(w, TT_OF_TOTAL, row->id), *site;
	struct tt_usual u = tt_why_usual(w, TT_OF_ROW, row->id);

	c->row = row->id;
	c->node = f->id;
	c->ns = c->named_ns = w->extra_ns[at];
	c->n = row->n;
	c->took_ns = total ? total->self : c->ns;
	c->whole_ns = whole_of(w, row->id);
	c->usual_n = u.n;
	c->usual_ns = tt_why_usual(w, TT_OF_TOTAL, row->id).self;
	c->beyond_ns = c->took_ns > c->usual_ns ? c->took_ns - c->usual_ns : c->ns;
	c->longest = row->longest;
	c->class = is_by_calls(w, row, c) ? TT_CAUSE_CALLS : TT_CAUSE_SLOW_CALL;
	if (!is_more(w, row->id))
		look_at_loop(w, at, c);
	c->by = c->class == TT_CAUSE_SLOW_CALL && !tt_why_is_rare(w, &u) ? rare_caller(w, at, row) : TT_NO_ROW;
	c->method_around = tt_why_method_around(w, row->id, f->id);
	site = tt_why_fact(w, TT_OF_SITE, row->id);
	if (!site || (c->class == TT_CAUSE_CALLS && !tt_why_is_rare(w, &u)))
		return;
	struct tt_usual su = tt_why_usual(w, TT_OF_SITE, row->id);
	uint64_t n = site->n > su.n_high ? site->n - su.n_high : 0;
	c->allocs = site->n;
	c->bytes = site->self;
	c->usual_allocs = su.n;
	c->has_burst = tt_why_beyond_usual(w, site) >= TT_WHY_MIN_BURST_BYTES;
	c->name = c->has_burst ? tt_why_most_class(w, row->id) : c->name;
	if (alloc_time(site, n, tt_why_beyond_usual(w, site)) < c->ns / TT_WHY_MIN_SHARE)
		return;
	c->class = TT_CAUSE_ALLOCATION;
	c->usual_n = su.n;
	c->usual_ns = su.self;
	c->name = tt_why_most_class(w, row->id);
}

void
tt_why_blame_within(struct tt_why *w, size_t at, struct tt_cause *c)
{
	const size_t end = count_paths(w);
	struct tt_cause to = *c;
	int64_t sum;

	tt_why_blame_path(w, at, c);
	if (c->class != TT_CAUSE_SLOW_CALL || c->usual_n == 0 || !is_more(w, c->row) || add_up(w, false, NULL, end, &sum) != TT_OK)
		return;
	tt_why_blame_path(w, go_down(w, false, end, at, 0), &to);
	if (to.row != c->row && to.class == TT_CAUSE_SLOW_CALL)
		*c = to;
}

/*
 * Find the children of path ${at}, or of the thread, that each have at least a fifth of its extra time ${all}, and store them in ${part}, in order. Return
 * their number: 2 or 3 if they have three quarters of ${all} together, else 0.
 */
static unsigned
parts_of(const struct tt_why *w, size_t at, int64_t all, size_t *part)
{
	int64_t held = 0;
	unsigned n = 0;

	for (uint32_t i = first_below(w, count_paths(w), at); i != TT_NO_FACT; i = w->next_sibling[i]) {
		if (w->extra_ns[i] * 5 < all || w->extra_ns[i] <= 0)
			continue;
		if (n == TT_CAUSE_PARTS)
			return 0;
		held += w->extra_ns[i];
		part[n++] = i;
	}
	return n >= 2 && held * 4 >= all * 3 ? n : 0;
}

bool
tt_why_blame_parts(struct tt_why *w, const struct tt_why_end *end, struct tt_cause *c)
{
	const size_t at = end->path, paths = count_paths(w);
	size_t part[TT_CAUSE_PARTS];
	struct tt_cause to = *c;

	if (!is_around(w, end))
		return false;
	to.nparts = parts_of(w, at, end->ns, part);
	if (to.nparts == 0)
		return false;
	tt_why_blame_path(w, go_down(w, end->by_calls, paths, part[0], 0), &to);
	to.class = TT_CAUSE_SLOW_CALL;
	to.ns = to.took_ns = to.usual_ns = 0;
	for (unsigned i = 0; i < to.nparts; i++) {
		struct tt_cause_part *p = &to.part[i];

		p->row = tt_paths_row(w->p, w->now.v[go_down(w, end->by_calls, paths, part[i], 0)].id);
		p->took_ns = tt_why_fact(w, TT_OF_TOTAL, p->row) ? tt_why_fact(w, TT_OF_TOTAL, p->row)->self : 0;
		p->usual_ns = tt_why_usual(w, TT_OF_TOTAL, p->row).self;
		if (p->took_ns < 2 * p->usual_ns || (i > 0 && p->row == p[-1].row))
			return false;
		to.ns += w->extra_ns[part[i]];
		to.named_ns = to.ns;
		to.took_ns += p->took_ns;
		to.usual_ns += p->usual_ns;
	}
	to.method_around = to.by = to.callee = TT_NO_ROW;
	*c = to;
	return true;
}

/* --- a second cause ------------------------------------------------------------------------------------ */

/* True if more than a tenth as much time as the extra time of path ${at} is left out below it, or if ${at} is SIZE_MAX, the thread. */
static bool
is_mixed(const struct tt_why *w, size_t at)
{
	return at == SIZE_MAX || apart_of(w, count_paths(w))[at] * 10 > w->extra_ns[at];
}

/*
 * Descend like tt_why_descend(), but leave out the methods blamed by ${but}, and end at a path with at least ${least} of other extra time; SIZE_MAX: there is
 * no such path.
 */
static struct tt_why_end
descend_beside(struct tt_why *w, bool by_calls, const struct tt_cause *but, int64_t least)
{
	const size_t end = count_paths(w);
	struct tt_why_end to = { .by_calls = by_calls, .path = SIZE_MAX };
	int64_t sum;
	size_t best;

	if (add_up(w, by_calls, but, end, &sum) != TT_OK)
		return to;
	to.path = go_down(w, by_calls, end, SIZE_MAX, sum);
	while (is_mixed(w, to.path)) {
		best = heaviest(w, end, to.path);
		if (best == SIZE_MAX || w->extra_ns[best] < least || (by_calls && is_reason(w, to.path, best))) {
			to.path = SIZE_MAX;
			return to;
		}
		to.path = go_down(w, by_calls, end, best, sum);
	}
	to.ns = w->extra_ns[to.path];
	to.path = to.ns >= least ? to.path : SIZE_MAX;
	return to;
}

/* Blame ${c} on a method that allocates; or on one that is merely slower than usual, which sets ${c}->is_doubtful. */
static void
blame_slower(struct tt_why *w, const struct tt_why_end *end, struct tt_cause *c)
{
	const size_t whose = tt_why_caller_to_blame(w, end->path);

	tt_why_blame_path(w, end->path, c);
	if (c->class == TT_CAUSE_SLOW_CALL && whose != end->path && !is_mixed(w, whose)) {
		tt_why_blame_path(w, whose, c);
		c->row2 = tt_paths_row(w->p, w->now.v[end->path].id);
	}
	c->is_doubtful = c->class == TT_CAUSE_SLOW_CALL;
}

bool
tt_why_blame_beside(struct tt_why *w, const struct tt_cause *first, struct tt_cause *c)
{
	const int64_t extra = c->extra, least = extra / TT_WHY_MIN_FURTHER_SHARE, rest = extra - first->ns;
	struct tt_cause known = *c, slower = *c;
	struct tt_why_end end = descend_beside(w, true, first, least);

	/* The second cause has to explain the part of the extra time that the first one leaves. */
	known.extra = slower.extra = rest > least ? rest : least;
	if (end.path != SIZE_MAX)
		tt_why_blame_path(w, tt_why_caller_of_more(w, end.path), &known);
	end = descend_beside(w, false, first, least > known.ns + 1 ? least : known.ns + 1);
	if (end.path != SIZE_MAX)
		blame_slower(w, &end, &slower);
	*c = known.ns == 0 || slower.class == TT_CAUSE_ALLOCATION ? slower : known;
	c->extra = extra;
	return c->ns > 0;
}
