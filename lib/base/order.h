/**
 * Order: comparing, sorting, and finding in sorted arrays.
 */
#ifndef TT_BASE_ORDER_H
#define TT_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Below, at or above 0, as ${a} is less than, equal to or more than ${b}. */
#define TT_CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Sort the ${n} elements at ${v}; without any, ${v} may be NULL. */
#define tt_sort(v, n, cmp) tt_sort_bytes(v, n, sizeof *(v), cmp)

static inline void
tt_sort_bytes(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, size, cmp);
}

/* The same with ${arg} as third argument of ${cmp}. */
#define tt_sort_by(v, n, cmp, arg) tt_sort_bytes_by(v, n, sizeof *(v), cmp, arg)

static inline void
tt_sort_bytes_by(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), const void *arg)
{
	if (n > 1)
		qsort_r(v, n, size, cmp, (void *)(uintptr_t)arg);
}

/* For pointers to text. */
static inline int
tt_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/**
 * tt_lower_bound(i, from, to, before):
 * The first of the places ${from} to ${to} - 1 for which the expression ${before}, which names the place ${i}, is false; ${to}
 * where there is none. It must be true for all places before that one, and false for all after it.
 */
#define tt_lower_bound(i, from, to, before) __extension__ ({ \
	size_t least_ = (from), most_ = (to); \
	while (least_ < most_) { \
		size_t i = least_ + (most_ - least_) / 2; \
		if (before) \
			least_ = i + 1; \
		else \
			most_ = i; \
	} \
	least_; })

#endif
