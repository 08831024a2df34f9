/* Tests of formats/ttc/mono_records.c: each record of the Mono module, and what it becomes; records that lie. */
#include "check.h"

#include "producers/mono_records.h"
#include "ttc_kit.h"

#define NEEDS (TT_NEEDS_ARGS | TT_NEEDS_HEAP | TT_NEEDS_OBJECTS)

static char why[256];

/* Everything a capture's chunks decode to. */
struct all {
	struct tt_env env;
	struct tt_loss loss;
	struct tt_capture cap;
	struct tt_batch b;            /* of the thread with most events */
	int rc;
};

static void
read_all(const char *path, struct all *a)
{
	struct tt_chunk c = { 0 };
	struct tt_batch b;
	struct tt_src *src = NULL;
	struct tt_err err;
	void *ctx = NULL;

	memset(a, 0, sizeof *a);
	a->env = (struct tt_env){ .jobs = 1, .log_level = TT_LOG_QUIET };
	a->cap.path = path;
	tt_loss_reset(&a->loss);
	a->env.loss = &a->loss;
	tt_arena_init(&a->cap.arena, &a->env.mem);
	tt_batch_init(&a->b, &a->env.mem, NEEDS);
	a->rc = tt_src_open(&a->env, path, &src, &err);
	if (a->rc == TT_OK)
		a->rc = tt_format_ttc.open(&a->env, src, &a->cap, &ctx, &err);
	while (a->rc == TT_OK && (a->rc = tt_format_ttc.next(ctx, &c, &err)) == TT_OK) {
		tt_batch_init(&b, &a->env.mem, NEEDS);
		a->rc = tt_format_ttc.decode(ctx, &c, &b, &err);
		tt_loss_join(&a->loss, &c.loss);
		tt_loss_join(&a->loss, &b.loss);
		if (b.n > a->b.n) {
			tt_batch_free(&a->b);
			a->b = b;
		} else {
			tt_batch_free(&b);
		}
	}
	tt_mem_free(&a->env.mem, c.bytes, c.cap);
	tt_format_ttc.close(ctx);
	if (src)
		tt_src_close(src);
}

static void
free_all(struct all *a)
{
	tt_batch_free(&a->b);
	tt_arena_free(&a->cap.arena);
}

/* The ${k}th event of ${kind}, which is there. */
static const struct tt_event *
event(const struct all *a, enum tt_kind kind, unsigned k)
{
	static const struct tt_event none;

	for (size_t i = 0; i < a->b.n; i++)
		if (a->b.ev[i].kind == kind && k-- == 0)
			return &a->b.ev[i];
	bool such_an_event = false;
	CHECK(such_an_event);
	return &none;
}

static uint64_t ticks;

static void
put(unsigned kind, const void *p, size_t n)
{
	rec_other(rec_thread(), ticks = rec_now(), kind, p, n);
}

/* A record of bytes and numbers: ${bytes} of the first values are bytes. */
static void
put_numbers(unsigned kind, unsigned bytes, unsigned n, const uint64_t *v)
{
	uint8_t b[200], *p = b;

	for (unsigned i = 0; i < n; i++)
		if (i < bytes)
			*p++ = (uint8_t)v[i];
		else
			p = ttc_put(p, v[i]);
	put(kind, b, (size_t)(p - b));
}
#define NUMBERS(kind, bytes, ...) \
	put_numbers(kind, bytes, sizeof (uint64_t[]){ __VA_ARGS__ } / 8, (const uint64_t[]){ __VA_ARGS__ })

static bool
begin(const char *name)
{
	struct rec_options o = { .path = check_path(name) };
	int rc = rec_open(&o, why);

	return CHECK_EQ_INT(rc, 0);
}

TEST(each_record_becomes_its_event)
{
	struct all a;
	const struct tt_event *e;

	if (!begin("mono.ttc"))
		return;
	NUMBERS(MONO_GC, 1, 7, 1);
	NUMBERS(MONO_GC_HEAP, 0, 1 << 20);
	NUMBERS(MONO_GC_MOVES, 0, 4, ttc_zig(0x1000 >> 3), ttc_zig(1), ttc_zig(1), ttc_zig(1));
	NUMBERS(MONO_GC_ROOTS, 0, 1, ttc_zig(0x2001), ttc_zig(0x2010 >> 3));
	NUMBERS(MONO_HANDLE, 2, 3, 0, 99, 0x3000);
	NUMBERS(MONO_HANDLE, 2, 2, 1, 98, 0);
	NUMBERS(MONO_FINALIZE, 1, 1, 0x4000);
	NUMBERS(MONO_FINALIZE, 1, 0, 0x4000, 0x77);
	NUMBERS(MONO_THROW, 0, 0x5000, 0x77, 2, ttc_zig(0x100), ttc_zig(0x10));
	NUMBERS(MONO_CLAUSE, 1, 2, 5, 0x6000, 0x5000);
	NUMBERS(MONO_MONITOR, 1, 1, 0x7000, 0);
	put(MONO_ROOT, "\0\x08\x02\x01\x03\x04name", 10);
	NUMBERS(MONO_ROOT, 1, 1, 8);
	put(MONO_CODE, "\x05\x10\x20\x05tramp", 9);
	put(MONO_CODE, "\x80\x40\x20\x00\x63", 5);
	NUMBERS(MONO_GONE, 1, TTC_O_IMAGE, 0x8000);
	uint8_t stack[] = { 2, 0x80, 0x04, 0x20 };
	uint32_t many = 40;
	rec_alloc_args(rec_thread(), rec_now(), 0x77, 4000, (struct rec_value[]){ { .type = TTC_U32, .size = 4, .p = &many },
		{ .type = TTC_STACK_KEYS, .size = sizeof stack, .p = stack } }, 2);
	many = 3000000;
	rec_alloc_args(rec_thread(), rec_now(), 0x78, 24 * (uint64_t)many, (struct rec_value[]){ { .type = TTC_U32, .size = 4,
		.p = &many } }, 1);
	uint64_t place = 0x9000;
	const struct rec_value at = { .type = TTC_PTR, .size = 8, .p = &place };
	rec_alloc_args(rec_thread(), rec_now(), 0x79, 64, &at, 1);
	rec_alloc_args(rec_thread(), rec_now(), 0x79, 72, (struct rec_value[]){ at,
		{ .type = TTC_STACK_KEYS, .size = sizeof stack, .p = stack } }, 2);
	CHECK_EQ_INT(rec_close(why), 0);
	read_all(check_path("mono.ttc"), &a);
	CHECK_EQ_INT(a.rc, TT_END);
	CHECK(!a.loss.e[TT_LOST_DAMAGED].n && !a.loss.e[TT_LOST_UNKNOWN].n);

	e = event(&a, TT_GC, 0);
	CHECK(e->val == TT_GC_STOPPED && e->dur == 1);
	CHECK_EQ_INT(event(&a, TT_GC_HEAP, 0)->val, 1 << 20);
	e = event(&a, TT_GC_MOVE, 0);
	CHECK(e->val == 2 && e[1].dur == 4 && a.b.word[e[1].val] == 0x1000 && a.b.word[e[1].val + 3] == 0x1018);
	e = event(&a, TT_HEAP_ROOT, 0);
	CHECK(e->val == 0x2010 && e[1].ts == 0x2001);
	e = event(&a, TT_HANDLE, 0);
	CHECK(e->val == 99 && e->depth == 3 && !(e->flags & TT_F_END) && e[1].ts == 0x3000);
	CHECK(event(&a, TT_HANDLE, 1)->flags & TT_F_END);
	e = event(&a, TT_FINALIZE, 0);
	CHECK(e->val == 0x4000 && e->flags & TT_F_END);
	e = event(&a, TT_FINALIZE, 1);
	CHECK(e->val == 0x4000 && e->flags & TT_F_MORE && e[1].ts == 0x77);
	e = event(&a, TT_THROW, 0);
	CHECK(e->val == 0x5000 && e->flags & TT_F_STACK && e[1].ts == 0x77 && e[1].dur == 2);
	CHECK(a.b.word[e[1].val] == 0x110 && a.b.word[e[1].val + 1] == 0x100);       /* outermost first */
	e = event(&a, TT_CLAUSE, 0);
	CHECK(e->val == 0x6000 && e->dur == 5 && e->depth == TT_CLAUSE_FINALLY && e[1].ts == 0x5000);
	e = event(&a, TT_MONITOR, 0);
	CHECK(e->val == 0x7000 && e->depth == TT_MONITOR_CONTEND && !(e->flags & TT_F_STACK));
	e = event(&a, TT_ROOT, 0);
	CHECK(e->val == 8 && e->depth == 1 && e[1].ts == 2 && e[1].val == 3 && e[2].dur == 4);
	CHECK(event(&a, TT_ROOT, 1)->flags & TT_F_END);
	e = event(&a, TT_JIT_CODE, 0);
	CHECK(e->val == 16 && e->dur == 32 && e->depth == 5 && memcmp(a.b.text.p + e[1].val, "tramp", 5) == 0);
	/* A method's code is a definition, and nothing was made. */
	CHECK(a.b.ndef == 1 && a.b.def[0].kind == TT_DEF_CODE && a.b.def[0].key == 0x63 && a.b.def[0].a == 64 && a.b.def[0].b == 32);
	e = event(&a, TT_META, 0);
	CHECK(e->val == 0x8000 && e->depth == TT_DEF_IMAGE);
	e = event(&a, TT_ALLOC, 0);
	CHECK(e->val == 0x77 && e->dur == 4000 && e->flags & TT_F_WEIGHTED && tt_event_many(&e[1]) == 40 && e[1].dur == 2);
	e = event(&a, TT_ALLOC, 1);
	CHECK(e->dur == 72000000 && e->flags & TT_F_WEIGHTED && tt_event_many(&e[1]) == 3000000);
	e = event(&a, TT_ALLOC, 2);
	CHECK(e->dur == 64 && e->flags & TT_F_OBJECT && !(e->flags & TT_F_STACK) && a.b.word[e[1].val] == 0x9000);
	e = event(&a, TT_ALLOC, 3);
	CHECK(e->dur == 72 && e->flags & TT_F_OBJECT && e->flags & TT_F_STACK && a.b.word[e[1].val + e[1].dur] == 0x9000);
	CHECK_EQ_INT(a.loss.e[TT_LOST_SAMPLED].n, 2);
	CHECK_EQ_INT(a.b.nalloc, 3000042);
	free_all(&a);
}

/* Each payload cut at each byte, and counts that promise what is not there: told, and nothing else is touched. */
TEST(payloads_that_lie_are_told)
{
	static const char whole[] = "\x05\x03\x02\x81\x02\x7f\x10\x05tramp";
	static const char huge[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
	struct all a;
	uint64_t made = 0;

	if (!begin("lies.ttc"))
		return;
	for (unsigned kind = MONO_GC; kind <= MONO_GONE; kind++) {
		for (size_t n = 0; n < sizeof whole; n++, made++)
			put(kind, whole, n);
		put(kind, huge, sizeof huge - 1);
		put(kind, "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
		made += 2;
	}
	CHECK_EQ_INT(rec_close(why), 0);
	read_all(check_path("lies.ttc"), &a);
	CHECK_EQ_INT(a.rc, TT_END);
	CHECK(a.loss.e[TT_LOST_DAMAGED].n > 20 && a.loss.e[TT_LOST_DAMAGED].n < made);
	CHECK_EQ_INT(a.b.nevent, made);
	free_all(&a);
}
