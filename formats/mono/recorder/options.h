/**
 * Options of the module: what stands behind "tracetool:" in --profile=tracetool:OPTIONS.
 *
 * NAME or NAME=VALUE with commas between; ",," is a comma inside a value. tracetool-mono(7) lists them.
 */
#ifndef TT_MONO_OPTIONS_H
#define TT_MONO_OPTIONS_H

#include "optval.h"

enum { OPTIONS_LISTS = 8192, OPTIONS_WHY = 1024 };

/* Lists: patterns of methods. */
enum options_list { LIST_INCLUDE, LIST_EXCLUDE, LISTS };

struct options {
	bool calls, alloc;
	char out[OPTVAL_PATH];        /* of the capture, as given */
	uint64_t ring_b;              /* 0: the usual */
	uint64_t max_b;               /* stop there; 0: no end */
	uint64_t threads;             /* live at once; 0: the usual */
	unsigned n[LISTS];            /* entries of each list */
	size_t used;
	char text[OPTIONS_LISTS];     /* entries of all lists: a byte of enum options_list, text, NUL */
};

/**
 * options_read(o, s, why):
 * Fill ${o} from the NUL-terminated text ${s}. 0, or -1 with one line in ${why}: the option and the valid ones.
 */
int options_read(struct options *o, const char *s, char why[OPTIONS_WHY]);

/* The entry of ${list} behind ${last} (NULL: the first), or NULL. */
const char *options_next(const struct options *o, enum options_list list, const char *last);

#endif
