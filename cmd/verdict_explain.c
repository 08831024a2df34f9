/**
 * The reasons for one row of a verdict; the contract is in verdict.h.
 */
#include <string.h>

#include "verdict.h"

#define PARTS_SHOWN 8
#define FRAME_PARTS_SHOWN 4

/* ${s} and blanks up to ${width} columns; amounts hold a letter of two bytes. */
static int
put_padded(struct tt_buf *out, const char *s, size_t width, struct tt_err *err)
{
	size_t n = 0;

	for (const char *p = s; *p; p++)
		n += ((unsigned char)*p & 0xC0) != 0x80;
	return tt_buf_printf(out, err, "%s%*s", s, n < width ? (int)(width - n) : 0, "");
}

static int
put_points(struct tt_buf *out, const struct tt_verdict_row *r, const struct tt_point *p, size_t n, bool sessions,
    struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		const struct tt_value *v = &p[i].sample->value[r->row->which];
		char text[64];

		*tt_put_amount(text, p[i].v, r->dim) = '\0';
		rc = tt_buf_text(out, "  ", err);
		if (rc == TT_OK)
			rc = put_padded(out, p[i].known ? text : "-", 20, err);
		if (rc == TT_OK)
			rc = tt_buf_printf(out, err, "  %s%s%s\n", p[i].sample->name, sessions ? ", session " : "", sessions ? p[i].sample->session : "");
		if (rc == TT_OK && v->why)
			rc = tt_buf_printf(out, err, "  %20s  %s\n", "", v->why);
	}
	return rc;
}

static int
put_test(struct tt_buf *out, const struct tt_verdict_row *r, struct tt_err *err)
{
	char widened[64];
	int rc = tt_buf_printf(out, err, "\nTest\n  p = %.4g, after Holm over %zu rows %.4g; largest distance of the "
	    "distributions %.2f (p = %.2g, shown only)\n", r->p, r->ntested, r->p_adjusted, r->ks, r->ks_p);

	*tt_put_amount(widened, r->widened, r->dim) = '\0';
	if (rc == TT_OK && r->widened)
		rc = tt_buf_printf(out, err, "  of what is allowed, %s is for the spread between sessions (%zu in the baseline)\n",
		    widened, r->sessions);
	return rc;
}

int
verdict_quoted(struct tt_buf *out, const char *s, struct tt_err *err)
{
	int rc;

	if (s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:")] == '\0')
		return tt_buf_text(out, s, err);
	rc = tt_buf_text(out, "'", err);
	for (; *s && rc == TT_OK; s++)
		rc = *s == '\'' ? tt_buf_text(out, "'\\''", err) : tt_buf_add(out, s, 1, err);
	return rc == TT_OK ? tt_buf_text(out, "'", err) : rc;
}

/* The files of a sample as arguments. */
static int
put_files(struct tt_buf *out, const struct tt_sample *s, struct tt_err *err)
{
	int rc = s->files ? TT_OK : verdict_quoted(out, s->name, err);

	for (size_t i = 0; i < s->files && rc == TT_OK; i++) {
		rc = i ? tt_buf_text(out, " ", err) : TT_OK;
		if (rc == TT_OK)
			rc = verdict_quoted(out, s->file[i], err);
	}
	return rc;
}

/* The largest ${most} parts of a kind, each after ${indent}. */
static int
put_some(struct tt_buf *out, const struct tt_part *part, size_t n, enum tt_about about, bool framed, size_t most, const char *indent,
    struct tt_err *err)
{
	enum tt_dim dim = about == TT_ABOUT_TIME ? TT_DIM_TIME : TT_DIM_BYTES;
	size_t shown = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < n && rc == TT_OK && shown < most; i++) {
		char v[64], count[64];

		if (part[i].about != about || part[i].framed != framed)
			continue;
		shown++;
		*tt_put_amount(v, part[i].v, dim) = '\0';
		*tt_put_amount(count, part[i].count, TT_DIM_NUMBER) = '\0';
		rc = tt_buf_text(out, indent, err);
		if (rc == TT_OK)
			rc = put_padded(out, v, 12, err);
		if (rc == TT_OK)
			rc = tt_buf_printf(out, err, "  %10s x  %s\n", count, part[i].name);
	}
	return rc;
}

/* Of a frame that was not read once more only the first markers are known. */
static int
put_top(struct tt_buf *out, const struct tt_worst *w, struct tt_err *err)
{
	int rc = TT_OK;
	char v[64];

	for (unsigned i = 0; i < w->ntop && rc == TT_OK; i++) {
		*tt_put_amount(v, tt_scale(w->top[i].self_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
		rc = tt_buf_text(out, "      ", err);
		if (rc == TT_OK)
			rc = put_padded(out, v, 12, err);
		if (rc == TT_OK)
			rc = tt_buf_printf(out, err, "  %s\n", w->top[i].name);
	}
	return rc;
}

static int
put_frame(struct tt_buf *out, const struct tt_sample *s, const struct tt_worst *w, const char *convert, struct tt_err *err)
{
	char dur[64], bytes[64];
	int rc;

	*tt_put_amount(dur, tt_scale(w->dur_ns, TT_AMOUNT_ONE, 1), TT_DIM_TIME) = '\0';
	*tt_put_amount(bytes, tt_scale(w->alloc_b, TT_AMOUNT_ONE, 1), TT_DIM_BYTES) = '\0';
	rc = tt_buf_printf(out, err, "  frame %llu: %s; %s in %lld allocation%s\n", (unsigned long long)w->number, dur, bytes,
	    (long long)w->alloc_n, w->alloc_n == 1 ? "" : "s");
	if (rc == TT_OK)
		rc = w->part ? put_some(out, w->part, w->npart, TT_ABOUT_TIME, true, FRAME_PARTS_SHOWN, "      ", err) : put_top(out, w, err);
	if (rc == TT_OK && w->part)
		rc = put_some(out, w->part, w->npart, TT_ABOUT_ALLOC, true, FRAME_PARTS_SHOWN, "      ", err);
	if (rc == TT_OK)
		rc = tt_buf_text(out, "    tracetool convert ", err);
	if (rc == TT_OK)
		rc = put_files(out, s, err);
	return rc == TT_OK ? tt_buf_printf(out, err, "%s --frames %llu -o frame-%llu.json\n", convert,
	    (unsigned long long)w->number, (unsigned long long)w->number) : rc;
}

static int
put_parts(struct tt_buf *out, const struct tt_sample *s, enum tt_about about, bool framed, const char *title, struct tt_err *err)
{
	size_t i = 0;
	int rc;

	while (i < s->npart && (s->part[i].about != about || s->part[i].framed != framed))
		i++;
	if (i == s->npart)
		return TT_OK;
	rc = tt_buf_printf(out, err, "\n%s%s of %s\n", title, framed ? ", per frame," : s->frames ? ", frames or not," : "", s->name);
	return rc == TT_OK ? put_some(out, s->part, s->npart, about, framed, PARTS_SHOWN, "  ", err) : rc;
}

const struct tt_sample *
verdict_worst(const struct tt_verdict_row *r)
{
	return r->worst ? r->worst : r->npoint ? r->point[0].sample : NULL;
}

static int
put_worst(struct tt_buf *out, const struct tt_verdict_row *r, const char *convert, struct tt_err *err)
{
	const struct tt_sample *s = verdict_worst(r);
	bool framed = s && s->frames && (r->row->measure.metric->about == TT_ABOUT_NOTHING || tt_measure_framed(&r->row->measure));
	int rc = TT_OK;

	if (!s)
		return TT_OK;
	if (s->nworst)
		rc = tt_buf_printf(out, err, "\nWorst frames of %s\n", s->name);
	for (size_t i = 0; i < s->nworst && rc == TT_OK; i++)
		rc = put_frame(out, s, &s->worst[i], convert, err);
	if (rc == TT_OK)
		rc = put_parts(out, s, TT_ABOUT_TIME, framed, "Self time of markers", err);
	return rc == TT_OK ? put_parts(out, s, TT_ABOUT_ALLOC, framed, "Allocation sites", err) : rc;
}

static int
put_movers(struct tt_buf *out, const struct tt_verdict_row *r, struct tt_err *err)
{
	int rc = r->nmover ? tt_buf_text(out, "\nWhat grew\n", err) : TT_OK;

	for (size_t i = 0; i < r->nmover && rc == TT_OK; i++) {
		const struct tt_mover *m = &r->mover[i];
		enum tt_dim dim = m->about == TT_ABOUT_TIME ? TT_DIM_TIME : TT_DIM_BYTES;
		char change[64], base[64], now[64];

		*tt_put_change(change, m->change, dim) = '\0';
		*tt_put_amount(base, m->base, dim) = '\0';
		*tt_put_amount(now, m->now, dim) = '\0';
		rc = tt_buf_printf(out, err, "  %-12s  %s  (%s to %s%s)\n", change, m->name, base, now,
		    m->per_frame ? " per frame" : "");
	}
	return rc;
}

static int
put_row(struct tt_buf *out, const struct tt_verdict_row *r, const char *convert, struct tt_err *err)
{
	int rc = tt_buf_printf(out, err, "%s: %s: %s\n%s\n  metric %s: %s\n", r->name, tt_outcome_name[r->outcome], r->text,
	    r->title, r->row->measure.key, r->row->measure.metric->help);

	if (rc == TT_OK && r->npoint)
		rc = tt_buf_text(out, "\nCaptures\n", err);
	if (rc == TT_OK)
		rc = put_points(out, r, r->point, r->npoint, false, err);
	if (rc == TT_OK && r->nbase_point)
		rc = tt_buf_text(out, "\nBaseline\n", err);
	if (rc == TT_OK)
		rc = put_points(out, r, r->base_point, r->nbase_point, true, err);
	if (rc == TT_OK && r->tested)
		rc = put_test(out, r, err);
	if (rc == TT_OK)
		rc = put_movers(out, r, err);
	return rc == TT_OK ? put_worst(out, r, convert, err) : rc;
}

int
verdict_explain(const struct tt_verdict *v, const char *id, const char *convert, struct tt_buf *out,
    struct tt_err *err)
{
	const struct tt_budget_row *row = tt_budget_row(v->budget, id, err);
	size_t n = 0;
	int rc = row ? TT_OK : err->code;

	for (size_t i = 0; i < v->nrow && rc == TT_OK; i++) {
		if (v->row[i].row != row)
			continue;
		if (n++)
			rc = tt_buf_text(out, "\n", err);
		if (rc == TT_OK)
			rc = put_row(out, &v->row[i], convert, err);
	}
	return rc;
}
