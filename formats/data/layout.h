/**
 * The bytes of Unity's .data: constants, and how to take fields out of a record. Little-endian; tracetool-unity-data(7) describes all of it.
 */
#ifndef TT_DATA_LAYOUT_H
#define TT_DATA_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "unity/profiler.h"

#define DATA_END UINT32_C(0xDEADFEED)         /* after the last record */
#define DATA_MARK UINT32_C(0xAFAFAFAF)        /* the last four bytes of each record */
#define DATA_NO_MARKER UINT32_MAX             /* the marker of a thread's root */
#define DATA_54 UINT32_C(0x20140736)          /* versions: 5.4, 5.5, 2017.1, the first of the later layout, the first that gives its release */
#define DATA_55 UINT32_C(0x20160622)
#define DATA_2017_1 UINT32_C(0x20170130)
#define DATA_FIRST UINT32_C(0x20170327)
#define DATA_SAYS_RELEASE UINT32_C(0x20220328)

enum {
	DATA_SIZE_MAX = 256 << 20,    /* maximum and minimum size of a record that makes sense */
	DATA_SIZE_MIN = 64,
	DATA_STACK = 32,              /* number of addresses of a stack */
	DATA_MAX_HEAD = 28,           /* maximum bytes before a record */
};

/* The layout of the records of one file. */
struct data_layout {
	uint32_t word, like;          /* the file's version; the version whose layout it has */
	uint8_t rank;                 /* see struct unity_version; 0: before 2017.3 */
	uint8_t head;                 /* bytes before a record */
	/* Sources disagree on these. Records decide: only the right choice leads to their end marks. */
	bool pads_audio;              /* names of audio groups are padded */
	bool pads_place;              /* the padding after names of the UI makes the record's size a multiple of 4 */
};

/* A record being read. Fields that are missing read as 0. */
struct data_take {
	const uint8_t *p, *end, *from;
	bool bad;                     /* true: something is missing, or makes no sense; p is at the end */
};

static inline void
data_is_bad(struct data_take *t)
{
	t->bad = true;
	t->p = t->end;
}

static inline const uint8_t *
data_bytes(struct data_take *t, size_t n)
{
	const uint8_t *p = t->p;

	if ((size_t)(t->end - p) < n) {
		data_is_bad(t);
		return NULL;
	}
	t->p += n;
	return p;
}

static inline uint32_t
data_take32(struct data_take *t)
{
	const uint8_t *p = data_bytes(t, 4);

	return p ? unity_u32(p) : 0;
}

static inline uint64_t
data_take64(struct data_take *t)
{
	const uint8_t *p = data_bytes(t, 8);

	return p ? unity_u64(p) : 0;
}

/* Take a count of entries of at least ${size} bytes each; bad if the remaining bytes cannot hold them. */
static inline uint32_t
data_count(struct data_take *t, size_t size)
{
	uint32_t n = data_take32(t);

	if (n * (uint64_t)size > (size_t)(t->end - t->p)) {
		data_is_bad(t);
		return 0;
	}
	return n;
}

/* Take a list of entries of ${size} bytes. */
static inline const uint8_t *
data_list(struct data_take *t, size_t size, uint32_t *n)
{
	const uint32_t count = data_count(t, size);
	const uint8_t *p = t->p;

	*n = count;
	t->p = p + (size_t)count * size;
	return p;
}

/* Take a name that ends with a NUL and is padded with NULs to a multiple of 4. Never NULL. */
static inline const char *
data_name(struct data_take *t, uint32_t *n)
{
	const uint8_t *p = t->p, *nul = memchr(p, 0, (size_t)(t->end - p));
	const size_t len = nul ? (size_t)(nul - p) : UINT32_MAX;

	*n = 0;
	if (len >= UINT32_MAX || !data_bytes(t, (len + 4) & ~(size_t)3)) {
		data_is_bad(t);
		return "";
	}
	*n = (uint32_t)len;
	return (const char *)p;
}

#endif
