/**
 * Reads what a killed program left in its ring: chunks and parts of chunks that were published but not written to the file.
 *
 * The capture names its ring, which io/ring_open.h opens. A file counts as the ring only if it belongs to exactly this recording.
 */
#include "base/order.h"
#include "ttc/ttc.h"

#include "io/ring_open.h"
#include "ttc/crc32c.h"

int
ttc_ring_open(struct ttc *m, struct tt_err *err)
{
	const char *path = m->text[TTC_T_RING];
	unsigned what;
	int fd, rc = tt_ring_open(m->env, path, &what, &fd, err);

	m->is_ring_of_other = m->is_ring_of_other || what == TT_RING_NOT_OURS;
	return rc == TT_OK && fd >= 0 ? tt_src_open_fd(m->env, fd, path, &m->ring, err) : rc;
}

/* True if the ring belongs to this recording and is as large as its head says. */
static bool
belongs(const struct ttc *m, const struct ttc_ring *r)
{
	uint64_t size = tt_src_info(m->ring)->size;

	return memcmp(r->magic, TTC_RING_MAGIC, 8) == 0 && r->major == TTC_MAJOR &&
	       memcmp(r->run, m->head.run, sizeof r->run) == 0 && r->chunk >= TTC_CHUNK_MIN &&
	       r->chunk <= TTC_CHUNK_LIMIT && r->chunks <= size / r->chunk && r->chunk_at <= size &&
	       (uint64_t)r->chunks * r->chunk <= size - r->chunk_at && r->slot_at <= size &&
	       (uint64_t)r->slots * sizeof(struct ttc_slot) <= size - r->slot_at;
}

/* Read threads that the file does not define, and their drops, from the slots. */
static int
read_slots(struct ttc *m, const struct ttc_ring *r, struct tt_loss *loss, struct tt_err *err)
{
	struct ttc_slot s;
	size_t got;

	for (uint32_t i = 0; i < r->slots; i++) {
		int rc = tt_src_pread(m->ring, r->slot_at + (uint64_t)i * sizeof s, &s, sizeof s, &got, err);
		if (rc < 0)
			return rc;
		if (got < sizeof s)   /* the file became shorter meanwhile */
			return TT_OK;
		if (s.number == 0 || s.state < TTC_S_LIVE || s.state > TTC_S_ENDED)
			continue;
		struct ttc_who *w = ttc_who(m, s.number, err);
		if (!w)
			return err->code;
		if (!w->is_defined)
			w->native_id = s.native;
		w->is_defined = true;
		if (w->nstart == 0)
			w->has_ring_start = true, w->ring_start = (struct ttc_start){ 0 };
		ttc_count_drops(w, s.dropped, loss);
	}
	return TT_OK;
}

/* Keep ${n} bytes as a chunk made by the reader, and make a unit of it. */
static int
add_made(struct ttc *m, const uint8_t *p, size_t n, struct ttc_unit *u, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->made, &m->capmade, m->nmade + 1, sizeof *m->made, err);
	uint8_t *copy = rc == TT_OK ? tt_mem_alloc(&m->env->mem, n, err) : NULL;

	if (!copy)
		return err->code;
	memcpy(copy, p, n);
	m->made[m->nmade] = (struct ttc_made){ copy, n };
	ttc_unit_of(u, copy, m->nmade++);
	u->source = TTC_MADE;
	return TT_OK;
}

/* Write a head with the right checksum before the ${n} bytes of body at ${chunk} + 64. */
static void
seal(uint8_t *chunk, struct ttc_chunk *h, size_t n)
{
	memcpy(chunk, h, sizeof *h);
	h->commit = n | (uint64_t)tt_crc32c(0, chunk + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + n) << 32;
	memcpy(chunk, h, sizeof *h);
}

/* --- definitions ----------------------------------------------------------------------------- */

/* Make a chunk of thread 0 from the entries of a chunk of definitions. */
static int
add_definitions(struct ttc *m, const uint8_t *c, uint32_t size, uint8_t *to, struct tt_err *err)
{
	struct ttc_chunk h = { .magic = TTC_CHUNK_MAGIC, .seq = UINT64_MAX, .state = 4, .run = m->run32 };
	uint8_t *p = to + TTC_CHUNK_HEAD;
	struct ttc_unit u;
	int rc;

	memset(p, 0, 4);
	p += 4;
	for (uint32_t at = TTC_CHUNK_HEAD; at + 16 <= size;) {
		uint32_t n = ttc_u32(c + at);
		if (n < 9 || n > size - at - 8 || tt_crc32c(0, c + at + 8, n) != ttc_u32(c + at + 4)) {
			at += 8;              /* a hole: an unfinished entry */
			continue;
		}
		ttc_note_definition(m, c[at + 16], c + at + 17, c + at + 8 + n);
		p = ttc_put(p, TTC_OTHER);
		*p++ = c[at + 16];
		p = ttc_put(p, n - 9);
		memcpy(p, c + at + 17, n - 9);
		p += n - 9;
		at += (n + 8 + 7) & ~7u;
	}
	h.ticks = m->head.ticks;
	seal(to, &h, (size_t)(p - to) - TTC_CHUNK_HEAD);
	rc = add_made(m, to, (size_t)(p - to), &u, err);
	return rc == TT_OK ? ttc_unit_add(m, &u, err) : rc;
}

/* --- chunks ------------------------------------------------------------------------------------- */

/* Make a part of the chunk ${c}, without the first ${done} bytes of its records. */
static int
add_rest(struct ttc *m, const uint8_t *c, uint32_t done, struct ttc_unit *u, struct tt_err *err)
{
	const uint32_t rest = u->len - u->state - done;
	uint64_t *zone = tt_mem_alloc(&m->env->mem, TTC_STACK * sizeof *zone, err);
	struct ttc_walk w = { .zone = zone, .max = TTC_STACK };
	struct ttc_chunk h;
	uint8_t *to = NULL;
	size_t cap = 0, n;
	int rc;

	if (!zone)
		return err->code;
	memcpy(&h, c, sizeof h);
	rc = tt_mem_grow(
	    &m->env->mem, &to, &cap, TTC_CHUNK_HEAD + 40 + 10 * TTC_STACK + (size_t)u->len, 1, err);
	if (rc == TT_OK) {
		const uint8_t *records = c + TTC_CHUNK_HEAD + h.state;
		w.max = ttc_stack_max(m->head.chunk);
		if (!ttc_walk_state(&w, &h, c + TTC_CHUNK_HEAD, h.state) ||
		    ttc_walk(&w, records, done) != done) {
			rc = TT_E_DAMAGED;
		} else {
			n = ttc_state_put(to + TTC_CHUNK_HEAD, w.key, w.alloc_key, w.depth,
			    w.depth < w.max ? w.depth : w.max, zone, sizeof *zone);
			memcpy(to + TTC_CHUNK_HEAD + n, records + done, rest);
			h.ticks = w.ticks;
			h.events += w.events;
			h.first += done;
			h.state = (uint32_t)n;
			n += rest;
			seal(to, &h, n);
			rc = add_made(m, to, TTC_CHUNK_HEAD + n, u, err);
		}
	}
	tt_mem_free(&m->env->mem, to, cap);
	tt_mem_free(&m->env->mem, zone, TTC_STACK * sizeof *zone);
	return rc;
}

static int
by_time(const void *a, const void *b)
{
	const struct ttc_unit *x = a, *y = b;

	if (x->thread == y->thread && x->seq != y->seq)
		return TT_CMP(x->seq, y->seq);
	if (x->ticks != y->ticks)
		return TT_CMP(x->ticks, y->ticks);
	return TT_CMP(x->thread, y->thread);
}

/* Add the chunks that the file does not have, in order of time. */
static int
add_chunks(struct ttc *m, struct ttc_unit *u, size_t n, uint8_t **p, size_t *cap, struct tt_loss *loss,
    struct tt_err *err)
{
	int rc = TT_OK;

	tt_sort(u, n, by_time);
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		struct ttc_who *w = ttc_who(m, u[i].thread, err);
		if (!w)
			return err->code;
		if (w->has_unit && (u[i].seq < w->seq || (u[i].seq == w->seq && u[i].end <= w->end)))
			continue;
		/* If the program still runs, a chunk of the ring may have changed since it was found. */
		rc = ttc_load(m, &u[i], p, cap, err);
		if (rc == TT_OK && w->has_unit && u[i].seq == w->seq && u[i].first < w->end)
			rc = add_rest(m, *p, w->end - u[i].first, &u[i], err);
		if (rc == TT_E_DAMAGED) {
			rc = TT_OK;
			continue;
		}
		if (rc != TT_OK)
			break;
		/* Earlier chunks may be missing without loss: a flight recorder forgets, and earlier files of a rotation may have the chunks. */
		if ((m->head.flags & TTC_H_LAST) || (m->head.part > 0 && !w->has_unit))
			w->has_ring_start = true, w->ring_start = (struct ttc_start){ u[i].seq, u[i].first };
		rc = ttc_enter_unit(m, &u[i], loss, err);
		TT_THEN(rc, ttc_unit_add(m, &u[i], err));
		m->nfrom_ring++;
	}
	return rc;
}

/* The ring's chunks, in any order. */
struct found {
	uint8_t *p, *to;              /* room for one chunk, and for its definitions */
	size_t cap, capto;
	struct ttc_unit *u;
	size_t n, capu;
};

/* Take the chunk of the ring at ${at}: definitions are added at once, a thread's chunk is added to ${f}. TT_END: the ring's file ends here. */
static int
find_chunk(struct ttc *m, const struct ttc_ring *r, uint64_t at, struct found *f, struct tt_err *err)
{
	struct ttc_unit one;
	size_t got;
	int rc = tt_src_pread(m->ring, at, f->p, TTC_CHUNK_HEAD, &got, err);

	if (rc < 0 || got < TTC_CHUNK_HEAD)
		return rc < 0 ? rc : TT_END;
	if (ttc_u32(f->p + 60) != m->run32)
		return TT_OK;
	if (ttc_u32(f->p) == TTC_DEFS_MAGIC) {
		rc = tt_src_pread(m->ring, at, f->p, r->chunk, &got, err);
		return rc < 0 ? rc : got == r->chunk ? add_definitions(m, f->p, r->chunk, f->to, err) : TT_OK;
	}
	ttc_unit_of(&one, f->p, at);
	if (!ttc_is_chunk_head(m, f->p) || one.len > r->chunk - TTC_CHUNK_HEAD || one.thread == 0 || one.end == one.first)
		return TT_OK;
	one.source = TTC_IN_RING;
	rc = tt_mem_grow(&m->env->mem, &f->u, &f->capu, f->n + 1, sizeof *f->u, err);
	if (rc == TT_OK)
		f->u[f->n++] = one;
	return rc;
}

int
ttc_join_ring(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	struct found f = { 0 };
	struct ttc_ring r;
	size_t got;
	int rc = m->ring ? TT_OK : ttc_ring_open(m, err);

	if (rc == TT_OK && !m->cap->ring && tt_is_ring_name(m->text[TTC_T_RING]) &&
	    !(m->cap->ring = tt_arena_text(&m->cap->arena, m->text[TTC_T_RING], strlen(m->text[TTC_T_RING]), err)))
		return err->code;
	if (rc != TT_OK || !m->ring)
		return rc;
	rc = tt_src_pread(m->ring, 0, &r, sizeof r, &got, err);
	if (rc < 0)
		return rc;
	if (got < sizeof r || !belongs(m, &r)) {
		tt_src_close(m->ring);
		m->ring = NULL;
		return TT_OK;
	}
	m->has_ring = true;
	m->is_ring_live = tt_src_is_locked(m->src);
	m->ring_kept = r.kept;
	m->ring_asked_ms = r.held < r.asked ? r.asked : 0;
	m->ring_held_ms = r.held;
	m->ring_needed_bytes = ttc_ring_room(r.total, r.asked, r.held);
	rc = read_slots(m, &r, loss, err);
	TT_THEN(rc, tt_mem_grow(&m->env->mem, &f.p, &f.cap, r.chunk + TT_CHUNK_PAD, 1, err));
	TT_THEN(rc, tt_mem_grow(&m->env->mem, &f.to, &f.capto, 2 * (size_t)r.chunk, 1, err));
	for (uint32_t i = 0; i < r.chunks && rc == TT_OK; i++)
		rc = find_chunk(m, &r, r.chunk_at + (uint64_t)i * r.chunk, &f, err);
	if (rc == TT_OK || rc == TT_END)
		rc = add_chunks(m, f.u, f.n, &f.p, &f.cap, loss, err);
	if (rc == TT_OK)
		tt_log(m->env, TT_LOG_VERBOSE, "%s: joined with %s: %llu chunks", m->cap->path,
		    m->text[TTC_T_RING], (unsigned long long)m->nfrom_ring);
	tt_mem_free(&m->env->mem, f.u, f.capu * sizeof *f.u);
	tt_mem_free(&m->env->mem, f.p, f.cap);
	tt_mem_free(&m->env->mem, f.to, f.capto);
	return rc;
}
