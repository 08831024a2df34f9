/*
 * Every reader of the registry against hostile forms of its good files, through the whole program: passes, reports
 * and emitters.
 *
 * What is promised of any bytes: the run ends, with a reason where it fails; nothing stays allocated; memory is
 * bounded by the input's length; a second of processor time. Readers have tests of their own for what they make of
 * it. The files are testdata/NAME/good-* for the reader called NAME; one without any fails.
 */
#include "check.h"

#include <time.h>

#include "memrun.h"
#include "ttc_kit.h"

/* What a run may hold at its peak. */
#define PEAK(n) (16 * (n) + ((size_t)8 << 20))

struct sample {
	uint8_t *p;
	size_t n;
	char name[256];
};

static uint64_t
cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static bool
slurp(struct sample *s, const char *path)
{
	FILE *f = fopen(path, "rb");
	long n;

	if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0)
		return false;
	s->n = (size_t)n;
	s->p = malloc(s->n + 64);
	if (!s->p || fread(s->p, 1, s->n, f) != s->n)
		return false;
	fclose(f);
	return true;
}

/* Is it compressed? Then a flip is one in the coding, which lib/io has tests for. */
static bool
is_coded(const struct sample *s)
{
	return s->n > 2 && s->p[0] == 0x1f && s->p[1] == 0x8b;
}

/* The smallest good file of the format. */
static bool
find_sample(const struct tt_format *f, struct sample *s)
{
	char dir[128], path[512];
	struct dirent *e;
	DIR *d;

	memset(s, 0, sizeof *s);
	snprintf(dir, sizeof dir, "testdata/%s", f->name);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		struct sample one = { 0 };
		const char *dot = strrchr(e->d_name, '.');

		if (strncmp(e->d_name, "good-", 5) != 0 || !dot || strcmp(dot, f->suffix) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (!CHECK(slurp(&one, path)))
			break;
		if (!is_coded(&one) && (!s->p || one.n < s->n)) {
			free(s->p);
			*s = one;
			snprintf(s->name, sizeof s->name, "%s", e->d_name);
		} else {
			free(one.p);
		}
	}
	if (d)
		closedir(d);
	if (!s->p)
		printf("%s has no good file\n", dir);
	return CHECK(s->p);
}

static size_t peak_most;
static uint64_t time_most;

/* Run over ${n} bytes; false and a line where the run does not end well. */
static bool
ends_well(const struct sample *s, const char *what, size_t at, const uint8_t *p, size_t n, unsigned how,
    uint64_t *events)
{
	uint64_t start = cpu_ns(), took;
	size_t peak, left;
	const char *bad = NULL;
	struct memrun r;

	memrun(&r, p, n, how);
	took = cpu_ns() - start;
	peak = atomic_load(&r.env.mem.peak);
	if (r.rc != TT_OK && r.rc != TT_E_DAMAGED && r.rc != TT_E_UNKNOWN && r.rc != TT_E_USAGE && r.rc != TT_E_LIMIT)
		bad = "a status it must not have";
	else if (r.rc != TT_OK && !r.err.msg[0])
		bad = "refused without a word";
	else if (peak > PEAK(n))
		bad = "more memory than its length allows";
	if (events)
		*events = memrun_events(&r);
	if (bad)
		printf("%s, %s at %zu: %s (status %d: %s; %zu bytes, %.3f s)\n", s->name, what, at, bad, r.rc, r.err.msg,
		    peak, (double)took / 1e9);
	left = memrun_free(&r);
	if (left > 0)
		printf("%s, %s at %zu: %zu bytes are not given back\n", s->name, what, at, left);
	peak_most = peak > peak_most ? peak : peak_most;
	time_most = took > time_most ? took : time_most;
	return !bad && left == 0;
}

/* Ways through the program in turn. A pipe holds 64 KiB. */
static unsigned
way(size_t i, size_t n)
{
	static const unsigned ways[] = { MEMRUN_CALLS, MEMRUN_REPORT, MEMRUN_EMIT | MEMRUN_BEGIN_END,
		MEMRUN_CALLS | MEMRUN_PIPE, MEMRUN_REPORT | MEMRUN_FRAMES };
	unsigned how = ways[i % 5];

	return n > 65536 ? how & ~(unsigned)MEMRUN_PIPE : how;
}

/* --- the loops -------------------------------------------------------------------------- */

static void
each_prefix(const struct sample *s)
{
	size_t step = check_long() ? 1 : s->n / 100 + 1, first = check_long() ? 1 : 3;
	uint64_t before = 0, events;
	unsigned bad = 0;

	for (size_t k = check_lot(first); k <= s->n && bad < 5; k += (k < 200 ? first : step) * MEMRUN_SPARSE) {
		bad += !ends_well(s, "cut", k, s->p, k, MEMRUN_CALLS, &events);
		if (events < before) {
			printf("%s, cut at %zu: %llu events, fewer than of a shorter file\n", s->name, k,
			    (unsigned long long)events);
			bad++;
		}
		before = events;
		if (k % 5 == 0)
			bad += !ends_well(s, "cut", k, s->p, k, way(k / 5, k), NULL);
	}
	CHECK_EQ_INT(bad, 0);
}

static void
each_bit(const struct sample *s)
{
	size_t step = check_long() ? 1 : s->n * 8 / 80 | 1;
	unsigned bad = 0;

	for (size_t bit = check_lot(step), i = 0; bit < s->n * 8 && bad < 5; bit += step * MEMRUN_SPARSE, i++) {
		s->p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		bad += !ends_well(s, "bit", bit, s->p, s->n, way(i, s->n), NULL);
		s->p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	CHECK_EQ_INT(bad, 0);
}

/* Pages of zeros in the place of the file's: told, whatever the reader. */
static void
each_page(const struct sample *s)
{
	static const size_t sizes[] = { 4096, 512 };
	uint8_t *to = malloc(s->n);
	unsigned bad = 0;

	memcpy(to, s->p, s->n);
	for (size_t k = 0; k < 2; k++) {
		for (size_t at = 0, i = 0, n; at < s->n && bad < 5; at += sizes[k] * MEMRUN_SPARSE, i++) {
			struct memrun r;

			n = sizes[k] < s->n - at ? sizes[k] : s->n - at;
			memset(to + at, 0, n);
			if (memcmp(to, s->p, s->n) != 0) {
				bad += !ends_well(s, "page of zeros", at, to, s->n, way(i, s->n), NULL);
				memrun(&r, to, s->n, MEMRUN_CALLS);
				if (!memrun_damaged(&r)) {
					printf("%s, %zu zeros at %zu: not told\n", s->name, n, at);
					bad++;
				}
				memrun_free(&r);
			}
			memcpy(to + at, s->p + at, n);
		}
	}
	CHECK_EQ_INT(bad, 0);
	free(to);
}

/* Several changes at once: bytes, runs, pieces taken out, doubled, moved. Checksums are made right in every second. */
static size_t
mutate(const struct sample *s, uint64_t *seed, uint8_t *to)
{
	size_t n = s->n;

	memcpy(to, s->p, n);
	for (uint64_t times = 1 + ttc_random(seed) % 8; times > 0 && n > 1; times--) {
		size_t at = ttc_random(seed) % n, len = 1 + ttc_random(seed) % 64;
		uint64_t v = ttc_random(seed);

		len = len < n - at ? len : n - at;
		switch (ttc_random(seed) % 7) {
		case 0:
			to[at] = (uint8_t)v;
			break;
		case 1:
			memset(to + at, v & 1 ? 0xff : 0, len);
			break;
		case 2:
			memmove(to + at, to + at + len, n - at - len);
			n -= len;
			break;
		case 3:
			memmove(to + at, to + v % (n - len + 1), len);
			break;
		case 4:
			for (size_t i = 0; i < len && i < 8; i++)
				to[at + i] = (uint8_t)((v & 1 ? UINT64_MAX : (uint64_t)1 << v % 64) >> 8 * i);
			break;
		case 5:
			/* A page from elsewhere, as of a file put together from two. */
			at -= at % 512;
			len = 512 < n - at ? 512 : n - at;
			memmove(to + at, to + (v % n / 512 * 512 + len <= n ? v % n / 512 * 512 : 0), len);
			break;
		default:
			n = v % 50 == 0 ? at + 1 : n;
		}
	}
	if (ttc_random(seed) % 2)
		ttc_fix_checksums(to, n);
	return n;
}

static void
mutations(const struct sample *s)
{
	uint8_t *to = malloc(s->n + 64);
	unsigned bad = 0, rounds = check_long() ? 20000 : 80, from = check_long() ? 0 : (unsigned)check_lot(20000);

	for (uint64_t i = 0; i < rounds && bad < 5; i += MEMRUN_SPARSE) {
		uint64_t seed = (from + i) * 0x9E3779B97F4A7C15u + 1;
		size_t n = mutate(s, &seed, to);

		bad += !ends_well(s, "mutation", from + i, to, n, way(i, n), NULL);
	}
	CHECK_EQ_INT(bad, 0);
	free(to);
}

static void
for_each_format(void (*run)(const struct sample *s))
{
	for (const struct tt_format *const *f = tt_formats; *f; f++) {
		struct sample s;

		peak_most = 0;
		time_most = 0;
		if (!find_sample(*f, &s))
			continue;
		run(&s);
		printf("%s: at most %zu bytes for %zu, %.3f s\n", s.name, peak_most, s.n, (double)time_most / 1e9);
		free(s.p);
	}
}

TEST(every_prefix_ends_well_and_has_no_fewer_events_than_a_shorter_one)
{
	for_each_format(each_prefix);
}

TEST(every_flipped_bit_ends_well)
{
	for_each_format(each_bit);
}

TEST(every_page_of_zeros_is_told)
{
	for_each_format(each_page);
}

TEST(seeded_mutations_end_well)
{
	for_each_format(mutations);
}

/* --- numbers in captures of ours: behind a right checksum -------------------------------------- */

static const uint64_t hostile[] = { 0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, (uint64_t)1 << 32,
	(uint64_t)1 << 63, UINT64_MAX };
#define NHOSTILE (sizeof hostile / sizeof *hostile)

/* At ${p}: ${v} in 2, 4 or 8 bytes, or as the format's variable length. */
static void
put_number(uint8_t *p, size_t room, unsigned form, uint64_t v)
{
	static const size_t size[] = { 2, 4, 8 };

	for (size_t i = 0; form < 3 && i < size[form] && i < room; i++)
		p[i] = (uint8_t)(v >> 8 * i);
	for (size_t i = 0; form == 3 && i < room; i++) {
		p[i] = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		v >>= 7;
		if (v == 0)
			break;
	}
}

TEST(hostile_numbers_behind_right_checksums_take_neither_time_nor_memory)
{
	struct sample s;
	size_t step = check_long() ? 1 : 2003, head = check_long() ? 1 : 23;
	unsigned bad = 0;
	uint8_t *to;

	if (!find_sample(&tt_format_ttc, &s))
		return;
	to = malloc(s.n + 64);
	peak_most = 0;
	/* Every field of the head and of the first chunk's, then a part of the rest in turn. */
	for (size_t at = 8 + check_lot(head); at < s.n && bad < 5; at += (at < 400 ? head : step) * MEMRUN_SPARSE) {
		for (size_t i = 0; i < NHOSTILE && bad < 5; i++) {
			memcpy(to, s.p, s.n);
			put_number(to + at, s.n - at, (unsigned)(at + i) % 4, hostile[i]);
			ttc_fix_checksums(to, s.n);
			bad += !ends_well(&s, "hostile number", at, to, s.n, way(at + i, s.n), NULL);
		}
	}
	CHECK_EQ_INT(bad, 0);
	printf("hostile numbers: at most %zu bytes for %zu\n", peak_most, s.n);
	free(to);
	free(s.p);
}

/* --- which reader -------------------------------------------------------------------------------- */

/* What is no capture at all, by how it begins. */
static const struct { const char *name, *bytes; size_t n; } others[] = {
#define OTHER(name, text) { name, text, sizeof text - 1 }
	OTHER("nothing", ""),
	OTHER("zeros", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
	OTHER("ones", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
	OTHER("ELF", "\x7f" "ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0>\0"),
	OTHER("PE", "MZ\x90\0\3\0\0\0\4\0\0\0\xff\xff\0\0"),
	OTHER("JSON", "{\"traceEvents\":[]}"),
	OTHER("array", "[{\"ph\":\"X\"}]"),
	OTHER("XML", "<?xml version=\"1.0\"?>"),
	OTHER("zip", "PK\3\4\24\0\0\0\10\0"),
	OTHER("7z", "7z\xbc\xaf\x27\x1c\0\4"),
	OTHER("gzip", "\x1f\x8b\10\0\0\0\0\0\0\3"),
	OTHER("xz", "\xfd" "7zXZ\0\0\4"),
	OTHER("zstd", "\x28\xb5\x2f\xfd\4\0"),
	OTHER("PNG", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
	OTHER("LFS", "version https://git-lfs.github.com/spec/v1\n"),
	OTHER("text", "GC.Alloc 12 34\n"),
};

/* The readers that bid for ${n} bytes, as bits. */
static unsigned
bids(const uint8_t *p, size_t n)
{
	unsigned bits = 0;

	for (unsigned i = 0; tt_formats[i]; i++) {
		int bid = tt_formats[i]->probe(p, n);

		CHECK(bid >= 0 && bid <= 100);
		bits |= bid > 0 ? 1u << i : 0;
	}
	return bits;
}

/* Files of testdata/NAME, whatever their state: no other reader than NAME bids for them. */
static unsigned
probe_folder(unsigned own)
{
	char dir[128], path[512];
	unsigned n = 0;
	struct dirent *e;
	DIR *d;

	snprintf(dir, sizeof dir, "testdata/%s", tt_formats[own]->name);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		const char *dot = strrchr(e->d_name, '.');
		struct sample s = { 0 };
		unsigned bits;

		if (!dot || strcmp(dot, tt_formats[own]->suffix) != 0)
			continue;
		snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
		if (!CHECK(slurp(&s, path)))
			break;
		bits = bids(s.p, s.n < 4096 ? s.n : 4096);
		if ((bits & ~(1u << own)) || (strncmp(e->d_name, "good-", 5) == 0 && !is_coded(&s) && bits != 1u << own)) {
			printf("%s: bids %#x\n", path, bits);
			CHECK(false);
		}
		/* Whatever length the head has, no other one bids. */
		for (size_t k = 0; k < 200 && k < s.n; k++)
			CHECK_EQ_INT(bids(s.p, k) & ~(1u << own), 0);
		free(s.p);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

TEST(no_reader_bids_for_anothers_files_or_for_what_is_no_capture)
{
	const struct tt_format *f;
	struct tt_err err;
	unsigned files = 0;

	for (unsigned i = 0; tt_formats[i]; i++)
		files += probe_folder(i);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (!CHECK_EQ_INT(bids((const uint8_t *)others[i].bytes, others[i].n), 0))
			printf("%s\n", others[i].name);
		CHECK_EQ_INT(tt_format_pick(tt_formats, (const uint8_t *)others[i].bytes, others[i].n, &f, &err), TT_E_UNKNOWN);
		CHECK(err.msg[0]);
	}
	printf("probes: %u files\n", files);
	CHECK(files > 20);
}

static int certain(const uint8_t *p, size_t n) { (void)p, (void)n; return 80; }
static int less_certain(const uint8_t *p, size_t n) { (void)p, (void)n; return 70; }

TEST(the_highest_bid_wins_and_a_tie_names_both)
{
	const struct tt_format a = { .name = "alpha", .probe = certain }, b = { .name = "beta", .probe = certain };
	const struct tt_format c = { .name = "gamma", .probe = less_certain };
	const struct tt_format *const tie[] = { &c, &a, &b, NULL }, *const clear[] = { &c, &a, NULL };
	const struct tt_format *f = NULL;
	struct tt_err err;

	CHECK_EQ_INT(tt_format_pick(tie, (const uint8_t *)"x", 1, &f, &err), TT_E_UNKNOWN);
	CHECK_HAS(err.msg, "alpha");
	CHECK_HAS(err.msg, "beta");
	CHECK_EQ_INT(tt_format_pick(clear, (const uint8_t *)"x", 1, &f, &err), TT_OK);
	CHECK(f == &a);
}
