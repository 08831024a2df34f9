/**
 * Perfetto: everything after the events: frames, labels and facts, provenance, losses.
 *
 * All of it is known only at the end. Readers sort by time and accept it anywhere in the file.
 */
#include <string.h>

#include "emit/common.h"
#include "emit/perfetto.h"
#include "model/facts.h"

/* --- frames ------------------------------------------------------------------------- */

static uint32_t
frame_process(const struct perfetto *c, size_t i)
{
	uint32_t thread = tt_frames_thread(c->e.m->frames, i);

	return thread < c->e.m->threads.n ? c->e.m->threads.t[thread]->process : 0;
}

static void
put_frame(struct perfetto *c, size_t i, struct tt_buf *b)
{
	const struct tt_frames *f = c->e.m->frames;
	uint64_t ts = pf_time(c, tt_frames_start(f, i)), track = pf_track(PF_FRAMES, frame_process(c, i));
	char name[32] = "Frame ";

	if (ts > INT64_MAX || (uint64_t)tt_frames_dur(f, i) > INT64_MAX - ts)
		return;
	/* Name the frame by the number that --frames accepts. */
	char *end = tt_put_u64(name + 6, tt_frames_number(f, i));
	struct pf_event e = tt_pf_begin_event(b, PF_BEGIN, track);
	tt_pf_text(b, PF_EVENT_NAME, name, (size_t)(end - name));
	tt_pf_text(b, PF_EVENT_CATEGORY, "Frame", 5);
	tt_pf_end_event(b, e, ts);
	e = tt_pf_begin_event(b, PF_END, track);
	tt_pf_end_event(b, e, ts + (uint64_t)tt_frames_dur(f, i));
}

static int
put_frames(struct perfetto *c, struct tt_err *err)
{
	const struct tt_filter *filter = &c->e.m->filter;
	struct tt_buf *b = &c->scratch;
	uint32_t process = UINT32_MAX;
	int rc = TT_OK;

	for (size_t i = 0; c->e.m->frames && i < c->e.m->frames->n && rc == TT_OK; i++) {
		if (tt_frames_start(c->e.m->frames, i) < filter->from || tt_frames_start(c->e.m->frames, i) >= filter->to)
			continue;
		if (frame_process(c, i) != process) {
			process = frame_process(c, i);
			tt_pf_end_track(b, tt_pf_begin_track(b, pf_track(PF_FRAMES, process), pf_track(PF_PROCESS, process), "Frames", 6));
		}
		put_frame(c, i, b);
		if (b->n >= 1 << 16)
			rc = tt_pf_write(c, b, err);
	}
	return rc == TT_OK ? tt_pf_write(c, b, err) : rc;
}

/* --- facts -------------------------------------------------------------------------- */

static void
put_fact(struct perfetto *c, const struct tt_fact *f, struct tt_buf *b)
{
	uint64_t ts = pf_time(c, f->ts < c->origin ? c->origin : f->ts);
	size_t at;

	if (ts == UINT64_MAX)
		return;
	struct pf_event e = tt_pf_begin_event(b, PF_INSTANT, pf_track(PF_FACTS, f->process));
	c->more.n = 0;
	tt_buf_add(&c->more, f->key, f->nkey);
	tt_buf_text(&c->more, ": ");
	tt_buf_add(&c->more, f->value, f->nvalue);
	b->failed |= c->more.failed;
	tt_pf_text(b, PF_EVENT_NAME, c->more.p, c->more.n);
	tt_pf_text(b, PF_EVENT_CATEGORY, "Facts", 5);
	at = pf_open(b, PF_EVENT_ANNOTATION);
	tt_pf_text(b, PF_NOTE_NAME, f->key, f->nkey);
	tt_pf_text(b, PF_NOTE_TEXT, f->value, f->nvalue);
	tt_pf_close(b, at);
	tt_pf_end_event(b, e, ts);
}

static int
put_facts(struct perfetto *c, struct tt_err *err)
{
	struct tt_facts facts = { 0 };
	struct tt_buf *b = &c->scratch;
	uint64_t n = 0;
	int rc = tt_facts_list(c->e.m, &c->e.env->mem, &facts, err);

	for (uint32_t process = 0; process < c->e.m->ncap && rc == TT_OK; process++, n = 0)
		for (size_t i = 0; i < facts.n; i++) {
			const struct tt_fact *f = &facts.f[i];

			if (f->process != process || !tt_emit_in_time(&c->e.m->filter, f->ts))
				continue;
			if (n++ == 0)
				tt_pf_end_track(b, tt_pf_begin_track(b, pf_track(PF_FACTS, process), pf_track(PF_PROCESS, process), "Labels and facts", 16));
			put_fact(c, f, b);
		}
	tt_facts_free(&facts, &c->e.env->mem);
	return rc == TT_OK ? tt_pf_write(c, b, err) : rc;
}

/* --- provenance ------------------------------------------------------------------------ */

static void
put_capture(const struct tt_capture *cap, uint64_t track, struct tt_buf *b)
{
	struct pf_event e = tt_pf_begin_event(b, PF_INSTANT, track);

	tt_pf_text(b, PF_EVENT_NAME, "Capture", 7);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "path", cap->path);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "format", cap->format);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "version", cap->version);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "producer", cap->producer);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "arguments", cap->args);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "architecture", cap->arch);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "system", cap->os);
	if (cap->pid)
		tt_pf_note_number(b, "native_pid", PF_NOTE_INT, (uint64_t)cap->pid);
	if (cap->wall_ns)
		tt_pf_note_number(b, "wall_clock_ms", PF_NOTE_INT, (uint64_t)(cap->wall_ns / 1000000));
	tt_pf_note_number(b, "clean_end", PF_NOTE_BOOL, cap->clean_end);
	if (cap->meta) {
		size_t at = pf_open(b, PF_EVENT_ANNOTATION);

		tt_pf_text(b, PF_NOTE_NAME, "meta", 4);

		for (const struct tt_meta *m = cap->meta; m; m = m->next)
			tt_pf_note_text(b, PF_NOTE_DICT, m->key, m->value);
		tt_pf_close(b, at);
	}
	tt_pf_end_event(b, e, 0);
}

/* Write an instant for each kind of loss. */
static void
put_losses(const struct tt_loss *l, uint64_t track, struct tt_buf *b)
{
	for (unsigned k = 0; k < TT_LOST_KINDS; k++) {
		const struct tt_loss_info i = tt_loss_info_of(l, (enum tt_loss_kind)k);

		if (!l->e[k].n)
			continue;
		struct pf_event e = tt_pf_begin_event(b, PF_INSTANT, track);
		tt_pf_text(b, PF_EVENT_NAME, i.text, strlen(i.text));
		tt_pf_text(b, PF_EVENT_CATEGORY, "Losses", 6);
		tt_pf_note_text(b, PF_EVENT_ANNOTATION, "loss", i.id);
		tt_pf_note_text(b, PF_EVENT_ANNOTATION, "severity", tt_severity_name[i.severity]);
		tt_pf_note_number(b, "count", PF_NOTE_UINT, l->e[k].n);
		tt_pf_note_number(b, "bytes", PF_NOTE_UINT, l->e[k].bytes);
		tt_pf_end_event(b, e, 0);
	}
}

int
tt_pf_tail(struct perfetto *c, struct tt_err *err)
{
	struct tt_buf *b = &c->scratch;
	uint64_t track = pf_track(PF_NOTES, 0);
	int rc;

	b->n = 0;
	if ((rc = put_frames(c, err)) != TT_OK || (rc = put_facts(c, err)) != TT_OK)
		return rc;
	tt_pf_end_track(b, tt_pf_begin_track(b, track, 0, "tracetool: source and losses", 28));
	struct pf_event e = tt_pf_begin_event(b, PF_INSTANT, track);
	tt_pf_text(b, PF_EVENT_NAME, "Converted", 9);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "format", "tracetool Perfetto 1");
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "generator", c->e.o.generator);
	tt_pf_note_text(b, PF_EVENT_ANNOTATION, "caveat", tt_model_caveat(c->e.m));
	tt_pf_note_number(b, "removed_origin_ns", PF_NOTE_INT, (uint64_t)c->origin);
	tt_pf_end_event(b, e, 0);
	for (size_t i = 0; i < c->e.m->ncap; i++)
		put_capture(c->e.m->cap[i], track, b);
	put_losses(c->e.m->loss, track, b);
	return tt_pf_write(c, b, err);
}
