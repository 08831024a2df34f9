/**
 * Order: comparing, sorting, and finding in sorted arrays.
 */
#ifndef TT_BASE_ORDER_H
#define TT_BASE_ORDER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Compare: -1, 0 or 1 if ${a} is less than, equal to or greater than ${b}. */
#define TT_CMP(a, b) (((a) > (b)) - ((a) < (b)))

/* Sort the ${n} elements at ${v}; if ${n} is 0, ${v} may be NULL. */
#define tt_sort(v, n, cmp) tt_sort_bytes(v, n, sizeof *(v), cmp)

static inline void
tt_sort_bytes(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	if (n > 1)
		qsort(v, n, size, cmp);
}

/* As tt_sort(), with ${arg} as third argument of ${cmp}. */
#define tt_sort_by(v, n, cmp, arg) tt_sort_bytes_by(v, n, sizeof *(v), cmp, arg)

static inline void
tt_sort_bytes_by(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), const void *arg)
{
	if (n > 1)
		qsort_r(v, n, size, cmp, (void *)(uintptr_t)arg);
}

/* Compare two pointers to texts. */
static inline int
tt_compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/**
 * tt_lower_bound(i, from, to, before):
 * Return the first index from ${from} to ${to} - 1 for which the expression ${before}, in which ${i} is the index, is false; ${to} if
 * it is false for no index. The expression must be true for all indexes before the result, and false for all after it.
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
