/**
 * The functions of gnu.h, by their definitions in the manual of GNU's C library.
 */
#ifdef _WIN32
#include <stdbool.h>
#include <stdint.h>

#include "sys/gnu.h"

#undef qsort

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

/* Merge the sorted [0, half) and [half, n) of ${v} by way of ${room}. */
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

struct order { int (*cmp)(const void *, const void *, void *); void *arg; };

static int
compare_ordered(void *order, const void *a, const void *b)
{
	const struct order *o = order;

	return o->cmp(a, b, o->arg);
}

/* Without memory for half of the elements equal ones lose their order. */
void
qsort_r(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg)
{
	char small[4096];
	char *room = n / 2 * size <= sizeof small ? small : malloc(n / 2 * size);

	if (room)
		sort(v, n, size, room, cmp, arg);
	else
		qsort_s(v, n, size, compare_ordered, &(struct order){ cmp, arg });
	if (room != small)
		free(room);
}

void
tt_sort_stable(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *))
{
	qsort_r(v, n, size, compare_plain, &cmp);
}

#else
typedef int tt_no_windows_gnu;        /* a file has something in it */
#endif
