/**
 * Reads the file structure of .mlpd: recognises the file, reads its header, and makes chunks of its buffers. Decodes no event.
 */
#include "mlpd/mlpd.h"

#include "base/extract_bits.h"
#include "producers/mono.h"

#include <stdio.h>

static int
probe(const uint8_t *head, size_t n)
{
	if (n < 4 || mlpd_u32(head) != MLPD_MAGIC)
		return 0;
	return n >= 8 && head[6] >= MLPD_V_MIN && head[6] <= MLPD_V_MAX + 16 ? 100 : 60;
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

/* Read magic, versions and pointer size from the first eight of the ${n} bytes at ${h}. */
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
	m->extracts_bits = tt_can_extract_bits();
	return TT_OK;
}

static int
read_header(struct mlpd *m, struct tt_capture *cap, struct tt_err *err)
{
	const uint8_t *h;
	size_t n, at = 8;
	char version[80];
	int rc = tt_window_show(&m->win, 0, 64u << 10, &h, &n, err);

	TT_THEN(rc, read_magic(m, h, n, err));
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
	cap->max_depth = mlpd_option_nested(cap->args);
	cap->advice = m->version >= 14 ? mlpd_advice : mlpd_advice_old;
	m->first = at;
	if (!clock && n >= at + 16 && mlpd_u32(h + at) == MLPD_BUF_MAGIC)
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
		rc = mlpd_index(m, err);
	if (rc != TT_OK) {
		close_(m);
		return rc;
	}
	m->at = m->first;
	cap->zero_ns = m->zero;
	cap->producer = "Mono log profiler";
	cap->has_instrumented_calls = true;
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

static int
room(struct mlpd *m, struct tt_chunk *c, size_t n, struct tt_err *err)
{
	return tt_mem_grow(&m->env->mem, &c->bytes, &c->cap, n + TT_CHUNK_PAD, 1, err);
}

/* Copy ${n} bytes at ${at} into the chunk. If the input ends earlier, the chunk is shorter and the cut is reported. */
static int
load(struct mlpd *m, struct tt_chunk *c, uint64_t at, size_t n, struct tt_err *err)
{
	const uint8_t *p;
	size_t have;
	int rc = room(m, c, n, err);

	TT_THEN(rc, tt_window_show(&m->win, at, n, &p, &have, err));
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

/* Make a chunk of the next window of a long buffer, with whole events. The state after them is kept. */
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
		/* Damage, or an event longer than a window: the rest is lost, which decoding reports. */
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
	int rc = mlpd_next_unit(m, &u, &c->loss, err);
	if (rc == TT_END && m->win.ended && m->win.end_err.code == TT_E_DAMAGED)
		tt_loss_add(&c->loss, TT_LOST_CODING, 1, 0, m->win.end_err.at);
	if (rc != TT_OK)
		return rc;
	c->at = u.at;
	c->tid = u.tid;
	if (u.len <= TT_CHUNK_MAX && m->unit) {
		c->len = MLPD_BUF_HEAD + u.len;
		c->state[0] = UINT64_MAX;       /* the state is in the header at the begin of the bytes */
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
			return TT_OK;   /* cut inside the header, which next() reports */
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
	return mlpd_rewind(ctx, err);
}

const struct tt_format tt_format_mlpd = {
	.name = "mlpd",
	.summary = "Mono log profiler, data versions 4 to 17",
	.suffix = ".mlpd",
	.probe = probe,
	.open = open_,
	.next = next,
	.survey = mlpd_survey,
	.needs_whole_input = tells_late,
	.rewind = rewind_,
	.decode = decode,
	.close = close_,
	.scrub = mlpd_scrub,
};
