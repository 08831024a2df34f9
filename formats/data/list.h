/**
 * Lists beside the samples of a thread in a record: allocations, values, instance ids, GPU times, stacks, flows. An entry says the place of its sample;
 * entries are in the order of samples, or are brought into it here.
 *
 * The entries were walked over before (data_walk_thread): they are whole. Memory: the words of a batch, where entries are in disorder.
 */
#ifndef TT_DATA_LIST_H
#define TT_DATA_LIST_H

#include "data/data.h"

/* A list of a thread whose entries each belong to a sample. They are read sample by sample. */
struct data_list {
	const uint8_t *p;             /* the next entry; NULL: entries are unsorted, and their places are words */
	uint32_t left;                /* entries */
	unsigned size, key;           /* size of an entry, 0: it varies; offset of its sample */
	uint32_t samples;             /* the thread has so many ... */
	uint32_t strays;              /* ... entries of others, but for those of no sample; by data_list_open() */
	uint32_t repeats;             /* entries of the sample of the entry before; likewise */
	bool unsorted;                /* likewise */
	uint32_t odd;                 /* values of a type that is unknown or has another size; likewise */
	size_t word;                  /* the next entry's place among the batch's words: sample << 32 | offset from ${base} */
	const uint8_t *base;
};

/* The entry after the one at ${p}. */
const uint8_t *data_list_after(const struct data_list *l, const uint8_t *p);

/* Open a list with p, left, size, key and samples set. Unsorted entries are sorted: their places go to the words of ${b}. Errors: TT_E_NOMEM. */
int data_list_open(struct tt_batch *b, struct data_list *l, struct tt_err *err);

/* Count the strays, repeats and odd values of such a list. True if its entries are in order. */
bool data_list_count(struct data_list *l);

/* The next entry of sample ${i}, or NULL. */
const uint8_t *data_list_next(const struct tt_batch *b, struct data_list *l, uint32_t i);

/* Skip entries of samples before ${i}. Returns the sample of the next entry; UINT32_MAX: there is none. */
uint32_t data_list_head(const struct tt_batch *b, struct data_list *l, uint32_t i);

#endif
