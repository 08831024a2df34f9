/**
 * Arguments as JSON; the contract is in args.h.
 */
#include "emit/args.h"

#include <inttypes.h>
#include <string.h>

#define LARGEST_EXACT ((uint64_t)1 << 53)     /* of integers in a double */

/* A number as JSON; NaN, infinities and numbers that a double cannot hold exactly become strings. */
static int
put_number(enum tt_type type, uint64_t bits, struct tt_buf *out, struct tt_err *err)
{
	bool large = type == TT_T_I64 ? bits + LARGEST_EXACT > 2 * LARGEST_EXACT :
	    type == TT_T_U64 && bits > LARGEST_EXACT;
	bool quoted = large || !tt_value_finite(type, bits);
	char text[40], *p = text;

	if (quoted)
		*p++ = '"';
	p = tt_put_value(p, type, bits);
	if (quoted)
		*p++ = '"';
	return tt_buf_add(out, text, (size_t)(p - text), err);
}

int
tt_emit_arg_text(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out, struct tt_err *err)
{
	size_t n;
	const char *s = tt_args_text(args, a, &n);
	int rc;

	if ((rc = tt_buf_text(out, "\"", err)) != TT_OK || (rc = tt_buf_json(out, s, n, err)) != TT_OK)
		return rc;
	return tt_buf_text(out, "\"", err);
}

static int
put_hex(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out, struct tt_err *err)
{
	size_t n;
	const char *s = tt_args_text(args, a, &n);
	int rc = tt_buf_room(out, 2 * n + 4, err);

	if (rc != TT_OK)
		return rc;
	char *p = stpcpy(out->p + out->n, "\"0x");
	for (size_t i = 0; i < n; i++) {
		*p++ = "0123456789abcdef"[(unsigned char)s[i] >> 4];
		*p++ = "0123456789abcdef"[s[i] & 15];
	}
	*p++ = '"';
	out->n = (size_t)(p - out->p);
	return TT_OK;
}

static int
put_value(const struct tt_args *args, const struct tt_event *a, bool hex, struct tt_buf *out, struct tt_err *err)
{
	switch (a->depth) {
	case TT_T_I64: case TT_T_U64: case TT_T_F64:
		return put_number((enum tt_type)a->depth, a->val, out, err);
	case TT_T_TEXT:
		return tt_emit_arg_text(args, a, out, err);
	case TT_T_BLOB:
		return hex ? put_hex(args, a, out, err) : tt_buf_printf(out, err, "\"%" PRIu32 " bytes\"", a->dur);
	case TT_T_PTR:
		return tt_buf_printf(out, err, "\"0x%" PRIx64 "\"", a->val);
	default:
		return tt_buf_text(out, tt_word_text(a->val), err);
	}
}

int
tt_emit_args(const struct tt_args *args, const char *const *name, bool hex, struct tt_buf *out, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t k = 0; k < args->n && rc == TT_OK; k++) {
		const char *own = name && *name ? *name++ : "";

		if ((rc = tt_buf_text(out, k ? ",\"" : "{\"", err)) != TT_OK)
			return rc;
		rc = *own ? tt_buf_json(out, own, strlen(own), err) : tt_buf_printf(out, err, "arg%zu", k);
		if (rc == TT_OK)
			rc = tt_buf_text(out, "\":", err);
		if (rc == TT_OK)
			rc = put_value(args, &args->ev[k], hex, out, err);
	}
	return rc == TT_OK ? tt_buf_text(out, args->n ? "}" : "{}", err) : rc;
}
