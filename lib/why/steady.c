/**
 * Finds causes that last throughout the capture: a heap that grows, allocation in every frame.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/order.h"
#include "collect/collections.h"
#include "collect/heap_shots.h"
#include "model/names.h"
#include "model/waits.h"
#include "out/table.h"
#include "view/figures.h"
#include "view/group.h"

/* Minimum bytes that a typical frame allocates to be reported: at 60 frames a second, some collections a minute. */
enum { MIN_BYTES = 64 << 10 };

/* Minimum evidence for a growing heap: sizes, sizes up to the last full collection, shots, falls, full collections, and bytes of growth. */
enum { MIN_POINTS = 6, MIN_PROVED = 3, MIN_SHOTS = 3, MIN_FALLS = 3, MIN_FULL = 3, MIN_GROWTH_BYTES = 1 << 20 };

/* The marker that allocates the most in a typical frame; NULL: none. *${sum}: bytes that all markers allocate. */
static const struct tt_usual *
most_of_all(const struct tt_why *w, int64_t *sum)
{
	const struct tt_usual *most = NULL;

	*sum = 0;
	for (size_t i = 0; i < w->nusual; i++) {
		const struct tt_usual *u = &w->usual[i];

		if (u->what != TT_OF_SITE)
			continue;
		*sum += u->self;
		if (u->id != TT_NO_ROW && (!most || u->self > most->self))
			most = u;
	}
	return most;
}

/* The finding about frames in which the marker allocates more than usual; NULL: none. */
static struct tt_finding *
found_allocation(const struct tt_why *w, const char *marker)
{
	for (size_t i = 0; i < w->out->nfinding; i++)
		if (w->found[i].class == TT_CAUSE_ALLOCATION && strcmp(w->found[i].marker, marker) == 0)
			return &w->found[i];
	return NULL;
}

static int
find_allocation(struct tt_why *w)
{
	struct tt_finding *f;
	char bytes[32], all[32];
	int64_t sum;
	const struct tt_usual *most = most_of_all(w, &sum);

	if (!most || most->self < MIN_BYTES)
		return TT_OK;
	*tt_put_bytes(bytes, most->self) = '\0';
	*tt_put_bytes(all, sum) = '\0';
	f = found_allocation(w, w->p->row[most->id].label);
	if (f) {
		f->sentence = tt_arena_printf(w->text, w->err, "%s; in a typical frame it allocates %s, of %s in all", f->sentence, bytes, all);
		return w->err->code;
	}
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*f = (struct tt_finding){ .class = TT_CAUSE_ALLOCATION, .marker = w->p->row[most->id].label, .frames = "all frames", .is_of_all = true };
	f->sentence = tt_arena_printf(w->text, w->err, "%s allocates %s in a typical frame, of %s in all", f->marker, bytes, all);
	return w->err->code;
}

/*
 * The heap during the frames: number of sizes and of falls, the first and the last size, the size after the last fall, and the time of the last size. grows:
 * each fall ends at a larger size than the fall before.
 */
struct heap { size_t n, falls; uint64_t first, last, low; int64_t at; bool grows; };

/* Summarize the heap's sizes before ${to}. */
static struct heap
heap_until(const struct tt_why *w, int64_t to)
{
	const int64_t from = w->from;
	const struct tt_gc *gc = tt_gc(w->m);
	struct heap h = { .grows = true, .at = from };

	for (size_t i = 0; i < gc->nheap; i++) {
		uint64_t bytes = gc->heap[i].bytes;

		if (gc->heap[i].ts < from || gc->heap[i].ts >= to || (h.n && bytes == h.last))
			continue;
		if (h.n++ == 0)
			h.first = h.low = bytes;
		else if (bytes < h.last) {
			h.falls++;
			h.grows = h.grows && bytes > h.low;
			h.low = bytes;
		}
		h.last = bytes;
		h.at = gc->heap[i].ts;
	}
	return h;
}

/* The end of the last collection of an older generation than 0 during the frames; their start if there is none. */
static int64_t
last_full(const struct tt_why *w)
{
	const struct tt_gc *gc = tt_gc(w->m);
	const int64_t from = w->from, to = w->to;
	int64_t at = from;

	for (size_t i = 0; i < gc->npause; i++) {
		const struct tt_pause *p = &gc->pause[i];

		at = p->is_full && p->start >= from && p->end <= to && p->end > at ? p->end : at;
	}
	return at;
}

/*
 * The heap's sizes after collections of an older generation than 0 during the frames. grows: each size is larger than the one before, and the last is in the
 * second half of the time. A size is recorded when it changes, before the program resumes.
 */
static struct heap
after_full(const struct tt_why *w)
{
	const struct tt_gc *gc = tt_gc(w->m);
	const int64_t from = w->from, to = w->to;
	struct heap h = { .grows = true };
	int64_t at = from;

	for (size_t i = 0, k = 0; i < gc->npause; i++) {
		const struct tt_pause *p = &gc->pause[i];

		while (k < gc->nheap && gc->heap[k].ts <= p->end)
			k++;
		if (!p->is_full || p->start < from || p->end > to || k == 0)
			continue;
		h.grows = h.grows && (h.n == 0 || gc->heap[k - 1].bytes > h.last);
		h.last = gc->heap[k - 1].bytes;
		h.first = h.n++ ? h.first : h.last;
		at = p->start;
	}
	h.grows = h.grows && at - from >= (to - from) / 2;
	return h;
}

/* --- heap shots ----------------------------------------------------------------------------------- */

/* The bytes of a class in the first and the last shot. */
struct stays { const char *name; uint64_t first, last; };

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct stays *)a)->name, ((const struct stays *)b)->name);
}

static int
by_growth(const void *a, const void *b)
{
	const struct stays *x = a, *y = b;
	int64_t k = (int64_t)(x->last - x->first), l = (int64_t)(y->last - y->first);

	return k != l ? TT_CMP(l, k) : strcmp(x->name, y->name);
}

/* Find the first and the last complete shot until ${to} whose classes were kept. Return false if there are no two. */
static bool
two_shots(const struct tt_heap_shots *s, int64_t to, const struct tt_shot **first, const struct tt_shot **last)
{
	*first = *last = NULL;
	for (size_t i = 0; s && i < s->n; i++) {
		if (!s->shot[i].kept || !s->shot[i].complete || s->shot[i].ts > to)
			continue;
		*first = *first ? *first : &s->shot[i];
		*last = &s->shot[i];
	}
	return *first != *last;
}

/* Merge classes of the same name. Return the number left. */
static size_t
join(struct stays *v, size_t n)
{
	size_t k = 0;

	tt_sort(v, n, by_name);
	for (size_t i = 0; i < n; i++) {
		if (k > 0 && strcmp(v[k - 1].name, v[i].name) == 0) {
			v[k - 1].first += v[i].first;
			v[k - 1].last += v[i].last;
		} else {
			v[k++] = v[i];
		}
	}
	return k;
}

/* True if the class grows by at least a fifth of ${growth}. */
static bool
stays_clearly(const struct stays *v, uint64_t growth)
{
	return v->last > v->first && (v->last - v->first) * 5 >= growth;
}

/* "; by heap shots ITEM grows from A to B, ...": the two classes that grow most, each if by at least a fifth of ${growth}. */
static void
put_stays(const struct stays *v, size_t n, uint64_t growth, struct tt_buf *b)
{
	char from[32], to[32];

	for (size_t i = 0; i < n && i < 2 && stays_clearly(&v[i], growth); i++) {
		*tt_put_bytes(from, (int64_t)v[i].first) = '\0';
		*tt_put_bytes(to, (int64_t)v[i].last) = '\0';
		tt_buf_printf(b, i ? ", %s from %s to %s" : "; by heap shots %s grows from %s to %s", v[i].name, from, to);
	}
}

/* The marker that allocates at least half of all bytes of the class ${class}; *${bytes}: its bytes. TT_NO_ROW: none, or not known. */
static uint32_t
who_allocates(struct tt_why *w, const char *class, struct tt_classes *classes, int64_t *bytes)
{
	int64_t *of = tt_mem_alloc(w->mem, (w->p->nrow + 1) * sizeof *of, w->err), all = 0;
	uint32_t most = TT_NO_ROW;

	for (uint32_t i = TT_NODE_MORE + 1; of && i < w->p->n; i++) {
		const struct tt_node *n = tt_paths_node(w->p, i);
		const struct tt_class *c = n->kind == TT_NODE_ALLOC ? tt_class_of(classes, n->process, n->key, w->err) : NULL;
		const uint32_t row = tt_paths_row(w->p, w->own[i]);

		if (!c || strcmp(c->label, class) != 0)
			continue;
		all += tt_paths_count(w->p, i).total;
		if (row == TT_NO_ROW)
			continue;
		of[row] += tt_paths_count(w->p, i).total;
		most = most == TT_NO_ROW || of[row] > of[most] ? row : most;
	}
	*bytes = most != TT_NO_ROW ? of[most] : 0;
	tt_mem_free(w->mem, of, (w->p->nrow + 1) * sizeof *of);
	return *bytes > 0 && *bytes >= all - *bytes ? most : TT_NO_ROW;
}

/* Report the marker that allocates most in typical frames, if that could be at least half of ${growth}. */
static void
put_most(struct tt_why *w, int64_t growth, struct tt_finding *f, struct tt_buf *b)
{
	char bytes[32];
	int64_t sum;
	const struct tt_usual *most = most_of_all(w, &sum);

	/* Without frames there are no usual values. */
	if (!most || most->self * (int64_t)w->m->frames->n < growth / 2)
		return;
	f->marker = w->p->row[most->id].label;
	*tt_put_bytes(bytes, most->self) = '\0';
	tt_buf_printf(b, "; %s allocates most, %s a frame", f->marker, bytes);
}

/* Report which method allocates the class ${v} that grows most, and set the marker of ${f}; without such a class, report the method that allocates most. */
static void
put_site(struct tt_why *w, const struct stays *v, struct tt_classes *classes, int64_t growth, struct tt_finding *f, struct tt_buf *b)
{
	char bytes[32];
	int64_t all;
	const uint32_t row = v ? who_allocates(w, v->name, classes, &all) : TT_NO_ROW;

	if (row == TT_NO_ROW) {
		put_most(w, growth, f, b);
		return;
	}
	f->marker = w->p->row[row].label;
	*tt_put_bytes(bytes, all) = '\0';
	tt_buf_printf(b, "; %s allocates most of class %s, %s in all", f->marker, v->name, bytes);
}

/*
 * Suggest an interval for heap shots, "500ms": a sixth of the frames' time, rounded down to 1, 2 or 5 times a power of ten. Both of Mono's recorders accept ms.
 */
static void
put_interval(const struct tt_why *w, struct tt_buf *b)
{
	const int64_t sixth = (w->to - w->from) / 6 / 1000000;
	int64_t one = 1;

	while (one <= sixth / 10)
		one *= 10;
	tt_buf_printf(b, "%lldms", (long long)(sixth >= 5 * one ? 5 * one : sixth >= 2 * one ? 2 * one : one));
}

/*
 * Report who allocates what makes the heap grow by ${growth}, and which classes stay, from heap shots. Without shots, suggest to record them if the recorder
 * can.
 */
static void
put_shots(struct tt_why *w, int64_t growth, struct tt_finding *f, struct tt_buf *b)
{
	const struct tt_heap_shots *s = tt_heap_shots(w->m);
	const struct tt_shot *first, *last;
	struct tt_classes classes;
	struct stays *v;

	if (!two_shots(s, w->to, &first, &last) && !two_shots(s, INT64_MAX, &first, &last)) {
		const char *option = tt_model_option(w->m, TT_REC_SHOTS);

		put_most(w, growth, f, b);
		if (!option)
			return;
		tt_buf_printf(b, "; heap shots tell what stays: record with %s", option);
		put_interval(w, b);
		return;
	}
	v = tt_mem_alloc(w->mem, (s->nkey + 1) * sizeof *v, w->err);
	if (!v)
		return;
	tt_classes_init(&classes, w->m, TT_GROUP_NONE, w->text);
	for (size_t i = 0; i < s->nkey; i++) {
		const struct tt_class *c = tt_class_of(&classes, s->key_process[i], s->key[i], w->err);
		v[i].name = c ? c->label : "";
	}
	for (size_t i = 0; i < first->nclass; i++)
		v[s->cell[first->first + i].class].first += s->cell[first->first + i].bytes;
	for (size_t i = 0; i < last->nclass; i++)
		v[s->cell[last->first + i].class].last += s->cell[last->first + i].bytes;
	size_t n = join(v, s->nkey);
	tt_sort(v, n, by_growth);
	const uint64_t by = last->bytes > first->bytes ? last->bytes - first->bytes : 0;
	put_site(w, n && stays_clearly(&v[0], by) ? &v[0] : NULL, &classes, growth, f, b);
	put_stays(v, n, by, b);
	tt_classes_free(&classes);
	tt_mem_free(w->mem, v, (s->nkey + 1) * sizeof *v);
}

/*
 * True if the shots until the end of the frames show a growing heap: each is larger than the one before, and the last is in the second half. Later shots show
 * what is left when the program ends.
 */
static bool
shots_grow(const struct tt_why *w, struct heap *h)
{
	const struct tt_heap_shots *s = tt_heap_shots(w->m);
	const int64_t from = w->from, to = w->to;
	int64_t at = from;

	*h = (struct heap){ .grows = true };
	for (size_t i = 0; s && i < s->n; i++) {
		const struct tt_shot *t = &s->shot[i];

		if (!t->complete || t->ts > to)
			continue;
		h->grows = h->grows && (h->n == 0 || t->bytes > h->last);
		h->first = h->n++ ? h->first : t->bytes;
		h->last = t->bytes;
		at = t->ts;
	}
	return h->n >= MIN_SHOTS && h->grows && at - from >= (to - from) / 2;
}

static bool
is_larger(uint64_t end, uint64_t first)
{
	return end >= first + first / 4 && end >= first + MIN_GROWTH_BYTES;
}

/* The evidence that the heap grows; struct heap has the sizes. */
enum proof { GROWS_NOT, GROWS_ONLY, GROWS_AFTER_FALLS, GROWS_AFTER_FULL, GROWS_BY_SHOTS };

/*
 * True if the heap, summarized in ${all}, never falls and still grows in the second half of the frames, and a full collection shows that the growth is not
 * garbage: *${h}, the sizes until the last full collection, grows as well and reaches beyond a third of the frames. Growth after that may be garbage.
 */
static bool
only_grows(const struct tt_why *w, const struct heap *all, struct heap *h)
{
	const int64_t from = w->from, to = w->to;

	*h = heap_until(w, last_full(w));
	return !all->falls && all->n >= MIN_POINTS && all->at - from >= (to - from) / 2 && h->n >= MIN_PROVED && h->at - from >= (to - from) / 3 &&
	    is_larger(h->last, h->first);
}

static enum proof
prove(const struct tt_why *w, struct heap *h)
{
	const struct heap all = heap_until(w, w->to);

	if (only_grows(w, &all, h))
		return GROWS_ONLY;
	*h = all;
	h->last = h->low;
	if (h->grows && h->falls >= MIN_FALLS && is_larger(h->last, h->first))
		return GROWS_AFTER_FALLS;
	*h = after_full(w);
	if (h->grows && h->n >= MIN_FULL && is_larger(h->last, h->first))
		return GROWS_AFTER_FULL;
	return shots_grow(w, h) && is_larger(h->last, h->first) ? GROWS_BY_SHOTS : GROWS_NOT;
}

int
tt_why_find_leak(struct tt_why *w, bool *found)
{
	struct heap h;
	const enum proof proof = w->m->ncap == 1 ? prove(w, &h) : GROWS_NOT;
	struct tt_finding *f;
	char a[32], z[32];
	struct tt_buf b = { 0 };

	*found = proof != GROWS_NOT;
	if (!*found)
		return TT_OK;
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*tt_put_bytes(a, (int64_t)h.first) = '\0';
	*tt_put_bytes(z, (int64_t)h.last) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_LEAK, .frames = tt_why_has_frames(w) ? "all frames" : NULL };
	tt_buf_printf(&b, proof == GROWS_ONLY ? "the heap grows from %s to %s, and never becomes smaller" : "leak: the heap grows from %s to %s", a, z);
	if (proof == GROWS_AFTER_FULL)
		tt_buf_printf(&b, ", larger after each of %zu collections", h.n);
	put_shots(w, (int64_t)(h.last - h.first), f, &b);
	f->sentence = tt_buf_move_to_arena(&b, w->text, w->err);
	return w->err->code;
}

/* --- waiting for the display ------------------------------------------------------------------------- */

/* The fact of kind ${what} with the most time in typical frames; NULL: none. */
static const struct tt_usual *
most_usual(const struct tt_why *w, uint32_t what)
{
	const struct tt_usual *most = NULL;

	for (size_t i = 0; i < w->nusual; i++)
		if (w->usual[i].what == what && w->usual[i].id != TT_NO_ROW && (!most || w->usual[i].self > most->self))
			most = &w->usual[i];
	return most;
}

/* A path of the usual fact ${u}: that of the first sample that has the fact. */
static uint32_t
node_of(const struct tt_why *w, const struct tt_usual *u)
{
	size_t i = 0;

	while (i < w->of_samples.n && (w->of_samples.v[i].what != u->what || w->of_samples.v[i].id != u->id))
		i++;
	return i < w->of_samples.n ? w->of_samples.v[i].node : 0;
}

/* 1.1 times the period of 60 fps: a display of about 60 Hz may make frames last that long. */
enum { LATE_NS = 16670000 / 10 * 11 };

/* Report typical frames that miss 60 fps without a frame limit, and that wait for a third of their time until the last frame is presented. */
static int
find_present(struct tt_why *w)
{
	const struct tt_usual *wait = most_usual(w, TT_OF_CALL + TT_CAUSE_WAIT), *run = most_usual(w, TT_OF_RUN);
	const uint32_t call = wait ? w->calls[wait->id].row : TT_NO_ROW, by = wait ? w->calls[wait->id].by : TT_NO_ROW;
	char ns[32], all[32], other[32];
	struct tt_buf b = { 0 };
	struct tt_finding *f;

	if (w->cap || call == TT_NO_ROW || !w->p->row[call].name || w->out->typical <= LATE_NS || wait->self < w->out->typical / 3 ||
	    tt_waits_kind(w->m, w->p->row[call].name->full) != TT_WAIT_LIMIT)
		return TT_OK;
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*tt_put_time_short(ns, wait->self) = '\0';
	*tt_put_time_short(all, w->out->typical) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_WAIT, .marker = by != TT_NO_ROW ? w->p->row[by].label : TT_OUTSIDE, .frames = "all frames",
		.is_of_all = true, .makes_late = true };
	tt_buf_printf(&b, "a typical frame waits %s of %s in %s", ns, all, w->p->row[call].label);
	if (run && run->self >= wait->self / 2) {
		*tt_put_time_short(other, run->self) = '\0';
		const struct tt_thread *t = tt_paths_thread(w->p, node_of(w, run));

		/* Only a thread that submits work to the GPU is certainly what the wait is for. */
		if (!tt_name_match(tt_render_threads, t->own_name))
			tt_buf_text(&b, "; the GPU is late, or vertical sync holds the frame, or another thread is waited for");
		tt_buf_printf(&b, "; thread \"%s\" runs %s for %s a frame", t->name, w->p->row[run->id].label, other);
	} else if (w->typical_gpu == 0) {
		tt_buf_text(&b, "; no other thread runs half as long: the GPU is late, or vertical sync holds the frame");
	}
	if (w->typical_gpu) {
		*tt_put_time_short(other, w->typical_gpu) = '\0';
		tt_buf_printf(&b, w->typical_gpu > w->out->typical / 5 * 4 ? "; GPU late, it takes %s a frame" : "; the GPU takes %s a frame", other);
	}
	f->sentence = tt_buf_move_to_arena(&b, w->text, w->err);
	return w->err->code;
}

int
tt_why_find_steady(struct tt_why *w)
{
	bool leaks;
	int rc = tt_why_find_leak(w, &leaks);

	TT_THEN(rc, find_present(w));

	return rc == TT_OK && !leaks ? find_allocation(w) : rc;
}
