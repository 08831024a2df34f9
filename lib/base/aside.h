/**
 * One task beside the caller's own work, on a thread of its own.
 *
 * The task must not touch data that the caller changes meanwhile; any thread may allocate with base/mem.h.
 */
#ifndef TT_BASE_ASIDE_H
#define TT_BASE_ASIDE_H

#include <pthread.h>
#include <stdbool.h>

struct tt_aside {
	void (*task)(void *arg);
	void *arg;
	pthread_t thread;
	bool running;
};

/* Begin task(arg). If ${alone}, or if the system has no more threads, the task is done when this returns. Every begin needs its end. */
void tt_aside_begin(struct tt_aside *a, bool alone, void (*task)(void *arg), void *arg);

/* Wait for the task. A zeroed struct counts as finished. */
void tt_aside_end(struct tt_aside *a);

#endif
