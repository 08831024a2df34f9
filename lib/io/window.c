/**
 * A window onto an input; the contract is in window.h.
 */
#include "io/window.h"

#include <string.h>

void
tt_window_init(struct tt_window *w, struct tt_env *env, struct tt_src *src)
{
	*w = (struct tt_window){ .env = env, .src = src };
}

void
tt_window_free(struct tt_window *w)
{
	tt_mem_free(&w->env->mem, w->p, w->cap);
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

int
tt_window_show(struct tt_window *w, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err)
{
	const struct tt_src_info *info = tt_src_info(w->src);
	size_t got;

	/* Make no room for bytes that the file does not have. */
	if (info->seekable && info->size != UINT64_MAX && (at >= info->size || want > info->size - at))
		want = at < info->size ? (size_t)(info->size - at) : 1;
	int rc = tt_mem_grow(&w->env->mem, &w->p, &w->cap, want, 1, err);
	if (rc != TT_OK)
		return rc;
	if (!info->seekable) {
		if ((rc = slide(w, at, want, err)) != TT_OK)
			return rc;
	} else if (at < w->at || at + want > w->at + w->n) {
		if ((rc = tt_src_pread(w->src, at, w->p, want, &got, err)) < 0)
			return rc;
		w->at = at;
		w->n = got;
	}
	*n = at - w->at < w->n ? w->n - (size_t)(at - w->at) : 0;
	*p = *n ? w->p + (at - w->at) : w->p;
	return TT_OK;
}
