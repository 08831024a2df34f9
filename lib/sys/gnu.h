/**
 * Functions of GNU's C library that other systems lack. On these systems the Makefile has it included before every file; no file includes it.
 */
#ifndef TT_SYS_GNU_H
#define TT_SYS_GNU_H
#if defined(_WIN32) || defined(__EMSCRIPTEN__)

#include <stddef.h>
#include <stdlib.h>

#ifdef _WIN32
#include <math.h>
#include <string.h>
#include <time.h>

/* The compiler's own versions, which do not convert a double first. */
#undef isfinite
#undef isnan
#undef isinf
#undef signbit
#define isfinite(x) __builtin_isfinite(x)
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define signbit(x) __builtin_signbit(x)

void *memmem(const void *in, size_t n, const void *what, size_t nwhat);
void *memrchr(const void *in, int c, size_t n);
void *mempcpy(void *to, const void *from, size_t n);
char *stpcpy(char *to, const char *from);
char *strndup(const char *s, size_t n);
struct tm *gmtime_r(const time_t *t, struct tm *to);
#endif

/* Both sorts keep equal elements in order, as glibc's do, so that outputs do not depend on the system. */
void tt_sort_stable(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *));
void qsort_r(void *v, size_t n, size_t size, int (*cmp)(const void *, const void *, void *), void *arg);
#define qsort tt_sort_stable

#endif
#endif
