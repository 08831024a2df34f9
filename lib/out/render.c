/**
 * Writes a report in the chosen form.
 */
#include "out/render.h"

int
tt_render(const struct tt_report *r, const struct tt_render_opts *o, struct tt_buf *out, struct tt_err *err)
{
	static void (*const form[])(const struct tt_report *, const struct tt_render_opts *, struct tt_buf *) = {
		[TT_RENDER_TEXT] = tt_render_text, [TT_RENDER_JSON] = tt_render_json, [TT_RENDER_CSV] = tt_render_csv,
		[TT_RENDER_MARKDOWN] = tt_render_markdown, [TT_RENDER_HTML] = tt_render_html,
	};

	if (tt_report_error(r, err) != TT_OK)
		return err->code;
	for (const struct tt_table *t = r->first; t; t = t->next)
		tt_rows_first(t);     /* the table may have been rendered before */
	form[o->form](r, o, out);
	if (tt_report_error(r, err) != TT_OK)
		return err->code;
	return tt_buf_error(out, err);
}
