/**
 * Makes capture results from models; sample_json.c writes and reads them.
 */
#include "gate/sample.h"

#include <stdio.h>
#include <string.h>

#include "base/order.h"
#include "base/utf8.h"
#include "model/identity.h"
#include "pass/shown.h"
#include "view/allocs.h"
#include "stat/num.h"
#include "view/view.h"

/* --- facts ------------------------------------------------------------------------ */

static int
by_key(const void *a, const void *b)
{
	const struct tt_fact *x = a, *y = b;

	return strcmp(x->key, y->key);
}

const char *
tt_sample_fact(const struct tt_sample *s, const char *key)
{
	for (size_t i = 0; i < s->nfact; i++)
		if (strcmp(s->fact[i].key, key) == 0)
			return s->fact[i].value;
	return NULL;
}

static bool
has_id(const struct tt_sample *s)
{
	return s->id && *s->id;
}

bool
tt_sample_same(const struct tt_sample *a, const struct tt_sample *b)
{
	return has_id(a) && has_id(b) && strcmp(a->id, b->id) == 0;
}

/* Order samples by recording; those of one recording keep the order of the list. */
static int
by_id(const void *a, const void *b)
{
	const struct tt_sample *x = *(const struct tt_sample *const *)a, *y = *(const struct tt_sample *const *)b;
	int c = strcmp(x->id, y->id);

	return c ? c : TT_CMP(x, y);
}

int
tt_recordings_init(struct tt_recordings *r, const struct tt_sample *list, size_t n, struct tt_arena *a, struct tt_err *err)
{
	r->n = 0;
	if (!(r->by_id = tt_arena_alloc(a, n * sizeof *r->by_id, err)))
		return err->code;
	for (size_t i = 0; i < n; i++)
		if (has_id(&list[i]))
			r->by_id[r->n++] = &list[i];
	tt_sort(r->by_id, r->n, by_id);
	return TT_OK;
}

const struct tt_sample *
tt_recordings_find(const struct tt_recordings *r, const struct tt_sample *s)
{
	const size_t at = has_id(s) ? tt_lower_bound(i, 0, r->n, strcmp(r->by_id[i]->id, s->id) < 0) : r->n;

	return at < r->n && tt_sample_same(r->by_id[at], s) ? r->by_id[at] : NULL;
}

/* The name ${name} as it is read back from a baseline, so that it is found again there. */
static const char *
kept(const char *name, struct tt_arena *a, struct tt_err *err)
{
	size_t size = 3 * strlen(name) + 5;
	char *to;

	if (tt_utf8_valid(NULL, 0, name) == name)
		return tt_arena_text(a, name, strlen(name), err);
	to = tt_arena_alloc(a, size, err);
	return to ? tt_utf8_valid(to, size, name) : NULL;
}

struct found_fact { struct tt_fact f; size_t at; };     /* at: number of facts found before it */

static int
by_key_and_place(const void *a, const void *b)
{
	const struct found_fact *x = a, *y = b;
	int c = by_key(&x->f, &y->f);

	return c ? c : TT_CMP(x->at, y->at);
}

/* Add a fact unless its value is empty. */
static int
add_fact(struct found_fact *list, size_t *n, const char *key, const char *value, struct tt_arena *a, struct tt_err *err)
{
	struct found_fact *to = &list[*n];

	if (!value || !*value)
		return TT_OK;
	to->at = *n;
	to->f.key = kept(key, a, err);
	to->f.value = to->f.key ? kept(value, a, err) : NULL;
	*n += to->f.value != NULL;
	return to->f.value ? TT_OK : err->code;
}

/*
 * Add the events requested by the profiler command line ${args}, without file and port: "log:calls,alloc". Captures with different kinds of events also differ
 * in the cost of recording.
 */
static int
add_recorded_with(struct found_fact *list, size_t *n, const char *args, struct tt_arena *a, struct tt_err *err)
{
	static const char *const left_out[] = { "out=", "output=", "port=" };
	static const char option[] = "-profile=";
	const char *at = strstr(args, option), *end, *next;
	char *text = tt_arena_text(a, args, strlen(args), err), *to = text;

	if (!text)
		return err->code;
	at = at ? at + strlen(option) : strncmp(args, "log:", 4) == 0 ? args : "";
	for (end = at + strcspn(at, " "); at < end; at = next) {
		bool keep = true;

		next = at + strcspn(at, to == text ? ":, " : ", ");
		next += next < end;
		for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
			keep = keep && strncmp(at, left_out[i], strlen(left_out[i])) != 0;
		if (!keep)
			continue;
		memcpy(to, at, (size_t)(next - at));
		to += next - at;
	}
	if (to > text && (to[-1] == ',' || to[-1] == ':'))
		to--;
	*to = '\0';
	return add_fact(list, n, "recorded_with", text, a, err);
}

/* Collect the facts, sorted by key; of several facts with one key, keep the first. */
static int
facts(const struct tt_model *m, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	size_t most = 6 * m->ncap, n = 0;
	struct found_fact *list;
	char date[TT_DATE_TEXT];
	int rc = TT_OK;

	for (size_t i = 0; i < m->ncap; i++)
		for (const struct tt_meta *f = m->cap[i]->meta; f; f = f->next)
			most++;
	list = tt_arena_alloc(a, (most + 1) * sizeof *list, err);
	s->fact = list ? tt_arena_alloc(a, (most + 1) * sizeof *s->fact, err) : NULL;
	if (!s->fact)
		return err->code;
	for (size_t i = 0; i < m->ncap && rc == TT_OK; i++) {
		const struct tt_capture *c = m->cap[i];

		for (const struct tt_meta *f = c->meta; f && rc == TT_OK; f = f->next)
			rc = add_fact(list, &n, f->key, f->value, a, err);
		TT_THEN(rc, add_fact(list, &n, "format", c->format, a, err));
		TT_THEN(rc, add_fact(list, &n, "arch", c->arch, a, err));
		TT_THEN(rc, add_fact(list, &n, "os", c->os, a, err));
		tt_capture_date(c, date);
		TT_THEN(rc, add_fact(list, &n, "date", date, a, err));
		TT_THEN(rc, add_fact(list, &n, "producer", c->producer, a, err));
		if (rc == TT_OK && c->args)
			rc = add_recorded_with(list, &n, c->args, a, err);
	}
	tt_sort(list, n, by_key_and_place);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || by_key(&list[i].f, &list[i - 1].f) != 0)
			s->fact[s->nfact++] = list[i].f;
	return rc;
}

/* --- parts: markers ------------------------------------------------------------------ */

struct parts {
	const struct tt_model *m;
	size_t frames;                /* number of frames whose parts are collected; 0: parts of the whole capture */
	struct tt_part *p;            /* parts of the current kind */
	size_t n, cap;
	struct tt_arena *a;
};

/* Order by amount, largest first; equal ones by name. */
static int
by_amount(const void *a, const void *b)
{
	const struct tt_part *x = a, *y = b;

	if (x->v != y->v)
		return x->v < y->v ? 1 : -1;
	return strcmp(x->name, y->name);
}

/* Return ${v} base units per frame as an amount, which is 0 only if they are none; without frames, their total. ${one}: the amount of one base unit. */
static int64_t
per_frame(int64_t v, size_t frames, int64_t one)
{
	const int64_t each = tt_scale(v, one, frames ? (int64_t)frames : 1);

	return each == 0 && v > 0 ? 1 : each;
}

/* Order by amount of work, largest first. */
static int
by_work(const void *a, const void *b)
{
	const struct tt_part *x = a, *y = b;

	return x->work != y->work ? TT_CMP(y->work, x->work) : by_amount(a, b);
}

static int
add_part(struct parts *p, enum tt_about about, const char *name, int64_t v, int64_t work, int64_t count, struct tt_err *err)
{
	int rc;

	if (v <= 0)
		return TT_OK;
	rc = tt_mem_grow(&p->m->env->mem, &p->p, &p->cap, p->n + 1, sizeof *p->p, err);
	if (rc == TT_OK)
		p->p[p->n++] = (struct tt_part){ about, name, p->frames > 0, per_frame(v, p->frames, TT_AMOUNT_ONE), per_frame(count, p->frames, TT_NUMBER_ONE),
			per_frame(work, p->frames, TT_AMOUNT_ONE) };
	return rc;
}

/* Collect self time and calls of rows over the whole capture, on all threads. */
static int
all_time(struct parts *p, const struct tt_paths *t, struct tt_err *err)
{
	struct { int64_t self, calls; } *sum = tt_mem_alloc(&p->m->env->mem, (t->nrow + 1) * sizeof *sum, err);
	int rc = TT_OK;

	if (!sum)
		return err->code;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t row = tt_paths_timed(t, i) && tt_paths_shown(t, t->owner[i]) ? tt_paths_row(t, t->owner[i]) : TT_NO_ROW;
		struct tt_count c;

		if (row == TT_NO_ROW)
			continue;
		c = tt_paths_count(t, i);
		sum[row].self += c.self;
		sum[row].calls += t->owner[i] == i ? (int64_t)c.n : 0;
	}
	for (uint32_t i = 0; i < t->nrow && rc == TT_OK; i++)
		rc = add_part(p, TT_ABOUT_TIME, t->row[i].label, sum[i].self, sum[i].self, sum[i].calls, err);
	tt_mem_free(&p->m->env->mem, sum, (t->nrow + 1) * sizeof *sum);
	return rc;
}

/* Collect self time and calls of rows within whole frames, on the frame thread. */
static int
framed_time(struct parts *p, const struct tt_paths *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t i = 0; i < t->nrow && rc == TT_OK; i++) {
		struct tt_frame_marker in = { 0 };

		tt_row_frames(t, &t->row[i], &in);
		rc = add_part(p, TT_ABOUT_TIME, t->row[i].label, in.self, in.self - in.idle, (int64_t)in.calls, err);
	}
	return rc;
}

/* --- parts: allocation sites --------------------------------------------------------- */

static int
put_site(struct parts *p, const struct tt_allocs *al, const struct tt_alloc *a, int64_t bytes, uint64_t n,
    struct tt_err *err)
{
	uint32_t row = tt_alloc_site(al, a);
	const char *site = row == TT_NO_ROW ? "(outside any zone)" : al->p->row[row].label;
	const char *class = al->class[a->class];
	size_t len = strlen(site) + strlen(class) + 3;
	char *name = tt_arena_alloc(p->a, len, err);

	if (!name)
		return err->code;
	snprintf(name, len, "%s: %s", site, class);
	return add_part(p, TT_ABOUT_ALLOC, name, bytes, bytes, (int64_t)n, err);
}

static int
alloc_parts(struct parts *p, struct tt_views *view, struct tt_err *err)
{
	struct tt_allocs al = { 0 };
	int rc = tt_allocs_init(&al, view, TT_GROUP_NONE, &view->text, err);

	if (rc == TT_OK)
		tt_allocs_sort(&al, tt_alloc_place);
	for (size_t i = 0, end; i < al.n && rc == TT_OK; i = end) {
		int64_t bytes = 0;
		uint64_t n = 0;

		for (end = i; end < al.n && tt_alloc_place(&al, &al.a[end]) == tt_alloc_place(&al, &al.a[i]); end++) {
			bytes += p->frames ? al.a[end].framed_bytes : al.a[end].bytes;
			n += p->frames ? al.a[end].framed_n : al.a[end].n;
		}
		rc = put_site(p, &al, &al.a[i], bytes, n, err);
	}
	tt_allocs_free(&al);
	return rc;
}

/*
 * Move the largest parts to the sample, with names that live as long as it. For each part that mostly waits or belongs to the Editor, keep one more, by its
 * work, for comparisons of CPU-active time.
 */
static int
keep_parts(struct parts *p, struct tt_sample *s, struct tt_err *err)
{
	size_t n = p->n < TT_SAMPLE_PARTS ? p->n : TT_SAMPLE_PARTS, idle = 0;

	tt_sort(p->p, p->n, by_amount);
	for (size_t i = 0; i < n; i++)
		idle += p->p[i].work < p->p[i].v / 2;
	tt_sort(p->p + n, p->n - n, by_work);
	n += idle < p->n - n ? idle : p->n - n;
	tt_sort(p->p, n, by_amount);
	for (size_t i = 0; i < n; i++) {
		struct tt_part *to = &s->part[s->npart];

		*to = p->p[i];
		to->name = kept(to->name, p->a, err);
		if (!to->name)
			return err->code;
		s->npart++;
	}
	p->n = 0;
	return TT_OK;
}

static int
some_parts(struct parts *p, struct tt_views *view, const struct tt_paths *t, struct tt_sample *s, struct tt_err *err)
{
	int rc = p->frames ? framed_time(p, t, err) : all_time(p, t, err);

	TT_THEN(rc, keep_parts(p, s, err));
	TT_THEN(rc, alloc_parts(p, view, err));
	return rc == TT_OK ? keep_parts(p, s, err) : rc;
}

static int
parts(struct tt_views *view, const struct tt_paths *t, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	struct parts p = { .m = m, .frames = m->frames ? m->frames->n : 0, .a = a };
	int rc = TT_OK;

	s->part = tt_arena_alloc(a, 5 * TT_SAMPLE_PARTS * sizeof *s->part, err);
	if (!s->part)
		return err->code;
	if (p.frames)
		rc = some_parts(&p, view, t, s, err);
	p.frames = 0;
	TT_THEN(rc, some_parts(&p, view, t, s, err));
	tt_mem_free(&m->env->mem, p.p, p.cap * sizeof *p.p);
	return rc;
}

/* --- the worst frames ------------------------------------------------------------------- */

static struct tt_worst
frame_figures(const struct tt_frames *f, size_t i)
{
	return (struct tt_worst){ .number = tt_frames_number(f, i), .start_ns = tt_frames_start(f, i), .dur_ns = tt_frames_wall(f, i),
		.cpu_ns = f->has_wait ? tt_frames_cpu(f, i) : -1, .uncapped_ns = tt_frames_cap(f) ? tt_frames_uncapped(f, i) : -1,
		.alloc_b = tt_column_at(&f->alloc_b, i), .alloc_n = tt_column_at(&f->alloc_n, i) };
}

static int
worst_frame(const struct tt_model *m, const struct tt_paths *t, const struct tt_hitch *h, struct tt_worst *w,
    struct tt_arena *a, struct tt_err *err)
{
	const struct tt_frames *f = m->frames;
	const struct tt_thread *th = m->threads.t[tt_frames_thread(f, h->frame)];

	*w = frame_figures(f, h->frame);
	for (unsigned i = 0; i < h->ntop && i < 3; i++) {
		const char *name = tt_paths_label(t, tt_model_key(m, th->process, h->top[i].key));

		w->top[i].self_ns = h->top[i].self;
		w->top[i].name = kept(name, a, err);
		if (!w->top[i].name)
			return err->code;
		w->ntop++;
	}
	return TT_OK;
}

static int
some_frames(const struct tt_model *m, const struct tt_paths *t, const struct tt_hitches *list, struct tt_worst **w, size_t *n,
    struct tt_arena *a, struct tt_err *err)
{
	int rc = TT_OK;

	*w = tt_arena_alloc(a, TT_SAMPLE_WORST * sizeof **w, err);
	if (!*w)
		return err->code;
	for (size_t i = 0; list && i < list->n && i < TT_SAMPLE_WORST && rc == TT_OK; i++) {
		rc = worst_frame(m, t, &list->h[i], &(*w)[i], a, err);
		*n += rc == TT_OK;
	}
	return rc;
}

/*
 * Choose the frames with the most uncapped time. The run chose its own list before the cap was known, and also by the render thread's time: use it only for the
 * markers.
 */
static int
latest_frames(const struct tt_model *m, const struct tt_paths *t, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_frames *f = m->frames;
	struct tt_hitch h[TT_SAMPLE_WORST + 1];
	struct tt_hitches list = { .h = h };

	if (tt_frames_cap(f) == 0)
		return TT_OK;
	for (size_t i = 0; i < f->n; i++) {
		const int64_t by = tt_frames_uncapped(f, i);
		size_t k = list.n;

		for (; k > 0 && h[k - 1].rank_ns < by; k--)
			h[k] = h[k - 1];
		h[k] = (struct tt_hitch){ .frame = i, .rank_ns = by };
		list.n += list.n < TT_SAMPLE_WORST;
	}
	for (size_t k = 0; k < list.n; k++)
		for (size_t i = 0; i < f->latest.n; i++)
			if (f->latest.h[i].frame == h[k].frame)
				h[k] = f->latest.h[i];
	return some_frames(m, t, &list, &s->latest, &s->nlatest, a, err);
}

static int
worst_frames(const struct tt_model *m, const struct tt_paths *t, struct tt_sample *s, struct tt_arena *a,
    struct tt_err *err)
{
	const struct tt_frames *f = m->frames;
	int rc = some_frames(m, t, f ? &f->longest : NULL, &s->worst, &s->nworst, a, err);

	TT_THEN(rc, some_frames(m, t, f && f->has_wait ? &f->busiest : NULL, &s->busiest, &s->nbusiest, a, err));
	return rc == TT_OK ? latest_frames(m, t, s, a, err) : rc;
}

const struct tt_worst *
tt_sample_frame(const struct tt_sample *s, const struct tt_measure *x)
{
	if (tt_measure_is_cpu(x) && s->nbusiest)
		return s->busiest;
	if (tt_measure_is_uncapped(x) && s->nlatest)
		return s->latest;
	return s->nworst ? s->worst : NULL;
}

int64_t
tt_worst_time(const struct tt_worst *w, const struct tt_measure *x, const char **what)
{
	const bool cpu = tt_measure_is_cpu(x) && w->cpu_ns >= 0, uncapped = tt_measure_is_uncapped(x) && w->uncapped_ns >= 0;

	*what = cpu ? " of CPU-active time" : uncapped ? " of uncapped time" : "";
	return cpu ? w->cpu_ns : uncapped ? w->uncapped_ns : w->dur_ns;
}

/* The entry of ${list} for the same frame as ${w}; NULL: none. */
static const struct tt_worst *
same_frame(const struct tt_worst *list, size_t n, const struct tt_worst *w)
{
	for (size_t k = 0; k < n; k++)
		if (list[k].number == w->number && list[k].start_ns == w->start_ns)
			return &list[k];
	return NULL;
}

/* The entry for the frame ${w} in the list of ${s} that is ranked by the time ${x} measures, because it may have more details; ${w} itself if there is none. */
static struct tt_worst
known_frame(const struct tt_sample *s, struct tt_worst w, const struct tt_measure *x)
{
	const struct tt_worst *k = tt_measure_is_uncapped(x) ? same_frame(s->latest, s->nlatest, &w) : NULL;

	if (!k && !tt_measure_is_cpu(x))
		k = same_frame(s->worst, s->nworst, &w);
	if (!k)
		k = same_frame(s->busiest, s->nbusiest, &w);
	return k ? *k : w;
}

/* Move the frame added at ${n} up to its place: largest first, equal ones in order of time. */
static void
place(struct tt_worst *w, int64_t *by, size_t n)
{
	for (; n > 0 && by[n - 1] < by[n]; n--) {
		struct tt_worst frame = w[n];
		int64_t v = by[n];

		w[n] = w[n - 1];
		by[n] = by[n - 1];
		w[n - 1] = frame;
		by[n - 1] = v;
	}
}

void
tt_sample_worst(const struct tt_model *m, const struct tt_measure *x, struct tt_sample *s)
{
	struct tt_worst w[TT_SAMPLE_WORST + 1];
	int64_t by[TT_SAMPLE_WORST + 1], v;
	const struct tt_frames *f = m->frames;
	size_t n = 0;

	for (size_t i = 0; f && i < f->n; i++) {
		if (!tt_measure_frame(x, f, i, &v) || v == 0)
			continue;
		w[n] = frame_figures(f, i);
		by[n] = v;
		place(w, by, n);
		n += n < TT_SAMPLE_WORST;
	}
	if (n == 0)
		return;
	for (size_t i = 0; i < n; i++)
		w[i] = known_frame(s, w[i], x);
	s->nworst = n;
	memcpy(s->worst, w, n * sizeof *w);
}

/* --- all of it ------------------------------------------------------------------------------ */

/* "a.ttc+b.ttc" */
static const char *
name_of(const struct tt_model *m, struct tt_arena *a, struct tt_err *err)
{
	size_t n = 1;
	char *name, *p;

	for (size_t i = 0; i < m->ncap; i++)
		n += strlen(m->cap[i]->path) + 1;
	p = name = tt_arena_alloc(a, n, err);
	for (size_t i = 0; i < m->ncap && name; i++) {
		size_t len = strlen(m->cap[i]->path);

		if (i)
			*p++ = '+';
		memcpy(p, m->cap[i]->path, len);
		p += len;
	}
	return name;
}

static const char *const *
files_of(const struct tt_model *m, struct tt_arena *a, struct tt_err *err)
{
	const char **file = tt_arena_alloc(a, (m->ncap + 1) * sizeof *file, err);

	for (size_t i = 0; i < m->ncap && file; i++)
		if (!(file[i] = tt_arena_text(a, m->cap[i]->path, strlen(m->cap[i]->path), err)))
			return NULL;
	return file;
}

static const char *
first_damage(const struct tt_loss *loss)
{
	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (loss->e[k].n > 0 && tt_loss_info[k].damage)
			return tt_loss_info_of(loss, k).text;
	return NULL;
}

static bool
has_events(const struct tt_model *m)
{
	for (size_t i = 0; i < m->ncap; i++)
		if (m->cap[i]->nevent > 0 || m->cap[i]->min_ts <= m->cap[i]->max_ts)
			return true;
	return false;
}

/* Set what does not depend on figures; allocate ${n} values. */
static int
begin(const struct tt_model *m, const struct tt_loss *loss, size_t n, struct tt_sample *s, struct tt_arena *a,
    struct tt_err *err)
{
	const uint64_t identity = tt_model_identity(m);
	char id[20] = "";

	*s = (struct tt_sample){ .session = "", .files = m->ncap, .damaged = tt_loss_damaged(loss), .damage = first_damage(loss),
		.nvalue = n, .empty = !has_events(m) };
	if (identity)
		snprintf(id, sizeof id, "%016llx", (unsigned long long)identity);
	s->id = tt_arena_text(a, id, strlen(id), err);
	s->name = s->id ? name_of(m, a, err) : NULL;
	s->file = s->name ? files_of(m, a, err) : NULL;
	s->value = s->file ? tt_arena_alloc(a, (n + 1) * sizeof *s->value, err) : NULL;
	return s->value ? facts(m, s, a, err) : err->code;
}

int
tt_sample_without(const struct tt_model *m, const struct tt_loss *loss, bool frameless, const char *why, const struct tt_measure *x, size_t n,
    struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	int rc = begin(m, loss, n, s, a, err);

	if (rc == TT_OK && s->empty)
		tt_values_no_event(loss, x, n, s->value);
	else if (rc == TT_OK)
		tt_values_without(loss, frameless, why, x, n, s->value);
	return rc;
}

/* Keep the text on what the player saw, if frames have a limit. */
static int
say_shown(struct tt_views *view, struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	struct tt_report r;

	if (!view->m->frames || !tt_frames_have_limit(view->m->frames))
		return TT_OK;
	tt_report_init(&r, &view->m->env->mem);

	const char *text = tt_shown_text(view, &r);

	if (r.err.code != TT_OK)
		*err = r.err;
	else
		s->shown = tt_arena_text(a, text, strlen(text), err);
	tt_report_free(&r);
	return s->shown ? TT_OK : err->code;
}

int
tt_sample_from(struct tt_views *view, const struct tt_loss *loss, const struct tt_measure *x, size_t n,
    struct tt_sample *s, struct tt_arena *a, struct tt_err *err)
{
	const struct tt_model *m = view->m;
	const struct tt_paths *t;
	int rc = begin(m, loss, n, s, a, err);

	if (rc == TT_OK && s->empty)
		tt_values_no_event(loss, x, n, s->value);
	if (rc != TT_OK || s->empty)
		return rc;
	s->frames = m->frames ? m->frames->n : 0;
	s->editor = tt_frames_editor_percent(m->frames);
	s->editor = s->editor > 0 ? s->editor : 0;
	s->cap_ns = tt_frames_cap(m->frames);
	rc = say_shown(view, s, a, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_measure_all(view, loss, x, n, s->value, a, err);
	if (rc != TT_OK)
		return rc;
	t = tt_view_paths(view, TT_GROUP_NONE, TT_PATHS_ROWS, err);
	if (!t)
		return err->code;
	rc = parts(view, t, s, a, err);
	return rc == TT_OK ? worst_frames(m, t, s, a, err) : rc;
}
