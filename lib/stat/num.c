/**
 * Computes exact statistics of integers: mean, quantiles, spread.
 */
#include "stat/num.h"

#include "base/order.h"

#define TRIM 20                       /* 1/TRIM of the values at each end */

uint64_t
tt_isqrt(tt_u128 v)
{
	uint64_t root = 0;

	/* Bit by bit from the top: 64 steps without division. */
	for (unsigned bit = 64; bit-- > 0;) {
		uint64_t try = root | UINT64_C(1) << bit;

		if ((tt_u128)try * try <= v)
			root = try;
	}
	return root;
}

int64_t
tt_ratio(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t product, sum;
	tt_u128 v;

	if (c == 0)
		return 0;
	if (!__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(product, c / 2, &sum))
		v = sum / c;
	else
		v = ((tt_u128)a * b + c / 2) / c;
	return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

uint64_t
tt_nearest_rank(uint64_t n, uint64_t num, uint64_t den)
{
	uint64_t product, sum;
	tt_u128 rank;

	if (!__builtin_mul_overflow(n, num, &product) && !__builtin_add_overflow(product, den - 1, &sum))
		rank = sum / den;
	else
		rank = ((tt_u128)n * num + den - 1) / den;

	if (rank < 1)
		return 1;
	return rank > n ? n : (uint64_t)rank;
}

/* A byte of ${v}, mapped so that numbers sort by their bytes. */
static inline unsigned
byte_of(int64_t v, unsigned shift)
{
	return (unsigned)(((uint64_t)v ^ UINT64_C(1) << 63) >> shift & 255);
}

/* The bits in which values differ. */
static uint64_t
differing(const int64_t *v, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 1; i < n; i++)
		differ |= (uint64_t)v[i] ^ (uint64_t)v[0];
	return differ;
}

enum { INSERTION_SORT_MAX = 48 };                    /* up to this many values are sorted by insertion */

static void
insert_all(int64_t *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const int64_t here = v[i];
		size_t k = i;

		for (; k > 0 && v[k - 1] > here; k--)
			v[k] = v[k - 1];
		v[k] = here;
	}
}

/* Permute the values in place so that they are grouped by their byte at ${shift}, moving each in turn to its group; ${end}: ends of the groups. */
static void
place_all(int64_t *v, size_t n, unsigned shift, size_t *end)
{
	size_t at[256], sum = 0;

	for (unsigned b = 0; b < 256; b++)
		end[b] = 0;
	for (size_t i = 0; i < n; i++)
		end[byte_of(v[i], shift)]++;
	for (unsigned b = 0; b < 256; b++) {
		at[b] = sum;
		sum = end[b] += sum;
	}
	for (unsigned b = 0; b < 256; b++)
		while (at[b] < end[b]) {
			int64_t here = v[at[b]];

			for (unsigned to = byte_of(here, shift); to != b; to = byte_of(here, shift)) {
				const int64_t next = v[at[to]];
				v[at[to]++] = here;
				here = next;
			}
			v[at[b]++] = here;
		}
}

/* Radix sort in place, from the highest byte that differs: a second copy would take as much memory as all values of a long capture. */
void
tt_sort_i64(int64_t *v, size_t n)
{
	size_t end[256], from = 0;
	unsigned shift = 56;

	if (n <= INSERTION_SORT_MAX) {
		insert_all(v, n);
		return;
	}
	const uint64_t differ = differing(v, n);
	if (!differ)
		return;
	while (!(differ >> shift & 255))
		shift -= 8;
	place_all(v, n, shift, end);
	for (unsigned b = 0; b < 256 && shift > 0; from = end[b++])
		tt_sort_i64(v + from, end[b] - from);
}

/* Radix select from the highest byte that differs: move the values whose byte is that of the wanted one to the front, and continue with these. */
int64_t
tt_select_i64(int64_t *v, size_t n, size_t at)
{
	const uint64_t differ = differing(v, n);

	for (unsigned shift = 64; shift > 0 && n > 1;) {
		size_t count[256] = { 0 }, kept = 0;
		unsigned byte = 0;

		shift -= 8;
		if ((differ >> shift & 255) == 0)
			continue;
		for (size_t i = 0; i < n; i++)
			count[byte_of(v[i], shift)]++;
		for (; at >= count[byte]; byte++)
			at -= count[byte];
		for (size_t i = 0; i < n; i++) {
			int64_t here = v[i];

			/* Branch-free, because the branch would be unpredictable. */
			v[i] = v[kept];
			v[kept] = here;
			kept += byte_of(here, shift) == byte;
		}
		n = kept;
	}
	return v[0];
}

int64_t
tt_quantile_of_i64(int64_t *v, size_t n, uint64_t num, uint64_t den)
{
	return n ? tt_select_i64(v, n, (size_t)tt_nearest_rank(n, num, den) - 1) : 0;
}

int64_t
tt_quantile_i64(const int64_t *sorted, size_t n, uint64_t num, uint64_t den)
{
	return n ? sorted[tt_nearest_rank(n, num, den) - 1] : 0;
}

static tt_i128
sum_of(const int64_t *v, size_t n)
{
	tt_i128 sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static int64_t
mean_of(tt_i128 sum, size_t n, unsigned scale)
{
	sum = 2 * sum * scale + (sum < 0 ? -1 : 1) * (int64_t)n;
	return (int64_t)(sum / (2 * (int64_t)n));
}

int64_t
tt_mean_i64(const int64_t *v, size_t n)
{
	return mean_of(sum_of(v, n), n, 1);
}

tt_i128
tt_trimmed_sum_i64(const int64_t *sorted, size_t n)
{
	return sum_of(sorted + n / TRIM, n - 2 * (n / TRIM));
}

int64_t
tt_trimmed_mean(tt_i128 sum, size_t n, unsigned scale)
{
	return mean_of(sum, n - 2 * (n / TRIM), scale);
}

int64_t
tt_trimmed_i64(const int64_t *sorted, size_t n)
{
	return tt_trimmed_mean(tt_trimmed_sum_i64(sorted, n), n, 1);
}

/* The mean of ${n} > 0 values, rounded down. */
static int64_t
floor_mean(const int64_t *v, size_t n)
{
	/* The quotient and the remainder are summed separately, so that sums of 64-bit values cannot overflow. */
	int64_t whole = 0, d = (int64_t)n, rest = 0;

	for (size_t i = 0; i < n; i++) {
		whole += v[i] / d;
		rest += v[i] % d;
		whole += rest / d;
		rest %= d;
	}
	return rest < 0 ? whole - 1 : whole;
}

static uint64_t
distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* The right shift of deviations that keeps the sum of ${n} squares below 2^126. Real captures need none: 2^40 ns is 18 minutes. */
static unsigned
shift_for(uint64_t largest, size_t n)
{
	unsigned bits = 0, count = 0, shift = 0;

	for (; largest; largest >>= 1)
		bits++;
	for (; n; n >>= 1)
		count++;
	while (2 * (bits - shift) + count > 126)
		shift++;
	return shift;
}

int64_t
tt_stddev_i64(const int64_t *v, size_t n)
{
	uint64_t largest = 0, root;
	tt_u128 squares = 0, var, off = 0;
	int64_t mean;
	unsigned shift;

	if (n == 0)
		return 0;
	mean = floor_mean(v, n);
	for (size_t i = 0; i < n; i++) {
		if (distance(v[i], mean) > largest)
			largest = distance(v[i], mean);
	}
	shift = shift_for(largest, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t d = distance(v[i], mean) >> shift;

		squares += (tt_u128)d * d;
		/* The mean was rounded down by off / n; correct the variance for that. */
		off += (uint64_t)v[i] - (uint64_t)mean;
	}
	off = shift ? 0 : (uint64_t)off;
	var = (squares - off * off / n) / n;
	root = tt_isqrt(var);
	/* (root + 1/2)^2 = root^2 + root + 1/4 */
	if (var > (tt_u128)root * root + root)
		root++;
	root <<= shift;
	return root > INT64_MAX ? INT64_MAX : (int64_t)root;
}
