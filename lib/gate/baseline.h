/**
 * Baselines: the samples that later captures are compared with, grouped by session, in a JSON file.
 *
 * A session is a set of captures recorded together (one job on one machine). Its captures share whatever was special about that day, so that a baseline of
 * several sessions shows how much days differ.
 */
#ifndef TT_GATE_BASELINE_H
#define TT_GATE_BASELINE_H

#include "gate/budget.h"
#include "gate/sample.h"

struct tt_buf;

/* A session of the file. */
struct tt_baseline_session {
	const char *name;
	const char *accepted;         /* why later captures are compared with this session and those after it; NULL: it was not accepted */
	size_t first, n;              /* its samples: tt_baseline.all[first .. first + n - 1] */
	size_t at, end;               /* byte range of the session in the text */
};

/* A baseline. Sessions before the last accepted one are kept but no longer compared with: they show the program before a change that is meant to stay. */
struct tt_baseline {
	const char *path;
	struct tt_sample *sample;     /* the samples to compare with, in file order, session by session; all have .session */
	size_t nsample;
	size_t nsession;
	struct tt_sample *all;        /* all samples: those of sessions no longer compared with come first */
	size_t nall;
	struct tt_baseline_session *session;  /* all sessions */
	size_t nall_session;
	const char *settings;         /* the settings that the figures depend on, in one line: skipped frames, frame marker, filters */
	const char *text;             /* borrowed: the text, if read by tt_baseline_parse(); else NULL */
	size_t ntext;
};

/**
 * tt_baseline_begin(reader, path, budget, detail, b, a, err), tt_baseline_feed(reader, text, n, err), tt_baseline_end(reader, whole, err):
 * Read a baseline whose text comes in blocks of any size; no block is kept. ${detail} says how much of each capture is kept; TT_SAMPLE_JUDGED keeps only the
 * values of measures of budget rows. Set ${whole} to false if the text could not be read to the end; the reader is freed in any case.
 * Errors: TT_E_USAGE with file, line and column, and what to do; TT_E_NOMEM.
 */
struct tt_baseline_reader;
int tt_baseline_begin(struct tt_baseline_reader **reader, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err);
int tt_baseline_feed(struct tt_baseline_reader *reader, const char *text, size_t n, struct tt_err *err);
int tt_baseline_end(struct tt_baseline_reader **reader, bool whole, struct tt_err *err);

/* Read a baseline from the whole text. It can be changed and written again while the text exists. */
int tt_baseline_parse(const char *text, size_t n, const char *path, const struct tt_budget *budget, enum tt_sample_detail detail, struct tt_baseline *b,
    struct tt_arena *a, struct tt_err *err);

/**
 * tt_baseline_keep(b, keep, accept, why, out, err):
 * Append to ${out} the text of ${b} with only the sessions whose ${keep} is true, at least one. The session ${accept} (SIZE_MAX: none) gets ${why} as its
 * reason for being accepted. All other bytes stay the same, including values that no budget uses.
 */
int tt_baseline_keep(const struct tt_baseline *b, const bool *keep, size_t accept, const char *why, struct tt_buf *out, struct tt_err *err);

/**
 * tt_baseline_write(old, s, n, budget, settings, accept, out, a, err):
 * Write a baseline of ${old} (NULL: none), whose bytes are kept, and the ${n} samples ${s}. ${accept}: why the sessions of the new samples are accepted, or
 * NULL; only new sessions can be. A sample belongs to the session named by its fact "session", which may exist in ${old}; samples without that fact form one
 * new session, named by its number ("#3"). The same input gives the same bytes.
 */
int tt_baseline_write(const struct tt_baseline *old, const struct tt_sample *s, size_t n,
    const struct tt_budget *budget, const char *settings, const char *accept, struct tt_buf *out, struct tt_arena *a, struct tt_err *err);

/**
 * tt_baseline_check(b, s, n, budget, settings, err):
 * Check that the ${n} samples come from the baseline's environment. TT_E_USAGE names the first field that differs, and both values.
 */
int tt_baseline_check(const struct tt_baseline *b, const struct tt_sample *s, size_t n, const struct tt_budget *budget,
    const char *settings, struct tt_err *err);

/* True if the capture meets the "where" of the row. */
bool tt_row_means(const struct tt_budget_row *r, const struct tt_sample *s);

#endif
