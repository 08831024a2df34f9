/*
 * What a recorder with an error would write: captures whose checksums are right and whose numbers are not.
 *
 * One capture has every kind of record there is. Each of its numbers, of the file's head, of a chunk's, of its state, of records
 * and of their lengths, takes each of a list of wrong values; and each payload ends before each of its numbers. Whatever it is, reading
 * comes to an end without an error, in any way of reading; other threads have all they had; what ends too early is told; and the whole
 * program, with every pass and emitter, gives back what it took.
 */
#include "check.h"

#include "memrun.h"
#include "producers/mono_records.h"
#include "ttc_make.h"

static void
values(void)
{
	static const uint8_t wide[] = { 'G', 0, 0x2d, 0x4e, 0x3d, 0xd8, 0, 0xde, 0x3d, 0xd8, 'x', 0, 0, 0xdc, 0xe9, 0, 0, 0xe0,
		0x3d, 0xd8 };

	number(12);
	value(TTC_I32, ttc_zig(5));
	value(TTC_INSTANCE, 6);
	value(TTC_U64, 7);
	value(TTC_RESOURCE, 8);
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
	RECORD(MONO_GC_ROOTS, number(2); number(ttc_zig(16)); number(ttc_zig(17)); number(ttc_zig(1)); number(ttc_zig(2)));
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
	static char name[300];

	memset(name, 'n', sizeof name - 1);
	DEFINE(TTC_META, number(0); text(name); text("too long a key"));
	DEFINE(TTC_META, number(0); text(""); text("none"));
	DEFINE(TTC_DEF_MARKER, number(0); number(95); number(6); number(3); number(0); text("Scene.Load"));
	DEFINE(TTC_DEF_COUNTER, number(0); number(96); number(0); text(name); text("Render"));
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
	DEFINE(TTC_DEF_VTABLE, number(0); number(910); number(900); number(800));
	DEFINE(TTC_DEF_ARGS, number(0); number(91); bytes("a\0b\0", 4));
	DEFINE(TTC_DEF_FRAMES, number(0); number(2));
	DEFINE(TTC_CLOCK, number(1000000000); number(2000000000); number(0));
	DEFINE(TTC_CLOCK, number(3000000000); number(4000000000); number(0));
	DEFINE(TTC_DUMP, number(1); number(1000000000));
	DEFINE(TTC_DUMP, number(2000000000); number(0));
	DEFINE(TTC_NOTE, text("a note"));
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

/* A frame may have a number, and lists may be empty. */
static bool
may_end(void)
{
	return k.kind == TTC_FRAME || (k.kind == MONO_HEAP_OBJECTS && k.whole == 0) ||
	    (k.kind == MONO_COVER_STATEMENTS && k.whole == 1);
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
	CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], 6);
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
	const unsigned step = check_long() ? 1 : 3;      /* of every report and emitter */
	for (unsigned odd = 1 + (unsigned)check_lot(step); odd <= numbers; odd += step) {
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
		char *whole = ttc_recover_all(&path, 1, &size);
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
