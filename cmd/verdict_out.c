/**
 * Reads the options that name a verdict's outputs.
 */
#include "verdict_out.h"

#include <string.h>

#include "cmd.h"
#include "version.h"

#define AT(f) offsetof(struct tt_verdict_outputs, f)

const struct tt_opt verdict_opt[] = {
	{ .name = "junit", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(junit),
	    .help = "write the verdict as JUnit XML, a test case for each row" },
	{ .name = "github", .set = tt_opt_flag, .at = AT(github),
	    .help = "print annotations for GitHub Actions, and add the verdict to the step's summary" },
	{ .name = "gitlab", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(gitlab),
	    .help = "write the figures as GitLab's metrics report" },
	{ .name = "azure", .set = tt_opt_flag, .at = AT(azure),
	    .help = "print messages for Azure Pipelines on standard output" },
	{ .name = "teamcity", .set = tt_opt_flag, .at = AT(teamcity),
	    .help = "print messages for TeamCity on standard output" },
	{ .name = "markdown", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(markdown),
	    .help = "write the verdict as a comment for a pull request" },
	{ .name = "html", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(html),
	    .help = "write the verdict as a page that any browser opens" },
	{ .name = "json", .is_once_only = true, .arg = "FILE", .set = tt_opt_text, .at = AT(json),
	    .help = "write the verdict as JSON; see tracetool-json(7)" },
	{ .name = NULL },
};

int
verdict_open(struct app *app, const struct tt_verdict_outputs *o, const char *instead, struct tt_list *paths, struct tt_verdict_out *w, struct tt_err *err)
{
	int rc = tt_verdict_out_open(&app->env, o, instead != NULL, TT_GENERATOR, w, err);

	if (rc == TT_E_USAGE && instead) {
		const struct tt_err what = *err;

		rc = tt_fail(err, TT_E_USAGE, TT_NOWHERE, "%s (%s)", what.msg, instead);
	}
	for (size_t i = 0; i < w->npath && rc == TT_OK; i++)
		rc = tt_list_add(paths, w->path[i], &app->arena, err);
	return rc;
}
