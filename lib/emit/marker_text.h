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

/* The emitter's functions that append the text of a zone or an allocation to ${b}. */
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
	bool reused;                  /* true: class keys mean different classes at different times */
};

/* A prepared text; TT_FRAG_PAD bytes after it are readable. s = NULL: the filters leave it out. */
struct tt_piece { const char *s; size_t n; };

int tt_pieces_make(struct tt_pieces *p, const struct tt_pieces_form *form, const struct tt_model *m,
    const struct tt_capture *cap, struct tt_err *err);
void tt_pieces_free(struct tt_pieces *p);

/* Make the piece of a key without a definition in ${scratch}; see tt_pieces_zone(). */
int tt_pieces_zone_slow(const struct tt_pieces *p, uint64_t key, struct tt_buf *scratch, struct tt_piece *piece,
    struct tt_err *err);

/* Find the *${piece} of a zone's key. */
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

/* Find the *${piece} of the class of allocation ${e}. */
int tt_pieces_alloc(const struct tt_pieces *p, const struct tt_event *e, struct tt_buf *scratch,
    struct tt_piece *piece, struct tt_err *err);

#endif
