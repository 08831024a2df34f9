/**
 * The Unity recorder's own interface: what its files share.
 *
 *	plugin.c         entry points, the state of capturing, the frame callback, the helper thread
 *	plugin_defs.c    categories, markers and threads: what the engine describes
 *	plugin_events.c  event callbacks: all that runs on game threads while capturing
 *	plugin_facts.c   C functions for marks, labels, facts and frame timings
 *	self.c           our own work shown in the Unity profiler
 *	messages.c       messages
 *	config.c         options
 */
#ifndef TT_UNITY_PLUGIN_H
#define TT_UNITY_PLUGIN_H

#include "recorder/core/rec.h"
#include "producers/unity.h"
#include "recorder/unity/abi.h"
#include "recorder/unity/config.h"
#include "recorder/unity/tracetool_unity.h"

enum state {
	S_IDLE,
	S_PREPARING,          /* the helper makes ring and file */
	S_READY,              /* waits for its first frame */
	S_CAPTURING,
	S_STOPPING,           /* callbacks are gone; the helper ends the recording */
};

/* Tolerated faults, counted; in the order of plugin_count_name. */
enum count {
	N_MARKERS, N_FILTERED, N_REUSED, N_NAMELESS, N_CATEGORIES_UNKNOWN, N_REFUSED, N_ODD, N_COMPUTED, N_SIZELESS, N_RESERVED,
	N_COUNTS,
};

extern struct plugin {
	const struct unity_callbacks *unity;  /* NULL: no profiler interface */
	int version;                  /* version of the interface; 0: none */
	_Atomic int state;            /* enum state */
	_Atomic uint64_t frame;       /* frames begun since the library was loaded */
	_Atomic uint64_t frames;      /* number of these in the running or last capture */
	_Atomic uint64_t count[N_COUNTS];
	_Atomic uint64_t first_key;   /* first key of this capture; smaller keys belong to earlier ones */
	uint64_t refused_at_load;     /* number of registrations refused at load */
	struct config config;         /* options of the running capture */
	uint64_t mark_key, timing_key;/* our own markers */
} plugin;

static inline void
plugin_add(enum count what)
{
	atomic_fetch_add_explicit(&plugin.count[what], 1, memory_order_relaxed);
}

/* --- messages.c --------------------------------------------------------------- */

/* Keep a message for tracetool_message() and for the player's log. */
void plugin_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Write new messages to the player's log. Not on game threads. */
void plugin_print(void);

/* --- plugin_defs.c ------------------------------------------------------------------- */

/* Ask for descriptions of categories and threads; stop that. */
void defs_load(void);
void defs_unload(void);
/* The recording began: define our own markers, then those already known. Any thread. */
void defs_open(void);
/* Ask for flows and for the events of every marker; stop that. */
void defs_start(void);
void defs_stop(void);
/* The key of the category ${id} in this capture, or 0. Any thread, no lock. */
uint64_t defs_category_key(uint64_t id);
/* Define a category without a description, for an event that names it; returns its key, or 0 if that would have to wait. */
uint64_t defs_category_met(uint64_t id);
/* The thread ${native} ended: a later thread with its id does not have its name. */
void defs_thread_gone(uint64_t native);

/* --- plugin_events.c: on game threads ---------------------------------------------------- */

/* The callbacks of markers and flows; ${user} is the marker's key. */
unity_event_cb events_plain, events_alloc, events_label, events_counter;
unity_flow_cb events_flow;

/* --- plugin_facts.c ---------------------------------------------------------------------- */

/* The recording began: write the facts known so far. */
void facts_open(void);
/* The recording ends: write the counts. */
void facts_close(void);

/* --- self.c ----------------------------------------------------------------------- */

#define SELF_PREFIX "Tracetool."      /* of the names of our own markers */

/* True if the marker is one that shows our own work: its events are not recorded. */
bool self_made(const struct unity_marker *m, const char *name);

void self_load(struct unity_interfaces *unity);
/* A rec_options.write that also shows the write. */
long self_write(void *arg, int fd, const void *p, size_t n);
/* The recording begins to write from its own thread; it has ended. */
void self_open(void);
void self_close(void);

#endif
