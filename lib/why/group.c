/**
 * Joins causes of one kind into findings, beside those that last throughout the capture; the contract is in causes_parts.h.
 */
#include "why/causes_parts.h"

#include "base/arena_text.h"
#include "base/buf.h"
#include "base/order.h"
#include "out/table.h"

/* --- frames in words ----------------------------------------------------------------------------- */

static uint64_t
number(const struct tt_why *w, const struct tt_cause *c)
{
	return tt_frames_number(w->m->frames, c->frame);
}

/* True if the ${n} causes at ${c}, which are in order, are evenly spaced, close together, or a tenth of all frames: that is no chance. */
static bool
is_pattern(const struct tt_why *w, const struct tt_cause *const *c, size_t n)
{
	enum { OF_FRAMES = 10 };
	const uint64_t first = number(w, c[0]), last = number(w, c[n - 1]);
	bool regular = n >= 3;

	for (size_t i = 2; i < n; i++)
		regular = regular && number(w, c[i]) - number(w, c[i - 1]) == number(w, c[1]) - first;
	return regular || (n >= 3 && n * OF_FRAMES >= w->m->frames->n) || (n >= 3 && last - first < n + n / 4);
}

/* "8 frames, every 60th", "frames 229-332", "frames 51 and 111" of the ${n} causes at ${c}, which are in order. */
static const char *
frames_text(struct tt_why *w, const struct tt_cause *const *c, size_t n)
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
	return tt_buf_keep(&b, w->text, w->err);
}

/* --- findings -------------------------------------------------------------------------------------- */

static const char *
marker_of(const struct tt_why *w, const struct tt_cause *c)
{
	if (c->class == TT_CAUSE_UNKNOWN || c->class == TT_CAUSE_OUTSIDE)
		return NULL;
	if (c->class == TT_CAUSE_COMPILED && c->name)
		return c->name;
	return c->row == TT_NO_ROW ? TT_OUTSIDE : w->p->row[c->row].label;
}

static int
by_cause(const void *a, const void *b)
{
	const struct tt_cause *x = *(const struct tt_cause *const *)a, *y = *(const struct tt_cause *const *)b;

	if (tt_why_is_same(x, y))
		return TT_CMP(x->frame, y->frame);
	if (x->class != y->class)
		return TT_CMP(x->class, y->class);
	if (x->kin != y->kin)
		return TT_CMP(x->kin, y->kin);
	if (tt_why_is_asked(x) != tt_why_is_asked(y))
		return TT_CMP(tt_why_is_asked(x), tt_why_is_asked(y));
	if (x->row != y->row)
		return TT_CMP(x->row, y->row);
	return tt_why_call_told(x) != tt_why_call_told(y) ? TT_CMP(tt_why_call_told(x), tt_why_call_told(y)) : TT_CMP(x->woken_late, y->woken_late);
}

static int
group_causes(struct tt_why *w, const struct tt_cause *const *c, size_t n)
{
	const struct tt_cause *worst = c[0];
	struct tt_finding *f = tt_why_finding(w);

	if (!f)
		return w->err->code;
	*f = (struct tt_finding){ .class = c[0]->class, .n = n };
	for (size_t i = 0; i < n; i++) {
		f->extra += c[i]->extra;
		worst = c[i]->extra > worst->extra ? c[i] : worst;
	}
	f->worst = number(w, worst);
	for (size_t i = 0; i < n; i++)
		w->out->cause[c[i] - w->out->cause].worst = f->worst;
	f->is_noise = (worst->woken_late || worst->class == TT_CAUSE_OUTSIDE) && !is_pattern(w, c, n);
	for (size_t i = 0; i < n && !f->is_noise; i++)
		w->out->cause[c[i] - w->out->cause].woken_late = false;
	f->marker = marker_of(w, worst);
	f->frames = frames_text(w, c, n);
	f->sentence = tt_why_sentence(c, n, w->p, w->text, w->err);
	return w->err->code;
}

static int
group_hitches(struct tt_why *w)
{
	size_t n = 0, all = w->out->ncause;
	const struct tt_cause **c = tt_mem_alloc(w->mem, (all + 1) * sizeof(struct tt_cause *), w->err);
	int rc = c ? TT_OK : w->err->code;

	for (size_t i = 0; i < all && c; i++) {
		struct tt_cause *k = &w->out->cause[i];

		if (k->also && tt_why_grown(w, k->also))
			k->also = NULL;
		if (!tt_why_grown(w, k))
			c[n++] = k;
	}
	if (c)
		tt_sort_bytes(c, n, sizeof *c, by_cause);
	for (size_t i = 0, next; i < n && rc == TT_OK; i = next) {
		for (next = i + 1; next < n && tt_why_is_same(c[i], c[next]);)
			next++;
		rc = group_causes(w, c + i, next - i);
	}
	tt_mem_free(w->mem, c, (all + 1) * sizeof(struct tt_cause *));
	return rc;
}

/* --- order ------------------------------------------------------------------------------------------- */

/* Known causes come before the machine's noise, and this before unknown ones; findings of frames come before those of the whole capture. */
static int
by_weight(const void *a, const void *b)
{
	const struct tt_finding *x = a, *y = b;
	bool k = x->class == TT_CAUSE_UNKNOWN, l = y->class == TT_CAUSE_UNKNOWN;

	if (k != l)
		return k - l;
	if (x->is_noise != y->is_noise)
		return x->is_noise - y->is_noise;
	if (x->extra != y->extra)
		return TT_CMP(y->extra, x->extra);
	if (x->class == TT_CAUSE_LEAK || y->class == TT_CAUSE_LEAK)
		return x->class == TT_CAUSE_LEAK ? -1 : 1;
	return x->class != y->class ? TT_CMP(x->class, y->class) : TT_CMP(x->worst, y->worst);
}

int
tt_why_group(struct tt_why *w)
{
	struct tt_causes *out = w->out;
	int rc = tt_why_growth(w);

	if (rc == TT_OK)
		rc = group_hitches(w);
	if (rc == TT_OK)
		rc = tt_why_steady(w);
	if (rc == TT_OK)
		rc = tt_why_cost(w);
	if (rc != TT_OK)
		return rc;
	tt_sort(w->found, out->nfinding, by_weight);
	out->finding = tt_arena_alloc(w->text, (out->nfinding + 1) * sizeof *out->finding, w->err);
	if (out->finding && out->nfinding)
		memcpy(out->finding, w->found, out->nfinding * sizeof *out->finding);
	return w->err->code;
}
