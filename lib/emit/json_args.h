/**
 * Arguments of zones and instants: their names, and all arguments as JSON, for every output that shows them.
 */
#ifndef TT_EMIT_JSON_ARGS_H
#define TT_EMIT_JSON_ARGS_H

#include <stdbool.h>
#include <stddef.h>

struct tt_args;
struct tt_buf;
struct tt_event;

/*
 * Return the name of the argument ${a}: the next of *${name}, the marker's names for its values; without such a name "arg" and the number *${k}; for an
 * id "instance_id". Advances *${name} and *${k}; ${number} has room for TT_ARG_NAME bytes.
 */
enum { TT_ARG_NAME = 24 };
const char *tt_emit_arg_name(const struct tt_event *a, const char *const **name, size_t *k, char *number);

/* The last argument, a bool, of zones whose own end is missing: tt_args.cut. */
#define TT_ARG_CUT "cut"

/**
 * tt_emit_args(args, name, hex, out):
 * Append `{"size":12,"arg1":"text"}`: the name of an argument is at its place in ${name} (NULL-terminated, or NULL); if it is missing or empty, the
 * argument's number is its name. For a blob write the number of bytes or, with ${hex}, the bytes as `0x00ff`.
 */
void tt_emit_args(const struct tt_args *args, const char *const *name, bool hex, struct tt_buf *out);

/* Append the text of ${a} in quotes. */
void tt_emit_arg_text(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out);

/* The option of emitters that print arguments; ${field} is a bool that says whether blobs are written in hex. */
#define TT_OPTION_BLOBS(field) { .name = "blobs", .at = (field), .help = "write binary arguments in hex, not only their number of bytes" }

#endif
