/**
 * Chrome JSON: arguments of zones and instants.
 */
#include <inttypes.h>
#include <string.h>

#include "emit/chrome.h"

#define LARGEST_EXACT ((uint64_t)1 << 53)     /* of integers in a double */

/* A number as JSON; what a double cannot hold exactly, and what is no number, becomes a string. */
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
tt_chrome_text(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out, struct tt_err *err)
{
	size_t n;
	const char *s = tt_args_text(args, a, &n);
	int rc;

	if ((rc = tt_buf_text(out, "\"", err)) != TT_OK || (rc = tt_buf_json(out, s, n, err)) != TT_OK)
		return rc;
	return tt_buf_text(out, "\"", err);
}

/* They are numbered: the formats we read give them no names. */
static int
put_name(size_t k, bool first, struct tt_buf *out, struct tt_err *err)
{
	char text[48], *p = first ? CHROME_PUT(text, ",\"args\":{\"arg") : CHROME_PUT(text, ",\"arg");

	p = tt_put_u64(p, k);
	p = CHROME_PUT(p, "\":");
	return tt_buf_add(out, text, (size_t)(p - text), err);
}

static int
put_arg(const struct tt_args *args, const struct tt_event *a, struct tt_buf *out, struct tt_err *err)
{
	switch ((enum tt_type)a->depth) {
	case TT_T_TEXT:
		return tt_chrome_text(args, a, out, err);
	case TT_T_BLOB:
		return tt_buf_printf(out, err, "\"%" PRIu32 " bytes\"", a->dur);
	case TT_T_PTR:
		return tt_buf_printf(out, err, "\"0x%" PRIx64 "\"", a->val);
	default:
		return put_number((enum tt_type)a->depth, a->val, out, err);
	}
}

int
tt_chrome_args(const struct chrome *c, const struct tt_args *args, struct tt_buf *out, struct tt_err *err)
{
	bool first = true;
	int rc = TT_OK;

	for (size_t k = 0; k < args->n && rc == TT_OK; k++) {
		const struct tt_event *a = &args->ev[k];

		if (a->depth > TT_T_PTR) {
			atomic_fetch_add_explicit(c->unwritten, 1, memory_order_relaxed);
			continue;
		}
		rc = put_name(k, first, out, err);
		if (rc == TT_OK)
			rc = put_arg(args, a, out, err);
		first = false;
	}
	return first || rc != TT_OK ? rc : tt_buf_text(out, "}", err);
}
