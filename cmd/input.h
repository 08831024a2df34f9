/**
 * Options of all verbs that read captures, and how they become options of a run.
 */
#ifndef TT_CMD_INPUT_H
#define TT_CMD_INPUT_H

#include "ui.h"

struct app;
struct tt_run_opts;

struct input_opts {
	struct tt_list path;         /* operands */
	bool folders;                 /* folders are allowed as operands */
	const char *format;
	bool force;
	int align;                    /* enum tt_align */
	struct tt_list meta;
	const char *meta_from_path;
	int date_from;                /* 1: the file's time */
	int64_t from, to;
	const char *from_label, *to_label;
	bool has_frames, one_frame;   /* true: --frames was given; true: it was a single number */
	uint64_t frame_first, frame_last;
	struct tt_list thread, category, marker;
	int64_t min_dur;
	uint64_t depth;
	bool wrappers;
	int names;                    /* enum tt_names_form */
	const char *frame_marker, *frame_thread;
	struct tt_list wait;
	bool no_wait, player_only;
	uint64_t jobs, spool_max, max_paths;
	const char *tmpdir;
	struct ui_opts ui;
};

/* Set --meta: add KEY=VALUE to a list. */
int input_set_meta(const struct tt_opt *o, void *field, const char *value, struct tt_arena *a, struct tt_err *err);

/* Options of facts, for every verb that reads captures. */
#define INPUT_FACT_OPTIONS(at_pattern, at_date) \
	{ .name = "meta-from-path", .arg = "PATTERN", .set = input_set_pattern, .at = (at_pattern), \
	    .help = "add facts that paths tell, those of members of archives too, like '{date}/{device}/*'" }, \
	{ .name = "date-from", .arg = "WHAT", .set = tt_opt_choice, .at = (at_date), .value = input_date_from, \
	    .help = "mtime: captures that do not say when they were recorded have the day of their file; capture, the default: none" }
TT_OPT_SET(input_set_pattern);
const char *input_date_from(size_t i);

extern const struct tt_opt input_opt[], input_filter_opt[], input_frame_opt[], input_limit_opt[];

/* The groups of options, for a verb whose struct ${type} holds a struct input_opts as ${member}. */
#define INPUT_GROUPS(type, member) \
	{ "Input", input_opt, offsetof(type, member) }, \
	{ "What to look at", input_filter_opt, offsetof(type, member) }, \
	{ "Frames", input_frame_opt, offsetof(type, member) }, \
	{ "Resources", input_limit_opt, offsetof(type, member) }, \
	UI_GROUP(type, member.ui)

void input_defaults(struct input_opts *o);

/**
 * input_setup(app, o, run, err):
 * Check the options against each other, and fill app->env and ${run} from them, except needs, emitters and hitches.
 * Borrows: ${run} points into ${o}.
 */
int input_setup(struct app *app, const struct input_opts *o, struct tt_run_opts *run, struct tt_err *err);

/**
 * input_confine(app, o, output, also, run, err):
 * Enter the sandbox for a run that writes ${output} (NULL: standard output). The sandbox is sealed when ${run} has opened its inputs.
 */
int input_confine(struct app *app, const struct input_opts *o, const char *output, const char *also, struct tt_run_opts *run,
    struct tt_err *err);

/* True if ${path} and one of the inputs are the same file. */
bool input_is(const struct input_opts *o, const char *path);

#endif
