/**
 * Keeps one input's facts, and the threads of all inputs.
 */
#include "model/capture.h"

#include <stdio.h>
#include <time.h>

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/hash_seed.h"
#include "model/defs.h"
#include "model/filter.h"

/* The place of the fact of ${key}, or the empty place where it belongs. At each fact, two bits of the key's hash choose one of four branches. */
static struct tt_meta **
meta_at(struct tt_meta **at, const char *key)
{
	uint64_t hash = tt_seeded_text(0, key, strlen(key));

	for (; *at && strcmp((*at)->key, key) != 0; hash <<= 2)
		at = &(*at)->child[hash >> 62];
	return at;
}

static int
set_meta(struct tt_capture *c, const char *key, const char *value, bool said, struct tt_err *err)
{
	struct tt_meta **at = meta_at(&c->meta, key), *m = *at;

	if (m && m->is_user_given && !said)
		return TT_OK;
	char *v = tt_arena_text(&c->arena, value, strlen(value), err);
	if (!v)
		return err->code;
	if (!m) {
		m = tt_arena_alloc(&c->arena, sizeof *m, err);
		char *k = m ? tt_arena_text(&c->arena, key, strlen(key), err) : NULL;
		if (!k)
			return err->code;
		m->key = k;
		if (c->meta_last)
			c->meta_last->next = m;
		c->meta_last = *at = m;
	}
	m->value = v;
	m->is_user_given = said;
	return TT_OK;
}

int
tt_capture_meta(struct tt_capture *c, const char *key, const char *value, struct tt_err *err)
{
	return set_meta(c, key, value, false, err);
}

int
tt_capture_meta_from_user(struct tt_capture *c, const char *key, const char *value, struct tt_err *err)
{
	return set_meta(c, key, value, true, err);
}

const char *
tt_capture_meta_get(const struct tt_capture *c, const char *key)
{
	struct tt_meta *first = c->meta;
	const struct tt_meta *m = *meta_at(&first, key);

	return m ? m->value : NULL;
}

static const struct { const char *name, *note; } layout[TT_LAYOUTS] = {
	[TT_LAYOUT_FITS] = { "fits", NULL },
	[TT_LAYOUT_UNPROVEN] = { "unproven", NULL },
	[TT_LAYOUT_PARTLY] = { "partly", NULL },
	[TT_LAYOUT_MISFIT] = { "misfit", "no known layout fits this capture, so figures may be wrong: please report it, with a copy without names" },
	[TT_LAYOUT_FORCED] = { "forced", "no known layout fits this version, and it was read only because that was forced: figures may be wrong" },
};

int
tt_capture_layout(struct tt_capture *c, enum tt_layout how, struct tt_err *err)
{
	return tt_capture_meta(c, TT_META_LAYOUT, layout[how].name, err);
}

const char *
tt_layout_name(enum tt_layout how)
{
	return layout[how].name;
}

const char *
tt_layout_note(const char *value)
{
	for (size_t i = 0; value && i < sizeof layout / sizeof *layout; i++)
		if (strcmp(value, layout[i].name) == 0)
			return layout[i].note;
	return NULL;
}

void
tt_capture_date(const struct tt_capture *c, char text[TT_DATE_TEXT])
{
	const int64_t ns = c->wall_ns ? c->wall_ns : c->file_ns;
	const time_t s = (time_t)(ns / 1000000000);
	struct tm tm;

	text[0] = '\0';
	if (ns && gmtime_r(&s, &tm))
		snprintf(text, TT_DATE_TEXT, "%04d-%02d-%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday);
}

bool
tt_capture_recording(const struct tt_capture *c, char text[TT_RECORDING_TEXT])
{
	bool known = false;

	for (size_t i = 0; i < sizeof c->recording; i++) {
		snprintf(text + 2 * i, 3, "%02x", c->recording[i]);
		known = known || c->recording[i];
	}
	if (!known)
		text[0] = '\0';
	return known;
}

void
tt_capture_files(const struct tt_capture *c, char text[TT_FILES_TEXT])
{
	const unsigned first = c->part, last = c->part_last;

	if (last == 0)
		snprintf(text, TT_FILES_TEXT, "the first file");
	else if (first == 0)
		snprintf(text, TT_FILES_TEXT, "the first %u files", last + 1);
	else if (first == last)
		snprintf(text, TT_FILES_TEXT, "file %u", first);
	else
		snprintf(text, TT_FILES_TEXT, "files %u to %u", first, last);
}

bool
tt_capture_missing_files(const struct tt_capture *c, char text[TT_STRETCH_TEXT])
{
	const bool before = c->part > 0;
	char files[TT_FILES_TEXT];

	text[0] = '\0';
	if (!before && !c->more_follow)
		return false;
	tt_capture_files(c, files);
	snprintf(text, TT_STRETCH_TEXT, "%s of a rotation: what came %s%s%s is not here", files, before ? "before" : "",
	    before && c->more_follow ? " and " : "", c->more_follow ? "after" : "");
	return true;
}

const char *
tt_capture_list(struct tt_capture *const *cap, size_t n, const bool *chosen, struct tt_arena *a, struct tt_err *err)
{
	const char *name[2] = { NULL, NULL };
	size_t nchosen = 0;

	for (size_t i = 0; i < n; i++)
		if (chosen[i] && nchosen++ < 2)
			name[nchosen - 1] = cap[i]->path;
	if (nchosen < 3)
		return nchosen < 2 ? name[0] : tt_arena_printf(a, err, "%s and %s", name[0], name[1]);
	return tt_arena_printf(a, err, "%s and %zu more", name[0], nchosen - 1);
}

void
tt_threads_init(struct tt_threads *ts, struct tt_mem *mem)
{
	memset(ts, 0, sizeof *ts);
	ts->mem = mem;
}

void
tt_threads_free(struct tt_threads *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		struct tt_thread *t = ts->t[i];
		tt_stack_free(&t->stack, ts->mem);
		tt_mem_free(ts->mem, t->short_zones, t->capshort_zones * sizeof *t->short_zones);
		tt_mem_free(ts->mem, t, sizeof *t);
	}
	tt_mem_free(ts->mem, ts->t, ts->cap * sizeof *ts->t);
	tt_mem_free(ts->mem, ts->id, ts->capid * sizeof *ts->id);
	tt_map_free(&ts->id_index, ts->mem);
}

static int
new_thread(struct tt_threads *ts, uint32_t process, uint64_t tid, uint32_t generation, struct tt_thread **t,
    struct tt_err *err)
{
	int rc = tt_mem_grow(ts->mem, &ts->t, &ts->cap, ts->n + 1, sizeof *ts->t, err);

	if (rc != TT_OK)
		return rc;
	struct tt_thread *n = tt_mem_alloc(ts->mem, sizeof *n, err);
	if (!n)
		return err->code;
	n->tid = tid;
	n->process = process;
	n->generation = generation;
	n->index = (uint32_t)ts->n;
	n->first_ts = INT64_MAX;
	n->last_ts = n->stack.seen_ts = INT64_MIN;
	n->name = "";
	ts->t[ts->n++] = n;
	*t = n;
	return TT_OK;
}

int
tt_threads_get(struct tt_threads *ts, uint32_t process, uint64_t tid, bool fresh, struct tt_thread **t,
    struct tt_err *err)
{
	uint64_t hash = tt_seeded_pair(process, tid);
	uint32_t at = tt_map_find(&ts->id_index, hash, i, ts->t[ts->id[i].first - 1]->tid == tid && ts->t[ts->id[i].first - 1]->process == process);
	int rc;

	if (!at) {
		if ((rc = tt_mem_grow(ts->mem, &ts->id, &ts->capid, ts->nid + 1, sizeof *ts->id, err)) != TT_OK ||
		    (rc = new_thread(ts, process, tid, 0, t, err)) != TT_OK || (rc = tt_map_add(&ts->id_index, ts->mem, hash, ts->nid, err)) != TT_OK)
			return rc;
		ts->id[ts->nid++] = (struct tt_thread_id){ (*t)->index + 1, (*t)->index + 1 };
		return TT_OK;
	}
	struct tt_thread_id *id = &ts->id[at - 1];
	struct tt_thread *now = id->present ? ts->t[id->present - 1] : NULL;
	if (now && !(fresh && now->ended)) {
		*t = now;
		return TT_OK;
	}
	uint32_t known = now ? now->next : id->first;
	if (known) {
		*t = ts->t[known - 1];
	} else {
		if ((rc = new_thread(ts, process, tid, now->generation + 1, t, err)) != TT_OK)
			return rc;
		now->next = (*t)->index + 1;
	}
	id->present = (*t)->index + 1;
	return TT_OK;
}

int
tt_threads_start(struct tt_threads *ts, uint32_t process, uint64_t tid, uint32_t log, bool goes_on, struct tt_thread **t, struct tt_err *err)
{
	struct tt_thread *now;
	int rc = tt_threads_get(ts, process, tid, false, &now, err);

	if (rc != TT_OK)
		return rc;
	if (now->log != log && !goes_on && (now->started || now->first_ts <= now->last_ts))
		now->ended = true;
	if ((rc = tt_threads_get(ts, process, tid, true, t, err)) != TT_OK)
		return rc;
	if (!goes_on || !(*t)->started)
		(*t)->log = log;
	(*t)->started = true;
	(*t)->ended = false;
	return TT_OK;
}

void
tt_threads_reset(struct tt_threads *ts)
{
	for (size_t i = 0; i < ts->nid; i++)
		ts->id[i].present = 0;
	for (size_t i = 0; i < ts->n; i++) {
		struct tt_thread *t = ts->t[i];
		t->started = t->ended = false;
		t->first_ts = INT64_MAX;
		t->last_ts = INT64_MIN;
		t->nevent = t->ncall = t->nalloc = t->alloc_b = t->open_at_end = 0;
		t->hidden_ns = 0;
		t->stack.n = 0;
		t->stack.begun = 0;
		t->stack.seen_ts = INT64_MIN;
	}
}

/* The last name that the thread of the key ${key} was given from ${from} to ${until}, or NULL. */
static const struct tt_def *
name_within(const struct tt_capture *cap, uint64_t key, int64_t from, int64_t until)
{
	const struct tt_def *d = tt_defs_find(cap->defs, TT_DEF_THREAD, key, until);

	return d && d->len > 0 && d->ts >= from && d->ts <= until ? d : NULL;
}

/* The last time at which a thread whose last event is at ${last} may be named: before the first empty name after that, with which the next thread begins. */
static int64_t
over_by(const struct tt_capture *cap, uint64_t key, int64_t last)
{
	int64_t until = INT64_MAX, at = INT64_MAX;
	const struct tt_def *d;

	/* A search before the first definition finds the first one again, which ends the loop. */
	while ((d = tt_defs_find(cap->defs, TT_DEF_THREAD, key, at)) && d->ts > last && d->ts <= at) {
		at = d->ts - 1;
		if (d->len == 0)
			until = at;
	}
	return until;
}

/*
 * The last name that was given to ${t} while it lived, or NULL. Ids are reused: a name from before ${from} belongs to the thread before it,
 * a name from after its end to a later one, of which the capture may have no event. A name given just at its end counts only if the
 * thread has no other.
 */
static const struct tt_def *
name_of(const struct tt_capture *cap, const struct tt_thread *t, int64_t from)
{
	const uint64_t key = tt_thread_key(t->tid, t->log);
	bool met = t->last_ts >= t->first_ts, over = met && (t->next || t->ended);
	int64_t last = t->last_ts - (met ? cap->offset_ns : 0), until = over ? last : met ? over_by(cap, key, last) : INT64_MAX;
	const struct tt_def *d = over ? name_within(cap, key, from, until - 1) : NULL;

	return d ? d : name_within(cap, key, from, until);
}

static const char *
numbered(const struct tt_thread *t, struct tt_arena *a, struct tt_err *err)
{
	char buf[40] = "Thread ";

	return tt_arena_text(a, buf, (size_t)(tt_put_u64(buf + 7, t->index + UINT64_C(1)) - buf), err);
}

/* "Job.Worker 0"; a name may begin with its group already. */
static const char *
with_group(const struct tt_thread *t, struct tt_arena *a, struct tt_err *err)
{
	const size_t ngroup = strlen(t->group), n = strlen(t->own_name);
	char *s;

	if (ngroup == 0 || (strncmp(t->own_name, t->group, ngroup) == 0 && t->own_name[ngroup] == '.'))
		return t->own_name;
	if (!(s = tt_arena_alloc(a, ngroup + n + 2, err)))
		return NULL;
	memcpy(s, t->group, ngroup);
	s[ngroup] = '.';
	memcpy(s + ngroup + 1, t->own_name, n + 1);
	return s;
}

/* The first thread in the process of ${t} that has the same own name; ${t} itself is added if there is none. NULL: no memory. */
static struct tt_thread *
namesake(const struct tt_threads *ts, struct tt_map *first, const struct tt_thread *t, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(tt_seeded_pair(t->process, 0), t->own_name, strlen(t->own_name));
	const uint32_t at = tt_map_find(first, hash, i, ts->t[i]->process == t->process && strcmp(ts->t[i]->own_name, t->own_name) == 0);

	if (!at && tt_map_add(first, ts->mem, hash, t->index, err) != TT_OK)
		return NULL;
	return ts->t[at ? at - 1 : t->index];
}

/* Engines number the threads of each group anew: where two groups of a process have a "Worker 0", that name would not say which one it is. */
static int
tell_groups_apart(const struct tt_threads *ts, struct tt_err *err)
{
	struct tt_map first = { 0 };
	struct tt_thread *same = NULL;
	int rc = TT_OK;

	for (unsigned pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < ts->n && rc == TT_OK; i++) {
			struct tt_thread *t = ts->t[i];
			if (!t->own_name)
				continue;
			if (!(same = namesake(ts, &first, t, err)))
				rc = err->code;
			else if (pass == 0)
				same->in_groups = same->in_groups || strcmp(same->group, t->group) != 0;
			else
				t->name = same->in_groups ? t->full_name : t->own_name;
		}
	tt_map_free(&first, ts->mem);
	return rc;
}

int
tt_threads_name(struct tt_threads *ts, struct tt_capture *const *caps, size_t n, struct tt_arena *a,
    struct tt_err *err)
{
	for (size_t i = 0; i < ts->n; i++) {
		int64_t from = INT64_MIN;
		/* From the first thread of each id along those that came after it. */
		if (ts->t[i]->generation > 0 || ts->t[i]->process >= n)
			continue;
		for (struct tt_thread *t = ts->t[i]; t; t = t->next ? ts->t[t->next - 1] : NULL) {
			const struct tt_capture *cap = caps[t->process];
			const struct tt_def *d = name_of(cap, t, from);
			t->has_definition = d != NULL;
			t->own_name = d ? d->text : numbered(t, a, err);
			t->group = d && d->text2 ? d->text2 : "";
			t->full_name = t->own_name ? with_group(t, a, err) : NULL;
			if (!t->full_name)
				return err->code;
			t->in_groups = false;
			if (t->last_ts >= t->first_ts)
				from = t->last_ts - cap->offset_ns;
			if (d && d->ts >= from)
				from = d->ts < INT64_MAX ? d->ts + 1 : d->ts;
			/* Another log has names of its own. */
			if (t->next && ts->t[t->next - 1]->log != t->log)
				from = INT64_MIN;
		}
	}
	return tell_groups_apart(ts, err);
}

/* ${pattern} as the number of a thread of ${ts}; 0: it is not such a number. */
static uint64_t
number_of(const struct tt_threads *ts, const char *pattern)
{
	uint64_t n = 0;

	if (*pattern == '0')
		return 0;
	for (; *pattern >= '0' && *pattern <= '9' && n <= ts->n; pattern++)
		n = n * 10 + (uint64_t)(*pattern - '0');
	return *pattern || n > ts->n ? 0 : n;
}

bool
tt_thread_named(const struct tt_threads *ts, const struct tt_thread *t, const char *const *patterns)
{
	char text[24];

	*tt_put_u64(text, t->index + UINT64_C(1)) = '\0';
	for (; *patterns; patterns++) {
		const uint64_t number = number_of(ts, *patterns);

		if (number ? number == t->index + UINT64_C(1) : tt_glob(*patterns, t->own_name) || tt_glob(*patterns, t->full_name) ||
		    (!tt_pattern_is_plain(*patterns) && tt_glob(*patterns, text)))
			return true;
	}
	return false;
}
