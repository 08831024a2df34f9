/**
 * Perfetto: writes messages and their fields.
 */
#include <string.h>

#include "emit/json_args.h"
#include "emit/common.h"
#include "emit/perfetto.h"
#include "model/args.h"

/* One byte is reserved for the length before a message; if the length needs more, the content moves up. */
void
tt_pf_close(struct tt_buf *b, size_t place)
{
	size_t n = b->n - place, extra = 0;

	for (size_t left = n >> 7; left; left >>= 7)
		extra++;
	if (b->failed || (extra && tt_buf_room(b, extra, NULL) != TT_OK))
		return;
	if (extra)
		memmove(b->p + place + extra, b->p + place, n);
	tt_put_varint(b->p + place - 1, n);
	b->n += extra;
}

void
tt_pf_double(struct tt_buf *b, unsigned field, uint64_t bits)
{
	if (tt_buf_room(b, 20, NULL) != TT_OK)
		return;
	char *p = tt_put_varint(b->p + b->n, (uint64_t)field << 3 | TT_WIRE_64);
	memcpy(p, &bits, sizeof bits);
	b->n = (size_t)(p - b->p) + sizeof bits;
}

void
tt_pf_text(struct tt_buf *b, unsigned field, const char *s, size_t n)
{
	size_t at = pf_open(b, field);

	/* Each byte may become the three bytes of U+FFFD; readers end a text at a NUL. */
	if (n > SIZE_MAX / 4 || tt_buf_room(b, 3 * n, NULL) != TT_OK) {
		tt_buf_fail(b);
		return;
	}
	for (const char *end = s + n; s < end;) {
		const char *nul = memchr(s, '\0', (size_t)(end - s)), *to = nul ? nul : end;

		b->n = (size_t)(tt_utf8_clean(b->p + b->n, s, (size_t)(to - s)) - b->p);
		if (nul)
			tt_buf_text(b, "\xef\xbf\xbd");
		s = nul ? nul + 1 : end;
	}
	tt_pf_close(b, at);
}

/* --- events and tracks ----------------------------------------------------------- */

struct pf_event
tt_pf_begin_event(struct tt_buf *b, unsigned type, uint64_t track)
{
	struct pf_event e = { .packet = pf_open(b, PF_PACKET) };

	pf_number(b, PF_SEQUENCE, PF_EVENTS);
	pf_number(b, PF_FLAGS, PF_NEEDS_STATE);
	e.event = pf_open(b, PF_TRACK_EVENT);
	if (type)
		pf_number(b, PF_EVENT_TYPE, type);
	pf_number(b, PF_EVENT_TRACK, track);
	return e;
}

void
tt_pf_end_event(struct tt_buf *b, struct pf_event e, uint64_t ts)
{
	tt_pf_close(b, e.event);
	pf_number(b, PF_TIMESTAMP, ts);
	tt_pf_close(b, e.packet);
}

struct pf_event
tt_pf_begin_track(struct tt_buf *b, uint64_t uuid, uint64_t parent, const char *name, size_t n)
{
	struct pf_event e = { .packet = pf_open(b, PF_PACKET) };

	pf_number(b, PF_SEQUENCE, PF_EVENTS);
	e.event = pf_open(b, PF_TRACK_DESCRIPTOR);
	pf_number(b, PF_TRACK_UUID, uuid);
	tt_proto_number(b, PF_TRACK_PARENT, parent);
	if (name)
		tt_pf_text(b, PF_TRACK_NAME, name, n);
	return e;
}

void
tt_pf_end_track(struct tt_buf *b, struct pf_event e)
{
	tt_pf_close(b, e.event);
	tt_pf_close(b, e.packet);
}

/* --- annotations ----------------------------------------------------------------- */

void
tt_pf_note_text(struct tt_buf *b, unsigned field, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	size_t at = pf_open(b, field);

	tt_pf_text(b, PF_NOTE_NAME, name, strlen(name));
	tt_pf_text(b, PF_NOTE_TEXT, text, strlen(text));
	tt_pf_close(b, at);
}

void
tt_pf_note_number(struct tt_buf *b, const char *name, unsigned kind, uint64_t v)
{
	size_t at = pf_open(b, PF_EVENT_ANNOTATION);

	tt_pf_text(b, PF_NOTE_NAME, name, strlen(name));
	pf_number(b, kind, v);
	tt_pf_close(b, at);
}

/* Append the bytes of a blob, or their number. */
static void
put_blob(const struct perfetto *c, const struct tt_args *args, const struct tt_event *a, struct tt_buf *b)
{
	size_t n, at = pf_open(b, PF_NOTE_TEXT);
	const char *s = tt_args_text(args, a, &n);

	if (!c->own->blobs) {
		tt_buf_printf(b, "%u bytes", (unsigned)a->dur);
	} else if (tt_buf_room(b, 2 * n + 2, NULL) == TT_OK) {
		char *p = b->p + b->n;

		*p++ = '0';
		*p++ = 'x';
		for (size_t i = 0; i < n; i++) {
			*p++ = "0123456789abcdef"[(unsigned char)s[i] >> 4];
			*p++ = "0123456789abcdef"[s[i] & 15];
		}
		b->n = (size_t)(p - b->p);
	}
	tt_pf_close(b, at);
}

static void
put_value(const struct perfetto *c, const struct tt_args *args, const struct tt_event *a, struct tt_buf *b)
{
	size_t n;
	const char *s;

	switch (a->depth) {
	case TT_T_I64:
		pf_number(b, PF_NOTE_INT, a->val);
		break;
	case TT_T_U64:
		pf_number(b, PF_NOTE_UINT, a->val);
		break;
	case TT_T_F64:
		tt_pf_double(b, PF_NOTE_DOUBLE, a->val);
		break;
	case TT_T_TEXT:
		s = tt_args_text(args, a, &n);
		tt_pf_text(b, PF_NOTE_TEXT, s, n);
		break;
	case TT_T_BLOB:
		put_blob(c, args, a, b);
		break;
	case TT_T_PTR:
		pf_number(b, PF_NOTE_POINTER, a->val);
		break;
	default:
		if (a->val == TT_W_NULL)
			tt_pf_text(b, PF_NOTE_TEXT, "null", 4);
		else
			pf_number(b, PF_NOTE_BOOL, a->val == TT_W_TRUE);
	}
}

void
tt_pf_args(const struct perfetto *c, const char *const *name, const struct tt_args *args, struct tt_buf *b)
{
	for (size_t i = 0, k = 0; i < args->n; i++) {
		char number[TT_ARG_NAME];
		const char *key = tt_emit_arg_name(&args->ev[i], &name, &k, number);
		size_t at = pf_open(b, PF_EVENT_ANNOTATION);

		tt_pf_text(b, PF_NOTE_NAME, key, strlen(key));
		put_value(c, args, &args->ev[i], b);
		tt_pf_close(b, at);
	}
	if (args->cut)
		tt_pf_note_number(b, TT_ARG_CUT, PF_NOTE_BOOL, 1);
}
