/**
 * Sums up the evidence of layouts at the end of a run.
 */
#include "run/layout_evidence.h"

#include "base/env.h"
#include "base/err.h"
#include "model/model.h"

void
tt_fit_begin(struct tt_run *r, struct tt_capture *c, struct tt_loss *before)
{
	struct tt_fit *e = &c->fit;

	*before = *r->env->loss;
	tt_fit_reset(&e->count);
	e->lost = e->ends = e->matched_ends = e->noutlived = e->markers = e->named_markers = e->threads = e->named_threads = 0;
	e->lost_at = TT_NOWHERE;
	e->cut = false;
	e->nin_log = 0;
}

int
tt_fit_join_log(struct tt_run *r, struct tt_capture *c, const struct tt_batch *b, struct tt_err *err)
{
	struct tt_fit *e = &c->fit;
	int rc = TT_OK;

	if (b->log >= e->capin_log && (rc = tt_mem_grow(&r->env->mem, &e->in_log, &e->capin_log, (size_t)b->log + 1, sizeof *e->in_log, err)) != TT_OK)
		return rc;
	for (; e->nin_log <= b->log; e->nin_log++)
		e->in_log[e->nin_log] = (struct tt_fit_log_count){ .messages = 0 };
	struct tt_fit_log_count *to = &e->in_log[b->log];
	bool cut;
	if (b->fit.misfits > 0 && (to->misfits == 0 || b->fit.misfit_at < to->misfit_at))
		to->misfit_at = b->fit.misfit_at;
	to->messages += b->nevent;
	to->misfits += b->fit.misfits;
	to->misfit_bytes += b->fit.misfit_bytes;
	to->earlier += b->fit.earlier;
	to->names += b->fit.names;
	to->bad_names += b->fit.bad_names;
	to->zones += b->nzone;
	to->lost += tt_loss_count_damage(&b->loss, &cut);
	to->cut = to->cut || cut;
	to->strays += b->loss.e[TT_LOST_UNMATCHED].n;
	to->noutlived += b->loss.e[TT_LOST_POPPED].n;
	return TT_OK;
}

/* Add losses and ends that only the input's end showed to its last log. */
static void
join_rest(struct tt_fit *e)
{
	struct tt_fit_log_count *last = &e->in_log[e->nin_log - 1];
	uint64_t lost = 0, strays = 0, passed = 0, zones = 0;

	for (size_t i = 0; i < e->nlog; i++)
		lost += e->log[i].lost;
	for (size_t i = 0; i < e->nin_log; i++) {
		const struct tt_fit_log_count *c = &e->in_log[i];
		lost += c->lost;
		strays += c->strays;
		passed += c->noutlived;
		zones += c->zones;
	}
	last->lost += e->lost > lost ? e->lost - lost : 0;
	last->strays += e->ends - e->matched_ends > strays ? e->ends - e->matched_ends - strays : 0;
	last->noutlived += e->noutlived > passed ? e->noutlived - passed : 0;
	/* Zones that stay open at the end have no ends. */
	const uint64_t ended = e->matched_ends + e->noutlived;
	if (zones > ended)
		last->zones -= zones - ended < last->zones ? zones - ended : last->zones;
}

void
tt_fit_lost(const struct tt_run *r, struct tt_capture *c, const struct tt_loss *before)
{
	const struct tt_loss *all = r->env->loss;
	struct tt_fit *e = &c->fit;

	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const uint64_t n = all->e[k].n - before->e[k].n;

		if (n == 0)
			continue;
		if (k == TT_LOST_CUT || k == TT_LOST_CODING) {
			e->cut = true;
		} else if (tt_loss_info[k].damage) {
			e->lost += n;
			if (before->e[k].n == 0 && all->e[k].first_at < e->lost_at)
				e->lost_at = all->e[k].first_at;
		}
	}
	/* Ends without a begin. Zones begun, less those closed without an end, give the matched ends. */
	e->ends = all->e[TT_LOST_UNMATCHED].n - before->e[TT_LOST_UNMATCHED].n;
	e->matched_ends = 0;
	e->noutlived = all->e[TT_LOST_POPPED].n - before->e[TT_LOST_POPPED].n;
	for (size_t i = 0; i < r->m->threads.n; i++) {
		const struct tt_thread *t = r->m->threads.t[i];

		/* Zones of the GPU are made of times; nothing in the capture ends them. */
		if (t->process == c->process && !tt_thread_is_gpu(t))
			e->matched_ends += t->ncall - (t->open_at_end < t->ncall ? t->open_at_end : t->ncall);
	}
	e->matched_ends -= e->noutlived < e->matched_ends ? e->noutlived : e->matched_ends;
	e->ends += e->matched_ends;
	if (e->nlog > 1 && e->nin_log > 0)
		join_rest(e);
}

/* Count a marker for the log that defines it. */
static void
count_marker(const struct tt_capture *c, const struct tt_marker *k, bool known)
{
	const uint32_t log = c->log_of ? c->log_of(k->key) : UINT32_MAX;

	if (log >= c->fit.nin_log)
		return;
	c->fit.in_log[log].markers++;
	c->fit.in_log[log].named_markers += known;
}

/* Mark all losses as doubtful: if the layout does not fit, they need not be damage. */
static void
doubt_losses(struct tt_loss *l)
{
	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		l->e[k].forced = true;
}

/* Count the markers of counted zones only: whether other markers have a path depends on the tables asked for. */
static int
count_markers(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	const size_t n = tt_tree_markers(m->tree);
	bool *counted = tt_mem_alloc(&r->env->mem, n + 1, err);

	if (!counted)
		return err->code;
	for (uint32_t i = 0; i < tt_tree_count(m->tree); i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);
		const struct tt_count_page *page = m->counts->node[i >> TT_TREE_PAGE_BITS];

		if (node->marker < n && page && page->c[i & (TT_TREE_PAGE - 1)].n > 0)
			counted[node->marker] = true;
	}
	for (uint32_t i = 0; i < n && i < m->nname; i++) {
		const struct tt_marker *k = tt_tree_marker(m->tree, i);
		struct tt_fit *e = &m->cap[k->process]->fit;

		if (!counted[i] || k->key >= TT_KEY_SPECIAL || m->name[i].gpu)
			continue;
		e->markers++;
		e->named_markers += m->name[i].is_defined;
		count_marker(m->cap[k->process], k, m->name[i].is_defined);
	}
	tt_mem_free(&r->env->mem, counted, n + 1);
	return TT_OK;
}

int
tt_fit_settle(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	int rc = count_markers(r, err);

	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < m->threads.n; i++) {
		const struct tt_thread *t = m->threads.t[i];
		struct tt_fit *e = &m->cap[t->process]->fit;

		if (t->nevent == 0 || tt_thread_is_gpu(t))
			continue;
		e->threads++;
		e->named_threads += t->has_definition;
	}
	for (size_t i = 0; i < m->ncap && rc == TT_OK; i++)
		if (m->cap[i]->fit.layout) {
			const enum tt_layout how = tt_fit_verdict(&m->cap[i]->fit);
			if (how == TT_LAYOUT_MISFIT)
				doubt_losses(r->env->loss);
			rc = tt_capture_layout(m->cap[i], how, err);
		}
	return rc;
}
