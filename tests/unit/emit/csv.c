/* Tests of the CSV emitter: emit/csv.c. */
#include "check.h"

#include "emit_kit.h"
#include "io/sink.h"

#define COLUMNS 12
#define HEADER "kind,process,thread,tid,start_ns,dur_ns,depth,name,category,value,detail,args\n"

static struct tt_thread *
begin(struct kit *k)
{
	struct tt_thread *t;

	kit_init(k);
	k->o.path = "out.csv";
	kit_marker(k, 1, "Game.World:Frame (int,string)");
	kit_class(k, 9, "System.String");
	t = kit_thread(k, 0, 0x7f10, "Main");
	k->m.min_ts = 1000;
	k->m.max_ts = 100000;
	return t;
}

static const char *
finish(struct kit *k)
{
	size_t n;
	const char *text = kit_finish(k, &n), *wrong = kit_check_csv(text, n, k->csv.sep ? k->csv.sep : ',', COLUMNS);

	if (!CHECK(wrong == NULL))
		printf("%s in: %s\n", wrong, text);
	return text;
}

TEST(zones_and_allocations_are_records)
{
	struct kit k;
	struct tt_thread *t = begin(&k);
	struct tt_slice s[] = { { .ts = 1500, .dur = 20, .key = 1, .depth = 3 }, { .ts = 900, .dur = 0, .key = 5 } };

	kit_begin(&k, "csv");
	kit_alloc(&k, 1600, 9, 24);
	kit_alloc(&k, 1700, 8, (uint64_t)1 << 40);
	kit_chunk(&k, t, s, 2);
	CHECK_STR(finish(&k), HEADER
	    "zone,1,1,0x7f10,1500,20,3,\"Game.World:Frame (int,string)\",(none),,,\n"
	    "zone,1,1,0x7f10,900,0,0,(unknown 0x5),(unknown),,,\n"
	    "alloc,1,1,0x7f10,1600,,,System.String,GC,24,,\n"
	    "alloc,1,1,0x7f10,1700,,,(unknown class 0x8),GC,1099511627776,,\n"
	    "thread,1,1,0x7f10,,,,name,,,Main,\n");
	kit_free(&k);
}

TEST(rare_events_have_numbers_in_value_and_ids_in_detail)
{
	struct kit k;
	struct tt_thread *t = begin(&k);
	struct tt_event *e;
	double half = 0.5, nan = __builtin_nan("");
	uint64_t bits, word;

	kit_thread(&k, 0, 0x20, "Worker");
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_COUNTER, .key = 4, .text = "Load", .len = 4, .text2 = "CPU", .len2 = 3,
		.a = TT_CF_OWN, .b = TT_COUNTER_IS(TT_CU_BYTES, 0) });
	kit_begin(&k, "csv");
	e = kit_event(&k, TT_COUNTER, 1001, 0);
	memcpy(&bits, &half, 8);
	e->dur = 4;
	e->depth = TT_T_F64;
	e->val = bits;
	e = kit_event(&k, TT_COUNTER, 1002, 0);
	memcpy(&bits, &nan, 8);
	e->dur = 4;
	e->depth = TT_T_F64;
	e->val = bits;
	kit_event(&k, TT_COUNTER, 1003, 7)->dur = 77;
	kit_event(&k, TT_GC, 1004, TT_GC_RESTARTED)->dur = 1;
	kit_event(&k, TT_GC_HEAP, 1005, 4096);
	kit_event(&k, TT_THROW, 1006, 0xabc);
	e = kit_event(&k, TT_HANDLE, 1007, 0x11);
	e->depth = 3;
	e->flags = TT_F_END;
	e = kit_event(&k, TT_CLAUSE, 1008, 1);
	e->depth = TT_CLAUSE_FAULT;
	e->dur = 2;
	e = kit_event(&k, TT_SAMPLE, 1009, 0xdead);
	e->dur = 2;
	CHECK_EQ_INT(tt_batch_words(&k.batch, 2, &word, NULL), TT_OK);
	k.batch.word[word] = 77;
	k.batch.word[word + 1] = 1;
	k.batch.ev[k.batch.n++] = (struct tt_event){ .kind = TT_EXT, .ts = 1, .val = word };
	e = kit_event(&k, TT_INSTANT, 1010, 1);
	kit_text_arg(&k, "a,\"b\"\n", 6);
	kit_event(&k, TT_FLOW, 1011, 0xf)->depth = TT_FLOW_END;
	kit_event(&k, TT_MONITOR, 1012, 0xee)->depth = TT_MONITOR_CONTEND;
	kit_event(&k, TT_THREAD, 1013, 0x7f10);
	kit_event(&k, TT_SYNC, 1014, 0)->depth = 99;
	kit_event(&k, TT_GAP, 1015, 0);
	/* A blob is told by its length, unless there is a text. */
	for (int text = 0; text < 2; text++) {
		kit_event(&k, TT_INSTANT, 1016 + text, 1)->flags = TT_F_MORE;
		k.batch.ev[k.batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = TT_T_BLOB, .dur = 64 };
		k.batch.ev[k.batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = TT_T_U64, .val = 5 };
		if (text)
			kit_text_arg(&k, "text", 4);
		else
			k.batch.ev[k.batch.n++] = (struct tt_event){ .kind = TT_ARG, .depth = TT_T_BLOB, .dur = 9 };
	}
	kit_chunk(&k, t, NULL, 0);
	CHECK_STR(finish(&k), HEADER
	    "counter,1,1,0x7f10,1001,,,Load,CPU,0.5,bytes,\n"
	    "counter,1,1,0x7f10,1002,,,Load,CPU,NaN,bytes,\n"
	    "counter,1,1,0x7f10,1003,,,(unknown counter 77),,7,value,\n"
	    "gc,1,1,0x7f10,1004,,,restarted,,1,,\n"
	    "gc_heap,1,1,0x7f10,1005,,,,,4096,,\n"
	    "throw,1,1,0x7f10,1006,,,,,,0xabc,\n"
	    "handle,1,1,0x7f10,1007,,,destroyed,pinned,,0x11,\n"
	    "clause,1,1,0x7f10,1008,,,\"Game.World:Frame (int,string)\",(none),2,fault,\n"
	    "sample,1,2,0x20,1009,,,\"Game.World:Frame (int,string)\",(none),2,0xdead,\n"
	    "instant,1,1,0x7f10,1010,,,\"Game.World:Frame (int,string)\",(none),,\"a,\"\"b\"\"\n\",\"{\"\"arg0\"\":\"\"a,\\\"\"b\\\"\"\\n\"\"}\"\n"
	    "flow,1,1,0x7f10,1011,,,end,,,0xf,\n"
	    "monitor,1,1,0x7f10,1012,,,contended,,,0xee,\n"
	    "thread,1,1,0x7f10,1013,,,start,,,0x7f10,\n"
	    "sync,1,1,0x7f10,1014,,,,,,,\n"
	    "gap,1,1,0x7f10,1015,,,,,,,\n"
	    "instant,1,1,0x7f10,1016,,,\"Game.World:Frame (int,string)\",(none),5,64 bytes,"
	    "\"{\"\"arg0\"\":\"\"64 bytes\"\",\"\"arg1\"\":5,\"\"arg2\"\":\"\"9 bytes\"\"}\"\n"
	    "instant,1,1,0x7f10,1017,,,\"Game.World:Frame (int,string)\",(none),5,text,"
	    "\"{\"\"arg0\"\":\"\"64 bytes\"\",\"\"arg1\"\":5,\"\"arg2\"\":\"\"text\"\"}\"\n"
	    "thread,1,1,0x7f10,,,,name,,,Main,\n"
	    "thread,1,2,0x20,,,,name,,,Worker,\n");
	CHECK_EQ_INT(k.loss.e[TT_LOST_VALUES].n, 0);
	kit_free(&k);
}

TEST(separator_mark_and_safe_mode_are_the_users)
{
	struct kit k;
	struct tt_thread *t = begin(&k);
	struct tt_slice s[] = { { .ts = 1500, .dur = 20, .key = 1 }, { .ts = 1500, .dur = 20, .key = 2 } };
	const char *text;

	kit_marker(&k, 2, "=cmd|'/c calc'!A0;");
	k.csv.sep = ';';
	k.csv.bom = true;
	k.csv.safe = true;
	kit_begin(&k, "csv");
	kit_chunk(&k, t, s, 2);
	text = kit_finish(&k, NULL);
	CHECK(strncmp(text, "\xef\xbb\xbfkind;process;", 16) == 0);
	/* A comma needs no quotes here; negative numbers are left alone. */
	CHECK_HAS(text, "zone;1;1;0x7f10;1500;20;0;Game.World:Frame (int,string);(none);;;\n");
	CHECK_HAS(text, ";\"'=cmd|'/c calc'!A0;\";");
	kit_free(&k);
}

TEST(any_bytes_are_good_for_a_name)
{
	static const char *const names[] = { "a\"b", "\r\n", "\xff\xfe", ",", "\"", "Größe", "" };
	struct kit k;
	struct tt_thread *t = begin(&k);

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		kit_marker(&k, 10 + i, names[i]);
	kit_def(&k, 0, &(struct tt_def){ .kind = TT_DEF_MARKER, .key = 30, .text = "a\0b", .len = 3 });
	kit_begin(&k, "csv");
	for (uint64_t key = 10; key < 31; key++)
		kit_chunk(&k, t, &(struct tt_slice){ .ts = 2000, .dur = 1, .key = key }, 1);
	CHECK_HAS(finish(&k), "\"a\"\"b\"");
	kit_free(&k);
}

TEST(only_what_the_user_wants_is_written)
{
	static const char *const globs[] = { "Frame", NULL };
	struct kit k;
	struct tt_thread *t = begin(&k);
	struct tt_slice s[] = { { .ts = 1500, .dur = 20, .key = 2 }, { .ts = 1500, .dur = 20, .key = 1 },
		{ .ts = 1500, .dur = 20, .key = 99 } };

	kit_marker(&k, 2, "Other:X ()");
	k.m.filter.marker = globs;
	k.m.filter.from = 1600;
	kit_begin(&k, "csv");
	kit_event(&k, TT_INSTANT, 1700, 2);
	kit_event(&k, TT_THROW, 1599, 2);
	kit_alloc(&k, 1599, 9, 1);
	kit_chunk(&k, t, s, 3);
	CHECK_STR(finish(&k), HEADER "zone,1,1,0x7f10,1500,20,0,\"Game.World:Frame (int,string)\",(none),,,\n"
	    "thread,1,1,0x7f10,,,,name,,,Main,\n");
	kit_free(&k);
}

TEST(a_table_is_what_its_pass_makes)
{
	struct kit k;
	struct tt_thread *t = begin(&k);
	uint32_t root;
	const char *text;

	k.csv.table = "threads";
	k.o.own = &k.csv;
	CHECK((tt_emit_needs(tt_emit_named("csv"), &k.o) & (TT_NEEDS_SLICES | TT_NEEDS_TEXT)) == 0);
	root = kit_node(&k, 0, TT_NODE_THREAD, 0, 0, 0, 0);
	kit_node(&k, root, TT_NODE_ZONE, 1, 3, 30, 20);
	kit_begin(&k, "csv");
	kit_chunk(&k, t, &(struct tt_slice){ .ts = 2000, .dur = 1, .key = 1 }, 1);
	text = kit_finish(&k, NULL);
	CHECK_HAS(text, "Main");
	CHECK(!strstr(text, "zone"));
	kit_free(&k);
}

TEST(an_unknown_table_is_refused_with_those_there_are)
{
	struct kit k;
	struct tt_err err = { 0 };
	void *state;

	begin(&k);
	k.csv.table = "nonsense";
	k.o.own = &k.csv;
	CHECK_EQ_INT(tt_emit_begin(tt_emit_named("csv"), &k.o, &k.m, &state, &err), TT_E_USAGE);
	CHECK_HAS(err.msg, "nonsense");
	CHECK_HAS(err.msg, "events");
	CHECK_HAS(err.msg, "threads");
	CHECK_EQ_INT(k.nfile, 0);
	kit_free(&k);
}
