/* Tests of arguments of zones: from the recorder to the slices of Chrome JSON, over chunks, in both forms, with any number of workers. */
#include "check.h"

#include <jansson.h>

#include "emit/chrome.h"
#include "emit/text_spool.h"
#include "emit/slice_sort.h"
#include "model/args.h"
#include "recorder/core/rec.h"
#include "run/run.h"
#include "ttc_kit.h"

enum { NAMES = 7 };

static struct rec_thread *thread;
static uint64_t key[NAMES + 2], ticks;
static char long_text[4000];

static bool
start(uint32_t chunk)
{
	struct rec_options o = { .path = check_path("a.ttc"), .overwrite = true, .producer = "test", .ring = 32u << 20, .chunk = chunk, .part_ms = 1000,
		.poll_ms = 1 };
	char why[256];

	if (!CHECK_EQ_INT(rec_open(&o, why), 0))
		return false;
	ttc_keys(key, NAMES + 2);
	thread = rec_thread_extra();
	ticks = rec_now();
	return true;
}

static void
stop(void)
{
	char why[256];

	CHECK_EQ_INT(rec_close(why), 0);
	rec_thread_release(thread);
}

/* Zone number ${i}: its number, its text, and nothing or a text of ${n} bytes. */
static void
begin(uint32_t i, uint32_t n)
{
	char text[20];
	const struct rec_value v[] = { { .type = TTC_U32, .size = 4, .p = &i },
		{ .type = TTC_TEXT8, .size = (uint32_t)snprintf(text, sizeof text, "zone %u", i), .p = text },
		{ .type = TTC_TEXT8, .size = n, .p = long_text } };

	rec_begin_args(thread, ticks += 1000, key[2 + i % NAMES], v, n ? 3 : 2);
}

static void
end(uint32_t i)
{
	rec_end(thread, ticks += 1000, key[2 + i % NAMES]);
}

/* Convert to ${to}; what is in the ledger for arguments. */
static uint64_t
convert(const char *to, bool begin_end, unsigned jobs)
{
	struct tt_loss loss = { 0 };
	struct tt_env env = { .jobs = jobs, .loss = &loss, .log_level = TT_LOG_QUIET, .spool_max = 64 << 20 };
	struct tt_err err = { .at = TT_NOWHERE };
	const struct tt_emit *emit[] = { tt_emit_named("chrome") };
	const struct tt_chrome_opts own = { .begin_end = begin_end };
	const struct tt_emit_opts eo[] = { { .env = &env, .path = to, .generator = "test", .own = &own } };
	const char *const path[] = { check_path("a.ttc") };
	struct tt_run_opts o = { .formats = tt_formats, .path = path, .npath = 1, .emit = emit, .emit_opts = eo, .nemit = 1,
		.needs = tt_emit_needs(emit[0], eo) };
	struct tt_model *m = NULL;

	tt_filter_init(&o.filter);
	if (!CHECK_EQ_INT(tt_run(&env, &o, &m, &err), TT_OK))
		printf("%s\n", err.msg);
	tt_model_free(m);
	CHECK_EQ_INT(env.mem.used, 0);
	CHECK(!tt_loss_damaged(&loss));
	return loss.e[TT_LOST_ARGS].n;
}

static int64_t
number(const json_t *args, const char *name)
{
	return json_integer_value(json_object_get(args, name));
}

/* Has each of the ${n} zones in ${path} its own arguments? How many have; the others have none. */
static uint64_t
with_args(const char *path, const char *phase, uint64_t n)
{
	json_t *doc = json_load_file(path, 0, NULL), *e;
	bool *seen = calloc(n, 1);
	uint64_t zones = 0, with = 0;
	size_t k;

	CHECK(doc && seen);
	json_array_foreach(json_object_get(doc, "traceEvents"), k, e) {
		const json_t *args = json_object_get(e, "args");
		char text[20], name[40];

		if (strcmp(json_string_value(json_object_get(e, "ph")), phase) != 0)
			continue;
		zones++;
		if (!args)
			continue;
		uint64_t i = (uint64_t)number(args, "arg0");
		snprintf(text, sizeof text, "zone %" PRIu64, i);
		snprintf(name, sizeof name, "Marker %" PRIu64 " \xc3\xa9", 2 + i % NAMES);
		if (!CHECK(i < n && !seen[i]) || !CHECK_STR(json_string_value(json_object_get(args, "arg1")), text) ||
		    !CHECK_STR(json_string_value(json_object_get(e, "name")), name))
			break;
		seen[i] = true;
		with++;
	}
	CHECK_EQ_INT(zones, n);
	json_decref(doc);
	free(seen);
	return with;
}

static bool
equal_files(const char *a, const char *b)
{
	json_t *x = json_load_file(a, 0, NULL), *y = json_load_file(b, 0, NULL);
	bool same = x && y && json_equal(json_object_get(x, "traceEvents"), json_object_get(y, "traceEvents"));

	json_decref(x);
	json_decref(y);
	return same;
}

/* Both forms, with one worker and three; ${lost} of the ${n} zones have no arguments. */
static void
check_all(uint64_t n, uint64_t *lost)
{
	char one[300], three[300];

	snprintf(one, sizeof one, "%s", check_path("one.json"));
	snprintf(three, sizeof three, "%s", check_path("three.json"));
	for (int form = 0; form < 2; form++) {
		*lost = convert(one, form, 1);
		CHECK_EQ_INT(convert(three, form, 3), *lost);
		CHECK_EQ_INT(with_args(one, form ? "B" : "X", n), n - *lost);
		CHECK(equal_files(one, three));
	}
}

TEST(every_zone_has_its_own_arguments_wherever_it_ends)
{
	enum { OUTER = 60, INNER = 20000 };
	uint64_t lost;
	uint32_t i = 0;

	if (!start(4096))
		return;
	for (; i < OUTER; i++)
		begin(i, 0);
	for (; i < OUTER + INNER; i++) {
		begin(i, 0);
		/* One that lasts longer than a whole zone may. */
		ticks += i == OUTER + 50 ? UINT64_C(60) << 30 : 0;
		end(i);
		if (i % 1000 == 0)
			rec_flush(1000);
	}
	/* Each ends those inside it, too; the last are left open. */
	for (uint32_t k = OUTER - 4; k > 6; k -= 3)
		end(k - 1);
	stop();
	check_all(i, &lost);
	CHECK_EQ_INT(lost, 0);
}

TEST(what_open_zones_take_along_has_a_limit_and_is_told)
{
	enum { DEEP = 1500 };
	uint64_t lost;

	memset(long_text, 'x', sizeof long_text);
	if (!start(256u << 10))
		return;
	for (uint32_t i = 0; i < DEEP; i++) {
		begin(i, sizeof long_text);
		if (i % 400 == 399)
			rec_flush(1000);
	}
	for (uint32_t i = DEEP; i > 0; i--)
		end(i - 1);
	stop();
	check_all(DEEP, &lost);
	/* A copy is a little more than its text; the last chunk's zones need none. */
	CHECK(lost > DEEP - TT_ARGS_KEPT / sizeof long_text - 70);
	CHECK(lost < DEEP - TT_ARGS_KEPT / (sizeof long_text + 200));
}

TEST(a_copy_is_what_it_was_made_of)
{
	struct tt_mem mem = { 0 };
	struct tt_err err = { .at = TT_NOWHERE };
	const struct tt_event ev[] = { { .kind = TT_ARG, .val = 7, .depth = TT_T_U64 },
		{ .kind = TT_ARG, .val = 3, .dur = 4, .depth = TT_T_TEXT }, { .kind = TT_ARG, .val = 900, .dur = 4, .depth = TT_T_TEXT },
		{ .kind = TT_ARG, .val = 0, .dur = 3, .depth = TT_T_BLOB } };
	const struct tt_args a = { .ev = ev, .n = 4, .text = "abcword", .ntext = 7 };
	struct tt_args_kept *k = tt_args_keep(&a, &mem, &err);
	size_t n;

	if (!CHECK(k != NULL))
		return;
	CHECK_EQ_INT(k->args.n, 4);
	CHECK_EQ_INT(k->args.ev[0].val, 7);
	CHECK(memcmp(tt_args_text(&k->args, &k->args.ev[1], &n), "word", 4) == 0 && n == 4);
	tt_args_text(&k->args, &k->args.ev[2], &n);
	CHECK_EQ_INT(n, 0);
	CHECK(memcmp(tt_args_text(&k->args, &k->args.ev[3], &n), "abc", 3) == 0 && n == 3);
	tt_args_free(k, &mem);
	CHECK_EQ_INT(mem.used, 0);
}

TEST(texts_put_aside_come_back_in_any_order)
{
	enum { TEXTS = 5000 };
	struct tt_env env = { .spool_max = 64 << 20 };
	struct tt_err err = { .at = TT_NOWHERE };
	struct tt_text_spool a;
	struct tt_buf b = { 0 };
	uint64_t used = 0;
	static uint32_t place[TEXTS];
	static char lengthy[20000];
	uint32_t at;
	char text[100];

	tt_text_spool_init(&a, &env, &used);
	memset(lengthy, 'x', sizeof lengthy);
	CHECK_EQ_INT(tt_text_spool_put(&a, lengthy, sizeof lengthy, &at, &err), TT_OK);
	for (int i = 0; i < TEXTS; i++)
		CHECK_EQ_INT(tt_text_spool_put(&a, text, (size_t)snprintf(text, sizeof text, "%d %0*d", i, 1 + i % 60, 0), &place[i], &err), TT_OK);
	CHECK(a.written > 100000);
	for (int k = 0; k < TEXTS; k++) {
		int i = (int)((unsigned)k * 7919 % TEXTS);
		b.n = 0;
		CHECK_EQ_INT(tt_text_spool_get(&a, place[i], &b, &err), TT_OK);
		snprintf(text, sizeof text, "%d %0*d", i, 1 + i % 60, 0);
		CHECK(b.n == strlen(text) && memcmp(b.p, text, b.n) == 0);
	}
	b.n = 0;
	CHECK_EQ_INT(tt_text_spool_get(&a, at, &b, &err), TT_OK);
	CHECK(b.n == sizeof lengthy && memcmp(b.p, lengthy, b.n) == 0);
	tt_text_spool_free(&a);
	tt_buf_free(&b);
}

/* Put aside ${zones} zones of one thread and ${texts} texts of 64 bytes with their lengths. */
static int
put_aside(struct tt_slices *s, struct tt_text_spool *a, int zones, int texts, struct tt_err *err)
{
	const struct tt_thread t = { 0 };
	static const char text[60];
	uint32_t place;
	int rc = TT_OK;

	for (int i = 0; i < zones && rc == TT_OK; i++)
		rc = tt_slices_add(s, &t, &(struct tt_slice){ .ts = i, .key = 1 }, 1, NULL, err);
	for (int i = 0; i < texts && rc == TT_OK; i++)
		rc = tt_text_spool_put(a, text, sizeof text, &place, err);
	return rc;
}

/* 64 KiB of texts and 1 MiB of zones wait in memory; what is beyond counts together. */
TEST(zones_and_texts_put_aside_share_one_limit)
{
	for (int k = 0; k < 3; k++) {
		struct tt_env env = { .spool_max = (k == 2 ? 15 : 16) * 65536 + (2 << 20), .spool_memory = 1 << 20 };
		struct tt_err err = { .at = TT_NOWHERE };
		struct tt_slices s;
		struct tt_text_spool a;
		uint64_t used = 0;
		char link[64], at[64] = "";

		tt_slices_init(&s, &env, &used);
		tt_text_spool_init(&a, &env, &used);
		int rc = put_aside(&s, &a, 2 * 32768 + 1, 1024 * (k ? 16 : 15), &err);
		CHECK_EQ_INT(rc, k == 2 ? TT_E_LIMIT : TT_OK);
		CHECK_EQ_INT((intmax_t)used, (2 << 20) + (k == 1 ? 16 : 15) * 65536);
		if (k == 2)
			CHECK_HAS(err.msg, "spool_max");
		/* Over what may be in memory they are in a file. */
		snprintf(link, sizeof link, "/proc/self/fd/%d", s.fd);
		CHECK(readlink(link, at, sizeof at - 1) > 0);
		CHECK(strstr(at, "memfd:") == NULL);
		tt_slices_free(&s);
		tt_text_spool_free(&a);
	}
}
