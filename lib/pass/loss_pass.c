/**
 * The pass "loss": the ledger as a table, and as notes.
 */
#include <string.h>

#include "base/setting.h"
#include "pass/passes.h"

enum { L_KIND, L_SEVERITY, L_WHAT, L_COUNT, L_BYTES, L_FIRST, L_ADVICE, L_N };

static const struct tt_col loss_col[L_N] = {
	[L_KIND] = { "kind", "kind", TT_UNIT_TEXT, "Kind of loss, guess or omission, as a fixed word." },
	[L_SEVERITY] = { "severity", "severity", TT_UNIT_TEXT,
	    "info: usual; notice: figures depend on it; loss: something is missing; error: the input is damaged." },
	[L_WHAT] = { "what", "what", TT_UNIT_PROSE, "The kind in words." },
	[L_COUNT] = { "count", "count", TT_UNIT_COUNT, "Number of occurrences, or of events if known." },
	[L_BYTES] = { "bytes", "bytes", TT_UNIT_BYTES, "Affected bytes of the (decompressed) input; empty if none were skipped." },
	[L_FIRST] = { "first_at", "first at byte", TT_UNIT_COUNT, "Byte offset of the first occurrence in the (decompressed) input." },
	[L_ADVICE] = { "advice", "advice", TT_UNIT_PROSE, "Meaning, and what to do." },
};

static void
put_entry(struct tt_making *k, struct tt_table *t, const struct tt_loss_info *info, const struct tt_loss_entry *e)
{
	struct tt_cell *c = tt_row(t);
	char advice[TT_LOSS_ADVICE];

	tt_cell_text(&c[L_KIND], info->id);
	tt_cell_text(&c[L_SEVERITY], tt_severity_name[info->severity]);
	tt_cell_text(&c[L_WHAT], info->text);
	tt_cell_u64(&c[L_COUNT], e->n);
	if (e->bytes)
		tt_cell_u64(&c[L_BYTES], e->bytes);
	if (e->first_at != TT_NOWHERE)
		tt_cell_u64(&c[L_FIRST], e->first_at);
	tt_cell_text(&c[L_ADVICE], tt_text(k->r, "%s", tt_loss_advice(info, advice)));
}

/* List the entries of the ledger by severity, the worst first. */
static void
entries(struct tt_making *k, struct tt_table *t)
{
	t->complete = true;
	t->answer = L_COUNT;
	for (int severity = TT_ERROR; severity >= TT_INFO; severity--) {
		for (unsigned i = 0; i < TT_LOST_KINDS; i++) {
			const struct tt_loss_entry *e = &k->m->loss->e[i];
			const struct tt_loss_info info = tt_loss_info_of(k->m->loss, i);

			if ((int)info.severity == severity && e->n)
				put_entry(k, t, &info, e);
		}
	}
}

/* Add a note such as "bytes skipped to find the next chunk: 3, 512 B, first at byte 4096. Advice."; with several inputs the input's name comes first. */
static void
put_note(struct tt_report *r, const struct tt_loss_info *info, const struct tt_loss_entry *e)
{
	char count[32], bytes[40] = "", at[48] = "", advice[TT_LOSS_ADVICE];

	*tt_put_count(count, (int64_t)e->n) = '\0';
	if (e->bytes) {
		memcpy(bytes, ", ", 2);
		*tt_put_bytes(bytes + 2, (int64_t)e->bytes) = '\0';
	}
	if (e->first_at != TT_NOWHERE) {
		memcpy(at, ", first at byte ", 16);
		*tt_put_u64(at + 16, e->first_at) = '\0';
	}
	const char *in = e->input ? tt_text(r, "%s%s: ", e->input, e->in_others ? " and others" : "") : "";
	tt_report_note(r, tt_severity_name[info->severity], info->id,
	    tt_text(r, "%s%s: %s%s%s. %s", in, info->text, count, bytes, at, tt_loss_advice(info, advice)));
}

void
tt_loss_notes(const struct tt_loss *loss, struct tt_report *r)
{
	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_info info = tt_loss_info_of(loss, k);

		if (info.severity >= TT_NOTICE && loss->e[k].n)
			put_note(r, &info, &loss->e[k]);
	}
}

static const char *
why_nothing(struct tt_making *k)
{
	for (size_t p = 0; p < k->m->ncap; p++)
		if (k->m->cap[p]->hides_throws && (k->m->cap[p]->records & TT_REC_THROWS))
			return tt_text(k->r, "nothing was lost of what Mono reports; it does not report all exceptions (see %s exceptions)",
			    tt_setting_name[TT_SETTING_TABLE]);
	return "nothing was lost";
}

static const struct tt_pass_table tables[] = {
	{ "loss", "Lost, guessed or left out", loss_col, L_N, .always_whole = true, .shape = TT_WHOLE, .make_rows = entries, .find_why_empty = why_nothing },
};

const struct tt_pass tt_pass_loss = {
	.name = "loss",
	.summary = "what was lost, guessed or left out, with advice",
	.needs = TT_NEEDS_CALLS,      /* keys without a name are counted in the tree */
	.is_standard = true,
	.tables = tables,
	.ntables = TT_NCOL(tables),
};
