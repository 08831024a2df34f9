/**
 * firefox: a thread's markers: zones, points among them, frames.
 */
#include "emit/firefox.h"

#include <inttypes.h>
#include <stdio.h>

#include "emit/common.h"
#include "view/paths.h"

static const char *const point_names[POINTS] = { [POINT_SAMPLE] = TT_NATIVE, [POINT_ALLOC] = "GC.Alloc", [POINT_THROW] = "Exception thrown",
	[POINT_CONTENDED] = "Lock contended", [POINT_NOT_TAKEN] = "Lock not taken", [POINT_SHOT_BEGINS] = "Heap shot begins",
	[POINT_SHOT_ENDS] = "Heap shot ends", [POINT_UNRECORDED] = "Not recorded", [POINT_LOST] = "Events lost", [POINT_TEXT] = "Text counter" };

const char *const tt_firefox_columns[COLUMNS] = { "data", "name", "startTime", "endTime", "phase", "category" };

/* A marker as the columns show it. */
struct marker { int64_t ts, end; uint32_t name, category, payload; const char *data; bool is_instant; };

static int
put_data(struct firefox *d, const struct marker *k, struct tt_err *err)
{
	if (!k->payload) {
		tt_firefox_put_word(d, k->data ? k->data : "null");
		return TT_OK;
	}
	if (tt_firefox_next_value(d))
		return tt_text_spool_get(&d->payload, k->payload, d->j.out, err);
	return TT_OK;
}

static int
put_cell(struct firefox *d, const struct marker *k, struct tt_err *err)
{
	int rc = TT_OK;

	switch (d->column) {
	case COLUMN_DATA:
		d->nmarker++;
		rc = put_data(d, k, err);
		break;
	case COLUMN_NAME: tt_firefox_put_number(d, k->name); break;
	case COLUMN_START: tt_firefox_put_time(d, k->ts); break;
	case COLUMN_END:
		if (k->is_instant)
			tt_firefox_put_word(d, "null");
		else
			tt_firefox_put_time(d, k->end);
		break;
	case COLUMN_PHASE: tt_firefox_put_word(d, k->is_instant ? "0" : "1"); break;
	default: tt_firefox_put_number(d, k->category);
	}
	return rc == TT_OK ? tt_firefox_spill(d, err) : rc;
}

/* Write the frames that begin at ${ts} or earlier. */
static int
put_frames(struct firefox *d, int64_t ts, struct tt_err *err)
{
	const struct tt_frames *f = d->e.m->frames;
	const struct tt_filter *filter = &d->e.m->filter;
	int rc = TT_OK;

	for (; d->frame < d->frame_end && tt_frames_start(f, d->frame) <= ts && rc == TT_OK; d->frame++) {
		char data[64];
		struct marker k = { .ts = tt_frames_start(f, d->frame), .end = tt_frames_end(f, d->frame), .category = CATEGORY_FRAME, .data = data };

		if (k.ts < filter->from || k.ts >= filter->to || k.end < k.ts)
			continue;
		snprintf(data, sizeof data, "{\"type\":\"Frame\",\"number\":%" PRIu64 "}", tt_frames_number(f, d->frame));
		rc = tt_firefox_number_string(d, "Frame", &k.name, err);
		if (rc == TT_OK && d->column == COLUMN_DATA && tt_firefox_next_value(d)) {
			d->nmarker++;
			tt_buf_text(d->j.out, data);
		} else if (rc == TT_OK) {
			rc = put_cell(d, &k, err);
		}
	}
	return rc;
}

static int
put_slice(void *arg, const struct tt_slice *s, struct tt_err *err)
{
	struct firefox *d = arg;
	const enum point point = s->depth == POINT_DEPTH ? (enum point)(-1 - s->dur) : POINTS;
	const struct named *named;
	struct marker k = { .ts = s->ts, .end = tt_firefox_end_of(s), .payload = s->flags, .is_instant = point != POINTS };
	int rc = d->frame < d->frame_end ? put_frames(d, s->ts, err) : TT_OK;

	if (rc != TT_OK)
		return rc;
	if (point == POINTS || point == POINT_INSTANT) {
		if ((rc = tt_firefox_find_key(d, s->key, &named, err)) != TT_OK || !named->is_shown)
			return rc;
		k.name = named->name;
		k.category = named->category;
		k.data = named->is_gc ? "{\"type\":\"GC\"}" : NULL;
	} else {
		rc = tt_firefox_number_string(d, point_names[point], &k.name, err);
		k.category = point == POINT_ALLOC ? CATEGORY_ALLOC : CATEGORY_EVENT;
	}
	return rc == TT_OK ? put_cell(d, &k, err) : rc;
}

/* Select the frames that the thread begins. */
static void
choose_frames(struct firefox *d)
{
	const uint32_t range = d->frames_of[d->thread->index];

	d->frame = range ? d->e.m->frames->range[range - 1].first : 0;
	d->frame_end = range ? d->e.m->frames->range[range - 1].end : 0;
}

int
tt_firefox_put_markers(struct firefox *d, struct tt_err *err)
{
	const size_t i = d->thread->index;
	int rc = TT_OK;

	tt_json_open(&d->j, "markers", "{");
	d->nmarker = 0;
	for (unsigned k = 0; k < COLUMNS && rc == TT_OK; k++) {
		d->column = (enum column)k;
		choose_frames(d);
		tt_json_open(&d->j, tt_firefox_columns[k], "[");
		if (i < d->slices.nthread && d->slices.thread[i].thread)
			rc = tt_slices_each(&d->slices, i, put_slice, d, err);
		TT_THEN(rc, put_frames(d, INT64_MAX, err));
		tt_json_close(&d->j, "]");
	}
	tt_json_u64(&d->j, "length", d->nmarker);
	tt_json_close(&d->j, "}");
	return rc;
}
