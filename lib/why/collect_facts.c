/**
 * Collects the facts of each frame, and their usual values.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/order.h"
#include "stat/compare.h"
#include "view/frame_sums.h"

/* The sort key of a fact; facts with the same key are merged. */
static uint64_t
key_of(uint32_t what, uint32_t id)
{
	return (uint64_t)what << 32 | id;
}

static uint64_t
key_of_sampled(const struct tt_sampled_fact *f)
{
	return key_of(f->what, f->id);
}

/* Kinds of facts that are looked up by row number in a table of nrow + 1 entries each, the last one for TT_NO_ROW. Facts of the remaining kinds are few. */
static const uint8_t by_row[] = { TT_OF_ROW, TT_OF_SITE, TT_OF_OTHER, TT_OF_RUN, TT_OF_TOTAL };
enum { BY_ROW = sizeof by_row / sizeof *by_row, FRAME_FACTS = TT_FRAME_ZONES + 1 };

int
tt_why_facts_begin(struct tt_why *w)
{
	w->npart_index = w->p->n + BY_ROW * ((size_t)w->p->nrow + 1) + w->m->threads.n + FRAME_FACTS;
	w->part_index = tt_mem_alloc(w->mem, w->npart_index * sizeof *w->part_index, w->err);
	w->other_work = tt_mem_alloc(w->mem, w->m->threads.n * sizeof *w->other_work, w->err);
	return w->part_index && w->other_work ? TT_OK : w->err->code;
}

/*
 * The entry that stores the index of a fact; NULL: kinds that are searched for instead. The index may stem from an earlier frame. Inlined, because the kind
 * is mostly constant.
 */
static inline __attribute__((always_inline)) uint32_t *
place_of(const struct tt_why *w, uint32_t what, uint32_t id)
{
	const size_t rows = (size_t)w->p->nrow + 1;
	uint32_t *first = w->part_index + w->p->n;

	if (what == TT_OF_NODE)
		return &w->part_index[id];
	for (size_t i = 0; i < BY_ROW; i++, first += rows)
		if (what == by_row[i])
			return &first[id < w->p->nrow ? id : w->p->nrow];
	if (what == TT_OF_THREAD)
		return &first[id];
	return what == TT_OF_FRAME ? &first[w->m->threads.n + id] : NULL;
}

/* The fact at index ${at} of ${all}, if it has this kind and id; else NULL. */
static struct tt_fact *
found(const struct tt_facts *all, uint32_t at, uint32_t what, uint32_t id)
{
	return at < all->n && all->v[at].what == what && all->v[at].id == id ? &all->v[at] : NULL;
}

/* Merge the fact ${f} into ${to}, which has the same kind and id. */
static void
join(struct tt_fact *to, const struct tt_fact *f)
{
	if (f->self > to->self)
		to->node = f->node;
	to->n += f->n;
	to->self += f->self;
	to->large += f->large;
	to->longest = f->longest > to->longest ? f->longest : to->longest;
}

static __attribute__((noinline)) int
append(struct tt_why *w, const struct tt_fact *f, uint32_t *at)
{
	if (tt_mem_grow(w->mem, &w->parts.v, &w->parts.cap, w->parts.n + 1, sizeof *w->parts.v, w->err) != TT_OK)
		return w->err->code;
	if (at)
		*at = (uint32_t)w->parts.n;
	w->parts.v[w->parts.n++] = *f;
	return TT_OK;
}

static inline __attribute__((always_inline)) int
add(struct tt_why *w, struct tt_fact f)
{
	uint32_t *at = place_of(w, f.what, f.id);
	struct tt_fact *to = at ? found(&w->parts, *at, f.what, f.id) : NULL;

	if (!to)
		return append(w, &f, at);
	join(to, &f);
	return TT_OK;
}

/* Append the facts in w->parts to those of the frame, sorted, with equal kind and id merged. Their kinds come after those that the frame has already. */
static int
put_in_order(struct tt_why *w)
{
	const size_t n = w->parts.n;
	const struct tt_place *p;
	struct tt_fact *to = NULL;

	if (tt_mem_grow(w->mem, &w->order, &w->caporder, 2 * n, sizeof *w->order, w->err) != TT_OK ||
	    tt_mem_grow(w->mem, &w->now.v, &w->now.cap, w->now.n + n, sizeof *w->now.v, w->err) != TT_OK)
		return w->err->code;
	for (size_t i = 0; i < n; i++)
		w->order[i] = (struct tt_place){ key_of(w->parts.v[i].what, w->parts.v[i].id), i };
	p = tt_places_sort(w->order, n);
	for (size_t i = 0; i < n; i++) {
		const struct tt_fact *f = &w->parts.v[p[i].index];
		uint32_t *at;

		if (to && p[i].key == p[i - 1].key) {
			join(to, f);
			continue;
		}
		to = &w->now.v[w->now.n++];
		*to = *f;
		if ((at = place_of(w, f->what, f->id)))
			*at = (uint32_t)(w->now.n - 1);
	}
	w->parts.n = 0;
	return TT_OK;
}

/*
 * Add the runtime's or the engine's work in a zone of class ${class}: to the program's marker around it with ${time}, and to the call. If the outermost zone of
 * the call has the class, its calls are counted; else, as for a library method that reads, those of the class's zones in it.
 */
static int
add_classed(struct tt_why *w, const struct tt_frame_path *rec, uint8_t class, int64_t time)
{
	const uint32_t node = rec->node, outer = w->outer[node];
	const bool top = w->class[tt_paths_node(w->p, node)->parent] != class, is_call = outer && w->class[outer] == class ? node == outer : top;
	struct tt_fact f = { .what = TT_OF_CLASS + class, .id = tt_paths_row(w->p, w->own[node]), .node = node, .self = time, .n = top ? rec->n : 0,
		.longest = top ? rec->longest : 0 };
	int rc = add(w, f);

	f.what = TT_OF_CALL + class;
	f.id = w->call[node];
	f.self = rec->self;
	f.n = is_call ? rec->n : 0;
	f.longest = is_call ? rec->longest : 0;
	return rc == TT_OK ? add(w, f) : rc;
}

/* Add the work of a zone of the frame thread. */
static int
add_zone(struct tt_why *w, const struct tt_frame_path *rec)
{
	uint32_t own = w->own[rec->node];
	struct tt_fact f = { .id = own, .node = rec->node, .self = rec->self };
	uint8_t class = w->class[rec->node];
	int rc;

	if (w->is_late_wait[rec->node]) {
		const int64_t late = tt_frames_late(w->m->frames, w->s->frame, tt_frames_wait_period(w->m->frames, w->s->frame));

		f.self = f.self < late ? f.self : late;
	}
	if (class == TT_CLASS_NONE)
		return TT_OK;
	if (class != TT_CAUSE_UNKNOWN)
		return add_classed(w, rec, class, f.self > 0 || !w->is_late_wait[rec->node] ? f.self : 0);
	if (w->is_late_wait[rec->node] && f.self <= 0)
		return TT_OK;
	f.what = TT_OF_NODE;
	f.node = own;
	f.n = own == rec->node ? rec->n : 0;
	f.longest = own == rec->node ? rec->longest : 0;
	rc = add(w, f);
	f.what = TT_OF_ROW;
	f.id = tt_paths_row(w->p, own);
	return rc == TT_OK ? add(w, f) : rc;
}

/* True if ${t} is another thread of the program than ${thread}. GPU threads are not: they take no processor from it. */
static bool
is_other(const struct tt_why *w, const struct tt_thread *t, uint32_t thread)
{
	return t->index != thread && t->process == w->m->threads.t[thread]->process && !tt_thread_is_gpu(t);
}

bool
tt_why_is_other(const struct tt_why *w, uint32_t node, uint32_t thread)
{
	const struct tt_thread *t = tt_paths_thread(w->p, node);

	return t && is_other(w, t, thread);
}

/* The thread of the zones ${rec}, if is_other() holds for it; else NULL. */
static const struct tt_thread *
other_thread(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread)
{
	const struct tt_thread *t = tt_frame_sums_zone(w->s, rec->node) ? tt_paths_thread(w->p, rec->node) : NULL;

	return t && is_other(w, t, thread) ? t : NULL;
}

const struct tt_thread *
tt_why_working_thread(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread)
{
	return w->class[rec->node] == TT_CAUSE_UNKNOWN ? other_thread(w, rec, thread) : NULL;
}

/* The marker that another thread runs in zones of ${node}, including compiling and loading; TT_NO_ROW: none. */
static uint32_t
run_of(const struct tt_why *w, uint32_t node)
{
	const uint8_t class = w->class[node];

	if (class == TT_CAUSE_COMPILED || class == TT_CAUSE_SHADERS || class == TT_CAUSE_LOADING)
		return tt_paths_row(w->p, node);
	return class == TT_CAUSE_UNKNOWN ? tt_paths_row(w->p, w->own[node]) : TT_NO_ROW;
}

uint32_t
tt_why_run_marker(const struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread)
{
	const uint32_t run = run_of(w, rec->node);

	return run != TT_NO_ROW && other_thread(w, rec, thread) ? run : TT_NO_ROW;
}

/* Add the work of a zone of another thread, ${t}. A collection counts as the frame thread's, because it stops that thread, too. */
static int
add_other(struct tt_why *w, const struct tt_frame_path *rec, const struct tt_thread *t)
{
	const uint32_t own = w->own[rec->node], run = run_of(w, rec->node);
	const uint8_t class = w->class[rec->node];
	int rc = TT_OK;

	if (class == TT_CAUSE_COLLECTION)
		return add_zone(w, rec);
	if (run != TT_NO_ROW)
		rc = add(w, (struct tt_fact){ .what = TT_OF_RUN, .id = run, .node = rec->node, .self = rec->self });
	if (rc != TT_OK || class != TT_CAUSE_UNKNOWN)
		return rc;
	w->other_work[t->index].any = true;
	w->other_work[t->index].ns += rec->self;
	return add(w, (struct tt_fact){ .what = TT_OF_OTHER, .id = run, .node = own, .self = rec->self });
}

static int
add_rec(struct tt_why *w, const struct tt_frame_path *rec, uint32_t thread, uint64_t *zones)
{
	const struct tt_thread *t;

	if (tt_paths_node(w->p, rec->node)->kind == TT_NODE_ALLOC) {
		uint32_t row = tt_paths_row(w->p, w->own[rec->node]);
		return add(w, (struct tt_fact){ .what = TT_OF_SITE, .id = row, .node = rec->node, .n = rec->n, .self = rec->total,
		    .large = rec->self });
	}
	if (!tt_frame_sums_zone(w->s, rec->node) || !(t = tt_paths_thread(w->p, rec->node)))
		return TT_OK;
	if (t->index != thread)
		return is_other(w, t, thread) ? add_other(w, rec, t) : TT_OK;
	*zones += rec->n;
	return add_zone(w, rec);
}

/* Add the work of each other thread, and the sum over all of them. */
static int
add_worked(struct tt_why *w)
{
	struct tt_fact busy = { .what = TT_OF_FRAME, .id = TT_FRAME_BUSY };
	bool any = false;
	int rc = TT_OK;

	for (uint32_t i = 0; i < w->m->threads.n && rc == TT_OK; i++) {
		struct tt_worked *of = &w->other_work[i];

		if (!of->any)
			continue;
		rc = add(w, (struct tt_fact){ .what = TT_OF_THREAD, .id = i, .self = of->ns });
		busy.self += of->ns;
		any = true;
		*of = (struct tt_worked){ 0 };
	}
	return rc == TT_OK && any ? add(w, busy) : rc;
}

/* Link the first ${n} facts, which are those of paths, to their callers and callees. Callers come before what they call. */
static int
find_around(struct tt_why *w, size_t n)
{
	if (tt_mem_grow(w->mem, &w->caller, &w->capcaller, n, sizeof *w->caller, w->err) != TT_OK ||
	    tt_mem_grow(w->mem, &w->first_child, &w->capfirst_child, n + 1, sizeof *w->first_child, w->err) != TT_OK ||
	    tt_mem_grow(w->mem, &w->next_sibling, &w->capnext_sibling, n, sizeof *w->next_sibling, w->err) != TT_OK)
		return w->err->code;
	for (size_t i = 0; i < n; i++) {
		const uint32_t up = w->own[tt_paths_node(w->p, w->now.v[i].id)->parent], at = w->part_index[up];

		w->caller[i] = found(&w->now, at, TT_OF_NODE, up) ? at : TT_NO_FACT;
	}
	w->descent_end = SIZE_MAX;
	for (size_t i = 0; i <= n; i++)
		w->first_child[i] = TT_NO_FACT;
	for (size_t i = n; i-- > 0;) {
		uint32_t *first = &w->first_child[w->caller[i] != TT_NO_FACT ? w->caller[i] : n];

		w->next_sibling[i] = *first;
		*first = (uint32_t)i;
	}
	return TT_OK;
}

/* Find the usual values of each fact; facts and usual values are sorted alike. */
static int
find_usual(struct tt_why *w)
{
	size_t k = 0;

	if (tt_mem_grow(w->mem, &w->usual_at, &w->capusual_at, w->now.n, sizeof *w->usual_at, w->err) != TT_OK)
		return w->err->code;
	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		while (k < w->nusual && (w->usual[k].what < f->what || (w->usual[k].what == f->what && w->usual[k].id < f->id)))
			k++;
		w->usual_at[i] = k < w->nusual && w->usual[k].what == f->what && w->usual[k].id == f->id ? (uint32_t)k : TT_NO_FACT;
	}
	return TT_OK;
}

/* Add the time of markers with all that they call. The facts are merged; those of paths come first, callers before callees. */
static int
add_totals(struct tt_why *w)
{
	size_t n = 0;
	int rc = TT_OK;

	while (n < w->now.n && w->now.v[n].what == TT_OF_NODE)
		n++;
	if (find_around(w, n) != TT_OK || tt_mem_grow(w->mem, &w->extra_ns, &w->capextra_ns, n + 1, sizeof *w->extra_ns, w->err) != TT_OK)
		return w->err->code;
	for (size_t i = 0; i < n; i++)
		w->extra_ns[i] = w->now.v[i].self;
	for (size_t i = n, up; i-- > 0;)
		if ((up = tt_why_caller_at(w, i)) != SIZE_MAX)
			w->extra_ns[up] += w->extra_ns[i];
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const uint32_t node = w->now.v[i].id;

		w->now.v[i].total = w->extra_ns[i];
		if (w->s->flags[node] & TT_SUM_OUTER)
			rc = add(w, (struct tt_fact){ .what = TT_OF_TOTAL, .id = tt_paths_row(w->p, node), .node = node, .self = w->extra_ns[i] });
	}
	return rc == TT_OK ? put_in_order(w) : rc;
}

int
tt_why_facts(struct tt_why *w)
{
	const struct tt_frames *f = w->m->frames;
	const size_t frame = w->s->frame;
	const uint32_t thread = tt_frames_thread(f, frame);
	uint64_t zones = 0;           /* number of zones that begin in the frame, on its thread */
	int rc;

	w->now.n = w->parts.n = 0;
	rc = add(w, (struct tt_fact){ .what = TT_OF_FRAME, .id = TT_FRAME_OUTSIDE, .self = tt_column_at(&f->outside_ns, frame) });
	for (size_t i = 0; i < w->s->n && rc == TT_OK; i++)
		rc = add_rec(w, &w->s->rec[i], thread, &zones);
	TT_THEN(rc, add(w, (struct tt_fact){ .what = TT_OF_FRAME, .id = TT_FRAME_ZONES, .n = zones }));
	TT_THEN(rc, add_worked(w));
	TT_THEN(rc, put_in_order(w));
	TT_THEN(rc, add_totals(w));
	return rc == TT_OK ? find_usual(w) : rc;
}

/* --- usual values ------------------------------------------------------------------------------- */

/* The ${num}/${den} quantile of the ${n} sorted values at ${v}, preceded by zeros to make ${of} values. */
static int64_t
quantile(const int64_t *v, size_t n, size_t of, unsigned num, unsigned den)
{
	size_t at = (size_t)tt_nearest_rank(of, num, den) - 1;

	return at < of - n ? 0 : v[at - (of - n)];
}

static int
add_usual(struct tt_why *w, const struct tt_sampled_fact *const *f, size_t n, int64_t *v)
{
	struct tt_usual u = { .what = f[0]->what, .id = f[0]->id, .nsamples = n };

	for (size_t i = 0; i < n; i++)
		v[i] = (int64_t)f[i]->n;
	tt_sort_i64(v, n);
	u.n = (uint64_t)quantile(v, n, w->ntypical, 1, 2);
	u.n_high = (uint64_t)quantile(v, n, w->ntypical, 9, 10);
	for (size_t i = 0; i < n; i++)
		v[i] = f[i]->self > 0 ? f[i]->self : 0;
	tt_sort_i64(v, n);
	u.self = quantile(v, n, w->ntypical, 1, 2);
	u.self_high = quantile(v, n, w->ntypical, 9, 10);
	if (tt_mem_grow(w->mem, &w->usual, &w->capusual, w->nusual + 1, sizeof *w->usual, w->err) != TT_OK)
		return w->err->code;
	w->usual[w->nusual++] = u;
	return TT_OK;
}

/*
 * Find out whether frames are longer when other threads work much: w->is_slowed_by_others. A sample counts as busy if that work exceeds its median by a quarter
 * of a typical frame. At least one in twenty samples, but not half of them, must be busy, and a Mann-Whitney test must show that they are longer.
 */
static int
look_at_crowds(struct tt_why *w, const int64_t *busy)
{
	enum { MIN_CROWDED_SHARE = 20 };
	int64_t order[TT_FRAMES_SAMPLED], with[TT_FRAMES_SAMPLED], without[TT_FRAMES_SAMPLED], calm[TT_FRAMES_SAMPLED];
	size_t n = 0, m = 0;
	double p;

	memcpy(order, busy, w->nsample * sizeof *order);
	tt_sort_i64(order, w->nsample);
	w->usual_other_work_ns = tt_quantile_i64(order, w->nsample, 1, 2);
	for (size_t i = 0; i < w->nsample; i++) {
		int64_t t = tt_why_time(w, w->sample[i]);

		if (busy[i] > w->usual_other_work_ns + w->out->typical / 4) {
			with[n++] = t;
		} else {
			calm[m] = busy[i];
			without[m++] = t;
		}
	}
	if (n < 3 || n * MIN_CROWDED_SHARE < w->nsample || m < n)
		return TT_OK;
	if (tt_mann_whitney(without, m, with, n, &p, w->mem, w->err) != TT_OK)
		return w->err->code;
	tt_sort_i64(calm, m);
	w->usual_other_work_ns = tt_quantile_i64(calm, m, 9, 10);
	w->is_slowed_by_others = p < .001;
	return TT_OK;
}

/* The range of a sample's facts that merge() has yet to take. */
struct ahead { size_t at, end; };

/*
 * Merge the sorted facts of all samples. Samples mostly have the same facts, so that one step over all samples handles one fact, which is faster than sorting.
 * ${key}: the next fact's key for each sample; UINT64_MAX: no more facts.
 */
static void
merge(struct tt_why *w, struct ahead *a, uint64_t *key, size_t nsample)
{
	const struct tt_sampled_fact *v = w->of_samples.v;
	size_t to = 0;

	for (;;) {
		uint64_t first = UINT64_MAX;

		for (size_t i = 0; i < nsample; i++)
			first = key[i] < first ? key[i] : first;
		if (first == UINT64_MAX)
			return;
		for (size_t i = 0; i < nsample; i++) {
			if (key[i] != first)
				continue;
			w->next_of_samples[to++] = (uint32_t)a[i].at++;
			key[i] = a[i].at < a[i].end ? key_of_sampled(&v[a[i].at]) : UINT64_MAX;
		}
	}
}

static int
order_samples(struct tt_why *w)
{
	const struct tt_sampled_facts *all = &w->of_samples;
	struct ahead a[TT_FRAMES_SAMPLED];
	uint64_t key[TT_FRAMES_SAMPLED];
	size_t nsample = 0;

	if (tt_mem_grow(w->mem, &w->next_of_samples, &w->capnext, all->n, sizeof *w->next_of_samples, w->err) != TT_OK)
		return w->err->code;
	for (size_t i = 0; i < all->n; i++) {
		if (i == 0 || all->v[i].sample != all->v[i - 1].sample) {
			key[nsample] = key_of_sampled(&all->v[i]);
			a[nsample++].at = i;
		}
		a[nsample - 1].end = i + 1;
	}
	merge(w, a, key, nsample);
	return TT_OK;
}

void
tt_why_walk_begin(struct tt_fact_walk *k, const struct tt_why *w)
{
	k->w = w;
	k->at = k->n = 0;
}

bool
tt_why_walk_next(struct tt_fact_walk *k)
{
	const struct tt_sampled_facts *all = &k->w->of_samples;

	k->n = 0;
	for (; k->at < all->n; k->at++) {
		const struct tt_sampled_fact *f = &all->v[k->w->next_of_samples[k->at]];

		if (k->n && key_of_sampled(f) != key_of_sampled(k->v[0]))
			break;
		k->v[k->n++] = f;
	}
	return k->n > 0;
}

int
tt_why_compute_usual(struct tt_why *w)
{
	int64_t v[TT_FRAMES_SAMPLED], busy[TT_FRAMES_SAMPLED] = { 0 };
	bool is_typical[TT_FRAMES_SAMPLED];
	struct tt_fact_walk k;
	int rc = order_samples(w);

	for (size_t i = 0; i < w->nsample; i++)
		is_typical[i] = tt_why_extra(w, w->sample[i]) == 0;
	tt_why_walk_begin(&k, w);
	while (rc == TT_OK && tt_why_walk_next(&k)) {
		size_t n = 0;

		for (size_t i = 0; i < k.n; i++) {
			const struct tt_sampled_fact *f = k.v[i];

			if (f->what == TT_OF_FRAME && f->id == TT_FRAME_BUSY)
				busy[f->sample] = f->self > 0 ? f->self : 0;
			if (is_typical[f->sample])
				k.v[n++] = f;
		}
		if (n)
			rc = add_usual(w, k.v, n, v);
	}
	return rc == TT_OK ? look_at_crowds(w, busy) : rc;
}

struct tt_usual
tt_why_usual(const struct tt_why *w, uint32_t what, uint32_t id)
{
	size_t at = tt_lower_bound(i, 0, w->nusual, w->usual[i].what < what || (w->usual[i].what == what && w->usual[i].id < id));

	if (at < w->nusual && w->usual[at].what == what && w->usual[at].id == id)
		return w->usual[at];
	return (struct tt_usual){ .what = what, .id = id };
}

const struct tt_fact *
tt_why_fact(const struct tt_why *w, uint32_t what, uint32_t id)
{
	const struct tt_facts *f = &w->now;
	const uint32_t *place = place_of(w, what, id);
	const size_t at = place ? *place : tt_lower_bound(i, 0, f->n, f->v[i].what < what || (f->v[i].what == what && f->v[i].id < id));

	return at < f->n && f->v[at].what == what && f->v[at].id == id ? &f->v[at] : NULL;
}

int64_t
tt_why_beyond_usual(const struct tt_why *w, const struct tt_fact *f)
{
	const struct tt_usual *u = tt_why_usual_of(w, f);
	const int64_t high = u ? u->self_high : 0;

	return f->self > high ? f->self - high : 0;
}

const char *
tt_why_full_name(const struct tt_why *w, uint32_t row)
{
	return row != TT_NO_ROW && w->p->row[row].name ? w->p->row[row].name->full : "";
}

bool
tt_why_is_rare(const struct tt_why *w, const struct tt_usual *u)
{
	return u->nsamples * 10 < w->ntypical || u->nsamples == 0;
}
