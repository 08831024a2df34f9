/**
 * Many lines of results: put in order by key, each key once, however many files they come from and however many there are.
 *
 * Lines are sorted in runs of bounded memory that go to an unlinked file, and merged from there, so memory does not depend on their number. The outcome
 * depends on the set of lines alone, not on their order or how often they come:
 *
 * - equal lines are one;
 * - of several results of a capture the best wins (whole before damaged before failed, and last a failure that another
 *   try may avoid), then the one that sorts first by its bytes; if their contents or options differ, the result whose
 *   file was changed last wins before that, with a message;
 * - records of all shards of an archive become its record;
 * - of captures with the same contents (copies.h) all but the first are marked as copies, and parts of others as held.
 *
 * Torn lines, and lines that are no results, are counted and left out; records of shards are left out without being counted.
 */
#ifndef TT_BATCH_RESULTS_H
#define TT_BATCH_RESULTS_H

#include "base/env.h"
#include "batch/result.h"

struct tt_results;

struct tt_results_sum {
	uint64_t lines;               /* lines read, repeated ones included */
	uint64_t bad;                 /* lines that are torn or no results */
	uint64_t kept;                /* lines given out */
	uint64_t captures;            /* results of captures among ${kept} */
	uint64_t conflicts;           /* keys with different contents */
	uint64_t missing;             /* archives of which records of shards are missing */
	uint64_t by;                  /* hash of version and options of the first result */
	char mixed[128];              /* the first archive whose shards saw different members, so that some may be lost or counted twice; "": none */
	char other[128];              /* the first key of a result made with options unlike the first result's; "": none */
};

int tt_results_new(struct tt_env *env, struct tt_results **rs, struct tt_err *err);
void tt_results_free(struct tt_results *rs);

/* Add a line without its LF; NULL: one that is too long to be a result. */
int tt_results_add(struct tt_results *rs, const char *line, size_t n, struct tt_err *err);

/**
 * tt_results_lines(env, path, last, line, arg, err):
 * Call ${line} for every line of ${path}, without its LF, with the offset where it begins. For a line that is too long to be a result, it is NULL and n is 0.
 * The bytes after the last LF, as in a file that was cut, or that is still written, are a line if ${last}.
 */
int tt_results_lines(struct tt_env *env, const char *path, bool last,
    int (*line)(void *arg, uint64_t at, const char *line, size_t n, struct tt_err *err), void *arg, struct tt_err *err);

struct tt_results_out {
	bool some;                    /* true: these are results of one shard, so parts of other shards are not missing */
	/* True if the line is to be given out. NULL: all lines are. */
	bool (*keep)(void *arg, const struct tt_result *r);
	/* Called for each line that is given out, in order, without LF. */
	int (*line)(void *arg, const char *line, size_t n, const struct tt_result *r, struct tt_err *err);
	/* Called if results of one key differ in content or options; ${kept}: the result that is given out, or its first part. */
	void (*conflict)(void *arg, const struct tt_result *kept);
	void *arg;
};

/* Give out all lines in order; called once, after all lines were added. */
int tt_results_finish(struct tt_results *rs, const struct tt_results_out *out, struct tt_results_sum *sum,
    struct tt_err *err);

#endif
