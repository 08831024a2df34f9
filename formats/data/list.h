/**
 * Lists beside the samples of a thread in a record: allocations, values, instance ids, GPU times, stacks, flows. An entry has the number of its sample;
 * entries are in the order of samples, or are sorted here.
 *
 * The entries were checked before (data_walk_thread): they are complete. Memory: words of a batch, if entries are unsorted.
 */
#ifndef TT_DATA_LIST_H
#define TT_DATA_LIST_H

#include "data/data.h"

/* A list of a thread whose entries each belong to a sample. They are read sample by sample. */
struct data_list {
	const uint8_t *p;             /* the next entry; NULL: entries are unsorted, and their places are in words */
	uint32_t left;                /* number of entries left */
	unsigned size, key;           /* size of an entry, 0: it varies; offset of its sample's number */
	uint32_t samples;             /* number of samples of the thread */
	uint32_t strays;              /* number of entries of samples that do not exist, except those of no sample; set by data_list_open() */
	uint32_t repeats;             /* number of entries of the same sample as the previous entry; set by data_list_open() */
	bool unsorted;                /* true: the entries are unsorted; set by data_list_open() */
	uint32_t odd;                 /* number of values whose type is unknown or has another size; set by data_list_open() */
	size_t word;                  /* index in the batch's words of the next entry's place: sample << 32 | offset from ${base} */
	const uint8_t *base;
};

/* Return the entry after the one at ${p}. */
const uint8_t *data_list_after(const struct data_list *l, const uint8_t *p);

/* Open a list with p, left, size, key and samples set. Sort unsorted entries: their places become words of ${b}. Errors: TT_E_NOMEM. */
int data_list_open(struct tt_batch *b, struct data_list *l, struct tt_err *err);

/* Count the strays, repeats and odd values of such a list. True if its entries are sorted. */
bool data_list_count(struct data_list *l);

/* Return the next entry of sample ${i}, or NULL. */
const uint8_t *data_list_next(const struct tt_batch *b, struct data_list *l, uint32_t i);

/* Skip entries of samples before ${i}. Return the sample of the next entry; UINT32_MAX: no more entries. */
uint32_t data_list_head(const struct tt_batch *b, struct data_list *l, uint32_t i);

#endif
