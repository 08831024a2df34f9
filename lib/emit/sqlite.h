/**
 * The parts of the SQLite emitter. Internal to lib/emit/sqlite*.c.
 *
 * sqlite.c         start and end; zones and allocations: `chunk`, `write`
 * sqlite_names.c   numbers of markers, classes and stacks
 * sqlite_rare.c    counters, samples, flows, heap shots, all other events: `rare`
 * sqlite_tail.c    after the events: inputs, threads, frames, markers, and the tables of passes
 * sqlite_schema.c  the tables, as data
 *
 * Workers turn zones into rows of numbers; `write` passes the rows to SQLite unchanged, a chunk at a time. The arguments of zones, and zones that a worker
 * cannot number because their marker is not defined, follow the rows as notes. Everything else is done in order, on one thread at a time.
 */
#ifndef TT_EMIT_SQLITE_H
#define TT_EMIT_SQLITE_H

#include <stdatomic.h>
#include <string.h>

#include "base/map.h"
#include "emit/emit.h"
#include "emit/marker_text.h"
#include "emit/sqlite_schema.h"

struct tt_args;

/* The options. */
struct sqlite_own { int level; bool blobs; };

/* The output of `chunk`: this header, ${rows} rows of SLICE_COLUMNS numbers, and notes up to the end. */
struct sqlite_block { uint64_t rows; };
enum { SLICE_COLUMNS = 4, SLICE_MARKER = 3 };         /* start_ns, dur_ns, depth, marker */

/* A note, followed by ${n} bytes of text and padding to a multiple of 8. */
struct sqlite_note {
	uint64_t row;                 /* row of the block that the note is about */
	uint32_t n;
	uint32_t category;            /* model's category number; NOTE_ARGS: the text is the arguments of the row, not the name of its marker */
};
#define NOTE_ARGS UINT32_MAX

struct sqlite_db {
	struct tt_emitting e;
	const struct sqlite_own *own;
	struct tt_sink *sink;
	struct tt_db *db;
	enum tt_sqlite_level level;
	bool making;                  /* true during `begin` only, while markers are being numbered */
	struct tt_pieces *process;    /* pieces by process; a piece is the number of a marker or class: uint32_t */
	size_t nprocess;
	struct sqlite_marker { const char *name, *full; uint32_t category; bool used; } *marker;      /* by number - 1 */
	size_t nmarker, capmarker;
	struct tt_map markers;        /* by full name and category */
	_Atomic uint8_t *seen;        /* by number - 1: true if a worker saw the marker; only for markers known before the events */
	size_t nseen;
	struct sqlite_class { const char *name; bool used; } *class;  /* by number - 1 */
	size_t nclass, capclass;
	struct tt_map classes;
	struct sqlite_stack { uint32_t parent, marker; } *stack;      /* by number - 1 */
	size_t nstack, capstack;
	struct tt_map stacks;
	struct sqlite_counter { uint64_t key; const struct tt_def *def; uint32_t process; } *counter;   /* by number - 1 */
	size_t ncounter, capcounter;
	struct tt_map counters;
	struct tt_arena text;         /* memory of names that the model does not have */
	int64_t *row;                 /* buffered rows of allocations or flows */
	size_t nrow, caprow;
	int64_t *object;              /* buffered rows of objects of heap shots */
	size_t nobject, capobject;
	uint32_t shot, nshot;         /* the present heap shot, from 1, 0: no shot; number of shots so far */
	uint64_t nslice;              /* number of slice rows so far */
	uint64_t unwritten, no_stack;
	struct tt_buf scratch;
	/* Statements. */
	struct tt_db_insert *slices, *args, *allocations, *samples, *counter_rows, *points, *flows, *objects, *roots, *events;
};

/* Return the number of a marker; 0: no memory, and the error is kept in the database. In order only. */
uint32_t tt_sqlite_marker(struct sqlite_db *s, const char *name, const char *full, uint32_t category);

/* Return the number of a marker that nothing defines, named by the ${n} bytes at ${text}. */
uint32_t tt_sqlite_own_marker(struct sqlite_db *s, const char *text, size_t n, uint32_t category);

/* Make the pieces of s->process, and number all defined markers and classes. */
int tt_sqlite_pieces(struct sqlite_db *s, struct tt_err *err);

/* Return the number that the piece ${p} contains, or 0. */
static inline uint32_t
tt_sqlite_piece(const struct tt_piece *p)
{
	uint32_t number;

	memcpy(&number, p->s, sizeof number);
	return number;
}

/* Return ${number} for tt_db_rows(), or NULL's value for 0. */
static inline int64_t
tt_sqlite_or_null(uint32_t number)
{
	return number ? number : TT_DB_NULL;
}

/* Store in *${number} the number of the class or vtable ${key} at ${ts}, which becomes used; 0 as in tt_sqlite_marker(). In order only. */
int tt_sqlite_class(struct sqlite_db *s, const struct tt_view *v, uint64_t key, int64_t ts, uint32_t *number, struct tt_err *err);

/* Return the number of the recorded stack of event ${i}; 0: no stack. In order only. */
uint32_t tt_sqlite_stack(struct sqlite_db *s, const struct tt_view *v, size_t i);

/*
 * Write text that is a number as a number: as an integer if it fits, else as a real, including infinities; NaN becomes NULL, as SQLite has no NaN. Other text
 * stays text.
 */
void tt_sqlite_number(struct tt_db_insert *to, size_t col, const char *text);

/* True if a database of ${level} has the tables of ${p}. */
struct tt_pass;
bool tt_sqlite_has(const struct tt_pass *p, enum tt_sqlite_level level);

int tt_sqlite_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
int tt_sqlite_finish(void *state, struct tt_err *err);

#endif
