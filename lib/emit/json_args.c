/**
 * Writes the arguments of an event as JSON.
 */
#include "emit/json_args.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "emit/common.h"

#define LARGEST_EXACT ((uint64_t)1 << 53)     /* largest integer up to which a double holds all integers */

/* Write a number as JSON; NaN, infinities and numbers that a double cannot hold exactly become strings. */
static void
put_number(enum tt_type type, uint64_t bits, struct tt_buf *out)
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
	tt_buf_add(out, text, (size_t)(p - text));
}

void
tt_emit_arg_text(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out)
{
	size_t n;
	const char *s = tt_args_text(args, a, &n);

	tt_json_quote(out, s, n);
}

static void
put_hex(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out)
{
	size_t n;
	const char *s = tt_args_text(args, a, &n);

	if (tt_buf_room(out, 2 * n + 4, NULL) != TT_OK)
		return;
	char *p = stpcpy(out->p + out->n, "\"0x");
	for (size_t i = 0; i < n; i++) {
		*p++ = "0123456789abcdef"[(unsigned char)s[i] >> 4];
		*p++ = "0123456789abcdef"[s[i] & 15];
	}
	*p++ = '"';
	out->n = (size_t)(p - out->p);
}

static void
put_value(const struct tt_args *args, const struct tt_event *a, bool hex, struct tt_buf *out)
{
	switch (a->depth) {
	case TT_T_I64: case TT_T_U64: case TT_T_F64:
		put_number((enum tt_type)a->depth, a->val, out);
		break;
	case TT_T_TEXT:
		tt_emit_arg_text(args, a, out);
		break;
	case TT_T_BLOB:
		if (hex)
			put_hex(args, a, out);
		else
			tt_buf_printf(out, "\"%" PRIu32 " bytes\"", a->dur);
		break;
	case TT_T_PTR:
		tt_buf_printf(out, "\"0x%" PRIx64 "\"", a->val);
		break;
	default:
		tt_buf_text(out, tt_word_text(a->val));
	}
}

const char *
tt_emit_arg_name(const struct tt_event *a, const char *const **name, size_t *k, char *number)
{
	if (a->flags & TT_F_ID)
		return "instance_id";
	const char *own = *name && **name ? *(*name)++ : "";

	memcpy(number, "arg", 3);
	*tt_put_u64(number + 3, (*k)++) = '\0';
	return *own ? own : number;
}

void
tt_emit_args(const struct tt_args *args, const char *const *name, bool hex, struct tt_buf *out)
{
	struct tt_json j = { .out = out };
	size_t k = 0;

	tt_json_open(&j, NULL, "{");
	for (size_t i = 0; i < args->n; i++) {
		char number[TT_ARG_NAME];

		tt_json_key(&j, tt_emit_arg_name(&args->ev[i], &name, &k, number));
		put_value(args, &args->ev[i], hex, out);
	}
	if (args->cut)
		tt_json_bool(&j, TT_ARG_CUT, true);
	tt_json_close(&j, "}");
}
