/**
 * CSV: rare events, one record each.
 */
#include <string.h>

#include "emit/csv.h"
#include "emit/rare_record.h"

static void
put_record(struct csv *c, const struct tt_view *v, const struct tt_event *e, const struct tt_rare_record *r, struct tt_buf *b)
{
	bool own = r->thread == v->thread->index;
	char *p;

	if (tt_buf_room(b, CSV_NUMBERS, NULL) != TT_OK)
		return;
	p = b->p + b->n;
	p = (char *)memcpy(p, r->kind, strlen(r->kind)) + strlen(r->kind);
	p = tt_csv_put_ids(p, c, v->cap->process, r->thread, own || r->thread < c->ntid,
	    own ? v->thread->tid : r->thread < c->ntid ? c->tid[r->thread] : 0);
	p = tt_csv_put_time(p, c, e->ts);
	*p++ = c->form.csv_sep;
	*p++ = c->form.csv_sep;
	b->n = (size_t)(p - b->p);
	if (r->marker) {
		tt_csv_put_name(b, c, r->marker);
	} else {
		tt_csv_put_brief(b, c, r->name);
		tt_csv_put_brief(b, c, r->category);
	}
	tt_csv_put_sep(b, c);
	tt_buf_text(b, r->value);
	tt_csv_put_field(b, c, r->detail, r->ndetail);
	tt_csv_put_args(b, c, &r->args, r->marker ? r->marker->arg_instant : NULL, &c->scratch);
	tt_buf_add(b, "\n", 1);
}

int
tt_csv_rare(void *state, const struct tt_view *v, struct tt_buf *out, struct tt_err *err)
{
	struct csv *c = state;

	for (size_t k = 0; !c->pass && k < v->b->nrare; k++) {
		size_t i = v->b->rare[k];
		struct tt_rare_record r;

		if (tt_rare_record(&c->e, v, i, &c->unwritten, &r))
			put_record(c, v, &v->b->ev[i], &r, out);
	}
	return tt_buf_error(out, err);
}
