/**
 * Writes JSON with indentation and escapes.
 */
#include "base/json.h"

void
tt_json_quote(struct tt_buf *out, const char *s, size_t n)
{
	char *p;

	if (tt_buf_room(out, n < SIZE_MAX / 8 ? 6 * n + 2 : SIZE_MAX, NULL) != TT_OK)
		return;
	p = out->p + out->n;
	*p++ = '"';
	p = tt_put_json(p, s, n);
	*p++ = '"';
	out->n = (size_t)(p - out->p);
}

void
tt_json_key_n(struct tt_json *j, const char *key, size_t n)
{
	if (j->comma)
		tt_buf_add(j->out, ",", 1);
	if (j->gap)
		tt_buf_text(j->out, j->gap);
	j->comma = true;
	j->gap = NULL;
	if (!key)
		return;
	tt_json_quote(j->out, key, n);
	tt_buf_add(j->out, ":", 1);
}

void
tt_json_key(struct tt_json *j, const char *key)
{
	tt_json_key_n(j, key, key ? strlen(key) : 0);
}

void
tt_json_open(struct tt_json *j, const char *key, const char *open)
{
	tt_json_key(j, key);
	tt_buf_text(j->out, open);
	j->comma = false;
}

void
tt_json_close(struct tt_json *j, const char *close)
{
	tt_buf_text(j->out, close);
	j->comma = true;
}

void
tt_json_text_n(struct tt_json *j, const char *key, const char *s, size_t n)
{
	tt_json_key(j, key);
	tt_json_quote(j->out, s, n);
}

void
tt_json_text(struct tt_json *j, const char *key, const char *s)
{
	if (s)
		tt_json_text_n(j, key, s, strlen(s));
}

void
tt_json_raw(struct tt_json *j, const char *key, const char *s)
{
	tt_json_key(j, key);
	tt_buf_text(j->out, s);
}

void
tt_json_part(struct tt_json *j, const char *s, size_t n)
{
	tt_json_key(j, NULL);
	tt_buf_add(j->out, s, n);
}

void
tt_json_bool(struct tt_json *j, const char *key, bool v)
{
	tt_json_raw(j, key, v ? "true" : "false");
}

void
tt_json_u64(struct tt_json *j, const char *key, uint64_t v)
{
	char number[24];

	tt_json_key(j, key);
	tt_buf_add(j->out, number, (size_t)(tt_put_u64(number, v) - number));
}

void
tt_json_i64(struct tt_json *j, const char *key, int64_t v)
{
	char number[24];

	tt_json_key(j, key);
	tt_buf_add(j->out, number, (size_t)(tt_put_i64(number, v) - number));
}
