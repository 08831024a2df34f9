/* Tests of formats/ttc/ over captures that the recorder makes: identity, damage, order. */
#include "check.h"

#include <sys/stat.h>
#include <time.h>

#include "ttc_kit.h"

static char why[256];

static bool
opened(struct rec_options *o)
{
	struct rec_options again = *o;        /* names are used more than once */

	again.overwrite = true;
	int rc = rec_open(&again, why);

	if (rc != 0)
		printf("rec_open: %s\n", why);
	return CHECK_EQ_INT(rc, 0);
}

/* Let the writer catch up before the ring is full. */
static void
breathe(void)
{
	struct rec_stats s;

	for (rec_stats(&s); s.free < s.total / 4; rec_stats(&s))
		usleep(500);
}

static uint8_t *
slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *p = NULL;

	if (f && fstat(fileno(f), &st) == 0) {
		p = malloc((size_t)st.st_size + 1);
		*n = p ? fread(p, 1, (size_t)st.st_size, f) : 0;
	}
	if (f)
		fclose(f);
	return p;
}

static uint64_t
damage(const struct ttc_result *r)
{
	return r->loss.e[TT_LOST_CUT].n + r->loss.e[TT_LOST_SYNC].n + r->loss.e[TT_LOST_DAMAGED].n +
	    r->loss.e[TT_LOST_MISSING].n + r->loss.e[TT_LOST_FILES].n + r->loss.e[TT_LOST_GARBAGE].n + r->loss.e[TT_LOST_UNKNOWN].n +
	    (r->rc != TT_OK);
}

#define NKEY 60

/* ${threads} scripts on writing ends of one thread, ${events} each, into check_path("a.ttc"). */
static void
record(uint64_t seed, unsigned threads, unsigned events, struct rec_options o, struct ttc_sum *sum,
    uint64_t *last_key)
{
	static struct ttc_script s[8];
	uint64_t key[NKEY];

	o.path = check_path("a.ttc");
	o.producer = "test";
	if (!opened(&o))
		return;
	ttc_keys(key, NKEY);
	*last_key = key[NKEY - 1];
	memset(s, 0, sizeof s);
	for (unsigned i = 0; i < threads; i++) {
		s[i].t = rec_thread_extra();
		s[i].t->native = 1000 + i;
		s[i].seed = seed * 977 + i;
		s[i].ticks = rec_now();
		s[i].key = key;
		s[i].nkey = NKEY;
	}
	for (unsigned done = 0; done < events; done += 50) {
		for (unsigned i = 0; i < threads; i++)
			ttc_run(&s[i], events - done < 50 ? events - done : 50);
		breathe();
		if (done % 2000 == 1950)
			rec_flush(1000);
	}
	for (unsigned i = 0; i < threads; i++)
		sum[i] = s[i].sum;
	CHECK_EQ_INT(rec_close(why), 0);
	for (unsigned i = 0; i < threads; i++)
		rec_thread_release(s[i].t);
}

static void
same(const struct ttc_result *r, const struct ttc_sum *sum, unsigned threads)
{
	CHECK_EQ_INT(r->rc, TT_OK);
	CHECK_EQ_INT(damage(r), 0);
	CHECK_EQ_INT(r->gaps, 0);
	CHECK_EQ_INT(r->end_mark, 1);
	for (size_t i = 0; i < r->threads; i++) {
		const struct ttc_sum *a = &r->sum[i], *b;
		if (r->tid[i] < 1000 || r->tid[i] >= 1000 + threads) {
			CHECK_EQ_INT(a->events, 0);
			continue;
		}
		b = &sum[r->tid[i] - 1000];
		CHECK_EQ_INT(a->events, b->events);
		CHECK_EQ_INT(a->zones, b->zones);
		CHECK_EQ_INT(a->allocs, b->allocs);
		CHECK_EQ_INT(a->bytes, b->bytes);
		CHECK_EQ_INT(a->singles, b->singles);
		CHECK_EQ_INT(a->counters, b->counters);
		CHECK_EQ_INT(a->flows, b->flows);
		CHECK_EQ_INT(a->frames, b->frames);
		CHECK_EQ_INT(a->open, b->open);
		CHECK(a->hash == b->hash);
	}
}

TEST(what_was_recorded_is_what_is_read)
{
	unsigned seeds = check_long() ? 10000 : 25;

	for (unsigned seed = 1; seed <= seeds; seed++) {
		struct rec_options o = { .ring = 2u << 20,
			.chunk = seed % 3 == 0 ? 64u << 10 : 4096u << seed % 3,
			.part_ms = seed % 2 ? 3 : 1000,
			.poll_ms = 1 };
		struct ttc_sum sum[8];
		struct ttc_result r;
		uint64_t key = 0;
		record(seed, 1 + seed % 5, seed <= 400 ? 3000 : 300, o, sum, &key);
		ttc_read(check_path("a.ttc"), NULL, 0, key, &r);
		same(&r, sum, 1 + seed % 5);
		size_t n = 0;
		uint8_t *p = slurp(check_path("a.ttc"), &n);
		struct ttc_result in_order;
		ttc_read_pipe(p, n, &in_order);
		same(&in_order, sum, 1 + seed % 5);
		CHECK(memcmp(in_order.ndef, r.ndef, sizeof r.ndef) == 0);
		free(p);
		CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], NKEY);
		CHECK_STR(r.text, "Marker 59 \xc3\xa9");
	}
}

TEST(rotated_files_are_complete_each_and_sum_up)
{
	struct rec_options o = {
		.ring = 2u << 20, .chunk = 4096, .rotate_size = 40000, .part_ms = 3, .poll_ms = 1
	};
	struct ttc_sum sum[8], got = { 0 };
	struct ttc_result r;
	uint64_t key = 0, made = 0;
	static char file[40][300];
	const char *path[40], *some[40];
	size_t files = 0, n;

	record(7, 3, 20000, o, sum, &key);
	for (int i = 0; i < 3; i++)
		made += sum[i].events;
	for (;; files++) {
		char name[40];
		if (files)
			snprintf(name, sizeof name, "a.%zu.ttc", files);
		else
			snprintf(name, sizeof name, "a.ttc");
		if (access(check_path(name), R_OK) != 0)
			break;
		ttc_read(check_path(name), NULL, 0, key, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.gaps, 0);
		CHECK_EQ_INT(r.end_mark, 1);
		CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], NKEY);
		got.events += r.all.events;
		got.allocs += r.all.allocs;
		got.hash += r.all.hash;
		snprintf(file[files % 40], sizeof file[0], "%s", check_path(name));
		path[files % 40] = file[files % 40];
		some[files < 2 ? files : files % 40 - 1] = path[files % 40];
	}
	CHECK(files > 4 && files < 40);
	/* Together they are one capture, like one that did not rotate. */
	char *whole = ttc_recover_all(path, files, &n);
	if (CHECK(whole != NULL)) {
		ttc_read(NULL, whole, n, key, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.gaps, 0);
		CHECK_EQ_INT(r.end_mark, 1);
		CHECK_EQ_INT(r.all.events, made);
		CHECK_EQ_INT(r.all.zones, sum[0].zones + sum[1].zones + sum[2].zones);
		CHECK_EQ_INT(r.all.hash, sum[0].hash + sum[1].hash + sum[2].hash);
		CHECK_EQ_INT(r.all.cont, 0);
	}
	free(whole);
	/* Read one after the other they are that, too, from pipes as well. */
	for (int piped = 0; piped < 2; piped++) {
		ttc_how = (struct ttc_how){ .needs = ttc_how.needs, .then = path + 1, .nthen = files - 1, .piped = piped };
		ttc_read(path[0], NULL, 0, key, &r);
		same(&r, sum, 3);
		CHECK_EQ_INT(r.all.cont, 0);
		CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], NKEY);
		ttc_how.then = some + 1;
		ttc_how.nthen--;
		ttc_read(path[0], NULL, 0, key, &r);
		CHECK_EQ_INT(r.loss.e[TT_LOST_FILES].n, 1);
		CHECK_EQ_INT(damage(&r), 1);
		CHECK(r.gaps > 0 && r.all.events < made);
		ttc_how = (struct ttc_how){ .needs = ttc_how.needs };
	}
	/* Without one in the middle, the rest is told apart from it, and that one is missing. */
	whole = ttc_recover_all(some, files - 1, &n);
	if (CHECK(whole != NULL)) {
		ttc_read(NULL, whole, n, key, &r);
		CHECK_EQ_INT(r.loss.e[TT_LOST_MISSING].n, 1);
		CHECK_EQ_INT(damage(&r), 1);
		CHECK(r.gaps > 0 && r.all.events < made);
	}
	free(whole);
	for (size_t i = 0; i < files; i++)
		remove(path[i]);
	CHECK_EQ_INT(got.events, made);
	CHECK_EQ_INT(got.allocs, sum[0].allocs + sum[1].allocs + sum[2].allocs);
}

TEST(rotation_keeps_as_many_files_as_wanted)
{
	struct rec_options o = { .ring = 2u << 20, .chunk = 4096, .rotate_size = 30000, .rotate_keep = 3,
		.part_ms = 3, .poll_ms = 1 };
	struct ttc_sum sum[8];
	struct ttc_result r;
	uint64_t key = 0;
	unsigned kept = 0;

	record(8, 2, 20000, o, sum, &key);
	for (unsigned i = 0; i < 40; i++) {
		char name[40];
		snprintf(name, sizeof name, i ? "a.%u.ttc" : "a.ttc", i);
		if (access(check_path(name), R_OK) != 0)
			continue;
		ttc_read(check_path(name), NULL, 0, key, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK(r.all.events > 0);
		kept++;
		remove(check_path(name));
	}
	CHECK_EQ_INT(kept, 3);
}

/* --- the clock ----------------------------------------------------------------------------- */

/*
 * A capture that says of its counter that it runs at ${num} / ${den}, and of ten seconds when it stood where: ${is} / ${den}, and
 * in the fifth the machine sleeps. The length, into ${p}.
 */
static size_t
clocked(uint8_t *p, unsigned clock, uint64_t num, uint64_t is, uint64_t den, unsigned seconds)
{
	struct ttc_head h = { .major = TTC_MAJOR, .size = sizeof h + TTC_TEXTS, .num = num, .den = den, .clock = clock,
		.ticks = 1000, .mono_ns = 70000000, .pointer = 8 };
	struct ttc_chunk c = { .magic = TTC_CHUNK_MAGIC, .state = 4 };
	uint8_t *at = p + sizeof h + TTC_TEXTS, *q = at + sizeof c + 4, body[40], *b;

	memset(p, 0, sizeof h + TTC_TEXTS + sizeof c + 4);
	for (uint64_t i = 1; i <= seconds; i++) {
		uint64_t ticks = i * 1000000000 / is * den;
		b = ttc_put(body, ticks);
		b = ttc_put(b, 70000000 + ticks / den * is + (i >= 5 ? 30000000000u : 0));
		b = ttc_put(b, 0);
		q = ttc_put(q, TTC_OTHER);
		*q++ = TTC_CLOCK;
		q = ttc_put(q, (uint64_t)(b - body));
		memcpy(q, body, (size_t)(b - body));
		q += b - body;
	}
	c.commit = (uint64_t)(q - at) - sizeof c;
	memcpy(at, &c, sizeof c);
	memcpy(p, &h, sizeof h);
	ttc_fix_checksums(p, (size_t)(q - p));
	return (size_t)(q - p);
}

TEST(a_counter_runs_as_fast_as_the_clock_beside_it_says)
{
	/* 3 GHz, known to 100 in a million. */
	const uint64_t num = 1000100, is = 1000000, den = 3000000;
	struct ttc_result r;
	uint8_t p[2000];
	size_t n = clocked(p, TTC_CLOCK_TSC, num, is, den, 10);

	ttc_read(NULL, p, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(r.num % is, 0);
	CHECK_EQ_INT(r.num / is, r.den / den);
	/* In order nobody knows yet what comes. */
	ttc_read_pipe(p, n, &r);
	CHECK_EQ_INT(r.num, num);
	/* Clocks that need no help, too short a time, clocks that do not belong together. */
	static const struct { unsigned clock; uint64_t num; unsigned seconds; } as[] = {
		{ TTC_CLOCK_SYSTEM, 1000100, 10 }, { TTC_CLOCK_QPC, 1000100, 10 }, { TTC_CLOCK_TSC, 1000100, 0 },
		{ TTC_CLOCK_TSC, 1100000, 10 },
	};
	for (size_t i = 0; i < sizeof as / sizeof as[0]; i++) {
		n = clocked(p, as[i].clock, as[i].num, is, den, as[i].seconds);
		ttc_read(NULL, p, n, 0, &r);
		CHECK_EQ_INT(r.num, as[i].num);
		CHECK_EQ_INT(r.den, den);
	}
	/* Recovered, it is right in order, too. */
	n = clocked(p, TTC_CLOCK_TSC, num, is, den, 10);
	FILE *f = fopen(check_path("a.ttc"), "wb");
	CHECK(f && fwrite(p, 1, n, f) == n && fclose(f) == 0);
	char *whole = ttc_recover_all((const char *[]){ check_path("a.ttc") }, 1, &n);
	if (CHECK(whole != NULL)) {
		ttc_read_pipe(whole, n, &r);
		CHECK_EQ_INT(r.num / is, r.den / den);
	}
	free(whole);
}

static uint64_t
raw_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Two instants, each between two readings of the clock, are as far from each other as that says, to a microsecond. */
TEST(recorded_times_are_those_of_the_clock)
{
	struct rec_options o = { .path = check_path("a.ttc") };
	uint64_t before[2], after[2], key[1];
	struct ttc_result r;
	uint8_t *p;
	size_t n;

	if (!opened(&o))
		return;
	ttc_keys(key, 1);
	for (int i = 0; i < 2; i++) {
		before[i] = raw_ns();
		rec_begin(rec_thread(), rec_now(), key[0]);
		after[i] = raw_ns();
		for (rec_end(rec_thread(), rec_now(), key[0]); i == 0 && raw_ns() < after[0] + 1100000000;)
			usleep(10000);
	}
	CHECK_EQ_INT(rec_close(why), 0);
	ttc_read(check_path("a.ttc"), NULL, 0, 0, &r);
	double ns = (double)(r.max_ts - r.min_ts) * (double)r.num / (double)r.den;
	CHECK(!rec_has_counter || r.num > 1000000000);
	CHECK(!rec_has_counter || ns >= (double)(before[1] - after[0]) - 1000);
	/* The same in order: the head has it. */
	p = slurp(check_path("a.ttc"), &n);
	ttc_read_pipe(p, n, &r);
	CHECK(!rec_has_counter || r.num > 1000000000);
	free(p);
}

/* --- damage ------------------------------------------------------------------------------ */

/* A small capture with several chunks, in memory. */
static uint8_t *
small(unsigned threads, unsigned events, size_t *n, struct ttc_result *whole)
{
	struct rec_options o = { .ring = 1u << 20, .chunk = 4096, .part_ms = 2, .poll_ms = 1 };
	struct ttc_sum sum[8];
	uint64_t key;
	uint8_t *p;

	record(5, threads, events, o, sum, &key);
	p = slurp(check_path("a.ttc"), n);
	ttc_read(NULL, p, *n, 0, whole);
	same(whole, sum, threads);
	return p;
}

TEST(every_prefix_gives_whole_chunks_and_says_that_it_is_cut)
{
	struct ttc_result whole, r;
	uint64_t before = 0;
	size_t n;
	uint8_t *p = small(3, 3000, &n, &whole);
	unsigned bad = 0, step = check_step() * (check_long() ? 1 : 3);

	for (size_t k = check_lot(step); k < n; k += step) {
		uint8_t *q = malloc(k + 1);       /* so that valgrind and ASan see a byte too far */
		memcpy(q, p, k);
		ttc_read(NULL, q, k, 0, &r);
		bad += r.all.events < before || r.all.events > whole.all.events;
		bad += r.rc == TT_OK && r.end_mark > 0;
		for (size_t i = 0; i < r.threads; i++)
			bad += r.gaps > 0;
		before = r.all.events;
		if (k / step % 7 == 0) {
			struct ttc_result in_order;
			ttc_read_pipe(q, k, &in_order);
			bad += in_order.all.events != r.all.events || in_order.rc != r.rc ||
			    in_order.end_mark != r.end_mark || (damage(&in_order) > 0) != (damage(&r) > 0);
		}
		free(q);
	}
	CHECK_EQ_INT(bad, 0);
	CHECK(n > 16000);
	printf("every_prefix: %zu prefixes\n", (n + step - 1) / step);
	free(p);
}

TEST(every_flipped_bit_is_noticed_and_stays_in_its_chunk)
{
	struct ttc_result whole, r;
	size_t n;
	uint8_t *p = small(2, 1200, &n, &whole);
	unsigned missed = 0, spread = 0, step = check_step() * (check_long() ? 1 : 3);
	uint64_t largest = 4096;

	for (size_t i = check_lot(step); i < 8 * n; i += step) {
		const size_t k = i / 8;
		const unsigned bit = (unsigned)(i % 8);

		p[k] ^= (uint8_t)(1u << bit);
		ttc_read(NULL, p, n, 0, &r);
		if (damage(&r) == 0) {
			if (missed++ < 5)
				printf("bit %u of byte %zu went unnoticed\n", bit, k);
		}
		if (i / step % 13 == 0) {
			struct ttc_result in_order;
			ttc_read_pipe(p, n, &in_order);
			if (damage(&in_order) == 0 && missed++ < 5)
				printf("bit %u of byte %zu went unnoticed in order\n", bit, k);
		}
		/* A chunk of 4 KiB holds no more than 2,000 events. */
		if (r.rc == TT_OK && r.all.events + largest / 2 < whole.all.events)
			spread++;
		p[k] ^= (uint8_t)(1u << bit);
	}
	CHECK_EQ_INT(missed, 0);
	CHECK_EQ_INT(spread, 0);
	printf("every_bit: %zu bits\n", (8 * n + step - 1) / step);
	free(p);
}

/* Where the chunks are. */
static size_t
chunks_of(const uint8_t *p, size_t n, size_t *at, size_t max)
{
	size_t k = 0, i = ttc_u32(p + 12);

	while (i + TTC_CHUNK_HEAD <= n && k < max) {
		at[k++] = i;
		i += TTC_CHUNK_HEAD + ttc_u32(p + i + 8);
	}
	at[k] = i;
	return k;
}

/*
 * Times, keys and sizes at the edges of what records are written by the fewest instructions, by others, and byte by byte, with the processor's instruction for
 * checksums and without. A time before the last one counts as equal to it.
 */
TEST(records_of_every_length_are_read_back)
{
	static const int64_t step[] = { 0, 1, 31, 32, 4095, 4096, -1, 1 << 19, (1 << 19) - 1, -5000, 1 << 26, 1ll << 35, -(1ll << 36), 1ll << 50 };
	static const int64_t far[] = { 0, 1, -1, 63, 64, -64, -65, 8191, 8192, -8192, -8193, 1 << 20, 1ll << 27, 1ll << 34, -(1ll << 34), 1ll << 40 };
	static const uint64_t size[] = { 0, 127, 128, 16383, 16384, (1u << 21) - 1, 1u << 21, 1ull << 40 };
	enum { STEPS = sizeof step / sizeof *step, FARS = sizeof far / sizeof *far, SIZES = sizeof size / sizeof *size };

	for (int fast = 0; fast < 2; fast++) {
		struct rec_options o = { .path = check_path("a.ttc") };
		uint64_t hash = 0, key = 1ull << 41;
		struct ttc_result r;

		if (!opened(&o))
			return;
		tt_crc32c_fast = tt_crc32c_fast && fast;
		struct rec_thread *t = rec_thread();
		uint64_t last = rec_now();
		for (unsigned i = 0; i < STEPS * FARS * SIZES; i++) {
			uint64_t at[3], time[3], bytes = size[i % SIZES];
			for (unsigned k = 0, j = i / FARS / SIZES; k < 3; k++, j = (j + i) % STEPS) {
				at[k] = last + (uint64_t)step[j];
				time[k] = last = step[j] > 0 ? at[k] : last;
			}
			key += (uint64_t)far[i / SIZES % FARS];
			rec_begin(t, at[0], key);
			rec_alloc(t, at[1], key + 1, bytes);
			rec_end(t, at[2], key);
			hash += ttc_mix(1, key, time[0], time[2]) + ttc_mix(2, key + 1, time[1], bytes);
		}
		CHECK_EQ_INT(rec_close(why), 0);
		tt_crc32c_init();
		ttc_read(o.path, NULL, 0, 0, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.all.zones, STEPS * FARS * SIZES);
		CHECK_EQ_INT(r.all.allocs, STEPS * FARS * SIZES);
		CHECK(r.all.hash == hash);
	}
}

/* A recorder's error: the checksum is right, and a number passes the chunk's end. Each plain kind of record, and one of another kind. */
TEST(events_before_nonsense_are_counted)
{
	static const uint8_t kind[] = { TTC_BEGIN, TTC_ALLOC, TTC_OTHER };

	for (size_t i = 0; i < sizeof kind; i++) {
		struct rec_options o = { .path = check_path("a.ttc") };
		struct ttc_result r;
		uint64_t key[NKEY];
		size_t n = 0, at[21], k;

		if (!opened(&o))
			return;
		ttc_keys(key, 3);
		struct rec_thread *t = rec_thread();
		uint64_t now = rec_now();
		rec_alloc(t, now, key[0], 24);
		for (unsigned j = 0; j < 100; j++) {
			rec_begin(t, now + j, key[2]);
			rec_end(t, now + j, key[2]);
		}
		rec_begin(t, now + 100, key[2]);
		CHECK_EQ_INT(rec_close(why), 0);
		uint8_t *p = slurp(o.path, &n);
		k = chunks_of(p, n, at, 20);
		for (size_t j = 0; j < k; j++)
			if (ttc_u32(p + at[j] + 4) != 0 && at[j + 1] - at[j] > 300) {
				/* In the place of the last begin, which has three bytes. */
				memset(p + at[j + 1] - 2, 0xff, 2);
				p[at[j + 1] - 3] = kind[i];
			}
		ttc_fix_checksums(p, n);
		ttc_read(NULL, p, n, 0, &r);
		CHECK_EQ_INT(r.rc, TT_OK);
		CHECK_EQ_INT(r.loss.e[TT_LOST_DAMAGED].n, 1);
		CHECK_EQ_INT(r.nzone, 100);
		CHECK_EQ_INT(r.all.events, 201);
		free(p);
	}
}

TEST(chunks_in_another_order_are_noticed_and_all_read)
{
	struct ttc_result whole, r;
	size_t n, at[20], k;
	uint8_t *p = small(3, 4000, &n, &whole), *q = malloc(n);
	unsigned quiet = 0, less = 0;

	k = chunks_of(p, n, at, 16);
	for (size_t i = 0; i < k; i++)
		for (size_t j = i + 1; j < k; j++) {
			uint8_t *to = q;
#define COPY(a, b) do { memcpy(to, p + (a), (b) - (a)); to += (b) - (a); } while (0)
			COPY(0, at[i]);
			COPY(at[j], at[j + 1]);
			COPY(at[i + 1], at[j]);
			COPY(at[i], at[i + 1]);
			COPY(at[j + 1], n);
			ttc_read(NULL, q, n, 0, &r);
			bool same_thread = ttc_u32(p + at[i] + 4) == ttc_u32(p + at[j] + 4);
			bool between = false;
			for (size_t x = i + 1; x < j; x++)
				between = between || ttc_u32(p + at[x] + 4) == ttc_u32(p + at[i] + 4) ||
				    ttc_u32(p + at[x] + 4) == ttc_u32(p + at[j] + 4);
			/* Chunks of different threads may stand in any order. */
			quiet += (same_thread || between) && damage(&r) == 0;
			less += r.all.events != whole.all.events || r.all.hash != whole.all.hash;
			/* In order, what comes late is left out. */
			ttc_read_pipe(q, n, &r);
			quiet += (same_thread || between) && damage(&r) == 0;
			less += r.rc != TT_OK || r.all.events > whole.all.events;
		}
	CHECK_EQ_INT(quiet, 0);
	CHECK_EQ_INT(less, 0);
	free(q);
	free(p);
}

TEST(chunks_repeated_or_missing_are_noticed_and_the_rest_read)
{
	struct ttc_result whole, r;
	size_t n, at[20], k;
	uint8_t *p = small(3, 4000, &n, &whole), *q = malloc(2 * n);
	unsigned quiet = 0, wrong = 0;

	k = chunks_of(p, n, at, 16);
	for (size_t i = 0; i < k; i++) {
		size_t len = at[i + 1] - at[i];
		memcpy(q, p, at[i]);
		memcpy(q + at[i], p + at[i + 1], n - at[i + 1]);
		ttc_read(NULL, q, n - len, 0, &r);
		quiet += damage(&r) == 0;
		wrong += r.all.events > whole.all.events || r.all.events + 2500 < whole.all.events;
		for (size_t j = i; j < k; j++) {      /* once more behind chunk j */
			memcpy(q, p, at[j + 1]);
			memcpy(q + at[j + 1], p + at[i], len);
			memcpy(q + at[j + 1] + len, p + at[j + 1], n - at[j + 1]);
			ttc_read(NULL, q, n + len, 0, &r);
			quiet += damage(&r) == 0;
			wrong += r.all.events != whole.all.events || r.all.hash != whole.all.hash;
		}
	}
	CHECK_EQ_INT(quiet, 0);
	CHECK_EQ_INT(wrong, 0);
	free(q);
	free(p);
}

/* After a missing chunk the open zones come back from the state of the next one. */
TEST(zones_open_at_a_gap_are_open_behind_it)
{
	struct rec_options o = {
		.path = check_path("a.ttc"), .ring = 1u << 20, .chunk = 4096, .part_ms = 100000
	};
	uint64_t key[NKEY];
	size_t n, at[64], k;
	struct ttc_result r;
	uint8_t *p, *q;

	if (!opened(&o))
		return;
	ttc_keys(key, NKEY);
	struct rec_thread *t = rec_thread();
	uint64_t now = rec_now();
	rec_begin(t, now, key[2]);
	rec_begin(t, now + 1, key[3]);
	for (int i = 0; i < 6000; i++) {
		rec_begin(t, now + 10 + (uint64_t)i, key[4]);
		rec_end(t, now + 10 + (uint64_t)i, key[4]);
	}
	rec_end(t, now + 10000, key[3]);
	rec_end(t, now + 10001, key[2]);
	rec_close(why);
	p = slurp(check_path("a.ttc"), &n);
	q = malloc(n);
	k = chunks_of(p, n, at, 60);
	for (size_t i = 0; i < k; i++) {
		if (ttc_u32(p + at[i] + 4) == 0 || ttc_u64(p + at[i] + 16) != 2)
			continue;
		memcpy(q, p, at[i]);
		memcpy(q + at[i], p + at[i + 1], n - at[i + 1]);
		ttc_read(NULL, q, n - (at[i + 1] - at[i]), 0, &r);
		CHECK_EQ_INT(r.gaps, 1);
		CHECK_EQ_INT(r.all.open, 0);
		CHECK(r.all.cont == 2 || r.all.cont == 3);    /* a short one may be cut in two */
		CHECK_EQ_INT(r.loss.e[TT_LOST_UNMATCHED].n, 0);
		CHECK_EQ_INT(r.loss.e[TT_LOST_MISSING].n, 1);
	}
	free(q);
	free(p);
}

/* The key of a label begun, and ended. */
static uint64_t
label_key(struct rec_thread *t, uint64_t owner, uint64_t category, unsigned type, const void *p, size_t n)
{
	struct rec_value v = { .type = (uint8_t)type, .size = (uint32_t)n, .p = p };
	uint64_t key;

	rec_label(t, rec_now(), owner, category, &v, NULL, 0);
	key = t->zone[0].key;
	rec_end(t, rec_now(), owner);
	return key;
}

/* Texts that come and go at one address, each different from all others in one byte at the least. */
TEST(a_label_is_what_its_text_says_now)
{
	enum { MOST = 140, STEP = 7 };
	struct rec_options o = { .path = check_path("a.ttc") };
	static uint64_t first[MOST + 1][MOST + 1];
	uint64_t key[3], bad = 0, smallest = UINT64_MAX, last = 0, n = 0;
	uint8_t text[MOST + 3];
	struct ttc_result r;

	if (!opened(&o))
		return;
	ttc_keys(key, 3);
	struct rec_thread *t = rec_thread();
	for (unsigned round = 0; round < 3; round++)
		for (size_t len = 1; len <= MOST; len += len < 70 ? 1 : STEP)
			for (size_t at = 0; at < len; at++) {
				memset(text, 'x', sizeof text);
				text[at] = 'y';
				uint64_t k = label_key(t, key[1], 0, TTC_TEXT8, text, len);
				if (round == 0) {
					bad += k <= last;     /* each a new one */
					first[len][at] = last = k;
					n++;
				} else {
					bad += k != first[len][at];
				}
				smallest = k < smallest ? k : smallest;
			}
	CHECK_EQ_INT(bad, 0);
	CHECK_EQ_INT(last - smallest + 1, n);
	/* Terminators are none of the text; owner, category and type are of the label. */
	memset(text, 0, sizeof text);
	memcpy(text, "a\0b\0c\0", 6);
	uint64_t k = label_key(t, key[1], 0, TTC_TEXT16, text, 6);
	CHECK_EQ_INT(label_key(t, key[1], 0, TTC_TEXT16, text, 8), k);
	CHECK_EQ_INT(label_key(t, key[1], 0, TTC_TEXT16, text, 6), k);
	CHECK(label_key(t, key[1], 0, TTC_TEXT8, text, 6) != k);
	CHECK(label_key(t, key[2], 0, TTC_TEXT16, text, 6) != k);
	CHECK(label_key(t, key[1], 1, TTC_TEXT16, text, 6) != k);
	CHECK_EQ_INT(rec_close(why), 0);
	memset(text, 'x', sizeof text);
	text[33] = 'y';
	text[64] = '\0';
	ttc_read(check_path("a.ttc"), NULL, 0, first[64][33], &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_STR(r.text, (char *)text);
	/* A key of an earlier recording is none of this one. */
	if (!opened(&o))
		return;
	memcpy(text, "a\0b\0c\0", 7);
	CHECK(label_key(rec_thread(), key[1], 0, TTC_TEXT16, text, 6) > k);
	CHECK_EQ_INT(rec_close(why), 0);
}

/* With and without the processor's help, with and without arguments; and what a first look over it finds. */
TEST(every_way_of_reading_finds_the_same)
{
	struct ttc_result r[4], first;
	struct ttc_sum sum[8];

	for (uint64_t seed = 60; seed < 64; seed++) {
		struct rec_options o = { .ring = 4u << 20, .chunk = 4096u << seed % 3, .part_ms = 2, .poll_ms = 1 };
		uint64_t key = 0;
		record(seed, 2, 30000, o, sum, &key);
		for (unsigned i = 0; i < 4; i++) {
			ttc_how = (struct ttc_how){ .needs = i & 1 ? TT_NEEDS_ARGS : 0, .plain = i & 2 };
			ttc_read(check_path("a.ttc"), NULL, 0, 0, &r[i]);
			CHECK_EQ_INT(damage(&r[i]), 0);
			CHECK_EQ_INT(r[i].all.events, sum[0].events + sum[1].events);
			CHECK_EQ_INT(r[i].all.hash, sum[0].hash + sum[1].hash);
			CHECK_EQ_INT(r[i].all.zones, r[0].all.zones);
			CHECK_EQ_INT(r[i].all.open, r[0].all.open);
		}
		for (unsigned i = 0; i < 2; i++) {
			ttc_how = (struct ttc_how){ .needs = TT_SKIM, .plain = i };
			ttc_read(check_path("a.ttc"), NULL, 0, 0, &first);
			CHECK_EQ_INT(damage(&first), 0);
			CHECK_EQ_INT(first.nzone, r[0].nzone);
			CHECK_EQ_INT(first.nalloc, r[0].nalloc);
			CHECK_EQ_INT(first.all.frames, r[0].all.frames);
			CHECK_EQ_INT(first.ndef[TT_DEF_MARKER], r[0].ndef[TT_DEF_MARKER]);
			CHECK_EQ_INT(first.min_ts, r[0].min_ts);
			CHECK_EQ_INT(first.max_ts, r[0].max_ts);
		}
		ttc_how = (struct ttc_how){ .needs = TT_NEEDS_ARGS };
	}
}

TEST(zones_of_gc_collect_are_collections)
{
	struct rec_options o = { .path = check_path("a.ttc"), .ring = 4u << 20, .chunk = 4096, .poll_ms = 1 };
	uint64_t key[NKEY], ticks = 1000, sum = 0;
	struct ttc_result r;

	if (!opened(&o))
		return;
	ttc_keys(key, NKEY);
	uint64_t collect = rec_def_marker(0, 77, 0, "GC.Collect");
	struct rec_thread *t = rec_thread();
	for (unsigned i = 0; i < 50; i++) {
		uint64_t from = ticks += 17;
		rec_begin(t, ticks, key[2]);
		rec_begin(t, ticks, collect);
		/* Some go on over several chunks. */
		for (unsigned k = 0; k < (i % 10 == 3 ? 5000 : i % 3); k++) {
			rec_begin(t, ticks += 3, key[3]);
			rec_end(t, ticks += 3, key[3]);
		}
		ticks += 5;
		if (i % 7 == 1)
			rec_end_flags(t, ticks, collect, 1);
		else if (i % 7 != 2)
			rec_end(t, ticks, collect);
		rec_end(t, ticks, key[2]);    /* the rest, too */
		sum += ticks - from;
	}
	CHECK_EQ_INT(rec_close(why), 0);
	for (unsigned i = 0; i < 2; i++) {
		ttc_how.plain = i;
		ttc_read(check_path("a.ttc"), NULL, 0, 0, &r);
		CHECK_EQ_INT(damage(&r), 0);
		CHECK_EQ_INT(r.gc_starts, 50);
		CHECK_EQ_INT(r.gc_ends, 50);
		CHECK_EQ_INT(r.gc_ticks, sum);
	}
	ttc_how.plain = false;
}

TEST(labels_are_zones_named_by_their_text)
{
	struct rec_options o = { .path = check_path("a.ttc"), .ring = 2u << 20 };
	uint64_t key[NKEY];
	static const uint16_t text[] = { 'G', 0xe9, 0x4e2d, 0xd83d, 0xde00, 0, 0 };
	struct rec_value v = { .type = TTC_TEXT16, .size = sizeof text, .p = text };
	struct ttc_result r;

	if (!opened(&o))
		return;
	ttc_keys(key, NKEY);
	struct rec_thread *t = rec_thread();
	uint64_t now = rec_now();
	for (int i = 0; i < 1000; i++) {
		rec_label(t, now + 3 * (uint64_t)i, key[1], 0, &v, NULL, 0);
		rec_begin(t, now + 3 * (uint64_t)i + 1, key[2]);
		rec_end(t, now + 3 * (uint64_t)i + 1, key[2]);
		rec_end(t, now + 3 * (uint64_t)i + 2, key[1]);
	}
	uint64_t label = t->zone[0].key;
	rec_close(why);
	ttc_read(check_path("a.ttc"), NULL, 0, label, &r);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.all.zones, 2000);
	CHECK_EQ_INT(r.all.events, 4000);
	CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], NKEY + 1);
	CHECK_STR(r.text, "G\xc3\xa9\xe4\xb8\xad\xf0\x9f\x98\x80");
	size_t n;
	uint8_t *p = slurp(check_path("a.ttc"), &n);
	CHECK(n < 1000 * 18);
	free(p);
}

TEST(a_newer_version_and_strange_heads_are_refused)
{
	struct ttc_result whole, r;
	size_t n;
	uint8_t *p = small(1, 200, &n, &whole);

	p[8] = 2;
	ttc_read(NULL, p, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_E_UNKNOWN);
	CHECK_HAS(r.err.msg, "version 2.");
	CHECK_HAS(r.err.msg, "version 1");
	p[8] = 1;
	p[14] = 0xff;
	ttc_read(NULL, p, n, 0, &r);
	CHECK_EQ_INT(r.rc, TT_E_DAMAGED);
	free(p);
}

/* The promise of tracetool-capture(5), Versions: this file is never made anew. */
TEST(captures_of_every_release_are_read)
{
	struct ttc_result r;

	ttc_read("testdata/capture/good-v1.0-every-kind.ttc", NULL, 0, 0, &r);
	CHECK_EQ_INT(r.rc, TT_OK);
	CHECK_EQ_INT(damage(&r), 0);
	CHECK_EQ_INT(r.end_mark, 1);
	CHECK_EQ_INT(r.all.events, 6040);
	CHECK_EQ_INT(r.all.zones, 2560);
	CHECK_EQ_INT(r.all.allocs, 422);
	CHECK_EQ_INT(r.all.bytes, 3766294502719129);
	CHECK_EQ_INT(r.ndef[TT_DEF_MARKER], 41);
	CHECK_EQ_INT(r.ndef[TT_DEF_THREAD], 3);
	CHECK_EQ_INT(r.ndef[TT_DEF_COUNTER], 1);
	CHECK_EQ_INT(r.ndef[TT_DEF_META], 3);
}
