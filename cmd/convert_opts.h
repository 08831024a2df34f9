/**
 * The options of tracetool convert, and the outputs that they name.
 */
#ifndef TT_CMD_CONVERT_OPTS_H
#define TT_CMD_CONVERT_OPTS_H

#include "input.h"

struct tt_emit;

/* One -o, with the format of the -f before it; NULL: by suffix. */
struct output {
	const char *path, *format;
	const struct tt_emit *emit;
	char *own;                    /* the emitters' options as they were at this -o; settle() adds the remaining ones */
	size_t numbered;              /* number of numbered files made */
};

struct convert_opts {
	struct input_opts in;
	struct tt_opt_given given;
	struct output *out;
	size_t nout, capout;
	const char *format;           /* the format that was given last */
	char *own;                    /* the emitters' options given so far, laid out by convert_emit_at() */
};

/* Return the offset of ${e}'s options among those of all emitters; ${e} NULL: the total size. */
size_t convert_emit_at(const struct tt_emit *e);

/* Add the output ${path} with the options given so far. */
int convert_add_output(struct convert_opts *c, const char *path, struct tt_arena *a, struct tt_err *err);

#endif
