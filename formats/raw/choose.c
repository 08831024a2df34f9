/**
 * Chooses the layout of a session by evidence: the reader itself reads the session's first bytes by each layout in question; the one that fits is taken.
 *
 * The layout of the header's own version is tried first, on a little of the session; nearly always that is all. If it does not fit, all others are tried on
 * more.
 */
#include "raw/raw.h"

#include "io/src.h"

enum { TRY_FIRST = 1 << 18, TRY_ALL = 4 << 20, TRY_LATER = 1 << 20 };         /* bytes; of sessions after the first, less */

/* Read the session that begins at ${p}, of ${n} bytes at most, by the layout of ${v}; no further than where it has more misfits than ${most}. */
static int
try_layout(struct raw *m, const uint8_t *p, size_t n, const struct unity_version *v, uint64_t most, struct unity_trial *t, unsigned *gc, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	struct tt_capture cap = { .path = "" };
	struct tt_chunk c = { .cap = 0 };
	struct tt_fit_count sum = { .names = 0 };
	struct raw *x = NULL;
	struct tt_src *src = NULL;
	struct tt_batch b;

	tt_arena_init(&cap.arena, mem);
	tt_batch_init(&b, mem, 0);
	int rc = tt_src_open_mem(m->env, p, n, tt_src_info(m->src)->name, &src, err);
	if (rc == TT_OK)
		rc = raw_trial.open(m->env, src, &cap, v, &x, err);
	while (rc == TT_OK && sum.misfits <= most && (rc = raw_trial.next(x, &c, err)) == TT_OK && x->nsession == 1) {
		tt_batch_reset(&b);
		rc = raw_trial.decode(x, &c, &b, err);
		tt_fit_join(&sum, &b.fit);
	}
	*t = (struct unity_trial){ .parts = cap.fit.parts, .misfits = sum.misfits, .names_fit = tt_fit_names_fit(&sum) };
	if (x)
		*gc = x->session[0].marker.gc_category;
	if (x)
		raw_trial.close(x);
	tt_src_close(src);
	tt_batch_free(&b);
	tt_mem_free(mem, c.bytes, c.cap);
	tt_arena_free(&cap.arena);
	/* A session that cannot be begun by this layout has no part of it. */
	return rc == TT_END || (rc < 0 && rc != TT_E_NOMEM && rc != TT_E_STOPPED && rc != TT_E_LIMIT && rc != TT_E_IO) ? TT_OK : rc;
}

/* Try all layouts on the first ${want} bytes of the session at ${at}. */
static int
try_all(struct raw *m, uint64_t at, size_t want, struct raw_choice *best, unsigned *gc, struct tt_err *err)
{
	const struct unity_version *v;
	const uint8_t *p;
	size_t n;
	int rc = tt_window_show(&m->win, at, want, &p, &n, err);

	/* A pipe may show more bytes than a file does. */
	n = n < want ? n : want;
	for (unsigned i = 0; rc == TT_OK && (v = unity_candidate(best->word, true, i)); i++) {
		struct unity_trial t;
		unsigned of = RAW_NO_CATEGORY;
		if ((rc = try_layout(m, p, n, v, i ? best->trial.misfits : UINT64_MAX, &t, &of, err)) != TT_OK)
			break;
		if (i > 0 && !unity_trial_better(&t, &best->trial, unity_version(best->word) == best->version))
			continue;
		best->version = v;
		best->trial = t;
		*gc = of;
		if (unity_trial_fits(&t))
			break;
	}
	return rc;
}

/* The choice that was made for an earlier session of the same version; NULL: none was. */
static const struct raw_choice *
find_choice(const struct raw *m, uint32_t word)
{
	for (unsigned i = 0; i < m->nchoice; i++)
		if (m->choice[i].word == word)
			return &m->choice[i];
	return NULL;
}

int
raw_choose(struct raw *m, uint64_t at, uint32_t word, struct raw_choice *chosen, struct tt_err *err)
{
	const struct raw_choice *known = find_choice(m, word);
	struct raw_choice x = { .word = word, .version = unity_candidate(word, true, 0) };
	unsigned gc = RAW_NO_CATEGORY;
	const uint8_t *p;
	size_t n;
	int rc = TT_OK;

	x.categories = x.version->categories;
	if (known || m->nchoice == RAW_CHOICES) {
		*chosen = known ? *known : x;
		return TT_OK;
	}
	rc = tt_window_show(&m->win, at, TRY_FIRST, &p, &n, err);
	if (rc == TT_OK)
		rc = try_layout(m, p, n < TRY_FIRST ? n : TRY_FIRST, x.version, UINT64_MAX, &x.trial, &gc, err);
	if (rc == TT_OK && x.trial.parts > 0 && !unity_trial_fits(&x.trial))
		rc = try_all(m, at, m->nchoice ? TRY_LATER : TRY_ALL, &x, &gc, err);
	x.categories = gc == RAW_NO_CATEGORY ? x.version->categories : unity_categories_by(gc, x.version->categories);
	if (rc == TT_OK)
		m->choice[m->nchoice++] = x;
	*chosen = x;
	return rc;
}
