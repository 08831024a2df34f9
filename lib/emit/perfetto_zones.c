/**
 * Perfetto: zones and allocations, chunk by chunk on any worker.
 *
 * A begin is a head (the same for the whole chunk but for two lengths), a piece that depends on the marker alone and is made in `begin`, and the time.
 * An end is a head and the time. So a zone costs two copies and two numbers; a sink that compresses packets itself takes two stamps instead
 * (codec/packet.h), which cost less to write and far less to compress.
 */
#include <string.h>

#include "emit/common.h"
#include "emit/perfetto.h"
#include "model/args.h"

#define likely(x) __builtin_expect(!!(x), 1)

/* Maximum bytes of a zone's packet without annotations: head, piece (unless it holds the name), time, and bytes written past its end. */
enum { HEAD = 24, PIECE = 16, TIME = 11, RECORD = HEAD + PIECE + TIME + 16 };
enum { PACKET = 2, EVENT = 8 };               /* offsets in a packet of its content and of its event's content, each behind its length */
#define RECENT 256

/* --- ready-made pieces -------------------------------------------------------------- */

/* Store ${text} under a new number and return it; 0: numbers are no longer assigned. An error of memory stays in c->names. */
static uint32_t
new_name(struct perfetto *c, const char *text, uint32_t category)
{
	size_t n = strlen(text);

	if (!c->making || c->nentry > TT_FORM_LAST)
		return 0;
	if (tt_mem_grow(&c->e.env->mem, &c->entry, &c->capentry, c->nentry + 1, sizeof *c->entry, NULL) != TT_OK) {
		tt_buf_fail(&c->names);
		return 0;
	}
	c->entry[c->nentry] = (struct pf_entry){ .at = c->names.n, .n = (uint32_t)n, .category = category };
	tt_buf_add(&c->names, text, n);
	return (uint32_t)c->nentry++;
}

/* Append the event's fields of name and category; at most PIECE bytes. */
static char *
put_name(char *p, uint32_t iid, uint32_t category)
{
	p = tt_put_varint(tt_put_varint(p, PF_EVENT_NAME_IID << 3), iid);
	return category ? tt_put_varint(tt_put_varint(p, PF_EVENT_CATEGORY_IID << 3), category) : p;
}

/* The field ${field} of an event: a name that has no number. */
static void
put_brief(const struct perfetto *c, unsigned field, const char *name, struct tt_buf *b)
{
	name = tt_emit_brief(&c->e, name);
	tt_pf_text(b, field, name, strlen(name));
}

/* A piece: its number, then these fields. */
static void
zone_piece(const void *arg, const struct tt_name *name, uint64_t key, struct tt_buf *b)
{
	struct perfetto *c = (struct perfetto *)(uintptr_t)arg;
	uint32_t category = name->category < c->nmodel ? name->category + 1 : 0;
	uint32_t iid = new_name(c, tt_emit_marker(name), category);

	(void)key;
	tt_buf_add(b, &iid, sizeof iid);
	if (iid) {
		char fields[PIECE];

		tt_buf_add(b, fields, (size_t)(put_name(fields, iid, category) - fields));
	} else {
		put_brief(c, PF_EVENT_NAME, tt_emit_marker(name), b);
		if (category)
			put_brief(c, PF_EVENT_CATEGORY, tt_emit_category(c->e.m, name), b);
	}
}

/* Make the annotation that names the class. */
static void
alloc_piece(const void *arg, const char *class, struct tt_buf *b)
{
	struct perfetto *c = (struct perfetto *)(uintptr_t)arg;
	uint32_t iid = new_name(c, class, 0);
	size_t at;

	tt_buf_add(b, &iid, sizeof iid);
	at = pf_open(b, PF_EVENT_ANNOTATION);
	pf_number(b, PF_NOTE_NAME_IID, PF_CLASS);
	if (iid)
		pf_number(b, PF_NOTE_TEXT_IID, iid);
	else
		put_brief(c, PF_NOTE_TEXT, class, b);
	tt_pf_close(b, at);
}

int
tt_pf_names(struct perfetto *c, struct tt_err *err)
{
	static const struct { const char *name; enum pf_category category; } own[PF_NAMES] = { [PF_ALLOC] = { "GC.Alloc", PF_CAT_GC },
		[PF_FLOW] = { "flow", PF_CAT_FLOW }, [PF_THROWN] = { "Exception thrown", PF_CAT_EXCEPTIONS },
		[PF_NOT_TAKEN] = { "Lock not taken", PF_CAT_CONTENTION }, [PF_CONTENDED] = { "Lock contended", PF_CAT_CONTENTION },
		[PF_SHOT] = { "Heap shot begins", PF_CAT_GC }, [PF_SHOT_END] = { "Heap shot ends", PF_CAT_GC },
		[PF_LOST] = { "Events lost", PF_CAT_OURS }, [PF_UNRECORDED] = { "Not recorded", PF_CAT_OURS } };
	const struct tt_pieces_form form = { zone_piece, alloc_piece, c };
	int rc = TT_OK;

	c->making = true;
	for (unsigned i = 0; i < PF_NAMES; i++)
		if (i && !new_name(c, own[i].name, c->nmodel + own[i].category + 1))
			return tt_fail_nomem(err);
		else if (!i && (rc = tt_mem_grow(&c->e.env->mem, &c->entry, &c->capentry, 1, sizeof *c->entry, err)) != TT_OK)
			return rc;
		else if (!i)
			c->nentry = 1;
	for (uint32_t i = 0; i < c->nprocess && rc == TT_OK; i++)
		rc = tt_pieces_make(&c->process[i], &form, c->e.m, c->e.m->cap[i], err);
	c->making = false;
	return rc == TT_OK ? tt_buf_error(&c->names, err) : rc;
}

/* --- packets ------------------------------------------------------------------------ */

struct open {
	uint64_t end;                 /* UINT64_MAX: a later slice ends the zone */
	uint32_t depth;
};

/* The state that the packets of one chunk share. */
struct writer {
	const struct perfetto *c;
	const struct tt_view *v;
	const struct tt_pieces *pieces;
	struct tt_buf *out;
	const char *limit;            /* end of the room, or of a full run of stamps */
	bool stamps;
	size_t run;                   /* offset in out of the present run of stamps */
	uint32_t size;                /* total bytes of the packets that the run's stamps stand for */
	struct tt_buf scratch, args;
	struct tt_buf uses;           /* pf_use() numbers of the things that the packets use */
	struct tt_buf opened;         /* struct open: open zones of the chunk, outermost first */
	size_t nopen;
	struct head { char s[HEAD]; size_t n; } head[2];      /* heads of ends, up to the time, and of begins, up to the piece */
	uint64_t last;                /* the latest time written, initially 0: times of a thread never go back */
	uint64_t unwritten, deeper;
	uint64_t recent[RECENT];      /* recent uses + 1, as a cache */
};

/*
 * Make the head of a packet of ${type}: field 1 of the trace and a length; sequence; flags; the event with a length, its type and track. Return its number of
 * bytes.
 */
static size_t
make_head(char *head, unsigned type, uint64_t track)
{
	const char fixed[] = { PF_PACKET << 3 | TT_WIRE_BYTES, 0, PF_SEQUENCE << 3, PF_ZONES, PF_FLAGS << 3, PF_NEEDS_STATE,
		PF_TRACK_EVENT << 3 | TT_WIRE_BYTES, 0, PF_EVENT_TYPE << 3, (char)type, PF_EVENT_TRACK << 3 };
	char *p = head;

	memcpy(p, fixed, sizeof fixed);
	p = tt_put_varint(p + sizeof fixed, track);
	head[EVENT - 1] = (char)(p - head - EVENT);
	return (size_t)(p - head);
}

/* Return the distance of ${ts} from the latest time written, and make ${ts} the latest; 0 if time went back. */
static inline uint64_t
step_to(struct writer *w, uint64_t ts)
{
	uint64_t step = ts > w->last ? ts - w->last : 0;

	w->last += step;
	return step;
}

/* End a packet: write its time and its length, which is below 128. */
static inline char *
end_packet(char *packet, char *p, uint64_t step)
{
	*p++ = PF_TIMESTAMP << 3;
	if (likely(step < (uint64_t)1 << 56)) {
		unsigned n = tt_varint_bytes(step);

		tt_put_short_varint(p, step, n);
		p += n;
	} else {
		p = tt_put_varint(p, step);
	}
	packet[PACKET - 1] = (char)(p - packet - PACKET);
	return p;
}

/* Record that the packets use thing ${i} of kind ${as}, unless its description was sent or recorded recently. */
static inline void
use(struct writer *w, enum pf_use as, uint32_t i)
{
	uint64_t u = pf_use(as, i);

	if (as < PF_USE_THREAD && likely(atomic_load_explicit(&w->c->sent[i], memory_order_relaxed) & 1u << as))
		return;
	if (w->recent[(i + as) % RECENT] == u + 1)
		return;
	w->recent[(i + as) % RECENT] = u + 1;
	tt_buf_add(&w->uses, &u, sizeof u);
}

/* --- stamps ------------------------------------------------------------------------- */

/* Make the form of a stamp: form 0 is an end, other forms are the name numbers of begins; a run belongs to a thread. */
size_t
tt_pf_form(const void *state, uint32_t thread, uint32_t form, char *p)
{
	const struct perfetto *c = state;
	char *end = p + make_head(p, form ? PF_BEGIN : PF_END, pf_track(PF_THREAD, thread));

	if (form) {
		char *fields = end;

		end = put_name(fields, form, c->entry[form].category);
		p[EVENT - 1] = (char)(p[EVENT - 1] + (end - fields));
	}
	p[PACKET - 1] = 0;
	*end++ = PF_TIMESTAMP << 3;
	return (size_t)(end - p);
}

/* Set the limit: the end of the output's room, or of the run's. */
static void
set_limit(struct writer *w)
{
	const size_t full = w->run + sizeof(struct tt_stamp_run) + (TT_RUN_MAX_STAMPS - 1) * sizeof(struct tt_stamp) + RECORD, cap = w->out->cap;

	w->limit = w->out->p + (w->stamps && full < cap ? full : cap);
}

/* Begin a run at the end of the output. */
static int
begin_run(struct writer *w, char **p, struct tt_err *err)
{
	int rc = tt_buf_room(w->out, RECORD + sizeof(struct tt_stamp_run), err);

	if (rc != TT_OK)
		return rc;
	w->run = w->out->n;
	w->out->n += sizeof(struct tt_stamp_run);
	w->size = 0;
	*p = w->out->p + w->out->n;
	set_limit(w);
	return TT_OK;
}

/* End the run, whose stamps end at ${to}, and begin the next one. The bytes after ${to} are whole packets. */
static int
next_run(struct writer *w, size_t to, char **p, struct tt_err *err)
{
	struct tt_buf *b = w->out;
	struct tt_stamp_run run = { .group = w->v->thread->index, .nstamps = (uint32_t)((to - w->run - sizeof run) / sizeof(struct tt_stamp)),
		.stamps_bytes = w->size, .packets_bytes = (uint32_t)(b->n - to) };

	memcpy(b->p + w->run, &run, sizeof run);
	tt_buf_add(b, "\0\0\0\0\0\0\0", tt_stamp_run_bytes(&run) - (b->n - w->run));
	return tt_buf_error(b, err) == TT_OK ? begin_run(w, p, err) : TT_E_NOMEM;
}

/* Declare that the output's bytes after ${from} are whole packets. */
static int
end_plain(struct writer *w, size_t from, char **p, struct tt_err *err)
{
	if (w->stamps)
		return next_run(w, from, p, err);
	*p = w->out->p + w->out->n;
	set_limit(w);
	return tt_buf_error(w->out, err);
}

static __attribute__((noinline)) int
make_room(struct writer *w, char **p, struct tt_err *err)
{
	struct tt_buf *b = w->out;

	b->n = (size_t)(*p - b->p);
	if (w->stamps && b->n - w->run >= sizeof(struct tt_stamp_run) + TT_RUN_MAX_STAMPS * sizeof(struct tt_stamp))
		return next_run(w, b->n, p, err);
	int rc = tt_buf_room(b, RECORD, err);
	*p = b->p + b->n;
	set_limit(w);
	return rc;
}

/* Make room for one packet at *${p}. */
static inline int
room(struct writer *w, char **p, struct tt_err *err)
{
	return likely(w->limit - *p >= RECORD) ? TT_OK : make_room(w, p, err);
}

/* Write a whole packet: ${head}, the ${n} bytes at ${fields}, and the time. The caller has made room. */
static __attribute__((noinline)) int
put_plain(struct writer *w, char **at, const struct head *head, const char *fields, size_t n, uint64_t step, struct tt_err *err)
{
	char *packet = *at;

	memcpy(packet, head->s, HEAD);
	packet[EVENT - 1] = (char)(packet[EVENT - 1] + (char)n);
	memcpy(packet + head->n, fields, PIECE);
	*at = end_packet(packet, packet + head->n + n, step);
	if (!w->stamps)
		return TT_OK;
	w->out->n = (size_t)(*at - w->out->p);
	return next_run(w, (size_t)(packet - w->out->p), at, err);
}

/* Write a packet of ${form}: 0 for an end, else the name number of a begin, which has the ${n} bytes at ${fields} after its track. */
static inline int
put_packet(struct writer *w, char **at, uint32_t form, const char *fields, size_t n, uint64_t ts, struct tt_err *err)
{
	const struct head *head = &w->head[form != 0];
	const uint64_t step = step_to(w, ts);

	if (!w->stamps || !likely(step < TT_STAMP_MAX))
		return put_plain(w, at, head, fields, n, step, err);
	const unsigned number = tt_varint_bytes(step);
	const struct tt_stamp stamp = tt_stamp(form, (uint32_t)step, number);

	memcpy(*at, &stamp, sizeof stamp);
	*at += sizeof stamp;
	w->size += (uint32_t)(head->n + n + 1 + number);
	return TT_OK;
}

/* --- zones ---------------------------------------------------------------------------- */

static inline int
put_end(struct writer *w, char **p, uint64_t ts, struct tt_err *err)
{
	int rc = room(w, p, err);

	return rc == TT_OK ? put_packet(w, p, 0, w->head[0].s, 0, ts, err) : rc;
}

/*
 * End the open zones that cannot contain a zone at ${depth} from ${ts} to ${end_ts}. Depths alone do not tell: a zone that is not shown may lie between two
 * shown zones.
 */
static inline int
pop_to(struct writer *w, uint32_t depth, uint64_t ts, uint64_t end_ts, char **p, struct tt_err *err)
{
	const struct open *open = (const struct open *)(const void *)w->opened.p;

	while (w->nopen > 0 && (open[w->nopen - 1].depth >= depth || open[w->nopen - 1].end < ts + (end_ts > ts))) {
		uint64_t end = open[--w->nopen].end;
		int rc = end != UINT64_MAX ? put_end(w, p, end, err) : TT_OK;

		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

static inline int
push(struct writer *w, uint64_t end, uint32_t depth, struct tt_err *err)
{
	if (!likely((w->nopen + 1) * sizeof(struct open) <= w->opened.cap)) {
		int rc;

		w->opened.n = w->nopen * sizeof(struct open);
		if ((rc = tt_buf_room(&w->opened, 64 * sizeof(struct open), err)) != TT_OK)
			return rc;
	}
	((struct open *)(void *)w->opened.p)[w->nopen++] = (struct open){ .end = end, .depth = depth };
	return TT_OK;
}

/* Write a long packet of a zone of ${key}: ${head}, the ${n} bytes at ${fields}, and the arguments ${args} (or NULL) as annotations. */
static __attribute__((noinline)) int
put_long(struct writer *w, const struct head *head, const char *fields, size_t n, const struct tt_args *args, uint64_t key, uint64_t ts, char **p,
    struct tt_err *err)
{
	int rc;

	w->args.n = 0;
	if (args)
		tt_pf_args(w->c, tt_model_key(w->c->e.m, w->v->cap->process, key)->arg, args, &w->args);
	rc = tt_buf_error(&w->args, err);
	if (rc != TT_OK)
		return rc;
	struct tt_buf *b = w->out;
	b->n = (size_t)(*p - b->p);
	const size_t from = b->n, packet = from + PACKET, event = from + EVENT;
	tt_buf_add(b, head->s, head->n);
	tt_buf_add(b, fields, n);
	tt_buf_add(b, w->args.p, w->args.n);
	tt_pf_close(b, event);
	pf_number(b, PF_TIMESTAMP, step_to(w, ts));
	tt_pf_close(b, packet);
	return end_plain(w, from, p, err);
}

/* Begin the zone ${s} at the output's time ${ts}; it ends at ${end}. */
static inline __attribute__((always_inline)) int
put_begin(struct writer *w, const struct tt_slice *s, uint64_t ts, uint64_t end, char **at, struct tt_err *err)
{
	struct tt_piece piece;
	int rc = tt_pieces_zone(w->pieces, s->key, &w->scratch, &piece, err);

	if (rc != TT_OK || !piece.s)
		return rc;
	if (!likely(s->depth < PF_DEEPEST)) {
		w->deeper++;
		return TT_OK;
	}
	if ((rc = pop_to(w, s->depth, ts, end, at, err)) != TT_OK || (rc = room(w, at, err)) != TT_OK ||
	    (rc = push(w, end, s->depth, err)) != TT_OK)
		return rc;
	uint32_t name = pf_piece_name(&piece);
	if (likely(name))
		use(w, PF_USE_ZONE, name);
	if (!likely(name && !(s->flags >> TT_SLICE_ARGS)))
		return put_long(w, &w->head[1], piece.s + sizeof name, piece.n - sizeof name, tt_slice_args(w->v, s), s->key, ts, at, err);
	return put_packet(w, at, name, piece.s + sizeof name, piece.n - sizeof name, ts, err);
}

/* End a zone that was begun earlier. */
static int
end_begun(struct writer *w, const struct tt_slice *s, int64_t *opened, char **at, struct tt_err *err)
{
	struct tt_piece piece;
	int rc = tt_pieces_zone(w->pieces, s->key, &w->scratch, &piece, err);

	if (rc != TT_OK || !piece.s || pf_time(w->c, s->ts) == UINT64_MAX || s->depth >= PF_DEEPEST)
		return rc;
	*opened -= (s->flags & TT_F_BASE) != 0;
	rc = pop_to(w, s->depth, 0, 0, at, err);
	const uint64_t ts = pf_lasts(w->c, s) ? pf_time(w->c, s->ts) + (uint64_t)s->dur : w->last;
	if (rc != TT_OK)
		return rc;
	return s->flags & TT_F_POPPED ? put_long(w, &w->head[0], "", 0, &(struct tt_args){ .cut = true }, s->key, ts, at, err) : put_end(w, at, ts, err);
}

static int
put_begun(struct writer *w, const struct tt_begun *z, int64_t *opened, char **at, struct tt_err *err)
{
	struct tt_piece piece;
	int rc = tt_pieces_zone(w->pieces, z->s.key, &w->scratch, &piece, err);

	if (rc != TT_OK || !piece.s)
		return rc;
	if (pf_time(w->c, z->s.ts) == UINT64_MAX) {
		w->unwritten++;
		return TT_OK;
	}
	*opened += z->s.dur < 0 && z->s.depth < PF_DEEPEST;
	return put_begin(w, &z->s, pf_time(w->c, z->s.ts), UINT64_MAX, at, err);
}

/* A packet that sets the clock of the zones' sequence to 0 at boot time's zero: from here on, each time is a step from the previous one. */
static const char clock_at_zero[] = {
	PF_PACKET << 3 | TT_WIRE_BYTES, 20, PF_SEQUENCE << 3, PF_ZONES, PF_FLAGS << 3, PF_NEEDS_STATE,
	PF_CLOCK_SNAPSHOT << 3 | TT_WIRE_BYTES, 14,
	1 << 3 | TT_WIRE_BYTES, 6, 1 << 3, PF_STEPS, 2 << 3, 0, 3 << 3, 1,      /* a clock: its number, its value, whether it counts steps */
	1 << 3 | TT_WIRE_BYTES, 4, 1 << 3, PF_BOOT, 2 << 3, 0,
};

/* Begin the packets of zones. */
static int
put_clock(struct writer *w, char **p, struct tt_err *err)
{
	int rc = w->stamps ? begin_run(w, p, err) : TT_OK;

	if (rc != TT_OK)
		return rc;
	const size_t from = w->out->n;
	tt_buf_add(w->out, clock_at_zero, sizeof clock_at_zero);
	return end_plain(w, from, p, err);
}

/* Write begins and ends in the thread's order of time. */
static int
put_zones(struct writer *w, int64_t *opened, struct tt_err *err)
{
	const struct tt_view *v = w->v;
	const struct tt_begun *begun = v->begun, *last = begun + v->nbegun;
	const size_t start = w->out->n;
	char *p = NULL;
	int rc = put_clock(w, &p, err);
	const size_t empty = w->out->n;

	for (size_t i = 0; rc == TT_OK; i++) {
		for (; begun < last && begun->before == i && rc == TT_OK; begun++)
			rc = put_begun(w, begun, opened, &p, err);
		if (i == v->nslice || rc != TT_OK)
			break;
		const struct tt_slice *s = &v->slice[i];
		const uint64_t ts = pf_time(w->c, s->ts);
		if (!likely(!(s->flags & TT_SLICE_ENDS)))
			rc = end_begun(w, s, opened, &p, err);
		else if (likely(pf_lasts(w->c, s)))
			rc = put_begin(w, s, ts, ts + (uint64_t)s->dur, &p, err);
		else
			w->unwritten++;
	}
	TT_THEN(rc, pop_to(w, 0, 0, 0, &p, err));
	if (rc != TT_OK)
		return rc;
	w->out->n = (size_t)(p - w->out->p);
	if (w->out->n == empty) {
		w->out->n = start;
	} else if (w->stamps) {
		rc = next_run(w, w->out->n, &p, err);
		w->out->n = w->run;
	}
	return rc;
}

/* --- allocations ------------------------------------------------------------------------ */

/* Append the place of an event outside all zones: the innermost frame of its recorded stack. */
static void
put_site(struct writer *w, const struct tt_event *e, struct tt_buf *b)
{
	struct tt_piece piece = { 0 };
	struct tt_nameless own;
	size_t n, at;
	const uint64_t *key = tt_emit_stack(w->v, (size_t)(e - w->v->b->ev), &n);
	uint32_t iid = 0;

	if (!n)
		return;
	if (tt_pieces_zone(w->pieces, key[n - 1], &w->scratch, &piece, NULL) == TT_OK && piece.s)
		iid = pf_piece_name(&piece);
	at = pf_open(b, PF_EVENT_ANNOTATION);
	pf_number(b, PF_NOTE_NAME_IID, PF_SITE);
	if (iid) {
		use(w, PF_USE_STRING, iid);
		pf_number(b, PF_NOTE_TEXT_IID, iid);
	} else {
		put_brief(w->c, PF_NOTE_TEXT, tt_emit_frame(w->v, key[n - 1], &own), b);
	}
	tt_pf_close(b, at);
}

static int
put_instant(struct writer *w, const struct tt_event *e, uint64_t ts, uint64_t bytes, struct tt_err *err)
{
	struct tt_buf *b = w->out;
	struct tt_piece piece;
	int rc = tt_pieces_alloc(w->pieces, e, &w->scratch, &piece, err);

	if (rc != TT_OK)
		return rc;
	struct pf_event event = tt_pf_begin_event(b, PF_INSTANT, pf_track(PF_THREAD, w->v->thread->index));
	pf_number(b, PF_EVENT_NAME_IID, PF_ALLOC);
	pf_number(b, PF_EVENT_CATEGORY_IID, w->c->nmodel + PF_CAT_GC + 1);
	if (pf_piece_name(&piece))
		use(w, PF_USE_STRING, pf_piece_name(&piece));
	tt_buf_add(b, piece.s + sizeof(uint32_t), piece.n - sizeof(uint32_t));
	size_t at = pf_open(b, PF_EVENT_ANNOTATION);
	pf_number(b, PF_NOTE_NAME_IID, PF_BYTES);
	pf_number(b, PF_NOTE_UINT, bytes);
	tt_pf_close(b, at);
	if (e->flags & TT_F_STACK)
		put_site(w, e, b);
	tt_pf_end_event(b, event, ts);
	return tt_buf_error(b, err);
}

/* Write the thread's sum so far as a point of its counter. */
static int
put_sum(struct writer *w, uint64_t ts, uint64_t sum, struct tt_err *err)
{
	struct pf_event e = tt_pf_begin_event(w->out, PF_COUNTER, pf_track(PF_ALLOCATED, w->v->thread->index));

	pf_number(w->out, PF_EVENT_VALUE, sum);
	tt_pf_end_event(w->out, e, ts);
	return tt_buf_error(w->out, err);
}

/* Write each allocation as an instant; the sum by thread is a counter, too. */
static int
put_allocs(struct writer *w, struct tt_err *err)
{
	struct tt_alloc_points sum = tt_alloc_points(w->v);
	const struct tt_batch *b = w->v->b;
	int rc = TT_OK;

	use(w, PF_USE_NAME, PF_ALLOC);
	use(w, PF_USE_ALLOCATED, w->v->thread->index);
	for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &b->ev[i];
		uint64_t bytes, ts;

		if (e->kind != TT_ALLOC)
			continue;
		bytes = tt_alloc_points_add(&sum, e);
		if (!tt_emit_in_time(&w->c->e.m->filter, e->ts))
			continue;
		ts = pf_time(w->c, e->ts);
		if (ts == UINT64_MAX) {
			w->unwritten++;
			continue;
		}
		rc = put_instant(w, e, ts, bytes, err);
		if (rc == TT_OK && tt_alloc_points_show(&sum, ts))
			rc = put_sum(w, ts, sum.bytes, err);
	}
	return sum.owed && rc == TT_OK ? put_sum(w, sum.last_ts, sum.last, err) : rc;
}

/* --- chunk -------------------------------------------------------------------------------- */

/* Append the uses of the packets from ${at} on, and fill in the frame in front of them. */
static int
end_frame(struct writer *w, size_t at, size_t stamps, int64_t opened, struct tt_err *err)
{
	struct pf_frame f = { .uses = w->uses.n / sizeof(uint64_t), .stamps = stamps, .text = w->out->n - at - sizeof f - stamps, .opened = opened };
	int rc = tt_buf_error(&w->uses, err);

	if (rc != TT_OK)
		return rc;
	if (!f.text && !f.stamps) {
		w->out->n = at;
		return TT_OK;
	}
	memcpy(w->out->p + at, &f, sizeof f);
	tt_buf_add(w->out, w->uses.p, w->uses.n);
	return tt_buf_error(w->out, err);
}

int
tt_pf_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	const struct perfetto *c = state;
	struct writer w = { .c = c, .v = v, .out = out, .stamps = c->stamps, .pieces = &c->process[v->cap->process] };
	uint64_t track = pf_track(PF_THREAD, v->thread->index);
	size_t at = out->n;
	int64_t opened = 0;
	int rc = tt_buf_room(out, sizeof(struct pf_frame), err);

	if (rc != TT_OK)
		return rc;
	out->n += sizeof(struct pf_frame);
	w.head[0].n = make_head(w.head[0].s, PF_END, track);
	w.head[1].n = make_head(w.head[1].s, PF_BEGIN, track);
	use(&w, PF_USE_THREAD, v->thread->index);
	if (!c->late && (v->nslice || v->nbegun))
		rc = put_zones(&w, &opened, err);
	const size_t stamps = w.stamps ? out->n - at - sizeof(struct pf_frame) : 0;
	if (rc == TT_OK && v->b->nalloc)
		rc = put_allocs(&w, err);
	TT_THEN(rc, end_frame(&w, at, stamps, opened, err));
	if (rc == TT_OK && c->late && (v->nslice || v->nbegun))
		rc = tt_pf_aside_chunk(c, v, out, err);
	if (w.unwritten)
		atomic_fetch_add_explicit(c->unwritten, w.unwritten, memory_order_relaxed);
	if (w.deeper)
		atomic_fetch_add_explicit(c->deeper, w.deeper, memory_order_relaxed);
	tt_buf_free(&w.scratch);
	tt_buf_free(&w.args);
	tt_buf_free(&w.uses);
	tt_buf_free(&w.opened);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}
