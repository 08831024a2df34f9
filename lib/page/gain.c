/**
 * Estimates how many more frames would meet a budget if causes were fixed, and says so.
 */
#include "page/gain.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "model/frames.h"
#include "out/html.h"
#include "page/page_hitches.h"
#include "stat/num.h"
#include "view/figures.h"

enum { CAUSES = 3, MAX_CAUSES = 64 };

static const struct { int64_t ns; const char *name; } budget[] = { { 16670000, "60 fps" }, { 33330000, "30 fps" } };

/* The index of the first budget that most frames meet; past the end: none. *${over}: number of frames that miss it. */
static size_t
budget_met(const struct tt_frames *f, size_t *over)
{
	size_t k = 0;

	for (; k < sizeof budget / sizeof *budget; k++) {
		*over = 0;
		for (size_t i = 0; i < f->n; i++)
			*over += tt_frames_shown(f, i) > tt_frame_limit(budget[k].ns);
		if (2 * *over < f->n)
			break;
	}
	return k;
}

/* The extra time of frame ${number} in the table frame_causes; 0: the frame is not in the table. */
static int64_t
extra_of(const struct tt_table *frames, uint64_t number)
{
	for (size_t i = 0; i < frames->nrow; i++)
		if ((uint64_t)tt_html_value(frames, i, "frame") == number)
			return tt_html_value(frames, i, "extra_ns");
	return 0;
}

/* Write "the causes of frames 26, 51 and 41" for the ${n} causes in ${row}. */
static void
put_causes(const struct tt_table *causes, const size_t *row, size_t n, struct tt_buf *out)
{
	tt_buf_printf(out, "the cause%s of %s", n == 1 ? "" : "s", n == 1 ? "frame " : "frames ");
	for (size_t i = 0; i < n; i++)
		tt_buf_printf(out, "%s%" PRId64, i == 0 ? "" : i + 1 == n ? " and " : ", ", tt_html_value(causes, row[i], "worst"));
}

void
tt_page_gain(const struct tt_report *r, const struct tt_frames *f, const struct tt_page_hitches *hitches, struct tt_buf *out)
{
	const struct tt_table *causes = tt_html_find(r, "causes"), *frames = tt_html_find(r, "frame_causes");
	const size_t ncauses = causes && causes->nrow < MAX_CAUSES ? causes->nrow : MAX_CAUSES;
	size_t gain[MAX_CAUSES] = { 0 }, row[CAUSES], nrows = 0, over, mended = 0, k;
	char now[32], then[32];

	if (!causes || !frames || !f->n || hitches->worst || (k = budget_met(f, &over)) == sizeof budget / sizeof *budget)
		return;
	for (size_t i = 0; i < hitches->n; i++) {
		const struct tt_page_hitch *h = &hitches->of[i];
		const int64_t ns = tt_frames_shown(f, h->frame), limit = tt_frame_limit(budget[k].ns);

		for (size_t c = 0; c < ncauses && ns > limit; c++)
			if (h->of && (uint64_t)tt_html_value(causes, c, "worst") == h->of)
				gain[c] += ns - extra_of(frames, h->number) <= limit;
	}
	while (nrows < CAUSES) {
		size_t best = 0;

		for (size_t c = 1; c < ncauses; c++)
			best = gain[c] > gain[best] ? c : best;
		if (gain[best] == 0)
			break;
		mended += gain[best];
		gain[best] = 0;
		row[nrows++] = best;
	}
	if (nrows == 0)
		return;
	*tt_put_fixed(now, (int64_t)((f->n - over) * 1000 / f->n), 1) = '\0';
	*tt_put_fixed(then, (int64_t)((f->n - over + mended) * 1000 / f->n), 1) = '\0';
	tt_buf_text(out, "<p id=\"gain\">Without ");
	put_causes(causes, row, nrows, out);
	tt_buf_printf(out, ", %s %% of frames would be shown in time for %s; now %s %% are. An estimate: their frames less the time that they take beyond the "
	    "typical one.</p>\n", then, budget[k].name, now);
}
