/**
 * Collects exceptions.
 */
#include "collect/collect.h"
#include "collect/exceptions.h"

#include "collect/objects.h"
#include "model/model.h"

enum {
	RECENT = 64,                  /* remembered allocations per thread, of any class */
	OPEN = 16,                    /* the most exceptions under way on one thread */
	OBJECTS_MAX = 1 << 20,
};
#define UNWANTED UINT32_MAX           /* the site of a throw that the filters leave out */

/* The state of a thread. */
struct thrower {
	struct { uint64_t object; int64_t ts; uint32_t site; } open[OPEN];
	unsigned nopen;
	uint64_t forgotten;           /* exceptions under way that did not fit into ${open} */
	uint64_t recent[RECENT];
	unsigned next;
};

struct exceptions {
	struct tt_exceptions out;
	struct process {
		struct tt_objects objects;    /* -> class key */
		struct tt_tally named;        /* class key -> 1: not named like an exception, 2: named like one */
		struct tt_tally native;       /* method key -> 1: a method of the program, 2: a wrapper through which native code calls managed code */
	} *process;
	struct thrower **thrower;     /* by thread */
	size_t nthrower;
};

static int
begin(const struct tt_collecting *c, void *state, struct tt_err *err)
{
	struct exceptions *s = state;

	s->out.typed = (c->needs & TT_NEEDS_OBJECTS) != 0;
	s->process = tt_mem_alloc(c->mem, c->m->ncap * sizeof *s->process, err);
	for (size_t i = 0; s->process && i < c->m->ncap; i++) {
		tt_objects_init(&s->process[i].objects, c->mem);
		tt_tally_init(&s->process[i].named, c->mem);
		tt_tally_init(&s->process[i].native, c->mem);
	}
	return s->process ? TT_OK : err->code;
}

static struct thrower *
thrower_of(const struct tt_collecting *c, struct exceptions *s, struct tt_err *err)
{
	if (tt_mem_grow(c->mem, &s->thrower, &s->nthrower, c->t->index + 1, sizeof(struct thrower *), err) != TT_OK)
		return NULL;
	struct thrower **t = &s->thrower[c->t->index];
	if (!*t)
		*t = tt_mem_alloc(c->mem, sizeof **t, err);
	return *t;
}

/* --- types ------------------------------------------------------------------------------ */

static bool
ends_with(const struct tt_def *d, const char *end)
{
	size_t n = strlen(end);

	return d && d->len >= n && memcmp(d->text + d->len - n, end, n) == 0;
}

/* *${is}: true if the class is named like an exception. */
static int
is_exception(const struct tt_collecting *c, struct exceptions *s, uint64_t key, bool *is, struct tt_err *err)
{
	struct process *p = &s->process[c->cap->process];
	uint64_t *named = tt_tally_at(&p->named, key, err);

	if (!named)
		return err->code;
	if (*named == 0)
		*named = ends_with(tt_defs_class(c->cap->defs, key, INT64_MAX), "Exception") ? 2 : 1;
	*is = *named == 2;
	return TT_OK;
}

static int
allocated(const struct tt_collecting *c, struct exceptions *s, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &s->process[c->cap->process];
	uint64_t object = tt_alloc_object(c->b, e), key = tt_collect_class(c, e, e->val);
	struct thrower *t;
	bool is = false;
	int rc;

	if (!object)
		return TT_OK;
	rc = is_exception(c, s, key, &is, err);
	if (rc != TT_OK || !(t = thrower_of(c, s, err)))
		return err->code;
	if (p->objects.n >= OBJECTS_MAX)
		tt_objects_clear(&p->objects);
	if (!is) {
		/* Forget the oldest remembered object of another class; if it has moved, its address is not in the map. */
		uint64_t *old = &t->recent[t->next++ % RECENT];
		tt_objects_drop(&p->objects, *old);
		*old = object;
	}
	return tt_objects_set(&p->objects, object, key, err);
}

/* --- throws ------------------------------------------------------------------------------- */

/* Find or add the row of throws of ${key} at ${node}. */
static int
site_of(const struct tt_collecting *c, struct exceptions *s, uint64_t key, uint32_t node, uint32_t *which, struct tt_err *err)
{
	struct tt_exceptions *t = &s->out;
	uint32_t process = c->cap->process;
	uint64_t hash = tt_seeded_pair((uint64_t)process << 32 | node, key);
	uint32_t at = tt_map_find(&t->at, hash, i, t->site[i].key == key && t->site[i].node == node && t->site[i].process == process);
	int rc = TT_OK;

	if (!at && (rc = tt_map_push(&t->at, c->mem, hash, &t->site, &t->cap, t->n, err)) == TT_OK) {
		t->site[t->n] = (struct tt_throw_site){ .key = key, .node = node, .process = process };
		at = (uint32_t)++t->n;
	}
	*which = at - 1;
	return rc;
}

static int
thrown(const struct tt_collecting *c, struct exceptions *s, const struct tt_event *e, struct tt_err *err)
{
	struct process *p = &s->process[c->cap->process];
	struct thrower *t;
	uint64_t key = 0;
	uint32_t site = UNWANTED;
	int rc;

	if (!(t = thrower_of(c, s, err)))
		return err->code;
	if (e[1].ts)
		key = tt_collect_class(c, e, (uint64_t)e[1].ts);
	else
		tt_objects_get(&p->objects, e->val, &key);
	if (tt_collect_wanted(c, e)) {
		rc = site_of(c, s, key, c->node, &site, err);
		if (rc != TT_OK)
			return rc;
		s->out.site[site].n++;
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
 * *${is}: true if the method is the wrapper through which native code calls managed code. An exception that reaches it has left the
 * program: the runtime reports it as unhandled, or throws another one in the caller.
 */
static int
is_native(const struct tt_collecting *c, struct exceptions *s, uint64_t method, bool *is, struct tt_err *err)
{
	static const char name[] = "(wrapper runtime-invoke)";
	struct process *p = &s->process[c->cap->process];
	uint64_t *known = tt_tally_at(&p->native, method, err);

	if (!known)
		return err->code;
	if (*known == 0) {
		const struct tt_def *d = tt_defs_find(c->cap->defs, TT_DEF_MARKER, method, INT64_MAX);
		if (d)
			*known = d->len >= sizeof name - 1 && memcmp(d->text, name, sizeof name - 1) == 0 ? 2 : 1;
	}
	*is = *known == 2;
	return TT_OK;
}

/* Match a catch clause with its exception: the same object; if the file does not tell, or it has moved, the last thrown. */
static int
caught(const struct tt_collecting *c, struct exceptions *s, const struct tt_event *e, struct thrower *t, struct tt_err *err)
{
	struct tt_exceptions *m = &s->out;
	uint64_t object = (uint64_t)e[1].ts;
	unsigned i = t->nopen;
	bool native = false;

	while (object && i > 0 && t->open[i - 1].object != object)
		i--;
	if (i == 0)
		i = t->nopen;
	if (i == 0 && t->forgotten > 0)
		t->forgotten--;
	else if (i == 0 && tt_collect_wanted(c, e))
		m->unthrown++;
	if (i == 0)
		return TT_OK;
	int rc = is_native(c, s, e->val, &native, err);
	if (rc == TT_OK && !native && t->open[i - 1].site != UNWANTED)
		tt_times_add(&m->site[t->open[i - 1].site].caught, e->ts > t->open[i - 1].ts ? e->ts - t->open[i - 1].ts : 0);
	t->nopen = i - 1;
	return rc;
}

static int
clause(const struct tt_collecting *c, struct exceptions *s, const struct tt_event *e, struct tt_err *err)
{
	struct tt_exceptions *t = &s->out;
	uint32_t process = c->cap->process;
	struct thrower *th;
	int rc;

	if (!(th = thrower_of(c, s, err)))
		return err->code;
	rc = e->depth == TT_CLAUSE_CATCH ? caught(c, s, e, th, err) : TT_OK;
	if (rc != TT_OK)
		return rc;
	if (!tt_collect_wanted(c, e))
		return TT_OK;
	t->objects = t->objects || e[1].ts != 0;
	uint64_t hash = tt_seeded_pair(tt_seeded_pair(process, (uint64_t)e->depth << 32 | e->dur), e->val);
	uint32_t at = tt_map_find(&t->clause_at, hash, i, t->clause[i].method == e->val && t->clause[i].index == e->dur &&
	    t->clause[i].kind == e->depth && t->clause[i].process == process);
	if (!at) {
		if ((rc = tt_map_push(&t->clause_at, c->mem, hash, &t->clause, &t->capclause, t->nclause, err)) != TT_OK)
			return rc;
		t->clause[t->nclause] = (struct tt_throw_clause){ .method = e->val, .process = process, .index = e->dur, .kind = e->depth };
		at = (uint32_t)++t->nclause;
	}
	t->clause[at - 1].n++;
	t->clause[at - 1].unwinding += e[1].ts != 0;
	return TT_OK;
}

static int
broken(const struct tt_collecting *c, struct exceptions *s, struct tt_err *err)
{
	struct thrower *t = thrower_of(c, s, err);

	if (!t)
		return err->code;
	t->nopen = 0;
	t->forgotten = 0;
	return TT_OK;
}

static int
event(const struct tt_collecting *c, void *state, struct tt_event *e, struct tt_err *err)
{
	struct exceptions *s = state;

	switch (e->kind) {
	case TT_ALLOC:
		return allocated(c, s, e, err);
	case TT_GC_MOVE:
		return e->flags & TT_F_MORE ? tt_objects_move(&s->process[c->cap->process].objects, c->b->word + e[1].val, e[1].dur, NULL,
		    NULL, err) : TT_OK;
	case TT_THROW:
		return thrown(c, s, e, err);
	case TT_CLAUSE:
		return clause(c, s, e, err);
	default:
		return e->flags & TT_F_POPPED ? TT_OK : broken(c, s, err);
	}
}

static void
release(struct tt_model *m, void *state)
{
	struct tt_mem *mem = &m->env->mem;
	struct exceptions *s = state;

	for (size_t i = 0; s->process && i < m->ncap; i++) {
		tt_objects_free(&s->process[i].objects);
		tt_tally_free(&s->process[i].named);
		tt_tally_free(&s->process[i].native);
	}
	for (size_t i = 0; i < s->nthrower; i++)
		tt_mem_free(mem, s->thrower[i], sizeof *s->thrower[i]);
	tt_mem_free(mem, s->thrower, s->nthrower * sizeof(struct thrower *));
	tt_mem_free(mem, s->process, m->ncap * sizeof *s->process);
}

static void
free_all(struct tt_model *m, void *state)
{
	struct tt_exceptions *t = state;

	tt_map_free(&t->at, &m->env->mem);
	tt_map_free(&t->clause_at, &m->env->mem);
	tt_mem_free(&m->env->mem, t->site, t->cap * sizeof *t->site);
	tt_mem_free(&m->env->mem, t->clause, t->capclause * sizeof *t->clause);
}

const struct tt_collector tt_collector_exceptions = {
	.name = "exceptions", .size = sizeof(struct exceptions), .needs = TT_NEEDS_THROWS,
	.kinds = TT_KIND(TT_ALLOC) | TT_KIND(TT_GC_MOVE) | TT_KIND(TT_THROW) | TT_KIND(TT_CLAUSE) | TT_KIND(TT_GAP),
	.begin = begin, .event = event, .release = release, .free = free_all,
};
