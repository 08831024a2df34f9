/*
 * Tests of diff/diff.h, profile.h and verdict.h over recorded games: parts add up to the wholes of both sides, what changed is where it was changed,
 * the order of captures changes nothing, and the profile has the difference.
 */
#include "check.h"

#include "diff/diff.h"
#include "diff/profile.h"
#include "diff/verdict.h"
#include "emit_kit.h"
#include "game.h"

enum { DRAW = 1, THINK, NEW, GONE, BETWEEN, FRAMES = 40 };

static struct tt_env env;
static struct tt_err err;

/* What a capture is recorded with. */
struct plan {
	uint64_t draw, think;         /* ns of a call */
	unsigned draws;               /* in a frame */
	unsigned extra;               /* a method that only this side has */
	uint64_t bytes;               /* allocated in each call of Think */
	const char *session;
};

static void
record(struct game *g, const struct plan *p)
{
	static const char *meta[2];
	static char session[64];

	game_begin(g);
	game_method(g, DRAW, "Game.World:Draw (int)");
	game_method(g, THINK, "Game.Foe:Think ()");
	game_method(g, NEW, "Game.World:Fresh ()");
	game_method(g, GONE, "Game.World:Old ()");
	game_class(g, 1, "Game.Thought");
	game_call(g, DRAW, 7777);     /* before the first frame */
	for (unsigned i = 0; i < FRAMES; i++) {
		game_enter(g, GAME_FRAME);
		for (unsigned k = 0; k < p->draws; k++)
			game_call(g, DRAW, p->draw + i);
		game_enter(g, THINK);
		game_alloc(g, 1, GAME_OBJECT(i), p->bytes);
		if (p->extra)
			game_call(g, p->extra, 300 * GAME_US);
		game_spend(g, p->think);
		game_leave(g, THINK);
		game_leave(g, GAME_FRAME);
		game_spend(g, 101 + i % 3);
	}
	game_enter(g, GAME_FRAME);
	game_leave(g, GAME_FRAME);
	game_thread(g, 1, "Worker 3");
	for (unsigned i = 0; i < 10; i++)
		game_call(g, THINK, 50 * GAME_US + i);
	snprintf(session, sizeof session, "session=%s", p->session ? p->session : "");
	meta[0] = session;
	g->opts.meta = p->session ? meta : NULL;
	g->opts.whole_frames = true;
	game_run(g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
}

static void
add(struct tt_diff *d, unsigned side, const struct plan *p)
{
	struct game g;

	record(&g, p);
	CHECK_EQ_INT(tt_diff_add(d, side, g.r.m, &err), TT_OK);
	CHECK_EQ_INT(game_end(&g), 0);
}

static void
begin(struct tt_diff *d)
{
	err = (struct tt_err){ .at = TT_NOWHERE };
	CHECK_EQ_INT(tt_diff_init(d, &env, TT_NAMES_SHORT, NULL, &err), TT_OK);
}

static void
end(struct tt_diff *d)
{
	tt_diff_free(d);
	CHECK_EQ_INT(env.mem.used, 0);
}

/* The node of a marker, by label, with calls, on the frame thread or beside it; the root if there is none. */
static const struct tt_diff_node *
node_of(const struct tt_diff *d, const char *label, bool framed)
{
	for (size_t i = 1; i < d->nnode; i++)
		if (d->node[i].kind == TT_DIFF_ZONE && d->node[i].is_in_frames == framed && d->node[i].side[TT_DIFF_A].n + d->node[i].side[TT_DIFF_B].n > 0 &&
		    strcmp(d->marker[d->node[i].name].label, label) == 0)
			return &d->node[i];
	return &d->node[0];
}

/* What all comparisons promise. */
static void
check_sums(const struct tt_diff *d)
{
	for (unsigned s = 0; s < TT_DIFF_SIDES; s++) {
		int64_t parts = 0, bytes = 0;

		for (size_t i = 1; i < d->nnode; i++) {
			CHECK(d->node[i].parent < i);
			parts += tt_diff_is_part(d, &d->node[i]) ? d->node[i].side[s].part : 0;
		}
		for (size_t i = 0; i < d->nsite; i++)
			bytes += d->site[i].side[s].part;
		CHECK_EQ_INT(parts, d->side[s].mean_ns);
		CHECK_EQ_INT(bytes, d->side[s].alloc_b);
		CHECK_EQ_INT(d->side[s].mean_ns, tt_diff_per_unit(d->side[s].total_ns, d->side[s].nunits));
	}
}

static const struct plan before = { .draw = 1 * GAME_MS, .think = 2 * GAME_MS, .draws = 2, .extra = GONE, .bytes = 100 };
static const struct plan after = { .draw = 1 * GAME_MS + 500 * GAME_US, .think = 2 * GAME_MS, .draws = 2, .extra = NEW, .bytes = 164 };

TEST(what_changed_is_where_it_was_changed)
{
	struct tt_diff d;

	begin(&d);
	add(&d, TT_DIFF_A, &before);
	add(&d, TT_DIFF_B, &after);
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	check_sums(&d);
	CHECK(d.has_frames);
	CHECK_EQ_INT(d.side[TT_DIFF_A].nunits, FRAMES);
	/* Two calls of 1 ms and i ns each, half as long again afterwards. */
	const struct tt_diff_node *v = node_of(&d, "World:Draw", true);
	CHECK_EQ_INT(v->side[TT_DIFF_A].n, 2 * FRAMES);
	CHECK_EQ_INT(v->side[TT_DIFF_A].self, FRAMES * 2 * GAME_MS + 2 * (FRAMES - 1) * FRAMES / 2);
	CHECK_EQ_INT(v->side[TT_DIFF_B].self - v->side[TT_DIFF_A].self, FRAMES * GAME_MS);
	CHECK(llabs(v->side[TT_DIFF_B].part - v->side[TT_DIFF_A].part - GAME_MS) <= 1);
	/* As many calls: the difference is their cost. */
	CHECK_EQ_INT(v->b_calls_at_a_ns, v->side[TT_DIFF_A].part);
	v = node_of(&d, "Foe:Think", true);
	CHECK_EQ_INT(v->side[TT_DIFF_A].self, v->side[TT_DIFF_B].self);
	CHECK(llabs(v->side[TT_DIFF_A].part - v->side[TT_DIFF_B].part) <= 1);
	/* Only one side has these, and they count fully as calls. */
	v = node_of(&d, "World:Fresh", true);
	CHECK_EQ_INT(v->side[TT_DIFF_A].n, 0);
	CHECK_EQ_INT(v->side[TT_DIFF_A].part, 0);
	CHECK_EQ_INT(v->side[TT_DIFF_B].n, FRAMES);
	CHECK_EQ_INT(v->side[TT_DIFF_B].self, FRAMES * 300 * GAME_US);
	CHECK_EQ_INT(v->b_calls_at_a_ns, v->side[TT_DIFF_B].part);
	v = node_of(&d, "World:Old", true);
	CHECK_EQ_INT(v->side[TT_DIFF_B].n, 0);
	CHECK_EQ_INT(v->side[TT_DIFF_A].self, FRAMES * 300 * GAME_US);
	CHECK_EQ_INT(v->b_calls_at_a_ns, v->side[TT_DIFF_B].part);
	CHECK_EQ_INT(d.nsite, 1);
	CHECK_EQ_INT(d.site[0].side[TT_DIFF_A].bytes, FRAMES * 100);
	CHECK_EQ_INT(d.site[0].side[TT_DIFF_B].bytes, FRAMES * 164);
	CHECK_EQ_INT(d.side[TT_DIFF_B].alloc_b, 164);
	end(&d);
}

TEST(more_calls_are_told_from_slower_ones)
{
	struct plan twice = before;
	struct tt_diff d;

	twice.draws = 4;
	begin(&d);
	add(&d, TT_DIFF_A, &before);
	add(&d, TT_DIFF_B, &twice);
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	check_sums(&d);
	const struct tt_diff_node *v = node_of(&d, "World:Draw", true);
	CHECK(v->side[TT_DIFF_B].part > 2 * v->side[TT_DIFF_A].part - 4);
	CHECK_EQ_INT(v->b_calls_at_a_ns, v->side[TT_DIFF_B].part);
	end(&d);
}

TEST(equal_captures_differ_in_nothing)
{
	struct tt_diff d;

	begin(&d);
	add(&d, TT_DIFF_A, &before);
	add(&d, TT_DIFF_B, &before);
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	check_sums(&d);
	for (size_t i = 1; i < d.nnode; i++) {
		CHECK_EQ_INT(d.node[i].side[TT_DIFF_A].part, d.node[i].side[TT_DIFF_B].part);
		CHECK_EQ_INT(d.node[i].side[TT_DIFF_A].n, d.node[i].side[TT_DIFF_B].n);
		CHECK_EQ_INT(d.node[i].b_calls_at_a_ns, d.node[i].side[TT_DIFF_A].part);
	}
	end(&d);
}

/* The sum of a profile's values of ${which}: time, calls, bytes. */
static int64_t
profile_sum(const struct tt_diff *d, unsigned which)
{
	struct tt_buf b = { 0 };
	struct kit_profile p;

	CHECK_EQ_INT(tt_diff_profile(d, "test", &b, &err), TT_OK);
	const char *wrong = kit_check_profile(b.p, b.n, &p);
	CHECK_STR(wrong ? wrong : "", "");
	CHECK_STR(p.types, "time/nanoseconds calls/count alloc_space/bytes");
	tt_buf_free(&b);
	return p.sum[which];
}

TEST(the_profile_has_the_difference_and_swapped_sides_its_opposite)
{
	struct tt_diff d;
	int64_t sum[2][3], beside[2] = { 0 };

	for (unsigned swap = 0; swap < 2; swap++) {
		begin(&d);
		add(&d, TT_DIFF_A, swap ? &after : &before);
		add(&d, TT_DIFF_B, swap ? &before : &after);
		CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
		check_sums(&d);
		for (size_t i = 1; i < d.nnode; i++)
			if (tt_diff_is_timed(&d.node[i]) && !tt_diff_is_part(&d, &d.node[i]))
				beside[swap] += d.node[i].side[TT_DIFF_B].part - d.node[i].side[TT_DIFF_A].part;
		for (unsigned k = 0; k < 3; k++)
			sum[swap][k] = profile_sum(&d, k);
		CHECK_EQ_INT(sum[swap][0], d.side[TT_DIFF_B].mean_ns - d.side[TT_DIFF_A].mean_ns + beside[swap]);
		CHECK_EQ_INT(sum[swap][2], d.side[TT_DIFF_B].alloc_b - d.side[TT_DIFF_A].alloc_b);
		end(&d);
	}
	CHECK_EQ_INT(sum[0][0], -sum[1][0]);
	CHECK_EQ_INT(sum[0][1], -sum[1][1]);
	CHECK_EQ_INT(sum[0][2], -sum[1][2]);
	CHECK_EQ_INT(sum[0][2], 64);
}

TEST(the_order_of_captures_changes_nothing)
{
	struct plan some[3] = { before, before, before };
	int64_t want[4] = { 0 };

	some[1].draw += 13 * GAME_US;
	some[2].think += 7777;
	for (unsigned turn = 0; turn < 3; turn++) {
		struct tt_diff d;

		begin(&d);
		for (unsigned i = 0; i < 3; i++)
			add(&d, TT_DIFF_A, &some[(i + turn) % 3]);
		add(&d, TT_DIFF_B, &after);
		CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
		check_sums(&d);
		const int64_t have[4] = { d.side[TT_DIFF_A].mean_ns, node_of(&d, "World:Draw", true)->side[TT_DIFF_A].self,
			node_of(&d, "Foe:Think", true)->side[TT_DIFF_A].self, profile_sum(&d, 0) };
		for (unsigned k = 0; k < 4; k++) {
			want[k] = turn == 0 ? have[k] : want[k];
			CHECK_EQ_INT(have[k], want[k]);
		}
		CHECK_EQ_INT(d.side[TT_DIFF_A].nunits, 3 * FRAMES);
		end(&d);
	}
}

TEST(a_side_with_frames_is_not_compared_with_one_without)
{
	struct tt_diff d;
	struct game g;

	begin(&d);
	add(&d, TT_DIFF_A, &before);
	game_begin(&g);
	game_method(&g, DRAW, "Game.World:Draw (int)");
	game_call(&g, DRAW, GAME_MS);
	g.opts.frame_marker = NULL;
	game_run(&g, TT_NEEDS_CALLS | TT_NEEDS_FRAMES);
	CHECK_EQ_INT(tt_diff_add(&d, TT_DIFF_B, g.r.m, &err), TT_E_USAGE);
	CHECK_EQ_INT(game_end(&g), 0);
	end(&d);
}

TEST(threads_are_one_by_name_without_its_number)
{
	struct tt_diff d;
	size_t workers = 0;

	begin(&d);
	add(&d, TT_DIFF_A, &before);
	add(&d, TT_DIFF_B, &after);
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	for (size_t i = 1; i < d.nnode; i++)
		workers += d.node[i].kind == TT_DIFF_THREAD && strncmp(d.thread[d.node[i].name], "Worker", 6) == 0 &&
		    !strchr(d.thread[d.node[i].name], '3');
	CHECK_EQ_INT(workers, 1);
	end(&d);
}

/* --- the verdict -------------------------------------------------------------------------- */

/* Judge six captures a side, those of B ${more} ns slower, in ${session}. */
static void
judge(int64_t more, const char *session, struct tt_diff_margin margin, struct tt_diff_verdict *v)
{
	struct tt_diff d;

	begin(&d);
	for (unsigned i = 0; i < 12; i++) {
		struct plan p = before;

		p.draw += i / 2 * 100;
		p.think += i % 2 ? (uint64_t)more : 0;
		p.session = session;
		add(&d, i % 2, &p);
	}
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	CHECK_EQ_INT(tt_diff_judge(&d, &margin, v, &err), TT_OK);
	end(&d);
}

TEST(a_shift_is_worse_exactly_beyond_what_is_allowed)
{
	struct tt_diff_verdict v;

	judge(500 * GAME_US, "s", (struct tt_diff_margin){ .e4 = 200 }, &v);
	CHECK_EQ_INT(v.outcome, TT_DIFF_WORSE);
	CHECK_EQ_INT(tt_diff_exit(&v), 1);
	CHECK_EQ_INT(v.shift.shift, 500 * GAME_US);
	/* 2 % of the median of A. */
	CHECK(llabs(v.allowed - v.a / 50) <= 1);
	judge(500 * GAME_US, "s", (struct tt_diff_margin){ .e4 = -1, .ns = GAME_MS }, &v);
	CHECK_EQ_INT(v.outcome, TT_DIFF_NOT_WORSE);
	CHECK_EQ_INT(v.allowed, GAME_MS);
	CHECK_EQ_INT(tt_diff_exit(&v), 0);
	judge(0, "s", (struct tt_diff_margin){ .e4 = 200 }, &v);
	CHECK_EQ_INT(v.outcome, TT_DIFF_NOT_WORSE);
	CHECK_EQ_INT(v.shift.shift, 0);
	judge(0, "s", (struct tt_diff_margin){ .e4 = -1, .ns = 0 }, &v);
	CHECK_EQ_INT(v.outcome, TT_DIFF_UNDECIDED);
	CHECK_EQ_INT(tt_diff_exit(&v), 5);
}

TEST(one_capture_a_side_is_not_judged)
{
	const struct tt_diff_margin margin = { .e4 = 200 };
	struct tt_diff_verdict v;
	struct plan one = before;
	struct tt_diff d;

	begin(&d);
	one.session = "s";
	add(&d, TT_DIFF_A, &one);
	one.think += 50 * GAME_MS;
	add(&d, TT_DIFF_B, &one);
	CHECK_EQ_INT(tt_diff_finish(&d, &err), TT_OK);
	CHECK_EQ_INT(tt_diff_judge(&d, &margin, &v, &err), TT_OK);
	CHECK_EQ_INT(v.outcome, TT_DIFF_CANNOT_JUDGE);
	CHECK_EQ_INT(tt_diff_exit(&v), 5);
	end(&d);
}
