/* Tests of diff/diff_report.h: rows of what changed come by how much it changed, either way. */
#include "check.h"

#include "diff/diff.h"
#include "diff/diff_report.h"
#include "game.h"

enum { SITES = 12, FRAMES = 20 };

static struct tt_env env;
static struct tt_err err;

/* A capture of this side: on B each site allocates more[i] bytes more in each frame; two differ by as much, one more and one less. */
static void
add(struct tt_diff *d, unsigned side)
{
	static const int64_t more[SITES] = { 16, -32, 800, 24, -1600, 48, 400, -48, 0, 3200, -8, 64 };
	struct game g;

	game_begin(&g);
	for (unsigned i = 0; i < SITES; i++) {
		static char name[SITES][40];

		snprintf(name[i], sizeof name[i], "Game.Site%02u:Make ()", i);
		game_method(&g, 1 + i, name[i]);
	}
	game_class(&g, 1, "Game.Thing");
	for (unsigned f = 0; f <= FRAMES; f++) {
		game_enter(&g, GAME_FRAME);
		for (unsigned i = 0; f < FRAMES && i < SITES; i++) {
			game_enter(&g, 1 + i);
			game_alloc(&g, 1, GAME_OBJECT(f * SITES + i), (uint64_t)(4000 + (side == TT_DIFF_B ? more[i] : 0)));
			game_spend(&g, 1000);
			game_leave(&g, 1 + i);
		}
		game_leave(&g, GAME_FRAME);
		game_spend(&g, 100);
	}
	g.opts.whole_frames = true;
	game_run(&g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
	CHECK_EQ_INT(tt_diff_add(d, side, g.r.m, &err), TT_OK);
	CHECK_EQ_INT(game_end(&g), 0);
}

TEST(sites_come_by_how_much_they_differ)
{
	static const char *const names[] = { "alloc_sites", NULL };
	static const int64_t want[] = { 3200, -1600, 800, 400, 64, 48, -48, -32, 24, 16, -8, 0 };
	const struct tt_diff_report_opts o = { .table = names };
	struct tt_diff d;
	struct tt_report r;
	size_t col = 0;

	CHECK_EQ_INT(tt_diff_init(&d, &env, TT_NAMES_SHORT, NULL, &err), TT_OK);
	add(&d, TT_DIFF_A);
	add(&d, TT_DIFF_B);
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	tt_report_init(&r, &env.mem);
	tt_diff_report(&d, &o, &r);
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_OK);
	const struct tt_table *t = r.first;
	CHECK(t && strcmp(t->id, "alloc_sites") == 0);
	while (col < t->ncol && strcmp(t->col[col].id, "diff_bytes") != 0)
		col++;
	/* One that does not differ may be left out. */
	CHECK(t->nrow == SITES || t->nrow == SITES - 1);
	for (size_t i = 0; i < t->nrow; i++)
		CHECK_EQ_INT(t->cell[i * t->ncol + col].v, want[i]);
	tt_report_free(&r);
	tt_diff_free(&d);
	CHECK_EQ_INT(env.mem.used, 0);
}
