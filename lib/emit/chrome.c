/**
 * Chrome JSON: starting and ending the emitter.
 *
 * The object form: {"displayTimeUnit", "traceEvents": [...], "otherData": {...}}.
 */
#include "base/setting.h"
#include "emit/chrome.h"

#include <inttypes.h>
#include <string.h>

#include "base/option.h"
#include "emit/json_args.h"
#include "emit/common.h"
#include "io/sink.h"

/* Viewers parse a file in one go and stop at 2^29 characters; near that they are slow already. */
#define LARGE_BYTES ((uint64_t)400 << 20)
#define TYPICAL_RECORD 110

/* --- begin -------------------------------------------------------------- */

/* True if the filters keep only a part of the capture, so its size does not predict the output's size. */
static bool
is_filtered(const struct tt_filter *f)
{
	return f->from != INT64_MIN || f->to != INT64_MAX || f->thread || f->marker || f->category || f->min_dur ||
	    f->depth;
}

static void
warn_large(const struct chrome *c, uint64_t bytes, const char *how)
{
	if (c->own->split || bytes <= LARGE_BYTES)
		return;
	tt_log(c->e.env, TT_LOG_NORMAL,
	    "%s: %s %" PRIu64 " MiB; viewers stop at 512: use %s, %s or %s SIZE", c->e.o.path, how,
	    bytes >> 20, tt_setting_name[TT_SETTING_TIME], tt_setting_name[TT_SETTING_MIN_DURATION], tt_setting_name[TT_SETTING_SPLIT]);
}

static void
warn_ahead(const struct chrome *c)
{
	uint64_t per = c->own->begin_end ? 2 * TYPICAL_RECORD : TYPICAL_RECORD;

	if (!is_filtered(&c->e.m->filter) && c->e.o.estimate < UINT64_MAX / per)
		warn_large(c, c->e.o.estimate * per, "will take about");
}

static int
chrome_begin(void *state, struct tt_err *err)
{
	struct chrome *c = state;
	struct tt_mem *mem = &c->e.env->mem;
	int rc;

	c->own = c->e.o.own;
	c->origin = tt_emit_origin(c->e.m);
	tt_slices_init(&c->slices, c->e.env, &c->put_aside);
	tt_text_spool_init(&c->args, c->e.env, &c->put_aside);
	if (c->own->split && strcmp(c->e.o.path, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard output cannot be split into files: name one");
	c->unwritten = tt_mem_alloc(mem, sizeof *c->unwritten, err);
	c->process = tt_mem_alloc(mem, c->e.m->ncap * sizeof *c->process, err);
	if (!c->unwritten || !c->process)
		return err ? err->code : TT_E_NOMEM;
	c->nprocess = c->e.m->ncap;
	for (size_t i = 0; i < c->nprocess; i++)
		tt_frags_init(&c->process[i].counter, mem);
	rc = tt_chrome_names(c, err);
	if (rc != TT_OK)
		return rc;
	warn_ahead(c);
	return tt_chrome_turn(c, err);
}

static void
chrome_end(void *state)
{
	struct chrome *c = state;
	struct tt_mem *mem = &c->e.env->mem;

	for (size_t i = 0; i < c->npart; i++)
		tt_mem_free(mem, c->part[i].seen, c->part[i].capseen);
	tt_mem_free(mem, c->part, c->cappart * sizeof *c->part);
	for (size_t i = 0; i < c->nprocess; i++) {
		tt_pieces_free(&c->process[i].pieces);
		tt_frags_free(&c->process[i].counter);
	}
	tt_mem_free(mem, c->process, c->e.m->ncap * sizeof *c->process);
	tt_mem_free(mem, c->unwritten, sizeof *c->unwritten);
	tt_mem_free(mem, c->also, c->capalso);
	tt_flow_free(&c->flows, mem);
	tt_slices_free(&c->slices);
	tt_text_spool_free(&c->args);
	tt_buf_free(&c->scratch);
}

/* --- on the way --------------------------------------------------------- */

static int
chrome_write(void *state, const struct tt_view *v, const char *p, size_t n, struct tt_err *err)
{
	struct chrome *c = state;
	int rc = tt_flow_zones(&c->flows, v, &c->process[v->cap->process].pieces, &c->scratch, &c->e.env->mem, err);

	if (rc == TT_OK && c->own->begin_end)
		return tt_chrome_pairs_write(c, v, p, n, err);
	if (rc == TT_OK && tt_chrome_full(c, n))
		rc = tt_chrome_turn(c, err);
	if (rc != TT_OK)
		return rc;
	if (v->b->min_ts <= v->b->max_ts)
		tt_chrome_span(c, v->b->min_ts, v->b->max_ts);
	return tt_chrome_put(c, v->thread, p, n, err);
}

/* --- the end ------------------------------------------------------------ */

static int
chrome_finish(void *state, struct tt_err *err)
{
	struct chrome *c = state;
	uint64_t unwritten;
	int rc = tt_chrome_flows(c, err);

	if (c->own->begin_end)
		TT_THEN(rc, tt_chrome_pairs_finish(c, err));
	unwritten = atomic_load_explicit(c->unwritten, memory_order_relaxed);
	if (unwritten)
		tt_loss_add(c->e.m->loss, TT_LOST_VALUES, unwritten, 0, TT_NOWHERE);
	for (size_t i = 0; i < c->npart && rc == TT_OK; i++) {
		rc = tt_chrome_tail(c, &c->part[i], err);
		if (rc == TT_OK && c->npart > 1)
			rc = tt_sink_flush_and_shrink(c->part[i].sink, err);
	}
	if (rc == TT_OK && (c->e.o.estimate == 0 || is_filtered(&c->e.m->filter)))
		warn_large(c, c->part[0].bytes, "takes");
	return rc;
}

static const char *const suffixes[] = { ".json", NULL };

static const struct tt_option options[] = {
	{ .name = "begin-end", .at = offsetof(struct tt_chrome_opts, begin_end),
	    .help = "write begin and end events, one thread after the other, instead of complete events" },
	TT_OPTION_BLOBS(offsetof(struct tt_chrome_opts, blobs)),
	{ .name = "split", .arg = "SIZE", .kind = TT_OPTION_SIZE, .at = offsetof(struct tt_chrome_opts, split), .splits_output = true,
	    .help = "begin a new file near every SIZE bytes of JSON; each loads alone" },
	{ .name = NULL },
};

const struct tt_emit tt_emit_chrome = {
	.name = "chrome",
	.summary = "Chrome trace event JSON: Perfetto, Chrome DevTools",
	.suffix = suffixes,
	.ledger = true,
	.option = options,
	.own = sizeof(struct tt_chrome_opts),
	.state = sizeof(struct chrome),
	.viewed = true,
	.needs = TT_NEEDS_SLICES | TT_NEEDS_TEXT | TT_NEEDS_ARGS | TT_NEEDS_FRAMES | TT_NEEDS_APART,
	.begin = chrome_begin,
	.chunk = tt_chrome_chunk,
	.rare = tt_chrome_rare,
	.write = chrome_write,
	.finish = chrome_finish,
	.end = chrome_end,
};
