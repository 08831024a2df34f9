/**
 * Arguments of zones and instants as JSON, for every output that shows them.
 */
#ifndef TT_EMIT_ARGS_H
#define TT_EMIT_ARGS_H

#include <stdbool.h>

struct tt_args;
struct tt_buf;
struct tt_event;

/**
 * tt_emit_args(args, name, hex, out):
 * Append `{"size":12,"arg1":"text"}`: an argument has the name at its place in ${name} (NULL-terminated, or NULL), or, where
 * that is missing or empty, its number. Of a blob the number of bytes is written, or with ${hex} the bytes, as `0x00ff`.
 */
void tt_emit_args(const struct tt_args *args, const char *const *name, bool hex, struct tt_buf *out);

/* Append the text of ${a} in quotes. */
void tt_emit_arg_text(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out);

/* The option of emitters that print arguments; ${field} is a bool, which says whether blobs are in hex. */
#define TT_OPTION_BLOBS(field) { .name = "blobs", .at = (field), .help = "write binary arguments in hex, not only their number of bytes" }

#endif
