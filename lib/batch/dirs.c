/**
 * Makes and opens the folders of a batch, and finds them from pages that link into them.
 */
#include "batch/dirs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "batch/shards.h"
#include "batch/sweep.h"

int
tt_batch_dir_make(const char *path, struct tt_err *err)
{
	if (mkdir(path, 0777) != 0 && errno != EEXIST)
		return tt_fail_sys(err, errno, "%s", path);
	return TT_OK;
}

/* The part of <linux/openat2.h> that is used: older headers lack it. */
struct how { uint64_t flags, mode, resolve; };
#define RESOLVE_NO_SYMLINKS_ 0x04
#define RESOLVE_BENEATH_ 0x08

/* Open the folder ${dir} for files made of captures, inside the folder open as ${top}; no link may lead out of ${top}. */
static int
open_files_dir(int top, const char *dir, int *fd, struct tt_err *err)
{
	struct how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH_ | RESOLVE_NO_SYMLINKS_ };

	if (mkdirat(top, TT_BATCH_FILES_DIR, 0777) != 0 && errno != EEXIST)
		return tt_fail_sys(err, errno, "%s/" TT_BATCH_FILES_DIR, dir);
	*fd = (int)syscall(SYS_openat2, top, TT_BATCH_FILES_DIR, &how, sizeof how);
	if (*fd < 0 && errno == ENOSYS)
		*fd = openat(top, TT_BATCH_FILES_DIR, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *fd < 0 ? tt_fail_sys(err, errno, "%s/" TT_BATCH_FILES_DIR, dir) : TT_OK;
}

int
tt_batch_dirs_open(const char *dir, bool files, int fd[2], struct tt_err *err)
{
	fd[0] = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd[0] < 0)
		return tt_fail_sys(err, errno, "%s", dir);
	return files ? open_files_dir(fd[0], dir, &fd[1], err) : TT_OK;
}

void
tt_batch_dirs_sweep(const int fd[2], const struct tt_shard *shard)
{
	for (unsigned i = 0; i < 2 && shard->count <= 1; i++) {
		if (fd[i] >= 0)
			tt_batch_sweep(fd[i], 0);
	}
}

/* The length of the folders that both paths begin with; it ends at a whole name in both. */
static size_t
same_folders(const char *x, const char *y)
{
	size_t same = 0;

	for (size_t i = 0;; i++) {
		if ((x[i] == '/' || !x[i]) && (y[i] == '/' || !y[i]))
			same = i;
		if (x[i] != y[i] || !x[i])
			return same;
	}
}

/* Set *${from} to the folder of files made of captures with results in ${dir}, relative to the page ${output}; NULL if it is not known. */
static int
files_from(struct tt_arena *a, const char *dir, const char *output, const char **from, struct tt_err *err)
{
	char here[PATH_MAX], there[PATH_MAX], folder[PATH_MAX];
	const char *slash = strrchr(output, '/');
	size_t same, n = 0;
	char *to;

	*from = NULL;
	if (strlen(output) >= sizeof folder)
		return TT_OK;
	memcpy(folder, slash ? output : ".", slash ? (size_t)(slash - output) + 1 : 1);
	folder[slash ? (size_t)(slash - output) + 1 : 1] = '\0';
	if (!realpath(folder, here) || !realpath(dir, there))
		return TT_OK;
	same = same_folders(here, there);
	for (const char *p = here + same; *p; p++)
		n += *p == '/' && p[1];
	to = tt_arena_alloc(a, 3 * n + strlen(there + same) + sizeof "/" TT_BATCH_FILES_DIR "/", err);
	if (!to)
		return err->code;
	*from = to;
	while (n-- > 0)
		to = stpcpy(to, "../");
	if (there[same] == '/')
		same++;
	if (there[same])
		to = stpcpy(stpcpy(to, there + same), "/");
	strcpy(to, TT_BATCH_FILES_DIR "/");
	return TT_OK;
}

const char *
tt_batch_pages_folder(const void *arg, const char *file)
{
	const struct tt_batch_pages *f = arg;
	char path[PATH_MAX];

	for (size_t i = 0; i < f->dir->n && !strchr(file, '/'); i++) {
		int n = f->from[i] ? snprintf(path, sizeof path, "%s/" TT_BATCH_FILES_DIR "/%s", f->dir->v[i], file) : -1;

		if (n >= 0 && (size_t)n < sizeof path && access(path, F_OK) == 0)
			return f->from[i];
	}
	return NULL;
}

int
tt_batch_pages_from(struct tt_arena *a, const struct tt_list *dir, const char *output, struct tt_batch_pages *p, struct tt_err *err)
{
	int rc;

	*p = (struct tt_batch_pages){ .dir = dir, .from = tt_arena_alloc(a, (dir->n + 1) * sizeof *p->from, err) };
	rc = p->from ? TT_OK : err->code;
	for (size_t i = 0; i < dir->n && rc == TT_OK; i++)
		rc = files_from(a, dir->v[i], output, &p->from[i], err);
	return rc;
}
