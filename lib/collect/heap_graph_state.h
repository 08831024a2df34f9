/**
 * The graph of a heap shot while a run lasts: collected by heap_graph.c, walked at its end by heap_retainers.c. Private to these
 * two; what it becomes, and what it costs, is in heap_graph.h.
 */
#ifndef TT_COLLECT_HEAP_GRAPH_STATE_H
#define TT_COLLECT_HEAP_GRAPH_STATE_H

#include <pthread.h>

#include "collect/heap_graph.h"
#include "collect/heap_shots.h"
#include "collect/objects.h"
#include "collect/pages.h"

#define ADDRESS_ORIGIN 0x40000000u               /* addresses are kept as 31 bits of 8 bytes, around that of the first object */
#define NOWHERE 0x7fffffffu           /* value of a reference to no object of the shot */
#define LAST 0x80000000u              /* bit of a reference: the last one of its object */

enum { STRIDE = 16, SPOT_BITS = 17, SPOTS = 1 << (31 - SPOT_BITS), SPOT_WORDS = 1 << (SPOT_BITS - 6), NEAR = 16 };

/* For 1 MB of memory: a bit for each address that is an object, and the number of objects before each 512 bits. */
struct spot {
	uint64_t bit[SPOT_WORDS];
	uint32_t before[SPOT_WORDS / 8];
};

struct graph {
	struct tt_graph out;
	struct tt_mem *mem;
	bool on;                      /* true: a shot is being collected */
	uint64_t base;
	struct tt_pages addr, class, ref, has;        /* by object, except ref; has: a bit for each object with references */
	struct more { uint32_t addr; uint32_t ref; } *more;   /* continuation records: address of the object, index of their first reference */
	size_t nmore, capmore;
	struct roots {
		struct root { uint64_t slot, object; } *v;
		size_t n, cap;
		bool lost;            /* true: there was no memory for them */
	} root, *early;               /* root: of the shot; early: by thread, roots before their shot */
	size_t nearly;
	uint32_t *class_of;           /* by place in the chunk's list of classes */
	size_t nclass_of, capclass_of;

	struct registered { uint64_t start, end, key; const char *text; uint16_t source; } *reg;
	size_t nreg, capreg;
	struct tt_objects reg_at;     /* start -> index + 1 */
	struct spot **spot;
	/* With --max-memory the graph gives up its memory to any other part that needs it, on any thread. */
	struct tt_mem_freeable spare;
	pthread_mutex_t lock;         /* held while the graph is worked on */
	_Atomic(void *) holder;       /* identity of the thread that holds the lock: address of its thread-local variable; NULL: none */
};

/* Compress an address to 31 bits; NOWHERE: too far from the first object. */
static inline uint32_t
tt_graph_near(const struct graph *g, uint64_t addr)
{
	uint64_t v = (addr >> 3) - g->base + ADDRESS_ORIGIN;

	return v < NOWHERE ? (uint32_t)v : NOWHERE;
}

/**
 * tt_graph_walk(c, g, err):
 * Make ${g}->out from what was collected, which is consumed.
 * Errors: TT_E_LIMIT and TT_E_NOMEM.
 */
int tt_graph_walk(const struct tt_collecting *c, struct graph *g, struct tt_err *err);

#endif
