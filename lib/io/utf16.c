/**
 * UTF-16 to UTF-8, as a decoder over the bytes of a text file; src.c chooses it by the file's first bytes.
 */
#include <string.h>

#include "base/utf8.h"
#include "io/decode.h"

struct utf16 {
	struct tt_decoder dec;
	struct tt_env *env;
	struct tt_raw *raw;
	bool big_endian;
	bool begun;                   /* true: a byte order mark, if there is one, was taken */
	char rest[4];                 /* a character that did not fit into the caller's bytes */
	size_t rest_at, rest_n;
};

static uint32_t
unit_at(const struct utf16 *d, const uint8_t *p)
{
	return d->big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static int
fail_at(const struct utf16 *d, const char *what, struct tt_err *err)
{
	return tt_fail(err, TT_E_USAGE, tt_raw_ntaken(d->raw), "is UTF-16, and %s: save it as UTF-8", what);
}

/* Take the next character, and set *${c} to its code point. TT_END: there are no more. */
static int
take_character(struct utf16 *d, uint32_t *c, struct tt_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc = tt_raw_peek(d->raw, 4, &p, &n, err);

	if (rc != TT_OK)
		return rc;
	if (n < 2)
		return fail_at(d, "ends in the middle of a character", err);
	*c = unit_at(d, p);
	if (*c >= 0xD800 && *c < 0xDC00 && n >= 4 && unit_at(d, p + 2) >= 0xDC00 && unit_at(d, p + 2) < 0xE000) {
		*c = 0x10000 + ((*c - 0xD800) << 10) + (unit_at(d, p + 2) - 0xDC00);
		tt_raw_take(d->raw, 4);
		return TT_OK;
	}
	if (*c >= 0xD800 && *c < 0xE000)
		return fail_at(d, "has half of a character", err);
	tt_raw_take(d->raw, 2);
	return TT_OK;
}

static int
read_utf16(struct tt_decoder *dec, void *to, size_t n, size_t *got, struct tt_err *err)
{
	struct utf16 *d = (struct utf16 *)dec;
	uint8_t *p = to;

	for (*got = 0; *got < n;) {
		size_t some = d->rest_n < n - *got ? d->rest_n : n - *got;
		uint32_t c;
		int rc;

		memcpy(p + *got, d->rest + d->rest_at, some);
		*got += some;
		d->rest_at += some;
		d->rest_n -= some;
		if (some)
			continue;
		rc = take_character(d, &c, err);
		if (rc == TT_OK && c == 0xFEFF && !d->begun)
			rc = take_character(d, &c, err);
		d->begun = true;
		/* Bytes decoded so far are given out first: the next call meets the same failure again. */
		if (rc != TT_OK)
			return *got ? TT_OK : rc;
		d->rest_at = 0;
		d->rest_n = tt_utf8_put(d->rest, c);
	}
	return TT_OK;
}

static int
rewind_utf16(struct tt_decoder *dec, struct tt_err *err)
{
	struct utf16 *d = (struct utf16 *)dec;

	(void)err;
	d->rest_n = 0;
	d->begun = false;
	return TT_OK;
}

static void
free_utf16(struct tt_decoder *dec)
{
	struct utf16 *d = (struct utf16 *)dec;

	tt_mem_free(&d->env->mem, d, sizeof *d);
}

int
tt_utf16_new(struct tt_env *env, struct tt_raw *raw, bool big_endian, struct tt_decoder **dec, struct tt_err *err)
{
	struct utf16 *d = tt_mem_alloc(&env->mem, sizeof *d, err);

	if (!d)
		return err ? err->code : TT_E_NOMEM;
	*d = (struct utf16){ .dec = { .read = read_utf16, .rewind = rewind_utf16, .free = free_utf16 }, .env = env, .raw = raw, .big_endian = big_endian };
	*dec = &d->dec;
	return TT_OK;
}
