/**
 * Sorts records of one size with bounded memory.
 *
 * Records are put in in any order. Records with the same key become one, which holds the sum of all. Up to TT_SORTER_BYTES bytes wait in memory; then they are
 * sorted and go to a spool (io/spool.h) as a run, and reading merges the runs. If a number tells the order of most records, millions are sorted in a quarter
 * of the time.
 *
 * Memory: TT_SORTER_BYTES while records of at most a kilobyte come, and 32 bytes for each that waits where they have keys; while they are read as
 * much again at most, unless there are thousands of runs.
 * Disk: the records of each run.
 * Threads: one.
 */
#ifndef TT_IO_SORTER_H
#define TT_IO_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/places.h"

struct tt_env;
struct tt_err;

enum { TT_SORTER_BYTES = 2 << 20 };

/* The kind of records. */
struct tt_sorter_form {
	size_t size;                  /* of one */
	const char *what;             /* for messages: "sums of frames" */
	int (*compare)(const void *a, const void *b);
	bool (*join)(void *into, const void *next);   /* the next in order: add it to the one before; false: it is another's */
	uint64_t (*key)(const void *rec);     /* what compare() goes by first, and records that join have in common; NULL: compare() alone */
};

struct tt_sorter {
	struct tt_env *env;
	const struct tt_sorter_form *form;
	char *rec;                    /* those that wait */
	size_t n, cap;
	struct tt_place *place;       /* of each of those, and room for as many */
	size_t capplace;
	int fd;                       /* -1: nothing is on disk yet */
	uint64_t written;             /* bytes */
	struct tt_sorter_run { uint64_t at, end; } *run;
	size_t nrun, caprun;
};

void tt_sorter_init(struct tt_sorter *s, struct tt_env *env, const struct tt_sorter_form *form);
void tt_sorter_free(struct tt_sorter *s);

/* Put in a copy of ${rec}. */
int tt_sorter_add(struct tt_sorter *s, const void *rec, struct tt_err *err);

/* No more come: from here on they can be read. */
int tt_sorter_done(struct tt_sorter *s, struct tt_err *err);

/* Reading, from the first; as often as wanted. */
struct tt_sorted;
int tt_sorted_open(const struct tt_sorter *s, struct tt_sorted **to, struct tt_err *err);
void tt_sorted_close(struct tt_sorted *d);

/* The next record, until the next call; *${rec} NULL: there are no more. */
int tt_sorted_next(struct tt_sorted *d, const void **rec, struct tt_err *err);

/* Pass over the records whose key is less than ${key}, of those not handed out yet, without reading them all. They have keys. */
int tt_sorted_skip(struct tt_sorted *d, uint64_t key, struct tt_err *err);

#endif
