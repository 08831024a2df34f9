/**
 * Matching of begin and end while decoding, without knowing what was open before.
 *
 * A reader calls tt_zone_begin and tt_zone_end for each event of its thread, in
 * order. The rule for an end of key K, the same everywhere (tracetool-metrics(7),
 * Calls): the top zone if it is K; else the nearest open zone K below, the zones above it
 * being closed at that time (TT_F_POPPED); else the end is ignored and counted.
 *
 * The chunk's own zones decide alone in all but two cases. An end that finds
 * none of them open is kept as TT_ZONE_END with TT_F_BASE, for the ordered stage. An
 * end that finds some open but none of its key is taken for one without a begin
 * (Mono's exceptions leave ahead-of-time compiled methods that were never
 * entered) and noted as unsure: if the ordered stage finds its key on the stack
 * below, it has the chunk decoded again with b->base set, and nothing is guessed.
 *
 * Exceptions: while the zone TT_KEY_EXCEPTION is on top, a frame left by unwinding
 * is closed beneath it: the zone ends, the frame ends, the zone begins again
 * as TT_F_CONT. So time spent unwinding belongs to Exception.
 */
#ifndef TT_MODEL_ZONES_H
#define TT_MODEL_ZONES_H

#include "model/args.h"
#include "model/event.h"

struct tt_args_kept;

/* One zone open on a thread. */
struct tt_open {
	uint64_t key;
	int64_t ts;
	uint32_t flags;       /* TT_F_CONT */
	uint32_t number;      /* a number that no other zone of this stack ever has */
	struct tt_args_kept *args;    /* arguments of its begin, or NULL; a thread's stack owns them, a copy does not */
};

/* The stack of a thread between chunks. */
struct tt_stack {
	struct tt_open *z;
	size_t n, cap;
	int64_t last_ts;      /* time of the last stack event */
	int64_t seen_ts;      /* time of the thread's last event of any kind, at which open zones end */
	uint8_t begun;        /* last_ts is set */
	uint32_t pushed;      /* the last number given to a zone; a copy gives numbers of its own, from TT_STACK_COPY on */
	const struct tt_stack *of;    /* the stack that this is a copy of; NULL: it is no copy */
	struct tt_mem *mem;   /* allocator of pushed levels; NULL: none was pushed */
	struct tt_opened opened;
};

/* Free the contents of ${s}. */
void tt_stack_free(struct tt_stack *s, struct tt_mem *mem);

#define TT_STACK_COPY 0x80000000u

/**
 * tt_stack_copy(to, from, mem, err):
 * Make ${to}, which is used for copies alone, like ${from}. If it was a copy of the same stack, the levels below the zones that have come or gone since are
 * there already.
 */
int tt_stack_copy(struct tt_stack *to, const struct tt_stack *from, struct tt_mem *mem, struct tt_err *err);

/* The level + 1 of the innermost zone of ${key} among the first ${n} levels, or 0. */
size_t tt_stack_find(struct tt_stack *s, size_t n, uint64_t key);

/* The slow cases of tt_zone_end; room for depth + 4 events is made there. */
int tt_zone_end_slow(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags, struct tt_err *err);

/* Append the begin of a zone of ${key}. Room must be there (tt_batch_room). */
static inline void
tt_zone_begin(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags)
{
	struct tt_event *e = &b->ev[b->n];

	e->ts = ts;
	e->val = key;
	e->dur = 0;
	e->depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX;
	e->kind = TT_ZONE_BEGIN;
	e->flags = (uint8_t)flags;
	b->open[b->depth++] = (uint32_t)b->n++;
	b->nzone += !(flags & TT_F_CONT);
}

/* Append the begin of a zone that tracetool itself makes (TT_KEY_SPECIAL and above), which is not a call of the program. */
static inline void
tt_zone_begin_own(struct tt_batch *b, int64_t ts, uint64_t key)
{
	tt_zone_begin(b, ts, key, key == TT_KEY_EXCEPTION ? TT_F_PIECES : 0);
	b->nzone--;
}

/**
 * tt_zone_end(b, ts, key, flags, err):
 * End a zone of ${key}; ${flags} is 0 or TT_F_UNWIND.
 */
static inline int
tt_zone_end(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags, struct tt_err *err)
{
	if (b->depth > 0 && b->depth < UINT16_MAX) {
		struct tt_event *e = &b->ev[b->open[b->depth - 1]];
		uint64_t dur = (uint64_t)ts - (uint64_t)e->ts;

		if (e->val == key && dur <= UINT32_MAX) {
			e->dur = (uint32_t)dur;
			e->kind = TT_ZONE;
			e->flags |= (uint8_t)flags;
			b->depth--;
			return TT_OK;
		}
	}
	return tt_zone_end_slow(b, ts, key, flags, err);
}

/**
 * tt_zone_cut(b, ts, err):
 * Close all zones that the chunk has open at ${ts}, innermost first. They have no end of their own (TT_F_POPPED): a loss took it, or nobody knows it.
 */
int tt_zone_cut(struct tt_batch *b, int64_t ts, struct tt_err *err);

/* Count the zones above the ${keep} outermost ones that the chunk has open, which are about to be closed at ${ts} without an end, though nothing is
 * missing. */
int tt_zone_note_popped(struct tt_batch *b, int64_t ts, size_t keep, uint64_t at, struct tt_err *err);

/* True if the chunk has a zone of ${key} open. tt_zone_note_unmatched(): count an end of ${key} at ${ts} that is known to match no zone. */
bool tt_zone_is_open(struct tt_batch *b, uint64_t key);
int tt_zone_note_unmatched(struct tt_batch *b, int64_t ts, uint64_t key, uint64_t at, struct tt_err *err);

/**
 * tt_stack_end(s, key, ts, flags, popped, arg):
 * Apply an end to a thread's stack by the same rule; ${popped} (may be NULL) is
 * called for every zone that ends, innermost first, with ${arg} and its flags. Returns 1
 * if a zone of the key ended, 0 if the end was ignored.
 * TT_F_CONT in ${flags}: an Exception zone above this stack was interrupted already.
 * In the exception case the Exception zone is on top again afterwards.
 */
int tt_stack_end(struct tt_stack *s, uint64_t key, int64_t ts, unsigned flags,
    void (*popped)(void *arg, const struct tt_open *z, unsigned flags), void *arg);

/* Push a zone and return 1; deeper than TT_STACK_MAX, drop it and return 0. */
#define TT_STACK_MAX 65536
int tt_stack_push(struct tt_stack *s, struct tt_mem *mem, uint64_t key, int64_t ts, unsigned flags,
    struct tt_err *err);

#endif
