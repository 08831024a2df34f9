/**
 * Finds the files of a batch and puts them in order.
 */
#include "batch/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/order.h"
#include "base/setting.h"
#include "io/outputs.h"
#include "io/src.h"

/* Limit of nested directories: deeper ones come from a loop of mounts. */
#define DEPTH_MAX 200

struct find {
	struct tt_env *env;
	struct tt_arena *a;
	struct tt_batch_files *f;
	const char *root;             /* absolute, or NULL */
	struct stat out;              /* the batch's own directory */
	bool has_out;
	struct stat *write;           /* existing files that the batch will overwrite */
	size_t nwrite;
	char path[PATH_MAX];          /* of the current file */
	struct tt_buf key;
	uint64_t lost;                /* names without a file */
};

static int
out_of_memory(struct tt_err *err)
{
	return err->code ? err->code : tt_fail_nomem(err);
}

/* The fixed cost of a capture (process, sandbox, line of results), as bytes that take the same time to analyse. */
#define CAPTURE_BYTES ((uint64_t)256 << 10)

/* Estimate the work for a byte of ${path} by its name. Decides which files begin first and which shard takes them. */
const char *
tt_batch_kind(const char *path, unsigned *weight)
{
	static const struct { const char *end, *kind; unsigned w; } packed[] = {
		{ ".xz", "xz", 8 }, { ".txz", "xz", 8 }, { ".7z", "7z", 8 }, { ".bz2", "bz2", 10 }, { ".tbz2", "bz2", 10 }, { ".tbz", "bz2", 10 },
		{ ".zst", "zst", 4 }, { ".tzst", "zst", 4 }, { ".gz", "gz", 4 }, { ".tgz", "gz", 4 }, { ".zip", "zip", 4 }, { ".lz4", "lz4", 3 },
		{ ".lz", "lz", 8 }, { ".tlz", "lz", 8 }, { ".tar", "tar", 1 },
	};
	size_t n = strlen(path);

	for (size_t i = 0; i < sizeof packed / sizeof packed[0]; i++) {
		size_t k = strlen(packed[i].end);

		if (n > k && strcmp(path + n - k, packed[i].end) == 0) {
			*weight = packed[i].w;
			return packed[i].kind;
		}
	}
	*weight = 1;
	return "plain";
}

/* Add the file at find->path under the path ${name}, which becomes its key. */
static int
add_file(struct find *d, const char *name, const struct stat *st, struct tt_err *err)
{
	struct tt_batch_files *f = d->f;
	struct tt_scheduler_file *file;
	unsigned weight;
	int rc;

	if (tt_mem_grow(&d->env->mem, &f->file, &f->cap, f->n + 1, sizeof *f->file, err) != TT_OK)
		return out_of_memory(err);
	d->key.n = 0;
	while (name[0] == '/' || (name[0] == '.' && name[1] == '/'))
		name += name[0] == '/' ? 1 : 2;
	rc = tt_key_add(&d->key, name, strlen(name), err);
	if (rc != TT_OK)
		return rc;
	file = &f->file[f->n];
	file->path = tt_arena_text(d->a, d->path, strlen(d->path), err);
	file->key = file->path ? tt_arena_text(d->a, d->key.p, d->key.n, err) : NULL;
	if (!file->key)
		return out_of_memory(err);
	file->size = (uint64_t)st->st_size;
	file->mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
	tt_batch_kind(name, &weight);
	file->cost = (file->size + CAPTURE_BYTES) * weight;
	f->n++;
	return TT_OK;
}

/* Add a name that stat() fails on as a file all the same. Opening it fails too, which gives it a line among the results instead of ending the run. */
static int
add_lost(struct find *d, const char *name, struct tt_err *err)
{
	const struct stat none = { 0 };

	d->lost++;
	return add_file(d, name, &none, err);
}

static void
free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* List the names in a directory, sorted. */
static int
list_names(int fd, char ***names, size_t *n, struct tt_err *err)
{
	DIR *dir = fdopendir(fd);
	struct dirent *e;
	size_t cap = 0;

	*names = NULL;
	*n = 0;
	if (!dir) {
		int sys = errno;

		close(fd);
		return tt_fail_sys(err, sys, "cannot list");
	}
	while ((e = readdir(dir)) != NULL) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (*n == cap) {
			char **more = realloc(*names, (cap = cap ? 2 * cap : 64) * sizeof **names);

			if (!more)
				break;
			*names = more;
		}
		(*names)[*n] = strdup(e->d_name);
		if (!(*names)[*n])
			break;
		++*n;
	}
	closedir(dir);
	if (e) {
		free_names(*names, *n);
		return tt_fail_nomem(err);
	}
	tt_sort(*names, *n, tt_compare_texts);
	return TT_OK;
}

static int walk(struct find *d, int fd, size_t below, unsigned depth, struct tt_err *err);

/* True if an earlier run wrote the file: it is an output of this run, and text, so no capture is overwritten. */
static bool
is_written(const struct find *d, int dir, const char *name, const struct stat *st)
{
	for (size_t i = 0; i < d->nwrite; i++)
		if (d->write[i].st_dev == st->st_dev && d->write[i].st_ino == st->st_ino)
			return tt_output_is_report(openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
	return false;
}

/* Take one name in the directory ${dir}; d->path holds the directory's path, ${at} bytes long. */
static int
visit(struct find *d, int dir, size_t at, const char *name, size_t below, unsigned depth, struct tt_err *err)
{
	struct stat st;
	int n = snprintf(d->path + at, sizeof d->path - at, "%s%s", at && d->path[at - 1] == '/' ? "" : "/", name);
	int fd;

	if (n < 0 || (size_t)n >= sizeof d->path - at)
		return tt_fail_sys(err, ENAMETOOLONG, "%.*s", (int)at, d->path);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? TT_OK : add_lost(d, d->path + below, err);
	if (S_ISREG(st.st_mode))
		return is_written(d, dir, name, &st) ? TT_OK : add_file(d, d->path + below, &st, err);
	if (!S_ISDIR(st.st_mode)) {
		*(S_ISLNK(st.st_mode) ? &d->f->links : &d->f->others) += 1;
		return TT_OK;
	}
	if (d->has_out && st.st_dev == d->out.st_dev && st.st_ino == d->out.st_ino)
		return TT_OK;
	if (depth == DEPTH_MAX)
		return tt_fail(err, TT_E_LIMIT, TT_NOWHERE, "%s: directories are nested too deep", d->path);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == EACCES ? add_lost(d, d->path + below, err) : tt_fail_sys(err, errno, "%s", d->path);
	return walk(d, fd, below, depth + 1, err);
}

/* Take everything in the directory ${fd}, whose path is d->path. Closes ${fd}. */
static int
walk(struct find *d, int fd, size_t below, unsigned depth, struct tt_err *err)
{
	size_t at = strlen(d->path), n = 0;
	char **names = NULL;
	int dir = dup(fd);
	int rc = dir < 0 ? tt_fail_sys(err, errno, "%s", d->path) : list_names(fd, &names, &n, err);

	if (dir < 0)
		close(fd);
	if (rc != TT_OK) {
		if (dir >= 0)
			close(dir);
		return tt_err_in(err, "%s", d->path);
	}
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		rc = visit(d, dir, at, names[i], below, depth, err);
		d->path[at] = '\0';
		if (rc == TT_OK && tt_stopped(d->env))
			rc = tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	}
	free_names(names, n);
	close(dir);
	return rc;
}

/* Make d->path absolute and find where the part below the root begins. */
static int
below_root(struct find *d, size_t *below, struct tt_err *err)
{
	size_t n = strlen(d->root);
	char real[PATH_MAX];

	if (!realpath(d->path, real))
		return tt_fail_sys(err, errno, "%s", d->path);
	if (strncmp(real, d->root, n) != 0 || (real[n] != '/' && real[n] != '\0' && n > 1))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is not below %s %s", d->path, tt_setting_name[TT_SETTING_ROOT], d->root);
	memcpy(d->path, real, strlen(real) + 1);
	*below = n;
	return TT_OK;
}

/* The origin of a name. Only a typed name may be a pattern, and it is an error if it matches nothing. */
enum origin { TYPED, EXPANDED, LISTED };

static int operand(struct find *d, const char *path, enum origin from, struct tt_err *err);

static int
expand(struct find *d, const char *pattern, struct tt_err *err)
{
	glob_t g = { 0 };
	int rc = TT_OK;

	if (glob(pattern, 0, NULL, &g) != 0)
		rc = tt_fail_sys(err, ENOENT, "%s", pattern);
	for (size_t i = 0; rc == TT_OK && i < g.gl_pathc; i++)
		rc = operand(d, g.gl_pathv[i], EXPANDED, err);
	globfree(&g);
	return rc;
}

/* Remove "./" and doubled "/", so that a file has one path. */
static void
tidy(char *path)
{
	char *to = path;

	for (const char *p = path; *p;) {
		bool begins = to == path || to[-1] == '/';

		if (begins && p[0] == '.' && p[1] == '/')
			for (p++; *p == '/'; p++)
				;
		else if (begins && to > path && *p == '/')
			p++;
		else
			*to++ = *p++;
	}
	if (to == path)
		*to++ = '.';
	*to = '\0';
}

static int
operand(struct find *d, const char *path, enum origin from, struct tt_err *err)
{
	struct stat st;
	size_t n = strlen(path), below = 0;
	int fd, rc = TT_OK;

	if (n == 0 || n >= sizeof d->path)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, n ? "a name is too long" : "an input file has no name");
	if (stat(path, &st) != 0) {
		if (errno == ENOENT && from == TYPED && strpbrk(path, "*?["))
			return expand(d, path, err);
		if (from == TYPED)
			return tt_fail_sys(err, errno, "%s", path);
		memcpy(d->path, path, n + 1);
		return add_lost(d, path, err);
	}
	memcpy(d->path, path, n + 1);
	tidy(d->path);
	if (d->root)
		rc = below_root(d, &below, err);
	if (rc != TT_OK)
		return rc;
	if (S_ISREG(st.st_mode))
		return add_file(d, d->path + below, &st, err);
	if (!S_ISDIR(st.st_mode) && from == TYPED)
		return tt_fail(err, TT_E_IO, TT_NOWHERE, "%s: neither a file nor a directory", path);
	if (!S_ISDIR(st.st_mode)) {
		d->f->others++;
		return TT_OK;
	}
	fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return tt_fail_sys(err, errno, "%s", path);
	return walk(d, fd, d->root ? below : strlen(d->path), 0, err);
}

/* A parser of the names on standard input. */
struct names {
	struct find *d;
	char name[PATH_MAX];          /* the name, as far as it was read */
	size_t n;
	char end;                     /* the byte that ends a name */
	uint64_t count;
};

static int
end_name(struct names *l, struct tt_err *err)
{
	size_t n = l->n;
	const char *name = l->name;
	struct stat st;

	l->n = 0;
	if (n == 0)
		return TT_OK;
	l->count++;
	l->name[n] = '\0';
	/* Windows ends lines with a carriage return, too; here a name may end with one. */
	if (l->end == '\n' && l->name[n - 1] == '\r' && lstat(l->name, &st) != 0)
		l->name[n - 1] = '\0';
	/* In a list joined from several, each part may begin with a byte order mark. */
	if (strncmp(name, "\xEF\xBB\xBF", 3) == 0 && lstat(name, &st) != 0)
		name += 3;
	if (!name[0]) {
		l->count--;
		return TT_OK;
	}
	return operand(l->d, name, LISTED, err);
}

static int
add_byte(struct names *l, char c, struct tt_err *err)
{
	if (c == l->end)
		return end_name(l, err);
	if (c == '\0')
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard input: a NUL byte among names that end with lines");
	if (l->n + 1 == sizeof l->name)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard input: a name is too long");
	l->name[l->n++] = c;
	return TT_OK;
}

static int
read_names(struct names *l, struct tt_src *src, struct tt_err *err)
{
	const uint8_t *head;
	char block[4096];
	size_t got;
	int rc = tt_src_peek(src, &head, &got, err);

	/* A name is shorter than the bytes peeked at: if names end with NUL, a NUL is among these bytes. */
	if (rc == TT_OK)
		l->end = memchr(head, '\0', got) ? '\0' : '\n';
	while (rc == TT_OK && (rc = tt_src_read(src, block, sizeof block, &got, err)) == TT_OK) {
		for (size_t i = 0; i < got && rc == TT_OK; i++)
			rc = add_byte(l, block[i], err);
	}
	return rc == TT_END ? end_name(l, err) : rc;
}

static int
from_input(struct find *d, struct tt_err *err)
{
	struct names *l = tt_arena_alloc(d->a, sizeof *l, err);
	uint64_t lost = d->lost;
	struct tt_src *src;
	int rc = l ? tt_src_open_text(d->env, "-", &src, err) : out_of_memory(err);

	if (rc != TT_OK)
		return rc;
	*l = (struct names){ .d = d };
	rc = read_names(l, src, err);
	tt_src_close(src);
	if (rc == TT_E_USAGE && strncmp(err->msg, "standard input", 14) != 0)
		tt_err_in(err, "standard input");
	if (rc == TT_OK && l->count > 0 && d->lost - lost == l->count)
		rc = tt_fail(err, TT_E_IO, TT_NOWHERE, "standard input: no file has %s \"%.40s\"",
		    l->count == 1 ? "the name there:" : "any of the names there; the last is", d->path);
	return rc;
}

/* --- order ------------------------------------------------------------------------- */

/* The path without a leading "./". */
static const char *
bare(const struct tt_scheduler_file *f)
{
	return strncmp(f->path, "./", 2) == 0 ? f->path + 2 : f->path;
}

/* Among keys with the same path, the longest comes first: it was named itself, not found below a folder. */
static int
by_path(const void *a, const void *b)
{
	const struct tt_scheduler_file *x = a, *y = b;
	size_t nx = strlen(x->key), ny = strlen(y->key);
	int c = strcmp(bare(x), bare(y));

	return c ? c : nx > ny ? -1 : nx < ny;
}

static int
by_work(const void *a, const void *b)
{
	const struct tt_scheduler_file *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost > y->cost ? -1 : 1;
	return strcmp(x->key, y->key);
}

static int
by_key(const void *a, const void *b, void *arg)
{
	const struct tt_scheduler_file *f = arg;

	return strcmp(f[*(const size_t *)a].key, f[*(const size_t *)b].key);
}

static bool
one_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Drop repeated paths: a list may name a folder and files in it. */
static void
drop_repeats(struct tt_batch_files *f)
{
	size_t n = 0;

	tt_sort(f->file, f->n, by_path);
	for (size_t i = 0; i < f->n; i++) {
		if (n == 0 || strcmp(bare(&f->file[n - 1]), bare(&f->file[i])) != 0)
			f->file[n++] = f->file[i];
	}
	f->n = n;
}

/* Drop files that are listed twice; two different files with the same key are an error. */
static int
settle(struct tt_arena *arena, struct tt_batch_files *f, struct tt_err *err)
{
	size_t n = 0;

	drop_repeats(f);
	tt_sort(f->file, f->n, by_work);
	for (size_t i = 0; i < f->n; i++)     /* equal keys of one file have the same size, so they are neighbours */
		if (n == 0 || strcmp(f->file[n - 1].key, f->file[i].key) != 0 || !one_file(f->file[n - 1].path, f->file[i].path))
			f->file[n++] = f->file[i];
	f->n = n;
	f->by_key = tt_arena_alloc(arena, (n + 1) * sizeof *f->by_key, err);
	if (!f->by_key)
		return out_of_memory(err);
	for (size_t i = 0; i < n; i++)
		f->by_key[i] = i;
	tt_sort_by(f->by_key, n, by_key, f->file);
	for (size_t i = 1; i < n; i++) {
		const struct tt_scheduler_file *a = &f->file[f->by_key[i - 1]], *b = &f->file[f->by_key[i]];

		if (strcmp(a->key, b->key) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
			    "%s and %s would both be called \"%s\"; give the directory both are in with %s", a->path,
			    b->path, a->key, tt_setting_name[TT_SETTING_ROOT]);
	}
	return TT_OK;
}

int
tt_batch_files_check(const struct tt_batch_files *f, const char *const *out, struct tt_err *err)
{
	struct stat x, y;

	for (; out && *out; out++) {
		if (strcmp(*out, "-") == 0 || stat(*out, &x) != 0 || !S_ISREG(x.st_mode))
			continue;
		for (size_t k = 0; k < f->n; k++)     /* only files of the same size can be the same: few are compared */
			if (f->file[k].size == (uint64_t)x.st_size && stat(f->file[k].path, &y) == 0 && x.st_dev == y.st_dev &&
			    x.st_ino == y.st_ino)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and an output", *out);
	}
	return TT_OK;
}

const struct tt_scheduler_file *
tt_batch_files_get(const struct tt_batch_files *f, const char *key, size_t n)
{
	size_t at = tt_lower_bound(i, 0, f->n, strncmp(f->file[f->by_key[i]].key, key, n) < 0);
	const struct tt_scheduler_file *m = at < f->n ? &f->file[f->by_key[at]] : NULL;

	/* Among keys with a common beginning, the shortest comes first. */
	return m && strncmp(m->key, key, n) == 0 && m->key[n] == '\0' ? m : NULL;
}

int
tt_batch_files_find(struct tt_env *env, struct tt_arena *a, const char *const *operands, const char *root, const char *out,
    const char *const *writes, struct tt_batch_files *f, struct tt_err *err)
{
	struct find *d = tt_arena_alloc(a, sizeof *d, err);
	char real[PATH_MAX];
	size_t nwrites = 0;
	int rc = TT_OK;

	if (!d)
		return out_of_memory(err);
	d->env = env;
	d->a = a;
	d->f = f;
	d->has_out = out && stat(out, &d->out) == 0;
	while (writes && writes[nwrites])
		nwrites++;
	d->write = tt_arena_alloc(a, (nwrites + 1) * sizeof *d->write, err);
	if (!d->write)
		return out_of_memory(err);
	for (size_t i = 0; i < nwrites; i++)
		d->nwrite += stat(writes[i], &d->write[d->nwrite]) == 0;
	if (root) {
		if (!realpath(root, real))
			return tt_fail_sys(err, errno, "%s", root);
		d->root = real;
	}
	for (; operands && *operands && rc == TT_OK; operands++)
		rc = strcmp(*operands, "-") == 0 ? from_input(d, err) : operand(d, *operands, TYPED, err);
	tt_buf_free(&d->key);
	return rc == TT_OK ? settle(a, f, err) : rc;
}
