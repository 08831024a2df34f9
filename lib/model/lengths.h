/**
 * Finds the length of messages of an unknown type by the bytes that follow them.
 *
 * Messages of some formats have no length of their own, so that one of an unknown type costs the rest of its part. But where several parts have one, the
 * place from which on all is known again shows its length: always the same, or that of a text in it and the same before and after. A decoder looks at each
 * length in question, notes what it finds, and the notes of all chunks are joined, in any order: a length that one part excludes stays excluded. Nothing is
 * read by such a length; it is reported, so that a reader for the type can be written. Plain data, no memory of its own.
 */
#ifndef TT_MODEL_LENGTHS_H
#define TT_MODEL_LENGTHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lengths in question, in units: of messages; of what is before a text's length; of what follows the text. */
enum { TT_LENGTHS = 512, TT_TEXT_PLACES = 32, TT_TEXT_TAILS = 64, TT_LENGTHS_MIN = 3 };

/* Which lengths were seen at least once, twice, three times (TT_LENGTHS_MIN), and which cannot be: a bit each. */
struct tt_length_bits { uint64_t seen[TT_LENGTHS_MIN], excluded; };

struct tt_lengths {
	uint64_t parts;               /* parts that show a length */
	uint32_t unit;                /* bytes that lengths are counted in: messages begin at multiples of it */
	struct tt_length_bits fixed[TT_LENGTHS / 64];
	struct tt_length_bits text[TT_TEXT_PLACES];           /* by place; bits by tail */
	uint32_t text_len[TT_TEXT_PLACES], texts_differ;      /* the first part's text length at each place; bits: another part's differs */
};

/* A length that was found, in bytes. */
struct tt_length {
	uint64_t bytes;               /* from the type's number on; without the text, if there is one */
	bool has_text;
	uint64_t text_at;             /* where the 32-bit number of bytes of a text is, which follows it and is padded to the unit */
};

/* Note that a part shows the length of bit ${bit}, or that it excludes it. */
static inline void
tt_length_note(struct tt_length_bits *b, unsigned bit, bool excluded)
{
	*(excluded ? &b->excluded : &b->seen[0]) |= UINT64_C(1) << bit;
}

/* Add what ${from} shows to ${into}. Nothing is added if messages of ${from} are counted in other units. */
void tt_lengths_join(struct tt_lengths *into, const struct tt_lengths *from);

/* The length that TT_LENGTHS_MIN parts show and no part excludes; false: there is none. */
bool tt_lengths_find(const struct tt_lengths *k, struct tt_length *found);

#endif
