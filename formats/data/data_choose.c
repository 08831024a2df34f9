/**
 * Chooses the layout of a file's records by evidence: a record states its size, and only the right layout leads exactly to its end mark.
 *
 * The layout of the file's own version is tried first, on a few records; nearly always that is enough. If it does not fit, or the version is unknown, all
 * others are tried on more records.
 */
#include "data/data.h"

#include "base/utf8.h"

enum { TRY_FIRST = 1 << 18, TRY_ALL = 4 << 20 };      /* bytes to try; at least the first record */
/* Maximum number of samples of a thread, and of records, in which markers of known categories are searched; number of such markers that suffices. */
enum { MAX_VOTED_SAMPLES = 1024, MAX_VOTED_RECORDS = 3, MAX_VOTES = 8 };

/* True if the names of the threads of the record, which is the last one walked over, are text, and the number of threads is that in its head at ${head}. */
static bool
is_sane(const struct data *m, const struct data_layout *l, const struct data_record *r, const uint8_t *head)
{
	const size_t at = l->rank == 0 ? 12 : 8;

	if (l->head < 28 && unity_u32(head + at) != r->nthread)
		return false;
	for (uint32_t i = 0; i < r->nthread && i < DATA_KEPT; i++)
		if (!tt_utf8_is_text(m->kept[i].group, m->kept[i].ngroup) || !tt_utf8_is_text(m->kept[i].name, m->kept[i].nname))
			return false;
	return true;
}

/*
 * True if the record whose head is at ${p}, with ${size} bytes after it, fits ${l}, whose padding may be changed. *${has_samples} is set if the record has
 * samples.
 */
static bool
fits(struct data *m, struct data_layout *l, const uint8_t *p, uint32_t size, bool *has_samples)
{
	struct data_layout x = *l;
	struct data_record r;

	for (unsigned i = 0; i < 5; i++) {
		if (i > 0) {
			x.pads_audio = (i - 1) & 1;
			x.pads_place = (i - 1) & 2;
		}
		if (data_walk(&x, p + x.head, size, &r, m->kept) && !r.short_of && is_sane(m, &x, &r, p)) {
			*l = x;
			for (uint32_t k = 0; k < r.nthread && k < DATA_KEPT; k++)
				*has_samples = *has_samples || m->kept[k].nsample > 0;
			return true;
		}
	}
	return false;
}

/* Walk over the records in the ${n} bytes at ${p}; stop when more than ${most} bytes did not fit. The first record has most definitions. */
static struct unity_trial
try_layout(struct data *m, struct data_layout *l, const uint8_t *p, size_t n, uint64_t most, bool *has_samples)
{
	struct unity_trial t = { .names_fit = true };
	uint32_t size;

	for (size_t at = 0; unity_trial_lost(&t) <= most && at < n && data_head_at(l, p + at, n - at, &size) && n - at >= l->head + (size_t)size;
	    at += l->head + (size_t)size) {
		struct unity_tried *of = at == 0 ? &t.definitions : &t.samples;
		const bool fit = fits(m, l, p + at, size, has_samples);
		t.parts++;
		t.misfits += !fit;
		of->bytes += size;
		of->lost += fit ? 0 : size;
		if (n - at - l->head - size >= 4 && unity_u32(p + at + l->head + size - 4) != DATA_MARK)
			break;
	}
	return t;
}

static struct data_layout
layout_of(const struct data *m, const struct unity_version *v, bool other_head)
{
	const uint8_t own = v->rank == 0 ? 16 : v->rank >= 11 ? 28 : 12;

	return (struct data_layout){ .word = m->layout.word, .like = v->word, .rank = v->rank, .head = !other_head ? own : own == 28 ? 12 : 28 };
}

static int
try_all(struct data *m, size_t want, struct unity_trial *best, struct tt_err *err)
{
	const struct unity_version *v, *near = unity_candidate(m->layout.word, false, 0);
	const bool old = m->layout.head == 16;
	bool has_samples = false;
	const uint8_t *p;
	size_t n;
	int rc = tt_window_show(&m->win, 0, want, &p, &n, err);

	n = n < want ? n : want;
	*best = try_layout(m, &m->layout, p, n, UINT64_MAX, &has_samples);
	for (unsigned i = 0; rc == TT_OK && !unity_trial_fits(best) && (v = unity_candidate(m->layout.word, false, i)); i++) {
		/* Records of the old family begin differently. */
		if ((v->rank == 0) != old)
			continue;
		for (unsigned other = 0; other < (old ? 1 : 2) && !unity_trial_fits(best); other++) {
			struct data_layout l = layout_of(m, v, other);
			const struct unity_trial t = try_layout(m, &l, p, n, best->parts ? unity_trial_lost(best) : UINT64_MAX, &has_samples);

			if (!unity_trial_better(&t, best, m->version == near))
				continue;
			*best = t;
			m->layout = l;
			m->version = v;
		}
	}
	return rc;
}

int
data_choose(struct data *m, struct unity_trial *t, struct tt_err *err)
{
	const uint8_t *p;
	uint32_t size;
	size_t n, first;
	bool has_samples = false;
	int rc = tt_window_show(&m->win, 0, TRY_FIRST, &p, &n, err);

	*t = (struct unity_trial){ .names_fit = true };
	if (rc != TT_OK || !data_head_at(&m->layout, p, n, &size))
		return rc;
	first = 28 + (size_t)size > TRY_FIRST ? 28 + (size_t)size : TRY_FIRST;
	if ((rc = tt_window_show(&m->win, 0, first, &p, &n, err)) != TT_OK)
		return rc;
	*t = try_layout(m, &m->layout, p, n < first ? n : first, UINT64_MAX, &has_samples);
	/* The first records may contain only definitions. */
	for (size_t want = first * 4; unity_trial_fits(t) && !has_samples && n >= want / 4 && want <= TRY_ALL; want *= 4) {
		if ((rc = tt_window_show(&m->win, 0, want, &p, &n, err)) != TT_OK)
			return rc;
		*t = try_layout(m, &m->layout, p, n < want ? n : want, UINT64_MAX, &has_samples);
	}
	return unity_trial_fits(t) ? TT_OK : try_all(m, first > TRY_ALL ? first : TRY_ALL, t, err);
}

/* Count the markers of the samples of ${n} threads as votes; each marker has its name and category. */
static void
vote_all(const struct data_layout *l, const struct data_thread *th, uint32_t n, struct unity_votes *votes)
{
	struct data_marker marker;

	for (; n > 0; n--, th++) {
		struct data_take t = { .p = th->marker, .end = th->end };
		for (uint32_t i = 0; i < th->nsample && i < MAX_VOTED_SAMPLES && !t.bad && votes->total < MAX_VOTES; i++)
			if (data_take_named(l, &t, &marker))
				unity_vote(votes, marker.name, marker.nname, marker.category);
	}
}

int
data_choose_categories(struct data *m, struct tt_err *err)
{
	const struct data_layout *l = &m->layout;
	struct unity_votes votes = { .n = { 0 } };
	struct data_record r;
	const uint8_t *p;
	uint32_t size;
	size_t n, want;
	int rc = tt_window_show(&m->win, 0, TRY_FIRST, &p, &n, err);

	m->built_in = m->version->categories;
	/* Later versions define their categories. */
	if (rc != TT_OK || l->rank >= 9 || !data_head_at(l, p, n, &size))
		return rc;
	want = l->head + (size_t)size > TRY_FIRST ? l->head + (size_t)size : TRY_FIRST;
	if ((rc = tt_window_show(&m->win, 0, want, &p, &n, err)) != TT_OK)
		return rc;
	n = n < want ? n : want;
	for (size_t at = 0, i = 0; i < MAX_VOTED_RECORDS && data_head_at(l, p + at, n - at, &size) && n - at >= l->head + (size_t)size; i++) {
		if (data_walk_any(m, p + at + l->head, size, &r))
			vote_all(l, m->kept, r.nthread < DATA_KEPT ? r.nthread : DATA_KEPT, &votes);
		at += l->head + (size_t)size;
	}
	m->built_in = unity_categories_by(&votes, m->version->categories);
	return TT_OK;
}
