/**
 * Writes one whole capture from its files and ring, for tracetool recover. Chunks are copied unchanged; only records of thread 0 are decoded.
 */
#include "ttc/ttc.h"

#include "ttc/crc32c.h"

struct copy {
	struct ttc *m;                /* the part being copied */
	bool follows;                 /* true: other parts came before it */
	int (*write)(void *arg, const void *p, size_t n, struct tt_err *err);
	void *arg;
	uint64_t seq;                 /* number of the next chunk of thread 0 */
	uint32_t before;
	struct tt_buf stream;         /* records of thread 0 that were not written yet */
	struct tt_err *err;
};

/* Write the head, without the name of the ring, whose chunks are copied. ${last}: the last file's place in the rotation. */
static int
write_head(struct copy *c, uint32_t last)
{
	struct ttc_head h = c->m->head;
	struct tt_buf b = { 0 };
	int rc;

	h.part_last = last > h.part ? last : 0;
	tt_buf_add(&b, &h, sizeof h);
	for (int i = 0; i < TTC_TEXTS; i++) {
		const char *t = i == TTC_T_RING ? "" : c->m->text[i];
		tt_buf_add(&b, t, strlen(t) + 1);
	}
	rc = tt_buf_error(&b, c->err);
	if (rc == TT_OK) {
		h.size = (uint32_t)b.n;
		h.crc = 0;
		memcpy(b.p, &h, sizeof h);
		h.crc = tt_crc32c(0, b.p, b.n);
		memcpy(b.p, &h, sizeof h);
		rc = c->write(c->arg, b.p, b.n, c->err);
	}
	tt_buf_free(&b);
	return rc;
}

/* Write ${n} bytes of records as the next chunk of thread 0. */
static int
write_stream(struct copy *c, const void *records, size_t n)
{
	struct ttc_chunk h = { .magic = TTC_CHUNK_MAGIC,
		.seq = c->seq,
		.ticks = c->m->head.ticks,
		.before = c->before,
		.state = 4,
		.run = c->m->run32 };
	struct tt_buf b = { 0 };
	int rc;

	if (n == 0)
		return TT_OK;
	tt_buf_add(&b, &h, sizeof h);
	tt_buf_add(&b, "\0\0\0\0", 4);
	tt_buf_add(&b, records, n);
	rc = tt_buf_error(&b, c->err);
	if (rc == TT_OK) {
		uint32_t crc = tt_crc32c(0, b.p + TTC_CRC_FROM, b.n - TTC_CRC_FROM);
		h.commit = (n + 4) | (uint64_t)crc << 32;
		memcpy(b.p, &h, sizeof h);
		rc = c->write(c->arg, b.p, b.n, c->err);
	}
	c->seq++;
	c->before = (uint32_t)n;
	tt_buf_free(&b);
	return rc;
}

static int
put_record(struct copy *c, unsigned kind, const uint8_t *p, size_t n)
{
	uint8_t head[16], *at = ttc_put(head, TTC_OTHER);

	*at++ = (uint8_t)kind;
	at = ttc_put(at, n);
	tt_buf_add(&c->stream, head, (size_t)(at - head));
	tt_buf_add(&c->stream, p, n);
	return tt_buf_error(&c->stream, c->err);
}

static int
flush(struct copy *c)
{
	int rc = write_stream(c, c->stream.p, c->stream.n);

	c->stream.n = 0;
	return rc;
}

/* Write the record that says where a thread's chunks continue, as the recorder would. */
static int
announce(struct copy *c, const struct ttc_unit *u)
{
	const struct ttc_who *w = ttc_who(c->m, u->thread, c->err);
	uint8_t b[70], *p = b;

	if (!w)
		return c->err->code;
	p = ttc_put(p, u->thread);
	p = ttc_put(p, w->native_id);
	p = ttc_put(p, 0);
	p = ttc_put(p, 0);
	p = ttc_put(p, u->seq);
	p = ttc_put(p, u->first);
	return put_record(c, TTC_THREAD, b, (size_t)(p - b));
}

/* Write the final account of every thread: its chunks and its drops. */
static int
finish(struct copy *c)
{
	struct ttc *m = c->m;
	int rc = TT_OK;

	if (m->has_ring && (m->head.flags & TTC_H_LAST)) {
		uint8_t b[50], *p = ttc_put(ttc_put(b, m->ring_kept), 0);
		if (m->ring_asked_ms)
			p = ttc_put(ttc_put(ttc_put(p, m->ring_asked_ms), m->ring_held_ms), m->ring_needed_bytes);
		rc = put_record(c, TTC_DUMP, b, (size_t)(p - b));
	}
	for (size_t i = 0; i < m->nwho && rc == TT_OK; i++) {
		const struct ttc_who *w = &m->who[i];
		uint8_t b[80], *p = b;
		if (w->number == 0 && !w->dropped)
			continue;
		if (w->dropped) {
			p = ttc_put(p, w->number);
			p = ttc_put(p, w->dropped);
			rc = put_record(c, TTC_DROPS, b, (size_t)(p - b));
		}
		p = b;
		*p++ = m->has_ring ? TTC_F_JOINED : TTC_F_RECOVERED;
		p = ttc_put(p, w->has_unit);
		if (w->has_unit) {
			p = ttc_put(p, w->number);
			p = ttc_put(p, w->seq + 1);
			p = ttc_put(p, w->end);
			p = ttc_put(p, 0);
			p = ttc_put(p, w->dropped);
		}
		TT_THEN(rc, put_record(c, TTC_FINISH, b, (size_t)(p - b)));
		if (rc == TT_OK && c->stream.n > 16000)
			rc = flush(c);
	}
	return rc == TT_OK ? flush(c) : rc;
}

static int
copy_units(struct copy *c, struct ttc_copied *done)
{
	struct ttc *m = c->m;
	uint8_t *p = NULL;
	size_t cap = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < m->nunit && rc == TT_OK; i++) {
		const struct ttc_unit *u = &m->unit[i];
		bool joined = u->source != TTC_IN_FILE;
		if (tt_stopped(m->env)) {
			rc = tt_fail(c->err, TT_E_STOPPED, TT_NOWHERE, "stopped");
			break;
		}
		if (u->flags & TTC_U_SKIP)
			continue;
		rc = ttc_load(m, u, &p, &cap, c->err);
		if (rc == TT_E_DAMAGED) {
			tt_loss_add(m->env->loss, u->source == TTC_IN_RING && m->is_ring_live ? TT_LOST_OVERTAKEN : TT_LOST_DAMAGED, 1,
			    TTC_CHUNK_HEAD + (uint64_t)u->len, u->at);
			rc = TT_OK;
			continue;
		}
		if (rc == TT_OK && (joined || c->follows) && u->thread == 0) {
			rc = write_stream(c, p + TTC_CHUNK_HEAD + u->state, u->len - u->state);
		} else if (rc == TT_OK) {
			if (joined && (u->flags & (TTC_U_FIRST | TTC_U_GAP))) {
				rc = announce(c, u);
				TT_THEN(rc, flush(c));
			}
			TT_THEN(rc, c->write(c->arg, p, TTC_CHUNK_HEAD + (size_t)u->len, c->err));
			if (!joined && u->thread == 0) {
				c->seq = u->seq + 1;
				c->before = u->end;
			}
		}
		done->nchunks++;
		done->nfrom_ring += joined && u->thread != 0;
	}
	tt_mem_free(&m->env->mem, p, cap);
	return rc;
}

/*
 * True if the chunks of ${m} are damaged in a way that the order of the remaining ones does not show, such as a cut. Then the copy skips a number of thread
 * 0's chunks, which readers see as a gap.
 */
static bool
hides_damage(const struct ttc *m)
{
	const struct tt_loss_entry *e = m->found.e;

	return e[TT_LOST_MISSING].n == 0 && (e[TT_LOST_CUT].n || e[TT_LOST_SYNC].n || e[TT_LOST_DAMAGED].n);
}

int
ttc_copy(struct ttc *const *part, size_t n, int (*write)(void *arg, const void *p, size_t n, struct tt_err *err),
    void *arg, struct ttc_copied *done, struct tt_err *err)
{
	struct copy c = { .m = part[0], .write = write, .arg = arg, .err = err };
	int rc = write_head(&c, ttc_last_part(part[n - 1]));

	*done = (struct ttc_copied){ .ring = NULL };
	for (size_t i = 0; i < n && rc == TT_OK; i++) {
		c.m = part[i];
		c.follows = i > 0;
		/* A gap in the numbers of thread 0's chunks shows that files are missing in between. */
		c.seq += i > 0 && ttc_files_between(part[i - 1], part[i]) > 0;
		done->is_ring_of_other = !c.m->ring && c.m->is_ring_of_other;
		if (c.m->ring || done->is_ring_of_other)
			done->ring = c.m->text[TTC_T_RING];
		tt_loss_join(c.m->env->loss, &c.m->found);
		rc = copy_units(&c, done);
		c.seq += hides_damage(part[i]);
	}
	/* A capture that ended normally already has an end. */
	if (rc == TT_OK && (c.m->finish == 0 || c.m->finish == TTC_F_DISK + 1))
		rc = finish(&c);
	tt_buf_free(&c.stream);
	return rc;
}
