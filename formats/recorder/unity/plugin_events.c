/**
 * Records events of markers: begin, end and single, with their values. Nothing here waits, allocates or makes a system call; rec.h states what recording
 * promises. Time is read first, so at a begin the recorder's work counts for the zone, not its parent. The user pointer is the marker's key.
 */
#include "recorder/unity/plugin.h"

/* An array of Unity's values can be used as one of ours. */
_Static_assert(sizeof(struct rec_value) == sizeof(struct unity_value), "values have one layout");
_Static_assert(offsetof(struct rec_value, size) == offsetof(struct unity_value, size), "values have one layout");
_Static_assert(offsetof(struct rec_value, p) == offsetof(struct unity_value, data), "values have one layout");

enum { MAX_VALUES = 64 };


/* Return the thread's writing end; NULL if nothing is recorded, or the marker was registered for an earlier capture. */
static inline struct rec_thread *
writer(uint64_t key)
{
	struct rec_thread *t = rec_thread();

	return t && key >= atomic_load_explicit(&plugin.first_key, memory_order_relaxed) ? t : NULL;
}

/*
 * Return the values that can be read safely: at most 64; on 32-bit targets only the first, because arrays of managed code may be spaced differently (the
 * specification, 6.3); a value without data gets size 0, in ${copy}.
 */
static const struct rec_value *
values(const struct unity_value *v, unsigned *n, struct rec_value copy[MAX_VALUES])
{
	unsigned most = sizeof(void *) == 4 ? 1 : MAX_VALUES;

	if (!v)
		*n = 0;
	if (*n > most) {
		plugin_add(N_ODD);
		*n = most;
	}
	for (unsigned i = 0; i < *n; i++) {
		if (v[i].data || v[i].size == 0)
			continue;
		plugin_add(N_ODD);
		for (i = 0; i < *n; i++)
			copy[i] = (struct rec_value){ .type = v[i].type, .size = v[i].data ? v[i].size : 0,
				.p = v[i].data };
		return copy;
	}
	return (const struct rec_value *)(const void *)v;
}

static void
begin_args(struct rec_thread *t, uint64_t now, uint64_t key, unsigned n, const struct unity_value *v)
{
	struct rec_value copy[MAX_VALUES];
	const struct rec_value *r = values(v, &n, copy);

	rec_begin_args(t, now, key, r, n);
}

static __attribute__((noinline)) void
single(struct rec_thread *t, uint64_t now, uint64_t key, unsigned n, const struct unity_value *v)
{
	struct rec_value copy[MAX_VALUES];
	const struct rec_value *r = values(v, &n, copy);

	rec_single(t, now, key, r, n);
}

/* Record an event with values, or an unusual one. */
static __attribute__((noinline)) void
other(struct rec_thread *t, uint64_t now, unsigned event, unsigned n, const struct unity_value *v, uint64_t key)
{
	if (event == UNITY_BEGIN) {
		begin_args(t, now, key, n, v);
		return;
	}
	if (event != UNITY_SINGLE)
		plugin_add(N_ODD);
	single(t, now, key, n, v);
}

/* End the zone of ${key}. The end of a zone has no place for values, so they become a separate event inside the zone. */
static inline __attribute__((always_inline)) void
end(struct rec_thread *t, uint64_t now, uint64_t key, unsigned n, const struct unity_value *v)
{
	if (__builtin_expect(n > 0, 0) && v)
		single(t, now, key, n, v);
	rec_end(t, now, key);
}

/* Record any event of a plain marker. */
static __attribute__((noinline)) void
any(uint64_t now, unsigned event, unsigned n, const struct unity_value *v, uint64_t key)
{
	struct rec_thread *t = writer(key);

	if (!t)
		return;
	if (event == UNITY_END)
		end(t, now, key, n, v);
	else if (event == UNITY_BEGIN && n == 0)
		rec_begin(t, now, key);
	else
		other(t, now, event, n, v, key);
}

/* Begin or end a zone without values. Like rec_begin(), it calls functions only at its ends. */
static inline __attribute__((always_inline)) void
zone(uint64_t now, unsigned event, uint64_t key)
{
	struct rec_thread *t = rec_thread_made();

	if (__builtin_expect(!t || key < atomic_load_explicit(&plugin.first_key, memory_order_relaxed), 0))
		any(now, event, 0, NULL, key);
	else if (event == UNITY_BEGIN)
		rec_begin(t, now, key);
	else
		rec_end(t, now, key);
}

/* Do the same with the system's clock: only the key must be preserved while the clock is read. */
static __attribute__((noinline)) void
begin_by_system(uint64_t key)
{
	zone(rec_now_slow(), UNITY_BEGIN, key);
}

static __attribute__((noinline)) void
end_by_system(uint64_t key)
{
	zone(rec_now_slow(), UNITY_END, key);
}

void UNITY_CALL
events_plain(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v, void *user)
{
	uint64_t key = (uintptr_t)user;

	(void)m;
	if (__builtin_expect(n > 0 || event > UNITY_END, 0))
		any(rec_now(), event, n, v, key);
	else if (__builtin_expect(rec_has_counter, 1))
		zone(rec_now(), event, key);
	else if (event == UNITY_BEGIN)
		begin_by_system(key);
	else
		end_by_system(key);
}

/* Read a non-negative integer of any of the four integer types. */
static inline bool
whole(const struct unity_value *v, uint64_t *n)
{
	uint32_t n32;
	uint64_t n64;

	if (!v->data)
		return false;
	if ((v->type == UNITY_T_U32 || v->type == UNITY_T_I32) && v->size == 4) {
		memcpy(&n32, v->data, 4);
		*n = n32;
		return v->type == UNITY_T_U32 || n32 <= INT32_MAX;
	}
	if ((v->type == UNITY_T_U64 || v->type == UNITY_T_I64) && v->size == 8) {
		memcpy(&n64, v->data, 8);
		*n = n64;
		return v->type == UNITY_T_U64 || n64 <= INT64_MAX;
	}
	return false;
}

/* Record an allocation for each Begin or Single with its size. The End, and so the duration, has no meaning. */
void UNITY_CALL
events_alloc(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v, void *user)
{
	uint64_t now = rec_now(), key = (uintptr_t)user, bytes;
	struct rec_thread *t;

	(void)m;
	if (event == UNITY_END || !(t = writer(key)))
		return;
	if (n > 0 && v && whole(v, &bytes)) {
		rec_alloc(t, now, key, bytes);
	} else if (n > 0) {
		plugin_add(N_ODD);
		single(t, now, key, n, v);
	} else {
		plugin_add(N_SIZELESS);
	}
}

/* Begin a label that has values after the category, or an invalid category: the values become arguments, after the instance id. */
static __attribute__((noinline)) void
begin_label_args(struct rec_thread *t, uint64_t now, uint64_t key, uint64_t category, unsigned from, unsigned n,
    const struct unity_value *v, const struct rec_value *text)
{
	struct rec_value copy[MAX_VALUES], args[MAX_VALUES];
	const struct rec_value *r = values(v, &n, copy);
	unsigned m = 1;

	args[0] = r[0];
	while (from < n)
		args[m++] = r[from++];
	rec_label(t, now, key, category, text, args, m);
}

/* Begin a zone named by a text. The values are {instance id, text, category}; ${text} is the second one, decoded by its real type. */
static inline __attribute__((always_inline)) void
begin_label(struct rec_thread *t, uint64_t now, uint64_t key, unsigned n, const struct unity_value *v,
    const struct rec_value *text)
{
	uint64_t category = 0, instance = 0;
	unsigned from = 2;

	if (v[0].data && v[0].size == 4)
		memcpy(&instance, v[0].data, 4);
	else if (v[0].data && v[0].size == 8)
		memcpy(&instance, v[0].data, 8);
	if (n >= 3 && whole(&v[2], &category) && category <= UINT16_MAX) {
		uint64_t known = defs_category_key(category);
		category = known ? known : defs_category_met(category);
		from = 3;
	}
	if (__builtin_expect(from < n, 0))
		begin_label_args(t, now, key, from == 3 ? category : 0, from, n, v, text);
	else
		rec_label(t, now, key, category, text, (const struct rec_value *)(const void *)v, instance != 0);
}

/* Read text declared as 8-bit characters. For this marker such text was seen to be UTF-16; the second byte tells. */
static __attribute__((noinline)) void
label_8(struct rec_thread *t, uint64_t now, uint64_t key, unsigned n, const struct unity_value *v)
{
	const char *s = v[1].data;
	bool wide = v[1].size >= 2 && v[1].size % 2 == 0 && s[0] != 0 && s[1] == 0;
	struct rec_value text = { .type = wide ? TTC_TEXT16 : TTC_TEXT8, .size = v[1].size, .p = s };

	begin_label(t, now, key, n, v, &text);
}

/* Record Profiler.BeginSample(text). */
void UNITY_CALL
events_label(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v, void *user)
{
	uint64_t now = rec_now(), key = (uintptr_t)user;
	struct rec_thread *t = writer(key);

	(void)m;
	if (!t)
		return;
	if (event == UNITY_END)
		end(t, now, key, n, v);
	else if (event != UNITY_BEGIN || n < 2 || !v || sizeof(void *) == 4 || !v[1].data)
		other(t, now, event, n, v, key);
	else if (v[1].type == UNITY_T_TEXT16)
		begin_label(t, now, key, n, v, (const struct rec_value *)(const void *)&v[1]);
	else if (v[1].type == UNITY_T_TEXT)
		label_8(t, now, key, n, v);
	else
		other(t, now, event, n, v, key);
}

static bool
is_number(const struct unity_value *v)
{
	switch (v->type) {
	case UNITY_T_I32: case UNITY_T_U32: case UNITY_T_F32:
		return v->size == 4 && v->data;
	case UNITY_T_I64: case UNITY_T_U64: case UNITY_T_F64:
		return v->size == 8 && v->data;
	default:
		return false;
	}
}

void UNITY_CALL
events_counter(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v, void *user)
{
	if (event != UNITY_SINGLE || n != 1 || !v || !is_number(v)) {
		events_plain(m, event, n, v, user);
		return;
	}
	uint64_t now = rec_now(), key = (uintptr_t)user;
	struct rec_thread *t = writer(key);
	if (t)
		rec_counter(t, now, key, (const struct rec_value *)(const void *)v);
}

void UNITY_CALL
events_flow(uint8_t event, uint32_t id, void *user)
{
	uint64_t now = rec_now();
	struct rec_thread *t = rec_thread();

	(void)user;
	if (event > UNITY_FLOW_NEXT)
		plugin_add(N_ODD);
	else if (t)
		rec_flow(t, now, event, id);
}
