/**
 * Decodes the Mono module's records into the same kinds of events that captures of the log profiler give.
 */
#include "producers/mono_records.h"

#include "ttc/ttc.h"

_Static_assert(MONO_KEY_GC_PAUSE == TT_KEY_GC_PAUSE && MONO_KEY_GC_GEN(3) == TT_KEY_GC_GEN(3) &&
    MONO_KEY_GC_STOP == TT_KEY_GC_STOP && MONO_KEY_CONTENTION == TT_KEY_CONTENTION &&
    MONO_KEY_EXCEPTION == TT_KEY_EXCEPTION && MONO_KEY_JIT == TT_KEY_JIT, "one set of keys");

int
ttc_stack(struct tt_batch *b, struct ttc_take *t, uint64_t *first, size_t *n, struct tt_err *err)
{
	uint64_t last = 0;
	int rc;

	*n = ttc_count(t);
	if ((rc = tt_batch_words(b, *n, first, err)) != TT_OK)
		return rc;
	for (size_t i = *n; i-- > 0;)         /* words are outermost first */
		b->word[*first + i] = last += ttc_zag(ttc_number(t));
	return TT_OK;
}

static int
addresses(struct tt_batch *b, struct ttc_take *t, uint64_t *first, size_t *n, struct tt_err *err)
{
	uint64_t last = 0;
	int rc;

	*n = ttc_count(t);
	if ((rc = tt_batch_words(b, *n, first, err)) != TT_OK)
		return rc;
	for (size_t i = 0; i < *n; i++)
		b->word[*first + i] = (last += ttc_zag(ttc_number(t))) << 3;
	return TT_OK;
}

static int
text(struct tt_batch *b, struct ttc_take *t, struct tt_event *e, struct tt_err *err)
{
	size_t n, at = b->text.n;
	const uint8_t *s = ttc_text(t, &n);
	int rc;

	tt_buf_add(&b->text, s, n);
	rc = tt_buf_error(&b->text, err);
	e->flags |= TT_F_MORE;
	if (rc == TT_OK)
		b->ev[b->n++] = (struct tt_event){ .kind = TT_ARG, .val = at, .dur = (uint32_t)n, .depth = TT_T_TEXT };
	return rc;
}

/* A sample belongs to the thread whose signal handler recorded it. */
static int
sample(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	uint64_t ip = ttc_number(t), first;
	size_t n;
	int rc = ttc_stack(b, t, &first, &n, err);

	if (rc != TT_OK || t->bad)
		return rc;
	struct tt_event *e = tt_batch_rare(b, TT_SAMPLE, ts, ip, err);
	if (!e)
		return err->code;
	e->dur = (uint32_t)n;
	e->flags = TT_F_STACK;
	tt_batch_ext(b, e, (int64_t)b->tid, first, n);
	return TT_OK;
}

/* Add an event with only these fields. */
static int
plain(struct tt_batch *b, struct ttc_take *t, enum tt_kind kind, int64_t ts, uint64_t val, uint32_t dur, unsigned depth,
    unsigned flags, struct tt_err *err)
{
	struct tt_event *e;

	if (t->bad)
		return TT_OK;
	if (!(e = tt_batch_rare(b, kind, ts, val, err)))
		return err->code;
	e->dur = dur;
	e->depth = (uint16_t)depth;
	e->flags = (uint8_t)flags;
	return TT_OK;
}

/* --- coverage: arguments as event.h lists them ---------------------------------------- */

static int
cover_number(struct tt_batch *b, uint64_t v, struct tt_err *err)
{
	int rc = tt_batch_room(b, 8, err);

	if (rc == TT_OK)
		b->ev[b->n++] = (struct tt_event){ .kind = TT_ARG, .val = v, .depth = TT_T_U64 };
	return rc;
}

static struct tt_event *
cover(struct tt_batch *b, int64_t ts, unsigned what, uint64_t val, struct tt_err *err)
{
	struct tt_event *e = tt_batch_room(b, 8, err) == TT_OK ? tt_batch_rare(b, TT_COVERAGE, ts, val, err) : NULL;

	if (e) {
		e->depth = (uint16_t)what;
		e->flags = TT_F_MORE;
	}
	return e;
}

static int
cover_method(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	uint64_t id = ttc_number(t), token = ttc_number(t), statements = ttc_number(t);
	struct tt_event *e = cover(b, ts, 1, token, err);
	int rc = e ? TT_OK : err->code;

	for (unsigned i = 0; i < 5 && rc == TT_OK; i++) {
		size_t n, at = b->text.n;
		const uint8_t *s = ttc_text(t, &n);
		tt_buf_add(&b->text, s, n);
		if ((rc = tt_buf_error(&b->text, err)) == TT_OK && (rc = tt_batch_room(b, 8, err)) == TT_OK)
			b->ev[b->n++] = (struct tt_event){ .kind = TT_ARG, .val = at, .dur = (uint32_t)n, .depth = TT_T_TEXT };
	}
	if (rc == TT_OK && (rc = cover_number(b, token, err)) == TT_OK && (rc = cover_number(b, id, err)) == TT_OK)
		rc = cover_number(b, statements, err);
	return rc;
}

static int
cover_statements(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	uint64_t id = ttc_number(t), offset = 0;
	int rc = TT_OK;

	while (rc == TT_OK && !t->bad && t->p < t->end) {
		offset += ttc_zag(ttc_number(t));
		uint64_t v[5] = { id, offset };
		for (unsigned i = 2; i < 5; i++)
			v[i] = ttc_number(t);
		if (t->bad)
			break;
		struct tt_event *e = cover(b, ts, 2, id, err);
		if (!e)
			return err->code;
		e->flags |= TT_F_BASE;
		for (unsigned i = 0; i < 5 && rc == TT_OK; i++)
			rc = cover_number(b, v[i], err);
	}
	return rc;
}

static int
root(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	bool gone = ttc_byte(t) != 0;
	uint64_t start = ttc_number(t), size = gone ? 0 : ttc_number(t);
	unsigned source = gone ? 0 : (unsigned)ttc_number(t);
	uint64_t key = gone ? 0 : ttc_number(t);

	if (t->bad)
		return TT_OK;
	struct tt_event *e = tt_batch_rare(b, TT_ROOT, ts, start, err);
	if (!e)
		return err->code;
	e->depth = (uint16_t)source;
	e->flags = gone ? TT_F_END : 0;
	tt_batch_ext(b, e, (int64_t)size, key, 0);
	return gone ? TT_OK : text(b, t, e, err);
}

static int
moves(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	uint64_t first = 0;
	size_t n;
	int rc = addresses(b, t, &first, &n, err);

	if (rc != TT_OK || t->bad)
		return rc;
	struct tt_event *e = tt_batch_rare(b, TT_GC_MOVE, ts, n / 2, err);
	if (!e)
		return err->code;
	e->dur = (uint32_t)(n / 2);
	tt_batch_ext(b, e, 0, first, n);
	return TT_OK;
}

/* Add an event about an object with a stack; ${ts2} is the time of its second slot. */
static int
with_stack(struct tt_batch *b, struct ttc_take *t, enum tt_kind kind, int64_t ts, uint64_t val, unsigned depth, uint64_t ts2,
    struct tt_err *err)
{
	uint64_t first = 0;
	size_t n;
	int rc = ttc_stack(b, t, &first, &n, err);

	if (rc != TT_OK || t->bad)
		return rc;
	struct tt_event *e = tt_batch_rare(b, kind, ts, val, err);
	if (!e)
		return err->code;
	e->depth = (uint16_t)depth;
	e->flags = n > 0 ? TT_F_STACK : 0;
	tt_batch_ext(b, e, (int64_t)ts2, first, n);
	return TT_OK;
}

/* Decode code: compiled helper code is an event, a method's code is a definition. */
static int
code(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	unsigned kind = ttc_byte(t);
	uint64_t start = ttc_number(t), size = ttc_number(t);

	if (t->bad)
		return TT_OK;
	if (kind == MONO_CODE_READY) {
		size_t n;
		ttc_text(t, &n);
		struct tt_def d = { .kind = TT_DEF_CODE, .ts = ts, .key = ttc_number(t), .a = start, .b = size };
		return t->bad ? TT_OK : tt_batch_def(b, &d, err);
	}
	struct tt_event *e = tt_batch_rare(b, TT_JIT_CODE, ts, start, err);
	if (!e)
		return err->code;
	e->dur = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
	e->depth = (uint16_t)kind;
	return text(b, t, e, err);
}

/* Decode a finalizer; newer recorders give the object's class, so it need not be looked up. */
static int
finalizer(struct tt_batch *b, int64_t ts, struct ttc_take *t, struct tt_err *err)
{
	unsigned end = ttc_byte(t);
	uint64_t object = ttc_number(t);
	int rc = plain(b, t, TT_FINALIZE, ts, object, 0, 0, end ? TT_F_END : 0, err);

	if (rc == TT_OK && !t->bad && t->p < t->end) {
		uint64_t class = ttc_number(t);
		if (!t->bad)
			tt_batch_ext(b, &b->ev[b->n - 1], (int64_t)class, 0, 0);
	}
	return rc;
}

/* Decode the payload of one record; the caller has reserved room for 8 events. */
static int
record(struct tt_batch *b, int64_t ts, unsigned kind, struct ttc_take *t, struct tt_err *err)
{
	static const uint8_t gone[] = { [TTC_O_CLASS] = TT_DEF_CLASS, [TTC_O_IMAGE] = TT_DEF_IMAGE,
		[TTC_O_ASSEMBLY] = TT_DEF_ASSEMBLY, [TTC_O_DOMAIN] = TT_DEF_DOMAIN, [TTC_O_CONTEXT] = TT_DEF_CONTEXT };
	uint64_t v, w, x;
	unsigned a, z;
	int rc;

	switch (kind) {
	case MONO_GC:
		a = ttc_byte(t);
		return plain(b, t, TT_GC, ts, a, (uint32_t)ttc_number(t), 0, 0, err);
	case MONO_GC_HEAP:
		return plain(b, t, TT_GC_HEAP, ts, ttc_number(t), 0, 0, 0, err);
	case MONO_GC_MOVES:
		return moves(b, ts, t, err);
	case MONO_GC_ROOTS:
		return ttc_heap_roots(b, ts, t, err);
	case MONO_HANDLE:
		a = ttc_byte(t);
		z = ttc_byte(t);
		v = ttc_number(t);
		w = ttc_number(t);
		if ((rc = plain(b, t, TT_HANDLE, ts, v, 0, a, z ? TT_F_END : 0, err)) == TT_OK && !t->bad)
			tt_batch_ext(b, &b->ev[b->n - 1], (int64_t)w, 0, 0);
		return rc;
	case MONO_FINALIZE:
		return finalizer(b, ts, t, err);
	case MONO_THROW:
		v = ttc_number(t);
		w = ttc_number(t);
		return with_stack(b, t, TT_THROW, ts, v, 0, w, err);
	case MONO_CLAUSE:
		a = ttc_byte(t);
		v = ttc_number(t);
		w = ttc_number(t);
		x = ttc_number(t);
		if ((rc = plain(b, t, TT_CLAUSE, ts, w, (uint32_t)v, a, 0, err)) == TT_OK && !t->bad)
			tt_batch_ext(b, &b->ev[b->n - 1], (int64_t)x, 0, 0);
		return rc;
	case MONO_MONITOR:
		a = ttc_byte(t);
		v = ttc_number(t);
		return with_stack(b, t, TT_MONITOR, ts, v, a, 0, err);
	case MONO_ROOT:
		return root(b, ts, t, err);
	case MONO_CODE:
		return code(b, ts, t, err);
	case MONO_GONE:
		a = ttc_byte(t);
		return plain(b, t, TT_META, ts, ttc_number(t), 0, a < sizeof gone ? gone[a] : 0, 0, err);
	case MONO_SAMPLE:
		return sample(b, ts, t, err);
	case MONO_HEAP_SHOT:
		return ttc_heap_shot(b, ts, t, err);
	case MONO_HEAP_OBJECTS:
		return ttc_heap_objects(b, ts, t, err);
	case MONO_COVER_METHOD:
		return cover_method(b, ts, t, err);
	case MONO_COVER_STATEMENTS:
		return cover_statements(b, ts, t, err);
	default:
		tt_loss_add(&b->loss, TT_LOST_UNKNOWN, 1, (uint64_t)(t->end - t->p), b->at);
		return TT_OK;
	}
}

int
ttc_mono(struct tt_batch *b, int64_t ts, unsigned kind, const uint8_t *p, const uint8_t *end, struct tt_err *err)
{
	struct ttc_take t = { .p = p, .end = end };
	int rc = record(b, ts, kind, &t, err);

	if (t.bad)
		tt_loss_add(&b->loss, TT_LOST_DAMAGED, 1, (uint64_t)(end - p), b->at);
	return rc;
}

const char *
ttc_mono_name(unsigned kind)
{
	static const char *const name[] = {
		[MONO_GC] = "GC event", [MONO_GC_HEAP] = "GC heap resize", [MONO_GC_MOVES] = "GC moves",
		[MONO_GC_ROOTS] = "heap roots", [MONO_HANDLE] = "handle", [MONO_FINALIZE] = "finalizer",
		[MONO_THROW] = "throw", [MONO_CLAUSE] = "exception clause", [MONO_MONITOR] = "monitor",
		[MONO_ROOT] = "root", [MONO_CODE] = "machine code", [MONO_GONE] = "unload",
		[MONO_SAMPLE] = "sample", [MONO_HEAP_SHOT] = "heap shot", [MONO_HEAP_OBJECTS] = "heap objects",
		[MONO_COVER_METHOD] = "coverage method", [MONO_COVER_STATEMENTS] = "coverage statements",
	};

	return kind < sizeof name / sizeof *name ? name[kind] : NULL;
}
