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

#include "emit/stack_ids.h"
#include "emit/common.h"
#include "emit/stacks.h"
#include "out/pprof_writer.h"

enum word {
	WORD_NONE, WORD_WALL, WORD_NANOSECONDS, WORD_CALLS, WORD_COUNT, WORD_ALLOC_SPACE, WORD_BYTES, WORD_ALLOC_OBJECTS,
	WORD_SAMPLES, WORD_THREAD, WORD_CATEGORY, WORD_CLASS, WORD_PROCESS, WORD_CUT, WORD_OUTSIDE, WORD_NATIVE, WORDS
};
static const char *const words[WORDS] = { "", "wall", "nanoseconds", "calls", "count", "alloc_space", "bytes",
	"alloc_objects", "samples", "thread", "category", "class", "process", "(outer frames left out)", "(outside all calls)",
	"(native)" };

/* The sample types, in the order of the values; types without recorded values are left out. */
static const struct type {
	enum word type, unit;
	enum tt_stack_kind kind;
	bool v;                       /* true: the value is v; false: n */
} types[] = {
	{ WORD_WALL, WORD_NANOSECONDS, TT_STACK_ZONE, true },
	{ WORD_CALLS, WORD_COUNT, TT_STACK_ZONE, false },
	{ WORD_ALLOC_SPACE, WORD_BYTES, TT_STACK_ALLOC, true },
	{ WORD_ALLOC_OBJECTS, WORD_COUNT, TT_STACK_ALLOC, false },
	{ WORD_SAMPLES, WORD_COUNT, TT_STACK_SAMPLE, false },
};
#define NTYPE (sizeof types / sizeof *types)

struct pprof {
	struct tt_out *out;
	const struct tt_model *m;
	struct tt_stacks stacks;
	struct tt_chain *chain;
	bool has[NTYPE];
	uint8_t *used;                /* by name: true if it is a frame of a sample */
	size_t depth;                 /* maximum number of frames of a stack */
	bool cut, outside, native;    /* true: a stack was cut; a stack of a call had no frame; a stack of a sample had no frame */
	uint64_t gpu;                 /* name of the GPU's thread, the outermost frame of its stacks; 0: no GPU */
	uint64_t name_at, category_at, process_at;    /* offsets in the string table */
	struct tt_buf title;
	struct tt_pprof to;
};

/* --- samples ----------------------------------------------------------------- */

/* Return the id of a name's location, which is also that of its function. The last four ids belong to no marker. */
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

static uint64_t
id_of_gpu(const struct pprof *w)
{
	return id_of_native(w) + 1;
}

/*
 * Choose the maximum number of frames of a stack: TT_PPROF_DEPTH, or fewer if all stacks together would exceed MAX_FRAMES. Each stack is written in full, so
 * many deep stacks, such as each call of an endless recursion, would turn a capture of kilobytes into a file of gigabytes.
 */
static int
choose_depth(struct pprof *w, struct tt_err *err)
{
	enum { MAX_FRAMES = 1 << 25 };
	const struct tt_stacks *s = &w->stacks;
	struct tt_mem *const mem = &w->m->env->mem;
	uint16_t *depth = tt_mem_alloc(mem, s->n * sizeof *depth, err);
	uint64_t at_least[TT_PPROF_DEPTH + 2] = { 0 }, all = 0;       /* by depth: number of stacks of that depth, later of at least that depth */

	if (!depth)
		return err->code;
	for (uint32_t i = 1; i < s->n; i++) {
		const uint32_t up = tt_stacks_up(s, i);
		depth[i] = (uint16_t)((up < i ? depth[up] : 0) + (tt_stacks_frame(s, i) ? 1 : 0));
		depth[i] = depth[i] < TT_PPROF_DEPTH ? depth[i] : TT_PPROF_DEPTH;
		if (tt_stacks_shown(s, i))
			at_least[depth[i]]++;
	}
	tt_mem_free(mem, depth, s->n * sizeof *depth);
	for (size_t d = TT_PPROF_DEPTH; d > 0; d--)
		at_least[d] += at_least[d + 1];
	for (w->depth = 0; w->depth < TT_PPROF_DEPTH && (all += at_least[w->depth + 1]) <= MAX_FRAMES;)
		w->depth++;
	return TT_OK;
}

/* Append the packed ids of a stack, innermost first. */
static void
add_stack(struct pprof *w, uint32_t node)
{
	const struct tt_thread *thread = tt_paths_thread(&w->stacks.paths, node);
	struct tt_chain_stack k = tt_chain_at(w->chain, node, w->used);
	bool native = tt_stacks_node(&w->stacks, node)->kind == TT_NODE_SAMPLES;
	char last[10];
	size_t n = 0;

	w->cut |= k.deeper;
	if (k.deeper)
		n = (size_t)(tt_put_varint(last, id_of_cut(w)) - last);
	/* pprof shows no entry for an empty stack, but adds its value to the total. */
	if (k.n == 0) {
		w->native |= native;
		w->outside |= !native;
		n = (size_t)(tt_put_varint(last, native ? id_of_native(w) : id_of_outside(w)) - last);
	}
	if (thread && tt_thread_is_gpu(thread)) {
		w->gpu = w->name_at + w->stacks.text[w->stacks.paths.root[node]];
		n = (size_t)(tt_put_varint(last, id_of_gpu(w)) - last);
	}
	tt_pprof_stack(&w->to, k.ids, k.n, last, n);
}

static void
add_values(struct pprof *w, uint32_t node)
{
	const struct tt_stack_value *v = &w->stacks.value[node];
	enum tt_stack_kind kind = tt_stacks_kind(&w->stacks, node);
	uint64_t value[NTYPE];
	size_t n = 0;

	for (size_t i = 0; i < NTYPE; i++)
		if (w->has[i])
			value[n++] = kind != types[i].kind ? 0 : types[i].v ? (uint64_t)v->v : v->n;
	tt_pprof_values(&w->to, value, n);
}

static void
add_labels(struct pprof *w, uint32_t node)
{
	const struct tt_stacks *s = &w->stacks;
	uint32_t root = s->paths.root[node], zone = tt_stacks_frame(s, node) ? node : tt_stacks_up(s, node);

	if (tt_stacks_thread(s, node))
		tt_pprof_label(&w->to, WORD_THREAD, w->name_at + s->text[root]);
	if (w->m->ncap > 1)
		tt_pprof_label(&w->to, WORD_PROCESS, w->process_at + tt_stacks_node(s, node)->process);
	zone = tt_paths_zone(&s->paths, zone);
	if (tt_stacks_frame(s, zone) && tt_stacks_name(s, zone))
		tt_pprof_label(&w->to, WORD_CATEGORY, w->category_at + tt_stacks_name(s, zone)->category);
	if (tt_stacks_kind(s, node) == TT_STACK_ALLOC)
		tt_pprof_label(&w->to, WORD_CLASS, w->name_at + s->text[node]);
}

static int
put_samples(struct pprof *w, struct tt_err *err)
{
	for (uint32_t i = 1; i < w->stacks.n; i++) {
		if (!tt_stacks_shown(&w->stacks, i))
			continue;
		if (i % 1024 == 0 && tt_stopped(w->m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		add_stack(w, i);
		add_values(w, i);
		add_labels(w, i);
		tt_pprof_sample(&w->to);
		tt_out_spill(w->out);
	}
	return TT_OK;
}

/* --- tables ------------------------------------------------------------------ */

static void
put_functions(struct pprof *w)
{
	for (size_t i = 0; i < w->stacks.nname; i++) {
		if (w->used[i])
			tt_pprof_function(&w->to, id_of(i), w->name_at + i);
		tt_out_spill(w->out);
	}
	if (w->cut)
		tt_pprof_function(&w->to, id_of_cut(w), WORD_CUT);
	if (w->outside)
		tt_pprof_function(&w->to, id_of_outside(w), WORD_OUTSIDE);
	if (w->native)
		tt_pprof_function(&w->to, id_of_native(w), WORD_NATIVE);
	if (w->gpu)
		tt_pprof_function(&w->to, id_of_gpu(w), w->gpu);
}

static void
put_capture_comments(struct tt_pprof *to, const struct tt_capture *cap)
{
	tt_pprof_comment(to, "capture: %s", cap->path);
	tt_pprof_comment(to, "format: %s, %s", cap->format, cap->version);
	if (*cap->args)
		tt_pprof_comment(to, "arguments: %s", cap->args);
	for (const struct tt_meta *m = cap->meta; m; m = m->next)
		tt_pprof_comment(to, "%s: %s", m->key, m->value);
}

/* Write where the data came from, and what was lost. */
static void
put_comments(struct pprof *w)
{
	const struct tt_loss *loss = w->m->loss;
	const char *caveat = tt_model_caveat(w->m);

	tt_pprof_comment(&w->to, "generator: %s", w->out->e.o.generator ? w->out->e.o.generator : "tracetool");
	for (size_t i = 0; i < w->m->ncap; i++)
		put_capture_comments(&w->to, w->m->cap[i]);
	if (caveat)
		tt_pprof_comment(&w->to, "%s", caveat);
	if (w->cut)
		tt_pprof_comment(&w->to, "stacks deeper than %zu frames lost their outermost ones", w->depth);
	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (loss->e[k].n)
			tt_pprof_comment(&w->to, "%s: %s (%" PRIu64 ", %" PRIu64 " bytes)",
			    tt_severity_name[tt_loss_info[k].severity], tt_loss_info_of(loss, k).text, loss->e[k].n,
			    loss->e[k].bytes);
}

static void
put_strings(struct pprof *w)
{
	const struct tt_stacks *s = &w->stacks;

	for (size_t i = 0; i < WORDS; i++)
		tt_pprof_text(&w->to, words[i]);
	for (size_t i = 0; i < s->nname; i++) {
		tt_pprof_text(&w->to, s->name[i]);
		tt_out_spill(w->out);
	}
	for (size_t i = 0; i < w->m->ncategory; i++)
		tt_pprof_text(&w->to, w->m->category[i].name);
	for (size_t i = 0; i < w->m->ncap; i++) {
		size_t n;
		const char *title = tt_capture_title(w->m->cap[i], &n);

		/* Several captures may have the same title. */
		w->title.n = 0;
		if (w->m->ncap > 1)
			tt_buf_printf(&w->title, "%zu ", i + 1);
		tt_buf_add(&w->title, title, n);
		tt_pprof_string(&w->to, w->title.p, w->title.n);
	}
	put_comments(w);
}

static void
put_facts(struct pprof *w)
{
	struct tt_buf *b = &w->out->buf;
	const struct tt_model *m = w->m;
	/* The value that viewers show first is the one that folded stacks count: the time of collections and waits only if there is nothing else. */
	const bool *has = w->stacks.has;

	tt_pprof_end(&w->to, w->stacks.calls ? WORD_WALL : has[TT_STACK_SAMPLE] ? WORD_SAMPLES :
	    has[TT_STACK_ALLOC] ? WORD_ALLOC_SPACE : WORD_WALL);
	if (m->ncap && m->cap[0]->wall_ns > 0)
		tt_proto_number(b, 9, (uint64_t)m->cap[0]->wall_ns);
	int64_t from = m->min_ts, to = m->max_ts, length = from < to ? tt_filter_clip(&m->filter, &from, &to) : 0;
	if (length > 0)
		tt_proto_number(b, 10, (uint64_t)length);
}

/* --- all ---------------------------------------------------------------------- */

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
	w->used = tt_mem_alloc(&w->m->env->mem, s->nname, err);
	if (!w->used)
		return err ? err->code : TT_E_NOMEM;
	if ((rc = choose_depth(w, err)) != TT_OK || (rc = tt_chain_new(s, w->depth, &w->chain, err)) != TT_OK || (rc = put_samples(w, err)) != TT_OK)
		return rc;
	for (size_t i = 0; i < NTYPE; i++)
		if (w->has[i])
			tt_pprof_type(&w->to, types[i].type, types[i].unit);
	tt_pprof_mapping(&w->to, w->m->ncap ? w->process_at : WORD_NONE);
	put_functions(w);
	put_strings(w);
	put_facts(w);
	rc = tt_buf_error(&w->title, err);
	return rc == TT_OK ? tt_out_error(w->out, err) : rc;
}

static int
pprof_finish(void *state, struct tt_err *err)
{
	const struct tt_model *m = ((struct tt_out *)state)->e.m;
	struct pprof w = { .out = state, .m = m };
	int rc = tt_stacks_init(&w.stacks, m, NULL, false, err);

	w.to.out = &w.out->buf;
	TT_THEN(rc, put_profile(&w, err));
	tt_mem_free(&m->env->mem, w.used, w.stacks.nname);
	tt_chain_free(w.chain);
	tt_stacks_free(&w.stacks);
	tt_pprof_free(&w.to);
	tt_buf_free(&w.title);
	return rc;
}

static const char *const suffixes[] = { ".pb", ".pprof", NULL };

const struct tt_emit tt_emit_pprof = {
	.name = "pprof",
	.summary = "pprof profile: calls, self time, allocations, samples (go tool pprof reads it, .gz or not)",
	.suffix = suffixes,
	.ledger = true,
	.binary = true,
	.needs = TT_NEEDS_CALLS,
	.state = sizeof(struct tt_out),
	.begin = tt_out_begin,
	.finish = pprof_finish,
	.end = tt_out_end,
};
