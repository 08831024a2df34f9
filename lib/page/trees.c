/**
 * Writes the call trees of single frames.
 */
#include "page/trees.h"

#include "base/json.h"
#include "base/order.h"
#include "out/html.h"
#include "page/details.h"
#include "view/frame_sums.h"
#include "view/view.h"

enum { MAX_TREES = 16 };

/* The work of a shown zone, or of a thread, in the frame. */
struct entry {
	uint32_t node;
	uint32_t up, child, sibling;  /* indices + 1; 0: none */
	int64_t total, self, bytes;
	uint64_t n;
};

struct tt_trees {
	const struct tt_paths *p;
	const struct tt_model *m;
	struct tt_mem *mem;
	size_t frame[MAX_TREES], n;        /* the chosen frames, in order */
	size_t at;                    /* index in frame: the first one that is not before the current frame */
	struct tt_buf text;
	struct tt_json json;          /* writes into text */
	uint32_t *slot;               /* by node: index in e + 1; 0: none */
	struct entry *e;
	size_t ne, cap;
};

/* --- which frames --------------------------------------------------------------------------- */

static bool
is_shown(const struct tt_details *d, size_t frame)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->detail[i].frame == frame)
			return d->detail[i].text.n > 0;
	return false;
}

static int
by_place(const void *a, const void *b)
{
	return TT_CMP(*(const size_t *)a, *(const size_t *)b);
}

static void
choose(struct tt_trees *t, const struct tt_details *d, const struct tt_frames *f, const struct tt_table *causes)
{
	for (size_t row = 0; causes && row < causes->nrow && t->n < MAX_TREES; row++) {
		const struct tt_cell *worst = tt_html_cell(causes, row, "worst");
		size_t at = worst ? tt_lower_bound(i, 0, f->n, tt_frames_number(f, i) < (uint64_t)worst->v) : f->n;

		if (at < f->n && tt_frames_number(f, at) == (uint64_t)worst->v && !is_shown(d, at))
			t->frame[t->n++] = at;
	}
	tt_sort(t->frame, t->n, by_place);
}

/* --- a tree ----------------------------------------------------------------------------------- */

/* The index + 1 of the entry of ${node}, a shown zone or a thread, which is added with its callers if it is new; 0: out of memory. */
static uint32_t
entry_of(struct tt_trees *t, uint32_t node, struct tt_err *err)
{
	uint32_t first = 0, below = 0;

	for (;;) {
		uint32_t at = t->slot[node];
		bool known = at != 0;

		if (!known) {
			if (tt_mem_grow(t->mem, &t->e, &t->cap, t->ne + 1, sizeof *t->e, err) != TT_OK)
				return 0;
			t->e[t->ne] = (struct entry){ .node = node };
			at = t->slot[node] = (uint32_t)++t->ne;
		}
		if (below) {
			t->e[below - 1].up = at;
			t->e[below - 1].sibling = t->e[at - 1].child;
			t->e[at - 1].child = below;
		}
		first = first ? first : at;
		if (known || tt_paths_node(t->p, node)->kind == TT_NODE_THREAD)
			return first;
		below = at;
		node = t->p->owner[tt_paths_node(t->p, node)->parent];
	}
}

static int
add(struct tt_trees *t, const struct tt_frame_path *rec, struct tt_err *err)
{
	const struct tt_paths *p = t->p;
	const bool alloc = tt_paths_node(p, rec->node)->kind == TT_NODE_ALLOC;
	const uint32_t owner = p->owner[rec->node];
	const enum tt_node_kind kind = tt_paths_node(p, owner)->kind;
	struct entry *e;
	uint32_t at;

	/* Allocations below a recorded stack, or in "(more paths)", are not part of the tree. */
	if (rec->node <= TT_NODE_MORE || (alloc ? kind != TT_NODE_THREAD && !tt_paths_shown(p, owner) : !tt_paths_timed(p, rec->node) ||
	    !tt_paths_shown(p, owner)) || !(at = entry_of(t, owner, err)))
		return err->code;
	e = &t->e[at - 1];
	if (alloc) {
		e->bytes += rec->total;
		return TT_OK;
	}
	e->self += rec->self;
	e->total += owner == rec->node ? rec->total : 0;
	e->n += owner == rec->node ? rec->n : 0;
	return TT_OK;
}

/* Add the entry ${at} to its caller: threads get the time of their zones, and zones the bytes allocated inside them. */
static void
add_to_caller(struct tt_trees *t, size_t at)
{
	struct entry *up = &t->e[t->e[at].up - 1];

	up->bytes += t->e[at].bytes;
	up->total += tt_paths_node(t->p, up->node)->kind == TT_NODE_THREAD ? t->e[at].total : 0;
}

/* Sum up the tree of ${top} from the innermost zones outwards, without recursion, because calls may be nested 65,536 deep. */
static void
sum_up(struct tt_trees *t, size_t top)
{
	size_t at = top;

	for (;;) {
		while (t->e[at].child)
			at = t->e[at].child - 1;
		for (; at != top && !t->e[at].sibling; at = t->e[at].up - 1)
			add_to_caller(t, at);
		if (at == top)
			return;
		add_to_caller(t, at);
		at = t->e[at].sibling - 1;
	}
}

/* The entry after ${at} in the tree of ${top}, callers before callees; SIZE_MAX: none. *${depth}: its depth below ${top}. */
static size_t
entry_after(const struct tt_trees *t, size_t top, size_t at, unsigned *depth)
{
	if (t->e[at].child) {
		++*depth;
		return t->e[at].child - 1;
	}
	for (; at != top && !t->e[at].sibling; at = t->e[at].up - 1)
		--*depth;
	return at != top ? t->e[at].sibling - 1 : SIZE_MAX;
}

/* --- in the page ------------------------------------------------------------------------------ */

static const char *
name_of(const struct tt_trees *t, uint32_t node)
{
	uint32_t row = tt_paths_row(t->p, node);
	const struct tt_thread *thread = tt_paths_thread(t->p, node);

	return row != TT_NO_ROW ? t->p->row[row].label : thread ? thread->name : "";
}

static void
put_names(const struct tt_trees *t, size_t top, struct tt_json *j)
{
	unsigned depth = 0;

	for (size_t at = top; at != SIZE_MAX; at = entry_after(t, top, at, &depth))
		tt_json_text(j, NULL, name_of(t, t->e[at].node));
}

static void
put_figures(const struct tt_trees *t, size_t top, unsigned *name, struct tt_json *j)
{
	unsigned depth = 0;

	for (size_t at = top; at != SIZE_MAX; at = entry_after(t, top, at, &depth)) {
		const struct entry *e = &t->e[at];

		tt_json_u64(j, NULL, depth);
		tt_json_u64(j, NULL, (*name)++);
		tt_json_i64(j, NULL, e->total);
		tt_json_i64(j, NULL, e->self);
		tt_json_u64(j, NULL, e->n);
		tt_json_i64(j, NULL, e->bytes);
	}
}

/* Write the names, then the figures, of all threads in one order: the frame's own first, then the others as they come. */
static void
put_tree(struct tt_trees *t, size_t frame)
{
	const struct tt_model *m = t->m;
	const uint32_t own = tt_frames_thread(m->frames, frame);
	struct tt_json *j = &t->json;
	unsigned name = 0;

	for (size_t i = 0; i < t->ne; i++)
		if (t->e[i].up == 0)
			sum_up(t, i);
	tt_json_open(j, NULL, "[");
	tt_json_u64(j, NULL, tt_frames_number(m->frames, frame));
	for (int figures = 0; figures < 2; figures++) {
		tt_json_open(j, NULL, "[");
		for (int others = 0; others < 2; others++) {
			for (size_t i = 0; i < t->ne; i++) {
				const struct tt_thread *thread = tt_paths_thread(t->p, t->e[i].node);

				if (t->e[i].up || (thread && thread->index == own) == others)
					continue;
				if (figures)
					put_figures(t, i, &name, j);
				else
					put_names(t, i, j);
			}
		}
		tt_json_close(j, "]");
	}
	tt_json_close(j, "]");
}

const size_t *
tt_trees_frames(const struct tt_trees *t, size_t *n)
{
	*n = t ? t->n : 0;
	return t ? t->frame : NULL;
}

int
tt_trees_frame(struct tt_trees *t, const struct tt_frame_sums *s, struct tt_err *err)
{
	while (t && t->at < t->n && t->frame[t->at] < s->frame)
		t->at++;
	if (!t || t->at == t->n || t->frame[t->at] != s->frame)
		return TT_OK;
	for (size_t i = 0; i < s->n && err->code == TT_OK; i++)
		add(t, &s->rec[i], err);
	if (err->code == TT_OK)
		put_tree(t, s->frame);
	for (size_t i = 0; i < t->ne; i++)
		t->slot[t->e[i].node] = 0;
	t->ne = 0;
	return err->code;
}

int
tt_trees_put(struct tt_trees *t, struct tt_buf *out, struct tt_err *err)
{
	int rc;

	if (!t)
		return TT_OK;
	tt_json_close(&t->json, "]");
	rc = tt_buf_error(&t->text, err);
	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-trees=\"%zu\">", t->n);
	TT_THEN(rc, tt_page_pack(&t->text, out, err));
	tt_buf_text(out, "</script>\n");
	return rc;
}

int
tt_trees_begin(struct tt_trees **to, const struct tt_details *d, struct tt_views *view, const struct tt_report *r, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	struct tt_trees *t;

	*to = NULL;
	if (tt_details_nshown(d) == 0 || m->frames->nrange != 1 || !tt_by_frame(m))
		return TT_OK;
	if (!(t = tt_mem_alloc(&m->env->mem, sizeof *t, err)))
		return err->code;
	*t = (struct tt_trees){ .m = m, .mem = &m->env->mem };
	t->json.out = &t->text;
	choose(t, d, m->frames, tt_html_find(r, "causes"));
	if (t->n == 0) {
		tt_trees_free(t);
		return TT_OK;
	}
	*to = t;
	tt_json_open(&t->json, NULL, "[");
	t->p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_LINK, err);
	t->slot = t->p ? tt_mem_alloc(t->mem, t->p->n * sizeof *t->slot, err) : NULL;
	return err->code;
}

void
tt_trees_free(struct tt_trees *t)
{
	if (!t)
		return;
	tt_mem_free(t->mem, t->slot, t->slot ? t->p->n * sizeof *t->slot : 0);
	tt_mem_free(t->mem, t->e, t->cap * sizeof *t->e);
	tt_buf_free(&t->text);
	tt_mem_free(t->mem, t, sizeof *t);
}
