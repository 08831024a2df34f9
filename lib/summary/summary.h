/**
 * The summary of a capture: what it is, whether it is complete, whether frames are fast enough, why the longest are long, what takes memory and time, what to
 * run next. It fits a screen of 80 columns and 50 lines; commands are never cut. The list gives_way in screen.c says what is left out first.
 */
#ifndef TT_SUMMARY_SUMMARY_H
#define TT_SUMMARY_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

struct tt_hitch;
struct tt_pass_table;
struct tt_render_opts;
struct tt_report;
struct tt_table;
struct tt_views;

/* The commands that are worth running next depend on these; the caller knows the command line. */
struct tt_summary_next {
	struct tt_views *view;
	const struct tt_hitch *worst; /* the worst frame; NULL: there is none */
	bool more_causes;             /* some causes are not shown */
	struct tt_table *t;           /* for tt_summary_put_command() */
};

struct tt_summary_opts {
	const char *shown;            /* the part of the capture that all figures cover; NULL: the whole capture */
	const struct tt_render_opts *render;  /* how the report will be printed: text that exceeds a screen is shortened */
	void (*put_next)(void *arg, const struct tt_summary_next *next);
	void *arg;
};

/* The needs of the run: enum tt_needs. */
unsigned tt_summary_needs(void);

/* Add the tables of the summary to ${r}, which has its notes already. */
void tt_summary_fill(struct tt_views *view, const struct tt_summary_opts *o, struct tt_report *r);

/* Add the ${command} that shows ${topic}. */
void tt_summary_put_command(struct tt_table *next, const char *topic, const char *command);

/* The ${i}th table of the summary; NULL after the last. */
const struct tt_pass_table *tt_summary_table(size_t i);

#endif
