/**
 * Finds the buffers of an .mlpd file, and continues after a damaged one. Decodes no event.
 */
#include "mlpd/mlpd.h"

#include <pthread.h>

static bool
is_magic(const uint8_t *p)
{
	return mlpd_u32(p) == MLPD_BUF_MAGIC;
}

/* True if a buffer may begin at ${p}, of which ${n} bytes are in memory: its length is sane, and the next buffer follows, as far as it is in memory. */
static bool
plausible(const uint8_t *p, size_t n)
{
	if (n < MLPD_BUF_HEAD || !is_magic(p))
		return false;
	uint32_t len = mlpd_u32(p + 4);
	if (len == 0 || len > INT32_MAX)
		return false;
	uint64_t next = (uint64_t)MLPD_BUF_HEAD + len;
	return next + 4 > n || is_magic(p + next);
}

/*
 * Find the next plausible buffer at ${at} or later; *${found} is false if there is none within ${limit} bytes. Input that cannot seek must not move past
 * ${keep}, because the bytes from there on are still needed (TT_NOWHERE: no bytes are).
 */
static int
resync(struct mlpd *m, uint64_t keep, uint64_t at, uint64_t limit, uint64_t *where, bool *found, struct tt_err *err)
{
	const size_t step = 256u << 10;
	uint64_t from = at;

	*found = false;
	while (at - from < limit) {
		const uint8_t *p;
		size_t n;
		size_t back = keep < at ? (size_t)(at - keep) : 0;
		int rc = tt_window_show(&m->win, at - back, back + step, &p, &n, err);
		if (rc != TT_OK)
			return rc;
		p += back < n ? back : n;
		n -= back < n ? back : n;
		for (size_t i = 0; i + MLPD_BUF_HEAD <= n; i++) {
			const uint8_t *hit = memchr(p + i, 0x01, n - i);
			if (!hit)
				break;
			i = (size_t)(hit - p);
			if (i + MLPD_BUF_HEAD <= n && plausible(hit, n - i)) {
				*where = at + i;
				*found = true;
				return TT_OK;
			}
		}
		if (n < step) {
			*where = at + n;
			return TT_OK;
		}
		at += n - (MLPD_BUF_HEAD - 1);
	}
	*where = at;
	return TT_OK;
}

/*
 * Find the real length of a buffer whose header gives ${len} bytes, which are incomplete or unusually many: it ends at the next plausible buffer, or else at
 * the end of the input.
 */
static int
real_length(struct mlpd *m, uint64_t at, uint64_t len, uint64_t size, struct mlpd_unit *unit, struct tt_loss *loss,
    struct tt_err *err)
{
	uint64_t body = at + MLPD_BUF_HEAD, where;
	bool found;
	int rc = resync(m, at, body, len && len < TT_CHUNK_MAX ? len : TT_CHUNK_MAX, &where, &found, err);

	if (rc != TT_OK)
		return rc;
	if (found && (len == 0 || where < body + len)) {
		unit->len = where - body;
		tt_loss_add(loss, TT_LOST_DAMAGED, 1, 0, at);
		return TT_OK;
	}
	if (size != UINT64_MAX && (len == 0 || len > size - body)) {
		unit->len = size - body;
		tt_loss_add(loss, TT_LOST_CUT, 1, len ? len - (size - body) : 0, size);
		return TT_OK;
	}
	unit->len = len;
	return TT_OK;
}

#define USUAL (128u << 10)            /* maximum buffer that the runtime makes */

#define YEAR (INT64_C(366) * 86400 * 1000000000)

/* Return the smaller of two time bases. A time base over a year before the recording comes from a flipped bit and is not the zero of the capture. */
static int64_t
earlier(int64_t zero, int64_t ts)
{
	return ts < zero && ts > -YEAR ? ts : zero;
}

/* Read the header ${p} of the buffer at ${at}. False: it is not a header. *${zero} becomes the earlier one of its old value and the buffer's time base. */
static bool
is_unit(const struct mlpd *m, const uint8_t *p, uint64_t at, struct mlpd_unit *unit, int64_t *zero)
{
	*unit = (struct mlpd_unit){ .at = at, .tid = mlpd_u64(p + 32) & m->mask, .len = mlpd_u32(p + 4) };
	*zero = earlier(*zero, (int64_t)(mlpd_u64(p + 8) - (uint64_t)m->zero));
	return is_magic(p);
}

/* Read the buffer at ${at}, or the first one after it. */
static int
next_unit(struct mlpd *m, uint64_t at, struct mlpd_unit *unit, int64_t *zero, struct tt_loss *loss, struct tt_err *err)
{
	uint64_t size = tt_src_info(m->src)->seekable ? tt_src_info(m->src)->size : UINT64_MAX;
	const uint8_t *p;
	size_t n;
	int rc = tt_window_show(&m->win, at, MLPD_BUF_HEAD, &p, &n, err);

	if (rc != TT_OK)
		return rc;
	if (n == 0)
		return TT_END;
	if (n < 4 || !is_magic(p)) {
		uint64_t where;
		bool found;
		rc = resync(m, TT_NOWHERE, at, UINT64_MAX, &where, &found, err);
		if (rc != TT_OK)
			return rc;
		tt_loss_add(loss, n < 4 ? TT_LOST_CUT : found ? TT_LOST_SYNC : TT_LOST_GARBAGE, 1, where - at, at);
		if (!found)
			return TT_END;
		at = where;
		rc = tt_window_show(&m->win, at, MLPD_BUF_HEAD, &p, &n, err);
		if (rc != TT_OK)
			return rc;
	}
	if (n < MLPD_BUF_HEAD) {
		tt_loss_add(loss, TT_LOST_CUT, 1, n, at);
		return TT_END;
	}
	is_unit(m, p, at, unit, zero);
	uint64_t len = unit->len;
	/* Empty buffers are rare but occur (Mono 4.6 ends with one). */
	if (len > INT32_MAX)
		return real_length(m, at, 0, size, unit, loss, err);
	if (len > USUAL || (size != UINT64_MAX && at + MLPD_BUF_HEAD + len > size))
		return real_length(m, at, len, size, unit, loss, err);
	return TT_OK;
}

/*
 * An index of the second half of a long file, made by another thread, as far as every buffer is intact. It begins at something that looks like a buffer; once
 * the index of the first half gets there, it shows whether that is one.
 */
struct ahead {
	const struct mlpd *m;
	uint64_t from;
	struct mlpd_unit *unit;
	size_t n, cap;
	int64_t zero;                 /* the earliest time base of these buffers */
	pthread_t thread;
	bool running;
};
#define AHEAD_MIN (UINT64_C(64) << 20)

static void *
look_ahead(void *arg)
{
	struct ahead *a = arg;
	const struct mlpd *m = a->m;
	struct tt_mem *mem = &m->env->mem;
	const size_t look = 256u << 10;
	uint64_t size = tt_src_info(m->src)->size, at = a->from;
	uint8_t head[MLPD_BUF_HEAD], *p;
	struct tt_err err;
	size_t n, i = 0;

	if (!(p = tt_mem_alloc(mem, look, &err)))
		return NULL;
	if (tt_src_pread(m->src, at, p, look, &n, &err) != TT_OK)
		n = 0;
	while (i + MLPD_BUF_HEAD <= n && !plausible(p + i, n - i))
		i++;
	at = i + MLPD_BUF_HEAD <= n ? at + i : size;
	tt_mem_free(mem, p, look);
	while (at + MLPD_BUF_HEAD <= size && !tt_stopped(m->env) &&
	    tt_src_pread(m->src, at, head, sizeof head, &n, &err) == TT_OK && n == sizeof head) {
		struct mlpd_unit u;
		int64_t zero = a->zero;
		if (!is_unit(m, head, at, &u, &zero) || u.len > USUAL || at + MLPD_BUF_HEAD + u.len > size ||
		    tt_mem_grow(mem, &a->unit, &a->cap, a->n + 1, sizeof u, &err) != TT_OK)
			break;
		a->unit[a->n++] = u;
		a->zero = zero;
		at += MLPD_BUF_HEAD + u.len;
	}
	return NULL;
}

static int
add_units(struct mlpd *m, const struct mlpd_unit *u, size_t n, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->unit, &m->capunit, m->nunit + n, sizeof *u, err);

	if (rc != TT_OK)
		return rc;
	memcpy(m->unit + m->nunit, u, n * sizeof *u);
	m->nunit += n;
	return TT_OK;
}

static int
index_all(struct mlpd *m, struct ahead *a, int64_t *zero, struct tt_err *err)
{
	uint64_t at = m->first;
	struct mlpd_unit u;
	int rc;

	for (;;) {
		if (a->running && at >= a->from) {
			pthread_join(a->thread, NULL);
			a->running = false;
		}
		if (!a->running && a->n && at == a->unit[0].at) {
			if ((rc = add_units(m, a->unit, a->n, err)) != TT_OK)
				return rc;
			u = a->unit[a->n - 1];
			*zero = earlier(*zero, a->zero);
		} else if ((rc = next_unit(m, at, &u, zero, &m->found, err)) != TT_OK) {
			return rc == TT_END ? TT_OK : rc;
		} else if ((rc = add_units(m, &u, 1, err)) != TT_OK) {
			return rc;
		}
		if (tt_stopped(m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		at = u.at + MLPD_BUF_HEAD + u.len;
	}
}

int
mlpd_index(struct mlpd *m, struct tt_err *err)
{
	uint64_t size = tt_src_info(m->src)->size;
	struct ahead a = { .m = m, .from = size / 2, .zero = INT64_MAX };
	int64_t zero = INT64_MAX;

	if (m->env->jobs > 1 && size >= AHEAD_MIN)
		a.running = pthread_create(&a.thread, NULL, look_ahead, &a) == 0;
	int rc = index_all(m, &a, &zero, err);
	if (a.running)
		pthread_join(a.thread, NULL);
	tt_mem_free(&m->env->mem, a.unit, a.cap * sizeof *a.unit);
	if (rc != TT_OK)
		return rc;
	tt_mem_shrink(&m->env->mem, &m->unit, &m->capunit, m->nunit, sizeof *m->unit);
	m->zero += zero == INT64_MAX ? 0 : zero;
	return TT_OK;
}

int
mlpd_survey(void *ctx, struct tt_err *err)
{
	struct mlpd *m = ctx;
	int64_t zero = INT64_MAX;
	struct tt_loss found;
	struct mlpd_unit u;
	int rc;

	tt_loss_reset(&found);
	for (uint64_t at = m->first; (rc = next_unit(m, at, &u, &zero, &found, err)) == TT_OK; at = u.at + MLPD_BUF_HEAD + u.len)
		if (tt_stopped(m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	if (rc != TT_END)
		return rc;
	m->zero += zero == INT64_MAX ? 0 : zero;
	m->cap->zero_ns = m->zero;
	return TT_OK;
}

int
mlpd_next_unit(struct mlpd *m, struct mlpd_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	if (!tt_src_info(m->src)->seekable) {
		int64_t zero = INT64_MAX;       /* unused: mlpd_survey() has found the zero */
		int rc = next_unit(m, m->at, u, &zero, loss, err);
		if (rc == TT_OK)
			m->at = u->at + MLPD_BUF_HEAD + u->len;
		return rc;
	}
	if (m->next >= m->nunit)
		return TT_END;
	*u = m->unit[m->next++];
	return TT_OK;
}

int
mlpd_rewind(struct mlpd *m, struct tt_err *err)
{
	m->next = 0;
	m->seq = 0;
	m->found_given = false;
	m->big.len = 0;
	m->at = m->first;
	if (!tt_src_info(m->src)->seekable)
		tt_window_rewind(&m->win);
	(void)err;
	return TT_OK;
}
