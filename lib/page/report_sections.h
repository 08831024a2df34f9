/**
 * The sections of the report page, and what they write it with. Private to report_*.c, which make one page:
 *
 *	report_page.c      the order of the sections, where time and memory went, the data for scripts
 *	report_verdict.c   the verdict in words
 *	report_frames.c    causes, losses, frame times, the worst frames
 */
#ifndef TT_PAGE_REPORT_SECTIONS_H
#define TT_PAGE_REPORT_SECTIONS_H

#include "base/buf.h"
#include "out/html.h"
#include "page/report_page.h"

/* Maximum number of rows of a table on the first screen. */
enum { TT_PAGE_FIRST_ROWS = 10 };

/* The sections of the page, for the links at its beginning. */
struct tt_page_contents {
	size_t at;                    /* position of the links in the output */
	size_t n;
	struct { const char *id, *link; } of[16];
};

struct tt_page {
	struct tt_page_contents *contents;
	struct tt_report *r;
	struct tt_views *view;
	struct tt_err *err;
	const struct tt_frames *f;    /* the frames; NULL: none */
	const struct tt_values *times;        /* times of the frames, sorted */
	const struct tt_page_opts *o;
	struct tt_buf *out;
};

static inline void
tt_page_put(const struct tt_page *p, const char *html)
{
	tt_buf_text(p->out, html);
}

static inline const struct tt_table *
tt_page_table(const struct tt_page *p, const char *id)
{
	return tt_html_find(p->r, id);
}

/* True if some cell of the table has a value; a row of facts that were not recorded is empty. */
bool tt_page_has_rows(const struct tt_table *t);

/* tt_page_has_class: true if the row of ${t} names a class. tt_page_has_classes: true if any row does. */
bool tt_page_has_class(const struct tt_table *t, size_t row);
bool tt_page_has_classes(const struct tt_table *t);

/* The file name of input ${i}, without its folder; if another input has the same name, its path as the table of inputs shows it. */
const char *tt_page_file_of(const struct tt_page *p, size_t i);

/* Begin a section; ${link} is its text in the navigation. */
void tt_page_heading(const struct tt_page *p, const char *id, const char *title, const char *link);

/* Write a link to all rows of ${t}, if the first rows are not all. */
void tt_page_all_rows(const struct tt_page *p, const struct tt_table *t);

/* report_verdict.c: whether the game is fast, what is missing, and what took most. */
void tt_page_verdict(const struct tt_page *p);

/* report_frames.c: why frames are long; losses and caveats; the chart and the times of frames; the worst frames. Each writes nothing if it has no data. */
void tt_page_causes(const struct tt_page *p);
void tt_page_losses(const struct tt_page *p);
void tt_page_frame_times(const struct tt_page *p);
void tt_page_worst_frames(const struct tt_page *p);

#endif
