/**
 * Copies a log of Mono's profiler without its names; all other bytes stay. A buffer is copied if it makes sense up to its end, as nonsense may hold names;
 * otherwise only its head is, followed by zeros.
 *
 * The first of two readings finds which assemblies define which classes.
 */
#include "mlpd/mlpd_scrub.h"

#define YEAR (INT64_C(366) * 86400 * 1000000000)

struct copy {
	struct mlpd *m;
	struct tt_scrub names;
	struct mlpd_owners owners;
	struct mlpd_texts texts;
	struct tt_batch batch;
	uint32_t tally[256];          /* number of its events by kind */
	struct tt_loss loss;
	int (*write)(void *arg, const void *p, size_t n, struct tt_err *err);
	void *arg;
	bool writes;                  /* true: this is the second reading */
	uint8_t *p;                   /* a part of a buffer */
	size_t cap;
};

static int
put(struct copy *c, const void *p, size_t n, struct tt_err *err)
{
	return c->writes && n ? c->write(c->arg, p, n, err) : TT_OK;
}

static int
put_zeros(struct copy *c, uint64_t n, struct tt_err *err)
{
	static const uint8_t zero[4096];
	int rc = TT_OK;

	c->names.done->nzeroed_bytes += c->writes ? n : 0;
	for (uint64_t part; n > 0 && rc == TT_OK; n -= part) {
		part = n < sizeof zero ? n : sizeof zero;
		rc = put(c, zero, (size_t)part, err);
	}
	return rc;
}

/* --- events ----------------------------------------------------------------------------------------------------- */

/* True if the runtime can write an event ${e}. */
static bool
may_be(const struct tt_event *e)
{
	switch (e->kind) {
	case TT_GC: return e->val <= 11;
	case TT_HANDLE: return e->depth <= 3;
	case TT_CLAUSE: return e->depth <= 4;
	case TT_MONITOR: return e->depth <= 3;
	case TT_SYNC: return e->depth <= 2;
	default: return true;
	}
}

/* True if the decoded events make sense, which bytes of a name read as events hardly do. */
static bool
makes_sense(const struct mlpd *m, const struct tt_batch *b)
{
	if (tt_loss_damaged(&b->loss) || (b->min_ts <= b->max_ts && (b->min_ts < -YEAR || b->max_ts > YEAR)))
		return false;
	for (size_t i = 0; i < b->nrare; i++)
		if (!may_be(&b->ev[b->rare[i]]))
			return false;
	for (unsigned tag = 0; tag < 256; tag++) {
		const unsigned type = tag & 0x0f;
		if (b->tally[tag] && type == MLPD_MONITOR && m->version >= 14 && tag != MLPD_MONITOR && tag != (MLPD_MONITOR | 0x80))
			return false;
		if (b->tally[tag] && type == MLPD_COVERAGE && (m->version < 10 || m->version > 15))
			return false;
	}
	return true;
}

/* Derive the state of decoding from a buffer's head ${h}. */
static void
state_of(const uint8_t *h, uint64_t state[4])
{
	state[MLPD_S_TIME] = mlpd_u64(h + 8);
	state[MLPD_S_PTR] = mlpd_u64(h + 16);
	state[MLPD_S_OBJ] = mlpd_u64(h + 24);
	state[MLPD_S_METHOD] = mlpd_u64(h + 40);
}

/*
 * Read ${n} bytes of events at ${at} to c->p, and decode them; ${more}: others follow. *${used}: number of bytes of whole events; *${sane}: true if they make
 * sense. *${have}: number of bytes that the input has.
 */
static int
decode(struct copy *c, const struct mlpd_unit *u, uint64_t at, size_t n, uint64_t state[4], bool more, size_t *have, size_t *used, bool *sane,
    struct tt_err *err)
{
	const uint8_t *p;
	int rc = tt_mem_grow(&c->m->env->mem, &c->p, &c->cap, n + TT_CHUNK_PAD, 1, err);

	TT_THEN(rc, tt_window_show(&c->m->win, at, n, &p, have, err));
	if (rc != TT_OK)
		return rc;
	*have = *have < n ? *have : n;
	memcpy(c->p, p, *have);
	memset(c->p + *have, 0, TT_CHUNK_PAD);
	c->texts.n = 0;
	c->texts.rc = TT_OK;
	tt_batch_reset(&c->batch);
	rc = mlpd_decode(c->m, c->p, *have, at, u->tid, state, more || *have < n, &c->batch, used, err);
	TT_THEN(rc, c->texts.rc);
	if (rc == TT_OK && !more && *have == n)
		tt_loss_join(&c->loss, &c->batch.loss);
	*sane = rc == TT_OK && makes_sense(c->m, &c->batch);
	return rc;
}

/* Scrub and write the first ${n} decoded bytes, which are whole events; on the first reading, only collect texts. */
static int
put_events(struct copy *c, size_t n, struct tt_err *err)
{
	size_t texts = 0;
	int rc = TT_OK;

	while (texts < c->texts.n && c->texts.v[texts].p + c->texts.v[texts].len < c->p + n)
		texts++;
	if (c->writes) {
		rc = mlpd_scrub_texts(&c->names, &c->owners, c->texts.v, texts, err);
		return rc == TT_OK ? put(c, c->p, n, err) : rc;
	}
	for (size_t i = 0; i < texts && rc == TT_OK; i++)
		rc = tt_scrub_reserve(&c->names, c->texts.v[i].p, c->texts.v[i].len, err);
	return rc == TT_OK ? mlpd_owners_take(&c->owners, &c->m->env->mem, &c->batch, err) : rc;
}

/* Write zeros for ${n} bytes of a buffer, of which the first ${have}, at ${at}, were decoded. The number of an unknown event type stays, at the front. */
static int
drop(struct copy *c, uint64_t n, uint64_t at, size_t have, struct tt_err *err)
{
	const uint64_t place = c->batch.loss.e[TT_LOST_UNKNOWN].n > 0 ? c->batch.loss.e[TT_LOST_UNKNOWN].first_at - at : UINT64_MAX;
	const bool unknown = place < have;
	int rc = unknown ? put(c, c->p + place, 1, err) : TT_OK;

	for (unsigned tag = 0; tag < 256 && c->writes; tag++)
		c->names.done->nlost_events += c->tally[tag];
	return rc == TT_OK ? put_zeros(c, n - unknown, err) : rc;
}

/* --- the file --------------------------------------------------------------------------------------------------- */

/* Copy the ${len} bytes of events of buffer ${u}, in parts. *${cut}: the input ends inside them, and the copy ends before the incomplete event. */
static int
events(struct copy *c, const struct mlpd_unit *u, uint64_t state[4], uint64_t len, bool *cut, struct tt_err *err)
{
	uint64_t at = u->at + MLPD_BUF_HEAD;
	int rc = TT_OK;

	while (len > 0 && rc == TT_OK && !*cut) {
		const size_t n = len < TT_CHUNK_MAX ? (size_t)len : TT_CHUNK_MAX;
		size_t have, used;
		bool sane;
		rc = decode(c, u, at, n, state, n < len, &have, &used, &sane, err);
		if (rc != TT_OK)
			break;
		*cut = have < n;
		if (!sane || (!*cut && (used == 0 || (n == len && used < n))))
			return drop(c, *cut ? have : len, at, have, err);
		rc = put_events(c, used, err);
		if (*cut)
			c->names.done->ncut_bytes = have - used;
		at += used;
		len -= used;
	}
	return rc;
}

/* Copy the buffer ${u}. *${cut}: the input ends inside it. */
static int
buffer(struct copy *c, const struct mlpd_unit *u, uint64_t size, bool *cut, struct tt_err *err)
{
	const uint8_t *h;
	uint64_t state[4], len = u->len;
	size_t n;
	int rc = tt_window_show(&c->m->win, u->at, MLPD_BUF_HEAD, &h, &n, err);

	if (rc != TT_OK || n < MLPD_BUF_HEAD)
		return rc;
	/* If a buffer's length exceeds the input, the reader takes the rest of the input as the buffer. */
	const uint64_t said = mlpd_u32(h + 4);
	if (size != UINT64_MAX && u->at + MLPD_BUF_HEAD + len == size && said > len)
		len++;
	state_of(h, state);
	rc = put(c, h, MLPD_BUF_HEAD, err);
	return rc == TT_OK ? events(c, u, state, len, cut, err) : rc;
}

/* Copy the bytes after the last buffer, from ${at} on: the beginning of another, or garbage. */
static int
rest(struct copy *c, uint64_t at, struct tt_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc = tt_window_show(&c->m->win, at, MLPD_BUF_HEAD, &p, &n, err);

	if (rc == TT_OK && n >= 4 && n < MLPD_BUF_HEAD && mlpd_u32(p) == MLPD_BUF_MAGIC)
		return put(c, p, n, err);
	while (rc == TT_OK && n > 0) {
		rc = put_zeros(c, n, err);
		at += n;
		TT_THEN(rc, tt_window_show(&c->m->win, at, 4096, &p, &n, err));
	}
	return rc;
}

/* Scrub the text of the header at byte *${at} of the ${n} bytes at ${p}, which open() has read, and advance *${at} past it. */
static int
header_text(struct copy *c, uint8_t *p, size_t n, size_t *at, bool options, struct tt_err *err)
{
	const size_t size = mlpd_u32(p + *at), end = *at + 4 + size;
	const size_t len = strnlen((const char *)p + *at + 4, size);
	uint8_t *text = p + *at + 4;
	bool plain = true;

	if (end > n)
		return tt_fail(err, TT_E_DAMAGED, *at, "the file ends inside its header");
	memset(text + len, 0, size - len);
	*at = end;
	if (options)
		return mlpd_scrub_options(&c->names, text, len, err);
	/* texts such as "x86-64", "linux" */
	for (size_t i = 0; i < len; i++)
		plain = plain && (text[i] == '-' || text[i] == '_' || (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'z'));
	return plain && len < 12 ? TT_OK : mlpd_scrub_options(&c->names, text, len, err);
}

static int
header(struct copy *c, struct tt_err *err)
{
	const size_t first = (size_t)c->m->first;
	const uint8_t *p;
	size_t n, at = c->m->major >= 3 ? 38 : 30;
	int rc = tt_window_show(&c->m->win, 0, first, &p, &n, err);

	TT_THEN(rc, tt_mem_grow(&c->m->env->mem, &c->p, &c->cap, first, 1, err));
	if (rc != TT_OK)
		return rc;
	n = n < first ? n : first;
	memcpy(c->p, p, n);
	for (unsigned i = 0; i < 3 && c->m->major > 0 && rc == TT_OK; i++)
		rc = header_text(c, c->p, n, &at, i == 0, err);
	return rc == TT_OK ? put(c, c->p, n, err) : rc;
}

/* Read the input; on the second reading, write its copy. */
static int
scan(struct copy *c, struct tt_err *err)
{
	struct mlpd *m = c->m;
	const uint64_t size = tt_src_info(m->src)->seekable ? tt_src_info(m->src)->size : UINT64_MAX;
	uint64_t at = m->first;
	struct mlpd_unit u;
	bool cut = false;
	int rc = header(c, err);

	while (rc == TT_OK && !cut && (rc = mlpd_next_unit(m, &u, &c->loss, err)) == TT_OK) {
		if (tt_stopped(m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		rc = put_zeros(c, u.at - at, err);
		TT_THEN(rc, buffer(c, &u, size, &cut, err));
		at = u.at + MLPD_BUF_HEAD + u.len;
	}
	if (rc == TT_END)
		rc = rest(c, at, err);
	if (rc == TT_OK && m->win.ended && m->win.end_err.code == TT_E_DAMAGED)
		tt_loss_add(&c->loss, TT_LOST_CODING, 1, 0, m->win.end_err.at);
	if (cut)
		tt_loss_add(&c->loss, TT_LOST_CUT, 1, 0, u.at);
	return rc;
}

int
mlpd_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err)
{
	struct mlpd *m = ctx;
	struct tt_mem *mem = &m->env->mem;
	struct copy c = { .m = m, .names = { .mem = mem, .done = done }, .loss = { .any = false }, .write = write, .arg = arg };
	int rc;

	tt_batch_init(&c.batch, mem, TT_NEEDS_TALLY);
	c.batch.tally = c.tally;
	m->texts = &c.texts;
	rc = scan(&c, err);
	tt_loss_join(&c.loss, &m->found);
	tt_scrub_damage(&c.names, &c.loss);
	TT_THEN(rc, mlpd_owners_find(&c.owners, mem, err));
	if (rc == TT_OK && !tt_src_info(m->src)->seekable)
		rc = tt_src_rewind(m->src, err);
	TT_THEN(rc, mlpd_rewind(m, err));
	c.writes = true;
	done->ntexts = done->ncut_bytes = 0;
	TT_THEN(rc, scan(&c, err));
	m->texts = NULL;
	c.batch.tally = NULL;
	tt_batch_free(&c.batch);
	tt_mem_free(mem, c.texts.v, c.texts.cap * sizeof *c.texts.v);
	tt_mem_free(mem, c.p, c.cap);
	mlpd_owners_free(&c.owners, mem);
	tt_scrub_free(&c.names);
	return rc;
}
