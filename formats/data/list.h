/**
 * What belongs to samples lies beside them in a record, in lists of a thread: allocations, values, instance ids, GPU times, stacks, flows. An entry
 * says the place of its sample; entries are in the order of samples, or are brought into it here.
 *
 * The entries were walked over before (data_walk_thread): they are whole. Memory: the words of a batch, where entries are in disorder.
 */
#ifndef TT_DATA_LIST_H
#define TT_DATA_LIST_H

#include "data/data.h"

/* One list of a thread, of which each entry belongs to a sample: those of one sample after the other. */
struct data_list {
	const uint8_t *p;             /* the next entry; NULL: entries are in disorder, and at words */
	uint32_t left;                /* entries */
	unsigned size, key;           /* of an entry, 0: it varies; where in it the sample is */
	size_t word;                  /* the next one's place among the batch's words: sample << 32 | offset from ${base} */
	const uint8_t *base;
};

/* The entry after the one at ${p}. */
const uint8_t *data_list_after(const struct data_list *l, const uint8_t *p);

/* With p, left, size and key set: entries that are in disorder are sorted, their places go to the words of ${b}. Errors: TT_E_NOMEM. */
int data_list_open(struct tt_batch *b, struct data_list *l, struct tt_err *err);

/* The next entry of sample ${i}; NULL: there is none. */
const uint8_t *data_list_next(const struct tt_batch *b, struct data_list *l, uint32_t i);

/* Pass over what belongs to no sample from ${i} on. Which sample the next entry belongs to; UINT32_MAX: there is none. */
uint32_t data_list_head(const struct tt_batch *b, struct data_list *l, uint32_t i);

#endif
