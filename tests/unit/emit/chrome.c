/* Tests of the Chrome JSON emitter: emit/chrome*.c, emit/slice_sort.h. */
#include "check.h"

#include <jansson.h>
#include <math.h>

#include "base/brief.h"
#include "emit_kit.h"
#include "io/sink.h"

/* --- reading the output back ---------------------------------------------- */

/* A file as JSON; a duplicate key or anything else wrong fails the test. */
static json_t *
load(const char *text, size_t n)
{
	json_error_t e;
	json_t *j = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);

	if (!CHECK(j != NULL))
		printf("%s at byte %d: %.80s\n", e.text, e.position, text + (e.position > 40 ? e.position - 40 : 0));
	return j;
}

static json_t *
finish(struct kit *k)
{
	size_t n;
	const char *text = kit_finish(k, &n);

	return load(text, n);
}

static const char *
text_of(const json_t *e, const char *key)
{
	const char *s = json_string_value(json_object_get(e, key));

	return s ? s : "";
}

static json_t *
events(json_t *j)
{
	return json_object_get(j, "traceEvents");
}

/* The ${k}th event of ${phase} whose name is ${name} (NULL: any), or NULL. */
static json_t *
event(json_t *j, const char *phase, const char *name, size_t k)
{
	size_t i;
	json_t *e;

	json_array_foreach(events(j), i, e) {
		if (strcmp(text_of(e, "ph"), phase) == 0 && (!name || strcmp(text_of(e, "name"), name) == 0) && k-- == 0)
			return e;
	}
	return NULL;
}

static size_t
count(json_t *j, const char *phase, const char *name)
{
	size_t n = 0;

	while (event(j, phase, name, n))
		n++;
	return n;
}

static double
number(const json_t *e, const char *key)
{
	return json_number_value(json_object_get(e, key));
}

static int64_t
ns(const json_t *e, const char *key)
{
	return llround(number(e, key) * 1000);
}

static json_t *
arg(const json_t *e, const char *key)
{
	return json_object_get(json_object_get(e, "args"), key);
}

/* --- zones -------------------------------------------------------------------- */

TEST(a_zone_is_one_complete_event)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_slice s[] = { { .ts = 5000, .dur = 3000, .key = 1 }, { .ts = 5500, .dur = 1, .key = 2, .depth = 1 } };
	json_t *j, *e;

	kit_init(&k);
	kit_marker(&k, 1, "Game.World:Frame (int)");
	kit_marker(&k, 2, "Game.World:Step ()");
	t = kit_thread(&k, 0, 0x7f0012345678, "Main");
	k.m.min_ts = 4000;
	k.m.max_ts = 9000;
	kit_begin(&k, "chrome");
	kit_chunk(&k, t, s, 2);
	j = finish(&k);
	CHECK_EQ_INT(count(j, "X", NULL), 2);
	e = event(j, "X", "Game.World:Frame (int)", 0);
	CHECK_EQ_INT(number(e, "pid"), 1);
	CHECK_EQ_INT(number(e, "tid"), 1);
	/* The first event of the model stands at 1 us. */
	CHECK_EQ_INT(ns(e, "ts"), 2000);
	CHECK_EQ_INT(ns(e, "dur"), 3000);
	CHECK_STR(text_of(e, "cat"), "(none)");
	CHECK_EQ_INT(ns(event(j, "X", "Game.World:Step ()", 0), "dur"), 1);
	json_decref(j);
	kit_free(&k);
}

TEST(processes_and_threads_are_named_and_small_numbers)
{
	struct kit k;
	struct tt_thread *a, *b;
	struct tt_slice s = { .ts = 10, .dur = 5, .key = 1 };
	json_t *j, *e;

	kit_init(&k);
	k.m.ncap = 2;
	kit_marker(&k, 1, "A:B ()");
	kit_def(&k, 1, &(struct tt_def){ .kind = TT_DEF_DOMAIN, .text = "Game.exe", .len = 8 });
	a = kit_thread(&k, 0, 0xffffffffffffffff, "Main");
	b = kit_thread(&k, 1, 0x10, "");
	kit_thread(&k, 1, 0x11, "Silent");
	kit_begin(&k, "chrome");
	kit_chunk(&k, a, &s, 1);
	kit_chunk(&k, b, &s, 1);
	j = finish(&k);
	CHECK_STR(json_string_value(arg(event(j, "M", "process_name", 0), "name")), "test.mlpd");
	CHECK_STR(json_string_value(arg(event(j, "M", "process_name", 1), "name")), "Game.exe");
	CHECK_EQ_INT(count(j, "M", "thread_name"), 2);
	e = event(j, "M", "thread_name", 0);
	CHECK_STR(json_string_value(arg(e, "name")), "Main");
	CHECK_STR(json_string_value(arg(e, "native_id")), "0xffffffffffffffff");
	CHECK_EQ_INT(number(e, "tid"), 1);
	e = event(j, "M", "thread_name", 1);
	CHECK_EQ_INT(number(e, "pid"), 2);
	CHECK_EQ_INT(number(e, "tid"), 2);
	CHECK_EQ_INT(number(event(j, "X", NULL, 1), "pid"), 2);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "M", "thread_sort_index", 1), "sort_index")), 2);
	json_decref(j);
	kit_free(&k);
}

TEST(any_bytes_are_good_for_a_name)
{
	static const char *const names[] = { "\"\\/\b\f\n\r\t", "\x01\x1f\x7f", "\xff\xfe\x80", "\xed\xa0\x80",
		"\xf0\x9f\x98\x80", "Größe.データ:M ()", "</script>", "{}[],:", "" };
	struct kit k;
	struct tt_thread *t;
	char large[TT_BRIEF_MAX + 1];
	json_t *j;

	memset(large, '"', TT_BRIEF_MAX);
	large[TT_BRIEF_MAX] = '\0';
	kit_init(&k);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		kit_marker(&k, i, names[i]);
	kit_marker(&k, 100, large);
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_MARKER, .key = 101, .text = "a\0b", .len = 3 });
	t = kit_thread(&k, 0, 1, "\"\xff\n");
	kit_begin(&k, "chrome");
	for (uint64_t i = 0; i < 102; i++) {
		struct tt_slice s = { .ts = (int64_t)i, .dur = 1, .key = i };

		kit_chunk(&k, t, &s, 1);
	}
	j = finish(&k);
	CHECK_EQ_INT(count(j, "X", NULL), 102);
	CHECK_EQ_INT(count(j, "X", "\"\\/\b\f\n\r\t"), 1);
	CHECK_EQ_INT(count(j, "X", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"), 2);      /* bad bytes, a lone surrogate */
	CHECK_EQ_INT(count(j, "X", "\xf0\x9f\x98\x80"), 1);
	CHECK_EQ_INT(count(j, "X", large), 1);
	json_decref(j);
	/* Not as a pair of escapes: Perfetto refuses the whole file then. */
	CHECK_HAS(kit_file(&k, 0, NULL), "\xf0\x9f\x98\x80");
	kit_free(&k);
}

TEST(only_chosen_markers_and_categories_are_written)
{
	static const char *const globs[] = { "World:*", NULL };
	struct kit k;
	struct tt_thread *t;
	struct tt_slice s[] = { { .ts = 1, .dur = 9, .key = 1 }, { .ts = 2, .dur = 3, .key = 2, .depth = 1 },
		{ .ts = 6, .dur = 1, .key = 77, .depth = 1 } };
	json_t *j;

	kit_init(&k);
	kit_marker(&k, 1, "Game.Program:Main ()");
	kit_marker(&k, 2, "Game.World:Frame ()");
	k.m.filter.marker = globs;
	t = kit_thread(&k, 0, 1, "Main");
	kit_begin(&k, "chrome");
	kit_chunk(&k, t, s, 3);
	j = finish(&k);
	CHECK_EQ_INT(count(j, "X", NULL), 1);
	CHECK(event(j, "X", "Game.World:Frame ()", 0) != NULL);
	json_decref(j);
	kit_free(&k);
}

TEST(zones_ended_together_are_written_outer_first)
{
	struct kit k;
	struct tt_thread *t;
	/* As the pipeline gives zones left open at the end: inner first. */
	struct tt_slice s[] = { { .ts = 5, .dur = 5, .key = 3, .depth = 2, .flags = TT_F_BASE },
		{ .ts = 5, .dur = 5, .key = 2, .depth = 1, .flags = TT_F_BASE },
		{ .ts = 5, .dur = 5, .key = 1, .depth = 0, .flags = TT_F_BASE } };
	json_t *j;

	kit_init(&k);
	kit_marker(&k, 1, "A:A ()");
	kit_marker(&k, 2, "B:B ()");
	kit_marker(&k, 3, "C:C ()");
	t = kit_thread(&k, 0, 1, "Main");
	kit_begin(&k, "chrome");
	kit_chunk(&k, t, s, 3);
	j = finish(&k);
	CHECK_STR(text_of(event(j, "X", NULL, 0), "name"), "A:A ()");
	CHECK_STR(text_of(event(j, "X", NULL, 1), "name"), "B:B ()");
	CHECK_STR(text_of(event(j, "X", NULL, 2), "name"), "C:C ()");
	json_decref(j);
	kit_free(&k);
}

TEST(the_runtimes_own_zones_have_names_categories_and_colours)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_slice s[] = { { .ts = 5, .dur = 50, .key = TT_KEY_GC_PAUSE }, { .ts = 7, .dur = 5, .key = TT_KEY_GC_GEN(1), .depth = 1 },
		{ .ts = 60, .dur = 5, .key = TT_KEY_EXCEPTION }, { .ts = 70, .dur = 5, .key = TT_KEY_CONTENTION } };
	json_t *j;

	kit_init(&k);
	t = kit_thread(&k, 0, 1, "Main");
	kit_begin(&k, "chrome");
	kit_chunk(&k, t, s, 4);
	j = finish(&k);
	CHECK_STR(text_of(event(j, "X", "GC.Pause", 0), "cat"), "GC");
	CHECK_STR(text_of(event(j, "X", "GC.Pause", 0), "cname"), "bad");
	CHECK(event(j, "X", "GC.Collect gen1", 0) != NULL);
	CHECK_STR(text_of(event(j, "X", "Exception", 0), "cname"), "terrible");
	CHECK_STR(text_of(event(j, "X", "Contention", 0), "cat"), "Contention");
	json_decref(j);
	kit_free(&k);
}

TEST(times_that_cannot_be_written_are_left_out_and_counted)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_slice s[] = { { .ts = 99, .dur = 1, .key = 1 }, { .ts = INT64_MAX - 5, .dur = 1000, .key = 1 },
		{ .ts = 200, .dur = -1, .key = 1 }, { .ts = 300, .dur = INT64_MAX, .key = 1 }, { .ts = 400, .dur = 7, .key = 1 },
		{ .ts = INT64_MIN, .dur = INT64_MAX, .key = 1 } };
	json_t *j;

	kit_init(&k);
	kit_marker(&k, 1, "A:B ()");
	t = kit_thread(&k, 0, 1, "Main");
	k.m.min_ts = 100;
	k.m.max_ts = INT64_MAX;
	kit_begin(&k, "chrome");
	kit_chunk(&k, t, s, 6);
	j = finish(&k);
	CHECK_EQ_INT(count(j, "X", NULL), 1);
	CHECK_EQ_INT(k.loss.e[TT_LOST_VALUES].n, 5);
	CHECK_STR(text_of(json_array_get(json_object_get(json_object_get(j, "otherData"), "losses"), 0), "id"), "values");
	json_decref(j);
	kit_free(&k);
}

/* --- allocations ---------------------------------------------------------------- */

TEST(an_allocation_is_an_instant_and_a_counter_has_one_point_a_millisecond)
{
	struct kit k;
	struct tt_thread *t;
	json_t *j, *e;

	kit_init(&k);
	kit_class(&k, 9, "System.String");
	t = kit_thread(&k, 0, 1, "Main");
	t->alloc_b = 1000;
	kit_begin(&k, "chrome");
	for (int64_t i = 0; i < 10; i++)
		kit_alloc(&k, i * 300000, 9, 32);
	kit_alloc(&k, 2700001, 8, (uint64_t)5 << 32);
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	CHECK_EQ_INT(count(j, "i", "GC.Alloc"), 11);
	e = event(j, "i", "GC.Alloc", 0);
	CHECK_STR(json_string_value(arg(e, "class")), "System.String");
	CHECK_EQ_INT(json_integer_value(arg(e, "bytes")), 32);
	CHECK_STR(text_of(e, "s"), "t");
	e = event(j, "i", "GC.Alloc", 10);
	CHECK_EQ_INT(json_integer_value(arg(e, "bytes")), (int64_t)5 << 32);
	/* The 1 us that all times are moved by puts the first of each millisecond at 0, 1.2, 2.1 ms; and the last. */
	CHECK_EQ_INT(count(j, "C", "GC.Alloc"), 4);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "GC.Alloc", 0), "bytes")), 1032);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "GC.Alloc", 1), "bytes")), 1160);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "GC.Alloc", 3), "bytes")), 1320 + ((int64_t)5 << 32));
	CHECK_STR(text_of(event(j, "C", "GC.Alloc", 0), "id"), "0x1");
	json_decref(j);
	kit_free(&k);
}

TEST(allocations_outside_the_chosen_time_are_only_added_up)
{
	struct kit k;
	struct tt_thread *t;
	json_t *j;

	kit_init(&k);
	kit_class(&k, 9, "System.String");
	t = kit_thread(&k, 0, 1, "Main");
	k.m.filter.from = 100;
	k.m.filter.to = 200;
	kit_begin(&k, "chrome");
	kit_alloc(&k, 99, 9, 1);
	kit_alloc(&k, 100, 9, 10);
	kit_alloc(&k, 199, 9, 100);
	kit_alloc(&k, 200, 9, 1000);
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	CHECK_EQ_INT(count(j, "i", NULL), 2);
	CHECK_EQ_INT(count(j, "C", NULL), 2);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", NULL, 1), "bytes")), 111);
	json_decref(j);
	kit_free(&k);
}

/* A class key that got another meaning: each allocation is of what the key meant then. */
TEST(reused_class_keys_are_told_apart_by_time)
{
	struct kit k;
	struct tt_thread *t;
	json_t *j;

	kit_init(&k);
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_CLASS, .key = 9, .ts = 0, .text = "Old", .len = 3 });
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_CLASS, .key = 9, .ts = 500, .text = "New", .len = 3 });
	t = kit_thread(&k, 0, 1, "Main");
	kit_begin(&k, "chrome");
	kit_alloc(&k, 100, 9, 1);
	kit_alloc(&k, 600, 9, 1);
	kit_alloc(&k, 700, 5, 1);
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	CHECK_STR(json_string_value(arg(event(j, "i", NULL, 0), "class")), "Old");
	CHECK_STR(json_string_value(arg(event(j, "i", NULL, 1), "class")), "New");
	CHECK_HAS(json_string_value(arg(event(j, "i", NULL, 2), "class")), "(unknown class");
	json_decref(j);
	kit_free(&k);
}

/* --- rare events ------------------------------------------------------------------ */

static void
counter_def(struct kit *k, uint64_t id, const char *name, uint64_t unit)
{
	kit_def(k, 0, &(struct tt_def){ .kind = TT_DEF_COUNTER, .key = id, .text = name, .len = (uint32_t)strlen(name),
		.a = TT_CF_OWN, .b = TT_COUNTER_IS(unit, 0) });
}

static void
counter(struct kit *k, int64_t ts, uint32_t id, enum tt_type type, uint64_t bits)
{
	struct tt_event *e = kit_event(k, TT_COUNTER, ts, bits);

	e->dur = id;
	e->depth = (uint16_t)type;
}

static uint64_t
bits_of(double d)
{
	uint64_t v;

	memcpy(&v, &d, sizeof v);
	return v;
}

TEST(counters_have_a_name_of_their_own_and_a_finite_value)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_event *e;
	json_t *j;

	kit_init(&k);
	counter_def(&k, 1, "Heap", 1);
	counter_def(&k, 2, "Heap", 3);
	counter_def(&k, 3, "Load", 0);
	counter_def(&k, 4, "Version", 0);
	t = kit_thread(&k, 0, 1, "Helper");
	kit_begin(&k, "chrome");
	counter(&k, 10, 1, TT_T_I64, (uint64_t)-5);
	counter(&k, 10, 2, TT_T_U64, 7);
	counter(&k, 10, 3, TT_T_F64, bits_of(0.25));
	counter(&k, 20, 3, TT_T_F64, bits_of(NAN));
	counter(&k, 30, 3, TT_T_F64, bits_of(-INFINITY));
	counter(&k, 40, 2, TT_T_U64, UINT64_MAX);
	counter(&k, 50, 99, TT_T_U64, 1);
	e = kit_event(&k, TT_COUNTER, 60, 0);
	e->dur = 4;
	e->depth = TT_T_TEXT;
	e->flags = TT_F_MORE;
	kit_text_arg(&k, "6.8 \"x\"", 7);
	kit_event(&k, TT_GC_HEAP, 70, 4096);
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "Heap (bytes)", 0), "bytes")), -5);
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "Heap (count)", 0), "count")), 7);
	CHECK(json_real_value(arg(event(j, "C", "Heap (count)", 1), "count")) > 1.8e19);
	CHECK_EQ_INT(count(j, "C", "Load"), 1);
	CHECK(json_real_value(arg(event(j, "C", "Load", 0), "value")) == 0.25);
	CHECK_EQ_INT(count(j, "C", "(unknown counter 99)"), 1);
	CHECK_STR(json_string_value(arg(event(j, "i", "Version", 0), "value")), "6.8 \"x\"");
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "GC heap size", 0), "bytes")), 4096);
	CHECK_EQ_INT(k.loss.e[TT_LOST_VALUES].n, 2);
	json_decref(j);
	kit_free(&k);
}

TEST(counters_are_what_their_number_means_at_the_time)
{
	struct tt_def late = { .kind = TT_DEF_COUNTER, .key = 1, .ts = 100, .text = "Late", .len = 4, .text2 = "JIT", .len2 = 3,
		.b = TT_COUNTER_IS(TT_CU_100NS, 0) };
	struct kit k;
	struct tt_thread *t;
	json_t *j;

	kit_init(&k);
	counter_def(&k, 1, "Early", TT_CU_FRACTION);
	kit_def(&k, 0, &late);
	t = kit_thread(&k, 0, 1, "Helper");
	kit_begin(&k, "chrome");
	counter(&k, 10, 1, TT_T_F64, bits_of(0.58));
	counter(&k, 20, 1, TT_T_F64, bits_of(1e307));
	counter(&k, 100, 1, TT_T_I64, (uint64_t)-7);
	counter(&k, 200, 1, TT_T_U64, UINT64_MAX / 100);
	counter(&k, 300, 1, TT_T_I64, (uint64_t)INT64_MIN);
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	CHECK(json_number_value(arg(event(j, "C", "Early", 0), "percent")) == 58);
	CHECK_EQ_INT(count(j, "C", "Early"), 1);
	CHECK_STR(json_string_value(json_object_get(event(j, "C", "Late", 0), "cat")), "JIT");
	CHECK_EQ_INT(json_integer_value(arg(event(j, "C", "Late", 0), "ns")), -700);
	CHECK(json_number_value(arg(event(j, "C", "Late", 1), "ns")) == 18446744073709551600.0);
	CHECK(json_number_value(arg(event(j, "C", "Late", 2), "ns")) == -922337203685477580800.0);
	/* 1e309 is no number of JSON. */
	CHECK_EQ_INT(k.loss.e[TT_LOST_VALUES].n, 1);
	json_decref(j);
	kit_free(&k);
}

TEST(flows_bind_to_the_zone_around_them)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_slice s[] = { { .ts = 10, .dur = 10, .key = 1 }, { .ts = 50, .dur = 10, .key = 1 } };
	json_t *j, *e;

	kit_init(&k);
	kit_marker(&k, 1, "A:B ()");
	t = kit_thread(&k, 0, 1, "Main");
	kit_begin(&k, "chrome");
	kit_event(&k, TT_FLOW, 12, UINT64_MAX)->depth = TT_FLOW_BEGIN;
	kit_event(&k, TT_FLOW, 13, UINT64_MAX)->depth = TT_FLOW_SEQUENTIAL;
	/* Alone in its flow. */
	kit_event(&k, TT_FLOW, 14, 6)->depth = TT_FLOW_BEGIN;
	kit_event(&k, TT_FLOW, 15, 5)->depth = TT_FLOW_SEQUENTIAL;
	kit_event(&k, TT_FLOW, 30, 5)->depth = TT_FLOW_SEQUENTIAL;
	kit_event(&k, TT_FLOW, 31, 5)->depth = TT_FLOW_END;
	k.batch.ev[k.batch.n - 1].flags = TT_F_NEXT;
	kit_event(&k, TT_ZONE, 50, 1);
	kit_event(&k, TT_FLOW, 32, 5)->depth = 9;
	kit_chunk(&k, t, s, 2);
	j = finish(&k);
	e = event(j, "s", "flow", 0);
	CHECK_STR(text_of(e, "id"), "0xffffffffffffffff");
	CHECK_STR(text_of(e, "bp"), "e");
	CHECK_EQ_INT(count(j, "s", "flow"), 1);
	/* The third one is in no zone, and left out. */
	CHECK_EQ_INT(count(j, "t", "flow"), 2);
	CHECK_EQ_INT(ns(event(j, "t", "flow", 0), "ts") + ns(event(j, "t", "flow", 1), "ts"), 1013 + 1015);
	/* It binds to the zone that begins next, so it stands where that one begins. */
	CHECK_EQ_INT(ns(event(j, "f", "flow", 0), "ts"), 1050);
	json_decref(j);
	kit_free(&k);
}

/* Readers bind a flow to what is open where it stands in the file, also where a zone begins, ends or is empty at its time. */
TEST(flows_stand_within_the_pair_around_them)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_slice s[] = { { .ts = 10, .dur = 10, .key = 1 }, { .ts = 20, .key = 1 }, { .ts = 50, .dur = 10, .key = 1 } };
	char phases[64] = "";
	const char *text, *at;
	size_t n;

	kit_init(&k);
	kit_marker(&k, 1, "A:B ()");
	t = kit_thread(&k, 0, 1, "Main");
	k.chrome.begin_end = true;
	kit_begin(&k, "chrome");
	kit_event(&k, TT_FLOW, 10, 5)->depth = TT_FLOW_BEGIN;
	kit_event(&k, TT_FLOW, 20, 5)->depth = TT_FLOW_SEQUENTIAL;
	kit_event(&k, TT_FLOW, 31, 5)->depth = TT_FLOW_END;
	k.batch.ev[k.batch.n - 1].flags = TT_F_NEXT;
	kit_event(&k, TT_ZONE, 50, 1);
	kit_event(&k, TT_FLOW, 60, 5)->depth = TT_FLOW_BEGIN;
	kit_event(&k, TT_FLOW, 60, 5)->depth = TT_FLOW_END;
	kit_chunk(&k, t, s, 3);
	text = kit_finish(&k, &n);
	for (at = text; (at = strstr(at, "{\"ph\":\"")) != NULL && strlen(phases) < 60; at++)
		if (at[7] != 'M')
			strncat(phases, at + 7, 1);
	CHECK_STR(phases, "BsEBtEBfsfE");
	CHECK(strstr(text, "\"ph\":\"f\",\"pid\":1,\"tid\":1,\"ts\":1.050") != NULL);
	kit_free(&k);
}

TEST(instants_have_their_arguments)
{
	struct kit k;
	struct tt_thread *t;
	struct tt_event *e;
	json_t *j, *i;

	kit_init(&k);
	kit_marker(&k, 1, "Level loaded");
	t = kit_thread(&k, 0, 1, "Main");
	kit_begin(&k, "chrome");
	e = kit_event(&k, TT_INSTANT, 10, 1);
	e->flags = TT_F_MORE;
	kit_text_arg(&k, "Forest\0\xff", 8);
	k.batch.ev[k.batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = TT_T_U64, .val = UINT64_MAX };
	kit_text_arg(&k, "", 0);
	kit_event(&k, TT_THROW, 20, 0xabc);
	kit_event(&k, TT_INSTANT, 30, 1);
	k.batch.ev[k.batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = TT_T_F64, .val = bits_of(INFINITY) };
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	i = event(j, "i", "Level loaded", 0);
	CHECK_STR(json_string_value(arg(i, "arg0")), "Forest\xef\xbf\xbd\xef\xbf\xbd");
	CHECK_STR(json_string_value(arg(i, "arg1")), "18446744073709551615");
	CHECK_STR(json_string_value(arg(i, "arg2")), "");
	CHECK_STR(json_string_value(arg(event(j, "i", "Exception thrown", 0), "object")), "0xabc");
	CHECK_STR(json_string_value(arg(event(j, "i", "Level loaded", 1), "arg0")), "Infinity");
	CHECK_EQ_INT(k.loss.e[TT_LOST_VALUES].n, 0);
	json_decref(j);
	kit_free(&k);
}

TEST(frames_have_a_row_of_their_own)
{
	struct kit k;
	struct tt_thread *t;
	static const struct tt_frame frame[] = { { 100, 100, 1, 0 }, { 200, 150, 2, 0 }, { 350, 50, 3, 0 } };
	struct tt_frame_range of = { .end = 3 };
	struct tt_frames f = { .range = &of, .nrange = 1 };
	struct tt_err err;
	json_t *j, *e;

	kit_init(&k);
	t = kit_thread(&k, 0, 1, "Main");
	f.mem = &k.env.mem;
	for (size_t i = 0; i < 3; i++)
		CHECK_EQ_INT(tt_frames_add(&f, &frame[i], &err), TT_OK);
	k.m.frames = &f;
	k.m.filter.from = 150;
	kit_begin(&k, "chrome");
	kit_event(&k, TT_THROW, 160, 1);
	kit_chunk(&k, t, NULL, 0);
	j = finish(&k);
	CHECK_EQ_INT(count(j, "X", NULL), 2);
	e = event(j, "X", "Frame 2", 0);
	CHECK_EQ_INT(number(e, "tid"), 2);
	CHECK_EQ_INT(ns(e, "ts"), 1200);
	CHECK_EQ_INT(ns(e, "dur"), 150);
	CHECK_STR(json_string_value(arg(event(j, "M", "thread_name", 1), "name")), "Frames");
	json_decref(j);
	kit_free(&k);
}

/* --- begin and end ------------------------------------------------------------------ */

/* Do B and E of one thread nest, in the file's order and with times that never fall? Returns the number of pairs. */
static size_t
check_pairs(json_t *j, unsigned tid)
{
	const char *open[64];
	size_t depth = 0, pairs = 0, i;
	int64_t last = 0;
	json_t *e;

	json_array_foreach(events(j), i, e) {
		const char *ph = text_of(e, "ph");

		if ((strcmp(ph, "B") != 0 && strcmp(ph, "E") != 0) || number(e, "tid") != tid)
			continue;
		CHECK(ns(e, "ts") >= last);
		last = ns(e, "ts");
		if (*ph == 'B' && depth < 64) {
			open[depth++] = text_of(e, "name");
			continue;
		}
		if (!CHECK(depth > 0))
			return pairs;
		CHECK_STR(text_of(e, "name"), open[--depth]);
		pairs++;
	}
	CHECK_EQ_INT(depth, 0);
	return pairs;
}

TEST(begin_stands_before_what_is_inside_even_if_known_late)
{
	struct kit k;
	struct tt_thread *a, *b;
	/* Main spans three chunks and begins when Inner does; Long ends in its own chunk but is told at its end. */
	struct tt_slice one[] = { { .ts = 0, .dur = 10, .key = 2, .depth = 1 }, { .ts = 10, .dur = 0, .key = 3, .depth = 1 } };
	struct tt_slice two[] = { { .ts = 21, .dur = 5, .key = 3, .depth = 2 }, { .ts = 20, .dur = 10, .key = 2, .depth = 1 },
		{ .ts = 30, .dur = 5, .key = 3, .depth = 1 } };
	struct tt_slice end[] = { { .ts = 35, .dur = 5, .key = 3, .depth = 1, .flags = TT_F_BASE },
		{ .ts = 0, .dur = 40, .key = 1, .flags = TT_F_BASE } };
	struct tt_slice other = { .ts = 5, .dur = 3, .key = 1 };
	json_t *j;
	size_t i, group = 0, groups = 0;
	json_t *e;

	kit_init(&k);
	kit_marker(&k, 1, "Main");
	kit_marker(&k, 2, "Inner");
	kit_marker(&k, 3, "Leaf");
	a = kit_thread(&k, 0, 1, "Main");
	b = kit_thread(&k, 0, 2, "Other");
	k.chrome.begin_end = true;
	kit_begin(&k, "chrome");
	kit_chunk(&k, a, one, 2);
	kit_chunk(&k, b, &other, 1);
	kit_alloc(&k, 22, 9, 8);
	kit_event(&k, TT_THROW, 23, 1);
	kit_chunk(&k, a, two, 3);
	kit_chunk(&k, b, &(struct tt_slice){ .ts = 9, .dur = 1, .key = 2 }, 1);
	kit_chunk(&k, a, end, 2);
	j = finish(&k);
	CHECK_EQ_INT(check_pairs(j, 1), 7);
	CHECK_EQ_INT(check_pairs(j, 2), 2);
	CHECK_STR(text_of(event(j, "B", NULL, 0), "name"), "Main");
	CHECK_EQ_INT(ns(event(j, "E", "Main", 0), "ts"), 1040);
	CHECK_EQ_INT(count(j, "i", NULL), 2);
	CHECK_EQ_INT(count(j, "X", NULL), 0);
	/* One thread after the other: the number changes twice, from none to 1 to 2. */
	json_array_foreach(events(j), i, e) {
		if (strchr("BE", *text_of(e, "ph")) && number(e, "tid") != (double)group) {
			group = (size_t)number(e, "tid");
			groups++;
		}
	}
	CHECK_EQ_INT(groups, 2);
	json_decref(j);
	kit_free(&k);
}

/* More zones than are held in memory, and calls on both sides of every edge. */
TEST(zones_put_aside_come_back_in_order)
{
	struct kit k;
	struct tt_thread *t[2];
	enum { CHUNKS = 300, PER = 300 };
	struct tt_slice s[PER + 1];
	json_t *j;

	kit_init(&k);
	kit_marker(&k, 1, "Outer");
	kit_marker(&k, 2, "Inner");
	t[0] = kit_thread(&k, 0, 1, "A");
	t[1] = kit_thread(&k, 0, 2, "B");
	k.chrome.begin_end = true;
	kit_begin(&k, "chrome");
	for (int64_t c = 0; c < CHUNKS; c++) {
		size_t n = 0;

		for (int64_t i = 0; i < PER; i++)
			s[n++] = (struct tt_slice){ .ts = (c * PER + i) * 10, .dur = 9, .key = 2, .depth = 1 };
		/* A zone that began in the middle of the thread's chunk before and ends here. */
		if (c >= 2)
			s[n++] = (struct tt_slice){ .ts = ((c - 2) * PER + PER / 2) * 10, .dur = PER * 10, .key = 1,
				.flags = TT_F_BASE };
		kit_chunk(&k, t[c % 2], s, n);
	}
	j = finish(&k);
	CHECK_EQ_INT(check_pairs(j, 1) + check_pairs(j, 2), CHUNKS * PER + CHUNKS - 2);
	json_decref(j);
	kit_free(&k);
}

/* --- files -------------------------------------------------------------------------- */

static void
split_run(bool begin_end)
{
	struct kit k;
	struct tt_thread *t;
	size_t zones = 0, n;

	kit_init(&k);
	kit_marker(&k, 1, "A:B ()");
	kit_marker(&k, 2, "C:D ()");
	t = kit_thread(&k, 0, 1, "Main");
	k.o.path = "dir.d/out.json.gz";
	k.chrome.split = 10000;
	k.chrome.begin_end = begin_end;
	kit_begin(&k, "chrome");
	for (int64_t i = 0; i < 2000; i++) {
		struct tt_slice s[] = { { .ts = i * 100, .dur = 90, .key = 1 }, { .ts = i * 100, .dur = 30, .key = 2, .depth = 1 } };

		kit_chunk(&k, t, s, 2);
	}
	kit_finish(&k, NULL);
	CHECK(k.nfile > 10);
	CHECK_STR(k.path[0], "dir.d/out-001.json.gz");
	CHECK_STR(k.path[9], "dir.d/out-010.json.gz");
	for (size_t i = 0; i < k.nfile; i++) {
		const char *text = kit_file(&k, i, &n);
		json_t *j;

		/* kit_finish has put a NUL behind the first already. */
		j = load(text, n - (i == 0));
		CHECK(n < 12000);
		CHECK_EQ_INT(count(j, "M", "process_name"), 1);
		CHECK_EQ_INT(count(j, "M", "thread_name"), 1);
		if (begin_end)
			zones += check_pairs(j, 1);
		else
			zones += count(j, "X", NULL);
		json_decref(j);
	}
	CHECK_EQ_INT(zones, 4000);
	kit_free(&k);
}

TEST(split_makes_files_that_each_load_alone)
{
	split_run(false);
}

TEST(split_of_pairs_ends_what_is_open_in_each_file)
{
	split_run(true);
}

TEST(standard_output_cannot_be_split)
{
	struct kit k;
	struct tt_err err = { 0 };
	void *state;

	kit_init(&k);
	k.o.path = "-";
	k.chrome.split = 1000;
	k.o.own = &k.chrome;
	CHECK_EQ_INT(tt_emit_begin(tt_emit_named("chrome"), &k.o, &k.m, &state, &err), TT_E_USAGE);
	CHECK(state == NULL);
	kit_free(&k);
}

TEST(a_large_output_is_told_before)
{
	struct kit k;

	kit_init(&k);
	k.o.estimate = 10000000;
	kit_begin(&k, "chrome");
	CHECK_HAS(k.log.p ? k.log.p : "", "split SIZE");
	kit_free(&k);
	kit_init(&k);
	k.o.estimate = 10000000;
	k.m.filter.min_dur = 1000;
	kit_begin(&k, "chrome");
	CHECK_EQ_INT(k.log.n, 0);
	kit_free(&k);
}

TEST(an_empty_capture_is_a_good_file)
{
	struct kit k;
	json_t *j, *other;

	kit_init(&k);
	k.cap[0].pid = -1;
	k.cap[0].args = "\"quoted\"\x01";
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_MARKER, .key = 4, .text = "x", .len = 1 });
	CHECK_EQ_INT(tt_capture_meta(&k.cap[0], "build", "1\"2\xff", NULL), TT_OK);
	CHECK_EQ_INT(tt_capture_meta(&k.cap[0], "\xfe", "a", NULL), TT_OK);
	CHECK_EQ_INT(tt_capture_meta(&k.cap[0], "\xff", "b", NULL), TT_OK);
	k.m.min_ts = INT64_MIN;
	k.m.max_ts = INT64_MIN;
	kit_begin(&k, "chrome");
	j = finish(&k);
	other = json_object_get(j, "otherData");
	CHECK_STR(text_of(other, "generator"), "tracetool test");
	CHECK_STR(text_of(other, "removed_origin_ns"), "-9223372036854775808");
	CHECK_EQ_INT(json_array_size(json_object_get(json_array_get(json_object_get(other, "captures"), 0), "meta")), 3);
	json_decref(j);
	kit_free(&k);
}

/* What goes wrong on the way takes nothing with it but the output. */
TEST(a_memory_cap_is_an_error_not_a_crash)
{
	for (size_t cap = 1000; cap < 2000000; cap += cap / 3) {
		struct kit k;
		struct tt_err err = { 0 };
		void *state = NULL;
		int rc;

		kit_init(&k);
		for (uint64_t i = 0; i < 500; i++)
			kit_marker(&k, i, "A:B ()");
		CHECK_EQ_INT(tt_model_resolve(&k.m, TT_NAMES_FULL, &err), TT_OK);
		k.env.mem.cap = k.env.mem.used + cap;
		rc = tt_emit_begin(tt_emit_named("chrome"), &k.o, &k.m, &state, &err);
		CHECK(rc == TT_OK ? state != NULL : rc == TT_E_LIMIT && !state);
		k.env.mem.cap = 0;
		tt_emit_end(state);
		kit_free(&k);
	}
}
