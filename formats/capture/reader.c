#include "capture/capture.h"

#include <stdio.h>
#include <stdlib.h>

#include "crc32c.h"

static int
probe(const uint8_t *head, size_t n)
{
	if (n >= 8 && memcmp(head, TTC_MAGIC, 8) == 0)
		return 100;
	/* Only the magic's first letters: a file that went through a text-mode transfer. */
	return n >= 4 && memcmp(head, TTC_MAGIC, 4) == 0 ? 60 : 0;
}

/* --- a window onto the input ------------------------------------------------------- */

/* Input in order: drop what stands before ${at}, read until ${want} bytes are there or the input ends. */
static int
read_on(struct ttc *m, uint64_t at, size_t want, struct tt_err *err)
{
	for (;;) {
		size_t drop = at - m->win_at < m->nwin ? (size_t)(at - m->win_at) : m->nwin, got;
		memmove(m->win, m->win + drop, m->nwin - drop);
		m->nwin -= drop;
		m->win_at += drop;
		if (m->ended || (m->win_at == at && m->nwin >= want))
			return TT_OK;
		int rc = tt_src_read(m->src, m->win + m->nwin, m->capwin - m->nwin, &got, &m->end_err);
		if (rc == TT_OK) {
			m->nwin += got;
		} else if (rc == TT_END || rc == TT_E_DAMAGED) {
			m->ended = true;
		} else {
			*err = m->end_err;
			return rc;
		}
	}
}

/*
 * Point *${p} at the bytes from ${at}: ${want} of them, or *${n} where the input ends before. Forward
 * only on pipes.
 */
static int
window(struct ttc *m, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->win, &m->capwin, want < 4096 ? 4096 : want, 1, err);
	size_t got;

	if (rc != TT_OK)
		return rc;
	if (!tt_src_info(m->src)->seekable) {
		if ((rc = read_on(m, at, want, err)) != TT_OK)
			return rc;
	} else if (at < m->win_at || at + want > m->win_at + m->nwin) {
		if ((rc = tt_src_pread(m->src, at, m->win, want, &got, err)) < 0)
			return rc;
		m->win_at = at;
		m->nwin = got;
	}
	*n = at - m->win_at < m->nwin ? m->nwin - (size_t)(at - m->win_at) : 0;
	*p = *n ? m->win + (at - m->win_at) : m->win;
	return TT_OK;
}

/* --- heads and checksums ------------------------------------------------------------- */

bool
ttc_plausible(const struct ttc *m, const uint8_t *h)
{
	uint32_t len = ttc_u32(h + 8), state = ttc_u32(h + 56);

	return ttc_u32(h) == TTC_CHUNK_MAGIC && ttc_u32(h + 60) == m->run32 && len <= TTC_CHUNK_LIMIT &&
	       state <= len && ttc_u32(h + 48) <= TTC_CHUNK_LIMIT;
}

bool
ttc_good(const uint8_t *chunk, size_t len)
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
	if (u->where == TTC_MADE) {
		memcpy(*p, m->made[u->at].p, n);
		got = n;
	} else if (u->where == TTC_IN_RING) {
		rc = tt_src_pread(m->ring, u->at, *p, n, &got, err);
	} else if (tt_src_info(m->src)->seekable) {
		rc = tt_src_pread(m->src, u->at, *p, n, &got, err);
	} else if ((rc = window(m, u->at, n, &w, &got, err)) == TT_OK) {
		got = got < n ? got : n;
		memcpy(*p, w, got);
	}
	if (rc < 0)
		return rc;
	memset(*p + got, 0, n + TT_CHUNK_PAD - got);
	/* A ring in use may have another chunk there by now. */
	return got == n && ttc_u32(*p + 8) == u->len && ttc_u32(*p + 4) == u->thread &&
		       ttc_u64(*p + 16) == u->seq && ttc_good(*p, u->len)
		   ? TT_OK
		   : TT_E_DAMAGED;
}

/* --- threads ---------------------------------------------------------------------------- */

struct ttc_who *
ttc_who(struct ttc *m, uint32_t number, struct tt_err *err)
{
	if (m->nwho * 2 >= m->capwho) {
		size_t cap = m->capwho ? m->capwho * 2 : 64;
		struct ttc_who *all = tt_mem_alloc(&m->env->mem, cap * sizeof *all, err);
		if (!all)
			return NULL;
		for (size_t i = 0; i < m->capwho; i++) {
			size_t k = m->who[i].number * 2654435761u % cap;
			while (m->who[i].used && all[k].used)
				k = (k + 1) % cap;
			if (m->who[i].used)
				all[k] = m->who[i];
		}
		tt_mem_free(&m->env->mem, m->who, m->capwho * sizeof *m->who);
		m->who = all;
		m->capwho = cap;
	}
	size_t k = number * 2654435761u % m->capwho;
	while (m->who[k].used && m->who[k].number != number)
		k = (k + 1) % m->capwho;
	struct ttc_who *w = &m->who[k];
	if (!w->used) {
		m->nwho++;
		*w = (struct ttc_who){ .number = number, .used = true, .native = number };
	}
	return w;
}

int
ttc_start_add(struct ttc *m, struct ttc_who *w, uint64_t seq, uint32_t first, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &w->start, &w->capstart, w->nstart + 1, sizeof *w->start, err);

	if (rc == TT_OK)
		w->start[w->nstart++] = (struct ttc_start){ seq, first };
	return rc;
}

static bool
starts(const struct ttc_who *w, const struct ttc_unit *u)
{
	for (size_t i = w->nstart; i-- > 0;)
		if (w->start[i].seq == u->seq && w->start[i].first == u->first)
			return true;
	return false;
}

void
ttc_drops(struct ttc_who *w, uint64_t dropped, struct tt_loss *loss)
{
	if (dropped > w->dropped) {
		tt_loss_add(loss, TT_LOST_DROPPED, dropped - w->dropped, 0, TT_NOWHERE);
		w->dropped = dropped;
	}
}

int
ttc_admit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	struct ttc_who *w = ttc_who(m, u->thread, err);

	if (!w)
		return err->code;
	u->flags = 0;
	if (!w->seen) {
		u->flags = TTC_U_FIRST;
		if (!starts(w, u))
			tt_loss_add(loss, TT_LOST_MISSING, 1, 0, u->at);
	} else if (u->seq < w->seq || (u->seq == w->seq && u->first < w->end)) {
		u->flags = TTC_U_SKIP;
		m->late++;
		tt_loss_add(loss, TT_LOST_MISSING, 1, TTC_CHUNK_HEAD + (uint64_t)u->len, u->at);
		return TT_OK;
	} else if (!(u->seq == w->seq && u->first == w->end && u->first > 0) &&
	    !(u->seq == w->seq + 1 && u->first == 0 && u->before == w->end)) {
		u->flags = TTC_U_GAP;
		if (!starts(w, u))
			tt_loss_add(loss, TT_LOST_MISSING, 1, 0, u->at);
	}
	if (w->seen && u->dropped > w->at_drops)
		u->flags |= TTC_U_GAP;
	ttc_drops(w, u->dropped, loss);
	w->at_drops = u->dropped;
	w->seen = true;
	w->seq = u->seq;
	w->end = u->end;
	return TT_OK;
}

int
ttc_unit_add(struct ttc *m, const struct ttc_unit *u, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->unit, &m->capunit, m->nunit + 1, sizeof *u, err);

	if (rc == TT_OK)
		m->unit[m->nunit++] = *u;
	return rc;
}

/* --- thread 0 ------------------------------------------------------------------------------ */

struct fields { const uint8_t *p, *end; bool bad; };

static uint64_t
number(struct fields *f)
{
	uint64_t v = 0;

	if (!f->bad && !(f->p = ttc_get(f->p, f->end, &v)))
		f->bad = true;
	return v;
}

/*
 * A fact about the capture; a later one of the same key replaces it. What the user said (--meta) stands, which
 * on input in order is known before.
 */
static int
fact(struct ttc *m, struct fields *f, struct tt_err *err)
{
	struct ttc *lead = m->lead;
	struct ttc_fact *own = lead->facts;
	char key[128];
	const char *value;
	uint64_t n;

	number(f);
	n = number(f);
	if (f->bad || n > (uint64_t)(f->end - f->p) || n == 0 || n >= sizeof key)
		return TT_OK;
	memcpy(key, f->p, (size_t)n);
	key[n] = '\0';
	f->p += n;
	n = number(f);
	if (f->bad || n > (uint64_t)(f->end - f->p))
		return TT_OK;
	while (own && strcmp(own->key, key) != 0)
		own = own->next;
	if (!own && m->in_order && tt_capture_meta_get(lead->cap, key))
		return TT_OK;
	if (!own) {
		own = tt_arena_alloc(&lead->cap->arena, sizeof *own, err);
		if (!own || !(own->key = tt_arena_text(&lead->cap->arena, key, strlen(key), err)))
			return err->code;
		own->next = lead->facts;
		lead->facts = own;
	}
	value = tt_arena_text(&lead->cap->arena, (const char *)f->p, (size_t)n, err);
	return value ? tt_capture_meta(lead->cap, key, value, err) : err->code;
}

/* "Thread n's next chunk would be (seq), and its last one has so many bytes." */
static int
account(struct ttc *m, struct fields *f, struct tt_loss *loss, struct tt_err *err)
{
	uint32_t n = (uint32_t)number(f);
	uint64_t seq = number(f), end = number(f);

	number(f);
	uint64_t dropped = number(f);
	if (f->bad)
		return TT_OK;
	struct ttc_who *w = ttc_who(m, n, err);
	if (!w)
		return err->code;
	w->accounted = true;
	w->last_seq = seq;
	w->last_end = end;
	ttc_drops(w, dropped, loss);
	return TT_OK;
}

/*
 * One record of the recorder's stream, as far as it is about chunks; what it defines is decoded with
 * the events.
 */
static int
heed(struct ttc *m, unsigned kind, struct fields *f, bool *defines, struct tt_loss *loss, struct tt_err *err)
{
	struct ttc_who *w;
	uint64_t seq, native, n;
	uint32_t id, first;
	int rc = TT_OK;

	switch (kind) {
	case TTC_THREAD:
		id = (uint32_t)number(f);
		native = number(f);
		number(f);
		number(f);
		seq = number(f);
		first = (uint32_t)number(f);
		if (f->bad)
			break;
		if (!(w = ttc_who(m, id, err)))
			return err->code;
		w->known = true;
		w->native = native;
		rc = ttc_start_add(m, w, seq, first, err);
		break;
	case TTC_DROPS:
		id = (uint32_t)number(f);
		n = number(f);
		if (f->bad)
			break;
		if (!(w = ttc_who(m, id, err)))
			return err->code;
		ttc_drops(w, n, loss);
		break;
	case TTC_GONE:
		rc = account(m, f, loss, err);
		break;
	case TTC_FINISH:
		if (f->p == f->end)
			break;
		m->finish = 1 + *f->p++;
		for (n = number(f); n > 0 && !f->bad && rc == TT_OK; n--)
			rc = account(m, f, loss, err);
		break;
	case TTC_NOTE:
		n = number(f);
		if (!f->bad && n <= (uint64_t)(f->end - f->p))
			tt_log(m->env, TT_LOG_NORMAL, "%s: the recorder says: %.*s", m->cap->path, (int)n,
			    (const char *)f->p);
		break;
	case TTC_DEF_FRAMES:
		number(f);
		id = (uint32_t)number(f);
		if (f->bad)
			break;
		if (!(w = ttc_who(m, id, err)))
			return err->code;
		w->frames = true;
		break;
	case TTC_CLOCK:
		seq = number(f);
		n = number(f);
		if (!f->bad)
			ttc_rate_add(&m->rate, &m->head, seq, n);
		break;
	case TTC_META:
		*defines = true;
		rc = fact(m, f, err);
		break;
	default:
		ttc_notice(m, kind, f->p, f->end);
		*defines = true;
		break;
	}
	return rc;
}

void
ttc_notice(struct ttc *m, unsigned kind, const uint8_t *p, const uint8_t *end)
{
	struct fields f = { .p = p, .end = end };
	uint64_t key, n;

	if (kind != TTC_DEF_MARKER)
		return;
	number(&f);
	key = number(&f);
	for (int i = 0; i < 3; i++)
		number(&f);
	n = number(&f);
	if (!f.bad && n == 10 && n <= (uint64_t)(f.end - f.p) && memcmp(f.p, "GC.Collect", 10) == 0)
		atomic_store_explicit(&m->lead->collect, key, memory_order_relaxed);
}

/* A chunk of thread 0, whose checksum is right. *${defines}: there is something for decode in it. */
static int
heed_all(struct ttc *m, const uint8_t *chunk, const struct ttc_unit *u, bool *defines, struct tt_loss *loss,
    struct tt_err *err)
{
	const uint8_t *p = chunk + TTC_CHUNK_HEAD + u->state, *end = chunk + TTC_CHUNK_HEAD + u->len;
	uint64_t t, n;
	int rc = TT_OK;

	*defines = false;
	if (m->zero_seen ? u->seq != m->zero_seq || u->before != m->zero_end : u->seq != 0) {
		tt_loss_add(loss, TT_LOST_MISSING, 1, 0, u->at);
		if (m->zero_seen && u->seq < m->zero_seq)
			return TT_OK;         /* once more */
	}
	m->zero_seen = true;
	m->zero_seq = u->seq + 1;
	m->zero_end = u->end;
	while (p < end && rc == TT_OK) {
		if (!(p = ttc_get(p, end, &t)) || (t & 3) != TTC_OTHER || p == end)
			break;
		unsigned kind = *p++;
		if (!(p = ttc_get(p, end, &n)) || n > (uint64_t)(end - p))
			break;
		struct fields f = { .p = p, .end = p + n };
		p += n;
		rc = heed(m, kind, &f, defines, loss, err);
	}
	return rc;
}

/* --- finding chunks ---------------------------------------------------------------------------- */

/* The next head of a chunk of this recording at or behind ${at}. */
static int
resync(struct ttc *m, uint64_t at, uint64_t *where, bool *found, struct tt_err *err)
{
	const size_t step = 256u << 10;

	for (;;) {
		const uint8_t *p;
		size_t n;
		int rc = window(m, at, step, &p, &n, err);
		if (rc != TT_OK)
			return rc;
		for (size_t i = 0; i + TTC_CHUNK_HEAD <= n; i++) {
			const uint8_t *hit =
			    memchr(p + i, TTC_CHUNK_MAGIC & 0xff, n - i - (TTC_CHUNK_HEAD - 1));
			if (!hit)
				break;
			i = (size_t)(hit - p);
			if (ttc_plausible(m, hit)) {
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
 * Is the chunk at ${at}, as long as its head says, whole and right? *${follows}: as it should, another
 * one or the end does.
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
		/* The head of the next one is looked at anyway; the body only where that one is not there. */
		uint64_t size = tt_src_info(m->src)->size;
		*whole = at + want <= size;
		*follows = at + want == size;
		if (*whole && !*follows) {
			if ((rc = window(m, at + want, TTC_CHUNK_HEAD, &p, &n, err)) != TT_OK)
				return rc;
			*follows = n >= TTC_CHUNK_HEAD ? ttc_plausible(m, p)
						       : n > 0 && memcmp(p, "TTCk", n < 4 ? n : 4) == 0;
		}
		if (!*whole || *follows)
			return TT_OK;
	}
	if ((rc = window(m, at, want + TTC_CHUNK_HEAD, &p, &n, err)) != TT_OK)
		return rc;
	*whole = n >= want;
	*follows = n == want || (n >= want + TTC_CHUNK_HEAD && ttc_plausible(m, p + want));
	*good = *whole && (seekable || !*follows) && ttc_good(p, len);
	return TT_OK;
}

/* The chunk at m->at, or the first one behind it that can be found; m->at moves on. */
static int
next_unit(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	const uint8_t *p;
	uint64_t where;
	size_t n;
	bool found, whole, follows, good;
	int rc;

	for (;;) {
		if ((rc = window(m, m->at, TTC_CHUNK_HEAD, &p, &n, err)) != TT_OK)
			return rc;
		if (n == 0)
			return TT_END;
		if (n < TTC_CHUNK_HEAD) {
			m->cut_at = m->at;
			m->cut_b = n;
			m->at += n;
			return TT_END;
		}
		if (!ttc_plausible(m, p)) {
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
		/* Its length or the next one's head is damaged, or the file is cut. */
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

/* --- the clock ------------------------------------------------------------------------------------ */

/* ns = ticks * num / den as a product and a shift, exact to 2^-60 or so. */
static int
set_ratio(struct ttc *m, struct tt_err *err)
{
	__extension__ typedef unsigned __int128 wide;
	const struct ttc_head *h = &m->head;

	if (h->num == 0 || h->den == 0 || h->num / h->den > 1u << 30)
		return tt_fail(err, TT_E_DAMAGED, 64, "the clock's ratio %llu/%llu makes no sense",
		    (unsigned long long)h->num, (unsigned long long)h->den);
	for (m->shift = 62;; m->shift--) {
		wide v = ((wide)h->num << m->shift) / h->den;
		if (v >> 62 == 0 || m->shift == 0) {
			m->mult = (uint64_t)v;
			return TT_OK;
		}
	}
}

/* --- the index ------------------------------------------------------------------------------------ */

/* Forget what the order of units told, not what the recorder's stream did. */
static void
reset_order(struct ttc *m)
{
	for (size_t i = 0; i < m->capwho; i++) {
		struct ttc_who *w = &m->who[i];
		w->seen = w->left.seen;
		w->seq = w->left.seq;
		w->end = w->left.end;
		w->at_drops = w->left.at_drops;
		w->gap = w->later = false;
		w->dropped = w->told;
		w->nstart = w->nsaid;
	}
	m->late = 0;
}

static int
admit_all(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	int rc = TT_OK;

	for (size_t i = 0; i < m->nunit && rc == TT_OK; i++)
		if (m->unit[i].thread != 0)
			rc = ttc_admit(m, &m->unit[i], loss, err);
	return rc;
}

/* Something is wrong with the order: heads may lie. Look at every chunk and leave out what is damaged. */
static int
check_all(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	uint8_t *p = NULL;
	size_t cap = 0, n = 0;
	int rc = TT_OK;

	for (size_t i = 0; i < m->nunit && rc == TT_OK; i++) {
		const struct ttc_unit u = m->unit[i];
		rc = ttc_load(m, &u, &p, &cap, err);
		if (rc == TT_OK) {
			m->unit[n++] = u;
		} else if (rc == TT_E_DAMAGED) {
			tt_loss_add(loss, TT_LOST_DAMAGED, 1, TTC_CHUNK_HEAD + (uint64_t)u.len, u.at);
			rc = TT_OK;
		}
		if (tt_stopped(m->env))
			rc = tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
	}
	if (rc == TT_OK)
		m->nunit = n;
	tt_mem_free(&m->env->mem, p, cap);
	return rc;
}

static int
by_place(const void *a, const void *b)
{
	const struct ttc_unit *x = a, *y = b;

	if (x->thread != y->thread)
		return (x->thread > y->thread) - (x->thread < y->thread);
	if (x->seq != y->seq)
		return (x->seq > y->seq) - (x->seq < y->seq);
	if (x->first != y->first)
		return (x->first > y->first) - (x->first < y->first);
	return (x->at > y->at) - (x->at < y->at);
}

/* Give each thread's places in the file to its chunks in their order. */
static int
sort_threads(struct ttc *m, struct tt_err *err)
{
	struct ttc_unit *s = tt_mem_alloc(&m->env->mem, (m->nunit + 1) * sizeof *s, err);

	if (!s)
		return err->code;
	if (m->nunit > 0)
		memcpy(s, m->unit, m->nunit * sizeof *s);
	if (m->nunit > 0)
		qsort(s, m->nunit, sizeof *s, by_place);
	/*
	 * Where each thread's run begins in s is found by its first unit; `end` of the table's entry
	 * counts on.
	 */
	reset_order(m);
	for (size_t i = m->nunit; i-- > 0;) {
		struct ttc_who *w = ttc_who(m, s[i].thread, err);
		if (!w) {
			tt_mem_free(&m->env->mem, s, (m->nunit + 1) * sizeof *s);
			return err->code;
		}
		w->seq = i;
	}
	for (size_t i = 0; i < m->nunit; i++) {
		struct ttc_who *w = ttc_who(m, m->unit[i].thread, err);
		if (w)
			m->unit[i] = s[w->seq++];
	}
	tt_mem_free(&m->env->mem, s, (m->nunit + 1) * sizeof *s);
	return TT_OK;
}

/* Are the recorder's accounts of its threads met? */
static void
settle(struct ttc *m, struct tt_loss *loss)
{
	for (size_t i = 0; i < m->capwho; i++) {
		const struct ttc_who *w = &m->who[i];
		if (!w->used || !w->accounted || w->last_seq == 0)
			continue;
		if (!w->seen || w->seq + 1 < w->last_seq ||
		    (w->seq + 1 == w->last_seq && w->end < w->last_end))
			tt_loss_add(loss, TT_LOST_MISSING, 1, 0, TT_NOWHERE);
	}
}

/* The end of the file, as far as it is one. */
static int
conclude(struct ttc *m, struct tt_loss *loss, struct tt_err *err)
{
	int rc = TT_OK;

	if (!m->joined && !m->no_ring && (m->finish == 0 || m->finish == TTC_F_DISK + 1))
		rc = ttc_join(m, loss, err);
	m->joined = true;
	if (rc != TT_OK)
		return rc;
	/* A chunk stays in the ring until it is written whole. */
	if (m->cut_b && !m->has_ring)
		tt_loss_add(loss, TT_LOST_CUT, 1, m->cut_b, m->cut_at);
	settle(m, loss);
	m->cap->end_mark = m->finish == TTC_F_CLEAN + 1 || m->finish == TTC_F_ROTATED + 1 ||
	    m->finish == TTC_F_MAX_SIZE + 1 ? 1 : -1;
	if (m->finish == TTC_F_MAX_SIZE + 1 || m->finish == TTC_F_DISK + 1 || (m->head.flags & TTC_H_DISK))
		tt_loss_add(loss, TT_LOST_STOPPED, 1, 0, TT_NOWHERE);
	return TT_OK;
}

/*
 * Which units can be passed over in search of frame marks? Only where the recording ended in good order does the
 * absence of a definition say anything.
 */
static int
mark_middle(struct ttc *m, struct tt_err *err)
{
	if (!(m->head.flags & TTC_H_FRAMES_TOLD) || m->finish != 1 + TTC_F_CLEAN || m->from_ring || m->found.any)
		return TT_OK;
	for (size_t i = m->nunit; i-- > 0;) {
		struct ttc_unit *u = &m->unit[i];
		struct ttc_who *w = ttc_who(m, u->thread, err);
		if (!w)
			return err->code;
		if (u->thread && w->later && !w->frames && !u->flags)
			u->flags = TTC_U_MIDDLE;
		w->later = true;
	}
	return TT_OK;
}

static void
free_made(struct ttc *m)
{
	for (size_t i = 0; i < m->nmade; i++)
		tt_mem_free(&m->env->mem, m->made[i].p, m->made[i].n);
	m->nmade = 0;
}

/* If anything is wrong with the order, look at each chunk, and sort those that are good. */
static int
mend_order(struct ttc *m, struct tt_err *err)
{
	struct tt_loss order;
	uint64_t late;
	int rc;

	tt_loss_reset(&order);
	rc = admit_all(m, &order, err);
	if (rc != TT_OK || !(order.e[TT_LOST_MISSING].n || tt_loss_damaged(&m->found) || m->cut_b))
		return rc;
	rc = check_all(m, &m->found, err);
	/* Once more with the good ones: how many are out of order? Then in order. */
	reset_order(m);
	if (rc == TT_OK)
		rc = admit_all(m, &order, err);
	late = m->late;
	if (rc == TT_OK)
		rc = sort_threads(m, err);
	reset_order(m);
	if (rc == TT_OK)
		rc = admit_all(m, &order, err);
	if (late > m->late)
		tt_loss_add(&m->found, TT_LOST_MISSING, late - m->late, 0, TT_NOWHERE);
	return rc;
}

/* What the order of chunks tells, what the ring adds, and the end. */
static int
settle_order(struct ttc *m, struct tt_err *err)
{
	int rc;

	reset_order(m);
	m->found = m->damage;
	rc = admit_all(m, &m->found, err);
	if (rc == TT_OK)
		rc = conclude(m, &m->found, err);
	return rc == TT_OK ? mark_middle(m, err) : rc;
}

int
ttc_again(struct ttc *m, struct tt_err *err)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nunit; i++)
		if (m->unit[i].where == TTC_IN_FILE)
			m->unit[n++] = m->unit[i];
	m->nunit = n;
	free_made(m);
	m->from_ring = 0;
	m->has_ring = m->joined = false;
	return settle_order(m, err);
}

static int
build_index(struct ttc *m, struct tt_err *err)
{
	struct ttc_unit u;
	uint8_t *body = NULL;
	size_t cap = 0;
	bool defines;
	int rc;

	while ((rc = next_unit(m, &u, &m->found, err)) == TT_OK) {
		if (tt_stopped(m->env)) {
			rc = tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
			break;
		}
		if (u.thread == 0) {
			rc = ttc_load(m, &u, &body, &cap, err);
			if (rc == TT_E_DAMAGED) {
				tt_loss_add(
				    &m->found, TT_LOST_DAMAGED, 1, TTC_CHUNK_HEAD + (uint64_t)u.len, u.at);
				continue;
			}
			bool again = m->zero_seen && u.seq < m->zero_seq;
			if (rc == TT_OK)
				rc = heed_all(m, body, &u, &defines, &m->found, err);
			u.flags = again ? TTC_U_SKIP : defines ? 0 : TTC_U_QUIET;
		}
		if (rc == TT_OK)
			rc = ttc_unit_add(m, &u, err);
		if (rc != TT_OK)
			break;
	}
	tt_mem_free(&m->env->mem, body, cap);
	if (rc != TT_END)
		return rc;
	for (size_t i = 0; i < m->capwho; i++) {
		m->who[i].told = m->who[i].dropped;
		m->who[i].nsaid = m->who[i].nstart;
	}
	rc = mend_order(m, err);
	m->damage = m->found;
	if (rc == TT_OK)
		rc = settle_order(m, err);
	m->indexed = true;
	ttc_rate_set(&m->rate, &m->head);
	return rc == TT_OK ? set_ratio(m, err) : rc;
}

/* --- the file's head ---------------------------------------------------------------------------------- */

static int
read_head(struct ttc *m, struct tt_err *err)
{
	struct tt_capture *cap = m->cap;
	struct ttc_head *h = &m->head;
	const uint8_t *p;
	uint8_t *copy;
	char version[120];
	size_t n, at = sizeof *h, size;
	int rc = window(m, 0, TTC_HEAD_LIMIT, &p, &n, err);

	if (rc != TT_OK)
		return rc;
	if (n < sizeof *h)
		return tt_fail(err, TT_E_DAMAGED, n, "the file ends after %zu bytes, inside its header", n);
	if (memcmp(p, TTC_MAGIC, 8) != 0)
		return tt_fail(err, memcmp(p, TTC_MAGIC, 4) == 0 ? TT_E_DAMAGED : TT_E_UNKNOWN, 0,
		    "the capture's magic is damaged (line ends changed by a transfer in text mode?)");
	memcpy(h, p, sizeof *h);
	if (h->major != TTC_MAJOR)
		return tt_fail(err, TT_E_UNKNOWN, 8,
		    "capture version %u.%u is %s: this tracetool reads version %d", h->major, h->minor,
		    h->major > TTC_MAJOR ? "too new" : "too old", TTC_MAJOR);
	size = h->size;
	if (size < sizeof *h || size > TTC_HEAD_LIMIT || size > n)
		return tt_fail(err, TT_E_DAMAGED, 12, "the header claims %zu bytes; %zu are there", size, n);
	copy = tt_arena_alloc(&cap->arena, size + 1, err);
	if (!copy)
		return err->code;
	memcpy(copy, p, size);
	memset(copy + 16, 0, 4);
	if (tt_crc32c(0, copy, size) != h->crc)
		return tt_fail(err, TT_E_DAMAGED, 16, "the header's checksum is wrong");
	for (int i = 0; i < TTC_TEXTS; i++) {
		m->text[i] = at < size ? (const char *)copy + at : "";
		at += at < size ? strlen(m->text[i]) + 1 : 0;
	}
	memcpy(&m->run32, h->run, 4);
	m->first = size;
	m->rate = (struct ttc_rate){ .ns = h->mono_ns };
	if ((rc = set_ratio(m, err)) != TT_OK)
		return rc;
	snprintf(version, sizeof version, "version %u.%u%s", h->major, h->minor,
	    h->minor > TTC_MINOR ? " (newer than this tracetool: what it does not know is skipped)" : "");
	cap->version = tt_arena_text(&cap->arena, version, strlen(version), err);
	return cap->version ? TT_OK : err->code;
}

static void
free_who(struct ttc *m)
{
	for (size_t i = 0; i < m->capwho; i++)
		tt_mem_free(&m->env->mem, m->who[i].start, m->who[i].capstart * sizeof *m->who[i].start);
	tt_mem_free(&m->env->mem, m->who, m->capwho * sizeof *m->who);
	m->who = NULL;
	m->nwho = m->capwho = 0;
}

static void
close_(void *ctx)
{
	struct ttc *m = ctx;

	if (!m)
		return;
	free_who(m);
	free_made(m);
	tt_mem_free(&m->env->mem, m->made, m->capmade * sizeof *m->made);
	tt_mem_free(&m->env->mem, m->unit, m->capunit * sizeof *m->unit);
	tt_mem_free(&m->env->mem, m->win, m->capwin);
	if (m->ring)
		tt_src_close(m->ring);
	tt_mem_free(&m->env->mem, m, sizeof *m);
}

static const char *const clock_name[] = {
	[TTC_CLOCK_SYSTEM] = "system", [TTC_CLOCK_TSC] = "tsc", [TTC_CLOCK_CNTVCT] = "cntvct", [TTC_CLOCK_QPC] = "qpc",
};

/* Has the processor an instruction that gathers bits, in hardware? */
static bool
gathers(void)
{
#if defined(__x86_64__)
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
#else
	return false;
#endif
}

static int
open_(struct tt_env *env, struct tt_src *src, struct tt_capture *cap, void **ctx, struct tt_err *err)
{
	struct ttc *m = tt_mem_alloc(&env->mem, sizeof *m, err);
	int rc;

	if (!m)
		return err->code;
	tt_crc32c_init();
	m->quick = gathers();
	m->lead = m->now = m;
	ttc_forms(m);
	m->env = env;
	m->src = src;
	m->cap = cap;
	tt_loss_reset(&m->found);
	rc = read_head(m, err);
	if (rc == TT_OK) {
		m->at = m->first;
		m->in_order = !tt_src_info(src)->seekable;
		rc = m->in_order ? ttc_ring_open(m, err) : build_index(m, err);
	}
	if (rc != TT_OK) {
		close_(m);
		return rc;
	}
	cap->pointer_size = m->head.pointer;
	cap->pid = (int64_t)m->head.pid;
	cap->wall_ms = m->head.wall_ns / 1000000;
	cap->zero_ns = cap->start_ns = (int64_t)m->head.mono_ns;
	cap->has_frames = !(m->head.flags & TTC_H_NO_FRAMES);
	cap->distorts = (m->head.flags & TTC_H_DISTORTS) != 0;
	if (!cap->end_mark)
		cap->end_mark = -1;
	cap->producer = m->text[TTC_T_PRODUCER];
	cap->os = m->text[TTC_T_OS];
	cap->arch = m->text[TTC_T_ARCH];
	if (m->head.clock < sizeof clock_name / sizeof *clock_name)
		cap->clock = clock_name[m->head.clock];
	cap->args = m->text[TTC_T_ARGS];
	memcpy(cap->recording, m->head.run, sizeof cap->recording);
	cap->part = m->head.part;
	cap->category = ttc_category;
	cap->timing = ttc_timing;
	cap->tally_name = ttc_tag_name;
	*ctx = m;
	return TT_OK;
}

/* --- chunks --------------------------------------------------------------------------------------------- */

/* The next unit in order, told off against its thread; TT_END. Skipped ones are told and passed over. */
static int
step(struct ttc *m, struct ttc_unit *u, struct tt_loss *loss, struct tt_err *err)
{
	int rc;

	if (!m->indexed && !m->closed) {
		rc = next_unit(m, u, loss, err);
		if (rc != TT_END)
			return rc == TT_OK && u->thread != 0 ? ttc_admit(m, u, loss, err) : rc;
		if (m->end_err.code == TT_E_DAMAGED)
			tt_loss_add(loss, TT_LOST_CODING, 1, 0, m->end_err.at);
		m->closed = true;
		if ((rc = conclude(m, loss, err)) != TT_OK)
			return rc;
	}
	if (m->next >= m->nunit)
		return TT_END;
	*u = m->unit[m->next++];
	return TT_OK;
}

/* The next chunk of one file. */
static int
next_of(struct ttc *m, struct tt_chunk *c, struct tt_err *err)
{
	struct ttc_unit u;
	bool defines = true;
	int rc;

	if (!m->told)
		tt_loss_join(&c->loss, &m->found);
	m->told = true;
	for (;; defines = true) {
		if ((rc = step(m, &u, &c->loss, err)) != TT_OK)
			return rc;
		if (u.flags & (TTC_U_SKIP | TTC_U_QUIET) || (u.flags & TTC_U_MIDDLE && m->lead->cap->skim))
			continue;
		struct ttc_who *w = ttc_who(m, u.thread, err);
		if (!w)
			return err->code;
		uint64_t tid = u.thread ? w->native : m->head.thread;
		bool gap = u.thread && w->gap;
		rc = ttc_load(m, &u, &c->bytes, &c->cap, err);
		if (rc == TT_E_DAMAGED) {
			tt_loss_add(&c->loss, TT_LOST_DAMAGED, 1, TTC_CHUNK_HEAD + (uint64_t)u.len, u.at);
			w->gap = true;
			continue;
		}
		w->gap = false;
		if (rc == TT_OK && u.thread == 0 && !m->indexed && u.where == TTC_IN_FILE)
			rc = heed_all(m, c->bytes, &u, &defines, &c->loss, err);
		if (rc != TT_OK)
			return rc;
		if (!defines)
			continue;
		c->seq = m->lead->seq++;
		c->at = u.where == TTC_IN_FILE ? u.at : m->at;
		c->len = TTC_CHUNK_HEAD + (uint64_t)u.len;
		c->tid = tid;
		c->ts = 0;
		c->loaded = true;
		c->state[0] = u.flags | (gap ? TTC_U_GAP : 0u);
		return TT_OK;
	}
}

static int
next(void *ctx, struct tt_chunk *c, struct tt_err *err)
{
	struct ttc *lead = ctx;
	int rc;

	tt_loss_reset(&c->loss);
	while ((rc = next_of(lead->now, c, err)) == TT_END && lead->now->then) {
		if ((rc = ttc_go_on(lead->now, &c->loss, err)) != TT_OK)
			return rc;
		lead->before += lead->now->at;
		lead->now = lead->now->then;
	}
	c->before = lead->before;
	if (rc == TT_END)
		lead->cap->end_mark = lead->now->cap->end_mark;
	if (rc < 0 && lead->now != lead)
		tt_err_in(err, "%s", lead->now->cap->path);
	return rc;
}

static void
rewind_one(struct ttc *m)
{
	m->next = 0;
	m->seq = 0;
	m->told = false;
	if (m->indexed) {
		for (size_t i = 0; i < m->capwho; i++)
			m->who[i].gap = false;
		return;
	}
	/* In order: everything again. */
	free_who(m);
	free_made(m);
	m->has_ring = false;
	m->nunit = 0;
	m->at = m->first;
	m->zero_seen = m->joined = m->closed = m->ended = false;
	m->finish = 0;
	m->late = m->cut_b = 0;
	m->win_at = m->nwin = 0;
	memset(&m->end_err, 0, sizeof m->end_err);
}

static int
rewind_(void *ctx, struct tt_err *err)
{
	struct ttc *lead = ctx;

	(void)err;
	lead->now = lead;
	lead->before = 0;
	for (struct ttc *m = lead; m; m = m->then)
		rewind_one(m);
	return TT_OK;
}

static int
decode(const void *ctx, const struct tt_chunk *c, struct tt_batch *b, struct tt_err *err)
{
	return ttc_decode(ctx, c, b, err);
}

const struct tt_format tt_format_capture = {
	.name = "capture",
	.summary = "captures of tracetool's own recorders",
	.suffix = ".ttc",
	.frames = true,
	.probe = probe,
	.open = open_,
	.next = next,
	.rewind = rewind_,
	.append = ttc_append,
	.decode = decode,
	.close = close_,
};
