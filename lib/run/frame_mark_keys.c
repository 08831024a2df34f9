/**
 * Finds the markers that begin frames: compares --frame-marker with the names that the captures define and with how often
 * each begins.
 *
 * A name means one marker: the most exact match, else the only marker with the text in its name. A pattern may match
 * several. A runtime wrapper, "(wrapper KIND) NAME", calls the method it wraps: it begins a frame only if NAME itself is not
 * recorded.
 */
#include "run/candidates.h"
#include "run/frame_replay.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/setting.h"
#include "base/utf8.h"
#include "model/names.h"
#include "run/run.h"
#include "run/state.h"

enum { LISTED = 3 };                  /* markers that a message names */

static int
by_name(const void *a, const void *b)
{
	const struct tt_mark_key *x = a, *y = b;
	int c = strcmp(x->full + tt_name_wrapper(x->full), y->full + tt_name_wrapper(y->full));

	if (c)
		return c;
	if (x->process != y->process)
		return TT_CMP(x->process, y->process);
	return TT_CMP(x->key, y->key);
}

struct tt_mark_key *
tt_mark_keys_at(const struct tt_marks *ms, uint32_t process, uint64_t key)
{
	uint32_t at = tt_map_find(&ms->key_index, tt_seeded_pair(process, key), i, ms->key[i].key == key && ms->key[i].process == process);

	return at ? &ms->key[at - 1] : NULL;
}

static int
fill_map(struct tt_marks *ms, struct tt_mem *mem, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < ms->nkey && rc == TT_OK; i++)
		rc = tt_map_add(&ms->key_index, mem, tt_seeded_pair(ms->key[i].process, ms->key[i].key), i, err);
	return rc;
}

/* Add the markers of capture ${p} that either option asks for. */
static int
add_keys(struct tt_run *r, uint32_t p, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;
	const char *frame[2] = { r->o->frame_marker, NULL }, *from[2] = { r->o->from_marker, NULL };
	const struct tt_def *d;

	for (size_t i = 0; (d = tt_defs_at(r->in[p].cap->defs, TT_DEF_MARKER, i)) != NULL; i++) {
		struct tt_mark_key k = { .process = p, .key = d->key, .full = d->text };

		k.rank = (uint8_t)(frame[0] ? tt_name_rank(frame[0], d->text) : 0);
		k.is_frame = k.rank || (frame[0] && tt_name_match(frame, d->text));
		k.is_from = from[0] && tt_name_match(from, d->text);
		if (!k.is_frame && !k.is_from)
			continue;
		k.is_wrapper = tt_name_wrapper(d->text) > 0;
		int rc = tt_mem_grow(&r->env->mem, &ms->key, &ms->capkey, ms->nkey + 1, sizeof *ms->key, err);
		if (rc != TT_OK)
			return rc;
		ms->key[ms->nkey++] = k;
	}
	return TT_OK;
}

int
tt_mark_keys_find(struct tt_run *r, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;
	unsigned best = 0;
	bool any = false;
	int rc = TT_OK;

	ms->keyed = true;
	for (size_t i = 0; i < r->nin && rc == TT_OK; i++)
		rc = add_keys(r, (uint32_t)i, err);
	if (rc != TT_OK)
		return rc;
	tt_sort(ms->key, ms->nkey, by_name);
	for (size_t i = 0; i < ms->nkey; i++) {
		struct tt_mark_key *k = &ms->key[i], *up = i ? k - 1 : k;

		k->name_number = up->name_number + (strcmp(up->full + tt_name_wrapper(up->full), k->full + tt_name_wrapper(k->full)) != 0);
		best = k->rank > best ? k->rank : best;
		any = any || k->is_frame;
	}
	for (size_t i = 0; i < ms->nkey; i++)
		ms->key[i].is_frame = ms->key[i].is_frame && ms->key[i].rank == best;
	if (!r->o->frame_marker)
		return fill_map(ms, &r->env->mem, err);
	/* If no marker matches, likely ones are searched for. */
	ms->unmatched = !any;
	ms->wants_one = best > 0 || tt_pattern_is_plain(r->o->frame_marker);
	return fill_map(ms, &r->env->mem, err);
}

/* --- after all begins ---------------------------------------------------------------------- */

/* Among the keys of one name, [${from}, ${to}), keep the marker's own, else those of the wrapper that begins first. */
static void
choose_of_name(struct tt_mark_key *from, struct tt_mark_key *to)
{
	const struct tt_mark_key *own = NULL;

	for (struct tt_mark_key *k = from; k < to; k++) {
		k->is_frame = k->is_frame && k->begins;
		if (k->is_frame && (!own || (own->is_wrapper && (!k->is_wrapper || k->first_ts < own->first_ts))))
			own = k;
	}
	for (struct tt_mark_key *k = from; k < to; k++)
		k->is_frame = k->is_frame && (k->is_wrapper ? own->is_wrapper && strcmp(own->full, k->full) == 0 : true);
}

static int
by_begins(const void *a, const void *b)
{
	const struct tt_frame_name *x = a, *y = b;

	return x->begins != y->begins ? TT_CMP(y->begins, x->begins) : strcmp(x->full, y->full);
}

/* List the markers that begin frames, most begins first. */
static int
list_names(struct tt_run *r, struct tt_frame_name **list, size_t *n, struct tt_err *err)
{
	const struct tt_marks *ms = r->marks;
	uint32_t last = UINT32_MAX;

	*n = 0;
	if (!(*list = tt_arena_alloc(&r->m->arena, (ms->nkey + 1) * sizeof **list, err)))
		return err->code;
	for (size_t i = 0; i < ms->nkey; i++) {
		const struct tt_mark_key *k = &ms->key[i];

		if (!k->is_frame)
			continue;
		if (k->name_number != last)
			(*list)[(*n)++] = (struct tt_frame_name){ .full = k->full, .key = k->key, .process = k->process };
		(*list)[*n - 1].begins += k->begins;
		last = k->name_number;
	}
	tt_sort(*list, *n, by_begins);
	return TT_OK;
}

static int
several(const char *asked, const struct tt_frame_name *list, size_t n, struct tt_err *err)
{
	char text[LISTED * 128] = "", name[88], more[40] = "";
	size_t at = 0;

	for (size_t i = 0; i < n && i < LISTED; i++) {
		tt_utf8_line(name, sizeof name, list[i].full);
		at += (size_t)snprintf(text + at, sizeof text - at, "%s\"%s\" begins %llu times", i ? ", " : "", name,
		    (unsigned long long)list[i].begins);
	}
	if (n > LISTED)
		snprintf(more, sizeof more, " and %zu more", n - LISTED);
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s \"%.60s\" matches %zu markers: write one in full: %s%s",
	    tt_setting_name[TT_SETTING_FRAME_MARKER], asked, n, text, more);
}

/* Forget the marks of keys that begin no frame. */
static int
drop_marks(struct tt_marks *ms, struct tt_mem *mem, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < ms->n && rc == TT_OK; i++) {
		struct tt_frame_marks *m = &ms->m[i], was = *m;

		*m = (struct tt_frame_marks){ .process = was.process, .thread = was.thread };
		for (size_t k = 0; k < was.n && rc == TT_OK; k++) {
			const int64_t by = tt_column_at(&was.by, k);

			if (ms->key[by / 2].is_frame)
				rc = tt_frame_marks_add(m, mem, tt_column_at(&was.ts, k), (uint32_t)by, 0, err);
			else if (by & TT_MARK_GAP && m->n)
				rc = tt_column_set(&m->by, mem, m->n - 1, tt_column_at(&m->by, m->n - 1) | TT_MARK_GAP, err);
		}
		tt_frame_marks_free(&was, mem);
	}
	return rc;
}

int
tt_mark_keys_choose(struct tt_run *r, struct tt_err *err)
{
	struct tt_marks *ms = r->marks;
	struct tt_frame_name *list;
	size_t n, from = 0;

	if (!ms || !r->o->frame_marker)
		return TT_OK;
	if (ms->unmatched)
		return tt_candidates_fail(r, err);
	for (size_t i = 1; i <= ms->nkey; i++) {
		if (i < ms->nkey && ms->key[i].name_number == ms->key[from].name_number)
			continue;
		choose_of_name(&ms->key[from], &ms->key[i]);
		from = i;
	}
	int rc = list_names(r, &list, &n, err);
	if (rc != TT_OK)
		return rc;
	if (ms->wants_one && n > 1)
		return several(r->o->frame_marker, list, n, err);
	ms->begin_name = list;
	ms->nbegin_name = n;
	return drop_marks(ms, &r->env->mem, err);
}
