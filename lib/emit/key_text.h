/**
 * Prepared output text, found by key.
 *
 * For each zone an emitter writes the times and then text that depends only on the marker. That text is made once, before
 * the events; workers look it up by the producer's key and copy it.
 *
 * Threads: first one writer, then any number of readers.
 */
#ifndef TT_EMIT_KEY_TEXT_H
#define TT_EMIT_KEY_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/hash_seed.h"

struct tt_frag {
	uint64_t key;
	uint32_t at, n;               /* offset in the text; n = 0: an empty slot */
};

/* Length of a piece that means: leave the zone out. */
#define TT_FRAG_SKIP UINT32_MAX

/* Number of readable bytes after every piece, and of writable bytes after the end of each tt_frag_copy(). */
#define TT_FRAG_PAD 64

/* Places and lengths lie in the slots, unlike in a tt_map, because each written zone looks up its text. */
struct tt_frags {
	struct tt_mem *mem;
	struct tt_frag *slot;         /* open addressing; a power of two of slots, at most half of them used */
	size_t nslot, used;
	char *text;
	size_t n, cap;
};

void tt_frags_init(struct tt_frags *f, struct tt_mem *mem);
void tt_frags_free(struct tt_frags *f);

/**
 * tt_frags_add(f, key, s, n, err):
 * Keep a copy of the ${n} > 0 bytes at ${s} for ${key}, which must be new. With ${n} = TT_FRAG_SKIP, record that the key is left out.
 * TT_E_LIMIT over 4 GiB of text.
 */
int tt_frags_add(struct tt_frags *f, uint64_t key, const char *s, size_t n, struct tt_err *err);

/* Return the piece of ${key}, or NULL. */
static inline const struct tt_frag *
tt_frags_find(const struct tt_frags *f, uint64_t key)
{
	size_t i = tt_seeded_slot(key, f->nslot);

	for (;; i = (i + 1) & (f->nslot - 1)) {
		const struct tt_frag *e = &f->slot[i];

		if (e->key == key && e->n)
			return e;
		if (e->n == 0)
			return NULL;
	}
}

/* Copy ${n} bytes. Reads and writes up to TT_FRAG_PAD more, which makes short copies cheap. */
static inline char *
tt_frag_copy(char *p, const char *s, size_t n)
{
	memcpy(p, s, TT_FRAG_PAD);
	for (size_t i = TT_FRAG_PAD; i < n; i += TT_FRAG_PAD)
		memcpy(p + i, s + i, TT_FRAG_PAD);
	return p + n;
}

#endif
