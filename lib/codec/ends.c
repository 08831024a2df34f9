/**
 * Finds where streams of xz and zstd end, so that bytes after them are noticed.
 */
#include "codec/ends.h"

#include <string.h>

#define XZ_PADDING 4

static const uint8_t xz_magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
static const uint8_t zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

/* Collect ${want} bytes next, and then go on with ${state}. */
static void
next(struct tt_ends *w, enum tt_ends_state state, unsigned want)
{
	w->state = state;
	w->nwanted = want;
}

/* --- xz ------------------------------------------------------------------- */

/* Return the padding bytes to the next multiple of four. */
static unsigned
xz_padding(const struct tt_ends *w)
{
	return (unsigned)(-w->stream_n & 3);
}

/* Read ${control}, the first byte of a chunk of LZMA2, the last filter of every block. */
static void
xz_chunk(struct tt_ends *w, uint8_t control)
{
	if (control == 0) {
		w->nskip = xz_padding(w) + w->checksum_n;
		next(w, TT_ENDS_XZ_BLOCK, 1);
	} else if (control >= 0x80) {
		w->has_extra = control >= 0xc0;
		next(w, TT_ENDS_XZ_PACKED, 4);
	} else {
		next(w, control <= 2 ? TT_ENDS_XZ_PLAIN : TT_ENDS_LOST, 2);
	}
}

/* Read a byte of the number of records, seven bits of it. */
static void
xz_count(struct tt_ends *w, uint8_t byte)
{
	w->nindex_left |= (uint64_t)(byte & 0x7f) << w->shift;
	w->shift += 7;
	if (byte & 0x80 && w->shift > 56) {
		w->state = TT_ENDS_LOST;
	} else if (!(byte & 0x80)) {
		w->nindex_left *= 2;
		next(w, TT_ENDS_XZ_RECORDS, 1);
	}
}

static void
xz_index_end(struct tt_ends *w)
{
	w->nskip = xz_padding(w) + 4;
	next(w, TT_ENDS_XZ_FOOT, 12);
}

static void
xz_step(struct tt_ends *w, const uint8_t *p)
{
	static const uint8_t check[16] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };

	switch (w->state) {
	case TT_ENDS_XZ_HEAD:
		w->checksum_n = check[p[7] & 15];
		next(w, TT_ENDS_XZ_BLOCK, 1);
		break;
	case TT_ENDS_XZ_BLOCK:
		w->nindex_left = w->shift = 0;
		w->nskip = p[0] ? p[0] * 4u + 3 : 0;
		next(w, p[0] ? TT_ENDS_XZ_CHUNK : TT_ENDS_XZ_COUNT, 1);
		break;
	case TT_ENDS_XZ_CHUNK:
		xz_chunk(w, p[0]);
		break;
	case TT_ENDS_XZ_PLAIN:
		w->nskip = ((unsigned)p[0] << 8 | p[1]) + 1u;
		next(w, TT_ENDS_XZ_CHUNK, 1);
		break;
	case TT_ENDS_XZ_PACKED:
		w->nskip = ((unsigned)p[2] << 8 | p[3]) + 1u + w->has_extra;
		next(w, TT_ENDS_XZ_CHUNK, 1);
		break;
	case TT_ENDS_XZ_COUNT:
		xz_count(w, p[0]);
		if (w->state == TT_ENDS_XZ_RECORDS && w->nindex_left == 0)
			xz_index_end(w);
		break;
	case TT_ENDS_XZ_RECORDS:
		w->nindex_left -= !(p[0] & 0x80);
		if (w->nindex_left == 0)
			xz_index_end(w);
		break;
	default:
		w->state = p[10] == 'Y' && p[11] == 'Z' ? TT_ENDS_BETWEEN : TT_ENDS_LOST;
	}
}

/* --- zstd ----------------------------------------------------------------- */

static void
zstd_step(struct tt_ends *w, const uint8_t *p)
{
	static const uint8_t dictionary[4] = { 0, 1, 2, 4 }, size[4] = { 0, 2, 4, 8 };

	if (w->state == TT_ENDS_ZSTD_HEAD) {
		const bool single = p[4] >> 5 & 1;

		w->has_extra = p[4] >> 2 & 1;
		w->nskip = 0u + !single + dictionary[p[4] & 3] + size[p[4] >> 6] + (single && p[4] >> 6 == 0);
		next(w, TT_ENDS_ZSTD_BLOCK, 3);
	} else if (w->state == TT_ENDS_ZSTD_SKIP) {
		w->nskip = (uint64_t)p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24;
		w->state = TT_ENDS_BETWEEN;
	} else {
		const unsigned head = p[0] | (unsigned)p[1] << 8 | (unsigned)p[2] << 16, kind = head >> 1 & 3;

		w->nskip = kind == 1 ? 1 : head >> 3;
		if (kind == 3) {
			w->state = TT_ENDS_LOST;
		} else if (head & 1) {
			w->nskip += w->has_extra ? 4 : 0;
			w->state = TT_ENDS_BETWEEN;
		}
	}
}

/* --- both ----------------------------------------------------------------- */

static bool
begins(const uint8_t *p, size_t n, const uint8_t *magic, size_t len)
{
	return n >= len && memcmp(p, magic, len) == 0;
}

/* Decide whether a stream, padding or the end comes next, at the start or after a stream. Returns the number of padding bytes at ${p}. */
static size_t
between(struct tt_ends *w, const uint8_t *p, size_t n)
{
	w->stream_n = 0;
	if (w->is_xz && begins(p, n, xz_magic, sizeof xz_magic))
		next(w, TT_ENDS_XZ_HEAD, 12);
	else if (!w->is_xz && begins(p, n, zstd_magic, sizeof zstd_magic))
		next(w, TT_ENDS_ZSTD_HEAD, 5);
	else if (!w->is_xz && n >= 4 && (p[0] & 0xf0) == 0x50 && memcmp(p + 1, "\x2a\x4d\x18", 3) == 0)
		next(w, TT_ENDS_ZSTD_SKIP, 8);
	else if (w->is_xz && w->begun && n >= XZ_PADDING && memcmp(p, "\0\0\0\0", XZ_PADDING) == 0)
		return XZ_PADDING;
	else
		w->state = w->begun ? TT_ENDS_OVER : TT_ENDS_LOST;
	w->begun = true;
	return 0;
}

size_t
tt_ends_walk(struct tt_ends *w, const uint8_t *p, size_t n)
{
	size_t i = 0;

	while (i < n && w->state != TT_ENDS_OVER && w->state != TT_ENDS_LOST) {
		size_t some = w->nskip < n - i ? (size_t)w->nskip : n - i;

		if (some > 0) {
			w->nskip -= some;
		} else if (w->state == TT_ENDS_BETWEEN) {
			/* Too few bytes to recognise a stream: the caller gives them again, with more. */
			if (i > 0 && n - i < 8)
				return i;
			some = between(w, p + i, n - i);
		} else {
			some = w->nwanted - w->nhave < n - i ? w->nwanted - w->nhave : n - i;
			memcpy(w->have + w->nhave, p + i, some);
			w->nhave += (unsigned)some;
		}
		i += some;
		w->stream_n += some;
		if (w->nhave > 0 && w->nhave == w->nwanted) {
			w->nhave = 0;
			(w->is_xz ? xz_step : zstd_step)(w, w->have);
		}
	}
	return w->state == TT_ENDS_LOST ? n : i;
}
