/**
 * Turns the paths of the call tree into stacks of names.
 *
 * A node's number is larger than its parent's, so one pass in order of number finds the stack of each node: its parent's stack is
 * already known.
 */
#include "emit/stacks.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/hash_seed.h"
#include "base/map.h"
#include "model/labels.h"

/* --- texts ---------------------------------------------------------------- */

/* State used only while the stacks are made. */
struct maker {
	struct tt_map texts;          /* number by original text */
	struct tt_map cleaned;        /* number by cleaned text */
	/* By number: the original text; the number of other texts that became equal when cleaned. */
	struct origin { const char *text; uint32_t nalike; } *origin;
	size_t caporigin;
	/* Node by parent, kind and text; 0: no node. Not a tt_map, which would take eight bytes a slot instead of four for millions of nodes. */
	uint32_t *place;
	size_t nplace;
	tt_stacks_clean *clean;
	bool by_thread;
	struct tt_label *full;        /* by row: full name; NULL with clean */
};

static uint32_t
find_cleaned(const struct tt_stacks *s, const struct maker *m, const char *name)
{
	return tt_map_find(&m->cleaned, tt_seeded_text(0, name, strlen(name)), i, strcmp(s->name[i], name) == 0);
}

/* Clean ${text}. If another text was cleaned to the same, append a number to keep them apart: "a:b #2". */
static int
clean_text(struct tt_stacks *s, struct maker *m, const char *text, const char **name, struct tt_err *err)
{
	const char *base = text;
	int rc = m->clean(s, text, &base, err);
	const uint32_t first = rc == TT_OK ? find_cleaned(s, m, base) : 0;

	*name = base;
	while (rc == TT_OK && find_cleaned(s, m, *name)) {
		*name = tt_arena_printf(&s->arena, err, "%s #%u", base, ++m->origin[first - 1].nalike + 1);
		rc = *name ? TT_OK : err->code;
	}
	return rc == TT_OK ? tt_map_add(&m->cleaned, &s->m->env->mem, tt_seeded_text(0, *name, strlen(*name)), s->nname, err) : rc;
}

/* Find the *${number} of a text, which must outlive the stacks. */
static int
number_text(struct tt_stacks *s, struct maker *m, const char *text, uint32_t *number, struct tt_err *err)
{
	struct tt_mem *mem = &s->m->env->mem;
	const uint64_t hash = tt_seeded_text(0, text, strlen(text));
	const uint32_t at = tt_map_find(&m->texts, hash, i, strcmp(m->origin[i].text, text) == 0);
	const char *name = text;
	int rc;

	*number = at ? at - 1 : (uint32_t)s->nname;
	if (at)
		return TT_OK;
	if ((rc = tt_mem_grow(mem, &s->name, &s->capname, s->nname + 1, sizeof *s->name, err)) != TT_OK)
		return rc;
	if (m->clean && (rc = clean_text(s, m, text, &name, err)) != TT_OK)
		return rc;
	if ((rc = tt_map_push(&m->texts, mem, hash, &m->origin, &m->caporigin, s->nname, err)) != TT_OK)
		return rc;
	m->origin[s->nname] = (struct origin){ .text = text };
	s->name[s->nname++] = name;
	return TT_OK;
}

/* --- nodes ---------------------------------------------------------------- */

static bool
is_root(const struct tt_node *n)
{
	return n->kind >= TT_NODE_THREAD;
}

/* True for a wrapper of the runtime, if wrappers are left out, and for the root of a recorded stack below a zone. */
static bool
is_hidden(const struct tt_stacks *s, uint32_t node)
{
	unsigned kind = tt_stacks_node(s, node)->kind;

	return (kind == TT_NODE_ZONE || kind == TT_NODE_STACKS) && s->paths.owner[node] != node;
}

static const char *
thread_name(const struct tt_model *m, const struct tt_node *n)
{
	return n->key < m->threads.n ? m->threads.t[n->key]->name : "(unknown thread)";
}

/* Make the full names of all rows. */
static int
name_in_full(struct tt_stacks *s, struct maker *m, struct tt_err *err)
{
	if (!(m->full = tt_mem_alloc(&s->m->env->mem, s->paths.nrow * sizeof *m->full, err)))
		return err->code;
	for (uint32_t i = 0; i < s->paths.nrow; i++)
		m->full[i].name = s->paths.row[i].name;
	return tt_labels_make_full(s->m, m->full, s->paths.nrow, &s->arena, err);
}

/* Set the text of a zone; it is found once per row. */
static int
set_frame(struct tt_stacks *s, struct maker *m, uint32_t node, struct tt_err *err)
{
	uint32_t row = tt_paths_row(&s->paths, node), number;
	int rc;

	if (row == TT_NO_ROW)
		return number_text(s, m, "(unknown)", &s->text[node], err);
	if (!s->row_text[row]) {
		const char *text = m->clean ? s->paths.row[row].label : m->full[row].text;

		rc = number_text(s, m, *text ? text : "(unnamed)", &number, err);
		if (rc != TT_OK)
			return rc;
		s->row_text[row] = number + 1;
	}
	s->text[node] = s->row_text[row] - 1;
	return TT_OK;
}

static int
set_text(struct tt_stacks *s, struct maker *m, uint32_t node, struct tt_err *err)
{
	const struct tt_node *n = tt_stacks_node(s, node);

	switch ((enum tt_node_kind)n->kind) {
	case TT_NODE_ZONE:
		return is_hidden(s, node) ? TT_OK : set_frame(s, m, node, err);
	case TT_NODE_ALLOC:
		return number_text(s, m, tt_model_class(s->m, n->process, n->key), &s->text[node], err);
	case TT_NODE_FRAMED:
		return TT_OK;
	default:
		return number_text(s, m, thread_name(s->m, n), &s->text[node], err);
	}
}

/*
 * Return the kind by which nodes are merged. Roots differ by process, other nodes by parent. Stacks recorded with allocations are merged with those of
 * calls; only samples are counted separately in the same place.
 */
static uint32_t
kind_of(const struct tt_node *n)
{
	uint32_t kind = n->kind == TT_NODE_STACKS ? TT_NODE_THREAD : n->kind;

	return kind | (is_root(n) ? (uint32_t)n->process << 8 : 0);
}

static bool
equal(const struct tt_stacks *s, const struct maker *m, uint32_t a, uint32_t b)
{
	const struct tt_node *x = tt_stacks_node(s, a), *y = tt_stacks_node(s, b);

	if (m->by_thread && is_root(x) && is_root(y) && x->key != y->key)
		return false;
	return s->text[a] == s->text[b] && kind_of(x) == kind_of(y) &&
	    tt_stacks_up(s, a) == tt_stacks_up(s, b);
}

/* Return the node that represents ${node}: an earlier node with the same place and text, or itself. */
static uint32_t
same_place(const struct tt_stacks *s, struct maker *m, uint32_t node)
{
	const struct tt_node *n = tt_stacks_node(s, node);
	const uint64_t place = (m->by_thread && is_root(n) ? n->key : (uint64_t)tt_stacks_up(s, node)) << 32 | s->text[node];
	size_t i = (size_t)tt_seeded_pair(kind_of(n), place) & (m->nplace - 1);

	while (m->place[i] && !equal(s, m, m->place[i], node))
		i = (i + 1) & (m->nplace - 1);
	if (!m->place[i])
		m->place[i] = node;
	return m->place[i];
}

enum tt_stack_kind
tt_stacks_kind(const struct tt_stacks *s, uint32_t node)
{
	const struct tt_node *n = tt_stacks_node(s, node);
	unsigned root = tt_stacks_node(s, s->paths.root[node])->kind;

	if (n->kind == TT_NODE_ALLOC)
		return TT_STACK_ALLOC;
	if (n->kind == TT_NODE_SAMPLES)
		return TT_STACK_SAMPLE;
	if (n->kind != TT_NODE_ZONE)
		return TT_STACK_NONE;
	return root == TT_NODE_SAMPLES ? TT_STACK_SAMPLE : TT_STACK_ZONE;
}

/* Add the counts of ${node} to those of the node that represents it. */
static void
add_value(struct tt_stacks *s, uint32_t node)
{
	struct tt_count c = tt_counts_get(s->m->counts, node);
	enum tt_stack_kind kind = tt_stacks_kind(s, node);
	struct tt_stack_value *v = &s->value[s->same[node]];

	if (kind == TT_STACK_NONE)
		return;
	/* A hidden zone adds its time, but no call, to the zone around it; a sample is always counted. */
	if (!is_hidden(s, node) || kind != TT_STACK_ZONE)
		v->n += c.n;
	v->v += kind == TT_STACK_ALLOC ? c.total : c.self;
	/* A zone that began before the filter's time has time, but is not counted. */
	const bool some = c.n > 0 || c.self > 0;
	s->has[kind] |= some;
	s->calls |= some && kind == TT_STACK_ZONE && tt_stacks_node(s, node)->key < TT_KEY_SPECIAL;
}

static int
place_nodes(struct tt_stacks *s, struct maker *m, struct tt_err *err)
{
	int rc = TT_OK;

	/* Node 0 is the root of the tree. */
	for (uint32_t i = 1; i < s->n && rc == TT_OK; i++) {
		rc = set_text(s, m, i, err);
		if (rc != TT_OK)
			break;
		s->same[i] = is_hidden(s, i) ? tt_stacks_up(s, i) : same_place(s, m, i);
		add_value(s, i);
	}
	return rc;
}

int
tt_stacks_init(struct tt_stacks *s, const struct tt_model *m, tt_stacks_clean *clean, bool by_thread, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	struct maker maker = { .nplace = 64, .clean = clean, .by_thread = by_thread };
	int rc;

	*s = (struct tt_stacks){ .m = m, .n = tt_tree_count(m->tree) };
	tt_arena_init(&s->arena, mem);
	rc = tt_paths_init(&s->paths, m, err);
	if (rc != TT_OK)
		return rc;
	s->same = tt_mem_alloc(mem, s->n * sizeof *s->same, err);
	s->text = tt_mem_alloc(mem, s->n * sizeof *s->text, err);
	s->value = tt_mem_alloc(mem, s->n * sizeof *s->value, err);
	s->row_text = tt_mem_alloc(mem, s->paths.nrow * sizeof *s->row_text, err);
	while (maker.nplace < 2 * (size_t)s->n)
		maker.nplace *= 2;
	maker.place = tt_mem_alloc(mem, maker.nplace * sizeof *maker.place, err);
	rc = s->same && s->text && s->value && s->row_text && maker.place ? TT_OK : err->code;
	if (rc == TT_OK && !clean)
		rc = name_in_full(s, &maker, err);
	TT_THEN(rc, place_nodes(s, &maker, err));
	tt_mem_free(mem, maker.full, maker.full ? s->paths.nrow * sizeof *maker.full : 0);
	tt_mem_free(mem, maker.place, maker.nplace * sizeof *maker.place);
	tt_mem_free(mem, maker.origin, maker.caporigin * sizeof *maker.origin);
	tt_map_free(&maker.texts, mem);
	tt_map_free(&maker.cleaned, mem);
	return rc;
}

void
tt_stacks_free(struct tt_stacks *s)
{
	struct tt_mem *mem;

	if (!s->m)
		return;
	mem = &s->m->env->mem;
	tt_mem_free(mem, s->same, s->n * sizeof *s->same);
	tt_mem_free(mem, s->text, s->n * sizeof *s->text);
	tt_mem_free(mem, s->value, s->n * sizeof *s->value);
	tt_mem_free(mem, s->name, s->capname * sizeof *s->name);
	tt_mem_free(mem, s->row_text, s->paths.nrow * sizeof *s->row_text);
	tt_arena_free(&s->arena);
	tt_paths_free(&s->paths);
	*s = (struct tt_stacks){ 0 };
}

const struct tt_name *
tt_stacks_name(const struct tt_stacks *s, uint32_t node)
{
	uint32_t row = tt_paths_row(&s->paths, node);

	return row == TT_NO_ROW ? NULL : s->paths.row[row].name;
}

/* True if the filters keep the frame at ${zone}. Allocations outside all zones have no marker. */
static bool
is_wanted(const struct tt_stacks *s, uint32_t zone)
{
	const struct tt_name *name = tt_stacks_frame(s, zone) ? tt_stacks_name(s, zone) : NULL;

	return name ? name->wanted : !s->m->filter.marker && !s->m->filter.category;
}

bool
tt_stacks_shown(const struct tt_stacks *s, uint32_t node)
{
	const struct tt_stack_value *v = &s->value[node];
	const enum tt_stack_kind kind = tt_stacks_kind(s, node);
	uint32_t zone = node;

	if (s->same[node] != node || kind == TT_STACK_NONE || (v->n == 0 && v->v == 0))
		return false;
	if (!tt_stacks_frame(s, node))
		zone = tt_stacks_up(s, node);
	/* An allocation with a recorded stack also belongs to its zone, as in tables. */
	return is_wanted(s, zone) || (kind == TT_STACK_ALLOC && is_wanted(s, tt_paths_zone(&s->paths, zone)));
}

const char *
tt_stacks_thread(const struct tt_stacks *s, uint32_t node)
{
	uint32_t root = s->paths.root[node];

	return is_root(tt_stacks_node(s, root)) ? s->name[s->text[root]] : NULL;
}
