/**
 * Chooses the frames that are examined closely for the causes of long ones (lib/why): all; or, in a long capture whose frames no limit holds, those
 * clearly longer than the median, and evenly spaced ones. At that time frames are known, but not what happens in them.
 */
#include "model/defs.h"
#include "model/model.h"
#include "model/waits.h"
#include "run/frame_replay.h"
#include "run/state.h"
#include "stat/num.h"

/*
 * With at most this many zones and allocations in this many frames, examining all frames costs a fraction of a second; capped frames are worth more, because
 * wall time does not tell which of them are long. LONGEST: this many long frames are enough to find causes.
 */
enum {
	ALL_FRAMES_MAX_EVENTS = 2 << 20, ALL_CAPPED_MAX_EVENTS = 32 << 20, ALL_FRAMES_MAX = 2 * TT_FRAMES_SAMPLED, ALL_CAPPED_FRAMES_MAX = 1 << 17,
	LONGEST = 256,
};

/* If zones were not counted, their number is bounded by the bytes of the input. */
enum { ZONE_BYTES = 24 };

static bool
are_few(const struct tt_model *m, uint64_t zones)
{
	return m->frames->n <= ALL_FRAMES_MAX || (m->max_zones <= zones && m->frames->n <= ALL_CAPPED_FRAMES_MAX);
}

/* True if a marker waits for the frame limit. */
static bool
knows_limit(const struct tt_defs *defs)
{
	const struct tt_def *d;

	for (size_t i = 0; (d = tt_defs_at(defs, TT_DEF_MARKER, i)) != NULL; i++)
		if (d->len && tt_glob_any(tt_limit_markers, d->text))
			return true;
	return false;
}

/*
 * True if the frames, with the durations ${v}, may be capped (tt_frames_cap()). Most then last about a whole number of periods, and wall time does not tell
 * which of them are long. Their waits are not known yet.
 */
static bool
may_be_capped(const struct tt_model *m, int64_t *v)
{
	const struct tt_frames *f = m->frames;
	const int64_t period = tt_quantile_of_i64(v, f->n, 1, 10);
	size_t regular = 0;

	for (size_t i = 0; i < f->n && period > 0; i++) {
		const int64_t dur = tt_frames_dur(f, i), whole = (dur + period / 2) / period * period, off = dur > whole ? dur - whole : whole - dur;
		regular += whole > 0 && off <= dur / 4;
	}
	return regular >= f->n - f->n / 4 && f->nrange && knows_limit(m->cap[f->range[0].process]->defs);
}

/* Choose the frames with the longest wall time, and evenly spaced samples. */
static int
choose(struct tt_frames *f, int64_t *v, struct tt_err *err)
{
	int64_t limit = tt_quantile_of_i64(v, f->n, 1, 2), looked = 0;
	int rc = tt_column_push(&f->nexamined_before, f->mem, 0, err);

	limit += limit / 4;
	if (f->n > LONGEST) {
		int64_t long_one = tt_select_i64(v, f->n, f->n - LONGEST);

		limit = long_one > limit ? long_one : limit;
	}
	f->is_part_examined = true;
	for (size_t i = 0, sample = 0; i < f->n && rc == TT_OK; i++) {
		const bool is_sample = i == tt_frames_sample(f, sample);

		sample += is_sample;
		looked += is_sample || tt_frames_dur(f, i) > limit;
		rc = tt_column_push(&f->nexamined_before, f->mem, looked, err);
	}
	return rc;
}

int
tt_frames_choose_examined(const struct tt_run *r, struct tt_model *m, struct tt_err *err)
{
	struct tt_frames *f = m->frames;
	struct tt_mem *mem = &m->env->mem;
	int64_t *v;
	int rc = TT_OK;

	m->max_zones = r->zones_seen ? r->zones_seen : r->bytes_seen / ZONE_BYTES;
	if (!r->some_frames || are_few(m, ALL_FRAMES_MAX_EVENTS))
		return TT_OK;
	if (!(v = tt_mem_alloc(mem, f->n * sizeof *v, err)))
		return err->code;
	for (size_t i = 0; i < f->n; i++)
		v[i] = tt_frames_dur(f, i);
	if (!are_few(m, ALL_CAPPED_MAX_EVENTS) || !may_be_capped(m, v))
		rc = choose(f, v, err);
	tt_mem_free(mem, v, f->n * sizeof *v);
	return rc;
}
