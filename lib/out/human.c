/**
 * Prints numbers for people and for machines.
 */
#include <string.h>

#include "out/render.h"

/* Copy ${s} without its NUL. */
static char *
put(char *p, const char *s)
{
	size_t n = strlen(s);

	memcpy(p, s, n);
	return p + n;
}

char *
tt_put_count(char *p, int64_t n)
{
	char digits[24], *end = tt_put_i64(digits, n), *d = digits;

	if (*d == '-')
		*p++ = *d++;
	for (; d < end; d++) {
		*p++ = *d;
		if (end - d > 1 && (end - d) % 3 == 1)
			*p++ = ',';
	}
	return p;
}

static const int64_t pow10_of[] = { 1, 10, 100, 1000 };

/* Return ${v} / ${unit}, rounded to the nearest, halves away from zero. */
static int64_t
round_div(int64_t v, int64_t unit)
{
	int64_t half = unit / 2, rest = v % unit;

	return v / unit + (rest >= unit - half) - (rest <= half - unit);
}

/* Print ${v} with thousands separators and a point before its last ${digits} digits. */
static char *
put_point(char *p, int64_t v, unsigned digits)
{
	char text[24], *end = tt_put_fixed(text, v, digits), *point = memchr(text, '.', (size_t)(end - text));
	int64_t whole = v;

	for (unsigned i = 0; i < digits; i++)
		whole /= 10;
	if (v < 0 && whole == 0)
		*p++ = '-';
	p = tt_put_count(p, whole);
	if (!point)
		return p;
	memcpy(p, point, (size_t)(end - point));
	return p + (end - point);
}

/* True if ${v} is nearer to zero than ${limit}. */
static bool
below(int64_t v, int64_t limit)
{
	return v > -limit && v < limit;
}

char *
tt_put_time(char *p, int64_t ns)
{
	if (below(ns, 1000))
		return put(tt_put_count(p, ns), " ns");
	if (below(ns, 1000000))
		return put(put_point(p, ns, 3), " µs");
	if (below(ns, 10000000000))
		return put(put_point(p, round_div(ns, 1000), 3), " ms");
	return put(put_point(p, round_div(ns, 1000000), 3), " s");
}

/* Print ${v} / ${unit} with four significant digits, as far as integers allow; ${v} >= ${unit}, ${unit} a power of ten. */
static char *
put_four(char *p, int64_t v, int64_t unit)
{
	unsigned digits = 3;

	while (digits > 0 && !below(round_div(v, unit / pow10_of[digits]), 10000))
		digits--;
	return put_point(p, round_div(v, unit / pow10_of[digits]), digits);
}

char *
tt_put_time_short(char *p, int64_t ns)
{
	static const struct { int64_t unit; const char *name; } in[] = { { 1000000000, " s" }, { 1000000, " ms" }, { 1000, " µs" } };

	for (size_t i = 0; i < sizeof in / sizeof in[0]; i++) {
		/* A value that would round to 1,000 of the smaller unit is shown as 1 of this unit. */
		if (!below(ns, in[i].unit - in[i].unit / 20000))
			return put(put_four(p, ns, in[i].unit), in[i].name);
	}
	return put(tt_put_count(p, ns), " ns");
}

char *
tt_put_bytes(char *p, int64_t b)
{
	static const char unit[][4] = { " KB", " MB", " GB", " TB", " PB" };
	int64_t scale = 1024;
	unsigned u = 0;

	if (below(b, 10000))
		return put(tt_put_count(p, b), " B");
	while (u < 4 && !below(b / scale, 1000)) {
		scale *= 1024;
		u++;
	}
	/* Compute whole part and tenths separately, so that ten times the value cannot overflow. */
	return put(put_point(p, b / scale * 10 + round_div(b % scale * 10, scale), 1), unit[u]);
}

char *
tt_cell_machine(char *p, enum tt_unit unit, const struct tt_cell *cell)
{
	switch (unit) {
	case TT_UNIT_VALUE:
		return cell->s ? put(p, cell->s) : tt_cell_machine(p, cell->unit, cell);
	case TT_UNIT_PERCENT:
		return tt_put_fixed(p, cell->v, 2);
	case TT_UNIT_MILLI:
		return tt_put_fixed(p, cell->v, 3);
	case TT_UNIT_HEX:
		return tt_put_hex(p, (uint64_t)cell->v);
	case TT_UNIT_BOOL:
		return put(p, cell->v ? "true" : "false");
	case TT_UNIT_COUNT:
	case TT_UNIT_NS:
	case TT_UNIT_BYTES:
	case TT_UNIT_TEXT:
	case TT_UNIT_PROSE:
	case TT_UNIT_COMMAND:
		break;
	}
	return tt_put_i64(p, cell->v);
}

char *
tt_cell_human(char *p, enum tt_unit unit, const struct tt_cell *cell)
{
	if (cell->empty)
		return put(p, "-");
	switch (unit) {
	case TT_UNIT_VALUE:
		if (!cell->s || cell->rounded)
			return tt_cell_fact(p, cell->unit, cell);
		p = put(p, cell->s);
		return put(p, cell->unit == TT_UNIT_BYTES ? " B" : cell->unit == TT_UNIT_NS ? " ns" :
		    cell->unit == TT_UNIT_PERCENT ? " %" : "");
	case TT_UNIT_NS:
		return tt_put_time_short(p, cell->v);
	case TT_UNIT_BYTES:
		return tt_put_bytes(p, cell->v);
	case TT_UNIT_PERCENT:
		return put_point(p, cell->v, 2);
	case TT_UNIT_MILLI:
		return put_point(p, round_div(cell->v, 10), 2);
	case TT_UNIT_HEX:
		return tt_put_hex(p, (uint64_t)cell->v);
	case TT_UNIT_BOOL:
		return put(p, cell->v ? "yes" : "no");
	case TT_UNIT_COUNT:
	case TT_UNIT_TEXT:
	case TT_UNIT_PROSE:
	case TT_UNIT_COMMAND:
		break;
	}
	return tt_put_count(p, cell->v);
}

char *
tt_cell_fact(char *p, enum tt_unit unit, const struct tt_cell *cell)
{
	if (unit == TT_UNIT_NS && !cell->empty)
		return tt_put_time(p, cell->v);
	p = tt_cell_human(p, unit, cell);
	return unit == TT_UNIT_PERCENT && !cell->empty ? put(p, " %") : p;
}

const char *
tt_column_suffix(enum tt_unit unit)
{
	return unit == TT_UNIT_PERCENT ? " %" : "";
}

const char *
tt_text_time(struct tt_report *r, int64_t ns)
{
	char t[32];

	*tt_put_time_short(t, ns) = '\0';
	return tt_text(r, "%s", t);
}

const char *
tt_text_bytes(struct tt_report *r, uint64_t bytes)
{
	char t[32];

	*tt_put_bytes(t, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX) = '\0';
	return tt_text(r, "%s", t);
}

const char *
tt_text_count(struct tt_report *r, uint64_t n)
{
	char t[32];

	*tt_put_count(t, n < INT64_MAX ? (int64_t)n : INT64_MAX) = '\0';
	return tt_text(r, "%s", t);
}
