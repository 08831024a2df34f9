/**
 * Keeps each text once, found by its hash.
 */
#include "base/texts.h"

#include <string.h>

#include "base/err.h"
#include "base/hash_seed.h"
#include "base/mem.h"

const char *
tt_texts_keep(struct tt_texts *t, const char *s, size_t n, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(0, s, n);
	const size_t found = tt_map_find(&t->index, hash, i, strncmp(t->text[i], s, n) == 0 && t->text[i][n] == '\0');
	const char *text;

	if (found)
		return t->text[found - 1];
	text = tt_arena_text(t->a, s, n, err);
	if (!text || tt_map_push(&t->index, t->a->mem, hash, &t->text, &t->cap, t->n, err) != TT_OK)
		return NULL;
	return t->text[t->n++] = text;
}

void
tt_texts_free(struct tt_texts *t)
{
	tt_map_free(&t->index, t->a->mem);
	tt_mem_free(t->a->mem, t->text, t->cap * sizeof *t->text);
	t->text = NULL;
	t->n = t->cap = 0;
}
