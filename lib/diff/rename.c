/**
 * Reads the map file of --rename and applies it to names.
 */
#include "diff/rename.h"

#include <string.h>

#include "base/buf.h"
#include "base/order.h"
#include "base/utf8.h"
#include "io/src.h"
#include "model/names.h"

#define FILE_MAX (16u << 20)

static const char *const kind_name[TT_RENAME_KINDS] = { "marker", "thread", "category" };

static int
order(const struct tt_rename_line *a, uint8_t kind, const char *name, size_t n)
{
	int c = TT_CMP(a->kind, kind);

	if (c == 0)
		c = strncmp(a->from, name, n);
	return c ? c : a->from[n] != '\0';
}

static int
by_name(const void *x, const void *y)
{
	const struct tt_rename_line *a = x, *b = y;
	int c = TT_CMP(a->kind, b->kind);

	if (c == 0)
		c = strcmp(a->from, b->from);
	return c ? c : TT_CMP(a->line, b->line);
}

/* Read one line, ended by NUL; cuts it at its tabs. */
static int
read_line(struct tt_rename *r, char *s, unsigned line, struct tt_err *err)
{
	char *field[3] = { s }, *tab;
	unsigned n = 1;
	uint8_t kind = TT_RENAME_MARKER;
	int rc;

	while (n < 3 && (tab = strchr(field[n - 1], '\t')) != NULL) {
		*tab = '\0';
		field[n++] = tab + 1;
	}
	if (n == 3 && strchr(field[2], '\t'))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "line %u: more than three fields: a name cannot hold a tab", line);
	if (n < 2)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "line %u: write OLD, a tab and NEW", line);
	if (n == 3) {
		while (kind < TT_RENAME_KINDS && strcmp(kind_name[kind], field[0]) != 0)
			kind++;
		if (kind == TT_RENAME_KINDS)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE,
			    "line %u: \"%s\" is not marker, thread or category", line, field[0]);
	}
	if (!field[n - 2][0] || !field[n - 1][0])
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "line %u: a name is empty", line);
	rc = tt_mem_grow(&r->env->mem, &r->v, &r->cap, r->n + 1, sizeof *r->v, err);
	if (rc == TT_OK)
		r->v[r->n++] =
		    (struct tt_rename_line){ .from = field[n - 2], .to = field[n - 1], .line = line, .kind = kind };
	return rc;
}

static int
read_lines(struct tt_rename *r, char *s, struct tt_err *err)
{
	int rc = TT_OK;

	for (unsigned line = 1; s && rc == TT_OK; line++) {
		char *next = strchr(s, '\n');
		size_t n;

		if (next)
			*next++ = '\0';
		n = strlen(s);
		if (n > 0 && s[n - 1] == '\r')
			s[n - 1] = '\0';
		if (!tt_utf8_is_text(s, n))
			rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "line %u: is not UTF-8 (but Latin-1 or Windows-1252, probably): save it as UTF-8", line);
		else if (s[0] && s[0] != '#')
			rc = read_line(r, s, line, err);
		s = next;
	}
	if (rc != TT_OK || r->n == 0)
		return rc;
	tt_sort(r->v, r->n, by_name);
	for (size_t i = 1; i < r->n; i++) {
		if (r->v[i].kind == r->v[i - 1].kind && strcmp(r->v[i].from, r->v[i - 1].from) == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "line %u: \"%s\" was renamed in line %u",
			    r->v[i].line, r->v[i].from, r->v[i - 1].line);
	}
	return TT_OK;
}

static int
read_all(struct tt_src *src, struct tt_buf *b, struct tt_err *err)
{
	size_t got;
	int rc;

	do {
		rc = tt_buf_room(b, 65536, err);
		TT_THEN(rc, tt_src_read(src, b->p + b->n, 65536, &got, err));
		if (rc == TT_OK)
			b->n += got;
		if (rc == TT_OK && b->n > FILE_MAX)
			rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "larger than 16 MB, which is too large for a list of names");
	} while (rc == TT_OK);
	return rc == TT_END ? TT_OK : rc;
}

int
tt_rename_parse(struct tt_rename *r, struct tt_env *env, const char *text, size_t n, struct tt_err *err)
{
	char *copy;

	*r = (struct tt_rename){ .env = env };
	tt_arena_init(&r->text, &env->mem);
	if (n > 0 && memchr(text, '\0', n))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "not a text file: it contains a NUL byte");
	copy = tt_arena_text(&r->text, n ? text : "", n, err);
	return copy ? read_lines(r, copy, err) : err->code;
}

int
tt_rename_read(struct tt_rename *r, struct tt_env *env, const char *path, struct tt_err *err)
{
	struct tt_src *src = NULL;
	struct tt_buf b = { 0 };
	int rc = tt_src_open_text(env, path, &src, err);

	*r = (struct tt_rename){ 0 };
	if (rc != TT_OK)
		return rc;
	rc = read_all(src, &b, err);
	tt_src_close(src);
	TT_THEN(rc, tt_rename_parse(r, env, b.p, b.n, err));
	tt_buf_free(&b);
	return rc == TT_OK ? rc : tt_err_in(err, "%s", path);
}

void
tt_rename_free(struct tt_rename *r)
{
	if (!r->env)
		return;
	tt_mem_free(&r->env->mem, r->v, r->cap * sizeof *r->v);
	tt_arena_free(&r->text);
	*r = (struct tt_rename){ 0 };
}

/* The line for the ${n} bytes at ${name}, which is marked as used; NULL: none. */
static struct tt_rename_line *
find(struct tt_rename *r, enum tt_rename_kind kind, const char *name, size_t n)
{
	size_t at = tt_lower_bound(i, 0, r->n, order(&r->v[i], (uint8_t)kind, name, n) < 0);

	if (at == r->n || order(&r->v[at], (uint8_t)kind, name, n) != 0)
		return NULL;
	r->v[at].used = true;
	return &r->v[at];
}

const char *
tt_rename(struct tt_rename *r, enum tt_rename_kind kind, const char *name, struct tt_err *err)
{
	size_t n = strlen(name), bare = kind == TT_RENAME_MARKER ? tt_name_bare(name) : n, to;
	const struct tt_rename_line *l = find(r, kind, name, n);
	char *s;

	if (l)
		return l->to;
	l = bare < n ? find(r, kind, name, bare) : NULL;
	if (!l)
		return name;
	to = strlen(l->to);
	s = tt_arena_alloc(&r->text, to + n - bare + 1, err);
	if (!s)
		return NULL;
	memcpy(s, l->to, to);
	memcpy(s + to, name + bare, n - bare);
	return s;
}
