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

/* Rows of a table on the first screen. */
enum { TT_PAGE_FIRST_ROWS = 10 };

/* Sections of the page, which it begins with links to. */
struct tt_page_contents {
	size_t at;                    /* where the links belong */
	size_t n;
	struct { const char *id, *link; } of[16];
};

struct tt_page {
	struct tt_page_contents *contents;
	struct tt_report *r;
	struct tt_views *view;
	struct tt_err *err;
	const struct tt_frames *f;    /* NULL: none */
	const struct tt_values *times;        /* of them, in order */
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

/* True if the row says anything; a row of facts that were not recorded is empty. */
bool tt_page_has_rows(const struct tt_table *t);

/* True if the row of ${t} names a class; if any does. */
bool tt_page_has_class(const struct tt_table *t, size_t row);
bool tt_page_has_classes(const struct tt_table *t);

/* The file of input ${i}, without its folder; where another input has this name, too, the path, as the table of inputs may show it. */
const char *tt_page_file_of(const struct tt_page *p, size_t i);

/* Begin a section, which ${link} leads to. */
void tt_page_heading(const struct tt_page *p, const char *id, const char *title, const char *link);

/* Link to all rows of ${t}, if those in front are not all. */
void tt_page_all_rows(const struct tt_page *p, const struct tt_table *t);

/* report_verdict.c: whether the game is fast, what is missing, and the first rows of what took most. */
void tt_page_verdict(const struct tt_page *p);

/* report_frames.c: why frames are long; losses and caveats; the chart and the times of frames; the worst of them. Nothing where there are none. */
void tt_page_causes(const struct tt_page *p);
void tt_page_losses(const struct tt_page *p);
void tt_page_frame_times(const struct tt_page *p);
void tt_page_worst_frames(const struct tt_page *p);

#endif
