/* Tests of ttc/hot_records.c: the loops without the processor's instruction that gathers bits give the events of those with it. */
#include "check.h"

#include "base/extract_bits.h"
#include "io/src.h"
#include "model/format.h"
#include "ttc/ttc.h"

enum { MAX_EVENTS = 1 << 17 };
struct seen { uint64_t tid, val; int64_t ts, dur; unsigned kind, depth; };

static struct seen seen[2][MAX_EVENTS];
static struct tt_err err;

extern const struct tt_format tt_format_ttc;

/* Read all events of a capture as ${needs} says, up to MAX_EVENTS of them into ${to}. Returns how many there are. */
static size_t
read_events(const char *path, uint32_t needs, bool quick, struct seen *to)
{
	struct tt_env env = { .sandbox = TT_SANDBOX_OFF };
	struct tt_capture cap = { .path = path, .skim = true };
	struct tt_chunk c = { .cap = 0 };
	struct tt_src *src = NULL;
	struct tt_batch b;
	void *ctx = NULL;
	size_t n = 0;
	int rc;

	tt_arena_init(&cap.arena, &env.mem);
	tt_batch_init(&b, &env.mem, needs);
	if (CHECK_EQ_INT(tt_src_open(&env, path, &src, &err), TT_OK) && CHECK_EQ_INT(tt_format_ttc.open(&env, src, &cap, &ctx, &err), TT_OK)) {
		((struct ttc *)ctx)->extracts_bits = quick;
		while ((rc = tt_format_ttc.next(ctx, &c, &err)) == TT_OK && (tt_batch_reset(&b), rc = tt_format_ttc.decode(ctx, &c, &b, &err)) == TT_OK)
			for (size_t i = 0; i < b.n; i++, n++)
				if (n < MAX_EVENTS)
					to[n] = (struct seen){ c.tid, b.ev[i].val, b.ev[i].ts, b.ev[i].dur, b.ev[i].kind, b.ev[i].depth };
		CHECK_EQ_INT(rc, TT_END);
	}
	if (ctx)
		tt_format_ttc.close(ctx);
	tt_src_close(src);
	tt_batch_free(&b);
	tt_mem_free(&env.mem, c.bytes, c.cap);
	tt_arena_free(&cap.arena);
	CHECK_EQ_INT(env.mem.used, 0);
	return n;
}

TEST(without_the_instruction_events_are_the_same)
{
	static const char *const path[] = { "testdata/capture/good-v1.0-every-kind.ttc", "testdata/demo/good-hitches.ttc.xz" };
	static const uint32_t needs[] = { TT_NEEDS_CALLS, TT_NEEDS_CALLS | TT_NEEDS_ARGS, TT_SKIM };

	for (size_t k = 0; k < sizeof path / sizeof *path * 3 && tt_can_extract_bits(); k++) {
		const size_t n = read_events(path[k / 3], needs[k % 3], true, seen[0]), same = n < MAX_EVENTS ? n : MAX_EVENTS;

		CHECK(n > 10);
		CHECK_EQ_INT(read_events(path[k / 3], needs[k % 3], false, seen[1]), n);
		CHECK(memcmp(seen[0], seen[1], same * sizeof *seen[0]) == 0);
	}
}
