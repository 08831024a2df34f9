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

/* Counters of tolerated faults, in the order of plugin_count_name. */
enum count {
	N_MARKERS, N_FILTERED, N_REUSED, N_NAMELESS, N_CATEGORIES_UNKNOWN, N_REFUSED, N_ODD, N_COMPUTED, N_SIZELESS, N_RESERVED,
	N_COUNTS,
};

extern struct plugin {
	const struct unity_callbacks *unity;  /* NULL: no profiler interface */
	int version;                  /* version of the interface; 0: no interface */
	_Atomic int state;            /* enum state */
	_Atomic uint64_t frame;       /* number of frames begun since the library was loaded */
	_Atomic uint64_t frames;      /* number of frames in the running or last capture */
	_Atomic uint64_t count[N_COUNTS];
	_Atomic uint64_t first_key;   /* first key of this capture; smaller keys belong to earlier captures */
	uint64_t refused_at_load;     /* number of registrations refused at load */
	struct config config;         /* options of the running capture */
	uint64_t mark_key, timing_key;/* keys of our own markers */
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

/* Install the callbacks that describe categories and threads; remove them. */
void defs_load(void);
void defs_unload(void);
/* Define our own markers, then those already known, when a recording began. Any thread. */
void defs_open(void);
/* Install the callbacks of flows and of the events of every marker; remove them. */
void defs_start(void);
void defs_stop(void);
/* Return the key of the category ${id} in this capture, or 0. Any thread, no lock. */
uint64_t defs_category_key(uint64_t id);
/* Define a category without a description, for an event that names it; return its key, or 0 if that would have to wait. */
uint64_t defs_category_met(uint64_t id);
/* Forget the name of the thread ${native}, which ended, as a later thread may have its id. */
void defs_thread_gone(uint64_t native);

/* --- plugin_events.c: on game threads ---------------------------------------------------- */

/* The callbacks of markers and flows; ${user} is the marker's key. */
unity_event_cb events_plain, events_alloc, events_label, events_counter;
unity_flow_cb events_flow;

/* --- plugin_facts.c ---------------------------------------------------------------------- */

/* Write the facts known so far, when a recording began. */
void facts_open(void);
/* Write the counts, when the recording ends. */
void facts_close(void);

/* --- self.c ----------------------------------------------------------------------- */

#define SELF_PREFIX "Tracetool."      /* prefix of the names of our own markers */

/* True if the marker shows our own work, so that its events are not recorded. */
bool self_made(const struct unity_marker *m, const char *name);

void self_load(struct unity_interfaces *unity);
/* Write as a rec_options.write, and show the write in the profiler. */
long self_write(void *arg, int fd, const void *p, size_t n);
/* Called when the recording begins to write from its own thread; when it has ended. */
void self_open(void);
void self_close(void);

#endif
