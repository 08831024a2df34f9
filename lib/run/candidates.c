/**
 * Counts how often and how regularly markers begin, to propose one that begins frames.
 */
#include "run/candidates.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/setting.h"
#include "base/utf8.h"
#include "model/format.h"
#include "model/names.h"
#include "model/waits.h"
#include "out/table.h"
#include "run/run.h"
#include "run/state.h"
#include "stat/num.h"

enum {
	LOOKED_AT = 1 << 21,          /* zones examined from the beginning of a run; of later zones only those of MIN_LATER_NS or more */
	MIN_LATER_NS = 10000,
	MIN_FRAME_NS = 100000,        /* from one begin to the next: no program makes frames faster */
	KEYS = 1 << 16,               /* the most markers by thread; later ones are ignored */
	MIN_BEGINS = 10,              /* begins of a marker: fewer tell nothing about regularity */
	LISTED = 3,                   /* markers that an error names */
	OUTLIERS = 4,                 /* the longest intervals, which do not count (a hitch, a pause); at most a tenth of all */
};

/* A marker on a thread. */
struct seen {
	uint64_t key, n;
	uint32_t thread;
	int64_t first, last;          /* begins */
	int64_t end;                  /* end of the last whole zone */
	bool nested;                  /* true: one zone of the marker began inside another */
	int64_t open;                 /* begin of the zone that has not ended yet; INT64_MIN: none */
	int64_t total;                /* ns in all its zones */
	tt_u128 square;               /* sum of the squares of the intervals between begins */
	int64_t longest[OUTLIERS];    /* the longest intervals between begins, in falling order */
};

struct tt_candidates {
	struct seen *v;
	size_t n, cap;
	struct tt_map at;             /* places in v */
	struct span { int64_t from, to; bool waits; } *span;  /* by thread: span of its zones; waits: true if one wait marker takes half of that */
	size_t nspan;
	uint64_t looked_at;
};

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;

	r->candidates = tt_mem_alloc(mem, sizeof *r->candidates, err);
	return r->candidates ? TT_OK : err->code;
}

void
tt_candidates_free(struct tt_run *r)
{
	struct tt_candidates *c = r->candidates;
	struct tt_mem *mem = &r->env->mem;

	if (!c)
		return;
	tt_mem_free(mem, c->v, c->cap * sizeof *c->v);
	tt_map_free(&c->at, mem);
	tt_mem_free(mem, c->span, c->nspan * sizeof *c->span);
	tt_mem_free(mem, c, sizeof *c);
	r->candidates = NULL;
}

/* The entry of ${key} on ${thread}, a new one if ${add}; NULL if there is none or no room (*${rc}: TT_OK), or no memory. */
static struct seen *
at(struct tt_run *r, uint32_t thread, uint64_t key, bool add, int *rc, struct tt_err *err)
{
	struct tt_candidates *c = r->candidates;
	uint64_t hash = tt_seeded_pair(thread, key);
	uint32_t found = tt_map_find(&c->at, hash, i, c->v[i].key == key && c->v[i].thread == thread);

	*rc = TT_OK;
	if (found || !add || c->n == KEYS)
		return found ? &c->v[found - 1] : NULL;
	if ((*rc = tt_map_push(&c->at, &r->env->mem, hash, &c->v, &c->cap, c->n, err)) != TT_OK)
		return NULL;
	c->v[c->n] = (struct seen){ .key = key, .thread = thread, .open = INT64_MIN };
	return &c->v[c->n++];
}

/* Extend the thread's span to ${ts}. */
static void
reach(struct span *span, int64_t ts)
{
	if (ts > span->to)
		span->to = ts;
}

static void
count(struct seen *s, struct span *span, const struct tt_event *e)
{
	int64_t gap = s->n && e->ts > s->last ? e->ts - s->last : 0;

	s->nested = s->nested || s->open != INT64_MIN || (e->kind == TT_ZONE && e->ts < s->end && e->ts + e->dur > s->last);
	s->first = s->n++ ? s->first : e->ts;
	s->last = e->ts > s->last || s->n == 1 ? e->ts : s->last;
	s->square += (tt_u128)gap * (tt_u128)gap;
	if (gap > s->longest[OUTLIERS - 1]) {
		int k = OUTLIERS - 1;

		for (; k > 0 && gap > s->longest[k - 1]; k--)
			s->longest[k] = s->longest[k - 1];
		s->longest[k] = gap;
	}
	if (e->kind == TT_ZONE) {
		s->total += e->dur;
		s->end = e->ts + e->dur;
	} else {
		s->open = e->ts;
	}
	if (e->ts < span->from)
		span->from = e->ts;
	reach(span, e->kind == TT_ZONE ? e->ts + e->dur : e->ts);
}

int
tt_candidates_batch(struct tt_run *r, const struct tt_batch *b, const struct tt_thread *t, struct tt_err *err)
{
	struct tt_candidates *c;
	int rc = r->candidates ? TT_OK : begin(r, err);
	size_t had;

	if (rc != TT_OK)
		return rc;
	c = r->candidates;
	had = c->nspan;
	rc = tt_mem_grow(&r->env->mem, &c->span, &c->nspan, t->index + (size_t)1, sizeof *c->span, err);
	for (size_t i = had; i < c->nspan && rc == TT_OK; i++)
		c->span[i] = (struct span){ INT64_MAX, INT64_MIN, false };
	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		bool begins = e->kind == TT_ZONE || e->kind == TT_ZONE_BEGIN;
		struct seen *s;

		if ((!begins && e->kind != TT_ZONE_END) || e->val >= TT_KEY_SPECIAL)
			continue;
		if (e->kind == TT_ZONE && e->dur < MIN_LATER_NS && c->looked_at >= LOOKED_AT)
			continue;
		s = at(r, t->index, e->val, begins, &rc, err);
		c->looked_at++;
		if (s && begins) {
			count(s, &c->span[t->index], e);
		} else if (s && s->open != INT64_MIN) {
			s->total += e->ts > s->open ? e->ts - s->open : 0;
			s->open = INT64_MIN;
			reach(&c->span[t->index], e->ts);
		}
	}
	return rc;
}

/* --- which are likely ----------------------------------------------------------------------- */

/*
 * True if the marker may be a step of the program's own loop: it is no wait, by the lists or by its name, and no work of the runtime, the engine's loader or
 * the class library.
 */
static bool
is_program(const struct tt_run *r, const char *full)
{
	static const char *const *const work[] = { tt_collect_markers, tt_compile_markers, tt_shader_markers, tt_lock_markers, tt_load_markers,
		tt_unload_markers, tt_constructors };

	for (size_t i = 0; i < sizeof work / sizeof *work; i++)
		if (tt_name_match(work[i], full))
			return false;
	return !tt_name_wrapper(full) && !tt_name_has_word(tt_waiting_words, full) && !tt_waits_is(r->m, full) &&
	    !tt_name_in_namespace(tt_library_namespaces, full);
}

static const struct tt_name *
find_name(const struct tt_run *r, const struct seen *s)
{
	const struct tt_name *name = tt_model_key(r->m, r->m->threads.t[s->thread]->process, s->key);

	return name && name->is_defined ? name : NULL;
}

/* Find the threads that spend at least half of their time in one wait marker: a marker that takes most of the time of one need not work. */
static void
find_waiting_threads(const struct tt_run *r)
{
	const struct tt_candidates *c = r->candidates;

	for (size_t i = 0; i < c->n; i++) {
		const struct seen *s = &c->v[i];
		struct span *span = &c->span[s->thread];
		const struct tt_name *name = s->total >= (span->to - span->from) / 2 ? find_name(r, s) : NULL;

		span->waits = span->waits || (name && tt_waits_is(r->m, name->full));
	}
}

/*
 * True if the times between begins may be those of frames: their spread is at most half of their mean, ${every}, or four times the mean if the marker takes
 * half of the thread's time and the thread does not wait for half of it.
 */
static bool
is_regular(const struct tt_candidate *c, const struct span *span)
{
	return c->period_stddev_ns <= (c->share_e4 >= 5000 && !span->waits ? c->mean_period_ns * 4 : c->mean_period_ns / 2);
}

/* True if the profiler that recorded the capture of process ${process} marks all frames itself: other regular markers are inside of frames. */
static bool
are_frames_marked(const struct tt_run *r, uint32_t process)
{
	return process < r->nin && r->in[process].format->numbers_frames;
}

/*
 * Fill ${to} from ${s}; false if the marker cannot begin frames: it begins too seldom, too often, inside itself or too irregularly, is no step of the program's
 * own loop, or the capture marks its frames.
 */
static bool
judge(const struct tt_run *r, const struct seen *s, struct tt_candidate *to)
{
	const struct tt_thread *t = r->m->threads.t[s->thread];
	const struct tt_name *name = find_name(r, s);
	const struct span *span = &r->candidates->span[s->thread];
	uint64_t gaps = s->n - 1, all = (uint64_t)(s->last - s->first);
	tt_u128 mean, square = s->square;

	if (are_frames_marked(r, t->process) || s->n < MIN_BEGINS || s->last <= s->first || s->nested || !name || !is_program(r, name->full))
		return false;
	for (uint64_t k = 0, most = gaps / 10; k < OUTLIERS && k < most; k++, gaps--) {
		all -= (uint64_t)s->longest[k];
		square -= (tt_u128)s->longest[k] * (tt_u128)s->longest[k];
	}
	mean = all / gaps;
	square /= gaps;
	*to = (struct tt_candidate){ .full = name->full, .thread = t, .nbegins = s->n, .mean_period_ns = (int64_t)mean,
		.period_stddev_ns = (int64_t)tt_isqrt(square > mean * mean ? square - mean * mean : 0),
		.share_e4 = tt_ratio((uint64_t)s->total, 10000, (uint64_t)(span->to - span->from)) };
	if (to->share_e4 > 10000)
		to->share_e4 = 10000;
	return to->mean_period_ns >= MIN_FRAME_NS && is_regular(to, span) && to->share_e4 >= 100;
}

/* A frame takes most of its thread's time and begins regularly: a marker whose spread equals its interval gets a third of its score. */
static int64_t
score(const struct tt_candidate *c)
{
	return tt_ratio((uint64_t)c->share_e4, (uint64_t)c->mean_period_ns, (uint64_t)(c->mean_period_ns + 2 * c->period_stddev_ns));
}

void
tt_candidates_choose(struct tt_run *r)
{
	struct tt_model *m = r->m;

	m->ncandidate = 0;
	if (r->candidates)
		find_waiting_threads(r);
	for (size_t i = 0; r->candidates && i < r->candidates->n; i++) {
		struct tt_candidate c;
		size_t k;

		if (!judge(r, &r->candidates->v[i], &c))
			continue;
		/* Insert it where it belongs among the best so far. */
		for (k = m->ncandidate; k > 0 && score(&m->candidate[k - 1]) < score(&c); k--) {
			if (k < TT_CANDIDATES)
				m->candidate[k] = m->candidate[k - 1];
		}
		if (k < TT_CANDIDATES)
			m->candidate[k] = c;
		m->ncandidate += m->ncandidate < TT_CANDIDATES;
	}
}

int
tt_candidates_fail(struct tt_run *r, struct tt_err *err)
{
	char text[LISTED * 200] = "", name[100], every[32];
	size_t used = 0;

	tt_candidates_choose(r);
	for (size_t i = 0; i < r->m->ncandidate && i < LISTED; i++) {
		const struct tt_candidate *c = &r->m->candidate[i];

		tt_utf8_line(name, sizeof name, c->full);
		*tt_put_time_short(every, c->mean_period_ns) = '\0';
		used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%.*s\" (every %s, %lld %% of %.20s)", i ? ", " : "; likely are ",
		    (int)tt_name_bare(name), name, every, (long long)(c->share_e4 / 100), c->thread->name);
	}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no marker matches %s \"%.60s\"%s", tt_setting_name[TT_SETTING_FRAME_MARKER],
	    r->o->frame_marker, text);
}
