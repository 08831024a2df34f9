/**
 * The comparison page: what two groups of captures differ in, as one HTML file (tracetool-diff(1), The page).
 *
 * It is made of the tables of a comparison alone, all of them, and computes nothing but sums of their rows: pictures are drawn of the numbers
 * that the tables have. Order: verdict in words, losses, what the difference is made of, frames, markers, the longest frames, new and gone,
 * allocations, the call tree of both sides, where it comes from; then each table whole, as far as the page may grow.
 */
#ifndef TT_PAGE_COMPARE_PAGE_H
#define TT_PAGE_COMPARE_PAGE_H

#include <stddef.h>
#include <stdint.h>

struct tt_buf;
struct tt_err;
struct tt_report;

struct tt_compare_opts {
	const char *name;             /* "before.ttc against after.ttc" */
	const char *rows;             /* the command that prints all rows of a table, whose name is appended */
	const char *json;             /* the command that prints all numbers for machines */
	const char *report;           /* the command that makes the page of a frame; its number and the capture are appended */
	void (*quote)(struct tt_buf *to, const char *s);      /* append ${s}, quoted for a shell */
	const char *generator;        /* "tracetool VERSION" */
	uint64_t max_size;            /* maximum size in bytes; 0: unlimited */
};

/* Append the page of ${r} to ${out}; *${cut}: maximum number of rows that its tables were cut to, 0: none was cut. */
int tt_compare_page(const struct tt_report *r, const struct tt_compare_opts *o, size_t *cut, struct tt_buf *out, struct tt_err *err);

/* Write the flame graph of both sides as a standalone picture. TT_E_USAGE: there are no calls. */
int tt_compare_picture(const struct tt_report *r, const char *name, struct tt_buf *out, struct tt_err *err);

/* --- private: pictures, in compare_pictures.c and compare_flame.c; nothing where their tables have no rows --- */

/* Draw bars that lead from the mean of A to that of B, by marker. */
void tt_compare_steps(const struct tt_report *r, struct tt_buf *out);
/* Draw the frames of both sides by their times, and the mean of each capture. */
void tt_compare_spread(const struct tt_report *r, struct tt_buf *out);
void tt_compare_captures(const struct tt_report *r, struct tt_buf *out);
/* Draw at most ${most} boxes of the flame graph at height ${y}. Return their number; *${high}: the height used, if ${high} is not NULL. */
size_t tt_compare_flame(const struct tt_report *r, size_t most, unsigned y, unsigned *high, struct tt_buf *out);

#endif
