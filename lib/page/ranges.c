/**
 * Keeps the sums that a page needs for ranges of frames.
 */
#include "page/ranges.h"

#include <string.h>

#include "base/json.h"
#include "base/order.h"
#include "out/html.h"
#include "page/details.h"
#include "page/report_page.h"
#include "view/allocs.h"
#include "view/frame_sums.h"
#include "view/view.h"

enum { MARKERS = 128, CATEGORIES = 32, THREADS = 32, SITES = 64, CLASSES = 32, VALUES = 4 };

/*
 * The rows of one table. A thing is what may have a row: a marker, by its row in the paths; a category or a thread, by its number; a site or a class, by the
 * number given here.
 */
struct set {
	const char *table;
	unsigned values;              /* number of values in a row */
	size_t things, n;             /* number of all things, and of those that have a row */
	uint32_t *slot;               /* by thing: its row; n: it counts for the row of the others */
	uint32_t *thing;              /* by row: its thing; the most important first */
	int64_t *v;                   /* by row and value, the row of the others last: a sum for each column */
	struct filled *filled;        /* by row and value: time of open zones that fill frames */
};

/* Time that zones which fill whole frames add to a value, from frame ${since} on: ${rate} durations of each frame. */
struct filled {
	int64_t rate;
	size_t since;                 /* the first frame whose time has not been added yet */
};

enum of { OF_ALL, OF_MARKER, OF_CATEGORY, OF_THREAD, OF_SITE, OF_CLASS, SETS };

/* The values in the rows of each set. MARKER_REST is the marker's time in other markers, which is meaningless for several rows together. */
enum { ALL_BYTES, ALL_COUNT, ALL_COLLECTIONS, ALL_N };
enum { MARKER_SELF, MARKER_REST, MARKER_COUNT, MARKER_N };
enum { CATEGORY_SELF, CATEGORY_N };
enum { THREAD_BUSY, THREAD_WAITING, THREAD_BYTES, THREAD_COUNT, THREAD_N };
enum { ALLOC_BYTES, ALLOC_COUNT, ALLOC_N };

/* A node of allocations. */
struct alloc {
	uint32_t node, row;           /* row: that of its site; TT_NO_ROW: outside any zone */
	const char *class;
	int64_t bytes;
	uint32_t site, number;        /* number of the pair of site and class, and of the class */
};

/*
 * The places where a node's values begin, in the first column: in the sets of markers and categories the entry of its zone (for a hidden zone, that of the zone
 * around it), and the entry of its thread. NOWHERE: the node is not part of the set.
 */
#define NOWHERE UINT32_MAX
struct place {
	uint32_t marker, category, thread;
	bool own;                     /* true: the node is itself a shown zone, not a part of the zone around it */
	bool alloc;
};

struct tt_ranges {
	struct tt_views *view;
	const struct tt_paths *p;
	const struct tt_frames *f;
	struct tt_mem *mem;
	size_t columns;
	struct set set[SETS];
	struct place *place;          /* by node: looked up for each of its sums in many frames */
	struct alloc *alloc;          /* nodes of allocations, in order */
	const struct alloc **site, **class;   /* by number: an allocation with this site, or class */
	size_t nalloc, capalloc, nsite, nclass;
	struct tt_classes classes;
	const struct tt_frame_sums *s;        /* the sums of the current frame */
	bool sums;                    /* true: a range's figures are the sums over its frames */
};

/* True if there is a GPU thread: its time is a separate whole, of which the rows here are no part. */
static bool
has_gpu(const struct tt_model *m)
{
	for (size_t i = 0; i < m->threads.n; i++)
		if (tt_thread_is_gpu(m->threads.t[i]))
			return true;
	return false;
}

/* --- are there any -------------------------------------------------------------------------- */

/* True if the figures of a range are the sums of its frames' figures. */
static bool
add_up(const struct tt_model *m)
{
	const struct tt_frames *f = m->frames;

	if (!f || f->n == 0 || f->nrange != 1 || f->is_part_examined || m->ncap != 1 || m->filter.marker || m->filter.category || m->filter.player_only ||
	    tt_filter_hides(&m->filter) || !tt_by_frame(m))
		return false;
	for (size_t i = 1; i < f->n; i++)
		if (tt_frames_start(f, i) != tt_frames_end(f, i - 1) || tt_frames_number(f, i) != tt_frames_number(f, i - 1) + 1)
			return false;
	return true;
}

/* --- allocations ---------------------------------------------------------------------------- */

static int
by_site(const void *a, const void *b)
{
	const struct alloc *x = *(const struct alloc *const *)a, *y = *(const struct alloc *const *)b;
	int class = strcmp(x->class, y->class);

	return x->row != y->row ? TT_CMP(x->row, y->row) : class ? class : TT_CMP(x->node, y->node);
}

static int
by_class(const void *a, const void *b)
{
	const struct alloc *x = *(const struct alloc *const *)a, *y = *(const struct alloc *const *)b;
	int class = strcmp(x->class, y->class);

	return class ? class : TT_CMP(x->node, y->node);
}

static int
list_allocs(struct tt_ranges *r, struct tt_err *err)
{
	for (uint32_t i = 0; i < r->p->n; i++) {
		const struct tt_node *n = tt_paths_node(r->p, i);
		const struct tt_class *c;

		if (n->kind != TT_NODE_ALLOC)
			continue;
		c = tt_class_of(&r->classes, n->process, n->key, err);
		if (!c || tt_mem_grow(r->mem, &r->alloc, &r->capalloc, r->nalloc + 1, sizeof *r->alloc, err) != TT_OK)
			return err->code;
		r->alloc[r->nalloc++] = (struct alloc){ .node = i, .row = tt_paths_row_at(r->p, tt_alloc_site_of(r->p, r->p->owner[i])), .class = c->label,
			.bytes = tt_paths_count(r->p, i).total };
	}
	return TT_OK;
}

/* Number the sites and the classes. */
static int
number_allocs(struct tt_ranges *r, struct tt_err *err)
{
	r->site = tt_mem_alloc(r->mem, (r->nalloc + 1) * sizeof *r->site, err);
	r->class = r->site ? tt_mem_alloc(r->mem, (r->nalloc + 1) * sizeof *r->class, err) : NULL;
	if (!r->class)
		return err->code;
	for (size_t i = 0; i < r->nalloc; i++)
		r->site[i] = r->class[i] = &r->alloc[i];
	tt_sort(r->site, r->nalloc, by_site);
	tt_sort(r->class, r->nalloc, by_class);
	for (size_t i = 0; i < r->nalloc; i++) {
		const struct alloc *site = r->site[i], *class = r->class[i];

		if (r->nsite == 0 || r->site[r->nsite - 1]->row != site->row || strcmp(r->site[r->nsite - 1]->class, site->class) != 0)
			r->site[r->nsite++] = site;
		r->alloc[site - r->alloc].site = (uint32_t)r->nsite - 1;
		if (r->nclass == 0 || strcmp(r->class[r->nclass - 1]->class, class->class) != 0)
			r->class[r->nclass++] = class;
		r->alloc[class - r->alloc].number = (uint32_t)r->nclass - 1;
	}
	return TT_OK;
}

static const struct alloc *
alloc_of(const struct tt_ranges *r, uint32_t node)
{
	size_t at = tt_lower_bound(i, 0, r->nalloc, r->alloc[i].node < node);

	return at < r->nalloc && r->alloc[at].node == node ? &r->alloc[at] : NULL;
}

/* --- rows ------------------------------------------------------------------------------------ */

struct ranked { int64_t most; uint32_t thing; };

static int
by_most(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->most != y->most ? TT_CMP(y->most, x->most) : TT_CMP(x->thing, y->thing);
}

/* Choose the rows of ${set}: at most ${most}, taken from both rankings in turn. */
static void
take(struct set *set, struct ranked *const rank[2], size_t most, bool *met)
{
	tt_sort(rank[0], set->things, by_most);
	tt_sort(rank[1], set->things, by_most);
	for (size_t i = 0; i < 2 * set->things && set->n < most; i++) {
		const struct ranked *next = &rank[i % 2][i / 2];

		/* A thing without a value in this ranking may have one in the other. */
		if (met[next->thing] || next->most <= 0)
			continue;
		set->thing[set->n++] = next->thing;
		met[next->thing] = true;
	}
	for (size_t i = 0; i < set->things; i++)
		set->slot[i] = (uint32_t)set->n;
	for (uint32_t i = 0; i < set->n; i++)
		set->slot[set->thing[i]] = i;
}

/*
 * Allocate the set ${of} for ${things} things, and choose at most ${most} rows, alternately by ${all} and by ${one}, the values of each thing in all frames and
 * in a single frame.
 */
static int
choose(struct tt_ranges *r, enum of of, const char *table, unsigned values, size_t things, size_t most, const int64_t *all, const int64_t *one,
    struct tt_err *err)
{
	struct set *set = &r->set[of];
	const size_t n = things + 1;
	bool *met = tt_mem_alloc(r->mem, n * sizeof *met, err);
	struct ranked *rank[2] = { tt_mem_alloc(r->mem, n * sizeof **rank, err), tt_mem_alloc(r->mem, n * sizeof **rank, err) };

	*set = (struct set){ .table = table, .values = values, .things = things };
	set->slot = tt_mem_alloc(r->mem, n * sizeof *set->slot, err);
	set->thing = tt_mem_alloc(r->mem, n * sizeof *set->thing, err);
	if (met && rank[0] && rank[1] && set->slot && set->thing) {
		for (uint32_t i = 0; i < things; i++) {
			rank[0][i] = (struct ranked){ all[i], i };
			rank[1][i] = (struct ranked){ one[i], i };
		}
		take(set, rank, most, met);
		set->v = tt_mem_alloc(r->mem, (set->n + 1) * values * r->columns * sizeof *set->v, err);
		if (set->v)
			set->filled = tt_mem_alloc(r->mem, (set->n + 1) * values * sizeof *set->filled, err);
	}
	tt_mem_free(r->mem, rank[0], n * sizeof **rank);
	tt_mem_free(r->mem, rank[1], n * sizeof **rank);
	tt_mem_free(r->mem, met, n * sizeof *met);
	return set->filled ? TT_OK : err->code;
}

static int
choose_markers(struct tt_ranges *r, struct tt_err *err)
{
	const struct tt_paths *p = r->p;
	const size_t n = p->nrow + 1;
	struct tt_calls *sum = tt_mem_alloc(r->mem, n * sizeof *sum, err);
	int64_t *all = sum ? tt_mem_alloc(r->mem, n * sizeof *all, err) : NULL, *one = all ? tt_mem_alloc(r->mem, n * sizeof *one, err) : NULL;
	int rc = one ? TT_OK : err->code;

	if (one) {
		tt_calls_sum(p, NULL, sum);
		for (uint32_t i = 0; i < p->nrow; i++) {
			struct tt_frame_marker of = { 0 };

			tt_row_frames(p, &p->row[i], &of);
			all[i] = sum[i].self;
			one[i] = of.self_max;
		}
		rc = choose(r, OF_MARKER, "markers", MARKER_N, p->nrow, MARKERS, all, one, err);
	}
	tt_mem_free(r->mem, sum, n * sizeof *sum);
	tt_mem_free(r->mem, all, n * sizeof *all);
	tt_mem_free(r->mem, one, n * sizeof *one);
	return rc;
}

static int
choose_categories(struct tt_ranges *r, struct tt_err *err)
{
	const struct tt_paths *p = r->p;
	const size_t n = r->view->m->ncategory + 1;
	uint32_t *slot = tt_mem_alloc(r->mem, (p->nrow + 1) * sizeof *slot, err);
	struct tt_calls *sum = slot ? tt_mem_alloc(r->mem, n * sizeof *sum, err) : NULL;
	int64_t *all = sum ? tt_mem_alloc(r->mem, n * sizeof *all, err) : NULL;
	int rc = all ? TT_OK : err->code;

	if (all) {
		for (uint32_t i = 0; i < p->nrow; i++)
			slot[i] = p->row[i].name->category;
		tt_calls_sum(p, slot, sum);
		for (size_t i = 0; i + 1 < n; i++)
			all[i] = sum[i].self;
		rc = choose(r, OF_CATEGORY, "categories", CATEGORY_N, n - 1, CATEGORIES, all, all, err);
	}
	tt_mem_free(r->mem, slot, (p->nrow + 1) * sizeof *slot);
	tt_mem_free(r->mem, sum, n * sizeof *sum);
	tt_mem_free(r->mem, all, n * sizeof *all);
	return rc;
}

/* Choose threads: those with the most time in zones, and those that allocate most. */
static int
choose_threads(struct tt_ranges *r, struct tt_err *err)
{
	const struct tt_threads *t = &r->view->m->threads;
	const struct tt_zone_time *time = tt_view_zone_time(r->view, err);
	const size_t n = t->n + 1;
	int64_t *inside = time ? tt_mem_alloc(r->mem, n * sizeof *inside, err) : NULL;
	int64_t *size = inside ? tt_mem_alloc(r->mem, n * sizeof *size, err) : NULL;
	int rc = size ? TT_OK : err->code;

	for (size_t i = 0; i < t->n && size; i++) {
		inside[i] = time[i].inside;
		size[i] = time[i].bytes;
	}
	TT_THEN(rc, choose(r, OF_THREAD, "threads", THREAD_N, t->n, THREADS, inside, size, err));
	tt_mem_free(r->mem, inside, n * sizeof *inside);
	tt_mem_free(r->mem, size, n * sizeof *size);
	return rc;
}

static int
choose_allocs(struct tt_ranges *r, struct tt_err *err)
{
	const size_t n = r->nalloc + 1;
	int64_t *of_site = tt_mem_alloc(r->mem, n * sizeof *of_site, err), *of_class = of_site ? tt_mem_alloc(r->mem, n * sizeof *of_class, err) : NULL;
	int rc = of_class ? TT_OK : err->code;

	for (size_t i = 0; i < r->nalloc && of_class; i++) {
		of_site[r->alloc[i].site] += r->alloc[i].bytes;
		of_class[r->alloc[i].number] += r->alloc[i].bytes;
	}
	TT_THEN(rc, choose(r, OF_SITE, "alloc_sites", ALLOC_N, r->nsite, SITES, of_site, of_site, err));
	TT_THEN(rc, choose(r, OF_CLASS, "alloc_classes", ALLOC_N, r->nclass, CLASSES, of_class, of_class, err));
	tt_mem_free(r->mem, of_site, n * sizeof *of_site);
	tt_mem_free(r->mem, of_class, n * sizeof *of_class);
	return rc;
}

static uint32_t
place_of(const struct tt_ranges *r, enum of of, size_t thing)
{
	const struct set *set = &r->set[of];

	return thing < set->things ? (uint32_t)(set->slot[thing] * set->values * r->columns) : NOWHERE;
}

static int
choose_places(struct tt_ranges *r, struct tt_err *err)
{
	const struct tt_paths *p = r->p;

	r->place = tt_mem_alloc(r->mem, (p->n + 1) * sizeof *r->place, err);
	for (uint32_t i = 0; i < p->n && r->place; i++) {
		const uint32_t owner = p->owner[i], row = tt_paths_row(p, owner);
		const struct tt_thread *t = tt_paths_thread(p, i);
		struct place *at = &r->place[i];

		*at = (struct place){ NOWHERE, NOWHERE, NOWHERE, owner == i, tt_paths_node(p, i)->kind == TT_NODE_ALLOC };
		if (at->alloc)
			continue;
		if (tt_paths_timed(p, i) && tt_paths_shown(p, owner) && row != TT_NO_ROW) {
			at->marker = place_of(r, OF_MARKER, row);
			at->category = place_of(r, OF_CATEGORY, p->row[row].name->category);
		}
		if (t && tt_paths_has_marker(p, i))
			at->thread = place_of(r, OF_THREAD, t->index);
	}
	return r->place ? TT_OK : err->code;
}

static int
choose_rows(struct tt_ranges *r, struct tt_err *err)
{
	const int64_t one = 1;
	int rc = list_allocs(r, err);

	TT_THEN(rc, number_allocs(r, err));
	TT_THEN(rc, choose(r, OF_ALL, "gcalloc", ALL_N, 1, 1, &one, &one, err));
	TT_THEN(rc, choose_markers(r, err));
	TT_THEN(rc, choose_categories(r, err));
	TT_THEN(rc, choose_threads(r, err));
	TT_THEN(rc, choose_allocs(r, err));
	return rc == TT_OK ? choose_places(r, err) : rc;
}

/* --- sums ------------------------------------------------------------------------------------- */

static void
add(const struct tt_ranges *r, enum of of, size_t thing, unsigned value, size_t column, int64_t v)
{
	const struct set *set = &r->set[of];

	if (thing < set->things)
		set->v[(set->slot[thing] * set->values + value) * r->columns + column] += v;
}

/* Add allocations, as counted in the tables gcalloc, alloc_sites, alloc_classes and threads. */
static void
add_alloc(const struct tt_ranges *r, const struct tt_frame_path *rec, size_t column)
{
	const struct alloc *a = alloc_of(r, rec->node);
	const struct tt_thread *t = tt_paths_thread(r->p, rec->node);

	if (!a)
		return;
	add(r, OF_ALL, 0, ALL_BYTES, column, rec->total);
	add(r, OF_ALL, 0, ALL_COUNT, column, (int64_t)rec->n);
	add(r, OF_SITE, a->site, ALLOC_BYTES, column, rec->total);
	add(r, OF_SITE, a->site, ALLOC_COUNT, column, (int64_t)rec->n);
	add(r, OF_CLASS, a->number, ALLOC_BYTES, column, rec->total);
	add(r, OF_CLASS, a->number, ALLOC_COUNT, column, (int64_t)rec->n);
	if (t) {
		add(r, OF_THREAD, t->index, THREAD_BYTES, column, rec->total);
		add(r, OF_THREAD, t->index, THREAD_COUNT, column, (int64_t)rec->n);
	}
}

/* Add zones, as counted in the tables markers, categories and threads. */
static void
add_zone(const struct tt_ranges *r, const struct tt_frame_path *rec, size_t column)
{
	const struct place *at = &r->place[rec->node];
	const uint8_t is = r->s->flags[rec->node];
	const int64_t waits = is & TT_SUM_WAIT ? rec->total : 0;
	int64_t *v;

	if (at->marker != NOWHERE) {
		v = r->set[OF_MARKER].v + at->marker + column;
		v[MARKER_SELF * r->columns] += rec->self;
		v[MARKER_REST * r->columns] += (at->own && is & TT_SUM_OUTER ? rec->total : 0) - rec->self;
		v[MARKER_COUNT * r->columns] += at->own ? (int64_t)rec->n : 0;
	}
	if (at->category != NOWHERE)
		r->set[OF_CATEGORY].v[at->category + column] += rec->self;
	if (at->thread != NOWHERE) {
		v = r->set[OF_THREAD].v + at->thread + column;
		v[THREAD_BUSY * r->columns] += (is & TT_SUM_TOP ? rec->total : 0) - waits;
		v[THREAD_WAITING * r->columns] += waits;
	}
}

static size_t
column_of(const struct tt_ranges *r, size_t frame)
{
	return (size_t)((((tt_u128)frame + 1) * r->columns + r->f->n - 1) / r->f->n) - 1;
}

bool
tt_ranges_has_sums(const struct tt_ranges *r)
{
	return r && r->sums;
}

/* Add the time of open zones that fill the frames before ${frame} to the value at ${place} of ${set}. Each frame begins where the previous one ends. */
static void
add_filled(const struct tt_ranges *r, const struct set *set, size_t place, size_t frame)
{
	struct filled *f = &set->filled[place];

	while (f->since < frame && f->rate) {
		const size_t column = column_of(r, f->since), next = (size_t)((tt_u128)(column + 1) * r->f->n / r->columns);
		const size_t end = next < frame ? next : frame;

		set->v[place * r->columns + column] += f->rate *
		    (int64_t)((uint64_t)tt_frames_end(r->f, end - 1) - (uint64_t)tt_frames_start(r->f, f->since));
		f->since = end;
	}
	f->since = frame;
}

/* From ${frame} on, zones add ${more} durations of each frame to the value ${value} of the row at ${at}. */
static void
fill(const struct tt_ranges *r, enum of of, uint32_t at, unsigned value, size_t frame, int64_t more)
{
	const size_t place = at / r->columns + value;

	if (more == 0)
		return;
	add_filled(r, &r->set[of], place, frame);
	r->set[of].filled[place].rate += more;
}

/* Like add_zone(), for zones that begin or end to fill frames. */
static void
fill_zone(const struct tt_ranges *r, const struct tt_frame_change *c, size_t frame)
{
	const struct place *at = &r->place[c->node];
	const uint8_t is = r->s->flags[c->node];
	const int64_t waits = is & TT_SUM_WAIT ? c->total : 0;

	if (at->marker != NOWHERE) {
		fill(r, OF_MARKER, at->marker, MARKER_SELF, frame, c->self);
		fill(r, OF_MARKER, at->marker, MARKER_REST, frame, (at->own && is & TT_SUM_OUTER ? c->total : 0) - c->self);
	}
	if (at->category != NOWHERE)
		fill(r, OF_CATEGORY, at->category, CATEGORY_SELF, frame, c->self);
	if (at->thread != NOWHERE) {
		fill(r, OF_THREAD, at->thread, THREAD_BUSY, frame, (is & TT_SUM_TOP ? c->total : 0) - waits);
		fill(r, OF_THREAD, at->thread, THREAD_WAITING, frame, waits);
	}
}

void
tt_ranges_end(struct tt_ranges *r)
{
	for (const struct set *set = r->set; set < r->set + SETS; set++)
		for (size_t i = 0; set->filled && i < (set->n + 1) * set->values; i++)
			add_filled(r, set, i, r->f->n);
}

void
tt_ranges_frame(struct tt_ranges *r, const struct tt_frame_sums *s)
{
	const size_t column = column_of(r, s->frame);

	r->s = s;
	for (size_t i = 0; i < s->nchange; i++)
		fill_zone(r, &s->change[i], s->frame);
	for (size_t i = 0; i < s->n; i++)
		(r->place[s->rec[i].node].alloc ? add_alloc : add_zone)(r, &s->rec[i], column);
}

/* True if no sum is negative. Damaged captures can give negative sums, which the page's data format cannot hold. */
static bool
is_sound(const struct tt_ranges *r)
{
	for (const struct set *set = r->set; set < r->set + SETS; set++)
		for (size_t i = 0; i < (set->n + 1) * set->values * r->columns; i++)
			if (set->v[i] < 0)
				return false;
	return true;
}

/* --- in the page -------------------------------------------------------------------------------- */

/* Get the names of a row's thing. Return their number. */
static unsigned
names_of(const struct tt_ranges *r, enum of of, uint32_t thing, const char *name[2])
{
	const struct tt_model *m = r->view->m;

	name[1] = NULL;
	switch (of) {
	case OF_MARKER:
		name[0] = r->p->row[thing].label;
		name[1] = m->category[r->p->row[thing].name->category].name;
		return 2;
	case OF_CATEGORY:
		name[0] = m->category[thing].name;
		return 1;
	case OF_THREAD:
		name[0] = m->threads.t[thing]->name;
		return 1;
	case OF_SITE:
		name[0] = r->site[thing]->row == TT_NO_ROW ? TT_OUTSIDE : r->p->row[r->site[thing]->row].label;
		name[1] = r->site[thing]->class;
		return 2;
	case OF_CLASS:
		name[0] = r->class[thing]->class;
		return 1;
	case OF_ALL:
	case SETS:
		break;
	}
	return 0;
}

/* Write the sums of ${rows} rows together: at ${v}, and at each ${step} values after it. */
static void
put_sums(const struct tt_ranges *r, const int64_t *v, size_t rows, size_t step, struct tt_json *j)
{
	enum { LONGEST = 22 };        /* maximum length: digits of 64 bits, sign, comma */
	int64_t empty = 0;
	struct tt_err ignored;
	char *at;

	tt_json_open(j, NULL, "[");
	/* There are hundreds of thousands of numbers: reserve room for all, and write each in place. */
	if (tt_buf_room(j->out, 2 * r->columns * LONGEST, &ignored) != TT_OK) {
		tt_buf_fail(j->out);
		return;
	}
	at = j->out->p + j->out->n;
	for (size_t c = 0; c < r->columns; c++) {
		int64_t sum = 0;

		for (size_t i = 0; i < rows; i++)
			sum += v[i * step + c];
		if (sum == 0) {
			empty++;
			continue;
		}
		if (empty) {
			at = tt_put_i64(at, -empty);
			*at++ = ',';
		}
		at = tt_put_i64(at, sum);
		*at++ = ',';
		empty = 0;
	}
	j->out->n = (size_t)(at - j->out->p);
	if (j->out->n && j->out->p[j->out->n - 1] == ',')
		j->out->n--;
	tt_json_close(j, "]");
}

/* Write at most ${most} rows of the set ${of}, and one for all others. */
static void
put_set(const struct tt_ranges *r, enum of of, size_t most, struct tt_json *j)
{
	const struct set *set = &r->set[of];
	const size_t n = set->n < most ? set->n : most, step = set->values * r->columns;
	const char *name[2];

	tt_json_open(j, NULL, "[");
	tt_json_text(j, NULL, set->table);
	tt_json_u64(j, NULL, names_of(r, of, set->n ? set->thing[0] : 0, name));
	tt_json_u64(j, NULL, set->values);
	tt_json_open(j, NULL, "[");
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0, names = names_of(r, of, set->thing[i], name); k < names; k++)
			tt_json_text(j, NULL, name[k]);
	tt_json_close(j, "]");
	tt_json_open(j, NULL, "[");
	for (size_t i = 0; i <= n; i++)
		for (unsigned k = 0; k < set->values; k++)
			put_sums(r, set->v + i * step + k * r->columns, i < n ? 1 : set->n + 1 - n, step, j);
	tt_json_close(j, "]");
	tt_json_close(j, "]");
}

/* Write ${rows} rows of markers, and proportionally many of the other tables. */
static void
put_sets(const struct tt_ranges *r, size_t rows, struct tt_buf *text)
{
	static const size_t part[SETS] = { [OF_ALL] = 1, [OF_MARKER] = MARKERS, [OF_CATEGORY] = CATEGORIES, [OF_THREAD] = THREADS, [OF_SITE] = SITES,
		[OF_CLASS] = CLASSES };
	struct tt_json j = { .out = text };

	text->n = 0;
	tt_json_open(&j, NULL, "[");
	for (enum of of = 0; of < SETS; of++)
		if (r->set[of].n)
			put_set(r, of, (part[of] * rows + MARKERS - 1) / MARKERS, &j);
	tt_json_close(&j, "]");
}

/*
 * Write as many rows as fit into ${most} bytes (0: unlimited); nothing if even MIN_ROWS do not. If a text is too long, reduce the rows until the next text is
 * no longer than the part of the last one that fitted, because making a text takes a fraction of the time of packing it.
 */
static int
put_fitting(const struct tt_ranges *r, uint64_t most, struct tt_buf *out, struct tt_err *err)
{
	enum { MIN_ROWS = 4 };
	struct tt_buf text = { 0 };
	size_t rows = MARKERS, packed, fits = SIZE_MAX;
	int rc;

	for (;;) {
		put_sets(r, rows, &text);
		rc = tt_buf_error(&text, err);
		if (rc != TT_OK)
			break;
		if (text.n <= fits || rows == MIN_ROWS) {
			rc = tt_page_pack_up_to(&text, most, &packed, out, err);
			if (rc != TT_OK || packed == text.n || rows == MIN_ROWS)
				break;
			fits = packed / 32 * 31;
		}
		rows = rows * (fits / 16) / (text.n / 16 + 1);
		rows = rows < MIN_ROWS ? MIN_ROWS : rows;
	}
	tt_buf_free(&text);
	return rc;
}

static int
put_sums_of_all(struct tt_ranges *r, uint64_t most, struct tt_buf *out, struct tt_err *err)
{
	const struct tt_by_frame *by = tt_by_frame(r->view->m);

	for (size_t i = 0; i < by->n && i < r->f->n; i++)
		add(r, OF_ALL, 0, ALL_COLLECTIONS, column_of(r, i), (int64_t)by->gc[i].n);
	return is_sound(r) ? put_fitting(r, most, out, err) : TT_OK;
}

int
tt_ranges_put(struct tt_ranges *r, uint64_t most, const char *command, struct tt_buf *out, struct tt_err *err)
{
	int rc;

	if (!r)
		return TT_OK;
	tt_buf_printf(out, "<script type=\"application/x-tracetool\" data-ranges=\"%zu\" data-gpu=\"%d\" data-command=\"", r->columns, has_gpu(r->view->m));
	tt_html_text(out, command);
	tt_buf_text(out, "\">");
	rc = r->sums ? put_sums_of_all(r, most, out, err) : TT_OK;
	tt_buf_text(out, "</script>\n");
	return rc;
}

int
tt_ranges_begin(struct tt_ranges **to, struct tt_views *view, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	const struct tt_frames *f = m->frames;
	struct tt_ranges *r;

	*to = NULL;
	if (!f || f->n == 0 || f->nrange != 1)
		return TT_OK;
	if (!(r = *to = tt_mem_alloc(&m->env->mem, sizeof *r, err)))
		return err->code;
	*r = (struct tt_ranges){ .view = view, .f = f, .mem = &m->env->mem, .sums = add_up(m) };
	r->columns = f->n <= TT_PAGE_COLUMNS ? f->n : TT_RANGE_COLUMNS;
	tt_classes_init(&r->classes, m, TT_GROUP_NONE, &view->text);
	if (!r->sums)
		return TT_OK;
	r->p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_LINK, err);
	return r->p ? choose_rows(r, err) : err->code;
}

void
tt_ranges_free(struct tt_ranges *r)
{
	if (!r)
		return;
	for (struct set *set = r->set; set < r->set + SETS; set++) {
		tt_mem_free(r->mem, set->slot, (set->things + 1) * sizeof *set->slot);
		tt_mem_free(r->mem, set->thing, (set->things + 1) * sizeof *set->thing);
		tt_mem_free(r->mem, set->filled, (set->n + 1) * set->values * sizeof *set->filled);
		tt_mem_free(r->mem, set->v, (set->n + 1) * set->values * r->columns * sizeof *set->v);
	}
	tt_mem_free(r->mem, r->place, r->place ? (r->p->n + 1) * sizeof *r->place : 0);
	tt_mem_free(r->mem, r->site, (r->nalloc + 1) * sizeof *r->site);
	tt_mem_free(r->mem, r->class, (r->nalloc + 1) * sizeof *r->class);
	tt_mem_free(r->mem, r->alloc, r->capalloc * sizeof *r->alloc);
	tt_classes_free(&r->classes);
	tt_mem_free(r->mem, r, sizeof *r);
}
