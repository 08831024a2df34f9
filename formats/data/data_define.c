/**
 * Puts definitions into the batch: from sections of records, and from names of samples.
 */
#include "data/data.h"

/* Define the names of the values of marker ${key}. *${unit}: the unit of the first. */
static int
params(struct data_run *r, uint64_t key, const struct data_marker *m, unsigned *unit)
{
	struct data_take t = { .p = m->params, .end = m->params + m->nparams };
	struct tt_buf *to = &r->u.b->text;
	const size_t at = to->n;
	uint32_t len;

	*unit = 0;
	if (m->nparam == 0)
		return TT_OK;
	for (uint32_t i = 0; i < m->nparam; i++) {
		uint32_t type = data_take32(&t);
		const char *name = data_name(&t, &len);
		if (i == 0)
			*unit = type >> 8 & 0xff;
		tt_buf_add(to, name, len + (size_t)1);
	}
	int rc = tt_buf_error(to, r->u.err);
	return rc == TT_OK ? unity_define_args(&r->u, key, at) : rc;
}

static int
define(struct data_run *r, uint64_t key, uint32_t id, const struct data_marker *m)
{
	unsigned unit;
	int rc = params(r, key, m, &unit);

	return rc == TT_OK ? unity_define_marker(&r->u, key, id, m->flags, m->category, m->name, m->nname, unit) : rc;
}

int
data_define_named(struct data_run *r, const struct data_marker *m, uint64_t *key, uint32_t *id)
{
	uint64_t hash = 14695981039346656037u;

	for (uint32_t i = 0; i < m->nname; i++)
		hash = (hash ^ (uint8_t)m->name[i]) * 1099511628211u;
	hash ^= hash >> 29;
	*key = UNITY_KEY_NAMED | hash >> 3;
	/* Ids of counters have 32 bits; the upper half of their range is taken. */
	*id = (uint32_t)(hash >> 33);
	uint64_t *named = &r->named[hash >> 56];
	if (*named == *key)
		return TT_OK;
	*named = *key;
	return define(r, *key, *id, m);
}

static int
markers(struct data_run *r, struct data_take *t)
{
	struct data_marker m;
	int rc = TT_OK;
	uint32_t n = data_count(t, 16);

	data_tally(r, DATA_T_MARKER, n);
	for (; n > 0 && rc == TT_OK; n--) {
		data_take_marker(t, &m);
		unity_count_name(&r->u, m.name, m.nname);
		rc = define(r, unity_key(&r->u, m.id), m.id, &m);
	}
	return rc;
}

static int
code(struct data_run *r, struct data_take *t)
{
	struct data_code c;
	int rc = TT_OK;
	uint32_t n = data_count(t, 16);

	data_tally(r, DATA_T_CODE, n);
	for (; n > 0 && rc == TT_OK; n--) {
		data_take_code(&r->h->layout, t, &c);
		rc = unity_define_code(&r->u, c.start, c.size, c.name, c.nname);
	}
	return rc;
}

static int
categories(struct data_run *r, struct data_take *t)
{
	unsigned id, color;
	uint32_t len;
	int rc = TT_OK;
	uint32_t n = data_count(t, 16);

	data_tally(r, DATA_T_CATEGORY, n);
	for (; n > 0 && rc == TT_OK; n--) {
		const char *name = data_take_category(&r->h->layout, t, &id, &color, &len);
		rc = unity_define_category(&r->u, id, color, name, len);
	}
	return rc;
}

int
data_define(struct data_run *r, const struct data_piece *piece)
{
	struct data_take t = { .p = piece->p, .end = piece->p + piece->len, .from = piece->p };

	return piece->kind == DATA_MARKERS ? markers(r, &t) : piece->kind == DATA_CODE ? code(r, &t) : categories(r, &t);
}
