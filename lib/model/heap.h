/**
 * Heap shots: the objects of a chunk summed by class while it is decoded. The sums that a run keeps: collect/heap_shots.h.
 *
 * A shot has millions of objects; handing each on as an event costs more than decoding it. So the decoder sums them
 * up, on whichever worker it runs, and tt_heap_flush() puts the sums into the batch as events: TT_HEAP_CLASS for
 * each class, TT_HEAP_BIG for the largest objects and, with TT_NEEDS_GRAPH, one TT_HEAP_GRAPH with all objects and
 * references as words.
 */
#ifndef TT_MODEL_HEAP_H
#define TT_MODEL_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct tt_batch;

enum { TT_HEAP_BIGGEST = 32 };

struct tt_heap_big { uint64_t object, key, size; };

struct tt_heap_sum {
	struct tt_heap_class {
		uint64_t key;         /* class or vtable */
		uint64_t bytes;
		uint32_t n, refs;
		uint32_t more;        /* records that continue the references of an object */
	} *c;
	size_t n, cap;
	struct tt_map at;             /* places in c by key */
	uint32_t last;                /* index of the class before: objects of one class often come together */
	struct tt_heap_big big[TT_HEAP_BIGGEST];
	size_t nbig;
	uint64_t graph, ngraph;       /* words of the graph: first, number */
};

void tt_heap_sum_free(struct tt_heap_sum *s, struct tt_mem *mem);
void tt_heap_sum_reset(struct tt_heap_sum *s);

/* The class of ${key}; NULL with ${err} filled. */
struct tt_heap_class *tt_heap_sum_at(struct tt_heap_sum *s, struct tt_mem *mem, uint64_t key, struct tt_err *err);

/* Put an object among the largest ${big}[0 .. *${n}), if it is one of them. */
void tt_heap_add_big(struct tt_heap_big *big, size_t *n, const struct tt_heap_big *o);

/* Emit the sums at time ${ts} and start again. */
int tt_heap_flush(struct tt_batch *b, int64_t ts, struct tt_err *err);

#endif
