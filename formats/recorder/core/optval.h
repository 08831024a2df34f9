/**
 * Reads values of options: numbers, sizes, times, patterns, file names. Uses libc only, no locale and no floating point.
 */
#ifndef TT_OPTVAL_H
#define TT_OPTVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read a decimal number with an optional fraction at *${s}, and multiply it by ${unit}; *${s} moves past it. */
bool optval_number(const char **s, const char *end, uint64_t unit, uint64_t *v);

/* Read the ${n} bytes at ${s} as a size ("32M", "1.5GiB"), in bytes, or as a time ("33.4ms", "10min"), in ns. */
bool optval_size(const char *s, size_t n, uint64_t *v);
bool optval_time(const char *s, size_t n, uint64_t *v);

/* True if ${s} matches ${pattern}: '*' any run, '?' any byte, case matters. */
bool optval_glob(const char *pattern, const char *s);

/* Copy ${path} into ${to}, replacing %p (process id), %t (UTC, 20261120-093000) and %%. Returns 0, or -1 if it does not fit. */
enum { OPTVAL_PATH = 1024 };
int optval_path(char to[OPTVAL_PATH], const char *path, long pid, int64_t unix_s);

#endif
