/* Tests of page/report_page.h: a page is whole HTML whose links lead somewhere, and its first part says what the tables of the same report have. */
#include "page_kit.h"

#include "game.h"
#include "out/table.h"
#include "page/report_page.h"
#include "pass/largest.h"
#include "pass/overview.h"
#include "pass/pass.h"
#include "view/view.h"
#include "why/causes.h"

enum { NEEDS = TT_NEEDS_CALLS | TT_NEEDS_FRAMES | TT_NEEDS_BY_FRAME };

static struct game g;
static struct tt_mem mem;
static struct tt_err err;
static struct tt_report r;
static struct tt_views view;
static struct tt_buf page;
static struct tt_page_cut cut;

/* The page of the game that was recorded, with the tables that a report has. */
static void
make(uint64_t max_size, unsigned needs)
{
	const struct tt_page_opts o = { .name = "game.mlpd", .arguments = "game.mlpd", .range_command = "tracetool report --frames",
	    .stats_command = "tracetool stats --table",
		.generator = "tracetool test", .max_size = max_size };
	static const char *const about[] = { "capture", "capture_meta", "capture_frame_markers", NULL };
	static const char *const asked[] = { "causes", "frame_causes", "hitch_markers", NULL };
	static struct tt_causes causes;
	struct tt_pass_opts opts = tt_pass_defaults;

	game_run(&g, needs);
	tt_report_init(&r, &mem);
	tt_view_init(&view, g.r.m);
	opts.table = about;
	opts.skips_empty = true;
	tt_pass_report(tt_pass_named("info"), &view, &opts, &r);
	opts.table = NULL;
	opts.skips_empty = false;
	opts.max_rows = TT_PAGE_ROWS;
	for (size_t i = 0; tt_passes[i]; i++)
		if (tt_passes[i]->is_standard)
			tt_pass_report(tt_passes[i], &view, &opts, &r);
	opts.table = asked;
	opts.max_rows = 0;
	for (size_t i = 0; tt_passes[i]; i++)
		tt_pass_report(tt_passes[i], &view, &opts, &r);
	tt_most_allocated(&view, &r);
	tt_most_time(&view, &r);
	tt_overview(&view, &causes, &r);
	CHECK_EQ_INT(tt_report_error(&r, &err), TT_OK);
	page = (struct tt_buf){ 0 };
	CHECK_EQ_INT(tt_page_write(&r, &view, &o, &cut, &page, &err), TT_OK);
	page_check(&page);
	const char *wrong = page_malformed(&page);
	if (wrong)
		CHECK_STR(wrong, "whole HTML");
}

static void
end(void)
{
	tt_buf_free(&page);
	tt_report_free(&r);
	tt_view_free(&view);
	CHECK_EQ_INT(game_end(&g), 0);
}

static bool
has(const char *text)
{
	return memmem(page.p, page.n, text, strlen(text)) != NULL;
}

/* Each link within the page leads to an element of it. */
static void
links_lead_somewhere(void)
{
	size_t n = 0;

	for (const char *p = tt_buf_string(&page); (p = strstr(p, "href=\"#")); n++) {
		char id[120] = "id=\"";
		const size_t len = strcspn(p += 7, "\"");

		if (len > 100)
			continue;
		memcpy(id + 4, p, len);
		memcpy(id + 4 + len, "\"", 2);
		if (!has(id))
			CHECK_STR(id, "there");
	}
	CHECK(n > 3);
}

TEST(a_page_of_frames_is_whole)
{
	for (uint64_t seed = 1; seed <= 5; seed++) {
		game_begin(&g);
		game_random(&g, seed, 60);
		make(0, NEEDS);
		links_lead_somewhere();
		CHECK(has("id=\"verdict\""));
		CHECK_EQ_INT(cut.ntables, 0);
		CHECK(has("game.mlpd") && has("tracetool test"));
		end();
	}
}

TEST(a_capture_without_frames_says_what_it_did)
{
	game_begin(&g);
	game_method(&g, 1, "Game.World:Tick ()");
	game_method(&g, 2, "Game.World:Draw ()");
	game_class(&g, 0, "System.Byte[]");
	for (unsigned i = 0; i < 100; i++) {
		game_call(&g, 1, 3000);
		game_call(&g, 2, 1000);
		game_enter(&g, 1);
		game_alloc(&g, 0, GAME_OBJECT(i), 64);
		game_leave(&g, 1);
	}
	make(0, NEEDS);
	links_lead_somewhere();
	CHECK(has("Tick"));
	CHECK(has("Most time, without waits: <a href=\"#t-capture_markers\">"));
	CHECK(has("value=\"75.00\">75.00 %</data> of all.</li>"));
	CHECK(has("Most allocated: <a href=\"#t-capture_allocations\">"));
	CHECK(has("value=\"100.00\">100.00 %</data> of all, most of it <data data-of=\"capture_allocations/0/class\" value=\"System.Byte[]\">"));
	CHECK(has("<strong>No frames</strong>") || has("Main"));
	end();
}

/* What does not fit is left out of all tables alike, and said. */
TEST(a_page_keeps_to_its_size)
{
	size_t whole;

	game_begin(&g);
	game_random(&g, 3, 200);
	make(0, NEEDS);
	whole = page.n;
	end();
	for (size_t part = 9; part >= 6; part--) {
		game_begin(&g);
		game_random(&g, 3, 200);
		make(whole * part / 10, NEEDS);
		if (cut.ntables) {
			CHECK(page.n < whole);
			CHECK(has("left out of this page"));
		}
		end();
	}
}
