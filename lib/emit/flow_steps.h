/**
 * Flows: the steps of all of them, and in which order they are linked.
 *
 * A flow is a chain, but for its parallel steps: each of these follows the step before all of them and is followed by the
 * step past all of them. Readers link a step to the one before it in time, so a flow with parallel steps is written as arrows
 * of two ends, each with a number of its own. Which steps a flow has is known only at the end: threads come in any order.
 *
 * A step outside of all zones connects nothing, and readers would link it to any zone. If an emitter learns of zones when they are over, steps wait for the
 * zone around them, and those for which none comes are left out.
 *
 * A step belongs to the innermost zone around it, or to the next zone of its thread: then it is put where that begins, which may be in a later chunk. If the
 * filter leaves that zone out, by its name, duration or depth, the step is left out, too (tt_flow_left_out()): zones around it have nothing to do with what
 * other threads do for it.
 *
 * Memory: 32 bytes for each step, of at most 4 Mi, and 4 where it waits. Threads: one.
 */
#ifndef TT_EMIT_FLOW_STEPS_H
#define TT_EMIT_FLOW_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_buf;
struct tt_env;
struct tt_err;
struct tt_event;
struct tt_mem;
struct tt_pieces;
struct tt_threads;
struct tt_view;

struct tt_flow_step {
	int64_t ts;
	uint64_t id;
	uint32_t thread, order;       /* order: as they were added */
	uint16_t part;                /* the emitter's own */
	uint8_t type;                 /* enum tt_flow */
	uint8_t where;                /* enum tt_flow_where */
	bool next;                    /* it is where its zone begins: one that ends there is not around it */
};
enum tt_flow_where { TT_FLOW_INSIDE, TT_FLOW_WAITS, TT_FLOW_AT_END };        /* of a zone; at its very end */

struct tt_flow_steps {
	struct tt_flow_step *step;
	size_t n, cap;
	uint64_t arrows;              /* so far */
	uint64_t alone;               /* steps linked with no other: left out */
	struct tt_flow_waits {
		uint32_t *step;       /* steps that wait, the first ${nsorted} in order of time */
		size_t n, nsorted, cap;
		struct tt_flow_sought { uint64_t seq; uint32_t step; } *sought;      /* steps before the next zone, and after which chunk */
		size_t nsought, capsought;
	} *waits;                     /* of each thread */
	size_t nwaits, capwaits;
};

/* One end of an arrow, or a step of a chain: ${phase} is 's', 't' or 'f'. */
typedef int tt_flow_put(void *arg, const struct tt_flow_step *s, char phase, uint64_t id, struct tt_err *err);

/* True if the step ${event} of the chunk belongs to a zone that is left out: then nothing is kept of it. */
bool tt_flow_left_out(const struct tt_view *v, size_t event);

/* Keep ${step}. TT_END: there are too many, and it is left out. */
int tt_flow_add(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_flow_step step, struct tt_err *err);

/* The step that was added last waits for a zone. */
int tt_flow_wait(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_err *err);

/*
 * The zone that begins next after event ${from} of the chunk; NULL: none in the chunk does. *${next}, 0 before the chunk's first step, is its place, or the
 * number of events: what lies between is not looked at again for later steps.
 */
const struct tt_event *tt_flow_next(const struct tt_view *v, size_t from, size_t *next);

/* The step that was added last belongs to the next zone of its thread, and none begins in the chunk of ${v}. */
int tt_flow_seek(struct tt_flow_steps *f, const struct tt_view *v, struct tt_mem *mem, struct tt_err *err);

/* The zones of a chunk are over, of which ${pieces} has those that are shown: steps in them wait no more. ${scratch} is room for pieces. */
int tt_flow_zones(struct tt_flow_steps *f, const struct tt_view *v, const struct tt_pieces *pieces, struct tt_buf *scratch, struct tt_mem *mem,
    struct tt_err *err);

/* After the last zone: leave out the steps that still wait. Steps at the very end of a zone are put ${earlier} ns before it. */
void tt_flow_leave_out(struct tt_flow_steps *f, int64_t earlier);

/* Hand all flows to ${put}, one after the other. They are sorted sooner with half a MiB of ${mem}. */
int tt_flow_each(struct tt_flow_steps *f, struct tt_mem *mem, const struct tt_threads *threads, tt_flow_put *put, void *arg, struct tt_err *err);

/* Tell how many steps are linked with no other, after tt_flow_each(). */
void tt_flow_tell(const struct tt_flow_steps *f, struct tt_env *env, const char *emitter);

void tt_flow_free(struct tt_flow_steps *f, struct tt_mem *mem);

#endif
