/**
 * Compares the files that a run writes, and writes several of them together.
 */
#include "io/outputs.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/sink.h"
#include "sys/sys.h"

/* Write the folder of ${path} to ${dir}, "." for a bare name; false: the folder's name is too long. */
static bool
folder_of(const char *path, char dir[TT_PATH_BYTES])
{
	const size_t n = (size_t)(tt_sys_base_name(path) - path);

	if (n + 1 > TT_PATH_BYTES)
		return false;
	memcpy(dir, n ? path : ".", n ? n : 1);
	dir[n ? n : 1] = '\0';
	return true;
}

/* True if both names lead to the same directory entry. */
static bool
same_target(const char *a, const char *b)
{
	char dir[2][TT_PATH_BYTES];
	struct tt_sys_stat st[2];

	if (strcmp(a, b) == 0)
		return true;
	return tt_sys_is_same_name(tt_sys_base_name(a), tt_sys_base_name(b)) && folder_of(a, dir[0]) && folder_of(b, dir[1]) &&
	    tt_sys_stat(dir[0], &st[0]) == 0 && tt_sys_stat(dir[1], &st[1]) == 0 && tt_sys_is_same(&st[0], &st[1]);
}

/* True if both name one regular file; writing twice to another kind of file, such as /dev/null, loses nothing. */
static bool
one_file(const char *a, const char *b)
{
	struct tt_sys_stat x, y;
	int in = strcmp(b, "-") == 0 ? tt_sys_stat_open(0, &y) : tt_sys_stat(b, &y);

	return in == 0 && strcmp(a, "-") != 0 && tt_sys_stat(a, &x) == 0 && x.kind == TT_KIND_FILE && tt_sys_is_same(&x, &y);
}

bool
tt_output_is_same(const char *a, const char *b)
{
	return same_target(a, b) || (strcmp(b, "-") != 0 && one_file(a, b));
}

int
tt_outputs_check(const char *const *out, const char *const *in, struct tt_err *err)
{
	for (size_t i = 0; out && out[i]; i++) {
		for (size_t k = 0; in && in[k]; k++) {
			if (one_file(out[i], in[k]))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and an output", out[i]);
		}
		for (size_t k = 0; k < i; k++) {
			if (tt_output_is_same(out[k], out[i]))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is named as output twice", out[i]);
		}
	}
	return TT_OK;
}

/* Fail if the folder of ${path} does not exist, or no file can be made in it. Links are not checked, nor are devices, which are written in place. */
static int
check_folder(const char *path, struct tt_err *err)
{
	char dir[TT_PATH_BYTES];
	struct tt_sys_stat st;

	if (strcmp(path, "-") == 0 || (tt_sys_stat_link(path, &st) == 0 && st.kind != TT_KIND_FILE) || !folder_of(path, dir))
		return TT_OK;
	if (tt_sys_may_make_in(dir) == 0)
		return TT_OK;
	if (errno == ENOENT)
		tt_fail_folder(err);
	else
		tt_fail_sys(err, errno, "cannot make a temporary file beside it");
	return tt_err_in(err, "cannot write %s", path);
}

int
tt_outputs_check_folders(const char *const *out, const char *beside, struct tt_err *err)
{
	int rc = TT_OK;

	for (; out && *out && rc == TT_OK; out++)
		rc = beside && strcmp(*out, beside) == 0 ? TT_OK : check_folder(*out, err);
	return rc;
}

bool
tt_output_is_report(int fd)
{
	static const char database[16] = "SQLite format 3";
	unsigned char p[512];
	const int64_t n = fd >= 0 ? tt_sys_read(fd, p, sizeof p) : -1;

	if (fd >= 0)
		tt_sys_close(fd);
	if (n >= (int64_t)sizeof database && memcmp(p, database, sizeof database) == 0)
		return true;
	for (int64_t i = 0; i < n; i++) {
		if (p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\r')
			return false;
	}
	return n >= 0;
}

int
tt_outputs_write(struct tt_env *env, const struct tt_output *o, size_t n, struct tt_err *err)
{
	struct tt_sink *sink[TT_OUTPUTS_MAX] = { NULL };
	int rc = TT_OK;

	assert(n <= TT_OUTPUTS_MAX);
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		rc = tt_buf_error(&o[i].text, err);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		rc = tt_sink_open(env, o[i].path, &sink[i], err);
		if (rc == TT_OK && o[i].text.n > 0)
			rc = tt_sink_write(sink[i], o[i].text.p, o[i].text.n, err);
		TT_THEN(rc, tt_sink_flush_and_shrink(sink[i], err));
	}
	return tt_sink_commit_all(sink, n, rc, err);
}

int
tt_output_write(struct tt_env *env, const char *path, const struct tt_buf *text, struct tt_err *err)
{
	return tt_outputs_write(env, &(const struct tt_output){ path, *text }, 1, err);
}
