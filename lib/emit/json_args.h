/**
 * Arguments of zones and instants: their names, and all of them as JSON, for every output that shows them.
 */
#ifndef TT_EMIT_JSON_ARGS_H
#define TT_EMIT_JSON_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct tt_args;
struct tt_buf;
struct tt_event;

/*
 * The name of the argument ${a}: the next of *${name}, the marker's names for its values, else "arg" and the number *${k}; of an id,
 * "instance_id". *${name} and *${k} go on; ${number} has room for TT_ARG_NAME bytes.
 */
enum { TT_ARG_NAME = 24 };
const char *tt_emit_arg_name(const struct tt_event *a, const char *const **name, size_t *k, char *number);

/* The name of the argument, a bool, that zones without an end of their own have behind all others: tt_args.cut. */
#define TT_ARG_CUT "cut"

/**
 * tt_emit_args(args, name, hex, out):
 * Append `{"size":12,"arg1":"text"}`: an argument has the name at its place in ${name} (NULL-terminated, or NULL), or, where that is missing or empty, its
 * number. For a blob the number of bytes is written, or with ${hex} the bytes, as `0x00ff`.
 */
void tt_emit_args(const struct tt_args *args, const char *const *name, bool hex, struct tt_buf *out);

/* Append the text of ${a} in quotes. */
void tt_emit_arg_text(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out);

/* The option of emitters that print arguments; ${field} is a bool, which says whether blobs are in hex. */
#define TT_OPTION_BLOBS(field) { .name = "blobs", .at = (field), .help = "write binary arguments in hex, not only their number of bytes" }

#endif
