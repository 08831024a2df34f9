/*
 * What a recorder with an error would write: captures whose checksums are right and whose numbers are not.
 *
 * One capture has every kind of record there is. Each of its numbers, of the file's head, of a chunk's, of its state, of records
 * and of their lengths, takes each of a list of wrong values; and each payload ends before each of its numbers. Whatever it is, reading
 * comes to an end without an error, in any way of reading; other threads have all they had; what ends too early is told; and the whole
 * program, with every pass and emitter, gives back what it took. The ring beside a capture is treated alike.
 */
#include "check.h"

#include <sys/stat.h>

#include "memrun.h"
#include "mono/records.h"
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

static uint64_t
wrong(uint64_t v)
{
	if (++k.at != k.odd)
		return v;
	k.was = k.part;
	k.ended = k.cut && k.part == P_RECORD;
	k.whole = (size_t)(k.to - k.payload);
	return k.cut ? v : k.value;
}

static void
number(uint64_t v)
{
	v = wrong(v);
	if (!k.ended)
		k.to = ttc_put(k.to, v);
}

static void
byte(unsigned v)
{
	v = (uint8_t)wrong(v);
	if (!k.ended)
		*k.to++ = (uint8_t)v;
}

static void
bytes(const void *p, size_t n)
{
	number(n);
	memcpy(k.to, p, k.ended ? 0 : n);
	k.to += k.ended ? 0 : n;
}

static void
text(const char *s)
{
	bytes(s, strlen(s));
}

static void
put32(uint8_t *p, uint64_t v)
{
	v = wrong(v);
	memcpy(p, &v, 4);
}

static void
put64(uint8_t *p, uint64_t v)
{
	v = wrong(v);
	memcpy(p, &v, 8);
}

/* A record whose payload is made by what stands between these two. */
static void
from(void)
{
	k.to = k.payload;
	k.ended = false;
}

static void
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
static void
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

static void
sealed(void)
{
	size_t n = (size_t)(k.p - chunk_at) - TTC_CHUNK_HEAD;
	uint32_t len = (uint32_t)n, crc = tt_crc32c(0, chunk_at + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + n);

	memcpy(chunk_at + 8, &len, 4);
	memcpy(chunk_at + 12, &crc, 4);
}

/* A thread that is right. */
static uint32_t
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

static void
value(unsigned type, uint64_t v)
{
	byte(type);
	number(v);
}

static void
stack(unsigned n)
{
	number(n);
	for (unsigned i = 0; i < n; i++)
		number(ttc_zig(16 + i));
}

static void
values(void)
{
	static const uint8_t wide[] = { 'G', 0, 0x2d, 0x4e, 0x3d, 0xd8, 0, 0xde, 0x3d, 0xd8, 'x', 0, 0, 0xdc, 0xe9, 0, 0, 0 };

	number(11);
	value(TTC_I32, ttc_zig(5));
	value(TTC_INSTANCE, 6);
	value(TTC_U64, 7);
	value(TTC_ENTITY, 8);
	value(TTC_PTR, 9);
	value(TTC_CLASS, 9);
	byte(TTC_F32);
	memcpy(k.to, "\0\0\x80\x3f", 4);
	k.to += k.ended ? 0 : 4;
	byte(TTC_F64);
	memcpy(k.to, "\0\0\0\0\0\0\xf0\x3f", 8);
	k.to += k.ended ? 0 : 8;
	byte(TTC_TEXT8);
	bytes("text\0", 5);
	byte(TTC_TEXT16);
	bytes(wide, sizeof wide);
	byte(TTC_BLOB);
	text("blob");
}

static void
unity_records(void)
{
	RECORD(TTC_BEGIN_ARGS, number(ttc_zig(1)); values());
	RECORD(TTC_END_FLAGS, number(1));
	RECORD(TTC_SINGLE, number(ttc_zig(1)); values());
	RECORD(TTC_BEGIN_FLAGS, number(ttc_zig(1)); number(8));
	RECORD(TTC_BEGIN_FLAGS, number(ttc_zig(1)); number(0));
	RECORD(TTC_END_BELOW, number(1); number(1));
	RECORD(TTC_END_NONE, number(ttc_zig(3)));
	RECORD(TTC_END_KEY, number(ttc_zig(3)); number(1));
	RECORD(TTC_COUNTER, number(ttc_zig(0)); number(1); value(TTC_U64, 77));
	RECORD(TTC_COUNTER, number(ttc_zig(0)); number(1); byte(TTC_TEXT8); text("no number"));
	RECORD(TTC_FLOW, byte(TT_FLOW_SEQUENTIAL); number(4));
	RECORD(TTC_FRAME, (void)0);
	RECORD(TTC_FRAME, number(7));
	RECORD(TTC_ALLOC_ARGS, number(ttc_zig(4)); number(64); number(2); value(TTC_U32, 3); byte(TTC_STACK_KEYS);
	    k.to += 0; bytes("\2\20\22", 3));
	RECORD(TTC_ALLOC_ARGS, number(ttc_zig(0)); number((uint64_t)1 << 33); number(1); byte(TTC_TEXT8); text("why"));
	RECORD(TTC_ALLOC_ARGS, number(ttc_zig(0)); number(8); number(0));
	RECORD(TTC_TIMING, number(1); number(1); number(16000000); number(0); number(9000000); number(1); number(2));
	k.part = P_LENGTH;
	k.p = ttc_put(k.p, wrong(1 << 2 | TTC_ALLOC));
	k.p = ttc_put(k.p, wrong(ttc_zig(0)));
	k.p = ttc_put(k.p, wrong((uint64_t)5 << 32));
	k.p = ttc_put(k.p, wrong(1 << 2 | TTC_BEGIN));
	k.p = ttc_put(k.p, wrong(ttc_zig(2)));
	k.p = ttc_put(k.p, wrong(1 << 2 | TTC_END));
	k.part = P_RECORD;
}

static void
mono_records(void)
{
	RECORD(MONO_GC, byte(1); number(0));
	RECORD(MONO_GC, byte(5); number(0));
	RECORD(MONO_GC_HEAP, number(1 << 20));
	RECORD(MONO_GC_MOVES, stack(4));
	RECORD(MONO_GC_ROOTS, stack(4));
	RECORD(MONO_HANDLE, byte(1); byte(0); number(7); number(4096));
	RECORD(MONO_HANDLE, byte(1); byte(1); number(7); number(4096));
	RECORD(MONO_FINALIZE, byte(0); number(4096));
	RECORD(MONO_FINALIZE, byte(1); number(4096));
	RECORD(MONO_THROW, number(4096); number(900); stack(2));
	RECORD(MONO_CLAUSE, byte(1); number(0); number(91); number(4096));
	RECORD(MONO_MONITOR, byte(1); number(4096); stack(2));
	RECORD(MONO_MONITOR, byte(2); number(4096); stack(0));
	RECORD(MONO_ROOT, byte(0); number(8192); number(64); number(2); number(5); text("root"));
	RECORD(MONO_ROOT, byte(1); number(8192));
	RECORD(MONO_CODE, byte(3); number(65536); number(100); text("code"));
	RECORD(MONO_GONE, byte(TTC_O_IMAGE); number(800));
	RECORD(MONO_SAMPLE, number(65540); stack(3));
	RECORD(MONO_HEAP_SHOT, byte(0); number(1));
	RECORD(MONO_HEAP_OBJECTS, number(ttc_zig(512)); number(ttc_zig(900)); number(32); number(0); number(2); number(8);
	    number(ttc_zig(4)); number(16); number(ttc_zig(8)));
	RECORD(MONO_HEAP_SHOT, byte(1); number(1); number(1); number(32));
	RECORD(MONO_COVER_METHOD, number(1); number(2); number(3); for (int i = 0; i < 5; i++) text("name"));
	RECORD(MONO_COVER_STATEMENTS, number(1); number(ttc_zig(1)); number(2); number(3); number(4));
}

static void
definitions(void)
{
	DEFINE(TTC_META, number(0); text("engine"); text("test"));
	DEFINE(TTC_META, number(0); text("engine"); text("once more"));
	DEFINE(TTC_DEF_CATEGORY, number(0); number(5); number(1); number(0x11223344); text("Scripts"));
	DEFINE(TTC_DEF_CATEGORY, number(0); number(6); number(2); number(0); text(""));
	DEFINE(TTC_DEF_MARKER, number(0); number(10); number(5); number(1); number(0); text("GC.Alloc"));
	DEFINE(TTC_DEF_MARKER, number(0); number(91); number(6); number(2); number(0); text("Update"));
	DEFINE(TTC_DEF_MARKER, number(0); number(92); number(5); number(3); number(0); text("GC.Collect"));
	DEFINE(TTC_DEF_LABEL, number(0); number(93); number(91); number(0); byte(TTC_TEXT8); text("label"));
	DEFINE(TTC_DEF_LABEL, number(0); number(94); number(91); number(5); byte(TTC_TEXT16); bytes("l\0\xe9\0", 4));
	DEFINE(TTC_DEF_COUNTER, number(0); number(97); number(2); text("Used Memory"); text("Memory"));
	DEFINE(TTC_DEF_COUNTER, number(0); number(98); number(0); text("CPU Total Frame Time"); text("Render"));
	DEFINE(TTC_DEF_OBJECT, number(0); number(900); byte(TTC_O_CLASS); number(800); text("Game.Thing"); text(""));
	DEFINE(TTC_DEF_OBJECT, number(0); number(800); byte(TTC_O_IMAGE); number(0); text("game.dll"); text("id"));
	for (unsigned i = 1; i <= 3; i++) {
		DEFINE(TTC_DEF_THREAD, number(0); number(1000 + i); text("Group"); text("Name"));
		DEFINE(TTC_THREAD, number(i); number(1000 + i); number(2000 + i); number(0); number(0); number(0));
	}
	DEFINE(TTC_DEF_FRAMES, number(0); number(2));
	DEFINE(TTC_CLOCK, number(1000000000); number(2000000000); number(0));
	DEFINE(TTC_CLOCK, number(3000000000); number(4000000000); number(0));
	DEFINE(TTC_NOTE, text("a note"));
}

/* The end of the file's head, its texts, with the ring's path where there is one. */
static void
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

/* The capture with its number ${odd} wrong; its length. */
static size_t
make(uint8_t *p, unsigned odd, uint64_t v, bool cut)
{
	uint32_t first, ends[4];

	k = (struct making){ .odd = odd, .value = v, .cut = cut };
	file_head(p, "");
	k.part = P_RECORD;
	chunk(0, 0, 0, 0, true);
	uint8_t *records = k.p;
	definitions();
	first = (uint32_t)(k.p - records);
	sealed();
	ends[1] = plain_chunk(1, 0, 0);
	chunk(2, 0, 0, 0, true);
	records = k.p;
	unity_records();
	ends[2] = (uint32_t)(k.p - records);
	sealed();
	chunk(2, 1, ends[2], 3, true);
	records = k.p;
	RECORD(TTC_END_BELOW, number(1); number(0));
	k.part = P_LENGTH;
	k.p = ttc_put(k.p, wrong(1 << 2 | TTC_END));
	k.part = P_RECORD;
	mono_records();
	RECORD(TTC_THREAD_END, (void)0);
	ends[2] = (uint32_t)(k.p - records);
	sealed();
	chunk(2, 2, ends[2], 2, true);
	records = k.p;
	RECORD(TTC_RESET, (void)0);
	ends[2] = (uint32_t)(k.p - records);
	sealed();
	ends[3] = plain_chunk(3, 0, 0);
	chunk(0, 1, first, 0, true);
	DEFINE(TTC_DROPS, number(2); number(0));
	DEFINE(TTC_GONE, number(2); number(3); number(ends[2]); number(40); number(0));
	DEFINE(TTC_FINISH, byte(TTC_F_CLEAN); number(2); number(1); number(1); number(ends[1]); number(EVENTS); number(0);
	    number(3); number(1); number(ends[3]); number(EVENTS); number(0));
	sealed();
	return (size_t)(k.p - p);
}

/* --- what is promised ---------------------------------------------------------------------- */

static uint8_t capture[1 << 16];
static const uint64_t values_wrong[] = { 0, 1, 2, 200, UINT16_MAX, (uint64_t)1 << 31, UINT32_MAX, (uint64_t)1 << 33, INT64_MAX,
	UINT64_MAX };
enum { VALUES = sizeof values_wrong / sizeof values_wrong[0] };

/* How much of the two threads that are right was found; native ids may be what was wrong. */
static bool
others_whole(const struct ttc_result *r)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->threads; i++)
		n += r->sum[i].events == EVENTS && r->sum[i].zones == EVENTS / 2;
	return n == 2;
}

/* A frame may have a number, and lists may be empty. */
static bool
may_end(void)
{
	return k.kind == TTC_FRAME || (k.kind == MONO_HEAP_OBJECTS && k.whole == 0) ||
	    (k.kind == MONO_COVER_STATEMENTS && k.whole == 1);
}

static void
say(const char *what, unsigned odd, uint64_t v, const struct ttc_result *r)
{
	static unsigned said;

	if (said++ < 20)
		printf("%s: number %u as %llu (part %d, kind %u): rc %d, %llu events of %zu threads\n", what, odd,
		    (unsigned long long)v, (int)k.was, k.kind, r->rc, (unsigned long long)r->all.events, (size_t)r->threads);
}

/* Every way of reading it. */
static unsigned
read_all(unsigned odd, uint64_t v, bool cut)
{
	size_t n = make(capture, odd, v, cut);
	struct ttc_result r;
	unsigned bad = 0;

	for (unsigned how = 0; how < 5; how++) {
		ttc_how = (struct ttc_how){ .plain = how == 1,
			.needs = how < 2 ? TT_NEEDS_ARGS | TT_NEEDS_HEAP | TT_NEEDS_COVERAGE : how == 2 ? TT_SKIM : 0 };
		if (how < 4)
			ttc_read(NULL, capture, n, 0, &r);
		else
			ttc_read_pipe(capture, n, &r);
		bool wrong_head = k.was == P_FILE && (r.rc == TT_E_DAMAGED || r.rc == TT_E_UNKNOWN) && r.err.msg[0];
		/* Of a chunk's head the thread may be what is wrong: then it belongs to another one. */
		bool whole = wrong_head || how == 2 || k.was == P_CHUNK || others_whole(&r);
		bool told = !(cut && k.was == P_RECORD && how < 2) || may_end() || r.loss.e[TT_LOST_DAMAGED].n > 0;
		if ((r.rc != TT_OK && !wrong_head) || !whole || !told) {
			say(!whole ? "not whole" : !told ? "not told" : "failed", odd, v, &r);
			bad++;
		}
	}
	ttc_how = (struct ttc_how){ .needs = TT_NEEDS_ARGS };
	return bad;
}

TEST(a_capture_with_every_kind_of_record_is_read)
{
	struct ttc_result r;
	size_t n = make(capture, 0, 0, false);

	ttc_how.needs = TT_NEEDS_ARGS | TT_NEEDS_HEAP | TT_NEEDS_COVERAGE;
	ttc_read(NULL, capture, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(tt_loss_damaged(&r.loss), 0);
	CHECK_EQ_INT(r.end_mark, 1);
	CHECK(others_whole(&r));
	CHECK_EQ_INT(r.gaps, 1);
	CHECK_EQ_INT(r.all.frames, 2);
	CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], 5);
	printf("every_kind: %zu bytes, %u numbers\n", n, k.at);
}

TEST(any_wrong_number_costs_no_more_than_its_thread)
{
	unsigned numbers, bad = 0;

	make(capture, 0, 0, false);
	numbers = k.at;
	for (unsigned odd = 1; odd <= numbers; odd++)
		for (unsigned i = 0; i < VALUES; i++)
			bad += read_all(odd, values_wrong[i], false);
	CHECK_EQ_INT(bad, 0);
}

TEST(a_record_that_ends_before_its_numbers_do_is_told)
{
	unsigned numbers, bad = 0;

	make(capture, 0, 0, false);
	numbers = k.at;
	for (unsigned odd = 1; odd <= numbers; odd++)
		bad += read_all(odd, 0, true);
	CHECK_EQ_INT(bad, 0);
}

/* Passes, reports and emitters over it. */
TEST(no_number_makes_a_pass_or_an_emitter_fail)
{
	unsigned numbers, bad = 0;

	make(capture, 0, 0, false);
	numbers = k.at;
	for (unsigned odd = 1; odd <= numbers; odd++) {
		uint64_t v = values_wrong[odd % VALUES];
		size_t n = make(capture, odd, v, false), held;
		struct memrun r;
		memrun(&r, capture, n, MEMRUN_CALLS | MEMRUN_REPORT | MEMRUN_EMIT);
		int rc = r.rc;
		if ((held = memrun_free(&r)) != 0 || (rc != TT_OK && k.was != P_FILE)) {
			printf("number %u as %llu: rc %d, %zu bytes held: %s\n", odd, (unsigned long long)v, rc, held, r.err.msg);
			bad++;
		}
	}
	CHECK_EQ_INT(bad, 0);
}

TEST(what_is_recovered_of_it_is_a_capture_again)
{
	unsigned numbers, bad = 0;

	make(capture, 0, 0, false);
	numbers = k.at;
	for (unsigned odd = 1; odd <= numbers; odd++) {
		size_t n = make(capture, odd, values_wrong[odd % VALUES], false), size;
		if (k.was == P_FILE)
			continue;
		const char *path = check_path("a.ttc");
		FILE *f = fopen(path, "wb");
		CHECK(f && fwrite(capture, 1, n, f) == n && fclose(f) == 0);
		char *whole = ttc_recover(&path, 1, &size);
		struct ttc_result r = { .rc = TT_E_DAMAGED };
		if (whole)
			ttc_read(NULL, whole, size, 0, &r);
		if (r.rc != TT_OK || (k.was != P_CHUNK && !others_whole(&r))) {
			say("not recovered", odd, 0, &r);
			bad++;
		}
		free(whole);
	}
	CHECK_EQ_INT(bad, 0);
}

/* --- the ring ------------------------------------------------------------------------------- */

enum { R_SLOTS = 4096, R_CHUNKS = 8192, R_SIZE = 4096, R_N = 5, R_BYTES = R_CHUNKS + R_N * R_SIZE };

/* ${n} zones of thread ${thread} behind ${first} bytes of its chunk. */
static uint32_t
part_chunk(uint32_t thread, uint32_t first, int n)
{
	uint8_t *records;

	chunk(thread, 0, 0, 0, true);
	memcpy(chunk_at + 48, &first, 4);
	records = k.p;
	for (int i = 0; i < n; i++) {
		k.p = ttc_put(k.p, 5 << 2 | TTC_BEGIN);
		k.p = ttc_put(k.p, 0);
		k.p = ttc_put(k.p, 7 << 2 | TTC_END);
	}
	sealed();
	return (uint32_t)(k.p - records);
}
enum { ZONE_BYTES = 3 };

static void
ring_head(uint8_t *p)
{
	memcpy(p, TTC_RING_MAGIC, 8);
	k.part = P_RING;
	p[8] = (uint8_t)wrong(TTC_MAJOR);
	put32(p + 12, sizeof(struct ttc_ring));
	memcpy(p + 16, "0123456789abcdef", 16);
	p[16 + 15] = (uint8_t)wrong('f');
	put64(p + 32, R_BYTES);
	put32(p + 40, 4);
	put32(p + 44, R_SLOTS);
	put32(p + 48, R_N);
	put32(p + 52, R_SIZE);
	put64(p + 56, R_CHUNKS);
	put64(p + 64, TTC_R_LIVE);
	put64(p + 72, 42);
	for (unsigned i = 0; i < 4; i++) {
		uint8_t *s = p + R_SLOTS + i * sizeof(struct ttc_slot);
		put32(s, i == 0 ? TTC_S_FREE : i == 2 ? TTC_S_ENDED : TTC_S_LIVE);
		put32(s + 4, i + 1);
		put64(s + 8, 1001 + i);
		put64(s + 32, 0);
	}
}

static void
ring_definitions(uint8_t *p)
{
	static const char *const name[] = { "One", "GC.Collect", "Other" };
	uint8_t *at = p + TTC_CHUNK_HEAD;

	memcpy(p, "TTCd", 4);
	memcpy(p + 60, "0123", 4);
	for (unsigned i = 0; i < 3; i++) {
		from();
		k.part = P_RECORD;
		number(0); number(200 + i); number(0); number(0); number(0); text(name[i]);
		k.ended = false;
		k.part = P_RING;
		uint32_t n = 9 + (uint32_t)(k.to - k.payload), crc;
		at[16] = (uint8_t)wrong(TTC_DEF_MARKER);
		memcpy(at + 17, k.payload, n - 9);
		crc = (uint32_t)wrong(tt_crc32c(0, at + 8, n));
		put32(at, n);
		memcpy(at + 4, &crc, 4);
		at += (n + 8 + 7) & ~7u;
	}
}

/*
 * What a killed program left: in the file threads 1 and 3 whole, and ${in_file} zones of thread 2 from byte ${base} of its chunk on;
 * in the ring ${in_ring} of them from byte ${first} on, 20 of thread 4, and definitions. The file's length.
 */
static size_t
make_killed(uint8_t *p, uint8_t *ring, uint32_t base, int in_file, uint32_t first, int in_ring, unsigned odd, uint64_t v)
{
	size_t n;

	k = (struct making){ .odd = 0 };
	file_head(p, check_path("tracetool-numbers.ring"));
	chunk(0, 0, 0, 0, false);
	for (unsigned i = 1; i <= 3; i++)
		DEFINE(TTC_THREAD, number(i); number(1000 + i); number(2000 + i); number(0); number(0); number(0));
	sealed();
	plain_chunk(1, 0, 0);
	part_chunk(2, base, in_file);
	plain_chunk(3, 0, 0);
	n = (size_t)(k.p - p);
	memset(ring, 0, R_BYTES);
	k = (struct making){ .odd = odd, .value = v };
	ring_head(ring);
	ring_definitions(ring + R_CHUNKS);
	k.p = ring + R_CHUNKS + R_SIZE;
	part_chunk(2, first, in_ring);
	k.p = ring + R_CHUNKS + 2 * R_SIZE;
	part_chunk(4, 0, 20);
	k.p = ring + R_CHUNKS + 3 * R_SIZE;
	plain_chunk(1, 0, 0);         /* which the file has */
	return n;
}

static bool
stored(const char *path, const uint8_t *p, size_t n)
{
	FILE *f = fopen(path, "wb");
	bool good = f && fwrite(p, 1, n, f) == n;

	return f && fclose(f) == 0 && good;
}

static uint8_t ring[R_BYTES];

TEST(what_the_ring_has_behind_the_file_is_joined)
{
	/* Zones in the file and in the ring, and how many are said to be before them. */
	static const struct { int base, in_file, from, in_ring, all, missing; } as[] = {
		{ 0, 20, 0, 30, 30, 0 }, { 0, 20, 20, 10, 30, 0 }, { 0, 20, 16, 10, 26, 0 }, { 0, 20, 0, 20, 20, 0 },
		{ 0, 20, 5, 10, 20, 0 }, { 0, 20, 40, 10, 30, 1 }, { 0, 2000, 300000, 10, 2010, 1 }, { 300000, 20, 300016, 10, 26, 1 },
		{ 300000, 20, 0, 20, 20, 1 },
	};
	struct ttc_result r;

	for (unsigned i = 0; i < sizeof as / sizeof as[0]; i++)
		for (unsigned piped = 0; piped < 2; piped++) {
			size_t n = make_killed(capture, ring, (uint32_t)as[i].base * ZONE_BYTES, as[i].in_file,
			    (uint32_t)as[i].from * ZONE_BYTES, as[i].in_ring, 0, 0);
			CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
			if (piped)
				ttc_read_pipe(capture, n, &r);
			else
				ttc_read(NULL, capture, n, 201, &r);
			CHECK_EQ_INT(r.rc, TT_OK);
			CHECK_EQ_INT(r.from_ring, as[i].all > as[i].in_file ? 2 : 1);
			CHECK_EQ_INT(r.all.zones, EVENTS + as[i].all + 20);
			CHECK_EQ_INT(r.loss.e[TT_LOST_MISSING].n, as[i].missing);
			CHECK_EQ_INT(r.loss.e[TT_LOST_DAMAGED].n, 0);
			CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], 3);
			if (!piped)
				CHECK_STR(r.text, "GC.Collect");
		}
}

TEST(a_wrong_ring_takes_nothing_from_the_file)
{
	unsigned numbers, bad = 0;

	make_killed(capture, ring, 0, 20, 0, 30, 0, 0);
	numbers = k.at;
	for (unsigned odd = 1; odd <= numbers; odd++)
		for (unsigned i = 0; i < VALUES; i++) {
			size_t n = make_killed(capture, ring, 0, 20, 0, 30, odd, values_wrong[i]);
			struct ttc_result r;
			CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
			ttc_read(NULL, capture, n, 0, &r);
			/* A drop it tells of is one. */
			if (r.rc != TT_OK || r.all.zones < EVENTS + 20) {
				say("with the ring", odd, values_wrong[i], &r);
				bad++;
			}
		}
	CHECK_EQ_INT(bad, 0);
	printf("wrong_ring: %u numbers\n", numbers);
	/* Shorter than it should be, anywhere. */
	for (size_t cut = 0; cut < R_BYTES; cut += cut < 300 ? 1 : 97) {
		struct ttc_result r;
		size_t n = make_killed(capture, ring, 0, 20, 0, 30, 0, 0);
		CHECK(stored(check_path("tracetool-numbers.ring"), ring, cut));
		ttc_read(NULL, capture, n, 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.all.zones, EVENTS + 20);
	}
}

/* The name in the capture is whatever its maker wrote. */
TEST(only_a_ring_of_ours_is_opened)
{
	static const char *const name[] = { "tracetool-x.rin", "other-x.ring", "tracetool-dir.ring", "tracetool-none.ring",
		"tracetool-link.ring", "tracetool-fifo.ring" };
	struct ttc_result r;
	char path[512];

	CHECK_EQ_INT(mkdir(check_path("tracetool-dir.ring"), 0700), 0);
	CHECK_EQ_INT(symlink(check_path("tracetool-numbers.ring"), check_path("tracetool-link.ring")), 0);
	CHECK_EQ_INT(mkfifo(check_path("tracetool-fifo.ring"), 0600), 0);
	for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++) {
		size_t n = make_killed(capture, ring, 0, 20, 0, 30, 0, 0);
		snprintf(path, sizeof path, "%s", check_path(name[i]));
		if (i < 2)
			CHECK(stored(path, ring, sizeof ring));
		CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
		/* The head again, with the other name, before the same chunks. */
		size_t size = ttc_u32(capture + 12);
		static uint8_t other[sizeof capture + 512];
		file_head(other, path);
		size_t head = (size_t)(k.p - other);
		memcpy(other + head, capture + size, n - size);
		ttc_read(NULL, other, head + n - size, 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.from_ring, 0);
		CHECK_EQ_INT(r.all.zones, EVENTS + 20);
	}
}
