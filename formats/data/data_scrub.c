/**
 * Copies a saved capture without its names; all other bytes stay. A record that makes no sense becomes zeros.
 */
#include "data/data.h"

#include "base/hash_seed.h"
#include "base/mem.h"
#include "unity/scrub.h"

struct copy {
	struct data *m;
	struct tt_scrub names;
	int (*write)(void *arg, const void *p, size_t n, struct tt_err *err);
	void *arg;
	uint8_t *p;                   /* a record with its head */
	size_t cap;
	uint8_t *number;              /* the first byte of the record after its last text */
	struct tt_map bad;            /* hashes of the bytes of threads whose samples do not add up */
	uint64_t *hash;
	size_t nhash, caphash;
};

/* --- sections ------------------------------------------------------------------------------------------------- */

static uint8_t *
of(const void *p)
{
	return (uint8_t *)(uintptr_t)p;
}

/* Scrub texts among the record's numbers up to ${p}, where ${n} bytes begin that are not numbers. */
static int
numbers(struct copy *c, const void *p, size_t n, enum unity_numbers kind, struct tt_err *err)
{
	uint8_t *const from = c->number;

	if (!p || of(p) < from)
		return TT_OK;
	c->number = of(p) + n;
	return unity_scrub_numbers(&c->names, from, (size_t)(of(p) - from), kind, err);
}

/* Scrub the ${n} bytes of text at ${s}, and the numbers before them. */
static int
name(struct copy *c, const char *s, size_t n, struct tt_err *err)
{
	int rc = numbers(c, s, n, UNITY_WIDE, err);

	TT_THEN(rc, unity_scrub_text(&c->names, of(s), n, err));
	return rc;
}

/* Set a text to zero. */
static int
clear(struct copy *c, struct data_section s, struct tt_err *err)
{
	const int rc = numbers(c, s.p, s.n, UNITY_UNREAD, err);

	c->names.done->ntexts += s.n > 0;
	if (s.p && s.n)
		memset(of(s.p), 0, s.n);
	return rc;
}

static int
text(struct copy *c, struct data_take *t, struct tt_err *err)
{
	uint32_t n;
	const char *s = data_name(t, &n);

	return name(c, s, n, err);
}

static int
marker(struct copy *c, const struct data_marker *k, struct tt_err *err)
{
	struct data_take t = { .p = k->params, .end = k->params + k->nparams };
	uint32_t n;
	int rc = name(c, k->name, k->nname, err);

	for (uint32_t i = 0; i < k->nparam && rc == TT_OK; i++) {
		data_take32(&t);
		const char *s = data_name(&t, &n);
		rc = name(c, s, n, err);
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
			return clear(c, (struct data_section){ data_bytes(&t, n), n }, err);
		}
		return TT_OK;
	}
	for (uint32_t i = 0; i < th->nvalue && rc == TT_OK; i++) {
		data_take32(&t);
		for (uint32_t k = data_take32(&t); k > 0 && rc == TT_OK; k--) {
			const uint32_t type = data_take32(&t), n = data_take32(&t);
			const uint8_t *p = data_bytes(&t, n);
			rc = numbers(c, p, n, UNITY_COUNTS, err);
			TT_THEN(rc, unity_scrub_value(&c->names, type & 0xff, of(p), n, err));
			data_bytes(&t, (0u - n) & 3);
		}
	}
	return rc;
}

static uint64_t
hash_of(const uint8_t *p, size_t n)
{
	return tt_seeded_text(3, (const char *)p, n);
}

/* True if the samples of ${th} could not be decoded. */
static bool
is_bad(const struct copy *c, const struct data_thread *th)
{
	if (c->nhash == 0)
		return false;
	const uint64_t hash = hash_of(th->from, (size_t)(th->end - th->from));
	return tt_map_find(&c->bad, hash, i, c->hash[i] == hash) != 0;
}

/*
 * Set the samples, which do not add up, to zero, and give the first one more children than there are samples, so that they do not add up in the copy either.
 * The start of the second sample tells whether the record makes sense.
 */
static int
drop_samples(struct copy *c, const struct data_thread *th, struct tt_err *err)
{
	const struct data_layout *l = &c->m->layout;
	const size_t size = data_sample_size(l), n = th->nsample * size;
	const unsigned start = l->rank >= 11 ? 8 : 4, nstart = l->rank >= 6 ? 8 : 4;
	uint8_t *const p = of(th->sample), second[8] = { 0 };
	int rc = TT_OK;

	if (n == 0)
		return TT_OK;
	if (th->nsample > 1) {
		memcpy(second, p + size + start, nstart);
		rc = unity_scrub_numbers(&c->names, second, nstart, UNITY_WIDE, err);
	}
	memset(p, 0, n);
	memset(p + size - 4, 0xff, 4);
	if (th->nsample > 1)
		memcpy(p + size + start, second, nstart);
	c->names.done->nzeroed_bytes += n;
	return rc;
}

/* Scrub ids that are four characters and belong to no defined marker; real ids are dense. */
static int
scrub_ids(struct copy *c, const struct data_thread *th, struct tt_err *err)
{
	int rc = TT_OK;

	if (c->m->layout.rank < 11 || !c->names.done->is_damaged)
		return TT_OK;
	for (uint8_t *p = of(th->sample), *const end = p + 20 * (size_t)th->nsample; p < end && rc == TT_OK; p += 20)
		rc = unity_scrub_id(&c->names, p, err);
	return rc;
}

/* Scrub the samples and the lists of numbers between them and the names of markers or values. */
static int
samples(struct copy *c, const struct data_thread *th, bool bad, struct tt_err *err)
{
	int rc = numbers(c, th->sample, th->nsample * (size_t)data_sample_size(&c->m->layout), UNITY_WIDE, err);

	TT_THEN(rc, bad ? drop_samples(c, th, err) : scrub_ids(c, th, err));
	TT_THEN(rc, numbers(c, th->marker, 0, UNITY_WIDE, err));
	return rc;
}

/* Scrub the lists of numbers after the values. */
static int
stacks(struct copy *c, const struct data_thread *th, struct tt_err *err)
{
	const unsigned rank = c->m->layout.rank;
	int rc = th->stack ? numbers(c, th->stack, 0, UNITY_COUNTS, err) : TT_OK;

	if (rc == TT_OK && th->stack)
		rc = numbers(c, th->stack + th->nstack * (size_t)data_stack_size(&c->m->layout), 0, rank < 8 ? UNITY_STACK_32 : UNITY_STACK, err);
	TT_THEN(rc, numbers(c, th->end, 0, UNITY_COUNTS, err));
	return rc;
}

static int
threads(struct copy *c, struct data_record *r, struct tt_err *err)
{
	struct data_take t = { .p = r->threads.p, .end = r->threads.p + r->threads.n };
	const bool apart = c->names.done->is_damaged && data_is_apart(c->m, r);
	struct data_marker k;
	struct data_thread th;
	int rc = TT_OK;

	for (uint32_t i = 0; i < r->nthread && rc == TT_OK; i++) {
		data_walk_thread(&c->m->layout, &t, &th);
		const bool bad = apart || is_bad(c, &th);
		struct data_take named = { .p = th.marker, .end = th.end };
		rc = numbers(c, th.group, th.ngroup, UNITY_WIDE, err);
		TT_THEN(rc, numbers(c, th.name, th.nname, UNITY_COUNTS, err));
		TT_THEN(rc, unity_scrub_thread(&c->names, of(th.group), th.ngroup, of(th.name), th.nname, err));
		TT_THEN(rc, samples(c, &th, bad, err));
		for (uint32_t s = 0; c->m->layout.rank < 11 && s < th.nsample && rc == TT_OK; s++)
			if (data_take_named(&c->m->layout, &named, &k))
				rc = marker(c, &k, err);
		TT_THEN(rc, values(c, &th, err));
		TT_THEN(rc, stacks(c, &th, err));
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
		rc = name(c, s, len, err);
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
	int rc;

	*sane = !c->m->poor && data_walk_any(c->m, p, n, &r);
	if (!*sane)
		return TT_OK;
	c->number = p;
	rc = numbers(c, r.stats.p, 0, UNITY_WIDE, err);
	TT_THEN(rc, numbers(c, r.stats.p + r.stats.n, 0, UNITY_COUNTS, err));
	for (size_t k = 0; k < DATA_NAMES; k++)
		TT_THEN(rc, clear(c, r.names[k], err));
	struct data_take t = { .p = r.markers.p, .end = p + n - 4, .from = p };
	for (uint32_t k = rank >= 11 ? data_count(&t, 16) : 0; k > 0 && rc == TT_OK; k--) {
		struct data_marker x;
		data_take_marker(&t, &x);
		rc = marker(c, &x, err);
	}
	TT_THEN(rc, threads(c, &r, err));
	t.p = r.threads.p + r.threads.n;
	if (rc == TT_OK && r.short_of) {
		c->names.done->nzeroed_bytes += (size_t)(t.end - t.p);
		memset(of(t.p), 0, (size_t)(t.end - t.p));
		return TT_OK;
	}
	if (rc == TT_OK && rank >= 6)
		rc = code(c, &t, err);
	if (rc == TT_OK && rank >= 9)
		rc = categories(c, &t, err);
	if (rc == TT_OK && rank >= 10)
		rc = objects(c, &t, err);
	TT_THEN(rc, numbers(c, p + n, 0, UNITY_WIDE, err));
	return rc;
}

/* --- the file -------------------------------------------------------------------------------------------------- */

static int
zeros(struct copy *c, size_t n, struct tt_err *err)
{
	static const uint8_t zero[4096];
	int rc = TT_OK;

	c->names.done->nzeroed_bytes += n;
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

/* True if the ${n} bytes at ${p} contain a head other than the first. */
static bool
another(const struct data *m, const uint8_t *p, size_t n)
{
	uint32_t size;

	for (size_t i = 1; i < n; i++)
		if (data_head_at(&m->layout, p + i, n - i, &size) && size <= n - i)
			return true;
	return false;
}

/* Write the first ${n} bytes of a record's head at ${p}; drop text after its size. */
static int
write_head(struct copy *c, const uint8_t *p, size_t n, struct tt_err *err)
{
	const size_t from = c->m->layout.rank == 0 ? 12 : 8;
	uint8_t head[DATA_MAX_HEAD];

	memcpy(head, p, n);
	int rc = n > from ? unity_scrub_numbers(&c->names, head + from, n - from, UNITY_COUNTS, err) : TT_OK;
	TT_THEN(rc, c->write(c->arg, head, n, err));
	return rc;
}

/* Copy the record whose head is at ${at}. *${done}: number of bytes written to the copy; 0: it is not a record after all. */
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
		/* The file ends inside the record. */
		c->names.done->is_damaged = true;
		if (n < head || another(c->m, p, n))
			return TT_OK;
		*done = n;
		rc = write_head(c, p, head, err);
		return rc == TT_OK ? zeros(c, n - head, err) : rc;
	}
	if ((rc = tt_mem_grow(&c->m->env->mem, &c->p, &c->cap, want, 1, err)) != TT_OK)
		return rc;
	memcpy(c->p, p, want);
	rc = record(c, c->p + head, size, &sane, err);
	if (rc == TT_OK && sane) {
		*done = want;
		rc = write_head(c, c->p, head, err);
		return rc == TT_OK ? c->write(c->arg, c->p + head, size, err) : rc;
	}
	TT_THEN(rc, goes_on(c, at + want, &yes, err));
	if (rc != TT_OK || !yes)
		return rc;
	*done = want;
	rc = write_head(c, c->p, head, err);
	return rc == TT_OK ? zeros(c, size, err) : rc;
}

/*
 * Handle a place without a record: write a zero for its first byte. But the file's first bytes, by which it is recognised, stay: the version, before it the
 * byte order, and the size and other fields of a head, if they make sense.
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
	return write_head(c, p, *done, err);
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

static int
next(void *ctx, struct tt_chunk *chunk, struct tt_err *err)
{
	return data_next(((struct copy *)ctx)->m, chunk, err);
}

static int
note_bad(struct copy *c, const struct data_piece *piece, struct tt_err *err)
{
	const uint64_t hash = hash_of(piece->p, piece->len);
	int rc = tt_mem_grow(&c->m->env->mem, &c->hash, &c->caphash, c->nhash + 1, sizeof *c->hash, err);

	TT_THEN(rc, tt_map_add(&c->bad, &c->m->env->mem, hash, c->nhash, err));
	if (rc == TT_OK)
		c->hash[c->nhash++] = hash;
	return rc;
}

/* Decode a chunk in which a thread's samples do not add up, record by record, and note the bad records. */
static int
find_bad(struct copy *c, const struct tt_chunk *chunk, struct tt_err *err)
{
	const struct data_head *h = (const struct data_head *)(const void *)chunk->bytes;
	const struct data_piece *piece = (const struct data_piece *)(const void *)(h + 1);
	struct { struct data_head head; struct data_piece piece; } one = { .head = *h };
	struct tt_chunk part = *chunk;
	struct tt_batch b;
	int rc = TT_OK;

	tt_batch_init(&b, &c->m->env->mem, 0);
	one.head.npiece = 1;
	part.bytes = (uint8_t *)&one;
	for (uint32_t i = 0; i < h->npiece && rc == TT_OK; i++) {
		one.piece = piece[i];
		one.piece.p += one.piece.nstats;
		one.piece.len -= one.piece.nstats;
		one.piece.nstats = 0;
		tt_batch_reset(&b);
		rc = data_decode(c->m, &part, &b, err);
		/* Damage in the lists beside the samples is counted without bytes. */
		if (rc == TT_OK && b.loss.e[TT_LOST_DAMAGED].bytes > 0)
			rc = note_bad(c, &one.piece, err);
	}
	tt_batch_free(&b);
	return rc;
}

static int
decode(const void *ctx, const struct tt_chunk *chunk, struct tt_batch *b, struct tt_err *err)
{
	struct copy *c = (struct copy *)(uintptr_t)ctx;
	const struct data_head *h = (const struct data_head *)(const void *)chunk->bytes;
	int rc = data_decode(c->m, chunk, b, err);

	if (rc == TT_OK && b->loss.e[TT_LOST_DAMAGED].n > 0 && !(h->flags & DATA_H_DEFINES))
		rc = find_bad(c, chunk, err);
	return rc;
}

/* Read the input once, to find its layouts and damage, then go back to its beginning. */
static int
read_all(struct copy *c, struct tt_err *err)
{
	const struct tt_format f = { .next = next, .decode = decode };
	struct data *m = c->m;
	int rc = tt_scrub_read(&c->names, &f, c, err);

	if (rc != TT_OK)
		return rc;
	/* From here on, each record is judged separately. */
	m->record = 0;
	tt_window_rewind(&m->win);
	return tt_src_info(m->src)->seekable ? TT_OK : tt_src_rewind(m->src, err);
}

int
data_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err)
{
	struct data *m = ctx;
	struct copy c = { .m = m, .names = { .mem = &m->env->mem, .done = done }, .write = write, .arg = arg };
	int rc = read_all(&c, err);

	TT_THEN(rc, scan(&c, err));
	tt_mem_free(&m->env->mem, c.p, c.cap);
	tt_mem_free(&m->env->mem, c.hash, c.caphash * sizeof *c.hash);
	tt_map_free(&c.bad, &m->env->mem);
	tt_scrub_free(&c.names);
	return rc;
}
