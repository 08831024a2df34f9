/**
 * tracetool info --scrub: copies a capture without its names, to be sent to developers of readers.
 */
#include "info_scrub.h"

#include <string.h>

#include "cmd.h"
#include "io/outputs.h"
#include "io/sink.h"
#include "io/src.h"
#include "model/format.h"
#include "model/scrub.h"
#include "out/table.h"

static int
write_out(void *arg, const void *p, size_t n, struct tt_err *err)
{
	return tt_sink_write(arg, p, n, err);
}

/* Open the capture. The caller must close it, also after an error. */
static int
open_capture(struct app *app, struct tt_capture *cap, struct tt_src **src, const struct tt_format **f, void **ctx, struct tt_err *err)
{
	const uint8_t *head;
	size_t n;
	int rc = tt_src_open(&app->env, cap->path, src, err);

	/* Name the file in the message. */
	if (rc != TT_OK)
		return rc;
	rc = tt_src_peek(*src, &head, &n, err);
	if (rc == TT_OK && n == 0)
		rc = tt_fail(err, TT_E_DAMAGED, 0, "the file is empty: nothing was recorded into it, or its copy failed");
	TT_THEN(rc, tt_format_pick(tt_formats, head, n, f, err));
	if (rc == TT_OK && !(*f)->scrub)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--scrub makes copies of .raw, .data and .mlpd, and this is .%s", (*f)->name);
	if (rc == TT_OK && !tt_src_info(*src)->seekable && !tt_src_info(*src)->can_rewind)
		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "--scrub reads its input twice: name a file");
	TT_THEN(rc, (*f)->open(&app->env, *src, cap, ctx, err));
	return rc == TT_OK ? rc : tt_err_in(err, "%s", cap->path);
}

/* Print a count such as "9,308" into ${room}. */
static const char *
count_text(uint64_t n, char room[32])
{
	*tt_put_count(room, n < INT64_MAX ? (int64_t)n : INT64_MAX) = '\0';
	return room;
}

static int
copy(struct app *app, const struct tt_format *f, void *ctx, const char *out, struct tt_err *err)
{
	struct tt_scrubbed done = { 0 };
	char room[32];
	struct tt_sink *sink;
	int rc = tt_sink_open(&app->env, out, &sink, err);

	if (rc != TT_OK)
		return rc;
	rc = f->scrub(ctx, write_out, sink, &done, err);
	if (rc != TT_OK) {
		tt_sink_abort(sink);
		return rc;
	}
	rc = tt_sink_commit(sink, err);
	if (rc == TT_OK)
		tt_log(&app->env, TT_LOG_NORMAL, "%s: %llu texts scrubbed; numbers, ids and addresses are as they were", out,
		    (unsigned long long)done.ntexts);
	if (rc == TT_OK && done.nzeroed_bytes)
		ui_say(&app->ui, "%s: zeros are in place of %s bytes that could not be decoded; figures that depend on them may differ", out,
		    count_text(done.nzeroed_bytes, room));
	if (rc == TT_OK && done.nmisplaced_bytes)
		ui_say(&app->ui, "%s: %s bytes where numbers belong look like texts, and were scrubbed; figures that depend on them may differ", out,
		    count_text(done.nmisplaced_bytes, room));
	if (rc == TT_OK && done.nlost_events)
		ui_say(&app->ui, "%s: its figures lack %s events before such bytes, as nothing proves that these are no names", out,
		    count_text(done.nlost_events, room));
	if (rc == TT_OK && done.ncut_bytes)
		ui_say(&app->ui, "%s: the last %s bytes of the capture, an event that it ends in, are left out", out, count_text(done.ncut_bytes, room));
	if (rc == TT_OK && done.nbegun_bytes)
		ui_say(&app->ui, "%s: of the last %s bytes of the capture, which are part of a message, only the length is kept", out,
		    count_text(done.nbegun_bytes, room));
	if (rc == TT_OK && done.is_damaged && done.damaged_at != UINT64_MAX)
		ui_say(&app->ui, "%s: the capture is damaged, first at byte %llu; tracetool info says how", out, (unsigned long long)done.damaged_at);
	if (rc == TT_OK && (done.is_damaged || done.nzeroed_bytes))
		app->verdict = tt_verdict_exit(TT_FOUND_DAMAGE);
	return rc;
}

int
scrub_capture(struct app *app, const struct tt_list *path, const char *out, const char *tmpdir, struct tt_err *err)
{
	struct tt_list writes = { 0 };
	struct tt_capture cap = { .path = path->n ? path->v[0] : "" };
	const struct tt_format *f = NULL;
	struct tt_src *src = NULL;
	void *ctx = NULL;
	int rc = TT_OK;

	if (!out || strcmp(out, "-") == 0)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --scrub: name the file of the copy with -o");
	if (path->n != 1)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "option --scrub: it copies one capture, not %zu", path->n);
	rc = tt_list_add(&writes, out, &app->arena, err);
	TT_THEN(rc, tt_outputs_check(writes.v, path->v, err));
	TT_THEN(rc, app_reads(app, path->v, err));
	TT_THEN(rc, app_confine(app, writes.v, tmpdir, err));
	if (rc != TT_OK)
		return rc;
	tt_arena_init(&cap.arena, &app->env.mem);
	/* Accept a capture that no layout fits: it is the kind of capture that developers need. */
	app->env.force = true;
	rc = open_capture(app, &cap, &src, &f, &ctx, err);
	TT_THEN(rc, app_seal(app, err));
	TT_THEN(rc, copy(app, f, ctx, out, err));
	if (ctx)
		f->close(ctx);
	tt_src_close(src);
	tt_arena_free(&cap.arena);
	return rc;
}
