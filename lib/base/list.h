/**
 * NULL-terminated lists of texts in an arena: values of an option, files, words.
 */
#ifndef TT_BASE_LIST_H
#define TT_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

/* v is NULL-terminated, and NULL if the list is empty. */
struct tt_list {
	const char **v;
	size_t n, cap;
	bool has_sides;               /* true: the list has two sides, of which the first has ${nfirst_side} texts */
	size_t nfirst_side;           /* texts on the first side, if parted */
};

/* Append ${s} to ${l}; the text is borrowed. */
static inline int
tt_list_add(struct tt_list *l, const char *s, struct tt_arena *a, struct tt_err *err)
{
	if (tt_arena_grow(a, &l->v, &l->cap, l->n + 1, sizeof *l->v, err) != TT_OK)
		return err->code;
	l->v[l->n++] = s;
	l->v[l->n] = NULL;
	return TT_OK;
}

#endif
