/**
 * Explains one long frame: what the runtime and the engine did, what the program did (blame.h), or what other threads did meanwhile.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/order.h"
#include "collect/code.h"
#include "collect/collections.h"
#include "collect/heap_shots.h"
#include "model/names.h"
#include "view/frame_sums.h"
#include "why/blame.h"

/* --- what the runtime does --------------------------------------------------------------------------- */

/* True if the sentence for ${class} names the waiting or loading call, and not only the marker around it. */
static bool
is_told_by_call(enum tt_cause_class class)
{
	return class == TT_CAUSE_WAIT || class == TT_CAUSE_SHADERS || class == TT_CAUSE_LOADING || class == TT_CAUSE_EDITOR;
}

/* The call of ${class} by the marker ${by} with the most extra time; among equals the longest; NULL: none. */
static const struct tt_fact *
longest_call(const struct tt_why *w, enum tt_cause_class class, uint32_t by)
{
	const struct tt_fact *most = NULL;

	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		if (f->what != TT_OF_CALL + (uint32_t)class || w->calls[f->id].by != by)
			continue;
		if (!most || tt_why_beyond_usual(w, f) > tt_why_beyond_usual(w, most) || (tt_why_beyond_usual(w, f) == tt_why_beyond_usual(w, most) &&
		    f->self > most->self))
			most = f;
	}
	return most;
}

/* Set the figures of ${c}, whose class is set: those of the marker of ${by}, or of the call that the sentence names. */
static void
name_marker(const struct tt_why *w, const struct tt_fact *by, struct tt_cause *c)
{
	const struct tt_fact *call = longest_call(w, c->class, by->id), *told = call && is_told_by_call(c->class) ? call : by;
	const struct tt_usual u = tt_why_usual(w, told->what, told->id);
	/* A wait for the frame limit is shown in full; only its late part explains the frame. */
	const int64_t beyond = tt_why_beyond_usual(w, w->is_late_wait[told->node] ? by : told);

	c->row = by->id;
	c->node = told->node;
	c->call = call ? call->id : TT_NO_FACT;
	c->took_ns = told->self;
	c->usual_took_ns = u.self;
	c->n = told->n;
	c->usual_n = u.n;
	c->longest = told->longest;
	c->named_ns = beyond < c->ns ? beyond : c->ns;
}

/* Replace the marker's figures by those of all methods compiled in the frame, which are reported together. */
static void
name_compiled(const struct tt_why *w, struct tt_cause *c)
{
	c->row_took_ns = c->took_ns;
	c->took_ns = c->class_ns;
	c->named_ns = c->ns;
	c->n = 0;
	c->usual_took_ns = 0;
	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		if (f->what != TT_OF_CLASS + TT_CAUSE_COMPILED)
			continue;
		c->n += f->n;
		c->usual_took_ns += tt_why_usual(w, f->what, f->id).self;
	}
}

/* The time of the class of ${c} in the frame. Waits for the frame limit merely fill up the frame: they count only if ${c} is about such a wait. */
static int64_t
add_class(const struct tt_why *w, const struct tt_cause *c)
{
	const bool all = c->class != TT_CAUSE_WAIT || w->is_late_wait[c->node];
	int64_t sum = 0;

	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		if (f->what == TT_OF_CALL + (uint32_t)c->class && (all || !w->is_late_wait[f->node]))
			sum += f->self;
	}
	return sum;
}

/* Blame ${c} on ${class} if that has more extra time than the present cause; name the marker with most of it. */
static void
try_class(const struct tt_why *w, enum tt_cause_class class, struct tt_cause *c)
{
	const struct tt_fact *most = NULL;
	int64_t sum = 0;

	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		if (f->what != TT_OF_CLASS + (uint32_t)class)
			continue;
		sum += tt_why_beyond_usual(w, f);
		if (!most || tt_why_beyond_usual(w, f) > tt_why_beyond_usual(w, most))
			most = f;
	}
	if (sum <= c->ns || !most)
		return;
	c->class = class;
	c->ns = sum;
	name_marker(w, most, c);
	c->class_ns = add_class(w, c);
	if (class == TT_CAUSE_COMPILED)
		name_compiled(w, c);
}

/* Store in ${c} the marker whose allocations in the frame exceed the usual most, and the class that it allocated most. */
static void
find_burst(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_fact *most = NULL;
	int64_t best = 0;

	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		if (f->what == TT_OF_SITE && tt_why_beyond_usual(w, f) > best)
			best = tt_why_beyond_usual(w, most = f);
	}
	if (best < TT_WHY_MIN_BURST_BYTES)
		return;
	c->row2 = most->id;
	c->bytes = most->self;
	c->allocs = most->n;
	c->name = tt_why_most_class(w, most->id);
}

/* The marker that allocates the most in typical frames; NULL: none. */
static const struct tt_usual *
usual_site(const struct tt_why *w)
{
	const struct tt_usual *most = NULL;

	for (size_t i = 0; i < w->nusual; i++)
		if (w->usual[i].what == TT_OF_SITE && w->usual[i].id != TT_NO_ROW && (!most || w->usual[i].self > most->self))
			most = &w->usual[i];
	return most && most->self > 0 ? most : NULL;
}

/* True if a method that requests collections by name is among the callers of the collection at ${c}->node. */
static bool
is_asked_by_name(const struct tt_why *w, const struct tt_cause *c)
{
	for (uint32_t i = c->node; i != w->own[i] && i > TT_NODE_MORE; i = tt_paths_node(w->p, i)->parent) {
		uint32_t row = tt_paths_row(w->p, i);
		if (tt_name_match(tt_collect_requests, tt_why_full_name(w, row)))
			return true;
	}
	return false;
}

/* True if a marker may have asked for a collection: not the engine's loop, and not the collection's own marker. */
static bool
may_ask(const char *full)
{
	return !tt_name_is_loop(full) && !tt_name_match(tt_collect_markers, full);
}

/* True if the thread on which the collection of ${c} started was waiting: a waiting method need not have asked for the collection. */
static bool
is_in_wait(const struct tt_why *w, const struct tt_cause *c)
{
	uint32_t at = c->node;

	while (at != w->own[at] && at > TT_NODE_MORE && w->class[at] != TT_CAUSE_WAIT)
		at = tt_paths_node(w->p, at)->parent;
	return w->class[at] == TT_CAUSE_WAIT;
}

/* True if the recorder caused the collection of ${c} for a heap shot: a shot was taken in the frame, and no method of the program is around the collection. */
static bool
is_of_shot(const struct tt_why *w, const struct tt_cause *c)
{
	const struct tt_heap_shots *s = tt_heap_shots(w->m);
	const int64_t from = tt_frames_start(w->m->frames, c->frame), to = from + tt_frames_dur(w->m->frames, c->frame);
	size_t i = 0;

	if (!s || !tt_name_match(tt_collect_markers, tt_why_full_name(w, c->row)))
		return false;
	while (i < s->n && (s->shot[i].ts < from || s->shot[i].ts >= to))
		i++;
	return i < s->n;
}

/* Find where the collections of ${c} started, their generations, and whether the program certainly asked for them. */
static void
look_at_start(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_fact *site = tt_why_fact(w, TT_OF_SITE, c->row);
	int64_t all = 0, took[TT_GENERATIONS] = { 0 };

	for (size_t i = 0; i < w->s->n; i++) {
		const struct tt_node *n = tt_paths_node(w->p, w->s->rec[i].node);

		if (n->kind == TT_NODE_ZONE && n->key >= TT_KEY_GC_GEN(0) && n->key < TT_KEY_GC_GEN(TT_GENERATIONS) &&
		    tt_paths_row(w->p, w->own[w->s->rec[i].node]) == c->row)
			took[n->key - TT_KEY_GC_GEN(0)] += w->s->rec[i].total;
	}
	for (unsigned g = 0; g < TT_GENERATIONS; g++)
		all += took[g];
	for (unsigned g = 0; g < TT_GENERATIONS; g++)
		c->generations |= took[g] > all / 10 ? 1u << g : 0;
	all = 0;
	for (size_t i = 0; i < w->now.n; i++)
		all += w->now.v[i].what == TT_OF_SITE ? w->now.v[i].self : 0;
	c->starter = c->row;
	c->share = site && all > 0 ? (double)site->self / (double)all : 0;
	c->other_start_thread = tt_paths_thread(w->p, c->node)->index != tt_frames_thread(w->m->frames, c->frame) ? tt_paths_thread(w->p, c->node)->name : NULL;
	c->is_for_shot = is_of_shot(w, c);
	c->is_requested = is_asked_by_name(w, c) || (tt_model_knows_allocs(w->m) && !site && !is_in_wait(w, c) && may_ask(tt_why_full_name(w, c->row)));
}

static void
look_at_collection(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_usual *site = usual_site(w);

	look_at_start(w, c);
	if (c->is_requested || c->is_for_shot)
		return;
	find_burst(w, c);
	if (c->row2 == TT_NO_ROW && site && !c->other_start_thread) {
		c->row2 = site->id;
		c->usual_ns = site->self;     /* bytes, in a typical frame */
	}
	if (c->row2 != TT_NO_ROW) {
		c->row = c->row2;
		c->row2 = c->starter;
	}
}

/* For a cause of class allocation: add the collections of its frame, if they take at least a tenth of the extra time. */
static void
look_at_allocation(const struct tt_why *w, struct tt_cause *c)
{
	struct tt_cause gc = { .frame = c->frame, .starter = TT_NO_ROW, .call = TT_NO_FACT };

	try_class(w, TT_CAUSE_COLLECTION, &gc);
	if (gc.ns == 0 || gc.ns < c->extra / 10)
		return;
	look_at_start(w, &gc);
	c->gc_ns = gc.ns;
	c->gc_took = gc.took_ns;
	c->generations = gc.generations;
	c->is_requested = gc.is_requested;
	c->is_for_shot = gc.is_for_shot;
	c->starter = gc.starter;
	c->share = gc.share;
}

/*
 * True if ${n} collections in one method are too many for chance. Unless the program asks for collections, they start in a method in proportion to its share of
 * the allocated bytes: ${mean} are expected, and by Poisson's law the probability of ${n} or more is at most mean^n/n!.
 */
static bool
is_more_than_chance(double mean, unsigned n)
{
	double p = 1;

	for (unsigned i = 1; i <= n; i++)
		p *= mean / i;
	return p < 1e-4;
}

/* Iterate over all causes: for each frame its own, then the alternatives and second causes. next_cause() returns NULL after the last. */
static struct tt_cause *
first_cause(const struct tt_why *w)
{
	return w->out->ncause ? w->out->cause : NULL;
}

static struct tt_cause *
next_cause(const struct tt_why *w, const struct tt_cause *c)
{
	const size_t at = tt_lower_bound(i, 0, w->out->ncause, w->out->cause[i].frame <= c->frame);
	const struct tt_cause *own = &w->out->cause[at - 1];

	if (c == own && own->fallback)
		return own->fallback;
	if (c == own->fallback && c->second)
		return c->second;
	if (own->second && c != own->second)
		return own->second;
	return at < w->out->ncause ? &w->out->cause[at] : NULL;
}

/*
 * Mark each collection that started in ${starter} as requested by the program; as guessed, if the capture has no generations, for then it says little about
 * collections.
 */
static void
was_asked(struct tt_why *w, uint32_t starter)
{
	for (struct tt_cause *c = first_cause(w); c; c = next_cause(w, c)) {
		if (c->starter != starter)
			continue;
		c->is_guessed = !c->is_requested && c->generations == 0;
		c->is_requested = true;
	}
}

void
tt_why_find_requested(struct tt_why *w)
{
	struct tt_cause *c, *k;
	unsigned all = 0;

	for (c = first_cause(w); c; c = next_cause(w, c))
		all += c->starter != TT_NO_ROW && !c->is_requested;
	for (c = first_cause(w); c; c = next_cause(w, c)) {
		const uint32_t starter = c->starter;
		double share = 0;
		unsigned n = 0;

		if (starter == TT_NO_ROW || c->is_requested || !tt_model_knows_allocs(w->m) || !may_ask(tt_why_full_name(w, starter)))
			continue;
		for (k = first_cause(w); k; k = next_cause(w, k))
			if (k->starter == starter && !k->is_requested) {
				share += k->share;
				n++;
			}
		if (is_more_than_chance(all * share / n, n))
			was_asked(w, starter);
	}
	for (c = first_cause(w); c; c = next_cause(w, c))
		if (c->class == TT_CAUSE_COLLECTION && c->is_requested) {
			c->by = c->is_guessed && c->bytes == 0 && c->row != c->starter ? c->row : TT_NO_ROW;
			c->row = c->starter;
			c->row2 = TT_NO_ROW;
		}
}

/* Name the method with the most code among those compiled in the frame. */
static void
look_at_code(const struct tt_why *w, struct tt_cause *c)
{
	const struct tt_frames *f = w->m->frames;
	int64_t from = tt_frames_start(f, c->frame), to = from + tt_frames_dur(f, c->frame);
	const struct tt_capture *cap = w->m->cap[w->m->threads.t[tt_frames_thread(f, c->frame)]->process];
	const struct tt_def *d, *most = NULL;
	uint64_t all = 0, n = 0;

	for (size_t i = 0; (d = tt_code_at(cap, i)) != NULL; i++) {
		int64_t ts = d->ts + cap->offset_ns;
		if (d->b == 0 || ts < from || ts >= to)
			continue;
		n++;
		all += d->b;
		most = !most || d->b > most->b ? d : most;
	}
	c->n = n ? n : c->n;
	c->row2 = c->row;
	if (!most || most->b < all / 2)
		return;
	const struct tt_name *name = tt_model_key(w->m, cap->process, most->key);
	c->name = name ? tt_paths_label(w->p, name) : NULL;
	c->bytes = (int64_t)most->b;
}

static void
look_at_wait(const struct tt_why *w, struct tt_cause *c)
{
	const uint32_t row = c->call != TT_NO_FACT ? w->calls[c->call].row : TT_NO_ROW;

	c->row2 = row != TT_NO_ROW ? row : c->row2;
	if (c->row2 == c->row)
		c->row2 = TT_NO_ROW;
}

/* True if zones of the path ${node} on the frame thread of ${c} are part of its loading, within zones of the marker ${c}->row2. */
static bool
is_within_loading(const struct tt_why *w, const struct tt_cause *c, uint32_t node)
{
	const struct tt_thread *t = tt_paths_thread(w->p, node);
	bool within = false;

	if (w->class[node] != TT_CAUSE_LOADING || tt_paths_row(w->p, node) == TT_NO_ROW || !t || t->index != tt_frames_thread(w->m->frames, c->frame))
		return false;
	for (uint32_t at = node; !within && at > TT_NODE_MORE && tt_paths_node(w->p, at)->kind == TT_NODE_ZONE; at = tt_paths_node(w->p, at)->parent)
		within = tt_paths_row(w->p, at) == c->row2;
	return within;
}

/* Name the innermost zone with nearly all of the loading time: "Texture.AwakeFromLoad", not the "Preload Single Step" around any loading. */
static void
look_at_loaded(const struct tt_why *w, struct tt_cause *c)
{
	uint32_t depth = 0, row = c->row2;

	for (size_t i = 0; i < w->s->n && c->row2 != TT_NO_ROW && c->callee_n == 0; i++) {
		const struct tt_frame_path *rec = &w->s->rec[i];

		if (!tt_frame_sums_zone(w->s, rec->node) || rec->total < c->ns - c->ns / 100 || tt_paths_node(w->p, rec->node)->depth <= depth ||
		    !is_within_loading(w, c, rec->node))
			continue;
		depth = tt_paths_node(w->p, rec->node)->depth;
		row = tt_paths_row(w->p, rec->node);
	}
	c->row2 = row;
}

/* True if ${c} is a sleep, and the thread sleeps as often as usual: then the system woke it later than it asked. */
static bool
is_woken_late(const struct tt_why *w, const struct tt_cause *c)
{
	const struct tt_usual u = tt_why_usual(w, TT_OF_CALL + TT_CAUSE_WAIT, c->call);
	const uint32_t row = c->row2 != TT_NO_ROW ? c->row2 : c->row;

	return tt_name_match(tt_sleep_markers, tt_why_full_name(w, row)) && !tt_why_is_rare(w, &u) && u.self > 0 && c->n <= u.n_high;
}

/*
 * The class of the exception that the marker ${by} allocates in record ${i} of the frame; the model owns the name. NULL: the record is no exception, or another
 * marker's.
 */
static const char *
exception_at(const struct tt_why *w, size_t i, uint32_t by)
{
	const struct tt_node *n = tt_paths_node(w->p, w->s->rec[i].node);
	const bool is_own = n->kind == TT_NODE_ALLOC && tt_paths_row(w->p, w->own[w->s->rec[i].node]) == by;
	const char *name = is_own ? tt_model_class(w->m, n->process, n->key) : "";
	const size_t len = strlen(name);

	return len >= 9 && strcmp(name + len - 9, "Exception") == 0 ? name : NULL;
}

struct thrown { const char *class; uint64_t n; };

static int
by_class(const void *a, const void *b)
{
	return strcmp(((const struct thrown *)a)->class, ((const struct thrown *)b)->class);
}

/* Find the exception class that the method throws most, its number, and that of other exceptions. */
static void
count_exceptions(const struct tt_why *w, struct tt_cause *c)
{
	struct thrown *v = tt_mem_alloc(w->mem, (w->s->n + 1) * sizeof *v, w->err);
	uint64_t of = 0, all = 0;
	size_t n = 0;

	c->allocs = 0;
	for (size_t i = 0; i < w->s->n && v; i++)
		if ((v[n].class = exception_at(w, i, c->row)))
			v[n++].n = w->s->rec[i].n;
	tt_sort(v, n, by_class);
	for (size_t i = 0; i < n; i++) {
		of = v[i].n + (i > 0 && by_class(&v[i - 1], &v[i]) == 0 ? of : 0);
		all += v[i].n;
		if (of > c->allocs) {
			c->allocs = of;
			c->name = v[i].class;
		}
	}
	c->nother_exceptions = all - c->allocs;
	tt_mem_free(w->mem, v, (w->s->n + 1) * sizeof *v);
}

/* Find which exceptions were thrown, and who called the method that throws them. */
static void
look_at_exceptions(const struct tt_why *w, struct tt_cause *c)
{
	count_exceptions(w, c);
	for (uint32_t at = c->node; at > TT_NODE_MORE && tt_paths_node(w->p, at)->kind == TT_NODE_ZONE; at = tt_paths_node(w->p, at)->parent) {
		uint32_t row = tt_paths_row(w->p, w->own[at]);
		if (row == c->row)
			continue;
		c->row2 = row;
		return;
	}
}

/* --- what other threads do ---------------------------------------------------------------------------- */

/* True if record ${i} of the frame, or one around it, is a zone of the marker ${row}; ${in} has the answers for earlier records. Records are in node order. */
static bool
is_in(const struct tt_why *w, size_t i, uint32_t row, const bool *in)
{
	const uint32_t own = w->own[w->s->rec[i].node], up = tt_paths_node(w->p, w->s->rec[i].node)->parent;
	size_t at = tt_lower_bound(k, 0, i, w->s->rec[k].node < up);

	return tt_paths_row(w->p, own) == row || (at < i && w->s->rec[at].node == up && in[at]);
}

/*
 * Count other threads that work longer than ${least} in the frame: into n those in the blamed marker, into usual_n those with that much more other work than
 * usual.
 */
static void
count_busy(const struct tt_why *w, struct tt_cause *c, int64_t least)
{
	const size_t n = w->m->threads.n;
	const uint32_t own = tt_frames_thread(w->m->frames, c->frame);
	int64_t *busy = tt_mem_alloc(w->mem, n * sizeof *busy, w->err);
	bool *in = tt_mem_alloc(w->mem, (w->s->n + 1) * sizeof *in, w->err);

	for (size_t i = 0; i < w->s->n && busy && in; i++) {
		const struct tt_thread *t = tt_why_working_thread(w, &w->s->rec[i], own);

		in[i] = is_in(w, i, c->row, in);
		if (t && in[i])
			busy[t->index] += w->s->rec[i].self;
	}
	for (size_t i = 0; i < n && busy; i++) {
		const struct tt_fact *all = tt_why_fact(w, TT_OF_THREAD, (uint32_t)i);

		c->n += busy[i] > least;
		c->usual_n += busy[i] <= least && all && tt_why_beyond_usual(w, all) > least;
	}
	tt_mem_free(w->mem, busy, n * sizeof *busy);
	tt_mem_free(w->mem, in, in ? (w->s->n + 1) * sizeof *in : 0);
}

/* True if the frame thread has clearly more zones than usual, including those of the base library: then it does more work itself. */
static bool
is_busier(const struct tt_why *w)
{
	const struct tt_fact *zones = tt_why_fact(w, TT_OF_FRAME, TT_FRAME_ZONES);
	const uint64_t high = tt_why_usual(w, TT_OF_FRAME, TT_FRAME_ZONES).n_high;

	return zones && zones->n >= high + (high + 1) / 2 && zones->n >= high + TT_WHY_MIN_MORE_CALLS;
}

/*
 * Blame ${cause} on busy processors, and return true, if at least two other threads work clearly more than usual while the frame thread does no more. If frames
 * with much work elsewhere are known to be longer (w->is_slowed_by_others), one such thread is enough, and the usual work is that of the other frames.
 */
static bool
try_processors(const struct tt_why *w, struct tt_cause *cause)
{
	struct tt_cause to = *cause, *c = &to;
	const struct tt_fact *busy = tt_why_fact(w, TT_OF_FRAME, TT_FRAME_BUSY), *most = NULL;
	const int64_t high = w->is_slowed_by_others ? w->usual_other_work_ns : tt_why_usual(w, TT_OF_FRAME, TT_FRAME_BUSY).self_high;
	int64_t dur = tt_frames_dur(w->m->frames, c->frame), usual = w->out->typical, more = busy ? busy->self - high : 0;

	if (!busy || usual == 0 || is_busier(w) || more < (w->is_slowed_by_others ? c->extra / 2 : c->extra))
		return false;
	/* Other threads do more in a longer frame anyway: their share of the frame must be larger by a quarter of a thread. */
	if (busy->self * 100 / dur - high * 100 / usual < 25)
		return false;
	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];
		if (f->what == TT_OF_OTHER && (!most || (w->is_slowed_by_others ? f->self > most->self
		    : tt_why_beyond_usual(w, f) > tt_why_beyond_usual(w, most))))
			most = f;
	}
	c->class = TT_CAUSE_PROCESSORS;
	c->row = tt_why_work_of(w, most->node);
	count_busy(w, c, c->extra / 8);
	if (c->n + c->usual_n < 2 && !w->is_slowed_by_others)
		return false;
	c->n += c->n == 0;
	c->ns = c->named_ns = c->beyond_ns = more < c->extra ? more : c->extra;
	*cause = to;
	return true;
}

/*
 * Turn ${c}, which blames a method, into a loading cause if the method makes at least ten more loading calls than usual and they take a twentieth of its time:
 * its work between these calls counts as loading, too. Keep its allocations.
 */
static void
try_loader(const struct tt_why *w, struct tt_cause *c)
{
	const bool called = c->class == TT_CAUSE_ALLOCATION || c->class == TT_CAUSE_CALLS || c->class == TT_CAUSE_SLOW_CALL;
	const struct tt_fact *f = called ? tt_why_fact(w, TT_OF_CLASS + TT_CAUSE_LOADING, c->row) : NULL;
	const struct tt_usual u = tt_why_usual(w, TT_OF_CLASS + TT_CAUSE_LOADING, c->row);

	if (!f || f->n < u.n_high + TT_WHY_MIN_MORE_CALLS || tt_why_beyond_usual(w, f) < c->ns / 20)
		return;
	if (c->class != TT_CAUSE_ALLOCATION) {
		c->allocs = 0;
		c->bytes = 0;
	}
	const struct tt_fact *call = longest_call(w, TT_CAUSE_LOADING, c->row);
	c->class = TT_CAUSE_LOADING;
	c->is_doubtful = false;
	c->ns += tt_why_beyond_usual(w, f);
	c->named_ns = c->ns;
	c->beyond_ns += f->self - u.self;
	c->node = call->node;
	c->call = call->id;
	c->callee_n = call->n;
	c->callee_usual_n = tt_why_usual(w, call->what, call->id).n;
}

static void
look_closer(const struct tt_why *w, struct tt_cause *c)
{
	switch (c->class) {
	case TT_CAUSE_COLLECTION:
		look_at_collection(w, c);
		break;
	case TT_CAUSE_ALLOCATION:
		look_at_allocation(w, c);
		break;
	case TT_CAUSE_COMPILED:
		look_at_code(w, c);
		break;
	case TT_CAUSE_LOCK:
		tt_why_find_lock_holder(w, c);
		break;
	case TT_CAUSE_EXCEPTIONS:
		look_at_exceptions(w, c);
		break;
	case TT_CAUSE_LOADING:
		if (c->allocs)
			look_at_allocation(w, c);
		look_at_wait(w, c);
		tt_why_find_wait_end(w, c);
		look_at_loaded(w, c);
		break;
	case TT_CAUSE_SHADERS:
		look_at_wait(w, c);
		break;
	case TT_CAUSE_WAIT:
		look_at_wait(w, c);
		c->method_around = tt_why_method_around(w, c->row, w->own[c->node]);
		c->woken_late = is_woken_late(w, c);
		if (!c->woken_late)
			tt_why_find_other_work(w, c);
		break;
	case TT_CAUSE_EDITOR:
		look_at_wait(w, c);
		c->row = c->row2 != TT_NO_ROW ? c->row2 : c->row;
		break;
	default:
		break;
	}
}

/* True if ${path} blames the method that throws the exceptions ${c}: such a method is also called more, allocates them, and takes about as long as they do. */
static bool
is_thrown(const struct tt_cause *c, const struct tt_cause *path)
{
	return c->class == TT_CAUSE_EXCEPTIONS && c->row == path->row && path->ns <= 2 * c->ns;
}

/* Blame ${c} on a method that allocates more, though it is not called more often, if that takes more time than the present cause. */
static void
try_burst(struct tt_why *w, const struct tt_cause *none, struct tt_cause *c)
{
	struct tt_cause burst = *none;
	const struct tt_why_end end = tt_why_descend(w, false);

	if (end.path == SIZE_MAX || end.ns <= c->ns)
		return;
	tt_why_blame_path(w, end.path, &burst);
	if (burst.class == TT_CAUSE_ALLOCATION && !is_thrown(c, &burst))
		*c = burst;
}

/* Blame ${c} on the class with the most extra time other than ${but}, if that is more than the present cause has. */
static void
try_classes(const struct tt_why *w, enum tt_cause_class but, struct tt_cause *c)
{
	for (enum tt_cause_class class = TT_CAUSE_COLLECTION; class <= TT_CAUSE_EDITOR; class++)
		if (class != but)
			try_class(w, class, c);
}

/* A copy of ${c} that lives as long as the results; NULL: w->err. */
static struct tt_cause *
keep(const struct tt_why *w, const struct tt_cause *c)
{
	struct tt_cause *to = tt_arena_alloc(w->text, sizeof *to, w->err);

	if (to)
		*to = *c;
	return to;
}

/*
 * Find the largest second cause in the frame of ${c}: runtime or engine work of another class, or work of the program. Reads by a loader, and exceptions
 * already blamed, are no second cause.
 */
static void
look_beside(struct tt_why *w, const struct tt_cause *none, struct tt_cause *c)
{
	struct tt_cause k = *none, path = *none;

	try_classes(w, c->class, &k);
	if (tt_why_is_worth_reporting(w, c, &k))
		look_closer(w, &k);
	else
		k = *none;
	if (tt_why_blame_beside(w, c, &path) && tt_why_is_worth_reporting(w, c, &path) && path.ns > k.ns && (k.ns == 0 || !path.is_doubtful) &&
	    !is_thrown(&k, &path)) {
		k = path;
		if (c->class != TT_CAUSE_LOADING)
			try_loader(w, &k);
		if (k.class == TT_CAUSE_LOADING)
			look_at_wait(w, &k);
	}
	if (k.ns > 0)
		c->second = keep(w, &k);
}

/* Judge the frame by what is certain: work of the runtime or the engine, more calls, allocations. Return false if that explains too little. */
static bool
judge_known(struct tt_why *w, const struct tt_cause *none, struct tt_cause *c)
{
	struct tt_why_end end;

	try_classes(w, TT_CAUSE_UNKNOWN, c);
	end = tt_why_descend(w, true);
	tt_why_widen(w, &end, c->extra / TT_WHY_MIN_SHARE);
	/* A method that throws more is also called more, and takes about as long as its exceptions. */
	const bool thrown = end.path != SIZE_MAX && c->class == TT_CAUSE_EXCEPTIONS && end.ns <= 2 * c->ns && end.ns >= c->extra / TT_WHY_MIN_SHARE &&
	    tt_paths_row(w->p, w->now.v[end.path].id) == c->row;
	if (!thrown && end.ns > c->ns) {
		struct tt_cause path = *none;

		if (!tt_why_blame_parts(w, &end, &path)) {
			tt_why_single_out(w, &end, c->extra / TT_WHY_MIN_SHARE);
			if (end.path != SIZE_MAX)
				tt_why_blame_within(w, tt_why_caller_of_more(w, end.path), &path);
		}
		*c = path.ns > c->ns ? path : *c;
	}
	if (!thrown && (c->ns < c->extra / TT_WHY_MIN_SHARE || c->ns <= 0))
		return false;
	try_burst(w, none, c);
	try_loader(w, c);
	look_closer(w, c);
	look_beside(w, none, c);
	return true;
}

/* Judge the frame by methods that take longer though they are not called more often. */
static void
judge_slower(struct tt_why *w, struct tt_cause *c)
{
	const struct tt_why_end end = tt_why_descend(w, false);

	if (end.ns < c->extra / TT_WHY_MIN_SHARE)
		return;
	if (tt_why_blame_parts(w, &end, c)) {
		c->is_doubtful = true;
		return;
	}
	if (end.path == SIZE_MAX)
		return;
	const size_t whose = tt_why_caller_to_blame(w, end.path);

	tt_why_blame_path(w, whose, c);
	c->is_doubtful = c->class == TT_CAUSE_SLOW_CALL;
	if (c->is_doubtful && whose != end.path)
		c->row2 = tt_paths_row(w->p, w->now.v[end.path].id);
	try_loader(w, c);
	look_closer(w, c);
}

void
tt_why_judge(struct tt_why *w, struct tt_cause *c)
{
	const struct tt_fact *outside = tt_why_fact(w, TT_OF_FRAME, TT_FRAME_OUTSIDE);
	const struct tt_cause none = *c;
	struct tt_cause slower = none;
	const bool known = judge_known(w, &none, c);

	if (known && !tt_why_is_engine(c))
		return;
	if (!known)
		*c = none;
	if (!known && outside && tt_why_beyond_usual(w, outside) >= c->extra / 2) {
		c->class = TT_CAUSE_OUTSIDE;
		c->ns = c->named_ns = tt_why_beyond_usual(w, outside);
		c->beyond_ns = outside->self - tt_why_usual(w, TT_OF_FRAME, TT_FRAME_OUTSIDE).self;
		look_beside(w, &none, c);
		return;
	}
	if (!known)
		try_processors(w, c);
	judge_slower(w, &slower);
	/* A method that loads is reported as such even if its reads are the cause found so far: it takes longer. */
	if (slower.class == TT_CAUSE_UNKNOWN || (known && (slower.ns <= c->ns || (slower.row == c->row && slower.class != TT_CAUSE_LOADING))))
		return;
	const bool worth = known && c->class != slower.class && tt_why_is_worth_reporting(w, &slower, c);
	if (c->class != TT_CAUSE_UNKNOWN && slower.is_doubtful)
		slower.fallback = keep(w, c);
	else if (worth)
		slower.second = keep(w, c);
	if (!worth)
		look_beside(w, &none, &slower);
	*c = slower;
}

