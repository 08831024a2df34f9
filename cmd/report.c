/**
 * Where a report goes and in what form; the contract is in report.h.
 */
#include "report.h"

#include <string.h>
#include <unistd.h>

#include "io/sink.h"
#include "pass/pass.h"
#include "version.h"

/* By enum tt_render. */
static const struct { const char *name, *suffix; } form[] = {
	[TT_RENDER_TEXT] = { "text", ".txt" },
	[TT_RENDER_JSON] = { "json", ".json" },
	[TT_RENDER_CSV] = { "csv", ".csv" },
	[TT_RENDER_MARKDOWN] = { "markdown", ".md" },
};
#define NFORM (sizeof form / sizeof form[0])

static const char *
form_value(size_t i)
{
	return i < NFORM ? form[i].name : NULL;
}

const struct opt report_opt[] = {
	{ .name = "format", .arg = "FORM", .set = opt_choice,
	    .at = offsetof(struct report_opts, form), .value = form_value,
	    .help = "text, json, csv or markdown; default: by the suffix of the output file, else text" },
	{ .letter = 'o', .name = "output", .arg = "FILE",
	    .set = opt_text, .at = offsetof(struct report_opts, output),
	    .help = "write to FILE; .gz .xz .zst .bz2 .lz4 behind its name compress" },
	{ .name = NULL },
};

void
report_defaults(struct report_opts *o)
{
	o->form = -1;
	o->output = NULL;
}

enum tt_render
report_form(const struct report_opts *o)
{
	enum tt_render by_suffix = TT_RENDER_TEXT;

	if (o->form >= 0)
		return (enum tt_render)o->form;
	if (o->output)
		(void)report_suffix(o->output, &by_suffix);
	return by_suffix;
}

bool
report_suffix(const char *path, enum tt_render *by_suffix)
{
	size_t n;
	const char *suffix = tt_path_suffix(path, &n);

	*by_suffix = TT_RENDER_TEXT;
	for (size_t i = 0; suffix && i < NFORM; i++) {
		if (strlen(form[i].suffix) == n && memcmp(suffix, form[i].suffix, n) == 0) {
			*by_suffix = (enum tt_render)i;
			return true;
		}
	}
	return suffix == NULL;
}

int
report_notes(struct app *app, const struct tt_model *m, struct tt_report *r, struct tt_err *err)
{
	const char *caveat = tt_model_caveat(m);
	int rc = tt_loss_notes(&app->loss, r, err);

	if (rc == TT_OK && caveat)
		rc = tt_report_note(r, tt_severity_name[TT_NOTICE], "caveat", caveat, err);
	return rc;
}

/* Where it goes. */
static const char *
target(const struct report_opts *o)
{
	return o->output ? o->output : "-";
}

int
report_render(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_buf *text,
    struct tt_err *err)
{
	bool screen = strcmp(target(o), "-") == 0;
	const struct tt_render_opts ro = {
		.form = report_form(o),
		.color = ui_color(&app->ui, screen ? STDOUT_FILENO : -1),
		.width = screen ? ui_width(STDOUT_FILENO) : 0,
		.csv_sep = ',',
		.generator = TT_GENERATOR,
	};

	return tt_render(r, &ro, text, err);
}

int
report_write(struct app *app, const struct report_opts *o, const struct tt_report *r, struct tt_err *err)
{
	struct tt_buf text = { 0 };
	int rc = report_render(app, o, r, &text, err);

	if (rc == TT_OK)
		rc = app_write(app, target(o), &text, err);
	tt_buf_free(&text);
	return rc;
}
