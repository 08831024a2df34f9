/**
 * The samples of one thread in one record while they are decoded. Internal to data_decode.c, which calls data_samples() and data_sample_labels(),
 * data_samples.c and plain_samples.c.
 *
 * Samples are in the order of their begins, each with the number of its children. data_samples.c decodes any sample; plain_samples.c runs of those that are
 * nothing but zones, which most are. Both keep the same stack of levels and change from one to the other between two samples.
 */
#ifndef TT_DATA_TREE_H
#define TT_DATA_TREE_H

#include "data/list.h"

/* An open sample. */
struct data_level {
	int64_t at, end;              /* at: end of its last child that has begun, or its own begin; end: its own end; the root has no end */
	uint32_t left;                /* number of children that have not begun */
	uint32_t event;               /* index + 1 of the event of its begin, if its end needs an event of its own */
	uint32_t back;                /* the level that continues when its last child has ended; itself, if its own end needs more than a zone's */
	bool zone;                    /* true: it is a zone, and so a level in the model */
	bool collect;                 /* true: it is a collection */
};

/* A thread in a record. */
struct data_tree {
	struct data_run *r;
	const struct data_layout *l;
	const struct data_piece *piece;
	struct data_thread th;
	struct data_take marker;      /* markers of samples, before 2022.2 */
	struct data_list gpu, instance, gc, value, stack, flow[2];
	uint32_t stacks;              /* number of stacks of allocations */
	uint32_t apart, nalloc;       /* apart: records of bytes that belong to samples other than GC.Alloc; nalloc: samples that are GC.Alloc */
	bool undefined;               /* true: a sample has a marker that no record defines */
	bool differs;                 /* true: one of these records has other bytes than its sample's value */
	size_t depth;                 /* number of open samples; the root is level 0 */
	size_t zones;                 /* number of open samples that are zones */
	bool late;                    /* true: its first sample begins before the end of the last one in the previous record */
};

/* data_samples.c */
/*
 * Decode the samples of t->th; r, l, piece, th, marker and late are set, everything else is 0. *${sane} is false if they do not add up in number or time;
 * what was added must then be dropped. Errors: TT_E_NOMEM.
 */
int data_samples(struct data_tree *t, bool *sane);
/* Add only the names that values of the thread's samples define. */
int data_sample_labels(struct data_run *r, const struct data_thread *th);
/* Close the levels without further children. */
int data_close_levels(struct data_tree *t);

/* plain_samples.c */
/* Decode consecutive plain samples from *${i} on; *${i} becomes the first other one. Only for versions whose markers have ids. */
int data_plain_samples(struct data_tree *t, uint32_t *i);

#endif
