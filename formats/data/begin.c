/**
 * Detects a file that lacks its first records. Since 2022.2 a marker is defined once in a file, in the first record with a sample of it. So if the first
 * samples of a file have markers that it has not defined yet, the file was longer. Records of earlier versions refer to no other record, so nothing shows
 * whether some are missing.
 */
#include "data/data.h"

#include <string.h>

#include "base/order.h"

/* A record is missing if at least one in this many of the first samples is undefined. A damaged number, or zeros, are no sign of it. */
enum { MISSING_IF_ONE_IN = 8 };

static int
by_id(const void *a, const void *b)
{
	return TT_CMP(*(const uint32_t *)a, *(const uint32_t *)b);
}

static int
add_defined(struct data *m, const struct data_record *r, struct tt_err *err)
{
	struct data_take t = { .p = r->markers.p, .end = r->markers.p + r->markers.n };
	const uint32_t n = data_count(&t, 16);
	struct data_marker k;
	const int rc = tt_mem_grow(&m->env->mem, &m->defined, &m->capdefined, m->ndefined + n + 1, sizeof *m->defined, err);

	for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
		data_take_marker(&t, &k);
		m->defined[m->ndefined++] = k.id;
	}
	return rc;
}

static bool
is_defined(const struct data *m, uint32_t id)
{
	const size_t at = tt_lower_bound(i, 0, m->ndefined, m->defined[i] < id);

	return at < m->ndefined && m->defined[at] == id;
}

static bool
is_zeros(const uint8_t *p, size_t n)
{
	return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

int
data_check_begin(struct data *m, const struct data_record *r, uint64_t at, struct tt_err *err)
{
	const uint32_t nthreads = r->nthread < DATA_KEPT ? r->nthread : DATA_KEPT;
	const size_t size = data_sample_size(&m->layout);
	uint64_t nsamples = 0, nundefined = 0;

	if (m->begin_checked || m->layout.rank < 11)
		return TT_OK;
	const int rc = add_defined(m, r, err);
	for (uint32_t i = 0; i < nthreads; i++)
		m->begin_checked = m->begin_checked || m->kept[i].nsample > 1;
	if (rc != TT_OK || !m->begin_checked)
		return rc;
	tt_sort(m->defined, m->ndefined, by_id);
	for (uint32_t i = 0; i < nthreads; i++) {
		const struct data_thread *th = &m->kept[i];
		/* The first sample is the thread's root, which has no marker. */
		for (uint32_t k = 1; k < th->nsample; k++) {
			const uint8_t *sample = th->sample + k * size;
			const uint32_t id = unity_u32(sample);

			if (is_zeros(sample, size))
				continue;
			nsamples += id != UINT32_MAX;
			nundefined += id != UINT32_MAX && !is_defined(m, id);
		}
	}
	m->begins_late = nundefined > 0 && nundefined >= nsamples / MISSING_IF_ONE_IN;
	m->whole = nsamples > 0 && nundefined == 0;
	if (m->begins_late)
		tt_loss_add(&m->loss, TT_LOST_DEFINITIONS, 1, 0, at);
	return TT_OK;
}
