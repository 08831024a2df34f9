/**
 * The report page: what one run over captures shows, as one HTML file (tracetool-report(1)).
 *
 * It is made of the tables of a report, which passes filled, of the times of frames in the model, for the chart, and of all that some of the
 * frames did (details.h). Nothing is computed here that a table has, and no format is known.
 *
 * Order: verdict in words, causes in words, losses and caveats, frames with their chart, the worst frames and what they did, where time and memory
 * went, where the page comes from, what its words mean. Then each table whole, as far as the page may grow: rows are left out of all tables alike,
 * and where they are, the page names the command that prints them. The times of single frames are data for page.js, which shows a range of them
 * alone, with the sums of what happens in them (ranges.h).
 *
 * Memory: the page itself, which the caller writes, beside what the report and the model hold.
 */
#ifndef TT_PAGE_REPORT_PAGE_H
#define TT_PAGE_REPORT_PAGE_H

#include "out/table.h"

struct tt_details;
struct tt_frames;
struct tt_values;
struct tt_views;

/* The rows of a table, and the columns of the chart of frames, that a page shows at the most. */
#define TT_PAGE_ROWS 1000
#define TT_PAGE_COLUMNS 1200

/* A word that a page has always, or where captures have such a fact, or where frames are capped. */
struct tt_page_word { const char *name, *text; enum { TT_PAGE_ALWAYS, TT_PAGE_FACT, TT_PAGE_CAPPED } where; };

struct tt_page_opts {
	const char *name;             /* of what it shows: a file, or how many */
	const char *arguments;        /* of a command that looks at the same, captures among them, quoted for a shell */
	const char *range;            /* a command that makes such a page of some frames, up to where their numbers belong */
	const char *stats;            /* one that prints the tables of some, in the same way */
	const char *tree, *samples;   /* one that prints the call tree of a marker, and one for the stacks of samples that end in it */
	const char *frame_markers;    /* one that prints what a marker does in each frame */
	const struct tt_details *details;     /* of the same run; NULL: the page has no views for scripts but of its tables and chart */
	const char *generator;        /* "tracetool VERSION" */
	const struct tt_page_word *words;     /* that the page explains, ended by one without a name; NULL: none */
	uint64_t max_size;            /* bytes; 0: any number */
	struct tt_views *beside;      /* of the same model, for a second thread, which makes data for scripts; NULL: there is none */
};

/* Tables and rows that did not fit. */
struct tt_page_cut {
	size_t tables;                /* tables cut ... */
	size_t rows;                  /* ... rows each was cut to */
};

/* Write the page of ${r}, which was made of ${view} and keeps texts, at the end of ${out}; its tables have at most TT_PAGE_ROWS rows. */
int tt_page_write(struct tt_report *r, struct tt_views *view, const struct tt_page_opts *o, struct tt_page_cut *cut,
    struct tt_buf *out, struct tt_err *err);

/*
 * One picture, a file of SVG that stands alone and has no scripts, in the place of a page: the chart of frames, or the call tree as a flame
 * graph. TT_E_USAGE where there are none.
 */
enum tt_picture { TT_PICTURE_NONE, TT_PICTURE_FRAMES, TT_PICTURE_FLAME };
const char *tt_picture_name(size_t i);        /* "frames" (0), ...; NULL after the last */
int tt_page_picture(enum tt_picture what, const struct tt_report *r, struct tt_views *view, const char *name, struct tt_buf *out, struct tt_err *err);

/* True if frames are capped, by the table frame_budgets, or NULL: then it has their uncapped time. */
bool tt_page_capped(const struct tt_table *budgets);

/*
 * The chart of frame times of one process: frames ${from} to ${end} - 1 of those whose times are ${all}; marks are over the hitches that the
 * tables of ${r} have (page_hitches.h). ${all} alone sets the scale, so charts of several
 * processes have the same one. Private to lib/page.
 */
void tt_page_strip(const struct tt_frames *f, size_t from, size_t end, const struct tt_values *all, const struct tt_report *r,
    struct tt_buf *out);

/* The chart alone, part of a picture from ${y} on, TT_STRIP_HIGH units high. */
#define TT_STRIP_HIGH 196
void tt_page_strip_picture(const struct tt_frames *f, size_t from, size_t end, const struct tt_values *all, const struct tt_report *r,
    unsigned y, struct tt_buf *out);

/*
 * Shared by the axes of charts: the least of 1, 2 and 5 times a power of ten that is not in ${all} more than ${most} times; "20 ms", a round time; and round
 * numbers of the frames ${from} to ${from} + ${n} - 1, at the height ${y}, below their columns, where all have one of their own.
 */
uint64_t tt_page_step(uint64_t all, unsigned most);
void tt_page_round_time(struct tt_buf *out, uint64_t ns);
void tt_page_frame_numbers(const struct tt_frames *f, size_t from, size_t n, unsigned y, struct tt_buf *out);

/*
 * The same frames' times for page.js, as an element of data, uncapped times as well if they are ${capped}; ${command} before the range prints its page.
 * Nothing where they need more than ${most} bytes, 0: any number: then false.
 */
bool tt_page_times(const struct tt_frames *f, size_t from, size_t end, bool capped, const char *command, uint64_t most, struct tt_buf *out);

#endif
