/**
 * Counts keys without a definition.
 */
#include "run/unnamed.h"

#include "base/env.h"
#include "base/err.h"
#include "base/hash_seed.h"
#include "collect/counters.h"
#include "model/defs.h"
#include "model/model.h"
#include "run/state.h"

void
tt_unnamed_begin(struct tt_run *r)
{
	r->unnamed.n = 0;
	tt_map_clear(&r->unnamed.at);
}

void
tt_unnamed_free(struct tt_run *r)
{
	tt_mem_free(&r->env->mem, r->unnamed.key, r->unnamed.cap * sizeof *r->unnamed.key);
	tt_map_free(&r->unnamed.at, &r->env->mem);
}

static bool
is_defined(const struct tt_capture *c, uint64_t key)
{
	return tt_defs_find(c->defs, TT_DEF_MARKER, key, INT64_MAX) != NULL;
}

static struct tt_unnamed_key *
find(const struct tt_unnamed *u, uint32_t process, uint64_t key)
{
	const uint32_t at = tt_map_find(&u->at, tt_seeded_pair(process, key), i, u->key[i].key == key && u->key[i].process == process);

	return at ? &u->key[at - 1] : NULL;
}

/* Keep the marker ${key} if it is not defined so far. */
static int
take_key(struct tt_run *r, const struct tt_capture *c, uint64_t key, struct tt_err *err)
{
	struct tt_unnamed *u = &r->unnamed;

	if (key >= TT_KEY_SPECIAL || is_defined(c, key) || find(u, c->process, key))
		return TT_OK;
	if (tt_map_push(&u->at, &r->env->mem, tt_seeded_pair(c->process, key), &u->key, &u->cap, u->n, err) != TT_OK)
		return err->code;
	u->key[u->n++] = (struct tt_unnamed_key){ .key = key, .process = c->process };
	return TT_OK;
}

int
tt_unnamed_batch(struct tt_run *r, const struct tt_capture *c, const struct tt_batch *b, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0, n = tt_batch_nrare(b, TT_KIND(TT_INSTANT)); i < n && rc == TT_OK; i++)
		if (b->ev[b->rare[i]].kind == TT_INSTANT)
			rc = take_key(r, c, b->ev[b->rare[i]].val, err);
	for (size_t i = 0; i < b->nstray && rc == TT_OK; i++)
		if (b->stray[i].kind == TT_STRAY_END || b->stray[i].kind == TT_STRAY_END_ALONE)
			rc = take_key(r, c, b->stray[i].key, err);
	return rc;
}

/* Count undefined markers of zones, then those of instants and of ends without a begin. */
static uint64_t
count_markers(struct tt_run *r)
{
	const struct tt_model *m = r->m;
	uint64_t n = 0;

	for (uint32_t i = 0; i < tt_tree_markers(m->tree) && i < m->nname; i++) {
		const struct tt_marker *k = tt_tree_marker(m->tree, i);
		if (m->name[i].is_defined || k->key >= TT_KEY_SPECIAL)
			continue;
		struct tt_unnamed_key *too = find(&r->unnamed, k->process, k->key);
		if (too)
			too->counted = true;
		n++;
		m->cap[k->process]->undefined |= m->cap[k->process]->unless_named;
	}
	for (size_t i = 0; i < r->unnamed.n; i++) {
		const struct tt_unnamed_key *k = &r->unnamed.key[i];
		struct tt_capture *c = m->cap[k->process];
		if (k->counted || is_defined(c, k->key))
			continue;
		n++;
		c->undefined |= c->unless_named;
	}
	return n;
}

int
tt_unnamed_count(struct tt_run *r, struct tt_err *err)
{
	const struct tt_model *m = r->m;
	uint64_t n = count_markers(r);

	(void)err;
	for (uint32_t i = 0; i < tt_tree_count(m->tree); i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);
		n += node->kind == TT_NODE_ALLOC && !tt_defs_class(m->cap[node->process]->defs, node->key, INT64_MAX);
	}
	for (size_t i = 0; i < tt_counters(m)->n; i++)
		n += !tt_counters(m)->counter[i].def;
	if (n)
		tt_loss_add(m->loss, TT_LOST_NAMES, n, 0, TT_NOWHERE);
	return TT_OK;
}
