/**
 * Prints a verdict as text for people.
 */
#include "gate/baseline.h"
#include "verdict/verdict_as.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"
#define NAME_MAX_WIDTH 32

struct word { const char *text, *color; };

static struct word
word_of(const struct tt_verdict_row *r)
{
	switch (r->outcome) {
	case TT_PASS:
	case TT_NOT_WORSE:
		return (struct word){ "ok", GREEN };
	case TT_BREACH:
	case TT_WORSE:
		return r->fails ? (struct word){ "FAIL", RED } : (struct word){ "warn", YELLOW };
	case TT_UNDECIDED:
		return (struct word){ "undecided", YELLOW };
	case TT_CANNOT_JUDGE:
		return (struct word){ "cannot", YELLOW };
	case TT_WAIVED:
		return (struct word){ "waived", YELLOW };
	case TT_ACCEPTED:
		return (struct word){ "accepted", YELLOW };
	default:
		return (struct word){ "skipped", "" };
	}
}

/* The columns of ${s}: its characters, not its bytes. */
static size_t
columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80;
	return n;
}

static void
put_padded(struct tt_buf *out, const char *s, size_t width)
{
	size_t n = columns(s);

	tt_buf_printf(out, "%s%*s", s, n < width ? (int)(width - n) : 0, "");
}

/* Append a mover: "Game:Spin  +2.004 ms per frame, 0.100 ms to 2.104 ms; calls per frame 1, were 1". */
static void
put_mover(struct tt_buf *out, const struct tt_verdict *v, const struct tt_mover *m)
{
	enum tt_dim dim = m->about == TT_ABOUT_TIME ? TT_DIM_TIME : TT_DIM_BYTES;
	const char *per = m->per_frame ? " per frame" : "", *what = m->about == TT_ABOUT_TIME ? "calls" : "allocations";
	char change[64], base[64], now[64], count[64], was[64];

	*tt_put_change(change, m->change, dim) = '\0';
	*tt_put_amount(base, m->base, dim) = '\0';
	*tt_put_amount(now, m->now, dim) = '\0';
	*tt_put_amount(count, m->now_count, TT_DIM_NUMBER) = '\0';
	*tt_put_amount(was, m->base_count, TT_DIM_NUMBER) = '\0';
	tt_buf_printf(out, "               %s  %s%s", m->name, change, per);
	if (m->fresh) {
		tt_buf_printf(out, ", not in the %s (%s%s: %s)\n", v->ab ? "old build" : "baseline", what, per, count);
		return;
	}
	tt_buf_printf(out, " (%s to %s; %s%s: %s, were %s)\n", base, now, what, per, count, was);
}

/* Append the movers of a row that fails; ${m}: movers that are printed already. */
static void
put_movers(struct tt_buf *out, const struct tt_verdict *v, const struct tt_verdict_row *r, struct tt_verdict_movers *m)
{
	const struct tt_verdict_row *before;

	if (r->nmover == 0 || (r->would != TT_WORSE && r->would != TT_BREACH))
		return;
	before = tt_verdict_movers_shown(m, r);
	if (before) {
		tt_buf_printf(out, "               what changed most beneath it: as under %s\n", before->name);
		return;
	}
	tt_buf_printf(out, "               what changed most beneath it, %s:\n", r->mover[0].per_frame ? "means over all frames" : "over the whole capture");
	for (size_t i = 0; i < r->nmover; i++)
		put_mover(out, v, &r->mover[i]);
}

static void
put_row(struct tt_buf *out, const struct tt_verdict *v, const struct tt_verdict_row *r, size_t width, bool color, struct tt_verdict_movers *m)
{
	struct word w = word_of(r);

	tt_buf_text(out, "  ");
	if (color)
		tt_buf_text(out, w.color);
	put_padded(out, w.text, 11);
	if (color && *w.color)
		tt_buf_text(out, PLAIN);
	put_padded(out, r->name, width);
	tt_buf_text(out, "  ");
	tt_buf_printf(out, "%s: %s\n", r->title, r->text);
	put_movers(out, v, r, m);
	if (r->hint && r->outcome != TT_SKIPPED)
		tt_buf_printf(out, "               %s\n", r->hint);
}

static size_t
name_width(const struct tt_verdict *v)
{
	size_t width = 0;

	for (size_t i = 0; i < v->nrow; i++) {
		size_t n = columns(v->row[i].name);

		width = n > width && n <= NAME_MAX_WIDTH ? n : width;
	}
	return width;
}

static void
put_head(struct tt_buf *out, const struct tt_verdict *v)
{
	if (v->ab) {
		tt_buf_printf(out, "%s: %zu pair%s of at most %zu, seed %llu, on %s\nold: %s\nnew: %s\n\n", v->budget->path, v->ab->done,
		    v->ab->done == 1 ? "" : "s", v->ab->planned, (unsigned long long)v->ab->seed, v->today, v->ab->build[TT_OLD], v->ab->build[TT_NEW]);
		return;
	}
	const size_t n = tt_verdict_captures(v);

	tt_buf_printf(out, "%s: %zu capture%s", v->budget->path, n, n == 1 ? "" : "s");
	if (v->base)
		tt_buf_printf(out, " against %s (%zu capture%s in %zu session%s)", v->base->path, v->base->nsample,
		    v->base->nsample == 1 ? "" : "s", v->base->nsession, v->base->nsession == 1 ? "" : "s");
	tt_buf_printf(out, ", on %s\n\n", v->today);
}

int
tt_verdict_as_text(const struct tt_verdict *v, bool color, struct tt_buf *out, struct tt_err *err)
{
	struct tt_verdict_movers movers = { 0 };
	size_t width = name_width(v);

	put_head(out, v);
	/* Failing rows come first: readers of a long log look for them. */
	for (int failing = 1; failing >= 0; failing--)
		for (size_t i = 0; i < v->nrow; i++)
			if (v->row[i].fails == failing)
				put_row(out, v, &v->row[i], width, color, &movers);
	if (v->nremark)
		tt_buf_text(out, "\n");
	for (size_t i = 0; i < v->nremark; i++)
		tt_buf_printf(out, "note: %s\n", v->remark[i]);
	if (v->accept)
		tt_buf_printf(out, "\nif this is meant to stay, accept it with a reason:\n  %s\n", v->accept);
	tt_buf_printf(out, "\n%s%s%s\n", color ? v->status == 0 ? GREEN : RED : "",
	    v->summary, color ? PLAIN : "");
	return tt_buf_error(out, err);
}
