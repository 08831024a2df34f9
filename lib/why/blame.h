/**
 * The search in the calls of one frame for what takes more time than usual, and the method, or the methods, that it is blamed on; private to lib/why.
 *
 *	facts of the frame (tt_why_facts) ─ tt_why_descend: each path's extra time with all below it, then down to where most of it is
 *	    ─ tt_why_blame_parts: two or three methods that are slow together there; else tt_why_blame_path: one
 *
 * All of it is about the present frame, whose facts come in order: paths first, and callers before what they call. A path is named by its place among
 * them. Times are in ns. One thread uses a tt_why at a time.
 */
#ifndef TT_WHY_BLAME_H
#define TT_WHY_BLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_cause;
struct tt_why;

/* The end of a way down the calls. */
struct tt_why_end {
	bool more;                    /* it follows what is called more often than usual, and not all that takes longer */
	size_t at;                    /* the path; SIZE_MAX: the frame thread itself, none of whose calls has most of the time */
	int64_t ns;                   /* the extra time there, with all below it */
};

/**
 * tt_why_descend(w, more):
 * Down the calls of the frame to where most of the extra time is: of ${more} calls alone, or of all. The extra time of each path, with all below it, stays
 * in w->inside until the next way down. No memory: w->err, and there is none.
 */
struct tt_why_end tt_why_descend(struct tt_why *w, bool more);

/* For a way of more calls: if its end is not enough to explain ${least}, the path around it is, if what that does between these calls makes it enough. */
void tt_why_widen(const struct tt_why *w, struct tt_why_end *end, int64_t least);

/*
 * If the end of a way is merely around several paths that take the time, go on to the one with most of it, if that has ${least}: the share of another is
 * shown beside it.
 */
void tt_why_single_out(struct tt_why *w, struct tt_why_end *end, int64_t least);

/*
 * The path to blame if only time is more than usual at ${at}. A helper with many callers takes much time in every frame, which explains nothing: then it is
 * its innermost caller that usually takes less than a quarter of the helper's time.
 */
size_t tt_why_caller_to_blame(const struct tt_why *w, size_t at);

/*
 * The path to blame if more calls than usual are made at ${at}: the outermost of its callers that are called about as many times more, and so make these
 * calls, one each. Itself where it is called once or twice more: then chance makes them equal.
 */
size_t tt_why_caller_of_more(const struct tt_why *w, size_t at);

/**
 * tt_why_blame_path(w, at, c):
 * Blame ${c}, of which the frame and its extra time are known, on the path ${at}: a slow call, more calls or allocation.
 */
void tt_why_blame_path(const struct tt_why *w, size_t at, struct tt_cause *c);

/**
 * tt_why_blame_within(w, at, c):
 * As tt_why_blame_path(), of a marker that is called more often than usual, and whose one call takes the time: on what takes it there, not on the engine's
 * loop over objects that it may be.
 */
void tt_why_blame_within(struct tt_why *w, size_t at, struct tt_cause *c);

/**
 * tt_why_blame_parts(w, end, c):
 * If most of the extra time ends at a path, or the thread, which hardly takes more itself: blame ${c} on the two or three paths right below it, if each has a
 * fifth of that time, all together three quarters, and each takes twice as long as usual or longer. False: they are not so, and ${c} is as it was.
 */
bool tt_why_blame_parts(struct tt_why *w, const struct tt_why_end *end, struct tt_cause *c);

/**
 * tt_why_blame_beside(w, first, c):
 * Blame ${c}, which is blank but for its frame, on what the program does in it beside the cause ${first}, for a quarter of the extra time or more: by the same
 * rules, without the methods that ${first} is blamed on and what they call. It is doubtful where it is merely slower. False: there is nothing.
 */
bool tt_why_blame_beside(struct tt_why *w, const struct tt_cause *first, struct tt_cause *c);

/*
 * The innermost method of the program around the path ${node}, of a marker ${row} that is none itself; without one, the innermost of the engine, if ${row} is
 * no method at all. TT_NO_ROW: it is one, or there is none.
 */
uint32_t tt_why_method_around(const struct tt_why *w, uint32_t row, uint32_t node);

/* The class of which the marker ${row} allocated most bytes in the frame, which the model owns; NULL: none is known. */
const char *tt_why_most_class(const struct tt_why *w, uint32_t row);

#endif
