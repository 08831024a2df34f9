/**
 * Tests the differences within pairs.
 *
 * Looks are exact by counting: for each of the 2^n ways to give signs to the first n differences, it is known at which levels the run would have stopped
 * before. At each look, starting with the strictest level, the signs with the largest rank sums are added as long as no level exceeds its budget so far. A
 * series that stops at a strict level also stops at all looser ones, so that the smallest level at which it stops is a p value.
 */
#include "stat/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/order.h"
#include "stat/student.h"

#define BIT (1 + 1e-9)                /* tolerance for rounding errors */
#define SUM_MAX (TT_PAIRS_EXACT * (TT_PAIRS_EXACT + 1))
#define LATE 5                        /* number of pairs between two looks, beyond TT_PAIRS_EXACT */
#define OUTLIER_MADS 5                         /* an outlier is more than this many median absolute deviations from the median level */
#define MAX_EVENED(n) ((n) / 2)        /* at most this many of n pairs are evened out: more are not accidents */
#define APART 0.15                    /* share of the level spent on setting rows apart that are far below their limits */
#define DIVISIONS 64
#define EFFICIENCY 0.955              /* efficiency of ranks relative to means for normal differences: 3 / pi */

/* The levels, strictest first. Before 5 % divided by 64 to 1 rows, some for more rows; after these, some to show how far a row is from its limit. */
static const double strict[] = { 0.05 / 4096, 0.05 / 2048, 0.05 / 1024, 0.05 / 512, 0.05 / 256, 0.05 / 128 }, loose[] = { 0.1, 0.2, 0.35, 0.5, 0.75 };
#define NSTRICT (sizeof strict / sizeof *strict)
#define NLOOSE (sizeof loose / sizeof *loose)
#define LEVELS (NSTRICT + DIVISIONS + NLOOSE)

static double
level_at(size_t i)
{
	return i < NSTRICT ? strict[i] : i < NSTRICT + DIVISIONS ? 0.05 / (double)(DIVISIONS - (i - NSTRICT)) : loose[i - NSTRICT - DIVISIONS];
}

static size_t
level_place(double level)
{
	size_t i = 0;

	while (i < LEVELS && level_at(i) * BIT < level)
		i++;
	return i;
}

double
tt_pairs_level(double level)
{
	size_t i = level_place(level);

	return i < LEVELS ? level_at(i) : 1;
}

/* --- signed ranks --------------------------------------------------------------------- */

/* A difference: its distance from the limit, twice its rank, its pair, and its side of the limit. */
struct signed_rank { uint64_t size; unsigned twice; size_t at; bool above; };

static int
by_size(const void *a, const void *b)
{
	const struct signed_rank *x = a, *y = b;

	return TT_CMP(x->size, y->size);
}

static int
by_uint64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return TT_CMP(*x, *y);
}

static uint64_t
apart(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static int
by_int64(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return TT_CMP(*x, *y);
}

/* The lower median of ${n} > 0 levels, which are sorted; *${usual}: the lower median of their distances from it. */
static int64_t
usual_level(int64_t *level, size_t n, uint64_t *usual)
{
	uint64_t off[TT_PAIRS_MAX];
	int64_t m;

	tt_sort(level, n, by_int64);
	m = level[(n - 1) / 2];
	for (size_t i = 0; i < n; i++)
		off[i] = apart(level[i], m);
	tt_sort(off, n, by_uint64);
	*usual = off[(n - 1) / 2];
	return m;
}

/*
 * The distance of the pair's level from the median ${m}, if one of its runs is far from the others and may have moved the difference away from the limit; else
 * 0.
 */
static uint64_t
disturbance(const struct tt_pair *pair, const struct signed_rank *r, int64_t m, uint64_t usual)
{
	uint64_t off = apart(pair[r->at].level, m);

	return usual > 0 && off > OUTLIER_MADS * usual && off < r->size ? off : 0;
}

/* Compute the distances of differences from the limit, and their sides, in the order of the pairs, with runs far from the others evened out. */
static struct tt_pairs_evened
even_out(const struct tt_pair *pair, size_t n, int64_t limit, struct signed_rank *r)
{
	struct tt_pairs_evened e = { 0 };
	int64_t level[TT_PAIRS_MAX], m;
	uint64_t usual, off;
	size_t some = 0;

	for (size_t i = 0; i < n; i++) {
		r[i] = (struct signed_rank){ .size = apart(pair[i].d, limit), .at = i, .above = pair[i].d > limit };
		if (r[i].size)
			level[some++] = pair[i].level;
	}
	if (some < TT_PAIRS_EVEN)
		return e;
	m = usual_level(level, some, &usual);
	for (size_t i = 0; i < n; i++)
		e.n += disturbance(pair, &r[i], m, usual) > 0;
	if (e.n > MAX_EVENED(some))
		return (struct tt_pairs_evened){ 0 };
	for (size_t i = 0; i < n; i++) {
		off = 2 * disturbance(pair, &r[i], m, usual);
		e.above += off && r[i].above;
		r[i].above ^= off > r[i].size;
		r[i].size = off > r[i].size ? off - r[i].size : r[i].size - off;
	}
	return e;
}

struct tt_pairs_evened
tt_pairs_even(const struct tt_pair *pair, size_t n, int64_t limit, int64_t *d)
{
	struct signed_rank r[TT_PAIRS_MAX];
	struct tt_pairs_evened e = { 0 };

	if (n > TT_PAIRS_MAX)
		return e;
	e = even_out(pair, n, limit, r);
	for (size_t i = 0; i < n; i++)
		d[i] = r[i].above ? limit + (int64_t)r[i].size : limit - (int64_t)r[i].size;
	return e;
}

/*
 * Sort ${r} by size, and set twice the mid-ranks of the distances from the limit, which are whole numbers. Return the number of distances that are not 0, which
 * come last.
 */
static size_t
rank_sizes(const struct tt_pair *pair, size_t n, int64_t limit, struct signed_rank *r)
{
	size_t zeros = 0;

	even_out(pair, n, limit, r);
	for (size_t i = 0; i < n; i++)
		zeros += r[i].size == 0;
	tt_sort(r, n, by_size);
	for (size_t i = zeros, end; i < n; i = end) {
		for (end = i + 1; end < n && r[end].size == r[i].size; end++)
			;
		for (size_t k = i; k < end; k++)
			r[k].twice = (unsigned)(i + 1 + end - 2 * zeros);
	}
	return n - zeros;
}

/*
 * The distribution of the sum of a random subset of the ${n} weights: the shares of the sums 0, 1, ... *${most}. The caller frees the array of *${most} + 1
 * numbers.
 */
static double *
shares(const unsigned *w, size_t n, size_t *most, struct tt_mem *mem, struct tt_err *err)
{
	size_t reach = 0;
	double *of;

	*most = 0;
	for (size_t i = 0; i < n; i++)
		*most += w[i];
	of = tt_mem_alloc(mem, (*most + 1) * sizeof *of, err);
	if (!of)
		return NULL;
	/* Halved with each weight; a double reaches down to 2^-1022. */
	of[0] = 1;
	for (size_t i = 0; i < n; i++) {
		reach += w[i];
		for (size_t s = reach + 1; s-- > 0; )
			of[s] = (of[s] + (s >= w[i] ? of[s - w[i]] : 0)) / 2;
	}
	return of;
}

/* Compute the share of subsets whose sum is at least ${least}. */
static int
share_from(const unsigned *w, size_t n, size_t least, double *p, struct tt_mem *mem, struct tt_err *err)
{
	size_t most;
	double *of = shares(w, n, &most, mem, err);

	*p = 0;
	for (size_t s = most + 1; of && s-- > least; )
		*p += of[s];
	tt_mem_free(mem, of, (most + 1) * sizeof *of);
	return of ? TT_OK : err->code;
}

static int
too_many(struct tt_err *err)
{
	return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "more than %u pairs", TT_PAIRS_MAX);
}

int
tt_signed_rank(const struct tt_pair *pair, size_t n, int64_t limit, double *p, struct tt_mem *mem, struct tt_err *err)
{
	struct signed_rank r[TT_PAIRS_MAX];
	unsigned w[TT_PAIRS_MAX];
	size_t sum = 0, m;

	*p = 1;
	if (n > TT_PAIRS_MAX)
		return too_many(err);
	m = rank_sizes(pair, n, limit, r);
	for (size_t i = 0; i < m; i++) {
		w[i] = r[n - m + i].twice;
		sum += r[n - m + i].above ? w[i] : 0;
	}
	return m ? share_from(w, m, sum, p, mem, err) : TT_OK;
}

/* --- bounds ------------------------------------------------------------------------------ */

/* Get the number of means outside a bound: the largest c such that the rank sum of ${n} values without ties is below c with probability at most ${alpha}. */
static int
bound_place(size_t n, double alpha, size_t *c, struct tt_mem *mem, struct tt_err *err)
{
	unsigned w[TT_PAIRS_MAX];
	double below = 0, *of;
	size_t most;

	for (size_t i = 0; i < n; i++)
		w[i] = (unsigned)i + 1;
	of = shares(w, n, &most, mem, err);
	for (*c = 0; of && (below += of[*c]) <= alpha * BIT; ++*c)
		;
	tt_mem_free(mem, of, (most + 1) * sizeof *of);
	return of ? TT_OK : err->code;
}

/* Half of a sum, rounded half away from zero. */
static int64_t
half(int64_t sum)
{
	return (sum + (sum < 0 ? -1 : 1)) / 2;
}

int
tt_pairs_shift(const int64_t *d, size_t n, double alpha, struct tt_shift *s, struct tt_mem *mem, struct tt_err *err)
{
	size_t all = n * (n + 1) / 2, k = 0, c = 0;
	int64_t *sum;
	int rc;

	*s = (struct tt_shift){ 0 };
	if (n > TT_PAIRS_MAX)
		return too_many(err);
	sum = tt_mem_alloc(mem, all * sizeof *sum, err);
	rc = sum ? bound_place(n, alpha, &c, mem, err) : err->code;
	if (rc == TT_OK) {
		for (size_t i = 0; i < n; i++)
			for (size_t j = i; j < n; j++)
				sum[k++] = d[i] + d[j];
		tt_sort(sum, all, by_int64);
		s->shift = all % 2 ? half(sum[all / 2]) : half((sum[all / 2 - 1] + sum[all / 2]) / 2);
		s->has_low = s->has_high = c > 0;
		s->low = c ? half(sum[c - 1]) : 0;
		s->high = c ? half(sum[all - c]) : 0;
	}
	tt_mem_free(mem, sum, all * sizeof *sum);
	return rc;
}

/* --- what so many can show ------------------------------------------------------------------- */

bool
tt_pairs_change(const int64_t *d, size_t n, size_t most, struct tt_change *c)
{
	double squares = 0;

	*c = (struct tt_change){ 0 };
	if (n < 3 || n > TT_PAIRS_MAX)
		return false;
	for (size_t i = 0; i < n; i++)
		c->change += (double)d[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((double)d[i] - c->change) * ((double)d[i] - c->change);
	c->df = (double)(n - 1);
	c->within = squares / c->df / (double)most / EFFICIENCY;
	c->se = sqrt(c->within);
	return true;
}

double
tt_pairs_seen(const struct tt_change *c, size_t most, double limit, double alpha, double power)
{
	double level = tt_student_point(alpha, c->df), more = -tt_student_point(power, INFINITY), point = more;
	/* Near the smallest possible p, ranks detect less than means; the factor is from simulations of 8 to 20 normal differences. */
	double coarse = 1 + 0.3 * ldexp(1, -(int)most) / alpha;

	/* The scatter of this run and that of the next one are estimates with this many degrees of freedom. */
	for (int i = 0; i < 20; i++)
		more = point * sqrt(1 + (level * level + (level + more) * (level + more)) / (2 * c->df));
	return limit + coarse * c->se * (level + more);
}

/* Treats the scatter as known, as it will be with more pairs. Even without scatter, a minimum number of pairs is needed to reach ${alpha} at all. */
size_t
tt_pairs_need(const struct tt_change *c, size_t most, double limit, double alpha, double power)
{
	double more = c->se * (tt_student_point(alpha, INFINITY) + tt_student_point(1 - power, INFINITY)) / limit, need = ceil((double)most * more * more);

	return limit > 0 && need <= TT_PAIRS_MAX ? (size_t)fmax(need, ceil(-log2(alpha))) : 0;
}

/* The numbers of a pair differ by the root of twice the mean; the bounds of both tests are about two standard errors away. */
double
tt_pairs_chance(double count, size_t n)
{
	return 4 * sqrt(2 * count / (double)n);
}

/* --- looks ------------------------------------------------------------------------------------- */

/* The state of successive looks. "By signs" means by the signs of the differences so far, one bit each, before runs far from the others are evened out. */
struct looks {
	const struct tt_pair *pair;
	int64_t limit;
	size_t n;
	uint8_t *stopped;             /* by signs: the strictest level at which that series has stopped; LEVELS: none */
	unsigned (*many)[SUM_MAX + 1];        /* number of series by level and rank sum, at this look */
	struct {
		size_t from;          /* the smallest rank sum that stops at the level at this look; if larger than all, none does */
		double stopped, may;  /* number of series that have stopped at the level or a stricter one, and its maximum */
	} level[LEVELS];
	size_t ours;                  /* the strictest level at which the actual series has stopped */
	double spent;                 /* share of the levels spent so far */
};

/* Compute the rank sums for all signs of the first ${n} differences; callers do so separately for the lower and the upper half of the sign bits. */
static void
half_sums(const unsigned *twice, size_t n, unsigned *sum)
{
	sum[0] = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t b = 0; b < (size_t)1 << i; b++)
			sum[b | (size_t)1 << i] = sum[b] + twice[i];
}

/* Let series with the rank sum ${sum} stop at level ${i}, unless that level or a looser one, at which they also stop, then exceeds its maximum. */
static bool
take_sum(struct looks *l, size_t i, size_t sum)
{
	double more[LEVELS + 1], after = 0;

	for (size_t j = LEVELS + 1; j-- > i; after += l->many[j][sum]) {
		more[j] = after;
		if (j < LEVELS && l->level[j].stopped + after > l->level[j].may)
			return false;
	}
	for (size_t j = i; j < LEVELS; j++)
		l->level[j].stopped += more[j];
	for (size_t j = i + 1; j <= LEVELS; j++) {
		l->many[i][sum] += l->many[j][sum];
		l->many[j][sum] = 0;
	}
	return true;
}

/* Choose for each level the rank sums that stop at this look of ${n} differences, with ${share} of the level to spend. */
static void
choose_sums(struct looks *l, size_t n, size_t most, double share)
{
	double all = (double)((size_t)1 << n), stopped = 0;

	for (size_t i = 0; i < LEVELS; i++) {
		for (size_t k = 0; k <= most; k++)
			stopped += l->many[i][k];
		l->level[i].may = floor(level_at(i) * share * all * BIT);
		l->level[i].stopped = stopped;
	}
	for (size_t i = 0; i < LEVELS; i++) {
		size_t s = most + 1;

		while (s > 0 && take_sum(l, i, s - 1))
			s--;
		l->level[i].from = s;
	}
}

/*
 * Look at the first ${n} <= TT_PAIRS_EXACT differences. A difference evened out at one look may not be at another, so that series are identified by the
 * original signs.
 */
static void
look(struct looks *l, size_t n, double share)
{
	struct signed_rank r[TT_PAIRS_EXACT];
	unsigned twice[TT_PAIRS_EXACT] = { 0 }, lower[1 << TT_PAIRS_EXACT / 2], upper[1 << TT_PAIRS_EXACT / 2];
	size_t low = n / 2, mask = ((size_t)1 << low) - 1, most = 0, signs = 0, crossed = 0;
	uint8_t first[SUM_MAX + 1];

	rank_sizes(l->pair, n, l->limit, r);
	for (size_t i = 0; i < n; i++) {
		twice[r[i].at] = r[i].twice;
		most += r[i].twice;
		signs |= (size_t)r[i].above << r[i].at;
		crossed |= (size_t)(r[i].above != (l->pair[r[i].at].d > l->limit)) << r[i].at;
	}
	half_sums(twice, low, lower);
	half_sums(twice + low, n - low, upper);
	memset(l->many, 0, (LEVELS + 1) * sizeof *l->many);
	for (size_t b = 0; b < (size_t)1 << n; b++)
		l->many[l->stopped[b ^ crossed]][lower[b & mask] + upper[b >> low]]++;
	choose_sums(l, n, most, share);
	for (size_t s = 0; s <= most; s++) {
		first[s] = 0;
		while (first[s] < LEVELS && s < l->level[first[s]].from)
			first[s]++;
	}
	for (size_t b = 0; b < (size_t)1 << n; b++) {
		uint8_t now = first[lower[b & mask] + upper[b >> low]];

		if (now < l->stopped[b ^ crossed])
			l->stopped[b ^ crossed] = now;
	}
	l->ours = l->stopped[signs ^ crossed];
	l->spent = share;
}

/* The share of a level that may be spent after ${n} differences. */
static double
share_of(const struct tt_pairs_plan *plan, size_t n, bool last)
{
	double t = (double)n / (double)plan->most;

	if (last || n >= plan->most)
		return 1;
	return plan->looks ? t * t : 0;
}

/* Look at more than TT_PAIRS_EXACT differences: each level may spend its new share, regardless of earlier looks. */
static int
late_look(struct looks *l, size_t n, double share, struct tt_mem *mem, struct tt_err *err)
{
	double p;
	int rc = tt_signed_rank(l->pair, n, l->limit, &p, mem, err);

	for (size_t i = 0; i < l->ours && rc == TT_OK; i++)
		if (p <= level_at(i) * (share - l->spent) * BIT)
			l->ours = i;
	l->spent = share;
	return rc;
}

static int
look_at_all(struct looks *l, const struct tt_pairs_plan *plan, double *now, struct tt_mem *mem, struct tt_err *err)
{
	int rc = TT_OK;

	*now = 0;
	for (size_t n = 1; n <= l->n && rc == TT_OK; n++) {
		bool last = n == l->n && plan->last;
		double share = share_of(plan, n, last);

		*now = 0;
		/* Extend the series by both signs of the new difference. */
		if (n <= TT_PAIRS_EXACT)
			memcpy(l->stopped + ((size_t)1 << (n - 1)), l->stopped, (size_t)1 << (n - 1));
		if (share <= 0)
			continue;
		if (n <= TT_PAIRS_EXACT) {
			look(l, n, share);
		} else if (n % LATE == 0 || share >= 1) {
			*now = share - l->spent;
			rc = late_look(l, n, share, mem, err);
		}
	}
	return rc;
}

/* Compute the p required at the last look for stopping at level ${place}. */
static int
nominal(const struct looks *l, size_t place, double now, double *p, struct tt_mem *mem, struct tt_err *err)
{
	struct signed_rank r[TT_PAIRS_EXACT];
	unsigned w[TT_PAIRS_EXACT];
	size_t m, least = SIZE_MAX;

	*p = 0;
	if (l->n > TT_PAIRS_EXACT) {
		*p = level_at(place) * now;
		return TT_OK;
	}
	/* A series that stops at a stricter level stops at this one. */
	for (size_t i = 0; i <= place; i++)
		least = l->level[i].from < least ? l->level[i].from : least;
	m = rank_sizes(l->pair, l->n, l->limit, r);
	for (size_t i = 0; i < m; i++)
		w[i] = r[l->n - m + i].twice;
	return share_from(w, m, least, p, mem, err);
}

/* Begin the looks of one series. l->stopped, freed by end_looks(), has a byte for each combination of signs. */
static int
start_looks(struct looks *l, const struct tt_pair *pair, size_t n, int64_t limit, struct tt_mem *mem, struct tt_err *err)
{
	size_t bytes = (size_t)1 << (n < TT_PAIRS_EXACT ? n : TT_PAIRS_EXACT);

	*l = (struct looks){ .pair = pair, .limit = limit, .n = n, .ours = LEVELS };
	for (size_t i = 0; i < LEVELS; i++)
		l->level[i].from = SIZE_MAX;
	l->stopped = tt_mem_alloc(mem, bytes, err);
	if (l->stopped)
		memset(l->stopped, LEVELS, bytes);
	return l->stopped ? TT_OK : err->code;
}

static void
end_looks(struct looks *l, struct tt_mem *mem)
{
	tt_mem_free(mem, l->stopped, (size_t)1 << (l->n < TT_PAIRS_EXACT ? l->n : TT_PAIRS_EXACT));
}

int
tt_pairs_test(const struct tt_pair *pair, size_t n, int64_t limit, const struct tt_pairs_plan *plan, double level, struct tt_pairs_answer *a,
    struct tt_mem *mem, struct tt_err *err)
{
	size_t many = (LEVELS + 1) * sizeof *((struct looks *)0)->many, place = level_place(level);
	struct looks l;
	double now = 0;
	int rc = tt_signed_rank(pair, n, limit, &a->p, mem, err);

	a->overall = 1;
	a->nominal = 0;
	if (rc != TT_OK || n == 0)
		return rc;
	if (!plan->looks) {
		bool end = plan->last || n >= plan->most;

		a->overall = end ? a->p : 1;
		a->nominal = end ? level : 0;
		return TT_OK;
	}
	rc = start_looks(&l, pair, n, limit, mem, err);
	l.many = rc == TT_OK ? tt_mem_alloc(mem, many, err) : NULL;
	rc = l.many ? look_at_all(&l, plan, &now, mem, err) : err->code;
	if (rc == TT_OK)
		a->overall = l.ours < LEVELS ? level_at(l.ours) : 1;
	if (rc == TT_OK && place < LEVELS)
		rc = nominal(&l, place, now, &a->nominal, mem, err);
	tt_mem_free(mem, l.many, many);
	end_looks(&l, mem);
	return rc;
}

/* --- rows together ------------------------------------------------------------------------------ */

/* A row at a look: for each series, the number of series with at least its rank sum, doubled unless the row may err twice as often. */
struct together {
	uint32_t *tail;               /* by swapped pairs, one bit each; values up to 2 << number of pairs */
	uint32_t ours;
};

static void
count_tails(const struct tt_pairs_row *row, size_t n, bool heavy, struct together *t)
{
	struct signed_rank r[TT_PAIRS_EXACT];
	unsigned twice[TT_PAIRS_EXACT] = { 0 }, lower[1 << TT_PAIRS_EXACT / 2], upper[1 << TT_PAIRS_EXACT / 2];
	size_t low = n / 2, mask = ((size_t)1 << low) - 1, signs = 0;
	uint32_t at_least[SUM_MAX + 2] = { 0 };

	rank_sizes(row->pair, n, row->limit, r);
	for (size_t i = 0; i < n; i++) {
		twice[r[i].at] = r[i].twice;
		signs |= (size_t)r[i].above << r[i].at;
	}
	half_sums(twice, low, lower);
	half_sums(twice + low, n - low, upper);
	for (size_t b = 0; b < (size_t)1 << n; b++)
		at_least[lower[b & mask] + upper[b >> low]]++;
	for (size_t s = SUM_MAX; s > 0; s--)
		at_least[s - 1] += at_least[s];
	/* Indexed by the swapped pairs, so that an index means the same in all rows. */
	for (size_t b = 0; b < (size_t)1 << n; b++)
		t->tail[b ^ signs] = at_least[lower[b & mask] + upper[b >> low]] << !heavy;
	t->ours = t->tail[0];
}

static int
by_tail(const void *a, const void *b, void *arg)
{
	const struct together *t = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;

	return t[i].ours != t[k].ours ? TT_CMP(t[i].ours, t[k].ours) : TT_CMP(i, k);
}

/* By swapped pairs, one bit each: true if some row has stopped at a look, or was set apart. */
struct stops {
	uint8_t *is;                  /* NULL before the first look */
	size_t n;
};

static bool
has_stopped(const struct stops *s, size_t b)
{
	return s->is && s->is[b & (((size_t)1 << s->n) - 1)];
}

/* Compute for each of ${signs} series the smallest tail among these rows. */
static void
surest(const struct together *t, const size_t *order, size_t nrow, size_t signs, uint32_t *least)
{
	for (size_t b = 0; b < signs; b++)
		least[b] = UINT32_MAX;
	for (size_t k = 0; k < nrow; k++)
		for (size_t b = 0; b < signs; b++)
			least[b] = t[order[k]].tail[b] < least[b] ? t[order[k]].tail[b] : least[b];
}

/* The largest tail that is rare enough: at most ${may} series have a row with a tail that small, or stopped before; 0: none. ${many} is scratch space. */
static uint32_t
rare(const uint32_t *least, size_t signs, const struct stops *before, size_t may, uint32_t *many)
{
	size_t sum = 0;
	uint32_t c = 0;

	memset(many, 0, (2 * signs + 1) * sizeof *many);
	for (size_t b = 0; b < signs; b++)
		if (has_stopped(before, b))
			sum++;
		else
			many[least[b]]++;
	while (c < 2 * signs && sum + many[c + 1] <= may)
		sum += many[++c];
	return sum <= may ? c : 0;
}

/*
 * Compute the step-down p values ${adjusted}, by row: the share of series in which this row, or a later one in ${order}, has a tail as small as this row's, or
 * which stopped before. ${order} is by tail, smallest first; ${least} is scratch space.
 */
static void
step_down(const struct together *t, const size_t *order, size_t nrow, size_t signs, const struct stops *before, uint32_t *least, double *adjusted)
{
	double most = 0;

	for (size_t b = 0; b < signs; b++)
		least[b] = has_stopped(before, b) ? 0 : UINT32_MAX;
	for (size_t k = nrow; k-- > 0; ) {
		const uint32_t *tail = t[order[k]].tail, ours = t[order[k]].ours;
		size_t sum = 0;

		for (size_t b = 0; b < signs; b++) {
			least[b] = tail[b] < least[b] ? tail[b] : least[b];
			sum += least[b] <= ours;
		}
		adjusted[order[k]] = (double)sum / (double)signs;
	}
	for (size_t k = 0; k < nrow; k++) {
		most = fmax(most, adjusted[order[k]]);
		adjusted[order[k]] = most;
	}
}

/* A look at several rows. */
struct row_look {
	struct tt_pairs_row *row;
	size_t nrow, n;
	double level;                 /* level that may be spent on this look and earlier ones */
	bool last;
	struct stops stops;           /* series stopped at earlier looks; afterwards also at this one */
	double *adjusted;             /* by row: the share of series that have stopped if this row does */
};

/* The weight by which the row's permitted error is multiplied. Early looks, which can spend little, treat all rows alike. */
static double
weight_of(const struct row_look *l, size_t row)
{
	return l->last && l->row[row].twice ? 2 : 1;
}

/* Move the rows that may be worse to the front of ${order}, and return their number. */
static size_t
set_apart(const struct together *t, size_t *order, size_t nrow, size_t signs, uint32_t most)
{
	size_t kept = 0;

	for (size_t i = 0; i < nrow; i++)
		if (t[order[i]].tail[signs - 1] > most) {
			size_t row = order[i];

			memmove(order + kept + 1, order + kept, (i - kept) * sizeof *order);
			order[kept++] = row;
		}
	return kept;
}

/* The p that corresponds to a tail of ${tail}. */
static double
nominal_of(const struct row_look *l, size_t row, uint32_t tail)
{
	return fmin(1, ldexp((double)tail * weight_of(l, row) / 2, -(int)l->n));
}

/*
 * Do the look, once the tails are counted. ${order}: all rows; ${room}: scratch space for 3 * signs + 1 numbers; ${stopped}: output, the series stopped after
 * it.
 */
static void
count_together(struct row_look *l, struct together *t, size_t *order, uint32_t *room, uint8_t *stopped)
{
	static const struct stops none;
	size_t signs = (size_t)1 << l->n, may = (size_t)(l->level * (double)signs * BIT), kept;
	uint32_t *least = room, *many = room + signs, all, apart = 0, c;
	const struct stops now = { .is = stopped, .n = l->n };

	surest(t, order, l->nrow, signs, least);
	all = rare(least, signs, &l->stops, may, many);
	if (l->last && l->nrow > 1)
		apart = rare(least, signs, &none, (size_t)((double)may * APART), many);
	/* With all pairs swapped, what was surely above is surely below. */
	for (size_t b = 0; b < signs; b++)
		stopped[b] = has_stopped(&l->stops, b) || least[~b & (signs - 1)] <= apart;
	kept = set_apart(t, order, l->nrow, signs, apart);
	tt_sort_by(order, kept, by_tail, t);
	for (size_t i = kept; i < l->nrow; i++) {
		l->adjusted[order[i]] = 1;
		l->row[order[i]].nominal = nominal_of(l, order[i], all);
	}
	if (kept == 0)
		return;
	step_down(t, order, kept, signs, &now, least, l->adjusted);
	c = rare(least, signs, &now, may, many);
	for (size_t i = 0; i < kept; i++)
		l->row[order[i]].nominal = nominal_of(l, order[i], c);
	for (size_t b = 0; b < signs; b++)
		stopped[b] |= least[b] <= c;
}

static int
look_together(struct row_look *l, struct tt_mem *mem, struct tt_err *err)
{
	size_t signs = (size_t)1 << l->n, tails = signs * sizeof(uint32_t), nroom = (3 * signs + 1) * sizeof(uint32_t);
	struct together *t = tt_mem_alloc(mem, l->nrow * sizeof *t, err);
	size_t *order = t ? tt_mem_alloc(mem, l->nrow * sizeof *order, err) : NULL;
	uint32_t *room = order ? tt_mem_alloc(mem, nroom, err) : NULL;
	uint8_t *stopped = room ? tt_mem_alloc(mem, signs, err) : NULL;
	int rc = stopped ? TT_OK : err->code;

	for (size_t i = 0; i < l->nrow && rc == TT_OK; i++) {
		t[i].tail = tt_mem_alloc(mem, tails, err);
		order[i] = i;
		if (t[i].tail)
			count_tails(&l->row[i], l->n, weight_of(l, i) > 1, &t[i]);
		else
			rc = err->code;
	}
	if (rc == TT_OK) {
		count_together(l, t, order, room, stopped);
		if (l->stops.is)
			tt_mem_free(mem, l->stops.is, (size_t)1 << l->stops.n);
		l->stops = (struct stops){ .is = stopped, .n = l->n };
		stopped = NULL;
	}
	for (size_t i = 0; t && i < l->nrow; i++)
		if (t[i].tail)
			tt_mem_free(mem, t[i].tail, tails);
	tt_mem_free(mem, stopped, signs);
	tt_mem_free(mem, room, nroom);
	tt_mem_free(mem, order, l->nrow * sizeof *order);
	tt_mem_free(mem, t, l->nrow * sizeof *t);
	return rc;
}

static int
by_weighed_p(const void *a, const void *b, void *arg)
{
	const struct row_look *l = arg;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	double x = l->adjusted[i] / weight_of(l, i), y = l->adjusted[k] / weight_of(l, k);

	return x < y ? -1 : x > y ? 1 : TT_CMP(i, k);
}

/* Apply Holm's correction with weights to l->adjusted; *${all}: sum of the weights. */
static int
weighed_holm(struct row_look *l, double *all, struct tt_mem *mem, struct tt_err *err)
{
	size_t *order = tt_mem_alloc(mem, l->nrow * sizeof *order, err);
	double left = 0, most = 0;

	if (!order)
		return err->code;
	for (size_t i = 0; i < l->nrow; i++) {
		order[i] = i;
		left += weight_of(l, i);
	}
	*all = left;
	tt_sort_by(order, l->nrow, by_weighed_p, l);
	for (size_t k = 0; k < l->nrow; k++) {
		double weight = weight_of(l, order[k]), *p = &l->adjusted[order[k]];

		most = *p = fmax(most, fmin(1, *p * left / weight));
		left -= weight;
	}
	tt_mem_free(mem, order, l->nrow * sizeof *order);
	return TT_OK;
}

#define TOGETHER ((size_t)1 << 25)    /* maximum number of series of all rows; beyond, Holm's correction */

/* Do one look, which may spend ${share} of ${alpha} in addition to earlier looks. l->adjusted: p values comparable with ${alpha}. */
static int
look_at_rows(struct row_look *l, double alpha, double share, struct tt_mem *mem, struct tt_err *err)
{
	double all = 1;
	int rc = TT_OK;

	if (l->n <= TT_PAIRS_EXACT && l->nrow << l->n <= TOGETHER) {
		rc = look_together(l, mem, err);
		for (size_t i = 0; i < l->nrow; i++)
			l->adjusted[i] *= alpha / l->level;
		return rc;
	}
	for (size_t i = 0; i < l->nrow && rc == TT_OK; i++)
		rc = tt_signed_rank(l->row[i].pair, l->n, l->row[i].limit, &l->adjusted[i], mem, err);
	rc = rc == TT_OK ? weighed_holm(l, &all, mem, err) : rc;
	for (size_t i = 0; i < l->nrow; i++) {
		l->row[i].nominal = alpha * share * weight_of(l, i) / all;
		l->adjusted[i] /= share;
	}
	return rc;
}

/*
 * The share of the level for a look after ${n} pairs, which is added to *${spent}; 0: no look. If even the smallest p exceeds it, the share is saved for a
 * later look.
 */
static double
look_share(const struct tt_pairs_plan *plan, size_t n, bool last, double alpha, double *spent)
{
	static const struct { unsigned at, share; } look[] = { { 50, 5 }, { 65, 15 }, { 80, 30 } };       /* percent: of the pairs; of the level */
	double share = 0;

	if (last || n >= plan->most)
		share = 1 - *spent;
	for (size_t i = 0; i < sizeof look / sizeof *look && share <= 0 && plan->looks; i++)
		if (n == (plan->most * look[i].at + 99) / 100)
			share = look[i].share / 100.0 - *spent;
	if (ldexp(1, -(int)n) > alpha * share * BIT)
		return 0;
	*spent += share;
	return share;
}

int
tt_pairs_family(struct tt_pairs_row *row, size_t nrow, size_t n, const struct tt_pairs_plan *plan, double alpha, struct tt_mem *mem,
    struct tt_err *err)
{
	struct row_look l = { .row = row, .nrow = nrow };
	double spent = 0;
	int rc;

	l.adjusted = tt_mem_alloc(mem, nrow * sizeof *l.adjusted, err);
	rc = l.adjusted ? TT_OK : err->code;
	for (size_t i = 0; i < nrow && rc == TT_OK; i++) {
		row[i].adjusted = 1;
		rc = tt_signed_rank(row[i].pair, n, row[i].limit, &row[i].p, mem, err);
	}
	for (size_t k = 1; k <= n && rc == TT_OK && nrow; k++) {
		double share = look_share(plan, k, k == n && plan->last, alpha, &spent);

		for (size_t i = 0; i < nrow; i++)
			row[i].nominal = 0;
		if (share <= 0)
			continue;
		l.n = k;
		l.level = alpha * spent;
		l.last = spent * BIT >= 1;
		rc = look_at_rows(&l, alpha, share, mem, err);
		for (size_t i = 0; i < nrow && rc == TT_OK; i++)
			row[i].adjusted = fmin(row[i].adjusted, l.adjusted[i]);
	}
	if (l.stops.is)
		tt_mem_free(mem, l.stops.is, (size_t)1 << l.stops.n);
	tt_mem_free(mem, l.adjusted, nrow * sizeof *l.adjusted);
	return rc;
}
