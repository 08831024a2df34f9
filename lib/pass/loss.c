/**
 * The pass "loss": the ledger as a table, and as notes.
 */
#include <string.h>

#include "pass/passes.h"

enum { L_KIND, L_SEVERITY, L_WHAT, L_COUNT, L_BYTES, L_FIRST, L_ADVICE, L_N };

static const struct tt_col loss_col[L_N] = {
	[L_KIND] = { "kind", "kind", TT_UNIT_TEXT, "What was lost, guessed or left out, as a fixed word." },
	[L_SEVERITY] = { "severity", "severity", TT_UNIT_TEXT,
	    "info: usual; notice: figures depend on it; loss: something is missing; error: the input is damaged." },
	[L_WHAT] = { "what", "what", TT_UNIT_PROSE, "The same in words." },
	[L_COUNT] = { "count", "count", TT_UNIT_COUNT, "Occurrences, or events where they are known." },
	[L_BYTES] = { "bytes", "bytes", TT_UNIT_BYTES, "Bytes of the (decompressed) input concerned; empty where none were skipped." },
	[L_FIRST] = { "first_at", "first at", TT_UNIT_COUNT, "Byte offset of the first in the (decompressed) input." },
	[L_ADVICE] = { "advice", "advice", TT_UNIT_PROSE, "What it means and what to do." },
};

static const struct tt_pass_table tables[] = {
	{ "loss", "Lost, guessed or left out", loss_col, L_N, false, 0, 0, 0 },
};

static int
put_entry(struct tt_report *r, struct tt_table *t, enum tt_loss_kind k, const struct tt_loss_entry *e,
    struct tt_err *err)
{
	const struct tt_loss_info *info = &tt_loss_info[k];
	struct tt_cell *c;
	int rc = tt_table_row(r, t, &c, err);

	if (rc != TT_OK)
		return rc;
	tt_cell_text(&c[L_KIND], info->id);
	tt_cell_text(&c[L_SEVERITY], tt_severity_name[info->severity]);
	tt_cell_text(&c[L_WHAT], info->text);
	tt_cell_int(&c[L_COUNT], (int64_t)e->n);
	if (e->bytes)
		tt_cell_int(&c[L_BYTES], (int64_t)e->bytes);
	if (e->first_at != TT_NOWHERE)
		tt_cell_int(&c[L_FIRST], (int64_t)e->first_at);
	tt_cell_text(&c[L_ADVICE], info->advice);
	return TT_OK;
}

/* Worst first, then in the order of the ledger. */
static int
report(const struct tt_model *m, const struct tt_pass_opts *o, struct tt_report *r, struct tt_err *err)
{
	struct tt_table *t;
	int rc = tt_pass_begin(&tt_pass_loss, 0, o, r, &t, err);

	if (rc != TT_OK || !t)
		return rc;
	t->empty_reason = "nothing was lost";
	for (size_t p = 0; p < m->ncap; p++)
		if (m->cap[p]->hides_throws && (m->cap[p]->records & TT_REC_THROWS))
			t->empty_reason = "nothing was lost of what Mono reports; it does not report all exceptions (see --table exceptions)";
	t->whole = true;
	for (int severity = TT_ERROR; severity >= TT_INFO; severity--) {
		for (unsigned k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++) {
			const struct tt_loss_entry *e = &m->loss->e[k];

			if ((int)tt_loss_info[k].severity == severity && e->n)
				rc = put_entry(r, t, k, e, err);
		}
	}
	return rc;
}

/* "bytes skipped to find the next chunk: 3, 512 B, first at byte 4096. Advice." */
static int
put_note(struct tt_report *r, enum tt_loss_kind k, const struct tt_loss_entry *e, struct tt_err *err)
{
	const struct tt_loss_info *info = &tt_loss_info[k];
	char count[32], bytes[40] = "", at[48] = "", *p;
	const char *text;

	*tt_put_count(count, (int64_t)e->n) = '\0';
	if (e->bytes) {
		memcpy(bytes, ", ", 2);
		*tt_put_bytes(bytes + 2, (int64_t)e->bytes) = '\0';
	}
	if (e->first_at != TT_NOWHERE) {
		memcpy(at, ", first at byte ", 16);
		p = tt_put_u64(at + 16, e->first_at);
		*p = '\0';
	}
	text = tt_report_text(r, err, "%s: %s%s%s. %s", info->text, count, bytes, at, info->advice);
	return text ? tt_report_note(r, tt_severity_name[info->severity], info->id, text, err) : err->code;
}

int
tt_loss_notes(const struct tt_loss *loss, struct tt_report *r, struct tt_err *err)
{
	int rc = TT_OK;

	for (unsigned k = 0; k < TT_LOST_KINDS && rc == TT_OK; k++) {
		const struct tt_loss_entry *e = &loss->e[k];

		if (tt_loss_info[k].severity >= TT_NOTICE && e->n)
			rc = put_note(r, k, e, err);
	}
	return rc;
}

const struct tt_pass tt_pass_loss = {
	.name = "loss",
	.summary = "what was lost, guessed or left out, with advice",
	.needs = TT_NEEDS_CALLS,      /* keys without a name are found in the tree */
	.standard = true,
	.report = report,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
