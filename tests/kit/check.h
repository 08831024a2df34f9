/**
 * The unit-test harness: one program per file, tests named after what they promise.
 *
 *	#include "check.h"
 *	TEST(empty_input_has_no_lines)
 *	{
 *		CHECK_EQ_INT(count_lines(""), 0);
 *	}
 *
 * The program runs all its tests in the order of the file, or those named on
 * the command line. A failing check prints one line and the test goes on. A test
 * that cannot be tried here says LEFT_OUT(why) and returns. The last line is
 * "N passed, N failed"; the exit status is 1 if one failed.
 *
 * Checks may run on other threads only while the test's own waits.
 */
#ifndef TT_CHECK_H
#define TT_CHECK_H

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct check_test {
	const char *name;
	void (*run)(void);
	struct check_test *next;
};

static struct check_test *check_first, **check_tail = &check_first;
static const char *check_name = "(none)";
static unsigned check_bad;
static bool check_out;
static char check_dir_path[256];

#define TEST(test) \
	static void test(void); \
	__attribute__((constructor)) static void test##_add(void) \
	{ \
		static struct check_test t = { #test, test, NULL }; \
		*check_tail = &t; \
		check_tail = &t.next; \
	} \
	static void test(void)

#define CHECK(cond) check_true((cond), #cond, __FILE__, __LINE__)
#define CHECK_EQ_INT(have, want) check_int((intmax_t)(have), (intmax_t)(want), #have, __FILE__, __LINE__)
#define CHECK_STR(have, want) check_str((have), (want), #have, __FILE__, __LINE__)
/* Is ${part} in ${text}? For messages, whose wording is not promised whole. */
#define CHECK_HAS(text, part) check_has((text), (part), #text, __FILE__, __LINE__)
/* The line that tests/run.sh shows; the test is neither passed nor failed, unless a check has failed before. */
#define LEFT_OUT(why) (check_out = true, (void)printf("left out: %s: %s\n", check_name, (why)))

static inline bool
check_true(bool good, const char *what, const char *file, int line)
{
	if (!good) {
		check_bad++;
		printf("%s:%d: %s: not true: %s\n", file, line, check_name, what);
	}
	return good;
}

static inline bool
check_int(intmax_t have, intmax_t want, const char *what, const char *file, int line)
{
	if (have != want) {
		check_bad++;
		printf("%s:%d: %s: %s is %" PRIdMAX ", not %" PRIdMAX "\n", file, line, check_name, what,
		    have, want);
	}
	return have == want;
}

static inline bool
check_str(const char *have, const char *want, const char *what, const char *file, int line)
{
	bool good = have && strcmp(have, want) == 0;

	if (!good) {
		check_bad++;
		printf("%s:%d: %s: %s is \"%s\", not \"%s\"\n", file, line, check_name, what,
		    have ? have : "(null)", want);
	}
	return good;
}

static inline bool
check_has(const char *text, const char *part, const char *what, const char *file, int line)
{
	bool good = strstr(text, part) != NULL;

	if (!good) {
		check_bad++;
		printf("%s:%d: %s: %s has no \"%s\": \"%s\"\n", file, line, check_name, what, part, text);
	}
	return good;
}

/* Is this a full-length run? */
static inline bool
check_long(void)
{
	const char *set = getenv("TT_SET");

	return set && strcmp(set, "all") == 0;
}

/* Where a list begins of which one in ${step} is tried: at full length with its first, else at one drawn by lot (tests/kit/lot.py). */
static inline size_t
check_lot(size_t step)
{
	const char *lot = getenv("TT_LOT");

	return check_long() || !lot ? 0 : strtoul(lot, NULL, 10) % step;
}

/* Sanitizers take so many times as long. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CHECK_SLOW 4
#else
#define CHECK_SLOW 1
#endif

/* So many times as long as usual tests take here: with a sanitizer, or TT_SLOW in the environment. Sizes are divided by it. */
static inline unsigned
check_slow(void)
{
	const char *set = getenv("TT_SLOW");
	long n = set ? strtol(set, NULL, 10) : 0;

	return n > CHECK_SLOW ? (unsigned)n : CHECK_SLOW;
}

/* Of very many cases, one in so many is tried where tests are slow, and it is said. A number that is no multiple of two takes every bit. */
static inline unsigned
check_step(void)
{
	if (check_slow() > CHECK_SLOW)
		printf("left out: %s: %u of %u cases: TT_SLOW=%u\n", check_name, check_slow() - 1, check_slow(), check_slow());
	return check_slow() > CHECK_SLOW ? check_slow() : 1;
}

/* The directory for this program's files: made on first use, removed with all that is in it at the end. */
static inline const char *
check_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	if (check_dir_path[0])
		return check_dir_path;
	snprintf(check_dir_path, sizeof check_dir_path, "%s/tt-check-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(check_dir_path)) {
		perror(check_dir_path);
		exit(1);
	}
	return check_dir_path;
}

/* The path of the file ${name} there; good until the fourth call after this one. */
static inline const char *
check_path(const char *name)
{
	static char paths[4][512];
	static unsigned k;
	char *p = paths[k++ % 4];

	snprintf(p, sizeof paths[0], "%s/%s", check_dir(), name);
	return p;
}

static inline void
check_remove_dir(void)
{
	DIR *d = check_dir_path[0] ? opendir(check_dir_path) : NULL;
	struct dirent *e;

	while (d && (e = readdir(d))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove(check_path(e->d_name));
	}
	if (d)
		closedir(d);
	if (check_dir_path[0])
		rmdir(check_dir_path);
}

static bool
check_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], name) == 0)
			return true;
	}
	return argc < 2;
}

int
main(int argc, char **argv)
{
	unsigned passed = 0, failed = 0, out = 0;

	for (struct check_test *t = check_first; t; t = t->next) {
		if (!check_wanted(t->name, argc, argv))
			continue;
		check_name = t->name;
		check_bad = 0;
		check_out = false;
		t->run();
		*(check_bad ? &failed : check_out ? &out : &passed) += 1;
	}
	check_remove_dir();
	printf("%u passed, %u failed\n", passed, failed);
	/* A name that matches no test is a mistake, not a success. */
	return failed > 0 || passed + out == 0;
}

#endif
