/**
 * Many lines of results: put in order by key, each key once, however many files they come from and however many there are.
 *
 * Lines are sorted in runs of bounded memory that go to an unlinked file, and merged from there, so memory does not depend on their number. The outcome
 * depends on the set of lines alone, not on their order or how often they come:
 *
 * - equal lines are one;
 * - of several results of a capture the best wins (whole before damaged before failed, and a failure that another try
 *   may mend last), then the one whose bytes are smallest; if their contents or options differ, the one whose file was
 *   changed last wins before that, and a message says so;
 * - records of all shards of an archive become its record;
 * - of captures with the same contents (copies.h) all but the first are marked as copies, and those that others hold as held.
 *
 * Lines that are torn, or none of ours, are counted and left out; so are records of shards, which are not counted.
 */
#ifndef TT_BATCH_RESULTS_H
#define TT_BATCH_RESULTS_H

#include "base/env.h"
#include "batch/result.h"

struct tt_results;

struct tt_results_sum {
	uint64_t lines;               /* read, also the same twice */
	uint64_t bad;                 /* torn or not ours */
	uint64_t kept;                /* come out */
	uint64_t captures;            /* of these, results of captures */
	uint64_t conflicts;           /* keys with different contents */
	uint64_t missing;             /* archives of which records of shards are missing */
	uint64_t by;                  /* of the first result */
	char mixed[128];              /* the first archive whose shards saw other members, so that some may be lost or twice; "": there is none */
	char other[128];              /* the first key of a result made with other options than the first result; "": there is none */
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
	bool some;                    /* they are results of one shard: what others lack is not known */
	/* True if the line is wanted. NULL: all are. */
	bool (*keep)(void *arg, const struct tt_result *r);
	/* The lines that come out, in order, without LF. */
	int (*line)(void *arg, const char *line, size_t n, const struct tt_result *r, struct tt_err *err);
	/* Results of one key differ in content or options; ${kept} is the one that comes out, or the first part of it. */
	void (*conflict)(void *arg, const struct tt_result *kept);
	void *arg;
};

/* Give out all lines in order. Once, and last. */
int tt_results_finish(struct tt_results *rs, const struct tt_results_out *out, struct tt_results_sum *sum,
    struct tt_err *err);

#endif
