/**
 * The summary of a capture: what it is, whether it is complete, whether frames are fast enough, why the longest are long, what takes memory and time, which
 * commands to run next. It fits a screen of 80 columns and 50 lines; commands are never cut. The list gives_way in screen.c is the order in which parts are
 * left out.
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

/* Input for the choice of the next commands, made by the caller, which knows the command line. */
struct tt_summary_next {
	struct tt_views *view;
	const struct tt_hitch *worst; /* the worst frame; NULL: none */
	bool more_causes;             /* true: some causes are not shown */
	struct tt_table *t;           /* the table to which tt_summary_put_command() adds */
};

struct tt_summary_opts {
	const char *shown;            /* options that choose the part of the capture covered by all figures; NULL: the whole capture */
	const struct tt_render_opts *render;  /* how the report will be printed: text that exceeds a screen is shortened */
	void (*put_next)(void *arg, const struct tt_summary_next *next);
	void *arg;
};

/* The needs of the summary (enum tt_needs), for the run. */
unsigned tt_summary_needs(void);

/* Add the tables of the summary to ${r}, which already has its notes. */
void tt_summary_fill(struct tt_views *view, const struct tt_summary_opts *o, struct tt_report *r);

/* Add the ${command} that shows ${topic}. */
void tt_summary_put_command(struct tt_table *next, const char *topic, const char *command);

/* The ${i}th table of the summary; NULL after the last. */
const struct tt_pass_table *tt_summary_table(size_t i);

#endif
