/**
 * Counted, capped allocation for everything that lives long.
 *
 * One struct tt_mem per run. Callers give the size again when they free, so
 * blocks carry no header. The counters are atomic: any thread may allocate.
 * Failure is TT_E_NOMEM (the system said no) or TT_E_LIMIT (the cap, whose
 * message names TT_SETTING_MEMORY).
 */
#ifndef TT_BASE_MEM_H
#define TT_BASE_MEM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_err;

/* An owner of memory that can be freed on demand. ${give} is called, on any thread, when the cap would be passed; true: it freed some. */
struct tt_mem_freeable {
	bool (*free_some)(void *arg);
	void *arg;
};

struct tt_mem {
	_Atomic size_t used, peak;
	size_t cap;                   /* bytes; 0 = none */
	_Atomic(struct tt_mem_freeable *) freeable;
};

/**
 * tt_mem_alloc(mem, n, err):
 * Return ${n} zeroed bytes, or NULL with ${err} filled. ${n} of 0 gives a unique
 * pointer that must be freed with size 0.
 */
void *tt_mem_alloc(struct tt_mem *mem, size_t n, struct tt_err *err);

/* Allocate ${n} zeroed bytes, a multiple of TT_MEM_LINE, aligned to a cache line. For memory that is accessed at random. */
#define TT_MEM_LINE 64
void *tt_mem_alloc_lines(struct tt_mem *mem, size_t n, struct tt_err *err);
void tt_mem_free_lines(struct tt_mem *mem, void *p, size_t n);

/**
 * tt_mem_grow(mem, p, cap, need, elem, err):
 * Make the array *${p} of *${cap} elements of ${elem} bytes hold at least ${need}
 * elements, at least doubling it; new elements are zero. On failure array and
 * capacity are unchanged. Checked against overflow.
 */
int tt_mem_grow(struct tt_mem *mem, void *p, size_t *cap, size_t need, size_t elem,
    struct tt_err *err);

/* Convert ${n} to a size_t, clamped: for limits, where more than memory can hold means no limit. */
static inline size_t
tt_clamp_size(uint64_t n)
{
	return n < SIZE_MAX ? (size_t)n : SIZE_MAX;
}

/**
 * tt_mem_shrink(mem, p, cap, n, elem):
 * Shrink the array *${p} of *${cap} elements of ${elem} bytes to its first ${n} elements. If ${n} is 0, or the system cannot shrink it, nothing changes.
 */
void tt_mem_shrink(struct tt_mem *mem, void *p, size_t *cap, size_t n, size_t elem);

/**
 * tt_mem_free(mem, p, n):
 * Give back a block of ${n} bytes (element size times capacity for arrays).
 * NULL is fine.
 */
void tt_mem_free(struct tt_mem *mem, void *p, size_t n);

/**
 * tt_mem_charge(mem, n, err), tt_mem_refund(mem, n):
 * Count ${n} bytes that another library allocates, or frees, against the limit of ${mem}.
 */
int tt_mem_charge(struct tt_mem *mem, size_t n, struct tt_err *err);
void tt_mem_refund(struct tt_mem *mem, size_t n);

/* Return freed memory to the system where that is possible. It takes a millisecond or two: call it after much was freed that is not needed again soon. */
void tt_mem_trim(void);

/* --- arena: many small blocks with one lifetime ------------------------- */

struct tt_arena_page;
struct tt_arena {
	struct tt_mem *mem;
	struct tt_arena_page *pages;
	char *next, *end;
};

/**
 * tt_arena_init(a, mem) / tt_arena_free(a):
 * Make an empty arena that allocates from ${mem}; free all its memory at once.
 */
void tt_arena_init(struct tt_arena *a, struct tt_mem *mem);
void tt_arena_free(struct tt_arena *a);

/**
 * tt_arena_alloc(a, n, err):
 * Return ${n} zeroed bytes aligned for any type, or NULL with ${err} filled.
 */
void *tt_arena_alloc(struct tt_arena *a, size_t n, struct tt_err *err);

/**
 * tt_arena_text(a, s, n, err):
 * Return a NUL-terminated copy of the ${n} bytes at ${s}; if ${s} is NULL, zeroed room for them.
 */
char *tt_arena_text(struct tt_arena *a, const char *s, size_t n, struct tt_err *err);

/**
 * tt_arena_grow(a, p, cap, n, elem, err):
 * Make the array *${p} of *${cap} elements of ${elem} bytes hold more than ${n} of them; new elements are zero. The memory of the smaller
 * array stays in the arena: for lists of options and files, not for events.
 */
int tt_arena_grow(struct tt_arena *a, void *p, size_t *cap, size_t n, size_t elem, struct tt_err *err);

#endif
