/**
 * Captures that are there more than once; the contract is in copies.h.
 */
#include "batch/copies.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_seed.h"
#include "base/order.h"
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

/* --- parts of others -------------------------------------------------------------- */

/* How far the times of two readings may differ: of input in order the rate of the clock is known less exactly. */
static int64_t
slack(int64_t to)
{
	return 1000 + (to > 0 ? to / 65536 : 0);
}

int
tt_copies_expect(struct tt_copies *c, struct tt_mem *mem, const char *line, size_t n, struct tt_err *err)
{
	static const char begin[] = "\"recording\":\"";
	const char *p = memmem(line, n, begin, sizeof begin - 1);
	unsigned long long file, events;
	long long from, duration;
	char text[256], recording[40];
	struct tt_copies_span *s;
	size_t left = p ? n - (size_t)(p - line) : 0;

	if (!p)
		return TT_OK;
	left = left < sizeof text - 1 ? left : sizeof text - 1;
	memcpy(text, p, left);
	text[left] = '\0';
	if (sscanf(text, "\"recording\":\"%39[0-9a-f]\",\"file\":%llu,\"begin_ns\":%lld,\"duration_ns\":%lld,\"events\":%llu", recording, &file, &from,
	    &duration, &events) != 5)
		return TT_OK;
	if (tt_mem_grow(mem, &c->span, &c->capspan, c->nspan + 1, sizeof *c->span, err) != TT_OK)
		return err->code;
	s = &c->span[c->nspan++];
	*s = (struct tt_copies_span){ .recording = tt_hash_bytes(recording, strlen(recording)), .events = events, .from = from,
		.to = from + duration, .file = (uint32_t)file };
	return TT_OK;
}

static int
by_start(const void *a, const void *b)
{
	const struct tt_copies_span *x = a, *y = b;

	return x->recording != y->recording ? TT_CMP(x->recording, y->recording) : TT_CMP(x->from, y->from);
}

/* Put spans in order, and note for each which before it may hold it. */
static void
settle(struct tt_copies *c)
{
	tt_sort(c->span, c->nspan, by_start);
	for (uint32_t i = 0; i < c->nspan; i++) {
		struct tt_copies_span *s = &c->span[i];

		s->latest = s->largest = i;
		if (i == 0 || s[-1].recording != s->recording)
			continue;
		if (c->span[s[-1].latest].to >= s->to)
			s->latest = s[-1].latest;
		if (c->span[s[-1].largest].events >= s->events)
			s->largest = s[-1].largest;
	}
	c->ready = true;
}

/* True if another capture of the recording has all of this one's time and more events. */
static bool
is_held(struct tt_copies *c, const struct tt_result *r)
{
	const char *recording = json_string_value(json_object_get(r->doc, "recording"));
	const int64_t from = number(r, "begin_ns"), to = from + number(r, "duration_ns"), more = slack(to);
	const uint64_t hash = recording ? tt_hash_bytes(recording, strlen(recording)) : 0;
	size_t end;

	if (!recording || !json_object_get(r->doc, "begin_ns"))
		return false;
	if (!c->ready)
		settle(c);
	end = tt_lower_bound(i, 0, c->nspan, c->span[i].recording < hash || (c->span[i].recording == hash && c->span[i].from <= from + more));
	if (end == 0 || c->span[end - 1].recording != hash)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		const struct tt_copies_span *s = &c->span[k ? c->span[end - 1].largest : c->span[end - 1].latest];

		if (s->to + more >= to && s->events > (uint64_t)number(r, "events") && s->file <= (uint64_t)number(r, "file"))
			return true;
	}
	return false;
}

int
tt_copies_note(struct tt_copies *c, struct tt_mem *mem, struct tt_result *r, struct tt_err *err)
{
	const uint64_t h = content_of(r), hash = tt_seeded_mix(0, h);

	r->copy = h && tt_map_find(&c->at, hash, i, c->seen[i] == h);
	r->held = h && !r->copy && is_held(c, r);
	if (!h || r->copy)
		return TT_OK;
	if (tt_map_push(&c->at, mem, hash, &c->seen, &c->cap, c->n, err) != TT_OK)
		return err->code;
	c->seen[c->n++] = h;
	return TT_OK;
}

void
tt_copies_free(struct tt_copies *c, struct tt_mem *mem)
{
	tt_mem_free(mem, c->seen, c->cap * sizeof *c->seen);
	tt_map_free(&c->at, mem);
	tt_mem_free(mem, c->span, c->capspan * sizeof *c->span);
}
