/**
 * A window onto an input; the contract is in window.h.
 */
#include "io/window.h"

#include <string.h>

enum { PIECES = sizeof ((struct tt_window *)0)->piece / sizeof ((struct tt_window *)0)->piece[0] };
enum { FRONT = 1 << 19 };     /* room before a piece: for the rest of the window, when the piece becomes that */

void
tt_window_init(struct tt_window *w, struct tt_env *env, struct tt_src *src)
{
	*w = (struct tt_window){ .env = env, .src = src, .piece = { { .lock = PTHREAD_MUTEX_INITIALIZER }, { .lock = PTHREAD_MUTEX_INITIALIZER } } };
}

void
tt_window_free(struct tt_window *w)
{
	tt_mem_free(&w->env->mem, w->p, w->cap);
	for (unsigned i = 0; i < PIECES; i++) {
		tt_mem_free(&w->env->mem, w->piece[i].p, w->piece[i].cap);
		pthread_mutex_destroy(&w->piece[i].lock);
	}
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
	w->at = w->front = w->n = w->held = 0;
	forget(w);
	w->ended = false;
	memset(&w->end_err, 0, sizeof w->end_err);
}

/* Drop everything before ${at}, then read until ${want} bytes are there or the input ends. */
static int
slide(struct tt_window *w, uint64_t at, size_t want, struct tt_err *err)
{
	for (;;) {
		size_t drop = at - w->at < w->n ? (size_t)(at - w->at) : w->n, got;
		memmove(w->p, w->p + drop, w->n - drop);
		w->n -= drop;
		w->at += drop;
		if (w->ended || (w->at == at && w->n >= want))
			return TT_OK;
		int rc = tt_src_read(w->src, w->p + w->n, w->cap - w->n, &got, &w->end_err);
		if (rc == TT_OK) {
			w->n += got;
		} else if (rc == TT_END || rc == TT_E_DAMAGED) {
			w->ended = true;
		} else {
			*err = w->end_err;
			return rc;
		}
	}
}

/* The bytes of ${want} from ${at} on that the input has. */
static size_t
there(const struct tt_src_info *info, uint64_t at, size_t want)
{
	if (info->size == UINT64_MAX)
		return want;
	const uint64_t left = at < info->size ? info->size - at : 0;
	return want < left ? want : (size_t)left;
}

/* What is fetched, if ${at} is wanted next: from the end of the window on, or from there. */
static uint64_t
next_piece(const struct tt_window *w, uint64_t at)
{
	return at >= w->at && at - w->at <= w->held ? w->at + w->held : at;
}

/*
 * The piece that was fetched becomes the window, with the bytes before it that the window has, if that is all of what would be read; else it is dropped. What
 * is shown is the same in both cases, so that nobody sees who was first.
 */
static bool
use(struct tt_window *w, unsigned i, uint64_t at, size_t want)
{
	struct tt_window_piece *a = &w->piece[i];
	const size_t rest = (size_t)(w->planned[i].at - at);

	pthread_mutex_lock(&a->lock);
	const bool fits = a->n == w->planned[i].want && rest <= FRONT && rest + a->n >= want;
	if (fits) {
		uint8_t *const p = w->p;
		const size_t cap = w->cap;
		if (rest > 0)
			memcpy(a->p + FRONT - rest, p + w->front + (at - w->at), rest);
		w->p = a->p;
		w->cap = a->cap;
		w->front = FRONT - rest;
		w->held = rest + a->n;
		w->n = want;
		w->at = at;
		a->p = p;
		a->cap = cap;
	}
	a->n = a->want = 0;
	pthread_mutex_unlock(&a->lock);
	w->planned[i].want = 0;
	return fits;
}

/* Use what was fetched for ${want} bytes from ${at} on. If it is not that, no other piece will be, either. */
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

int
tt_window_show(struct tt_window *w, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err)
{
	const struct tt_src_info *info = tt_src_info(w->src);
	size_t got;

	/* Make no room for bytes that the file does not have. */
	if (info->seekable && !(want = there(info, at, want)))
		want = 1;
	int rc = tt_mem_grow(&w->env->mem, &w->p, &w->cap, want, 1, err);
	if (rc != TT_OK)
		return rc;
	if (!info->seekable) {
		if ((rc = slide(w, at, want, err)) != TT_OK)
			return rc;
	} else if ((at < w->at || at + want > w->at + w->n) && !take_fetched(w, at, want)) {
		if ((rc = tt_src_pread(w->src, at, w->p, want, &got, err)) < 0)
			return rc;
		w->at = at;
		w->front = 0;
		w->n = w->held = got;
	}
	*n = at - w->at < w->n ? w->n - (size_t)(at - w->at) : 0;
	*p = *n ? w->p + w->front + (at - w->at) : w->p;
	return TT_OK;
}

/* Plan to fetch ${want} bytes from ${at} on, unless that was planned, into a piece that is none of ${kept}, bits. True if it is new. */
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
		if (a->want > 0 && tt_mem_grow(&w->env->mem, &a->p, &a->cap, FRONT + a->want, 1, &err) == TT_OK &&
		    tt_src_pread(w->src, a->at, a->p + FRONT, a->want, &got, &err) >= 0)
			a->n = got;
		a->want = 0;
		pthread_mutex_unlock(&a->lock);
	}
}
