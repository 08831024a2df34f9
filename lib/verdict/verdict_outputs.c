/**
 * Opens and writes the files of a verdict.
 */
#include "verdict/verdict_outputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "io/outputs.h"
#include "io/src.h"
#include "sys/sys.h"
#include "verdict/verdict_as.h"

/* maximum size of a step's summary that GitHub shows */
#define SUMMARY_MAX (1u << 20)

/* --- where it goes ----------------------------------------------------------------------- */

/* Read the step's existing summary into w->before; a missing file counts as empty. */
static int
read_summary(struct tt_env *env, struct tt_verdict_out *w, struct tt_err *err)
{
	struct tt_src *src;
	size_t got;
	int rc = tt_src_open(env, w->summary, &src, err);

	if (rc != TT_OK)
		return err->sys == ENOENT ? TT_OK : rc;
	while ((rc = tt_buf_room(&w->before, 4096, err)) == TT_OK && w->before.n <= SUMMARY_MAX &&
	    (rc = tt_src_read(src, w->before.p + w->before.n, 4096, &got, err)) == TT_OK)
		w->before.n += got;
	tt_src_close(src);
	return rc == TT_END ? TT_OK : rc;
}

int
tt_verdict_out_open(struct tt_env *env, const struct tt_verdict_outputs *o, bool no_screen, const char *generator, struct tt_verdict_out *w,
    struct tt_err *err)
{
	const char *const file[] = { o->junit, o->gitlab, o->markdown, o->json, o->html };
	int rc = TT_OK;

	*w = (struct tt_verdict_out){ .o = o, .generator = generator };
	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		if (file[i] && no_screen && strcmp(file[i], "-") == 0)
			return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard output is taken by the text");
		if (file[i])
			w->path[w->npath++] = file[i];
	}
	w->summary = o->github ? getenv("GITHUB_STEP_SUMMARY") : NULL;
	if (w->summary && !w->summary[0])
		w->summary = NULL;
	if (w->summary) {
		w->path[w->npath++] = w->summary;
		rc = read_summary(env, w, err);
	}
	if (rc != TT_E_IO)
		return rc;
	w->unread = *err;
	return TT_OK;
}

int
tt_verdict_out_forget(const struct tt_verdict_outputs *o, const char *also, struct tt_err *err)
{
	const char *const file[] = { o->junit, o->gitlab, o->markdown, o->json, o->html, also };
	struct tt_sys_stat st;

	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		char *real = file[i] && strcmp(file[i], "-") != 0 ? tt_sys_real_path(file[i]) : NULL;      /* a symbolic link is kept: write to its target */
		const bool is_old = real && tt_sys_stat(real, &st) == 0 && st.kind == TT_KIND_FILE &&
		    tt_output_is_report(tt_sys_open(real, TT_OPEN_READ | TT_OPEN_NO_LINK | TT_OPEN_NO_WAIT));
		const int failed = is_old ? tt_sys_remove(real) : 0, sys = errno;

		free(real);
		if (failed)
			return tt_fail_sys(err, sys, "cannot remove the verdict of an earlier run: %s", file[i]);
	}
	return TT_OK;
}

void
tt_verdict_out_close(struct tt_verdict_out *w)
{
	tt_buf_free(&w->before);
}

typedef void renderer(const struct tt_verdict *v, struct tt_buf *out);

static void
markdown(const struct tt_verdict *v, struct tt_buf *out)
{
	tt_verdict_as_markdown(v, 0, out);
}

bool
tt_verdict_out_messages(const struct tt_verdict_outputs *o)
{
	return o && (o->github || o->azure || o->teamcity);
}

/* Append messages for CI systems that read standard output. */
static void
lines(const struct tt_verdict_outputs *o, const struct tt_verdict *v, struct tt_buf *out)
{
	if (o->github)
		tt_verdict_as_github(v, out);
	if (o->azure)
		tt_verdict_as_azure(v, out);
	if (o->teamcity)
		tt_verdict_as_teamcity(v, out);
}

/* Append the verdict to what other commands of the step have written, as far as there is room. Return true if the summary should be written. */
static bool
summary(struct tt_verdict_out *w, const struct tt_verdict *v)
{
	size_t room = w->before.n < SUMMARY_MAX ? SUMMARY_MAX - w->before.n : 0, n = w->before.n;

	if (room)
		tt_verdict_as_markdown(v, room, &w->before);
	return w->before.failed || (w->before.n > n && w->before.n <= SUMMARY_MAX);
}

/* Render each requested file into ${out}; returns their number. */
static size_t
files(const struct tt_verdict_out *w, const struct tt_verdict *v, struct tt_output *out)
{
	const struct tt_verdict_outputs *o = w->o;
	const struct { const char *path; renderer *render; } file[] = {
		{ o->junit, tt_verdict_as_junit },
		{ o->gitlab, tt_verdict_as_gitlab },
		{ o->markdown, markdown },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		if (!file[i].path)
			continue;
		out[n].path = file[i].path;
		file[i].render(v, &out[n++].text);
	}
	if (o->json) {
		out[n].path = o->json;
		tt_verdict_as_json(v, w->generator, &out[n++].text);
	}
	if (o->html) {
		out[n].path = o->html;
		tt_verdict_as_html(v, &o->links, w->generator, &out[n++].text);
	}
	return n;
}

int
tt_verdict_out_write(struct tt_env *env, struct tt_verdict_out *w, const struct tt_verdict *v, struct tt_output *more, size_t nmore,
    struct tt_err *err)
{
	struct tt_output out[TT_OUTPUTS_MAX] = { 0 };
	struct tt_buf own = { 0 }, *screen = &own;
	size_t n = files(w, v, out), made = n;
	bool add;
	int rc;

	for (size_t i = 0; i < nmore; i++) {
		if (strcmp(more[i].path, "-") == 0)
			screen = &more[i].text;
	}
	lines(w->o, v, screen);
	add = w->summary && w->unread.code == TT_OK && summary(w, v);
	for (size_t i = 0; i < nmore; i++)
		out[n++] = more[i];
	if (own.n > 0 || own.failed)
		out[n++] = (struct tt_output){ "-", own };
	rc = tt_outputs_write(env, out, n, err);
	if (rc == TT_OK && add && tt_output_write(env, w->summary, &w->before, err) != TT_OK)
		rc = tt_err_in(err, "GITHUB_STEP_SUMMARY");
	if (rc == TT_OK && w->unread.code != TT_OK) {
		*err = w->unread;
		rc = tt_err_in(err, "GITHUB_STEP_SUMMARY");
	}
	for (size_t i = 0; i < made; i++)
		tt_buf_free(&out[i].text);
	tt_buf_free(&own);
	return rc;
}
