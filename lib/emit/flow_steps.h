/**
 * Flows: the steps of all of them, and in which order they are linked.
 *
 * A flow is a chain, but for its parallel steps: each of these follows the step before all of them and is followed by the
 * step past all of them. Readers link a step to the one before it in time, so a flow with parallel steps is written as arrows
 * of two ends, each with a number of its own. Which steps a flow has is known only at the end: threads come in any order.
 *
 * Memory: 32 bytes for each step, of at most 4 Mi. Threads: one.
 */
#ifndef TT_EMIT_FLOW_STEPS_H
#define TT_EMIT_FLOW_STEPS_H

#include <stddef.h>
#include <stdint.h>

struct tt_err;
struct tt_mem;
struct tt_threads;

struct tt_flow_step {
	int64_t ts;
	uint64_t id;
	uint32_t thread, order;       /* order: as they were added */
	uint16_t part;                /* the emitter's own */
	uint8_t type;                 /* enum tt_flow */
};

struct tt_flow_steps {
	struct tt_flow_step *step;
	size_t n, cap;
	uint64_t arrows;              /* so far */
};

/* One end of an arrow, or a step of a chain: ${phase} is 's', 't' or 'f'. */
typedef int tt_flow_put(void *arg, const struct tt_flow_step *s, char phase, uint64_t id, struct tt_err *err);

/* Keep ${step}. TT_END: there are too many, and it is left out. */
int tt_flow_add(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_flow_step step, struct tt_err *err);

/* Hand all flows to ${put}, one after the other. */
int tt_flow_each(struct tt_flow_steps *f, const struct tt_threads *threads, tt_flow_put *put, void *arg, struct tt_err *err);

void tt_flow_free(struct tt_flow_steps *f, struct tt_mem *mem);

#endif
