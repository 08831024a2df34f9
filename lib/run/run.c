/**
 * Reads the inputs once or more, and finishes the model.
 */
#include "run/run.h"

#include "emit/emit.h"
#include "fold/short_zones.h"
#include "io/src.h"
#include "model/format.h"
#include "model/identity.h"
#include "model/transfer.h"
#include "model/waits.h"
#include "run/candidates.h"
#include "run/layout_evidence.h"
#include "run/frame_replay.h"
#include "run/parts.h"
#include "run/state.h"

/* --- phases -------------------------------------------------------------------------------------- */

static uint64_t
raw_size(const struct tt_input *in)
{
	return tt_src_info(in->src)->raw_size;
}

/* The name of ${in} in the ledger of losses: NULL where it is the only input, or is several files. */
static const char *
name_in_ledger(const struct tt_run *r, const struct tt_input *in)
{
	const char *path = in->cap->path;

	if (r->o->npath < 2 || in->then)
		return r->env->loss->input;
	for (size_t i = 0; i < r->o->npath; i++)
		if (strcmp(r->o->path[i], path) == 0 && strcmp(path, "-") != 0)
			return r->o->path[i];
	return "standard input";
}

/* The format's words for losses, if all inputs have the same; else NULL. */
static const struct tt_loss_words *
said_by(const struct tt_run *r)
{
	const struct tt_loss_words *said = r->nin ? r->in[0].format->loss_words : NULL;

	for (size_t i = 1; i < r->nin; i++)
		if (r->in[i].format->loss_words != said)
			return NULL;
	return said;
}

/* True if a capture was read though no layout fits. */
static bool
is_forced(const struct tt_run *r)
{
	for (size_t i = 0; i < r->nin; i++)
		if (r->in[i].cap->fit.forced || r->in[i].cap->fit.unknown)
			return true;
	return false;
}

/* The purpose of each reading of the input, as --verbose says it. */
static const char *const phase_text[] = { [TT_PHASE_NAMES] = "names, frame marks and threads", [TT_PHASE_MARKS] = "where the markers begin that were named",
	[TT_PHASE_MAIN] = "events", [TT_PHASE_PARTS] = "events once more, for what was not known before" };

static int
read_all(struct tt_run *r, enum tt_phase phase, const char *name, struct tt_err *err)
{
	const char *before = r->env->loss->input;
	struct tt_loss ledger;
	int rc = TT_OK;

	tt_log(r->env, TT_LOG_VERBOSE, "pass %u: %s", ++r->passes, phase_text[phase]);
	r->env->loss->forced = is_forced(r);
	r->phase_name = name;
	r->done_bytes = 0;
	tt_threads_reset(&r->m->threads);
	for (size_t i = 0; i < r->nin && rc == TT_OK; i++) {
		r->env->loss->input = name_in_ledger(r, &r->in[i]);
		r->env->loss->words = r->in[i].format->loss_words;
		if (phase == TT_PHASE_MAIN)
			tt_fit_begin(r, r->in[i].cap, &ledger);
		rc = tt_pipeline(r, &r->in[i], phase, err);
		if (phase == TT_PHASE_MAIN)
			tt_fit_lost(r, r->in[i].cap, &ledger);
		if (rc < 0 && rc != TT_E_STOPPED && !r->emit_failed)
			tt_err_in(err, "%s", r->in[i].cap->path);
		r->env->loss->input = before;
		for (const struct tt_input *f = &r->in[i]; f; f = f->then)
			r->done_bytes += raw_size(f) != UINT64_MAX ? raw_size(f) : 0;
	}
	r->env->loss->words = said_by(r);
	return rc;
}

static int
name_all(struct tt_run *r, struct tt_err *err)
{
	int rc = tt_threads_name(&r->m->threads, r->m->cap, r->m->ncap, &r->m->arena, err);

	TT_THEN(rc, tt_model_resolve(r->m, r->o->names, err));
	return rc == TT_OK && (r->needs & TT_NEEDS_APART) ? tt_model_tell_apart(r->m, err) : rc;
}

/* Mark the threads that the filter keeps, by name or number. */
static int
keep_threads(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;

	if (!m->filter.thread)
		return TT_OK;
	m->keep_thread = tt_mem_alloc(&r->env->mem, m->threads.n + 1, err);
	if (!m->keep_thread)
		return err->code;
	for (size_t i = 0; i < m->threads.n; i++)
		m->keep_thread[i] = tt_thread_named(&m->threads, m->threads.t[i], m->filter.thread);
	return TT_OK;
}

static bool
any_reused(const struct tt_run *r)
{
	for (size_t i = 0; i < r->nin; i++)
		if (tt_defs_reused(r->in[i].cap->defs))
			return true;
	return false;
}

static bool
rewindable(const struct tt_run *r)
{
	for (size_t i = 0; i < r->nin; i++)
		for (const struct tt_input *f = &r->in[i]; f; f = f->then)
			if (!tt_src_info(f->src)->can_rewind)
				return false;
	return true;
}

/* True if only a reading of all the input tells in which spans it has all threads. */
static bool
tells_spans_late(const struct tt_input *in)
{
	bool late = false;

	for (const struct tt_input *f = in; f; f = f->then)
		late = late || !tt_src_info(f->src)->seekable;
	return late && in->cap->is_flight;
}

/* Plan the run once inputs are open: how much there is to read, on which timeline, and whether names are read first. */
static int
plan(struct tt_run *r, struct tt_err *err)
{
	int rc = r->o->opened ? r->o->opened(r->o->opened_arg, err) : TT_OK;
	bool twice = false;

	TT_THEN(rc, tt_inputs_look_ahead(r, err));
	if (rc != TT_OK)
		return rc;
	for (size_t i = 0; i < r->nin; i++) {
		for (const struct tt_input *f = &r->in[i]; f; f = f->then)
			r->total_bytes = raw_size(f) == UINT64_MAX || r->total_bytes == UINT64_MAX ? UINT64_MAX : r->total_bytes + raw_size(f);
		twice = twice || r->in[i].cap->has_frames || tells_spans_late(&r->in[i]);
	}
	if (r->total_bytes == UINT64_MAX)
		r->total_bytes = 0;
	r->names_first = r->names_first || (twice && rewindable(r));
	return tt_inputs_align(r, err);
}

/* Read the definitions, threads and times of all inputs, and the frame marks of captures that have some. */
static int
read_names(struct tt_run *r, struct tt_err *err)
{
	if (!r->names_first)
		return TT_OK;
	int rc = read_all(r, TT_PHASE_NAMES, "names", err);

	tt_short_zones_sort(&r->m->threads);
	TT_THEN(rc, name_all(r, err));
	return rc == TT_OK ? tt_inputs_rewind(r, err) : rc;
}

/* Find where the markers begin that --frame-marker and --from-marker name. */
static int
read_marks(struct tt_run *r, struct tt_err *err)
{
	if (!r->o->frame_marker && !r->o->from_marker)
		return TT_OK;
	int rc = read_all(r, TT_PHASE_MARKS, "frames", err);

	TT_THEN(rc, tt_mark_keys_choose(r, err));
	return rc == TT_OK ? tt_inputs_rewind(r, err) : rc;
}

/* Settle before the events: frames, the time and the threads to look at, whether keys have several meanings. */
static int
use_names(struct tt_run *r, struct tt_err *err)
{
	if (!r->names_first)
		return tt_frames_clip(r, err);
	r->collect.alias = any_reused(r);
	int rc = tt_frames_build(r, err);

	if (r->m->frames && r->m->frames->n)
		r->needs &= ~(unsigned)TT_NEEDS_CANDIDATES;
	return rc == TT_OK ? keep_threads(r, err) : rc;
}

static int
new_counts(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;

	tt_tree_free(m->tree);
	tt_counts_free(m->counts);
	m->tree = NULL;
	m->counts = NULL;
	return tt_tree_new(&r->env->mem, r->o->max_paths ? r->o->max_paths : 500000, &m->tree, err);
}

static void
total_times(struct tt_model *m)
{
	m->min_ts = INT64_MAX;
	m->max_ts = INT64_MIN;
	for (size_t i = 0; i < m->ncap; i++) {
		if (m->cap[i]->min_ts < m->min_ts)
			m->min_ts = m->cap[i]->min_ts;
		if (m->cap[i]->max_ts > m->max_ts)
			m->max_ts = m->cap[i]->max_ts;
	}
	if (m->min_ts > m->max_ts)
		m->min_ts = m->max_ts = 0;
}

static int
begin_emitters(struct tt_run *r, struct tt_err *err)
{
	if (!r->o->nemit || r->emit)
		return TT_OK;
	r->emit = tt_mem_alloc(&r->env->mem, r->o->nemit * sizeof *r->emit, err);
	if (!r->emit)
		return err->code;
	for (size_t i = 0; i < r->o->nemit; i++) {
		struct tt_emit_opts o = r->o->emit_opts[i];
		o.estimate = r->m->nexpected_zones;
		int rc = tt_emit_begin(r->o->emit[i], &o, r->m, &r->emit[i], err);
		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

/* Finish an output. While it does so, the ledger counts only values that this output could not write. */
static int
finish_emitter(struct tt_run *r, size_t i, struct tt_err *err)
{
	struct tt_loss_entry *const lost = &r->m->loss->e[TT_LOST_VALUES];
	const struct tt_loss_entry others = *lost;
	int rc;

	*lost = (struct tt_loss_entry){ .first_at = TT_NOWHERE };
	rc = r->o->emit[i]->finish(r->emit[i], err);
	const uint64_t own = lost->n;
	*lost = others;
	if (r->o->unwritten)
		r->o->unwritten[i] = own;
	else
		tt_loss_add(r->m->loss, TT_LOST_VALUES, own, 0, TT_NOWHERE);
	return rc;
}

static int
finish_emitters(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->o->nemit && rc == TT_OK; i++) {
		rc = finish_emitter(r, i, err);
		if (rc != TT_E_USAGE || !r->o->unsuited)
			continue;
		r->o->unsuited[i] = *err;
		tt_emit_end(r->emit[i]);
		r->emit[i] = NULL;
		rc = TT_OK;
	}
	for (size_t i = 0; i < r->o->nemit && rc == TT_OK; i++)
		rc = r->emit[i] ? tt_emit_commit(r->emit[i], err) : TT_OK;
	return rc;
}

/* True if damage was found in the input that losses are added for. */
static bool
is_damaged(const struct tt_loss *loss)
{
	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_entry *e = &loss->e[k];

		if (tt_loss_info[k].damage && e->n && (e->in_others || !e->input || !loss->input || strcmp(e->input, loss->input) == 0))
			return true;
	}
	return false;
}

/* True if the input looks as if a transfer as text changed it: the first bytes, or more of them where they can be read again. */
static bool
looks_transferred(struct tt_run *r, const struct tt_input *in)
{
	enum { SEEN_BYTES = 1 << 16 };
	struct tt_err ignored;
	size_t got = 0;
	uint8_t *p;
	bool is;

	if (in->text_like || !tt_src_info(in->src)->seekable)
		return in->text_like;
	p = tt_mem_alloc(&r->env->mem, SEEN_BYTES, &ignored);
	is = p && tt_src_pread(in->src, 0, p, SEEN_BYTES, &got, &ignored) == TT_OK && tt_transfer_changed(p, got);
	tt_mem_free(&r->env->mem, p, SEEN_BYTES);
	return is;
}

/* Settle the facts that are known only after all of an input was read. */
static void
close_capture(struct tt_run *r, const struct tt_input *in)
{
	struct tt_loss *loss = r->m->loss;
	struct tt_capture *c = in->cap;
	const struct tt_threads *ts = &r->m->threads;
	bool seen = false;

	for (const struct tt_input *f = in; f; f = f->then) {
		c->nspooled += tt_src_nspooled(f->src);
		if (tt_src_has_changed(f->src) && !c->is_running)
			tt_loss_add(loss, TT_LOST_CHANGED, 1, 0, TT_NOWHERE);
		if (tt_src_ngarbage(f->src))
			tt_loss_add(loss, TT_LOST_GARBAGE, 1, tt_src_ngarbage(f->src), TT_NOWHERE);
		if (is_damaged(loss) && looks_transferred(r, f))
			tt_loss_add(loss, TT_LOST_TEXT, 1, 0, TT_NOWHERE);
	}
	c->bytes = c->stopped_at > c->bytes ? c->stopped_at : c->bytes;
	c->clean_end = c->ends_recorded;
	for (size_t t = 0; t < ts->n; t++)
		if (ts->t[t]->process == c->process && ts->t[t]->started) {
			seen = true;
			c->clean_end = c->clean_end && ts->t[t]->ended;
		}
	c->clean_end = c->end_mark ? c->end_mark > 0 : c->clean_end && seen;
	if ((c->ends_recorded || c->end_mark) && !c->clean_end)
		tt_loss_add(loss, c->is_running ? TT_LOST_RUNNING : c->all_recorded ? TT_LOST_KILLED : TT_LOST_NOT_ENDED, 1, 0, TT_NOWHERE);
	c->clean_end = c->clean_end && !c->more_follow;
}

/* How many calls, samples and allocations are in "(more paths)"; at least one. */
static uint64_t
joined(const struct tt_model *m)
{
	uint64_t n = m->counts ? tt_counts_get(m->counts, TT_NODE_MORE).n : 0;

	for (uint32_t i = TT_NODE_MORE + 1; m->counts && i < tt_tree_count(m->tree); i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);
		if (node->parent == TT_NODE_MORE && node->kind == TT_NODE_ALLOC)
			n += tt_counts_get(m->counts, i).n;
	}
	return n ? n : 1;
}

/* True if ${node}, a call, is the ${n}th call of its path. Zones that tracetool makes are no calls; they are searched for only on paths of usual depth. */
static bool
calls_open(const struct tt_tree *tree, uint32_t node, uint32_t n)
{
	const uint32_t most = 1000;
	const struct tt_node *z = tt_tree_node(tree, node);
	uint32_t own = 0;

	if (z->depth < n || n > most || z->depth > most)
		return z->depth == n;
	for (const struct tt_node *i = z; i->kind == TT_NODE_ZONE; i = tt_tree_node(tree, i->parent))
		own += i->key >= TT_KEY_SPECIAL;
	return z->depth - own == n;
}

/* How many calls of ${c} are as deep as its recorder's limit; 0 if a call is deeper, because then the limit is another one. */
static uint64_t
at_the_limit(const struct tt_model *m, const struct tt_capture *c)
{
	uint64_t n = 0;

	for (uint32_t i = TT_NODE_MORE + 1; m->counts && c->max_depth && i < tt_tree_count(m->tree); i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);

		if (node->kind != TT_NODE_ZONE || node->process != c->process || node->key >= TT_KEY_SPECIAL || node->depth < c->max_depth)
			continue;
		if (calls_open(m->tree, i, c->max_depth + 1))
			return 0;
		if (calls_open(m->tree, i, c->max_depth))
			n += tt_counts_get(m->counts, i).n;
	}
	return n;
}

static int
close_ledger(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	const char *before = m->loss->input;

	(void)err;
	for (size_t i = 0; i < r->nin; i++) {
		m->loss->input = name_in_ledger(r, &r->in[i]);
		close_capture(r, &r->in[i]);
		tt_loss_add(m->loss, TT_LOST_NESTED, at_the_limit(m, r->in[i].cap), 0, TT_NOWHERE);
		m->loss->input = before;
	}
	for (size_t t = 0; t < m->threads.n; t++)
		if (m->threads.t[t]->nalloc)
			m->cap[m->threads.t[t]->process]->allocates = true;
	for (size_t t = 0; t < m->threads.n; t++)
		if (m->threads.t[t]->open_at_end)
			tt_loss_add(m->loss, TT_LOST_OPEN, m->threads.t[t]->open_at_end, 0, TT_NOWHERE);
	if (tt_tree_dropped(m->tree))
		tt_loss_add(m->loss, TT_LOST_PATHS, joined(m), 0, TT_NOWHERE);
	if (any_reused(r) && !r->collect.alias)
		tt_loss_add(m->loss, TT_LOST_REUSED, 1, 0, TT_NOWHERE);
	total_times(m);
	return TT_OK;
}

static int
read_events(struct tt_run *r, struct tt_err *err)
{
	int rc = new_counts(r, err);

	total_times(r->m);        /* the times that reading the names found */
	TT_THEN(rc, tt_collect_begin(&r->collect, err));
	TT_THEN(rc, tt_parts_begin(r, err));
	TT_THEN(rc, begin_emitters(r, err));
	tt_chunk_log_begin(r);
	tt_unnamed_begin(r);
	TT_THEN(rc, read_all(r, TT_PHASE_MAIN, "reading", err));
	/* An input without any thread leaves no counts. */
	if (rc == TT_OK && !r->m->counts)
		rc = tt_counts_new(&r->env->mem, &r->m->counts, err);
	return rc;
}

/* If class keys turned out to have several meanings: drop the events and read again, to tell the keys apart by time. */
static int
read_again(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;

	if (r->names_first || !any_reused(r) || (r->o->nemit && !r->o->emit[0]->again) || !rewindable(r))
		return TT_OK;
	tt_log(r->env, TT_LOG_VERBOSE, "class addresses were reused: reading again to tell them apart by time");
	tt_loss_reset(m->loss);
	tt_spanning_free(&m->spanning, &r->env->mem);
	tt_candidates_free(r);
	for (size_t i = 0; i < m->ncap; i++) {
		struct tt_capture *c = m->cap[i];
		c->nevent = c->nchunk = c->bytes = 0;
		memset(c->tally, 0, sizeof c->tally);
		memset(c->unloaded, 0, sizeof c->unloaded);
	}
	r->names_first = r->collect.alias = true;
	int rc = tt_inputs_rewind(r, err);
	return rc == TT_OK ? read_events(r, err) : rc;
}

static int
check_copies(struct tt_run *r, struct tt_err *err)
{
	return r->o->copies ? TT_OK : tt_model_copies(r->m, err);
}

static int
settle_counts(struct tt_run *r, struct tt_err *err)
{
	int rc = tt_counts_settle(r->m->counts, r->m->tree, err);

	return rc == TT_OK ? tt_collect_finish(&r->collect, err) : rc;
}

static bool
any_framed(const struct tt_run *r)
{
	for (size_t i = 0; i < r->m->ncap; i++)
		if (r->m->cap[i]->has_whole_frame && !r->o->frame_marker)
			return true;
	return false;
}

static int
use_all_names(struct tt_run *r, struct tt_err *err)
{
	int rc = name_all(r, err);

	/* If input is read once, whether frames are marked is known only now. */
	if (rc == TT_OK && (r->needs & TT_NEEDS_CANDIDATES) && !any_framed(r))
		tt_candidates_choose(r);
	return rc == TT_OK && r->m->filter.no_wait ? tt_waits_drop(r->m, err) : rc;
}

static int
finish_frames(struct tt_run *r, struct tt_err *err)
{
	return tt_frames_finish(&r->replay, err);
}

static int
read_parts(struct tt_run *r, struct tt_err *err)
{
	int rc = tt_parts_finish(r, err);

	while (rc == TT_OK && r->parts) {
		rc = tt_inputs_rewind(r, err);
		TT_THEN(rc, read_all(r, TT_PHASE_PARTS, "reading", err));
		TT_THEN(rc, tt_parts_finish(r, err));
	}
	return rc;
}

/* Read the events again for an emitter, if it is the only one and knows only now which it needs. */
static int
read_for_emitter(struct tt_run *r, struct tt_err *err)
{
	bool more = false;
	int rc = r->o->nemit == 1 && r->o->emit[0]->again && rewindable(r) ? r->o->emit[0]->again(r->emit[0], &more, err) : TT_OK;
	struct tt_thread *was;

	if (rc == TT_OK && more)
		rc = tt_inputs_rewind(r, err);
	if (rc != TT_OK || !more)
		return rc;
	if (!(was = tt_chunk_log_keep_counts(r, err)))
		return err->code;
	rc = read_all(r, TT_PHASE_PARTS, "reading", err);
	tt_chunk_log_take_counts(r, was);
	return rc;
}

/* --- the run ------------------------------------------------------------------------------------- */

/* All phases in order. A phase that is not asked for does nothing. */
static int (*const phases[])(struct tt_run *r, struct tt_err *err) = {
	tt_inputs_open, tt_inputs_join, tt_inputs_check, plan,
	read_names, read_marks, use_names,
	read_events, read_again,
	check_copies, settle_counts, close_ledger, use_all_names, finish_frames, read_parts, read_for_emitter, tt_unnamed_count, tt_fit_settle, finish_emitters,
};

static unsigned
all_needs(const struct tt_run_opts *o)
{
	unsigned needs = o->needs | (o->npart ? o->part_needs : 0);

	for (size_t i = 0; i < o->nemit; i++)
		needs |= tt_emit_needs(o->emit[i], &o->emit_opts[i]);
	return needs;
}

/* Close and free everything but the model. */
static void
close_run(struct tt_run *r)
{
	const struct tt_run_opts *o = r->o;
	struct tt_mem *mem = &r->env->mem;

	for (size_t i = 0; r->emit && i < o->nemit; i++)
		tt_emit_end(r->emit[i]);
	tt_mem_free(mem, r->emit, o->nemit * sizeof *r->emit);
	tt_inputs_close(r);
	tt_collect_release(&r->collect);
	tt_candidates_free(r);
	tt_chunk_log_free(r);
	tt_parts_free(r);
	tt_unnamed_free(r);
	tt_replay_free(&r->replay);
	tt_marks_free(r);
}

/* Decide what the run needs: what passes and emitters ask for, and what options imply. */
static void
decide_needs(struct tt_run *r)
{
	const struct tt_run_opts *o = r->o;
	const struct tt_filter *f = &o->filter;
	const bool by_name = o->frame_marker || o->from_marker || tt_filter_needs_text(f);

	r->needs = all_needs(o);
	r->some_frames = r->needs & TT_NEEDS_CAUSES && !(r->needs & TT_NEEDS_BY_FRAME);
	r->needs |= (r->some_frames ? TT_NEEDS_BY_FRAME : 0) | (by_name ? TT_NEEDS_TEXT : 0);
	r->names_first = r->needs & TT_NEEDS_TEXT || o->npart || f->min_dur || f->depth;
	r->filtered = f->min_dur || f->depth || f->player_only;
}

int
tt_run(struct tt_env *env, const struct tt_run_opts *o, struct tt_model **out, struct tt_err *err)
{
	struct tt_run r = { .env = env, .o = o };
	int rc;

	*out = NULL;
	decide_needs(&r);
	struct tt_model *m = r.m = r.replay.m = tt_mem_alloc(&env->mem, sizeof *m, err);
	if (!m)
		return err->code;
	r.collect = (struct tt_collecting){ .m = m, .mem = &env->mem, .needs = r.needs, .find = &o->find, .buckets = o->buckets, .order = &r.order };
	tt_time_order_init(&r.order, env);
	m->env = env;
	m->loss = env->loss;
	m->filter = o->filter;
	m->filter.wait = o->wait;
	tt_arena_init(&m->arena, &env->mem);
	tt_threads_init(&m->threads, &env->mem);
	m->npath = o->npath;
	m->cap = tt_mem_alloc(&env->mem, (o->npath + 1) * sizeof *m->cap, err);
	r.in = tt_mem_alloc(&env->mem, (o->npath + 1) * sizeof *r.in, err);
	r.part = tt_mem_alloc(&env->mem, (o->npath + 1) * sizeof *r.part, err);
	rc = m->cap && r.in && r.part ? TT_OK : err->code;
	for (size_t i = 0; i < sizeof phases / sizeof *phases && rc == TT_OK; i++)
		rc = phases[i](&r, err);
	close_run(&r);
	*out = m;
	return rc;
}

void
tt_run_whole(struct tt_run_opts *o)
{
	tt_filter_init(&o->filter);
	o->frame_marker = o->frame_thread = o->from_marker = NULL;
	o->whole_frames = false;
	o->needs = 0;
	o->nemit = 0;
	o->npart = 0;
}

void
tt_model_free(struct tt_model *m)
{
	if (!m)
		return;
	struct tt_mem *mem = &m->env->mem;
	for (size_t i = 0; i < m->ncap; i++)
		tt_inputs_free_capture(mem, m->cap[i]);
	tt_mem_free(mem, m->cap, (m->npath + 1) * sizeof *m->cap);
	tt_frames_free(m);
	tt_mem_free(mem, m->keep_thread, m->threads.n + 1);
	tt_threads_free(&m->threads);
	tt_collect_free(m);
	tt_spanning_free(&m->spanning, mem);
	tt_tree_free(m->tree);
	tt_counts_free(m->counts);
	tt_arena_free(&m->arena);
	tt_mem_free(mem, m, sizeof *m);
}
