/**
 * Allocates memory, counts it, and fails at the limit.
 */
#include "base/mem.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/setting.h"
#include "sys/sys.h"

static bool
give_way(struct tt_mem *mem)
{
	struct tt_mem_freeable *s = atomic_load(&mem->freeable);

	return s && s->free_some(s->arg);
}

/* Count ${n} more bytes, or fail if they would pass the cap. The sum is exact at every moment, so the cap is never passed. */
static int
charge(struct tt_mem *mem, size_t n, struct tt_err *err)
{
	size_t used = atomic_load_explicit(&mem->used, memory_order_relaxed), now, peak;

	do {
		while (mem->cap && n <= SIZE_MAX - used && used + n > mem->cap && give_way(mem))
			used = atomic_load_explicit(&mem->used, memory_order_relaxed);
		if (n > SIZE_MAX - used || (mem->cap && used + n > mem->cap))
			return tt_fail(err, TT_E_LIMIT, TT_NOWHERE,
			    "memory limit of %zu bytes reached: %zu in use, %zu more needed; raise %s",
			    mem->cap, used, n, tt_setting_name[TT_SETTING_MEMORY]);
		now = used + n;
	} while (!atomic_compare_exchange_weak_explicit(&mem->used, &used, now, memory_order_relaxed,
	    memory_order_relaxed));
	peak = atomic_load_explicit(&mem->peak, memory_order_relaxed);
	while (peak < now &&
	    !atomic_compare_exchange_weak_explicit(&mem->peak, &peak, now, memory_order_relaxed,
		memory_order_relaxed))
		;
	return TT_OK;
}

static void
refund(struct tt_mem *mem, size_t n)
{
	atomic_fetch_sub_explicit(&mem->used, n, memory_order_relaxed);
}

int
tt_mem_charge(struct tt_mem *mem, size_t n, struct tt_err *err)
{
	return charge(mem, n, err);
}

void
tt_mem_refund(struct tt_mem *mem, size_t n)
{
	refund(mem, n);
}

void *
tt_mem_alloc(struct tt_mem *mem, size_t n, struct tt_err *err)
{
	void *p;

	if (charge(mem, n, err) != TT_OK)
		return NULL;
	p = calloc(n ? n : 1, 1);
	if (!p) {
		refund(mem, n);
		tt_fail_nomem(err);
	}
	return p;
}

void *
tt_mem_alloc_lines(struct tt_mem *mem, size_t n, struct tt_err *err)
{
	void *p;

	if (charge(mem, n, err) != TT_OK)
		return NULL;
	p = tt_sys_aligned(TT_MEM_LINE, n);
	if (!p) {
		refund(mem, n);
		tt_fail_nomem(err);
		return NULL;
	}
	return memset(p, 0, n);
}

/* Return the capacity to grow to, or 0 if its size in bytes would overflow. */
static size_t
grown_cap(size_t cap, size_t need, size_t elem)
{
	size_t max = SIZE_MAX / 2 / elem, want = cap < 8 ? 8 : cap;

	if (need > max)
		return 0;
#ifdef TT_GROW_EXACTLY
	return need;
#endif
	if (cap)
		want = cap <= max / 2 ? cap * 2 : max;
	return want < need ? need : want;
}

int
tt_mem_grow(struct tt_mem *mem, void *p, size_t *cap, size_t need, size_t elem, struct tt_err *err)
{
	size_t old_b = *cap * elem, new_cap, new_b;
	void *array;
	int rc;

	if (need <= *cap)
		return TT_OK;
	new_cap = grown_cap(*cap, need, elem);
	if (new_cap == 0)
		return tt_fail_nomem(err);
	new_b = new_cap * elem;
	rc = charge(mem, new_b - old_b, err);
	if (rc != TT_OK)
		return rc;
	/* ${p} points to a pointer of any type; memcpy reads and writes it without an alias. */
	memcpy(&array, p, sizeof array);
	/* calloc() does not write to large blocks: they use no memory until they are written. */
	array = array ? realloc(array, new_b) : calloc(1, new_b);
	if (!array) {
		refund(mem, new_b - old_b);
		return tt_fail_nomem(err);
	}
	if (old_b)
		memset((char *)array + old_b, 0, new_b - old_b);
	memcpy(p, &array, sizeof array);
	*cap = new_cap;
	return TT_OK;
}

void
tt_mem_shrink(struct tt_mem *mem, void *p, size_t *cap, size_t n, size_t elem)
{
	void *array;

	if (n == 0 || n >= *cap)
		return;
	memcpy(&array, p, sizeof array);
	if (!(array = realloc(array, n * elem)))
		return;
	memcpy(p, &array, sizeof array);
	refund(mem, (*cap - n) * elem);
	*cap = n;
}

void
tt_mem_free(struct tt_mem *mem, void *p, size_t n)
{
	if (!p)
		return;
	free(p);
	refund(mem, n);
}

void
tt_mem_free_lines(struct tt_mem *mem, void *p, size_t n)
{
	if (!p)
		return;
	tt_sys_free_aligned(p);
	refund(mem, n);
}

void
tt_mem_trim(void)
{
	tt_sys_trim();
}

/* --- arena -------------------------------------------------------------- */

/* Tests that let allocations fail need one page for each block, and no spare room in arrays and buffers. */
#ifdef TT_GROW_EXACTLY
#define PAGE_FIRST ((size_t)0)
#else
#define PAGE_FIRST ((size_t)4096)
#endif
#define PAGE_LARGEST ((size_t)1 << 20)

struct tt_arena_page {
	struct tt_arena_page *next;
	size_t size;                  /* bytes, including this header */
};

/* Bytes of the header, rounded up so that the memory after it is aligned for any type. */
#define HEAD ((sizeof(struct tt_arena_page) + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1))

void
tt_arena_init(struct tt_arena *a, struct tt_mem *mem)
{
	*a = (struct tt_arena){ .mem = mem };
}

void
tt_arena_free(struct tt_arena *a)
{
	while (a->pages) {
		struct tt_arena_page *page = a->pages;

		a->pages = page->next;
		tt_mem_free(a->mem, page, page->size);
	}
	a->next = a->end = NULL;
}

static struct tt_arena_page *
add_page(struct tt_arena *a, size_t size, struct tt_err *err)
{
	struct tt_arena_page *page = tt_mem_alloc(a->mem, size, err);

	if (!page)
		return NULL;
	page->size = size;
	return page;
}

/* Allocate a block too large to share a page: it gets a page of its own, listed after the page being filled. */
static void *
alloc_large(struct tt_arena *a, size_t n, struct tt_err *err)
{
	struct tt_arena_page *page = add_page(a, HEAD + n, err);

	if (!page)
		return NULL;
	if (a->pages) {
		page->next = a->pages->next;
		a->pages->next = page;
	} else {
		a->pages = page;
	}
	return (char *)page + HEAD;
}

/* Begin a new page of twice the size of the last. */
static int
next_page(struct tt_arena *a, struct tt_err *err)
{
	size_t size = PAGE_FIRST;
	struct tt_arena_page *page;

	/* The size grows with shared pages only: a large block does not make the next page large. */
	if (a->end)
		size = a->pages->size < PAGE_LARGEST ? a->pages->size * 2 : PAGE_LARGEST;
	page = add_page(a, size, err);
	if (!page)
		return err ? err->code : TT_E_NOMEM;
	page->next = a->pages;
	a->pages = page;
	a->next = (char *)page + HEAD;
	a->end = (char *)page + size;
	return TT_OK;
}

/* Return ${n} zeroed bytes aligned to ${align}, a power of two, at most the alignment of max_align_t. */
static void *
carve(struct tt_arena *a, size_t n, size_t align, struct tt_err *err)
{
	size_t skip = (size_t)(0 - (uintptr_t)a->next) & (align - 1);
	char *p;

	if (n > SIZE_MAX / 2) {
		tt_fail_nomem(err);
		return NULL;
	}
	n += n == 0;
	if (!a->next || n + skip > (size_t)(a->end - a->next)) {
		if (n > PAGE_FIRST / 4)
			return alloc_large(a, n, err);
		if (next_page(a, err) != TT_OK)
			return NULL;
		skip = 0;
	}
	p = a->next + skip;
	a->next = p + n;
	return p;
}

void *
tt_arena_alloc(struct tt_arena *a, size_t n, struct tt_err *err)
{
	return carve(a, n, alignof(max_align_t), err);
}

char *
tt_arena_text(struct tt_arena *a, const char *s, size_t n, struct tt_err *err)
{
	char *p;

	if (n == SIZE_MAX) {
		tt_fail_nomem(err);
		return NULL;
	}
	p = carve(a, n + 1, 1, err);
	if (p && s && n)
		memcpy(p, s, n);
	return p;
}

int
tt_arena_grow(struct tt_arena *a, void *p, size_t *cap, size_t n, size_t elem, struct tt_err *err)
{
	size_t more = *cap ? 2 * *cap : 8;
	void *v, *old;

	if (n < *cap)
		return TT_OK;
	v = tt_arena_alloc(a, more * elem, err);
	if (!v)
		return err->code;
	memcpy(&old, p, sizeof old);
	if (*cap)
		memcpy(v, old, *cap * elem);
	memcpy(p, &v, sizeof v);
	*cap = more;
	return TT_OK;
}
