/**
 * The exact account of what was sent to the plug-in.
 *
 * Each thread counts what it sent after the callback returned, and may note every event before it. The account
 * lies in memory shared with the process that forked the player, so that it outlives a kill -9: notes[0..sent) are
 * the published events, notes[sent] may have been on its way.
 *
 * Threads: a struct account_thread is written by the thread it is about, and may be read by anyone.
 */
#ifndef HOST_ACCOUNT_H
#define HOST_ACCOUNT_H

#include <stdio.h>

#include "engine.h"

enum { ACCOUNT_THREADS = 1024, ACCOUNT_MARKERS = 8192 };

enum note_kind {
	NOTE_ZONE,            /* a begin: id = marker */
	NOTE_END,
	NOTE_LABEL,           /* a begin of Profiler.Default: val = label */
	NOTE_ALLOC,           /* GC.Alloc begins, or is single: val = bytes */
	NOTE_ALLOC_END,
	NOTE_INSTANT,         /* id = marker, val = its number */
	NOTE_COUNTER,         /* id = marker, val = the sample, as a number or as the bits of a double */
	NOTE_FLOW,            /* id = kind, val = flow id */
	NOTE_FRAME,
};

struct note {
	uint32_t kind, id;
	uint64_t val;
};

struct account_thread {
	char name[64], group[32];
	uint64_t id, kernel_id;       /* as the engine says, and the kernel's */
	uint64_t sent;                /* events whose callback has returned: all of the below together */
	uint64_t begins, ends, singles, flows[4], frames;
	/* of the begins and singles: */
	uint64_t zones, labels, allocs, alloc_ends, alloc_b, instants, counters, values;
	uint64_t missed;              /* events nobody listened to */
	uint64_t faults, switches;    /* page faults, voluntary context switches while working: see game_opts.usage */
	struct note *note;            /* NULL: not noted */
	uint64_t cap;                 /* notes that fit */
	uint32_t *count;              /* begins and singles by marker id, [ACCOUNT_MARKERS] */
};

struct account {
	uint64_t seed;
	_Atomic uint32_t nthread;
	_Atomic uint64_t frames;      /* frame callbacks made */
	_Atomic uint64_t done;        /* the game ran to its end */
	size_t bytes;                 /* of the whole mapping */
	struct account_thread thread[ACCOUNT_THREADS];
};

/* An empty account with room for ${notes} notes in each of ${threads} threads (0: none are taken). Aborts without memory. */
struct account *account_new(unsigned threads, uint64_t notes);
void account_free(struct account *a);

/* The calling thread's account; it tells the engine its name, too. */
struct account_thread *account_thread(struct account *a, const char *group, const char *name);

/* Sums over all threads. */
struct account_thread account_sum(const struct account *a);

/* The account as JSON. Names of markers come from the engine. */
void account_write(const struct account *a, FILE *f);

static inline void
account_note(struct account_thread *t, uint32_t kind, uint32_t id, uint64_t val)
{
	if (t->sent < t->cap)
		t->note[t->sent] = (struct note){ kind, id, val };
}

static inline void
account_sent(struct account_thread *t)
{
	__atomic_store_n(&t->sent, t->sent + 1, __ATOMIC_RELEASE);
}

/* Send a begin or single of ${m}; ${kind} and ${val} say what it is. False: nobody listens. */
static inline bool
send_event(struct account_thread *t, const struct unity_marker *m, uint16_t event, enum note_kind kind, uint64_t val,
    uint16_t n, const struct unity_value *v)
{
	const struct engine_list *l = engine_listeners(m);

	if (!l) {
		t->missed++;
		return false;
	}
	account_note(t, kind, m->id, val);
	engine_call(l, m, event, n, v);
	*(event == UNITY_BEGIN ? &t->begins : &t->singles) += 1;
	t->count[m->id % ACCOUNT_MARKERS]++;
	t->values += n;
	switch (kind) {
	case NOTE_ALLOC:
		t->allocs++;
		t->alloc_b += val;
		break;
	case NOTE_INSTANT:
		t->instants++;
		break;
	case NOTE_COUNTER:
		t->counters++;
		break;
	default:
		t->zones++;
		t->labels += kind == NOTE_LABEL;
		break;
	}
	account_sent(t);
	return true;
}

static inline bool
send_end(struct account_thread *t, const struct unity_marker *m, enum note_kind kind)
{
	const struct engine_list *l = engine_listeners(m);

	if (!l) {
		t->missed++;
		return false;
	}
	account_note(t, kind, m->id, 0);
	engine_call(l, m, UNITY_END, 0, NULL);
	t->ends++;
	t->alloc_ends += kind == NOTE_ALLOC_END;
	account_sent(t);
	return true;
}

static inline void
send_flow(struct account_thread *t, uint8_t event, uint32_t id)
{
	account_note(t, NOTE_FLOW, event, id);
	if (!engine_flow(event, id))
		return;
	t->flows[event & 3]++;
	account_sent(t);
}

#endif
