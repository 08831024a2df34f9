/**
 * Prepares the text of markers and classes for emitters that write many events.
 */
#include "emit/marker_text.h"

#include "emit/common.h"
#include "model/defs.h"

static int
add_zone(struct tt_pieces *p, uint64_t key, struct tt_buf *scratch, struct tt_err *err)
{
	const struct tt_name *name = tt_model_key(p->m, p->cap->process, key);
	int rc;

	if (tt_frags_find(&p->zone, key))
		return TT_OK;
	if (!name->wanted || name->is_left_out)
		return tt_frags_add(&p->zone, key, NULL, TT_FRAG_SKIP, err);
	scratch->n = 0;
	p->form.zone(p->form.arg, name, key, scratch);
	rc = tt_buf_error(scratch, err);
	return rc == TT_OK ? tt_frags_add(&p->zone, key, scratch->p, scratch->n, err) : rc;
}

static int
add_alloc(struct tt_pieces *p, uint64_t key, struct tt_buf *scratch, struct tt_err *err)
{
	struct tt_nameless own;
	int rc;

	if (tt_frags_find(&p->alloc, key))
		return TT_OK;
	scratch->n = 0;
	const struct tt_def *d = tt_defs_class(p->cap->defs, key, INT64_MAX);
	p->form.alloc(p->form.arg, d && d->len ? tt_model_class(p->m, p->cap->process, key) :
	    tt_emit_nameless_class(d, key, &own), scratch);
	rc = tt_buf_error(scratch, err);
	return rc == TT_OK ? tt_frags_add(&p->alloc, key, scratch->p, scratch->n, err) : rc;
}

static int
add_all(struct tt_pieces *p, enum tt_def_kind kind,
    int (*add)(struct tt_pieces *, uint64_t, struct tt_buf *, struct tt_err *), struct tt_buf *scratch,
    struct tt_err *err)
{
	const struct tt_def *d;
	int rc = TT_OK;

	for (size_t i = 0; rc == TT_OK && (d = tt_defs_at(p->cap->defs, kind, i)); i++)
		rc = add(p, d->key, scratch, err);
	return rc;
}

int
tt_pieces_make(struct tt_pieces *p, const struct tt_pieces_form *form, const struct tt_model *m,
    const struct tt_capture *cap, struct tt_err *err)
{
	struct tt_buf scratch = { 0 };
	int rc = TT_OK;

	*p = (struct tt_pieces){ .form = *form, .m = m, .cap = cap, .reused = tt_defs_reused(cap->defs) };
	tt_frags_init(&p->zone, &m->env->mem);
	tt_frags_init(&p->alloc, &m->env->mem);
	for (uint64_t key = UINT64_MAX; key >= TT_KEY_SPECIAL && rc == TT_OK; key--)
		rc = add_zone(p, key, &scratch, err);
	TT_THEN(rc, add_all(p, TT_DEF_MARKER, add_zone, &scratch, err));
	TT_THEN(rc, add_all(p, TT_DEF_CLASS, add_alloc, &scratch, err));
	TT_THEN(rc, add_all(p, TT_DEF_VTABLE, add_alloc, &scratch, err));
	tt_buf_free(&scratch);
	return rc;
}

void
tt_pieces_free(struct tt_pieces *p)
{
	tt_frags_free(&p->zone);
	tt_frags_free(&p->alloc);
}

/* Make the bytes in ${scratch} the piece. */
static int
take(struct tt_buf *scratch, struct tt_piece *piece, struct tt_err *err)
{
	int rc = tt_buf_room(scratch, TT_FRAG_PAD, err);

	if (rc == TT_OK)
		*piece = (struct tt_piece){ scratch->p, scratch->n };
	return rc;
}

int
tt_pieces_zone_slow(const struct tt_pieces *p, uint64_t key, struct tt_buf *scratch, struct tt_piece *piece,
    struct tt_err *err)
{
	struct tt_nameless own;
	const struct tt_name *name = tt_emit_name(p->m, p->cap->process, key, &own);

	*piece = (struct tt_piece){ 0 };
	if (!name->wanted || name->is_left_out)
		return TT_OK;
	scratch->n = 0;
	p->form.zone(p->form.arg, name, key, scratch);
	return take(scratch, piece, err);
}

int
tt_pieces_alloc(const struct tt_pieces *p, const struct tt_event *e, struct tt_buf *scratch,
    struct tt_piece *piece, struct tt_err *err)
{
	const struct tt_frag *f = tt_frags_find(&p->alloc, e->val);
	struct tt_nameless own;
	const struct tt_def *d;

	if (f && !(p->reused && tt_defs_key_reused(p->cap->defs, e->val))) {
		*piece = (struct tt_piece){ p->alloc.text + f->at, f->n };
		return TT_OK;
	}
	d = tt_defs_class(p->cap->defs, e->val, e->ts - p->cap->offset_ns);
	scratch->n = 0;
	p->form.alloc(p->form.arg, d && d->len ? d->text : tt_emit_nameless_class(d, e->val, &own), scratch);
	return take(scratch, piece, err);
}
