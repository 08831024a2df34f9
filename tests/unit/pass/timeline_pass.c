/* Tests of the pass "timeline": each column has what happened in its bucket, and is empty where nothing of its kind happened in the capture. */
#include "check.h"

#include "game.h"
#include "pass/passes.h"
#include "view/view.h"

enum { TICK = 1, BUCKETS = 4, QUARTER = 1000 };
enum { NEEDS = TT_NEEDS_TIMELINE | TT_NEEDS_CALLS | TT_NEEDS_ARGS };
enum { CONTEND = 1, ACQUIRED, START = 0, END = 5, PRE_STOP = 6, STOPPED = 7, RESTARTED = 9 };

static struct game g;
static struct tt_err err;
static struct tt_mem mem;
static struct tt_report r;
static struct tt_views view;

static const struct tt_table *
table(void)
{
	static const char *const names[] = { "timeline", NULL };
	struct tt_pass_opts o = tt_pass_defaults;

	o.table = names;
	o.nbuckets = g.opts.buckets = BUCKETS;
	game_run(&g, NEEDS);
	tt_report_init(&r, &mem);
	tt_view_init(&view, g.r.m);
	tt_pass_report(&tt_pass_timeline, &view, &o, &r);
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_OK);
	CHECK(r.first && r.first->nrow == BUCKETS);
	return r.first;
}

static void
end(void)
{
	tt_report_free(&r);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

/* In the column ${id} each bucket but ${at} has 0, and that ${want}; ${want} -1: all are empty. */
static void
column(const struct tt_table *t, const char *id, size_t at, int64_t want)
{
	size_t c = 0;

	while (c < t->ncol && strcmp(t->col[c].id, id) != 0)
		c++;
	CHECK(c < t->ncol);
	for (size_t i = 0; i < t->nrow && c < t->ncol; i++) {
		const struct tt_cell *cell = &t->cell[i * t->ncol + c];

		check_int(cell->empty ? -1 : cell->v, want < 0 || i == at ? want : 0, id, __FILE__, __LINE__);
	}
}

static void
begin(void)
{
	game_begin(&g);
	game_method(&g, TICK, "Game.World:Tick ()");
	game_class(&g, 0, "System.Byte[]");
}

/* What only some captures have stays away from the others; a call is in each bucket. */
static const char *const rare[] = { "allocs", "alloc_bytes", "collections", "pause_ns", "heap_bytes", "moves", "throws", "contended", "wait_ns", "samples",
	"handles" };

/* One event of kind ${k} of those above, within 100 ns. */
static void
happen(size_t k)
{
	static const uint64_t moved[] = { GAME_OBJECT(1), GAME_OBJECT(2) };
	static const uint64_t ip = GAME_CODE(TICK);
	static const struct mlpd_stack none = { NULL, 0 };
	struct mlpd_buffer *b = game_buffer(&g);
	const uint64_t now = game_now(&g);

	switch (k) {
	case 0:
	case 1:
		game_alloc(&g, 0, GAME_OBJECT(1), 48);
		break;
	case 2:
		mlpd_gc_event(b, now, START, 0);
		mlpd_gc_event(b, now + 5, END, 0);
		break;
	case 3:
		mlpd_gc_event(b, now, PRE_STOP, 0);
		mlpd_gc_event(b, now + 10, STOPPED, 0);
		mlpd_gc_event(b, now + 70, RESTARTED, 0);
		break;
	case 4:
		mlpd_gc_resize(b, now, 4096);
		break;
	case 5:
		mlpd_gc_moves(b, now, moved, 2);
		break;
	case 6:
		mlpd_throw(b, now, GAME_OBJECT(1), NULL);
		break;
	case 7:
	case 8:
		mlpd_monitor(b, now, CONTEND, GAME_OBJECT(1), NULL);
		mlpd_monitor(b, now + 60, ACQUIRED, GAME_OBJECT(1), NULL);
		break;
	case 9:
		mlpd_hit(b, now, 0, &ip, 1, &none);
		break;
	default:
		mlpd_handle_created(b, now, 0, 7, GAME_OBJECT(1), NULL);
		break;
	}
	game_spend(&g, 100);
}

TEST(a_kind_of_event_is_in_its_own_columns_alone)
{
	static const int64_t want[] = { 1, 48, 1, 70, 4096, 1, 1, 1, 60, 1, 1 };

	for (size_t k = 0; k < sizeof rare / sizeof *rare; k++) {
		begin();
		for (unsigned i = 0; i < BUCKETS; i++) {
			game_call(&g, TICK, 100);
			game_spend(&g, 300);
			if (i == 2)
				happen(k);
			else
				game_spend(&g, 100);
			game_spend(&g, QUARTER - 500);
		}
		game_call(&g, TICK, 1);
		const struct tt_table *t = table();

		for (size_t c = 0; c < sizeof rare / sizeof *rare; c++) {
			const bool pair = (k / 2 == c / 2 && k < 2 && c < 2) || ((k == 7 || k == 8) && (c == 7 || c == 8));

			if (strcmp(rare[c], "heap_bytes") == 0 && k == c) {
				/* The size stays until the next one. */
				const struct tt_cell *first = t->cell;
				size_t at = 0;

				while (strcmp(t->col[at].id, "heap_bytes") != 0)
					at++;
				CHECK(first[t->ncol + at].empty);
				CHECK_EQ_INT(first[2 * t->ncol + at].v, 4096);
				CHECK_EQ_INT(first[3 * t->ncol + at].v, 4096);
			} else {
				column(t, rare[c], 2, k == c || pair ? want[c] : -1);
			}
		}
		end();
	}
}

TEST(a_pause_counts_in_each_bucket_as_far_as_it_is_there)
{
	int64_t sum = 0, fills = 0;
	size_t c = 0;

	begin();
	game_spend(&g, 500);
	mlpd_gc_event(game_buffer(&g), game_now(&g), PRE_STOP, 0);
	mlpd_gc_event(game_buffer(&g), game_now(&g), STOPPED, 0);
	game_spend(&g, 3000);
	mlpd_gc_event(game_buffer(&g), game_now(&g), RESTARTED, 0);
	game_spend(&g, 400);
	game_call(&g, TICK, 99);
	const struct tt_table *t = table();
	while (strcmp(t->col[c].id, "pause_ns") != 0)
		c++;
	for (size_t i = 0; i < BUCKETS; i++) {
		const int64_t from = t->cell[i * t->ncol].v, to = t->cell[i * t->ncol + 1].v, paused = t->cell[i * t->ncol + c].v;

		CHECK(i == 0 || from == t->cell[(i - 1) * t->ncol + 1].v);
		CHECK(paused <= to - from);
		fills += paused == to - from;
		sum += paused;
	}
	CHECK_EQ_INT(sum, 3000);
	CHECK_EQ_INT(fills, 2);
	end();
}
