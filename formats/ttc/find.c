/**
 * Finds the chunks of a file by their heads and checksums, also after damage.
 */
#include "ttc/ttc.h"

#include "ttc/crc32c.h"

/* --- heads and checksums ------------------------------------------------------------- */

bool
ttc_is_chunk_head(const struct ttc *m, const uint8_t *h)
{
	uint32_t len = ttc_u32(h + 8), state = ttc_u32(h + 56);

	return ttc_u32(h) == TTC_CHUNK_MAGIC && ttc_u32(h + 60) == m->run32 && len <= TTC_CHUNK_LIMIT &&
	       state <= len && ttc_u32(h + 48) <= TTC_CHUNK_LIMIT;
}

/* True if the checksum of a chunk is right. */
static bool
is_good(const uint8_t *chunk, size_t len)
{
	return tt_crc32c(0, chunk + TTC_CRC_FROM, TTC_CHUNK_HEAD - TTC_CRC_FROM + len) == ttc_u32(chunk + 12);
}

void
ttc_unit_of(struct ttc_unit *u, const uint8_t *h, uint64_t at)
{
	memset(u, 0, sizeof *u);
	u->at = at;
	u->thread = ttc_u32(h + 4);
	u->len = ttc_u32(h + 8);
	u->seq = ttc_u64(h + 16);
	u->ticks = ttc_u64(h + 24);
	u->dropped = ttc_u64(h + 32);
	u->first = ttc_u32(h + 48);
	u->before = ttc_u32(h + 52);
	u->state = ttc_u32(h + 56);
	u->end = u->first + (u->len - u->state);
}

int
ttc_load(struct ttc *m, const struct ttc_unit *u, uint8_t **p, size_t *cap, struct tt_err *err)
{
	size_t n = TTC_CHUNK_HEAD + (size_t)u->len, got = 0;
	const uint8_t *w;
	int rc = tt_mem_grow(&m->env->mem, p, cap, n + TT_CHUNK_PAD, 1, err);

	if (rc != TT_OK)
		return rc;
	if (u->source == TTC_MADE) {
		memcpy(*p, m->made[u->at].p, n);
		got = n;
	} else if (u->source == TTC_IN_RING) {
		rc = tt_src_pread(m->ring, u->at, *p, n, &got, err);
	} else if (tt_src_info(m->src)->seekable) {
		rc = tt_src_pread(m->src, u->at, *p, n, &got, err);
	} else if ((rc = tt_window_show(&m->win, u->at, n, &w, &got, err)) == TT_OK) {
		got = got < n ? got : n;
		memcpy(*p, w, got);
	}
	if (rc < 0)
		return rc;
	memset(*p + got, 0, n + TT_CHUNK_PAD - got);
	/* A ring in use, or a file being overwritten, may by now have another chunk there. */
	return got == n && ttc_u32(*p + 8) == u->len && ttc_u32(*p + 4) == u->thread && ttc_u64(*p + 16) == u->seq &&
		       ttc_u32(*p + 56) == u->state && is_good(*p, u->len)
		   ? TT_OK
		   : TT_E_DAMAGED;
}

/* --- finding chunks ---------------------------------------------------------------------------- */

/* Find the next head of a chunk of this recording at ${at} or later. */
static int
resync(struct ttc *m, uint64_t at, uint64_t *where, bool *found, struct tt_err *err)
{
	const size_t step = 256u << 10;

	for (;;) {
		const uint8_t *p;
		size_t n;
		int rc = tt_window_show(&m->win, at, step, &p, &n, err);
		if (rc != TT_OK)
			return rc;
		for (size_t i = 0; i + TTC_CHUNK_HEAD <= n; i++) {
			const uint8_t *hit =
			    memchr(p + i, TTC_CHUNK_MAGIC & 0xff, n - i - (TTC_CHUNK_HEAD - 1));
			if (!hit)
				break;
			i = (size_t)(hit - p);
			if (ttc_is_chunk_head(m, hit)) {
				*where = at + i;
				*found = true;
				return TT_OK;
			}
		}
		if (n < step) {
			*where = at + n;
			*found = false;
			return TT_OK;
		}
		at += n - (TTC_CHUNK_HEAD - 1);
	}
}

/*
 * Check the chunk of ${len} bytes at ${at}. *${whole}: true if all of it is there; *${good}: true if its checksum was checked and is right; *${follows}: true
 * if another chunk or the end follows it, as it should.
 */
static int
check_at(struct ttc *m, uint64_t at, uint32_t len, bool *whole, bool *follows, bool *good, struct tt_err *err)
{
	size_t n, want = TTC_CHUNK_HEAD + (size_t)len;
	const uint8_t *p;
	bool seekable = tt_src_info(m->src)->seekable;
	int rc;

	*good = false;
	if (seekable) {
		/* Check the head of the next chunk first; check the body only if there is none. */
		uint64_t size = tt_src_info(m->src)->size;
		*whole = at + want <= size;
		*follows = at + want == size;
		if (*whole && !*follows) {
			if ((rc = tt_window_show(&m->win, at + want, TTC_CHUNK_HEAD, &p, &n, err)) != TT_OK)
				return rc;
			*follows = n >= TTC_CHUNK_HEAD ? ttc_is_chunk_head(m, p)
						       : memcmp(p, "TTCk", n < 4 ? n : 4) == 0;
		}
		if (!*whole || *follows)
			return TT_OK;
	}
	if ((rc = tt_window_show(&m->win, at, want + TTC_CHUNK_HEAD, &p, &n, err)) != TT_OK)
		return rc;
	*whole = n >= want;
	*follows = n == want || (n >= want + TTC_CHUNK_HEAD && ttc_is_chunk_head(m, p + want));
	*good = *whole && (seekable || !*follows) && is_good(p, len);
	return TT_OK;
}

int
ttc_next_unit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	const uint8_t *p;
	uint64_t where;
	size_t n;
	bool found, whole, follows, good;
	int rc;

	for (;;) {
		if ((rc = tt_window_show(&m->win, m->at, TTC_CHUNK_HEAD, &p, &n, err)) != TT_OK)
			return rc;
		if (n == 0)
			return TT_END;
		if (n < TTC_CHUNK_HEAD) {
			m->cut_at = m->at;
			m->cut_b = n;
			m->at += n;
			return TT_END;
		}
		if (!ttc_is_chunk_head(m, p)) {
			if ((rc = resync(m, m->at + 1, &where, &found, err)) != TT_OK)
				return rc;
			tt_loss_add(loss, TT_LOST_SYNC, 1, where - m->at, m->at);
			m->at = where;
			if (!found)
				return TT_END;
			continue;
		}
		ttc_unit_of(u, p, m->at);
		if ((rc = check_at(m, m->at, u->len, &whole, &follows, &good, err)) != TT_OK)
			return rc;
		if ((whole && follows) || good) {
			m->at += TTC_CHUNK_HEAD + (uint64_t)u->len;
			return TT_OK;
		}
		/* Its length or the next head is damaged, or the file is cut. */
		if ((rc = resync(m, m->at + TTC_CHUNK_HEAD, &where, &found, err)) != TT_OK)
			return rc;
		if (found || whole) {
			tt_loss_add(loss, TT_LOST_DAMAGED, 1, where - m->at, m->at);
		} else {
			m->cut_at = m->at;
			m->cut_b = where - m->at;
		}
		m->at = where;
		if (!found)
			return TT_END;
	}
}
