/**
 * Prepares the call tree for passes: rows, labels, inherited properties.
 *
 * A node's number is larger than its parent's, so that one forward pass finds what each node inherits.
 */
#include "view/paths.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/brief.h"
#include "base/hash_seed.h"
#include "base/order.h"
#include "model/labels.h"
#include "model/names.h"
#include "model/waits.h"

static void *
array(struct tt_paths *p, size_t n, size_t elem, struct tt_err *err)
{
	return tt_mem_alloc(&p->m->env->mem, n * elem, err);
}

static void
drop(struct tt_paths *p, void *a, size_t n, size_t elem)
{
	tt_mem_free(&p->m->env->mem, a, n * elem);
}

void
tt_paths_free(struct tt_paths *p)
{
	if (!p->m)
		return;
	drop(p, p->row_of, p->nmarker, sizeof *p->row_of);
	drop(p, p->row, p->caprow, sizeof *p->row);
	drop(p, p->by_row, p->nmarker, sizeof *p->by_row);
	drop(p, p->owner, p->n, sizeof *p->owner);
	drop(p, p->root, p->n, sizeof *p->root);
	drop(p, p->path, p->path ? p->n : 0, sizeof *p->path);
	drop(p, p->child, p->n, sizeof *p->child);
	drop(p, p->sibling, p->n, sizeof *p->sibling);
	drop(p, p->line, p->n, sizeof *p->line);
	drop(p, p->site, p->n, sizeof *p->site);
	drop(p, p->waits, p->nrow, sizeof *p->waits);
	tt_arena_free(&p->text);
	*p = (struct tt_paths){ 0 };
}

/* --- rows --------------------------------------------------------------------- */

static int
by_marker(const void *a, const void *b, void *arg)
{
	const struct tt_model *m = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = tt_label_compare(&m->name[x], &m->name[y]);

	return c ? c : TT_CMP(x, y);
}

static void
make_rows(struct tt_paths *p)
{
	const struct tt_name *name = p->m->name;

	for (uint32_t i = 0; i < p->nmarker; i++) {
		uint32_t marker = p->by_row[i];

		if (i == 0 || tt_label_compare(&name[marker], &name[p->by_row[i - 1]]) != 0)
			p->row[p->nrow++] = (struct tt_row){ &name[marker], name[marker].shown, i, 0, name[marker].wanted };
		p->row[p->nrow - 1].n++;
		p->row_of[marker] = p->nrow - 1;
	}
}

static int
make_labels(struct tt_paths *p, struct tt_err *err)
{
	struct tt_label *v = array(p, p->nrow, sizeof *v, err);
	int rc;

	if (!v)
		return err->code;
	for (uint32_t i = 0; i < p->nrow; i++)
		v[i].name = p->row[i].name;
	rc = tt_labels_make(p->m, v, p->nrow, &p->text, err);
	for (uint32_t i = 0; i < p->nrow && rc == TT_OK; i++)
		p->row[i].label = v[i].text;
	drop(p, v, p->nrow, sizeof *v);
	return rc;
}

/* --- nodes -------------------------------------------------------------------- */

static bool
is_hidden(const struct tt_paths *p, const struct tt_node *n)
{
	return n->kind == TT_NODE_ZONE && n->marker < p->nmarker && p->m->name[n->marker].is_alloc_wrapper &&
	    !p->m->filter.wrappers;
}

static void
inherit(struct tt_paths *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		const struct tt_node *n = tt_paths_node(p, i);
		bool top = n->kind >= TT_NODE_THREAD || i == TT_NODE_MORE;

		p->root[i] = top ? i : p->root[n->parent];
		p->owner[i] = (top && n->parent == 0) || (n->kind == TT_NODE_ZONE && !is_hidden(p, n)) ? i : p->owner[n->parent];
	}
}

/* --- groups ------------------------------------------------------------------- */

/* Make two rows for each thread, wanted and not; and two more for paths without a thread. */
static void
thread_rows(struct tt_paths *p)
{
	const struct tt_model *m = p->m;

	p->nrow = p->caprow;
	for (uint32_t i = 0; i < p->nrow; i++)
		p->row[i] = (struct tt_row){ .label = i / 2 < m->threads.n ? m->threads.t[i / 2]->name : "(more paths)",
			.wanted = i % 2 == 0 };
	for (uint32_t i = 0; i < p->nmarker; i++)
		p->row_of[i] = !m->name[i].wanted;
}

struct grouped { const char *group; uint32_t marker; bool unwanted; };

static int
by_group(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;
	int c = strcmp(x->group, y->group);

	if (c == 0)
		c = x->unwanted - y->unwanted;
	return c ? c : TT_CMP(x->marker, y->marker);
}

static int
group_rows(struct tt_paths *p, struct tt_err *err)
{
	struct grouped *v = array(p, p->nmarker, sizeof *v, err);
	int rc = v ? TT_OK : err->code;

	for (uint32_t i = 0; i < p->nmarker && rc == TT_OK; i++) {
		v[i] = (struct grouped){ tt_group_marker(p->m, p->group, &p->m->name[i], &p->text, err), i, !p->m->name[i].wanted };
		rc = v[i].group ? TT_OK : err->code;
	}
	if (rc == TT_OK && p->nmarker)
		tt_sort(v, p->nmarker, by_group);
	for (uint32_t i = 0; i < p->nmarker && rc == TT_OK; i++) {
		struct tt_row *row;

		if (i == 0 || strcmp(v[i].group, v[i - 1].group) != 0) {
			p->row[p->nrow++] = (struct tt_row){ .label = v[i].group, .wanted = true };
			p->row[p->nrow++] = (struct tt_row){ .label = v[i].group };
		}
		p->row_of[v[i].marker] = p->nrow - 2 + v[i].unwanted;
		row = &p->row[p->row_of[v[i].marker]];
		if (row->n++ == 0) {
			row->first = i;
			row->name = &p->m->name[v[i].marker];
		}
		p->by_row[i] = v[i].marker;
	}
	drop(p, v, p->nmarker, sizeof *v);
	return rc;
}

static int
name_rows(struct tt_paths *p, struct tt_err *err)
{
	for (uint32_t i = 0; i < p->nmarker; i++)
		p->by_row[i] = i;
	tt_sort_by(p->by_row, p->nmarker, by_marker, p->m);
	make_rows(p);
	return make_labels(p, err);
}

int
tt_paths_init(struct tt_paths *p, const struct tt_model *m, struct tt_err *err)
{
	return tt_paths_init_by(p, m, TT_GROUP_NONE, err);
}

int
tt_paths_init_by(struct tt_paths *p, const struct tt_model *m, enum tt_group group, struct tt_err *err)
{
	*p = (struct tt_paths){ .m = m, .n = tt_tree_count(m->tree), .nmarker = (uint32_t)m->nname };
	p->group = group == TT_GROUP_DOMAIN ? TT_GROUP_NONE : group;
	p->caprow = p->group == TT_GROUP_THREAD ? 2 * ((uint32_t)m->threads.n + 1) : p->group ? 2 * p->nmarker : p->nmarker;
	tt_arena_init(&p->text, &m->env->mem);
	p->row_of = array(p, p->nmarker, sizeof *p->row_of, err);
	p->row = array(p, p->caprow, sizeof *p->row, err);
	p->by_row = array(p, p->nmarker, sizeof *p->by_row, err);
	p->owner = array(p, p->n, sizeof *p->owner, err);
	p->root = array(p, p->n, sizeof *p->root, err);
	if (!p->row_of || !p->row || !p->by_row || !p->owner || !p->root)
		return err->code;
	inherit(p);
	if (p->group == TT_GROUP_THREAD) {
		thread_rows(p);
		return TT_OK;
	}
	return p->group ? group_rows(p, err) : name_rows(p, err);
}

/*
 * The node that represents the path ${up} extended by a step of ${node}'s group: one found earlier, or ${node}. ${slot}: hash table of nodes by both, 0: empty.
 * It is not a tt_map, which would take eight bytes a slot instead of four, for millions of nodes.
 */
static uint32_t
joined(const struct tt_paths *p, uint32_t *slot, size_t mask, uint32_t up, uint32_t node)
{
	uint32_t group = tt_paths_row(p, node) / 2;
	size_t i;

	if (tt_paths_row(p, up) != TT_NO_ROW && tt_paths_row(p, up) / 2 == group)
		return up;
	i = tt_seeded_slot((uint64_t)up << 32 | group, mask + 1);
	for (; slot[i]; i = (i + 1) & mask) {
		uint32_t at = slot[i];
		if (p->path[p->owner[tt_paths_node(p, at)->parent]] == up && tt_paths_row(p, at) / 2 == group)
			return at;
	}
	slot[i] = node;
	return node;
}

/* Drop p->path after an error, as if it had never been requested. */
static int
no_path(struct tt_paths *p, const struct tt_err *err)
{
	drop(p, p->path, p->n, sizeof *p->path);
	p->path = NULL;
	return err->code;
}

/* Grouped by thread, the path of a node is its thread. */
static int
join_threads(struct tt_paths *p, struct tt_err *err)
{
	uint32_t *first = array(p, p->nrow, sizeof *first, err);

	for (uint32_t i = 0; i < p->n && first; i++) {
		uint32_t row = tt_paths_thread_row(p, i);
		if (first[row] == 0)
			first[row] = i;
		p->path[i] = first[row];
	}
	drop(p, first, first ? p->nrow : 0, sizeof *first);
	return first ? TT_OK : no_path(p, err);
}

int
tt_paths_join(struct tt_paths *p, struct tt_err *err)
{
	size_t nslot = 64;
	uint32_t *slot;

	if (p->path)
		return TT_OK;
	while (nslot < 2 * (size_t)p->n)
		nslot *= 2;
	p->path = array(p, p->n, sizeof *p->path, err);
	if (p->path && p->group == TT_GROUP_THREAD)
		return join_threads(p, err);
	slot = p->path ? array(p, nslot, sizeof *slot, err) : NULL;
	for (uint32_t i = 0; i < p->n && slot; i++) {
		uint32_t owner = p->owner[i];

		if (!p->group)
			p->path[i] = owner;
		else if (owner != i)
			p->path[i] = p->path[owner];
		else if (tt_paths_row(p, i) == TT_NO_ROW)
			p->path[i] = 0;       /* groups are joined across threads */
		else if (p->root[i] == i)
			p->path[i] = i;
		else
			p->path[i] = joined(p, slot, nslot - 1, p->path[p->owner[tt_paths_node(p, i)->parent]], i);
	}
	drop(p, slot, slot ? nslot : 0, sizeof *slot);
	if (!p->path)
		return err->code;
	return slot ? TT_OK : no_path(p, err);
}

const char *
tt_paths_label(const struct tt_paths *p, const struct tt_name *name)
{
	size_t at = tt_lower_bound(i, 0, p->nrow, tt_label_compare(p->row[i].name, name) < 0);

	return at < p->nrow && tt_label_compare(p->row[at].name, name) == 0 ? p->row[at].label : name->shown;
}

const struct tt_thread *
tt_paths_thread(const struct tt_paths *p, uint32_t node)
{
	const struct tt_node *root = tt_paths_node(p, p->root[node]);

	if (root->kind != TT_NODE_THREAD && root->kind != TT_NODE_SAMPLES && root->kind != TT_NODE_STACKS)
		return NULL;
	return root->key < p->m->threads.n ? p->m->threads.t[root->key] : NULL;
}

int
tt_paths_link(struct tt_paths *p, struct tt_err *err)
{
	if (p->sibling)
		return TT_OK;
	if (!p->child)
		p->child = array(p, p->n, sizeof *p->child, err);
	if (!p->line)
		p->line = p->child ? array(p, p->n, sizeof *p->line, err) : NULL;
	p->sibling = p->line ? array(p, p->n, sizeof *p->sibling, err) : NULL;
	if (!p->sibling)
		return err->code;
	for (uint32_t i = 0; i < p->n; i++)
		p->line[i] = tt_paths_timed(p, i) && tt_paths_shown(p, p->owner[i]) ? tt_paths_row(p, p->owner[i]) : TT_NO_ROW;
	/* From the end, so that siblings are linked in ascending order. */
	for (uint32_t i = p->n; i-- > 1;) {
		uint32_t parent = tt_paths_node(p, i)->parent;

		p->sibling[i] = p->child[parent];
		p->child[parent] = i;
	}
	return TT_OK;
}

int
tt_paths_waits(struct tt_paths *p, struct tt_err *err)
{
	if (p->waits)
		return TT_OK;
	p->waits = tt_mem_alloc(&p->m->env->mem, p->nrow * sizeof *p->waits, err);
	for (uint32_t i = 0; i < p->nrow && p->waits; i++)
		p->waits[i] = p->row[i].name && tt_waits_has(p->m, p->row[i].name);
	return p->waits ? TT_OK : err->code;
}

/* True if ${node} is an outermost zone that waits. Call for its parent first. */
static bool
begins_wait(const struct tt_paths *p, bool *in, uint32_t node)
{
	bool outside = !in[tt_paths_node(p, node)->parent];

	in[node] = !outside || p->waits[tt_paths_row(p, node)];
	return outside && in[node];
}

int
tt_paths_zone_time(const struct tt_paths *p, struct tt_zone_time *by_thread, struct tt_err *err)
{
	struct tt_mem *mem = &p->m->env->mem;
	bool *in = tt_mem_alloc(mem, p->n * sizeof *in, err);

	memset(by_thread, 0, p->m->threads.n * sizeof *by_thread);
	for (uint32_t i = 0; i < p->n && in; i++) {
		const struct tt_node *n = tt_paths_node(p, i);
		const struct tt_thread *thread = tt_paths_thread(p, i);
		struct tt_count c = tt_paths_count(p, i);
		if (n->kind == TT_NODE_ALLOC && thread) {
			by_thread[thread->index].allocs += c.n;
			by_thread[thread->index].bytes += c.total;
		}
		if (i == TT_NODE_MORE || !tt_paths_timed(p, i) || tt_paths_row(p, i) == TT_NO_ROW)
			continue;
		struct tt_zone_time *t = &by_thread[thread->index];
		int64_t total = c.total;
		t->calls += tt_paths_shown(p, i) && n->key < TT_KEY_SPECIAL ? c.n : 0;
		if (tt_paths_shown(p, i) && tt_paths_node(p, p->owner[n->parent])->kind == TT_NODE_THREAD)
			t->inside += total;
		if (begins_wait(p, in, i))
			t->waiting += total;
	}
	tt_mem_free(mem, in, p->n * sizeof *in);
	return in ? TT_OK : err->code;
}

/* True if the method belongs to the runtime's implementation of its caller's request. */
static bool
is_plumbing(const char *full)
{
	for (const char *const *begin = tt_plumbing; *begin; begin++)
		if (strncmp(full, *begin, strlen(*begin)) == 0)
			return true;
	return false;
}

int
tt_paths_sites(struct tt_paths *p, struct tt_err *err)
{
	if (p->site)
		return TT_OK;
	p->site = array(p, p->n, sizeof *p->site, err);
	if (!p->site)
		return err->code;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct tt_node *n = tt_paths_node(p, i);
		uint32_t row = i > 0 && n->kind < TT_NODE_THREAD ? tt_paths_row(p, i) : TT_NO_ROW;
		bool own = row != TT_NO_ROW && n->key < TT_KEY_SPECIAL && !is_plumbing(p->m->name[n->marker].full);

		if (i == 0 || n->kind >= TT_NODE_THREAD)
			p->site[i] = tt_paths_row_at(p, i);
		else    /* parents have the lower numbers */
			p->site[i] = own ? row : p->site[n->parent];
	}
	return TT_OK;
}

/* The node of the path step that contains ${node}. */
static uint32_t
step(const struct tt_paths *p, uint32_t node)
{
	return p->path ? p->path[node] : p->owner[node];
}

void
tt_paths_text(const struct tt_paths *p, uint32_t node, struct tt_buf *b)
{
	enum { ZONES = 64 };
	char room[TT_BRIEF_BYTES];
	uint32_t zone[ZONES];
	size_t n = 0;

	b->n = 0;
	if (p->group == TT_GROUP_THREAD) {
		tt_buf_text(b, p->row[tt_paths_thread_row(p, node)].label);
		return;
	}
	node = step(p, node);
	while (n < ZONES && tt_paths_row(p, node) != TT_NO_ROW) {
		zone[n++] = tt_paths_row(p, node);
		node = step(p, tt_paths_node(p, node)->parent);
	}
	if (tt_paths_row(p, node) != TT_NO_ROW)
		tt_buf_text(b, "… > ");
	else if (n == 0)
		tt_buf_text(b, TT_OUTSIDE);
	while (n-- > 0) {
		tt_buf_text(b, tt_brief_name(room, p->row[zone[n]].label));
		if (n > 0)
			tt_buf_text(b, " > ");
	}
}

bool
tt_walk_next(struct tt_walk *w)
{
	const struct tt_paths *p = w->p;

	if (!w->begun) {
		w->begun = true;
		w->node = 0;
		return p->n > 0;
	}
	if (!w->leave && p->child[w->node]) {
		w->node = p->child[w->node];
		return true;
	}
	if (!w->leave) {
		w->leave = true;
		return true;
	}
	if (w->node == 0)
		return false;
	w->leave = p->sibling[w->node] == 0;
	w->node = w->leave ? tt_paths_node(p, w->node)->parent : p->sibling[w->node];
	return true;
}
