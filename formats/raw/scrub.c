/**
 * Copies a log without its names; all other bytes stay. The copy contains only whole messages of known kinds, in blocks that make sense to their end, of logs
 * that a layout fits.
 *
 * A message may continue in its stream's next block, far away. So the copy is made in a temporary file: zeros at first, then each part once it is understood.
 * An earlier complete reading supplies the layout of each session.
 */
#include "raw/raw.h"

#include <stdlib.h>

#include "base/hash_seed.h"
#include "base/map.h"
#include "base/order.h"
#include "base/utf8.h"
#include "io/spool.h"
#include "unity/scrub.h"
#include "sys/sys.h"

#define YEAR (INT64_C(366) * 86400 * 1000000000)

/* A stream: its bytes that were not written yet, and their places. */
struct stream {
	uint64_t id;
	size_t session;
	uint32_t block;               /* number of the next block */
	uint8_t *p;
	size_t n, cap;
	size_t done;                  /* bytes of scrubbed messages that wait for the end of a block in which a message ends, or for proof */
	size_t proven;                /* bytes of these that are surely messages, even if their block makes no sense to its end: see prove() */
	uint64_t nunproven;           /* number of messages among the unproven bytes */
	int64_t last;                 /* ns; the last time in the stream */
	bool dated;
	bool sure;                    /* true: its bytes begin with a message */
	struct place { uint64_t at; size_t n; } *place;
	size_t nplace, capplace;
};

/* A name that differs from another in one bit, such as a thread's from its root's, and its replacement, which differs in the same way. Both have ${n} bytes. */
struct alike { const char *text, *to; size_t n; };

struct copy {
	struct raw *m;
	const struct raw_session *s;  /* NULL: before the first header */
	struct tt_scrub names;
	struct tt_env spool;
	int fd;
	uint64_t end;                 /* bytes of the copy, including holes */
	struct stream *stream;
	size_t nstream, capstream;
	struct tt_map at;             /* index of stream by session and id */
	uint8_t *number;              /* the first byte of the current message after its last text */
	size_t rest;                  /* bytes of an incomplete message in the stream of the last block */
	uint64_t nmessage;            /* number of messages in the copy */
	bool skipped;                 /* true: bytes of the session were skipped, so blocks of any stream may be missing */
	struct tt_map at_alike;       /* index in alike by text */
	struct alike *alike;
	size_t nalike, capalike;
};

static int
put(struct copy *c, uint64_t at, const void *p, size_t n, struct tt_err *err)
{
	if (n > 0 && at + n > c->end)
		c->end = at + n;
	return n ? tt_spool_add(&c->spool, &c->fd, at, p, n, err) : TT_OK;
}

/* --- names that are alike --------------------------------------------------------------------------------------- */

/* Return the entry of the name of ${n} bytes at ${text} if it is alike to another name, or NULL. */
static const struct alike *
find_alike(const struct copy *c, const void *text, size_t n)
{
	if (c->nalike == 0)
		return NULL;
	const uint32_t at = tt_map_find(&c->at_alike, tt_seeded_text(4, text, n), i, c->alike[i].n == n && memcmp(c->alike[i].text, text, n) == 0);
	return at ? &c->alike[at - 1] : NULL;
}

static int
push_alike(struct copy *c, const struct alike *a, struct tt_err *err)
{
	if (find_alike(c, a->text, a->n))
		return TT_OK;
	const uint64_t hash = tt_seeded_text(4, a->text, a->n);
	const int rc = tt_map_push(&c->at_alike, &c->m->env->mem, hash, &c->alike, &c->capalike, c->nalike, err);
	if (rc == TT_OK)
		c->alike[c->nalike++] = *a;
	return rc;
}

static unsigned
kind_of(uint8_t byte)
{
	const bool word = (byte | 0x20u) - 'a' < 26 || byte - (unsigned)'0' < 10;

	return byte == 0 ? 0 : byte >= 0x80 ? 1 : byte < 0x20 || byte == 0x7f ? 2 : word ? 3 : 4;
}

/* Return ${byte} with one bit changed, preferably ${bit}, so that the result is of the same kind as ${like}. */
static uint8_t
change(uint8_t byte, unsigned bit, uint8_t like)
{
	for (unsigned i = 0; i < 8; i++) {
		const uint8_t other = (uint8_t)(byte ^ 1u << (bit + i) % 8);
		if (kind_of(other) == kind_of(like))
			return other;
	}
	return (uint8_t)(byte ^ 1u << bit);
}

/* Return the scrubbed ${text} of ${n} bytes; *${nkept}: how many of its bytes stay. */
static char *
scrubbed(struct copy *c, const char *text, size_t n, size_t *nkept, struct tt_err *err)
{
	const uint64_t names = c->names.done->ntexts;
	char *const to = tt_arena_text(&c->m->cap->arena, text, n, err);

	*nkept = 0;
	if (!to || unity_scrub_text(&c->names, (uint8_t *)to, n, err) != TT_OK)
		return NULL;
	c->names.done->ntexts = names;
	for (size_t i = 0; i < n; i++)
		*nkept += to[i] == text[i];
	return to;
}

/*
 * Add the names of the thread of ${st} and of its root, which differ in the bit ${bit}. The damaged name has lost its meaning, so fewer of its bytes would
 * stay: its replacement is made from that of the other name.
 */
static int
add_alike(struct copy *c, const struct raw_stream *st, uint32_t bit, struct tt_err *err)
{
	const size_t n = st->nfull, at = bit / 8;
	char *const other = tt_arena_text(&c->m->cap->arena, st->full, n, err);
	size_t nkept, nothers;

	if (!other)
		return err->code;
	other[at] = (char)(other[at] ^ 1 << bit % 8);
	struct alike thread = { st->full, scrubbed(c, st->full, n, &nkept, err), n }, root = { other, scrubbed(c, other, n, &nothers, err), n };
	if (!thread.to || !root.to)
		return err->code;
	const struct alike *const good = nothers > nkept ? &root : &thread, *const bad = nothers > nkept ? &thread : &root;
	char *const to = (char *)(uintptr_t)bad->to;
	memcpy(to, good->to, n);
	to[at] = (char)change((uint8_t)to[at], bit % 8, (uint8_t)bad->text[at]);
	const int rc = push_alike(c, &thread, err);
	return rc == TT_OK ? push_alike(c, &root, err) : rc;
}

/* Find the threads whose name is almost their root's: a reader matches the two, which it could not if both were replaced by hashes. */
static int
find_all_alike(struct copy *c, struct tt_err *err)
{
	const struct raw *m = c->m;
	uint32_t bit;
	int rc = TT_OK;

	for (size_t i = 0; i < m->nstream && rc == TT_OK; i++) {
		const struct raw_stream *const st = &m->stream[i];
		if (st->named && st->leader != unity_marker_named(&m->known, st->session, st->name) && raw_is_almost_named(m, st, &bit))
			rc = add_alike(c, st, bit, err);
	}
	return rc;
}

/* Scrub the next name, of a thread, and its group, if it is alike to its root's name, which may have another byte in place of a NUL. False: it is not alike. */
static bool
put_alike_thread(struct copy *c, struct raw_take t, uint8_t *group, size_t ngroup)
{
	char full[RAW_NAME_MAX];
	const size_t from = ngroup ? ngroup + 1 : 0;
	uint32_t n;
	uint8_t *const name = (uint8_t *)(uintptr_t)raw_take_blob(&t, &n);

	if (c->nalike == 0 || n == 0 || n > sizeof full || from > sizeof full - n)
		return false;
	if (ngroup) {
		memcpy(full, group, ngroup);
		full[ngroup] = '.';
	}
	memcpy(full + from, name, n);
	const size_t len = from + n - (name[n - 1] == 0);
	const struct alike *const a = find_alike(c, full, len);
	if (!a || (ngroup && a->to[ngroup] != '.'))
		return false;
	if (ngroup)
		memcpy(group, a->to, ngroup);
	memcpy(name, a->to + from, len - from);
	c->names.done->ntexts += ngroup ? 2 : 1;
	return true;
}

static int
put_name(struct copy *c, uint8_t *p, size_t n, struct tt_err *err)
{
	const struct alike *const a = find_alike(c, p, n);

	if (!a)
		return unity_scrub_text(&c->names, p, n, err);
	memcpy(p, a->to, n);
	c->names.done->ntexts++;
	return TT_OK;
}

/* --- messages -------------------------------------------------------------------------------------------------- */

/* Scrub texts among the numbers of the message up to ${p}, where ${n} bytes begin that are not numbers. */
static int
scrub_numbers(struct copy *c, const uint8_t *p, size_t n, struct tt_err *err)
{
	uint8_t *const from = c->number;

	if (!p || p < from)
		return TT_OK;
	c->number = (uint8_t *)(uintptr_t)p + n;
	return unity_scrub_numbers(&c->names, from, (size_t)(p - from), UNITY_WIDE, err);
}

/* Scrub the next 8 bytes separately, because the id of a thread is also in the heads of blocks. */
static int
scrub_64(struct copy *c, struct raw_take *t, struct tt_err *err)
{
	uint8_t *p = (uint8_t *)(uintptr_t)raw_bytes(t, 8);

	return p ? unity_scrub_numbers(&c->names, p, 8, UNITY_WIDE, err) : TT_OK;
}

/* Take a name to be scrubbed. Bytes after a NUL belong to no name and are not kept. */
static uint8_t *
take_name(struct raw_take *t, uint32_t *n)
{
	uint32_t whole;
	uint8_t *p = (uint8_t *)(uintptr_t)raw_take_blob(t, &whole);

	*n = whole ? (uint32_t)strnlen((const char *)p, whole) : 0;
	if (*n < whole)
		memset(p + *n, 0, whole - *n);
	return p;
}

static int
scrub_params(struct copy *c, struct raw_take *t, struct tt_err *err)
{
	uint32_t len;
	int rc = TT_OK;

	for (unsigned n = raw_take_byte(t); n > 0 && rc == TT_OK; n--) {
		raw_take16(t);
		raw_pad(t);
		uint8_t *p = take_name(t, &len);
		rc = scrub_numbers(c, p, len, err);
		TT_THEN(rc, unity_scrub_text(&c->names, p, len, err));
	}
	return rc;
}

static int
scrub_values(struct copy *c, struct raw_take *t, struct tt_err *err)
{
	struct unity_value v;
	int rc = TT_OK;

	for (unsigned n = raw_take_byte(t); n > 0 && rc == TT_OK && t->state == RAW_WHOLE; n--) {
		raw_take_value(t, &v);
		rc = unity_scrub_value(&c->names, v.type, (uint8_t *)(uintptr_t)v.p, v.n, err);
	}
	return rc;
}

/* True if the ${n} bytes at ${p} are printable text, perhaps with a NUL after it. */
static bool
is_printable(const uint8_t *p, size_t n)
{
	n -= n > 0 && p[n - 1] == '\0';
	for (size_t i = 0, len; i < n; i += len)
		if ((len = tt_utf8_len((const char *)p + i, n - i)) == 0 || p[i] < 0x20 || p[i] == 0x7f)
			return false;
	return true;
}

/* True if the ${n} bytes at ${p} contain five consecutive letters or digits. */
static bool
has_word(const uint8_t *p, size_t n)
{
	unsigned run = 0;

	for (size_t i = 0; i < n && run < 5; i++)
		run = (p[i] | 0x20u) - 'a' < 26 || p[i] - (unsigned)'0' < 10 ? run + 1 : 0;
	return run == 5;
}

/* True if the 32-bit number at ${p} may be four characters of UTF-8, or two of UTF-16 at either alignment. */
static bool
is_text_number(const uint8_t *p)
{
	return is_printable(p, 4) || (p[0] >= 0x20 && p[2] >= 0x20 && (p[1] | p[3]) == 0) || (p[1] >= 0x20 && p[3] >= 0x20 && (p[0] | p[2]) == 0);
}

/*
 * Set the ${n} numbers at ${p}, of ${size} bytes each, to zero if they may be text that damage put there; addresses, of 8 bytes, have at most 48 bits. An
 * undamaged capture keeps all numbers.
 */
static void
drop_text(struct copy *c, uint8_t *p, size_t n, size_t size)
{
	if (!p || !c->names.done->is_damaged)
		return;
	bool text = has_word(p, n * size);
	for (size_t i = 0; i < n && !text; i++)
		text = size == 8 ? unity_u64(p + 8 * i) >> 48 != 0 : is_text_number(p + 4 * i);
	if (!text)
		return;
	memset(p, 0, n * size);
	c->names.done->nzeroed_bytes += n * size;
}

/* Scrub the next field, whose letter is ${f}. */
static int
scrub_field(struct copy *c, char f, struct raw_take *t, struct tt_err *err)
{
	uint32_t len;
	uint8_t *p;
	unsigned n;
	int rc;

	switch (f) {
	case '2': raw_bytes(t, 2); return TT_OK;
	case '4': raw_bytes(t, 4); return TT_OK;
	case '8': raw_bytes(t, 8); return TT_OK;
	case 'i':
		if (t->l->wide)
			return scrub_64(c, t, err);
		raw_bytes(t, 4);
		return TT_OK;
	case 'b': raw_take_byte(t); return TT_OK;
	case 'a':
		p = (uint8_t *)(uintptr_t)raw_take_stack(t, &n);
		drop_text(c, p, n, 8);
		return TT_OK;
	case 'c': raw_take_category_pad(t); return TT_OK;
	case 'p': return scrub_params(c, t, err);
	case 'v': return scrub_values(c, t, err);
	case 'n':
		len = raw_take32(t);
		p = (uint8_t *)(uintptr_t)raw_bytes(t, 4 * (size_t)len);
		drop_text(c, p, len, 4);
		return TT_OK;
	case 'z':
		p = (uint8_t *)(uintptr_t)raw_take_blob(t, &len);
		if (len)
			memset(p, 0, len);
		return TT_OK;
	default:
		p = take_name(t, &len);
		rc = scrub_numbers(c, p, len, err);
		TT_THEN(rc, put_name(c, p, len, err));
		return rc;
	}
}

/* True if a reader can make sense of the message. Bytes that only look like a message may hold parts of names as numbers. */
static bool
makes_sense(const struct copy *c, const uint8_t *p)
{
	const struct raw_session *s = c->s;
	const unsigned type = unity_u16(p), at = s->layout.aligned ? 4 : 2;
	uint64_t ticks = 0;

	if (raw_is_sample(type)) {
		if (unity_u32(p + at + (s->layout.aligned ? 4 : 1)) >= s->marker.ids)
			return false;
		ticks = unity_u64(p + at + (s->layout.aligned ? 8 : 5));
	} else if (type == RAW_FRAME || type == RAW_STATE) {
		ticks = unity_u64(p + at + 4);
	} else if (type == RAW_CLEANUP) {
		ticks = unity_u64(p + at);
	} else {
		return true;
	}
	const int64_t t = raw_ns(s, ticks);
	return t > -YEAR && t < YEAR;
}

/* True for messages with a time, which makes_sense() checks: they have at most four consecutive other bytes, and values, which are scrubbed. */
static bool
is_timed(unsigned type)
{
	return raw_has_time(type) || type == RAW_STATE || type == RAW_CLEANUP;
}

/*
 * True if damage may have put text over the numbers of the mark or sample at ${p}: the frame's number is four letters, or the time is far from the other
 * times.
 */
static bool
may_hide_text(const struct copy *c, const struct stream *st, const uint8_t *p)
{
	const unsigned type = unity_u16(p), at = c->s->layout.aligned ? 4 : 2;
	const bool timed = raw_has_time(type);

	if (!timed || !c->names.done->is_damaged)
		return false;
	if (type == RAW_FRAME && is_printable(p + at, 4))
		return true;
	const int64_t t = raw_time_of(c->s, p);
	return st->dated && (t < st->last ? (uint64_t)st->last - (uint64_t)t : (uint64_t)t - (uint64_t)st->last) > (uint64_t)RAW_MAX_STEP_NS;
}

/* Scrub the message of ${n} bytes at ${p}; if ${doubtful}, also its numbers. */
static int
scrub_message(struct copy *c, uint8_t *p, size_t n, bool doubtful, struct tt_err *err)
{
	struct raw_take t = { .p = p, .end = p + n, .from = p, .l = &c->s->layout };
	const unsigned type = raw_take16(&t), at = c->s->layout.aligned ? 4 : 2;
	uint32_t ngroup, nname;
	int rc = TT_OK;

	raw_pad(&t);
	c->number = (uint8_t *)(uintptr_t)t.p;
	if (type == RAW_THREAD) {
		for (unsigned i = c->s->layout.rank < 3 ? 1 : 2; i > 0 && rc == TT_OK; i--)
			rc = scrub_64(c, &t, err);
		if (rc != TT_OK)
			return rc;
		raw_bytes(&t, 4);
		uint8_t *const group = take_name(&t, &ngroup);
		if (put_alike_thread(c, t, group, ngroup))
			return TT_OK;
		uint8_t *const name = take_name(&t, &nname);
		return unity_scrub_thread(&c->names, group, ngroup, name, nname, err);
	}
	/* These numbers are read by nobody, and other messages may have the same length. */
	if (type == RAW_GFX)
		memset((uint8_t *)(uintptr_t)t.p, 0, (size_t)(t.end - t.p));
	for (const char *f = raw_fields(type, c->s->layout.rank); *f && rc == TT_OK && t.state == RAW_WHOLE; f++)
		rc = scrub_field(c, *f, &t, err);
	/* A sample that makes no sense is kept if the next message makes sense. */
	const bool timed = is_timed(type);
	if (rc == TT_OK && doubtful)
		return unity_scrub_numbers(&c->names, p + at, (n < c->s->size[RAW_BEGIN] ? n : c->s->size[RAW_BEGIN]) - at, UNITY_COUNTS, err);
	if (rc == TT_OK && (!timed || !makes_sense(c, p)))
		rc = scrub_numbers(c, timed ? p + c->s->size[RAW_BEGIN] : t.p, 0, err);
	return rc;
}

/* --- proof ------------------------------------------------------------------------------------------------------ */

/* True if the whole definition of a marker at ${p} has plausible fields. */
static bool
is_sure_marker(const struct copy *c, const uint8_t *p, size_t size)
{
	enum { MAX_CATEGORIES = 1024, MAX_PARAMS = 16 };
	struct raw_take t = { .p = p, .end = p + size, .from = p, .l = &c->s->layout };
	uint32_t n;

	raw_take16(&t);
	raw_pad(&t);
	const uint32_t id = raw_take32(&t);
	raw_take16(&t);
	const unsigned category = raw_take16(&t);
	const uint8_t *name = raw_take_blob(&t, &n);
	if (id >= c->s->marker.ids || category >= MAX_CATEGORIES || n == 0 || !is_printable(name, n))
		return false;
	const unsigned nparam = raw_take_byte(&t);
	for (unsigned i = 0; i < nparam && i < MAX_PARAMS; i++) {
		if ((raw_take16(&t) & 0xff) > UNITY_V_ENTITY)
			return false;
		raw_pad(&t);
		name = raw_take_blob(&t, &n);
		if (!is_printable(name, n))
			return false;
	}
	return nparam <= MAX_PARAMS;
}

/* True if the whole message at ${p} is a sample of a defined marker, with the stream's next time. */
static bool
is_sure_sample(const struct copy *c, const struct stream *st, const uint8_t *p)
{
	const struct raw_session *s = c->s;
	const unsigned type = unity_u16(p), at = s->layout.aligned ? 4 : 2, id = at + (s->layout.aligned ? 4 : 1);

	if (!raw_is_sample(type) || (s->layout.aligned ? unity_u32(p + at) : p[at]) > 1 || unity_u32(p + id) >= s->marker.ids)
		return false;
	const int64_t t = raw_time_of(s, p);
	return st->dated ? t >= st->last && t - st->last <= RAW_MAX_STEP_NS : t >= s->began && t <= c->m->latest;
}

/* Accept the message at ${p}: its time, if any, becomes the stream's last. */
static void
take_time(const struct copy *c, struct stream *st, const uint8_t *p)
{
	const unsigned type = unity_u16(p);
	const bool timed = raw_has_time(type);
	const int64_t t = timed && st->id != RAW_SESSION ? raw_time_of(c->s, p) : INT64_MIN;

	if (t > -YEAR && t < YEAR && (!st->dated || t > st->last)) {
		st->last = t;
		st->dated = true;
	}
}

/* True if the bytes after the head of the sample at ${p}, of ${size} bytes, cannot be text: no bytes, or one number whose upper half is 0. */
static bool
has_small_values(const struct copy *c, const uint8_t *p, size_t size)
{
	const struct raw_session *s = c->s;
	const unsigned type = unity_u16(p), head = s->size[RAW_BEGIN], step = s->layout.aligned ? 4 : 1;
	const size_t at = head + (type < RAW_BEGIN_ARGS ? 0 : 2 * step), n = size - at;

	if (type < RAW_BEGIN_ID)
		return true;
	if (type >= RAW_BEGIN_ARGS && raw_one_value_size(s, p, size) != size)
		return false;
	return n == 4 ? unity_u16(p + at + 2) == 0 : n == 8 && unity_u32(p + at + 4) == 0;
}

/*
 * Take the whole message at byte ${at} of the stream as proof that all bytes before it are messages, if it is sure: after damage, bytes that are not messages
 * soon produce a misfit, and hardly ever a sample of a defined marker with the next time, or the definition of a marker.
 */
static void
prove(const struct copy *c, struct stream *st, size_t at, size_t size)
{
	const uint8_t *p = st->p + at;
	const bool session = st->id == RAW_SESSION;
	const bool sure = session ? unity_u16(p) == RAW_MARKER && is_sure_marker(c, p, size) : is_sure_sample(c, st, p);

	take_time(c, st, p);
	if (sure && at == 0 && !session)
		st->sure = true;
	if (sure && st->sure) {
		st->proven = session || has_small_values(c, p, size) ? at + size : at;
		st->nunproven = 0;
	}
	st->nunproven += st->proven < at + size;
}

/* --- streams --------------------------------------------------------------------------------------------------- */

static struct stream *
stream_of(struct copy *c, uint64_t id, bool *fresh, struct tt_err *err)
{
	const size_t session = c->s->number;
	const uint64_t hash = tt_seeded_pair(session, id);
	const uint32_t at = tt_map_find(&c->at, hash, i, c->stream[i].id == id && c->stream[i].session == session);

	*fresh = !at;
	if (at)
		return &c->stream[at - 1];
	if (tt_map_push(&c->at, &c->m->env->mem, hash, &c->stream, &c->capstream, c->nstream, err) != TT_OK)
		return NULL;
	c->stream[c->nstream] = (struct stream){ .id = id, .session = session };
	return &c->stream[c->nstream++];
}

/* Write the first ${n} bytes of the stream to their places, unless they are ${lost}, and drop them. */
static int
settle(struct copy *c, struct stream *st, size_t n, struct tt_err *err)
{
	size_t done = 0, k = 0;
	int rc = TT_OK;

	for (; done < n && rc == TT_OK; k += st->place[k].n == 0) {
		struct place *x = &st->place[k];
		const size_t part = x->n < n - done ? x->n : n - done;
		rc = put(c, x->at, st->p + done, part, err);
		x->at += part;
		x->n -= part;
		done += part;
	}
	memmove(st->p, st->p + n, st->n - n);
	st->n -= n;
	memmove(st->place, st->place + k, (st->nplace - k) * sizeof *st->place);
	st->nplace -= k;
	st->done = st->done > n ? st->done - n : 0;
	st->proven = 0;
	st->nunproven = 0;
	return rc;
}

/* Return the end of the block that contains byte ${at} of the stream. */
static size_t
block_end(const struct stream *st, size_t at)
{
	size_t end = 0;

	for (size_t k = 0; k < st->nplace && end <= at; k++)
		end += st->place[k].n;
	return end;
}

/* Return how many of the ${n} bytes of the undecodable message at ${p} stay: the number of an unknown type, which a report needs. */
static size_t
kept_of_unknown(const struct copy *c, const uint8_t *p, size_t n)
{
	const unsigned type = n >= 2 ? unity_u16(p) : 0;

	return type < RAW_UNKNOWN_TYPES && !raw_fields(type, c->s->layout.rank) ? 2 : 0;
}

/* Set the first ${n} bytes of the stream to zero, except proven ones, and count the messages that are lost. */
static void
drop_unproven(struct copy *c, struct stream *st, size_t n)
{
	memset(st->p + st->proven, 0, n - st->proven);
	c->names.done->nzeroed_bytes += n - st->proven;
	c->names.done->nlost_events += st->nunproven;
	c->nmessage -= st->nunproven;
}

/*
 * Drop the block that contains byte ${at} of the stream, where it makes no sense. The bytes before may be nonsense, too, with names in it: all that are not
 * proven become zeros, up to the block's end. The number of an unknown type moves to their begin in the block.
 */
static int
drop_block(struct copy *c, struct stream *st, size_t at, struct tt_err *err)
{
	const size_t end = block_end(st, at), kept = kept_of_unknown(c, st->p + at, end - at);
	uint8_t type[2] = { 0, 0 };
	size_t begin = 0;

	for (size_t k = 0; k < st->nplace && begin + st->place[k].n <= at; k++)
		begin += st->place[k].n;
	begin = begin > st->proven ? begin : st->proven;
	memcpy(type, st->p + at, kept);
	drop_unproven(c, st, end);
	memcpy(st->p + begin, type, kept);
	c->names.done->nzeroed_bytes -= kept;
	st->sure = false;
	return settle(c, st, end, err);
}

/* True if byte ${at} of the stream is followed by a sample that is surely one. */
static bool
is_before_sample(const struct copy *c, const struct stream *st, size_t at)
{
	size_t size;

	return st->sure && st->n > at && raw_measure(&c->s->layout, st->p + at, st->n - at, &size) == RAW_WHOLE && is_sure_sample(c, st, st->p + at);
}

/* True if the whole message of ${size} bytes at byte ${at} of the stream may belong to it. A single wrong time is one number between two messages. */
static bool
is_message(const struct copy *c, const struct stream *st, size_t at, size_t size)
{
	const bool session = st->id == RAW_SESSION;

	return raw_may_be_in(session, unity_u16(st->p + at)) && (makes_sense(c, st->p + at) || (!session && is_before_sample(c, st, at + size))) &&
	    (st->sure || at + size <= block_end(st, at));
}

/*
 * Scrub the whole messages in the stream's bytes. They are settled when a message ends together with its block; until then they may be nonsense. A block that
 * is not known to begin with a message must end with one.
 */
static int
messages(struct copy *c, struct stream *st, struct tt_err *err)
{
	enum { MAX_DONE_BYTES = 1 << 20 };
	size_t size;
	int rc = TT_OK;

	while (st->done < st->n && rc == TT_OK) {
		const size_t at = st->done;
		const enum raw_state state = raw_measure(&c->s->layout, st->p + at, st->n - at, &size);
		if (state == RAW_SHORT && st->sure)
			break;
		if (state != RAW_WHOLE || !is_message(c, st, at, size)) {
			rc = drop_block(c, st, at, err);
			continue;
		}
		const bool doubtful = may_hide_text(c, st, st->p + at);
		prove(c, st, at, size);
		rc = scrub_message(c, st->p + at, size, doubtful, err);
		st->done += size;
		c->nmessage++;
		if (rc == TT_OK && (block_end(st, st->done - 1) == st->done || st->done > MAX_DONE_BYTES)) {
			rc = settle(c, st, st->done, err);
			st->sure = true;
		}
	}
	c->rest = st->n - st->done;
	return rc;
}

/* Turn the ${n} bytes at ${p} into the begin of an incomplete message of the stream that has none of their content. */
static void
put_begun(const struct raw_session *s, const struct stream *st, uint8_t *p, size_t n)
{
	const bool session = st->id == RAW_SESSION;
	const size_t step = s->layout.aligned ? 4 : 1, head = s->size[RAW_BEGIN], at = session ? (s->layout.aligned ? 12 : 10) : head + 2 * step;

	memset(p, 0, n);
	p[0] = session ? RAW_MARKER : RAW_BEGIN_ARGS;
	if (!session && n > head)
		p[head] = 1;
	if (!session && n > head + step)
		p[head + step] = UNITY_V_TEXT;
	/* A text longer than the bytes that are there. */
	for (size_t i = 0; i < 4 && at + i < n; i++)
		p[at + i] = (uint8_t)(n >> 8 * i);
}

/*
 * Handle a stream that nothing continues. Its messages are settled if the incomplete one may be a message: it begins in the last block, or all messages
 * before it are proven. The copy keeps its length. All else becomes zeros.
 */
static int
give_up(struct copy *c, struct stream *st, struct tt_err *err)
{
	const size_t n = st->n - st->done;
	const bool begun = n > 0 && st->sure && n <= RAW_TEXT_MAX && (block_end(st, st->done) == st->n || st->proven == st->done);
	int rc;

	if (begun) {
		put_begun(&c->m->session[st->session], st, st->p + st->done, n);
		c->names.done->nzeroed_bytes += n;
		rc = settle(c, st, st->n, err);
	} else {
		drop_unproven(c, st, st->n);
		rc = settle(c, st, st->proven, err);
	}
	st->n = st->nplace = st->done = 0;
	return rc;
}

/* Write the head of the block at ${at}, with the stream's id scrubbed as in the thread's message. */
static int
put_block_head(struct copy *c, uint64_t at, const uint8_t *p, struct tt_err *err)
{
	uint8_t head[RAW_BLOCK_HEAD];

	memcpy(head, p, sizeof head);
	int rc = unity_scrub_numbers(&c->names, head + 8, 8, UNITY_WIDE, err);
	TT_THEN(rc, put(c, at, head, sizeof head, err));
	return rc;
}

/* Take the block at ${at}: its head is at ${p}, and ${n} bytes of its payload are there. */
static int
block(struct copy *c, uint64_t at, const uint8_t *p, size_t n, bool whole, struct tt_err *err)
{
	struct tt_mem *mem = &c->m->env->mem;
	const uint32_t number = unity_u32(p + 4);
	const uint8_t *body = p + RAW_BLOCK_HEAD;
	bool fresh;
	struct stream *st = stream_of(c, unity_u64(p + 8), &fresh, err);
	int rc = st ? put_block_head(c, at, p, err) : err->code;

	if (rc == TT_OK && whole)
		rc = put(c, at + RAW_BLOCK_HEAD + n, body + n, RAW_BLOCK_FOOT, err);
	TT_THEN(rc, tt_mem_grow(mem, &st->p, &st->cap, st->n + n, 1, err));
	TT_THEN(rc, tt_mem_grow(mem, &st->place, &st->capplace, st->nplace + 1, sizeof *st->place, err));
	if (rc != TT_OK || n == 0)
		return rc;
	if (c->s->poor) {
		c->names.done->nzeroed_bytes += n;
		return TT_OK;
	}
	if (fresh)
		st->sure = st->id == RAW_SESSION ? number == 0 : !c->skipped;
	const bool begins = n == (c->s->layout.aligned ? 16 : 14) && unity_u16(body) == RAW_FRAME;
	if (!fresh && (number != st->block || begins) && (rc = give_up(c, st, err)) != TT_OK)
		return rc;
	if (begins)
		st->sure = true;
	else if (!fresh && number != st->block)
		st->sure = false;
	st->block = number + 1;
	memcpy(st->p + st->n, body, n);
	st->n += n;
	st->place[st->nplace++] = (struct place){ at + RAW_BLOCK_HEAD, n };
	return messages(c, st, err);
}

/* --- the file --------------------------------------------------------------------------------------------------- */

/* True if a block or another header begins at byte ${at} of the ${n} bytes at ${p}, or if these end before. */
static bool
goes_on(const uint8_t *p, size_t n, size_t at)
{
	return n < at + 4 || unity_u32(p + at) == RAW_BLOCK || unity_u32(p + at) == RAW_MAGIC;
}

/* True if the file's next header begins at ${at}; *${size}: the available bytes, then those of the header, which may be the last in the file. */
static bool
is_header(const struct copy *c, uint64_t at, const uint8_t *p, size_t *size)
{
	const size_t n = *size;

	*size = at == 0 ? (size_t)c->m->first : raw_head_size(p, n);
	return n >= *size && (at == 0 || (goes_on(p, n, *size) && c->s->number + (size_t)1 < c->m->nsession));
}

/* True if the ${n} bytes at ${p}, at most 8, are the first bytes of ${number}. */
static bool
begins_like(const uint8_t *p, size_t n, uint64_t number)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != (uint8_t)(number >> 8 * i))
			return false;
	return true;
}

/*
 * Determine what begins at ${at}, with *${size} bytes at *${p}: 'b' a whole block, 'h' a header, 'c' a block in which the file ends, 't' the head of such a
 * block, 0 nothing known.
 */
static int
what_is(struct copy *c, uint64_t at, char *what, const uint8_t **p, size_t *size, struct tt_err *err)
{
	size_t n, len;
	int rc = tt_window_show(&c->m->win, at, RAW_HEAD_RELEASE + 4, p, &n, err);

	*what = 0;
	*size = n;
	if (rc == TT_OK && n > 0 && n < RAW_BLOCK_HEAD && begins_like(*p, n < 4 ? n : 4, RAW_BLOCK))
		*what = 't';
	if (rc != TT_OK || n < 4)
		return rc;
	if (unity_u32(*p) == RAW_MAGIC && n >= RAW_HEAD) {
		*what = is_header(c, at, *p, size) ? 'h' : 0;
		return rc;
	}
	if (n < RAW_BLOCK_HEAD || unity_u32(*p) != RAW_BLOCK || (len = unity_u32(*p + 16)) > RAW_BLOCK_MAX)
		return rc;
	*size = RAW_BLOCK_HEAD + len + RAW_BLOCK_FOOT;
	rc = tt_window_show(&c->m->win, at, *size, p, &n, err);
	if (rc == TT_OK && n < *size) {
		*size = n;
		*what = 'c';
	} else if (rc == TT_OK && unity_u32(*p + *size - 8) == unity_u32(*p + 4) + 1 && unity_u32(*p + *size - 4) == RAW_FOOT) {
		*what = 'b';
	}
	return rc;
}

/* Take the block at ${at} in which the file ends, ${size} bytes at ${p}: its head, and the available payload. */
static int
cut_block(struct copy *c, uint64_t at, const uint8_t *p, size_t size, struct tt_err *err)
{
	const size_t n = size - RAW_BLOCK_HEAD, len = unity_u32(p + 16), body = n < len ? n : len;
	const uint64_t foot = (uint64_t)RAW_FOOT << 32 | (unity_u32(p + 4) + 1u);
	int rc = block(c, at, p, body, false, err);

	if (rc == TT_OK && begins_like(p + RAW_BLOCK_HEAD + body, n - body, foot))
		rc = put(c, at + RAW_BLOCK_HEAD + body, p + RAW_BLOCK_HEAD + body, n - body, err);
	c->names.done->nbegun_bytes = c->rest < body ? c->rest : body;
	c->names.done->is_damaged = true;
	return rc;
}

/* Skip unknown bytes at ${at}: *${size} becomes their number up to where a block or a header may begin, as far as the window shows. */
static int
pass_unknown(struct copy *c, uint64_t at, size_t *size, struct tt_err *err)
{
	enum { MAX_SHOWN_BYTES = 1 << 16 };
	const uint8_t *p;
	size_t n, i = 1;
	const int rc = tt_window_show(&c->m->win, at, MAX_SHOWN_BYTES, &p, &n, err);

	/* The file may end inside a mark. */
	for (; rc == TT_OK && i < n && p[i] != (RAW_BLOCK & 0xff) && p[i] != (RAW_MAGIC & 0xff); i++)
		;
	*size = i;
	return rc;
}

/* Write the header of ${n} bytes at ${at}; the main thread's id and the release may contain text. */
static int
put_header(struct copy *c, uint64_t at, const uint8_t *p, size_t n, struct tt_err *err)
{
	enum { MAIN_AT = 28 };
	uint8_t head[RAW_HEAD_RELEASE];
	int rc = TT_OK;

	memcpy(head, p, n);
	if (n > MAIN_AT)
		rc = unity_scrub_numbers(&c->names, head + MAIN_AT, 8, UNITY_WIDE, err);
	if (rc == TT_OK && n > RAW_HEAD)
		rc = unity_scrub_numbers(&c->names, head + RAW_HEAD, n - RAW_HEAD, UNITY_COUNTS, err);
	TT_THEN(rc, put(c, at, head, n, err));
	return rc;
}

static int
scan(struct copy *c, uint64_t *all, struct tt_err *err)
{
	uint64_t at = 0, cut = UINT64_MAX;
	const uint8_t *p;
	size_t size;
	char what;
	int rc = TT_OK;

	for (;; at += size) {
		rc = what_is(c, at, &what, &p, &size, err);
		if (rc != TT_OK || size == 0)
			break;
		if (tt_stopped(c->m->env))
			return tt_fail(err, TT_E_STOPPED, TT_NOWHERE, "stopped");
		if (what == 'h') {
			c->s = &c->m->session[c->s ? c->s->number + 1 : 0];
			c->skipped = false;
			rc = put_header(c, at, p, size, err);
		} else if (what == 'b') {
			cut = UINT64_MAX;
			rc = block(c, at, p, size - RAW_BLOCK_HEAD - RAW_BLOCK_FOOT, true, err);
		} else if (what == 't' && cut == UINT64_MAX) {
			rc = put(c, at, p, size, err);
		} else if (what == 'c' && cut == UINT64_MAX) {
			/* A whole block may follow nevertheless. */
			cut = at;
			what = 0;
		} else {
			what = 0;
		}
		if (!what)
			TT_THEN(rc, pass_unknown(c, at, &size, err));
		if (rc != TT_OK)
			return rc;
		c->names.done->nzeroed_bytes += what ? 0 : size;
		c->skipped = c->skipped || !what;
	}
	*all = at;
	if (rc == TT_OK && cut != UINT64_MAX) {
		rc = what_is(c, cut, &what, &p, &size, err);
		if (rc == TT_OK && what == 'c') {
			c->names.done->nzeroed_bytes -= size;
			rc = cut_block(c, cut, p, size, err);
		}
	}
	return rc;
}

/* Read the input once, to find its layouts and damage, then go back to its beginning. */
static int
read_all(struct raw *m, struct tt_scrub *names, struct tt_err *err)
{
	int rc = tt_scrub_read(names, &tt_format_raw, m, err);

	if (rc != TT_OK)
		return rc;
	tt_window_rewind(&m->win);
	return tt_src_info(m->src)->seekable ? TT_OK : tt_src_rewind(m->src, err);
}

static int
write_out(struct copy *c, uint64_t all, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_err *err)
{
	enum { PART = 1 << 18 };
	char *p = tt_mem_alloc(&c->m->env->mem, PART, err);
	int rc = p ? TT_OK : err->code;

	/* The end of the file may be a hole. */
	if (rc == TT_OK && c->end < all)
		rc = tt_spool_add(&c->spool, &c->fd, all - 1, "", 1, err);
	for (uint64_t at = 0; at < all && rc == TT_OK; at += PART) {
		const size_t n = all - at < PART ? (size_t)(all - at) : PART;
		rc = tt_spool_read(&c->spool, c->fd, "the copy", at, p, n, err);
		TT_THEN(rc, write(arg, p, n, err));
	}
	tt_mem_free(&c->m->env->mem, p, PART);
	return rc;
}

int
raw_scrub(void *ctx, int (*write)(void *, const void *, size_t, struct tt_err *), void *arg, struct tt_scrubbed *done, struct tt_err *err)
{
	struct raw *m = ctx;
	struct tt_mem *mem = &m->env->mem;
	struct copy c = { .m = m, .names = { .mem = mem, .done = done }, .fd = -1,
		.spool = { .stop = m->env->stop, .tmpdir = m->env->tmpdir, .spool_max = m->env->spool_max } };
	uint64_t all = 0;
	int rc = read_all(m, &c.names, err);

	TT_THEN(rc, find_all_alike(&c, err));
	TT_THEN(rc, tt_spool_open(&c.spool, &c.fd, err));
	TT_THEN(rc, scan(&c, &all, err));
	for (size_t i = 0; i < c.nstream; i++) {
		TT_THEN(rc, give_up(&c, &c.stream[i], err));
		tt_mem_free(mem, c.stream[i].p, c.stream[i].cap);
		tt_mem_free(mem, c.stream[i].place, c.stream[i].capplace * sizeof *c.stream[i].place);
	}
	done->nzeroed_bytes -= done->nbegun_bytes;
	/* The reader may continue where the copy does not. */
	if (done->nzeroed_bytes && c.names.nevent > c.nmessage && c.names.nevent - c.nmessage > done->nlost_events)
		done->nlost_events = c.names.nevent - c.nmessage;
	TT_THEN(rc, write_out(&c, all, write, arg, err));
	if (c.fd >= 0)
		tt_sys_close(c.fd);
	tt_mem_free(mem, c.stream, c.capstream * sizeof *c.stream);
	tt_mem_free(mem, c.alike, c.capalike * sizeof *c.alike);
	tt_map_free(&c.at, mem);
	tt_map_free(&c.at_alike, mem);
	tt_scrub_free(&c.names);
	return rc;
}
