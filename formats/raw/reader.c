/**
 * The reader's entry in the registry: recognise, open, rewind, close.
 */
#include "raw/raw.h"

static int
probe(const uint8_t *head, size_t n)
{
	if (n < 4 || (unity_u32(head) != RAW_MAGIC && unity_u32(head) != RAW_MAGIC_BIG))
		return 0;
	return n >= 6 && head[4] <= 1 && head[5] <= 1 ? 100 : 60;
}

static void
close_(void *ctx)
{
	struct raw *m = ctx;
	struct tt_mem *mem;

	if (!m)
		return;
	mem = &m->env->mem;
	for (size_t i = 0; i < m->nstream; i++)
		tt_mem_free(mem, m->stream[i].carry, m->stream[i].capcarry);
	tt_mem_free(mem, m->stream, m->capstream * sizeof *m->stream);
	tt_map_free(&m->stream_at, mem);
	tt_map_free(&m->thread_at, mem);
	tt_mem_free(mem, m->session, m->capsession * sizeof *m->session);
	tt_mem_free(mem, m->block, m->capblock * sizeof *m->block);
	tt_mem_free(mem, m->naming, m->capnaming * sizeof *m->naming);
	tt_mem_free(mem, m->pause, m->cappause * sizeof *m->pause);
	tt_mem_free(mem, m->order, m->caporder * sizeof *m->order);
	for (size_t i = 0; i < RAW_SEEN_PAGES; i++)
		tt_mem_free(mem, m->block_seen[i], RAW_SEEN_PAGE * sizeof *m->block_seen[i]);
	unity_known_free(&m->known);
	tt_window_free(&m->win);
	tt_mem_free(mem, m, sizeof *m);
}

static int
category(const struct tt_capture *cap, const struct tt_def *d, const char **name, struct tt_err *err)
{
	const struct raw *m = cap->category_arg;

	(void)err;                    /* unused, but part of the interface */
	*name = unity_category_of(cap, d, d->a ? m->session[d->a >> 32].categories : NULL);
	return TT_OK;
}

static int
open_as(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, const struct unity_version *v, bool aligned, struct raw **out,
    struct tt_err *err)
{
	struct raw *m = tt_mem_alloc(&env->mem, sizeof *m, err);
	int rc;

	if (!m)
		return err->code;
	m->env = env;
	m->as = v;
	m->as_aligned = aligned;
	m->src = src;
	m->cap = cap;
	m->latest = m->lead = INT64_MIN;
	tt_window_init(&m->win, env, src);
	tt_loss_reset(&m->loss);
	unity_known_init(&m->known, &env->mem);
	m->known.epoch = v ? 0 : 1;   /* a trial reports no damage */
	rc = raw_open_head(m, 0, err);
	TT_THEN(rc, raw_find_zero(m, err));
	if (rc != TT_OK) {
		close_(m);
		return rc;
	}
	m->at = m->base = m->first;
	unity_capture(cap);
	cap->zero_ns = cap->start_ns = m->session[0].zero;
	cap->category = category;
	cap->category_arg = m;
	cap->tally_name = raw_tag_name;
	cap->log_of = unity_log_of;
	*out = m;
	return TT_OK;
}

static int
open_(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, void **ctx, struct tt_err *err)
{
	struct raw *m = NULL;
	const int rc = open_as(env, src, cap, NULL, false, &m, err);

	*ctx = m;
	return rc;
}

const struct raw_trial raw_trial = { open_as, raw_next, raw_decode, close_ };

static int
rewind_(void *ctx, struct tt_err *err)
{
	struct raw *m = ctx;

	(void)err;
	m->known.complete = m->read;
	unity_next_epoch(&m->known);
	for (size_t i = 0; i < m->nstream; i++) {
		struct raw_stream *st = &m->stream[i];
		st->met = st->seen = st->delivered = st->begun = st->framed = st->other = false;
		st->pause = 0;
		st->block = 0;
		st->ncarry = 0;
		st->carry_after = st->last_ts = INT64_MIN;
		st->carry_flags = st->first = st->last = 0;
		st->naming = st->naming_last = 0;
		st->ended = INT64_MIN;
		st->reused = st->looked = st->awaits_leader = false;
	}
	if (!m->read)
		m->npause = 0;
	m->at = m->base = m->first;
	m->now = 0;
	m->seq = 0;
	m->nblock = m->norder = m->next = m->flushed = m->nnaming = 0;
	m->naming_free = 0;
	m->ended = m->flushing = m->any_state = m->enabled = false;
	m->frames = (struct raw_frames_seen){ .stopped = false };
	m->latest = INT64_MIN;
	m->earlier_ns = 0;
	raw_begin_lead(m, 0);
	m->cap->fit.parts = m->cap->fit.samples = m->cap->fit.bytes = 0;
	for (size_t i = 0; i < RAW_SEEN_PAGES; i++)
		if (m->block_seen[i])
			memset(m->block_seen[i], 0, RAW_SEEN_PAGE * sizeof *m->block_seen[i]);
	for (size_t i = 0; i < m->nsession; i++) {
		struct tt_fit_log *log = &m->session[i].fit;
		log->parts = log->samples = log->bytes = log->lost = 0;
		log->cut = false;
	}
	tt_loss_reset(&m->loss);
	m->nattributed = 0;
	tt_window_rewind(&m->win);
	return TT_OK;
}

static const struct tt_loss_words said[TT_LOST_KINDS] = {
	[TT_LOST_CUT] = { .text = "ends inside a block or its header",
	    .advice = "Usual after a crash or a kill; else copy it again. The rest was read." },
	[TT_LOST_SYNC] = { .text = "bytes skipped to find the next block" },
	[TT_LOST_DAMAGED] = { .text = "blocks not fully decoded",
	    .advice = "Their threads lack zones there; on the main thread, the frame is left out." },
	[TT_LOST_UNKNOWN] = { .text = "messages of unknown types, each with the rest of its block",
	    .advice = "Look for a newer tracetool, or report the capture: the table capture_unknown has the types." },
	[TT_LOST_MISSING] = { .text = "blocks or frames missing, repeated or out of order",
	    .advice = "Copy it again; frames that lack blocks of the main thread are left out." },
	[TT_LOST_GARBAGE] = { .text = "bytes after the last block, without another one",
	    .advice = "Ignored: damaged, or of another kind, like an appended .data." },
	[TT_LOST_DEFINITIONS] = { .text = "blocks of definitions missing or damaged" },
	[TT_LOST_NAMES] = { .advice = "Their definitions are missing: shown as (unknown)." },
	[TT_LOST_CLOCK] = { .text = "times before the last one of their thread, taken as that one",
	    .advice = "By 1 ms at most where a frame begins, which is later by that; or where a thread of an appended log does." },
	[TT_LOST_UNMATCHED] = { .advice = "Usual where the recording begins inside of zones; otherwise calls are missing." },
	[TT_LOST_POPPED] = { .text = "zones not seen to end in the zone or frame around them, nor later",
	    .advice = "No end of them was recorded on their thread, or only after a pause or a loss: known is their time up to the end of that zone "
	    "(markers: cut; table spanning_zones).", .severity = TT_NOTICE },
};

const struct tt_format tt_format_raw = {
	.name = "raw",
	.summary = "binary log of Unity's profiler, Unity 2017.3 to 6000.5",
	.suffix = ".raw",
	.loss_words = said,
	.may_have_frames = true,
	.numbers_frames = true,
	.probe = probe,
	.open = open_,
	.next = raw_next,
	.prefetch = raw_prefetch,
	.rewind = rewind_,
	.decode = raw_decode,
	.close = close_,
	.scrub = raw_scrub,
};
