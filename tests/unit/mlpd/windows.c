/*
 * The loop of the .mlpd reader for what is frequent, with the processor's instruction that gathers bits and without it, against the way of all
 * other events, which takes one at a time. That way is forced by windows too short for the loop.
 */
#include "check.h"

#include "base/extract_bits.h"
#include "mlpd/mlpd.h"
#include "model/zones.h"

enum { EVENTS = 400, LONGEST = 40, SHORT = 31, BYTES = EVENTS * LONGEST + TT_CHUNK_PAD };

static uint64_t state;

static uint64_t
draw(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % n;
}

/* ${v} in groups of seven bits, as many as it needs or more: readers of LEB128 take both. */
static uint8_t *
put_u(uint8_t *p, uint64_t v)
{
	size_t more = draw(20) ? 0 : draw(3);

	for (; v > 0x7f || more; v >>= 7) {
		*p++ = (uint8_t)(v | 0x80);
		more -= v <= 0x7f;
	}
	*p++ = (uint8_t)v;
	return p;
}

static uint8_t *
put_s(uint8_t *p, int64_t v)
{
	size_t more = draw(20) || v >> 48 > 0 || v >> 48 < -1 ? 0 : draw(3);

	for (; v < -64 || v > 63 || more; v >>= 7) {
		const bool last = v >= -64 && v <= 63;
		*p++ = (uint8_t)(v | 0x80);
		more -= last;
	}
	*p++ = (uint8_t)(v & 0x7f);
	return p;
}

/* A distance of one to nine bytes. */
static int64_t
far(void)
{
	const int64_t v = (int64_t)(draw(UINT64_MAX) >> draw(64));

	return draw(2) ? v : -v;
}

/* Calls, leaves of what is open and of what is not, allocations, and some events that the loop does not know. */
static size_t
make(uint8_t *bytes)
{
	int64_t open[EVENTS], method = 0;
	uint8_t *p = bytes;
	size_t depth = 0;

	for (int i = 0; i < EVENTS; i++) {
		const uint64_t what = draw(100), took = draw(UINT32_MAX) >> draw(32);
		const int64_t to = draw(3) || !depth ? (int64_t)((uint64_t)method + (uint64_t)far()) : open[depth - 1];
		*p++ = what < 45 ? MLPD_ENTER : what < 80 ? MLPD_LEAVE : what < 92 ? MLPD_ALLOC_PLAIN : what < 96 ? MLPD_EXC_LEAVE : MLPD_GC_RESIZE;
		p = put_u(p, took);
		if (what < 80 || (what >= 92 && what < 96)) {
			/* Half of what is left was entered just now: a distance of 0. */
			const int64_t next = what >= 45 && depth && draw(8) ? open[depth - 1] : to;
			p = put_s(p, (int64_t)((uint64_t)next - (uint64_t)method));
			method = next;
			if (what < 45)
				open[depth++] = next;
			else if (depth && open[depth - 1] == next)
				depth--;
		} else if (what < 92) {
			p = put_s(p, far());
			p = put_s(p, far());
			p = put_u(p, 1 + (draw(UINT32_MAX) >> draw(32)));
		} else {
			p = put_u(p, draw(1 << 20));
		}
	}
	memset(p, 0, TT_CHUNK_PAD);
	return (size_t)(p - bytes);
}

/* Decode all of it into ${b}, at most ${window} bytes at a time. */
static void
decode(const uint8_t *bytes, size_t n, size_t window, bool quick, uint64_t mask, struct tt_batch *b, uint32_t tally[256])
{
	const struct mlpd m = { .version = 17, .mask = mask, .zero = 1000, .extracts_bits = quick };
	uint64_t s[4] = { [MLPD_S_TIME] = 2000, [MLPD_S_PTR] = 0x7f0000000000, [MLPD_S_METHOD] = 0 };
	uint8_t part[LONGEST * EVENTS + 2 * TT_CHUNK_PAD];
	size_t at = 0, used = 1;
	struct tt_err err;

	b->tally = tally;
	while (at < n) {
		/* An event that is longer than the window is taken with more. */
		const size_t want = used > 0 ? window : LONGEST, len = n - at < want ? n - at : want;
		memcpy(part, bytes + at, len);
		memset(part + len, 0, TT_CHUNK_PAD);
		if (!CHECK_EQ_INT(mlpd_decode(&m, part, len, 0, 1, s, true, b, &used, &err), TT_OK))
			return;
		at += used;
		if (used == 0 && want >= LONGEST)
			break;
	}
	CHECK_EQ_INT(at, n);
}

static bool
same(const struct tt_batch *a, const struct tt_batch *b)
{
	bool good = CHECK_EQ_INT(a->n, b->n) && CHECK_EQ_INT(a->depth, b->depth) && CHECK_EQ_INT(a->nstack, b->nstack) &&
	    CHECK_EQ_INT(a->nzone, b->nzone) && CHECK_EQ_INT(a->nalloc, b->nalloc) && CHECK_EQ_INT(a->alloc_b, b->alloc_b) &&
	    CHECK_EQ_INT(a->nevent, b->nevent) && CHECK_EQ_INT(a->min_ts, b->min_ts) && CHECK_EQ_INT(a->max_ts, b->max_ts) &&
	    CHECK_EQ_INT(a->nrare, b->nrare) && CHECK_EQ_INT(a->nbase_end, b->nbase_end) && CHECK_EQ_INT(a->unsure, b->unsure);

	if (good && a->nstack)
		good = CHECK_EQ_INT(a->stack_ts, b->stack_ts) && CHECK_EQ_INT(a->stack_from, b->stack_from);
	for (size_t i = 0; good && i < a->n; i++) {
		const struct tt_event *x = &a->ev[i], *y = &b->ev[i];
		good = CHECK_EQ_INT(x->kind, y->kind) && CHECK_EQ_INT(x->ts, y->ts) && CHECK_EQ_INT(x->val, y->val) &&
		    CHECK_EQ_INT(x->depth, y->depth) && CHECK_EQ_INT(x->flags, y->flags) && CHECK_EQ_INT(x->dur, y->dur);
	}
	return good && CHECK(memcmp(a->tally, b->tally, 256 * sizeof *a->tally) == 0);
}

static void
compare(bool quick)
{
	static uint8_t bytes[BYTES];
	struct tt_mem mem = { 0 };
	bool good = true;

	for (uint64_t seed = 1; seed <= 400 && good; seed++) {
		const uint64_t mask = seed % 4 ? UINT64_MAX : UINT32_MAX;
		uint32_t tally[2][256] = { { 0 } };
		struct tt_batch one, fast;
		state = seed * 0x9E3779B97F4A7C15;
		size_t n = make(bytes);
		tt_batch_init(&one, &mem, 0);
		tt_batch_init(&fast, &mem, 0);
		decode(bytes, n, SHORT, quick, mask, &one, tally[0]);
		decode(bytes, n, n, quick, mask, &fast, tally[1]);
		if (!(good = same(&one, &fast)))
			printf("seed %llu\n", (unsigned long long)seed);
		one.tally = fast.tally = NULL;
		tt_batch_free(&one);
		tt_batch_free(&fast);
	}
}

TEST(the_quick_loop_gives_the_same_events)
{
	compare(false);
}

TEST(the_quick_loop_with_the_processors_gathering_gives_the_same_events)
{
	if (tt_can_extract_bits())
		compare(true);
	else
		LEFT_OUT("this processor does not gather bits");
}
