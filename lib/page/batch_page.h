/**
 * The page of a batch: what thousands of captures show, as one HTML file (tracetool-batch(1), The page).
 *
 * It is made of the tables of a batch. Order: verdict in words, what failed and why, caveats, a row for each capture (those that failed first, then the
 * slowest, outliers marked) with its frame times as a picture and a link to its own page, figures by group and by day, frame times of all. The page is
 * bounded, and says what is left out.
 */
#ifndef TT_PAGE_BATCH_PAGE_H
#define TT_PAGE_BATCH_PAGE_H

#include <stddef.h>
#include <stdint.h>

struct tt_buf;
struct tt_err;
struct tt_report;

struct tt_batch_page {
	const char *generator;        /* "tracetool VERSION" */
	/*
	 * The folder with the page of the capture ${file}, relative to this page and ending with a slash; NULL: this capture has no page. The function itself
	 * is NULL if no capture has one.
	 */
	const char *(*folder)(const void *arg, const char *file);
	const void *arg;
	uint64_t max_size;            /* maximum size in bytes; 0: unlimited */
};

int tt_batch_page_write(const struct tt_report *r, const struct tt_batch_page *o, struct tt_buf *out, struct tt_err *err);

#endif
