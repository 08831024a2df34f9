/**
 * Prepared text of a streaming emitter for each marker and class.
 *
 * Made in `begin` from all definitions of a capture; workers look it up for each zone and each allocation. Text for a key
 * without a definition is made when it is needed.
 *
 * Threads: first one writer, then any number of readers.
 */
#ifndef TT_EMIT_MARKER_TEXT_H
#define TT_EMIT_MARKER_TEXT_H

#include "base/err.h"
#include "emit/key_text.h"

struct tt_buf;
struct tt_capture;
struct tt_event;
struct tt_model;
struct tt_name;

/* How the emitter writes them: append to ${b}. */
struct tt_pieces_form {
	void (*zone)(const void *arg, const struct tt_name *name, uint64_t key, struct tt_buf *b);
	void (*alloc)(const void *arg, const char *class, struct tt_buf *b);
	const void *arg;
};

struct tt_pieces {                    /* of one capture */
	struct tt_pieces_form form;
	const struct tt_model *m;
	const struct tt_capture *cap;
	struct tt_frags zone, alloc;
	bool reused;                  /* class keys mean different things at different times */
};

/* A piece: TT_FRAG_PAD bytes after it are readable. s = NULL: the user does not want to see it. */
struct tt_piece { const char *s; size_t n; };

int tt_pieces_make(struct tt_pieces *p, const struct tt_pieces_form *form, const struct tt_model *m,
    const struct tt_capture *cap, struct tt_err *err);
void tt_pieces_free(struct tt_pieces *p);

/* As tt_pieces_zone() for a key without a definition; the piece is in ${scratch}. */
int tt_pieces_zone_slow(const struct tt_pieces *p, uint64_t key, struct tt_buf *scratch, struct tt_piece *piece,
    struct tt_err *err);

/* The piece of a zone's key. */
static inline int
tt_pieces_zone(const struct tt_pieces *p, uint64_t key, struct tt_buf *scratch, struct tt_piece *piece,
    struct tt_err *err)
{
	const struct tt_frag *f = tt_frags_find(&p->zone, key);

	if (__builtin_expect(!f, 0))
		return tt_pieces_zone_slow(p, key, scratch, piece, err);
	piece->s = f->n == TT_FRAG_SKIP ? NULL : p->zone.text + f->at;
	piece->n = f->n;
	return TT_OK;
}

/* The piece of allocation ${e}'s class. */
int tt_pieces_alloc(const struct tt_pieces *p, const struct tt_event *e, struct tt_buf *scratch,
    struct tt_piece *piece, struct tt_err *err);

#endif
