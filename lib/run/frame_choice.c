/**
 * Which frames are looked at closely for the causes of long ones (lib/why): all, or of a long capture whose frames no limit holds those that
 * are longer than the median, and evenly spaced ones. Frames are known by then, and what happens in them is not.
 */
#include "model/defs.h"
#include "model/model.h"
#include "model/waits.h"
#include "run/frame_replay.h"
#include "run/state.h"
#include "stat/num.h"

/*
 * Of so many zones and allocations, in so many frames, what all do costs a fraction of a second; more is worth it where wall time does not
 * tell which frames are long. Longest frames: so many are enough to tell why.
 */
enum { FEW_EVENTS = 2 << 20, CAPPED_EVENTS = 32 << 20, FEW_FRAMES = 2 * TT_FRAMES_SAMPLED, MANY_FRAMES = 1 << 17, LONGEST = 256 };

/* Where zones were not counted, there are no more than the input has room for. */
enum { ZONE_BYTES = 24 };

static bool
are_few(const struct tt_run *r, const struct tt_frames *f, uint64_t zones)
{
	uint64_t seen = r->zones_seen ? r->zones_seen : r->bytes_seen / ZONE_BYTES;

	return f->n <= FEW_FRAMES || (seen <= zones && f->n <= MANY_FRAMES);
}

/* Is there a marker that waits for the frame limit? */
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
 * May the frames, whose durations ${v} are, be capped (tt_frames_cap())? Then most last about a whole number of periods, and wall time does
 * not tell which of them are long. What they waited for is not known yet.
 */
static bool
may_be_capped(const struct tt_model *m, int64_t *v)
{
	const struct tt_frames *f = m->frames;
	const int64_t period = tt_quantile_of_i64(v, f->n, 1, 10);
	size_t regular = 0;

	for (size_t i = 0; i < f->n && period > 0; i++) {
		int64_t whole = (f->dur[i] + period / 2) / period * period, off = f->dur[i] > whole ? f->dur[i] - whole : whole - f->dur[i];
		regular += whole > 0 && off <= f->dur[i] / 4;
	}
	return regular >= f->n - f->n / 4 && f->nof && knows_limit(m->cap[f->of[0].process]->defs);
}

/* The frames with the longest wall time, and samples. */
static void
choose(struct tt_frames *f, int64_t *v, bool *is)
{
	int64_t limit = tt_quantile_of_i64(v, f->n, 1, 2);

	limit += limit / 4;
	if (f->n > LONGEST) {
		int64_t long_one = tt_select_i64(v, f->n, f->n - LONGEST);

		limit = long_one > limit ? long_one : limit;
	}
	for (size_t i = 0; i < TT_FRAMES_SAMPLED; i++)
		is[tt_frames_sample(f, i)] = true;
	for (size_t i = 0; i < f->n; i++)
		f->looked[i + 1] = f->looked[i] + (is[i] || f->dur[i] > limit);
}

int
tt_frames_choose(const struct tt_run *r, struct tt_model *m, struct tt_err *err)
{
	struct tt_frames *f = m->frames;
	struct tt_mem *mem = &m->env->mem;
	int64_t *v;
	bool *is;

	if (!r->some_frames || are_few(r, f, FEW_EVENTS))
		return TT_OK;
	if (!(v = tt_mem_alloc(mem, f->n * sizeof *v, err)))
		return err->code;
	memcpy(v, f->dur, f->n * sizeof *v);
	if (!are_few(r, f, CAPPED_EVENTS) || !may_be_capped(m, v)) {
		f->looked = tt_arena_alloc(&m->arena, (f->n + 1) * sizeof *f->looked, err);
		is = f->looked ? tt_arena_alloc(&m->arena, f->n, err) : NULL;
		if (is)
			choose(f, v, is);
	}
	tt_mem_free(mem, v, f->n * sizeof *v);
	return err->code;
}
