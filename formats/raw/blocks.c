/**
 * Reads headers and blocks of the file, a segment at a time. It decodes no event, and makes no chunk: chunks.c does.
 */
#include "raw/raw.h"

#include <stdio.h>

#include "base/hash_seed.h"

/* --- headers ---------------------------------------------------------------------------------------- */

/* Read the release in the header, "6000.3.9f1"; "" if there is none. */
static void
release_of(const uint8_t *p, size_t n, char *text, size_t size)
{
	text[0] = '\0';
	if (unity_u32(p + 8) >= RAW_SAYS_RELEASE && n >= RAW_HEAD_RELEASE)
		unity_release(p + RAW_HEAD, text, size);
}

/* Report how the log at ${at} is read, unless as its own version says, or refuse the log. ${p}: its header, of at least ${n} bytes. */
static int
tell_layout(struct raw *m, uint64_t at, const struct raw_choice *by, const uint8_t *p, size_t n, struct tt_err *err)
{
	const char *const how = p[5] == by->aligned ? "" : by->aligned ? ", with aligned messages" : ", with packed messages";
	const char *const file = tt_src_info(m->src)->name;
	char release[64], log[4096];
	bool forced = false;

	release_of(p, n, release, sizeof release);
	snprintf(log, sizeof log, "%s, log at byte %llu", file, (unsigned long long)at);
	const int rc = unity_settle_layout(m->env, at ? log : file, unity_u32(p + 8), at + 8, ".raw", release, by->version, how, &by->trial, &forced, err);
	m->cap->fit.forced = m->cap->fit.forced || forced;
	m->cap->fit.unknown = m->cap->fit.unknown || !unity_version(unity_u32(p + 8));
	const size_t head = raw_head_size(p, n), own = unity_u32(p + 8) >= RAW_SAYS_RELEASE ? RAW_HEAD_RELEASE : RAW_HEAD;
	/* One message on how the log is read is enough. */
	if (rc == TT_OK && head != own && by->version->word == unity_u32(p + 8) && !how[0])
		tt_log(m->env, TT_LOG_NORMAL, "%s: its header has %zu bytes, where version 0x%08x has %zu; it was read all the same", at ? log : file, head,
		    unity_u32(p + 8), own);
	return rc;
}

/* Name the layout of a further log, unless it was named already. */
static int
add_layout(struct raw *m, const struct raw_choice *by, struct tt_err *err)
{
	struct tt_capture *cap = m->cap;
	char text[160];

	if (strstr(cap->fit.layout, by->version->raw))
		return TT_OK;
	snprintf(text, sizeof text, "%s; %s", cap->fit.layout, by->version->raw);
	cap->fit.layout = tt_arena_text(&cap->arena, text, strlen(text), err);
	return cap->fit.layout ? TT_OK : err->code;
}

/* Write the name of the player's target by the number of its BuildTarget in Unity's documentation, or else the number. */
static void
put_platform(char *to, size_t size, unsigned number)
{
	static const char *const name[] = { [2] = "macOS", [5] = "Windows 32-bit", [9] = "iOS", [13] = "Android", [19] = "Windows 64-bit", [20] = "WebGL",
		[21] = "Universal Windows", [24] = "Linux 64-bit", [31] = "PlayStation 4", [33] = "Xbox One", [37] = "tvOS", [38] = "Switch",
		[42] = "Xbox Series", [44] = "PlayStation 5", [45] = "Embedded Linux", [46] = "QNX", [47] = "visionOS" };

	if (number < sizeof name / sizeof *name && name[number])
		snprintf(to, size, "%s", name[number]);
	else
		snprintf(to, size, "%u", number);
}

/* Decide by which layout the capture is read, and name its version and its release. */
static int
describe(struct raw *m, const struct raw_choice *by, const uint8_t *p, size_t n, struct tt_err *err)
{
	struct tt_capture *cap = m->cap;
	const uint32_t word = unity_u32(p + 8);
	char release[64], text[160];
	int rc = TT_OK;

	release_of(p, n, release, sizeof release);
	snprintf(text, sizeof text, "version 0x%08x, %sUnity %s", word, unity_version(word) || release[0] ? "" : "read like ",
	    release[0] ? release : m->version->raw);
	if (!(cap->version = tt_arena_text(&cap->arena, text, strlen(text), err)))
		return err->code;
	if (release[0])
		rc = tt_capture_meta(cap, "unity_version", release, err);
	put_platform(text, sizeof text, unity_u16(p + 6));
	TT_THEN(rc, tt_capture_meta(cap, "platform", text, err));
	cap->fit.layout = m->version->raw;
	cap->fit.part = "block";
	cap->fit.message = "message";
	return rc == TT_OK ? tell_layout(m, 0, by, p, n, err) : rc;
}

/* Read the header of session ${s}, of version ${word}, at ${at}, and choose the layout that fits. */
static int
settle_session(struct raw *m, uint64_t at, uint32_t word, struct raw_session *s, struct raw_choice *by, struct tt_err *err)
{
	*by = (struct raw_choice){ .word = word, .version = m->as, .categories = s->categories, .aligned = s->layout.aligned };
	if (m->as)
		return TT_OK;
	const int rc = raw_choose(m, at, word, s->layout.aligned, by, err);
	s->layout.aligned = by->aligned;
	s->layout.rank = by->version->rank;
	s->categories = by->categories;
	s->wide_known = by->version->rank < 12;
	s->poor = unity_trial_is_poor(&by->trial) && (!unity_version(word) || !by->trial.names_fit || by->trial.misfits * 2 > by->trial.parts);
	raw_sizes(&s->layout, s->size);
	const struct unity_version *const exact = unity_version(word);
	s->fit = (struct tt_fit_log){ .at = at, .version = word, .layout = by->version->raw,
		.forced = m->env->force && unity_trial_is_poor(&by->trial) && !(exact && exact->raw) };
	return rc;
}

static int
add_session(struct raw *m, const struct raw_session *s, uint64_t at, struct tt_err *err)
{
	int rc = tt_mem_grow(&m->env->mem, &m->session, &m->capsession, m->nsession + 1, sizeof *s, err);

	if (rc != TT_OK)
		return rc;
	m->session[m->nsession] = *s;
	m->session[m->nsession].number = (uint32_t)m->nsession;
	m->session[m->nsession].zero = m->nsession ? m->session[0].zero : 0;
	m->session[m->nsession].main_as = m->main_from ? m->session[m->main_from - 1].main_as : s->main;
	m->session[m->nsession].main_again = m->main_from > 0;
	m->session[m->nsession].at = at;
	m->now = m->nsession++;
	return TT_OK;
}

int
raw_open_head(struct raw *m, uint64_t at, struct tt_err *err)
{
	struct raw_session s;
	struct raw_choice by;
	const uint8_t *p;
	size_t n, size = 0;
	int rc = tt_window_show(&m->win, at, RAW_HEAD_RELEASE + 4, &p, &n, err);

	if (rc != TT_OK)
		return rc;
	if (n >= 4 && unity_u32(p) == RAW_MAGIC_BIG)
		return tt_fail(err, TT_E_UNKNOWN, 0, "big-endian files are not read");
	if (n < 4 || unity_u32(p) != RAW_MAGIC)
		return tt_fail(err, TT_E_UNKNOWN, 0, "no magic of Unity's .raw at the beginning");
	if ((rc = raw_take_head(m, p, n, &s, &size, err)) != TT_OK || (rc = settle_session(m, at, unity_u32(p + 8), &s, &by, err)) != TT_OK ||
	    (rc = add_session(m, &s, at, err)) != TT_OK)
		return rc;
	m->version = by.version;
	m->first = size;
	/* The trial of layouts has shown more of the input. */
	rc = m->as ? TT_OK : tt_window_show(&m->win, at, RAW_HEAD_RELEASE + 4, &p, &n, err);
	return m->as || rc != TT_OK ? rc : describe(m, &by, p, n, err);
}

/* --- streams ---------------------------------------------------------------------------------------- */

struct raw_stream *
raw_stream(struct raw *m, uint64_t id, struct tt_err *err)
{
	const uint32_t session = (uint32_t)m->now;

	/* Usually the stream is the same as for the previous block. */
	if (m->met < m->nstream && m->stream[m->met].id == id && m->stream[m->met].session == session)
		return &m->stream[m->met];
	const uint64_t hash = tt_seeded_pair(session, id);
	const uint32_t at = tt_map_find(&m->stream_at, hash, i, m->stream[i].id == id && m->stream[i].session == session);
	if (at) {
		m->met = at - 1;
		return &m->stream[m->met];
	}
	if (tt_map_push(&m->stream_at, &m->env->mem, hash, &m->stream, &m->capstream, m->nstream, err) != TT_OK)
		return NULL;
	m->stream[m->nstream] = (struct raw_stream){ .id = id, .session = session, .start = INT64_MAX, .ended = INT64_MIN,
		.carry_after = INT64_MIN, .last_ts = INT64_MIN, .leader = UNITY_NO_MARKER };
	return &m->stream[m->nstream++];
}

/* The stream of thread ${id} in the present session, or NULL. */
static const struct raw_stream *
known_stream(const struct raw *m, uint64_t id)
{
	const uint32_t session = (uint32_t)m->now;
	const uint32_t at = tt_map_find(&m->stream_at, tt_seeded_pair(session, id), i, m->stream[i].id == id && m->stream[i].session == session);

	return at ? &m->stream[at - 1] : NULL;
}

void
raw_settle_main(struct raw *m)
{
	struct raw_session *s = &m->session[m->now];

	if (s->main_sure || !s->has_named)
		return;
	const struct raw_stream *main = known_stream(m, s->main), *other = known_stream(m, s->named);
	s->main_sure = s->named == s->main || (main && main->framed && !main->named);
	if (s->main_sure || !other || !other->framed)
		return;
	s->main_sure = s->main_wrong = true;
	s->main_as = s->main_again ? s->main_as : s->named;
	s->main = s->named;
	m->main_from = m->main_from ? m->main_from : m->now + 1;
}

/*
 * Find the kinds of events that only definitions identify, for a log without definitions. The marker that allocates is always defined; the marker that
 * collects may not be.
 */
static void
find_undefined(struct raw *m, const struct raw_session *s)
{
	const uint32_t collect = s->marker.collect == UNITY_NO_MARKER ? TT_REC_COLLECTIONS : 0;

	if (s->layout.rank > 3 && s->marker.alloc == UNITY_NO_MARKER)
		m->cap->undefined |= TT_REC_ALLOCS | collect;
	m->cap->unless_named |= collect;
}

/* Count the losses found since the last call for the present session's log. */
static void
attribute_losses(struct raw *m)
{
	struct tt_fit_log *log = &m->session[m->now].fit;
	bool cut;
	const uint64_t n = tt_loss_count_damage(&m->loss, &cut);

	log->lost += n - m->nattributed;
	log->cut = log->cut || cut;
	m->nattributed = n;
}

void
raw_hand_losses(struct raw *m, struct tt_loss *to)
{
	attribute_losses(m);
	tt_loss_join(to, &m->loss);
	tt_loss_reset(&m->loss);
	m->nattributed = 0;
}

/* Add a loss of session ${i}. */
static void
lose_in(struct raw *m, size_t i, enum tt_loss_kind kind, uint64_t at)
{
	tt_loss_add(&m->loss, kind, 1, 0, at);
	m->session[i].fit.lost++;
	m->nattributed++;
}

/* Numbers of blocks below this often coincide between threads. */
enum { ALIKE = 16 };

/* True if damage in one place turns the id ${good} into ${bad}: one bit changed, or consecutive bytes became zeros. */
static bool
may_become(uint64_t good, uint64_t bad)
{
	const uint64_t other = good ^ bad;

	if (other == 0 || (other & (other - 1)) == 0)
		return other != 0;
	const unsigned low = (unsigned)__builtin_ctzll(other) / 8 * 8, high = (63 - (unsigned)__builtin_clzll(other)) / 8 * 8 + 8;
	const uint64_t below_high = high < 64 ? (UINT64_C(1) << high) - 1 : UINT64_MAX, below_low = (UINT64_C(1) << low) - 1;
	return (bad & below_high & ~below_low) == 0;
}

/*
 * True if the stream id of a block is damaged: the only block of ${st}, a thread without a definition, has the number of the missing first or last block of
 * the thread ${of}; a frame's mark also has the number of that thread's frame; and damage turns the id of ${of} into that of ${st}.
 */
static bool
is_block_of(const struct raw_stream *of, const struct raw_stream *st)
{
	const bool is_first = st->first_block + 1 == of->first_block && st->at < of->at, is_last = st->first_block == of->block && st->at > of->last_at;

	if (!of->named || st->framed > of->framed || !may_become(of->id, st->id))
		return false;
	if (st->framed)
		return (is_first && st->first_frame + 1 == of->first_frame) || (is_last && st->first_frame == of->frame + 1);
	return is_first || is_last;
}

/* Find each session's stream without a name, if it is the only one. */
static void
find_unnamed(struct raw *m)
{
	for (size_t i = 0; i < m->nsession; i++)
		m->session[i].unnamed = 0;
	for (size_t i = 0; i < m->nstream; i++) {
		const struct raw_stream *const st = &m->stream[i];
		if (st->seen && !st->named && st->id != RAW_SESSION)
			m->session[st->session].unnamed = m->session[st->session].unnamed ? SIZE_MAX : i + 1;
	}
}

/*
 * Count the first and last blocks that threads lack. For main threads the block may be in any stream without a name; for other threads the log must have only
 * one such stream, with a block number that hardly occurs in other threads.
 */
static void
count_strays(struct raw *m)
{
	const size_t now = m->now;

	find_unnamed(m);
	for (size_t i = 0; i < m->nstream; i++) {
		const struct raw_stream *const st = &m->stream[i];
		if (!st->seen || st->id == RAW_SESSION)
			continue;
		m->now = st->session;
		const struct raw_session *const s = &m->session[m->now];
		const struct raw_stream *const main = known_stream(m, s->main);
		const struct raw_stream *const only = s->unnamed && s->unnamed < SIZE_MAX ? &m->stream[s->unnamed - 1] : NULL;
		/* In many logs number 0 is the first block of some other thread. */
		if (!st->named && !st->has_more && main && main->framed && (st->framed || st->first_block > 0) && is_block_of(main, st))
			lose_in(m, m->now, TT_LOST_MISSING, st->at);
		else if (st->named && st != main && only && !only->has_more && only->first_block >= ALIKE && is_block_of(st, only))
			lose_in(m, m->now, TT_LOST_MISSING, only->at);
	}
	m->now = now;
}

/*
 * True if ${st}, the only stream of its log without a definition, belongs to the thread ${of}, which has a root and no block: the id in the definition is
 * damaged. Evidence: the ids are similar, or the frames of ${st} begin with the root of ${of}. If damage produced the id of another thread, that thread has
 * two names.
 */
static bool
is_stream_of(const struct raw *m, const struct raw_stream *of, const struct raw_stream *st)
{
	const uint32_t root = unity_marker_named(&m->known, of->session, of->name);

	return of->session == st->session && of->named && of->bound && (!of->seen || of->reused) && st->framed && root != UNITY_NO_MARKER &&
	    (may_become(st->id, of->id) || may_become(of->id, st->id) || st->leader == root);
}

/* Count damaged definitions of threads: those whose id no block has while blocks have a similar id, and those whose frames have a root with another name. */
static void
count_undefined_threads(struct raw *m)
{
	for (size_t i = 0; i < m->nstream; i++) {
		const struct raw_stream *const st = &m->stream[i];
		const size_t only = m->session[st->session].unnamed;
		if (st->id != RAW_SESSION && only && only < SIZE_MAX && is_stream_of(m, st, &m->stream[only - 1]))
			lose_in(m, st->session, TT_LOST_DEFINITIONS, m->stream[only - 1].at);
		/* A thread that recorded nothing may have had the same id and nearly the same name. */
		if (st->seen && st->renamed && !st->has_names)
			lose_in(m, st->session, TT_LOST_DEFINITIONS, st->defined_at);
	}
}

/* Count headers whose main thread is missing, and logs without definitions; note what remains unknown without definitions. */
static void
count_headers(struct raw *m)
{
	m->cap->undefined = m->cap->unless_named = 0;
	for (size_t i = 0; i < m->nsession; i++) {
		const struct raw_session *s = &m->session[i];
		if (s->main_wrong || (s->framed && !s->main_there))
			lose_in(m, i, TT_LOST_HEADER, s->at + RAW_HEAD - 8);
		if (s->used && !s->defined)
			lose_in(m, i, TT_LOST_DEFINITIONS, s->at);
		if (s->used)
			find_undefined(m, s);
	}
}

/* True if the last time of ${st} is long after the end of the recording: one of the two times is damaged. */
static bool
runs_on(const struct raw_session *s, const struct raw_stream *st)
{
	return st->seen && st->id != RAW_SESSION && raw_is_sane(s->stopped) && st->last_ts > s->stopped + RAW_MAX_OVER_NS;
}

void
raw_end_sessions(struct raw *m)
{
	attribute_losses(m);
	for (size_t i = 0; i < m->nstream; i++) {
		const struct raw_stream *st = &m->stream[i];
		struct raw_session *s = &m->session[st->session];
		s->main_there = s->main_there || (st->id == s->main && (st->seen || st->named));
		s->framed = s->framed || st->framed;
		s->used = s->used || (st->seen && st->id != RAW_SESSION);
		s->defined = s->defined || (st->seen && st->id == RAW_SESSION);
		if (runs_on(s, st))
			lose_in(m, st->session, TT_LOST_DAMAGED, st->last_at);
	}
	count_headers(m);
	count_strays(m);
	count_undefined_threads(m);
}

/* --- finding blocks ----------------------------------------------------------------------------------- */

enum found { A_BLOCK, A_HEADER, NONE, MORE };

/* True if a header, whole or cut, lies at ${p} and is followed by a block or another header. *${size}: the header's bytes. */
static bool
is_head(const struct raw *m, const uint8_t *p, size_t n, size_t *size)
{
	static const uint8_t block[4] = { 0xAD, 0x7E, 0x0C, 0xB1 }, head[4] = { 0x50, 0x44, 0x33, 0x55 };
	struct raw other = { .env = m->env, .as = m->as, .as_aligned = m->as_aligned };
	struct raw_session s;
	struct tt_err err;

	if (raw_take_head(&other, p, n, &s, size, &err) != TT_OK)
		return false;
	const size_t left = n - *size < 4 ? n - *size : 4;
	return memcmp(p + *size, block, left) == 0 || memcmp(p + *size, head, left) == 0;
}

/* Determine what begins at ${p}. ${n} bytes are in memory; they are the last ones if ${ended}. MORE: *${want} bytes are needed to decide. */
static inline enum found
what_is(const struct raw *m, const uint8_t *p, size_t n, bool ended, size_t *want)
{
	size_t size;

	*want = RAW_BLOCK_HEAD;
	if (n < 4)
		return MORE;
	if (unity_u32(p) == RAW_MAGIC) {
		*want = RAW_HEAD_RELEASE + 4;
		if (n < *want)
			return ended && is_head(m, p, n, &size) ? A_HEADER : MORE;
		return is_head(m, p, n, &size) ? A_HEADER : NONE;
	}
	if (unity_u32(p) != RAW_BLOCK)
		return NONE;
	if (n < RAW_BLOCK_HEAD)
		return MORE;
	uint32_t len = unity_u32(p + 16);
	if (len > RAW_BLOCK_MAX)
		return NONE;
	*want = RAW_BLOCK_HEAD + (size_t)len + RAW_BLOCK_FOOT;
	if (n < *want)
		return MORE;
	const uint8_t *foot = p + RAW_BLOCK_HEAD + len;
	return unity_u32(foot) == unity_u32(p + 4) + 1 && unity_u32(foot + 4) == RAW_FOOT ? A_BLOCK : NONE;
}

/* Point m->p at the segment's bytes: at least ${want}, unless the input ends before; then *${ended} is set. */
static int
show(struct raw *m, size_t want, size_t *n, bool *ended, struct tt_err *err)
{
	int rc = tt_window_show(&m->win, m->from, want, &m->p, n, err);

	*ended = *n < want;
	return rc;
}

/* True if the block ends where its length says, or if the input cannot seek, so that only further reading can tell. */
static bool
foot_there(const struct raw *m, uint64_t at, uint32_t id, uint32_t len)
{
	uint8_t foot[RAW_BLOCK_FOOT];
	struct tt_err err;
	size_t got;

	if (!tt_src_info(m->src)->seekable)
		return true;
	return tt_src_pread(m->src, at + RAW_BLOCK_HEAD + len, foot, sizeof foot, &got, &err) == TT_OK && got == sizeof foot &&
	    unity_u32(foot) == id + 1 && unity_u32(foot + 4) == RAW_FOOT;
}

/* Return the payload bytes of the block at the segment's beginning that the next log, after ${n} bytes, cuts; 0: the block is whole, or there is no block. */
static size_t
part_of_block(const struct raw *m, size_t n)
{
	if (n <= RAW_BLOCK_HEAD || unity_u32(m->p) != RAW_BLOCK)
		return 0;
	const size_t len = unity_u32(m->p + 16), there = n - RAW_BLOCK_HEAD;
	return len > RAW_BLOCK_MAX || len + RAW_BLOCK_FOOT <= there ? 0 : len < there ? len : there;
}

/* True if a block may begin at byte ${i} of the segment's ${n} bytes, if the input continues as expected. */
static bool
may_be_block(const struct raw *m, size_t i, size_t n)
{
	const uint8_t *p = m->p + i;

	return n - i < RAW_BLOCK_HEAD || unity_u32(p) == RAW_MAGIC || foot_there(m, m->from + i, unity_u32(p + 4), unity_u32(p + 16));
}

/*
 * Find the next block or header in the segment's ${n} bytes from *${i} on. MORE: there may be one, and *${need} bytes are needed to decide. NONE: *${i} is
 * after the last place where one could begin.
 */
static enum found
look(const struct raw *m, size_t *i, size_t n, bool ended, size_t *need)
{
	for (; *i + 4 <= n; ++*i) {
		if (m->p[*i] != 0xAD && m->p[*i] != 0x50)
			continue;
		enum found f = what_is(m, m->p + *i, n - *i, ended, need);
		if (f == A_BLOCK || f == A_HEADER || (f == MORE && !ended && may_be_block(m, *i, n)))
			return f;
	}
	return NONE;
}

/*
 * Find the next block or header after the first ${off} bytes of the segment, skip to it, and begin the segment there. If there is none, the segment is empty,
 * at the end of the input. If a log ends inside a block and another log follows, the segment stays, and *${part} of its bytes belong to that block.
 */
static int
search(struct raw *m, size_t off, size_t *part, struct tt_err *err)
{
	enum { NEAR = RAW_SEGMENT - RAW_HEAD_RELEASE };       /* number of bytes that are always in memory together */
	uint64_t from = m->from;
	size_t n, want = RAW_SEGMENT, need;
	bool ended = false;
	int rc;

	*part = 0;
	while (!ended) {
		size_t i = off;
		if ((rc = show(m, want, &n, &ended, err)) != TT_OK)
			return rc;
		const enum found f = look(m, &i, n, ended, &need);
		const bool near = m->from == from && i < NEAR, stay = f == MORE && near;
		if (f == A_HEADER && near && part_of_block(m, i) > 0) {
			*part = i;
			tt_loss_add(&m->loss, TT_LOST_CUT, 1, i, from);
			return TT_OK;
		}
		if (f == A_BLOCK || f == A_HEADER) {
			m->from += i;
			tt_loss_add(&m->loss, f == A_HEADER ? TT_LOST_CUT : TT_LOST_SYNC, 1, m->from - from, from);
			return TT_OK;
		}
		off = stay ? i : 0;
		want = RAW_SEGMENT + (f == MORE ? off + need : 0);
		m->from += stay ? 0 : ended || i > n ? n : i;
	}
	tt_loss_add(&m->loss, TT_LOST_GARBAGE, 1, m->from - from, from);
	return TT_OK;
}

/*
 * Handle an input that ends inside the block or header at the segment's beginning. If a whole block or header follows, continue there as search() does; else
 * use the remaining bytes, *${part} of them.
 */
static int
cut_off(struct raw *m, size_t n, size_t *part, struct tt_err *err)
{
	size_t i = 1, need;

	if (look(m, &i, n, true, &need) != NONE)
		return search(m, 1, part, err);
	tt_loss_add(&m->loss, TT_LOST_CUT, 1, n, m->from);
	*part = n;
	return TT_OK;
}

/* --- a segment ------------------------------------------------------------------------------------------- */

static inline uint64_t
mixed(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
	return h ^ h >> 32;
}

/*
 * Return the identity of a block, made of stream, number, length and the payload's first and last 16 bytes, equal in every process; *${at}: its place.
 * Consecutive blocks of a stream have neighbouring places, eight in a cache line.
 */
static inline uint64_t
block_sign(const struct raw *m, const uint8_t *p, uint32_t len, size_t *at)
{
	enum { LINE = 8 };
	const uint32_t id = unity_u32(p + 4);
	const uint64_t line = mixed(mixed(m->now, unity_u64(p + 8)), id / LINE);
	const uint8_t *const body = p + RAW_BLOCK_HEAD;
	uint64_t first = 0, last = 0;

	*at = (line * LINE + id % LINE) % (RAW_SEEN_PAGES * RAW_SEEN_PAGE);
	if (len >= 16) {
		first = unity_u64(body + 8) * UINT64_C(0xC2B2AE3D27D4EB4F);
		last = unity_u64(body + len - 16) * UINT64_C(0x165667B19E3779F9);
	}
	if (len >= 8) {
		first += unity_u64(body);
		last += unity_u64(body + len - 8);
	} else {
		memcpy(&first, body, len);
	}
	return mixed(line ^ ((uint64_t)id << 32 | len), first ^ last * UINT64_C(0xD6E8FEB86659FD93));
}

/* Return a page of identities of blocks, made at its first use: small captures use few pages. */
static uint64_t *
seen_page(struct raw *m, size_t page, struct tt_err *err)
{
	uint64_t **const seen = &m->block_seen[page];

	if (!*seen)
		*seen = tt_mem_alloc(&m->env->mem, RAW_SEEN_PAGE * sizeof **seen, err);
	return *seen;
}

/* Return the stream's place in the segment's order. Definitions come first; next comes the main thread if it tells when an appended log's recording began. */
static size_t
place_in_order(const struct raw *m, const struct raw_stream *st)
{
	const struct raw_session *s = &m->session[m->now];

	if (m->norder == 0 || st->id == RAW_SESSION)
		return 0;
	if (s->number == 0 || m->lead_known || st->id != s->main)
		return m->norder;
	return m->stream[m->order[0]].id == RAW_SESSION ? 1 : 0;
}

/* True if the ${n} bytes at ${p} end like the message of a thread's end. */
static bool
ends_thread(const struct raw_layout *l, const uint8_t *p, uint32_t n)
{
	const uint32_t size = (l->aligned ? 4 : 2) + 8;

	return n >= size && unity_u16(p + n - size) == RAW_CLEANUP;
}

/* Add the block to the list of its stream in the segment. */
static int
list_block(struct raw *m, struct raw_stream *st, size_t off, uint32_t len, uint32_t flags, struct tt_err *err)
{
	const uint32_t index = (uint32_t)(st - m->stream);
	int rc;

	if (m->nblock == m->capblock &&
	    (rc = tt_mem_grow(&m->env->mem, &m->block, &m->capblock, m->nblock + 1, sizeof *m->block, err)) != TT_OK)
		return rc;
	m->block[m->nblock++] = (struct raw_block){ .off = (uint32_t)off, .len = len, .flags = flags };
	st->may_end = (st->first && st->may_end) || ends_thread(&m->session[m->now].layout, m->p + off, len);
	if (st->first) {
		m->block[st->last - 1].next = (uint32_t)m->nblock;
	} else {
		if ((rc = tt_mem_grow(&m->env->mem, &m->order, &m->caporder, m->norder + 1, sizeof *m->order, err)) != TT_OK)
			return rc;
		const size_t place = place_in_order(m, st);
		m->order[m->norder++] = index;
		m->order[m->norder - 1] = m->order[place];
		m->order[place] = index;
		st->first = (uint32_t)m->nblock;
	}
	st->last = (uint32_t)m->nblock;
	return TT_OK;
}

/* Record the number of a frame that begins on ${st}. */
static void
see_frame(struct raw *m, const struct raw_stream *st, uint32_t frame)
{
	struct raw_frames_seen *f = &m->frames;

	if (st->id == m->session[m->now].main) {
		f->main = true;
		f->last_main = frame;
	}
	if (!f->any || (int32_t)(frame - f->last) > 0)
		f->last = frame;
	f->any = true;
}

/* Count a block as evidence of the layout, unless it is a frame's mark, which is equal in all layouts, or a block in which the file ends. */
static void
count_part(struct raw *m, const struct raw_stream *st, uint32_t len, uint32_t flags)
{
	struct tt_fit_log *log = &m->session[m->now].fit;
	struct tt_fit *e = &m->cap->fit;

	if (len == 0 || flags & (RAW_P_FRAME | RAW_P_CUT))
		return;
	e->parts++;
	e->bytes += len;
	e->samples += st->id != RAW_SESSION;
	log->parts++;
	log->bytes += len;
	log->samples += st->id != RAW_SESSION;
}

/*
 * True if the block's payload of ${len} bytes at ${p} is a frame's mark. The remainder of another message may begin like a mark, but does not have the next
 * frame's number, nor a time within a month after that of the last mark.
 */
static bool
is_mark(const struct raw_session *s, const struct raw_stream *st, const uint8_t *p, uint32_t len)
{
	const int64_t month = INT64_C(30) * 86400 * RAW_MAX_STEP_NS;

	if (len != (s->layout.aligned ? 16 : 14) || unity_u16(p) != RAW_FRAME)
		return false;
	if (!st->framed || unity_u32(p + (s->layout.aligned ? 4 : 2)) == st->frame + 1)
		return true;
	const int64_t t = raw_time_of(s, p);
	return t >= st->frame_ns - RAW_MAX_STEP_NS && t - month <= st->frame_ns;
}

/* True if a mark of frame ${frame} has no higher number than the previous mark, though that mark belongs to the recording, too: one of the two is damaged. */
static bool
is_back(const struct raw_session *s, const struct raw_stream *st, uint32_t frame)
{
	return st->framed && (int32_t)(frame - st->frame) <= 0 && st->frame_ns >= s->began;
}

/*
 * True if the mark of frame ${frame}, at ${time}, is the stream's first one in the recording, and its previous mark belongs to an earlier recording. No frame
 * is missing between the two.
 */
static bool
begins_recording(const struct raw_session *s, const struct raw_stream *st, uint32_t frame, int64_t time)
{
	return s->stated && st->framed && st->frame_ns < s->began && time >= s->began && st->frame != s->first_frame &&
	    frame - s->first_frame <= 1;
}

/* Take in the frame's mark that fills the payload at ${p}. Return the flags of its block. */
static uint32_t
see_mark(struct raw *m, struct raw_stream *st, const uint8_t *p)
{
	const struct raw_session *s = &m->session[m->now];
	const uint32_t frame = unity_u32(p + (s->layout.aligned ? 4 : 2));
	const int64_t time = raw_time_of(s, p);
	const uint32_t flags = RAW_P_FRAME | (st->framed && frame != st->frame + 1 ? RAW_P_LOST : 0u) | (is_back(s, st, frame) ? RAW_P_BACK : 0u) |
	    (begins_recording(s, st, frame, time) ? RAW_P_PAUSED : 0u);

	st->first_frame = st->framed ? st->first_frame : frame;
	st->framed = true;
	st->frame = frame;
	st->frame_ns = time;
	see_frame(m, st, frame);
	st->awaits_leader = st->leader == UNITY_NO_MARKER;
	return flags;
}

static int
add_block(struct raw *m, size_t off, uint32_t len, uint32_t flags, struct tt_err *err)
{
	const uint8_t *const p = m->p + off, *const body = p + RAW_BLOCK_HEAD;
	const uint32_t id = unity_u32(p + 4);
	size_t seen_at;
	const uint64_t sign = block_sign(m, p, len, &seen_at);
	struct raw_stream *st = raw_stream(m, unity_u64(p + 8), err);
	uint64_t *seen = st ? seen_page(m, seen_at / RAW_SEEN_PAGE, err) : NULL;

	if (!seen)
		return err->code;
	seen += seen_at % RAW_SEEN_PAGE;
	/* A repeated block is read only once. */
	const bool again = st->seen && *seen == sign;
	/* The first block of definitions has the number 0, as st->block has initially. */
	if (again || ((st->seen || st->id == RAW_SESSION) && id != st->block)) {
		tt_loss_add(&m->loss, st->id == RAW_SESSION && !again ? TT_LOST_DEFINITIONS : TT_LOST_MISSING, 1, 0, m->from + off);
		if (again)
			return TT_OK;
		flags |= RAW_P_GAP;
	}
	*seen = sign;
	st->has_more = st->seen;
	if (!st->seen) {
		st->first_block = id;
		st->at = m->from + off;
	}
	st->seen = true;
	st->last_at = m->from + off;
	if (m->main_from == 0 && st->id == m->session[m->now].main)
		m->main_from = m->now + 1;
	st->block = id + 1;
	if (is_mark(&m->session[m->now], st, body, len))
		flags |= see_mark(m, st, body);
	else if (st->awaits_leader)
		raw_see_first_sample(&m->session[m->now], st, body, len);
	flags |= st->framed ? RAW_P_ALONE : 0u;
	count_part(m, st, len, flags);
	const int rc = st->id == RAW_SESSION ? TT_OK : raw_heed_own(m, st->id, body, len, m->from + off, err);
	return rc != TT_OK ? rc : list_block(m, st, off + RAW_BLOCK_HEAD, len, flags, err);
}

void
raw_miss_tail(struct raw *m, uint64_t at)
{
	const struct raw_frames_seen *f = &m->frames;
	const uint32_t last = f->main ? f->last_main : f->last;

	/* The frame in which recording stops has no mark yet, so one number more is usual. */
	if (f->stopped && f->any && (int32_t)(f->stop - last) > 1)
		tt_loss_add(&m->loss, TT_LOST_MISSING, 1, 0, at);
	m->frames = (struct raw_frames_seen){ .stopped = false };
}

/*
 * Determine when the session began whose header, of ${size} bytes, is at the segment's beginning. If its clock is before the end of the last log, the session
 * is moved so that the main thread's frame in which the recording began starts at that end.
 */
static int
place_session(struct raw *m, size_t size, struct tt_err *err)
{
	struct raw_session *const s = &m->session[m->now];
	const int64_t start = m->start.ts;
	int64_t lead = start;
	int rc = TT_OK;

	s->stated = m->start.stated;
	s->state_wrong = m->start.wrong;
	s->first_frame = m->start.frame;
	if (m->latest > INT64_MIN && start < m->latest + RAW_MAX_LEAD_NS)
		rc = raw_find_lead(m, s, m->from + size, start, &lead, err);
	const int64_t moved = lead < m->latest ? m->latest - lead : 0;
	s->zero -= moved;
	s->began = start + moved;
	/* The main thread's times continue from there, however long the gap after the last log is. */
	if (s->stated && s->began > m->latest)
		m->latest = s->began;
	return rc;
}

/* Begin the session whose header is at the segment's beginning. A second reading knows the session already. */
static int
enter_session(struct raw *m, size_t n, struct tt_err *err)
{
	struct raw_session s;
	struct raw_choice by;
	size_t size;
	int rc;

	const bool cut = m->any_state && m->enabled;
	if (cut)
		tt_loss_add(&m->loss, TT_LOST_NOT_ENDED, 1, 0, m->from);
	raw_miss_tail(m, m->from);
	attribute_losses(m);
	m->any_state = m->enabled = false;
	unity_next_epoch(&m->known);
	raw_begin_lead(m, (uint32_t)m->now + 1);
	if (m->now + 1 < m->nsession) {
		m->now++;
		m->from += raw_head_size(m->p, n);
		return TT_OK;
	}
	if (m->nsession >= RAW_MAX_SESSIONS)
		return tt_fail(err, TT_E_LIMIT, m->from, "more than %d captures appended to each other", RAW_MAX_SESSIONS);
	if ((rc = raw_take_head(m, m->p, n, &s, &size, err)) != TT_OK || (rc = settle_session(m, m->from, unity_u32(m->p + 8), &s, &by, err)) != TT_OK ||
	    (rc = add_session(m, &s, m->from, err)) != TT_OK)
		return rc;
	if (!m->as && !by.told) {
		if ((rc = show(m, RAW_HEAD_RELEASE + 4, &n, &(bool){ false }, err)) != TT_OK || (rc = tell_layout(m, m->from, &by, m->p, n, err)) != TT_OK ||
		    (rc = add_layout(m, &by, err)) != TT_OK)
			return rc;
	}
	/* Logs without a time, possibly thousands in a row, get the begin of the next log. */
	if (m->from > m->start_to)
		rc = raw_find_start(m, &m->session[m->now], m->from + size, &m->start, &m->start_to, err);
	m->session[m->now].ncut = m->session[m->now - 1].ncut + cut;
	TT_THEN(rc, place_session(m, size, err));
	m->from += size;
	return rc;
}

/* True if the length in the block of ${need} bytes at the segment's beginning is wrong. */
static bool
lies(const struct raw *m, size_t n, size_t need)
{
	return need > RAW_BLOCK_HEAD && n >= RAW_BLOCK_HEAD && unity_u32(m->p) == RAW_BLOCK &&
	    !foot_there(m, m->from, unity_u32(m->p + 4), unity_u32(m->p + 16)) && m->from + need <= tt_src_info(m->src)->size;
}

/* A log ends after ${n} bytes: use the available bytes of the block at the segment's beginning. */
static int
last_block(struct raw *m, size_t n, struct tt_err *err)
{
	const size_t len = part_of_block(m, n);

	return len ? add_block(m, 0, (uint32_t)len, RAW_P_CUT, err) : TT_OK;
}

int
raw_take_segment(struct raw *m, struct tt_err *err)
{
	size_t n = 0, off = 0, want = RAW_SEGMENT, need;
	bool ended;

	m->from = m->at;
	m->nblock = m->norder = m->next = 0;
	if (m->from - m->base > RAW_SEGMENT / 2)
		m->base = m->from;
	want -= m->from - m->base;
	int rc = show(m, want, &n, &ended, err);
	while (rc == TT_OK && off < n && off < RAW_SEGMENT) {
		enum found f = what_is(m, m->p + off, n - off, ended, &need);
		if (f == A_BLOCK) {
			rc = add_block(m, off, (uint32_t)(need - RAW_BLOCK_HEAD - RAW_BLOCK_FOOT), 0, err);
			off += need;
			continue;
		}
		/* Return the blocks found so far before handling this. */
		if (m->nblock)
			break;
		m->from += off;
		off = 0;
		if (f == A_HEADER)
			rc = enter_session(m, n, err);
		else if (f == MORE && ended)
			rc = cut_off(m, n, &off, err);
		else if (f == NONE || lies(m, n, need))
			rc = search(m, 1, &off, err);
		else
			want = need > want ? need : want;
		if (rc == TT_OK && off > 0)
			rc = last_block(m, off, err);
		if (rc == TT_OK && off == 0)
			rc = show(m, want, &n, &ended, err);
	}
	if (rc != TT_OK)
		return rc;
	m->at = m->from + off;
	m->len = off;
	raw_find_width(m);
	attribute_losses(m);
	return m->nblock || off > 0 ? TT_OK : TT_END;
}
