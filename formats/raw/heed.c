/**
 * Collects from the session's stream the facts that the reader needs before it decodes: markers, threads, categories, code.
 */
#include "raw/raw.h"

#include "base/hash_seed.h"

enum { NAME_MAX_BYTES = (RAW_NAME_MAX - 2) / 2 - 3 };   /* longer names are never those of threads */

static int
heed_marker(struct raw *m, struct raw_session *s, struct raw_take *t, uint64_t seq, struct tt_err *err)
{
	uint32_t id = raw_take32(t), flags = raw_take16(t), n;

	const uint32_t category = raw_take16(t);
	const uint8_t *name = raw_take_name(t, &n);
	const uint32_t unit = raw_take_byte(t) ? raw_take16(t) >> 8 : 0;
	const char *in = unity_category_name(&m->known, s->number, category, seq, s->categories);
	const char *text = name ? (const char *)name : "";
	const uint64_t kind = flags & UNITY_MARKER_COUNTER ? unity_counter_kind(in, unit, text, n) : 0;
	const uint32_t stats = kind && s->number ? unity_stats_counter(kind, text, n) : 0;
	int rc = t->state == RAW_WHOLE ? unity_know_marker(&m->known, &s->marker, s->number, id, flags, kind, stats, name, n, seq, err) : TT_OK;
	const uint32_t more = raw_count_lacking(t, name, n);
	if (more > 0 && rc == TT_OK)
		rc = unity_know_longer(&m->known, s->number, id, name, n + more, seq, err);
	if (m->as)
		unity_vote(&m->votes, text, n, category);
	return rc;
}

/* Keep name and group of a thread. */
static int
keep_name(struct raw *m, const uint8_t *p, uint32_t n, const uint8_t *group, uint32_t ngroup, struct raw_name *x, struct tt_err *err)
{
	struct tt_arena *const a = &m->cap->arena;

	*x = (struct raw_name){ .text = n ? tt_arena_text(a, (const char *)p, n, err) : "", .n = n, .ngroup = ngroup };
	if (x->text)
		x->group = ngroup ? tt_arena_text(a, (const char *)group, ngroup, err) : "";
	return x->group ? TT_OK : err->code;
}

/* Keep the ${n} bytes at ${name}, the full name of the thread of ${st}, unless they are kept already; ${hash} is the hash of the name. */
static int
keep_full_name(struct raw *m, struct raw_stream *st, uint64_t hash, const char *name, size_t n, struct tt_err *err)
{
	if (st->full && st->name == hash)
		return TT_OK;
	n -= n > 0 && name[n - 1] == '\0';
	st->nfull = (uint32_t)n;
	st->full = tt_arena_text(&m->cap->arena, name, n, err);
	return st->full ? TT_OK : err->code;
}

/* True if the ${n} bytes at ${name} are the name of the main thread. */
static bool
is_main(const char *name, size_t n)
{
	return n == strlen(UNITY_MAIN_THREAD) && memcmp(name, UNITY_MAIN_THREAD, n) == 0;
}

/* Note the first thread with frames that has the main thread's name. */
static void
note_main(struct raw_session *s, uint64_t id, uint32_t flags, const char *name, size_t n)
{
	if (s->has_named || flags & RAW_THREAD_NO_FRAMES || !is_main(name, n))
		return;
	s->has_named = true;
	s->named = id;
}

/* Write the name of a thread with its group to ${to}. Return its length. */
static size_t
put_name(char to[RAW_NAME_MAX], const uint8_t *group, size_t ngroup, const uint8_t *p, size_t n)
{
	size_t len = 0;

	if (ngroup) {
		memcpy(to, group, ngroup);
		to[ngroup] = '.';
		len = ngroup + 1;
	}
	memcpy(to + len, p ? (const char *)p : "", n);
	return len + n;
}

/* Take in the registration of a thread; its message is in the block at ${at}. */
static int
heed_thread(struct raw *m, struct raw_session *s, struct raw_take *t, uint64_t at, struct tt_err *err)
{
	char name[RAW_NAME_MAX];
	uint64_t id = raw_take64(t), start = s->layout.rank >= 3 ? raw_take64(t) : 0;
	uint32_t flags = raw_take32(t), ngroup, nfull;
	const uint8_t *group = raw_take_name(t, &ngroup), *p = raw_take_blob(t, &nfull);

	if (t->state != RAW_WHOLE || ngroup > NAME_MAX_BYTES || nfull > NAME_MAX_BYTES || id == RAW_SESSION)
		return TT_OK;
	const uint32_t n = nfull ? (uint32_t)strnlen((const char *)p, nfull) : 0;
	struct raw_stream *st = raw_stream(m, id, err);
	if (!st)
		return err->code;
	const uint32_t more = raw_count_lacking(t, p, nfull), group_more = raw_count_lacking(t, group, ngroup);
	const size_t longer = more || group_more ? put_name(name, group, ngroup + group_more, p, nfull + more) : 0;
	const uint64_t longer_hash = longer ? tt_seeded_text(0, name, longer) : 0;
	const size_t len = put_name(name, group, ngroup, p, nfull) - nfull;
	const uint64_t hash = tt_seeded_text(0, name, len + n);
	note_main(s, id, flags, name, len + n);
	struct raw_naming x = { .from = start ? raw_ns(s, start) : INT64_MIN, .at = at, .hash = hash, .bound = !(flags & RAW_THREAD_NO_FRAMES) };
	if (!start && st->name == hash && st->own.text)
		x.own = st->own;
	else if (!start && keep_name(m, p, n, group, ngroup, &x.own, err) != TT_OK)
		return err->code;
	if (st->met)
		return raw_name_waits(m, st, &x, err);
	if (start)
		st->start = x.from;
	if (keep_full_name(m, st, hash, name, len + nfull, err) != TT_OK)
		return err->code;
	st->defined_at = at;
	st->named = st->met = true;
	st->bound = x.bound;
	st->name = hash;
	st->longer = longer_hash;
	st->own = x.own;
	return TT_OK;
}

/* Take in a category; if it is ${known} already, compare its name. */
static int
heed_category(struct raw *m, const struct raw_session *s, struct raw_take *t, bool known, uint64_t seq, struct tt_err *err)
{
	uint32_t id = raw_take16(t), n;

	raw_take16(t);
	raw_take16(t);
	raw_take_category_pad(t);
	const uint8_t *name = raw_take_name(t, &n);
	if (t->state != RAW_WHOLE)
		return TT_OK;
	return known ? unity_note_category(&m->known, id, name, n, err) : unity_know_category(&m->known, s->number, id, name, n, seq, err);
}

static int
heed_code(struct raw *m, struct raw_take *t, uint64_t seq, struct tt_err *err)
{
	raw_take64(t);
	uint64_t start = raw_take64(t), size = raw_take32(t);

	return t->state == RAW_WHOLE ? unity_know_code(&m->known, start, size, seq, err) : TT_OK;
}

static int
heed_state(struct raw *m, struct raw_session *s, struct raw_take *t, uint64_t at, struct tt_err *err)
{
	const bool was = m->enabled || !m->any_state, first = !m->any_state;

	m->any_state = true;
	m->enabled = raw_take32(t) & 1;
	const uint64_t ticks = raw_take64(t);
	/* Recordings do not end before they begin, or begin long before threads that registered ahead of them: one of the two times is damaged. */
	if (first ? m->enabled && s->state_wrong : ticks < m->state_ticks)
		tt_loss_add(&m->loss, TT_LOST_DAMAGED, 1, 0, at);
	m->state_ticks = ticks;
	m->frames.stop = raw_take32(t);
	m->frames.stopped = !m->enabled && t->state == RAW_WHOLE;
	s->stopped = m->enabled ? INT64_MAX : raw_ns(s, ticks);
	/* Another recording in the same log may assign ids anew. */
	if (!was && m->enabled)
		unity_next_epoch(&m->known);
	if (was || !m->enabled || m->read)
		return TT_OK;
	int rc = tt_mem_grow(&m->env->mem, &m->pause, &m->cappause, m->npause + 1, sizeof *m->pause, err);
	if (rc == TT_OK) {
		const struct raw_pause *const last = m->npause ? &m->pause[m->npause - 1] : NULL;
		const uint64_t least = last && last->session == s->number ? last->ticks : 0;
		m->pause[m->npause++] = (struct raw_pause){ .ticks = ticks > least ? ticks : least, .session = s->number };
	}
	return rc;
}

/* Take in the remaining messages of ${w}: only categories if ${categories}, else all others, with the categories known. */
static int
heed_all(struct raw *m, uint32_t session, struct raw_walk *w, bool categories, uint64_t seq, struct tt_err *err)
{
	uint64_t renamed_at = UINT64_MAX;
	enum raw_step step;
	int rc = TT_OK;

	while (rc == TT_OK && ((step = raw_walk_next(w)) == RAW_MESSAGE || step == RAW_DROPPED)) {
		struct raw_session *s = &m->session[session];
		if (step == RAW_DROPPED)
			continue;
		struct raw_take t = { .p = w->p, .end = w->p + w->size, .from = w->p, .l = &s->layout };
		unsigned type = raw_take16(&t);
		const uint64_t at = w->piece[w->i].at;
		raw_pad(&t);
		w->p += w->size;
		if (categories && type != RAW_CATEGORY)
			continue;
		switch (type) {
		case RAW_STATE:
			rc = heed_state(m, s, &t, at, err);
			break;
		case RAW_MARKER:
			rc = heed_marker(m, s, &t, seq, err);
			break;
		case RAW_THREAD:
			rc = heed_thread(m, s, &t, at, err);
			break;
		case RAW_CATEGORY:
			rc = heed_category(m, s, &t, !categories, seq, err);
			break;
		case RAW_JIT:
			rc = heed_code(m, &t, seq, err);
			break;
		default:
			break;
		}
		/* A definition may be repeated, but not with another name: then the number or the name in one of the two is damaged. */
		if (m->known.renamed && at != renamed_at)
			tt_loss_add(&m->loss, TT_LOST_DEFINITIONS, 1, 0, renamed_at = at);
		m->known.renamed = false;
	}
	return rc;
}

int
raw_heed_own(struct raw *m, uint64_t id, const uint8_t *p, size_t n, uint64_t at, struct tt_err *err)
{
	struct raw_session *s = &m->session[m->now];
	const size_t head = s->layout.aligned ? 4 : 2;
	size_t size;

	if (n < head + 8 || unity_u16(p) != RAW_THREAD || unity_u64(p + head) != id || raw_measure(&s->layout, p, n, &size) != RAW_WHOLE)
		return TT_OK;
	struct raw_take t = { .p = p + head, .end = p + size, .from = p, .l = &s->layout };
	return heed_thread(m, s, &t, at, err);
}

/* Take in categories first, because markers may precede their categories. */
int
raw_heed(struct raw *m, uint32_t session, struct raw_walk *w, uint64_t seq, struct tt_err *err)
{
	struct raw_walk again = *w;
	const int rc = heed_all(m, session, &again, true, seq, err);

	return rc == TT_OK ? heed_all(m, session, w, false, seq, err) : rc;
}
