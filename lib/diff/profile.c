/**
 * Writes a comparison as a pprof profile.
 *
 * Strings are numbered beforehand: the words below,
 * labels of markers, their categories (A, B), threads, classes, comments.
 */
#include "diff/profile.h"

#include "diff/diff.h"
#include "out/pprof_writer.h"
#include "stat/num.h"

enum word {
	W_NONE, W_TIME, W_NANOSECONDS, W_CALLS, W_COUNT, W_ALLOC, W_BYTES, W_BASE, W_TRUE, W_THREAD, W_CATEGORY,
	W_CLASS, W_FILE, W_REST, W_OUTSIDE, W_CUT, WORDS
};
static const char *const words[WORDS] = { "", "time", "nanoseconds", "calls", "count", "alloc_space", "bytes",
	"pprof::base", "true", "thread", "category", "class", "B - A", "(in no marker)", "(outside any zone)",
	"(outer frames left out)" };

struct profile {
	const struct tt_diff *d;
	struct tt_pprof to;
	uint64_t category_at, thread_at, class_at;
	bool *used;                   /* by function: true if used */
};

/* Functions and locations are numbered by marker, followed by those for time without a marker. */
static uint64_t
function(struct profile *w, size_t i)
{
	w->used[i] = true;
	return i + 1;
}

static size_t
function_of(const struct tt_diff *d, enum word word)
{
	return d->nmarker + (word - W_REST);
}

/* --- samples ---------------------------------------------------------------------------- */

/* Add values; those of A are negated and labelled as the base. */
static void
add_values(struct profile *w, unsigned side, int64_t time, uint64_t calls, int64_t bytes)
{
	bool base = side == TT_DIFF_A;
	uint64_t v[3] = { (uint64_t)time, calls, (uint64_t)bytes };

	for (size_t i = 0; base && i < 3; i++)
		v[i] = -v[i];
	tt_pprof_values(&w->to, v, 3);
	if (base)
		tt_pprof_label(&w->to, W_BASE, W_TRUE);
}

/* Write the path of a node, innermost first. Return the node of its thread; 0: none. */
static size_t
add_path(struct profile *w, size_t node)
{
	const struct tt_diff *d = w->d;
	char ids[10 * (TT_PPROF_DEPTH + 1)], *p = ids;
	size_t n = 0, at = node;

	for (; at && tt_diff_is_timed(&d->node[at]); at = d->node[at].parent, n++) {
		if (n < TT_PPROF_DEPTH)
			p = tt_put_varint(p,
			    function(w, d->node[at].kind == TT_DIFF_REST ? function_of(d, W_REST) : d->node[at].name));
		else if (n == TT_PPROF_DEPTH)
			p = tt_put_varint(p, function(w, function_of(d, W_CUT)));
	}
	tt_pprof_stack(&w->to, ids, (size_t)(p - ids), NULL, 0);
	return at;
}

static void
put_node(struct profile *w, size_t node, unsigned side)
{
	const struct tt_diff *d = w->d;
	const struct tt_diff_node *v = &d->node[node];
	const struct tt_diff_sum *s = &v->side[side];
	uint64_t calls = (uint64_t)tt_ratio(s->n, 1000, d->side[side].nunits);
	size_t thread;

	if (s->part == 0 && calls == 0)
		return;
	thread = add_path(w, node);
	add_values(w, side, s->part, calls, 0);
	if (thread)
		tt_pprof_label(&w->to, W_THREAD, w->thread_at + d->node[thread].name);
	if (v->kind == TT_DIFF_ZONE)
		tt_pprof_label(&w->to, W_CATEGORY, w->category_at + 2 * v->name + side);
	tt_pprof_sample(&w->to);
}

static void
put_site(struct profile *w, const struct tt_diff_site *site, unsigned side)
{
	char id[10];
	uint64_t i;

	if (site->side[side].part == 0)
		return;
	i = function(w, site->marker == TT_DIFF_NONE ? function_of(w->d, W_OUTSIDE) : site->marker);
	tt_pprof_stack(&w->to, id, (size_t)(tt_put_varint(id, i) - id), NULL, 0);
	add_values(w, side, 0, 0, site->side[side].part);
	tt_pprof_label(&w->to, W_CLASS, w->class_at + site->class);
	tt_pprof_sample(&w->to);
}

static void
put_samples(struct profile *w)
{
	const struct tt_diff *d = w->d;

	for (unsigned side = 0; side < TT_DIFF_SIDES; side++) {
		for (size_t i = 1; i < d->nnode; i++) {
			if (tt_diff_is_timed(&d->node[i]))
				put_node(w, i, side);
		}
		for (size_t i = 0; i < d->nsite; i++)
			put_site(w, &d->site[i], side);
	}
}

/* --- tables -------------------------------------------------------------------------------- */

static void
put_functions(struct profile *w)
{
	size_t n = w->d->nmarker;

	for (size_t i = 0; i < n + (WORDS - W_REST); i++)
		if (w->used[i])
			tt_pprof_function(&w->to, i + 1, i < n ? WORDS + i : W_REST + (i - n));
}

static void
put_strings(struct profile *w, const char *generator)
{
	const struct tt_diff *d = w->d;
	struct tt_pprof *to = &w->to;

	for (size_t i = 0; i < WORDS; i++)
		tt_pprof_text(to, words[i]);
	for (size_t i = 0; i < d->nmarker; i++)
		tt_pprof_text(to, d->marker[i].label);
	for (size_t i = 0; i < 2 * d->nmarker; i++)
		tt_pprof_text(to, d->marker[i / 2].category[i % 2]);
	for (size_t i = 0; i < d->nthread; i++)
		tt_pprof_text(to, d->thread[i]);
	for (size_t i = 0; i < d->nclass; i++)
		tt_pprof_text(to, d->class_name[i]);
	tt_pprof_comment(to, "generator: %s", generator);
	tt_pprof_comment(to, "values are per %s, calls per thousand of them; samples of A are negative",
	    d->has_frames ? "frame" : "capture");
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++)
		for (size_t i = 0; i < d->side[s].n; i++)
			tt_pprof_comment(to, "%s: %s", s ? "B" : "A", d->side[s].capture[i].path);
}

int
tt_diff_profile(const struct tt_diff *d, const char *generator, struct tt_buf *out, struct tt_err *err)
{
	struct profile w = { .d = d, .to = { .out = out } };
	struct tt_mem *mem = &d->env->mem;
	size_t nused = d->nmarker + (WORDS - W_REST);

	w.used = tt_mem_alloc(mem, nused * sizeof *w.used, err);
	if (!w.used)
		return err->code;
	w.category_at = WORDS + d->nmarker;
	w.thread_at = w.category_at + 2 * d->nmarker;
	w.class_at = w.thread_at + d->nthread;
	tt_pprof_type(&w.to, W_TIME, W_NANOSECONDS);
	tt_pprof_type(&w.to, W_CALLS, W_COUNT);
	tt_pprof_type(&w.to, W_ALLOC, W_BYTES);
	put_samples(&w);
	tt_pprof_mapping(&w.to, W_FILE);
	put_functions(&w);
	put_strings(&w, generator);
	tt_pprof_end(&w.to, W_TIME);
	tt_pprof_free(&w.to);
	tt_mem_free(mem, w.used, nused * sizeof *w.used);
	return tt_buf_error(out, err);
}
