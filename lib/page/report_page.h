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

/* Maximum number of rows of a table, and of columns of the chart of frames. */
#define TT_PAGE_ROWS 1000
#define TT_PAGE_COLUMNS 1200

/* A word that the page explains: always, if captures have such a fact, or if frames are capped. */
struct tt_page_word { const char *name, *text; enum { TT_PAGE_ALWAYS, TT_PAGE_FACT, TT_PAGE_CAPPED } condition; };

struct tt_page_opts {
	const char *name;             /* what the page shows: a file name, or the number of files */
	const char *arguments;        /* command-line arguments that select the same, captures included, quoted for a shell */
	const char *range_command;    /* the command that makes such a page of some frames; their numbers are appended */
	const char *stats_command;    /* the command that prints the tables of some frames; their numbers are appended */
	const char *tree_command, *samples_command; /* commands that print the call tree of a marker, and the sampled stacks that end in it */
	const char *frame_markers_command; /* the command that prints what a marker does in each frame */
	const struct tt_details *details;     /* details of the same run; NULL: the page's scripts have only its tables and chart */
	const char *generator;        /* "tracetool VERSION" */
	const struct tt_page_word *words;     /* words that the page explains, ended by one without a name; NULL: none */
	uint64_t max_size;            /* maximum size in bytes; 0: unlimited */
	struct tt_views *second_view; /* a second view of the same model, for a thread that makes data for scripts; NULL: no such thread */
};

/* How tables were cut to fit. */
struct tt_page_cut {
	size_t ntables;               /* number of tables cut */
	size_t max_rows;              /* maximum number of rows of a table */
};

/* Append the page of ${r}, which was made from ${view} and owns texts, to ${out}; its tables have at most TT_PAGE_ROWS rows. */
int tt_page_write(struct tt_report *r, struct tt_views *view, const struct tt_page_opts *o, struct tt_page_cut *cut,
    struct tt_buf *out, struct tt_err *err);

/*
 * Write a single standalone SVG picture without scripts, instead of a page: the chart of frames, or the call tree as a flame graph. TT_E_USAGE if there are no
 * frames or calls.
 */
enum tt_picture { TT_PICTURE_NONE, TT_PICTURE_FRAMES, TT_PICTURE_FLAME };
const char *tt_picture_name(size_t i);        /* the name of the picture ${i}: "frames" (0), ...; NULL after the last */
int tt_page_picture(enum tt_picture what, const struct tt_report *r, struct tt_views *view, const char *name, struct tt_buf *out, struct tt_err *err);

/* True if frames are capped, according to the table frame_budgets or NULL: then the table has their uncapped time. */
bool tt_page_capped(const struct tt_table *budgets);

/*
 * Draw the chart of frame times of one process: frames ${from} to ${end} - 1; marks stand above the hitches in the tables of ${r} (page_hitches.h). ${all}, the
 * times of all processes, sets the scale, so that several charts have the same one. Private to lib/page.
 */
void tt_page_put_frame_chart(const struct tt_frames *f, size_t from, size_t end, const struct tt_values *all, const struct tt_report *r,
    struct tt_buf *out);

/* Draw the chart alone, as a part of a picture, at height ${y}; it is TT_STRIP_HIGH units high. */
#define TT_STRIP_HIGH 196
void tt_page_strip_picture(const struct tt_frames *f, size_t from, size_t end, const struct tt_values *all, const struct tt_report *r,
    unsigned y, struct tt_buf *out);

/*
 * Shared by the axes of charts. tt_page_axis_step: the smallest of 1, 2 and 5 times a power of ten that fits into ${all} at most ${most} times.
 * tt_page_round_time: write a round time, "20 ms". tt_page_frame_numbers: write round numbers of the ${n} frames from ${from} on below their columns, at height
 * ${y}, if each frame has a column.
 */
uint64_t tt_page_axis_step(uint64_t all, unsigned most);
void tt_page_round_time(struct tt_buf *out, uint64_t ns);
void tt_page_frame_numbers(const struct tt_frames *f, size_t from, size_t n, unsigned y, struct tt_buf *out);

/*
 * Write the times of the same frames for page.js as a data element, with uncapped times if ${capped}. ${command}: the command that makes the page of a range,
 * which is appended. If they need more than ${most} bytes (0: unlimited), write nothing and return false.
 */
bool tt_page_put_times(const struct tt_frames *f, size_t from, size_t end, bool capped, const char *command, uint64_t most, struct tt_buf *out);

#endif
