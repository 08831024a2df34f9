/**
 * A window onto an input; the contract is in window.h.
 */
#include "io/window.h"

#include <string.h>

void
tt_window_init(struct tt_window *w, struct tt_env *env, struct tt_src *src)
{
	*w = (struct tt_window){ .env = env, .src = src, .ahead.lock = PTHREAD_MUTEX_INITIALIZER };
}

void
tt_window_free(struct tt_window *w)
{
	tt_mem_free(&w->env->mem, w->p, w->cap);
	tt_mem_free(&w->env->mem, w->ahead.p, w->ahead.cap);
	pthread_mutex_destroy(&w->ahead.lock);
	tt_window_init(w, w->env, w->src);
}

void
tt_window_rewind(struct tt_window *w)
{
	w->at = w->n = 0;
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

/* What was fetched becomes the window, if it is just what would be read, so that nobody sees who was first; else it is dropped. */
static bool
take_fetched(struct tt_window *w, uint64_t at, size_t want)
{
	struct tt_window_ahead *a = &w->ahead;

	if (!w->planned)
		return false;
	w->planned = false;
	pthread_mutex_lock(&a->lock);
	const bool fits = a->n == want && a->at == at;
	if (fits) {
		uint8_t *const p = w->p;
		const size_t cap = w->cap;
		w->p = a->p;
		w->cap = a->cap;
		w->n = a->n;
		w->at = a->at;
		a->p = p;
		a->cap = cap;
	}
	a->n = a->want = 0;
	pthread_mutex_unlock(&a->lock);
	return fits;
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
		w->n = got;
	}
	*n = at - w->at < w->n ? w->n - (size_t)(at - w->at) : 0;
	*p = *n ? w->p + (at - w->at) : w->p;
	return TT_OK;
}

bool
tt_window_plan(struct tt_window *w, uint64_t at, size_t want)
{
	const struct tt_src_info *info = tt_src_info(w->src);

	want = info->seekable ? there(info, at, want) : 0;
	if (want == 0)
		return false;
	pthread_mutex_lock(&w->ahead.lock);
	w->ahead.at = at;
	w->ahead.want = want;
	w->ahead.n = 0;
	pthread_mutex_unlock(&w->ahead.lock);
	return w->planned = true;
}

void
tt_window_fetch(struct tt_window *w)
{
	struct tt_window_ahead *a = &w->ahead;
	struct tt_err err;
	size_t got = 0;

	pthread_mutex_lock(&a->lock);
	if (a->want > 0 && tt_mem_grow(&w->env->mem, &a->p, &a->cap, a->want, 1, &err) == TT_OK &&
	    tt_src_pread(w->src, a->at, a->p, a->want, &got, &err) >= 0)
		a->n = got;
	a->want = 0;
	pthread_mutex_unlock(&a->lock);
}
