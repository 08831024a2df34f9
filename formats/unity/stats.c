/**
 * Reads the statistics array, which until 2020.1 held what named counters hold since. Only fields with a known meaning and unit are read.
 *
 * The lengths of its groups differ between versions, and a list without a length follows the first group. So fields are read only if the whole array has
 * exactly the size that the version's groups need.
 */
#include <string.h>

#include "base/hash_seed.h"
#include "unity/profiler.h"

/* Numbers of fields in the groups after the list of classes; 16 belong to the platform. */
enum { DRAW = 51, PLATFORM = 16, MEMORY = 33 };

/* Numbers of fields after the list and the platform's, in each version; the fields that are read have the same place in all. */
static const uint16_t rest[] = { 247, 244, 246, 258, 265 };

struct field {
	const char *name, *section;
	uint8_t place;                /* place in its group */
	bool draw;                    /* true: in the group after the list; false: in the first group */
	uint16_t times;
	uint8_t unit;                 /* enum tt_counter_unit */
};

/* Sizes of textures and buffers are left out, because sources disagree on their units. */
static const struct field fields[] = {
	{ "Total Used Memory", "Memory", 0, false, 1024, TT_CU_BYTES },
	{ "GC Used Memory", "Memory", 2, false, 1024, TT_CU_BYTES },
	{ "Gfx Used Memory", "Memory", 3, false, 1024, TT_CU_BYTES },
	{ "Audio Used Memory", "Memory", 4, false, 1024, TT_CU_BYTES },
	{ "Video Used Memory", "Memory", 5, false, 1024, TT_CU_BYTES },
	{ "Profiler Used Memory", "Memory", 6, false, 1024, TT_CU_BYTES },
	{ "Total Reserved Memory", "Memory", 7, false, 1024, TT_CU_BYTES },
	{ "GC Reserved Memory", "Memory", 9, false, 1024, TT_CU_BYTES },
	{ "Gfx Reserved Memory", "Memory", 10, false, 1024, TT_CU_BYTES },
	{ "Audio Reserved Memory", "Memory", 11, false, 1024, TT_CU_BYTES },
	{ "Video Reserved Memory", "Memory", 12, false, 1024, TT_CU_BYTES },
	{ "Profiler Reserved Memory", "Memory", 13, false, 1024, TT_CU_BYTES },
	{ "Texture Count", "Memory", 15, false, 1, TT_CU_COUNT },
	{ "Mesh Count", "Memory", 17, false, 1, TT_CU_COUNT },
	{ "Material Count", "Memory", 19, false, 1, TT_CU_COUNT },
	{ "AnimationClip Count", "Memory", 21, false, 1, TT_CU_COUNT },
	{ "AudioClip Count", "Memory", 23, false, 1, TT_CU_COUNT },
	{ "Asset Count", "Memory", 25, false, 1, TT_CU_COUNT },
	{ "Scene Object Count", "Memory", 26, false, 1, TT_CU_COUNT },
	{ "Game Object Count", "Memory", 27, false, 1, TT_CU_COUNT },
	{ "Object Count", "Memory", 28, false, 1, TT_CU_COUNT },
	{ "GC Allocation In Frame Count", "Memory", 31, false, 1, TT_CU_COUNT },
	{ "SetPass Calls Count", "Render", 0, true, 1, TT_CU_COUNT },
	{ "Batches Count", "Render", 1, true, 1, TT_CU_COUNT },
	{ "Draw Calls Count", "Render", 2, true, 1, TT_CU_COUNT },
	{ "Shadow Casters Count", "Render", 18, true, 1, TT_CU_COUNT },
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* Return the end of the list of classes that begins at ${at}, after the -1 that ends it; 0: it has no end. */
static size_t
list_end(const uint8_t *p, size_t n, size_t at)
{
	for (at++; at < n; at += 2)
		if (unity_u32(p + 4 * at) == UINT32_MAX)
			return at + 1;
	return 0;
}

/* Return the identity that unity_know_marker() gives to such a counter. */
static uint64_t
identity_of(const struct field *f)
{
	return tt_seeded_pair(tt_seeded_pair(f->unit, tt_seeded_text(0, f->section, strlen(f->section))), tt_seeded_text(0, f->name, strlen(f->name)));
}

uint32_t
unity_stats_counter(uint64_t kind, const char *name, size_t n)
{
	const uint64_t what = tt_seeded_pair(kind, tt_seeded_text(0, name, n));

	for (unsigned i = 0; i < FIELDS; i++)
		if (identity_of(&fields[i]) == what)
			return UNITY_COUNTER_STATS | i;
	return 0;
}

static int
put(struct unity_run *r, int64_t ts, const struct field *f, unsigned i, const uint8_t *p)
{
	uint32_t key = UNITY_COUNTER_STATS | i;
	int rc;

	/* An earlier log may have counters. */
	if (r->session) {
		unity_lock(r);
		key = unity_counter_like(r->known, identity_of(f), r->seq, key);
	}
	rc = unity_counter_event(r, ts, key, TT_T_I64, (uint64_t)((int64_t)(int32_t)unity_u32(p) * f->times));
	return rc != TT_OK || r->stats ? rc : unity_define_counter(r, key, (enum tt_counter_unit)f->unit, f->name, strlen(f->name), f->section);
}

/* True if some version has ${n} numbers after the list and the platform's. */
static bool
is_rest(size_t n)
{
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		if (rest[i] == n)
			return true;
	return false;
}

int
unity_stats(struct unity_run *r, int64_t ts, bool stale, const uint8_t *p, size_t n)
{
	size_t draw;
	int rc = TT_OK;

	/* From 2020.2 on, counters have the values, and this array has stale ones. */
	if (stale || n <= MEMORY)
		return TT_OK;
	draw = list_end(p, n, MEMORY) + PLATFORM;
	/* A list without an end is damage, for example a page of zeros. */
	if (draw == PLATFORM)
		tt_loss_add(&r->b->loss, TT_LOST_DAMAGED, 1, 4 * n, r->b->at);
	if (draw == PLATFORM || draw > n || !is_rest(n - draw))
		return TT_OK;
	for (unsigned i = 0; i < FIELDS && rc == TT_OK; i++)
		rc = put(r, ts, &fields[i], i, p + 4 * ((fields[i].draw ? draw : 0) + fields[i].place));
	r->stats = true;
	return rc;
}
