/**
 * Prints the table at the start of a verdict: widths depend on the cells; names get a line of their own if they leave too little room.
 */
#include "verdict/verdict_table.h"

#include <stdio.h>
#include <string.h>

#include "gate/budget.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

enum { USUAL_COLUMNS = 80, MIN_NAME_COLUMNS = 8 };

struct tt_verdict_word
tt_verdict_word(const struct tt_verdict_row *r)
{
	switch (r->outcome) {
	case TT_PASS:
	case TT_NOT_WORSE:
		return (struct tt_verdict_word){ "ok", GREEN };
	case TT_BREACH:
	case TT_WORSE:
		return r->fails ? (struct tt_verdict_word){ "FAIL", RED } : (struct tt_verdict_word){ "warn", YELLOW };
	case TT_UNDECIDED:
		return (struct tt_verdict_word){ "undecided", YELLOW };
	case TT_CANNOT_JUDGE:
		return (struct tt_verdict_word){ "cannot", YELLOW };
	case TT_GONE:
		return r->fails ? (struct tt_verdict_word){ "FAIL", RED } : (struct tt_verdict_word){ "gone", YELLOW };
	case TT_WAIVED:
		return (struct tt_verdict_word){ "waived", YELLOW };
	case TT_ACCEPTED:
		return (struct tt_verdict_word){ "accepted", YELLOW };
	default:
		return (struct tt_verdict_word){ "skipped", "" };
	}
}

size_t
tt_verdict_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

/* --- cells ------------------------------------------------------------------------------------ */

/* Write a change: in percent of the baseline if that is not 0, else as an amount. */
static void
put_share(const struct tt_verdict_row *r, int64_t v, int64_t ppm, char *p)
{
	*(r->base == 0 ? tt_put_change(p, v, r->dim) : tt_put_ppm(p, ppm)) = '\0';
}

/* Write the tested change and half the width of its interval; "~" if the interval includes no change; for a gradual rise, the rise. */
static void
put_shift(const struct tt_verdict_row *r, char *p, size_t size)
{
	int64_t half_ppm = r->high_ppm / 2 - r->low_ppm / 2, half = r->high / 2 - r->low / 2;
	char shift[64], width[64] = "+\xe2\x88\x9e";

	if (r->crept_alone) {
		put_share(r, r->trend, r->trend_ppm, shift);
		snprintf(p, size, "%s crept", shift);
		return;
	}
	if ((r->has_low && r->has_high && r->low <= 0 && r->high >= 0 && r->would != TT_WORSE) || (r->shift == 0 && r->would == TT_NOT_WORSE)) {
		snprintf(p, size, "~");
		return;
	}
	/* With too few captures there are no bounds, and the change by pairs may contradict the two figures beside it. */
	if (!(r->has_low && r->has_high) && r->has_value && r->has_base && r->base > 0)
		*tt_put_ppm(shift, tt_scale(r->value - r->base, 1000000, r->base)) = '\0';
	else
		put_share(r, r->shift, r->shift_ppm, shift);
	if (r->has_low && r->has_high)
		put_share(r, half, half_ppm, width);
	/* The width always has the sign "+", which "±" replaces. */
	snprintf(p, size, "%s \xc2\xb1%s", shift, width + 1);
}

static void
put_limit(const struct tt_verdict_row *r, char *p, size_t size)
{
	char limit[64];

	if (r->row->exact) {
		snprintf(p, size, "as before");
		return;
	}
	if (!r->has_limit)
		return;
	*tt_put_amount(limit, r->limit, r->dim) = '\0';
	snprintf(p, size, "%s %s", r->limit_is_min ? "\xe2\x89\xa5" : "\xe2\x89\xa4", limit);
}

static void
put_p(const struct tt_verdict_row *r, char *s, size_t size)
{
	const double p = r->crept_alone ? r->trend_p_adjusted : r->p_adjusted;

	if (p <= 0)
		return;               /* figures without any scatter have no probability */
	if (p < 0.0001)
		snprintf(s, size, "<0.0001");
	else
		snprintf(s, size, "%.4f", p);
}

void
tt_verdict_cells(const struct tt_verdict_row *r, struct tt_verdict_cells *c)
{
	*c = (struct tt_verdict_cells){ "-", "-", "-", "-" };
	if (r->has_base)
		*tt_put_amount(c->base, r->base, r->dim) = '\0';
	if (r->has_value)
		*tt_put_amount(c->value, r->value, r->dim) = '\0';
	if (r->row->relative && r->tested) {
		put_shift(r, c->change, sizeof c->change);
		if (r->would == TT_WORSE || r->would == TT_UNDECIDED)
			put_p(r, c->p, sizeof c->p);
	} else if (!r->row->relative) {
		put_limit(r, c->change, sizeof c->change);
	}
}

/* --- table ------------------------------------------------------------------------------------ */

enum { OLD, NEW, CHANGE, P, FIGURES };

struct layout {
	size_t width[FIGURES];        /* 0: no row has this figure, and the column is left out */
	size_t name;
	const char *head[FIGURES];
};

static const char *
cell_of(const struct tt_verdict_cells *c, int i)
{
	return (const char *[]){ c->base, c->value, c->change, c->p }[i];
}

/* Append ${s} padded to ${width} columns; ${right}: aligned to the right, as for numbers. */
static void
put_padded(struct tt_buf *out, const char *s, size_t width, bool right)
{
	const size_t n = tt_verdict_columns(s);
	const int pad = n < width ? (int)(width - n) : 0;

	tt_buf_printf(out, "%*s%s%*s", right ? pad : 0, "", s, right ? 0 : pad, "");
}

static size_t
figures_width(const struct layout *l)
{
	size_t width = 0;

	for (int i = 0; i < FIGURES; i++)
		width += l->width[i] ? l->width[i] + 2 : 0;
	return width;
}

/* Compute the widths of columns: figures as wide as the widest one, names the rest of the line. */
static struct layout
layout_of(const struct tt_verdict *v, size_t max_columns)
{
	struct layout l = { .name = strlen("row"), .head = { "old", "new", "change or limit", "p" } };
	size_t widest = 0, last = strlen("verdict"), used;
	struct tt_verdict_cells c;

	if (!v->base && !v->ab) {
		l.head[NEW] = "value";
		l.head[CHANGE] = "limit";
	}
	for (size_t k = 0; k < v->nrow; k++) {
		size_t word = tt_verdict_columns(tt_verdict_word(&v->row[k]).text), name = tt_verdict_columns(v->row[k].name);

		tt_verdict_cells(&v->row[k], &c);
		last = word > last ? word : last;
		widest = name > widest ? name : widest;
		for (int i = 0; i < FIGURES; i++) {
			size_t n = tt_verdict_columns(cell_of(&c, i));

			if (strcmp(cell_of(&c, i), "-") != 0 && n > l.width[i])
				l.width[i] = n;
		}
	}
	for (int i = 0; i < FIGURES; i++)
		if (l.width[i] && l.width[i] < strlen(l.head[i]))
			l.width[i] = strlen(l.head[i]);
	used = 2 + figures_width(&l) + 2 + last;
	l.name = used + widest <= max_columns ? widest : used + MIN_NAME_COLUMNS < max_columns ? max_columns - used : MIN_NAME_COLUMNS;
	if (l.name < strlen("row"))
		l.name = strlen("row");
	return l;
}

static void
put_row(const struct tt_verdict_row *r, const struct layout *l, bool color, struct tt_buf *out)
{
	const struct tt_verdict_word w = tt_verdict_word(r);
	struct tt_verdict_cells c;

	tt_verdict_cells(r, &c);
	tt_buf_text(out, "  ");
	put_padded(out, r->name, l->name, false);
	if (tt_verdict_columns(r->name) > l->name)
		tt_buf_printf(out, "\n  %*s", (int)l->name, "");
	for (int i = 0; i < FIGURES; i++) {
		if (!l->width[i])
			continue;
		tt_buf_text(out, "  ");
		put_padded(out, cell_of(&c, i), l->width[i], i != CHANGE);
	}
	tt_buf_printf(out, "  %s%s%s\n", color ? w.color : "", w.text, color && *w.color ? PLAIN : "");
}

void
tt_verdict_table(const struct tt_verdict *v, bool color, size_t width, struct tt_buf *out)
{
	const struct layout l = layout_of(v, width ? width : USUAL_COLUMNS);

	tt_buf_text(out, "  ");
	put_padded(out, "row", l.name, false);
	for (int i = 0; i < FIGURES; i++) {
		if (!l.width[i])
			continue;
		tt_buf_text(out, "  ");
		put_padded(out, l.head[i], l.width[i], i != CHANGE);
	}
	tt_buf_text(out, "  verdict\n");
	/* Failing rows come first, because readers of a long log look for them. */
	for (int failing = 1; failing >= 0; failing--)
		for (size_t i = 0; i < v->nrow; i++)
			if (v->row[i].fails == failing)
				put_row(&v->row[i], &l, color, out);
}
