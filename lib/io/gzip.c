/**
 * Decompresses gzip.
 *
 * zlib in its gzip mode (RFC 1952) checks the header, the CRC and the length of
 * a member. libarchive does neither, and drops the bytes it inflated before a
 * cut; here a cut costs only the bytes that depend on the missing ones.
 */
#include "io/decode.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

/* Most bytes given to zlib at once: its counters are unsigned int. */
#define AT_ONCE ((size_t)1 << 30)

struct gzip {
	struct tt_decoder d;
	struct tt_env *env;
	struct tt_raw *raw;
	z_stream z;
	bool between;                 /* true: a member has ended, the next has not begun */
	bool ended;
	struct tt_err damage;         /* the first damage, which every later read returns; code TT_OK: no damage */
};

/* Note the first damage, which every later read returns. */
static int
fail_damaged(struct gzip *g, struct tt_err *err)
{
	uint64_t at = tt_raw_ntaken(g->raw);
	const char *why = g->z.msg ? g->z.msg : "not understood";

	if (strcmp(why, "incorrect data check") == 0)
		tt_fail(&g->damage, TT_E_DAMAGED, at,
		    "gzip CRC differs at byte %" PRIu64
		    " of the compressed input: the data before it is damaged",
		    at);
	else if (strcmp(why, "incorrect length check") == 0)
		tt_fail(&g->damage, TT_E_DAMAGED, at,
		    "gzip length differs at byte %" PRIu64 " of the compressed input: the data before it is "
		    "damaged",
		    at);
	else
		tt_fail(&g->damage, TT_E_DAMAGED, at,
		    "gzip data is damaged at byte %" PRIu64 " of the compressed input: %s", at, why);
	if (err)
		*err = g->damage;
	return TT_E_DAMAGED;
}

static int
fail_cut(struct gzip *g, struct tt_err *err)
{
	uint64_t at = tt_raw_ntaken(g->raw);

	tt_fail(&g->damage, TT_E_DAMAGED, at,
	    "gzip data ends at byte %" PRIu64 " of the compressed input without its trailer (cut?)", at);
	if (err)
		*err = g->damage;
	return TT_E_DAMAGED;
}

/*
 * Count the bytes after the last member. Zeros up to the end are the padding of tapes
 * and block devices, and no garbage.
 */
static int
count_garbage(struct gzip *g, struct tt_err *err)
{
	uint64_t total;
	bool zeros = true;
	int rc = tt_raw_take_rest(g->raw, &total, &zeros, err);

	if (rc != TT_END)
		return rc;
	g->ended = true;
	g->d.garbage = zeros ? 0 : total;
	return TT_END;
}

/* After a member, begin the next one, or find the end of the input, or garbage. */
static int
next_member(struct gzip *g, struct tt_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc = tt_raw_peek(g->raw, 2, &p, &n, err);

	if (rc == TT_END)
		g->ended = true;
	if (rc != TT_OK)
		return rc;
	/* A single byte that could begin a member counts as a member that was cut off. */
	if (p[0] != 0x1f || (n > 1 && p[1] != 0x8b))
		return count_garbage(g, err);
	inflateReset(&g->z);
	g->between = false;
	return TT_OK;
}

/* Let zlib do one step from the ${n} raw bytes in hand. */
static int
inflate_some(struct gzip *g, const uint8_t *p, size_t n, struct tt_err *err)
{
	size_t give = n < AT_ONCE ? n : AT_ONCE;
	int zrc;

	/* zlib never writes to its input; the declaration of next_in lacks the const. */
	g->z.next_in = (z_const Bytef *)(uintptr_t)p;
	g->z.avail_in = (uInt)give;
	zrc = inflate(&g->z, Z_NO_FLUSH);
	tt_raw_take(g->raw, give - g->z.avail_in);
	switch (zrc) {
	case Z_OK:
	case Z_BUF_ERROR:
		return TT_OK;
	case Z_STREAM_END:
		g->between = true;
		return TT_OK;
	case Z_MEM_ERROR:
		return tt_fail_nomem(err);
	default:
		return fail_damaged(g, err);
	}
}

/* True if zlib makes progress without more input. */
static bool
drain(struct gzip *g, struct tt_err *err)
{
	static const uint8_t none[1];
	uInt room = g->z.avail_out;

	return inflate_some(g, none, 0, err) == TT_OK && (g->between || g->z.avail_out < room);
}

/* Inflate until there is a byte of output or a reason why there is none. */
static int
gzip_step(struct gzip *g, struct tt_err *err)
{
	const uint8_t *p;
	size_t n;
	int rc;

	if (g->damage.code) {
		if (err)
			*err = g->damage;
		return g->damage.code;
	}
	if (g->ended)
		return TT_END;
	if (g->between)
		return next_member(g, err);
	rc = tt_raw_peek(g->raw, 1, &p, &n, err);
	if (rc == TT_OK)
		return inflate_some(g, p, n, err);
	/* zlib may hold output that it had no room for, which is given out before the reason to stop. */
	return drain(g, err) ? TT_OK : rc == TT_END ? fail_cut(g, err) : rc;
}

static int
gzip_read(struct tt_decoder *d, void *p, size_t n, size_t *got, struct tt_err *err)
{
	struct gzip *g = (struct gzip *)d;
	uInt room = (uInt)(n < AT_ONCE ? n : AT_ONCE);
	int rc = TT_OK;

	g->z.next_out = p;
	g->z.avail_out = room;
	while (rc == TT_OK && g->z.avail_out == room)
		rc = gzip_step(g, err);
	*got = room - g->z.avail_out;
	return *got ? TT_OK : rc;
}

static int
gzip_rewind(struct tt_decoder *d, struct tt_err *err)
{
	struct gzip *g = (struct gzip *)d;

	(void)err;
	inflateReset(&g->z);
	g->between = g->ended = false;
	g->damage.code = TT_OK;
	g->d.garbage = 0;
	return TT_OK;
}

static void
gzip_free(struct tt_decoder *d)
{
	struct gzip *g = (struct gzip *)d;

	inflateEnd(&g->z);
	tt_mem_free(&g->env->mem, g, sizeof *g);
}

int
tt_gzip_new(struct tt_env *env, struct tt_raw *raw, struct tt_decoder **d, struct tt_err *err)
{
	struct gzip *g = tt_mem_alloc(&env->mem, sizeof *g, err);

	if (!g)
		return err ? err->code : TT_E_NOMEM;
	g->d = (struct tt_decoder){ .read = gzip_read, .rewind = gzip_rewind, .free = gzip_free };
	g->env = env;
	g->raw = raw;
	/* + 16: zlib accepts gzip headers only. */
	if (inflateInit2(&g->z, 16 + MAX_WBITS) != Z_OK) {
		tt_mem_free(&env->mem, g, sizeof *g);
		return tt_fail_nomem(err);
	}
	*d = &g->d;
	return TT_OK;
}
