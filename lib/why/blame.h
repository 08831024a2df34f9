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

/* The path where a descent of the call tree ended. */
struct tt_why_end {
	bool by_calls;                /* true: the descent counted only time of calls made more often than usual; false: all extra time */
	size_t path;                  /* the path; SIZE_MAX: the frame thread itself, because none of its calls has most of the extra time */
	int64_t ns;                   /* the extra time of that path, with all that it calls */
};

/**
 * tt_why_descend(w, by_calls):
 * Descend from the frame thread to the path with most of the extra time; with ${by_calls} count only calls made more often than usual. w->extra_ns keeps the
 * extra time of each path, with all that it calls, until the next descent. On lack of memory, set w->err and return no path.
 */
struct tt_why_end tt_why_descend(struct tt_why *w, bool by_calls);

/*
 * For a descent that counted more calls: if the extra time at ${end} is less than ${least}, move to its caller, provided that the caller's own work between
 * these calls brings the sum to ${least}.
 */
void tt_why_widen(const struct tt_why *w, struct tt_why_end *end, int64_t least);

/*
 * If the path at ${end} is merely the caller of several paths that take the time, continue to the heaviest of these, if that has ${least}; the others are
 * reported beside it.
 */
void tt_why_single_out(struct tt_why *w, struct tt_why_end *end, int64_t least);

/*
 * The path to blame if the path at ${at} takes longer without more calls. A helper with many callers takes long in every frame, which explains nothing: then
 * blame its innermost caller that usually takes less than a quarter of the helper's time.
 */
size_t tt_why_caller_to_blame(const struct tt_why *w, size_t at);

/*
 * The path to blame if more calls than usual are made at ${at}: the outermost of its callers with about as many extra calls, because each of these makes one of
 * the calls. With fewer than three extra calls, ${at} itself: numbers that small are equal by chance.
 */
size_t tt_why_caller_of_more(const struct tt_why *w, size_t at);

/**
 * tt_why_blame_path(w, at, c):
 * Blame ${c}, whose frame and extra time are set, on the path ${at}: as a slow call, more calls or allocation.
 */
void tt_why_blame_path(const struct tt_why *w, size_t at, struct tt_cause *c);

/**
 * tt_why_blame_within(w, at, c):
 * Like tt_why_blame_path(), for a path whose marker is called more often than usual: if a single slow call takes the time, blame the path below it that does,
 * because ${at} may be the engine's loop over objects.
 */
void tt_why_blame_within(struct tt_why *w, size_t at, struct tt_cause *c);

/**
 * tt_why_blame_parts(w, end, c):
 * If the path at ${end} hardly takes longer itself, blame ${c} on two or three of its children: each has at least a fifth of the extra time, all have three
 * quarters together, and each takes at least twice as long as usual. Otherwise leave ${c} unchanged and return false.
 */
bool tt_why_blame_parts(struct tt_why *w, const struct tt_why_end *end, struct tt_cause *c);

/**
 * tt_why_blame_beside(w, first, c):
 * Find a second cause in the frame of ${first}: work of the program that takes at least a quarter of the extra time, without the methods that ${first} blames
 * and their callees. Blame ${c} on it, which on entry has only its frame. A method that is merely slower makes ${c} doubtful. Return false if there is no
 * second cause.
 */
bool tt_why_blame_beside(struct tt_why *w, const struct tt_cause *first, struct tt_cause *c);

/*
 * The innermost method of the program around the path ${node}; else, if the marker ${row} is not a method, the innermost engine method. TT_NO_ROW: ${row} is
 * itself a method of the program, or nothing was found.
 */
uint32_t tt_why_method_around(const struct tt_why *w, uint32_t row, uint32_t node);

/* The class with most bytes among the allocations of the marker ${row} in the frame; the model owns the name. NULL: not known. */
const char *tt_why_most_class(const struct tt_why *w, uint32_t row);

#endif
