/**
 * Options of the recorder: one syntax for the environment, the command line, the control file and the C function.
 *
 * Options are NAME=VALUE, separated by ';' or line ends. Precedence, highest first: tracetool_start() or the control file; the command line (-tracetool FILE,
 * -tracetool-options OPTIONS); the environment (TRACETOOL_CAPTURE, TRACETOOL_OPTIONS). tracetool-unity(7) lists them.
 */
#ifndef TT_UNITY_CONFIG_H
#define TT_UNITY_CONFIG_H

#include "recorder/core/opttable.h"
#include "recorder/unity/abi.h"

/* Lists: glob patterns, and facts of the capture. */
enum config_list { LIST_CATEGORIES, LIST_NO_CATEGORIES, LIST_NAMES, LIST_NO_NAMES, LIST_META };

struct config {
	struct opttable_values values;        /* the lists; LIST_META has "key=value" */
	char capture[OPTVAL_PATH];    /* path of the capture; "": record only on request */
	char control[OPTVAL_PATH];    /* path of the control file; "": no control file */
	uint64_t ring_b;              /* bytes of the ring; 0: the default */
	uint64_t max_b;               /* bytes at which recording stops; 0: no limit */
	uint64_t rotate_b, rotate_ns; /* bytes, or ns, after which a new file begins; 0: never */
	uint64_t rotate_keep;         /* number of files kept; 0: all */
	uint64_t keep_ns;             /* flight recorder: hold the last ns; 0: everything is written */
	uint64_t over_ns;             /* ns of a frame above which the held events are written; 0: only at the end */
	uint64_t frames[2];           /* numbers of the first frame to capture, from 1, and of the last; 0: no end */
	uint64_t flags, no_flags;     /* record only markers with one of the first flags, and none with one of the second; 0: any */
	uint64_t verbosity;           /* maximum verbosity that is recorded */
	bool self;                    /* true: show the recorder's own work in the Unity profiler */
	bool sync;                    /* true: sync the file to the disk each second */
	bool overwrite;               /* true: replace a file of that name */
};

void config_init(struct config *c);

/* Read the ${n} bytes of options at ${text}; errors as in opttable_read(). */
int config_set(struct config *c, const char *text, size_t n, char why[OPTTABLE_WHY]);

/* Return the name of a filter whose value could not be read, or NULL. Without that filter, more would be recorded than was asked for. */
const char *config_bad_filter(const struct config *c);

/* True if the marker is recorded. ${category}: the name of its category, "" if unknown. */
bool config_takes(const struct config *c, const struct unity_marker *m, const char *category);

#endif
