/**
 * Reads the file structure of .mlpd: recognises the file, reads its header, finds its buffers, and continues after a damaged one. It decodes no event.
 */
#include "mlpd/mlpd.h"

#include "base/gather.h"
#include "producers/mono.h"

#include <pthread.h>
#include <stdio.h>

static int
probe(const uint8_t *head, size_t n)
{
	if (n < 4 || mlpd_u32(head) != MLPD_MAGIC)
		return 0;
	return n >= 8 && head[6] >= MLPD_V_MIN && head[6] <= MLPD_V_MAX + 16 ? 100 : 60;
}

/* --- buffers ------------------------------------------------------------- */

static bool
is_magic(const uint8_t *p)
{
	return mlpd_u32(p) == MLPD_BUF_MAGIC;
}

/* True if a buffer may begin at ${p}, of which ${n} bytes are in memory: its length is sane, and the next buffer follows, as far as that is in memory. */
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
 * Find the next plausible buffer at or after ${at}; *${found} is false if there is none within ${limit} bytes. Input in order must not move past ${keep},
 * because the bytes from there on are still needed (TT_NOWHERE: none are).
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
 * Find the real length of a buffer whose header gives ${len} bytes, which are missing or unusually many: it ends at the next plausible buffer, else at the end
 * of the input.
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

#define USUAL (128u << 10)            /* the longest buffer the runtime makes */

#define YEAR (INT64_C(366) * 86400 * 1000000000)

/* The smaller one of two time bases. One over a year before the recording comes from a flipped bit: it is not the zero of the capture. */
static int64_t
earlier(int64_t zero, int64_t ts)
{
	return ts < zero && ts > -YEAR ? ts : zero;
}

/* Read the header ${p} of the buffer at ${at}; false if it is none. *${zero} becomes the earlier one of that and its time base. */
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
 * An index of the second half of a long file, made by another thread, as far as every buffer is undamaged. It begins at what looks like a buffer; when the
 * first half gets there, it shows whether that is one.
 */
struct ahead {
	const struct mlpd *m;
	uint64_t from;
	struct mlpd_unit *unit;
	size_t n, cap;
	int64_t zero;                 /* the earliest time base of these */
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

/* Build an index from the headers alone: where the buffers are; their earliest time base is the zero of the capture. */
static int
build_index(struct mlpd *m, struct tt_err *err)
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
	tt_mem_fit(&m->env->mem, &m->unit, &m->capunit, m->nunit, sizeof *m->unit);
	m->zero += zero == INT64_MAX ? 0 : zero;
	return TT_OK;
}

/* Time zero of input that is read in order: any buffer may have it, for a thread that records little writes its first one late. */
static int
look(void *ctx, struct tt_err *err)
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

static bool
tells_late(const uint8_t *head, size_t n)
{
	(void)head;
	return n > 0;
}

/* --- header -------------------------------------------------------------- */

static const char *
header_text(struct tt_capture *cap, const uint8_t *head, size_t n, size_t *at, struct tt_err *err)
{
	if (*at > n || n - *at < 4) {
		tt_fail(err, TT_E_DAMAGED, n, "the file ends inside its header");
		return NULL;
	}
	uint32_t len = mlpd_u32(head + *at);
	*at += 4;
	if (len > n - *at) {
		tt_fail(err, TT_E_DAMAGED, *at - 4, "a text in the header claims %u bytes (file cut, or not a capture)", len);
		return NULL;
	}
	const char *t = (const char *)head + *at;
	*at += len;
	return tt_arena_text(&cap->arena, t, strnlen(t, len), err);
}

/* Read the first eight of the ${n} bytes at ${h}: magic, versions, pointer size. */
static int
read_magic(struct mlpd *m, const uint8_t *h, size_t n, struct tt_err *err)
{
	if (n < 32)
		return tt_fail(err, TT_E_DAMAGED, n, "the file ends after %zu bytes, inside its header", n);
	if (mlpd_u32(h) != MLPD_MAGIC)
		return tt_fail(err, TT_E_UNKNOWN, 0, "it does not begin with the magic of a Mono profile");
	m->major = h[4];
	m->minor = h[5];
	m->version = h[6];
	if (m->version < MLPD_V_MIN || m->version > MLPD_V_MAX)
		return tt_fail(err, TT_E_UNKNOWN, 6, "data version %u is %s: this tracetool reads versions %d to %d",
		    m->version, m->version > MLPD_V_MAX ? "too new" : "too old", MLPD_V_MIN, MLPD_V_MAX);
	if (h[7] != 4 && h[7] != 8)
		return tt_fail(err, TT_E_DAMAGED, 7, "pointer size %u is neither 4 nor 8", h[7]);
	m->mask = h[7] == 4 ? UINT32_MAX : UINT64_MAX;
	m->quick = tt_gathers();
	return TT_OK;
}

static int
read_header(struct mlpd *m, struct tt_capture *cap, struct tt_err *err)
{
	const uint8_t *h;
	size_t n, at = 8;
	char version[80];
	int rc = tt_window_show(&m->win, 0, 64u << 10, &h, &n, err);

	if (rc == TT_OK)
		rc = read_magic(m, h, n, err);
	if (rc != TT_OK)
		return rc;
	cap->pointer_size = h[7];
	uint64_t wall_ms = mlpd_u64(h + at);
	cap->wall_ns = wall_ms <= INT64_MAX / 1000000 ? (int64_t)wall_ms * 1000000 : 0;
	at += 8;
	bool clock = m->major >= 3;
	if (clock) {
		m->zero = (int64_t)mlpd_u64(h + at);
		at += 8;
	}
	int32_t flags = (int32_t)mlpd_u32(h + at + 4);
	if (flags != 0)
		return tt_fail(err, TT_E_UNKNOWN, at + 4, "header flags 0x%x are not known to this tracetool", (unsigned)flags);
	cap->pid = (int32_t)mlpd_u32(h + at + 8);
	at += 14;
	cap->args = cap->arch = cap->os = "";
	if (m->major == 0) {
		at += 2;
	} else {
		if (!(cap->args = header_text(cap, h, n, &at, err)) || !(cap->arch = header_text(cap, h, n, &at, err)) ||
		    !(cap->os = header_text(cap, h, n, &at, err)))
			return err->code;
	}
	cap->records = mlpd_option_records(cap->args, m->version);
	cap->nested = mlpd_option_nested(cap->args);
	cap->advice = m->version >= 14 ? mlpd_advice : mlpd_advice_old;
	m->first = at;
	if (!clock && n >= at + 16 && is_magic(h + at))
		m->zero = (int64_t)mlpd_u64(h + at + 8);
	cap->start_ns = m->zero;
	snprintf(version, sizeof version, "data version %u (profiler %u.%u)", m->version, m->major, m->minor);
	cap->version = tt_arena_text(&cap->arena, version, strlen(version), err);
	return cap->version ? TT_OK : err->code;
}

static void
close_(void *ctx)
{
	struct mlpd *m = ctx;

	if (!m)
		return;
	tt_batch_free(&m->scratch);
	tt_mem_free(&m->env->mem, m->unit, m->capunit * sizeof *m->unit);
	tt_window_free(&m->win);
	tt_mem_free(&m->env->mem, m, sizeof *m);
}

static int
open_(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, void **ctx, struct tt_err *err)
{
	struct mlpd *m = tt_mem_alloc(&env->mem, sizeof *m, err);
	int rc;

	if (!m)
		return err->code;
	m->env = env;
	m->src = src;
	m->cap = cap;
	tt_window_init(&m->win, env, src);
	tt_batch_init(&m->scratch, &env->mem, 0);
	tt_loss_reset(&m->found);
	rc = read_header(m, cap, err);
	if (rc == TT_OK && tt_src_info(src)->seekable)
		rc = build_index(m, err);
	if (rc != TT_OK) {
		close_(m);
		return rc;
	}
	m->at = m->first;
	cap->zero_ns = m->zero;
	cap->producer = "Mono log profiler";
	cap->instruments = true;
	cap->ends_recorded = m->version >= 13;
	cap->skips_equal = true;
	cap->hides_throws = true;
	cap->old_roots = m->version < 15;
	cap->category = mlpd_category;
	cap->tally_name = mlpd_tag_name;
	*ctx = m;
	return TT_OK;
}

/* --- chunks -------------------------------------------------------------- */

/* The next buffer, from the index or from the input. */
static int
step(struct mlpd *m, struct mlpd_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	if (!tt_src_info(m->src)->seekable) {
		int64_t zero = INT64_MAX;       /* known: see look() */
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

static int
room(struct mlpd *m, struct tt_chunk *c, size_t n, struct tt_err *err)
{
	return tt_mem_grow(&m->env->mem, &c->bytes, &c->cap, n + TT_CHUNK_PAD, 1, err);
}

/* Copy ${n} bytes at ${at} into the chunk. If the input ends before, the chunk is shorter and the cut is reported. */
static int
load(struct mlpd *m, struct tt_chunk *c, uint64_t at, size_t n, struct tt_err *err)
{
	const uint8_t *p;
	size_t have;
	int rc = room(m, c, n, err);

	if (rc == TT_OK)
		rc = tt_window_show(&m->win, at, n, &p, &have, err);
	if (rc != TT_OK)
		return rc;
	if (have < n) {
		tt_loss_add(&c->loss, TT_LOST_CUT, 1, n - have, at + have);
		n = have;
	}
	memcpy(c->bytes, p, n);
	memset(c->bytes + n, 0, TT_CHUNK_PAD);
	c->len = n;
	c->loaded = true;
	return TT_OK;
}

/* Make a chunk of the next window of a long buffer: its whole events. The state after them is kept. */
static int
big_window(struct mlpd *m, struct tt_chunk *c, struct tt_err *err)
{
	struct mlpd_unit *u = &m->big;
	size_t n = u->len < TT_CHUNK_MAX ? (size_t)u->len : TT_CHUNK_MAX, used = 0;
	uint64_t state[4];
	int rc = load(m, c, u->at, n, err);

	if (rc != TT_OK)
		return rc;
	c->at = u->at;
	c->tid = u->tid;
	memcpy(c->state, m->big_state, sizeof state);
	memcpy(state, m->big_state, sizeof state);
	if (c->len < n || n == u->len) {
		u->len = 0;
		return TT_OK;
	}
	tt_batch_reset(&m->scratch);
	rc = mlpd_decode(m, c->bytes, n, u->at, u->tid, state, true, &m->scratch, &used, err);
	if (rc != TT_OK)
		return rc;
	if (used == 0 || tt_loss_damaged(&m->scratch.loss)) {
		/* Damage, or an event longer than a window: the rest is lost, and decoding reports it. */
		tt_loss_add(&c->loss, TT_LOST_DAMAGED, 1, u->len - n, u->at + n);
		u->len = 0;
		return TT_OK;
	}
	memset(c->bytes + used, 0, TT_CHUNK_PAD);
	c->len = used;
	u->at += used;
	u->len -= used;
	memcpy(m->big_state, state, sizeof state);
	return TT_OK;
}

static int
next(void *ctx, struct tt_chunk *c, struct tt_err *err)
{
	struct mlpd *m = ctx;
	struct mlpd_unit u;
	const uint8_t *h;
	size_t n;

	tt_loss_reset(&c->loss);
	c->loaded = false;
	if (!m->found_given)
		tt_loss_join(&c->loss, &m->found);
	m->found_given = true;
	c->seq = m->seq++;
	if (m->big.len > 0)
		return big_window(m, c, err);
	int rc = step(m, &u, &c->loss, err);
	if (rc == TT_END && m->win.ended && m->win.end_err.code == TT_E_DAMAGED)
		tt_loss_add(&c->loss, TT_LOST_CODING, 1, 0, m->win.end_err.at);
	if (rc != TT_OK)
		return rc;
	c->at = u.at;
	c->tid = u.tid;
	if (u.len <= TT_CHUNK_MAX && m->unit) {
		c->len = MLPD_BUF_HEAD + u.len;
		c->state[0] = UINT64_MAX;       /* the state is in the header at the front of the bytes */
		return TT_OK;
	}
	if (u.len <= TT_CHUNK_MAX) {
		c->state[0] = UINT64_MAX;
		return load(m, c, u.at, (size_t)(MLPD_BUF_HEAD + u.len), err);
	}
	rc = tt_window_show(&m->win, u.at, MLPD_BUF_HEAD, &h, &n, err);
	if (rc != TT_OK)
		return rc;
	m->big = u;
	m->big.at += MLPD_BUF_HEAD;
	m->big_state[MLPD_S_TIME] = mlpd_u64(h + 8);
	m->big_state[MLPD_S_PTR] = mlpd_u64(h + 16);
	m->big_state[MLPD_S_OBJ] = mlpd_u64(h + 24);
	m->big_state[MLPD_S_METHOD] = mlpd_u64(h + 40);
	return big_window(m, c, err);
}

static int
decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	const struct mlpd *m = ctx;
	const uint8_t *p = c->bytes;
	size_t n = (size_t)c->len, used;
	uint64_t state[4], at = c->at;

	memcpy(state, c->state, sizeof state);
	if (c->state[0] == UINT64_MAX) {
		if (n < MLPD_BUF_HEAD)
			return TT_OK;   /* cut inside the header: next() reports it */
		state[MLPD_S_TIME] = mlpd_u64(p + 8);
		state[MLPD_S_PTR] = mlpd_u64(p + 16);
		state[MLPD_S_OBJ] = mlpd_u64(p + 24);
		state[MLPD_S_METHOD] = mlpd_u64(p + 40);
		p += MLPD_BUF_HEAD;
		n -= MLPD_BUF_HEAD;
		at += MLPD_BUF_HEAD;
	}
	return mlpd_decode(m, p, n, at, c->tid, state, false, b, &used, err);
}

static int
rewind_(void *ctx, struct tt_err *err)
{
	struct mlpd *m = ctx;

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

const struct tt_format tt_format_mlpd = {
	.name = "mlpd",
	.summary = "Mono log profiler, data versions 4 to 17",
	.suffix = ".mlpd",
	.probe = probe,
	.open = open_,
	.next = next,
	.look = look,
	.tells_late = tells_late,
	.rewind = rewind_,
	.decode = decode,
	.close = close_,
};
