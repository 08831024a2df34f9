/**
 * Finds the records of the file, and makes chunks of them. Decodes no sample.
 */
#include "data/data.h"

#include "base/hash_seed.h"

/* --- finding records ------------------------------------------------------------------------------------ */

/* True if the head of a record begins at ${p}; *${size} bytes follow it. */
bool
data_head_at(const struct data_layout *l, const uint8_t *p, size_t n, uint32_t *size)
{
	const size_t at = l->rank == 0 ? 4 : 0;

	if (n < at + 8 || (at && unity_u32(p) != 1) || unity_u32(p + at) != l->word)
		return false;
	*size = unity_u32(p + at + 4);
	return *size >= DATA_SIZE_MIN && *size <= DATA_SIZE_MAX;
}

bool
data_walk_any(struct data *m, const uint8_t *p, size_t n, struct data_record *r)
{
	struct data_layout l = m->layout;
	struct data_record other;

	if (data_walk(&l, p, n, r, m->kept) && !r->short_of)
		return true;
	for (unsigned i = 0; i < 4; i++) {
		l.pads_audio = i & 1;
		l.pads_place = i & 2;
		if (data_walk(&l, p, n, &other, m->kept) && !other.short_of) {
			m->layout = l;
			*r = other;
			return true;
		}
	}
	return data_walk(&m->layout, p, n, r, m->kept);
}

/* --- a segment -------------------------------------------------------------------------------------------- */

static int
add_part(struct data *m, const struct data_part *part, uint32_t *first, uint32_t *last, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->part, &m->cappart, m->npart + 1, sizeof *m->part, err);

	if (rc != TT_OK)
		return rc;
	m->part[m->npart++] = *part;
	if (*last)
		m->part[*last - 1].next = (uint32_t)m->npart;
	else
		*first = (uint32_t)m->npart;
	*last = (uint32_t)m->npart;
	return TT_OK;
}

static int
add_definitions(struct data *m, enum data_kind kind, const struct data_section *s, uint64_t at, struct tt_err *err)
{
	struct data_part part = { .piece = { .at = at, .p = s->p, .len = (uint32_t)s->n, .kind = kind } };

	return s->n > 4 ? add_part(m, &part, &m->defines, &m->defines_last, err) : TT_OK;
}

static int
know_markers(struct data *m, const struct data_record *r, struct tt_err *err)
{
	struct data_take t = { .p = r->markers.p, .end = r->markers.p + r->markers.n };
	struct data_marker k;
	int rc = TT_OK;

	for (uint32_t n = data_count(&t, 16); n > 0 && rc == TT_OK; n--) {
		data_take_marker(&t, &k);
		rc = unity_know_marker(&m->known, &m->marker, 0, k.id, k.flags, 0, 0, (const uint8_t *)k.name, k.nname, m->seq, err);
		TT_THEN(rc, data_roles_define(m, k.id, err));
	}
	return rc;
}

static int
know_code(struct data *m, const struct data_record *r, struct tt_err *err)
{
	struct data_take t = { .p = r->code.p, .end = r->code.p + r->code.n };
	struct data_code c;
	int rc = TT_OK;

	for (uint32_t n = data_count(&t, 16); n > 0 && rc == TT_OK; n--) {
		data_take_code(&m->layout, &t, &c);
		rc = unity_know_code(&m->known, c.start, c.size, m->seq, err);
	}
	return rc;
}

static int
know_categories(struct data *m, const struct data_record *r, struct tt_err *err)
{
	struct data_take t = { .p = r->categories.p, .end = r->categories.p + r->categories.n };
	unsigned id, color;
	uint32_t len;
	int rc = TT_OK;

	for (uint32_t n = data_count(&t, 16); n > 0 && rc == TT_OK; n--) {
		const char *name = data_take_category(&m->layout, &t, &id, &color, &len);
		rc = unity_know_category(&m->known, 0, id, (const uint8_t *)name, len, m->seq, err);
	}
	return rc;
}

/* Take the definitions of a record. Code and categories may be repeated in every record. */
static int
take_definitions(struct data *m, const struct data_record *r, uint64_t at, struct tt_err *err)
{
	uint64_t code = r->code.n ? tt_seeded_text(0, (const char *)r->code.p, r->code.n) : m->code;
	uint64_t categories = r->categories.n ? tt_seeded_text(0, (const char *)r->categories.p, r->categories.n) : m->categories;
	int rc = TT_OK;

	if (r->markers.n > 4 && (rc = know_markers(m, r, err)) == TT_OK)
		rc = add_definitions(m, DATA_MARKERS, &r->markers, at, err);
	if (rc == TT_OK && code != m->code && (rc = know_code(m, r, err)) == TT_OK)
		rc = add_definitions(m, DATA_CODE, &r->code, at, err);
	if (rc == TT_OK && categories != m->categories && (rc = know_categories(m, r, err)) == TT_OK)
		rc = add_definitions(m, DATA_CATEGORIES, &r->categories, at, err);
	m->code = code;
	m->categories = categories;
	return rc;
}

/* Set the time after which the main thread, ${th}, has no samples: the begin of its next frame, at ${p}; if that is unknown, soon after its own frame. */
static void
bound_main(struct data *m, const struct data_stream *st, const struct data_record *r, const struct data_thread *th, struct data_piece *p)
{
	m->busy = th->nsample > 1 ? data_sample_begin(&m->layout, th, th->nsample - 1, r->start) : r->start;
	if (st->last && p->first >= p->start - DATA_APART && p->first != INT64_MAX)
		m->part[st->last - 1].piece.most = p->first + DATA_APART;
	if (r->cpu_us)
		p->most -= DATA_FARTHEST - DATA_MAX_RUNON_NS;
}

static int
add_piece(struct data *m, uint32_t index, const struct data_part *part, struct tt_err *err)
{
	struct data_stream *st = &m->stream[index];

	if (!st->first) {
		if (tt_mem_grow(&m->env->mem, &m->order, &m->caporder, m->norder + 1, sizeof *m->order, err) != TT_OK)
			return err->code;
		m->order[m->norder++] = index;
	}
	return add_part(m, part, &st->first, &st->last, err);
}

/* Take a frame without threads: it has a time, and ends the frame before it. */
static int
take_bare_frame(struct data *m, const struct data_record *r, const struct data_piece *frame, struct tt_err *err)
{
	struct data_part part = { .piece = *frame };

	part.piece.p = r->threads.p;
	part.piece.first = INT64_MAX;
	part.piece.flags |= DATA_P_EMPTY;
	m->busy = r->start;
	return add_piece(m, m->main - 1, &part, err);
}

static int
take_threads(struct data *m, const struct data_record *r, const struct data_piece *frame, struct tt_err *err)
{
	struct data_take t = { .p = r->threads.p, .end = r->threads.p + r->threads.n };
	const uint32_t main = data_find_main(m, r);
	const bool skims = data_skims(m->cap, &m->layout);
	struct data_thread further;
	uint32_t index;
	int rc = TT_OK;

	for (uint32_t i = 0; i < r->nthread && rc == TT_OK; i++) {
		struct data_part part = { .piece = *frame };
		const struct data_thread *th = i < DATA_KEPT ? &m->kept[i] : &further;
		if (i < DATA_KEPT)
			t.p = th->end;
		else
			data_walk_thread(&m->layout, &t, &further);
		if ((rc = (i == main ? data_main_stream : data_stream_of)(m, i, th, &index, err)) != TT_OK)
			break;
		struct data_stream *st = &m->stream[index];
		st->values = th->nvalue > 0 || (st->values && st->first);
		if (skims && st->seen && !st->main && th->nvalue == 0)
			continue;
		part.piece.p = th->from;
		part.piece.len = (uint32_t)(th->end - th->from);
		if (i == main && m->layout.rank >= 6 && m->layout.rank < 8) {
			part.stats = r->stats.p;
			part.piece.nstats = (uint32_t)r->stats.n;
			part.piece.len += part.piece.nstats;
		}
		part.piece.first = th->nsample > 1 ? (int64_t)(data_sample_begin(&m->layout, th, 1, r->start) - (uint64_t)m->zero) : INT64_MAX;
		if (i != main)
			part.piece.flags = part.piece.gpu_us = 0;
		else
			bound_main(m, st, r, th, &part.piece);
		rc = add_piece(m, index, &part, err);
	}
	return rc;
}

/* Limit the GPU's time for a sample of the frame: to long after the frame; or, if the frame's GPU time is known, to little more than that. */
static void
bound_gpu(const struct data_record *r, struct data_piece *p)
{
	const int64_t most = r->cpu_us * INT64_C(2000) + DATA_FARTHEST, frame = r->gpu_us * INT64_C(1000);

	/* A negative time means unknown. */
	const bool known = r->gpu_us > 0 && r->gpu_us < INT32_MAX;
	p->flags |= known && frame > most ? DATA_P_BAD_GPU : 0;
	p->max_gpu_ns = known && frame * 10 + DATA_MAX_OVER_GPU_NS < most ? frame * 10 + DATA_MAX_OVER_GPU_NS : most;
}

/* Count a record whose sections do not end at its end. */
static void
note_misfit(struct data *m, uint64_t at)
{
	struct tt_fit *e = &m->cap->fit;

	if (e->misfits++ == 0)
		e->misfit_at = at;
}

/* Note whether the mask of the record ${r} contradicts its samples. If the masks of all frames do, a mask may mean something else, and none is damaged. */
static void
note_mask(struct data *m, const struct data_record *r, uint64_t at)
{
	m->has_mask = m->has_mask || r->mask != 0;
	if (data_is_placeholder(r) && r->has_samples && m->nmaskless++ == 0)
		m->maskless_at = at;
	if (!m->has_mask || m->nmaskless == 0)
		return;
	tt_loss_add(&m->loss, TT_LOST_DAMAGED, m->nmaskless, 0, m->maskless_at);
	m->nmaskless = 0;
}

/* Leave out the record of ${size} bytes at the offset ${at}: it is repeated or out of place. */
static int
leave_out(struct data *m, uint32_t size, uint64_t at)
{
	tt_loss_add(&m->loss, TT_LOST_MISSING, 1, size, at);
	m->whole = false;
	return TT_OK;
}

/* Take the record ${r} of ${size} bytes, ${off} bytes into the segment; ${behind}: the next record if the start of ${r} contradicts its samples, or NULL. */
static int
take_record(struct data *m, struct data_record *r, size_t off, uint32_t size, const struct data_record *behind, struct tt_err *err)
{
	const uint64_t at = m->from + off;
	const uint64_t as_is = r->start;
	uint64_t begin;
	bool again;
	int rc;

	data_set_start(m, r);
	m->cap->fit.parts++;
	m->cap->fit.samples += r->nthread > 0;
	if (r->short_of) {
		note_misfit(m, at);
		tt_loss_add(&m->loss, TT_LOST_DAMAGED, 1, (uint64_t)(m->p + off + size - (r->threads.p + r->threads.n)), at);
	}
	if (data_is_out_of_place(m, r, behind))
		return leave_out(m, size, at);
	if (data_start_is_wrong(m, r, behind, &begin)) {
		tt_loss_add(&m->loss, TT_LOST_DAMAGED, 1, size, at);
		m->gap = true;
		return take_definitions(m, r, at, err);
	}
	if ((rc = data_repeats(m, r->id, as_is, &again, err)) != TT_OK)
		return rc;
	if (again)
		return leave_out(m, size, at);
	/* If definitions are missing because of damage, the damage is already reported. */
	m->begin_checked = m->begin_checked || m->gap || r->short_of;
	const uint32_t before = data_look_before(m, r, behind, at);
	m->whole = m->whole && !before;
	const int64_t start = (int64_t)(r->start - (uint64_t)m->zero);
	struct data_piece frame = { .at = at, .start = start, .kind = DATA_THREAD, .id = r->id, .gpu_us = r->gpu_us,
		.gap = (int64_t)(m->start + (before & DATA_P_PAUSED ? m->cpu_us * UINT64_C(1000) : 0) - (uint64_t)m->zero),
		.most = start + r->cpu_us * INT64_C(2000) + DATA_FARTHEST,
		.flags = before | (data_is_placeholder(r) && !r->has_samples ? DATA_P_EMPTY : 0u) };
	note_mask(m, r, at);
	data_note_root(m, r);
	bound_gpu(r, &frame);
	m->gap = false;
	m->record++;
	m->start = r->start;
	m->cpu_us = r->cpu_us;
	m->id = r->id;
	if ((rc = take_definitions(m, r, at, err)) != TT_OK || (rc = data_check_begin(m, r, at, err)) != TT_OK)
		return rc;
	return r->nthread == 0 && m->main ? take_bare_frame(m, r, &frame, err) : take_threads(m, r, &frame, err);
}

/*
 * Find the next record in the ${n} bytes at m->p, from ${off} on: with the right version, and either after the end mark of another or with an end mark of its
 * own. ${n}: there is no record.
 */
static size_t
find_record(const struct data *m, size_t off, size_t n)
{
	const size_t at = m->layout.rank == 0 ? 4 : 0, head = m->layout.head;
	const uint32_t word = m->layout.word;
	const uint8_t version[] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16), (uint8_t)(word >> 24) };
	uint32_t size;

	for (const uint8_t *p; off + at + 8 <= n && (p = memmem(m->p + off + at, n - off - at, version, 4)); off++) {
		off = (size_t)(p - m->p) - at;
		if (!data_head_at(&m->layout, m->p + off, n - off, &size))
			continue;
		if (off >= 4 && unity_u32(m->p + off - 4) == DATA_MARK)
			return off;
		if (n - off >= head + size && unity_u32(m->p + off + head + size - 4) == DATA_MARK)
			return off;
	}
	return n;
}

/* Find the next record after the first ${off} bytes of the segment, and begin the segment there. */
static int
search(struct data *m, size_t off, struct tt_err *err)
{
	const uint64_t from = m->from;
	size_t n, at;
	int rc;

	m->gap = true;
	for (;; off = 4) {
		if ((rc = tt_window_show(&m->win, m->from, DATA_SEGMENT, &m->p, &n, err)) != TT_OK)
			return rc;
		/* A pipe may show more bytes than a file does. */
		n = n < DATA_SEGMENT ? n : DATA_SEGMENT;
		if ((at = find_record(m, off, n)) < n) {
			m->from += at;
			tt_loss_add(&m->loss, TT_LOST_SYNC, 1, m->from - from, from);
			return TT_OK;
		}
		if (n < DATA_SEGMENT)
			break;
		m->from += DATA_SEGMENT / 2;
	}
	m->from += n;
	tt_loss_add(&m->loss, TT_LOST_GARBAGE, 1, m->from - from, from);
	return TT_OK;
}

/* True if a record ends after ${need} bytes, or if this cannot be checked yet: the input cannot seek, or ends before. */
static bool
ends_there(const struct data *m, size_t need)
{
	uint8_t mark[4];
	struct tt_err err;
	size_t got;

	return !tt_src_info(m->src)->seekable || m->from + need > tt_src_info(m->src)->size ||
	    (tt_src_pread(m->src, m->from + need - 4, mark, sizeof mark, &got, &err) == TT_OK && got == 4 && unity_u32(mark) == DATA_MARK);
}

/* Handle a record of ${need} bytes at the segment's beginning that makes no sense. If another record or the end follows it, its length was right: skip it. */
static int
bad_record(struct data *m, size_t need, size_t n, struct tt_err *err)
{
	uint32_t size;

	if (n - need >= 4 && unity_u32(m->p + need) != DATA_END && !data_head_at(&m->layout, m->p + need, n - need, &size))
		return search(m, 1, err);
	m->cap->fit.parts++;
	note_misfit(m, m->from);
	tt_loss_add(&m->loss, TT_LOST_DAMAGED, 1, need - m->layout.head, m->from + m->layout.head);
	m->gap = true;
	m->from += need;
	return TT_OK;
}

/* Handle a segment that begins with no record or, if the input ends, with a part of one. */
static int
no_record(struct data *m, size_t n, bool part, struct tt_err *err)
{
	if (n >= 4 && unity_u32(m->p) == DATA_END && !m->end_seen) {
		m->end_seen = true;
		m->from += 4;
		return TT_OK;
	}
	if (!part || m->end_seen || find_record(m, 1, n) < n)
		return search(m, 1, err);
	tt_loss_add(&m->loss, TT_LOST_CUT, 1, n, m->from);
	m->from += n;
	return TT_OK;
}

/* A place in the segment, as look() finds it. */
struct seen {
	struct data_record r;
	uint32_t size;
	size_t need, shown;           /* bytes of the record with its head; bytes that must be in memory to examine it */
	bool head, whole, makes_sense, apart;
};

/* Examine the place ${off} in the ${n} bytes of the segment. */
static void
look(struct data *m, size_t off, size_t n, struct seen *s)
{
	s->head = data_head_at(&m->layout, m->p + off, n - off, &s->size);
	s->need = m->layout.head + (s->head ? (size_t)s->size : 0);
	s->whole = s->head && n - off >= s->need;
	s->makes_sense = s->whole && data_walk_any(m, m->p + off + m->layout.head, s->size, &s->r);
	s->apart = s->makes_sense && !data_is_joined(m, s->r);
	/* If its start contradicts its samples, the head of the next record is needed, too. */
	s->shown = s->need + (s->apart ? m->layout.head + DATA_FRAME_BYTES : 0);
}

/* Handle a segment that begins with something that cannot be taken, at least not yet: request *${want} bytes, or begin the segment elsewhere. */
static int
skip_or_want(struct data *m, const struct seen *s, size_t n, size_t *want, struct tt_err *err)
{
	if (s->makes_sense)
		*want = s->shown;
	else if (s->whole)
		return bad_record(m, s->need, n, err);
	else if (s->head && n >= *want && ends_there(m, s->need))
		*want = s->need;
	else
		return no_record(m, n, n < *want && (s->head || n < m->layout.head), err);
	return TT_OK;
}

/* Take records from the input until there are enough of them. TT_END: no more records. */
static int
take_segment(struct data *m, struct tt_err *err)
{
	size_t n = 0, off = 0, want = DATA_SEGMENT;
	struct data_record behind;
	struct seen s;
	int rc;

	m->from = m->at;
	m->npart = m->norder = m->next = 0;
	m->defines = m->defines_last = 0;
	for (size_t i = 0; i < m->nstream; i++)
		m->stream[i].first = m->stream[i].last = 0;
	rc = tt_window_show(&m->win, m->from, want, &m->p, &n, err);
	while (rc == TT_OK && n > off && off < DATA_SEGMENT) {
		look(m, off, n, &s);
		if (s.makes_sense && (n - off >= s.shown || n < want)) {
			const bool has_next = s.apart && data_take_head(m, m->p + off + s.need, n - off - s.need, &behind);
			rc = take_record(m, &s.r, off + m->layout.head, s.size, has_next ? &behind : NULL, err);
			off += s.need;
			continue;
		}
		/* The following must not delay the records taken so far. */
		if (off > 0)
			break;
		rc = skip_or_want(m, &s, n, &want, err);
		TT_THEN(rc, tt_window_show(&m->win, m->from, want, &m->p, &n, err));
	}
	m->at = m->from + off;
	m->held = off;
	TT_THEN(rc, data_roles_make(m, err));
	return rc != TT_OK ? rc : off > 0 ? TT_OK : TT_END;
}

/* --- chunks ----------------------------------------------------------------------------------------------- */

/*
 * True if a chunk with ${n} bytes of pieces should refer to the segment instead of copying. If only frames are wanted, most of a segment is skipped, so it is
 * not kept for a small part of it. The statistics of a piece are stored apart from the rest of it.
 */
static bool
refers(const struct data *m, size_t n)
{
	return m->layout.rank >= 8 && (!data_skims(m->cap, &m->layout) || n >= DATA_SEGMENT / 8);
}

/* Copy the bytes of ${x} to ${to}. Return the end of the copy. */
static uint8_t *
copy_piece(uint8_t *to, const struct data_part *x, struct data_piece *piece)
{
	const uint32_t stats = x->piece.nstats;

	piece->p = to;
	if (stats)
		memcpy(to, x->stats, stats);
	memcpy(to + stats, x->piece.p, x->piece.len - stats);
	return to + x->piece.len;
}

/* Make a chunk of the pieces from *${first} on, up to ${most} bytes and the rest of a piece. *${first}: the next piece; 0: no more pieces. */
static int
make_chunk(struct data *m, uint32_t *first, size_t most, struct tt_chunk *c, struct data_head **h, struct tt_err *err)
{
	size_t n = 0, pieces = 0;
	uint32_t stop = *first;

	for (; stop && n < most; stop = m->part[stop - 1].next, pieces++)
		n += m->part[stop - 1].piece.len;
	const bool copies = most == SIZE_MAX || !refers(m, n);
	const size_t front = sizeof **h + pieces * sizeof(struct data_piece);
	int rc = tt_chunk_room(c, &m->env->mem, front + (copies ? n : 0), err);
	if (rc != TT_OK)
		return rc;
	*h = (struct data_head *)(void *)c->bytes;
	struct data_piece *piece = (struct data_piece *)(void *)(*h + 1);
	uint8_t *p = c->bytes + front;
	**h = (struct data_head){ .layout = m->layout, .marker = m->marker, .categories = m->built_in, .zero = m->zero,
		.npiece = (uint32_t)pieces, .roles = m->roles, .flags = (m->begins_late ? DATA_H_LATE : 0u) | (m->whole ? DATA_H_WHOLE : 0u) };
	for (uint32_t k = *first; k != stop; k = m->part[k - 1].next, piece++) {
		*piece = m->part[k - 1].piece;
		p = copies ? copy_piece(p, &m->part[k - 1], piece) : p;
	}
	*first = stop;
	memset(p, 0, TT_CHUNK_PAD);
	if (!copies && pieces > 0) {
		c->kept_block = tt_window_keep(&m->win);
		c->kept_bytes = m->held;
		m->held = 0;
	}
	tt_loss_join(&c->loss, &m->loss);
	tt_loss_reset(&m->loss);
	c->seq = m->seq++;
	c->at = m->from;
	c->len = m->at - m->from;
	c->loaded = true;
	return TT_OK;
}

static int
definitions_chunk(struct data *m, struct tt_chunk *c, struct tt_err *err)
{
	struct data_head *h;
	int rc = make_chunk(m, &m->defines, SIZE_MAX, c, &h, err);

	if (rc != TT_OK)
		return rc;
	h->flags = DATA_H_DEFINES;
	c->tid = m->nstream ? m->stream[0].tid : 1;
	return TT_OK;
}

/* Make the chunk of the next stream in order; *${some} is false if the stream is skipped. */
static int
stream_chunk(struct data *m, struct tt_chunk *c, bool *some, struct tt_err *err)
{
	struct data_stream *st = &m->stream[m->order[m->next++]];
	struct data_head *h;
	uint32_t none = 0;

	*some = !(data_skims(m->cap, &m->layout) && st->seen && !st->main && !(st->values && data_has_labels(&m->marker)));
	if (!*some)
		return TT_OK;
	const bool ends = st->ends;
	int rc = make_chunk(m, ends ? &none : &st->first, DATA_CHUNK, c, &h, err);
	if (rc != TT_OK)
		return rc;
	c->tid = st->tid;
	if (st->first)
		m->next--;            /* its data, or the rest of it, becomes a chunk of its own */
	if (ends) {
		st->ends = false;
		h->flags = DATA_H_ENDS;
		h->ends = m->part[st->first - 1].piece.start;
		return TT_OK;
	}
	h->flags |= (st->seen ? 0u : DATA_H_FIRST) | (st->main ? DATA_H_MAIN : 0u) | (st->usual ? DATA_H_USUAL : 0u);
	st->seen = true;
	return TT_OK;
}

int
data_next(void *ctx, struct tt_chunk *c, struct tt_err *err)
{
	struct data *m = ctx;
	bool some;
	int rc;

	tt_loss_reset(&c->loss);
	c->can_prefetch = false;
	for (;;) {
		if (m->defines)
			return definitions_chunk(m, c, err);
		while (m->next < m->norder)
			if ((rc = stream_chunk(m, c, &some, err)) != TT_OK || some)
				return rc;
		if (m->ended)
			break;
		if (tt_stopped(m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if ((rc = take_segment(m, err)) < 0)
			return rc;
		m->ended = rc == TT_END;
		c->can_prefetch = !m->ended && tt_window_plan(&m->win, m->at, DATA_SEGMENT);
	}
	if (m->win.end_err.code == TT_E_DAMAGED)
		tt_loss_add(&m->loss, TT_LOST_CODING, 1, 0, m->win.end_err.at);
	tt_loss_join(&c->loss, &m->loss);
	tt_loss_reset(&m->loss);
	m->read = true;
	m->cap->stopped_at = m->at;
	m->cap->end_mark = m->end_seen ? 1 : -1;
	/* Allocations are recorded by their own entries, not by a marker's name. */
	m->cap->unless_named = m->layout.rank >= 11 && m->marker.collect == UNITY_NO_MARKER ? TT_REC_COLLECTIONS : 0;
	return TT_END;
}

void
data_prefetch(void *ctx)
{
	struct data *m = ctx;

	tt_window_fetch(&m->win);
}
