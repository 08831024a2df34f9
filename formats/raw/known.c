/**
 * What definitions mean for decoding: which markers are more than zones, which threads have frames, whose code is where.
 *
 * Filled by next, one thread, in the order of the file; read by decode.
 *
 * Code lies in sorted runs, each as long as one of the powers of two that their number is the sum of, the longest first: of 13 the
 * first 8, then 4, then 1. So neither many of them nor any order of them makes adding or finding one slow.
 */
#include "raw/raw.h"

#include <stdlib.h>

#include "base/hash_seed.h"
#include "producers/unity.h"

/* --- sets ---------------------------------------------------------------------------------------------- */

static struct raw_slot *
slot_of(const struct raw_set *s, uint64_t key)
{
	size_t i = tt_slot(key, s->nslot);

	while (s->slot[i].used && s->slot[i].key != key)
		i = (i + 1) & (s->nslot - 1);
	return &s->slot[i];
}

static const struct raw_slot *
get(const struct raw_set *s, uint64_t key)
{
	const struct raw_slot *x = s->nslot ? slot_of(s, key) : NULL;

	return x && x->used ? x : NULL;
}

static int
put(struct tt_mem *mem, struct raw_set *s, uint64_t key, uint32_t value, uint64_t since, struct tt_err *err)
{
	if (s->n * 2 >= s->nslot) {
		struct raw_set bigger = { .n = s->n, .nslot = s->nslot ? s->nslot * 2 : 64 };
		if (!(bigger.slot = tt_mem_alloc(mem, bigger.nslot * sizeof *bigger.slot, err)))
			return err->code;
		for (size_t i = 0; i < s->nslot; i++)
			if (s->slot[i].used)
				*slot_of(&bigger, s->slot[i].key) = s->slot[i];
		tt_mem_free(mem, s->slot, s->nslot * sizeof *s->slot);
		*s = bigger;
	}
	struct raw_slot *x = slot_of(s, key);
	s->n += !x->used;
	*x = (struct raw_slot){ .key = key, .since = x->used && x->since < since ? x->since : since, .value = value, .used = true };
	return TT_OK;
}

static uint64_t
name_key(uint32_t session, uint64_t name)
{
	return name ^ (uint64_t)session << 48;
}

uint32_t
raw_marker_named(const struct raw *m, uint32_t session, uint64_t name)
{
	const struct raw_slot *x = get(&m->known.name, name_key(session, name));

	return x ? x->value : RAW_NONE;
}

static bool
holds(const struct raw *m, uint64_t since, uint64_t seq)
{
	return m->known.complete || since <= seq;
}

bool
raw_is_counter(const struct raw *m, uint32_t session, uint32_t id, uint64_t seq)
{
	const struct raw_slot *x = get(&m->known.counter, (uint64_t)session << 32 | id);

	return x && x->value && holds(m, x->since, seq);
}

const char *
raw_category_name(const struct raw *m, uint32_t session, unsigned id, uint64_t seq)
{
	const struct raw_slot *x = get(&m->known.category, RAW_KEY_CATEGORY(session, id));

	return x && holds(m, x->since, seq) ? m->known.text[x->value] : NULL;
}

/* --- code ------------------------------------------------------------------------------------------------ */

static int
by_start(const void *a, const void *b)
{
	const struct raw_code *x = a, *y = b;

	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return (x->number > y->number) - (x->number < y->number);
}

static int
add_code(struct raw *m, uint64_t start, uint64_t size, uint64_t seq, struct tt_err *err)
{
	struct raw_known *k = &m->known;
	int rc;

	if (k->complete || size == 0)
		return TT_OK;
	if ((rc = tt_mem_grow(&m->env->mem, &k->code, &k->capcode, k->ncode + 1, sizeof *k->code, err)) != TT_OK)
		return rc;
	k->code[k->ncode] = (struct raw_code){ start, start + size, seq, k->ncode };
	k->ncode++;
	size_t run = k->ncode & -k->ncode;
	if (run > 1)
		qsort(k->code + k->ncode - run, run, sizeof *k->code, by_start);
	return TT_OK;
}

/* The last one of a run that begins at or before ${address}, of those that begin there the first; NULL. */
static const struct raw_code *
in_run(const struct raw_code *c, size_t n, uint64_t address)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	uint64_t start = c[lo - 1].start;
	for (hi = lo - 1, lo = 0; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (c[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &c[lo];
}

const struct raw_code *
raw_code_at(const struct raw *m, uint64_t address, uint64_t seq)
{
	const struct raw_known *k = &m->known;
	const struct raw_code *found = NULL;
	size_t at = 0, run;

	for (size_t left = k->ncode; left > 0; left -= run) {
		run = (size_t)1 << (63 - __builtin_clzll(left));
		const struct raw_code *c = in_run(k->code + at, run, address);
		if (c && address < c->end && holds(m, c->since, seq) && (!found || c->number < found->number))
			found = c;
		at += run;
	}
	return found;
}

/* --- definitions --------------------------------------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 512 };                /* longer names are never those of threads or special markers */

static void
set_role(struct raw_session *s, const char *name, uint32_t id)
{
	switch (unity_role(name)) {
	case UNITY_ALLOC:
		s->alloc = id;
		break;
	case UNITY_COLLECT:
		s->collect = id;
		break;
	case UNITY_LABEL:
		s->label[strcmp(name, "Profiler.Default") != 0] = id;
		break;
	default:
		break;
	}
}

static int
heed_marker(struct raw *m, struct raw_session *s, struct raw_take *t, uint64_t seq, struct tt_err *err)
{
	char name[NAME_MAX_BYTES + 1];
	uint32_t id = raw_take32(t), flags = raw_take16(t), n;
	int rc = TT_OK;

	raw_take16(t);
	const uint8_t *p = raw_take_name(t, &n);
	if (t->state != RAW_WHOLE)
		return TT_OK;
	if (id < UINT32_MAX - RAW_ID_SLACK && id + RAW_ID_SLACK > s->ids)
		s->ids = id + RAW_ID_SLACK;
	if (p && n <= NAME_MAX_BYTES) {
		memcpy(name, p, n);
		name[n] = '\0';
		set_role(s, name, id);
		rc = put(&m->env->mem, &m->known.name, name_key(s->number, tt_slot_text(0, name, n)), id, seq, err);
	}
	bool counter = flags & RAW_MARKER_COUNTER;
	uint64_t key = (uint64_t)s->number << 32 | id;
	const struct raw_slot *x = get(&m->known.counter, key);
	s->counters = s->counters || counter;
	if (rc != TT_OK || (x ? x->value != 0 : false) == counter)
		return rc;
	pthread_rwlock_wrlock(&m->known.lock);
	rc = put(&m->env->mem, &m->known.counter, key, counter, seq, err);
	pthread_rwlock_unlock(&m->known.lock);
	return rc;
}

static int
heed_thread(struct raw *m, const struct raw_session *s, struct raw_take *t, struct tt_err *err)
{
	char name[2 * NAME_MAX_BYTES + 2];
	uint64_t id = raw_take64(t), start = s->layout.rank >= 3 ? raw_take64(t) : 0;
	uint32_t flags = raw_take32(t), ngroup, n;
	const uint8_t *group = raw_take_name(t, &ngroup), *p = raw_take_name(t, &n);
	size_t len = 0;

	if (t->state != RAW_WHOLE || ngroup > NAME_MAX_BYTES || n > NAME_MAX_BYTES || id == RAW_SESSION)
		return TT_OK;
	struct raw_stream *st = raw_stream(m, id, err);
	if (!st)
		return err->code;
	if (ngroup) {
		memcpy(name, group, ngroup);
		name[ngroup] = '.';
		len = ngroup + 1;
	}
	memcpy(name + len, p ? (const char *)p : "", n);
	uint64_t hash = tt_slot_text(0, name, len + n);
	if (st->met && st->name != hash && start)
		st->again = (uint64_t)raw_ns(s, start);
	st->named = st->met = true;
	st->bound = !(flags & RAW_THREAD_NO_FRAMES);
	st->name = hash;
	return TT_OK;
}

static int
heed_category(struct raw *m, const struct raw_session *s, struct raw_take *t, uint64_t seq, struct tt_err *err)
{
	struct raw_known *k = &m->known;
	uint32_t id = raw_take16(t), n;
	int rc;

	raw_take16(t);
	raw_take16(t);
	raw_take_category_pad(t);
	const uint8_t *p = raw_take_name(t, &n);
	if (t->state != RAW_WHOLE || get(&k->category, RAW_KEY_CATEGORY(s->number, id)))
		return TT_OK;
	const char *text = tt_arena_text(&m->arena, p ? (const char *)p : "", n, err);
	if (!text)
		return err->code;
	pthread_rwlock_wrlock(&k->lock);
	rc = tt_mem_grow(&m->env->mem, &k->text, &k->captext, k->ntext + 1, sizeof *k->text, err);
	if (rc == TT_OK) {
		k->text[k->ntext] = text;
		rc = put(&m->env->mem, &k->category, RAW_KEY_CATEGORY(s->number, id), (uint32_t)k->ntext, seq, err);
		k->ntext++;
	}
	pthread_rwlock_unlock(&k->lock);
	return rc;
}

static int
heed_code(struct raw *m, struct raw_take *t, uint64_t seq, struct tt_err *err)
{
	raw_take64(t);
	uint64_t start = raw_take64(t), size = raw_take32(t);
	int rc;

	if (t->state != RAW_WHOLE || start > RAW_ADDRESS)
		return TT_OK;
	pthread_rwlock_wrlock(&m->known.lock);
	rc = add_code(m, start, size, seq, err);
	pthread_rwlock_unlock(&m->known.lock);
	return rc;
}

int
raw_heed(struct raw *m, uint32_t session, struct raw_walk *w, uint64_t seq, struct tt_err *err)
{
	enum raw_step step;
	int rc = TT_OK;

	while (rc == TT_OK && ((step = raw_walk_next(w)) == RAW_MESSAGE || step == RAW_DROPPED)) {
		struct raw_session *s = &m->session[session];
		if (step == RAW_DROPPED)
			continue;
		struct raw_take t = { .p = w->p, .end = w->p + w->size, .from = w->p, .l = &s->layout };
		unsigned type = raw_take16(&t);
		raw_pad(&t);
		w->p += w->size;
		switch (type) {
		case RAW_STATE:
			m->any_state = true;
			m->enabled = raw_take32(&t) & 1;
			break;
		case RAW_MARKER:
			rc = heed_marker(m, s, &t, seq, err);
			break;
		case RAW_THREAD:
			rc = heed_thread(m, s, &t, err);
			break;
		case RAW_CATEGORY:
			rc = heed_category(m, s, &t, seq, err);
			break;
		case RAW_JIT:
			rc = heed_code(m, &t, seq, err);
			break;
		default:
			break;
		}
	}
	return rc;
}

void
raw_known_free(struct raw *m)
{
	struct raw_known *k = &m->known;
	struct tt_mem *mem = &m->env->mem;

	tt_mem_free(mem, k->name.slot, k->name.nslot * sizeof *k->name.slot);
	tt_mem_free(mem, k->counter.slot, k->counter.nslot * sizeof *k->counter.slot);
	tt_mem_free(mem, k->category.slot, k->category.nslot * sizeof *k->category.slot);
	tt_mem_free(mem, k->text, k->captext * sizeof *k->text);
	tt_mem_free(mem, k->code, k->capcode * sizeof *k->code);
	pthread_rwlock_destroy(&k->lock);
}
