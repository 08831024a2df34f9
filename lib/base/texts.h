/**
 * Texts that many records share: each is kept once, in an arena.
 *
 * Errors: TT_E_NOMEM, TT_E_LIMIT. One thread at a time.
 */
#ifndef TT_BASE_TEXTS_H
#define TT_BASE_TEXTS_H

#include "base/map.h"

struct tt_arena;

struct tt_texts {
	struct tt_arena *a;           /* holds the texts; the map is allocated from its tt_mem */
	struct tt_map index;          /* rows of ${text}, by the hash of the text */
	const char **text;
	size_t n, cap;
};

/* Return the kept text of the ${n} bytes at ${s}, which hold no NUL; it lives as long as the arena. NULL with ${err} filled on failure. */
const char *tt_texts_keep(struct tt_texts *t, const char *s, size_t n, struct tt_err *err);

/* Free the table; the texts stay. */
void tt_texts_free(struct tt_texts *t);

#endif
