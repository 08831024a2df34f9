/* Tests of lib/pass/layout.c: the sentence of how a capture's layout fits has the number of each thing it counts, in the singular where it is one. */
#include "check.h"

#include "model/capture.h"
#include "model/model.h"
#include "pass/passes.h"

static struct tt_mem mem;
static struct tt_err err;

/* The row of a capture with this fit and ${nevent} messages. */
static const struct tt_cell *
row_of(struct tt_report *r, const struct tt_fit *fit, uint64_t nevent)
{
	static struct tt_capture cap;
	static struct tt_capture *caps[] = { &cap };
	static struct tt_model m;
	struct tt_making k = { .m = &m, .r = r };

	cap = (struct tt_capture){ .fit = *fit, .nevent = nevent };
	m = (struct tt_model){ .cap = caps, .ncap = 1 };
	tt_report_init(r, &mem);
	struct tt_table *t = tt_report_table(r, "layout", "Layout", tt_layout_col, TT_LAYOUT_COLUMNS);
	CHECK(tt_layout_has(&k));
	tt_layout_make(&k, t);
	CHECK_EQ_INT(tt_report_error(r, &err), TT_OK);
	CHECK_EQ_INT(t->nrow, 1);
	return t->cell;
}

static void
says(struct tt_fit fit, uint64_t nevent, const char *want)
{
	struct tt_report r;

	fit.layout = "2022.2";
	fit.part = "block";
	fit.message = "message";
	CHECK_STR(row_of(&r, &fit, nevent)[2].s, want);
	tt_report_free(&r);
}

TEST(a_capture_that_fits_says_by_what)
{
	says((struct tt_fit){ .parts = 0 }, 0, "no block to measure it by was read");
	says((struct tt_fit){ .parts = 1, .samples = 1 }, 1, "1 block, which ends where it must; 1 message; all times are within the recording");
	says((struct tt_fit){ .parts = 2, .samples = 1 }, 2, "2 blocks, each of which ends where it must; 2 messages; all times are within the recording");
	says((struct tt_fit){ .parts = 2, .samples = 0 }, 2,
	    "2 blocks, each of which ends where it must; 2 messages; none has samples; all times are within the recording");
	says((struct tt_fit){ .parts = 3, .samples = 1, .cut = true }, 5,
	    "3 blocks, each of which ends where it must; 5 messages; the rest is cut off; all times are within the recording");
}

TEST(what_does_not_fit_is_counted)
{
	says((struct tt_fit){ .parts = 2, .samples = 1, .misfits = 1, .misfit_at = 77, .lost = 1 }, 9,
	    "1 of 2 blocks ends where it must; the first that does not is at byte 77");
	says((struct tt_fit){ .parts = 5, .samples = 1, .misfits = 2, .misfit_at = 77, .lost = 2 }, 9,
	    "3 of 5 blocks end where they must; the first that does not is at byte 77");
	says((struct tt_fit){ .parts = 5, .samples = 1, .misfits = 5, .misfit_at = 77, .lost = 6 }, 9,
	    "0 of 5 blocks end where they must; the first that does not is at byte 77; losses are in the ledger");
	says((struct tt_fit){ .parts = 4, .samples = 1, .lost = 1, .lost_at = 9 }, 1,
	    "4 blocks, with no end in the wrong place; 1 message; losses are in the ledger");
	says((struct tt_fit){ .parts = 5, .samples = 1, .misfits = 1, .misfit_at = 77, .lost = 1, .count = { .misfits = 1, .misfit_at = 50 } }, 9,
	    "3 of 5 blocks end where they must; the first that does not is at byte 50");
}

TEST(ends_markers_threads_and_names_are_counted)
{
	says((struct tt_fit){ .parts = 1, .samples = 1, .ends = 1, .matched_ends = 1, .markers = 1, .named_markers = 1, .threads = 1, .named_threads = 0 }, 7,
	    "1 block, which ends where it must; 7 messages; 1 of 1 end matches; 1 of 1 marker defined; 0 of 1 thread defined; "
	    "all times are within the recording");
	says((struct tt_fit){ .parts = 1, .samples = 1, .ends = 1200, .matched_ends = 1199, .markers = 3, .named_markers = 2, .threads = 2,
	    .named_threads = 2, .count = { .earlier = 1, .names = 5, .bad_names = 1 } }, 7,
	    "1 block, which ends where it must; 7 messages; 1,199 of 1,200 ends match; 2 of 3 markers defined; 2 of 2 threads defined; "
	    "all times but those of 1 message from before it are within the recording; 1 of 5 names is not text");
	says((struct tt_fit){ .parts = 1, .samples = 1, .count = { .earlier = 2, .names = 9, .bad_names = 2 } }, 7,
	    "1 block, which ends where it must; 7 messages; all times but those of 2 messages from before it are within the recording; "
	    "2 of 9 names are not text");
}
