/**
 * Defines what the engine describes: categories, threads, markers. The plug-in asks for categories and threads, which are rare, from load on, because the
 * engine is not known to describe them twice, and a capture that starts late must name them, too. Markers are described again, so the plug-in asks for them
 * only while it captures.
 *
 * One lock guards everything here. Markers are registered under the lock, so none is registered after the end of a capture.
 */
#include "recorder/unity/plugin.h"

#include <stdlib.h>

static struct plat_lock lock;

static void
copy(char *to, size_t size, const char *s)
{
	size_t n = s ? strlen(s) : 0;

	if (n >= size)
		for (n = size - 1; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80; n--)
			;
	if (n)
		memcpy(to, s, n);
	to[n] = '\0';
}

/* --- categories ------------------------------------------------------------------ */

enum { CATEGORIES = 65536 };

/* By id. Descriptors live as long as the process. */
static _Atomic(const struct unity_category *) category[CATEGORIES];
static _Atomic uint64_t category_key[CATEGORIES];
static uint32_t category_known[CATEGORIES / 32];
static uint16_t category_id[CATEGORIES];      /* known ids, in order */
static unsigned ncategory;

uint64_t
defs_category_key(uint64_t id)
{
	uint64_t key = id < CATEGORIES ? atomic_load_explicit(&category_key[id], memory_order_relaxed) : 0;

	return key >= atomic_load_explicit(&plugin.first_key, memory_order_relaxed) ? key : 0;
}

static const char *
described_name(unsigned id)
{
	const struct unity_category *c = atomic_load_explicit(&category[id], memory_order_relaxed);

	return c && c->name ? c->name : "";
}

/* Return the category's name as described, or else as in Unity's list: a built-in category may have been described before the library was loaded. */
static const char *
category_name(unsigned id)
{
	const char *name = described_name(id);

	/* Only 2018 offers version 1 of the callbacks without version 2. */
	if (!*name)
		name = unity_category(id, plugin.version == 1 ? "2018." : NULL);
	return name ? name : "";
}

static void
define_category(unsigned id)
{
	const struct unity_category *c = atomic_load_explicit(&category[id], memory_order_relaxed);
	uint64_t key = rec_def_category(id, c ? c->rgba : 0, described_name(id));

	atomic_store_explicit(&category_key[id], key, memory_order_relaxed);
}

uint64_t
defs_category_met(uint64_t id)
{
	if (!plat_try_lock(&lock))
		return 0;
	if (!defs_category_key(id) && rec_on()) {
		plugin_add(N_CATEGORIES_UNKNOWN);
		define_category((unsigned)id);
	}
	plat_unlock(&lock);
	return defs_category_key(id);
}

static void UNITY_CALL
on_category(const struct unity_category *c, void *user)
{
	(void)user;
	if (!c)
		return;
	plat_lock(&lock);
	const struct unity_category *old = atomic_load_explicit(&category[c->id], memory_order_relaxed);
	if (!(category_known[c->id / 32] >> c->id % 32 & 1)) {
		category_known[c->id / 32] |= 1u << c->id % 32;
		category_id[ncategory++] = c->id;
	} else if (old != c && strcmp(described_name(c->id), c->name ? c->name : "") != 0) {
		plugin_add(N_REUSED);
	} else if (defs_category_key(c->id)) {
		plat_unlock(&lock);
		return;
	}
	atomic_store_explicit(&category[c->id], c, memory_order_relaxed);
	if (rec_on())
		define_category(c->id);
	plat_unlock(&lock);
}

/* --- threads ------------------------------------------------------------------------ */

enum { THREADS = 1024 };

/*
 * The newest descriptions of threads. Texts are copied up to one byte more than a recording keeps, so that the recording counts the cut. If there are too
 * many, the oldest is dropped.
 */
enum { THREAD_TEXT = 4001 };
static struct thread {
	uint64_t id;
	char *group, *name;           /* NULL: no text, or no memory */
} thread[THREADS];
static unsigned nthread, thread_next;

static char *
kept(char *was, const char *s)
{
	size_t n = s ? strnlen(s, THREAD_TEXT) : 0;
	char *to = n ? realloc(was, n + 1) : NULL;

	if (!to)
		free(was);
	else
		copy(to, n + 1, s);
	return to;
}

static void UNITY_CALL
on_thread(const struct unity_thread *d, void *user)
{
	unsigned i = 0;

	(void)user;
	if (!d)
		return;
	plat_lock(&lock);
	while (i < nthread && thread[i].id != d->id)
		i++;
	if (i == nthread) {
		i = thread_next;
		thread_next = (thread_next + 1) % THREADS;
		nthread += nthread < THREADS;
	}
	thread[i].id = d->id;
	thread[i].group = kept(thread[i].group, d->group);
	thread[i].name = kept(thread[i].name, d->name);
	if (rec_on())
		rec_def_thread(d->id, d->group, d->name);
	plat_unlock(&lock);
}

void
defs_thread_gone(uint64_t native)
{
	plat_lock(&lock);
	for (unsigned i = 0; i < nthread; i++)
		if (thread[i].id == native) {
			free(thread[i].group);
			free(thread[i].name);
			thread[i] = thread[--nthread];
			thread[nthread] = (struct thread){ 0 };
			thread_next = nthread;
			break;
		}
	plat_unlock(&lock);
}

/* --- markers --------------------------------------------------------------------------- */

/* Markers of this capture by id; two descriptors may have the same id. The table doubles as it fills, up to SEEN_MAX. */
enum { SEEN_FIRST = 8192, SEEN_MAX = 1 << 22 };
static const struct unity_marker **seen, *seen_first[SEEN_FIRST];
static size_t nseen, capseen;

static size_t
slot_of(const struct unity_marker *const *table, size_t cap, const struct unity_marker *m, bool *reused)
{
	size_t i = m->id & (cap - 1);

	for (; table[i] && table[i] != m; i = (i + 1) & (cap - 1))
		if (table[i]->id == m->id && reused)
			*reused = true;
	return i;
}

static void
grow_seen(void)
{
	const struct unity_marker **bigger = capseen < SEEN_MAX ? calloc(capseen * 2, sizeof *bigger) : NULL;

	if (!bigger)
		return;
	for (size_t i = 0; i < capseen; i++)
		if (seen[i])
			bigger[slot_of(bigger, capseen * 2, seen[i], NULL)] = seen[i];
	if (seen != seen_first)
		free(seen);
	seen = bigger;
	capseen *= 2;
}

/* True if ${m} is new in this capture, as a marker must not be registered twice. */
static bool
is_new(const struct unity_marker *m)
{
	bool reused = false;

	if (nseen >= capseen / 2)
		grow_seen();
	if (nseen >= capseen - 1)
		return true;
	size_t i = slot_of(seen, capseen, m, &reused);
	if (seen[i])
		return false;
	seen[i] = m;
	nseen++;
	if (reused)
		plugin_add(N_REUSED);
	return true;
}

/* How the events of a marker are recorded. */
enum how { PLAIN, ALLOC, LABEL, COUNTER, HOWS };
static unity_event_cb *const callback[HOWS] = { events_plain, events_alloc, events_label, events_counter };
static bool registered[HOWS], registered_marker, registered_flow;

static enum how
how_of(const struct unity_marker *m, const char *name)
{
	enum unity_role role = unity_role(name);

	return role == UNITY_ALLOC ? ALLOC : role == UNITY_LABEL ? LABEL :
	    m->flags & UNITY_M_COUNTER || unity_counter(name).builtin ? COUNTER : PLAIN;
}

static unsigned
unit_of(const char *name)
{
	static const uint8_t unit[] = { [UNITY_UNIT_UNKNOWN] = UNITY_U_NONE, [UNITY_UNIT_NS] = UNITY_U_NS,
		[UNITY_UNIT_BYTES] = UNITY_U_BYTES, [UNITY_UNIT_COUNT] = UNITY_U_COUNT };
	struct unity_counter c = unity_counter(name);

	return c.guess ? UNITY_U_NONE : unit[c.unit];
}

/* Our own markers are in every capture, and readers know them by name, so a game's markers with these names are left out. */
#define MARK_NAME SELF_PREFIX "Mark"

static void
add_marker(const struct unity_marker *m)
{
	const char *name = m->name ? m->name : "";

	if (self_made(m, name) || !is_new(m))
		return;
	if (strcmp(name, MARK_NAME) == 0 || strcmp(name, UNITY_FRAME_TIMING_NAME) == 0) {
		plugin_add(N_RESERVED);
		return;
	}
	if (!config_takes(&plugin.config, m, category_name(m->category))) {
		plugin_add(N_FILTERED);
		return;
	}
	if (!m->name)
		plugin_add(N_NAMELESS);
	if (!defs_category_key(m->category)) {
		plugin_add(N_CATEGORIES_UNKNOWN);
		define_category(m->category);
	}
	uint64_t key = rec_def_marker(defs_category_key(m->category), m->id, m->flags, name);
	if (key == 0)
		return;
	enum how how = how_of(m, name);
	if (how == COUNTER)
		rec_def_counter(key, unit_of(name), name, category_name(m->category));
	if (plugin.unity->add_event(m, callback[how], (void *)(uintptr_t)key) != 0) {
		plugin_add(N_REFUSED);
		return;
	}
	plugin_add(N_MARKERS);
	registered[how] = true;
}

static void UNITY_CALL
on_marker(const struct unity_marker *m, void *user)
{
	(void)user;
	if (!m)
		return;
	plat_lock(&lock);
	if (atomic_load(&plugin.state) == S_CAPTURING)
		add_marker(m);
	plat_unlock(&lock);
}

/* --- the life of a capture -------------------------------------------------------------- */

static bool registered_category, registered_thread;

static bool
accepted(int rc)
{
	if (rc != 0)
		plugin_add(N_REFUSED);
	return rc == 0;
}

void
defs_load(void)
{
	registered_category = accepted(plugin.unity->add_category(on_category, NULL));
	registered_thread = accepted(plugin.unity->add_thread(on_thread, NULL));
}

void
defs_unload(void)
{
	if (registered_category)
		plugin.unity->del_category(on_category, NULL);
	if (registered_thread)
		plugin.unity->del_thread(on_thread, NULL);
	registered_category = registered_thread = false;
}

void
defs_open(void)
{
	enum { OUR_CATEGORY = 0x10000, OUR_MARKER = 0x7fffffff };     /* ids that the engine never, or hardly ever, gives */

	plat_lock(&lock);
	uint64_t ours = rec_def_category(OUR_CATEGORY, 0x808080ff, "Tracetool");
	atomic_store(&plugin.first_key, ours);
	plugin.mark_key = rec_def_marker(ours, OUR_MARKER, 0, MARK_NAME);
	plugin.timing_key = rec_def_marker(ours, OUR_MARKER - 1, 0, UNITY_FRAME_TIMING_NAME);
	for (unsigned i = 0; i < ncategory; i++)
		define_category(category_id[i]);
	for (unsigned i = 0; i < nthread; i++)
		rec_def_thread(thread[i].id, thread[i].group, thread[i].name);
	if (!seen) {
		seen = seen_first;
		capseen = SEEN_FIRST;
	}
	memset(seen, 0, capseen * sizeof *seen);
	nseen = 0;
	plat_unlock(&lock);
}

void
defs_start(void)
{
	const struct unity_callbacks *u = plugin.unity;

	if (plugin.version >= 2)
		registered_flow = accepted(u->add_flow(events_flow, NULL));
	registered_marker = accepted(u->add_marker(on_marker, NULL));
	if (!registered_marker)
		plugin_say("Unity lets no further plug-in see markers: the capture has frames and marks only");
}

/* Remove the callbacks. Call when the state is no longer S_CAPTURING: later callbacks then register nothing, and this waits for a thread inside add_marker. */
void
defs_stop(void)
{
	const struct unity_callbacks *u = plugin.unity;

	plat_lock(&lock);
	plat_unlock(&lock);
	if (registered_marker)
		u->del_marker(on_marker, NULL);
	for (unsigned i = 0; i < HOWS; i++) {
		if (registered[i])
			u->del_event(NULL, callback[i], NULL);
		registered[i] = false;
	}
	if (registered_flow)
		u->del_flow(events_flow, NULL);
	registered_marker = registered_flow = false;
}
