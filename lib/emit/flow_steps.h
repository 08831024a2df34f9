/**
 * Flows: keeps the steps of all flows and links them in order.
 *
 * A flow is a chain, except for its parallel steps: each of these follows the step before all of them and is followed by the step after all of
 * them. Readers link a step to the previous one in time, so a flow with parallel steps is written as arrows of two ends, each with its own
 * number. The steps of a flow are known only at the end, as threads come in any order.
 *
 * A step outside all zones connects nothing, but readers would link it to some zone. If an emitter learns of zones when they end, steps wait for
 * the zone around them, and steps for which no zone comes are left out.
 *
 * A step belongs to the innermost zone around it, or to the next zone of its thread. In the latter case it is put at the begin of that zone, which
 * may be in a later chunk. If the filter leaves that zone out by its name, duration or depth, the step is left out, too (tt_flow_left_out()):
 * the zones around it have nothing to do with what other threads do for it.
 *
 * Memory: 32 bytes for each step, of at most 4 Mi, and 4 for each waiting step. Threads: one.
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
	uint32_t thread, order;       /* order: the number in which steps were added */
	uint16_t part;                /* for the emitter's own use */
	uint8_t type;                 /* enum tt_flow */
	uint8_t where;                /* enum tt_flow_where */
	bool next;                    /* true: the step is at the begin of its zone; a zone that ends there is not around it */
};
enum tt_flow_where { TT_FLOW_INSIDE, TT_FLOW_WAITS, TT_FLOW_AT_END };        /* inside a zone; waiting for a zone; at the very end of a zone */

struct tt_flow_steps {
	struct tt_flow_step *step;
	size_t n, cap;
	uint64_t arrows;              /* number of arrows so far */
	uint64_t alone;               /* number of steps that are linked with no other step and left out */
	struct tt_flow_waits {
		uint32_t *step;       /* indexes of waiting steps; the first ${nsorted} are sorted by time */
		size_t n, nsorted, cap;
		struct tt_flow_sought { uint64_t seq; uint32_t step; } *sought; /* steps that look for the next zone, and the chunk after which it begins */
		size_t nsought, capsought;
	} *waits;                     /* by thread */
	size_t nwaits, capwaits;
};

/* Write one end of an arrow, or a step of a chain: ${phase} is 's', 't' or 'f'. */
typedef int tt_flow_put(void *arg, const struct tt_flow_step *s, char phase, uint64_t id, struct tt_err *err);

/* True if the step ${event} of the chunk belongs to a zone that is left out, so that the step is dropped. */
bool tt_flow_left_out(const struct tt_view *v, size_t event);

/* Keep ${step}. TT_END: too many steps, and this one is left out. */
int tt_flow_add(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_flow_step step, struct tt_err *err);

/* Let the step that was added last wait for the zone around it. */
int tt_flow_wait(struct tt_flow_steps *f, struct tt_mem *mem, struct tt_err *err);

/*
 * Return the next zone begin after event ${from} of the chunk; NULL: the chunk has no more. *${next}, initially 0 in each chunk, keeps the place of that
 * begin (or the number of events), so that later calls do not search the same events again.
 */
const struct tt_event *tt_flow_next(const struct tt_view *v, size_t from, size_t *next);

/* Let the step that was added last look for the next zone of its thread; the chunk of ${v} has no such zone. */
int tt_flow_seek(struct tt_flow_steps *f, const struct tt_view *v, struct tt_mem *mem, struct tt_err *err);

/* End the wait of steps inside the zones of a chunk; ${pieces} tells which zones are shown. ${scratch} is room for pieces. */
int tt_flow_zones(struct tt_flow_steps *f, const struct tt_view *v, const struct tt_pieces *pieces, struct tt_buf *scratch, struct tt_mem *mem,
    struct tt_err *err);

/* Leave out the steps that still wait after the last zone. Put steps at the very end of a zone ${earlier} ns before it. */
void tt_flow_leave_out(struct tt_flow_steps *f, int64_t earlier);

/* Pass all flows to ${put}, one after the other. Sorting is faster with half a MiB of ${mem}. */
int tt_flow_each(struct tt_flow_steps *f, struct tt_mem *mem, const struct tt_threads *threads, tt_flow_put *put, void *arg, struct tt_err *err);

/* Log how many steps are linked with no other step; call after tt_flow_each(). */
void tt_flow_tell(const struct tt_flow_steps *f, struct tt_env *env, const char *emitter);

void tt_flow_free(struct tt_flow_steps *f, struct tt_mem *mem);

#endif
