/**
 * SQLite: its start and end, and zones and allocations.
 */
#include "emit/sqlite.h"

#include <string.h>

#include "base/option.h"
#include "emit/json_args.h"
#include "emit/common.h"
#include "io/sink.h"
#include "pass/pass.h"

enum { ALLOC_COLUMNS = 5, ALLOC_ROWS = 4096 };

/* --- zones: any worker -------------------------------------------------------------------- */

/* Append a note and pad it to a multiple of 8 bytes. */
static void
put_note(struct tt_buf *out, uint64_t row, uint32_t category, const char *text, size_t n)
{
	const struct sqlite_note note = { row, (uint32_t)n, category };
	static const char pad[8];

	tt_buf_add(out, &note, sizeof note);
	tt_buf_add(out, text, n);
	tt_buf_add(out, pad, (8 - n % 8) % 8);
}

/* Return the number of the marker of the zone in row ${row}; 0: unknown, and a note is appended. */
static uint32_t
marker_of(const struct sqlite_db *s, const struct tt_view *v, uint64_t row, uint64_t key, uint32_t number, struct tt_buf *notes)
{
	struct tt_nameless own;
	const struct tt_name *name;

	if (number && number <= s->nseen) {
		if (!atomic_load_explicit(&s->seen[number - 1], memory_order_relaxed))
			atomic_store_explicit(&s->seen[number - 1], 1, memory_order_relaxed);
		return number;
	}
	name = tt_emit_name(s->e.m, v->cap->process, key, &own);
	put_note(notes, row, name->category, name->full, strlen(name->full));
	return 0;
}

static void
note_args(const struct sqlite_db *s, const struct tt_view *v, uint64_t row, const struct tt_slice *z, struct tt_buf *text, struct tt_buf *notes)
{
	const struct tt_args *args = tt_slice_args(v, z);

	if (!args)
		return;
	text->n = 0;
	tt_emit_args(args, tt_model_key(s->e.m, v->cap->process, z->key)->arg, s->own->blobs, text);
	notes->failed |= text->failed;
	put_note(notes, row, NOTE_ARGS, text->p, text->n);
}

static int
sqlite_chunk(const void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	const struct sqlite_db *s = state;
	struct tt_buf scratch = { 0 }, text = { 0 }, notes = { 0 };
	struct sqlite_block block = { 0 };
	int rc;

	if (s->level < TT_SQLITE_SLICES || (v->nslice == 0 && v->b->nalloc == 0))
		return TT_OK;
	rc = tt_buf_room(out, sizeof block + v->nslice * SLICE_COLUMNS * sizeof(int64_t), err);
	for (const struct tt_slice *z = v->slice, *end = z + v->nslice; z < end && rc == TT_OK; z++) {
		struct tt_piece piece;

		rc = tt_pieces_zone(&s->process[v->cap->process], z->key, &scratch, &piece, err);
		if (rc != TT_OK || !piece.s)
			continue;
		int64_t row[SLICE_COLUMNS] = { z->ts, z->dur, z->depth, marker_of(s, v, block.rows, z->key, tt_sqlite_piece(&piece), &notes) };
		note_args(s, v, block.rows, z, &text, &notes);
		memcpy(out->p + sizeof block + block.rows++ * sizeof row, row, sizeof row);
	}
	if (rc == TT_OK) {
		memcpy(out->p, &block, sizeof block);
		out->n = sizeof block + (size_t)block.rows * SLICE_COLUMNS * sizeof(int64_t);
		tt_buf_add(out, notes.p, notes.n);
		out->failed |= notes.failed;
	}
	tt_buf_free(&scratch);
	tt_buf_free(&text);
	tt_buf_free(&notes);
	return rc == TT_OK ? tt_buf_error(out, err) : rc;
}

/* --- in order ------------------------------------------------------------------------------ */

/* Number the markers that the worker could not number, and write arguments. The rows are then complete. */
static void
take_notes(struct sqlite_db *s, int64_t *row, const char *p, const char *end)
{
	while (p < end) {
		struct sqlite_note note;

		memcpy(&note, p, sizeof note);
		p += sizeof note;
		if (note.category == NOTE_ARGS) {
			tt_db_int(s->args, 0, (int64_t)(s->nslice + note.row + 1));
			tt_db_text(s->args, 1, p, note.n);
			tt_db_row(s->args);
		} else {
			uint32_t number = tt_sqlite_own_marker(s, p, note.n, note.category);

			row[note.row * SLICE_COLUMNS + SLICE_MARKER] = number;
			if (number)
				s->marker[number - 1].used = true;
		}
		p += (note.n + 7) / 8 * 8;
	}
}

static void
flush_allocs(struct sqlite_db *s, const struct tt_view *v)
{
	tt_db_rows(s->allocations, (int64_t)v->thread->index + 1, s->row, s->nrow, ALLOC_COLUMNS);
	s->nrow = 0;
}

static int
put_allocs(struct sqlite_db *s, const struct tt_view *v, struct tt_err *err)
{
	int rc = tt_mem_grow(&s->e.env->mem, &s->row, &s->caprow, ALLOC_ROWS * ALLOC_COLUMNS, sizeof *s->row, err);

	for (size_t i = 0; v->b->nalloc && i < v->b->n && rc == TT_OK; i++) {
		const struct tt_event *e = &v->b->ev[i];
		uint32_t class;

		if (e->kind != TT_ALLOC || !tt_emit_in_time(&s->e.m->filter, e->ts))
			continue;
		rc = tt_sqlite_class(s, v, e->val, e->ts, &class, err);
		if (rc != TT_OK)
			break;
		int64_t *to = s->row + s->nrow++ * ALLOC_COLUMNS;
		to[0] = e->ts;
		to[1] = tt_sqlite_or_null(class);
		to[2] = (int64_t)tt_alloc_bytes(e);
		to[3] = tt_alloc_count(e);
		to[4] = tt_sqlite_or_null(tt_sqlite_stack(s, v, i));
		if (s->nrow == ALLOC_ROWS)
			flush_allocs(s, v);
	}
	flush_allocs(s, v);
	return rc;
}

static int
sqlite_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct sqlite_db *s = state;
	const struct sqlite_block *block = (const struct sqlite_block *)(const void *)p;
	int64_t *row = (int64_t *)(uintptr_t)(p + sizeof *block);     /* the buffer is ours, and nobody else uses it */
	int rc = TT_OK;

	take_notes(s, row, (const char *)(row + block->rows * SLICE_COLUMNS), p + n);
	tt_db_rows(s->slices, (int64_t)v->thread->index + 1, row, (size_t)block->rows, SLICE_COLUMNS);
	s->nslice += block->rows;
	if (v->b->nalloc)
		rc = put_allocs(s, v, err);
	return rc == TT_OK ? tt_db_error(s->db, err) : rc;
}

/* --- life ------------------------------------------------------------------------------------ */

/* Return the level that ${o} asks for. */
static enum tt_sqlite_level
level_of(const struct tt_emit_opts *o)
{
	const struct sqlite_own *own = o->own;

	return own && own->level ? (enum tt_sqlite_level)own->level : TT_SQLITE_SLICES;
}

static unsigned
sqlite_needs(const struct tt_emit_opts *o)
{
	enum tt_sqlite_level level = level_of(o);
	unsigned needs = TT_NEEDS_FRAMES;

	for (const struct tt_pass *const *p = tt_passes; *p; p++)
		if (tt_sqlite_has(*p, level))
			needs |= tt_pass_needs(*p, &tt_pass_defaults);
	if (level >= TT_SQLITE_SLICES)
		needs |= TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_HEAP | TT_NEEDS_APART;
	return needs;
}

/* Number all defined markers, and create the tables. */
static int
sqlite_begin(void *state, struct tt_err *err)
{
	struct sqlite_db *s = state;
	int rc;

	s->own = s->e.o.own;
	s->level = level_of(&s->e.o);
	tt_arena_init(&s->text, &s->e.env->mem);
	rc = tt_emit_open(&s->e, 0, &s->sink, err);
	TT_THEN(rc, tt_db_make(s->e.env, s->e.o.estimate, &s->db, err));
	for (size_t i = 0; i < TT_SQL_TABLES && rc == TT_OK; i++) {
		tt_db_create(s->db, &tt_sqlite_table[i]);
		rc = tt_db_error(s->db, err);
	}
	if (rc != TT_OK || s->level < TT_SQLITE_SLICES)
		return rc;
	if (!(s->process = tt_mem_alloc(&s->e.env->mem, s->e.m->ncap * sizeof *s->process, err)))
		return err->code;
	s->nprocess = s->e.m->ncap;
	rc = tt_sqlite_pieces(s, err);
	if (rc == TT_OK && !(s->seen = tt_mem_alloc(&s->e.env->mem, s->nmarker + 1, err)))
		rc = err->code;
	s->nseen = s->nmarker;
	s->slices = tt_db_bulk(s->db, "slice", "NULL, ?1, c0, c1, c2, c3");
	s->allocations = tt_db_bulk(s->db, "allocation", "NULL, ?1, c0, c1, c2, c3, c4");
	s->args = tt_db_insert(s->db, "slice_arg", 2);
	s->samples = tt_db_insert(s->db, "sample", tt_sqlite_table[TT_SQL_SAMPLE].ncol);
	s->counter_rows = tt_db_insert(s->db, "counter", tt_sqlite_table[TT_SQL_COUNTER].ncol);
	s->points = tt_db_insert(s->db, "counter_value", tt_sqlite_table[TT_SQL_POINT].ncol);
	s->flows = tt_db_bulk(s->db, "flow", "c0, c1, c2, CASE c3 WHEN 0 THEN 'begin' WHEN 1 THEN 'parallel' WHEN 2 THEN 'end' ELSE 'sequential' END");
	s->objects = tt_db_bulk(s->db, "heap_object", "NULL, ?1, c0, c1, c2, c3, c4");
	s->roots = tt_db_insert(s->db, "heap_root", tt_sqlite_table[TT_SQL_HEAP_ROOT].ncol);
	s->events = tt_db_insert(s->db, "event", tt_sqlite_table[TT_SQL_EVENT].ncol);
	return rc == TT_OK ? tt_db_error(s->db, err) : rc;
}

static void
sqlite_end(void *state)
{
	struct sqlite_db *s = state;
	struct tt_mem *mem = &s->e.env->mem;

	tt_db_free(s->db);
	for (size_t i = 0; i < s->nprocess; i++)
		tt_pieces_free(&s->process[i]);
	tt_mem_free(mem, s->process, s->e.m->ncap * sizeof *s->process);
	tt_mem_free(mem, s->marker, s->capmarker * sizeof *s->marker);
	tt_mem_free(mem, s->seen, s->nseen + 1);
	tt_mem_free(mem, s->class, s->capclass * sizeof *s->class);
	tt_mem_free(mem, s->stack, s->capstack * sizeof *s->stack);
	tt_mem_free(mem, s->counter, s->capcounter * sizeof *s->counter);
	tt_mem_free(mem, s->row, s->caprow * sizeof *s->row);
	tt_mem_free(mem, s->object, s->capobject * sizeof *s->object);
	tt_map_free(&s->markers, mem);
	tt_map_free(&s->classes, mem);
	tt_map_free(&s->stacks, mem);
	tt_map_free(&s->counters, mem);
	tt_arena_free(&s->text);
	tt_buf_free(&s->scratch);
}

static const char *const suffixes[] = { ".sqlite", ".sqlite3", ".db", NULL };

static const struct tt_option options[] = {
	TT_OPTION_BLOBS(offsetof(struct sqlite_own, blobs)),
	{ .name = "level", .arg = "LEVEL", .kind = TT_OPTION_CHOICE, .at = offsetof(struct sqlite_own, level), .value = tt_sqlite_level_name,
	    .help = "write this much: frames, markers (all tables of stats), or slices (and the events); default slices" },
	{ .name = NULL },
};

const struct tt_emit tt_emit_sqlite = {
	.name = "sqlite",
	.summary = "a database for SQL: events, and the tables of stats",
	.suffix = suffixes,
	.ledger = true,
	.binary = true,
	.option = options,
	.own = sizeof(struct sqlite_own),
	.state = sizeof(struct sqlite_db),
	.needs = TT_NEEDS_FRAMES,
	.needs_for = sqlite_needs,
	.missing = tt_db_missing,
	.begin = sqlite_begin,
	.chunk = sqlite_chunk,
	.rare = tt_sqlite_rare,
	.write = sqlite_write,
	.finish = tt_sqlite_finish,
	.end = sqlite_end,
};
