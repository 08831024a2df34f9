/**
 * Finds captures that occur more than once, by content.
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
 * The identity of a capture, independent of its name and compression: a hash of the recording, file and number of events; without a number of the recording,
 * of its identity or, in results of earlier versions, its bytes; 0: the result has no figures. The duration is not part of it: in a capture that is read in
 * order, because it is compressed, the rate of the clock is known less exactly.
 */
static uint64_t
content_of(const struct tt_result *r)
{
	const char *recording = json_string_value(json_object_get(r->doc, "recording"));
	const char *identity = json_string_value(json_object_get(r->doc, "identity")), *is = recording ? recording : identity ? identity : r->hash;
	const int64_t v[2] = { recording ? number(r, "file") : identity ? 0 : (int64_t)r->size, number(r, "events") };
	struct tt_hash h;

	if (strcmp(r->type, "capture") != 0 || strcmp(r->outcome, "failed") == 0 || !is[0])
		return 0;
	tt_hash_init(&h);
	tt_hash_add(&h, is, strlen(is));
	tt_hash_add(&h, v, sizeof v);
	return tt_hash_value(&h) | 1;
}

/* --- parts of others -------------------------------------------------------------- */

/* How far the times of two readings may differ: in input that is read in order, the rate of the clock is known less exactly. */
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
	unsigned long long file, events, last = 0;
	long long from, duration;
	char text[256], recording[40];
	struct tt_copies_span *s;
	size_t left = p ? n - (size_t)(p - line) : 0;

	if (!p)
		return TT_OK;
	left = left < sizeof text - 1 ? left : sizeof text - 1;
	memcpy(text, p, left);
	text[left] = '\0';
	if (sscanf(text, "\"recording\":\"%39[0-9a-f]\",\"file\":%llu,\"begin_ns\":%lld,\"duration_ns\":%lld,\"events\":%llu,\"file_last\":%llu", recording,
	    &file, &from, &duration, &events, &last) < 5)
		return TT_OK;
	if (tt_mem_grow(mem, &c->span, &c->capspan, c->nspan + 1, sizeof *c->span, err) != TT_OK)
		return err->code;
	s = &c->span[c->nspan++];
	*s = (struct tt_copies_span){ .recording = tt_hash_bytes(recording, strlen(recording)), .events = events, .from = from,
		.to = from + duration, .file = (uint32_t)file, .file_last = (uint32_t)(last > file ? last : file) };
	return TT_OK;
}

static int
by_file(const void *a, const void *b)
{
	const struct tt_copies_span *x = a, *y = b;

	return x->recording != y->recording ? TT_CMP(x->recording, y->recording) : x->file != y->file ? TT_CMP(x->file, y->file) :
	    TT_CMP(y->file_last, x->file_last);
}

/* Note which files of recordings are missing between captures, and which are in two captures. */
static void
follow(struct tt_copies *c)
{
	struct tt_copies_span *far = NULL;      /* the capture so far that has the recording's last file */

	for (size_t i = 0; i < c->nspan; i++) {
		struct tt_copies_span *s = &c->span[i];

		if (!far || far->recording != s->recording) {
			far = s;
			s->before = s->file;
			continue;
		}
		if (s->file > far->file_last)
			s->missing = s->file - far->file_last - 1;
		else if (s->file > far->file && s->file_last > far->file_last)
			s->overlaps = far->overlaps = true;
		if (s->file_last > far->file_last)
			far = s;
	}
}

/* True if ${s} reaches at least to the time ${to} in file ${last}. */
static bool
reaches(const struct tt_copies_span *s, uint32_t last, int64_t to)
{
	return s->file_last > last || (s->file_last == last && s->to >= to);
}

/* Sort the spans, and note for each which earlier ones may hold it. */
static void
settle(struct tt_copies *c)
{
	tt_sort(c->span, c->nspan, by_file);
	follow(c);
	for (uint32_t i = 0; i < c->nspan; i++) {
		struct tt_copies_span *s = &c->span[i];

		s->latest = s->largest = i;
		if (i == 0 || s[-1].recording != s->recording)
			continue;
		if (reaches(&c->span[s[-1].latest], s->file_last, s->to))
			s->latest = s[-1].latest;
		if (c->span[s[-1].largest].events >= s->events)
			s->largest = s[-1].largest;
	}
	c->ready = true;
}

/* True if another capture of the recording has all of this one's files and time, and more events. */
static bool
is_held(struct tt_copies *c, const struct tt_result *r)
{
	const char *recording = json_string_value(json_object_get(r->doc, "recording"));
	const int64_t from = number(r, "begin_ns"), to = from + number(r, "duration_ns"), more = slack(to);
	const uint64_t hash = recording ? tt_hash_bytes(recording, strlen(recording)) : 0,
	    file = (uint64_t)number(r, "file"), last = (uint64_t)number(r, "file_last");
	size_t end;

	if (!recording || !json_object_get(r->doc, "begin_ns"))
		return false;
	end = tt_lower_bound(i, 0, c->nspan, c->span[i].recording < hash || (c->span[i].recording == hash && c->span[i].file <= file));
	if (end == 0 || c->span[end - 1].recording != hash)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		const struct tt_copies_span *s = &c->span[k ? c->span[end - 1].largest : c->span[end - 1].latest];

		if (s->from <= from + more && s->to + more >= to && s->file_last >= (last > file ? last : file) && s->events > (uint64_t)number(r, "events"))
			return true;
	}
	return false;
}

/* Find the capture's place in its recording, from the spans of all. */
static void
note_place(const struct tt_copies *c, struct tt_result *r)
{
	const char *recording = json_string_value(json_object_get(r->doc, "recording"));
	const uint32_t file = (uint32_t)number(r, "file"), last = (uint32_t)number(r, "file_last");
	const struct tt_copies_span at = { .recording = recording ? tt_hash_bytes(recording, strlen(recording)) : 0, .file = file,
		.file_last = last > file ? last : file };
	size_t i;

	if (!recording)
		return;
	i = tt_lower_bound(k, 0, c->nspan, by_file(&c->span[k], &at) < 0);
	if (i == c->nspan || by_file(&c->span[i], &at) != 0)
		return;
	r->missing = c->span[i].missing;
	r->before = c->span[i].before;
	r->overlaps = c->span[i].overlaps;
}

int
tt_copies_note(struct tt_copies *c, struct tt_mem *mem, struct tt_result *r, struct tt_err *err)
{
	const uint64_t h = content_of(r), hash = tt_seeded_mix(0, h);

	if (!c->ready)
		settle(c);
	r->copy = h && tt_map_find(&c->at, hash, i, c->seen[i] == h);
	r->held = h && !r->copy && is_held(c, r);
	if (!h || r->copy)
		return TT_OK;
	if (!r->held)
		note_place(c, r);
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
