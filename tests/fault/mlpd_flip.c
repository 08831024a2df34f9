/*
 * Every bit of small captures flipped: no crash, no hang, and the damage stays inside its buffer: every other
 * buffer is decoded to the same events. Then the numbers of a capture replaced by hostile ones, one after the
 * other, and whole buffers missing, twice, or in another order.
 */
#include "check.h"

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

/* Every chunk but ${except} is still there as it was. */
static bool
others_stand(const struct sample *s, size_t except, const uint8_t *p, size_t from)
{
	size_t n, k = 0;
	struct memchunk *now = memchunks(p, s->n, &n);
	bool good = true;

	for (size_t i = from; i < s->nchunk && good; i++) {
		if (i == except)
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
		return others_stand(s, own, p, 0);
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
	for (size_t bit = seed % step; bit < 8 * s.n && good; bit += step) {
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
		CHECK(flip_all(v, 8, 1, check_long() ? 1 : v == 17 || v == 12 ? 3 : 11, MEMRUN_CALLS));
		CHECK(flip_all(v, 4, 2, check_long() ? 1 : 23, MEMRUN_CALLS));
	}
}

TEST(flipped_bits_are_reported_and_converted)
{
	const unsigned what = MEMRUN_REPORT | MEMRUN_EMIT | MEMRUN_BEGIN_END;

	for (int v = 4; v <= 17; v++)
		CHECK(flip_all(v, v % 2 ? 4 : 8, 3, check_long() ? 5 : 101, what));
}

TEST(flipped_bits_through_a_pipe_do_no_harm)
{
	for (int v = 4; v <= 17; v++)
		CHECK(flip_all(v, v % 2 ? 8 : 4, 4, check_long() ? 5 : 53, MEMRUN_CALLS | MEMRUN_PIPE));
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

		for (size_t at = s.chunk[own].at + BUFFER_HEAD + seed % step; at < end && good; at += step) {
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
		CHECK(hostile_numbers(v, v % 2 ? 8 : 4, 1, check_long() ? 1 : v == 17 || v == 12 ? 5 : 17));
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
		for (size_t at = 8; at + 4 <= s.chunk[0].at; at += MEMRUN_SPARSE)
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
	size_t n = s.nchunk < 16 ? s.nchunk : 16;
	for (size_t i = 0; i < n && good; i++) {
		for (size_t j = 0; j < n && good; j += MEMRUN_SPARSE > 1 ? 7 : 1) {
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
