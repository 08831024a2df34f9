/**
 * Finds the root of a thread's frames: the marker with the thread's name. Each frame begins with its root, right after the frame's mark. So the root tells
 * when the thread's definition is damaged: the flag says that the thread has no frames, or the name differs in a single bit or is shorter than its text.
 */
#include "raw/raw.h"

#include <string.h>

#include "base/hash_seed.h"

void
raw_see_first_sample(const struct raw_session *s, struct raw_stream *st, const uint8_t *p, size_t n)
{
	enum { MAX_MESSAGES = 8 };             /* maximum number of messages before the root */
	const unsigned id = s->layout.aligned ? 8 : 3;
	size_t size;

	st->awaits_leader = false;
	for (unsigned i = 0; i < MAX_MESSAGES && raw_measure(&s->layout, p, n, &size) == RAW_WHOLE; i++, p += size, n -= size) {
		const unsigned type = unity_u16(p);
		if (!raw_is_sample(type))
			continue;
		if ((type - RAW_BEGIN) % 3 == 0)
			st->leader = unity_u32(p + id);
		return;
	}
}

/* True if the names of st->leader and the thread are equal except for bytes that one of the two lengths cuts off. */
static bool
is_shortened(const struct raw *m, const struct raw_stream *st)
{
	return (st->longer && unity_marker_named(&m->known, st->session, st->longer) == st->leader) ||
	    unity_marker_longer(&m->known, st->session, st->name) == st->leader;
}

/* True if ${st} is the header's main thread, and its frames begin with the main thread's root, however damaged the thread's name is. */
static bool
is_main_by_root(const struct raw *m, const struct raw_stream *st)
{
	return st->id == m->session[st->session].main &&
	    unity_marker_named(&m->known, st->session, tt_seeded_text(0, UNITY_MAIN_THREAD, strlen(UNITY_MAIN_THREAD))) == st->leader;
}

bool
raw_is_almost_named(const struct raw *m, const struct raw_stream *st, uint32_t *bit)
{
	char name[RAW_NAME_MAX];
	bool found = false;

	if (!st->full || st->leader == UNITY_NO_MARKER)
		return false;
	memcpy(name, st->full, st->nfull);
	for (uint32_t i = 0; i < 8 * st->nfull && !found; i++) {
		name[i / 8] = (char)(name[i / 8] ^ 1 << i % 8);
		found = unity_marker_named(&m->known, st->session, tt_seeded_text(0, name, st->nfull)) == st->leader;
		name[i / 8] = (char)(name[i / 8] ^ 1 << i % 8);
		*bit = i;
	}
	return found;
}

uint32_t
raw_root_of(const struct raw *m, struct raw_stream *st)
{
	const uint32_t root = st->named ? unity_marker_named(&m->known, st->session, st->name) : UNITY_NO_MARKER;

	if (!st->framed || st->leader == UNITY_NO_MARKER || !st->named)
		return st->bound ? root : UNITY_NO_MARKER;
	if (st->leader == root || !st->bound)
		return st->leader == root ? root : UNITY_NO_MARKER;
	if (!st->looked && st->full) {
		st->looked = true;
		st->renamed = is_main_by_root(m, st) || is_shortened(m, st) || raw_is_almost_named(m, st, &(uint32_t){ 0 });
	}
	return st->renamed ? st->leader : root;
}
