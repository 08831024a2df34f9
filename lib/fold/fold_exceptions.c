/**
 * Zones of exceptions: a zone in pieces, one for each stack frame that the exception leaves, counts once, with the durations of all.
 */
#include "fold/state.h"

/* Count the innermost exception, which has ended. */
static int
end_one(struct tt_fold *f, struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_exception *x = &f->exception[--f->nexceptions];
	const bool has_no_end = f->has_no_end;

	f->has_no_end = x->has_no_end;
	const int rc = tt_fold_add_dur(f, io, &x->level, (uint64_t)(x->to - x->from), true, err);
	f->has_no_end = has_no_end;
	return rc;
}

/* The pieces of one exception adjoin; exceptions thrown between two pieces have ended when the second begins. */
int
tt_exceptions_piece(struct tt_fold *f, struct tt_fold_io *io, const struct tt_level *l, int64_t ts, int64_t end, unsigned flags, struct tt_err *err)
{
	int rc = TT_OK;

	while ((flags & TT_F_CONT) && f->nexceptions && f->exception[f->nexceptions - 1].to != ts && rc == TT_OK)
		rc = end_one(f, io, err);
	if (rc != TT_OK)
		return rc;
	if (!(flags & TT_F_CONT)) {
		rc = tt_mem_grow(f->mem, &f->exception, &f->capexception, f->nexceptions + 1, sizeof *f->exception, err);
		if (rc == TT_OK)
			f->exception[f->nexceptions++] = (struct tt_exception){ ts, end, *l, f->has_no_end };
	} else if (f->nexceptions) {
		struct tt_exception *x = &f->exception[f->nexceptions - 1];
		x->to = end;
		x->has_no_end = f->has_no_end;
		x->level = *l;
	} else {                      /* the exception began in an earlier chunk, and was counted there */
		rc = tt_fold_add_dur(f, io, l, (uint64_t)(end - ts), false, err);
	}
	return rc;
}

int
tt_exceptions_end(struct tt_fold *f, struct tt_fold_io *io, int rc, struct tt_err *err)
{
	while (f->nexceptions && rc == TT_OK)
		rc = end_one(f, io, err);
	f->nexceptions = 0;
	return rc;
}
