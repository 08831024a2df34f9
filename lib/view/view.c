/**
 * Computes, on first use, what tables and budgets share.
 */
#include "view/view.h"

void
tt_view_init(struct tt_views *v, const struct tt_model *m)
{
	*v = (struct tt_views){ .m = m };
	tt_arena_init(&v->text, &m->env->mem);
}

void
tt_view_free(struct tt_views *v)
{
	struct tt_mem *mem;

	if (!v->m)
		return;
	mem = &v->m->env->mem;
	tt_arena_free(&v->text);
	for (size_t i = 0; i < TT_GROUPS; i++)
		tt_paths_free(&v->paths[i]);
	for (size_t i = 0; i < TT_FRAME_VALUES; i++)
		tt_values_free(&v->frame[i], mem);
	tt_mem_free(mem, v->zone_time, v->m->threads.n * sizeof *v->zone_time);
	*v = (struct tt_views){ 0 };
}

const struct tt_paths *
tt_view_paths(struct tt_views *v, enum tt_group group, unsigned want, struct tt_err *err)
{
	/* Markers have no domains. */
	struct tt_paths *p = &v->paths[group == TT_GROUP_DOMAIN ? TT_GROUP_NONE : group];

	if (!p->m && tt_paths_init_by(p, v->m, group, err) != TT_OK) {
		tt_paths_free(p);
		return NULL;
	}
	if ((want & TT_PATHS_LINK && tt_paths_link(p, err) != TT_OK) || (want & TT_PATHS_SITES && tt_paths_sites(p, err) != TT_OK) ||
	    (want & TT_PATHS_JOIN && tt_paths_join(p, err) != TT_OK) || (want & TT_PATHS_WAITS && tt_paths_waits(p, err) != TT_OK))
		return NULL;
	return p;
}

const struct tt_values *
tt_view_frames(struct tt_views *v, unsigned what, struct tt_err *err)
{
	struct tt_values *x = &v->frame[what];

	return x->made || tt_values_of_frames(x, v->m, what, err) == TT_OK ? x : NULL;
}

const struct tt_zone_time *
tt_view_zone_time(struct tt_views *v, struct tt_err *err)
{
	size_t size = v->m->threads.n * sizeof *v->zone_time;
	const struct tt_paths *p = v->zone_time ? NULL : tt_view_paths(v, TT_GROUP_NONE, TT_PATHS_WAITS, err);

	if (v->zone_time || !p)
		return v->zone_time;
	v->zone_time = tt_mem_alloc(&v->m->env->mem, size, err);
	if (v->zone_time && tt_paths_zone_time(p, v->zone_time, err) != TT_OK) {
		tt_mem_free(&v->m->env->mem, v->zone_time, size);
		v->zone_time = NULL;
	}
	return v->zone_time;
}
