/**
 * Sums of what paths do in frames, for the chunk at hand; collect/by_frame.h takes them.
 */
#include "fold/state.h"

#include "base/order.h"

static int
new_sum(struct tt_fold_io *io, uint32_t frame, uint32_t node, struct tt_err *err)
{
	if (unlikely(io->nsum == io->capsum) && tt_mem_grow(io->over.mem, &io->sum, &io->capsum, io->nsum + 1, sizeof *io->sum, err) != TT_OK)
		return err->code;
	io->sum[io->nsum++] = (struct tt_frame_path){ .frame = frame, .node = node };
	return TT_OK;
}

struct tt_frame_path *
tt_fold_sum_of(struct tt_fold *f, struct tt_fold_io *io, uint32_t frame, uint32_t node, struct tt_err *err)
{
	struct tt_fold_sum *s = &f->sum[(node * 31 + frame) % TT_FOLD_SUMS];

	if (s->chunk != f->chunk || s->frame != frame || s->node != node) {
		if (new_sum(io, frame, node, err) != TT_OK)
			return NULL;
		*s = (struct tt_fold_sum){ f->chunk, frame, node, io->nsum - 1 };
	}
	return &io->sum[s->at];
}

/* A zone of ${node} fills the frames from ${at} to before ${until}; ${sign} -1: it is taken out of them. */
static int
sum_filled(struct tt_fold_io *io, uint32_t at, uint32_t until, uint32_t node, int sign, struct tt_err *err)
{
	if (new_sum(io, at, node, err) != TT_OK)
		return err->code;
	io->sum[io->nsum - 1].until = until;
	io->sum[io->nsum - 1].total = sign;
	return TT_OK;
}

static inline struct tt_span
time_of(const struct tt_frames *t, size_t at)
{
	return (struct tt_span){ tt_frames_start(t, at), tt_frames_end(t, at) };
}

/* The first of the frames from ${first} to before ${last} that does not end before ${ts}: mostly that of the zone before, or the next. */
static inline size_t
zone_frame(struct tt_fold *f, size_t first, size_t last, int64_t ts)
{
	const struct tt_frames *t = f->m->frames;
	const struct tt_span none = { INT64_MAX, INT64_MIN };
	size_t at = f->zone_frame;

	if (at < first || at >= last || ts < f->zone_time.from || ts >= f->zone_time.to) {
		const bool is_after = f->zone_time.from < f->zone_time.to && ts >= f->zone_time.to;
		const bool is_next = is_after && at >= first && at + 1 < last && tt_frames_end(t, at + 1) > ts;

		at = f->zone_frame = is_next ? at + 1 : tt_lower_bound(i, first, last, tt_frames_end(t, i) <= ts);
		f->zone_time = at < last ? time_of(t, at) : none;
	}
	f->in_frame = at < last && tt_frames_looked(t, at, at + 1) ? f->zone_time : none;
	return at;
}

/* The first of the frames from ${at} to before ${last} that a zone does not fill which ends at ${end}. */
static size_t
after_filled(const struct tt_frames *t, size_t at, size_t last, int64_t end)
{
	return at + 1 < last && tt_frames_start(t, at + 1) < end ? tt_lower_bound(i, at, last, tt_frames_end(t, i) <= end) : at;
}

int
tt_fold_sum_zone(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, int64_t end, bool counts, int sign, struct tt_err *err)
{
	const struct tt_frames *t = f->m->frames;
	size_t first, last, next;

	if (!t || !tt_frames_of(t, io->b->process, &first, &last))
		return TT_OK;
	for (size_t at = zone_frame(f, first, last, ts); at < last; at = next) {
		const struct tt_span frame = at == f->zone_frame ? f->zone_time : time_of(t, at);
		const int64_t from = ts > frame.from ? ts : frame.from, to = frame.to < end ? frame.to : end;
		const bool begins = counts && ts >= frame.from;

		next = at + 1;
		if (frame.from >= end && frame.from > ts)
			break;
		if ((!begins && to <= from) || !tt_frames_looked(t, at, at + 1))
			continue;
		struct tt_frame_path *s = tt_fold_sum_of(f, io, (uint32_t)at, node, err);
		if (!s)
			return err->code;
		s->n += begins;
		s->total += to > from ? sign * (to - from) : 0;
		tt_frame_path_longest(s, to - from, to - frame.from);
		next = end > frame.to ? after_filled(t, at + 1, last, end) : next;
		if (next > at + 1 && sum_filled(io, (uint32_t)at + 1, (uint32_t)next, node, sign, err) != TT_OK)
			return err->code;
	}
	return TT_OK;
}

int
tt_fold_sum_allocs(struct tt_fold *f, struct tt_fold_io *io, uint32_t node, int64_t ts, uint64_t n, int64_t bytes, struct tt_err *err)
{
	size_t at = f->m->frames ? tt_frames_at(f->m->frames, io->b->process, ts, &f->frame) : SIZE_MAX;
	struct tt_frame_path *s;

	if (at == SIZE_MAX || !tt_frames_looked(f->m->frames, at, at + 1))
		return TT_OK;
	if (!(s = tt_fold_sum_of(f, io, (uint32_t)at, node, err)))
		return err->code;
	s->n += n;
	s->total += bytes;
	s->self += n && bytes / (int64_t)n >= TT_BY_FRAME_LARGE ? bytes : 0;
	return TT_OK;
}

int
tt_fold_number_sums(struct tt_fold_io *io, struct tt_err *err)
{
	const struct tt_over *o = &io->over;
	int rc = TT_OK;

	for (size_t i = 0, n = io->nsum; i < n && rc == TT_OK; i++) {
		struct tt_frame_path *s = &io->sum[i];
		uint32_t over = s->node & ~TT_OVER, parent;

		if (!(s->node & TT_OVER))
			continue;
		s->node = o->map[over];
		if (s->node != TT_NODE_MORE)
			continue;
		parent = o->node[over].parent;
		parent = parent & TT_OVER ? o->map[parent & ~TT_OVER] : parent;
		const int64_t total = s->total;
		s->self = total;
		s->total = parent != TT_NODE_MORE ? total : 0;
		const uint32_t until = s->until;
		rc = new_sum(io, s->frame, parent, err);
		if (rc == TT_OK) {
			io->sum[io->nsum - 1].until = until;
			io->sum[io->nsum - 1].self = -total;
		}
	}
	return rc;
}
