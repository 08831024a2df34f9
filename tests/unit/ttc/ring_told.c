/* Tests of what ttc/ttc.h says of rings that lie about: ring_told.c. */
#include "check.h"

#include <sys/mman.h>

#include "ttc/crc32c.h"
#include "ttc/ttc.h"

static const uint8_t run[16] = "a run of a ring.";

struct ring { char bytes[TTC_RING_HEAD]; };

/* A ring as a recorder makes it, whose head has these texts, each with its NUL. */
static void
make(struct ring *to, const char *texts, size_t n)
{
	struct ttc_ring r = { .magic = TTC_RING_MAGIC, .major = TTC_MAJOR, .size = sizeof r, .head = (uint32_t)(sizeof(struct ttc_head) + n) };
	struct ttc_head h = { .magic = TTC_MAGIC, .major = TTC_MAJOR, .size = r.head, .wall_ns = 1700000000123456789u, .pid = 7 };
	char *head = to->bytes + TTC_RING_COPY;

	memset(to, 0, sizeof *to);
	memcpy(h.run, run, sizeof run);
	memcpy(head, &h, sizeof h);
	memcpy(head + sizeof h, texts, n);
	tt_crc32c_init();
	h.crc = tt_crc32c(0, head, r.head);
	memcpy(head, &h, sizeof h);
	memcpy(to->bytes, &r, sizeof r);
}

/* The first ${n} bytes as an open file. */
static int
file(const void *p, size_t n)
{
	const int fd = memfd_create("ring", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	return fd;
}

static bool
tell(const struct ring *r, size_t n, struct ttc_ring_facts *t)
{
	const int fd = file(r->bytes, n);
	const bool told = ttc_ring_read_head(fd, t);

	close(fd);
	return told;
}

/* All texts of a head, in the order of enum ttc_text, up to that of the arguments and of the capture's path. */
static size_t
texts(char *to, const char *args, const char *capture)
{
	size_t n = 0;

	for (int i = 0; i <= (int)(TTC_T_ARGS > TTC_T_CAPTURE ? TTC_T_ARGS : TTC_T_CAPTURE); i++) {
		char other[16];

		snprintf(other, sizeof other, "text %d", i);
		const char *s = i == (int)TTC_T_ARGS ? args : i == (int)TTC_T_CAPTURE ? capture : other;
		memcpy(to + n, s, strlen(s) + 1);
		n += strlen(s) + 1;
	}
	return n;
}

TEST(a_ring_says_what_recording_it_is_of)
{
	static struct ring r;
	static struct ttc_ring_facts t;
	char text[512];

	make(&r, text, texts(text, "game -batch", "/tmp/game.ttc"));
	CHECK(tell(&r, sizeof r, &t));
	CHECK_EQ_INT(memcmp(t.run, run, sizeof run), 0);
	CHECK_EQ_INT(t.wall_ns, 1700000000123456789);
	CHECK_STR(t.args, "game -batch");
	CHECK_STR(t.capture, "/tmp/game.ttc");
	make(&r, text, texts(text, "", ""));
	CHECK(tell(&r, sizeof r, &t));
	CHECK_STR(t.args, "");
	CHECK_STR(t.capture, "");
}

/* An older recorder wrote fewer of them. */
TEST(texts_that_a_head_does_not_have_are_empty)
{
	static struct ring r;
	static struct ttc_ring_facts t;

	make(&r, "one", 4);
	CHECK(tell(&r, sizeof r, &t));
	CHECK(*t.args == '\0' || strcmp(t.args, "one") == 0);
	CHECK(*t.capture == '\0' || strcmp(t.capture, "one") == 0);
	CHECK(*t.args == '\0' || *t.capture == '\0');
}

TEST(whatever_is_damaged_says_nothing)
{
	static struct ring good, r;
	static struct ttc_ring_facts t;
	char text[512];
	const size_t n = texts(text, "game", "game.ttc"), head = sizeof(struct ttc_head) + n;
	struct ttc_ring own;

	make(&good, text, n);
	memcpy(&own, good.bytes, sizeof own);
	/* Each byte of the head. */
	for (size_t i = 0; i < head; i++) {
		r = good;
		r.bytes[TTC_RING_COPY + i] ^= 1;
		CHECK(!tell(&r, sizeof r, &t));
	}
	for (size_t i = 0; i < 8; i++) {
		r = good;
		r.bytes[i] ^= 1;
		CHECK(!tell(&r, sizeof r, &t));
	}
	for (int k = 0; k < 5; k++) {
		struct ttc_ring bad = own;

		if (k == 0)
			bad.major++;
		else
			bad.head = k == 1 ? (uint32_t)sizeof(struct ttc_head) - 1 : k == 2 ? TTC_RING_TEXT + 1 : k == 3 ? own.head - 1 : own.head + 1;
		r = good;
		memcpy(r.bytes, &bad, sizeof bad);
		CHECK(!tell(&r, sizeof r, &t));
	}
	/* A file that ends in it. */
	CHECK(tell(&good, TTC_RING_COPY + head, &t));
	CHECK(!tell(&good, TTC_RING_COPY + head - 1, &t));
	CHECK(!tell(&good, sizeof own - 1, &t));
	CHECK(!tell(&good, 0, &t));
	/* A text without its end. */
	make(&r, "abc", 3);
	CHECK(!tell(&r, sizeof r, &t));
}

TEST(a_head_may_be_as_large_as_its_room)
{
	static struct ring r;
	static struct ttc_ring_facts t;
	static char text[TTC_RING_TEXT - sizeof(struct ttc_head)];

	memset(text, 'x', sizeof text - 1);
	make(&r, text, sizeof text);
	CHECK(tell(&r, sizeof r, &t));
}

TEST(a_time_beyond_the_clock_is_not_known)
{
	static struct ring r;
	static struct ttc_ring_facts t;
	struct ttc_head h;
	char *head = r.bytes + TTC_RING_COPY;

	make(&r, "", 1);
	memcpy(&h, head, sizeof h);
	h.wall_ns = (uint64_t)INT64_MAX + 1;
	h.crc = 0;
	memcpy(head, &h, sizeof h);
	h.crc = tt_crc32c(0, head, sizeof h + 1);
	memcpy(head, &h, sizeof h);
	CHECK(tell(&r, sizeof r, &t));
	CHECK_EQ_INT(t.wall_ns, 0);
}

TEST(a_capture_is_of_a_run_or_not)
{
	struct ttc_head h = { .magic = TTC_MAGIC };
	uint8_t other[16];
	int fd;

	memcpy(h.run, run, sizeof run);
	memcpy(other, run, sizeof run);
	other[15] ^= 1;
	fd = file(&h, sizeof h);
	CHECK(ttc_is_of_recording(fd, run));
	CHECK(!ttc_is_of_recording(fd, other));
	close(fd);
	fd = file(&h, sizeof h - 1);
	CHECK(!ttc_is_of_recording(fd, run));
	close(fd);
	h.magic[7] ^= 1;
	fd = file(&h, sizeof h);
	CHECK(!ttc_is_of_recording(fd, run));
	close(fd);
}
