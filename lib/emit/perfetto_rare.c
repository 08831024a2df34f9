/**
 * Perfetto: rare events in file order: counters, heap size, flows, instants, samples.
 *
 * A flow belongs to the zone that is open at its time. It is an event of its own (a legacy one, as in Chrome's format), so a flow at the very end of
 * a zone is put a nanosecond earlier, which is invisible. A flow outside all zones connects nothing.
 *
 * Samples are a sequence of their own. The memory for their stacks is bounded: when it is full, all stacks are dropped and sent anew.
 */
#include <string.h>

#include "base/hash_seed.h"
#include "base/order.h"
#include "collect/counters.h"
#include "emit/common.h"
#include "emit/perfetto.h"
#include "model/args.h"
#include "model/defs.h"

enum { MAX_STACKS = 1 << 16, MAX_WORDS = 1 << 20, MAX_FRAMES = 1 << 17, NOTE_FRAMES = 64 };

/* A walk through the zones of one chunk, in step with its flows. */
struct walk {
	size_t slice, begun;          /* indexes of the next slice and the next begun zone */
	struct open { int64_t ts, end; uint32_t depth; } *open;       /* open zones, outermost first; end: INT64_MAX if unknown */
	size_t nopen, capopen;
	int64_t before;               /* number of shown zones that are open since an earlier chunk */
	bool ending;                  /* true: the next slice is an end at the present time */
};

struct rare {
	struct perfetto *c;
	const struct tt_view *v;
	struct tt_buf *out, uses;
	struct tt_err *err;
	size_t i;                     /* index of the event in the batch */
	size_t next;                  /* state of tt_flow_next() */
	const struct tt_event *e;
	uint64_t ts;
	struct walk walk;
};

static void
use(struct rare *r, enum pf_use as, uint32_t i)
{
	uint64_t u = pf_use(as, i);

	tt_buf_add(&r->uses, &u, sizeof u);
}

/* Begin an instant of ${name} on the thread ${index}. */
static struct pf_event
begin_instant(struct rare *r, uint32_t index, enum pf_name name)
{
	struct pf_event e = tt_pf_begin_event(r->out, PF_INSTANT, pf_track(PF_THREAD, index));

	use(r, PF_USE_THREAD, index);
	use(r, PF_USE_NAME, name);
	pf_number(r->out, PF_EVENT_NAME_IID, name);
	pf_number(r->out, PF_EVENT_CATEGORY_IID, r->c->entry[name].category);
	return e;
}

/* --- counters ----------------------------------------------------------------------- */

/* Append unit and section of a counter: the unit as a number if the format has one for it, else as a name; the section as the category. */
static void
put_what(struct tt_buf *b, const struct tt_def *d)
{
	static const char *const known[] = { [1] = "ns", [2] = "count", [3] = "bytes" };
	const char *unit = tt_counter_base(d).name, *section = tt_counter_section(d);
	size_t at = pf_open(b, PF_TRACK_COUNTER), number = 1;

	while (number < sizeof known / sizeof *known && strcmp(known[number], unit) != 0)
		number++;
	if (*section)
		tt_pf_text(b, 2, section, strlen(section));
	if (number < sizeof known / sizeof *known)
		pf_number(b, 3, number);
	else
		tt_pf_text(b, 6, unit, strlen(unit));
	tt_pf_close(b, at);
}

/* Return the track of the event's counter, which ${d} defines; describe the track at its first use. A ${text} counter has a track of instants. 0: no memory. */
static uint64_t
counter_track(struct rare *r, const struct tt_def *d, bool text)
{
	struct perfetto *c = r->c;
	const uint64_t key = r->e->dur;
	uint32_t process = r->v->cap->process;
	uint64_t hash = tt_seeded_pair(2 * (uint64_t)process + text, key);
	uint32_t row = tt_map_find(&c->counters, hash, i,
	    c->counter[i].key == key && c->counter[i].def == d && c->counter[i].process == process && c->counter[i].text == text);
	char room[TT_COUNTER_NAME];

	if (row)
		return pf_track(text ? PF_TEXTS : PF_NUMBERS, row - 1);
	if (tt_map_push(&c->counters, &c->e.env->mem, hash, &c->counter, &c->capcounter, c->ncounter, r->err) != TT_OK)
		return 0;
	c->counter[c->ncounter++] = (struct pf_counter){ .key = key, .def = d, .process = process, .text = text };
	const char *name = tt_counter_label(&c->labels, d, key, room);
	uint64_t track = pf_track(text ? PF_TEXTS : PF_NUMBERS, c->ncounter - 1);
	struct pf_event e = tt_pf_begin_track(r->out, track, pf_track(PF_PROCESS, process), name, strlen(name));
	pf_number(r->out, PF_TRACK_SIBLINGS, 2);      /* do not merge with other counters of the same name */
	if (!text)
		put_what(r->out, d);
	tt_pf_end_track(r->out, e);
	return track;
}

/* Write a text counter as an instant named by the text, as it has no curve. */
static int
put_text_counter(struct rare *r)
{
	const struct tt_args args = tt_args_of(r->v->b, r->i);
	uint64_t track;
	size_t n;

	if (args.n == 0 || args.ev->depth != TT_T_TEXT)
		return TT_OK;
	if (!(track = counter_track(r, tt_counter_def(r->v->cap, r->e), true)))
		return TT_E_NOMEM;
	const char *s = tt_args_text(&args, args.ev, &n);
	struct pf_event e = tt_pf_begin_event(r->out, PF_INSTANT, track);
	tt_pf_text(r->out, PF_EVENT_NAME, s, n);
	tt_pf_end_event(r->out, e, r->ts);
	return TT_OK;
}

static void
put_point(struct rare *r, uint64_t track, enum tt_type type, uint64_t bits)
{
	struct pf_event e = tt_pf_begin_event(r->out, PF_COUNTER, track);
	double d = (double)bits;

	/* Integers of the format are signed; a real is close enough for larger ones. */
	if (type == TT_T_U64 && bits > INT64_MAX) {
		memcpy(&bits, &d, sizeof bits);
		type = TT_T_F64;
	}
	if (type == TT_T_F64)
		tt_pf_double(r->out, PF_EVENT_DOUBLE, bits);
	else
		pf_number(r->out, PF_EVENT_VALUE, bits);
	tt_pf_end_event(r->out, e, r->ts);
}

/* Write a value; it is absolute, as the run has added up differences. */
static int
put_counter(struct rare *r)
{
	const struct tt_def *d = tt_counter_def(r->v->cap, r->e);
	enum tt_type type = (enum tt_type)r->e->depth;
	uint64_t track, bits = r->e->val;

	if (type == TT_T_TEXT)
		return put_text_counter(r);
	if (type <= TT_T_F64)
		tt_counter_scale(d, &type, &bits);
	if (type > TT_T_F64 || !tt_value_finite(type, bits)) {
		atomic_fetch_add_explicit(r->c->unwritten, 1, memory_order_relaxed);
		return TT_OK;
	}
	if (!(track = counter_track(r, d, false)))
		return TT_E_NOMEM;
	put_point(r, track, type, bits);
	return TT_OK;
}

static int
put_heap_size(struct rare *r)
{
	uint32_t process = r->v->cap->process;
	uint64_t track = pf_track(PF_HEAP_SIZE, process);

	if (!r->c->heap_sent[process]) {
		struct pf_event e = tt_pf_begin_track(r->out, track, pf_track(PF_PROCESS, process), "GC heap size", 12);
		size_t at = pf_open(r->out, PF_TRACK_COUNTER);

		pf_number(r->out, 3, 3);
		tt_pf_close(r->out, at);
		tt_pf_end_track(r->out, e);
		r->c->heap_sent[process] = true;
	}
	put_point(r, track, TT_T_U64, r->e->val & INT64_MAX);
	return TT_OK;
}

/* --- flows ---------------------------------------------------------------------------- */

void
tt_pf_put_flow(struct tt_buf *b, const struct tt_thread *thread, uint64_t ts, char phase, uint64_t id)
{
	struct pf_event e = tt_pf_begin_event(b, 0, pf_track(PF_THREAD, thread->index));
	size_t at;

	pf_number(b, PF_EVENT_NAME_IID, PF_FLOW);
	at = pf_open(b, PF_EVENT_LEGACY);
	pf_number(b, 2, (uint64_t)phase);
	pf_number(b, 6, id);          /* unscoped_id */
	pf_number(b, 12, 1);          /* bind_to_enclosing */
	tt_pf_close(b, at);
	tt_pf_end_event(b, e, ts);
}

static bool
is_shown(struct rare *r, uint64_t key)
{
	struct tt_piece piece;

	return tt_pieces_zone(&r->c->process[r->v->cap->process], key, &r->c->scratch, &piece, NULL) == TT_OK && piece.s;
}

static int
walk_into(struct rare *r, const struct tt_slice *s)
{
	struct walk *w = &r->walk;

	while (w->nopen > 0 && (w->open[w->nopen - 1].depth >= s->depth || (!(s->flags & TT_SLICE_ENDS) && w->open[w->nopen - 1].end < s->ts)))
		w->nopen--;
	if (s->flags & TT_SLICE_ENDS) {
		w->before -= (s->flags & TT_F_BASE) && is_shown(r, s->key);
		return TT_OK;
	}
	if (!is_shown(r, s->key))
		return TT_OK;
	int rc = tt_mem_grow(&r->c->e.env->mem, &w->open, &w->capopen, w->nopen + 1, sizeof *w->open, r->err);
	if (rc == TT_OK)
		w->open[w->nopen++] = (struct open){ .ts = s->ts, .end = s->dur < 0 ? INT64_MAX : s->ts + s->dur, .depth = s->depth };
	return rc;
}

/* Walk past all zones that have begun or ended by ${ts}. */
static int
walk_to(struct rare *r, int64_t ts)
{
	struct walk *w = &r->walk;
	const struct tt_view *v = r->v;
	int rc = TT_OK;

	w->ending = false;
	while (rc == TT_OK) {
		if (w->begun < v->nbegun && v->begun[w->begun].before == w->slice) {
			if (v->begun[w->begun].s.ts > ts)
				break;
			rc = walk_into(r, &v->begun[w->begun++].s);
			continue;
		}
		if (w->slice == v->nslice)
			break;
		const struct tt_slice *s = &v->slice[w->slice];
		bool ends = s->flags & TT_SLICE_ENDS;
		w->ending = ends && s->ts + s->dur == ts;
		if (ends ? s->ts + s->dur >= ts : s->ts > ts)
			break;
		rc = walk_into(r, s);
		w->slice++;
	}
	return rc;
}

/*
 * Find the time, at or just before *${ts}, at which a flow lies inside a zone. False: there is no zone around it. With ${next} the flow belongs to the next
 * zone, which is not written, so a zone that ends at *${ts} does not count.
 */
static bool
inside(struct rare *r, bool next, int64_t *ts)
{
	const struct walk *w = &r->walk;

	for (size_t i = w->nopen; i > 0; i--) {
		const struct open *o = &w->open[i - 1];

		if (o->ts <= *ts && o->end > *ts)
			return true;
		if (o->end == *ts && o->ts < *ts && !next) {
			--*ts;
			return true;
		}
	}
	if (next)
		return w->before > w->ending;
	*ts -= w->before > 0 && w->ending;
	return w->before > 0;
}

/* Return the time by which ${s} is sorted among the slices of a chunk: the end for a zone whose begin came earlier. */
static int64_t
place(const struct tt_slice *s)
{
	return s->flags & TT_SLICE_ENDS ? s->ts + s->dur : s->ts;
}

/* True if the zone that begins at ${zone} is written. */
static bool
is_written(struct rare *r, const struct tt_event *zone)
{
	const struct tt_view *v = r->v;
	size_t i = tt_lower_bound(k, 0, v->nslice, place(&v->slice[k]) < zone->ts), j = tt_lower_bound(k, 0, v->nbegun, v->begun[k].s.ts < zone->ts);

	while (i < v->nslice && place(&v->slice[i]) == zone->ts && (v->slice[i].flags & TT_SLICE_ENDS || v->slice[i].key != zone->val))
		i++;
	while (j < v->nbegun && v->begun[j].s.ts == zone->ts && v->begun[j].s.key != zone->val)
		j++;
	return ((i < v->nslice && place(&v->slice[i]) == zone->ts) || (j < v->nbegun && v->begun[j].s.ts == zone->ts)) && is_shown(r, zone->val);
}

/* True if the zone begins and ends at the same time, as with clocks of 10 ns: a flow cannot be inside it, and belongs to the zone around it. */
static bool
is_empty(const struct tt_event *zone)
{
	return zone->kind == TT_ZONE && zone->dur == 0;
}

static int
put_flow(struct rare *r)
{
	struct perfetto *c = r->c;
	const bool next = r->e->flags & TT_F_NEXT;
	const struct tt_event *zone = next ? tt_flow_next(r->v, r->i, &r->next) : NULL;
	const bool seek = next && !zone;
	struct tt_flow_step step = { .ts = r->e->ts, .id = r->e->val, .thread = r->v->thread->index, .type = (uint8_t)r->e->depth, .next = zone };
	int rc = TT_OK;

	if (r->e->depth > TT_FLOW_SEQUENTIAL || tt_flow_left_out(r->v, r->i))
		return TT_OK;
	if (zone && !is_empty(zone) && (c->late || is_written(r, zone))) {
		step.ts = zone->ts;
	} else if (!c->late && !seek) {
		rc = walk_to(r, step.ts);
		if (rc != TT_OK || !inside(r, next, &step.ts))
			return rc;
	}
	rc = tt_flow_add(&c->flows, &c->e.env->mem, step, r->err);
	if (rc == TT_OK && seek)
		return tt_flow_seek(&c->flows, r->v, &c->e.env->mem, r->err);
	if (rc == TT_OK && c->late)
		return tt_flow_wait(&c->flows, &c->e.env->mem, r->err);
	if (rc != TT_END)
		return rc;
	atomic_fetch_add_explicit(c->unwritten, 1, memory_order_relaxed);
	return TT_OK;
}

static int
put_end(void *arg, const struct tt_flow_step *s, char phase, uint64_t id, struct tt_err *err)
{
	struct perfetto *c = arg;

	if (c->late)
		return tt_pf_aside_flow(c, s, phase, id, err);
	if (pf_time(c, s->ts) != UINT64_MAX)
		tt_pf_put_flow(&c->scratch, c->e.m->threads.t[s->thread], pf_time(c, s->ts), phase, id);
	return c->scratch.n >= 1 << 16 ? tt_pf_write(c, &c->scratch, err) : tt_buf_error(&c->scratch, err);
}

int
tt_pf_flows(struct perfetto *c, struct tt_err *err)
{
	int rc = TT_OK;

	c->scratch.n = 0;
	if (c->flows.n)
		rc = tt_pf_send(c, pf_use(PF_USE_NAME, PF_FLOW), &c->scratch, err);
	tt_flow_leave_out(&c->flows, 0);
	TT_THEN(rc, tt_flow_each(&c->flows, &c->e.env->mem, &c->e.m->threads, put_end, c, err));
	tt_flow_tell(&c->flows, c->e.env, "perfetto");
	return rc == TT_OK ? tt_pf_write(c, &c->scratch, err) : rc;
}

/* --- instants --------------------------------------------------------------------------- */

/* Write an instant of a marker, with its arguments. */
static int
put_instant(struct rare *r)
{
	const struct tt_pieces *pieces = &r->c->process[r->v->cap->process];
	const struct tt_args args = tt_args_of(r->v->b, r->i);
	struct tt_piece piece;
	int rc = tt_pieces_zone(pieces, r->e->val, &r->c->scratch, &piece, r->err);

	if (rc != TT_OK || !piece.s)
		return rc;
	struct pf_event e = tt_pf_begin_event(r->out, PF_INSTANT, pf_track(PF_THREAD, r->v->thread->index));
	use(r, PF_USE_THREAD, r->v->thread->index);
	if (pf_piece_name(&piece))
		use(r, PF_USE_NAME, pf_piece_name(&piece));
	tt_buf_add(r->out, piece.s + sizeof(uint32_t), piece.n - sizeof(uint32_t));
	tt_pf_args(r->c, tt_model_key(r->c->e.m, r->v->cap->process, r->e->val)->arg_instant, &args, r->out);
	tt_pf_end_event(r->out, e, r->ts);
	return TT_OK;
}

/* Append the innermost frames of a stack, the innermost last. */
static void
put_stack(struct rare *r, const uint64_t *key, size_t n)
{
	size_t at = pf_open(r->out, PF_EVENT_ANNOTATION);

	pf_number(r->out, PF_NOTE_NAME_IID, PF_STACK);
	for (size_t i = n > NOTE_FRAMES ? n - NOTE_FRAMES : 0; i < n; i++) {
		struct tt_nameless own;
		const char *name = tt_emit_brief(&r->c->e, tt_emit_frame(r->v, key[i], &own));
		size_t value = pf_open(r->out, PF_NOTE_ARRAY);

		tt_pf_text(r->out, PF_NOTE_TEXT, name, strlen(name));
		tt_pf_close(r->out, value);
	}
	tt_pf_close(r->out, at);
}

/* Write an instant of the runtime, called ${name}, with the object that it concerns, if any. */
static void
put_note(struct rare *r, enum pf_name name, uint64_t object)
{
	size_t n;
	const uint64_t *key = tt_emit_stack(r->v, r->i, &n);
	struct pf_event e = begin_instant(r, r->v->thread->index, name);

	if (object) {
		size_t at = pf_open(r->out, PF_EVENT_ANNOTATION);

		pf_number(r->out, PF_NOTE_NAME_IID, PF_OBJECT);
		pf_number(r->out, PF_NOTE_POINTER, object);
		tt_pf_close(r->out, at);
		if (n)
			put_stack(r, key, n);
	}
	tt_pf_end_event(r->out, e, r->ts);
}

/* --- samples ------------------------------------------------------------------------------ */

/* The frames and stacks that were sent. The number of a frame or stack is its index + 1; a frame's number is also its function's. */
struct pf_stacks {
	struct { uint64_t key; uint32_t process; } *frame;    /* process: UINT32_MAX for a native address */
	size_t nframe, capframe;
	struct { size_t at, n; } *stack;      /* range in word: numbers of frames, the outermost first */
	size_t nstack, capstack;
	uint32_t *word;
	size_t nword, capword;
	struct tt_map frames, stacks;
	bool begun;                   /* true: the sequence was begun */
};

void
tt_pf_stacks_free(struct perfetto *c)
{
	struct pf_stacks *s = c->stacks;
	struct tt_mem *mem = &c->e.env->mem;

	if (!s)
		return;
	tt_mem_free(mem, s->frame, s->capframe * sizeof *s->frame);
	tt_mem_free(mem, s->stack, s->capstack * sizeof *s->stack);
	tt_mem_free(mem, s->word, s->capword * sizeof *s->word);
	tt_map_free(&s->frames, mem);
	tt_map_free(&s->stacks, mem);
	tt_mem_free(mem, s, sizeof *s);
}

/* Drop all stacks, and make the reader drop them. */
static void
forget(struct pf_stacks *s)
{
	tt_map_clear(&s->frames);
	tt_map_clear(&s->stacks);
	s->nframe = s->nstack = s->nword = 0;
	s->begun = false;
}

static void
put_numbered(struct tt_buf *b, unsigned field, uint64_t iid, const char *text)
{
	size_t at = pf_open(b, field);

	pf_number(b, 1, iid);
	tt_pf_text(b, 2, text, strlen(text));
	tt_pf_close(b, at);
}

/* Find the *${number} of a frame; describe a new frame in ${in}. */
static int
frame_number(struct rare *r, uint32_t process, uint64_t key, struct tt_buf *in, uint32_t *number)
{
	struct pf_stacks *s = r->c->stacks;
	struct tt_mem *mem = &r->c->e.env->mem;
	uint64_t hash = tt_seeded_pair(process, key);
	struct tt_nameless own;
	int rc;

	if ((*number = tt_map_find(&s->frames, hash, i, s->frame[i].key == key && s->frame[i].process == process)) != 0)
		return TT_OK;
	if ((rc = tt_map_push(&s->frames, mem, hash, &s->frame, &s->capframe, s->nframe, r->err)) != TT_OK)
		return rc;
	s->frame[s->nframe].key = key;
	s->frame[s->nframe].process = process;
	*number = (uint32_t)++s->nframe;
	put_numbered(in, PF_IN_FUNCTION, *number, process == UINT32_MAX ? "(native)" : tt_emit_frame(r->v, key, &own));
	size_t at = pf_open(in, PF_IN_FRAME);
	pf_number(in, 1, *number);
	pf_number(in, 2, *number);
	pf_number(in, 3, 1);          /* the only mapping */
	tt_proto_number(in, 4, process == UINT32_MAX ? key : 0);
	tt_pf_close(in, at);
	return TT_OK;
}

/* Find the *${number} of a stack; describe a new stack in ${in}. */
static int
stack_number(struct rare *r, const uint64_t *key, size_t n, struct tt_buf *in, uint32_t *number)
{
	struct pf_stacks *s = r->c->stacks;
	struct tt_mem *mem = &r->c->e.env->mem;
	uint32_t native = (uint32_t)(n == 0), *word;
	uint64_t hash = n;
	size_t at;
	int rc = tt_mem_grow(mem, &s->word, &s->capword, s->nword + n + 1, sizeof *s->word, r->err);

	if (rc != TT_OK)
		return rc;
	word = s->word + s->nword;
	for (size_t i = 0; i < n + native && rc == TT_OK; i++) {
		rc = frame_number(r, native ? UINT32_MAX : r->v->cap->process, native ? r->e->val : key[i], in, &word[i]);
		hash = tt_seeded_mix(hash, word[i]);
	}
	if (rc != TT_OK)
		return rc;
	n += native;
	if ((*number = tt_map_find(&s->stacks, hash, i, s->stack[i].n == n && memcmp(s->word + s->stack[i].at, word, n * sizeof *word) == 0)) != 0)
		return TT_OK;
	if ((rc = tt_map_push(&s->stacks, mem, hash, &s->stack, &s->capstack, s->nstack, r->err)) != TT_OK)
		return rc;
	s->stack[s->nstack].at = s->nword;
	s->stack[s->nstack].n = n;
	s->nword += n;
	*number = (uint32_t)++s->nstack;
	at = pf_open(in, PF_IN_CALLSTACK);
	pf_number(in, 1, *number);
	for (size_t i = 0; i < n; i++)
		pf_number(in, 2, word[i]);
	tt_pf_close(in, at);
	return TT_OK;
}

static int
put_stack_sample(struct rare *r, const struct tt_thread *t, const uint64_t *key, size_t n)
{
	struct perfetto *c = r->c;
	struct tt_buf *in = &c->more;
	uint32_t number;
	size_t packet, at;
	int rc;

	if (!c->stacks && !(c->stacks = tt_mem_alloc(&c->e.env->mem, sizeof *c->stacks, r->err)))
		return TT_E_NOMEM;
	struct pf_stacks *s = c->stacks;
	if (s->nstack >= MAX_STACKS || s->nword >= MAX_WORDS || s->nframe >= MAX_FRAMES)
		forget(s);
	in->n = 0;
	if (!s->begun) {
		put_numbered(in, PF_IN_MAPPING_PATH, 1, "managed code");
		at = pf_open(in, PF_IN_MAPPING);
		pf_number(in, 1, 1);
		pf_number(in, 7, 1);
		tt_pf_close(in, at);
	}
	if ((rc = stack_number(r, key, n, in, &number)) != TT_OK || (rc = tt_buf_error(in, r->err)) != TT_OK)
		return rc;
	packet = pf_open(r->out, PF_PACKET);
	pf_number(r->out, PF_SEQUENCE, PF_SAMPLES);
	pf_number(r->out, PF_FLAGS, s->begun ? PF_NEEDS_STATE : PF_CLEARED | PF_NEEDS_STATE);
	pf_number(r->out, PF_TIMESTAMP, r->ts);
	if (in->n)
		tt_proto_bytes(r->out, PF_INTERNED, in->p, in->n);
	at = pf_open(r->out, PF_PERF_SAMPLE);
	pf_number(r->out, 2, tt_pf_pid(c, t->process));
	pf_number(r->out, 3, tt_pf_sample_tid(c, t));
	pf_number(r->out, 4, number);
	tt_pf_close(r->out, at);
	tt_pf_close(r->out, packet);
	s->begun = true;
	return TT_OK;
}

static int
put_sample(struct rare *r)
{
	const struct tt_event *x = tt_event_ext(r->v->b, r->i);
	const struct tt_filter *f = &r->c->e.m->filter;
	struct tt_nameless own;
	size_t n;
	const uint64_t *key = tt_emit_stack(r->v, r->i, &n);

	if (!x || (uint64_t)x->ts >= r->c->e.m->threads.n || (n == 0 && (f->marker || f->category)))
		return TT_OK;
	if (n && !tt_emit_name(r->c->e.m, r->v->cap->process, key[n - 1], &own)->wanted)
		return TT_OK;
	use(r, PF_USE_SAMPLED, (uint32_t)x->ts);
	return put_stack_sample(r, r->c->e.m->threads.t[x->ts], key, n);
}

/* --- all --------------------------------------------------------------------------------- */

static int
put_event(struct rare *r)
{
	switch ((enum tt_kind)r->e->kind) {
	case TT_INSTANT:
		return put_instant(r);
	case TT_SAMPLE:
		return put_sample(r);
	case TT_FLOW:
		return put_flow(r);
	case TT_COUNTER:
		return tt_emit_counter_shown(&r->c->e, r->v, r->e) ? put_counter(r) : TT_OK;
	case TT_GC_HEAP:
		return put_heap_size(r);
	case TT_THROW:
		put_note(r, PF_THROWN, r->e->val);
		break;
	case TT_MONITOR:
		if (r->e->depth != TT_MONITOR_ACQUIRED)
			put_note(r, r->e->depth == TT_MONITOR_FAILED ? PF_NOT_TAKEN : PF_CONTENDED, r->e->val);
		break;
	case TT_HEAP_SHOT:
		put_note(r, r->e->flags & TT_F_END ? PF_SHOT_END : PF_SHOT, 0);
		break;
	case TT_GAP:
		if (!(r->e->flags & (TT_F_POPPED | TT_F_END)))
			put_note(r, r->e->depth == TT_GAP_UNRECORDED ? PF_UNRECORDED : PF_LOST, 0);
		break;
	default:
		break;
	}
	return TT_OK;
}

int
tt_pf_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct perfetto *c = state;
	struct rare r = { .c = c, .v = v, .err = err };
	struct pf_frame f = { 0 };
	struct tt_buf text = { 0 };
	int rc = TT_OK;

	if (v->thread->index < c->capthread)
		r.walk.before = c->thread[v->thread->index].open;
	r.out = &text;
	for (size_t k = 0; k < v->b->nrare && rc == TT_OK; k++) {
		r.i = v->b->rare[k];
		r.e = &v->b->ev[r.i];
		r.ts = pf_time(c, r.e->ts);
		if (r.ts != UINT64_MAX && tt_emit_in_time(&c->e.m->filter, r.e->ts) && tt_emit_by_thread(v, r.i))
			rc = put_event(&r);
	}
	f.uses = r.uses.n / sizeof(uint64_t);
	f.text = text.n;
	if (rc == TT_OK && (rc = tt_buf_error(&text, err)) == TT_OK && (rc = tt_buf_error(&r.uses, err)) == TT_OK && (f.text || f.uses)) {
		tt_buf_add(out, &f, sizeof f);
		tt_buf_add(out, text.p, text.n);
		tt_buf_add(out, r.uses.p, r.uses.n);
		rc = tt_buf_error(out, err);
	}
	tt_mem_free(&c->e.env->mem, r.walk.open, r.walk.capopen * sizeof *r.walk.open);
	tt_buf_free(&r.uses);
	tt_buf_free(&text);
	return rc;
}
