/**
 * Takes numbers, pointers and text from a buffer's events, and keeps the values to which later events are relative.
 *
 * No function here checks bounds. TT_CHUNK_PAD zeros follow the bytes and end every number, so p passes the end by a few bytes at most; over() checks that at
 * the end of an event. A loop over a count from the file calls left() first, and checks p inside.
 */
#ifndef TT_MLPD_CHUNK_TAKE_H
#define TT_MLPD_CHUNK_TAKE_H

#include "mlpd/mlpd.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/*
 * A stack recorded in this run of decoding. A frame is stored as its distance from the previous one, so the first frame and the bytes of the others identify
 * a stack.
 */
enum { MLPD_SEEN = 256 };
struct mlpd_seen {
	const uint8_t *bytes;         /* bytes of all frames except the first */
	size_t len;
	uint64_t first, n;            /* the stack's words in the batch */
};

/* One run of decoding. */
struct mlpd_run {
	const struct mlpd *m;
	struct tt_batch *b;
	const uint8_t *p, *end;
	const uint8_t *start;         /* begin of the chunk */
	uint64_t at;                  /* offset of start in the file */
	uint64_t time, ptr, obj, method, mask;
	int64_t zero;
	int64_t floor;                /* time of the last stack event, which is the minimum for the next one */
	int64_t last;                 /* latest time before the clock ran backwards */
	bool bad;
	bool heap, graph, moves, objects;     /* true: this part of the heap is wanted */
	bool any_seen;                /* true: seen[] is in use; until then it is not cleared */
	struct mlpd_seen *seen;       /* [MLPD_SEEN] */
	struct tt_err *err;
};

uint64_t mlpd_uleb_long(const uint8_t **pp, bool *bad);
int64_t mlpd_sleb_long(const uint8_t **pp, bool *bad);
void mlpd_time_back(struct mlpd_run *r, uint64_t delta);

static inline uint64_t
uleb(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;

	if (likely(p[0] < 0x80)) {
		*pp = p + 1;
		return p[0];
	}
	if (likely(p[1] < 0x80)) {
		*pp = p + 2;
		return (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
	}
	return mlpd_uleb_long(pp, bad);
}

static inline int64_t
sleb(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;

	if (p[0] < 0x80) {
		*pp = p + 1;
		return (int64_t)((uint64_t)p[0] << 57) >> 57;
	}
	if (p[1] < 0x80) {
		*pp = p + 2;
		return (int64_t)(((uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7) << 50) >> 50;
	}
	if (p[2] < 0x80) {
		*pp = p + 3;
		return (int64_t)(((uint64_t)(p[0] & 0x7f) | (uint64_t)(p[1] & 0x7f) << 7 | (uint64_t)p[2] << 14) << 43) >> 43;
	}
	return mlpd_sleb_long(pp, bad);
}

static inline uint64_t take_u(struct mlpd_run *r) { return uleb(&r->p, &r->bad); }
static inline uint64_t take_s(struct mlpd_run *r) { return (uint64_t)sleb(&r->p, &r->bad); }
static inline uint64_t take_ptr(struct mlpd_run *r) { return (r->ptr + take_s(r)) & r->mask; }
static inline uint64_t take_obj(struct mlpd_run *r) { return ((r->obj + take_s(r)) * 8) & r->mask; }
static inline uint64_t take_method(struct mlpd_run *r) { return r->method = (r->method + take_s(r)) & r->mask; }
static inline unsigned take_u8(struct mlpd_run *r) { return *r->p++; }

/* Take a byte in data version ${v} and later, a number in earlier versions. */
static inline uint64_t
byte_since(struct mlpd_run *r, unsigned v)
{
	return r->m->version >= v ? take_u8(r) : take_u(r);
}

/* Convert a value written as a C int: values of 2^31 and more were sign-extended. */
static inline uint64_t
from_int(uint64_t v)
{
	return (v >> 63) ? (v & UINT32_MAX) : v;
}

static inline bool
over(const struct mlpd_run *r)
{
	return r->p > r->end || r->bad;
}

/* Return the number of bytes left, which limits every count before memory is reserved for it. */
static inline uint64_t
left(const struct mlpd_run *r)
{
	return over(r) ? 0 : (uint64_t)(r->end - r->p);
}

static inline int64_t
now(const struct mlpd_run *r)
{
	return (int64_t)(r->time - (uint64_t)r->zero);
}

static inline void
advance(struct mlpd_run *r)
{
	uint64_t d = take_u(r);

	if (unlikely(d >> 63))
		mlpd_time_back(r, d);
	else
		r->time += d;
}

/* Advance the time for an event that has a time only since data version 13. */
static inline void
advance_since_13(struct mlpd_run *r)
{
	if (r->m->version >= 13)
		advance(r);
}

/* Take a NUL-terminated text, ${what}, borrowed from the buffer; set bad if it has no NUL. */
void take_text(struct mlpd_run *r, enum mlpd_text what, const char **t, uint32_t *len);

/* Copy a text to the batch, as an argument of the last event. */
int take_text_arg(struct mlpd_run *r, const char *t, uint32_t len);

/* Take a recorded stack, outermost frame first: *${n} words from word *${first} of the batch; equal stacks may share words. */
int take_stack(struct mlpd_run *r, uint64_t *first, uint64_t *n);

/**
 * mlpd_event(r, tag, unknown):
 * Decode the payload of any event; r->p is just after its tag. *${unknown} is set for a tag without a known
 * length. Errors: TT_E_NOMEM, TT_E_LIMIT; damage is reported by over().
 */
int mlpd_event(struct mlpd_run *r, unsigned tag, bool *unknown);

/* The parts of mlpd_event() that decode heap shots. */
int mlpd_shot_object(struct mlpd_run *r);
int mlpd_shot_roots(struct mlpd_run *r);

#endif
