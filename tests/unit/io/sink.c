/* Tests of io/sink.h, and of every coding on its way out and back in. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <zlib.h>

#include "base/buf.h"
#include "codec/packet.h"
#include "io/sink.h"
#include "io/src.h"

static struct tt_env env = { .jobs = 1, .spool_max = 1 << 30 };

static const char *const suffixes[] = { "", ".gz", ".xz", ".zst", ".bz2", ".lz4" };
#define SUFFIXES (sizeof suffixes / sizeof *suffixes)

/* --- material ----------------------------------------------------------- */

/* ${n} bytes that compress about as traces do: words from a small set, some noise. */
static char *
make_text(size_t n)
{
	static const char *words[] = { "{\"ph\":\"X\",", "\"name\":\"Update\",",
		"\"ts\":", "\"dur\":", "},\n" };
	char *p = malloc(n + 32);
	uint32_t x = 12345;

	for (size_t at = 0; p && at < n;) {
		x = x * 1664525 + 1013904223;
		at += (size_t)snprintf(p + at, n + 32 - at, "%s%u", words[(x >> 8) % 5], (x >> 16) & 1023);
	}
	if (!p)
		abort();
	return p;
}

static void
write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

/* The bytes of a file as they lie on disk. */
static void
read_file(const char *path, struct tt_buf *b)
{
	FILE *f = fopen(path, "rb");
	size_t got;

	b->n = 0;
	if (!CHECK(f))
		return;
	do {
		if (tt_buf_room(b, 65536, NULL) != TT_OK)
			abort();
		got = fread(b->p + b->n, 1, 65536, f);
		b->n += got;
	} while (got > 0);
	fclose(f);
}

static bool
holds(const char *path, const void *p, size_t n)
{
	struct tt_buf b = { 0 };
	bool same;

	read_file(path, &b);
	same = b.n == n && (n == 0 || memcmp(b.p, p, n) == 0);
	tt_buf_free(&b);
	return same;
}

static bool
exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

/* Is there a temporary file in the tests' directory? */
static bool
temp_left(void)
{
	DIR *d = opendir(check_dir());
	struct dirent *e;
	bool found = false;

	while (d && (e = readdir(d)))
		found = found || strstr(e->d_name, ".tmp.");
	if (d)
		closedir(d);
	return found;
}

/* Write ${n} bytes to ${path} in steps of ${step}. */
static int
put(const char *path, const char *p, size_t n, size_t step, struct tt_err *err)
{
	struct tt_sink *sink;
	int rc = tt_sink_open(&env, path, &sink, err);

	if (rc != TT_OK)
		return rc;
	for (size_t at = 0; at < n; at += step) {
		rc = tt_sink_write(sink, p + at, n - at < step ? n - at : step, err);
		if (rc != TT_OK) {
			tt_sink_abort(sink);
			return rc;
		}
	}
	return tt_sink_commit(sink, err);
}

/* Does ${path} decode to these bytes, and nothing behind them? */
static bool
decodes_to(const char *path, const char *p, size_t n, enum tt_src_coding coding)
{
	char *have = malloc(n + 1);
	struct tt_src *src;
	struct tt_err err;
	size_t got = 0, more = 0;
	bool same;

	if (!have || !CHECK_EQ_INT(tt_src_open(&env, path, &src, &err), TT_OK)) {
		free(have);
		return false;
	}
	CHECK_EQ_INT(tt_src_info(src)->coding, coding);
	if (tt_src_read(src, have, n + 1, &got, &err) < 0 ||
	    tt_src_read(src, have + got, 1, &more, &err) != TT_END)
		got = SIZE_MAX;
	same = got == n && memcmp(have, p, n) == 0 && tt_src_ngarbage(src) == 0;
	tt_src_close(src);
	free(have);
	return same;
}

/* --- what is written is what is read ------------------------------------ */

TEST(every_coding_comes_back_as_it_went_in)
{
	static const size_t sizes[] = { 0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2500000 };
	char *text = make_text(2500000), name[40];
	struct tt_err err = { 0 };

	for (size_t i = 0; i < SUFFIXES; i++) {
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
			enum tt_src_coding want = (enum tt_src_coding)i;

			snprintf(name, sizeof name, "round%s", suffixes[i]);
			env.jobs = 1 + (unsigned)k % 2;
			if (!CHECK_EQ_INT(put(check_path(name), text, sizes[k], 100003, &err), TT_OK))
				printf("%s\n", err.msg);
			if (!CHECK(decodes_to(check_path(name), text, sizes[k], want)))
				printf("%s, %zu bytes\n", name, sizes[k]);
		}
	}
	CHECK(!temp_left());
	env.jobs = 1;
	free(text);
}

TEST(bytes_do_not_depend_on_threads_or_on_the_size_of_writes)
{
	size_t n = 4500000;
	char *text = make_text(n), name[40];
	struct tt_buf first = { 0 };
	struct tt_err err;

	for (size_t i = 1; i < SUFFIXES; i++) {
		snprintf(name, sizeof name, "jobs%s", suffixes[i]);
		env.jobs = 1;
		CHECK_EQ_INT(put(check_path(name), text, n, 65536, &err), TT_OK);
		read_file(check_path(name), &first);
		for (env.jobs = 2; env.jobs <= 4; env.jobs++) {
			CHECK_EQ_INT(put(check_path(name), text, n, 1234567 / env.jobs, &err), TT_OK);
			CHECK(holds(check_path(name), first.p, first.n));
		}
	}
	env.jobs = 1;
	tt_buf_free(&first);
	free(text);
}

TEST(an_output_that_rests_comes_back_whole_and_holds_no_memory)
{
	size_t n = 2500000;
	char *text = make_text(n), name[40];
	struct tt_err err;

	for (size_t i = 0; i < SUFFIXES; i++) {
		for (env.jobs = 1; env.jobs <= 3; env.jobs++) {
			size_t before = atomic_load(&env.mem.used), at = 0;
			struct tt_sink *sink;

			snprintf(name, sizeof name, "rest%s", suffixes[i]);
			CHECK_EQ_INT(tt_sink_open(&env, check_path(name), &sink, &err), TT_OK);
			for (size_t part = 0; part < 5; part++) {
				size_t some = part == 1 ? 0 : part == 3 ? n - at - 7 : 7 + part * 10000;

				if (part == 4)
					some = n - at;
				CHECK_EQ_INT(tt_sink_write(sink, text + at, some, &err), TT_OK);
				at += some;
				CHECK_EQ_INT(tt_sink_flush_and_shrink(sink, &err), TT_OK);
				CHECK(atomic_load(&env.mem.used) - before < 65536);
			}
			CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_OK);
			CHECK(decodes_to(check_path(name), text, n, (enum tt_src_coding)i));
			CHECK_EQ_INT(atomic_load(&env.mem.used), before);
		}
	}
	env.jobs = 1;
	free(text);
}

TEST(gzip_is_one_member_without_a_time)
{
	size_t n = 3000000;
	char *text = make_text(n), *have = malloc(n + 1);
	struct tt_buf gz = { 0 };
	struct tt_err err;
	z_stream z = { 0 };

	env.jobs = 2;
	CHECK_EQ_INT(put(check_path("member.gz"), text, n, n, &err), TT_OK);
	env.jobs = 1;
	read_file(check_path("member.gz"), &gz);
	CHECK_EQ_INT(memcmp(gz.p + 4, "\0\0\0\0", 4), 0);
	CHECK_EQ_INT(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	z.next_in = (Bytef *)gz.p;
	z.avail_in = (uInt)gz.n;
	z.next_out = (Bytef *)have;
	z.avail_out = (uInt)n + 1;
	CHECK_EQ_INT(inflate(&z, Z_FINISH), Z_STREAM_END);
	CHECK_EQ_INT(z.total_out, n);
	CHECK_EQ_INT(z.avail_in, 0);
	inflateEnd(&z);
	tt_buf_free(&gz);
	free(text);
	free(have);
}

/* --- packets ------------------------------------------------------------- */

/* The number at ${p}, seven bits a byte; *${p} is behind it. */
static size_t
varint(const uint8_t **p)
{
	size_t v = 0;

	for (unsigned shift = 0;; shift += 7) {
		v |= (size_t)(**p & 127) << shift;
		if (*(*p)++ < 128)
			return v;
	}
}

/* Append packets of up to ${most} bytes until there are ${n}. */
static void
add_packets(struct tt_buf *b, size_t n, size_t most)
{
	uint32_t x = 99;

	while (b->n < n) {
		char head[8] = { 0x0a };
		size_t len = (x = x * 1664525 + 1013904223) / 7 % most + 4, k = 1;

		for (size_t left = len; (head[k++] = (char)(left & 127), left >>= 7) > 0;)
			head[k - 1] = (char)(head[k - 1] | 128);
		tt_buf_add(b, head, k);
		if (tt_buf_room(b, len, NULL) != TT_OK)
			abort();
		for (size_t i = 0; i < len; i++)
			b->p[b->n++] = (char)(i + 4 < len ? i : x >> 8 * (i % 4));
	}
}

/* The packets of ${b} as they were before they were packed. */
static void
unpack(const struct tt_buf *b, struct tt_buf *out)
{
	const uint8_t *p = (const uint8_t *)b->p, *end = p + b->n;

	while (p < end) {
		const uint8_t *from = p++;
		size_t n = varint(&p);
		const uint8_t *next = p + n;

		if (n > 2 && p[0] == 0x92 && p[1] == 0x03) {
			uLongf room = 4 << 20;
			size_t was = out->n;

			p += 2;
			n = varint(&p);
			CHECK(p + n == next);
			tt_buf_room(out, room, NULL);
			CHECK_EQ_INT(uncompress((Bytef *)out->p + out->n, &room, p, n), Z_OK);
			out->n += room;
			/* Whole ones. */
			for (const uint8_t *q = (const uint8_t *)out->p + was, *to = q + room; CHECK(q <= to) && q < to;) {
				CHECK_EQ_INT(*q++, 0x0a);
				n = varint(&q);
				q += n;
			}
		} else {
			tt_buf_add(out, from, (size_t)(next - from));
		}
		p = next;
		if (!CHECK(p <= end))
			return;
	}
}

static size_t
form(const void *arg, uint32_t of, uint32_t number, char *p)
{
	size_t n = 16 + number % 8;

	(void)arg;
	memset(p, (int)(of + number), n);
	memcpy(p, "\x0a", 2);
	return n;
}

static const struct tt_forms forms = { form, NULL };

/* Append to ${in} runs of stamps and of packets, until ${out}, to which the packets are appended, has ${n} bytes. */
static void
add_stamps(struct tt_buf *in, struct tt_buf *out, size_t n)
{
	uint32_t x = 7;

	while (out->n < n) {
		struct tt_stamp_run run = { .group = x % 3 };
		size_t at = in->n, from = out->n;

		tt_buf_add(in, &run, sizeof run);
		for (size_t most = x / 8 % TT_RUN_MAX_STAMPS; run.nstamps < most; run.nstamps++) {
			x = x * 1664525 + 1013904223;
			struct tt_stamp s = { .form = x / 1024 % 100 << 3 | 2, .number = { (uint8_t)(x >> 24 | 128), (uint8_t)(x >> 28 | 1) } };
			char packet[TT_FORM_MAX_BYTES + 2];
			size_t len = form(NULL, run.group, s.form >> 3, packet);

			packet[1] = (char)len;
			memcpy(packet + len, s.number, 2);
			tt_buf_add(out, packet, len + 2);
			tt_buf_add(in, &s, sizeof s);
		}
		run.stamps_bytes = (uint32_t)(out->n - from);
		from = out->n;
		add_packets(out, out->n + x % 5000, x % 50 ? 70 : 1500000);
		run.packets_bytes = (uint32_t)(out->n - from);
		tt_buf_add(in, out->p + from, run.packets_bytes);
		memcpy(in->p + at, &run, sizeof run);
		while ((in->n - at) % 8)
			tt_buf_add(in, "", 1);
	}
}

TEST(stamps_come_back_as_packets_by_any_number_of_threads)
{
	struct tt_buf in = { 0 }, want = { 0 }, first = { 0 }, have = { 0 }, out = { 0 };
	struct tt_sink *sink;
	struct tt_err err;
	bool stamps;

	add_stamps(&in, &want, 9000000);
	for (env.jobs = 1; env.jobs <= 3; env.jobs++) {
		CHECK_EQ_INT(tt_sink_open(&env, check_path("s.pftrace"), &sink, &err), TT_OK);
		CHECK_EQ_INT(tt_sink_set_packets(sink, &forms, &stamps, &err), TT_OK);
		CHECK(stamps);
		CHECK_EQ_INT(tt_sink_write_stamps(sink, in.p, in.n, &err), TT_OK);
		CHECK_EQ_INT(tt_sink_write(sink, want.p, want.n, &err), TT_OK);
		CHECK_EQ_INT(tt_sink_write_stamps(sink, in.p, in.n, &err), TT_OK);
		CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_OK);
		read_file(check_path("s.pftrace"), &have);
		if (env.jobs == 1)
			read_file(check_path("s.pftrace"), &first);
		CHECK(holds(check_path("s.pftrace"), first.p, first.n));
		out.n = 0;
		unpack(&have, &out);
		if (CHECK_EQ_INT(out.n, 3 * want.n))
			for (size_t i = 0; i < 3; i++)
				CHECK(memcmp(out.p + i * want.n, want.p, want.n) == 0);
	}
	env.jobs = 1;
	/* Who compresses otherwise, or not, takes packets alone. */
	CHECK_EQ_INT(tt_sink_open(&env, check_path("s.pftrace.gz"), &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_set_packets(sink, &forms, &stamps, &err), TT_OK);
	CHECK(!stamps);
	tt_sink_abort(sink);
	tt_buf_free(&in);
	tt_buf_free(&want);
	tt_buf_free(&first);
	tt_buf_free(&have);
	tt_buf_free(&out);
}

/* Write ${b}, some packets at a time. */
static void
put_packets(const char *name, const struct tt_buf *b, size_t at_once, bool pack)
{
	const uint8_t *p = (const uint8_t *)b->p, *from = p, *end = p + b->n;
	struct tt_sink *sink;
	struct tt_err err;
	bool stamps;

	CHECK_EQ_INT(tt_sink_open(&env, check_path(name), &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_set_packets(sink, pack ? &forms : NULL, &stamps, &err), TT_OK);
	while (p < end) {
		p++;
		size_t n = varint(&p);
		p += n;
		if ((size_t)(p - from) < at_once && p < end)
			continue;
		CHECK_EQ_INT(tt_sink_write(sink, from, (size_t)(p - from), &err), TT_OK);
		from = p;
	}
	CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_OK);
}

TEST(packets_come_back_whole_and_small_by_any_number_of_threads)
{
	struct tt_buf in = { 0 }, first = { 0 }, have = { 0 }, out = { 0 };

	add_packets(&in, 2000000, 40);
	add_packets(&in, 2300000, 100000);
	/* Larger than a block, at its beginning and within. */
	add_packets(&in, 7000000, 4000000);
	add_packets(&in, 9000000, 40);
	for (env.jobs = 1; env.jobs <= 3; env.jobs++) {
		put_packets("a.pftrace", &in, env.jobs == 1 ? 1 : 70000 * env.jobs, true);
		read_file(check_path("a.pftrace"), &have);
		CHECK(have.n < in.n);
		if (env.jobs == 1)
			read_file(check_path("a.pftrace"), &first);
		CHECK(holds(check_path("a.pftrace"), first.p, first.n));
		out.n = 0;
		unpack(&have, &out);
		CHECK_EQ_INT(out.n, in.n);
		CHECK(out.n == in.n && memcmp(out.p, in.p, in.n) == 0);
		put_packets("b.pftrace", &in, 30000, false);
		CHECK(holds(check_path("b.pftrace"), in.p, in.n));
		put_packets("c.pftrace.gz", &in, 30000, true);
		CHECK(decodes_to(check_path("c.pftrace.gz"), in.p, in.n, (enum tt_src_coding)1));
	}
	env.jobs = 1;
	put_packets("none.pftrace", &(struct tt_buf){ 0 }, 1, true);
	CHECK(!temp_left());
	tt_buf_free(&in);
	tt_buf_free(&first);
	tt_buf_free(&have);
	tt_buf_free(&out);
}

TEST(noise_that_does_not_compress_fits)
{
	size_t n = 2200000;
	char *noise = malloc(n), name[40];
	uint64_t x = 88172645463325252u;
	struct tt_err err;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		noise[i] = (char)(x >> 32);
	}
	for (size_t i = 1; i < SUFFIXES; i++) {
		snprintf(name, sizeof name, "noise%s", suffixes[i]);
		CHECK_EQ_INT(put(check_path(name), noise, n, n, &err), TT_OK);
		CHECK(decodes_to(check_path(name), noise, n, (enum tt_src_coding)i));
	}
	free(noise);
}

TEST(cut_frames_are_damage_in_every_coding)
{
	char *text = make_text(1300000), name[40];
	struct tt_buf raw = { 0 };
	struct tt_err err;

	for (size_t i = 1; i < SUFFIXES; i++) {
		snprintf(name, sizeof name, "cut%s", suffixes[i]);
		CHECK_EQ_INT(put(check_path(name), text, 1300000, 65536, &err), TT_OK);
		read_file(check_path(name), &raw);
		for (size_t cut = raw.n - 1; cut > 10; cut -= cut > raw.n - 12 ? 1 : cut / 3 + 1) {
			struct tt_src *src;
			size_t at = 0, got;
			char *have = malloc(1300001);
			int rc;

			CHECK_EQ_INT(tt_src_open_mem(&env, raw.p, cut, name, &src, &err), TT_OK);
			while ((rc = tt_src_read(src, have + at, 1300001 - at, &got, &err)) == TT_OK)
				at += got;
			if (!CHECK_EQ_INT(rc, TT_E_DAMAGED))
				printf("%s cut at %zu of %zu\n", name, cut, raw.n);
			CHECK(at <= 1300000 && memcmp(have, text, at) == 0);
			tt_src_close(src);
			free(have);
		}
	}
	tt_buf_free(&raw);
	free(text);
}

TEST(memory_keeps_what_it_is_given)
{
	struct tt_sink *sink;
	struct tt_err err;
	size_t n;

	CHECK_EQ_INT(tt_sink_open_mem(&env, &sink, &err), TT_OK);
	CHECK_STR(tt_sink_mem_data(sink, &n), "");
	CHECK_EQ_INT(tt_sink_write(sink, "abc", 3, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_write(sink, "", 0, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_write(sink, "de", 2, &err), TT_OK);
	CHECK(memcmp(tt_sink_mem_data(sink, &n), "abcde", 5) == 0 && n == 5);
	CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_OK);
}

/* --- complete or not there ---------------------------------------------- */

TEST(nothing_has_the_name_until_commit)
{
	struct tt_sink *sink;
	struct tt_err err;

	CHECK_EQ_INT(tt_sink_open(&env, check_path("late"), &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_write(sink, "text", 4, &err), TT_OK);
	CHECK(!exists(check_path("late")));
	CHECK(temp_left());
	CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_OK);
	CHECK(holds(check_path("late"), "text", 4));
	CHECK(!temp_left());
}

TEST(abort_keeps_the_old_file_and_leaves_nothing)
{
	static const char *const names[] = { "old", "old.gz" };
	char *text = make_text(5 << 20);
	struct tt_sink *sink;
	struct tt_err err;

	env.jobs = 2;
	for (size_t i = 0; i < 2; i++) {
		write_file(check_path(names[i]), "before", 6);
		CHECK_EQ_INT(tt_sink_open(&env, check_path(names[i]), &sink, &err), TT_OK);
		CHECK_EQ_INT(tt_sink_write(sink, text, 5 << 20, &err), TT_OK);
		tt_sink_abort(sink);
		CHECK(holds(check_path(names[i]), "before", 6));
		CHECK(!temp_left());
	}
	tt_sink_abort(NULL);
	env.jobs = 1;
	free(text);
}

TEST(a_replaced_file_keeps_its_permissions)
{
	struct tt_err err;
	struct stat st;
	mode_t mask = umask(027);

	write_file(check_path("mode"), "before", 6);
	CHECK_EQ_INT(chmod(check_path("mode"), 0604), 0);
	CHECK_EQ_INT(put(check_path("mode"), "after", 5, 5, &err), TT_OK);
	CHECK_EQ_INT(stat(check_path("mode"), &st), 0);
	CHECK_EQ_INT(st.st_mode & 07777, 0604);
	CHECK(holds(check_path("mode"), "after", 5));
	CHECK_EQ_INT(put(check_path("fresh"), "after", 5, 5, &err), TT_OK);
	CHECK_EQ_INT(stat(check_path("fresh"), &st), 0);
	CHECK_EQ_INT(st.st_mode & 07777, 0640);
	umask(mask);
}

TEST(a_link_stays_a_link)
{
	struct tt_err err;
	struct stat st;

	write_file(check_path("linked"), "before", 6);
	CHECK_EQ_INT(symlink("linked", check_path("link")), 0);
	CHECK_EQ_INT(put(check_path("link"), "after", 5, 5, &err), TT_OK);
	CHECK(lstat(check_path("link"), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(holds(check_path("linked"), "after", 5));
}

/* As a shell's redirection does. */
TEST(a_link_to_what_is_not_there_yet_makes_it)
{
	static const char *const names[] = { "far", "further/on", "further/up" };
	struct tt_err err;
	struct stat st;

	CHECK_EQ_INT(mkdir(check_path("further"), 0777), 0);
	CHECK_EQ_INT(symlink("further/on", check_path("far")), 0);
	CHECK_EQ_INT(symlink(check_path("further/up"), check_path("further/on")), 0);
	CHECK_EQ_INT(symlink("../made", check_path("further/up")), 0);
	CHECK_EQ_INT(put(check_path("far"), "text", 4, 4, &err), TT_OK);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		CHECK(lstat(check_path(names[i]), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(holds(check_path("made"), "text", 4));
	unlink(check_path("further/on"));
	unlink(check_path("further/up"));

	CHECK_EQ_INT(symlink("no/such", check_path("lost")), 0);
	CHECK_EQ_INT(put(check_path("lost"), "text", 4, 4, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENOENT);
	CHECK_HAS(err.msg, "lost, a link to ");
	CHECK_HAS(err.msg, "no/such: its folder does not exist");
	CHECK_EQ_INT(symlink("a loop", check_path("a loop")), 0);
	CHECK_EQ_INT(put(check_path("a loop"), "text", 4, 4, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ELOOP);
}

TEST(places_that_cannot_be_written_are_named)
{
	struct tt_sink *sink = (struct tt_sink *)1;
	struct tt_err err;

	CHECK_EQ_INT(tt_sink_open(&env, check_dir(), &sink, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, EISDIR);
	CHECK_HAS(err.msg, check_dir());
	CHECK(!sink);
	CHECK_EQ_INT(tt_sink_open(&env, check_path("no/such/dir"), &sink, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENOENT);
	CHECK_HAS(err.msg, "no/such/dir");
	CHECK_EQ_INT(put(check_path("file"), "text", 4, 4, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_open(&env, check_path("file/in it"), &sink, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENOTDIR);
	CHECK(!sink);
}

/* Beside it there is no room for the name of a temporary. */
TEST(a_path_of_the_greatest_length_is_told)
{
	static char path[PATH_MAX];
	struct tt_sink *sink = NULL;
	struct tt_err err;
	size_t n = (size_t)snprintf(path, sizeof path, "%s", check_dir());

	while (n < PATH_MAX - 6) {
		memcpy(path + n, "/.", 2);
		n += 2;
	}
	memcpy(path + n, "/out", 5);
	CHECK_EQ_INT(tt_sink_open(&env, path, &sink, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENAMETOOLONG);
	CHECK(!sink);
}

TEST(long_names_get_a_temporary_too)
{
	char name[256];
	struct tt_err err;

	memset(name, 'x', 255);
	name[255] = '\0';
	CHECK_EQ_INT(put(check_path(name), "text", 4, 4, &err), TT_OK);
	CHECK(holds(check_path(name), "text", 4));
}

TEST(a_full_disk_is_told_with_path_and_errno)
{
	char *text = make_text(3000000);
	struct tt_err err;

	CHECK_EQ_INT(put("/dev/full", "x", 1, 1, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENOSPC);
	CHECK_HAS(err.msg, "/dev/full: No space left");
	CHECK_EQ_INT(put("/dev/full", text, 3000000, 1000, &err), TT_E_IO);
	CHECK_EQ_INT(symlink("/dev/full", check_path("full.gz")), 0);
	for (env.jobs = 1; env.jobs < 4; env.jobs++) {
		CHECK_EQ_INT(put(check_path("full.gz"), text, 3000000, 1000, &err), TT_E_IO);
		CHECK_EQ_INT(err.sys, ENOSPC);
	}
	env.jobs = 1;
	CHECK(exists("/dev/full"));
	free(text);
}

TEST(a_failed_write_fails_the_commit_and_keeps_the_old_file)
{
	struct rlimit old, small;
	char *text = make_text(1000000);
	struct tt_sink *sink;
	struct tt_err err;

	write_file(check_path("limited"), "before", 6);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	small = old;
	small.rlim_cur = 300000;
	setrlimit(RLIMIT_FSIZE, &small);
	CHECK_EQ_INT(tt_sink_open(&env, check_path("limited"), &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_write(sink, text, 1000000, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, EFBIG);
	CHECK_HAS(err.msg, "limited");
	CHECK_EQ_INT(tt_sink_write(sink, text, 1, &err), TT_E_IO);
	CHECK_EQ_INT(tt_sink_flush_and_shrink(sink, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, EFBIG);
	CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, EFBIG);
	setrlimit(RLIMIT_FSIZE, &old);
	CHECK(holds(check_path("limited"), "before", 6));
	CHECK(!temp_left());
	free(text);
}

TEST(devices_are_written_directly)
{
	struct tt_err err;
	struct stat st;

	CHECK_EQ_INT(put("/dev/null", "text", 4, 4, &err), TT_OK);
	CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
}

/* Run ${body} in a child whose standard output is ${fd}; its exit status. */
static int
in_child(int fd, int (*body)(void))
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		dup2(fd, STDOUT_FILENO);
		close(fd);
		signal(SIGPIPE, SIG_IGN);
		_exit(body());
	}
	close(fd);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static int
say_hello(void)
{
	struct tt_err err;

	return put("-", "hello", 5, 2, &err) == TT_OK && fcntl(STDOUT_FILENO, F_GETFD) != -1 ? 0 : 1;
}

TEST(standard_output_is_written_and_stays_open)
{
	char have[10];
	int fds[2];

	CHECK_EQ_INT(pipe(fds), 0);
	CHECK_EQ_INT(in_child(fds[1], say_hello), 0);
	CHECK_EQ_INT(read(fds[0], have, sizeof have), 5);
	CHECK_EQ_INT(memcmp(have, "hello", 5), 0);
	close(fds[0]);
}

enum { MUCH = 4 << 20 };

static int
say_much(void)
{
	static char much[MUCH];
	struct tt_err err;

	memset(much, 'x', sizeof much);
	return put("-", much, MUCH, MUCH, &err) == TT_OK ? 0 : 1;
}

static void *
count_bytes(void *arg)
{
	static char some[4096];
	int fd = *(int *)arg;
	size_t n = 0;

	for (ssize_t got; (got = read(fd, some, sizeof some)) > 0;)
		n += (size_t)got;
	return (void *)(uintptr_t)n;
}

/* Others may have set a descriptor that is shared not to wait. */
TEST(a_pipe_that_is_full_and_does_not_wait_is_waited_for)
{
	pthread_t reader;
	void *n = NULL;
	int fds[2];

	CHECK_EQ_INT(pipe(fds), 0);
	CHECK_EQ_INT(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
	CHECK_EQ_INT(pthread_create(&reader, NULL, count_bytes, &fds[0]), 0);
	CHECK_EQ_INT(in_child(fds[1], say_much), 0);
	pthread_join(reader, &n);
	CHECK_EQ_INT((uintptr_t)n, MUCH);
	close(fds[0]);
}

static int
see_epipe(void)
{
	struct tt_err err;

	return put("-", "hello", 5, 5, &err) == TT_E_IO && err.sys == EPIPE ? 0 : 1;
}

TEST(a_closed_pipe_is_epipe)
{
	int fds[2];

	CHECK_EQ_INT(pipe(fds), 0);
	close(fds[0]);
	CHECK_EQ_INT(in_child(fds[1], see_epipe), 0);
}

static int
unlink_in_child(void)
{
	tt_sink_unlink_all();
	return 0;
}

TEST(temporaries_of_all_sinks_can_be_unlinked_at_once)
{
	struct tt_sink *a, *b;
	struct tt_err err;

	write_file(check_path("a"), "before", 6);
	CHECK_EQ_INT(tt_sink_open(&env, check_path("a"), &a, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_open(&env, check_path("b.gz"), &b, &err), TT_OK);
	CHECK(temp_left());
	/* A child has none of its own. */
	CHECK_EQ_INT(in_child(dup(STDOUT_FILENO), unlink_in_child), 0);
	CHECK(temp_left());
	tt_sink_unlink_all();
	CHECK(!temp_left());
	CHECK_EQ_INT(tt_sink_commit(a, &err), TT_E_IO);
	tt_sink_abort(b);
	CHECK(holds(check_path("a"), "before", 6));
	CHECK(!exists(check_path("b.gz")));
}

TEST(more_sinks_than_can_be_cleaned_up_are_refused)
{
	static struct tt_sink *sinks[1100];
	struct rlimit files;
	struct tt_err err = { 0 };
	char name[40];
	int n = 0;

	CHECK_EQ_INT(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = files.rlim_max;
	CHECK_EQ_INT(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (; n < 1100; n++) {
		snprintf(name, sizeof name, "many%d", n);
		if (tt_sink_open(&env, check_path(name), &sinks[n], &err) != TT_OK)
			break;
	}
	CHECK_EQ_INT(n, 1000);
	CHECK_EQ_INT(err.code, TT_E_LIMIT);
	while (n > 0)
		tt_sink_abort(sinks[--n]);
	CHECK(!temp_left());
}

TEST(a_wish_to_stop_leaves_nothing)
{
	volatile sig_atomic_t stop = 0;
	struct tt_sink *sink;
	struct tt_err err;

	env.stop = &stop;
	CHECK_EQ_INT(tt_sink_open(&env, check_path("stop.gz"), &sink, &err), TT_OK);
	CHECK_EQ_INT(tt_sink_write(sink, "text", 4, &err), TT_OK);
	stop = 1;
	CHECK_EQ_INT(tt_sink_commit(sink, &err), TT_E_STOPPED);
	CHECK(!exists(check_path("stop.gz")));
	CHECK(!temp_left());
	env.stop = NULL;
}

TEST(out_of_memory_is_told)
{
	char *text = make_text(3000000);
	struct tt_err err;

	for (env.jobs = 1; env.jobs < 4; env.jobs++) {
		for (env.mem.cap = 100; env.mem.cap < 10000000; env.mem.cap = env.mem.cap * 5 / 4) {
			int rc = put(check_path("capped.gz"), text, 3000000, 65536, &err);

			CHECK(rc == TT_OK || rc == TT_E_LIMIT);
			CHECK_EQ_INT(env.mem.used, 0);
		}
	}
	env.jobs = 1;
	env.mem.cap = 0;
	CHECK(!temp_left());
	free(text);
}

static void
check_suffix(const char *path, const char *want)
{
	char have[20] = "";
	size_t n;
	const char *p = tt_path_suffix(path, &n);

	CHECK(!p == !n);
	if (p && CHECK(n < sizeof have))
		memcpy(have, p, n);
	CHECK_STR(have, want);
}

TEST(suffixes_are_found_in_front_of_compression)
{
	check_suffix("a.json.gz", ".json");
	check_suffix("a.json", ".json");
	check_suffix("d.ir/a.b.csv.zst", ".csv");
	check_suffix("a.gz", "");
	check_suffix("a", "");
	check_suffix("", "");
	check_suffix("d.ir/a", "");
	check_suffix("d.ir/.json", "");
	check_suffix(".json", "");
	check_suffix(".json.gz", "");
	check_suffix("a.", ".");
}

TEST(everything_allocated_was_given_back)
{
	CHECK_EQ_INT(env.mem.used, 0);
}
