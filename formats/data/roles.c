/**
 * Records the role of a marker by its number, since 2022.2: only a zone, more than a zone, or not defined by any record.
 *
 * Decoders read the role from a table with a byte for each number; a table never changes: a segment with new definitions gets a new one. Tables are kept
 * until the file is closed or read again.
 */
#include "data/data.h"

/* Numbers are dense from 0 on; a damaged number may be anything. */
enum { MIN_IDS = 1 << 10, MAX_IDS = 1 << 15 };

int
data_roles_define(struct data *m, uint32_t id, struct tt_err *err)
{
	struct data_defined *d = &m->defined_ids;

	d->beyond = d->beyond || id >= MAX_IDS;
	if (id >= MAX_IDS || (id < d->n && d->is[id]))
		return TT_OK;
	const int rc = tt_mem_grow(&m->env->mem, &d->is, &d->n, id < MIN_IDS ? MIN_IDS : id + (size_t)1, sizeof *d->is, err);
	if (rc != TT_OK)
		return rc;
	d->is[id] = true;
	d->fresh = true;
	return TT_OK;
}

static size_t
size_of(uint32_t n)
{
	return sizeof(struct data_roles) + n;
}

int
data_roles_make(struct data *m, struct tt_err *err)
{
	struct data_defined *d = &m->defined_ids;
	const struct unity_markers *k = &m->marker;
	const uint32_t special[] = { k->alloc, k->collect, k->label[0], k->label[1] }, n = (uint32_t)(d->n < MAX_IDS ? d->n : MAX_IDS);

	if (m->layout.rank < 11 || (m->roles && !d->fresh))
		return TT_OK;
	struct data_roles *x = tt_mem_alloc(&m->env->mem, size_of(n), err);
	if (!x)
		return err->code;
	*x = (struct data_roles){ .before = m->roles, .n = n, .beyond = d->beyond };
	for (uint32_t i = 0; i < n; i++)
		x->of[i] = d->is[i] ? DATA_ZONE : DATA_UNDEFINED;
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		if (special[i] < n)
			x->of[special[i]] = DATA_SPECIAL;
	m->roles = x;
	d->fresh = false;
	return TT_OK;
}

void
data_roles_forget(struct data *m)
{
	struct data_defined *d = &m->defined_ids;
	struct tt_mem *mem = &m->env->mem;

	for (struct data_roles *x = m->roles, *before; x; x = before) {
		before = x->before;
		tt_mem_free(mem, x, size_of(x->n));
	}
	tt_mem_free(mem, d->is, d->n * sizeof *d->is);
	m->roles = NULL;
	*d = (struct data_defined){ 0 };
}
