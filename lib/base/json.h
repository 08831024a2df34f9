/**
 * Writing JSON: members with their keys, commas and escapes, at the end of a buffer, whose error sticks (buf.h).
 *
 *	struct tt_json j = { .out = &buf };
 *	tt_json_open(&j, NULL, "{");
 *	tt_json_text(&j, "name", "a");
 *	tt_json_u64(&j, "count", 3);
 *	tt_json_close(&j, "}");
 *
 * In arrays a key is NULL.
 */
#ifndef TT_BASE_JSON_H
#define TT_BASE_JSON_H

#include "base/buf.h"

struct tt_json {
	struct tt_buf *out;
	bool comma;                   /* true: the next member needs a comma before it */
	const char *gap;              /* white space to write before the next member, once; NULL: none */
};

/* Begin and end an object or array. ${open} is "{" or "[" and the white space after it, ${close} "}" or "]" and the white space with it. */
void tt_json_open(struct tt_json *j, const char *key, const char *open);
void tt_json_close(struct tt_json *j, const char *close);

/* Write only the key; the caller writes the value to j->out. */
void tt_json_key(struct tt_json *j, const char *key);
void tt_json_key_n(struct tt_json *j, const char *key, size_t n);

/* Write a text; no member if ${s} is NULL. */
void tt_json_text(struct tt_json *j, const char *key, const char *s);
void tt_json_text_n(struct tt_json *j, const char *key, const char *s, size_t n);

/* Write ${s} as it is: the digits of a number, or "null". */
void tt_json_raw(struct tt_json *j, const char *key, const char *s);
void tt_json_bool(struct tt_json *j, const char *key, bool v);
void tt_json_u64(struct tt_json *j, const char *key, uint64_t v);
void tt_json_i64(struct tt_json *j, const char *key, int64_t v);

/* Write a member whose JSON, or the beginning of it, is the ${n} bytes at ${s}; the caller writes the rest to j->out. */
void tt_json_part(struct tt_json *j, const char *s, size_t n);

/* Append only the text ${s}, escaped and in quotes. */
void tt_json_quote(struct tt_buf *out, const char *s, size_t n);

#endif
