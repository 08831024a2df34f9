/**
 * One task beside the caller's own work, on a thread of its own.
 *
 * The task must not touch data that the caller changes meanwhile; any thread may allocate with base/mem.h.
 */
#ifndef TT_BASE_TASK_H
#define TT_BASE_TASK_H

#include <pthread.h>
#include <stdbool.h>

struct tt_task {
	void (*task)(void *arg);
	void *arg;
	pthread_t thread;
	bool running;
};

/* Begin task(arg). If ${in_place}, or if the system has no more threads, the task is done when this returns. Each call needs a tt_task_wait(). */
void tt_task_begin(struct tt_task *a, bool in_place, void (*task)(void *arg), void *arg);

/* Wait for the task. A zeroed struct counts as finished. */
void tt_task_wait(struct tt_task *a);

#endif
