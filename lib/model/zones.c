/**
 * Matches the begin and the end of zones in a chunk, and keeps the stack of those open between chunks.
 */
#include "model/zones.h"

/* Append the end of a zone; room is there. */
static void
put_end(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags)
{
	struct tt_event *e = &b->ev[b->n++];

	*e = (struct tt_event){ .ts = ts, .val = key, .kind = TT_ZONE_END, .flags = (uint8_t)flags };
	e->depth = b->depth < UINT16_MAX ? (uint16_t)b->depth : UINT16_MAX;
}

/*
 * Close the chunk's innermost zone at ${ts}. A zone that fits becomes TT_ZONE in place. A zone of 2^32 ns or more, or nested deeper than an event can say,
 * keeps its begin and gets an end of its own.
 */
static void
close_top(struct tt_batch *b, int64_t ts, unsigned flags)
{
	struct tt_event *e = &b->ev[b->open[--b->depth]];
	uint64_t dur = (uint64_t)ts - (uint64_t)e->ts;

	if (ts < e->ts) {
		tt_loss_add(&b->loss, TT_LOST_CLOCK, 1, 0, b->at);
		dur = 0;
	}
	if (dur <= UINT32_MAX && b->depth < UINT16_MAX - 1) {
		e->dur = (uint32_t)dur;
		e->kind = TT_ZONE;
		e->flags |= (uint8_t)flags;
		return;
	}
	put_end(b, ts > e->ts ? ts : e->ts, e->val, flags);
}

static uint32_t
batch_number(const void *of, size_t level)
{
	return ((const struct tt_batch *)of)->open[level];
}

static uint64_t
batch_key(const void *of, size_t level)
{
	const struct tt_batch *b = of;

	return b->ev[b->open[level]].val;
}

/* The level + 1 of the chunk's innermost zone of ${key}, or 0. */
static size_t
batch_find(struct tt_batch *b, uint64_t key)
{
	const struct tt_levels s = { b, b->depth, batch_number, batch_key };

	return tt_opened_find(&b->opened, b->mem, &s, key);
}

static uint32_t
stack_number(const void *of, size_t level)
{
	return ((const struct tt_stack *)of)->z[level].number;
}

static uint64_t
stack_key(const void *of, size_t level)
{
	return ((const struct tt_stack *)of)->z[level].key;
}

size_t
tt_stack_find(struct tt_stack *st, size_t n, uint64_t key)
{
	const struct tt_levels s = { st, n, stack_number, stack_key };

	return tt_opened_find(&st->opened, st->mem, &s, key);
}

int
tt_stack_copy(struct tt_stack *to, const struct tt_stack *from, struct tt_mem *mem, struct tt_err *err)
{
	size_t same = to->of == from ? (to->n < from->n ? to->n : from->n) : 0;
	int rc = tt_mem_grow(mem, &to->z, &to->cap, from->n + 1, sizeof *to->z, err);

	if (rc != TT_OK)
		return rc;
	while (same > 0 && to->z[same - 1].number != from->z[same - 1].number)
		same--;
	if (from->n > same)
		memcpy(to->z + same, from->z + same, (from->n - same) * sizeof *to->z);
	if (to->of != from)
		tt_opened_forget(&to->opened);
	to->of = from;
	to->n = from->n;
	to->last_ts = from->last_ts;
	to->seen_ts = from->seen_ts;
	to->begun = from->begun;
	to->pushed |= TT_STACK_COPY;
	to->mem = mem;
	return TT_OK;
}

void
tt_stack_free(struct tt_stack *s, struct tt_mem *mem)
{
	for (size_t i = 0; !s->of && i < s->n; i++)
		tt_args_free(s->z[i].args, mem);
	tt_mem_free(mem, s->z, s->cap * sizeof *s->z);
	tt_opened_free(&s->opened, mem);
	*s = (struct tt_stack){ 0 };
}

/* True if the thread's stack below the chunk holds ${key}; called only in a second decoding, which has it. */
static bool
base_has(const struct tt_batch *b, uint64_t key)
{
	return tt_stack_find(b->base, b->base->n, key) > 0;
}

bool
tt_zone_is_open(struct tt_batch *b, uint64_t key)
{
	return b->depth > 0 && (b->ev[b->open[b->depth - 1]].val == key || batch_find(b, key) > 0);
}

int
tt_zone_note_unmatched(struct tt_batch *b, int64_t ts, uint64_t key, uint64_t at, struct tt_err *err)
{
	if (b->keeps_strays)
		return tt_batch_stray(b, TT_STRAY_END, key, ts, at, b->n, err);
	tt_loss_add(&b->loss, TT_LOST_UNMATCHED, 1, 0, at);
	return TT_OK;
}

static int
note_unsure(struct tt_batch *b, int64_t ts, uint64_t key, struct tt_err *err)
{
	int rc = tt_mem_grow(b->mem, &b->unsure_end, &b->capunsure, b->unsure + 1, sizeof *b->unsure_end, err);

	if (rc == TT_OK)
		b->unsure_end[b->unsure++] = (struct tt_unsure){ key, b->at };
	return rc == TT_OK ? tt_batch_stray(b, TT_STRAY_END, key, ts, b->at, b->n, err) : rc;
}

static int
base_end(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags, struct tt_err *err)
{
	int rc = tt_mem_grow(b->mem, &b->base_end, &b->capbase_end, b->nbase_end + 1, sizeof *b->base_end, err);

	if (rc != TT_OK)
		return rc;
	b->base_end[b->nbase_end++] = (struct tt_base_end){ b->at, (uint32_t)b->n };
	put_end(b, ts, key, flags | TT_F_BASE);
	if (b->base)
		tt_stack_end(b->base, key, ts, flags, NULL, NULL);
	return TT_OK;
}

int
tt_zone_note_popped(struct tt_batch *b, int64_t ts, size_t keep, uint64_t at, struct tt_err *err)
{
	int rc = TT_OK;

	if (!b->keeps_strays)
		tt_loss_add(&b->loss, TT_LOST_POPPED, b->depth - keep, 0, at);
	for (size_t i = b->depth; b->keeps_strays && i > keep && rc == TT_OK; i--) {
		const struct tt_event *e = &b->ev[b->open[i - 1]];
		rc = tt_batch_stray_begin(b, e->val, e->ts, ts, at, b->n, err);
	}
	return rc;
}

/* Close the chunk's zones at ${ts} until ${keep} are left; the closed ones have no end of their own. */
static int
pop_to(struct tt_batch *b, int64_t ts, size_t keep, struct tt_err *err)
{
	int rc = b->depth > keep ? tt_zone_note_popped(b, ts, keep, b->at, err) : TT_OK;

	while (b->depth > keep)
		close_top(b, ts, TT_F_POPPED);
	return rc;
}

/* Apply the rule of ends, without the case of exceptions. */
static int
end_plain(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags, struct tt_err *err)
{
	size_t i = batch_find(b, key);
	int rc;

	if (i > 0) {
		rc = pop_to(b, ts, i, err);
		close_top(b, ts, flags & TT_F_UNWIND);
		return rc;
	}
	if (b->depth == 0)
		return base_end(b, ts, key, flags, err);
	if (!b->base)
		return note_unsure(b, ts, key, err);
	if (!base_has(b, key))
		/* A catch without a throw is usual where throws are not recorded. */
		return key == TT_KEY_EXCEPTION ? TT_OK : tt_zone_note_unmatched(b, ts, key, b->at, err);
	rc = pop_to(b, ts, 0, err);
	/* The chunk's zones are closed: an Exception zone of the stack below was not on top, so it is closed like the rest, not interrupted. */
	return rc == TT_OK ? base_end(b, ts, key, flags | TT_F_CONT, err) : rc;
}

int
tt_zone_cut(struct tt_batch *b, int64_t ts, struct tt_err *err)
{
	const int rc = tt_batch_room(b, b->depth + 4, err);

	while (b->depth > 0 && rc == TT_OK)
		close_top(b, ts, TT_F_POPPED);
	return rc;
}

int
tt_zone_end_slow(struct tt_batch *b, int64_t ts, uint64_t key, unsigned flags, struct tt_err *err)
{
	int rc = tt_batch_room(b, b->depth + 4, err);

	if (rc != TT_OK)
		return rc;
	if (!(flags & TT_F_UNWIND) || b->depth == 0 || key == TT_KEY_EXCEPTION ||
	    b->ev[b->open[b->depth - 1]].val != TT_KEY_EXCEPTION)
		return end_plain(b, ts, key, flags, err);
	close_top(b, ts, 0);
	rc = end_plain(b, ts, key, flags | TT_F_CONT, err);
	if (rc == TT_OK)
		tt_zone_begin(b, ts, TT_KEY_EXCEPTION, TT_F_CONT);
	return rc;
}

int
tt_stack_end(struct tt_stack *s, uint64_t key, int64_t ts, unsigned flags,
    void (*popped)(void *arg, const struct tt_open *z, unsigned flags), void *arg)
{
	bool unwinding = (flags & TT_F_UNWIND) && !(flags & TT_F_CONT) && s->n > 0 && key != TT_KEY_EXCEPTION &&
	    s->z[s->n - 1].key == TT_KEY_EXCEPTION;
	size_t i = tt_stack_find(s, s->n - (unwinding ? 1 : 0), key);

	if (unwinding) {
		s->n--;
		if (popped)
			popped(arg, &s->z[s->n], 0);
	}
	if (i > 0) {
		while (s->n > i) {
			s->n--;
			if (popped)
				popped(arg, &s->z[s->n], TT_F_POPPED);
		}
		s->n--;
		if (popped)
			popped(arg, &s->z[s->n], flags & TT_F_UNWIND);
	}
	/* The slot just freed has room for it. */
	if (unwinding)
		s->z[s->n++] = (struct tt_open){
			.key = TT_KEY_EXCEPTION, .ts = ts, .flags = TT_F_CONT, .number = ++s->pushed };
	return i > 0;
}

int
tt_stack_push(struct tt_stack *s, struct tt_mem *mem, uint64_t key, int64_t ts, unsigned flags,
    struct tt_err *err)
{
	if (s->n >= TT_STACK_MAX)
		return 0;
	if (s->n == s->cap) {
		int rc = tt_mem_grow(mem, &s->z, &s->cap, s->n + 1, sizeof *s->z, err);
		if (rc != TT_OK)
			return rc;
	}
	s->mem = mem;
	s->z[s->n++] = (struct tt_open){ .key = key, .ts = ts, .flags = flags, .number = ++s->pushed };
	return 1;
}
