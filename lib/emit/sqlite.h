/**
 * The parts of the SQLite emitter. Internal to lib/emit/sqlite*.c.
 *
 * sqlite.c         start and end; zones and allocations: `chunk`, `write`
 * sqlite_names.c   numbers of markers, classes and stacks
 * sqlite_rare.c    counters, samples, flows, heap shots, all other events: `rare`
 * sqlite_tail.c    after the events: inputs, threads, frames, markers, and the tables of passes
 * sqlite_schema.c  the tables, as data
 *
 * Workers make rows of numbers of zones; `write` hands them to SQLite as they are, a chunk at a time. Zones that a worker cannot number, as their marker is
 * not defined, and the arguments of zones follow the rows as notes. All else is done in order, on one thread at a time.
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

/* The output of `chunk`: this, ${rows} rows of SLICE_COLUMNS numbers, and notes up to the end. */
struct sqlite_block { uint64_t rows; };
enum { SLICE_COLUMNS = 4, SLICE_MARKER = 3 };         /* start_ns, dur_ns, depth, marker */

/* ${n} bytes of text follow, and as many as end it at a multiple of 8. */
struct sqlite_note {
	uint64_t row;                 /* of the block */
	uint32_t n;
	uint32_t category;            /* model's number; NOTE_ARGS: these are the arguments of the row, not the name of its marker */
};
#define NOTE_ARGS UINT32_MAX

struct sqlite_db {
	struct tt_emitting e;
	const struct sqlite_own *own;
	struct tt_sink *sink;
	struct tt_db *db;
	enum tt_sqlite_level level;
	bool making;                  /* markers are being numbered: only in `begin` */
	struct tt_pieces *process;    /* a piece is a number of marker or class: uint32_t */
	size_t nprocess;
	struct sqlite_marker { const char *name, *full; uint32_t category; bool used; } *marker;      /* by number - 1 */
	size_t nmarker, capmarker;
	struct tt_map markers;        /* by full name and category */
	_Atomic uint8_t *seen;        /* by number - 1: a worker saw it. For those that are known before the events */
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
	struct tt_arena text;         /* names that the model has not */
	int64_t *row;                 /* of allocations or flows, until they are many */
	size_t nrow, caprow;
	int64_t *object;              /* the same of objects of heap shots */
	size_t nobject, capobject;
	uint32_t shot, nshot;         /* the heap shot that goes on, from 1, 0: none; how many there were */
	uint64_t nslice;              /* rows so far */
	uint64_t unwritten, no_stack;
	struct tt_buf scratch;
	/* Statements. */
	struct tt_db_insert *slices, *args, *allocations, *samples, *counter_rows, *points, *flows, *objects, *roots, *events;
};

/* The number of a marker; 0: there was no memory, which the database's error says. In order only. */
uint32_t tt_sqlite_marker(struct sqlite_db *s, const char *name, const char *full, uint32_t category);

/* The same of a name that nothing defines: ${n} bytes at ${text}. */
uint32_t tt_sqlite_own_marker(struct sqlite_db *s, const char *text, size_t n, uint32_t category);

/* Make the pieces of s->process, and number all markers and classes that are defined. */
int tt_sqlite_pieces(struct sqlite_db *s, struct tt_err *err);

/* The number that the piece ${p} is, or 0. */
static inline uint32_t
tt_sqlite_piece(const struct tt_piece *p)
{
	uint32_t number;

	memcpy(&number, p->s, sizeof number);
	return number;
}

/* ${number} for tt_db_rows(); 0 is none. */
static inline int64_t
tt_sqlite_or_null(uint32_t number)
{
	return number ? number : TT_DB_NULL;
}

/* *${number}: that of the class or vtable ${key} at ${ts}, which is used, or 0 as above. In order only. */
int tt_sqlite_class(struct sqlite_db *s, const struct tt_view *v, uint64_t key, int64_t ts, uint32_t *number, struct tt_err *err);

/* The number of the recorded stack of event ${i}; 0: it has none. In order only. */
uint32_t tt_sqlite_stack(struct sqlite_db *s, const struct tt_view *v, size_t i);

/*
 * Write text that is a number as a number: as an integer if it fits, otherwise as a real, infinities too; NaN stays NULL, as SQLite has none. Other
 * text stays text.
 */
void tt_sqlite_number(struct tt_db_insert *to, size_t col, const char *text);

/* True if a database of ${level} has the tables of ${p}. */
struct tt_pass;
bool tt_sqlite_has(const struct tt_pass *p, enum tt_sqlite_level level);

int tt_sqlite_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err);
int tt_sqlite_finish(void *state, struct tt_err *err);

#endif
