/**
 * Reads lists of a thread's samples in order, even if the file has them unsorted.
 */
#include "data/list.h"

#include "base/order.h"

const uint8_t *
data_list_after(const struct data_list *l, const uint8_t *p)
{
	if (l->size)
		return p + l->size;
	uint32_t n = unity_u32(p + 4);
	for (p += 8; n > 0; n--)
		p += 8 + (((size_t)unity_u32(p + 4) + 3) & ~(size_t)3);
	return p;
}

static int
by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* True if the entry at ${p} belongs to a sample that does not exist. An empty list of values may belong to no sample; GPU work may have no zone. */
static inline bool
is_stray(const struct data_list *l, const uint8_t *p, uint32_t sample)
{
	return sample >= l->samples && sample != DATA_NO_ANCHOR && (l->size > 0 || unity_u32(p + 4) > 0);
}

/* True if the entry at ${p} is an empty list of values. */
static inline bool
is_empty(const struct data_list *l, const uint8_t *p)
{
	return l->size == 0 && unity_u32(p + 4) == 0;
}

/* Count the values of the entry at ${p} whose type is unknown or has another size; *${next}: the next entry. */
static inline uint32_t
count_odd(const uint8_t *p, const uint8_t **next)
{
	uint32_t n = unity_u32(p + 4), odd = 0;

	for (p += 8; n > 0; n--) {
		const uint32_t size = unity_u32(p + 4);
		odd += !data_value_fits(unity_u32(p), size);
		p += 8 + (((size_t)size + 3) & ~(size_t)3);
	}
	*next = p;
	return odd;
}

bool
data_list_count(struct data_list *l)
{
	const uint8_t *p = l->p, *next;
	uint32_t last = 0, before = DATA_NO_ANCHOR;
	bool in_order = true;

	l->strays = l->repeats = l->odd = 0;
	for (uint32_t i = 0; i < l->left; i++, p = next) {
		const uint32_t sample = unity_u32(p + l->key);
		if (l->size)
			next = p + l->size;
		else
			l->odd += count_odd(p, &next);
		l->strays += is_stray(l, p, sample);
		last = sample > last ? sample : last;
		if (is_empty(l, p))
			continue;
		in_order = in_order && sample >= last;
		l->repeats += sample == before && sample != DATA_NO_ANCHOR;
		before = sample;
	}
	l->unsorted = !in_order;
	return in_order;
}

int
data_list_open(struct tt_batch *b, struct data_list *l, struct tt_err *err)
{
	const uint8_t *p;
	uint64_t at;
	uint32_t i;

	l->base = l->p;
	if (data_list_count(l))
		return TT_OK;
	int rc = tt_batch_words(b, l->left, &at, err);
	if (rc != TT_OK)
		return rc;
	for (i = 0, p = l->base; i < l->left; i++, p = data_list_after(l, p))
		b->word[at + i] = (uint64_t)unity_u32(p + l->key) << 32 | (uint64_t)(p - l->base);
	tt_sort(b->word + at, l->left, by_number);
	l->word = (size_t)at;
	l->p = NULL;
	return TT_OK;
}

const uint8_t *
data_list_next(const struct tt_batch *b, struct data_list *l, uint32_t i)
{
	while (l->left > 0) {
		const uint8_t *p = l->p ? l->p : l->base + (uint32_t)b->word[l->word];
		const uint32_t sample = unity_u32(p + l->key);
		const bool none = l->size == 0 && unity_u32(p + 4) == 0;
		if (sample > i && !none)
			return NULL;
		l->left--;
		if (l->p)
			l->p = data_list_after(l, p);
		else
			l->word++;
		if (sample == i && !none)
			return p;
	}
	return NULL;
}

uint32_t
data_list_head(const struct tt_batch *b, struct data_list *l, uint32_t i)
{
	for (; l->left > 0; l->left--) {
		const uint8_t *p = l->p ? l->p : l->base + (uint32_t)b->word[l->word];
		const uint32_t sample = unity_u32(p + l->key);
		if (sample >= i && !(l->size == 0 && unity_u32(p + 4) == 0))
			return sample;
		if (l->p)
			l->p = data_list_after(l, p);
		else
			l->word++;
	}
	return UINT32_MAX;
}
