/**
 * The stand-in engine: its tables, threads and interfaces, and the calls back into the plug-in.
 */
#include "engine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

/* The built-in categories by id, as 2019.1 and later have them. */
static const char *const builtin[] = { "Render", "Scripts", "Managed Jobs", "Burst Jobs", "GUI", "Physics", "Animation",
	"AI", "Audio", "Audio Job", "Audio Update Job", "Video", "Particles", "Gi", "Network", "Loading", "Other", "GC",
	"VSync", "Overhead", "PlayerLoop", "Director", "VR", "Memory", "Internal", "FileIO", "UI Layout", "UI Render",
	"VFX", "Build Interface", "Input", "Virtual Texturing", "GPU", "Physics2D" };
#define NBUILTIN (sizeof builtin / sizeof *builtin)

typedef void any_fn(void);

struct slot {
	any_fn *cb;
	void *user;
};

struct thread_entry {
	uint64_t id;
	const char *group, *name;
};

struct counter {
	uint64_t value;               /* first: its address is what the plug-in holds */
	const struct unity_marker *m;
	uint8_t type, size;
	uint16_t flags;
};

#define CATEGORIES 256
#define THREADS 8192
#define COUNTERS 256

static struct {
	struct engine_opts o;
	pthread_mutex_t lock;
	struct slot slot[ENGINE_KINDS][ENGINE_SLOTS];
	_Atomic unsigned frame, nflow;
	struct unity_category category[CATEGORIES];
	unsigned ncategory;
	struct unity_marker *marker[ENGINE_MARKERS];
	_Atomic unsigned nmarker;
	uint32_t last_id;             /* of markers of the game; those of plug-ins have numbers of their own */
	unsigned event_calls;
	struct thread_entry thread[THREADS];
	unsigned nthread;
	const struct engine_list *lists;
	size_t list_bytes;
	struct counter counter[COUNTERS];
	unsigned ncounter;
	struct engine_seen seen;
	void *library;
	unity_unload_fn *unload;
} e = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void
lock(void)
{
	pthread_mutex_lock(&e.lock);
}

static void
unlock(void)
{
	pthread_mutex_unlock(&e.lock);
}

static void *
must(void *p)
{
	if (!p) {
		fputs("engine: out of memory\n", stderr);
		abort();
	}
	return p;
}

/* Memory that lives as long as the process, whatever engine it was of; leak checkers find it through the chain. */
static void *
keep(size_t n)
{
	static struct kept {
		struct kept *next;
		max_align_t bytes[];
	} *all;
	struct kept *k = must(malloc(sizeof *k + n));

	lock();
	k->next = all;
	all = k;
	unlock();
	return k->bytes;
}

const char *
engine_text(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(keep(n), s, n);
}

/* --- slots ------------------------------------------------------------------ */

/* Those who are registered now. The plug-in is called from copies, without our lock. */
static unsigned
copy_slots(enum engine_kind kind, struct slot to[ENGINE_SLOTS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < ENGINE_SLOTS; i++) {
		if (e.slot[kind][i].cb)
			to[n++] = e.slot[kind][i];
	}
	return n;
}

/* With the lock held. */
static int
take_slot(enum engine_kind kind, any_fn *cb, void *user)
{
	struct slot *empty = NULL;

	for (unsigned i = 0; i < ENGINE_SLOTS - (kind == ENGINE_FLOW ? 0 : e.o.taken); i++) {
		struct slot *s = &e.slot[kind][i];

		if (!s->cb && !empty)
			empty = s;
		if (s->cb == cb && s->user == user)
			e.seen.twice++;
	}
	if (!empty || !cb || (e.o.fail & ENGINE_FAIL(kind))) {
		e.seen.refused++;
		return 1;
	}
	/* Emitters of flows take no lock. */
	__atomic_store_n(&empty->user, user, __ATOMIC_RELAXED);
	__atomic_store_n(&empty->cb, cb, __ATOMIC_RELEASE);
	e.seen.registered[kind]++;
	return 0;
}

static int
add_slot(enum engine_kind kind, any_fn *cb, void *user)
{
	int rc;

	lock();
	rc = take_slot(kind, cb, user);
	unlock();
	return rc;
}

static int
del_slot(enum engine_kind kind, any_fn *cb, void *user)
{
	int rc = 1;

	lock();
	for (unsigned i = 0; rc && i < ENGINE_SLOTS; i++) {
		struct slot *s = &e.slot[kind][i];

		if (s->cb == cb && s->user == user) {
			__atomic_store_n(&s->cb, NULL, __ATOMIC_RELEASE);
			e.seen.unregistered[kind]++;
			rc = 0;
		}
	}
	e.seen.unknown += rc != 0;
	unlock();
	return rc;
}

/* --- who listens to a marker ---------------------------------------------------- */

/* A list of this content. It is never freed: an emitter may hold on to one, and valgrind finds it through the chain. */
static const struct engine_list *
new_list(const struct engine_hook *h, unsigned n)
{
	struct engine_list *l;

	if (n == 0)
		return NULL;
	l = must(malloc(sizeof *l + n * sizeof *h));
	l->next = e.lists;
	e.lists = l;
	e.list_bytes += sizeof *l + n * sizeof *h + 16;
	l->n = n;
	memcpy(l->hook, h, n * sizeof *h);
	return l;
}

size_t
engine_bytes(void)
{
	return e.list_bytes;
}

static void
set_list(struct unity_marker *m, const struct engine_list *l)
{
	__atomic_store_n(&m->callbacks, l, __ATOMIC_RELEASE);
}

static int UNITY_CALL
add_event(const struct unity_marker *cm, unity_event_cb *cb, void *user)
{
	struct unity_marker *m = (struct unity_marker *)(uintptr_t)cm;
	struct engine_hook h[8];
	const struct engine_list *l;
	unsigned n = 0;
	int rc = 1;

	if (!m || !cb)
		return 1;
	lock();
	e.event_calls++;
	if (!(e.o.fail & ENGINE_FAIL(ENGINE_EVENT)) &&
	    !(e.o.fail_event_every && e.event_calls % e.o.fail_event_every == 0)) {
		l = engine_listeners(m);
		for (unsigned i = 0; l && i < l->n; i++) {
			e.seen.twice += l->hook[i].cb == cb && l->hook[i].user == user;
			h[n++] = l->hook[i];
		}
		if (n < 8) {
			h[n++] = (struct engine_hook){ cb, user };
			set_list(m, new_list(h, n));
			e.seen.registered[ENGINE_EVENT]++;
			rc = 0;
		}
	}
	e.seen.refused += rc != 0;
	unlock();
	return rc;
}

/* Take (${cb}, ${user}) off the list of ${m}; how many were there. */
static unsigned
remove_hook(struct unity_marker *m, unity_event_cb *cb, void *user, bool any_user)
{
	const struct engine_list *l = engine_listeners(m);
	struct engine_hook h[8];
	unsigned n = 0;

	for (unsigned i = 0; l && i < l->n; i++) {
		if (l->hook[i].cb != cb || (!any_user && l->hook[i].user != user))
			h[n++] = l->hook[i];
	}
	if (!l || n == l->n)
		return 0;
	set_list(m, new_list(h, n));
	return l->n - n;
}

static int UNITY_CALL
del_event(const struct unity_marker *m, unity_event_cb *cb, void *user)
{
	unsigned n = 0;

	lock();
	if (m)
		n = remove_hook((struct unity_marker *)(uintptr_t)m, cb, user, false);
	for (unsigned i = 0; !m && i < e.nmarker; i++)
		n += remove_hook(e.marker[i], cb, user, user == NULL);
	e.seen.unregistered[ENGINE_EVENT] += n;
	e.seen.unknown += n == 0;
	unlock();
	return n == 0;
}

/* --- categories, markers, threads ---------------------------------------------------- */

static int UNITY_CALL
add_category(unity_category_cb *cb, void *user)
{
	unsigned n;
	int rc;

	lock();
	rc = take_slot(ENGINE_CATEGORY, (any_fn *)cb, user);
	n = rc || e.o.no_replay ? 0 : e.ncategory;
	unlock();
	for (unsigned i = 0; i < n; i++)
		cb(&e.category[i], user);
	return rc;
}

static int UNITY_CALL
del_category(unity_category_cb *cb, void *user)
{
	return del_slot(ENGINE_CATEGORY, (any_fn *)cb, user);
}

static int UNITY_CALL
add_marker(unity_marker_cb *cb, void *user)
{
	unsigned n;
	int rc;

	/* What is made from here on is told by its maker, so each marker is told once. */
	lock();
	rc = take_slot(ENGINE_MARKER, (any_fn *)cb, user);
	n = rc ? 0 : e.nmarker;
	unlock();
	for (unsigned i = 0; i < n; i++) {
		if (!e.o.release || (e.marker[i]->flags & UNITY_M_RELEASE))
			cb(e.marker[i], user);
	}
	return rc;
}

static int UNITY_CALL
del_marker(unity_marker_cb *cb, void *user)
{
	return del_slot(ENGINE_MARKER, (any_fn *)cb, user);
}

static int UNITY_CALL
add_thread(unity_thread_cb *cb, void *user)
{
	unsigned n;
	int rc;

	lock();
	rc = take_slot(ENGINE_THREAD, (any_fn *)cb, user);
	n = rc || e.o.no_replay ? 0 : e.nthread;
	unlock();
	for (unsigned i = 0; i < n; i++) {
		struct unity_thread t;

		lock();
		t = (struct unity_thread){ e.thread[i].id, e.thread[i].group, e.thread[i].name };
		unlock();
		cb(&t, user);
	}
	return rc;
}

static int UNITY_CALL
del_thread(unity_thread_cb *cb, void *user)
{
	return del_slot(ENGINE_THREAD, (any_fn *)cb, user);
}

uint16_t
engine_category(const char *name, uint32_t rgba)
{
	struct slot s[ENGINE_SLOTS];
	struct unity_category *c;
	unsigned n;

	lock();
	if (e.ncategory == CATEGORIES)
		abort();
	c = &e.category[e.ncategory];
	*c = (struct unity_category){ (uint16_t)e.ncategory, 0, rgba, name };
	e.ncategory++;
	n = copy_slots(ENGINE_CATEGORY, s);
	unlock();
	for (unsigned i = 0; i < n; i++)
		((unity_category_cb *)s[i].cb)(c, s[i].user);
	return c->id;
}

static const struct unity_marker *
new_marker(bool own_id, uint32_t id, const char *name, uint16_t category, uint16_t flags)
{
	struct unity_marker *m = keep(sizeof *m);
	struct slot s[ENGINE_SLOTS];
	unsigned n;

	lock();
	if (e.nmarker == ENGINE_MARKERS)
		abort();
	*m = (struct unity_marker){ .id = own_id ? id : ++e.last_id, .flags = flags, .category = category, .name = name };
	e.marker[e.nmarker] = m;
	e.nmarker++;
	n = copy_slots(ENGINE_MARKER, s);
	unlock();
	if (e.o.release && !(flags & UNITY_M_RELEASE))
		return m;
	for (unsigned i = 0; i < n; i++)
		((unity_marker_cb *)s[i].cb)(m, s[i].user);
	return m;
}

const struct unity_marker *
engine_marker(const char *name, uint16_t category, uint16_t flags)
{
	return new_marker(false, 0, name, category, flags);
}

const struct unity_marker *
engine_marker_as(uint32_t id, const char *name, uint16_t category, uint16_t flags)
{
	return new_marker(true, id, name, category, flags);
}

const struct unity_marker *
engine_marker_at(unsigned i)
{
	return i < e.nmarker ? e.marker[i] : NULL;
}

uint64_t
engine_self(void)
{
#ifdef _WIN32
	return GetCurrentThreadId();
#else
	return (uint64_t)(uintptr_t)pthread_self();
#endif
}

void
engine_thread_as(uint64_t id, const char *group, const char *name)
{
	struct slot s[ENGINE_SLOTS];
	unsigned n, i;

	lock();
	/* The newest description of an id replaces the older one. */
	for (i = 0; i < e.nthread && e.thread[i].id != id; i++)
		;
	if (i < THREADS) {
		e.thread[i] = (struct thread_entry){ id, group, name };
		e.nthread += i == e.nthread;
	}
	n = copy_slots(ENGINE_THREAD, s);
	unlock();
	for (i = 0; i < n; i++) {
		/* Copies that are gone after the callback: it may not keep them. */
		char *g = group ? must(strdup(group)) : NULL, *nm = name ? must(strdup(name)) : NULL;
		struct unity_thread t = { id, g, nm };

		((unity_thread_cb *)s[i].cb)(&t, s[i].user);
		if (g)
			memset(g, '#', strlen(g));
		if (nm)
			memset(nm, '#', strlen(nm));
		free(g);
		free(nm);
	}
}

uint64_t
engine_thread(const char *group, const char *name)
{
	uint64_t id = engine_self();

	engine_thread_as(id, group, name);
	return id;
}

/* --- frames and flows ---------------------------------------------------------------- */

static int UNITY_CALL
add_frame(unity_frame_cb *cb, void *user)
{
	return add_slot(ENGINE_FRAME, (any_fn *)cb, user);
}

static int UNITY_CALL
del_frame(unity_frame_cb *cb, void *user)
{
	return del_slot(ENGINE_FRAME, (any_fn *)cb, user);
}

static int UNITY_CALL
add_flow(unity_flow_cb *cb, void *user)
{
	int rc;

	if (e.o.callbacks < 2) {
		e.seen.flow_on_v1++;
		return 1;
	}
	rc = add_slot(ENGINE_FLOW, (any_fn *)cb, user);
	e.nflow += rc == 0;
	return rc;
}

static int UNITY_CALL
del_flow(unity_flow_cb *cb, void *user)
{
	int rc;

	if (e.o.callbacks < 2) {
		e.seen.flow_on_v1++;
		return 1;
	}
	rc = del_slot(ENGINE_FLOW, (any_fn *)cb, user);
	e.nflow -= rc == 0;
	return rc;
}

static void flush_counters(void);

void
engine_frame(void)
{
	struct slot s[ENGINE_SLOTS];
	unsigned n;

	flush_counters();
	lock();
	n = copy_slots(ENGINE_FRAME, s);
	unlock();
	e.frame++;
	for (unsigned i = 0; i < n; i++)
		((unity_frame_cb *)s[i].cb)(s[i].user);
}

unsigned
engine_frames(void)
{
	return e.frame;
}

bool
engine_flow(uint8_t event, uint32_t id)
{
	bool called = false;

	if (!e.nflow || e.o.release)
		return false;
	/* A slot's user pointer is written before its function, and stays when that goes. */
	for (unsigned i = 0; i < ENGINE_SLOTS; i++) {
		any_fn *cb = __atomic_load_n(&e.slot[ENGINE_FLOW][i].cb, __ATOMIC_ACQUIRE);

		if (cb) {
			((unity_flow_cb *)cb)(event, id, __atomic_load_n(&e.slot[ENGINE_FLOW][i].user, __ATOMIC_RELAXED));
			called = true;
		}
	}
	return called;
}

/* --- IUnityProfiler ------------------------------------------------------------------ */

static void UNITY_CALL
p_emit(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v)
{
	e.seen.emitted++;
	engine_emit(m, event, n, v);
}

static int UNITY_CALL
p_enabled(void)
{
	return !e.o.release;
}

static int UNITY_CALL
p_available(void)
{
	return !e.o.release;
}

static const struct unity_marker *
plugin_marker(const char *name, uint16_t category, uint16_t flags)
{
	static _Atomic uint32_t last = 1000000;

	return engine_marker_as(++last, engine_text(name), category, flags);
}

static int UNITY_CALL
p_create_marker(const struct unity_marker **m, const char *name, uint16_t category, uint16_t flags, int max_values)
{
	(void)max_values;
	*m = plugin_marker(name, category, flags);
	return 0;
}

static int UNITY_CALL
p_name_value(const struct unity_marker *m, int i, const char *name, uint8_t type, uint8_t unit)
{
	(void)type;
	(void)unit;
	return !m || i < 0 || !name;
}

static int UNITY_CALL
p_create_category(uint16_t *id, const char *name, uint32_t unused)
{
	(void)unused;
	*id = engine_category(engine_text(name), 0x808080ffu);
	return 0;
}

static int UNITY_CALL
p_register_thread(uint64_t *id, const char *group, const char *name)
{
	e.seen.threads++;
	if (e.o.no_thread)
		return 1;
	*id = engine_thread(engine_text(group ? group : ""), engine_text(name));
	return 0;
}

static int UNITY_CALL
p_unregister_thread(uint64_t id)
{
	(void)id;
	return 0;
}

static void *UNITY_CALL
p_create_counter(uint16_t category, const char *name, uint16_t marker_flags, uint8_t type, uint8_t unit, size_t size,
    uint16_t counter_flags, void (*activate)(void *), void (*deactivate)(void *), void *user)
{
	struct counter *c = NULL;

	(void)unit;
	(void)deactivate;
	lock();
	if (size <= 8 && e.ncounter < COUNTERS)
		c = &e.counter[e.ncounter++];
	unlock();
	if (!c)
		return NULL;
	e.seen.counters++;
	c->m = plugin_marker(name, category, (uint16_t)(marker_flags | UNITY_M_COUNTER));
	c->type = type;
	c->size = (uint8_t)size;
	c->flags = counter_flags;
	if (activate)
		activate(user);
	return &c->value;
}

static void UNITY_CALL
p_flush_counter(void *value)
{
	struct counter *c = value;
	uint64_t now = __atomic_load_n(&c->value, __ATOMIC_RELAXED);
	struct unity_value v = { .type = c->type, .size = c->size, .data = &now };

	e.seen.emitted++;
	engine_emit(c->m, UNITY_SINGLE, 1, &v);
	if (c->flags & UNITY_C_RESET)
		__atomic_store_n(&c->value, 0, __ATOMIC_RELAXED);
}

static void
flush_counters(void)
{
	for (unsigned i = 0; i < e.ncounter; i++) {
		if (e.counter[i].m && (e.counter[i].flags & UNITY_C_FLUSH))
			p_flush_counter(&e.counter[i].value);
	}
}

/* --- the registry --------------------------------------------------------------------- */

static struct unity_callbacks callbacks = { add_category, del_category, add_marker, del_marker, add_event, del_event,
	add_frame, del_frame, add_thread, del_thread, add_flow, del_flow };
static struct unity_profiler_v1 profiler1 = { p_emit, p_enabled, p_available, p_create_marker, p_name_value,
	p_register_thread, p_unregister_thread };
static struct unity_profiler_v2 profiler2 = { p_emit, p_enabled, p_available, p_create_marker, p_name_value,
	p_create_category, p_register_thread, p_unregister_thread, p_create_counter, p_flush_counter };

static const struct {
	uint64_t high, low;
	void *interface;
} known[] = {
	{ UNITY_CALLBACKS_V1, &callbacks },
	{ UNITY_CALLBACKS_V2, &callbacks },
	{ UNITY_PROFILER_V1, &profiler1 },
	{ UNITY_PROFILER_V2, &profiler2 },
};

static void *UNITY_CALL
get_interface(uint64_t high, uint64_t low)
{
	const unsigned have[] = { e.o.callbacks >= 1, e.o.callbacks >= 2, e.o.profiler >= 1, e.o.profiler >= 2 };

	for (unsigned i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].high == high && known[i].low == low)
			return have[i] ? known[i].interface : NULL;
	}
	e.seen.asked_unknown++;
	return NULL;
}

static void UNITY_CALL
add_interface(uint64_t high, uint64_t low, void *interface)
{
	(void)high;
	(void)low;
	(void)interface;
}

/* Nobody who was compiled from C can call these rightly. */
static void
by_value(void)
{
	fputs("engine: an interface was asked for with its id by value\n", stderr);
	abort();
}

static struct unity_interfaces interfaces = { by_value, by_value, get_interface, add_interface };

void
engine_start(const struct engine_opts *o)
{
	e.o = *o;
	memset(e.slot, 0, sizeof e.slot);
	e.nflow = e.frame = e.nmarker = e.ncategory = e.nthread = e.last_id = e.ncounter = e.event_calls = 0;
	memset(&e.seen, 0, sizeof e.seen);
	interfaces.get_by_value = interfaces.register_by_value = o->only_split ? NULL : by_value;
	for (unsigned i = 0; i < NBUILTIN; i++)
		engine_category(builtin[i], 0x205070ffu + (i << 24) + (i << 11));
}

const struct engine_seen *
engine_seen(void)
{
	return &e.seen;
}

/* --- the library ------------------------------------------------------------------------ */

any_fn *
engine_symbol(const char *name)
{
	any_fn *fn = NULL;
#ifdef _WIN32
	FARPROC p = GetProcAddress((HMODULE)e.library, name);

	memcpy(&fn, &p, sizeof fn);
#else
	void *p = dlsym(e.library, name);

	memcpy(&fn, &p, sizeof fn);
#endif
	return fn;
}

int
engine_load(const char *path)
{
	unity_load_fn *load;

#ifdef _WIN32
	e.library = (void *)LoadLibraryA(path);
	if (!e.library) {
		fprintf(stderr, "engine: %s: error %lu\n", path, GetLastError());
		return -1;
	}
#else
	e.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!e.library) {
		fprintf(stderr, "engine: %s\n", dlerror());
		return -1;
	}
#endif
	load = (unity_load_fn *)engine_symbol("UnityPluginLoad");
	e.unload = (unity_unload_fn *)engine_symbol("UnityPluginUnload");
	if (!load || !e.unload) {
		fprintf(stderr, "engine: %s is no plug-in: it lacks an entry point\n", path);
		return -1;
	}
	load(&interfaces);
	return 0;
}

void
engine_unload(bool close)
{
	if (!e.library)
		return;
	e.unload();
	if (!close)
		return;
#ifdef _WIN32
	FreeLibrary((HMODULE)e.library);
#else
	dlclose(e.library);
#endif
	e.library = NULL;
}
