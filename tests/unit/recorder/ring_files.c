/* Tests of the names of captures: older files, files of other recorders, rotations; and wrong options. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "record_kit.h"

static long
size_of(const char *name)
{
	struct stat st;

	return stat(check_path(name), &st) == 0 ? (long)st.st_size : -1;
}

static void
put_file(const char *name, const char *text)
{
	FILE *f = fopen(check_path(name), "w");

	if (!CHECK(f != NULL))
		return;
	fputs(text, f);
	fclose(f);
}

/* Record a zone to ${name}; what rec_open said of it is in ${why}. */
static void
record_to(const char *name, bool overwrite)
{
	struct rec_options o = { .path = check_path(name), .ring = 1u << 20, .chunk = 4096, .overwrite = overwrite };
	char closed[256];

	if (!opened(&o))
		return;
	uint64_t key = rec_def_marker(0, 1, 0, "m");
	rec_begin(rec_thread(), rec_now(), key);
	rec_end(rec_thread(), rec_now(), key);
	CHECK_EQ_INT(rec_close(closed), 0);
}

TEST(an_older_file_is_kept_and_that_is_told)
{
	put_file("old.ttc", "all I have");
	record_to("old.ttc", false);
	CHECK_STR(why, "old.ttc is kept; this capture goes to old.2.ttc");
	CHECK_STR(rec_path(), check_path("old.2.ttc"));
	record_to("old.ttc", false);
	CHECK_HAS(why, "old.3.ttc");
	CHECK_EQ_INT(size_of("old.ttc"), 10);
	CHECK(size_of("old.2.ttc") > 200 && size_of("old.3.ttc") > 200);
	record_to("old.ttc", true);
	CHECK_STR(why, "");
	CHECK(size_of("old.ttc") > 200);
	CHECK_EQ_INT(size_of("old.4.ttc"), -1);
	/* A name without our suffix; a link that leads nowhere is a name, too. */
	put_file("plain", "x");
	CHECK_EQ_INT(symlink("/nonexistent/x", check_path("plain.2")), 0);
	record_to("plain", false);
	CHECK_STR(rec_path(), check_path("plain.3"));
	CHECK_EQ_INT(size_of("plain"), 1);
}

/* Another recorder is here whoever has the lock; what we record is locked as long as we do. */
TEST(a_file_that_a_recorder_holds_is_never_replaced)
{
	struct rec_options o = { .path = check_path("held.ttc"), .ring = 1u << 20, .chunk = 4096 };

	if (!opened(&o))
		return;
	int fd = open(check_path("held.ttc"), O_RDWR);
	CHECK(fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK_EQ_INT(flock(fd, LOCK_EX | LOCK_NB), 0);
	long before = size_of("held.ttc");
	record_to("held.ttc", true);
	CHECK_STR(why, "held.ttc is being written by another recorder; this capture goes to held.2.ttc");
	CHECK_EQ_INT(size_of("held.ttc"), before);
	close(fd);
	record_to("held.ttc", true);
	CHECK_STR(why, "");
}

/* A rotation steps over what has its names, holds its first file to the end, and takes away its own files only. */
TEST(a_rotation_spares_files_of_others)
{
	struct rec_options o = { .path = check_path("turn.ttc"), .ring = 1u << 20, .chunk = 4096, .poll_ms = 1, .part_ms = 1,
		.rotate_size = 10000, .rotate_keep = 3 };
	struct rec_stats s;

	put_file("turn.1.ttc", "not yours");
	put_file("turn.2.ttc", "");
	if (!opened(&o))
		return;
	CHECK_STR(why, "");
	uint64_t key = rec_def_marker(0, 1, 0, "m");
	bool first = false;
	rec_stats(&s);
	for (int i = 0; s.files < 6 && i < PATIENCE_MS; i++, rec_stats(&s)) {
		for (int k = 0; k < 50; k++) {
			rec_begin(rec_thread(), rec_now(), key);
			rec_end(rec_thread(), rec_now(), key);
		}
		if (s.files == 2 && !first) {
			int fd = open(check_path("turn.ttc"), O_RDWR);
			first = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0;
			close(fd);
		}
		usleep(1000);
	}
	CHECK(first);
	CHECK_EQ_INT(rec_close(why), 0);
	rec_stats(&s);
	CHECK_EQ_INT(size_of("turn.1.ttc"), 9);
	CHECK_EQ_INT(size_of("turn.2.ttc"), 0);
	CHECK_EQ_INT(size_of("turn.ttc") + size_of("turn.1.2.ttc") + size_of("turn.2.2.ttc"), -3);
	char last[40];
	for (uint64_t i = s.files - 3; i < s.files; i++) {
		snprintf(last, sizeof last, "turn.%" PRIu64 ".ttc", i);
		CHECK(size_of(last) > 200);
	}
}

TEST(wrong_options_are_told)
{
	struct rec_options o = { .path = check_path("w.ttc"), .overwrite = true, .chunk = 5000 };

	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	CHECK_HAS(why, "5000");
	o.chunk = 0;
	o.ring = 100000;
	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	o.ring = (uint64_t)2 << 40;
	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	CHECK_HAS(why, "at most a terabyte");
	o.ring = 0;
	static const uint32_t chunks[] = { 256, 1u << 30 };
	for (int i = 0; i < 2; i++) {
		o.chunk = chunks[i];
		CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	}
	o.chunk = 0;
	o.threads = 1u << 20;
	CHECK_EQ_INT(rec_open(&o, why), -EINVAL);
	CHECK_HAS(why, "65536");
	o.threads = 0;
	static char longest[4096];
	memset(longest, 'x', sizeof longest - 1);
	const char *const paths[] = { NULL, "", longest };
	for (int i = 0; i < 3; i++) {
		o.path = paths[i];
		CHECK(rec_open(&o, why) < 0);
		CHECK_HAS(why, "no path");
	}
	o.path = "/nonexistent/x.ttc";
	CHECK_EQ_INT(rec_open(&o, why), -ENOENT);
	CHECK_HAS(why, "/nonexistent/x.ttc");
	o.path = check_path("w.ttc");
	CHECK_EQ_INT(rec_open(&o, why), 0);
	CHECK_EQ_INT(rec_open(&o, why), -EBUSY);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK_EQ_INT(rec_close(why), 0);
	CHECK_EQ_INT(rings(), 0);
}
