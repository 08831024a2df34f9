/**
 * What is so throughout the capture: a heap that grows, allocation in every frame; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

#include "out/table.h"
#include "view/view.h"

/* Typical frames allocate this much, or more: at 60 frames a second some collections a minute. */
enum { LEAST_BYTES = 64 << 10, LEAST_POINTS = 4, LEAST_GROWTH = 1 << 20 };

static const char *
text(struct tt_why *w, const char *fmt, const char *a, const char *b, const char *c)
{
	struct tt_buf to = { 0 };
	const char *s;

	tt_buf_printf(&to, fmt, a, b, c);
	s = tt_buf_error(&to, w->err) == TT_OK ? tt_arena_text(w->text, to.p, to.n, w->err) : NULL;
	tt_buf_free(&to);
	return s;
}

/* The marker that allocates the most in a typical frame, where that is much. */
static int
find_allocation(struct tt_why *w)
{
	const struct tt_usual *most = NULL;
	struct tt_finding *f;
	char bytes[32], all[32];
	int64_t sum = 0;

	for (size_t i = 0; i < w->nusual; i++) {
		const struct tt_usual *u = &w->usual[i];

		if (u->what != TT_OF_SITE)
			continue;
		sum += u->self;
		if (u->id != TT_NO_ROW && (!most || u->self > most->self))
			most = u;
	}
	if (!most || most->self < LEAST_BYTES)
		return TT_OK;
	f = tt_why_finding(w);
	if (!f)
		return w->err->code;
	*tt_put_bytes(bytes, most->self) = '\0';
	*tt_put_bytes(all, sum) = '\0';
	*f = (struct tt_finding){ .class = TT_CAUSE_ALLOCATION, .marker = w->p->row[most->id].label, .frames = "all frames" };
	f->sentence = text(w, "%s allocates %s in a typical frame, of %s in all", f->marker, bytes, all);
	return w->err->code;
}

int
tt_why_steady(struct tt_why *w)
{
	return find_allocation(w);
}
