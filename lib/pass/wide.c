/**
 * Tables with a row per frame and a column for each marker, thread or counter, as spreadsheets want them.
 *
 * The rows of single frames are read twice: once to find the columns, and again for the cells. Memory: the columns, and the rows of one frame.
 */
#include "base/hash_seed.h"
#include "base/map.h"
#include "base/order.h"
#include "pass/passes.h"
#include "stat/num.h"

enum { W_FRAME, W_START, W_DUR, W_PROCESS, W_N };

static const struct tt_col fixed_col[W_N] = {
	[W_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame, from 1." },
	[W_START] = { "start_ns", "start", TT_UNIT_NS, "Start of the frame." },
	[W_DUR] = { "dur_ns", "duration", TT_UNIT_NS, "Wall time of the frame." },
	[W_PROCESS] = { "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

/* A value of the column pt->wide: it becomes a column. */
struct key {
	const char *name, *more;      /* more: tells apart values of the same name */
	int64_t id;
	uint64_t rows;
	tt_u128 sum;                  /* sum of the figure's positive values; for counters the number of values */
	size_t col;                   /* column of the table; SIZE_MAX: left out */
};

struct wide {
	struct tt_stream stream;
	struct tt_model const *m;
	struct tt_table rows;         /* rows of single frames, as they are read */
	size_t at;                    /* the next row in it */
	bool is_row;
	size_t by, figure, process;   /* the columns of the key, of the figure and of the process */
	struct key *key;
	size_t n, cap;
	struct tt_map place;
	size_t frame;                 /* the next frame */
};

/* --- the keys -------------------------------------------------------------------------------- */

static const struct tt_cell *
row(const struct wide *w)
{
	return w->rows.cell + w->at * w->rows.ncol;
}

static uint64_t
hash_of(const struct tt_cell *c)
{
	return tt_seeded_text((uint64_t)c->v, c->s, strlen(c->s));
}

static size_t
find(const struct wide *w, const struct tt_cell *c)
{
	uint32_t at = tt_map_find(&w->place, hash_of(c), i, w->key[i].id == c->v && strcmp(w->key[i].name, c->s) == 0);

	return at ? at - 1 : SIZE_MAX;
}

/* Return the index of the key of the present row, after adding it if it is new; SIZE_MAX: no key, or no memory. */
static size_t
key_of(struct wide *w, struct tt_report *r)
{
	struct tt_mem *mem = r->mem;
	const struct tt_cell *c = &row(w)[w->by], *next = c + 1;
	size_t at = c->empty ? SIZE_MAX : find(w, c);
	char number[32];

	if (c->empty || at != SIZE_MAX)
		return at;
	if (tt_map_push(&w->place, mem, hash_of(c), &w->key, &w->cap, w->n, &r->err) != TT_OK)
		return SIZE_MAX;
	*tt_put_i64(number, next->v) = '\0';
	w->key[w->n] = (struct key){ .name = tt_text_of(r, c->s, strlen(c->s)), .id = c->v, .col = SIZE_MAX };
	w->key[w->n].more = tt_text(r, "%s", next->empty ? "" : tt_unit_is_text(w->rows.col[w->by + 1].unit) ? next->s : number);
	return w->n++;
}

static void
first_row(struct wide *w)
{
	w->at = 0;
	tt_rows_first(&w->rows);
	w->is_row = w->rows.nrow > 0;
}

static void
next_row(struct wide *w)
{
	if (++w->at < w->rows.nrow)
		return;
	w->at = 0;
	w->is_row = tt_rows_next(&w->rows);
}

static void
find_keys(struct wide *w, struct tt_report *r)
{
	for (first_row(w); w->is_row && r->err.code == TT_OK; next_row(w)) {
		size_t at = key_of(w, r);
		const struct tt_cell *c = &row(w)[w->figure];

		if (at == SIZE_MAX || c->empty)
			continue;
		w->key[at].rows++;
		/* Counters of different units have no common sum, so they are ranked by number of values. */
		w->key[at].sum += w->rows.col[w->figure].unit == TT_UNIT_VALUE ? 1 : c->v > 0 ? (uint64_t)c->v : 0;
	}
}

static int
by_sum(const void *a, const void *b)
{
	const struct key *x = *(const struct key *const *)a, *y = *(const struct key *const *)b;

	if (x->sum != y->sum)
		return TT_CMP(y->sum, x->sum);
	int c = strcmp(x->name, y->name);
	return c ? c : TT_CMP(x->id, y->id);
}

/* Return a unique name for the column of ${k}. */
static const char *
title_of(struct tt_report *r, const struct tt_col *col, size_t n, const struct key *k, const char *kind)
{
	const char *title = k->name;

	for (unsigned tries = 0;; tries++) {
		size_t i = 0;

		while (i < n && strcmp(col[i].id, title) != 0)
			i++;
		if (i == n)
			break;
		title = tries == 0 && *k->more ? tt_text(r, "%s (%s)", k->name, k->more) :
		    tries < 2 ? tt_text(r, "%s (%s %s)", k->name, kind, k->more) : tt_text(r, "%s (%zu)", k->name, n + tries - 2);
	}
	return title;
}

/*
 * Make the columns: those of a frame, then the ${most} keys with the largest sums. Set ${filled} for columns that have a value. Return the number of columns.
 */
static size_t
make_columns(struct wide *w, struct tt_making *k, struct tt_col *col, bool *filled, size_t most, const char *kind)
{
	const struct tt_col *figure = &w->rows.col[w->figure];
	struct key **order = tt_pass_alloc(k, w->n * sizeof *order);
	size_t n = W_N;

	memcpy(col, fixed_col, sizeof fixed_col);
	memset(filled, true, W_N);
	for (size_t i = 0; i < w->n && order; i++)
		order[i] = &w->key[i];
	if (order)
		tt_sort(order, w->n, by_sum);
	for (size_t i = 0; i < w->n && i < most && order; i++) {
		const char *title = title_of(k->r, col, n, order[i], kind);

		order[i]->col = n;
		filled[n] = order[i]->rows > 0;
		col[n++] = (struct tt_col){ title, title, figure->unit, figure->help };
	}
	return n;
}

/* Note how many keys have no column, and their share of the whole. */
static void
note_left_out(const struct wide *w, struct tt_table *t, const char *kind, const char *figure)
{
	struct key all = { .sum = 0 }, out = { .sum = 0 };
	bool values = w->rows.col[w->figure].unit == TT_UNIT_VALUE;

	for (size_t i = 0; i < w->n; i++) {
		all.sum += w->key[i].sum;
		if (w->key[i].col == SIZE_MAX) {
			out.rows++;
			out.sum += w->key[i].sum;
		}
	}
	if (out.rows == 0 && values)
		t->note = tt_text(t->r, "%s of each %s", figure, kind);
	else if (out.rows == 0)
		t->note = tt_text(t->r, "%s of each %s, those with the largest sum first", figure, kind);
	else
		t->note = tt_text(t->r, "%s of %zu %ss, those with the %s; %llu %ss more with %.1f %% of the %s have no column",
		    figure, w->n - (size_t)out.rows, kind, values ? "most values" : "largest sum", (unsigned long long)out.rows, kind,
		    all.sum ? 100 * (double)out.sum / (double)all.sum : 0, values ? "values" : "sum");
}

/* --- the rows --------------------------------------------------------------------------------- */

static uint32_t
process_of(const struct wide *w, size_t frame)
{
	return w->m->threads.t[tt_frames_thread(w->m->frames, frame)]->process + 1;
}

static bool
is_of(const struct wide *w, size_t frame)
{
	return w->is_row && (uint64_t)row(w)->v == tt_frames_number(w->m->frames, frame) && row(w)[w->process].v == process_of(w, frame);
}

/* Add a figure to its cell; a counter has one value per cell. */
static void
add(struct tt_report *r, struct tt_cell *to, const struct tt_cell *c, enum tt_unit unit)
{
	int64_t had = to->empty ? 0 : to->v;

	if (c->empty)
		return;
	*to = *c;
	if (unit != TT_UNIT_VALUE)
		tt_cell_int(to, had + c->v);
	else if (c->s)
		to->s = tt_text(r, "%s", c->s);
}

static bool
more(struct tt_stream *stream, struct tt_table *t)
{
	enum { FRAMES = 64 };
	struct wide *w = (struct wide *)stream;
	const struct tt_frames *f = w->m->frames;

	for (unsigned i = 0; i < FRAMES && w->frame < f->n && t->r->err.code == TT_OK; i++, w->frame++) {
		struct tt_cell *c = tt_row(t);

		tt_cell_u64(&c[W_FRAME], tt_frames_number(f, w->frame));
		tt_cell_int(&c[W_START], tt_frames_start(f, w->frame));
		tt_cell_int(&c[W_DUR], tt_frames_wall(f, w->frame));
		tt_cell_int(&c[W_PROCESS], process_of(w, w->frame));
		for (; is_of(w, w->frame); next_row(w)) {
			size_t at = row(w)[w->by].empty ? SIZE_MAX : find(w, &row(w)[w->by]);

			if (at != SIZE_MAX && w->key[at].col != SIZE_MAX)
				add(t->r, &c[w->key[at].col], &row(w)[w->figure], w->rows.col[w->figure].unit);
		}
	}
	return t->nrow > 0;
}

static void
from_first(struct tt_stream *stream, struct tt_table *t)
{
	struct wide *w = (struct wide *)stream;

	(void)t;
	w->frame = 0;
	first_row(w);
}

static void
end(struct tt_stream *stream)
{
	struct wide *w = (struct wide *)stream;
	struct tt_mem *mem = w->rows.r->mem;

	tt_table_free(&w->rows);
	tt_mem_free(mem, w->key, w->cap * sizeof *w->key);
	tt_map_free(&w->place, mem);
}

/* --- the table -------------------------------------------------------------------------------- */

static size_t
column(const struct tt_pass_table *pt, const char *id)
{
	size_t i = 0;

	while (i < pt->ncol && strcmp(pt->col[i].id, id) != 0)
		i++;
	return i;
}

void
tt_table_wide(struct tt_making *k, struct tt_table *t, const struct tt_pass_table *pt, struct tt_stream *long_rows)
{
	size_t most = k->o->max_columns && k->o->max_columns < TT_COLUMNS_MAX - W_N ? (size_t)k->o->max_columns : 1000;
	struct tt_col *col = tt_arena_alloc(&k->r->arena, (most + W_N) * sizeof *col, &k->r->err);
	bool *filled = col ? tt_arena_alloc(&k->r->arena, most + W_N, &k->r->err) : NULL;
	struct wide *w = filled ? tt_arena_alloc(&k->r->arena, sizeof *w, &k->r->err) : NULL;

	if (!w) {
		if (long_rows->end)
			long_rows->end(long_rows);
		return;
	}
	w->stream = (struct tt_stream){ .more = more, .rewind = from_first, .end = end };
	w->m = k->m;
	w->rows = (struct tt_table){ .id = pt->id, .title = pt->title, .col = pt->col, .ncol = pt->ncol, .r = k->r };
	w->by = column(pt, pt->wide_column);
	w->figure = column(pt, k->o->wide_figure);
	w->process = column(pt, "process");
	if (w->figure == pt->ncol) {
		tt_fail(&k->r->err, TT_E_USAGE, TT_NOWHERE, "table %s has no column \"%s\"", pt->id, k->o->wide_figure);
		long_rows->end(long_rows);
		return;
	}
	tt_table_stream(&w->rows, long_rows);
	find_keys(w, k->r);
	/* No value in any frame: no rows, and the table's reason is shown. */
	if (w->n == 0) {
		end(&w->stream);
		return;
	}
	t->ncol = make_columns(w, k, col, filled, most, pt->wide_column);
	t->col = col;
	t->filled = filled;
	note_left_out(w, t, pt->wide_column, k->o->wide_figure);
	tt_table_stream(t, &w->stream);
}
