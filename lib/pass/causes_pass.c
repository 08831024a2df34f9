/**
 * The pass "causes": why frames are long, in words (lib/why). Definitions: tracetool-metrics(7), Causes.
 */
#include "base/setting.h"
#include "pass/passes.h"
#include "why/causes.h"

enum { C_FRAMES, C_COUNT, C_WORST, C_CLASS, C_MARKER, C_EXTRA, C_SENTENCE, C_N };

static const struct tt_col causes_col[C_N] = {
	[C_FRAMES] = { "frames", "frames", TT_UNIT_PROSE, "Frames with this cause, in words." },
	[C_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of these frames; empty where it is about all frames." },
	[C_WORST] = { "worst", "worst", TT_UNIT_COUNT, "Number of the frame with the most time beyond the typical frame." },
	[C_CLASS] = { "class", "class", TT_UNIT_TEXT,
	    "collection, compiled, shaders, lock, exceptions, wait, loading, editor, allocation, calls, slow_call, processors, outside, growth, leak, "
	    "steady or unknown." },
	[C_MARKER] = { "marker", "marker", TT_UNIT_TEXT, "Method or marker to look at; empty if it is not known." },
	[C_EXTRA] = { "extra_ns", "extra", TT_UNIT_NS,
	    "Time of these frames beyond the typical frame; of a growth, of all frames beyond those at the beginning." },
	[C_SENTENCE] = { "sentence", "cause", TT_UNIT_PROSE, "The cause in these frames, in words." },
};

enum { F_FRAME, F_DUR, F_EXTRA, F_CLASS, F_WORST, F_SENTENCE, F_N };

static const struct tt_col frames_col[F_N] = {
	[F_FRAME] = { "frame", "frame", TT_UNIT_COUNT, "Number of the frame." },
	[F_DUR] = { "dur_ns", "duration", TT_UNIT_NS, "Wall time of the frame." },
	[F_EXTRA] = { "extra_ns", "extra", TT_UNIT_NS, "Time of the frame beyond the typical frame." },
	[F_CLASS] = { "class", "class", TT_UNIT_TEXT, "Class of its cause, as in the table causes." },
	[F_WORST] = { "worst", "worst", TT_UNIT_COUNT,
	    "Number of the worst frame with the same cause, by which the table causes has it; empty: a growth explains the frame." },
	[F_SENTENCE] = { "sentence", "cause", TT_UNIT_PROSE, "Its cause in words." },
};

static void
find(struct tt_making *k)
{
	if (k->o->causes)
		*(struct tt_causes *)k->state = *k->o->causes;
	else
		tt_causes_find(k->state, k->view, &k->r->arena, &k->r->err);
}

static void
say_unseen(struct tt_making *k, size_t rows, struct tt_table *t)
{
	const struct tt_causes *c = k->state;

	if (rows)
		t->note = tt_causes_note(c, k->r);
	else if (c->nunexamined || c->routine || c->late || c->nfinding)
		t->empty_reason = tt_causes_none(k->m->frames, c);
}

static void
causes(struct tt_making *k, struct tt_table *t)
{
	const struct tt_causes *c = k->state;

	say_unseen(k, c->nfinding, t);
	t->complete = c->typical && c->nunexamined == 0;
	for (size_t i = 0; i < c->nfinding; i++) {
		const struct tt_finding *f = &c->finding[i];
		struct tt_cell *cell = tt_row(t);

		tt_cell_name(&cell[C_FRAMES], f->frames);
		if (f->n)
			tt_cell_u64(&cell[C_COUNT], f->n);
		if (f->worst)
			tt_cell_u64(&cell[C_WORST], f->worst);
		tt_cell_text(&cell[C_CLASS], tt_cause_name(f->class));
		tt_cell_name(&cell[C_MARKER], f->marker);
		if (f->extra)
			tt_cell_int(&cell[C_EXTRA], f->extra);
		tt_cell_name(&cell[C_SENTENCE], f->sentence);
	}
}

static void
frames(struct tt_making *k, struct tt_table *t)
{
	const struct tt_causes *c = k->state;

	say_unseen(k, c->ncause, t);
	for (size_t i = 0; i < c->ncause; i++) {
		const struct tt_cause *of = &c->cause[i];
		struct tt_cell *cell = tt_row(t);

		tt_cell_u64(&cell[F_FRAME], tt_frames_number(k->m->frames, of->frame));
		tt_cell_int(&cell[F_DUR], tt_frames_wall(k->m->frames, of->frame));
		tt_cell_int(&cell[F_EXTRA], of->extra);
		tt_cell_text(&cell[F_CLASS], tt_cause_name(of->class));
		if (of->worst)
			tt_cell_u64(&cell[F_WORST], of->worst);
		tt_cell_name(&cell[F_SENTENCE], tt_cause_sentence(of, k->view, &k->r->arena, &k->r->err));
	}
}

static const char *
why(struct tt_making *k)
{
	const char *none = tt_pass_why_no_frames(k->m, k->r), *hides = tt_setting_name[tt_causes_hiding_setting(k->m)];

	if (!none && *hides)
		return tt_text(k->r, "causes are looked for in all that the program did: leave out %s", hides);
	return none ? none : tt_causes_none(k->m->frames, NULL);
}

static bool
has_frames(const struct tt_making *k)
{
	return k->m->frames && k->m->frames->n;
}

static const struct tt_pass_table tables[] = {
	{ "causes", "Why frames are long", causes_col, C_N, false, TT_ON_TIME, .make_rows = causes, .has_rows = has_frames, .find_why_empty = why },
	{ "frame_causes", "Why each frame is long", frames_col, F_N, false, TT_ON_TIME, .make_rows = frames, .sort = "extra_ns", .has_rows = has_frames,
	    .find_why_empty = why },
};

const struct tt_pass tt_pass_causes = {
	.name = "causes",
	.summary = "why frames are long, in words",
	.needs = TT_NEEDS_FRAMES | TT_NEEDS_CALLS | TT_NEEDS_CAUSES | TT_NEEDS_SHOTS,
	.state_bytes = sizeof(struct tt_causes),
	.open = find,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
