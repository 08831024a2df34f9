/**
 * SQLite: the numbers of markers, classes and stacks.
 */
#include <string.h>

#include "base/hash_seed.h"
#include "emit/common.h"
#include "emit/sqlite.h"

enum { MAX_STACKS = 1 << 22 };

/* --- numbers of names ------------------------------------------------------------------ */

/* Pass an error of memory to the database. Return 0. */
static uint32_t
no_memory(struct sqlite_db *s, const struct tt_err *err)
{
	tt_db_fail(s->db, err);
	return 0;
}

uint32_t
tt_sqlite_marker(struct sqlite_db *s, const char *name, const char *full, uint32_t category)
{
	const uint64_t hash = tt_seeded_text(category, full, strlen(full));
	uint32_t i = tt_map_find(&s->markers, hash, k, s->marker[k].category == category && strcmp(s->marker[k].full, full) == 0);
	struct tt_err err = { 0 };

	if (i)
		return i;
	if (tt_map_push(&s->markers, &s->e.env->mem, hash, &s->marker, &s->capmarker, s->nmarker, &err) != TT_OK)
		return no_memory(s, &err);
	s->marker[s->nmarker++] = (struct sqlite_marker){ .name = name, .full = full, .category = category };
	return (uint32_t)s->nmarker;
}

uint32_t
tt_sqlite_own_marker(struct sqlite_db *s, const char *text, size_t n, uint32_t category)
{
	struct tt_err err = { 0 };
	const char *own = tt_arena_text(&s->text, text, n, &err);

	return own ? tt_sqlite_marker(s, own, own, category) : no_memory(s, &err);
}

static uint32_t
class_number(struct sqlite_db *s, const char *name)
{
	const uint64_t hash = tt_seeded_text(0, name, strlen(name));
	uint32_t i = tt_map_find(&s->classes, hash, k, strcmp(s->class[k].name, name) == 0);
	struct tt_err err = { 0 };
	const char *own;

	if (i)
		return i;
	if (!(own = tt_arena_text(&s->text, name, strlen(name), &err)) ||
	    tt_map_push(&s->classes, &s->e.env->mem, hash, &s->class, &s->capclass, s->nclass, &err) != TT_OK)
		return no_memory(s, &err);
	s->class[s->nclass++] = (struct sqlite_class){ .name = own };
	return (uint32_t)s->nclass;
}

/* Make the piece of a zone: its number. A marker that nothing defines has number 0, for which workers write a note. */
static void
zone_piece(const void *arg, const struct tt_name *name, uint64_t key, struct tt_buf *b)
{
	struct sqlite_db *s = (struct sqlite_db *)(uintptr_t)arg;
	uint32_t number = s->making ? tt_sqlite_marker(s, tt_emit_marker(name), name->full, name->category) : 0;

	(void)key;
	tt_buf_add(b, &number, sizeof number);
}

static void
alloc_piece(const void *arg, const char *class, struct tt_buf *b)
{
	uint32_t number = class_number((struct sqlite_db *)(uintptr_t)arg, class);

	tt_buf_add(b, &number, sizeof number);
}

/* Return the number of the marker of ${key}, which becomes used. In order only. */
static uint32_t
marker_of_key(struct sqlite_db *s, const struct tt_view *v, uint64_t key)
{
	struct tt_nameless own;
	const struct tt_name *name = tt_emit_name(s->e.m, v->cap->process, key, &own);
	uint32_t number = name == &own.name ? tt_sqlite_own_marker(s, own.text, strlen(own.text), name->category) :
	    tt_sqlite_marker(s, tt_emit_marker(name), name->full, name->category);

	if (number)
		s->marker[number - 1].used = true;
	return number;
}

int
tt_sqlite_class(struct sqlite_db *s, const struct tt_view *v, uint64_t key, int64_t ts, uint32_t *number, struct tt_err *err)
{
	const struct tt_event e = { .ts = ts, .val = key };
	struct tt_piece piece;
	int rc = tt_pieces_alloc(&s->process[v->cap->process], &e, &s->scratch, &piece, err);

	if (rc != TT_OK)
		return rc;
	if ((*number = tt_sqlite_piece(&piece)) != 0)
		s->class[*number - 1].used = true;
	return TT_OK;
}

int
tt_sqlite_pieces(struct sqlite_db *s, struct tt_err *err)
{
	const struct tt_pieces_form form = { zone_piece, alloc_piece, s };
	int rc = TT_OK;

	s->making = true;
	for (size_t i = 0; i < s->nprocess && rc == TT_OK; i++)
		rc = tt_pieces_make(&s->process[i], &form, s->e.m, s->e.m->cap[i], err);
	s->making = false;
	return rc;
}

/* --- stacks ---------------------------------------------------------------------------- */

static uint32_t
stack_number(struct sqlite_db *s, uint32_t parent, uint32_t marker)
{
	const uint64_t hash = tt_seeded_pair(parent, marker);
	uint32_t i = tt_map_find(&s->stacks, hash, k, s->stack[k].parent == parent && s->stack[k].marker == marker);
	struct tt_err err = { 0 };

	if (i || s->nstack == MAX_STACKS)
		return i;
	if (tt_map_push(&s->stacks, &s->e.env->mem, hash, &s->stack, &s->capstack, s->nstack, &err) != TT_OK)
		return no_memory(s, &err);
	s->stack[s->nstack++] = (struct sqlite_stack){ parent, marker };
	return (uint32_t)s->nstack;
}

uint32_t
tt_sqlite_stack(struct sqlite_db *s, const struct tt_view *v, size_t i)
{
	uint32_t number = 0;
	size_t n;
	const uint64_t *key = tt_emit_stack(v, i, &n);

	for (size_t k = 0; key && k < n; k++) {
		uint32_t marker = marker_of_key(s, v, key[k]);

		if (!(number = stack_number(s, number, marker))) {
			s->no_stack++;
			return 0;
		}
	}
	return number;
}
