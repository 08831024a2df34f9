/**
 * Scrubbing texts; the contract is in scrub.h.
 */
#include "unity/scrub.h"

#include <ctype.h>
#include <string.h>

#include "base/hash_seed.h"
#include "base/mem.h"
#include "model/filter.h"
#include "model/waits.h"

enum { SHORT = 6, TRIES = 1000, NAME_MAX = 200 };

int
unity_scrub_read(struct unity_scrub *s, const struct tt_format *f, void *ctx, struct tt_err *err)
{
	struct tt_chunk c = { .cap = 0 };
	struct tt_batch b;
	struct tt_loss all = { .any = false };
	int rc;

	tt_batch_init(&b, s->mem, 0);
	while ((rc = f->next(ctx, &c, err)) == TT_OK && (tt_batch_reset(&b), rc = f->decode(ctx, &c, &b, err)) == TT_OK) {
		tt_loss_join(&all, &c.loss);
		tt_loss_join(&all, &b.loss);
	}
	if (rc == TT_END)
		tt_loss_join(&all, &c.loss);
	tt_batch_free(&b);
	tt_mem_free(s->mem, c.bytes, c.cap);
	s->done->damaged = s->done->damaged || tt_loss_damaged(&all);
	s->done->at = UINT64_MAX;
	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (all.e[k].n && tt_loss_info[k].damage && all.e[k].first_at < s->done->at)
			s->done->at = all.e[k].first_at;
	return rc == TT_END ? TT_OK : rc;
}

void
unity_scrub_free(struct unity_scrub *s)
{
	tt_map_free(&s->word, s->mem);
	tt_map_free(&s->used, s->mem);
	tt_mem_free(s->mem, s->row, s->cap * sizeof *s->row);
	*s = (struct unity_scrub){ .mem = s->mem, .done = s->done };
}

/* --- words --------------------------------------------------------------------------------------------------- */

static bool
is_word(unsigned c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static void
letters(uint64_t hash, uint8_t *to, size_t n)
{
	static const char of[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	for (size_t i = 0; i < n; i++) {
		hash = tt_slot_mix(hash, i);
		to[i] = (uint8_t)of[(hash >> 8) % 62];
	}
}

/* Letters for a short word that stand for no other one. */
static int
short_word(struct unity_scrub *s, uint64_t hash, const uint8_t *word, uint8_t *to, size_t n, struct tt_err *err)
{
	struct unity_short r = { .word = hash, .n = (uint8_t)n };
	uint32_t at = tt_map_find(&s->word, hash, i, s->row[i].word == hash && s->row[i].n == n);
	uint64_t used = 0;
	int rc;

	if (at) {
		memcpy(to, s->row[at - 1].text, n);
		return TT_OK;
	}
	for (unsigned k = 0; k < TRIES; k++) {
		letters(hash + k, r.text, n);
		used = tt_slot_text(1, (const char *)r.text, n);
		if (memcmp(r.text, word, n) != 0 && !tt_map_find(&s->used, used, i, s->row[i].n == n && memcmp(s->row[i].text, r.text, n) == 0))
			break;
	}
	memcpy(to, r.text, n);
	if ((rc = tt_mem_grow(s->mem, &s->row, &s->cap, s->n + 1, sizeof *s->row, err)) != TT_OK)
		return rc;
	s->row[s->n] = r;
	rc = tt_map_add(&s->word, s->mem, hash, s->n, err);
	return rc == TT_OK ? tt_map_add(&s->used, s->mem, used, s->n++, err) : rc;
}

/* Put letters for the word of ${n} bytes at ${word} to ${to}, ${len} of them. */
static int
put_word(struct unity_scrub *s, const uint8_t *word, size_t n, uint8_t *to, size_t len, struct tt_err *err)
{
	const uint64_t hash = tt_slot_text(n, (const char *)word, n);

	if (len <= SHORT)
		return short_word(s, hash, word, to, len, err);
	letters(hash, to, len);
	return TT_OK;
}

/* Bytes ${keep} to ${until} stay. */
static int
scrub(struct unity_scrub *s, uint8_t *p, size_t n, size_t keep, size_t until, struct tt_err *err)
{
	uint8_t to[64], *out = to;
	int rc = TT_OK;

	s->done->names += n > 0;
	for (size_t i = 0, k; i < n && rc == TT_OK; i = k) {
		if (i >= keep && i < until) {
			k = until;
			continue;
		}
		for (k = i; k < n && is_word(p[k]) && (k < keep || k >= until); k++)
			;
		if (k == i) {
			k++;
			continue;
		}
		out = k - i > sizeof to ? tt_mem_alloc(s->mem, k - i, err) : to;
		if (!out)
			return err->code;
		rc = put_word(s, p + i, k - i, out, k - i, err);
		memcpy(p + i, out, k - i);
		if (out != to)
			tt_mem_free(s->mem, out, k - i);
	}
	return rc;
}

int
unity_scrub_text(struct unity_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	return scrub(s, p, n, n, n, err);
}

int
unity_scrub_wide(struct unity_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	uint8_t *to;
	int rc = TT_OK;

	s->done->names += n > 0;
	/* Half a unit at the end is not text. */
	if (n % 2)
		p[n - 1] = 0;
	for (size_t i = 0, k; i + 2 <= n && rc == TT_OK; i = k) {
		for (k = i; k + 2 <= n && is_word(unity_u16(p + k)); k += 2)
			;
		if (k == i) {
			k += 2;
			continue;
		}
		const size_t len = (k - i) / 2;
		if (!(to = tt_mem_alloc(s->mem, len, err)))
			return err->code;
		rc = put_word(s, p + i, k - i, to, len, err);
		for (size_t j = 0; j < len; j++) {
			p[i + 2 * j] = to[j];
			p[i + 2 * j + 1] = 0;
		}
		tt_mem_free(s->mem, to, len);
	}
	return rc;
}

/* --- names that stay -------------------------------------------------------------------------------------------- */

static bool
is_category(const char *name)
{
	static const char *const versions[] = { "", "5.", "2017.", "2018.4" };
	const char *have;

	for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
		for (unsigned id = 0; id < 64; id++)
			if ((have = unity_category(id, versions[v])) && strcmp(have, name) == 0)
				return true;
	return false;
}

static bool
stays(const char *name)
{
	static const char *const known[] = { "Main Thread", "Render Thread", "PlayerLoop", "EditorLoop", "Idle" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i], name) == 0)
			return true;
	return unity_role(name) != UNITY_PLAIN || unity_counter(name).builtin || unity_arg_names(name) || is_category(name);
}

/* The part of a name by which it is known to wait; *${n} 0: there is none. */
static size_t
waits(const char *name, size_t *n)
{
	for (const char *const *w = tt_wait_markers; *w; w++) {
		const char *at = tt_pattern_is_plain(*w) ? strstr(name, *w) : NULL;
		if (at) {
			*n = strlen(*w);
			return (size_t)(at - name);
		}
	}
	*n = 0;
	return 0;
}

int
unity_scrub_name(struct unity_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	char name[NAME_MAX];
	size_t keep, len = 0;

	if (n >= sizeof name)
		return unity_scrub_text(s, p, n, err);
	memcpy(name, p, n);
	name[n] = '\0';
	if (strlen(name) == n && stays(name))
		return TT_OK;
	keep = waits(name, &len);
	return scrub(s, p, n, len ? keep : n, len ? keep + len : n, err);
}

int
unity_scrub_thread(struct unity_scrub *s, uint8_t *group, size_t ngroup, uint8_t *name, size_t nname, struct tt_err *err)
{
	int rc;

	/* As the marker of its frames is called, "Group.Name". */
	if (ngroup == 0)
		return unity_scrub_name(s, name, nname, err);
	rc = unity_scrub_text(s, group, ngroup, err);
	return rc == TT_OK ? unity_scrub_text(s, name, nname, err) : rc;
}

int
unity_scrub_value(struct unity_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err)
{
	if (type == UNITY_V_TEXT)
		return unity_scrub_text(s, p, n, err);
	if (type == UNITY_V_TEXT16)
		return unity_scrub_wide(s, p, n, err);
	if (n && unity_value_size(type) != n)
		memset(p, 0, n);
	return TT_OK;
}
