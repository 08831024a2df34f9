/**
 * Draws the call tree as a flame graph.
 */
#include "page/flame.h"

#include <string.h>

#include "base/json.h"
#include "base/order.h"
#include "out/html.h"
#include "page/details.h"
#include "view/merged.h"
#include "view/view.h"

/* A candidate: a node whose caller has the box ${up} - 1. */
struct todo {
	const char *name;
	int64_t total;
	uint32_t node, depth;
	size_t up;
};

struct making {
	struct tt_flame *f;
	struct tt_merged g;
	struct todo *todo;
	int64_t *next;                /* by box: where its next callee begins */
	size_t ntodo, captodo, capnext;
	int64_t least;                /* width of the narrowest box to draw */
};

/* Order from narrow to wide: candidates are taken from the end. */
static int
by_width(const void *a, const void *b)
{
	const struct todo *x = a, *y = b;
	int name = strcmp(y->name, x->name);

	if (x->total != y->total)
		return TT_CMP(x->total, y->total);
	return name ? name : TT_CMP(y->node, x->node);
}

static const char *
name_of(const struct making *k, const struct tt_mnode *v)
{
	return v->row == TT_NO_ROW ? k->g.p->m->threads.t[v->thread]->name : k->g.p->row[v->row].label;
}

/* Add ${node} and its siblings, callees of the box ${up} - 1, to the candidates. */
static int
push(struct making *k, uint32_t node, size_t up, uint32_t depth, struct tt_err *err)
{
	size_t from = k->ntodo;

	for (; node != TT_NO_MNODE; node = k->g.v[node].sibling) {
		const struct tt_mnode *v = &k->g.v[node];

		if (!v->keep || v->total < k->least || v->total <= 0)
			continue;
		if (tt_mem_grow(k->f->mem, &k->todo, &k->captodo, k->ntodo + 1, sizeof *k->todo, err) != TT_OK)
			return err->code;
		k->todo[k->ntodo++] = (struct todo){ name_of(k, v), v->total, node, depth, up };
	}
	tt_sort(k->todo + from, k->ntodo - from, by_width);
	return TT_OK;
}

static int
put_box(struct making *k, const struct todo *t, struct tt_err *err)
{
	struct tt_flame *f = k->f;
	const struct tt_mnode *v = &k->g.v[t->node];
	int64_t from = t->up ? k->next[t->up - 1] : f->total;

	if (tt_mem_grow(f->mem, &f->box, &f->cap, f->n + 1, sizeof *f->box, err) != TT_OK ||
	    tt_mem_grow(f->mem, &k->next, &k->capnext, f->n + 1, sizeof *k->next, err) != TT_OK)
		return err->code;
	if (t->up)
		k->next[t->up - 1] += v->total;
	else
		f->total += v->total;
	f->deepest = t->depth > f->deepest ? t->depth : f->deepest;
	k->next[f->n] = from;
	f->box[f->n++] = (struct tt_flame_box){ .name = t->name, .from = from, .total = v->total, .self = v->self, .bytes = v->alloc_b, .n = v->n,
		.depth = t->depth, .row = v->row };
	return push(k, v->child, f->n, t->depth + 1, err);
}

/* Set the minimum width so that at least the ${most} widest nodes can be drawn. */
static int
set_least(struct making *k, size_t most, struct tt_err *err)
{
	int64_t *total = tt_mem_alloc(k->f->mem, (k->g.n + 1) * sizeof *total, err);
	size_t n = 0;

	if (!total)
		return err->code;
	for (uint32_t i = 0; i < k->g.n; i++)
		if (k->g.v[i].keep && k->g.v[i].total > 0)
			total[n++] = k->g.v[i].total;
	tt_sort_i64(total, n);
	k->least = n > most ? total[n - most] : 1;
	k->f->left_out = n;
	tt_mem_free(k->f->mem, total, (k->g.n + 1) * sizeof *total);
	return TT_OK;
}

int
tt_flame_init(struct tt_flame *f, struct tt_views *view, size_t most, struct tt_err *err)
{
	struct making k = { .f = f };
	const struct tt_paths *p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, err);
	int rc;

	*f = (struct tt_flame){ .mem = &view->m->env->mem };
	if (!p)
		return err->code;
	rc = tt_merged_init(&k.g, p, err);
	TT_THEN(rc, set_least(&k, most, err));
	TT_THEN(rc, push(&k, k.g.first, 0, 0, err));
	/* Among boxes with the minimum width, the first are drawn. */
	while (rc == TT_OK && k.ntodo && f->n < most) {
		struct todo t = k.todo[--k.ntodo];

		rc = put_box(&k, &t, err);
	}
	f->left_out -= rc == TT_OK ? f->n : 0;
	tt_mem_free(f->mem, k.todo, k.captodo * sizeof *k.todo);
	tt_mem_free(f->mem, k.next, k.capnext * sizeof *k.next);
	tt_merged_free(&k.g);
	return rc;
}

void
tt_flame_free(struct tt_flame *f)
{
	if (f->mem)
		tt_mem_free(f->mem, f->box, f->cap * sizeof *f->box);
}

int
tt_flame_put(const struct tt_flame *f, const struct tt_views *view, const char *kind, const char *command, struct tt_buf *out, struct tt_err *err)
{
	const size_t rows = view->paths[TT_GROUP_NONE].nrow;
	uint32_t *number = f->n ? tt_mem_alloc(f->mem, (rows + 1) * sizeof *number, err) : NULL;
	struct tt_buf names = { 0 }, boxes = { 0 };
	struct tt_json jn = { .out = &names }, jb = { .out = &boxes };
	uint32_t nname = 0;
	int rc;

	if (!number)
		return f->n ? err->code : TT_OK;
	tt_json_open(&jn, NULL, "[[");
	tt_json_open(&jb, NULL, "[");
	for (size_t i = 0; i < f->n; i++) {
		const struct tt_flame_box *b = &f->box[i];
		uint32_t name = b->row == TT_NO_ROW ? 0 : number[b->row];

		if (!name) {
			tt_json_text(&jn, NULL, b->name);
			name = ++nname;
			if (b->row != TT_NO_ROW)
				number[b->row] = name;
		}
		tt_json_u64(&jb, NULL, b->depth);
		tt_json_u64(&jb, NULL, name - 1);
		tt_json_i64(&jb, NULL, b->total);
		tt_json_i64(&jb, NULL, b->self);
		tt_json_u64(&jb, NULL, b->n);
		tt_json_i64(&jb, NULL, b->bytes);
	}
	tt_json_close(&jn, "]");
	tt_json_close(&jb, "]]");
	tt_buf_text(&names, ",");
	tt_buf_add(&names, boxes.p, boxes.n);
	rc = tt_buf_error(&boxes, err);
	TT_THEN(rc, tt_buf_error(&names, err));
	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-%s=\"%zu\" data-left=\"%zu\" data-command=\"", kind, f->n, f->left_out);
	tt_html_text(out, command);
	tt_buf_text(out, "\">");
	TT_THEN(rc, tt_page_pack(&names, out, err));
	tt_buf_text(out, "</script>\n");
	tt_buf_free(&names);
	tt_buf_free(&boxes);
	tt_mem_free(f->mem, number, (rows + 1) * sizeof *number);
	return rc;
}
