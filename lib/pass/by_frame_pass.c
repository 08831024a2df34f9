/**
 * The pass "by_frame": what each marker, thread, counter and the collector do in each frame, one row for each.
 *
 * The rows of a frame are made when they are written, from the sums that collect/by_frame.h stores: at most one frame's rows are in memory.
 * Figures are those of the tables markers, threads, counters and gcalloc with the filter set to the one frame. Definitions:
 * tracetool-metrics(7), Figures of single frames.
 */
#include "base/option.h"
#include "base/order.h"
#include "collect/by_frame.h"
#include "collect/collections.h"
#include "pass/passes.h"
#include "view/allocs.h"
#include "view/counter_labels.h"
#include "view/frame_sums.h"

#define FRAME_COL { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1, as filters by frame use it." }
#define THREAD_COLS { "thread", "thread", TT_UNIT_TEXT, "Name of the thread." }, { "number", "no.", TT_UNIT_COUNT, "Number of the thread." }
#define ALLOC_COLS(of) \
	{ "allocs", "allocs", TT_UNIT_COUNT, "Number of allocations " of "; empty if allocations were not recorded." }, \
	{ "alloc_bytes", "allocated", TT_UNIT_BYTES, "Bytes of these allocations." }
#define PROCESS_COL { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." }

enum { M_FRAME, M_THREAD, M_NUMBER, M_MARKER, M_SELF, M_TOTAL, M_COUNT, M_ALLOCS, M_BYTES, M_PROCESS, M_N };

static const struct tt_col markers_col[M_N] = {
	FRAME_COL, THREAD_COLS,
	{ "marker", "marker", TT_UNIT_TEXT, "Name of the marker, as in the table markers; (outside any zone): allocations with no zone around them." },
	{ "self_ns", "self", TT_UNIT_NS, "Time of the frame in the marker and in no zone inside it, over all activations on the thread." },
	{ "total_ns", "total", TT_UNIT_NS,
	    "Time of the frame in the marker and everything inside it; an activation inside another of the same marker adds nothing." },
	{ "count", "count", TT_UNIT_COUNT, "Number of activations that begin in the frame; 0: one that began earlier goes on." },
	ALLOC_COLS("in the frame whose site is the marker, as in the table alloc_sites"),
	PROCESS_COL,
};

enum { T_FRAME, T_THREAD, T_NUMBER, T_BUSY, T_SHARE, T_WAITING, T_ZONES, T_ALLOCS, T_BYTES, T_PROCESS, T_N };

static const struct tt_col threads_col[T_N] = {
	FRAME_COL, THREAD_COLS,
	{ "busy_ns", "busy", TT_UNIT_NS, "Time of the frame inside at least one zone of the thread, without the zones of wait markers." },
	{ "busy_share", "busy", TT_UNIT_PERCENT, "Busy time as a share of the frame's wall time." },
	{ "waiting_ns", "waiting", TT_UNIT_NS, "Time of the frame inside zones of wait markers; nested ones count once." },
	{ "zones", "zones", TT_UNIT_COUNT, "Number of zones that begin in the frame." },
	ALLOC_COLS("in the frame on the thread"),
	PROCESS_COL,
};

enum { C_FRAME, C_COUNTER, C_SECTION, C_UNIT, C_LAST, C_MIN, C_MAX, C_COUNT, C_PROCESS, C_N };

static const struct tt_col counters_col[C_N] = {
	FRAME_COL,
	{ "counter", "counter", TT_UNIT_TEXT, "Name of the counter, or \"(unknown counter 7)\" by its number if it has no description." },
	{ "section", "section", TT_UNIT_TEXT, "Section of the counter: the part of the runtime, or the producer's category." },
	{ "unit", "unit", TT_UNIT_TEXT, "Unit of the values here, as in the table counters." },
	{ "last", "last", TT_UNIT_VALUE, "Last value in the frame." },
	{ "min", "min", TT_UNIT_VALUE,
	    "Smallest value in the frame; here and in the largest, infinities count only if no value is a number, NaN only if all are." },
	{ "max", "max", TT_UNIT_VALUE, "Largest value in the frame." },
	{ "count", "values", TT_UNIT_COUNT, "Number of values in the frame; a counter without one has no row." },
	PROCESS_COL,
};

enum { G_FRAME, G_START, G_DUR, G_ALLOCS, G_BYTES, G_COLLECTIONS, G_COLLECTION_NS, G_PAUSE, G_HEAP, G_PROCESS, G_N };

static const struct tt_col gc_col[G_N] = {
	FRAME_COL,
	{ "start_ns", "start", TT_UNIT_NS, "Start of the frame." },
	{ "dur_ns", "duration", TT_UNIT_NS, "Wall time of the frame." },
	ALLOC_COLS("in the frame on all threads"),
	{ "collections", "collections", TT_UNIT_COUNT, "Number of collections that begin in the frame; empty if collections were not recorded." },
	{ "collection_ns", "collection time", TT_UNIT_NS,
	    "Time of collections in the frame, start to end, also of one that began before it or that runs beside the program." },
	{ "gc_pause_ns", "GC pause", TT_UNIT_NS,
	    "Time of the frame during which a collection was stopping or had stopped the world, as causes tell it; empty if pauses were not recorded." },
	{ "heap_bytes", "heap", TT_UNIT_BYTES, "Size of the heap after the last change of it in the frame; empty if it did not change." },
	PROCESS_COL,
};

/* Find the *${row} of the site that allocates at ${node}. True if the filters want the site or the zone that the site is in. */
static bool
site_of(const struct tt_frame_sums *s, uint32_t node, uint32_t *row)
{
	uint32_t site = tt_alloc_site_of(s->p, s->p->owner[node]);

	*row = tt_paths_row_at(s->p, site);
	return tt_paths_site_wanted(s->p, *row) || tt_paths_site_wanted(s->p, tt_paths_row_at(s->p, tt_paths_zone(s->p, site)));
}

static bool
is_alloc(const struct tt_frame_sums *s, uint32_t node)
{
	return tt_paths_node(s->p, node)->kind == TT_NODE_ALLOC;
}

/* Begin a row of a frame: fill its first cell and the cell ${process}, which names the process. Return the first cell. */
static struct tt_cell *
row_of_frame(struct tt_table *t, const struct tt_model *m, size_t frame, unsigned process)
{
	struct tt_cell *c = tt_row(t);

	tt_cell_u64(&c[0], tt_frames_number(m->frames, frame));
	tt_cell_int(&c[process], (int64_t)m->threads.t[tt_frames_thread(m->frames, frame)]->process + 1);
	return c;
}

/* Put the name and number of ${thread}; the thread of "(more paths)" has neither. */
static void
put_thread(struct tt_cell *c, const struct tt_model *m, uint32_t thread)
{
	if (thread >= m->threads.n)
		return;
	tt_cell_group(&c[0], m->threads.t[thread]->name, thread);
	tt_cell_int(&c[1], (int64_t)thread + 1);
}

static uint32_t
thread_of(const struct tt_frame_sums *s, uint32_t node)
{
	const struct tt_thread *t = tt_paths_thread(s->p, node);

	return t ? t->index : UINT32_MAX;
}

static const struct tt_capture *
capture_of_frame(const struct tt_model *m, size_t frame)
{
	return m->cap[m->threads.t[tt_frames_thread(m->frames, frame)]->process];
}

static void
put_allocs(struct tt_cell *c, bool known, uint64_t n, int64_t bytes)
{
	if (!known)
		return;
	tt_cell_u64(&c[0], n);
	tt_cell_int(&c[1], bytes);
}

/* --- markers ------------------------------------------------------------------------------- */

/* The work of a marker on a thread in the frame. */
struct entry {
	uint32_t thread, row;
	uint64_t n, allocs;
	int64_t total, self, bytes;
	bool met;
};

struct by_frame {
	struct tt_stream stream;
	struct tt_frame_sums s;
	bool allocs;                  /* allocations are known */
	struct entry *e;              /* the entries of the present frame */
	size_t n, cap;
	/* Markers on threads in zones that fill frames, and which of them do so now: in `filled`, the place of each in `now` + 1. */
	struct filled { uint32_t thread, row, at; int64_t inside, total, self; } *filled;
	uint32_t *now;
	size_t nfilled, capfilled, nnow, capnow;
	struct tt_map filled_at;      /* places in filled */
	const struct tt_counters *counters;
	struct tt_sorted *values;     /* all values of counters, by frame */
	struct tt_frame_values value;  /* the next value, if is_value */
	bool is_value;
	uint32_t *rank;               /* by counter: its rank by name and section */
	const char **name;            /* by counter: its name; NULL: the filters leave the counter out */
	struct tt_frame_values *v;     /* the values of the present frame */
	size_t nv, capv;
	size_t frame;                 /* table frame_gc: the next frame */
	int64_t *pause;               /* by frame: GC pause in ns; NULL: not known */
	bool collections;
};

static void
end(struct tt_stream *stream)
{
	struct by_frame *b = (struct by_frame *)stream;
	struct tt_mem *mem = &b->s.m->env->mem;

	if (b->s.p)
		tt_frame_sums_free(&b->s);
	tt_by_frame_close(b->values);
	tt_mem_free(mem, b->e, b->cap * sizeof *b->e);
	tt_mem_free(mem, b->filled, b->capfilled * sizeof *b->filled);
	tt_mem_free(mem, b->now, b->capnow * sizeof *b->now);
	tt_map_free(&b->filled_at, mem);
	tt_mem_free(mem, b->v, b->capv * sizeof *b->v);
	tt_mem_free(mem, b->pause, b->pause ? b->s.m->frames->n * sizeof *b->pause : 0);
}

static void
rewind_sums(struct tt_stream *stream, struct tt_table *t)
{
	struct by_frame *b = (struct by_frame *)stream;

	(void)t;
	b->frame = b->nnow = b->nfilled = 0;
	tt_map_free(&b->filled_at, &b->s.m->env->mem);
	tt_frame_sums_rewind(&b->s);
}

static bool
add_entry(struct by_frame *b, const struct entry *e)
{
	if (tt_mem_grow(&b->s.m->env->mem, &b->e, &b->cap, b->n + 1, sizeof *b->e, b->s.err) != TT_OK)
		return false;
	b->e[b->n++] = *e;
	return true;
}

/* The marker that the time of ${node}, no allocation, counts for: that of the zone that is shown. False: for none. */
static bool
row_of(const struct tt_frame_sums *s, uint32_t node, uint32_t *row)
{
	const struct tt_paths *p = s->p;
	const uint32_t owner = p->owner[node];

	if (!tt_paths_timed(p, node) || !tt_paths_shown(p, owner) || (*row = tt_paths_row(p, owner)) == TT_NO_ROW)
		return false;
	return tt_paths_site_wanted(p, *row);
}

/* One sum of the frame: a zone's time goes to the zone that is shown, an allocation to its site. */
static bool
add_sum(struct by_frame *b, const struct tt_frame_path *rec)
{
	const struct tt_frame_sums *s = &b->s;
	struct entry e = { .thread = thread_of(s, rec->node) };
	const uint32_t owner = s->p->owner[rec->node];

	if (is_alloc(s, rec->node)) {
		if (!site_of(s, rec->node, &e.row))
			return true;
		e.allocs = rec->n;
		e.bytes = rec->total;
		e.met = rec->n > 0;
		return add_entry(b, &e);
	}
	if (!row_of(s, rec->node, &e.row))
		return true;
	e.self = rec->self;
	if (owner == rec->node) {
		e.n = rec->n;
		e.total = s->flags[owner] & TT_SUM_OUTER ? rec->total : 0;
		e.met = rec->n || rec->total || rec->self;
	}
	return add_entry(b, &e);
}

/* The time that zones of ${row} on ${thread} fill frames with; NULL: no memory. */
static struct filled *
filled_of(struct by_frame *b, uint32_t thread, uint32_t row)
{
	const uint64_t hash = tt_seeded_pair(thread, row);
	const uint32_t at = tt_map_find(&b->filled_at, hash, i, b->filled[i].thread == thread && b->filled[i].row == row);

	if (at)
		return &b->filled[at - 1];
	if (tt_map_push(&b->filled_at, &b->s.m->env->mem, hash, &b->filled, &b->capfilled, b->nfilled, b->s.err) != TT_OK)
		return NULL;
	b->filled[b->nfilled] = (struct filled){ .thread = thread, .row = row };
	return &b->filled[b->nfilled++];
}

/* Take up that a path begins to fill frames, or no longer does. */
static bool
take_change(struct by_frame *b, const struct tt_frame_change *c)
{
	const struct tt_frame_sums *s = &b->s;
	const uint32_t owner = s->p->owner[c->node];
	struct filled *f;
	uint32_t row;

	if (is_alloc(s, c->node) || !row_of(s, c->node, &row))
		return true;
	if (!(f = filled_of(b, thread_of(s, c->node), row)) ||
	    tt_mem_grow(&s->m->env->mem, &b->now, &b->capnow, b->nnow + 1, sizeof *b->now, s->err) != TT_OK)
		return false;
	f->self += c->self;
	f->inside += owner == c->node ? c->total : 0;
	f->total += owner == c->node && s->flags[owner] & TT_SUM_OUTER ? c->total : 0;
	const bool fills = f->inside || f->self;
	if (fills && !f->at) {
		b->now[b->nnow++] = (uint32_t)(f - b->filled);
		f->at = (uint32_t)b->nnow;
	} else if (!fills && f->at) {
		b->now[f->at - 1] = b->now[--b->nnow];
		b->filled[b->now[f->at - 1]].at = f->at;
		f->at = 0;
	}
	return true;
}

/* The work of zones that fill the frame: an entry for each marker and thread, however many zones are open. */
static bool
add_filled(struct by_frame *b)
{
	const struct tt_frame_sums *s = &b->s;
	const int64_t dur = tt_frames_dur(s->m->frames, s->frame);

	for (size_t i = 0; i < s->nchange; i++)
		if (!take_change(b, &s->change[i]))
			return false;
	for (size_t i = 0; i < b->nnow && dur > 0; i++) {
		const struct filled *f = &b->filled[b->now[i]];

		if (!add_entry(b, &(struct entry){ .thread = f->thread, .row = f->row, .total = f->total * dur, .self = f->self * dur, .met = true }))
			return false;
	}
	return true;
}

static int
by_row(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->thread != y->thread ? TT_CMP(x->thread, y->thread) : TT_CMP(x->row, y->row);
}

static int
by_self(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->thread != y->thread)
		return TT_CMP(x->thread, y->thread);
	return x->self != y->self ? TT_CMP(y->self, x->self) : TT_CMP(x->row, y->row);
}

/* Merge the entries of the same marker on the same thread. */
static void
join(struct by_frame *b)
{
	size_t n = 0;

	tt_sort(b->e, b->n, by_row);
	for (size_t i = 0; i < b->n; i++) {
		const struct entry *e = &b->e[i];
		struct entry *to = &b->e[n];

		if (n == 0 || by_row(&to[-1], e) != 0) {
			*to = *e;
			n++;
			continue;
		}
		to[-1].n += e->n;
		to[-1].total += e->total;
		to[-1].self += e->self;
		to[-1].allocs += e->allocs;
		to[-1].bytes += e->bytes;
		to[-1].met = to[-1].met || e->met;
	}
	b->n = n;
	tt_sort(b->e, b->n, by_self);
}

static void
put_entry(struct by_frame *b, const struct entry *e, struct tt_table *t)
{
	const struct tt_frame_sums *s = &b->s;
	struct tt_cell *c = row_of_frame(t, s->m, s->frame, M_PROCESS);

	put_thread(&c[M_THREAD], s->m, e->thread);
	tt_cell_text(&c[M_MARKER], tt_site_name(s->p, e->row));
	tt_cell_int(&c[M_SELF], e->self);
	tt_cell_int(&c[M_TOTAL], e->total);
	tt_cell_u64(&c[M_COUNT], e->n);
	put_allocs(&c[M_ALLOCS], b->allocs && tt_capture_knows_allocs(capture_of_frame(s->m, s->frame)), e->allocs, e->bytes);
}

static bool
more_markers(struct tt_stream *stream, struct tt_table *t)
{
	struct by_frame *b = (struct by_frame *)stream;
	struct tt_frame_sums *s = &b->s;

	while (t->nrow == 0 && tt_frame_sums_next(s)) {
		b->n = 0;
		for (size_t i = 0; i < s->n; i++)
			if (!add_sum(b, &s->rec[i]))
				return false;
		if (s->lists_changes && !add_filled(b))
			return false;
		join(b);
		for (size_t i = 0; i < b->n; i++)
			if (b->e[i].met)
				put_entry(b, &b->e[i], t);
	}
	return t->nrow > 0;
}

/* --- threads -------------------------------------------------------------------------------- */

/* Add one sum to its thread's entry, in which total is the time in outermost zones, self the waiting part of that time, and n the number of zones. */
static bool
add_thread(struct by_frame *b, const struct tt_frame_path *rec)
{
	const struct tt_frame_sums *s = &b->s;
	struct entry e = { .thread = thread_of(s, rec->node) };
	uint8_t is = s->flags[rec->node];

	if (e.thread == UINT32_MAX)
		return true;
	if (is_alloc(s, rec->node)) {
		e.allocs = rec->n;
		e.bytes = rec->total;
	} else if (tt_frame_sums_zone(s, rec->node)) {
		e.n = tt_paths_shown(s->p, rec->node) ? rec->n : 0;
		e.total = is & TT_SUM_TOP ? rec->total : 0;
		e.self = is & TT_SUM_WAIT ? rec->total : 0;
	}
	e.met = e.n || e.total || e.self || e.allocs;
	return add_entry(b, &e);
}

static void
put_thread_row(struct by_frame *b, const struct entry *e, struct tt_table *t)
{
	const struct tt_model *m = b->s.m;
	struct tt_cell *c = row_of_frame(t, m, b->s.frame, T_PROCESS);
	const struct tt_zone_time time = { .inside = e->total, .waiting = e->self };

	put_thread(&c[T_THREAD], m, e->thread);
	tt_cell_int(&c[T_BUSY], tt_busy(&time));
	tt_put_share(&c[T_SHARE], tt_busy(&time), tt_frames_wall(m->frames, b->s.frame));
	tt_cell_int(&c[T_WAITING], time.waiting);
	tt_cell_u64(&c[T_ZONES], e->n);
	put_allocs(&c[T_ALLOCS], b->allocs && tt_capture_knows_allocs(capture_of_frame(m, b->s.frame)), e->allocs, e->bytes);
}

static bool
more_threads(struct tt_stream *stream, struct tt_table *t)
{
	struct by_frame *b = (struct by_frame *)stream;
	struct tt_frame_sums *s = &b->s;

	while (t->nrow == 0 && tt_frame_sums_next(s)) {
		b->n = 0;
		for (size_t i = 0; i < s->n; i++)
			if (!add_thread(b, &s->rec[i]))
				return false;
		join(b);
		for (size_t i = 0; i < b->n; i++)
			if (b->e[i].met)
				put_thread_row(b, &b->e[i], t);
	}
	return t->nrow > 0;
}

/* --- counters ------------------------------------------------------------------------------- */

static void
fetch_value(struct by_frame *b)
{
	const void *rec;

	b->is_value = tt_by_frame_next(b->values, &rec, b->s.err) == TT_OK && rec;
	if (b->is_value)
		b->value = tt_frame_values_of(b->counters, rec);
}

static void
rewind_values(struct tt_stream *stream, struct tt_table *t)
{
	struct by_frame *b = (struct by_frame *)stream;

	(void)t;
	tt_by_frame_close(b->values);
	b->values = NULL;
	if (b->s.err->code == TT_OK)
		tt_by_frame_open(b->s.m, TT_BY_FRAME_VALUES, &b->values, b->s.err);
	fetch_value(b);
}

static int
by_rank(const void *x, const void *y, void *arg)
{
	const struct tt_frame_values *a = x, *v = y;
	const uint32_t *rank = arg;

	return rank[a->counter] != rank[v->counter] ? TT_CMP(rank[a->counter], rank[v->counter]) : TT_CMP(a->counter, v->counter);
}

static void
put_counter(struct by_frame *b, const struct tt_frame_values *v, struct tt_table *t)
{
	const struct tt_counter_stat *of = &b->counters->counter[v->counter];
	struct tt_cell *c;

	if (!b->name[v->counter])
		return;
	c = row_of_frame(t, b->s.m, v->frame, C_PROCESS);
	tt_cell_group(&c[C_COUNTER], b->name[v->counter], b->rank[v->counter]);
	tt_cell_name(&c[C_SECTION], tt_counter_section(of->def));
	tt_cell_text(&c[C_UNIT], tt_counter_unit_name(of));
	tt_cell_counter(t->r, &c[C_LAST], of, v->last);
	tt_cell_counter(t->r, &c[C_MIN], of, v->min);
	tt_cell_counter(t->r, &c[C_MAX], of, v->max);
	tt_cell_u64(&c[C_COUNT], v->n);
}

static bool
more_counters(struct tt_stream *stream, struct tt_table *t)
{
	struct by_frame *b = (struct by_frame *)stream;

	while (t->nrow == 0 && b->is_value && b->s.err->code == TT_OK) {
		uint32_t frame = b->value.frame;

		for (b->nv = 0; b->is_value && b->value.frame == frame; fetch_value(b)) {
			if (tt_mem_grow(&b->s.m->env->mem, &b->v, &b->capv, b->nv + 1, sizeof *b->v, b->s.err) != TT_OK)
				return false;
			b->v[b->nv++] = b->value;
		}
		tt_sort_by(b->v, b->nv, by_rank, b->rank);
		for (size_t i = 0; i < b->nv; i++)
			put_counter(b, &b->v[i], t);
	}
	return t->nrow > 0;
}

/* --- the collector ------------------------------------------------------------------------- */

static void
put_gc(struct by_frame *b, size_t frame, uint64_t allocs, int64_t bytes, struct tt_table *t)
{
	const struct tt_frame_gc *gc = &tt_by_frame(b->s.m)->gc[frame];
	const struct tt_capture *cap = capture_of_frame(b->s.m, frame);
	struct tt_cell *c = row_of_frame(t, b->s.m, frame, G_PROCESS);

	tt_cell_int(&c[G_START], tt_frames_start(b->s.m->frames, frame));
	tt_cell_int(&c[G_DUR], tt_frames_wall(b->s.m->frames, frame));
	put_allocs(&c[G_ALLOCS], b->allocs && tt_capture_knows_allocs(cap), allocs, bytes);
	if (b->collections && tt_capture_knows_collections(cap)) {
		tt_cell_u64(&c[G_COLLECTIONS], gc->n);
		tt_cell_int(&c[G_COLLECTION_NS], gc->ns);
	}
	if (b->pause && tt_capture_knows_pauses(cap))
		tt_cell_int(&c[G_PAUSE], b->pause[frame]);
	if (gc->has_heap)
		tt_cell_u64(&c[G_HEAP], gc->heap);
}

static bool
more_gc(struct tt_stream *stream, struct tt_table *t)
{
	enum { FRAMES = 256 };
	struct by_frame *b = (struct by_frame *)stream;
	struct tt_frame_sums *s = &b->s;

	for (unsigned i = 0; i < FRAMES && b->frame < s->m->frames->n && s->err->code == TT_OK; i++, b->frame++) {
		uint64_t allocs = 0;
		int64_t bytes = 0;

		for (; s->next && s->next->frame == b->frame; tt_frame_sums_fetch(s)) {
			if (!is_alloc(s, s->next->node))
				continue;
			allocs += s->next->n;
			bytes += s->next->total;
		}
		put_gc(b, b->frame, allocs, bytes, t);
	}
	return t->nrow > 0;
}

/* --- the tables ----------------------------------------------------------------------------- */

/* Make ${b} the source of the rows of ${t}, in the long or the wide form. */
static void
begin(struct tt_making *k, struct tt_table *t, struct by_frame *b)
{
	const struct tt_pass_table *pt = tt_pass_table_named(t->id, NULL);

	if (k->o->wide_figure && pt->wide_column)
		tt_table_wide(k, t, pt, &b->stream);
	else
		tt_table_stream(t, &b->stream);
}

static struct by_frame *
new_rows(struct tt_making *k, bool (*more)(struct tt_stream *, struct tt_table *), bool sums)
{
	struct by_frame *b = tt_arena_alloc(&k->r->arena, sizeof *b, &k->r->err);

	if (!b)
		return NULL;
	b->stream = (struct tt_stream){ .more = more, .rewind = sums ? rewind_sums : rewind_values, .end = end };
	b->s = (struct tt_frame_sums){ .m = k->m, .err = &k->r->err };
	b->allocs = tt_model_knows_allocs(k->m);
	if (sums)
		tt_frame_sums_init(&b->s, k->view, &k->r->err);
	return b;
}

static void
markers(struct tt_making *k, struct tt_table *t)
{
	struct by_frame *b = new_rows(k, more_markers, true);

	if (!b)
		return;
	b->s.lists_changes = b->s.has_filled = !k->m->filter.no_wait;
	begin(k, t, b);
}

static void
threads(struct tt_making *k, struct tt_table *t)
{
	struct by_frame *b = new_rows(k, more_threads, true);

	if (!b)
		return;
	/* Skip inner zones, so that frames with deep stacks cost no more than others. */
	b->s.filling_mask = k->m->filter.no_wait ? 0 : TT_SUM_TOP | TT_SUM_WAIT;
	begin(k, t, b);
}

struct labelled { const char *label; uint32_t counter; };

static int
by_label(const void *a, const void *b)
{
	const struct labelled *x = a, *y = b;

	return strcmp(x->label, y->label);
}

/*
 * Rank the counters by label. Counters with the same label (as from several captures) share a rank: a column is named by the label, which is all that tells
 * columns apart.
 */
static void
rank_counters(struct tt_making *k, struct by_frame *b)
{
	const struct tt_counters *cs = b->counters = tt_counters(k->m);
	struct labelled *v = tt_pass_alloc(k, cs->n * sizeof *v);
	struct tt_counter_labels labels;

	b->rank = tt_arena_alloc(&k->r->arena, cs->n * sizeof *b->rank, &k->r->err);
	b->name = b->rank ? tt_arena_alloc(&k->r->arena, cs->n * sizeof *b->name, &k->r->err) : NULL;
	if (!v || !b->name || tt_counter_labels_make(k->m, &labels, &k->r->arena, &k->r->err) != TT_OK)
		return;
	for (uint32_t i = 0; i < cs->n; i++) {
		const struct tt_counter_stat *c = &cs->counter[i];
		const char *name = tt_counter_name(k->r, c);
		char room[TT_COUNTER_NAME];
		const char *label = tt_counter_label(&labels, c->def, c->id, room);

		v[i] = (struct labelled){ label == room ? name : label, i };
		b->name[i] = !tt_counter_wanted(k->m, c) ? NULL : k->o->wide_figure ? v[i].label : name;
	}
	tt_sort(v, cs->n, by_label);
	for (uint32_t i = 0, rank = 0; i < cs->n; i++) {
		rank += i > 0 && by_label(&v[i], &v[i - 1]) != 0;
		b->rank[v[i].counter] = rank;
	}
}

static void
counters(struct tt_making *k, struct tt_table *t)
{
	struct by_frame *b = new_rows(k, more_counters, false);

	if (!b)
		return;
	rank_counters(k, b);
	begin(k, t, b);
}

static void
collector(struct tt_making *k, struct tt_table *t)
{
	struct by_frame *b = new_rows(k, more_gc, true);

	if (!b)
		return;
	b->collections = tt_knows_collections(k->m);
	if (b->collections && tt_knows_pauses(k->m))
		b->pause = tt_mem_alloc(&k->m->env->mem, k->m->frames->n * sizeof *b->pause, &k->r->err);
	if (b->pause)
		tt_gc_pause_of_frames(k->m, b->pause);
	begin(k, t, b);
}

static bool
has_frames(const struct tt_making *k)
{
	return k->m->frames && k->m->frames->n;
}

static const char *
why(struct tt_making *k)
{
	const char *none = tt_pass_why_no_frames(k->m, k->r);

	return none ? none : "nothing of the kind in the frames of this capture, or the filters leave none";
}

/* List the columns that --wide accepts, over all tables. */
static const char *
wide_value(size_t i)
{
	static const char *const v[] = { "self_ns", "total_ns", "count", "allocs", "alloc_bytes", "busy_ns", "busy_share", "waiting_ns", "zones",
		"last", "min", "max", NULL };

	return v[i];
}

static const struct tt_option options[] = {
	{ .name = "wide", .arg = "COLUMN", .kind = TT_OPTION_OTHER, .value = wide_value, .table = "frame_markers", .if_no_table = true,
	    .help = "frame_markers, frame_threads and frame_counters: a row a frame, and a column for each marker, thread or counter, with this "
	            "column's figure" },
	{ .name = "columns", .arg = "N", .kind = TT_OPTION_COUNT, .at = offsetof(struct tt_pass_opts, max_columns), .max = 1000, .needs_option = "wide",
	    .help = "{wide}: at most N of these columns, those with the most, 0: 1,000; default 50" },
	{ .name = NULL },
};

static const struct tt_pass_table tables[] = {
	{ "frame_markers", "Markers by frame", markers_col, M_N, false, TT_ON_ALL, .make_rows = markers, .has_rows = has_frames, .find_why_empty = why,
	    .wide_column = "marker" },
	{ "frame_threads", "Threads by frame", threads_col, T_N, false, TT_ON_TIME | TT_ON_THREAD | TT_ON_ZONES, .make_rows = threads, .has_rows = has_frames,
	    .find_why_empty = why, .wide_column = "thread" },
	{ "frame_counters", "Counters by frame", counters_col, C_N, false, TT_ON_TIME | TT_ON_NAMES, .make_rows = counters, .has_rows = has_frames,
	    .find_why_empty = why, .wide_column = "counter" },
	{ "frame_gc", "Allocations and collections by frame", gc_col, G_N, false, TT_ON_TIME | TT_ON_THREAD, .make_rows = collector,
	    .has_rows = has_frames, .find_why_empty = why },
};

const struct tt_pass tt_pass_by_frame = {
	.name = "by_frame",
	.summary = "what each marker, thread, counter and the collector do in each frame",
	.needs = TT_NEEDS_FRAMES | TT_NEEDS_CALLS | TT_NEEDS_BY_FRAME,
	.option = options,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
