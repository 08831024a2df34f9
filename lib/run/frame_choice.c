/**
 * Which frames are looked at closely for the causes of long ones (lib/why): all, or of a long capture those that are longer than the
 * median, and evenly spaced ones. Frames are known by then, and what happens in them is not.
 */
#include "model/model.h"
#include "run/frame_replay.h"
#include "run/state.h"
#include "stat/num.h"

/* Of so many zones and allocations, in so many frames, what all do costs a fraction of a second. Longest frames: so many are enough to tell why. */
enum { FEW_EVENTS = 2 << 20, FEW_FRAMES = 2 * TT_FRAMES_SAMPLED, MANY_FRAMES = 1 << 17, LONGEST = 256 };

int
tt_frames_choose(const struct tt_run *r, struct tt_model *m, struct tt_err *err)
{
	struct tt_frames *f = m->frames;
	int64_t *v, limit;
	bool *is;

	if (!r->some_frames || f->n <= FEW_FRAMES || (r->zones_seen > 0 && r->zones_seen <= FEW_EVENTS && f->n <= MANY_FRAMES))
		return TT_OK;
	f->looked = tt_arena_alloc(&m->arena, (f->n + 1) * sizeof *f->looked, err);
	is = f->looked ? tt_arena_alloc(&m->arena, f->n, err) : NULL;
	v = is ? tt_mem_alloc(&m->env->mem, f->n * sizeof *v, err) : NULL;
	if (!v)
		return err->code;
	memcpy(v, f->dur, f->n * sizeof *v);
	limit = tt_quantile_of_i64(v, f->n, 1, 2);
	limit += limit / 4;
	if (f->n > LONGEST) {
		int64_t long_one = tt_select_i64(v, f->n, f->n - LONGEST);

		limit = long_one > limit ? long_one : limit;
	}
	tt_mem_free(&m->env->mem, v, f->n * sizeof *v);
	for (size_t i = 0; i < TT_FRAMES_SAMPLED; i++)
		is[tt_frames_sample(f, i)] = true;
	for (size_t i = 0; i < f->n; i++)
		f->looked[i + 1] = f->looked[i] + (is[i] || f->dur[i] > limit);
	return TT_OK;
}
