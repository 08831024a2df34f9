/**
 * Opens the ring that a capture names.
 */
#include "io/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool
tt_ring_named(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t n = strlen(path);

	return path[0] == '/' && strncmp(base + 1, "tracetool-", 10) == 0 && strcmp(path + n - 5, ".ring") == 0;
}

static bool
is_anothers(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid != geteuid();
}

int
tt_ring_open(const struct tt_env *env, const char *path, unsigned *what, int *fd, struct tt_err *err)
{
	struct stat st;

	*what = TT_RING_NONE;
	*fd = -1;
	if (!tt_ring_named(path))
		return TT_OK;
	if (env->ring)
		return env->ring(env->ring_arg, path, what, fd, err);
	*fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0) {
		int sys = errno;

		if (sys == EMFILE || sys == ENFILE || sys == ENOMEM)
			return tt_fail_sys(err, sys, "%s", path);
		if (sys == EACCES && is_anothers(path))
			*what = TT_RING_BARRED;
		return TT_OK;
	}
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || geteuid() == 0)) {
		*what = TT_RING_OPEN;
	} else {
		close(*fd);
		*fd = -1;
	}
	return TT_OK;
}
