/**
 * Thread 0, the recorder itself, as far as it is about chunks, threads, the clock and the capture. What it defines is decoded with the
 * events, in define.c.
 */
#include "capture/capture.h"

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

int
ttc_heed(struct ttc *m, const uint8_t *chunk, const struct ttc_unit *u, bool *defines, struct tt_loss *loss,
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
