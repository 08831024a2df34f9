/**
 * The tables "capture_layout", "capture_logs" and "capture_unknown": which layout a capture has, by its own evidence, in a sentence and in figures.
 */
#include "pass/passes.h"

const struct tt_col tt_layout_col[TT_LAYOUT_COLUMNS] = {
	{ "layout", "layout", TT_UNIT_TEXT, "Releases whose layout the capture was read by." },
	{ "fit", "verdict", TT_UNIT_TEXT, "fits: all that was read ends where it must; partly: most of it, or definitions are "
	    "missing; misfit: less; unproven: nothing to measure; forced." },
	{ "evidence", "evidence", TT_UNIT_PROSE, "The figures of this table in a sentence." },
	{ "parts", "parts", TT_UNIT_COUNT, "Number of parts read that can show a layout: frames of .data; blocks of .raw, "
	    "but for those with a frame's mark alone, and those that are cut." },
	{ "fitting_parts", "parts that fit", TT_UNIT_COUNT, "Number of parts that end where their last message or section does." },
	{ "messages", "messages", TT_UNIT_COUNT, "Number of messages or events read." },
	{ "ends", "ends", TT_UNIT_COUNT, "Number of ends of zones, but for those of the GPU." },
	{ "matched_ends", "ends that match", TT_UNIT_COUNT, "Number of ends whose zone began in the capture." },
	{ "markers", "markers", TT_UNIT_COUNT, "Number of markers with zones in the call tree, but for those of the GPU." },
	{ "named_markers", "markers defined", TT_UNIT_COUNT, "Number of these markers that are defined." },
	{ "threads", "threads", TT_UNIT_COUNT, "Number of threads with messages or events." },
	{ "named_threads", "threads defined", TT_UNIT_COUNT, "Number of these threads that are defined." },
	{ "earlier", "before the recording", TT_UNIT_COUNT, "Number of messages whose time is before the recording began; all other times lie within it, or "
	    "are among the losses." },
	{ "names", "names", TT_UNIT_COUNT, "Number of names in definitions of markers and threads." },
	{ "text_names", "names that are text", TT_UNIT_COUNT, "Number of these names that are UTF-8 without a NUL." },
	{ "lost", "losses", TT_UNIT_COUNT, "Number of losses, other than a cut end; the loss ledger has them." },
	{ "first_misfit", "first misfit at byte", TT_UNIT_COUNT, "Place of the first part that does not fit; empty if all do." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

const struct tt_col tt_logs_col[TT_LOGS_COLUMNS] = {
	{ "log", "log", TT_UNIT_COUNT, "Number of the log in its file, from 1." },
	{ "at", "at byte", TT_UNIT_COUNT, "Place of its header." },
	{ "version", "version", TT_UNIT_TEXT, "Version that its header says." },
	{ "layout", "layout", TT_UNIT_TEXT, "Releases whose layout it was read by." },
	{ "fit", "verdict", TT_UNIT_TEXT, "As in capture_layout, of this log alone." },
	{ "parts", "parts", TT_UNIT_COUNT, "Number of its blocks that can show a layout." },
	{ "fitting_parts", "parts that fit", TT_UNIT_COUNT, "Number of these that end where their last message does." },
	{ "messages", "messages", TT_UNIT_COUNT, "Number of its messages." },
	{ "ends", "ends", TT_UNIT_COUNT, "Number of ends of zones." },
	{ "matched_ends", "ends that match", TT_UNIT_COUNT, "Number of ends whose zone began in the capture." },
	{ "markers", "markers", TT_UNIT_COUNT, "Number of its markers with zones in the call tree, but for those of zones that a text names." },
	{ "named_markers", "markers defined", TT_UNIT_COUNT, "Number of these markers that are defined." },
	{ "names", "names", TT_UNIT_COUNT, "Number of names in its definitions of markers and threads." },
	{ "text_names", "names that are text", TT_UNIT_COUNT, "Number of these names that are UTF-8 without a NUL." },
	{ "lost", "losses", TT_UNIT_COUNT, "Number of its losses, other than a cut end; those that show only at the end of the file are of the last log." },
	{ "first_misfit", "first misfit at byte", TT_UNIT_COUNT, "Place of its first block that does not fit; empty if all do." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

const struct tt_col tt_unknown_col[TT_UNKNOWN_COLUMNS] = {
	{ "type", "type", TT_UNIT_COUNT, "Number of the unknown type; empty for all further ones." },
	{ "messages", "messages", TT_UNIT_COUNT, "Number of messages of this type; each costs the rest of its block." },
	{ "bytes", "length without text", TT_UNIT_COUNT, "Bytes from its type's number to the next known message, without a text's; empty unless found." },
	{ "text_at", "text at", TT_UNIT_COUNT, "Place of a text's 32-bit length in it, which its length hangs on; empty: none." },
	{ "parts", "parts that show it", TT_UNIT_COUNT, "Number of blocks that show this length; no block shows another." },
	{ "process", "process", TT_UNIT_COUNT, "Number of the input, from 1." },
};

/* Return a count with its noun: "42 blocks", "1 block". */
static const char *
noun(struct tt_report *r, uint64_t n, const char *what)
{
	return tt_text(r, "%s %s%s", tt_text_count(r, n), what, n == 1 ? "" : "s");
}

/* Say how many parts were read, and how many of them end where they must. */
static const char *
evidence_of_parts(struct tt_report *r, const struct tt_capture *k)
{
	const struct tt_fit *e = &k->fit;
	uint64_t at;
	const uint64_t misfits = tt_fit_misfits(e, &at), fit = e->parts - (misfits < e->parts ? misfits : e->parts);
	const char *const parts = noun(r, e->parts, e->part);

	if (misfits == 0 && e->lost)
		return tt_text(r, "%s, with no end in the wrong place; %s", parts, noun(r, k->nevent, e->message));
	if (misfits == 0)
		return tt_text(r, "%s, %s where it must; %s", parts, e->parts == 1 ? "which ends" : "each of which ends", noun(r, k->nevent, e->message));
	return tt_text(r, "%s of %s end%s where %s must; the first that does not is at byte %llu", tt_text_count(r, fit), parts, fit == 1 ? "s" : "",
	    fit == 1 ? "it" : "they", (unsigned long long)at);
}

static const char *
evidence(struct tt_report *r, const struct tt_capture *k)
{
	const struct tt_fit *e = &k->fit;
	uint64_t at;
	const uint64_t misfits = tt_fit_misfits(e, &at);

	if (e->parts == 0)
		return tt_text(r, "no %s to measure it by was read", e->part);
	const char *text = evidence_of_parts(r, k);
	if (e->samples == 0)
		text = tt_text(r, "%s; none has samples", text);
	if (e->lost > misfits)
		text = tt_text(r, "%s; losses are in the ledger", text);
	if (e->cut)
		text = tt_text(r, "%s; the rest is cut off", text);
	if (e->ends)
		text = tt_text(r, "%s; %s of %s match%s", text, tt_text_count(r, e->matched_ends), noun(r, e->ends, "end"), e->ends == 1 ? "es" : "");
	if (e->markers)
		text = tt_text(r, "%s; %s of %s defined", text, tt_text_count(r, e->named_markers), noun(r, e->markers, "marker"));
	if (e->threads)
		text = tt_text(r, "%s; %s of %s defined", text, tt_text_count(r, e->named_threads), noun(r, e->threads, "thread"));
	if (misfits == 0 && e->lost == 0)
		text = e->count.earlier == 0 ? tt_text(r, "%s; all times are within the recording", text) :
		    tt_text(r, "%s; all times but those of %s from before it are within the recording", text, noun(r, e->count.earlier, e->message));
	if (e->count.bad_names)
		text = tt_text(r, "%s; %s of %s %s not text", text, tt_text_count(r, e->count.bad_names), noun(r, e->count.names, "name"),
		    e->count.bad_names == 1 ? "is" : "are");
	return text;
}

bool
tt_layout_has(const struct tt_making *k)
{
	for (size_t i = 0; i < k->m->ncap; i++)
		if (k->m->cap[i]->fit.layout)
			return true;
	return false;
}

void
tt_layout_make(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++) {
		const struct tt_capture *of = k->m->cap[i];
		const struct tt_fit *e = &of->fit;
		uint64_t at;
		const uint64_t misfits = tt_fit_misfits(e, &at);

		if (!e->layout)
			continue;
		const char *sentence = evidence(k->r, of);
		struct tt_cell *c = tt_row(t);
		tt_cell_text(&c[0], tt_text(k->r, "Unity %s", e->layout));
		tt_cell_name(&c[1], tt_layout_name(tt_fit_verdict(e)));
		tt_cell_text(&c[2], sentence);
		tt_cell_u64(&c[3], e->parts);
		tt_cell_u64(&c[4], e->parts - (misfits < e->parts ? misfits : e->parts));
		tt_cell_u64(&c[5], of->nevent);
		tt_cell_u64(&c[6], e->ends);
		tt_cell_u64(&c[7], e->matched_ends);
		tt_cell_u64(&c[8], e->markers);
		tt_cell_u64(&c[9], e->named_markers);
		tt_cell_u64(&c[10], e->threads);
		tt_cell_u64(&c[11], e->named_threads);
		tt_cell_u64(&c[12], e->count.earlier);
		tt_cell_u64(&c[13], e->count.names);
		tt_cell_u64(&c[14], e->count.names - e->count.bad_names);
		tt_cell_u64(&c[15], e->lost);
		if (misfits)
			tt_cell_u64(&c[16], at);
		tt_cell_u64(&c[17], i + 1);
	}
}

bool
tt_logs_has(const struct tt_making *k)
{
	for (size_t i = 0; i < k->m->ncap; i++)
		if (k->m->cap[i]->fit.nlog > 1)
			return true;
	return false;
}

/* Put the figures of log ${i} of ${e} into the cells from ${c}, beginning with the verdict. */
static void
put_log(struct tt_cell *c, const struct tt_fit *e, size_t i)
{
	struct tt_fit of;
	uint64_t at;

	tt_fit_of_log(e, i, &of);
	const uint64_t misfits = tt_fit_misfits(&of, &at);
	tt_cell_name(&c[4], tt_layout_name(tt_fit_verdict(&of)));
	tt_cell_u64(&c[5], of.parts);
	tt_cell_u64(&c[6], of.parts - (misfits < of.parts ? misfits : of.parts));
	tt_cell_u64(&c[7], i < e->nin_log ? e->in_log[i].messages : 0);
	tt_cell_u64(&c[8], of.ends);
	tt_cell_u64(&c[9], of.matched_ends);
	tt_cell_u64(&c[10], of.markers);
	tt_cell_u64(&c[11], of.named_markers);
	tt_cell_u64(&c[12], of.count.names);
	tt_cell_u64(&c[13], of.count.names - of.count.bad_names);
	tt_cell_u64(&c[14], of.lost);
	if (misfits)
		tt_cell_u64(&c[15], at);
}

void
tt_logs_make(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++) {
		const struct tt_fit *e = &k->m->cap[i]->fit;

		for (size_t log = 0; e->nlog > 1 && log < e->nlog; log++) {
			struct tt_cell *c = tt_row(t);

			tt_cell_u64(&c[0], log + 1);
			tt_cell_u64(&c[1], e->log[log].at);
			tt_cell_text(&c[2], tt_text(k->r, "0x%08x", e->log[log].version));
			tt_cell_text(&c[3], tt_text(k->r, "Unity %s", e->log[log].layout));
			put_log(c, e, log);
			tt_cell_u64(&c[16], i + 1);
		}
	}
}

bool
tt_unknown_has(const struct tt_making *k)
{
	for (size_t i = 0; i < k->m->ncap; i++)
		if (k->m->cap[i]->fit.count.nunknown)
			return true;
	return false;
}

/* Put the length of a type's messages, if it is known. */
static void
put_length(struct tt_cell *c, const struct tt_lengths *of)
{
	struct tt_length found;

	if (!tt_lengths_find(of, &found))
		return;
	tt_cell_u64(&c[2], found.bytes);
	if (found.has_text)
		tt_cell_u64(&c[3], found.text_at);
	tt_cell_u64(&c[4], of->parts);
}

void
tt_unknown_make(struct tt_making *k, struct tt_table *t)
{
	for (size_t i = 0; i < k->m->ncap; i++) {
		const struct tt_fit_count *f = &k->m->cap[i]->fit.count;

		for (unsigned u = 0; u <= f->nunknown; u++) {
			const bool further = u == f->nunknown;

			if (further && f->unknown_others == 0)
				break;
			struct tt_cell *c = tt_row(t);
			if (!further)
				tt_cell_u64(&c[0], f->unknown[u].type);
			tt_cell_u64(&c[1], further ? f->unknown_others : f->unknown[u].n);
			if (!further)
				put_length(c, &f->unknown[u].lengths);
			tt_cell_u64(&c[5], i + 1);
		}
	}
}
