/**
 * The results of collectors: how a model's reader gets at the state of a collector.
 *
 * Each collector's header declares the struct that its state begins with, and by TT_COLLECTED_AS a function of the same name.
 */
#ifndef TT_COLLECT_COLLECTED_H
#define TT_COLLECT_COLLECTED_H

struct tt_model;

/* Places in tt_model.collected, in the order in which they see an event. */
enum tt_collects {
	TT_COLLECTS_COUNTERS,         /* first, because it makes values of differences */
	TT_COLLECTS_GC, TT_COLLECTS_COUNTS, TT_COLLECTS_COVER, TT_COLLECTS_LOCKS, TT_COLLECTS_THROWS, TT_COLLECTS_CODE,
	TT_COLLECTS_SHOTS, TT_COLLECTS_GRAPH, TT_COLLECTS_FOUND, TT_COLLECTS_TIMELINE, TT_COLLECTS_FINALS, TT_COLLECTS_HANDLES,
	TT_COLLECTS_BY_FRAME,
	TT_COLLECTS_ALL
};

/* The results of collector ${which}; zeros if there are none. */
const void *tt_collected(const struct tt_model *m, enum tt_collects which);

enum { TT_COLLECTED_SIZE = 2048 };    /* the most bytes of one collector's results */
#define TT_COLLECTED_AS(type, which) \
	_Static_assert(sizeof(struct type) <= TT_COLLECTED_SIZE, "too large"); \
	static inline const struct type * \
	type(const struct tt_model *m) \
	{ \
		return tt_collected(m, which); \
	} \
	_Static_assert(1, "for the semicolon")

#endif
