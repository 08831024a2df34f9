/**
 * Events of several threads in the order of their time.
 *
 * A file has the events of one thread in order, and those of other threads wherever a buffer of theirs was full. Collectors whose state
 * depends on several threads (a handle that one thread makes and another frees, an object that one thread allocates and another
 * moves) get their events from here, after the last chunk: process by process, each in the order of time. At
 * equal times, and where the clock of a thread runs back, its events keep their order; at equal times events of different threads
 * keep that of the file. So the order depends on the file alone.
 *
 * Only what collectors use of an event is kept: the event, its second slot, and of its words the moves of a TT_GC_MOVE, the object of a
 * TT_ALLOC, the class of a TT_HEAP_OBJECT.
 *
 * Memory: TT_SORTER_BYTES (io/sorter.h) and TT_TIME_WORDS words, while events come; as much again while they are handed out. The rest is
 * in spools. Without such events, no memory.
 * Errors: TT_E_NOMEM, TT_E_LIMIT, and of spools TT_E_LIMIT, TT_E_IO, TT_E_STOPPED. One thread at a time.
 */
#ifndef TT_COLLECT_TIME_ORDER_H
#define TT_COLLECT_TIME_ORDER_H

#include "io/sorter.h"
#include "model/event.h"

enum { TT_TIME_WORDS = 1 << 17 };

struct tt_time_order {
	struct tt_sorter events;
	uint64_t n;                   /* events so far */
	int64_t *now;                 /* by thread: the latest time of its events */
	size_t nnow;
	uint64_t *word;               /* the newest words, which are not in the spool yet */
	size_t nword, capword;
	int fd;                       /* spool of the words before these; -1: none */
	uint64_t spooled;             /* number of words in the spool */
};

/* An event as it is handed out. */
struct tt_timed {
	struct tt_event e[2];         /* the event and its second slot; zeros: the event has one slot */
	int64_t at;                   /* its time, never before an earlier event of its thread */
	uint64_t order;               /* its number in the file */
	uint64_t word;                /* place of its first word; with nword = 1, the word itself */
	uint32_t nword;
	uint32_t process, thread, node;
	bool skipped;                 /* the filter does not want the thread */
};

void tt_time_order_init(struct tt_time_order *o, struct tt_env *env);
void tt_time_order_free(struct tt_time_order *o);

/* Keep a copy of ${e}, an event of the batch ${b}, which happened on the path ${node}. */
int tt_time_order_add(struct tt_time_order *o, const struct tt_batch *b, const struct tt_event *e, uint32_t node, bool skipped,
    struct tt_err *err);

/* After the last event: from then on events can be handed out, as often as needed. */
int tt_time_order_done(struct tt_time_order *o, struct tt_err *err);

/*
 * Hand all events to ${take}, each with a batch that has only its process, its thread and its words. ${take} may change the event.
 */
int tt_time_order_each(const struct tt_time_order *o, int (*take)(void *arg, struct tt_timed *of, const struct tt_batch *b, struct tt_err *err),
    void *arg, struct tt_err *err);

#endif
