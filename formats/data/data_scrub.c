/**
 * Copies a saved capture without its names; all other bytes stay. A record that makes no sense becomes zeros.
 */
#include "data/data.h"

#include "base/mem.h"
#include "unity/scrub.h"

struct copy {
	struct data *m;
	struct tt_scrub names;
	int (*write)(void *arg, const void *p, size_t n, struct tt_err *err);
	void *arg;
	uint8_t *p;                   /* a record with its head */
	size_t cap;
};

/* --- sections ------------------------------------------------------------------------------------------------- */

static uint8_t *
of(const void *p)
{
	return (uint8_t *)(uintptr_t)p;
}

/* Set a text to zero. */
static void
clear(struct copy *c, struct data_section s)
{
	c->names.done->names += s.n > 0;
	if (s.p && s.n)
		memset(of(s.p), 0, s.n);
}

static int
text(struct copy *c, struct data_take *t, struct tt_err *err)
{
	uint32_t n;
	const char *s = data_name(t, &n);

	return unity_scrub_text(&c->names, of(s), n, err);
}

static int
marker(struct copy *c, const struct data_marker *k, struct tt_err *err)
{
	struct data_take t = { .p = k->params, .end = k->params + k->nparams };
	uint32_t n;
	int rc = unity_scrub_text(&c->names, of(k->name), k->nname, err);

	for (uint32_t i = 0; i < k->nparam && rc == TT_OK; i++) {
		data_take32(&t);
		const char *s = data_name(&t, &n);
		rc = unity_scrub_text(&c->names, of(s), n, err);
	}
	return rc;
}

static int
values(struct copy *c, const struct data_thread *th, struct tt_err *err)
{
	struct data_take t = { .p = th->value, .end = th->end };
	int rc = TT_OK;

	if (c->m->layout.rank == 0) {
		if (c->m->layout.like != DATA_55) {
			uint32_t n;

			data_list(&t, 8, &n);
			n = data_take32(&t);
			clear(c, (struct data_section){ data_bytes(&t, n), n });
		}
		return TT_OK;
	}
	for (uint32_t i = 0; i < th->nvalue && rc == TT_OK; i++) {
		data_take32(&t);
		for (uint32_t k = data_take32(&t); k > 0 && rc == TT_OK; k--) {
			const uint32_t type = data_take32(&t), n = data_take32(&t);
			rc = unity_scrub_value(&c->names, type & 0xff, of(data_bytes(&t, n)), n, err);
			data_bytes(&t, (0u - n) & 3);
		}
	}
	return rc;
}

static int
threads(struct copy *c, const struct data_record *r, struct tt_err *err)
{
	struct data_take t = { .p = r->threads.p, .end = r->threads.p + r->threads.n };
	struct data_marker k;
	struct data_thread th;
	int rc = TT_OK;

	for (uint32_t i = 0; i < r->nthread && rc == TT_OK; i++) {
		data_walk_thread(&c->m->layout, &t, &th);
		struct data_take named = { .p = th.marker, .end = th.end };
		rc = unity_scrub_thread(&c->names, of(th.group), th.ngroup, of(th.name), th.nname, err);
		for (uint32_t s = 0; c->m->layout.rank < 11 && s < th.nsample && rc == TT_OK; s++)
			if (data_take_named(&c->m->layout, &named, &k))
				rc = marker(c, &k, err);
		TT_THEN(rc, values(c, &th, err));
	}
	return rc;
}

static int
code(struct copy *c, struct data_take *t, struct tt_err *err)
{
	int rc = TT_OK;

	for (uint32_t n = data_count(t, 16); n > 0 && rc == TT_OK; n--) {
		rc = text(c, t, err);
		TT_THEN(rc, text(c, t, err));
		data_bytes(t, c->m->layout.rank >= 8 ? 16 : 12);
	}
	return rc;
}

static int
categories(struct copy *c, struct data_take *t, struct tt_err *err)
{
	unsigned id, color;
	uint32_t len;
	int rc = TT_OK;

	for (uint32_t n = data_count(t, 16); n > 0 && rc == TT_OK; n--) {
		const char *s = data_take_category(&c->m->layout, t, &id, &color, &len);
		rc = unity_scrub_text(&c->names, of(s), len, err);
	}
	return rc;
}

static int
objects(struct copy *c, struct data_take *t, struct tt_err *err)
{
	const unsigned rank = c->m->layout.rank, id = rank >= 12 ? 8 : 4;
	int rc = TT_OK;

	for (uint32_t n = data_count(t, 8); n > 0 && rc == TT_OK; n--) {
		data_take32(t);
		rc = text(c, t, err);
	}
	for (uint32_t n = rc == TT_OK ? data_count(t, 12) : 0; n > 0 && rc == TT_OK; n--) {
		data_bytes(t, (rank >= 11 ? 2 * id : id) + 4);
		rc = text(c, t, err);
		data_bytes(t, rank >= 11 ? 8 : 0);
	}
	return rc;
}

/* --- records -------------------------------------------------------------------------------------------------- */

/* Scrub the record of ${n} bytes at ${p}; *${sane} is false if it makes no sense. */
static int
record(struct copy *c, uint8_t *p, size_t n, bool *sane, struct tt_err *err)
{
	const unsigned rank = c->m->layout.rank;
	struct data_record r;
	int rc = TT_OK;

	*sane = !c->m->poor && data_walk_any(c->m, p, n, &r);
	if (!*sane)
		return TT_OK;
	for (size_t k = 0; k < DATA_NAMES; k++)
		clear(c, r.names[k]);
	struct data_take t = { .p = r.markers.p, .end = p + n - 4, .from = p };
	for (uint32_t k = rank >= 11 ? data_count(&t, 16) : 0; k > 0 && rc == TT_OK; k--) {
		struct data_marker x;
		data_take_marker(&t, &x);
		rc = marker(c, &x, err);
	}
	TT_THEN(rc, threads(c, &r, err));
	t.p = r.threads.p + r.threads.n;
	if (rc == TT_OK && r.short_of) {
		c->names.done->dropped += (size_t)(t.end - t.p);
		memset(of(t.p), 0, (size_t)(t.end - t.p));
		return TT_OK;
	}
	if (rc == TT_OK && rank >= 6)
		rc = code(c, &t, err);
	if (rc == TT_OK && rank >= 9)
		rc = categories(c, &t, err);
	return rc == TT_OK && rank >= 10 ? objects(c, &t, err) : rc;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

static int
zeros(struct copy *c, size_t n, struct tt_err *err)
{
	static const uint8_t zero[4096];
	int rc = TT_OK;

	c->names.done->dropped += n;
	for (size_t part; n > 0 && rc == TT_OK; n -= part) {
		part = n < sizeof zero ? n : sizeof zero;
		rc = c->write(c->arg, zero, part, err);
	}
	return rc;
}

/* Set *${yes} if a record, or the end of the file, may be at ${at}. */
static int
goes_on(struct copy *c, uint64_t at, bool *yes, struct tt_err *err)
{
	const uint8_t *p;
	uint32_t size;
	size_t n;
	int rc = tt_window_show(&c->m->win, at, c->m->layout.head, &p, &n, err);

	*yes = rc == TT_OK && (n == 0 || (n >= 4 && unity_u32(p) == DATA_END) || data_head_at(&c->m->layout, p, n, &size));
	return rc;
}

/* True if there is a head in the ${n} bytes at ${p}, other than the first. */
static bool
another(const struct data *m, const uint8_t *p, size_t n)
{
	uint32_t size;

	for (size_t i = 1; i < n; i++)
		if (data_head_at(&m->layout, p + i, n - i, &size) && size <= n - i)
			return true;
	return false;
}

/* Copy the record whose head is at ${at}: *${done} bytes of the copy are written; 0: it is no record after all. */
static int
take_record(struct copy *c, uint64_t at, uint32_t size, size_t *done, struct tt_err *err)
{
	const size_t head = c->m->layout.head, want = head + size;
	const uint8_t *p;
	bool sane, yes;
	size_t n;
	int rc = tt_window_show(&c->m->win, at, want, &p, &n, err);

	*done = 0;
	if (rc != TT_OK)
		return rc;
	if (n < want) {
		/* The file ends in it. */
		c->names.done->damaged = true;
		if (n < head || another(c->m, p, n))
			return TT_OK;
		*done = n;
		rc = c->write(c->arg, p, head, err);
		return rc == TT_OK ? zeros(c, n - head, err) : rc;
	}
	if ((rc = tt_mem_grow(&c->m->env->mem, &c->p, &c->cap, want, 1, err)) != TT_OK)
		return rc;
	memcpy(c->p, p, want);
	rc = record(c, c->p + head, size, &sane, err);
	if (rc == TT_OK && sane) {
		*done = want;
		return c->write(c->arg, c->p, want, err);
	}
	TT_THEN(rc, goes_on(c, at + want, &yes, err));
	if (rc != TT_OK || !yes)
		return rc;
	*done = want;
	rc = c->write(c->arg, c->p, head, err);
	return rc == TT_OK ? zeros(c, size, err) : rc;
}

/*
 * There is no record: write a zero for its first byte. But the file's first bytes, by which it is recognised, stay: the version, and before it the byte order;
 * and the size and other fields of a head, if they make sense.
 */
static int
no_record(struct copy *c, uint64_t at, size_t *done, struct tt_err *err)
{
	const struct data_layout *l = &c->m->layout;
	const uint8_t *p;
	uint32_t size;
	size_t n;
	int rc;

	*done = 1;
	if (at > 0)
		return zeros(c, 1, err);
	if ((rc = tt_window_show(&c->m->win, at, l->head, &p, &n, err)) != TT_OK)
		return rc;
	*done = data_head_at(l, p, n, &size) ? l->head : l->rank == 0 ? 8 : 4;
	*done = *done < n ? *done : n;
	return c->write(c->arg, p, *done, err);
}

static int
scan(struct copy *c, struct tt_err *err)
{
	struct data *m = c->m;
	const uint8_t *p;
	uint32_t size;
	size_t n, done;
	int rc = TT_OK;

	for (uint64_t at = 0; rc == TT_OK; at += done) {
		if ((rc = tt_window_show(&m->win, at, m->layout.head, &p, &n, err)) != TT_OK || n == 0)
			break;
		if (tt_stopped(m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		done = 0;
		if (data_head_at(&m->layout, p, n, &size)) {
			rc = take_record(c, at, size, &done, err);
		} else if (n >= 4 && unity_u32(p) == DATA_END) {
			done = 4;
			rc = c->write(c->arg, p, 4, err);
		}
		if (rc == TT_OK && done == 0)
			rc = no_record(c, at, &done, err);
	}
	return rc;
}

/* Read the input once, to find its layouts and damage, then go back to its beginning. */
static int
read_all(struct data *m, struct tt_scrub *names, struct tt_err *err)
{
	int rc = tt_scrub_read(names, &tt_format_data, m, err);

	if (rc != TT_OK)
		return rc;
	tt_window_rewind(&m->win);
	return tt_src_info(m->src)->seekable ? TT_OK : tt_src_rewind(m->src, err);
}

int
data_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err)
{
	struct data *m = ctx;
	struct copy c = { .m = m, .names = { .mem = &m->env->mem, .done = done }, .write = write, .arg = arg };
	int rc = read_all(m, &c.names, err);

	TT_THEN(rc, scan(&c, err));
	tt_mem_free(&m->env->mem, c.p, c.cap);
	tt_scrub_free(&c.names);
	return rc;
}
