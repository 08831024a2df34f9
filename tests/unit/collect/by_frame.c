/* Tests of collect/by_frame.h: the work of the collector in each frame, and sums of paths that add up to what was recorded. */
#include "check.h"

#include "collect/by_frame.h"
#include "game.h"
#include "model/frames.h"
#include "model/model.h"

enum { DRAW = 1, FRAMES = 12, NEEDS = TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMES | TT_NEEDS_CALLS };
enum { START = 0, END = 5 };

static struct game g;
static struct tt_err err;

/* Frame ${i} has ${i} % 3 collections of 100 + i ns, and ends with a heap of 1000 * i bytes where it has any. */
static void
record(void)
{
	game_begin(&g);
	game_method(&g, DRAW, "Game.World:Draw ()");
	for (unsigned i = 0; i < FRAMES; i++) {
		game_enter(&g, GAME_FRAME);
		game_call(&g, DRAW, 1000 + i);
		for (unsigned k = 0; k < i % 3; k++) {
			mlpd_gc_event(game_buffer(&g), game_now(&g), START, 0);
			game_spend(&g, 100 + i);
			mlpd_gc_event(game_buffer(&g), game_now(&g), END, 0);
			game_spend(&g, 10);
			mlpd_gc_resize(game_buffer(&g), game_now(&g), 1000 * i + (k + 1 < i % 3 ? 7 : 0));
		}
		game_spend(&g, 500);
		game_leave(&g, GAME_FRAME);
		game_spend(&g, 50);
	}
	/* A frame lasts until the next one begins. */
	game_call(&g, GAME_FRAME, 10);
}

TEST(each_frame_has_its_own_collections_and_heap)
{
	record();
	game_run(&g, NEEDS);
	const struct tt_by_frame *f = tt_by_frame(g.r.m);
	CHECK_EQ_INT(f->n, FRAMES);
	CHECK_EQ_INT(g.r.m->frames->n, FRAMES);
	for (unsigned i = 0; i < f->n; i++) {
		CHECK_EQ_INT(f->gc[i].n, i % 3);
		CHECK_EQ_INT(f->gc[i].ns, i % 3 * (100 + i));
		CHECK_EQ_INT(f->gc[i].has_heap, i % 3 != 0);
		if (f->gc[i].has_heap)
			CHECK_EQ_INT(f->gc[i].heap, 1000 * i);
	}
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(sums_of_paths_come_by_frame_and_add_up)
{
	struct tt_sorted *of = NULL;
	const void *rec = NULL;
	int64_t total[FRAMES] = { 0 };
	uint64_t n[FRAMES] = { 0 };
	uint32_t last = 0;

	record();
	game_run(&g, NEEDS);
	CHECK_EQ_INT(tt_by_frame_open(g.r.m, TT_BY_FRAME_PATHS, &of, &err), TT_OK);
	CHECK(of != NULL);
	while (of && tt_by_frame_next(of, &rec, &err) == TT_OK && rec) {
		const struct tt_frame_path *p = rec;

		CHECK(p->frame >= last && p->frame < FRAMES);
		last = p->frame;
		if (p->frame < FRAMES && p->longest == 1000 + (int64_t)p->frame) {
			n[p->frame] += p->n;
			total[p->frame] += p->total;
		}
	}
	tt_by_frame_close(of);
	for (unsigned i = 0; i < FRAMES; i++) {
		CHECK_EQ_INT(n[i], 1);
		CHECK_EQ_INT(total[i], 1000 + i);
	}
	/* From the middle on. */
	CHECK_EQ_INT(tt_by_frame_open(g.r.m, TT_BY_FRAME_PATHS, &of, &err), TT_OK);
	CHECK_EQ_INT(tt_by_frame_skip(of, FRAMES / 2, &err), TT_OK);
	CHECK_EQ_INT(tt_by_frame_next(of, &rec, &err), TT_OK);
	CHECK(rec && ((const struct tt_frame_path *)rec)->frame == FRAMES / 2);
	tt_by_frame_close(of);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(a_capture_without_frames_has_none_of_this)
{
	struct tt_sorted *of = NULL;
	const void *rec = NULL;

	game_begin(&g);
	game_method(&g, DRAW, "Game.World:Draw ()");
	game_call(&g, DRAW, 1000);
	game_collect(&g, 0, 100, 4096);
	game_call(&g, DRAW, 1000);
	game_run(&g, TT_NEEDS_BY_FRAME | TT_NEEDS_CALLS);
	const struct tt_by_frame *f = tt_by_frame(g.r.m);
	CHECK(!f || f->n == 0);
	CHECK_EQ_INT(tt_by_frame_open(g.r.m, TT_BY_FRAME_PATHS, &of, &err), TT_OK);
	if (of)
		CHECK(tt_by_frame_next(of, &rec, &err) == TT_OK && rec == NULL);
	tt_by_frame_close(of);
	CHECK_EQ_INT(game_end(&g), 0);
}
