/**
 * Finds when a session began, from its blocks, before anything is decoded. Streams have no common order: threads may have written blocks before the one with
 * the ProfilerState, with frames from before the recording.
 */
#include "raw/raw.h"

enum { RAW_CHECKED = 1 << 18 };   /* bytes after a ProfilerState in which frames are compared with it */

/* The message that says when a session began. */
enum start { START_UNKNOWN, START_FRAME, START_STATE };

/* The findings of the search so far. */
struct beginning {
	uint64_t sample;              /* ticks of the first sample; 0: none yet */
	bool has_frame;
	bool main_framed;             /* true: the main thread's frame is known, too */
	int64_t frame;                /* time of the first frame in ns */
	int64_t main_frame;
	int64_t main_last;            /* time and number of the main thread's last frame */
	uint32_t main_last_number;
	size_t frame_at;              /* offset of its block */
	bool recording;               /* true: the first ProfilerState says that recording was already on */
	int64_t state;                /* time of the ProfilerState that begins a recording; number of the frame in which it was written */
	uint32_t state_frame;
	bool state_wrong; /* true: that time is damaged, as it is long before the registrations below, or after later frames; another time replaces it */
	bool has_state;
	size_t state_at;              /* offset of its block */
	int64_t registered, registered_before; /* times of the last two registrations of threads before it in the session's stream; INT64_MIN: not known */
};

/* The last message of the session's stream if the end of a block cuts it: the stream's next block, number ${next}, continues it. */
struct rest {
	uint8_t *p;
	size_t n, cap;
	uint32_t next;
};

/* Note the frame ${number}, which began at ${time}, in the block at offset ${off}; ${is_main}: true if it is the main thread's. */
static void
note_frame(struct beginning *b, uint32_t number, int64_t time, size_t off, bool is_main)
{
	if (!b->has_frame) {
		b->has_frame = true;
		b->frame = time;
		b->frame_at = off;
	}
	if (is_main && !b->main_framed) {
		b->main_framed = true;
		b->main_frame = time;
	}
	if (is_main) {
		b->main_last = time;
		b->main_last_number = number;
	}
}

/* Note the time in a thread's definition with the given ${fields}, if the definition has one. */
static void
note_thread(const struct raw_session *s, struct beginning *b, const uint8_t *fields)
{
	const int64_t time = s->layout.rank >= 3 ? raw_ns(s, unity_u64(fields + 8)) : INT64_MIN;

	if (time <= b->registered_before)
		return;
	b->registered_before = time < b->registered ? time : b->registered;
	b->registered = time > b->registered ? time : b->registered;
}

/*
 * Note the ProfilerState with ${fields}, at ${time}. True if it begins a recording. The threads defined before it had registered by then: one of them may
 * have a damaged time, but not two.
 */
static bool
note_state(struct beginning *b, int64_t time, const uint8_t *fields)
{
	if (!(unity_u32(fields) & 1)) {
		b->recording = true;
		return false;
	}
	b->state_wrong = b->registered_before > time && (uint64_t)b->registered_before - (uint64_t)time > (uint64_t)RAW_MAX_STEP_NS;
	b->state = b->state_wrong ? b->registered_before : time;
	b->state_frame = unity_u32(fields + 12);
	return true;
}

/*
 * Find the first ProfilerState that begins a recording in the *${n} bytes at *${p}, messages of stream ${stream} in the block at offset ${off}. A thread's
 * messages are read up to the first time: that of a sample, or of a frame's mark, which is alone in its block. *${b} receives other findings. If the last
 * message is cut, *${p} and *${n} become its bytes; else *${n} becomes 0.
 */
static enum start
start_in_messages(const struct raw_session *s, const uint8_t **p, size_t *n, uint64_t stream, size_t off, struct beginning *b)
{
	const unsigned at = s->layout.aligned ? 4 : 2, sample = at + (s->layout.aligned ? 8 : 5), frame = at + 12;
	const bool session = stream == RAW_SESSION;
	const uint8_t *q = *p;
	size_t left = *n, size;
	enum raw_state state;

	*n = 0;
	for (; (state = raw_measure(&s->layout, q, left, &size)) == RAW_WHOLE; q += size, left -= size) {
		const unsigned type = unity_u16(q);
		if (!raw_may_be_in(session, type) || (type == RAW_FRAME && (q != *p || left != frame)))
			return START_UNKNOWN;
		if (type == RAW_STATE || type == RAW_FRAME) {
			const int64_t time = raw_ns(s, unity_u64(q + at + 4));
			if (type == RAW_STATE && note_state(b, time, q + at)) {
				b->has_state = true;
				b->state_at = off;
				return START_STATE;
			}
			note_frame(b, unity_u32(q + at), time, off, stream == s->main);
			return START_UNKNOWN;
		}
		if (type == RAW_THREAD && session)
			note_thread(s, b, q + at);
		if (b->sample == 0 && raw_is_sample(type))
			b->sample = unity_u64(q + sample);
		if (!session && b->sample)
			return START_UNKNOWN;
	}
	if (state == RAW_SHORT) {
		*p = q;
		*n = left;
	}
	return START_UNKNOWN;
}

/*
 * Do the same as start_in_messages() for the block number ${number} of stream ${stream}, the ${n} bytes at ${p}. A block of the session's stream may continue
 * a message, and end inside another: ${rest}.
 */
static int
start_in_block(struct raw *m, const struct raw_session *s, const uint8_t *p, size_t n, uint64_t stream, uint32_t number, size_t off, struct rest *rest,
    struct beginning *b, enum start *by, struct tt_err *err)
{
	struct tt_mem *const mem = &m->env->mem;
	const bool goes_on = rest->n > 0 && rest->next == number;
	int rc;

	if (stream != RAW_SESSION) {
		*by = start_in_messages(s, &p, &n, stream, off, b);
		return TT_OK;
	}
	if (goes_on) {
		if ((rc = tt_mem_grow(mem, &rest->p, &rest->cap, rest->n + n, 1, err)) != TT_OK)
			return rc;
		memcpy(rest->p + rest->n, p, n);
		p = rest->p;
		n += rest->n;
	}
	*by = start_in_messages(s, &p, &n, stream, off, b);
	rest->n = n;
	rest->next = number + 1;
	if (n == 0 || p == rest->p)
		return TT_OK;
	if (!goes_on && (rc = tt_mem_grow(mem, &rest->p, &rest->cap, n, 1, err)) != TT_OK)
		return rc;
	memmove(rest->p, p, n);
	return TT_OK;
}

/*
 * True if another log begins at ${p}, of which ${n} bytes are in memory: *${s} becomes that log, with the zero of the present one, and *${size} its header's
 * length.
 */
static bool
is_next_log(struct raw *m, const uint8_t *p, size_t n, struct raw_session *s, size_t *size)
{
	const int64_t zero = s->zero;
	struct tt_err none;

	if (unity_u32(p) != RAW_MAGIC || raw_take_head(m, p, n, s, size, &none) != TT_OK)
		return false;
	s->zero = zero;
	return true;
}

/*
 * Return the message that tells when the session began, given that there is a ProfilerState: a frame of the main thread may be earlier. Its frames are those
 * of an earlier recording, though, if the last of them begins more than a second before the ProfilerState and is not the frame of the ProfilerState.
 */
static enum start
by_state_or_frame(const struct beginning *b)
{
	const bool is_old = b->main_last < b->state - RAW_MAX_STEP_NS && b->state_frame != b->main_last_number;

	return b->main_framed && b->main_frame < b->state && !is_old ? START_FRAME : START_STATE;
}

/* True if a block lies at ${p}, of which ${n} bytes are there: its end mark or another block follows its payload. */
static bool
is_whole(const uint8_t *p, size_t n)
{
	const size_t len = n >= RAW_BLOCK_HEAD ? unity_u32(p + 16) : SIZE_MAX, next = RAW_BLOCK_HEAD + len + RAW_BLOCK_FOOT;

	return len <= RAW_BLOCK_MAX && unity_u32(p) == RAW_BLOCK && n >= next &&
	    (unity_u32(p + next - 4) == RAW_FOOT || (n >= next + 4 && unity_u32(p + next) == RAW_BLOCK));
}

/*
 * True if there is damage at offset ${off} of the ${n} bytes at ${p}, with a whole block after it: *${size} becomes the number of bytes up to that block.
 * *${last}: no whole block was found after an earlier place.
 */
static bool
is_damage(const uint8_t *p, size_t n, size_t off, bool *last, size_t *size)
{
	static const uint8_t mark[4] = { RAW_BLOCK & 0xff, RAW_BLOCK >> 8 & 0xff, RAW_BLOCK >> 16 & 0xff, RAW_BLOCK >> 24 };
	const uint8_t *q = p + off;

	if (*last || unity_u32(q) == RAW_MAGIC || is_whole(q, n - off))
		return false;
	while ((q = memmem(q, (size_t)(p + n - q), mark, sizeof mark)) && !is_whole(q, (size_t)(p + n - q)))
		q += sizeof mark;
	*last = !q;
	*size = q ? (size_t)(q - p) - off : 0;
	return q != NULL;
}

/*
 * Find when the first log from ${s} on began, in the ${n} bytes at ${p}, which are its blocks and those of later logs; see raw_find_start(). *${b} receives
 * the findings, and *${s} becomes the log that has them. *${head}: the offset of the last header passed; 0: no header was passed.
 */
static int
start_in(struct raw *m, struct raw_session *s, const uint8_t *p, size_t n, struct rest *rest, struct beginning *b, size_t *head, enum start *by,
    struct tt_err *err)
{
	bool last = false;            /* true: no whole block follows this place */
	int rc;

	*b = (struct beginning){ .registered = INT64_MIN, .registered_before = INT64_MIN };
	*by = START_UNKNOWN;
	*head = rest->n = 0;
	for (size_t off = 0, size; off < n && n - off >= RAW_BLOCK_HEAD; off += size) {
		const size_t left = n - off - RAW_BLOCK_HEAD, len = unity_u32(p + off + 16);
		/* A log may be empty: the capture then begins with the appended log. */
		if (b->sample == 0 && !b->has_frame && is_next_log(m, p + off, n - off, s, &size)) {
			*head = off;
			rest->n = 0;
			continue;
		}
		const bool is_block = unity_u32(p + off) == RAW_BLOCK && len <= RAW_BLOCK_MAX;
		if (is_damage(p, n, off, &last, &size)) {
			rest->n = 0;
			continue;
		}
		if (is_block && (rc = start_in_block(m, s, p + off + RAW_BLOCK_HEAD, left < len ? left : len, unity_u64(p + off + 8),
		    unity_u32(p + off + 4), off, rest, b, by, err)) != TT_OK)
			return rc;
		if (*by == START_STATE) {
			*by = by_state_or_frame(b);
			return TT_OK;
		}
		if (b->has_frame && (!is_block || b->recording || off - b->frame_at >= RAW_STATE_WITHIN))
			*by = START_FRAME;
		size = RAW_BLOCK_HEAD + len + RAW_BLOCK_FOOT;
		if (!is_block || *by == START_FRAME || n - off < size)
			return TT_OK;
	}
	return TT_OK;
}

/*
 * True if the whole block at offset ${off} of the bytes at ${p} is only a mark of a frame of the main thread; *${number} and *${time} receive the
 * frame's.
 */
static bool
is_main_mark(const struct raw_session *s, const uint8_t *p, size_t off, uint32_t *number, int64_t *time)
{
	const size_t number_at = s->layout.aligned ? 4 : 2;
	const uint8_t *const body = p + off + RAW_BLOCK_HEAD;

	if (unity_u64(p + off + 8) != s->main || unity_u32(p + off + 16) != number_at + 12 || unity_u16(body) != RAW_FRAME)
		return false;
	*number = unity_u32(body + number_at);
	*time = raw_time_of(s, body);
	return true;
}

/* Return the offset after the block at offset ${off} of the bytes at ${p}. */
static size_t
after_block(const uint8_t *p, size_t off)
{
	return off + RAW_BLOCK_HEAD + unity_u32(p + off + 16) + RAW_BLOCK_FOOT;
}

/*
 * Return the time of the first of the main thread's marks of the two frames after ${frame} in the ${n} bytes at ${p}, if both are before ${time}; else
 * ${time}.
 */
static int64_t
later_frame(const struct raw_session *s, const uint8_t *p, size_t n, uint32_t frame, int64_t time)
{
	uint32_t found = 0, number;
	int64_t first = time, t;

	for (size_t off = 0; found < 2 && is_whole(p + off, n - off); off = after_block(p, off)) {
		if (!is_main_mark(s, p, off, &number, &t))
			continue;
		if (t >= time - RAW_BEHIND)
			return time;
		found = number == frame + found + 1 ? found + 1 : 0;
		first = found == 1 ? t : first;
	}
	return found == 2 ? first : time;
}

/*
 * Correct a ProfilerState that comes after later frames of the main thread: its time is damaged, and the recording began before these frames, in the log's
 * first blocks at ${from}. *${by} becomes the message that tells when the session began.
 */
static int
check_state(struct raw *m, const struct raw_session *s, uint64_t from, struct beginning *b, enum start *by, struct tt_err *err)
{
	const size_t want = b->state_at + RAW_CHECKED;
	const uint8_t *p;
	size_t n;

	if (!b->has_state || m->as)
		return TT_OK;
	const int rc = tt_window_show(&m->win, from, want, &p, &n, err);
	if (rc != TT_OK)
		return rc;
	const int64_t time = later_frame(s, p, n < want ? n : want, b->state_frame, b->state);
	b->state_wrong = b->state_wrong || time != b->state;
	b->state = time;
	*by = by_state_or_frame(b);
	return TT_OK;
}

/*
 * The session begins with the first ProfilerState within RAW_ZERO_WITHIN bytes and RAW_STATE_WITHIN after the first frame; else, or if the main thread has an
 * earlier frame, with that frame; else with the first sample. A ProfilerState with a damaged time gets another time: see struct beginning. The begin must be
 * known before anything is decoded, and must be the same from a file and from a pipe.
 */
int
raw_find_start(struct raw *m, const struct raw_session *s, uint64_t from, struct raw_start *start, uint64_t *to, struct tt_err *err)
{
	struct raw_session of = *s;
	struct beginning b = { 0 };
	struct rest rest = { .p = NULL };
	enum start by = START_UNKNOWN;
	/* A trial of a layout examines only its first bytes. */
	const size_t within = m->as ? 1 << 16 : RAW_ZERO_WITHIN;
	size_t head = 0;
	bool more = true;
	int rc = TT_OK;

	for (size_t want = 1 << 16, n; more && by == START_UNKNOWN && want <= within; want *= 2) {
		const uint8_t *p;
		if ((rc = tt_window_show(&m->win, from, want, &p, &n, err)) != TT_OK)
			break;
		/* A pipe may show more bytes than a file does. */
		more = n >= want;
		n = more ? want : n;
		of = *s;
		if ((rc = start_in(m, &of, p, n, &rest, &b, &head, &by, err)) != TT_OK)
			break;
		if (by == START_UNKNOWN && b.has_frame && (!more || want == within))
			by = START_FRAME;
		/* If nothing was found, later sessions search further. */
		*to = from + (by != START_UNKNOWN || head < within / 2 ? head : within / 2);
	}
	tt_mem_free(&m->env->mem, rest.p, rest.cap);
	if (head == 0)
		TT_THEN(rc, check_state(m, &of, from, &b, &by, err));
	*start = (struct raw_start){ .stated = by == START_STATE, .wrong = b.state_wrong, .frame = b.state_frame };
	start->ts = by == START_STATE ? b.state : by == START_FRAME ? b.frame : raw_ns(&of, b.sample);
	return rc;
}

/* The main thread's part of the frame in which a recording began, as its marks and its first block show it. */
struct lead {
	int64_t began;                /* begin of the recording */
	int64_t ts;                   /* begin of that frame; INT64_MAX: no block of the thread yet */
	bool over;                    /* true: that frame has ended */
};

/* Find the first time in the ${n} bytes at ${p}, the main thread's first block. */
static void
lead_in_first_block(const struct raw_session *s, const uint8_t *p, size_t n, struct lead *lead)
{
	size_t size;

	for (lead->ts = lead->began; raw_measure(&s->layout, p, n, &size) == RAW_WHOLE; p += size, n -= size)
		if (raw_has_time(unity_u16(p))) {
			const int64_t t = raw_time_of(s, p);
			lead->over = t > lead->began;
			lead->ts = lead->over ? lead->began : t;
			return;
		}
}

/* Find the lead in the blocks of a log, in the ${n} bytes at ${p}. True if it was found, or the log ended. */
static bool
lead_in(const struct raw_session *s, const uint8_t *p, size_t n, struct lead *lead)
{
	uint32_t number;
	int64_t t;

	lead->ts = INT64_MAX;
	lead->over = false;
	for (size_t off = 0; n - off >= RAW_BLOCK_HEAD && !lead->over; off = after_block(p, off)) {
		if (!is_whole(p + off, n - off))
			return unity_u32(p + off) != RAW_BLOCK;
		if (unity_u64(p + off + 8) == s->main && lead->ts == INT64_MAX)
			lead_in_first_block(s, p + off + RAW_BLOCK_HEAD, unity_u32(p + off + 16), lead);
		if (!is_main_mark(s, p, off, &number, &t))
			continue;
		lead->over = t > lead->began;
		if (!lead->over)
			lead->ts = number == s->first_frame ? t : lead->began;
	}
	return lead->over;
}

int
raw_find_lead(struct raw *m, const struct raw_session *s, uint64_t from, int64_t began, int64_t *ts, struct tt_err *err)
{
	struct lead lead = { .began = began, .ts = began };
	bool more = s->stated;
	int rc = TT_OK;

	for (size_t want = 1 << 16, n; more && want <= RAW_STATE_WITHIN; want *= 2) {
		const uint8_t *p;
		if ((rc = tt_window_show(&m->win, from, want, &p, &n, err)) != TT_OK)
			return rc;
		more = n >= want;
		more = !lead_in(s, p, more ? want : n, &lead) && more;
	}
	*ts = lead.ts < began && lead.ts > began - RAW_MAX_LEAD_NS ? lead.ts : began;
	return TT_OK;
}

int
raw_find_zero(struct raw *m, struct tt_err *err)
{
	struct raw_start start = { .ts = 0 };
	const int rc = raw_find_start(m, &m->session[0], m->first, &start, &(uint64_t){ 0 }, err);

	m->cap->from_zero = start.stated;
	m->session[0].zero = start.ts;
	m->session[0].began = 0;
	m->session[0].stated = start.stated;
	m->session[0].state_wrong = start.wrong;
	m->session[0].first_frame = start.frame;
	return rc;
}
