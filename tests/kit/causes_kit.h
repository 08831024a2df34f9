/**
 * Causes of recorded games: a recording of game.h, the causes that are found in it, and what holds of any of them.
 */
#ifndef TESTS_CAUSES_KIT_H
#define TESTS_CAUSES_KIT_H

#include "base/arena_text.h"
#include "check.h"
#include "game.h"
#include "view/view.h"
#include "why/causes.h"

enum { CAUSES_NEEDS = TT_NEEDS_CALLS | TT_NEEDS_FRAMES | TT_NEEDS_CAUSES | TT_NEEDS_SHOTS | TT_NEEDS_LOCKS | TT_NEEDS_ARGS };

struct causes {
	struct game g;
	struct tt_views view;
	struct tt_arena text;
	struct tt_causes c;
	struct tt_err err;
};

/* By how much a frame is longer than the median: its time, or its CPU-active time, where there are waits. */
static inline int64_t
causes_beyond(struct causes *k, size_t frame)
{
	const struct tt_frames *f = k->g.r.m->frames;
	const struct tt_values *v = tt_view_frames(&k->view, TT_FRAME_CPU, &k->err);
	const int64_t wall = tt_frames_dur(f, frame) - k->c.typical, cpu = v->n ? tt_frames_cpu(f, frame) - tt_values_quantile(v, 1, 2) : wall;

	return wall > cpu ? wall : cpu;
}

/* What every search promises: figures that are parts of others are no larger, and each hitch is in one finding, or in none that a growth explains. */
static inline void
causes_check(struct causes *k)
{
	const struct tt_frames *f = k->g.r.m->frames;

	for (size_t i = 0; i < k->c.ncause; i++) {
		const struct tt_cause *c = &k->c.cause[i];
		unsigned in = 0;

		CHECK(c->frame < f->n && (i == 0 || c[-1].frame < c->frame));
		CHECK_EQ_INT(c->extra, causes_beyond(k, c->frame));
		CHECK(c->extra > 0);
		CHECK(c->named_ns <= c->ns || c->class == TT_CAUSE_UNKNOWN);
		for (size_t j = 0; j < k->c.nfinding; j++)
			in += k->c.finding[j].n > 0 && k->c.finding[j].worst == c->worst;
		CHECK(c->worst == 0 || in == 1);
	}
	for (size_t j = 0; j < k->c.nfinding; j++) {
		const struct tt_finding *q = &k->c.finding[j];
		uint64_t n = 0;
		int64_t extra = 0, most = 0;
		uint64_t worst = 0;

		CHECK(q->sentence && *q->sentence);
		if (q->n == 0)
			continue;
		for (size_t i = 0; i < k->c.ncause; i++) {
			const struct tt_cause *c = &k->c.cause[i];

			if (c->worst != q->worst)
				continue;
			CHECK_EQ_INT(c->class, q->class);
			n++;
			extra += c->extra;
			if (c->extra > most)
				worst = tt_frames_number(f, c->frame);
			most = c->extra > most ? c->extra : most;
		}
		CHECK_EQ_INT(q->n, n);
		CHECK_EQ_INT(q->extra, extra);
		CHECK_EQ_INT(q->worst, worst);
	}
}

/* The end of the recording, and the search; what holds of any is checked. */
static inline void
causes_find(struct causes *k)
{
	k->err = (struct tt_err){ .at = TT_NOWHERE };
	game_run(&k->g, CAUSES_NEEDS);
	tt_view_init(&k->view, k->g.r.m);
	tt_arena_init(&k->text, &k->g.r.env.mem);
	CHECK_EQ_INT(tt_causes_find(&k->c, &k->view, &k->text, &k->err), TT_OK);
	causes_check(k);
}

static inline void
causes_end(struct causes *k)
{
	tt_arena_free(&k->text);
	tt_view_free(&k->view);
	CHECK_EQ_INT(game_end(&k->g), 0);
}

/* The first finding of a class; NULL. */
static inline const struct tt_finding *
causes_finding(const struct causes *k, enum tt_cause_class class)
{
	for (size_t i = 0; i < k->c.nfinding; i++)
		if (k->c.finding[i].class == class)
			return &k->c.finding[i];
	return NULL;
}

/* The cause of frame ${number}, from 1; NULL. */
static inline const struct tt_cause *
causes_of(const struct causes *k, uint64_t number)
{
	for (size_t i = 0; i < k->c.ncause; i++)
		if (tt_frames_number(k->g.r.m->frames, k->c.cause[i].frame) == number)
			return &k->c.cause[i];
	return NULL;
}

/* How the marker ${row} is shown. */
static inline const char *
causes_label(struct causes *k, uint32_t row)
{
	const struct tt_paths *p = tt_view_paths(&k->view, TT_GROUP_NONE, TT_PATHS_ROWS, &k->err);

	return row == TT_NO_ROW ? "(none)" : p->row[row].label;
}

/* For whoever writes a test: what was found. */
static inline void
causes_print(struct causes *k)
{
	printf("typical %lld\n", (long long)k->c.typical);
	for (size_t i = 0; i < k->c.ncause; i++) {
		const struct tt_cause *c = &k->c.cause[i];

		printf("  frame %zu %s row %s extra %lld ns %lld named %lld n %llu usual %llu took %lld usual_ns %lld more %lld longest %lld "
		    "worst %llu\n", c->frame + 1, tt_cause_name(c->class), causes_label(k, c->row), (long long)c->extra, (long long)c->ns,
		    (long long)c->named_ns, (unsigned long long)c->n, (unsigned long long)c->usual_n, (long long)c->took_ns, (long long)c->usual_ns,
		    (long long)c->beyond_ns, (long long)c->longest, (unsigned long long)c->worst);
	}
	for (size_t i = 0; i < k->c.nfinding; i++) {
		const struct tt_finding *q = &k->c.finding[i];

		printf("  %s %s n %llu extra %lld worst %llu noise %d scattered %d (%s): %s\n", tt_cause_name(q->class),
		    q->marker ? q->marker : "-", (unsigned long long)q->n, (long long)q->extra, (unsigned long long)q->worst, q->is_noise,
		    q->is_scattered, q->frames ? q->frames : "-", q->sentence);
	}
}

#endif
