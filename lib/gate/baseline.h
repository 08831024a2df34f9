/**
 * Baselines: the samples that later captures are compared with, by session, in a JSON file.
 *
 * A session is a set of captures recorded together (one job on one machine); they share whatever was
 * different that day, so a baseline of several sessions knows how much that is.
 */
#ifndef TT_GATE_BASELINE_H
#define TT_GATE_BASELINE_H

#include "gate/budget.h"
#include "gate/sample.h"

struct tt_buf;

/* A session as the file has it. */
struct tt_baseline_session {
	const char *name;
	const char *accepted;         /* why its captures are what later ones are compared with from here on; NULL: nobody said so */
	size_t first, n;              /* its samples: places in tt_baseline.all */
	size_t at, end;               /* bytes of the text */
};

/*
 * Once a session is accepted, those before it are kept, but compared with no more: they are what the program was before a change
 * that is meant to stay.
 */
struct tt_baseline {
	const char *path;
	struct tt_sample *sample;     /* to compare with, in the order of the file: session by session; all have .session */
	size_t nsample;
	size_t nsession;
	struct tt_sample *all;        /* with those of the sessions before, which are at its beginning */
	size_t nall;
	struct tt_baseline_session *session;  /* all of them */
	size_t nall_session;
	const char *settings;         /* what decided its figures beside the captures: skip, frame marker, filters; one line */
	const char *text;             /* borrowed: what it was read from, by tt_baseline_parse(); else NULL */
	size_t ntext;
};

/**
 * tt_baseline_begin(reader, path, budget, detail, b, a, err), tt_baseline_feed(reader, text, n, err), tt_baseline_end(reader, whole, err):
 * Read a baseline whose text comes in blocks of any size; no block is kept. ${detail} says what is kept of each capture: TT_SAMPLE_JUDGED has the values
 * of the measures of rows alone. ${whole} is false where the text could not be read; the reader is freed in any case.
 * Errors: TT_E_USAGE with file, line and column, and what to do; TT_E_NOMEM.
 */
struct tt_baseline_reader;
int tt_baseline_begin(struct tt_baseline_reader **reader, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err);
int tt_baseline_feed(struct tt_baseline_reader *reader, const char *text, size_t n, struct tt_err *err);
int tt_baseline_end(struct tt_baseline_reader **reader, bool whole, struct tt_err *err);

/* The same of a text that is there: the baseline can be changed or written again as long as it is. */
int tt_baseline_parse(const char *text, size_t n, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err);

/**
 * tt_baseline_keep(b, keep, accept, why, out, err):
 * The text that ${b} was read from, without the sessions whose ${keep} is false, at least one of which is true. Why the
 * session ${accept} is accepted (SIZE_MAX: none) becomes ${why}. The rest keeps its bytes, values that no budget asks for too.
 */
int tt_baseline_keep(const struct tt_baseline *b, const bool *keep, size_t accept, const char *why, struct tt_buf *out, struct tt_err *err);

/**
 * tt_baseline_write(old, s, n, budget, settings, accept, out, a, err):
 * The baseline of the ${n} samples ${s} and those of ${old} (NULL: none), whose bytes stay. ${accept}, if not NULL, is why the new samples'
 * sessions are accepted; only new sessions can be. A sample belongs to the session that its fact "session"
 * names, which may be an old one; those that tell none are one new session, called by its number ("#3"). Same input, same bytes.
 */
int tt_baseline_write(const struct tt_baseline *old, const struct tt_sample *s, size_t n,
    const struct tt_budget *budget, const char *settings, const char *accept, struct tt_buf *out, struct tt_arena *a, struct tt_err *err);

/**
 * tt_baseline_check(b, s, n, budget, settings, err):
 * Check that the ${n} samples are of the baseline's environment. TT_E_USAGE: names the first field that differs
 * and both values.
 */
int tt_baseline_check(const struct tt_baseline *b, const struct tt_sample *s, size_t n, const struct tt_budget *budget,
    const char *settings, struct tt_err *err);

/* True if the row's `where` fits the capture. */
bool tt_row_means(const struct tt_budget_row *r, const struct tt_sample *s);

#endif
