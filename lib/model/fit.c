/**
 * Adds up what captures show of their layout.
 */
#include "model/fit.h"

/* A game's own names may be no UTF-8, and one damaged message may have a bad name. */
enum { MAX_BAD_NAMES_PERCENT = 25, MIN_BAD_NAMES = 2 };
/* A capture of a few zones may have an end of one that began before it, and another zone open at its end. */
enum { MIN_BAD_ENDS = 8 };
/* Zones per thread that may be open at the begin of a recording, which then has their ends alone. */
enum { MAX_OPEN_AT_BEGIN = 16 };

struct tt_unknown *
tt_fit_unknown(struct tt_fit_count *c, uint32_t type, uint64_t n)
{
	for (unsigned i = 0; i < c->nunknown; i++)
		if (c->unknown[i].type == type) {
			c->unknown[i].n += n;
			return &c->unknown[i];
		}
	if (c->nunknown == TT_UNKNOWN_TYPES) {
		c->unknown_others += n;
		return NULL;
	}
	c->unknown[c->nunknown] = (struct tt_unknown){ .type = type, .n = n };
	return &c->unknown[c->nunknown++];
}

void
tt_fit_reset(struct tt_fit_count *c)
{
	c->misfits = c->misfit_at = c->misfit_bytes = c->rest_bytes = c->earlier = c->names = c->bad_names = c->unknown_others = 0;
	c->nunknown = 0;
}

void
tt_fit_join(struct tt_fit_count *into, const struct tt_fit_count *from)
{
	if (from->misfits > 0 && (into->misfits == 0 || from->misfit_at < into->misfit_at))
		into->misfit_at = from->misfit_at;
	into->misfits += from->misfits;
	into->misfit_bytes += from->misfit_bytes;
	into->rest_bytes += from->rest_bytes;
	into->earlier += from->earlier;
	into->names += from->names;
	into->bad_names += from->bad_names;
	into->unknown_others += from->unknown_others;
	for (unsigned i = 0; i < from->nunknown; i++) {
		struct tt_unknown *to = tt_fit_unknown(into, from->unknown[i].type, from->unknown[i].n);

		if (to)
			tt_lengths_join(&to->lengths, &from->unknown[i].lengths);
	}
}

bool
tt_fit_names_fit(const struct tt_fit_count *c)
{
	return c->bad_names < MIN_BAD_NAMES || c->bad_names * 100 <= c->names * MAX_BAD_NAMES_PERCENT;
}

uint64_t
tt_fit_misfits(const struct tt_fit *e, uint64_t *at)
{
	const bool later = e->misfits == 0 || (e->count.misfits > 0 && e->count.misfit_at < e->misfit_at);

	*at = later ? e->count.misfit_at : e->misfit_at;
	return e->misfits + e->count.misfits;
}

/*
 * True if a capture that lost nothing contradicts itself: most ends match no begin, while as many zones were left open, or while there are more such ends than
 * zones can be open when a recording begins; or most markers have no definition, while there are as many other definitions. A capture with losses may do so.
 */
static bool
contradicts(const struct tt_fit *e)
{
	const uint64_t strays = e->ends - e->matched_ends, wrong = strays < e->noutlived ? strays : e->noutlived;
	const bool no_begins = e->threads > 0 && strays > e->matched_ends && strays > MIN_BAD_ENDS + MAX_OPEN_AT_BEGIN * e->threads;
	const bool bad_ends = no_begins || (wrong >= MIN_BAD_ENDS && wrong > e->matched_ends);
	const bool bad_markers = e->named_markers * 2 < e->markers && e->count.names >= e->markers;

	return !e->lost && !e->cut && (bad_ends || bad_markers);
}

enum tt_layout
tt_fit_verdict(const struct tt_fit *e)
{
	uint64_t at;
	const uint64_t misfits = tt_fit_misfits(e, &at);

	if (e->forced)
		return TT_LAYOUT_FORCED;
	if (misfits * 2 > e->parts || e->count.misfit_bytes * 2 > e->bytes || !tt_fit_names_fit(&e->count) || contradicts(e))
		return TT_LAYOUT_MISFIT;
	if (!misfits && !e->samples)
		return TT_LAYOUT_UNPROVEN;
	if (misfits || e->lost || e->named_markers < e->markers || e->named_threads < e->threads)
		return TT_LAYOUT_PARTLY;
	return TT_LAYOUT_FITS;
}

void
tt_fit_of_log(const struct tt_fit *e, size_t i, struct tt_fit *of)
{
	static const struct tt_fit_log_count none;
	const struct tt_fit_log *l = &e->log[i];
	const struct tt_fit_log_count *c = i < e->nin_log ? &e->in_log[i] : &none;

	*of = (struct tt_fit){ .layout = l->layout, .part = e->part, .message = e->message, .forced = l->forced, .parts = l->parts, .samples = l->samples,
		.bytes = l->bytes, .count = { .misfits = c->misfits, .misfit_at = c->misfit_at, .misfit_bytes = c->misfit_bytes, .earlier = c->earlier,
		.names = c->names, .bad_names = c->bad_names }, .lost = l->lost + c->lost, .noutlived = c->noutlived, .markers = c->markers,
		.named_markers = c->named_markers, .cut = l->cut || c->cut };
	of->matched_ends = c->zones - (c->noutlived < c->zones ? c->noutlived : c->zones);
	of->ends = of->matched_ends + c->strays;
}
