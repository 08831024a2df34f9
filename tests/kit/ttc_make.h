/**
 * Captures written number by number, so that any of them can be a wrong one: checksums, and lengths of what is around it, are those
 * of what is written. For programs with one capture being made at a time.
 */
#ifndef TT_TESTS_TTC_MAKE_H
#define TT_TESTS_TTC_MAKE_H

#include "check.h"
#include "ttc/crc32c.h"
#include "ttc_kit.h"

enum part { P_NONE, P_FILE, P_ZERO, P_CHUNK, P_STATE, P_LENGTH, P_RECORD, P_RING };
enum { EVENTS = 200 };          /* of the threads that are right */

/* A capture being written. */
static struct making {
	uint8_t *p;
	unsigned at, odd;             /* numbers so far; which one is wrong, from 1; 0: none */
	uint64_t value;               /* what it is then */
	bool cut;                     /* or nothing is, and nothing follows in this payload */
	bool ended;
	enum part part, was;          /* where numbers are now, and where the wrong one was */
	unsigned kind;                /* of the record it was in */
	size_t whole;                 /* bytes of its payload before the wrong one */
	uint8_t payload[4096], *to;
} k;

static inline uint64_t
wrong(uint64_t v)
{
	if (++k.at != k.odd)
		return v;
	k.was = k.part;
	k.ended = k.cut && k.part == P_RECORD;
	k.whole = (size_t)(k.to - k.payload);
	return k.cut ? v : k.value;
}

static inline void
number(uint64_t v)
{
	v = wrong(v);
	if (!k.ended)
		k.to = ttc_put(k.to, v);
}

static inline void
byte(unsigned v)
{
	v = (uint8_t)wrong(v);
	if (!k.ended)
		*k.to++ = (uint8_t)v;
}

static inline void
bytes(const void *p, size_t n)
{
	number(n);
	memcpy(k.to, p, k.ended ? 0 : n);
	k.to += k.ended ? 0 : n;
}

static inline void
text(const char *s)
{
	bytes(s, strlen(s));
}

static inline void
put32(uint8_t *p, uint64_t v)
{
	v = wrong(v);
	memcpy(p, &v, 4);
}

static inline void
put64(uint8_t *p, uint64_t v)
{
	v = wrong(v);
	memcpy(p, &v, 8);
}

/* A record whose payload is made by what stands between these two. */
static inline void
from(void)
{
	k.to = k.payload;
	k.ended = false;
}

static inline void
record(enum part part, unsigned kind)
{
	size_t n = (size_t)(k.to - k.payload);
	bool here = k.was == P_RECORD && k.kind == 0;

	k.kind = here ? kind : k.kind;
	k.ended = false;
	k.part = part == P_ZERO ? P_ZERO : P_LENGTH;
	k.p = ttc_put(k.p, wrong(3 << 2 | TTC_OTHER));
	*k.p++ = (uint8_t)wrong(kind);
	k.p = ttc_put(k.p, wrong(n));
	memcpy(k.p, k.payload, n);
	k.p += n;
	k.part = P_RECORD;
}
#define RECORD(kind, ...) do { from(); __VA_ARGS__; record(P_CHUNK, kind); } while (0)
#define DEFINE(kind, ...) do { from(); __VA_ARGS__; record(P_ZERO, kind); } while (0)

/* --- the capture ------------------------------------------------------------------------ */

static uint8_t *chunk_at;

/* ${state}: how many zones are open. */
static inline void
chunk(uint32_t thread, uint64_t seq, uint32_t before, unsigned state, bool may)
{
	uint8_t *p = chunk_at = k.p;
	unsigned at = k.at;

	memset(p, 0, TTC_CHUNK_HEAD);
	memcpy(p, "TTCk", 4);
	memcpy(p + 60, "0123", 4);
	k.part = P_CHUNK;
	put32(p + 4, thread);
	put64(p + 16, seq);
	put64(p + 24, 5000);
	put64(p + 32, 0);
	put64(p + 40, 0);
	put32(p + 48, 0);
	put32(p + 52, before);
	k.p += TTC_CHUNK_HEAD;
	from();
	k.part = P_STATE;
	number(90);
	number(10);
	number(state);
	number(state);
	for (unsigned i = 0; i < state; i++)
		number(ttc_zig(i ? 1 : 91));
	memcpy(k.p, k.payload, (size_t)(k.to - k.payload));
	k.p += k.to - k.payload;
	k.part = P_CHUNK;
	put32(p + 56, (uint64_t)(k.to - k.payload));
	k.part = P_RECORD;
	if (!may)
		k.at = at;            /* nothing of it is to be wrong */
}

static inline void
sealed(void)
{
	size_t n = (size_t)(k.p - chunk_at) - TTC_CHUNK_HEAD;
	uint32_t len = (uint32_t)n, crc = tt_crc32c(0, chunk_at + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + n);

	memcpy(chunk_at + 8, &len, 4);
	memcpy(chunk_at + 12, &crc, 4);
}

/* A thread that is right. */
static inline uint32_t
plain_chunk(uint32_t thread, uint64_t seq, uint32_t before)
{
	unsigned odd = k.odd;

	k.odd = 0;
	chunk(thread, seq, before, 0, false);
	uint8_t *p = k.p;
	for (int i = 0; i < EVENTS / 2; i++) {
		k.p = ttc_put(k.p, 5 << 2 | TTC_BEGIN);
		k.p = ttc_put(k.p, ttc_zig(i == 0 ? 10 : 0));
		k.p = ttc_put(k.p, 7 << 2 | TTC_END);
	}
	sealed();
	k.odd = odd;
	return (uint32_t)(k.p - p);
}

static inline void
value(unsigned type, uint64_t v)
{
	byte(type);
	number(v);
}

static inline void
stack(unsigned n)
{
	number(n);
	for (unsigned i = 0; i < n; i++)
		number(ttc_zig(16 + i));
}

/* The end of the file's head, its texts, with the ring's path where there is one. */
static inline void
file_head(uint8_t *p, const char *ring)
{
	static const char texts[] = "\0test\0Linux\0x86_64\0--args\0a.ttc";
	size_t n = strlen(ring), size = sizeof(struct ttc_head) + n + sizeof texts;
	uint32_t crc;

	memset(p, 0, sizeof(struct ttc_head));
	memcpy(p, TTC_MAGIC, 8);
	p[8] = TTC_MAJOR;
	memcpy(p + sizeof(struct ttc_head), ring, n);
	memcpy(p + sizeof(struct ttc_head) + n, texts, sizeof texts);
	memcpy(p + 24, "0123456789abcdef", 16);
	k.part = P_FILE;
	put32(p + 12, size);
	put32(p + 20, TTC_H_FRAMES_TOLD);
	put32(p + 40, 0);
	put32(p + 44, 65536);
	put64(p + 48, 1);
	put64(p + 56, 1);
	put64(p + 64, 0);
	put64(p + 72, 1000000000);
	put64(p + 80, 1700000000000000000);
	put64(p + 88, 42);
	put32(p + 96, 8);
	put32(p + 100, TTC_CLOCK_TSC);
	put64(p + 104, 0);
	put64(p + 112, 1001);
	memset(p + 16, 0, 4);
	crc = tt_crc32c(0, p, size);
	memcpy(p + 16, &crc, 4);
	k.p = p + size;
	k.part = P_RECORD;
}

/* --- what is promised ---------------------------------------------------------------------- */

static uint8_t capture[1 << 16] __attribute__((unused));
static const uint64_t values_wrong[] = { 0, 1, 2, 200, UINT16_MAX, (uint64_t)1 << 31, UINT32_MAX, (uint64_t)1 << 33, INT64_MAX,
	UINT64_MAX };
enum { VALUES = sizeof values_wrong / sizeof values_wrong[0] };

/* How much of the two threads that are right was found; native ids may be what was wrong. */
static inline bool
others_whole(const struct ttc_result *r)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->threads; i++)
		n += r->sum[i].events == EVENTS && r->sum[i].zones == EVENTS / 2;
	return n == 2;
}

static inline void
say(const char *what, unsigned odd, uint64_t v, const struct ttc_result *r)
{
	static unsigned said;

	if (said++ < 20)
		printf("%s: number %u as %llu (part %d, kind %u): rc %d, %llu events of %zu threads\n", what, odd,
		    (unsigned long long)v, (int)k.was, k.kind, r->rc, (unsigned long long)r->all.events, (size_t)r->threads);
}

#endif
