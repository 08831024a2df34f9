/**
 * Finds the captures that a program's run left, in the order in which they were recorded.
 */
#include "launch/launch.h"

#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena_text.h"
#include "base/order.h"

/* Return a pattern for glob() that matches every name to which ${out} may expand, with ${more} before its suffix. */
static char *
pattern_of(struct tt_arena *a, const char *out, const char *more, struct tt_err *err)
{
	size_t n = strlen(out), stem = n > 4 && strcmp(out + n - 4, ".ttc") == 0 ? n - 4 : n;
	char *to = tt_arena_alloc(a, 2 * n + strlen(more) + 1, err), *p = to;

	for (size_t i = 0; to && i <= n; i++) {
		if (i == stem)
			p = stpcpy(p, more);
		if (out[i] == '%' && (out[i + 1] == 'p' || out[i + 1] == 't')) {
			*p++ = '*';
			i++;
			continue;
		}
		if (out[i] == '%' && out[i + 1] == '%')
			i++;
		if (out[i] && strchr("*?[\\", out[i]))
			*p++ = '\\';
		*p++ = out[i];
	}
	return to;
}

/* Read the head of the file ${path}, or zeros; return the number of bytes read. */
static size_t
read_head(const char *path, struct ttc_head *h)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const ssize_t n = fd >= 0 ? read(fd, h, sizeof *h) : 0;

	if (fd >= 0)
		close(fd);
	if (n != sizeof *h)
		*h = (struct ttc_head){ .part = 0 };
	return n > 0 ? (size_t)n : 0;
}

/* True if ${path} is not a capture, or another `tracetool record` started the program that wrote it; captures of older modules do not tell. */
static bool
of_another(const char *path, uint64_t number)
{
	struct ttc_head h;

	if (read_head(path, &h) == sizeof h)
		return memcmp(h.magic, TTC_MAGIC, sizeof h.magic) != 0 || (h.record != 0 && h.record != number);
	/* A recorder that was killed while starting leaves an empty file. */
	struct stat st;
	return stat(path, &st) == 0 && st.st_size > 0;
}

static int
add_file(struct tt_arena *a, const char *path, struct launch_captures *to, struct tt_err *err)
{
	const char *copy = tt_arena_text(a, path, strlen(path), err);

	if (!copy || tt_arena_grow(a, &to->v, &to->cap, to->n, sizeof *to->v, err) != TT_OK)
		return err->code;
	to->v[to->n++] = (struct launch_capture){ .path = copy };
	return TT_OK;
}

/* Add the files of ${pattern} that were changed since ${start}, and the other files to ${beside} (NULL: ignore them). */
static int
add_files(struct tt_arena *a, const char *pattern, const struct launch_start *start, struct launch_captures *found,
    struct launch_captures *beside, struct tt_err *err)
{
	glob_t g = { 0 };
	struct stat st;
	int rc = TT_OK;

	if (glob(pattern, 0, NULL, &g) == 0)
		for (size_t i = 0; i < g.gl_pathc && rc == TT_OK; i++) {
			const char *path = g.gl_pathv[i];
			if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
				continue;
			const bool other = st.st_mtim.tv_sec < start->at.tv_sec ||
			    (st.st_mtim.tv_sec == start->at.tv_sec && st.st_mtim.tv_nsec < start->at.tv_nsec) || of_another(path, start->number);
			struct launch_captures *to = other ? beside : found;
			rc = to ? add_file(a, path, to, err) : TT_OK;
		}
	globfree(&g);
	return rc;
}

/* Sort files by the begin of their recordings, and those of a rotation by their numbers, whatever their names are. */
static int
by_recording(const void *a, const void *b)
{
	const struct launch_capture *x = a, *y = b;
	const int run = memcmp(x->head.run, y->head.run, sizeof x->head.run);

	if (x->head.wall_ns != y->head.wall_ns)
		return x->head.wall_ns < y->head.wall_ns ? -1 : 1;
	if (run)
		return run;
	return x->head.part != y->head.part ? (x->head.part < y->head.part ? -1 : 1) : strcmp(x->path, y->path);
}

int
launch_find_captures(struct tt_arena *a, const char *out, const struct launch_start *start, struct launch_captures *found,
    struct launch_captures *beside, struct tt_err *err)
{
	char *first = pattern_of(a, out, "", err), *later = first ? pattern_of(a, out, ".[0-9]*", err) : NULL;
	int rc = later ? add_files(a, first, start, found, NULL, err) : err->code;

	TT_THEN(rc, add_files(a, later, start, found, beside, err));
	if (rc != TT_OK)
		return rc;
	uint32_t last = 0;            /* the largest number of a file in a rotation */
	for (size_t i = 0; i < found->n; i++) {
		read_head(found->v[i].path, &found->v[i].head);
		last = found->v[i].head.part > last ? found->v[i].head.part : last;
	}
	tt_sort(found->v, found->n, by_recording);
	if (last == 0)
		beside->n = 0;
	return TT_OK;
}
