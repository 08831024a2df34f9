/**
 * Finds temporaries by their names in an open folder, and whether their makers have ended.
 */
#include "batch/sweep.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/temp.h"
#include "sys/sys.h"

/* How long tt_batch_sweep() waits in all for processes that were killed with their parent. */
#define SWEEP_WAIT_MS 5000

/* Remove this temporary file if nobody holds its lock. */
static void
remove_abandoned(int dir, const char *name)
{
	struct stat st;
	int fd = openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool gone = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (gone)
		(void)unlinkat(dir, name, 0);
	if (fd >= 0)
		close(fd);
}

void
tt_batch_sweep(int dir, long pid)
{
	int fd = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const int64_t begun_ns = tt_sys_clock_ns();
	int64_t wait_ms = SWEEP_WAIT_MS;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	rewinddir(d);                 /* the position in the directory is shared with ${dir} */
	while ((e = readdir(d)) != NULL) {
		const long maker = tt_temp_process_id(e->d_name);

		if (maker && pid && maker == pid)
			(void)unlinkat(dir, e->d_name, 0);
		else if (maker && !pid && tt_sys_has_ended(maker, (int)wait_ms))
			remove_abandoned(dir, e->d_name);
		wait_ms = SWEEP_WAIT_MS - (tt_sys_clock_ns() - begun_ns) / 1000000;
		wait_ms = wait_ms > 0 ? wait_ms : 0;
	}
	closedir(d);
}
