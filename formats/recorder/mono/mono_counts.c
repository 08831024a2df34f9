/**
 * Reads how often each statement of a method ran, and keeps the counts of code that was replaced.
 */
#include "recorder/mono/mono_counts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "recorder/core/platform.h"
#include "recorder/mono/mono_table.h"

/* The counts of a method's earlier code. */
struct past {
	struct counts kept;           /* counts of code that was replaced */
	struct counts last;           /* counts of code that is being replaced; they may still be its own, or already the new code's */
	uint32_t turns;               /* number of times that `last` was added to `kept` */
};

static struct plat_lock guard;        /* guards the pasts, and names of files */
static struct table pasts;                    /* struct past by method, for methods that have one */
static MonoProfilerHandle handle;
static __thread struct counts *into;          /* destination of the read that runs on this thread */

static uint64_t
key_of(const MonoMethod *m)
{
	return (uintptr_t)m;
}

static struct past *
past_of(const MonoMethod *m)
{
	return (struct past *)(uintptr_t)table_get(&pasts, key_of(m));
}

/* Copy a file name, as the runtime's text is gone after the call. Methods of the same file come together, so the last copy is compared first. */
static const char *
keep_file(const char *name)
{
	static char *last;
	const char *kept;

	if (!name)
		return "";
	plat_lock(&guard);
	if (!last || strcmp(last, name) != 0)
		last = strdup(name);
	kept = last ? last : "";
	plat_unlock(&guard);
	return kept;
}

static bool
make_room(struct counts *c)
{
	if (c->n < c->cap)
		return true;
	size_t cap = c->cap ? 2 * c->cap : 64;
	struct counted *more = realloc(c->v, cap * sizeof *more);
	if (!more)
		return false;
	c->v = more;
	c->cap = cap;
	return true;
}

/* Add the counts of ${from} to those of the same statements; or, without ${add}, take the greater ones. */
static void
join(struct counts *to, const struct counts *from, bool add)
{
	size_t at = 0;

	for (size_t i = 0; i < from->n; i++) {
		const struct counted *e = &from->v[i];
		while (at < to->n && to->v[at].offset < e->offset)
			at++;
		if (at < to->n && to->v[at].offset == e->offset) {
			struct counted *t = &to->v[at];
			t->hits = add ? t->hits + e->hits : e->hits > t->hits ? e->hits : t->hits;
			continue;
		}
		if (!make_room(to))
			return;
		memmove(&to->v[at + 1], &to->v[at], (to->n++ - at) * sizeof *to->v);
		to->v[at] = *e;
	}
}

static void
on_statement(MonoProfiler *p, const MonoProfilerCoverageData *d)
{
	(void)p;
	if (make_room(into))
		into->v[into->n++] = (struct counted){ d->il_offset, d->counter, d->line, d->column, keep_file(d->file_name) };
}

/* Read the counts of the code compiled last, and the number of *${turns} to which they belong: after another turn they would be counted twice. */
static bool
read_last(MonoMethod *m, struct counts *to, uint32_t *turns)
{
	const struct past *p;
	bool any;

	plat_lock(&guard);
	p = past_of(m);
	*turns = p ? p->turns : 0;
	plat_unlock(&guard);
	to->n = 0;
	into = to;
	any = api.mono_profiler_get_coverage_data(handle, m, on_statement);
	into = NULL;
	return any && to->n > 0;
}

void
counts_load(MonoProfilerHandle h)
{
	handle = h;
}

bool
counts_read(MonoMethod *m, struct counts *to)
{
	for (;;) {
		uint32_t turns;
		if (!read_last(m, to, &turns))
			return false;
		plat_lock(&guard);
		const struct past *p = past_of(m);
		bool same = (p ? p->turns : 0) == turns;
		if (same && p) {
			join(to, &p->last, false);
			join(to, &p->kept, true);
		}
		plat_unlock(&guard);
		if (same)
			return true;
	}
}

void
counts_keep(MonoMethod *m)
{
	struct counts now = { 0 };

	for (bool same = false; !same;) {
		uint32_t turns;
		if (!read_last(m, &now, &turns))
			break;
		plat_lock(&guard);
		struct past *p = past_of(m);
		same = (p ? p->turns : 0) == turns;
		if (!p && (p = calloc(1, sizeof *p)))
			table_set(&pasts, key_of(m), (uintptr_t)p);
		if (same && p)
			join(&p->last, &now, false);
		plat_unlock(&guard);
	}
	free(now.v);
}

void
counts_kept(MonoMethod *m)
{
	plat_lock(&guard);
	struct past *p = past_of(m);
	if (p && p->last.n) {
		join(&p->kept, &p->last, true);
		p->last.n = 0;
		p->turns++;
	}
	plat_unlock(&guard);
}

void
counts_forget(MonoMethod *m)
{
	plat_lock(&guard);
	struct past *p = past_of(m);
	if (p) {
		table_set(&pasts, key_of(m), 0);
		free(p->kept.v);
		free(p->last.v);
		free(p);
	}
	plat_unlock(&guard);
}
