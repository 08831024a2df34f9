/**
 * Adds up the results of captures: sums, histograms, losses and the most unusual captures.
 */
#include "batch/aggregate_sums.h"

#include <string.h>

#include "base/env.h"
#include "base/order.h"
#include "batch/aggregate.h"
#include "batch/key.h"
#include "batch/record.h"
#include "model/format.h"
#include "model/path_facts.h"
#include "stat/hist.h"

#define GROUPS_MAX 1000
#define DAYS_MAX 4000
#define MORE "(more)"

int
tt_aggregate_new(struct tt_env *env, const char *const *group, struct tt_aggregate **out, struct tt_err *err)
{
	struct tt_aggregate *a = tt_mem_alloc(&env->mem, sizeof *a, err);

	*out = a;
	if (!a)
		return err->code;
	a->env = env;
	a->group = group;
	tt_arena_init(&a->arena, &env->mem);
	a->captures = tt_mem_alloc(&env->mem, sizeof *a->captures, err);
	if (!a->captures) {
		tt_mem_free(&env->mem, a, sizeof *a);
		*out = NULL;
		return err->code;
	}
	a->total.name = "all";
	a->groups.max = GROUPS_MAX;
	a->days.max = DAYS_MAX;
	return TT_OK;
}

static void
free_sums(struct tt_aggregate *a, struct sums *s)
{
	tt_mem_free(&a->env->mem, s->frame.b, s->frame.cap * sizeof *s->frame.b);
	tt_mem_free(&a->env->mem, s->uncapped.b, s->uncapped.cap * sizeof *s->uncapped.b);
	tt_mem_free(&a->env->mem, s->frame_alloc.b, s->frame_alloc.cap * sizeof *s->frame_alloc.b);
	tt_mem_free(&a->env->mem, s->pause.b, s->pause.cap * sizeof *s->pause.b);
}

static void
free_list(struct tt_aggregate *a, struct list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free_sums(a, l->v[i]);
	if (l->more)
		free_sums(a, l->more);
	tt_mem_free(&a->env->mem, l->v, l->cap * sizeof *l->v);
}

void
tt_aggregate_free(struct tt_aggregate *a)
{
	if (!a)
		return;
	free_sums(a, &a->total);
	free_list(a, &a->groups);
	free_list(a, &a->days);
	tt_arena_free(&a->arena);
	tt_captures_free(a->captures, &a->env->mem);
	tt_mem_free(&a->env->mem, a->captures, sizeof *a->captures);
	tt_buf_free(&a->copies.keys);
	tt_buf_free(&a->held.keys);
	tt_buf_free(&a->gaps.keys);
	tt_buf_free(&a->begins.keys);
	tt_buf_free(&a->overlaps.keys);
	tt_mem_free(&a->env->mem, a, sizeof *a);
}

/* Widen the range to hold bucket ${i}. */
static int
widen(struct tt_aggregate *a, struct range *r, size_t i, struct tt_err *err)
{
	size_t lo = r->n == 0 || i < r->lo ? i : r->lo;
	size_t hi = r->n == 0 || i >= r->lo + r->n ? i + 1 : r->lo + r->n;

	if (r->n > 0 && lo == r->lo && hi == r->lo + r->n)
		return TT_OK;
	if (tt_mem_grow(&a->env->mem, &r->b, &r->cap, hi - lo, sizeof *r->b, err) != TT_OK)
		return err->code;
	if (r->n > 0 && lo < r->lo) {
		memmove(r->b + (r->lo - lo), r->b, r->n * sizeof *r->b);
		memset(r->b, 0, (r->lo - lo) * sizeof *r->b);
	}
	r->lo = lo;
	r->n = hi - lo;
	return TT_OK;
}

static uint64_t
whole(const json_t *v)
{
	json_int_t i = json_integer_value(v);

	return i > 0 ? (uint64_t)i : 0;
}

/* Add ${v} to *${sum}, which saturates at the largest number that tables can show. */
static void
add(struct tt_aggregate *a, uint64_t *sum, uint64_t v)
{
	if (v > INT64_MAX || *sum > INT64_MAX - v) {
		a->capped = true;
		*sum = INT64_MAX;
	} else {
		*sum += v;
	}
}

/* Add the number that is called ${name} in ${o}. */
static void
add_named(struct tt_aggregate *a, uint64_t *sum, const json_t *o, const char *name)
{
	add(a, sum, whole(json_object_get(o, name)));
}

/* [smallest, largest, bucket, count, ...] */
static int
add_hist(struct tt_aggregate *a, struct range *r, const json_t *h, struct tt_err *err)
{
	size_t n = json_array_size(h);
	uint64_t min = whole(json_array_get(h, 0)), max = whole(json_array_get(h, 1));

	if (n < 4)
		return TT_OK;
	if (r->total == 0 || min < r->min)
		r->min = min;
	if (max > r->max)
		r->max = max;
	for (size_t i = 2; i + 1 < n; i += 2) {
		uint64_t bucket = whole(json_array_get(h, i)), count = whole(json_array_get(h, i + 1));

		if (bucket >= TT_HIST_BUCKETS || count == 0)
			continue;
		if (widen(a, r, (size_t)bucket, err) != TT_OK)
			return err->code;
		add(a, &r->b[bucket - r->lo], count);
		add(a, &r->total, count);
	}
	return TT_OK;
}

/* True if the capture has too few frames to tell how many were over some limit. */
static bool
lacks_verdict(const json_t *m)
{
	return json_object_get(m, "frames.count") && !(json_object_get(m, "frames.over_16_67") && json_object_get(m, "frames.over_33_33") &&
	    json_object_get(m, "frames.over_50"));
}

/* Add the frames by rows of frame time; results of earlier versions have only the histogram, whose buckets are coarser. */
static void
add_rows(struct tt_aggregate *a, const json_t *h, bool untold)
{
	const json_t *rows = json_object_get(h, "frame_rows"), *old = json_object_get(h, "frame_ns");

	for (size_t k = 0; k < TT_FRAME_ROWS; k++)
		add(a, untold ? &a->untold[k] : &a->row[k], whole(json_array_get(rows, k)));
	for (size_t i = 2; !rows && i + 1 < json_array_size(old); i += 2) {
		uint64_t bucket = whole(json_array_get(old, i));
		size_t k = 0;

		while (bucket < TT_HIST_BUCKETS && k + 1 < TT_FRAME_ROWS && tt_hist_value((unsigned)bucket) > (uint64_t)tt_frame_edge[k])
			k++;
		if (bucket < TT_HIST_BUCKETS)
			add(a, &a->row[k], whole(json_array_get(old, i + 1)));
	}
}

/* Count the capture and, unless it counts with another one (copy, held), add its figures. */
static int
add_capture(struct tt_aggregate *a, struct sums *s, const struct tt_result *r, struct tt_err *err)
{
	static const char *const took[TT_TOOK] = { "frames.one", "frames.two", "frames.three", "frames.more" };
	const json_t *m = json_object_get(r->doc, "metrics"), *h = json_object_get(r->doc, "hist");
	int64_t max = (int64_t)whole(json_object_get(m, "gcalloc.pause_max_ns")), stop = (int64_t)whole(json_object_get(m, "gcalloc.stopped_max_ns"));
	int rc;

	s->captures++;
	s->ok += strcmp(r->outcome, "ok") == 0;
	s->damaged += strcmp(r->outcome, "damaged") == 0;
	s->failed += strcmp(r->outcome, "failed") == 0;
	add_named(a, &s->spooled, r->doc, "handed");
	add_named(a, &s->spooled, r->doc, "spooled");
	if (r->copy || r->held)
		return TT_OK;
	add_named(a, &s->events, r->doc, "events");
	add_named(a, &s->duration_ns, r->doc, "duration_ns");
	add_named(a, &s->frames, m, "frames.count");
	add_named(a, &s->frame_ns, m, "frames.total_ns");
	add_named(a, &s->over, m, "frames.over_33_33");
	add_named(a, &s->late, m, "frames.late");
	for (unsigned i = 0; i < TT_TOOK; i++)
		add_named(a, &s->took[i], m, took[i]);
	add_named(a, &s->alloc_b, m, "gcalloc.bytes");
	add_named(a, &s->allocs, m, "gcalloc.count");
	add_named(a, &s->collections, m, "gcalloc.collections");
	add_named(a, &s->pauses, m, "gcalloc.pauses");
	s->knows_over |= json_object_get(m, "frames.over_33_33") != NULL;
	s->lacks_over |= json_object_get(m, "frames.count") && !json_object_get(m, "frames.over_33_33");
	s->knows_late |= json_object_get(m, "frames.late") != NULL;
	s->knows_allocs |= json_object_get(m, "gcalloc.bytes") != NULL;
	s->knows_collections |= json_object_get(m, "gcalloc.collections") != NULL;
	s->knows_pauses |= json_object_get(m, "gcalloc.pauses") != NULL;
	s->knows_stops |= json_object_get(m, "gcalloc.stopped_max_ns") != NULL;
	s->pause_max = max > s->pause_max ? max : s->pause_max;
	s->stopped_max = stop > s->stopped_max ? stop : s->stopped_max;
	rc = add_hist(a, &s->frame, json_object_get(h, "frame_ns"), err);
	TT_THEN(rc, add_hist(a, &s->uncapped, json_object_get(h, "frame_uncapped_ns"), err));
	if (rc == TT_OK && json_object_get(m, "gcalloc.bytes"))
		rc = add_hist(a, &s->frame_alloc, json_object_get(h, "frame_alloc_bytes"), err);
	return rc == TT_OK ? add_hist(a, &s->pause, json_object_get(h, "pause_ns"), err) : rc;
}

/* --- names ------------------------------------------------------------------------------- */

static struct sums *
new_sums(struct tt_aggregate *a, const char *name, struct tt_err *err)
{
	struct sums *s = tt_arena_alloc(&a->arena, sizeof *s, err);

	if (s)
		s->name = tt_arena_text(&a->arena, name, strlen(name), err);
	return s && s->name ? s : NULL;
}

static struct sums *
sums_named(struct tt_aggregate *a, struct list *l, const char *name, struct tt_err *err)
{
	size_t at = tt_lower_bound(i, 0, l->n, strcmp(l->v[i]->name, name) < 0);
	struct sums *s;

	if (at < l->n && strcmp(l->v[at]->name, name) == 0)
		return l->v[at];
	if (l->n == l->max) {
		if (!l->more)
			l->more = new_sums(a, MORE, err);
		return l->more;
	}
	if (tt_mem_grow(&a->env->mem, &l->v, &l->cap, l->n + 1, sizeof *l->v, err) != TT_OK)
		return NULL;
	s = new_sums(a, name, err);
	if (!s)
		return NULL;
	memmove(&l->v[at + 1], &l->v[at], (l->n - at) * sizeof *l->v);
	l->v[at] = s;
	l->n++;
	return s;
}

/* The fact ${key} of the capture, else what its reader provides under that name, such as the date; NULL if there is neither. */
static const char *
fact_of(const struct tt_result *r, const char *key)
{
	const char *v = json_string_value(json_object_get(json_object_get(r->doc, "meta"), key));

	return v ? v : json_string_value(json_object_get(r->doc, key));
}

/* Keep ${key} as one of two examples for a note; one that there is no memory for is left out. */
static void
keep_example(struct tt_aggregate *a, const char *example[2], const char *key)
{
	struct tt_err err;
	const size_t i = example[0] != NULL;

	if (!example[i])
		example[i] = tt_arena_text(&a->arena, key, strlen(key), &err);
}

/* "build=12, device=Pixel 6": what the capture says of itself; "(unknown)" if it does not. */
static void
group_name(struct tt_aggregate *a, const struct tt_result *r, struct tt_buf *b)
{
	bool known = false;

	for (size_t i = 0; a->group[i]; i++) {
		const char *v = fact_of(r, a->group[i]);

		known |= v != NULL;
		tt_buf_printf(b, "%s%s=%s", i ? ", " : "", a->group[i], v ? v : "(unknown)");
	}
	a->grouped += known;
	if (!a->grouped)
		keep_example(a, a->ungrouped, r->key);
}

/* Note whether the path of the capture tells facts by the pattern. */
static int
note_fit(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	struct tt_path_fact fact[TT_PATH_FACTS_MAX];
	struct tt_buf path = { 0 };
	int rc = tt_key_path(&path, r->key, strlen(r->key), err);

	if (rc == TT_OK)
		a->fits = tt_path_facts(a->pattern, tt_buf_string(&path), fact) > 0;
	tt_buf_free(&path);
	if (rc == TT_OK && !a->fits)
		keep_example(a, a->unfit, r->key);
	return rc;
}

static int
count_in(struct tt_aggregate *a, struct count *list, size_t *n, const char *x, const char *y, const char *z, uint64_t by,
    struct tt_err *err)
{
	size_t i = 0;
	int c = 1;

	for (; i < *n; i++) {
		c = strcmp(list[i].a, x);
		c = c ? c : strcmp(list[i].b, y);
		c = c ? c : strcmp(list[i].c, z);
		if (c >= 0)
			break;
	}
	if (i == *n || c != 0) {
		if (*n == TT_AGGREGATE_KINDS)
			return TT_OK; /* not from tracetool, which has fewer kinds */
		memmove(&list[i + 1], &list[i], (*n - i) * sizeof *list);
		++*n;
		list[i] = (struct count){ .a = tt_arena_text(&a->arena, x, strlen(x), err),
			.b = tt_arena_text(&a->arena, y, strlen(y), err), .c = tt_arena_text(&a->arena, z, strlen(z), err) };
		if (!list[i].a || !list[i].b || !list[i].c) {
			memmove(&list[i], &list[i + 1], (*n - i - 1) * sizeof *list);
			--*n;
			return err->code;
		}
	}
	add(a, &list[i].n, by);
	return TT_OK;
}

static int
add_failure(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	struct failure *f = &a->failure[a->nfailure];
	const char *detail = tt_result_detail(r);

	a->failures++;
	if (a->nfailure == TT_AGGREGATE_FAILURES)
		return TT_OK;
	f->key = tt_arena_text(&a->arena, r->key, strlen(r->key), err);
	f->outcome = tt_arena_text(&a->arena, r->outcome, strlen(r->outcome), err);
	f->why = tt_arena_text(&a->arena, r->why, strlen(r->why), err);
	f->detail = tt_arena_text(&a->arena, detail, strlen(detail), err);
	if (!f->key || !f->outcome || !f->why || !f->detail)
		return err->code;
	a->nfailure++;
	return TT_OK;
}

static int
add_kinds(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	const char *kind = json_string_value(json_object_get(r->doc, "kind")), *name;
	json_t *v;
	int rc = TT_OK;

	if (kind)
		rc = count_in(a, a->kind, &a->nkind, kind, "", "", 1, err);
	json_object_foreach(json_object_get(r->doc, "kinds"), name, v) {
		TT_THEN(rc, count_in(a, a->kind, &a->nkind, name, "", "", whole(v), err));
	}
	return rc;
}

/* Members that could not be read have no lines: their archive's record counts them. */
static int
add_lost(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	const char *kind;
	json_t *c;
	int rc = TT_OK;

	json_object_foreach(json_object_get(r->doc, "complaints"), kind, c) {
		uint64_t n = whole(json_object_get(c, "n"));

		if (rc != TT_OK || !tt_record_costs(kind))
			continue;
		add(a, &a->lost, n);
		add(a, &a->failures, n);
		rc = count_in(a, a->outcome, &a->noutcome, "member", "failed", kind, n, err);
	}
	return rc;
}

/* --- copies -------------------------------------------------------------------------------- */

/* Count ${r}, and list its key if it is among the first TT_AGGREGATE_COPIES. */
static int
note_name(struct named *to, const struct tt_result *r, struct tt_err *err)
{
	if (++to->n > TT_AGGREGATE_COPIES)
		return TT_OK;
	tt_buf_printf(&to->keys, "%s%s", to->n > 1 ? ", " : "", r->key);
	return tt_buf_error(&to->keys, err);
}

/* Add the capture to its group, if there are groups, and to the single captures, unless it counts with another one. */
static int
add_to_group(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	const bool groups = a->group && a->group[0];
	struct tt_buf b = { 0 };
	struct sums *s = NULL;
	const char *name;
	int rc;

	if (groups)
		group_name(a, r, &b);
	name = tt_buf_string(&b);
	rc = tt_buf_error(&b, err);
	if (rc == TT_OK && groups)
		s = sums_named(a, &a->groups, name, err);
	if (rc == TT_OK && groups)
		rc = s ? add_capture(a, s, r, err) : err->code;
	if (rc == TT_OK && !r->copy && !r->held)
		rc = tt_captures_add(a->captures, r, name, &a->env->mem, err);
	tt_buf_free(&b);
	return rc;
}

/* Count the capture by how well its layout fits, for a note: if none fits, figures may be wrong. */
static int
note_layout(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	const char *layout = json_string_value(json_object_get(json_object_get(r->doc, "meta"), TT_META_LAYOUT));

	for (unsigned how = 0; layout && how < TT_LAYOUTS; how++) {
		if (strcmp(layout, tt_layout_name((enum tt_layout)how)) != 0)
			continue;
		a->layout[how].n++;
		if (a->layout[how].first && strcmp(a->layout[how].first, r->key) <= 0)
			continue;
		if (!(a->layout[how].first = tt_arena_text(&a->arena, r->key, strlen(r->key), err)))
			return err->code;
	}
	return TT_OK;
}

/* The words of the capture's format for losses, by kind; NULL: the usual ones. */
static const struct tt_loss_words *
said_by(const struct tt_result *r)
{
	const char *name = json_string_value(json_object_get(r->doc, "format"));

	for (const struct tt_format *const *f = tt_formats; name && *f; f++)
		if (strcmp((*f)->name, name) == 0)
			return (*f)->loss_words;
	return NULL;
}

/* Add the capture's losses, by kind. */
static int
note_losses(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	const json_t *losses = json_object_get(r->doc, "loss");
	const struct tt_loss_words *said = said_by(r);
	const bool is_whole = strcmp(r->outcome, "damaged") != 0;
	bool lossy = false;

	for (unsigned k = 0; k < TT_LOST_KINDS && losses; k++) {
		const json_t *v = json_object_get(losses, tt_loss_info[k].id);
		struct lost *to = &a->loss[k];

		if (!v)
			continue;
		const struct tt_loss_words *own = said ? &said[k] : NULL;

		lossy = lossy || (!tt_loss_info[k].damage && tt_loss_info_in_words(k, own).severity >= TT_NOTICE);
		to->said = to->captures == 0 || to->said == own ? own : NULL;
		to->captures++;
		to->whole += is_whole;
		add(a, &to->n, whole(json_array_get(v, 0)));
		add(a, &to->of_whole, is_whole ? whole(json_array_get(v, 0)) : 0);
		add(a, &to->bytes, whole(json_array_get(v, 1)));
		if ((!to->first || strcmp(to->first, r->key) > 0) && !(to->first = tt_arena_text(&a->arena, r->key, strlen(r->key), err)))
			return err->code;
	}
	a->lossy += lossy && is_whole;
	return TT_OK;
}

/* Note that a capture's frames are capped at ${period}; 0: they are not. */
static void
note_cap(struct tt_aggregate *a, int64_t period)
{
	if (period == 0)
		return;
	a->cap_least = a->limited == 0 || period < a->cap_least ? period : a->cap_least;
	a->cap_most = period > a->cap_most ? period : a->cap_most;
	a->limited++;
}

/* Note that files of the capture's recording are missing here, or are here twice. */
static int
note_files(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	int rc = r->missing ? note_name(&a->gaps, r, err) : TT_OK;

	if (rc == TT_OK && r->before)
		rc = note_name(&a->begins, r, err);
	if (rc == TT_OK && r->overlaps)
		rc = note_name(&a->overlaps, r, err);
	add(a, &a->missing, r->missing);
	return rc;
}

/* Add the figures of a capture to the total, its day and its group. */
static int
add_figures(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	const char *date = fact_of(r, "date");
	struct sums *day;
	const bool counts = !r->copy && !r->held;
	int rc = counts ? TT_OK : note_name(r->copy ? &a->copies : &a->held, r, err);

	a->further += counts && whole(json_object_get(r->doc, "file")) > 0;
	a->outside += json_is_true(json_object_get(r->doc, "outside"));
	note_cap(a, (int64_t)whole(json_object_get(json_object_get(r->doc, "metrics"), "frames.cap_ns")));
	TT_THEN(rc, note_files(a, r, err));
	if (rc == TT_OK && a->pattern && !a->fits)
		rc = note_fit(a, r, err);
	TT_THEN(rc, note_layout(a, r, err));
	if (rc == TT_OK && counts)
		rc = note_losses(a, r, err);
	if (rc == TT_OK && counts)
		add_rows(a, json_object_get(r->doc, "hist"), lacks_verdict(json_object_get(r->doc, "metrics")));
	TT_THEN(rc, add_capture(a, &a->total, r, err));
	if (rc == TT_OK && date) {
		day = sums_named(a, &a->days, date, err);
		rc = day ? add_capture(a, day, r, err) : err->code;
	}
	return rc == TT_OK ? add_to_group(a, r, err) : rc;
}

int
tt_aggregate_add(struct tt_aggregate *a, const struct tt_result *r, struct tt_err *err)
{
	bool capture = strcmp(r->type, "capture") == 0;
	int rc = count_in(a, a->outcome, &a->noutcome, r->type, r->outcome, r->why, 1, err);

	a->archives += strcmp(r->type, "archive") == 0;
	a->unended += tt_result_unended(r);
	if (rc == TT_OK && (strcmp(r->outcome, "failed") == 0 || strcmp(r->outcome, "damaged") == 0))
		rc = add_failure(a, r, err);
	if (rc == TT_OK && strcmp(r->type, "archive") == 0)
		rc = add_lost(a, r, err);
	TT_THEN(rc, add_kinds(a, r, err));
	if (rc == TT_OK && !capture)  /* archives in archives */
		add_named(a, &a->total.spooled, r->doc, "spooled");
	return rc == TT_OK && capture ? add_figures(a, r, err) : rc;
}

struct tt_aggregate_count
tt_aggregate_counted(const struct tt_aggregate *a)
{
	return (struct tt_aggregate_count){ .captures = a->total.captures, .archives = a->archives, .lost = a->lost,
		.failures = a->failures, .unended = a->unended, .missing = a->missing };
}
