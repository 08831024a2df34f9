/**
 * Options of the module: the text after "tracetool:" in --profile=tracetool:OPTIONS.
 *
 * NAME or NAME=VALUE with commas between; ",," is a comma inside a value. tracetool-mono(7) lists them.
 */
#ifndef TT_MONO_OPTIONS_H
#define TT_MONO_OPTIONS_H

#include "recorder/core/opttable.h"

enum { OPTIONS_DEPTH = 2048, OPTIONS_WHY = OPTTABLE_WHY };

/* Patterns of methods; facts for the capture. */
enum options_list { LIST_INCLUDE, LIST_EXCLUDE, LIST_ARGS, LIST_FRAME, LIST_META, LIST_COVERAGE, LIST_UNCOVERED };

struct options {
	struct opttable_values values;        /* lists; LIST_META has "key:value" */
	bool calls, alloc, gc, moves, roots, handles, finalizers, exceptions, monitor, jit;
	uint64_t sample_hz;           /* 0: no samples */
	bool sample_cpu, sample_real; /* which time; cpu without either */
	bool coverage;
	bool heap, heap_end;          /* heap shots; one at the end */
	uint64_t heap_ns, heap_gcs;   /* ... at this interval, every so many major collections; 0: not so */
	uint64_t depth;               /* calls nested deeper are left out; 0: none is */
	uint64_t alloc_stack, stack;  /* frames of allocations; of throws and contended locks */
	uint64_t alloc_sample_b;      /* one allocation in so many bytes; 0: each */
	char out[OPTVAL_PATH];        /* of the capture, as given */
	bool overwrite;               /* replace a file of that name */
	uint64_t ring_b;              /* 0: the usual */
	uint64_t max_b;               /* stop there; 0: no end */
	uint64_t threads;             /* live at once; 0: the usual */
	uint64_t keep_ns;             /* flight recorder: hold the last so long; 0: everything goes to the file */
	uint64_t rotate_b, rotate_ns; /* a new file each; 0: never */
	uint64_t rotate_keep;         /* files kept; 0: all */
	uint64_t counters_ns;         /* how often counters are read; 0: never */
	bool paused;                  /* till something starts it */
	uint64_t delay_ns;            /* so long */
	uint64_t signal;              /* number of the one that starts and stops; 0: none */
	char control[OPTVAL_PATH];    /* the control file; "": none */
};

/* Fill ${o} from the NUL-terminated text ${s}. 0, or -1 with all errors in one line in ${why}. */
int options_read(struct options *o, const char *s, char why[OPTIONS_WHY]);

#endif
