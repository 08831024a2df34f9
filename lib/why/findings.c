/**
 * Appends findings to a list, and describes in words the frames that they are about.
 */
#include "why/causes_parts.h"

#include <string.h>

#include "base/arena_text.h"
#include "base/buf.h"

struct tt_finding *
tt_why_finding(struct tt_why *w)
{
	struct tt_causes *out = w->out;

	if (tt_mem_grow(w->mem, &w->found, &w->capfound, out->nfinding + 1, sizeof *w->found, w->err) != TT_OK)
		return NULL;
	return &w->found[out->nfinding++];
}

int
tt_why_copy_findings(struct tt_why *w)
{
	struct tt_causes *out = w->out;

	out->finding = tt_arena_alloc(w->text, (out->nfinding + 1) * sizeof *out->finding, w->err);
	if (out->finding && out->nfinding)
		memcpy(out->finding, w->found, out->nfinding * sizeof *out->finding);
	return w->err->code;
}

static uint64_t
number(const struct tt_why *w, size_t frame)
{
	return tt_frames_number(w->m->frames, frame);
}

bool
tt_why_is_spaced(const struct tt_why *w, const size_t *c, size_t n)
{
	const uint64_t first = number(w, c[0]), last = number(w, c[n - 1]);
	bool regular = n >= 3;

	for (size_t i = 2; i < n; i++)
		regular = regular && number(w, c[i]) - number(w, c[i - 1]) == number(w, c[1]) - first;
	return regular || (n >= 3 && last - first < n + n / 4);
}

bool
tt_why_is_pattern(const struct tt_why *w, const size_t *c, size_t n)
{
	enum { OF_FRAMES = 10 };

	return tt_why_is_spaced(w, c, n) || (n >= 3 && n * OF_FRAMES >= w->m->frames->n);
}

const char *
tt_why_frames_text(struct tt_why *w, const size_t *c, size_t n)
{
	uint64_t first = number(w, c[0]), last = number(w, c[n - 1]), every = n > 1 ? number(w, c[1]) - first : 0;
	bool regular = n >= 3 && every > 1;
	struct tt_buf b = { 0 };

	for (size_t i = 2; i < n; i++)
		regular = regular && number(w, c[i]) - number(w, c[i - 1]) == every;
	if (regular)
		tt_buf_printf(&b, last + every > tt_frames_number(w->m->frames, w->m->frames->n - 1) ? "%zu frames, every %llu%s from %llu on" :
		    "%zu frames, every %llu%s from %llu to %llu", n, (unsigned long long)every,
		    every % 100 / 10 == 1 ? "th" : every % 10 == 1 ? "st" : every % 10 == 2 ? "nd" : every % 10 == 3 ? "rd" : "th",
		    (unsigned long long)first, (unsigned long long)last);
	else if (n >= 3 && last - first < n + n / 4)
		tt_buf_printf(&b, "frames %llu-%llu", (unsigned long long)first, (unsigned long long)last);
	else if (n > 4)
		tt_buf_printf(&b, "%zu frames, %llu to %llu", n, (unsigned long long)first, (unsigned long long)last);
	else {
		tt_buf_printf(&b, n > 1 ? "frames %llu" : "frame %llu", (unsigned long long)first);
		for (size_t i = 1; i < n; i++)
			tt_buf_printf(&b, i + 1 == n ? " and %llu" : ", %llu", (unsigned long long)number(w, c[i]));
	}
	return tt_buf_move_to_arena(&b, w->text, w->err);
}
