/**
 * Replaces the words of texts by hashes, but for those that Unity or tracetool gives.
 */
#include "unity/scrub.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/names.h"
#include "producers/unity_markers.h"

enum { SHORT = 6, TRIES = 1000 };

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
	tt_mem_free(s->mem, s->text, s->captext);
	tt_mem_free(s->mem, s->keep, s->capkeep * sizeof *s->keep);
	*s = (struct unity_scrub){ .mem = s->mem, .done = s->done };
}

/* --- words --------------------------------------------------------------------------------------------------- */

static bool
is_word(unsigned c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Write letters for the word of ${n} bytes at ${word} to ${to}, which may be the same place: for each character one that is as long in UTF-8, and in UTF-16. */
static void
letters(uint64_t hash, const uint8_t *word, uint8_t *to, size_t n)
{
	static const char of[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	/* Cyrillic, of one first byte, and two blocks of Chinese characters. */
	static const struct { uint32_t first, many; } longer[] = { [2] = { 0x401, 63 }, [3] = { 0x4e00, 0x5000 }, [4] = { 0x20000, 0x8000 } };

	for (size_t i = 0; i < n;) {
		const size_t len = tt_utf8_len((const char *)word + i, n - i);
		hash = tt_seeded_mix(hash, i);
		if (len <= 1)
			to[i++] = (uint8_t)of[(hash >> 8) % 62];
		else
			i += tt_utf8_put((char *)to + i, longer[len].first + (uint32_t)((hash >> 8) % longer[len].many));
	}
}

/* Choose letters for a short word that no other word has. */
static int
short_word(struct unity_scrub *s, uint64_t hash, const uint8_t *word, uint8_t *to, size_t n, struct tt_err *err)
{
	struct unity_short r = { .word = hash, .n = (uint8_t)n };
	uint32_t at = tt_map_find(&s->word, hash, i, s->row[i].word == hash && s->row[i].n == n);
	uint64_t used = 0;

	if (at) {
		memcpy(to, s->row[at - 1].text, n);
		return TT_OK;
	}
	for (unsigned k = 0; k < TRIES; k++) {
		letters(hash + k, word, r.text, n);
		used = tt_seeded_text(1, (const char *)r.text, n);
		if (memcmp(r.text, word, n) != 0 && !tt_map_find(&s->used, used, i, s->row[i].n == n && memcmp(s->row[i].text, r.text, n) == 0))
			break;
	}
	memcpy(to, r.text, n);
	if (tt_map_push(&s->word, s->mem, hash, &s->row, &s->cap, s->n, err) != TT_OK || tt_map_add(&s->used, s->mem, used, s->n, err) != TT_OK)
		return err->code;
	s->row[s->n++] = r;
	return TT_OK;
}

/* Write letters for the word of ${n} bytes at ${word} to ${to}, another place if it is short. */
static int
put_word(struct unity_scrub *s, const uint8_t *word, uint8_t *to, size_t n, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(n, (const char *)word, n);

	if (n <= SHORT)
		return short_word(s, hash, word, to, n, err);
	letters(hash, word, to, n);
	return TT_OK;
}

/* --- what stays ---------------------------------------------------------------------------------------------- */

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
	return strcmp(name, UNITY_MAIN_THREAD) == 0 || unity_is_editor(name, 0) || unity_role(name) != UNITY_PLAIN || unity_counter(name).builtin ||
	    unity_arg_names(name) || is_category(name) || unity_is_published(name);
}

/* Make room for a text of ${n} bytes and a flag for each byte. */
static int
ready(struct unity_scrub *s, size_t n, struct tt_err *err)
{
	int rc = tt_mem_grow(s->mem, &s->text, &s->captext, n + 1, 1, err);

	if (rc == TT_OK)
		rc = tt_mem_grow(s->mem, &s->keep, &s->capkeep, n + 1, sizeof *s->keep, err);
	return rc;
}

/* Set for each of the ${n} bytes of s->text whether it stays. */
static void
find_meaning(struct unity_scrub *s, size_t n)
{
	s->text[n] = '\0';
	memset(s->keep, 0, n * sizeof *s->keep);
	if (strlen(s->text) == n && stays(s->text)) {
		memset(s->keep, true, n * sizeof *s->keep);
		return;
	}
	tt_name_meaning(s->text, s->keep);
	const size_t group = unity_published_group(s->text);
	memset(s->keep, true, group * sizeof *s->keep);
	const size_t end = unity_counter_end(s->text), len = strlen(s->text);
	memset(s->keep + len - end, true, end * sizeof *s->keep);
}

/* Scrub the ${n} bytes at ${p}, except those set in ${keep}. */
static int
scrub(struct unity_scrub *s, uint8_t *p, size_t n, const bool *keep, struct tt_err *err)
{
	uint8_t word[SHORT];
	int rc = TT_OK;

	s->done->names += n > 0;
	for (size_t i = 0, k; i < n && rc == TT_OK; i = k) {
		for (k = i; k < n && is_word(p[k]) && !keep[k]; k++)
			;
		if (k == i) {
			k++;
			continue;
		}
		/* Short words: put_word() compares the replacement with the word. */
		if (k - i <= SHORT)
			memcpy(word, p + i, k - i);
		rc = put_word(s, k - i <= SHORT ? word : p + i, p + i, k - i, err);
	}
	return rc;
}

int
unity_scrub_text(struct unity_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	int rc = ready(s, n, err);

	if (rc != TT_OK || n == 0)
		return rc;
	memcpy(s->text, p, n);
	find_meaning(s, n);
	return scrub(s, p, n, s->keep, err);
}

int
unity_scrub_thread(struct unity_scrub *s, uint8_t *group, size_t ngroup, uint8_t *name, size_t nname, struct tt_err *err)
{
	int rc;

	if (ngroup == 0)
		return unity_scrub_text(s, name, nname, err);
	/* Together they are the name of the marker of the thread's frames, "Group.Name". */
	if ((rc = ready(s, ngroup + 1 + nname, err)) != TT_OK)
		return rc;
	memcpy(s->text, group, ngroup);
	s->text[ngroup] = '.';
	if (nname)
		memcpy(s->text + ngroup + 1, name, nname);
	find_meaning(s, ngroup + 1 + nname);
	rc = scrub(s, group, ngroup, s->keep, err);
	return rc == TT_OK ? scrub(s, name, nname, s->keep + ngroup + 1, err) : rc;
}

/* Put the UTF-8 of ${n} bytes at ${text} back, as UTF-16, to the ${size} bytes at ${p} that it came from. */
static void
put_wide(uint8_t *p, size_t size, const char *text, size_t n)
{
	for (size_t i = 0, k = 0, len; i < n && (len = tt_utf8_len(text + i, n - i)) > 0; i += len) {
		const uint32_t c = tt_utf8_code(text + i, len), high = 0xd800 + ((c - 0x10000) >> 10), low = 0xdc00 | (c & 0x3ff);
		const uint32_t unit[2] = { c < 0x10000 ? c : high, low };
		for (unsigned u = 0; u < 1 + (c >= 0x10000) && k + 2 <= size; u++) {
			p[k++] = (uint8_t)unit[u];
			p[k++] = (uint8_t)(unit[u] >> 8);
		}
	}
}

/* The same name may also be there in UTF-8, so it is scrubbed as that. */
static int
scrub_wide(struct unity_scrub *s, uint8_t *p, size_t n, struct tt_err *err)
{
	struct tt_buf text = { .cap = 0 };
	int rc = tt_utf8_from16(&text, p, n, err);

	/* An odd last byte is not text. */
	if (n % 2)
		p[n - 1] = 0;
	if (rc == TT_OK)
		rc = unity_scrub_text(s, (uint8_t *)text.p, text.n, err);
	if (rc == TT_OK)
		put_wide(p, n, text.p, text.n);
	tt_buf_free(&text);
	return rc;
}

int
unity_scrub_value(struct unity_scrub *s, unsigned type, uint8_t *p, size_t n, struct tt_err *err)
{
	if (type == UNITY_V_TEXT)
		return unity_scrub_text(s, p, n, err);
	if (type == UNITY_V_TEXT16)
		return scrub_wide(s, p, n, err);
	if (n && unity_value_size(type) != n)
		memset(p, 0, n);
	return TT_OK;
}
