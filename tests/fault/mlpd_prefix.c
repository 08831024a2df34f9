/*
 * Captures cut at every byte: nothing crashes, what is read never shrinks as the file grows, and the report says
 * that something is missing unless the file ends where a buffer does.
 */
#include "check.h"

#include "memrun.h"
#include "mlpd_sample.h"

struct cuts {
	const uint8_t *p;
	size_t n;
	struct memchunk *chunk;
	size_t nchunk;
	uint64_t last_events;
	uint64_t thread_events[64];
	char name[64];
};

/* Does a file of ${k} bytes end between two buffers? */
static bool
at_edge(const struct cuts *c, size_t k)
{
	for (size_t i = 0; i < c->nchunk; i++)
		if (c->chunk[i].at == k || c->chunk[i].at + c->chunk[i].len == k)
			return true;
	return false;
}

static bool
fail(const struct cuts *c, size_t k, const char *what, const struct memrun *r)
{
	printf("%s, %zu of %zu bytes: %s (status %d: %s)\n", c->name, k, c->n, what, r->rc, r->err.msg);
	return false;
}

/* Every thread has at least the events it had in the shorter file. */
static bool
threads_grow(struct cuts *c, const struct tt_threads *ts)
{
	for (size_t i = 0; i < ts->n && i < 64; i++) {
		if (ts->t[i]->nevent < c->thread_events[i])
			return false;
		c->thread_events[i] = ts->t[i]->nevent;
	}
	return true;
}

static bool
check_cut(struct cuts *c, size_t k, unsigned what)
{
	bool whole = at_edge(c, k), good = true;
	struct memrun r;

	memrun(&r, c->p, k, what);
	if (k < c->chunk[0].at) {
		if (r.rc != TT_E_DAMAGED && r.rc != TT_E_UNKNOWN)
			good = fail(c, k, "a cut header is not refused", &r);
		else if (!r.err.msg[0])
			good = fail(c, k, "refused without a word", &r);
	} else if (r.rc != TT_OK) {
		good = fail(c, k, "not read", &r);
	} else {
		if (memrun_events(&r) < c->last_events)
			good = fail(c, k, "fewer events than in a shorter file", &r);
		if (!(what & MEMRUN_PIPE) && !threads_grow(c, &r.m->threads))
			good = fail(c, k, "fewer events of a thread than in a shorter file", &r);
		if (memrun_damaged(&r) == whole)
			good = fail(c, k, whole ? "called damaged" : "not called damaged", &r);
		if (!whole && r.loss.e[TT_LOST_CUT].n != 1)
			good = fail(c, k, "the cut is not told once", &r);
		if (!whole && r.loss.e[TT_LOST_CUT].first_at > k)
			good = fail(c, k, "the cut is told behind the end", &r);
		c->last_events = memrun_events(&r);
	}
	if (memrun_free(&r) != 0)
		good = fail(c, k, "memory is lost", &r);
	return good;
}

static bool
check_all_cuts(int version, int pointer, uint64_t seed, unsigned what, size_t step)
{
	struct cuts c = { 0 };
	bool good = true;

	c.p = mlpd_sample(version, pointer, seed, &c.n);
	c.chunk = memchunks(c.p, c.n, &c.nchunk);
	step *= MEMRUN_SPARSE;
	snprintf(c.name, sizeof c.name, "version %d, pointers %d, seed %u", version, pointer, (unsigned)seed);
	for (size_t k = 1; k <= c.n && good; k++)
		if (k % step == check_lot(step) || at_edge(&c, k) || k == c.n)
			good = check_cut(&c, k, what);
	free((void *)(uintptr_t)c.p);
	free(c.chunk);
	return good;
}

TEST(every_prefix_of_every_version_keeps_what_is_whole)
{
	for (int v = 4; v <= 17; v++)
		for (int ps = 4; ps <= 8; ps += 4)
			CHECK(check_all_cuts(v, ps, 1, MEMRUN_CALLS, check_long() ? 1 : ps == 8 ? 5 : 31));
}

TEST(prefixes_are_converted_and_reported_without_crash)
{
	const unsigned what = MEMRUN_REPORT | MEMRUN_EMIT | MEMRUN_BEGIN_END;

	for (int v = 4; v <= 17; v += v == 4 ? 8 : 1)
		CHECK(check_all_cuts(v, v % 2 ? 8 : 4, 2, what, check_long() ? 1 : 211));
}

TEST(prefixes_through_a_pipe_keep_what_is_whole)
{
	for (int v = 4; v <= 17; v++)
		CHECK(check_all_cuts(v, 8, 3, MEMRUN_CALLS | MEMRUN_PIPE, check_long() ? 1 : 37));
}
