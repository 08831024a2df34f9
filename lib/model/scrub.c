/**
 * Replaces the words of texts by letters that are made of their hashes.
 */
#include "model/scrub.h"

#include <string.h>

#include "base/hash_seed.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/event.h"
#include "model/format.h"

enum { SHORT = 6, TRIES = 1000, LAST_TEXTS = 1024 };

void
tt_scrub_damage(struct tt_scrub *s, const struct tt_loss *all)
{
	s->done->is_damaged = s->done->is_damaged || tt_loss_damaged(all);
	s->done->damaged_at = UINT64_MAX;
	for (unsigned k = 0; k < TT_LOST_KINDS; k++)
		if (all->e[k].n && tt_loss_info[k].damage && all->e[k].first_at < s->done->damaged_at)
			s->done->damaged_at = all->e[k].first_at;
}

int
tt_scrub_read(struct tt_scrub *s, const struct tt_format *f, void *ctx, struct tt_err *err)
{
	struct tt_chunk c = { .cap = 0 };
	struct tt_batch b;
	struct tt_loss all = { .any = false };
	int rc;

	tt_batch_init(&b, s->mem, 0);
	while ((rc = f->next(ctx, &c, err)) == TT_OK && (tt_batch_reset(&b), rc = f->decode(ctx, &c, &b, err)) == TT_OK) {
		tt_loss_join(&all, &c.loss);
		tt_loss_join(&all, &b.loss);
		s->nevent += b.nevent;
	}
	if (rc == TT_END)
		tt_loss_join(&all, &c.loss);
	tt_batch_free(&b);
	tt_mem_free(s->mem, c.bytes, c.cap);
	tt_scrub_damage(s, &all);
	return rc == TT_END ? TT_OK : rc;
}

void
tt_scrub_free(struct tt_scrub *s)
{
	tt_map_free(&s->word, s->mem);
	tt_map_free(&s->used, s->mem);
	tt_mem_free(s->mem, s->row, s->cap * sizeof *s->row);
	tt_mem_free(s->mem, s->text, s->captext);
	tt_mem_free(s->mem, s->replaced_last, LAST_TEXTS * sizeof *s->replaced_last);
	tt_mem_free(s->mem, s->keep, s->capkeep * sizeof *s->keep);
	*s = (struct tt_scrub){ .mem = s->mem, .done = s->done };
}

/* --- words --------------------------------------------------------------------------------------------------- */

static bool
is_word(unsigned c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/*
 * Write letters for the word of ${n} bytes at ${word} to ${to}, which may be the same place: for each character one that is as long in UTF-8, and in UTF-16,
 * and for a byte that is not UTF-8 another such byte.
 */
static void
letters(uint64_t hash, const uint8_t *word, uint8_t *to, size_t n)
{
	static const char of[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
	/* Cyrillic, of one first byte, and two blocks of Chinese characters. */
	static const struct { uint32_t first, many; } longer[] = { [2] = { 0x401, 63 }, [3] = { 0x4e00, 0x5000 }, [4] = { 0x20000, 0x8000 } };

	for (size_t i = 0; i < n;) {
		const size_t len = tt_utf8_len((const char *)word + i, n - i);
		hash = tt_seeded_mix(hash, i);
		if (len == 0)
			to[i++] = (uint8_t)(0x80 | (hash >> 8 & 0x3f));
		else if (len == 1)
			to[i++] = (uint8_t)of[(hash >> 8) % 62];
		else
			i += tt_utf8_put((char *)to + i, longer[len].first + (uint32_t)((hash >> 8) % longer[len].many));
	}
}

/* True if the short word of ${n} bytes at ${text} replaces another one, or is reserved. *${hash} finds it. */
static bool
is_used(const struct tt_scrub *s, const uint8_t *text, size_t n, uint64_t *hash)
{
	*hash = tt_seeded_text(1, (const char *)text, n);
	return tt_map_find(&s->used, *hash, i, s->row[i].n == n && memcmp(s->row[i].text, text, n) == 0) != 0;
}

int
tt_scrub_reserve(struct tt_scrub *s, const uint8_t *p, size_t n, struct tt_err *err)
{
	uint64_t hash;
	int rc = TT_OK;

	for (size_t i = 0, k; i < n && rc == TT_OK; i = k + 1) {
		for (k = i; k < n && is_word(p[k]); k++)
			;
		if (k == i || k - i > SHORT || is_used(s, p + i, k - i, &hash))
			continue;
		rc = tt_mem_grow(s->mem, &s->row, &s->cap, s->n + 1, sizeof *s->row, err);
		TT_THEN(rc, tt_map_add(&s->used, s->mem, hash, s->n, err));
		if (rc != TT_OK)
			break;
		s->row[s->n] = (struct tt_scrub_short){ .n = (uint8_t)(k - i) };
		memcpy(s->row[s->n++].text, p + i, k - i);
	}
	return rc;
}

/* Choose letters for a short word that no other word has. */
static int
short_word(struct tt_scrub *s, uint64_t hash, const uint8_t *word, uint8_t *to, size_t n, struct tt_err *err)
{
	struct tt_scrub_short r = { .word = hash, .n = (uint8_t)n };
	uint32_t at = tt_map_find(&s->word, hash, i, s->row[i].word == hash && s->row[i].n == n);
	uint64_t used = 0;

	if (at) {
		memcpy(to, s->row[at - 1].text, n);
		return TT_OK;
	}
	for (unsigned k = 0; k < TRIES; k++) {
		letters(hash + k, word, r.text, n);
		if (memcmp(r.text, word, n) != 0 && !is_used(s, r.text, n, &used))
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
put_word(struct tt_scrub *s, const uint8_t *word, uint8_t *to, size_t n, struct tt_err *err)
{
	const uint64_t hash = tt_seeded_text(n, (const char *)word, n);

	if (n <= SHORT)
		return short_word(s, hash, word, to, n, err);
	letters(hash, word, to, n);
	return TT_OK;
}

int
tt_scrub_room(struct tt_scrub *s, size_t n, struct tt_err *err)
{
	int rc = tt_mem_grow(s->mem, &s->text, &s->captext, n + 1, 1, err);

	TT_THEN(rc, tt_mem_grow(s->mem, &s->keep, &s->capkeep, n + 1, sizeof *s->keep, err));
	return rc;
}

static struct tt_scrub_replacement *
place_of(const struct tt_scrub *s, const void *text, size_t n)
{
	return &s->replaced_last[tt_seeded_text(2, text, n) % LAST_TEXTS];
}

bool
tt_scrub_again(struct tt_scrub *s, uint8_t *p, size_t n)
{
	if (!s->replaced_last || n == 0 || n > sizeof s->replaced_last->text)
		return false;
	const struct tt_scrub_replacement *const d = place_of(s, p, n);
	if (d->n != n || memcmp(d->text, p, n) != 0)
		return false;
	memcpy(p, d->to, n);
	s->done->ntexts++;
	return true;
}

int
tt_scrub_keep(struct tt_scrub *s, const char *text, const uint8_t *to, size_t n, struct tt_err *err)
{
	if (n == 0 || n > sizeof s->replaced_last->text)
		return TT_OK;
	if (!s->replaced_last && !(s->replaced_last = tt_mem_alloc(s->mem, LAST_TEXTS * sizeof *s->replaced_last, err)))
		return err->code;
	struct tt_scrub_replacement *const d = place_of(s, text, n);
	d->n = (uint8_t)n;
	memcpy(d->text, text, n);
	memcpy(d->to, to, n);
	return TT_OK;
}

int
tt_scrub_words(struct tt_scrub *s, uint8_t *p, size_t n, const bool *keep, struct tt_err *err)
{
	uint8_t word[SHORT];
	int rc = TT_OK;

	s->done->ntexts += n > 0;
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
