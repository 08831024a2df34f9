/**
 * Options of the module: the text after "tracetool:" in --profile=tracetool:OPTIONS.
 *
 * NAME or NAME=VALUE with commas between; ",," is a comma inside a value. tracetool-mono(7) lists them.
 */
#ifndef TT_MONO_OPTIONS_H
#define TT_MONO_OPTIONS_H

#include "recorder/core/opttable.h"

enum { OPTIONS_DEPTH = 2048, OPTIONS_WHY = OPTTABLE_WHY };

/* Lists: patterns of methods, and facts of the capture. */
enum options_list { LIST_INCLUDE, LIST_EXCLUDE, LIST_ARGS, LIST_FRAME, LIST_META, LIST_COVERAGE, LIST_UNCOVERED };

struct options {
	struct opttable_values values;        /* the lists; LIST_META has "key:value" */
	bool calls, alloc, gc, moves, roots, handles, finalizers, exceptions, monitor, jit;
	uint64_t sample_hz;           /* 0: no samples */
	bool sample_cpu, sample_real; /* which time is sampled; processor time if neither is set */
	bool coverage;
	bool heap, heap_end;          /* heap shots; a shot at the end */
	uint64_t heap_ns, heap_gcs;   /* heap shots at this interval in ns, or at every Nth major collection; 0: neither */
	uint64_t depth;               /* maximum depth of recorded calls; 0: no limit */
	uint64_t alloc_stack, stack;  /* maximum frames recorded for allocations; for throws and contended locks */
	uint64_t alloc_sample_b;      /* record one allocation per this many bytes; 0: each one */
	char out[OPTVAL_PATH];        /* path of the capture, as given */
	bool overwrite;               /* true: replace a file of that name */
	uint64_t ring_b;              /* bytes of the ring; 0: the default */
	uint64_t max_b;               /* bytes at which recording stops; 0: no limit */
	uint64_t threads;             /* maximum threads alive at once; 0: the default */
	uint64_t keep_ns;             /* flight recorder: hold the last ns; 0: everything is written */
	uint64_t rotate_b, rotate_ns; /* bytes, or ns, after which a new file begins; 0: never */
	uint64_t rotate_keep;         /* number of files kept; 0: all */
	uint64_t counters_ns;         /* ns between readings of counters; 0: never */
	bool paused;                  /* true: wait until something starts recording */
	uint64_t delay_ns;            /* ns to wait before recording */
	uint64_t signal;              /* signal that starts and stops recording; 0: none */
	char control[OPTVAL_PATH];    /* path of the control file; "": no control file */
};

/* True if an option records events. */
bool options_record(const struct options *o);

/* True if nothing is recorded, or an option has no effect because one that it belongs to is missing; ${why} says what to add. */
bool options_idle(const struct options *o, char why[OPTIONS_WHY]);

/* Fill ${o} from the NUL-terminated text ${s}. 0, or -1 with all errors in one line in ${why}. */
int options_read(struct options *o, const char *s, char why[OPTIONS_WHY]);

#endif
