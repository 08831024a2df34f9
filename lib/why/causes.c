/**
 * Searches for causes: assigns each path to a method, then learns what typical frames do and what each hitch does beyond that.
 */
#include "why/causes_parts.h"

#include "collect/collections.h"
#include "model/names.h"
#include "model/waits.h"
#include "out/table.h"
#include "stat/num.h"
#include "view/frame_sums.h"
#include "view/view.h"

enum { MIN_FRAMES = 10 };

const char *
tt_cause_name(enum tt_cause_class class)
{
	static const char *const name[TT_CAUSE_CLASSES] = { "unknown", "collection", "compiled", "shaders", "lock", "exceptions", "wait",
		"loading", "editor", "allocation", "calls", "slow_call", "processors", "outside", "growth", "leak", "steady" };

	return name[class];
}

/* Text if no frame has a cause. */
static const char none_long[] = "no frame is clearly longer than the typical one";

/* Text for a single frame if the findings are about many frames. */
static const char none_by_itself[] = "no frame's own thread takes clearly longer than in the typical one: the table causes says what is found";

bool
tt_why_is_steady(const struct tt_causes *c)
{
	for (size_t i = 0; i < c->nfinding; i++)
		if (c->finding[i].class != TT_CAUSE_STEADY)
			return false;
	return true;
}

static const char *
note_on_frames(const struct tt_causes *c, struct tt_report *r)
{
	if (c->nunexamined == 0 && !c->rest && tt_why_is_steady(c))
		return c->routine ? c->routine : c->late ? c->late : none_long;
	return c->nunexamined == 0 ? c->rest : tt_text(r,
	    "%zu more long frames were not looked at, because there are too many zones or frames: choose up to 256 "
	    "frames with %s", c->nunexamined, tt_setting_name[TT_SETTING_FRAMES]);
}

const char *
tt_causes_note(const struct tt_causes *c, struct tt_report *r)
{
	const char *note = note_on_frames(c, r);

	return !c->unrecorded ? note : note ? tt_text(r, "%s; %s", note, c->unrecorded) : c->unrecorded;
}

const char *
tt_causes_none(const struct tt_frames *f, const struct tt_causes *c)
{
	if (f->nrange > 1)
		return "causes need the frames of one capture: look at each capture alone";
	if (c && c->nunexamined)
		return "long frames were not looked at, because there are too many zones or frames: choose up to 256 frames by time or number";
	if (c && c->routine)
		return c->routine;
	if (c && !tt_why_is_steady(c))
		return none_by_itself;
	if (c && c->late)
		return c->late;
	return f->n < MIN_FRAMES ? "fewer than ten whole frames: none is typical" : none_long;
}

/* --- which method a zone belongs to --------------------------------------------------------------------------------- */

/* The class of a marker by its name. If collections were not recorded as such, known names of calls stand for them. */
static enum tt_cause_class
class_of(const char *full, bool collections)
{
	if (tt_name_match(tt_collect_markers, full) || (!collections && tt_name_match(tt_collect_calls, full)))
		return TT_CAUSE_COLLECTION;
	if (tt_name_match(tt_compile_markers, full))
		return TT_CAUSE_COMPILED;
	if (tt_name_match(tt_shader_markers, full))
		return TT_CAUSE_SHADERS;
	if (tt_name_match(tt_lock_markers, full))
		return TT_CAUSE_LOCK;
	return tt_name_match(tt_load_markers, full) || tt_name_match(tt_unload_markers, full) ? TT_CAUSE_LOADING : TT_CAUSE_UNKNOWN;
}

static enum tt_cause_class
class_of_key(uint64_t key)
{
	if (key == TT_KEY_GC_PAUSE || key == TT_KEY_GC_STOP || (key >= TT_KEY_GC_GEN(0) && key <= TT_KEY_GC_GEN(7)))
		return TT_CAUSE_COLLECTION;
	if (key == TT_KEY_CONTENTION)
		return TT_CAUSE_LOCK;
	if (key == TT_KEY_EXCEPTION)
		return TT_CAUSE_EXCEPTIONS;
	return key == TT_KEY_JIT ? TT_CAUSE_COMPILED : TT_CAUSE_UNKNOWN;
}

/*
 * Properties of a marker, derived from its name. For capped frames: left_out: not part of the time by which frames are judged; present: a wait for the frame
 * limit, of which only the late part counts.
 */
struct kind { uint8_t class; bool library, left_out, present; };

static void
look_at_rows(struct tt_why *w, struct kind *k)
{
	const bool collections = tt_knows_collections(w->m);

	for (uint32_t i = 0; i < w->p->nrow; i++) {
		const struct tt_name *name = w->p->row[i].name;
		const char *full = name ? name->full : "";
		const bool editor = name && name->editor, has_text = name && name->has_text;

		k[i].class = editor ? TT_CAUSE_EDITOR : has_text ? (uint8_t)class_of(full, collections) : TT_CAUSE_UNKNOWN;
		k[i].library = has_text && tt_causes_is_library(full);
		const enum tt_wait_kind wait = w->cap && w->p->waits[i] ? tt_waits_kind(w->m, full) : TT_WAIT_NOT;

		k[i].left_out = wait == TT_WAIT_LIMIT_ONLY || (w->cap && editor);
		k[i].present = wait == TT_WAIT_LIMIT;
	}
}

/*
 * The class of the zone ${i} inside a zone of class ${around}. Collections and waits inside loading or a wait keep their own class; work inside a wait, such as
 * a job that the waiting thread takes over, is not waiting.
 */
static uint8_t
class_within(const struct tt_why *w, uint32_t i, uint8_t around, const struct kind *k)
{
	const uint32_t row = tt_paths_row(w->p, i);
	const uint8_t of_key = (uint8_t)class_of_key(tt_paths_node(w->p, i)->key);

	if (around != TT_CAUSE_UNKNOWN && around != TT_CAUSE_LOADING && around != TT_CAUSE_WAIT)
		return around;
	if (of_key || row == TT_NO_ROW)
		return of_key ? of_key : around;
	if (k[row].left_out || k[row].class)
		return k[row].left_out ? TT_CLASS_NONE : k[row].class;
	if (around == TT_CAUSE_LOADING)
		return around;
	if (w->p->waits[row])
		return TT_CAUSE_WAIT;
	return k[row].library ? around : TT_CAUSE_UNKNOWN;
}

static void
look_at_zone(struct tt_why *w, uint32_t i, const struct kind *k)
{
	const struct tt_node *n = tt_paths_node(w->p, i);
	const uint32_t row = tt_paths_row(w->p, i), up = w->own[n->parent];
	const uint8_t class = class_within(w, i, w->class[n->parent], k);
	const bool called = tt_paths_node(w->p, up)->kind == TT_NODE_ZONE;

	w->class[i] = class;
	w->is_late_wait[i] = w->is_late_wait[n->parent] || (row != TT_NO_ROW && k[row].present);
	w->own[i] = called && (class != TT_CAUSE_UNKNOWN || row == TT_NO_ROW || k[row].library) ? up : i;
}

/* Find the class of each node, and the program's method that it belongs to. Parents come before their children. */
static int
look_at_paths(struct tt_why *w)
{
	struct kind *k = tt_mem_alloc(w->mem, (w->p->nrow + 1) * sizeof *k, w->err);

	w->class = tt_mem_alloc(w->mem, w->p->n * sizeof *w->class, w->err);
	w->own = tt_mem_alloc(w->mem, w->p->n * sizeof *w->own, w->err);
	w->is_late_wait = tt_mem_alloc(w->mem, w->p->n * sizeof *w->is_late_wait, w->err);
	if (!k || !w->class || !w->own || !w->is_late_wait) {
		tt_mem_free(w->mem, k, k ? (w->p->nrow + 1) * sizeof *k : 0);
		return w->err->code;
	}
	look_at_rows(w, k);
	for (uint32_t i = 1; i < w->p->n; i++) {
		const struct tt_node *n = tt_paths_node(w->p, i);

		if (n->kind == TT_NODE_ZONE && i > TT_NODE_MORE)
			look_at_zone(w, i, k);
		else
			w->own[i] = n->kind == TT_NODE_ALLOC || n->kind == TT_NODE_STACKS || n->kind == TT_NODE_FRAMED ? w->own[n->parent] : i;
	}
	tt_mem_free(w->mem, k, (w->p->nrow + 1) * sizeof *k);
	return TT_OK;
}

/* --- the two readings ------------------------------------------------------------------------------ */

static int
keep_sample(struct tt_why *w, size_t sample)
{
	struct tt_sampled_facts *all = &w->of_samples;

	_Static_assert(TT_FRAMES_SAMPLED <= UINT8_MAX && TT_OF_TOTAL <= UINT8_MAX, "kinds and samples have a byte each");
	if (tt_why_facts(w) != TT_OK)
		return w->err->code;
	if (all->n + w->now.n > UINT32_MAX)
		return tt_fail_nomem(w->err);
	if (tt_mem_grow(w->mem, &all->v, &all->cap, all->n + w->now.n, sizeof *all->v, w->err) != TT_OK)
		return w->err->code;
	for (size_t i = 0; i < w->now.n; i++) {
		const struct tt_fact *f = &w->now.v[i];

		all->v[all->n++] = (struct tt_sampled_fact){ .what = (uint8_t)f->what, .sample = (uint8_t)sample, .id = f->id, .node = f->node,
			.n = f->n < UINT32_MAX ? (uint32_t)f->n : UINT32_MAX, .self = f->self, .total = f->what == TT_OF_NODE ? f->total : 0 };
	}
	return TT_OK;
}

static int
read_samples(struct tt_why *w)
{
	size_t at = 0;
	int rc;

	if ((rc = tt_why_facts_begin(w)) != TT_OK)
		return rc;
	w->s->chosen = w->sample;
	w->s->nchosen = w->nsample;
	tt_frame_sums_rewind(w->s);
	while (rc == TT_OK && at < w->nsample && tt_frame_sums_next(w->s)) {
		while (at < w->nsample && w->sample[at] < w->s->frame)
			at++;
		if (at < w->nsample && w->sample[at] == w->s->frame)
			rc = keep_sample(w, at);
	}
	tt_mem_shrink(w->mem, &w->of_samples.v, &w->of_samples.cap, w->of_samples.n, sizeof *w->of_samples.v);
	return rc == TT_OK ? tt_why_compute_usual(w) : rc;
}

static int
read_hitches(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	size_t *frame = tt_mem_alloc(w->mem, (out->ncause + 1) * sizeof *frame, w->err), at = 0;
	int rc = frame ? TT_OK : w->err->code;

	for (size_t i = 0; frame && i < out->ncause; i++)
		frame[i] = out->cause[i].frame;
	w->s->chosen = frame;
	w->s->nchosen = out->ncause;
	if (frame && out->ncause)
		tt_frame_sums_rewind(w->s);
	while (rc == TT_OK && at < out->ncause && tt_frame_sums_next(w->s)) {
		while (at < out->ncause && out->cause[at].frame < w->s->frame)
			at++;
		if (at == out->ncause || out->cause[at].frame != w->s->frame)
			continue;
		rc = tt_why_facts(w);
		if (rc == TT_OK)
			tt_why_judge(w, &out->cause[at]);
		rc = w->err->code;
	}
	w->s->chosen = NULL;
	w->s->nchosen = 0;
	tt_mem_free(w->mem, frame, (out->ncause + 1) * sizeof *frame);
	return rc == TT_OK ? w->err->code : rc;
}

static void
close_why(struct tt_why *w)
{
	tt_mem_free(w->mem, w->class, w->class ? w->p->n * sizeof *w->class : 0);
	tt_mem_free(w->mem, w->own, w->own ? w->p->n * sizeof *w->own : 0);
	tt_why_calls_free(w);
	tt_mem_free(w->mem, w->is_late_wait, w->is_late_wait ? w->p->n * sizeof *w->is_late_wait : 0);
	tt_mem_free(w->mem, w->extra_ns, w->capextra_ns * sizeof *w->extra_ns);
	tt_mem_free(w->mem, w->now.v, w->now.cap * sizeof *w->now.v);
	tt_mem_free(w->mem, w->parts.v, w->parts.cap * sizeof *w->parts.v);
	tt_mem_free(w->mem, w->order, w->caporder * sizeof *w->order);
	tt_mem_free(w->mem, w->part_index, w->npart_index * sizeof *w->part_index);
	tt_mem_free(w->mem, w->other_work, w->m->threads.n * sizeof *w->other_work);
	tt_mem_free(w->mem, w->caller, w->capcaller * sizeof *w->caller);
	tt_mem_free(w->mem, w->first_child, w->capfirst_child * sizeof *w->first_child);
	tt_mem_free(w->mem, w->next_sibling, w->capnext_sibling * sizeof *w->next_sibling);
	tt_mem_free(w->mem, w->topmost, w->captopmost * sizeof *w->topmost);
	tt_mem_free(w->mem, w->on_descent, w->on_descent ? (w->p->nrow + 1) * sizeof *w->on_descent : 0);
	tt_mem_free(w->mem, w->usual_at, w->capusual_at * sizeof *w->usual_at);
	tt_mem_free(w->mem, w->of_samples.v, w->of_samples.cap * sizeof *w->of_samples.v);
	tt_mem_free(w->mem, w->next_of_samples, w->capnext * sizeof *w->next_of_samples);
	tt_mem_free(w->mem, w->found, w->capfound * sizeof *w->found);
	tt_mem_free(w->mem, w->usual, w->capusual * sizeof *w->usual);
	tt_mem_free(w->mem, w->step, w->step ? (w->p->nrow + 1) * sizeof *w->step : 0);
	tt_frame_sums_free(w->s);
}

enum tt_setting
tt_causes_hiding_setting(const struct tt_model *m)
{
	const struct tt_filter *f = &m->filter;

	for (size_t i = 0; f->thread && i < m->threads.n; i++)
		if (!m->keep_thread[i])
			return TT_SETTING_THREAD;
	return tt_filter_hides(f);
}

/* Find causes in a capture without frames: only a growing heap. */
static int
find_without_frames(struct tt_why *w, struct tt_views *view)
{
	bool leaks;
	int rc;

	w->from = w->m->min_ts;
	w->to = w->m->max_ts;
	w->p = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_LINK | TT_PATHS_WAITS, w->err);
	rc = w->p ? look_at_paths(w) : w->err->code;
	TT_THEN(rc, tt_why_find_leak(w, &leaks));
	return rc == TT_OK ? tt_why_copy_findings(w) : rc;
}

int
tt_causes_find(struct tt_causes *c, struct tt_views *view, struct tt_arena *text, struct tt_err *err)
{
	struct tt_frame_sums sums = { .m = view->m };
	struct tt_why w = { .m = view->m, .mem = &view->m->env->mem, .err = err, .text = text, .out = c, .s = &sums };
	const struct tt_frames *f = view->m->frames;
	int rc;

	*c = (struct tt_causes){ 0 };
	if (tt_causes_hiding_setting(view->m))
		return TT_OK;
	if (!f || f->n == 0) {
		rc = find_without_frames(&w, view);
		close_why(&w);
		return rc;
	}
	if (f->n < MIN_FRAMES || f->nrange > 1)
		return TT_OK;
	w.from = tt_frames_start(f, 0);
	w.to = tt_frames_end(f, f->n - 1);
	tt_frame_sums_init(&sums, view, err);
	w.p = sums.p;
	rc = err->code;
	if (rc == TT_OK && (rc = tt_why_choose_hitches(&w)) == TT_OK && (rc = look_at_paths(&w)) == TT_OK && (rc = tt_why_find_calls(&w)) == TT_OK &&
	    (rc = read_samples(&w)) == TT_OK && (rc = read_hitches(&w)) == TT_OK) {
		tt_why_find_requested(&w);
		if ((rc = tt_why_drop_doubtful(&w)) == TT_OK && (rc = tt_why_drop_routine(&w)) == TT_OK && (rc = tt_why_group_unknown(&w)) == TT_OK)
			rc = tt_why_make_findings(&w);
		TT_THEN(rc, tt_why_note_unexplained(&w));
		TT_THEN(rc, tt_why_note_late(&w));
		TT_THEN(rc, tt_why_note_unrecorded(&w));
	}
	close_why(&w);
	return rc;
}
