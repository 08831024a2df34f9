/* Tests of how the summary fits a screen (lib/summary/screen.h): the order in which parts give way is that of tracetool(1). */
#include "check.h"

#include "model/loss.h"
#include "pass/pass.h"
#include "summary/screen.h"

static const struct tt_render_opts text = { .form = TT_RENDER_TEXT, .width = 80, .generator = "test" };

/* Begin a report with ${nnotices} notices and the table of causes, which has ${ncauses} rows. */
static struct tt_table *
begin(struct tt_report *r, struct tt_mem *mem, int nnotices, int ncauses)
{
	const struct tt_pass_table *t = tt_summary_part[T_CAUSES];
	struct tt_table *causes;

	tt_report_init(r, mem);
	for (int i = 0; i < nnotices; i++)
		tt_report_note(r, tt_severity_name[TT_NOTICE], "caveat", "a notice");
	causes = tt_report_table(r, t->id, t->title, t->col, t->ncol);
	for (int i = 0; i < ncauses; i++) {
		struct tt_cell *c = tt_row(causes);

		tt_cell_text(&c[C_CLASS], "unknown");
		tt_cell_text(&c[C_WHY], "a sentence");
	}
	return causes;
}

/* Leave out parts until the report fits. */
static void
shorten(struct tt_summary_screen *s)
{
	while (tt_summary_shorten(s, &text))
		;
}

static size_t
count_notes(const struct tt_report *r)
{
	size_t n = 0;

	for (const struct tt_note *note = r->note; note; note = note->next)
		n++;
	return n;
}

TEST(a_summary_that_fits_keeps_all)
{
	struct tt_mem mem = { 0 };
	struct tt_report r;
	struct tt_table *causes = begin(&r, &mem, 5, 4);
	struct tt_summary_screen s = { .r = &r };

	CHECK(!tt_summary_shorten(&s, &text));
	CHECK_EQ_INT(causes->nrow, 4);
	CHECK_EQ_INT(count_notes(&r), 5);
	tt_report_free(&r);
}

TEST(notices_after_the_second_give_way_first)
{
	struct tt_mem mem = { 0 };
	struct tt_report r;
	struct tt_table *causes = begin(&r, &mem, 60, 4);
	struct tt_summary_screen s = { .r = &r };

	shorten(&s);
	CHECK_EQ_INT(causes->nrow, 4);
	CHECK_EQ_INT(count_notes(&r), 3);
	CHECK_HAS(r.last_note->text, "58 more notices and losses are not shown here");
	tt_report_free(&r);
}

TEST(causes_give_way_next)
{
	struct tt_mem mem = { 0 };
	struct tt_report r;
	struct tt_table *causes = begin(&r, &mem, 0, 100);
	struct tt_summary_screen s = { .r = &r };

	shorten(&s);
	CHECK_EQ_INT(causes->nrow, 3);
	tt_report_free(&r);
}

TEST(forms_for_programs_are_not_shortened)
{
	const struct tt_render_opts json = { .form = TT_RENDER_JSON, .generator = "test" };
	struct tt_mem mem = { 0 };
	struct tt_report r;
	struct tt_table *causes = begin(&r, &mem, 60, 100);
	struct tt_summary_screen s = { .r = &r };

	CHECK(!tt_summary_shorten(&s, &json));
	CHECK_EQ_INT(causes->nrow, 100);
	CHECK_EQ_INT(count_notes(&r), 60);
	tt_report_free(&r);
}
