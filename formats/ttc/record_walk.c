/**
 * Reads and writes states of chunks, and steps through records: for the writer, which splits chunks into parts, and for the reader, which checks those of a
 * ring.
 */
#include "ttc/layout.h"

size_t
ttc_state_put(uint8_t *p, uint64_t key, uint64_t alloc_key, uint32_t depth, uint32_t given,
    const uint64_t *zone, size_t stride)
{
	uint8_t *at = ttc_put(p, key);
	uint64_t last = 0;

	at = ttc_put(at, alloc_key);
	at = ttc_put(at, depth);
	at = ttc_put(at, given);
	for (uint32_t i = 0; i < given; i++) {
		uint64_t k;
		memcpy(&k, (const uint8_t *)zone + i * stride, sizeof k);
		at = ttc_put(at, ttc_zig(k - last));
		last = k;
	}
	return (size_t)(at - p);
}

size_t
ttc_walk_state(struct ttc_walk *w, const struct ttc_chunk *h, const uint8_t *p, size_t n)
{
	const uint8_t *at = p, *end = p + n;
	uint64_t depth, given, z, last = 0;

	w->ticks = h->ticks;
	w->events = 0;
	if (!(at = ttc_get(at, end, &w->key)) || !(at = ttc_get(at, end, &w->alloc_key)) ||
	    !(at = ttc_get(at, end, &depth)) || !(at = ttc_get(at, end, &given)) || given > depth ||
	    given > TTC_STACK || depth > UINT32_MAX)
		return 0;
	for (uint64_t i = 0; i < given; i++) {
		if (!(at = ttc_get(at, end, &z)))
			return 0;
		last += ttc_zag(z);
		if (i < w->max)
			w->zone[i] = last;
	}
	w->depth = (uint32_t)depth;
	return (size_t)(at - p);
}

static void
walk_push(struct ttc_walk *w)
{
	if (w->depth < w->max)
		w->zone[w->depth] = w->key;
	w->depth++;
}

static void
walk_pop(struct ttc_walk *w, uint64_t n)
{
	w->depth = n < w->depth ? w->depth - (uint32_t)n : 0;
}

static void
walk_other(struct ttc_walk *w, unsigned kind, const uint8_t *p, const uint8_t *end)
{
	bool good = true;
	uint64_t v;

	if (ttc_carries_key(kind)) {
		good = ttc_get(p, end, &v) != NULL;
		w->key += good ? ttc_zag(v) : 0;
	}
	switch (kind) {
	case TTC_BEGIN_ARGS: case TTC_BEGIN_FLAGS:
		if (good)
			walk_push(w);
		break;
	case TTC_END_KEY:
		if (good)
			walk_pop(w, 1);
		break;
	case TTC_ALLOC_ARGS:
		if (ttc_get(p, end, &v))
			w->alloc_key += ttc_zag(v);
		break;
	case TTC_END_FLAGS:
		walk_pop(w, 1);
		break;
	case TTC_END_BELOW:
		if (ttc_get(p, end, &v))
			walk_pop(w, v < UINT32_MAX ? v + 1 : v);
		break;
	case TTC_RESET:
		w->depth = 0;
		break;
	default:
		break;
	}
	w->events += kind != TTC_THREAD_END && kind != TTC_RESET;
}

size_t
ttc_walk(struct ttc_walk *w, const uint8_t *p, size_t n)
{
	const uint8_t *from = p, *end = p + n, *at;
	uint64_t t, v, bytes;

	while (p < end) {
		if (!(at = ttc_get(p, end, &t)))
			break;
		switch (t & 3) {
		case TTC_BEGIN:
			if (!(at = ttc_get(at, end, &v)))
				return (size_t)(p - from);
			w->key += ttc_zag(v);
			walk_push(w);
			w->events++;
			break;
		case TTC_END:
			walk_pop(w, 1);
			w->events++;
			break;
		case TTC_ALLOC:
			if (!(at = ttc_get(at, end, &v)) || !(at = ttc_get(at, end, &bytes)))
				return (size_t)(p - from);
			w->alloc_key += ttc_zag(v);
			w->events++;
			break;
		default: {
			unsigned kind;
			if (at == end)
				return (size_t)(p - from);
			kind = *at++;
			if (!(at = ttc_get(at, end, &v)) || v > (uint64_t)(end - at))
				return (size_t)(p - from);
			walk_other(w, kind, at, at + v);
			at += v;
			break;
		}
		}
		w->ticks += t >> 2;
		p = at;
	}
	return (size_t)(p - from);
}
