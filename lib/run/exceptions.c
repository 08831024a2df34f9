/**
 * Collects exceptions; the model is in model/exceptions.h.
 */
#include "model/exceptions.h"

#include "base/hash_seed.h"
#include "run/collectors.h"

enum {
	RECENT = 64,                  /* allocations of a thread that are remembered whatever they are of */
	OPEN = 16,                    /* exceptions under way on one thread */
	OBJECTS_MAX = 1 << 20,
};
#define UNWANTED UINT32_MAX           /* the site of a throw that the filters leave out */

/* What a thread does. */
struct thrower {
	struct { uint64_t object; int64_t ts; uint32_t site; } open[OPEN];
	unsigned nopen;
	uint64_t forgotten;           /* exceptions under way that had no place in open */
	uint64_t recent[RECENT];
	unsigned next;
};

struct tt_gather_throws {
	struct process {
		struct tt_objects objects;    /* -> class key */
		struct tt_tally named;        /* class key -> 1: not called an exception, 2: it is */
		struct tt_tally native;       /* method key -> 1: of the program, 2: native code calls managed code through it */
	} *process;
	size_t nprocess;
	struct thrower **thrower;     /* by thread */
	size_t nthrower;
};

void
tt_throws_free(struct tt_throws *t)
{
	if (!t)
		return;
	tt_tally_free(&t->at);
	tt_tally_free(&t->clause_at);
	tt_mem_free(t->mem, t->site, t->cap * sizeof *t->site);
	tt_mem_free(t->mem, t->clause, t->capclause * sizeof *t->clause);
	tt_mem_free(t->mem, t, sizeof *t);
}

static int
begin(struct tt_run *r, struct tt_err *err)
{
	struct tt_mem *mem = &r->env->mem;
	struct tt_gather_throws *g;

	if (r->throws)
		return TT_OK;
	r->m->thrown = tt_mem_alloc(mem, sizeof *r->m->thrown, err);
	if (!r->m->thrown)
		return err->code;
	r->m->thrown->mem = mem;
	r->m->thrown->typed = (r->needs & TT_NEEDS_OBJECTS) != 0;
	tt_tally_init(&r->m->thrown->at, mem);
	tt_tally_init(&r->m->thrown->clause_at, mem);
	if (!(g = r->throws = tt_mem_alloc(mem, sizeof *g, err)))
		return err->code;
	g->process = tt_mem_alloc(mem, r->nin * sizeof *g->process, err);
	if (!g->process)
		return err->code;
	g->nprocess = r->nin;
	for (size_t i = 0; i < r->nin; i++) {
		tt_objects_init(&g->process[i].objects, mem);
		tt_tally_init(&g->process[i].named, mem);
		tt_tally_init(&g->process[i].native, mem);
	}
	return TT_OK;
}

static struct thrower *
thrower_of(struct tt_gathering *g, struct tt_err *err)
{
	struct tt_gather_throws *gt = g->r->throws;
	struct tt_mem *mem = &g->r->env->mem;

	if (tt_mem_grow(mem, &gt->thrower, &gt->nthrower, g->t->index + 1, sizeof(struct thrower *), err) != TT_OK)
		return NULL;
	struct thrower **t = &gt->thrower[g->t->index];
	if (!*t)
		*t = tt_mem_alloc(mem, sizeof **t, err);
	return *t;
}

/* --- types ------------------------------------------------------------------------------ */

static bool
ends_with(const struct tt_def *d, const char *end)
{
	size_t n = strlen(end);

	return d && d->len >= n && memcmp(d->text + d->len - n, end, n) == 0;
}

/* Is the class called an exception? */
static int
is_exception(struct tt_gathering *g, uint64_t key, bool *is, struct tt_err *err)
{
	struct process *p = &g->r->throws->process[g->in->cap->process];
	uint64_t *named = tt_tally_at(&p->named, key, err);

	if (!named)
		return err->code;
	if (*named == 0)
		*named = ends_with(tt_defs_class(g->in->cap->defs, key, INT64_MAX), "Exception") ? 2 : 1;
	*is = *named == 2;
	return TT_OK;
}

static int
allocated(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &g->r->throws->process[g->in->cap->process];
	const struct tt_event *x = e + 1;
	uint64_t object, key = e->val;
	struct thrower *t;
	bool is = false;
	int rc;

	if (!(e->flags & TT_F_OBJECT))
		return TT_OK;
	object = g->b->word[x->val + (e->flags & TT_F_STACK ? x->dur : 0)];
	if (g->r->alias)
		key = tt_defs_alias(g->in->cap->defs, key, e->ts - g->in->cap->offset_ns);
	rc = is_exception(g, key, &is, err);
	if (rc != TT_OK || !(t = thrower_of(g, err)))
		return err->code;
	if (p->objects.n >= OBJECTS_MAX)
		tt_objects_clear(&p->objects);
	if (!is) {
		/* The oldest of the others is forgotten, unless it moved: then nothing is there. */
		uint64_t *old = &t->recent[t->next++ % RECENT];
		tt_objects_drop(&p->objects, *old);
		*old = object;
	}
	return tt_objects_set(&p->objects, object, key, err);
}

/* --- throws ------------------------------------------------------------------------------- */

/* The row of throws of ${key} at ${node}. Keys of the hash may be shared: then a row's own are asked for further. */
static int
site_of(struct tt_gathering *g, uint64_t key, uint32_t node, uint32_t *which, struct tt_err *err)
{
	struct tt_throws *t = g->r->m->thrown;
	uint32_t process = g->in->cap->process;
	int rc;

	for (uint64_t k = tt_slot_mix(tt_slot_mix(0, node), key);; k++) {
		uint64_t *at = tt_tally_at(&t->at, k, err);
		if (!at)
			return err->code;
		struct tt_throw_site *s = *at ? &t->site[*at - 1] : NULL;
		if (s && (s->key != key || s->node != node || s->process != process))
			continue;
		if (!s) {
			rc = tt_mem_grow(t->mem, &t->site, &t->cap, t->n + 1, sizeof *t->site, err);
			if (rc != TT_OK)
				return rc;
			t->site[t->n++] = (struct tt_throw_site){ .key = key, .node = node, .process = process };
			*at = t->n;
		}
		*which = (uint32_t)*at - 1;
		return TT_OK;
	}
}

static int
thrown(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &g->r->throws->process[g->in->cap->process];
	struct thrower *t;
	uint64_t key = 0;
	uint32_t site = UNWANTED;
	int rc;

	if (!(t = thrower_of(g, err)))
		return err->code;
	if (e[1].ts)
		key = (uint64_t)e[1].ts;
	else
		tt_objects_get(&p->objects, e->val, &key);
	if (tt_gather_wanted(g, e)) {
		rc = site_of(g, key, tt_site_node(g->io, g->site), &site, err);
		if (rc != TT_OK)
			return rc;
		g->r->m->thrown->site[site].n++;
	}
	if (t->nopen == OPEN) {
		memmove(t->open, t->open + 1, --t->nopen * sizeof *t->open);
		t->forgotten++;
	}
	t->open[t->nopen].object = e->val;
	t->open[t->nopen].ts = e->ts;
	t->open[t->nopen++].site = site;
	return TT_OK;
}

/*
 * Is the method the wrapper through which native code calls managed code? An exception that comes to it has left the program:
 * the runtime reports it as unhandled, or throws another one where the call came from.
 */
static int
is_native(struct tt_gathering *g, uint64_t method, bool *is, struct tt_err *err)
{
	static const char name[] = "(wrapper runtime-invoke)";
	struct process *p = &g->r->throws->process[g->in->cap->process];
	uint64_t *known = tt_tally_at(&p->native, method, err);

	if (!known)
		return err->code;
	if (*known == 0) {
		const struct tt_def *d = tt_defs_find(g->in->cap->defs, TT_DEF_MARKER, method, INT64_MAX);
		if (d)
			*known = d->len >= sizeof name - 1 && memcmp(d->text, name, sizeof name - 1) == 0 ? 2 : 1;
	}
	*is = *known == 2;
	return TT_OK;
}

/* The exception a catch is for: the same object; where the file does not say, or it has moved, the last thrown. */
static int
caught(struct tt_gathering *g, const struct tt_event *e, struct thrower *t, struct tt_err *err)
{
	struct tt_throws *m = g->r->m->thrown;
	uint64_t object = (uint64_t)e[1].ts;
	unsigned i = t->nopen;
	bool native = false;

	while (object && i > 0 && t->open[i - 1].object != object)
		i--;
	if (i == 0)
		i = t->nopen;
	if (i == 0 && t->forgotten > 0)
		t->forgotten--;
	else if (i == 0 && tt_gather_wanted(g, e))
		m->unthrown++;
	if (i == 0)
		return TT_OK;
	int rc = is_native(g, e->val, &native, err);
	if (rc == TT_OK && !native && t->open[i - 1].site != UNWANTED)
		tt_times_add(&m->site[t->open[i - 1].site].caught, e->ts > t->open[i - 1].ts ? e->ts - t->open[i - 1].ts : 0);
	t->nopen = i - 1;
	return rc;
}

static int
clause(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	struct tt_throws *t = g->r->m->thrown;
	uint32_t process = g->in->cap->process;
	struct thrower *th;
	int rc;

	if (!(th = thrower_of(g, err)))
		return err->code;
	rc = e->depth == TT_CLAUSE_CATCH ? caught(g, e, th, err) : TT_OK;
	if (rc != TT_OK)
		return rc;
	if (!tt_gather_wanted(g, e))
		return TT_OK;
	t->objects = t->objects || e[1].ts != 0;
	for (uint64_t k = tt_slot_mix(tt_slot_mix(0, (uint64_t)e->depth << 32 | e->dur), e->val);; k++) {
		uint64_t *at = tt_tally_at(&t->clause_at, k, err);
		if (!at)
			return err->code;
		struct tt_throw_clause *c = *at ? &t->clause[*at - 1] : NULL;
		if (c && (c->method != e->val || c->index != e->dur || c->kind != e->depth || c->process != process))
			continue;
		if (!c) {
			rc = tt_mem_grow(t->mem, &t->clause, &t->capclause, t->nclause + 1, sizeof *t->clause, err);
			if (rc != TT_OK)
				return rc;
			c = &t->clause[t->nclause++];
			*c = (struct tt_throw_clause){ .method = e->val, .process = process, .index = e->dur, .kind = e->depth };
			*at = t->nclause;
		}
		c->n++;
		c->unwinding += e[1].ts != 0;
		return TT_OK;
	}
}

static int
broken(struct tt_gathering *g, struct tt_err *err)
{
	struct thrower *t = thrower_of(g, err);

	if (!t)
		return err->code;
	t->nopen = 0;
	t->forgotten = 0;
	return TT_OK;
}

int
tt_gather_throws_event(struct tt_gathering *g, const struct tt_event *e, struct tt_err *err)
{
	int rc = begin(g->r, err);

	if (rc != TT_OK)
		return rc;
	switch (e->kind) {
	case TT_ALLOC:
		return allocated(g, e, err);
	case TT_GC_MOVE:
		return e->flags & TT_F_MORE ? tt_objects_move(&g->r->throws->process[g->in->cap->process].objects,
		    g->b->word + e[1].val, e[1].dur, NULL, NULL, err) : TT_OK;
	case TT_THROW:
		return thrown(g, e, err);
	case TT_CLAUSE:
		return clause(g, e, err);
	case TT_GAP:
		return e->flags & TT_F_POPPED ? TT_OK : broken(g, err);
	default:
		return TT_OK;
	}
}

void
tt_gather_throws_free(struct tt_run *r)
{
	struct tt_gather_throws *g = r->throws;
	struct tt_mem *mem = &r->env->mem;

	if (!g)
		return;
	for (size_t i = 0; i < g->nprocess; i++) {
		tt_objects_free(&g->process[i].objects);
		tt_tally_free(&g->process[i].named);
		tt_tally_free(&g->process[i].native);
	}
	for (size_t i = 0; i < g->nthrower; i++)
		if (g->thrower[i])
			tt_mem_free(mem, g->thrower[i], sizeof *g->thrower[i]);
	tt_mem_free(mem, g->thrower, g->nthrower * sizeof(struct thrower *));
	tt_mem_free(mem, g->process, g->process ? r->nin * sizeof *g->process : 0);
	tt_mem_free(mem, g, sizeof *g);
	r->throws = NULL;
}
