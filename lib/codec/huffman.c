/**
 * Makes Huffman codes of limited length.
 */
#include "codec/huffman.h"

#include <string.h>

/*
 * Sort the ${n} keys by their counts, by radix, eight bits at a time; keys with equal counts stay in their order. ${all}: the OR of all counts, whose
 * highest bit says when to stop.
 */
static void
sort(uint64_t *key, unsigned n, uint64_t all)
{
	uint64_t other[TT_HUFFMAN_MAX_SYMBOLS];
	const uint64_t *from = key;
	uint64_t *to = other;

	for (unsigned shift = 16; all >> (shift - 16); shift += 8) {
		uint16_t at[256 + 1] = { 0 };

		for (unsigned i = 0; i < n; i++)
			at[(from[i] >> shift & 255) + 1]++;
		for (unsigned i = 1; i < 256; i++)
			at[i] = (uint16_t)(at[i] + at[i - 1]);
		for (unsigned i = 0; i < n; i++)
			to[at[from[i] >> shift & 255]++] = from[i];
		from = to;
		to = to == other ? key : other;
	}
	if (from != key)
		memcpy(key, from, n * sizeof *key);
}

/* Write the symbols that get a code to ${key}, the rarest first, each with its count above the lowest 16 bits. Returns their number, at least 2. */
static unsigned
choose(const struct tt_huffman *h, unsigned n, uint64_t *key)
{
	unsigned used = 0;
	uint32_t most = 0;

	for (unsigned i = 0; i < n; i++) {
		key[used] = (uint64_t)h->count[i] << 16 | i;
		used += h->count[i] > 0;
		most |= h->count[i];
	}
	for (unsigned i = 0; used < 2; i++)
		if (!h->count[i])
			key[used++] = i;
	sort(key, used, most);
	return used;
}

/*
 * Count in ${of} the symbols with codes of each length. The Huffman tree has ${n} leaves, the rarest first, and nodes, each of which joins the two rarest
 * leaves or nodes left. Nodes are made in the order of their counts, too, so that the next two are found without a search.
 */
static void
measure(const uint64_t *key, unsigned n, unsigned most, unsigned *of)
{
	uint32_t count[2 * TT_HUFFMAN_MAX_SYMBOLS];
	uint16_t parent[2 * TT_HUFFMAN_MAX_SYMBOLS], depth[2 * TT_HUFFMAN_MAX_SYMBOLS];
	unsigned leaf = 0, node = n, root = 2 * n - 2;

	for (unsigned i = 0; i < n; i++)
		count[i] = (uint32_t)(key[i] >> 16);
	for (unsigned next = n; next <= root; next++) {
		count[next] = 0;
		for (int k = 0; k < 2; k++) {
			unsigned least = leaf < n && (node == next || count[leaf] <= count[node]) ? leaf++ : node++;

			count[next] += count[least];
			parent[least] = (uint16_t)next;
		}
	}
	depth[root] = 0;
	for (unsigned i = root; i-- > 0;) {
		depth[i] = (uint16_t)(depth[parent[i]] + 1);
		if (i < n)
			of[depth[i] < most ? depth[i] : most]++;
	}
}

/*
 * Make room for the codes that were cut to ${most} bits, of which there are too many. For each code too many, the place of a shorter code is
 * divided into two codes that are one bit longer: one for its own symbol, one for a symbol whose code had ${most} bits.
 */
static void
limit(unsigned *of, unsigned most)
{
	uint32_t room = 0;

	for (unsigned i = 1; i <= most; i++)
		room += (uint32_t)of[i] << (most - i);
	for (; room > (uint32_t)1 << most; room--) {
		unsigned i = most - 1;

		while (of[i] == 0)
			i--;
		of[i]--;
		of[i + 1] += 2;
		of[most]--;
	}
}

/* Return the 16 bits of ${v} in reverse order. */
static inline unsigned
turned(unsigned v)
{
	v = (v & 0x5555) << 1 | (v >> 1 & 0x5555);
	v = (v & 0x3333) << 2 | (v >> 2 & 0x3333);
	v = (v & 0x0f0f) << 4 | (v >> 4 & 0x0f0f);
	return (v & 0xff) << 8 | (v >> 8 & 0xff);
}

/* Assign the codes in the order of length, then of symbol. */
static void
number(struct tt_huffman *h, unsigned n, const unsigned *of)
{
	unsigned next[TT_HUFFMAN_BITS + 1] = { 0 };

	/* Without a code, 16 bits are thrown away. */
	for (unsigned i = 1; i < TT_HUFFMAN_BITS; i++)
		next[i + 1] = (next[i] + of[i]) << 1;
	for (unsigned i = 0; i < n; i++) {
		h->code[i] = (uint16_t)(turned(next[h->len[i]]++) >> (16 - h->len[i]));
	}
}

void
tt_huffman_assign_codes(struct tt_huffman *h, unsigned n, unsigned most)
{
	uint64_t key[TT_HUFFMAN_MAX_SYMBOLS];
	unsigned of[TT_HUFFMAN_BITS + 1] = { 0 }, used = choose(h, n, key), k = 0;

	measure(key, used, most, of);
	limit(of, most);
	memset(h->len, 0, n);
	for (unsigned len = most; len > 0; len--)
		for (unsigned i = 0; i < of[len]; i++)
			h->len[key[k++] & 0xffff] = (uint8_t)len;
	number(h, n, of);
}
