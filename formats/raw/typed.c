/**
 * Finds messages of threads whose type is damaged. They may be whole as messages of the wrong type, but have the bytes of another type. A time that follows
 * the previous one occurs by chance once in many millions of messages, or where addresses of stacks are close to the clock's values; so the bytes after it
 * must be a message, too.
 *
 * Definitions have no time: even in intact logs a compiled method, or a state with the category after it, may have the bytes of a thread's definition.
 */
#include "raw/raw.h"

enum { VALUES_MAX = 8, FLOW_KIND_MAX = 3 };

static unsigned
size_of_type(const struct raw_layout *l)
{
	return l->aligned ? 4 : 2;
}

/* True if ${t} may be the time of the message at w->p, of ${size} bytes: it follows the last time, or the next time follows it, within a second. */
static bool
is_time(const struct raw_run *r, const struct raw_walk *w, int64_t t, size_t size, int64_t behind)
{
	struct raw_walk next = *w;
	int64_t ts;

	if (r->last != INT64_MIN)
		return t >= r->last - behind && t - r->last <= RAW_MAX_STEP_NS;
	next.p += size;
	return raw_first_time(r, next, &ts) && ts >= t && ts - t <= RAW_MAX_STEP_NS;
}

/* True if the ${n} bytes at ${p} begin like a sample: no flag except that of managed code, a defined marker, and the next time. */
static bool
begins_like_sample(const struct raw_run *r, const struct raw_walk *w, const uint8_t *p, size_t n)
{
	const unsigned at = size_of_type(&r->s->layout), id = at + (r->s->layout.aligned ? 4 : 1), size = id + 12;

	if (n < size || p[at] > 1 || unity_u32(p + id) >= r->s->marker.ids)
		return false;
	for (unsigned i = at + 1; i < id; i++)
		if (p[i])
			return false;
	return is_time(r, w, raw_ns(r->s, unity_u64(p + id + 4)), size, 0);
}

/*
 * True if the stream continues at ${p} after a message that ends at ${t}: there are whole messages up to the end or to the next time, which is near. In the
 * middle of a message the stream does not continue.
 */
static bool
goes_on(const struct raw_run *r, const struct raw_walk *w, const uint8_t *p, int64_t t)
{
	size_t size;

	for (size_t n = (size_t)(w->all - p); n > 0; p += size, n -= size) {
		if (raw_measure(&r->s->layout, p, n, &size) != RAW_WHOLE || !raw_may_be_in(false, unity_u16(p)))
			return false;
		if (raw_has_time(unity_u16(p))) {
			const int64_t next = raw_time_of(r->s, p);
			return next >= t - RAW_BEHIND && (next <= t || (uint64_t)next - (uint64_t)t <= (uint64_t)RAW_MAX_RUNON_NS);
		}
	}
	return true;
}

/* True if the message at w->p is a sample of one of the three forms: it begins like one, and the stream continues at its end. */
static bool
is_sample(const struct raw_run *r, const struct raw_walk *w)
{
	static const enum raw_type forms[] = { RAW_BEGIN, RAW_BEGIN_ID, RAW_BEGIN_ARGS };
	const size_t n = (size_t)(w->all - w->p), plain = r->s->size[RAW_BEGIN];
	size_t size;

	if (!begins_like_sample(r, w, w->p, n))
		return false;
	const int64_t t = raw_ns(r->s, unity_u64(w->p + plain - 8));
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
		if (raw_measure_as(&r->s->layout, forms[i], w->p, n, &size) == RAW_WHOLE && goes_on(r, w, w->p + size, t))
			return true;
	return false;
}

/* True if the message at w->p is a flow, and the sample after it, which the message as typed would include, has the next time. */
static bool
is_flow(const struct raw_run *r, const struct raw_walk *w)
{
	const unsigned at = size_of_type(&r->s->layout);
	const size_t size = raw_flow_size(&r->s->layout), n = (size_t)(w->all - w->p);

	if (w->size <= size || n < size + 2 || (r->s->layout.aligned ? unity_u32(w->p + at) : w->p[at]) > FLOW_KIND_MAX)
		return false;
	const unsigned type = unity_u16(w->p + size);
	return raw_is_sample(type) && begins_like_sample(r, w, w->p + size, n - size);
}

/* True if the message at w->p, alone in its block, is a frame's mark. */
static bool
is_frame(const struct raw_run *r, const struct raw_walk *w)
{
	const unsigned at = size_of_type(&r->s->layout), size = at + 12;

	return w->piece[w->i].len == size && (size_t)(w->end - w->p) == size && is_time(r, w, raw_ns(r->s, unity_u64(w->p + at + 4)), size, RAW_BEHIND);
}

/* True if the marker of the sample at w->p is a counter: its samples have a value. */
static bool
is_of_counter(struct raw_run *r, const struct raw_walk *w)
{
	const uint32_t id = unity_u32(w->p + r->s->size[RAW_BEGIN] - 12);

	if (!r->s->marker.counters)
		return false;
	unity_lock(&r->u);
	return unity_is_counter(&r->m->known, r->s->number, id, r->u.seq, &(uint32_t){ 0 });
}

/*
 * True if the stream continues at ${p}, after the values that the sample at w->p may have: with a sample, of which ${then} has the time before; or, as a
 * sample of a counter has no values otherwise, with any messages.
 */
static bool
goes_on_after_values(struct raw_run *r, const struct raw_walk *w, const struct raw_run *then, const uint8_t *p)
{
	const size_t n = (size_t)(w->all - p);

	return (raw_is_sample(unity_u16(p)) && begins_like_sample(then, w, p, n)) || (goes_on(r, w, p, then->last) && is_of_counter(r, w));
}

/*
 * True if the bytes after the sample with an instance id at w->p are not a message but its remaining values: the id is their number, and a sample follows
 * them. Read as a message, the first value would be of a type without a time: the type of the value.
 */
static bool
has_values(struct raw_run *r, const struct raw_walk *w)
{
	const struct raw_layout *const l = &r->s->layout;
	const unsigned sample = r->s->size[RAW_BEGIN], id = sample - 12;
	const size_t n = (size_t)(w->all - w->p);
	struct raw_run then = *r;
	size_t size;

	if (!l->aligned || n < w->size + 2 || unity_u32(w->p + sample) == 0 || unity_u32(w->p + sample) > VALUES_MAX || unity_u16(w->p + w->size) >= RAW_THREAD)
		return false;
	if (raw_measure_as(l, RAW_BEGIN_ARGS, w->p, n, &size) != RAW_WHOLE || size >= n)
		return false;
	then.last = raw_ns(r->s, unity_u64(w->p + id + 4));
	return goes_on_after_values(r, w, &then, w->p + size);
}

/*
 * True if the sample without values at w->p has values: the bytes after it, read as a message, would be of a type that is a value's type, and a sample
 * follows those values.
 */
static __attribute__((noinline)) bool
lacks_values(struct raw_run *r, const struct raw_walk *w)
{
	const unsigned id = r->s->size[RAW_BEGIN] - 12;
	const uint8_t *const next = w->p + w->size;
	struct raw_take t = { .p = next, .end = w->all, .from = w->p, .l = &r->s->layout };
	struct unity_value v;

	if (w->all - next < 2 || unity_u16(next) == 0 || unity_u16(next) > UNITY_V_ENTITY)
		return false;
	struct raw_run then = *r;
	then.last = raw_ns(r->s, unity_u64(w->p + id + 4));
	for (unsigned i = 0; i < VALUES_MAX; i++) {
		raw_take_value(&t, &v);
		if (t.state != RAW_WHOLE || t.end - t.p < 2)
			return false;
		if (goes_on_after_values(r, w, &then, t.p))
			return true;
		if (raw_is_sample(unity_u16(t.p)))
			return false;
	}
	return false;
}

/*
 * True if the message after the one at w->p, and after its stack, is the end of an allocation; *${is_own}: true if the message at w->p, read as a sample, has
 * the same marker.
 */
static bool
is_in_allocation(const struct raw_run *r, const struct raw_walk *w, bool *is_own)
{
	const unsigned id = r->s->size[RAW_BEGIN] - 12;
	const uint8_t *next = w->p + w->size;
	size_t size;

	if (w->all - next >= 2 && unity_u16(next) == RAW_CALLSTACK && raw_measure(&r->s->layout, next, (size_t)(w->all - next), &size) == RAW_WHOLE)
		next += size;
	*is_own = (size_t)(w->all - w->p) >= id + 4 && unity_u32(w->p + id) == r->s->marker.alloc;
	return (size_t)(w->all - next) >= id + 4 && unity_u16(next) == RAW_END && unity_u32(next + id) == r->s->marker.alloc;
}

/* True if the message at w->p, typed as none of these, is a sample, a mark of a frame, or a flow with a sample after it. */
static __attribute__((noinline)) bool
is_sample_or_mark(const struct raw_run *r, const struct raw_walk *w)
{
	bool is_alloc;

	/* A stack with a single address may be as long as a sample, but an allocation contains no samples. */
	if (unity_u16(w->p) == RAW_CALLSTACK && is_in_allocation(r, w, &is_alloc) && !is_alloc)
		return false;
	return is_sample(r, w) || is_frame(r, w) || is_flow(r, w);
}

bool
raw_is_retyped(struct raw_run *r, const struct raw_walk *w)
{
	const unsigned type = unity_u16(w->p);
	bool is_alloc;

	if (w->session || type == RAW_FRAME || type == RAW_FLOW)
		return false;
	if (type >= RAW_BEGIN_ID && type <= RAW_SINGLE_ID)
		return has_values(r, w);
	if (type >= RAW_BEGIN_ARGS && type <= RAW_SINGLE_ARGS && w->p[r->s->size[RAW_BEGIN]] == 0)
		return lacks_values(r, w);
	/* An end with values before the end of an allocation is the allocation's begin. */
	if (raw_is_sample(type))
		return type == RAW_END_ARGS && is_in_allocation(r, w, &is_alloc) && is_alloc;
	return is_sample_or_mark(r, w);
}
