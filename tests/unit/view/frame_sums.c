/*
 * Tests of view/frame_sums.h and of collect/by_frame.h below it: what a path does in a frame is what the call tree has with the filter set to that frame
 * alone, also of zones that fill many frames; and all frames together are what the frames of the whole run have.
 */
#include "check.h"

#include "base/buf.h"
#include "game.h"
#include "view/frame_sums.h"
#include "view/view.h"

enum { FRAMES = 40, MOST = 4000, NEEDS = TT_NEEDS_BY_FRAME | TT_NEEDS_FRAMES | TT_NEEDS_CALLS };

static struct tt_err err;
static struct game g;
static struct tt_views view;

/* One path in one frame. */
struct line { char *path; uint64_t n; int64_t total, self; };
static struct line line[FRAMES][MOST];
static size_t nline[FRAMES];

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->path, ((const struct line *)b)->path);
}

/* The path of a node, with its thread, from the innermost step; the caller frees it. */
static char *
path_of(const struct tt_paths *p, uint32_t node)
{
	struct tt_buf b = { 0 };

	for (uint32_t at = node; at != 0; at = tt_paths_node(p, at)->parent) {
		const struct tt_node *n = tt_paths_node(p, at);

		if (n->kind == TT_NODE_ZONE)
			tt_buf_printf(&b, "/%s", p->m->name[n->marker].full);
		else
			tt_buf_printf(&b, "/%u:%llx", n->kind, (unsigned long long)n->key);
	}
	char *text = strdup(tt_buf_string(&b));
	tt_buf_free(&b);
	return text;
}

static void
record(size_t first, size_t last)
{
	game_begin(&g);
	game_random(&g, 21, FRAMES);
	const uint64_t all = g.thread[0].now;
	/* Zones that fill frames, begin and end in their middle, and are within each other. */
	game_thread(&g, 2, "Long");
	game_spend(&g, all / 10);
	game_enter(&g, 3);
	game_spend(&g, all / 3);
	game_call(&g, 4, all / 3);
	game_call(&g, 5, 10);
	game_leave(&g, 3);
	if (last) {
		g.opts.filter.has_frames = true;
		g.opts.filter.frame_first = first;
		g.opts.filter.frame_last = last;
	}
	game_run(&g, NEEDS);
	tt_view_init(&view, g.r.m);
	err = (struct tt_err){ .at = TT_NOWHERE };
}

static void
end(void)
{
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* The sums of all frames into line. */
static void
read_frames(void)
{
	struct tt_frame_sums s;
	size_t last = 0;

	tt_frame_sums_init(&s, &view, &err);
	tt_frame_sums_rewind(&s);
	for (bool first = true; tt_frame_sums_next(&s); first = false) {
		CHECK(first || s.frame > last);
		last = s.frame;
		CHECK(s.n <= MOST);
		for (size_t i = 0; i < s.n && i < MOST; i++) {
			const struct tt_frame_path *r = &s.rec[i];

			CHECK(i == 0 || s.rec[i - 1].node < r->node);
			CHECK(r->longest <= r->total || tt_paths_node(s.p, r->node)->kind != TT_NODE_ZONE);
			line[last][nline[last]++] = (struct line){ path_of(s.p, r->node), r->n, r->total, r->self };
		}
		qsort(line[last], nline[last], sizeof **line, by_path);
	}
	CHECK_EQ_INT(err.code, TT_OK);
	tt_frame_sums_free(&s);
}

static void
free_frames(void)
{
	for (size_t i = 0; i < FRAMES; i++) {
		for (size_t k = 0; k < nline[i]; k++)
			free(line[i][k].path);
		nline[i] = 0;
	}
}

TEST(a_frame_has_what_the_tree_has_of_that_frame_alone)
{
	size_t compared = 0;

	record(0, 0);
	CHECK_EQ_INT(g.r.m->frames->n, FRAMES);
	read_frames();
	end();
	for (size_t k = 0; k < FRAMES; k += k < 3 ? 1 : 5) {
		size_t met = 0;

		record(k + 1, k + 1);
		const struct tt_paths *p = tt_view_paths(&view, TT_GROUP_NONE, TT_PATHS_ROWS, &err);
		for (uint32_t i = 1; i < p->n; i++) {
			const struct tt_count c = tt_paths_count(p, i);
			const enum tt_node_kind kind = tt_paths_node(p, i)->kind;

			if ((kind != TT_NODE_ZONE && kind != TT_NODE_ALLOC) || (c.n == 0 && c.total == 0))
				continue;
			char *path = path_of(p, i);
			const struct line *l = bsearch(&(struct line){ .path = path }, line[k], nline[k], sizeof *l, by_path);
			CHECK_STR(l ? l->path : "(no line)", path);
			if (l) {
				CHECK_EQ_INT(l->n, c.n);
				CHECK_EQ_INT(l->total, c.total);
				if (kind == TT_NODE_ZONE)
					CHECK_EQ_INT(l->self, c.self);
				met++;
			}
			free(path);
		}
		for (size_t i = 0; i < nline[k]; i++)
			met += line[k][i].n == 0 && line[k][i].total == 0;
		CHECK_EQ_INT(met, nline[k]);
		compared += met;
		end();
	}
	CHECK(compared > 200);
	free_frames();
}

TEST(a_zone_that_fills_frames_has_their_whole_time_and_begins_in_one)
{
	uint64_t begins = 0, has = 0;
	int64_t total = 0;
	char path[64];

	record(0, 0);
	snprintf(path, sizeof path, "/Game.World:Tick ()/%u:2", TT_NODE_THREAD);
	const struct tt_frames *f = g.r.m->frames;
	const int64_t from = tt_frames_start(f, 0), to = f->end;
	read_frames();
	for (size_t k = 0; k < FRAMES; k++) {
		for (size_t i = 0; i < nline[k]; i++) {
			if (strcmp(line[k][i].path, path) != 0)
				continue;
			begins += line[k][i].n;
			has++;
			total += line[k][i].total;
			CHECK(line[k][i].total <= tt_frames_dur(f, k));
		}
	}
	CHECK_EQ_INT(begins, 1);
	CHECK(has > FRAMES / 3);
	/* It begins after a tenth of the time and lasts two thirds and 10 ns. */
	const int64_t all = (int64_t)g.thread[0].now, begin = all / 10, stop = begin + 2 * (all / 3) + 10;
	CHECK_EQ_INT(total, (stop < to ? stop : to) - (begin > from ? begin : from));
	end();
	free_frames();
}

TEST(all_frames_together_are_the_time_of_threads_in_frames)
{
	struct tt_zone_time by[GAME_THREADS] = { { 0 } };
	uint64_t calls[256] = { 0 };
	int64_t inside[GAME_THREADS] = { 0 };
	uint64_t begun = 0, want = 0;

	record(0, 0);
	const struct tt_paths *p = tt_view_paths(&view, TT_GROUP_NONE, TT_PATHS_ROWS, &err);
	CHECK(p->nrow < 256 && g.r.m->threads.n <= GAME_THREADS);
	CHECK_EQ_INT(tt_frame_sums_all(&view, by, calls, &err), TT_OK);
	struct tt_frame_sums s;
	tt_frame_sums_init(&s, &view, &err);
	tt_frame_sums_rewind(&s);
	while (tt_frame_sums_next(&s))
		for (size_t i = 0; i < s.n; i++)
			if (tt_frame_sums_zone(&s, s.rec[i].node)) {
				inside[tt_paths_thread(p, s.rec[i].node)->index] += s.flags[s.rec[i].node] & TT_SUM_TOP ? s.rec[i].total : 0;
				want += tt_paths_shown(p, s.rec[i].node) ? s.rec[i].n : 0;
			}
	tt_frame_sums_free(&s);
	for (size_t i = 0; i < g.r.m->threads.n; i++)
		CHECK_EQ_INT(by[i].inside, inside[i]);
	for (uint32_t i = 0; i < p->nrow; i++)
		begun += strcmp(p->row[i].name->full, game_random_name[GAME_RANDOM_WRAPPER]) != 0 ? calls[i] : 0;
	CHECK_EQ_INT(begun, want);
	CHECK(inside[0] > 0 && inside[1] > 0 && inside[2] > 0);
	end();
}

TEST(chosen_frames_come_alone)
{
	static const size_t of[] = { 0, 7, 8, FRAMES - 1 };
	struct tt_frame_sums s;
	size_t n = 0;

	record(0, 0);
	tt_frame_sums_init(&s, &view, &err);
	s.chosen = of;
	s.nchosen = sizeof of / sizeof *of;
	for (unsigned twice = 0; twice < 2; twice++, n = 0) {
		tt_frame_sums_rewind(&s);
		while (tt_frame_sums_next(&s))
			CHECK_EQ_INT(s.frame, of[n++]);
		CHECK_EQ_INT(n, 4);
	}
	tt_frame_sums_free(&s);
	end();
}

/* A collection counts in the frame in which it begins, also one of no time at its edge. */
TEST(collections_of_frames_add_up_to_those_within_frames)
{
	uint64_t n = 0;
	int64_t ns = 0;

	game_begin(&g);
	for (unsigned i = 0; i < 12; i++) {
		game_enter(&g, GAME_FRAME);
		if (i % 3 == 0)
			game_collect(&g, 0, i % 2 ? 0 : 500, 1000 + i);
		game_spend(&g, 100);
		if (i % 4 == 1)
			game_collect(&g, 1, 0, 2000 + i);
		game_leave(&g, GAME_FRAME);
		/* Over the edge of the next frame. */
		if (i == 5) {
			mlpd_gc_event(game_buffer(&g), game_now(&g), 0, 0);
			game_enter(&g, GAME_FRAME);
			game_spend(&g, 70);
			mlpd_gc_event(game_buffer(&g), game_now(&g), 5, 0);
			game_leave(&g, GAME_FRAME);
		}
	}
	game_enter(&g, GAME_FRAME);
	game_leave(&g, GAME_FRAME);
	game_run(&g, NEEDS);
	const struct tt_by_frame *b = tt_by_frame(g.r.m);
	const struct tt_gc *gc = tt_gc(g.r.m);
	for (size_t i = 0; i < b->n; i++) {
		n += b->gc[i].n;
		ns += b->gc[i].ns;
	}
	CHECK_EQ_INT(gc->gen[0].n + gc->gen[1].n, 4 + 3 + 1);
	CHECK_EQ_INT(n, gc->gen[0].n + gc->gen[1].n);
	CHECK_EQ_INT(ns, gc->gen[0].total + gc->gen[1].total);
	CHECK_EQ_INT(game_end(&g), 0);
}
