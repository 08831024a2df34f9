/**
 * The bytes of Unity's .raw: constants, and how to take fields out of a message. Little-endian; tracetool-unity-raw(7) describes all of it.
 *
 * A message has no length of its own. In a packed file its fields follow each other without a gap; in an aligned one the type, each
 * single byte and each text is padded to a multiple of 4 from the message's beginning.
 */
#ifndef TT_RAW_LAYOUT_H
#define TT_RAW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "unity/profiler.h"

#define RAW_MAGIC UINT32_C(0x55334450)
#define RAW_MAGIC_BIG UINT32_C(0x50443355)
#define RAW_BLOCK UINT32_C(0xB10C7EAD)
#define RAW_FOOT UINT32_C(0xB10CF007)
#define RAW_SESSION UINT64_MAX                /* stream of definitions; every other stream's id is a thread's */
#define RAW_SAYS_RELEASE UINT32_C(0x20211028) /* from this version on, the header has the engine's release */


enum {
	RAW_HEAD = 36,                /* bytes of a header without the release, and with it */
	RAW_HEAD_RELEASE = 56,
	RAW_BLOCK_HEAD = 20,
	RAW_BLOCK_FOOT = 8,
	RAW_BLOCK_MAX = 64 << 20,     /* maximum payload that makes sense */
	RAW_TEXT_MAX = 16 << 20,      /* maximum length of a text or blob */
	RAW_CARRY_MAX = 16 << 20,     /* maximum length of a message */
	RAW_UNKNOWN_TYPES = 1024,     /* numbers from here on are not types */
};

enum raw_type {
	RAW_STATE = 0, RAW_MARKER = 1, RAW_CALLSTACK = 3, RAW_STATS = 4, RAW_AUDIO = 5, RAW_UI_CANVAS = 6, RAW_UI_EVENTS = 7,
	RAW_JIT = 8, RAW_NATIVE_TYPE = 10, RAW_OBJECT = 11, RAW_GFX = 12, RAW_THREAD = 33, RAW_FRAME = 34,
	RAW_BEGIN = 36, RAW_END = 37, RAW_SINGLE = 38, RAW_BEGIN_ID = 39, RAW_END_ID = 40, RAW_SINGLE_ID = 41,
	RAW_BEGIN_ARGS = 42, RAW_END_ARGS = 43, RAW_SINGLE_ARGS = 44, RAW_OLD_ALLOC = 52, RAW_ANCHOR = 53, RAW_GPU = 55,
	RAW_CLEANUP = 56, RAW_FLOW = 57, RAW_CATEGORY = 62, RAW_CATEGORY_STATE = 63, RAW_TYPES = 64,
};

/* True if messages of this known type may be in the session's stream, or in a thread's. Statistics, audio, UI and threads may be in both. */
static inline bool
raw_may_be_in(bool session, unsigned type)
{
	const uint64_t either = UINT64_C(1) << RAW_STATS | UINT64_C(1) << RAW_AUDIO | UINT64_C(1) << RAW_UI_CANVAS | UINT64_C(1) << RAW_UI_EVENTS |
	    UINT64_C(1) << RAW_THREAD;
	const uint64_t of_session = UINT64_C(1) << RAW_STATE | UINT64_C(1) << RAW_MARKER | UINT64_C(1) << RAW_JIT | UINT64_C(1) << RAW_NATIVE_TYPE |
	    UINT64_C(1) << RAW_OBJECT | UINT64_C(1) << RAW_GFX | UINT64_C(1) << RAW_CATEGORY | UINT64_C(1) << RAW_CATEGORY_STATE;

	return type < RAW_TYPES && (either >> type & 1 || (of_session >> type & 1) == session);
}

/* True for messages of samples: begins, ends and singles. */
static inline bool
raw_is_sample(unsigned type)
{
	return type >= RAW_BEGIN && type <= RAW_SINGLE_ARGS;
}

/* True for messages of threads that are ordered by their time: marks of frames, and samples. (35 is not a type.) */
static inline bool
raw_has_time(unsigned type)
{
	return type >= RAW_FRAME && type <= RAW_SINGLE_ARGS;
}

/* A flag of threads. */
enum { RAW_THREAD_NO_FRAMES = 1 };

/* How messages are laid out in one session. */
struct raw_layout {
	bool aligned;
	bool wide;                    /* true: instance ids take 8 bytes */
	uint8_t rank;                 /* order of versions, 1 to 12; see version.c */
};

/* A message being read. Fields that are missing read as 0, and the state says why they are missing. */
enum raw_state { RAW_WHOLE, RAW_SHORT, RAW_BAD };
struct raw_take {
	const uint8_t *p, *end, *from;
	const struct raw_layout *l;
	enum raw_state state;
};

static inline const uint8_t *
raw_bytes(struct raw_take *t, size_t n)
{
	const uint8_t *p = t->p;

	if (t->state != RAW_WHOLE || (size_t)(t->end - p) < n) {
		t->state = t->state == RAW_WHOLE ? RAW_SHORT : t->state;
		return NULL;
	}
	t->p += n;
	return p;
}

static inline void
raw_pad(struct raw_take *t)
{
	if (t->l->aligned)
		raw_bytes(t, (size_t)(t->from - t->p) & 3);
}

static inline unsigned
raw_take_byte(struct raw_take *t)
{
	const uint8_t *p = raw_bytes(t, 1);

	raw_pad(t);
	return p ? *p : 0;
}

static inline uint32_t
raw_take16(struct raw_take *t)
{
	const uint8_t *p = raw_bytes(t, 2);

	return p ? unity_u16(p) : 0;
}

static inline uint32_t
raw_take32(struct raw_take *t)
{
	const uint8_t *p = raw_bytes(t, 4);

	return p ? unity_u32(p) : 0;
}

static inline uint64_t
raw_take64(struct raw_take *t)
{
	const uint8_t *p = raw_bytes(t, 8);

	return p ? unity_u64(p) : 0;
}

/* Take a text or blob of *${n} bytes; the result may be NULL if *${n} is 0. */
static inline const uint8_t *
raw_take_blob(struct raw_take *t, uint32_t *n)
{
	*n = raw_take32(t);
	if (*n > RAW_TEXT_MAX)
		t->state = RAW_BAD;
	const uint8_t *p = raw_bytes(t, *n);
	if (!p)
		*n = 0;
	raw_pad(t);
	return p;
}

/* Count the bytes that a text of ${n} bytes at ${p} seems to lack: nonzero bytes in the padding after it. Packed messages have no padding. */
static inline uint32_t
raw_count_lacking(const struct raw_take *t, const uint8_t *p, uint32_t n)
{
	uint32_t more = 0;

	while (t->l->aligned && p && n > 0 && (size_t)(p + n + more - t->from) % 4 != 0 && p[n + more])
		more++;
	return more;
}

/* Take a name: a text up to its first NUL, if any. */
static inline const uint8_t *
raw_take_name(struct raw_take *t, uint32_t *n)
{
	const uint8_t *p = raw_take_blob(t, n);

	if (*n)
		*n = (uint32_t)strnlen((const char *)p, *n);
	return p;
}

#endif
