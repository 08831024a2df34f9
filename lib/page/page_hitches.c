/**
 * Lists the frames that a page calls hitches.
 */
#include "page/page_hitches.h"

#include "base/order.h"
#include "model/frames.h"
#include "out/html.h"

static int
by_place(const void *a, const void *b)
{
	return TT_CMP(((const struct tt_page_hitch *)a)->frame, ((const struct tt_page_hitch *)b)->frame);
}

/* The frame in ${row} of the table of the worst frames, if it is between ${from} and ${end} - 1; else SIZE_MAX. */
static size_t
place(const struct tt_table *worst, size_t row, const struct tt_frames *f, size_t from, size_t end)
{
	const struct tt_cell *start = tt_html_cell(worst, row, "start_ns"), *number = tt_html_cell(worst, row, "frame");
	size_t frame = start && number ? tt_frames_find(f, from, end, start->v) : SIZE_MAX;

	return frame != SIZE_MAX && tt_frames_number(f, frame) == (uint64_t)number->v ? frame : SIZE_MAX;
}

static void
rank(struct tt_page_hitches *to, const struct tt_table *worst, const struct tt_frames *f, size_t from, size_t end)
{
	for (size_t row = 0; worst && row < worst->nrow; row++) {
		size_t frame = place(worst, row, f, from, end);

		for (size_t i = 0; i < to->n; i++)
			if (to->of[i].frame == frame)
				to->of[i].rank = row + 1;
	}
}

void
tt_page_hitches(struct tt_page_hitches *to, const struct tt_report *r, const struct tt_frames *f, size_t from, size_t end)
{
	const struct tt_table *causes = tt_html_find(r, "causes"), *t = tt_html_find(r, "frame_causes"), *worst = tt_html_find(r, "hitches");

	to->n = 0;
	to->worst = !causes || (causes->nrow == 0 && !causes->complete);
	if (to->worst)
		t = worst;
	for (size_t row = 0; t && row < t->nrow && to->n < TT_PAGE_HITCHES; row++) {
		const uint64_t number = (uint64_t)tt_html_value(t, row, "frame"), of = (uint64_t)tt_html_value(t, row, "worst");
		size_t frame = to->worst ? place(t, row, f, from, end) : tt_lower_bound(i, from, end, tt_frames_number(f, i) < number);

		if (frame < end && tt_frames_number(f, frame) == number && (of || to->worst))
			to->of[to->n++] = (struct tt_page_hitch){ frame, number, of, 0 };
	}
	tt_sort(to->of, to->n, by_place);
	rank(to, worst, f, from, end);
}

void
tt_page_hitch_link(const struct tt_page_hitch *h, struct tt_buf *out)
{
	if (h->rank)
		tt_buf_printf(out, "<a href=\"#worst-%zu\" data-n=\"%llu\">", h->rank, (unsigned long long)h->number);
	else
		tt_buf_printf(out, "<a href=\"#t-frame_causes\" data-n=\"%llu\">", (unsigned long long)h->number);
}
