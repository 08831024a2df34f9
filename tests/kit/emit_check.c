/**
 * Reads strictly what emitters write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "emit_kit.h"

/* --- text ---------------------------------------------------------------------- */

static bool
is_utf8(const char *p, size_t n)
{
	while (n > 0) {
		size_t len = tt_utf8_len(p, n);

		if (len == 0)
			return false;
		p += len;
		n -= len;
	}
	return true;
}

/* Past the quote that ends the field at ${p}; NULL: none does. */
static const char *
quoted(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p != '"')
			continue;
		if (p + 1 == end || p[1] != '"')
			return p + 1;
		p++;
	}
	return NULL;
}

const char *
kit_check_csv(const char *p, size_t n, char sep, size_t columns)
{
	const char *end = p + n;
	size_t fields = 1;
	bool at_start = true;

	if (!is_utf8(p, n))
		return "not UTF-8";
	if (memchr(p, '\0', n))
		return "a NUL";
	if (n == 0 || end[-1] != '\n')
		return "the last record has no end";
	while (p < end) {
		if (at_start && *p == '"') {
			if (!(p = quoted(p, end)))
				return "a quote without an end";
			if (p < end && *p != sep && *p != '\n')
				return "text after a quoted field";
			at_start = false;
			continue;
		}
		if (*p == sep) {
			fields++;
			at_start = true;
		} else if (*p == '\n') {
			if (fields != columns)
				return "another number of fields";
			fields = 1;
			at_start = true;
		} else if (*p == '"' || *p == '\r') {
			return "a bare quote or CR";
		} else {
			at_start = false;
		}
		p++;
	}
	return NULL;
}

/* What is wrong with the line of a stack, whose count comes after ${space}: a number without zeros before it, or 0. */
static const char *
check_stack(const char *line, const char *space, const char *stop)
{
	for (const char *p = line; p < stop; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return "a control character";
	if (!space || space == line || space + 1 == stop || (space[1] == '0' && space + 2 < stop))
		return "no count";
	for (const char *d = space + 1; d < stop; d++)
		if (*d < '0' || *d > '9')
			return "a count that is no number";
	for (const char *f = line; f < space; f++)
		if (*f == ';' && (f == line || f + 1 == space || f[1] == ';'))
			return "an empty frame";
	return NULL;
}

const char *
kit_check_folded(const char *p, size_t n)
{
	const char *end = p + n, *before = NULL;
	size_t before_n = 0;

	if (!is_utf8(p, n))
		return "not UTF-8";
	while (p < end) {
		const char *line = p, *stop = memchr(p, '\n', (size_t)(end - p)), *space, *wrong;

		if (!stop)
			return "the last line has no end";
		space = memrchr(line, ' ', (size_t)(stop - line));
		if ((wrong = check_stack(line, space, stop)))
			return wrong;
		if (before && before_n == (size_t)(space - line) && memcmp(before, line, before_n) == 0)
			return "the same stack twice";
		before = line;
		before_n = (size_t)(space - line);
		p = stop + 1;
	}
	return NULL;
}

/* --- protobuf -------------------------------------------------------------------- */

struct field {
	unsigned number, wire;
	uint64_t v;
	const char *p;
	size_t n;
};

static bool
varint(const char **p, const char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; *p < end && shift < 70; shift += 7) {
		unsigned char c = (unsigned char)*(*p)++;

		if (shift == 63 && c > 1)
			return false;
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80)
			return true;
	}
	return false;
}

/* The next field: 1, or 0 at the end, or -1 if it is broken. */
static int
next_field(const char **p, const char *end, struct field *f)
{
	uint64_t tag;

	if (*p == end)
		return 0;
	if (!varint(p, end, &tag) || tag >> 3 == 0 || tag >> 3 > 64)
		return -1;
	f->number = (unsigned)(tag >> 3);
	f->wire = tag & 7;
	if (!varint(p, end, &f->v))
		return -1;
	if (f->wire == 0)
		return 1;
	if (f->wire != 2 || f->v > (uint64_t)(end - *p))
		return -1;
	f->p = *p;
	f->n = (size_t)f->v;
	*p += f->n;
	return 1;
}

struct reader {
	struct kit_profile sum;
	const char *string[65536];
	size_t string_n[65536];
	uint64_t type[8], unit[8];
	uint8_t function[65536], location[65536];     /* by id: seen */
	uint64_t line[65536];
	bool mapping, time;
	uint64_t shown, largest;      /* the largest number a function has for its name */
	const char *wrong;
};

static bool
is_string(const struct reader *r, uint64_t i)
{
	return i < r->sum.nstring;
}

static void
read_function(struct reader *r, const char *p, const char *end)
{
	struct field f;
	uint64_t id = 0, name = 0, system_name = 0;
	int got;

	while ((got = next_field(&p, end, &f)) > 0) {
		if (f.number == 1)
			id = f.v;
		else if (f.number == 2)
			name = f.v;
		else if (f.number == 3)
			system_name = f.v;
	}
	if (got < 0 || id == 0 || id >= 65536 || r->function[id])
		r->wrong = "a function without an id of its own";
	else if (name == 0 || system_name != 0)
		r->wrong = "a function without a name, or with a system name";
	else
		r->function[id] = 1;
	r->sum.nfunction++;
	if (name > r->largest)
		r->largest = name;
}

static void
read_location(struct reader *r, const char *p, const char *end)
{
	struct field f, l;
	uint64_t id = 0, mapping = 0, function = 0;
	int got;

	while ((got = next_field(&p, end, &f)) > 0) {
		if (f.number == 1) {
			id = f.v;
		} else if (f.number == 2) {
			mapping = f.v;
		} else if (f.number == 4) {
			const char *q = f.p;

			while (next_field(&q, f.p + f.n, &l) > 0)
				if (l.number == 1)
					function = l.v;
		}
	}
	if (got < 0 || id == 0 || id >= 65536 || r->location[id] || mapping != 1 || function == 0 || function >= 65536) {
		r->wrong = "a broken location";
		return;
	}
	r->location[id] = 1;
	r->line[id] = function;
	r->sum.nlocation++;
}

static void
read_table(struct reader *r, const struct field *f)
{
	const char *p = f->p, *end = f->p + f->n;
	struct field m;

	switch (f->number) {
	case 1:
		if (r->sum.ntype == 8) {
			r->wrong = "too many sample types";
			break;
		}
		while (next_field(&p, end, &m) > 0)
			*(m.number == 1 ? &r->type[r->sum.ntype] : &r->unit[r->sum.ntype]) = m.v;
		r->sum.ntype++;
		break;
	case 3:
		if (r->mapping)
			r->wrong = "two mappings";
		r->mapping = true;
		break;
	case 4:
		read_location(r, p, end);
		break;
	case 5:
		read_function(r, p, end);
		break;
	case 6:
		if (r->sum.nstring == 65536 || !is_utf8(p, f->n)) {
			r->wrong = "a string that is not UTF-8";
			break;
		}
		r->string[r->sum.nstring] = p;
		r->string_n[r->sum.nstring++] = f->n;
		break;
	case 9:
		if (r->time)
			r->wrong = "two times";
		r->time = true;
		break;
	case 14:
		r->shown = f->v;
		break;
	default:
		break;
	}
}

static void
read_label(struct reader *r, const struct field *m, uint64_t *keys, size_t *nkey)
{
	struct field f;
	const char *p = m->p;
	uint64_t key = 0, str = 0;

	while (next_field(&p, m->p + m->n, &f) > 0)
		*(f.number == 1 ? &key : &str) = f.v;
	if (!is_string(r, key) || !is_string(r, str) || key == 0 || *nkey == 8) {
		r->wrong = "a label of no string";
		return;
	}
	for (size_t i = 0; i < *nkey; i++)
		if (keys[i] == key)
			r->wrong = "a label twice";
	keys[(*nkey)++] = key;
}

static void
read_sample(struct reader *r, const char *p, const char *end)
{
	struct field f;
	uint64_t keys[8], v;
	size_t nkey = 0, nvalue = 0, depth = 0;
	int got;

	while ((got = next_field(&p, end, &f)) > 0) {
		const char *q = f.p, *stop = f.p + f.n;

		if (f.wire != 2) {
			r->wrong = "a sample that is not packed";
			return;
		}
		if (f.number == 3) {
			read_label(r, &f, keys, &nkey);
			continue;
		}
		while (q < stop) {
			if (!varint(&q, stop, &v)) {
				r->wrong = "a broken number";
				return;
			}
			if (f.number == 1) {
				depth++;
				if (v >= 65536 || !r->location[v])
					r->wrong = "a sample of no location";
			} else if (nvalue < 8) {
				r->sum.sum[nvalue] = (int64_t)((uint64_t)r->sum.sum[nvalue] + v);
				nvalue++;
			}
		}
	}
	if (got < 0)
		r->wrong = "a broken sample";
	if (nvalue != r->sum.ntype)
		r->wrong = "another number of values";
	if (depth > r->sum.deepest)
		r->sum.deepest = depth;
	r->sum.nsample++;
}

static void
name_types(struct reader *r)
{
	char *to = r->sum.types;
	size_t left = sizeof r->sum.types;

	for (size_t i = 0; i < r->sum.ntype; i++) {
		int n;

		if (!is_string(r, r->type[i]) || !is_string(r, r->unit[i])) {
			r->wrong = "a sample type of no string";
			return;
		}
		n = snprintf(to, left, "%s%.*s/%.*s", i ? " " : "", (int)r->string_n[r->type[i]], r->string[r->type[i]],
		    (int)r->string_n[r->unit[i]], r->string[r->unit[i]]);
		to += n;
		left -= (size_t)n;
	}
	if (is_string(r, r->shown))
		snprintf(r->sum.shown, sizeof r->sum.shown, "%.*s", (int)r->string_n[r->shown], r->string[r->shown]);
	else
		r->wrong = "a default type of no string";
}

/* What is wrong with the tables, which are all read. */
static const char *
check_tables(const struct reader *r)
{
	if (r->sum.nstring == 0 || r->string_n[0] != 0)
		return "the first string is not empty";
	if (r->sum.ntype == 0 || !r->mapping)
		return "no sample type, or no mapping";
	if (r->sum.nfunction && !is_string(r, r->largest))
		return "a function of no string";
	for (size_t i = 1; i < 65536; i++)
		if (r->location[i] && !r->function[r->line[i]])
			return "a line of no function";
	return NULL;
}

const char *
kit_check_profile(const char *p, size_t n, struct kit_profile *out)
{
	const char *end = p + n, *q, *wrong;
	struct reader *r = calloc(1, sizeof *r);
	struct field f;
	int got;

	if (!r)
		abort();
	for (q = p; (got = next_field(&q, end, &f)) > 0 && !r->wrong;)
		read_table(r, &f);
	if (got < 0)
		r->wrong = "a broken field";
	if (!r->wrong)
		r->wrong = check_tables(r);
	for (q = p; !r->wrong && next_field(&q, end, &f) > 0;)
		if (f.number == 2)
			read_sample(r, f.p, f.p + f.n);
	if (!r->wrong)
		name_types(r);
	if (out)
		*out = r->sum;
	wrong = r->wrong;
	free(r);
	return wrong;
}

/* --- Perfetto ------------------------------------------------------------------ */

/* Messages of the trace, and for each field what it holds. */
enum kind { NUMBER = 1, DOUBLE, TEXT, MESSAGE };
enum message { TRACE, PACKET, DEFAULTS, CLOCKS, CLOCK, EVENT, LEGACY, NOTE, TRACK, PROCESS, THREAD, COUNTER, INTERNED, NAMED, FRAME, STACK, MAPPING, SAMPLE };

static const struct shape { enum message in; unsigned field; enum kind kind; enum message of; } shapes[] = {
	{ TRACE, 1, MESSAGE, PACKET },
	{ PACKET, 6, MESSAGE, CLOCKS }, { PACKET, 8, NUMBER, 0 }, { PACKET, 10, NUMBER, 0 }, { PACKET, 11, MESSAGE, EVENT }, { PACKET, 12, MESSAGE, INTERNED },
	{ PACKET, 13, NUMBER, 0 }, { PACKET, 59, MESSAGE, DEFAULTS }, { PACKET, 60, MESSAGE, TRACK }, { PACKET, 66, MESSAGE, SAMPLE },
	{ DEFAULTS, 58, NUMBER, 0 }, { CLOCKS, 1, MESSAGE, CLOCK }, { CLOCK, 1, NUMBER, 0 }, { CLOCK, 2, NUMBER, 0 }, { CLOCK, 3, NUMBER, 0 },
	{ EVENT, 3, NUMBER, 0 }, { EVENT, 4, MESSAGE, NOTE }, { EVENT, 6, MESSAGE, LEGACY }, { EVENT, 9, NUMBER, 0 }, { EVENT, 10, NUMBER, 0 },
	{ EVENT, 11, NUMBER, 0 }, { EVENT, 22, TEXT, 0 }, { EVENT, 23, TEXT, 0 }, { EVENT, 30, NUMBER, 0 }, { EVENT, 44, DOUBLE, 0 },
	{ LEGACY, 2, NUMBER, 0 }, { LEGACY, 6, NUMBER, 0 }, { LEGACY, 12, NUMBER, 0 },
	{ NOTE, 1, NUMBER, 0 }, { NOTE, 2, NUMBER, 0 }, { NOTE, 3, NUMBER, 0 }, { NOTE, 4, NUMBER, 0 }, { NOTE, 5, DOUBLE, 0 }, { NOTE, 6, TEXT, 0 },
	{ NOTE, 7, NUMBER, 0 }, { NOTE, 10, TEXT, 0 }, { NOTE, 11, MESSAGE, NOTE }, { NOTE, 12, MESSAGE, NOTE }, { NOTE, 17, NUMBER, 0 },
	{ TRACK, 1, NUMBER, 0 }, { TRACK, 2, TEXT, 0 }, { TRACK, 3, MESSAGE, PROCESS }, { TRACK, 4, MESSAGE, THREAD }, { TRACK, 5, NUMBER, 0 },
	{ TRACK, 8, MESSAGE, COUNTER }, { TRACK, 15, NUMBER, 0 },
	{ PROCESS, 1, NUMBER, 0 }, { PROCESS, 6, TEXT, 0 }, { THREAD, 1, NUMBER, 0 }, { THREAD, 2, NUMBER, 0 }, { THREAD, 5, TEXT, 0 },
	{ COUNTER, 3, NUMBER, 0 }, { COUNTER, 6, TEXT, 0 },
	{ INTERNED, 1, MESSAGE, NAMED }, { INTERNED, 2, MESSAGE, NAMED }, { INTERNED, 3, MESSAGE, NAMED }, { INTERNED, 5, MESSAGE, NAMED },
	{ INTERNED, 6, MESSAGE, FRAME }, { INTERNED, 7, MESSAGE, STACK }, { INTERNED, 17, MESSAGE, NAMED }, { INTERNED, 19, MESSAGE, MAPPING },
	{ INTERNED, 29, MESSAGE, NAMED },
	{ NAMED, 1, NUMBER, 0 }, { NAMED, 2, TEXT, 0 }, { FRAME, 1, NUMBER, 0 }, { FRAME, 2, NUMBER, 0 }, { FRAME, 3, NUMBER, 0 }, { FRAME, 4, NUMBER, 0 },
	{ STACK, 1, NUMBER, 0 }, { STACK, 2, NUMBER, 0 }, { MAPPING, 1, NUMBER, 0 }, { MAPPING, 7, NUMBER, 0 },
	{ SAMPLE, 2, NUMBER, 0 }, { SAMPLE, 3, NUMBER, 0 }, { SAMPLE, 4, NUMBER, 0 },
};

/* Numbers that were sent: of interned data by its sequence and field, of tracks in table 0. */
struct trace {
	struct sent { uint64_t table, number; } *sent;
	size_t n, cap;
	uint64_t sequence;            /* of the packet, times 100 */
};

static bool
was_sent(const struct trace *t, uint64_t table, uint64_t number)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->sent[i].table == table && t->sent[i].number == number)
			return true;
	return false;
}

static void
send(struct trace *t, uint64_t table, uint64_t number)
{
	if (t->n == t->cap)
		t->sent = realloc(t->sent, (t->cap = 2 * t->cap + 64) * sizeof *t->sent);
	t->sent[t->n++] = (struct sent){ table, number };
}

/* Which table a number refers to; 0: none, or the tracks where ${track}. */
static unsigned
refers(enum message in, unsigned field, bool *track)
{
	*track = (in == EVENT && field == 11) || (in == TRACK && field == 5);
	return in == EVENT && field == 10 ? 2 : in == EVENT && field == 3 ? 1 : in == NOTE && field == 1 ? 3 : in == NOTE && field == 17 ? 29 :
	    in == FRAME && field == 2 ? 5 : in == FRAME && field == 3 ? 19 : in == STACK && field == 2 ? 6 : in == SAMPLE && field == 4 ? 7 : 0;
}

static const char *
check_number(struct trace *t, enum message in, unsigned as, unsigned field, uint64_t v)
{
	bool track;
	unsigned table = refers(in, field, &track);

	if ((table || track) && !was_sent(t, track ? 0 : t->sequence + table, v))
		return track ? "a track that was not described" : "a number that was not sent";
	if (in == PACKET && field == 8 && v > INT64_MAX)
		return "a time beyond 63 bits";
	if (in == PACKET && field == 10)
		t->sequence = 100 * v;
	if (in == TRACK && field == 1)
		send(t, 0, v);
	if (field == 1 && (in == NAMED || in == FRAME || in == STACK || in == MAPPING)) {
		if (was_sent(t, t->sequence + as, v))
			return "a number that was sent twice";
		send(t, t->sequence + as, v);
	}
	return NULL;
}

/* What a message ${in} holds in a field of the number and kind that ${tag} says; NULL: no such field is known. */
static const struct shape *
shape_of(enum message in, uint64_t tag)
{
	static const unsigned wire[] = { [NUMBER] = 0, [DOUBLE] = 1, [TEXT] = 2, [MESSAGE] = 2 };

	for (const struct shape *s = shapes, *end = s + sizeof shapes / sizeof *shapes; s < end; s++)
		if (s->in == in && s->field == tag >> 3)
			return (tag & 7) == wire[s->kind] ? s : NULL;
	return NULL;
}

/* ${as}: the field by which this message is in the one around it. */
static const char *
check_message(struct trace *t, enum message in, unsigned as, const char *p, const char *end)
{
	const char *wrong = NULL;

	while (p < end && !wrong) {
		const struct shape *s;
		uint64_t tag, v = 8;

		if (!varint(&p, end, &tag))
			return "a field without a number";
		if (!(s = shape_of(in, tag)))
			return "a field that is not known";
		if (s->kind != DOUBLE && !varint(&p, end, &v))
			return "half a number";
		if (s->kind == NUMBER) {
			wrong = check_number(t, in, as, s->field, v);
			continue;
		}
		if (v > (uint64_t)(end - p))
			return "a message longer than the one around it";
		if (s->kind == TEXT && (!is_utf8(p, (size_t)v) || memchr(p, 0, (size_t)v)))
			return "a text that is not UTF-8, or has a NUL";
		if (s->kind == MESSAGE)
			wrong = check_message(t, s->of, s->field, p, p + v);
		p += v;
	}
	return wrong;
}

const char *
kit_check_trace(const char *p, size_t n)
{
	struct trace t = { 0 };
	const char *wrong = check_message(&t, TRACE, 0, p, p + n);

	free(t.sent);
	return wrong;
}
