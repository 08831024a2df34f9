/**
 * Reads the header of a log: who wrote it, and by which clock.
 */
#include "raw/raw.h"

#include "base/clock_ratio.h"

static uint64_t
common_divisor(uint64_t a, uint64_t b)
{
	while (b > 0) {
		const uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

static int
set_ratio(struct raw_session *s, uint64_t num, uint64_t den, struct tt_err *err)
{
	const uint64_t common = num && den ? common_divisor(num, den) : 1, n = num / common, d = den / common;

	if (n > UINT64_C(1) << 40 || d > UINT64_C(1) << 40 || !tt_clock_ratio(n, d, &s->mult, &s->shift))
		return tt_fail(err, TT_E_DAMAGED, 12, "the clock's ratio %llu/%llu makes no sense", (unsigned long long)num,
		    (unsigned long long)den);
	return TT_OK;
}

size_t
raw_head_size(const uint8_t *p, size_t n)
{
	size_t size = unity_u32(p + 8) >= RAW_SAYS_RELEASE ? RAW_HEAD_RELEASE : RAW_HEAD;
	size_t other = size == RAW_HEAD ? RAW_HEAD_RELEASE : RAW_HEAD;
	bool here = n >= size + 4 && unity_u32(p + size) == RAW_BLOCK;

	return !here && n >= other + 4 && unity_u32(p + other) == RAW_BLOCK ? other : size;
}

int
raw_take_head(const struct raw *m, const uint8_t *p, size_t n, struct raw_session *s, size_t *size, struct tt_err *err)
{
	if (n < RAW_HEAD)
		return tt_fail(err, TT_E_DAMAGED, n, "the file ends after %zu bytes, inside its header", n);
	if (p[4] != 1)
		return tt_fail(err, TT_E_UNKNOWN, 4, "its byte order is unknown (%u): big-endian captures are not read", p[4]);
	const uint32_t word = unity_u32(p + 8);
	const struct unity_version *v = m->as ? m->as : unity_candidate(word, true, 0);
	*size = raw_head_size(p, n);
	/* A version that is not a date is damaged or not known yet; the blocks tell how they must be read. */
	const bool blocks = n >= *size + 4 && unity_u32(p + *size) == RAW_BLOCK;
	if (p[5] > 1 && !blocks)
		return tt_fail(err, TT_E_DAMAGED, 5, "the header says neither packed nor aligned messages (%u)", p[5]);
	if (!unity_is_word(word) && !blocks)
		return tt_fail(err, TT_E_DAMAGED, 8, "the header's version, 0x%08x, does not exist: the header is damaged", word);
	if (n < *size)
		return tt_fail(err, TT_E_DAMAGED, n, "the file ends after %zu bytes, inside its header", n);
	*s = (struct raw_session){ .layout = { .aligned = m->as ? m->as_aligned : p[5] != 0, .rank = v->rank }, .main = unity_u64(p + 28),
		.categories = v->categories, .marker = UNITY_MARKERS_NONE, .stopped = INT64_MAX, .wide_known = v->rank < 12 };
	raw_sizes(&s->layout, s->size);
	return set_ratio(s, unity_u64(p + 12), unity_u64(p + 20), err);
}
