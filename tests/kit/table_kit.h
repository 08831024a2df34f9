/* A table of four columns, for tests of lib/out: rows, and how they look in a form. */
#ifndef TT_KIT_TABLE_KIT_H
#define TT_KIT_TABLE_KIT_H

#include "check.h"

#include "out/glyph.h"
#include "out/table.h"

static struct tt_mem mem;
static struct tt_err err;

static const struct tt_col cols[] = {
	{ "marker", "marker", TT_UNIT_TEXT, "name" },
	{ "count", "count", TT_UNIT_COUNT, "calls" },
	{ "self_ns", "self", TT_UNIT_NS, "self time" },
	{ "share", "share", TT_UNIT_PERCENT, "of all" },
};
#define NCOL (sizeof cols / sizeof *cols)

static inline struct tt_table *
table(struct tt_report *r, const char *id)
{
	return tt_report_table(r, id, "Markers", cols, NCOL);
}

static inline void
row(struct tt_table *t, const char *name, int64_t n, int64_t ns, int64_t share)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_text(&c[0], name);
	tt_cell_int(&c[1], n);
	tt_cell_int(&c[2], ns);
	if (share >= 0)
		tt_cell_int(&c[3], share);
}

/* Render and compare; frees the report. */
static inline void
expect(struct tt_report *r, struct tt_render_opts o, const char *want)
{
	struct tt_buf b = { 0 };

	CHECK_EQ_INT(tt_render(r, &o, &b, &err), TT_OK);
	tt_buf_add(&b, "", 1);
	CHECK_STR(b.p, want);
	tt_buf_free(&b);
	tt_report_free(r);
	CHECK_EQ_INT(mem.used, 0);
}

#endif
