/**
 * Opens the ring that a capture names.
 */
#include "io/ring_open.h"

#include <errno.h>
#include <string.h>

#include "sys/sys.h"

bool
tt_is_ring_name(const char *path)
{
	const char *base = tt_sys_base_name(path);
	size_t n = strlen(path);

	return tt_sys_is_absolute(path) && strncmp(base, "tracetool-", 10) == 0 && strcmp(path + n - 5, ".ring") == 0;
}

static bool
is_anothers(const char *path)
{
	struct tt_sys_stat st;

	return tt_sys_stat_link(path, &st) == 0 && st.kind == TT_KIND_FILE && !st.is_ours;
}

int
tt_ring_open(const struct tt_env *env, const char *path, unsigned *what, int *fd, struct tt_err *err)
{
	struct tt_sys_stat st;

	*what = TT_RING_NONE;
	*fd = -1;
	if (!tt_is_ring_name(path))
		return TT_OK;
	if (env->ring)
		return env->ring(env->ring_arg, path, what, fd, err);
	*fd = tt_sys_open(path, TT_OPEN_READ | TT_OPEN_NO_LINK | TT_OPEN_NO_WAIT);
	if (*fd < 0) {
		int sys = errno;

		if (sys == EMFILE || sys == ENFILE || sys == ENOMEM)
			return tt_fail_sys(err, sys, "%s", path);
		if (sys == EACCES && is_anothers(path))
			*what = TT_RING_NOT_OURS;
		return TT_OK;
	}
	if (tt_sys_stat_open(*fd, &st) == 0 && st.kind == TT_KIND_FILE && st.is_ours) {
		*what = TT_RING_OPEN;
	} else {
		tt_sys_close(*fd);
		*fd = -1;
	}
	return TT_OK;
}
