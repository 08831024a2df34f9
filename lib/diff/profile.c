/**
 * A comparison as a pprof profile; the contract is in profile.h.
 *
 * Messages and fields: proto/profile.proto of github.com/google/pprof. Strings are numbered beforehand: the words below,
 * labels of markers, their categories (A, B), threads, classes, comments.
 */
#include "diff/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/proto.h"
#include "stat/num.h"

/* Stacks deeper than this lose their outermost frames. */
#define MAX_DEPTH 2048

enum word {
	W_NONE, W_TIME, W_NANOSECONDS, W_CALLS, W_COUNT, W_ALLOC, W_BYTES, W_BASE, W_TRUE, W_THREAD, W_CATEGORY,
	W_CLASS, W_FILE, W_REST, W_OUTSIDE, W_CUT, WORDS
};
static const char *const words[WORDS] = { "", "time", "nanoseconds", "calls", "count", "alloc_space", "bytes",
	"pprof::base", "true", "thread", "category", "class", "B - A", "(in no marker)", "(outside any zone)",
	"(outer frames left out)" };

struct profile {
	const struct tt_diff *d;
	struct tt_buf *out, part;
	uint64_t category_at, thread_at, class_at, comment_at;
	uint64_t ncomment;
	bool *used;                   /* functions */
};

/* Functions, and locations, are numbered by marker; after them what has no marker. */
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

static int
end_part(struct profile *w, unsigned field, struct tt_err *err)
{
	int rc = tt_proto_bytes(w->out, field, w->part.p, w->part.n, err);

	w->part.n = 0;
	return rc;
}

/* --- samples (Sample: 1 location_id*, 2 value*, 3 label*) ------------------------------- */

static int
add_packed(struct profile *w, unsigned field, const uint64_t *v, size_t n, struct tt_err *err)
{
	struct tt_buf b = { 0 };
	int rc = tt_buf_room(&b, 10 * n + 1, err);
	char *p = b.p;

	for (size_t i = 0; rc == TT_OK && i < n; i++)
		p = tt_put_varint(p, v[i]);
	if (rc == TT_OK)
		rc = tt_proto_bytes(&w->part, field, b.p, (size_t)(p - b.p), err);
	tt_buf_free(&b);
	return rc;
}

/* Label: 1 key, 2 str. */
static int
add_label(struct profile *w, enum word key, uint64_t text, struct tt_err *err)
{
	char label[24], *p = label;

	*p++ = 1 << 3 | TT_WIRE_VARINT;
	p = tt_put_varint(p, key);
	*p++ = 2 << 3 | TT_WIRE_VARINT;
	p = tt_put_varint(p, text);
	return tt_proto_bytes(&w->part, 3, label, (size_t)(p - label), err);
}

/* Values and the mark of the base; A is what is taken away. */
static int
add_values(struct profile *w, unsigned side, int64_t time, uint64_t calls, int64_t bytes, struct tt_err *err)
{
	bool base = side == TT_DIFF_A;
	uint64_t v[3] = { (uint64_t)time, calls, (uint64_t)bytes };
	int rc;

	for (size_t i = 0; base && i < 3; i++)
		v[i] = -v[i];
	rc = add_packed(w, 2, v, 3, err);
	return rc == TT_OK && base ? add_label(w, W_BASE, W_TRUE, err) : rc;
}

static bool
timed(const struct tt_diff_node *v)
{
	return v->kind == TT_DIFF_ZONE || v->kind == TT_DIFF_REST;
}

/* The path of a node, innermost first; *${thread} is the node it hangs on, 0 for none. */
static int
add_path(struct profile *w, size_t node, size_t *thread, struct tt_err *err)
{
	const struct tt_diff *d = w->d;
	uint64_t id[MAX_DEPTH + 1];
	size_t n = 0, at = node;

	for (; at && timed(&d->node[at]); at = d->node[at].parent) {
		if (n < MAX_DEPTH)
			id[n++] =
			    function(w, d->node[at].kind == TT_DIFF_REST ? function_of(d, W_REST) : d->node[at].name);
		else if (n == MAX_DEPTH)
			id[n++] = function(w, function_of(d, W_CUT));
	}
	*thread = at;
	return add_packed(w, 1, id, n, err);
}

static int
put_node(struct profile *w, size_t node, unsigned side, struct tt_err *err)
{
	const struct tt_diff *d = w->d;
	const struct tt_diff_node *v = &d->node[node];
	const struct tt_diff_sum *s = &v->side[side];
	uint64_t calls = (uint64_t)tt_ratio(s->n, 1000, d->side[side].units);
	size_t thread;
	int rc;

	if (s->part == 0 && calls == 0)
		return TT_OK;
	rc = add_path(w, node, &thread, err);
	if (rc == TT_OK)
		rc = add_values(w, side, s->part, calls, 0, err);
	if (rc == TT_OK && thread)
		rc = add_label(w, W_THREAD, w->thread_at + d->node[thread].name, err);
	if (rc == TT_OK && v->kind == TT_DIFF_ZONE)
		rc = add_label(w, W_CATEGORY, w->category_at + 2 * v->name + side, err);
	return rc == TT_OK ? end_part(w, 2, err) : rc;
}

static int
put_site(struct profile *w, const struct tt_diff_site *site, unsigned side, struct tt_err *err)
{
	const struct tt_diff *d = w->d;
	uint64_t id;
	int rc;

	if (site->side[side].part == 0)
		return TT_OK;
	id = function(w, site->marker == TT_DIFF_NONE ? function_of(d, W_OUTSIDE) : site->marker);
	rc = add_packed(w, 1, &id, 1, err);
	if (rc == TT_OK)
		rc = add_values(w, side, 0, 0, site->side[side].part, err);
	if (rc == TT_OK)
		rc = add_label(w, W_CLASS, w->class_at + site->class, err);
	return rc == TT_OK ? end_part(w, 2, err) : rc;
}

static int
put_samples(struct profile *w, struct tt_err *err)
{
	const struct tt_diff *d = w->d;
	int rc = TT_OK;

	for (unsigned side = 0; side < TT_DIFF_SIDES; side++) {
		for (size_t i = 1; i < d->nnode && rc == TT_OK; i++) {
			if (timed(&d->node[i]))
				rc = put_node(w, i, side, err);
		}
		for (size_t i = 0; i < d->nsite && rc == TT_OK; i++)
			rc = put_site(w, &d->site[i], side, err);
	}
	return rc;
}

/* --- tables -------------------------------------------------------------------------------- */

/* A message of two numbers, fields 1 and 2. */
static int
put_two(struct profile *w, unsigned field, uint64_t a, uint64_t b, struct tt_err *err)
{
	int rc = tt_proto_number(&w->part, 1, a, err);

	if (rc == TT_OK)
		rc = tt_proto_number(&w->part, 2, b, err);
	return rc == TT_OK ? end_part(w, field, err) : rc;
}

/* Location: 1 id, 2 mapping_id, 4 line*; Line: 1 function_id. Function: 1 id, 2 name. */
static int
put_function(struct profile *w, uint64_t id, uint64_t text, struct tt_err *err)
{
	char line[12];
	size_t n = (size_t)(tt_put_varint(line + 1, id) - line);
	int rc = tt_proto_number(&w->part, 1, id, err);

	line[0] = 1 << 3 | TT_WIRE_VARINT;
	if (rc == TT_OK)
		rc = tt_proto_number(&w->part, 2, 1, err);
	if (rc == TT_OK)
		rc = tt_proto_bytes(&w->part, 4, line, n, err);
	if (rc == TT_OK)
		rc = end_part(w, 4, err);
	return rc == TT_OK ? put_two(w, 5, id, text, err) : rc;
}

static int
put_functions(struct profile *w, struct tt_err *err)
{
	size_t n = w->d->nmarker;
	int rc = TT_OK;

	for (size_t i = 0; i < n + (WORDS - W_REST) && rc == TT_OK; i++) {
		if (w->used[i])
			rc = put_function(w, i + 1, i < n ? WORDS + i : W_REST + (i - n), err);
	}
	return rc;
}

static int
put_text(struct profile *w, const char *s, struct tt_err *err)
{
	size_t n = s ? strlen(s) : 0;
	int rc = tt_buf_room(&w->part, 3 * n + 1, err);

	if (rc != TT_OK)
		return rc;
	w->part.n = n ? (size_t)(tt_utf8_clean(w->part.p, s, n) - w->part.p) : 0;
	return end_part(w, 6, err);
}

static int
put_comments(struct profile *w, const char *generator, struct tt_err *err)
{
	const struct tt_diff *d = w->d;
	struct tt_buf b = { 0 };
	int rc = tt_buf_printf(&b, err, "generator: %s%c", generator, 0);

	if (rc == TT_OK)
		rc = tt_buf_printf(&b, err,
		    "values are per %s, calls per thousand of them; samples of A are negative%c",
		    d->frames ? "frame" : "capture", 0);
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		for (size_t i = 0; i < d->side[s].n && rc == TT_OK; i++)
			rc = tt_buf_printf(&b, err, "%s: %s%c", s ? "B" : "A", d->side[s].capture[i].path, 0);
	}
	for (size_t at = 0; at < b.n && rc == TT_OK; at += strlen(b.p + at) + 1) {
		rc = put_text(w, b.p + at, err);
		w->ncomment++;
	}
	tt_buf_free(&b);
	return rc;
}

static int
put_strings(struct profile *w, const char *generator, struct tt_err *err)
{
	const struct tt_diff *d = w->d;
	int rc = TT_OK;

	for (size_t i = 0; i < WORDS && rc == TT_OK; i++)
		rc = put_text(w, words[i], err);
	for (size_t i = 0; i < d->nmarker && rc == TT_OK; i++)
		rc = put_text(w, d->marker[i].label, err);
	for (size_t i = 0; i < 2 * d->nmarker && rc == TT_OK; i++)
		rc = put_text(w, d->marker[i / 2].category[i % 2], err);
	for (size_t i = 0; i < d->nthread && rc == TT_OK; i++)
		rc = put_text(w, d->thread[i], err);
	for (size_t i = 0; i < d->nclass && rc == TT_OK; i++)
		rc = put_text(w, d->class_name[i], err);
	return rc == TT_OK ? put_comments(w, generator, err) : rc;
}

static int
put_all(struct profile *w, const char *generator, struct tt_err *err)
{
	static const enum word type[][2] = { { W_TIME, W_NANOSECONDS }, { W_CALLS, W_COUNT }, { W_ALLOC, W_BYTES } };
	const struct tt_diff *d = w->d;
	int rc = TT_OK;

	w->category_at = WORDS + d->nmarker;
	w->thread_at = w->category_at + 2 * d->nmarker;
	w->class_at = w->thread_at + d->nthread;
	w->comment_at = w->class_at + d->nclass;
	for (size_t i = 0; i < sizeof type / sizeof *type && rc == TT_OK; i++)
		rc = put_two(w, 1, type[i][0], type[i][1], err);
	if (rc == TT_OK)
		rc = put_samples(w, err);
	/* Mapping: 1 id, 5 filename, 7 has_functions: so pprof has no reason to look for symbols. */
	if (rc == TT_OK && (rc = tt_proto_number(&w->part, 1, 1, err)) == TT_OK &&
	    (rc = tt_proto_number(&w->part, 5, W_FILE, err)) == TT_OK &&
	    (rc = tt_proto_number(&w->part, 7, 1, err)) == TT_OK)
		rc = end_part(w, 3, err);
	if (rc == TT_OK)
		rc = put_functions(w, err);
	if (rc == TT_OK)
		rc = put_strings(w, generator, err);
	for (uint64_t i = 0; i < w->ncomment && rc == TT_OK; i++)
		rc = tt_proto_number(w->out, 13, w->comment_at + i, err);
	return rc == TT_OK ? tt_proto_number(w->out, 14, W_TIME, err) : rc;
}

int
tt_diff_profile(const struct tt_diff *d, const char *generator, struct tt_buf *out, struct tt_err *err)
{
	struct profile w = { .d = d, .out = out };
	struct tt_mem *mem = &d->env->mem;
	size_t nused = d->nmarker + (WORDS - W_REST);
	int rc;

	w.used = tt_mem_alloc(mem, nused * sizeof *w.used, err);
	rc = w.used ? put_all(&w, generator, err) : err->code;
	tt_buf_free(&w.part);
	tt_mem_free(mem, w.used, w.used ? nused * sizeof *w.used : 0);
	return rc;
}
