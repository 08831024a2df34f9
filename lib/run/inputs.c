/**
 * The inputs of a run: opened, files of one recording joined, put on one timeline, and closed.
 */
#include "run/state.h"

#include "base/order.h"
#include "base/setting.h"
#include "io/src.h"
#include "model/path_facts.h"
#include "model/format.h"
#include "model/identity.h"
#include "model/transfer.h"
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
	return tt_capture_meta_from_user(c, key, eq + 1, err);
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
 * If a capture's first bytes make no sense and its compressed stream is damaged, the damage is the cause and is named first. The checksum is at the end of
 * the stream, which is read up to there: for input that no reader takes, not beyond MAX_CHECKED_BYTES bytes.
 */
enum { MAX_CHECKED_BYTES = 64 << 20 };

static int
tell_coding(struct tt_src *src, bool picked, struct tt_err *err)
{
	struct tt_err why = *err, ignored;
	const struct tt_err *broken;
	uint8_t rest[4096];
	size_t n, all = 0;

	if (!src || (why.code != TT_E_DAMAGED && why.code != TT_E_UNKNOWN))
		return why.code;
	while ((picked || all < MAX_CHECKED_BYTES) && tt_src_info(src)->coding != TT_CODING_NONE && !tt_src_damage(src) &&
	    tt_src_read(src, rest, sizeof rest, &n, &ignored) == TT_OK)
		all += n;
	broken = tt_src_damage(src);
	if (!broken || strcmp(why.msg, broken->msg) == 0)
		return why.code;
	return tt_fail(err, TT_E_DAMAGED, broken->at, "%s; decoded so far: %s", broken->msg, why.msg);
}

/* Open the bytes and choose their reader; keep the bytes if they are needed twice. */
static int
open_bytes(struct tt_run *r, struct tt_input *in, const char *path, uint32_t process, struct tt_err *err)
{
	const uint8_t *head;
	size_t n;
	int rc = r->o->fd ? tt_src_open_part(r->env, r->o->fd[process], r->o->fd_size[process], path, &in->src, err) :
	    tt_src_open(r->env, path, &in->src, err);

	if (rc == TT_OK && r->names_first)
		rc = tt_src_spool(in->src, err);
	TT_THEN(rc, tt_src_peek(in->src, &head, &n, err));
	if (rc == TT_OK && n == 0)
		rc = tt_fail(err, TT_E_DAMAGED, 0, "the file is empty: nothing was recorded into it, or its copy failed");
	if (rc == TT_OK)
		in->text_like = tt_transfer_changed(head, n);
	if (rc == TT_OK)
		rc = r->o->format ? forced_format(r->o, &in->format, err) :
		    tt_format_pick(r->o->formats, head, n, &in->format, err);
	if (rc == TT_OK && !r->names_first && ((in->format->may_have_frames && (r->needs & TT_NEEDS_FRAMES)) ||
	    (in->format->needs_whole_input && in->format->needs_whole_input(head, n))))
		rc = tt_src_spool(in->src, err);
	return rc;
}

/* Add to the reason why a reader cannot open the input that the input looks as if a transfer as text changed it. */
static int
tell_text(struct tt_err *err)
{
	const struct tt_loss_info *text = &tt_loss_info[TT_LOST_TEXT];
	const struct tt_err why = *err;
	char advice[TT_LOSS_ADVICE];
	size_t n;

	tt_loss_advice(text, advice);
	n = strlen(advice);
	advice[n - (n > 0 && advice[n - 1] == '.')] = '\0';
	return tt_fail(err, why.code, why.at, "%s. %s (%.200s)", text->text, advice, why.msg);
}

/* Add what the path tells of the capture: facts, and the day of one that does not know it. */
static int
add_path_facts(struct tt_run *r, struct tt_input *in, const char *path, uint32_t process, struct tt_err *err)
{
	struct tt_path_fact fact[TT_PATH_FACTS_MAX];
	const size_t n = r->o->meta_from_path ? tt_path_facts(r->o->meta_from_path, r->o->fact_path ? r->o->fact_path[process] : path, fact) : 0;
	int rc = TT_OK;

	if (r->o->date_from_mtime && in->cap->wall_ns == 0 && !(r->o->fact_path && strchr(path, '!')))
		in->cap->file_ns = tt_src_mtime(in->src);
	if (r->o->meta_from_path && n == 0)
		tt_log(r->env, TT_LOG_VERBOSE, "%s: the path does not fit \"%s\": no facts", path, r->o->meta_from_path);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct tt_buf b = { 0 };

		tt_buf_printf(&b, "%.*s=%.*s", (int)fact[i].nkey, fact[i].key, (int)fact[i].nvalue, fact[i].value);
		rc = tt_buf_error(&b, err);
		TT_THEN(rc, add_meta(in->cap, tt_buf_string(&b), err));
		tt_buf_free(&b);
	}
	return rc;
}

static int
open_input(struct tt_run *r, struct tt_input *in, const char *path, uint32_t process, struct tt_err *err)
{
	bool is_known = false;
	int rc = new_capture(r, path, process, &in->cap, err);

	if (in->cap)
		r->m->cap[r->m->ncap++] = in->cap;
	TT_THEN(rc, open_bytes(r, in, path, process, err));
	if (rc == TT_OK) {
		is_known = true;
		in->cap->format = in->format->name;
		tt_log(r->env, TT_LOG_VERBOSE, "%s: read as %s", path, in->format->name);
		rc = in->format->open(r->env, in->src, in->cap, &in->ctx, err);
	}
	if (rc == TT_OK && r->o->title)
		in->cap->title = r->o->title[process];
	TT_THEN(rc, add_path_facts(r, in, path, process, err));
	for (size_t i = 0; rc == TT_OK && r->o->meta && r->o->meta[i]; i++)
		rc = add_meta(in->cap, r->o->meta[i], err);
	if ((rc == TT_E_DAMAGED || rc == TT_E_UNKNOWN) && is_known && in->text_like)
		rc = tell_text(err);
	if (rc < 0)
		rc = tell_coding(in->src, in->format != NULL, err);
	if (rc < 0 && rc != TT_E_USAGE && in->src)
		tt_err_in(err, "%s", tt_src_info(in->src)->name);
	return rc;
}

int
tt_inputs_open(struct tt_run *r, struct tt_err *err)
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
int
tt_inputs_join(struct tt_run *r, struct tt_err *err)
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
			TT_THEN(rc, x.format->append(in[r->nin - 1].ctx, x.ctx, err));
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

/* Refuse files of one recording that could not be joined: one is a copy of the other, or a part of it. */
int
tt_inputs_check(struct tt_run *r, struct tt_err *err)
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

int
tt_inputs_rewind(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->nin && rc == TT_OK; i++)
		rc = rewind_input(&r->in[i], err);
	return rc;
}

/* Let readers of input in order see all of it. */
int
tt_inputs_look_ahead(struct tt_run *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < r->nin && rc == TT_OK; i++) {
		struct tt_input *in = &r->in[i];
		if (!in->format->survey || tt_src_info(in->src)->seekable || !tt_src_info(in->src)->can_rewind)
			continue;
		rc = in->format->survey(in->ctx, err);
		TT_THEN(rc, rewind_input(in, err));
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

int
tt_inputs_align(struct tt_run *r, struct tt_err *err)
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

/* --- the end -------------------------------------------------------------------------------------- */

static void
close_input(struct tt_input *in)
{
	if (in->ctx)
		in->format->close(in->ctx);
	tt_src_close(in->src);
}

void
tt_inputs_free_capture(struct tt_mem *mem, struct tt_capture *c)
{
	tt_defs_free(c->defs);
	tt_mem_free(mem, c->fit.in_log, c->fit.capin_log * sizeof *c->fit.in_log);
	tt_arena_free(&c->arena);
	tt_mem_free(mem, c, sizeof *c);
}

void
tt_inputs_close(struct tt_run *r)
{
	struct tt_mem *mem = &r->env->mem;

	for (size_t i = 0; i < r->nin; i++)
		close_input(&r->in[i]);
	for (size_t i = 0; i < r->npart; i++) {
		close_input(&r->part[i]);
		tt_inputs_free_capture(mem, r->part[i].cap);
	}
	tt_mem_free(mem, r->in, (r->o->npath + 1) * sizeof *r->in);
	tt_mem_free(mem, r->part, (r->o->npath + 1) * sizeof *r->part);
}
