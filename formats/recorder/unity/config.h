/**
 * Options of the recorder: one syntax for the environment, the command line, the control file and the C function.
 *
 * Options are NAME=VALUE, separated by ';' or line ends. Where they come from, later ones first:
 * tracetool_start() or the control file, the command line (-tracetool FILE, -tracetool-options OPTIONS), the
 * environment (TRACETOOL_CAPTURE, TRACETOOL_OPTIONS). tracetool-unity(7) lists them.
 */
#ifndef TT_UNITY_CONFIG_H
#define TT_UNITY_CONFIG_H

#include "recorder/core/opttable.h"
#include "recorder/unity/abi.h"

/* Lists of glob patterns, and of facts for the capture. */
enum config_list { LIST_CATEGORIES, LIST_NO_CATEGORIES, LIST_NAMES, LIST_NO_NAMES, LIST_META };

struct config {
	struct opttable_values values;        /* lists; LIST_META has "key=value" */
	char capture[OPTVAL_PATH];    /* "": idle until asked */
	char control[OPTVAL_PATH];    /* the control file; "": none */
	uint64_t ring_b;              /* 0: the usual */
	uint64_t max_b;               /* stop there; 0: no end */
	uint64_t rotate_b, rotate_ns; /* a new file each; 0: never */
	uint64_t rotate_keep;         /* files kept; 0: all */
	uint64_t keep_ns;             /* flight recorder: hold the last so long; 0: everything goes to the file */
	uint64_t over_ns;             /* write the events held when a frame takes longer; 0: at the end */
	uint64_t frames[2];           /* the first frame to capture, from 1; the last, 0: no end */
	uint64_t flags, no_flags;     /* record only markers with one of these, never those with one of these; 0: no matter */
	uint64_t verbosity;           /* the highest recorded */
	bool self;                    /* show our own work in the Unity profiler */
	bool sync;                    /* sync the file to the disk each second */
	bool overwrite;               /* replace a file of that name */
};

void config_init(struct config *c);

/* Read the ${n} bytes of options at ${text}, as opttable_read() does. */
int config_set(struct config *c, const char *text, size_t n, char why[OPTTABLE_WHY]);

/* The name of a filter whose value could not be read, or NULL. Without it more would be recorded than was asked for. */
const char *config_bad_filter(const struct config *c);

/* True if the capture takes this marker. ${category} is the name of its category, "" where unknown. */
bool config_takes(const struct config *c, const struct unity_marker *m, const char *category);

#endif
