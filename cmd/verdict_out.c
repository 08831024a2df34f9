/**
 * Reads the options that name a verdict's outputs, and writes these files.
 */
#include "verdict_out.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "io/outputs.h"
#include "io/src.h"
#include "version.h"

/* GitHub does not show a larger summary of a step. */
#define SUMMARY_MAX (1u << 20)

#define AT(f) offsetof(struct verdict_opts, f)

const struct opt verdict_opt[] = {
	{ .name = "junit", .once = true, .arg = "FILE", .set = opt_text, .at = AT(junit),
	    .help = "write the verdict as JUnit XML, a test case for each row" },
	{ .name = "github", .set = opt_flag, .at = AT(github),
	    .help = "print annotations for GitHub Actions, and add the verdict to the step's summary" },
	{ .name = "gitlab", .once = true, .arg = "FILE", .set = opt_text, .at = AT(gitlab),
	    .help = "write the figures as GitLab's metrics report" },
	{ .name = "azure", .set = opt_flag, .at = AT(azure),
	    .help = "print messages for Azure Pipelines on standard output" },
	{ .name = "teamcity", .set = opt_flag, .at = AT(teamcity),
	    .help = "print messages for TeamCity on standard output" },
	{ .name = "markdown", .once = true, .arg = "FILE", .set = opt_text, .at = AT(markdown),
	    .help = "write the verdict as a comment for a pull request" },
	{ .name = "html", .once = true, .arg = "FILE", .set = opt_text, .at = AT(html),
	    .help = "write the verdict as a page that any browser opens" },
	{ .name = "json", .once = true, .arg = "FILE", .set = opt_text, .at = AT(json),
	    .help = "write the verdict as JSON; see tracetool-json(7)" },
	{ .name = NULL },
};

/* --- where it goes ----------------------------------------------------------------------- */

/* Read the step's present summary into w->before; a missing file is empty. */
static int
read_summary(struct app *app, struct verdict_out *w, struct tt_err *err)
{
	struct tt_src *src;
	size_t got;
	int rc = tt_src_open(&app->env, w->summary, &src, err);

	if (rc != TT_OK)
		return err->sys == ENOENT ? TT_OK : rc;
	while ((rc = tt_buf_room(&w->before, 4096, err)) == TT_OK && w->before.n <= SUMMARY_MAX &&
	    (rc = tt_src_read(src, w->before.p + w->before.n, 4096, &got, err)) == TT_OK)
		w->before.n += got;
	tt_src_close(src);
	return rc == TT_END ? TT_OK : rc;
}

/* Add ${path} to the outputs. ${instead} not NULL: standard output is taken, and this says what to do. */
static int
add_file(struct app *app, const char *path, const char *instead, struct opt_list *paths, struct tt_err *err)
{
	if (strcmp(path, "-") == 0 && instead)
		return tt_fail(err, TT_E_USAGE, TT_NOWHERE, "standard output is taken by the text (%s)", instead);
	return opt_list_add(paths, path, &app->arena, err);
}

int
verdict_open(struct app *app, const struct verdict_opts *o, const char *instead, struct opt_list *paths, struct verdict_out *w,
    struct tt_err *err)
{
	const char *const file[] = { o->junit, o->gitlab, o->markdown, o->json, o->html };
	int rc = TT_OK;

	*w = (struct verdict_out){ .o = o };
	for (size_t i = 0; i < sizeof file / sizeof *file && rc == TT_OK; i++) {
		if (file[i])
			rc = add_file(app, file[i], instead, paths, err);
	}
	w->summary = o->github ? getenv("GITHUB_STEP_SUMMARY") : NULL;
	if (w->summary && !w->summary[0])
		w->summary = NULL;
	if (rc == TT_OK && w->summary)
		rc = opt_list_add(paths, w->summary, &app->arena, err);
	if (rc == TT_OK && w->summary)
		rc = read_summary(app, w, err);
	if (rc != TT_E_IO || !w->summary)
		return rc;
	w->unread = *err;
	return TT_OK;
}

int
verdict_forget(const struct verdict_opts *o, const char *also, struct tt_err *err)
{
	const char *const file[] = { o->junit, o->gitlab, o->markdown, o->json, o->html, also };
	struct stat st;

	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		char *real = file[i] && strcmp(file[i], "-") != 0 ? realpath(file[i], NULL) : NULL;        /* a symbolic link is kept */
		int failed = real && stat(real, &st) == 0 && S_ISREG(st.st_mode) && tt_output_is_report(AT_FDCWD, real) ? unlink(real) : 0, sys = errno;

		free(real);
		if (failed)
			return tt_fail_sys(err, sys, "cannot remove the verdict of an earlier run: %s", file[i]);
	}
	return TT_OK;
}

void
verdict_close(struct verdict_out *w)
{
	tt_buf_free(&w->before);
}

typedef void renderer(const struct tt_verdict *v, struct tt_buf *out);

static void
markdown(const struct tt_verdict *v, struct tt_buf *out)
{
	tt_verdict_as_markdown(v, 0, out);
}

static void
json(const struct tt_verdict *v, struct tt_buf *out)
{
	tt_verdict_as_json(v, TT_GENERATOR, out);
}

bool
verdict_messages(const struct verdict_opts *o)
{
	return o && (o->github || o->azure || o->teamcity);
}

/* Append messages for CI systems that read standard output. */
static void
lines(const struct verdict_opts *o, const struct tt_verdict *v, struct tt_buf *out)
{
	if (o->github)
		tt_verdict_as_github(v, out);
	if (o->azure)
		tt_verdict_as_azure(v, out);
	if (o->teamcity)
		tt_verdict_as_teamcity(v, out);
}

/* Append the verdict to what other commands of the step have written, as far as there is room. True if the summary is to be written. */
static bool
summary(struct verdict_out *w, const struct tt_verdict *v)
{
	size_t room = w->before.n < SUMMARY_MAX ? SUMMARY_MAX - w->before.n : 0, n = w->before.n;

	if (room)
		tt_verdict_as_markdown(v, room, &w->before);
	return w->before.failed || (w->before.n > n && w->before.n <= SUMMARY_MAX);
}

/* Render each requested file into ${out}; returns their number. */
static size_t
files(const struct verdict_opts *o, const struct tt_verdict *v, struct tt_output *out)
{
	const struct { const char *path; renderer *render; } file[] = {
		{ o->junit, tt_verdict_as_junit },
		{ o->gitlab, tt_verdict_as_gitlab },
		{ o->markdown, markdown },
		{ o->json, json },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
		if (!file[i].path)
			continue;
		out[n].path = file[i].path;
		file[i].render(v, &out[n++].text);
	}
	if (o->html) {
		out[n].path = o->html;
		tt_verdict_as_html(v, &o->links, TT_GENERATOR, &out[n++].text);
	}
	return n;
}

int
verdict_write(struct app *app, struct verdict_out *w, const struct tt_verdict *v, struct tt_output *more, size_t nmore,
    struct tt_err *err)
{
	struct tt_output out[TT_OUTPUTS_MAX] = { 0 };
	struct tt_buf own = { 0 }, *screen = &own;
	size_t n = files(w->o, v, out), made = n;
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
	rc = tt_outputs_write(&app->env, out, n, err);
	if (rc == TT_OK && add && app_write(app, w->summary, &w->before, err) != TT_OK)
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
