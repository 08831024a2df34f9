/* Tests of sys/sys.h: promises of its header, with files in a folder of the test's own. */
#include "check.h"

#include <errno.h>

#include "sys/sys.h"

/* A path of file ${name} in the test's own folder; ${to} has room. */
static const char *
path_of(const char *name, char to[TT_PATH_BYTES])
{
	snprintf(to, TT_PATH_BYTES, "%s/%s", check_dir(), name);
	return to;
}

static void
write_file(const char *path, const char *text)
{
	const int fd = tt_sys_open(path, TT_OPEN_WRITE | TT_OPEN_CREATE);

	CHECK_EQ_INT(tt_sys_write(fd, text, strlen(text)), strlen(text));
	CHECK_EQ_INT(tt_sys_close(fd), 0);
}

TEST(a_new_file_is_made_once)
{
	char path[TT_PATH_BYTES];
	const int fd = tt_sys_open(path_of("new", path), TT_OPEN_WRITE | TT_OPEN_NEW);

	CHECK(fd > 2);
	CHECK_EQ_INT(tt_sys_open(path, TT_OPEN_WRITE | TT_OPEN_NEW), -1);
	CHECK_EQ_INT(errno, EEXIST);
	tt_sys_close(fd);
	CHECK_EQ_INT(tt_sys_open(path_of("missing", path), TT_OPEN_READ), -1);
	CHECK_EQ_INT(errno, ENOENT);
}

TEST(bytes_come_back_from_any_place_and_end_at_the_end)
{
	char path[TT_PATH_BYTES], got[8] = "";
	int fd;

	write_file(path_of("bytes", path), "0123456789");
	fd = tt_sys_open(path, TT_OPEN_READ);
	CHECK_EQ_INT(tt_sys_pread(fd, got, 4, 3), 4);
	CHECK_STR(got, "3456");
	CHECK_EQ_INT(tt_sys_pread(fd, got, 4, 8), 2);
	CHECK_EQ_INT(tt_sys_pread(fd, got, 4, 10), 0);
	CHECK_EQ_INT(tt_sys_offset(fd), 0);
	CHECK_EQ_INT(tt_sys_read(fd, got, 4), 4);
	CHECK_EQ_INT(tt_sys_offset(fd), 4);
	CHECK_EQ_INT(tt_sys_rewind(fd), 0);
	CHECK_EQ_INT(tt_sys_offset(fd), 0);
	tt_sys_close(fd);
}

TEST(two_names_of_one_file_are_the_same_and_two_files_are_not)
{
	char a[TT_PATH_BYTES], b[TT_PATH_BYTES], c[TT_PATH_BYTES];
	struct tt_sys_stat x, y, z;

	write_file(path_of("one", a), "1");
	write_file(path_of("two", b), "22");
	snprintf(c, sizeof c, "%s/./one", check_dir());
	CHECK_EQ_INT(tt_sys_stat(a, &x), 0);
	CHECK_EQ_INT(tt_sys_stat(b, &y), 0);
	CHECK_EQ_INT(tt_sys_stat(c, &z), 0);
	CHECK(tt_sys_is_same(&x, &z));
	CHECK(!tt_sys_is_same(&x, &y));
	CHECK_EQ_INT(y.size, 2);
	CHECK_EQ_INT(x.kind, TT_KIND_FILE);
	CHECK_EQ_INT(tt_sys_stat(check_dir(), &x), 0);
	CHECK_EQ_INT(x.kind, TT_KIND_FOLDER);
}

TEST(a_file_is_replaced_while_it_is_read)
{
	char old[TT_PATH_BYTES], new[TT_PATH_BYTES], got[4] = "";
	int fd;

	write_file(path_of("old", old), "old");
	write_file(path_of("fresh", new), "new");
	fd = tt_sys_open(old, TT_OPEN_READ);
	CHECK_EQ_INT(tt_sys_replace(new, old), 0);
	CHECK_EQ_INT(tt_sys_pread(fd, got, 3, 0), 3);
	CHECK_STR(got, "old");
	tt_sys_close(fd);
	fd = tt_sys_open(old, TT_OPEN_READ);
	CHECK_EQ_INT(tt_sys_pread(fd, got, 3, 0), 3);
	CHECK_STR(got, "new");
	tt_sys_close(fd);
	CHECK(!tt_sys_exists(new));
	CHECK_EQ_INT(tt_sys_remove(old), 0);
	CHECK(!tt_sys_exists(old));
}

TEST(one_holds_a_lock_until_its_last_descriptor_is_closed)
{
	char path[TT_PATH_BYTES];
	int a, b, copy;

	write_file(path_of("locked", path), "");
	a = tt_sys_open(path, TT_OPEN_READ | TT_OPEN_WRITE);
	b = tt_sys_open(path, TT_OPEN_READ | TT_OPEN_WRITE);
	CHECK_EQ_INT(tt_sys_lock(a, TT_LOCK_EXCLUSIVE, false), 0);
	CHECK_EQ_INT(tt_sys_lock(b, TT_LOCK_SHARED, false), -1);
	CHECK_EQ_INT(errno, EWOULDBLOCK);
	copy = tt_sys_duplicate(a);
	tt_sys_close(a);
	CHECK_EQ_INT(tt_sys_lock(b, TT_LOCK_SHARED, false), -1);
	tt_sys_close(copy);
	CHECK_EQ_INT(tt_sys_lock(b, TT_LOCK_SHARED, false), 0);
	CHECK_EQ_INT(tt_sys_lock(b, TT_LOCK_NONE, false), 0);
	tt_sys_close(b);
}

struct listed { unsigned n; bool has_it; };

static bool
note_name(void *arg, const char *name)
{
	struct listed *l = arg;

	l->n++;
	l->has_it = l->has_it || strcmp(name, "listed \xc3\xa9") == 0;
	return true;
}

TEST(a_scratch_file_holds_bytes_and_leaves_no_name)
{
	struct listed before = { 0 }, after = { 0 };
	char got[4] = "";
	int fd;

	CHECK_EQ_INT(tt_sys_list(check_dir(), note_name, &before), 0);
	fd = tt_sys_scratch(check_dir());
	CHECK_EQ_INT(tt_sys_pwrite(fd, "abc", 3, 5), 3);
	CHECK_EQ_INT(tt_sys_pread(fd, got, 3, 5), 3);
	CHECK_STR(got, "abc");
	CHECK_EQ_INT(tt_sys_truncate(fd, 6), 0);
	CHECK_EQ_INT(tt_sys_pread(fd, got, 3, 5), 1);
	tt_sys_close(fd);
	CHECK_EQ_INT(tt_sys_list(check_dir(), note_name, &after), 0);
	CHECK_EQ_INT(after.n, before.n);
}

TEST(a_folder_lists_names_in_utf8)
{
	char path[TT_PATH_BYTES];
	struct listed l = { 0 };

	write_file(path_of("listed \xc3\xa9", path), "");
	CHECK_EQ_INT(tt_sys_list(check_dir(), note_name, &l), 0);
	CHECK(l.has_it);
	CHECK_EQ_INT(tt_sys_list(path_of("no such folder", path), note_name, &l), -1);
	CHECK_EQ_INT(errno, ENOENT);
}

TEST(names_are_taken_apart_by_the_systems_separators)
{
	CHECK_STR(tt_sys_base_name("a/b.raw"), "b.raw");
	CHECK_STR(tt_sys_base_name("b.raw"), "b.raw");
	CHECK_STR(tt_sys_base_name("a/"), "");
	CHECK(!tt_sys_is_absolute("a/b"));
#ifdef _WIN32
	CHECK_STR(tt_sys_base_name("a\\b.raw"), "b.raw");
	CHECK_STR(tt_sys_base_name("c:b.raw"), "b.raw");
	CHECK(tt_sys_is_absolute("C:\\a") && tt_sys_is_absolute("c:/a") && tt_sys_is_absolute("\\\\server\\share"));
	CHECK(!tt_sys_is_absolute("c:a") && !tt_sys_is_absolute("\\a"));
	CHECK(tt_sys_is_same_name("A.json", "a.JSON"));
#else
	CHECK_STR(tt_sys_base_name("a\\b.raw"), "a\\b.raw");
	CHECK(tt_sys_is_absolute("/a"));
	CHECK(!tt_sys_is_same_name("A.json", "a.JSON"));
#endif
}

TEST(this_process_has_not_ended_and_clocks_go_forward)
{
	const int64_t a = tt_sys_clock_ns();
	uint64_t r[2] = { 0, 0 };

	CHECK(!tt_sys_has_ended(tt_sys_process_id(), 0));
	CHECK(tt_sys_clock_ns() >= a);
	CHECK(tt_sys_time_ns() > INT64_C(1700000000000000000));
	CHECK(tt_sys_ncpus() >= 1);
	CHECK(tt_sys_random(r, sizeof r) && r[0] != r[1]);
}
