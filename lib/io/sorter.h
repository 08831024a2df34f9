/**
 * Sorts records of one size with bounded memory.
 *
 * Records are added in any order. Records that are equal are joined into one, such as their sum. Up to TT_SORTER_BYTES bytes are kept in memory; then they
 * are sorted and written to a spool (io/spool.h) as a run, and reading merges the runs. With a numeric key that decides the order of most records, sorting
 * takes a quarter of the time.
 *
 * Memory: TT_SORTER_BYTES for records of at most a kilobyte, and 32 bytes for each record in memory if records have keys; while records are read, as
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
	size_t size;                  /* bytes of a record */
	const char *noun;             /* for messages: "sums of frames" */
	int (*compare)(const void *a, const void *b);
	bool (*join)(void *into, const void *next);   /* add ${next} to ${into}, the record before it in order; false: they are not equal */
	uint64_t (*key)(const void *rec);     /* the number that compare() compares first, the same for equal records; NULL: no key */
};

struct tt_sorter {
	struct tt_env *env;
	const struct tt_sorter_form *form;
	char *rec;                    /* the records in memory */
	size_t n, cap;
	struct tt_place *place;       /* key and index of each record in memory, and room for as many again */
	size_t capplace;
	int fd;                       /* the spool; -1: no run was written yet */
	uint64_t written;             /* bytes in the spool */
	struct tt_sorter_run { uint64_t at, end; } *run;
	size_t nrun, caprun;
};

void tt_sorter_init(struct tt_sorter *s, struct tt_env *env, const struct tt_sorter_form *form);
void tt_sorter_free(struct tt_sorter *s);

/* Add a copy of ${rec}. */
int tt_sorter_add(struct tt_sorter *s, const void *rec, struct tt_err *err);

/* Declare that all records were added: from here on they can be read. */
int tt_sorter_done(struct tt_sorter *s, struct tt_err *err);

/* Begin to read from the first record; possible any number of times. */
struct tt_sorted;
int tt_sorted_open(const struct tt_sorter *s, struct tt_sorted **to, struct tt_err *err);
void tt_sorted_close(struct tt_sorted *d);

/* Set *${rec} to the next record, which is valid until the next call; NULL: there are no more. */
int tt_sorted_next(struct tt_sorted *d, const void **rec, struct tt_err *err);

/* Skip the records not handed out yet whose key is less than ${key}, without reading them all. Only for records with keys. */
int tt_sorted_skip(struct tt_sorted *d, uint64_t key, struct tt_err *err);

#endif
