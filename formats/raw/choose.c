/**
 * Chooses the layout of a session by evidence: the reader itself reads the session's first bytes by each candidate layout, and the one that fits is used.
 *
 * The layout of the header's own version is tried first, on a small part of the session; nearly always that is enough. If it does not fit, all others are
 * tried on a larger part, and then all of them with messages packed or aligned contrary to the header. Each of several appended logs may have a wrong header.
 * Layouts differ in few types of messages: they are indistinguishable before one of these occurs. So a layout other than that of the header's version is
 * tried on more bytes at once, and on still more if other layouts fit, too.
 */
#include "raw/raw.h"

#include <string.h>

#include "io/src.h"

enum {
	TRY_FIRST = 1 << 16, TRY_ALL = 4 << 20, TRY_LATER = 1 << 20,                  /* bytes to try; sessions after the first get fewer */
	TRY_APART = 16 << 20,                                                         /* bytes to try if several layouts fit TRY_ALL */
	/*
	 * The first MAX_TRIALS sessions are tried wherever they are; later ones only TRIALS_APART bytes after the last one tried, as a few bytes may hold
	 * thousands of sessions.
	 */
	MAX_TRIALS = 16, TRIALS_APART = 4 << 20,
	MAX_REST = 1 << 14,                                                           /* bytes; a message that is cut by the end of a trial is seldom longer */
};

/* Read the session at ${p}, of at most ${n} bytes, by the layout of ${v}, ${aligned} or packed. Stop where more than ${most} bytes made no sense. */
static int
try_layout(struct raw *m, const uint8_t *p, size_t n, const struct unity_version *v, bool aligned, uint64_t most, struct unity_trial *t,
    struct unity_votes *votes, struct tt_err *err)
{
	struct tt_mem *mem = &m->env->mem;
	struct tt_capture cap = { .path = "" };
	struct tt_chunk c = { .cap = 0 };
	struct tt_fit_count sum = { .names = 0 };
	struct raw *x = NULL;
	struct tt_src *src = NULL;
	struct tt_batch b;

	*t = (struct unity_trial){ .parts = 0 };
	tt_arena_init(&cap.arena, mem);
	tt_batch_init(&b, mem, 0);
	int rc = tt_src_open_mem(m->env, p, n, tt_src_info(m->src)->name, &src, err);
	TT_THEN(rc, raw_trial.open(m->env, src, &cap, v, aligned, &x, err));
	while (rc == TT_OK && unity_trial_lost(t) <= most && (rc = raw_trial.next(x, &c, err)) == TT_OK && x->nsession == 1) {
		const struct raw_head *h = (const struct raw_head *)(const void *)c.bytes;
		struct unity_tried *of = h->stream == RAW_SESSION ? &t->definitions : &t->samples;

		tt_batch_reset(&b);
		rc = raw_trial.decode(x, &c, &b, err);
		of->bytes += h->n;
		/* A wrong layout finds lengths that cover all remaining bytes. */
		of->lost += b.fit.misfit_bytes + (b.fit.rest_bytes > MAX_REST ? b.fit.rest_bytes : 0);
		tt_fit_join(&sum, &b.fit);
	}
	t->parts = cap.fit.parts;
	t->misfits = sum.misfits;
	t->names_fit = tt_fit_names_fit(&sum);
	if (x)
		*votes = x->votes;
	if (x)
		raw_trial.close(x);
	tt_src_close(src);
	tt_batch_free(&b);
	tt_mem_free(mem, c.bytes, c.cap);
	tt_arena_free(&cap.arena);
	/* If the session cannot even be begun by this layout, no part of it fits. */
	return rc == TT_END || (rc < 0 && rc != TT_E_NOMEM && rc != TT_E_STOPPED && rc != TT_E_LIMIT && rc != TT_E_IO) ? TT_OK : rc;
}

/*
 * Show the first ${want} bytes of the session at ${at}: *${n} of them at *${p}, as far as the file has them. They end where the next log may begin, as there
 * may be thousands of logs of a few bytes.
 */
static int
show_session(struct raw *m, uint64_t at, size_t want, const uint8_t **p, size_t *n, struct tt_err *err)
{
	static const uint8_t magic[4] = { 0x50, 0x44, 0x33, 0x55 };
	const int rc = tt_window_show(&m->win, at, want, p, n, err);

	if (rc != TT_OK)
		return rc;
	/* A pipe may show more bytes than a file does. */
	*n = *n < want ? *n : want;
	const uint8_t *next = *p + (*n < RAW_HEAD ? *n : RAW_HEAD), *const end = *p + *n;
	for (; (next = memmem(next, (size_t)(end - next), magic, sizeof magic)); next++)
		if (at > 0 || (end - next >= 12 && next[4] == 1 && next[5] <= 1 && unity_is_word(unity_u32(next + 8)))) {
			*n = (size_t)(next - *p);
			break;
		}
	return TT_OK;
}

/* Try all layouts on the first ${want} bytes of the session at ${at}: first packed or aligned as its header says, then the other way. */
static int
try_all(struct raw *m, uint64_t at, size_t want, struct raw_choice *best, struct unity_votes *votes, struct tt_err *err)
{
	const struct unity_version *v, *near = unity_candidate(best->word, true, 0);
	const uint8_t *p;
	size_t n;
	int rc = show_session(m, at, want, &p, &n, err);

	for (unsigned k = 0; rc == TT_OK && k < 2; k++)
		for (unsigned i = 0; (v = unity_candidate(best->word, true, i)); i++) {
			const bool aligned = best->said_aligned != (k == 1), first = i == 0 && k == 0;
			const bool is_own = best->version == near && unity_version(best->word) == near && best->aligned == best->said_aligned;
			struct unity_trial t;
			struct unity_votes of = { .n = { 0 } };
			if ((rc = try_layout(m, p, n, v, aligned, first ? UINT64_MAX : unity_trial_lost(&best->trial), &t, &of, err)) != TT_OK)
				return rc;
			if (!first && !unity_trial_better(&t, &best->trial, is_own))
				continue;
			best->version = v;
			best->aligned = aligned;
			best->trial = t;
			*votes = of;
			if (unity_trial_fits(&t))
				return TT_OK;
		}
	return rc;
}

/* True if all messages have the same fields in both layouts. */
static bool
is_same_layout(const struct unity_version *a, const struct unity_version *b)
{
	for (unsigned type = 0; type < RAW_TYPES; type++) {
		const char *of_a = raw_fields(type, a->rank), *of_b = raw_fields(type, b->rank);
		if (of_a != of_b && (!of_a || !of_b || strcmp(of_a, of_b) != 0))
			return false;
	}
	return true;
}

/*
 * The layout of ${x} fits all tried bytes of the session at ${at}. If the session has more bytes, check there whether it still fits, and whether other
 * layouts do.
 */
static int
tell_apart(struct raw *m, uint64_t at, struct raw_choice *x, struct unity_votes *votes, struct tt_err *err)
{
	const struct unity_version *const first = x->version, *v;
	bool alike = false;
	const uint8_t *p;
	size_t n;
	int rc = show_session(m, at, TRY_APART, &p, &n, err);

	if (rc != TT_OK || n <= TRY_ALL)
		return rc;
	rc = try_layout(m, p, n, first, x->aligned, UINT64_MAX, &x->trial, votes, err);
	for (unsigned i = 0; rc == TT_OK && (v = unity_candidate(x->word, true, i)); i++) {
		struct unity_trial t;
		struct unity_votes of = { .n = { 0 } };
		if (is_same_layout(v, first) || is_same_layout(v, x->version))
			continue;
		if ((rc = try_layout(m, p, n, v, x->aligned, unity_trial_lost(&x->trial), &t, &of, err)) != TT_OK)
			break;
		alike = alike || (unity_trial_fits(&x->trial) && unity_trial_fits(&t));
		if (!unity_trial_better(&t, &x->trial, x->version == first))
			continue;
		x->version = v;
		x->trial = t;
		*votes = of;
	}
	x->trial.alike = alike && n == TRY_APART ? n : 0;
	return rc;
}

/* Return the choice made for an earlier session with the same header, or NULL. */
static const struct raw_choice *
find_choice(const struct raw *m, uint32_t word, bool aligned)
{
	for (unsigned i = 0; i < m->nchoice; i++)
		if (m->choice[i].word == word && m->choice[i].said_aligned == aligned)
			return &m->choice[i];
	return NULL;
}

static void
keep_choice(struct raw *m, const struct raw_choice *known, const struct raw_choice *x)
{
	const size_t at = known ? (size_t)(known - m->choice) : m->nchoice < RAW_CHOICES ? m->nchoice++ : RAW_CHOICES - 1;

	m->choice[at] = *x;
}

/* Try the layout of ${x} on enough of the session's first bytes to include samples; if it does not fit, try all others. */
static int
choose(struct raw *m, uint64_t at, struct raw_choice *x, struct tt_err *err)
{
	const bool later = m->ntrial > 0, own = x->version->word == x->word;
	struct unity_votes votes = { .n = { 0 } };
	const size_t most = later && own ? TRY_LATER : TRY_ALL;
	const uint8_t *p;
	size_t n;
	int rc = TT_OK;

	m->ntrial++;
	m->tried_at = at;
	for (size_t want = own ? TRY_FIRST : most; want <= most; want *= 4) {
		if ((rc = show_session(m, at, want, &p, &n, err)) == TT_OK)
			rc = try_layout(m, p, n, x->version, x->aligned, UINT64_MAX, &x->trial, &votes, err);
		if (rc != TT_OK || n < want || x->trial.samples.bytes > 0 || unity_trial_lost(&x->trial) > 0)
			break;
	}
	if (rc == TT_OK && x->trial.parts > 0 && !unity_trial_fits(&x->trial)) {
		x->version = unity_candidate(x->word, true, 0);
		x->aligned = x->said_aligned;
		rc = try_all(m, at, most, x, &votes, err);
	}
	if (rc == TT_OK && x->version->word != x->word && unity_trial_fits(&x->trial))
		rc = tell_apart(m, at, x, &votes, err);
	x->categories = unity_categories_by(&votes, x->version->categories);
	return rc;
}

int
raw_choose(struct raw *m, uint64_t at, uint32_t word, bool aligned, struct raw_choice *chosen, struct tt_err *err)
{
	const struct raw_choice *known = find_choice(m, word, aligned);

	if (known)
		*chosen = *known;
	else
		*chosen = (struct raw_choice){ .word = word, .said_aligned = aligned, .aligned = aligned, .version = unity_candidate(word, true, 0) };
	chosen->told = known != NULL;
	chosen->categories = known ? known->categories : chosen->version->categories;
	if (m->ntrial >= MAX_TRIALS && at - m->tried_at < TRIALS_APART)
		return TT_OK;
	const int rc = choose(m, at, chosen, err);
	if (rc == TT_OK)
		keep_choice(m, known, chosen);
	return rc;
}
