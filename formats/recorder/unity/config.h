/**
 * Options of the recorder: one syntax for the environment, the command line, the control file and the C function.
 *
 * Options are NAME=VALUE, separated by ';' or line ends. Where they come from, later ones first:
 * tracetool_start() or the control file, the command line (-tracetool FILE, -tracetool-options OPTIONS), the
 * environment (TRACETOOL_CAPTURE, TRACETOOL_OPTIONS). tracetool-unity(7) lists them.
 */
#ifndef TT_UNITY_CONFIG_H
#define TT_UNITY_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recorder/core/optval.h"
#include "recorder/unity/abi.h"

enum { CONFIG_PATH = OPTVAL_PATH, CONFIG_LISTS = 8192, CONFIG_WHY = 400 };

/* Lists of glob patterns, and of facts for the capture. */
enum config_list { LIST_CATEGORIES, LIST_NO_CATEGORIES, LIST_NAMES, LIST_NO_NAMES, LIST_META, LISTS };

struct config {
	char capture[CONFIG_PATH];    /* "": idle until asked */
	char control[CONFIG_PATH];    /* the control file; "": none */
	uint64_t ring_b;              /* 0: the usual */
	uint64_t max_b;               /* stop there; 0: no end */
	uint64_t rotate_b, rotate_ns; /* a new file each; 0: never */
	uint64_t rotate_keep;         /* files kept; 0: all */
	uint64_t keep_ns;             /* flight recorder: hold the last so long; 0: everything goes to the file */
	uint64_t over_ns;             /* write the events held when a frame takes longer; 0: at the end */
	uint64_t first, last;         /* frames to capture, from 1; last 0: no end */
	uint16_t flags, no_flags;     /* record only markers with one of these, never those with one of these; 0: no matter */
	unsigned verbosity;           /* the highest recorded */
	bool self;                    /* show our own work in the Unity profiler */
	bool sync;                    /* have the file brought to the disk each second */
	bool overwrite;               /* replace a file of that name */
	uint32_t bad;                 /* a bit for each option whose last value could not be read */
	unsigned n[LISTS];            /* entries of each list */
	size_t used;
	char text[CONFIG_LISTS];      /* entries of all lists: a byte of enum config_list, text, NUL */
};

void config_init(struct config *c);

/**
 * config_set(c, text, n, why):
 * Read the options in the ${n} bytes at ${text}. Lists given again grow; other options are replaced.
 * Returns 0, or -1 with the errors of all bad options in ${why}; the good ones are set.
 */
int config_set(struct config *c, const char *text, size_t n, char why[CONFIG_WHY]);

/* The name of a filter whose value could not be read, or NULL. Without it more would be recorded than was asked for. */
const char *config_bad_filter(const struct config *c);

/* Does the capture take this marker? ${category} is the name of its category, "" where unknown. */
bool config_takes(const struct config *c, const struct unity_marker *m, const char *category);

/* The entry of ${list} after ${last} (NULL: the first), or NULL. Of LIST_META they are "key=value". */
const char *config_next(const struct config *c, enum config_list list, const char *last);

#endif
