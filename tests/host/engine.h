/**
 * A stand-in for the Unity engine: loads a native plug-in and calls it back as the engine would.
 *
 * It has the registry of interfaces, categories, markers, threads, the
 * registration functions with their limits, replay, frames, flows, and the two versions of IUnityProfiler. What
 * Unity leaves open is an option, so that tests can try both.
 *
 * There is one engine in a process, like in a player: the interface's functions have no self argument.
 *
 * Threads: everything may be called from any thread once engine_start() has returned. No lock is held while the
 * plug-in is called back, so that it may register, and so that its own locks meet none of ours. A callback that
 * was unregistered may still run on another thread, as with Unity.
 *
 * Source: Unity's manual; limits and replay as it documents them.
 */
#ifndef HOST_ENGINE_H
#define HOST_ENGINE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "recorder/unity/abi.h"

#define ENGINE_SLOTS 4                /* callbacks of a kind in the whole process */
#define ENGINE_MARKERS 16384

enum engine_kind {
	ENGINE_CATEGORY, ENGINE_MARKER, ENGINE_FRAME, ENGINE_THREAD, ENGINE_FLOW, ENGINE_KINDS,
	ENGINE_EVENT = ENGINE_KINDS,  /* per marker, without limit */
};
#define ENGINE_FAIL(kind) (1u << (kind))

struct engine_opts {
	unsigned callbacks;           /* IUnityProfilerCallbacks: 2, 1, or 0 for none */
	unsigned profiler;            /* IUnityProfiler: 2, 1, or 0 for none */
	unsigned fail;                /* registrations that fail: ENGINE_FAIL(kind) */
	unsigned fail_event_every;    /* every nth registration for a marker's events fails; 0: none */
	unsigned taken;               /* slots of each kind that other plug-ins hold */
	bool no_replay;               /* of categories and threads; markers are always replayed */
	bool release;                 /* a release player: only markers with UNITY_M_RELEASE reach callbacks, no flows */
	bool no_thread;               /* IUnityProfiler registers no thread */
	bool only_split;              /* the two functions with an id by value are NULL */
};

/* What the engine saw of the plug-in. */
struct engine_seen {
	_Atomic unsigned registered[ENGINE_KINDS + 1], unregistered[ENGINE_KINDS + 1];
	_Atomic unsigned refused;             /* registrations that failed */
	_Atomic unsigned twice;               /* the same callback and user pointer registered again where they were */
	_Atomic unsigned unknown;             /* unregistrations of what was not registered */
	_Atomic unsigned asked_unknown;       /* interfaces asked for that nobody has */
	_Atomic unsigned flow_on_v1;          /* calls of functions that version 1 does not have */
	_Atomic uint64_t emitted;             /* events through IUnityProfiler */
	_Atomic unsigned counters, threads;   /* made through IUnityProfiler */
};

struct engine_list {                  /* who is called for a marker; immutable, never freed before the process ends */
	const struct engine_list *next;
	unsigned n;
	struct engine_hook {
		unity_event_cb *cb;
		void *user;
	} hook[];
};

/* Bytes of all such lists: what the host grows by. */
size_t engine_bytes(void);

/* Begin anew with the built-in categories and no markers. No plug-in is loaded, and no thread uses the engine. */
void engine_start(const struct engine_opts *o);

/* Load the library and call its UnityPluginLoad; 0, or -1 with the reason on standard error. */
int engine_load(const char *path);

/* Call UnityPluginUnload and, with ${close}, dlclose. */
void engine_unload(bool close);

/* The address of one of the plug-in's functions, or NULL. */
void (*engine_symbol(const char *name))(void);

const struct engine_seen *engine_seen(void);

/* A copy of ${s} that lives as long as the process. */
const char *engine_text(const char *s);

/* Make a category, a marker; tell those who want to know, on this thread. Names are kept as they are, not copied. */
uint16_t engine_category(const char *name, uint32_t rgba);
const struct unity_marker *engine_marker(const char *name, uint16_t category, uint16_t flags);

/* A marker of that number, however strange. */
const struct unity_marker *engine_marker_as(uint32_t id, const char *name, uint16_t category, uint16_t flags);

/* Every marker in order of creation; NULL behind the last. */
const struct unity_marker *engine_marker_at(unsigned i);

/* The calling thread has this name from now on; its native id is returned. */
uint64_t engine_thread(const char *group, const char *name);

/* Describe a thread of this id, from whatever thread. */
void engine_thread_as(uint64_t id, const char *group, const char *name);

/* The platform's id of the calling thread. */
uint64_t engine_self(void);

/* The next frame begins; to be called on the main thread. */
void engine_frame(void);
unsigned engine_frames(void);

/* A flow event from this thread; false: nobody listens. */
bool engine_flow(uint8_t event, uint32_t id);

/* Who listens to ${m}: NULL for nobody. Good for ever, even when nobody listens any more. */
static inline const struct engine_list *
engine_listeners(const struct unity_marker *m)
{
	return __atomic_load_n(&m->callbacks, __ATOMIC_ACQUIRE);
}

static inline void
engine_call(const struct engine_list *l, const struct unity_marker *m, uint16_t event, uint16_t n,
    const struct unity_value *v)
{
	for (unsigned i = 0; i < l->n; i++)
		l->hook[i].cb(m, event, n, v, l->hook[i].user);
}

/* An event from this thread; false: nobody listens. */
static inline bool
engine_emit(const struct unity_marker *m, uint16_t event, uint16_t n, const struct unity_value *v)
{
	const struct engine_list *l = engine_listeners(m);

	if (!l)
		return false;
	engine_call(l, m, event, n, v);
	return true;
}

#endif
