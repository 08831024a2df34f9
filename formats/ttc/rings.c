/**
 * Finds the rings in memory, and who uses them.
 *
 * A ring is in use if its recorder's process maps it, or holds its lock on the capture. Mappings are checked before the sandbox, which hides other processes;
 * heads of rings and captures are read inside the sandbox.
 */
#include "ttc/rings.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "base/utf8.h"
#include "io/ring_open.h"
#include "ttc/ttc.h"

/* --- before the sandbox ------------------------------------------------------------------------ */

/* Return who uses the ring with this ${name}, which no other file has, if its recorder was the process ${pid}. */
static enum ttc_ring_user
user_of(long pid, const char *name)
{
	char path[64], line[4096];
	enum ttc_ring_user user = TTC_RING_ENDED;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? TTC_RING_ENDED : TTC_RING_UNKNOWN;
	while (user == TTC_RING_ENDED && fgets(line, sizeof line, f))
		user = strstr(line, name) ? TTC_RING_RUNS : TTC_RING_ENDED;
	if (user == TTC_RING_ENDED && ferror(f))
		user = errno == ESRCH ? TTC_RING_ENDED : TTC_RING_UNKNOWN;
	fclose(f);
	return user;
}

static int
add_ring(struct ttc_rings *r, const char *folder, const char *name, struct tt_err *err)
{
	const char *path = tt_arena_printf(r->a, err, "%s/%s", folder, name);
	struct stat st;
	int rc;

	if (!path)
		return err->code;
	if (!tt_is_ring_name(path) || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return TT_OK;
	rc = tt_mem_grow(r->a->mem, &r->v, &r->cap, r->n + 1, sizeof *r->v, err);
	if (rc != TT_OK)
		return rc;
	r->v[r->n] = (struct ttc_ring_file){ .path = path, .size = (uint64_t)st.st_size,
		.uid = st.st_uid, .pid = strtol(name + strcspn(name, "-") + 1, NULL, 10) };
	r->v[r->n].user = user_of(r->v[r->n].pid, name);
	r->n++;
	return TT_OK;
}

static int
add_seen(struct ttc_rings *r, const char *folder, struct tt_err *err)
{
	if (tt_arena_grow(r->a, &r->folder, &r->capfolder, r->nfolder, sizeof *r->folder, err) != TT_OK)
		return err->code;
	r->folder[r->nfolder++] = folder;
	return TT_OK;
}

int
ttc_rings_add(struct ttc_rings *r, const char *folder, bool named, struct tt_err *err)
{
	char *real = realpath(folder, NULL);
	const char *path = real ? tt_arena_text(r->a, real, strlen(real), err) : folder;
	DIR *d = real ? opendir(real) : NULL;
	int sys = errno, rc = path ? TT_OK : err->code;
	struct dirent *e;

	free(real);
	for (size_t i = 0; rc == TT_OK && i < r->nfolder; i++) {
		if (strcmp(r->folder[i], path) != 0)
			continue;
		if (d)
			closedir(d);
		return TT_OK;
	}
	if (rc == TT_OK && !d && named)
		rc = tt_fail_sys(err, sys, "%s", folder);
	if (rc == TT_OK && d)
		rc = add_seen(r, path, err);
	while (rc == TT_OK && d && (e = readdir(d)) != NULL)
		rc = add_ring(r, path, e->d_name, err);
	if (d)
		closedir(d);
	return rc;
}

/* --- inside it ----------------------------------------------------------------------------------- */

/* Examine the capture that the ring's head names. */
static void
look_at_capture(struct ttc_ring_file *r, const struct ttc_ring_facts *t)
{
	struct stat st;
	int fd = stat(t->capture, &st) == 0 && S_ISREG(st.st_mode) ? open(t->capture, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	r->capture_state = TTC_RING_CAPTURE_GONE;
	if (fd >= 0 && ttc_is_of_recording(fd, t->run)) {
		r->capture_state = TTC_RING_CAPTURE_THERE;
		if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
			r->user = TTC_RING_RUNS;
		else if (r->user == TTC_RING_UNKNOWN)
			r->user = TTC_RING_ENDED;
	}
	if (fd >= 0)
		close(fd);
}

int
ttc_ring_look(struct tt_arena *a, struct ttc_ring_file *r, struct tt_err *err)
{
	struct ttc_ring_facts t;
	char line[sizeof t.head];
	int fd = open(r->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	r->readable = fd >= 0;
	r->has_head = r->readable && ttc_ring_read_head(fd, &t);
	if (fd >= 0)
		close(fd);
	if (!r->has_head) {
		/* A ring that is just being made has no head and is not mapped yet. */
		snprintf(line, sizeof line, "/proc/%ld", r->pid);
		if (r->user == TTC_RING_ENDED && access(line, F_OK) == 0)
			r->user = TTC_RING_UNKNOWN;
		return TT_OK;
	}
	look_at_capture(r, &t);
	r->wall_ns = t.wall_ns;
	tt_utf8_line(line, sizeof line, t.args);
	r->args = tt_arena_text(a, line, strlen(line), err);
	r->capture = tt_arena_text(a, t.capture, strlen(t.capture), err);
	return r->args && r->capture ? TT_OK : err->code;
}
