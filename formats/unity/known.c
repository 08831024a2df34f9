/**
 * Keeps the definitions that decoding needs: markers that are more than zones, names of categories, addresses of code.
 *
 * The reader's next() adds to it on one thread, in the order of the file; decoders read it.
 *
 * Code is kept in sorted runs whose lengths are the powers of two that add up to the number of entries, the longest first: 13 entries are runs of 8, 4 and 1.
 * Adding and finding are fast for any number and order.
 */
#include "unity/profiler.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/order.h"

/* --- sets ---------------------------------------------------------------------------------------------- */

static const struct unity_known_row *
get(const struct unity_set *s, uint64_t key)
{
	const uint32_t at = tt_map_find(&s->at, tt_seeded_mix(0, key), i, s->v[i].key == key);

	return at ? &s->v[at - 1] : NULL;
}

/* Set the value of a key; a key that is known keeps its earlier time. */
static int
put(struct tt_mem *mem, struct unity_set *s, uint64_t key, uint32_t value, uint64_t since, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_mix(0, key);
	uint32_t at = tt_map_find(&s->at, hash, i, s->v[i].key == key);

	if (!at) {
		if (tt_map_push(&s->at, mem, hash, &s->v, &s->cap, s->n, err) != TT_OK)
			return err->code;
		s->v[s->n] = (struct unity_known_row){ .key = key, .since = since };
		at = (uint32_t)++s->n;
	}
	struct unity_known_row *x = &s->v[at - 1];
	x->value = value;
	x->since = x->since < since ? x->since : since;
	return TT_OK;
}

static void
free_set(struct tt_mem *mem, struct unity_set *s)
{
	tt_mem_free(mem, s->v, s->cap * sizeof *s->v);
	tt_map_free(&s->at, mem);
}

static uint64_t
name_key(uint32_t session, uint64_t name)
{
	return name ^ (uint64_t)session << 48;
}

uint32_t
unity_marker_named(const struct unity_known *k, uint32_t session, uint64_t name)
{
	const struct unity_known_row *x = get(&k->name, name_key(session, name));

	return x ? x->value : UNITY_NO_MARKER;
}

/* Separates hashes of longer names from those of names. */
#define LONGER UINT64_C(0x9E3779B97F4A7C15)

int
unity_know_longer(struct unity_known *k, uint32_t session, uint32_t id, const uint8_t *name, size_t n, uint64_t seq, struct tt_err *err)
{
	return put(k->mem, &k->name, name_key(session, tt_seeded_text(0, (const char *)name, n) ^ LONGER), id, seq, err);
}

uint32_t
unity_marker_longer(const struct unity_known *k, uint32_t session, uint64_t name)
{
	return unity_marker_named(k, session, name ^ LONGER);
}

static bool
holds(const struct unity_known *k, uint64_t since, uint64_t seq)
{
	return k->complete || since <= seq;
}

bool
unity_is_counter(const struct unity_known *k, uint32_t session, uint32_t id, uint64_t seq, uint32_t *counter)
{
	const struct unity_known_row *x = get(&k->counter, (uint64_t)session << 32 | id);

	if (!x || !x->value || !holds(k, x->since, seq))
		return false;
	*counter = x->value - 1;
	return true;
}

static uint64_t
counter_of_key(uint32_t which, uint64_t what)
{
	return ~tt_seeded_pair(which, what);
}

uint32_t
unity_counter_like(const struct unity_known *k, uint64_t what, uint64_t seq, uint32_t key)
{
	const struct unity_known_row *x = get(&k->counter_of, counter_of_key(0, what));

	return x && holds(k, x->since, seq) ? x->value : key;
}

const char *
unity_category_name(const struct unity_known *k, uint32_t session, unsigned id, uint64_t seq, const char *categories)
{
	const struct unity_known_row *x = get(&k->category, UNITY_KEY_CATEGORY(session, id));
	const char *name = x && holds(k, x->since, seq) ? k->text[x->value] : unity_category(id, categories);

	return name ? name : "";
}

/* --- code ------------------------------------------------------------------------------------------------ */

static int
by_start(const void *a, const void *b)
{
	const struct unity_code *x = a, *y = b;

	if (x->start != y->start)
		return (x->start > y->start) - (x->start < y->start);
	return (x->number > y->number) - (x->number < y->number);
}

static int
add_code(struct unity_known *k, uint64_t start, uint64_t size, uint64_t seq, struct tt_err *err)
{
	int rc;

	if (k->complete || size == 0)
		return TT_OK;
	if ((rc = tt_mem_grow(k->mem, &k->code, &k->capcode, k->ncode + 1, sizeof *k->code, err)) != TT_OK)
		return rc;
	k->code[k->ncode] = (struct unity_code){ start, start + size, seq, k->ncode };
	k->ncode++;
	size_t run = k->ncode & -k->ncode;
	tt_sort(k->code + k->ncode - run, run, by_start);
	return TT_OK;
}

/* Return the last entry of a run that begins at or before ${address}; the first, if several begin at the same address; or NULL. */
static const struct unity_code *
in_run(const struct unity_code *c, size_t n, uint64_t address)
{
	const size_t end = tt_lower_bound(i, 0, n, c[i].start <= address);

	return end ? &c[tt_lower_bound(i, 0, end - 1, c[i].start < c[end - 1].start)] : NULL;
}

const struct unity_code *
unity_code_at(const struct unity_known *k, uint64_t address, uint64_t seq)
{
	const struct unity_code *found = NULL;
	size_t at = 0, run;

	for (size_t left = k->ncode; left > 0; left -= run) {
		run = (size_t)1 << (63 - __builtin_clzll(left));
		const struct unity_code *c = in_run(k->code + at, run, address);
		if (c && address < c->end && holds(k, c->since, seq) && (!found || c->number < found->number))
			found = c;
		at += run;
	}
	return found;
}

/* --- definitions --------------------------------------------------------------------------------------------- */

enum { NAME_MAX_BYTES = 512 };                /* longer names never belong to threads or special markers */
/* Numbers are dense from 0 on: most recordings have fewer than MIN_IDS markers, and all have fewer than MAX_IDS; but a damaged number may be anything. */
enum { MIN_IDS = 1 << 13, MAX_IDS = 1 << 20 };

static void
set_role(struct unity_markers *s, const char *name, uint32_t id)
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

/*
 * Find *${counter}, the key of the counter ${id} of ${session}: that of a counter of an earlier session with the same identity ${what}, else a new one. If
 * several counters of a session share an identity, the second one matches the second one of other sessions.
 */
static int
counter_key(struct unity_known *k, uint32_t session, uint32_t id, uint64_t what, uint32_t stats, uint64_t seq, uint32_t *counter, struct tt_err *err)
{
	const struct unity_known_row *twins = get(&k->counter_of, name_key(session, what));
	const uint32_t ntwins = twins ? twins->value : 0;
	const uint64_t which = counter_of_key(ntwins, what);
	const struct unity_known_row *first = get(&k->counter_of, which);
	int rc;

	/* An earlier log may have the counter's values in the statistics array. */
	*counter = first ? first->value : stats && session && !ntwins ? stats : session || id >= UNITY_COUNTER_LATER ? UNITY_COUNTER_LATER + k->nlater++ : id;
	rc = first ? TT_OK : put(k->mem, &k->counter_of, which, *counter, seq, err);
	return rc == TT_OK ? put(k->mem, &k->counter_of, name_key(session, what), ntwins + 1, seq, err) : rc;
}

/* Note in ${of} that ${id} is defined with the name of hash ${hash}; set k->renamed if it had another name. */
static int
note_name(struct unity_known *k, struct unity_id_names *of, uint32_t id, uint64_t hash, struct tt_err *err)
{
	const uint32_t name = (uint32_t)(hash >> 32);

	if (!k->epoch || id >= MAX_IDS)
		return TT_OK;
	if (id >= of->cap) {
		const size_t need = id < MIN_IDS ? MIN_IDS : id + (size_t)1;
		const int rc = tt_mem_grow(k->mem, &of->v, &of->cap, need, sizeof *of->v, err);
		if (rc != TT_OK)
			return rc;
	}
	struct unity_id_name *x = &of->v[id];
	k->renamed = k->renamed || (x->epoch == k->epoch && x->name != name);
	*x = (struct unity_id_name){ name, k->epoch };
	return TT_OK;
}

/*
 * True if a marker defined earlier in the same recording has the name of hash ${hash}: of several markers with the same name the first is the engine's, which
 * defines its markers before a game does.
 */
static bool
has_earlier(const struct unity_known *k, uint32_t session, uint32_t id, uint64_t hash)
{
	const struct unity_known_row *x = get(&k->name, name_key(session, hash));
	const struct unity_id_name *of = x && x->value != id && x->value < k->of_marker.cap ? &k->of_marker.v[x->value] : NULL;

	return k->epoch && of && of->epoch == k->epoch && of->name == (uint32_t)(hash >> 32);
}

int
unity_know_marker(struct unity_known *k, struct unity_markers *s, uint32_t session, uint32_t id, unsigned flags, uint64_t kind, uint32_t stats,
    const uint8_t *p, size_t n, uint64_t seq, struct tt_err *err)
{
	uint32_t own = 0;
	char name[NAME_MAX_BYTES + 1];
	const bool counter = flags & UNITY_MARKER_COUNTER;
	const uint64_t key = (uint64_t)session << 32 | id;
	int rc = TT_OK;

	const uint32_t ids = id < UNITY_NO_MARKER - UNITY_ID_SLACK ? id + UNITY_ID_SLACK : UNITY_NO_MARKER;
	s->ids = s->ids > ids ? s->ids : ids;
	if (p && n <= NAME_MAX_BYTES) {
		memcpy(name, p, n);
		name[n] = '\0';
		const uint64_t hash = tt_seeded_text(0, name, n);
		if (!has_earlier(k, session, id, hash)) {
			set_role(s, name, id);
			rc = put(k->mem, &k->name, name_key(session, hash), id, seq, err);
		}
		TT_THEN(rc, note_name(k, &k->of_marker, id, hash, err));
	}
	const struct unity_known_row *x = get(&k->counter, key);
	s->counters = s->counters || counter;
	if (rc != TT_OK || (x ? x->value != 0 : false) == counter)
		return rc;
	pthread_rwlock_wrlock(&k->lock);
	if (counter)
		rc = counter_key(k, session, id, tt_seeded_pair(kind, tt_seeded_text(0, p ? (const char *)p : "", n)), stats, seq, &own, err);
	TT_THEN(rc, put(k->mem, &k->counter, key, counter ? own + 1 : 0, seq, err));
	pthread_rwlock_unlock(&k->lock);
	return rc;
}

int
unity_know_category(struct unity_known *k, uint32_t session, unsigned id, const uint8_t *name, size_t n, uint64_t seq, struct tt_err *err)
{
	int rc;

	if (get(&k->category, UNITY_KEY_CATEGORY(session, id)))
		return TT_OK;
	const char *text = tt_arena_text(&k->arena, name ? (const char *)name : "", n, err);
	if (!text)
		return err->code;
	pthread_rwlock_wrlock(&k->lock);
	rc = tt_mem_grow(k->mem, &k->text, &k->captext, k->ntext + 1, sizeof *k->text, err);
	if (rc == TT_OK) {
		k->text[k->ntext] = text;
		rc = put(k->mem, &k->category, UNITY_KEY_CATEGORY(session, id), (uint32_t)k->ntext, seq, err);
		k->ntext++;
	}
	pthread_rwlock_unlock(&k->lock);
	return rc;
}

int
unity_note_category(struct unity_known *k, unsigned id, const uint8_t *name, size_t n, struct tt_err *err)
{
	return note_name(k, &k->of_category, id, tt_seeded_text(0, name ? (const char *)name : "", n), err);
}

int
unity_know_code(struct unity_known *k, uint64_t start, uint64_t size, uint64_t seq, struct tt_err *err)
{
	if (start > UNITY_ADDRESS)
		return TT_OK;
	pthread_rwlock_wrlock(&k->lock);
	int rc = add_code(k, start, size, seq, err);
	pthread_rwlock_unlock(&k->lock);
	return rc;
}

void
unity_known_init(struct unity_known *k, struct tt_mem *mem)
{
	k->mem = mem;
	tt_arena_init(&k->arena, mem);
	pthread_rwlock_init(&k->lock, NULL);
}

void
unity_known_free(struct unity_known *k)
{
	struct tt_mem *mem = k->mem;

	free_set(mem, &k->name);
	free_set(mem, &k->counter);
	free_set(mem, &k->counter_of);
	free_set(mem, &k->category);
	tt_mem_free(mem, k->text, k->captext * sizeof *k->text);
	tt_mem_free(mem, k->code, k->capcode * sizeof *k->code);
	tt_mem_free(mem, k->of_marker.v, k->of_marker.cap * sizeof *k->of_marker.v);
	tt_mem_free(mem, k->of_category.v, k->of_category.cap * sizeof *k->of_category.v);
	tt_arena_free(&k->arena);
	pthread_rwlock_destroy(&k->lock);
}
