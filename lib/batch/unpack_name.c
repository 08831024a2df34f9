/**
 * What members are called, and what they are; the contract is in unpack_parts.h.
 */
#include "batch/unpack_parts.h"

#include <string.h>

#include "base/hash.h"

const char *
tt_unpack_kind_of(const uint8_t *p, size_t n)
{
	static const struct { const char *magic; size_t n; const char *kind; } known[] = {
		{ "\x89PNG", 4, "image" }, { "\xff\xd8\xff", 3, "image" }, { "GIF8", 4, "image" },
		{ "\x7f" "ELF", 4, "program" }, { "MZ", 2, "program" },
		{ "{", 1, "JSON" }, { "[", 1, "JSON" }, { "<", 1, "XML" },
		{ "Rar!", 4, "other archive" }, { "MSCF", 4, "other archive" },
		{ "version https://git-lfs", 23, "Git LFS pointer" },
	};
	bool zero = true;

	if (n == 0)
		return "empty";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (n >= known[i].n && memcmp(p, known[i].magic, known[i].n) == 0)
			return known[i].kind;
	}
	for (size_t i = 0; i < n && zero; i++)
		zero = p[i] == 0;
	if (zero)
		return "zeros";
	for (size_t i = 0; i < n; i++) {
		if (p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\r' && p[i] != '\f')
			return "other";
	}
	return "text";
}

/* How often this name came in this archive, with this one. */
int
tt_unpack_ordinal(struct tt_mem *mem, struct names *s, const char *path, uint32_t *ordinal, struct tt_err *err)
{
	uint64_t h = tt_hash_bytes(path, strlen(path)) | 1;

	if (2 * (s->n + 1) > s->cap) {
		struct names old = *s;

		s->cap = old.cap ? 2 * old.cap : 256;
		s->hash = tt_mem_alloc(mem, s->cap * sizeof *s->hash, err);
		s->count = tt_mem_alloc(mem, s->cap * sizeof *s->count, err);
		if (!s->hash || !s->count) {
			tt_mem_free(mem, s->hash, s->cap * sizeof *s->hash);
			tt_mem_free(mem, s->count, s->cap * sizeof *s->count);
			*s = old;
			return err->code;
		}
		for (size_t i = 0; i < old.cap; i++) {
			size_t at = old.hash[i] & (s->cap - 1);

			if (!old.hash[i])
				continue;
			while (s->hash[at])
				at = (at + 1) & (s->cap - 1);
			s->hash[at] = old.hash[i];
			s->count[at] = old.count[i];
		}
		tt_mem_free(mem, old.hash, old.cap * sizeof *old.hash);
		tt_mem_free(mem, old.count, old.cap * sizeof *old.count);
	}
	size_t at = h & (s->cap - 1);
	while (s->hash[at] && s->hash[at] != h)
		at = (at + 1) & (s->cap - 1);
	s->n += !s->hash[at];
	s->hash[at] = h;
	*ordinal = ++s->count[at];
	return TT_OK;
}

/* Does the name try to lead somewhere, or to deceive whoever reads it? We never use it as a path: it is only told. */
bool
tt_unpack_odd(const char *s)
{
	if (s[0] == '/' || s[0] == '\0')
		return true;
	for (const char *p = s; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return true;
		if ((p == s || p[-1] == '/') && p[0] == '.' && p[1] == '.' && (p[2] == '/' || p[2] == '\0'))
			return true;
	}
	return false;
}
