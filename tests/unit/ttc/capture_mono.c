/* Records of the Mono module's samples, heap shots and coverage (formats/ttc/mono_records.c), as events. */
#include "check.h"

#include "model/model.h"
#include "ttc/ttc.h"
#include "ttc/layout.h"
#include "collect/collect.h"
#include "collect/cover.h"
#include "producers/mono_records.h"
#include "producers/mono.h"

static struct tt_mem mem;
static struct tt_err err;

/* A payload being written. */
struct put { uint8_t b[4096], *p; };

static void
number(struct put *w, uint64_t v)
{
	w->p = ttc_put(w->p, v);
}

static void
text(struct put *w, const char *s)
{
	number(w, strlen(s));
	memcpy(w->p, s, strlen(s));
	w->p += strlen(s);
}

static int
decode(struct tt_batch *b, unsigned kind, const uint8_t *p, size_t n)
{
	/* In a block of its own, so that a byte read beyond it is seen. */
	uint8_t *copy = malloc(n ? n : 1);
	int rc;

	memcpy(copy, p, n);
	tt_batch_reset(b);
	b->tid = 77;
	rc = tt_batch_room(b, 8, &err);
	if (rc == TT_OK)
		rc = ttc_mono(b, 1000, kind, copy, copy + n, &err);
	free(copy);
	return rc;
}

static void
put_sample(struct put *w)
{
	w->p = w->b;
	number(w, 0x401234);
	number(w, 3);
	number(w, ttc_zig(0x7000));           /* innermost first */
	number(w, ttc_zig((uint64_t)0x6000 - 0x7000));
	number(w, ttc_zig((uint64_t)0x9000 - 0x6000));
}

TEST(a_sample_is_of_its_thread_with_the_outermost_frame_first)
{
	struct tt_batch b;
	struct put w;

	tt_batch_init(&b, &mem, 0);
	put_sample(&w);
	CHECK_EQ_INT(decode(&b, MONO_SAMPLE, w.b, (size_t)(w.p - w.b)), TT_OK);
	if (CHECK_EQ_INT(b.nrare, 1) && CHECK_EQ_INT(b.n, 2)) {
		CHECK_EQ_INT(b.ev[0].kind, TT_SAMPLE);
		CHECK_EQ_INT(b.ev[0].val, 0x401234);
		CHECK_EQ_INT(b.ev[0].dur, 3);
		CHECK_EQ_INT(b.ev[1].ts, 77);
		CHECK_EQ_INT(b.word[b.ev[1].val], 0x9000);
		CHECK_EQ_INT(b.word[b.ev[1].val + 2], 0x7000);
	}
	tt_batch_free(&b);
}

static void
put_objects(struct put *w)
{
	w->p = w->b;
	number(w, ttc_zig(0x10000 >> 3));     /* object, class, size, generation, two references */
	number(w, ttc_zig(0x5000));
	number(w, 32);
	number(w, 1);
	number(w, 2);
	number(w, 16);
	number(w, ttc_zig((0x10040 - 0x10000) >> 3));
	number(w, 24);
	number(w, ttc_zig((uint64_t)((0x10000 - 0x10040) / 8)));
	number(w, ttc_zig((0x10020 - 0x10000) >> 3));
	number(w, ttc_zig(0));
	number(w, 24);
	number(w, 0);
	number(w, 0);
}

TEST(objects_follow_each_other_by_differences)
{
	struct tt_batch b;
	struct put w;

	tt_batch_init(&b, &mem, TT_NEEDS_HEAP);
	put_objects(&w);
	CHECK_EQ_INT(decode(&b, MONO_HEAP_OBJECTS, w.b, (size_t)(w.p - w.b)), TT_OK);
	if (CHECK_EQ_INT(b.nrare, 2) && CHECK_EQ_INT(b.n, 4)) {
		const uint64_t *first = &b.word[b.ev[1].val], *second = &b.word[b.ev[3].val];
		CHECK_EQ_INT(b.ev[0].val, 0x10000);
		CHECK_EQ_INT(b.ev[0].depth, 1);
		CHECK_EQ_INT(b.ev[0].dur, 2);
		CHECK_EQ_INT(b.ev[1].ts, 32);
		CHECK_EQ_INT(first[0], 0x5000);
		CHECK_EQ_INT(first[1], 16);
		CHECK_EQ_INT(first[2], 0x10040);
		CHECK_EQ_INT(first[4], 0x10000);
		CHECK_EQ_INT(b.ev[2].val, 0x10020);
		CHECK_EQ_INT(second[0], 0x5000);
		CHECK_EQ_INT(b.ev[3].ts, 24);
	}
	tt_batch_free(&b);
}

static void
put_method(struct put *w)
{
	static const char *const texts[] = { "game", "Game.World", "Step", "int", "/src/World.cs" };

	w->p = w->b;
	number(w, 5);
	number(w, 0x06000002);
	number(w, 2);
	for (int i = 0; i < 5; i++)
		text(w, texts[i]);
}

static void
put_statements(struct put *w)
{
	w->p = w->b;
	number(w, 5);
	for (uint64_t i = 0; i < 2; i++) {
		number(w, ttc_zig(i ? 4 : 0));
		number(w, 7 + i);
		number(w, 100 + i);
		number(w, 0);
	}
}

TEST(coverage_becomes_what_the_model_joins)
{
	struct tt_env env = { 0 };
	struct tt_model m = { .env = &env };
	struct tt_capture cap = { 0 };
	struct tt_batch b;
	struct tt_collecting c = { .m = &m, .mem = &env.mem, .needs = TT_NEEDS_COVERAGE, .cap = &cap, .b = &b };
	struct put w;

	tt_batch_init(&b, &mem, TT_NEEDS_COVERAGE);
	CHECK_EQ_INT(tt_collect_begin(&c, &err), TT_OK);
	put_method(&w);
	CHECK_EQ_INT(decode(&b, MONO_COVER_METHOD, w.b, (size_t)(w.p - w.b)), TT_OK);
	CHECK_EQ_INT(tt_collect_chunk(&c, &err), TT_OK);
	put_statements(&w);
	CHECK_EQ_INT(decode(&b, MONO_COVER_STATEMENTS, w.b, (size_t)(w.p - w.b)), TT_OK);
	CHECK_EQ_INT(tt_collect_chunk(&c, &err), TT_OK);
	CHECK_EQ_INT(tt_collect_finish(&c, &err), TT_OK);
	const struct tt_cover_sum *s = tt_cover_sum(&m);
	if (CHECK_EQ_INT(s->nline, 2) && CHECK_EQ_INT(s->nmethod, 1)) {
		CHECK_STR(s->file[0], "/src/World.cs");
		CHECK_EQ_INT(s->line[1].line, 101);
		CHECK_EQ_INT(s->line[1].hits, 8);
		CHECK_EQ_INT(s->method[0].entries, 7);
		CHECK_STR(s->method[0].signature, "int");
	}
	tt_collect_release(&c);
	tt_collect_free(&m);
	tt_batch_free(&b);
}

/* Whatever comes out of any bytes: second slots and arguments behind their events, words that are there. */
static void
check_batch(const struct tt_batch *b)
{
	for (size_t i = 0; i < b->nrare; i++) {
		const struct tt_event *e = &b->ev[b->rare[i]];
		CHECK(b->rare[i] < b->n && e->kind < TT_KINDS);
		if (e->kind != TT_SAMPLE && e->kind != TT_HEAP_OBJECT)
			continue;
		uint64_t words = e->kind == TT_SAMPLE ? e->dur : b->needs & TT_NEEDS_HEAP ? 1 + 2 * (uint64_t)e->dur : 0;
		CHECK(b->rare[i] + 1 < b->n && e[1].kind == TT_EXT);
		CHECK(words <= b->nword && e[1].val <= b->nword - words);
	}
}

TEST(cut_and_changed_records_are_told_and_give_nothing_that_is_not_there)
{
	static void (*const put[])(struct put *) = { put_sample, put_objects, put_method, put_statements };
	static const unsigned kind[] = { MONO_SAMPLE, MONO_HEAP_OBJECTS, MONO_COVER_METHOD, MONO_COVER_STATEMENTS };
	uint64_t rng = 88172645463325252u;
	struct tt_batch b;
	struct put w;

	tt_batch_init(&b, &mem, TT_NEEDS_HEAP | TT_NEEDS_COVERAGE | TT_NEEDS_ARGS);
	for (unsigned k = 0; k < 4; k++) {
		put[k](&w);
		size_t n = (size_t)(w.p - w.b);
		for (size_t cut = 0; cut < n; cut++) {
			CHECK_EQ_INT(decode(&b, kind[k], w.b, cut), TT_OK);
			check_batch(&b);
		}
		for (unsigned i = 0; i < 20000; i++) {
			rng ^= rng << 13;
			rng ^= rng >> 7;
			rng ^= rng << 17;
			put[k](&w);
			for (unsigned j = 0; j < 1 + (rng & 3); j++)
				w.b[(rng >> (8 + 8 * j)) % n] = (uint8_t)(rng >> (24 + 8 * j));
			CHECK_EQ_INT(decode(&b, MONO_GC + (unsigned)(rng >> 40) % 17, w.b, n), TT_OK);
			check_batch(&b);
			CHECK_EQ_INT(decode(&b, kind[k], w.b, n), TT_OK);
			check_batch(&b);
		}
	}
	tt_batch_free(&b);
	CHECK_EQ_INT(atomic_load(&mem.used), 0);
}

TEST(what_the_module_was_told_is_read_from_its_command)
{
	uint32_t throws = mono_module_records("exceptions"), alloc = mono_module_records("alloc");

	CHECK(throws && alloc && throws != alloc);
	CHECK_EQ_INT(mono_module_option_records("mono --profile=tracetool:exceptions,out=a,,alloc.ttc x.exe"), throws);
	CHECK_EQ_INT(mono_module_option_records("mono --profile=tracetool:out=,,exceptions,,,alloc x.exe exceptions"), alloc);
	CHECK_EQ_INT(mono_module_option_records("mono --profile=tracetool:exceptions,out=a,,"), throws);
	CHECK_EQ_INT(mono_module_option_records("mono --profile=log:calls x.exe"), 0);
	CHECK_EQ_INT(mono_module_option_records("mono --profile=tracetool:alloc x.exe exceptions,1"), alloc);
	CHECK_EQ_INT(mono_module_option_records("'--profile=tracetool:alloc,exceptions' x.exe"), alloc | throws);
	CHECK_EQ_INT(mono_module_option_records("mono x.exe"), 0);
}
