/*
 * Every bit of small captures flipped: no crash, no hang, and the damage stays inside its buffer: every other
 * buffer is decoded to the same events. Then the numbers of a capture replaced by hostile ones, one after the
 * other, and whole buffers missing, twice, or in another order; pages of real captures lost or in the place of
 * others; and buffers whose clock runs backwards.
 */
#include "check.h"

#include <dirent.h>
#include <time.h>

#include "memrun.h"
#include "mlpd_sample.h"

#define BUFFER_HEAD 48
#define LENGTH_AT 4
#define SLOW_NS 1000000000            /* for captures of a few KiB */

struct sample {
	uint8_t *p;
	size_t n;
	struct memchunk *chunk;
	size_t nchunk;
	char name[64];
};

static void
sample_make(struct sample *s, int version, int pointer, uint64_t seed)
{
	s->p = mlpd_sample(version, pointer, seed, &s->n);
	s->chunk = memchunks(s->p, s->n, &s->nchunk);
	snprintf(s->name, sizeof s->name, "version %d, pointers %d, seed %u", version, pointer, (unsigned)seed);
}

static void
sample_free(struct sample *s)
{
	free(s->p);
	free(s->chunk);
}

static uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* A run that may find anything but must end well: a status of damage or none, nothing leaked, in time, in little memory. */
static bool
run_ends_well(const char *name, const char *how, size_t at, const uint8_t *p, size_t n, unsigned what)
{
	const size_t limit = 16 * n + (8u << 20);
	uint64_t start = cpu_ns();
	struct memrun r;
	const char *bad = NULL;

	memrun(&r, p, n, what);
	if (r.rc != TT_OK && r.rc != TT_E_DAMAGED && r.rc != TT_E_UNKNOWN && r.rc != TT_E_USAGE)
		bad = "ends with another error than damage";
	else if (r.rc != TT_OK && !r.err.msg[0])
		bad = "fails without a word";
	else if (r.env.mem.peak > limit)
		bad = "takes more than 16 times its size and 8 MiB";
	size_t peak = r.env.mem.peak, left = memrun_free(&r);
	if (left)
		bad = "loses memory";
	if (cpu_ns() - start > SLOW_NS)
		bad = "takes more than a second";
	if (bad)
		printf("%s, %s at %zu: %s (status %d: %s; %zu bytes at most, %zu left)\n", name, how, at, bad, r.rc, r.err.msg,
		    peak, left);
	return !bad;
}

/* --- bits ------------------------------------------------------------------------- */

/* The chunk that byte ${at} is in, or nchunk. */
static size_t
chunk_of(const struct sample *s, size_t at)
{
	size_t i = 0;

	while (i < s->nchunk && (at < s->chunk[i].at || at >= s->chunk[i].at + s->chunk[i].len))
		i++;
	return i;
}

/* Every chunk but those with a byte of ${from} up to ${to} is still there as it was. */
static bool
others_stand(const struct sample *s, const uint8_t *p, size_t from, size_t to)
{
	size_t n, k = 0;
	struct memchunk *now = memchunks(p, s->n, &n);
	bool good = true;

	for (size_t i = 0; i < s->nchunk && good; i++) {
		bool touched = s->chunk[i].at < to && from < s->chunk[i].at + s->chunk[i].len;
		if (touched || s->chunk[i].nevent == 0)       /* Mono 4 ends with empty ones */
			continue;
		while (k < n && now[k].at < s->chunk[i].at)
			k++;
		good = k < n && now[k].at == s->chunk[i].at && now[k].len == s->chunk[i].len && now[k].sum == s->chunk[i].sum;
	}
	free(now);
	return good;
}

/* Which chunks a changed byte may touch: its own, and with a length or magic those behind it. */
static bool
stays_inside(const struct sample *s, const uint8_t *p, size_t at)
{
	size_t own = chunk_of(s, at);

	if (own == s->nchunk)
		return true;            /* the file's header: everything may change */
	if (at - s->chunk[own].at >= LENGTH_AT + 4)
		return others_stand(s, p, at, at + 1);
	/* What stands before cannot be touched. */
	size_t n, good = 0;
	struct memchunk *now = memchunks(p, s->n, &n);

	for (size_t i = 0; i < own && i < n; i++)
		good += now[i].at == s->chunk[i].at && now[i].sum == s->chunk[i].sum;
	free(now);
	return good == own;
}

static bool
flip_all(int version, int pointer, uint64_t seed, size_t step, unsigned what)
{
	struct sample s;
	bool good = true;

	sample_make(&s, version, pointer, seed);
	step *= MEMRUN_SPARSE;
	for (size_t bit = (seed + check_lot(step)) % step; bit < 8 * s.n && good; bit += step) {
		s.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		good = run_ends_well(s.name, "bit flipped", bit / 8, s.p, s.n, what);
		if (good && !stays_inside(&s, s.p, bit / 8)) {
			printf("%s, bit %zu of byte %zu flipped: another buffer changed\n", s.name, bit % 8, bit / 8);
			good = false;
		}
		s.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	sample_free(&s);
	return good;
}

TEST(a_flipped_bit_stays_in_its_buffer)
{
	for (int v = 4; v <= 17; v++) {
		CHECK(flip_all(v, 8, 1, check_long() ? 1 : v == 17 || v == 12 ? 53 : 149, MEMRUN_CALLS));
		CHECK(flip_all(v, 4, 2, check_long() ? 1 : 307, MEMRUN_CALLS));
	}
}

TEST(flipped_bits_are_reported_and_converted)
{
	const unsigned what = MEMRUN_REPORT | MEMRUN_EMIT | MEMRUN_BEGIN_END;

	for (int v = 4; v <= 17; v++)
		CHECK(flip_all(v, v % 2 ? 4 : 8, 3, check_long() ? 5 : 1999, what));
}

TEST(flipped_bits_through_a_pipe_do_no_harm)
{
	for (int v = 4; v <= 17; v++)
		CHECK(flip_all(v, v % 2 ? 8 : 4, 4, check_long() ? 5 : 499, MEMRUN_CALLS | MEMRUN_PIPE));
}

/* --- numbers ------------------------------------------------------------------------ */

static const uint64_t hostile[] = { 0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, (uint64_t)1 << 32,
	(uint64_t)1 << 63, UINT64_MAX };
#define NHOSTILE (sizeof hostile / sizeof *hostile)

static size_t
put_uleb(uint8_t *p, uint64_t v)
{
	size_t n = 0;

	do {
		p[n] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
	} while (p[n++] & 0x80);
	return n;
}

/* The number at ${p} of at most ${n} bytes and how long it is. */
static size_t
get_uleb(const uint8_t *p, size_t n, uint64_t *v)
{
	size_t i = 0;

	*v = 0;
	while (i < n && i < 10) {
		*v |= (uint64_t)(p[i] & 0x7f) << (7 * i & 63);
		if (p[i++] < 0x80)
			break;
	}
	return i;
}

static void
put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static uint32_t
get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/*
 * Put ${v} where a number could begin at byte ${at}, with the length of its buffer set right. Whatever is a length,
 * a count or an index in some event gets each value this way.
 */
static bool
with_number(const struct sample *s, size_t own, size_t at, uint64_t v, uint8_t *to, unsigned what)
{
	uint64_t old;
	size_t head = s->chunk[own].at, end = head + s->chunk[own].len;
	size_t was = get_uleb(s->p + at, end - at, &old), now = put_uleb(to + at, v);

	memcpy(to, s->p, at);
	put_uleb(to + at, v);
	memcpy(to + at + now, s->p + at + was, s->n - at - was);
	put_u32(to + head + LENGTH_AT, (uint32_t)(s->chunk[own].len - BUFFER_HEAD - was + now));
	return run_ends_well(s->name, "hostile number", at, to, s->n - was + now, what);
}

static bool
hostile_numbers(int version, int pointer, uint64_t seed, size_t step)
{
	struct sample s;
	uint8_t *to;
	bool good = true;

	sample_make(&s, version, pointer, seed);
	to = malloc(s.n + 16);
	step *= MEMRUN_SPARSE;
	for (size_t own = 0; own < s.nchunk && good; own++) {
		size_t end = s.chunk[own].at + s.chunk[own].len;

		for (size_t at = s.chunk[own].at + BUFFER_HEAD + (seed + check_lot(step)) % step; at < end && good; at += step) {
			uint64_t old;

			get_uleb(s.p + at, end - at, &old);
			for (size_t i = 0; i < NHOSTILE && good; i++)
				good = with_number(&s, own, at, hostile[i], to, MEMRUN_CALLS);
			good = good && with_number(&s, own, at, old + 1, to, MEMRUN_CALLS) &&
			    with_number(&s, own, at, old - 1, to, MEMRUN_CALLS);
		}
	}
	free(to);
	sample_free(&s);
	return good;
}

TEST(hostile_numbers_take_neither_time_nor_memory)
{
	for (int v = 4; v <= 17; v++)
		CHECK(hostile_numbers(v, v % 2 ? 8 : 4, 1, check_long() ? 1 : v == 17 || v == 12 ? 29 : 97));
}

/* The four fixed fields: the length of a buffer, and those of the texts in the file's header. */
static bool
hostile_field(struct sample *s, size_t at)
{
	uint32_t old = get_u32(s->p + at);
	uint32_t list[NHOSTILE + 2] = { old + 1, old - 1 };
	bool good = true;

	for (size_t i = 0; i < NHOSTILE; i++)
		list[i + 2] = (uint32_t)hostile[i];
	for (size_t i = 0; i < NHOSTILE + 2 && good; i++) {
		put_u32(s->p + at, list[i]);
		good = run_ends_well(s->name, "hostile field", at, s->p, s->n, MEMRUN_CALLS) &&
		    run_ends_well(s->name, "hostile field", at, s->p, s->n, MEMRUN_CALLS | MEMRUN_PIPE) &&
		    stays_inside(s, s->p, at);
	}
	put_u32(s->p + at, old);
	return good;
}

TEST(hostile_lengths_of_buffers_and_header_texts)
{
	for (int v = 4; v <= 17; v++) {
		struct sample s;

		sample_make(&s, v, 8, 5);
		for (size_t i = 0; i < s.nchunk; i++)
			CHECK(hostile_field(&s, s.chunk[i].at + LENGTH_AT));
		const size_t step = check_long() ? 1 : 4;
		for (size_t at = 8 + check_lot(step); at + 4 <= s.chunk[0].at; at += step * MEMRUN_SPARSE)
			CHECK(hostile_field(&s, at));
		sample_free(&s);
	}
}

/* --- buffers -------------------------------------------------------------------------- */

/* A capture of the header and the chunks named by ${order}. */
static size_t
assemble(const struct sample *s, const size_t *order, size_t n, uint8_t *to)
{
	size_t len = s->chunk[0].at;

	memcpy(to, s->p, len);
	for (size_t i = 0; i < n; i++) {
		const struct memchunk *c = &s->chunk[order[i]];

		memcpy(to + len, s->p + c->at, c->len);
		len += c->len;
	}
	return len;
}

static bool
order_is_read(const struct sample *s, const size_t *order, size_t n, uint8_t *to)
{
	size_t len = assemble(s, order, n, to);
	uint64_t want = 0;
	struct memrun r;

	for (size_t i = 0; i < n; i++)
		want += s->chunk[order[i]].nevent;
	memrun(&r, to, len, MEMRUN_CALLS | MEMRUN_EMIT);
	bool good = r.rc == TT_OK && memrun_events(&r) == want && !memrun_damaged(&r);
	if (!good)
		printf("%s: %u events, not %u (status %d: %s)\n", s->name, (unsigned)memrun_events(&r), (unsigned)want, r.rc,
		    r.err.msg);
	return memrun_free(&r) == 0 && good;
}

static bool
orders_of(int version, int pointer)
{
	struct sample s;
	size_t order[64];
	bool good = true;

	sample_make(&s, version, pointer, 6);
	uint8_t *to = malloc(2 * s.n);
	size_t n = s.nchunk < 16 ? s.nchunk : 16, step = check_long() ? 1 : 7;
	for (size_t i = 0; i < n && good; i++) {
		for (size_t j = check_lot(step); j < n && good; j += step) {
			/* i and j change places; of i == j, one is missing. */
			for (size_t k = 0; k < n; k++)
				order[k] = k == i ? j : k == j ? i : k;
			if (i == j)
				memmove(order + i, order + i + 1, (n - i - 1) * sizeof *order);
			good = order_is_read(&s, order, i == j ? n - 1 : n, to);
		}
		for (size_t k = 0; k <= n; k++)
			order[k] = k <= i ? k : k - 1;
		good = good && order_is_read(&s, order, n + 1, to);
	}
	free(to);
	sample_free(&s);
	return good;
}

TEST(buffers_missing_repeated_and_out_of_order_are_read)
{
	for (int v = 4; v <= 17; v++)
		CHECK(orders_of(v, v % 2 ? 8 : 4));
}

/* --- pages ------------------------------------------------------------------------------ */

/* A capture of testdata/mlpd; false where it is compressed: there a checksum tells. */
static bool
real_sample(struct sample *s, const char *name)
{
	char path[300];
	long n = 0;

	*s = (struct sample){ 0 };
	snprintf(path, sizeof path, "testdata/mlpd/%s", name);
	snprintf(s->name, sizeof s->name, "%.60s", name);
	FILE *f = fopen(path, "rb");
	if (!CHECK(f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0))
		return false;
	s->n = (size_t)n;
	s->p = malloc(s->n);
	CHECK_EQ_INT(fread(s->p, 1, s->n, f), s->n);
	fclose(f);
	if (s->p[0] == 0x1f)
		return false;
	s->chunk = memchunks(s->p, s->n, &s->nchunk);
	return true;
}

static void
for_each_real(bool (*run)(struct sample *s))
{
	DIR *d = opendir("testdata/mlpd");
	unsigned done = 0;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		const char *dot = strrchr(e->d_name, '.');
		struct sample s;

		if (strncmp(e->d_name, "good-", 5) != 0 || !dot || strcmp(dot, ".mlpd") != 0)
			continue;
		if (real_sample(&s, e->d_name)) {
			CHECK(run(&s));
			done++;
		}
		sample_free(&s);
	}
	if (d)
		closedir(d);
	CHECK(done > 10);
}

static bool
is_told(const uint8_t *p, size_t n)
{
	struct memrun r;

	memrun(&r, p, n, MEMRUN_CALLS);
	bool told = memrun_damaged(&r);
	return memrun_free(&r) == 0 && told;
}

/* Pages of ${size} bytes, each lost in turn: a disk gives zeros for what was not written before the power went. */
static bool
lose_pages(struct sample *s, size_t size)
{
	size_t pages = s->n / size, step = (check_long() ? 1 : pages / 20 + 1) * MEMRUN_SPARSE;
	uint8_t *page = malloc(size), *zeros = calloc(1, size);
	bool good = true;

	for (size_t at = 0; at + size <= s->n && good; at += step * size) {
		memcpy(page, s->p + at, size);
		memset(s->p + at, 0, size);
		good = memcmp(page, zeros, size) == 0 || is_told(s->p, s->n);
		if (!good)
			printf("%s, %zu bytes of zeros at %zu: not told\n", s->name, size, at);
		else if (!(good = at < s->chunk[0].at || others_stand(s, s->p, at, at + size)))
			printf("%s, %zu bytes of zeros at %zu: another buffer changed\n", s->name, size, at);
		memcpy(s->p + at, page, size);
	}
	free(page);
	free(zeros);
	return good;
}

static bool
lose_all(struct sample *s)
{
	return lose_pages(s, 4096) && lose_pages(s, 512);
}

TEST(a_page_of_zeros_is_told)
{
	for_each_real(lose_all);
}

/* A page of the same file in the place of another: what it decodes to may be anything, but in its buffers alone. */
static bool
splice(struct sample *s)
{
	enum { PAGE = 4096 };
	size_t pages = s->n / PAGE, step = (check_long() ? 1 : pages / 4 + 1) * MEMRUN_SPARSE;
	uint8_t *to = malloc(s->n);
	bool good = true;

	memcpy(to, s->p, s->n);
	for (size_t i = 1, from = 0; i < pages && good; i += step, from = (from + 7) % pages) {
		memcpy(to + i * PAGE, s->p + from * PAGE, PAGE);
		good = run_ends_well(s->name, "another page", i * PAGE, to, s->n, i % 2 ? MEMRUN_REPORT : MEMRUN_CALLS);
		/* Not even there where the page holds the heads of other buffers. */
		if (good && !others_stand(s, to, i * PAGE, s->n)) {
			printf("%s, page %zu in the place of %zu: a buffer before it changed\n", s->name, from, i);
			good = false;
		}
		memcpy(to + i * PAGE, s->p + i * PAGE, PAGE);
	}
	free(to);
	return good;
}

TEST(a_page_in_the_place_of_another_ends_well)
{
	for_each_real(splice);
}

/* --- clocks that run backwards ------------------------------------------------------------ */

static void
put_u64(uint8_t *p, uint64_t v)
{
	put_u32(p, (uint32_t)v);
	put_u32(p + 4, (uint32_t)(v >> 32));
}

static uint64_t
get_u64(const uint8_t *p)
{
	return get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
}

/* No zone and no thread has a negative time, whatever the clock did; *${calls}: zones that were met. */
static bool
no_time_is_negative(const struct memrun *r, uint64_t *calls)
{
	bool good = r->rc == TT_OK && r->m;

	*calls = 0;
	for (uint32_t i = 0; good && i < tt_tree_count(r->m->tree); i++) {
		struct tt_count c = tt_counts_get(r->m->counts, i);

		if (tt_tree_node(r->m->tree, i)->kind != TT_NODE_ZONE)
			continue;
		*calls += c.n;
		good = c.total >= 0 && c.self >= 0;
	}
	return good;
}

/* Each buffer in turn begins ${back} ns earlier: as many events and calls as before, and those of all others unchanged. */
static bool
turn_back(const struct sample *s, uint64_t back)
{
	enum { TIME_AT = 8 };
	uint64_t calls, want_calls, events;
	struct memrun r;

	memrun(&r, s->p, s->n, MEMRUN_CALLS);
	bool good = no_time_is_negative(&r, &want_calls);
	events = memrun_events(&r);
	memrun_free(&r);
	const size_t step = check_long() ? 1 : 3;
	for (size_t i = check_lot(step); i < s->nchunk && good; i += step * MEMRUN_SPARSE) {
		uint8_t *time = s->p + s->chunk[i].at + TIME_AT;
		uint64_t was = get_u64(time);

		put_u64(time, was - back);
		memrun(&r, s->p, s->n, MEMRUN_CALLS);
		good = no_time_is_negative(&r, &calls) && calls == want_calls && memrun_events(&r) == events;
		if (!good)
			printf("%s, buffer %zu begins %llu ns earlier: %llu calls, not %llu, or a negative time (status %d)\n", s->name,
			    i, (unsigned long long)back, (unsigned long long)calls, (unsigned long long)want_calls, r.rc);
		good = memrun_free(&r) == 0 && good;
		good = good && run_ends_well(s->name, "clock turned back", i, s->p, s->n, MEMRUN_REPORT | MEMRUN_EMIT);
		good = good && others_stand(s, s->p, s->chunk[i].at, s->chunk[i].at + 1);
		put_u64(time, was);
	}
	return good;
}

TEST(a_buffer_whose_clock_runs_backwards_keeps_its_calls)
{
	for (int v = 4; v <= 17; v++) {
		struct sample s;

		sample_make(&s, v, 8, 7);
		CHECK(turn_back(&s, 1));
		CHECK(turn_back(&s, 1000000));
		CHECK(turn_back(&s, UINT64_C(3600) * 1000000000));
		sample_free(&s);
	}
}
