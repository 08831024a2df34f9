/* Tests of io/src.h. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/buf.h"
#include "io/src.h"

static struct tt_env env = { .jobs = 1, .spool_max = 1 << 30 };

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

/* Append a gzip member with the ${n} bytes at ${p}. */
static void
add_member(struct tt_buf *b, const void *p, size_t n)
{
	z_stream z = { 0 };

	if (deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
	    tt_buf_room(b, deflateBound(&z, n), NULL) != TT_OK)
		abort();
	z.next_in = (z_const Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)b->p + b->n;
	z.avail_out = (uInt)(b->cap - b->n);
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	b->n += z.total_out;
	deflateEnd(&z);
}

static void
write_file(const char *path, const void *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(p, 1, n, f) != n || fclose(f) != 0)
		abort();
}

/* What a source gave until it stopped. */
struct told {
	struct tt_buf got;
	int status;
	struct tt_err err;
};

/* Read ${src} to its end in steps of ${step} bytes. */
static void
drain(struct tt_src *src, size_t step, struct told *told)
{
	size_t got = 0;

	told->got.n = 0;
	do {
		if (tt_buf_room(&told->got, step, NULL) != TT_OK)
			abort();
		told->status = tt_src_read(src, told->got.p + told->got.n, step, &got, &told->err);
		CHECK(told->status == TT_OK ? got > 0 : got == 0);
		told->got.n += got;
	} while (told->status == TT_OK);
}

static bool
is(const struct told *told, const void *p, size_t n)
{
	return told->got.n == n && (n == 0 || memcmp(told->got.p, p, n) == 0);
}

static struct tt_src *
open_mem(const void *p, size_t n)
{
	struct tt_src *src = NULL;
	struct tt_err err;

	if (tt_src_open_mem(&env, p, n, "memory", &src, &err) != TT_OK)
		abort();
	return src;
}

static void
read_mem(const void *p, size_t n, size_t step, struct told *told)
{
	struct tt_src *src = open_mem(p, n);

	drain(src, step, told);
	tt_src_close(src);
}

/* --- plain input -------------------------------------------------------- */

TEST(what_cannot_be_opened_says_why)
{
	struct tt_src *src = (struct tt_src *)1;
	struct tt_err err;

	CHECK_EQ_INT(tt_src_open(&env, check_path("missing"), &src, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, ENOENT);
	CHECK_HAS(err.msg, "missing: No such file");
	CHECK(!src);
	CHECK_EQ_INT(tt_src_open(&env, check_dir(), &src, &err), TT_E_IO);
	CHECK_HAS(err.msg, "is a directory");
	CHECK_HAS(err.msg, check_dir());
	CHECK(!src);
}

TEST(an_empty_file_opens_and_ends)
{
	struct told told = { 0 };
	struct tt_src *src;
	const uint8_t *p;
	size_t n = 1;

	write_file(check_path("empty"), "", 0);
	CHECK_EQ_INT(tt_src_open(&env, check_path("empty"), &src, &told.err), TT_OK);
	CHECK(tt_src_info(src)->seekable && tt_src_info(src)->size == 0);
	CHECK_EQ_INT(tt_src_peek(src, &p, &n, &told.err), TT_OK);
	CHECK_EQ_INT(n, 0);
	drain(src, 10, &told);
	CHECK_EQ_INT(told.status, TT_END);
	CHECK_EQ_INT(told.got.n, 0);
	CHECK_EQ_INT(tt_src_pread(src, 0, &n, 1, &n, &told.err), TT_OK);
	CHECK_EQ_INT(n, 0);
	tt_src_close(src);
	tt_buf_free(&told.got);
}

TEST(a_plain_file_is_read_in_order_and_at_any_place)
{
	size_t n = 300000, got;
	char *text = make_text(n), some[100];
	struct told told = { 0 };
	struct tt_src *src;

	write_file(check_path("plain"), text, n);
	CHECK_EQ_INT(tt_src_open(&env, check_path("plain"), &src, &told.err), TT_OK);
	CHECK_EQ_INT(tt_src_info(src)->coding, TT_CODING_NONE);
	CHECK(tt_src_info(src)->seekable && tt_src_info(src)->can_rewind);
	CHECK_EQ_INT(tt_src_info(src)->size, n);
	CHECK_EQ_INT(tt_src_info(src)->raw_size, n);
	for (size_t step = 1; step < 200000; step = step * 7 + 1) {
		CHECK_EQ_INT(tt_src_pread(src, 12345, some, sizeof some, &got, &told.err), TT_OK);
		CHECK(got == sizeof some && memcmp(some, text + 12345, got) == 0);
		drain(src, step, &told);
		CHECK_EQ_INT(told.status, TT_END);
		CHECK(is(&told, text, n));
		CHECK_EQ_INT(tt_src_info(src)->raw_at, n);
		CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_OK);
	}
	CHECK_EQ_INT(tt_src_pread(src, n - 10, some, sizeof some, &got, &told.err), TT_OK);
	CHECK_EQ_INT(got, 10);
	CHECK_EQ_INT(tt_src_pread(src, UINT64_MAX, some, sizeof some, &got, &told.err), TT_OK);
	CHECK_EQ_INT(got, 0);
	tt_src_close(src);
	tt_buf_free(&told.got);
	free(text);
}

TEST(a_descriptor_begins_at_its_offset)
{
	struct told told = { 0 };
	struct tt_src *src;
	size_t got;
	char c;
	int fd;

	write_file(check_path("offset"), "0123456789", 10);
	fd = open(check_path("offset"), O_RDONLY);
	CHECK_EQ_INT(lseek(fd, 4, SEEK_SET), 4);
	CHECK_EQ_INT(tt_src_open_fd(&env, fd, "some name", &src, &told.err), TT_OK);
	CHECK_STR(tt_src_info(src)->name, "some name");
	CHECK_EQ_INT(tt_src_info(src)->size, 6);
	CHECK_EQ_INT(tt_src_pread(src, 1, &c, 1, &got, &told.err), TT_OK);
	CHECK_EQ_INT(c, '5');
	drain(src, 3, &told);
	CHECK(is(&told, "456789", 6));
	tt_src_close(src);
	CHECK(fcntl(fd, F_GETFD) == -1);
	tt_buf_free(&told.got);
}

/* Standard input may be a file that others have read. */
TEST(a_descriptor_at_its_end_has_nothing)
{
	struct told told = { 0 };
	struct tt_src *src;

	write_file(check_path("read"), "0123456789", 10);
	for (int at = 10; at <= 11; at++) {
		int fd = open(check_path("read"), O_RDONLY);

		CHECK_EQ_INT(lseek(fd, at, SEEK_SET), at);
		CHECK_EQ_INT(tt_src_open_fd(&env, fd, "it", &src, &told.err), TT_OK);
		CHECK_EQ_INT(tt_src_info(src)->size, 0);
		drain(src, 3, &told);
		CHECK(told.status == TT_END && told.got.n == 0);
		tt_src_close(src);
	}
	tt_buf_free(&told.got);
}

TEST(memory_is_seekable)
{
	struct tt_src *src = open_mem("0123456789", 10);
	struct told told = { 0 };
	char some[4];
	size_t got;

	CHECK(tt_src_info(src)->seekable && tt_src_info(src)->can_rewind && !tt_src_has_changed(src));
	CHECK_EQ_INT(tt_src_pread(src, 8, some, sizeof some, &got, &told.err), TT_OK);
	CHECK(got == 2 && memcmp(some, "89", 2) == 0);
	for (int i = 0; i < 2; i++) {
		drain(src, 4, &told);
		CHECK(is(&told, "0123456789", 10));
		CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_OK);
	}
	tt_src_close(src);
	src = open_mem(NULL, 0);
	drain(src, 4, &told);
	CHECK_EQ_INT(told.status, TT_END);
	tt_src_close(src);
	tt_buf_free(&told.got);
}

TEST(peeking_takes_nothing)
{
	char *text = make_text(10000);
	struct told told = { 0 };
	struct tt_buf gz = { 0 };
	const uint8_t *p;
	size_t n;

	add_member(&gz, text, 10000);
	for (int packed = 0; packed < 2; packed++) {
		struct tt_src *src = packed ? open_mem(gz.p, gz.n) : open_mem(text, 10000);

		for (int i = 0; i < 2; i++) {
			CHECK_EQ_INT(tt_src_peek(src, &p, &n, &told.err), TT_OK);
			CHECK_EQ_INT(n, 4096);
			CHECK(memcmp(p, text, n) == 0);
		}
		drain(src, 1000, &told);
		CHECK(is(&told, text, 10000));
		CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_OK);
		CHECK_EQ_INT(tt_src_peek(src, &p, &n, &told.err), TT_OK);
		CHECK(n == 4096 && memcmp(p, text, n) == 0);
		drain(src, 100000, &told);
		CHECK(is(&told, text, 10000));
		tt_src_close(src);
	}
	tt_buf_free(&gz);
	tt_buf_free(&told.got);
	free(text);
}

TEST(a_changed_file_is_noticed)
{
	struct tt_src *src;
	struct tt_err err;

	write_file(check_path("changing"), "0123456789", 10);
	CHECK_EQ_INT(tt_src_open(&env, check_path("changing"), &src, &err), TT_OK);
	CHECK(!tt_src_has_changed(src));
	write_file(check_path("changing"), "0123456789+", 11);
	CHECK(tt_src_has_changed(src));
	tt_src_close(src);
	CHECK_EQ_INT(tt_src_open(&env, check_path("changing"), &src, &err), TT_OK);
	write_file(check_path("changing2"), "0123456789+", 11);
	rename(check_path("changing2"), check_path("changing"));
	CHECK(tt_src_has_changed(src));
	tt_src_close(src);
}

TEST(a_growing_file_ends_where_it_ended_when_opened)
{
	struct told told = { 0 };
	struct tt_src *src;

	write_file(check_path("growing"), "0123456789", 10);
	CHECK_EQ_INT(tt_src_open(&env, check_path("growing"), &src, &told.err), TT_OK);
	write_file(check_path("growing"), "0123456789more", 14);
	drain(src, 100, &told);
	CHECK(is(&told, "0123456789", 10));
	tt_src_close(src);
	tt_buf_free(&told.got);
}

struct reader {
	const struct tt_src *src;
	const char *text;
	size_t n, bad;
};

static void *
read_places(void *arg)
{
	struct reader *r = arg;
	char some[977];
	size_t got;

	for (size_t at = 0; at < r->n; at += sizeof some) {
		if (tt_src_pread(r->src, at, some, sizeof some, &got, NULL) != TT_OK ||
		    memcmp(some, r->text + at, got) != 0)
			r->bad++;
	}
	return NULL;
}

TEST(workers_read_beside_the_reader_in_order)
{
	size_t n = 200000;
	char *text = make_text(n);
	struct told told = { 0 };
	struct tt_src *src;
	struct reader r[2];
	pthread_t t[2];

	write_file(check_path("shared"), text, n);
	CHECK_EQ_INT(tt_src_open(&env, check_path("shared"), &src, &told.err), TT_OK);
	for (int i = 0; i < 2; i++) {
		r[i] = (struct reader){ src, text, n, 0 };
		CHECK_EQ_INT(pthread_create(&t[i], NULL, read_places, &r[i]), 0);
	}
	drain(src, 5000, &told);
	CHECK(is(&told, text, n));
	for (int i = 0; i < 2; i++) {
		pthread_join(t[i], NULL);
		CHECK_EQ_INT(r[i].bad, 0);
	}
	tt_src_close(src);
	tt_buf_free(&told.got);
	free(text);
}

/* --- gzip --------------------------------------------------------------- */

/* The bytes that zlib makes of a cut member when it is given all of them at once. */
static size_t
inflate_prefix(const char *p, size_t n, char *to, size_t room)
{
	z_stream z = { 0 };

	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		abort();
	z.next_in = (z_const Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)to;
	z.avail_out = (uInt)room;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return z.total_out;
}

TEST(truncated_gzip_keeps_every_inflated_byte)
{
	static const size_t steps[] = { 1, 7, 100000 };
	size_t n = 5000;
	char *text = make_text(n), *want = malloc(n + 1);
	struct tt_buf gz = { 0 };
	struct told told = { 0 };

	add_member(&gz, text, n);
	for (size_t cut = 2; cut < gz.n; cut++) {
		size_t want_n = inflate_prefix(gz.p, cut, want, n + 1);

		for (size_t i = 0; i < 3; i++) {
			read_mem(gz.p, cut, steps[i], &told);
			CHECK_EQ_INT(told.status, TT_E_DAMAGED);
			CHECK_EQ_INT(told.err.at, cut);
			CHECK_HAS(told.err.msg, "without its trailer");
			CHECK(is(&told, want, want_n));
			CHECK(want_n <= n && memcmp(want, text, want_n) == 0);
		}
	}
	read_mem(gz.p, gz.n, 7, &told);
	CHECK_EQ_INT(told.status, TT_END);
	CHECK(is(&told, text, n));
	tt_buf_free(&gz);
	tt_buf_free(&told.got);
	free(text);
	free(want);
}

TEST(a_flip_in_the_gzip_crc_or_length_is_noticed_after_all_bytes)
{
	size_t n = 3000;
	char *text = make_text(n);
	struct tt_buf gz = { 0 };
	struct told told = { 0 };

	add_member(&gz, text, n);
	for (size_t bit = 0; bit < 64; bit++) {
		char *at = gz.p + gz.n - 8 + bit / 8;

		*at = (char)(*at ^ 1 << bit % 8);
		read_mem(gz.p, gz.n, 512, &told);
		CHECK_EQ_INT(told.status, TT_E_DAMAGED);
		CHECK_HAS(told.err.msg, bit < 32 ? "gzip CRC differs" : "gzip length differs");
		CHECK(is(&told, text, n));
		*at = (char)(*at ^ 1 << bit % 8);
	}
	tt_buf_free(&gz);
	tt_buf_free(&told.got);
	free(text);
}

TEST(no_flip_in_gzip_data_gives_wrong_bytes_in_silence)
{
	size_t n = 1500;
	char *text = make_text(n);
	struct tt_buf gz = { 0 };
	struct told told = { 0 };
	unsigned silent = 0;

	add_member(&gz, text, n);
	/* Behind the header, whose time and flags carry no check. */
	for (size_t bit = 80; bit < 8 * gz.n; bit++) {
		gz.p[bit / 8] = (char)(gz.p[bit / 8] ^ 1 << bit % 8);
		read_mem(gz.p, gz.n, 64, &told);
		/* Up to seven bits between data and trailer are padding, and mean nothing. */
		silent += told.status == TT_END;
		CHECK(told.status == TT_E_DAMAGED || is(&told, text, n));
		gz.p[bit / 8] = (char)(gz.p[bit / 8] ^ 1 << bit % 8);
	}
	CHECK(silent < 8);
	tt_buf_free(&gz);
	tt_buf_free(&told.got);
	free(text);
}

TEST(gzip_damage_is_told_again_and_forgotten_by_rewinding)
{
	struct tt_buf gz = { 0 };
	struct told told = { 0 };
	struct tt_src *src;
	size_t got;
	char c;

	add_member(&gz, "hello", 5);
	src = open_mem(gz.p, gz.n - 1);
	for (int i = 0; i < 2; i++) {
		drain(src, 100, &told);
		CHECK_EQ_INT(told.status, TT_E_DAMAGED);
		CHECK_EQ_INT(tt_src_read(src, &c, 1, &got, &told.err), TT_E_DAMAGED);
		CHECK(is(&told, "hello", 5));
		CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_OK);
	}
	tt_src_close(src);
	tt_buf_free(&gz);
	tt_buf_free(&told.got);
}

TEST(gzip_members_are_read_one_after_the_other)
{
	struct tt_buf gz = { 0 };
	struct told told = { 0 };
	struct tt_src *src;

	add_member(&gz, "one, ", 5);
	add_member(&gz, "", 0);
	add_member(&gz, "two", 3);
	for (size_t step = 1; step < 10; step += 4) {
		src = open_mem(gz.p, gz.n);
		CHECK_EQ_INT(tt_src_info(src)->coding, TT_CODING_GZIP);
		CHECK(!tt_src_info(src)->seekable && tt_src_info(src)->can_rewind);
		CHECK(tt_src_info(src)->size == UINT64_MAX);
		drain(src, step, &told);
		CHECK_EQ_INT(told.status, TT_END);
		CHECK(is(&told, "one, two", 8));
		CHECK_EQ_INT(tt_src_info(src)->size, 8);
		CHECK_EQ_INT(tt_src_info(src)->raw_at, gz.n);
		CHECK_EQ_INT(tt_src_ngarbage(src), 0);
		tt_src_close(src);
	}
	/* A cut in a later member's header, of which only a byte is left. */
	gz.n = 0;
	add_member(&gz, "one", 3);
	tt_buf_text(&gz, "\x1f");
	read_mem(gz.p, gz.n, 100, &told);
	CHECK_EQ_INT(told.status, TT_E_DAMAGED);
	CHECK(is(&told, "one", 3));
	tt_buf_free(&gz);
	tt_buf_free(&told.got);
}

TEST(garbage_behind_gzip_is_counted_and_zeros_are_not)
{
	static const struct {
		const char *tail;
		size_t n, want;
	} cases[] = { { "garbage", 7, 7 }, { "\0\0\0\0", 4, 0 }, { "\0\0x", 3, 3 }, { "\x1f\x00", 2, 2 },
		{ "x", 1, 1 } };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct tt_buf gz = { 0 };
		struct told told = { 0 };
		struct tt_src *src;

		add_member(&gz, "data", 4);
		tt_buf_add(&gz, cases[i].tail, cases[i].n);
		src = open_mem(gz.p, gz.n);
		drain(src, 100, &told);
		CHECK_EQ_INT(told.status, TT_END);
		CHECK(is(&told, "data", 4));
		CHECK_EQ_INT(tt_src_ngarbage(src), cases[i].want);
		tt_src_close(src);
		tt_buf_free(&gz);
		tt_buf_free(&told.got);
	}
}

TEST(bytes_that_only_begin_like_a_coding_are_plain)
{
	static const char *const cases[] = { "\x1f\x8a\x08 not gzip", "BZh9 is how bzip2 begins", "BZhold", "BZh0 BZh:",
		"\3757zXX", "B", "\x28\xb5\x2f\xfe" };
	struct told told = { 0 };

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		read_mem(cases[i], strlen(cases[i]), 100, &told);
		CHECK_EQ_INT(told.status, TT_END);
		CHECK(is(&told, cases[i], strlen(cases[i])));
	}
	tt_buf_free(&told.got);
}

/* --- pipes -------------------------------------------------------------- */

struct feeder {
	int fd;
	const char *p;
	size_t n;
};

static void *
feed(void *arg)
{
	struct feeder *f = arg;

	for (size_t at = 0; at < f->n;) {
		/* Odd sizes, so that reads come back short. */
		size_t some = f->n - at < 4099 ? f->n - at : 4099;
		ssize_t put = write(f->fd, f->p + at, some);

		if (put <= 0)
			break;
		at += (size_t)put;
	}
	close(f->fd);
	return NULL;
}

/* A pipe that ${n} bytes come through, written by another thread. */
static struct tt_src *
open_pipe(struct feeder *f, const char *p, size_t n, pthread_t *thread)
{
	struct tt_src *src = NULL;
	struct tt_err err;
	int fds[2];

	/* The feeder may outlive a reader that gave up. */
	if (pipe(fds) != 0 || signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		abort();
	*f = (struct feeder){ fds[1], p, n };
	if (pthread_create(thread, NULL, feed, f) != 0)
		abort();
	CHECK_EQ_INT(tt_src_open_fd(&env, fds[0], "pipe", &src, &err), TT_OK);
	return src;
}

TEST(a_pipe_is_read_once)
{
	size_t n = 300000, got;
	char *text = make_text(n);
	struct told told = { 0 };
	struct feeder f;
	pthread_t thread;
	struct tt_src *src = open_pipe(&f, text, n, &thread);

	CHECK(!tt_src_info(src)->seekable && !tt_src_info(src)->can_rewind);
	CHECK(tt_src_info(src)->raw_size == UINT64_MAX && tt_src_info(src)->size == UINT64_MAX);
	CHECK_EQ_INT(tt_src_pread(src, 0, told.err.msg, 1, &got, &told.err), TT_E_USAGE);
	drain(src, 50000, &told);
	CHECK_EQ_INT(told.status, TT_END);
	CHECK(is(&told, text, n));
	CHECK_EQ_INT(tt_src_info(src)->size, n);
	CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_E_USAGE);
	CHECK_EQ_INT(tt_src_spool(src, &told.err), TT_E_USAGE);
	CHECK(!tt_src_has_changed(src));
	tt_src_close(src);
	pthread_join(thread, NULL);
	tt_buf_free(&told.got);
	free(text);
}

/* Feeds when thread ${reader} waits. */
struct waiter {
	struct feeder f;
	pid_t reader;
};

static void *
feed_one_who_waits(void *arg)
{
	struct waiter *w = arg;
	char path[64], state = 'R';

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)w->reader);
	while (state != 'S') {
		FILE *stat = fopen(path, "r");

		if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			abort();
		fclose(stat);
		sched_yield();
	}
	return feed(&w->f);
}

/* Others may have set a descriptor that is shared not to wait. */
TEST(a_pipe_that_does_not_wait_is_waited_for)
{
	struct told told = { 0 };
	struct waiter w = { .reader = gettid() };
	struct tt_src *src;
	pthread_t thread;
	int fds[2];

	CHECK_EQ_INT(pipe(fds), 0);
	CHECK_EQ_INT(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	w.f = (struct feeder){ fds[1], "late", 4 };
	CHECK_EQ_INT(pthread_create(&thread, NULL, feed_one_who_waits, &w), 0);
	CHECK_EQ_INT(tt_src_open_fd(&env, fds[0], "pipe", &src, &told.err), TT_OK);
	drain(src, 100, &told);
	CHECK(told.status == TT_END && is(&told, "late", 4));
	tt_src_close(src);
	pthread_join(thread, NULL);
	tt_buf_free(&told.got);
}

/* Read a kept pipe by halves, then whole, twice. */
static void
check_kept(const char *raw, size_t raw_n, const char *text, size_t n)
{
	struct told told = { 0 };
	char *half = malloc(n);
	const uint8_t *p;
	struct feeder f;
	pthread_t thread;
	struct tt_src *src = open_pipe(&f, raw, raw_n, &thread);
	size_t got;

	CHECK_EQ_INT(tt_src_peek(src, &p, &got, &told.err), TT_OK);
	CHECK_EQ_INT(tt_src_spool(src, &told.err), TT_OK);
	CHECK(tt_src_info(src)->can_rewind);
	CHECK_EQ_INT(tt_src_read(src, half, n / 2, &got, &told.err), TT_OK);
	CHECK(got == n / 2 && memcmp(half, text, got) == 0);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_OK);
		drain(src, 50000, &told);
		CHECK_EQ_INT(told.status, TT_END);
		CHECK(is(&told, text, n));
	}
	tt_src_close(src);
	pthread_join(thread, NULL);
	tt_buf_free(&told.got);
	free(half);
}

TEST(a_kept_pipe_is_read_again)
{
	size_t n = 400000;
	char *text = make_text(n);
	struct tt_buf gz = { 0 };

	add_member(&gz, text, n);
	env.tmpdir = check_dir();
	check_kept(text, n, text, n);
	check_kept(gz.p, gz.n, text, n);
	env.tmpdir = NULL;
	tt_buf_free(&gz);
	free(text);
}

TEST(a_spool_needs_no_folder_to_be_named)
{
	static const char *const folders[] = { NULL, "" };
	size_t n = 100000;
	char *text = make_text(n), *had = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;

	for (int i = 0; i < 2; i++) {
		CHECK_EQ_INT(folders[i] ? setenv("TMPDIR", folders[i], 1) : unsetenv("TMPDIR"), 0);
		check_kept(text, n, text, n);
	}
	CHECK_EQ_INT(had ? setenv("TMPDIR", had, 1) : unsetenv("TMPDIR"), 0);
	free(had);
	free(text);
}

TEST(the_spool_has_a_limit_that_is_named)
{
	size_t n = 300000;
	char *text = make_text(n);
	struct told told = { 0 };
	struct feeder f;
	pthread_t thread;
	struct tt_src *src = open_pipe(&f, text, n, &thread);

	env.spool_max = 200000;
	CHECK_EQ_INT(tt_src_spool(src, &told.err), TT_OK);
	drain(src, 1000, &told);
	CHECK_EQ_INT(told.status, TT_E_LIMIT);
	CHECK_HAS(told.err.msg, "spool_max");
	CHECK(told.got.n <= 200000 && memcmp(told.got.p, text, told.got.n) == 0);
	/* What did not fit into the spool is lost: reading again ends the same way, not with a gap. */
	CHECK_EQ_INT(tt_src_rewind(src, &told.err), TT_OK);
	drain(src, 70000, &told);
	CHECK_EQ_INT(told.status, TT_E_LIMIT);
	CHECK(told.got.n <= 200000 && memcmp(told.got.p, text, told.got.n) == 0);
	tt_src_close(src);
	pthread_join(thread, NULL);
	/* Less than what comes at once is too little, too. */
	src = open_pipe(&f, text, n, &thread);
	env.spool_max = 1;
	CHECK_EQ_INT(tt_src_spool(src, &told.err), TT_E_LIMIT);
	CHECK_HAS(told.err.msg, "spool_max");
	env.spool_max = 1 << 30;
	tt_src_close(src);
	pthread_join(thread, NULL);
	tt_buf_free(&told.got);
	free(text);
}

TEST(a_spool_that_cannot_be_made_names_its_directory)
{
	struct tt_err err;
	struct feeder f;
	pthread_t thread;
	struct tt_src *src = open_pipe(&f, "text", 4, &thread);

	env.tmpdir = "/nonexistent/dir";
	CHECK_EQ_INT(tt_src_spool(src, &err), TT_E_IO);
	CHECK_HAS(err.msg, "/nonexistent/dir");
	CHECK_EQ_INT(err.sys, ENOENT);
	env.tmpdir = NULL;
	tt_src_close(src);
	pthread_join(thread, NULL);
}

TEST(an_error_of_the_system_is_no_damage)
{
	struct tt_src *src = NULL;
	struct tt_err err;
	int fd = open(check_path("writeonly"), O_WRONLY | O_CREAT, 0600);

	CHECK_EQ_INT(write(fd, "\x1f\x8b\x08", 3), 3);
	CHECK_EQ_INT(lseek(fd, 0, SEEK_SET), 0);
	/* Reading a descriptor that is open for writing only is the error that is easy to make. */
	CHECK_EQ_INT(tt_src_open_fd(&env, fd, "it", &src, &err), TT_E_IO);
	CHECK_EQ_INT(err.sys, EBADF);
	CHECK(!src);
}

TEST(a_wish_to_stop_is_seen)
{
	volatile sig_atomic_t stop = 0;
	struct tt_src *src;
	struct tt_err err;
	char some[100];
	size_t got;

	write_file(check_path("stopped"), "0123456789", 10);
	env.stop = &stop;
	CHECK_EQ_INT(tt_src_open(&env, check_path("stopped"), &src, &err), TT_OK);
	stop = 1;
	CHECK_EQ_INT(tt_src_pread(src, 0, some, 10, &got, &err), TT_E_STOPPED);
	env.stop = NULL;
	tt_src_close(src);
}

TEST(everything_allocated_was_given_back)
{
	CHECK_EQ_INT(env.mem.used, 0);
}
