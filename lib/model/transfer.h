/**
 * Recognises captures that a program took for text: written as base64, as a dump, as an array or in other codings, decoded as text on the way, or with
 * line ends changed.
 *
 * Nothing is undone: the first bytes say what happened, and the message what to do.
 */
#ifndef TT_MODEL_TRANSFER_H
#define TT_MODEL_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tt_format;
struct tt_err;

/**
 * tt_transfer_refuse(list, head, n, lossy, err):
 * If the ${n} bytes at ${head}, the first of a file, are a capture of one of ${list} as text, return TT_E_UNKNOWN with what it is and what to do; else TT_OK.
 * ${lossy}: true if a reader knows the first bytes; then refuse only if it can make nothing of the rest: bytes became U+FFFD, or all is text.
 */
int tt_transfer_refuse(const struct tt_format *const *list, const uint8_t *head, size_t n, bool lossy, struct tt_err *err);

/*
 * True if the first bytes of a file that a reader takes for a capture look as if a transfer as text changed them: each line feed follows a carriage
 * return, each character is valid UTF-8, none is beyond ASCII, or none is NUL. It may be chance: to be asked only about a capture that is damaged.
 */
bool tt_transfer_changed(const uint8_t *head, size_t n);

#endif
