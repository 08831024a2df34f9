/**
 * Says what happened in a capture without frames, in sentences. Definitions: tracetool-metrics(7), The first screen.
 */
#include "pass/overview.h"

#include <string.h>

#include "base/order.h"
#include "collect/collections.h"
#include "collect/contention.h"
#include "collect/exceptions.h"
#include "collect/heap_shots.h"
#include "model/names.h"
#include "pass/pass.h"
#include "stat/num.h"
#include "view/figures.h"
#include "view/group.h"
#include "view/view.h"
#include "why/causes.h"

enum { O_WHAT, O_SENTENCE, O_N };
static const struct tt_col overview_col[O_N] = {
	[O_WHAT] = { "what", "what", TT_UNIT_TEXT, "leak, locks, exceptions, collections, heap, threads, or unrecorded." },
	[O_SENTENCE] = { "sentence", "what happened", TT_UNIT_PROSE, "What happened, in words." },
};

const struct tt_pass_table tt_table_overview = { .id = "capture_overview", .title = "What happened", .col = overview_col, .ncol = O_N };
const unsigned tt_overview_needs = TT_NEEDS_LOCKS | TT_NEEDS_THROWS | TT_NEEDS_SITES | TT_NEEDS_SHOTS;

/* Calls of lock methods with a smaller sum are not reported as waits. */
#define MIN_LOCK_NS INT64_C(1000000)
/* Shorter times to stop threads are not mentioned. */
#define MIN_STOPPING_NS INT64_C(1000000)

struct overview {
	struct tt_views *view;
	struct tt_report *r;
	struct tt_table *t;           /* NULL: no sentence yet */
};

static void
say(struct overview *o, const char *what, const char *sentence)
{
	const struct tt_pass_table *of = &tt_table_overview;
	struct tt_cell *c;

	if (!o->t)
		o->t = tt_report_table(o->r, of->id, of->title, of->col, of->ncol);
	c = tt_row(o->t);
	tt_cell_text(&c[O_WHAT], what);
	tt_cell_text(&c[O_SENTENCE], sentence);
}

/* Return a count with its noun: "1 wait", "2,340 waits"; if ${one} is empty, the number alone. */
static const char *
count_text(struct overview *o, uint64_t n, const char *one)
{
	return tt_text(o->r, "%s%s%s%s", tt_text_count(o->r, n), *one ? " " : "", one, n == 1 || !*one ? "" : "s");
}

static const char *
share_text(struct overview *o, uint64_t part, uint64_t all)
{
	char t[32];

	*tt_put_fixed(t, tt_ratio(part, 1000, all), 1) = '\0';
	return tt_text(o->r, "%s %%", t);
}

/* --- places ---------------------------------------------------------------------------- */

/* Sums by row of the site; the last element is the sum outside any site. */
struct site_sums { const struct tt_paths *p; int64_t *sum; };

static bool
begin_sums(struct overview *o, struct site_sums *s)
{
	s->p = tt_view_paths(o->view, TT_GROUP_NONE, TT_PATHS_SITES, &o->r->err);
	s->sum = s->p ? tt_arena_alloc(&o->r->arena, (s->p->nrow + (size_t)1) * sizeof *s->sum, &o->r->err) : NULL;
	return s->sum != NULL;
}

static void
add_at(struct site_sums *s, uint32_t node, int64_t value)
{
	const uint32_t row = s->p->site[node];

	s->sum[row == TT_NO_ROW ? s->p->nrow : row] += value;
}

/* Return the row with the largest sum; rows inside the program are preferred, if one has a sum. */
static uint32_t
largest(const struct site_sums *s)
{
	uint32_t most = s->p->nrow;

	for (uint32_t i = 0; i < s->p->nrow; i++)
		if (s->sum[i] > 0 && (most == s->p->nrow || s->sum[i] > s->sum[most]))
			most = i;
	return most;
}

/* --- what happened --------------------------------------------------------------------- */

static void
say_leak(struct overview *o, const struct tt_causes *causes)
{
	for (size_t i = 0; i < causes->nfinding; i++)
		if (causes->finding[i].class == TT_CAUSE_LEAK)
			say(o, "leak", causes->finding[i].sentence);
}

/* Report the time in methods that acquire locks, if waits were not recorded. */
static void
say_lock_calls(struct overview *o)
{
	const struct tt_paths *p = tt_view_paths(o->view, TT_GROUP_NONE, TT_PATHS_LINK, &o->r->err);
	struct tt_calls *sum = p ? tt_arena_alloc(&o->r->arena, (p->nrow + (size_t)1) * sizeof *sum, &o->r->err) : NULL;
	uint32_t most = TT_NO_ROW;

	if (!sum)
		return;
	tt_calls_sum(p, NULL, sum);
	for (uint32_t i = 0; i < p->nrow; i++)
		if (p->row[i].name && sum[i].total >= MIN_LOCK_NS && (most == TT_NO_ROW || sum[i].total > sum[most].total) &&
		    tt_name_match(tt_lock_markers, p->row[i].name->full))
			most = i;
	if (most != TT_NO_ROW)
		say(o, "locks", tt_text(o->r, "%s of %s take %s", count_text(o, sum[most].n, "call"), p->row[most].label, tt_text_time(o->r, sum[most].total)));
}

static void
say_locks(struct overview *o)
{
	const struct tt_contention *l = tt_contention(o->view->m);
	const char *text;
	struct site_sums s;
	uint32_t most;

	if (l->wait.n == 0) {
		say_lock_calls(o);
		return;
	}
	if (!begin_sums(o, &s))
		return;
	for (size_t i = 0; i < l->nsite; i++)
		add_at(&s, l->site[i].node, l->site[i].wait.total);
	most = largest(&s);
	text = tt_text(o->r, "%s for %s take%s %s", count_text(o, l->wait.n, "wait"), count_text(o, l->n, "lock"), l->wait.n == 1 ? "s" : "",
	    tt_text_time(o->r, l->wait.total));
	if (l->wait.n > 1)
		text = tt_text(o->r, "%s, the longest %s", text, tt_text_time(o->r, l->wait.max));
	if (most != s.p->nrow)
		text = tt_text(o->r, "%s; %s in %s", text, s.sum[most] == l->wait.total ? "all" : tt_text_time(o->r, s.sum[most]), s.p->row[most].label);
	say(o, "locks", text);
}

static void
say_exceptions(struct overview *o)
{
	const struct tt_exceptions *x = tt_exceptions(o->view->m);
	struct site_sums s;
	uint64_t all = 0;
	uint32_t most;

	if (x->n == 0 || !begin_sums(o, &s))
		return;
	for (size_t i = 0; i < x->n; i++) {
		add_at(&s, x->site[i].node, (int64_t)x->site[i].n);
		all += x->site[i].n;
	}
	most = largest(&s);
	if (most == s.p->nrow)
		say(o, "exceptions", tt_text(o->r, "%s thrown", count_text(o, all, "exception")));
	else if ((uint64_t)s.sum[most] == all)
		say(o, "exceptions", tt_text(o->r, "%s thrown, in %s", count_text(o, all, "exception"), s.p->row[most].label));
	else
		say(o, "exceptions", tt_text(o->r, "%s thrown, %s of them in %s", count_text(o, all, "exception"), share_text(o, (uint64_t)s.sum[most], all),
		    s.p->row[most].label));
}

static void
say_collections(struct overview *o)
{
	const struct tt_gc *gc = tt_gc(o->view->m);
	const struct tt_gc_stat all = tt_collections(gc->gen, 0, TT_GENERATIONS), old = tt_collections(gc->gen, 1, TT_GENERATIONS);
	const char *text;

	if (all.n == 0)
		return;
	const bool stops = gc->npauses_all > 0 && tt_knows_pauses(o->view->m);
	text = old.n == 0 ? count_text(o, all.n, "collection") : old.n == all.n ? count_text(o, all.n, "full collection") :
	    tt_text(o->r, "%s (%s full)", count_text(o, all.n, "collection"), count_text(o, old.n, ""));
	text = tt_text(o->r, "%s %s%s %s", text, stops ? "stop" : "take", all.n == 1 ? "s" : "", stops ? "all threads for " : "");
	text = tt_text(o->r, "%s%s", text, tt_text_time(o->r, stops ? gc->stopped_total : all.total));
	if (all.n > 1)
		text = tt_text(o->r, "%s, the longest %s", text, tt_text_time(o->r, stops ? gc->stopped_max : all.max));
	/* At the end of a program it can take a second until the last thread has stopped. */
	const int64_t stopping = gc->pause_total - gc->stopped_total;
	if (stops && stopping >= MIN_STOPPING_NS && stopping > gc->stopped_total)
		text = tt_text(o->r, "%s, after waiting %s for them", text, tt_text_time(o->r, stopping));
	if (gc->nheap_resizes > 0)
		text = tt_text(o->r, "%s; the heap has %s in the end", text, tt_text_bytes(o->r, gc->heap_last));
	if (gc->heap_max > gc->heap_last)
		text = tt_text(o->r, "%s, at most %s", text, tt_text_bytes(o->r, gc->heap_max));
	say(o, "collections", text);
}

/* Return the class with the most bytes in ${shot}, and store the number in *${bytes}; NULL: no class, or out of memory. */
static const char *
largest_class(struct overview *o, const struct tt_shot *shot, uint64_t *bytes)
{
	const struct tt_heap_shots *s = tt_heap_shots(o->view->m);
	const struct tt_shot_class *most = NULL;
	struct tt_classes classes;
	const char *name = NULL;

	for (size_t i = 0; shot->kept && i < shot->nclass; i++)
		most = !most || s->cell[shot->first + i].bytes > most->bytes ? &s->cell[shot->first + i] : most;
	if (!most)
		return NULL;
	tt_classes_init(&classes, o->view->m, TT_GROUP_NONE, &o->r->arena);
	const struct tt_class *c = tt_class_of(&classes, s->key_process[most->class], s->key[most->class], &o->r->err);
	name = c ? tt_text(o->r, "%s", c->label) : NULL;
	*bytes = most->bytes;
	tt_classes_free(&classes);
	return name;
}

/* Report the sizes of heap shots, and the largest class of the last one. */
static void
say_heap(struct overview *o)
{
	const struct tt_heap_shots *s = tt_heap_shots(o->view->m);
	const struct tt_shot *first = NULL, *last = NULL;
	const char *text, *class;
	uint64_t bytes;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!s->shot[i].complete || s->shot[i].process != 0)
			continue;
		first = first ? first : &s->shot[i];
		last = &s->shot[i];
		n++;
	}
	if (n == 0)
		return;
	class = largest_class(o, last, &bytes);
	text = n == 1 ? tt_text(o->r, "a heap shot has %s", tt_text_bytes(o->r, last->bytes)) :
	    tt_text(o->r, "the first of %zu heap shots has %s, the last %s", n, tt_text_bytes(o->r, first->bytes), tt_text_bytes(o->r, last->bytes));
	say(o, "heap", class ? tt_text(o->r, "%s, %s of it in %s", text, tt_text_bytes(o->r, bytes), class) : text);
}

/* --- threads --------------------------------------------------------------------------- */

/* Return the row of the marker with the longest waiting time, or TT_NO_ROW. */
static uint32_t
longest_wait(struct overview *o, const struct tt_paths *p)
{
	struct tt_calls *sum = tt_arena_alloc(&o->r->arena, (p->nrow + (size_t)1) * sizeof *sum, &o->r->err);
	uint32_t most = TT_NO_ROW;

	if (!sum)
		return most;
	tt_calls_sum(p, NULL, sum);
	for (uint32_t i = 0; i < p->nrow; i++)
		if (p->waits[i] && sum[i].self > 0 && (most == TT_NO_ROW || sum[i].self > sum[most].self))
			most = i;
	return most;
}

/* Subtract the time of collections, which a thread runs for all others or waits for, from the time that it is busy. */
static void
subtract_collections(const struct tt_paths *p, int64_t *busy)
{
	for (uint32_t i = TT_NODE_MORE + 1; i < p->n; i++) {
		const uint64_t key = tt_paths_node(p, i)->key;
		const bool collects = key == TT_KEY_GC_PAUSE || key == TT_KEY_GC_STOP ||
		    (key >= TT_KEY_GC_GEN(0) && key <= TT_KEY_GC_GEN(7));
		const struct tt_thread *t = collects && tt_paths_timed(p, i) ? tt_paths_thread(p, i) : NULL;

		if (t)
			busy[t->index] -= tt_paths_count(p, i).self;
	}
}

/* Name the thread with the most samples, if nothing else tells what threads did. */
static void
say_sampled(struct overview *o, const struct tt_paths *p)
{
	const size_t n = o->view->m->threads.n;
	uint64_t *of = tt_arena_alloc(&o->r->arena, (n + 1) * sizeof *of, &o->r->err), all = 0;
	size_t most = 0;

	for (uint32_t i = 0; of && i < p->n; i++) {
		const struct tt_thread *t = tt_paths_sampled(p, i) ? tt_paths_thread(p, i) : NULL;

		if (!t)
			continue;
		of[t->index] += tt_paths_count(p, i).n;
		all += tt_paths_count(p, i).n;
	}
	if (all == 0)
		return;
	for (size_t i = 0; i < n; i++)
		most = of[i] > of[most] ? i : most;
	say(o, "threads", tt_text(o->r, "%s; %s of them on thread \"%s\"", count_text(o, all, "sample"), share_text(o, of[most], all),
	    o->view->m->threads.t[most]->name));
}

static int64_t
lifetime(const struct tt_thread *t)
{
	return t->last_ts > t->first_ts ? t->last_ts - t->first_ts : 0;
}

/* Return ${text}, unless it is NULL, with this appended: "8 of 12 threads wait for nine tenths of the time and more, most in NAME". */
static const char *
waiting_text(struct overview *o, const struct tt_paths *p, size_t n, const char *text)
{
	const uint32_t row = longest_wait(o, p);
	const bool locks = row != TT_NO_ROW && p->row[row].name && strcmp(p->row[row].name->full, tt_model_key(o->view->m, 0, TT_KEY_CONTENTION)->full) == 0;

	text = tt_text(o->r, "%s%s%s of %s %s for nine tenths of the time and more", text ? text : "", text ? "; " : "",
	    count_text(o, n, ""), count_text(o, o->view->m->threads.n, "thread"), n == 1 ? "waits" : "wait");
	return row == TT_NO_ROW ? text : tt_text(o->r, "%s, most %s %s", text, locks ? "for" : "in", locks ? "locks" : p->row[row].label);
}

static void
say_threads(struct overview *o)
{
	const struct tt_threads *all = &o->view->m->threads;
	const struct tt_paths *p = tt_view_paths(o->view, TT_GROUP_NONE, TT_PATHS_LINK | TT_PATHS_WAITS, &o->r->err);
	const struct tt_zone_time *time = p ? tt_view_zone_time(o->view, &o->r->err) : NULL;
	int64_t *busy = time ? tt_arena_alloc(&o->r->arena, (all->n + 1) * sizeof *busy, &o->r->err) : NULL;
	size_t most = SIZE_MAX, waiting = 0;
	const char *text = NULL;

	if (!busy)
		return;
	for (size_t i = 0; i < all->n; i++)
		busy[i] = tt_busy(&time[i]);
	subtract_collections(p, busy);
	for (size_t i = 0; i < all->n; i++) {
		if (time[i].calls > 0 && busy[i] > 0 && (most == SIZE_MAX || busy[i] > busy[most]))
			most = i;
		waiting += time[i].waiting > 0 && time[i].waiting >= lifetime(all->t[i]) / 10 * 9;
	}
	if (most != SIZE_MAX)
		text = tt_text(o->r, "\"%s\" works most: %s, %s of its time", all->t[most]->name, tt_text_time(o->r, busy[most]),
		    share_text(o, (uint64_t)busy[most], (uint64_t)lifetime(all->t[most])));
	if (waiting > 0)
		text = waiting_text(o, p, waiting, text);
	if (text)
		say(o, "threads", text);
	else
		say_sampled(o, p);
}

/* --- what was not recorded ------------------------------------------------------------- */

/* True if the capture has events of this kind, or its recorder was asked for such events. */
static bool
knows(const struct tt_model *m, enum tt_records what)
{
	switch (what) {
	case TT_REC_WAITS:
		return tt_contention(m)->n > 0 || tt_model_records(m, what);
	case TT_REC_THROWS:
		return tt_exceptions(m)->n > 0 || tt_model_records(m, what);
	case TT_REC_COLLECTIONS:
		return tt_knows_collections(m);
	default:
		return tt_model_knows_allocs(m);
	}
}

/* Say which of these kinds of events the recorder was not asked for, and its options for them. */
static void
say_unrecorded(struct overview *o)
{
	static const struct { enum tt_records what; const char *name; } kind[] = {
		{ TT_REC_WAITS, "waits for locks" }, { TT_REC_COLLECTIONS, "collections" }, { TT_REC_THROWS, "exceptions" }, { TT_REC_ALLOCS, "allocations" },
	};
	const char *text = NULL, *options = NULL;

	for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
		const char *option = knows(o->view->m, kind[i].what) ? NULL : tt_model_option(o->view->m, kind[i].what);

		if (!option)
			continue;
		text = text ? tt_text(o->r, "%s, %s", text, kind[i].name) : kind[i].name;
		options = options ? tt_text(o->r, "%s,%s", options, option) : option;
	}
	if (text)
		say(o, "unrecorded", tt_text(o->r, "%s; the recorder's %s %s would have told", text, strchr(options, ',') ? "options" : "option", options));
}

void
tt_overview(struct tt_views *view, const struct tt_causes *causes, struct tt_report *r)
{
	struct overview o = { view, r, NULL };

	if (view->m->frames && view->m->frames->n)
		return;
	say_leak(&o, causes);
	say_locks(&o);
	say_exceptions(&o);
	say_collections(&o);
	say_heap(&o);
	say_threads(&o);
	say_unrecorded(&o);
}
