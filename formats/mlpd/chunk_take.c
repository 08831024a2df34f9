/**
 * Takes numbers, texts, arguments and stacks out of the bytes of an .mlpd buffer, without interpreting events.
 */
#include "mlpd/chunk_take.h"

/* Read a number of more than two bytes; kept out of line. */
uint64_t
mlpd_uleb_long(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t c = *p++;
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*pp = p;
			return v;
		}
	}
	*bad = true;
	*pp = p;
	return 0;
}

int64_t
mlpd_sleb_long(const uint8_t **pp, bool *bad)
{
	const uint8_t *p = *pp;
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t c = *p++;
		if (shift < 64)
			v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			if ((c & 0x40) && shift + 7 < 64)
				v |= ~(uint64_t)0 << (shift + 7);
			*pp = p;
			return (int64_t)v;
		}
	}
	*bad = true;
	*pp = p;
	return 0;
}

/* Note the text of ${len} bytes at ${t}, to be scrubbed in a copy. */
static void
note_text(struct mlpd_texts *to, struct tt_mem *mem, enum mlpd_text what, const char *t, uint32_t len, struct tt_err *err)
{
	if (to->rc == TT_OK)
		to->rc = tt_mem_grow(mem, &to->v, &to->cap, to->n + 1, sizeof *to->v, err);
	if (to->rc == TT_OK)
		to->v[to->n++] = (struct mlpd_text_at){ .p = (const uint8_t *)t, .len = len, .what = what };
}

void
take_text(struct mlpd_run *r, enum mlpd_text what, const char **t, uint32_t *len)
{
	const uint8_t *nul = r->p < r->end ? memchr(r->p, 0, (size_t)(r->end - r->p)) : NULL;

	*t = "";
	*len = 0;
	if (!nul) {
		r->bad = true;
		return;
	}
	*t = (const char *)r->p;
	*len = (uint32_t)(nul - r->p);
	r->p = nul + 1;
	if (unlikely(r->m->texts != NULL))
		note_text(r->m->texts, r->b->mem, what, *t, *len, r->err);
}

/* Handle a time that runs backwards: its delta is stored as the wrapped difference. */
void
mlpd_time_back(struct mlpd_run *r, uint64_t delta)
{
	tt_batch_time(r->b, now(r));
	if (now(r) > r->last)
		r->last = now(r);
	r->time += delta;
	/* Mono 4.6 gives its first counter sample the time 0, which is not a real time. */
	if (r->time != 0)
		tt_batch_time(r->b, now(r));
}

int
take_text_arg(struct mlpd_run *r, const char *t, uint32_t len)
{
	size_t off = r->b->text.n;
	int rc;

	tt_buf_add(&r->b->text, t, len);
	rc = tt_buf_error(&r->b->text, r->err);
	if (rc != TT_OK)
		return rc;
	rc = tt_batch_room(r->b, 1, r->err);
	if (rc != TT_OK)
		return rc;
	r->b->ev[r->b->n++] = (struct tt_event){ .kind = TT_ARG, .val = off, .dur = len, .depth = TT_T_TEXT };
	return TT_OK;
}

/* Return the end of ${n} numbers at ${p}, and add their bytes to *${hash}; NULL if they do not end before ${end}. */
static const uint8_t *
pass_numbers(const uint8_t *p, const uint8_t *end, uint64_t n, uint64_t *hash)
{
	uint64_t h = *hash, w;

	for (; n > 0 && p < end; p += 8) {
		memcpy(&w, p, 8);
		uint64_t stops = ~w & 0x8080808080808080u, many = ((stops >> 7) * 0x0101010101010101u) >> 56;
		if (many >= n) {
			while (--n > 0)
				stops &= stops - 1;
			stops &= -stops;
			h = (h ^ (w & (stops | (stops - 1)))) * 0x9E3779B97F4A7C15u;
			p += (__builtin_ctzll(stops) >> 3) + 1;
			break;
		}
		h = (h ^ w) * 0x9E3779B97F4A7C15u;
		n -= many;
	}
	*hash = h;
	return n == 0 && p <= end ? p : NULL;
}

/* Take a stack; equal stacks of this run share their words. */
static int
take_shared(struct mlpd_run *r, uint64_t *first, uint64_t n)
{
	uint64_t top = take_method(r), hash = top * 0x9E3779B97F4A7C15u;
	const uint8_t *from = r->p, *end = pass_numbers(from, r->end, n - 1, &hash);
	int rc;

	if (!r->any_seen)
		memset(r->seen, 0, MLPD_SEEN * sizeof *r->seen);
	r->any_seen = true;
	struct mlpd_seen *s = &r->seen[hash >> 56];
	if (end && s->n == n && s->len == (size_t)(end - from) && r->b->word[s->first] == top &&
	    memcmp(s->bytes, from, s->len) == 0) {
		*first = s->first;
		r->p = end;
		r->method = r->b->word[*first + n - 1];
		return TT_OK;
	}
	if ((rc = tt_batch_words(r->b, (size_t)n, first, r->err)) != TT_OK)
		return rc;
	r->b->word[*first] = top;
	for (uint64_t i = 1; i < n && r->p <= r->end; i++)
		r->b->word[*first + i] = take_method(r);
	if (!over(r))
		*s = (struct mlpd_seen){ .bytes = from, .len = (size_t)(r->p - from), .first = *first, .n = n };
	return TT_OK;
}

int
take_stack(struct mlpd_run *r, uint64_t *first, uint64_t *n)
{
	bool old = r->m->version < 13;
	int rc;

	if (old)
		take_u(r);
	*n = take_u(r);
	if (*n > left(r)) {
		r->bad = true;
		*n = 0;
		return TT_OK;
	}
	/* If objects are recorded in the word after their stack, no stack can be shared. */
	if (!old && *n > 0 && !r->objects)
		return take_shared(r, first, *n);
	rc = tt_batch_words(r->b, (size_t)*n, first, r->err);
	for (uint64_t i = 0; rc == TT_OK && i < *n && r->p <= r->end; i++)
		r->b->word[*first + i] = old ? take_ptr(r) : take_method(r);
	return rc;
}
