/*
 * Random calls: clocks that go back, ends without a begin, begins without an end, frames that are missing, cut into
 * chunks anywhere. Encoded as a Mono capture, read on one worker or three, and compared with a count that knows no chunks:
 * calls, total and self time by method, allocations, what the ledger says. At full length 20,000 seeds.
 */
#include "check.h"

#include "memrun.h"
#include "mlpd_encode.h"

enum { THREADS = 3, METHODS = 6, DEEP = 64 };
#define T0 5000000000u
#define CODE 0x70000000u

struct random { uint64_t x; };

static uint64_t
below(struct random *r, uint64_t n)
{
	r->x += 0x9E3779B97F4A7C15u;
	uint64_t z = (r->x ^ r->x >> 30) * 0xBF58476D1CE4E5B9u;
	return (z ^ z >> 27) % n;
}

struct plain {                /* what should come out */
	struct { uint64_t n; int64_t total, self; } method[METHODS];
	uint64_t unmatched, popped, open, back, events;
	uint64_t allocs;
	int64_t bytes;
};

struct plain_thread {
	struct { unsigned method; int64_t ts, inside; } z[DEEP];
	unsigned n;
	int64_t last;
	int64_t base, seen;   /* its buffer begins; the latest event of any kind, and beginning of a buffer that has one */
	bool begun;
};

static void
close_top(struct plain *p, struct plain_thread *t, int64_t ts)
{
	t->n--;
	int64_t dur = ts - t->z[t->n].ts;
	p->method[t->z[t->n].method].n++;
	p->method[t->z[t->n].method].total += dur;
	p->method[t->z[t->n].method].self += dur - t->z[t->n].inside;
	if (t->n > 0)
		t->z[t->n - 1].inside += dur;
}

/* The time of a call's begin or end: one that lies before the last one's is taken for that. */
static int64_t
now(struct plain *p, struct plain_thread *t, int64_t ts)
{
	p->events++;
	if (t->begun && ts < t->last)
		p->back++;
	else
		t->last = ts;
	t->begun = true;
	return t->last;
}

static void
plain_leave(struct plain *p, struct plain_thread *t, unsigned method, int64_t ts)
{
	unsigned i = t->n;

	while (i > 0 && t->z[i - 1].method != method)
		i--;
	p->unmatched += i == 0;
	while (i > 0 && t->n > i) {
		close_top(p, t, ts);
		p->popped++;
	}
	if (i > 0)
		close_top(p, t, ts);
}

struct made {
	struct mlpd_writer w;
	struct mlpd_buffer b[THREADS];
	bool opened[THREADS];
	struct plain_thread t[THREADS];
	int64_t clock[THREADS];
	struct plain p;
	bool backwards;
};

static void
saw(struct plain_thread *t, int64_t ts)
{
	int64_t latest = ts > t->base ? ts : t->base;

	if (latest > t->seen)
		t->seen = latest;
}

static void
one_event(struct made *m, struct random *r, unsigned i)
{
	struct plain_thread *t = &m->t[i];
	unsigned method = (unsigned)below(r, METHODS);
	uint64_t at;

	m->clock[i] += (int64_t)below(r, 100);
	if (m->backwards && below(r, 20) == 0)
		m->clock[i] -= (int64_t)below(r, 300);
	if (m->clock[i] < 0)
		m->clock[i] = 0;
	at = T0 + (uint64_t)m->clock[i];
	if (!m->opened[i]) {
		mlpd_open(&m->b[i], &m->w, 100 + i, at, 0, 0, CODE);
		t->base = m->clock[i];
	}
	m->opened[i] = true;
	switch (below(r, 10)) {
	case 0:
		/* Allocations where the clock is as it should be: they have a time of their own. */
		if (t->begun && m->clock[i] < t->last)
			break;
		mlpd_alloc(&m->b[i], at, 0x10, 0x1000, 24, NULL);
		saw(t, m->clock[i]);
		m->p.allocs++;
		m->p.bytes += 24;
		m->p.events++;
		break;
	case 1: case 2: case 3: case 4:
		if (t->n == DEEP)
			break;
		mlpd_enter(&m->b[i], at, CODE + 8 * method);
		saw(t, m->clock[i]);
		t->z[t->n].inside = 0;
		t->z[t->n].method = method;
		t->z[t->n].ts = now(&m->p, t, m->clock[i]);
		t->n++;
		break;
	default:
		/* mostly the one that is due */
		if (t->n > 0 && below(r, 8))
			method = t->z[t->n - 1].method;
		mlpd_leave(&m->b[i], at, CODE + 8 * method);
		saw(t, m->clock[i]);
		plain_leave(&m->p, t, method, now(&m->p, t, m->clock[i]));
	}
}

static void
make(struct made *m, uint64_t seed)
{
	struct random r = { seed };
	static const char *const name[METHODS] = { "A:Frame ()", "A:B ()", "A:C ()", "A:D ()", "A:E ()",
		"(wrapper managed-to-native) A:F ()" };

	memset(m, 0, sizeof *m);
	m->backwards = seed % 3 == 0;
	mlpd_init(&m->w, 17 - (int)(seed % 5), seed % 7 == 0 ? 4 : 8);
	mlpd_header(&m->w, 1600000000000, T0);
	mlpd_open(&m->b[0], &m->w, 99, T0, 0, 0, CODE);
	for (unsigned i = seed % 2; i < METHODS; i++)
		mlpd_method(&m->b[0], T0, CODE + 8 * i, CODE, 8, name[i]);
	mlpd_flush(&m->b[0]);
	for (unsigned n = 50 + (unsigned)below(&r, 300); n > 0; n--) {
		unsigned i = (unsigned)below(&r, THREADS);

		one_event(m, &r, i);
		if (below(&r, 12) == 0 && m->opened[i]) {
			mlpd_flush(&m->b[i]);
			m->opened[i] = false;
		}
	}
	for (unsigned i = 0; i < THREADS; i++) {
		if (m->opened[i])
			mlpd_flush(&m->b[i]);
		m->p.open += m->t[i].n;
		while (m->t[i].n > 0)
			close_top(&m->p, &m->t[i], m->t[i].seen);
	}
}

static void
sum_tree(const struct tt_model *m, struct plain *p)
{
	for (uint32_t i = TT_NODE_MORE + 1; i < tt_tree_count(m->tree); i++) {
		const struct tt_node *n = tt_tree_node(m->tree, i);
		struct tt_count c = tt_counts_get(m->counts, i);

		if (n->kind == TT_NODE_ALLOC) {
			p->allocs += c.n;
			p->bytes += c.total;
		} else if (n->kind == TT_NODE_ZONE && CHECK(n->key >= CODE && (n->key - CODE) / 8 < METHODS)) {
			p->method[(n->key - CODE) / 8].n += c.n;
			p->method[(n->key - CODE) / 8].total += c.total;
			p->method[(n->key - CODE) / 8].self += c.self;
		}
	}
}

static bool
same(const struct made *m, const struct memrun *r)
{
	const struct tt_loss_entry *lost = r->loss.e;
	const struct plain *p = &m->p;
	struct plain got = { 0 };
	bool good = CHECK_EQ_INT(r->rc, TT_OK);

	if (!good)
		return false;
	sum_tree(r->m, &got);
	for (unsigned i = 0; i < METHODS; i++) {
		good &= CHECK_EQ_INT(got.method[i].n, p->method[i].n);
		good &= CHECK_EQ_INT(got.method[i].total, p->method[i].total);
		good &= CHECK_EQ_INT(got.method[i].self, p->method[i].self);
		good &= CHECK(got.method[i].self >= 0);
	}
	good &= CHECK_EQ_INT(got.allocs, p->allocs);
	good &= CHECK_EQ_INT(got.bytes, p->bytes);
	good &= CHECK_EQ_INT(lost[TT_LOST_UNMATCHED].n, p->unmatched);
	good &= CHECK_EQ_INT(lost[TT_LOST_POPPED].n, p->popped);
	good &= CHECK_EQ_INT(lost[TT_LOST_OPEN].n, p->open);
	good &= CHECK((lost[TT_LOST_CLOCK].n > 0) == (p->back > 0));
	for (size_t i = 0; r->m->frames && i < r->m->frames->n; i++)
		good &= CHECK(tt_frames_dur(r->m->frames, i) >= 0 && (i == 0 || tt_frames_start(r->m->frames, i) >= tt_frames_start(r->m->frames, i - 1) ||
		    tt_frames_thread(r->m->frames, i) != tt_frames_thread(r->m->frames, i - 1)));
	return good;
}

TEST(calls_by_chance_are_counted_as_without_chunks)
{
	unsigned bad = 0;
	struct plain sum = { 0 };

	for (uint64_t seed = 1; seed <= (check_long() ? 20000 : 400) && bad < 5; seed++) {
		struct made m;
		struct memrun r;
		unsigned what = seed % 2 ? MEMRUN_CALLS | (seed % 4 == 1 ? MEMRUN_FRAMES : 0) : MEMRUN_REPORT;

		make(&m, seed);
		memrun_jobs(&r, m.w.out.data, m.w.out.len, what, seed % 5 ? 1 : 3);
		/* Without a name for it, or without a call of it, there are no frames to be had. */
		if (r.rc == TT_E_USAGE && (what & MEMRUN_FRAMES)) {
			memrun_free(&r);
			memrun(&r, m.w.out.data, m.w.out.len, MEMRUN_CALLS);
		}
		if (!same(&m, &r)) {
			printf("seed %u\n", (unsigned)seed);
			bad++;
		}
		sum.unmatched += m.p.unmatched;
		sum.popped += m.p.popped;
		sum.open += m.p.open;
		sum.back += m.p.back;
		CHECK_EQ_INT(memrun_free(&r), 0);
		mlpd_free(&m.w);
	}
	printf("%" PRIu64 " ends without a begin, %" PRIu64 " begins without an end, %" PRIu64 " open, %" PRIu64
	    " times back\n", sum.unmatched, sum.popped, sum.open, sum.back);
	CHECK(sum.unmatched > 100 && sum.popped > 100 && sum.open > 100 && sum.back > 100);
}
