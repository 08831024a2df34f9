/**
 * Explains one row of a verdict.
 */
#include "base/setting.h"
#include "base/shell.h"
#include "gate/budget.h"
#include "gate/sample.h"
#include "verdict/verdict_as.h"

#define PARTS_SHOWN 8
#define FRAME_PARTS_SHOWN 4

/* Append ${s}, padded with blanks to ${width} columns; amounts may contain a two-byte letter. */
static void
put_padded(struct tt_buf *out, const char *s, size_t width)
{
	size_t n = 0;

	for (const char *p = s; *p; p++)
		n += ((unsigned char)*p & 0xC0) != 0x80;
	tt_buf_printf(out, "%s%*s", s, n < width ? (int)(width - n) : 0, "");
}

static void
put_points(struct tt_buf *out, const struct tt_verdict_row *r, const struct tt_point *p, size_t n, bool sessions)
{
	for (size_t i = 0; i < n; i++) {
		const struct tt_value *v = &p[i].sample->value[r->row->which];
		char text[64];

		*tt_put_amount(text, p[i].v, r->dim) = '\0';
		tt_buf_text(out, "  ");
		put_padded(out, p[i].known ? text : "-", 20);
		tt_buf_printf(out, "  %s%s%s\n", p[i].sample->name, sessions ? ", session " : "", sessions ? p[i].sample->session : "");
		if (v->why)
			tt_buf_printf(out, "  %20s  %s\n", "", v->why);
	}
}

static void
put_test(struct tt_buf *out, const struct tt_verdict_row *r)
{
	char spread[64];

	tt_buf_printf(out, "\nTest\n  that the change is at most the limit: p = %.4g, after Holm over %zu row%s %.4g\n"
	    "  that it is at least that: p = %.4g, after Holm %.4g\n", r->p, r->ntested, r->ntested == 1 ? "" : "s", r->p_adjusted, r->p_not,
	    r->p_not_adjusted);
	*tt_put_amount(spread, r->spread, r->dim) = '\0';
	if (r->by_session)
		tt_buf_printf(out, "  sessions are the unit: those of the baseline (%zu) %s by %s (standard deviation)\n", r->sessions,
		    r->spread_assumed || r->before ? "are assumed to differ" : "differ", spread);
	else
		tt_buf_text(out, "  each capture is one value: all are from one session\n");
	tt_buf_printf(out, "  largest distance of the distributions %.2f (p = %.2g, shown only)\n", r->ks, r->ks_p);
}

/* Append the files of a sample as arguments. */
static void
put_files(struct tt_buf *out, const struct tt_sample *s)
{
	if (!s->files)
		tt_shell_quote(out, s->name);
	for (size_t i = 0; i < s->files; i++) {
		tt_buf_text(out, i ? " " : "");
		tt_shell_quote(out, s->file[i]);
	}
}

/* The kind of parts to show, of a sample or of a frame. */
struct kind { enum tt_about about; bool framed, cpu; };

/* The amount of ${p} if it is of kind ${k}; else 0. */
static int64_t
of_kind(const struct tt_part *p, const struct kind *k)
{
	return p->about != k->about || p->framed != k->framed ? 0 : k->cpu ? p->work : p->v;
}

/* Append the ${most} largest parts of a kind, each after ${indent}. */
static void
put_some(struct tt_buf *out, const struct tt_part *part, size_t n, const struct kind *k, size_t most, const char *indent)
{
	enum tt_dim dim = k->about == TT_ABOUT_TIME ? TT_DIM_TIME : TT_DIM_BYTES;
	const struct tt_part *last = NULL;

	for (size_t shown = 0; shown < most; shown++) {
		int64_t below = last ? of_kind(last, k) : INT64_MAX;
		const struct tt_part *next = NULL;
		char v[64], count[64];

		for (const struct tt_part *p = part; p < part + n; p++) {
			int64_t of = of_kind(p, k);

			if ((of < below || (of == below && p > last)) && of > (next ? of_kind(next, k) : 0))
				next = p;
		}
		if (!next)
			return;
		last = next;
		*tt_put_amount(v, of_kind(next, k), dim) = '\0';
		*tt_put_amount(count, next->count, TT_DIM_NUMBER) = '\0';
		tt_buf_text(out, indent);
		put_padded(out, v, 12);
		tt_buf_printf(out, "  %10s x  %s\n", count, next->name);
	}
}

/* Append the top markers of a frame that was not read again, the only ones known. */
static void
put_top(struct tt_buf *out, const struct tt_worst *w)
{
	char v[64];

	for (unsigned i = 0; i < w->ntop; i++) {
		*tt_put_amount(v, tt_scale(w->top[i].self_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
		tt_buf_text(out, "      ");
		put_padded(out, v, 12);
		tt_buf_printf(out, "  %s\n", w->top[i].name);
	}
}

static void
put_frame(struct tt_buf *out, const struct tt_sample *s, const struct tt_worst *w, const struct tt_measure *x, const char *convert)
{
	char dur[64], bytes[64], own[64];
	const char *what;

	*tt_put_amount(own, tt_scale(tt_worst_time(w, x, &what), TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
	*tt_put_amount(dur, tt_scale(w->dur_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
	*tt_put_amount(bytes, tt_scale(w->alloc_b, TT_AMOUNT_ONE, 1), TT_DIM_BYTES) = '\0';
	tt_buf_printf(out, "  frame %llu: %s%s%s%s", (unsigned long long)w->number, dur, *what ? ", " : "", *what ? own : "", what);
	if (w->alloc_n)               /* 0 also if allocations were not recorded */
		tt_buf_printf(out, "; %s in %lld allocation%s", bytes, (long long)w->alloc_n, w->alloc_n == 1 ? "" : "s");
	tt_buf_text(out, "\n");
	if (w->part) {
		put_some(out, w->part, w->npart, &(struct kind){ TT_ABOUT_TIME, true, tt_measure_is_cpu(x) }, FRAME_PARTS_SHOWN, "      ");
		put_some(out, w->part, w->npart, &(struct kind){ TT_ABOUT_ALLOC, true, false }, FRAME_PARTS_SHOWN, "      ");
	} else {
		put_top(out, w);
	}
	tt_buf_text(out, "    tracetool convert ");
	put_files(out, s);
	tt_buf_printf(out, "%s %s %llu -o frame-%llu.json\n", convert, tt_setting_name[TT_SETTING_FRAMES], (unsigned long long)w->number,
	    (unsigned long long)w->number);
}

static void
put_parts(struct tt_buf *out, const struct tt_sample *s, const struct kind *k, const char *title)
{
	size_t i = 0;

	while (i < s->npart && of_kind(&s->part[i], k) <= 0)
		i++;
	if (i == s->npart)
		return;
	tt_buf_printf(out, "\n%s%s of %s\n", title, k->framed ? ", per frame," : s->frames ? ", frames or not," : "", s->name);
	put_some(out, s->part, s->npart, k, PARTS_SHOWN, "  ");
}

const struct tt_sample *
tt_verdict_worst(const struct tt_verdict_row *r)
{
	return r->worst ? r->worst : r->npoint ? r->point[0].sample : NULL;
}

static void
put_worst(struct tt_buf *out, const struct tt_verdict_row *r, const char *convert)
{
	const struct tt_sample *s = tt_verdict_worst(r);
	bool framed = s && s->frames && (r->row->measure.metric->about == TT_ABOUT_NOTHING || tt_measure_framed(&r->row->measure));

	bool cpu = tt_measure_is_cpu(&r->row->measure);

	if (!s)
		return;
	if (s->nworst)
		tt_buf_printf(out, "\n%s frames of %s\n", tt_measure_is_selective(&r->row->measure) ? "Longest" : "Worst", s->name);
	for (size_t i = 0; i < s->nworst; i++)
		put_frame(out, s, &s->worst[i], &r->row->measure, convert);
	put_parts(out, s, &(struct kind){ TT_ABOUT_TIME, framed, cpu }, cpu ? "CPU-active self time of markers" : "Self time of markers");
	put_parts(out, s, &(struct kind){ TT_ABOUT_ALLOC, framed, false }, "Allocation sites");
}

static void
put_movers(struct tt_buf *out, const struct tt_verdict_row *r)
{
	if (r->nmover)
		tt_buf_text(out, "\nWhat grew\n");
	for (size_t i = 0; i < r->nmover; i++) {
		const struct tt_mover *m = &r->mover[i];
		enum tt_dim dim = m->about == TT_ABOUT_TIME ? TT_DIM_TIME : TT_DIM_BYTES;
		char change[64], base[64], now[64];

		*tt_put_change(change, m->change, dim) = '\0';
		*tt_put_amount(base, m->base, dim) = '\0';
		*tt_put_amount(now, m->now, dim) = '\0';
		tt_buf_printf(out, "  %-12s  %s  (%s to %s%s)\n", change, m->name, base, now, m->per_frame ? " per frame" : "");
	}
}

static void
put_row(struct tt_buf *out, const struct tt_verdict_row *r, const char *convert)
{
	tt_buf_printf(out, "%s: %s: %s\n%s\n  metric %s: %s\n", r->name, tt_outcome_name[r->outcome], r->text,
	    r->title, r->row->measure.key, r->row->measure.metric->help);
	if (r->npoint)
		tt_buf_text(out, "\nCaptures\n");
	put_points(out, r, r->point, r->npoint, false);
	if (r->nbase_point)
		tt_buf_text(out, "\nBaseline\n");
	put_points(out, r, r->base_point, r->nbase_point, true);
	if (r->tested)
		put_test(out, r);
	put_movers(out, r);
	put_worst(out, r, convert);
}

int
tt_verdict_explain(const struct tt_verdict *v, const char *id, const char *convert, struct tt_buf *out,
    struct tt_err *err)
{
	const struct tt_budget_row *row = tt_budget_row(v->budget, id, err);
	size_t n = 0;

	if (!row)
		return err->code;
	for (size_t i = 0; i < v->nrow; i++) {
		if (v->row[i].row != row)
			continue;
		if (n++)
			tt_buf_text(out, "\n");
		put_row(out, &v->row[i], convert);
	}
	return tt_buf_error(out, err);
}
