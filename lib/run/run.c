/**
 * Opens the inputs, reads them once or more, and finishes the model; the contract is in run.h.
 */
#include "base/order.h"
#include "base/setting.h"
#include "run/brief.h"
#include "run/candidates.h"
#include "run/frame_replay.h"
#include "run/parts.h"

#include <stdlib.h>

#include "emit/emit.h"
#include "io/src.h"
#include "model/format.h"
#include "model/identity.h"
#include "model/waits.h"
#include "run/state.h"
#include "run/run.h"

/* --- inputs ------------------------------------------------------------------------------- */

static int
new_capture(struct tt_run *r, const char *path, uint32_t process, struct tt_capture **out, struct tt_err *err)
{
	struct tt_capture *c = tt_mem_alloc(&r->env->mem, sizeof *c, err);

	if (!c)
		return err->code;
	*out = c;
	tt_arena_init(&c->arena, &r->env->mem);
	c->process = process;
	c->producer = c->arch = c->os = c->args = c->version = c->format = "";
	c->min_ts = INT64_MAX;
	c->max_ts = INT64_MIN;
	c->path = tt_arena_text(&c->arena, path, strlen(path), err);
	if (!c->path)
		return err->code;
	return tt_defs_new(&r->env->mem, &c->defs, err);
}

static int
add_meta(struct tt_capture *c, const char *kv, struct tt_err *err)
{
	char key[128];
	const char *eq = strchr(kv, '=');

	if (!eq || eq == kv || (size_t)(eq - kv) >= sizeof key)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s takes key=value, not \"%s\"", tt_setting_name[TT_SETTING_META], kv);
	memcpy(key, kv, (size_t)(eq - kv));
	key[eq - kv] = '\0';
	return tt_capture_meta_said(c, key, eq + 1, err);
}

static int
forced_format(const struct tt_run_opts *o, const struct tt_format **f, struct tt_err *err)
{
	for (size_t i = 0; o->formats[i]; i++)
		if (strcmp(o->formats[i]->name, o->format) == 0) {
			*f = o->formats[i];
			return TT_OK;
		}
	return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "no reader is called \"%s\" (see: tracetool list formats)", o->format);
}

/*
 * Where a capture's first bytes make no sense and its compressed stream is damaged, the damage is the cause and is named first.
 * The checksum is at the end of the stream, which is read up to there: of input that no reader takes, not beyond ENOUGH bytes.
 */
enum { ENOUGH = 64 << 20 };

static int
tell_coding(struct tt_src *src, bool picked, struct tt_err *err)
{
	struct tt_err why = *err, ignored;
	const struct tt_err *broken;
	uint8_t rest[4096];
	size_t n, all = 0;

	if (!src || (why.code != TT_E_DAMAGED && why.code != TT_E_UNKNOWN))
		return why.code;
	while ((picked || all < ENOUGH) && tt_src_info(src)->coding != TT_CODING_NONE && !tt_src_broken(src) &&
	    tt_src_read(src, rest, sizeof rest, &n, &ignored) == TT_OK)
		all += n;
	broken = tt_src_broken(src);
	if (!broken || strcmp(why.msg, broken->msg) == 0)
		return why.code;
	return tt_fail(err, TT_E_DAMAGED, broken->at, "%s; decoded so far: %s", broken->msg, why.msg);
}

/* Open the bytes and choose their reader; they are kept where they are needed twice. */
static int
open_bytes(struct tt_run *r, struct tt_input *in, const char *path, uint32_t process, struct tt_err *err)
{
	const uint8_t *head;
	size_t n;
	int rc = r->o->fd ? tt_src_open_part(r->env, r->o->fd[process], r->o->fd_size[process], path, &in->src, err) :
	    tt_src_open(r->env, path, &in->src, err);

	if (rc == TT_OK && r->names_first)
		rc = tt_src_keep(in->src, err);
	if (rc == TT_OK)
		rc = tt_src_peek(in->src, &head, &n, err);
	if (rc == TT_OK && n == 0)
		rc = tt_fail(err, TT_E_DAMAGED, 0, "the file is empty: nothing was recorded into it, or its copy failed");
	if (rc == TT_OK)
		rc = r->o->format ? forced_format(r->o, &in->format, err) :
		    tt_format_pick(r->o->formats, head, n, &in->format, err);
	if (rc == TT_OK && !r->names_first && ((in->format->frames && (r->needs & TT_NEEDS_FRAMES)) ||
	    (in->format->tells_late && in->format->tells_late(head, n))))
		rc = tt_src_keep(in->src, err);
	return rc;
}

static int
open_input(struct tt_run *r, struct tt_input *in, const char *path, uint32_t process, struct tt_err *err)
{
	int rc = new_capture(r, path, process, &in->cap, err);

	if (in->cap)
		r->m->cap[r->m->ncap++] = in->cap;
	if (rc == TT_OK)
		rc = open_bytes(r, in, path, process, err);
	if (rc == TT_OK) {
		in->cap->format = in->format->name;
		tt_log(r->env, TT_LOG_VERBOSE, "%s: read as %s", path, in->format->name);
		rc = in->format->open(r->env, in->src, in->cap, &in->ctx, err);
	}
	if (rc == TT_OK && r->o->title)
		in->cap->title = r->o->title[process];
	for (size_t i = 0; rc == TT_OK && r->o->meta && r->o->meta[i]; i++)
		rc = add_meta(in->cap, r->o->meta[i], err);
	if (rc < 0)
		rc = tell_coding(in->src, in->format != NULL, err);
	if (rc < 0 && rc != TT_E_USAGE && in->src)
		tt_err_in(err, "%s", tt_src_info(in->src)->name);
	return rc;
}

static int
open_inputs(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->o->npath && rc == TT_OK; i++)
		rc = open_input(r, &r->in[r->nin++], r->o->path[i], (uint32_t)i, err);
	return rc;
}

/* --- files of one recording --------------------------------------------------------------------- */

static bool
one_recording(const struct tt_input *a, const struct tt_input *b)
{
	static const uint8_t none[sizeof a->cap->recording];

	return a->format == b->format && a->format->append && memcmp(a->cap->recording, none, sizeof none) != 0 &&
	    memcmp(a->cap->recording, b->cap->recording, sizeof none) == 0;
}

static int
by_recording(const void *a, const void *b)
{
	const struct tt_input *x = a, *y = b;

	if (x->group != y->group)
		return TT_CMP(x->group, y->group);
	if (x->cap->part != y->cap->part)
		return TT_CMP(x->cap->part, y->cap->part);
	return TT_CMP(x->cap->process, y->cap->process);
}

/*
 * Files of one recording become one input, in their order and at the place of the one that was named first. The same file
 * twice stays two.
 */
static int
join_files(struct tt_run *r, struct tt_err *err)
{
	struct tt_input *in = r->in, *last = NULL;
	size_t n = r->nin;
	int rc = TT_OK;

	if (n < 2)
		return TT_OK;
	for (size_t i = 0; i < n; i++)
		while (in[i].group < i && !one_recording(&in[in[i].group], &in[i]))
			in[i].group++;
	tt_sort(in, n, by_recording);
	r->nin = 0;
	for (size_t i = 0; i < n; i++) {
		struct tt_input x = in[i];
		if (last && one_recording(last, &x) && last->cap->part_last < x.cap->part) {
			r->part[r->npart] = x;
			last = last->then = &r->part[r->npart++];
			if (rc == TT_OK)
				rc = x.format->append(in[r->nin - 1].ctx, x.ctx, err);
			continue;
		}
		x.cap->process = (uint32_t)r->nin;
		r->m->cap[r->nin] = x.cap;
		in[r->nin] = x;
		last = &in[r->nin++];
	}
	r->m->ncap = r->nin;
	return rc;
}

/* A file that is another's copy, or a part of it, is left where files of a recording were joined. */
static int
check_parts(struct tt_run *r, struct tt_err *err)
{
	for (size_t i = 1; i < r->nin && !r->o->copies; i++)
		for (size_t k = 0; k < i; k++)
			if (one_recording(&r->in[k], &r->in[i]))
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, TT_COPIES, r->in[k].cap->path, r->in[i].cap->path);
	return TT_OK;
}

static int
rewind_input(struct tt_input *in, struct tt_err *err)
{
	int rc = TT_OK;

	for (const struct tt_input *f = in; f && rc == TT_OK; f = f->then)
		if (!tt_src_info(f->src)->seekable)
			rc = tt_src_rewind(f->src, err);
	return rc == TT_OK ? in->format->rewind(in->ctx, err) : rc;
}

/* Let readers of input in order see all of it. */
static int
look_ahead(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->nin && rc == TT_OK; i++) {
		struct tt_input *in = &r->in[i];
		if (!in->format->look || tt_src_info(in->src)->seekable || !tt_src_info(in->src)->rewindable)
			continue;
		rc = in->format->look(in->ctx, err);
		if (rc == TT_OK)
			rc = rewind_input(in, err);
		if (rc < 0)
			tt_err_in(err, "%s", tt_src_info(in->src)->name);
	}
	return rc;
}

/* --- one timeline ----------------------------------------------------------------------------- */

/* True if the event clocks of two captures come from one boot: wall time agrees within 2 s. */
static bool
one_clock(const struct tt_capture *a, const struct tt_capture *b)
{
	int64_t wall = b->wall_ns - a->wall_ns, clock = (int64_t)((uint64_t)b->start_ns - (uint64_t)a->start_ns), off;

	return a->wall_ns && b->wall_ns && !__builtin_sub_overflow(wall, clock, &off) && off > -2000000000 && off < 2000000000;
}

static int
align(struct tt_run *r, struct tt_err *err)
{
	struct tt_capture **c = r->m->cap;
	size_t n = r->m->ncap;
	enum tt_align how = r->o->align;

	if (n < 2 || how == TT_ALIGN_START)
		return TT_OK;
	for (size_t i = 0; i < n && how == TT_ALIGN_WALL; i++)
		if (c[i]->wall_ns == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: no time of recording to align by: use %s start", c[i]->path,
			    tt_setting_name[TT_SETTING_ALIGN]);
	if (how == TT_ALIGN_AUTO) {
		for (size_t i = 0; i < n; i++)
			if (c[i]->wall_ns == 0) {
				tt_log(r->env, TT_LOG_NORMAL, "%s has no wall clock: each capture starts at 0", c[i]->path);
				return TT_OK;
			}
		how = TT_ALIGN_CLOCK;
		for (size_t i = 1; i < n; i++)
			if (!one_clock(c[0], c[i]))
				how = TT_ALIGN_WALL;
		if (how == TT_ALIGN_WALL)
			tt_log(r->env, TT_LOG_NORMAL, "the captures are not from one boot: aligned by wall time, to about a second");
	}
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < n; i++) {
		int64_t wall = (int64_t)((uint64_t)c[i]->wall_ns - ((uint64_t)c[i]->start_ns - (uint64_t)c[i]->zero_ns));
		c[i]->offset_ns = how == TT_ALIGN_CLOCK ? c[i]->zero_ns : wall;
		if (c[i]->offset_ns < first)
			first = c[i]->offset_ns;
	}
	for (size_t i = 0; i < n; i++)
		c[i]->offset_ns = (int64_t)((uint64_t)c[i]->offset_ns - (uint64_t)first);
	return TT_OK;
}

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

/* How losses are said: as the format of all inputs does. */
static const struct tt_loss_said *
said_by(const struct tt_run *r)
{
	const struct tt_loss_said *said = r->nin ? r->in[0].format->said : NULL;

	for (size_t i = 1; i < r->nin; i++)
		if (r->in[i].format->said != said)
			return NULL;
	return said;
}

/* True if a version was read like another one. */
static bool
is_forced(const struct tt_run *r)
{
	for (size_t i = 0; i < r->nin; i++) {
		const char *layout = tt_capture_meta_get(r->in[i].cap, TT_META_LAYOUT);
		if (layout && strcmp(layout, tt_layout_name(TT_LAYOUT_FORCED)) == 0)
			return true;
	}
	return false;
}

/* What a pass over the input is for, as --verbose says it. */
static const char *const phase_text[] = { [TT_PHASE_NAMES] = "names, frame marks and threads", [TT_PHASE_MARKS] = "where the markers begin that were named",
	[TT_PHASE_MAIN] = "events", [TT_PHASE_PARTS] = "events once more, for what was not known before" };

static int
read_all(struct tt_run *r, enum tt_phase phase, const char *name, struct tt_err *err)
{
	const char *before = r->env->loss->input;
	int rc = TT_OK;

	tt_log(r->env, TT_LOG_VERBOSE, "pass %u: %s", ++r->passes, phase_text[phase]);
	r->env->loss->forced = is_forced(r);
	r->phase_name = name;
	r->done_bytes = 0;
	tt_threads_reset(&r->m->threads);
	for (size_t i = 0; i < r->nin && rc == TT_OK; i++) {
		r->env->loss->input = name_in_ledger(r, &r->in[i]);
		r->env->loss->said = r->in[i].format->said;
		rc = tt_pipeline(r, &r->in[i], phase, err);
		if (rc < 0 && rc != TT_E_STOPPED && !r->emit_failed)
			tt_err_in(err, "%s", r->in[i].cap->path);
		r->env->loss->input = before;
		for (const struct tt_input *f = &r->in[i]; f; f = f->then)
			r->done_bytes += raw_size(f) != UINT64_MAX ? raw_size(f) : 0;
	}
	r->env->loss->said = said_by(r);
	return rc;
}

static int
rewind_all(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->nin && rc == TT_OK; i++)
		rc = rewind_input(&r->in[i], err);
	return rc;
}

static int
name_all(struct tt_run *r, struct tt_err *err)
{
	int rc = tt_threads_name(&r->m->threads, r->m->cap, r->m->ncap, &r->m->arena, err);

	return rc == TT_OK ? tt_model_resolve(r->m, r->o->names, err) : rc;
}

/* Which threads does the filter want? By name or number. */
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
			if (!tt_src_info(f->src)->rewindable)
				return false;
	return true;
}

/* True if only all of the input tells in which spans it has all threads. */
static bool
tells_spans_late(const struct tt_input *in)
{
	bool late = false;

	for (const struct tt_input *f = in; f; f = f->then)
		late = late || !tt_src_info(f->src)->seekable;
	return late && in->cap->flight;
}

/* The inputs are open: how much there is to read, on which timeline, and whether their names are to be read first. */
static int
plan(struct tt_run *r, struct tt_err *err)
{
	int rc = r->o->opened ? r->o->opened(r->o->opened_arg, err) : TT_OK;
	bool twice = false;

	if (rc == TT_OK)
		rc = look_ahead(r, err);
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
	return align(r, err);
}

/* The definitions of all inputs, their threads and times, and the frame marks of captures that have some. */
static int
read_names(struct tt_run *r, struct tt_err *err)
{
	if (!r->names_first)
		return TT_OK;
	int rc = read_all(r, TT_PHASE_NAMES, "names", err);

	tt_brief_sort(&r->m->threads);
	if (rc == TT_OK)
		rc = name_all(r, err);
	return rc == TT_OK ? rewind_all(r, err) : rc;
}

/* Where the markers begin that --frame-marker and --from-marker name. */
static int
read_marks(struct tt_run *r, struct tt_err *err)
{
	if (!r->o->frame_marker && !r->o->from_marker)
		return TT_OK;
	int rc = read_all(r, TT_PHASE_MARKS, "frames", err);

	if (rc == TT_OK)
		rc = tt_mark_keys_choose(r, err);
	return rc == TT_OK ? rewind_all(r, err) : rc;
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
	if ((r->needs & TT_NEEDS_APART) && tt_model_tell_apart(r->m, err) != TT_OK)
		return err->code;
	r->emit = tt_mem_alloc(&r->env->mem, r->o->nemit * sizeof *r->emit, err);
	if (!r->emit)
		return err->code;
	for (size_t i = 0; i < r->o->nemit; i++) {
		struct tt_emit_opts o = r->o->emit_opts[i];
		o.estimate = r->m->zones_expected;
		int rc = tt_emit_begin(r->o->emit[i], &o, r->m, &r->emit[i], err);
		if (rc != TT_OK)
			return rc;
	}
	return TT_OK;
}

static int
finish_emitters(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->o->nemit && rc == TT_OK; i++) {
		rc = r->o->emit[i]->finish(r->emit[i], err);
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

/* What only the whole of one input shows. */
static void
close_capture(struct tt_run *r, const struct tt_input *in)
{
	struct tt_loss *loss = r->m->loss;
	struct tt_capture *c = in->cap;
	const struct tt_threads *ts = &r->m->threads;
	bool seen = false;

	for (const struct tt_input *f = in; f; f = f->then) {
		c->spooled += tt_src_spooled(f->src);
		if (tt_src_changed(f->src) && !c->running)
			tt_loss_add(loss, TT_LOST_CHANGED, 1, 0, TT_NOWHERE);
		if (tt_src_garbage(f->src))
			tt_loss_add(loss, TT_LOST_GARBAGE, 1, tt_src_garbage(f->src), TT_NOWHERE);
	}
	c->bytes = c->read_to > c->bytes ? c->read_to : c->bytes;
	c->clean_end = c->ends_recorded;
	for (size_t t = 0; t < ts->n; t++)
		if (ts->t[t]->process == c->process && ts->t[t]->started) {
			seen = true;
			c->clean_end = c->clean_end && ts->t[t]->ended;
		}
	c->clean_end = c->end_mark ? c->end_mark > 0 : c->clean_end && seen;
	if ((c->ends_recorded || c->end_mark) && !c->clean_end)
		tt_loss_add(loss, c->running ? TT_LOST_RUNNING : c->all_recorded ? TT_LOST_KILLED : TT_LOST_NOT_ENDED, 1, 0, TT_NOWHERE);
	c->clean_end = c->clean_end && !c->more_follow;
}

/* How many calls, samples and allocations are in "(more paths)"; at least one where some of a path is there. */
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

static int
close_ledger(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;
	const char *before = m->loss->input;

	(void)err;
	for (size_t i = 0; i < r->nin; i++) {
		m->loss->input = name_in_ledger(r, &r->in[i]);
		close_capture(r, &r->in[i]);
		m->loss->input = before;
	}
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

/* Keys that nothing in the input says the meaning of: markers, and classes of allocations. */
static int
count_unnamed(struct tt_run *r, struct tt_err *err)
{
	const struct tt_model *m = r->m;
	uint64_t n = 0;

	(void)err;
	for (uint32_t i = 0; i < tt_tree_markers(m->tree) && i < m->nname; i++) {
		const struct tt_marker *k = tt_tree_marker(m->tree, i);
		if (m->name[i].known || k->key >= TT_KEY_SPECIAL)
			continue;
		n++;
		m->cap[k->process]->undefined |= m->cap[k->process]->unless_named;
	}
	for (uint32_t i = 0; i < tt_tree_count(m->tree); i++) {
		const struct tt_node *node = tt_tree_node(m->tree, i);
		n += node->kind == TT_NODE_ALLOC && !tt_defs_class(m->cap[node->process]->defs, node->key, INT64_MAX);
	}
	if (n)
		tt_loss_add(m->loss, TT_LOST_NAMES, n, 0, TT_NOWHERE);
	return TT_OK;
}

static int
read_events(struct tt_run *r, struct tt_err *err)
{
	int rc = new_counts(r, err);

	total_times(r->m);        /* as reading the names found them */
	if (rc == TT_OK)
		rc = tt_collect_begin(&r->collect, err);
	if (rc == TT_OK)
		rc = tt_parts_begin(r, err);
	if (rc == TT_OK)
		rc = begin_emitters(r, err);
	tt_chunk_log_begin(r);
	if (rc == TT_OK)
		rc = read_all(r, TT_PHASE_MAIN, "reading", err);
	/* An input without a single thread leaves none. */
	if (rc == TT_OK && !r->m->counts)
		rc = tt_counts_new(&r->env->mem, &r->m->counts, err);
	return rc;
}

/* Class keys turned out to have several meanings: forget the events and read again, to tell the keys apart by time. */
static int
read_again(struct tt_run *r, struct tt_err *err)
{
	struct tt_model *m = r->m;

	if (r->names_first || !any_reused(r) || (r->o->nemit && !r->o->emit[0]->again) || !rewindable(r))
		return TT_OK;
	tt_log(r->env, TT_LOG_VERBOSE, "class addresses were reused: reading again to tell them apart by time");
	tt_loss_reset(m->loss);
	tt_candidates_free(r);
	for (size_t i = 0; i < m->ncap; i++) {
		struct tt_capture *c = m->cap[i];
		c->nevent = c->nchunk = c->bytes = 0;
		memset(c->tally, 0, sizeof c->tally);
		memset(c->unloaded, 0, sizeof c->unloaded);
	}
	r->names_first = r->collect.alias = true;
	int rc = rewind_all(r, err);
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
		if (r->m->cap[i]->framed && !r->o->frame_marker)
			return true;
	return false;
}

static int
use_all_names(struct tt_run *r, struct tt_err *err)
{
	int rc = name_all(r, err);

	/* Of what is read once, whether frames are marked is known only now. */
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
		rc = rewind_all(r, err);
		if (rc == TT_OK)
			rc = read_all(r, TT_PHASE_PARTS, "reading", err);
		if (rc == TT_OK)
			rc = tt_parts_finish(r, err);
	}
	return rc;
}

/* The emitter, which is the only one, may know only now what it wants of the events. */
static int
read_for_emitter(struct tt_run *r, struct tt_err *err)
{
	bool more = false;
	int rc = r->o->nemit == 1 && r->o->emit[0]->again && rewindable(r) ? r->o->emit[0]->again(r->emit[0], &more, err) : TT_OK;
	struct tt_thread *was;

	if (rc == TT_OK && more)
		rc = rewind_all(r, err);
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
	open_inputs, join_files, check_parts, plan,
	read_names, read_marks, use_names,
	read_events, read_again,
	check_copies, settle_counts, close_ledger, use_all_names, finish_frames, read_parts, read_for_emitter, count_unnamed, finish_emitters,
};

static unsigned
all_needs(const struct tt_run_opts *o)
{
	unsigned needs = o->needs | (o->npart ? o->part_needs : 0);

	for (size_t i = 0; i < o->nemit; i++)
		needs |= tt_emit_needs(o->emit[i], &o->emit_opts[i]);
	return needs;
}

static void
close_input(struct tt_input *in)
{
	if (in->ctx)
		in->format->close(in->ctx);
	tt_src_close(in->src);
}

static void
free_capture(struct tt_mem *mem, struct tt_capture *c)
{
	tt_defs_free(c->defs);
	tt_arena_free(&c->arena);
	tt_mem_free(mem, c, sizeof *c);
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
	for (size_t i = 0; i < r->nin; i++)
		close_input(&r->in[i]);
	for (size_t i = 0; i < r->npart; i++) {
		close_input(&r->part[i]);
		free_capture(mem, r->part[i].cap);
	}
	tt_mem_free(mem, r->in, (o->npath + 1) * sizeof *r->in);
	tt_mem_free(mem, r->part, (o->npath + 1) * sizeof *r->part);
	tt_collect_release(&r->collect);
	tt_candidates_free(r);
	tt_chunk_log_free(r);
	tt_parts_free(r);
	tt_replay_free(&r->replay);
	tt_marks_free(r);
}

/* What the options make the run read and keep beyond what they ask for. */
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
		free_capture(mem, m->cap[i]);
	tt_mem_free(mem, m->cap, (m->npath + 1) * sizeof *m->cap);
	tt_frames_free(m);
	tt_mem_free(mem, m->keep_thread, m->keep_thread ? m->threads.n + 1 : 0);
	tt_threads_free(&m->threads);
	tt_collect_free(m);
	tt_tree_free(m->tree);
	tt_counts_free(m->counts);
	tt_arena_free(&m->arena);
	tt_mem_free(mem, m, sizeof *m);
}
