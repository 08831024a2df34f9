/**
 * Shows ranges of an input, read in blocks, some of them ahead.
 */
#include "io/window.h"

#include <string.h>

enum { PIECES = sizeof ((struct tt_window *)0)->piece / sizeof ((struct tt_window *)0)->piece[0] };
enum { FRONT = 1 << 19 };     /* bytes of room before a piece, for bytes copied from the window when the piece replaces it */

/* --- blocks ------------------------------------------------------------------------- */

/* Return a block that nobody else uses; NULL with ${err} filled on failure. */
static struct tt_window_block *
take_block(struct tt_window *w, struct tt_err *err)
{
	pthread_mutex_lock(&w->lock);
	struct tt_window_block *b = w->free_blocks;
	if (b)
		w->free_blocks = b->next;
	pthread_mutex_unlock(&w->lock);
	if (!b && !(b = tt_mem_alloc(&w->env->mem, sizeof *b, err)))
		return NULL;
	b->w = w;
	atomic_store_explicit(&b->users, 1, memory_order_relaxed);
	return b;
}

void
tt_window_release(struct tt_window_block *b)
{
	if (!b || atomic_fetch_sub_explicit(&b->users, 1, memory_order_acq_rel) > 1)
		return;
	pthread_mutex_lock(&b->w->lock);
	b->next = b->w->free_blocks;
	b->w->free_blocks = b;
	pthread_mutex_unlock(&b->w->lock);
}

struct tt_window_block *
tt_window_keep(struct tt_window *w)
{
	atomic_fetch_add_explicit(&w->block->users, 1, memory_order_relaxed);
	return w->block;
}

static int
block_room(struct tt_window *w, struct tt_window_block *b, size_t n, struct tt_err *err)
{
	return tt_mem_grow(&w->env->mem, &b->p, &b->cap, n + TT_WINDOW_PAD, 1, err);
}

/* Give the window a block of its own with room for ${want} bytes, so that it may be written; its first ${n} bytes stay. */
static int
own_block(struct tt_window *w, size_t want, size_t n, struct tt_err *err)
{
	struct tt_window_block *was = w->block;

	if (was && atomic_load_explicit(&was->users, memory_order_acquire) == 1)
		return block_room(w, was, want, err);
	struct tt_window_block *b = take_block(w, err);
	if (!b || block_room(w, b, want > n ? want : n, err) != TT_OK) {
		tt_window_release(b);
		return err->code;
	}
	if (n > 0)
		memcpy(b->p, was->p, n);
	w->block = b;
	tt_window_release(was);
	return TT_OK;
}

/* --- the window ----------------------------------------------------------------------- */

void
tt_window_init(struct tt_window *w, struct tt_env *env, struct tt_src *src)
{
	*w = (struct tt_window){ .env = env, .src = src, .lock = PTHREAD_MUTEX_INITIALIZER,
		.piece = { { .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER } } };
}

void
tt_window_free(struct tt_window *w)
{
	struct tt_window_block *b;

	tt_window_release(w->block);
	for (unsigned i = 0; i < PIECES; i++) {
		tt_window_release(w->piece[i].block);
		pthread_mutex_destroy(&w->piece[i].lock);
	}
	while ((b = w->free_blocks) != NULL) {
		w->free_blocks = b->next;
		tt_mem_free(&w->env->mem, b->p, b->cap);
		tt_mem_free(&w->env->mem, b, sizeof *b);
	}
	pthread_mutex_destroy(&w->lock);
	tt_window_init(w, w->env, w->src);
}

static void
forget(struct tt_window *w)
{
	memset(w->planned, 0, sizeof w->planned);
}

void
tt_window_rewind(struct tt_window *w)
{
	w->at = w->block_at = w->nshown = w->nblock = 0;
	forget(w);
	w->ended = false;
	memset(&w->end_err, 0, sizeof w->end_err);
}

/* Drop everything before ${at}, then read until ${want} bytes are there or the input ends. */
static int
slide(struct tt_window *w, uint64_t at, size_t want, struct tt_err *err)
{
	for (;;) {
		size_t drop = at - w->at < w->nshown ? (size_t)(at - w->at) : w->nshown, got;
		memmove(w->block->p, w->block->p + drop, w->nshown - drop);
		w->nshown -= drop;
		w->at += drop;
		if (w->ended || (w->at == at && w->nshown >= want))
			return TT_OK;
		int rc = tt_src_read(w->src, w->block->p + w->nshown, w->block->cap - TT_WINDOW_PAD - w->nshown, &got, &w->end_err);
		if (rc == TT_OK) {
			w->nshown += got;
		} else if (rc == TT_END || rc == TT_E_DAMAGED) {
			w->ended = true;
		} else {
			*err = w->end_err;
			return rc;
		}
	}
}

/* Return how many of the ${want} bytes from ${at} on the input has. */
static size_t
there(const struct tt_src_info *info, uint64_t at, size_t want)
{
	if (info->size == UINT64_MAX)
		return want;
	const uint64_t left = at < info->size ? info->size - at : 0;
	return want < left ? want : (size_t)left;
}

/* Return where to fetch if ${at} is wanted next: at the end of the window if ${at} is in the window, else at ${at}. */
static uint64_t
next_piece(const struct tt_window *w, uint64_t at)
{
	return at >= w->at && at - w->at <= w->nblock ? w->at + w->nblock : at;
}

/*
 * Make piece ${i} the window, with the bytes before it copied from the old window, if it holds all bytes that would be read; else drop it. The bytes shown
 * are the same in both cases, so that results do not depend on which thread was first.
 */
static bool
use(struct tt_window *w, unsigned i, uint64_t at, size_t want)
{
	struct tt_window_piece *a = &w->piece[i];
	const size_t rest = (size_t)(w->planned[i].at - at);

	pthread_mutex_lock(&a->lock);
	const bool fits = a->n == w->planned[i].want && rest <= FRONT && rest + a->n >= want;
	if (fits) {
		struct tt_window_block *was = w->block;
		if (rest > 0)
			memcpy(a->block->p + FRONT - rest, was->p + w->block_at + (at - w->at), rest);
		w->block = a->block;
		w->block_at = FRONT - rest;
		w->nblock = rest + a->n;
		w->nshown = want;
		w->at = at;
		a->block = NULL;
		tt_window_release(was);
	}
	a->n = a->want = 0;
	pthread_mutex_unlock(&a->lock);
	w->planned[i].want = 0;
	return fits;
}

/* Use the piece that was fetched for ${want} bytes from ${at} on. If there is no such piece, forget all pieces: the reader went elsewhere. */
static bool
take_fetched(struct tt_window *w, uint64_t at, size_t want)
{
	const uint64_t from = next_piece(w, at);

	for (unsigned i = 0; i < PIECES; i++)
		if (w->planned[i].want > 0 && w->planned[i].at == from && use(w, i, at, want))
			return true;
	forget(w);
	return false;
}

/* True if the window has ${want} bytes from ${at} on, or all that the input has. */
static bool
is_shown(const struct tt_window *w, uint64_t at, size_t want)
{
	return w->block && at >= w->at && at - w->at <= w->nshown && (w->ended || w->nshown - (size_t)(at - w->at) >= want);
}

int
tt_window_show(struct tt_window *w, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err)
{
	const struct tt_src_info *info = tt_src_info(w->src);
	size_t got;
	int rc;

	/* Allocate no room for bytes beyond the end of the file. */
	if (info->seekable && !(want = there(info, at, want)))
		want = 1;
	if (!info->seekable) {
		/* To slide moves all bytes of the window: take room for more, so that the next calls need not slide. */
		if (!is_shown(w, at, want) && ((rc = own_block(w, want + want / 4, w->nshown, err)) != TT_OK || (rc = slide(w, at, want, err)) != TT_OK))
			return rc;
	} else if ((at < w->at || at + want > w->at + w->nshown) && !take_fetched(w, at, want)) {
		if ((rc = own_block(w, want, 0, err)) != TT_OK || (rc = tt_src_pread(w->src, at, w->block->p, want, &got, err)) < 0)
			return rc;
		w->at = at;
		w->block_at = 0;
		w->nshown = w->nblock = got;
	}
	*n = at - w->at < w->nshown ? w->nshown - (size_t)(at - w->at) : 0;
	*p = *n ? w->block->p + w->block_at + (at - w->at) : w->block->p;
	return TT_OK;
}

/* Plan to fetch ${want} bytes from ${at} on, into a piece whose bit in ${kept} is not set. False if that was planned already. */
static bool
plan(struct tt_window *w, uint64_t at, size_t want, unsigned *kept)
{
	unsigned i = 0;

	while (i < PIECES && (w->planned[i].at != at || w->planned[i].want != want))
		i++;
	const bool new = i == PIECES;
	if (new)
		i = *kept & 1;
	*kept |= 1u << i;
	if (!new)
		return false;
	struct tt_window_piece *a = &w->piece[i];
	pthread_mutex_lock(&a->lock);
	a->at = at;
	a->want = want;
	a->n = 0;
	pthread_mutex_unlock(&a->lock);
	w->planned[i] = (struct tt_window_planned){ at, want };
	return true;
}

bool
tt_window_plan(struct tt_window *w, uint64_t at, size_t want)
{
	const struct tt_src_info *info = tt_src_info(w->src);
	uint64_t from = next_piece(w, at);
	unsigned kept = 0;
	bool any = false;

	if (!info->seekable)
		return false;
	for (unsigned i = 0; i < PIECES; i++, from += want) {
		const size_t size = there(info, from, want);
		any = (size > 0 && plan(w, from, size, &kept)) || any;
	}
	return any;
}

void
tt_window_fetch(struct tt_window *w)
{
	struct tt_err err;

	for (struct tt_window_piece *a = w->piece; a < w->piece + PIECES; a++) {
		size_t got = 0;
		if (pthread_mutex_trylock(&a->lock) != 0)
			continue;
		if (a->want > 0 && (a->block || (a->block = take_block(w, &err))) && block_room(w, a->block, FRONT + a->want, &err) == TT_OK &&
		    tt_src_pread(w->src, a->at, a->block->p + FRONT, a->want, &got, &err) >= 0)
			a->n = got;
		a->want = 0;
		pthread_mutex_unlock(&a->lock);
	}
}
