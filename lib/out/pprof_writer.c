/**
 * Writes pprof profiles.
 */
#include "out/pprof_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
tt_pprof_free(struct tt_pprof *w)
{
	tt_buf_free(&w->part);
}

/* Append the message in w->part as a field of the profile. */
static void
end_part(struct tt_pprof *w, unsigned field)
{
	tt_proto_bytes(w->out, field, w->part.p, w->part.n);
	w->out->failed |= w->part.failed;
	w->part.n = 0;
}

/* Append a message of two numbers, fields 1 and 2. */
static void
put_two(struct tt_pprof *w, unsigned field, uint64_t a, uint64_t b)
{
	tt_proto_number(&w->part, 1, a);
	tt_proto_number(&w->part, 2, b);
	end_part(w, field);
}

void
tt_pprof_type(struct tt_pprof *w, uint64_t type, uint64_t unit)
{
	put_two(w, 1, type, unit);
}

/* --- samples (Sample: 1 location_id*, 2 value*, 3 label*) -------------------- */

void
tt_pprof_stack(struct tt_pprof *w, const char *ids, size_t n, const char *more, size_t nmore)
{
	tt_proto_head(&w->part, 1, n + nmore);
	tt_buf_add(&w->part, ids, n);
	tt_buf_add(&w->part, more, nmore);
}

void
tt_pprof_values(struct tt_pprof *w, const uint64_t *v, size_t n)
{
	char packed[10 * 8], *p = packed;

	for (size_t i = 0; i < n && i < 8; i++)
		p = tt_put_varint(p, v[i]);
	tt_proto_bytes(&w->part, 2, packed, (size_t)(p - packed));
}

/* Label: field 1 key, field 2 str. */
void
tt_pprof_label(struct tt_pprof *w, uint64_t key, uint64_t text)
{
	char label[24], *p = label;

	*p++ = 1 << 3 | TT_WIRE_VARINT;
	p = tt_put_varint(p, key);
	*p++ = 2 << 3 | TT_WIRE_VARINT;
	p = tt_put_varint(p, text);
	tt_proto_bytes(&w->part, 3, label, (size_t)(p - label));
}

void
tt_pprof_sample(struct tt_pprof *w)
{
	end_part(w, 2);
}

/* --- tables ------------------------------------------------------------------ */

/* Mapping: field 1 id, 5 filename, 7 has_functions, so that pprof does not look for symbols. */
void
tt_pprof_mapping(struct tt_pprof *w, uint64_t file)
{
	tt_proto_number(&w->part, 1, 1);
	tt_proto_number(&w->part, 5, file);
	tt_proto_number(&w->part, 7, 1);
	end_part(w, 3);
}

/* Location: field 1 id, 2 mapping_id, 4 line*; Line: 1 function_id. Function: 1 id, 2 name. */
void
tt_pprof_function(struct tt_pprof *w, uint64_t id, uint64_t name)
{
	char line[12];
	size_t n = (size_t)(tt_put_varint(line + 1, id) - line);

	line[0] = 1 << 3 | TT_WIRE_VARINT;
	tt_proto_number(&w->part, 1, id);
	tt_proto_number(&w->part, 2, 1);
	tt_proto_bytes(&w->part, 4, line, n);
	end_part(w, 4);
	put_two(w, 5, id, name);
}

void
tt_pprof_string(struct tt_pprof *w, const char *s, size_t n)
{
	if (tt_buf_room(&w->part, n < SIZE_MAX / 4 ? 3 * n + 1 : SIZE_MAX, NULL) == TT_OK)
		w->part.n = (size_t)(tt_utf8_clean(w->part.p, s, n) - w->part.p);
	end_part(w, 6);
	w->nstring++;
}

void
tt_pprof_text(struct tt_pprof *w, const char *s)
{
	tt_pprof_string(w, s ? s : "", s ? strlen(s) : 0);
}

void
tt_pprof_comment(struct tt_pprof *w, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tt_pprof_text(w, text);
	w->ncomment++;
}

void
tt_pprof_end(struct tt_pprof *w, uint64_t shown)
{
	for (uint64_t i = w->nstring - w->ncomment; i < w->nstring; i++)
		tt_proto_number(w->out, 13, i);
	tt_proto_number(w->out, 14, shown);
}
