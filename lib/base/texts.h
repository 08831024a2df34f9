/**
 * Texts that many records have in common: each is kept once, in an arena.
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time.
 */
#ifndef TT_BASE_TEXTS_H
#define TT_BASE_TEXTS_H

#include "base/map.h"

struct tt_arena;

struct tt_texts {
	struct tt_arena *a;           /* texts lie in it; the table is of its memory, too */
	struct tt_map at;             /* rows of ${text}, by their bytes */
	const char **text;
	size_t n, cap;
};

/* The text of the ${n} bytes at ${s}, none of which is NUL, as long as the arena lives. NULL with ${err} filled. */
const char *tt_texts_keep(struct tt_texts *t, const char *s, size_t n, struct tt_err *err);

/* Free the table; the texts stay. */
void tt_texts_free(struct tt_texts *t);

#endif
