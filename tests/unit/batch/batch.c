/* Tests of lib/batch: keys, messages, lines of results and their order; and of base/hash.h. */
#include "check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hash.h"
#include "batch/key.h"
#include "batch/record.h"
#include "batch/results.h"
#include "batch/split.h"
#include "batch/wire.h"

static struct tt_env env = { .jobs = 1, .spool_max = UINT64_MAX };

TEST(a_hash_does_not_depend_on_how_bytes_are_cut_and_stays_what_it_is)
{
	uint8_t p[1000];
	struct tt_hash h;

	for (size_t i = 0; i < sizeof p; i++)
		p[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t step = 1; step < 100; step++) {
		tt_hash_init(&h);
		for (size_t at = 0; at < sizeof p; at += step)
			tt_hash_add(&h, p + at, at + step < sizeof p ? step : sizeof p - at);
		CHECK(tt_hash_value(&h) == tt_hash_bytes(p, sizeof p));
	}
	/* In result files: these values never change. */
	CHECK(tt_hash_bytes("", 0) == UINT64_C(0xe951252f91a61160));
	CHECK(tt_hash_bytes("tracetool", 9) == UINT64_C(0x10f8b55d3b0a4865));
	CHECK(tt_hash_bytes(p, sizeof p) == UINT64_C(0x8e69a5d2faa91790));
}

TEST(every_bit_and_every_length_counts_in_a_hash)
{
	uint8_t p[96] = { 0 };
	uint64_t seen[96 * 8 + 97], n = 0;

	for (size_t i = 0; i <= sizeof p; i++)
		seen[n++] = tt_hash_bytes(p, i);
	for (size_t i = 0; i < sizeof p * 8; i++) {
		p[i / 8] ^= (uint8_t)(1u << i % 8);
		seen[n++] = tt_hash_bytes(p, sizeof p);
		p[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t k = 0; k < i; k++)
			CHECK(seen[i] != seen[k]);
}

static const char *
member(const char *path, uint64_t ordinal)
{
	static struct tt_buf b;
	struct tt_err err;

	b.n = 0;
	tt_buf_text(&b, "a.zip");
	CHECK(tt_key_member(&b, path, ordinal, &err) == TT_OK);
	tt_buf_add(&b, "", 1);
	return b.p;
}

TEST(keys_tell_members_apart_and_hold_no_control_characters)
{
	CHECK_STR(member("d/x.mlpd", 1), "a.zip!d/x.mlpd");
	CHECK_STR(member("d/x.mlpd", 2), "a.zip!d/x.mlpd#2");
	CHECK_STR(member("x#2", 1), "a.zip!x%232");
	CHECK_STR(member("b!c%\n\x7f\xff", 1), "a.zip!b%21c%25%0A%7F%FF");
	CHECK_STR(member("\xc3\xa9\xc2\x85", 1), "a.zip!\xc3\xa9%C2%85");
}

static const char *
path_of(const char *key)
{
	static struct tt_buf b;
	struct tt_err err;

	b.n = 0;
	CHECK(tt_key_path(&b, key, strlen(key), &err) == TT_OK);
	tt_buf_add(&b, "", 1);
	return b.p;
}

TEST(keys_give_back_paths)
{
	CHECK_STR(path_of("game%2312/r.ttc"), "game#12/r.ttc");
	CHECK_STR(path_of("50%25%21x/night.zip!pixel-6/run1.ttc#2"), "50%!x/night.zip/pixel-6/run1.ttc");
	CHECK_STR(path_of("a.zip!d.zip#3!b%21c%25%0A%7F%FF"), "a.zip/d.zip/b!c%\n\x7f\xff");
}

TEST(file_names_of_keys_are_harmless_and_differ_where_keys_do)
{
	char a[TT_KEY_FILE_MAX], b[TT_KEY_FILE_MAX], name[5000];

	tt_key_file(a, "x!../..", 7);
	CHECK(strchr(a, '/') == NULL && a[0] != '.');
	tt_key_file(a, "x!A.mlpd", 8);
	tt_key_file(b, "x!a.mlpd", 8);
	CHECK(strcasecmp(a, b) != 0);
	memset(name, 'y', sizeof name);
	tt_key_file(a, name, sizeof name);
	CHECK(strlen(a) < TT_KEY_FILE_MAX);
}

TEST(shards_divide_keys_evenly_and_each_key_has_one)
{
	unsigned n[7] = { 0 };

	for (unsigned i = 0; i < 7000; i++) {
		char key[32];
		unsigned owners = 0;
		int len = snprintf(key, sizeof key, "dir/%u.mlpd", i);

		for (unsigned s = 1; s <= 7; s++) {
			const struct tt_shard shard = { s, 7 };

			if (tt_shard_owns(&shard, key, (size_t)len)) {
				owners++;
				n[s - 1]++;
			}
		}
		CHECK_EQ_INT(owners, 1);
	}
	for (unsigned s = 0; s < 7; s++)
		CHECK(n[s] > 850 && n[s] < 1150);
}

/* ${n} files with work of 1 to 10, the largest first. */
static void
make_files(struct tt_scheduler_file *file, char (*key)[16], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		snprintf(key[i], sizeof key[i], "%zu.ttc", i);
		file[i] = (struct tt_scheduler_file){ .path = "/nowhere", .key = key[i], .size = 1000 - 900 * i / n, .cost = 1000 - 900 * i / n };
	}
}

TEST(files_are_split_by_work_and_one_more_moves_few)
{
	enum { N = 2000 };
	static struct tt_scheduler_file file[N], less[N];
	static char key[N][16];
	struct tt_split a, b;
	struct tt_err err;

	for (unsigned shards = 1; shards <= 100; shards = shards * 3 + 1) {
		uint64_t load[101] = { 0 }, total = 0;
		size_t moved = 0;

		make_files(file, key, N);
		memcpy(less, file + 1, (N - 1) * sizeof *less);
		CHECK_EQ_INT(tt_split(&env.mem, shards, file, N, true, &a, &err), TT_OK);
		CHECK_EQ_INT(tt_split(&env.mem, shards, less, N - 1, true, &b, &err), TT_OK);
		CHECK(a.list != b.list && a.files == N && b.files == N - 1 && a.bytes == b.bytes + file[0].size);
		for (size_t i = 0; i < N; i++) {
			CHECK(file[i].shard >= 1 && file[i].shard <= shards);
			load[file[i].shard] += file[i].cost;
			total += file[i].cost;
			moved += i > 0 && file[i].shard != less[i - 1].shard;
		}
		for (unsigned k = 1; k <= shards; k++)
			CHECK(load[k] * shards < total * 106 / 100);
		CHECK(moved < N / 8);
	}
	tt_split(&env.mem, 3, NULL, 0, true, &a, &err);
	CHECK(a.files == 0 && a.bytes == 0);
}

TEST(stretches_of_a_file_are_equal_and_every_byte_is_in_one)
{
	for (unsigned count = 1; count < 40; count++) {
		unsigned last = 1, n[40] = { 0 };

		for (uint64_t at = 0; at < 4000; at++) {
			unsigned i = tt_split_stretch(at, 4000, count);

			CHECK(i >= last && i <= count);
			n[last = i]++;
		}
		for (unsigned i = 1; i <= count; i++)
			CHECK(n[i] > 4000 / count - count - 1 && n[i] <= 4000 / count + 1);
	}
	CHECK_EQ_INT(tt_split_stretch(UINT64_MAX - 1, 10, 7), 7);
	CHECK_EQ_INT(tt_split_stretch(0, UINT64_MAX, 1), 1);
	CHECK_EQ_INT(tt_split_stretch(UINT64_MAX - 1, UINT64_MAX, 1000000), 1000000);
}

TEST(messages_arrive_whole_with_their_descriptor)
{
	char *buf = malloc(TT_WIRE_MAX);
	struct tt_wire w = { .kind = TT_WIRE_MEMBER, .flags = TT_WIRE_CUT, .index = 7, .size = 8, .hash = 9, .key = "a!b",
		.nkey = 3, .body = "why", .nbody = 3 }, got;
	struct tt_err err;
	int s[2], fd, have, p[2];

	CHECK(buf && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s) == 0 && pipe(p) == 0);
	CHECK_EQ_INT(tt_wire_receive(s[0], buf, &got, &fd, &have, &err), TT_OK);
	CHECK_EQ_INT(have, 0);
	CHECK_EQ_INT(tt_wire_send(s[1], &w, p[1], &err), TT_OK);
	CHECK_EQ_INT(tt_wire_receive(s[0], buf, &got, &fd, &have, &err), TT_OK);
	CHECK(have && fd >= 0 && got.kind == w.kind && got.flags == w.flags && got.index == 7 && got.size == 8 && got.hash == 9);
	CHECK(got.nkey == 3 && memcmp(got.key, "a!b", 3) == 0 && got.nbody == 3 && memcmp(got.body, "why", 3) == 0);
	CHECK(write(fd, "x", 1) == 1);
	close(fd);
	CHECK(send(s[1], "garbage", 7, 0) == 7);
	CHECK_EQ_INT(tt_wire_receive(s[0], buf, &got, &fd, &have, &err), TT_E_DAMAGED);
	w.nbody = TT_WIRE_MAX;
	CHECK_EQ_INT(tt_wire_send(s[1], &w, -1, &err), TT_E_LIMIT);
	close(s[1]);
	CHECK_EQ_INT(tt_wire_receive(s[0], buf, &got, &fd, &have, &err), TT_END);
	close(s[0]);
	close(p[0]);
	close(p[1]);
	free(buf);
}

/* --- results ------------------------------------------------------------------ */

static struct tt_buf lines;

static const char *
line_of(const char *key, const char *type, const char *body, uint64_t hash, unsigned part, unsigned parts)
{
	const struct tt_result_id id = { .key = key, .nkey = strlen(key), .type = type, .by = 1, .file_size = 5,
		.file_mtime_ns = 1700000000500000000, .has_content = hash != 0, .size = 3, .hash = hash, .part = part,
		.parts = parts };
	struct tt_err err;

	lines.n = 0;
	CHECK_EQ_INT(tt_result_compose(&lines, &id, body, strlen(body), &err), TT_OK);
	return lines.p;
}

TEST(a_line_is_read_back_and_a_torn_or_changed_one_is_not)
{
	struct tt_result r;
	struct tt_err err;

	line_of("a\"b\\c!\xc3\xa9", "capture", "\"outcome\":\"ok\",\"events\":7", 0x1234, 0, 0);
	CHECK_EQ_INT(tt_result_load(lines.p, lines.n - 1, &r, &err), TT_OK);
	CHECK_STR(r.key, "a\"b\\c!\xc3\xa9");
	CHECK_STR(r.hash, "0000000000001234");
	CHECK_STR(r.mtime, "1700000000.500000000");
	CHECK(r.nbody == strlen("\"outcome\":\"ok\",\"events\":7") && memcmp(r.body, "\"outcome\"", 9) == 0);
	tt_result_free(&r);
	for (size_t n = 0; n < lines.n - 1; n++)
		CHECK_EQ_INT(tt_result_load(lines.p, n, &r, &err), TT_E_DAMAGED);
	for (size_t i = 0; i < lines.n - 1; i++) {
		lines.p[i] ^= 1;
		CHECK_EQ_INT(tt_result_load(lines.p, lines.n - 1, &r, &err), TT_E_DAMAGED);
		lines.p[i] ^= 1;
	}
}

/* What came out. */
struct taken { struct tt_buf text; };

static int
on_line(void *arg, const char *line, size_t n, const struct tt_result *r, struct tt_err *err)
{
	struct taken *t = arg;

	(void)r;
	tt_buf_add(&t->text, line, n);
	tt_buf_add(&t->text, "\n", 1);
	return tt_buf_error(&t->text, err);
}

static struct tt_results_sum
put_in_order(char **line, size_t n, struct taken *t)
{
	const struct tt_results_out out = { .line = on_line, .arg = t };
	struct tt_results_sum sum;
	struct tt_results *rs;
	struct tt_err err;

	t->text.n = 0;
	CHECK_EQ_INT(tt_results_new(&env, &rs, &err), TT_OK);
	for (size_t i = 0; i < n; i++)
		CHECK_EQ_INT(tt_results_add(rs, line[i], strlen(line[i]) - 1, &err), TT_OK);
	CHECK_EQ_INT(tt_results_finish(rs, &out, &sum, &err), TT_OK);
	tt_results_free(rs);
	return sum;
}

TEST(results_come_in_order_once_each_whatever_order_they_came_in)
{
	/* Enough of them that several runs are sorted on disk. */
	enum { N = 30000 };
	static char *made[N], *line[2 * N];
	char key[32], body[1200];
	struct taken a = { .text = { 0 } }, b = { .text = { 0 } };
	struct tt_results_sum sum;
	uint64_t x = 1;

	memset(body, 'x', sizeof body);
	memcpy(body, "\"outcome\":\"ok\",\"detail\":\"", 25);
	strcpy(body + sizeof body - 2, "\"");
	for (size_t i = 0; i < N; i++) {
		snprintf(key, sizeof key, "k%06zu", i * 7919 % N);
		made[i] = strdup(line_of(key, "capture", body, 1, 0, 0));
		line[i] = line[N + i] = made[i];
	}
	sum = put_in_order(line, N, &a);
	CHECK(sum.kept == N && sum.lines == N && sum.bad == 0 && sum.conflicts == 0);
	for (size_t i = 2 * N - 1; i > 0; i--) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		size_t k = (size_t)(x >> 33) % (i + 1);
		char *t = line[i];

		line[i] = line[k];
		line[k] = t;
	}
	sum = put_in_order(line, 2 * N, &b);
	CHECK(sum.kept == N && sum.lines == 2 * N);
	CHECK(a.text.n == b.text.n && memcmp(a.text.p, b.text.p, a.text.n) == 0);
	for (size_t i = 0; i < N; i++)
		free(made[i]);
	tt_buf_free(&a.text);
	tt_buf_free(&b.text);
}

TEST(of_several_results_the_best_stays_and_different_contents_are_told)
{
	char *line[3];
	struct taken t = { .text = { 0 } };
	struct tt_results_sum sum;

	line[0] = strdup(line_of("a", "capture", "\"outcome\":\"failed\",\"why\":\"crashed\"", 5, 0, 0));
	line[1] = strdup(line_of("a", "capture", "\"outcome\":\"ok\"", 5, 0, 0));
	line[2] = strdup(line_of("a", "capture", "\"outcome\":\"damaged\",\"why\":\"damaged\"", 6, 0, 0));
	sum = put_in_order(line, 2, &t);
	CHECK(sum.kept == 1 && sum.conflicts == 0 && t.text.n == strlen(line[1]) && memcmp(t.text.p, line[1], t.text.n) == 0);
	sum = put_in_order(line, 3, &t);
	CHECK(sum.kept == 1 && sum.conflicts == 1 && memcmp(t.text.p, line[1], t.text.n) == 0);
	for (size_t i = 0; i < 3; i++)
		free(line[i]);
	tt_buf_free(&t.text);
}

TEST(records_of_all_parts_become_the_record_of_the_whole)
{
	static const char *const kinds[] = { "text", "image", "link" };
	struct tt_record whole, part[3];
	struct tt_buf body = { 0 };
	char *line[4], text[32], *want;
	struct taken t = { .text = { 0 } };
	struct tt_results_sum sum;
	struct tt_err err;

	tt_record_begin(&whole, "zip");
	for (int i = 0; i < 3; i++)
		tt_record_begin(&part[i], "zip");
	for (uint64_t i = 0; i < 90; i++) {
		struct tt_record *both[] = { &whole, &part[i * 2654435761u % 3] };

		snprintf(text, sizeof text, "member %u", (unsigned)i);
		for (int k = 0; k < 2; k++) {
			both[k]->members++;
			CHECK_EQ_INT(tt_record_kind(both[k], kinds[i % 3], &err), TT_OK);
			CHECK(tt_record_complain(both[k], i % 2 ? "name" : "encrypted", i, text, &err) >= 0);
		}
	}
	CHECK_EQ_INT(tt_record_put(&whole, &body, &err), TT_OK);
	tt_buf_add(&body, "", 1);
	want = strdup(line_of("z.zip", "archive", body.p, 0, 0, 0));
	for (unsigned i = 0; i < 3; i++) {
		body.n = 0;
		CHECK_EQ_INT(tt_record_put(&part[i], &body, &err), TT_OK);
		tt_buf_add(&body, "", 1);
		line[(i + 1) % 3] = strdup(line_of("z.zip", "archive", body.p, 0, i + 1, 3));
		tt_record_free(&part[i]);
	}
	sum = put_in_order(line, 3, &t);
	CHECK(sum.kept == 1 && sum.missing == 0);
	CHECK(t.text.n == strlen(want) && memcmp(t.text.p, want, t.text.n) == 0);
	sum = put_in_order(line, 2, &t);
	CHECK(sum.kept == 2 && sum.missing == 1);
	line[3] = want;
	sum = put_in_order(line, 4, &t);
	CHECK(sum.kept == 1 && memcmp(t.text.p, want, t.text.n) == 0);
	for (int i = 0; i < 4; i++)
		free(line[i]);
	tt_record_free(&whole);
	tt_buf_free(&body);
	tt_buf_free(&t.text);
}
