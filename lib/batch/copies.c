/**
 * Captures that are there more than once; the contract is in copies.h.
 */
#include "batch/copies.h"

#include <string.h>

#include "base/hash.h"
#include "base/hash_seed.h"
#include "batch/result.h"

static int64_t
number(const struct tt_result *r, const char *name)
{
	return json_integer_value(json_object_get(r->doc, name));
}

/*
 * What the capture is, whatever it is called: the recording and how much of it, or else its bytes; 0: it has no figures. Not its length: where a capture is
 * read in order, because it is compressed, the rate of its clock is known less exactly.
 */
static uint64_t
content_of(const struct tt_result *r)
{
	const char *recording = json_string_value(json_object_get(r->doc, "recording"));
	const int64_t v[2] = { recording ? number(r, "file") : (int64_t)r->size, number(r, "events") };
	struct tt_hash h;

	if (strcmp(r->type, "capture") != 0 || strcmp(r->outcome, "failed") == 0 || (!recording && !r->hash[0]))
		return 0;
	tt_hash_init(&h);
	tt_hash_add(&h, recording ? recording : r->hash, strlen(recording ? recording : r->hash));
	tt_hash_add(&h, v, sizeof v);
	return tt_hash_value(&h) | 1;
}

int
tt_copies_note(struct tt_copies *c, struct tt_mem *mem, const struct tt_result *r, bool *copy, struct tt_err *err)
{
	const uint64_t h = content_of(r), hash = tt_seeded_mix(0, h);

	*copy = h && tt_map_find(&c->at, hash, i, c->seen[i] == h);
	if (!h || *copy)
		return TT_OK;
	if (tt_mem_grow(mem, &c->seen, &c->cap, c->n + 1, sizeof *c->seen, err) != TT_OK || tt_map_add(&c->at, mem, hash, c->n, err) != TT_OK)
		return err->code;
	c->seen[c->n++] = h;
	return TT_OK;
}

void
tt_copies_free(struct tt_copies *c, struct tt_mem *mem)
{
	tt_mem_free(mem, c->seen, c->cap * sizeof *c->seen);
	tt_map_free(&c->at, mem);
}
