/**
 * tracetool recover: makes a whole capture from what a killed program left.
 */
#include "verb_recover.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "sys/sys.h"
#include "ttc/recover.h"
#include "ttc/ttc.h"
#include "base/arena_text.h"

struct recover_opts {
	struct tt_list path;
	const char *out;
	bool remove_ring, list;
	struct ui_opts ui;
};

static const struct tt_opt recover_opt[] = {
	{ .letter = 'o', .name = "output", .is_once_only = true, .arg = "FILE",
	    .set = tt_opt_text, .at = offsetof(struct recover_opts, out),
	    .help = "write the capture to FILE, which may be no capture yet; default: the name of the first capture with .recovered before .ttc, or "
		    ".recovered.2 and so on if that is taken" },
	{ .name = "remove-ring", .set = tt_opt_flag, .at = offsetof(struct recover_opts, remove_ring),
	    .help = "remove the ring once the capture is written" },
	{ .name = NULL },
};
static const struct tt_opt list_opt[] = {
	{ .name = "list", .set = tt_opt_flag, .at = offsetof(struct recover_opts, list),
	    .help = "list the rings in shared memory, and in the folders given in place of captures, with what to do about each; nothing is changed" },
	{ .name = NULL },
};

static const struct tt_opt_group groups[] = {
	{ "Output", recover_opt, 0 },
	{ "Rings", list_opt, 0 },
	UI_GROUP(struct recover_opts, ui),
	{ NULL, NULL, 0 },
};

const struct tt_verb verb_recover = {
	.name = "recover",
	.summary = "make a whole capture from what a killed program left",
	.operands = "CAPTURE...",
	.about = "Write one capture with everything that CAPTURE and the ring it names hold. If its program is killed, a "
		 "recorder's ring stays in shared memory until the next boot; every command reads it with the capture as long as "
		 "it exists. Damaged chunks are left out. The files of a recording that rotates become one capture. With --list, tell which rings there are.",
	.examples = "  tracetool recover game.ttc\n"
		    "  tracetool recover game.ttc -o whole.ttc --remove-ring\n"
		    "  tracetool recover game.*ttc -o whole.ttc\n"
		    "  tracetool recover --list\n",
	.group = groups,
	.operand_at = offsetof(struct recover_opts, path),
};

/* Return a new name: "game.ttc" becomes "game.recovered.ttc", or "game.recovered.2.ttc" and so on if that exists. */
static const char *
default_output(struct app *app, const char *path, struct tt_err *err)
{
	size_t n = strlen(path), stem = n > 4 && strcmp(path + n - 4, ".ttc") == 0 ? n - 4 : n;
	char *first = tt_arena_printf(&app->arena, err, "%.*s.recovered.ttc", (int)stem, path);
	char *out = first ? tt_arena_alloc(&app->arena, n + 40, err) : NULL;
	struct tt_sys_stat st;

	if (!out || tt_sys_stat_link(first, &st) != 0)
		return out ? first : NULL;
	for (unsigned i = 2; i != 0; i++) {
		snprintf(out, n + 40, "%.*s.recovered.%u.ttc", (int)stem, path, i);
		if (tt_sys_stat_link(out, &st) != 0)
			break;
	}
	tt_log(&app->env, TT_LOG_NORMAL, "%s is kept: the capture goes to %s", first, out);
	return out;
}

/* Fail if the file ${out} is a capture of any kind: its data may exist nowhere else, for example after the ring was removed. */
static int
check_no_capture(struct app *app, const char *out, struct tt_err *err)
{
	const struct tt_format *f;
	struct tt_err none;
	struct tt_src *src;
	const uint8_t *head;
	struct tt_sys_stat st;
	size_t n;
	int rc;

	if (tt_sys_stat(out, &st) != 0 || st.kind != TT_KIND_FILE)
		return TT_OK;
	rc = tt_src_open(&app->env, out, &src, err);
	if (rc != TT_OK)
		return rc;
	rc = tt_src_peek(src, &head, &n, err);
	if (rc == TT_OK && tt_format_pick(tt_formats, head, n, &f, &none) == TT_OK)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is a capture already, and is not replaced: move it away, or name another output", out);
	tt_src_close(src);
	return rc;
}

/* Restrict the output's permissions to those who may read all its inputs. */
static void
keep_permissions(const struct tt_list *path)
{
	unsigned mode = 0666;
	struct tt_sys_stat st;

	for (size_t i = 0; i < path->n; i++)
		mode &= tt_sys_stat(path->v[i], &st) == 0 ? st.mode : 0600;
	tt_sys_limit_modes(mode);
}

/* Confine the process. If rings are removed, their readable folders are writable, too. */
static int
confine(struct app *app, const struct recover_opts *o, const char *out, struct tt_err *err)
{
	struct tt_list written = { 0 };
	int rc = tt_list_add(&written, out, &app->arena, err);
	struct tt_sys_stat st;

	TT_THEN(rc, app_reads(app, o->path.v, err));
	if (rc == TT_OK && tt_sys_stat(out, &st) == 0 && st.kind == TT_KIND_FILE)
		rc = app_reads_back(app, out, err);
	for (size_t i = 0; rc == TT_OK && o->remove_ring && app->plan.read[i]; i++) {
		if (tt_sys_stat(app->plan.read[i], &st) == 0 && st.kind == TT_KIND_FOLDER)
			rc = tt_list_add(&written, app->plan.read[i], &app->arena, err);
	}
	return rc == TT_OK ? app_confine(app, written.v, NULL, err) : rc;
}

/* Fail if the output would replace an input: damaged parts, which the output leaves out, would be lost. */
static int
check_output(const struct recover_opts *o, const char *out, struct tt_err *err)
{
	struct tt_sys_stat a, b;

	for (size_t i = 0; i < o->path.n; i++)
		if (tt_sys_stat(out, &a) == 0 && tt_sys_stat(o->path.v[i], &b) == 0 && tt_sys_is_same(&a, &b))
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s is both an input and the output", out);
	return TT_OK;
}

/* Warn about files of the rotation that were not given. */
static void
say_missing(struct app *app, struct ttc *const *m, size_t n)
{
	const struct tt_capture all = { .part = m[0]->head.part, .part_last = ttc_last_part(m[n - 1]), .more_follow = m[n - 1]->cap->more_follow };
	char stretch[TT_STRETCH_TEXT];

	if (tt_capture_missing_files(&all, stretch))
		tt_log(&app->env, TT_LOG_NORMAL, "%s", stretch);
	for (size_t i = 1; i < n; i++) {
		const uint32_t gap = ttc_files_between(m[i - 1], m[i]);

		if (gap == 0)
			continue;
		ui_say(&app->ui, "%s and %s: %u file%s of the rotation between them %s missing, and not in the output",
		    m[i - 1]->cap->path, m[i]->cap->path, gap, gap == 1 ? "" : "s", gap == 1 ? "is" : "are");
		app->verdict = tt_verdict_exit(TT_FOUND_DAMAGE);
	}
}

/* Fail if a ring is to be removed whose program still records. */
static int
check_ring(const struct recover_opts *o, struct ttc *const *m, size_t n, struct tt_err *err)
{
	for (size_t i = 0; i < n && o->remove_ring; i++)
		if (m[i]->is_ring_live)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s: its program still runs and records into %s: remove the ring when it has ended",
			    m[i]->cap->path, m[i]->text[TTC_T_RING]);
	return TT_OK;
}

static int
recover(struct app *app, const struct recover_opts *o, struct tt_err *err)
{
	size_t n = o->path.n;
	const char *out = o->out ? o->out : default_output(app, o->path.v[0], err);
	int rc = out ? check_output(o, out, err) : err->code;
	struct ttc_part *p = tt_arena_alloc(&app->arena, n * sizeof *p, err);
	struct ttc **m = tt_arena_alloc(&app->arena, n * sizeof *m, err);
	size_t opened = 0;

	if (!p || !m)
		return err->code;
	TT_THEN(rc, confine(app, o, out, err));
	TT_THEN(rc, check_no_capture(app, out, err));
	keep_permissions(&o->path);
	for (; rc == TT_OK && opened < n; opened++)
		rc = ttc_part_open(&app->env, o->path.v[opened], &p[opened], err);
	TT_THEN(rc, ttc_parts_order(p, m, n, err));
	for (size_t i = 1; i < n && rc == TT_OK; i++)
		rc = ttc_append(m[0], m[i], err);
	TT_THEN(rc, app_seal(app, err));
	TT_THEN(rc, check_ring(o, m, n, err));
	TT_THEN(rc, ttc_write_capture(&app->env, m, n, out, o->remove_ring, err));
	for (size_t i = 0; i < n && rc == TT_OK; i++)
		if (m[i]->is_ring_live)
			tt_log(&app->env, TT_LOG_NORMAL, "%s: its program still runs: what it records from now on is not in the output", m[i]->cap->path);
	if (rc == TT_OK)
		say_missing(app, m, n);
	while (opened-- > 0)
		ttc_part_close(&p[opened]);
	return rc;
}

int
run_recover(struct app *app, int argc, char **argv, struct tt_err *err)
{
	struct recover_opts o = { 0 };
	int rc = app_parse(app, &verb_recover, &o, &o.ui, argc, argv, err);

	if (rc != TT_OK)
		return rc == TT_END ? TT_OK : rc;
	if (o.list && (o.out || o.remove_ring))
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--list writes and removes nothing: leave %s out", o.out ? "--output" : "--remove-ring");
	if (o.list)
		return recover_list(app, o.path.v, err);
	if (o.path.n == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "recover takes a capture, or the files of one that rotates; --list tells which rings there are");
	app->input = o.path.v[0];
	return recover(app, &o, err);
}
