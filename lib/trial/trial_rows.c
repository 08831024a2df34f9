/**
 * Makes the rows of an A/B run without a budget. There are few, because each further row makes all of them less sensitive. Captures of both builds together
 * determine them, never their difference, which would bias the verdict.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "stat/num.h"
#include "trial/state.h"

#define MARKER_SHARE 20               /* a marker needs at least 1/MARKER_SHARE of a frame to matter */
#define HITCH 2                       /* a long frame takes at least this many times the median */

struct rows {
	const struct tt_sample *const *s;
	const struct tt_budget *b;
	struct tt_buf *out;
	bool some;
};

/* The value of the measure ${key}, which may end with a selector, in the capture of a build; -1: not known. */
static int64_t
side(const struct rows *r, enum tt_side build, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < r->b->nmeasure; i++)
		if (strncmp(r->b->measure[i].key, key, n) == 0 && (r->b->measure[i].key[n] == '\0' || r->b->measure[i].key[n] == '['))
			return r->s[build]->value[i].known ? r->s[build]->value[i].v : -1;
	return -1;
}

/* The mean of the measure over both captures; -1: one of them lacks it. */
static int64_t
both(const struct rows *r, const char *key)
{
	int64_t old = side(r, TT_OLD, key), new = side(r, TT_NEW, key);

	return old >= 0 && new >= 0 ? old / 2 + new / 2 : -1;
}

static void
row(struct rows *r, const char *id, const char *metric, const char *stat, const char *max)
{
	tt_buf_printf(r->out, "%s\n\t\t{ \"id\": \"%s\", \"metric\": \"%s\", \"stat\": \"%s\", \"max\": \"%s\" }", r->some ? "," : "", id, metric, stat, max);
	r->some = true;
}

/* The value of the measure in the capture that has less; -1: one of them lacks it. */
static int64_t
least(const struct rows *r, const char *key)
{
	int64_t old = side(r, TT_OLD, key), new = side(r, TT_NEW, key);

	return old < new ? old : new;
}

/* Write the limit of ${ns}: to a hundredth of a millisecond or, of short frames, as it is. */
static void
put_limit(struct tt_buf *out, double ns)
{
	if (ns >= 1e6)
		tt_buf_printf(out, "\"limit\": \"%.2fms\", ", ns / 1e6);
	else
		tt_buf_printf(out, "\"limit\": \"%.0fns\", ", fmax(ns, 1));
}

/*
 * Make the row about frames shown for too long: if both builds have a frame limit, frames that are late for it, else frames longer than twice the median. The
 * margin is a quarter of their rate, or if larger the smallest increase that ${pairs} pairs distinguish from chance. Frames that only one build has are not
 * chance, so the capture with fewer counts. The minimum is half a frame of a capture, so that counts which are always or nearly always equal can be shown to
 * be.
 */
static void
hitch_row(struct rows *r, int64_t median, size_t pairs, bool known)
{
	const bool some = r->s[TT_OLD]->cap_ns || r->s[TT_NEW]->cap_ns, capped = r->s[TT_OLD]->cap_ns && r->s[TT_NEW]->cap_ns;
	const char *metric = capped ? "frame.late" : some ? "frame.uncapped.over" : "frame.over";
	double rate = known ? fmax(0, (double)least(r, capped ? "frame.late.per_1000" : metric) / TT_AMOUNT_ONE) : 0;
	double frame = 2000 / (double)(r->s[TT_OLD]->frames + r->s[TT_NEW]->frames);
	double margin = fmax(fmax(rate / 4, tt_pairs_chance(rate / frame, pairs) * frame), frame / 2);

	tt_buf_printf(r->out, "%s\n\t\t{ \"id\": \"long-frames\", \"metric\": \"%s\", ", r->some ? "," : "", metric);
	if (!capped)
		put_limit(r->out, HITCH * (double)median / TT_AMOUNT_ONE);
	tt_buf_printf(r->out, "\"max\": \"+%.3f\" }", fmax(margin, 0.001));
	r->some = true;
}

/* --- markers ------------------------------------------------------------------------------------ */

static const struct tt_part *
part_named(const struct tt_sample *s, const char *name)
{
	for (size_t i = 0; i < s->npart; i++)
		if (s->part[i].about == TT_ABOUT_TIME && s->part[i].framed && strcmp(s->part[i].name, name) == 0)
			return &s->part[i];
	return NULL;
}

/*
 * The next marker after ${before}, by the work in both captures; NULL: no further marker matters or is in both. A marker in only one capture has a new name and
 * cannot be compared.
 */
static const struct tt_part *
next_part(const struct rows *r, const struct tt_part *before, int64_t least)
{
	const struct tt_sample *s = r->s[TT_OLD];
	int64_t most = INT64_MAX, best = -1;
	const struct tt_part *found = NULL;

	if (before)
		most = before->work / 2 + part_named(r->s[TT_NEW], before->name)->work / 2;
	for (size_t i = 0; i < s->npart; i++) {
		const struct tt_part *p = &s->part[i], *other;
		int64_t v;

		if (p->about != TT_ABOUT_TIME || !p->framed || p->name[0] == '(' || !(other = part_named(r->s[TT_NEW], p->name)))
			continue;
		v = p->work / 2 + other->work / 2;
		if (v < least || v > most || (v == most && before && strcmp(p->name, before->name) <= 0) || v < best ||
		    (v == best && strcmp(p->name, found->name) > 0))
			continue;
		best = v;
		found = p;
	}
	return found;
}

/* Append a pattern that matches exactly ${name}. */
static void
put_exactly(struct tt_buf *out, const char *name)
{
	struct tt_buf p = { 0 };

	tt_buf_text(&p, "re:^");
	for (; *name; name++) {
		if (strchr(".[]{}()*+?^$|\\", *name))
			tt_buf_text(&p, "\\");
		tt_buf_add(&p, name, 1);
	}
	tt_buf_text(&p, "$");
	if (p.failed)
		tt_buf_fail(out);
	else
		tt_json_quote(out, p.p, p.n);
	tt_buf_free(&p);
}

static void
marker_rows(struct rows *r, int64_t frame)
{
	const struct tt_part *p = NULL;

	for (size_t n = 0; n < TT_TRIAL_MARKERS && (p = next_part(r, p, frame / MARKER_SHARE)); n++) {
		tt_buf_text(r->out, ",\n\t\t{ \"id\": ");
		tt_json_quote(r->out, p->name, strlen(p->name));
		tt_buf_text(r->out, ", \"metric\": \"marker.self\", \"marker\": ");
		put_exactly(r->out, p->name);
		tt_buf_text(r->out, ", \"stat\": \"per_frame.mean\", \"max\": \"+10%\" }");
	}
}

/*
 * Make the row about the number of frames: at least half of the old build's, or two thirds of the mean of both. The limit is an amount, so that only the new
 * build's captures are judged, and no other row becomes less sensitive.
 */
static void
count_row(struct rows *r)
{
	uint64_t least = (r->s[TT_OLD]->frames + r->s[TT_NEW]->frames) / 3;

	tt_buf_printf(r->out, "%s\n\t\t{ \"id\": \"frame-count\", \"metric\": \"frame.count\", \"min\": %llu }", r->some ? "," : "", (unsigned long long)least);
	r->some = true;
}

/* --- all ------------------------------------------------------------------------------------------ */

static void
frame_rows(struct rows *r, size_t pairs, bool hitches)
{
	bool capped = r->s[TT_OLD]->cap_ns || r->s[TT_NEW]->cap_ns;
	const char *metric = capped ? "frame.uncapped" : "frame.time";
	int64_t median = both(r, capped ? "frame.uncapped.median" : "frame.time.median");
	int64_t mean = both(r, capped ? "frame.uncapped.mean" : "frame.time.mean");

	/* Not the median: if frames have two lengths, it is one of them, and it tells less about skewed ones. */
	row(r, capped ? "uncapped-trimmed" : "frame-trimmed", metric, "trimmed", "+1.5%");
	row(r, capped ? "uncapped-p95" : "frame-p95", metric, "p95", "+1.5%");
	/* Frames that last longer than their limit: only this row notices a fall from 60 to 30 fps without more work. */
	if (capped)
		row(r, "frame-trimmed", "frame.time", "trimmed", "+10%");
	hitch_row(r, median, pairs, hitches);
	if (both(r, "gc.alloc.bytes.per_frame.mean") >= 0)
		row(r, "alloc-bytes", "gc.alloc.bytes", "per_frame.mean", both(r, "gc.alloc.bytes.per_frame.mean") ? "+5%" : "+16B");
	marker_rows(r, mean);
	count_row(r);
}

int
tt_trial_rows(const struct tt_sample *s[TT_SIDES], const struct tt_budget *budget, size_t pairs, bool hitches, struct tt_buf *out,
    struct tt_err *err)
{
	struct rows r = { .s = s, .b = budget, .out = out };

	tt_buf_text(out, "{\n\t\"tracetool_budget\": 1,\n\t\"rows\": [");
	if (s[TT_OLD]->frames && s[TT_NEW]->frames && both(&r, "frame.time.median") > 0) {
		frame_rows(&r, pairs, hitches);
	} else {
		row(&r, "length", "capture.time", "total", "+5%");
		if (both(&r, "gc.alloc.bytes.total") > 0)
			row(&r, "alloc-bytes", "gc.alloc.bytes", "total", "+5%");
	}
	tt_buf_text(out, "\n\t]\n}\n");
	return tt_buf_error(out, err);
}
