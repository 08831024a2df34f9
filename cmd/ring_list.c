/**
 * tracetool recover --list: the rings that lie in memory, whose they are, and what to do with each.
 *
 * Nothing is changed. A ring is in use if its recorder's process maps it, or holds its lock on the capture. The first is looked up before the sandbox, which
 * hides other processes; heads of rings and captures are read inside it.
 */
#include "recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "base/order.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "cmd.h"
#include "io/ring.h"
#include "out/table.h"
#include "ttc/ttc.h"

/* Who records into the ring: nobody any more, its process, or perhaps a process that cannot be looked into. */
enum user { USER_ENDED, USER_RUNS, USER_UNKNOWN };

/* The state of the capture: it is there; it is gone, or another recording has its name. */
enum left { LEFT_THERE, LEFT_GONE };

struct ring {
	const char *path;
	uint64_t size;
	long pid;
	uid_t uid;
	enum user user;
	bool read, told;              /* it could be opened; it has a head */
	enum left left;
	int64_t wall_ns;
	const char *args, *capture;   /* fit to print; as the recorder named it */
};

struct rings {
	struct ring *v;
	size_t n, cap;
};

/* --- before the sandbox ------------------------------------------------------------------------ */

/* Who uses the ring of this ${name}, which no other file has, if its recorder was the process ${pid}. */
static enum user
user_of(long pid, const char *name)
{
	char path[64], line[4096];
	enum user user = USER_ENDED;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/maps", pid);
	f = fopen(path, "re");
	if (!f)
		return errno == ENOENT ? USER_ENDED : USER_UNKNOWN;
	while (user == USER_ENDED && fgets(line, sizeof line, f))
		user = strstr(line, name) ? USER_RUNS : USER_ENDED;
	if (user == USER_ENDED && ferror(f))
		user = errno == ESRCH ? USER_ENDED : USER_UNKNOWN;
	fclose(f);
	return user;
}

static int
add_ring(struct app *app, struct rings *r, const char *folder, const char *name, struct tt_err *err)
{
	const char *path = tt_arena_printf(&app->arena, err, "%s/%s", folder, name);
	struct stat st;
	int rc;

	if (!path)
		return err->code;
	if (!tt_ring_named(path) || lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return TT_OK;
	rc = tt_mem_grow(&app->env.mem, &r->v, &r->cap, r->n + 1, sizeof *r->v, err);
	if (rc != TT_OK)
		return rc;
	r->v[r->n] = (struct ring){ .path = path, .size = (uint64_t)st.st_size, .uid = st.st_uid, .pid = strtol(name + strcspn(name, "-") + 1, NULL, 10) };
	r->v[r->n].user = user_of(r->v[r->n].pid, name);
	r->n++;
	return TT_OK;
}

/* Add the rings in ${folder}. One that is not ${named} by the user need not be there. */
static int
add_folder(struct app *app, struct rings *r, const char *folder, bool named, struct opt_list *seen, struct tt_err *err)
{
	char *real = realpath(folder, NULL);
	const char *path = real ? tt_arena_text(&app->arena, real, strlen(real), err) : folder;
	DIR *d = real ? opendir(real) : NULL;
	int sys = errno, rc = path ? TT_OK : err->code;
	struct dirent *e;

	free(real);
	for (size_t i = 0; rc == TT_OK && i < seen->n; i++) {
		if (strcmp(seen->v[i], path) != 0)
			continue;
		if (d)
			closedir(d);
		return TT_OK;
	}
	if (rc == TT_OK && !d && named)
		rc = tt_fail_sys(err, sys, "%s", folder);
	if (rc == TT_OK && d)
		rc = opt_list_add(seen, path, &app->arena, err);
	while (rc == TT_OK && d && (e = readdir(d)) != NULL)
		rc = add_ring(app, r, path, e->d_name, err);
	if (d)
		closedir(d);
	return rc;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct ring *)a)->path, ((const struct ring *)b)->path);
}

/* --- inside it ----------------------------------------------------------------------------------- */

/* Look at the capture that the ring's head names. */
static void
look_at_capture(struct ring *r, const struct ttc_ring_told *t)
{
	struct stat st;
	int fd = stat(t->capture, &st) == 0 && S_ISREG(st.st_mode) ? open(t->capture, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1;

	r->left = LEFT_GONE;
	if (fd >= 0 && ttc_has_run(fd, t->run)) {
		r->left = LEFT_THERE;
		if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
			r->user = USER_RUNS;
		else if (r->user == USER_UNKNOWN)
			r->user = USER_ENDED;
	}
	if (fd >= 0)
		close(fd);
}

static int
look_at(struct app *app, struct ring *r, struct tt_err *err)
{
	struct ttc_ring_told t;
	char line[sizeof t.head];
	int fd = open(r->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	r->read = fd >= 0;
	r->told = r->read && ttc_ring_tell(fd, &t);
	if (fd >= 0)
		close(fd);
	if (!r->told) {
		/* One that is being made has no head, and is not mapped yet. */
		snprintf(line, sizeof line, "/proc/%ld", r->pid);
		if (r->user == USER_ENDED && access(line, F_OK) == 0)
			r->user = USER_UNKNOWN;
		return TT_OK;
	}
	look_at_capture(r, &t);
	r->wall_ns = t.wall_ns;
	tt_utf8_line(line, sizeof line, t.args);
	r->args = tt_arena_text(&app->arena, line, strlen(line), err);
	r->capture = tt_arena_text(&app->arena, t.capture, strlen(t.capture), err);
	return r->args && r->capture ? TT_OK : err->code;
}

/* --- the list -------------------------------------------------------------------------------------- */

static void
put_line(struct tt_buf *out, const char *label, const char *text)
{
	char line[4096];

	tt_utf8_line(line, sizeof line, text);
	tt_buf_printf(out, "  %-9s%s\n", label, line);
}

/* "tracetool recover --remove-ring game.ttc", or what else there is to do. */
static void
put_advice(struct tt_buf *out, const struct ring *r)
{
	tt_buf_text(out, "  to do    ");
	if (r->user == USER_RUNS) {
		tt_buf_text(out, "nothing: the recorder removes it when the program ends\n");
		return;
	}
	if (!r->read) {
		tt_buf_text(out, "list it as that user\n");
		return;
	}
	if (r->user == USER_UNKNOWN)
		tt_buf_text(out, "if the process is no recorder any more: ");
	tt_buf_text(out, r->told && r->left == LEFT_THERE ? "tracetool recover --remove-ring " : "rm ");
	tt_shell_quote(out, r->told && r->left == LEFT_THERE ? r->capture : r->path);
	if (r->told && r->left == LEFT_GONE)
		tt_buf_text(out, "; or, where the capture is now: tracetool recover --remove-ring CAPTURE");
	tt_buf_text(out, "\n");
}

static void
put_ring(struct tt_buf *out, const struct ring *r)
{
	static const char *const user[] = { [USER_ENDED] = "has ended", [USER_RUNS] = "runs", [USER_UNKNOWN] = "may run" };
	time_t s = (time_t)(r->wall_ns / 1000000000);
	char size[32], path[4096];
	struct tm tm;

	*tt_put_bytes(size, (int64_t)r->size) = '\0';
	tt_utf8_line(path, sizeof path, r->path);
	tt_buf_printf(out, "%s\n", path);
	put_line(out, "size", size);
	tt_buf_printf(out, "  program  %s: process %ld%s%s\n", user[r->user], r->pid, r->told && r->args[0] ? ", " : "", r->told ? r->args : "");
	if (r->wall_ns && gmtime_r(&s, &tm))
		tt_buf_printf(out, "  began    %04d-%02d-%02d %02d:%02d UTC\n", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min);
	if (r->told)
		put_line(out, "capture", r->capture);
	else if (r->read)
		put_line(out, "capture", "not known: the ring has no head that can be read");
	else
		tt_buf_printf(out, "  capture  not known: user %lu may read the ring\n", (unsigned long)r->uid);
	if (r->told && r->left == LEFT_GONE)
		put_line(out, "", "is not there, or is another recording's by now");
	put_advice(out, r);
	tt_buf_text(out, "\n");
}

static void
put_sum(struct tt_buf *out, const struct rings *r, const struct opt_list *folders)
{
	uint64_t all = 0, ended = 0, n = 0;
	char text[32];

	for (size_t i = 0; i < r->n; i++) {
		all += r->v[i].size;
		if (r->v[i].user == USER_ENDED)
			ended += r->v[i].size, n++;
	}
	if (r->n == 0) {
		tt_buf_text(out, "no ring in");
		for (size_t i = 0; i < folders->n; i++) {
			char line[4096];
			tt_utf8_line(line, sizeof line, folders->v[i]);
			tt_buf_printf(out, "%s %s", i ? "," : "", line);
		}
		tt_buf_text(out, "\n");
		return;
	}
	*tt_put_bytes(text, (int64_t)all) = '\0';
	tt_buf_printf(out, "%zu ring%s, %s", r->n, r->n == 1 ? "" : "s", text);
	*tt_put_bytes(text, (int64_t)ended) = '\0';
	tt_buf_printf(out, "; of programs that have ended: %llu, %s\n", (unsigned long long)n, text);
}

int
recover_list(struct app *app, const char *const *folder, struct tt_err *err)
{
	static const char *const all[] = { "/", NULL };
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct opt_list seen = { 0 };
	struct rings r = { 0 };
	struct tt_buf out = { 0 };
	int rc = add_folder(app, &r, "/dev/shm", false, &seen, err);

	if (rc == TT_OK && runtime && runtime[0] == '/')
		rc = add_folder(app, &r, runtime, false, &seen, err);
	for (; rc == TT_OK && folder && *folder; folder++)
		rc = add_folder(app, &r, *folder, true, &seen, err);
	if (rc == TT_OK)
		pager_start(&app->pager);
	app->plan.read = all;         /* captures may be anywhere */
	if (rc == TT_OK)
		rc = app_confine(app, NULL, NULL, err);
	for (size_t i = 0; rc == TT_OK && i < r.n; i++)
		rc = look_at(app, &r.v[i], err);
	if (rc == TT_OK)
		rc = app_seal(app, err);
	if (rc == TT_OK) {
		tt_sort(r.v, r.n, by_path);
		for (size_t i = 0; i < r.n; i++)
			put_ring(&out, &r.v[i]);
		put_sum(&out, &r, &seen);
		rc = app_show(app, &out, err);
	}
	tt_buf_free(&out);
	tt_mem_free(&app->env.mem, r.v, r.cap * sizeof *r.v);
	return rc;
}
