/*
 * The ring beside a capture, and captures that are odd as a whole: what a killed program left is joined, what a wrong ring says takes
 * nothing from the file, and no name that a capture has opens anything else.
 */
#include "check.h"

#include <sys/stat.h>

#include "ttc_make.h"

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
	p[7] = (uint8_t)wrong(p[7]);
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
	k.p = ring + R_CHUNKS + 4 * R_SIZE;
	part_chunk(5, 0, 0);
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

TEST(a_chunk_of_the_ring_that_does_not_fit_is_left_there)
{
	struct ttc_result r;
	size_t n = make_killed(capture, ring, 0, 20, 2, 30, 0, 0);

	/* It begins inside a record. */
	CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
	ttc_read(NULL, capture, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(r.all.zones, EVENTS + 20 + 20);
	/* It is longer than its place. */
	n = make_killed(capture, ring, 0, 20, 0, 30, 0, 0);
	ring[R_CHUNKS + 2 * R_SIZE + 9] = 0x20;
	CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
	ttc_read(NULL, capture, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(r.all.zones, EVENTS + 30);
}

/* The recorder gives the place of a chunk to another one. */
static void
given_away(void)
{
	memset(ring + R_CHUNKS + 2 * R_SIZE, 0x5a, R_SIZE);
	CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
}

TEST(a_ring_that_changes_while_it_is_read_is_not_damaged)
{
	struct ttc_result r;
	size_t n = make_killed(capture, ring, 0, 20, 0, 30, 0, 0);

	CHECK(stored(check_path("tracetool-numbers.ring"), ring, sizeof ring));
	ttc_how.opened = given_away;
	ttc_read(NULL, capture, n, 0, &r);
	ttc_how.opened = NULL;
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(r.loss.e[TT_LOST_DAMAGED].n, 0);
	CHECK_EQ_INT(r.loss.e[TT_LOST_CHANGED].n, 1);
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

/* --- captures without a ring ------------------------------------------------------------------ */

/* Heads and threads 1 to 3; what follows is the test's. */
static void
begin_file(uint8_t *p)
{
	k = (struct making){ .odd = 0 };
	file_head(p, "");
	chunk(0, 0, 0, 0, false);
	for (unsigned i = 1; i <= 3; i++)
		DEFINE(TTC_THREAD, number(i); number(1000 + i); number(2000 + i); number(0); number(0); number(0));
	sealed();
	plain_chunk(1, 0, 0);
}

TEST(a_state_that_makes_no_sense_costs_its_chunk)
{
	static const struct { unsigned n; uint64_t v[6]; bool good; } as[] = {
		{ 0, { 0 }, false }, { 1, { 90 }, false }, { 2, { 90, 10 }, false }, { 3, { 90, 10, 5 }, false },
		{ 4, { 90, 10, 1, 2 }, false }, { 4, { 90, 10, 5000, 5000 }, false }, { 5, { 90, 10, 3, 3, 1 }, false },
		{ 6, { 90, 10, 70000, 2, 1, 1 }, true }, { 6, { 90, 10, UINT64_MAX, 2, 1, 1 }, true },
	};
	struct ttc_result r;

	for (unsigned i = 0; i < sizeof as / sizeof as[0]; i++) {
		begin_file(capture);
		chunk(2, 0, 0, 0, false);
		k.p = chunk_at + TTC_CHUNK_HEAD;
		for (unsigned j = 0; j < as[i].n; j++)
			k.p = ttc_put(k.p, as[i].v[j]);
		put32(chunk_at + 56, (uint64_t)(k.p - chunk_at) - TTC_CHUNK_HEAD);
		for (unsigned j = 0; j < 10; j++) {
			k.p = ttc_put(k.p, 5 << 2 | TTC_BEGIN);
			k.p = ttc_put(k.p, 0);
			k.p = ttc_put(k.p, 7 << 2 | TTC_END);
		}
		sealed();
		ttc_read(NULL, capture, (size_t)(k.p - capture), 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.loss.e[TT_LOST_DAMAGED].n, !as[i].good);
		CHECK_EQ_INT(r.loss.e[TT_LOST_STACKS].n, as[i].good);
		CHECK_EQ_INT(r.all.zones, EVENTS / 2 + (as[i].good ? 10 : 0));
	}
}

TEST(an_empty_chunk_is_no_event)
{
	struct ttc_result r;

	begin_file(capture);
	for (unsigned seq = 0; seq < 2; seq++) {
		chunk(2, seq, 0, 0, false);
		sealed();
	}
	ttc_read(NULL, capture, (size_t)(k.p - capture), 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(r.all.events, EVENTS);
	CHECK_EQ_INT(tt_loss_damaged(&r.loss), 0);
	/* Once more, it is one that should not be there. */
	chunk(2, 1, 0, 0, false);
	sealed();
	ttc_read(NULL, capture, (size_t)(k.p - capture), 0, &r);
	CHECK_EQ_INT(r.all.events, EVENTS);
	CHECK_EQ_INT(r.loss.e[TT_LOST_MISSING].n, 1);
}

/* More of it than is looked at in one piece. */
TEST(garbage_between_chunks_is_passed_over)
{
	enum { GARBAGE = 700000 };
	static uint8_t long_[1 << 20];
	struct ttc_result r;

	for (unsigned piped = 0; piped < 2; piped++) {
		begin_file(long_);
		memset(k.p, 'T', GARBAGE);
		k.p += GARBAGE;
		plain_chunk(3, 0, 0);
		if (piped)
			ttc_read_pipe(long_, (size_t)(k.p - long_), &r);
		else
			ttc_read(NULL, long_, (size_t)(k.p - long_), 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.loss.e[TT_LOST_SYNC].n, 1);
		CHECK_EQ_INT(r.loss.e[TT_LOST_SYNC].bytes, GARBAGE);
		CHECK_EQ_INT(r.all.zones, EVENTS);
	}
}

TEST(zones_deeper_than_a_depth_can_say_are_all_read)
{
	enum { DEEP = 70000 };
	static uint8_t deep[1 << 19];
	struct ttc_result r;

	begin_file(deep);
	chunk(2, 0, 0, 0, false);
	for (unsigned i = 0; i < DEEP; i++) {
		k.p = ttc_put(k.p, 1 << 2 | TTC_BEGIN);
		k.p = ttc_put(k.p, 0);
	}
	k.p = ttc_put(k.p, 1 << 2 | TTC_ALLOC);
	k.p = ttc_put(k.p, 0);
	k.p = ttc_put(k.p, 64);
	for (unsigned i = 0; i < DEEP; i++)
		k.p = ttc_put(k.p, 1 << 2 | TTC_END);
	sealed();
	for (unsigned plain = 0; plain < 2; plain++) {
		ttc_how.plain = plain;
		ttc_read(NULL, deep, (size_t)(k.p - deep), 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.all.zones, EVENTS / 2 + DEEP);
		CHECK_EQ_INT(r.all.allocs, 1);
		CHECK_EQ_INT(r.all.open, 0);
		CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
	}
	ttc_how.plain = false;
}

/* What a recorder told before it was killed: threads that wrote nothing, and what they dropped. */
TEST(drops_of_threads_without_chunks_are_recovered)
{
	enum { THREADS = 3000 };
	static uint8_t many[1 << 18];
	struct ttc_result r;
	size_t n, size;

	begin_file(many);
	chunk(0, 1, ttc_u32(many + ttc_u32(many + 12) + 8) - 4, 0, false);
	for (unsigned i = 0; i <= THREADS; i++)
		DEFINE(TTC_DROPS, number((uint64_t)i << 16); number(1 + i % 3));
	sealed();
	n = (size_t)(k.p - many);
	ttc_read(NULL, many, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(tt_loss_damaged(&r.loss), 0);
	/* Those of number 0 are of threads that found no place. */
	uint64_t dropped = r.loss.e[TT_LOST_DROPPED].n;
	CHECK_EQ_INT(dropped, 2 * THREADS);
	CHECK_EQ_INT(r.loss.e[TT_LOST_NO_PLACE].n, 1);
	const char *path = check_path("many.ttc");
	CHECK(stored(path, many, n));
	char *whole = ttc_recover_all(&path, 1, &size);
	if (CHECK(whole != NULL)) {
		ttc_read(NULL, whole, size, 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(tt_loss_damaged(&r.loss), 0);
		CHECK_EQ_INT(r.loss.e[TT_LOST_DROPPED].n, dropped);
		CHECK_EQ_INT(r.all.zones, EVENTS / 2);
	}
	free(whole);
}

TEST(every_kind_of_event_has_a_name_of_its_own)
{
	unsigned named = 0;

	for (unsigned a = 0; a < 256; a++) {
		const char *name = ttc_tag_name(a);
		named += name != NULL;
		for (unsigned b = 0; name && b < a; b++)
			CHECK(!ttc_tag_name(b) || strcmp(name, ttc_tag_name(b)) != 0);
	}
	CHECK_EQ_INT(named, 3 + 14 + 17);
	CHECK_STR(ttc_tag_name(4 + TTC_COUNTER), "counter");
}

TEST(the_engines_own_timings_are_known_by_the_names_of_their_counters)
{
	unsigned late;

	CHECK_EQ_INT(ttc_timing("CPU Total Frame Time", &late), TT_TIMING_TOTAL);
	CHECK_EQ_INT(ttc_timing("CPU Main Thread Frame Time", &late), TT_TIMING_MAIN);
	CHECK_EQ_INT(ttc_timing("CPU Render Thread Frame Time", &late), TT_TIMING_RENDER);
	CHECK_EQ_INT(ttc_timing("GPU Frame Time", &late), TT_TIMING_GPU);
	CHECK_EQ_INT(ttc_timing("Used Memory", &late), -1);
}
