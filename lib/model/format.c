/**
 * Picks the reader that the first bytes of an input ask for, and says what they look like where none does; room for chunks.
 */
#include "model/format.h"

#include "base/setting.h"
#include "model/transfer.h"

/* The kind of bytes, if they are no capture. */
/* The reader undid one compression already. */
#define TWICE "data that is compressed twice: unpack it once"

static const char *
looks_like(const uint8_t *p, size_t n)
{
	static const struct { const char *magic; size_t n; const char *what; } known[] = {
		{ "version https://git-lfs", 23, "a Git LFS pointer: run `git lfs pull`" },
		{ "PK\x03\x04", 4, "a zip archive, which `tracetool batch` reads" },
		{ "7z\xbc\xaf\x27\x1c", 6, "a 7z archive, which `tracetool batch` reads" },
		{ "\x1f\x8b\x08", 3, TWICE }, { "\xfd" "7zXZ", 5, TWICE }, { "\x28\xb5\x2f\xfd", 4, TWICE }, { "BZh", 3, TWICE },
		{ "\x7f" "ELF", 4, "an ELF program or library" },
		{ "MZ", 2, "a Windows program or library" },
		{ "{", 1, "JSON text" },
		{ "[", 1, "JSON text" },
		{ "<", 1, "XML or HTML text" },
	};

	static const char *const results[] = { "\"TestSuite\"", "\"SampleGroups\"", "##performancetestresult2:" };

	for (size_t i = 0; i < sizeof results / sizeof *results && n > 0 && memchr("{[<#", p[0], 4); i++)
		if (memmem(p, n, results[i], strlen(results[i])))
			return "results of Unity's performance tests, which gates judge: see tracetool-budget(5)";
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (n >= known[i].n && memcmp(p, known[i].magic, known[i].n) == 0)
			return known[i].what;
	if (n > 262 && memcmp(p + 257, "ustar", 5) == 0)
		return "a tar archive, which `tracetool batch` reads";
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return NULL;
	return "its first bytes are zeros";
}

int
tt_format_pick(const struct tt_format *const *list, const uint8_t *head, size_t n, const struct tt_format **f,
    struct tt_err *err)
{
	const struct tt_format *best = NULL, *tie = NULL;
	int top = 0;

	for (size_t i = 0; list[i]; i++) {
		int bid = list[i]->probe(head, n);
		if (bid > top) {
			top = bid;
			best = list[i];
			tie = NULL;
		} else if (bid > 0 && bid == top) {
			tie = list[i];
		}
	}
	if (tie)
		return tt_fail(err, TT_E_UNKNOWN, 0, "looks like %s and like %s: choose with %s", best->name, tie->name,
		    tt_setting_name[TT_SETTING_INPUT_FORMAT]);
	if (best) {
		*f = best;
		return tt_transfer_refuse(list, head, n, true, err);
	}
	if (tt_transfer_refuse(list, head, n, false, err) != TT_OK)
		return TT_E_UNKNOWN;
	const char *what = looks_like(head, n);
	if (what)
		return tt_fail(err, TT_E_UNKNOWN, 0, "not a capture: %s", what);
	return tt_fail(err, TT_E_UNKNOWN, 0, "not a capture that tracetool reads (see: tracetool list formats)");
}

int
tt_chunk_room(struct tt_chunk *c, struct tt_mem *mem, size_t n, struct tt_err *err)
{
	if (n + TT_CHUNK_PAD <= c->cap)
		return TT_OK;
	tt_mem_free(mem, c->bytes, c->cap);
	c->bytes = NULL;
	c->cap = 0;
	return tt_mem_grow(mem, &c->bytes, &c->cap, n + TT_CHUNK_PAD, 1, err);
}
