/**
 * Shared by all renderers of a verdict: the severity of rows, escaping, findings.
 */
#include "verdict/verdict_as.h"

#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/utf8.h"
#include "gate/budget.h"
#include "gate/verdict.h"

/* --- which rows, in which order ---------------------------------------------------- */

enum tt_verdict_kind
tt_verdict_kind(const struct tt_verdict *v, const struct tt_verdict_row *r)
{
	switch (r->outcome) {
	case TT_BREACH:
	case TT_WORSE:
	case TT_GONE:
		return r->fails ? TT_VERDICT_ERROR : TT_VERDICT_WARNING;
	case TT_CANNOT_JUDGE:
		return r->row->level == TT_LEVEL_ERROR && v->exit_code != 0 ? TT_VERDICT_ERROR : TT_VERDICT_WARNING;
	case TT_UNDECIDED:
		return r->row->level == TT_LEVEL_ERROR && v->exit_code == 5 && v->strict ? TT_VERDICT_ERROR : TT_VERDICT_NOTICE;
	case TT_WAIVED:
	case TT_ACCEPTED:
		return TT_VERDICT_NOTICE;
	case TT_PASS:
	case TT_NOT_WORSE:
	case TT_SKIPPED:
	case TT_OUTCOMES:
		break;
	}
	return TT_VERDICT_FINE;
}

/* By how much a row exceeds its limit, in millionths of the limit. */
static int64_t
excess(const struct tt_verdict_row *r)
{
	int64_t over, of = r->row->relative ? r->base : r->limit;

	if (r->row->relative && r->tested)
		over = (r->limit_is_min ? -r->shift : r->shift) - r->limit;
	else if (r->has_value && r->has_limit)
		over = r->limit_is_min ? r->limit - r->value : r->value - r->limit;
	else
		return 0;
	return of == 0 ? over > 0 ? INT64_MAX : 0 : tt_scale(over, 1000000, of < 0 ? -of : of);
}

static int
by_weight(const void *x, const void *y, void *arg)
{
	const struct tt_verdict *v = arg;
	size_t a = *(const size_t *)x, b = *(const size_t *)y;
	enum tt_verdict_kind ka = tt_verdict_kind(v, &v->row[a]), kb = tt_verdict_kind(v, &v->row[b]);
	int64_t ea = excess(&v->row[a]), eb = excess(&v->row[b]);

	if (ka != kb)
		return ka < kb ? 1 : -1;
	if (ea != eb)
		return ea < eb ? 1 : -1;
	return TT_CMP(a, b);
}

size_t *
tt_verdict_order(const struct tt_verdict *v, struct tt_buf *out)
{
	size_t *order = malloc((v->nrow + 1) * sizeof *order);

	if (!order)
		tt_buf_fail(out);
	for (size_t i = 0; order && i < v->nrow; i++)
		order[i] = i;
	if (order)
		tt_sort_by(order, v->nrow, by_weight, v);
	return order;
}

/* --- text ------------------------------------------------------------------------------ */

void
tt_verdict_put(struct tt_buf *out, const char *s, tt_verdict_escape *escape)
{
	for (size_t n = strlen(s), len; n > 0; s += len, n -= len) {
		const char *text = NULL;
		char tmp[32];

		len = tt_utf8_len(s, n);
		if (escape)
			text = escape(len ? tt_utf8_code(s, len) : 0xfffd, tmp);
		if (len == 0 && !text)
			text = "\xef\xbf\xbd";
		if (text)
			tt_buf_text(out, text);
		else
			tt_buf_add(out, s, len);
		len += len == 0;
	}
}

const struct tt_verdict_row *
tt_verdict_movers_shown(struct tt_verdict_movers *m, const struct tt_verdict_row *r)
{
	const struct tt_verdict_row **last = &m->last[r->nmover ? r->mover[0].about : TT_ABOUT_NOTHING], *before = *last;
	bool same = before && before->nmover == r->nmover;

	for (size_t i = 0; same && i < r->nmover; i++) {
		const struct tt_mover *a = &before->mover[i], *b = &r->mover[i];

		same = strcmp(a->name, b->name) == 0 && a->per_frame == b->per_frame && a->base == b->base && a->now == b->now &&
		    a->base_count == b->base_count && a->now_count == b->now_count;
	}
	if (r->nmover && !same)
		*last = r;
	return same && r->nmover ? before : NULL;
}

static void
put_amount(struct tt_buf *out, const char *before, int64_t v, enum tt_dim dim)
{
	char text[64];

	*tt_put_amount(text, v, dim) = '\0';
	tt_buf_printf(out, "%s%s", before, text);
}

void
tt_verdict_mover_change(struct tt_buf *out, const struct tt_mover *m)
{
	enum tt_dim dim = m->about == TT_ABOUT_ALLOC ? TT_DIM_BYTES : TT_DIM_TIME;
	const char *count = m->about == TT_ABOUT_ALLOC ? "; allocations " : "; calls ";
	char change[64];

	*tt_put_change(change, m->change, dim) = '\0';
	tt_buf_printf(out, "%s%s (", change, m->per_frame ? " per frame" : "");
	if (m->gone)
		tt_buf_text(out, "gone");
	else
		put_amount(out, "", m->now, dim);
	if (m->fresh)
		tt_buf_text(out, ", new");
	else
		put_amount(out, ", was ", m->base, dim);
	if (!m->gone)
		put_amount(out, count, m->now_count, TT_DIM_NUMBER);
	if (!m->gone && !m->fresh)
		put_amount(out, ", was ", m->base_count, TT_DIM_NUMBER);
	tt_buf_text(out, ")");
}

/* Append the mover's name and its change. */
static void
mover(struct tt_buf *out, const struct tt_mover *m)
{
	tt_buf_printf(out, "%s ", m->name);
	tt_verdict_mover_change(out, m);
}

void
tt_verdict_finding(struct tt_buf *out, const struct tt_verdict_row *r, bool more)
{
	tt_buf_printf(out, "%s: %s", r->title, r->text);
	if (more && r->hint)
		tt_buf_printf(out, "\n%s", r->hint);
	for (size_t i = 0; i < r->nmover && more; i++) {
		tt_buf_text(out, "\n");
		mover(out, &r->mover[i]);
	}
}

/* --- the text for people --------------------------------------------------------------------- */

/* The length of a colour sequence at ${s}, "ESC [ digits m"; 0 if there is none. */
static size_t
color_len(const char *s, size_t n)
{
	size_t i = 2;

	if (n < 3 || s[0] != '\033' || s[1] != '[')
		return 0;
	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i < n && s[i] == 'm' ? i + 1 : 0;
}

/* The replacement of the character of ${len} bytes at ${s}; NULL: print it unchanged. */
static const char *
printable(const char *s, size_t len)
{
	uint32_t c = len ? tt_utf8_code(s, len) : 0;

	if (len == 0)
		return "\xef\xbf\xbd";
	return c != '\n' && tt_utf8_control(c) ? "?" : NULL;
}

/*
 * True if a CI system that looks for "::" at the start of a line ignores this character before it. GitHub's runner trims .NET white space, and its linguistic
 * comparison ignores zero-width characters.
 */
static bool
is_blank(uint32_t c)
{
	static const struct { uint32_t first, last; } blank[] = {
		{ 0x09, 0x0d }, { 0x1c, 0x20 }, { 0x85, 0x85 }, { 0xa0, 0xa0 }, { 0xad, 0xad }, { 0x1680, 0x1680 }, { 0x180e, 0x180e },
		{ 0x2000, 0x200f }, { 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 }, { 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < sizeof blank / sizeof *blank; i++)
		if (c >= blank[i].first && c <= blank[i].last)
			return true;
	return false;
}

/*
 * Messages begin with: GitHub "::" at the beginning of a line, also after blanks, and "##[" anywhere; Azure "##vso[" anywhere; TeamCity "##teamcity[" anywhere.
 */
int
tt_verdict_defuse(bool for_ci, bool color, struct tt_buf *text, struct tt_err *err)
{
	bool start = true;
	struct tt_buf out = { .failed = text->failed };

	for (size_t i = 0, len; i < text->n; i += len ? len : 1) {
		const char *p = text->p + i, *instead = NULL;
		bool two = for_ci && i + 1 < text->n && p[1] == p[0] && (*p == '#' || (*p == ':' && start));

		len = color ? color_len(p, text->n - i) : 0;
		if (len == 0) {
			len = tt_utf8_len(p, text->n - i);
			instead = printable(p, len);
			start = *p == '\n' || (start && !instead && is_blank(tt_utf8_code(p, len)));
		}
		if (instead)
			tt_buf_text(&out, instead);
		else
			tt_buf_add(&out, p, len);
		if (two)
			tt_buf_text(&out, "\xe2\x80\x8b");
	}
	tt_buf_free(text);
	*text = out;
	return tt_buf_error(text, err);
}

/* --- lines of a width ------------------------------------------------------------------------ */

/* The number of bytes of the word at ${p}, at most ${n}; *${columns}: its width. */
static size_t
word_at(const char *p, size_t n, size_t *columns)
{
	size_t i = 0, len;

	*columns = 0;
	while (i < n && p[i] != ' ') {
		len = color_len(p + i, n - i);
		if (len == 0)
			*columns += ((unsigned char)p[i] & 0xC0) != 0x80;
		i += len ? len : 1;
	}
	return i;
}

/* The column at which continuation lines begin. */
static size_t
indent_of(size_t blanks, size_t width)
{
	const size_t indent = blanks + 2;

	return indent < width / 2 ? indent : width / 2;
}

static void
wrap_line(const char *p, size_t n, size_t width, struct tt_buf *out)
{
	static const char command[] = "tracetool ";
	size_t blanks = 0, at, columns;
	bool first = true;

	while (blanks < n && p[blanks] == ' ')
		blanks++;
	if (n - blanks > sizeof command && memcmp(p + blanks, command, sizeof command - 1) == 0)
		blanks = n;
	tt_buf_add(out, p, blanks);
	at = blanks;
	for (size_t i = blanks, gap = 0; i < n; first = false) {
		size_t len = word_at(p + i, n - i, &columns);

		if (!first && at + gap + columns > width) {
			tt_buf_text(out, "\n");
			gap = indent_of(blanks, width);
			at = 0;
		}
		tt_buf_printf(out, "%*s", (int)gap, "");
		tt_buf_add(out, p + i, len);
		at += gap + columns;
		i += len;
		for (gap = 0; i < n && p[i] == ' '; gap++)
			i++;
	}
}

int
tt_verdict_wrap(size_t width, struct tt_buf *text, struct tt_err *err)
{
	struct tt_buf out = { .failed = text->failed };

	for (size_t i = 0, n; i < text->n && width; i += n + 1) {
		const char *end = memchr(text->p + i, '\n', text->n - i);

		n = end ? (size_t)(end - text->p) - i : text->n - i;
		wrap_line(text->p + i, n, width, &out);
		if (end)
			tt_buf_text(&out, "\n");
	}
	if (width) {
		tt_buf_free(text);
		*text = out;
	}
	return tt_buf_error(text, err);
}
