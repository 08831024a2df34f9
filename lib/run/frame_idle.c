/**
 * The part of each frame in which its thread waits or runs the Editor.
 */
#include "run/frame_idle.h"

#include "run/frame_rows.h"

/* True for a wait for something else than the frame limit, outside the Editor. */
static bool
is_other_wait(unsigned why)
{
	return (why & TT_REPLAY_NO_WORK) == TT_IDLE(TT_IDLE_WAIT) && !(why & TT_IDLE(TT_IDLE_LIMIT));
}

/* Count ${ns} of the present frame as idle for the reasons ${why} (bits); ${in}: the reasons of the zones around. */
static void
add_idle(struct tt_thread_replay *w, unsigned why, unsigned in, int64_t ns)
{
	const unsigned wait = TT_IDLE(TT_IDLE_WAIT), editor = TT_IDLE(TT_IDLE_EDITOR), limit = TT_IDLE(TT_IDLE_LIMIT);

	if (why & wait)
		w->now.wait += ns;
	if (why & editor)
		w->now.editor += ns;
	if (((why | in) & wait && why & editor) || (why & wait && (why | in) & editor))
		w->now.editor_wait += ns;
	if (why & limit)
		w->now.limit += ns;
	if (why & TT_IDLE(TT_IDLE_LIMIT_ONLY))
		w->now.limit_only += ns;
	if (is_other_wait(why | in) != is_other_wait(in))
		w->now.other_wait += is_other_wait(in) ? -ns : ns;
}

/* The reasons that the zones on the stack are idle for. */
static unsigned
idle_now(const struct tt_thread_replay *w)
{
	unsigned why = 0;

	for (unsigned i = 0; i < TT_IDLES; i++)
		why |= (unsigned)(w->nidle_open[i] > 0) << i;
	return why;
}

void
tt_replay_settle_idle(struct tt_thread_replay *w, int64_t ts)
{
	unsigned why = idle_now(w);

	if (why && tt_replay_in_frame(w, ts)) {
		int64_t from = w->idle_since > w->now.from ? w->idle_since : w->now.from;
		if (ts > from)
			add_idle(w, why, 0, ts - from);
	}
	if (!why || ts > w->idle_since)
		w->idle_since = ts;
}

/* Note which kinds of idle zones the run has met. */
static void
note_idle(struct tt_replay *p, const struct tt_thread_replay_row *row)
{
	p->m->frames->has_wait = p->m->frames->has_wait || row->idle & TT_IDLE(TT_IDLE_WAIT);
	p->m->frames->has_editor = p->m->frames->has_editor || row->idle & TT_IDLE(TT_IDLE_EDITOR);
}

/* Note that the outermost wait for the limit ends at ${ts}; a wait that ends just with a frame belongs to that frame. */
static int
release(struct tt_replay *p, struct tt_thread_replay *w, int64_t ts, struct tt_err *err)
{
	struct tt_frames *f = p->m->frames;

	if (ts - w->limit_since < TT_RELEASE_MIN_NS || w->frame >= w->end)
		return TT_OK;
	if (ts > w->now.from) {
		w->now.released = ts - w->now.from + 1;
	} else if (ts == w->now.from && w->frame > w->first && tt_frames_end(f, w->frame - 1) == ts) {
		return tt_column_set(&f->released, f->mem, w->frame - 1, tt_frames_dur(f, w->frame - 1) + 1, err);
	}
	return TT_OK;
}

void
tt_replay_idle_begins(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts)
{
	tt_replay_settle_idle(w, ts);
	note_idle(p, row);
	if (row->idle & TT_IDLE(TT_IDLE_LIMIT) && !w->nidle_open[TT_IDLE_LIMIT])
		w->limit_since = ts;
	for (unsigned i = 0; i < TT_IDLES; i++)
		w->nidle_open[i] += row->idle >> i & 1;
}

int
tt_replay_idle_ends(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, struct tt_err *err)
{
	const bool waited = w->nidle_open[TT_IDLE_LIMIT] > 0;

	tt_replay_settle_idle(w, ts);
	for (unsigned i = 0; i < TT_IDLES; i++)
		w->nidle_open[i] -= w->nidle_open[i] && row->idle >> i & 1;
	return waited && !w->nidle_open[TT_IDLE_LIMIT] ? release(p, w, ts, err) : TT_OK;
}

void
tt_replay_idle_inner(struct tt_replay *p, struct tt_thread_replay *w, const struct tt_thread_replay_row *row, int64_t ts, int64_t end)
{
	unsigned why = 0, in = 0;

	note_idle(p, row);
	for (unsigned i = 0; i < TT_IDLES; i++) {
		if (w->nidle_open[i] || ts < w->idle_end[i]) {
			in |= 1u << i;
		} else if (row->idle >> i & 1) {
			why |= 1u << i;
			w->idle_end[i] = end;
		}
	}
	if (why & TT_IDLE(TT_IDLE_LIMIT) && end - ts >= TT_RELEASE_MIN_NS)
		w->now.released = end - w->now.from + 1;
	add_idle(w, why, in, end - ts);
}
