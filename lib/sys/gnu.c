/**
 * The functions of gnu.h, by their definitions in the manual of GNU's C library.
 */
#if defined(_WIN32) || defined(__EMSCRIPTEN__)
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sys/gnu.h"

#undef qsort

#ifdef _WIN32

void *
memmem(const void *in, size_t n, const void *what, size_t nwhat)
{
	const unsigned char *p = in, *first = what, *end;

	if (nwhat == 0)
		return (void *)(uintptr_t)in;
	if (n < nwhat)
		return NULL;
	for (end = p + (n - nwhat) + 1; (p = memchr(p, *first, (size_t)(end - p))) != NULL; p++)
		if (memcmp(p, what, nwhat) == 0)
			return (void *)(uintptr_t)p;
	return NULL;
}

void *
memrchr(const void *in, int c, size_t n)
{
	const unsigned char *p = in;

	while (n-- > 0)
		if (p[n] == (unsigned char)c)
			return (void *)(uintptr_t)(p + n);
	return NULL;
}

void *
mempcpy(void *to, const void *from, size_t n)
{
	return (char *)memcpy(to, from, n) + n;
}

char *
stpcpy(char *to, const char *from)
{
	const size_t n = strlen(from);

	memcpy(to, from, n + 1);
	return to + n;
}

char *
strndup(const char *s, size_t n)
{
	const size_t len = strnlen(s, n);
	char *p = malloc(len + 1);

	if (!p)
		return NULL;
	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

struct tm *
gmtime_r(const time_t *t, struct tm *to)
{
	return gmtime_s(to, t) == 0 ? to : NULL;
}

#endif

/* Merge the sorted ranges [0, half) and [half, n) of ${v}; ${room} has space for the first. */
static void
merge(char *v, size_t half, size_t n, size_t size, char *room, int (*cmp)(const void *, const void *, void *), void *arg)
{
	size_t a = 0, b = half, to = half;

	if (cmp(v + (half - 1) * size, v + half * size, arg) <= 0)
		return;
	memcpy(room, v, half * size);
	for (to = 0; a < half && b < n; to++) {
		const bool left = cmp(room + a * size, v + b * size, arg) <= 0;

		memmove(v + to * size, left ? room + a * size : v + b * size, size);
		a += left;
		b += !left;
	}
	memcpy(v + to * size, room + a * size, (half - a) * size);
}

static void
sort(char *v, size_t n, size_t size, char *room, int (*cmp)(const void *, const void *, void *), void *arg)
{
	const size_t half = n / 2;

	if (n < 2)
		return;
	sort(v, half, size, room, cmp, arg);
	sort(v + half * size, n - half, size, room, cmp, arg);
	merge(v, half, n, size, room, cmp, arg);
}

static int
compare_plain(const void *a, const void *b, void *arg)
{
	int (*const *cmp)(const void *, const void *) = arg;

	return (*cmp)(a, b);
}

/* Swap the elements ${i} and ${j}. */
static void
swap(char *v, size_t i, size_t j, size_t size)
{
	for (char *a = v + i * size, *b = v + j * size; size > 0; size--, a++, b++) {
		const char was = *a;
		*a = *b;
		*b = was;
	}
}

/* Move element ${i} of a heap of ${n} down until heap order holds. */
static void
sink(char *v, size_t i, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg)
{
	for (size_t below; (below = 2 * i + 1) < n; i = below) {
		if (below + 1 < n && cmp(v + below * size, v + (below + 1) * size, arg) < 0)
			below++;
		if (cmp(v + i * size, v + below * size, arg) >= 0)
			return;
		swap(v, i, below, size);
	}
}

/* Sort by heapsort, which needs no memory. */
static void
sort_in_place(char *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg)
{
	for (size_t i = n / 2; i-- > 0;)
		sink(v, i, n, size, cmp, arg);
	while (n-- > 1) {
		swap(v, 0, n, size);
		sink(v, 0, n, size, cmp, arg);
	}
}

/* If there is no memory for half of the elements, equal elements do not keep their order. */
void
qsort_r(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg)
{
	char small[4096];
	char *room = n / 2 * size <= sizeof small ? small : malloc(n / 2 * size);

	if (room)
		sort(v, n, size, room, cmp, arg);
	else
		sort_in_place(v, n, size, cmp, arg);
	if (room != small)
		free(room);
}

void
tt_sort_stable(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	qsort_r(v, n, size, compare_plain, &cmp);
}

#else
typedef int tt_no_gnu;        /* C wants a declaration in every file */
#endif
