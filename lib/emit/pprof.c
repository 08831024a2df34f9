/**
 * pprof: the call tree as a profile.proto (github.com/google/pprof, proto/profile.proto).
 *
 * One sample per stack and, for allocations, per class. Samples are written first, the tables they refer
 * to last, so nothing but the tree is held in memory. The order of string_table is fixed before:
 * the words below, names (of zones, classes and threads), categories, programs, comments.
 *
 * system_name stays 0: pprof takes a name that equals it for one of C++ and cuts it.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/proto.h"
#include "emit/stack_ids.h"
#include "emit/common.h"

enum word {
	WORD_NONE, WORD_WALL, WORD_NANOSECONDS, WORD_CALLS, WORD_COUNT, WORD_ALLOC_SPACE, WORD_BYTES, WORD_ALLOC_OBJECTS,
	WORD_SAMPLES, WORD_THREAD, WORD_CATEGORY, WORD_CLASS, WORD_PROCESS, WORD_CUT, WORD_OUTSIDE, WORD_NATIVE, WORDS
};
static const char *const words[WORDS] = { "", "wall", "nanoseconds", "calls", "count", "alloc_space", "bytes",
	"alloc_objects", "samples", "thread", "category", "class", "process", "(outer frames left out)", "(outside all calls)",
	"(native)" };

/* The sample types, in the order of the values; those that nothing was recorded for are left out. */
static const struct type {
	enum word type, unit;
	enum tt_stack_kind kind;
	bool v;                       /* the value is v, else n */
} types[] = {
	{ WORD_WALL, WORD_NANOSECONDS, TT_STACK_ZONE, true },
	{ WORD_CALLS, WORD_COUNT, TT_STACK_ZONE, false },
	{ WORD_ALLOC_SPACE, WORD_BYTES, TT_STACK_ALLOC, true },
	{ WORD_ALLOC_OBJECTS, WORD_COUNT, TT_STACK_ALLOC, false },
	{ WORD_SAMPLES, WORD_COUNT, TT_STACK_SAMPLE, false },
};
#define NTYPE (sizeof types / sizeof *types)

struct pprof {
	struct tt_emit_opts o;
	struct tt_env *env;
	struct tt_out out;
	/* while it is written */
	const struct tt_model *m;
	struct tt_stacks stacks;
	struct tt_chain *chain;
	bool has[NTYPE];
	uint8_t *used;                /* names that are a frame of a sample */
	bool cut, outside, native;    /* a stack was cut; one had no frame at all, of a call or of a sample */
	uint64_t name_at, category_at, process_at, comment_at;        /* places in the string table */
	uint64_t ncomment;
	struct tt_buf part;           /* one message */
};

/* --- wire format ------------------------------------------------------------ */

/* Append the message gathered in ${w}->part as a field of the profile, and begin anew. */
static int
end_part(struct pprof *w, unsigned field, struct tt_err *err)
{
	int rc = tt_proto_bytes(&w->out.buf, field, w->part.p, w->part.n, err);

	w->part.n = 0;
	return rc == TT_OK ? tt_out_spill(&w->out, err) : rc;
}

/* A message of up to 4 numbers, fields 1 to ${n}. */
static int
put_numbers(struct pprof *w, unsigned field, unsigned n, const uint64_t *v, struct tt_err *err)
{
	int rc = TT_OK;

	for (unsigned i = 0; i < n && rc == TT_OK; i++)
		rc = tt_proto_number(&w->part, i + 1, v[i], err);
	return rc == TT_OK ? end_part(w, field, err) : rc;
}

/* --- samples (Sample: 1 location_id*, 2 value*, 3 label*) -------------------- */

/* Location and function of a name; the two are numbered alike. The last three are for stacks without a name. */
static uint64_t
id_of(uint64_t name)
{
	return name + 1;
}

static uint64_t
id_of_cut(const struct pprof *w)
{
	return id_of(w->stacks.nname);
}

static uint64_t
id_of_outside(const struct pprof *w)
{
	return id_of_cut(w) + 1;
}

static uint64_t
id_of_native(const struct pprof *w)
{
	return id_of_outside(w) + 1;
}

/* The ids of a stack, innermost first, packed. */
static int
add_stack(struct pprof *w, uint32_t node, struct tt_err *err)
{
	struct tt_chain_stack k = tt_chain_at(w->chain, node, w->used);
	bool native = tt_stacks_node(&w->stacks, node)->kind == TT_NODE_SAMPLES;
	char last[10];
	size_t n = 0;
	int rc;

	w->cut |= k.deeper;
	if (k.deeper)
		n = (size_t)(tt_put_varint(last, id_of_cut(w)) - last);
	/* pprof lists nothing for an empty stack, but counts it to the total. */
	if (k.n == 0) {
		w->native |= native;
		w->outside |= !native;
		n = (size_t)(tt_put_varint(last, native ? id_of_native(w) : id_of_outside(w)) - last);
	}
	rc = tt_proto_head(&w->part, 1, k.n + n, err);
	if (rc == TT_OK)
		rc = tt_buf_add(&w->part, k.ids, k.n, err);
	return rc == TT_OK && n ? tt_buf_add(&w->part, last, n, err) : rc;
}

static int
add_values(struct pprof *w, uint32_t node, struct tt_err *err)
{
	const struct tt_stack_value *v = &w->stacks.value[node];
	enum tt_stack_kind kind = tt_stacks_kind(&w->stacks, node);
	char packed[10 * NTYPE], *p = packed;

	for (size_t i = 0; i < NTYPE; i++)
		if (w->has[i])
			p = tt_put_varint(p, kind != types[i].kind ? 0 : types[i].v ? (uint64_t)v->v : v->n);
	return tt_proto_bytes(&w->part, 2, packed, (size_t)(p - packed), err);
}

/* Label: 1 key, 2 str. */
static int
add_label(struct pprof *w, enum word key, uint64_t text, struct tt_err *err)
{
	char label[24], *p = label;

	*p++ = 1 << 3 | TT_WIRE_VARINT;
	p = tt_put_varint(p, key);
	*p++ = 2 << 3 | TT_WIRE_VARINT;
	p = tt_put_varint(p, text);
	return tt_proto_bytes(&w->part, 3, label, (size_t)(p - label), err);
}

static int
add_labels(struct pprof *w, uint32_t node, struct tt_err *err)
{
	const struct tt_stacks *s = &w->stacks;
	uint32_t root = s->paths.root[node], zone = tt_stacks_frame(s, node) ? node : tt_stacks_up(s, node);
	int rc = TT_OK;

	if (tt_stacks_thread(s, node))
		rc = add_label(w, WORD_THREAD, w->name_at + s->text[root], err);
	if (rc == TT_OK && w->m->ncap > 1)
		rc = add_label(w, WORD_PROCESS, w->process_at + tt_stacks_node(s, node)->process, err);
	if (rc == TT_OK && tt_stacks_frame(s, zone) && tt_stacks_name(s, zone))
		rc = add_label(w, WORD_CATEGORY, w->category_at + tt_stacks_name(s, zone)->category, err);
	if (rc == TT_OK && tt_stacks_kind(s, node) == TT_STACK_ALLOC)
		rc = add_label(w, WORD_CLASS, w->name_at + s->text[node], err);
	return rc;
}

static int
put_samples(struct pprof *w, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t i = 1; i < w->stacks.n && rc == TT_OK; i++) {
		if (!tt_stacks_shown(&w->stacks, i))
			continue;
		if (i % 1024 == 0 && tt_stopped(w->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if ((rc = add_stack(w, i, err)) != TT_OK || (rc = add_values(w, i, err)) != TT_OK ||
		    (rc = add_labels(w, i, err)) != TT_OK)
			return rc;
		rc = end_part(w, 2, err);
	}
	return rc;
}

/* --- tables ------------------------------------------------------------------ */

/* Mapping 1, location and function ${id} of the name at ${text}. */
static int
put_function(struct pprof *w, uint64_t id, uint64_t text, struct tt_err *err)
{
	char line[12];
	size_t n = (size_t)(tt_put_varint(line + 1, id) - line);
	int rc;

	/* Location: 1 id, 2 mapping_id, 4 line*; Line: 1 function_id. */
	line[0] = 1 << 3 | TT_WIRE_VARINT;
	if ((rc = tt_proto_number(&w->part, 1, id, err)) != TT_OK || (rc = tt_proto_number(&w->part, 2, 1, err)) != TT_OK ||
	    (rc = tt_proto_bytes(&w->part, 4, line, n, err)) != TT_OK || (rc = end_part(w, 4, err)) != TT_OK)
		return rc;
	/* Function: 1 id, 2 name. */
	return put_numbers(w, 5, 2, (const uint64_t[]){ id, text }, err);
}

static int
put_functions(struct pprof *w, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < w->stacks.nname && rc == TT_OK; i++)
		if (w->used[i])
			rc = put_function(w, id_of(i), w->name_at + i, err);
	if (rc == TT_OK && w->cut)
		rc = put_function(w, id_of_cut(w), WORD_CUT, err);
	if (rc == TT_OK && w->outside)
		rc = put_function(w, id_of_outside(w), WORD_OUTSIDE, err);
	if (rc == TT_OK && w->native)
		rc = put_function(w, id_of_native(w), WORD_NATIVE, err);
	return rc;
}

/* Mapping: 1 id, 5 filename, 7 has_functions: so pprof has no reason to look for symbols. */
static int
put_mapping(struct pprof *w, struct tt_err *err)
{
	int rc;

	if ((rc = tt_proto_number(&w->part, 1, 1, err)) != TT_OK ||
	    (rc = tt_proto_number(&w->part, 5, w->m->ncap ? w->process_at : WORD_NONE, err)) != TT_OK ||
	    (rc = tt_proto_number(&w->part, 7, 1, err)) != TT_OK)
		return rc;
	return end_part(w, 3, err);
}

static int
put_string(struct pprof *w, const char *s, size_t n, struct tt_err *err)
{
	int rc;

	if (n > SIZE_MAX / 4)
		return tt_nomem(err);
	rc = tt_buf_room(&w->part, 3 * n, err);
	if (rc != TT_OK)
		return rc;
	w->part.n = (size_t)(tt_utf8_clean(w->part.p, s, n) - w->part.p);
	return end_part(w, 6, err);
}

static int
put_text(struct pprof *w, const char *s, struct tt_err *err)
{
	return put_string(w, s, strlen(s), err);
}

static int
comment(struct pprof *w, struct tt_err *err, const char *fmt, ...) TT_PRINTF(3, 4);

static int
comment(struct pprof *w, struct tt_err *err, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	w->ncomment++;
	return put_text(w, text, err);
}

static int
put_capture_comments(struct pprof *w, const struct tt_capture *cap, struct tt_err *err)
{
	int rc = comment(w, err, "capture: %s", cap->path);

	if (rc == TT_OK)
		rc = comment(w, err, "format: %s, %s", cap->format, cap->version);
	if (rc == TT_OK && *cap->args)
		rc = comment(w, err, "arguments: %s", cap->args);
	for (const struct tt_meta *m = cap->meta; m && rc == TT_OK; m = m->next)
		rc = comment(w, err, "%s: %s", m->key, m->value);
	return rc;
}

/* Where it is from, and what is missing. Written as strings; put_facts() makes comments of them. */
static int
put_comments(struct pprof *w, struct tt_err *err)
{
	const struct tt_loss *loss = w->m->loss;
	const char *caveat = tt_model_caveat(w->m);
	int rc = comment(w, err, "generator: %s", w->o.generator ? w->o.generator : "tracetool");

	for (size_t i = 0; i < w->m->ncap && rc == TT_OK; i++)
		rc = put_capture_comments(w, w->m->cap[i], err);
	if (rc == TT_OK && caveat)
		rc = comment(w, err, "%s", caveat);
	if (rc == TT_OK && w->cut)
		rc = comment(w, err, "stacks deeper than %d frames lost their outermost ones", TT_CHAIN_DEPTH);
	for (unsigned k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++)
		if (loss->e[k].n)
			rc = comment(w, err, "%s: %s (%" PRIu64 ", %" PRIu64 " bytes)",
			    tt_severity_name[tt_loss_info[k].severity], tt_loss_info[k].text, loss->e[k].n,
			    loss->e[k].bytes);
	return rc;
}

static int
put_strings(struct pprof *w, struct tt_err *err)
{
	const struct tt_stacks *s = &w->stacks;
	int rc = TT_OK;

	for (size_t i = 0; i < WORDS && rc == TT_OK; i++)
		rc = put_text(w, words[i], err);
	for (size_t i = 0; i < s->nname && rc == TT_OK; i++)
		rc = put_text(w, s->name[i], err);
	for (size_t i = 0; i < w->m->ncategory && rc == TT_OK; i++)
		rc = put_text(w, w->m->category[i].name, err);
	for (size_t i = 0; i < w->m->ncap && rc == TT_OK; i++) {
		size_t n;
		const char *title = tt_capture_title(w->m->cap[i], &n);

		rc = put_string(w, title, n, err);
	}
	return rc == TT_OK ? put_comments(w, err) : rc;
}

static int
put_facts(struct pprof *w, struct tt_err *err)
{
	struct tt_buf *b = &w->out.buf;
	const struct tt_model *m = w->m;
	/* What a viewer shows first, and folded stacks count: time of collections and waits only where there is nothing else. */
	const bool *has = w->stacks.has;
	enum word shown = w->stacks.calls ? WORD_WALL : has[TT_STACK_SAMPLE] ? WORD_SAMPLES : has[TT_STACK_ALLOC] ? WORD_ALLOC_SPACE :
	    WORD_WALL;
	int rc = TT_OK;

	for (uint64_t i = 0; i < w->ncomment && rc == TT_OK; i++)
		rc = tt_proto_number(b, 13, w->comment_at + i, err);
	if (rc == TT_OK)
		rc = tt_proto_number(b, 14, shown, err);
	if (rc == TT_OK && m->ncap && m->cap[0]->wall_ns > 0)
		rc = tt_proto_number(b, 9, (uint64_t)m->cap[0]->wall_ns, err);
	if (rc == TT_OK && m->max_ts > m->min_ts)
		rc = tt_proto_number(b, 10, ((uint64_t)m->max_ts - (uint64_t)m->min_ts) & INT64_MAX, err);
	return rc;
}

/* --- all ---------------------------------------------------------------------- */

static int
put_types(struct pprof *w, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < NTYPE && rc == TT_OK; i++)
		if (w->has[i])
			rc = put_numbers(w, 1, 2, (const uint64_t[]){ types[i].type, types[i].unit }, err);
	return rc;
}

static int
put_profile(struct pprof *w, struct tt_err *err)
{
	const struct tt_stacks *s = &w->stacks;
	bool any = s->has[TT_STACK_ZONE] || s->has[TT_STACK_SAMPLE] || s->has[TT_STACK_ALLOC];
	int rc;

	for (size_t i = 0; i < NTYPE; i++)
		w->has[i] = s->has[types[i].kind] || (!any && types[i].kind == TT_STACK_ZONE);
	w->name_at = WORDS;
	w->category_at = w->name_at + s->nname;
	w->process_at = w->category_at + w->m->ncategory;
	w->comment_at = w->process_at + w->m->ncap;
	w->used = tt_mem_alloc(&w->env->mem, s->nname, err);
	if (!w->used)
		return err ? err->code : TT_E_NOMEM;
	rc = tt_chain_new(s, &w->chain, err);
	if (rc != TT_OK)
		return rc;
	if ((rc = put_samples(w, err)) != TT_OK || (rc = put_types(w, err)) != TT_OK ||
	    (rc = put_mapping(w, err)) != TT_OK || (rc = put_functions(w, err)) != TT_OK ||
	    (rc = put_strings(w, err)) != TT_OK || (rc = put_facts(w, err)) != TT_OK)
		return rc;
	return tt_out_flush(&w->out, err);
}

static void
let_go(struct pprof *w)
{
	tt_mem_free(&w->env->mem, w->used, w->stacks.nname);
	w->used = NULL;
	tt_chain_free(w->chain);
	w->chain = NULL;
	tt_stacks_free(&w->stacks);
	tt_buf_free(&w->part);
	tt_buf_free(&w->out.buf);
}

static int
pprof_finish(void *state, const struct tt_model *m, struct tt_err *err)
{
	struct pprof *w = state;
	int rc;

	w->m = m;
	rc = tt_stacks_init(&w->stacks, m, NULL, err);
	if (rc == TT_OK)
		rc = put_profile(w, err);
	let_go(w);
	return rc;
}

static void
pprof_end(void *state)
{
	struct pprof *w = state;

	if (!w)
		return;
	let_go(w);
	tt_sink_abort(w->out.sink);
	tt_mem_free(&w->env->mem, w, sizeof *w);
}

static int
pprof_begin(const struct tt_emit_opts *o, const struct tt_model *m, void **state, struct tt_err *err)
{
	struct pprof *w = tt_mem_alloc(&o->env->mem, sizeof *w, err);
	int rc;

	(void)m;
	*state = NULL;
	if (!w)
		return err ? err->code : TT_E_NOMEM;
	w->o = *o;
	w->env = o->env;
	rc = tt_emit_open(o, o->path, &w->out.sink, err);
	if (rc != TT_OK) {
		pprof_end(w);
		return rc;
	}
	*state = w;
	return TT_OK;
}

static int
pprof_commit(void *state, struct tt_err *err)
{
	struct pprof *w = state;
	struct tt_sink *sink = w->out.sink;

	w->out.sink = NULL;
	return tt_sink_commit(sink, err);
}

static const char *const suffixes[] = { ".pb", ".pprof", NULL };

const struct tt_emit tt_emit_pprof = {
	.name = "pprof",
	.summary = "pprof profile: calls, self time, allocations, samples (go tool pprof reads it, .gz or not)",
	.suffix = suffixes,
	.needs = TT_NEEDS_CALLS,
	.begin = pprof_begin,
	.finish = pprof_finish,
	.commit = pprof_commit,
	.end = pprof_end,
};
