/**
 * Makes keys of captures, finds the shard that owns one, and names the files made of it.
 */
#include "batch/key.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/utf8.h"

#define STEM_MAX 80

/* True if the character of ${len} bytes at ${p} must be written as %XX. len 0: no character. */
static bool
confusing(const unsigned char *p, size_t len)
{
	if (len == 0)
		return true;
	if (len == 1)
		return p[0] < 0x20 || p[0] == 0x7f || p[0] == '%' || p[0] == '!' || p[0] == '#';
	return len == 2 && p[0] == 0xc2 && p[1] < 0xa0;       /* C1 */
}

int
tt_key_add(struct tt_buf *key, const char *s, size_t n, struct tt_err *err)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t most = n < TT_KEY_NAME_MAX ? n : TT_KEY_NAME_MAX, i = 0;

	if (tt_buf_room(key, 3 * most + 24, NULL) != TT_OK)
		return tt_buf_error(key, err);
	while (i < most) {
		const unsigned char *p = (const unsigned char *)s + i;
		size_t len = tt_utf8_len(s + i, n - i);
		size_t bytes = len ? len : 1;

		if (i + bytes > most)
			break;
		for (size_t k = 0; k < bytes; k++) {
			if (confusing(p, len)) {
				key->p[key->n++] = '%';
				key->p[key->n++] = hex[p[k] >> 4];
				key->p[key->n++] = hex[p[k] & 15];
			} else {
				key->p[key->n++] = (char)p[k];
			}
		}
		i += bytes;
	}
	if (i == n)
		return tt_buf_error(key, err);
	tt_buf_printf(key, "~%016llx", (unsigned long long)tt_hash_bytes(s, n));
	return tt_buf_error(key, err);
}

int
tt_key_member(struct tt_buf *key, const char *path, uint64_t ordinal, struct tt_err *err)
{
	tt_buf_text(key, "!");
	tt_key_add(key, path, strlen(path), NULL);
	if (ordinal > 1)
		tt_buf_printf(key, "#%llu", (unsigned long long)ordinal);
	return tt_buf_error(key, err);
}

/* The value of a hexadecimal digit as keys have them. */
static int
digit(char c)
{
	return c <= '9' ? c - '0' : c - 'A' + 10;
}

int
tt_key_path(struct tt_buf *path, const char *key, size_t n, struct tt_err *err)
{
	for (size_t i = 0; i < n; i++) {
		char c = key[i] == '!' ? '/' : key[i];

		if (c == '%' && n - i > 2) {
			c = (char)(digit(key[i + 1]) << 4 | digit(key[i + 2]));
			i += 2;
		} else if (c == '#') {
			while (i + 1 < n && key[i + 1] != '!')
				i++;
			continue;
		}
		tt_buf_add(path, &c, 1);
	}
	return tt_buf_error(path, err);
}

bool
tt_shard_owns(const struct tt_shard *s, const char *key, size_t n)
{
	return s->count <= 1 || tt_hash_bytes(key, n) % s->count == s->index - 1;
}

void
tt_key_file(char *to, const char *key, size_t n)
{
	size_t from = n, k = 0;

	while (from > 0 && key[from - 1] != '/' && key[from - 1] != '!' && key[from - 1] != '\\')
		from--;
	for (size_t i = from; i < n && k < STEM_MAX; i++) {
		char c = key[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		to[k] = word || c == '_' || (k > 0 && (c == '.' || c == '-')) ? c : '_';
		k++;
	}
	snprintf(to + k, TT_KEY_FILE_MAX - k, "-%016llx", (unsigned long long)tt_hash_bytes(key, n));
}
