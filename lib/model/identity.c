/**
 * Computes what recording a model is, and finds copies among its inputs.
 */
#include "model/identity.h"

#include <string.h>

#include "base/hash.h"
#include "model/model.h"

static void
hash_u64(struct tt_hash *h, uint64_t v)
{
	uint8_t p[8];

	for (unsigned i = 0; i < sizeof p; i++)
		p[i] = (uint8_t)(v >> 8 * i);
	tt_hash_add(h, p, sizeof p);
}

/*
 * A number that all copies of a recording share: by the recording's own number if it has one, else by times. These count from the capture's first event, and
 * that event on the recorder's clock, because inputs that are read together may be moved against each other, and where zero is depends on whether the input
 * could be searched for its earliest event. 0: the capture has neither a number nor a duration, so it cannot be told from others.
 */
static uint64_t
capture_identity(const struct tt_model *m, const struct tt_capture *c)
{
	static const uint8_t none[sizeof c->recording];
	struct tt_hash h;

	tt_hash_init(&h);
	tt_hash_add(&h, c->format, strlen(c->format));
	tt_hash_add(&h, c->recording, sizeof c->recording);
	if (memcmp(c->recording, none, sizeof none) != 0)
		return tt_hash_value(&h);
	if (c->min_ts >= c->max_ts)
		return 0;
	hash_u64(&h, (uint64_t)c->pid);
	hash_u64(&h, (uint64_t)c->wall_ns);
	hash_u64(&h, (uint64_t)c->zero_ns + (uint64_t)c->min_ts - (uint64_t)c->offset_ns);
	hash_u64(&h, c->nevent);
	hash_u64(&h, (uint64_t)(c->max_ts - c->min_ts));
	for (size_t i = 0; i < m->threads.n; i++) {
		const struct tt_thread *t = m->threads.t[i];

		if (t->process != c->process)
			continue;
		hash_u64(&h, t->tid);
		hash_u64(&h, t->nevent);
		hash_u64(&h, (uint64_t)(t->first_ts - c->min_ts));
		hash_u64(&h, (uint64_t)(t->last_ts - c->min_ts));
	}
	return tt_hash_value(&h);
}

uint64_t
tt_model_identity(const struct tt_model *m)
{
	uint64_t all = 0;

	for (size_t i = 0; i < m->ncap; i++)
		all += capture_identity(m, m->cap[i]);
	return all;
}

int
tt_model_copies(const struct tt_model *m, struct tt_err *err)
{
	for (size_t i = 1; i < m->ncap; i++) {
		uint64_t id = capture_identity(m, m->cap[i]);

		for (size_t k = 0; k < i && id; k++)
			if (capture_identity(m, m->cap[k]) == id)
				return tt_fail(err, TT_E_USAGE, TT_NOWHERE, TT_COPIES, m->cap[k]->path, m->cap[i]->path);
	}
	return TT_OK;
}
