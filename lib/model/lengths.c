/**
 * Joins what parts show of the length of messages of unknown types, and finds the length that all of them allow.
 */
#include "model/lengths.h"

static void
join_bits(struct tt_length_bits *into, const struct tt_length_bits *from)
{
	const uint64_t *a = into->seen, *b = from->seen;

	into->seen[2] = a[2] | b[2] | (a[0] & b[1]) | (a[1] & b[0]);
	into->seen[1] = a[1] | b[1] | (a[0] & b[0]);
	into->seen[0] = a[0] | b[0];
	into->excluded |= from->excluded;
}

void
tt_lengths_join(struct tt_lengths *into, const struct tt_lengths *from)
{
	if (from->parts == 0 || (into->parts && into->unit != from->unit))
		return;
	for (unsigned i = 0; i < TT_TEXT_PLACES; i++) {
		if (into->parts == 0)
			into->text_len[i] = from->text_len[i];
		else if (into->text_len[i] != from->text_len[i])
			into->texts_differ |= UINT32_C(1) << i;
		join_bits(&into->text[i], &from->text[i]);
	}
	for (unsigned i = 0; i < TT_LENGTHS / 64; i++)
		join_bits(&into->fixed[i], &from->fixed[i]);
	into->texts_differ |= from->texts_differ;
	into->unit = from->unit;
	into->parts += from->parts;
}

/* The first bit that enough parts show and none excludes; 64: there is none. */
static unsigned
first_of(const struct tt_length_bits *b)
{
	const uint64_t bits = b->seen[TT_LENGTHS_MIN - 1] & ~b->excluded;

	return bits ? (unsigned)__builtin_ctzll(bits) : 64;
}

bool
tt_lengths_find(const struct tt_lengths *k, struct tt_length *found)
{
	for (unsigned i = 0; i < TT_LENGTHS / 64; i++) {
		const unsigned bit = first_of(&k->fixed[i]);

		if (bit < 64) {
			*found = (struct tt_length){ .bytes = (uint64_t)k->unit * (64 * i + bit) };
			return true;
		}
	}
	/* A text of the same length in all parts is no more than a number that happens to fit. */
	for (unsigned i = 0; i < TT_TEXT_PLACES; i++) {
		const unsigned tail = k->texts_differ >> i & 1 ? first_of(&k->text[i]) : 64;

		if (tail < 64) {
			const uint64_t at = k->unit == 1 ? 2 + i : (uint64_t)k->unit * (1 + i);
			*found = (struct tt_length){ .bytes = at + 4 + (uint64_t)k->unit * tail, .has_text = true, .text_at = at };
			return true;
		}
	}
	return false;
}
