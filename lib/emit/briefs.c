/**
 * Lists the names that are too long to be written with every event.
 */
#include "emit/briefs.h"

#include <stdint.h>
#include <string.h>

#include "base/brief.h"
#include "base/hash_seed.h"
#include "emit/common.h"
#include "model/defs.h"

static uint32_t
find_name(const struct tt_briefs *b, const char *s)
{
	return tt_map_find(&b->at, tt_seeded_mix(0, (uintptr_t)s), i, b->name[i].whole == s);
}

/* List ${s}, if it is long; NULL is no name. */
static int
add_name(struct tt_briefs *b, struct tt_mem *mem, const char *s, struct tt_err *err)
{
	char room[TT_BRIEF_BYTES];
	const char *brief = s ? tt_brief_name(room, s) : s;
	int rc;

	if (brief == s || find_name(b, s))
		return TT_OK;
	if ((rc = tt_map_push(&b->at, mem, tt_seeded_mix(0, (uintptr_t)s), &b->name, &b->cap, b->n, err)) != TT_OK)
		return rc;
	b->name[b->n++] = (struct tt_brief_name){ s, s };
	brief = tt_arena_text(&b->text, room, strlen(room), err);
	if (!brief)
		return err->code;
	b->name[b->n - 1].brief = brief;
	return TT_OK;
}

/* List the texts of the definitions of ${kind}. */
static int
add_definitions(struct tt_briefs *b, const struct tt_model *m, enum tt_def_kind kind, struct tt_err *err)
{
	const struct tt_def *d;
	int rc = TT_OK;

	for (uint32_t p = 0; p < m->ncap; p++)
		for (size_t i = 0; m->cap[p]->defs && rc == TT_OK && (d = tt_defs_at(m->cap[p]->defs, kind, i)); i++) {
			rc = d->len > TT_BRIEF_MAX ? add_name(b, &m->env->mem, d->text, err) : TT_OK;
			if (d->len2 > TT_BRIEF_MAX)
				TT_THEN(rc, add_name(b, &m->env->mem, d->text2, err));
		}
	return rc;
}

int
tt_briefs_make(struct tt_briefs *b, const struct tt_model *m, struct tt_err *err)
{
	const struct tt_name *name;
	int rc = TT_OK;

	for (size_t i = 0; m->keys && rc == TT_OK && (name = tt_model_name_at(m, i)); i++)
		rc = add_name(b, &m->env->mem, tt_emit_marker(name), err);
	for (size_t i = 0; i < m->ncategory && rc == TT_OK; i++)
		rc = add_name(b, &m->env->mem, m->category[i].name, err);
	TT_THEN(rc, add_definitions(b, m, TT_DEF_CLASS, err));
	TT_THEN(rc, add_definitions(b, m, TT_DEF_COUNTER, err));
	return rc;
}

void
tt_briefs_free(struct tt_briefs *b, struct tt_mem *mem)
{
	tt_mem_free(mem, b->name, b->cap * sizeof *b->name);
	tt_map_free(&b->at, mem);
	tt_arena_free(&b->text);
}

static void
note_cut(const struct tt_emitting *e)
{
	if (!atomic_load_explicit(&e->briefs->used, memory_order_relaxed))
		atomic_store_explicit(&e->briefs->used, 1, memory_order_relaxed);
}

const char *
tt_emit_brief(const struct tt_emitting *e, const char *s)
{
	const uint32_t at = e->briefs->n ? find_name(e->briefs, s) : 0;

	if (!at)
		return s;
	note_cut(e);
	return e->briefs->name[at - 1].brief;
}

const char *
tt_emit_brief_in(const struct tt_emitting *e, char *room, const char *s)
{
	const char *brief = tt_brief_name(room, s);

	if (brief != s)
		note_cut(e);
	return brief;
}

void
tt_briefs_tell(const struct tt_emitting *e)
{
	if (e->briefs->used)
		tt_log(e->env, TT_LOG_NORMAL, "%s: names of more than %d bytes are cut, and end in a number of their own; tables have them whole",
		    e->emit->name, TT_BRIEF_MAX);
}
